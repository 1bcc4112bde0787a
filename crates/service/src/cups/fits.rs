//! The ratings of a ladder, which a thread of its own fits while the server answers with the last ones.

use std::sync::{Arc, Mutex, Weak};
use std::thread;
use std::time::Duration;

use ahu_contest::cup::State;
use ahu_contest::ratings::SeasonRatings;
use ahu_host::api::ApiError;
use tokio::sync::{oneshot, watch};
use tokio::time::Instant;

use super::reader::REST;
use crate::background::{FITS, lower_priority};
use crate::{lock, refusals};

/// The time between two fits of a ladder, at least.
const PERIOD: Duration = Duration::from_secs(60);

/// The ratings of a ladder.
#[derive(Debug)]
pub(super) struct Fits {
    /// The number of fits, and the last ratings; None before the first.
    last: watch::Sender<(u64, Option<Arc<SeasonRatings>>)>,
    next: Mutex<Next>,
    /// The turn of a fit among those of all ladders of the server.
    turn: Arc<tokio::sync::Mutex<()>>,
}

/// The conditions under which the next fit begins.
#[derive(Debug, Default)]
struct Next {
    is_running: bool,
    /// The time before which it does not begin; None before the first.
    at: Option<Instant>,
    /// The state that the last one had.
    fitted: Weak<State>,
}

impl Fits {
    pub(super) fn new(turn: Arc<tokio::sync::Mutex<()>>) -> Self {
        Self { last: watch::Sender::default(), next: Mutex::default(), turn }
    }

    /// Returns the last ratings, and begins a fit if the state is newer and it is time for one. Waits for the first fit only.
    pub(super) async fn ratings(self: &Arc<Self>, state: &Arc<State>) -> Result<Arc<SeasonRatings>, ApiError> {
        if state.ladder().is_none_or(|ladder| ladder.games.is_empty()) {
            return Ok(Arc::default());
        }
        let mut last = self.last.subscribe();
        let fits = last.borrow().0;
        let is_running = self.begin(state);
        let known = last.borrow().1.clone();
        if known.is_some() || !is_running {
            return known.ok_or_else(refusals::failed);
        }
        let first = last.wait_for(|(number, _)| *number > fits).await.map_err(|_| refusals::failed())?;
        first.1.clone().ok_or_else(refusals::failed)
    }

    /// Begins a fit if it is time for one. Returns true if one is in progress.
    fn begin(self: &Arc<Self>, state: &Arc<State>) -> bool {
        let mut next = lock(&self.next);
        let is_known = next.fitted.ptr_eq(&Arc::downgrade(state));
        if !next.is_running && !is_known && next.at.is_none_or(|at| Instant::now() >= at) {
            (next.is_running, next.fitted) = (true, Arc::downgrade(state));
            tokio::spawn(Arc::clone(self).fit(Arc::clone(state)));
        }
        next.is_running
    }

    async fn fit(self: Arc<Self>, state: Arc<State>) {
        let _turn = self.turn.lock().await;
        let began = Instant::now();
        let before = self.last.borrow().1.clone();
        let (done, fitted) = oneshot::channel();
        let fit = move || {
            lower_priority(FITS);
            let before = before.unwrap_or_default();
            let ratings = state.ladder().map(|ladder| ladder.fit(&state, ladder.games.len(), &before));
            // The server may have ended meanwhile.
            drop(done.send(ratings.unwrap_or_default()));
        };
        // A thread that cannot start or panics leaves the ratings as they are.
        let is_started = thread::Builder::new().name("fit".to_owned()).spawn(fit).is_ok();
        let ratings = fitted.await.ok().map(Arc::new);
        tracing::debug!(is_started, is_done = ratings.is_some(), took = ?began.elapsed(), "a ladder was fitted");
        self.last.send_modify(|(number, last)| {
            *number += 1;
            *last = ratings.or(last.take());
        });
        let mut next = lock(&self.next);
        (next.is_running, next.at) = (false, Some(Instant::now() + PERIOD.max(began.elapsed() * REST)));
    }
}

#[cfg(test)]
mod tests {
    use ahu_contest::cup::{Event, GameKey, GameResult, NewTable, Salt};

    use super::*;

    /// Returns a ladder in which a has won this number of games against b.
    fn after(games: usize) -> Arc<State> {
        let agents = ["a", "b"].map(|name| format!("[[agent]]\nname = \"{name}\"\nbot = \"random\"\n")).concat();
        let file = format!(
            "kind = \"ladder\"\ngame = \"rapanui_cards\"\n[cup]\nname = \"S\"\n[clock]\nbank = \"9s\"\n{agents}"
        );
        let names = vec!["a".to_owned(), "b".to_owned()];
        let table = NewTable { group: 0, agents: names.clone() };
        let result = |table: usize| Event::Result {
            key: GameKey { stage: 0, table, game: 0 },
            result: GameResult {
                match_id: Some(format!("{table:016x}")),
                agents: names.clone(),
                scores: vec![9, 5],
                ranks: vec![1, 2],
                forfeits: vec![None, None],
                digest: Some("0".repeat(64)),
                decisions: 10,
            },
        };
        let salt = Salt([7; 32]);
        let open = Event::Open { chain: 0, salt: salt.before_chain(0).to_hex() };
        let draw = Event::Draw { stage: 0, extra: false, tables: vec![table; games] };
        let events: Vec<_> =
            [State::begin(&file, &salt), open, draw].into_iter().chain((0..games).map(result)).collect();
        Arc::new(State::after(&events).expect("they follow each other"))
    }

    fn elo(ratings: &SeasonRatings) -> f64 {
        ratings.agents[0].as_ref().expect("it has played").elo
    }

    #[tokio::test(start_paused = true)]
    async fn a_ladder_is_fitted_once_a_minute_and_only_if_it_has_grown() {
        let fits = Arc::new(Fits::new(Arc::default()));
        let ratings = async |state: &Arc<State>| fits.ratings(state).await.expect("a fit");
        assert!(ratings(&after(0)).await.agents.is_empty(), "nothing is fitted without games");
        let (old, new) = (after(5), after(50));
        let (first, at_once) = tokio::join!(ratings(&old), ratings(&old));
        assert!(Arc::ptr_eq(&first, &at_once), "two calls wait for one fit");
        assert!(Arc::ptr_eq(&first, &ratings(&new).await), "it is too early for another one");
        tokio::time::advance(PERIOD).await;
        assert!(Arc::ptr_eq(&first, &ratings(&old).await), "nothing is new");
        assert!(Arc::ptr_eq(&first, &ratings(&new).await), "the next one begins, and the last ratings hold");
        fits.last.subscribe().wait_for(|(number, _)| *number == 2).await.expect("it goes on");
        let second = ratings(&new).await;
        assert!(elo(&second) > elo(&first), "{second:?}");
        assert_eq!(fits.last.borrow().0, 2, "{:?}", fits.last);
    }
}
