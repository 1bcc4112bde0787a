//! Plans: the actions that a model sends in one call of `act`, and what became of them.
//!
//! The last plans are kept with their outcomes, so the same call gets the same outcome. A call that comes again while the first
//! one is under way waits for it. The work goes on if the client hangs up, as a `Step` does. The outcome of a plan that is
//! forgotten, as after a restart, follows from the answers of its seat ([`Recall`]). `Step` itself takes an action once for each
//! decision.
//!
//! A server keeps the plans of a seat with its match ([`Keep`]): from the first call with the token of the seat until the match
//! ends. So strangers fill no memory, and the plans of an account are bounded by its share of matches.

use std::collections::{HashMap, VecDeque};
use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::future::BoxFuture;
use rmcp::model::JsonObject;
use serde_json::json;
use tokio::sync::OwnedMutexGuard;
use tokio::time::{Instant, timeout_at};
use tonic_types::StatusExt as _;

use super::caller::{Fault, Place, decision};
use super::text::{Reply, legal, quoted};
use crate::proto::v1::{Decision, Observation};

/// The maximum number of actions in a plan: more than a player has in a turn.
const MAX_ACTIONS: usize = 64;
/// The maximum size of an action in bytes. No action of a game has half of it.
const MAX_ACTION: usize = 200;
/// The maximum size of a plan in bytes: the longest actions of a turn.
const MAX_PLAN: usize = 4 * 1024;
/// The number of last plans that are kept for each seat. A call that is sent again is seldom an older one.
const KEPT_PLANS: usize = 4;

/// A call of `act`.
#[derive(Clone, Debug)]
pub(super) struct Asked {
    /// The decision that the first action answers.
    pub(super) decision: u32,
    pub(super) actions: Vec<String>,
    pub(super) comment: String,
}

/// A plan and its outcome so far.
#[derive(Debug)]
struct ActionPlan {
    decision: u32,
    actions: Vec<String>,
    applied: Vec<Applied>,
    /// The number of actions of the plan that are applied.
    done: usize,
    /// The reason why the other actions are not applied; None while they may be.
    stopped: Option<String>,
}

/// An action that was applied.
#[derive(Debug)]
pub(super) struct Applied {
    pub(super) decision: u32,
    pub(super) action: String,
    /// True if nothing else was legal and the plan did not name the action.
    pub(super) is_forced: bool,
}

impl Applied {
    pub(super) fn text(&self) -> String {
        let Self { decision, action, is_forced } = self;
        format!("Applied at decision {decision}: {action}{}", if *is_forced { " (forced)" } else { "" })
    }
}

/// Returns the facts of actions that were applied.
pub(super) fn applied_facts(applied: &[Applied]) -> JsonObject {
    let applied = applied.iter().map(
        |Applied { decision, action, is_forced }| json!({"decision": decision, "action": action, "forced": is_forced}),
    );
    JsonObject::from_iter([("applied".to_owned(), applied.collect())])
}

/// An answer of a seat: the action, and true if nothing else was legal.
pub type Answered = (String, bool);

/// A way to learn the answers of the seat with a token in a match, from the decision with a number on.
pub type Recall = Arc<dyn Fn(String, String, u32) -> BoxFuture<'static, Vec<Answered>> + Send + Sync>;

/// A way to get the plans of the seat with a token in a match: None if no match in progress has such a seat.
pub type Keep = Arc<dyn Fn(String, String) -> BoxFuture<'static, Option<Arc<SeatPlans>>> + Send + Sync>;

/// The plans of one seat.
#[derive(Debug, Default)]
pub struct SeatPlans {
    /// The last plan is at the end.
    plans: Arc<tokio::sync::Mutex<VecDeque<ActionPlan>>>,
    /// The number of events before the last plan, and one more; 0 before the first plan.
    told: AtomicU64,
}

/// The plans of all seats.
#[derive(Default)]
pub(super) struct Memory {
    /// The plans of the one client, by match and token.
    own: Mutex<HashMap<String, Arc<SeatPlans>>>,
    /// The ways to learn the outcome of a plan that is forgotten, and to get the plans of a seat; None for one client.
    server: Option<(Recall, Keep)>,
}

impl Memory {
    pub(super) fn of_server(recall: Recall, keep: Keep) -> Self {
        Self { server: Some((recall, keep)), ..Self::default() }
    }

    /// Returns the plans of a seat. They are kept if the seat is one of a match in progress.
    async fn of(&self, place: &Place) -> Arc<SeatPlans> {
        let Place { match_id, token, .. } = place;
        match (&self.server, token) {
            (Some((_, keep)), Some(token)) => keep(match_id.clone(), token.clone()).await.unwrap_or_default(),
            (Some(_), None) => Arc::default(),
            (None, token) => {
                let key = format!("{match_id} {}", token.as_deref().unwrap_or_default());
                let mut own = self.own.lock().unwrap_or_else(PoisonError::into_inner);
                Arc::clone(own.entry(key).or_default())
            }
        }
    }

