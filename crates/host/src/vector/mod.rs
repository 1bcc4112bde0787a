//! Vector environments: many games of one kind that a trainer steps together.
//!
//! An environment waits for one decision at a time, of an external seat. A batch steps some or all environments and
//! has a row for each: the seat that has to decide, its player, its observation, and its legal actions. Rows name the player
//! because with rotation a seat does not tell it: a policy of the client is an external player, whom the Python class `VectorEnv`
//! asks for the action.
//!
//! A vector environment knows the type of its game, is called once for each batch, and allocates nothing for a row. It writes
//! rows as the bytes that travel, column by column. The service moves them into its message, and reuses them for the next
//! batch of the same group once they are sent; groups are runs of environments, and exist in the service alone. A batch of
//! more than 256 rows, or 16 where bots play, is divided into parts, which the caller and the threads of a pool take, each as
//! soon as it is free.

mod actions;
mod batch_error;
mod chunk;
mod env_config;
mod env_indices;
mod environment;
mod final_steps;
mod look;
mod rollout;
mod rows;
mod saved;

use std::fmt;
use std::sync::Arc;

use ahu_core::{ActionId, ActionSet, Game, GameOptions, Seat, Seats, Seed, Viewer};
use chunk::{Chunk, GamePanic};
use environment::{Environment, State, VectorSettings};

use super::any_game::{erased_view, typed};
use super::reward::RewardRule;
use super::search::Stop;
use super::{AnyView, Cores, Position, Rules, ensure};
pub use batch_error::BatchError;
pub(super) use chunk::CHUNK_ROWS;
pub use env_config::{Autoreset, EnvConfig, Player, Rotation};
pub use env_indices::EnvIndices;
pub use final_steps::{Episode, FinalSteps};
pub use look::{Advice, Central, Look, Looked};
pub use rollout::{RolloutMemory, RolloutPlan};
pub use rows::{COLUMNS, Column, RowMemory, RowMut, RowSize, Rows, write_positions};
pub use saved::{NotRestored, SavedEnvironment};

