//! The options: what a table may agree on where the rulebook is silent or offers a choice.

use crate::core::{GameOptions, OptionKind, OptionSpec, Seats};

/// What is agreed before play. The defaults are the rulebook with the rulings of the front page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of its own")]
pub struct Options {
    /// How many play.
    pub seats: Seats,
    /// Which island is played on.
    pub board: BoardName,
    /// The faces of the white dice.
    pub dice_white: Faces,
    /// The faces of the brown dice.
    pub dice_brown: Faces,
    /// What becomes of Moai that nobody takes (G2).
    pub unclaimed_moai: Unclaimed,
    /// Whether who can take a Moai may decline (G4).
    pub auction_decline: bool,
    /// Whether a Chief may sculpt several Moai (G6).
    pub chief_split: bool,
    /// What a foreign Chief earns (G23).
    pub chief_pp: ChiefPay,
    /// Whether Chief and Sorcerer are not enough to erect a Moai (G21).
    pub erect_needs_worker: bool,
    /// Whether a headdress may go on an own Moai alone (G22).
    pub top_own_only: bool,
    /// Whether more may be paid than is needed (G24).
    pub allow_gift_pp: bool,
    /// Whether logs that no transport needed go back to who placed them (G26).
    pub unused_logs_return: bool,
    /// Whether it is shown whose base lies under a Moai (G31).
    pub base_view: BaseView,
    /// Whether it is shown what others have behind their screens (G32).
    pub screen_view: ScreenView,
    /// Whether the game ends when no Moai is left (G34).
    pub exhaustion_end: bool,
    /// After how many turns the game ends at the latest (G34).
    pub max_turns: u8,
    /// The rulebook's quick game: two Workers at the start.
    pub quick_game: bool,
    /// The rulebook's variant: Moai score as they are erected.
    pub visible_score: bool,
    /// Who wins among equal points (G35).
    pub tie_break: TieBreak,
}

/// Which island.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoardName {
    /// The reconstruction of the printed board.
    V1,
    /// A very small one, for tests.
    Tiny,
}

/// The faces of a die.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Faces {
    /// 0, 1, 1, 2, 2, 3.
    WithZero,
    /// 1, 1, 1, 2, 2, 3.
    WithoutZero,
}

impl Faces {
    /// The sizes on its six sides.
    pub const fn sizes(self) -> [u8; 6] {
        match self {
            Self::WithZero => [0, 1, 1, 2, 2, 3],
            Self::WithoutZero => [1, 1, 1, 2, 2, 3],
        }
    }
}

/// What becomes of Moai that nobody takes in the auction (ruling G2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unclaimed {
    /// They leave the game.
    Remove,
    /// They go back to the supply.
    Return,
}

/// What a foreign Chief earns who helps to carry (ruling G23).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChiefPay {
    /// A Prestige Point for each unit that is needed of him.
    PerUnit,
    /// As many as the size of what he carries; he is then the only one who is paid for the hex.
    FullSize,
}

/// Whether it is shown whose base lies under a Moai (ruling G31).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BaseView {
    /// Always.
    Open,
    /// Only at the end, and to who peeked.
    Memory,
}

/// Whether it is shown what others have behind their screens (ruling G32).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScreenView {
    /// It is not.
    Hidden,
    /// It is.
    Open,
}

/// Who wins among equal points (ruling G35).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TieBreak {
    /// They share the place.
    Share,
    /// Who has more Rongo half-tablets, then who comes first in turn order.
    Halves,
}

impl Options {
    /// How many bases each player has.
    pub const fn bases(&self) -> u8 {
        match self.seats.count() {
            3 => 7,
            4 => 6,
            _ => 5,
        }
    }

    /// The dice that are rolled: three white ones, then a brown one for each player above three.
    pub fn dice(&self) -> impl ExactSizeIterator<Item = Faces> {
        let (white, brown) = (self.dice_white, self.dice_brown);
        (0..self.seats.count()).map(move |die| if die < 3 { white } else { brown })
    }
}

