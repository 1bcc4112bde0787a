//! `ahu status`: the state of a server, from its metrics.

mod samples;

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::time::Duration;

use serde_json::{Value, json};

use self::samples::{Sample, Samples};
use super::bounds::size_text;
use super::serve::{DEFAULT_METRICS, MetricsPlace, metrics_place};
use super::{CliError, Done};

/// The time that a server has to answer.
const TIMEOUT: Duration = Duration::from_secs(10);
/// The maximum size of an answer, in bytes.
const MAX_ANSWER: u64 = 16 << 20;

/// Show the state of a server that was started with `ahu serve --metrics`
#[derive(Debug, clap::Args)]
pub(super) struct Status {
    /// The address of the metrics, as `ADDRESS:PORT` or `unix:PATH`
    #[arg(default_value = DEFAULT_METRICS, value_parser = metrics_place)]
    address: MetricsPlace,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Status {
    pub(super) fn run(self, out: &mut impl Write) -> Done {
        let place = match &self.address {
            MetricsPlace::Tcp(address) => address.to_string(),
            MetricsPlace::Unix(path) => format!("unix:{}", path.display()),
        };
        let page = fetch(&self.address).map_err(|error| {
            CliError::Failed(format!("cannot read the metrics on {place}: {error}; `ahu serve --metrics` serves them"))
        })?;
        let in_page = |error| CliError::Failed(format!("the answer of {place} is not a page of metrics: {error}"));
        let samples = Samples::parse(&page).map_err(in_page)?;
        match self.json {
            true => Ok(writeln!(out, "{:#}", as_json(&samples))?),
            false => show(&samples, out),
        }
    }
}

/// Reads the page of metrics.
fn fetch(place: &MetricsPlace) -> Result<String, String> {
    match place {
        MetricsPlace::Tcp(address) => {
            let stream = TcpStream::connect_timeout(address, TIMEOUT).map_err(|error| error.to_string())?;
            stream.set_read_timeout(Some(TIMEOUT)).map_err(|error| error.to_string())?;
            ask(stream)
        }
        MetricsPlace::Unix(path) => {
            let stream = UnixStream::connect(path).map_err(|error| error.to_string())?;
            stream.set_read_timeout(Some(TIMEOUT)).map_err(|error| error.to_string())?;
            ask(stream)
        }
    }
}

/// Sends a request of HTTP/1.0, whose answer ends with the connection, and returns the body.
fn ask(mut stream: impl Read + Write) -> Result<String, String> {
    stream.write_all(b"GET /metrics HTTP/1.0\r\n\r\n").map_err(|error| error.to_string())?;
    let mut answer = String::new();
    stream.take(MAX_ANSWER).read_to_string(&mut answer).map_err(|error| error.to_string())?;
    let (head, body) = answer.split_once("\r\n\r\n").ok_or("expected an answer of HTTP")?;
    let line = head.lines().next().unwrap_or_default();
    match line.split(' ').nth(1) {
        Some("200") => Ok(body.to_owned()),
        _ => Err(format!("expected the status 200, got \"{line}\"")),
    }
}

/// The calls of one method.
struct Calls<'a> {
    method: &'a str,
    count: u64,
    /// The number by code, without those that succeeded.
    failed: BTreeMap<&'a str, u64>,
    mean: f64,
    p50: Option<f64>,
    p99: Option<f64>,
}

/// Returns the calls by method.
fn calls(samples: &Samples) -> Vec<Calls<'_>> {
    let mut methods: Vec<_> = samples.of("ahu_calls_total").filter_map(|sample| sample.label("method")).collect();
    methods.sort_unstable();
    methods.dedup();
    let of = |method| {
        let is_of = move |sample: &&Sample| sample.label("method") == Some(method);
        let answered = || samples.of("ahu_calls_total").filter(is_of);
        let (count, sum) = (samples.sum("ahu_call_seconds_count", is_of), samples.sum("ahu_call_seconds_sum", is_of));
        let failed = answered().filter_map(|sample| Some((sample.label("code")?, sample.count())));
        Calls {
            method,
            count: answered().map(Sample::count).sum(),
            failed: failed.filter(|(code, _)| *code != "Ok").collect(),
            mean: if count > 0.0 { sum / count } else { 0.0 },
            p50: samples.quantile("ahu_call_seconds", 0.5, is_of),
            p99: samples.quantile("ahu_call_seconds", 0.99, is_of),
        }
    };
    methods.into_iter().map(of).collect()
}

