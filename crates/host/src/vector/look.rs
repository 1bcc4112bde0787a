//! Looks: what a trainer asks about rows that wait, and that changes nothing. A bot advises, or the central observation shows
//! everything that any seat knows.
//!
//! A look is no part of a batch, so that a step costs what it cost without looks.

use std::panic::{self, AssertUnwindSafe};

use ahu_core::{ActionId, Encode as _, Game, GameOptions as _, Tensor};

use super::chunk::GamePanic;
use super::environment::{Environment, State, VectorSettings};
use super::{BatchError, CHUNK_ROWS, EnvIndices, VectorEnv};
use crate::search::Stop;
use crate::{BotName, ensure};

/// The number of decisions of a quick bot that are worth a core of their own. A decision of another bot is worth one.
const CHUNK_ADVICE: usize = 64;

/// The question that a look asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// The choice of this bot in each row: its choice in a match of the same seed, at that seat and decision.
    Advice(BotName),
    /// The central observation of each row.
    Central,
}

/// The answer to a look.
#[derive(Clone, Debug, PartialEq)]
pub enum Looked {
    /// The advice of a bot.
    Advice(Advice),
    /// The central observations.
    Central(Central),
}

/// The advice of a bot. `choices` and `counts` have an entry for each row, in the order of the environments; the others have
/// an entry for each of the `counts` actions of each row, one row after the other.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Advice {
    /// The choice of the bot; 0 in a row that shows an end.
    pub choices: Vec<u16>,
    /// The number of actions with figures: the legal actions of a search that chose among several, otherwise none.
    pub counts: Vec<u16>,
    /// The ids of these actions, rising.
    pub action_ids: Vec<u16>,
    /// The playouts of each action; 0 for an action that was not tried.
    pub visits: Vec<u32>,
    /// The mean utility of each action, from 0 to 1; 0 without playouts.
    pub means: Vec<f32>,
    /// The standard error of each mean; 0 with fewer than two playouts.
    pub standard_errors: Vec<f32>,
}

/// Central observations: in each row the observations of all seats, from the seat of the row to the left, one after the other
/// without gaps. Together they have everything that any seat knows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Central {
    /// The bits: whole words of 64 for each row.
    pub bits: Vec<u64>,
    /// The numbers.
    pub numbers: Vec<i16>,
}

/// Answers about some rows, to which the answers about later rows are appended.
trait Answers: Default + Send {
    fn append(&mut self, later: Self);
}

impl Answers for Advice {
    fn append(&mut self, mut later: Self) {
        self.choices.append(&mut later.choices);
        self.counts.append(&mut later.counts);
        self.action_ids.append(&mut later.action_ids);
        self.visits.append(&mut later.visits);
        self.means.append(&mut later.means);
        self.standard_errors.append(&mut later.standard_errors);
    }
}

impl Answers for Central {
    fn append(&mut self, mut later: Self) {
        self.bits.append(&mut later.bits);
        self.numbers.append(&mut later.numbers);
    }
}

impl<G: Game> VectorEnv<G> {
    /// Answers a look, or returns the panic that it met.
    pub(super) fn looked(
        &self,
        indices: EnvIndices<'_>,
        look: Look,
        stop: &Stop,
    ) -> Result<Result<Looked, GamePanic>, BatchError> {
        self.check(indices, "rows", indices.len())?;
        let idle = indices.iter().find(|&number| self.environments[number as usize].state == State::Idle);
        ensure(idle.is_none(), || BatchError::NoEpisode { environment: idle.unwrap_or_default() })?;
        let shared = &self.shared;
        let looked = match look {
            Look::Advice(bot) => {
                let max_rows = if bot.is_quick() { CHUNK_ADVICE } else { 1 };
                let advise = |environment: &Environment<G>, advice: &mut Advice| advice.add(shared, environment, bot);
                self.ask(indices, max_rows, stop, advise).map(Looked::Advice)
            }
            Look::Central => {
                let show = |environment: &Environment<G>, central: &mut Central| central.add(shared, environment);
                self.ask(indices, CHUNK_ROWS, stop, show).map(Looked::Central)
            }
        };
        ensure(!stop.is_requested(), || BatchError::Stopped)?;
        Ok(looked)
    }

    /// Does `work` in these environments; `max_rows` rows are worth a core of their own.
    fn ask<A: Answers>(
        &self,
        indices: EnvIndices<'_>,
        max_rows: usize,
        stop: &Stop,
        work: impl Fn(&Environment<G>, &mut A) + Send + Sync,
    ) -> Result<A, GamePanic> {
        let environments = &self.environments;
        let on_a_core = |part: EnvIndices<'_>| {
            let (mut answers, mut environment) = (A::default(), 0);
            let all = AssertUnwindSafe(|| {
                for number in part.iter().take_while(|_| !stop.is_requested()) {
                    environment = number;
                    work(&environments[number as usize], &mut answers);
                }
            });
            match panic::catch_unwind(AssertUnwindSafe(|| stop.during(all))) {
                Ok(()) => Ok(answers),
                Err(cause) => Err(GamePanic::of(environment, &environments[environment as usize], &*cause)),
            }
        };
        let is_one_part = indices.len() <= max_rows || self.cores.count() == 1;
        let parts = if is_one_part { vec![indices] } else { indices.chunks(max_rows) };
        let mut found = self.cores.map(parts, on_a_core).into_iter();
        let mut answers = found.next().unwrap_or_else(|| Ok(A::default()))?;
        for later in found {
            answers.append(later?);
        }
        Ok(answers)
    }
}

impl Advice {
    fn add<G: Game>(&mut self, shared: &VectorSettings<G>, environment: &Environment<G>, name: BotName) {
        let Environment { game, state, seat, legal, .. } = environment;
        let (choice, analysis) = match state {
            State::Waiting => {
                let mut rng = environment.bot_rng(*seat);
                name.of(shared.rules.bots).advise(game, *seat, legal, &mut rng)
            }
            State::Ended | State::Idle => (ActionId(0), None),
        };
        let actions = analysis.map_or_else(Vec::new, |analysis| analysis.actions);
        self.choices.push(choice.0);
        self.counts.push(actions.len() as u16);
        self.action_ids.extend(actions.iter().map(|action| action.id.0));
        self.visits.extend(actions.iter().map(|action| action.visits));
        self.means.extend(actions.iter().map(|action| action.mean as f32));
        self.standard_errors.extend(actions.iter().map(|action| action.standard_error as f32));
    }
}

impl Central {
    fn add<G: Game>(&mut self, shared: &VectorSettings<G>, environment: &Environment<G>) {
        let seats = shared.options.seats();
        let (bits, numbers) = (self.bits.len(), self.numbers.len());
        self.bits.resize(bits + (seats.count() * G::View::BITS).div_ceil(64), 0);
        self.numbers.resize(numbers + seats.count() * G::View::NUMBERS, 0);
        let views = (0..seats.count()).map(|k| environment.shown(seats.left_of(environment.seat, k)));
        Tensor::fill_with_all(&mut self.bits[bits..], &mut self.numbers[numbers..], views);
    }
}
