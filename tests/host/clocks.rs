//! Clocks and conduct with injected time: no player can keep the others from a result in the agreed time, and no clock
//! reveals a secret.

use std::num::{NonZeroU8, NonZeroU16, NonZeroU32};

use ahu_core::{ActionId, BySeat, Seat, Seed, Viewer};
use ahu_host::{
    AnyRules, Cause, Conduct, Consequence, Ending, Entry, GAMES, MatchTime, Record, Referee, SeatPlayer, StepError,
    Terms, ThinkingTime, TimeControl, find, verify,
};

/// The time at which all matches begin, in milliseconds.
const START: u64 = 1_000_000;
/// The limit of a span, and its free time.
const LIMIT: u32 = 5_000;
const LAG: u32 = 200;
/// The time that the other players take for an answer.
const QUICK: u64 = 10;

fn seat(index: usize) -> Seat {
    Seat::new(index).expect("a seat")
}

fn limited() -> TimeControl {
    TimeControl { limit: NonZeroU32::new(LIMIT), lag: LAG, ..TimeControl::default() }
}

fn banked(bank: u32, increment: u32) -> TimeControl {
    TimeControl { bank: NonZeroU32::new(bank), increment, lag: LAG, ..TimeControl::default() }
}

/// Returns the terms with one clock for each of these seats.
fn clocked(seats: usize, control: TimeControl, conduct: Conduct) -> Terms {
    Terms { clocks: vec![control; seats], ..conduct.into() }
}

fn strikes(count: u8) -> NonZeroU8 {
    NonZeroU8::new(count).expect("it is above 0")
}

fn begin(rules: &'static dyn AnyRules, seats: usize, terms: Terms) -> Referee {
    let players = (0..seats).map(|seat| SeatPlayer::external(format!("player {seat}"))).collect();
    let mut referee = Referee::new(rules.configure(seats, &[]).expect("the defaults"), Seed(3), players, terms);
    referee.set_time(MatchTime(START));
    referee.start_clocks();
    referee
}

fn fold(referee: &Referee) -> Referee {
    let (setup, players, terms) = (referee.setup().clone(), referee.players().to_vec(), referee.terms().clone());
    let folded = Referee::fold(setup, referee.seed(), players, terms, referee.entries());
    folded.expect("the match wrote these entries")
}

fn begin_with_two(terms: Terms) -> Referee {
    begin(find("rappanui").expect("it is in the catalog"), 2, terms)
}

/// Returns the seat that has to decide, its decision, a legal action, and an illegal one.
fn owed(referee: &Referee) -> (Seat, u32, ActionId, ActionId) {
    let seat = referee.to_act().first().expect("some seat has to decide");
    let legal = referee.legal_actions(seat);
    let illegal = (0..=u16::MAX).map(ActionId).find(|&id| !legal.contains(id)).expect("no action has the last id");
    (seat, referee.decision(seat).expect("it has to decide"), legal.nth(0).expect("one is legal"), illegal)
}

fn answer(referee: &mut Referee, seat: Seat) {
    let decision = referee.decision(seat).expect("it has to decide");
    // The choices vary, so that games come to their ends.
    let legal = referee.legal_actions(seat);
    let id = legal.nth(decision as usize * 7 % legal.len()).expect("n is below the count");
    referee.act(seat, decision, id).expect("it is legal and in time");
}

/// The behaviour of the player of the first seat that has to decide. All others answer at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Behaviour {
    /// It never moves.
    Never,
    /// It sends the same text, which is not an action, ten times a second for ever.
    Garbage,
    /// It sends another such text each time.
    FreshGarbage,
    /// It sends the same illegal action for ever.
    Illegal,
    /// It answers in the last millisecond of each span.
    Last,
    /// It answers one millisecond after the end of each span.
    Late,
    Exits,
    /// Its agent is absent.
    Absent,
    Resigns,
}