/// Environments of any game, numbered from 0.
pub trait AnyVectorEnv: fmt::Debug + Send {
    /// Returns the number of environments.
    fn len(&self) -> usize;
    /// Returns true if there is no environment.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Returns the number of bytes of a row in each column.
    fn row_size(&self) -> RowSize;
    /// Returns the memory of the environments, in bytes.
    fn size(&self) -> usize;
    /// Returns the seat that has to decide in the environment, and its legal actions; None if no episode is under
    /// way.
    ///
    /// # Panics
    /// If there is no such environment.
    fn waits_for(&self, environment: u32) -> Option<(Seat, &ActionSet)>;
    /// Returns the seed of the last episode that began in the environment.
    ///
    /// # Panics
    /// If there is no such environment.
    fn episode_seed(&self, environment: u32) -> Seed;
    /// Returns the smallest number of environments in a batch that several cores share, if there are several.
    fn shared_from(&self) -> usize;
    /// Sets the cores that step batches from now on. At first these are the cores of the rayon pool of the caller.
    fn use_cores(&mut self, cores: Cores);
    /// Changes the players. In each environment they play from its next episode on.
    ///
    /// # Panics
    /// If the number of players is not the number of seats, or no player is external.
    fn set_players(&mut self, players: Vec<Player>);
    /// Returns the configuration, with the present players.
    fn env_config(&self) -> &EnvConfig;
    /// Returns the progress of an environment.
    ///
    /// # Panics
    /// If there is no such environment.
    fn saved(&self, environment: u32) -> SavedEnvironment;
    /// Begins an episode in each of these environments, and writes a row for each. `seeds` has a new seed for each;
    /// without it, each goes on to its next episode. A refusal changes nothing.
    ///
    /// # Panics
    /// If a block of rows has another size.
    fn reset_into(
        &mut self,
        indices: EnvIndices<'_>,
        seeds: Option<&[Seed]>,
        rows: RowMemory<'_>,
    ) -> Result<(), BatchError>;
    /// Applies one action in each of these environments, writes a row for each, and fills `final_steps` for the
    /// episodes that ended. A refusal changes nothing in any environment.
    ///
    /// # Panics
    /// If a block of rows has another size.
    fn step_into(
        &mut self,
        indices: EnvIndices<'_>,
        actions: &[ActionId],
        rows: RowMemory<'_>,
        final_steps: &mut FinalSteps,
    ) -> Result<(), BatchError>;
    /// Plays a rollout: see [`RolloutPlan`]. An environment without an episode begins one, and goes on to its next episode after
    /// an end. Returns the episodes that ended, by environment and then in order.
    ///
    /// # Panics
    /// If the net is for another game, or the memory has another size.
    fn roll_out(&mut self, plan: RolloutPlan<'_>, memory: RolloutMemory<'_>) -> Result<Vec<Episode>, BatchError>;
    /// Looks at the rows of these environments, without any change. A look that `stop` ends is an error.
    fn look(&mut self, indices: EnvIndices<'_>, look: Look, stop: &Stop) -> Result<Looked, BatchError>;
    /// Does what `reset_into` does, with as many rows as it needs.
    fn reset(&mut self, indices: EnvIndices<'_>, seeds: Option<&[Seed]>, rows: &mut Rows) -> Result<(), BatchError> {
        self.reset_into(indices, seeds, RowMemory::Columns(rows))
    }
    /// Does what `step_into` does, with as many rows as it needs.
    fn step(
        &mut self,
        indices: EnvIndices<'_>,
        actions: &[ActionId],
        rows: &mut Rows,
        final_steps: &mut FinalSteps,
    ) -> Result<(), BatchError> {
        self.step_into(indices, actions, RowMemory::Columns(rows), final_steps)
    }
}

/// Environments of a game of the catalog.
pub trait CatalogVectorEnv: AnyVectorEnv {
    /// Returns what a viewer is shown of an environment. The viewer is the public or an external seat.
    fn view(&self, environment: u32, viewer: Viewer) -> Result<Box<dyn AnyView>, BatchError>;
    /// Does what `reset_into` does, except that each episode begins at a position of the same setup, with the chance of the
    /// episode's seed from there on.
    ///
    /// # Panics
    /// Like `reset_into`; or if a position is one of another game.
    fn reset_at(
        &mut self,
        indices: EnvIndices<'_>,
        seeds: Option<&[Seed]>,
        positions: &[Arc<Position>],
        rows: RowMemory<'_>,
    ) -> Result<(), BatchError>;
    /// Replaces all environments by saved ones of the same setup and configuration, and writes a row for each. Returns, for
    /// each, true if its row begins an episode. A refusal changes nothing.
    ///
    /// # Panics
    /// If a position is one of another game, or a block of rows has another size.
    fn restore(&mut self, saved: &[SavedEnvironment], rows: RowMemory<'_>) -> Result<Vec<bool>, NotRestored>;
}

/// Environments of one game.
#[derive(Debug)]
pub struct VectorEnv<G: Game> {
    shared: VectorSettings<G>,
    environments: Vec<Environment<G>>,
    cores: Cores,
    /// The panic that has cost the environments.
    panicked: Option<BatchError>,
}

impl<G: Game> VectorEnv<G> {
    /// Creates `count` environments. Environment i has the seed `seed` plus i. No episode has begun yet.
    ///
    /// # Panics
    /// If the number of players is not the number of seats, or no player is external.
    pub fn new(options: G::Options, rules: &'static Rules<G>, env_config: EnvConfig, seed: Seed, count: usize) -> Self {
        check_players(&env_config.players, options.seats());
        let shared = VectorSettings { options, rules, env_config };
        let numbers = 0..count as u32;
        let environments = numbers.map(|number| Environment::new(&shared, seed.plus(number))).collect();
        Self { shared, environments, cores: Cores::CallersPool, panicked: None }
    }

    /// Continues the episode of an environment from a position of the same game, as if nothing had been paid before. The
    /// environment plays chance and bots until an external seat has to decide.
    ///
    /// # Panics
    /// If there is no such environment, or it has no episode under way.
    pub fn go_on_from(&mut self, environment: u32, game: G) {
        let environment = &mut self.environments[environment as usize];
        assert_eq!(environment.state, State::Waiting, "expected an episode under way");
        environment.go_on_from(&self.shared, game);
    }

    /// Begins an episode in each of these environments, some of them at positions of the same game, and writes their rows.
    fn begin(
        &mut self,
        indices: EnvIndices<'_>,
        seeds: Option<&[Seed]>,
        starts: &[Option<(&G, &Arc<Position>)>],
        rows: RowMemory<'_>,
    ) -> Result<(), BatchError> {
        self.check(indices, "states", starts.len())?;
        self.check(indices, "seeds", seeds.map_or(indices.len(), <[Seed]>::len))?;
        if let Some(seeds) = seeds {
            for (number, &seed) in indices.iter().zip(seeds) {
                self.environments[number as usize].seed(seed);
            }
        }
        let (shared, size) = (&self.shared, self.row_size());
        let batch = Chunk {
            environments: &mut self.environments,
            first: 0,
            indices,
            values: starts,
            rows: rows.make(size, indices.len()),
        };
        let (max_rows, mut none) = (chunk::chunk_rows(&shared.env_config), FinalSteps::default());
        let outcome = batch.run(&self.cores, max_rows, &mut none, &|environment, number, start, row, _| {
            shared.begin(environment, number, start, row);
        });
        self.note(outcome)
    }

