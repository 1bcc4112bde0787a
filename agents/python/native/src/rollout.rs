//! Work on many copies of States on all cores: rollouts, and the analysis of a decision.

use ahu_core::{ActionId, BySeat, Seats, Seed};
use ahu_host::api::ApiError;
use ahu_host::search::{Analysis as SearchAnalysis, Stop};
use ahu_host::{AnyRules, BotAnalysis, BotName, Cores, Position, RewardRule};
use numpy::ndarray::Array3;
use numpy::{IntoPyArray as _, PyArray3};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyList;
use rayon::ThreadPool;
use rayon::prelude::*;

use crate::cores;
use crate::refusal::raised;
use crate::seed::SeedArgument;
use crate::state::State;
use crate::worker::interruptible;

/// Reads the name of a reward rule.
pub(crate) fn reward_rule(py: Python<'_>, rule: &str) -> PyResult<RewardRule> {
    rule.parse().map_err(|error: ahu_core::ParseError| raised(py, &ApiError::bad_field("rule", error.message)))
}

/// Returns the return of each seat by a reward rule, from the scores and ranks of a match.
#[pyfunction]
pub(crate) fn returns_of(py: Python<'_>, rewards: &str, scores: Vec<i32>, ranks: Vec<u8>) -> PyResult<Vec<f32>> {
    let rule = reward_rule(py, rewards)?;
    let seats = Seats::new(scores.len()).filter(|seats| seats.count() == ranks.len());
    let seats = seats.ok_or_else(|| PyValueError::new_err("expected a score and a rank for each seat"))?;
    let scores = BySeat::from_fn(seats, |seat| scores[seat.index()]);
    let ranks = BySeat::from_fn(seats, |seat| ranks[seat.index()]);
    Ok(rule.returns(&scores, &ranks).values().to_vec())
}

/// Plays copies of each State to the end, `count` times: see `_native.pyi`.
#[pyfunction]
#[pyo3(signature = (states, bot, count, seed, *, rewards, threads))]
pub(crate) fn rollout<'py>(
    py: Python<'py>,
    states: Vec<PyRef<'py, State>>,
    bot: &str,
    count: usize,
    seed: SeedArgument,
    rewards: &str,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyArray3<f32>>> {
    let rule = reward_rule(py, rewards)?;
    let Some(first) = states.first() else { return Err(PyValueError::new_err("expected 1 State or more, got 0")) };
    let seats = first.position.setup().seats();
    if let Some(other) = states.iter().map(|state| state.position.setup().seats()).find(|&other| other != seats) {
        let message = format!("expected States with {seats} seats, as the first has, got one with {other}");
        return Err(PyValueError::new_err(message));
    }
    if count == 0 || u32::try_from(count).is_err() {
        return Err(PyValueError::new_err(format!("expected a count of 1 to {}, got {count}", u32::MAX)));
    }
    let shape = (states.len(), count, seats.count());
    let bots = states.iter().map(|state| bot_of(py, &state.position, bot)).collect::<PyResult<Vec<_>>>()?;
    let positions = states.iter().map(|state| state.position.clone()).collect::<Vec<_>>();
    // Another thread may take its turn from here on: the copies are our own.
    drop(states);
    let mut returns = vec![0.0; positions.len() * count * seats.count()];
    let threads = Threads::new(threads)?;
    let play = |(n, out): (usize, &mut [f32])| {
        // The caller drops the returns of a rollout that is stopped.
        if !threads.stop.is_requested() {
            let seed = seed.0.plus((n % count) as u32);
            let (scores, ranks) = positions[n / count].game().play_out(bots[n / count], seed);
            out.copy_from_slice(rule.returns(&scores, &ranks).values());
        }
    };
    threads.run(py, || returns.par_chunks_mut(seats.count()).enumerate().for_each(play))?;
    Ok(Array3::from_shape_vec(shape, returns).expect("a return for each seat").into_pyarray(py))
}

/// The figures of a search for each legal action of a decision: see `_native.pyi`.
#[pyclass(frozen, get_all, module = "ahu")]
pub(crate) struct Analysis {
    actions: Vec<Py<ActionAnalysis>>,
    choice: u16,
    policy: u16,
    playouts: u32,
}

/// The figures of one action: see `_native.pyi`.
#[pyclass(frozen, get_all, module = "ahu")]
pub(crate) struct ActionAnalysis {
    id: u16,
    text: String,
    visits: u32,
    mean: f64,
    standard_error: f64,
    score: f64,
    ranks: Vec<u32>,
}

#[pymethods]
impl Analysis {
    fn __repr__(&self) -> String {
        let (actions, choice, playouts) = (self.actions.len(), self.choice, self.playouts);
        format!("Analysis(actions={actions}, choice={choice}, playouts={playouts})")
    }
}

#[pymethods]
impl ActionAnalysis {
    fn __repr__(&self) -> String {
        let Self { id, text, visits, mean, standard_error, .. } = self;
        format!(
            "ActionAnalysis(id={id}, text={text:?}, visits={visits}, mean={mean:.3}, standard_error={standard_error:.3})"
        )
    }
}