/// Plays a match in which one player behaves like this, and returns its seat, the match, and the time that the match
/// took without the time of quick answers.
fn play(rules: &'static dyn AnyRules, behaviour: Behaviour, terms: Terms) -> (Seat, Referee, u64) {
    let mut referee = begin(rules, *rules.seats().start(), terms);
    let offender = referee.to_act().first().expect("some seat has to decide");
    let (mut now, mut waited) = (START, 0);
    let mut wait = |now: &mut u64, until: u64| {
        waited += until - *now;
        *now = until;
    };
    for round in 0_u64.. {
        referee.set_time(MatchTime(now));
        referee.start_clocks();
        referee.play_bots();
        referee.start_clocks();
        if referee.is_over() {
            break;
        }
        let has_forfeited = referee.forfeited().contains(offender);
        if let Some(other) = referee.to_act().iter().find(|&seat| seat != offender) {
            now += QUICK;
            referee.set_time(MatchTime(now));
            referee.expire();
            if referee.decision(other).is_some() {
                answer(&mut referee, other);
            }
            continue;
        }
        assert!(!has_forfeited, "a stand-in plays for it");
        let decision = referee.decision(offender).expect("it has to decide");
        let deadline = referee.deadline(offender).map(|deadline| deadline.0);
        match behaviour {
            Behaviour::Never => {
                wait(&mut now, deadline.expect("it has a limit") + 1);
                referee.set_time(MatchTime(now));
                referee.expire();
            }
            Behaviour::Garbage | Behaviour::FreshGarbage => {
                let until = now + 100;
                wait(&mut now, until);
                referee.set_time(MatchTime(now));
                let text = if behaviour == Behaviour::Garbage { 0 } else { round };
                let _ = referee.act_unreadably(offender, decision, &text.to_le_bytes());
            }
            Behaviour::Illegal => {
                let until = now + 100;
                wait(&mut now, until);
                referee.set_time(MatchTime(now));
                let (_, _, _, illegal) = owed(&referee);
                assert!(referee.act(offender, decision, illegal).is_err());
            }
            Behaviour::Last => {
                // The earlier answers of a span leave it less time.
                let half = decision.is_multiple_of(2);
                let deadline = deadline.expect("it has a limit");
                let until = if half { now + (deadline - now) / 2 } else { deadline };
                wait(&mut now, until);
                referee.set_time(MatchTime(now));
                referee.expire();
                answer(&mut referee, offender);
            }
            Behaviour::Late => {
                wait(&mut now, deadline.expect("it has a limit") + 1);
                referee.set_time(MatchTime(now));
                let (_, _, legal, _) = owed(&referee);
                let refused = referee.act(offender, decision, legal);
                assert_eq!(refused, Err(StepError::Forfeited { seat: offender, cause: Cause::Timeout }));
            }
            Behaviour::Exits => referee.fault(offender, Cause::Exited),
            Behaviour::Absent => referee.fault(offender, Cause::Absent),
            Behaviour::Resigns => referee.resign(offender).expect("the terms allow it"),
        }
    }
    (offender, referee, waited)
}

/// Checks that the match has a result, in which only this seat forfeited, and that its record says so.
fn check_result(referee: &Referee, offender: Seat, cause: Option<Cause>) -> Record {
    let result = referee.result().expect("the others have a result");
    let seats = referee.setup().seats();
    let expected = BySeat::from_fn(seats, |seat| cause.filter(|_| seat == offender));
    assert_eq!((referee.ending(), result.forfeits), (Some(Ending::Finished), expected));
    if cause.is_some() {
        assert_eq!(usize::from(result.ranks[offender]), seats.count(), "it comes last");
    }
    let record = referee.record();
    assert_eq!(verify(&record), Ok(()));
    assert_eq!(Record::read(record.to_text().as_bytes()), Ok(record.clone()));
    assert_eq!(Record::read(&record.to_bytes()), Ok(record.clone()));
    record
}

