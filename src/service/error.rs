//! Errors of the service: each a code, a reason for programs and a message for people. The only
//! place where an error becomes a status.

use std::collections::HashMap;
use std::io;
use std::num::NonZeroU8;

use tonic::{Code, Status};
use tonic_types::{ErrorDetails, StatusExt};

use super::limits::{MAX_MESSAGE_BYTES, MAX_METADATA_BYTES};
use crate::core::{OptionError, ParseError, PlayError, SeatSet};
use crate::host::{BatchError, StepError, UnknownGame};
use crate::proto::v1::ErrorReason;
use crate::proto::v1::run_response::Refused;

/// The domain of our reasons.
pub const DOMAIN: &str = "ahu";

/// An error on its way to a client.
#[derive(Debug)]
pub struct ApiError {
    code: Code,
    reason: ErrorReason,
    message: String,
    metadata: HashMap<String, String>,
    /// The field that is to blame, where one is.
    field: Option<&'static str>,
}

impl ApiError {
    /// What is wrong, for people.
    pub fn message(&self) -> &str {
        &self.message
    }

    fn new(code: Code, reason: ErrorReason, message: impl Into<String>) -> Self {
        Self { code, reason, message: message.into(), metadata: HashMap::new(), field: None }
    }

    fn with(mut self, key: &str, value: impl std::fmt::Display) -> Self {
        self.metadata.insert(key.to_owned(), shorten(value.to_string(), MAX_METADATA_BYTES));
        self
    }

    fn of_field(self, field: &'static str) -> Self {
        Self { field: Some(field), ..self }
    }

    pub(super) fn bad_field(field: &'static str, message: impl Into<String>) -> Self {
        Self::new(Code::InvalidArgument, ErrorReason::BadField, message).with("field", field).of_field(field)
    }

    pub(super) fn bad_name(message: String) -> Self {
        Self::new(Code::InvalidArgument, ErrorReason::BadName, message).of_field("name")
    }

    pub(super) fn unknown_match(match_id: &str) -> Self {
        let message = format!("no match is called \"{match_id}\"; it may have been dropped, as nothing happened in it");
        Self::new(Code::NotFound, ErrorReason::UnknownMatch, message).with("match_id", match_id)
    }

    pub(super) fn unknown_seat(seat: Option<u32>, seats: usize) -> Self {
        let message = match seat {
            Some(seat) => format!("there is no seat {seat}: the seats are 0 to {}", seats - 1),
            None => format!("which seat? They are 0 to {}", seats - 1),
        };
        let error = Self::new(Code::NotFound, ErrorReason::UnknownSeat, message).with("seat_count", seats);
        match seat {
            Some(seat) => error.with("seat", seat),
            None => error,
        }
    }

    pub(super) fn unknown_bot(error: &ParseError, bot: &str) -> Self {
        Self::new(Code::NotFound, ErrorReason::UnknownBot, error.message.clone()).with("bot", bot)
    }

    pub(super) fn seat_taken(match_id: &str, seat: Option<usize>) -> Self {
        let message = match seat {
            Some(seat) => format!("seat {seat} of match {match_id} is taken"),
            None => format!("no seat of match {match_id} is open"),
        };
        let error = Self::new(Code::AlreadyExists, ErrorReason::SeatTaken, message).with("match_id", match_id);
        match seat {
            Some(seat) => error.with("seat", seat),
            None => error,
        }
    }

    pub(super) fn no_token() -> Self {
        let message = "this call needs the seat's token, as metadata \"authorization: Bearer <seat_token>\"";
        Self::new(Code::Unauthenticated, ErrorReason::NoToken, message)
    }

    pub(super) fn wrong_token() -> Self {
        Self::new(Code::PermissionDenied, ErrorReason::WrongToken, "the token is not that of this seat of this match")
    }

    pub(super) fn not_started(match_id: &str) -> Self {
        let message = format!("match {match_id} has not begun: seats are still open");
        Self::new(Code::FailedPrecondition, ErrorReason::MatchNotStarted, message).with("match_id", match_id)
    }

    pub(super) fn not_finished() -> Self {
        Self::bad_field("format", "the match is not finished: what was told of it can be had as TEXT alone")
    }

    pub(super) fn no_such_event(after: u32, count: usize) -> Self {
        let message = format!("the seat has been told {count} events, so that none comes after number {after}");
        Self::bad_field("formats.events_after", message)
    }

