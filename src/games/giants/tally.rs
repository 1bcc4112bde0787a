//! The end of the game and the final tally.

use std::cmp::Reverse;

use super::board::{Ahu, Ahus};
use super::event::End;
use super::options::TieBreak;
use super::piece::{Kind, Piece};
use super::{Site, Table};
use crate::core::{BySeat, Seat, ranks_by};

/// Prestige Points for a complete Rongo tablet: two halves (G36).
const TABLET_POINTS: i32 = 3;

impl Table {
    /// The Ahus with Moai.
    pub(super) fn erected(&self) -> Ahus {
        self.occupied().iter().filter(|&ahu| matches!(self.site(ahu), Site::Erected { .. })).collect()
    }

    /// The Ahus with a player's Moai.
    pub fn erected_by(&self, seat: Seat) -> Ahus {
        let is_own = |&ahu: &Ahu| matches!(self.site(ahu), Site::Erected { owner, .. } if owner == Some(seat));
        self.occupied().iter().filter(is_own).collect()
    }

    /// Whether the game ends with this turn's phase 4. A reserved Ahu without a Moai does not count as a used base.
    pub(super) fn reason_to_end(&self) -> Option<End> {
        let bases = usize::from(self.options.bases());
        if self.options.seats.iter().any(|seat| self.erected_by(seat).len() == bases) {
            Some(End::Bases)
        } else if self.options.exhaustion_end && self.is_exhausted() {
            Some(End::Exhaustion)
        } else if self.turn >= self.options.max_turns {
            Some(End::LastTurn)
        } else {
            None
        }
    }

    /// G34: no Moai is left to be erected, nor to come.
    fn is_exhausted(&self) -> bool {
        self.supply == [0; 3] && !self.movable().iter().any(|piece| matches!(piece.kind(), Kind::Moai(_)))
    }

    /// Prestige Points as the final tally would give them now, as far as it is known whose Moai are whose.
    pub fn scores(&self) -> BySeat<i32> {
        let mut scores = BySeat::from_fn(self.options.seats, |seat| {
            let tribe = &self.tribes[seat];
            i32::from(tribe.prestige) + i32::from(tribe.halves / 2) * TABLET_POINTS
        });
        for ahu in self.occupied().iter() {
            if let Site::Erected { owner: Some(owner), moai, headdress } = self.site(ahu) {
                if !self.options.visible_score {
                    scores[owner] += i32::from(self.worth(moai, ahu));
                }
                scores[owner] += headdress.map_or(0, |headdress| i32::from(self.worth(headdress, ahu)));
            }
        }
        scores
    }

    /// What a piece is worth on an Ahu: a Moai its size times the black number, a headdress the red number.
    pub fn worth(&self, piece: Piece, ahu: Ahu) -> u16 {
        let values = self.board().ahu(ahu);
        match piece.kind() {
            Kind::Moai(size) => u16::from(values.moai) * u16::from(size.units()),
            Kind::Headdress => values.headdress.into(),
        }
    }

    /// The variant `visible_score`: a Moai scores as it is erected.
    pub(super) fn score_at_once(&mut self, seat: Seat, moai: Piece, ahu: Ahu) {
        if self.options.visible_score {
            self.tribes[seat].prestige += self.worth(moai, ahu);
        }
    }

    /// Places by these scores (G35 for ties).
    pub fn ranks(&self, scores: BySeat<i32>) -> BySeat<u8> {
        let seats = self.options.seats;
        match self.options.tie_break {
            TieBreak::Share => ranks_by(&scores),
            TieBreak::Halves => ranks_by(&BySeat::from_fn(seats, |seat| {
                (scores[seat], self.tribes[seat].halves, Reverse(seats.steps_left(self.first, seat)))
            })),
        }
    }
}
