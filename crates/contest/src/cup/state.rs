//! The state of a cup: the fold of its journal.

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

use ahu_core::parse::did_you_mean;
use ahu_host::{check_match_id, ensure};

use super::entrant::{AgentState, Entrant, Player, Status, check_name};
use super::file::Cup;
use super::game_result::GameResult;
use super::journal::{Event, GameKey, Line, NewTable};
use super::ladder::Ladder;
use super::seeds::{Salt, alias};
use crate::blocks::Luck;

/// The number of agents up to which an error names them all.
const NAMED: usize = 100;
/// The version of the journal's format.
const FORMAT: u32 = 2;

/// The largest number of games of a cup, which bounds the memory of its state.
const MAX_GAMES: usize = 1_000_000;

/// The state of a cup that has begun.
#[derive(Clone, Debug)]
pub struct State {
    /// The cup, with the agents that were added.
    pub cup: Cup,
    /// The hash of the salt.
    pub salt_hash: String,
    /// The agents, in the order of the file, then those that were added.
    pub agents: Vec<AgentState>,
    /// The stages that have tables, in order. The last one is in progress until it is closed.
    pub stages: Vec<StageState>,
    /// The games that were annulled, in the order of their annulment.
    pub annulled: Vec<AnnulledGame>,
    /// The salt, once the cup has ended.
    pub salt: Option<Salt>,
    /// The secret of the aliases.
    alias_secret: String,
    /// The number of times that each game was annulled: see [`Self::attempt`].
    pub(super) attempts: BTreeMap<GameKey, u64>,
    /// The event with which the cup began.
    pub(super) begin: Event,
    /// The time of the last line, or a later one that was noted, in milliseconds since 1970.
    pub now: u64,
    /// The number of the last call of an account that was taken.
    pub called: u64,
    /// The calls that were refused last, with the reasons.
    pub(super) refusals: VecDeque<(u64, String)>,
    /// The numbers of the agents by their names.
    by_name: HashMap<String, usize>,
}

/// A game that was annulled. It does not count, and is played again with another seed.
#[derive(Clone, Debug)]
pub struct AnnulledGame {
    /// The key of the game.
    pub key: GameKey,
    /// The number of times that the game had been annulled before.
    pub attempt: u64,
    /// The agents by seat.
    pub agents: Vec<String>,
    /// The id of the match, if one had begun.
    pub match_id: Option<String>,
    /// The result that was taken back; None if the game had not ended.
    pub result: Option<GameResult>,
    /// The reason, for people.
    pub reason: String,
}

/// A stage that has tables.
#[derive(Clone, Debug, Default)]
pub struct StageState {
    /// The agents of each group.
    pub groups: Vec<Vec<usize>>,
    /// The tables, in the order of their draw.
    pub tables: Vec<TableState>,
    /// The agents that advance, the best first, once the stage is closed; empty in the last stage.
    pub advance: Option<Vec<usize>>,
    /// The agents among these that a lot chose between equals.
    pub by_lot: Vec<usize>,
    /// The number of games of all tables.
    pub(super) games: usize,
    /// The number of tables of the same agents.
    pub(super) blocks: BTreeMap<BTreeSet<usize>, u64>,
    /// The ladder, if the stage is one. It has no tables.
    pub ladder: Option<Ladder>,
}

/// A table: agents that play one block.
#[derive(Clone, Debug)]
pub struct TableState {
    /// The number of the group.
    pub group: usize,
    /// The agents. If there are fewer agents than seats, the last agent takes the remaining seats.
    pub agents: Vec<usize>,
    /// The number of earlier tables of the stage with the same agents.
    pub block: u64,
    /// True if the table breaks a tie. Its games count for nothing else.
    pub is_extra: bool,
    /// The id of the match of each game that has begun.
    pub started: Vec<Option<String>>,
    /// The result of each game that has ended.
    pub results: Vec<Option<GameResult>>,
}

impl TableState {
    /// Returns true if all games have ended.
    pub fn is_whole(&self) -> bool {
        self.results.iter().all(Option::is_some)
    }
}

