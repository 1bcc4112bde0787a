//! Action features: the kind, piece, place, number, and opponent of each action, from the roles of the arguments in the table
//! of actions.
//!
//! Features are the same in every position, as ids are. No two actions of a game have the same features, so a net may choose
//! among features, and a click on a piece or a place finds its actions.

use super::action_table::{Role, Token, group_of};
use crate::{ActionGroup, ActionId};

/// The features of all actions of a game, and the names of their numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActionFeatures {
    /// The name of each kind, from 0: the text of its actions with `<>` around the parts that vary within it, such as
    /// `meld <card>`.
    pub kinds: Vec<String>,
    /// The name of each piece, from 0: its sort and its text in actions, such as `card F1`.
    pub pieces: Vec<String>,
    /// The name of each place, from 0: its sort and its text in actions, such as `hex 12`.
    pub places: Vec<String>,
    /// The features of each action, by id.
    pub actions: Vec<ActionFeature>,
}

/// The features of an action. -1 stands for a feature that the action does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ActionFeature {
    /// The kind: every action has one.
    pub kind: i16,
    /// The piece that the action touches.
    pub piece: i16,
    /// The place that the action touches.
    pub place: i16,
    /// The number in the action, such as the count of cards, 0 or more.
    pub number: i16,
    /// The opponent, as the k-th to the left, k from 1.
    pub opponent: i16,
}

impl ActionFeatures {
    /// Returns the features of the actions of these groups. Kinds, pieces, and places are numbered in the order of the ids
    /// that have them first.
    pub fn of(groups: &[ActionGroup]) -> Self {
        let count: usize = groups.iter().map(|group| group.count).sum();
        let (mut kinds, mut pieces, mut places) = (Vec::new(), Vec::new(), Vec::new());
        let actions = (0..count).map(|id| {
            let words = Words::of(groups, id);
            ActionFeature {
                kind: number_of(Some(words.kind), &mut kinds),
                piece: number_of(words.piece, &mut pieces),
                place: number_of(words.place, &mut places),
                number: words.number.unwrap_or(-1),
                opponent: words.opponent.unwrap_or(-1),
            }
        });
        let actions = actions.collect();
        Self { kinds, pieces, places, actions }
    }
}

/// Returns the place of a name in the list, to which it is added if it is new; -1 for no name.
fn number_of(name: Option<String>, names: &mut Vec<String>) -> i16 {
    let Some(name) = name else { return -1 };
    let known = names.iter().position(|known| *known == name);
    known.unwrap_or_else(|| {
        names.push(name);
        names.len() - 1
    }) as i16
}

/// The features of an action, in words.
#[derive(Default)]
pub(super) struct Words {
    kind: String,
    pub(super) piece: Option<String>,
    pub(super) place: Option<String>,
    number: Option<i16>,
    pub(super) opponent: Option<i16>,
}

impl Words {
    /// Returns the features of an action of these groups.
    ///
    /// # Panics
    /// If two arguments of the action have the same role, other than `kind`.
    pub(super) fn of(groups: &[ActionGroup], id: usize) -> Self {
        let (group, index) = group_of(groups, ActionId(id as u16));
        let values = group.values(index);
        let (mut words, mut kind) = (Self::default(), Vec::new());
        for token in group.tokens() {
            let argument = match token {
                Token::Word(word) => {
                    kind.push(word.to_owned());
                    continue;
                }
                Token::Argument(place) => place,
            };
            let (spec, value) = (&group.arguments[argument], values[argument]);
            let text = (spec.text)(value);
            match spec.role {
                Role::Kind => kind.push(text),
                Role::Table(rows) => {
                    let of_row = Self::of(rows, value);
                    kind.push(of_row.kind.clone());
                    words.add(of_row);
                }
                role => {
                    kind.push(format!("<{}>", spec.name));
                    words.add(Self::told_by(role, &text));
                }
            }
        }
        words.kind = kind.join(" ");
        words
    }

    /// Returns the features that an argument of this role tells.
    fn told_by(role: Role, text: &str) -> Self {
        let named = |sort: &str, text: &str| Some(format!("{sort} {text}"));
        let number = |text: &str| Some(text.parse().expect("the text of the argument is a number"));
        match role {
            Role::Piece(sort) => Self { piece: named(sort, text), ..Self::default() },
            Role::Place(sort) => Self { place: named(sort, text), ..Self::default() },
            Role::Number => Self { number: number(text), ..Self::default() },
            Role::Opponent => Self { opponent: number(text), ..Self::default() },
            Role::CountedPiece(sort) => {
                let mut words = text.split(' ');
                let piece = words.next().expect("a split has a first part");
                Self { piece: named(sort, piece), number: number(words.next().unwrap_or("0")), ..Self::default() }
            }
            Role::Kind | Role::Table(_) => Self::default(),
        }
    }

    /// Adds the features of an argument.
    fn add(&mut self, other: Self) {
        let Self { kind: _, piece, place, number, opponent } = other;
        fill(&mut self.piece, piece);
        fill(&mut self.place, place);
        fill(&mut self.number, number);
        fill(&mut self.opponent, opponent);
    }
}

fn fill<T>(feature: &mut Option<T>, value: Option<T>) {
    assert!(feature.is_none() || value.is_none(), "an action has at most one piece, place, number, and opponent");
    *feature = value.or(feature.take());
}
