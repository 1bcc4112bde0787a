//! The world of a simulation: a server, its disk, agents, and watchers, all on one thread.

mod calls;
mod settle;

use std::fmt;
use std::panic::{self, AssertUnwindSafe};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use ahu_service::proto::v1::match_service_server::MatchService as _;
use ahu_service::proto::v1::{
    Action, BotSeat, CancelMatchRequest, Conduct, Consequence, CreateMatchRequest, GetMatchRequest, GetRecordRequest,
    JoinMatchRequest, Match, MatchSpec, MatchState, Observation, ObservationFormats, ObserveRequest, ResignSeatRequest,
    StepRequest, TimeControl, WatchMatchRequest, WatchMatchResponse, join_match_request,
};
use ahu_service::{Limits, Matches, Workers};
use futures_util::{Stream, StreamExt as _};
use tokio::runtime::Builder;
use tonic::{Code, Request, Status};

use self::calls::{Answer, Call, From, Woken};
use crate::claims::{Claims, Table, Viewer};
use crate::disk::{Disk, Fate};
use crate::plan::{Kind, Step};

/// The maximum number of matches of a simulation.
const TABLES: usize = 3;
/// The maximum number of watchers.
const WATCHERS: usize = 4;
/// The time that calls of agents wait.
const WAIT: Duration = Duration::from_secs(20);
/// The longest wait of a call on the server.
const LONGEST_WAIT: Duration = Duration::from_secs(31);
/// The time after which the server drops a match that is idle.
const IDLE: Duration = Duration::from_secs(60);

/// The events of simulations, counted.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counts {
    /// Steps that were acknowledged.
    pub(crate) steps: u64,
    pub(crate) calls: u64,
    pub(crate) commits: u64,
    /// Kills and orderly restarts.
    pub(crate) kills: u64,
    /// Commits that failed, or whose answer was lost.
    pub(crate) failures: u64,
    /// Messages to watchers.
    pub(crate) messages: u64,
    /// Decisions that ran out of time.
    pub(crate) timeouts: u64,
    /// Matches that ended.
    pub(crate) ended: u64,
}

impl Counts {
    pub(crate) fn add(&mut self, other: &Self) {
        self.steps += other.steps;
        self.calls += other.calls;
        self.commits += other.commits;
        self.kills += other.kills;
        self.failures += other.failures;
        self.messages += other.messages;
        self.timeouts += other.timeouts;
        self.ended += other.ended;
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { steps, calls, commits, kills, failures, messages, timeouts, ended } = self;
        write!(
            f,
            "{steps} acknowledged steps in {calls} calls, {commits} commits and {failures} that failed, {kills} ends of \
             servers, {messages} messages to watchers, {timeouts} timeouts, {ended} ended matches"
        )
    }
}

/// The end of a simulation.
#[derive(Debug)]
pub(crate) struct End {
    pub(crate) counts: Counts,
    /// The law that was broken, with the facts.
    pub(crate) broken: Option<String>,
    /// The steps, if the simulation was asked to tell them.
    pub(crate) history: Vec<String>,
}

/// A match that somebody asked for.
#[derive(Debug)]
struct Asked {
    request: CreateMatchRequest,
    match_id: Option<String>,
    owner_token: String,
    is_asking: bool,
}

/// An agent. It plays one seat.
#[derive(Debug)]
struct Agent {
    table: Table,
    name: String,
    seat: Option<(u32, String)>,
    /// The number of the last event that it was told.
    told: u32,
    /// Its open decision, with the legal actions.
    decision: Option<(u32, Vec<u32>)>,
    /// The step that it has sent and that is not answered.
    unanswered: Option<StepRequest>,
    is_calling: bool,
    is_done: bool,
}

type Messages = Pin<Box<dyn Stream<Item = Result<WatchMatchResponse, Status>>>>;

/// A watcher of a match.
struct Watcher {
    table: Table,
    /// The agent whose seat it is; None for the public.
    agent: Option<usize>,
    /// The number of the last event; None before the first message.
    told: Option<u32>,
    stream: Option<Messages>,
    woken: Arc<Woken>,
    is_calling: bool,
    is_done: bool,
}

