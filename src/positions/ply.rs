//! The plies of a request: actions and chance outcomes.

use ahu_core::{ActionId, Seed};
use ahu_host::{EventList, Position};
use serde::Deserialize;

use super::base::seat_of;

/// A ply of a request.
#[derive(Deserialize)]
#[serde(
    untagged,
    deny_unknown_fields,
    expecting = "expected a ply: the id or the text of an action, the text of an outcome, {\"seat\": …, \"action\": …}, or \
                 {\"draw\": SEED}"
)]
pub(super) enum Ply {
    /// The action of the first seat that has to decide; as text while a chance event is due, its outcome.
    First(Action),
    /// The action of a seat.
    Of { seat: usize, action: Action },
    /// The outcome that a seed draws for the due chance event.
    Drawn { draw: Seed },
}

/// The id or the text of an action.
#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum Action {
    Id(u64),
    Text(String),
}

impl Ply {
    /// Applies the ply. A refusal changes nothing.
    pub(super) fn apply(&self, position: &mut Position) -> Result<(), String> {
        let events = &mut EventList::new();
        let (seat, action) = match self {
            Self::First(Action::Text(outcome)) if position.is_chance_due() => return position.settle(outcome, events),
            Self::Drawn { draw } => {
                let outcome = position.draw(*draw).ok_or("expected an action, got a seed: no chance event is due")?;
                return position.settle(&outcome, events);
            }
            _ if position.is_chance_due() => {
                return Err("expected an outcome, since a chance event is due, got an action".to_owned());
            }
            Self::First(action) => (position.game().turn().to_act().first().unwrap_or_default(), action),
            Self::Of { seat, action } => (seat_of(position, *seat)?, action),
        };
        let rules = position.setup().rules();
        let count = rules.action_count();
        let id = match action {
            Action::Text(text) => rules.parse_action(text).map_err(|error| error.to_string())?,
            Action::Id(id) => u16::try_from(*id)
                .map(ActionId)
                .map_err(|_| format!("expected an action id from 0 to {}, got {id}", count - 1))?,
        };
        position.play(seat, id).map_err(|error| error.to_string())
    }
}
