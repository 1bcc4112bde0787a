//! The log of a practice match.

use std::collections::BTreeMap;

use ahu_host::api::ApiError;

use crate::proto::v1::{self, ErrorReason};
use crate::refusals;

/// The answer to a step.
pub(crate) type Stepped = Result<v1::StepResponse, ApiError>;

/// The number of decisions of the agent between two answers that the server withholds.
const DECISIONS_BETWEEN_LOSSES: u32 = 10;

/// The faults of an agent in a practice match, and the answers that it did not get.
#[derive(Debug, Default)]
pub(crate) struct PracticeLog {
    pub(crate) illegal: u32,
    pub(crate) unreadable: u32,
    /// The decisions whose responses were withheld. True if the agent asked again.
    pub(crate) withheld: BTreeMap<u32, bool>,
}

impl PracticeLog {
    /// Notes the response to a step. Withholds the response to every tenth decision once, after the step is carried out.
    pub(crate) fn note(&mut self, response: Stepped, match_id: &str) -> Stepped {
        match &response {
            Ok(response) => match self.withheld.get_mut(&response.decision_id) {
                Some(is_repeated) => *is_repeated |= response.replayed,
                None if response.decision_id.is_multiple_of(DECISIONS_BETWEEN_LOSSES) => {
                    self.withheld.insert(response.decision_id, false);
                    return Err(refusals::withheld(match_id));
                }
                None => {}
            },
            Err(error) => match error.reason {
                ErrorReason::IllegalAction | ErrorReason::UnknownAction => self.illegal += 1,
                ErrorReason::BadAction => self.unreadable += 1,
                _ => {}
            },
        }
        response
    }
}
