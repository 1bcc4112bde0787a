//! The ladder of a cup that runs: the calls of accounts, arrivals and departures, ratings, archives, and checkpoints.

use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::thread;
use std::time::{Duration, Instant};

use ahu_contest::cup::{AgentState, Entrant, Event, Ladder, LadderRules, Player, State, now};
use ahu_contest::ratings::SeasonRatings;
use ahu_service::proto::cup::{CupCall, CupCallKind};
use ahu_service::{FITS, lower_priority};

use super::archive;
use super::director::Director;
use super::remote_agents::RemoteAgents;
use crate::CliError;

/// The interval at which arrivals and departures are entered.
const LOOK: Duration = Duration::from_millis(250);
/// The time without a call for a seat after which an agent has departed, in milliseconds: it asks anew every 30 s.
const GONE: u64 = 1_000;

/// The part of the run of a ladder that its state does not have.
#[derive(Default)]
pub(super) struct Season {
    last_look: Option<Instant>,
    fit: Option<Work<(usize, SeasonRatings)>>,
    ratings: SeasonRatings,
    archive: Option<Work<Result<String, CliError>>>,
    /// The length of the journal at the last checkpoint.
    checkpoint: u64,
}

/// Work on a thread of its own with a low priority.
struct Work<T>(Receiver<T>);

impl<T: Send + 'static> Work<T> {
    fn start(work: impl FnOnce() -> T + Send + 'static) -> Self {
        let (done, receiver) = channel();
        thread::spawn(move || {
            lower_priority(FITS);
            // The run may have ended meanwhile.
            drop(done.send(work()));
        });
        Self(receiver)
    }
}

/// Returns the result of work that is done, and forgets the work; None while it goes on, or without work.
fn done<T>(work: &mut Option<Work<T>>) -> Result<Option<T>, CliError> {
    let result = match work.as_ref().map(|Work(receiver)| receiver.try_recv()) {
        None | Some(Err(TryRecvError::Empty)) => return Ok(None),
        Some(Ok(result)) => Ok(Some(result)),
        Some(Err(TryRecvError::Disconnected)) => Err(CliError::Failed("a thread has ended too early".to_owned())),
    };
    *work = None;
    result
}

