//! The bot `heldout@1`: a heuristic by somebody who knew the rules page alone, and no other bot.
//!
//! For every piece that it owns the bot plans a journey: the cheapest way over the island to an Ahu, or to a hex from which an
//! Ahu is near. A step of the way costs the figures that still have to be placed there, and the Prestige Points for help. A piece
//! that has to wait is worth much less, the more so the farther its Ahu is. All decisions compare such plans: a bid those of the
//! new Moai with the Sculptors spent, a placement fills the first gap of the plan that gains most, and a transport follows a
//! plan that needs no further figure. The Sorcerer gathers Workers early, and headdresses when own Moai stand without one.

use super::board::{Ahu, Ahus, Hex, Hexes, MAX_HEXES, Terrain};
use super::piece::{Kind, Piece, Pieces, Size};
use super::{
    Action, Amount, Claim, Giants, Leaders, Party, Phase, Place, PlaceStep, Site, Spot, Table, TransportStep, View,
};
use ahu_core::{ActionSet, Game as _, Policy, Seat, View as _, Viewer, any_best};
use rand::Rng;

/// The policy of the bot `heldout@1`.
pub const HELD_OUT_1: Policy<Giants> =
    Policy { choose, choose_in: |game, seat, legal, rng| choose(&game.view(Viewer::Seat(seat)), legal, rng) };

/// The cost of a unit of carriers to place or to pay, in hundredths of a point as all values.
const UNIT: i32 = 15;

/// The best journey found for a piece.
struct Plan {
    /// The worth of the end less the costs of the way; 0 without a journey.
    value: i32,
    /// The first action with the lifted piece.
    step: Action,
    /// The first hex of the way that lacks carriers, with the missing units.
    gap: Option<(Hex, u8)>,
    /// True if the piece is not finished in this turn.
    waits: bool,
}

/// A table as a seat judges it.
struct Mind {
    table: Table,
    me: Seat,
    /// The Ahus that would take the seat's Moai, and those that would take its headdresses.
    goals: [Ahus; 2],
    /// The seat's pieces that are not on an Ahu.
    own: Pieces,
    /// The Workers and Sorcerers that can still be placed, and the Chiefs.
    spare: (u8, u8),
}

impl Mind {
    /// Creates the judgement of a seat.
    fn new(table: &Table, me: Seat) -> Self {
        let (tribe, mine, ahus) = (&table.tribes[me], Some(me), || table.board().ahus());
        let places = [Some(Site::Reserved(me)), (tribe.reserve.bases > 0).then_some(Site::Free)];
        let open = |&ahu: &Ahu| places.contains(&Some(table.site(ahu)));
        let bare =
            |&ahu: &Ahu| matches!(table.site(ahu), Site::Erected { owner, headdress: None, .. } if owner == mine);
        let goals = [ahus().filter(open).collect(), ahus().filter(bare).collect()];
        let is_own = |&piece: &Piece| match table.place_of(piece) {
            Place::Front(seat) | Place::Island { claim: Claim::Held(seat) | Claim::Marked(seat), .. } => seat == me,
            _ => false,
        };
        let workers = tribe.reserve.workers + u8::from(tribe.sorcerer == Spot::Reserve);
        let spare = (workers, u8::from(tribe.chief == Spot::Reserve));
        Self { table: *table, me, goals, own: Piece::all().filter(is_own).collect(), spare }
    }

