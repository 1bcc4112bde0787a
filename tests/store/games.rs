//! Real matches, with the calls that changed them.

use std::collections::BTreeMap;
use std::num::{NonZeroU8, NonZeroU32};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use ahu_core::{ActionId, Seat, Seed};
use ahu_host::{Conduct, Entry, MatchTime, Referee, SeatPlayer, Terms, TimeControl, find};
use ahu_service::proto::v1::MatchState;
use ahu_service::store::{Change, Comment, MatchEnd, MatchHead, Request, TakenSeat};

/// The way in which a match ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    Finished,
    /// The agent gets a strike, and then forfeits.
    Forfeited,
    Cancelled,
    Void,
    /// The match is cancelled before all seats are taken.
    CancelledEarly,
}

pub(crate) const WAYS: [Way; 5] = [Way::Finished, Way::Forfeited, Way::Cancelled, Way::Void, Way::CancelledEarly];

/// A match and the calls that changed it. The first call creates the match.
#[derive(Clone, Debug)]
pub(crate) struct Played {
    pub(crate) head: MatchHead,
    pub(crate) changes: Vec<Change>,
}

/// Returns a digest that differs for each text.
pub(crate) fn digest(text: &str) -> [u8; 32] {
    let mut digest = [0_u8; 32];
    for (n, byte) in text.bytes().enumerate() {
        digest[n % 32] = digest[n % 32].wrapping_mul(31).wrapping_add(byte).wrapping_add(n as u8);
    }
    digest
}

/// Returns a time of day in whole milliseconds.
pub(crate) fn day(ms: u64) -> SystemTime {
    UNIX_EPOCH + Duration::from_millis(1_700_000_000_000 + ms)
}

fn state_of(way: Way) -> MatchState {
    match way {
        Way::Finished | Way::Forfeited => MatchState::Finished,
        Way::Cancelled | Way::CancelledEarly => MatchState::Cancelled,
        Way::Void => MatchState::Void,
    }
}

/// Plays a match of an agent in seat 0 against bots. Its id is the number.
pub(crate) fn play(game: &str, number: u64, way: Way) -> Played {
    let rules = find(game).expect("the game exists");
    let setup = rules.configure(*rules.seats().start(), &[]).expect("the defaults");
    let bots = setup.seats().iter().map(|seat| match seat.index() {
        0 => None,
        _ => Some(rules.bot("greedy").expect("every game has it")),
    });
    let control = TimeControl { bank: NonZeroU32::new(60_000_000), lag: 200, ..TimeControl::default() };
    let conduct = Conduct::with_strikes(NonZeroU8::new(2).expect("2 is not 0"));
    let seats = setup.seats().count();
    let head = MatchHead {
        number,
        id: format!("{number:016}").into(),
        created: day(number),
        terms: Terms { conduct, clocks: vec![control; seats], idle: NonZeroU32::new(600_000), stand_in: None },
        bots: bots.collect(),
        reservations: Vec::new(),
        is_unlisted: false,
        is_pinned: false,
        cup: None,
        is_sealed: number.is_multiple_of(2),
        spectator_delay: 3,
        has_distinct_owners: false,
        labels: BTreeMap::new(),
        seed: Seed(number),
        seed_given: false,
        salt: digest(&format!("salt {number}")),
        specification: format!("game {game}\nmatch {number}"),
        setup,
    };
    let changes = Calls::of(&head, way);
    Played { head, changes }
}

/// The calls of one match.
struct Calls {
    id: Arc<str>,
    changes: Vec<Change>,
    written: usize,
    /// The comments of the next call.
    comments: Vec<Comment>,
}

impl Calls {
    fn of(head: &MatchHead, way: Way) -> Vec<Change> {
        let mut calls = Self { id: Arc::clone(&head.id), changes: Vec::new(), written: 0, comments: Vec::new() };
        calls.push(&[], MatchState::Seating);
        calls.changes[0].request = Some(request(&format!("create m{}", head.number)));
        if way == Way::CancelledEarly {
            calls.push(&[Entry::Cancelled("nobody came".to_owned())], MatchState::Cancelled);
        } else {
            calls.play(head, way);
        }
        let last = calls.changes.last_mut().expect("there are calls");
        let description = format!("the end of m{}", head.number).into_bytes();
        last.end = Some(MatchEnd { at: MatchTime(1000 * head.number), description });
        last.state = state_of(way);
        if head.is_sealed {
            // The store keeps the time of the end.
            let end = last.end.clone().map(|end| MatchEnd { at: MatchTime(2000 * head.number), ..end });
            let (expected, entries, comments) = (calls.written, Vec::new(), Vec::new());
            let last = Change { seats: Vec::new(), request: None, expected, entries, comments, ..last.clone() };
            calls.changes.push(Change { unseals: true, end, ..last });
        }
        calls.changes
    }

    /// Adds the call after which the match has these entries.
    fn push(&mut self, entries: &[Entry], state: MatchState) {
        self.changes.push(Change {
            match_id: Arc::clone(&self.id),
            seats: Vec::new(),
            request: None,
            expected: self.written,
            entries: entries[self.written..].to_vec(),
            comments: std::mem::take(&mut self.comments),
            state,
            unseals: false,
            end: None,
        });
        self.written = entries.len();
    }

    fn play(&mut self, head: &MatchHead, way: Way) {
        let players = head.bots.iter().map(|bot| bot.map_or_else(|| SeatPlayer::external("ann"), SeatPlayer::bot));
        let mut referee = Referee::new(head.setup.clone(), head.seed, players.collect(), head.terms.clone());
        let join = request(&format!("join m{}", head.number));
        let agent = Seat::new(0).expect("every game has it");
        let mut now = 0;
        loop {
            while referee.bot_to_act().is_some() {
                referee.play_bot();
            }
            let is_first = self.changes.len() == 1;
            if !referee.is_over() && referee.plies() > 20 && way == Way::Cancelled {
                referee.cancel("the hall closes").expect("it has not ended");
            }
            if !referee.is_over() && referee.plies() > 20 && way == Way::Void {
                referee.void("a bot failed").expect("it has not ended");
            }
            self.push(referee.entries(), MatchState::Running);
            if is_first {
                let (token, name) = (digest(&format!("token {}", head.id)), "ann".to_owned());
                self.changes[1].seats = vec![TakenSeat {
                    seat: agent,
                    name,
                    token,
                    request: Some(join.id),
                    player: None,
                    at: head.created,
                }];
                self.changes[1].request = Some(join);
            }
            if referee.is_over() {
                return;
            }
            referee.start_clocks();
            now += 250;
            referee.set_time(MatchTime(now));
            let decision = referee.decision(agent).expect("the bots have decided");
            if way == Way::Forfeited && decision > 2 {
                let illegal = |id: &ActionId| !referee.legal_actions(agent).contains(*id);
                let illegal = (0..1000).map(ActionId).find(illegal).expect("no position permits everything");
                referee.act(agent, decision, illegal).expect_err("it is illegal");
                now += 5000;
                continue;
            }
            let action = referee.legal_actions(agent).iter().next().expect("an action is legal");
            referee.act(agent, decision, action).expect("it is legal");
            // The agent comments on every other decision.
            if decision % 2 == 1 {
                let text = format!("{decision} of {}: \u{fc}\n\"{action:?}\"", self.id);
                self.comments.push(Comment { seat: agent, decision, text });
            }
        }
    }
}

pub(crate) fn request(text: &str) -> Request {
    Request { id: digest(text), content: digest(&format!("content of {text}")) }
}
