//! Claims: what the server has told the world outside, which a crash must not take back.

use std::collections::{BTreeMap, BTreeSet};

use ahu_service::proto::v1::{MatchState, Observation};

/// The number of a table, in the order in which the tables were asked for.
pub(crate) type Table = usize;
/// A seat; None for the public.
pub(crate) type Viewer = Option<u32>;
/// A decision: the table, the seat, and the number of the decision.
pub(crate) type Decision = (Table, u32, u32);

/// The claims of a server, and the calls that it was sent.
#[derive(Debug, Default)]
pub(crate) struct Claims {
    /// The ids of the matches that were created.
    pub(crate) created: BTreeMap<Table, String>,
    /// The seats that agents were given, by the name of the agent, which is unique.
    pub(crate) joined: BTreeMap<String, (Table, u32, String)>,
    /// The actions that were acknowledged.
    pub(crate) steps: BTreeMap<Decision, u32>,
    /// The events that viewers were told, by number.
    pub(crate) events: BTreeMap<(Table, Viewer), BTreeMap<u32, String>>,
    /// The ends that somebody was told.
    pub(crate) ended: BTreeMap<Table, MatchState>,
    /// The actions that agents sent.
    pub(crate) sent: BTreeMap<Decision, BTreeSet<u32>>,
    /// The uptime at which the last call for a decision arrived.
    pub(crate) arrivals: BTreeMap<Decision, u64>,
}

/// Notes a value that must not change. An error says that it has.
fn fixed<K: Ord, V: PartialEq + std::fmt::Debug>(
    map: &mut BTreeMap<K, V>,
    key: K,
    value: V,
    what: &str,
) -> Result<(), String> {
    match map.get(&key) {
        Some(before) if *before != value => Err(format!("{what}: told {before:?}, and then {value:?}")),
        Some(_) => Ok(()),
        None => {
            map.insert(key, value);
            Ok(())
        }
    }
}

impl Claims {
    pub(crate) fn created(&mut self, table: Table, match_id: &str) -> Result<(), String> {
        fixed(&mut self.created, table, match_id.to_owned(), "the same request creates one match")
    }

    pub(crate) fn joined(&mut self, name: &str, table: Table, seat: u32, token: &str) -> Result<(), String> {
        let value = (table, seat, token.to_owned());
        fixed(&mut self.joined, name.to_owned(), value, "the same request takes one seat")
    }

    pub(crate) fn stepped(&mut self, decision: Decision, action: u32) -> Result<(), String> {
        fixed(&mut self.steps, decision, action, "a decision has one effect")
    }

    /// Notes a state. `is_after_end` is true if somebody had been told the end when the call began that brought it.
    pub(crate) fn state(&mut self, table: Table, state: MatchState, is_after_end: bool) -> Result<(), String> {
        match state {
            MatchState::Seating | MatchState::Running | MatchState::Unspecified if is_after_end => {
                Err(format!("an end is final: told {:?}, and then {state:?}", self.ended.get(&table)))
            }
            MatchState::Seating | MatchState::Running | MatchState::Unspecified => Ok(()),
            ended => fixed(&mut self.ended, table, ended, "an end is final"),
        }
    }

    /// Notes the events of an observation.
    pub(crate) fn observed(&mut self, table: Table, viewer: Viewer, seen: &Observation) -> Result<(), String> {
        let told = self.events.entry((table, viewer)).or_default();
        for event in &seen.events {
            fixed(told, event.number, event.text.clone(), "an event does not change")?;
        }
        Ok(())
    }
}
