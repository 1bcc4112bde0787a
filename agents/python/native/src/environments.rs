//! Environments in this process, as the package asks for them.

use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ahu_core::{ActionId, Seed};
use ahu_host::api::{ApiError, Opening, convert};
use ahu_host::search::Stop;
use ahu_host::{COLUMNS, Column, FinalSteps, GAMES, Look, find};
use ahu_messages::v1::run_request::{self, Open, SetPlayers};
use ahu_messages::v1::run_response::{Batch, Response};
use ahu_messages::v1::{ErrorReason, RunResponse};
use numpy::{PyArray1, PyArrayMethods as _, PyReadonlyArray1, PyReadwriteArray1};
use prost::Message;
use prost::bytes::Bytes;
use pyo3::IntoPyObjectExt as _;
use pyo3::exceptions::PyValueError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyInt, PyList};

use crate::cores::{Cores, SharedCores};
use crate::engine::{Engine, Indices, Job, Kind, Outcome};
use crate::legal_actions::LegalActions;
use crate::refusal::{raised, refused};
use crate::rows::{AT_ONCE, unheld};
use crate::state::State;
use crate::worker::{Done, Pending, Worker, interruptible};

/// Environments in this process.
///
/// A call names environments by the first number and the count of a run, or by `env_ids` in rising order, uint32 [n]. Rows
/// are written into a block, uint8 [n * the bytes of a row]: the columns of `ahu_host::Column` in their order, without gaps.
/// A `Refused` says why a call was refused.
#[pyclass(frozen, module = "ahu._native")]
pub(crate) struct Environments {
    engine: Arc<Engine>,
    opened: Vec<u8>,
    opening: Opening,
    pub(crate) cores: Arc<SharedCores>,
    /// The thread for jobs in the background; None before the first.
    worker: Mutex<Option<Worker>>,
}

/// A search in the background would otherwise go on, although nobody waits for it.
impl Drop for Environments {
    fn drop(&mut self) {
        self.cores.stop.request();
    }
}

/// The result of a job as the package gets it: nanoseconds, seeds (or None), final steps (or None).
type Answer<'py> = (u64, Option<Bound<'py, PyArray1<u64>>>, Option<FinalAnswer<'py>>);

/// Final steps: seven columns as bytes, and a `RunResponse.Batch` that has the episodes alone.
type FinalAnswer<'py> = ([Bound<'py, PyArray1<u8>>; 7], Bound<'py, PyBytes>);

type Numbers<'py> = Option<PyReadonlyArray1<'py, u32>>;

#[pymethods]
impl Environments {
    /// Opens the environments that a `RunRequest.Open` asks for. It has a seed.
    #[new]
    fn new(py: Python<'_>, open: &[u8], cores: &Cores) -> PyResult<Self> {
        let open = Open::decode(open).map_err(|error| PyValueError::new_err(error.to_string()))?;
        let cores = Arc::clone(&cores.shared);
        py.detach(|| {
            let opening = Opening::read(&open, || Seed(0)).map_err(|error| refused(&error))?;
            let opened = opening.opened().encode_to_vec();
            let mut environments = opening.environments();
            cores.share(&mut *environments)?;
            let engine = Engine { environments: Mutex::new(environments), setup: opening.setup.clone() };
            Ok(Self { engine: Arc::new(engine), opened, opening, cores, worker: Mutex::new(None) })
        })
    }