fn as_json(samples: &Samples) -> Value {
    let table = |name| -> Value { samples.of(name).map(Sample::as_json).collect() };
    let one = |name| samples.sum(name, |_| true);
    let calls = calls(samples).into_iter().map(|calls| {
        json!({"method": calls.method, "count": calls.count, "failed": calls.failed, "mean_seconds": calls.mean,
            "p50_at_most_seconds": calls.p50, "p99_at_most_seconds": calls.p99})
    });
    json!({
        "matches": table("ahu_matches"),
        "matches_created": table("ahu_matches_created_total"),
        "matches_ended": table("ahu_matches_ended_total"),
        "forfeits": table("ahu_forfeits_total"),
        "calls": calls.collect::<Value>(),
        "refusals": table("ahu_refusals_total"),
        "connections": one("ahu_connections"),
        "connections_closed": table("ahu_connections_closed_total"),
        "peers": one("ahu_peers"),
        "used": table("ahu_used"),
        "environments": one("ahu_environments"),
        "queues": table("ahu_queue_length"),
        "commits": one("ahu_commits_total"),
        "commit_failures": one("ahu_commit_failures_total"),
        "changes": one("ahu_changes_total"),
        "commit_p99_at_most_seconds": samples.quantile("ahu_commit_seconds", 0.99, |_| true),
        "memory_bytes": table("ahu_memory_bytes"),
    })
}

fn show(samples: &Samples, out: &mut impl Write) -> Done {
    let one = |name| samples.sum(name, |_| true);
    let listed = |name: &str, label: &str| {
        let of = samples.of(name).filter(|sample| sample.value > 0.0);
        let texts: Vec<_> =
            of.filter_map(|sample| Some(format!("{} {}", sample.label(label)?, sample.value))).collect();
        if texts.is_empty() { "none".to_owned() } else { texts.join(", ") }
    };

    writeln!(out, "matches in memory: {}", one("ahu_matches"))?;
    let mut by_game: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for sample in samples.of("ahu_matches") {
        if let (Some(game), Some(state)) = (sample.label("game"), sample.label("state")) {
            by_game.entry(game).or_default().push(format!("{} {state}", sample.value));
        }
    }
    for (game, states) in by_game {
        writeln!(out, "  {game}: {}", states.join(", "))?;
    }
    let (created, ended) = (one("ahu_matches_created_total"), one("ahu_matches_ended_total"));
    writeln!(out, "matches since the start: {created} created, {ended} ended")?;
    writeln!(out, "forfeits: {}", listed("ahu_forfeits_total", "cause"))?;
    let (connections, peers) = (one("ahu_connections"), one("ahu_peers"));
    writeln!(out, "connections: {connections}, from {peers} addresses")?;
    writeln!(out, "connections closed: {}", listed("ahu_connections_closed_total", "reason"))?;
    writeln!(out, "in use: {}", listed("ahu_used", "share"))?;
    writeln!(out, "queues: {}", listed("ahu_queue_length", "queue"))?;
    if one("ahu_commits_total") > 0.0 {
        let (commits, changes, failures) =
            (one("ahu_commits_total"), one("ahu_changes_total"), one("ahu_commit_failures_total"));
        let p99 = seconds(samples.quantile("ahu_commit_seconds", 0.99, |_| true));
        writeln!(out, "commits: {commits} of {changes} changes, 99% within {p99}, {failures} failed")?;
    }
    let memory: Vec<_> = samples
        .of("ahu_memory_bytes")
        .filter_map(|sample| Some(format!("{} {}", sample.label("part")?, size_text(sample.count()))))
        .collect();
    writeln!(out, "memory: {}", memory.join(", "))?;
    writeln!(out, "refusals: {}", listed("ahu_refusals_total", "reason"))?;

    let calls = calls(samples);
    let width = calls.iter().map(|calls| calls.method.len()).max().unwrap_or(0).max(6);
    writeln!(
        out,
        "{:<width$}  {:>9} {:>9} {:>9} {:>9} {:>9}",
        "method", "calls", "failed", "mean", "50% in", "99% in"
    )?;
    for Calls { method, count, failed, mean, p50, p99 } in calls {
        let failed: u64 = failed.values().sum();
        let (mean, p50, p99) = (seconds(Some(mean)), seconds(p50), seconds(p99));
        writeln!(out, "{method:<width$}  {count:>9} {failed:>9} {mean:>9} {p50:>9} {p99:>9}")?;
    }
    Ok(())
}

/// Returns a time for people; `-` for none, and `long` for one beyond all bounds.
fn seconds(time: Option<f64>) -> String {
    match time {
        None => "-".to_owned(),
        Some(time) if time.is_infinite() => "long".to_owned(),
        Some(time) if time < 0.001 => format!("{:.0} us", time * 1e6),
        Some(time) if time < 1.0 => format!("{:.1} ms", time * 1e3),
        Some(time) => format!("{time:.1} s"),
    }
}
