//! The programs that play seats: how they start, what they write, how they wait between matches, and how they end.

mod agent_seed;
mod child_process;
mod guard;
pub(crate) mod line_agent;
mod local_matches;
mod orphans;
mod program_output;
mod program_seat;
mod program_spec;
mod signals;

use std::process::ExitStatus;
use std::sync::Arc;
use std::time::Duration;

use ahu_core::{Seat, SeatSet};
use ahu_host::api::ApiError;
use ahu_host::{Cause, Ending, MatchTime, Referee};
use ahu_service::{AssignedSeat, LiveMatch, SeatQueue};
use tokio::runtime::{self, Runtime};
use tokio::sync::watch;

pub use self::agent_seed::agent_seed;
use self::child_process::wait_for;
pub(crate) use self::child_process::{Process, end_all, socket_folder};
pub use self::child_process::{before_exit, on_first_signal, signalled, temporary_folder};
pub use self::line_agent::TimeControlJson;
use self::line_agent::{Contact, LineAgent};
pub use self::local_matches::{FREE_PORT, LocalMatches};
pub use self::program_output::Output;
pub(crate) use self::program_output::cleaned;
pub(crate) use self::program_seat::ProgramSeat;
pub(crate) use self::program_spec::{COMMAND, LINES};
pub use self::program_spec::{ProgramSpec, Protocol};
pub use self::signals::EndSignals;
use crate::Error;
use crate::channel::relay::Relay;

/// The interval at which a wait checks whether programs run.
const LOOK: Duration = Duration::from_millis(50);
/// The time that programs have to exit by themselves after a match.
const GRACE: Duration = Duration::from_secs(5);
/// The time that programs have to exit by themselves after they have forfeited.
const MOMENT: Duration = Duration::from_millis(500);
/// The time after which a program is stopped that has closed its stdin or stdout.
const CLOSED: Duration = Duration::from_secs(1);

/// The programs that play a match of this process.
pub struct Programs {
    matches: LocalMatches,
    live: Arc<LiveMatch>,
    waits: Runtime,
    relay: Option<Relay>,
    running: Vec<Program>,
    /// The seats of programs that speak the line protocol, also of those that have ended.
    contacts: Vec<(Seat, Arc<Contact>)>,
}

/// A program that has played a match, and waits for another seat. When its queue is dropped, it is told that no seat comes.
pub(crate) struct IdleProgram {
    process: Process,
    queue: SeatQueue,
}

impl IdleProgram {
    pub(crate) fn is_running(&self) -> bool {
        self.process.ended().is_none()
    }

    /// Tells programs that no more seats come, gives them time to exit, and stops those that do not.
    pub(crate) fn end(programs: &[Self]) {
        for program in programs {
            program.queue.close();
        }
        end_all(programs.iter().map(|program| &program.process));
    }
}

/// A program that plays a seat.
struct Program {
    seat: Seat,
    /// The time at which the program could begin to play, on the clock of the matches: a pause of this process does not count.
    since: MatchTime,
    protocol: Protocol,
    process: Process,
    /// The conversation with a program that speaks the line protocol.
    lines: Option<LineAgent>,
    /// The seats of a program that may play many matches.
    queue: Option<SeatQueue>,
}

impl Programs {
    /// Creates the programs of a match, none of which has started.
    pub fn new(matches: LocalMatches, live: Arc<LiveMatch>) -> Result<Self, Error> {
        let waits = runtime::Builder::new_current_thread().enable_time().build().map_err(Error::failed)?;
        Ok(Self { matches, live, waits, relay: None, running: Vec::new(), contacts: Vec::new() })
    }

    /// Starts a program for a seat. Environment variables tell it where to play.
    pub fn start(&mut self, seat: u32, spec: &ProgramSpec) -> Result<Seat, Error> {
        self.start_with(seat, spec, None)
    }

    /// Starts a program for a seat, as [`Self::start`] does. A program that calls the server also gets a key with which it can
    /// ask for further seats: see [`Self::rest`].
    pub(crate) fn start_for_many(&mut self, seat: u32, spec: &ProgramSpec) -> Result<Seat, Error> {
        let queue = (spec.protocol == Protocol::Grpc).then(|| self.matches.matches().new_seat_queue());
        self.start_with(seat, spec, queue)
    }

