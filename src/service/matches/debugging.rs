//! Debugging: the answers of the agents of a match, kept for their authors, and decisions that wait until an author releases
//! them.
//!
//! A decision that waits is open, and its viewers see it, but its player is not asked yet. So an agent needs no code for
//! it: it waits as it waits for the turn of another seat.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

use ahu_engine::core::{BySeat, Seat, Seats};
use ahu_engine::host::{MatchTime, Referee};

/// The number of answers of each seat that are kept.
const KEPT: usize = 50;
/// The maximum length of an answer that is kept, in characters.
const LONGEST: usize = 300;

/// The terms on which a match is debugged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DebugConfig {
    /// True if decisions wait until [`LiveMatch::set_pace`] releases them.
    ///
    /// [`LiveMatch::set_pace`]: super::LiveMatch::set_pace
    pub pauses: bool,
}

/// A change of the pace of a match that is debugged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Pace {
    /// Release the decisions that are open now. Later ones wait.
    Step,
    /// Release all decisions from now on.
    Run,
    /// Let the decisions wait that nobody was asked for yet.
    Pause,
}

/// An answer of an agent, as its author sees it.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub(in crate::service) struct ToldAnswer {
    /// The number of the decision.
    pub(in crate::service) decision: u32,
    pub(in crate::service) text: String,
    /// The reason why the answer was refused; None if it was taken.
    pub(in crate::service) refused: Option<String>,
    /// The time that the agent took, in milliseconds.
    pub(in crate::service) took_ms: u64,
}

/// The debugging of a match.
#[derive(Debug)]
pub(super) struct Debugging {
    state: Mutex<State>,
    /// Announces each change.
    changes: watch::Sender<()>,
}

#[derive(Debug)]
struct State {
    /// False while decisions wait.
    is_running: bool,
    /// The last decision of each seat that was released one by one.
    released: BySeat<u32>,
    /// The time of the last release.
    released_at: MatchTime,
    /// The answers of each seat, by the index of the seat.
    answers: Vec<VecDeque<ToldAnswer>>,
}

impl Debugging {
    pub(super) fn new(config: DebugConfig, seats: Seats) -> Self {
        let state = State {
            is_running: !config.pauses,
            released: BySeat::from_fn(seats, |_| 0),
            released_at: MatchTime(0),
            answers: vec![VecDeque::new(); seats.count()],
        };
        Self { state: Mutex::new(state), changes: watch::Sender::new(()) }
    }

    /// Returns a value that changes with each answer and each change of the pace.
    pub(super) fn changes(&self) -> watch::Receiver<()> {
        self.changes.subscribe()
    }

    /// Announces the end of the match.
    pub(super) fn end(&self) {
        self.changes.send_replace(());
    }

    /// Returns true if the open decision of a seat was released.
    pub(super) fn has_released(&self, referee: &Referee, seat: Seat) -> bool {
        let state = self.lock();
        state.is_running || referee.decision(seat).is_some_and(|decision| decision <= state.released[seat])
    }

    /// Changes the pace at this time.
    pub(super) fn set_pace(&self, pace: Pace, referee: Option<&Referee>, now: MatchTime) {
        let mut state = self.lock();
        match (pace, referee) {
            // Those who were asked may answer.
            (Pace::Step, Some(referee)) => state.release_open(referee),
            (Pace::Pause, Some(referee)) if state.is_running => state.release_open(referee),
            _ => {}
        }
        state.is_running = pace == Pace::Run;
        if pace != Pace::Pause {
            state.released_at = now;
        }
        drop(state);
        self.changes.send_replace(());
    }

    /// Returns the time since which the player of a seat is asked for its open decision.
    pub(super) fn asked_since(&self, referee: &Referee, seat: Seat) -> Option<MatchTime> {
        referee.available_since(seat).map(|since| since.max(self.lock().released_at))
    }

    /// Keeps an answer of a seat. An answer that was sent again counts once.
    pub(super) fn note(&self, seat: Seat, mut answer: ToldAnswer) {
        if let Some((end, _)) = answer.text.char_indices().nth(LONGEST) {
            answer.text.truncate(end);
            answer.text.push_str("...");
        }
        let mut state = self.lock();
        let answers = &mut state.answers[seat.index()];
        let is_same = |last: &ToldAnswer| {
            (last.decision, &last.text, &last.refused) == (answer.decision, &answer.text, &answer.refused)
        };
        if answers.back().is_some_and(is_same) {
            return;
        }
        if answers.len() == KEPT {
            answers.pop_front();
        }
        answers.push_back(answer);
        drop(state);
        self.changes.send_replace(());
    }

    /// Returns true if decisions wait, and the last answers of a seat.
    pub(super) fn told(&self, seat: Seat) -> (bool, Vec<ToldAnswer>) {
        let state = self.lock();
        (!state.is_running, state.answers[seat.index()].iter().cloned().collect())
    }

    /// Nothing panics while it holds this lock.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Releases the decisions that are open now.
    fn release_open(&mut self, referee: &Referee) {
        for seat in referee.to_act().iter() {
            if let Some(decision) = referee.decision(seat) {
                self.released[seat] = self.released[seat].max(decision);
            }
        }
    }
}
