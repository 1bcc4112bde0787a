//! Watching: the messages of `WatchMatch`.

use std::time::Duration;

use ahu_service::limits::{MAX_ANSWER_EVENTS, MAX_SPECTATOR_DELAY, PRESENCE_GRACE, WATCH_BACKLOG};
use ahu_service::proto::v1::match_service_client::MatchServiceClient;
use ahu_service::proto::v1::{
    Conduct, Consequence, MatchSpec, MatchState, Observation, WatchMatchRequest, WatchMatchResponse,
};
use ahu_service::{Limits, MatchConfig};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::task::AbortHandle;
use tonic::{Code, Request, Status, Streaming};

use crate::endings::resign;
use crate::errors::{code, is, two_agents};
use crate::matches::play_lowest;
use crate::server::{ALL_FORMS, Asked, Client, Server, error_info, forfeited, matches_with, rappanui, seconds};

/// Returns a request to watch a match in all formats.
pub(crate) fn request(match_id: &str, after: Option<u32>) -> WatchMatchRequest {
    WatchMatchRequest {
        match_id: match_id.to_owned(),
        formats: Some(ALL_FORMS),
        public_view: true,
        events_after: after,
        ..Default::default()
    }
}

/// The stream of a watcher. A task reads it all the time, because streams that nobody reads would fill the connection.
pub(crate) struct Watching {
    messages: UnboundedReceiver<Result<WatchMatchResponse, Status>>,
    /// Ends the stream when the watcher is dropped.
    _reading: AbortOnDrop,
}

struct AbortOnDrop(AbortHandle);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Watching {
    pub(crate) async fn start(
        server: &Server,
        request: impl tonic::IntoRequest<WatchMatchRequest>,
    ) -> Result<Self, Status> {
        Ok(Self::read(server.matches().watch_match(request).await?.into_inner()))
    }

    fn read(mut stream: Streaming<WatchMatchResponse>) -> Self {
        let (read, messages) = unbounded_channel();
        let reading = tokio::spawn(async move {
            while let Some(message) = stream.message().await.transpose() {
                if read.send(message).is_err() {
                    return;
                }
            }
        });
        Self { messages, _reading: AbortOnDrop(reading.abort_handle()) }
    }

    /// Returns the next message, with or without an observation; None at the end of the stream.
    pub(crate) async fn message(&mut self) -> Result<Option<WatchMatchResponse>, Status> {
        self.messages.recv().await.transpose()
    }

    /// Watches as the public.
    pub(crate) async fn public(server: &Server, match_id: &str, after: Option<u32>) -> Self {
        Self::start(server, request(match_id, after)).await.expect("the match is public")
    }

    /// Watches as the seat of a client.
    pub(crate) async fn seat(server: &Server, client: &Client, after: Option<u32>) -> Self {
        let request = WatchMatchRequest { public_view: false, ..request(&client.match_id, after) };
        let request = client.with_token(request);
        Self::start(server, request).await.expect("the token is valid")
    }

    /// Returns the next message with an observation; None at the end of the stream.
    pub(crate) async fn next(&mut self) -> Option<WatchMatchResponse> {
        loop {
            let message = self.message().await.expect("the match goes on")?;
            if message.observation.is_some() {
                return Some(message);
            }
        }
    }

    async fn observation(&mut self) -> Observation {
        self.next().await.expect("the match goes on").observation.expect("it has one")
    }

    /// Returns all messages up to the end of the match.
    pub(crate) async fn rest(mut self) -> Vec<WatchMatchResponse> {
        let mut messages = Vec::new();
        while let Some(message) = self.next().await {
            messages.push(message);
        }
        messages
    }
}

/// Returns the observations of messages.
fn observations(messages: &[WatchMatchResponse]) -> Vec<&Observation> {
    messages.iter().map(|message| message.observation.as_ref().expect("it has one")).collect()
}

/// Returns the numbers of the events in messages.
pub(crate) fn numbers(messages: &[WatchMatchResponse]) -> Vec<u32> {
    observations(messages).iter().flat_map(|seen| seen.events.iter().map(|event| event.number)).collect()
}

