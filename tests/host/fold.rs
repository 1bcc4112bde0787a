//! The fold: a match that is folded from its entries equals the live match, and goes on in the same way.

use std::num::{NonZeroU8, NonZeroU32};

use ahu_core::{ActionId, ActionSet, BySeat, Fingerprint, Seat, Seed, Viewer};
use ahu_host::{
    AnyRules, BotAnswer, BotDecision, Cause, Conduct, Consequence, Ending, Entry, GAMES, MatchResult, MatchTime,
    Record, Referee, SeatPlayer, Setup, StepError, StepOutcome, Terms, TimeControl, verify,
};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

/// The rulings in a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rulings {
    /// Nobody plays illegally or forfeits.
    None,
    /// The external players play illegally until they forfeit.
    Strikes,
    /// The first external player and the player of the last seat, who may be a bot, forfeit.
    Forfeits,
    /// The external players answer too late until they forfeit.
    Timeouts,
    /// Each fault of external players forfeits: an illegal action, an unreadable one, an exit, an absence, a resignation.
    Faults,
    /// The match is cancelled.
    Cancelled,
    /// The match is void.
    Void,
}

const ALL_RULINGS: [Rulings; 7] = [
    Rulings::None,
    Rulings::Strikes,
    Rulings::Forfeits,
    Rulings::Timeouts,
    Rulings::Faults,
    Rulings::Cancelled,
    Rulings::Void,
];

/// A match whose players depend on the position alone, so that it can be continued at any point.
struct Script {
    setup: Setup,
    players: Vec<SeatPlayer>,
    seed: Seed,
    rulings: Rulings,
}

/// The decisions from which on an external player has been at fault once, twice, three times.
const FAULT_AT: [u32; 3] = [2, 4, 5];
/// The decision at which a player forfeits.
const FORFEIT_AT: u32 = 3;
/// The ply from which on a match is cancelled or void.
const STOP_AT: u32 = 12;

impl Script {
    /// Creates a match of external players and both bots, with an external player in every third seat.
    fn new(rules: &'static dyn AnyRules, seats: usize, rulings: Rulings) -> Self {
        let seed = Seed(40 + rulings as u64);
        let bots = ["greedy", "random"].map(|name| rules.bot(name).expect("every game has it"));
        let first = rulings as usize % seats;
        let player = |seat: usize| match (seat + seats * 3 - first) % 3 {
            0 => SeatPlayer::external(format!("player {seat}")),
            kind => SeatPlayer::bot(bots[kind - 1]),
        };
        let setup = rules.configure(seats, &[]).expect("the defaults");
        Self { setup, players: (0..seats).map(player).collect(), seed, rulings }
    }

    fn terms(&self) -> Terms {
        let strikes = Conduct::with_strikes(NonZeroU8::new(3).expect("3 is not 0"));
        let conduct = match self.rulings {
            Rulings::None | Rulings::Forfeits | Rulings::Cancelled | Rulings::Void => Conduct::default(),
            Rulings::Strikes => strikes,
            Rulings::Timeouts => Conduct { timeout: Consequence::Strike, ..strikes },
            Rulings::Faults => Conduct {
                illegal: Consequence::Forfeit,
                unreadable: Consequence::Forfeit,
                absence_limit: NonZeroU32::new(60_000),
                ..Conduct::default()
            },
        };
        let limit = TimeControl { limit: NonZeroU32::new(5_000), lag: 200, ..TimeControl::default() };
        let bank = TimeControl {
            startup: 10_000,
            limit: NonZeroU32::new(5_000),
            bank: NonZeroU32::new(3_600_000),
            increment: 300,
            lag: 200,
        };
        let clock = if self.rulings == Rulings::Timeouts { limit } else { bank };
        let clocks = vec![clock; self.setup.seats().count()];
        Terms { conduct, clocks, idle: None, stand_in: None }
    }

    fn begin(&self) -> Referee {
        let mut referee = Referee::new(self.setup.clone(), self.seed, self.players.clone(), self.terms());
        resume(&mut referee);
        referee
    }

    fn fold(&self, entries: &[Entry]) -> Referee {
        let folded = Referee::fold(self.setup.clone(), self.seed, self.players.clone(), self.terms(), entries);
        let mut folded = folded.expect("the match wrote these entries");
        resume(&mut folded);
        folded
    }

    /// Makes one player act. Returns false if the match has ended.
    fn step(&self, referee: &mut Referee) -> bool {
        if referee.is_over() {
            return false;
        }
        match self.rulings {
            Rulings::Cancelled if referee.plies() >= STOP_AT => referee.cancel("the host left").expect("it goes on"),
            Rulings::Void if referee.plies() >= STOP_AT => referee.void("the disk is full").expect("it goes on"),
            _ => self.let_act(referee),
        }
        resume(referee);
        true
    }