#[test]
fn the_others_get_a_result_in_the_agreed_time_whatever_one_player_does() {
    let limit = u64::from(LIMIT + LAG);
    let illegal_forfeits = Conduct { illegal: Consequence::Forfeit, ..Conduct::default() };
    let absence = Conduct { absence_limit: NonZeroU32::new(30_000), ..Conduct::default() };
    for &rules in GAMES {
        let seats = *rules.seats().start();
        let clock = |conduct| clocked(seats, limited(), conduct);
        let idle = Terms { idle: NonZeroU32::new(600_000), ..Terms::default() };
        for (behaviour, terms, cause, most) in [
            (Behaviour::Never, clock(Conduct::default()), Cause::Timeout, limit + 1),
            (Behaviour::Never, idle.clone(), Cause::Timeout, 600_001),
            (Behaviour::Never, clocked(seats, banked(60_000, 500), Conduct::default()), Cause::Timeout, 60_201),
            // Repeats within two seconds do not count, so a clock is faster than the bound of 50 tries.
            (Behaviour::Garbage, clock(Conduct::default()), Cause::Timeout, limit + 100),
            (Behaviour::Garbage, idle.clone(), Cause::Unreadable, 50 * 2_100),
            (Behaviour::FreshGarbage, clock(Conduct::default()), Cause::Unreadable, 50 * 100),
            (Behaviour::Illegal, clock(Conduct::default()), Cause::Timeout, limit + 100),
            (Behaviour::Illegal, idle.clone(), Cause::Illegal, 50 * 2_100),
            (Behaviour::Illegal, clock(Conduct::with_strikes(strikes(3))), Cause::Illegal, 3 * 2_100),
            (Behaviour::Illegal, clock(illegal_forfeits), Cause::Illegal, 100),
            (Behaviour::Late, clock(Conduct::default()), Cause::Timeout, limit + 1),
            (Behaviour::Exits, clock(Conduct::default()), Cause::Exited, 0),
            (Behaviour::Absent, clock(absence), Cause::Absent, 0),
            (Behaviour::Resigns, idle.clone(), Cause::Resigned, 0),
        ] {
            let (offender, referee, waited) = play(rules, behaviour, terms);
            assert!(waited <= most, "{}, {behaviour:?}: {waited} of {most} ms", rules.info().id);
            check_result(&referee, offender, Some(cause));
        }
    }
}

#[test]
fn an_answer_in_the_last_millisecond_is_in_time_in_every_game() {
    for &rules in GAMES {
        let seats = *rules.seats().start();
        let terms = clocked(seats, limited(), Conduct::default());
        let (offender, referee, _) = play(rules, Behaviour::Last, terms);
        let record = check_result(&referee, offender, None);
        let full = |entry: &&Entry| matches!(entry, Entry::Action { time, .. } if time.charged == LIMIT);
        assert!(record.entries.iter().filter(full).count() > 3, "the record has the time of such answers");
    }
}

#[test]
fn of_two_answers_at_the_limit_one_is_in_time_and_the_record_says_which() {
    for (late, cause) in [(0, None), (1, Some(Cause::Timeout))] {
        let mut referee = begin_with_two(clocked(2, limited(), Conduct::default()));
        let (seat, decision, legal, _) = owed(&referee);
        referee.set_time(MatchTime(START + u64::from(LIMIT + LAG) + late));
        assert_eq!(referee.act(seat, decision, legal).is_ok(), cause.is_none());
        let of_seat = |entry: &&Entry| matches!(entry, Entry::Action { .. } | Entry::Forfeit { .. });
        let first = referee.entries().iter().find(of_seat).cloned();
        match (cause, first) {
            (None, Some(Entry::Action { seat: own, time, .. })) => {
                assert_eq!((own, time), (seat, ThinkingTime { measured: LIMIT + LAG, charged: LIMIT }));
            }
            (Some(cause), first) => assert_eq!(first, Some(Entry::Forfeit { seat, cause })),
            (None, other) => panic!("{other:?}"),
        }
        assert_eq!(verify(&referee.record()), Ok(()));
    }
}

