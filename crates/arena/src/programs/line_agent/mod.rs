//! The conversation with a program that plays a seat by lines of JSON on its stdin and stdout. `docs/reference/lines.md`
//! describes the protocol.
//!
//! Each program has a thread here, which looks at the match, writes lines for the program, and reads its answers. The thread
//! never waits for the program alone. So a program that does not read or write holds up nobody: its clock decides. The thread
//! keeps at most one line for each decision, since the next decision comes after the answer, and it reads at most [`MAX_ANSWER`]
//! bytes ahead.

mod answer;
mod buffer;
#[cfg(any(test, fuzzing))]
pub mod fuzzing;
mod message;

use std::convert::Infallible;
use std::future;
use std::io;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::Instant;

use ahu_core::{Seat, Viewer};
use ahu_host::{Cause, MatchTime, Referee};
use ahu_service::LiveMatch;
use ahu_service::proto::v1::ErrorReason;
use tokio::io::AsyncWriteExt as _;
use tokio::net::unix::pipe;
use tokio::runtime;
use tokio::sync::{oneshot, watch};

use self::answer::{Answer, Fault};
use self::buffer::{Buffer, MAX_ANSWER, Received};
use self::message::DecisionRequest;
pub use self::message::TimeControlJson;
use super::child_process::Pipes;
use super::local_matches::LocalMatches;
use super::program_output::Output;

/// The number of characters of a refused line that are shown.
const EXCERPT: usize = 80;
/// The number of bytes of a match in lines of other types that are skipped: as many as are shown of the program's stderr.
const MAX_SKIPPED: usize = 1024 * 1024;

/// The conversation with a program. It ends when this is dropped.
pub(super) struct LineAgent {
    pub(super) contact: Arc<Contact>,
    _stop: oneshot::Sender<Infallible>,
}

/// The part of a conversation that other threads see, also after its end.
#[derive(Default)]
pub(super) struct Contact {
    has_written: AtomicBool,
    /// The pipe that the program closed during the match, and the time at which it did.
    closed: OnceLock<(&'static str, Instant)>,
    /// The beginning of the first line that was skipped, since it has another type.
    skipped: OnceLock<String>,
}

impl Contact {
    pub(super) fn has_written(&self) -> bool {
        self.has_written.load(Ordering::Relaxed)
    }

    /// Returns the name of the pipe that the program closed during the match, and the time; None if both are open.
    pub(super) fn closed(&self) -> Option<(&'static str, Instant)> {
        self.closed.get().copied()
    }

    pub(super) fn skipped(&self) -> Option<&str> {
        self.skipped.get().map(String::as_str)
    }
}

impl LineAgent {
    /// Starts the thread that plays a seat with the program behind these pipes. The sender of the returned channel is dropped
    /// when everything that the program wrote has been read.
    pub(super) fn start(
        live: Arc<LiveMatch>,
        matches: LocalMatches,
        seat: Seat,
        pipes: Pipes,
        output: Output,
    ) -> io::Result<(Self, Receiver<Infallible>)> {
        let runtime = runtime::Builder::new_current_thread().enable_io().build()?;
        let inside = runtime.enter();
        let stdin = pipe::Sender::from_owned_fd(OwnedFd::from(pipes.stdin))?;
        let stdout = pipe::Receiver::from_owned_fd(OwnedFd::from(pipes.stdout))?;
        drop(inside);
        let contact = Arc::<Contact>::default();
        let conversation = Conversation {
            changes: live.changes(),
            live,
            matches,
            seat,
            output,
            contact: Arc::clone(&contact),
            stdin: Some(stdin),
            stdout: Some(stdout),
            unsent: Vec::new(),
            received: Buffer::default(),
            skipped: 0,
            told: 0,
            stage: Stage::NotBegun,
            asked_since: None,
        };
        let (stop, stopped) = oneshot::channel();
        let (hearing, heard) = mpsc::channel();
        thread::Builder::new().name(format!("lines of seat {seat}")).spawn(move || {
            runtime.block_on(conversation.hold(stopped));
            drop(hearing);
        })?;
        Ok((Self { contact, _stop: stop }, heard))
    }
}

struct Conversation {
    live: Arc<LiveMatch>,
    matches: LocalMatches,
    changes: watch::Receiver<u64>,
    seat: Seat,
    output: Output,
    contact: Arc<Contact>,
    /// The pipes to and from the program; None once closed.
    stdin: Option<pipe::Sender>,
    stdout: Option<pipe::Receiver>,
    /// The bytes that are still to be written.
    unsent: Vec<u8>,
    received: Buffer,
    /// The number of bytes in lines of other types.
    skipped: usize,
    /// The number of events that the program was told before the open decision.
    told: usize,
    stage: Stage,
    /// The time since which the program owes the decision of its last line; None unless the match is debugged.
    asked_since: Option<MatchTime>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    NotBegun,
    /// The seat owes no decision.
    Waiting,
    /// The program was asked for a decision.
    Asking(Question),
    Over,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Question {
    decision: u32,
    /// The number of lines that were refused for this decision.
    refused: u16,
    /// The illegal action that was refused last; None if none was.
    illegal: Option<u32>,
    /// The number of events that the program was told, up to the line that asks.
    told: usize,
}

impl Conversation {
    /// Holds the conversation until the program closes its stdout, or `stopped` says so.
    async fn hold(mut self, mut stopped: oneshot::Receiver<Infallible>) {
        loop {
            // Mark first, so that a change after this look ends the next wait.
            self.changes.mark_unchanged();
            self.look();
            if self.answer() {
                // The answer may have opened the next decision.
                continue;
            }
            if self.stage == Stage::Over && self.unsent.is_empty() {
                self.stdin = None;
            }
            if self.stdout.is_none() {
                return;
            }
            tokio::select! {
                // The match lives as long as this conversation, so the sender does too.
                _ = self.changes.changed() => {}
                written = write(self.stdin.as_mut(), &self.unsent) => if let Ok(count) = written {
                    self.unsent.drain(..count);
                } else {
                    (self.stdin, self.unsent) = (None, Vec::new());
                    self.note_closed("stdin");
                },
                read = read(self.stdout.as_mut(), &mut self.received) => if !read.is_ok_and(|count| count > 0) {
                    self.stdout = None;
                    self.note_closed("stdout");
                },
                // The sender never sends: it was dropped.
                _ = &mut stopped => return,
            }
        }
    }

