//! The canonical bytes of a position: equal positions have equal bytes.

use ahu_core::{Seat, StateBytes};

use super::RappaNui;
use super::phase::Phase;
use super::table::Table;

impl RappaNui {
    pub(super) fn write_state_bytes(&self, state: &mut StateBytes) {
        let Self { table, deck, hands, known } = self;
        let Table { options, phase, first, player, round, passes, points, discard, eroded, shuffled } = table;
        let seat = |seat: Seat| seat.index() as u8;
        state.bytes(&match *phase {
            Phase::Deal => [0, 0, 0],
            Phase::Draw => [1, 0, 0],
            Phase::Conflict => [2, 0, 0],
            Phase::Steal { victim } => [3, seat(victim), 0],
            Phase::Lose { victim } => [4, seat(victim), 0],
            Phase::Meld { laid: _ } => [5, 0, 0],
            Phase::Decline { excess, from } => [6, excess, from],
            Phase::Over => [7, 0, 0],
        });
        state.bytes(&[seat(*first), seat(*player), *passes]);
        state.u16(*round);
        for pile in [phase.laid(), *deck, *discard, *eroded, *shuffled] {
            state.u128(pile.bits());
        }
        for seat in options.seats.iter() {
            state.u128(hands[seat].bits());
            state.u128(known[seat].bits());
            state.u16(points[seat]);
        }
    }
}
