//! The options: the variants that players agree on where the rulebook is silent or offers a choice.

use crate::core::{GameOptions, OptionKind, OptionSpec, Seats};

/// The options of one game. The defaults are the rulebook with the rulings of the game's front page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of its own")]
pub struct Options {
    /// The number of seats.
    pub seats: Seats,
    /// The island.
    pub board: BoardName,
    /// The faces of the white dice.
    pub dice_white: Faces,
    /// The faces of the brown dice.
    pub dice_brown: Faces,
    /// The rule for Moai that nobody takes (G2).
    pub unclaimed_moai: Unclaimed,
    /// True if a player who can take a Moai may decline (G4).
    pub auction_decline: bool,
    /// True if a Chief may sculpt several Moai (G6).
    pub chief_split: bool,
    /// The pay of an opponent's Chief (G23).
    pub chief_pp: ChiefPay,
    /// True if erecting a Moai requires a Worker; Chief and Sorcerer are then not enough (G21).
    pub erect_needs_worker: bool,
    /// True if a headdress may go only on an own Moai (G22).
    pub top_own_only: bool,
    /// True if a player may pay more than the shortage (G24).
    pub allow_gift_pp: bool,
    /// True if logs that no transport needed go back to the players who placed them (G26).
    pub unused_logs_return: bool,
    /// The visibility of the bases under Moai (G31).
    pub base_view: BaseView,
    /// The visibility of the goods behind screens and in the receptacle (G32).
    pub screen_view: ScreenView,
    /// True if the game ends when no Moai is left (G34).
    pub exhaustion_end: bool,
    /// The maximum number of turns (G34).
    pub max_turns: u8,
    /// True for the rulebook's quick game: two Workers at the start.
    pub quick_game: bool,
    /// True for the rulebook's variant in which a Moai scores when it is erected.
    pub visible_score: bool,
    /// The rule for equal points (G35).
    pub tie_break: TieBreak,
}

/// The name of an island.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoardName {
    /// The reconstruction of the printed board.
    V1,
    /// A very small island, for tests.
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
    /// Returns the sizes on the six sides.
    pub const fn sizes(self) -> [u8; 6] {
        match self {
            Self::WithZero => [0, 1, 1, 2, 2, 3],
            Self::WithoutZero => [1, 1, 1, 2, 2, 3],
        }
    }
}

/// The rule for Moai that nobody takes in the auction (ruling G2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unclaimed {
    /// They leave the game.
    Remove,
    /// They go back to the supply.
    Return,
}

/// The pay of an opponent's Chief for help with a transport (ruling G23).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChiefPay {
    /// A Prestige Point for each unit that is needed of him.
    PerUnit,
    /// As many Prestige Points as the size of the piece; he is then the only payee for the hex.
    FullSize,
}

/// The visibility of the bases under Moai (ruling G31).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BaseView {
    /// Always shown.
    Open,
    /// Shown at the end, and before to the players who looked.
    Memory,
}

/// The visibility of the goods behind screens and in the receptacle (ruling G32).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScreenView {
    /// Shown only to their owner.
    Hidden,
    /// Shown to all.
    Open,
}

/// The rule for equal points (ruling G35).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TieBreak {
    /// Tied players share the rank.
    Share,
    /// The player with more Rongo half-tablets is ahead, then the one earlier in turn order.
    Halves,
}

impl Options {
    /// Returns the number of bases of each player.
    pub const fn bases(&self) -> u8 {
        match self.seats.count() {
            3 => 7,
            4 => 6,
            _ => 5,
        }
    }

