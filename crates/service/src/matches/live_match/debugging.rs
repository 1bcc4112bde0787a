//! Debugging: the answers of the agents of a match, kept for the authors of the agents, and decisions that wait until an author
//! releases them.
//!
//! A pause holds the question, not the answer. A decision that waits is open, and its viewers see it, but `Observe` shows it to
//! its player only after its release. So an agent needs no code for a pause: it waits as it waits for the turn of another seat.
//! An answer that was held back would exceed the deadlines of its calls.

use std::collections::VecDeque;

use ahu_core::{BySeat, Seat, Seats};
use ahu_host::{MatchTime, Referee};

use super::{LiveMatch, LiveState, Supervisor};

/// The number of answers of each seat that are kept.
const KEPT: usize = 50;
/// The maximum length of an answer that is kept, in characters.
const LONGEST: usize = 300;

/// A command of an author who debugs a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DebugCommand {
    /// Release the decisions that are open now. Later ones wait.
    Step,
    /// Release the decisions that are open now, and those of the other seats up to the next decision of the author's seat.
    Next,
    /// Release all decisions from now on.
    Run,
    /// Hold the decisions for which nobody was asked yet.
    Pause,
}

/// An answer of an agent, as its author sees it.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub(crate) struct ToldAnswer {
    /// The number of the decision.
    pub(crate) decision: u32,
    pub(crate) text: String,
    /// The reason why the answer was refused; None if it was taken.
    pub(crate) refused: Option<String>,
    /// The time that the agent took, in milliseconds.
    pub(crate) took_ms: u64,
}

/// The debugging of a match, as the author of the agent at one seat sees it.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub(crate) struct Debugged {
    /// True if decisions wait until somebody releases them.
    #[serde(rename = "pausing")]
    is_pausing: bool,
    /// The last answers of the seat.
    answers: VecDeque<ToldAnswer>,
}

/// The debugging of a match.
#[derive(Debug)]
pub(crate) struct Debugging {
    /// False while decisions wait.
    is_running: bool,
    /// The seat up to whose next decision the others run; None if they wait.
    until: Option<Seat>,
    /// The last decision of each seat that a step released.
    released: BySeat<u32>,
    /// The time of the last release.
    released_at: MatchTime,
    /// The answers of each seat, by the index of the seat.
    answers: Vec<VecDeque<ToldAnswer>>,
}

impl Debugging {
    pub(crate) fn new(pauses: bool, seats: Seats) -> Self {
        Self {
            is_running: !pauses,
            until: None,
            released: BySeat::from_fn(seats, |_| 0),
            released_at: MatchTime(0),
            answers: vec![VecDeque::new(); seats.count()],
        }
    }

    /// Returns true if the open decision of a seat was released.
    pub(crate) fn has_released(&self, referee: &Referee, seat: Seat) -> bool {
        let is_released = |seat| referee.decision(seat).is_some_and(|decision| decision <= self.released[seat]);
        let waits_for = |own| referee.decision(own).is_some() && !is_released(own);
        self.is_running || is_released(seat) || self.until.is_some_and(|own| own != seat && !waits_for(own))
    }

    /// Carries out a command of the author of this seat at this time.
    fn set_pace(&mut self, pace: DebugCommand, own: Seat, referee: Option<&Referee>, now: MatchTime) {
        let releases_open =
            matches!(pace, DebugCommand::Step | DebugCommand::Next) || (pace == DebugCommand::Pause && self.is_running);
        // A player who was asked may answer.
        if let Some(referee) = referee.filter(|_| releases_open) {
            for seat in referee.to_act().iter() {
                self.released[seat] = self.released[seat].max(referee.decision(seat).unwrap_or(0));
            }
        }
        self.is_running = pace == DebugCommand::Run;
        self.until = (pace == DebugCommand::Next).then_some(own);
        if pace != DebugCommand::Pause {
            self.released_at = now;
        }
    }