/// Returns messages without the times that are left, which only the present has.
pub(crate) fn timeless(mut messages: Vec<WatchMatchResponse>) -> Vec<WatchMatchResponse> {
    for observation in messages.iter_mut().filter_map(|message| message.observation.as_mut()) {
        if let Some(decision) = &mut observation.decision {
            decision.time_left = None;
        }
    }
    messages
}

async fn play_one(client: &Client) {
    let (decision, legal) = client.decision().await.expect("the seat has to decide");
    client.act(decision, legal[0]).await;
}

/// Creates a match of two agents with a clock. Returns the agent that has to decide, and the other agent.
async fn two_agents_of(server: &Server, request: MatchSpec) -> [Client; 2] {
    let mut clients = server.seats(request).await;
    let owing = clients[0].look().await.seats_to_act[0] as usize;
    clients.rotate_left(owing);
    clients.try_into().unwrap_or_else(|_| panic!("two seats are open"))
}

#[tokio::test]
async fn the_public_and_a_seat_see_each_change_as_observe_shows_it() {
    let server = Server::start().await;
    let (owes, waits) = two_agents(&server).await;
    let mut public = Watching::public(&server, &owes.match_id, None).await;
    let mut seat = Watching::seat(&server, &owes, None).await;
    let first = public.observation().await;
    assert_eq!((first.seat, first.state(), first.events.len()), (None, MatchState::Running, 0));
    assert_eq!(first.decision, None);
    let own = seat.observation().await;
    let looked = owes.look().await;
    assert_eq!(Observation { events: looked.events.clone(), ..own.clone() }, looked, "with the time that is left");
    assert!(own.decision.and_then(|decision| decision.time_left).is_some());

    play_one(&owes).await;

    let seen = public.observation().await;
    assert!(seen.event_count > first.event_count && seen.events.len() as u32 == seen.event_count - first.event_count);
    assert_eq!(seen.events[0].number, first.event_count + 1);
    assert!(seen.events.iter().all(|event| !event.text.is_empty() && event.typed.is_some()));
    assert!(seen.typed.is_some() && seen.tensor.is_some() && !seen.text.is_empty());
    let (one, other) = tokio::join!(play_lowest(owes.clone()), play_lowest(waits.clone()));
    assert!(one + other > 10);
    let (public, seat) = (public.rest().await, seat.rest().await);
    for messages in [&public, &seat] {
        let last = observations(messages).pop().expect("there are messages").clone();
        assert_eq!(last.state(), MatchState::Finished);
        assert!(last.result.is_some_and(|result| !result.record_digest.is_empty()));
    }
    let last = observations(&seat).pop().expect("there are messages").clone();
    let looked = owes.look().await;
    assert_eq!(Observation { events: looked.events.clone(), ..last }, looked);
}

#[tokio::test]
async fn a_match_is_watched_from_before_it_begins() {
    let server = Server::start().await;
    let created = server.create(rappanui(2, &[], 3)).await;
    let watching = Watching::public(&server, &created.match_id, None).await;
    let from_the_first = Watching::public(&server, &created.match_id, Some(0)).await;
    let (one, other) = (server.join(&created).await, server.join(&created).await);
    tokio::join!(play_lowest(one), play_lowest(other));

    let messages = watching.rest().await;
    assert_eq!(observations(&messages)[0].state(), MatchState::Seating);
    assert_eq!(observations(&messages)[1].state(), MatchState::Running);
    let count = observations(&messages).last().expect("there are messages").event_count;
    assert_eq!(numbers(&messages), (1..=count).collect::<Vec<_>>(), "no event is lost or doubled");
    // Two watchers may get the changes of a fast match in different portions.
    let others = from_the_first.rest().await;
    assert_eq!(numbers(&others), numbers(&messages));
    let last = |messages| Observation { events: Vec::new(), ..observations(messages).pop().expect("it ends").clone() };
    assert_eq!(last(&others), last(&messages));
}

