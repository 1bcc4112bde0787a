//! Tolls: the earnings of players whose Transporters another player's transport has passed.

use ahu_core::{ActionSet, Events};

use super::action::Action;
use super::event::Event;
use super::moai::Size;
use super::phase::Phase;
use super::resource::Resource;
use super::space::{Space, Spaces};
use super::table::Table;
use super::tile::Tile;

impl Table {
    /// Pays, for a Moai, each owner the Resource that its space shows. Spaces with one colour leave no choice.
    pub(super) fn pay_fixed_tolls(&mut self, spaces: Spaces, events: &mut impl Events<Event>) {
        for space in spaces.iter() {
            self.pay_toll(space, self.board().colours(space).first, events);
        }
    }

    /// Pays each owner Reeds for a Pukao, regardless of the colours of the space.
    pub(super) fn pay_reeds(&mut self, spaces: Spaces, events: &mut impl Events<Event>) {
        for space in spaces.iter() {
            self.pay_toll(space, Resource::Reeds, events);
        }
    }

    /// Pays a toll; it is lost if the row is full (M10).
    fn pay_toll(&mut self, space: Space, resource: Resource, events: &mut impl Events<Event>) {
        let seat = self.owner(space).expect("Transporters are on each space of a chain");
        let gained = resource.gain(&mut self.players[seat].resources, 1, self.options.resource_cap);
        events.push(Event::TollEarned { seat, space, resource, is_lost: gained == 0 });
    }

    /// Asks the owners of spaces with two colours for their tolls (M11), one after the other, before the Moai stands.
    pub(super) fn choose_tolls(
        &mut self,
        space: Space,
        size: Size,
        tile: Tile,
        left: Spaces,
        events: &mut impl Events<Event>,
    ) {
        match left.is_empty() {
            true => self.erect(self.active, space, size, tile, events),
            false => self.phase = Phase::Toll { space, size, tile, left },
        }
    }

    pub(super) fn legal_tolls(&self, left: Spaces, legal: &mut ActionSet) {
        let colours = self.board().colours(Self::next_toll(left));
        legal.insert(Action::Toll(colours.first));
        if let Some(second) = colours.second {
            legal.insert(Action::Toll(second));
        }
    }

    pub(super) fn choose_toll(
        &mut self,
        (space, size, tile): (Space, Size, Tile),
        left: Spaces,
        resource: Resource,
        events: &mut impl Events<Event>,
    ) {
        let paid = Self::next_toll(left);
        self.pay_toll(paid, resource, events);
        self.choose_tolls(space, size, tile, left - paid.into(), events);
    }
}
