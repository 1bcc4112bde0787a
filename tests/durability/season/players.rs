//! The players of a season in the process of its server.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use ahu_core::{ActionId, Seat};
use ahu_service::accounts::Accounts;
use ahu_service::proto::v1::AssignedSeat;
use ahu_service::store::{Place, SqliteOptions, SqliteStore};
use ahu_service::{Audit, Clock, Environments, Limits, LiveMatch, Matches, Page};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt as _, SeedableRng as _};
use serde::{Deserialize, Serialize};

use super::remote::Caller;
use super::truth::choose;

/// A player: `greedy@2` that takes a random legal action with a probability of its own.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Player {
    pub(super) account: String,
    pub(super) random: f64,
    pub(super) style: Style,
    pub(super) seed: u64,
}

/// The manner of a player.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Style {
    Plain,
    /// Asks at the same instant as this accomplice, who loses to it on purpose.
    Gains(String),
    /// Loses to this accomplice on purpose.
    Loses(String),
}

impl Player {
    /// Chooses an action for a seat that is to act. `is_lost` is true if it loses on purpose.
    fn choose(&self, live: &LiveMatch, seat: Seat, rng: &mut ChaCha8Rng, is_lost: bool) -> Option<(u32, ActionId)> {
        let random = if is_lost { 1.0 } else { self.random };
        let decision = live.asked(seat)?;
        let action = live.with_referee(|referee| choose(referee, seat, random, rng)).flatten()?;
        Some((decision, action))
    }

    /// Plays a seat to the end of its match.
    async fn play(&self, live: Arc<LiveMatch>, seat: Seat, rng: &mut ChaCha8Rng) {
        let mut changes = live.changes();
        let names = live.with_referee(ahu_host::Referee::names).unwrap_or_default();
        let is_lost = matches!(&self.style, Style::Loses(other) if names.iter().any(|name| name.starts_with(&**other)));
        while !live.has_ended() {
            changes.mark_unchanged();
            match self.choose(&live, seat, rng, is_lost) {
                // A refusal means that the match has gone on.
                Some((decision, action)) => drop(live.step(seat, decision, action.0.into())),
                None => drop(tokio::time::timeout(Duration::from_secs(1), changes.changed()).await),
            }
        }
    }

    /// Plays seats for ever, and is away for a third of the time.
    async fn compete(self, matches: Matches, mut caller: Caller) {
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        loop {
            let plays = rng.random_range(20..80);
            let away = rng.random_range(10..40);
            let leaves = tokio::time::Instant::now() + Duration::from_secs(plays);
            while tokio::time::Instant::now() < leaves {
                if let Style::Gains(_) | Style::Loses(_) = self.style {
                    // Both ask at the same instants.
                    let now = std::time::SystemTime::UNIX_EPOCH.elapsed().map_or(0, |since| since.as_millis() as u64);
                    tokio::time::sleep(Duration::from_millis(5_000 - now % 5_000)).await;
                }
                let Ok(Some(AssignedSeat { match_id, seat: Some(seat), .. })) = caller.next_seat().await else {
                    tokio::time::sleep(Duration::from_millis(200)).await;
                    continue;
                };
                let live = tokio::task::block_in_place(|| matches.find_blocking(&match_id));
                if let Ok(live) = live {
                    let own = live.seat(Some(seat)).expect("it was assigned");
                    self.play(live, own, &mut rng).await;
                }
            }
            tokio::time::sleep(Duration::from_secs(away)).await;
        }
    }
}

/// Serves a season with its players, until it is killed: `super::Season` starts this test as a process of its own.
#[test]
#[ignore = "a part of the test of a season"]
fn serve() {
    let Ok(folder) = std::env::var("AHU_SEASON_FOLDER") else { return };
    let folder = PathBuf::from(folder);
    let port = std::env::var("AHU_SEASON_PORT").expect("a port").parse::<u16>().expect("a number");
    let data = folder.join("data");
    let options = SqliteOptions { create: true, wait: Duration::from_secs(20), ..SqliteOptions::default() };
    let store = SqliteStore::open(&data, &options).expect("a store");
    let limits = Limits::default();
    let matches = Matches::with_clock(limits, Some(Box::new(store)), Clock::system());
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("threads");
    runtime.block_on(async {
        matches.recover(|_| {}).expect("a store that can be read");
        let server = ahu_service::Server::new(matches.clone(), Environments::new(&limits))
            .with_page(Page::default())
            .with_organisers(None, &data.join("cups"))
            .expect("a folder")
            .with_accounts(
                Accounts::open(&Place::from(&*data)).expect("accounts"),
                Audit::open(&Place::from(&*data)),
                true,
            );
        let listener = tokio::net::TcpListener::bind(("127.0.0.1", port)).await.expect("the port is free again");
        let players = std::fs::read(folder.join("players.json")).expect("players");
        let players: Vec<Player> = serde_json::from_slice(&players).expect("players");
        for player in players {
            let key =
                std::fs::read_to_string(folder.join("keys").join(format!("{}.key", player.account))).expect("a key");
            let caller = Caller::new(&format!("127.0.0.1:{port}"), key.trim());
            tokio::spawn(player.compete(matches.clone(), caller));
        }
        ahu_service::run(listener, server, std::future::pending()).await.expect("it serves");
    });
}
