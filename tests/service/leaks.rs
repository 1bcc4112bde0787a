//! The leak law for the bytes on the wire: two matches that differ only in facts hidden from a viewer give that viewer
//! the same answers, byte by byte, in every format, errors included, and in the texts of the tools for language models.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use ahu_core::{ActionId, Seat, Seats, Seed, Viewer};
use ahu_games::rappanui::Outcome;
use ahu_games::rappanui::cards::{Card, CardSet};
use ahu_host::{Conduct, DecidedBy, Entry, GAMES, Referee, SeatPlayer, Terms, TimeControl, find};
use ahu_service::proto::v1::{
    Action, GetMatchRequest, GetRecordRequest, Match, ObserveRequest, ParseActionRequest, RecordFormat, StepRequest,
};
use ahu_service::{Limits, LiveMatch, MatchConfig, Matches};
use prost::Message;
use prost::bytes::Bytes;
use rand::rngs::ChaCha8Rng;
use rand::seq::{IndexedRandom, SliceRandom};
use rand::{RngExt, SeedableRng};
use tonic::{Response, Status};
use tonic_types::StatusExt;

use crate::mcp;
use crate::scripted::Scripted;
use crate::server::{Client, Server, matches_with};
use crate::web::with_page;

/// Plays this number of decisions, each by a random bot, and on to the end of the turn. The turn has to end because only a
/// player who can finish a meld or a discard begins it. Returns the entries.
fn played(seats: usize, decisions: usize, rng: &mut ChaCha8Rng) -> Vec<Entry> {
    let rules = find("rappanui").expect("the game is in the catalog");
    let setup = rules.configure(seats, &[]).expect("the defaults are valid");
    let players = vec![SeatPlayer::external("agent"); seats];
    let mut referee = Referee::new(setup, Seed(rng.random_range(0..u64::MAX)), players, Conduct::default());
    let bots = ["random", "greedy"].map(|name| rules.bot(name).expect("the game has both bots"));
    let begins_turn = |entry: Option<&Entry>| matches!(entry, Some(Entry::Chance(drawn)) if drawn.starts_with("draw"));
    for n in 0.. {
        let Some(seat) = referee.to_act().first() else { break };
        if n >= decisions && begins_turn(referee.entries().last()) {
            break;
        }
        let bot = *bots.choose(rng).expect("the list has two bots");
        let id = referee.choice_of(bot, seat).expect("the seat has to decide")();
        referee
            .act(seat, referee.decision(seat).expect("the seat has to decide"), id)
            .expect("bots play legal actions");
    }
    referee.entries().to_vec()
}

/// Returns the cards that an entry names, such as "F7.1" or "famine".
fn cards(text: &str) -> impl Iterator<Item = Card> {
    text.split_whitespace().filter_map(|word| word.parse().ok())
}

/// Returns the cards that `viewer` cannot know, computed from the rulebook alone: the cards that have always been in the deck
/// or in hands of others, and were never shown.
fn hidden(entries: &[Entry], seats: Seats, viewer: Option<Seat>) -> Vec<Card> {
    let rules = find("rappanui").expect("the game is in the catalog");
    let mut shown = CardSet::EMPTY;
    let mut played = BTreeSet::new();
    for (n, entry) in entries.iter().enumerate() {
        match entry {
            Entry::Chance(outcome) => {
                let is_told = match outcome.split_whitespace().next() {
                    Some("deal") => {
                        let own = viewer.and_then(|seat| outcome.split('/').nth(seat.index() + 1)).unwrap_or_default();
                        shown = cards(own).fold(shown, CardSet::with);
                        false
                    }
                    // The player who draws has the next decision.
                    Some("draw") => entries[n + 1..].iter().find_map(actor).is_none_or(|drawer| Some(drawer) == viewer),
                    // Thief and victim know the stolen card.
                    Some("steal") => match &entries[n - 1] {
                        Entry::Action { seat, id, .. } => {
                            let text = rules.action_text(*id).expect("an action");
                            let (_, left) = text.rsplit_once('+').expect("a Raid has its victim");
                            let victim = seats.left_of(*seat, left.parse().expect("a number"));
                            [*seat, victim].map(Some).contains(&viewer)
                        }
                        other => panic!("{other:?}"),
                    },
                    // All players see the cards that a Disaster takes.
                    _ => true,
                };
                if is_told {
                    shown = cards(outcome).fold(shown, CardSet::with);
                }
            }
            // All players see the kind of a played card, but not its copy.
            Entry::Action { id, .. } => {
                played.extend(rules.action_text(*id).expect("an action").split_whitespace().map(str::to_owned));
            }
            Entry::Strike { .. } | Entry::Forfeit { .. } | Entry::Cancelled(_) | Entry::Void(_) => {}
        }
    }
    (CardSet::ALL - shown).iter().filter(|card| !played.contains(&card.kind().to_string())).collect()
}

