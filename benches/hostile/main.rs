//! A server under attack: `cargo bench --bench hostile -- [FLOOD…] [--runs COUNT] [--server PATH]`.
//!
//! Each flood has two fresh servers with the same program, whose local addresses get the shares and rates of remote addresses.
//! The clients of one address attack the first server over loopback, in a process of the lowest priority. The second server is
//! the control. A client of another address, a Unix socket, steps through matches on both servers in turn, so that noise affects
//! both alike. It does so before the attack, during the attack, and after it, while a program outside the servers burns as much
//! processor time on one core as the attacked server took.
//!
//! The command prints the medians and the 99th percentiles, and the memory and open file descriptors of the attacked server
//! before the attack, at the peak, and after. It also prints whether a new client of the other address gets in during the attack,
//! and the reasons that the attackers were given. One table of all floods follows at the end. The memory of the control grows by
//! the matches that the client plays.
//!
//! With `--runs` each flood runs this many times, and its row has the medians of all figures. `--server` names another program,
//! such as an older one. The servers start with 1,024 file descriptors, the usual limit. A
//! flood takes about half a minute and at most 1 GB; an older server may take more.

#![expect(clippy::print_stdout, reason = "a bench prints")]

mod answers;
mod attackers;
#[expect(dead_code, reason = "attackers check no certificate")]
#[path = "../../tests/shared/authority.rs"]
mod authority;
mod burner;
mod floods;
mod handshakes;
mod short;

use std::collections::BTreeMap;
use std::error::Error;
use std::io::{BufRead, BufReader};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use ahu_service::proto::v1::match_service_client::MatchServiceClient;
use ahu_service::proto::v1::{
    Action, BotSeat, CreateMatchRequest, JoinMatchRequest, MatchSpec, Observation, ObservationFormats, ObserveRequest,
    StepRequest, join_match_request,
};
use ahu_service::{Limits, Rate, Share};
use tonic::Request;
use tonic::transport::{Channel, Endpoint};

use self::authority::Authority;
use self::burner::Burner;
use self::floods::{FLOODS, Flood};

type Done<T = ()> = Result<T, Box<dyn Error + Send + Sync>>;

/// The time for which both clients step before the attack, during it, and while another program burns as much.
const QUIET: Duration = Duration::from_secs(4);
const ATTACK: Duration = Duration::from_secs(12);
const BURNING: Duration = Duration::from_secs(8);
/// The time that the server has to free its memory after the attack.
const AFTER: Duration = Duration::from_secs(3);
/// The time in which a new client has to get in.
const PATIENCE: Duration = Duration::from_secs(5);

/// A server in a process of its own.
struct Server {
    process: Child,
    address: String,
    socket: PathBuf,
    /// The server ends if nobody reads what it prints.
    _output: BufReader<ChildStdout>,
}

impl Server {
    /// Starts a server with the shares of a remote address, and with these files for TLS.
    fn start(program: &Path, folder: &Path, name: &str, tls: Option<[PathBuf; 2]>) -> Done<Self> {
        let socket = folder.join(format!("{name}.sock"));
        let script = "ulimit -S -n 1024; exec \"$@\"";
        let limits = Limits::default();
        // An older program does not know all names.
        let help = Command::new(program).args(["serve", "--help"]).output()?.stdout;
        let help = String::from_utf8_lossy(&help);
        let shares = Share::ALL.into_iter().filter(|share| help.contains(share.name()));
        let shares = shares.map(|share| format!("--local-share={share}={}", limits.shares[share]));
        let rates = Rate::ALL.into_iter().map(|rate| format!("--local-rate={}={}", rate.name(), limits.rates[rate]));
        let tls = tls.into_iter().flat_map(|[chain, key]| {
            [format!("--tls-cert={}", chain.display()), format!("--tls-key={}", key.display())]
        });
        let mut process = Command::new("sh")
            .args(["-c", script, "ahu"])
            .arg(program)
            .args(["serve", "--listen", "127.0.0.1:0", "--uds"])
            .arg(&socket)
            .args(shares)
            .args(rates)
            .args(tls)
            .env("AHU_LOG", "error")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let mut line = String::new();
        let mut output = BufReader::new(process.stdout.take().ok_or("expected a pipe")?);
        output.read_line(&mut line)?;
        let address = line.trim().strip_prefix("ahu listens on ").ok_or("expected the address of the server")?;
        let address = address.trim_start_matches("https://").to_owned();
        Ok(Self { process, address, socket, _output: output })
    }

    /// Opens a connection of the other address.
    async fn connect(&self) -> Done<Channel> {
        Ok(Endpoint::from_shared(format!("unix:{}", self.socket.display()))?.connect().await?)
    }

