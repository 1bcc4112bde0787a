//! The comments of agents on their decisions. They stand beside the log of the match: no entry, no observation, and no digest has
//! them, and nobody gets them before the end.

use std::collections::HashMap;

use ahu_core::Seat;
use ahu_host::api::ApiError;
use ahu_host::visible_text;

use crate::limits::{MAX_COMMENT, MAX_COMMENTS};
use crate::proto::v1;
use crate::store::Comment;

/// The comments of a match.
#[derive(Debug, Default)]
pub(crate) struct Comments {
    /// All comments, in the order of the decisions.
    all: Vec<Comment>,
    /// The number of comments that the journal was given.
    written: usize,
}

impl Comments {
    /// Returns the comments of a match from a store.
    pub(crate) fn stored(all: Vec<Comment>) -> Self {
        Self { written: all.len(), all }
    }

    /// Refuses a comment that is too long or has hidden characters, or for which the seat has no room left.
    pub(crate) fn check(&self, seat: Seat, text: &str) -> Result<(), ApiError> {
        let refused = |message| Err(ApiError::bad_field("comment", message));
        let length = text.len();
        if length > MAX_COMMENT {
            return refused(format!("expected a comment of at most {MAX_COMMENT} bytes, got {length}"));
        }
        if text.chars().any(|character| character != '\n' && visible_text::is_hidden(character)) {
            let shown = visible_text::shown(text);
            return refused(format!("expected visible characters and line breaks, got \"{shown}\""));
        }
        let own = self.all.iter().filter(|comment| comment.seat == seat).map(|comment| comment.text.len());
        let left = MAX_COMMENTS - own.sum::<usize>();
        if length > left {
            let message =
                format!("expected at most {MAX_COMMENTS} bytes of comments for a seat, of which {left} are left");
            return refused(format!("{message}; got {length}"));
        }
        Ok(())
    }

    /// Adds a comment that was checked.
    pub(crate) fn add(&mut self, seat: Seat, decision: u32, text: String) {
        if !text.is_empty() {
            self.all.push(Comment { seat, decision, text });
        }
    }

    /// Returns the comments since the last call, for the journal.
    pub(crate) fn take_unwritten(&mut self) -> Vec<Comment> {
        let new = self.all[self.written..].to_vec();
        self.written = self.all.len();
        new
    }

    /// Forgets the comments that the journal was not given.
    pub(crate) fn forget_unwritten(&mut self) {
        self.all.truncate(self.written);
    }

    /// Returns the memory that the comments take, in bytes.
    pub(crate) fn size(&self) -> usize {
        self.all.iter().map(|comment| size_of::<Comment>() + comment.text.len()).sum()
    }

    /// Returns the comments by seat and number of the decision.
    pub(crate) fn by_decision(&self) -> HashMap<(Seat, u32), String> {
        self.all.iter().map(|comment| ((comment.seat, comment.decision), comment.text.clone())).collect()
    }

    /// Returns the comments as messages.
    pub(crate) fn messages(&self) -> Vec<v1::DecisionComment> {
        let message = |Comment { seat, decision, text }: &Comment| v1::DecisionComment {
            seat: Some(seat.index() as u32),
            decision_id: *decision,
            text: text.clone(),
        };
        self.all.iter().map(message).collect()
    }
}