    pub(super) fn bad_text(error: &ParseError) -> Self {
        let message = format!("{} (at byte {})", error.message, error.at);
        Self::new(Code::InvalidArgument, ErrorReason::BadAction, message).with("at", error.at).of_field("text")
    }

    pub(super) fn bad_message(message: String) -> Self {
        Self::new(Code::InvalidArgument, ErrorReason::BadAction, message).of_field("typed")
    }

    pub(super) fn no_such_action(id: u32, count: usize) -> Self {
        let message = format!("expected an action id from 0 to {}, got {id}", count - 1);
        let error = Self::new(Code::InvalidArgument, ErrorReason::UnknownAction, message);
        error.with("action_count", count).of_field("action_id")
    }

    pub(super) fn request_id_reused() -> Self {
        let message = "this request_id was used for another request; each request has one of its own";
        Self::new(Code::AlreadyExists, ErrorReason::RequestIdReused, message).of_field("request_id")
    }

    pub(super) fn log_failed(match_id: &str) -> Self {
        let message = format!("the log of match {match_id} cannot be written, so it stands still");
        Self::new(Code::Unavailable, ErrorReason::LogFailed, message).with("match_id", match_id)
    }

    pub(super) fn is_seat_taken(&self) -> bool {
        self.reason == ErrorReason::SeatTaken
    }

    pub(super) fn too_many_matches(limit: usize) -> Self {
        let message = format!("the server hosts {limit} matches that are not finished, as many as it can");
        Self::new(Code::ResourceExhausted, ErrorReason::TooManyMatches, message).with("limit", limit)
    }

    pub(super) fn too_many_environments(limit: usize, left: usize) -> Self {
        let message = format!("the server has {limit} environments at most, and {left} of them are left");
        let error = Self::new(Code::ResourceExhausted, ErrorReason::TooManyEnvironments, message);
        error.with("limit", limit).with("left", left)
    }

    pub(super) fn too_many_streams(limit: usize) -> Self {
        let message = format!("the server runs {limit} streams of environments, as many as it can");
        Self::new(Code::ResourceExhausted, ErrorReason::TooManyStreams, message).with("limit", limit)
    }

    pub(super) fn no_thread(limit: usize, error: &io::Error) -> Self {
        let message = format!("the server cannot start a thread for the stream: {error}");
        Self::new(Code::ResourceExhausted, ErrorReason::TooManyStreams, message).with("limit", limit)
    }

    pub(super) fn foreign_environment(environment: u32, group: u32, (first, last): (u32, u32)) -> Self {
        let message = format!("environment {environment} is not of group {group}, whose are {first} to {last}");
        Self::bad_field("env_ids", message).with("environment", environment)
    }

    pub(super) fn closing() -> Self {
        Self::new(Code::Unavailable, ErrorReason::Closing, "the server is closing")
    }
}

impl From<UnknownGame> for ApiError {
    fn from(error: UnknownGame) -> Self {
        Self::new(Code::NotFound, ErrorReason::UnknownGame, error.to_string()).with("game", &error.0)
    }
}

impl From<OptionError> for ApiError {
    fn from(error: OptionError) -> Self {
        let message = error.to_string();
        let bad_option =
            |message| Self::new(Code::InvalidArgument, ErrorReason::BadOption, message).of_field("options");
        match error {
            OptionError::Seats { asked, .. } => {
                let error = Self::new(Code::InvalidArgument, ErrorReason::BadSeatCount, message);
                error.with("seat_count", asked).of_field("seat_count")
            }
            OptionError::Unknown { key, .. } | OptionError::Twice { key } | OptionError::Value { key, .. } => {
                bad_option(message).with("key", key)
            }
            OptionError::Together(_) => bad_option(message),
        }
    }
}

