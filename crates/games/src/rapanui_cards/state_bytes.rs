//! The canonical bytes of a position: equal positions have equal bytes.

use ahu_core::{Seat, StateBytes};

use super::column::{Column, Pile};
use super::stone::{FaceDown, Top};
use super::{Phase, RapanuiCards, Table, Village};

impl RapanuiCards {
    pub(super) fn write_state_bytes(&self, state: &mut StateBytes) {
        let Table { options: _, phase, active, turn, villages, columns, stack, unseen, boxed, stock, stone } =
            &self.table;
        let seat = |seat: Seat| seat.index() as u8;
        let column = |column: Column| column.index() as u8;
        state.bytes(&match *phase {
            Phase::Start => [0, 0, 0, 0],
            Phase::Colours => [1, 0, 0, 0],
            Phase::LayOut(which) => [2, column(which), 0, 0],
            Phase::Buy => [3, 0, 0, 0],
            Phase::Play => [4, 0, 0, 0],
            Phase::Sacrifice(who) => [5, seat(who), 0, 0],
            Phase::Supply => [6, 0, 0, 0],
            Phase::Draw => [7, 0, 0, 0],
            Phase::Uncover(which) => [8, column(which), 0, 0],
            Phase::Payout(who) => [9, seat(who), 0, 0],
            Phase::Substitute { seat: who, food, due } => [10, seat(who), food as u8, due],
            Phase::Over => [11, 0, 0, 0],
        });
        state.bytes(&[seat(*active), *turn, *stack, *boxed]);
        for Village { colour, hand, display, wood, glory, accounted, held } in villages.values() {
            state.u8(colour.map_or(0, |colour| colour as u8 + 1));
            state.bytes(hand.as_slice());
            state.bytes(display.as_slice());
            state.u16(*wood);
            state.u16(*glory);
            state.bytes(accounted.as_slice());
            state.u8(*held);
        }
        for Pile { len, cards } in columns {
            state.u8(*len);
            state.bytes(&cards.map(|card| card.map_or(0, |kind| kind.index() as u8 + 1)));
        }
        state.bytes(unseen.as_slice());
        state.bytes(stock.as_slice());
        state.bytes(stone.open.as_slice());
        state.bytes(&match stone.top {
            Top::Empty => [0, 0],
            Top::Open(food) => [1, food as u8],
            Top::FaceDown => [2, 0],
        });
        state.u8(stone.face_down_count);
        for (FaceDown { seat: who, at_most_so_far }, food) in stone.cards_face_down().iter().zip(self.hidden) {
            state.u8(seat(*who));
            state.bytes(at_most_so_far.as_slice());
            state.u8(food as u8);
        }
    }
}
