//! The working memory of a core that steps environments.

use ahu_core::{Encode, Tensor};

use super::final_steps::FinalSteps;

/// The destination of final steps, and room for one observation.
pub(super) struct Scratch<'a> {
    pub(super) final_steps: &'a mut FinalSteps,
    pub(super) room: ObservationBuffer,
}

/// Room for one observation of the largest possible size.
pub(crate) struct ObservationBuffer {
    words: [u64; 64],
    values: [i16; 128],
}

impl ObservationBuffer {
    pub(crate) fn new() -> Self {
        Self { words: [0; 64], values: [0; 128] }
    }

    /// Returns the observation that was written last, a view of the type `V`.
    #[inline]
    pub(super) fn last<V: Encode>(&self) -> (&[u64], &[i16]) {
        (&self.words[..V::BITS.div_ceil(64)], &self.values[..V::NUMBERS])
    }

    /// Returns the observation of a shown view, as bits and numbers.
    #[inline]
    pub(super) fn write<V: Encode>(&mut self, shown: &V) -> (&[u64], &[i16]) {
        let words = &mut self.words[..V::BITS.div_ceil(64)];
        let values = &mut self.values[..V::NUMBERS];
        Tensor::fill(words, values, shown);
        (words, values)
    }
}
