//! Payments: which Resources are handed in for an Offering tile, and what they pay for.

use std::fmt;

use super::offering::Offering;
use super::resource::{Resource, Resources};

/// Four Resources that are handed in for an Offering tile, or, with Skimp, two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Payment(u8);

/// All payments, those of four before those of two, each run in the order of their words.
const PAYMENTS: [Resources; Payment::COUNT] = list();

impl Payment {
    /// How many there are of four Resources.
    pub const FULL: usize = 35;
    /// How many there are of two Resources.
    pub const SKIMPED: usize = 10;
    /// How many there are.
    pub const COUNT: usize = Self::FULL + Self::SKIMPED;

    /// The payment in this place: those of four Resources, then those of two, each from Reeds to Pearls.
    pub const fn new(index: usize) -> Option<Self> {
        if index < Self::COUNT { Some(Self(index as u8)) } else { None }
    }

    /// Its place: those of four Resources, then those of two, each from Reeds to Pearls.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// What is handed in.
    #[inline]
    pub const fn resources(self) -> Resources {
        PAYMENTS[self.index()]
    }

    /// The payment of just these Resources, if they are four or two.
    pub fn of(resources: Resources) -> Option<Self> {
        PAYMENTS.iter().position(|&payment| payment == resources).and_then(Self::new)
    }
}

/// `eggs eggs wood pearls`.
impl fmt::Display for Payment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let resources = self.resources();
        let words = Resource::ALL.iter().flat_map(|&of| std::iter::repeat_n(of.name(), resources[of].into()));
        f.write_str(&words.collect::<Vec<_>>().join(" "))
    }
}

/// A set of payments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Payments(u64);

impl Payments {
    /// No payment.
    pub const NONE: Self = Self(0);
    /// Those of four Resources.
    const FULL: Self = Self((1 << Payment::FULL) - 1);

    /// Its payments as bits, by place.
    #[inline]
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// Whether nothing is in it.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Those that somebody with so many Resources can make.
    #[inline]
    pub fn affordable(resources: Resources) -> Self {
        let at_most = |resource: Resource| AT_MOST[resource as usize][usize::from(resources[resource].min(4))];
        Self(Resource::ALL.into_iter().fold(u64::MAX, |bits, resource| bits & at_most(resource)))
    }

    /// Those that will do for a tile of this type, with Skimp or without: Resources may be converted into ones of lower
    /// value (M15).
    #[inline]
    pub const fn price(offering: Offering, skimped: bool) -> Self {
        Self(PRICES[skimped as usize][offering as usize])
    }

    /// All payments of as many Resources as are to be paid.
    #[inline]
    pub const fn any(skimped: bool) -> Self {
        if skimped { Self(((1 << Payment::COUNT) - 1) ^ Self::FULL.0) } else { Self::FULL }
    }

    /// Its payments, in order.
    pub fn iter(self) -> impl DoubleEndedIterator<Item = Payment> {
        (0..Payment::COUNT).filter(move |index| self.0 >> index & 1 == 1).filter_map(Payment::new)
    }

    /// Those that are in both.
    #[inline]
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Those that are in either.
    #[inline]
    #[must_use]
    pub const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// For each Resource and 0 to 4 of it, the payments that take no more of it.
const AT_MOST: [[u64; 5]; Resource::COUNT] = at_most();

/// Without Skimp and with it: for each type of Offering tiles the payments that will do.
const PRICES: [[u64; Offering::COUNT]; 2] = prices();

/// More Reeds come before fewer, then more Eggs, then more Wood: so the words of the payments stand in order.
const fn list() -> [Resources; Payment::COUNT] {
    let mut payments = [Resources::of([0; Resource::COUNT]); Payment::COUNT];
    let sizes = [4, 2];
    let (mut next, mut of) = (0, 0);
    while of < sizes.len() {
        let mut reeds = sizes[of] + 1;
        while reeds > 0 {
            reeds -= 1;
            let mut eggs = sizes[of] - reeds + 1;
            while eggs > 0 {
                eggs -= 1;
                let mut wood = sizes[of] - reeds - eggs + 1;
                while wood > 0 {
                    wood -= 1;
                    payments[next] = Resources::of([reeds, eggs, wood, sizes[of] - reeds - eggs - wood]);
                    next += 1;
                }
            }
        }
        of += 1;
    }
    assert!(next == Payment::COUNT, "four Resources can be chosen in 35 ways, two in 10");
    payments
}

const fn at_most() -> [[u64; 5]; Resource::COUNT] {
    let mut sets = [[0; 5]; Resource::COUNT];
    let mut payment = 0;
    while payment < Payment::COUNT {
        let mut resource = 0;
        while resource < Resource::COUNT {
            let mut limit = PAYMENTS[payment].as_array()[resource] as usize;
            while limit <= 4 {
                sets[resource][limit] |= 1 << payment;
                limit += 1;
            }
            resource += 1;
        }
        payment += 1;
    }
    sets
}

const fn prices() -> [[u64; Offering::COUNT]; 2] {
    let mut sets = [[0; Offering::COUNT]; 2];
    let mut of = 0;
    while of < Offering::COUNT {
        let prices = [Offering::ALL[of].price(), Offering::ALL[of].skimped_price()];
        let mut payment = 0;
        while payment < Payment::COUNT {
            let skimped = payment >= Payment::FULL;
            sets[skimped as usize][of] |= (will_do(PAYMENTS[payment], prices[skimped as usize]) as u64) << payment;
            payment += 1;
        }
        of += 1;
    }
    sets
}

/// Whether a payment can be converted down into a price: from every Resource upwards it has as many.
const fn will_do(payment: Resources, price: Resources) -> bool {
    let (mut paid, mut asked) = (0, 0);
    let mut resource = Resource::COUNT;
    while resource > 0 {
        resource -= 1;
        paid += payment.as_array()[resource];
        asked += price.as_array()[resource];
        if paid < asked {
            return false;
        }
    }
    true
}
