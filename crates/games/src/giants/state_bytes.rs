//! The canonical bytes of a table: equal tables have equal bytes.

use ahu_core::{Numbered, Seat, SeatSet, StateBytes};

use super::bid::{Bid, Bidding};
use super::board::{Ahu, Hex};
use super::dues::Dues;
use super::phase::{Phase, PlaceStep, TransportStep};
use super::piece::{BySize, Piece};
use super::place::{Claim, Place};
use super::site::Site;
use super::table::Table;
use super::tribe::{Spot, Tribe};

/// The bytes of the table and its phase.
impl Table {
    /// Writes the phase, the counts, the cut forests, the logs, the tribes, the pieces, and the Ahus, in this order. The
    /// dice and the shown bids are left out, because the other facts have all of their effects. So the fingerprints of
    /// rules version 1 stay.
    pub(super) fn write_state(&self, state: &mut StateBytes) {
        self.write_phase(state);
        state.bytes(&[self.turn, self.first.index() as u8, self.halves, self.logs_left, self.logs_gone]);
        state.bytes(self.supply.as_slice());
        state.bytes(self.removed.as_slice());
        state.bytes(&self.harvested.bits().to_le_bytes());
        state.u8(self.logs.total());
        for log in self.logs.placed() {
            state.bytes(&[log.hex.index() as u8, log.seat.index() as u8]);
        }
        state.bytes(self.logs.used());
        for tribe in self.tribes.values() {
            tribe.write_state(state);
        }
        for piece in Piece::all() {
            state.bytes(&match self.place_of(piece) {
                Place::Rock => [0, 0, 0],
                Place::Front(seat) => [1, seat.index() as u8, 0],
                Place::Island { hex, claim: Claim::Abandoned } => [2, hex.index() as u8, 0],
                Place::Island { hex, claim: Claim::Held(seat) } => [3, hex.index() as u8, seat.index() as u8],
                Place::Island { hex, claim: Claim::Marked(seat) } => [4, hex.index() as u8, seat.index() as u8],
                Place::Ahu(ahu) => [5, ahu.index() as u8, 0],
            });
            state.bytes(&self.visited[piece.index()].bits().to_le_bytes());
        }
        for ahu in Ahu::all() {
            let piece = |piece: Option<Piece>| piece.map_or(u8::MAX, |piece| piece.index() as u8);
            state.bytes(&match self.site(ahu) {
                Site::Free => [0, 0, 0, 0],
                Site::Reserved(seat) => [1, seat.index() as u8, 0, 0],
                Site::Erected { owner, moai, headdress } => {
                    let owner = owner.map_or(u8::MAX, |owner| owner.index() as u8);
                    [2, owner, piece(Some(moai)), piece(headdress)]
                }
            });
        }
    }

    /// Writes eleven bytes: the phase, its seat, the seats that passed or declined, and eight bytes of the phase's
    /// own data.
    fn write_phase(&self, state: &mut StateBytes) {
        let sizes = |of: BySize| [of.as_array()[0], of.as_array()[1], of.as_array()[2], 0, 0, 0, 0, 0];
        let (phase, seat, out, rest) = match self.phase {
            Phase::Roll => (0, Seat::default(), SeatSet::EMPTY, [0; 8]),
            Phase::Bid { offered } => (1, Seat::default(), SeatSet::EMPTY, sizes(offered)),
            Phase::Pick { seat, offered, stopped } => (2, seat, stopped, sizes(offered)),
            Phase::Place { seat, passed, step } => (3, seat, passed, step.bytes()),
            Phase::Transport { seat, passed, step } => (4, seat, passed, step.bytes()),
            Phase::Store { seat, piece } => (5, seat, SeatSet::EMPTY, [piece.index() as u8, 0, 0, 0, 0, 0, 0, 0]),
            Phase::Recover { seat, piece } => (6, seat, SeatSet::EMPTY, [piece.index() as u8, 0, 0, 0, 0, 0, 0, 0]),
            Phase::Over => (7, Seat::default(), SeatSet::EMPTY, [0; 8]),
        };
        let out = out.iter().fold(0, |bits, seat| bits | 1 << seat.index());
        state.bytes(&[phase, seat.index() as u8, out]);
        state.bytes(&rest);
    }
}

/// The bytes of a step of a placement.
impl PlaceStep {
    /// Returns the step and its data, filled up with zeros.
    fn bytes(self) -> [u8; 8] {
        let [step, a, b] = match self {
            Self::What => [0, 0, 0],
            Self::Where { party } => [1, party.index() as u8, 0],
            Self::Power { chief, hex } => [2, chief.into(), hex.index() as u8],
        };
        [step, a, b, 0, 0, 0, 0, 0]
    }
}

/// The bytes of a step of a transport.
impl TransportStep {
    /// Returns the step and its data, filled up with zeros.
    fn bytes(self) -> [u8; 8] {
        match self {
            Self::Lift => [0; 8],
            Self::Carry { piece, moved } => [1, piece.index() as u8, moved.into(), 0, 0, 0, 0, 0],
            Self::Pay { piece, to, dues } => {
                let Dues { least, most, paid, payee, lent } = dues;
                [2, piece.index() as u8, to.index() as u8, least, most, paid, payee.index() as u8, lent]
            }
        }
    }
}

/// The bytes of a tribe.
impl Tribe {
    /// Writes the goods by place, the points, the Workers by hex, the leaders, and the Ahus at which the player has
    /// looked.
    fn write_state(&self, state: &mut StateBytes) {
        let Self { reserve, front, receptacle, workers, sorcerer, chief, halves, prestige, peeked } = self;
        state.bytes(&[reserve.workers, reserve.markers, reserve.logs, reserve.bases]);
        state.bytes(&[front.workers, front.markers, receptacle.workers, receptacle.markers, *halves]);
        state.u16(*prestige);
        for hex in Hex::all() {
            state.u8(workers.count(hex));
        }
        for spot in [sorcerer, chief] {
            state.bytes(&match spot {
                Spot::Reserve => [0, 0],
                Spot::Front => [1, 0],
                Spot::On(hex) => [2, hex.index() as u8],
            });
        }
        state.bytes(&peeked.bits().to_le_bytes());
    }
}

/// The bytes of the progress of a bid.
impl Bidding {
    /// Writes four bytes: the step, and the bid so far.
    pub(super) fn write_state(self, state: &mut StateBytes) {
        let step = match self {
            Self::Markers => 0,
            Self::Workers { .. } => 1,
            Self::Leaders { .. } => 2,
            Self::Sealed(_) => 3,
        };
        let Bid { markers, workers, leaders } = self.so_far();
        state.bytes(&[step, markers, workers, leaders as u8]);
    }
}
