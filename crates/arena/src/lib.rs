//! The arena: plays games between players of any kind.
//!
//! A [`Runner`] plays the many games of a duel, a benchmark, or a cup. A [`Schedule`] says which game comes next and what a
//! result means; a [`Venue`] hosts the matches, in this process or on a server elsewhere. An [`Agent`] is played by a bot, a
//! net, a program that this process starts (`programs/`), or a program elsewhere. Logs, clocks, forfeits, and void games are
//! the arena's.
//!
//! **It must not know** the command line: it prints nothing and reads no arguments. News go to the caller ([`News`]), programs
//! write where the caller says ([`programs::Output`]), and errors are [`Error`].

#![expect(missing_debug_implementations, reason = "venues and programs hold sockets, threads, and writers")]

mod agent;
mod agent_queues;
pub mod channel;
mod error;
#[cfg(any(test, fuzzing))]
pub mod fuzzing {
    //! The targets of private code (`fuzz/targets/lib.rs`).

    pub use crate::programs::line_agent::fuzzing as line_protocol;

    ahu_fuzz_targets::replays! {
        line_protocol
    }
}
mod listener;
mod logs;
pub mod nets;
mod player;
pub mod programs;
mod runner;
mod schedule;
mod scratch_folders;
mod venue;
mod void_games;

use std::sync::{Mutex, MutexGuard, PoisonError};

pub use agent::{Agent, AgentPlayer, CALLABLE};
pub use agent_queues::{AgentQueue, Queues};
pub use channel::ServerAddress;
pub use error::Error;
pub use listener::{listener_at, raise_open_file_limit};
pub use logs::Logs;
pub use player::Player;
pub use runner::{AtStop, Runner};
pub use schedule::{Effect, Next, Schedule};
pub use venue::{LocalVenue, Played, RemoteAgent, RemoteVenue, Slot, Surroundings, Venue};
pub use void_games::MAX_ATTEMPTS;

/// The place to which a run sends its news, for people.
pub trait News {
    /// Tells a line.
    fn tell(&mut self, line: &str);

    /// Says that the run goes on. The text describes its progress; it is made only where it is shown.
    fn progress(&mut self, text: &dyn Fn() -> String);
}

/// Locks a mutex, and ignores poisoning: no holder leaves its value half changed.
fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
