//! The bots `search@1` and `search@2`: they try actions in sampled games that they play to the end.
//!
//! The search samples games that the seat could be in ([`Game::RESAMPLE`]), each with a future of its own: the same
//! chance, and the same random numbers for all choices. In each such world it tries every candidate and plays on by a
//! policy, for all seats, to the end. *Sequential halving* (Karnin, Koren, and Somekh, "Almost optimal exploration in
//! multi-armed bandits", 2013) divides the budget: in each round all candidates are tried in the same new worlds, and the
//! better half goes on. The choice of the policy goes on to the last round, and it stands unless another candidate beats it
//! by some standard errors of the difference ([`Search::errors`]). In some games a tree below each candidate makes the next
//! decisions of the seat: see `tree.rs`.
//!
//! A net may guide a search (`guide.rs`): its choice then takes the place of the choice of the policy, and it can make the
//! decisions of sampled games too. benches/bots.md tells which of this helps in which game.
//!
//! Nothing is kept between decisions, and nothing is read but the view: two games that the seat cannot tell apart have the
//! same analysis.
//!
//! The methods were chosen by trials. Random playouts lose every game of the board game, and playouts that stop early
//! mislead. With one standard error the best of many candidates wins by chance, and with the win instead of the lead as
//! utility a playout tells too little: in trials of Rappa Nui at two seats, both lost to `greedy` with 50 playouts. The
//! arithmetic is exact on every platform.

mod analysis;
mod budget;
mod guide;
mod playout;
mod stop;
mod tree;

use ahu_core::{Action, ActionId, ActionSet, Game, Policy, Seat, View};
use budget::Stopwatch;
use playout::{Outcome, World};
use rand::Rng;
use tree::Tree;

use super::bot_seed::BotRng;
use super::cores::Cores;
use super::nets::NetRoom;
pub use analysis::{ActionAnalysis, Analysis};
pub use budget::Budget;
pub use guide::Guide;
pub use playout::utility;
pub use stop::Stop;

/// A search for one game.
#[derive(Debug)]
pub struct Search<G: Game> {
    /// The policy that plays sampled games to the end, for all seats.
    pub policy: Policy<G>,
    /// The lead, in points, with a utility of 0.75.
    pub scale: f64,
    /// The number of the seat's later decisions in which a playout may leave the policy; 0 where measuring shows no gain.
    pub depth: usize,
    /// The number of standard errors of the difference by which an action has to beat the choice of the policy.
    pub errors: f64,
    /// The net that guides the search; None if the policy alone does.
    pub guide: Option<Guide>,
}

/// The number of worlds that a search holds in memory.
const CHUNK: u64 = 64;

/// An action that the search tries, and the ends of its playouts: the n-th is that in world n. A candidate that leaves has
/// those of the worlds up to then.
struct Candidate {
    id: ActionId,
    ends: Vec<Outcome>,
    /// The later decisions of the seat.
    tree: Tree,
}

impl Candidate {
    /// Returns the mean utility; 0 without playouts.
    fn mean(&self) -> f64 {
        self.ends.iter().map(|end| end.utility).sum::<f64>() / (self.ends.len() as f64).max(1.0)
    }

    /// Returns true if the mean utility is higher than that of `other` by this number of standard errors, over the worlds in
    /// which both were tried.
    fn beats(&self, other: &Self, errors: f64) -> bool {
        let differences = || self.ends.iter().zip(&other.ends).map(|(own, other)| own.utility - other.utility);
        let count = differences().count() as f64;
        if count < 2.0 {
            return false;
        }
        let mean = differences().sum::<f64>() / count;
        let variance = differences().map(|difference| (difference - mean).powi(2)).sum::<f64>() / (count - 1.0);
        mean > 0.0 && mean * mean > errors * errors * variance / count
    }
}

/// The state of one search.
struct Run<'a, G: Game> {
    search: &'a Search<G>,
    view: &'a G::View,
    seat: Seat,
    /// The choice of the guide, or of the policy where there is none.
    favourite: ActionId,
    /// The number from which the seeds of all worlds derive.
    base: u64,
    /// The candidates that are still tried, in rising order of their ids.
    alive: Vec<Candidate>,
    /// The candidates that left.
    left: Vec<Candidate>,
    /// The number of worlds so far.
    worlds: u64,
    cores: Cores,
}

impl<G: Game> Search<G> {
    /// Returns the choice of the bot for the seat of `view`, out of the `legal` actions.
    ///
    /// # Panics
    /// If no action is legal, or if `budget` is None.
    pub(super) fn choose(
        &self,
        view: &G::View,
        legal: &ActionSet,
        budget: Option<Budget>,
        rng: &mut BotRng,
    ) -> ActionId {
        let only = legal.nth(0).expect("a seat that has to decide has a legal action");
        if legal.len() == 1 {
            return only;
        }
        self.analyse(view, legal, budget.expect("a search has a budget"), rng, Cores::Callers).choice
    }