    /// Returns the number of events that the seat was told before its last plan; None without a plan.
    pub(super) async fn told(&self, place: &Place) -> Option<u32> {
        u32::try_from(self.of(place).await.told.load(Ordering::Relaxed).checked_sub(1)?).ok()
    }

    /// Applies a plan, or the part of it that is not applied yet, until it ends or this time. Returns what became of it.
    pub(super) async fn act(&self, place: &Place, asked: Asked, until: Instant) -> Result<Reply, Fault> {
        check(&asked)?;
        let seat = self.of(place).await;
        let plans = timeout_at(until, Arc::clone(&seat.plans).lock_owned()).await;
        let plans = plans.map_err(|_| Fault("waiting: an earlier call for this seat is under way".to_owned()))?;
        let (place, recall) = (place.clone(), self.server.as_ref().map(|(recall, _)| Arc::clone(recall)));
        let work = tokio::spawn(async move { applied(&place, plans, (&seat.told, recall), asked, until).await });
        work.await.map_err(|_| Fault("INTERNAL: the call failed".to_owned()))?
    }
}

fn check(asked: &Asked) -> Result<(), Fault> {
    let count = asked.actions.len();
    if !(1..=MAX_ACTIONS).contains(&count) {
        return Err(Fault(format!("actions: expected 1 to {MAX_ACTIONS} actions, got {count}")));
    }
    let bytes: usize = asked.actions.iter().map(String::len).sum();
    if bytes > MAX_PLAN {
        return Err(Fault(format!("actions: expected at most {MAX_PLAN} bytes in all, got {bytes}")));
    }
    match asked.actions.iter().find(|action| action.len() > MAX_ACTION) {
        Some(long) => {
            let start: String = long.chars().take(20).collect();
            let length = long.len();
            Err(Fault(format!(
                "actions: expected actions of at most {MAX_ACTION} bytes, got {length} that begin with {}",
                quoted(&start)
            )))
        }
        None => Ok(()),
    }
}

/// Applies a plan that is new or not complete. Returns what became of it.
async fn applied(
    place: &Place,
    mut plans: OwnedMutexGuard<VecDeque<ActionPlan>>,
    (told, recall): (&AtomicU64, Option<Recall>),
    asked: Asked,
    until: Instant,
) -> Result<Reply, Fault> {
    let known = plans.iter().position(|plan| plan.decision == asked.decision);
    let observed = match known {
        Some(known) if plans[known].actions != asked.actions => return Err(plans[known].taken()),
        // A later plan has answered what this one left open.
        Some(known) if known + 1 < plans.len() => return Ok(plans[known].reply()),
        Some(_) => place.observed(decision(), None, Some(until)).await?,
        None => {
            let before = place.glance().await?.event_count;
            let Asked { decision: number, actions, comment } = asked;
            let (plan, observed) = match place.stepped(number, &actions[0], &comment, until).await {
                Ok(answer) => {
                    told.store(u64::from(before) + 1, Ordering::Relaxed);
                    let first = (actions[0].clone(), false);
                    (ActionPlan::after(number, actions, vec![first]), answer.observation.unwrap_or_default())
                }
                Err(status) => match recalled(place, recall, &status, number).await {
                    answers if answers.is_empty() => return Err(refused(place, &actions[0], status).await),
                    answers => {
                        let first = answers[0].0.clone();
                        let plan = ActionPlan::after(number, actions, answers);
                        if plan.applied.first().is_none_or(|first| first.is_forced) {
                            return Err(ActionPlan { actions: vec![first], ..plan }.taken());
                        }
                        (plan, place.observed(decision(), None, Some(until)).await?)
                    }
                },
            };
            plans.push_back(plan);
            if plans.len() > KEPT_PLANS {
                plans.pop_front();
            }
            observed
        }
    };
    let plan = plans.back_mut().expect("a plan is there");
    plan.go_on(place, observed, until).await?;
    Ok(plan.reply())
}

/// Returns the answers from a decision on if a call for it was refused for a reason that it may have for coming again.
async fn recalled(place: &Place, recall: Option<Recall>, status: &tonic::Status, decision: u32) -> Vec<Answered> {
    let reason = status.get_details_error_info().map(|info| info.reason).unwrap_or_default();
    let is_late =
        matches!(&*reason, "STALE_DECISION" | "DECISION_TAKEN" | "NOT_YOUR_DECISION" | "MATCH_ENDED" | "FORFEITED");
    match (recall, &place.token) {
        (Some(recall), Some(token)) if is_late => recall(place.match_id.clone(), token.clone(), decision).await,
        _ => Vec::new(),
    }
}