    fn let_act(&self, referee: &mut Referee) {
        let is_bot = |seat: Seat| self.players[seat.index()].bot.is_some() || referee.forfeited().contains(seat);
        let external = referee.to_act().iter().find(|&seat| !is_bot(seat));
        // If several seats have to decide in secret, bots and external players take turns to be first.
        let seat = match (referee.bot_to_act(), external) {
            (Some((bot, _)), None) => bot,
            (Some((bot, _)), Some(_)) if referee.plies().is_multiple_of(2) => bot,
            (_, Some(external)) => external,
            (None, None) => unreachable!("somebody has to decide"),
        };
        let decision = referee.decision(seat).expect("the seat has to decide");
        if self.forfeits(seat, decision) && !referee.forfeited().contains(seat) {
            return referee.forfeit(seat, Cause::Exited);
        }
        if is_bot(seat) {
            return referee.play_bot();
        }
        let mut rng = ChaCha8Rng::seed_from_u64((seat.index() as u64) << 32 | u64::from(decision));
        // A folded match starts the clocks of open decisions anew, so an answer takes a time from that start. It is far
        // below the limit, since a span can have several decisions.
        let since = referee.available_since(seat).expect("its clock runs");
        referee.set_time(MatchTime(since.0 + rng.random_range(0..90)));
        match self.rulings {
            Rulings::Strikes => {
                if let Some(id) = self.illegal(referee, seat, decision) {
                    referee.act(seat, decision, id).expect_err("it is illegal");
                    return;
                }
            }
            Rulings::Timeouts if Self::is_due(referee, seat, decision) => {
                let left = referee.time_left(seat, since).expect("it has a limit");
                referee.set_time(MatchTime(since.0 + u64::from(left) + 1));
                let (strikes, most) = referee.strikes(seat).expect("the match has strikes");
                // The text itself is refused, which costs nothing: only its time is at fault. The last strike forfeits.
                let expected = match strikes + 1 < most.get() {
                    true => Ok(()),
                    false => Err(StepError::Forfeited { seat, cause: Cause::Timeout }),
                };
                assert_eq!(referee.act_unreadably(seat, decision, b"?"), expected);
                return;
            }
            Rulings::Faults if decision >= FORFEIT_AT => return fault(referee, seat, decision),
            _ => {}
        }
        let legal = referee.legal_actions(seat);
        let id = legal.nth(rng.random_range(0..legal.len())).expect("n is below the count");
        referee.act(seat, decision, id).expect("it is legal and in time");
    }

    /// Returns true if the player of the seat forfeits at this decision or has done so before.
    fn forfeits(&self, seat: Seat, decision: u32) -> bool {
        let external = self.players.iter().position(|player| player.bot.is_none());
        let of_seat = external == Some(seat.index()) || seat.index() == self.players.len() - 1;
        self.rulings == Rulings::Forfeits && of_seat && decision >= FORFEIT_AT
    }

    /// Returns true if the player of the seat has fewer strikes than the script gives it until this decision.
    fn is_due(referee: &Referee, seat: Seat, decision: u32) -> bool {
        let (strikes, _) = referee.strikes(seat).expect("the match has strikes");
        usize::from(strikes) < FAULT_AT.iter().filter(|&&from| decision >= from).count()
    }

    /// Returns the action that an external player tries in vain, if one is due. A repeat within two seconds does not
    /// count, and a folded match does not know the refused action: the second strike repeats the first one later.
    fn illegal(&self, referee: &Referee, seat: Seat, decision: u32) -> Option<ActionId> {
        let (strikes, _) = referee.strikes(seat).expect("the match has strikes");
        let legal = referee.legal_actions(seat);
        let mut ids = (0..self.setup.rules().action_count() as u16).map(ActionId);
        let illegal = ids.find(|&id| !legal.contains(id)).filter(|_| strikes == 0);
        Self::is_due(referee, seat, decision).then(|| illegal.unwrap_or(ActionId(u16::MAX)))
    }
}

/// Returns a time that follows from the entries, so that a folded match has the same.
fn now(referee: &Referee) -> u64 {
    1_000_000 + 10_000 * referee.entries().len() as u64
}

/// Sets the time that follows from the entries, and makes the open decisions available.
fn resume(referee: &mut Referee) {
    referee.set_time(MatchTime(now(referee)));
    referee.start_clocks();
}