    fn start_with(&mut self, seat: u32, spec: &ProgramSpec, queue: Option<(SeatQueue, String)>) -> Result<Seat, Error> {
        let (seat, token) = self.join(seat, spec)?;
        let address = match (spec.protocol, &self.relay) {
            (Protocol::Lines, _) => None,
            (Protocol::Grpc, Some(relay)) => Some(relay.address.to_string()),
            (Protocol::Grpc, None) => Some(self.matches.address()?.to_string()),
        };
        let socket = if spec.wrapper.is_empty() { None } else { Some(self.matches.socket()?) };
        if let Some((queue, _)) = &queue {
            queue.add(self.assigned(seat, &token, spec));
        }
        let (queue, key) = queue.unzip();
        let place = ProgramSeat { address, socket, match_id: &self.live.id, seat, token: &token, key: key.as_deref() };
        let cannot = |error| spec.cannot_start(&error);
        let (mut process, pipes) = Process::start(spec, &place).map_err(cannot)?;
        let lines = match pipes {
            None => None,
            Some(pipes) => {
                let (live, matches, output) = (Arc::clone(&self.live), self.matches.clone(), process.output.clone());
                let (lines, heard) = LineAgent::start(live, matches, seat, pipes, output).map_err(cannot)?;
                process.sources.push(heard);
                self.contacts.push((seat, Arc::clone(&lines.contact)));
                Some(lines)
            }
        };
        self.running.push(Program { seat, since: self.matches.now(), protocol: spec.protocol, process, lines, queue });
        Ok(seat)
    }

    /// Gives a seat to a program that has already played another match: see [`Self::rest`].
    pub(crate) fn resume(&mut self, seat: u32, idle: IdleProgram, spec: &ProgramSpec) -> Result<Seat, Error> {
        let (seat, token) = self.join(seat, spec)?;
        let IdleProgram { process, queue } = idle;
        queue.add(self.assigned(seat, &token, spec));
        let (since, protocol) = (self.matches.now(), spec.protocol);
        self.running.push(Program { seat, since, protocol, process, lines: None, queue: Some(queue) });
        Ok(seat)
    }

    /// Removes and returns the programs that can play another match, with their seats. Such a program runs, has asked for a
    /// further seat, and has not forfeited by time: after a timeout it may still be busy with this match.
    pub(crate) fn rest(&mut self) -> Vec<(Seat, IdleProgram)> {
        let forfeits = self.live.with_referee(Referee::forfeits);
        let may_rest = |program: &mut Program| {
            let is_busy = |cause| matches!(cause, Cause::Timeout | Cause::Absent);
            forfeits.is_some_and(|forfeits| !forfeits[program.seat].is_some_and(is_busy))
                && program.queue.as_ref().is_some_and(SeatQueue::has_asked)
                && program.process.ended().is_none()
        };
        let rest = |Program { seat, process, queue, .. }: Program| Some((seat, IdleProgram { process, queue: queue? }));
        self.running.extract_if(.., may_rest).filter_map(rest).collect()
    }

    /// Joins the match in a seat. If the seat was joined before a restart of this process, keeps its token. Returns the seat and
    /// its token.
    fn join(&self, seat: u32, spec: &ProgramSpec) -> Result<(Seat, String), Error> {
        let failed = |error: ApiError| Error::failed(error.message());
        let seat = self.live.seat(Some(seat)).map_err(failed)?;
        match self.live.token_of(seat) {
            Some(token) => Ok((seat, token)),
            None => self.live.join(Some(seat.index() as u32), &spec.name()).map_err(failed),
        }
    }

    fn assigned(&self, seat: Seat, token: &str, spec: &ProgramSpec) -> AssignedSeat {
        AssignedSeat { live: Arc::clone(&self.live), seat, token: token.to_owned(), agent_seed: spec.agent_seed }
    }

    /// Starts a program as [`Self::start`] does, behind a relay that can cut its connections.
    pub fn start_behind_relay(&mut self, seat: u32, spec: &ProgramSpec) -> Result<Seat, Error> {
        self.relay = Some(self.matches.relay()?);
        self.start(seat, spec)
    }

    /// Cuts the connections of the program behind the relay, if there is one. Says so in its output, since the program may
    /// complain.
    pub fn cut(&self, seat: Seat) {
        if let (Some(relay), Some(program)) = (&self.relay, self.program(seat)) {
            program.process.output.line("(check-agent cuts the connection on purpose)");
            relay.cut();
        }
    }

    /// Returns the number of connections that [`Self::cut`] has cut.
    pub fn cuts(&self) -> u32 {
        self.relay.as_ref().map_or(0, Relay::cuts)
    }

    /// Returns true if the program of a seat has called the server or written a line.
    pub fn has_begun(&self, seat: Seat) -> bool {
        self.contacts(seat).any(Contact::has_written) || self.live.has_called(seat)
    }

