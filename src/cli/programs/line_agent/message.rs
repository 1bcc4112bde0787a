//! The lines for programs. They have the same parts as an observation of the service, from the same functions.

use std::collections::BTreeMap;

use ahu::service::LiveMatch;
use ahu_engine::core::{ActionSet, Seat, Viewer};
use ahu_engine::host::api::convert;
use ahu_engine::host::{AnyView, Cause, Ending, MatchTime, Referee};
use serde::Serialize;

use crate::cli::typed::Typed;

/// The version of the protocol. A change that a program must know raises it; a new field does not.
const PROTOCOL: u32 = 1;

/// A line for a program, with its fields in order.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "lowercase")]
enum Line<'a> {
    Start {
        protocol: u32,
        #[serde(flatten)]
        place: Place<'a>,
        options: BTreeMap<String, String>,
        clocks: Vec<Control>,
        tries: u16,
        strikes: Option<u8>,
    },
    Decide {
        #[serde(flatten)]
        place: Place<'a>,
        decision: u32,
        attempt: u16,
        #[serde(skip_serializing_if = "Option::is_none")]
        error: Option<&'a str>,
        clock: Clock,
        forfeits: Vec<Option<&'static str>>,
        events: Vec<String>,
        text: String,
        legal: Vec<Legal>,
        typed: Typed,
    },
    End {
        #[serde(flatten)]
        place: Place<'a>,
        ending: &'static str,
        reason: Option<String>,
        result: Option<MatchResult>,
        events: Vec<String>,
        text: String,
    },
}

/// The match, its game, and the seat of the program.
#[derive(Serialize)]
struct Place<'a> {
    #[serde(rename = "match")]
    match_id: &'a str,
    game: &'static str,
    rules_version: u32,
    seat: usize,
    seats: usize,
}

/// The time control of a seat.
#[derive(Serialize)]
#[expect(clippy::struct_field_names, reason = "the names on the line have their unit")]
struct Control {
    startup_ms: u32,
    limit_ms: Option<u32>,
    bank_ms: Option<u32>,
    increment_ms: u32,
    lag_ms: u32,
}

/// The clock of a decision.
#[derive(Serialize)]
struct Clock {
    left_ms: Option<u32>,
    banks_ms: Vec<Option<u32>>,
}

/// A legal action.
#[derive(Serialize)]
struct Legal {
    id: u16,
    text: String,
}

/// The result of a finished match.
#[derive(Serialize)]
struct MatchResult {
    scores: Vec<i32>,
    ranks: Vec<u8>,
    forfeits: Vec<Option<&'static str>>,
}

/// The parts of a decision that depend on the state of the match: all that the seat may know.
pub(super) struct News {
    view: Box<dyn AnyView>,
    legal: ActionSet,
    clock: Clock,
    forfeits: Vec<Option<&'static str>>,
    events: Vec<String>,
    place: (&'static str, u32, usize),
    /// The number of events that the seat has been told of.
    pub(super) told: usize,
}

impl News {
    /// Returns the news of `seat` at the time `now`, with the events after the first `told` of them.
    pub(super) fn of(referee: &Referee, seat: Seat, told: usize, now: MatchTime) -> Self {
        let viewer = Viewer::Seat(seat);
        let info = referee.setup().rules().info();
        Self {
            view: referee.view(viewer),
            legal: referee.legal_actions(seat),
            clock: Clock {
                left_ms: referee.time_left(seat, now),
                banks_ms: convert::list(&referee.banks(viewer), |bank| bank),
            },
            forfeits: forfeits(referee),
            events: events(referee, seat, told),
            place: (info.id, info.rules, referee.setup().seats().count()),
            told: referee.event_count(viewer),
        }
    }
}

/// The question that a line asks.
pub(super) struct Asked<'a> {
    /// The number of the decision.
    pub(super) decision: u32,
    /// The number of this line among those for the decision and its refused answers, from 1.
    pub(super) attempt: u16,
    /// The reason why the answer before was refused.
    pub(super) error: Option<&'a str>,
}

/// Returns the first line of a match.
pub(super) fn start(match_id: &str, referee: &Referee, seat: Seat) -> Vec<u8> {
    let terms = referee.terms();
    let conduct = &terms.conduct;
    let clocks = terms.clocks.iter().map(|control| Control {
        startup_ms: control.startup,
        limit_ms: control.limit.map(Into::into),
        bank_ms: control.bank.map(Into::into),
        increment_ms: control.increment,
        lag_ms: control.lag,
    });
    line(&Line::Start {
        protocol: PROTOCOL,
        place: place(match_id, referee, seat),
        options: convert::options(&**referee.setup()),
        clocks: clocks.collect(),
        tries: conduct.tries.get(),
        strikes: conduct.has_strikes().then(|| conduct.strikes.get()),
    })
}

/// Returns the line that asks for a decision.
pub(super) fn decide(live: &LiveMatch, seat: Seat, news: News, asked: &Asked<'_>) -> Vec<u8> {
    let News { view, legal, clock, forfeits, events, place: (game, rules_version, seats), told: _ } = news;
    let rules = live.rules();
    let legal =
        legal.iter().map(|id| Legal { id: id.0, text: rules.action_text(id).expect("legal actions have texts") });
    line(&Line::Decide {
        place: Place { match_id: &live.id, game, rules_version, seat: seat.index(), seats },
        decision: asked.decision,
        attempt: asked.attempt,
        error: asked.error,
        clock,
        forfeits,
        events,
        text: view.text(),
        legal: legal.collect(),
        typed: Typed::of(&view.message()),
    })
}

/// Returns the last line of a match that has ended, with the events after the first `told` of the seat.
pub(super) fn end(match_id: &str, referee: &Referee, seat: Seat, told: usize) -> Vec<u8> {
    let (ending, reason) = match referee.ending() {
        Some(Ending::Finished) | None => ("finished", None),
        Some(Ending::Cancelled(reason)) => ("cancelled", Some(reason)),
        Some(Ending::Void(reason)) => ("void", Some(reason)),
    };
    let result = referee.result().map(|result| MatchResult {
        scores: convert::list(&result.scores, |score| score),
        ranks: convert::list(&result.ranks, |rank| rank),
        forfeits: forfeits(referee),
    });
    line(&Line::End {
        place: place(match_id, referee, seat),
        ending,
        reason,
        result,
        events: events(referee, seat, told),
        text: referee.view(Viewer::Seat(seat)).text(),
    })
}

fn place<'a>(match_id: &'a str, referee: &Referee, seat: Seat) -> Place<'a> {
    let info = referee.setup().rules().info();
    let seats = referee.setup().seats().count();
    Place { match_id, game: info.id, rules_version: info.rules, seat: seat.index(), seats }
}

fn forfeits(referee: &Referee) -> Vec<Option<&'static str>> {
    convert::list(&referee.forfeits(), |cause| cause.map(Cause::name))
}

/// Returns the sentences that a seat was told after the first `told` of them.
fn events(referee: &Referee, seat: Seat, told: usize) -> Vec<String> {
    let viewer = Viewer::Seat(seat);
    let events = referee.events_after(viewer, told, usize::MAX).into_iter();
    events.filter_map(|(_, event)| event.event.text_for(viewer)).collect()
}

fn line(line: &Line<'_>) -> Vec<u8> {
    let mut bytes = serde_json::to_vec(line).expect("every value has a form in JSON");
    bytes.push(b'\n');
    bytes
}

#[cfg(test)]
mod tests {
    use ahu_engine::core::Seed;
    use ahu_engine::host::{SeatPlayer, Terms, find};
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
