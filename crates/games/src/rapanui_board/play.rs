//! Plays in a player's own turn: Ahu tiles, the Rongorongo Tablet that copies one, Improvement tiles.
//!
//! They are legal at the moments that M42 to M44 name, and nowhere else inside a chain of actions.

use ahu_core::{ActionId, ActionSet, Events, Seat};

use super::action::first;
use super::event::Event;
use super::improvement::{Improvement, Improvements, NOTCHES};
use super::moai::{Size, Sizes};
use super::phase::Phase;
use super::player::{Chief, Player, Sorcerer};
use super::power::{Means, Power, Powers, first as powers};
use super::resource::Resource;
use super::space::Space;
use super::table::Table;
use super::tile::{Tile, Tiles};

/// The number of Resources that Barter exchanges.
const BARTER: u8 = 3;
/// The first id of the powers of a tablet. Those of a tile come before them.
const FIRST_OF_TABLET: ActionId = ActionId(first::Play.0 + Power::COUNT as u16);

/// The moments at which a player can play tiles and buy Improvement tiles.
#[derive(Clone, Copy)]
enum Moment {
    /// Phase 1: before placing a figurine.
    BeforePlacing,
    /// Phase 2: before sculpting.
    BeforeSculpting,
    /// Phase 3: before a transport, or after it.
    AroundTransport,
    /// Phase 3: between the arrival of a Moai and the gain.
    BeforeGain,
}

/// The legal plays.
impl Table {
    /// Returns true if the player can play or buy anything now.
    pub(super) fn can_interrupt(&self, seat: Seat) -> bool {
        let (tile, tablet) = self.playable(seat);
        !tile.is_empty() || !tablet.is_empty() || !self.improvements_for_sale(seat).is_empty()
    }

    /// Adds the legal plays and purchases, if this is a moment for them.
    pub(super) fn legal_interrupts(&self, seat: Seat, legal: &mut ActionSet) {
        legal.insert_bits(first::Improve, self.improvements_for_sale(seat).bits());
        let (tile, tablet) = self.playable(seat);
        for (powers, first) in [(tile, first::Play), (tablet, FIRST_OF_TABLET)] {
            if !powers.is_empty() {
                legal.insert_bits(first, powers.bits() as u64);
                legal.insert_bits(ActionId(first.0 + u64::BITS as u16), (powers.bits() >> u64::BITS) as u64);
            }
        }
    }

    /// Returns the legal powers of the player's Ahu tiles and of the tablet, which copies any tile (M27).
    fn playable(&self, seat: Seat) -> (Powers, Powers) {
        let player = &self.players[seat];
        if player.tiles == Tiles::EMPTY && !player.has_tablet {
            return (Powers::EMPTY, Powers::EMPTY);
        }
        let possible = self.possible_powers(seat);
        let of_tiles = if possible.is_empty() { possible } else { Powers::of_kinds(player.tiles.kinds()) & possible };
        (of_tiles, if player.has_tablet { possible } else { Powers::EMPTY })
    }

    /// Returns the powers that are possible now, whether or not the player has their tiles.
    fn possible_powers(&self, seat: Seat) -> Powers {
        let Some(moment) = self.moment() else { return Powers::EMPTY };
        let more = match moment {
            Moment::BeforePlacing => Powers::EMPTY,
            Moment::BeforeSculpting => Powers::CHIP_IN | self.job_changes(seat),
            Moment::AroundTransport => self.rests(seat) | self.lends(seat),
            Moment::BeforeGain => Powers::TAKE_MORE,
        };
        barters(&self.players[seat]) | more
    }

    /// Returns the moment of the active player's turn; None if nothing can be played or bought now (M43, M44).
    fn moment(&self) -> Option<Moment> {
        match self.phase {
            Phase::Place => Some(Moment::BeforePlacing),
            Phase::Sculpt { sculpted } => (sculpted == Sizes::EMPTY).then_some(Moment::BeforeSculpting),
            Phase::Transport | Phase::EndTurn => Some(Moment::AroundTransport),
            Phase::Gain { .. } => Some(Moment::BeforeGain),
            Phase::Order
            | Phase::Tiles
            | Phase::Draft { .. }
            | Phase::Carry { .. }
            | Phase::Toll { .. }
            | Phase::Shift { .. }
            | Phase::Exchange { .. }
            | Phase::Pay { .. }
            | Phase::Over => None,
        }
    }

    /// Returns the powers of Change Jobs for a Sorcerer on the turn order track (M24).
    fn job_changes(&self, seat: Seat) -> Powers {
        match self.players[seat].sorcerer {
            Sorcerer::OnStar(_) => {
                Powers::CHANGE_TO_SCULPTOR | Powers::on(powers::ChangeToTransporter, self.open_spaces(seat))
            }
            Sorcerer::InHand | Sorcerer::AtWork => Powers::EMPTY,
        }
    }

    fn rests(&self, seat: Seat) -> Powers {
        let is_tired = |space: &Space| self.site(*space).lying > 0;
        Powers::on(powers::Rest, self.players[seat].held.iter().filter(is_tired).collect())
    }

