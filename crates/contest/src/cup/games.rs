//! The games of a cup: their agents, their seeds, and what is needed to play them.

use ahu_core::{BySeat, Seat, Seats};
use ahu_host::SeatPlayer;

use super::entrant::Player;
use super::game_result::{Forfeit, GameResult};
use super::journal::GameKey;
use super::ladder::OpenGame;
use super::seeds::{Salt, SeedText};
use super::state::State;
use crate::PlannedGame;
use crate::blocks::{Luck, Seating};

impl State {
    /// Returns a game of the ladder that has no result; None if the key is not that of one.
    pub fn open_game(&self, key: GameKey) -> Option<&OpenGame> {
        let ladder = self.stages.get(key.stage)?.ladder.as_ref()?;
        ladder.open.get(&key.table).filter(|_| key.game == 0)
    }

    pub(super) fn open_game_mut(&mut self, key: GameKey) -> Option<&mut OpenGame> {
        let ladder = self.stages.get_mut(key.stage)?.ladder.as_mut()?;
        ladder.open.get_mut(&key.table).filter(|_| key.game == 0)
    }

    /// Returns the id of the match of a game that has begun; None if it has not.
    pub fn started(&self, key: GameKey) -> Option<&String> {
        match self.open_game(key) {
            Some(open) => open.started.as_ref(),
            None => self.table(key)?.started[key.game].as_ref(),
        }
    }

    /// Returns the agents of a game by seat; None if the cup has no such game.
    pub fn seating(&self, key: GameKey) -> Option<Seating> {
        if let Some(open) = self.open_game(key) {
            return Some(BySeat::from_fn(Seats::new(open.agents.len())?, |seat| open.agents[seat.index()]));
        }
        let table = self.table(key)?;
        let seatings = self.cup.stages[key.stage].seatings(table.agents.len());
        Some(seatings.get(key.game)?.map(|player| table.agents[player]))
    }

    /// Returns the facts that determine the seed of a game; None if the cup has no such game.
    pub fn seed_text(&self, key: GameKey) -> Option<SeedText> {
        let stage = &self.cup.stages[key.stage];
        // The number of a game of a ladder stands in the place of a block.
        let (agents, block) = match self.open_game(key) {
            Some(open) => (&open.agents, key.table as u64),
            None => self.table(key).map(|table| (&table.agents, table.block))?,
        };
        Some(SeedText {
            stage: stage.name.clone(),
            game: stage.game.clone(),
            options: stage.setup().ok()?.to_string(),
            seats: stage.seats,
            agents: self.names(agents),
            block,
            index: (stage.luck == Luck::Own).then_some(key.game),
            attempt: self.attempt(key),
        })
    }

    /// Returns the salt from which the seed of a game comes, from the salt of the cup: for a game of a ladder that of its day.
    pub fn salt_of(&self, key: GameKey, salt: &Salt) -> Salt {
        self.open_game(key).map_or(*salt, |open| salt.of_day(open.day))
    }

    /// Returns a game as it is to be played. The stand-in plays the seats of agents that have left.
    ///
    /// # Panics
    /// If the cup has no such game.
    pub fn planned(&self, key: GameKey, salt: &Salt) -> PlannedGame {
        let stage = &self.cup.stages[key.stage];
        let seating = self.seating(key).expect("the cup has the game");
        let text = self.seed_text(key).expect("the cup has the game");
        let salt = self.salt_of(key, salt);
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
            is_passing: self.open_game(key).is_some(),
            agent_seeds: BySeat::from_fn(setup.seats(), agent_seed),
            setup,
        };
        game.with_clocks_of_agents()
    }

    /// Returns the result of a game that need not be played, because at most one of its agents is left; None if the game has
    /// to be played.
    pub fn walkover(&self, key: GameKey) -> Option<GameResult> {
        if self.open_game(key).is_some() {
            return None;
        }
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
}
