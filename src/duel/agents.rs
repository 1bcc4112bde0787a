//! The agents of a duel and their clocks, from the players by place and the options `--field` and `--tc`.

use std::num::NonZeroU32;
use std::time::Duration;

use ahu_arena::Agent;
use ahu_host::{AnyRules, TimeControl};

use crate::CliError;
use crate::arguments::time_control;

/// The name of the agent that `--field` adds.
pub(super) const FIELD: &str = "field";
/// The maximum length of a name in characters, so that tables stay narrow.
const MAX_NAME: usize = 32;

/// Parses all agents, each `NAME=PLAYER` or a bot. Names must differ.
pub(super) fn read(rules: &dyn AnyRules, given: &[String]) -> Result<Vec<Agent>, CliError> {
    let mut agents: Vec<Agent> = Vec::new();
    for text in given {
        let (name, player) = Agent::split(rules, text).map_err(|message| match text.contains(char::is_whitespace) {
            true => {
                CliError::Usage(format!("expected an agent as NAME=PLAYER, such as new=\"{text}\", got \"{text}\""))
            }
            false => CliError::Usage(message),
        })?;
        check_name(&name)?;
        let agent = Agent::read(rules, &name, &player)?;
        if agents.iter().any(|other| other.name == agent.name) {
            return Err(CliError::Usage(format!(
                "expected a name of its own for each agent, got {} twice",
                agent.name
            )));
        }
        agents.push(agent);
    }
    Ok(agents)
}

fn check_name(name: &str) -> Result<(), CliError> {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "._@:+-".contains(letter);
    // `startup=` and `lag=` begin parts of a time control, so --tc could not tell such a name from them.
    let is_taken = [FIELD, "startup", "lag"].contains(&name);
    match (1..=MAX_NAME).contains(&name.len()) && name.chars().all(is_plain) && !is_taken {
        true => Ok(()),
        false => Err(CliError::Usage(format!(
            "expected a name of 1 to {MAX_NAME} letters, digits, and characters of ._@:+- before the \"=\", other than \
             field, startup, and lag; got \"{name}\""
        ))),
    }
}

/// Sets the clock of each program: its own time control, the time control of all programs, or else a limit of `patience` for each
/// decision.
pub(super) fn set_clocks(agents: &mut [Agent], given: &[String], patience: Duration) -> Result<(), CliError> {
    let named = |agent: &Agent| (agent.name.clone(), (!agent.is_program()).then(|| agent.text.clone()));
    let (all, own) = time_control::read(given, &agents.iter().map(named).collect::<Vec<_>>())?;
    if all.is_some() && !agents.iter().any(Agent::is_program) {
        return Err(CliError::Usage("--tc: expected a program, got bots alone, which have no clock".to_owned()));
    }
    let limit = NonZeroU32::new(u32::try_from(patience.as_millis()).unwrap_or(u32::MAX));
    let patient = TimeControl { limit, ..TimeControl::of_program() };
    for (agent, own) in agents.iter_mut().zip(own).filter(|(agent, _)| agent.is_program()) {
        agent.control = own.or(all).unwrap_or(patient);
    }
    Ok(())
}
