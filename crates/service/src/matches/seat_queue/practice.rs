//! Practice: matches of an agent with a key that count nowhere. The server notes the faults of the agent, and withholds some
//! answers on purpose, so that the agent learns whether it survives a lost connection.

use std::collections::BTreeMap;
use std::time::Duration;

use ahu_core::portable_seed;
use ahu_host::api::{ApiError, terms};
use ahu_host::{DecidedBy, Ending, Entry};

use super::AssignedSeat;
use crate::accounts::Client;
use crate::matches::live_match::{PracticeLog, Supervisor};
use crate::matches::{MatchConfig, Matches, SupervisorConfig};
use crate::proto::{cup, v1};
use crate::refusals;
use crate::secrets::random_bytes;

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
pub(crate) struct Practice {
    /// The offers of the agent's hosts, by the numbers of their queues.
    offers: BTreeMap<u64, PracticeOffer>,
    /// The last practice match, with the id that the agent gave it.
    last: Option<(String, AssignedSeat)>,
}

impl Practice {
    /// Sets the offer of a queue, and returns the one before.
    pub(super) fn set_offer(&mut self, queue: u64, offer: Option<PracticeOffer>) -> Option<PracticeOffer> {
        match offer {
            Some(offer) => self.offers.insert(queue, offer),
            None => self.offers.remove(&queue),
        }
    }

    /// Returns the seat of the practice match with this id, which begins if it is new, by the newest offer. The match counts for
    /// the shares of the client. Returns the report once the agent has nothing more to play in it.
    pub(super) fn ask(
        &mut self,
        matches: &Matches,
        client: &Client,
        id: &str,
    ) -> Result<cup::PractiseResponse, ApiError> {
        if self.last.as_ref().is_none_or(|(last, _)| last != id) {
            let assigned =
                self.offers.values().next_back().ok_or_else(refusals::no_practice)?.begin(matches, client)?;
            if let Some((_, before)) = self.last.replace((id.to_owned(), assigned)) {
                // It may have ended.
                let _ = before.live.cancel(LEFT);
            }
        }
        let (_, assigned) = self.last.as_ref().expect("the agent has begun a practice match");
        Ok(match assigned.is_played() {
            true => cup::PractiseResponse { assigned: None, report: Some(report(assigned)) },
            false => cup::PractiseResponse { assigned: Some(assigned.message()), report: None },
        })
    }
}

impl PracticeOffer {
    /// Hosts a match, and takes the seat of the agent in it.
    fn begin(&self, matches: &Matches, client: &Client) -> Result<AssignedSeat, ApiError> {
        let supervisor = Some(SupervisorConfig::Practice);
        let mut config = MatchConfig { is_unlisted: true, is_pinned: false, supervisor, ..self.config.clone() };
        // An idle limit ends the match of an agent that does not come back.
        config.terms.idle = config.terms.idle.or_else(|| matches.idle());
        let live = matches.make_for(config, None, client)?;
        let (seat, token) = live.join(None, &self.name)?;
        let agent_seed = Some(portable_seed(u64::from_le_bytes(random_bytes())));
        Ok(AssignedSeat { live, seat, token, agent_seed })
    }
}

/// Returns the report on a practice match that the agent has played.
fn report(AssignedSeat { live, seat: own, .. }: &AssignedSeat) -> cup::PracticeReport {
    let mut report = cup::PracticeReport { match_id: live.id.to_string(), ..Default::default() };
    live.look(|state| {
        if let Some(Supervisor::Practice(PracticeLog { illegal, unreadable, withheld })) = &state.supervisor {
            (report.illegal_count, report.unreadable_count) = (*illegal, *unreadable);
            report.withheld_count = withheld.len() as u32;
            report.resent_count = withheld.values().filter(|&&is_repeated| is_repeated).count() as u32;
        }
        let mut times = Vec::new();
        for entry in state.entries() {
            match entry {
                Entry::Action { seat, by: DecidedBy::Player, time, .. } if seat == own => times.push(time.measured),
                Entry::Strike { seat, .. } if seat == own => report.strike_count += 1,
                _ => {}
            }
        }
        report.decision_count = times.len() as u32;
        report.slowest = milliseconds(times.iter().copied().max().unwrap_or(0).into());
        report.total = milliseconds(times.into_iter().map(u64::from).sum());
        let forfeit = state.referee().and_then(|referee| referee.forfeits()[*own]);
        report.set_forfeit(forfeit.map_or(v1::Cause::Unspecified, terms::cause));
        let has_faults = forfeit.is_some() || report.illegal_count + report.unreadable_count + report.strike_count > 0;
        let is_finished = state.ending() == Some(Ending::Finished);
        report.passed = is_finished && !has_faults && report.resent_count == report.withheld_count;
    });
    report
}

fn milliseconds(time: u64) -> Option<prost_types::Duration> {
    Duration::from_millis(time).try_into().ok()
}