/// Commits the fault of this seat, which leads to a forfeit.
fn fault(referee: &mut Referee, seat: Seat, decision: u32) {
    let legal = referee.legal_actions(seat);
    let illegal = (0..=u16::MAX).map(ActionId).find(|&id| !legal.contains(id)).expect("no action has the last id");
    match (seat.index() + referee.setup().seats().count()) % 5 {
        0 => drop(referee.act(seat, decision, illegal).expect_err("it is illegal")),
        1 => referee.act_unreadably(seat, decision, b"?").expect("the decision is open"),
        2 => referee.fault(seat, Cause::Exited),
        3 => referee.fault(seat, Cause::Absent),
        _ => referee.resign(seat).expect("the terms allow it"),
    }
}

/// All values about a match that the referee returns, except the entries themselves.
#[derive(Debug, PartialEq)]
struct Standing {
    entries: usize,
    plies: u32,
    fingerprint: Fingerprint,
    forfeits: BySeat<Option<Cause>>,
    ending: Option<Ending>,
    result: Option<MatchResult>,
    due: Option<BotAnswer>,
    seats: Vec<SeatStanding>,
    viewers: Vec<Told>,
}

#[derive(Debug, PartialEq)]
struct SeatStanding {
    decision: Option<u32>,
    answered: u32,
    strikes: Option<u8>,
    /// The time that the open decision had when its clock started.
    time_left: Option<u32>,
    legal: ActionSet,
    /// The answer to a request that repeats the last decision with another action.
    repeated: Result<StepOutcome, StepError>,
}

/// The view of one viewer as text, the banks that it sees, the number of events, and the last events.
#[derive(Debug, PartialEq)]
struct Told {
    view: String,
    banks: BySeat<Option<u32>>,
    count: usize,
    last: Vec<(usize, u32, Option<String>)>,
}

/// The number of last events that are compared for each viewer: no step has more.
const LAST_EVENTS: usize = 40;

impl Standing {
    fn of(referee: &mut Referee) -> Self {
        let seats: Vec<Seat> = referee.setup().seats().iter().collect();
        let viewers = seats.iter().map(|&seat| Viewer::Seat(seat)).chain([Viewer::Public]);
        let told = |viewer| {
            let count = referee.event_count(viewer);
            let last = referee.events_after(viewer, count.saturating_sub(LAST_EVENTS), usize::MAX);
            let last = last.into_iter().map(|(number, event)| (number, event.ply, event.event.text_for(viewer)));
            Told { view: referee.view(viewer).text(), banks: referee.banks(viewer), count, last: last.collect() }
        };
        let viewers = viewers.map(told).collect();
        let (entries, plies, fingerprint) = (referee.entries().len(), referee.plies(), referee.fingerprint());
        let seat = |&seat: &Seat| SeatStanding {
            decision: referee.decision(seat),
            answered: referee.answered(seat),
            strikes: referee.strikes(seat).map(|(strikes, _)| strikes),
            time_left: referee.available_since(seat).and_then(|since| referee.time_left(seat, since)),
            legal: referee.legal_actions(seat),
            repeated: referee.act(seat, referee.answered(seat), ActionId(u16::MAX)),
        };
        let seats = seats.iter().map(seat).collect();
        assert_eq!(referee.entries().len(), entries, "a repeated request changes nothing");
        let due = referee.due_bot().map(BotDecision::choose);
        let (forfeits, ending, result) = (referee.forfeits(), referee.ending(), referee.result());
        Self { entries, plies, fingerprint, forfeits, ending, result, due, seats, viewers }
    }
}

/// Checks the fold at each of the entries that `is_chosen` selects. Checks also that every `play_on_every`-th fold is played
/// on to the same end. Between the entries of one step, the fold is the match after the step.
fn check(script: &Script, is_chosen: impl Fn(usize, usize) -> bool, play_on_every: usize) {
    let mut live = script.begin();
    let mut standings = vec![Standing::of(&mut live)];
    while script.step(&mut live) {
        standings.push(Standing::of(&mut live));
    }
    let counts = |standing: &Standing| standing.viewers.iter().map(|told| told.count).collect::<Vec<_>>();
    for pair in standings.windows(2) {
        let steps = counts(&pair[0]).into_iter().zip(counts(&pair[1]));
        assert!(steps.clone().all(|(before, after)| after - before <= LAST_EVENTS), "no step has more events");
    }
    let record = live.record();
    let entries = &record.entries;
    let name = format!("{:?}, {:?}", script.setup, script.rulings);
    check_rulings(script.rulings, &record, &name);

    let chosen = (0..=entries.len()).filter(|&n| is_chosen(n, entries.len()));
    for (place, n) in chosen.enumerate() {
        let mut folded = script.fold(&entries[..n]);
        let expected = standings.iter().find(|standing| standing.entries >= n).expect("the last has all entries");
        assert_eq!(Standing::of(&mut folded), *expected, "{name} at {n} of {}", entries.len());
        assert_eq!(folded.entries(), &entries[..expected.entries], "{name} at {n}");
        if place.is_multiple_of(play_on_every) {
            while script.step(&mut folded) {}
            assert!(folded.record() == record, "{name}: played on from {n} of {}", entries.len());
        }
    }
}