#[tokio::test]
async fn a_stream_goes_on_after_any_event_and_loses_and_doubles_none() {
    let matches = matches_with(Limits::default());
    let server = Server::start_with(matches.clone()).await;
    let [owes, waits] = two_agents_of(&server, rappanui(2, &[], 8)).await;
    for _ in 0..8 {
        play_one(if owes.look().await.decision.is_some() { &owes } else { &waits }).await;
    }
    let count = owes.look().await.event_count;
    let mut resumed = Vec::new();
    for after in 0..=count {
        resumed.push((after, Watching::seat(&server, &owes, Some(after)).await));
    }
    let public = Watching::public(&server, &owes.match_id, Some(0)).await;
    for _ in 0..20 {
        play_one(if owes.look().await.decision.is_some() { &owes } else { &waits }).await;
    }
    matches.find_blocking(&owes.match_id).expect("it is hosted").cancel("rain").expect("it goes on");

    let last = owes.look().await.event_count;
    let mut whole: Option<Vec<WatchMatchResponse>> = None;
    for (after, watching) in resumed {
        let messages = timeless(watching.rest().await);
        assert!(messages.iter().all(|message| !message.skipped));
        assert_eq!(numbers(&messages), (after + 1..=last).collect::<Vec<_>>(), "after {after}");
        assert!(observations(&messages)[0].events.is_empty() && observations(&messages)[0].event_count <= after);
        // A stream that begins later has the end of the same messages.
        let whole = whole.get_or_insert_with(|| messages.clone());
        assert_eq!(messages[2..], whole[whole.len() + 2 - messages.len()..], "after {after}");
    }
    // After the end of the match, the log gives the same messages.
    let again = Watching::seat(&server, &owes, Some(0)).await.rest().await;
    assert_eq!(Some(again), whole);
    assert_eq!(Watching::public(&server, &owes.match_id, Some(0)).await.rest().await, public.rest().await);
    let now = Watching::public(&server, &owes.match_id, None).await.rest().await;
    assert_eq!((now.len(), observations(&now)[0].state()), (1, MatchState::Cancelled));
}

#[tokio::test]
async fn a_match_that_has_ended_shows_the_hands_of_all_seats() {
    let server = Server::start().await;
    let [owes, waits] = two_agents_of(&server, rappanui(2, &[], 5)).await;
    let all = |after| WatchMatchRequest { all_seats: true, ..request(&owes.match_id, after) };
    let error = Watching::start(&server, all(Some(0))).await.err().expect("the match goes on");
    let expected = (Code::FailedPrecondition, "MATCH_NOT_ENDED".to_owned(), [owes.match_id.clone()]);
    assert_eq!(error_info(&error, ["match_id"]), expected);
    tokio::join!(play_lowest(owes.clone()), play_lowest(waits.clone()));
    // A watcher of the past gets each change. A watcher of the present may get several changes at once, since the agents are
    // fast.
    let [one, other] = [&owes, &waits].map(|client| Watching::seat(&server, client, Some(0)));
    let (one, other) = tokio::join!(one, other);

    let messages = Watching::start(&server, all(Some(0))).await.expect("the match has ended").rest().await;

    // Each seat has a message for each change that it was told.
    for (client, own) in [(&owes, one), (&waits, other)] {
        let own = timeless(own.rest().await);
        let seat = client.seat as usize;
        let mut shown: Vec<_> = messages.iter().map(|message| message.seat_observations[seat].clone()).collect();
        shown.dedup_by(|later, first| later.events.is_empty() && without_table(later) == without_table(first));
        assert_eq!(shown.len(), own.len());
        for (shown, own) in shown.iter().zip(observations(&own)) {
            assert_eq!(without_table(shown), without_table(own));
            assert_eq!(shown.events, own.events);
        }
        let last = messages.last().expect("there are messages");
        assert_eq!(last.seat_observations[seat].typed, client.look().await.typed);
    }
    assert_eq!(numbers(&messages), numbers(&Watching::public(&server, &owes.match_id, Some(0)).await.rest().await));
}

/// Returns an observation without the table. Each change of the remaining facts is a message.
fn without_table(of: &Observation) -> Observation {
    Observation { tensor: None, text: String::new(), typed: None, events: Vec::new(), ..of.clone() }
}