/// The world.
pub(crate) struct World {
    disk: Disk,
    server: Matches,
    workers: Workers,
    /// The time for which servers have run with a disk that works, in milliseconds.
    uptime: u64,
    is_failing: bool,
    /// The number of rounds since anything happened.
    quiet: usize,
    tables: Vec<Asked>,
    agents: Vec<Agent>,
    watchers: Vec<Watcher>,
    calls: Vec<Call>,
    claims: Claims,
    counts: Counts,
    /// The steps so far; None unless they are told.
    history: Option<Vec<String>>,
}

/// The outcome of a step: the text for the history. An error is a broken law.
type Done = Result<String, String>;

fn limits() -> Limits {
    Limits { match_idle: IDLE, ..Limits::default() }
}

fn formats() -> ObservationFormats {
    ObservationFormats { legal_ids: true, ..Default::default() }
}

fn duration(time: Duration) -> prost_types::Duration {
    time.try_into().expect("a short time")
}

impl World {
    /// Runs a plan, and checks the laws. With `tells` it returns the history.
    pub(crate) fn run(plan: &[Step], tells: bool) -> End {
        let runtime = Builder::new_current_thread().enable_time().start_paused(true).build();
        let runtime = runtime.expect("the system has a clock");
        let disk = Disk::default();
        let (server, workers) = Matches::stepped(limits(), Some(Box::new(disk.open())));
        let mut world = Self {
            disk,
            server,
            workers,
            uptime: 0,
            is_failing: false,
            quiet: 0,
            tables: Vec::new(),
            agents: Vec::new(),
            watchers: Vec::new(),
            calls: Vec::new(),
            claims: Claims::default(),
            counts: Counts::default(),
            history: tells.then(Vec::new),
        };
        let ran = panic::catch_unwind(AssertUnwindSafe(|| runtime.block_on(world.play(plan))));
        let broken = match ran {
            Ok(played) => played.err(),
            Err(panicked) => {
                let text = panicked.downcast_ref::<String>().map(String::as_str);
                let text = text.or_else(|| panicked.downcast_ref::<&str>().copied());
                Some(format!("nothing panics: {}", text.unwrap_or("a panic")))
            }
        };
        world.counts.commits = world.disk.commits();
        End { counts: world.counts, broken, history: world.history.take().unwrap_or_default() }
    }

    async fn play(&mut self, plan: &[Step]) -> Result<(), String> {
        for (number, step) in plan.iter().enumerate() {
            let done = self.step(*step).await;
            let text = match &done {
                Ok(text) => text,
                Err(law) => law,
            };
            if let Some(history) = &mut self.history
                && !text.is_empty()
            {
                // The ids of matches are random.
                let is_id = |word: &str| word.len() == 16 && word.bytes().all(|byte| byte.is_ascii_hexdigit());
                let words: Vec<_> = text.split(' ').map(|word| if is_id(word) { "ID" } else { word }).collect();
                history.push(format!("{number:4} {:?}: {}", step.kind, words.join(" ")));
            }
            done?;
        }
        self.settle_and_check().await
    }

    /// Carries out one step. An empty text says that there was nothing to which it could happen.
    async fn step(&mut self, step: Step) -> Done {
        let pick = step.pick as usize;
        match step.kind {
            Kind::Create => Ok(self.create(pick)),
            Kind::Act => Ok(self.act(pick)),
            Kind::Stray => Ok(self.stray(pick)),
            Kind::Poll => self.poll(pick),
            Kind::GiveUp => Ok(self.give_up(pick)),
            Kind::Watch => Ok(self.watch(pick)),
            Kind::Look => Ok(self.look(pick)),
            Kind::Commit => Ok(self.commit()),
            Kind::Disk => Ok(self.change_disk(pick)),
            Kind::Decide => Ok(if self.workers.decide() { "a bot decides".to_owned() } else { String::new() }),
            Kind::Pass => {
                let ms = [1, 5, 20, 20, 100, 100, 400, 400, 1_500, 5_000, 12_000, 40_000][pick % 12];
                self.pass(Duration::from_millis(ms)).await;
                Ok(format!("{ms} ms"))
            }
            Kind::Tasks => {
                tokio::task::yield_now().await;
                Ok(String::new())
            }
            Kind::Kill => self.restart("killed").await,
            Kind::KillAfterCommit => {
                self.disk.set_fate(Fate::Unknown, 1);
                self.commit();
                self.restart("killed after a commit").await
            }
            Kind::Restart => {
                self.server.close();
                self.disk.set_fate(Fate::Made, 1);
                self.commit();
                self.restart("ended").await
            }
            Kind::Cancel => Ok(self.cancel(pick)),
            Kind::Expire => Ok(match self.server.expire() {
                0 => String::new(),
                count => format!("{count} matches leave memory"),
            }),
        }
    }

