//! The words of the header: what the table shows, and who has to do what.

use ahu_core::parts::picture::ending;
use ahu_core::{Argument as _, SeatSet, View as _};

use crate::giants::event::moai_text;
use crate::giants::piece::{Kind, Piece};
use crate::giants::{Bidding, Phase, PlaceStep, TransportStep, View};

impl View {
    /// Returns what the table shows, in a sentence.
    pub(super) fn state(&self) -> String {
        match self.table.phase {
            Phase::Roll => "The dice tell which Moai can be sculpted.".to_owned(),
            Phase::Bid { offered } | Phase::Pick { offered, .. } => format!("Moai on offer: {}.", moai_text(offered)),
            Phase::Place { .. } => "Figures go to the island.".to_owned(),
            Phase::Transport { .. } => "Moai and headdresses are carried.".to_owned(),
            Phase::Store { .. } => "Pieces that nobody carried go to their quarries.".to_owned(),
            Phase::Recover { .. } => "The turn ends.".to_owned(),
            Phase::Over => "The game is over.".to_owned(),
        }
    }

    /// Returns the seats that have to act, or at the end the winners, and what they do, after the name of a single one.
    pub(super) fn task(&self) -> (SeatSet, String) {
        let task = match self.table.phase {
            Phase::Roll => "the dice are rolled".to_owned(),
            Phase::Bid { .. } => self.bidding().to_owned(),
            Phase::Pick { .. } if !self.table.options.auction_decline => "must take a Moai".to_owned(),
            Phase::Pick { .. } => "may take a Moai".to_owned(),
            Phase::Place { step, .. } => match step {
                PlaceStep::What => "places, takes a half-tablet, or passes".to_owned(),
                PlaceStep::Where { party } => format!("must choose a hex for {}", party.words()),
                PlaceStep::Power { chief, hex } => {
                    format!("may use the {}'s power on hex {hex}", if chief { "Chief" } else { "Sorcerer" })
                }
            },
            Phase::Transport { step, .. } => match step {
                TransportStep::Lift => "carries a piece or passes".to_owned(),
                TransportStep::Carry { piece, moved: false } => format!("must choose a way for {}", piece_text(piece)),
                TransportStep::Carry { piece, .. } => format!("carries {} on, or ends", piece_text(piece)),
                TransportStep::Pay { to, dues, .. } => match (dues.short(), dues.most_left()) {
                    (0, most) => format!("may give up to {most} for help on hex {to}"),
                    (least, _) => format!("must choose who helps on hex {to}: {least} to give"),
                },
            },
            Phase::Store { piece, .. } => format!("may mark {}", piece_text(piece)),
            Phase::Recover { piece, .. } => format!("may take the Tribe Marker from {}", piece_text(piece)),
            Phase::Over => return self.ending(),
        };
        (self.to_act(), task)
    }

    /// Returns what the seats without a sealed bid do.
    fn bidding(&self) -> &'static str {
        let is_alone = self.to_act().len() == 1;
        let bid =
            self.bid.filter(|_| is_alone && self.viewer.own_seat().is_some_and(|seat| self.to_act().contains(seat)));
        match bid {
            Some(Bidding::Markers) => "must bid Tribe Markers",
            Some(Bidding::Workers { .. }) => "must bid Workers",
            Some(Bidding::Leaders { .. }) => "must bid the leaders or none",
            _ if is_alone => "must bid in secret",
            _ => "bid in secret",
        }
    }

    /// Returns the winners, and by what they won.
    fn ending(&self) -> (SeatSet, String) {
        ending(&self.scores(), &self.ranks(), |before, after| self.tie_break(before, after))
    }
}

/// Returns a piece in words.
fn piece_text(piece: Piece) -> String {
    match piece.kind() {
        Kind::Moai(size) => format!("Moai {piece} (size {size})"),
        Kind::Headdress => format!("headdress {piece}"),
    }
}
