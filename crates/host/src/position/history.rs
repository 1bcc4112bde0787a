//! The history of a position: a list that its copies share.

use std::sync::Arc;

use ahu_core::{ActionId, Seat};

/// A ply that the caller chose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ply {
    /// The action of a seat.
    Action {
        /// The seat.
        seat: Seat,
        /// The action.
        id: ActionId,
    },
    /// The outcome of a chance event, as text.
    Outcome(Box<str>),
}

/// The plies of a position. A copy is one pointer; a new ply is one link, and all copies keep the links before it.
#[derive(Clone, Debug, Default)]
pub(super) struct History(Option<Arc<Link>>);

#[derive(Debug)]
struct Link {
    ply: Ply,
    before: History,
}

impl History {
    pub(super) fn push(&mut self, ply: Ply) {
        let before = Self(self.0.take());
        self.0 = Some(Arc::new(Link { ply, before }));
    }

    /// Returns the plies, from the first.
    pub(super) fn plies(&self) -> Vec<Ply> {
        let mut plies = Vec::new();
        let mut next = &self.0;
        while let Some(link) = next {
            plies.push(link.ply.clone());
            next = &link.before.0;
        }
        plies.reverse();
        plies
    }

    /// Returns the number of owners of the last link.
    #[cfg(test)]
    pub(super) fn owners(&self) -> usize {
        self.0.as_ref().map_or(0, Arc::strong_count)
    }
}

/// Drops links one after the other: links that drop each other would need a stack as deep as the game is long.
impl Drop for History {
    fn drop(&mut self) {
        let mut next = self.0.take();
        while let Some(mut link) = next.and_then(Arc::into_inner) {
            next = link.before.0.take();
        }
    }
}
