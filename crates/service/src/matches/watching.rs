//! Watching: the streams of `WatchMatch`.
//!
//! A watcher goes through the log of the match. A [`Follower`] is a second referee, which applies the entries one by one. After
//! each entry it compares the facts that `Observe` tells the viewer beside the table: events, the decision of the viewer, the
//! seats to act, forfeits, clocks, and the state. A difference is a message; an entry without a difference sends nothing. So
//! the messages are a function of the log and the viewer. If they were read from the match when a watcher wakes, their
//! boundaries would tell how many hidden decisions of bots one call had. The same follower resumes after any event, stays
//! behind by a delay, and shows the past of a match that has ended.
//!
//! Watchers never slow a match. Nobody waits for them, and they have no queues. A follower for each viewer and format moves
//! forward when one of its watchers has a turn, and keeps its newest messages for all who share it (`feed.rs`). A watcher takes
//! the next message when its connection asks for one (`watcher.rs`). A watcher that is too far behind gets the present and all
//! events in between, as does a page that begins in the past. Any other watcher that begins in the past has a follower of its own
//! until it arrives at the present.
//!
//! All watchers of a server get a limited number of messages a second, which their principals share evenly, and changes that
//! come meanwhile are merged. So a principal with many streams delays its own ones. The streams of seats of matches in progress
//! have a rate beside it, and never wait for spectators.

mod feed;
mod follower;
mod message;
mod watcher;
mod watcher_limit;

use std::sync::Arc;
use std::time::Duration;

use ahu_host::api::ApiError;
use futures_util::stream;
use tokio_stream::Stream;

use self::follower::Follower;
pub(crate) use self::message::{Board, Form, Message};
pub(crate) use self::watcher::Viewpoint;
use self::watcher::Watcher;
pub(super) use self::watcher_limit::Watchers;
use super::live_match::PresentCall;
use super::{LiveMatch, Matches};
use crate::admission::Lease;
use crate::refusals;

impl Matches {
    /// Begins a stream of messages after the event with the number `after`, or now, until the end of the match. A message without
    /// an observation is a heartbeat. What is `kept` ends with the stream: the share of the address, and the call with the token
    /// of a seat.
    pub(crate) async fn messages(
        &self,
        live: Arc<LiveMatch>,
        view: Viewpoint,
        after: Option<u32>,
        heartbeat: Duration,
        kept: (Lease, Option<PresentCall>),
    ) -> Result<impl Stream<Item = Result<Message, ApiError>> + Send + use<>, ApiError> {
        let place = self.watchers.enter(&live.id)?;
        let watcher = Watcher::begin(live, view, after, &place, kept.0.principal()).await?;
        let parts = (watcher, self.closing(), (place, kept));
        Ok(stream::try_unfold(parts, move |(mut watcher, mut closing, kept)| async move {
            let message = tokio::select! {
                biased;
                _ = closing.wait_for(|&closing| closing) => Err(refusals::closing()),
                message = watcher.next() => message,
                () = tokio::time::sleep(heartbeat) => Ok(Some(Message::default())),
            };
            Ok(message?.map(|message| (message, (watcher, closing, kept))))
        }))
    }
}

/// The time for which a position that somebody has asked for is kept for the others, above the period of the lobby's tables.
const PRESENT_KEPT: Duration = Duration::from_secs(15);

impl Matches {
    /// Returns the message about the present. All who ask for it, and the watchers, share what is drawn and written.
    pub(crate) async fn present(
        &self,
        live: Arc<LiveMatch>,
        view: Viewpoint,
        share: Lease,
    ) -> Result<Message, ApiError> {
        let place = self.watchers.enter(&live.id)?;
        let is_first = place.feeds.find(&view.key()).is_none();
        let mut watcher = Watcher::begin(live, view, None, &place, share.principal()).await?;
        let message = watcher.next().await?.unwrap_or_default();
        if is_first {
            // A feed is there as long as it has a watcher.
            tokio::spawn(async move {
                tokio::time::sleep(PRESENT_KEPT).await;
                drop((watcher, place, share));
            });
        }
        Ok(message)
    }
}

