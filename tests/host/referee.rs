//! The referee: decisions, answers, and the consequences of illegal play.

use std::num::NonZeroU8;

use ahu_core::{ActionId, Fingerprint, PlayError, Seat, Seed, Viewer};
use ahu_host::{
    BotDecision, BotSeed, Cause, Conduct, DecidedBy, Ending, Entry, GAMES, PlyEvent, Referee, SeatPlayer, StepError,
    StepOutcome, Terms, ThinkingTime, find,
};
use rand::rngs::ChaCha8Rng;
use rand::seq::IndexedRandom as _;
use rand::{RngExt as _, SeedableRng as _};

fn referee(seats: usize, strikes: Option<u8>) -> Referee {
    let rules = find("rappanui").expect("it is in the catalog");
    let players = (0..seats).map(|seat| SeatPlayer::external(format!("player {seat}"))).collect();
    let conduct = strikes.and_then(NonZeroU8::new).map_or_else(Conduct::default, Conduct::with_strikes);
    Referee::new(rules.configure(seats, &[]).expect("seats"), Seed(1), players, conduct)
}

/// Returns the seat that has to decide, the number of its decision, and its legal actions.
fn owed(referee: &Referee) -> (Seat, u32, Vec<ActionId>) {
    let seat = referee.to_act().first().expect("some seat has to decide");
    (seat, referee.decision(seat).expect("the seat has to decide"), referee.legal_actions(seat).iter().collect())
}

/// Returns everything that a refusal must not change.
fn standing(referee: &Referee) -> (Fingerprint, usize, u32, usize) {
    (referee.fingerprint(), referee.record().entries.len(), referee.plies(), referee.events().len())
}

fn play_on(referee: &mut Referee) {
    loop {
        referee.play_bots();
        let Some(seat) = referee.to_act().first() else { return };
        let decision = referee.decision(seat).expect("the seat has to decide");
        let id = referee.legal_actions(seat).nth(0).expect("a seat that has to decide has a legal action");
        referee.act(seat, decision, id).expect("it is legal");
    }
}

#[test]
fn a_match_that_has_ended_can_give_back_the_memory_for_further_entries() {
    let mut referee = referee(4, None);
    play_on(&mut referee);
    let (before, size) = (standing(&referee), referee.size());

    referee.shrink();

    assert_eq!(standing(&referee), before);
    assert!(referee.size() < size, "{} {size}", referee.size());
}

const NO_EVENT: ActionId = ActionId(0);

#[test]
fn a_record_names_its_stand_in_also_where_the_terms_leave_it_out() {
    let referee = referee(2, None);
    assert_eq!(referee.terms().stand_in, None);
    assert_eq!(referee.record().terms.stand_in, Some(referee.stand_in()));
}

#[test]
fn decisions_are_counted_for_each_seat_from_one() {
    let mut referee = referee(2, None);
    let mut answered = [0; 2];

    while let Some(seat) = referee.to_act().first() {
        let (_, decision, legal) = owed(&referee);
        assert_eq!(decision, answered[seat.index()] + 1);
        assert_eq!(referee.act(seat, decision, legal[0]), Ok(StepOutcome { decision, id: legal[0], replayed: false }));
        answered[seat.index()] += 1;
    }

    assert!(answered.iter().all(|&count| count > 30), "{answered:?}");
    assert!(referee.result().is_some());
}

#[test]
fn the_same_answer_again_brings_the_receipt_again_and_another_is_refused() {
    let mut referee = referee(3, None);
    let (seat, decision, legal) = owed(&referee);
    referee.act(seat, decision, legal[0]).expect("it is legal");
    let before = standing(&referee);

    assert_eq!(referee.act(seat, decision, legal[0]), Ok(StepOutcome { decision, id: legal[0], replayed: true }));
    assert_eq!(referee.act(seat, decision, NO_EVENT), Err(StepError::Taken { decision, id: legal[0] }));

    assert_eq!(standing(&referee), before);
}

