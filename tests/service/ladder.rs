//! Accounts enter agents into a ladder, whose organiser is elsewhere.

use ahu_contest::cup::{Entrant, Event, Journal, Line, Player, Salt, State, now};
use ahu_service::accounts::{Accounts, Scope};
use ahu_service::proto::cup::cup_service_client::CupServiceClient;
use ahu_service::proto::cup::organiser_service_client::OrganiserServiceClient;
use ahu_service::proto::cup::{
    AppendJournalRequest, AwaitAgentsRequest, CupCall, EnterCupRequest, LeaveCupRequest, NoteArrivalsRequest,
    OpenQueuesRequest, QueuedAgent, ReadJournalRequest, WakeAgentRequest,
};
use ahu_service::proto::v1::{Arrival, AwaitSeatRequest, AwaitSeatResponse};
use ahu_service::{Audit, CupId, Limits, agent_key_hash, entrant_hash};
use tempfile::TempDir;
use tonic::transport::Channel;
use tonic::{Code, Request, Status};

use crate::accounts::{add, key_of};
use crate::errors::{code, is};
use crate::server::{Server, matches_with};

const SALT: Salt = Salt([5; 32]);
const FILE: &str = "kind = \"ladder\"\ngame = \"rapanui_cards\"\n[clock]\nbank = \"9s\"\n[cup]\nname = \"S\"\n";
const WAIT: Option<prost_types::Duration> = Some(prost_types::Duration { seconds: 20, nanos: 0 });

/// A ladder on a server, with its organiser's journal.
struct Hosted {
    server: Server,
    accounts: Accounts,
    folder: TempDir,
    journal: Journal,
    state: State,
    organiser: OrganiserServiceClient<Channel>,
    cups: CupServiceClient<Channel>,
    key: String,
    sent: u64,
}

fn with_key<T>(message: T, key: &str) -> Request<T> {
    let mut request = Request::new(message);
    request.metadata_mut().insert("authorization", format!("Bearer {key}").parse().expect("keys are ASCII"));
    request
}

impl Hosted {
    async fn start() -> Self {
        let (accounts, folder) = (Accounts::in_memory(), tempfile::tempdir().expect("a folder"));
        add(&accounts, "house");
        let key = key_of(&accounts, "house", &[Scope::Organise, Scope::Watch], None);
        let hosted = ahu_service::Server::from(matches_with(Limits::default()));
        let hosted = hosted.with_organisers(None, &folder.path().join("cups")).expect("a folder");
        let server = Server::start_with(hosted.with_accounts(accounts.clone(), Audit::default(), true)).await;
        let (organiser, cups) =
            (OrganiserServiceClient::new(server.connect().await), CupServiceClient::new(server.connect().await));
        let begin = State::begin(FILE, &SALT);
        let state = State::after([&begin]).expect("a file");
        let mut journal = Journal::lock(&folder.path().join("journal.jsonl")).expect("it is new");
        journal.append(&Line::now(begin)).expect("it is written");
        let mut hosted = Self { server, accounts, folder, journal, state, organiser, cups, key, sent: 0 };
        hosted.settle().await;
        let agents = Vec::new();
        let open = OpenQueuesRequest { cup_id: Self::cup(), agents };
        hosted.organiser.open_queues(with_key(open, &hosted.key)).await.expect("its cup");
        hosted
    }

    fn cup() -> String {
        CupId::of_salt_hash(&SALT.hash()).expect("a hash").to_string()
    }

    /// Returns a key of a new account that plays.
    fn team(&self, name: &str) -> String {
        add(&self.accounts, name);
        key_of(&self.accounts, name, &[Scope::Play, Scope::Watch], None)
    }

    /// Appends what follows, and sends the journal.
    async fn settle(&mut self) {
        self.state.pass(now());
        while let Some(event) = self.state.next_event(&SALT).expect("no tables are drawn") {
            self.append(event);
        }
        let text = std::fs::read(self.folder.path().join("journal.jsonl")).expect("a file");
        let part = text[self.sent as usize..].to_vec().into();
        let request = AppendJournalRequest { cup_id: Self::cup(), offset: self.sent, part };
        let answer = self.organiser.append_journal(with_key(request, &self.key)).await.expect("its cup");
        self.sent = answer.into_inner().length;
    }

    fn append(&mut self, event: Event) {
        let line = Line::now(event);
        self.state.apply_line(&line).expect("it follows");
        self.journal.append(&line).expect("it is written");
    }

