//! Seats and opponents in typed messages: writing, reading, and the errors of reading.

use std::fmt;

use ahu_core::parts::list::List;
use ahu_core::parts::set::Set;
use ahu_core::{BySeat, Numbered, RelativeSeat, Seat, Seats};

/// Returns a value as messages number it, in an enum or as a number that counts from 1; 0 is "unspecified".
pub(crate) fn from_one<T: Numbered, N: TryFrom<usize>>(value: T) -> N
where
    N::Error: fmt::Debug,
{
    (value.index() + 1).try_into().expect("a small number fits every type")
}

/// Returns a value as messages number it; 0 for None.
pub(crate) fn from_one_or_none<T: Numbered, N: TryFrom<usize> + Default>(value: Option<T>) -> N
where
    N::Error: fmt::Debug,
{
    value.map_or_else(N::default, from_one)
}

/// Returns the value that messages number so, from 1. An error states the range.
pub(crate) fn read_from_one<T: Numbered>(noun: &str, number: u32) -> Result<T, String> {
    let value = (number as usize).checked_sub(1).and_then(T::new);
    value.ok_or_else(|| format!("expected a {noun} from 1 to {}, got {number}", T::COUNT))
}

/// Returns the value that messages number so in an enum. An error states the range, with the enum's names.
pub(crate) fn read_named<T: Numbered>(noun: &str, number: i32, name: fn(i32) -> &'static str) -> Result<T, String> {
    let index = usize::try_from(number).ok().and_then(|number| number.checked_sub(1));
    index.and_then(T::new).ok_or_else(|| {
        let last = T::COUNT as i32;
        format!("expected a {noun} from 1 ({}) to {last} ({}), got {number}", name(1), name(last))
    })
}

/// A value that messages have in a field of type `M`.
pub(crate) trait ToField<M> {
    /// Returns the field.
    fn to_field(self) -> M;
}

/// A value that messages give in a field of type `M`.
pub(crate) trait FromField<M>: Sized {
    /// Reads the field. An error names the fault and the expected input.
    fn from_field(field: &M) -> Result<Self, String>;
}

/// A field that may be absent has the value.
impl<T: ToField<M>, M> ToField<Option<M>> for T {
    fn to_field(self) -> Option<M> {
        Some(self.to_field())
    }
}

/// A list by seat.
impl<T: ToField<M> + Copy, M> ToField<Vec<M>> for BySeat<T> {
    fn to_field(self) -> Vec<M> {
        self.values().iter().copied().map(T::to_field).collect()
    }
}

impl<T: ToField<M> + Copy, M, const N: usize> ToField<Vec<M>> for List<T, N> {
    fn to_field(self) -> Vec<M> {
        self.iter().map(T::to_field).collect()
    }
}

impl<T: ToField<M> + Numbered, M> ToField<Vec<M>> for Set<T> {
    fn to_field(self) -> Vec<M> {
        self.iter().map(T::to_field).collect()
    }
}

impl ToField<u32> for Seat {
    fn to_field(self) -> u32 {
        number(self)
    }
}

/// Implements the fields of values that messages have as they are.
macro_rules! plain_fields {
    ($($type:ty as $message:ty),+) => {$(
        impl ToField<$message> for $type {
            fn to_field(self) -> $message {
                self.into()
            }
        }
    )+};
}
plain_fields!(bool as bool, u8 as u32, u16 as u32);

/// Implements the fields of types whose values messages number from 1: in an enum (`Food as v1::Food, "food";`), or as a number
/// (`Column, "column";`). Errors have the nouns.
macro_rules! numbered_fields {
    (enums { $($type:ty as $message:ty, $noun:literal;)* } numbers { $($number:ty, $number_noun:literal;)* }) => {
        $(
            impl $crate::wire::message::ToField<i32> for $type {
                fn to_field(self) -> i32 {
                    $crate::wire::message::from_one(self)
                }
            }

            impl $crate::wire::message::FromField<i32> for $type {
                fn from_field(&number: &i32) -> Result<Self, String> {
                    $crate::wire::message::read_named($noun, number, |number| {
                        <$message>::try_from(number).expect("the enums have the same values").as_str_name()
                    })
                }
            }
        )*
        $(
            impl $crate::wire::message::ToField<u32> for $number {
                fn to_field(self) -> u32 {
                    $crate::wire::message::from_one(self)
                }
            }

            impl $crate::wire::message::FromField<u32> for $number {
                fn from_field(&number: &u32) -> Result<Self, String> {
                    $crate::wire::message::read_from_one($number_noun, number)
                }
            }
        )*
    };
}
pub(crate) use numbered_fields;

