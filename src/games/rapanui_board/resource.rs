//! Resources, and the rows in which players keep them.

use std::fmt;

use super::counts::{Counts, named};

/// What Moai and transports bring, and offerings cost. Each is worth more than the one before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Resource {
    /// Reeds.
    Reeds,
    /// Eggs.
    Eggs,
    /// Wood.
    Wood,
    /// Pearls.
    Pearls,
}

named!(Resource, "Resource", [Reeds "reeds", Eggs "eggs", Wood "wood", Pearls "pearls"]);

/// So many Resources of each type.
pub type Resources = Counts<Resource, { Resource::COUNT }>;

impl Resource {
    /// What one of it is called in texts.
    const fn singular(self) -> &'static str {
        match self {
            Self::Reeds => "reed",
            Self::Eggs => "egg",
            Self::Wood => "wood",
            Self::Pearls => "pearl",
        }
    }

    /// The Resource of the next-higher value; Pearls have none above them.
    pub const fn next_higher(self) -> Option<Self> {
        Self::new(self as usize + 1)
    }
}

impl Resources {
    /// Advances a row, at most to the cap, its rightmost space: what is above it is lost. Says how many were gained.
    #[inline]
    pub fn gain(&mut self, resource: Resource, count: u8, cap: u8) -> u8 {
        let gained = count.min(cap.saturating_sub(self[resource]));
        self[resource] += gained;
        gained
    }

    /// Moves the rows left by what is paid.
    pub fn pay(&mut self, payment: Self) {
        for resource in Resource::ALL {
            self[resource] -= payment[resource];
        }
    }
}

/// So many Resources of a type, in texts: `1 egg`, `3 eggs`.
pub(super) struct Amount(pub u8, pub Resource);

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(count, resource) = *self;
        write!(f, "{count} {}", if count == 1 { resource.singular() } else { resource.name() })
    }
}