    async fn calls(&mut self) -> Vec<CupCall> {
        let request = AwaitAgentsRequest { cup_id: Self::cup(), after_call: self.state.called, ..Default::default() };
        self.organiser.await_agents(with_key(request, &self.key)).await.expect("its cup").into_inner().calls
    }

    /// Takes all calls: entries as new versions, and others as refused.
    async fn take(&mut self) -> Vec<CupCall> {
        let calls = self.calls().await;
        for call in &calls {
            let (account, games_at_once) = (Some(call.account_id.clone()), call.games_at_once);
            let name = self.state.next_version(&call.account, &call.agent);
            let (change, refusal) = match name {
                Ok(name) if games_at_once > 0 => {
                    let player = Player::Remote { key: None, games_at_once, account };
                    let agent = Entrant { name, owner: Some(call.account.clone()), is_anchor: false, player };
                    (Some(Box::new(Event::Add { agent })), None)
                }
                Ok(_) => (None, Some("not today".to_owned())),
                Err(refusal) => (None, Some(refusal)),
            };
            self.append(Event::Called { call: call.number, account: call.account.clone(), change, refusal });
        }
        self.settle().await;
        calls
    }

    fn entry(agent: &str, request: &str) -> EnterCupRequest {
        let (agent, request_id) = (agent.to_owned(), format!("{request:0>16}"));
        EnterCupRequest { cup_id: Self::cup(), agent, games_at_once: 2, request_id, wait: None }
    }

    async fn enter(&mut self, agent: &str, request: &str, key: &str) -> Result<String, Status> {
        Ok(self.cups.enter_cup(with_key(Self::entry(agent, request), key)).await?.into_inner().agent)
    }

    async fn open(&mut self, account_id: &str, name: &str) -> Result<(), Status> {
        let key_hash = entrant_hash(account_id, name).to_vec().into();
        let (name, account_id) = (name.to_owned(), account_id.to_owned());
        let agent = QueuedAgent { key_hash, name, account_id, ..Default::default() };
        let request = OpenQueuesRequest { cup_id: Self::cup(), agents: vec![agent] };
        self.organiser.open_queues(with_key(request, &self.key)).await.map(drop)
    }

    async fn await_seat(&self, agent: &str, key: &str) -> Result<AwaitSeatResponse, Status> {
        let request = AwaitSeatRequest { agent: agent.to_owned(), ..Default::default() };
        Ok(self.server.matches().await_seat(with_key(request, key)).await?.into_inner())
    }
}

#[tokio::test]
async fn an_entry_waits_until_the_run_takes_it_and_is_made_once() {
    let mut hosted = Hosted::start().await;
    let [own, other] = ["moai team", "rongo team"].map(|name| hosted.team(name));

    assert_eq!(hosted.enter("moai", "1", &own).await.expect("it is kept"), "", "nobody has taken it");
    assert_eq!(hosted.enter("moai", "1", &own).await.expect("it is the same call"), "");
    let taken = hosted.take().await;
    assert_eq!(taken.len(), 1, "the call that was sent again is the same: {taken:?}");
    assert_eq!((taken[0].account.as_str(), taken[0].agent.as_str()), ("moai team", "moai"));
    assert!(hosted.calls().await.is_empty(), "each is taken once");

    let waits = EnterCupRequest { wait: WAIT, ..Hosted::entry("moai", "1") };
    let entered = hosted.cups.enter_cup(with_key(waits, &own)).await.expect("it was taken").into_inner();
    assert_eq!(entered.agent, "moai@1");
    let changed = hosted.enter("rongo", "1", &own).await.expect_err("another content");
    assert!(code(&changed) == is(Code::AlreadyExists, "REQUEST_ID_REUSED"), "{changed:?}");

    hosted.enter("moai", "2", &other).await.expect("it is kept");
    hosted.take().await;
    let waits = EnterCupRequest { wait: WAIT, ..Hosted::entry("moai", "2") };
    let refused = hosted.cups.enter_cup(with_key(waits, &other)).await.expect_err("the name is taken");
    assert!(code(&refused) == is(Code::FailedPrecondition, "ENTRY_REFUSED"), "{refused:?}");
    assert!(refused.message().contains("which another account has entered"), "{refused:?}");
}