/// Returns the message about the match after the entry that told the event with the number `after`, with this event as the
/// last one. Blocks the thread while the match is folded.
pub(crate) fn message_at(live: &LiveMatch, view: &Viewpoint, after: u32) -> Result<Message, ApiError> {
    let telling = live.entries_of_event(view.viewer, after)?;
    let mut follower = Follower::new(live.rewound(), view.form.clone(), &view.viewers(live));
    // An entry may tell several events. The earlier events of this entry count as told.
    let had = after.saturating_sub(1) as usize;
    follower.skip(&live.entries(0, telling.start), had);
    for entry in live.entries(telling.start, telling.end) {
        follower.lifecycle.follow(&entry);
    }
    let mut message = follower.message_after(live, had.min(follower.event_count()), false);
    if let Some(observation) = &mut message.response.observation {
        observation.events.retain(|event| event.number <= after);
    }
    Ok(message)
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use ahu_core::{Seat, Viewer};
    use ahu_host::PictureLayout;
    use futures_util::StreamExt as _;
    use tokio::time::Instant;

    use super::*;
    use crate::admission::Principal;
    use crate::limits::{DEFAULT_HEARTBEAT, Limits, Share};
    use crate::matches::{MatchConfig, Workers};
    use crate::proto::v1;

    /// Returns a server with a match of these players, of which bots play all but one if it is given.
    fn hosted(agent: Option<usize>) -> (Matches, Workers, Arc<LiveMatch>) {
        let (matches, workers) = Matches::stepped(Limits::default(), None);
        let rules = ahu_host::find("rappanui").expect("we have it");
        let setup = rules.configure(2, &[]).expect("the defaults are valid");
        let bot = |seat| (Some(seat) != agent).then(|| rules.bot("random").expect("we have it"));
        let config = MatchConfig { bots: (0..2).map(bot).collect(), ..MatchConfig::new(setup) };
        let live = matches.host(config).expect("there is room");
        if agent.is_some() {
            live.join(None, "agent").expect("a seat is open");
        }
        while workers.decide() {}
        (matches, workers, live)
    }

    /// Watches a match from an address.
    async fn watch(
        matches: &Matches,
        live: &Arc<LiveMatch>,
        (address, viewer, boards): (u32, Viewer, Option<PictureLayout>),
        after: u32,
    ) -> impl Stream<Item = Message> + Send + Unpin + use<> {
        let ledger = matches.limiter().ledger(Principal::at(Some(IpAddr::V4(address.into()))));
        let share = ledger.lease(&[(Share::Watchers, 1)]).expect("it is free");
        let formats = v1::ObservationFormats { text: true, ..Default::default() };
        let view = Viewpoint { viewer, all_seats: false, form: Form { formats, boards } };
        let messages = matches.messages(Arc::clone(live), view, Some(after), DEFAULT_HEARTBEAT, (share, None)).await;
        Box::pin(messages.expect("it can be watched").map(|message| message.expect("the match goes on")))
    }

    #[tokio::test(start_paused = true)]
    async fn spectators_delay_neither_other_addresses_nor_players_at_their_own_one() {
        let (matches, _workers, ended) = hosted(None);
        let begin = Instant::now();
        for _ in 0..400 {
            let (matches, ended) = (matches.clone(), Arc::clone(&ended));
            tokio::spawn(async move {
                let mut flood = watch(&matches, &ended, (1, Viewer::Public, None), 0).await;
                while flood.next().await.is_some() {}
            });
        }
        while matches.limiter().used(Share::Watchers) < 400 {
            tokio::task::yield_now().await;
        }
        assert_eq!((Instant::now(), matches.limiter().watching_principals(false)), (begin, 1));

        let mut other = watch(&matches, &ended, (2, Viewer::Public, None), 0).await;
        assert!(other.next().await.is_some() && other.next().await.is_some());
        let (_, _agent, running) = hosted(Some(0));
        let seat = Viewer::Seat(Seat::new(0).expect("a seat"));
        let mut player = watch(&matches, &running, (1, seat, None), 0).await;
        assert!(player.next().await.is_some());
        assert_eq!(Instant::now(), begin, "nobody has waited");
        let mut own = watch(&matches, &running, (1, Viewer::Public, None), 0).await;
        assert!(own.next().await.is_some());
        assert!(Instant::now() - begin > Duration::from_millis(100), "the flood delays itself");
    }

    #[tokio::test(start_paused = true)]
    async fn all_who_ask_for_the_present_share_its_picture_and_nobody_keeps_it_for_long() {
        let (matches, _workers, live) = hosted(Some(0));
        let ask = async |address: u32, layout| {
            let ledger = matches.limiter().ledger(Principal::at(Some(IpAddr::V4(address.into()))));
            let share = ledger.lease(&[(Share::Watchers, 1)]).expect("it is free");
            let formats = v1::ObservationFormats { text: true, ..Default::default() };
            let form = Form { formats, boards: Some(layout) };
            let view = Viewpoint { viewer: Viewer::Public, all_seats: false, form };
            let message = matches.present(Arc::clone(&live), view, share).await.expect("it can be watched");
            message.boards().as_ptr()
        };
        let first = ask(1, PictureLayout::Wide).await;
        assert_eq!(ask(2, PictureLayout::Wide).await, first, "it was drawn once");
        assert_ne!(ask(2, PictureLayout::Phone).await, first);
        assert_eq!(matches.limiter().used(Share::Watchers), 2, "one for each layout");
        tokio::time::sleep(PRESENT_KEPT * 2).await;
        assert_eq!(matches.limiter().used(Share::Watchers), 0);
    }

    #[tokio::test(start_paused = true)]
    async fn pages_that_catch_up_share_one_picture_with_all_events() {
        let (matches, _workers, ended) = hosted(None);
        let mut pages = Vec::new();
        for (address, after) in [(1, 0), (2, 0), (3, 5)] {
            let mut page = watch(&matches, &ended, (address, Viewer::Public, Some(PictureLayout::Wide)), after).await;
            let message = page.next().await.expect("the present");
            assert!(pages.is_empty() == (message.undrawn() > 0), "the first one that is read is drawn");
            let seen = message.response.observation.clone().expect("it has one");
            let numbers: Vec<_> = seen.events.iter().map(|event| event.number).collect();
            assert_eq!(numbers, (after + 1..=seen.event_count).collect::<Vec<_>>());
            assert_eq!(message.boards().len(), 1);
            pages.push((page, message));
        }
        let pictures: Vec<_> = pages.iter().map(|(_, message)| message.boards().as_ptr()).collect();
        assert!(pictures.iter().all(|picture| *picture == pictures[0]), "it was drawn once");
        for (mut page, _) in pages {
            assert!(page.next().await.is_none(), "the match has ended");
        }
    }
}