    /// Lets this time pass.
    async fn pass(&mut self, time: Duration) {
        if !self.is_failing {
            self.uptime += time.as_millis() as u64;
            self.disk.set_uptime(self.uptime);
        }
        self.server.advance(time);
        tokio::time::advance(time).await;
    }

    /// Lets the journal take a turn.
    fn commit(&mut self) -> String {
        let before = self.disk.commits();
        self.is_failing = !self.workers.commit();
        if self.is_failing {
            self.counts.failures += 1;
        }
        match (self.is_failing, self.disk.commits() > before) {
            (false, _) => "made".to_owned(),
            (true, true) => "made, and the answer is lost".to_owned(),
            (true, false) => "fails".to_owned(),
        }
    }

    fn change_disk(&mut self, pick: usize) -> String {
        let (fate, commits) = ([Fate::FailsBefore, Fate::Fails, Fate::Unknown][pick % 3], [1, 1, 2, 5][pick / 3 % 4]);
        self.disk.set_fate(fate, commits);
        format!("{commits} commits: {fate:?}")
    }

    /// Ends the server without a word to anybody, and starts another one on the same disk.
    async fn restart(&mut self, how: &str) -> Done {
        self.calls.clear();
        for table in &mut self.tables {
            table.is_asking = false;
        }
        for agent in &mut self.agents {
            agent.is_calling = false;
        }
        for watcher in &mut self.watchers {
            (watcher.stream, watcher.is_calling) = (None, false);
        }
        let (server, workers) = Matches::stepped(limits(), Some(Box::new(self.disk.open())));
        (self.server, self.workers, self.is_failing) = (server, workers, false);
        // The tasks of the old server end.
        tokio::task::yield_now().await;
        let open = self.server.recover(|recovered| assert_eq!(recovered.damaged, 0, "a match is damaged"));
        let open = open.map_err(|error| format!("the server starts again: {error}"))?;
        self.counts.kills += 1;
        crate::laws::check(&self.claims, &self.disk)?;
        Ok(format!("{how}; the next server has {open} open matches"))
    }

    /// Asks for a new match, or again for a match whose answer was lost.
    fn create(&mut self, pick: usize) -> String {
        let lost = self.tables.iter().position(|table| table.match_id.is_none() && !table.is_asking);
        let table = match lost {
            Some(table) => table,
            None if self.tables.len() < TABLES => {
                self.tables.push(asked(self.tables.len(), pick));
                self.tables.len() - 1
            }
            None => return String::new(),
        };
        self.tables[table].is_asking = true;
        let (server, request) = (self.server.clone(), self.tables[table].request.clone());
        let text = format!("table {table}: {:?}", request.spec.as_ref().map(|spec| (&spec.game, spec.seat_count)));
        let future = async move {
            let response = server.create_match(Request::new(request)).await?.into_inner();
            Ok(Answer::Created(response))
        };
        self.begin(From::Creator(table), &text, future);
        text
    }