    /// The `RunResponse.Opened` that answers the request.
    #[getter]
    fn opened<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.opened)
    }

    /// Takes actions, int64 [n], in environments, and returns the `Answer`. Actions are legal. Without a block, it does so in the
    /// background, and returns the `Pending` for `finish`.
    fn step<'py>(
        &self,
        py: Python<'py>,
        first: u32,
        env_ids: Numbers<'py>,
        actions: PyReadonlyArray1<'py, i64>,
        block: Option<PyReadwriteArray1<'py, u8>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let actions = actions.as_slice()?;
        let indices = indices(first, actions.len(), env_ids.as_ref())?;
        self.carry_out(py, Job { indices, kind: Kind::Step(ids(actions)) }, block)
    }

    /// Takes actions, int64 [n], in all environments, as `step` does with a block, except that the rows are `Rows` of the pool
    /// that nobody holds, and that `legal` takes their masks. The action of one environment may be a list with an int. Returns
    /// the rows with the `Answer`. None: nothing was done, since the actions have neither form, are not one for each environment,
    /// or not all legal, or all rows of the pool are held.
    fn step_all<'py>(
        &self,
        py: Python<'py>,
        legal: &Bound<'py, LegalActions>,
        actions: &Bound<'py, PyAny>,
        pool: &Bound<'py, PyList>,
    ) -> PyResult<Option<(Bound<'py, PyAny>, Answer<'py>)>> {
        let Some(ids) = plain_ids(actions)? else { return Ok(None) };
        let Some(place) = unheld(pool)? else { return Ok(None) };
        let rows = pool.get_item(place)?;
        let memory = rows.getattr(intern!(py, "memory"))?.cast_into::<PyArray1<u8>>()?;
        let mut memory = memory.try_readwrite()?;
        let (block, count) = (memory.as_slice_mut()?, ids.len());
        let job = Job { indices: Indices::Run(0, count), kind: Kind::Step(ids) };
        if block.len() != self.engine.block_bytes(&job) {
            return Ok(None);
        }
        // Less time than that after which Python itself changes threads.
        let is_short = count == 1 || count <= AT_ONCE && !self.engine.environments().env_config().has_bots();
        let outcome = match is_short {
            true => self.engine.carry_out(&job, block),
            false => py.detach(|| self.engine.carry_out(&job, block)),
        };
        let outcome = match outcome {
            Err(error) if matches!(error.reason, ErrorReason::IllegalAction | ErrorReason::NoEpisode) => {
                return Ok(None);
            }
            outcome => outcome.map_err(|error| refused(&error))?,
        };
        let size = self.engine.setup.row_size();
        let masks = &block[size[Column::Bits] * count..][..size[Column::Masks] * count];
        legal.borrow_mut().take(0..count, masks);
        Ok(Some((rows, answer(py, outcome))))
    }

    /// Begins episodes in environments, with new seeds, uint64 [n], or the next ones, and perhaps at States, as `step` takes
    /// actions.
    #[expect(clippy::too_many_arguments, reason = "a request has these parts")]
    fn reset<'py>(
        &self,
        py: Python<'py>,
        first: u32,
        count: usize,
        env_ids: Numbers<'py>,
        seeds: Option<PyReadonlyArray1<'py, u64>>,
        states: Option<Vec<PyRef<'py, State>>>,
        block: Option<PyReadwriteArray1<'py, u8>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let seeds = seeds.map(|seeds| Ok::<_, PyErr>(seeds.as_slice()?.iter().map(|&seed| Seed(seed)).collect()));
        let positions = |states: Vec<PyRef<'_, State>>| states.iter().map(|state| state.position.clone()).collect();
        let starts = states.map(|states| self.engine.starts(positions(states)));
        let kind = Kind::Reset(seeds.transpose()?, starts.transpose().map_err(|error| refused(&error))?);
        self.carry_out(py, Job { indices: indices(first, count, env_ids.as_ref())?, kind }, block)
    }

    /// Waits for a call in the background. Ctrl-C ends the wait and not the call.
    fn finish<'py>(
        &self,
        py: Python<'py>,
        pending: &Pending,
        mut block: PyReadwriteArray1<'py, u8>,
    ) -> PyResult<Answer<'py>> {
        let target = block.as_slice_mut()?;
        let Done { outcome, block: rows } = loop {
            match py.detach(|| pending.wait()) {
                Some(done) => break done,
                None => py.check_signals()?,
            }
        };
        let outcome = outcome.map_err(|error| refused(&error));
        if outcome.is_ok() && rows.len() != target.len() {
            return Err(wrong_block(rows.len(), target.len()));
        }
        py.detach(|| {
            if outcome.is_ok() {
                target.copy_from_slice(&rows);
            }
            self.worker().as_mut().expect("it has done the job").free.push(rows);
        });
        Ok(answer(py, outcome?))
    }

    /// Returns the progress of all environments as the bytes of a save.
    fn save<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let saved = py.detach(|| self.engine.save()).map_err(|error| refused(&error))?;
        Ok(PyBytes::new(py, &saved.data))
    }

    /// Replaces all environments by those of a save, and returns the `RunResponse.Restored`.
    fn restore<'py>(&self, py: Python<'py>, data: &[u8]) -> PyResult<Bound<'py, PyBytes>> {
        let restored = py.detach(|| self.engine.restore(data)).map_err(|error| refused(&error))?;
        Ok(PyBytes::new(py, &restored.encode_to_vec()))
    }

    /// Changes the players, as a `RunRequest.SetPlayers` asks for. No call is in the background.
    fn set_players(&self, py: Python<'_>, request: &[u8]) -> PyResult<()> {
        let request = SetPlayers::decode(request).map_err(|error| PyValueError::new_err(error.to_string()))?;
        let players = self.opening.read_players(&request).map_err(|error| refused(&error))?;
        py.detach(|| {
            let mut environments = self.engine.environments();
            environments.set_players(players);
            self.cores.share(&mut **environments)
        })
    }

    /// Stops the searches of the calls in the background, whose answers nobody may take any more.
    fn close(&self) {
        self.cores.stop.request();
    }

    /// Looks at environments, as a `RunRequest.Look` asks for, and returns the `RunResponse.Looked`. Ctrl-C stops a search, and
    /// raises once it has ended.
    #[pyo3(signature = (first, count, env_ids, request))]
    fn look<'py>(
        &self,
        py: Python<'py>,
        first: u32,
        count: usize,
        env_ids: Numbers<'py>,
        request: &[u8],
    ) -> PyResult<Bound<'py, PyBytes>> {
        let request = run_request::Look::decode(request).map_err(|error| PyValueError::new_err(error.to_string()))?;
        let look = Look::read(self.engine.setup.rules(), &request).map_err(|error| refused(&error))?;
        let (indices, stop) = (indices(first, count, env_ids.as_ref())?, Stop::default());
        let is_slow = look.bot().is_some_and(|bot| !bot.is_quick());
        // A few rows of a search are worth all cores.
        let cores = is_slow.then(|| self.cores.cores(true)).transpose()?;
        let answer = || self.engine.look(look, &indices, cores, &stop);
        let looked = if is_slow { interruptible(py, &stop, answer)? } else { py.detach(answer) };
        Ok(PyBytes::new(py, &looked.map_err(|error| refused(&error))?.encode_to_vec()))
    }

    /// Returns the table of an environment in a form of text (`TableFormat`), for the public or for a seat that the client plays.
    #[pyo3(signature = (environment, seat, form = 1))]
    fn render(&self, py: Python<'_>, environment: u32, seat: Option<u32>, form: i32) -> PyResult<String> {
        py.detach(|| {
            let view = self.engine.view(environment, seat)?;
            Ok(convert::table(&*view, ApiError::read_value("form", form)?).unwrap_or_default())
        })
        .map_err(|error| refused(&error))
    }

    /// Returns what a seat that the client plays is shown, as an `Any` with the typed message of the game.
    fn typed<'py>(&self, py: Python<'py>, environment: u32, seat: u32) -> PyResult<Bound<'py, PyBytes>> {
        let view = self.engine.view(environment, Some(seat)).map_err(|error| refused(&error))?;
        Ok(PyBytes::new(py, &view.message().encode_to_vec()))
    }

    /// Returns an action of a seat in all forms, as an `Action`; None for an id that the game does not have.
    fn action<'py>(&self, py: Python<'py>, action_id: u16, seat: u32) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let setup = &self.engine.setup;
        let seat = convert::read_seat(Some(seat), setup.seats()).map_err(|error| refused(&error))?;
        let action = convert::action(setup.rules(), ActionId(action_id), seat, setup.seats(), true);
        Ok(action.map(|action| PyBytes::new(py, &action.encode_to_vec())))
    }
}

