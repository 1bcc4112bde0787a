//! `ahu positions`: positions of games for programs that search, as lines of JSON.
//!
//! An answer follows from its request alone: a position is how it came about, a base and the plies since.

mod base;
mod look;
mod ply;

use std::io::{self, BufRead, BufReader, Read as _, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use ahu_core::Seed;
use serde::Deserialize;
use serde_json::{Value, json};

use self::base::{Base, Start};
use self::look::{Look, Want};
use self::ply::Ply;
use crate::arguments::cores;
use crate::{CliError, Done, with_format};

/// The most bytes of a request: 4 MiB.
const MAX_LINE: u64 = 4 << 20;

/// Answer questions about positions, for a program that searches: a line of JSON on stdin for each, and one on stdout
///
/// A request has a `base`, and `positions` with the plies since; the answer has what it `want`s of each: legal actions,
/// observations, children, rollouts, the analysis of a search. No answer depends on an earlier line. The command ends with its
/// stdin. docs/reference/positions.md lists all fields.
#[derive(Debug, clap::Args)]
pub(super) struct Positions {
    /// Answer on all cores, each request as soon as it can be: the answers may come in another order, with the `id` of their
    /// requests
    #[arg(long)]
    by_id: bool,
}

/// A request.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Request {
    /// Any value. The answer has the same.
    #[serde(default)]
    id: Value,
    base: Base,
    #[serde(default)]
    want: Want,
    #[serde(default = "only_the_base")]
    positions: Vec<Asked>,
}

/// A position, as it came about.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Asked {
    /// The seed of the facts that the base hides.
    sample: Option<Seed>,
    plies: Vec<Ply>,
    want: Option<Want>,
}

fn only_the_base() -> Vec<Asked> {
    vec![Asked::default()]
}

impl Positions {
    pub(super) fn run(self, out: &mut impl Write) -> Done {
        let input = Arc::new(Mutex::new(BufReader::new(io::stdin())));
        let (answers, receiver) = channel();
        let answer = || {
            let (input, answers) = (Arc::clone(&input), answers.clone());
            // A thread may wait for stdin when the reader of the answers has gone.
            thread::spawn(move || answer_lines(&input, &answers))
        };
        let threads: Vec<_> = (0..if self.by_id { cores() } else { 1 }).map(|_| answer()).collect();
        drop(answers);
        for answer in receiver {
            writeln!(out, "{}", with_format("positions", answer?))?;
            out.flush()?;
        }
        let fault = |_| CliError::Failed("a request could not be answered, by a fault of ahu".to_owned());
        threads.into_iter().try_for_each(|thread| thread.join().map_err(fault))
    }
}

/// Answers lines until stdin or the reader of the answers ends.
fn answer_lines(input: &Mutex<impl BufRead>, answers: &Sender<io::Result<Value>>) {
    // The last base, since a search asks much about one.
    let mut last = None;
    loop {
        let line = next_line(&mut *input.lock().unwrap_or_else(PoisonError::into_inner));
        let answer = match line {
            Ok(None) => return,
            Ok(Some(line)) if line.iter().all(u8::is_ascii_whitespace) => continue,
            Ok(Some(line)) => Ok(answer(&line, &mut last)),
            Err(error) => Err(error),
        };
        let is_last = answer.is_err();
        if answers.send(answer).is_err() || is_last {
            return;
        }
    }
}

/// Returns the next line without its end, a byte longer than a line may be if it is too long; None at the end.
fn next_line(input: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    if input.take(MAX_LINE + 1).read_until(b'\n', &mut line)? == 0 {
        return Ok(None);
    }
    if line.pop_if(|end| *end == b'\n').is_none() && line.len() as u64 > MAX_LINE {
        input.skip_until(b'\n')?;
    }
    Ok(Some(line))
}

/// Returns the answer to a request.
fn answer(line: &[u8], last: &mut Option<(Base, Start)>) -> Value {
    if line.len() as u64 > MAX_LINE {
        return json!({"id": null, "error": format!("expected a line of at most {MAX_LINE} bytes")});
    }
    let line = line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line);
    let Request { id, base, want, positions } = match serde_json::from_slice(line) {
        Ok(request) => request,
        Err(error) => {
            let id = serde_json::from_slice(line).ok().and_then(|request: Value| request.get("id").cloned());
            return json!({"id": id, "error": format!("expected a request: {error}")});
        }
    };
    if last.as_ref().is_none_or(|(known, _)| *known != base) {
        match base.start() {
            Ok(start) => *last = Some((base, start)),
            Err(error) => return json!({"id": id, "error": format!("base: {error}")}),
        }
    }
    let (base, start) = last.as_ref().expect("it is built");
    let look = |asked: &Asked| {
        let mut position = start.position(asked.sample)?;
        for (index, ply) in asked.plies.iter().enumerate() {
            ply.apply(&mut position).map_err(|error| format!("plies[{index}]: {error}"))?;
        }
        Look::at(&position, asked.want.as_ref().unwrap_or(&want))
    };
    // A view that somebody has changed may show a table that no game reaches, against which the rules have no guard.
    let guarded = |asked: &Asked| match base.is_view() {
        true => catch_unwind(AssertUnwindSafe(|| look(asked)))
            .unwrap_or_else(|_| Err("expected a table that a game reaches, got one of a changed view".to_owned())),
        false => look(asked),
    };
    let answers = positions.iter().map(|one| guarded(one).map_or_else(|error| json!({"error": error}), Look::json));
    json!({"id": id, "positions": answers.collect::<Value>()})
}
