//! An agent that takes any legal action, from the protos alone: it uses nothing of the crate `ahu`. Where the
//! connection breaks it tries again: nothing that it sends does harm when it comes twice.
//!
//! It is told where to play by its environment, as every agent program is: `AHU_ADDRESS`, `AHU_MATCH`, `AHU_SEAT` and
//! `AHU_TOKEN`. Give it a number as argument for choices that repeat.

#![expect(clippy::print_stdout, reason = "an agent says how it went")]

use std::env;
use std::error::Error;
use std::time::{Duration, Instant};

use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use tokio::time::sleep;
use tonic::metadata::{Ascii, MetadataValue};
use tonic::transport::Channel;
use tonic::{Code, Request, Status};

use proto::match_service_client::MatchServiceClient;
use proto::{Decision, MatchState, Observation, ObservationForms, ObserveRequest, StepRequest, step_request};

/// What `build.rs` generates from the protos.
#[expect(clippy::pedantic, clippy::enum_variant_names, unreachable_pub, reason = "generated")]
mod proto {
    tonic::include_proto!("ahu.v1");
}

/// The longest that one call waits for a decision.
const WAIT: prost_types::Duration = prost_types::Duration { seconds: 30, nanos: 0 };

/// How long a call may take, what it waits included: a connection may fall silent.
const DEADLINE: Duration = Duration::from_secs(45);

/// How long it goes on trying while the server cannot be reached, and how often.
const PATIENCE: Duration = Duration::from_secs(60);
const PAUSE: Duration = Duration::from_millis(100);

/// The forms of an observation that it reads: nothing but the mask of legal actions.
fn forms() -> ObservationForms {
    ObservationForms { mask: true, ..Default::default() }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut seat = MySeat {
        matches: MatchServiceClient::new(channel(&env::var("AHU_ADDRESS")?)?),
        match_id: env::var("AHU_MATCH")?,
        seat: env::var("AHU_SEAT")?.parse()?,
        token: format!("Bearer {}", env::var("AHU_TOKEN")?).parse()?,
    };
    let mut choices = match env::args().nth(1) {
        Some(seed) => ChaCha8Rng::seed_from_u64(seed.parse()?),
        None => ChaCha8Rng::try_from_rng(&mut rand::rngs::SysRng)?,
    };

    let mut observation = seat.observe().await?;
    while let MatchState::Seating | MatchState::Running = observation.state() {
        observation = match observation.decision {
            Some(decision) => {
                let legal = legal_ids(&decision);
                let action_id = legal[choices.random_range(0..legal.len())];
                seat.step(decision.decision_id, action_id).await?
            }
            None => seat.observe().await?,
        };
    }

    let own = seat.seat as usize;
    match observation.result {
        Some(result) => println!("seat {own}: {} points, place {}", result.scores[own], result.ranks[own]),
        None => println!("seat {own}: the match has no result"),
    }
    Ok(())
}

/// A channel that connects when it is used, and again when the connection is lost.
fn channel(address: &str) -> Result<Channel, Box<dyn Error>> {
    Ok(Channel::from_shared(format!("http://{address}"))?.timeout(DEADLINE).connect_lazy())
}

/// Whether it is the connection that failed, rather than the server that refused.
fn is_lost(status: &Status) -> bool {
    matches!(status.code(), Code::Unavailable | Code::Unknown | Code::Internal | Code::Cancelled)
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
        let start = Instant::now();
        loop {
            let request = ObserveRequest {
                match_id: self.match_id.clone(),
                seat: Some(self.seat),
                forms: Some(forms()),
                wait: Some(WAIT),
            };
            match self.matches.observe(self.with_token(request)).await {
                Ok(response) => return response.into_inner().observation.ok_or_else(|| "no observation".into()),
                Err(status) if is_lost(&status) && start.elapsed() < PATIENCE => sleep(PAUSE).await,
                Err(status) => return Err(status.into()),
            }
        }
    }

    async fn step(&mut self, decision_id: u32, action_id: u32) -> Result<Observation, Box<dyn Error>> {
        let start = Instant::now();
        loop {
            let request = StepRequest {
                match_id: self.match_id.clone(),
                seat: Some(self.seat),
                decision_id,
                action: Some(step_request::Action::ActionId(action_id)),
                forms: Some(forms()),
            };
            match self.matches.step(self.with_token(request)).await {
                Ok(response) => return response.into_inner().observation.ok_or_else(|| "no observation".into()),
                // The same answer to the same decision again is the same answer.
                Err(status) if is_lost(&status) && start.elapsed() < PATIENCE => sleep(PAUSE).await,
                Err(status) => return Err(status.into()),
            }
        }
    }

    fn with_token<T>(&self, message: T) -> Request<T> {
        let mut request = Request::new(message);
        request.metadata_mut().insert("authorization", self.token.clone());
        request
    }
}