#[tokio::test]
async fn a_sealed_match_shows_the_public_nothing() {
    let matches = matches_with(Limits::default());
    let server = Server::start_with(matches.clone()).await;
    let setup = ahu_host::find("rappanui").expect("it is in the catalog").configure(2, &[]).expect("the defaults");
    let live = matches.host(MatchConfig { is_sealed: true, ..MatchConfig::new(setup) }).expect("there is room");
    let created = server.describe(&live.id).await;
    let clients = [server.join(&created).await, server.join(&created).await];

    let sealed = (Code::FailedPrecondition, "MATCH_SEALED".to_owned(), [live.id.to_string()]);
    let error = Watching::start(&server, request(&live.id, None)).await.err().expect("it is sealed");
    assert_eq!(error_info(&error, ["match_id"]), sealed);
    let mut own = Watching::seat(&server, &clients[0], None).await;
    assert_eq!(own.observation().await.seat, Some(clients[0].seat), "a seat sees what it may know");
    tokio::join!(play_lowest(clients[0].clone()), play_lowest(clients[1].clone()));
    let last = own.rest().await.pop().and_then(|message| message.observation).expect("the end");
    assert!(last.result.is_some_and(|result| result.seed.is_empty()), "the seed stays sealed");
    let all = WatchMatchRequest { all_seats: true, ..request(&live.id, Some(0)) };
    for asked in [clients[0].with_token(all.clone()), Request::new(all)] {
        let error = Watching::start(&server, asked).await.err().expect("it is sealed");
        assert_eq!(error_info(&error, ["match_id"]), sealed);
    }
}

#[tokio::test]
async fn wrong_requests_are_refused() {
    let server = Server::start().await;
    let (owes, waits) = two_agents(&server).await;
    let refused = async |request: Request<WatchMatchRequest>| {
        code(&Watching::start(&server, request).await.err().expect("the request is wrong"))
    };
    let asked = || request(&owes.match_id, None);
    let nobody = Client { token: "0123".to_owned(), ..owes.clone() };
    let own = WatchMatchRequest { public_view: false, ..asked() };
    assert_eq!(refused(nobody.with_token(own)).await, is(Code::PermissionDenied, "WRONG_TOKEN"));
    let other = WatchMatchRequest { seat: Some(owes.seat), public_view: false, ..asked() };
    assert_eq!(refused(waits.with_token(other.clone())).await, is(Code::PermissionDenied, "WRONG_TOKEN"));
    assert_eq!(refused(Request::new(other)).await, is(Code::Unauthenticated, "NO_TOKEN"));
    let far = WatchMatchRequest { seat: Some(2), public_view: false, ..asked() };
    assert_eq!(refused(owes.with_token(far)).await, is(Code::NotFound, "UNKNOWN_SEAT"));
    assert_eq!(refused(Request::new(request("none", None))).await, is(Code::NotFound, "UNKNOWN_MATCH"));
    let field = async |request: WatchMatchRequest| {
        let error = Watching::start(&server, request).await.err().expect("the request is wrong");
        error_info(&error, ["field"])
    };
    let bad = |name: &str| (Code::InvalidArgument, "BAD_FIELD".to_owned(), [name.to_owned()]);
    assert_eq!(field(request(&owes.match_id, Some(9999))).await, bad("events_after"));
    let seat = Some(owes.seat);
    assert_eq!(field(WatchMatchRequest { seat, ..asked() }).await, bad("seat"));
}

#[tokio::test]
async fn a_cancelled_match_ends_its_streams_before_and_after_it_begins() {
    let matches = matches_with(Limits::default());
    let server = Server::start_with(matches.clone()).await;
    let created = server.create(rappanui(2, &[], 1)).await;
    let seating = Watching::public(&server, &created.match_id, None).await;
    let (owes, _) = two_agents(&server).await;
    let running = Watching::seat(&server, &owes, None).await;
    for match_id in [&created.match_id, &owes.match_id] {
        matches.find_blocking(match_id).expect("it is hosted").cancel("rain").expect("it goes on");
    }

    for (match_id, watching) in [(&created.match_id, seating), (&owes.match_id, running)] {
        let messages = watching.rest().await;
        let [_, end] = observations(&messages)[..] else { panic!("{messages:?}") };
        assert_eq!((end.state(), end.end_reason.as_str()), (MatchState::Cancelled, "rain"));
        assert!(end.result.is_none() && end.seats_to_act.is_empty());
        let again = Watching::public(&server, match_id, Some(0)).await.rest().await;
        assert_eq!(observations(&again).last().map(|end| end.state()), Some(MatchState::Cancelled));
    }
}

