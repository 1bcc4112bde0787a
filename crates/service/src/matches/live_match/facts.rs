//! The facts of a match that everybody may read without its lock.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use ahu_core::Seat;
use ahu_host::api::{convert, terms};
use ahu_host::{Entry, MatchResult, Referee};
use sha2::{Digest as _, Sha256};

use crate::proto::v1;
use crate::reservation::Reservation;
use crate::secrets::Digest;
use crate::store::MatchHead;

/// The facts of a match. The match and its watchers share them without a lock: only the seal changes, once, and the digest is
/// computed once.
#[derive(Debug)]
pub(crate) struct MatchFacts {
    /// The facts that a store keeps and that never change.
    pub(crate) head: Arc<MatchHead>,
    /// SHA-256 over salt, seed, and specification. It is public before play, so that nobody can choose the seed after the
    /// fact.
    pub(crate) commitment: Digest,
    /// The number of this match among the matches with its seed.
    pub(crate) game: u64,
    /// The plies with which the match begins.
    pub(crate) beginning: Vec<Entry>,
    /// True while seed, record, and public events stay secret after the end.
    is_sealed: AtomicBool,
    /// The digest of the record; empty until somebody asks for it after the end.
    record_digest: OnceLock<Digest>,
}

impl MatchFacts {
    pub(crate) fn new(head: MatchHead, game: u64, beginning: Vec<Entry>) -> Arc<Self> {
        let commitment = Sha256::new()
            .chain_update(head.salt)
            .chain_update(head.seed.0.to_le_bytes())
            .chain_update(&head.specification)
            .finalize();
        Arc::new(Self {
            is_sealed: AtomicBool::new(head.is_sealed),
            head: Arc::new(head),
            commitment: commitment.into(),
            game,
            beginning,
            record_digest: OnceLock::new(),
        })
    }

    /// Returns true while seed, record, and public events stay secret after the end.
    pub(crate) fn is_sealed(&self) -> bool {
        self.is_sealed.load(Ordering::Relaxed)
    }

    /// Breaks the seal: after the end, everybody may see seed and record.
    pub(crate) fn unseal(&self) {
        self.is_sealed.store(false, Ordering::Relaxed);
    }

    /// Returns the reservation of a seat; None if it is not reserved.
    pub(crate) fn reservation(&self, seat: Seat) -> Option<&Reservation> {
        self.head.reservations.get(seat.index()).and_then(Option::as_ref)
    }

    /// Returns the result as a message; None before the end, and for a match without a result.
    pub(crate) fn result(&self, referee: &Referee) -> Option<v1::MatchResult> {
        let MatchResult { scores, ranks, forfeits } = &referee.result()?;
        let message = v1::MatchResult {
            scores: convert::list(scores, |score| score),
            ranks: convert::list(ranks, u32::from),
            forfeits: terms::forfeits(forfeits),
            ..Default::default()
        };
        if self.is_sealed() {
            return Some(message);
        }
        let digest = self.record_digest.get_or_init(|| referee.record().digest());
        Some(v1::MatchResult {
            seed: self.head.seed.to_string(),
            salt: self.head.salt.to_vec().into(),
            fingerprint: referee.fingerprint().0.to_vec().into(),
            record_digest: digest.to_vec().into(),
            ..message
        })
    }
}