fn actor(entry: &Entry) -> Option<Seat> {
    match entry {
        Entry::Action { seat, .. } => Some(*seat),
        _ => None,
    }
}

/// Returns the outcomes of chance with hidden cards exchanged as `instead` says.
fn outcomes(entries: &[Entry], instead: &BTreeMap<String, String>) -> Vec<String> {
    let change = |word: &str| instead.get(word).cloned().unwrap_or_else(|| word.to_owned());
    let outcomes = entries.iter().filter_map(|entry| match entry {
        Entry::Chance(outcome) => {
            let changed = outcome.split(' ').map(change).collect::<Vec<_>>().join(" ");
            // The text of an outcome lists the cards of a hand in their order.
            Some(changed.parse::<Outcome>().expect("the outcome is still valid").to_string())
        }
        _ => None,
    });
    outcomes.collect()
}

/// Hosts a match of agents with these outcomes of chance.
async fn scripted(
    server: &Server,
    matches: &Matches,
    seats: usize,
    outcomes: Vec<String>,
) -> (Arc<LiveMatch>, Vec<Client>) {
    let rules = find("rappanui").expect("the game is in the catalog");
    let setup = rules.configure(seats, &[]).expect("the defaults are valid");
    let setup = Scripted::chance(setup, outcomes);
    let spec = MatchConfig { seed: Some(Seed(1)), terms: clocked(seats), ..MatchConfig::new(setup) };
    let live = matches.host(spec).expect("there is room");
    let created = server.describe(&live.id).await;
    let mut clients = Vec::new();
    for _ in 0..seats {
        clients.push(server.join(&created).await);
    }
    (live, clients)
}

/// Returns terms with a clock for each seat, which nobody exceeds.
pub(crate) fn clocked(seats: usize) -> Terms {
    let hours = NonZeroU32::new(10 * 3_600_000);
    let clock = TimeControl { limit: hours, bank: hours, increment: 7, lag: 100, ..TimeControl::default() };
    Terms { clocks: vec![clock; seats], ..Terms::default() }
}

/// Returns the bytes of an answer, with a placeholder for the id of the match.
fn bytes<T: Message>(answer: Result<Response<T>, Status>, match_id: &str) -> Vec<u8> {
    let bytes = match answer {
        Ok(answer) => answer.into_inner().encode_to_vec(),
        Err(error) => {
            let details = error.get_error_details();
            let info = details.error_info().expect("every error has a reason");
            let metadata: BTreeMap<_, _> = info.metadata.iter().collect();
            let lengths = (error.message().len(), error.details().len());
            format!("{:?} {} {metadata:?} {:?} {lengths:?}", error.code(), info.reason, details.bad_request())
                .into_bytes()
        }
    };
    let name = match_id.as_bytes();
    let mut same = Vec::with_capacity(bytes.len());
    let mut rest = &bytes[..];
    while let Some((first, behind)) = rest.split_first() {
        if let Some(behind) = rest.strip_prefix(name) {
            same.push(0);
            rest = behind;
        } else {
            same.push(*first);
            rest = behind;
        }
    }
    same
}