    /// Returns the powers of Lend a Hand. The Chief is lent once a round, from any place (M25).
    fn lends(&self, seat: Seat) -> Powers {
        let player = &self.players[seat];
        let open = self.open_spaces(seat);
        let sculptor =
            if player.sculptors == Sizes::EMPTY { Powers::EMPTY } else { Powers::on(powers::LendSculptor, open) };
        let chief = match player.chief {
            Chief::InHand | Chief::InQuarry(_) => Powers::on(powers::LendChief, open),
            Chief::InVillage | Chief::OnSpace(_) => Powers::EMPTY,
        };
        sculptor | chief
    }

    /// Returns the Improvement tiles that the player can pay for, without conversion (M15).
    pub(super) fn improvements_for_sale(&self, seat: Seat) -> Improvements {
        let player = &self.players[seat];
        if self.moment().is_none() || player.improvements.len() >= NOTCHES {
            return Improvements::EMPTY;
        }
        let can_buy = |&improvement: &Improvement| {
            let (resource, cost) = improvement.cost();
            !player.is(improvement) && player.resources[resource] >= cost
        };
        Improvement::ALL.into_iter().filter(can_buy).collect()
    }
}

/// Returns the powers of Barter: three Resources of one type for three of another (M22).
fn barters(player: &Player) -> Powers {
    let enough = Resource::ALL.into_iter().filter(|&resource| player.resources[resource] >= BARTER);
    enough.fold(Powers::EMPTY, |powers, give| powers | Powers::barter(give))
}

/// The effects of plays.
impl Table {
    /// Returns a tile or the tablet to the box.
    pub(super) fn discard(&mut self, seat: Seat, means: Means, tile: Tile) {
        let player = &mut self.players[seat];
        match means {
            Means::Tile => player.tiles[tile] -= 1,
            Means::Tablet => player.has_tablet = false,
        }
    }

    pub(super) fn play(&mut self, seat: Seat, means: Means, power: Power, events: &mut impl Events<Event>) {
        self.discard(seat, means, power.tile());
        events.push(Event::Played { seat, means, power });
        match power {
            Power::Barter(types) => {
                self.players[seat].resources[types.give()] -= BARTER;
                self.gain(seat, types.take(), BARTER, events);
            }
            Power::ChipIn(column) => self.players[seat].chip_ins[column] += 1,
            Power::ChangeToSculptor(column) => {
                self.players[seat].sorcerer = Sorcerer::AtWork;
                self.players[seat].sculptors[column] += 1;
            }
            Power::ChangeToTransporter(space) => {
                self.players[seat].sorcerer = Sorcerer::AtWork;
                self.stand(seat, space);
            }
            Power::Rest(space) => {
                let site = &mut self.sites[space.index()];
                site.lying -= 1;
                site.standing += 1;
            }
            Power::LendSculptor(space) => {
                self.players[seat].lend_sculptor();
                self.stand(seat, space);
            }
            Power::LendChief(space) => {
                let player = &mut self.players[seat];
                player.chief = Chief::OnSpace(space);
                player.held |= space.into();
            }
            Power::TakeTwoMore => self.take_more(2),
            Power::TakeThreeMore => self.take_more(3),
        }
        self.go_on_after_interrupt(seat, events);
    }

    /// Adds Resources to the gain; several tiles add up (M42).
    fn take_more(&mut self, more: u8) {
        let Phase::Gain { count, .. } = &mut self.phase else { panic!("expected the phase Gain") };
        *count += more;
    }

    /// Buys an Improvement tile. The Villager of Popular and the Chief are available at once, if the phase uses them
    /// (M28).
    pub(super) fn improve(&mut self, seat: Seat, improvement: Improvement, events: &mut impl Events<Event>) {
        let player = &mut self.players[seat];
        let (resource, cost) = improvement.cost();
        player.resources[resource] -= cost;
        player.improvements |= improvement.into();
        match improvement {
            Improvement::Popular => player.villagers += 1,
            Improvement::Chief => player.chief = Chief::InHand,
            Improvement::Fervent | Improvement::Artistic => {}
        }
        events.push(Event::Improved { seat, improvement });
        self.go_on_after_interrupt(seat, events);
    }

    /// Takes a gain that leaves no choice, and ends a turn in which nothing more can be played (M44).
    fn go_on_after_interrupt(&mut self, seat: Seat, events: &mut impl Events<Event>) {
        match self.phase {
            Phase::Gain { space, count } => self.offer_gain(seat, space, count, events),
            Phase::EndTurn => self.finish_transport(seat, events),
            Phase::Order
            | Phase::Tiles
            | Phase::Draft { .. }
            | Phase::Place
            | Phase::Sculpt { .. }
            | Phase::Transport
            | Phase::Carry { .. }
            | Phase::Toll { .. }
            | Phase::Shift { .. }
            | Phase::Exchange { .. }
            | Phase::Pay { .. }
            | Phase::Over => {}
        }
    }
}

impl Player {
    /// Removes a Sculptor. The choice of its column makes no difference, because all Moai are sculpted by then (M25).
    fn lend_sculptor(&mut self) {
        let column = Size::ALL.into_iter().find(|&column| self.sculptors[column] > 0);
        self.sculptors[column.expect("there is a Sculptor")] -= 1;
    }
}
