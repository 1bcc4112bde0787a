//! The position of a match as a browser gets it.

use ahu_core::BySeat;
use ahu_host::ToldEvent;
use serde::Serialize;

use super::answer::text;
use super::lobby::state_name;
use crate::compressed::Part;
use crate::matches::{Board, Message};
use crate::proto::v1;

/// The position of a match for one viewer, without the decision and the times that are left now.
#[derive(Debug, Default, Serialize)]
pub(super) struct Position<'a> {
    /// The number of the last event.
    pub(super) number: usize,
    pub(super) events: Vec<EventLine>,
    pub(super) headline: &'a str,
    pub(super) question: Option<&'a str>,
    pub(super) holdings: &'a str,
    pub(super) table: &'a str,
    pub(super) svg: &'a str,
    pub(super) scores: Vec<i32>,
    pub(super) ranks: Option<Vec<u8>>,
    pub(super) score_parts: Vec<(&'static str, Vec<i32>)>,
    pub(super) to_act: Vec<u32>,
    pub(super) clocks: Vec<Clock>,
    pub(super) state: String,
    pub(super) end_reason: &'a str,
    pub(super) forfeits: Vec<Forfeit>,
    pub(super) skipped: bool,
    pub(super) hands: Vec<Hand<'a>>,
}

/// An event, as the viewer was told it.
#[derive(Debug, Serialize)]
pub(super) struct EventLine {
    pub(super) number: usize,
    /// The number of the turn, from 1; 0 before the first.
    pub(super) turn: usize,
    pub(super) text: String,
}

#[derive(Debug, Serialize)]
pub(super) struct Clock {
    seat: u32,
    bank_ms: Option<u64>,
}

#[derive(Debug, Serialize)]
pub(super) struct Forfeit {
    seat: u32,
    cause: String,
}

/// The table as one seat sees it.
#[derive(Debug, Serialize)]
pub(super) struct Hand<'a> {
    pub(super) seat: usize,
    pub(super) svg: &'a str,
    pub(super) table: &'a str,
}

/// The decision that the viewer owes.
#[derive(Debug, Serialize)]
struct Decision<'a> {
    number: u32,
    legal: Vec<Legal<'a>>,
}

#[derive(Debug, Serialize)]
struct Legal<'a> {
    id: Option<u32>,
    text: &'a str,
}

/// Returns events with their turns. `turns` turns have begun before the first.
pub(super) fn event_lines(events: impl IntoIterator<Item = (usize, ToldEvent)>, mut turns: usize) -> Vec<EventLine> {
    let line = |(number, ToldEvent { text, begins_turn }): (usize, ToldEvent)| {
        turns += usize::from(begins_turn);
        EventLine { number, turn: turns, text }
    };
    events.into_iter().map(line).collect()
}

/// Returns points or ranks by seat.
pub(super) fn by_seat<T: Copy>(values: &BySeat<T>) -> Vec<T> {
    values.values().to_vec()
}

fn milliseconds(time: &prost_types::Duration) -> u64 {
    std::time::Duration::try_from(*time).map_or(0, |time| time.as_millis() as u64)
}

/// Returns the number of the last event that a browser has with this message.
pub(super) fn number(message: &Message) -> usize {
    let Some(seen) = &message.response.observation else { return 0 };
    seen.events.last().map_or(seen.event_count as usize, |event| event.number as usize)
}

/// Returns the position that a message tells.
pub(super) fn text_of(message: &Message) -> String {
    let mut json = text(&position(message));
    json.pop();
    json + &own_part(message)
}

/// Returns the position that a message tells, as two parts that are sent one after the other. All browsers of the viewer
/// share the first part.
pub(super) fn of_message(message: &Message) -> [Part; 2] {
    let shared = message.rendered(|| {
        let mut json = text(&position(message));
        json.pop();
        Part::shared(json.into())
    });
    [shared, Part::own(own_part(message).into())]
}

/// Returns the part of a position that differs from browser to browser.
fn own_part(message: &Message) -> String {
    let seen = message.response.observation.as_ref();
    let decision = seen.and_then(|seen| seen.decision.as_ref()).map(|decision| Decision {
        number: decision.decision_id,
        legal: decision.legal_actions.iter().map(|action| Legal { id: action.action_id, text: &action.text }).collect(),
    });
    format!(",\"decision\":{},\"left\":{}}}", text(&decision), text(&message.times_left))
}

fn position(message: &Message) -> Position<'_> {
    let Some(seen) = &message.response.observation else { return Position::default() };
    let events = seen.events.iter().map(|event| {
        let told = ToldEvent { text: event.text.clone(), begins_turn: event.begins_turn };
        (event.number as usize, told)
    });
    let mut board =
        message.boards().first().map_or_else(Position::default, |board| of_board(board, events, message.turns));
    // Seats that have forfeited come last by the result alone.
    if let Some(result) = &seen.result {
        board.ranks = Some(result.ranks.iter().map(|&rank| rank as u8).collect());
    }
    let hands = message.response.seat_observations.iter().zip(message.boards().iter().skip(1)).enumerate();
    Position {
        number: number(message),
        to_act: seen.seats_to_act.clone(),
        clocks: seen.clocks.iter().map(clock).collect(),
        state: state_name(seen.state),
        end_reason: &seen.end_reason,
        forfeits: seen.forfeits.iter().map(forfeit).collect(),
        skipped: message.response.skipped,
        table: &seen.text,
        hands: hands.map(|(seat, (seen, board))| Hand { seat, svg: &board.svg, table: &seen.text }).collect(),
        ..board
    }
}

/// Returns the part of a position that a board and the events before it show. `turns` turns have begun before these events.
pub(super) fn of_board(
    board: &Board,
    events: impl IntoIterator<Item = (usize, ToldEvent)>,
    turns: usize,
) -> Position<'_> {
    let Board { headline, question, holdings, svg, scores, ranks, score_parts } = board;
    Position {
        events: event_lines(events, turns),
        headline,
        holdings,
        question: Some(&**question).filter(|question| !question.is_empty()),
        svg,
        scores: by_seat(scores),
        ranks: Some(by_seat(ranks)),
        score_parts: score_parts.iter().map(|(name, points)| (*name, by_seat(points))).collect(),
        ..Position::default()
    }
}

pub(super) fn clock(clock: &v1::SeatClock) -> Clock {
    Clock { seat: clock.seat.unwrap_or_default(), bank_ms: clock.bank.as_ref().map(milliseconds) }
}

pub(super) fn forfeit(forfeit: &v1::Forfeit) -> Forfeit {
    let cause = forfeit.cause().as_str_name().trim_start_matches("CAUSE_").to_lowercase();
    Forfeit { seat: forfeit.seat.unwrap_or_default(), cause }
}
