//! The options: variants for the points on which the rulebook is silent.

use ahu_core::{named, options};

use super::board::Side;
use super::moai::Size;
use super::offering::Values;

options! {
    /// The options that the players agree on before play. The defaults are the rulings of the front page.
    pub struct Options(seats: 2..=4) {
        /// The side of the board (reconstructions): rn_34_v1, for 3 and 4 players; rn_2_v1, for 2. It sets the quarry and
        /// the star spaces, unless these are given too.
        board: Side = Side::of(seats), sets Self::set_quarry_and_star_spaces;
        /// The number of places in the first column of the Moai Quarry (reconstruction); board sets it.
        quarry_small: u8[1..=9] = Side::of(seats).board().quarry[Size::Small];
        /// The number of places in the second column of the Moai Quarry (reconstruction); board sets it.
        quarry_medium: u8[1..=9] = Side::of(seats).board().quarry[Size::Medium];
        /// The number of places in the third column of the Moai Quarry (reconstruction); board sets it.
        quarry_large: u8[1..=9] = Side::of(seats).board().quarry[Size::Large];
        /// The number of star spaces on the turn order track, at least one for each player (reconstruction); board sets it.
        star_spaces: u8[2..=6] = Side::of(seats).board().stars;
        /// The values of the Offering tiles: rn_v1 (reconstruction).
        offerings: Values = Values::RnV1;
        /// The largest number of Resources of a type for a player: the length of the rows on a player board
        /// (reconstruction).
        resource_cap: u8[4..=15] = 8;
        /// The time for the Chief to go to the Moai Quarry: either, in phase 1 as an optional figurine, or in phase 2
        /// before sculpting; phase1, only as a figurine, which must be placed; phase2, only before sculpting.
        chief_timing: ChiefTiming = ChiefTiming::Either;
        /// True: each Resource of a Moai on a space with two colours is chosen separately. False: all are of one colour.
        choice_split: bool = true;
        /// The Outstanding Offering tiles that Take Your Pick gives: matching, those of the type that would be taken from
        /// the stack; any, those of any type, whatever the payment.
        take_your_pick: TakeYourPick = TakeYourPick::Matching;
        /// True: Moai may pass the Pukao Quarry, and Pukao the Crater. False: they may not.
        pass_other_quarry: bool = true;
        /// True: the game uses the 21 Ahu tiles of a first game, without the harder kinds, and no Rongorongo Tablets.
        beginner_tiles: bool = false;
        /// The number of idle rounds in a row that ends the game: nobody erected a Moai or styled one with a Pukao; 0, never.
        stall_end: u8[0..=9] = 4;
        /// The largest number of rounds; after it the game is over.
        max_rounds: u8[1..=30] = 15;
        /// The total worth of others' Offering tiles in observations before the end: private, hidden, because the tiles
        /// are face down; open, shown. The number of tiles of each type is always shown, and events tell the worth of each
        /// tile as it is taken.
        offering_view: OfferingView = OfferingView::Private;
    }
    check: Self::check_together
}

named! {
    /// The time at which the Chief goes to the Moai Quarry (ruling M4).
    pub enum ChiefTiming("moment for the Chief") {
        /// In phase 1 as a figurine, or else in phase 2 before sculpting.
        Either = "either",
        /// In phase 1, where he must be placed.
        Phase1 = "phase1",
        /// In phase 2, before sculpting.
        Phase2 = "phase2",
    }

    /// The Outstanding Offering tiles that Take Your Pick gives (ruling M19).
    pub enum TakeYourPick("reading of Take Your Pick") {
        /// Tiles of the paid type, or, with Artistic, of the next-higher type.
        Matching = "matching",
        /// Tiles of any type, whatever the payment.
        Any = "any",
    }

    /// The rule for showing the total worth of others' Offering tiles in observations (ruling M32).
    pub enum OfferingView("view of Offering tiles") {
        /// The total is not shown: the tiles are face down.
        Private = "private",
        /// The total is shown.
        Open = "open",
    }
}

impl Options {
    /// Returns the number of places in a column of the Moai Quarry.
    #[inline]
    pub const fn quarry(&self, column: Size) -> u8 {
        match column {
            Size::Small => self.quarry_small,
            Size::Medium => self.quarry_medium,
            Size::Large => self.quarry_large,
        }
    }

    fn set_quarry_and_star_spaces(&mut self) {
        let board = self.board.board();
        [self.quarry_small, self.quarry_medium, self.quarry_large] = *board.quarry.as_array();
        self.star_spaces = board.stars;
    }

    fn check_together(&self) -> Result<(), String> {
        let (seats, side) = (self.seats.count(), Side::of(self.seats));
        if self.board != side {
            let players = if seats == 2 { "2" } else { "3 or 4" };
            return Err(format!("expected board {side} for {players} players, got {}", self.board));
        }
        match usize::from(self.star_spaces) < seats {
            true => {
                Err(format!("expected star_spaces of at least {seats}, one for each player, got {}", self.star_spaces))
            }
            false => Ok(()),
        }
    }
}