#[tokio::test]
async fn the_keys_of_an_account_open_the_seats_of_its_agents_alone() {
    let mut hosted = Hosted::start().await;
    let [own, other] = ["moai team", "rongo team"].map(|name| hosted.team(name));
    hosted.enter("moai", "1", &own).await.expect("it is kept");
    let early = hosted.await_seat("", &own).await.expect_err("it has no queue yet");
    // The organiser may open it in a moment.
    assert!(code(&early) == is(Code::Unavailable, "ORGANISER_AWAITED"), "{early:?}");
    let account = hosted.take().await.remove(0).account_id;
    hosted.open(&account, "moai@1").await.expect("the account has entered it");

    for agent in ["", "moai", "moai@1"] {
        hosted.await_seat(agent, &own).await.expect("its own agent");
        let error = hosted.await_seat(agent, &other).await.expect_err("the agent of another account");
        assert!(code(&error) == is(Code::Unavailable, "ORGANISER_AWAITED"), "{error:?}");
    }
    hosted.await_seat("moai@2", &own).await.expect_err("it has not entered that one");
    // The hash of the queue is no key.
    let hash = ahu_core::hex(&agent_key_hash(&own));
    hosted.await_seat("", &hash).await.expect_err("it is nobody's key");
    // An organiser reaches no account that has not come to its cup.
    hosted.open(&account, "rongo@1").await.expect_err("the account has entered moai alone");
}

#[tokio::test]
async fn an_agent_gets_the_line_of_its_arrival() {
    let mut hosted = Hosted::start().await;
    let own = hosted.team("moai team");
    hosted.enter("moai", "1", &own).await.expect("it is kept");
    let account = hosted.take().await.remove(0).account_id;
    hosted.open(&account, "moai@1").await.expect("the account has entered it");
    assert_eq!(hosted.await_seat("moai", &own).await.expect("it may").arrival, None);

    hosted.append(Event::Waiting { came: vec!["moai@1".to_owned()], gone: Vec::new() });
    let end = hosted.journal.end().clone();
    let key_hashes = vec![entrant_hash(&account, "moai@1").to_vec().into()];
    let note = NoteArrivalsRequest { cup_id: Hosted::cup(), key_hashes, line: end.lines, link: end.link.clone() };
    hosted.organiser.note_arrivals(with_key(note, &hosted.key)).await.expect("its cup");

    let arrival = hosted.await_seat("moai", &own).await.expect("it may").arrival;
    assert_eq!(arrival, Some(Arrival { cup_id: Hosted::cup(), line: end.lines, link: end.link.clone() }));
    hosted.settle().await;
    let read = ReadJournalRequest { cup_id: Hosted::cup(), offset: 0 };
    let journal = hosted.cups.read_journal(with_key(read, &own)).await.expect("a ladder is public while it runs");
    let text = String::from_utf8(journal.into_inner().part.to_vec()).expect("text");
    assert!(text.lines().nth(end.lines as usize - 1).is_some_and(|line| line.contains(&end.link)), "{text}");
}

#[tokio::test]
async fn what_makes_no_sense_is_refused_at_once() {
    let mut hosted = Hosted::start().await;
    let own = hosted.team("moai team");
    for agent in ["", "moai@1", "../moai", "greedy", "a name that is longer than it may be"] {
        let error = hosted.enter(agent, "1", &own).await.expect_err(agent);
        assert!(code(&error) == is(Code::InvalidArgument, "BAD_FIELD"), "{agent}: {error:?}");
    }
    let many = EnterCupRequest { games_at_once: 101, ..Hosted::entry("moai", "1") };
    hosted.cups.enter_cup(with_key(many, &own)).await.expect_err("more than 100 games at once");
    let (cup_id, agent, request_id) = (Hosted::cup(), "moai@1".to_owned(), "0".repeat(16));
    let leave =
        LeaveCupRequest { cup_id: cup_id.clone(), agent: agent.clone(), request_id: request_id.clone(), wait: None };
    hosted.cups.leave_cup(with_key(leave, &own)).await.expect_err("there is no such agent");
    let wake = WakeAgentRequest { cup_id, agent, request_id, wait: None };
    hosted.cups.wake_agent(with_key(wake, &own)).await.expect_err("there is no such agent");
    assert!(hosted.calls().await.is_empty(), "nothing of it is kept");
    for number in 0..50 {
        hosted.enter("moai", &format!("call-{number}"), &own).await.expect("it is kept");
    }
    let error = hosted.enter("moai", "one more", &own).await.expect_err("a space");
    assert!(code(&error) == is(Code::InvalidArgument, "BAD_FIELD"), "{error:?}");
    let error = hosted.enter("moai", "one-more", &own).await.expect_err("too many calls");
    assert!(code(&error) == is(Code::ResourceExhausted, "OVER_SHARE"), "{error:?}");
}