#[test]
fn a_decision_that_is_not_open_is_refused_with_the_open_one() {
    let mut referee = referee(2, None);
    let (seat, _, legal) = owed(&referee);
    let before = standing(&referee);

    for decision in [0, 2, u32::MAX] {
        assert_eq!(referee.act(seat, decision, legal[0]), Err(StepError::Stale { decision, open: 1 }));
    }

    assert_eq!(standing(&referee), before);
}

#[test]
fn a_seat_that_owes_nothing_is_refused() {
    let mut referee = referee(2, None);
    let (seat, _, legal) = owed(&referee);
    let other = referee.setup().seats().left_of(seat, 1);
    let before = standing(&referee);

    let error = referee.act(other, 1, legal[0]).expect_err("it is not its turn");

    assert_eq!(error, StepError::Play(PlayError::NotYourDecision { seat: other, to_act: seat.into() }));
    assert_eq!(error.to_string(), format!("seat {other} has no decision to make; seats to act: {seat}"));
    assert_eq!(standing(&referee), before);
}

#[test]
fn an_action_outside_the_space_or_not_legal_is_refused_with_what_is() {
    let mut referee = referee(2, None);
    let (seat, decision, legal) = owed(&referee);
    let before = standing(&referee);

    let outside = referee.act(seat, decision, ActionId(183)).expect_err("there is none");
    assert_eq!(outside, StepError::Play(PlayError::NoSuchAction { id: ActionId(183), count: 183 }));
    assert_eq!(outside.to_string(), "expected an action id from 0 to 182, got 183");
    let illegal = referee.act(seat, decision, NO_EVENT).expect_err("events are for later turns");
    let StepError::Play(PlayError::Illegal { legal: told, .. }) = &illegal else { panic!("{illegal:?}") };
    assert_eq!(told.iter().collect::<Vec<_>>(), legal);
    assert!(
        illegal.to_string().starts_with(&format!("seat {seat}: action 0 is not legal; legal ids: 71")),
        "{illegal}"
    );

    assert_eq!(standing(&referee), before);
    assert!(referee.act(seat, decision, legal[0]).is_ok(), "the decision is still open");
}

#[test]
fn after_the_end_nothing_can_be_played() {
    let mut referee = referee(2, None);
    play_on(&mut referee);
    let before = standing(&referee);
    let seat = Seat::default();
    let last = referee
        .record()
        .entries
        .iter()
        .filter(|entry| matches!(entry, Entry::Action { seat: of, .. } if *of == seat))
        .count();

    assert_eq!(referee.decision(seat), None);
    assert_eq!(referee.act(seat, last as u32 + 1, NO_EVENT), Err(StepError::Play(PlayError::Over)));
    referee.forfeit(seat, Cause::Exited);
    referee.fault(seat, Cause::Exited);
    assert_eq!(referee.resign(seat), Err(StepError::Ended(Ending::Finished)));
    assert_eq!(referee.cancel("too late"), Err(StepError::Ended(Ending::Finished)));
    assert_eq!(StepError::Ended(Ending::Finished).to_string(), "the match is finished");

    assert_eq!(standing(&referee), before);
    assert!(referee.result().is_some_and(|result| result.forfeited().is_empty()));
    assert_eq!(referee.ending(), Some(Ending::Finished));
}

#[test]
fn an_illegal_action_that_is_sent_again_at_once_is_one_try_for_ever() {
    let mut referee = referee(2, None);
    let (seat, decision, _) = owed(&referee);

    for _ in 0..300 {
        assert!(matches!(referee.act(seat, decision, NO_EVENT), Err(StepError::Play(PlayError::Illegal { .. }))));
    }

    assert_eq!(referee.decision(seat), Some(decision));
    assert!(referee.forfeited().is_empty());
}

