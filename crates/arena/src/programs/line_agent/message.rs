//! The lines for programs. They have the same parts as an observation of the service, from the same functions.

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use ahu_core::{Seat, Viewer};
use ahu_host::api::convert;
use ahu_host::outcome::ending_fields;
use ahu_host::{Cause, Ending, MatchTime, PlyEvent, Referee, TimeControl};
use ahu_service::proto::MessageJson;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde::Serialize;

/// A time control as fields of JSON, in milliseconds.
#[derive(Serialize)]
#[expect(clippy::struct_field_names, reason = "the names have their unit")]
pub struct TimeControlJson {
    startup_ms: u32,
    limit_ms: Option<NonZeroU32>,
    bank_ms: Option<NonZeroU32>,
    increment_ms: u32,
    lag_ms: u32,
}

impl From<&TimeControl> for TimeControlJson {
    fn from(&TimeControl { startup, limit, bank, increment, lag }: &TimeControl) -> Self {
        Self { startup_ms: startup, limit_ms: limit, bank_ms: bank, increment_ms: increment, lag_ms: lag }
    }
}

/// The version of the protocol. A new field does not raise it; a change that a program must know of does.
const PROTOCOL: u32 = 1;

/// A line for a program. The fields are written in this order.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum Line<'a> {
    Start {
        protocol: u32,
        #[serde(flatten)]
        head: LineHead<'a>,
        options: BTreeMap<String, String>,
        clocks: Vec<TimeControlJson>,
        tries: u16,
        strikes: Option<u8>,
    },
    Decide {
        #[serde(flatten)]
        head: LineHead<'a>,
        decision: u32,
        attempt: u16,
        #[serde(skip_serializing_if = "Option::is_none")]
        error: Option<&'a str>,
        clock: Clock,
        forfeits: Vec<Option<&'static str>>,
        events: Vec<Told>,
        text: String,
        legal: Vec<Legal>,
        typed: MessageJson,
        #[serde(skip_serializing_if = "Option::is_none")]
        view: Option<String>,
    },
    End {
        #[serde(flatten)]
        head: LineHead<'a>,
        ending: &'static str,
        reason: Option<&'a str>,
        result: Option<MatchResult>,
        events: Vec<Told>,
        text: String,
    },
}

/// The fields with which every line begins.
#[derive(Serialize)]
struct LineHead<'a> {
    #[serde(rename = "match")]
    match_id: &'a str,
    game: &'static str,
    rules_version: u32,
    seat: usize,
    seats: usize,
}

#[derive(Serialize)]
struct Clock {
    left_ms: Option<u32>,
    banks_ms: Vec<Option<u32>>,
}

/// An event that the seat was told.
#[derive(Serialize)]
struct Told {
    text: String,
    actor_seats: Vec<u32>,
}

#[derive(Serialize)]
struct Legal {
    action_id: u16,
    text: String,
}

#[derive(Serialize)]
struct MatchResult {
    scores: Vec<i32>,
    ranks: Vec<u8>,
    forfeits: Vec<Option<&'static str>>,
}

/// The request of a `decide` line.
pub(super) struct DecisionRequest<'a> {
    pub(super) decision: u32,
    /// The number of this line among the lines for the same decision, from 1.
    pub(super) attempt: u16,
    /// The reason why the last answer was refused; None in the first line for the decision.
    pub(super) error: Option<&'a str>,
    /// The time of the line, for the clock.
    pub(super) now: MatchTime,
}

pub(super) fn start(match_id: &str, referee: &Referee, seat: Seat) -> Vec<u8> {
    let terms = referee.terms();
    let conduct = &terms.conduct;
    line(&Line::Start {
        protocol: PROTOCOL,
        head: head(match_id, referee, seat),
        options: convert::options(&**referee.setup()),
        clocks: terms.clocks.iter().map(TimeControlJson::from).collect(),
        tries: conduct.tries.get(),
        strikes: conduct.has_strikes().then(|| conduct.strikes.get()),
    })
}