    /// Returns the next call that this agent would make, and begins it.
    fn act(&mut self, pick: usize) -> String {
        let is_free = |&n: &usize| !self.agents[n].is_calling && !self.agents[n].is_done;
        let free: Vec<_> = (0..self.agents.len()).filter(is_free).collect();
        let Some(&n) = free.get(pick % free.len().max(1)) else { return String::new() };
        let (server, agent) = (self.server.clone(), &mut self.agents[n]);
        let match_id = self.tables[agent.table].match_id.clone().expect("agents come to matches that exist");
        agent.is_calling = true;
        let Some((_, token)) = &agent.seat else {
            let request = JoinMatchRequest {
                target: Some(join_match_request::Target::MatchId(match_id)),
                name: agent.name.clone(),
                request_id: format!("the request of {}", agent.name).replace(' ', "-"),
                ..Default::default()
            };
            let text = format!("{} joins", agent.name);
            let future =
                async move { Ok(Answer::Joined(server.join_match(Request::new(request)).await?.into_inner())) };
            self.begin(From::Agent(n), &text, future);
            return text;
        };
        if agent.unanswered.is_none()
            && let Some((decision, legal)) = &agent.decision
        {
            let action = legal[pick / 7 % legal.len()];
            agent.unanswered = Some(step_request(&match_id, *decision, action, agent.told));
        }
        if let Some(request) = agent.unanswered.clone() {
            let text = format!("{} decides {}: {:?}", agent.name, request.decision_id, request.action);
            let request = with_token(request, token);
            self.step_with(From::Agent(n), &text, n, request);
            return text;
        }
        let request = ObserveRequest {
            match_id,
            formats: Some(formats()),
            events_after: Some(agent.told),
            wait: if pick.is_multiple_of(4) { None } else { Some(duration(WAIT)) },
            ..Default::default()
        };
        let text = format!("{} observes after {}", agent.name, agent.told);
        let request = with_token(request, token);
        let future = async move { Ok(Answer::Observed(observe(&server, request).await?)) };
        self.begin(From::Agent(n), &text, future);
        text
    }

