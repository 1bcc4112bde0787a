//! Terms: the agreement about a match beside the rules of its game: conduct, clocks, idle limit, stand-in.

use std::num::NonZeroU32;

use super::{AnyRules, BotName, Conduct, MAX_CONTROL, TimeControl, ensure};

/// The agreement of a match beside the rules of its game.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Terms {
    /// The consequences of faults.
    pub conduct: Conduct,
    /// The clock of each seat. Empty: no clocks.
    pub clocks: Vec<TimeControl>,
    /// The limit of a span for seats without any limit, in milliseconds; None: no limit.
    pub idle: Option<NonZeroU32>,
    /// The bot that plays on for a seat that has forfeited; None: the newest `greedy`.
    pub stand_in: Option<BotName>,
}

impl Terms {
    /// Returns the bot that plays on for a seat that has forfeited.
    pub fn stand_in_of(&self, rules: &dyn AnyRules) -> BotName {
        self.stand_in.unwrap_or_else(|| rules.stand_in())
    }

    /// Returns true if the terms are the default terms. The idle limit may differ, since each server has its own.
    pub fn are_default(&self, rules: &dyn AnyRules) -> bool {
        let default = Self::default();
        let clocks = self.clocks.iter().all(|clock| *clock == TimeControl::default());
        clocks && self.conduct == default.conduct && self.stand_in_of(rules) == default.stand_in_of(rules)
    }

    /// Checks each part of the terms, and that no part contradicts another.
    pub fn check(&self) -> Result<(), String> {
        self.clocks.iter().try_for_each(TimeControl::check)?;
        for (name, limit) in [("idle limit", self.idle), ("absence limit", self.conduct.absence_limit)] {
            let limit = limit.map_or(0, NonZeroU32::get);
            ensure(limit <= MAX_CONTROL, || {
                format!("expected an {name} of at most a day ({MAX_CONTROL} ms), got {limit} ms")
            })?;
        }
        self.conduct.check(&self.clocks)
    }
}

impl From<Conduct> for Terms {
    fn from(conduct: Conduct) -> Self {
        Self { conduct, ..Self::default() }
    }
}
