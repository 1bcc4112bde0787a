//! Action tables: one row for each kind of action. Ids, texts, parsing, and the grammar follow from the rows.
//!
//! ```text
//! actions! {
//!     /// One decision of one seat.
//!     pub enum Action {
//!         /// Step 1: buy a sacrifice card.
//!         "buy <food>" => Buy(food: Food as piece "food") says "Buy a sacrifice card: <food>",
//!         /// Step 1: buy no sacrifice card.
//!         "buy nothing" => BuyNothing,
//!         /// Step 2: play 1 to 3 Hunters & Gatherers of one food.
//!         "play <food> <count>" => PlayGatherers(food: Food as piece "food", count: Gatherers as number),
//!     }
//! }
//! ```
//!
//! The comment of a row is its meaning in the catalog. Ids run through the rows from 0, and within a row through the
//! values of its arguments, the last argument fastest. The text names each argument as `<name>`. The word after `as` is the
//! [`Role`] of the argument, from which [`ActionFeatures`](super::ActionFeatures) follow. The text after `says` is the action as
//! a sentence for a person: [`sentence`](super::action_words::sentence) fills it in.

use std::fmt;
use std::str::FromStr;

use super::numbered::Numbered;
use super::parse::{did_you_mean, words};
use super::parts::lines::joined;
use crate::{ActionGroup, ActionId, ParseError};

/// A type that can be an argument of an action: its values have numbers and texts.
pub trait Argument: Numbered + fmt::Display + FromStr<Err = ParseError> {
    /// True if the text may have several words, or none: the argument then reads all words that are left.
    const TAKES_REST: bool = false;

    /// Returns the value as a part of a sentence for people.
    fn words(self) -> String {
        self.to_string().replace(['_', '-'], " ")
    }
}

/// An argument of a group of actions.
#[derive(Clone, Copy, Debug)]
pub struct ArgumentSpec {
    /// The name between `<` and `>` in the pattern.
    pub name: &'static str,
    /// The number of its values.
    pub count: usize,
    /// The role of the argument in its action.
    pub role: Role,
    takes_rest: bool,
    parse: fn(&str) -> Result<usize, ParseError>,
    pub(super) text: fn(usize) -> String,
    pub(super) words: fn(usize) -> String,
}

