//! Observations: a view as numbers, in two blocks of one layout a game.
//!
//! *Bits* are flags, one-hots, thermometers and sets, 64 to a word, the lowest first. *Numbers* are
//! everything larger, exact, as signed 16-bit integers; -1 where the viewer can't know it. One piece of code, [`View::write`], both
//! fills the blocks and lists their fields: it writes into a [`Sink`], and there are two sinks.

use std::fmt::Write as _;

use sha2::{Digest, Sha256};

use super::game::View;

/// One named run of bits or numbers in a layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its name, unique in the layout.
    pub name: &'static str,
    /// How its values are to be read.
    pub kind: FieldKind,
    /// Its axes; the last runs fastest. `[]` is a single value.
    pub shape: &'static [usize],
    /// The axis along which a one-hot or a thermometer runs; the last, unless [`Self::along`] says
    /// otherwise.
    pub axis: usize,
    /// The lowest value.
    pub min: i16,
    /// The highest value.
    pub max: i16,
    /// Whether the first axis is seats: own seat first (or the left neighbour, where it says so),
    /// then to the left. Absent seats are zero.
    pub by_seat: bool,
    /// What it tells, for people.
    pub meaning: &'static str,
}

/// How the values of a field are to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldKind {
    /// Each bit says yes or no by itself.
    Flags,
    /// Along its axis at most one bit is set.
    OneHot,
    /// Along its axis bit `i` says "more than `i`".
    Thermometer,
    /// Whole numbers.
    Numbers,
}

impl FieldKind {
    /// Its name in the catalog.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Flags => "flags",
            Self::OneHot => "one_hot",
            Self::Thermometer => "thermometer",
            Self::Numbers => "numbers",
        }
    }
}

impl Field {
    const fn bits(kind: FieldKind, name: &'static str, shape: &'static [usize], meaning: &'static str) -> Self {
        Self { name, kind, shape, axis: shape.len().saturating_sub(1), min: 0, max: 1, by_seat: false, meaning }
    }

    /// Bits that each say yes or no.
    pub const fn flags(name: &'static str, shape: &'static [usize], meaning: &'static str) -> Self {
        Self::bits(FieldKind::Flags, name, shape, meaning)
    }

    /// Bits of which at most one is set.
    pub const fn one_hot(name: &'static str, shape: &'static [usize], meaning: &'static str) -> Self {
        Self::bits(FieldKind::OneHot, name, shape, meaning)
    }

    /// Bits of which as many are set, from the lowest, as there are of something.
    pub const fn thermometer(name: &'static str, shape: &'static [usize], meaning: &'static str) -> Self {
        Self::bits(FieldKind::Thermometer, name, shape, meaning)
    }

    /// Numbers from `min` to `max`.
    pub const fn numbers(
        name: &'static str,
        shape: &'static [usize],
        (min, max): (i16, i16),
        meaning: &'static str,
    ) -> Self {
        Self { min, max, ..Self::bits(FieldKind::Numbers, name, shape, meaning) }
    }

    /// The same field, a one-hot or a thermometer along another axis than the last: planes of a
    /// board, one a level.
    #[must_use]
    pub const fn along(self, axis: usize) -> Self {
        assert!(axis < self.shape.len(), "the field has this axis");
        Self { axis, ..self }
    }

    /// The same field, its first axis being seats.
    #[must_use]
    pub const fn by_seat(self) -> Self {
        Self { by_seat: true, ..self }
    }

    /// How many values it has.
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

/// Where a view writes its fields: a tensor to fill, or a list to make.
pub trait Sink {
    /// The next field of bits. Each word carries the same number of them, the lowest first: the
    /// field's size by the number of words, at most 64.
    fn bits(&mut self, field: Field, words: &[u64]);

    /// The next field of numbers, as many as its size says.
    fn numbers(&mut self, field: Field, values: &[i16]);
}

/// The sink that fills the two blocks of a row.
#[derive(Debug)]
pub struct Tensor<'a> {
    bits: &'a mut [u64],
    numbers: &'a mut [i16],
    /// The bits that do not fill a word yet, and how many they are.
    begun: u64,
    begun_bits: usize,
    next_word: usize,
    next_number: usize,
}

