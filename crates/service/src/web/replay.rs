//! Replays of matches that have ended, and of record files that a browser sends. The server keeps no such file.

use std::collections::HashMap;

use ahu_core::{BySeat, Seat, Viewer};
use ahu_host::api::{ApiError, convert, terms};
use ahu_host::record::RecordError;
use ahu_host::{
    Ending, Entry, PictureLayout, PlyEvent, Record, Referee, Replay, Scene, ToldEvent, read_intact, verify,
};
use prost::bytes::Bytes;
use serde::Serialize;
use serde_json::{Value, json};

use super::SharedServer;
use super::answer::{Answer, Failure, json};
use super::ask::{Ask, PageViewer};
use super::position::{self, Hand, Position, by_seat, of_board};
use crate::matches::{Board, LiveMatch};
use crate::refusals;

/// The comments of agents on their decisions, by seat and number of the decision.
type Comments = HashMap<(Seat, u32), String>;

/// A record, with the comments of agents, and the reason why it is not whole.
struct Source {
    record: Record,
    comments: Comments,
    problem: Option<String>,
}

/// One ply of a replay.
#[derive(Debug, Serialize)]
struct Moment {
    ply: u32,
    turn: usize,
    seat: Option<usize>,
    /// The events that the viewer is told, one a line.
    text: String,
    /// The comment of the agent on its decision.
    #[serde(skip_serializing_if = "Option::is_none")]
    comment: Option<String>,
    scores: Vec<i32>,
}

/// Answers with the plies of a record file.
pub(super) async fn of_file(Ask { server, viewer, .. }: Ask<true>, body: Bytes) -> Answer {
    json(&replayed(&server, move || summary(&read(&body)?, viewer)).await?)
}

/// Answers with the position of a record file at a ply.
pub(super) async fn board_of_file(ask: Ask<true>, body: Bytes) -> Answer {
    let (ply, form) = (ask.needed_ply()?, (ask.viewer, ask.layout));
    json(&replayed(&ask.server, move || board(&read(&body)?.record, form, ply)).await?)
}

/// Answers with the plies of a match that has ended.
pub(super) async fn of_match(ask: Ask<true>) -> Answer {
    let (live, viewer) = (ask.found().await?.live, ask.viewer);
    let (record, comments) = (record_of(&live)?, live.look(|state| state.comments.by_decision()));
    json(&replayed(&ask.server, move || summary(&Source { record, comments, problem: None }, viewer)).await?)
}

/// Answers with the position of a match that has ended at a ply.
pub(super) async fn board_of_match(ask: Ask<true>) -> Answer {
    let (ply, record) = (ask.needed_ply()?, record_of(&ask.found().await?.live)?);
    let form = (ask.viewer, ask.layout);
    json(&replayed(&ask.server, move || board(&record, form, ply)).await?)
}

/// Returns the record of a match that has ended.
fn record_of(live: &LiveMatch) -> Result<Record, ApiError> {
    live.refuse_if_sealed()?;
    match live.has_ended() {
        true => live.with_referee(Referee::record).ok_or_else(|| refusals::not_started(&live.id)),
        false => Err(refusals::not_ended(&live.id)),
    }
}

/// Does the work of a replay on a blocking thread. Only a few replays run at a time.
pub(super) async fn replayed<T: Send + 'static>(
    server: &SharedServer,
    work: impl FnOnce() -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    let page = server.page.as_ref().expect("a server with these routes has a page");
    let _place = page.0.replays.acquire().await.map_err(|_| refusals::failed())?;
    tokio::task::spawn_blocking(work).await.map_err(|_| refusals::failed())?
}

/// Reads a record file, or its intact part.
fn read(bytes: &[u8]) -> Result<Source, Failure> {
    match Record::read(bytes) {
        Ok(record) => Ok(Source { record, comments: Comments::new(), problem: None }),
        Err(error @ (RecordError::NotARecord | RecordError::OtherRules { .. } | RecordError::UnknownGame(_))) => {
            Err(error.into())
        }
        Err(error) => match read_intact(bytes) {
            Ok(record) => Ok(Source { record, comments: Comments::new(), problem: Some(error.to_string()) }),
            Err(_) => Err(error.into()),
        },
    }
}

/// Returns the viewer of the page, and the further viewers whose tables it shows.
fn viewers(record: &Record, asked: PageViewer) -> Result<(Viewer, Vec<Viewer>), Failure> {
    let seats = record.setup.seats();
    match asked {
        PageViewer::Public => Ok((Viewer::Public, Vec::new())),
        PageViewer::All => Ok((Viewer::Public, seats.iter().map(Viewer::Seat).collect())),
        PageViewer::Seat(seat) => {
            convert::read_seat(Some(seat.index() as u32), seats)?;
            Ok((Viewer::Seat(seat), Vec::new()))
        }
    }
}