/// Analyses a decision, or each of a sequence, by a search, from the view of its seat alone: see `_native.pyi`.
#[pyfunction]
#[pyo3(signature = (states, *, seat = None, bot = "search:200", seed = SeedArgument(Seed(0)), threads = None))]
pub(crate) fn analyse<'py>(
    py: Python<'py>,
    states: &Bound<'py, PyAny>,
    seat: Option<i64>,
    bot: &str,
    seed: SeedArgument,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyAny>> {
    if let Ok(state) = states.extract::<PyRef<'_, State>>() {
        let (work, names) = work_of(py, &state, seat, bot, seed.0)?;
        drop(state);
        let analysis = Threads::new(threads)?.run(py, || work(Cores::CallersPool))?;
        return Ok(Bound::new(py, names.report(py, &analysis)?)?.into_any());
    }
    let states = states.extract::<Vec<PyRef<'_, State>>>()?;
    if states.is_empty() {
        return Err(PyValueError::new_err("expected 1 State or more, got 0"));
    }
    let works = states.iter().map(|state| work_of(py, state, seat, bot, seed.0)).collect::<PyResult<Vec<_>>>()?;
    drop(states);
    let (works, names): (Vec<_>, Vec<_>) = works.into_iter().unzip();
    let is_timed = names.iter().any(|names| names.is_timed);
    let threads = Threads::new(threads)?;
    // Few searches share the cores; of many, each has one.
    let cores = if works.len() < 4 * threads.pool.current_num_threads() { Cores::CallersPool } else { Cores::Callers };
    let analyses: Vec<_> = threads.run(py, || match is_timed {
        // A search of a given time has all cores for itself, as alone.
        true => works.into_iter().map(|work| work(Cores::CallersPool)).collect(),
        false => works.into_par_iter().map(|work| work(cores.clone())).collect(),
    })?;
    let reports = names.iter().zip(&analyses).map(|(names, analysis)| Bound::new(py, names.report(py, analysis)?));
    Ok(PyList::new(py, reports.collect::<PyResult<Vec<_>>>()?)?.into_any())
}

/// The parts of an analysis that a search does not know.
struct Names {
    rules: &'static dyn AnyRules,
    seats: usize,
    /// True if the budget is a time.
    is_timed: bool,
}

/// Returns the analysis of a State as work to be done.
fn work_of(py: Python<'_>, state: &State, seat: Option<i64>, bot: &str, seed: Seed) -> PyResult<(BotAnalysis, Names)> {
    let Some(seat) = state.deciding(py, seat)? else { return Err(raised(py, &state.nobody_decides())) };
    let name = bot_of(py, &state.position, bot)?;
    if name.budget().is_none() {
        let message = format!("expected a search, such as search:200, got the bot \"{name}\"");
        return Err(raised(py, &ApiError::bad_bot(message, name)));
    }
    let Some(work) = state.position.analysis(name, seat, seed) else {
        let error = ahu_core::PlayError::NotYourDecision { seat, to_act: state.position.game().turn().to_act() };
        return Err(raised(py, &ApiError::not_played(error, 0)));
    };
    let setup = state.position.setup();
    let names = Names { rules: setup.rules(), seats: setup.seats().count(), is_timed: !name.is_reproducible() };
    Ok((work, names))
}

impl Names {
    fn report(&self, py: Python<'_>, analysis: &SearchAnalysis) -> PyResult<Analysis> {
        let text = |id: ActionId| self.rules.action_text(id).expect("a legal action has an id of the game");
        let actions = analysis.actions.iter().map(|action| {
            let figures = ActionAnalysis {
                id: action.id.0,
                text: text(action.id),
                visits: action.visits,
                mean: action.mean,
                standard_error: action.standard_error,
                score: action.score,
                ranks: action.ranks[..self.seats].to_vec(),
            };
            Py::new(py, figures)
        });
        let actions = actions.collect::<PyResult<_>>()?;
        Ok(Analysis { actions, choice: analysis.choice.0, policy: analysis.policy.0, playouts: analysis.playouts })
    }
}

pub(crate) fn bot_of(py: Python<'_>, position: &Position, name: &str) -> PyResult<BotName> {
    let found = position.setup().rules().bot(name);
    found.map_err(|error| raised(py, &ApiError::unknown_bot(&error, name)))
}

/// The threads of one call, whose searches end when Ctrl-C ends the call.
pub(crate) struct Threads {
    pool: ThreadPool,
    stop: Stop,
}

impl Threads {
    /// Starts this many threads; None: as many as the process has cores.
    pub(crate) fn new(threads: Option<usize>) -> PyResult<Self> {
        let stop = Stop::default();
        Ok(Self { pool: cores::pool(cores::counted(threads)?, &stop)?, stop })
    }

    /// Does `work` in the pool, and waits. Ctrl-C ends it early, and raises.
    pub(crate) fn run<T: Send>(&self, py: Python<'_>, work: impl FnOnce() -> T + Send) -> PyResult<T> {
        interruptible(py, &self.stop, || self.pool.install(work))
    }
}
