//! The lifecycle of a match: it waits for players, then its referee plays, then it has ended. It is the fold of the entries of
//! the match.

use ahu_host::api::ApiError;
use ahu_host::{Ending, Entry, Referee};

use crate::proto::v1::MatchState;
use crate::refusals;

/// The stages of a match, with its referee once it has begun.
#[derive(Debug, Default)]
pub(crate) struct Lifecycle {
    /// None until every seat is taken.
    referee: Option<Referee>,
    /// The only entry of a match that ended before it began.
    ended_early: Option<Entry>,
}

impl Lifecycle {
    /// Returns the lifecycle of a match that has begun.
    pub(crate) fn begun(referee: Referee) -> Self {
        Self { referee: Some(referee), ended_early: None }
    }

    /// Returns the lifecycle of a match that ended with this entry before it began.
    pub(crate) fn ended_early(entry: Entry) -> Self {
        Self { referee: None, ended_early: Some(entry) }
    }

    pub(crate) fn referee(&self) -> Option<&Referee> {
        self.referee.as_ref()
    }

    pub(crate) fn referee_mut(&mut self) -> Option<&mut Referee> {
        self.referee.as_mut()
    }

    /// Returns the referee of the match `match_id`. Refuses a call for a match that has not begun, or that has ended before.
    pub(crate) fn started(&self, match_id: &str) -> Result<&Referee, ApiError> {
        self.referee.as_ref().ok_or_else(|| match self.ending() {
            Some(ending) => ApiError::ended(&ending, match_id),
            None => refusals::not_started(match_id),
        })
    }

    /// Returns the referee, as [`Self::started`] does, for a call that changes the match.
    pub(crate) fn started_mut(&mut self, match_id: &str) -> Result<&mut Referee, ApiError> {
        self.started(match_id)?;
        Ok(self.referee.as_mut().expect("the match has begun"))
    }

    /// Returns the reason why the match ended; None before the end.
    pub(crate) fn ending(&self) -> Option<Ending> {
        match (&self.referee, &self.ended_early) {
            (Some(referee), _) => referee.ending(),
            (None, Some(Entry::Cancelled(reason))) => Some(Ending::Cancelled(reason.clone())),
            (None, Some(Entry::Void(reason))) => Some(Ending::Void(reason.clone())),
            (None, _) => None,
        }
    }

    pub(crate) fn state(&self) -> MatchState {
        match (self.ending(), &self.referee) {
            (Some(Ending::Finished), _) => MatchState::Finished,
            (Some(Ending::Cancelled(_)), _) => MatchState::Cancelled,
            (Some(Ending::Void(_)), _) => MatchState::Void,
            (None, Some(_)) => MatchState::Running,
            (None, None) => MatchState::Seating,
        }
    }

    /// Returns the reason why the match was cancelled or is void; empty for other matches.
    pub(crate) fn end_reason(&self) -> String {
        match self.ending() {
            Some(Ending::Cancelled(reason) | Ending::Void(reason)) => reason,
            Some(Ending::Finished) | None => String::new(),
        }
    }

    /// Returns the lifecycle as it stood before the first entry. A match that ended before it began has only its end.
    pub(crate) fn rewound(&self) -> Self {
        Self { referee: self.referee.as_ref().map(Referee::rewound), ended_early: self.ended_early.clone() }
    }

    /// Applies the next entry of the log of the same match.
    ///
    /// # Panics
    /// If the match has not begun, or wrote another entry at this point.
    pub(crate) fn follow(&mut self, entry: &Entry) {
        let referee = self.referee.as_mut().expect("only a match that has begun has entries to follow");
        referee.apply(entry).expect("the match has written the entry");
    }

    /// Returns the entries so far, with all secrets.
    pub(crate) fn entries(&self) -> &[Entry] {
        match &self.referee {
            Some(referee) => referee.entries(),
            None => self.ended_early.as_slice(),
        }
    }
}
