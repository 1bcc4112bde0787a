//! The calls that the web page makes for a browser: the part of a match that a viewer may see, and the debugging of its agents.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use ahu_core::{BySeat, Seat, Viewer};
use ahu_host::api::ApiError;
use ahu_host::{Record, Referee, TimeControl, ToldEvent};
use prost::Message as _;
use tokio::sync::watch;

use crate::accounts::{AccountId, Client};
use crate::admission::{Caller, Lease};
use crate::lifecycle::Lifecycle;
use crate::limits::{DEFAULT_HEARTBEAT, MAX_LOOKED_AT, MAX_OWN_MATCHES, Share};
use crate::matches::live_match::{Debugged, Horizon, Supervisor};
use crate::matches::watching::{Form, Message, Reader, Viewpoint, message_at};
use crate::matches::{DebugCommand, LiveMatch, Matches};
use crate::proto::v1;
use crate::refusals;
use crate::secrets::TokenHash;
use crate::store::{Listed, Query};

/// The viewer for whom a browser asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PageViewer {
    Public,
    Seat(Seat),
    /// The public and all seats, after the end.
    All,
}

/// A match as one viewer in a browser sees it.
#[derive(Clone)]
pub(crate) struct PageMatch {
    live: Arc<LiveMatch>,
    view: Viewpoint,
}

/// The description of a match, with the facts that a page shows beside it.
pub(crate) struct MatchDescription {
    pub(crate) description: v1::Match,
    pub(crate) is_sealed: bool,
    pub(crate) has_ended: bool,
    /// The time controls of the seats; None if no seat has one.
    pub(crate) time_control: Option<String>,
    /// True if the authors of agents debug the match.
    pub(crate) is_debugged: bool,
}

impl Matches {
    /// Returns a match for a viewer. `token` returns the token that the browser has for a seat. After the end everybody may
    /// ask for every seat.
    pub(crate) async fn page_match(
        &self,
        match_id: &str,
        asked: PageViewer,
        token: impl Fn(Seat) -> Option<String>,
        client: &Client,
    ) -> Result<PageMatch, ApiError> {
        let live = self.find(match_id).await?;
        let viewer = match asked {
            PageViewer::Public | PageViewer::All => {
                live.refuse_if_sealed()?;
                if asked == PageViewer::All && !live.has_ended() {
                    return Err(refusals::not_ended(&live.id));
                }
                Viewer::Public
            }
            PageViewer::Seat(seat) => {
                live.seat(Some(seat.index() as u32))?;
                match token(seat) {
                    Some(token) if live.seat_of(TokenHash::of(&token))? == seat => {
                        live.note_player(seat, TokenHash::of(&token), client)?;
                    }
                    Some(_) => return Err(refusals::SEAT.wrong()),
                    None if live.has_ended() => live.refuse_if_sealed()?,
                    None => return Err(refusals::SEAT.missing()),
                }
                Viewer::Seat(seat)
            }
        };
        let formats = v1::ObservationFormats { text: true, legal_actions: true, ..Default::default() };
        let view = Viewpoint { viewer, all_seats: asked == PageViewer::All, form: Form::of_page(formats) };
        Ok(PageMatch { live, view })
    }

    /// Returns the seat to which a token belongs.
    pub(crate) async fn seat_with(&self, match_id: &str, token: &str) -> Result<Seat, ApiError> {
        self.find(match_id).await?.seat_of(TokenHash::of(token))
    }

    pub(crate) async fn describe(&self, match_id: &str) -> Result<MatchDescription, ApiError> {
        let live = self.find(match_id).await?;
        let description = live.answer(self.now(), |state| Ok(state.description())).await?;
        let clocks: BTreeSet<String> = live.facts.head.terms.clocks.iter().map(TimeControl::to_string).collect();
        let time_control = clocks.into_iter().filter(|clock| !clock.is_empty()).collect::<Vec<_>>().join(" or ");
        Ok(MatchDescription {
            description,
            is_sealed: live.facts.is_sealed(),
            has_ended: live.has_ended(),
            time_control: Some(time_control).filter(|clock| !clock.is_empty()),
            is_debugged: live.look(|state| matches!(state.supervisor, Some(Supervisor::Author(_)))),
        })
    }

    /// Returns the latest matches in which an account has a seat, the newest first.
    pub(crate) async fn matches_of(&self, account: AccountId) -> Result<Vec<v1::Match>, ApiError> {
        let id = account.to_string();
        let is_own = |described: &v1::Match| described.seats.iter().any(|seat| seat.player_id == id);
        let mut found = Vec::new();
        for live in self.down_from(u64::MAX, MAX_LOOKED_AT) {
            if live
                .look(|state| state.taken().any(|taken| taken.player.is_some_and(|player| player.account == account)))
            {
                found.push((live.facts.head.number, live.answer(self.now(), |state| Ok(state.description())).await?));
            }
        }
        let query = Query { with_private: true, newest_first: true, ..Query::default() };
        for Listed { number, id, description, .. } in self.listed(u64::MAX >> 1, query).await? {
            let description = description.and_then(|bytes| v1::Match::decode(&*bytes).ok()).filter(is_own);
            if let Some(description) = description.filter(|_| self.find_in_memory(&id).is_none()) {
                found.push((number, description));
            }
        }
        found.sort_by_key(|(number, _)| std::cmp::Reverse(*number));
        found.truncate(MAX_OWN_MATCHES);
        Ok(found.into_iter().map(|(_, description)| description).collect())
    }

