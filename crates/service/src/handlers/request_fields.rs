//! The fields of requests, read and checked.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::time::Duration;

use ahu_core::parts::lines::joined;
use ahu_core::{ParseError, Seat, Seats, Seed};
use ahu_host::api::{ApiError, convert, terms};
use ahu_host::record::check_new_name;
use ahu_host::visible_text;
use ahu_host::{AnyRules, BotName, find};
use prost::Message;
use sha2::{Digest as _, Sha256};
use tonic::metadata::MetadataMap;

use super::Handled;
use crate::accounts::Client;
use crate::admission::KEY;
use crate::limits::{LABEL_KEY, Limits, MAX_LABEL_VALUE, MAX_LABELS, MAX_SPECTATOR_DELAY, REQUEST_ID};
use crate::matches::live_match::Answer;
use crate::matches::{MatchConfig, MatchFilter};
use crate::proto::v1::{self, ErrorReason, reservation};
use crate::refusals;
use crate::reservation::Reservation;
use crate::secrets::{Digest, TokenHash};
use crate::store::Request;

/// Returns the time that a call may wait. A negative time is no time.
pub(crate) fn duration(wait: Option<prost_types::Duration>) -> Duration {
    wait.and_then(|wait| Duration::try_from(wait).ok()).unwrap_or_default()
}

/// Returns the hashes of a request id and of the content of the request; None without an id. The request of one account is
/// another one than the same request of another account.
pub(crate) fn request(method: &str, id: &str, content: &impl Message, client: &Client) -> Handled<Option<Request>> {
    if id.is_empty() {
        return Ok(None);
    }
    check_code("request_id", id)?;
    let hash = |content: &[u8]| Sha256::new().chain_update(method).chain_update([0]).chain_update(content).finalize();
    let mut content = content.encode_to_vec();
    if let Some(identity) = client.identity() {
        content.extend(identity.account.id.as_str().bytes());
    }
    Ok(Some(Request { id: hash(id.as_bytes()).into(), content: hash(&content).into() }))
}

/// Returns the specification of a match in a request.
pub(crate) fn spec(spec: Option<v1::MatchSpec>) -> Handled<v1::MatchSpec> {
    spec.ok_or_else(|| ApiError::bad_field("spec", "expected a match, got none"))
}

/// Reads the agreement about a new match, and checks every field. `idle` is the limit of a decision for seats whose clock has
/// no limit, in milliseconds. The budgets of bots must be below `limits`.
pub(crate) fn config(request: v1::MatchSpec, idle: Option<NonZeroU32>, limits: &Limits) -> Handled<MatchConfig> {
    let rules = find(&request.game)?;
    ApiError::check_expected(rules, request.rules_version, &request.layout_hash)?;
    let given: Vec<_> = request.options.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
    let setup = rules.configure(request.seat_count as usize, &given)?;
    let mut bots = vec![None; setup.seats().count()];
    for v1::BotSeat { seat, bot } in &request.bots {
        let seat = convert::read_seat(*seat, setup.seats())?;
        let name = rules.bot(bot).map_err(|error| ApiError::unknown_bot(&error, bot))?;
        if bots[seat.index()].replace(name).is_some() {
            return Err(ApiError::bad_field("bots", "expected at most one bot for each seat, got two for one seat"));
        }
    }
    let terms = terms::read(&request, &*setup, idle)?;
    bots.iter().flatten().try_for_each(|&bot| limits.check_bot(bot))?;
    terms.stand_in.map_or(Ok(()), |bot| limits.check_bot(bot)).map_err(|error| error.of_field("stand_in"))?;
    let reservations = reservations(&request.reservations, &bots, setup.seats())?;
    check_labels(&request.labels)?;
    let spectator_delay = request.spectator_delay;
    if spectator_delay > MAX_SPECTATOR_DELAY {
        let message = format!("expected a delay of at most {MAX_SPECTATOR_DELAY} events, got {spectator_delay}");
        return Err(ApiError::bad_field("spectator_delay", message));
    }
    Ok(MatchConfig {
        bots,
        seed: seed(&request.seed)?,
        terms,
        is_unlisted: request.unlisted,
        reservations,
        spectator_delay,
        has_distinct_owners: request.distinct_owners,
        labels: request.labels,
        ..MatchConfig::new(setup)
    })
}

/// Reads the reservation of each seat. Returns an empty list if no seat is reserved.
fn reservations(
    asked: &[v1::Reservation],
    bots: &[Option<BotName>],
    seats: Seats,
) -> Handled<Vec<Option<Reservation>>> {
    let refused = |message: String| Err(ApiError::bad_field("reservations", message));
    let mut reservations = vec![None; if asked.is_empty() { 0 } else { seats.count() }];
    for v1::Reservation { seat, condition } in asked {
        let seat = convert::read_seat(*seat, seats).map_err(|error| error.of_field("reservations.seat"))?;
        if bots[seat.index()].is_some() {
            return refused(format!("expected reservations of seats without bots, got one of seat {seat}"));
        }
        let reservation = match condition {
            Some(reservation::Condition::Name(name)) => {
                check_new_name(name).map_err(|message| ApiError::bad_field("reservations.name", message))?;
                Reservation::Name(name.clone())
            }
            Some(reservation::Condition::InvitationCode(code)) => {
                check_code("reservations.invitation_code", code)?;
                Reservation::code(code)
            }
            None => return refused(format!("expected a name or an invitation code for seat {seat}, got neither")),
        };
        if reservations[seat.index()].replace(reservation).is_some() {
            return refused(format!("expected at most one reservation of each seat, got two of seat {seat}"));
        }
    }
    Ok(reservations)
}

