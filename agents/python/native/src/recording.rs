//! Records of games that the package has played in this process.

use ahu::core::ActionId;
use ahu::host::{MatchTime, Record, Referee};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// Returns the record of a game, as bytes: the match of `begun`, a record without entries, in which the one seat that is no
/// bot took these actions. Each took this time in milliseconds; the clock of the match counts it. A seat whose time was up
/// forfeits, and a stand-in plays on.
///
/// Raises a `ValueError` if `begun` is no such record, if an action is not legal, or if actions are missing or too many.
#[pyfunction]
pub(crate) fn finish_record<'py>(
    py: Python<'py>,
    begun: &str,
    actions: Vec<u16>,
    milliseconds: Vec<u32>,
) -> PyResult<Bound<'py, PyBytes>> {
    if actions.len() != milliseconds.len() {
        let (actions, times) = (actions.len(), milliseconds.len());
        return Err(PyValueError::new_err(format!("expected a time for each of {actions} actions, got {times} times")));
    }
    let bytes = py.detach(|| play(begun, &actions, &milliseconds)).map_err(PyValueError::new_err)?;
    Ok(PyBytes::new(py, &bytes))
}

fn play(begun: &str, actions: &[u16], milliseconds: &[u32]) -> Result<Vec<u8>, String> {
    let record = Record::read(begun.as_bytes()).map_err(|error| error.to_string())?;
    let agents = record.players.iter().filter(|player| player.bot.is_none()).count();
    if agents != 1 || !record.entries.is_empty() {
        return Err(format!(
            "expected a match before its first ply with one seat that is no bot, got {agents} such seats"
        ));
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
            referee.act(seat, decision, ActionId(action)).map_err(|error| error.to_string())?;
        }
    }
    // After a forfeit the stand-in has played on, and what the agent chose later has no place.
    let left = answers.len();
    if left > 0 && referee.forfeited().is_empty() {
        return Err(format!("expected no action after the end of the game, got {left} more"));
    }
    Ok(referee.record().to_bytes())
}
