//! The bot `greedy`: a player who erects many Moai.
//!
//! The bot bids for the largest Moai that it can sculpt and still carry. For each of its pieces it finds the Ahu
//! with the highest worth after the costs of the way. It places figures where that way lacks carriers, and uses its
//! Sorcerer to get Workers and headdresses.
//!
//! Version 2 also spends its spare Tribe Markers on half-tablets, since the markers come home at the end of the turn.
//! It weighs the powers of the Sorcerer against each other, harvests forests, reserves Ahus, and keeps its tablets. It
//! looks under Moai if the options hide their owners.

mod errands;
mod plan;
mod routes;
mod seat_facts;

use std::cell::OnceCell;

use ahu_core::{ActionSet, Policy, Seat};
use plan::Plan;
use rand::{Rng, RngExt};
use routes::Roads;
use seat_facts::SeatFacts;

use super::Giants;
use super::action::Action;
use super::bid::{Amount, Bidding, Leaders};
use super::board::Hex;
use super::dues::Payee;
use super::party::Party;
use super::phase::{Phase, PlaceStep, TransportStep};
use super::piece::{BySize, Kind, Piece, Pieces, Size};
use super::table::Table;
use super::tribe::{CHIEF_UNITS, Tribe};

/// Version 1 of the bot.
pub const GREEDY_1: Policy<Giants> = Policy {
    choose: |view, legal, rng| choose(&SeatFacts::of_view(view), Version::One, legal, rng),
    choose_in: |game, seat, legal, rng| choose(&SeatFacts::of_game(game, seat), Version::One, legal, rng),
};

/// Version 2 of the bot.
pub const GREEDY_2: Policy<Giants> = Policy {
    choose: |view, legal, rng| choose(&SeatFacts::of_view(view), Version::Two, legal, rng),
    choose_in: |game, seat, legal, rng| choose(&SeatFacts::of_game(game, seat), Version::Two, legal, rng),
};

/// The version of the bot.
#[derive(Clone, Copy, PartialEq)]
enum Version {
    One,
    Two,
}

/// Returns the action of the bot in a position, out of the legal actions.
///
/// # Panics
/// If no action is legal.
fn choose(facts: &SeatFacts<'_>, version: Version, legal: &ActionSet, rng: &mut dyn Rng) -> Action {
    let mind = Mind { table: &facts.table, seat: facts.seat, version, roads: Default::default() };
    let wish = mind.look(legal).or_else(|| match mind.table.phase {
        Phase::Bid { offered } => facts.bid.and_then(|bidding| mind.bid(bidding, offered, rng)),
        Phase::Pick { .. } => Size::ALL.into_iter().rev().map(Action::Pick).find(|&pick| is_in(legal, pick)),
        Phase::Place { step, .. } => Some(mind.place(step, legal, rng)),
        Phase::Transport { step, .. } => mind.transport(step, legal),
        Phase::Store { .. } => Some(Action::Mark),
        Phase::Recover { .. } => Some(Action::Keep),
        Phase::Roll | Phase::Over => None,
    });
    let wish = wish.filter(|&action| is_in(legal, action));
    wish.or_else(|| legal.actions().next()).expect("a seat that is asked has a legal action")
}

/// Returns true if the action is legal.
fn is_in(legal: &ActionSet, action: Action) -> bool {
    legal.contains(ahu_core::Action::id(action))
}

/// The bot's position: the table as its seat is shown it.
struct Mind<'a> {
    table: &'a Table,
    seat: Seat,
    version: Version,
    /// The hexes as ways, for each weight of a piece.
    roads: [OnceCell<Roads>; Size::COUNT],
}

