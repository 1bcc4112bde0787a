//! The calls of clients: futures that the plan moves forward, each when it was woken.

use std::future::Future;
use std::mem;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use ahu_host::{Ending, Record};
use ahu_service::proto::v1::{
    CreateMatchResponse, GetRecordResponse, JoinMatchResponse, Match, MatchState, Observation, StepResponse,
    WatchMatchResponse,
};
use tonic::{Code, Status};

use super::{Agent, Asked, Done, Messages, World, has_ended, open_seats, viewer_of};
use crate::claims::{Decision, Table};

/// True for a call that can go on.
#[derive(Debug)]
pub(super) struct Woken(AtomicBool);

impl Default for Woken {
    fn default() -> Self {
        Self(AtomicBool::new(true))
    }
}

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::SeqCst);
    }
}

impl Woken {
    pub(super) fn is_woken(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }

    /// Polls with a waker that notes that the call was woken.
    fn poll<T>(self: &Arc<Self>, poll: impl FnOnce(&mut Context<'_>) -> Poll<T>) -> Poll<T> {
        self.0.store(false, Ordering::SeqCst);
        poll(&mut Context::from_waker(&Waker::from(Arc::clone(self))))
    }
}

/// The one who made a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum From {
    Creator(Table),
    Agent(usize),
    /// An agent, beside its usual calls.
    Stray(usize),
    Stranger,
    Looker(Table),
    Watcher(usize),
}

/// The answer to a call.
pub(super) enum Answer {
    Created(CreateMatchResponse),
    Joined(JoinMatchResponse),
    Observed(Box<Observation>),
    Stepped(StepResponse),
    Described(Option<Box<Match>>),
    Recorded(GetRecordResponse),
    Watched(Messages),
    /// A refusal that was expected.
    Refused,
    /// A broken law.
    Broken(String),
}

/// A call in progress.
pub(super) struct Call {
    pub(super) from: From,
    pub(super) text: String,
    /// The decision that it answers.
    pub(super) step: Option<Decision>,
    woken: Arc<Woken>,
    is_begun: bool,
    /// True if somebody had been told the end of the match when the call began.
    is_after_end: bool,
    future: Pin<Box<dyn Future<Output = Result<Answer, Status>>>>,
}

impl World {
    pub(super) fn begin(
        &mut self,
        from: From,
        text: &str,
        future: impl Future<Output = Result<Answer, Status>> + 'static,
    ) {
        self.counts.calls += 1;
        let woken = Arc::default();
        let (text, future) = (text.to_owned(), Box::pin(future));
        self.calls.push(Call { from, text, step: None, woken, is_begun: false, is_after_end: false, future });
    }

    /// Returns the number of calls and streams that were woken.
    pub(super) fn woken(&self) -> usize {
        let calls = self.calls.iter().filter(|call| call.woken.is_woken()).count();
        calls + self.watchers.iter().filter(|watcher| watcher.stream.is_some() && watcher.woken.is_woken()).count()
    }

    /// Moves one call or stream forward that was woken.
    pub(super) fn poll(&mut self, pick: usize) -> Done {
        let Some(place) = pick.checked_rem(self.woken()) else { return Ok(String::new()) };
        let calls: Vec<_> = (0..self.calls.len()).filter(|&n| self.calls[n].woken.is_woken()).collect();
        if let Some(&n) = calls.get(place) {
            return self.poll_call(n);
        }
        let is_woken = |n: &usize| self.watchers[*n].stream.is_some() && self.watchers[*n].woken.is_woken();
        let n = (0..self.watchers.len()).filter(is_woken).nth(place - calls.len());
        self.poll_stream(n.expect("one of them was woken"))
    }

    fn poll_call(&mut self, n: usize) -> Done {
        let (uptime, call) = (self.uptime, &mut self.calls[n]);
        if !call.is_begun
            && let Some(decision) = call.step
        {
            self.claims.arrivals.insert(decision, uptime);
        }
        if !mem::replace(&mut call.is_begun, true) {
            let table = match call.from {
                From::Creator(table) | From::Looker(table) => Some(table),
                From::Agent(agent) | From::Stray(agent) => Some(self.agents[agent].table),
                From::Stranger | From::Watcher(_) => None,
            };
            call.is_after_end = table.is_some_and(|table| self.claims.ended.contains_key(&table));
        }
        let Poll::Ready(answer) = call.woken.poll(|context| call.future.as_mut().poll(context)) else {
            return Ok(format!("{}: it waits", call.text));
        };
        let call = self.calls.remove(n);
        self.free(call.from);
        match answer {
            Ok(answer) => self.answered(&call, answer).map(|text| format!("{}: {text}", call.text)),
            Err(status) => self.refused(&call, &status).map(|()| format!("{}: {}", call.text, status.message())),
        }
    }

