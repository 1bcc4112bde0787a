//! Observations: a view as numbers, in two blocks, with one layout for each game.
//!
//! *Bits* are flags, one-hots, thermometers, and sets, 64 to a word, the lowest first. *Numbers* are everything
//! larger, exact, as signed 16-bit integers; -1 if the viewer cannot know the value. One function, [`Encode::write`],
//! both fills the blocks and lists their fields: it writes into a [`Sink`], and there are two sinks.
//!
//! A layout is narrow: at most 2,048 bits and 128 numbers. If actions name pieces one by one, each piece has its place as one
//! code in binary digits. Other pieces are counts by kind and owner. A field has a bit for each place of the board only where
//! an action or a rule asks for the place. Facts that follow from the options are left out. A test of each board game decodes
//! bits and numbers back into the typed observation.
//!
//! The hash of a layout covers no prose. A field lists machine names for its values, and the hash covers these names instead of
//! the English meaning. So a permuted phase invalidates a checkpoint, and a corrected sentence does not.

use sha2::{Digest, Sha256};

use super::view::Encode;

/// The name of the block of bits in the table of a layout.
pub const BIT_BLOCK: &str = "bits";
/// The name of the block of numbers in the table of a layout.
pub const NUMBER_BLOCK: &str = "numbers";

/// One named run of bits or numbers in a layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// The name, unique in the layout.
    pub name: &'static str,
    /// The encoding of the values.
    pub kind: FieldKind,
    /// The axes; the last runs fastest. `[]` is a single value.
    pub shape: &'static [usize],
    /// The axis of a one-hot, a thermometer, or a binary number; the last, unless [`Self::along`] sets another.
    pub axis: usize,
    /// The lowest value.
    pub min: i16,
    /// The highest value.
    pub max: i16,
    /// True if the first axis is seats: own seat first (or the left neighbour, if the meaning says so), then to the
    /// left. Absent seats are zero.
    pub by_seat: bool,
    /// The machine names of the values along [`Self::values_axis`]; along the digits of a binary field, of its numbers from 0.
    /// Empty if the values are places, cards, seats, or counts.
    pub values: &'static [&'static str],
    /// The axis that [`Self::values`] names.
    pub values_axis: usize,
    /// The meaning, for people. It is not part of the layout's hash.
    pub meaning: &'static str,
}

/// The encoding of a field's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldKind {
    /// Independent bits, each true or false.
    Flags,
    /// Bits; at most one is set along the axis.
    OneHot,
    /// Bits along the axis: bit `i` is set if the value is more than `i`.
    Thermometer,
    /// Bits along the axis: the binary digits of a whole number, the lowest first.
    Binary,
    /// Whole numbers.
    Numbers,
}

impl FieldKind {
    /// Returns the name of the kind in the catalog.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Flags => "flags",
            Self::OneHot => "one_hot",
            Self::Thermometer => "thermometer",
            Self::Binary => "binary",
            Self::Numbers => "numbers",
        }
    }
}

impl Field {
    const fn bits(kind: FieldKind, name: &'static str, shape: &'static [usize], meaning: &'static str) -> Self {
        let axis = shape.len().saturating_sub(1);
        Self { name, kind, shape, axis, min: 0, max: 1, by_seat: false, values: &[], values_axis: axis, meaning }
    }

    /// Creates a field of independent bits.
    pub const fn flags(name: &'static str, shape: &'static [usize], meaning: &'static str) -> Self {
        Self::bits(FieldKind::Flags, name, shape, meaning)
    }

    /// Creates a field of bits; at most one is set.
    pub const fn one_hot(name: &'static str, shape: &'static [usize], meaning: &'static str) -> Self {
        Self::bits(FieldKind::OneHot, name, shape, meaning)
    }

    /// Creates a field of bits for a count: as many bits are set, from the lowest, as the count says.
    pub const fn thermometer(name: &'static str, shape: &'static [usize], meaning: &'static str) -> Self {
        Self::bits(FieldKind::Thermometer, name, shape, meaning)
    }

