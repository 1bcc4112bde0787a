//! Positions are the games of matches, environments, and the engine. Copies share nothing that changes, and a resampled
//! position is a function of one view.

use std::collections::{BTreeSet, HashMap};

use ahu_core::{ActionId, ActionSet, ChanceRng, Seat, Seats, Seed, Turn, Viewer};
use ahu_host::{
    AnyRules, Autoreset, Column, EnvConfig, EnvIndices, EventList, FinalSteps, GAMES, Ply, Position, RecordError,
    Referee, Replay, RewardRule, Rows, Scene, SeatPlayer, Setup, Terms, find,
};

/// Returns every game at every seat count.
fn setups() -> impl Iterator<Item = Setup> {
    GAMES.iter().flat_map(|rules| rules.seats().map(|seats| setup(*rules, seats)))
}

fn setup(rules: &'static dyn AnyRules, seats: usize) -> Setup {
    rules.configure(seats, &[]).expect("the game has this seat count")
}

/// Returns a choice that depends on the position alone.
fn choose(legal: &ActionSet, step: u32) -> ActionId {
    legal.nth(step as usize * 7 % legal.len()).expect("n is below the count")
}

/// Returns the first seat that has to decide, and its choice; None at the end.
fn next(position: &Position) -> Option<(Seat, ActionId)> {
    let seat = position.game().turn().to_act().first()?;
    Some((seat, choose(&position.game().legal_actions(seat), position.plies())))
}

fn play_to_end(position: &mut Position) {
    while let Some((seat, id)) = next(position) {
        position.play(seat, id).expect("it is legal");
    }
}

/// Returns the position after about a quarter of its plies.
fn begun(setup: &Setup, seed: Seed) -> Position {
    let mut whole = Position::new(setup.clone(), Some(seed), true);
    play_to_end(&mut whole);
    let mut position = Position::new(setup.clone(), Some(seed), true);
    while position.plies() < whole.plies() / 4 {
        let (seat, id) = next(&position).expect("it goes on");
        position.play(seat, id).expect("it is legal");
    }
    position
}

fn external(seats: Seats) -> Vec<SeatPlayer> {
    seats.iter().map(|seat| SeatPlayer::external(format!("seat {seat}"))).collect()
}

fn blocks(position: &Position, viewer: Viewer) -> (Vec<u8>, Vec<u8>) {
    let (bits, numbers) = position.setup().rules().observation_size();
    let (mut bits, mut numbers) = (vec![0_u64; bits.div_ceil(64)], vec![0_i16; numbers]);
    position.game().view(viewer).write(&mut bits, &mut numbers);
    (
        bits.iter().flat_map(|word| word.to_le_bytes()).collect(),
        numbers.iter().flat_map(|number| number.to_le_bytes()).collect(),
    )
}

fn viewers(seats: Seats) -> impl Iterator<Item = Viewer> {
    seats.iter().map(Viewer::Seat).chain([Viewer::Public])
}

/// Returns everything that a viewer gets from a position.
fn shown(position: &Position, viewer: Viewer) -> impl PartialEq + std::fmt::Debug {
    let view = position.game().view(viewer);
    let legal = match viewer {
        Viewer::Seat(seat) => Some(position.game().legal_actions(seat)),
        Viewer::Public => None,
    };
    (
        blocks(position, viewer),
        legal,
        view.text(),
        view.svg(None, Scene::default()),
        view.scores(),
        view.ranks(),
        position.game().turn(),
    )
}

