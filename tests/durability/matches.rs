//! Matches from their creation to the check of their record.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use ahu_core::hex;
use ahu_host::{DecidedBy, Entry, Record, verify, verify_digest};
use ahu_service::proto::v1::{
    CreateMatchRequest, CreateMatchResponse, DecisionComment, GetMatchRequest, GetRecordRequest, Match, MatchSpec,
    MatchState, ObserveRequest, RecordFormat,
};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::agents::{Agent, Caller, Habits, Played, Route, Taken, Thinking, comment};
use crate::findings::{Fault, Findings};
use crate::plans::{Generosity, plan, request_id, time};

/// The server, connections, and findings that all matches of a test share.
#[derive(Clone, Debug)]
pub(crate) struct Hall {
    /// The connections, which agents take in turn.
    pub(crate) routes: Arc<Vec<Route>>,
    /// A connection that always works, for the description of a match that is stuck.
    pub(crate) safe: Route,
    pub(crate) habits: Habits,
    pub(crate) generosity: Generosity,
    pub(crate) findings: Arc<Findings>,
    /// The longest time for which a match may make no progress.
    pub(crate) stuck: Duration,
    pub(crate) seed: u64,
}

/// A match whose record was checked.
#[derive(Debug)]
pub(crate) struct Finished {
    pub(crate) match_id: String,
    pub(crate) digest: [u8; 32],
}

/// Returns the generator with this number of a test.
pub(crate) fn generator(seed: u64, number: u32) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(number.into());
    rng
}

impl Hall {
    /// Returns the generator of a match, or of another part of the test.
    pub(crate) fn rng(&self, number: u32) -> ChaCha8Rng {
        generator(self.seed, number)
    }

    fn caller(&self, rng: &mut ChaCha8Rng) -> Caller {
        let route = &self.routes[rng.random_range(0..self.routes.len())];
        Caller::new(route.clone(), self.habits, rng, &self.findings)
    }

    /// Plays a match and checks its record. The last agent joins after `late`. Notes every fault.
    pub(crate) async fn play(&self, number: u32, late: impl Future<Output = ()> + Send + 'static) -> Option<Finished> {
        let mut rng = self.rng(number);
        let request = plan(number, self.generosity, &mut rng);
        Box::pin(self.play_as_planned(request, rng, None, late)).await
    }

    /// Does the same as [`Hall::play`] with the match of this request. The agent that joins first thinks about one decision.
    pub(crate) async fn play_as_planned(
        &self,
        request: MatchSpec,
        mut rng: ChaCha8Rng,
        thinking: Option<Thinking>,
        late: impl Future<Output = ()> + Send + 'static,
    ) -> Option<Finished> {
        let request_id = request_id(&mut rng);
        let mut owner = self.caller(&mut rng);
        let played = async {
            let asked = CreateMatchRequest { spec: Some(request.clone()), request_id };
            let created = create(&mut owner, &asked).await?;
            let description = created.r#match.as_ref().expect("a match").clone();
            let agents = self.agents(&request, &description, rng, thinking, late).await?;
            self.check(&mut owner, &asked, &created, &agents).await
        };
        match played.await {
            Ok(finished) => Some(finished),
            Err(fault) => {
                self.findings.add(fault);
                None
            }
        }
    }

    /// Plays the open seats of a match.
    async fn agents(
        &self,
        request: &MatchSpec,
        description: &Match,
        mut rng: ChaCha8Rng,
        mut thinking: Option<Thinking>,
        late: impl Future<Output = ()> + Send + 'static,
    ) -> Result<Vec<Played>, Fault> {
        let mut agents: JoinSet<Result<Played, Fault>> = JoinSet::new();
        let mut late = Some(late);
        let external = request.seat_count as usize - request.bots.len();
        let progress = Arc::<AtomicU64>::default();
        for index in 0..external {
            let caller = self.caller(&mut rng);
            let match_id = description.match_id.clone();
            let late = if index + 1 == external { late.take() } else { None };
            let (progress, thinking) = (Arc::clone(&progress), thinking.take());
            agents.spawn(async move {
                if let Some(late) = late {
                    late.await;
                }
                let mut agent = Agent::join(caller, &match_id, &format!("agent {index}"), progress).await?;
                agent.think_about(thinking);
                agent.play().await
            });
        }
        let mut played = Vec::new();
        let mut before = 0;
        while !agents.is_empty() {
            if let Ok(ended) = timeout(self.stuck, agents.join_next()).await {
                played.push(ended.expect("there are agents").expect("agents do not panic")?);
                continue;
            }
            let now = progress.load(Ordering::Relaxed);
            if now == std::mem::replace(&mut before, now) {
                return Err(self.stuck(&description.match_id, &mut rng).await);
            }
        }
        Ok(played)
    }

