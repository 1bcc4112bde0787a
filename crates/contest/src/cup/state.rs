//! The state of a cup: the fold of its journal.

use std::collections::{BTreeMap, BTreeSet};

use ahu_core::parse::did_you_mean;
use ahu_core::{BySeat, Seat};
use ahu_host::{SeatPlayer, check_match_id, ensure};

use super::entrant::{Entrant, Player, check_name};
use super::file::Cup;
use super::game_result::{Forfeit, GameResult};
use super::journal::{Event, GameKey, NewTable};
use super::seeds::{Salt, SeedText, alias};
use crate::PlannedGame;
use crate::blocks::{Luck, Seating};

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

/// An agent of a cup.
#[derive(Clone, Debug)]
pub struct AgentState {
    /// The agent as the file or the journal describes it.
    pub entrant: Entrant,
    /// The status of the agent.
    pub status: Status,
    /// The number of games that the agent forfeited in a row, up to its last result.
    pub forfeits_in_a_row: u32,
}

/// The status of an agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Status {
    /// The agent plays.
    In,
    /// The agent has left the cup, for this reason if one was given.
    Withdrawn(Option<String>),
    /// The agent was excluded, for this reason.
    Disqualified(String),
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
    games: usize,
    /// The number of tables of the same agents.
    blocks: BTreeMap<BTreeSet<usize>, u64>,
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
        let Some(Event::Begin { format, release, salt_hash, alias_secret, file }) = events.next() else {
            return Err("expected the journal to start with the begin of the cup".to_owned());
        };
        ensure(*format == FORMAT, || {
            format!("expected a journal of format {FORMAT}, got {format}, written by release {release}")
        })?;
        let cup = Cup::read(file).map_err(|error| format!("the file in the journal: {error}"))?;
        let agents = cup.agents.iter().cloned().map(AgentState::new).collect();
        let mut state = Self {
            cup,
            salt_hash: salt_hash.clone(),
            agents,
            stages: Vec::new(),
            annulled: Vec::new(),
            salt: None,
            alias_secret: alias_secret.clone(),
            attempts: BTreeMap::new(),
        };
        events.try_for_each(|event| state.apply(event))?;
        Ok(state)
    }

    /// Applies an event.
    ///
    /// # Errors
    /// If the event cannot follow those before it. The state is then as before.
    pub fn apply(&mut self, event: &Event) -> Result<(), String> {
        ensure(!self.has_ended(), || "expected no event after the end of the cup".to_owned())?;
        match event {
            Event::Begin { .. } => Err("expected one begin, got two".to_owned()),
            Event::Draw { stage, extra, tables } => self.draw(*stage, *extra, tables),
            Event::Start { key, match_id } => {
                check_match_id(match_id)?;
                let table = self.table_mut(*key)?;
                table.started[key.game] = Some(match_id.clone());
                Ok(())
            }
            Event::Result { key, result } => self.enter(*key, result),
            Event::Add { agent } => self.add(agent),
            Event::Withdraw { agent, reason } => self.leave(agent, Status::Withdrawn(reason.clone())),
            Event::Disqualify { agent, reason } => self.leave(agent, Status::Disqualified(reason.clone())),
            Event::Readmit { agent } => {
                let state = self.number(agent).map(|number| &mut self.agents[number])?;
                ensure(state.status != Status::In, || format!("expected an agent that has left, got \"{agent}\""))?;
                (state.status, state.forfeits_in_a_row) = (Status::In, 0);
                Ok(())
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
        self.agents.iter().position(|agent| agent.entrant.name == name).ok_or_else(|| {
            let names: Vec<_> = self.agents.iter().map(|agent| agent.entrant.name.as_str()).collect();
            format!(
                "expected one of the agents {}, got \"{name}\"{}",
                names.join(", "),
                did_you_mean(name, names.iter().copied())
            )
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

    fn numbers(&self, names: &[String]) -> Result<Vec<usize>, String> {
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
        open.map(|(key, _)| key)
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
        (self.games().count(), self.results().count())
    }

    /// Returns the table of a game; None if the cup has no such game.
    pub fn table(&self, key: GameKey) -> Option<&TableState> {
        self.stages.get(key.stage)?.tables.get(key.table).filter(|table| key.game < table.results.len())
    }

    pub(super) fn table_mut(&mut self, key: GameKey) -> Result<&mut TableState, String> {
        self.table(key).ok_or_else(|| format!("expected a game of the cup, got {key:?}"))?;
        Ok(&mut self.stages[key.stage].tables[key.table])
    }

    /// Returns the agents of a game by seat; None if the cup has no such game.
    pub fn seating(&self, key: GameKey) -> Option<Seating> {
        let table = self.table(key)?;
        let seatings = self.cup.stages[key.stage].seatings(table.agents.len());
        Some(seatings.get(key.game)?.map(|player| table.agents[player]))
    }

    /// Returns the facts that determine the seed of a game; None if the cup has no such game.
    pub fn seed_text(&self, key: GameKey) -> Option<SeedText> {
        let table = self.table(key)?;
        let stage = &self.cup.stages[key.stage];
        Some(SeedText {
            stage: stage.name.clone(),
            game: stage.game.clone(),
            options: stage.setup().ok()?.to_string(),
            seats: stage.seats,
            agents: self.names(&table.agents),
            block: table.block,
            index: (stage.luck == Luck::Own).then_some(key.game),
            attempt: self.attempt(key),
        })
    }

    /// Returns a game as it is to be played. The stand-in plays the seats of agents that have left.
    ///
    /// # Panics
    /// If the cup has no such game.
    pub fn planned(&self, key: GameKey, salt: &Salt) -> PlannedGame {
        let stage = &self.cup.stages[key.stage];
        let seating = self.seating(key).expect("the cup has the game");
        let text = self.seed_text(key).expect("the cup has the game");
        let setup = stage.setup().expect("the file was checked");
        let terms = self.cup.terms(stage).expect("the file was checked");
        let stand_in = terms.stand_in_of(setup.rules());
        let player = |(seat, agent): (Seat, usize)| match &self.agents[agent].entrant.player {
            _ if !self.is_in(agent) => SeatPlayer::bot(stand_in),
            Player::Bot { bot } => SeatPlayer::bot(setup.rules().bot(bot).expect("the file was checked")),
            Player::Command { .. } | Player::Remote { .. } if self.cup.header.anonymous => {
                SeatPlayer::external(format!("seat {seat}"))
            }
            Player::Command { .. } | Player::Remote { .. } => SeatPlayer::external(self.name(agent)),
        };
        let is_shared = stage.luck == Luck::Shared;
        let agent_seed = |seat| salt.agent_seed(&text, self.name(seating[seat]), key.game, Seat::index(seat));
        let game = PlannedGame {
            name: key.name(stage),
            seating,
            players: seating.iter().map(player).collect(),
            terms,
            seed: salt.seed(&text),
            is_shared,
            index: if is_shared { key.game as u64 } else { 0 },
            beginning: Vec::new(),
            agent_seeds: BySeat::from_fn(setup.seats(), agent_seed),
            setup,
        };
        game.with_clocks_of_agents()
    }

    /// Returns true if an agent has not left the cup.
    pub fn is_in(&self, agent: usize) -> bool {
        self.agents[agent].status == Status::In
    }

    /// Returns the result of a game that need not be played, because at most one of its agents is left; None if the game has
    /// to be played.
    pub fn walkover(&self, key: GameKey) -> Option<GameResult> {
        let seating = self.seating(key)?;
        let mut left: Vec<_> = seating.values().iter().copied().filter(|&agent| self.is_in(agent)).collect();
        left.dedup();
        let all = seating.values();
        if left.len() > 1 || all.iter().all(|&agent| self.is_in(agent)) {
            return None;
        }
        Some(GameResult {
            agents: self.names(all),
            ranks: all.iter().map(|&agent| if self.is_in(agent) { 1 } else { 1 + left.len() as u8 }).collect(),
            forfeits: all.iter().map(|&agent| (!self.is_in(agent)).then_some(Forfeit::Left)).collect(),
            ..GameResult::default()
        })
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
        ensure(self.number(name).is_err(), || {
            format!("expected the name of a new agent, got \"{name}\", which is in the cup")
        })?;
        ensure(self.stages.len() < 2 && !has_ended, || {
            "expected the first stage to be in progress, since its tables are drawn with all agents; it has ended"
                .to_owned()
        })?;
        check_name(name)?;
        self.cup.agents.push(agent.clone());
        self.agents.push(AgentState::new(agent.clone()));
        let checked = self.cup.check().map_err(|(_, message)| message);
        if checked.is_err() {
            self.cup.agents.pop();
            self.agents.pop();
        }
        checked
    }

    fn leave(&mut self, name: &str, status: Status) -> Result<(), String> {
        let agent = self.number(name)?;
        ensure(self.is_in(agent), || format!("expected an agent of the cup, got \"{name}\", which has left it"))?;
        self.agents[agent].status = status;
        Ok(())
    }
}

impl AgentState {
    fn new(entrant: Entrant) -> Self {
        Self { entrant, status: Status::In, forfeits_in_a_row: 0 }
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
