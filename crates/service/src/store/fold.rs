//! The fold of a stored match into its lifecycle: for a server that continues the match, and for a check of its store.

use std::panic::{self, AssertUnwindSafe};

use ahu_core::hex;
use ahu_host::{BotName, Entry, Referee, SeatPlayer};
use prost::Message;

use super::encoding::read_description;
use super::{StoredMatch, StoredStep};
use crate::lifecycle::Lifecycle;
use crate::proto::v1;

impl StoredMatch {
    /// Returns the match as it stands after its entries. An error says why the entries do not lead to the stored state, or
    /// why a match in progress cannot go on.
    pub(crate) fn fold(&self) -> Result<Lifecycle, String> {
        let folded = panic::catch_unwind(AssertUnwindSafe(|| self.lifecycle()));
        let lifecycle = folded.unwrap_or_else(|_| Err("its rules failed".to_owned()))?;
        let (found, expected) = (self.state.as_str_name(), lifecycle.state().as_str_name());
        if found != expected {
            return Err(format!("expected the state {expected} after its entries, got {found}"));
        }
        let is_stuck = |referee: &Referee| !referee.is_over() && referee.to_act().is_empty();
        if lifecycle.referee().is_some_and(is_stuck) {
            return Err("expected a decision after its last entry, got none: entries are missing".to_owned());
        }
        let is_missing = |bot: &&BotName| !bot.is_loaded();
        if let Some(net) = self.head.bots.iter().flatten().find(is_missing)
            && lifecycle.ending().is_none()
        {
            return Err(format!("expected the net {net}, which plays in it: name its file with --net"));
        }
        Ok(lifecycle)
    }

    fn lifecycle(&self) -> Result<Lifecycle, String> {
        match (self.players()?, self.steps.as_slice()) {
            // A match with an end as its only entry never began.
            (_, [StoredStep { entries, .. }]) if matches!(&entries[..], [Entry::Cancelled(_) | Entry::Void(_)]) => {
                Ok(Lifecycle::ended_early(entries[0].clone()))
            }
            (Some(players), steps) => {
                let steps = steps.iter().map(|step| (step.at, &step.entries[..]));
                let (setup, terms) = (self.head.setup.clone(), self.head.terms.clone());
                let referee = Referee::resume(setup, self.head.seed, players, terms, steps);
                referee.map(Lifecycle::begun).map_err(|error| error.to_string())
            }
            (None, []) => Ok(Lifecycle::default()),
            (None, steps) => Err(format!("expected all seats taken before the first entry, got {} calls", steps.len())),
        }
    }

    /// Returns the players, by seat; None if a seat is open.
    fn players(&self) -> Result<Option<Vec<SeatPlayer>>, String> {
        let mut players: Vec<_> = self.head.bots.iter().map(|bot| bot.map(SeatPlayer::bot)).collect();
        for taken in &self.seats {
            let player = players.get_mut(taken.seat.index()).ok_or_else(|| format!("it has no seat {}", taken.seat))?;
            *player = Some(SeatPlayer::external(&taken.name));
        }
        Ok(players.into_iter().collect())
    }

    /// Checks the public description after the end against the folded match. `sealed` is the description with its seal. An
    /// error says what is wrong.
    pub(super) fn check_description(&self, lifecycle: &Lifecycle, sealed: &[u8]) -> Result<(), String> {
        let description = read_description(&self.head.id, sealed)?;
        if description.is_empty() {
            // The server could not describe the match, and does so from the entries.
            return Ok(());
        }
        let description = v1::Match::decode(&*description).map_err(|error| error.to_string())?;
        let differs = |what: &str, expected: &str, found: &str| match expected == found {
            true => Ok(()),
            false => Err(format!("expected {what} {expected}, got {found}")),
        };
        differs("the id", &self.head.id, &description.match_id)?;
        differs("the state", lifecycle.state().as_str_name(), description.state().as_str_name())?;
        differs("the reason", &lifecycle.end_reason(), &description.end_reason)?;
        let result = lifecycle.referee().filter(|referee| referee.result().is_some() && !self.head.is_sealed);
        let digest = |bytes: Option<&[u8]>| bytes.map_or("none".to_owned(), hex);
        let expected = result.map(|referee| referee.record().digest());
        let found = description.result.as_ref().map(|result| &result.record_digest[..]);
        differs("a record with the digest", &digest(expected.as_ref().map(|digest| &digest[..])), &digest(found))
    }
}
