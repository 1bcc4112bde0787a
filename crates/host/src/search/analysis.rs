//! The result of a search: the figures of each action.

use ahu_core::{ActionId, ActionSet, MAX_SEATS};

use super::Candidate;

/// The result of a search for one decision.
#[derive(Clone, Debug, PartialEq)]
pub struct Analysis {
    /// The legal actions in rising order of their ids.
    pub actions: Vec<ActionAnalysis>,
    /// The choice of the bot.
    pub choice: ActionId,
    /// The choice without playouts: that of the net that guides the search, or of the policy that plays the sampled games.
    pub policy: ActionId,
    /// The number of playouts.
    pub playouts: u32,
}

/// The figures of one action over its playouts, for the seat that decides.
#[derive(Clone, Debug, PartialEq)]
pub struct ActionAnalysis {
    /// The action.
    pub id: ActionId,
    /// The number of playouts; 0 for an action that was not tried.
    pub visits: u32,
    /// The mean utility, from 0 to 1: the lead over the best other seat, squashed, where 0.5 is no lead; 0 without
    /// playouts.
    pub mean: f64,
    /// The standard error of the mean utility; 0 with fewer than two playouts.
    pub standard_error: f64,
    /// The mean of the points at the end; 0 without playouts.
    pub score: f64,
    /// The number of playouts that ended with each rank, from the first.
    pub ranks: [u32; MAX_SEATS],
}

impl Analysis {
    pub(super) fn new(legal: &ActionSet, tried: &[&Candidate], choice: ActionId, policy: ActionId) -> Self {
        let of = |id: ActionId| match tried.iter().find(|candidate| candidate.id == id) {
            Some(candidate) => ActionAnalysis::of(candidate),
            None => ActionAnalysis { id, visits: 0, mean: 0.0, standard_error: 0.0, score: 0.0, ranks: [0; MAX_SEATS] },
        };
        let playouts = tried.iter().map(|candidate| candidate.ends.len() as u32).sum();
        Self { actions: legal.iter().map(of).collect(), choice, policy, playouts }
    }

    /// Returns the figures of an action; None if it is not legal.
    pub fn of(&self, id: ActionId) -> Option<&ActionAnalysis> {
        self.actions.iter().find(|action| action.id == id)
    }
}

impl ActionAnalysis {
    fn of(candidate: &Candidate) -> Self {
        let (visits, mean) = (candidate.ends.len(), candidate.mean());
        let squares = candidate.ends.iter().map(|end| (end.utility - mean).powi(2)).sum::<f64>();
        let mut ranks = [0; MAX_SEATS];
        candidate.ends.iter().for_each(|end| ranks[usize::from(end.rank) - 1] += 1);
        Self {
            id: candidate.id,
            visits: visits as u32,
            mean,
            standard_error: if visits < 2 { 0.0 } else { (squares / (visits - 1) as f64 / visits as f64).sqrt() },
            score: candidate.ends.iter().map(|end| f64::from(end.score)).sum::<f64>() / (visits as f64).max(1.0),
            ranks,
        }
    }
}
