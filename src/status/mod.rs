//! `ahu status`: shows the state of a server, from its metrics.

mod samples;

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fs::File;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::time::Duration;

use ahu_service::at_short_path;
use serde::Serialize;
use serde_json::{Value, json};

use self::samples::{Sample, Samples};
use crate::arguments::units::size_text;
use crate::network::metrics_address::{DEFAULT_METRICS, MetricsAddress, metrics_address};
use crate::{CliError, Done, print_json};

const TIMEOUT: Duration = Duration::from_secs(10);
const MAX_ANSWER: u64 = 16 << 20;

/// Show the state of a server that was started with `ahu serve --metrics`
#[derive(Debug, clap::Args)]
pub(super) struct Status {
    /// The address of the metrics, as `ADDRESS:PORT` or `unix:PATH`
    #[arg(default_value = DEFAULT_METRICS, value_parser = metrics_address)]
    address: MetricsAddress,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Status {
    pub(super) fn run(self, out: &mut impl Write) -> Done {
        let place = &self.address;
        let page = fetch(place).map_err(|error| {
            CliError::Failed(format!("cannot read the metrics on {place}: {error}; `ahu serve --metrics` serves them"))
        })?;
        let in_page = |error| CliError::Failed(format!("the answer of {place} is not a page of metrics: {error}"));
        let samples = Samples::parse(&page).map_err(in_page)?;
        match self.json {
            true => print_json("status", as_json(&samples), out),
            false => show(&samples, out),
        }
    }
}

/// Fetches the page of metrics.
fn fetch(place: &MetricsAddress) -> Result<String, Box<dyn Error>> {
    let stream: OwnedFd = match place {
        MetricsAddress::Tcp(address) => {
            let stream = TcpStream::connect_timeout(address, TIMEOUT)?;
            stream.set_read_timeout(Some(TIMEOUT))?;
            stream.into()
        }
        MetricsAddress::Unix(path) => {
            let stream = at_short_path(path, |path| UnixStream::connect(path))?;
            stream.set_read_timeout(Some(TIMEOUT))?;
            stream.into()
        }
    };
    let mut stream = File::from(stream);
    // With HTTP/1.0 the server closes the connection after its answer.
    stream.write_all(b"GET /metrics HTTP/1.0\r\n\r\n")?;
    let mut answer = String::new();
    stream.take(MAX_ANSWER).read_to_string(&mut answer)?;
    let (head, body) = answer.split_once("\r\n\r\n").ok_or("expected an answer of HTTP")?;
    let line = head.lines().next().unwrap_or_default();
    match line.split(' ').nth(1) {
        Some("200") => Ok(body.to_owned()),
        _ => Err(format!("expected the status 200, got \"{line}\"").into()),
    }
}

/// Figures of the calls of one method.
#[derive(Serialize)]
struct Calls<'a> {
    method: &'a str,
    count: u64,
    /// The number of failed calls by code.
    failed: BTreeMap<&'a str, u64>,
    mean_seconds: f64,
    p50_at_most_seconds: Option<f64>,
    p99_at_most_seconds: Option<f64>,
}

/// Returns true if a call with this code failed: a code of gRPC such as `NotFound`, or a status of HTTP from 400 on.
fn is_failure(code: &str) -> bool {
    code.parse::<u16>().map_or(code != "Ok", |status| status >= 400)
}

fn calls(samples: &Samples) -> impl Iterator<Item = Calls<'_>> {
    let methods: BTreeSet<_> = samples.of("ahu_calls_total").filter_map(|sample| sample.label("method")).collect();
    methods.into_iter().map(|method| {
        let is_of = move |sample: &&Sample| sample.label("method") == Some(method);
        let answered = || samples.of("ahu_calls_total").filter(is_of);
        let [count, sum] = ["count", "sum"].map(|name| samples.sum(&format!("ahu_call_seconds_{name}"), is_of));
        let failed = answered().filter_map(|sample| Some((sample.label("code")?, sample.count())));
        Calls {
            method,
            count: answered().map(Sample::count).sum(),
            failed: failed.filter(|(code, _)| is_failure(code)).collect(),
            mean_seconds: if count > 0.0 { sum / count } else { 0.0 },
            p50_at_most_seconds: samples.quantile("ahu_call_seconds", 0.5, is_of),
            p99_at_most_seconds: samples.quantile("ahu_call_seconds", 0.99, is_of),
        }
    })
}