/// Returns the line that asks for a decision. It tells the events of the seat after the first `told`.
pub(super) fn decide(
    match_id: &str,
    referee: &Referee,
    seat: Seat,
    told: usize,
    request: &DecisionRequest<'_>,
) -> Vec<u8> {
    let (view, rules) = (referee.view(Viewer::Seat(seat)), referee.setup().rules());
    let text = |id| rules.action_text(id).expect("legal actions have texts");
    line(&Line::Decide {
        head: head(match_id, referee, seat),
        decision: request.decision,
        attempt: request.attempt,
        error: request.error,
        clock: Clock {
            left_ms: referee.time_left(seat, request.now),
            banks_ms: convert::list(&referee.banks(Viewer::Seat(seat)), |bank| bank),
        },
        forfeits: forfeits(referee),
        events: events(referee, seat, told),
        text: view.text(),
        legal: referee.legal_actions(seat).iter().map(|id| Legal { action_id: id.0, text: text(id) }).collect(),
        typed: MessageJson::of(&view.message()),
        view: referee.view_bytes(Viewer::Seat(seat)).map(|bytes| BASE64_STANDARD.encode(bytes)),
    })
}

/// Returns the last line of a match. It tells the events of the seat after the first `told`.
pub(super) fn end(match_id: &str, referee: &Referee, seat: Seat, told: usize) -> Vec<u8> {
    let result = referee.result().map(|result| MatchResult {
        scores: convert::list(&result.scores, |score| score),
        ranks: convert::list(&result.ranks, |rank| rank),
        forfeits: forfeits(referee),
    });
    let ending = referee.ending();
    let (ending, reason) = ending_fields(ending.as_ref().or(Some(&Ending::Finished)));
    line(&Line::End {
        head: head(match_id, referee, seat),
        ending,
        reason,
        result,
        events: events(referee, seat, told),
        text: referee.view(Viewer::Seat(seat)).text(),
    })
}

fn head<'a>(match_id: &'a str, referee: &Referee, seat: Seat) -> LineHead<'a> {
    let info = referee.setup().rules().info();
    let seats = referee.setup().seats().count();
    LineHead { match_id, game: info.id, rules_version: info.rules, seat: seat.index(), seats }
}

fn forfeits(referee: &Referee) -> Vec<Option<&'static str>> {
    convert::list(&referee.forfeits(), |cause| cause.map(Cause::name))
}

/// Returns the events that a seat was told, without the first `told` of them.
fn events(referee: &Referee, seat: Seat, told: usize) -> Vec<Told> {
    let viewer = Viewer::Seat(seat);
    let events = referee.events_after(viewer, told, usize::MAX).into_iter();
    let of = |event: &PlyEvent| {
        let text = event.event.text_for(viewer)?;
        Some(Told { text, actor_seats: convert::seats(event.actors()) })
    };
    events.filter_map(|(_, event)| of(event)).collect()
}

fn line(line: &Line<'_>) -> Vec<u8> {
    let mut bytes = serde_json::to_vec(line).expect("every value has a form in JSON");
    bytes.push(b'\n');
    bytes
}

#[cfg(test)]
mod tests {
    use ahu_core::Seed;
    use ahu_host::{SeatPlayer, Terms, find};
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn the_end_of_a_match_without_a_result_has_its_reason() {
        let setup = find("rappanui").expect("a game").configure(2, &[]).expect("options");
        let players = ["a", "b"].map(SeatPlayer::external).into();
        let seat = Seat::new(1).expect("a seat");
        for ending in ["cancelled", "void"] {
            let mut referee = Referee::new(setup.clone(), Seed(1), Vec::clone(&players), Terms::default());
            let stop = if ending == "void" { Referee::void } else { Referee::cancel };
            stop(&mut referee, "the organiser left").expect("it has not ended");

            let line: Value = serde_json::from_slice(&end("m", &referee, seat, 0)).expect("JSON");

            assert_eq!((&line["ending"], &line["reason"]), (&json!(ending), &json!("the organiser left")));
            assert_eq!((&line["result"], &line["match"]), (&Value::Null, &json!("m")));
        }
    }
}