/// Returns the answers to all calls of a seat that do not change the match.
async fn all_answers(client: &Client) -> Vec<Vec<u8>> {
    let (id, seat) = (&client.match_id, Some(client.seat));
    let mut matches = client.matches.clone();
    let mut answers = Vec::new();
    let observe = ObserveRequest { svg: true, ..client.observe_request(Duration::ZERO) };
    answers.push(bytes(matches.observe(client.with_token(observe.clone())).await, id));
    let observe = ObserveRequest { events_after: Some(9999), ..observe };
    answers.push(bytes(matches.observe(client.with_token(observe)).await, id));
    for format in [RecordFormat::Text, RecordFormat::Binary] {
        let record = GetRecordRequest { match_id: id.clone(), format: format.into() };
        answers.push(bytes(matches.get_record(client.with_token(record)).await, id));
    }
    for text in ["meld F7", "raid +1", "discard", "no meld"] {
        let action = Some(Action::from(text.to_owned()));
        let parse = ParseActionRequest { match_id: id.clone(), seat, action };
        answers.push(bytes(matches.parse_action(client.with_token(parse)).await, id));
    }
    // Each of these steps is refused: its decision is not open, or its action is unknown or illegal.
    for (decision_id, action_id) in [(9999, 71), (0, 71), (0, 70_000)] {
        answers.push(bytes(matches.step(client.with_token(client.step_request(decision_id, action_id))).await, id));
    }
    let open = client.look().await.decision;
    let legal = open.as_ref().map(|open| open.legal_ids.clone()).unwrap_or_default();
    let decision_id = open.map_or(1, |open| open.decision_id);
    for illegal in (0..183).filter(|id| !legal.contains(id)).step_by(40) {
        answers.push(bytes(matches.step(client.with_token(client.step_request(decision_id, illegal))).await, id));
    }
    let thief = Client { token: String::new(), ..client.clone() };
    answers.push(bytes(matches.step(thief.with_token(client.step_request(decision_id, 71))).await, id));
    answers
}

/// Returns the public answers about a match, without the values that differ in all matches: id, commitment, and time.
async fn public_answers(client: &Client) -> Vec<Vec<u8>> {
    let mut matches = client.matches.clone();
    let id = &client.match_id;
    let mut answers = Vec::new();
    let record = GetRecordRequest { match_id: id.clone(), ..Default::default() };
    answers.push(bytes(matches.get_record(record).await, id));
    for events_after in [None, Some(0), Some(9999)] {
        let (seat, public) = (None, true);
        let observe = client.observe_request(Duration::ZERO);
        let observe = ObserveRequest { seat, public_view: public, events_after, svg: true, ..observe };
        answers.push(bytes(matches.observe(observe).await, id));
    }
    let described = matches.get_match(GetMatchRequest { match_id: client.match_id.clone(), wait: None }).await;
    let described = described.expect("the match is hosted").into_inner().r#match.expect("a match");
    let alike = Match {
        match_id: String::new(),
        seed_commitment: Bytes::new(),
        create_time: None,
        begin_time: None,
        ..described
    };
    answers.push(alike.encode_to_vec());
    answers
}

/// Compares the answers to `viewer` (None: the public) in two matches that differ only in facts hidden from it. Returns
/// true if the answers to another seat differed.
async fn compare(
    server: &Server,
    matches: &Matches,
    entries: &[Entry],
    viewer: Option<Seat>,
    rng: &mut ChaCha8Rng,
) -> bool {
    let seats = match &entries[0] {
        Entry::Chance(deal) => Seats::new(deal.matches('/').count()).expect("2 to 6"),
        other => panic!("{other:?}"),
    };
    let hidden = hidden(entries, seats, viewer);
    let mut others = hidden.clone();
    others.shuffle(rng);
    let instead = hidden.iter().zip(&others).map(|(one, other)| (one.to_string(), other.to_string())).collect();
    let (_, one) = scripted(server, matches, seats.count(), outcomes(entries, &BTreeMap::new())).await;
    let (_, other) = scripted(server, matches, seats.count(), outcomes(entries, &instead)).await;
    let pair = |seat: usize| (&one[seat], &other[seat]);

    let mut differed = false;
    let mut decisions = [0; 6];
    for (n, entry) in entries.iter().enumerate() {
        let Entry::Action { seat, id, by: DecidedBy::Player, .. } = entry else { continue };
        // In a long match, about eight points are compared.
        if n.is_multiple_of(1 + entries.len() / 8) {
            let (here, there) = pair(viewer.map_or(0, Seat::index));
            assert_eq!(public_answers(here).await, public_answers(there).await);
            if let Some(viewer) = viewer {
                assert_eq!(all_answers(here).await, all_answers(there).await, "seat {viewer}");
                let of_tools = async |client| mcp::answers(server.address(), client).await;
                assert_eq!(of_tools(here).await, of_tools(there).await, "seat {viewer}");
            }
            let stranger = pair(viewer.map_or(0, |viewer| seats.left_of(viewer, 1).index()));
            differed = differed || all_answers(stranger.0).await != all_answers(stranger.1).await;
        }
        // Both players think for the same time.
        matches.advance(Duration::from_millis(rng.random_range(0..1000)));
        let (here, there) = pair(seat.index());
        decisions[seat.index()] += 1;
        let ActionId(id) = *id;
        let request = |client: &Client, comment: &str| {
            let request = client.step_request(decisions[seat.index()], id.into());
            // Nobody compares the answers to the others.
            let formats = request.formats.filter(|_| Some(*seat) == viewer);
            client.with_token(StepRequest { formats, comment: comment.to_owned(), ..request })
        };
        let mut calls = here.matches.clone();
        // A comment is a fact that is hidden from everybody, its author included.
        let answers = (calls.step(request(here, "")).await, calls.step(request(there, "I have F7.")).await);
        answers.0.as_ref().expect("the action was legal");
        answers.1.as_ref().expect("the action is legal there too");
        if Some(*seat) == viewer {
            assert_eq!(bytes(answers.0, &here.match_id), bytes(answers.1, &there.match_id));
        }
    }
    differed
}