/// The auction.
impl Mind<'_> {
    /// Returns the bot's own tribe.
    fn tribe(&self) -> &Tribe {
        &self.table.tribes[self.seat]
    }

    /// Returns the next action of the bid; None if the bid is sealed.
    fn bid(&self, bidding: Bidding, offered: BySize, rng: &mut dyn Rng) -> Option<Action> {
        let (sculptors, leaders) = self.sculptors(offered);
        match bidding {
            Bidding::Markers if sculptors == 0 && leaders == Leaders::None => Some(Action::BidMarkers(Amount::of(0))),
            Bidding::Markers => {
                // The last Tribe Marker is kept for a piece.
                let most = self.tribe().reserve.markers.saturating_sub(1);
                Some(Action::BidMarkers(Amount::of(rng.random_range(0..=most.min(3)))))
            }
            Bidding::Workers { .. } => Some(Action::BidWorkers(Amount::of(sculptors))),
            Bidding::Leaders { .. } => Some(Action::BidLeaders(leaders)),
            Bidding::Sealed(_) => None,
        }
    }

    /// Returns the Workers and leaders to bid, for the largest Moai on offer: Workers if enough of them are left to
    /// carry it, else the Chief. With two Moai that do not stand yet, the bot bids none, because it cannot carry more.
    fn sculptors(&self, offered: BySize) -> (u8, Leaders) {
        let workers = self.tribe().reserve.workers;
        let largest = Size::ALL.into_iter().rev().find(|&size| offered[size] > 0);
        let Some(size) = largest.filter(|_| self.own_moai() < 2) else { return (0, Leaders::None) };
        let carriers = match self.version {
            Version::One => 2,
            Version::Two => 3,
        };
        match size.units() {
            units if workers >= units + carriers => (units, Leaders::None),
            1 if workers >= 1 => (1, Leaders::None),
            _ => (0, Leaders::Chief),
        }
    }

    /// Returns the number of the bot's Moai that do not stand yet.
    fn own_moai(&self) -> usize {
        (self.own_pieces() - Kind::Headdress.pieces()).len()
    }

    /// Returns the bot's pieces that are not on an Ahu.
    fn own_pieces(&self) -> Pieces {
        self.table.pieces.owned()[self.seat]
    }
}

/// The placement.
impl Mind<'_> {
    /// Returns the next action of a placement.
    fn place(&self, step: PlaceStep, legal: &ActionSet, rng: &mut dyn Rng) -> Action {
        match step {
            PlaceStep::What => self.party(legal).map_or_else(|| self.spare_marker(legal), Action::Place),
            PlaceStep::Where { party } => Action::At(self.destination(party, rng)),
            PlaceStep::Power { chief, hex } => self.power(chief, hex, legal),
        }
    }

    /// Returns the figure to place: the Sorcerer or the Chief for a power, then a figure for the units that the best
    /// plan lacks, then a figure that may earn points.
    fn party(&self, legal: &ActionSet) -> Option<Party> {
        if !legal.actions().any(|action| matches!(action, Action::Place(_))) {
            return None;
        }
        let placeable = |party: Party| Some(party).filter(|&party| is_in(legal, Action::Place(party)));
        if self.errand(false).is_some()
            && let Some(sorcerer) = placeable(Party::Sorcerer(0))
        {
            return Some(sorcerer);
        }
        if self.errand(true).is_some()
            && let Some(chief) = placeable(Party::Chief)
        {
            return Some(chief);
        }
        let plan = self.plan_to_place();
        let lacking = plan.and_then(|plan| plan.lacking).map_or(0, |(_, units)| units);
        let logs = |figure: fn(u8) -> Party| {
            let most = lacking.saturating_sub(1).min(2);
            (0..=most).rev().find_map(|logs| placeable(figure(logs)))
        };
        let chief = placeable(Party::Chief);
        let chief_first = chief.filter(|_| lacking == CHIEF_UNITS && self.tribe().reserve.logs < 2);
        chief_first.or_else(|| logs(Party::Worker)).or_else(|| logs(Party::Sorcerer)).or(chief)
    }

    /// Takes a half-tablet, since tablets are points, but keeps some Tribe Markers; else passes.
    fn spare_marker(&self, legal: &ActionSet) -> Action {
        let is_spare = || match (self.version, self.tribe().reserve.markers) {
            (Version::One, markers) => markers > 2,
            (Version::Two, 0) => false,
            (Version::Two, 1) => !self.leaves_a_piece(),
            (Version::Two, _) => true,
        };
        if is_in(legal, Action::TakeHalf) && is_spare() { Action::TakeHalf } else { Action::Pass }
    }

    /// Returns true if an own piece without a Tribe Marker will not reach its Ahu in this turn.
    fn leaves_a_piece(&self) -> bool {
        let arrives = |plan: Plan| plan.units == 0;
        let unmarked = self.own_pieces() - self.table.pieces.marked();
        unmarked.iter().any(|piece| !self.plan(piece).is_some_and(arrives))
    }

    /// Returns the hex for a figure.
    fn destination(&self, party: Party, rng: &mut dyn Rng) -> Hex {
        let errand = match party {
            Party::Worker(_) => None,
            Party::Sorcerer(_) => self.errand(false),
            Party::Chief => self.errand(true),
        };
        let lacking = || self.plan_to_place().and_then(|plan| plan.lacking).map(|(hex, _)| hex);
        errand.or_else(lacking).unwrap_or_else(|| self.busy_hex(rng))
    }

    /// Returns a random hex near the Moai quarry, where opponents' Moai have to pass.
    fn busy_hex(&self, rng: &mut dyn Rng) -> Hex {
        let board = self.table.board();
        let near = |&hex: &Hex| (1..=3).contains(&board.distance(board.moai_quarry, hex));
        let own = self.tribe().figures();
        let hexes: Vec<Hex> = (board.hexes - own).iter().filter(near).collect();
        match hexes.is_empty() {
            true => board.moai_quarry,
            false => hexes[rng.random_range(0..hexes.len())],
        }
    }
}

