//! Practice: matches of an agent with a key that count nowhere. The server notes the faults of the agent, and withholds
//! some answers on purpose, so that the agent learns whether it survives a lost connection.

use std::time::Duration;

use super::Matches;
use super::assigned_seat::AssignedSeat;
use super::config::MatchConfig;
use super::practice_log::PracticeLog;
use crate::proto::v1;
use crate::service::error;
use crate::service::random::random_bytes;
use ahu_engine::core::Seat;
use ahu_engine::host::api::{ApiError, terms};
use ahu_engine::host::{Cause, DecidedBy, Ending, Entry, Referee};

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