impl Director<'_> {
    /// Returns true if agents are to be looked at now: in a ladder that is a while after the last look.
    pub(super) fn is_time_to_look(&mut self) -> bool {
        let is_time = self.state.ladder().is_none() || self.season.last_look.is_none_or(|last| last.elapsed() >= LOOK);
        if is_time {
            self.season.last_look = Some(Instant::now());
        }
        is_time
    }

    /// Returns true while a ladder is in progress.
    fn is_in_ladder(&self) -> bool {
        self.state.stages.first().is_some_and(|stage| stage.ladder.is_some() && stage.advance.is_none())
    }

    /// Does what is due in a ladder. Does nothing for a cup without one, or once it has ended.
    pub(super) fn look_at_ladder(&mut self) -> Result<(), CliError> {
        if !self.is_in_ladder() || self.venue.stands_still() {
            return Ok(());
        }
        self.take_calls()?;
        self.note_waiting()?;
        self.rate()?;
        self.archive()
    }

    /// Takes the calls of accounts that the venue has.
    fn take_calls(&mut self) -> Result<(), CliError> {
        for call in self.venue.account_calls(self.state.called) {
            // An account that has another name now keeps the one with which it entered.
            let owner = |agent: &AgentState| match &agent.entrant {
                Entrant { owner, player: Player::Remote { account: Some(id), .. }, .. } if *id == call.account_id => {
                    owner.clone()
                }
                _ => None,
            };
            let account = self.state.agents.iter().find_map(owner).unwrap_or_else(|| call.account.clone());
            let number = call.number;
            if number <= self.state.called {
                continue;
            }
            let called = |change: Result<Event, String>| {
                let (change, refusal) = match change {
                    Ok(change) => (Some(Box::new(change)), None),
                    Err(refusal) => (None, Some(refusal)),
                };
                Event::Called { call: number, account: account.clone(), change, refusal }
            };
            self.state.pass(now());
            let event = called(change_of(&self.state, CupCall { account: account.clone(), ..call }));
            let mut tried = self.state.clone();
            let event = match tried.apply(&event) {
                Ok(()) => event,
                Err(refusal) => called(Err(refusal)),
            };
            if let Event::Called { change: Some(change), .. } = &event {
                self.news.extend(told(change));
            }
            self.commit(event)?;
        }
        self.remote.open_entrants(&self.state)
    }

    /// Enters who has come to wait, and who waits no longer.
    fn note_waiting(&mut self) -> Result<(), CliError> {
        let Some(ladder) = self.state.ladder() else { return Ok(()) };
        let waits = |agent: &usize| ladder.agents[*agent].waiting.is_some();
        let (mut came, mut gone) = (Vec::new(), Vec::new());
        let at = self.venue.now().0;
        for agent in self.remote.agents().filter(|&agent| self.state.is_in(agent)) {
            let (is_waiting, asked) = self.remote.contact(agent);
            let is_free = ladder.agents[agent].playing < RemoteAgents::games_of(&self.state, agent);
            match waits(&agent) {
                false if is_waiting && is_free => came.push(agent),
                true if !is_waiting && at.saturating_sub(asked) > GONE => gone.push(agent),
                _ => {}
            }
        }
        self.enter_waiting(&came, &gone)
    }

    /// Enters that nobody waits: whoever waited for an earlier run comes anew. A run begins with it, before its first draw.
    pub(super) fn forget_waiting(&mut self) -> Result<(), CliError> {
        let Some(ladder) = self.state.ladder().filter(|_| self.is_in_ladder()) else { return Ok(()) };
        let gone: Vec<usize> = self.remote.agents().filter(|&agent| ladder.agents[agent].waiting.is_some()).collect();
        self.enter_waiting(&[], &gone)
    }

    fn enter_waiting(&mut self, came: &[usize], gone: &[usize]) -> Result<(), CliError> {
        if came.is_empty() && gone.is_empty() {
            return Ok(());
        }
        let [names, absent] = [came, gone]
            .map(|agents| agents.iter().map(|&agent| self.state.name(agent).to_owned()).collect::<Vec<_>>());
        self.commit(Event::Waiting { came: names, gone: absent })?;
        self.venue.note_arrivals(came, self.journal.end());
        Ok(())
    }

    /// Fits the ratings when they are due, and enters those that have moved.
    fn rate(&mut self) -> Result<(), CliError> {
        if let Some((games, ratings)) = done(&mut self.season.fit)? {
            let Some(ladder) = self.state.ladder() else { return Ok(()) };
            let event = ladder.entry(&self.state, games, &ratings);
            self.season.ratings = ratings;
            self.commit(event)?;
            self.write_checkpoint();
            return Ok(());
        }
        let Some((ladder, rules)) = self.state.ladder().zip(self.state.ladder_rules()) else { return Ok(()) };
        let ((last, rated), games) = (ladder.rated, ladder.games.len());
        let is_due = now() >= last + u64::from(rules.ratings_every) || ladder.is_over(rules, now());
        if self.season.fit.is_none() && games > rated && is_due {
            let (state, before) = (self.state.clone(), self.season.ratings.clone());
            let fit = move || state.ladder().map(|ladder| ladder.fit(&state, games, &before)).unwrap_or_default();
            self.season.fit = Some(Work::start(move || (games, fit())));
        }
        Ok(())
    }

    /// Puts the records of a day that is over into an archive.
    fn archive(&mut self) -> Result<(), CliError> {
        let Some(ladder) = self.state.ladder() else { return Ok(()) };
        let (day, folder) = (ladder.archives.len() as u64, self.folder.data.join("records"));
        let name = self.state.cup.stages[0].name.clone();
        if let Some(digest) = done(&mut self.season.archive)? {
            self.commit(Event::Archive { day, digest: digest? })?;
            archive::remove_archived(&folder.join(name), day).map_err(CliError::failed)?;
            self.venue.prune();
            return Ok(());
        }
        let is_over = ladder.day(now()) > day && ladder.open.values().all(|game| game.day > day);
        if is_over && self.season.archive.is_none() {
            let games = ladder.first_games.get(day as usize).copied().unwrap_or(ladder.drawn);
            let end = ladder.first_games.get(day as usize + 1).copied().unwrap_or(ladder.drawn);
            let folder = folder.join(name);
            self.season.archive = Some(Work::start(move || archive::pack(&folder, day, games..end)));
        }
        Ok(())
    }

    /// Writes a checkpoint if the journal has grown enough.
    fn write_checkpoint(&mut self) {
        let journal = self.folder.journal();
        match self.state.write_checkpoint(&journal, self.season.checkpoint, self.journal.end()) {
            Ok(length) => self.season.checkpoint = length,
            Err(error) => self.news.push(format!("the checkpoint cannot be written: {error}")),
        }
    }
}

/// Returns the change that a call of an account asks for, or the reason why it is refused.
fn change_of(state: &State, call: CupCall) -> Result<Event, String> {
    let kind = call.kind();
    let CupCall { account_id, account, agent, games_at_once, .. } = call;
    match kind {
        CupCallKind::Enter => {
            let name = state.next_version(&account, &agent)?;
            let player = Player::Remote { key: None, games_at_once: games_at_once.max(1), account: Some(account_id) };
            Ok(Event::Add { agent: Entrant { name, owner: Some(account), is_anchor: false, player } })
        }
        CupCallKind::Leave => Ok(Event::Withdraw { agent, reason: None }),
        CupCallKind::Wake => Ok(Event::Readmit { agent }),
        CupCallKind::Unspecified => {
            Err("expected a call that this release knows; `ahu cup run` is older than the server".to_owned())
        }
    }
}

/// Returns the news of a change.
fn told(change: &Event) -> Option<String> {
    match change {
        Event::Add { agent } => Some(format!("{} enters", agent.name)),
        Event::Withdraw { agent, .. } => Some(format!("{agent} leaves")),
        Event::Readmit { agent } => Some(format!("{agent} wakes")),
        _ => None,
    }
}

/// Returns the words with which an agent of a ladder is told that it gets no game now; None if it may get one.
pub(super) fn pause(state: &State, agent: usize) -> Option<String> {
    let (ladder, rules): (&Ladder, &LadderRules) = state.ladder().zip(state.ladder_rules())?;
    let most = rules.account_games_a_day;
    ladder.has_played_its_day(rules, agent, now()).then(|| {
        format!("the account has played its {most} games of the day; the next day begins {}", state.next_day())
    })
}
