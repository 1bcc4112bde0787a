//! The director of a cup, which is its schedule for the runner: it chooses games, and enters their results in the journal.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::time::{Instant, SystemTime};

use ahu::cup::{Event, Forfeit, GameKey, GameResult, Journal, Salt, State, TableState};
use ahu_engine::core::{BySeat, hex};
use ahu_engine::host::{Entry, MatchTime, PlannedGame};

use super::folder::CupFolder;
use super::{inbox, table};
use crate::cli::CliError;
use crate::cli::files::create_private;
use crate::cli::runner::{Effect, Next, Played, Queues, Schedule, Venue};
use crate::cli::terminal::progress::{bar, time_left};

pub(super) struct Director<'a> {
    folder: &'a CupFolder,
    salt: Salt,
    venue: &'a dyn Venue,
    journal: Journal,
    pub(super) state: State,
    /// The queues of remote agents. Agents that join later get theirs at the next round.
    pub(super) queues: Queues,
    /// The games in progress. A seat is true if its agent had left the cup when the game began.
    running: BTreeMap<GameKey, BySeat<bool>>,
    /// The games whose matches go on after an interruption. Their agents are playing already, and their clocks run.
    going_on: BTreeSet<GameKey>,
    /// The last time at which each remote agent was present.
    seen: BTreeMap<usize, MatchTime>,
    /// The remote agents that are absent, and when that was noticed.
    absent: BTreeMap<usize, MatchTime>,
    /// The numbers of agents and stages at the beginning of the round. The round ends when one of them changes.
    round: (usize, usize),
    news: Vec<String>,
    /// The beginning of the run: the time, the time on the clock of the venue, and the number of games that had ended.
    start: (Instant, MatchTime, usize),
}

impl<'a> Director<'a> {
    pub(super) fn new(
        folder: &'a CupFolder,
        (journal, state, salt): (Journal, State, Salt),
        venue: &'a dyn Venue,
        queues: Queues,
    ) -> Self {
        let start = (Instant::now(), venue.now(), state.progress().1);
        let (running, going_on) = (BTreeMap::new(), BTreeSet::new());
        let (seen, absent, news) = (BTreeMap::new(), BTreeMap::new(), Vec::new());
        Self {
            folder,
            salt,
            venue,
            journal,
            state,
            queues,
            running,
            going_on,
            seen,
            absent,
            round: (0, 0),
            news,
            start,
        }
    }

    /// Begins a round, after it has appended all events that follow from the results. Returns the state; None if the cup has
    /// ended. Agents and stage do not change until the round ends.
    pub(super) fn begin_round(&mut self) -> Result<Option<State>, CliError> {
        self.settle()?;
        self.round = self.counts();
        Ok((!self.state.has_ended()).then(|| self.state.clone()))
    }

    /// Decides what becomes of matches that were interrupted and have not ended. A match with a remote agent goes on. Any other
    /// match is cancelled, and its game is played anew. Returns the number of matches that go on.
    pub(super) fn resume(&mut self) -> Result<usize, CliError> {
        for key in self.state.open_games().collect::<Vec<_>>() {
            let Some(match_id) = self.earlier(key).filter(|id| self.venue.is_going(id)) else { continue };
            let seating = self.state.seating(key).expect("it is open");
            match seating.values().iter().any(|agent| self.queues.contains_key(agent)) {
                true => drop(self.going_on.insert(key)),
                false => self.venue.cancel(&match_id, "the run was interrupted: the game is played anew")?,
            }
        }
        match self.going_on.len() {
            0 => {}
            1 => self.news.push("1 match of remote agents goes on".to_owned()),
            matches => self.news.push(format!("{matches} matches of remote agents go on")),
        }
        Ok(self.going_on.len())
    }

    /// Applies a change that another command asks for, and appends it to the journal. An error of the journal goes to `failed`.
    fn change(&mut self, event: Event, failed: &mut Result<(), CliError>) -> Result<(), String> {
        let text = match &event {
            Event::Add { agent } => format!("{} takes part", agent.name),
            Event::Withdraw { agent, .. } => format!("{agent} is out"),
            Event::Readmit { agent } => format!("{agent} is back"),
            Event::Disqualify { agent, reason } => format!("{agent} is excluded: {reason}"),
            _ => return Err("expected a change of the agents".to_owned()),
        };
        self.state.apply(&event)?;
        self.news.push(text);
        if let Err(error) = self.journal.append(event) {
            *failed = Err(CliError::failed(error));
        }
        Ok(())
    }

