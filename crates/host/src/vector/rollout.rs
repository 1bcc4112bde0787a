//! Rollouts: a net plays the external seats inside the engine, some steps in every environment.
//!
//! The draw of an action is a function of the seed of the episode, the seat, and the number of the seat's decision. So nothing
//! depends on the cores, or on the number of environments. An environment plays all its steps one after the other, while the
//! weights of the net stay in the cache of its core.

use std::panic::{self, AssertUnwindSafe};

use ahu_core::{ActionId, Game};

use super::chunk::GamePanic;
use super::environment::{Environment, State, VectorSettings};
use super::final_steps::Episode;
use super::rows::{RowMemory, RowSize, RowsMut};
use crate::nets::{Net, NetRoom, Temperature};
use crate::{BotSeed, Cores, RewardRule};

/// The number under which draws of rollouts have their seeds: no block has so many games.
const DRAWS: u64 = u64::MAX;

/// The parts of the environments for each core, so that all cores end at about the same time.
const PARTS: usize = 8;

/// The net of a rollout, and how it plays.
#[derive(Clone, Copy, Debug)]
pub struct RolloutPlan<'a> {
    /// The net that plays the external seats. It is a net for the game of the environments.
    pub net: &'a Net,
    /// The number of decisions in each environment.
    pub steps: usize,
    /// The temperature of the draws.
    pub temperature: Temperature,
    /// The cores that play.
    pub cores: &'a Cores,
}

/// The memory of a rollout: of each environment one row for each step, step after step.
#[derive(Debug)]
pub struct RolloutMemory<'a> {
    /// The rows before each decision; their rewards and ends come from the decision.
    pub rows: RowMemory<'a>,
    /// The actions, by id.
    pub actions: &'a mut [i64],
    /// The natural logarithms of the probabilities with which the actions were drawn.
    pub log_probabilities: &'a mut [f32],
    /// The value of each position for the seat that has to decide, by the net.
    pub values: &'a mut [f32],
    /// The choices of the adviser by id, one for each step, and then one for the row after the last decision; empty if the
    /// net has no adviser.
    pub advice: &'a mut [i64],
    /// 1 if the decision is the first external one of its episode, else 0.
    pub starts: &'a mut [u8],
    /// The rows after the last decision, one for each environment.
    pub last: RowMemory<'a>,
    /// The values of these rows.
    pub last_values: &'a mut [f32],
}

/// The work in one environment.
struct Task<'a, G> {
    environment: &'a mut Environment<G>,
    number: u32,
    rows: RowsMut<'a>,
    actions: &'a mut [i64],
    log_probabilities: &'a mut [f32],
    values: &'a mut [f32],
    starts: &'a mut [u8],
    advice: &'a mut [i64],
    last: RowsMut<'a>,
    last_value: &'a mut f32,
}

/// Plays a rollout. Returns the episodes that ended, by environment and then in order.
///
/// # Panics
/// If the memory has another size.
pub(super) fn roll_out<G: Game>(
    shared: &VectorSettings<G>,
    environments: &mut [Environment<G>],
    size: RowSize,
    plan: RolloutPlan<'_>,
    memory: RolloutMemory<'_>,
) -> Result<Vec<Episode>, GamePanic> {
    let RolloutMemory { rows, actions, log_probabilities, values, starts, advice, last, last_values } = memory;
    let (count, steps) = (environments.len(), plan.steps);
    for length in [actions.len(), log_probabilities.len(), values.len(), starts.len()] {
        assert_eq!(length, count * steps, "expected a value for each step of each environment");
    }
    assert_eq!(last_values.len(), count, "expected a value for each environment");
    let advised = if plan.net.head.adviser.is_some() { count * (steps + 1) } else { 0 };
    assert_eq!(advice.len(), advised, "expected a choice of the adviser for each step and each last row");
    let mut advice = advice.chunks_exact_mut(steps + 1);
    let (mut rows, mut last) = (rows.make(size, count * steps), last.make(size, count));
    let columns = actions
        .chunks_exact_mut(steps)
        .zip(log_probabilities.chunks_exact_mut(steps))
        .zip(values.chunks_exact_mut(steps))
        .zip(starts.chunks_exact_mut(steps))
        .zip(last_values);
    let mut tasks = Vec::with_capacity(count);
    for (number, (environment, columns)) in environments.iter_mut().zip(columns).enumerate() {
        let ((((actions, log_probabilities), values), starts), last_value) = columns;
        let (own, others) = rows.split_at(steps);
        let (own_last, others_last) = last.split_at(1);
        (rows, last) = (others, others_last);
        tasks.push(Task {
            environment,
            number: number as u32,
            rows: own,
            actions,
            log_probabilities,
            values,
            starts,
            advice: advice.next().unwrap_or_default(),
            last: own_last,
            last_value,
        });
    }
    let on_a_core = |part: &mut [Task<'_, G>]| {
        let mut room = Room::default();
        let mut episodes = Vec::new();
        for task in part {
            let steps = AssertUnwindSafe(|| task.play(shared, plan, &mut room, &mut episodes));
            panic::catch_unwind(steps).map_err(|cause| GamePanic::of(task.number, task.environment, &*cause))?;
        }
        Ok(episodes)
    };
    let parts = tasks.chunks_mut(count.div_ceil(PARTS * plan.cores.count()).max(1));
    let episodes: Result<Vec<_>, GamePanic> = plan.cores.map(parts.collect(), on_a_core).into_iter().collect();
    Ok(episodes?.concat())
}