    /// Returns the memory of the server, in MiB.
    fn memory(&self) -> Done<f64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.process.id()))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).ok_or("expected a line VmRSS")?;
        let kilobytes: f64 = line.split_whitespace().next().ok_or("expected a number")?.parse()?;
        Ok(kilobytes / 1024.0)
    }
}

impl Server {
    /// Returns the processor time that the server has taken.
    fn cpu(&self) -> Done<Duration> {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.process.id()))?;
        // After the name: the state is the first field, and the times of user and system are the twelfth and the one after it, in
        // hundredths of a second.
        let fields = stat.rsplit_once(')').ok_or("expected the name of the program")?.1.split_whitespace();
        let ticks: u64 = fields.skip(11).take(2).map(|ticks| ticks.parse::<u64>().unwrap_or(0)).sum();
        Ok(Duration::from_millis(10 * ticks))
    }

    /// Returns the number of open file descriptors of the server.
    fn descriptors(&self) -> Done<usize> {
        Ok(std::fs::read_dir(format!("/proc/{}/fd", self.process.id()))?.count())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The attackers in a process of their own.
struct Attackers {
    process: Child,
    /// The line that they print once their attack has reached its height.
    line: Receiver<String>,
}

impl Attackers {
    fn start(flood: &Flood, address: &str) -> Done<Self> {
        let program = std::env::current_exe()?;
        let mut process =
            Command::new(program).args(["--attack", flood.name, address]).stdout(Stdio::piped()).spawn()?;
        let mut output = BufReader::new(process.stdout.take().ok_or("expected a pipe")?);
        let (sender, line) = mpsc::channel();
        thread::spawn(move || {
            let mut text = String::new();
            // An attack that fails has no line.
            let _ = output.read_line(&mut text);
            let _ = sender.send(text.trim().to_owned());
        });
        Ok(Self { process, line })
    }

    fn end(&mut self) {
        // They may have ended.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Drop for Attackers {
    fn drop(&mut self) {
        self.end();
    }
}

/// A client that plays one match after the other against a bot.
struct Stepper {
    matches: MatchServiceClient<Channel>,
    bot: &'static str,
    playing: Option<(String, String, Observation)>,
    choice: usize,
}

impl Stepper {
    /// Creates a client that plays against `random`, which answers within the call.
    fn new(channel: Channel) -> Self {
        Self::against("random", channel)
    }

    fn against(bot: &'static str, channel: Channel) -> Self {
        Self { matches: MatchServiceClient::new(channel), bot, playing: None, choice: 0 }
    }

    /// Begins a match, and returns its id, the token, and the first observation.
    async fn begin(&mut self) -> Done<(String, String, Observation)> {
        let bots = vec![BotSeat { seat: Some(1), bot: self.bot.to_owned() }];
        let spec = MatchSpec { game: "rappanui".to_owned(), seat_count: 2, bots, ..Default::default() };
        let created = self
            .matches
            .create_match(CreateMatchRequest { spec: Some(spec), ..Default::default() })
            .await?
            .into_inner()
            .r#match
            .ok_or("expected a match")?;
        let target = Some(join_match_request::Target::MatchId(created.match_id.clone()));
        let joined = self.matches.join_match(JoinMatchRequest { target, ..Default::default() }).await?.into_inner();
        let token = format!("Bearer {}", joined.assigned.ok_or("expected a seat")?.seat_token);
        let observation = self.observe(&created.match_id, &token).await?;
        Ok((created.match_id, token, observation))
    }

    /// Waits for the next decision or the end.
    async fn observe(&mut self, match_id: &str, token: &str) -> Done<Observation> {
        let mut observe = Request::new(ObserveRequest {
            match_id: match_id.to_owned(),
            formats: Some(formats()),
            wait: Some(Duration::from_secs(30).try_into()?),
            ..Default::default()
        });
        observe.metadata_mut().insert("authorization", token.parse()?);
        Ok(self.matches.observe(observe).await?.into_inner().observation.ok_or("expected an observation")?)
    }

    /// Returns the id of the match in progress.
    fn match_id(&self) -> Option<String> {
        self.playing.as_ref().map(|(match_id, ..)| match_id.clone())
    }

    /// Answers the next decision. Returns the time until the following decision, which includes the thought of the bot.
    async fn step(&mut self) -> Done<Duration> {
        loop {
            let (match_id, token, observation) = match self.playing.take() {
                Some(playing) => playing,
                None => self.begin().await?,
            };
            let Some(decision) = &observation.decision else { continue };
            self.choice = self.choice.wrapping_mul(31).wrapping_add(7);
            let mut step = Request::new(StepRequest {
                match_id: match_id.clone(),
                decision_id: decision.decision_id,
                action: Some(Action::from(decision.legal_ids[self.choice % decision.legal_ids.len()])),
                formats: Some(formats()),
                ..Default::default()
            });
            step.metadata_mut().insert("authorization", token.parse()?);
            let start = Instant::now();
            let observation = self.matches.step(step).await?.into_inner().observation;
            let mut observation = observation.ok_or("expected an observation")?;
            if observation.decision.is_none() && self.bot != "random" {
                observation = self.observe(&match_id, &token).await?;
            }
            let time = start.elapsed();
            self.playing = Some((match_id, token, observation));
            return Ok(time);
        }
    }
}

fn formats() -> ObservationFormats {
    ObservationFormats { tensor: true, legal_ids: true, ..Default::default() }
}

/// The times of the steps on both servers, and the largest memory and number of descriptors of the first one.
#[derive(Default)]
struct Measured {
    attacked: Vec<Duration>,
    control: Vec<Duration>,
    peak: f64,
    peak_descriptors: usize,
}

impl Measured {
    /// Steps on both servers in turn for this time.
    async fn run(server: &Server, steppers: &mut [Stepper; 2], time: Duration) -> Done<Self> {
        let mut measured = Self::default();
        let (start, mut looked) = (Instant::now(), Duration::ZERO);
        while start.elapsed() < time {
            measured.attacked.push(steppers[0].step().await?);
            measured.control.push(steppers[1].step().await?);
            if start.elapsed() > looked {
                looked += Duration::from_millis(50);
                measured.peak = measured.peak.max(server.memory()?);
                measured.peak_descriptors = measured.peak_descriptors.max(server.descriptors()?);
            }
        }
        Ok(measured)
    }

    /// Prints the medians and the 99th percentiles, and returns them for the first server, in microseconds.
    fn show(&mut self, phase: &str) -> [f64; 2] {
        let [attacked, control] = [&mut self.attacked, &mut self.control].map(|times| {
            times.sort();
            [50, 99].map(|percent| times[times.len() * percent / 100].as_secs_f64() * 1e6)
        });
        let steps = self.attacked.len();
        println!(
            "  {phase:<7} others: p50 {:.0} us, p99 {:.0} us; control: p50 {:.0} us, p99 {:.0} us ({steps} steps each)",
            attacked[0], attacked[1], control[0], control[1],
        );
        attacked
    }
}

/// The figures of one flood, or their medians: the medians and 99th percentiles in microseconds, and the memory in MiB.
struct Row {
    name: &'static str,
    before: [f64; 2],
    attacked: [f64; 2],
    burned: [f64; 2],
    cores: f64,
    memory: [f64; 2],
}

impl Row {
    /// Returns the medians of the figures of these runs.
    fn of(runs: &[Self]) -> Self {
        let median = |figure: &dyn Fn(&Self) -> f64| {
            let mut figures: Vec<_> = runs.iter().map(figure).collect();
            figures.sort_by(f64::total_cmp);
            figures[figures.len() / 2]
        };
        let pair = |figures: fn(&Self) -> [f64; 2]| [0, 1].map(|at| median(&|run| figures(run)[at]));
        Self {
            name: runs[0].name,
            before: pair(|run| run.before),
            attacked: pair(|run| run.attacked),
            burned: pair(|run| run.burned),
            cores: median(&|run| run.cores),
            memory: pair(|run| run.memory),
        }
    }

    fn print(&self) {
        let Self { name, before, attacked, burned, cores, memory } = self;
        let times = |[p50, p99]: &[f64; 2]| format!("{:.2}, {:.1}", p50 / 1e3, p99 / 1e3);
        println!(
            "| `{name}` | {} | {} | {} | {:.2} | {cores:.2} | {:.0}, {:.0} |",
            times(before),
            times(attacked),
            times(burned),
            attacked[1] / burned[1],
            memory[0],
            memory[1],
        );
    }
}

/// Runs one flood, and prints what it does to the server and to others.
async fn run(flood: &Flood, program: &Path) -> Done<Row> {
    println!("{}: {}", flood.name, flood.about);
    let folder = tempfile::tempdir()?;
    let authority = flood.is_secure.then(Authority::new);
    let server = Server::start(program, folder.path(), "attacked", authority.as_ref().map(Authority::issue))?;
    let control = Server::start(program, folder.path(), "control", None)?;
    let new_steppers = async || -> Done<[Stepper; 2]> {
        let stepper = async |server: &Server| Done::Ok(Stepper::against(flood.bot, server.connect().await?));
        Ok([stepper(&server).await?, stepper(&control).await?])
    };
    let mut steppers = new_steppers().await?;
    let quiet = Measured::run(&server, &mut steppers, QUIET).await?.show("before");
    let (before, descriptors_before) = (server.memory()?, server.descriptors()?);

    let mut attackers = Attackers::start(flood, &server.address)?;
    let (cpu_before, start) = (server.cpu()?, Instant::now());
    let attacked = Measured::run(&server, &mut steppers, ATTACK).await;
    // The server serves the client as well, for which the control is the measure.
    let cores = server.cpu()?.saturating_sub(cpu_before).as_secs_f64() / start.elapsed().as_secs_f64();
    let new = tokio::time::timeout(PATIENCE, async { Stepper::new(server.connect().await?).step().await }).await;
    let others = match new {
        Ok(Ok(_)) => "gets in".to_owned(),
        Ok(Err(error)) => format!("does not get in: {error}"),
        Err(_) => format!("does not get in within {} s", PATIENCE.as_secs()),
    };
    let (at_end, descriptors_at_end) = (server.memory()?, server.descriptors()?);
    let height = attackers.line.try_recv().unwrap_or_else(|_| "goes on".to_owned());
    attackers.end();
    let (times, peak, descriptors) = match attacked {
        Ok(mut attacked) => {
            let times = attacked.show("during");
            (times, attacked.peak.max(at_end), attacked.peak_descriptors.max(descriptors_at_end))
        }
        Err(error) => {
            println!("  during  the client of the other address fails: {error}");
            ([f64::INFINITY; 2], at_end, descriptors_at_end)
        }
    };
    tokio::time::sleep(AFTER).await;
    let after = server.memory()?;
    println!(
        "  memory  {before:.0} MiB before, {peak:.0} at the peak, {after:.0} after; control {:.0} at the end",
        control.memory()?
    );
    let descriptors_after = server.descriptors()?;
    println!("  files   {descriptors_before} descriptors before, {descriptors} at the peak, {descriptors_after} after");
    println!("  others  a new client of another address {others}");
    println!("  attack  {height}");
    println!("  server  {cores:.2} cores during the attack");
    // The attacked server may still have work of its own, so others are measured at the control.
    drop(server);
    let burner = Burner::start(cores.min(1.0))?;
    let client = async || Done::Ok(Stepper::against(flood.bot, control.connect().await?));
    let while_burning = Measured::run(&control, &mut [client().await?, client().await?], BURNING).await?.show("burned");
    drop(burner);
    Ok(Row { name: flood.name, before: quiet, attacked: times, burned: while_burning, cores, memory: [before, peak] })
}

/// Returns a text of counts, such as `3 accepted, 2 OVER_SHARE matches`.
fn counts_text(counts: &BTreeMap<String, usize>) -> String {
    counts.iter().map(|(what, count)| format!("{count} {what}")).collect::<Vec<_>>().join(", ")
}

#[tokio::main]
async fn main() -> Done {
    let mut asked: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    if asked.first().is_some_and(|first| first == "--burn") {
        return burner::burn(asked[1].parse()?);
    }
    if asked.first().is_some_and(|first| first == "--attack") {
        let flood = FLOODS.iter().find(|flood| flood.name == asked[1]).ok_or("expected a flood")?;
        return floods::attack(flood, &asked[2]).await;
    }
    let mut program = PathBuf::from(env!("CARGO_BIN_EXE_ahu"));
    if let Some(at) = asked.iter().position(|argument| argument == "--server") {
        program = asked.get(at + 1).ok_or("expected a program after --server")?.into();
        asked.drain(at..=at + 1);
    }
    let mut runs = 1;
    if let Some(at) = asked.iter().position(|argument| argument == "--runs") {
        runs = asked.get(at + 1).ok_or("expected a count after --runs")?.parse::<NonZeroUsize>()?.get();
        asked.drain(at..=at + 1);
    }
    for name in &asked {
        if !FLOODS.iter().any(|flood| flood.name == name) {
            let names: Vec<_> = FLOODS.iter().map(|flood| flood.name).collect();
            return Err(format!("expected a flood of {}, got \"{name}\"", names.join(", ")).into());
        }
    }
    let mut rows = Vec::new();
    for flood in FLOODS.iter().filter(|flood| asked.is_empty() || asked.iter().any(|name| name == flood.name)) {
        let mut of_flood = Vec::new();
        for _ in 0..runs {
            of_flood.push(run(flood, &program).await?);
        }
        rows.push(Row::of(&of_flood));
    }
    println!("\nOthers' p50, p99 in ms; the server's cores during the attack; its memory before, at the peak in MiB");
    println!(
        "| flood | before | attacked | burned outside | ratio of p99 | cores | memory |\n|---|---|---|---|---|---|---|"
    );
    rows.iter().for_each(Row::print);
    Ok(())
}