#[test]
fn a_deadline_passes_only_for_the_seat_that_owes_the_decision() {
    let mut referee = begin_with_two(clocked(2, limited(), Conduct::default()));
    let (seat, ..) = owed(&referee);
    let other = referee.setup().seats().left_of(seat, 1);
    let deadline = MatchTime(START + u64::from(LIMIT + LAG));
    assert_eq!((referee.deadline(seat), referee.deadline(other)), (Some(deadline), None));
    assert_eq!(referee.next_deadline(), Some(deadline));

    referee.set_time(deadline);
    referee.expire();
    assert!(referee.forfeited().is_empty(), "the last millisecond is in time");
    referee.set_time(MatchTime(deadline.0 + 1));
    referee.expire();
    assert_eq!(referee.forfeits()[seat], Some(Cause::Timeout));
    assert_eq!((referee.next_deadline(), referee.forfeits()[other]), (None, None));
}

#[test]
fn time_before_a_decision_is_available_is_not_charged() {
    let mut referee = begin_with_two(clocked(2, banked(60_000, 0), Conduct::default()));
    let (seat, ..) = owed(&referee);
    answer(&mut referee, seat);
    // The store needs 20 seconds, and the decision of the next seat is available only then.
    referee.set_time(MatchTime(START + 20_000));
    referee.start_clocks();
    let (next, ..) = owed(&referee);
    referee.set_time(MatchTime(START + 25_000));
    referee.start_clocks();
    answer(&mut referee, next);
    let last = referee.entries().iter().rfind(|entry| matches!(entry, Entry::Action { .. }));
    let Some(Entry::Action { time, .. }) = last else { panic!("somebody acted") };
    assert_eq!(*time, ThinkingTime { measured: 5_000, charged: 4_800 });
    assert_eq!(referee.banks(Viewer::Public)[next], Some(60_000 - 4_800));

    // Without a start no clock runs.
    let mut referee = begin_with_two(clocked(2, banked(60_000, 0), Conduct::default()));
    let mut folded = fold(&referee);
    for referee in [&mut referee, &mut folded] {
        referee.set_time(MatchTime(START + 1_000));
    }
    assert_eq!((referee.next_deadline(), folded.next_deadline()), (Some(MatchTime(START + 60_200)), None));
    folded.start_clocks();
    assert_eq!(folded.next_deadline(), Some(MatchTime(START + 1_000 + 60_200)));
}

#[test]
fn the_start_of_a_program_is_free() {
    let control = TimeControl { startup: 30_000, ..limited() };
    let mut referee = begin_with_two(clocked(2, control, Conduct::default()));
    let (first, ..) = owed(&referee);
    assert_eq!(referee.next_deadline(), Some(MatchTime(START + 35_200)));
    referee.set_time(MatchTime(START + 30_000));
    answer(&mut referee, first);
    while referee.decision(first).is_none() {
        referee.start_clocks();
        let (other, ..) = owed(&referee);
        answer(&mut referee, other);
    }
    referee.start_clocks();
    assert_eq!(referee.deadline(first), Some(MatchTime(START + 30_000 + 5_200)), "once");
}

#[test]
fn each_cause_of_a_strike_leads_to_a_forfeit_with_the_agreed_number() {
    let conduct = Conduct {
        illegal: Consequence::Strike,
        unreadable: Consequence::Strike,
        timeout: Consequence::Strike,
        absent: Consequence::Strike,
        absence_limit: NonZeroU32::new(1_000),
        strikes: strikes(2),
        ..Conduct::default()
    };
    for cause in [Cause::Illegal, Cause::Unreadable, Cause::Timeout, Cause::Absent] {
        let mut referee = begin_with_two(clocked(2, limited(), conduct));
        let (seat, decision, _, illegal) = owed(&referee);
        let mut now = START;
        for strike in 1..=2 {
            now += match cause {
                Cause::Timeout => u64::from(LIMIT + LAG) + 1,
                _ => 2_001,
            };
            referee.set_time(MatchTime(now));
            match cause {
                Cause::Illegal => assert!(referee.act(seat, decision, illegal).is_err()),
                Cause::Unreadable => referee.act_unreadably(seat, decision, b"?").expect("it has to decide"),
                Cause::Timeout => referee.expire(),
                _ => referee.fault(seat, cause),
            }
            assert_eq!(referee.strikes(seat), Some((strike, strikes(2))), "{cause}");
            assert_eq!(referee.forfeits()[seat], Some(cause).filter(|_| strike == 2));
        }
        let action = Some(illegal).filter(|_| cause == Cause::Illegal);
        let strike = Entry::Strike { seat, decision, cause, action };
        let entries = referee.entries();
        assert_eq!(entries[entries.len() - 3..], [strike.clone(), strike, Entry::Forfeit { seat, cause }]);
        assert_eq!(verify(&referee.record()), Ok(()));
    }
}