impl ApiError {
    /// What the referee of the match `match_id` refused: the action of this id, which need not be one of
    /// the game's. `strikes` are those that the seat has now, and with how many it forfeits.
    pub(super) fn refused(error: StepError, id: u32, match_id: &str, strikes: Option<(u8, NonZeroU8)>) -> Self {
        let message = error.to_string();
        let precondition = |reason, message| Self::new(Code::FailedPrecondition, reason, message);
        match error {
            StepError::Play(PlayError::Over) => precondition(ErrorReason::GameOver, message).with("match_id", match_id),
            StepError::Play(PlayError::NotYourDecision { to_act, .. }) => {
                precondition(ErrorReason::NotYourDecision, message).with("to_act", seats(to_act))
            }
            StepError::Play(PlayError::NoSuchAction { count, .. }) => Self::no_such_action(id, count).counted(strikes),
            StepError::Play(PlayError::Illegal { legal, .. }) => {
                precondition(ErrorReason::IllegalAction, message).with("legal", legal.ranges()).counted(strikes)
            }
            StepError::Taken { id, .. } => {
                Self::new(Code::Aborted, ErrorReason::DecisionTaken, message).with("taken_action_id", id)
            }
            StepError::Stale { open, .. } => {
                Self::new(Code::Aborted, ErrorReason::StaleDecision, message).with("open_decision_id", open)
            }
            StepError::Forfeited(_) => precondition(ErrorReason::Forfeited, message),
        }
    }

    /// Says which strike this was, where they count.
    fn counted(self, strikes: Option<(u8, NonZeroU8)>) -> Self {
        let Some((strike, strikes)) = strikes else { return self };
        let forfeits = if strike == strikes.get() { ": the seat forfeits" } else { "" };
        let message = format!("strike {strike} of {strikes}{forfeits}; {}", self.message);
        Self { message, ..self }.with("strike", strike).with("strikes", strikes)
    }
}

impl From<BatchError> for ApiError {
    fn from(error: BatchError) -> Self {
        let message = error.to_string();
        match error {
            BatchError::Count { what, .. } => Self::bad_field(what, message),
            BatchError::Unknown { environment, .. } => {
                Self::bad_field("environment", message).with("environment", environment)
            }
            BatchError::NotRising { environment } => {
                Self::bad_field("env_ids", message).with("environment", environment)
            }
            BatchError::NoEpisode { environment } => {
                Self::new(Code::FailedPrecondition, ErrorReason::NoEpisode, message).with("environment", environment)
            }
            BatchError::Illegal { environment, id, legal } => {
                let error = Self::new(Code::FailedPrecondition, ErrorReason::IllegalAction, message);
                error.with("environment", environment).with("action_id", id).with("legal", legal.ranges())
            }
            BatchError::NotExternal { environment, seat, .. } => {
                let error = Self::bad_field("seat", message);
                error.with("environment", environment).with("seat", seat)
            }
        }
    }
}

fn seats(to_act: SeatSet) -> String {
    to_act.iter().map(|seat| seat.to_string()).collect::<Vec<_>>().join(",")
}

/// Within a stream, which goes on.
impl From<ApiError> for Refused {
    fn from(error: ApiError) -> Self {
        let message = shorten(error.message, MAX_MESSAGE_BYTES);
        tracing::debug!(reason = error.reason.as_str_name(), message, "request refused");
        Self { reason: error.reason.into(), message, metadata: error.metadata.into_iter().collect() }
    }
}

impl From<ApiError> for Status {
    fn from(error: ApiError) -> Self {
        let message = shorten(error.message, MAX_MESSAGE_BYTES);
        let reason = error.reason.as_str_name().trim_start_matches("ERROR_REASON_");
        match error.code {
            Code::ResourceExhausted => tracing::warn!(reason, message, "call refused"),
            code => tracing::debug!(?code, reason, message, "call refused"),
        }
        let mut details = ErrorDetails::with_error_info(reason, DOMAIN, error.metadata);
        if let Some(field) = error.field {
            details.add_bad_request_violation(field, message.clone());
        }
        Self::with_error_details(error.code, message, details)
    }
}

/// The start of a text: as much as fits into so many bytes, once it is percent-encoded for a trailer.
fn shorten(mut text: String, bytes: usize) -> String {
    const MARK: &str = "...";
    let encoded = |character| match character {
        // What tonic encodes, which is more than gRPC asks for.
        ' ' | '"' | '#' | '%' | '<' | '>' | '?' | '`' | '{' | '}' => 3,
        '!'..='~' => 1,
        character => 3 * character.len_utf8(),
    };
    if text.chars().map(encoded).sum::<usize>() > bytes {
        let mut used = MARK.len();
        let end = text.char_indices().find(|&(_, character)| {
            used += encoded(character);
            used > bytes
        });
        text.truncate(end.map_or(0, |(at, _)| at));
        text.push_str(MARK);
    }
    text
}