#[test]
fn a_position_is_the_game_of_a_match_an_environment_and_the_engine() {
    for (number, setup) in setups().enumerate() {
        let (seed, seats) = (Seed(number as u64), setup.seats());
        let mut position = Position::new(setup.clone(), Some(seed), true);
        let mut referee = Referee::new(setup.clone(), seed, external(seats), Terms::default());
        let (mut engine, mut chance) = (setup.game(), ChanceRng::new(seed));
        let config = EnvConfig { autoreset: Autoreset::Disabled, ..EnvConfig::self_play(seats, RewardRule::Rank) };
        let mut environment = setup.environments(config, seed, 1);
        let (mut rows, mut final_steps) = (Rows::default(), FinalSteps::default());
        environment.reset(EnvIndices::Run(0, 1), None, &mut rows).expect("the environment exists");
        loop {
            engine.settle_quietly(&mut chance);
            assert_eq!(position.game().fingerprint(), referee.fingerprint(), "{setup:?}");
            assert_eq!(position.game().fingerprint(), engine.fingerprint(), "{setup:?}");
            assert_eq!(position.plies(), referee.plies());
            let Some((seat, id)) = next(&position) else { break };
            assert_eq!(environment.waits_for(0), Some((seat, &position.game().legal_actions(seat))), "{setup:?}");
            let observed = (rows[Column::Bits].clone(), rows[Column::Numbers].clone());
            assert_eq!(observed, blocks(&position, Viewer::Seat(seat)), "{setup:?}");

            position.play(seat, id).expect("it is legal");
            referee.act(seat, referee.decision(seat).expect("it owes one"), id).expect("it is legal");
            engine.play_quietly(seat, id).expect("it is legal");
            environment.step(EnvIndices::Run(0, 1), &[id], &mut rows, &mut final_steps).expect("it is legal");
        }
        assert!(referee.is_over());
        assert_eq!(final_steps.episodes.len(), 1);
        let end = position.game().view(Viewer::Public);
        assert_eq!((end.scores(), end.ranks()), (final_steps.episodes[0].scores, final_steps.episodes[0].ranks));
        assert_eq!(position.record().expect("it has a seed and a history"), referee.record());
    }
}

#[test]
fn a_record_and_a_history_lead_to_the_position_at_every_ply() {
    for setup in setups() {
        let mut whole = Position::new(setup.clone(), Some(Seed(5)), true);
        play_to_end(&mut whole);
        let record = whole.record().expect("it has a seed and a history");
        let mut replay = Replay::new(&record);
        let mut ply = 0_usize;
        loop {
            // A long game is checked at every fifth ply, since each check plays it from its start.
            if ply.is_multiple_of(5) || ply < 60 {
                let position = Position::from_record(&record, ply).expect("the seed leads to it");
                assert_eq!(position.game().fingerprint(), replay.referee().fingerprint(), "{setup:?}, ply {ply}");
                assert_eq!(position.plies() as usize, ply);
                let history = position.history().expect("it is kept");
                let replayed = Position::replay(setup.clone(), Some(Seed(5)), &history, ply as u32);
                let replayed = replayed.expect("these plies were possible");
                assert_eq!(replayed.game().fingerprint(), replay.referee().fingerprint(), "{setup:?}, ply {ply}");
                assert_eq!(replayed.history(), Some(history));
            }
            match replay.step() {
                Some(step) => _ = step.expect("it is possible"),
                None => break,
            }
            ply += 1;
        }
        assert_eq!(ply, record.plies());
    }
}

#[test]
fn chance_by_hand_is_the_chance_of_the_seed_whose_outcomes_it_gets() {
    for setup in setups() {
        let mut seeded = Position::new(setup.clone(), Some(Seed(11)), true);
        let mut by_hand = Position::new(setup.clone(), None, true);
        let mut settled = 0;
        loop {
            while let Some(outcome) = by_hand.draw(Seed(11)) {
                by_hand.settle(&outcome, &mut EventList::new()).expect("it is possible");
                settled += 1;
            }
            assert_eq!(by_hand.game().fingerprint(), seeded.game().fingerprint(), "{setup:?}");
            assert_eq!(by_hand.plies(), seeded.plies());
            let Some((seat, id)) = next(&seeded) else { break };
            seeded.play(seat, id).expect("it is legal");
            by_hand.play(seat, id).expect("it is legal");
        }
        assert!(settled > 0, "{setup:?} has chance");
        assert_eq!(by_hand.record(), None, "a record has a seed");
        let history = by_hand.history().expect("it is kept");
        assert!(history.iter().any(|ply| matches!(ply, Ply::Outcome(_))));
        let replayed = Position::replay(setup.clone(), None, &history, by_hand.plies()).expect("it was possible");
        assert_eq!(replayed.game().fingerprint(), by_hand.game().fingerprint());
    }
}