#[test]
fn with_strikes_the_last_illegal_action_forfeits_and_a_stand_in_plays_on() {
    let mut referee = referee(3, Some(3));
    let (seat, decision, legal) = owed(&referee);
    for id in [NO_EVENT, ActionId(999)] {
        assert!(referee.act(seat, decision, id).is_err());
        // A client whose answer was lost sends the same action again. The repeat is not a second strike.
        assert!(referee.act(seat, decision, id).is_err());
        assert_eq!(referee.decision(seat), Some(decision), "not yet");
    }

    // An action out of turn, or for an old decision, is not illegal play.
    assert!(referee.act(seat, decision + 1, legal[0]).is_err());
    assert_eq!(referee.decision(seat), Some(decision));
    assert!(referee.act(seat, decision, NO_EVENT).is_err());
    assert_eq!(
        referee.bot_to_act().map(|(seat, bot)| (seat, bot.name())),
        Some((seat, "greedy@2".to_owned())),
        "the stand-in"
    );
    for has_played in [false, true] {
        if has_played {
            referee.play_bots();
        }
        assert_eq!(referee.decision(seat).is_none(), has_played);
        for &id in &legal {
            let refused = referee.act(seat, decision, id);
            assert_eq!(
                refused,
                Err(StepError::Forfeited { seat, cause: Cause::Illegal }),
                "the decision is not the player's"
            );
        }
        assert_eq!(
            referee.act(seat, decision + 9, NO_EVENT),
            Err(StepError::Forfeited { seat, cause: Cause::Illegal })
        );
    }

    play_on(&mut referee);
    assert_eq!(referee.act(seat, decision, NO_EVENT), Err(StepError::Play(PlayError::Over)));
    let result = referee.result().expect("the others have finished");
    assert_eq!(result.forfeited(), seat.into());
    assert_eq!(result.ranks[seat], 3, "who forfeits comes last, whatever the points");
    let entries = referee.record().entries;
    // A strike names its decision and its action; no action has the id 999.
    let strike = |action| Entry::Strike { seat, decision, cause: Cause::Illegal, action };
    let strikes: Vec<_> = entries.iter().filter(|entry| matches!(entry, Entry::Strike { .. })).cloned().collect();
    assert_eq!(strikes, [strike(Some(NO_EVENT)), strike(None), strike(Some(NO_EVENT))]);
    assert!(entries.contains(&Entry::Forfeit { seat, cause: Cause::Illegal }));
    let by = |wanted: DecidedBy| {
        entries
            .iter()
            .filter(|entry| matches!(entry, Entry::Action { seat: of, by, .. } if *of == seat && *by == wanted))
            .count()
    };
    assert!(by(DecidedBy::Player) == 0 && by(DecidedBy::StandIn) > 20);
}

#[test]
fn when_all_forfeit_the_match_is_played_to_its_end() {
    let mut referee = referee(4, None);
    let seats = referee.setup().seats();

    seats.iter().for_each(|seat| referee.forfeit(seat, Cause::Exited));
    assert!(referee.result().is_none(), "the referee computes no choice by itself");
    referee.play_bots();

    let result = referee.result().expect("the stand-ins have finished");
    assert_eq!(result.forfeited(), seats.all());
    assert_eq!(result.ranks.values(), [1, 1, 1, 1]);
}

#[test]
fn events_belong_to_plies_and_each_viewer_is_told_its_own() {
    let mut referee = referee(2, None);
    play_on(&mut referee);
    let told = |viewer| {
        let texts = referee.events().iter().filter_map(|told| Some((told.ply, told.event.text_for(viewer)?)));
        texts.collect::<Vec<_>>()
    };

    let seats: Vec<_> = referee.setup().seats().iter().collect();
    let (one, other, public) = (told(Viewer::Seat(seats[0])), told(Viewer::Seat(seats[1])), told(Viewer::Public));

    assert!(one.iter().map(|(ply, _)| ply).is_sorted());
    assert_eq!(one.last().map(|(ply, _)| *ply), Some(referee.plies()));
    assert!(one != other && one != public && other != public, "hands differ");
}