    /// Notes which remote agents have become absent and which are back.
    fn look_for_agents(&mut self) {
        let (now, busy, limit) = (self.venue.now(), self.busy(), u64::from(self.state.cup.tournament.absent));
        for (&agent, queue) in &self.queues {
            let (asked, name) = (queue.last_asked(), self.state.name(agent));
            if let Some(noticed) = self.absent.get(&agent) {
                if asked.is_some_and(|asked| asked > *noticed) {
                    self.absent.remove(&agent);
                    self.news.push(format!("{name} is back"));
                }
                continue;
            }
            let seen = self.seen.entry(agent).or_insert(self.start.1);
            *seen = if busy.contains(&agent) { now } else { asked.map_or(*seen, |asked| asked.max(*seen)) };
            if now.0.saturating_sub(seen.0) > limit {
                self.absent.insert(agent, now);
                self.news.push(format!("{name} is absent: its games wait until it asks for a seat"));
            }
        }
    }

    /// Returns the numbers of agents and stages.
    fn counts(&self) -> (usize, usize) {
        (self.state.agents.len(), self.state.stages.len())
    }

    /// Applies an event, and appends it to the journal.
    fn commit(&mut self, event: Event) -> Result<(), CliError> {
        self.state.apply(&event).map_err(CliError::Failed)?;
        self.journal.append(event).map(drop).map_err(CliError::failed)
    }

    /// Applies and appends all events that follow from the results so far.
    fn settle(&mut self) -> Result<(), CliError> {
        while let Some(event) = self.state.next_event(&self.salt).map_err(CliError::Failed)? {
            match &event {
                Event::Close { stage, advance, by_lot } if !advance.is_empty() => {
                    let lot =
                        if by_lot.is_empty() { String::new() } else { format!(" (by lot: {})", by_lot.join(", ")) };
                    let (stage, names) = (&self.state.cup.stages[*stage].name, advance.join(", "));
                    self.news.push(format!("stage {stage} has ended: {names} advance{lot}"));
                }
                Event::Draw { stage, extra: true, tables } => {
                    let stage = &self.state.cup.stages[*stage].name;
                    self.news.push(format!("stage {stage}: {} extra blocks decide a tie", tables.len()));
                }
                _ => {}
            }
            self.commit(event)?;
        }
        Ok(())
    }

    /// Returns the agents that play in games in progress.
    fn busy(&self) -> BTreeSet<usize> {
        let seatings = self.running.keys().filter_map(|&key| self.state.seating(key));
        seatings.flat_map(|seating| seating.values().to_vec()).collect()
    }

    /// Chooses a game that can be played now: the first whose remote agents all wait for a seat. Games of agents on probation
    /// come last.
    fn choose(&mut self) -> Option<GameKey> {
        // A match that goes on need not wait for its agents: they are in it.
        if let Some(key) = self.going_on.pop_first() {
            return Some(key);
        }
        let until = self.state.cup.tournament.until.as_deref().and_then(time);
        let is_late = until.is_some_and(|until| SystemTime::now() >= until);
        let busy = self.busy();
        let is_free = |agent: &usize| match self.queues.get(agent) {
            // After the deadline, an absent agent need not be waited for: it loses all its games.
            Some(_) if is_late && self.absent.contains_key(agent) => true,
            // A remote agent plays one game at a time.
            Some(queue) => queue.is_waiting() && !busy.contains(agent),
            None => true,
        };
        let mut later = None;
        for key in self.state.open_games().filter(|key| !self.running.contains_key(key)) {
            let seating = self.state.seating(key)?;
            let agents = seating.values();
            if self.state.walkover(key).is_some()
                || agents.iter().all(is_free) && !agents.iter().any(|&agent| self.state.is_on_probation(agent))
            {
                return Some(key);
            }
            later = later.or(agents.iter().all(is_free).then_some(key));
        }
        later
    }
}