/// Implements [`Wire::action`](crate::Wire::action) and [`Wire::read_action`](crate::Wire::read_action). A row like `Buy(food)`
/// is an action whose message has the same name, with the argument in the field `food`. Other actions and messages follow as
/// arms of both functions; they may name the player's seat and the seats of the table.
macro_rules! action_messages {
    (
        $v1:ident, |$seat:pat_param, $seats:pat_param|;
        $($variant:ident $(($($field:ident),+))?),+ $(,)?;
        write { $($action:pat => $message:expr,)* }
        read { $($from:pat => $read:expr,)* }
    ) => {
        fn action(action: Action, $seat: Seat, $seats: Seats) -> $v1::Action {
            use $v1::action as to;
            use $v1::action::Action as One;
            let oneof = match action {
                $(Action::$variant $(($($field),+))? => One::$variant(to::$variant {
                    $($($field: $crate::wire::message::ToField::to_field($field)),+)?
                }),)+
                $($action => $message,)*
            };
            $v1::Action { action: Some(oneof) }
        }

        fn read_action(message: &$v1::Action, $seat: Seat, $seats: Seats) -> Result<Action, String> {
            use $v1::action as to;
            use $v1::action::Action as One;
            Ok(match message.action.as_ref().ok_or(NO_ACTION)? {
                $(One::$variant(to::$variant { $($($field),+)? }) => Action::$variant $((
                    $($crate::wire::message::FromField::from_field($field)?),+
                ))?,)+
                $($from => $read,)*
            })
        }
    };
}
pub(crate) use action_messages;

/// Implements [`Wire::event`](crate::Wire::event). A row such as `Bought { seat, food }` is an event whose message has the same
/// name and the same fields. Other events follow as arms.
macro_rules! event_messages {
    (
        $v1:ident, $visible:ty;
        $($variant:ident { $($field:ident),+ }),+ $(,)?;
        $($event:pat => $message:expr,)*
    ) => {
        fn event(visible: &$visible) -> $v1::Event {
            use $v1::event as to;
            use $v1::event::Event as One;
            let oneof = match *visible {
                $(Event::$variant { $($field),+ } => One::$variant(to::$variant {
                    $($field: $crate::wire::message::ToField::to_field($field)),+
                }),)+
                $($event => $message,)*
            };
            $v1::Event { event: Some(oneof) }
        }
    };
}
pub(crate) use event_messages;

/// Asserts that an enum of messages has the values of an enum of a game, in its order, after "unspecified".
#[cfg(test)]
macro_rules! assert_same_names {
    ($($type:ty, $message:ty, $prefix:literal;)+) => {$(
        for (index, name) in <$type>::NAMES.iter().enumerate() {
            let message = <$message>::try_from(index as i32 + 1).expect("the message has as many values");
            let written = format!(concat!($prefix, "{}"), name.to_uppercase());
            assert_eq!(message.as_str_name().replace('_', ""), written.replace('_', ""));
        }
        assert!(<$message>::try_from(<$type>::COUNT as i32 + 1).is_err(), "the message has no more values");
    )+};
}
#[cfg(test)]
pub(crate) use assert_same_names;

/// Returns a seat as messages write it.
pub(crate) const fn number(seat: Seat) -> u32 {
    seat.index() as u32
}

/// Returns an opponent as messages write it: 1 for the left neighbour.
pub(crate) const fn left_number(left: RelativeSeat) -> u32 {
    left.index() as u32 + 1
}

/// The ways in which an action's message names an opponent: by its distance to the left, by its seat, or by both. If
/// both are set, they must agree.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Opponent {
    /// The question for a message that names no opponent, such as "against whom?".
    pub question: &'static str,
    /// The name of the field for the opponent's seat.
    pub field: &'static str,
    /// The largest distance to the left, at the game's largest table.
    pub most: usize,
}

impl Opponent {
    /// Reads the opponent from a message of `seat`.
    pub(crate) fn read(
        self,
        left: u32,
        by_seat: Option<u32>,
        seat: Seat,
        seats: Seats,
    ) -> Result<RelativeSeat, String> {
        let by_left = self.read_left(left)?;
        let by_seat = by_seat.map(|named| self.read_seat(named, seat, seats)).transpose()?;
        match (by_left, by_seat) {
            (Some(left), Some(other)) if left != other => Err(self.differ(left, other, seat, seats)),
            (Some(left), _) | (None, Some(left)) => Ok(left),
            (None, None) => Err(format!(
                "{} expected left from 1 (the left neighbour) to {}, or {} as one of {}",
                self.question,
                seats.count() - 1,
                self.field,
                seats.all().without(seat)
            )),
        }
    }

    /// Reads the distance to the left; None if the message does not set it.
    fn read_left(self, left: u32) -> Result<Option<RelativeSeat>, String> {
        let Some(index) = (left as usize).checked_sub(1) else { return Ok(None) };
        let opponent = RelativeSeat::new(index).filter(|_| index < self.most);
        opponent
            .map(Some)
            .ok_or_else(|| format!("expected left from 1 (the left neighbour) to {}, got {left}", self.most))
    }

    fn read_seat(self, named: u32, seat: Seat, seats: Seats) -> Result<RelativeSeat, String> {
        let (field, opponents) = (self.field, seats.all().without(seat));
        let other = seats
            .get(named as usize)
            .ok_or_else(|| format!("expected {field} as one of {opponents}, got {named}, which is not at the table"))?;
        let left = seats.steps_left(seat, other).checked_sub(1).and_then(RelativeSeat::new);
        left.ok_or_else(|| format!("expected {field} as one of {opponents}, got {named}, the player's own seat"))
    }

    /// Returns the error for two fields that name different opponents.
    fn differ(self, left: RelativeSeat, other: RelativeSeat, seat: Seat, seats: Seats) -> String {
        let name = |of: RelativeSeat| of.of(seat, seats).map_or_else(|| "nobody".to_owned(), |at| format!("seat {at}"));
        let (by_left, by_seat) = (left_number(left), left_number(other));
        let field = self.field;
        format!("left {by_left} names {}, but {field} names {} (left {by_seat})", name(left), name(other))
    }
}
