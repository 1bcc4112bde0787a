//! The leak law for `WatchMatch` and the stream of the web page: two matches that a viewer cannot tell apart give it the same
//! messages, byte by byte and in the same order, while they are played and afterwards; and the tools for language models the same
//! answers.

use std::sync::Arc;
use std::time::Duration;

use ahu_core::{ActionId, ChanceRng, Seat, Seed, Turn, Viewer};
use ahu_host::{AnyEvent, AnyGame, AnyRules, GAMES, SettleError, Setup};
use ahu_service::proto::v1::{MatchState, Observation, WatchMatchResponse};
use ahu_service::{LiveMatch, MatchConfig, Matches};
use prost::Message;
use rand::rngs::ChaCha8Rng;
use rand::seq::{IndexedRandom, SliceRandom};
use rand::{RngExt, SeedableRng};

use crate::leaks::clocked;
use crate::mcp;
use crate::scripted::Scripted;
use crate::server::{Client, Server};
use crate::watching::{Watching, request, timeless};
use crate::web::{ask, cookie, with_page};

/// The number of tries to find a ply that looks like another.
const TRIES: usize = 16;

/// A ply of one of the two games.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Ply {
    Outcome(String),
    Action(Seat, ActionId),
}

/// A game in progress.
struct Truth {
    game: Box<dyn AnyGame>,
}

impl Truth {
    /// Returns the game after a ply, and as text the events that the viewer is told and everything that it is shown then.
    fn after(&self, ply: &Ply, viewer: Viewer) -> (Self, String) {
        let mut next = Self { game: self.game.copy() };
        let mut events: Vec<Box<dyn AnyEvent>> = Vec::new();
        match ply {
            Ply::Outcome(outcome) => next.game.settle_text(outcome, &mut events).expect("it was drawn"),
            Ply::Action(seat, id) => next.game.play(*seat, *id, &mut events).expect("it is legal"),
        }
        let told: Vec<_> = events.iter().filter_map(|event| event.text_for(viewer)).collect();
        let shown = next.shown(viewer);
        (next, format!("{told:?} {shown}"))
    }

    /// Returns everything that the viewer is shown.
    fn shown(&self, viewer: Viewer) -> String {
        let view = self.game.view(viewer);
        let legal = match viewer {
            Viewer::Seat(seat) => self.game.legal_actions(seat).iter().collect(),
            Viewer::Public => Vec::new(),
        };
        format!("{:?} {legal:?} {} {:?}", self.game.turn(), view.text(), view.message())
    }

    /// Returns this outcome with two of its words exchanged, if it is possible now.
    fn exchanged(&self, outcome: &str, rng: &mut ChaCha8Rng) -> Option<Ply> {
        let mut words: Vec<_> = outcome.split(' ').collect();
        let [one, other] = [0, 1].map(|_| rng.random_range(0..words.len()));
        words.swap(one, other);
        let changed = words.join(" ");
        let error = match self.game.copy().settle_text(&changed, &mut Vec::new()) {
            Ok(()) => return Some(Ply::Outcome(changed)),
            Err(SettleError::Impossible(_)) => return None,
            Err(SettleError::Unreadable(error)) => error.to_string(),
        };
        // The text of an outcome lists the cards of a hand in their order.
        let (_, spelling) = error.split_once("expected the spelling \"")?;
        let ply = Ply::Outcome(spelling.split('"').next()?.to_owned());
        self.allows(&ply).then_some(ply)
    }

    /// Returns true if a ply is possible now.
    fn allows(&self, ply: &Ply) -> bool {
        match ply {
            Ply::Outcome(outcome) => {
                let is_due = self.game.turn() == Turn::Chance;
                is_due && self.game.copy().settle_text(outcome, &mut Vec::new()).is_ok()
            }
            Ply::Action(seat, id) => self.game.legal_actions(*seat).contains(*id),
        }
    }