impl Environments {
    /// Returns the engine.
    pub(crate) fn engine(&self) -> &Engine {
        &self.engine
    }

    fn worker(&self) -> MutexGuard<'_, Option<Worker>> {
        self.worker.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Carries out a job on the caller's thread; without a block, hands it to the worker.
    fn carry_out<'py>(
        &self,
        py: Python<'py>,
        job: Job,
        block: Option<PyReadwriteArray1<'py, u8>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if let Some(mut block) = block {
            let block = block.as_slice_mut()?;
            if block.len() != self.engine.block_bytes(&job) {
                return Err(wrong_block(self.engine.block_bytes(&job), block.len()));
            }
            let outcome = py.detach(|| self.engine.carry_out(&job, block)).map_err(|error| refused(&error))?;
            return answer(py, outcome).into_bound_py_any(py);
        }
        let pending = py.detach(|| {
            let mut worker = self.worker();
            let worker = match &mut *worker {
                Some(worker) => worker,
                none => none.insert(Worker::start(Arc::clone(&self.engine), self.cores.stop.clone())?),
            };
            Ok::<_, PyErr>(worker.send(job))
        })?;
        pending.into_bound_py_any(py)
    }
}

/// Returns the ids of actions. Any number may stand where an episode has ended. No action has the highest id.
fn ids(actions: &[i64]) -> Vec<ActionId> {
    actions.iter().map(|&id| ActionId(u16::try_from(id).unwrap_or(u16::MAX))).collect()
}