/// Checks that the match has the entries of its rulings.
fn check_rulings(rulings: Rulings, record: &Record, name: &str) {
    let entries = &record.entries;
    let count = |wanted: fn(&Entry) -> bool| entries.iter().filter(|entry| wanted(entry)).count();
    let strikes = count(|entry| matches!(entry, Entry::Strike { .. }));
    let forfeits = count(|entry| matches!(entry, Entry::Forfeit { .. }));
    let late = count(|entry| matches!(entry, Entry::Strike { cause: Cause::Timeout, .. }));
    let charged = count(|entry| matches!(entry, Entry::Action { time, .. } if time.measured > 0));
    let is_short = matches!(rulings, Rulings::Cancelled | Rulings::Void);
    assert!(charged > 0 || is_short, "{name}");
    let ending = record.ending.as_ref();
    match rulings {
        Rulings::None => assert_eq!((strikes, forfeits), (0, 0), "{name}"),
        Rulings::Strikes => assert!(strikes >= 3 && forfeits >= 1 && late == 0, "{name}: {strikes} and {forfeits}"),
        Rulings::Timeouts => assert!(late >= 3 && late == strikes && forfeits >= 1, "{name}: {late} and {forfeits}"),
        Rulings::Forfeits | Rulings::Faults => assert!(strikes == 0 && forfeits >= 1, "{name}: {forfeits}"),
        Rulings::Cancelled => assert_eq!(ending, Some(&Ending::Cancelled("the host left".to_owned())), "{name}"),
        Rulings::Void => assert_eq!(ending, Some(&Ending::Void("the disk is full".to_owned())), "{name}"),
    }
    let verified = verify(record);
    match rulings {
        // In the script bots forfeit too, although no terms allow it.
        Rulings::Forfeits => {}
        _ => assert_eq!(verified, Ok(()), "{name}"),
    }
}

#[test]
fn a_fold_at_some_entries_is_the_live_match_at_all_seat_counts() {
    // The long tests set `AHU_GAMES`, and fold at every entry.
    let is_long = std::env::var_os("AHU_GAMES").is_some();
    for rules in GAMES {
        for seats in rules.seats() {
            for rulings in ALL_RULINGS {
                // Otherwise about eight entries over the whole match, including the first and the last.
                let is_chosen = |n: usize, all: usize| is_long || n == all || n.is_multiple_of((all / 7).max(1));
                check(&Script::new(*rules, seats, rulings), is_chosen, if is_long { 50 } else { 2 });
            }
        }
    }
}

#[test]
fn a_fold_at_every_entry_is_the_live_match() {
    for rules in GAMES {
        for rulings in ALL_RULINGS {
            check(&Script::new(*rules, *rules.seats().start(), rulings), |_, _| true, 50);
        }
    }
}

#[test]
fn a_fold_of_other_entries_is_refused_with_the_ply() {
    let rules = GAMES[0];
    let script = Script::new(rules, 2, Rulings::Forfeits);
    let mut live = script.begin();
    while script.step(&mut live) {}
    let fold = |entries: &[Entry], seed| {
        let setup = script.setup.clone();
        Referee::fold(setup, seed, script.players.clone(), script.terms(), entries)
    };
    let action = live.entries().iter().position(|entry| matches!(entry, Entry::Action { .. })).expect("somebody acts");

    let mut cut = live.entries().to_vec();
    cut.remove(action);
    let error = fold(&cut, script.seed).expect_err("an action is missing");
    assert!(error.ply > action as u32 && error.to_string().contains("is impossible"), "{error}");
    let seat = live.setup().seats().iter().next().expect("a seat");
    let forfeit = Entry::Forfeit { seat, cause: Cause::Exited };
    let after = [live.entries(), &[forfeit]].concat();
    let error = fold(&after, script.seed).expect_err("the game is over");
    assert_eq!(error.ply, live.plies(), "{error}");
}
