//! Agents of a season over gRPC: they come and go, and some are broken.

use std::time::Duration;

use ahu_service::proto::cup::cup_service_client::CupServiceClient;
use ahu_service::proto::cup::{EnterCupRequest, ListCupsRequest};
use ahu_service::proto::v1::match_service_client::MatchServiceClient;
use ahu_service::proto::v1::{
    Action, AssignedSeat, AwaitSeatRequest, DismissalReason, ObservationFormats, ObserveRequest, StepRequest,
};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt as _, SeedableRng as _};
use tonic::transport::{Channel, Endpoint};
use tonic::{Request, Status};

const WAIT: prost_types::Duration = prost_types::Duration { seconds: 20, nanos: 0 };

/// The accounts of the broken agents, each with its fault.
const BROKEN: [&str; 5] = ["silent", "illegal", "leaver", "slow", "resigner"];

/// Returns the names of the accounts of remote agents: those that come and go, the uploader, and the broken ones.
pub(super) fn names(count: usize) -> Vec<String> {
    let coming = (0..count).map(|number| format!("r{number}"));
    coming.chain(["uploader"].into_iter().chain(BROKEN).map(str::to_owned)).collect()
}

/// A client with the key of an account.
#[derive(Clone)]
pub(super) struct Caller {
    channel: Channel,
    key: String,
}

impl Caller {
    /// Creates a client, which connects with its first call.
    pub(super) fn new(address: &str, key: &str) -> Self {
        let channel = Endpoint::from_shared(format!("http://{address}")).expect("an address").connect_lazy();
        Self { channel, key: key.to_owned() }
    }

    fn request<T>(&self, message: T, token: Option<&str>) -> Request<T> {
        let mut request = Request::new(message);
        request.set_timeout(Duration::from_secs(45));
        let bearer = format!("Bearer {}", token.unwrap_or(&self.key));
        request.metadata_mut().insert("authorization", bearer.parse().expect("visible characters"));
        request.metadata_mut().insert("ahu-key", self.key.parse().expect("visible characters"));
        request
    }

    fn matches(&self) -> MatchServiceClient<Channel> {
        MatchServiceClient::new(self.channel.clone())
    }

    /// Returns the next seat; None if none came in time, or none comes any more.
    pub(super) async fn next_seat(&mut self) -> Result<Option<AssignedSeat>, Status> {
        let request = self.request(AwaitSeatRequest { wait: Some(WAIT), ..Default::default() }, None);
        let answer = self.matches().await_seat(request).await?.into_inner();
        if let Some(dismissal) = answer.dismissal.filter(|dismissal| dismissal.reason() != DismissalReason::Unspecified)
        {
            tokio::time::sleep(Duration::from_secs(5)).await;
            return Err(Status::failed_precondition(dismissal.message));
        }
        Ok(answer.assigned)
    }

    /// Enters an agent into the only ladder of the server. Returns its name; empty if the run has not taken the call in time.
    async fn enter(&self, agent: &str, request_id: String) -> Result<String, Status> {
        let mut cups = CupServiceClient::new(self.channel.clone());
        let listed = cups.list_cups(self.request(ListCupsRequest::default(), None)).await?.into_inner().cups;
        let cup_id = listed.first().ok_or_else(|| Status::unavailable("the run has not begun"))?.cup_id.clone();
        let message =
            EnterCupRequest { cup_id, agent: agent.to_owned(), games_at_once: 1, request_id, wait: Some(WAIT) };
        Ok(cups.enter_cup(self.request(message, None)).await?.into_inner().agent)
    }
}

/// Enters the agent of an account; tries again until it has entered.
pub(super) async fn enter(address: &str, key: &str, name: &str) {
    let caller = Caller::new(address, key);
    while !matches!(caller.enter(name, format!("first-entry-of-{name}-0")).await, Ok(agent) if !agent.is_empty()) {
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
}

/// Plays seats for ever, as the name of the account says.
pub(super) async fn play(address: String, key: String, name: String, seed: u64) {
    let number: u64 = name.bytes().map(u64::from).sum();
    let (mut caller, mut rng) = (Caller::new(&address, &key), ChaCha8Rng::seed_from_u64(seed ^ number << 32));
    let mut uploads = 0;
    loop {
        if name == "uploader" {
            uploads += 1;
            let _ = caller.enter(&name, format!("upload-of-the-uploader-{uploads}")).await;
        }
        for _ in 0..rng.random_range(3..12) {
            if let Ok(Some(seat)) = caller.next_seat().await {
                // A lost server ends the seat here; the next call for a seat brings it again.
                let _ = play_seat(&caller, &seat, &name, &mut rng).await;
            } else {
                tokio::time::sleep(Duration::from_millis(200)).await;
            }
        }
        if name.starts_with('r') {
            tokio::time::sleep(Duration::from_secs(rng.random_range(5..30))).await;
        }
    }
}

async fn play_seat(caller: &Caller, seat: &AssignedSeat, name: &str, rng: &mut ChaCha8Rng) -> Result<(), Status> {
    let (mut matches, match_id) = (caller.matches(), seat.match_id.clone());
    let formats = || Some(ObservationFormats { legal_ids: true, ..Default::default() });
    let observe = || ObserveRequest {
        match_id: match_id.clone(),
        seat: seat.seat,
        formats: formats(),
        wait: Some(WAIT),
        ..Default::default()
    };
    let mut decisions = 0;
    loop {
        let answer = matches.observe(caller.request(observe(), Some(&seat.seat_token))).await?.into_inner();
        let observation = answer.observation.unwrap_or_default();
        if observation.done {
            return Ok(());
        }
        let Some(decision) = observation.decision else { continue };
        decisions += 1;
        let action_id = match name {
            "silent" => {
                tokio::time::sleep(Duration::from_secs(5)).await;
                continue;
            }
            "leaver" if decisions > 3 => return Ok(()),
            "illegal" => 1_000_000,
            _ => decision.legal_ids[rng.random_range(0..decision.legal_ids.len())],
        };
        if name == "slow" {
            tokio::time::sleep(Duration::from_millis(500)).await;
        }
        if name == "resigner" {
            let request = ahu_service::proto::v1::ResignSeatRequest { match_id: match_id.clone(), seat: seat.seat };
            matches.resign_seat(caller.request(request, Some(&seat.seat_token))).await?;
            return Ok(());
        }
        let action = Some(Action { action_id: Some(action_id), ..Default::default() });
        let step = StepRequest {
            match_id: match_id.clone(),
            seat: seat.seat,
            decision_id: decision.decision_id,
            action,
            ..Default::default()
        };
        // An illegal action is refused, and asked for again until the strikes are up.
        let _ = matches.step(caller.request(step, Some(&seat.seat_token))).await;
    }
}