    /// Notes that a call has ended.
    pub(super) fn free(&mut self, from: From) {
        match from {
            From::Creator(table) => self.tables[table].is_asking = false,
            From::Agent(agent) => self.agents[agent].is_calling = false,
            From::Watcher(watcher) => self.watchers[watcher].is_calling = false,
            From::Stray(_) | From::Stranger | From::Looker(_) => {}
        }
    }

    fn answered(&mut self, call: &Call, answer: Answer) -> Done {
        match (answer, call.from) {
            (Answer::Created(response), From::Creator(table)) => {
                let described = response.r#match.ok_or("every answer is complete: a match is missing")?;
                self.claims.created(table, &described.match_id)?;
                self.claims.state(table, described.state(), call.is_after_end)?;
                let Asked { match_id, owner_token, .. } = &mut self.tables[table];
                (*match_id, *owner_token) = (Some(described.match_id.clone()), response.owner_token);
                for n in 0..open_seats(&described) {
                    self.agents.push(Agent {
                        table,
                        name: format!("agent {table}.{n}"),
                        seat: None,
                        told: 0,
                        decision: None,
                        unanswered: None,
                        is_calling: false,
                        is_done: false,
                    });
                }
                Ok("created".to_owned())
            }
            (Answer::Joined(response), From::Agent(n)) => {
                let agent = &mut self.agents[n];
                let assigned = response.assigned.unwrap_or_default();
                let seat = assigned.seat.ok_or("every answer is complete: a seat is missing")?;
                self.claims.joined(&agent.name, agent.table, seat, &assigned.seat_token)?;
                agent.seat = Some((seat, assigned.seat_token));
                Ok(format!("seat {seat}"))
            }
            (Answer::Observed(seen), From::Agent(n)) => self.observed(n, &seen, call.is_after_end),
            (Answer::Stepped(response), From::Agent(n) | From::Stray(n)) => {
                self.counts.steps += 1;
                let action = response.action_id.ok_or("every answer is complete: an action is missing")?;
                let decision = call.step.ok_or("a step names its decision")?;
                if response.decision_id != decision.2 {
                    return Err(format!("an answer belongs to its call: {decision:?} is answered as {response:?}"));
                }
                self.claims.stepped(decision, action)?;
                let seen = response.observation.ok_or("every answer is complete: an observation is missing")?;
                let text = self.observed(n, &seen, call.is_after_end)?;
                Ok(format!("{action} is taken; {text}"))
            }
            (Answer::Described(described), From::Looker(table)) => {
                let described = described.ok_or("every answer is complete: a match is missing")?;
                self.claims.state(table, described.state(), call.is_after_end)?;
                Ok(format!("{:?}", described.state()))
            }
            (Answer::Recorded(response), From::Looker(table)) => {
                let record = Record::read(&response.record).map_err(|error| format!("a record is sound: {error}"))?;
                let state = match record.ending {
                    Some(Ending::Finished) => MatchState::Finished,
                    Some(Ending::Cancelled(_)) => MatchState::Cancelled,
                    Some(Ending::Void(_)) => MatchState::Void,
                    None => return Err("a record is complete: it has no ending".to_owned()),
                };
                self.claims.state(table, state, call.is_after_end)?;
                Ok(format!("{state:?}, {} comments", response.comments.len()))
            }
            (Answer::Watched(stream), From::Watcher(n)) => {
                let watcher = &mut self.watchers[n];
                (watcher.stream, watcher.woken) = (Some(stream), Arc::default());
                Ok("begun".to_owned())
            }
            (Answer::Refused, From::Stranger) => Ok("refused".to_owned()),
            (Answer::Broken(law), _) => Err(law),
            (_, from) => Err(format!("an answer belongs to its call: {from:?}")),
        }
    }

