//! The agents of a duel and their clocks, from the players by place and the options `--field` and `--tc`.

use std::num::NonZeroU32;
use std::time::Duration;

use ahu_arena::Agent;
use ahu_host::{AnyRules, TimeControl};

use crate::CliError;

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
    let patience = NonZeroU32::new(u32::try_from(patience.as_millis()).unwrap_or(u32::MAX));
    let mut of_all = None;
    let mut own = vec![None; agents.len()];
    for text in given {
        let usage = |message: String| CliError::Usage(format!("--tc {text}: {message}"));
        let named = text.split_once('=').map(|(name, time)| {
            let index = agents.iter().position(|agent| agent.name == name);
            (name, time, index)
        });
        let (place, time) = match named {
            Some((name, time, index)) if index.is_some() || is_name(name) => {
                let index = index.ok_or_else(|| {
                    let all: Vec<_> = agents.iter().map(|agent| agent.name.as_str()).collect();
                    usage(format!("expected one of the agents {}, got \"{name}\"", all.join(", ")))
                })?;
                if !agents[index].is_program() {
                    return Err(usage(format!(
                        "expected a program, got the bot {}, which has no clock",
                        agents[index].text
                    )));
                }
                (&mut own[index], time)
            }
            _ => (&mut of_all, text.as_str()),
        };
        if place.replace(time.parse().map_err(usage)?).is_some() {
            return Err(usage("expected one time control for each agent and one for all, got two".to_owned()));
        }
    }
    if of_all.is_some() && !agents.iter().any(Agent::is_program) {
        return Err(CliError::Usage("--tc: expected a program, got bots alone, which have no clock".to_owned()));
    }
    let patient = TimeControl { limit: patience, ..TimeControl::of_program() };
    for (agent, own) in agents.iter_mut().zip(own).filter(|(agent, _)| agent.is_program()) {
        agent.control = own.or(of_all).unwrap_or(patient);
    }
    Ok(())
}

/// Returns true if the text before a "=" is meant as a name, and is not part of a time control such as `10,lag=1`.
fn is_name(text: &str) -> bool {
    !["startup", "lag"].contains(&text) && !text.contains([',', '/']) && text.parse::<TimeControl>().is_err()
}
