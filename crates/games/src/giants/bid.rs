//! The bids of the auction.

use borsh::{BorshDeserialize, BorshSerialize};
use std::fmt;

use ahu_core::parts::lines::{counted, joined_or};
use ahu_core::{named, numbered};

use super::tribe::{CHIEF_UNITS, MARKERS, WORKERS};

numbered! {
    /// The number of Tribe Markers or Workers in a bid.
    pub struct Amount("number", 0..=MARKERS as usize);
}

const _: () = assert!(MARKERS == WORKERS, "the same numbers of both may be bid");

impl Amount {
    /// Creates the amount of this number.
    ///
    /// # Panics
    /// If no player has so many.
    pub const fn of(number: u8) -> Self {
        Self::new(number as usize).expect("a colour has six Tribe Markers and six Workers")
    }

    /// Returns the number.
    pub const fn number(self) -> u8 {
        self.0
    }
}

named! {
    /// The leaders in a bid: any of Sorcerer and Chief.
    pub enum Leaders("choice of leaders") {
        /// Neither.
        None = "none",
        /// The Sorcerer.
        Sorcerer = "sorcerer",
        /// The Chief.
        Chief = "chief",
        /// Both.
        Both = "both",
    }
}

impl Leaders {
    /// Returns the value with these leaders.
    pub const fn of(sorcerer: bool, chief: bool) -> Self {
        match (sorcerer, chief) {
            (false, false) => Self::None,
            (true, false) => Self::Sorcerer,
            (false, true) => Self::Chief,
            (true, true) => Self::Both,
        }
    }

    /// Returns true if the Sorcerer is in the bid.
    pub const fn sorcerer(self) -> bool {
        matches!(self, Self::Sorcerer | Self::Both)
    }

    /// Returns true if the Chief is in the bid.
    pub const fn chief(self) -> bool {
        matches!(self, Self::Chief | Self::Both)
    }
}

/// A player's bid: Tribe Markers in one hand, Sculptors in the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct Bid {
    /// The number of Tribe Markers: the highest bid chooses first.
    pub markers: u8,
    /// The number of Workers among the Sculptors.
    pub workers: u8,
    /// The leaders among the Sculptors.
    pub leaders: Leaders,
}

impl Bid {
    /// The bid of two empty hands.
    pub const EMPTY: Self = Self { markers: 0, workers: 0, leaders: Leaders::None };

    /// Returns true if these Sculptors can make Moai with sizes of this `sum`, the largest of size `largest` (G6).
    pub(super) const fn can_make(self, sum: u8, largest: u8, chief_split: bool) -> bool {
        let without_chief = self.workers + self.leaders.sorcerer() as u8;
        match (self.leaders.chief(), chief_split) {
            (false, _) => sum <= without_chief,
            (true, true) => sum <= without_chief + CHIEF_UNITS,
            (true, false) => sum - largest <= without_chief,
        }
    }
}

impl Bid {
    /// Returns the bid in the signs of the table, such as `TM2 w1 C`; `-` for nothing.
    pub(super) fn signs(self) -> String {
        let count = |count: u8, sign: &str| (count > 0).then(|| format!("{sign}{count}"));
        let leader = |is_bid: bool, sign: &str| is_bid.then(|| sign.to_owned());
        let parts = [
            count(self.markers, "TM"),
            count(self.workers, "w"),
            leader(self.leaders.sorcerer(), "S"),
            leader(self.leaders.chief(), "C"),
        ];
        joined_or(parts.into_iter().flatten(), " ", "-")
    }
}

/// Writes the bid as text, such as `2 Tribe Markers, 1 Worker, and the Chief`, or `nothing`.
impl fmt::Display for Bid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [
            (self.markers > 0).then(|| counted(self.markers, "Tribe Marker")),
            (self.workers > 0).then(|| counted(self.workers, "Worker")),
            self.leaders.sorcerer().then(|| "the Sorcerer".to_owned()),
            self.leaders.chief().then(|| "the Chief".to_owned()),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        match &parts[..] {
            [] => f.write_str("nothing"),
            [one] => f.write_str(one),
            [one, other] => write!(f, "{one} and {other}"),
            [first @ .., last] => write!(f, "{}, and {last}", first.join(", ")),
        }
    }
}

/// The progress of a player's bid, secret until all bids are sealed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub enum Bidding {
    /// The player has to choose the Tribe Markers.
    Markers,
    /// The player has to choose the Workers.
    Workers {
        /// The number of Tribe Markers bid.
        markers: u8,
    },
    /// The player has to choose the leaders.
    Leaders {
        /// The number of Tribe Markers bid.
        markers: u8,
        /// The number of Workers bid.
        workers: u8,
    },
    /// The bid is complete.
    Sealed(Bid),
}

impl Bidding {
    /// Returns the bid as far as it is made. The rest is empty.
    pub(super) const fn so_far(self) -> Bid {
        match self {
            Self::Markers => Bid::EMPTY,
            Self::Workers { markers } => Bid { markers, ..Bid::EMPTY },
            Self::Leaders { markers, workers } => Bid { markers, workers, ..Bid::EMPTY },
            Self::Sealed(bid) => bid,
        }
    }

    /// Returns true if the bid is complete.
    #[inline]
    pub const fn is_sealed(self) -> bool {
        matches!(self, Self::Sealed(_))
    }
}
