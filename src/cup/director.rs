//! The director of a cup, which is its schedule for the runner: it chooses games, and enters their results in the journal.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::time::{Duration, Instant, SystemTime};

use ahu_arena::{Effect, Next, Played, Schedule, Venue};
use ahu_contest::PlannedGame;
use ahu_contest::blocks::{Luck, Seating};
use ahu_contest::cup::{
    AgentState, AnnulledGame, Event, Forfeit, GameKey, GameResult, Journal, Line, Player, Salt, State, now,
};
use ahu_core::{BySeat, hex};
use ahu_host::Entry;

use super::folder::CupFolder;
use super::remote_agents::RemoteAgents;
use super::season::Season;
use super::{inbox, is_before, table};
use crate::CliError;
use crate::files::create_private;
use crate::terminal::progress::{Pace, duration};

/// The interval at which a ladder is asked for its next event.
const SETTLED: Duration = Duration::from_millis(100);
/// The reason of the end of a match whose game is annulled.
const ANNULLED: &str = "the organiser annulled the game: it is played again";

pub(super) struct Director<'a> {
    pub(super) folder: &'a CupFolder,
    salt: Salt,
    pub(super) venue: &'a dyn Venue,
    pub(super) journal: Journal,
    pub(super) state: State,
    /// The remote agents. Those that join later get their queues at the next round.
    pub(super) remote: RemoteAgents<'a>,
    /// The games in progress.
    running: BTreeMap<GameKey, Running>,
    /// The games whose matches go on after an interruption. Their agents are playing already, and their clocks run.
    going_on: BTreeSet<GameKey>,
    /// The numbers of agents and stages at the beginning of the round. The round ends when one of them changes.
    round: (usize, usize),
    pub(super) news: Vec<String>,
    pace: Pace,
    pub(super) season: Season,
    /// The last time at which a ladder was asked for its next event.
    settled: Option<Instant>,
}

/// A game in progress.
struct Running {
    /// The agents by seat.
    seating: Seating,
    /// True for a seat whose agent had left the cup when the game began.
    has_left: BySeat<bool>,
    /// True if the game was annulled after it began.
    is_annulled: bool,
}

impl<'a> Director<'a> {
    pub(super) fn new(
        folder: &'a CupFolder,
        (journal, state, salt): (Journal, State, Salt),
        venue: &'a dyn Venue,
        remote: RemoteAgents<'a>,
    ) -> Self {
        let pace = Pace::new(state.progress().1 as u64);
        let (running, going_on, mut news) = (BTreeMap::new(), BTreeSet::new(), Vec::new());
        if is_before(state.cup.header.begins()) {
            let begin = state.cup.header.begin.as_deref().unwrap_or_default();
            news.push(format!("the cup begins at {begin}; until then, remote agents can practise"));
        }
        let (season, settled, round) = Default::default();
        Self { folder, salt, venue, journal, state, remote, running, going_on, round, news, pace, season, settled }
    }

    /// Begins a round, after it has appended all events that follow from the results. Returns the state; None if the cup has
    /// ended. Agents and stage do not change until the round ends.
    pub(super) fn begin_round(&mut self) -> Result<Option<State>, CliError> {
        self.settle()?;
        self.round = self.counts();
        Ok((!self.state.has_ended()).then(|| self.state.clone()))
    }

    /// Decides what becomes of matches that were interrupted and have not ended. A match with an agent that is no bot goes on, so
    /// that no decision is made twice. A match of bots alone is cancelled, and its game is played anew; so is a match of commands
    /// if a decision may have less time than their start takes: with a bank, or with a shorter limit. Matches of annulled games
    /// are cancelled too. Returns the number of matches that go on.
    pub(super) fn resume(&mut self) -> Result<usize, CliError> {
        for game in self.state.annulled.iter().filter(|game| game.result.is_none()) {
            if let Some(match_id) = game.match_id.as_ref().filter(|id| self.venue.is_going(id)) {
                self.venue.cancel(match_id, ANNULLED)?;
            }
        }
        let clock = self.state.cup.clock;
        let has_room = clock.limit.is_none_or(|limit| limit.get() >= clock.startup);
        let can_start_again = clock.bank.is_none() && has_room;
        for key in self.state.open_games().collect::<Vec<_>>() {
            let Some(match_id) = self.earlier(key).filter(|id| self.venue.is_going(id)) else { continue };
            let seating = self.state.seating(key).expect("it is open");
            let goes_on = |&agent: &usize| match self.state.agents[agent].entrant.player {
                Player::Bot { .. } => false,
                Player::Command { .. } => can_start_again,
                Player::Remote { .. } => true,
            };
            match seating.values().iter().any(goes_on) {
                true => drop(self.going_on.insert(key)),
                false => self.venue.cancel(&match_id, "the run was interrupted: the game is played anew")?,
            }
        }
        match self.going_on.len() {
            0 => {}
            1 => self.news.push("1 match goes on".to_owned()),
            matches => self.news.push(format!("{matches} matches go on")),
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
            Event::Annul { .. } => String::new(),
            _ => return Err("expected a change by the organiser".to_owned()),
        };
        let earlier = self.state.annulled.len();
        self.state.pass(now());
        self.state.change(&event)?;
        match event {
            Event::Annul { .. } => self.stop_annulled(earlier),
            _ => self.news.push(text),
        }
        if let Err(error) = self.journal.append(&Line::at(self.state.now, event)) {
            *failed = Err(CliError::failed(error));
        }
        Ok(())
    }