/// The role of an argument: the feature of the action that it tells. Pieces and places have a word for their sort, such as
/// "card" or "hex", and the text of the argument is the name within the sort. In the table, a role is written as `kind`,
/// `piece "card"`, `counted_piece "figure"`, `place "hex"`, `number`, `opponent`, or `table`.
#[derive(Clone, Copy, Debug)]
pub enum Role {
    /// The manner of the action: each value makes a kind of its own.
    Kind,
    /// A piece of this sort.
    Piece(&'static str),
    /// A piece of this sort with a number of other things, such as `worker 2 logs`: the first word is the piece. Without a
    /// second word the number is 0.
    CountedPiece(&'static str),
    /// A place of this sort.
    Place(&'static str),
    /// A number, as its text has it.
    Number,
    /// An opponent, the k-th to the left: `+2`.
    Opponent,
    /// An action of a table of its own: its row is a part of the kind, and its arguments have their own roles.
    Table(&'static [ActionGroup]),
}

impl ArgumentSpec {
    /// Creates the argument `name` with the values of `T`.
    pub const fn of<T: Argument>(name: &'static str, role: Role) -> Self {
        Self {
            name,
            role,
            count: T::COUNT,
            takes_rest: T::TAKES_REST,
            parse: |text| text.parse::<T>().map(T::index),
            text: |index| T::new(index).expect("the number has a value").to_string(),
            words: |index| T::new(index).expect("the number has a value").words(),
        }
    }
}

/// A part of a pattern.
#[derive(Clone, Copy)]
pub(super) enum Token {
    Word(&'static str),
    /// The place of the argument in the row.
    Argument(usize),
}

impl ActionGroup {
    /// Returns the parts of the pattern.
    pub(super) fn tokens(&self) -> impl Iterator<Item = Token> {
        self.pattern.split(' ').map(|word| match word.strip_prefix('<').and_then(|word| word.strip_suffix('>')) {
            None => Token::Word(word),
            Some(name) => {
                let place = self.arguments.iter().position(|argument| argument.name == name);
                Token::Argument(place.expect("a pattern names the arguments of its row"))
            }
        })
    }

    /// Returns the numbers of the arguments of the action with this number in the group.
    pub(super) fn values(&self, mut index: usize) -> [usize; MAX_ARGUMENTS] {
        let mut values = [0; MAX_ARGUMENTS];
        for (value, argument) in values.iter_mut().zip(self.arguments).rev() {
            (*value, index) = (index % argument.count, index / argument.count);
        }
        values
    }

    /// Returns the text of the action of this group with this number.
    fn text(&self, index: usize) -> String {
        let values = self.values(index);
        let text = |token| match token {
            Token::Word(word) => word.to_owned(),
            Token::Argument(place) => (self.arguments[place].text)(values[place]),
        };
        joined(self.tokens().map(text), " ")
    }
}

/// The largest number of arguments of an action.
const MAX_ARGUMENTS: usize = 2;

/// Returns the group of an action, and the number of the action in it.
///
/// # Panics
/// If no group has the id.
pub(super) fn group_of(groups: &[ActionGroup], id: ActionId) -> (&ActionGroup, usize) {
    let mut index = id.index();
    let group = groups.iter().find(|group| {
        let is_inside = index < group.count;
        index -= if is_inside { 0 } else { group.count };
        is_inside
    });
    (group.expect("the id is one of the game's"), index)
}

/// Writes the canonical text of an action.
#[doc(hidden)]
pub fn write_action(groups: &[ActionGroup], id: ActionId, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let (group, index) = group_of(groups, id);
    f.write_str(&group.text(index))
}

/// The reason why a text does not follow a pattern.
enum Mismatch {
    /// Another word stands at this place.
    Word(&'static str),
    /// The word at this place is no value of the argument.
    Argument(ParseError),
    /// The text ends where the pattern goes on, with a text that would complete it.
    End { rest: String },
    /// The text goes on where the pattern ends.
    Extra,
}

/// Reads an action. `hint` is the game's own explanation of frequent mistakes, by the words of the text.
#[doc(hidden)]
pub fn parse_action(
    groups: &[ActionGroup],
    hint: fn(&[(usize, &str)]) -> Option<ParseError>,
    text: &str,
) -> Result<ActionId, ParseError> {
    let words: Vec<(usize, &str)> = words(text).collect();
    let mut first = 0;
    let mut mismatches = Vec::with_capacity(groups.len());
    for group in groups {
        match group.read(text, &words) {
            Ok(index) => return Ok(ActionId((first + index) as u16)),
            Err(mismatch) => mismatches.push(mismatch),
        }
        first += group.count;
    }
    Err(hint(&words).unwrap_or_else(|| explain(groups, text, &words, mismatches)))
}

impl ActionGroup {
    /// Reads the words by the pattern. Returns the number of the action in the group, or the number of words that match
    /// and the reason why the next one does not.
    fn read(&self, text: &str, words: &[(usize, &str)]) -> Result<usize, (usize, Mismatch)> {
        let mut values = [0; MAX_ARGUMENTS];
        let mut read = 0;
        for token in self.tokens() {
            match (token, words.get(read)) {
                (Token::Word(expected), Some(&(_, word))) if word == expected => read += 1,
                (Token::Word(expected), Some(_)) => return Err((read, Mismatch::Word(expected))),
                (Token::Argument(place), next) if self.arguments[place].takes_rest => {
                    let start = next.map_or(text.trim_end().len(), |&(at, _)| at);
                    let value = (self.arguments[place].parse)(text[start..].trim_end());
                    values[place] = value.map_err(|error| (read, Mismatch::Argument(error.within(start))))?;
                    read = words.len();
                }
                (Token::Argument(place), Some(&(at, word))) => {
                    let value = (self.arguments[place].parse)(word);
                    values[place] = value.map_err(|error| (read, Mismatch::Argument(error.within(at))))?;
                    read += 1;
                }
                (_, None) => return Err((read, Mismatch::End { rest: self.rest(read) })),
            }
        }
        match read == words.len() {
            true => Ok(self.arguments.iter().zip(values).fold(0, |index, (own, value)| index * own.count + value)),
            false => Err((read, Mismatch::Extra)),
        }
    }

    /// Returns the first words of the actions of the group.
    fn openers(&self) -> Vec<String> {
        match self.tokens().next() {
            Some(Token::Argument(place)) => {
                let ArgumentSpec { count, text, .. } = self.arguments[place];
                (0..count).map(text).collect()
            }
            Some(Token::Word(word)) => vec![word.to_owned()],
            None => Vec::new(),
        }
    }

    /// Returns the words of the group's first action from this place on.
    fn rest(&self, from: usize) -> String {
        joined(self.text(0).split(' ').skip(from), " ")
    }
}

/// Explains a text that is no action by the patterns that it follows for the most words.
fn explain(
    groups: &[ActionGroup],
    text: &str,
    words: &[(usize, &str)],
    mismatches: Vec<(usize, Mismatch)>,
) -> ParseError {
    let Some(&(_, first_word)) = words.first() else {
        return ParseError::new(0, format!("expected an action, got nothing; {}", grammar(groups)));
    };
    let most = mismatches.iter().map(|(read, _)| *read).max().unwrap_or_default();
    if most == 0 {
        let openers: Vec<String> = groups.iter().flat_map(ActionGroup::openers).collect();
        let hint = did_you_mean(first_word, openers.iter().map(String::as_str));
        let at = words[0].0;
        return ParseError::new(at, format!("unknown action \"{first_word}\"{hint}; {}", grammar(groups)));
    }
    let nearest = mismatches.into_iter().filter(|(read, _)| *read == most).map(|(_, mismatch)| mismatch);
    let (mut expected, mut rests) = (Vec::new(), Vec::new());
    for mismatch in nearest {
        match mismatch {
            Mismatch::Argument(error) => return error,
            Mismatch::Word(word) => expected.push(format!("\"{word}\"")),
            Mismatch::End { rest } => rests.push(rest),
            Mismatch::Extra => {}
        }
    }
    let end = text.trim_end().len();
    let follows = text[..words[most - 1].0 + words[most - 1].1.len()].trim_start();
    match words.get(most) {
        None => {
            let such = joined(rests.iter().map(|rest| format!("\"{follows} {rest}\"")), " or ");
            ParseError::new(end, format!("expected more after \"{follows}\", such as {such}"))
        }
        Some(&(at, word)) if expected.is_empty() => {
            ParseError::new(at, format!("expected nothing after \"{follows}\", got \"{word}\""))
        }
        Some(&(at, word)) => {
            let expected = expected.join(" or ");
            ParseError::new(at, format!("expected {expected} after \"{follows}\", got \"{word}\""))
        }
    }
}

/// Lists the patterns of all actions.
fn grammar(groups: &[ActionGroup]) -> String {
    format!("actions are {}", joined(groups.iter().map(|group| format!("\"{}\"", group.pattern)), ", "))
}

/// Returns the sum of the counts of the rows before this one.
#[doc(hidden)]
pub const fn first_id(counts: &[usize], row: usize) -> usize {
    let (mut sum, mut n) = (0, 0);
    while n < row {
        sum += counts[n];
        n += 1;
    }
    sum
}

/// Defines the actions of a game by a table: see the [module](self).
#[macro_export]
macro_rules! actions {
    (
        $(#[$meta:meta])*
        $vis:vis enum $name:ident {
            $(
                $(#[doc = $meaning:literal])+
                $pattern:literal => $variant:ident $(($($argument:ident: $type:ty as $role:ident $($sort:literal)?),+))?
                $(says $says:literal)?
            ),+ $(,)?
        }
        $(hint: $hint:path)?
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[allow(clippy::doc_markdown, reason = "the comments are texts of the catalog")]
        $vis enum $name {
            $($(#[doc = $meaning])+ $variant $(($($type),+))?),+
        }

        /// The first id of each row.
        #[allow(non_upper_case_globals, reason = "named as the variants")]
        #[allow(dead_code, reason = "rules use the ids of the rows that they fill as bits")]
        pub(crate) mod first {
            use $crate::{ActionId, action_table::first_id};

            /// The numbers of the rows.
            enum Row {
                $($variant),+
            }
            $(pub(crate) const $variant: ActionId =
                ActionId(first_id(&super::ROW_COUNTS, Row::$variant as usize) as u16);)+
        }

        /// The last id of each row, for the ranges of a match.
        #[allow(non_upper_case_globals, reason = "named as the variants")]
        mod last {
            use $crate::action_table::first_id;

            enum Row {
                $($variant),+
            }
            $(pub(super) const $variant: u16 = first_id(&super::ROW_COUNTS, Row::$variant as usize + 1) as u16 - 1;)+
        }

        /// The number of ids of each row.
        const ROW_COUNTS: [usize; [$($pattern),+].len()] =
            [$(1 $($(* <$type as $crate::Numbered>::COUNT)+)?),+];

        impl $crate::Action for $name {
            const COUNT: usize = $crate::action_table::first_id(&ROW_COUNTS, ROW_COUNTS.len());
            const GROUPS: &'static [$crate::ActionGroup] = &[$(
                $crate::ActionGroup {
                    pattern: $pattern,
                    count: 1 $($(* <$type as $crate::Numbered>::COUNT)+)?,
                    meaning: concat!($($meaning),+).trim_ascii(),
                    says: concat!($($says)?),
                    arguments: &[$($($crate::ArgumentSpec::of::<$type>(
                        stringify!($argument),
                        $crate::actions!(@role $type, $role $($sort)?),
                    )),+)?],
                },
            )+];

            #[inline]
            fn id(self) -> $crate::ActionId {
                match self {
                    $(Self::$variant $(($($argument),+))? => $crate::ActionId(
                        first::$variant.0 $(+ $crate::Numbered::index(($($argument,)+)) as u16)?
                    )),+
                }
            }

            #[inline]
            fn from_id(id: $crate::ActionId) -> Option<Self> {
                $(
                    #[allow(non_upper_case_globals, reason = "named as the variant")]
                    const $variant: u16 = first::$variant.0;
                )+
                match id.0 {
                    $($variant..=last::$variant => $crate::actions! {
                        @value $variant (id.0 - $variant) $(($($argument: $type),+))?
                    },)+
                    _ => None,
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                $crate::action_table::write_action(
                    <Self as $crate::Action>::GROUPS,
                    $crate::Action::id(*self),
                    f,
                )
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::ParseError;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                let groups = <Self as $crate::Action>::GROUPS;
                let hint: fn(&[(usize, &str)]) -> Option<$crate::ParseError> =
                    $crate::actions!(@hint $($hint)?);
                let id = $crate::action_table::parse_action(groups, hint, text)?;
                Ok(<Self as $crate::Action>::from_id(id).expect("a parsed id has an action"))
            }
        }
    };
    (@value $variant:ident $place:tt) => {
        Some(Self::$variant)
    };
    (@value $variant:ident $place:tt ($($argument:ident: $type:ty),+)) => {
        <($($type,)+) as $crate::Numbered>::new(usize::from($place))
            .map(|($($argument,)+)| Self::$variant($($argument),+))
    };
    (@role $type:ty, kind) => {
        $crate::Role::Kind
    };
    (@role $type:ty, piece $sort:literal) => {
        $crate::Role::Piece($sort)
    };
    (@role $type:ty, counted_piece $sort:literal) => {
        $crate::Role::CountedPiece($sort)
    };
    (@role $type:ty, place $sort:literal) => {
        $crate::Role::Place($sort)
    };
    (@role $type:ty, number) => {
        $crate::Role::Number
    };
    (@role $type:ty, opponent) => {
        $crate::Role::Opponent
    };
    (@role $type:ty, table) => {
        $crate::Role::Table(<$type as $crate::Action>::GROUPS)
    };
    (@hint) => {
        |_| None
    };
    (@hint $hint:path) => {
        $hint
    };
}
