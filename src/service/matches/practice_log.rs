//! The log of a practice match.

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::proto::v1::{self, ErrorReason};
use crate::service::error;
use ahu_engine::host::api::ApiError;

/// The number of decisions of the agent between two answers that the server withholds.
const DECISIONS_BETWEEN_LOSSES: u32 = 10;

/// The faults of an agent in a practice match, and the answers that it did not get.
#[derive(Debug, Default)]
pub(super) struct PracticeLog(Mutex<Noted>);

/// The faults and the answers.
#[derive(Debug, Default)]
pub(super) struct Noted {
    pub(super) illegal: u32,
    pub(super) unreadable: u32,
    /// The decisions whose answers were withheld.
    pub(super) withheld: BTreeSet<u32>,
    /// Those of them for which the agent asked again.
    pub(super) repeated: BTreeSet<u32>,
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
            Err(error) => match error.reason {
                ErrorReason::IllegalAction | ErrorReason::UnknownAction => noted.illegal += 1,
                ErrorReason::BadAction => noted.unreadable += 1,
                _ => {}
            },
        }
        response
    }

    /// Each change is one step, so a panic elsewhere leaves it whole.
    pub(super) fn lock(&self) -> MutexGuard<'_, Noted> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
