//! Events: the facts of a ply, and the part of each that a viewer is told.
//!
//! The events of a game are one generic enum, such as `Event<C>` of Rappa Nui, where `C` is either the true cards or the cards
//! that a viewer may see. So there is one list of variants for two types, and only the visible type can be printed.

use std::fmt;

use crate::{Seat, Viewer};

/// A fact that one ply brought, with all its details.
pub trait Event: Clone + fmt::Debug + Send + Sync + 'static {
    /// The event as a viewer is told of it. Its `Display` is a sentence for people.
    type Visible: Clone + PartialEq + fmt::Debug + fmt::Display + Send + Sync + 'static;

    /// Returns the part of the event that `viewer` may be told; None if the event is not visible to the viewer.
    ///
    /// Viewers learn of events through this method alone. Implementations match every variant, so that a new variant
    /// cannot leak by default.
    fn visible_to(&self, viewer: Viewer) -> Option<Self::Visible>;

    /// Returns true if the event begins a turn, or a round of a game that is played in rounds: its sentence is a heading.
    fn begins_turn(&self) -> bool {
        false
    }
}

/// A receiver of events, for [`Game::apply`](crate::Game::apply) and similar methods.
pub trait Events<E> {
    /// Receives the next event.
    fn push(&mut self, event: E);

    /// Receives the next event, which is made only if somebody hears it.
    fn tell(&mut self, event: impl FnOnce() -> E) {
        self.push(event());
    }
}

impl<E> Events<E> for Vec<E> {
    fn push(&mut self, event: E) {
        Self::push(self, event);
    }
}

/// A receiver that ignores events, for training and search: reports to it compile to nothing.
#[derive(Clone, Copy, Debug)]
pub struct NoEvents;

impl<E> Events<E> for NoEvents {
    #[inline]
    fn push(&mut self, _: E) {}

    #[inline]
    fn tell(&mut self, _: impl FnOnce() -> E) {}
}

/// A ready event of sentences: one for everybody, or one for the seat that knows more. Make it with [`Events::tell`], so that
/// training pays for no text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    public: Option<String>,
    own: Option<(Seat, String)>,
    is_heading: bool,
}

impl Told {
    /// Creates the event that everybody is told.
    pub fn all(sentence: impl Into<String>) -> Self {
        Self { public: Some(sentence.into()), own: None, is_heading: false }
    }

    /// Creates the event that everybody is told at the begin of a turn or a round: see [`Event::begins_turn`].
    pub fn heading(sentence: impl Into<String>) -> Self {
        Self { is_heading: true, ..Self::all(sentence) }
    }

    /// Creates the event that a seat alone is told.
    pub fn to(seat: Seat, sentence: impl Into<String>) -> Self {
        Self { public: None, own: Some((seat, sentence.into())), is_heading: false }
    }

    /// Returns the event with another sentence for all others.
    #[must_use]
    pub fn others(self, sentence: impl Into<String>) -> Self {
        Self { public: Some(sentence.into()), ..self }
    }
}

impl Event for Told {
    type Visible = String;

    fn visible_to(&self, viewer: Viewer) -> Option<String> {
        match &self.own {
            Some((seat, sentence)) if viewer.is(*seat) => Some(sentence.clone()),
            _ => self.public.clone(),
        }
    }

    fn begins_turn(&self) -> bool {
        self.is_heading
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ready_event_tells_each_viewer_its_sentence_and_is_made_only_for_a_listener() {
        let (own, other) = (Seat::default(), Seat::new(1).expect("few"));
        let told = |event: &Told, viewer| event.visible_to(viewer);
        let secret = Told::to(own, "you get 3");
        assert_eq!(told(&secret, Viewer::Seat(own)), Some("you get 3".to_owned()));
        assert_eq!([Viewer::Seat(other), Viewer::Public].map(|viewer| told(&secret, viewer)), [None, None]);
        let both = secret.others("seat 0 gets a card");
        assert_eq!(told(&both, Viewer::Seat(own)), Some("you get 3".to_owned()));
        assert_eq!(told(&both, Viewer::Public), Some("seat 0 gets a card".to_owned()));
        assert!(Told::heading("round 2").begins_turn() && !both.begins_turn());
        NoEvents.tell(|| -> Told { unreachable!("nobody listens") });
    }
}
