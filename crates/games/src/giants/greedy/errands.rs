//! The errands of the bot: the powers of Sorcerer and Chief, and the looks under Moai.

use ahu_core::ActionSet;

use super::{Mind, Version, is_in};
use crate::giants::board::{Ahu, Hex, Terrain};
use crate::giants::piece::{Kind, Piece};
use crate::giants::{Action, BaseView, Phase, PlaceStep, Spot, TransportStep};

/// The number of Workers in the receptacle up to which version 1 prefers headdresses to more Workers, and version 2
/// looks for the Moai to put them on.
const PEOPLE_FIRST: u8 = 3;

/// From this turn on another Worker or Tribe Marker is worth nothing.
const LAST_TURN: u8 = 8;
/// The worth of another Worker for each turn up to the last, in tenths of a point.
const WORKER: i32 = 20;
/// The worth of another Tribe Marker for each turn up to the last: a half-tablet.
const MARKER: i32 = 15;
/// The weight of a headdress's gain. It is certain, and others take the best Moai quarries.
const HEADDRESS: i32 = 2;
/// The worth of a log. Logs leave the game with their first turn, so that nearly everything else is better.
const LOG: i32 = 2;
/// With this number of logs the bot harvests no more.
const ENOUGH_LOGS: u8 = 2;

/// The least expected worth of a look under a Moai, in tenths of a point: twice the worth of the half-tablet that it costs.
const LOOK: i32 = 30;
/// The worth of an own figure beside the Moai, for a look: it may have been erected there.
const OWN_FIGURE: i32 = 50;

impl Mind<'_> {
    /// Returns the hex of the next power to use; None if there is none.
    pub(super) fn errand(&self, chief: bool) -> Option<Hex> {
        let tribe = self.tribe();
        let spot = if chief { tribe.chief } else { tribe.sorcerer };
        if spot != Spot::Reserve {
            return None;
        }
        match self.version {
            Version::One if chief && tribe.halves < 2 => None,
            Version::One => self.first_errand(),
            // A tablet is worth more than the powers that the Chief could use for it.
            Version::Two if chief => None,
            Version::Two => self.best_errand(),
        }
    }

    /// Returns the errand of version 1: for Workers, then headdresses, then Tribe Markers.
    fn first_errand(&self) -> Option<Hex> {
        let tribe = self.tribe();
        let grows = tribe.receptacle.workers > 0;
        let is_grown = tribe.receptacle.workers <= PEOPLE_FIRST;
        if is_grown && !self.has_headdress() && self.headdress_plan().is_some() {
            Some(self.table.board().headdress_quarry)
        } else if grows {
            self.hex_of(Terrain::Village)
        } else if tribe.receptacle.markers > 0 {
            self.hex_of(Terrain::Hut)
        } else {
            None
        }
    }

    /// Returns the errand of version 2: the one of the highest worth.
    fn best_errand(&self) -> Option<Hex> {
        let (tribe, table) = (self.tribe(), self.table);
        let turns = i32::from(LAST_TURN.saturating_sub(table.turn));
        let headdress = match self.has_headdress() {
            true => 0,
            false => self.headdress_plan().map_or(0, |plan| HEADDRESS * plan.gain),
        };
        let worker = if tribe.receptacle.workers > 0 { WORKER * turns } else { 0 };
        let marker = if tribe.receptacle.markers > 0 && table.halves > 0 { MARKER * turns } else { 0 };
        let forest = if tribe.reserve.logs < ENOUGH_LOGS { self.best_forest() } else { None };
        let wood = forest.map_or(0, |(logs, _)| LOG * i32::from(logs));
        match headdress.max(worker).max(marker).max(wood) {
            0 => None,
            best if best == headdress => Some(table.board().headdress_quarry),
            best if best == worker => self.hex_of(Terrain::Village),
            best if best == marker => self.hex_of(Terrain::Hut),
            _ => forest.map(|(_, hex)| hex),
        }
    }

    fn hex_of(&self, wanted: Terrain) -> Option<Hex> {
        let board = self.table.board();
        board.hexes.iter().find(|&hex| board.terrain(hex) == wanted)
    }

    fn has_headdress(&self) -> bool {
        self.own_pieces().meets(Kind::Headdress.pieces())
    }

    /// Returns the forest with the most logs, and their number.
    fn best_forest(&self) -> Option<(u8, Hex)> {
        let (table, board) = (self.table, self.table.board());
        let forests = (board.hexes - table.harvested).iter().filter_map(|hex| match board.terrain(hex) {
            Terrain::Forest { logs } => Some((logs.min(table.logs_left), hex)),
            _ => None,
        });
        forests.filter(|&(logs, _)| logs > 0).max()
    }

    /// Returns the use of the power that a figure has on its hex. Version 2 reserves an Ahu there only for a Moai that
    /// it would carry to it.
    pub(super) fn power(&self, chief: bool, hex: Hex, legal: &ActionSet) -> Action {
        if self.version == Version::One || is_in(legal, Action::UsePower) {
            return Action::UsePower;
        }
        let moai = self.own_pieces() - Kind::Headdress.pieces();
        let plans = moai.iter().filter_map(|piece: Piece| self.plan(piece));
        let here = plans.filter(|plan| plan.gain > 0 && self.table.board().ahu(plan.ahu).hex == hex);
        let to_reserve = here.filter(|plan| is_in(legal, Action::Reserve(plan.ahu))).max_by_key(|plan| plan.gain);
        to_reserve.filter(|_| !chief).map_or(Action::NoPower, |plan| Action::Reserve(plan.ahu))
    }

    /// Returns the Moai to look under, if their owners are hidden: version 2 seeks one for its headdress.
    pub(super) fn look(&self, legal: &ActionSet) -> Option<Action> {
        let (table, tribe) = (self.table, self.tribe());
        if self.version == Version::One || table.options.base_view == BaseView::Open {
            return None;
        }
        let can_fetch_one = match table.phase {
            Phase::Place { step: PlaceStep::What, .. } => {
                let is_grown = tribe.receptacle.workers <= PEOPLE_FIRST;
                is_grown && tribe.sorcerer == Spot::Reserve && !table.in_rock(Kind::Headdress).is_empty()
            }
            Phase::Transport { step: TransportStep::Lift, .. } => false,
            _ => return None,
        };
        let known = table.sites.erected_by(self.seat);
        if !(can_fetch_one || self.has_headdress()) || !(known - table.sites.topped()).is_empty() {
            return None;
        }
        let reserved = table.sites.bases()[self.seat] - known;
        let used = usize::from(table.options.bases() - tribe.reserve.bases);
        let own = used - reserved.len() - known.len();
        let unknown = table.peekable(self.seat);
        let value = |ahu: Ahu| {
            let data = table.board().ahu(ahu);
            let is_near = tribe.figures().contains(data.hex);
            i32::from(data.headdress) * 10 + if is_near { OWN_FIGURE } else { 0 }
        };
        let best = (unknown - table.sites.topped()).iter().max_by_key(|&ahu| value(ahu))?;
        let expected = value(best) * own as i32 / unknown.len() as i32;
        Some(Action::Peek(best)).filter(|&look| expected > LOOK && is_in(legal, look))
    }
}