    /// Tries the `legal` actions of the seat of `view`. With a budget of playouts the result is a function of the arguments,
    /// without `cores`.
    ///
    /// # Panics
    /// If no action is legal, or if the view is the view of the public.
    pub fn analyse(
        &self,
        view: &G::View,
        legal: &ActionSet,
        budget: Budget,
        rng: &mut BotRng,
        cores: Cores,
    ) -> Analysis {
        let mut view = view.clone();
        G::forget_simultaneous(&mut view);
        let view = &view;
        let seat = view.viewer().seat();
        let base = rng.next_u64();
        let stopwatch = Stopwatch::start();
        let shown = view.clone().shown();
        let policy = (self.policy.choose)(&shown, legal, rng).id();
        let most = match budget {
            Budget::Playouts(playouts) => (playouts.get() as usize / 2).max(1),
            Budget::Time(_) => usize::MAX,
        };
        let (favourite, mut ids) = match &self.guide {
            Some(guide) => {
                let ranked = guide.ranked(&shown, legal, policy);
                (ranked[0], ranked.into_iter().take(most).collect())
            }
            None => (policy, Self::drawn(legal, policy, most, rng)),
        };
        ids.sort_unstable();
        let candidate = |id| Candidate { id, ends: Vec::new(), tree: Tree::new(self.depth) };
        let alive = ids.into_iter().map(candidate).collect();
        let mut run = Run { search: self, view, seat, favourite, base, alive, left: Vec::new(), worlds: 0, cores };
        match budget {
            Budget::Playouts(playouts) => run.play(playouts.get() as usize),
            Budget::Time(time) => run.play_for(stopwatch, f64::from(time.get())),
        }
        run.finish(legal)
    }

    /// Returns the actions to try without a guide: all, or, if these are more than `most`, the favourite and random others.
    fn drawn(legal: &ActionSet, favourite: ActionId, most: usize, rng: &mut BotRng) -> Vec<ActionId> {
        let mut ids: Vec<ActionId> = legal.iter().filter(|&id| id != favourite).collect();
        while ids.len() > most - 1 {
            ids.swap_remove(rng.below(ids.len() as u64) as usize);
        }
        ids.push(favourite);
        ids
    }
}

impl<G: Game> Run<'_, G> {
    /// Returns the number of rounds that are left: each halves the candidates.
    fn rounds(&self) -> usize {
        self.alive.len().next_power_of_two().trailing_zeros().max(1) as usize
    }

    /// Tries the candidates with this number of playouts in all.
    fn play(&mut self, playouts: usize) {
        let mut left = playouts;
        loop {
            let rounds = self.rounds();
            let worlds = (left / rounds / self.alive.len()).max(1).min(left / self.alive.len());
            self.try_all(worlds);
            left -= worlds * self.alive.len();
            if rounds == 1 {
                return;
            }
            self.halve();
        }
    }

    /// Tries the candidates until the search has lasted this number of milliseconds. Each round ends at an equal part of it.
    fn play_for(&mut self, stopwatch: Stopwatch, time: f64) {
        let rounds = self.rounds();
        for round in 1..=rounds {
            let until = time * round as f64 / rounds as f64;
            loop {
                self.try_all(1);
                if stopwatch.has_reached(until) || stop::is_requested() {
                    break;
                }
            }
            if round < rounds {
                self.halve();
            }
        }
    }

    /// Tries all candidates in this number of new worlds, or in fewer if the search is stopped.
    fn try_all(&mut self, worlds: usize) {
        let Self { search, view, seat, base, .. } = *self;
        let last = self.worlds + worlds as u64;
        while self.worlds < last && !stop::is_requested() {
            let new = self.worlds..last.min(self.worlds + CHUNK);
            self.worlds = new.end;
            let worlds = self.cores.map(new.collect(), |index| World::<G>::sample(view, base, index));
            // The playouts of one candidate build on each other; the playouts of two candidates do not.
            let try_in_all = |Candidate { id, ends, tree }: &mut Candidate| {
                let going = worlds.iter().take_while(|_| !stop::is_requested());
                let mut room = NetRoom::default();
                ends.extend(going.map(|world| world.play(seat, *id, tree, search, &mut room)));
            };
            self.cores.map(self.alive.iter_mut().collect(), try_in_all);
        }
    }

    /// Lets the worse half of the candidates leave, but never the favourite.
    fn halve(&mut self) {
        let mut order: Vec<_> = self.alive.iter().map(|candidate| (candidate.mean(), candidate.id)).collect();
        order.sort_by(|(a, first), (b, second)| b.total_cmp(a).then(first.cmp(second)));
        order.truncate(order.len().div_ceil(2));
        if order.iter().all(|&(_, id)| id != self.favourite) {
            order.pop();
            order.push((0.0, self.favourite));
        }
        let stays = |candidate: &mut Candidate| order.iter().any(|&(_, id)| id == candidate.id);
        self.left.extend(self.alive.extract_if(.., |candidate| !stays(candidate)));
    }

    /// Returns the analysis, with the choice.
    fn finish(self, legal: &ActionSet) -> Analysis {
        let favourite = self.favourite;
        let stands = self.alive.iter().find(|candidate| candidate.id == favourite).expect("the favourite never leaves");
        let best = self.alive.iter().rev().max_by(|a, b| a.mean().total_cmp(&b.mean())).expect("a candidate is left");
        let choice = if best.beats(stands, self.search.errors) { best.id } else { favourite };
        let mut tried: Vec<&Candidate> = self.alive.iter().chain(&self.left).collect();
        tried.sort_by_key(|candidate| candidate.id);
        Analysis::new(legal, &tried, choice, favourite)
    }
}