    /// Returns the best journey of a piece with what may be placed. A Chief fills a gap of any size. A piece that is not in the
    /// game yet starts in its quarry.
    fn plan(&self, piece: Piece, spare: (u8, u8)) -> Plan {
        let (table, board, tribe) = (&self.table, self.table.board(), &self.table.tribes[self.me]);
        let weight = piece.kind().weight().units();
        let (quarry, goals, black, red, finish): (_, _, _, _, fn(Ahu) -> Action) = match piece.kind() {
            Kind::Moai(_) => (board.moai_quarry, self.goals[0], 100 * i32::from(weight), 20, Action::Erect),
            Kind::Headdress => (board.headdress_quarry, self.goals[1], 0, 100, Action::Top),
        };
        let start = if let Place::Island { hex, .. } = table.place_of(piece) { hex } else { quarry };
        let budget = spare.0 + weight * spare.1;
        // The units that own figures and logs leave open on each hex, and those of them that nobody lends.
        let entry: [(u8, u8); MAX_HEXES] = std::array::from_fn(|i| {
            let Some(hex) = Hex::new(i) else { return (0, 0) };
            let help: u8 = table.options.seats.others(self.me).map(|seat| table.tribes[seat].units(hex)).sum();
            let own = tribe.units(hex);
            let short = weight.saturating_sub(own + table.logs.count(hex)).max(u8::from(own == 0));
            (short, short.saturating_sub(help))
        });
        // For each hex the costs and the units of the cheapest way, and the hex before.
        let (mut ways, mut todo) = ([(i32::MAX, 0, start); MAX_HEXES], Hexes::from(start));
        ways[start.index()].0 = 0;
        while let Some(hex) = todo.first() {
            todo -= hex.into();
            for to in (board.neighbours(hex) - table.visited[piece.index()] - start.into()).iter() {
                let ((short, missing), (spent, used, _)) = (entry[to.index()], ways[hex.index()]);
                let way = (spent + UNIT * i32::from(short), used + missing, hex);
                if way.1 <= budget && way.0 < ways[to.index()].0 {
                    ways[to.index()] = way;
                    todo |= to.into();
                }
            }
        }
        let (mut best, mut end) = (Plan { value: 0, step: Action::Mark, gap: None, waits: true }, start);
        let standing = if table.options.erect_needs_worker { tribe.workers.hexes() } else { tribe.figures() };
        for hex in board.hexes.iter().filter(|hex| ways[hex.index()].0 < i32::MAX) {
            let (spent, used, _) = ways[hex.index()];
            let stands = standing.contains(hex) || hex != start && entry[hex.index()].1 > 0;
            for ahu in goals.iter() {
                let (site, steps) = (board.ahu(ahu), board.distance(hex, board.ahu(ahu).hex));
                let worth = black * i32::from(site.moai) + red * i32::from(site.headdress);
                let waits = steps > 0 || !stands && used >= budget;
                let later = worth * (50 - 4 * i32::from(weight * steps)) / 100 - 100;
                let value = if waits { later } else { worth - UNIT * i32::from(!stands) } - spent;
                if value > best.value && !(waits && table.turn >= table.options.max_turns) {
                    let step = if waits { Action::Mark } else { finish(ahu) };
                    let gap = (!waits && !stands).then_some((hex, 1));
                    (best, end) = (Plan { value, step, gap, waits }, hex);
                }
            }
        }
        while end != start {
            let missing = entry[end.index()].1;
            let gap = (missing > 0).then_some((end, missing)).or(best.gap);
            best = Plan { step: Action::Enter(end), gap, ..best };
            end = ways[end.index()].2;
        }
        best
    }

    /// Returns the sum of the values of the journeys of pieces.
    fn prospects(&self, pieces: impl IntoIterator<Item = Piece>, spare: (u8, u8)) -> i32 {
        pieces.into_iter().map(|piece| self.plan(piece, spare).value).sum()
    }

    /// Returns the worth of the power of a hex: a Worker is worth more the earlier he comes.
    fn power(&self, hex: Hex) -> i32 {
        let (table, headdresses) = (&self.table, Kind::Headdress.pieces());
        let (tribe, waiting) = (&table.tribes[self.me], (self.own & headdresses).len());
        match table.board().terrain(hex) {
            Terrain::Village if tribe.receptacle.workers > 0 => 100 * (12 - i32::from(table.turn)).max(0),
            Terrain::HeaddressQuarry if self.goals[1].len() > waiting => self.prospects(headdresses.last(), self.spare),
            _ => 0,
        }
    }