    /// Looks at the match, and queues the line that the program needs now.
    fn look(&mut self) {
        if self.stage == Stage::Over {
            return;
        }
        let seat = self.seat;
        if self.stage == Stage::NotBegun {
            let Some(line) = self.live.with_referee(|referee| message::start(&self.live.id, referee, seat)) else {
                self.end_unless_going();
                return;
            };
            self.send(&line);
            self.stage = Stage::Waiting;
        }
        match (self.stage, self.live.asked(seat)) {
            (Stage::Asking(question), Some(decision)) if question.decision == decision => {}
            (_, Some(decision)) => self.ask(Question { decision, refused: 0, illegal: None, told: 0 }, None),
            (_, None) => self.stage = Stage::Waiting,
        }
        self.end_unless_going();
    }

    /// Queues the last line if the match has ended.
    fn end_unless_going(&mut self) {
        if !self.live.has_ended() {
            return;
        }
        let (seat, told) = (self.seat, self.told);
        let end = |referee: &Referee| message::end(&self.live.id, referee, seat, told);
        if let Some(line) = self.live.with_referee(end) {
            self.send(&line);
        }
        self.stage = Stage::Over;
    }

    /// Queues the line that asks for a decision. `error` says why the last line was refused.
    fn ask(&mut self, question: Question, error: Option<&str>) {
        let (seat, now, told) = (self.seat, self.matches.now(), self.told);
        let request = DecisionRequest { decision: question.decision, attempt: question.refused + 1, error, now };
        let line = self.live.with_referee(|referee| {
            let line = message::decide(&self.live.id, referee, seat, told, &request);
            (line, referee.event_count(Viewer::Seat(seat)))
        });
        let (line, told) = line.expect("the match has begun");
        self.send(&line);
        self.stage = Stage::Asking(Question { told, ..question });
    }

    fn send(&mut self, line: &[u8]) {
        // Keep nothing for a program that has closed its stdin.
        if self.stdin.is_some() {
            self.unsent.extend_from_slice(line);
        }
    }

    /// If the program was asked for a decision, takes its next line as the answer. Returns false if there is no line to take.
    fn answer(&mut self) -> bool {
        let Stage::Asking(question) = self.stage else { return false };
        // A program that has not read the whole line cannot answer it.
        if !self.unsent.is_empty() {
            return false;
        }
        let Some(received) = self.received.take() else { return false };
        self.contact.has_written.store(true, Ordering::Relaxed);
        self.asked_since = self.live.asked_since(self.seat);
        let read = match &received {
            Received::Line(line) => answer::read(line, self.live.rules(), question.decision),
            Received::TooLong(_) => {
                Err(Fault::Stray(format!("expected a line of at most {MAX_ANSWER} bytes, got a longer one")))
            }
        };
        match read {
            Ok(Answer::Action(id)) => self.step(question, id, &received),
            Ok(Answer::Resign) => match self.live.resign(self.seat) {
                Ok(()) => self.stage = Stage::Waiting,
                Err(error) => {
                    self.note(question, &received, &error.message());
                    self.refuse(question, Cause::Unreadable, &error.message(), &received, true);
                }
            },
            Ok(Answer::OtherType) => self.skip(question, &received),
            Err(Fault::Stray(reason)) => self.unreadable(question, &reason, &received, false),
            Err(Fault::Unreadable(reason)) => self.unreadable(question, &reason, &received, true),
        }
        true
    }

