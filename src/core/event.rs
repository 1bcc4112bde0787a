//! Events: what happened, and what of it each viewer is told.

use std::fmt;

use crate::core::Viewer;

/// Something that happened at the table, with all that is true about it.
pub trait Event: Clone + fmt::Debug + Send + Sync + 'static {
    /// The event as a viewer is told of it. `Display` is a sentence for people.
    type Seen: Clone + PartialEq + fmt::Debug + fmt::Display + Send + Sync + 'static;

    /// What `viewer` is told; nothing, if the event is none of theirs. The only door from what is
    /// true to what is told: match every variant, so that a new one can't slip through.
    fn seen_by(&self, viewer: Viewer) -> Option<Self::Seen>;
}

/// Where [`Game::apply`](crate::core::Game::apply) and its like report what happened.
pub trait Events<E> {
    /// Takes the next event.
    fn push(&mut self, event: E);
}

impl<E> Events<E> for Vec<E> {
    fn push(&mut self, event: E) {
        Self::push(self, event);
    }
}

/// Takes no notice: for training and search, where the reports compile to nothing.
#[derive(Clone, Copy, Debug)]
pub struct NoEvents;

impl<E> Events<E> for NoEvents {
    #[inline]
    fn push(&mut self, _: E) {}
}