#[test]
fn events_are_those_of_the_match_and_change_nothing_else() {
    for setup in setups() {
        let mut quiet = Position::new(setup.clone(), Some(Seed(2)), false);
        let mut loud = quiet.clone();
        let mut referee = Referee::new(setup.clone(), Seed(2), external(setup.seats()), Terms::default());
        while let Some((seat, id)) = next(&quiet) {
            let (mut events, before) = (EventList::new(), referee.events().len());
            quiet.play(seat, id).expect("it is legal");
            loud.play_with_events(seat, id, &mut events).expect("it is legal");
            referee.act(seat, referee.decision(seat).expect("it owes one"), id).expect("it is legal");
            assert_eq!(loud.game().fingerprint(), quiet.game().fingerprint());
            assert_eq!(loud.plies(), quiet.plies());
            for viewer in viewers(setup.seats()) {
                let told: Vec<_> = events.iter().map(|event| event.text_for(viewer)).collect();
                let match_told = referee.events()[before..].iter().map(|event| event.event.text_for(viewer));
                assert_eq!(told, match_told.collect::<Vec<_>>(), "{setup:?}");
            }
            assert_eq!(loud.actors(), quiet.actors());
            assert!(referee.events()[before..].iter().all(|event| event.actors() == loud.actors()), "{setup:?}");
        }
        assert_eq!(loud.game().turn(), Turn::Over);
    }
}

#[test]
fn a_resampled_position_is_a_function_of_the_view_and_the_seed() {
    for setup in setups() {
        let mut others = 0;
        let mut position = Position::new(setup.clone(), Some(Seed(8)), true);
        while let Some((seat, id)) = next(&position) {
            if position.plies().is_multiple_of(7) {
                for viewer in setup.seats().iter().map(Viewer::Seat) {
                    let world = position.resample(viewer, Seed(1)).expect("the games can be resampled");
                    assert_eq!(shown(&world, viewer), shown(&position, viewer), "{setup:?}");
                    // The two positions have different secrets and the same view, so their samples must be the same.
                    let again = world.resample(viewer, Seed(2)).expect("the games can be resampled");
                    let direct = position.resample(viewer, Seed(2)).expect("the games can be resampled");
                    assert_eq!(again.game().fingerprint(), direct.game().fingerprint(), "{setup:?}");
                    assert_eq!(again.seed(), direct.seed());
                    assert_ne!(direct.seed(), world.seed());
                    others += usize::from(world.game().fingerprint() != position.game().fingerprint());
                }
            }
            position.play(seat, id).expect("it is legal");
        }
        let has_secrets = !["rapanui_cards", "rapanui_board"].contains(&setup.rules().info().id);
        assert!(others > 0 || !has_secrets, "{setup:?}: a sampled world differs from the true one");
        let world = position.resample(Viewer::Seat(Seat::default()), Seed(1)).expect("the games can be resampled");
        assert_eq!((world.history(), world.record()), (None, None), "a history would have the true secrets");
    }
}

#[test]
fn a_playout_is_the_match_of_its_bots_with_its_seed() {
    for setup in setups() {
        let rules = setup.rules();
        for name in ["greedy", "random"] {
            let bot = rules.bot(name).expect("every game has it");
            let start = Position::new(setup.clone(), None, false);
            let bots = setup.seats().iter().map(|_| SeatPlayer::bot(bot)).collect();
            let mut referee = Referee::new(setup.clone(), Seed(6), bots, Terms::default());
            referee.play_bots();
            let result = referee.result().expect("it is over");
            assert_eq!(start.game().play_out(bot, Seed(6)), (result.scores, result.ranks), "{setup:?}, {name}");
            assert_eq!(start.plies(), 0, "a playout changes nothing");
        }
    }
}