fn check_labels(labels: &BTreeMap<String, String>) -> Handled<()> {
    let refused = |message: String| Err(ApiError::bad_field("labels", message));
    if labels.len() > MAX_LABELS {
        return refused(format!("expected at most {MAX_LABELS} labels, got {}", labels.len()));
    }
    for (key, value) in labels {
        if !LABEL_KEY.contains(&key.len()) {
            let (min, max) = (LABEL_KEY.start(), LABEL_KEY.end());
            return refused(format!("expected a key of {min} to {max} bytes, got {} bytes", key.len()));
        }
        if value.len() > MAX_LABEL_VALUE {
            return refused(format!(
                "expected a value of at most {MAX_LABEL_VALUE} bytes for \"{key}\", got {} bytes",
                value.len()
            ));
        }
        if key.chars().chain(value.chars()).any(visible_text::is_hidden) {
            let (key, value) = (visible_text::shown(key), visible_text::shown(value));
            return refused(format!("expected a key and a value of visible characters, got \"{key}\" and \"{value}\""));
        }
    }
    Ok(())
}

/// Refuses an id or an invitation code that others could guess, or that has characters outside of printable ASCII.
pub(crate) fn check_code(field: &'static str, code: &str) -> Handled<()> {
    if REQUEST_ID.contains(&code.len()) && code.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Ok(());
    }
    let (min, max) = (REQUEST_ID.start(), REQUEST_ID.end());
    let message = format!("expected {min} to {max} printable ASCII characters without spaces, such as a random UUID");
    Err(ApiError::bad_field(field, message))
}

/// Returns the key of an agent that asks for a seat, or of its account.
pub(crate) fn agent_key(metadata: &MetadataMap) -> Handled<TokenHash> {
    match metadata.get(KEY) {
        Some(key) => Ok(TokenHash::of(key.to_str().unwrap_or_default())),
        None => refusals::AGENT.brought(metadata),
    }
}

/// Returns the digest of an invitation code; None without a code.
pub(crate) fn invitation(code: &str) -> Handled<Option<Digest>> {
    if code.is_empty() {
        return Ok(None);
    }
    check_code("invitation_code", code)?;
    Ok(Some(Sha256::digest(code).into()))
}

/// Reads the description of the matches that a request would join, and checks every field.
pub(crate) fn filter(any: &v1::AnyMatch, seat: Option<u32>) -> Handled<MatchFilter> {
    let options: Vec<_> = any.options.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
    MatchFilter::new(find(&any.game)?, any.seat_count.map(|count| count as usize), &options, seat)
}

/// Reads the seed of a match; None for a random seed.
fn seed(text: &str) -> Handled<Option<Seed>> {
    let seed = Some(text).filter(|text| !text.is_empty()).map(str::parse).transpose();
    seed.map_err(|error: ParseError| ApiError::bad_field("seed", error.message))
}

/// Reads the answer to a decision: all forms of an action, of which one suffices. The game need not have an action with an id
/// that was sent as a number.
pub(crate) fn answer(action: Option<v1::Action>, rules: &dyn AnyRules, seat: Seat, seats: Seats) -> Handled<Answer> {
    let v1::Action { action_id, text, typed } =
        action.ok_or_else(|| ApiError::bad_field("action", "expected an action, got none"))?;
    let mut ids: Vec<_> = action_id.into_iter().collect();
    if !text.is_empty() || (ids.is_empty() && typed.is_none()) {
        match rules.parse_action(&text) {
            Ok(id) => ids.push(id.0.into()),
            Err(error) => {
                return Ok(Answer::Unreadable { error: ApiError::bad_text(&error), content: text.into_bytes() });
            }
        }
    }
    if let Some(message) = typed {
        match rules.read_action(&message, seat, seats) {
            Ok(id) => ids.push(id.0.into()),
            Err(error) => {
                let content = [message.type_url.into_bytes(), vec![0], message.value].concat();
                return Ok(Answer::Unreadable { error: ApiError::bad_message(error), content });
            }
        }
    }
    if ids.iter().any(|id| *id != ids[0]) {
        let shown = joined(&ids, ", ");
        let message = format!("expected the forms of one action, got those of the ids {shown}");
        let error = ApiError::new(ErrorReason::BadAction, message).of_field("action");
        return Ok(Answer::Unreadable { error, content: shown.into_bytes() });
    }
    Ok(Answer::Id(ids[0]))
}
