//! The error of the API: a reason for programs, a message for people, and the facts behind it.

use std::collections::HashMap;
use std::fmt::Display;
use std::num::NonZeroU8;

use ahu_core::{OptionError, ParseError, PlayError, SeatSet, hex};
use ahu_messages::v1::ErrorReason;

use crate::outcome::ending_fields;
use crate::{AnyRules, BatchError, BotName, Ending, StepError, UnknownGame, layout_hash};

/// The maximum length of an error's message, in bytes when percent-encoded. Errors travel as trailers, which clients
/// limit to 8 KiB; a message goes in up to three times, and most of it a third longer as base64.
const MAX_MESSAGE_BYTES: usize = 512;

/// The maximum length of a value in the metadata of an error, in bytes when percent-encoded. The legal ids of a game
/// of a thousand actions, as ranges, seldom need more.
const MAX_METADATA_BYTES: usize = 1024;

/// The code of an error, with its number in gRPC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    /// The request is wrong in itself.
    InvalidArgument = 3,
    /// There is no such thing.
    NotFound = 5,
    /// Somebody else has it already.
    AlreadyExists = 6,
    /// The caller may not do this.
    PermissionDenied = 7,
    /// A limit is reached.
    ResourceExhausted = 8,
    /// The state does not allow this now.
    FailedPrecondition = 9,
    /// Something else came first.
    Aborted = 10,
    /// The host is at fault.
    Internal = 13,
    /// The host cannot answer now.
    Unavailable = 14,
    /// Stored data are damaged.
    DataLoss = 15,
    /// The caller has not said who it is.
    Unauthenticated = 16,
}

impl Code {
    /// Returns the code that a reason has. `proto/ahu/v1/errors.proto` shows the same table.
    pub fn of(reason: ErrorReason) -> Self {
        use ErrorReason as Reason;
        match reason {
            Reason::BadSeatCount
            | Reason::BadOption
            | Reason::BadName
            | Reason::BadField
            | Reason::BadAction
            | Reason::UnknownAction
            | Reason::UndecodableRequest => Self::InvalidArgument,
            Reason::UnknownGame | Reason::UnknownMatch | Reason::UnknownSeat | Reason::UnknownBot | Reason::NoCup => {
                Self::NotFound
            }
            Reason::SeatTaken | Reason::RequestIdReused => Self::AlreadyExists,
            Reason::NoToken | Reason::NoKey | Reason::BadKey => Self::Unauthenticated,
            Reason::WrongToken | Reason::SeatReserved | Reason::MissingScope => Self::PermissionDenied,
            Reason::MatchNotStarted
            | Reason::NotYourDecision
            | Reason::IllegalAction
            | Reason::Forfeited
            | Reason::MatchEnded
            | Reason::NoResignation
            | Reason::RulesMissing
            | Reason::MatchSealed
            | Reason::MatchNotEnded
            | Reason::RulesMismatch
            | Reason::LayoutMismatch
            | Reason::TlsExpected
            | Reason::NoEpisode
            | Reason::NoQueue
            | Reason::NoOrganiser
            | Reason::CupNotEnded
            | Reason::EntryRefused => Self::FailedPrecondition,
            Reason::StaleDecision | Reason::DecisionTaken | Reason::StreamNotOpened => Self::Aborted,
            Reason::TooManyMatches
            | Reason::TooManyEnvironments
            | Reason::TooManyStreams
            | Reason::TooManyWatchers
            | Reason::RequestTooLarge
            | Reason::OverShare => Self::ResourceExhausted,
            Reason::Closing | Reason::MatchSuspended | Reason::OrganiserAwaited => Self::Unavailable,
            Reason::MatchDamaged => Self::DataLoss,
            Reason::Unspecified => Self::Internal,
        }
    }
}

/// An error on its way to a client.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{message}")]
pub struct ApiError {
    /// The reason, for programs.
    pub reason: ErrorReason,
    message: String,
    /// The facts behind the message, by key; `proto/` lists the keys of each reason.
    pub metadata: HashMap<String, String>,
    /// The field of the request that is wrong, if there is one.
    pub field: Option<&'static str>,
}

impl ApiError {
    /// Creates an error without metadata.
    pub fn new(reason: ErrorReason, message: impl Into<String>) -> Self {
        Self { reason, message: message.into(), metadata: HashMap::new(), field: None }
    }

    /// Adds a value to the metadata.
    #[must_use]
    pub fn with(mut self, key: &str, value: impl Display) -> Self {
        self.metadata.insert(key.to_owned(), shorten(value.to_string(), MAX_METADATA_BYTES));
        self
    }

