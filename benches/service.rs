//! The cost of a match over the network: `cargo bench --bench service [step | key | tls | bots | clocks | matches |
//! memory | watch]`.
//!
//! * `step`: one client on loopback, a `Step` and an empty call in turn, so that noise affects both alike; medians,
//!   99th percentiles, and the ratio of the medians; without a store, and with one in a folder in memory.
//! * `key`: the same client on three servers in turn: without accounts; with required keys, where its seat was taken with a key;
//!   and the same with the key on every call.
//! * `tls`: the same client on two servers in turn: in plain text, and over TLS.
//! * `bots`: the same client, alone and beside 64 clients that each have a match of bots alone played, in turn.
//! * `clocks`: the memory of ten thousand live matches with clocks, and the same client beside a hundred and beside ten
//!   thousand of them.
//! * `matches`: a thousand matches at once, every seat with a client of its own, all in this process.
//! * `watch`: the same client, in pairs of matches. Nobody watches the first match, and 500 watchers watch the second: clients
//!   of `WatchMatch`, and browsers at the web page.
//! * `memory`: the memory of ten thousand matches at their first decision, with their logs.

#![expect(clippy::print_stdout, reason = "a bench prints")]

use std::error::Error;
use std::num::NonZeroU32;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use ahu_host::{Terms, TimeControl, find};
use ahu_service::accounts::{Accounts, Command, Kind, NewAccount, NewKey, Reply, Scopes, new_key};
use ahu_service::proto::v1::catalog_service_client::CatalogServiceClient;
use ahu_service::proto::v1::match_service_client::MatchServiceClient;
use ahu_service::proto::v1::{
    Action, BotSeat, CreateMatchRequest, GetMatchRequest, GetServerInfoRequest, JoinMatchRequest, MatchSpec,
    Observation, ObservationFormats, ObserveRequest, StepRequest, WatchMatchRequest, WatchMatchResponse,
    join_match_request,
};
use ahu_service::store::{SqliteOptions, SqliteStore, Store};
use ahu_service::{Audit, Certificate, Limits, MatchConfig, Matches, Page};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tonic::transport::{Channel, ClientTlsConfig};
use tonic::{Request, Streaming};

#[path = "../tests/shared/authority.rs"]
mod authority;

use self::authority::Authority;

type Done<T = ()> = Result<T, Box<dyn Error + Send + Sync>>;

const STEPS: usize = 20_000;
/// The clients that have matches of bots alone played.
const BOT_CLIENTS: usize = 64;
/// The number of clients whose search bots play, more than the bot pool has threads for them.
const SEARCH_CLIENTS: usize = 8;
/// The number of measurements alone and beside the others, and the steps in each.
const PHASES: usize = 10;
const PHASE_STEPS: usize = 2_000;
const MATCHES: usize = 1_000;
const ROUNDS: usize = 3;
const OPEN: usize = 10_000;
/// The watchers of a match, the connections that they share, and the pairs of matches.
const WATCHERS: usize = 500;
const WATCH_CONNECTIONS: usize = 10;
const PAIRS: usize = 20;
/// The number of live matches that `OPEN` is compared with.
const FEW: usize = 100;

/// A client of one seat. Its actions are legal and depend on its last choice.
struct Player {
    matches: MatchServiceClient<Channel>,
    match_id: String,
    seat: u32,
    token: String,
    choice: usize,
    /// The key that goes with every call of the seat; None for the token alone.
    key: Option<String>,
}

impl Player {
    async fn join(channel: &Channel, match_id: &str) -> Done<Self> {
        Self::join_with(None, channel, match_id).await
    }

    async fn join_with(key: Option<&str>, channel: &Channel, match_id: &str) -> Done<Self> {
        let mut matches = MatchServiceClient::new(channel.clone());
        let target = Some(join_match_request::Target::MatchId(match_id.to_owned()));
        let join = keyed(key, JoinMatchRequest { target, ..Default::default() })?;
        let joined = matches.join_match(join).await?.into_inner().assigned.ok_or("expected a seat")?;
        let seat = joined.seat.ok_or("expected a seat")?;
        let token = format!("Bearer {}", joined.seat_token);
        Ok(Self { matches, match_id: match_id.to_owned(), seat, token, choice: seat as usize, key: None })
    }