    /// Returns some plies that are possible now: outcomes of chance, or actions of `seat`.
    fn plies(&self, seat: Option<Seat>, rng: &mut ChaCha8Rng) -> Vec<Ply> {
        match (self.game.turn(), seat) {
            (Turn::Chance, _) => {
                let draw = |_| Ply::Outcome(self.game.draw(&mut ChanceRng::new(Seed(rng.random_range(0..u64::MAX)))));
                (0..TRIES).map(draw).collect()
            }
            (Turn::Seats(_), Some(seat)) => {
                let mut legal: Vec<_> = self.game.legal_actions(seat).iter().map(|id| Ply::Action(seat, id)).collect();
                legal.shuffle(rng);
                legal.truncate(TRIES);
                legal
            }
            _ => Vec::new(),
        }
    }
}

/// A step that two truths make together. Without a ply, one truth waits, while the other makes a hidden ply.
type Step = [Option<Ply>; 2];

/// Plays two truths at once that `viewer` cannot tell apart. Returns their steps.
fn indistinguishable(setup: &Setup, viewer: Viewer, most: usize, rng: &mut ChaCha8Rng) -> Vec<Step> {
    let mut truths = [0, 1].map(|_| Truth { game: setup.game() });
    let mut steps: Vec<Step> = Vec::new();
    // The number of steps after which both truths wait for seats.
    let mut whole = 0;
    while steps.len() < most || truths.iter().any(|truth| truth.game.turn() == Turn::Chance) {
        let Some(step) = (0..3).find_map(|_| next_step(&mut truths, viewer, rng)) else { break };
        steps.push(step);
        if truths.iter().all(|truth| matches!(truth.game.turn(), Turn::Seats(_))) {
            whole = steps.len();
        }
    }
    steps.truncate(whole);
    steps
}

/// Makes a step of both truths, if there is one after which the viewer still cannot tell them apart.
fn next_step(truths: &mut [Truth; 2], viewer: Viewer, rng: &mut ChaCha8Rng) -> Option<Step> {
    let own = |seat: Seat| viewer == Viewer::Seat(seat);
    // One truth may have a hidden ply that the other lacks.
    if rng.random_bool(0.3) {
        let n = rng.random_range(0..2);
        let others: Vec<_> = truths[n].game.turn().to_act().iter().filter(|&seat| !own(seat)).collect();
        let shown = truths[n].shown(viewer);
        let plies = others.choose(rng).map(|&seat| truths[n].plies(Some(seat), rng)).unwrap_or_default();
        for ply in plies {
            let (next, told) = truths[n].after(&ply, viewer);
            if told == format!("[] {shown}") {
                truths[n] = next;
                let mut step = [None, None];
                step[n] = Some(ply);
                return Some(step);
            }
        }
    }
    let mut seats: Vec<_> = truths[0].game.turn().to_act().iter().collect();
    seats.retain(|&seat| truths[1].game.turn().to_act().contains(seat));
    let seat = seats.choose(rng).copied();
    let mut same = None;
    let [one, mut other] = [0, 1].map(|n| truths[n].plies(seat, rng));
    for ply in &one {
        if let Ply::Outcome(outcome) = ply {
            other.extend((0..TRIES).filter_map(|_| truths[1].exchanged(outcome, rng)));
        }
    }
    other.extend(one.iter().filter(|ply| truths[1].allows(ply)).cloned().collect::<Vec<_>>());
    let told_of: Vec<_> = other.iter().map(|ply| (ply, truths[1].after(ply, viewer).1)).collect();
    for ply in &one {
        let (next, told) = truths[0].after(ply, viewer);
        if next.game.turn() == Turn::Over {
            continue;
        }
        let is_own = seat.is_some_and(own);
        let mut fitting =
            told_of.iter().filter(|(other, other_told)| *other_told == told && (!is_own || *other == ply));
        let same_ply = fitting.clone().find(|(other, _)| *other == ply);
        match fitting.find(|(other, _)| *other != ply).or(same_ply) {
            Some((other, _)) if *other != ply || is_own => {
                *truths = [next, truths[1].after(other, viewer).0];
                return Some([Some(ply.clone()), Some((*other).clone())]);
            }
            Some(_) => same = Some(ply.clone()),
            None => {}
        }
    }
    let ply = same?;
    *truths = [0, 1].map(|n| truths[n].after(&ply, viewer).0);
    Some([Some(ply.clone()), Some(ply)])
}

/// A match of agents that has the outcomes of one truth, and its watcher.
struct Played {
    live: Arc<LiveMatch>,
    clients: Vec<Client>,
    watching: Watching,
    decisions: Vec<u32>,
}