    /// Keeps an answer of a seat. An answer that was sent again is kept once.
    fn note(&mut self, seat: Seat, mut answer: ToldAnswer) {
        if let Some((end, _)) = answer.text.char_indices().nth(LONGEST) {
            answer.text.truncate(end);
            answer.text.push_str("...");
        }
        let answers = &mut self.answers[seat.index()];
        let is_same = |last: &ToldAnswer| ToldAnswer { took_ms: last.took_ms, ..answer.clone() } == *last;
        if answers.back().is_some_and(is_same) {
            return;
        }
        if answers.len() == KEPT {
            answers.pop_front();
        }
        answers.push_back(answer);
    }
}

impl LiveState {
    /// Returns the debugging of the match; None if it is not debugged.
    pub(crate) fn debugging(&self) -> Option<&Debugging> {
        match &self.supervisor {
            Some(Supervisor::Author(debugging)) => Some(debugging),
            Some(Supervisor::Practice(_)) | None => None,
        }
    }

    /// Returns the time since which the player of a seat is asked for its decision; None if the player is not asked, or if the
    /// match is not debugged.
    pub(crate) fn asked_since(&self, seat: Seat) -> Option<MatchTime> {
        let released_at = self.debugging()?.released_at;
        Some(self.referee()?.available_since(seat)?.max(released_at))
    }

    /// Keeps an answer to a decision for the author of the agent, if the match is debugged. `asked_since` is the time that
    /// [`Self::asked_since`] returned before the answer.
    pub(crate) fn note_answer(
        &mut self,
        (seat, decision): (Seat, u32),
        text: &str,
        refused: Option<String>,
        asked_since: Option<MatchTime>,
    ) {
        if let (Some(Supervisor::Author(debugging)), Some(since)) = (&mut self.supervisor, asked_since) {
            let took_ms = self.now.0.saturating_sub(since.0);
            debugging.note(seat, ToldAnswer { decision, text: text.to_owned(), refused, took_ms });
            self.has_news = true;
        }
    }
}

impl LiveMatch {
    /// Carries out a command of the author of this seat. Players who are asked from now on play.
    pub fn set_pace(&self, pace: DebugCommand, own: Seat) {
        self.change(|state| {
            let (lifecycle, now) = (&state.lifecycle, state.now);
            if let Some(Supervisor::Author(debugging)) = &mut state.supervisor {
                debugging.set_pace(pace, own, lifecycle.referee(), now);
                state.has_news = true;
                state.play_quick_bots();
            }
        });
    }

    /// Returns the time since which the player of a seat is asked for its decision; None if the player is not asked, or if the
    /// match is not debugged.
    pub fn asked_since(&self, seat: Seat) -> Option<MatchTime> {
        self.look(|state| state.asked_since(seat))
    }

    /// Keeps an answer to a decision for the author of the agent, if the match is debugged. `since` is the time that
    /// [`Self::asked_since`] returned before the answer.
    pub fn note_answer(&self, answered: (Seat, u32), text: &str, refused: Option<&str>, since: Option<MatchTime>) {
        self.change(|state| state.note_answer(answered, text, refused.map(str::to_owned), since));
    }

    /// Returns the last answer of a seat that was refused, and the reason; None if none was, or if the match is not debugged.
    pub fn last_refusal(&self, seat: Seat) -> Option<(String, String)> {
        self.look(|state| {
            let mut answers = state.debugging()?.answers[seat.index()].iter().rev();
            answers.find_map(|answer| Some((answer.text.clone(), answer.refused.clone()?)))
        })
    }

    /// Returns the debugging of the match; None if it is not debugged.
    pub(crate) fn debugged(&self, seat: Seat) -> Option<Debugged> {
        self.look(|state| {
            let Debugging { is_running, answers, .. } = state.debugging()?;
            Some(Debugged { is_pausing: !is_running, answers: answers[seat.index()].clone() })
        })
    }
}
