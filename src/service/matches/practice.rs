//! Practice: matches of an agent with a key that count nowhere. The server notes the faults of the agent, and withholds
//! some answers on purpose, so that the agent learns whether it survives a lost connection.

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::Matches;
use super::config::MatchConfig;
use super::live::LiveMatch;
use super::seat_queue::AssignedSeat;
use crate::core::Seat;
use crate::host::api::{ApiError, terms};
use crate::host::{Cause, DecidedBy, Ending, Entry, Referee};
use crate::proto::v1::{self, ErrorReason};
use crate::service::error;
use crate::service::random::random_bytes;

/// The number of decisions of the agent between two answers that the server withholds.
const DECISIONS_BETWEEN_LOSSES: u32 = 10;

/// The reason of a practice match that the agent left for another one.
const LEFT: &str = "the agent began another practice match";

/// The match that an agent gets for practice.
#[derive(Clone, Debug)]
pub struct PracticeOffer {
    /// The agreement about the match: the agent gets its lowest seat without a bot.
    pub config: MatchConfig,
    /// The name of the agent.
    pub name: String,
}

/// The practice of one agent.
#[derive(Debug, Default)]
pub(super) struct Practice {
    /// None if the host offers none.
    pub(super) offer: Option<PracticeOffer>,
    /// The last practice match, with the id that the agent gave it.
    last: Option<(String, AssignedSeat)>,
}

impl Practice {
    /// Returns the seat of the practice match with this id, which begins if there is none, or its report once the agent has
    /// nothing more to play.
    pub(super) fn ask(&mut self, matches: &Matches, id: &str) -> Result<v1::AwaitSeatResponse, ApiError> {
        let assigned = if let Some((_, assigned)) = self.last.take_if(|(last, _)| last == id) {
            assigned
        } else {
            let assigned = self.offer.as_ref().ok_or_else(error::no_practice)?.begin(matches)?;
            if let Some((_, before)) = self.last.take() {
                // It may have ended.
                let _ = before.live.cancel(LEFT);
            }
            assigned
        };
        let (_, assigned) = self.last.insert((id.to_owned(), assigned));
        Ok(match assigned.is_played() {
            true => v1::AwaitSeatResponse { practice_report: Some(report(assigned)), ..Default::default() },
            false => v1::AwaitSeatResponse { assigned: Some(assigned.message()), ..Default::default() },
        })
    }
}

impl PracticeOffer {
    /// Hosts a match, and takes the seat of the agent in it.
    fn begin(&self, matches: &Matches) -> Result<AssignedSeat, ApiError> {
        let mut config = MatchConfig { is_private: true, is_pinned: false, ..self.config.clone() };
        // Nobody waits for an agent that does not come back.
        config.terms.idle = config.terms.idle.or_else(|| matches.idle());
        let live = matches.host(config)?;
        live.practice.get_or_init(PracticeLog::default);
        let (seat, token) = live.join(None, &self.name)?;
        Ok(AssignedSeat { live, seat, token, agent_seed: Some(u64::from_le_bytes(random_bytes()) >> 1) })
    }
}

/// The faults of an agent in a practice match, and the answers that it did not get.
#[derive(Debug, Default)]
pub(super) struct PracticeLog(Mutex<Noted>);

#[derive(Debug, Default)]
struct Noted {
    illegal: u32,
    unreadable: u32,
    /// The decisions whose answers were withheld.
    withheld: BTreeSet<u32>,
    /// Those of them for which the agent asked again.
    repeated: BTreeSet<u32>,
}

impl PracticeLog {
    /// Notes the response to a step. Withholds that to every tenth decision once: the step is carried out.
    pub(super) fn note(
        &self,
        response: Result<v1::StepResponse, ApiError>,
        match_id: &str,
    ) -> Result<v1::StepResponse, ApiError> {
        let mut noted = self.lock();
        match &response {
            Ok(response) if response.replayed && noted.withheld.contains(&response.decision_id) => {
                noted.repeated.insert(response.decision_id);
            }
            Ok(response) if response.decision_id.is_multiple_of(DECISIONS_BETWEEN_LOSSES) => {
                if noted.withheld.insert(response.decision_id) {
                    return Err(error::withheld(match_id));
                }
            }
            Ok(_) => {}
            Err(error) => match error.reason() {
                ErrorReason::IllegalAction | ErrorReason::UnknownAction => noted.illegal += 1,
                ErrorReason::BadAction => noted.unreadable += 1,
                _ => {}
            },
        }
        response
    }

    /// Each change is one step, so a panic elsewhere leaves it whole.
    fn lock(&self) -> MutexGuard<'_, Noted> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the report on a practice match that the agent has played.
fn report(AssignedSeat { live, seat, .. }: &AssignedSeat) -> v1::PracticeReport {
    let log = live.practice.get();
    let (illegal, unreadable, withheld, repeated) = log.map_or((0, 0, 0, 0), |log| {
        let noted = log.lock();
        (noted.illegal, noted.unreadable, noted.withheld.len() as u32, noted.repeated.len() as u32)
    });
    let played = live.with_referee(|referee| Played::of(referee, *seat)).unwrap_or_default();
    let Played { has_finished, forfeit, strikes, decisions, slowest, total } = played;
    let is_faultless = forfeit.is_none() && illegal + unreadable + strikes == 0 && repeated == withheld;
    v1::PracticeReport {
        match_id: live.id.to_string(),
        passed: has_finished && is_faultless,
        forfeit: forfeit.map_or(v1::Cause::Unspecified, terms::cause).into(),
        strikes,
        decisions,
        illegal,
        unreadable,
        slowest: Duration::from_millis(slowest.into()).try_into().ok(),
        total: Duration::from_millis(total).try_into().ok(),
        withheld,
        repeated,
    }
}

/// The play of an agent, as its record tells. Times are in milliseconds.
#[derive(Default)]
struct Played {
    has_finished: bool,
    forfeit: Option<Cause>,
    strikes: u32,
    decisions: u32,
    slowest: u32,
    total: u64,
}

impl Played {
    fn of(referee: &Referee, own: Seat) -> Self {
        let mut played = Self {
            has_finished: referee.ending() == Some(Ending::Finished),
            forfeit: referee.forfeits()[own],
            ..Self::default()
        };
        for entry in referee.entries() {
            match entry {
                Entry::Action { seat, by: DecidedBy::Player, time, .. } if *seat == own => {
                    played.decisions += 1;
                    played.slowest = played.slowest.max(time.measured);
                    played.total += u64::from(time.measured);
                }
                Entry::Strike { seat, .. } if *seat == own => played.strikes += 1,
                _ => {}
            }
        }
        played
    }
}

impl LiveMatch {
    /// Returns the response to a step, unless a practice match withholds it.
    pub(super) fn noted(&self, response: Result<v1::StepResponse, ApiError>) -> Result<v1::StepResponse, ApiError> {
        match self.practice.get() {
            Some(log) => log.note(response, &self.id),
            None => response,
        }
    }
}
