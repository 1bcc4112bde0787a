//! Records of games that the package has played in this process, and the decisions of seats in any record.

use ahu_core::{ActionId, hex};
use ahu_host::outcome::ending_fields;
use ahu_host::{
    Cause, MatchTime, Record, Referee, RewardRule, TimeControl, Trajectory, Transcript, trajectories, verify,
};
use numpy::PyArray1;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

/// Returns the record of a game, as bytes: the match of `begun`, a record without entries, in which the seats that are no
/// bots took these actions, in their order; None is a resignation. Each took this time in milliseconds; the clock of the
/// match counts it. A seat whose time was up forfeits, and a stand-in plays on.
///
/// Raises a `ValueError` if `begun` is no such record, if an action is not legal, or if actions are missing or too many.
#[pyfunction]
pub(crate) fn finish_record<'py>(
    py: Python<'py>,
    begun: &str,
    actions: Vec<Option<u16>>,
    milliseconds: Vec<u32>,
) -> PyResult<Bound<'py, PyBytes>> {
    if actions.len() != milliseconds.len() {
        let (actions, times) = (actions.len(), milliseconds.len());
        return Err(PyValueError::new_err(format!("expected a time for each of {actions} actions, got {times} times")));
    }
    let bytes = py.detach(|| play(begun, &actions, &milliseconds)).map_err(PyValueError::new_err)?;
    Ok(PyBytes::new(py, &bytes))
}

fn play(begun: &str, actions: &[Option<u16>], milliseconds: &[u32]) -> Result<Vec<u8>, String> {
    let record = Record::read(begun.as_bytes()).map_err(|error| error.to_string())?;
    let agents = record.players.iter().filter(|player| player.bot.is_none()).count();
    if agents == 0 || !record.entries.is_empty() {
        return Err(format!(
            "expected a match before its first ply with a seat that is no bot, got {agents} such seats"
        ));
    }
    // After the forfeit of a seat nobody could tell whose action comes next.
    if agents > 1 && record.terms.clocks.iter().any(|clock| *clock != TimeControl::default()) {
        return Err("expected no clocks, since several seats are no bots".to_owned());
    }
    let mut referee = Referee::new(record.setup, record.seed, record.players, record.terms);
    let mut now = 0;
    let mut answers = actions.iter().zip(milliseconds);
    loop {
        referee.play_bots();
        if referee.is_over() {
            break;
        }
        let (&action, &time) = answers.next().ok_or_else(|| {
            format!(
                "expected more actions than {}: the game is not over after {} plies",
                actions.len(),
                referee.plies()
            )
        })?;
        let seat = referee.to_act().first().expect("a seat has to decide before the end");
        let decision = referee.decision(seat).expect("it has to decide");
        referee.start_clocks();
        now += u64::from(time);
        referee.set_time(MatchTime(now));
        referee.expire();
        if referee.owes(seat) {
            let done = match action {
                Some(action) => referee.act(seat, decision, ActionId(action)).map(drop),
                None => referee.resign(seat),
            };
            done.map_err(|error| error.to_string())?;
        }
    }
    // After a forfeit the stand-in has played on, and what the agent chose later has no place.
    let left = answers.len();
    if left > 0 && referee.forfeited().is_empty() {
        return Err(format!("expected no action after the end of the game, got {left} more"));
    }
    Ok(referee.record().to_bytes())
}

/// Checks that the claims of a record follow from its entries, and raises a `ValueError` otherwise.
#[pyfunction]
pub(crate) fn verify_record(py: Python<'_>, record: Vec<u8>) -> PyResult<()> {
    let checked = py.detach(|| verify(&Record::read(&record)?));
    checked.map_err(|error: ahu_host::RecordError| PyValueError::new_err(error.to_string()))
}