#[tokio::test]
async fn forfeits_and_the_own_strikes_are_told_and_others_strikes_are_not() {
    let server = Server::start().await;
    let conduct = Conduct { illegal: Consequence::Strike.into(), ..Default::default() };
    let asked = MatchSpec { conduct: Some(conduct), ..rappanui(2, &[], 4) };
    let [bad, good] = two_agents_of(&server, asked).await;
    let (mut public, mut own) =
        (Watching::public(&server, &bad.match_id, None).await, Watching::seat(&server, &bad, None).await);
    let mut other = Watching::seat(&server, &good, None).await;
    for watching in [&mut public, &mut own, &mut other] {
        watching.observation().await;
    }
    for illegal in [0, 1] {
        bad.step(1, illegal).await.expect_err("the action is illegal");
    }
    resign(&bad).await.expect("the terms allow it");
    for watching in [&mut public, &mut other] {
        let seen = watching.observation().await;
        assert_eq!(forfeited(&seen.forfeits), [bad.seat], "the first message after the strikes tells of the forfeit");
    }
    for forfeits in [0, 0, 1] {
        assert_eq!(own.observation().await.forfeits.len(), forfeits);
    }
    play_lowest(good.clone()).await;
    let last = public.rest().await.pop().and_then(|message| message.observation).expect("the end");
    assert_eq!(last.result.map(|result| forfeited(&result.forfeits)), Some(vec![bad.seat]));
}

#[tokio::test]
async fn a_match_that_leaves_a_server_without_store_ends_no_stream_before_its_end() {
    let limits = Limits { ended_bytes: 0, ..Limits::default() };
    let matches = ahu_service::Matches::with_clock(limits, None, ahu_service::Clock::manual());
    let server = Server::start_with(matches.clone()).await;
    let (owes, waits) = two_agents(&server).await;
    let watching = Watching::public(&server, &owes.match_id, Some(0)).await;
    tokio::join!(play_lowest(owes.clone()), play_lowest(waits.clone()));
    matches.expire();
    assert_eq!(matches.in_memory(), 0);

    let error = Watching::start(&server, request(&owes.match_id, None)).await.err().expect("it has left");
    assert_eq!(code(&error), is(Code::NotFound, "UNKNOWN_MATCH"));
    // The open stream may end with the end of the match, or with its drop.
    let mut stream = watching;
    let mut last = None;
    let ended = loop {
        match stream.message().await {
            Ok(Some(message)) => last = message.observation,
            Ok(None) => break last.map(|seen| seen.state()) == Some(MatchState::Finished),
            Err(error) => break code(&error) == is(Code::NotFound, "UNKNOWN_MATCH"),
        }
    };
    assert!(ended);
}