    /// Returns the dice to roll: three white dice, then a brown die for each player above three.
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
    const MIN_SEATS: usize = 3;
    const MAX_SEATS: usize = 5;
    const SPECS: &'static [OptionSpec<Self>] = &[
        OptionSpec {
            key: "board",
            kind: OptionKind::Choice(&["v1", "tiny"]),
            meaning: "The island: v1, a reconstruction of the printed board; tiny, ten hexes and four Ahus, for tests.",
            get: |options| options.board as u16,
            set: |options, value| options.board = [BoardName::V1, BoardName::Tiny][usize::from(value)],
        },
        OptionSpec {
            key: "dice_white",
            kind: FACES,
            meaning: "The six faces of each of the three white dice (a reconstruction).",
            get: |options| options.dice_white as u16,
            set: |options, value| options.dice_white = faces(value),
        },
        OptionSpec {
            key: "dice_brown",
            kind: FACES,
            meaning: "The six faces of each brown die, one die for four players and two for five (a reconstruction).",
            get: |options| options.dice_brown as u16,
            set: |options, value| options.dice_brown = faces(value),
        },
        OptionSpec {
            key: "unclaimed_moai",
            kind: OptionKind::Choice(&["remove", "return"]),
            meaning: "The rule for Moai that nobody takes in the auction: remove, they leave the game; return, they go \
                      back to the supply.",
            get: |options| options.unclaimed_moai as u16,
            set: |options, value| options.unclaimed_moai = [Unclaimed::Remove, Unclaimed::Return][usize::from(value)],
        },
        OptionSpec {
            key: "auction_decline",
            kind: OptionKind::Flag,
            meaning: "The right to decline a Moai in the auction; the player then takes no more in this turn.",
            get: |options| options.auction_decline.into(),
            set: |options, value| options.auction_decline = value == 1,
        },
        OptionSpec {
            key: "chief_split",
            kind: OptionKind::Flag,
            meaning: "A Chief's three Sculptors as part of the pool, to split over several Moai; without the option, \
                      he sculpts one Moai whole.",
            get: |options| options.chief_split.into(),
            set: |options, value| options.chief_split = value == 1,
        },
        OptionSpec {
            key: "chief_pp",
            kind: OptionKind::Choice(&["per_unit", "full_size"]),
            meaning: "The pay of an opponent's Chief for help: per_unit, a point for each unit that is needed of him; \
                      full_size, as many points as the size of the piece, and he is then the only payee for the hex.",
            get: |options| options.chief_pp as u16,
            set: |options, value| options.chief_pp = [ChiefPay::PerUnit, ChiefPay::FullSize][usize::from(value)],
        },
        OptionSpec {
            key: "erect_needs_worker",
            kind: OptionKind::Flag,
            meaning: "The need for an own Worker on the hex to erect a Moai; a Chief or a Sorcerer is not enough.",
            get: |options| options.erect_needs_worker.into(),
            set: |options, value| options.erect_needs_worker = value == 1,
        },
        OptionSpec {
            key: "top_own_only",
            kind: OptionKind::Flag,
            meaning: "Headdresses on own Moai only. Not allowed with base_view=memory.",
            get: |options| options.top_own_only.into(),
            set: |options, value| options.top_own_only = value == 1,
        },
        OptionSpec {
            key: "allow_gift_pp",
            kind: OptionKind::Flag,
            meaning: "The right to pay opponents more than the shortage for a hex, up to the size of the piece.",
            get: |options| options.allow_gift_pp.into(),
            set: |options, value| options.allow_gift_pp = value == 1,
        },
        OptionSpec {
            key: "unused_logs_return",
            kind: OptionKind::Flag,
            meaning: "The return of logs that no transport needed to the players who placed them, last placed first; \
                      without the option, all placed logs leave the game at the end of the turn.",
            get: |options| options.unused_logs_return.into(),
            set: |options, value| options.unused_logs_return = value == 1,
        },
        OptionSpec {
            key: "base_view",
            kind: OptionKind::Choice(&["open", "memory"]),
            meaning: "The visibility of the base under a Moai: open, always shown; memory, shown only at the end, \
                      and to players who look under the Moai for a half-tablet.",
            get: |options| options.base_view as u16,
            set: |options, value| options.base_view = [BaseView::Open, BaseView::Memory][usize::from(value)],
        },
        OptionSpec {
            key: "screen_view",
            kind: OptionKind::Choice(&["hidden", "open"]),
            meaning: "The visibility of opponents' goods behind their screens and in the receptacle: hidden, not \
                      shown, although they follow from public actions; open, shown.",
            get: |options| options.screen_view as u16,
            set: |options, value| options.screen_view = [ScreenView::Hidden, ScreenView::Open][usize::from(value)],
        },
        OptionSpec {
            key: "exhaustion_end",
            kind: OptionKind::Flag,
            meaning: "The end of the game after a turn with no Moai left, neither in the supply nor to be erected.",
            get: |options| options.exhaustion_end.into(),
            set: |options, value| options.exhaustion_end = value == 1,
        },
        OptionSpec {
            key: "max_turns",
            kind: OptionKind::Number { min: 1, max: MAX_TURNS },
            meaning: "The maximum number of turns.",
            get: |options| options.max_turns.into(),
            set: |options, value| options.max_turns = value as u8,
        },
        OptionSpec {
            key: "quick_game",
            kind: OptionKind::Flag,
            meaning: "The rulebook's quick game: each player starts with two Workers instead of one.",
            get: |options| options.quick_game.into(),
            set: |options, value| options.quick_game = value == 1,
        },
        OptionSpec {
            key: "visible_score",
            kind: OptionKind::Flag,
            meaning: "The rulebook's variant in which a Moai scores when it is erected instead of at the end.",
            get: |options| options.visible_score.into(),
            set: |options, value| options.visible_score = value == 1,
        },
        OptionSpec {
            key: "tie_break",
            kind: OptionKind::Choice(&["share", "halves"]),
            meaning: "The rule for equal points: share, the players share the rank; halves, the player with more Rongo \
                      half-tablets is ahead, then the one earlier in turn order.",
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
            max_turns: MAX_TURNS as u8,
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
            // G50: the legal actions would reveal the owners.
            (BaseView::Memory, true) => {
                Err("expected base_view=open with top_own_only=true, got base_view=memory: the legal actions for \
                     headdresses would reveal the owners of the bases under Moai"
                    .to_owned())
            }
            (BaseView::Memory, false) | (BaseView::Open, _) => Ok(()),
        }
    }
}

/// The largest value of `max_turns`: three times the length of a usual game.
pub(super) const MAX_TURNS: u16 = 30;