    /// Returns the beginning of the first line of a seat's program that was skipped, since its type is not `action`.
    pub fn skipped(&self, seat: Seat) -> Option<&str> {
        self.contacts(seat).find_map(Contact::skipped)
    }

    fn contacts(&self, seat: Seat) -> impl Iterator<Item = &Contact> {
        self.contacts.iter().filter(move |(own, _)| *own == seat).map(|(_, contact)| &**contact)
    }

    fn program(&self, seat: Seat) -> Option<&Program> {
        self.running.iter().find(|program| program.seat == seat)
    }

    /// Waits for a change, at most 50 ms. Then calls [`Self::look`].
    pub fn wait(&mut self, changes: &mut watch::Receiver<u64>, patience: Duration) {
        self.pause(changes);
        self.look(patience);
    }

    /// Reports programs that have exited to the match. A program that owes a decision and has not begun to play within `patience`
    /// forfeits by timeout.
    pub fn look(&mut self, patience: Duration) {
        for (program, status) in self.collect() {
            if self.live.with_referee(Referee::is_over) != Some(true) {
                program.process.output.line(&format!("the program has ended ({status})"));
                self.live.fault(program.seat, Cause::Exited);
            }
        }
        let now = self.matches.now();
        for program in &self.running {
            let seat = program.seat;
            let passed = Duration::from_millis(now.0.saturating_sub(program.since.0));
            let is_silent = passed > patience && !self.has_begun(seat);
            if is_silent && self.live.with_referee(|referee| referee.owes(seat)) == Some(true) {
                let (sign, patience) = (program.protocol.first_sign(), patience.as_secs_f64());
                program.process.output.line(&format!("the program has not {sign} for {patience} s"));
                self.live.forfeit(seat, Cause::Timeout);
            }
        }
    }

    /// Waits for a change, at most 50 ms.
    pub fn pause(&self, changes: &mut watch::Receiver<u64>) {
        self.waits.block_on(async {
            // The caller looks at the match in both cases.
            let _ = tokio::time::timeout(LOOK, changes.changed()).await;
        });
    }

    /// Returns the seats and exit statuses of the programs that have exited since the last call. Their output has been passed on.
    pub fn ended(&mut self) -> Vec<(Seat, ExitStatus)> {
        self.collect().into_iter().map(|(program, status)| (program.seat, status)).collect()
    }

    /// Stops all programs without a word, since none was told that it may exit.
    pub fn stop(&mut self) {
        for program in self.running.drain(..) {
            program.process.stop();
        }
    }

    /// Removes and returns the programs that have exited. A program that has closed its stdin or stdout can no longer play, and
    /// is stopped.
    fn collect(&mut self) -> Vec<(Program, ExitStatus)> {
        let mut ended = Vec::new();
        for program in std::mem::take(&mut self.running) {
            let closed = program.lines.as_ref().and_then(|lines| lines.contact.closed());
            let closed = closed.filter(|(_, since)| since.elapsed() > CLOSED);
            let status = program.process.ended().or_else(|| {
                let (pipe, _) = closed?;
                program.process.output.line(&format!("the program has closed its {pipe} and is stopped"));
                program.process.stop()
            });
            let Some(status) = status else {
                self.running.push(program);
                continue;
            };
            program.process.hear_out();
            ended.push((program, status));
        }
        ended
    }

    /// Waits for the programs to exit, and stops those that do not. Returns their seats and exit statuses; None for a program
    /// that had to be stopped. A program that has forfeited gets only half a second. A program that was too slow or absent gets
    /// no time, and if the match was not finished, no program does.
    pub fn end(&mut self) -> Vec<(Seat, Option<ExitStatus>)> {
        let forfeits =
            self.live.with_referee(|referee| (referee.ending() == Some(Ending::Finished)).then(|| referee.forfeits()));
        if let Some(forfeits) = forfeits.flatten() {
            let those = |is: &dyn Fn(Option<Cause>) -> bool| -> SeatSet {
                forfeits.iter().filter(|&(_, cause)| is(cause)).map(|(seat, _)| seat).collect()
            };
            let hung = those(&|cause| matches!(cause, Some(Cause::Timeout | Cause::Absent)));
            for (seats, most) in [(hung, MOMENT), (those(&|cause| cause.is_some()), GRACE)] {
                let others = self.running.iter().filter(|program| !seats.contains(program.seat));
                wait_for(&others.map(|program| &program.process).collect::<Vec<_>>(), most);
            }
        }
        self.running.drain(..).map(|program| (program.seat, program.process.end())).collect()
    }
}

impl Drop for Programs {
    fn drop(&mut self) {
        self.end();
    }
}
