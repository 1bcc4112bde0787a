//! The bot `greedy`: a player who erects many Moai.
//!
//! The bot bids for the largest Moai that it can sculpt and still carry. For each of its pieces it finds the Ahu
//! with the highest worth after the costs of the way. It places figures where that way lacks carriers, and uses its
//! Sorcerer to get Workers and headdresses.

mod routes;

use rand::{Rng, RngExt};
use routes::Routes;

use super::action::Action;
use super::bid::{Amount, Bidding, Leaders};
use super::board::{Ahu, Ahus, Hex, Hexes, MAX_HEXES, Terrain};
use super::dues::Payee;
use super::party::Party;
use super::phase::{Phase, PlaceStep, TransportStep};
use super::piece::{BySize, Kind, Piece, Pieces, Size};
use super::table::Table;
use super::tribe::{CHIEF_UNITS, Spot, Tribe};
use super::view::View;
use crate::core::{self, ActionSet, Seat};

/// Returns the action of the bot in the position of `view`, out of the legal actions.
///
/// # Panics
/// If no action is legal, or if the viewer is not a seat.
pub fn greedy(view: &View, legal: &ActionSet, rng: &mut dyn Rng) -> Action {
    let mind = Mind { table: &view.table, seat: view.viewer.seat() };
    let wish = match view.table.phase {
        Phase::Bid { offered } => view.bid.and_then(|bidding| mind.bid(bidding, offered, rng)),
        Phase::Pick { .. } => Size::ALL.into_iter().rev().map(Action::Pick).find(|&pick| is_in(legal, pick)),
        Phase::Place { step, .. } => Some(mind.place(step, legal, rng)),
        Phase::Transport { step, .. } => mind.transport(step, legal),
        Phase::Store { .. } => Some(Action::Mark),
        Phase::Recover { .. } => Some(Action::Keep),
        Phase::Roll | Phase::Over => None,
    };
    let wish = wish.filter(|&action| is_in(legal, action));
    wish.or_else(|| legal.actions().next()).expect("a seat that is asked has a legal action")
}

/// Returns true if the action is legal.
fn is_in(legal: &ActionSet, action: Action) -> bool {
    legal.contains(core::Action::id(action))
}

/// The cost of a unit that is still to be placed, in tenths of a point.
const UNIT: u16 = 12;
/// The cost of a Prestige Point for an opponent, in tenths of a point.
const POINT_FOR_OTHERS: u16 = 5;
/// The penalty for a plan that cannot be finished in this turn, in tenths of a point.
const LATER: i32 = 40;

/// The number of Workers in the receptacle above which the bot uses powers for Workers before headdresses.
const PEOPLE_FIRST: u8 = 3;

/// The bot's position: the table and the bot's seat.
struct Mind<'a> {
    table: &'a Table,
    seat: Seat,
}

/// The number of units that each hex lacks before a piece can pass.
type Lacking = [u8; MAX_HEXES];

