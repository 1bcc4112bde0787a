//! Erecting a Moai: its Ahu tile, and the Resources that it brings.

use ahu_core::{ActionSet, Events, Seat};

use super::action::{Action, FirstCount, first};
use super::event::Event;
use super::improvement::Improvement;
use super::moai::Size;
use super::phase::Phase;
use super::resource::Resource;
use super::space::Space;
use super::table::Table;
use super::tile::Tile;

impl Table {
    /// Erects the Moai in the order of M44: it stands, the tile is taken, the Transporter lies down, then the gain.
    pub(super) fn erect(&mut self, seat: Seat, space: Space, size: Size, tile: Tile, events: &mut impl Events<Event>) {
        let player = &mut self.players[seat];
        player.moai[size] -= 1;
        player.tiles[tile] += 1;
        self.sites[space.index()].erect(size, tile);
        self.has_erected_or_styled = true;
        let is_tiring = self.tire(seat, space);
        events.push(Event::Erected { seat, space, size, tile, is_tiring });
        self.offer_gain(seat, space, size.resources(), events);
    }

    /// Asks for the gain, or takes it if it leaves no choice and nothing can be played before (M44).
    pub(super) fn offer_gain(&mut self, seat: Seat, space: Space, count: u8, events: &mut impl Events<Event>) {
        self.phase = Phase::Gain { space, count };
        let colours = self.board().colours(space);
        let has_choice = colours.second.is_some() || self.may_shift(seat, colours.first);
        if !has_choice && !self.can_interrupt(seat) {
            self.gain(seat, colours.first, count, events);
            self.finish_transport(seat, events);
        }
    }

    /// Returns true if the player can shift a gain of this colour with Fervent (M20): Pearls have no next-higher
    /// Resource.
    fn may_shift(&self, seat: Seat, colour: Resource) -> bool {
        self.players[seat].is(Improvement::Fervent) && colour.next_higher().is_some()
    }

    pub(super) fn gain(&mut self, seat: Seat, resource: Resource, count: u8, events: &mut impl Events<Event>) {
        let gained = resource.gain(&mut self.players[seat].resources, count, self.options.resource_cap);
        events.push(Event::Gained { seat, resource, count: gained, lost_count: count - gained });
    }

    /// Adds the legal gains. On a space with two colours each Resource is chosen, by its number in the first colour
    /// (M11).
    pub(super) fn legal_gains(&self, seat: Seat, space: Space, count: u8, legal: &mut ActionSet) {
        let colours = self.board().colours(space);
        match (colours.second, self.options.choice_split) {
            (Some(_), true) => legal.insert_bits(first::GainFirst, (1 << (count + 1)) - 1),
            (Some(_), false) => legal.insert_bits(first::GainFirst, 1 | 1 << count),
            (None, _) => self.legal_shifts(seat, colours.first, legal),
        }
    }

    fn legal_shifts(&self, seat: Seat, colour: Resource, legal: &mut ActionSet) {
        legal.insert(Action::GainShown);
        if self.may_shift(seat, colour) {
            legal.insert(Action::GainShifted);
        }
    }

    /// Gains all Resources in one colour, as shown or shifted.
    pub(super) fn gain_all(
        &mut self,
        seat: Seat,
        (space, count): (Space, u8),
        is_shifted: bool,
        events: &mut impl Events<Event>,
    ) {
        let colour = self.board().colours(space).first;
        self.gain(seat, shifted(colour, is_shifted), count, events);
        self.finish_transport(seat, events);
    }

    /// Divides the gain between both colours; each part may be shifted.
    pub(super) fn divide_gain(
        &mut self,
        seat: Seat,
        (space, count): (Space, u8),
        first: FirstCount,
        events: &mut impl Events<Event>,
    ) {
        let first = first.index() as u8;
        self.go_on_shifting(seat, space, [first, count - first], events);
    }

    /// Asks a Fervent player for each colour with a gain about the shift (M20), and gains the parts without a choice.
    fn go_on_shifting(&mut self, seat: Seat, space: Space, parts: [u8; 2], events: &mut impl Events<Event>) {
        let ([one, other], [first, second]) = (self.both_colours(space), parts);
        if first > 0 {
            if self.may_shift(seat, one) {
                self.phase = Phase::Shift { space, first, second };
                return;
            }
            self.gain(seat, one, first, events);
        }
        if second > 0 {
            if self.may_shift(seat, other) {
                self.phase = Phase::Shift { space, first: 0, second };
                return;
            }
            self.gain(seat, other, second, events);
        }
        self.finish_transport(seat, events);
    }

    fn both_colours(&self, space: Space) -> [Resource; 2] {
        let colours = self.board().colours(space);
        [colours.first, colours.second.expect("a gain is divided where there are two colours")]
    }

    /// Returns the part of the gain that is to be decided: its colour and its size.
    pub(super) fn part(&self, space: Space, first: u8, second: u8) -> (Resource, u8) {
        let [one, other] = self.both_colours(space);
        if first > 0 { (one, first) } else { (other, second) }
    }

    pub(super) fn legal_part_shifts(&self, seat: Seat, space: Space, (first, second): (u8, u8), legal: &mut ActionSet) {
        self.legal_shifts(seat, self.part(space, first, second).0, legal);
    }

    pub(super) fn gain_part(
        &mut self,
        seat: Seat,
        space: Space,
        (first, second): (u8, u8),
        is_shifted: bool,
        events: &mut impl Events<Event>,
    ) {
        let (colour, count) = self.part(space, first, second);
        self.gain(seat, shifted(colour, is_shifted), count, events);
        let left = if first > 0 { [0, second] } else { [0, 0] };
        self.go_on_shifting(seat, space, left, events);
    }
}

fn shifted(colour: Resource, is_shifted: bool) -> Resource {
    match is_shifted {
        true => colour.next_higher().expect("Pearls are not shifted"),
        false => colour,
    }
}