    /// Notes what an agent sees.
    fn observed(&mut self, n: usize, seen: &Observation, is_after_end: bool) -> Done {
        let agent = &mut self.agents[n];
        let viewer = viewer_of(Some(agent));
        self.claims.observed(agent.table, viewer, seen)?;
        self.claims.state(agent.table, seen.state(), is_after_end)?;
        if seen.seat != viewer {
            return Err(format!("an answer belongs to its call: {} sees {:?}", agent.name, seen.seat));
        }
        agent.told = agent.told.max(seen.events.last().map_or(0, |event| event.number));
        agent.is_done = has_ended(seen.state());
        let newest = seen.decision.as_ref().map(|decision| (decision.decision_id, decision.legal_ids.clone()));
        // The answers of calls that were sent at the same time may be read in another order.
        let is_newer = |(new, _): &(u32, Vec<u32>)| agent.decision.as_ref().is_none_or(|(old, _)| new >= old);
        if newest.as_ref().is_none_or(is_newer) {
            agent.decision = newest;
        }
        let is_over = |sent: &ahu_service::proto::v1::StepRequest| {
            agent.decision.as_ref().map(|(id, _)| *id) != Some(sent.decision_id)
        };
        if agent.unanswered.as_ref().is_some_and(is_over) {
            agent.unanswered = None;
        }
        let decision = agent.decision.as_ref().map(|(id, _)| *id);
        Ok(format!("{:?}, {} events, decision {decision:?}", seen.state(), seen.event_count))
    }

    /// Notes a refusal. An agent that cannot know whether its call was carried out sends the call again.
    fn refused(&mut self, call: &Call, status: &Status) -> Result<(), String> {
        match status.code() {
            Code::Unavailable => return Ok(()),
            Code::Internal | Code::Unknown | Code::DataLoss => {
                return Err(format!("no call fails inside: {} got {status:?}", call.text));
            }
            Code::NotFound => return Err(format!("what was acknowledged is kept: {} got {status:?}", call.text)),
            _ => {}
        }
        match call.from {
            From::Agent(n) => {
                let agent = &mut self.agents[n];
                if agent.seat.is_none() {
                    // The match was cancelled before the agent came.
                    agent.is_done = true;
                }
                (agent.unanswered, agent.decision) = (None, None);
                Ok(())
            }
            From::Creator(_) => Err(format!("a match can be created: {status:?}")),
            From::Watcher(n) => {
                self.watchers[n].is_done = true;
                Err(format!("a match can be watched: {status:?}"))
            }
            From::Stray(_) | From::Stranger | From::Looker(_) => Ok(()),
        }
    }

    fn poll_stream(&mut self, n: usize) -> Done {
        let watcher = &mut self.watchers[n];
        let stream = watcher.stream.as_mut().expect("it has a stream");
        let Poll::Ready(message) = watcher.woken.poll(|context| stream.as_mut().poll_next(context)) else {
            return Ok(String::new());
        };
        // There may be another message.
        watcher.woken = Arc::default();
        match message {
            None => {
                (watcher.stream, watcher.is_done) = (None, true);
                Ok(format!("watcher {n} has seen the end"))
            }
            Some(Err(status)) if status.code() == Code::Unavailable => {
                watcher.stream = None;
                Ok(format!("watcher {n}: {}", status.message()))
            }
            Some(Err(status)) => Err(format!("a match can be watched: {status:?}")),
            Some(Ok(message)) => self.watched(n, message),
        }
    }

    /// Notes a message to a watcher: the events follow the events before them.
    fn watched(&mut self, n: usize, message: WatchMatchResponse) -> Done {
        let Some(seen) = message.observation else { return Ok(format!("watcher {n}: nothing new")) };
        self.counts.messages += 1;
        let watcher = &mut self.watchers[n];
        let viewer = viewer_of(watcher.agent.map(|agent| &self.agents[agent]));
        self.claims.observed(watcher.table, viewer, &seen)?;
        self.claims.state(watcher.table, seen.state(), false)?;
        let numbers: Vec<_> = seen.events.iter().map(|event| event.number).collect();
        let next = match watcher.told {
            Some(told) => told + 1,
            None => numbers.first().copied().unwrap_or(seen.event_count + 1),
        };
        if !numbers.iter().copied().eq(next..next + numbers.len() as u32) {
            return Err(format!("a watcher is told each event once: after {:?} came {numbers:?}", watcher.told));
        }
        watcher.told = Some(next + numbers.len() as u32 - 1);
        Ok(format!("watcher {n} of table {} is told {numbers:?} of {}", watcher.table, seen.event_count))
    }
}