impl Schedule for Director<'_> {
    type GameKey = GameKey;
    type GroupKey = (usize, usize);

    fn next(&mut self) -> Result<Next<GameKey>, CliError> {
        loop {
            self.settle()?;
            if self.counts() != self.round || self.state.has_ended() {
                return Ok(Next::Done);
            }
            let Some(key) = self.choose() else { return Ok(Next::Wait) };
            let Some(result) = self.state.walkover(key) else {
                let seating = self.state.seating(key).expect("it is open");
                self.running.insert(key, seating.map(|agent| !self.state.is_in(agent)));
                return Ok(Next::Play(key));
            };
            self.commit(Event::Result { key, result })?;
        }
    }

    fn planned(&self, key: GameKey) -> Result<PlannedGame, CliError> {
        Ok(self.state.planned(key, &self.salt))
    }

    fn group(&self, key: GameKey) -> (usize, usize) {
        (key.stage, key.table)
    }

    fn earlier(&self, key: GameKey) -> Option<String> {
        self.state.table(key).and_then(|table| table.started[key.game].clone())
    }

    fn started(&mut self, key: GameKey, match_id: &str) -> Result<(), CliError> {
        self.commit(Event::Start { key, match_id: match_id.to_owned() })
    }

    /// Enters a game, and writes its record.
    fn enter(&mut self, key: GameKey, game: &PlannedGame, played: &Played) -> Result<Effect, CliError> {
        let has_left = self.running.remove(&key);
        let (record, result) = match played.finished() {
            Ok(finished) => finished,
            Err(reason) => return Ok(Effect::Again(format!("game {}", game.name), reason)),
        };
        let path = self.folder.record(&self.state, key);
        path.parent().map_or(Ok(()), create_private)?;
        fs::write(&path, record.to_text()).map_err(CliError::cannot("write", &path))?;
        let forfeit = |(seat, cause): (_, Option<_>)| match has_left.is_some_and(|has_left| has_left[seat]) {
            true => Some(Forfeit::Left),
            false => cause.map(Forfeit::Game),
        };
        let result = GameResult {
            match_id: Some(played.match_id.clone()),
            agents: game.seating.values().iter().map(|&agent| self.state.name(agent).to_owned()).collect(),
            scores: result.scores.values().to_vec(),
            ranks: result.ranks.values().to_vec(),
            forfeits: result.forfeits.iter().map(forfeit).collect(),
            digest: Some(hex(&record.digest())),
            decisions: record.entries.iter().filter(|entry| matches!(entry, Entry::Action { .. })).count() as u32,
        };
        self.commit(Event::Result { key, result })?;
        Ok(if self.state.table(key).is_some_and(TableState::is_whole) { Effect::Whole } else { Effect::Open })
    }

    /// Makes the changes that other commands ask for, and notes absent agents.
    fn look(&mut self) -> Result<Vec<String>, CliError> {
        let mut appended = Ok(());
        inbox::receive(&self.folder.data, |event| self.change(event, &mut appended));
        appended?;
        self.look_for_agents();
        Ok(std::mem::take(&mut self.news))
    }

    fn progress(&self) -> String {
        let (state, (start, _, done_before)) = (&self.state, self.start);
        let (games, done) = state.progress();
        let name = &state.cup.stages[state.stage()].name;
        let bar = bar(done as u64, games as u64);
        let speed = match done.saturating_sub(done_before) {
            0 => String::new(),
            new => {
                let (elapsed, left) = (start.elapsed(), (games - done) as u64);
                let per_minute = new as f64 * 60.0 / elapsed.as_secs_f64();
                format!(", {per_minute:.0} a minute, {} left", time_left(left, new as u64, elapsed))
            }
        };
        let running = self.running.len();
        let brief = table::brief(state);
        format!("{bar} stage {name}: {done} of {games} games, {running} in progress{speed}\n{brief}")
    }
}

/// Parses a time in the form of RFC 3339.
fn time(text: &str) -> Option<SystemTime> {
    text.parse::<prost_types::Timestamp>().ok().and_then(|time| SystemTime::try_from(time).ok())
}