#[test]
fn events_are_numbered_for_each_viewer_and_know_their_entries() {
    let mut referee = referee(2, Some(3));
    for decision in 0..60 {
        let (seat, number, legal) = owed(&referee);
        if decision == 20 {
            // A strike is an entry, and no ply.
            assert!(referee.act(seat, number, NO_EVENT).is_err());
        }
        referee.act(seat, number, legal[0]).expect("it is legal");
    }
    let plies: Vec<_> = (0..referee.entries().len()).filter(|&entry| referee.entries()[entry].is_ply()).collect();
    assert_eq!(plies.len() + 1, referee.entries().len());

    let seats = referee.setup().seats().iter().map(Viewer::Seat);
    for viewer in seats.chain([Viewer::Public]) {
        let told: Vec<_> = referee.events().iter().filter(|told| told.event.text_for(viewer).is_some()).collect();
        let count = told.len();
        assert_eq!(referee.event_count(viewer), count);
        for after in [0, 1, count / 2, count - 1, count, count + 1] {
            let later = referee.events_after(viewer, after, usize::MAX);
            let later = later.iter().map(|&(number, told)| (number, told.ply)).collect::<Vec<_>>();
            let expected = (1..).zip(&told).skip(after).map(|(number, told)| (number, told.ply));
            assert_eq!(later, expected.collect::<Vec<_>>(), "after {after} for {viewer:?}");
            assert_eq!(referee.events_after(viewer, after, 2).len(), later.len().min(2));
        }
        for (number, told) in (1..).zip(&told) {
            let entry = plies[told.ply as usize - 1];
            assert_eq!(referee.entries_before_event(viewer, number), entry, "event {number} of {viewer:?}");
        }
        assert_eq!(referee.entries_before_event(viewer, count + 1), referee.entries().len());
    }
}

/// Plays random actions in every game, in which seat 1 forfeits. The test finds the seats by the seats that have to act: where
/// several have to, their decisions are secret until the public is told something.
#[test]
fn an_event_names_the_seats_whose_decisions_led_to_it_in_no_order() {
    let mut rng = ChaCha8Rng::seed_from_u64(8);
    for setup in GAMES.iter().flat_map(|rules| rules.seats().map(|seats| rules.configure(seats, &[]).expect("seats"))) {
        let seats = setup.seats();
        let players = seats.iter().map(|seat| SeatPlayer::external(format!("player {seat}"))).collect();
        let mut referee = Referee::new(setup.clone(), Seed(3), players, Terms::default());
        assert!(referee.events().iter().all(|event| event.actors().is_empty()), "nobody led to the setup");
        let (mut together, mut by_several, mut by_stand_in) = (None, 0, 0);
        for decision in 0..400 {
            if decision == 30 {
                referee.forfeit(Seat::new(1).expect("a seat"), Cause::Resigned);
            }
            let to_act = referee.to_act();
            let Some(&seat) = to_act.iter().collect::<Vec<_>>().choose(&mut rng) else { break };
            let deciders = *together.get_or_insert(to_act);
            let before = referee.events().len();
            match referee.owes(seat) {
                true => {
                    let (number, legal) = (referee.decision(seat).expect("it decides"), referee.legal_actions(seat));
                    let id = legal.nth(rng.random_range(0..legal.len())).expect("n is below the count");
                    referee.act(seat, number, id).expect("it is legal");
                }
                false => referee.play_bot(),
            }
            let happened = &referee.events()[before..];
            assert!(happened.iter().all(|event| event.actors() == deciders), "{setup:?}: {happened:?}");
            let is_told = happened.iter().any(|event| event.event.is_visible_to(Viewer::Public));
            by_several += usize::from(is_told && deciders.len() > 1);
            by_stand_in += usize::from(is_told && deciders.iter().eq([Seat::new(1).expect("a seat")]));
            if deciders.len() == 1 || is_told {
                together = None;
            }
        }
        assert_eq!(by_several > 0, setup.rules().info().id == "giants", "{setup:?}");
        assert!(by_stand_in > 0, "{setup:?}");
        let folded =
            Referee::fold(setup, Seed(3), referee.players().to_vec(), referee.terms().clone(), referee.entries());
        let actors = |referee: &Referee| referee.events().iter().map(PlyEvent::actors).collect::<Vec<_>>();
        assert_eq!(actors(&folded.expect("it is valid")), actors(&referee));
    }
}

