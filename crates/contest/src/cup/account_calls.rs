//! The calls of accounts for a ladder, as its journal takes them.

use ahu_core::parts::lines::joined_or;
use ahu_host::ensure;

use super::entrant::{AgentState, Status};
use super::journal::Event;
use super::state::State;

/// The number of refused calls whose reasons a state keeps.
const REFUSALS: usize = 1_000;

impl State {
    /// Returns the reason why a call of an account was refused; None if it was not, or long ago.
    pub fn refusal(&self, call: u64) -> Option<&str> {
        self.refusals.iter().find(|(number, _)| *number == call).map(|(_, reason)| reason.as_str())
    }

    /// Returns the number of the agent with this name, for a call of an account, whose own agents a refusal names.
    fn entrant_of(&self, account: &str, name: &str) -> Result<usize, String> {
        self.number(name).map_err(|_| {
            let own = self.agents.iter().filter(|agent| agent.entrant.owner.as_deref() == Some(account));
            let own = joined_or(own.map(|agent| &agent.entrant.name), ", ", "none");
            format!("expected an agent of {account} with its version, one of: {own}; got \"{name}\"")
        })
    }

    /// Takes a call of an account: its change, or the reason why it was refused.
    pub(super) fn take_call(
        &mut self,
        call: u64,
        account: &str,
        change: Option<&Event>,
        refusal: Option<&str>,
    ) -> Result<(), String> {
        ensure(call > self.called, || format!("expected a call after {}, got call {call}", self.called))?;
        ensure(change.is_some() != refusal.is_some(), || "expected a change or a refusal of a call".to_owned())?;
        if let Some(change) = change {
            let name = match change {
                Event::Add { agent } => agent.owner.as_deref(),
                Event::Withdraw { agent, .. } => self.agents[self.entrant_of(account, agent)?].entrant.owner.as_deref(),
                Event::Readmit { agent } => {
                    let AgentState { entrant, status, .. } = &self.agents[self.entrant_of(account, agent)?];
                    // The organiser alone takes back what the organiser has decided.
                    ensure(matches!(status, Status::Resting(_)), || {
                        let found = match status {
                            Status::Resting(_) | Status::In => "which plays",
                            Status::Withdrawn(_) => "which has left",
                            Status::Disqualified(_) => "which the organiser has excluded",
                        };
                        format!("expected an agent that rests, got \"{agent}\", {found}")
                    })?;
                    entrant.owner.as_deref()
                }
                _ => return Err("expected a change that an account may make".to_owned()),
            };
            ensure(name == Some(account), || {
                format!("expected an agent of {account}, got one of {}", name.unwrap_or("nobody"))
            })?;
            self.apply(change)?;
        }
        self.called = call;
        self.refusals.extend(refusal.map(|reason| (call, reason.to_owned())));
        if self.refusals.len() > REFUSALS {
            self.refusals.pop_front();
        }
        Ok(())
    }
}