    /// Names the field of the request that is wrong.
    #[must_use]
    pub fn of_field(self, field: &'static str) -> Self {
        Self { field: Some(field), ..self }
    }

    /// Returns the code that an error with this reason has.
    pub fn code(&self) -> Code {
        Code::of(self.reason)
    }

    /// Returns the message, for people: at most 512 bytes when percent-encoded.
    pub fn message(&self) -> String {
        shorten(self.message.clone(), MAX_MESSAGE_BYTES)
    }

    /// Reports a field with a wrong value.
    pub fn bad_field(field: &'static str, message: impl Into<String>) -> Self {
        Self::new(ErrorReason::BadField, message).with("field", field).of_field(field)
    }

    /// Reads the value of an enum in a field.
    pub fn read_value<E: TryFrom<i32>>(field: &'static str, value: i32) -> Result<E, Self> {
        value.try_into().map_err(|_| Self::bad_field(field, format!("expected a value of the enum, got {value}")))
    }

    /// Reports a missing seat, or a seat that the game does not have.
    pub fn unknown_seat(seat: Option<impl Display>, seats: usize) -> Self {
        let got = seat.as_ref().map_or_else(|| "none".to_owned(), ToString::to_string);
        let message = format!("expected a seat from 0 to {}, got {got}", seats - 1);
        let error = Self::new(ErrorReason::UnknownSeat, message).with("seat_count", seats);
        if let Some(seat) = seat { error.with("seat", seat) } else { error }
    }

    /// Reports a bot that the game does not have.
    pub fn unknown_bot(error: &ParseError, bot: &str) -> Self {
        Self::new(ErrorReason::UnknownBot, error.message.clone()).with("bot", bot)
    }

    /// Reports a bot that the game has, with a budget that is refused.
    pub fn bad_bot(message: impl Into<String>, bot: BotName) -> Self {
        Self::new(ErrorReason::UnknownBot, message).with("bot", bot)
    }

    /// Reports a text that is not an action.
    pub fn bad_text(error: &ParseError) -> Self {
        let message = format!("{} (at byte {})", error.message, error.at);
        Self::new(ErrorReason::BadAction, message).with("at", error.at).of_field("text")
    }

    /// Reports a typed message that is not an action.
    pub fn bad_message(message: String) -> Self {
        Self::new(ErrorReason::BadAction, message).of_field("typed")
    }

    /// Reports an action id that the game does not have.
    pub fn no_such_action(id: impl Display, count: usize) -> Self {
        let message = format!("expected an action id from 0 to {}, got {id}", count - 1);
        Self::new(ErrorReason::UnknownAction, message).with("action_count", count).of_field("action_id")
    }

    /// Refuses a caller who expects another rules version or another layout. An absent version and an empty hash expect nothing.
    pub fn check_expected(
        rules: &dyn AnyRules,
        rules_version: Option<u32>,
        expected_layout: &[u8],
    ) -> Result<(), Self> {
        let (id, version) = (rules.info().id, rules.info().rules);
        if let Some(expected) = rules_version.filter(|&expected| expected != version) {
            let message = format!("expected rules version {expected} of {id}, and this server has version {version}");
            return Err(Self::new(ErrorReason::RulesMismatch, message)
                .with("expected", expected)
                .with("served", version));
        }
        let served = layout_hash(rules);
        if !expected_layout.is_empty() && expected_layout != served {
            let (expected, served) = (hex(expected_layout), hex(&served));
            let message = format!("expected the layout {expected:.16} of {id}, and this server has {served:.16}");
            return Err(Self::new(ErrorReason::LayoutMismatch, message)
                .with("expected", expected)
                .with("served", served));
        }
        Ok(())
    }

    /// Returns the time after which the same call may succeed, in milliseconds; None for an error that waiting does not cure.
    pub fn retry_ms(&self) -> Option<u32> {
        match (self.code(), self.reason) {
            // Matches go on within moments, and a practice match answers the next try.
            (_, ErrorReason::MatchSuspended) => Some(200),
            (Code::Unavailable, _) => Some(1000),
            (_, ErrorReason::RequestTooLarge) => None,
            (Code::ResourceExhausted, _) => Some(5000),
            _ => None,
        }
    }

    /// Reports a match that has ended.
    pub fn ended(ending: &Ending, match_id: &str) -> Self {
        let state = ending_fields(Some(ending)).0.to_uppercase();
        let message = StepError::Ended(ending.clone()).to_string();
        Self::new(ErrorReason::MatchEnded, message).with("match_id", match_id).with("state", state)
    }

