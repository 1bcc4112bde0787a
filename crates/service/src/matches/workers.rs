//! The work of the threads of a server, done step by step by a simulation.

use super::bot_pool::BotPool;
use super::journal::Writer;

/// The work of the threads of a server without threads: see [`Matches::stepped`]. [`Matches::advance`] does the work of the
/// timer.
///
/// [`Matches::stepped`]: super::Matches::stepped
/// [`Matches::advance`]: super::Matches::advance
pub struct Workers {
    journal: Option<Writer>,
    bots: BotPool,
}

opaque!(Workers);

impl Workers {
    pub(super) fn new(journal: Option<Writer>, bots: BotPool) -> Self {
        Self { journal, bots }
    }

    /// Commits the changes that wait in one transaction of the store, and carries out what follows from the commit, as the
    /// journal does. Returns false if the store fails, so that the changes still wait.
    pub fn commit(&mut self) -> bool {
        self.journal.as_mut().is_none_or(Writer::step)
    }

    /// Makes one decision of a bot, as a thread of the bot pool does. Returns false if no decision is due.
    pub fn decide(&self) -> bool {
        self.bots.step()
    }
}