/// The working memory of a core.
#[derive(Default)]
struct Room {
    net: NetRoom,
    weights: Vec<(ActionId, f64)>,
}

impl Room {
    /// Lets the net see the observation of a row. Writes the choice of its adviser, if it has one, to `advice`.
    fn see<G: Game>(
        &mut self,
        shared: &VectorSettings<G>,
        net: &Net,
        environment: &Environment<G>,
        [bits, numbers]: [&mut [u8]; 2],
        advice: Option<&mut i64>,
    ) {
        let choice = net.head.adviser.map(|adviser| environment.choice(shared, adviser, environment.seat));
        if let (Some(advice), Some(choice)) = (advice, choice) {
            *advice = choice.0.into();
        }
        net.see_bytes(bits, numbers, choice, &mut self.net);
    }
}

impl<G: Game> Task<'_, G> {
    /// Plays the steps, and adds the episodes that end.
    fn play(
        &mut self,
        shared: &VectorSettings<G>,
        plan: RolloutPlan<'_>,
        room: &mut Room,
        episodes: &mut Vec<Episode>,
    ) {
        let RolloutPlan { net, steps, temperature, cores: _ } = plan;
        let environment = &mut *self.environment;
        if environment.state != State::Waiting {
            environment.begin(shared);
        }
        let pays_gains = shared.env_config.rewards == RewardRule::MarginGain;
        let mut draws = BotSeed::new(environment.episode_seed(), DRAWS);
        let mut shown = environment.shown(environment.seat);
        for step in 0..steps {
            let mut row = self.rows.row(step);
            row.show(environment, &shown);
            room.see(shared, net, environment, row.observation(), self.advice.get_mut(step));
            let seat = environment.seat;
            let mut rng = draws.rng(seat, environment.seat_decisions[seat] + 1);
            let draw = net.draw(&environment.legal, temperature, &room.net, &mut room.weights, &mut rng);
            self.actions[step] = draw.id.0.into();
            self.log_probabilities[step] = draw.log_probability;
            self.values[step] = net.value(&room.net);
            self.starts[step] = environment.is_first_decision().into();
            environment.act(shared, draw.id);
            if environment.state == State::Ended {
                let (episode, rewards) = environment.ended(shared, self.number);
                row.report(self.number, true, Some(&rewards));
                episodes.push(episode);
                environment.begin(shared);
                draws = BotSeed::new(environment.episode_seed(), DRAWS);
                shown = environment.shown(environment.seat);
            } else {
                row.report(self.number, false, None);
                shown = environment.shown(environment.seat);
                if pays_gains {
                    row.pay(environment.seat, environment.gain(&shown));
                }
            }
        }
        let mut row = self.last.row(0);
        row.report(self.number, false, None);
        row.show(environment, &shown);
        room.see(shared, net, environment, row.observation(), self.advice.get_mut(steps));
        *self.last_value = net.value(&room.net);
    }
}