    /// Creates a field of numbers. Give it a range with [`Self::range`].
    pub const fn numbers(name: &'static str, shape: &'static [usize], meaning: &'static str) -> Self {
        Self { max: 0, ..Self::bits(FieldKind::Numbers, name, shape, meaning) }
    }

    /// Returns the same field with values from `min` to `max`.
    #[must_use]
    pub const fn range(self, min: i16, max: i16) -> Self {
        Self { min, max, ..self }
    }

    /// Creates a field of binary digits: the lowest first.
    pub const fn binary(name: &'static str, shape: &'static [usize], meaning: &'static str) -> Self {
        Self::bits(FieldKind::Binary, name, shape, meaning)
    }

    /// Returns the same field with its one-hot, thermometer, or binary number along another axis than the last: planes of a
    /// board, one for each level.
    #[must_use]
    pub const fn along(self, axis: usize) -> Self {
        assert!(axis < self.shape.len(), "`along` takes an axis of the field");
        Self { axis, ..self }
    }

    /// Returns the same field with a machine name for each entry of its last axis.
    #[must_use]
    pub const fn values(self, names: &'static [&'static str]) -> Self {
        self.values_along(self.shape.len() - 1, names)
    }

    /// Returns the same field with a machine name for each entry of an axis.
    ///
    /// # Panics
    /// If the axis has another length.
    #[must_use]
    pub const fn values_along(self, values_axis: usize, names: &'static [&'static str]) -> Self {
        assert!(self.shape[values_axis] == names.len(), "`values_along` takes one name for each entry of the axis");
        Self { values: names, values_axis, ..self }
    }

    /// Returns the same binary field with a machine name for each number from 0.
    ///
    /// # Panics
    /// If the field is not binary, or its digits cannot write so many numbers.
    #[must_use]
    pub const fn codes(self, names: &'static [&'static str]) -> Self {
        assert!(matches!(self.kind, FieldKind::Binary), "`codes` names the numbers of a binary field");
        assert!(names.len() <= 1 << self.shape[self.axis], "the digits can write every named number");
        Self { values: names, values_axis: self.axis, ..self }
    }

    /// Returns the same field with seats as its first axis.
    #[must_use]
    pub const fn by_seat(self) -> Self {
        Self { by_seat: true, ..self }
    }

    /// Returns the line of the field in the table of a layout: see [`Layout::table`].
    pub fn line(&self, block: &str, offset: usize) -> String {
        let Self { name, kind, shape, axis, min, max, by_seat, values, values_axis, meaning: _ } = self;
        let (kind, values) = (kind.name(), values.join(","));
        format!("{name} {block} {kind} {shape:?} {axis} {offset} {min} {max} {by_seat} {values_axis} {values}")
    }

    /// Returns the number of values.
    pub const fn size(&self) -> usize {
        let mut size = 1;
        let mut axis = 0;
        while axis < self.shape.len() {
            size *= self.shape[axis];
            axis += 1;
        }
        size
    }
}

/// Returns the number of values of these fields together.
#[doc(hidden)]
pub const fn total_size(fields: &[Field]) -> usize {
    let (mut sum, mut n) = (0, 0);
    while n < fields.len() {
        sum += fields[n].size();
        n += 1;
    }
    sum
}