    fn environment(&self, number: u32) -> Result<&Environment<G>, BatchError> {
        let count = self.environments.len();
        self.environments.get(number as usize).ok_or(BatchError::Unknown { environment: number, count })
    }

    /// Refuses numbers without an environment, numbers that do not rise, a wrong number of values, and everything after
    /// a panic.
    fn check(&self, indices: EnvIndices<'_>, what: &'static str, given: usize) -> Result<(), BatchError> {
        self.panicked.clone().map_or(Ok(()), Err)?;
        if let EnvIndices::These(numbers) = indices
            && let Some(pair) = numbers.windows(2).find(|pair| pair[0] >= pair[1])
        {
            return Err(BatchError::NotRising { environment: pair[1] });
        }
        let count = self.environments.len();
        let environment = match indices {
            EnvIndices::Run(first, len) => {
                (len > 0 && (first as usize).saturating_add(len) > count).then(|| first.max(count as u32))
            }
            EnvIndices::These(numbers) => numbers.last().copied().filter(|&last| last as usize >= count),
        };
        if let Some(environment) = environment {
            return Err(BatchError::Unknown { environment, count });
        }
        ensure(given == indices.len(), || BatchError::Count { what, given, environments: indices.len() })
    }

    /// Keeps the panic that has cost the environments.
    fn note<T>(&mut self, outcome: Result<T, GamePanic>) -> Result<T, BatchError> {
        outcome.map_err(|GamePanic { environment, seed, ply, message }| {
            let error = BatchError::Panicked { environment, game: G::INFO.id, seed, ply, message };
            self.panicked = Some(error.clone());
            error
        })
    }

    fn check_action(&self, environment: u32, id: ActionId) -> Result<(), BatchError> {
        let Environment { state, legal, .. } = &self.environments[environment as usize];
        match state {
            State::Waiting if legal.contains(id) => Ok(()),
            State::Waiting => Err(BatchError::Illegal { environment, id, legal: Box::new(*legal) }),
            State::Ended if self.shared.env_config.autoreset == Autoreset::NextStep => Ok(()),
            State::Ended | State::Idle => Err(BatchError::NoEpisode { environment }),
        }
    }
}

fn check_players(players: &[Player], seats: Seats) {
    assert_eq!(players.len(), seats.count(), "expected a player for each seat");
    assert!(players.contains(&Player::External), "expected at least one external player");
}

impl<G: Game> VectorSettings<G> {
    /// Steps one environment and writes its row.
    #[inline]
    fn step(
        &self,
        environment: &mut Environment<G>,
        number: u32,
        id: ActionId,
        mut row: RowMut<'_, '_>,
        final_steps: &mut FinalSteps,
    ) {
        let acted = environment.state == State::Waiting;
        match acted {
            true => environment.act(self, id),
            false => environment.begin(self),
        }
        let ended = environment.state == State::Ended;
        if ended {
            let (episode, rewards) = environment.ended(self, number);
            row.report(number, true, Some(&rewards));
            final_steps.episodes.push(episode);
            for seat in environment.external.iter() {
                let shown = environment.shown(seat);
                final_steps.add_row(seat, environment.players[seat], &shown);
            }
            if self.env_config.autoreset == Autoreset::SameStep {
                environment.begin(self);
            }
        } else {
            row.report(number, false, None);
        }
        let shown = environment.shown(environment.seat);
        if acted && !ended && self.env_config.rewards == RewardRule::MarginGain {
            row.pay(environment.seat, environment.gain(&shown));
        }
        row.show_inline(environment, &shown);
    }

    /// Begins the next episode in one environment, perhaps at a position, and writes its row.
    fn begin(
        &self,
        environment: &mut Environment<G>,
        number: u32,
        start: Option<(&G, &Arc<Position>)>,
        mut row: RowMut<'_, '_>,
    ) {
        environment.begin_at(self, start.map(|(game, start)| (game.clone(), Arc::clone(start))));
        row.report(number, false, None);
        row.show(environment, &environment.shown(environment.seat));
    }
}

impl<G: Game> AnyVectorEnv for VectorEnv<G> {
    fn len(&self) -> usize {
        self.environments.len()
    }

    fn row_size(&self) -> RowSize {
        RowSize::of::<G>(self.shared.options.seats())
    }

    fn size(&self) -> usize {
        let actions = self.environments.iter().map(|environment| environment.actions.size());
        self.environments.capacity() * size_of::<Environment<G>>() + actions.sum::<usize>()
    }