const FACES: OptionKind = OptionKind::Choice(&["011223", "111223"]);

const fn faces(value: u16) -> Faces {
    if value == 0 { Faces::WithZero } else { Faces::WithoutZero }
}

impl GameOptions for Options {
    const SEATS_MIN: usize = 3;
    const SEATS_MAX: usize = 5;
    const SPECS: &'static [OptionSpec<Self>] = &[
        OptionSpec {
            key: "board",
            kind: OptionKind::Choice(&["v1", "tiny"]),
            meaning: "The island: v1, a reconstruction of the printed one; tiny, ten hexes and four Ahus, for tests.",
            get: |options| options.board as u16,
            set: |options, value| options.board = [BoardName::V1, BoardName::Tiny][usize::from(value)],
        },
        OptionSpec {
            key: "dice_white",
            kind: FACES,
            meaning: "The six faces of the white dice, of which three are rolled (a reconstruction).",
            get: |options| options.dice_white as u16,
            set: |options, value| options.dice_white = faces(value),
        },
        OptionSpec {
            key: "dice_brown",
            kind: FACES,
            meaning: "The six faces of the brown dice: one is rolled with four players, two with five (a reconstruction).",
            get: |options| options.dice_brown as u16,
            set: |options, value| options.dice_brown = faces(value),
        },
        OptionSpec {
            key: "unclaimed_moai",
            kind: OptionKind::Choice(&["remove", "return"]),
            meaning: "What becomes of Moai that nobody takes in the auction: remove, they leave the game; return, they go \
                      back to the supply.",
            get: |options| options.unclaimed_moai as u16,
            set: |options, value| options.unclaimed_moai = [Unclaimed::Remove, Unclaimed::Return][usize::from(value)],
        },
        OptionSpec {
            key: "auction_decline",
            kind: OptionKind::Flag,
            meaning: "Who can take a Moai in the auction may decline, and then takes no more in this turn.",
            get: |options| options.auction_decline.into(),
            set: |options, value| options.auction_decline = value == 1,
        },
        OptionSpec {
            key: "chief_split",
            kind: OptionKind::Flag,
            meaning: "The three Sculptors that a Chief counts for may sculpt several Moai; otherwise he sculpts one Moai whole.",
            get: |options| options.chief_split.into(),
            set: |options, value| options.chief_split = value == 1,
        },
        OptionSpec {
            key: "chief_pp",
            kind: OptionKind::Choice(&["per_unit", "full_size"]),
            meaning: "What a foreign Chief earns who helps to carry: per_unit, a point for each unit that is needed of him; \
                      full_size, as many as the size of what he carries, and he is then the only one paid for the hex.",
            get: |options| options.chief_pp as u16,
            set: |options, value| options.chief_pp = [ChiefPay::PerUnit, ChiefPay::FullSize][usize::from(value)],
        },
        OptionSpec {
            key: "erect_needs_worker",
            kind: OptionKind::Flag,
            meaning: "A Moai is erected only where an own Worker stands; a Chief or a Sorcerer is not enough.",
            get: |options| options.erect_needs_worker.into(),
            set: |options, value| options.erect_needs_worker = value == 1,
        },
        OptionSpec {
            key: "top_own_only",
            kind: OptionKind::Flag,
            meaning: "A headdress goes on an own Moai only. Not together with base_view=memory.",
            get: |options| options.top_own_only.into(),
            set: |options, value| options.top_own_only = value == 1,
        },
        OptionSpec {
            key: "allow_gift_pp",
            kind: OptionKind::Flag,
            meaning: "Who enters a hex may pay others more than is needed, up to the size of what is carried.",
            get: |options| options.allow_gift_pp.into(),
            set: |options, value| options.allow_gift_pp = value == 1,
        },
        OptionSpec {
            key: "unused_logs_return",
            kind: OptionKind::Flag,
            meaning: "Placed logs that no transport needed go back to who placed them, last placed first; otherwise all \
                      placed logs leave the game at the end of the turn.",
            get: |options| options.unused_logs_return.into(),
            set: |options, value| options.unused_logs_return = value == 1,
        },
        OptionSpec {
            key: "base_view",
            kind: OptionKind::Choice(&["open", "memory"]),
            meaning: "Whose base lies under a Moai: open, it is always shown; memory, only at the end, and to who peeks \
                      under it for a half-tablet.",
            get: |options| options.base_view as u16,
            set: |options, value| options.base_view = [BaseView::Open, BaseView::Memory][usize::from(value)],
        },
        OptionSpec {
            key: "screen_view",
            kind: OptionKind::Choice(&["hidden", "open"]),
            meaning: "What others have behind their screens and in the receptacle: hidden, it is not shown, though it \
                      follows from what they did; open, it is shown.",
            get: |options| options.screen_view as u16,
            set: |options, value| options.screen_view = [ScreenView::Hidden, ScreenView::Open][usize::from(value)],
        },
        OptionSpec {
            key: "exhaustion_end",
            kind: OptionKind::Flag,
            meaning: "The game ends after a turn with no Moai left, neither in the supply nor to be erected.",
            get: |options| options.exhaustion_end.into(),
            set: |options, value| options.exhaustion_end = value == 1,
        },
        OptionSpec {
            key: "max_turns",
            kind: OptionKind::Number { min: 1, max: TURNS_MAX },
            meaning: "The game ends after so many turns at the latest.",
            get: |options| options.max_turns.into(),
            set: |options, value| options.max_turns = value as u8,
        },
        OptionSpec {
            key: "quick_game",
            kind: OptionKind::Flag,
            meaning: "Each player starts with two Workers instead of one (the rulebook's quick game).",
            get: |options| options.quick_game.into(),
            set: |options, value| options.quick_game = value == 1,
        },
        OptionSpec {
            key: "visible_score",
            kind: OptionKind::Flag,
            meaning: "A Moai scores when it is erected instead of at the end (the rulebook's variant).",
            get: |options| options.visible_score.into(),
            set: |options, value| options.visible_score = value == 1,
        },
        OptionSpec {
            key: "tie_break",
            kind: OptionKind::Choice(&["share", "halves"]),
            meaning: "Among equal points: share, all of them have the place; halves, who has more Rongo half-tablets is \
                      ahead, then who comes first in turn order.",
            get: |options| options.tie_break as u16,
            set: |options, value| options.tie_break = [TieBreak::Share, TieBreak::Halves][usize::from(value)],
        },
    ];

    fn new(seats: Seats) -> Self {
        Self {
            seats,
            board: BoardName::V1,
            dice_white: Faces::WithZero,
            dice_brown: Faces::WithZero,
            unclaimed_moai: Unclaimed::Remove,
            auction_decline: true,
            chief_split: true,
            chief_pp: ChiefPay::PerUnit,
            erect_needs_worker: false,
            top_own_only: false,
            allow_gift_pp: false,
            unused_logs_return: false,
            base_view: BaseView::Open,
            screen_view: ScreenView::Hidden,
            exhaustion_end: true,
            max_turns: TURNS_MAX as u8,
            quick_game: false,
            visible_score: false,
            tie_break: TieBreak::Share,
        }
    }

    fn seats(&self) -> Seats {
        self.seats
    }

    fn check(&self) -> Result<(), String> {
        match (self.base_view, self.top_own_only) {
            // G50: what may be topped would tell whose it is.
            (BaseView::Memory, true) => {
                Err("base_view=memory does not go with top_own_only=true: where a headdress may \
                                             go would tell whose base lies under a Moai"
                    .to_owned())
            }
            (BaseView::Memory, false) | (BaseView::Open, _) => Ok(()),
        }
    }
}

/// The most turns that a game can be agreed to have: three times as long as one takes.
pub(super) const TURNS_MAX: u16 = 30;
