//! The rows of a match, as every store in tables has them, and the match that they are.

use std::time::SystemTime;

use ahu_core::{BySeat, Fingerprint, Seats, hex};
use ahu_host::api::terms;
use ahu_host::{AnyRules, Cause, Ending, MatchResult};
use prost::Message as _;

use super::encoding::{self, Columns, EntryRow, Labelled, LogEnd};
use super::{MatchHead, Request, StoreError, StoredMatch, StoredStep, TakenSeat};
use crate::proto::v1::{self, MatchState};
use crate::secrets::Digest;

/// The row of a match.
#[derive(Debug)]
pub(crate) struct MatchRow {
    pub(super) columns: Columns,
    pub(super) head: Vec<u8>,
    pub(crate) state: i32,
    pub(crate) game: String,
    pub(crate) rules: u32,
    pub(super) is_sealed: bool,
    pub(crate) ended_ms: Option<u64>,
    pub(crate) description: Option<Vec<u8>>,
}

/// The rows of a match that stand in other tables, each list in the order of its places.
#[derive(Debug)]
pub(super) struct Parts {
    /// The seats that agents took.
    pub(super) seats: Vec<(usize, Vec<u8>)>,
    pub(super) requests: Vec<(Digest, Vec<u8>)>,
    pub(super) comments: Vec<(usize, Vec<u8>)>,
    pub(super) entries: Vec<EntryRow>,
    /// The end of the log, as it stands beside the entries.
    pub(super) end: LogEnd,
}

impl MatchRow {
    pub(crate) fn id(&self) -> &str {
        &self.columns.id
    }

    pub(super) fn number(&self) -> u64 {
        self.columns.number
    }

    /// Returns the time of day of the creation.
    pub(crate) fn created(&self) -> SystemTime {
        encoding::from_ms(self.columns.created_ms)
    }

    /// Returns the public description of a match that has ended, if the store has it.
    fn described(&self) -> Option<v1::Match> {
        let bytes = encoding::read_description(self.id(), self.description.as_ref()?).ok()?;
        v1::Match::decode(&*bytes).ok()
    }

    /// Reads the match.
    pub(super) fn complete(&self, parts: &Parts) -> Result<StoredMatch, StoreError> {
        let head = MatchHead { is_sealed: self.is_sealed, ..encoding::read_head(&self.columns, &self.head)? };
        let match_id = self.id();
        let request = |(id, content): &(Digest, Vec<u8>)| {
            Ok(Request { id: *id, content: encoding::read_request(match_id, id, content)? })
        };
        let comment = |(place, comment): &(usize, Vec<u8>)| encoding::read_comment(match_id, *place, comment);
        Ok(StoredMatch {
            seats: parts.seats(match_id)?,
            requests: parts.requests.iter().map(request).collect::<Result<_, StoreError>>()?,
            steps: parts.steps(match_id, (head.setup.seats(), Some(head.setup.rules())))?,
            comments: parts.comments.iter().map(comment).collect::<Result<_, _>>()?,
            state: read_state(match_id, self.state)?,
            ended: self.described().and_then(|described| described.end_time?.try_into().ok()),
            head,
        })
    }

    /// Reads the record of a finished match without its rules, with its labels. None if the store has no description of it.
    pub(super) fn transcript(&self, parts: &Parts) -> Result<Option<Labelled>, StoreError> {
        let Some(stated) = self.described().and_then(|described| described.result) else { return Ok(None) };
        let (mut record, labels) = encoding::read_transcript(&self.columns, &self.head)?;
        let (match_id, seats) = (self.id(), record.seats);
        for taken in parts.seats(match_id)? {
            if let Some(player) = record.players.get_mut(taken.seat.index()) {
                player.name = taken.name;
            }
        }
        let steps = parts.steps(match_id, (seats, None))?;
        record.entries = steps.into_iter().flat_map(|step| step.entries).collect();
        let forfeit_of = |index: usize| stated.forfeits.iter().find(|forfeit| forfeit.seat == Some(index as u32));
        let cause_of = |index| {
            let stated = forfeit_of(index)?.cause();
            Cause::ALL.into_iter().find(|cause| terms::cause(*cause) == stated)
        };
        let scores = BySeat::from_fn(seats, |seat| stated.scores.get(seat.index()).copied().unwrap_or_default());
        let ranks = stated.ranks.iter().map(|rank| u8::try_from(*rank).unwrap_or_default()).collect::<Vec<_>>();
        let ranks = BySeat::from_fn(seats, |seat| ranks.get(seat.index()).copied().unwrap_or_default());
        let forfeits = BySeat::from_fn(seats, |seat| cause_of(seat.index()));
        record.result = Some(MatchResult { scores, ranks, forfeits });
        record.ending = Some(Ending::Finished);
        record.fingerprint = Fingerprint(stated.fingerprint[..].try_into().unwrap_or_default());
        let digest = record.digest();
        if digest[..] != stated.record_digest[..] {
            let (stated, found) = (hex(&stated.record_digest), hex(&digest));
            let reason = format!("expected a record with the digest {stated}, got {found}");
            return Err(encoding::damaged(match_id, "its description", reason));
        }
        Ok(Some((record, labels)))
    }
}

impl Parts {
    fn seats(&self, match_id: &str) -> Result<Vec<TakenSeat>, StoreError> {
        self.seats.iter().map(|(seat, taken)| encoding::read_seat(match_id, *seat, taken)).collect()
    }

    fn steps(&self, match_id: &str, table: (Seats, Option<&dyn AnyRules>)) -> Result<Vec<StoredStep>, StoreError> {
        let (mut end, mut steps) = (LogEnd::START, Vec::with_capacity(self.entries.len()));
        for row in &self.entries {
            let (step, after) = encoding::read_row(match_id, table, end, row)?;
            steps.push(step);
            end = after;
        }
        let stated = self.end;
        if stated != end {
            let reason = match stated.entries == end.entries {
                true => "expected another last link".to_owned(),
                false => format!("expected {} entries, got {}", stated.entries, end.entries),
            };
            return Err(encoding::damaged(match_id, "the end of its log", reason));
        }
        Ok(steps)
    }
}

pub(super) fn read_state(match_id: &str, state: i32) -> Result<MatchState, StoreError> {
    let known = MatchState::try_from(state).ok().filter(|state| *state != MatchState::Unspecified);
    known.ok_or_else(|| encoding::damaged(match_id, "its state", format!("expected a state from 1 to 5, got {state}")))
}

/// Returns true for the states of matches that have ended.
pub(crate) fn has_ended(state: MatchState) -> bool {
    matches!(state, MatchState::Finished | MatchState::Cancelled | MatchState::Void)
}
