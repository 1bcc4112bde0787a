//! The games of a suite: their places in the suite, seeds, seatings, and paths of records.

use std::path::{Path, PathBuf};

use ahu_core::{BySeat, Seat};
use ahu_host::{SeatPlayer, Terms};

use super::file::{Suite, SuiteCell};
use super::report::{AgentClaim, AgentKind};
use crate::PlannedGame;
use crate::blocks::{BlockShard, Seating};
use crate::cup::{Salt, SeedText};

/// The place of a game in a suite. Places are ordered as the digests count them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GamePlace {
    /// The training run, from 0.
    pub run: usize,
    /// The number of the cell.
    pub cell: usize,
    /// The number of the block, from 0.
    pub block: u64,
    /// The number of the game in its block, from 0, which is also the number of its seating.
    pub game: usize,
}

impl GamePlace {
    /// Returns the name of the game for messages.
    pub fn name(&self, suite: &Suite, runs: usize) -> String {
        let run = if runs > 1 { format!("run {}, ", self.run) } else { String::new() };
        format!("{run}cell {}, block {}, game {}", suite.cells[self.cell].name, self.block, self.game)
    }

    /// Returns the path of the record in the folder of a report.
    pub fn record(&self, suite: &Suite) -> PathBuf {
        let file = format!("{:02}-{:05}-{:02}.rec", self.run, self.block, self.game);
        Path::new("records").join(&suite.cells[self.cell].name).join(file)
    }
}

/// The games of a suite, with seeds from one salt.
#[derive(Clone, Debug)]
pub struct SuitePlan {
    /// The suite.
    pub suite: Suite,
    /// The maximum number of blocks of each cell; None: all blocks.
    pub first: Option<u64>,
    /// The number of training runs. All play the same games.
    pub runs: usize,
    /// The salt from which all seeds come.
    pub salt: Salt,
    /// The part of the blocks that is played.
    shard: BlockShard,
    seatings: Vec<Vec<Seating>>,
}

impl SuitePlan {
    /// Returns the plan of the games of a suite.
    pub fn new(suite: Suite, first: Option<u64>, runs: usize, salt: Salt) -> Self {
        let seatings = suite.cells.iter().map(SuiteCell::seatings).collect();
        Self { suite, first, runs, salt, shard: BlockShard::WHOLE, seatings }
    }

    /// Returns the plan with the games of one shard alone. Its figures need the games of all shards.
    #[must_use]
    pub fn of_shard(self, shard: BlockShard) -> Self {
        Self { shard, ..self }
    }

    /// Returns the number of blocks of all cells, runs, and shards.
    pub fn all_blocks(&self) -> u64 {
        self.runs as u64 * (0..self.suite.cells.len()).map(|cell| self.blocks(cell)).sum::<u64>()
    }

    /// Returns the games of the shard, in the order of their places. Blocks count through all cells of all runs, so that each
    /// shard has its part of each cell.
    pub fn games(&self) -> impl Iterator<Item = GamePlace> + '_ {
        let cells = move |run| (0..self.suite.cells.len()).map(move |cell| (run, cell));
        let blocks = move |(run, cell)| (0..self.blocks(cell)).map(move |block| (run, cell, block));
        let all = (0..).zip((0..self.runs).flat_map(cells).flat_map(blocks));
        let own = all.filter(|&(number, _)| self.shard.has(number));
        own.flat_map(move |(_, (run, cell, block))| {
            (0..self.seatings[cell].len()).map(move |game| GamePlace { run, cell, block, game })
        })
    }

    /// Returns the number of blocks of a cell.
    pub fn blocks(&self, cell: usize) -> u64 {
        self.suite.blocks(cell, self.first)
    }

    /// Returns the number of games of a block of a cell.
    pub fn games_of_block(&self, cell: usize) -> usize {
        self.seatings[cell].len()
    }

    /// Returns the seating of a game: player 0 is the agent.
    pub fn seating(&self, place: GamePlace) -> Seating {
        self.seatings[place.cell][place.game]
    }

    /// Returns the seat of the agent in a game.
    pub fn seat(&self, place: GamePlace) -> Seat {
        let found = self.seating(place).iter().find(|&(_, player)| player == 0);
        found.expect("the agent has a seat").0
    }

    /// Returns a game as it is to be played. Each game of a block has a seed of its own, so that an agent may remember the other
    /// games. All training runs have the same seeds.
    ///
    /// # Errors
    /// If the agent is a bot that does not play the game.
    pub fn game(&self, agent: &AgentClaim, place: GamePlace) -> Result<PlannedGame, String> {
        let cell = &self.suite.cells[place.cell];
        let (setup, seats) = (cell.setup.clone(), cell.setup.seats());
        let bot = match agent.kind {
            AgentKind::Bot => Some(setup.rules().bot(&agent.player).map_err(|error| error.message)?),
            AgentKind::Command | AgentKind::Lines | AgentKind::Remote | AgentKind::Callable => None,
        };
        let (text, run) = (self.text(place), format!("run {}", place.run));
        let seating = self.seating(place);
        let player = |&player: &usize| match player.checked_sub(1) {
            Some(opponent) => SeatPlayer::bot(cell.opponents[opponent]),
            None => SeatPlayer { name: agent.name.clone(), bot },
        };
        let clocks = vec![self.suite.clock; seats.count()];
        let game = PlannedGame {
            name: format!("{} {}.{}", cell.name, place.block, place.game),
            seating,
            players: seating.values().iter().map(player).collect(),
            terms: Terms { conduct: self.suite.conduct, clocks, stand_in: Some(cell.stand_in), ..Terms::default() },
            seed: self.salt.seed(&text),
            is_shared: false,
            index: 0,
            beginning: Vec::new(),
            is_passing: false,
            agent_seeds: BySeat::from_fn(seats, |seat| self.salt.agent_seed(&text, &run, place.game, seat.index())),
            setup,
        };
        Ok(game.with_clocks_of_agents())
    }

    fn text(&self, place: GamePlace) -> SeedText {
        let cell = &self.suite.cells[place.cell];
        SeedText {
            attempt: 0,
            stage: format!("suite {} cell {}", self.suite.name, cell.name),
            game: cell.setup.rules().info().id.to_owned(),
            options: cell.setup.to_string(),
            seats: cell.setup.seats().count(),
            agents: cell.opponents.iter().map(ToString::to_string).collect(),
            block: place.block,
            index: Some(place.game),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_game_is_in_one_shard_with_its_whole_block() {
        let suite = Suite::named("v1").expect("the program has it");
        let salt = suite.public_salt();
        let plan = SuitePlan::new(suite, Some(3), 2, salt);
        assert_eq!(plan.all_blocks(), 2 * 12 * 3);
        let mut found = Vec::new();
        for number in 1..=16 {
            let shard = plan.clone().of_shard(format!("{number}/16").parse().expect("a shard"));
            let games: Vec<_> = shard.games().collect();
            assert!(games.len() > 4, "{number}: {}", games.len());
            let blocks: std::collections::BTreeSet<_> =
                games.iter().map(|game| (game.run, game.cell, game.block)).collect();
            assert_eq!(games.len(), blocks.iter().map(|&(_, cell, _)| plan.games_of_block(cell)).sum::<usize>());
            found.extend(games);
        }
        found.sort_unstable();
        assert_eq!(found, plan.games().collect::<Vec<_>>());
    }
}
