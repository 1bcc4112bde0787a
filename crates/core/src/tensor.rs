//! Tensors: the two blocks of an observation, bits and numbers, filled by the fields of a view.

use super::observation::{Field, Sink};
use super::view::Encode;

/// The memory of a block: its values, or their bytes.
pub trait Block<T> {
    /// Returns the number of values.
    fn count(&self) -> usize;

    /// Writes values from place `first` on.
    ///
    /// # Panics
    /// If the block ends before them.
    fn put(&mut self, first: usize, values: &[T]);
}

impl<T: Copy, A: AsRef<[T]> + AsMut<[T]> + ?Sized> Block<T> for &mut A {
    #[inline]
    fn count(&self) -> usize {
        (**self).as_ref().len()
    }

    #[inline]
    fn put(&mut self, first: usize, values: &[T]) {
        self.as_mut()[first..first + values.len()].copy_from_slice(values);
    }
}

/// A block as bytes, little-endian.
#[derive(Debug)]
pub struct BlockBytes<'a>(pub &'a mut [u8]);

macro_rules! block_as_bytes {
    ($($number:ty),+) => {$(
        impl Block<$number> for BlockBytes<'_> {
            #[inline]
            fn count(&self) -> usize {
                self.0.len() / size_of::<$number>()
            }

            #[inline]
            fn put(&mut self, first: usize, values: &[$number]) {
                const SIZE: usize = size_of::<$number>();
                let places = self.0[SIZE * first..][..SIZE * values.len()].as_chunks_mut().0;
                places.iter_mut().zip(values).for_each(|(place, value)| *place = value.to_le_bytes());
            }
        }
    )+};
}

block_as_bytes!(u64, i16);

/// The sink that fills the two blocks of a row.
#[derive(Debug)]
pub struct Tensor<B, N> {
    bits: B,
    numbers: N,
    /// The bits that do not fill a word yet; `begun_bits` is their number.
    begun: u64,
    begun_bits: usize,
    next_word: usize,
    next_number: usize,
}

impl<B: Block<u64>, N: Block<i16>> Tensor<B, N> {
    /// Fills `bits` and `numbers` with the observation of a view, and overwrites their old content.
    ///
    /// The blocks must have the sizes of the layout: a view that writes more or less panics.
    #[inline]
    pub fn fill(bits: B, numbers: N, view: &impl Encode) {
        let mut tensor = Self::begin(bits, numbers);
        view.write(&mut tensor);
        tensor.end();
    }

    /// Fills `bits` and `numbers` with the observations of several views, one after the other without gaps. The blocks must
    /// have the sizes of all views together.
    pub fn fill_with_all<V: Encode>(bits: B, numbers: N, views: impl IntoIterator<Item = V>) {
        let mut tensor = Self::begin(bits, numbers);
        views.into_iter().for_each(|view| view.write(&mut tensor));
        tensor.end();
    }

    #[inline]
    fn begin(bits: B, numbers: N) -> Self {
        Self { bits, numbers, begun: 0, begun_bits: 0, next_word: 0, next_number: 0 }
    }

    #[inline]
    fn end(mut self) {
        if self.begun_bits > 0 {
            self.bits.put(self.next_word, &[self.begun]);
            self.next_word += 1;
        }
        assert_eq!(self.next_word, self.bits.count(), "the written bits must fill their block");
        assert_eq!(self.next_number, self.numbers.count(), "the written numbers must fill their block");
    }
}

impl<B: Block<u64>, N: Block<i16>> Sink for Tensor<B, N> {
    #[inline]
    fn bits(&mut self, field: Field, words: &[u64]) {
        let width = field.size() / words.len();
        for &word in words {
            debug_assert!(width == 64 || word >> width == 0, "{}: more bits than the field has", field.name);
            let room = 64 - self.begun_bits;
            self.begun |= word << self.begun_bits;
            if width < room {
                self.begun_bits += width;
            } else {
                self.bits.put(self.next_word, &[self.begun]);
                self.next_word += 1;
                // The bits that did not fit; none if all 64 were free.
                self.begun = word.checked_shr(room as u32).unwrap_or(0);
                self.begun_bits = width - room;
            }
        }
    }

    #[inline]
    fn numbers(&mut self, field: Field, values: &[i16]) {
        debug_assert!(
            values.len() == field.size(),
            "{}: expected the field's size, got {} numbers",
            field.name,
            values.len()
        );
        debug_assert!(
            values.iter().all(|value| (field.min..=field.max).contains(value)),
            "{}: {values:?} is out of range",
            field.name
        );
        self.numbers.put(self.next_number, values);
        self.next_number += values.len();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_may_be_values_or_their_bytes() {
        let (mut values, mut bytes) = ([0; 5], [0; 10]);
        (&mut values[..]).put(1, &[-2, 300]);
        BlockBytes(&mut bytes).put(1, &[-2_i16, 300]);
        assert_eq!(bytes.as_chunks().0.iter().map(|&value| i16::from_le_bytes(value)).collect::<Vec<_>>(), values);
        assert_eq!(Block::<i16>::count(&BlockBytes(&mut bytes)), 5);
    }
}