#[test]
fn an_entry_that_does_not_follow_is_refused_with_its_ply() {
    let mut referee = referee(2, Some(3));
    for _ in 0..5 {
        let (seat, decision, legal) = owed(&referee);
        referee.act(seat, decision, legal[0]).expect("it is legal");
    }
    let (seat, decision, legal) = owed(&referee);
    let (before, plies) = (standing(&referee), referee.plies());
    let (id, time, cause) = (legal[0], ThinkingTime::default(), Cause::Illegal);

    let early = referee.apply(&Entry::Action { seat, id, by: DecidedBy::StandIn, time }).expect_err("nobody forfeited");
    assert_eq!(early.ply, plies + 1);
    assert_eq!(early.reason, format!("expected the player of seat {seat} before a forfeit, and a stand-in after it"));
    let strike = Entry::Strike { seat, decision: decision + 1, cause, action: None };
    assert_eq!(referee.apply(&strike).expect_err("another decision is open").ply, plies, "a strike is no ply");
    assert_eq!(standing(&referee), before);

    referee.apply(&Entry::Forfeit { seat, cause }).expect("the seat plays");
    let late = referee.apply(&Entry::Action { seat, id, by: DecidedBy::Player, time }).expect_err("a stand-in plays");
    assert_eq!((late.ply, late.reason), (plies + 1, early.reason));
    referee.apply(&Entry::Action { seat, id, by: DecidedBy::StandIn, time }).expect("a stand-in plays");
}

#[test]
fn the_size_of_a_match_counts_its_entries_and_events() {
    // The least bytes of an allocation.
    const BLOCK: usize = 16;
    let mut referee = referee(4, None);
    let mut before = referee.size();
    for _ in 0..20 {
        for _ in 0..10 {
            let (seat, decision, legal) = owed(&referee);
            referee.act(seat, decision, legal[0]).expect("it is legal");
        }
        let texts = referee.entries().iter().filter_map(|entry| match entry {
            Entry::Chance(text) => Some(text.len() + BLOCK),
            _ => None,
        });
        let contents =
            referee.events().iter().map(|told| told.event.size() + BLOCK).sum::<usize>() + texts.sum::<usize>();
        let lists = size_of_val(referee.entries()) + size_of_val(referee.events());
        let grown = referee.size() - referee.rewound().size();
        // A list may have twice the room that it needs, and the game holds a little more than at its beginning.
        let expected = lists + contents..2 * lists + contents + 1_024;
        assert!(expected.contains(&grown), "{grown} of {expected:?}");
        assert!(referee.size() >= before, "a match only grows");
        before = referee.size();
    }
    assert!(referee.rewound().size() > size_of::<Referee>(), "the game takes memory, too");
    let reason = "the hall closes";
    referee.cancel(reason).expect("it is not over");
    assert!(referee.size() >= before + reason.len() + BLOCK, "the reason of the end is an entry");
}

/// Returns a match of the bot `greedy` in seat 0 and an external player in seat 1, at a decision of the bot.
fn against_greedy() -> Referee {
    let rules = find("rappanui").expect("it is in the catalog");
    let players = vec![SeatPlayer::bot(rules.bot("greedy").expect("it has it")), SeatPlayer::external("somebody")];
    let setup = rules.configure(2, &[]).expect("seats");
    // Another bot stands in, so that the tests can tell the two apart.
    let terms = Terms { stand_in: Some(rules.bot("random").expect("it has it")), ..Terms::default() };
    let mut referee = Referee::new(setup, Seed(1), players, terms);
    while referee.bot_to_act().is_none() {
        let (seat, decision, legal) = owed(&referee);
        referee.act(seat, decision, legal[0]).expect("it is legal");
    }
    referee
}

