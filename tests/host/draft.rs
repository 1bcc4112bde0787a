//! Drafts: decisions that a seat tries before it answers with them.

use ahu_core::{ActionId, Seed, Viewer};
use ahu_host::{Cores, Draft, GAMES, Referee, SeatPlayer, Terms, find};

fn referee(game: &str, seats: usize, options: &[(&str, &str)], seed: u64) -> Referee {
    let rules = find(game).expect("it is in the catalog");
    let players = (0..seats).map(|seat| SeatPlayer::external(format!("player {seat}"))).collect();
    Referee::new(rules.configure(seats, options).expect("seats"), Seed(seed), players, Terms::default())
}

fn id(game: &str, text: &str) -> ActionId {
    find(game).expect("it is in the catalog").parse_action(text).expect(text)
}

fn answer(referee: &mut Referee, draft: &Draft) {
    for (decision, &id) in (draft.decision..).zip(draft.actions()) {
        referee.act(draft.seat, decision, id).expect("a draft has legal actions");
    }
}

#[test]
fn an_unfinished_chain_can_be_taken_back_and_the_match_knows_nothing_of_it() {
    let mut referee = referee("giants", 3, &[], 4);
    let seat = referee.to_act().first().expect("all seats bid");
    let (before, entries) = (referee.fingerprint(), referee.entries().len());
    let mut draft = referee.draft(seat).expect("the seat has a decision");
    let first = draft.legal_actions();

    assert!(draft.play(id("giants", "bid markers 1")).expect("it is legal"));
    assert!(draft.legal_actions().contains(id("giants", "bid workers 0")), "the chain goes on");
    assert!(draft.view().headline().contains("you bid 1 Tribe Marker so far"), "{}", draft.view().headline());
    assert_eq!(draft.undo(), Some(id("giants", "bid markers 1")));
    assert_eq!((draft.undo(), draft.legal_actions()), (None, first));
    assert_eq!((referee.fingerprint(), referee.entries().len()), (before, entries));

    assert!(draft.play(id("giants", "bid markers 2")).expect("it is legal"));
    assert!(draft.play(id("giants", "bid workers 0")).expect("it is legal"));
    assert!(!draft.play(id("giants", "bid leaders none")).expect("it is legal"), "the bid is sealed");
    answer(&mut referee, &draft);
    assert_eq!(referee.answered(seat), 3);
    assert!(!referee.owes(seat));
}

#[test]
fn an_illegal_action_is_refused_and_the_draft_stays() {
    let referee = referee("giants", 3, &[], 4);
    let mut draft = referee.draft(referee.to_act().first().expect("all seats bid")).expect("a decision");
    draft.play(id("giants", "bid markers 1")).expect("it is legal");

    assert!(draft.play(id("giants", "bid markers 1")).is_err());
    assert_eq!(draft.actions(), [id("giants", "bid markers 1")]);
}

#[test]
fn a_look_under_a_moai_cannot_be_taken_back() {
    let options = [("base_view", "memory")];
    let is_look = |id: ActionId| find("giants").expect("a game").action_text(id).expect("a text").starts_with("peek");
    let mut looks = 0;
    for seed in 0..30 {
        let mut referee = referee("giants", 3, &options, seed);
        while let Some(seat) = referee.to_act().first() {
            let mut draft = referee.draft(seat).expect("it has a decision");
            let legal: Vec<ActionId> = draft.legal_actions().iter().collect();
            let look = legal.iter().copied().find(|&id| is_look(id));
            let greedy = referee.setup().rules().bot("greedy").expect("a bot");
            let chosen = look.unwrap_or_else(|| referee.choice_of(greedy, seat).expect("it has a decision")());
            let open = draft.play(chosen).expect("it is legal");
            if look.is_some() {
                assert!(!open, "the seat has learned whose base it is");
                looks += 1;
            }
            answer(&mut referee, &draft);
        }
    }
    assert!(looks > 0, "no game had a look");
}

/// Plays all games in drafts. A draft goes on as long as it can, and is taken back in part.
#[test]
fn the_answers_of_a_draft_lead_to_the_position_of_the_draft() {
    let mut longest = 0;
    for rules in GAMES {
        let seats = *rules.seats().start();
        let mut referee = referee(rules.info().id, seats, &[], 3);
        for step in 0.. {
            let Some(seat) = referee.to_act().first() else { break };
            let mut draft = referee.draft(seat).expect("it has a decision");
            let last_view = loop {
                let legal: Vec<ActionId> = draft.legal_actions().iter().collect();
                let open = draft.play(legal[step % legal.len()]).expect("it is legal");
                if open && step % 3 == 0 {
                    let (seen, taken) = (draft.view().text(), draft.actions().len());
                    let last = draft.undo().expect("it has an action");
                    assert_eq!(draft.play(last), Ok(true));
                    assert_eq!((draft.view().text(), draft.actions().len()), (seen, taken));
                }
                // Not every draft ends, so its length is limited.
                if !open || draft.actions().len() > 60 {
                    break draft.view().text();
                }
            };
            longest = longest.max(draft.actions().len());
            let ends_with_chance = referee.plies();
            answer(&mut referee, &draft);
            if referee.plies() == ends_with_chance + draft.actions().len() as u32 && !referee.is_over() {
                assert_eq!(referee.view(Viewer::Seat(seat)).text(), last_view, "{}", rules.info().id);
            }
        }
        assert!(referee.is_over());
    }
    assert!(longest > 3, "chains have several actions");
}

#[test]
fn a_seat_without_a_decision_has_no_draft() {
    let referee = referee("rappanui", 2, &[], 1);
    let other = referee.setup().seats().iter().find(|&seat| !referee.to_act().contains(seat)).expect("two seats");

    assert!(referee.draft(other).is_none());
}

#[test]
fn the_analysis_of_a_draft_is_that_of_the_decision_after_its_actions() {
    let mut referee = referee("giants", 3, &[], 4);
    let seat = referee.to_act().first().expect("all seats bid");
    let search = find("giants").expect("a game").bot("search:40").expect("every game has it");
    let mut draft = referee.draft(seat).expect("the seat has a decision");
    for text in ["bid markers 2", "bid workers 0"] {
        draft.play(id("giants", text)).expect("it is legal");
        let drafted = referee.analysis_of_draft(search, &draft).expect("the chain goes on")(Cores::Callers);

        let decision = referee.decision(seat).expect("the seat decides");
        referee.act(seat, decision, id("giants", text)).expect("it is legal");
        assert_eq!(drafted, referee.analysis_of(search, seat).expect("the chain goes on")(Cores::Callers));
        draft = referee.draft(seat).expect("the chain goes on");
        let own = referee.analysis_of_draft(search, &draft).expect("the chain goes on")(Cores::Callers);
        assert_eq!(own, drafted, "a draft without actions");
    }
}
