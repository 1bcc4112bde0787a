//! Payments: the Resources that are paid for an Offering tile, and the prices that they meet.

use std::fmt;
use std::str::FromStr;

use ahu_core::parse::words;
use ahu_core::parts::lines::joined;
use ahu_core::parts::set::Set;
use ahu_core::{Argument, ParseError, numbered};

use super::offering::Offering;
use super::resource::{Resource, Resources, amounts, and};

numbered! {
    /// Four Resources that are paid for an Offering tile, or, with Skimp, two. Those of four come first, each run from
    /// Reeds to Pearls.
    pub struct Payment[Payment::FULL + Payment::SKIMPED];
}

/// All payments: first the payments of four Resources, then the payments of two, each run in the order of their words.
const PAYMENTS: [Resources; Payment::COUNT] = list();

impl Payment {
    /// The number of payments of four Resources.
    pub const FULL: usize = 35;
    /// The number of payments of two Resources.
    pub const SKIMPED: usize = 10;

    /// Returns the Resources that are paid.
    #[inline]
    pub const fn resources(self) -> Resources {
        PAYMENTS[self.index()]
    }

    /// Returns the payment of exactly these Resources; None if they are not four or two.
    pub fn of(resources: Resources) -> Option<Self> {
        PAYMENTS.iter().position(|&payment| payment == resources).and_then(Self::new)
    }
}

/// Writes `eggs eggs wood pearls`.
impl fmt::Display for Payment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let resources = self.resources();
        let words = Resource::ALL.iter().flat_map(|&of| std::iter::repeat_n(of.name(), resources[of].into()));
        f.write_str(&joined(words, " "))
    }
}

/// Reads the names of the Resources, in any order.
impl FromStr for Payment {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let mut resources = Resources::EMPTY;
        for (at, word) in words(text).take(usize::from(u8::MAX)) {
            resources[word.parse::<Resource>().map_err(|error| error.within(at))?] += 1;
        }
        let got = words(text).count();
        Self::of(resources)
            .ok_or_else(|| ParseError::new(0, format!("expected four Resources, or two with Skimp, got {got}")))
    }
}

impl Argument for Payment {
    const TAKES_REST: bool = true;

    fn words(self) -> String {
        and(&amounts(self.resources(), ""))
    }
}

/// A set of payments.
pub type Payments = Set<Payment>;

/// All payments of four Resources.
const ALL_FULL: Payments = Payments::from_bits((1 << Payment::FULL) - 1);
/// All payments of two Resources.
const ALL_SKIMPED: Payments = Payments::from_bits(((1 << Payment::SKIMPED) - 1) << Payment::FULL);

impl Payment {
    /// Returns the payments that a player with these Resources can make.
    #[inline]
    pub fn affordable(resources: Resources) -> Payments {
        let at_most = |resource: Resource| AT_MOST[resource as usize][usize::from(resources[resource].min(4))];
        Payments::from_bits(Resource::ALL.into_iter().fold(u64::MAX, |bits, resource| bits & at_most(resource)))
    }

    /// Returns the payments that meet the price of a tile of this type, with or without Skimp. Resources may be
    /// converted into ones of lower value (M15).
    #[inline]
    pub const fn price(offering: Offering, skimped: bool) -> Payments {
        Payments::from_bits(PRICES[skimped as usize][offering as usize])
    }

    /// Returns all payments of the right number of Resources, with or without Skimp.
    #[inline]
    pub const fn any(skimped: bool) -> Payments {
        if skimped { ALL_SKIMPED } else { ALL_FULL }
    }
}

/// The payments that need at most a given number of a Resource, by Resource and number from 0 to 4.
const AT_MOST: [[u64; 5]; Resource::COUNT] = at_most();

/// The payments that meet the price of each type of Offering tiles: without Skimp, then with it.
const PRICES: [[u64; Offering::COUNT]; 2] = prices();

/// Lists the payments. More Reeds come before fewer, then more Eggs, then more Wood: this is the order of the words.
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

/// Returns true if a payment can be converted down into a price: from each Resource upwards it has enough.
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
