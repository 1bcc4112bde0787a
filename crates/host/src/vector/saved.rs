//! Saved environments: the progress of each, from which it goes on as if it had not been saved.
//!
//! The bytes of a state cannot be read back, and chance is a function of the seed. So a saved environment has its seed, its
//! players, and the actions of its episode, which are played again. The choices of bots are among the actions, so that a
//! restored environment asks no bot again.

use std::sync::Arc;

use ahu_core::{ActionId, ActionSet, BySeat, Game, GameOptions as _, Seed};

use super::environment::{Environment, State, VectorSettings};
use super::{RowMemory, RowSize, VectorEnv};
use crate::{BotName, Position, RewardRule, ensure};

/// The progress of an environment.
#[derive(Clone, Debug)]
pub struct SavedEnvironment {
    /// The seed of the environment.
    pub seed: Seed,
    /// The number of episodes begun since the environment was seeded.
    pub episodes: u64,
    /// The bot of each seat in the present episode; None for external seats.
    pub bots: Vec<Option<BotName>>,
    /// The position at which the episode began; None: the first of the game.
    pub start: Option<Arc<Position>>,
    /// The ids of the actions of the episode so far, of all seats.
    pub actions: Vec<u16>,
}

/// The reason why an environment is not restored.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("environment {environment}: {reason}")]
pub struct NotRestored {
    /// The number of the environment.
    pub environment: u32,
    /// The reason.
    pub reason: String,
}

impl SavedEnvironment {
    pub(super) fn of<G: Game>(environment: &Environment<G>) -> Self {
        Self {
            seed: environment.seed,
            episodes: environment.episodes,
            bots: environment.bots.values().to_vec(),
            start: environment.start.clone(),
            actions: environment.actions.to_vec(),
        }
    }

    /// Plays the actions of the episode again, from `start` on.
    fn played_again<G: Game>(&self, shared: &VectorSettings<G>, start: Option<G>) -> Result<Environment<G>, String> {
        let mut environment = Environment::new(shared, self.seed);
        let Some(earlier) = self.episodes.checked_sub(1) else {
            return match self.actions.len() {
                0 => Ok(environment),
                actions => Err(format!("expected no actions before the first episode, got {actions}")),
            };
        };
        environment.episodes = earlier;
        environment.set_up(shared, start.zip(self.start.clone()));
        let seats = shared.options.seats();
        ensure(self.bots.len() == seats.count() && self.bots.contains(&None), || {
            format!("expected the players of {seats} seats, one or more of them external, got {:?}", self.bots)
        })?;
        environment.bots = BySeat::from_fn(seats, |seat| self.bots[seat.index()]);
        environment.external = seats.iter().filter(|&seat| environment.bots[seat].is_none()).collect();
        let most = shared.env_config.max_decisions.map_or(u32::MAX, std::num::NonZeroU32::get);
        let pays = shared.env_config.rewards == RewardRule::MarginGain;
        let (mut actions, mut waited) = (self.actions.iter(), false);
        let mut legal = ActionSet::of::<G::Action>();
        loop {
            let to_act = environment.settle();
            let bot = to_act.iter().find(|&seat| environment.bots[seat].is_some());
            let truncates = waited && environment.decisions >= most;
            let Some(seat) = bot.or(to_act.first()).filter(|_| !truncates) else {
                environment.end();
                environment.is_truncated = truncates && !to_act.is_empty();
                return match actions.len() {
                    0 => Ok(environment),
                    more => Err(format!("expected no action after the end of the episode, got {more}")),
                };
            };
            if bot.is_none() {
                environment.wait_for(seat);
                if pays && waited {
                    let shown = environment.shown(seat);
                    environment.gain(&shown);
                }
                waited = true;
            }
            let Some(&id) = actions.next() else {
                return match bot {
                    None => Ok(environment),
                    Some(seat) => Err(format!("expected the action of the bot in seat {seat}, got none")),
                };
            };
            environment.game.legal_actions(seat, &mut legal);
            ensure(legal.contains(ActionId(id)), || {
                let ply = environment.plies() + 1;
                format!("expected a legal action of seat {seat} at ply {ply} ({}), got {id}", legal.ranges())
            })?;
            environment.apply(seat, ActionId(id));
        }
    }
}

impl<G: Game> VectorEnv<G> {
    /// Replaces all environments by saved ones, of which `games` has the games of the positions at which they began.
    pub(super) fn restore_from(
        &mut self,
        saved: &[SavedEnvironment],
        games: impl Iterator<Item = Option<G>>,
        rows: RowMemory<'_>,
    ) -> Result<Vec<bool>, NotRestored> {
        ensure(saved.len() == self.environments.len(), || NotRestored {
            environment: saved.len() as u32,
            reason: format!("expected {} environments, got {}", self.environments.len(), saved.len()),
        })?;
        let mut restored = Vec::with_capacity(saved.len());
        for ((environment, saved), game) in (0..).zip(saved).zip(games) {
            let played = saved.played_again(&self.shared, game);
            restored.push(played.map_err(|reason| NotRestored { environment, reason })?);
        }
        self.environments = restored;
        self.panicked = None;
        let mut rows = rows.make(RowSize::of::<G>(self.shared.options.seats()), saved.len());
        for (number, environment) in (0..).zip(&self.environments) {
            let (mut row, ended) = (rows.row(number as usize), environment.state == State::Ended);
            row.report(number, ended, None);
            row.show(environment, &environment.shown(environment.seat));
        }
        let begins =
            |environment: &Environment<G>| environment.state == State::Waiting && environment.is_first_decision();
        Ok(self.environments.iter().map(begins).collect())
    }
}