    /// Begins a stream of messages after the event with the number `after`, or now.
    pub(crate) async fn watch_page(
        &self,
        of: PageMatch,
        after: Option<u32>,
        caller: &Caller,
    ) -> Result<Reader, ApiError> {
        self.refuse_if_closing()?;
        let share = caller.lease(&[(Share::Watchers, 1)])?;
        // A page beside the agent of a seat does not count as its presence.
        self.reader(of.live, of.view, after, DEFAULT_HEARTBEAT, (share, None)).await
    }

    /// Begins the stream of the debugging of a match, for the seat with this token.
    pub(crate) async fn watch_debugging(
        &self,
        match_id: &str,
        token: &str,
        caller: &Caller,
    ) -> Result<DebugReader, ApiError> {
        self.refuse_if_closing()?;
        let live = self.find(match_id).await?;
        let seat = live.seat_of(TokenHash::of(token))?;
        debugged(&live, seat)?;
        let mut changes = live.changes();
        // The first call returns the present state.
        changes.mark_changed();
        let share = caller.lease(&[(Share::Watchers, 1)])?;
        Ok(DebugReader { live, seat, changes, closing: self.closing(), told: None, is_over: false, _share: share })
    }

    /// Carries out a debugging command of the author whose agent has this token.
    pub(crate) async fn set_pace(&self, match_id: &str, token: &str, pace: DebugCommand) -> Result<(), ApiError> {
        let live = self.find(match_id).await?;
        let seat = live.seat_of(TokenHash::of(token))?;
        debugged(&live, seat)?;
        live.set_pace(pace, seat);
        Ok(())
    }
}

/// The stream of the debugging of a match, for the author of the agent at one seat.
pub(crate) struct DebugReader {
    live: Arc<LiveMatch>,
    seat: Seat,
    changes: watch::Receiver<u64>,
    closing: watch::Receiver<bool>,
    /// The state that was told last.
    told: Option<Debugged>,
    /// True once the state at the end was told.
    is_over: bool,
    _share: Lease,
}

impl DebugReader {
    /// Returns the present state on the first call, then the state after each change, and None after the end of the match.
    pub(crate) async fn next(&mut self) -> Result<Option<Debugged>, ApiError> {
        while !self.is_over {
            tokio::select! {
                biased;
                _ = self.closing.wait_for(|&closing| closing) => return Err(refusals::closing()),
                // The match keeps the sender.
                _ = self.changes.changed() => {}
            }
            self.is_over = self.live.has_ended();
            let now = Some(debugged(&self.live, self.seat)?);
            if self.is_over || self.told != now {
                self.told.clone_from(&now);
                return Ok(now);
            }
        }
        Ok(None)
    }
}

/// Returns the debugging of a match, for the author of the agent at a seat.
fn debugged(live: &LiveMatch, seat: Seat) -> Result<Debugged, ApiError> {
    let message = || format!("expected a match of `ahu play --web`, got {}, which nobody debugs", live.id);
    live.debugged(seat).ok_or_else(|| ApiError::bad_field("match_id", message()))
}

impl PageMatch {
    /// Returns the message about the match directly after the event with the number `after`.
    pub(crate) async fn at(self, after: u32) -> Result<Message, ApiError> {
        self.kept().await?;
        let work = move || message_at(&self.live, &self.view, after);
        tokio::task::spawn_blocking(work).await.map_err(|_| refusals::failed())?
    }

    /// Returns all events that the viewer was told so far, with their numbers.
    pub(crate) async fn events(self) -> Result<Vec<(usize, ToldEvent)>, ApiError> {
        self.kept().await?;
        Ok(self.live.look(|state| state.for_viewer(self.view.viewer).events()))
    }

    /// Returns the scores as the viewer could count them: at the beginning, and after each event by which they had changed, with
    /// the number of the event. Blocks the thread while the match is folded.
    pub(crate) fn scores(&self, horizon: Horizon) -> Vec<(usize, BySeat<i32>)> {
        let viewer = self.view.viewer;
        let mut lifecycle = self.live.rewound();
        let mut scores: Vec<(usize, BySeat<i32>)> = Vec::new();
        let mut note = |lifecycle: &Lifecycle| {
            let Some(referee) = lifecycle.referee() else { return };
            let now = referee.view(viewer).scores();
            if scores.last().is_none_or(|(_, last)| *last != now) {
                scores.push((referee.event_count(viewer), now));
            }
        };
        note(&lifecycle);
        for entry in self.live.entries(0, horizon.entries(viewer)) {
            lifecycle.follow(&entry);
            note(&lifecycle);
        }
        scores
    }

    /// Returns the record of a match that has ended.
    pub(crate) fn record(&self) -> Result<Record, ApiError> {
        self.live.refuse_if_sealed()?;
        match self.live.has_ended() {
            true => self.live.with_referee(Referee::record).ok_or_else(|| refusals::not_started(&self.live.id)),
            false => Err(refusals::not_ended(&self.live.id)),
        }
    }

    /// Returns the comments of agents on their decisions, by seat and number of the decision. Only for a match whose record
    /// everybody may have: see [`Self::record`].
    pub(crate) fn comments(&self) -> HashMap<(Seat, u32), String> {
        self.live.look(|state| state.comments.by_decision())
    }

    /// Waits until the store has the present state of the match, and returns the part that viewers may be shown.
    pub(crate) async fn kept(&self) -> Result<Horizon, ApiError> {
        self.live.horizon().kept().await
    }
}
