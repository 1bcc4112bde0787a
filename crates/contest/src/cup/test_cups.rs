//! Cups of bots that tests play, without a service.

use std::collections::BTreeMap;

use ahu_core::hex;
use ahu_host::Entry;

use super::game_result::{Forfeit, GameResult};
use super::journal::{Event, GameKey, Line};
use super::seeds::Salt;
use super::state::State;
use crate::PlannedGame;

/// A cup that was played to its end.
pub(super) struct PlayedCup {
    pub(super) lines: Vec<Line>,
    /// The records by their games, and by the number of times that the game had been annulled before.
    pub(super) records: BTreeMap<(GameKey, u64), Vec<u8>>,
    pub(super) state: State,
}

/// The salt of all cups in tests.
pub(super) const SALT: Salt = Salt([7; 32]);

impl PlayedCup {
    /// Plays a cup of bots. `change` returns a change of the agents that follows this number of results.
    pub(super) fn new(file: &str, change: impl Fn(usize) -> Option<Event>) -> Self {
        Self::with(file, change, play)
    }

    /// Plays a cup with games that `play` plays.
    pub(super) fn with(
        file: &str,
        change: impl Fn(usize) -> Option<Event>,
        play: impl Fn(&State, &PlannedGame) -> (GameResult, Vec<u8>),
    ) -> Self {
        let mut events = vec![State::begin(file, &SALT)];
        let mut state = State::after(&events).expect("a file");
        let mut records = BTreeMap::new();
        let mut results = 0;
        loop {
            let next = state.next_event(&SALT).expect("tables can be drawn");
            let event = if let Some(event) = next {
                event
            } else {
                let Some(key) = state.open_games().next() else { break };
                let result = state.walkover(key).unwrap_or_else(|| {
                    let (result, record) = play(&state, &state.planned(key, &SALT));
                    records.insert((key, state.attempt(key)), record);
                    result
                });
                results += 1;
                Event::Result { key, result }
            };
            let is_result = matches!(event, Event::Result { .. });
            let change = if is_result { change(results) } else { None };
            for event in [Some(event), change].into_iter().flatten() {
                state.apply(&event).expect("the event follows");
                events.push(event);
            }
        }
        let at = "2027-05-01T18:00:00Z".to_owned();
        Self { lines: events.into_iter().map(|event| Line { at: at.clone(), event }).collect(), records, state }
    }
}

/// Returns the file of a cup of two bots, with further keys of its stage.
pub(super) fn small(keys: &str) -> String {
    let agents = ["a", "b"].map(|name| format!("[[agent]]\nname = \"{name}\"\nbot = \"random\"\n")).concat();
    format!("game = \"rapanui_cards\"\nseats = 2\nblocks = 2\n{keys}[cup]\nname = \"C\"\n{agents}")
}

/// Plays a game of bots. Returns the result, and the record as bytes.
pub(super) fn play(state: &State, planned: &PlannedGame) -> (GameResult, Vec<u8>) {
    let mut referee = planned.clone().referee();
    referee.play_bots();
    let record = referee.record();
    let result = record.result.expect("bots play to the end");
    let left = |&agent: &usize| (!state.is_in(agent)).then_some(Forfeit::Left);
    let decisions = record.entries.iter().filter(|entry| matches!(entry, Entry::Action { .. })).count();
    let result = GameResult {
        match_id: Some(format!("{:016x}", planned.seed.0)),
        agents: state.names(planned.seating.values()),
        scores: result.scores.values().to_vec(),
        ranks: result.ranks.values().to_vec(),
        forfeits: planned.seating.values().iter().map(left).collect(),
        digest: Some(hex(&record.digest())),
        decisions: decisions as u32,
    };
    (result, record.to_bytes())
}
