//! The net that guides a search.

use std::cmp::Reverse;

use ahu_core::{ActionId, ActionSet, Encode, Game, Seat, View as _, Viewer};

use crate::nets::NetRoom;
use crate::nets::built_in::BuiltInNet;

/// A net that guides a search. At the root its choice takes the place of the choice of the policy, and its scores say which
/// actions a small budget tries. Its adviser, if it has one, is the policy of the search.
#[derive(Clone, Copy, Debug)]
pub struct Guide {
    /// The net.
    pub net: &'static BuiltInNet,
    /// The number of decisions of each seat in a playout that the net makes before the policy does.
    pub decisions: u32,
}

impl Guide {
    /// Returns the legal actions by their scores at the root, the best first. `advice` is the choice of the policy.
    pub(super) fn ranked<V: Encode>(&self, shown: &V, legal: &ActionSet, advice: ActionId) -> Vec<ActionId> {
        let (net, mut room) = (self.net.net(), NetRoom::default());
        net.see(shown, net.head.adviser.map(|_| advice), &mut room);
        let mut ranked: Vec<ActionId> = legal.iter().collect();
        // Of equal scores the lowest id is first: the sort is stable.
        ranked.sort_by_cached_key(|&id| Reverse(net.score(id, &room)));
        ranked
    }

    /// Returns the choice of the net for a seat of a sampled game. `advice` chooses by the policy.
    pub(super) fn choose<G: Game>(
        &self,
        game: &G,
        seat: Seat,
        legal: &ActionSet,
        advice: impl FnOnce() -> ActionId,
        room: &mut NetRoom,
    ) -> ActionId {
        let net = self.net.net();
        net.see(&game.view(Viewer::Seat(seat)).shown(), net.head.adviser.map(|_| advice()), room);
        net.best(legal, room)
    }
}