/// The transport.
impl Mind<'_> {
    /// Returns the next action of a transport.
    fn transport(&self, step: TransportStep, legal: &ActionSet) -> Option<Action> {
        match step {
            TransportStep::Lift => Some(self.lift(legal)),
            TransportStep::Carry { piece, .. } => self.carry(piece, legal),
            TransportStep::Pay { .. } => self.poorest(legal),
        }
    }

    /// Lifts the piece with the best plan: first pieces that reach their Ahu, then pieces that come nearer. Passes if
    /// there is none.
    fn lift(&self, legal: &ActionSet) -> Action {
        let liftable = legal.actions().filter_map(|action| match action {
            Action::Lift(piece) => Some(piece),
            _ => None,
        });
        let plans = liftable.filter_map(|piece| self.plan(piece)).filter(|plan| self.is_worthwhile(plan));
        let best = plans.max_by_key(|plan| (plan.units == 0, plan.gain));
        best.map_or(Action::Pass, |plan| Action::Lift(plan.piece))
    }

    /// Returns true if the plan has a gain, and the piece reaches its Ahu or is the bot's own and comes nearer to it.
    fn is_worthwhile(&self, plan: &Plan) -> bool {
        let comes_nearer = plan.next.is_some() && self.own_pieces().contains(plan.piece);
        plan.gain > 0 && (plan.units == 0 || comes_nearer)
    }

    /// Returns the next action for the lifted piece: a step or an end by its plan, else a mark, else a stop.
    fn carry(&self, piece: Piece, legal: &ActionSet) -> Option<Action> {
        let plan = self.plan(piece).filter(|plan| self.is_worthwhile(plan));
        let there = plan.map(|plan| match (plan.next, piece.kind()) {
            (Some(next), _) => Action::Enter(next),
            (None, Kind::Moai(_)) => Action::Erect(plan.ahu),
            (None, Kind::Headdress) => Action::Top(plan.ahu),
        });
        let ends = [Action::Mark, Action::Stop];
        there.into_iter().chain(ends).find(|&action| is_in(legal, action))
    }

    /// Returns the payment to the opponent with the fewest points; no more than the shortage.
    fn poorest(&self, legal: &ActionSet) -> Option<Action> {
        let scores = self.table.scores();
        let score = |payee: Payee| payee.of(self.seat, self.table.options.seats).map(|payee| scores[payee]);
        legal.actions().min_by_key(|action| match *action {
            Action::Enough => (0, None),
            Action::Pay(payee) => (1, score(payee)),
            Action::PayChief(payee) => (2, score(payee)),
            _ => (3, None),
        })
    }
}
