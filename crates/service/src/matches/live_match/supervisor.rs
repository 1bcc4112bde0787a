//! Supervisors of a match: the authors who debug its agents, or the practice of one agent. A supervisor is told of the answers
//! of agents. It may hold decisions, and withhold answers from an agent.

use ahu_core::{Seat, Seats};
use ahu_host::Referee;
use ahu_host::api::ApiError;

use super::debugging::Debugging;
use super::practice_log::{PracticeLog, Stepped};
use super::{Answer, LiveState};

/// The kind of supervisor of a new match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SupervisorConfig {
    /// The authors of the agents debug them.
    Author {
        /// True if decisions wait until [`LiveMatch::set_pace`] releases them.
        ///
        /// [`LiveMatch::set_pace`]: crate::matches::LiveMatch::set_pace
        pauses: bool,
    },
    /// An agent practises: the server notes its faults, and withholds some answers on purpose.
    Practice,
}

/// The supervisor of a match. It is a part of the match, under the same lock.
#[derive(Debug)]
pub(crate) enum Supervisor {
    Author(Debugging),
    Practice(PracticeLog),
}

impl Supervisor {
    pub(crate) fn new(config: SupervisorConfig, seats: Seats) -> Self {
        match config {
            SupervisorConfig::Author { pauses } => Self::Author(Debugging::new(pauses, seats)),
            SupervisorConfig::Practice => Self::Practice(PracticeLog::default()),
        }
    }
}

impl LiveState {
    /// Answers a decision of a seat by `step`, and tells the supervisor of it. Returns the response for the agent.
    pub(crate) fn supervised(
        &mut self,
        (seat, decision): (Seat, u32),
        answer: Answer,
        step: impl FnOnce(&mut Self, Answer) -> Stepped,
    ) -> Stepped {
        if self.supervisor.is_none() {
            return step(self, answer);
        }
        let (text, asked_since) = (answer.text(self.facts.head.setup.rules()), self.asked_since(seat));
        let response = step(self, answer);
        // The supervisor has an answer that was sent again already.
        if !response.as_ref().is_ok_and(|response| response.replayed) {
            self.note_answer((seat, decision), &text, response.as_ref().err().map(ApiError::message), asked_since);
        }
        match &mut self.supervisor {
            Some(Supervisor::Practice(log)) => log.note(response, &self.facts.head.id),
            Some(Supervisor::Author(_)) | None => response,
        }
    }

    /// Returns true if the player of a seat may be asked for its open decision.
    pub(crate) fn has_released(&self, referee: &Referee, seat: Seat) -> bool {
        self.debugging().is_none_or(|debugging| debugging.has_released(referee, seat))
    }
}