/// Returns the ids of actions that are an array, int64 [n], or a list with one int; None if they are neither.
fn plain_ids(actions: &Bound<'_, PyAny>) -> PyResult<Option<Vec<ActionId>>> {
    if let Ok(actions) = actions.cast::<PyArray1<i64>>() {
        return Ok(actions.try_readonly()?.as_slice().ok().map(ids));
    }
    // A bool is an int of Python's, and no action.
    let is_int = |action: &Bound<'_, PyAny>| action.is_exact_instance_of::<PyInt>();
    let Ok(actions) = actions.cast::<PyList>() else { return Ok(None) };
    let action = if actions.len() == 1 { actions.iter().next().filter(is_int) } else { None };
    Ok(action.and_then(|action| action.extract().ok()).map(|action: i64| ids(&[action])))
}

fn indices(first: u32, count: usize, env_ids: Option<&PyReadonlyArray1<'_, u32>>) -> PyResult<Indices> {
    Ok(match env_ids {
        None => Indices::Run(first, count),
        Some(numbers) => Indices::These(numbers.as_slice()?.to_vec()),
    })
}

fn answer(py: Python<'_>, outcome: Outcome) -> Answer<'_> {
    let Outcome { final_steps, seeds, nanoseconds } = outcome;
    let seeds = (!seeds.is_empty()).then(|| PyArray1::from_vec(py, seeds));
    let FinalSteps { env_ids, seats, players, bits, numbers, returns, ranks, episodes } = final_steps;
    let final_steps = (!episodes.is_empty()).then(|| {
        let episodes = Batch { episodes: episodes.iter().map(convert::episode).collect(), ..Batch::default() };
        let columns = [env_ids, seats, players, bits, numbers, returns, ranks];
        (columns.map(|column| PyArray1::from_vec(py, column)), PyBytes::new(py, &episodes.encode_to_vec()))
    });
    (nanoseconds, seeds, final_steps)
}

/// Reads a `RunResponse`. Writes the rows of a batch into a block, whose columns have these bytes a row, and returns the
/// `Answer`. None: it is another response.
#[pyfunction]
pub(crate) fn read_batch<'py>(
    py: Python<'py>,
    response: PyBackedBytes,
    widths: [usize; COLUMNS],
    mut block: PyReadwriteArray1<'py, u8>,
) -> PyResult<Option<Answer<'py>>> {
    let block = block.as_slice_mut()?;
    let read = py.detach(|| {
        // The columns stay where they are until they are copied into the block.
        let response = RunResponse::decode(Bytes::from_owner(response));
        let response = response.map_err(|error| PyValueError::new_err(error.to_string()))?;
        let Some(Response::Batch(mut batch)) = response.response else { return Ok(None) };
        let Batch { bits, masks, env_ids, rewards, numbers, seats, players, ended, .. } = &*batch;
        let columns = [bits, masks, env_ids, rewards, numbers, seats, players, ended];
        let (count, bytes) = (batch.row_count as usize, columns.iter().map(|column| column.len()).sum());
        if block.len() != bytes {
            return Err(wrong_block(block.len(), bytes));
        }
        if columns.iter().zip(widths).any(|(column, width)| column.len() != width * count) || batch.seeds.len() % 8 > 0
        {
            return Err(PyValueError::new_err(format!("expected columns of {count} rows, got others")));
        }
        let mut rest = block;
        for column in columns {
            rest.split_off_mut(..column.len()).expect("the block has all columns").copy_from_slice(column);
        }
        let episodes = Batch { episodes: mem::take(&mut batch.episodes), ..Batch::default() }.encode_to_vec();
        Ok(Some((batch, episodes)))
    });
    let Some((batch, episodes)) = read? else { return Ok(None) };
    let seeds = batch.seeds.as_chunks().0.iter().map(|&seed| u64::from_le_bytes(seed)).collect::<Vec<_>>();
    let seeds = (!seeds.is_empty()).then(|| PyArray1::from_vec(py, seeds));
    let final_steps = (batch.final_row_count > 0).then(|| {
        let Batch { final_env_ids, final_seats, final_players, final_bits, final_numbers, .. } = &*batch;
        let Batch { final_returns, final_ranks, .. } = &*batch;
        let columns =
            [final_env_ids, final_seats, final_players, final_bits, final_numbers, final_returns, final_ranks];
        (columns.map(|column| PyArray1::from_slice(py, column)), PyBytes::new(py, &episodes))
    });
    Ok(Some((batch.server_nanoseconds, seeds, final_steps)))
}

pub(crate) fn wrong_block(expected: usize, got: usize) -> PyErr {
    PyValueError::new_err(format!("expected a block of {expected} bytes, got {got}"))
}

/// Returns a game of the catalog as a `Game` message.
#[pyfunction]
pub(crate) fn catalog_game<'py>(py: Python<'py>, game: &str) -> PyResult<Bound<'py, PyBytes>> {
    let rules = find(game).map_err(|error| raised(py, &error.into()))?;
    Ok(PyBytes::new(py, &convert::game(rules).encode_to_vec()))
}

/// Returns the ids of the games of the catalog.
#[pyfunction]
pub(crate) fn catalog_games() -> Vec<&'static str> {
    GAMES.iter().map(|rules| rules.info().id).collect()
}

/// Returns the id of the action with this text in a game of the catalog.
#[pyfunction]
pub(crate) fn parse_action(py: Python<'_>, game: &str, text: &str) -> PyResult<u16> {
    let rules = find(game).map_err(|error| raised(py, &error.into()))?;
    rules.parse_action(text).map(|id| id.0).map_err(|error| raised(py, &ApiError::bad_text(&error)))
}