#[test]
fn after_a_timeout_with_a_strike_the_time_begins_anew_also_in_a_folded_match() {
    let conduct = Conduct { timeout: Consequence::Strike, ..Conduct::default() };
    let mut referee = begin_with_two(clocked(2, limited(), conduct));
    let (seat, ..) = owed(&referee);
    let late = START + u64::from(LIMIT + LAG) + 1;
    referee.set_time(MatchTime(late));
    referee.expire();
    assert_eq!(referee.strikes(seat), Some((1, strikes(3))));
    assert_eq!(referee.deadline(seat), Some(MatchTime(late + u64::from(LIMIT + LAG))));

    let mut folded = fold(&referee);
    assert_eq!(folded.deadline(seat), None, "its decision is not available yet");
    folded.set_time(MatchTime(late + 60_000));
    folded.expire();
    folded.start_clocks();
    assert_eq!(folded.deadline(seat), Some(MatchTime(late + 60_000 + u64::from(LIMIT + LAG))));
    assert_eq!(folded.strikes(seat), Some((1, strikes(3))));
}

#[test]
fn a_decision_is_available_from_the_start_of_its_clock() {
    let mut referee = begin_with_two(clocked(2, limited(), Conduct::default()));
    let (first, ..) = owed(&referee);
    let since = |referee: &Referee| [0, 1].map(|index| referee.available_since(seat(index)));
    let mut expected = [None; 2];
    expected[first.index()] = Some(MatchTime(START));
    assert_eq!(since(&referee), expected);
    referee.set_time(MatchTime(START + 70));
    answer(&mut referee, first);
    assert_eq!(referee.available_since(first), None);
    referee.start_clocks();
    let next = referee.to_act().first().expect("some seat has to decide");
    assert_eq!(referee.available_since(next), Some(MatchTime(START + 70)));
}

#[test]
fn a_stand_in_has_no_clock() {
    let mut referee = begin_with_two(clocked(2, banked(60_000, 500), Conduct::default()));
    let (seat, ..) = owed(&referee);
    referee.resign(seat).expect("the terms allow it");
    while !referee.is_over() {
        referee.play_bots();
        referee.start_clocks();
        referee.to_act().iter().for_each(|other| answer(&mut referee, other));
    }
    assert_eq!(referee.banks(Viewer::Public)[seat], Some(60_000), "no increment");
    assert_eq!(verify(&referee.record()), Ok(()));
}

#[test]
fn faults_that_the_terms_do_not_punish_change_nothing() {
    let refusals = Conduct {
        exited: Consequence::Refusal,
        resigned: Consequence::Refusal,
        absent: Consequence::Forfeit,
        ..Conduct::default()
    };
    let mut referee = begin_with_two(refusals.into());
    let (seat, decision, _, illegal) = owed(&referee);
    let entries = referee.entries().len();
    referee.fault(seat, Cause::Exited);
    // Without an agreed limit nobody is absent for too long.
    referee.fault(seat, Cause::Absent);
    assert_eq!(referee.resign(seat), Err(StepError::NoResignation));
    assert!(referee.act(seat, decision, illegal).is_err());
    referee.act_unreadably(seat, decision, b"?").expect("it has to decide");
    referee.set_time(MatchTime(u64::MAX));
    referee.expire();
    assert_eq!((referee.entries().len(), referee.decision(seat)), (entries, Some(decision)));

    // A seat that does not have to decide is not absent, and sends nothing that counts.
    let absence = Conduct { absence_limit: NonZeroU32::new(1_000), ..Conduct::default() };
    let mut referee = begin_with_two(absence.into());
    let other = referee.setup().seats().left_of(seat, 1);
    referee.fault(other, Cause::Absent);
    referee.act_unreadably(other, 1, b"?").expect("it is ignored");
    assert!(referee.forfeited().is_empty());
    referee.fault(other, Cause::Exited);
    assert_eq!(referee.forfeits()[other], Some(Cause::Exited), "an exit needs no decision");
}