/// Returns the plies of a record as the page shows them, and the result of the check.
fn summary(Source { record, comments, problem }: &Source, asked: PageViewer) -> Result<Value, Failure> {
    let (viewer, _) = viewers(record, asked)?;
    let mut replay = Replay::new(record);
    let mut turn = 0;
    let scores = |replay: &Replay<'_>| by_seat(&replay.referee().view(viewer).scores());
    let beginning = Moment { ply: 0, turn, seat: None, text: String::new(), comment: None, scores: scores(&replay) };
    let mut moments = vec![beginning];
    let mut decisions = BySeat::new(record.setup.seats(), 0);
    while let Some(step) = replay.step() {
        let step = step?;
        if !step.entry.is_ply() {
            continue;
        }
        let (seat, comment) = match step.entry {
            Entry::Action { seat, .. } => {
                decisions[*seat] += 1;
                (shown_seat(*seat, step.events, viewer, asked), comments.get(&(*seat, decisions[*seat])).cloned())
            }
            _ => (None, None),
        };
        let lines = told(step.events, viewer);
        turn += lines.iter().filter(|line| line.begins_turn).count();
        let text = lines.into_iter().map(|line| line.text).collect::<Vec<_>>().join("\n");
        let ply = step.ply;
        moments.push(Moment { ply, turn, seat, text, comment, scores: scores(&replay) });
    }
    let checked = if problem.is_none() { verify(record).err().map(|error| error.to_string()) } else { None };
    let problem = problem.clone().or(checked);
    Ok(json!({
        "match": described(record, replay.referee()),
        "moments": moments,
        "verified": problem.is_none(),
        "problem": problem,
    }))
}

/// Returns the seat of an action if the viewer was told of it.
fn shown_seat(seat: Seat, events: &[PlyEvent], viewer: Viewer, asked: PageViewer) -> Option<usize> {
    let is_told = asked == PageViewer::All
        || viewer == Viewer::Seat(seat)
        || events.iter().any(|event| event.event.is_visible_to(viewer));
    is_told.then(|| seat.index())
}

/// Returns these events as a viewer is told of them.
fn told(events: &[PlyEvent], viewer: Viewer) -> Vec<ToldEvent> {
    events.iter().filter_map(|event| event.told_to(viewer)).collect()
}

/// Returns the description of a record in the form of the description of a match. The referee has replayed it.
fn described(record: &Record, referee: &Referee) -> Value {
    let info = record.setup.rules().info();
    let forfeited = |seat: usize| {
        record.result.is_some_and(|result| result.forfeited().iter().any(|forfeited| forfeited.index() == seat))
    };
    let seats = record.players.iter().enumerate().map(|(seat, player)| {
        let state = match player.bot {
            _ if forfeited(seat) => "forfeited",
            Some(_) => "bot",
            None => "taken",
        };
        json!({"player": player.name, "state": state})
    });
    let (state, reason) = match &record.ending {
        Some(Ending::Finished) => ("finished", ""),
        Some(Ending::Cancelled(reason)) => ("cancelled", &**reason),
        Some(Ending::Void(reason)) => ("void", &**reason),
        None => ("running", ""),
    };
    json!({
        "id": null, "game": info.id, "title": info.title, "state": state, "end_reason": reason,
        "seats": seats.collect::<Vec<_>>(),
        "scores": record.result.map(|result| by_seat(&result.scores)),
        "ranks": record.result.map(|result| by_seat(&result.ranks)),
        "verdict": referee.verdict(),
        "labels": {}, "age_ms": null,
        "options": convert::options(&*record.setup),
        "seed": record.seed.to_string(),
    })
}

/// Returns the position of a record at a ply.
fn board(record: &Record, (asked, layout): (PageViewer, PictureLayout), ply: u32) -> Result<Value, Failure> {
    let (viewer, seats) = viewers(record, asked)?;
    let all: Vec<Viewer> = [viewer].into_iter().chain(seats).collect();
    let mut replay = Replay::new(record);
    let views = |replay: &Replay<'_>| all.iter().map(|&viewer| replay.referee().view(viewer)).collect::<Vec<_>>();
    let (mut before, mut lines, mut number, mut turns) = (None, Vec::new(), 0, 0);
    while replay.referee().plies() < ply {
        let is_last = replay.referee().plies() + 1 == ply;
        let views_now = is_last.then(|| views(&replay));
        let Some(step) = replay.step() else {
            let message = format!("ply: expected a number from 0 to {}, got {ply}", replay.referee().plies());
            return Err(Failure::bad(message));
        };
        let step = step?;
        number += lines.len();
        turns += lines.iter().filter(|line: &&ToldEvent| line.begins_turn).count();
        lines = told(step.events, viewer);
        // An entry that is no ply comes before the last one.
        before = views_now;
    }
    let referee = replay.referee();
    let (now, names) = (views(&replay), referee.names());
    let boards = now.iter().enumerate().map(|(place, view)| {
        let before = before.as_ref().map(|before: &Vec<_>| &*before[place]);
        let news = referee.news(all[place]);
        Board::draw(&**view, before, Scene { layout, news: &news, names: &names, ..Scene::default() })
    });
    let mut boards: Vec<Board> = boards.collect();
    // Seats that have forfeited come last by the result alone.
    if let Some(result) = referee.result() {
        boards[0].ranks = result.ranks;
    }
    let tables: Vec<String> = now.iter().map(|view| view.text()).collect();
    let hands = boards.iter().zip(&tables).skip(1).enumerate();
    let events = (number + 1..).zip(lines);
    let position = Position {
        number: number + events.clone().count(),
        table: &tables[0],
        to_act: convert::seats(referee.to_act()),
        forfeits: terms::forfeits(&referee.forfeits()).iter().map(position::forfeit).collect(),
        clocks: terms::seat_clocks(&referee.banks(viewer)).iter().map(position::clock).collect(),
        hands: hands.map(|(seat, (board, table))| Hand { seat, svg: &board.svg, table }).collect(),
        ..of_board(&boards[0], events, turns)
    };
    Ok(serde_json::to_value(position).expect("our types have no keys but texts"))
}