async fn nothing_leaks(seats: usize, lengths: &[usize]) {
    let hosted = with_page();
    let matches = hosted.matches().clone();
    let server = Server::start_with(hosted).await;
    let mut rng = ChaCha8Rng::seed_from_u64(seats as u64);
    let mut differed = 0;
    for &decisions in lengths {
        let entries = played(seats, decisions, &mut rng);
        for viewer in (0..seats).map(Seat::new).chain([None]) {
            differed += usize::from(compare(&server, &matches, &entries, viewer, &mut rng).await);
        }
    }
    assert!(differed * 2 > lengths.len() * (seats + 1), "the hidden cards did differ: {differed}");
}

#[tokio::test]
async fn nothing_leaks_at_two_seats() {
    nothing_leaks(2, &[6, 20, 60, 140]).await;
}

#[tokio::test]
async fn nothing_leaks_at_three_seats() {
    nothing_leaks(3, &[20, 60, 100]).await;
}

#[tokio::test]
async fn nothing_leaks_at_six_seats() {
    nothing_leaks(6, &[20, 140]).await;
}

/// Plays matches of agents in every game. If a viewer is told nothing about an action, the answers to the viewer are the same
/// before and after the action, including all clocks.
#[tokio::test]
async fn the_progress_of_secret_decisions_does_not_show() {
    let matches = matches_with(Limits::default());
    let server = Server::start_with(matches.clone()).await;
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let mut untold = 0;
    for rules in GAMES {
        let seats = *rules.seats().start().max(&3);
        let setup = rules.configure(seats, &[]).expect("the defaults are valid");
        let config = MatchConfig { seed: Some(Seed(5)), terms: clocked(seats), ..MatchConfig::new(setup) };
        let live = matches.host(config).expect("there is room");
        let created = server.describe(&live.id).await;
        let mut clients = Vec::new();
        for _ in 0..seats {
            clients.push(server.join(&created).await);
        }
        for _ in 0..60 {
            let to_act = live.with_referee(Referee::to_act).expect("the match has begun");
            let Some(seat) = to_act.iter().collect::<Vec<_>>().choose(&mut rng).copied() else { break };
            matches.advance(Duration::from_millis(rng.random_range(200..1000)));
            let told = |viewer: Seat| {
                let viewer = Viewer::Seat(viewer);
                let told = |referee: &Referee| {
                    // Some public choices change the view before an event tells of them.
                    (referee.event_count(viewer), referee.to_act(), referee.view(viewer).text())
                };
                live.with_referee(told).expect("the match has begun")
            };
            let viewer = clients[(seat.index() + 1) % seats].clone();
            let watching = Seat::new(viewer.seat as usize).expect("a seat");
            let before = (told(watching), viewer.look().await.encode_to_vec(), public_answers(&viewer).await);

            let decision = clients[seat.index()].look().await.decision.expect("the seat has to decide");
            let id = *decision.legal_ids.choose(&mut rng).expect("an action is legal");
            clients[seat.index()].step(decision.decision_id, id).await.expect("the action is legal");

            if told(watching) == before.0 {
                assert!(viewer.look().await.encode_to_vec() == before.1, "{}", created.game);
                assert!(public_answers(&viewer).await == before.2, "{}", created.game);
                untold += 1;
            }
        }
    }
    assert!(untold > 10, "some actions are secret: {untold}");
}