impl State {
    /// Returns the event with which a cup begins.
    pub fn begin(file: &str, salt: &Salt) -> Event {
        let release = env!("CARGO_PKG_VERSION").to_owned();
        let (salt_hash, alias_secret) = (salt.hash(), salt.alias_secret());
        Event::Begin { format: FORMAT, release, salt_hash, alias_secret, file: file.to_owned() }
    }

    /// Returns the state after these events, of which the first begins the cup.
    ///
    /// # Errors
    /// If an event cannot follow those before it.
    pub fn after<'a>(events: impl IntoIterator<Item = &'a Event>) -> Result<Self, String> {
        let mut events = events.into_iter();
        let Some(begin @ Event::Begin { format, release, salt_hash, alias_secret, file }) = events.next() else {
            return Err("expected the journal to start with the begin of the cup".to_owned());
        };
        ensure(*format == FORMAT, || {
            format!("expected a journal of format {FORMAT}, got {format}, written by release {release}")
        })?;
        let cup = Cup::read(file).map_err(|error| format!("the file in the journal: {error}"))?;
        let agents: Vec<_> = cup.agents.iter().cloned().map(AgentState::new).collect();
        let by_name = agents.iter().enumerate().map(|(number, agent)| (agent.entrant.name.clone(), number)).collect();
        let mut state = Self {
            cup,
            salt_hash: salt_hash.clone(),
            agents,
            stages: Vec::new(),
            annulled: Vec::new(),
            salt: None,
            alias_secret: alias_secret.clone(),
            attempts: BTreeMap::new(),
            begin: begin.clone(),
            now: 0,
            called: 0,
            refusals: VecDeque::new(),
            by_name,
        };
        events.try_for_each(|event| state.apply(event))?;
        Ok(state)
    }

    /// Returns the state after the first line, which began the cup.
    pub(super) fn begun_at(mut self, line: &Line) -> Self {
        self.now = line.time();
        self
    }

    /// Puts what a checkpoint has of a ladder into a state that has begun. `then` has the time, the last call, and the refusals.
    pub(super) fn restore(
        &mut self,
        mut agents: Vec<AgentState>,
        ladder: Ladder,
        then: (u64, u64, VecDeque<(u64, String)>),
    ) {
        // The file alone has the hashes of keys.
        agents.iter_mut().zip(&self.agents).for_each(|(agent, of_file)| agent.entrant.clone_from(&of_file.entrant));
        self.cup.agents.extend(agents[self.agents.len()..].iter().map(|agent| agent.entrant.clone()));
        self.by_name = agents.iter().enumerate().map(|(number, agent)| (agent.entrant.name.clone(), number)).collect();
        self.stages = vec![StageState { groups: vec![Vec::new()], ladder: Some(ladder), ..StageState::default() }];
        (self.now, self.called, self.refusals) = then;
        self.agents = agents;
    }

    /// Notes that this time has come, in milliseconds since 1970. Time does not run backwards.
    pub fn pass(&mut self, now: u64) {
        self.now = self.now.max(now);
    }

    /// Applies the event of a line at its time.
    ///
    /// # Errors
    /// As [`Self::apply`].
    pub fn apply_line(&mut self, line: &Line) -> Result<(), String> {
        let before = self.now;
        self.pass(line.time());
        self.apply(&line.event).inspect_err(|_| self.now = before)
    }

    /// Applies an event.
    ///
    /// # Errors
    /// If the event cannot follow those before it. The state is then as before.
    pub fn apply(&mut self, event: &Event) -> Result<(), String> {
        ensure(!self.has_ended(), || "expected no event after the end of the cup".to_owned())?;
        match event {
            Event::Begin { .. } => Err("expected one begin, got two".to_owned()),
            Event::Draw { stage: 0, tables, .. } if self.ladder_rules().is_some() => {
                let tables = tables.iter().map(|table| self.numbers(&table.agents)).collect::<Result<Vec<_>, _>>()?;
                self.draw_wave(&tables)
            }
            Event::Draw { stage, extra, tables } => self.draw(*stage, *extra, tables),
            Event::Start { key, match_id } => {
                check_match_id(match_id)?;
                if let Some(open) = self.open_game_mut(*key) {
                    open.started = Some(match_id.clone());
                    return Ok(());
                }
                let table = self.table_mut(*key)?;
                table.started[key.game] = Some(match_id.clone());
                Ok(())
            }
            Event::Result { key, result } if self.open_game(*key).is_some() => self.end_game(key.table, result),
            Event::Result { key, result } => self.enter(*key, result),
            Event::Add { agent } => self.add(agent),
            Event::Withdraw { agent, reason } => self.leave(agent, Status::Withdrawn(reason.clone())),
            Event::Disqualify { agent, reason } => self.leave(agent, Status::Disqualified(reason.clone())),
            Event::Readmit { agent } => {
                let number = self.number(agent)?;
                let state = &mut self.agents[number];
                ensure(state.status != Status::In, || {
                    format!("expected an agent that has left, or rests, got \"{agent}\"")
                })?;
                (state.status, state.forfeits_in_a_row) = (Status::In, 0);
                self.return_to_ladder(number);
                Ok(())
            }
            Event::Open { chain, salt } => self.open_chain(*chain, salt),
            Event::Waiting { came, gone } => self.note_waiting(came, gone),
            Event::Salt { day, salt } => self.publish_salt(*day, salt),
            Event::Ratings { games, ratings } => self.enter_ratings(*games, ratings),
            Event::Archive { day, digest } => self.note_archive(*day, digest),
            Event::Called { call, account, change, refusal } => {
                self.take_call(*call, account, change.as_deref(), refusal.as_deref())
            }
            Event::Annul { stage, table, game, reason } => self.annul(*stage, *table, *game, reason),
            Event::Close { stage, advance, by_lot } => {
                let last = self.stages.len().checked_sub(1);
                let is_open = last == Some(*stage) && self.stages[*stage].advance.is_none();
                ensure(is_open, || format!("expected the end of the stage in progress, got that of stage {stage}"))?;
                let (advance, by_lot) = (self.numbers(advance)?, self.numbers(by_lot)?);
                let stage = &mut self.stages[*stage];
                (stage.advance, stage.by_lot) = (Some(advance), by_lot);
                Ok(())
            }
            Event::End { salt } => {
                let salt = Salt::parse(salt).filter(|salt| salt.hash() == self.salt_hash);
                let salt = salt.ok_or_else(|| format!("expected the salt with the hash {}", self.salt_hash))?;
                ensure(salt.alias_secret() == self.alias_secret, || "expected the secret of aliases of the salt")?;
                self.salt = Some(salt);
                Ok(())
            }
        }
    }

    /// Forgets the results that nobody may be told yet. These are the results of tables whose games share their luck, as long as
    /// a game of the table has not ended.
    pub fn forget_sealed_results(&mut self) {
        let stages = self.stages.iter_mut().zip(&self.cup.stages);
        for table in stages.filter(|(_, stage)| stage.luck == Luck::Shared).flat_map(|(drawn, _)| &mut drawn.tables) {
            if !table.is_whole() {
                table.results.fill(None);
            }
        }
    }

    /// Returns true if the cup has ended.
    pub fn has_ended(&self) -> bool {
        self.salt.is_some()
    }

    /// Returns the number of the agent with this name.
    ///
    /// # Errors
    /// With the nearest name, if there is none.
    pub fn number(&self, name: &str) -> Result<usize, String> {
        self.by_name.get(name).copied().ok_or_else(|| {
            let names: Vec<_> = self.agents.iter().map(|agent| agent.entrant.name.as_str()).collect();
            let all = if names.len() > NAMED { String::new() } else { format!(" {}", names.join(", ")) };
            format!("expected one of the agents{all}, got \"{name}\"{}", did_you_mean(name, names.iter().copied()))
        })
    }

    /// Returns the name of the agent with this number.
    pub fn name(&self, agent: usize) -> &str {
        &self.agents[agent].entrant.name
    }

    /// Returns true if nobody but the organiser knows which agent has which results yet.
    pub fn is_anonymous(&self) -> bool {
        self.cup.header.anonymous && !self.has_ended()
    }

    /// Returns the name under which everybody sees an agent: an alias while the cup is anonymous.
    pub fn public_name(&self, agent: usize) -> String {
        match self.is_anonymous() {
            true => alias(&self.alias_secret, self.name(agent)),
            false => self.name(agent).to_owned(),
        }
    }

    pub(super) fn names(&self, agents: &[usize]) -> Vec<String> {
        agents.iter().map(|&agent| self.name(agent).to_owned()).collect()
    }

    pub(super) fn numbers(&self, names: &[String]) -> Result<Vec<usize>, String> {
        names.iter().map(|name| self.number(name)).collect()
    }

    /// Returns the number of the stage in progress, or of the last one.
    pub fn stage(&self) -> usize {
        self.stages.len().saturating_sub(1)
    }

    /// Returns true if an agent has forfeited so often in a row that its games wait until all others are played.
    pub fn is_on_probation(&self, agent: usize) -> bool {
        self.agents[agent].forfeits_in_a_row >= self.cup.header.probation
    }

    /// Returns the places of the games of the stage in progress that have no result, in the order of their tables.
    pub fn open_games(&self) -> impl Iterator<Item = GameKey> {
        let stage = if self.has_ended() { self.stages.len() } else { self.stage() };
        let open = self.games_from(stage).filter(|(key, table)| table.results[key.game].is_none());
        let of_ladder = self.ladder().filter(|_| stage == 0).into_iter().flat_map(|ladder| ladder.open.keys());
        of_ladder.map(|&table| GameKey { stage: 0, table, game: 0 }).chain(open.map(|(key, _)| key))
    }

    /// Returns the key and the table of every game of the stages so far, in the order of stages and tables.
    pub fn games(&self) -> impl Iterator<Item = (GameKey, &TableState)> {
        self.games_from(0)
    }

    pub(super) fn games_from(&self, stage: usize) -> impl Iterator<Item = (GameKey, &TableState)> {
        self.stages.iter().enumerate().skip(stage).flat_map(|(stage, drawn)| {
            drawn.tables.iter().enumerate().flat_map(move |(number, table)| {
                (0..table.results.len()).map(move |game| (GameKey { stage, table: number, game }, table))
            })
        })
    }

    /// Returns the results of all games that have ended, in the order of stages and tables.
    pub fn results(&self) -> impl Iterator<Item = (GameKey, &GameResult)> {
        self.games().filter_map(|(key, table)| Some((key, table.results[key.game].as_ref()?)))
    }

    /// Returns the number of games of the stages so far, and the number of games that have ended.
    pub fn progress(&self) -> (usize, usize) {
        let (drawn, ended) = self.ladder().map_or((0, 0), |ladder| (ladder.drawn, ladder.games.len()));
        (self.games().count() + drawn, self.results().count() + ended)
    }

    /// Returns the table of a game; None if the cup has no such game.
    pub fn table(&self, key: GameKey) -> Option<&TableState> {
        self.stages.get(key.stage)?.tables.get(key.table).filter(|table| key.game < table.results.len())
    }

    pub(super) fn table_mut(&mut self, key: GameKey) -> Result<&mut TableState, String> {
        self.table(key).ok_or_else(|| format!("expected a game of the cup, got {key:?}"))?;
        Ok(&mut self.stages[key.stage].tables[key.table])
    }

    /// Returns true if an agent has not left the cup.
    pub fn is_in(&self, agent: usize) -> bool {
        self.agents[agent].status == Status::In
    }

    fn draw(&mut self, number: usize, extra: bool, tables: &[NewTable]) -> Result<(), String> {
        let (drawn, all) = (self.stages.len(), self.cup.stages.len());
        ensure(number < all, || format!("expected a stage below {all}, got {number}"))?;
        let (stage, groups) = (&self.cup.stages[number], self.cup.stages[number].groups);
        let mut new = Vec::new();
        for NewTable { group, agents } in tables {
            let agents = self.numbers(agents)?;
            ensure(*group < groups, || format!("expected a group below {groups}, got {group}"))?;
            new.push((*group, stage.seatings(agents.len()).len(), agents));
        }
        ensure(number <= drawn, || format!("expected tables of stage {drawn}, got stage {number}"))?;
        let added = new.iter().map(|(_, games, _)| games).sum::<usize>();
        let all = self.stages.iter().map(|stage| stage.games).sum::<usize>() + added;
        ensure(all <= MAX_GAMES, || format!("expected at most {MAX_GAMES} games in a cup, got {all}"))?;
        if number == drawn {
            self.stages.push(StageState { groups: vec![Vec::new(); groups], ..StageState::default() });
        }
        let stage = &mut self.stages[number];
        stage.games += added;
        for (group, games, agents) in new {
            if !extra {
                let members = &mut stage.groups[group];
                members.extend(agents.iter().copied());
                members.sort_unstable();
                members.dedup();
            }
            let earlier = stage.blocks.entry(agents.iter().copied().collect()).or_default();
            let (block, started, results) = (*earlier, vec![None; games], vec![None; games]);
            stage.tables.push(TableState { group, agents, block, is_extra: extra, started, results });
            *earlier += 1;
        }
        Ok(())
    }

    fn enter(&mut self, key: GameKey, result: &GameResult) -> Result<(), String> {
        let seating = self.seating(key).ok_or_else(|| format!("expected a game of the cup, got {key:?}"))?;
        let names = self.names(seating.values());
        result.check(names.len())?;
        let (expected, found) = (names.join(", "), result.agents.join(", "));
        ensure(names == result.agents, || format!("expected the agents {expected}, got {found}"))?;
        let table = self.table_mut(key)?;
        ensure(table.results[key.game].is_none(), || format!("expected one result of {key:?}, got two"))?;
        table.results[key.game] = Some(result.clone());
        for (&agent, forfeit) in seating.values().iter().zip(&result.forfeits) {
            let row = &mut self.agents[agent].forfeits_in_a_row;
            *row = if forfeit.is_some() { *row + 1 } else { 0 };
        }
        Ok(())
    }

    fn add(&mut self, agent: &Entrant) -> Result<(), String> {
        let (name, has_ended) = (&agent.name, self.stages.iter().any(|stage| stage.advance.is_some()));
        ensure(!self.by_name.contains_key(name), || {
            format!("expected the name of a new agent, got \"{name}\", which is in the cup")
        })?;
        ensure(self.stages.len() < 2 && !has_ended, || {
            "expected the first stage to be in progress, since its tables are drawn with all agents; it has ended"
                .to_owned()
        })?;
        check_name(name)?;
        let of_account = matches!(&agent.player, Player::Remote { account: Some(_), .. });
        self.check_entry(agent.owner.as_deref().unwrap_or(name), of_account)?;
        self.cup.agents.push(agent.clone());
        // A ladder has thousands of entrants over time, and those of accounts bring nothing but their names.
        let checked = match of_account {
            true => self.cup.check_entrants().map_err(|(_, message)| message),
            false => self.cup.check().map_err(|(_, message)| message),
        };
        match checked {
            Ok(()) => {
                self.by_name.insert(name.clone(), self.agents.len());
                self.agents.push(AgentState::new(agent.clone()));
                self.join_ladder(self.agents.len() - 1);
            }
            Err(_) => drop(self.cup.agents.pop()),
        }
        checked
    }

    fn leave(&mut self, name: &str, status: Status) -> Result<(), String> {
        let agent = self.number(name)?;
        let has_left = self.has_left(agent);
        ensure(!has_left, || format!("expected an agent of the cup, got \"{name}\", which has left it"))?;
        self.agents[agent].status = status;
        self.stop_waiting(agent);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::test_cups::{PlayedCup, SALT, small as cup};
    use super::*;

    #[test]
    fn an_alias_tells_nothing_before_the_end() {
        let file = cup("").replace("name = \"C\"", "name = \"C\"\nanonymous = true");
        let state = State::drawn(&file).expect("tables can be drawn");
        let aliases: Vec<_> = (0..2).map(|agent| state.public_name(agent)).collect();
        assert!(aliases.iter().all(|alias| alias.starts_with("agent-")) && aliases[0] != aliases[1], "{aliases:?}");
        let other = State::after(&[State::begin(&file, &SALT)]).expect("a file");
        assert_ne!(other.public_name(0), aliases[0], "another salt gives other aliases");
        let ended = PlayedCup::new(&file, |_| None).state;
        assert_eq!([0, 1].map(|agent| ended.public_name(agent)), ["a", "b"]);
    }
}
