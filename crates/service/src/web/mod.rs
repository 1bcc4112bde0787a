//! The web page: an API for browsers and the files of the page, on the port of the service.
//!
//! The page is another form of the same calls (`docs/operate/web.md`). tonic's own server accepts HTTP/1.1, so the page has
//! the shares, rates, limits, and metrics of all other calls. A browser's stream is the stream of `WatchMatch`: all browsers
//! of one viewer share one follower, and each message is drawn and written once, by a background thread. Only the decision and
//! the times that are left are written for each browser. The id of a server-sent event is the number of the viewer's last event,
//! so a browser that was cut off goes on: with one picture and all events that it missed. A heartbeat is an event too, so that
//! scripts notice a silence.
//!
//! A person signs in with a key once, and then has a cookie with the id of a session, which the credentials of calls take in
//! place of a key (`admission/credentials.rs`).
//!
//! `mcp.rs` has the tools for language models beside the page, with calls and credentials of their own.
//!
//! The server keeps no file that a browser replays: each request of a replay brings the file along. The token of a seat is a
//! cookie that scripts cannot read, for the paths of its match alone. Pictures lie in shadow trees, so their stylesheet, which
//! the policy names by its hash, does not reach the page. The site is plain modules without a build step.

mod account;
mod answer;
mod ask;
mod browser_security;
mod cups;
mod debug;
mod draft;
mod events;
#[cfg(any(test, fuzzing))]
pub mod fuzzing;
mod ladder;
mod lobby;
mod match_page;
#[cfg(feature = "mcp")]
pub(super) mod mcp;
mod play;
mod position;
mod replay;
mod rules;
mod seat;
mod sessions;
mod site;

use std::sync::Arc;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware;
use axum::routing::{get, post};
use tokio::sync::Semaphore;

pub(super) use self::answer::refusal;
pub(super) use self::browser_security::{admit_host, is_of_browser, refused_protocol};
pub(super) use self::events::last_event;
pub(super) use self::sessions::Sessions;
use super::compressed;
use super::limits::{MAX_WEB_BODY, WEB_REPLAYS};
use super::server::Server;

/// The web page of a server.
#[derive(Clone, Debug)]
pub struct Page(Arc<Parts>);

#[derive(Debug)]
struct Parts {
    /// The names by which browsers may reach the server, beside `localhost` and addresses.
    host_names: Vec<String>,
    /// The permits for records that are replayed at a time.
    replays: Semaphore,
}

impl Default for Page {
    /// Creates a page that browsers reach at `localhost` and at addresses.
    fn default() -> Self {
        Self::new(Vec::new())
    }
}

impl Page {
    /// Creates a page that browsers also reach by these names. Any other name in a request is refused, so that a foreign
    /// site cannot give its own name to this server.
    pub fn new(host_names: Vec<String>) -> Self {
        Self(Arc::new(Parts { host_names, replays: Semaphore::new(WEB_REPLAYS) }))
    }

    /// Returns true if browsers may reach the server by this name, without a port.
    fn has_name(&self, name: &str) -> bool {
        self.0.host_names.iter().any(|own| own.eq_ignore_ascii_case(name))
    }
}

/// The server, which all handlers share.
type SharedServer = Arc<Server>;

/// Returns the routes of the page, without its guard.
pub(super) fn routes(server: SharedServer) -> Router {
    let mut router = Router::new();
    let cups = ["/cups", "/cups/{id}", "/cups/{id}/agents/{name}"];
    for path in ["/", "/matches/{id}", "/replay", "/account", "/rules", "/rules/{game}"].into_iter().chain(cups) {
        router = router.route(path, get(site::index));
    }
    router
        .route("/site/{name}", get(site::file))
        .route("/api/server", get(lobby::server))
        .route("/api/session", post(account::sign_in).delete(account::sign_out))
        .route("/api/account", get(account::show))
        .route("/api/matches", get(lobby::list))
        .route("/api/matches/{id}", get(match_page::describe))
        .route("/api/matches/{id}/events", get(events::stream))
        .route("/api/matches/{id}/board", get(match_page::board))
        .route("/api/matches/{id}/log", get(match_page::log))
        .route("/api/matches/{id}/debug", get(debug::stream).post(debug::set_pace))
        .route("/api/matches/{id}/draft", post(draft::draft))
        .route("/api/matches/{id}/answer", post(draft::answer))
        .route("/api/matches/{id}/resign", post(draft::resign))
        .route("/api/matches/{id}/seat", post(seat::remember).delete(seat::forget))
        .route("/api/matches/{id}/replay", get(replay::of_match))
        .route("/api/matches/{id}/replay/board", get(replay::board_of_match))
        .route("/api/record", post(replay::of_file))
        .route("/api/record/board", post(replay::board_of_file))
        .route("/api/cups", get(cups::list))
        .route("/api/cups/{id}", get(cups::show))
        .route("/api/cups/{id}/games", get(cups::games))
        .route("/api/cups/{id}/live", get(ladder::games))
        .route("/api/cups/{id}/agents/{name}", get(ladder::agent))
        .route("/api/cups/{id}/journal", get(ladder::journal))
        .route("/api/play", post(play::create))
        .route("/api/join/{id}", post(play::join))
        .route("/api/games/{game}/choices", get(play::choices))
        .route("/api/games/{game}/rules", get(rules::show))
        .fallback(browser_security::no_page)
        .layer(DefaultBodyLimit::max(MAX_WEB_BODY))
        .layer(middleware::from_fn(compressed::whole))
        .with_state(server)
}

/// Puts the guard of the page before all routes of the server.
pub(super) fn guarded(router: Router, page: Page) -> Router {
    router.layer(middleware::from_fn_with_state(page, browser_security::admit))
}