    /// Returns the actions of the next placement: the Sorcerer on the best power, or a figure in the gap of the plan that gains
    /// most, or else a half-tablet, if more Tribe Markers are left than there are pieces that will wait.
    fn placement(&self) -> Vec<Action> {
        let (tribe, spare) = (&self.table.tribes[self.me], self.spare);
        let plans = || self.own.iter().map(|piece| (self.plan(piece, spare), self.plan(piece, (0, 0)).value));
        let waiting = plans().filter(|(plan, _)| plan.waits).count();
        let gap = plans().filter_map(|(plan, idle)| Some((plan.value - idle, plan.gap?))).max().filter(|gap| gap.0 > 0);
        let value = |&hex: &Hex| self.power(hex) + 300 * i32::from(gap.is_some_and(|gap| gap.1.0 == hex));
        let hexes = self.table.board().hexes.iter().filter(|hex| tribe.sorcerer == Spot::Reserve && value(hex) > 0);
        let fits = |missing| if spare.1 > 0 && (missing > 1 || spare.0 == 0) { Party::Chief } else { Party::Worker(0) };
        let sorcerer = hexes.max_by_key(value).map(|hex| (Party::Sorcerer(0), hex));
        let figure = sorcerer.or(gap.map(|(_, (hex, missing))| (fits(missing), hex)));
        let rest = if usize::from(tribe.reserve.markers) > waiting { vec![Action::TakeHalf] } else { vec![] };
        figure.map_or(rest, |(party, hex)| vec![Action::Place(party), Action::At(hex)])
    }

    /// Returns the steps of the bid: no Tribe Markers, and the Workers or the Chief that one Moai needs.
    fn bid(&self, offered: [u8; 3]) -> Vec<Action> {
        let (reserve, spare) = (self.table.tribes[self.me].reserve, self.spare);
        let room = usize::from(reserve.bases) > (self.own - Kind::Headdress.pieces()).len();
        let mut best = (self.prospects(self.own.iter(), spare), 0, 0);
        for (size, workers, chief) in Size::ALL.into_iter().flat_map(|size| [(size, size.units(), 0), (size, 0, 1)]) {
            if room && offered[size.index()] > 0 && workers <= reserve.workers && chief <= spare.1 {
                let left = (spare.0 - workers, spare.1 - chief);
                let pieces = self.own.iter().chain(Kind::Moai(size).pieces().last());
                best = best.max((self.prospects(pieces, left), workers, chief));
            }
        }
        let leaders = Leaders::of(false, best.2 > 0);
        vec![Action::BidMarkers(Amount::of(0)), Action::BidWorkers(Amount::of(best.1)), Action::BidLeaders(leaders)]
    }
}

/// Chooses an action that the seat's mind wishes, or else the one with the highest value.
fn choose(view: &View, legal: &ActionSet, rng: &mut dyn Rng) -> Action {
    let Viewer::Seat(me) = view.viewer else { return any_best(legal, rng, |_: Action| 0) };
    let mind = Mind::new(&view.table, me);
    let wishes = match view.table.phase {
        Phase::Bid { offered } => mind.bid(Size::ALL.map(|size| offered[size])),
        Phase::Place { step: PlaceStep::Power { chief: false, .. }, .. } => vec![Action::UsePower],
        Phase::Place { .. } => mind.placement(),
        Phase::Transport { step: TransportStep::Carry { piece, .. }, .. } => vec![mind.plan(piece, (0, 0)).step],
        _ => vec![Action::Mark],
    };
    let moves = |plan: &Plan| plan.step != Action::Mark;
    any_best(legal, rng, |action: Action| match action {
        _ if wishes.contains(&action) => i32::MAX,
        Action::Pick(size) => mind.prospects(Kind::Moai(size).pieces().last(), mind.spare),
        Action::Lift(piece) => Some(mind.plan(piece, (0, 0))).filter(moves).map_or(-1, |plan| plan.value),
        Action::Pay(payee) => payee.of(me, view.table.options.seats).map_or(0, |seat| -view.scores()[seat]),
        Action::Decline | Action::Pass | Action::NoPower | Action::Enough | Action::Keep | Action::Stop => 0,
        _ => -1000,
    })
}