    fn request<T>(&self, message: T) -> Done<Request<T>> {
        let mut request = keyed(self.key.as_deref(), message)?;
        request.metadata_mut().insert("authorization", self.token.parse()?);
        Ok(request)
    }

    async fn observe(&mut self) -> Done<Observation> {
        let request = self.request(ObserveRequest {
            match_id: self.match_id.clone(),
            seat: Some(self.seat),
            formats: Some(formats()),
            wait: Some(Duration::from_secs(30).try_into()?),
            ..Default::default()
        })?;
        Ok(self.matches.observe(request).await?.into_inner().observation.ok_or("expected an observation")?)
    }

    /// Returns a step for the decision in `observation`; None if there is no decision.
    fn step(&mut self, observation: &Observation) -> Done<Option<Request<StepRequest>>> {
        let Some(decision) = &observation.decision else { return Ok(None) };
        // Not random, but spread over all legal actions.
        self.choice = self.choice.wrapping_mul(31).wrapping_add(7);
        let id = decision.legal_ids[self.choice % decision.legal_ids.len()];
        let message = StepRequest {
            match_id: self.match_id.clone(),
            seat: Some(self.seat),
            decision_id: decision.decision_id,
            action: Some(Action::from(id)),
            formats: Some(formats()),
            ..StepRequest::default()
        };
        self.request(message).map(Some)
    }

    /// Plays to the end and returns the number of decisions.
    async fn play(mut self) -> Done<usize> {
        let mut decisions = 0;
        let mut observation = self.observe().await?;
        while observation.result.is_none() {
            observation = match self.step(&observation)? {
                Some(step) => {
                    decisions += 1;
                    let response = self.matches.step(step).await?.into_inner();
                    response.observation.ok_or("expected an observation")?
                }
                None => self.observe().await?,
            };
        }
        Ok(decisions)
    }
}

fn formats() -> ObservationFormats {
    ObservationFormats { tensor: true, legal_ids: true, ..Default::default() }
}

/// Starts a server and opens connections to it.
async fn serve(connections: usize, store: Option<Box<dyn Store>>) -> Done<Vec<Channel>> {
    let address = serve_matches(Matches::new(Limits::default(), store)).await?;
    let mut channels = Vec::new();
    for _ in 0..connections {
        channels.push(connect(address.clone()).await?);
    }
    Ok(channels)
}

/// Starts a server with these matches, and returns its address.
async fn serve_matches(matches: impl Into<ahu_service::Server>) -> Done<String> {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
    let address = format!("http://{}", listener.local_addr()?);
    tokio::spawn(ahu_service::run(listener, matches.into(), std::future::pending()));
    Ok(address)
}

async fn connect(address: String) -> Done<Channel> {
    Ok(Channel::from_shared(address)?.tcp_nodelay(true).connect().await?)
}

/// Returns a request with the key of an account.
fn keyed<T>(key: Option<&str>, message: T) -> Done<Request<T>> {
    let mut request = Request::new(message);
    if let Some(key) = key {
        request.metadata_mut().insert("ahu-key", key.parse()?);
    }
    Ok(request)
}

async fn create(channel: &Channel, game: &str, seat_count: u32, bots: &[(u32, &str)], seed: u64) -> Done<String> {
    create_with(None, channel, game, seat_count, bots, seed).await
}

