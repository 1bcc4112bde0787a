//! Views: what a viewer knows, how this knowledge is encoded for programs, and how it is described to people.
//!
//! A game implements each of the traits for its view in a file of its own: [`View`] in `view.rs`, [`Encode`] in
//! `observation.rs`, [`Describe`] in `text.rs`, [`Compact`] in `compact.rs`, [`Ask`] in `question.rs`, and [`Draw`] in
//! `picture.rs`.
//!
//! Views are owned values. Writing an observation from a borrowed game would save a third of the writing, about a tenth of an
//! observed step (`cargo bench --bench choices`). This is less than a fifth, the gain for which code may read worse. An owned
//! view cannot leak through a forgotten accessor, and tests and resampling compare and keep it. The one exception is a policy
//! in a playout ([`Policy::choose_in`](super::Policy::choose_in)), which reads the game: a view would cost it a tenth to a
//! half of a decision (`cargo bench --bench playouts`). A law checks that its choices equal the choices from the shown view.
//!
//! Scores belong to the view, and [`Game`](super::Game) has none: a score that counts hidden facts would leak through rewards. At
//! the end the scores of all viewers agree, by law.
//!
//! [`View::shown`] is the only method that removes what is not displayed. The host calls it before it sends anything. Tensor,
//! text, and messages know nothing of it, except that they omit a row of zeros.

use std::fmt::{self, Write as _};

use super::{ActionId, BySeat, Seat, Sink, Viewer};
use crate::parts::picture::{Draw, Picture, Scene};

/// Everything that one viewer knows of a game: the visible facts, and the past facts that still matter.
///
/// Tensors, texts, and typed messages read a view and never a game. Parsers read neither.
pub trait View: Clone + PartialEq + fmt::Debug + Send + Sync + 'static {
    /// Returns the viewer with this knowledge.
    fn viewer(&self) -> Viewer;

    /// Returns the shown view: the part of the view that the host may send. It leaves out facts that the viewer could
    /// know from what it has seen, such as the holdings of others after open trades, but that a ruling or a `*_view` option
    /// keeps out of displays. Resampling and invariants use the whole view. By default nothing is left out.
    #[must_use]
    fn shown(self) -> Self {
        self
    }

    /// Returns the points that final scoring would give if the game ended now, as far as the viewer can count. At the
    /// end all viewers can count all points.
    fn scores(&self) -> BySeat<i32>;

    /// Returns the ranks by the rulebook's tie-breaks, as far as the viewer can tell: 1 is first, and ties share
    /// (1, 1, 3). At the end all viewers can tell all ranks. By default there are no tie-breaks.
    fn ranks(&self) -> BySeat<u8> {
        ranks_by(&self.scores())
    }

    /// Returns the parts of the scores by source, such as `glory`. They sum up to [`Self::scores`], and are one part by default.
    fn score_parts(&self) -> Vec<(&'static str, BySeat<i32>)> {
        vec![("points", self.scores())]
    }

    /// Returns the tie-break by which one seat stands before another one with the same points, to follow "by", such as `fewer
    /// cards`. By default such seats share their rank.
    fn tie_break(&self, _before: Seat, _after: Seat) -> &'static str {
        ""
    }

    /// Returns what the scores of this view leave out, such as `sacrifice cards`; None if they count everything.
    fn uncounted(&self) -> Option<&'static str> {
        None
    }
}

/// The encoding of a view as an observation: bits and numbers for programs.
pub trait Encode {
    /// The count of bits in an observation.
    const BITS: usize;
    /// The count of numbers in an observation.
    const NUMBERS: usize;

    /// Writes the fields. Their order and shapes are the same for every view of the game.
    fn write(&self, sink: &mut impl Sink);
}

/// The description of a view for people, in words. `Display` writes the table, in lines of at most 80 characters.
pub trait Describe: Compact + Ask + Draw + fmt::Display {
    /// The explanation of the signs in the text; empty if it has no signs. `Display` writes it, with these line breaks.
    const LEGEND: &'static str = "";

    /// Returns the point in the turn, which is the first line of the table.
    fn headline(&self) -> String {
        self.to_string().lines().next().unwrap_or_default().to_owned()
    }

    /// Returns the cards and goods by which the viewer decides, such as `hand F4 W5`, in one line; empty for the public, and if
    /// there are none.
    fn holdings(&self) -> String {
        String::new()
    }

    /// Returns the colour of a word in the texts, for terminals with colours: a suit, or the sign of a seat on a map. The word
    /// has letters, digits, and the signs `-:=^_`. The words "seat 0" and the rows of a table with a column "seat" need no tint.
    fn tint(_word: &str) -> Option<Tint> {
        None
    }

    /// Returns the picture of the table as SVG, with its title and its description. It marks the differences from `before`, an
    /// earlier view of the same viewer.
    fn svg(&self, before: Option<&Self>, scene: Scene<'_>) -> String {
        let mut picture = Picture::new(scene);
        let height = self.draw(before, &mut picture);
        picture.finish(height, &self.headline(), &self.to_string())
    }
}

/// The table for language models: every fact of the typed message in few tokens, without a drawing. By default it is the table
/// for people.
pub trait Compact: fmt::Display {
    /// Writes the table. [`Self::compact_legend`] explains it.
    fn write_compact(&self, f: &mut String) -> fmt::Result {
        write!(f, "{self}")
    }

    /// Returns the explanation of the signs in [`Self::compact`], and the facts about the board that never change. It depends
    /// on the options alone, so that a reader needs it once a game.
    fn compact_legend(&self) -> String {
        String::new()
    }

    /// Returns the table.
    fn compact(&self) -> String {
        let mut text = String::new();
        self.write_compact(&mut text).expect("a string takes every text");
        text
    }
}

/// The question for the decision of a viewer, and its answers for people: see [`action_words`](super::action_words).
pub trait Ask {
    /// Returns the decision that the viewer owes, as a person is asked for it: what may be done, with its prices, its yields,
    /// and its limits, in one line and in words for "you". A host asks for it only where the viewer owes a decision.
    fn question(&self) -> String {
        "Choose an action.".to_owned()
    }

    /// Returns an action as a sentence for the viewer, if it depends on the position; None for the sentence of its row.
    fn sentence(&self, _id: ActionId) -> Option<String> {
        None
    }

    /// Returns the elements of the viewer's picture that an action touches, in the words of their `data-t`; None if they are the
    /// piece, the place, and the opponent of the action.
    fn targets(&self, _id: ActionId) -> Option<Vec<String>> {
        None
    }
}

/// The colour of a word in a text for people. Pictures have the same colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tint {
    /// The colour of the seat with this index.
    Seat(u8),
    /// The colour of a suit, from 0 to 6.
    Suit(u8),
}

impl Tint {
    /// Returns the colour of the seat with this digit.
    pub fn of_seat(digit: u8) -> Option<Self> {
        digit.is_ascii_digit().then(|| Self::Seat(digit - b'0'))
    }
}

/// Returns the ranks by points: 1 is first, and ties share (1, 1, 3). `points` may have any ordered type, such as
/// points followed by a tie-break.
pub fn ranks_by<P: Ord + Copy>(points: &BySeat<P>) -> BySeat<u8> {
    points.map(|own| 1 + points.values().iter().filter(|&&other| other > own).count() as u8)
}