    /// Reports an action that the rules refuse. The game need not have an action with this id.
    pub fn not_played(error: PlayError, id: u32) -> Self {
        let message = error.to_string();
        match error {
            PlayError::Over => Self::new(ErrorReason::MatchEnded, message).with("state", "FINISHED"),
            PlayError::NotYourDecision { to_act, .. } => {
                Self::new(ErrorReason::NotYourDecision, message).with("to_act", seats(to_act))
            }
            PlayError::NoSuchAction { count, .. } => Self::no_such_action(id, count),
            PlayError::Illegal { legal, .. } => {
                Self::new(ErrorReason::IllegalAction, message).with("legal", legal.ranges())
            }
        }
    }

    /// Reports a call that the referee of the match `match_id` refused. The game need not have an action with this id.
    pub fn refused(error: StepError, id: u32, match_id: &str) -> Self {
        let message = error.to_string();
        match error {
            StepError::Play(PlayError::Over) => Self::not_played(PlayError::Over, id).with("match_id", match_id),
            StepError::Play(error) => Self::not_played(error, id),
            StepError::Taken { id, .. } => Self::new(ErrorReason::DecisionTaken, message).with("taken_action_id", id),
            StepError::Stale { open, .. } => {
                Self::new(ErrorReason::StaleDecision, message).with("open_decision_id", open)
            }
            StepError::Forfeited { cause, .. } => {
                Self::new(ErrorReason::Forfeited, message).with("cause", cause.name().to_uppercase())
            }
            StepError::PlayedByBot(_) => Self::new(ErrorReason::NotYourDecision, message),
            StepError::Ended(ending) => Self::ended(&ending, match_id),
            StepError::NoResignation => Self::new(ErrorReason::NoResignation, message).with("match_id", match_id),
        }
    }

    /// Adds the consequences of a refused action: the strikes of the seat and the number with which it forfeits, if the
    /// fault is a strike, and whether the seat `forfeits`.
    #[must_use]
    pub fn counted(self, strikes: Option<(u8, NonZeroU8)>, forfeits: bool) -> Self {
        let message = match (strikes, forfeits) {
            (None, false) => return self,
            (None, true) => format!("the seat forfeits; {}", self.message),
            (Some((strike, strikes)), false) => format!("strike {strike} of {strikes}; {}", self.message),
            (Some((strike, strikes)), true) => {
                format!("strike {strike} of {strikes}: the seat forfeits; {}", self.message)
            }
        };
        let error = Self { message, ..self };
        match strikes {
            Some((strike, strikes)) => error.with("strike", strike).with("strikes", strikes),
            None => error,
        }
    }
}

impl From<UnknownGame> for ApiError {
    fn from(error: UnknownGame) -> Self {
        Self::new(ErrorReason::UnknownGame, error.to_string()).with("game", &error.0)
    }
}

impl From<OptionError> for ApiError {
    fn from(error: OptionError) -> Self {
        let message = error.to_string();
        let bad_option = |message| Self::new(ErrorReason::BadOption, message).of_field("options");
        match error {
            OptionError::Seats { asked, .. } => {
                Self::new(ErrorReason::BadSeatCount, message).with("seat_count", asked).of_field("seat_count")
            }
            OptionError::Unknown { key, .. } | OptionError::Twice { key } | OptionError::Value { key, .. } => {
                bad_option(message).with("key", key)
            }
            OptionError::Together(_) => bad_option(message),
        }
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
                Self::new(ErrorReason::NoEpisode, message).with("environment", environment)
            }
            BatchError::Illegal { environment, id, legal } => {
                let error = Self::new(ErrorReason::IllegalAction, message).with("environment", environment);
                error.with("action_id", id).with("legal", legal.ranges())
            }
            BatchError::Panicked { .. } => Self::new(ErrorReason::Unspecified, message),
            BatchError::Stopped => Self::new(ErrorReason::Closing, message),
            BatchError::NotExternal { environment, seat, .. } => {
                Self::bad_field("seat", message).with("environment", environment).with("seat", seat)
            }
        }
    }
}

fn seats(to_act: SeatSet) -> String {
    to_act.iter().map(|seat| seat.to_string()).collect::<Vec<_>>().join(",")
}

/// Returns the start of a text that has at most `bytes` bytes when percent-encoded for a trailer.
fn shorten(mut text: String, bytes: usize) -> String {
    const MARK: &str = "...";
    let encoded = |character| match character {
        // The characters that tonic encodes, which are more than gRPC asks for.
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
