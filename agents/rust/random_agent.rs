//! An agent that takes any legal action, from the protos alone: it uses nothing of the crate `ahu`.
//!
//! It is told where to play by its environment, as every agent program is: `AHU_ADDRESS`, `AHU_MATCH`, `AHU_SEAT` and
//! `AHU_TOKEN`. Give it a number as argument for choices that repeat.

#![expect(clippy::print_stdout, reason = "an agent says how it went")]

use std::env;
use std::error::Error;

use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use tonic::Request;
use tonic::metadata::{Ascii, MetadataValue};
use tonic::transport::Channel;

use proto::match_service_client::MatchServiceClient;
use proto::{Decision, MatchState, Observation, ObservationForms, ObserveRequest, StepRequest, step_request};

/// What `build.rs` generates from the protos.
#[expect(clippy::pedantic, unreachable_pub, reason = "generated")]
mod proto {
    tonic::include_proto!("ahu.v1");
}

/// The forms of an observation that it reads: nothing but the mask of legal actions.
const FORMS: ObservationForms = ObservationForms { tensor: false, text: false, legal_ids: false, mask: true };

/// The longest that one call waits for a decision.
const WAIT: prost_types::Duration = prost_types::Duration { seconds: 30, nanos: 0 };

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut seat = MySeat {
        matches: MatchServiceClient::connect(format!("http://{}", env::var("AHU_ADDRESS")?)).await?,
        match_id: env::var("AHU_MATCH")?,
        seat: env::var("AHU_SEAT")?.parse()?,
        token: format!("Bearer {}", env::var("AHU_TOKEN")?).parse()?,
    };
    let mut choices = match env::args().nth(1) {
        Some(seed) => ChaCha8Rng::seed_from_u64(seed.parse()?),
        None => ChaCha8Rng::try_from_rng(&mut rand::rngs::SysRng)?,
    };

    let mut observation = seat.observe().await?;
    while observation.state() != MatchState::Finished {
        observation = match observation.decision {
            Some(decision) => {
                let legal = legal_ids(&decision);
                let action_id = legal[choices.random_range(0..legal.len())];
                seat.step(decision.decision_id, action_id).await?
            }
            None => seat.observe().await?,
        };
    }

    let result = observation.result.unwrap_or_default();
    let own = seat.seat as usize;
    println!("seat {own}: {} points, place {}", result.scores[own], result.ranks[own]);
    Ok(())
}

/// The ids whose bits are set in the mask, the lowest bit of the first byte being id 0.
fn legal_ids(decision: &Decision) -> Vec<u32> {
    let ids = 0..8 * decision.mask.len() as u32;
    ids.filter(|id| decision.mask[(id / 8) as usize] >> (id % 8) & 1 == 1).collect()
}

/// The seat of a match that this agent plays.
struct MySeat {
    matches: MatchServiceClient<Channel>,
    match_id: String,
    seat: u32,
    token: MetadataValue<Ascii>,
}

impl MySeat {
    async fn observe(&mut self) -> Result<Observation, Box<dyn Error>> {
        let request = ObserveRequest {
            match_id: self.match_id.clone(),
            seat: Some(self.seat),
            forms: Some(FORMS),
            wait: Some(WAIT),
        };
        let response = self.matches.observe(self.with_token(request)).await?;
        response.into_inner().observation.ok_or_else(|| "no observation".into())
    }

    async fn step(&mut self, decision_id: u32, action_id: u32) -> Result<Observation, Box<dyn Error>> {
        let request = StepRequest {
            match_id: self.match_id.clone(),
            seat: Some(self.seat),
            decision_id,
            action: Some(step_request::Action::ActionId(action_id)),
            forms: Some(FORMS),
        };
        let response = self.matches.step(self.with_token(request)).await?;
        response.into_inner().observation.ok_or_else(|| "no observation".into())
    }

    fn with_token<T>(&self, message: T) -> Request<T> {
        let mut request = Request::new(message);
        request.metadata_mut().insert("authorization", self.token.clone());
        request
    }
}