    /// Begins a call that a careful agent would not send: it must change nothing that it may not change.
    fn stray(&mut self, pick: usize) -> String {
        let seated: Vec<_> = (0..self.agents.len()).filter(|&n| self.agents[n].seat.is_some()).collect();
        let Some(&n) = seated.get(pick % seated.len().max(1)) else { return String::new() };
        let (server, agent) = (self.server.clone(), &self.agents[n]);
        let (_, token) = agent.seat.clone().expect("it has a seat");
        let match_id = self.tables[agent.table].match_id.clone().expect("its match exists");
        let current = agent.decision.as_ref().map(|(decision, legal)| (*decision, legal[pick / 11 % legal.len()]));
        let step = |decision, action| step_request(&match_id, decision, action, agent.told);
        let (what, request) = match (pick / 5 % 8, &agent.unanswered, current) {
            (0, Some(unanswered), _) => ("sends its step twice", unanswered.clone()),
            (1 | 2, _, Some((decision, action))) => ("changes its mind", step(decision, action)),
            (3, _, Some((decision, _))) => ("sends an illegal action", step(decision, u32::from(u16::MAX))),
            (4, _, Some((decision, action))) if decision > 1 => ("sends an old decision", step(decision - 1, action)),
            (5, _, Some((decision, action))) => {
                let (text, request) = (format!("somebody decides for {}", agent.name), step(decision, action));
                let future = async move {
                    let refused = server.step(with_token(request, "not its token")).await.err();
                    match refused.map(|status| status.code()) {
                        Some(Code::PermissionDenied | Code::Unauthenticated | Code::Unavailable) => Ok(Answer::Refused),
                        other => Ok(Answer::Broken(format!("a stranger decides for nobody: {other:?}"))),
                    }
                };
                self.begin(From::Stranger, &text, future);
                return text;
            }
            (6, ..) if (pick / 40).is_multiple_of(12) => {
                let (text, seat) = (format!("{} resigns", agent.name), None);
                let request = with_token(ResignSeatRequest { match_id, seat }, &token);
                let future = async move {
                    let response = server.resign_seat(request).await?.into_inner();
                    Ok(Answer::Described(response.r#match.map(Box::new)))
                };
                self.begin(From::Looker(agent.table), &text, future);
                return text;
            }
            _ => return String::new(),
        };
        let text = format!("{} {what}", agent.name);
        let request = with_token(request, &token);
        self.step_with(From::Stray(n), &text, n, request);
        text
    }

    /// Begins a call of Step, and notes what it sends.
    fn step_with(&mut self, from: From, text: &str, agent: usize, request: Request<StepRequest>) {
        let Agent { table, seat, .. } = &self.agents[agent];
        let (seat, _) = seat.as_ref().expect("it has a seat");
        let decision = (*table, *seat, request.get_ref().decision_id);
        if let Some(action) = request.get_ref().action.as_ref().and_then(|action| action.action_id) {
            self.claims.sent.entry(decision).or_default().insert(action);
        }
        let server = self.server.clone();
        let future = async move { Ok(Answer::Stepped(server.step(request).await?.into_inner())) };
        self.begin(from, text, future);
        self.calls.last_mut().expect("it has begun").step = Some(decision);
    }

    fn give_up(&mut self, pick: usize) -> String {
        if self.calls.is_empty() {
            return String::new();
        }
        let call = self.calls.remove(pick % self.calls.len());
        self.free(call.from);
        format!("of {}", call.text)
    }

    /// Begins or drops a stream of a watcher.
    fn watch(&mut self, pick: usize) -> String {
        let tables: Vec<_> = (0..self.tables.len()).filter(|&n| self.tables[n].match_id.is_some()).collect();
        if self.watchers.len() < WATCHERS && !tables.is_empty() && pick.is_multiple_of(3) {
            let table = tables[pick / 3 % tables.len()];
            let seated = |agent: &Agent| agent.table == table && agent.seat.is_some();
            let agent = self.agents.iter().position(seated).filter(|_| pick.is_multiple_of(2));
            let woken = Arc::default();
            let told = (pick / 24).is_multiple_of(2).then_some(0);
            let (stream, is_calling, is_done) = (None, false, false);
            self.watchers.push(Watcher { table, agent, told, stream, woken, is_calling, is_done });
        }
        let free = |n: &usize| !self.watchers[*n].is_calling && !self.watchers[*n].is_done;
        let free: Vec<_> = (0..self.watchers.len()).filter(free).collect();
        let Some(&n) = free.get(pick % free.len().max(1)) else { return String::new() };
        let watcher = &mut self.watchers[n];
        if watcher.stream.take().is_some() {
            return format!("watcher {n} loses its stream after {:?}", watcher.told);
        }
        watcher.is_calling = true;
        let token = watcher.agent.and_then(|agent| self.agents[agent].seat.clone()).map(|(_, token)| token);
        let request = WatchMatchRequest {
            match_id: self.tables[watcher.table].match_id.clone().expect("the match exists"),
            public_view: token.is_none(),
            events_after: watcher.told,
            heartbeat: Some(duration(Duration::from_secs(60))),
            ..Default::default()
        };
        let request = token.map_or_else(|| Request::new(request.clone()), |token| with_token(request.clone(), &token));
        let text = format!("watcher {n} of table {} begins after {:?}", watcher.table, watcher.told);
        let server = self.server.clone();
        let future = async move {
            let stream = server.watch_match(request).await?.into_inner();
            Ok(Answer::Watched(stream.boxed_local()))
        };
        self.begin(From::Watcher(n), &text, future);
        text
    }

    /// Begins a call of somebody who looks at a match.
    fn look(&mut self, pick: usize) -> String {
        let Some(table) = pick.checked_rem(self.tables.len()) else { return String::new() };
        let Some(match_id) = self.tables[table].match_id.clone() else { return String::new() };
        let (server, wait) = (self.server.clone(), if pick.is_multiple_of(3) { None } else { Some(duration(WAIT)) });
        let text = format!("somebody looks at table {table}");
        if pick.is_multiple_of(2) {
            let future = async move {
                let response = server.get_match(Request::new(GetMatchRequest { match_id, wait })).await?.into_inner();
                Ok(Answer::Described(response.r#match.map(Box::new)))
            };
            self.begin(From::Looker(table), &text, future);
        } else {
            let request = GetRecordRequest { match_id, ..Default::default() };
            let future = async move {
                let response = server.get_record(Request::new(request)).await?.into_inner();
                Ok(Answer::Recorded(response))
            };
            self.begin(From::Looker(table), &text, future);
        }
        text
    }

    fn cancel(&mut self, pick: usize) -> String {
        let Some(table) = pick.checked_rem(self.tables.len()) else { return String::new() };
        let Asked { match_id: Some(match_id), owner_token, .. } = &self.tables[table] else { return String::new() };
        let request = CancelMatchRequest { match_id: match_id.clone(), reason: "the hall closes".to_owned() };
        let (request, server) = (with_token(request, owner_token), self.server.clone());
        let text = format!("the creator cancels table {table}");
        let future = async move {
            let response = server.cancel_match(request).await?.into_inner();
            Ok(Answer::Described(response.r#match.map(Box::new)))
        };
        self.begin(From::Looker(table), &text, future);
        text
    }
}

/// Returns the match with this number as somebody asks for it.
fn asked(table: Table, pick: usize) -> Asked {
    let (game, seats) =
        [("rappanui", 2), ("rapanui_cards", 3), ("giants", 3), ("rapanui_board", 2), ("rappanui", 4)][pick % 5];
    let bots = [0, 1, 1, seats][pick / 5 % 4].min(if (pick / 20).is_multiple_of(3) { seats } else { seats - 1 });
    let names = ["random", "greedy", "search:2"];
    let bot = |seat: u32| BotSeat { seat: Some(seat), bot: names[(pick / 60 + seat as usize) % 3].to_owned() };
    let seconds = |ms: u64| Some(duration(Duration::from_millis(ms)));
    let time_control = match pick / 200 % 4 {
        0 => None,
        1 | 2 => Some(TimeControl { limit: seconds(1_000), lag: seconds(0), ..Default::default() }),
        _ => Some(TimeControl { bank: seconds(6_000), increment: seconds(100), lag: seconds(0), ..Default::default() }),
    };
    // An empty bank cannot begin anew.
    let strikes = (pick / 800).is_multiple_of(2) && pick / 200 % 4 < 3;
    let conduct = Conduct {
        timeout: if strikes { Consequence::Strike } else { Consequence::Forfeit }.into(),
        illegal: if strikes { Consequence::Strike } else { Consequence::Refusal }.into(),
        strikes: strikes.then_some(3),
        ..Default::default()
    };
    let spec = MatchSpec {
        game: game.to_owned(),
        seat_count: seats,
        bots: (seats - bots..seats).map(bot).collect(),
        seed: pick.to_string(),
        time_control,
        conduct: Some(conduct),
        labels: [("table".to_owned(), table.to_string())].into(),
        ..Default::default()
    };
    let request = CreateMatchRequest { spec: Some(spec), request_id: format!("the-request-of-table-{table}") };
    Asked { request, match_id: None, owner_token: String::new(), is_asking: false }
}

fn step_request(match_id: &str, decision: u32, action: u32, told: u32) -> StepRequest {
    StepRequest {
        match_id: match_id.to_owned(),
        decision_id: decision,
        action: Some(Action::from(action)),
        comment: comment(decision, action),
        wait: has_wait(decision).then(|| duration(WAIT)),
        formats: Some(formats()),
        events_after: Some(told),
        ..Default::default()
    }
}

/// Returns true if an agent waits for its next decision in the call with which it takes this one.
fn has_wait(decision: u32) -> bool {
    decision.is_multiple_of(3)
}

/// Returns the comment on a decision: it tells which of the actions that were sent it is about.
pub(crate) fn comment(decision: u32, action: u32) -> String {
    format!("decision {decision}: {action}")
}

fn with_token<T>(message: T, token: &str) -> Request<T> {
    let mut request = Request::new(message);
    let value = format!("Bearer {token}").parse().expect("a token is text");
    request.metadata_mut().insert("authorization", value);
    request
}

async fn observe(server: &Matches, request: Request<ObserveRequest>) -> Result<Box<Observation>, Status> {
    let response = server.observe(request).await?.into_inner();
    Ok(Box::new(response.observation.expect("an observation")))
}

fn has_ended(state: MatchState) -> bool {
    !matches!(state, MatchState::Seating | MatchState::Running | MatchState::Unspecified)
}

fn open_seats(described: &Match) -> usize {
    described.seats.iter().filter(|seat| seat.name.is_empty()).count()
}

fn viewer_of(agent: Option<&Agent>) -> Viewer {
    agent.and_then(|agent| agent.seat.as_ref()).map(|(seat, _)| *seat)
}