    fn waits_for(&self, environment: u32) -> Option<(Seat, &ActionSet)> {
        let environment = &self.environments[environment as usize];
        (environment.state == State::Waiting).then_some((environment.seat, &environment.legal))
    }

    fn episode_seed(&self, environment: u32) -> Seed {
        self.environments[environment as usize].episode_seed()
    }

    fn shared_from(&self) -> usize {
        chunk::chunk_rows(&self.shared.env_config) + 1
    }

    fn use_cores(&mut self, cores: Cores) {
        self.cores = cores;
    }

    fn set_players(&mut self, players: Vec<Player>) {
        check_players(&players, self.shared.options.seats());
        // An environment reads them when an episode begins.
        self.shared.env_config.players = players;
    }

    fn env_config(&self) -> &EnvConfig {
        &self.shared.env_config
    }

    fn saved(&self, environment: u32) -> SavedEnvironment {
        SavedEnvironment::of(&self.environments[environment as usize])
    }

    fn reset_into(
        &mut self,
        indices: EnvIndices<'_>,
        seeds: Option<&[Seed]>,
        rows: RowMemory<'_>,
    ) -> Result<(), BatchError> {
        // Before the memory for as many values.
        self.check(indices, "seeds", seeds.map_or(indices.len(), <[Seed]>::len))?;
        self.begin(indices, seeds, &vec![None; indices.len()], rows)
    }

    fn step_into(
        &mut self,
        indices: EnvIndices<'_>,
        actions: &[ActionId],
        rows: RowMemory<'_>,
        final_steps: &mut FinalSteps,
    ) -> Result<(), BatchError> {
        self.check(indices, "actions", actions.len())?;
        let check = |n| self.check_action(indices.nth(n), actions[n]).err();
        let max_rows = chunk::chunk_rows(&self.shared.env_config);
        if let Some(error) = chunk::first_error(&self.cores, indices.len(), max_rows, check) {
            return Err(error);
        }
        final_steps.clear();
        let (shared, size) = (&self.shared, self.row_size());
        let batch = Chunk {
            environments: &mut self.environments,
            first: 0,
            indices,
            values: actions,
            rows: rows.make(size, indices.len()),
        };
        let outcome = batch.run(&self.cores, max_rows, final_steps, &|environment, number, id, row, final_steps| {
            shared.step(environment, number, id, row, final_steps);
        });
        self.note(outcome)
    }

    fn roll_out(&mut self, plan: RolloutPlan<'_>, memory: RolloutMemory<'_>) -> Result<Vec<Episode>, BatchError> {
        self.panicked.clone().map_or(Ok(()), Err)?;
        assert_eq!(plan.net.head.rules.info().id, G::INFO.id, "expected a net for the game of the environments");
        let size = self.row_size();
        let outcome = rollout::roll_out(&self.shared, &mut self.environments, size, plan, memory);
        let (outcome, episodes) = outcome.map_or_else(|panic| (Err(panic), Vec::new()), |episodes| (Ok(()), episodes));
        self.note(outcome).map(|()| episodes)
    }

    fn look(&mut self, indices: EnvIndices<'_>, look: Look, stop: &Stop) -> Result<Looked, BatchError> {
        let looked = self.looked(indices, look, stop)?;
        self.note(looked)
    }
}

impl<G: Game> CatalogVectorEnv for VectorEnv<G> {
    fn reset_at(
        &mut self,
        indices: EnvIndices<'_>,
        seeds: Option<&[Seed]>,
        positions: &[Arc<Position>],
        rows: RowMemory<'_>,
    ) -> Result<(), BatchError> {
        let starts: Vec<_> = positions.iter().map(|position| Some((typed::<G>(position.game()), position))).collect();
        self.begin(indices, seeds, &starts, rows)
    }

    fn restore(&mut self, saved: &[SavedEnvironment], rows: RowMemory<'_>) -> Result<Vec<bool>, NotRestored> {
        let games = saved.iter().map(|saved| saved.start.as_ref().map(|start| typed::<G>(start.game()).clone()));
        self.restore_from(saved, games, rows)
    }

    fn view(&self, environment: u32, viewer: Viewer) -> Result<Box<dyn AnyView>, BatchError> {
        self.panicked.clone().map_or(Ok(()), Err)?;
        let Environment { game, state, external, .. } = self.environment(environment)?;
        ensure(*state != State::Idle, || BatchError::NoEpisode { environment })?;
        if let Viewer::Seat(seat) = viewer {
            let external = *external;
            ensure(external.contains(seat), || BatchError::NotExternal { environment, seat, external })?;
        }
        Ok(erased_view(game, viewer, self.shared.rules))
    }
}
