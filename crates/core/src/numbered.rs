//! Numbered types: the values of a small type have numbers from 0. Sets, counts, action ids, and options use them.

/// A type whose values are numbered from 0.
pub trait Numbered: Copy + Eq + 'static {
    /// The number of values.
    const COUNT: usize;

    /// Returns the value with this number; None if there is none.
    fn new(index: usize) -> Option<Self>;

    /// Returns the number of the value, from 0 to [`Self::COUNT`] - 1.
    fn index(self) -> usize;

    /// Iterates over all values, in rising order.
    fn all() -> impl DoubleEndedIterator<Item = Self> {
        (0..Self::COUNT).map(|index| Self::new(index).expect("a number below the count has a value"))
    }
}

/// A tuple of one: its value's number.
impl<A: Numbered> Numbered for (A,) {
    const COUNT: usize = A::COUNT;

    #[inline]
    fn new(index: usize) -> Option<Self> {
        A::new(index).map(|first| (first,))
    }

    #[inline]
    fn index(self) -> usize {
        self.0.index()
    }
}

/// A pair: the second value runs fastest.
impl<A: Numbered, B: Numbered> Numbered for (A, B) {
    const COUNT: usize = A::COUNT * B::COUNT;

    #[inline]
    fn new(index: usize) -> Option<Self> {
        Some((A::new(index / B::COUNT)?, B::new(index % B::COUNT)?))
    }

    #[inline]
    fn index(self) -> usize {
        self.0.index() * B::COUNT + self.1.index()
    }
}

/// Implements [`Numbered`] and the bytes of a value by the inherent `COUNT`, `new`, and `index` of a type.
#[macro_export]
macro_rules! numbered_by_inherent {
    ($name:ty) => {
        impl $crate::Numbered for $name {
            const COUNT: usize = <$name>::COUNT;

            #[inline]
            fn new(index: usize) -> Option<Self> {
                <$name>::new(index)
            }

            #[inline]
            fn index(self) -> usize {
                <$name>::index(self)
            }
        }

        impl $crate::borsh::BorshSerialize for $name {
            fn serialize<W: $crate::borsh::io::Write>(&self, bytes: &mut W) -> $crate::borsh::io::Result<()> {
                $crate::bytes::write_numbered(*self, bytes)
            }
        }

        impl $crate::borsh::BorshDeserialize for $name {
            fn deserialize_reader<R: $crate::borsh::io::Read>(bytes: &mut R) -> $crate::borsh::io::Result<Self> {
                $crate::bytes::read_numbered(bytes)
            }
        }
    };
}

/// Defines a newtype of a number. With a noun and a range, its text is a number of the range:
///
/// ```text
/// numbered! {
///     /// A column of the display.
///     pub struct Column("column", 1..=4);   // the values 0 to 3, written 1 to 4
///     /// An Ahu.
///     pub struct Ahu("Ahu", prefix "a", 0..=25);   // written a0 to a25
///     /// A piece.
///     pub struct Piece[49];                 // the values 0 to 48; their text is written by hand
/// }
/// ```
#[macro_export]
macro_rules! numbered {
    ($($(#[$meta:meta])* $vis:vis struct $name:ident $shape:tt;)+) => {
        $($crate::numbered! { @one $(#[$meta])* $vis $name $shape })+
    };
    (@one $(#[$meta:meta])* $vis:vis $name:ident [$count:expr]) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        $vis struct $name(u8);

        impl $name {
            /// The number of values.
            pub const COUNT: usize = $count;

            /// Returns the value with this number, from 0; None if there is none.
            #[inline]
            pub const fn new(index: usize) -> Option<Self> {
                if index < Self::COUNT { Some(Self(index as u8)) } else { None }
            }

            /// Returns the number of the value, from 0.
            #[inline]
            pub const fn index(self) -> usize {
                self.0 as usize
            }

            /// Iterates over all values, in rising order.
            pub fn all() -> impl DoubleEndedIterator<Item = Self> + ExactSizeIterator {
                (0..Self::COUNT as u8).map(Self)
            }
        }

        $crate::numbered_by_inherent!($name);
    };
    (@one $(#[$meta:meta])* $vis:vis $name:ident ($noun:literal, $(prefix $prefix:literal,)? $first:literal..=$last:expr)) => {
        $crate::numbered! { @one $(#[$meta])* $vis $name [$last - $first + 1] }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(&format!(concat!($($prefix,)? "{}"), self.index() + $first))
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::ParseError;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                let digits = Some(text)$(.and_then(|text| text.strip_prefix($prefix)))?;
                let number = digits.and_then($crate::parse::number::<usize>);
                number.and_then(|number| number.checked_sub($first)).and_then(Self::new).ok_or_else(|| {
                    let (first, last) = (Self(0), Self(Self::COUNT as u8 - 1));
                    let message = format!(concat!("expected ", $noun, " {} to {}, got \"{}\""), first, last, text);
                    $crate::ParseError::new(0, message)
                })
            }
        }

        impl $crate::Argument for $name {}
    };
}

/// Defines an enum whose values have names of one word, in the order of their numbers:
///
/// ```text
/// named! {
///     /// The four sorts of sacrifice cards.
///     pub enum Food("food") {
///         /// Fish.
///         Fish = "fish",
///         /// Grain.
///         Grain = "grain",
///     }
/// }
/// ```
#[macro_export]
macro_rules! named {
    ($(
        $(#[$meta:meta])*
        $vis:vis enum $name:ident($noun:literal) {
            $($(#[$variant_meta:meta])* $variant:ident = $text:literal),+ $(,)?
        }
    )+) => {$(
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        $vis enum $name {
            $($(#[$variant_meta])* $variant),+
        }

        impl $name {
            /// Every value, in the order of ids, fields, and option values.
            pub const ALL: [Self; Self::COUNT] = [$(Self::$variant),+];
            /// The name of each value, in the same order.
            pub const NAMES: &'static [&'static str] = &[$($text),+];
            /// The number of values.
            pub const COUNT: usize = Self::NAMES.len();

            /// Returns the value with this number, from 0; None if there is none.
            #[inline]
            pub const fn new(index: usize) -> Option<Self> {
                if index < Self::COUNT { Some(Self::ALL[index]) } else { None }
            }

            /// Returns the number of the value, from 0.
            #[inline]
            pub const fn index(self) -> usize {
                self as usize
            }

            /// Returns the name in actions, records, options, and layouts.
            pub const fn name(self) -> &'static str {
                Self::NAMES[self.index()]
            }
        }

        $crate::numbered_by_inherent!($name);

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }

        impl std::str::FromStr for $name {
            type Err = $crate::ParseError;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                let named = Self::ALL.into_iter().find(|value| value.name() == text);
                named.ok_or_else(|| $crate::parse::unknown_name($noun, text, Self::NAMES))
            }
        }

        impl $crate::Argument for $name {}

        impl $crate::OptionValue for $name {
            const KIND: $crate::OptionKind = $crate::OptionKind::Choice(Self::NAMES);

            fn value(self) -> u16 {
                self.index() as u16
            }

            fn from_value(value: u16) -> Self {
                Self::ALL[usize::from(value)]
            }
        }
    )+};
}