fn as_json(samples: &Samples) -> Value {
    let table = |name| -> Value { samples.of(name).map(Sample::as_json).collect() };
    let one = |name| samples.sum(name, |_| true);
    json!({
        "matches": table("ahu_matches"),
        "matches_created": table("ahu_matches_created_total"),
        "matches_ended": table("ahu_matches_ended_total"),
        "forfeits": table("ahu_forfeits_total"),
        "calls": calls(samples).collect::<Vec<_>>(),
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
        "lease": table("ahu_lease"),
    })
}

fn show(samples: &Samples, out: &mut impl Write) -> Done {
    let one = |name: &str| samples.sum(&format!("ahu_{name}"), |_| true);
    let listed = |name: &str, label: &str| {
        let of = samples.of(name).filter(|sample| sample.value > 0.0);
        let texts = of.filter_map(|sample| Some(format!("{} {}", sample.label(label)?, sample.value)));
        texts.reduce(|texts, text| texts + ", " + &text).unwrap_or_else(|| "none".to_owned())
    };

    writeln!(out, "matches in memory: {}", one("matches"))?;
    let mut by_game: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for sample in samples.of("ahu_matches") {
        if let (Some(game), Some(state)) = (sample.label("game"), sample.label("state")) {
            by_game.entry(game).or_default().push(format!("{} {state}", sample.value));
        }
    }
    for (game, states) in by_game {
        writeln!(out, "  {game}: {}", states.join(", "))?;
    }
    let (created, ended) = (one("matches_created_total"), one("matches_ended_total"));
    writeln!(out, "matches since the start: {created} created, {ended} ended")?;
    writeln!(out, "forfeits: {}", listed("ahu_forfeits_total", "cause"))?;
    writeln!(out, "connections: {}, from {} addresses", one("connections"), one("peers"))?;
    writeln!(out, "connections closed: {}", listed("ahu_connections_closed_total", "reason"))?;
    writeln!(out, "in use: {}", listed("ahu_used", "share"))?;
    writeln!(out, "queues: {}", listed("ahu_queue_length", "queue"))?;
    let [commits, changes, failures] = ["commits_total", "changes_total", "commit_failures_total"].map(one);
    if commits > 0.0 {
        let p99 = seconds(samples.quantile("ahu_commit_seconds", 0.99, |_| true));
        writeln!(out, "commits: {commits} of {changes} changes, 99% within {p99}, {failures} failed")?;
    }
    for lease in samples.of("ahu_lease") {
        let state = match (lease.value > 0.0, lease.label("replicas").unwrap_or_default()) {
            (false, _) => "this server does not work now".to_owned(),
            (true, "") => "this server works, and a commit waits for the disk of the database alone".to_owned(),
            (true, replicas) => {
                format!("this server works, and a commit waits for the disk and for the replicas {replicas}")
            }
        };
        writeln!(out, "database: {state}")?;
    }
    let memory = samples.of("ahu_memory_bytes");
    let memory = memory.filter_map(|sample| Some(format!("{} {}", sample.label("part")?, size_text(sample.count()))));
    writeln!(out, "memory: {}", memory.collect::<Vec<_>>().join(", "))?;
    writeln!(out, "refusals: {}", listed("ahu_refusals_total", "reason"))?;

    let width = calls(samples).map(|calls| calls.method.len()).max().unwrap_or(0).max(6);
    let mut row = |cells: [&str; 6]| {
        let [method, figures @ ..] = cells;
        writeln!(out, "{method:<width$} {}", figures.map(|figure| format!(" {figure:>9}")).concat())
    };
    row(["method", "calls", "failed", "mean", "50% in", "99% in"])?;
    for calls in calls(samples) {
        let counts = [calls.count, calls.failed.values().sum()].map(|count| count.to_string());
        let times = [Some(calls.mean_seconds), calls.p50_at_most_seconds, calls.p99_at_most_seconds].map(seconds);
        row([calls.method, &counts[0], &counts[1], &times[0], &times[1], &times[2]])?;
    }
    Ok(())
}

/// Formats seconds for people: `-` for None, and `long` for infinity, which is a time above all buckets.
fn seconds(time: Option<f64>) -> String {
    match time {
        None => "-".to_owned(),
        Some(time) if time.is_infinite() => "long".to_owned(),
        Some(time) if time < 0.001 => format!("{:.0} us", time * 1e6),
        Some(time) if time < 1.0 => format!("{:.1} ms", time * 1e3),
        Some(time) => format!("{time:.1} s"),
    }
}
