//! Styling a Moai: Resources are exchanged for an Offering tile.

use ahu_core::parts::set::Set;
use ahu_core::{ActionSet, Events, Numbered, Seat};

use super::action::{Action, first};
use super::event::Event;
use super::improvement::Improvement;
use super::offering::{Offering, Source};
use super::options::TakeYourPick;
use super::payment::{Payment, Payments};
use super::phase::Phase;
use super::power::Means;
use super::space::Space;
use super::table::Table;
use super::tile::Tile;

impl Table {
    /// Styles a Moai in the order of M44: the Pukao stands, the Transporter lies down, then the exchange.
    pub(super) fn style(&mut self, seat: Seat, space: Space, events: &mut impl Events<Event>) {
        self.pukao -= 1;
        self.sites[space.index()].style();
        self.has_erected_or_styled = true;
        let is_tiring = self.tire(seat, space);
        events.push(Event::Styled { seat, space, is_tiring });
        self.phase = Phase::Exchange { skimped: false };
    }

    /// Returns true if the player can pay for an Offering tile (M16), if necessary with Skimp: a player who can pay
    /// four Resources for a tile can also pay two for it.
    pub(super) fn can_exchange(&self, seat: Seat) -> bool {
        !self.offers(seat, self.has_skimp(seat)).is_empty()
    }

    pub(super) fn has_skimp(&self, seat: Seat) -> bool {
        let player = &self.players[seat];
        player.tiles[Tile::Skimp] > 0 || player.has_tablet
    }

    /// Returns the tiles that the player can pay for.
    fn offers(&self, seat: Seat, skimped: bool) -> Set<(Offering, Source)> {
        let affordable = Payment::affordable(self.players[seat].resources);
        let can_pay =
            |&(offering, source): &(Offering, Source)| affordable.meets(self.payments(seat, skimped, offering, source));
        <(Offering, Source)>::all().filter(can_pay).collect()
    }

    /// Returns the valid payments for the next tile of a type and source; none if the tile cannot be taken.
    pub(super) fn payments(&self, seat: Seat, skimped: bool, offering: Offering, source: Source) -> Payments {
        let player = &self.players[seat];
        // M18: an Artistic player gets this type for the price of the next-lower type too.
        let lower = offering.next_lower().filter(|_| player.is(Improvement::Artistic));
        let price = lower.map_or(Payments::EMPTY, |lower| Payment::price(lower, skimped));
        let price = price | Payment::price(offering, skimped);
        let is_left = self.next_value(offering, source).is_some();
        let may_take = source == Source::Stack || self.may_take_outstanding(seat);
        match (source, self.options.take_your_pick) {
            _ if !is_left || !may_take => Payments::EMPTY,
            // All payments can be converted into the price of a Hut.
            (Source::Outstanding, TakeYourPick::Any) => Payment::any(skimped),
            (Source::Outstanding, TakeYourPick::Matching) | (Source::Stack, _) => price,
        }
    }

    /// Returns true if a player may take Outstanding tiles (M19).
    pub(super) fn may_take_outstanding(&self, seat: Seat) -> bool {
        self.players[seat].tiles[Tile::TakeYourPick] > 0
    }

    /// Returns the values of the tiles left of a type and source, the next one first.
    #[inline]
    pub(super) fn values_left(&self, offering: Offering, source: Source) -> &'static [u8] {
        let tiles = self.options.offerings.tiles();
        let (stack, taken) = match source {
            Source::Stack => (tiles.stack(offering, self.options.seats), self.stack_taken[offering]),
            Source::Outstanding => (tiles.outstanding(offering), self.outstanding_taken[offering]),
        };
        &stack.values()[taken.into()..]
    }

    /// Returns the value of the next tile of a type and source; None if no tile is left (M40).
    pub(super) fn next_value(&self, offering: Offering, source: Source) -> Option<u8> {
        self.values_left(offering, source).first().copied()
    }

    /// Adds the legal exchanges. Each styling allows one Skimp (M17), and an exchange always follows (M16).
    pub(super) fn legal_exchanges(&self, seat: Seat, skimped: bool, legal: &mut ActionSet) {
        legal.insert_bits(first::Offer, self.offers(seat, skimped).bits());
        if skimped {
            return;
        }
        let player = &self.players[seat];
        if player.tiles[Tile::Skimp] > 0 {
            legal.insert(Action::Skimp(Means::Tile));
        }
        if player.has_tablet {
            legal.insert(Action::Skimp(Means::Tablet));
        }
    }

    pub(super) fn skimp(&mut self, seat: Seat, means: Means, events: &mut impl Events<Event>) {
        self.discard(seat, means, Tile::Skimp);
        events.push(Event::Skimped { seat, means });
        self.phase = Phase::Exchange { skimped: true };
    }

    pub(super) fn choose_offering(
        &mut self,
        seat: Seat,
        skimped: bool,
        (offering, source): (Offering, Source),
        events: &mut impl Events<Event>,
    ) {
        events.push(Event::OfferingChosen { seat, offering, source });
        self.phase = Phase::Pay { skimped, offering, source };
    }

    pub(super) fn legal_payments(
        &self,
        seat: Seat,
        skimped: bool,
        (offering, source): (Offering, Source),
        legal: &mut ActionSet,
    ) {
        let affordable = Payment::affordable(self.players[seat].resources);
        legal.insert_bits(first::Pay, (affordable & self.payments(seat, skimped, offering, source)).bits());
    }

    /// Removes the next tile of a type and source.
    pub(super) fn take_offering(&mut self, offering: Offering, source: Source) {
        match source {
            Source::Stack => self.stack_taken[offering] += 1,
            Source::Outstanding => self.outstanding_taken[offering] += 1,
        }
    }

    /// Pays for the tile, and returns its value.
    pub(super) fn pay(
        &mut self,
        seat: Seat,
        (offering, source): (Offering, Source),
        payment: Payment,
        events: &mut impl Events<Event>,
    ) -> u8 {
        let value = self.next_value(offering, source).expect("a tile is left");
        self.take_offering(offering, source);
        let player = &mut self.players[seat];
        player.resources = player.resources - payment.resources();
        player.offerings[offering] += 1;
        events.push(Event::OfferingTaken { seat, offering, source, value, payment });
        self.finish_transport(seat, events);
        value
    }
}
