//! The errors that only a server has: each names its reason, what was expected, and what came.

use std::fmt::Display;
use std::io;

use ahu_host::api::ApiError;
use ahu_host::check_match_id;
use tonic::metadata::MetadataMap;

use super::accounts::Scopes;
use super::limits::Share;
use super::organiser::CupId;
use super::secrets::TokenHash;
use super::store::StoreError;
use crate::proto::v1::ErrorReason;

/// Declares functions that return an error with this reason and this message. The parameters after the message are its metadata.
macro_rules! errors {
    ($($(#[$doc:meta])* $name:ident($($parameter:ident: $type:ty),*) = ErrorReason::$reason:ident($message:literal $(, $key:ident)*);)+) => {$(
        $(#[$doc])*
        pub(super) fn $name($($parameter: $type),*) -> ApiError {
            ApiError::new(ErrorReason::$reason, format!($message))$(.with(stringify!($key), $key))*
        }
    )+};
}

errors! {
    no_cup(cup_id: impl Display) = ErrorReason::NoCup("this server has no cup with the id \"{cup_id}\"", cup_id);
    cup_not_ended(cup_id: CupId) = ErrorReason::CupNotEnded(
        "cup {cup_id} has not ended: its journal is secret until then", cup_id);
    /// Returns the error of an account's call that the run of a ladder has refused.
    entry_refused(reason: &str) = ErrorReason::EntryRefused("{reason}");
    no_key() = ErrorReason::NoKey(
        "this server answers only calls with a key: expected it as metadata \"ahu-key: <key>\", in HTTP \
         also as \"Authorization: Bearer <key>\", or the token of a seat");
    /// Returns the error of a call with a key that is not valid. It is equal for all reasons, so that nobody learns which keys
    /// exist.
    bad_key() = ErrorReason::BadKey(
        "the key is not valid: it is unknown, malformed, expired, or revoked, or its account is disabled");
    no_organiser() = ErrorReason::NoOrganiser(
        "this server has no organiser; its operator admits one with `ahu serve --organiser-key FILE`");
    organiser_awaited() = ErrorReason::OrganiserAwaited(
        "the organiser of this server has not called since the server has started: send the call again");
    no_queue() = ErrorReason::NoQueue(
        "the server has no queues of the cup, or none for an agent: expected a call of OpenQueues first");
    /// Returns the error in place of an answer that a practice match withholds.
    withheld(match_id: &str) = ErrorReason::MatchSuspended(
        "the server withholds this answer on purpose, since the match is for practice: send the call again", match_id);
    sealed(match_id: &str) = ErrorReason::MatchSealed(
        "match {match_id} is sealed until the matches with the same chance have ended", match_id);
    broken(match_id: &str) = ErrorReason::Unspecified("the server failed to answer a call for match {match_id}");
    failed() = ErrorReason::Unspecified("the server failed to answer the call");
    not_started(match_id: &str) = ErrorReason::MatchNotStarted(
        "match {match_id} has not begun: seats are still open", match_id);
    not_ended(match_id: &str) = ErrorReason::MatchNotEnded(
        "match {match_id} has not ended: its record and the hands of all seats are secret until then", match_id);
    suspended(match_id: &str) = ErrorReason::MatchSuspended(
        "the server cannot write match {match_id} to its store now; the match stands still, with its clocks: send the \
         call again", match_id);
    store_unreadable() = ErrorReason::MatchSuspended("the server cannot read its store now: send the call again");
    match_unreadable(match_id: &str) = ErrorReason::MatchSuspended(
        "the server cannot read match {match_id} from its store now: send the call again", match_id);
    rules_missing(match_id: &str, release: &str) = ErrorReason::RulesMissing(
        "match {match_id} was played under rules that this release does not have; release {release} of ahu has them",
        match_id, release);
    damaged(match_id: &str) = ErrorReason::MatchDamaged(
        "match {match_id} is damaged in the store of the server, and cannot go on", match_id);
    too_many_matches(limit: usize) = ErrorReason::TooManyMatches(
        "the server hosts {limit} matches that have not ended, its limit", limit);
    too_many_environments(limit: usize, left: usize) = ErrorReason::TooManyEnvironments(
        "the server has at most {limit} environments, of which {left} are left", limit, left);
    too_many_streams(limit: usize) = ErrorReason::TooManyStreams(
        "the server runs {limit} streams of environments, its limit", limit);
    no_thread(limit: usize, error: &io::Error) = ErrorReason::TooManyStreams(
        "the server cannot start a thread for the stream: {error}", limit);
    not_opened(limit_ms: u128) = ErrorReason::StreamNotOpened(
        "expected `open` within {limit_ms} ms after the begin of the stream (limit: stream_open)", limit_ms);
    tls_expected() = ErrorReason::TlsExpected(
        "expected TLS on this port, got plain text: use the address with https://, such as https://HOST:PORT");
    closing() = ErrorReason::Closing("the server is shutting down");
    not_working() = ErrorReason::Closing(
        "this server does not work now: it is a spare, or cannot reach its database; send the call again, to another address \
         of the service if there is one");
}

pub(super) fn bad_name(message: String) -> ApiError {
    ApiError::new(ErrorReason::BadName, message).of_field("name")
}

pub(super) fn unknown_match(match_id: &str, has_store: bool) -> ApiError {
    let reason = match has_store {
        true => "the server removes matches some time after their end if its operator asks for it",
        false => {
            "this server keeps matches in memory only: it drops them some time after their end, and forgets them when it \
             ends"
        }
    };
    let shown = shown_match(match_id);
    ApiError::new(ErrorReason::UnknownMatch, format!("no match has the id \"{shown}\"; {reason}"))
        .with("match_id", match_id)
}

/// Returns the id of a match for logs, messages, and the audit. A text without the form of an id is not shown: a client may have
/// sent a key in its place.
pub(super) fn shown_match(match_id: &str) -> &str {
    if check_match_id(match_id).is_ok() { match_id } else { "not an id" }
}

pub(super) fn seat_taken(match_id: &str, seat: Option<usize>) -> ApiError {
    let message = match seat {
        Some(seat) => format!("seat {seat} of match {match_id} is taken"),
        None => format!("no seat of match {match_id} is open"),
    };
    of_seat(ErrorReason::SeatTaken, message, match_id, seat)
}

/// Returns the error of a call for this seat of a match, or for any.
fn of_seat(reason: ErrorReason, message: String, match_id: &str, seat: Option<usize>) -> ApiError {
    let error = ApiError::new(reason, message).with("match_id", match_id);
    seat.into_iter().fold(error, |error, seat| error.with("seat", seat))
}

/// A secret that calls bring: its name, its name in the metadata of a call, and the message about a wrong one.
pub(super) struct Secret(&'static str, &'static str, &'static str);

pub(super) const SEAT: Secret = Secret("token of the seat", "seat_token", "does not belong to this seat of this match");
pub(super) const OWNER: Secret =
    Secret("owner token of the match", "owner_token", "is not the owner token of this match");
pub(super) const AGENT: Secret =
    Secret("key of an agent", "key", "is not the key of an agent that this server expects");
pub(super) const CUP: Secret = Secret("key of the organiser", "key", "is not the key of the organiser of this cup");
pub(super) const ORGANISER: Secret =
    Secret("key of the organiser", "key", "is not the key of the organiser of this server");

impl Secret {
    /// Returns the digest of the secret that a call brings.
    pub(super) fn brought(&self, metadata: &MetadataMap) -> Result<TokenHash, ApiError> {
        TokenHash::in_headers(metadata.as_ref()).ok_or_else(|| self.missing())
    }

    pub(super) fn missing(&self) -> ApiError {
        let Self(secret, name, _) = self;
        let message = format!("expected the {secret}, as metadata \"authorization: Bearer <{name}>\", got none");
        ApiError::new(ErrorReason::NoToken, message)
    }

    pub(super) fn wrong(&self) -> ApiError {
        ApiError::new(ErrorReason::WrongToken, format!("the token {}", self.2))
    }
}

/// Returns the error of a call with a key that has none of these scopes.
pub(super) fn missing_scope(scopes: Scopes, had: Scopes) -> ApiError {
    let message =
        format!("expected a key with the scope {}, got one with {had}", scopes.to_string().replace(',', " or "));
    ApiError::new(ErrorReason::MissingScope, message).with("scope", scopes)
}

pub(super) fn same_owner(match_id: &str, seat: Option<usize>) -> ApiError {
    let message = format!("expected another account: a seat of match {match_id} is taken by this one");
    of_seat(ErrorReason::SeatReserved, message, match_id, seat)
}

pub(super) fn no_practice() -> ApiError {
    ApiError::bad_field("practice_id", "expected no practice: the host of this agent offers none")
}

pub(super) fn seat_reserved(match_id: &str, seat: Option<usize>) -> ApiError {
    let message = match seat {
        Some(seat) => format!(
            "seat {seat} of match {match_id} is reserved: expected the name or the invitation code of its reservation"
        ),
        None => format!(
            "no open seat of match {match_id} takes this player: expected the name or the invitation code of a reservation"
        ),
    };
    of_seat(ErrorReason::SeatReserved, message, match_id, seat)
}

pub(super) fn no_such_event(field: &'static str, after: u32, count: usize) -> ApiError {
    let message = format!("expected an event number from 0 to {count}, the number of events so far; got {after}");
    ApiError::bad_field(field, message)
}

pub(super) fn request_id_reused() -> ApiError {
    let message = "an earlier request with other content used this request_id: use a new id for each request";
    ApiError::new(ErrorReason::RequestIdReused, message).of_field("request_id")
}

/// Returns the error of a call that could not read the list of matches, or the result of an earlier request.
pub(super) fn unreadable(error: &StoreError) -> ApiError {
    // A request may be damaged too, and then a later try fails as well.
    if let StoreError::Damaged { match_id, .. } = error {
        return stored(error, match_id);
    }
    tracing::error!(%error, "the store cannot be read");
    store_unreadable()
}

/// Returns the error of a call for a match that the store cannot read, or whose change the store has refused. Only the log of
/// the server names the damaged part, since the part may tell how far the match is.
pub(super) fn stored(error: &StoreError, match_id: &str) -> ApiError {
    tracing::error!(match_id, %error, "a match of the store cannot be used");
    match error {
        StoreError::Failed(_) => match_unreadable(match_id),
        StoreError::OtherRules { release, .. } => rules_missing(match_id, release),
        StoreError::Damaged { .. } | StoreError::OtherLength { .. } | StoreError::UnknownMatch(_) => damaged(match_id),
    }
}

pub(super) fn over_share(principal: impl Display, share: Share, limit: u64, used: u64, asked: u64) -> ApiError {
    let counted = share.counted();
    let message = match asked {
        1 => format!("{principal} has its share of {limit} {counted} (limit: {share})"),
        _ => {
            format!(
                "{principal} has a share of {limit} {counted} (limit: {share}), uses {used}, and asks for {asked} more"
            )
        }
    };
    ApiError::new(ErrorReason::OverShare, message).with("limit_name", share).with("limit", limit).with("used", used)
}

pub(super) fn too_many_cups(limit: usize) -> ApiError {
    let message = format!("the organiser has {limit} cups on this server, its limit: its operator removes old ones");
    ApiError::new(ErrorReason::OverShare, message).with("limit_name", "cups").with("limit", limit)
}

pub(super) fn too_many_cup_calls(limit: usize) -> ApiError {
    let message = format!("the account has made {limit} calls for this ladder in 24 hours, its limit");
    ApiError::new(ErrorReason::OverShare, message).with("limit_name", "cup_calls").with("limit", limit)
}

pub(super) fn journal_too_long(limit: u64) -> ApiError {
    let message = format!("expected a journal of at most {limit} bytes");
    ApiError::new(ErrorReason::OverShare, message).with("limit_name", "journal_bytes").with("limit", limit)
}

pub(super) fn too_many_watchers(limit: usize, match_id: Option<&str>) -> ApiError {
    let (who, name) = match match_id {
        Some(match_id) => (format!("match {match_id}"), "match_watchers"),
        None => ("the server".to_owned(), "watchers"),
    };
    let message = format!("{who} has {limit} watchers, its limit (Limits.{name})");
    ApiError::new(ErrorReason::TooManyWatchers, message).with("limit", limit).with("limit_name", name)
}