async fn create_with(
    key: Option<&str>,
    channel: &Channel,
    game: &str,
    seat_count: u32,
    bots: &[(u32, &str)],
    seed: u64,
) -> Done<String> {
    let bots = bots.iter().map(|&(seat, bot)| BotSeat { seat: Some(seat), bot: bot.to_owned() });
    let spec = MatchSpec {
        game: game.to_owned(),
        seat_count,
        bots: bots.collect(),
        seed: seed.to_string(),
        ..Default::default()
    };
    let request = CreateMatchRequest { spec: Some(spec), ..Default::default() };
    let created = MatchServiceClient::new(channel.clone()).create_match(keyed(key, request)?).await?.into_inner();
    Ok(created.r#match.ok_or("expected a match")?.match_id)
}

/// A client that times its steps, one match after the other, against the bot `random`.
struct Stepper {
    channel: Channel,
    seed: u64,
    player: Option<(Player, Observation)>,
    /// The key with which it creates and joins its matches, and whether the key goes with every other call too.
    key: Option<(String, bool)>,
}

impl Stepper {
    fn new(channel: &Channel) -> Self {
        Self { channel: channel.clone(), seed: 0, player: None, key: None }
    }

    /// Answers the next decision, and returns the time of the call.
    async fn step(&mut self) -> Done<Duration> {
        loop {
            if self.player.is_none() {
                let key = self.key.as_ref().map(|(key, _)| key.as_str());
                let bots = [(1, "random")];
                let match_id = create_with(key, &self.channel, "rappanui", 2, &bots, self.seed).await?;
                let mut player = Player::join_with(key, &self.channel, &match_id).await?;
                player.key = self.key.as_ref().filter(|(_, is_sent)| *is_sent).map(|(key, _)| key.clone());
                let observation = player.observe().await?;
                self.player = Some((player, observation));
            }
            let (player, observation) = self.player.as_mut().ok_or("expected a player")?;
            if let Some(step) = player.step(observation)? {
                let start = Instant::now();
                let response = player.matches.step(step).await?.into_inner();
                let time = start.elapsed();
                *observation = response.observation.ok_or("expected an observation")?;
                return Ok(time);
            }
            self.player = None;
            self.seed += 1;
        }
    }

    /// Observes the match in progress, and returns the time of the call; None between two matches.
    async fn observe(&mut self) -> Done<Option<Duration>> {
        let Some((player, _)) = &mut self.player else { return Ok(None) };
        let start = Instant::now();
        player.observe().await?;
        Ok(Some(start.elapsed()))
    }
}

/// Times steps and empty calls in turn.
async fn step() -> Done {
    println!(
        "unary calls on loopback, {STEPS} of each in turn; a Step answers a decision against a bot, lets the bot play,"
    );
    println!("and returns the next observation as tensor and legal ids; with a store, it also waits for the log");
    println!("                   p50       p99");
    let memory = if Path::new("/dev/shm").is_dir() { "/dev/shm" } else { "." };
    let (folder, options) = (tempfile::tempdir_in(memory)?, SqliteOptions { create: true, ..SqliteOptions::default() });
    let stores: [(&str, Option<Box<dyn Store>>); 2] =
        [("no store", None), ("store", Some(Box::new(SqliteStore::open(folder.path(), &options)?)))];
    for (name, store) in stores {
        let channel = serve(1, store).await?.remove(0);
        let mut catalog = CatalogServiceClient::new(channel.clone());
        let mut stepper = Stepper::new(&channel);
        let (mut empty, mut steps) = (Vec::new(), Vec::new());
        for _ in 0..STEPS {
            let start = Instant::now();
            catalog.get_server_info(GetServerInfoRequest {}).await?;
            empty.push(start.elapsed());
            steps.push(stepper.step().await?);
        }
        let (empty, steps) = (percentiles(&mut empty), percentiles(&mut steps));
        println!("{name:<9} empty {:>7.1}us {:>7.1}us", empty.0, empty.1);
        let ratio = steps.0 / empty.0;
        println!("{name:<9} Step  {:>7.1}us {:>7.1}us   {ratio:.2} times the empty call", steps.0, steps.1);
    }
    Ok(())
}

/// Returns a server that requires keys, and a key for it.
fn with_keys(folder: &Path) -> Done<(ahu_service::Server, String)> {
    let (accounts, key) = (Accounts::in_memory(), new_key());
    let hash = ahu_core::hex(&key.hash());
    let (scopes, label) = (Scopes::default(), String::new());
    let new = NewKey { id: key.id, hash, scopes, label, expires_in: None };
    let account = NewAccount { name: "moai".to_owned(), kind: Kind::Person, key: Some(new) };
    if let Reply::Refused { message } = accounts.execute(Command::Add { accounts: vec![account] }) {
        return Err(message.into());
    }
    let server = ahu_service::Server::from(Matches::new(Limits::default(), None));
    let server = server.with_accounts(accounts, Audit::open(&folder.into()), true);
    Ok((server, key.secret().to_owned()))
}

/// Times steps without accounts, with a seat that was taken with a key, and with the key on every call, in turn.
async fn key() -> Done {
    let folder = tempfile::tempdir()?;
    let mut steppers = vec![("no accounts", serve(1, None).await?.remove(0), None)];
    for (name, is_sent) in [("seat of a key", false), ("key and token", true)] {
        let (server, key) = with_keys(folder.path())?;
        steppers.push((name, connect(serve_matches(server).await?).await?, Some((key, is_sent))));
    }
    let steppers = steppers.into_iter();
    in_turn(steppers.map(|(name, channel, key)| (name, Stepper { key, ..Stepper::new(&channel) })).collect()).await
}

/// Times steps in plain text and over TLS, in turn.
async fn tls() -> Done {
    let authority = Authority::new();
    let [chain, key] = authority.issue();
    let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
    let address = format!("https://{}", listener.local_addr()?);
    let server = ahu_service::Server::from(Matches::new(Limits::default(), None));
    let server = server.with_certificate(Certificate::read(&chain, &key)?);
    tokio::spawn(ahu_service::run(listener, server, std::future::pending()));
    let trusted = tonic::transport::Certificate::from_pem(std::fs::read(authority.file())?);
    let endpoint = Channel::from_shared(address)?.tcp_nodelay(true);
    let secure = endpoint.tls_config(ClientTlsConfig::new().ca_certificate(trusted))?.connect().await?;
    let plain = serve(1, None).await?.remove(0);
    in_turn(vec![("plain text", Stepper::new(&plain)), ("TLS", Stepper::new(&secure))]).await
}

/// Prints the times of the steps of these clients, who step in turn.
async fn in_turn(steppers: Vec<(&str, Stepper)>) -> Done {
    let mut steppers: Vec<_> = steppers.into_iter().map(|(name, stepper)| (name, stepper, Vec::new())).collect();
    for _ in 0..STEPS {
        for (_, stepper, times) in &mut steppers {
            times.push(stepper.step().await?);
        }
    }
    println!("a Step on loopback without a store, {STEPS} on each server in turn");
    println!("                   p50       p99");
    let mut first = None;
    for (name, _, times) in &mut steppers {
        let (p50, p99) = percentiles(times);
        let ratio = p50 / *first.get_or_insert(p50);
        println!("{name:<13} {p50:>7.1}us {p99:>7.1}us   {ratio:.2} times the first");
    }
    Ok(())
}

/// The steps and observations of one client.
#[derive(Default)]
struct Timed {
    steps: Vec<Duration>,
    observes: Vec<Duration>,
}

impl Timed {
    async fn run(&mut self, stepper: &mut Stepper) -> Done {
        for _ in 0..PHASE_STEPS {
            self.steps.push(stepper.step().await?);
            self.observes.extend(stepper.observe().await?);
        }
        Ok(())
    }
}

/// Times the steps and observations of one client, alone and beside clients that have matches of bots played, in turn.
async fn bots(game: &'static str, bot: &'static str, clients: usize) -> Done {
    let channels = serve(9, None).await?;
    let mut stepper = Stepper::new(&channels[0]);
    let (mut alone, mut beside) = (Timed::default(), Timed::default());
    let mut played = 0;
    for phase in 0..PHASES {
        alone.run(&mut stepper).await?;
        let (stop, is_stopped) = tokio::sync::watch::channel(false);
        let mut others = tokio::task::JoinSet::new();
        for n in 0..clients {
            let channel = channels[1 + n % 8].clone();
            others.spawn(play_bots(channel, game, bot, (phase * clients + n) as u64, is_stopped.clone()));
        }
        beside.run(&mut stepper).await?;
        stop.send_replace(true);
        while let Some(count) = others.join_next().await {
            played += count??;
        }
    }
    println!(
        "calls of one client, {} of each alone and beside {clients} clients whose {bot} bots play {game}",
        PHASES * PHASE_STEPS
    );
    println!("({played} such matches were played)            p50       p99");
    for (call, alone, beside) in
        [("Step", &mut alone.steps, &mut beside.steps), ("Observe", &mut alone.observes, &mut beside.observes)]
    {
        let (alone, beside) = (percentiles(alone), percentiles(beside));
        println!("{call:<8} alone  {:>7.1}us {:>7.1}us", alone.0, alone.1);
        let (p50, p99) = (beside.0 / alone.0, beside.1 / alone.1);
        println!("{call:<8} beside {:>7.1}us {:>7.1}us   {p50:.2} and {p99:.2} times those alone", beside.0, beside.1);
    }
    Ok(())
}

/// Has matches of bots alone played, one after the other, until it is stopped. Returns their number.
async fn play_bots(
    channel: Channel,
    game: &str,
    bot: &str,
    seed: u64,
    is_stopped: tokio::sync::watch::Receiver<bool>,
) -> Done<usize> {
    let bots: Vec<_> = (0..4).map(|seat| (seat, bot)).collect();
    let mut played = 0;
    while !*is_stopped.borrow() {
        let match_id = create(&channel, game, 4, &bots, seed + 1_000_000 * played as u64).await?;
        let request = GetMatchRequest { match_id, wait: Some(Duration::from_secs(30).try_into()?) };
        MatchServiceClient::new(channel.clone()).get_match(request).await?;
        played += 1;
    }
    Ok(played)
}

/// Returns the median and the 99th percentile, in microseconds.
fn percentiles(times: &mut [Duration]) -> (f64, f64) {
    times.sort();
    let at = |percent: usize| times[times.len() * percent / 100].as_secs_f64() * 1e6;
    (at(50), at(99))
}

/// Plays many matches at once.
async fn matches() -> Done {
    let channels = serve(8, None).await?;
    println!("{MATCHES} matches at once, two clients each, over {} connections", channels.len());
    for round in 0..ROUNDS {
        let start = Instant::now();
        let mut playing = tokio::task::JoinSet::new();
        for n in 0..MATCHES {
            let channel = &channels[n % channels.len()];
            let match_id = create(channel, "rappanui", 2, &[], (round * MATCHES + n) as u64).await?;
            for _ in 0..2 {
                playing.spawn(Player::join(channel, &match_id).await?.play());
            }
        }
        let mut decisions = 0;
        while let Some(played) = playing.join_next().await {
            decisions += played??;
        }
        let seconds = start.elapsed().as_secs_f64();
        println!(
            "  round {}: {:>7.0} matches/s, {:>9.0} decisions/s",
            round + 1,
            MATCHES as f64 / seconds,
            decisions as f64 / seconds
        );
    }
    Ok(())
}

/// Measures the memory of matches of agents, all at their first decision. Returns the matches, so that the next part cannot
/// reuse their memory.
fn memory() -> Done<Matches> {
    let matches = Matches::default();
    let rules = find("rappanui")?;
    let before = resident()?;
    for _ in 0..OPEN {
        let setup = rules.configure(2, &[])?;
        let live = matches.host(MatchConfig::new(setup))?;
        for _ in 0..2 {
            live.join(None, "agent")?;
        }
    }
    let grown = resident()? - before;
    println!("{OPEN} matches at their first decision: {} MiB, {} bytes each", grown >> 20, grown / OPEN);
    Ok(matches)
}

/// Hosts matches of two agents with clocks, all at their first decision, until there are `count`. Their deadlines pass
/// between one and two hours from now.
fn host_with_clocks(matches: &Matches, hosted: usize, count: usize) -> Done {
    let rules = find("rappanui")?;
    for n in hosted..count {
        let limit = NonZeroU32::new(3_600_000 + 360 * n as u32);
        let clock =
            TimeControl { limit, bank: NonZeroU32::new(86_400_000), increment: 1_000, ..TimeControl::default() };
        let terms = Terms { clocks: vec![clock; 2], idle: NonZeroU32::new(600_000), ..Terms::default() };
        let live = matches.host(MatchConfig { terms, ..MatchConfig::new(rules.configure(2, &[])?) })?;
        for _ in 0..2 {
            live.join(None, "agent")?;
        }
    }
    Ok(())
}

/// Measures the memory of matches with clocks, and times the steps of one client beside few and many of them.
async fn clocks() -> Done {
    let limits = Limits { matches: 4 * OPEN, ..Limits::default() };
    let few = Matches::new(limits, None);
    let many = Matches::new(limits, None);
    let before = resident()?;
    host_with_clocks(&many, 0, OPEN)?;
    let grown = resident()? - before;
    println!("{OPEN} matches with clocks at their first decision: {} MiB, {} bytes each", grown >> 20, grown / OPEN);
    host_with_clocks(&few, 0, FEW)?;
    let mut steppers = Vec::new();
    for matches in [few, many] {
        steppers.push(Stepper::new(&connect(serve_matches(matches).await?).await?));
    }
    let mut times = [Vec::new(), Vec::new()];
    for _ in 0..PHASES {
        for (stepper, times) in steppers.iter_mut().zip(&mut times) {
            for _ in 0..PHASE_STEPS {
                times.push(stepper.step().await?);
            }
        }
    }
    println!("a Step of one client, {} times beside each number of live matches, in turn", PHASES * PHASE_STEPS);
    println!("              p50       p99");
    let [few, many] = times.each_mut().map(|times| percentiles(times));
    println!("{FEW:>6}    {:>7.1}us {:>7.1}us", few.0, few.1);
    let (p50, p99) = (many.0 / few.0, many.1 / few.1);
    println!("{OPEN:>6}    {:>7.1}us {:>7.1}us   {p50:.2} and {p99:.2} times those beside {FEW}", many.0, many.1);
    Ok(())
}

/// The messages and events that watchers got.
#[derive(Default)]
struct Received {
    messages: AtomicUsize,
    events: AtomicUsize,
}

/// Reads the stream of a client until it ends.
async fn read_stream(mut stream: Streaming<WatchMatchResponse>, received: Arc<Received>) {
    while let Ok(Some(message)) = stream.message().await {
        received.messages.fetch_add(1, Ordering::Relaxed);
        received.events.fetch_add(message.observation.map_or(0, |seen| seen.events.len()), Ordering::Relaxed);
    }
}

/// Reads the stream of a browser until it ends.
async fn read_browser(mut socket: TcpStream, received: Arc<Received>) {
    let (mut part, mut ended_with_line) = (vec![0; 65_536], false);
    while let Ok(length @ 1..) = socket.read(&mut part).await {
        let bytes = &part[..length];
        // Each event is a block of lines, and an empty line ends it.
        let joined = ended_with_line && bytes[0] == b'\n';
        let count = bytes.windows(2).filter(|two| two == b"\n\n").count() + usize::from(joined);
        received.messages.fetch_add(count, Ordering::Relaxed);
        ended_with_line = bytes.ends_with(b"\n");
    }
}

/// Plays pairs of equal matches: one that nobody watches, and one with many watchers: clients, who ask for the table as text and
/// as a message, or browsers, who get drawings too. The player thinks for this time before each step.
async fn watch(thinking: Duration, are_browsers: bool) -> Done {
    let hosted = Matches::new(Limits::default(), None);
    let address = serve_matches(ahu_service::Server::from(hosted).with_page(Page::default())).await?;
    let host = address.strip_prefix("http://").unwrap_or(&address).to_owned();
    let channel = connect(address.clone()).await?;
    let mut watching = Vec::new();
    for _ in 0..WATCH_CONNECTIONS {
        watching.push(connect(address.clone()).await?);
    }
    let mut times = [Vec::new(), Vec::new()];
    let mut ratios = Vec::new();
    let received = Arc::<Received>::default();
    for pair in 0..PAIRS {
        let mut totals = [0.0; 2];
        // Each of the two comes first in half of the pairs.
        for watched in [pair % 2, 1 - pair % 2] {
            let bots: Vec<_> = (1..5).map(|seat| (seat, "random")).collect();
            let match_id = create(&channel, "giants", 5, &bots, pair as u64).await?;
            let mut player = Player::join(&channel, &match_id).await?;
            let mut observation = player.observe().await?;
            let mut watchers = tokio::task::JoinSet::new();
            for n in 0..watched * WATCHERS {
                if are_browsers {
                    let mut socket = TcpStream::connect(&host).await?;
                    let head = format!(
                        "GET /api/matches/{match_id}/events HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"
                    );
                    socket.write_all(head.as_bytes()).await?;
                    watchers.spawn(read_browser(socket, Arc::clone(&received)));
                    continue;
                }
                let request = WatchMatchRequest {
                    match_id: match_id.clone(),
                    public_view: true,
                    formats: Some(ObservationFormats { text: true, typed: true, ..Default::default() }),
                    ..Default::default()
                };
                let mut matches = MatchServiceClient::new(watching[n % WATCH_CONNECTIONS].clone());
                let stream = matches.watch_match(request).await?.into_inner();
                watchers.spawn(read_stream(stream, Arc::clone(&received)));
            }
            while let Some(step) = player.step(&observation)? {
                if !thinking.is_zero() {
                    tokio::time::sleep(thinking).await;
                }
                let start = Instant::now();
                let response = player.matches.step(step).await?.into_inner();
                let time = start.elapsed();
                times[watched].push(time);
                totals[watched] += (time + thinking).as_secs_f64();
                observation = response.observation.ok_or("expected an observation")?;
                if observation.decision.is_none() && observation.result.is_none() {
                    observation = player.observe().await?;
                }
            }
            watchers.join_all().await;
        }
        ratios.push(totals[1] / totals[0]);
    }
    ratios.sort_by(f64::total_cmp);
    let steps = times[0].len() / PAIRS;
    println!(
        "{PAIRS} pairs of equal matches of {steps} steps, without and with {WATCHERS} {}, in turn; {thinking:?} before each step",
        if are_browsers { "browsers" } else { "watchers" }
    );
    let [alone, watched] = times.each_mut().map(|times| percentiles(times));
    println!("              p50       p99");
    println!("alone     {:>7.1}us {:>7.1}us", alone.0, alone.1);
    let (p50, p99) = (watched.0 / alone.0, watched.1 / alone.1);
    println!("watched   {:>7.1}us {:>7.1}us   {p50:.2} and {p99:.2} times those alone", watched.0, watched.1);
    let at = |percent: usize| ratios[ratios.len() * percent / 100];
    println!("time of a match, watched over alone: median {:.2}, quartiles {:.2} and {:.2}", at(50), at(25), at(75));
    let of = |count: &AtomicUsize| count.load(Ordering::Relaxed) as f64 / (PAIRS * WATCHERS) as f64;
    println!("a watcher of a match got {:.0} messages", of(&received.messages));
    if !are_browsers {
        println!("with {:.0} events", of(&received.events));
    }
    Ok(())
}

/// Returns the memory of this process, in bytes.
fn resident() -> Done<usize> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).ok_or("expected a line VmRSS")?;
    let kilobytes = line.split_whitespace().next().ok_or("expected a number")?;
    Ok(kilobytes.parse::<usize>()? * 1024)
}

#[tokio::main]
async fn main() -> Done {
    let asked: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let is_asked = |name: &str| asked.is_empty() || asked.iter().any(|asked| asked == name);
    // The parts that measure memory run first, because they would reuse memory that the others free.
    let hosted = is_asked("memory").then(memory).transpose()?;
    if is_asked("clocks") {
        clocks().await?;
    }
    drop(hosted);
    if is_asked("step") {
        step().await?;
    }
    if is_asked("key") {
        key().await?;
    }
    if is_asked("tls") {
        tls().await?;
    }
    if is_asked("bots") {
        bots("rapanui_board", "greedy", BOT_CLIENTS).await?;
        bots("rapanui_cards", "search:200", SEARCH_CLIENTS).await?;
    }
    if is_asked("matches") {
        matches().await?;
    }
    if is_asked("watch") {
        for (thinking, are_browsers) in [(0, false), (5, false), (0, true), (5, true)] {
            watch(Duration::from_millis(thinking), are_browsers).await?;
        }
    }
    Ok(())
}