    /// Skips a line of another type. Too many of them are faults, so that a program that does nothing else ends.
    fn skip(&mut self, question: Question, received: &Received) {
        self.skipped += received.bytes().len();
        if self.skipped > MAX_SKIPPED {
            let reason = format!("expected at most {MAX_SKIPPED} bytes of lines with another type than \"action\"");
            self.unreadable(question, &reason, received, false);
        } else if self.contact.skipped.set(excerpt(received)).is_ok() {
            let excerpt = excerpt(received);
            self.output.line(&format!("(skipped, with all lines of other types than \"action\": {excerpt})"));
        }
    }

    /// Refuses a line that names no action.
    fn unreadable(&mut self, question: Question, reason: &str, received: &Received, is_answer: bool) {
        // Whoever sees a forfeit by this fault can see the answer.
        self.note(question, received, reason);
        self.live.fault(self.seat, Cause::Unreadable);
        self.refuse(question, Cause::Unreadable, reason, received, is_answer);
    }

    /// Answers a decision with an action.
    fn step(&mut self, question: Question, id: u32, received: &Received) {
        if question.illegal == Some(id) {
            // The service would take this for a request that was sent again. A pipe loses no line, so here it is a new fault.
            let reason = format!("expected another action than {id}, which was refused, got it again");
            self.note(question, received, &reason);
            self.live.fault(self.seat, Cause::Illegal);
            self.refuse(question, Cause::Illegal, &reason, received, true);
            return;
        }
        match self.live.step(self.seat, question.decision, id) {
            Ok(_) => {
                self.told = question.told;
                self.stage = Stage::Waiting;
            }
            Err(error) if matches!(error.reason, ErrorReason::IllegalAction | ErrorReason::UnknownAction) => {
                let question = Question { illegal: Some(id), ..question };
                self.refuse(question, Cause::Illegal, &error.message(), received, true);
            }
            // The decision is no longer open: the time has run out, or the match has ended.
            Err(_) => {}
        }
    }

    /// Keeps a refused line for the author of the program, if the match is debugged.
    fn note(&self, question: Question, received: &Received, reason: &str) {
        self.live.note_answer((self.seat, question.decision), &excerpt(received), Some(reason), self.asked_since);
    }

    /// Refuses a line. After too many refused lines for one decision, the seat forfeits. If the line was an answer, the program
    /// is asked again. Otherwise its answer may still come.
    fn refuse(&mut self, question: Question, cause: Cause, reason: &str, received: &Received, is_answer: bool) {
        let Question { decision, refused, .. } = question;
        self.output.line(&format!("(refused for decision {decision}: {}: {reason})", excerpt(received)));
        let question = Question { refused: refused + 1, ..question };
        let seat = self.seat;
        let tries = self.live.with_referee(|referee| referee.terms().conduct.tries.get());
        if tries.is_some_and(|tries| question.refused >= tries) {
            self.live.forfeit(seat, cause);
        }
        self.stage = Stage::Asking(question);
        let is_open = |referee: &Referee| referee.owes(seat) && referee.decision(seat) == Some(decision);
        if is_answer && self.live.with_referee(is_open) == Some(true) {
            self.ask(question, Some(reason));
        }
    }

    fn note_closed(&self, pipe: &'static str) {
        if self.stage != Stage::Over {
            self.contact.closed.get_or_init(|| (pipe, Instant::now()));
        }
    }
}

/// Writes as many bytes as the pipe takes. Without a pipe or bytes, waits for ever.
async fn write(pipe: Option<&mut pipe::Sender>, bytes: &[u8]) -> io::Result<usize> {
    match pipe {
        Some(pipe) if !bytes.is_empty() => pipe.write(bytes).await,
        _ => future::pending().await,
    }
}

/// Reads as many available bytes as fit. Without a pipe or room, waits for ever.
async fn read(pipe: Option<&mut pipe::Receiver>, buffer: &mut Buffer) -> io::Result<usize> {
    match pipe {
        Some(pipe) if buffer.has_room() => buffer.fill(pipe).await,
        _ => future::pending().await,
    }
}

/// Quotes the beginning of a line for people.
fn excerpt(received: &Received) -> String {
    let text = String::from_utf8_lossy(received.bytes());
    let more = if text.chars().count() > EXCERPT { "..." } else { "" };
    format!("{:?}{more}", text.chars().take(EXCERPT).collect::<String>())
}