#[test]
fn the_bound_of_tries_counts_each_fault_and_each_repeat_after_two_seconds() {
    // The gap between calls with the same illegal action, in milliseconds, and the number of calls that count as one try.
    for (gap, calls_a_try) in [(2_000, 2), (2_001, 1), (1_000, 3), (500, 5)] {
        let mut referee = begin_with_two(Conduct::default().into());
        let (seat, decision, _, illegal) = owed(&referee);
        let mut calls = 0;
        while referee.forfeited().is_empty() {
            referee.set_time(MatchTime(START + calls * gap));
            assert!(referee.act(seat, decision, illegal).is_err());
            calls += 1;
        }
        assert_eq!(calls, 49 * calls_a_try + 1, "a call every {gap} ms");
        assert_eq!(referee.forfeits()[seat], Some(Cause::Illegal));
        assert_eq!(verify(&referee.record()), Ok(()));
    }

    // Two alternating actions are not repeats. The count begins anew with each decision, and with a folded match.
    let tries = NonZeroU16::new(4).expect("4 is not 0");
    let mut referee = begin_with_two(Conduct { tries, ..Conduct::default() }.into());
    for _ in 0..5 {
        let (seat, decision, ..) = owed(&referee);
        for text in [b"a", b"b", b"a"] {
            referee.act_unreadably(seat, decision, text).expect("it has to decide");
        }
        answer(&mut referee, seat);
    }
    assert!(referee.forfeited().is_empty());
    let (seat, decision, ..) = owed(&referee);
    for text in [b"a", b"b", b"a"] {
        referee.act_unreadably(seat, decision, text).expect("it has to decide");
    }
    let mut folded = fold(&referee);
    for referee in [&mut referee, &mut folded] {
        referee.act_unreadably(seat, decision, b"b").expect("it has to decide");
    }
    assert_eq!((referee.forfeits()[seat], folded.forfeits()[seat]), (Some(Cause::Unreadable), None));
}

#[test]
fn a_time_that_jumps_back_charges_nothing_and_forfeits_nobody() {
    let mut referee = begin_with_two(clocked(2, banked(60_000, 500), Conduct::default()));
    let (seat, decision, legal, illegal) = owed(&referee);
    assert!(referee.act(seat, decision, illegal).is_err());
    for now in [0, START / 2] {
        referee.set_time(MatchTime(now));
        referee.expire();
        referee.start_clocks();
        assert_eq!(referee.next_deadline(), Some(MatchTime(START + 60_200)), "the deadline stays");
    }
    referee.act(seat, decision, legal).expect("it is in time");
    assert!(
        referee
            .entries()
            .iter()
            .any(|entry| matches!(entry, Entry::Action { time: ThinkingTime { measured: 0, charged: 0 }, .. }))
    );
    assert_eq!(referee.banks(Viewer::Public)[seat], Some(60_500));

    // A jump to the far future is a timeout, and does not overflow.
    referee.start_clocks();
    let (seat, ..) = owed(&referee);
    referee.set_time(MatchTime(u64::MAX));
    referee.expire();
    assert_eq!(referee.forfeits()[seat], Some(Cause::Timeout));

    // If the time is before the last refusal, each call counts, so that the match ends.
    let tries = NonZeroU16::new(4).expect("4 is not 0");
    let mut referee = begin_with_two(Conduct { tries, ..Conduct::default() }.into());
    let (seat, decision, _, illegal) = owed(&referee);
    for now in [START, START - 1, START - 2, START - 3] {
        assert!(referee.forfeited().is_empty());
        referee.set_time(MatchTime(now));
        assert!(referee.act(seat, decision, illegal).is_err());
    }
    assert_eq!(referee.forfeits()[seat], Some(Cause::Illegal));
}