    /// Returns the fault of a match that makes no progress, with its state.
    async fn stuck(&self, match_id: &str, rng: &mut ChaCha8Rng) -> Fault {
        let mut caller = Caller::new(self.safe.clone(), self.habits, rng, &self.findings);
        let request = GetMatchRequest { match_id: match_id.to_owned(), wait: None };
        let state = match caller.call(&request).await {
            Ok(reply) => format!("{:?}", reply.answer.r#match),
            Err(fault) => fault.to_string(),
        };
        let (id, events_after) = (match_id.to_owned(), Some(0));
        let public = ObserveRequest { match_id: id, public_view: true, events_after, ..ObserveRequest::default() };
        let events = match caller.call(&public).await {
            Ok(reply) => format!("{:#?}", reply.answer.observation),
            Err(fault) => fault.to_string(),
        };
        Fault::Other(format!("match {match_id} made no progress for {:?}: {state}\n{events}", self.stuck))
    }

    /// Waits for the end of a match, and checks its result and its record.
    async fn check(
        &self,
        owner: &mut Caller,
        request: &CreateMatchRequest,
        created: &CreateMatchResponse,
        played: &[Played],
    ) -> Result<Finished, Fault> {
        let match_id = &created.r#match.as_ref().expect("a match").match_id;
        let wait = time(self.habits.wait);
        let start = Instant::now();
        let ended = loop {
            if start.elapsed() > self.stuck {
                return Err(self.stuck(match_id, &mut self.rng(u32::MAX)).await);
            }
            let ended = owner.call(&GetMatchRequest { match_id: match_id.clone(), wait }).await?.answer.r#match;
            let ended = ended.expect("a match");
            if !matches!(ended.state(), MatchState::Seating | MatchState::Running) {
                break ended;
            }
        };
        let result = ended.result.as_ref().filter(|result| result.forfeits.is_empty());
        let Some(result) = result.filter(|_| ended.state() == MatchState::Finished) else {
            return Err(Fault::Other(format!("match {match_id}: expected a result without forfeits, got {ended:?}")));
        };
        let again = owner.call(request).await?.answer;
        let (id, owner_token) = (again.r#match.as_ref().map(|again| &again.match_id), &again.owner_token);
        if (id, owner_token) != (Some(match_id), &created.owner_token) {
            return Err(Fault::Doubled(format!("match {match_id}: the request that created it now led to {id:?}")));
        }
        let (record, comments) = self.record(owner, match_id).await?;
        let fault = |what: String| Fault::Other(format!("match {match_id}: {what}"));
        let digest = record.digest();
        if *result.record_digest != digest {
            let published = hex(&result.record_digest);
            return Err(fault(format!("expected a record with the digest {published}, got {}", hex(&digest))));
        }
        let names: Vec<_> = record.players.iter().map(|player| player.name.clone()).collect();
        if names.iter().ne(ended.seats.iter().map(|seat| &seat.name)) {
            return Err(fault(format!("expected the players {:?}, got {names:?}", ended.seats)));
        }
        let record = tokio::task::spawn_blocking(move || verify(&record).map(|()| record)).await;
        let record = record.expect("verification does not panic").map_err(|error| fault(error.to_string()))?;
        for seat in played {
            for fault in compare(match_id, &record, seat) {
                self.findings.add(fault);
            }
        }
        check_comments(match_id, &record, &comments)?;
        let external = record.players.iter().filter(|player| player.bot.is_none()).count();
        if external != played.len() {
            return Err(fault(format!("expected {} external players, got {external}", played.len())));
        }
        Ok(Finished { match_id: match_id.clone(), digest })
    }

    async fn record(&self, caller: &mut Caller, match_id: &str) -> Result<(Record, Vec<DecisionComment>), Fault> {
        let request = GetRecordRequest { match_id: match_id.to_owned(), format: RecordFormat::Binary.into() };
        let answer = caller.call(&request).await?.answer;
        let read = Record::read(&answer.record);
        let record = read.map_err(|error| Fault::Other(format!("the record of match {match_id}: {error}")))?;
        Ok((record, answer.comments))
    }

    /// Checks that the server still has the same record of a match.
    pub(crate) async fn check_again(&self, finished: &Finished) {
        let mut caller = Caller::new(self.safe.clone(), self.habits, &mut self.rng(u32::MAX), &self.findings);
        match self.record(&mut caller, &finished.match_id).await {
            Ok((record, comments)) => {
                if let Err(fault) = check_comments(&finished.match_id, &record, &comments) {
                    self.findings.add(fault);
                }
                let published = verify_digest(&record, &finished.digest);
                if let Err(error) = published {
                    self.findings.add(Fault::Lost(format!("match {}: {error}", finished.match_id)));
                }
            }
            Err(fault) => self.findings.add(fault),
        }
    }
}

/// Creates a match, sometimes with two calls at once.
async fn create(owner: &mut Caller, request: &CreateMatchRequest) -> Result<CreateMatchResponse, Fault> {
    let (one, two) = owner.call_perhaps_twice(request).await?;
    let one = one.answer;
    if let Some(two) = two.map(|two| two.answer) {
        let id = |created: &CreateMatchResponse| created.r#match.as_ref().map(|created| created.match_id.clone());
        if (id(&one), &one.owner_token) != (id(&two), &two.owner_token) {
            return Err(Fault::Doubled(format!("one request created the matches {:?} and {:?}", id(&one), id(&two))));
        }
    }
    Ok(one)
}

/// The most time in milliseconds that the server may leave uncharged. If another change of the match is being written when an
/// answer leaves, the clock of the next decision starts with the commit of the other change.
const COMMIT_MS: u32 = 100;

/// Checks that each action of an agent has the comment that came with it, in the order of the decisions.
fn check_comments(match_id: &str, record: &Record, comments: &[DecisionComment]) -> Result<(), Fault> {
    let mut decisions = HashMap::new();
    let mut expected = Vec::new();
    for entry in &record.entries {
        let Entry::Action { seat, id, by, .. } = entry else { continue };
        let decision = decisions.entry(*seat).and_modify(|decision| *decision += 1).or_insert(1);
        if record.players[seat.index()].bot.is_none() && *by == DecidedBy::Player {
            let text = comment(*decision, id.0.into());
            expected.push(DecisionComment { seat: Some(seat.index() as u32), decision_id: *decision as u32, text });
        }
    }
    if comments == expected {
        return Ok(());
    }
    let difference = comments.iter().zip(&expected).find(|(found, expected)| found != expected);
    let counts = (comments.len(), expected.len());
    Err(Fault::Lost(format!("match {match_id}: expected other comments, got {counts:?}, first {difference:?}")))
}

/// Compares a record with the answers that an agent wrote down.
fn compare(match_id: &str, record: &Record, played: &Played) -> Vec<Fault> {
    let place = |decision: usize| format!("match {match_id}, seat {}, decision {decision}", played.seat);
    let mut faults = Vec::new();
    let mut entries = Vec::new();
    for entry in &record.entries {
        match entry {
            Entry::Action { seat, id, by, time } if seat.index() as u32 == played.seat => {
                if *by != DecidedBy::Player {
                    faults.push(Fault::Doubled(format!("{}: a stand-in decided", place(entries.len() + 1))));
                }
                entries.push((u32::from(id.0), *time));
            }
            _ => {}
        }
    }
    for (decision, taken) in (1..).zip(&played.taken) {
        let Some(&(recorded, time)) = entries.get(decision - 1) else {
            faults.push(Fault::Lost(format!("{}: expected action {}, got none", place(decision), taken.action)));
            continue;
        };
        if recorded != taken.action {
            let what = format!("{}: expected action {}, got {recorded}", place(decision), taken.action);
            faults.push(if taken.is_acknowledged { Fault::Lost(what) } else { Fault::Doubled(what) });
        }
        if time.measured.saturating_add(COMMIT_MS) < taken.least || time.measured > taken.most {
            let Taken { least, most, .. } = taken;
            let what = format!("expected {least} to {most} ms, as the agent measured, got {}", time.measured);
            faults.push(Fault::Other(format!("{}: {what}", place(decision))));
        }
    }
    // The last answer may have been taken without an acknowledgement.
    let more = entries.get(played.taken.len()..).unwrap_or_default();
    if more.iter().map(|(action, _)| *action).ne(played.open.into_iter().take(more.len())) {
        let what = format!("expected {} actions, got {}", played.taken.len(), entries.len());
        faults.push(Fault::Doubled(format!("{}: {what}", place(entries.len()))));
    }
    faults
}