impl ActionPlan {
    /// Returns the plan after these answers of its seat, the first of which answered its first decision. Answers after
    /// the plan may be among them.
    fn after(decision: u32, actions: Vec<String>, answers: Vec<Answered>) -> Self {
        let mut plan = Self { decision, actions, applied: Vec::new(), done: 0, stopped: None };
        for (number, (action, is_forced)) in (decision..).zip(answers) {
            let is_planned = plan.actions.get(plan.done).is_some_and(|planned| is_same(&action, planned));
            if !is_planned && !is_forced {
                // A later call has answered what the plan could not.
                plan.stopped = Some(format!("it is not legal at decision {number}"));
                break;
            }
            plan.done += usize::from(is_planned);
            plan.applied.push(Applied { decision: number, action, is_forced: !is_planned });
        }
        plan
    }

    /// Applies the rest of the plan, and forced actions between and after its actions.
    async fn go_on(&mut self, place: &Place, mut observed: Observation, until: Instant) -> Result<(), Fault> {
        while self.stopped.is_none() {
            let Some(decision) = &observed.decision else {
                if observed.result.is_some() || !observed.end_reason.is_empty() {
                    self.stopped = Some("the match has ended".to_owned());
                }
                return Ok(());
            };
            let Some((action, is_forced)) = self.next(decision) else { return Ok(()) };
            let Some(action) = action else {
                self.stopped = Some(format!("it is not legal at decision {}", decision.decision_id));
                return Ok(());
            };
            let decision = decision.decision_id;
            match place.stepped(decision, &action, "", until).await {
                Ok(answer) => observed = answer.observation.unwrap_or_default(),
                Err(status) if status.get_details_error_info().is_some_and(|info| !is_passing(&info.reason)) => {
                    self.stopped = Some(Fault::from(status).0);
                    return Ok(());
                }
                Err(status) => {
                    let Fault(message) = status.into();
                    return Err(Fault(format!("{}\n{message}\nSend the same call again to go on.", self.text())));
                }
            }
            self.done += usize::from(!is_forced);
            self.applied.push(Applied { decision, action, is_forced });
        }
        Ok(())
    }

    /// Returns the next action, and true if it is forced and not the next one of the plan. The action is None if the plan names
    /// one that is not legal. Returns None if the plan is complete and the decision is not forced.
    fn next(&self, decision: &Decision) -> Option<(Option<String>, bool)> {
        let planned = self.actions.get(self.done);
        let legal = |planned: &String| {
            let mut legal = decision.legal_actions.iter();
            legal.find(|action| is_same(&action.text, planned)).map(|action| action.text.clone())
        };
        match (planned.and_then(legal), &decision.legal_actions[..]) {
            (Some(action), _) => Some((Some(action), false)),
            (None, [forced]) => Some((Some(forced.text.clone()), true)),
            (None, _) => planned.map(|_| (None, false)),
        }
    }

    /// Returns the error of a call that answers a decision for the second time.
    fn taken(&self) -> Fault {
        let Self { decision, actions, .. } = self;
        Fault(format!("DECISION_TAKEN: decision {decision} was answered with {actions:?}; expected the same actions"))
    }

    /// Returns what became of the plan so far, with its facts.
    fn reply(&self) -> Reply {
        let mut facts = applied_facts(&self.applied);
        let rest = &self.actions[self.done..];
        if !rest.is_empty() {
            facts.insert("not_applied".to_owned(), json!(rest));
        }
        Reply { text: self.text(), facts, ..Reply::default() }
    }

    /// Returns what became of the plan so far.
    fn text(&self) -> String {
        let mut text: String = self.applied.iter().map(|applied| applied.text() + "\n").collect();
        let rest = &self.actions[self.done..];
        if !rest.is_empty() {
            let why = self.stopped.as_deref().unwrap_or("no decision is open yet; send the same call again to go on");
            let actions: Vec<_> = rest.iter().map(|action| quoted(action)).collect();
            writeln!(text, "Not applied: {}: {why}", actions.join(", ")).expect("a text can be written");
        }
        text.pop();
        text
    }
}

/// Returns true if two texts are the same action, in any case and with any spaces between its words.
fn is_same(legal: &str, planned: &str) -> bool {
    let words = |text: &str| text.split_whitespace().map(str::to_lowercase).collect::<Vec<_>>();
    words(legal) == words(planned)
}

/// Returns true if a call that was refused for this reason may succeed later.
fn is_passing(reason: &str) -> bool {
    matches!(reason, "MATCH_SUSPENDED" | "CLOSING" | "OVER_SHARE")
}

/// Returns the error of a refused first action, with the legal actions where they help.
async fn refused(place: &Place, action: &str, status: tonic::Status) -> Fault {
    let reason = status.get_details_error_info().map(|info| info.reason).unwrap_or_default();
    let Fault(mut message) = status.into();
    if matches!(reason.as_str(), "ILLEGAL_ACTION" | "BAD_ACTION" | "UNKNOWN_ACTION") {
        write!(message, "\nThe action {} was not applied.", quoted(action)).expect("a text can be written");
        // The error stands, whether or not the legal actions can be had.
        if let Ok(Observation { decision: Some(decision), .. }) = place.observed(decision(), None, None).await {
            write!(message, " Decision {} is open.\n{}", decision.decision_id, legal(&decision))
                .expect("a text can be written");
        }
    }
    Fault(message)
}