#[test]
fn a_match_that_was_cancelled_or_is_void_has_no_result_and_takes_no_call() {
    for (is_void, ending) in
        [(false, Ending::Cancelled("the host left".to_owned())), (true, Ending::Void("the disk is full".to_owned()))]
    {
        for &rules in GAMES {
            let seats = *rules.seats().start();
            let mut referee = begin(rules, seats, clocked(seats, limited(), Conduct::default()));
            let (seat, decision, legal, _) = owed(&referee);
            answer(&mut referee, seat);
            let stop = if is_void { Referee::void } else { Referee::cancel };
            let reason = if is_void { "the disk is full" } else { "the host left" };
            stop(&mut referee, reason).expect("it goes on");
            let entries = referee.entries().len();

            assert_eq!((referee.ending(), referee.result()), (Some(ending.clone()), None));
            assert!(referee.is_over() && referee.to_act().is_empty() && referee.due_bot().is_none());
            assert_eq!(referee.next_deadline(), None);
            referee.set_time(MatchTime(u64::MAX));
            referee.expire();
            referee.fault(seat, Cause::Exited);
            referee.forfeit(seat, Cause::Exited);
            let ended = StepError::Ended(ending.clone());
            assert_eq!(referee.act(seat, decision + 1, legal), Err(ended.clone()));
            assert_eq!(referee.act_unreadably(seat, decision + 1, b"?"), Err(ended.clone()));
            assert_eq!(referee.resign(seat), Err(ended.clone()));
            assert_eq!(referee.cancel("again"), Err(ended.clone()));
            assert_eq!(referee.void("again"), Err(ended));
            assert_eq!(referee.entries().len(), entries, "nothing changed");

            let record = referee.record();
            assert_eq!((&record.ending, record.result), (&Some(ending.clone()), None));
            assert_eq!(verify(&record), Ok(()));
            assert_eq!(Record::read(record.to_text().as_bytes()), Ok(record));
        }
    }
}

#[test]
fn a_cancelled_match_keeps_its_forfeits_but_ranks_nobody() {
    let mut referee = begin_with_two(Conduct::default().into());
    let (seat, ..) = owed(&referee);
    referee.resign(seat).expect("the terms allow it");
    assert_eq!(referee.resign(seat), Err(StepError::Forfeited { seat, cause: Cause::Resigned }));
    referee.cancel("the other left, too").expect("it goes on");
    assert_eq!((referee.forfeits()[seat], referee.result()), (Some(Cause::Resigned), None));
}

#[test]
fn banks_change_for_a_viewer_only_with_what_it_is_told_and_spans_are_charged_in_full() {
    for &rules in GAMES {
        for seats in rules.seats() {
            // Without free time and increment, the charges of a seat add up to its time.
            let control = TimeControl { bank: NonZeroU32::new(80_000_000), ..TimeControl::default() };
            let mut referee = begin(rules, seats, clocked(seats, control, Conduct::default()));
            let all: Vec<Seat> = referee.setup().seats().iter().collect();
            let viewers: Vec<Viewer> = all.iter().map(|&seat| Viewer::Seat(seat)).chain([Viewer::Public]).collect();
            let (mut measured, mut charged) = (vec![0; seats], vec![0; seats]);
            let mut now = START;
            while let Some(actor) = referee.to_act().iter().nth(now as usize % referee.to_act().iter().count().max(1)) {
                let told: Vec<_> =
                    viewers.iter().map(|&viewer| (referee.event_count(viewer), referee.banks(viewer))).collect();
                let entries = referee.entries().len();
                let (plies, events) = (referee.plies(), referee.events().len());
                now += 37 + now % 91;
                referee.set_time(MatchTime(now));
                answer(&mut referee, actor);
                referee.start_clocks();
                for entry in &referee.entries()[entries..] {
                    if let Entry::Action { seat, time, .. } = entry {
                        measured[seat.index()] += time.measured;
                        charged[seat.index()] += time.charged;
                    }
                }
                // A span may end where chance follows, since the public is told of each chance event.
                for (ply, entry) in (plies + 1..).zip(&referee.entries()[entries..]) {
                    let mut told = referee.events()[events..].iter().filter(|event| event.ply == ply);
                    let is_told = told.any(|event| event.event.is_visible_to(Viewer::Public));
                    assert!(is_told || !matches!(entry, Entry::Chance(_)), "{}: {entry:?}", rules.info().id);
                }
                for (&viewer, (count, banks)) in viewers.iter().zip(told) {
                    let shown = referee.banks(viewer);
                    let others = all.iter().filter(|&&seat| viewer != Viewer::Seat(seat));
                    if referee.event_count(viewer) == count {
                        assert!(others.clone().all(|&seat| shown[seat] == banks[seat]), "{}", rules.info().id);
                    }
                }
                for &seat in all.iter().filter(|&&seat| !referee.to_act().contains(seat)) {
                    let (measured, charged) = (measured[seat.index()], charged[seat.index()]);
                    assert_eq!(measured, charged, "{}: no span of seat {seat} is open", rules.info().id);
                    assert_eq!(referee.banks(Viewer::Seat(seat))[seat], Some(80_000_000 - charged));
                }
            }
            assert!(referee.result().is_some());
        }
    }
}