#[test]
fn another_seed_changes_the_future_alone() {
    for setup in setups() {
        let position = begun(&setup, Seed(4));
        let futures: Vec<_> = (0..6)
            .map(|seed| {
                let mut copy = position.reseeded(Seed(seed));
                assert_eq!(copy.seed(), Some(Seed(seed)));
                assert_eq!(copy.game().fingerprint(), position.game().fingerprint());
                assert_eq!(copy.history(), None, "no seed leads to it");
                play_to_end(&mut copy);
                copy.game().fingerprint()
            })
            .collect();
        // All chance of the board game is in its first ply.
        let has_more_chance = setup.rules().info().id != "rapanui_board";
        assert_eq!(futures.iter().any(|&end| end != futures[0]), has_more_chance, "{setup:?}");
    }
}

#[test]
fn a_refusal_changes_nothing_and_says_why() {
    let setup = setup(find("rappanui").expect("it is in the catalog"), 2);
    let mut by_hand = Position::new(setup.clone(), None, true);
    let before = by_hand.game().fingerprint();
    let refused = by_hand.settle("deal nothing", &mut EventList::new()).expect_err("it is no outcome");
    assert!(refused.contains("expected \"deal first "), "{refused}");
    assert!(by_hand.play(Seat::default(), ActionId(0)).is_err(), "chance is due");
    assert_eq!((by_hand.game().fingerprint(), by_hand.plies()), (before, 0));

    let mut seeded = Position::new(setup.clone(), Some(Seed(0)), true);
    let refused = seeded.settle("draw F4.1", &mut EventList::new()).expect_err("the seed settles chance");
    assert_eq!(refused, "expected no outcome, since the seed settles chance, got one");
    while let Some(outcome) = by_hand.draw(Seed(0)) {
        by_hand.settle(&outcome, &mut EventList::new()).expect("it is possible");
    }
    let refused = by_hand.settle("draw F4.1", &mut EventList::new()).expect_err("none is due");
    assert_eq!(refused, "expected a due chance event, got a position in which none is due");
    play_to_end(&mut seeded);
    let over = seeded.play(Seat::default(), ActionId(0)).expect_err("it is over");
    assert_eq!(over.to_string(), "the game is over");

    let mut record = seeded.record().expect("it has a seed and a history");
    record.seed = Seed(1);
    let other = Position::from_record(&record, 3).expect_err("the seed leads to other chance");
    assert!(matches!(other, RecordError::OtherChance { ply: 1, .. }), "{other}");

    let history = seeded.history().expect("it is kept");
    let plies = seeded.plies();
    let short = Position::replay(setup.clone(), Some(Seed(0)), &history[1..], plies).expect_err("one is missing");
    assert!(short.ply > 0, "{short}");
    let long = Position::replay(setup, Some(Seed(0)), &history, 30).expect_err("there are more");
    assert!(long.to_string().starts_with("ply 30 is impossible: expected 30 plies, got"), "{long}");
}

/// Compares the frequencies of outcomes over 3,000 seeds with the listed probabilities: Pearson's chi-square, within six
/// standard deviations.
fn assert_shares(position: &Position, listed: &[(String, f64)]) {
    let seeds = 3_000;
    let mut counts: HashMap<String, f64> = HashMap::new();
    for seed in 0..seeds {
        *counts.entry(position.draw(Seed(seed)).expect("chance is due")).or_default() += 1.0;
    }
    let terms = listed.iter().map(|(outcome, probability)| {
        let expected = probability * seeds as f64;
        (counts.get(outcome).unwrap_or(&0.0) - expected).powi(2) / expected
    });
    let (chi_square, freedom) = (terms.sum::<f64>(), (listed.len() - 1) as f64);
    assert!(chi_square < freedom + 6.0 * (2.0 * freedom).sqrt().max(1.0), "{chi_square} of {freedom}: {listed:?}");
}

