//! The canonical bytes of a position. Equal positions have equal bytes.

use ahu_core::parts::set::Set;
use ahu_core::{Numbered, Seat, StateBytes};

use super::RapanuiBoard;
use super::board::AHUS;
use super::phase::Phase;
use super::player::{Chief, Player, Sorcerer};
use super::table::Table;

impl RapanuiBoard {
    /// Writes the full state in a fixed order. Options are left out: a fingerprint has them beside the state.
    pub(super) fn write_state_bytes(&self, state: &mut StateBytes) {
        let Table {
            options,
            phase,
            active,
            order,
            round,
            idle_rounds,
            has_erected_or_styled,
            players,
            sites,
            supply,
            pukao,
            stack_taken,
            outstanding_taken,
            display,
            aside,
        } = &self.table;
        write_phase(*phase, state);
        state.u8(seat_byte(*active));
        order.iter().for_each(|seat| state.u8(seat_byte(seat)));
        state.bytes(&[*round, *idle_rounds, u8::from(*has_erected_or_styled), *pukao]);
        players.values().iter().for_each(|player| write_player(player, state));
        for site in sites {
            state.bytes(&[site.standing, site.lying, site.styled()]);
            state.bytes(site.moai().as_array());
            let mut tiles = [0; AHUS];
            tiles.iter_mut().zip(site.tiles()).for_each(|(place, tile)| *place = tile as u8 + 1);
            state.bytes(&tiles);
        }
        state.bytes(supply.as_array());
        state.bytes(stack_taken.as_array());
        state.bytes(outstanding_taken.as_array());
        state.bytes(display.as_array());
        state.bytes(aside.as_array());
        options.seats.iter().for_each(|seat| state.u16(self.offered[seat]));
    }
}

fn seat_byte(seat: Seat) -> u8 {
    seat.index() as u8
}

/// Returns the bytes of a set of spaces or areas: it has at most 32 members.
fn set_bytes<T: Numbered>(set: Set<T>) -> [u8; 4] {
    (set.bits() as u32).to_le_bytes()
}

fn write_phase(phase: Phase, state: &mut StateBytes) {
    match phase {
        Phase::Order => state.u8(0),
        Phase::Tiles => state.u8(1),
        Phase::Draft { choice } => state.bytes(&[2, choice]),
        Phase::Place => state.u8(3),
        Phase::Sculpt { sculpted } => {
            state.u8(4);
            state.bytes(sculpted.as_array());
        }
        Phase::Transport => state.u8(5),
        Phase::Carry { cargo, at, visited } => {
            state.bytes(&[6, cargo.index() as u8, at.index() as u8]);
            state.bytes(&set_bytes(visited));
        }
        Phase::Toll { space, size, tile, left } => {
            state.bytes(&[7, space.index() as u8, size as u8, tile as u8]);
            state.bytes(&set_bytes(left));
        }
        Phase::Gain { space, count } => state.bytes(&[8, space.index() as u8, count]),
        Phase::Shift { space, first, second } => state.bytes(&[9, space.index() as u8, first, second]),
        Phase::Exchange { skimped } => state.bytes(&[10, u8::from(skimped)]),
        Phase::Pay { skimped, offering, source } => {
            state.bytes(&[11, u8::from(skimped), offering as u8, source as u8]);
        }
        Phase::EndTurn => state.u8(12),
        Phase::Over => state.u8(13),
    }
}

fn write_player(player: &Player, state: &mut StateBytes) {
    let Player {
        resources,
        tiles,
        has_tablet,
        improvements,
        offerings,
        moai,
        villagers,
        sorcerer,
        chief,
        sculptors,
        chip_ins,
        held,
        has_dropped_out,
    } = player;
    state.bytes(resources.as_array());
    state.bytes(tiles.as_array());
    state.bytes(offerings.as_array());
    state.bytes(moai.as_array());
    state.bytes(sculptors.as_array());
    state.bytes(chip_ins.as_array());
    state.bytes(&[u8::from(*has_tablet), improvements.bits() as u8, *villagers, u8::from(*has_dropped_out)]);
    state.bytes(&match *sorcerer {
        Sorcerer::InHand => [0, 0],
        Sorcerer::OnStar(star) => [1, star.index() as u8],
        Sorcerer::AtWork => [2, 0],
    });
    state.bytes(&match *chief {
        Chief::InVillage => [0, 0],
        Chief::InHand => [1, 0],
        Chief::InQuarry(column) => [2, column as u8],
        Chief::OnSpace(space) => [3, space.index() as u8],
    });
    state.bytes(&set_bytes(*held));
}