#[tokio::test]
async fn a_delay_holds_back_the_last_public_events_until_the_end() {
    let server = Server::start().await;
    let asked = MatchSpec { spectator_delay: 3, ..rappanui(2, &[], 6) };
    let [owes, waits] = two_agents_of(&server, asked.clone()).await;
    assert_eq!(server.describe(&owes.match_id).await.spectator_delay, 3);
    let [now, _] = two_agents_of(&server, rappanui(2, &[], 6)).await;
    let undelayed = MatchSpec { spectator_delay: MAX_SPECTATOR_DELAY + 1, ..asked.clone() };
    let error = server.matches().create_match(undelayed.asked()).await.expect_err("the delay is too long");
    assert_eq!(error_info(&error, ["field"]).2, ["spectator_delay"]);

    let mut watching = Watching::public(&server, &owes.match_id, Some(0)).await;
    let mut own = Watching::seat(&server, &owes, Some(0)).await;
    let mut shown = vec![watching.observation().await];
    for _ in 0..15 {
        play_one(if owes.look().await.decision.is_some() { &owes } else { &waits }).await;
    }
    let delayed = look_as_public(&owes).await;
    // A match with the same decisions and without a delay gives the number of events.
    let other = Client { match_id: now.match_id.clone(), ..now.clone() };
    let all = owes.look().await;
    assert!(delayed.event_count > 0 && delayed.event_count + 3 <= all.event_count, "{delayed:?}");
    assert_eq!(delayed.events.last().map(|event| event.number), Some(delayed.event_count));
    drop(other);
    while shown.last().is_none_or(|seen| seen.event_count < delayed.event_count) {
        shown.push(watching.observation().await);
    }
    assert_eq!(shown.last().map(|seen| (seen.event_count, &seen.text)), Some((delayed.event_count, &delayed.text)));
    let later = Watching::start(&server, request(&owes.match_id, Some(delayed.event_count + 1))).await;
    assert_eq!(error_info(&later.err().expect("nobody was told it"), ["field"]).2, ["events_after"]);
    // Seats are told at once.
    let mut seen = own.observation().await;
    while seen.event_count < all.event_count {
        seen = own.observation().await;
    }

    tokio::join!(play_lowest(owes.clone()), play_lowest(waits.clone()));
    let rest = watching.rest().await;
    let last = observations(&rest).pop().expect("the end").clone();
    assert_eq!(last.state(), MatchState::Finished);
    assert_eq!(look_as_public(&owes).await.event_count, last.event_count, "the delay ends with the match");
    let told = numbers(&rest);
    assert_eq!(told, (delayed.event_count + 1..=last.event_count).collect::<Vec<_>>());
}

#[tokio::test]
async fn a_delayed_wait_of_the_public_ends_with_an_event_that_it_is_told() {
    let server = Server::start().await;
    let [owes, waits] = two_agents_of(&server, MatchSpec { spectator_delay: 2, ..rappanui(2, &[], 6) }).await;
    let asked = ahu_service::proto::v1::ObserveRequest {
        seat: None,
        public_view: true,
        wait: seconds(20.0),
        formats: None,
        ..owes.observe_request(Duration::ZERO)
    };
    let follow = async {
        let mut seen = 0;
        loop {
            let asked = ahu_service::proto::v1::ObserveRequest { events_after: Some(seen), ..asked.clone() };
            let told = owes.matches.clone().observe(asked).await.expect("it is public").into_inner();
            let told = told.observation.expect("one");
            assert!(told.event_count > seen || told.state() == MatchState::Finished);
            seen = told.event_count;
            if told.state() == MatchState::Finished {
                return seen;
            }
        }
    };
    let (seen, ..) = tokio::join!(follow, play_lowest(owes.clone()), play_lowest(waits.clone()));
    assert!(seen > 10);
}

/// Returns the present observation of the public.
async fn look_as_public(client: &Client) -> Observation {
    let (seat, public_view) = (None, true);
    let asked = ahu_service::proto::v1::ObserveRequest { seat, public_view, ..client.observe_request(Duration::ZERO) };
    client.matches.clone().observe(asked).await.expect("it is public").into_inner().observation.expect("one")
}

fn event_count(message: &WatchMatchResponse) -> u32 {
    message.observation.as_ref().map_or(0, |observation| observation.event_count)
}

/// The number of bytes that a slow client takes before it reads.
const WINDOW: u32 = 65_535;