/// Returns what a record states whatever its rules, by the names of `ahu.records.Header`.
///
/// Raises a `ValueError` if it is no record, or was altered.
#[pyfunction]
pub(crate) fn read_header(py: Python<'_>, record: Vec<u8>) -> PyResult<Bound<'_, PyDict>> {
    let read = py.detach(|| Transcript::read(&record).map(|record| (hex(&record.digest()), record)));
    let (digest, record) = read.map_err(|error| PyValueError::new_err(error.to_string()))?;
    let header = PyDict::new(py);
    let (ending, _) = ending_fields(record.ending.as_ref());
    let forfeit_of = |seat| record.result.and_then(|result| result.forfeits[seat]).map(Cause::name);
    header.set_item("game", &record.game)?;
    header.set_item("rules_version", record.rules_version)?;
    header.set_item("seed", record.seed.0)?;
    header.set_item("players", record.players.iter().map(|player| &*player.name).collect::<Vec<_>>())?;
    header.set_item("plies", record.plies())?;
    header.set_item("ending", ending)?;
    header.set_item("scores", record.result.map(|result| result.scores.values().to_vec()))?;
    header.set_item(
        "ranks",
        record.result.map(|result| result.ranks.values().iter().map(|rank| u32::from(*rank)).collect::<Vec<_>>()),
    )?;
    header.set_item("forfeits", record.seats.iter().map(forfeit_of).collect::<Vec<_>>())?;
    header.set_item("digest", digest)?;
    Ok(header)
}

/// A record as the package gets it: the game, the seed, the names of the players, the scores and ranks (or None), the seats that
/// forfeited, and for each seat its decisions.
type Decisions<'py> =
    (&'static str, u64, Vec<String>, Option<(Vec<i32>, Vec<u8>)>, Vec<usize>, Vec<SeatDecisions<'py>>);

/// The decisions of a seat, each a row: bits, uint8 [n * width]; numbers, int16 [n * k]; masks, uint8 [n * width]; actions, int64
/// [n]; rewards, float32 [n].
type SeatDecisions<'py> = (
    Bound<'py, PyArray1<u8>>,
    Bound<'py, PyArray1<i16>>,
    Bound<'py, PyArray1<u8>>,
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray1<f32>>,
);

/// Returns the decisions of each seat in a record, with the rewards of a reward rule.
///
/// Raises a `ValueError` if the record cannot be read, if it does not follow from its entries, or if there is no such rule.
#[pyfunction]
pub(crate) fn read_decisions<'py>(py: Python<'py>, record: Vec<u8>, rule: &str) -> PyResult<Decisions<'py>> {
    let rule: RewardRule = rule.parse().map_err(|error: ahu_core::ParseError| PyValueError::new_err(error.message))?;
    let read = || {
        let record = Record::read(&record)?;
        let trajectories = trajectories(&record, rule)?;
        Ok((record, trajectories))
    };
    let read = py.detach(read).map_err(|error: ahu_host::RecordError| PyValueError::new_err(error.to_string()));
    let (record, trajectories) = read?;
    let bytes = |words: &[u64]| PyArray1::from_vec(py, words.iter().flat_map(|word| word.to_le_bytes()).collect());
    let decisions = |own: Trajectory| {
        let actions = own.actions.iter().map(|id| i64::from(id.0)).collect();
        let (numbers, rewards) = (PyArray1::from_vec(py, own.numbers), PyArray1::from_vec(py, own.rewards));
        (bytes(&own.bits), numbers, bytes(&own.masks), PyArray1::from_vec(py, actions), rewards)
    };
    let result = record.result.as_ref();
    Ok((
        record.setup.rules().info().id,
        record.seed.0,
        record.players.iter().map(|player| player.name.clone()).collect(),
        result.map(|result| (result.scores.values().to_vec(), result.ranks.values().to_vec())),
        result.map_or_else(Vec::new, |result| result.forfeited().iter().map(ahu_core::Seat::index).collect()),
        trajectories.into_iter().map(decisions).collect(),
    ))
}
