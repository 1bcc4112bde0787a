//! The decisions of a person: drafts, which only the browser keeps, and answers.
//!
//! A draft is a chain of actions that the server tries on a copy of the game ([`Draft`]). It tells what the seat would see as
//! long as the chain can be taken back, and nothing else. A law in `tests/rules` checks that such an answer is a function of what
//! the seat knows.

use ahu_core::{ActionId, PlayError, Viewer};
use ahu_host::api::ApiError;
use ahu_host::{Draft, Entry, Referee, Scene, StepError};
use axum::http::{Extensions, StatusCode};
use axum::response::IntoResponse as _;
use prost::bytes::Bytes;
use serde::{Deserialize, Serialize};

use super::answer::{Answer, Failure, json};
use super::ask::{Ask, PageMatch, PageViewer};
use super::play::{call, read};
use super::seat::token_in;
use crate::limits::MAX_DRAFT;
use crate::proto::v1;
use crate::proto::v1::match_service_server::MatchService as _;
use crate::refusals;

/// The content of a request with a chain of actions.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Chain {
    /// The number of the first decision.
    decision: u32,
    /// The ids of the actions, each for the next decision.
    actions: Vec<u16>,
}

impl Chain {
    fn read(body: &[u8]) -> Result<Self, Failure> {
        let chain: Self = read(body, "{\"decision\": 1, \"actions\": [7]}")?;
        match chain.actions.len() {
            0..=MAX_DRAFT => Ok(chain),
            count => Err(Failure::bad(format!("actions: expected at most {MAX_DRAFT} actions, got {count}"))),
        }
    }
}

/// One action of a draft.
#[derive(Debug, Serialize)]
struct Step {
    id: u16,
    text: String,
    /// True if no other action was legal.
    forced: bool,
}

/// One legal action after a draft.
#[derive(Debug, Serialize)]
struct Choice {
    id: u16,
    text: String,
    /// The elements of the picture that the action touches.
    targets: Vec<String>,
}

/// The state of a draft.
#[derive(Debug, Default, Serialize)]
struct Drafted {
    steps: Vec<Step>,
    /// True if the last action can be taken back. Otherwise others would be told now, or chance would decide.
    open: bool,
    question: String,
    /// The cards and goods of the seat after the actions.
    holdings: String,
    /// The table after the actions; None without actions.
    svg: Option<String>,
    legal: Vec<Choice>,
}

/// Answers with the state of a draft. Decisions with a single legal action are added to it.
pub(super) async fn draft(ask: Ask<false>, body: Bytes) -> Answer {
    let chain = Chain::read(&body)?;
    let PageMatch { live, view } = ask.found().await?;
    let Viewer::Seat(seat) = view.viewer else { return Err(no_seat()) };
    let drafting = |referee: &Referee| {
        let not_yours = || StepError::Play(PlayError::NotYourDecision { seat, to_act: referee.to_act() });
        let draft = referee.draft(seat).ok_or_else(not_yours)?;
        match draft.decision == chain.decision {
            true => Ok((draft, referee.names(), referee.news(view.viewer))),
            false => Err(StepError::Stale { decision: chain.decision, open: draft.decision }),
        }
    };
    let begun = live.with_referee(drafting).ok_or_else(|| refusals::not_started(&live.id))?;
    let (draft, names, news) = begun.map_err(|error| ApiError::refused(error, 0, &live.id))?;
    let layout = ask.layout;
    let drawn =
        async move { drafted(draft, chain.actions, Scene { layout, news: &news, names: &names, is_bare: true }) };
    json(&ask.server.matches.background.work(drawn).await.ok_or_else(refusals::failed)??)
}

fn drafted(mut draft: Draft, actions: Vec<u16>, scene: Scene<'_>) -> Result<Drafted, ApiError> {
    let (before, mut given) = (draft.view(), actions.into_iter());
    let mut drafted = Drafted { open: true, ..Drafted::default() };
    while drafted.open {
        let (legal, view) = (draft.legal_actions(), draft.view());
        let only = legal.nth(0).filter(|_| legal.len() == 1);
        let Some(id) = given.next().map(ActionId).or(only) else {
            let choice = |id: ActionId| Choice { id: id.0, text: view.sentence(id), targets: view.targets(id) };
            drafted.legal = legal.iter().map(choice).collect();
            drafted.question = view.question();
            drafted.holdings = view.holdings();
            drafted.svg = (!drafted.steps.is_empty()).then(|| view.svg(Some(&*before), scene));
            return Ok(drafted);
        };
        let text = if legal.contains(id) { view.sentence(id) } else { String::new() };
        drafted.open = draft.play(id).map_err(|error| ApiError::not_played(error, id.0.into()))?;
        drafted.steps.push(Step { id: id.0, text, forced: only.is_some() });
    }
    match given.next() {
        None => Ok(drafted),
        Some(id) => {
            let message = format!("expected no action after those of which others would be told, got {id}");
            Err(ApiError::bad_field("actions", message))
        }
    }
}

/// Answers decisions: each action is the answer to the next one. An answer that is sent again changes nothing.
pub(super) async fn answer(ask: Ask<false>, extensions: Extensions, body: Bytes) -> Answer {
    let Chain { decision, actions } = Chain::read(&body)?;
    let (seat, token) = seat_of(&ask)?;
    if actions.is_empty() {
        return Err(Failure::bad("actions: expected at least one action, got none"));
    }
    let live = ask.found().await?.live;
    let own = |entry: &Entry| match *entry {
        Entry::Action { seat: of, id, .. } if seat == Some(of.index() as u32) => Some(id.0),
        _ => None,
    };
    let had: Vec<u16> = live.look(|state| state.entries().iter().filter_map(own).collect());
    for (decision_id, id) in (decision..).zip(actions) {
        // The part of a chain that arrived before the connection broke off.
        if had.get((decision_id as usize).wrapping_sub(1)) == Some(&id) {
            continue;
        }
        let action = v1::Action { action_id: Some(id.into()), ..Default::default() };
        let match_id = ask.id.clone();
        let asked = v1::StepRequest { match_id, seat, decision_id, action: Some(action), ..Default::default() };
        ask.server.matches.step(call(asked, &extensions, Some(&token))).await?;
    }
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// Resigns for the seat.
pub(super) async fn resign(ask: Ask<false>, extensions: Extensions) -> Answer {
    let (seat, token) = seat_of(&ask)?;
    let asked = v1::ResignSeatRequest { match_id: ask.id.clone(), seat };
    ask.server.matches.resign_seat(call(asked, &extensions, Some(&token))).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// Returns the seat for which a browser asks, and the token that it has for it.
fn seat_of(ask: &Ask<false>) -> Result<(Option<u32>, String), Failure> {
    match ask.viewer {
        PageViewer::Seat(seat) => {
            let token = token_in(&ask.headers, seat).ok_or_else(|| refusals::SEAT.missing())?;
            Ok((Some(seat.index() as u32), token))
        }
        PageViewer::Public | PageViewer::All => Err(no_seat()),
    }
}

fn no_seat() -> Failure {
    Failure::bad("as: expected the number of a seat, got none")
}