/// Defines the fields of a game's observation by a table: one row for each field, with its kind, its shape, and its
/// properties. The comment of a row is its meaning in the catalog. The rows become constants of a module `fields`, and
/// their sizes add up to `BITS` and `NUMBERS`.
///
/// ```text
/// fields! {
///     bits {
///         /// True if the seat is taken.
///         present: flags[SEATS].by_seat();
///         /// The phase.
///         phase: one_hot[3].values(&["bid", "pick", "place"]);
///     }
///     numbers {
///         /// Points.
///         points: numbers[SEATS].range(0, 100).by_seat();
///     }
/// }
/// ```
#[macro_export]
macro_rules! fields {
    (
        bits { $($(#[doc = $bit_meaning:literal])+ $bit:ident: $kind:ident[$($shape:expr),*] $(.$property:ident($($value:expr),*))*;)* }
        numbers {
            $($(#[doc = $number_meaning:literal])+ $number:ident: numbers[$($length:expr),*] $(.$feature:ident($($argument:expr),*))*;)*
        }
    ) => {
        /// The fields of the observation.
        #[allow(non_upper_case_globals, reason = "named as the catalog names them")]
        mod fields {
            #[allow(clippy::wildcard_imports, unused_imports, reason = "the sizes in the table are names of the file")]
            use super::*;
            use $crate::Field;

            $(pub(super) const $bit: Field =
                Field::$kind(stringify!($bit), &[$($shape),*], concat!($($bit_meaning),+).trim_ascii())
                $(.$property($($value),*))*;)*
            $(pub(super) const $number: Field =
                Field::numbers(stringify!($number), &[$($length),*], concat!($($number_meaning),+).trim_ascii())
                $(.$feature($($argument),*))*;)*
        }

        /// The number of bits of the observation.
        pub(crate) const BITS: usize = $crate::observation::total_size(&[$(fields::$bit),*]);
        /// The number of numbers of the observation.
        pub(crate) const NUMBERS: usize = $crate::observation::total_size(&[$(fields::$number),*]);
    };
}

/// Returns flags as bits, the first one lowest.
#[inline]
pub fn flag_bits<const N: usize>(flags: [bool; N]) -> u64 {
    flags.iter().enumerate().fold(0, |bits, (n, &on)| bits | u64::from(on) << n)
}

/// Returns the lowest `width` bits of each byte, side by side, the first byte lowest: a few steps for all eight. The other bits
/// of the bytes are zero.
#[inline]
pub const fn packed_bytes(bytes: [u8; 8], width: usize) -> u64 {
    // The first half of each lane of `lane` bits, and the second half moved next to it: both have `filled` bits.
    let mut word = u64::from_le_bytes(bytes);
    let (mut lane, mut filled) = (16, width);
    while lane <= 64 {
        let low = u64::MAX / (u64::MAX >> (64 - lane)) * (u64::MAX >> (64 - filled));
        word = word & low | word >> (lane / 2 - filled) & low << filled;
        (lane, filled) = (2 * lane, 2 * filled);
    }
    word
}

/// The destination of a view's fields: a tensor to fill, or a list to build.
pub trait Sink {
    /// Receives the next field of bits. Each word carries the same number of them, the lowest first: the field's size
    /// divided by the number of words, at most 64.
    fn bits(&mut self, field: Field, words: &[u64]);

    /// Receives the next field of numbers, as many as its size.
    fn numbers(&mut self, field: Field, values: &[i16]);
}

/// The sink that looks for values that their fields do not have, and keeps the first fault.
#[derive(Debug, Default)]
struct Faults(Option<String>);

impl Sink for Faults {
    fn bits(&mut self, field: Field, words: &[u64]) {
        let width = field.size() / words.len();
        if words.iter().any(|word| width < 64 && word >> width != 0) {
            self.0.get_or_insert_with(|| format!("{}: more bits than the field has", field.name));
        }
    }

    fn numbers(&mut self, field: Field, values: &[i16]) {
        if values.iter().any(|value| !(field.min..=field.max).contains(value)) {
            self.0.get_or_insert_with(|| format!("{}: {values:?} is out of range", field.name));
        }
    }
}

/// Checks that each value of an observation is one that its field has. The error names the first field with another.
pub fn check_fields(view: &impl Encode) -> Result<(), String> {
    let mut faults = Faults::default();
    view.write(&mut faults);
    faults.0.map_or(Ok(()), Err)
}

/// The layout of a game's observations: the place of each field in its block.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    /// The fields of the bit block, each with the place of its first bit.
    pub bits: Vec<(usize, Field)>,
    /// The fields of the number block, each with the place of its first number.
    pub numbers: Vec<(usize, Field)>,
}

impl Layout {
    /// Returns the count of bits in a row.
    pub fn bit_count(&self) -> usize {
        self.bits.last().map_or(0, |(offset, field)| offset + field.size())
    }

    /// Returns the count of numbers in a row.
    pub fn number_count(&self) -> usize {
        self.numbers.last().map_or(0, |(offset, field)| offset + field.size())
    }

    /// Returns SHA-256 over everything that a reader of the blocks relies on, the [table](Self::table). Checkpoints and records
    /// store the hash, and clients refuse another one.
    pub fn hash(&self) -> [u8; 32] {
        Sha256::digest(self.table()).into()
    }

    /// Returns the fields in lines, the bits first: of each field its name, block, kind, shape, axis, offset, range,
    /// seat-relativity, and the names of its values. Meanings are prose and do not count.
    pub fn table(&self) -> String {
        self.fields().map(|(block, offset, field)| field.line(block, offset) + "\n").collect()
    }

    /// Returns each field with the name of its block and the place of its first value there, the bits first.
    pub fn fields(&self) -> impl Iterator<Item = (&'static str, usize, &Field)> {
        let blocks = [(BIT_BLOCK, &self.bits), (NUMBER_BLOCK, &self.numbers)];
        blocks.into_iter().flat_map(|(block, fields)| fields.iter().map(move |(offset, field)| (block, *offset, field)))
    }

    fn push(fields: &mut Vec<(usize, Field)>, field: Field) {
        let offset = fields.last().map_or(0, |(offset, last)| offset + last.size());
        fields.push((offset, field));
    }
}

impl Sink for Layout {
    fn bits(&mut self, field: Field, words: &[u64]) {
        let fits = field.size().is_multiple_of(words.len()) && field.size() / words.len() <= 64;
        assert!(fits, "{}: {} words do not fit its bits", field.name, words.len());
        Self::push(&mut self.bits, field);
    }

    fn numbers(&mut self, field: Field, values: &[i16]) {
        assert_eq!(field.size(), values.len(), "{}: expected one value for each entry of its shape", field.name);
        Self::push(&mut self.numbers, field);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PHASE: Field = Field::one_hot("phase", &[3], "the phase").values(&["bid", "pick", "place"]);

    fn hash(fields: &[Field]) -> [u8; 32] {
        let mut layout = Layout::default();
        for &field in fields {
            layout.bits(field, &[0]);
        }
        layout.hash()
    }

    #[test]
    fn bytes_are_packed_side_by_side() {
        for width in 1..=8 {
            let most = u8::MAX >> (8 - width);
            let bytes = std::array::from_fn(|n| (0x9D_u8.rotate_left(n as u32) ^ n as u8) & most);
            let one_by_one = bytes.iter().rev().fold(0, |word, &byte| word << width | u64::from(byte));
            assert_eq!(packed_bytes(bytes, width), one_by_one, "{width} bits each");
            assert_eq!(packed_bytes([most; 8], width), u64::MAX >> (64 - 8 * width));
        }
    }

    #[test]
    fn a_layout_hash_covers_all_but_meanings() {
        let changed = |change: fn(Field) -> Field| hash(&[change(PHASE)]) != hash(&[PHASE]);

        assert!(!changed(|field| Field { meaning: "the next phase", ..field }));
        assert!(changed(|field| field.values(&["pick", "bid", "place"])));
        assert!(changed(|field| Field { values: &[], ..field }));
        assert!(changed(|field| Field { name: "step", ..field }));
        assert!(changed(|field| Field { kind: FieldKind::Flags, ..field }));
        assert!(changed(|field| Field { shape: &[3, 1], ..field }));
        assert!(changed(|field| Field { axis: 1, ..field }));
        assert!(changed(|field| Field { values_axis: 1, ..field }));
        assert!(changed(|field| Field { min: -1, ..field }));
        assert!(changed(|field| Field { max: 2, ..field }));
        assert!(changed(Field::by_seat));
        let other = Field::flags("moved", &[], "set if it has moved");
        assert_ne!(hash(&[PHASE, other]), hash(&[other, PHASE]), "the order counts");
    }
}
