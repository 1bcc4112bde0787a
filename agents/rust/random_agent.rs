//! An agent that chooses random legal actions. It is built from the protos alone and uses nothing of the crate `ahu`.
//! It sends a request again when the connection breaks, since every request may arrive twice.
//!
//! The environment names the seat, as for every agent program: `AHU_ADDRESS`, `AHU_MATCH`, `AHU_SEAT`, and `AHU_TOKEN`.
//! A number as the first argument seeds the choices. With `AHU_ADDRESS`, and `AHU_KEY` or the file `AHU_KEY_FILE`, it
//! competes: it asks for one seat after another until no more come.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "an agent says how it went")]

use std::cell::Cell;
use std::error::Error;
use std::rc::Rc;
use std::time::{Duration, Instant};
use std::{env, fs};

use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use tokio::time::sleep;
use tonic::metadata::{Ascii, MetadataValue};
use tonic::transport::{Certificate, Channel, ClientTlsConfig};
use tonic::{Code, Request, Response, Status};

use proto::match_service_client::MatchServiceClient;
use proto::{
    Action, AwaitSeatRequest, AwaitSeatResponse, Decision, DismissalReason, Forfeit, Observation, ObservationFormats,
    ObserveRequest, StepRequest,
};

/// The code that `build.rs` generates from the protos.
#[expect(clippy::pedantic, unreachable_pub, reason = "generated")]
mod proto {
    tonic::include_proto!("ahu.v1");
}

/// The maximum time that one call waits for a decision.
const WAIT: prost_types::Duration = prost_types::Duration { seconds: 30, nanos: 0 };

/// The deadline of a call, including its wait, since a connection can fall silent.
const DEADLINE: Duration = Duration::from_secs(45);

/// The time for which the agent tries to reach the server, and the time for an agent that competes.
const PATIENCE: Duration = Duration::from_secs(60);
const LONG_PATIENCE: Duration = Duration::from_secs(24 * 3600);

/// The first pause before a retry, and the longest. Each pause is twice the previous pause.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// The formats of an observation that the agent reads: only the mask of legal actions.
fn formats() -> ObservationFormats {
    ObservationFormats { mask: true, ..Default::default() }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let servers = Rc::new(Servers::read(&variable("AHU_ADDRESS")?)?);
    let key = match env::var("AHU_KEY") {
        Ok(key) => Some(key),
        Err(_) => content("AHU_KEY_FILE")?.map(String::from_utf8).transpose()?,
    };
    if let Some(key) = key {
        let caller = Caller::new(servers, key.trim(), LONG_PATIENCE)?;
        return compete(caller).await;
    }
    let caller = Caller::new(servers, &variable("AHU_TOKEN")?, PATIENCE)?;
    let seed = env::args().nth(1).or_else(|| env::var("AHU_AGENT_SEED").ok()).map(|seed| seed.parse()).transpose()?;
    play(MySeat { caller, match_id: variable("AHU_MATCH")?, seat: variable("AHU_SEAT")?.parse()? }, seed).await
}

/// Returns a variable of the environment.
fn variable(name: &str) -> Result<String, String> {
    env::var(name).map_err(|_| format!("expected the variable {name}, as `ahu play` sets it"))
}

/// Returns the content of the file that a variable of the environment names; None if it names none.
fn content(variable: &str) -> Result<Option<Vec<u8>>, String> {
    let read = |file| fs::read(file).map_err(|error| format!("{variable}: {error}"));
    env::var_os(variable).map(read).transpose()
}

/// Plays one seat after another until no more come.
async fn compete(caller: Caller) -> Result<(), Box<dyn Error>> {
    loop {
        let AwaitSeatResponse { assigned, dismissal, .. } = caller.await_seat().await?;
        if let Some(dismissal) = dismissal {
            println!("no more seats: {}", dismissal.message);
            if dismissal.reason() == DismissalReason::Limit {
                // A supervisor starts the agent again later.
                std::process::exit(75);
            }
            return Ok(());
        }
        let Some(seat) = assigned else { continue };
        let seed = seat.agent_seed;
        let caller = Caller::new(Rc::clone(&caller.servers), &seat.seat_token, LONG_PATIENCE)?;
        let seat = MySeat { caller, match_id: seat.match_id, seat: seat.seat.ok_or("expected a seat")? };
        match play(seat, seed).await {
            // A server that was restored from a backup may lack the match. The next call for a seat tries the key.
            Err(error) if is_unknown(&*error) => eprintln!("the server has lost a match: {error}"),
            played => played?,
        }
    }
}