/// A plan to bring a piece to an Ahu.
struct Plan {
    piece: Piece,
    ahu: Ahu,
    /// The worth less the costs, in tenths of a point.
    gain: i32,
    /// The number of units to place for it.
    units: u8,
    /// The first hex on the way that lacks units, and their number.
    lacking: Option<(Hex, u8)>,
    /// The hex to enter next, if the piece can enter it.
    next: Option<Hex>,
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
        match size.units() {
            units if workers >= units + 2 => (units, Leaders::None),
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
            PlaceStep::Power { .. } => Action::UsePower,
        }
    }

    /// Returns the figure to place: the Sorcerer or the Chief for a power, then a figure for the units that the best
    /// plan lacks, then a figure that may earn points.
    fn party(&self, legal: &ActionSet) -> Option<Party> {
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

    /// Takes a half-tablet, since tablets are points, but keeps two Tribe Markers; else passes.
    fn spare_marker(&self, legal: &ActionSet) -> Action {
        let spare = self.tribe().reserve.markers > 2 && is_in(legal, Action::TakeHalf);
        if spare { Action::TakeHalf } else { Action::Pass }
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

    /// Returns the hex of the next power to use: for Workers, then headdresses, then Tribe Markers; None if there is
    /// none.
    fn errand(&self, chief: bool) -> Option<Hex> {
        let (tribe, board) = (self.tribe(), self.table.board());
        let spot = if chief { tribe.chief } else { tribe.sorcerer };
        if spot != Spot::Reserve || (chief && tribe.halves < 2) {
            return None;
        }
        let hex_of = |wanted: Terrain| board.hexes.iter().find(|&hex| board.terrain(hex) == wanted);
        let wants_headdress = || {
            let has_one = self.own_pieces().meets(Kind::Headdress.pieces());
            !has_one && self.headdress_pays() && !self.table.in_rock(Kind::Headdress).is_empty()
        };
        let grows = tribe.receptacle.workers > 0;
        let is_grown = tribe.receptacle.workers <= PEOPLE_FIRST;
        if is_grown && wants_headdress() {
            Some(board.headdress_quarry)
        } else if grows {
            hex_of(Terrain::Village)
        } else if tribe.receptacle.markers > 0 {
            hex_of(Terrain::Hut)
        } else {
            None
        }
    }

    /// Returns true if the bot can bring a headdress from the quarry to an own Moai in this turn.
    fn headdress_pays(&self) -> bool {
        let Some(piece) = self.table.in_rock(Kind::Headdress).first() else { return false };
        let start = self.table.board().headdress_quarry;
        self.plan_from(piece, start, Hexes::EMPTY)
            .is_some_and(|plan| plan.gain > 0 && plan.units < self.units(Size::One))
    }

    /// Returns the best plan that still lacks units.
    fn plan_to_place(&self) -> Option<Plan> {
        let plans = self
            .own_pieces()
            .iter()
            .filter_map(|piece| self.plan(piece))
            .filter(|plan| plan.lacking.is_some() && plan.gain > 0);
        plans.max_by_key(|plan| plan.gain)
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

/// The plans.
impl Mind<'_> {
    /// Returns the number of units that the figures behind the screen can add for a piece of this weight.
    fn units(&self, weight: Size) -> u8 {
        let tribe = self.tribe();
        let leader = |spot: Spot, units: u8| if spot == Spot::Reserve { units } else { 0 };
        let workers = tribe.reserve.workers + leader(tribe.sorcerer, 1);
        let logs = tribe.reserve.logs.min(workers * (weight.units() - 1));
        workers + logs + leader(tribe.chief, weight.units())
    }

    /// Returns the plan with the highest gain for a piece.
    fn plan(&self, piece: Piece) -> Option<Plan> {
        let visited = self.table.visited[piece.index()];
        self.plan_from(piece, self.table.hex_of(piece), visited)
    }

    /// Returns the plan with the highest gain for a piece on the hex `start`.
    fn plan_from(&self, piece: Piece, start: Hex, visited: Hexes) -> Option<Plan> {
        let (board, weight) = (self.table.board(), piece.kind().weight());
        let lacks = self.lacking_by_hex(weight);
        let cost = |hex: Hex| match lacks[hex.index()] {
            0 => u16::from(self.table.short_of(self.seat, weight, hex)) * POINT_FOR_OTHERS + 1,
            units => u16::from(units) * UNIT + 1,
        };
        let routes = Routes::new(board, start, board.hexes - visited, cost);
        self.goals(piece.kind())
            .iter()
            .filter_map(|ahu| self.plan_to(piece, ahu, start, &routes, &lacks))
            .max_by_key(|plan| plan.gain)
    }

    /// Returns the plan to bring a piece to this Ahu; None if no way leads there.
    fn plan_to(&self, piece: Piece, ahu: Ahu, start: Hex, routes: &Routes, lacks: &Lacking) -> Option<Plan> {
        let hex = self.table.board().ahu(ahu).hex;
        let lacks_at = |on: Hex| lacks[on.index()];
        // The last hex requires an own figure.
        let stands = match piece.kind() {
            Kind::Moai(_) => self.table.erecting_figures(self.seat),
            Kind::Headdress => self.tribe().figures(),
        };
        let is_alone = !stands.contains(hex) && (lacks_at(hex) == 0 || hex == start);
        let units = routes.back_from(hex).map(lacks_at).sum::<u8>() + u8::from(is_alone);
        let first = routes.back_from(hex).filter(|&on| lacks_at(on) > 0).last();
        let lacking = first.map(|on| (on, lacks_at(on))).or(is_alone.then_some((hex, 1)));
        let next = routes.first_step(hex).filter(|&next| lacks_at(next) == 0);

        let worth = i32::from(self.table.worth(piece, ahu)) * 10;
        let cost = i32::from(routes.cost(hex)?) + if is_alone { i32::from(UNIT) } else { 0 };
        let later = if units > self.units(piece.kind().weight()) { LATER } else { 0 };
        Some(Plan { piece, ahu, gain: worth - cost - later, units, lacking, next })
    }

    /// Returns the number of units that each hex lacks before a piece of this weight can pass.
    fn lacking_by_hex(&self, weight: Size) -> Lacking {
        let carriers = self.table.carriers();
        let mut lacking = [weight.units(); MAX_HEXES];
        for size in Size::ALL.into_iter().filter(|&size| size <= weight) {
            for hex in carriers.hexes(size).iter() {
                lacking[hex.index()] = weight.units() - size.units();
            }
        }
        lacking
    }

    /// Returns the Ahus on which the bot would put a piece of this kind.
    fn goals(&self, kind: Kind) -> Ahus {
        let sites = &self.table.sites;
        match kind {
            Kind::Moai(_) => self.table.bases_to_use(self.seat),
            Kind::Headdress => sites.erected_by(self.seat) - sites.topped(),
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

    /// Lifts the piece with the best plan: first those that reach their Ahu, then those that come nearer. Passes if
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