    /// Stops the games in progress that have been annulled. `earlier` is the number of games that were annulled before.
    fn stop_annulled(&mut self, earlier: usize) {
        for game in &self.state.annulled[earlier..] {
            let name = game.key.name(&self.state.cup.stages[game.key.stage]);
            self.news.push(format!("game {name} is annulled, and played again: {}", game.reason));
            let is_running = game.result.is_none() && self.running.contains_key(&game.key);
            if let Some(match_id) = game.match_id.as_ref().filter(|_| is_running) {
                // Its result does not count, even if the match goes on.
                drop(self.venue.cancel(match_id, ANNULLED));
            }
            self.going_on.remove(&game.key);
        }
        let annulled = |key: &GameKey| self.state.annulled[earlier..].iter().any(|game| game.key == *key);
        for (key, running) in &mut self.running {
            // Games of later stages that had a slot but no match yet are gone with their tables.
            running.is_annulled |= annulled(key) || self.state.seating(*key).is_none();
        }
    }

    /// Returns the numbers of agents that the round has to know, and of stages. Who enters a ladder by a call is elsewhere.
    fn counts(&self) -> (usize, usize) {
        let is_called = |agent: &&AgentState| matches!(&agent.entrant.player, Player::Remote { account: Some(_), .. });
        let called = self.state.agents.iter().filter(is_called).count();
        (self.state.agents.len() - called, self.state.stages.len())
    }

    /// Applies an event now, and appends it to the journal.
    pub(super) fn commit(&mut self, event: Event) -> Result<(), CliError> {
        self.state.pass(now());
        self.commit_then(event)
    }

    /// Applies an event at the time of the state, and appends it to the journal.
    fn commit_then(&mut self, event: Event) -> Result<(), CliError> {
        let line = Line::at(self.state.now, event);
        self.state.apply_line(&line).map_err(CliError::Failed)?;
        self.journal.append(&line).map_err(CliError::failed)
    }

    /// Commits the result of a game. Before the last result of a table with shared luck, breaks the seals of its matches, so
    /// that an interruption leaves none sealed for ever: the result is committed once the server has answered. Returns true if
    /// the table is whole.
    fn commit_result(&mut self, key: GameKey, result: GameResult) -> Result<bool, CliError> {
        if self.state.open_game(key).is_some() {
            return self.commit(Event::Result { key, result }).map(|()| true);
        }
        let (table, stage) = (self.state.table(key).expect("it has the game"), &self.state.cup.stages[key.stage]);
        let is_whole = (0..table.results.len()).all(|game| game == key.game || table.results[game].is_some());
        if is_whole && stage.luck == Luck::Shared {
            let of_table = |game: &&AnnulledGame| (game.key.stage, game.key.table) == (key.stage, key.table);
            let annulled = self.state.annulled.iter().filter(of_table).map(|game| &game.match_id);
            let played = table.results.iter().flatten().chain([&result]).map(|result| &result.match_id);
            played.chain(annulled).flatten().try_for_each(|match_id| self.venue.unseal(match_id))?;
        }
        self.commit(Event::Result { key, result })?;
        Ok(is_whole)
    }