type Banks = BySeat<Option<u32>>;

/// Plays an auction of Giants in which seat 0 answers its secret decisions at these times. The other seats answer at fixed
/// times. Returns the banks that each viewer except seat 0 sees at each point in time, and the banks that seat 0 sees at the
/// end.
fn auction(answers: [u64; 3]) -> (Vec<[Banks; 3]>, Banks) {
    let rules = find("giants").expect("it is in the catalog");
    let mut referee = begin(rules, 3, clocked(3, banked(60_000, 500), Conduct::default()));
    assert_eq!(referee.to_act().iter().count(), 3, "all seats bid at once");
    let times = [answers.to_vec(), vec![400, 1_400, 3_200], vec![700, 2_500, 3_600]];
    let mut moves: Vec<(u64, usize)> =
        (0..).zip(times).flat_map(|(seat, times)| times.into_iter().map(move |time| (time, seat))).collect();
    moves.sort_unstable();
    let mut seen = Vec::new();
    for time in (0..4_000).step_by(50) {
        while let Some(&(due, of)) = moves.first().filter(|&&(due, _)| due <= time) {
            moves.remove(0);
            referee.set_time(MatchTime(START + due));
            let decision = referee.decision(seat(of)).expect("its bid has three decisions");
            let legal = referee.legal_actions(seat(of));
            referee.act(seat(of), decision, legal.nth(0).expect("one is legal")).expect("it is legal");
            referee.start_clocks();
        }
        let viewers = [Viewer::Seat(seat(1)), Viewer::Seat(seat(2)), Viewer::Public];
        seen.push(viewers.map(|viewer| referee.banks(viewer)));
    }
    assert!(moves.is_empty());
    (seen, referee.banks(Viewer::Seat(seat(0))))
}

#[test]
fn no_clock_tells_how_far_a_chain_of_secret_decisions_is() {
    let even = auction([1_000, 2_000, 3_000]);
    for answers in [[1, 2, 3_000], [2_990, 2_995, 3_000], [50, 2_950, 3_000]] {
        assert_eq!(auction(answers), even, "{answers:?}");
    }
    // One free time and one increment for three decisions.
    let (seen, own) = even;
    let after = Some(60_000 - (3_000 - 200) + 500);
    assert_eq!(own[seat(0)], after);
    let shown: Vec<_> = seen.iter().map(|viewers| viewers[2][seat(0)]).collect();
    assert_eq!(shown[..=60], vec![Some(60_000); 61], "nobody is told before the bids are shown");
    assert_eq!(shown.last(), Some(&after));
    // The test can fail: another total time shows at the end.
    assert_ne!(auction([1_000, 2_000, 2_900]).0, seen);
}
