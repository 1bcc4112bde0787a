//! Scripted games: the helpers that the rulebook tests of all games share.

use std::fmt::Display;
use std::str::FromStr;

use ahu_core::{Encode, Event as _, Game, GameExt, Layout, Seat, Tensor, Turn, Viewer};

/// The public viewer.
pub(crate) const PUBLIC: Viewer = Viewer::Public;

/// Returns the seat with this index.
pub(crate) fn seat(index: usize) -> Seat {
    Seat::new(index).expect("a table has at most six seats")
}

/// Returns a text on one line, with a space in place of each line break and indent.
pub(crate) fn unwrapped(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the viewer at this seat.
pub(crate) fn viewer(index: usize) -> Viewer {
    Viewer::Seat(seat(index))
}

/// A game whose tests are scripts in its own notation.
pub(crate) trait Scripted: Game + PartialEq {
    /// Reads an outcome of the chance event that is due.
    fn outcome(&self, text: &str) -> Self::Outcome {
        read(text)
    }

    /// Returns the next decision or chance event in words.
    fn due(&self) -> String;

    /// Returns the fault of a position in which an invariant does not hold.
    fn check_invariants(&self) -> Result<(), String>;
}

/// A game that a test sets up by hand, with the events of the last plies.
#[derive(Clone, Debug)]
pub(crate) struct Table<G: Game> {
    pub(crate) game: G,
    pub(crate) events: Vec<G::Event>,
}

impl<G: Scripted> Table<G> {
    /// Plays actions and outcomes, separated by commas: `buy fish, draw 2`, or `1: draw 2` for the action of a seat. The
    /// invariants hold after each.
    pub(crate) fn play(&mut self, plies: &str) {
        self.events.clear();
        for ply in plies.split(',') {
            self.ply(ply.trim()).unwrap_or_else(|error| panic!("{ply}: {error}, at {}", self.game.due()));
            self.game.check_invariants().unwrap_or_else(|error| panic!("{ply}: {error}"));
        }
    }

    /// Returns this table after these plies.
    #[must_use]
    pub(crate) fn after(&self, plies: &str) -> Self {
        let mut after = self.clone();
        after.play(plies);
        after
    }

    /// Returns true if the game refuses the last of these plies. A refusal changes nothing.
    pub(crate) fn refuses(&self, plies: &str) -> bool {
        let (before, last) = match plies.rsplit_once(',') {
            Some((first, last)) => (self.after(first), last.trim()),
            None => (self.clone(), plies),
        };
        let mut tried = before.clone();
        let refused = tried.ply(last).is_err();
        assert!(!refused || tried.game == before.game, "a refusal changes nothing");
        refused
    }

    /// Plays one action of the first seat to act, of a named seat, or one outcome.
    pub(crate) fn ply(&mut self, ply: &str) -> Result<(), String> {
        if self.game.turn() == Turn::Over {
            return Err("the game is over".to_owned());
        }
        let Some(first) = self.game.turn().to_act().first() else {
            let outcome = self.game.outcome(ply);
            return self.game.settle_checked(&outcome, &mut self.events).map_err(|error| error.to_string());
        };
        let (seat, text) = match ply.split_once(": ") {
            Some((index, text)) => (seat(index.parse().expect("the number of a seat")), text),
            None => (first, ply),
        };
        self.act(seat, read(text))
    }

    /// Plays one action.
    pub(crate) fn act(&mut self, seat: Seat, action: G::Action) -> Result<(), String> {
        self.game.play_checked(seat, action, &mut self.events).map_err(|error| error.to_string())
    }

    /// Returns the view of a viewer.
    pub(crate) fn view(&self, viewer: Viewer) -> G::View {
        self.game.view(viewer)
    }

    /// Does the same as [`Scripted::due`].
    pub(crate) fn due(&self) -> String {
        self.game.due()
    }

    /// Returns the events of the last plies as `viewer` was told of them, one sentence for each.
    pub(crate) fn event_texts(&self, viewer: Viewer) -> Vec<String> {
        self.events.iter().filter_map(|event| event.visible_to(viewer)).map(|event| event.to_string()).collect()
    }
}

/// Reads an action, an outcome, or another thing with a text.
pub(crate) fn read<T: FromStr<Err: Display>>(text: &str) -> T {
    text.parse().unwrap_or_else(|error| panic!("\"{text}\": {error}"))
}

/// Returns the values of a field of the observation. The buffers have other content before.
pub(crate) fn observed<V: Encode>(view: &V, name: &str) -> Vec<i16> {
    let (mut bits, mut numbers) = (vec![u64::MAX; V::BITS.div_ceil(64)], vec![i16::MAX; V::NUMBERS]);
    Tensor::fill(&mut bits, &mut numbers, view);
    let mut layout = Layout::default();
    view.write(&mut layout);

    let bit = |n: usize| (bits[n / 64] >> (n % 64) & 1) as i16;
    let of_bits = layout.bits.iter().find(|(_, field)| field.name == name);
    let of_numbers = layout.numbers.iter().find(|(_, field)| field.name == name);
    match (of_bits, of_numbers) {
        (Some((offset, field)), None) => (*offset..offset + field.size()).map(bit).collect(),
        (None, Some((offset, field))) => numbers[*offset..offset + field.size()].to_vec(),
        _ => panic!("expected one field \"{name}\""),
    }
}
