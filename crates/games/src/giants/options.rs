//! The options: the variants that players agree on where the rulebook is silent or offers a choice.

use ahu_core::{named, options};

/// The largest value of `max_turns`: three times the length of a usual game.
pub(super) const MAX_TURNS: u16 = 30;

/// The number of white dice.
pub(super) const WHITE_DICE: usize = 3;

options! {
    /// The options of one game. The defaults are the rulebook with the rulings of the game's front page.
    pub struct Options(seats: 3..=5) {
        /// The island: v1, a reconstruction of the printed board; tiny, ten hexes and four Ahus, for tests.
        board: BoardName = BoardName::V1;
        /// The six faces of each of the three white dice (a reconstruction).
        dice_white: Faces = Faces::WithZero;
        /// The six faces of each brown die, one die for four players and two for five (a reconstruction).
        dice_brown: Faces = Faces::WithZero;
        /// The rule for Moai that nobody takes in the auction: remove, they leave the game; return, they go back to the
        /// supply.
        unclaimed_moai: Unclaimed = Unclaimed::Remove;
        /// True: a player who can take a Moai in the auction may decline, and then takes no more in this turn.
        auction_decline: bool = true;
        /// True: a Chief's three Sculptors are part of the pool and may be split over several Moai. False: he sculpts
        /// one Moai whole.
        chief_split: bool = true;
        /// The pay of an opponent's Chief for help: per_unit, a point for each unit that is needed of him; full_size, as
        /// many points as the size of the piece, and he is then the only payee for the hex.
        chief_pp: ChiefPay = ChiefPay::PerUnit;
        /// True: a player needs a Worker on the hex to erect a Moai; a Chief or a Sorcerer is not enough.
        erect_needs_worker: bool = false;
        /// True: headdresses go on own Moai only. Not allowed with base_view=memory.
        top_own_only: bool = false;
        /// True: a player may pay opponents more than the shortage for a hex, up to the size of the piece.
        allow_gift_pp: bool = false;
        /// True: logs that no transport needed go back to the players who placed them, last placed first. False: all
        /// placed logs leave the game at the end of the turn.
        unused_logs_return: bool = false;
        /// The visibility of the base under a Moai: open, always shown; memory, shown only at the end, and to players
        /// who look under the Moai for a half-tablet.
        base_view: BaseView = BaseView::Open;
        /// The visibility of opponents' goods behind their screens and in the receptacle: hidden, not shown, although
        /// they follow from public actions; open, shown.
        screen_view: ScreenView = ScreenView::Hidden;
        /// True: the game ends after a turn with no Moai left, neither in the supply nor to be erected.
        exhaustion_end: bool = true;
        /// The maximum number of turns.
        max_turns: u8[1..=MAX_TURNS] = MAX_TURNS as u8;
        /// True: the rulebook's quick game, in which each player starts with two Workers instead of one.
        quick_game: bool = false;
        /// True: the rulebook's variant in which a Moai scores when it is erected instead of at the end.
        visible_score: bool = false;
        /// The rule for equal points: share, the players share the rank; halves, the player with more Rongo half-tablets
        /// is ahead, then the one earlier in turn order.
        tie_break: TieBreak = TieBreak::Share;
    }
    check: Self::check_together
}

named! {
    /// The name of an island.
    pub enum BoardName("board") {
        /// The reconstruction of the printed board.
        V1 = "v1",
        /// A very small island, for tests.
        Tiny = "tiny",
    }

    /// The faces of a die.
    pub enum Faces("faces") {
        /// 0, 1, 1, 2, 2, 3.
        WithZero = "011223",
        /// 1, 1, 1, 2, 2, 3.
        WithoutZero = "111223",
    }

    /// The rule for Moai that nobody takes in the auction (ruling G2).
    pub enum Unclaimed("rule for unclaimed Moai") {
        /// They leave the game.
        Remove = "remove",
        /// They go back to the supply.
        Return = "return",
    }

    /// The pay of an opponent's Chief for help with a transport (ruling G23).
    pub enum ChiefPay("pay of a Chief") {
        /// A Prestige Point for each unit that is needed of him.
        PerUnit = "per_unit",
        /// As many Prestige Points as the size of the piece; he is then the only payee for the hex.
        FullSize = "full_size",
    }

    /// The visibility of the bases under Moai (ruling G31).
    pub enum BaseView("view of the bases") {
        /// Always shown.
        Open = "open",
        /// Shown at the end, and before to the players who looked.
        Memory = "memory",
    }

    /// The visibility of the goods behind screens and in the receptacle (ruling G32).
    pub enum ScreenView("view of the goods behind screens") {
        /// Shown only to their owner.
        Hidden = "hidden",
        /// Shown to all.
        Open = "open",
    }

    /// The rule for equal points (ruling G35).
    pub enum TieBreak("tie-break") {
        /// Tied players share the rank.
        Share = "share",
        /// The player with more Rongo half-tablets is ahead, then the one earlier in turn order.
        Halves = "halves",
    }
}

impl BoardName {
    /// Returns the name of the data file of the island.
    pub const fn file_name(self) -> &'static str {
        match self {
            Self::V1 => "giants/v1",
            Self::Tiny => "giants/tiny",
        }
    }
}

impl Faces {
    /// Returns the faces of the six sides.
    pub const fn sides(self) -> [u8; 6] {
        match self {
            Self::WithZero => [0, 1, 1, 2, 2, 3],
            Self::WithoutZero => [1, 1, 1, 2, 2, 3],
        }
    }
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
        (0..self.seats.count()).map(move |die| if die < WHITE_DICE { white } else { brown })
    }

    fn check_together(&self) -> Result<(), String> {
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