#[test]
fn the_referee_names_the_bot_decision_and_any_thread_computes_it() {
    let mut referee = against_greedy();
    let (seat, decision, _) = owed(&referee);
    let before = standing(&referee);
    let due = referee.due_bot().expect("the bot has to decide");
    assert_eq!(format!("{due:?}"), format!("BotDecision(seat {seat}, decision {decision})"));

    let answer = std::thread::spawn(|| due.choose()).join().expect("the bot returns");

    assert_eq!(standing(&referee), before, "nothing is applied yet");
    assert_eq!(referee.due_bot().map(BotDecision::choose), Some(answer), "the choice is the same each time");
    referee.answer(answer);
    assert_eq!((referee.answered(seat), referee.plies() > before.2), (decision, true));
}

#[test]
fn a_bot_seed_changes_the_choices_of_bots_alone() {
    let record = |game| {
        let rules = find("rappanui").expect("it is in the catalog");
        let players = (0..2).map(|_| SeatPlayer::bot(rules.bot("random").expect("it has it"))).collect();
        let setup = rules.configure(2, &[]).expect("seats");
        let mut referee = Referee::new(setup, Seed(1), players, Terms::default());
        if let Some(game) = game {
            referee = referee.with_bot_seed(BotSeed::new(Seed(1), game));
        }
        referee.play_bots();
        referee.record().entries
    };
    let (usual, first, second) = (record(None), record(Some(0)), record(Some(1)));

    assert_eq!(usual, first, "a match is game 0");
    assert_ne!(first, second);
    assert_eq!(first[0], second[0], "the deal is that of the seed");
}

#[test]
fn a_bot_answer_counts_once() {
    let mut referee = against_greedy();
    let due = [referee.due_bot(), referee.due_bot()].map(|due| due.expect("the bot has to decide").choose());
    referee.answer(due[0]);
    let before = standing(&referee);

    referee.answer(due[1]);

    assert_eq!(standing(&referee), before);
}

#[test]
fn a_bot_does_not_answer_for_the_stand_in_that_replaces_it() {
    let mut referee = against_greedy();
    let (seat, decision, _) = owed(&referee);
    let late = referee.due_bot().expect("the bot has to decide").choose();
    referee.forfeit(seat, Cause::Exited);
    let before = standing(&referee);

    referee.answer(late);

    assert_eq!(standing(&referee), before);
    assert_eq!(referee.decision(seat), Some(decision));
    assert_eq!(referee.bot_to_act().map(|(seat, bot)| (seat, bot.name())), Some((seat, "random@1".to_owned())));
}

#[test]
fn nobody_but_the_bot_answers_for_its_seat() {
    let mut referee = against_greedy();
    let (seat, decision, legal) = owed(&referee);
    let before = standing(&referee);

    for (decision, id) in [(decision, legal[0]), (decision, ActionId(999)), (decision + 1, legal[0])] {
        let error = referee.act(seat, decision, id).expect_err("a bot plays the seat");
        assert_eq!((error.to_string(), error), (format!("a bot plays seat {seat}"), StepError::PlayedByBot(seat)));
    }

    assert_eq!(standing(&referee), before);
}

#[test]
fn no_bot_decision_is_due_while_an_external_player_has_to_decide_or_after_the_end() {
    let mut referee = against_greedy();
    referee.play_bots();
    assert!(!referee.is_over() && referee.due_bot().is_none() && referee.bot_to_act().is_none());
    let before = standing(&referee);
    referee.play_bot();
    assert_eq!(standing(&referee), before);
    let bot = referee.setup().rules().bot("random").expect("every game has it");
    let [asked, other] = [1, 0].map(|index| referee.choice_of(bot, Seat::new(index).expect("a seat")));
    assert!(asked.is_some() && other.is_none(), "a bot may advise the seat that has to decide");

    play_on(&mut referee);

    assert!(referee.is_over() && referee.due_bot().is_none() && referee.bot_to_act().is_none());
}
