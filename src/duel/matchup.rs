//! The matchup of a duel: what is agreed for all its games.

use std::io::Write;
use std::time::Duration;

use ahu_arena::Agent;
use ahu_arena::programs::agent_seed;
use ahu_contest::PlannedGame;
use ahu_contest::blocks::{Design, Lineup, Luck, Seating};
use ahu_contest::cup::Salt;
use ahu_core::parts::lines::counted;
use ahu_core::{BySeat, Seat, Seed};
use ahu_host::{Conduct, SeatPlayer, Setup, Terms, TimeControl};

use super::block_queue::Job;
use super::starting_point::StartingPoint;
use crate::arguments::cores;
use crate::{CliError, Done};

/// The agreement for all games of a duel: rules, agents, seatings, seeds, and conduct.
pub(super) struct Matchup {
    pub(super) setup: Setup,
    /// The players of the line-up, in its order.
    pub(super) agents: Vec<Agent>,
    pub(super) lineup: Lineup,
    pub(super) design: Design,
    /// The seatings of a block, one for each game.
    pub(super) seatings: Vec<Seating>,
    pub(super) luck: Luck,
    /// True if a program may play many games in one process, and remember the earlier ones.
    pub(super) may_remember: bool,
    pub(super) seed: Seed,
    /// The secret part of the seed, without which nobody can guess the games; None if the seed alone decides them.
    pub(super) salt: Option<Salt>,
    pub(super) conduct: Conduct,
    pub(super) patience: Duration,
    /// The points at which the blocks begin, by block; empty if all begin with the game.
    pub(super) starting_points: Vec<StartingPoint>,
}

impl Matchup {
    /// Returns the seed from which all seeds of games are derived.
    pub(super) fn root(&self) -> Seed {
        self.salt.map_or(self.seed, |salt| salt.duel_seed(self.seed))
    }

    pub(super) fn has_bots_alone(&self) -> bool {
        self.agents.iter().all(|agent| agent.bot().is_some())
    }

    pub(super) fn names(&self) -> Vec<&str> {
        self.agents.iter().map(|agent| agent.name.as_str()).collect()
    }

    /// Returns the number of games at once: the given number, or else the number of cores divided by the programs of a game, at
    /// least 1.
    pub(super) fn concurrency(&self, given: Option<usize>) -> usize {
        let plays = |player: &usize| self.agents[*player].is_program();
        let programs = self.seatings[0].values().iter().filter(|player| plays(player)).count();
        given.unwrap_or_else(|| (cores() / programs.max(1)).max(1))
    }

    /// Returns the number of blocks that have this number of games.
    pub(super) fn blocks_of(&self, games: u64) -> Result<u64, CliError> {
        let of_block = self.seatings.len() as u64;
        if games >= 2 * of_block && games.is_multiple_of(of_block) {
            return Ok(games / of_block);
        }
        let (least, below) = (2 * of_block, (games / of_block).max(2) * of_block);
        let above = below + of_block;
        Err(CliError::Usage(format!(
            "--games: expected a multiple of {of_block} from {least} on, such as {below} or {above}, got {games}: a block has \
             {of_block} games, in which every player has every seat equally often"
        )))
    }

    /// Returns the players of the `game`-th game of a block, by seat.
    pub(super) fn players(&self, game: usize) -> Vec<SeatPlayer> {
        self.seatings[game].values().iter().map(|&index| self.agents[index].seat_player()).collect()
    }

    pub(super) fn planned(&self, Job { block, game, attempt, .. }: Job) -> PlannedGame {
        let seating = self.seatings[game];
        let start = self.starting_points.get(block as usize);
        let is_shared = self.luck == Luck::Shared;
        let agents = || seating.values().iter().map(|&player| &self.agents[player]);
        let agent_seed = |seat: Seat| {
            let agent = &self.agents[seating[seat]];
            let text = || format!("{} {block}.{game}.{attempt}", agent.name);
            // A bot has its choices from the seed of the game.
            agent.bot().map_or_else(|| agent_seed(self.root(), &text(), seat.index() as u32), |_| 0)
        };
        PlannedGame {
            name: format!("{block}.{game}"),
            setup: self.setup.clone(),
            seating,
            players: self.players(game),
            terms: Terms {
                conduct: self.conduct,
                // Bots have no clocks.
                clocks: agents().filter(|_| !self.has_bots_alone()).map(|agent| agent.control).collect(),
                ..Terms::default()
            },
            seed: start.map_or_else(|| self.luck.seed(self.root(), block, attempt, game), |start| start.seed),
            is_shared,
            // Bots make new choices in each game of a block, and at the same position with another seed.
            index: match start {
                Some(_) => self.root().child(block).child(game as u64).0,
                None if is_shared || self.has_bots_alone() => game as u64,
                None => 0,
            },
            beginning: start.map_or_else(Vec::new, |start| start.plies.clone()),
            is_passing: false,
            agent_seeds: BySeat::from_fn(self.setup.seats(), agent_seed),
        }
    }

    /// Returns the number of plies before the games of a block.
    pub(super) fn begun(&self, block: u64) -> usize {
        self.starting_points.get(block as usize).map_or(0, |start| start.begun)
    }

    pub(super) fn luck_name(&self) -> &'static str {
        match self.luck {
            Luck::Shared => "shared",
            Luck::Own => "own",
        }
    }

    /// Prints what will be played, and by whom.
    pub(super) fn announce(&self, concurrency: usize, out: &mut impl Write) -> Done {
        let info = self.setup.rules().info();
        let (seats, games) = (self.setup.seats().count(), self.seatings.len());
        writeln!(out, "{}, {seats} seats, {} luck, seed {}", info.title, self.luck_name(), self.seed)?;
        if let Some(salt) = self.salt {
            // Programs may read this while they play. The salt itself is printed with the table.
            writeln!(out, "SHA-256 of the salt {}", salt.hash())?;
        }
        let at_once = if concurrency == 1 { "one at a time".to_owned() } else { format!("{concurrency} at once") };
        let from = match self.starting_points.len() {
            0 => String::new(),
            count => format!(", from {}", counted(count, "position")),
        };
        writeln!(out, "blocks of {} (design {}){from}, {at_once}", counted(games, "game"), self.design)?;
        let width = self.agents.iter().map(|agent| agent.name.len()).max().unwrap_or(0);
        for (player, Agent { name, text, control, .. }) in self.agents.iter().enumerate() {
            write!(out, "  {name:<width$}  {text}")?;
            if self.lineup.seats_of(player) > 1 {
                write!(out, ", in {} seats", self.lineup.seats_of(player))?;
            }
            if *control != TimeControl::default() {
                write!(out, ", time control {control}")?;
            }
            writeln!(out)?;
        }
        writeln!(out)?;
        Ok(())
    }
}
