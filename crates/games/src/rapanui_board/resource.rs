//! Resources, and the rows on which players keep them.

use std::fmt;

use ahu_core::named;
use ahu_core::parts::counts::Counts;
use ahu_core::parts::lines::joined_or;

named! {
    /// A type of Resources, gained by Moai and tolls, and paid for Offering tiles. Each is worth more than the one
    /// before.
    pub enum Resource("Resource") {
        /// Reeds.
        Reeds = "reeds",
        /// Eggs.
        Eggs = "eggs",
        /// Wood.
        Wood = "wood",
        /// Pearls.
        Pearls = "pearls",
    }
}

/// A number of Resources of each type.
pub type Resources = Counts<Resource, { Resource::COUNT }>;

impl Resource {
    /// Returns the name of a single Resource in texts.
    const fn singular(self) -> &'static str {
        match self {
            Self::Reeds => "reed",
            Self::Eggs => "egg",
            Self::Wood => "wood",
            Self::Pearls => "pearl",
        }
    }

    /// Returns the Resource of the next-higher value; None for Pearls.
    pub const fn next_higher(self) -> Option<Self> {
        Self::new(self as usize + 1)
    }

    /// Advances the row of this Resource, at most to the cap, its rightmost space: the excess is lost. Returns the number gained.
    #[inline]
    pub fn gain(self, rows: &mut Resources, count: u8, cap: u8) -> u8 {
        let gained = count.min(cap.saturating_sub(rows[self]));
        rows[self] += gained;
        gained
    }
}

/// A number of Resources of a type, in texts: `1 egg`, `3 eggs`.
pub(super) struct Amount(pub u8, pub Resource);

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(count, resource) = *self;
        write!(f, "{count} {}", if count == 1 { resource.singular() } else { resource.name() })
    }
}

/// Returns Resources in words, the lowest value first: `1 egg, 3 pearls`; `none` if there are none.
pub(super) fn amounts(resources: Resources, none: &str) -> String {
    let amounts = resources.iter().filter(|&(_, count)| count > 0).map(|(of, count)| Amount(count, of));
    joined_or(amounts, ", ", none)
}

/// Returns a list with "and" before its last part: `1 egg, 2 wood and 1 pearl`.
pub(super) fn and(list: &str) -> String {
    list.rsplit_once(", ").map_or_else(|| list.to_owned(), |(most, last)| format!("{most} and {last}"))
}
