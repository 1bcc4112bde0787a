//! The actions of an episode, which a save has.

/// The number of actions that are kept beside the state.
const RECENT: usize = 16;

/// The ids of the actions of an episode, in order. The last ones lie in the environment itself, whose memory a step uses anyway:
/// a step seldom waits for the memory of the others.
#[derive(Debug, Default)]
pub(super) struct Actions {
    recent: [u16; RECENT],
    /// The number of recent actions, below `RECENT`.
    count: usize,
    earlier: Vec<u16>,
}

impl Actions {
    #[inline]
    pub(super) fn push(&mut self, id: u16) {
        self.recent[self.count % RECENT] = id;
        self.count += 1;
        if self.count == RECENT {
            self.move_recent();
        }
    }

    #[cold]
    fn move_recent(&mut self) {
        self.earlier.extend_from_slice(&self.recent);
        self.count = 0;
    }

    /// Removes all actions, and keeps the memory.
    pub(super) fn clear(&mut self) {
        self.earlier.clear();
        self.count = 0;
    }

    pub(super) fn to_vec(&self) -> Vec<u16> {
        [&self.earlier[..], &self.recent[..self.count]].concat()
    }

    /// Returns the memory beside the environment, in bytes.
    pub(super) fn size(&self) -> usize {
        self.earlier.capacity() * size_of::<u16>()
    }
}
