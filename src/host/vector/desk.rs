//! What a core has before it while it steps environments.

use super::ends::Ends;
use crate::core::{Game, Seat, Tensor, View, Viewer};

/// Where ends are put, and room for one observation.
pub(super) struct Desk<'a> {
    pub(super) ends: &'a mut Ends,
    pub(super) room: Room,
}

/// Room for one observation, as long as any may be.
pub(super) struct Room {
    words: [u64; 64],
    values: [i16; 128],
}

impl<'a> Desk<'a> {
    pub(super) fn new(ends: &'a mut Ends) -> Self {
        Self { ends, room: Room { words: [0; 64], values: [0; 128] } }
    }
}

impl Room {
    /// What `seat` knows, as bits and numbers.
    #[inline]
    pub(super) fn look<G: Game>(&mut self, game: &G, seat: Seat) -> (&[u64], &[i16]) {
        let words = &mut self.words[..G::View::BITS.div_ceil(64)];
        let values = &mut self.values[..G::View::NUMBERS];
        Tensor::fill(words, values, &game.view(Viewer::Seat(seat)).covered());
        (words, values)
    }
}
