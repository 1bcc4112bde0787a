//! The agreement about a new match.

use std::collections::BTreeMap;

use ahu_core::Seed;
use ahu_host::{BotName, Entry, EntryError, Referee, SeatPlayer, Setup, Terms};

use super::SupervisorConfig;
use crate::organiser::OwnedCup;
use crate::reservation::Reservation;

/// The agreement about a new match.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a term of its own")]
pub struct MatchConfig {
    /// The rules, seats, and options.
    pub setup: Setup,
    /// The bot of each seat; None for open seats.
    pub bots: Vec<Option<BotName>>,
    /// The seed of all chance; None for a random seed.
    pub seed: Option<Seed>,
    /// The clocks, the conduct, and the stand-in.
    pub terms: Terms,
    /// True if the match is not listed, and not joined by a description.
    pub is_unlisted: bool,
    /// True if the bounds of the store never remove the match (see [`Matches::prune`]).
    ///
    /// [`Matches::prune`]: crate::matches::Matches::prune
    pub is_pinned: bool,
    /// The cup of an organiser to which the match belongs, if there is one.
    pub cup: Option<OwnedCup>,
    /// True if seed, record, and public events stay secret after the end, until [`LiveMatch::unseal`] is called.
    ///
    /// [`LiveMatch::unseal`]: super::LiveMatch::unseal
    pub is_sealed: bool,
    /// The number of this match among the matches with its seed, from 0. Its bots choose differently in each of them. A store
    /// does not keep it.
    pub game: u64,
    /// The plies with which the match begins, from a record with the same setup and seed. Its players have decided them, in
    /// no time. Empty for a match that begins with the first ply.
    pub beginning: Vec<Entry>,
    /// The reservation of each seat. Empty: none is reserved.
    pub reservations: Vec<Option<Reservation>>,
    /// The number of the last public events that the public is not told while the match is in progress.
    pub spectator_delay: u32,
    /// True if no account has two seats.
    pub has_distinct_owners: bool,
    /// The labels of the creator.
    pub labels: BTreeMap<String, String>,
    /// The supervisor of the match; None for a match without one. A store does not keep it.
    pub supervisor: Option<SupervisorConfig>,
}

impl MatchConfig {
    /// Returns a match with open seats, a random seed, and the default terms.
    pub fn new(setup: Setup) -> Self {
        let bots = vec![None; setup.seats().count()];
        Self {
            setup,
            bots,
            seed: None,
            terms: Terms::default(),
            is_unlisted: false,
            is_pinned: false,
            cup: None,
            is_sealed: false,
            game: 0,
            beginning: Vec::new(),
            reservations: Vec::new(),
            spectator_delay: 0,
            has_distinct_owners: false,
            labels: BTreeMap::new(),
            supervisor: None,
        }
    }

    /// Checks that each ply of the beginning follows from the plies before it.
    pub(in crate::matches) fn check_beginning(&self) -> Result<(), EntryError> {
        if self.beginning.is_empty() {
            return Ok(());
        }
        let players = vec![SeatPlayer::external("player"); self.setup.seats().count()];
        let seed = self.seed.unwrap_or(Seed(0));
        Referee::fold(self.setup.clone(), seed, players, self.terms.clone(), &self.beginning).map(|_| ())
    }
}
