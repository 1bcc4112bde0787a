//! The salts that a journal makes public.

use super::journal::{Event, GameKey, Line};
use super::ladder::CHAIN_DAYS;
use super::seeds::Salt;
use super::state::State;

/// The salts that a journal makes public, on any of its lines.
#[derive(Clone, Debug, Default)]
pub struct PublicSalts {
    /// The salt of the cup. `State::apply` compares its hash with the hash at the begin of the journal.
    pub(super) cup: Option<Salt>,
    /// The salts with which the chains of a ladder begin, and the salts of its days, from day 0 on. A salt that does not belong
    /// to its chain is none: its line has a fault, and not the draws of its day.
    chains: Vec<Salt>,
    days: Vec<Salt>,
}

impl PublicSalts {
    /// Notes the salt of a line, if it has one.
    pub fn note(&mut self, line: &Line) {
        match &line.event {
            Event::End { salt } => self.cup = Salt::parse(salt),
            Event::Open { salt, .. } => self.chains.extend(Salt::parse(salt)),
            Event::Salt { salt, .. } => {
                let day = self.days.len();
                let before = match day % CHAIN_DAYS as usize {
                    0 => self.chains.get(day / CHAIN_DAYS as usize),
                    _ => self.days.last(),
                };
                let next = Salt::parse(salt).filter(|salt| before == Some(&salt.of_day_before()));
                self.days.extend(next);
            }
            _ => {}
        }
    }

    /// Returns the salt of a day of a ladder; None if it is not public yet.
    pub(super) fn of_day(&self, day: u64) -> Option<Salt> {
        self.days.get(day as usize).copied().or_else(|| self.cup.map(|salt| salt.of_day(day)))
    }

    /// Returns the salt from which the seed of a game comes; None if it is not public yet.
    pub(super) fn of_game(&self, state: &State, key: GameKey) -> Option<Salt> {
        state.open_game(key).map_or(self.cup, |open| self.of_day(open.day))
    }
}