impl<'a> Tensor<'a> {
    /// Fills `bits` and `numbers` with what a view observes, whatever stood there.
    ///
    /// The blocks have the sizes that the layout names; a view that writes more or less panics.
    #[inline]
    pub fn fill(bits: &'a mut [u64], numbers: &'a mut [i16], view: &impl View) {
        let mut tensor = Self { bits, numbers, begun: 0, begun_bits: 0, next_word: 0, next_number: 0 };
        view.write(&mut tensor);
        if tensor.begun_bits > 0 {
            tensor.bits[tensor.next_word] = tensor.begun;
            tensor.next_word += 1;
        }
        assert_eq!(tensor.next_word, tensor.bits.len(), "the bits fill their block");
        assert_eq!(tensor.next_number, tensor.numbers.len(), "the numbers fill their block");
    }
}

impl Sink for Tensor<'_> {
    #[inline]
    fn bits(&mut self, field: Field, words: &[u64]) {
        let width = field.size() / words.len();
        for &word in words {
            debug_assert!(width == 64 || word >> width == 0, "{}: a bit too many", field.name);
            let room = 64 - self.begun_bits;
            self.begun |= word << self.begun_bits;
            if width < room {
                self.begun_bits += width;
            } else {
                self.bits[self.next_word] = self.begun;
                self.next_word += 1;
                // What there was no room for; nothing, where all 64 were free.
                self.begun = word.checked_shr(room as u32).unwrap_or(0);
                self.begun_bits = width - room;
            }
        }
    }

    #[inline]
    fn numbers(&mut self, field: Field, values: &[i16]) {
        debug_assert!(values.len() == field.size(), "{}: {} numbers", field.name, values.len());
        debug_assert!(
            values.iter().all(|value| (field.min..=field.max).contains(value)),
            "{}: {values:?} is out of range",
            field.name
        );
        self.numbers[self.next_number..self.next_number + values.len()].copy_from_slice(values);
        self.next_number += values.len();
    }
}

/// The layout of a game's observations: which field lies where in which block.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    /// The fields of the bit block, each with the place of its first bit.
    pub bits: Vec<(usize, Field)>,
    /// The fields of the number block, each with the place of its first number.
    pub numbers: Vec<(usize, Field)>,
}

impl Layout {
    /// How many bits a row has.
    pub fn bit_count(&self) -> usize {
        self.bits.last().map_or(0, |(offset, field)| offset + field.size())
    }

    /// How many numbers a row has.
    pub fn number_count(&self) -> usize {
        self.numbers.last().map_or(0, |(offset, field)| offset + field.size())
    }

    /// SHA-256 over everything that a reader of the blocks relies on, and over the meanings too.
    /// Checkpoints and records keep it; a client refuses another.
    pub fn hash(&self) -> [u8; 32] {
        let mut text = String::new();
        for (block, fields) in [("bits", &self.bits), ("numbers", &self.numbers)] {
            for (offset, field) in fields {
                let Field { name, kind, shape, axis, min, max, by_seat, meaning } = field;
                let kind = kind.name();
                writeln!(text, "{name} {block} {kind} {shape:?} {axis} {offset} {min} {max} {by_seat} {meaning}")
                    .expect("a string takes every text");
            }
        }
        Sha256::digest(text).into()
    }

    fn push(fields: &mut Vec<(usize, Field)>, field: Field) {
        let offset = fields.last().map_or(0, |(offset, last)| offset + last.size());
        fields.push((offset, field));
    }
}

impl Sink for Layout {
    fn bits(&mut self, field: Field, words: &[u64]) {
        let fits = field.size().is_multiple_of(words.len()) && field.size() / words.len() <= 64;
        assert!(fits, "{}: {} words for its bits", field.name, words.len());
        Self::push(&mut self.bits, field);
    }

    fn numbers(&mut self, field: Field, values: &[i16]) {
        assert_eq!(field.size(), values.len(), "{}: as many values as its shape has", field.name);
        Self::push(&mut self.numbers, field);
    }
}