impl Played {
    async fn host(server: &Server, matches: &Matches, setup: &Setup, viewer: Viewer, steps: &[Option<Ply>]) -> Self {
        let outcomes = steps.iter().flatten().filter_map(|ply| match ply {
            Ply::Outcome(outcome) => Some(outcome.clone()),
            Ply::Action(..) => None,
        });
        let seats = setup.seats().count();
        let scripted = Scripted::chance(Arc::clone(setup), outcomes.collect());
        let config = MatchConfig { seed: Some(Seed(1)), terms: clocked(seats), ..MatchConfig::new(scripted) };
        let live = matches.host(config).expect("there is room");
        let created = server.describe(&live.id).await;
        let mut clients = Vec::new();
        let mut watching = None;
        if viewer == Viewer::Public {
            watching = Watching::start(server, request(&live.id, Some(0))).await.ok();
        }
        for seat in setup.seats().iter() {
            let client = server.join(&created).await;
            if viewer == Viewer::Seat(seat) {
                watching = Some(Watching::seat(server, &client, Some(0)).await);
            }
            clients.push(client);
        }
        let watching = watching.expect("the viewer is the public or a seat");
        Self { live, clients, watching, decisions: vec![0; seats] }
    }

    async fn take(&mut self, ply: &Ply) {
        if let Ply::Action(seat, ActionId(id)) = ply {
            let decision = &mut self.decisions[seat.index()];
            *decision += 1;
            let client = &self.clients[seat.index()];
            client.step(*decision, (*id).into()).await.expect("the action is legal");
        }
    }

    /// Waits until the watcher was told all events of its viewer, the seats that have to decide, and its own decision. A
    /// message states the time that is left, so it has to be made before the time changes.
    async fn catch_up(&mut self, viewer: Viewer, seen: &mut Vec<WatchMatchResponse>) {
        let now = self.live.with_referee(|referee| {
            let own = match viewer {
                Viewer::Seat(seat) => referee.decision(seat),
                Viewer::Public => None,
            };
            let to_act = referee.to_act().iter().map(|seat| seat.index() as u32).collect::<Vec<_>>();
            (referee.event_count(viewer) as u32, to_act, own)
        });
        let now = now.expect("it has begun");
        let told = |message: &WatchMatchResponse| {
            let seen = message.observation.as_ref()?;
            let decision = seen.decision.as_ref().map(|decision| decision.decision_id);
            Some((seen.event_count, seen.seats_to_act.clone(), decision))
        };
        while seen.last().and_then(told).as_ref() != Some(&now) {
            seen.push(self.watching.next().await.expect("the match goes on"));
        }
    }
}

/// Returns the bytes of each message, without the id of the match.
fn bytes(messages: &[WatchMatchResponse]) -> Vec<Vec<u8>> {
    let without_id = |message: &WatchMatchResponse| {
        let mut message = message.clone();
        message.observation.iter_mut().for_each(|seen| seen.match_id.clear());
        message.encode_to_vec()
    };
    messages.iter().map(without_id).collect()
}