#[test]
fn listed_outcomes_are_those_that_chance_draws() {
    let mut kinds = BTreeSet::new();
    for setup in setups() {
        let mut position = Position::new(setup.clone(), None, false);
        let mut compared = BTreeSet::new();
        while position.game().turn() != Turn::Over {
            if !position.is_chance_due() {
                assert_eq!(position.game().outcomes(), None);
                let (seat, id) = next(&position).expect("a seat has to decide");
                position.play(seat, id).expect("it is legal");
                continue;
            }
            let drawn = position.draw(Seed(position.plies().into())).expect("chance is due");
            if let Some(listed) = position.game().outcomes() {
                let sum: f64 = listed.iter().map(|(_, probability)| probability).sum();
                assert!((sum - 1.0).abs() < 1e-9, "{sum}");
                let texts: BTreeSet<&String> = listed.iter().map(|(outcome, _)| outcome).collect();
                assert_eq!(texts.len(), listed.len(), "each outcome is listed once");
                assert!(texts.contains(&drawn), "{drawn}");
                for (outcome, _) in listed.iter().step_by(listed.len() / 20 + 1) {
                    position.clone().settle(outcome, &mut Vec::new()).expect("it is possible");
                }
                let kind = drawn.split(' ').next().expect("an outcome has words").to_owned();
                if listed.len() <= 100 && compared.insert(kind.clone()) {
                    assert_shares(&position, &listed);
                }
                kinds.insert((setup.rules().info().id, kind));
            }
            position.settle(&drawn, &mut Vec::new()).expect("it is possible");
        }
    }
    let listed: Vec<String> = kinds.into_iter().map(|(game, kind)| format!("{game} {kind}")).collect();
    let expected = [
        "giants roll",
        "rapanui_board order",
        "rapanui_cards cards",
        "rapanui_cards colours",
        "rapanui_cards start",
        "rappanui draw",
        "rappanui lose",
        "rappanui steal",
    ];
    assert_eq!(listed, expected);
}

#[test]
fn a_view_as_bytes_leads_to_the_positions_that_are_resampled_for_its_seat() {
    for setup in setups() {
        let mut position = Position::new(setup.clone(), Some(Seed(31)), true);
        let mut compared = 0;
        while let Some((seat, id)) = next(&position) {
            for viewer in viewers(setup.seats()) {
                let bytes = position.game().view_bytes(viewer).expect("our games have views as bytes");
                for seed in [Seed(0), Seed(u64::from(position.plies()))] {
                    let (seen, of) = Position::from_view(&bytes, seed).expect("it is a view");
                    let resampled = position.resample(viewer, seed).expect("our games can be resampled");
                    assert_eq!((of, seen.setup(), seen.seed()), (viewer, &setup, resampled.seed()));
                    assert_eq!(seen.game().fingerprint(), resampled.game().fingerprint());
                    assert_eq!(seen.game().view_bytes(viewer), Some(bytes.clone()));
                    let unseeded = seen.clone().unseeded();
                    assert!(unseeded.seed().is_none() && !unseeded.has_history());
                    compared += 1;
                }
            }
            position.play(seat, id).expect("it is legal");
        }
        assert!(compared > 100, "{compared}");
    }
}

#[test]
fn a_view_of_another_game_or_version_is_refused_by_its_name() {
    let position = Position::new(setup(find("rappanui").expect("a game"), 2), Some(Seed(1)), false);
    let bytes = position.game().view_bytes(Viewer::Public).expect("a view");
    let refusal = |bytes: &[u8]| Position::from_view(bytes, Seed(1)).map(drop).expect_err("it is no view");
    // The form, the length and letters of the name, and the rules version come first.
    let with = |place: usize, byte: u8| {
        let mut bytes = bytes.clone();
        bytes[place] = byte;
        bytes
    };
    assert_eq!(refusal(&with(0, 9)), "expected version 1 of the bytes of a view, got 9");
    assert!(refusal(&with(5, b'R')).contains("unknown game \"Rappanui\""));
    let rules = find("rappanui").expect("a game").info().rules;
    let newer = with(13, rules as u8 + 1);
    assert_eq!(
        refusal(&newer),
        format!("expected a view of rappanui, rules {rules}, got one of \"rappanui\", rules {}", rules + 1)
    );
    assert_eq!(refusal(&[]), "expected the bytes of a view, got 0 bytes, which break off");
    assert_eq!(refusal(&[&bytes[..], b"x"].concat()), "expected the bytes of a view alone, got 1 more");
}