#[tokio::test]
async fn a_slow_watcher_is_skipped_to_the_present_and_gets_every_event() {
    let server = Server::start().await;
    let created = server.create(rappanui(2, &[], 12)).await;
    let mut watching = Watching::public(&server, &created.match_id, None).await;
    // The connection of the slow client takes few bytes, and the client reads nothing until the match has ended.
    let mut narrow =
        MatchServiceClient::new(server.connect_with(|endpoint| endpoint.initial_stream_window_size(WINDOW)).await);
    let stream = narrow.watch_match(request(&created.match_id, None)).await.expect("it is public").into_inner();
    let (one, other) = (server.join(&created).await, server.join(&created).await);
    let mut prompt = Vec::new();
    loop {
        play_one(if one.look().await.decision.is_some() { &one } else { &other }).await;
        let public = look_as_public(&one).await;
        // A watcher that reads each message before the next decision misses no message.
        while prompt.last().is_none_or(|last| event_count(last) < public.event_count) {
            prompt.push(watching.next().await.expect("the match goes on"));
        }
        if public.state() == MatchState::Finished {
            break;
        }
    }
    prompt.extend(watching.rest().await);
    let slow = Watching::read(stream).rest().await;
    let sent: usize = prompt.iter().map(prost::Message::encoded_len).sum();
    assert!(sent > 2 * (WATCH_BACKLOG + WINDOW as usize), "the messages of this match fill the connection: {sent}");
    assert!(slow.len() < prompt.len(), "{} of {}", slow.len(), prompt.len());
    assert!(slow.iter().any(|message| message.skipped));
    assert_eq!(numbers(&slow), numbers(&prompt), "every event, once");
    let last =
        |messages| observations(messages).last().map(|last| Observation { events: Vec::new(), ..(*last).clone() });
    assert_eq!(last(&slow), last(&prompt));
    assert!(slow.iter().all(|message| numbers(std::slice::from_ref(message)).len() <= MAX_ANSWER_EVENTS));
}

#[tokio::test]
async fn a_silent_match_sends_heartbeats() {
    let server = Server::start().await;
    let (owes, _) = two_agents(&server).await;
    let asked = WatchMatchRequest { heartbeat: seconds(0.001), ..request(&owes.match_id, None) };
    let mut watching = Watching::start(&server, asked).await.expect("it is public");
    watching.observation().await;
    for _ in 0..2 {
        let beat = watching.message().await.expect("the match goes on").expect("the stream goes on");
        assert_eq!(beat, WatchMatchResponse::default());
    }
    play_one(&owes).await;
    assert!(!watching.observation().await.events.is_empty(), "a heartbeat costs no event");
}

#[tokio::test]
async fn a_stream_with_a_token_is_presence() {
    let matches = matches_with(Limits::default());
    let server = Server::start_with(matches.clone()).await;
    let (owes, waits) = two_agents(&server).await;
    let _watching = Watching::seat(&server, &owes, None).await;
    matches.advance(PRESENCE_GRACE + Duration::from_secs(1));
    let described = server.describe(&owes.match_id).await;
    let is_present = |client: &Client| described.seats[client.seat as usize].present;
    assert_eq!([&owes, &waits].map(is_present), [true, false]);
}

#[tokio::test]
async fn watchers_beyond_a_limit_are_refused_with_its_name_and_a_place_becomes_free() {
    let limits = Limits { watchers: 3, match_watchers: 2, ..Limits::default() };
    let server = Server::start_with(matches_with(limits)).await;
    let (first, _) = two_agents(&server).await;
    let (second, _) = two_agents(&server).await;
    let mut one = Watching::public(&server, &first.match_id, None).await;
    let _two = Watching::public(&server, &first.match_id, None).await;
    let refused = async |match_id: &str| {
        let error = Watching::start(&server, request(match_id, None)).await.err().expect("the limit is reached");
        assert_eq!(code(&error), is(Code::ResourceExhausted, "TOO_MANY_WATCHERS"));
        error_info(&error, ["limit", "limit_name"]).2
    };
    assert_eq!(refused(&first.match_id).await, ["2", "match_watchers"]);
    let _three = Watching::public(&server, &second.match_id, None).await;
    assert_eq!(refused(&second.match_id).await, ["3", "watchers"]);
    one.observation().await;
    drop(one);
    // The server notices the end of a stream soon after its client.
    let freed = async {
        loop {
            match Watching::start(&server, request(&first.match_id, None)).await {
                Ok(watching) => return watching,
                Err(error) => assert_eq!(code(&error), is(Code::ResourceExhausted, "TOO_MANY_WATCHERS")),
            }
        }
    };
    freed.await.observation().await;
}

#[tokio::test]
async fn a_server_that_closes_ends_its_streams() {
    let server = Server::start().await;
    let (owes, _) = two_agents(&server).await;
    let mut watching = Watching::public(&server, &owes.match_id, None).await;
    watching.observation().await;
    let end = async {
        let error = watching.message().await.expect_err("the server closes");
        assert_eq!(code(&error), is(Code::Unavailable, "CLOSING"));
    };
    server.stop_while(end).await;
}