    /// Applies and appends all events that follow from the results so far.
    fn settle(&mut self) -> Result<(), CliError> {
        // What follows in a ladder depends on the time too, and all threads ask.
        if self.state.ladder().is_some() && self.settled.is_some_and(|last| last.elapsed() < SETTLED) {
            return Ok(());
        }
        self.settled = Some(Instant::now());
        self.state.pass(now());
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
            self.commit_then(event)?;
        }
        Ok(())
    }

    /// Returns the number of games in progress of each agent.
    fn busy(&self) -> BTreeMap<usize, usize> {
        let mut busy = BTreeMap::new();
        for running in self.running.values() {
            for agent in running.seating.values().iter().collect::<BTreeSet<_>>() {
                *busy.entry(*agent).or_default() += 1;
            }
        }
        busy
    }

    /// Chooses a game that can be played now: the first whose remote agents all wait for a seat. Games of agents on probation
    /// come last.
    fn choose(&mut self) -> Option<GameKey> {
        // A match that goes on need not wait for its agents: they are in it.
        if let Some(key) = self.going_on.pop_first() {
            return Some(key);
        }
        if is_before(self.state.cup.header.begins()) {
            return None;
        }
        let busy = self.busy();
        let is_free = |&agent: &usize| self.remote.is_free(&self.state, agent, busy.get(&agent).copied().unwrap_or(0));
        let mut later = None;
        for key in self.state.open_games().filter(|key| !self.running.contains_key(key)) {
            if self.state.open_game(key).is_some() {
                // Its agents waited when it was drawn.
                return Some(key);
            }
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

    const BREAKS_SEALS: bool = true;

    fn next(&mut self) -> Result<Next<GameKey>, ahu_arena::Error> {
        loop {
            self.settle()?;
            if self.counts() != self.round || self.state.has_ended() {
                return Ok(Next::Done);
            }
            let Some(key) = self.choose() else { return Ok(Next::Wait) };
            let Some(result) = self.state.walkover(key) else {
                let seating = self.state.seating(key).expect("it is open");
                let has_left = seating.map(|agent| !self.state.is_in(agent));
                self.running.insert(key, Running { seating, has_left, is_annulled: false });
                return Ok(Next::Play(key));
            };
            self.commit_result(key, result)?;
        }
    }

    fn planned(&self, key: GameKey) -> Result<PlannedGame, ahu_arena::Error> {
        Ok(self.state.planned(key, &self.salt))
    }

    fn group(&self, key: GameKey) -> (usize, usize) {
        (key.stage, key.table)
    }

    fn earlier(&self, key: GameKey) -> Option<String> {
        self.state.started(key).cloned()
    }

    fn started(&mut self, key: GameKey, match_id: &str) -> Result<(), ahu_arena::Error> {
        match self.running.get(&key) {
            Some(running) if running.is_annulled => self.venue.cancel(match_id, ANNULLED),
            _ => Ok(self.commit(Event::Start { key, match_id: match_id.to_owned() })?),
        }
    }

    /// Enters a game, and writes its record.
    fn enter(&mut self, key: GameKey, game: &PlannedGame, played: &Played) -> Result<Effect, ahu_arena::Error> {
        let Some(Running { has_left, is_annulled: false, .. }) = self.running.remove(&key) else {
            return Ok(Effect::Open);
        };
        let (record, result) = match played.finished() {
            Ok(finished) => finished,
            Err(reason) => return Ok(Effect::Again(format!("game {}", game.name), reason)),
        };
        let path = self.folder.record(&self.state, key);
        path.parent().map_or(Ok(()), create_private)?;
        fs::write(&path, record.to_text()).map_err(CliError::cannot("write", &path))?;
        let forfeit = |(seat, cause): (_, Option<_>)| match has_left[seat] {
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
        let is_whole = self.commit_result(key, result)?;
        Ok(if is_whole { Effect::Whole } else { Effect::Open })
    }

    /// Makes the changes that other commands ask for, and notes absent agents.
    fn look(&mut self) -> Result<Vec<String>, ahu_arena::Error> {
        let mut appended = Ok(());
        inbox::receive(&self.folder.data, |event| self.change(event, &mut appended));
        appended?;
        // A ladder has many agents, and each look asks all of them.
        if self.is_time_to_look() {
            self.look_at_ladder()?;
            let busy = self.busy();
            self.news.extend(self.remote.look(&self.state, &busy));
        }
        Ok(std::mem::take(&mut self.news))
    }

    fn progress(&self) -> String {
        let (state, (games, done)) = (&self.state, self.state.progress());
        let name = &state.cup.stages[state.stage()].name;
        let running = self.running.len();
        let begins = state.cup.header.begins().and_then(|begins| begins.duration_since(SystemTime::now()).ok());
        if let Some(wait) = begins {
            return format!("{}: begins in {}", state.cup.header.name, duration(wait));
        }
        let brief = table::brief(state);
        format!("{}, {running} in progress, stage {name}\n{brief}", self.pace.text(done as u64, games as u64, "games"))
    }
}