/// Compares the messages of two truths. Returns true if the truths differ, and if one has a hidden ply while the other waits.
async fn compare(
    server: &Server,
    matches: &Matches,
    rules: &'static dyn AnyRules,
    viewer: Viewer,
    rng: &mut ChaCha8Rng,
) -> (bool, bool) {
    let setup = rules.configure(*rules.seats().start().max(&3), &[]).expect("the defaults are valid");
    // The secrets of the card game are sacrifices, which come late.
    let most = if rules.info().id == "rapanui_cards" { 100 } else { 30 };
    let steps = indistinguishable(&setup, viewer, most, rng);
    let of = |n: usize| steps.iter().map(|step| step[n].clone()).collect::<Vec<_>>();
    let mut played = [
        Played::host(server, matches, &setup, viewer, &of(0)).await,
        Played::host(server, matches, &setup, viewer, &of(1)).await,
    ];
    let mut seen = [Vec::new(), Vec::new()];
    for (played, seen) in played.iter_mut().zip(&mut seen) {
        played.catch_up(viewer, seen).await;
    }
    for (n, step) in steps.iter().enumerate() {
        // Both players think for the same time. An additional hidden ply takes no time.
        if step.iter().all(Option::is_some) {
            matches.advance(Duration::from_millis(rng.random_range(0..1000)));
        }
        for ((played, seen), ply) in played.iter_mut().zip(&mut seen).zip(step) {
            if let Some(ply) = ply {
                played.take(ply).await;
            }
            played.catch_up(viewer, seen).await;
        }
        // In each fifth step the tools are compared too.
        if let (true, Viewer::Seat(seat)) = (n.is_multiple_of(5) && step.iter().all(Option::is_some), viewer) {
            let [one, other] = played.each_ref().map(|played| &played.clients[seat.index()]);
            let of_tools = async |client| mcp::answers(server.address(), client).await;
            assert_eq!(of_tools(one).await, of_tools(other).await, "{}, {viewer}", rules.info().id);
        }
    }
    for played in &played {
        played.live.cancel("the test ends").expect("the match goes on");
    }
    let game = rules.info().id;
    let mut all = Vec::new();
    let mut browsers = Vec::new();
    for (played, mut seen) in played.into_iter().zip(seen) {
        let Played { live, clients, watching, .. } = played;
        seen.extend(watching.rest().await);
        let again = match viewer {
            Viewer::Public => Watching::start(server, request(&live.id, Some(0))).await.expect("it is public"),
            Viewer::Seat(seat) => Watching::seat(server, &clients[seat.index()], Some(0)).await,
        };
        let again = again.rest().await;
        let state = |message: &WatchMatchResponse| message.observation.as_ref().map(Observation::state);
        let begun = seen.iter().filter(|message| state(message) != Some(MatchState::Seating)).cloned().collect();
        assert!(bytes(&timeless(begun)) == bytes(&again), "{game}, {viewer}: the past is not the present");
        all.push(seen);
        let (name, lines) = match viewer {
            Viewer::Public => ("public".to_owned(), String::new()),
            Viewer::Seat(seat) => (seat.index().to_string(), cookie(&clients[seat.index()])),
        };
        let path = format!("GET /api/matches/{}/events?as={name}&after=0", live.id);
        let mut stream = ask(server.address(), &path, &lines, b"").await.body;
        assert!(stream.ends_with(b"event: end\ndata: {}\n\n"), "{game}, {viewer}: the stream has an end");
        assert!(stream.windows(4).any(|four| four == b"<svg"), "{game}, {viewer}: the stream has pictures");
        // The stream shows the last position alone.
        let count = again.last().and_then(|message| message.observation.as_ref()).map_or(0, |seen| seen.event_count);
        for after in (1..=count).step_by(3) {
            let path = format!("GET /api/matches/{}/board?as={name}&after={after}", live.id);
            let board = ask(server.address(), &path, &lines, b"").await;
            assert_eq!(board.status(), 200, "{}", board.text());
            stream.extend(board.body);
        }
        browsers.push(stream);
    }
    assert!(browsers[0] == browsers[1], "{game}, {viewer}: the streams of browsers differ");
    let [one, other] = [&all[0], &all[1]].map(|messages| bytes(messages));
    assert_eq!(one.len(), other.len(), "{game}, {viewer}: the number of messages");
    assert!(one == other, "{game}, {viewer}: the messages differ");
    assert!(all.iter().all(|messages| !messages.is_empty() && messages.iter().all(|message| !message.skipped)));
    (of(0) != of(1), steps.iter().any(|step| step.contains(&None)))
}

#[tokio::test]
async fn messages_tell_a_viewer_nothing_that_it_does_not_know() {
    let hosted = with_page();
    let matches = hosted.matches();
    let server = Server::start_with(hosted.clone()).await;
    let mut rng = ChaCha8Rng::seed_from_u64(25);
    let mut longer = 0;
    for rules in GAMES {
        let mut differed = 0;
        let viewers = (0..3).filter_map(Seat::new).map(Viewer::Seat).chain([Viewer::Public]);
        for viewer in viewers {
            let (differs, has_more) = compare(&server, matches, *rules, viewer, &mut rng).await;
            differed += usize::from(differs);
            longer += usize::from(has_more);
        }
        // The board game hides nothing from its views.
        assert!(differed > 0 || rules.info().id == "rapanui_board", "{}: {differed} truths", rules.info().id);
    }
    assert!(longer > 0, "in some pairs, one truth has a hidden ply while the other waits");
}