/// Returns true if the server does not know the seat.
fn is_unknown(error: &(dyn Error + 'static)) -> bool {
    let code = error.downcast_ref::<Status>().map(Status::code);
    matches!(code, Some(Code::NotFound | Code::Unauthenticated | Code::PermissionDenied))
}

/// Plays a seat until its match has ended or it has forfeited. With a seed, each choice follows from the seed and the
/// decision alone, so an agent that is started again in the middle of a match goes on as it would have.
async fn play(seat: MySeat, seed: Option<u64>) -> Result<(), Box<dyn Error>> {
    let mut observation = seat.observe().await?;
    while !observation.done {
        let Some(decision) = observation.decision else {
            observation = seat.observe().await?;
            continue;
        };
        let legal = legal_ids(&decision);
        let mut choices = match seed {
            Some(seed) => {
                let mut choices = ChaCha8Rng::seed_from_u64(seed);
                choices.set_stream(decision.decision_id.into());
                choices
            }
            None => ChaCha8Rng::try_from_rng(&mut rand::rngs::SysRng)?,
        };
        let action_id = legal[choices.random_range(0..legal.len())];
        observation = match seat.step(decision.decision_id, action_id).await {
            Ok(next) => next,
            // The match may have gone on without this answer, because the time was up. Otherwise the answer is wrong.
            Err(error) => {
                let next = seat.observe().await?;
                let is_same = next.decision.as_ref().is_some_and(|next| next.decision_id == decision.decision_id);
                if is_same {
                    return Err(error);
                }
                eprintln!("seat {}: {error}", seat.seat);
                next
            }
        };
    }

    let own = seat.seat as usize;
    match (forfeit(&observation), &observation.result) {
        (Some(forfeit), _) => println!("seat {own}: forfeited ({})", forfeit.cause().as_str_name()),
        (None, Some(result)) => println!("seat {own}: {} points, place {}", result.scores[own], result.ranks[own]),
        (None, None) => println!("seat {own}: {} ({})", observation.state().as_str_name(), observation.end_reason),
    }
    Ok(())
}

/// Returns the forfeit of the seat that observes.
fn forfeit(observation: &Observation) -> Option<&Forfeit> {
    observation.forfeits.iter().find(|forfeit| forfeit.seat == observation.seat)
}

/// Returns a channel that connects on first use, and again after a lost connection: with TLS for `https://HOST:PORT`, where
/// `AHU_CA_FILE` may name a file with the authorities to trust.
fn channel(address: &str) -> Result<Channel, Box<dyn Error>> {
    let is_secure = address.starts_with("https://");
    let url = if is_secure { address.to_owned() } else { format!("http://{address}") };
    // A server that is gone is noticed within seconds.
    let endpoint = Channel::from_shared(url)?.timeout(DEADLINE).connect_timeout(LONGEST_PAUSE);
    let endpoint = endpoint.http2_keep_alive_interval(LONGEST_PAUSE).keep_alive_timeout(LONGEST_PAUSE);
    if !is_secure {
        return Ok(endpoint.connect_lazy());
    }
    let tls = match content("AHU_CA_FILE")? {
        Some(authorities) => ClientTlsConfig::new().ca_certificate(Certificate::from_pem(authorities)),
        None => ClientTlsConfig::new().with_native_roots(),
    };
    Ok(endpoint.tls_config(tls)?.connect_lazy())
}

/// Returns true if the connection failed; false if the server refused the call.
fn is_lost(status: &Status) -> bool {
    matches!(
        status.code(),
        Code::Unavailable | Code::Unknown | Code::Internal | Code::Cancelled | Code::DeadlineExceeded
    )
}

/// Returns the ids whose bits are set in the mask; the lowest bit of the first byte is id 0.
fn legal_ids(decision: &Decision) -> Vec<u32> {
    let ids = 0..8 * decision.mask.len() as u32;
    ids.filter(|id| decision.mask[(id / 8) as usize] >> (id % 8) & 1 == 1).collect()
}

/// The servers of a service, one of which works; spares wait behind it.
struct Servers {
    clients: Vec<MatchServiceClient<Channel>>,
    /// The place of the server that answered last.
    working: Cell<usize>,
}

impl Servers {
    /// Reads addresses with commas between them.
    fn read(addresses: &str) -> Result<Self, Box<dyn Error>> {
        let clients = addresses.split(',').map(|address| Ok(MatchServiceClient::new(channel(address)?)));
        Ok(Self { clients: clients.collect::<Result<_, Box<dyn Error>>>()?, working: Cell::new(0) })
    }

    fn working(&self) -> MatchServiceClient<Channel> {
        self.clients[self.working.get()].clone()
    }

    /// Turns to the next server.
    fn turn(&self) {
        self.working.set((self.working.get() + 1) % self.clients.len());
    }
}

/// The calls with one token. Each is sent again while no server can be reached.
struct Caller {
    servers: Rc<Servers>,
    token: MetadataValue<Ascii>,
    patience: Duration,
}

impl Caller {
    fn new(servers: Rc<Servers>, token: &str, patience: Duration) -> Result<Self, Box<dyn Error>> {
        Ok(Self { servers, token: format!("Bearer {token}").parse()?, patience })
    }

    async fn await_seat(&self) -> Result<AwaitSeatResponse, Box<dyn Error>> {
        let agent = env::var("AHU_AGENT").unwrap_or_default();
        let request = AwaitSeatRequest { wait: Some(WAIT), agent, ..Default::default() };
        self.send(request, async |mut matches, request| matches.await_seat(request).await).await
    }

    /// Sends a request until a server answers: every request may arrive twice.
    async fn send<Q: Clone, A>(
        &self,
        message: Q,
        call: impl AsyncFn(MatchServiceClient<Channel>, Request<Q>) -> Result<Response<A>, Status>,
    ) -> Result<A, Box<dyn Error>> {
        let (start, mut pause) = (Instant::now(), FIRST_PAUSE);
        for tries in 1.. {
            let mut request = Request::new(message.clone());
            request.metadata_mut().insert("authorization", self.token.clone());
            match call(self.servers.working(), request).await {
                Ok(response) => return Ok(response.into_inner()),
                Err(status) if is_lost(&status) && start.elapsed() < self.patience => {
                    if tries == 1 {
                        let reason = format!("{status:?}");
                        let is_trust = reason.contains("ertificate");
                        let advice =
                            if is_trust { ": AHU_CA_FILE names a file with the authorities to trust" } else { "" };
                        eprintln!("trying again: {}{advice}", status.message());
                    }
                    self.servers.turn();
                    if tries % self.servers.clients.len() == 0 {
                        sleep(pause).await;
                        pause = LONGEST_PAUSE.min(2 * pause);
                    }
                }
                Err(status) => return Err(status.into()),
            }
        }
        Err("expected an answer".into())
    }
}

/// The seat of a match that this agent plays.
struct MySeat {
    caller: Caller,
    match_id: String,
    seat: u32,
}

impl MySeat {
    async fn observe(&self) -> Result<Observation, Box<dyn Error>> {
        let request = ObserveRequest {
            match_id: self.match_id.clone(),
            seat: Some(self.seat),
            formats: Some(formats()),
            wait: Some(WAIT),
            ..Default::default()
        };
        let response = self.caller.send(request, async |mut matches, request| matches.observe(request).await).await?;
        response.observation.ok_or_else(|| "expected an observation".into())
    }

    /// Answers a decision. Returns once the seat has its next decision, or the match has ended.
    async fn step(&self, decision_id: u32, action_id: u32) -> Result<Observation, Box<dyn Error>> {
        let request = StepRequest {
            match_id: self.match_id.clone(),
            seat: Some(self.seat),
            decision_id,
            action: Some(Action { action_id: Some(action_id), ..Default::default() }),
            formats: Some(formats()),
            wait: Some(WAIT),
            ..Default::default()
        };
        let response = self.caller.send(request, async |mut matches, request| matches.step(request).await).await?;
        response.observation.ok_or_else(|| "expected an observation".into())
    }
}
