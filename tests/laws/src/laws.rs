//! The laws of all games, over random play: properties that hold after every ply, with any rules.

use std::collections::HashSet;

use ahu_core::parts::picture::Scene;
use ahu_core::{
    Action, ActionId, ActionSet, Ask as _, BySeat, ChanceRng, Compact as _, Describe, Encode, Event, Fingerprint, Game,
    GameExt, GameOptions, Layout, NoEvents, PlayError, Seat, SeatSet, Seats, Seed, Tensor, Turn, View, ViewBytes,
    Viewer, options,
};
use ahu_host::{AnyVectorEnv as _, Column, EnvConfig, EnvIndices, FinalSteps, RewardRule, Rows, Rules, VectorEnv};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use crate::secrets::{Ply, Secrets};

/// Returns the number of random games for each seat count that `AHU_GAMES` asks for. The default is 1,000 short games.
pub fn asked_games() -> Option<u64> {
    std::env::var("AHU_GAMES").ok().map(|games| games.parse().expect("AHU_GAMES is a number"))
}

/// Returns the number of random games for each seat count of a game: by default 1,000, and fewer of long games.
fn games<G: Secrets<L>, L>() -> u64 {
    asked_games().unwrap_or(1_000 / G::LENGTH)
}

/// Returns the number of random games for laws with many checks at every ply.
pub fn few_games_of<G: Secrets<L>, L>() -> u64 {
    (games::<G, L>() / 50).clamp(4, 400)
}

/// Returns the number of random games for a game's own laws with many checks at every ply.
pub fn few_games() -> u64 {
    (asked_games().unwrap_or(1_000) / 50).clamp(4, 400)
}

/// Returns every seat count of a game.
pub fn tables<G: Game>() -> impl Iterator<Item = Seats> {
    (G::Options::MIN_SEATS..=G::Options::MAX_SEATS).map(|count| Seats::new(count).expect("a game fits a table"))
}

/// Returns options that differ from game to game, so that all values of all options occur, alone and in combination.
pub fn some_options<G: Game>(seats: Seats, game: u64) -> G::Options {
    let mut rng = ChaCha8Rng::seed_from_u64(game);
    loop {
        let mut options = G::Options::new(seats);
        for spec in G::Options::SPECS {
            // Half of the options have their default, so that it is well tested too.
            if rng.random_range(0..2) == 1 {
                let (min, max) = match spec.kind {
                    ahu_core::OptionKind::Flag => (0, 1),
                    ahu_core::OptionKind::Choice(words) => (0, words.len() as u16 - 1),
                    ahu_core::OptionKind::Number { min, max } => (min, max),
                };
                (spec.set)(&mut options, rng.random_range(min..=max));
            }
        }
        if options.check().is_ok() {
            return options;
        }
    }
}

/// Returns the legal actions of a seat.
pub fn legal<G: Game>(game: &G, seat: Seat) -> ActionSet {
    let mut legal = ActionSet::of::<G::Action>();
    game.legal_actions(seat, &mut legal);
    legal
}

/// Returns every viewer of a table: its seats, and the public.
pub fn viewers(seats: Seats) -> impl Iterator<Item = Viewer> {
    seats.iter().map(Viewer::Seat).chain([Viewer::Public])
}

/// Everything that a viewer is shown in a position.
type Sight<G> = (<G as Game>::View, (Turn, SeatSet), Option<ActionSet>, (Vec<u64>, Vec<i16>), [String; 4]);

/// Plays a random game, and calls `look` with each position and its next ply.
pub fn play_random<G: Game>(
    options: &G::Options,
    seed: u64,
    mut look: impl FnMut(&G, Option<&Ply<G>>, &mut ChaCha8Rng),
) -> G {
    let mut game = G::new(options);
    let mut chance = ChanceRng::new(Seed(seed));
    let mut rng = ChaCha8Rng::seed_from_u64(!seed);
    for _ in 0..=G::INFO.max_plies {
        let next = match game.turn() {
            Turn::Over => {
                look(&game, None, &mut rng);
                return game;
            }
            Turn::Chance => Ply::Outcome(game.draw(&mut chance)),
            Turn::Seats(to_act) => {
                let seat = to_act.iter().nth(rng.random_range(0..to_act.len())).expect("some seat has to decide");
                let legal = legal(&game, seat);
                assert!(!legal.is_empty(), "seed {seed}: seat {seat} has to decide and has no legal action");
                let id = legal.nth(rng.random_range(0..legal.len())).expect("n is below the count");
                Ply::Action(seat, G::Action::from_id(id).expect("legal actions have ids"))
            }
        };
        look(&game, Some(&next), &mut rng);
        carry_out(&mut game, &next, &mut Vec::new());
    }
    panic!("seed {seed}: the game goes on after {} plies", G::INFO.max_plies);
}

/// Plays a legal ply.
pub fn carry_out<G: Game>(game: &mut G, ply: &Ply<G>, events: &mut Vec<G::Event>) {
    match ply {
        Ply::Action(seat, action) => game.play_checked(*seat, *action, events).expect("the ply is legal"),
        Ply::Outcome(outcome) => game.settle_checked(outcome, events).expect("the outcome is possible"),
    }
}

/// Checks that some seat can act, that every card, coin, and piece is in one place, and that the game ends.
pub fn law_of_whole_games<G: Secrets<L>, L>() {
    for seats in tables::<G>() {
        for game in 0..games::<G, L>() {
            let options =
                if game < games::<G, L>() / 2 { G::Options::new(seats) } else { some_options::<G>(seats, game) };
            play_random::<G>(&options, game, |game, _, _| game.assert_invariants());
        }
    }
}

/// Checks that exactly the seats that have to decide have legal actions, that ids rise and belong to their actions,
/// and that the text of an action is parsed as the same action.
pub fn law_of_actions<G: Secrets<L>, L>() {
    for id in 0..G::Action::COUNT as u16 {
        let action = G::Action::from_id(ActionId(id)).unwrap_or_else(|| panic!("no action has the id {id}"));
        assert_eq!(action.id(), ActionId(id));
        assert_eq!(action.to_string().parse(), Ok(action), "{action}");
    }
    assert_eq!(G::Action::from_id(ActionId(G::Action::COUNT as u16)), None);
    for seats in tables::<G>() {
        for seed in 0..few_games_of::<G, L>() {
            play_random::<G>(&some_options::<G>(seats, seed), seed, |game, _, _| {
                for seat in seats.iter() {
                    let legal = legal(game, seat);
                    assert_eq!(legal.is_empty(), !game.turn().to_act().contains(seat), "seat {seat}");
                    let ids: Vec<_> = legal.iter().collect();
                    assert!(ids.is_sorted() && ids.len() == legal.len());
                    assert!((0..ids.len()).all(|n| legal.nth(n) == Some(ids[n])));
                    assert!((0..1024).map(ActionId).all(|id| legal.contains(id) == ids.contains(&id)));
                }
            });
        }
    }
}

/// Checks that every illegal id is refused with the reason and changes nothing. The same holds for an outcome if no
/// chance event is due.
pub fn law_of_the_checked_door<G: Secrets<L>, L>() {
    for seats in tables::<G>() {
        for seed in 0..few_games_of::<G, L>().min(20) {
            let mut last_outcome = None;
            play_random::<G>(&some_options::<G>(seats, seed), seed, |game, next, rng| {
                if let Some(Ply::Outcome(outcome)) = next {
                    last_outcome = Some(outcome.clone());
                }
                if rng.random_range(0..8) > 0 {
                    return;
                }
                let before = Fingerprint::of(game);
                let mut tried = game.clone();
                for seat in seats.iter() {
                    let legal = legal(game, seat);
                    for action in (0..G::Action::COUNT as u16).filter_map(|id| G::Action::from_id(ActionId(id))) {
                        if legal.contains(action.id()) {
                            continue;
                        }
                        let error = tried.play_checked(seat, action, &mut NoEvents).expect_err("it is not legal");
                        match (game.turn(), error) {
                            (Turn::Over, PlayError::Over) => {}
                            (turn, PlayError::NotYourDecision { to_act, .. }) => {
                                assert_eq!(to_act, turn.to_act());
                                assert!(!to_act.contains(seat));
                            }
                            (turn, PlayError::Illegal { legal: offered, .. }) => {
                                assert!(turn.to_act().contains(seat));
                                assert_eq!(*offered, legal);
                            }
                            (turn, error) => panic!("{error:?} at {turn:?}"),
                        }
                    }
                    let none = game.check_action(seat, ActionId(G::Action::COUNT as u16));
                    assert!(none.is_err());
                }
                if let (false, Some(outcome)) = (game.turn() == Turn::Chance, &last_outcome) {
                    assert!(tried.settle_checked(outcome, &mut NoEvents).is_err());
                }
                assert_eq!(Fingerprint::of(&tried), before, "a refusal changes nothing");
            });
        }
    }
}

/// Checks that a seed means one game, including for a clone, and for a source of chance that has drawn before.
pub fn law_of_seeds<G: Secrets<L>, L>() {
    for seats in tables::<G>() {
        for seed in 0..few_games_of::<G, L>() {
            let options = some_options::<G>(seats, seed);
            let mut plies = Vec::new();
            let end = play_random::<G>(&options, seed, |game, next, _| {
                plies.extend(next.cloned().map(|ply| (game.clone(), ply)));
            });
            let mut again = G::new(&options);
            let mut chance = ChanceRng::new(Seed(seed));
            for (before, ply) in &plies {
                assert_eq!(Fingerprint::of(&again), Fingerprint::of(before));
                if let Ply::Outcome(outcome) = ply {
                    assert_eq!(again.draw(&mut chance), *outcome);
                    assert_eq!(again.draw(&mut chance), *outcome, "drawing changes nothing");
                    assert_eq!(
                        before.draw(&mut ChanceRng::new(Seed(seed))),
                        *outcome,
                        "chance does not depend on what was asked"
                    );
                    assert_eq!(outcome.to_string().parse().as_ref(), Ok(outcome), "an outcome's text is exact");
                    assert_eq!(before.check(outcome), Ok(()));
                }
                carry_out(&mut again, ply, &mut Vec::new());
            }
            assert_eq!(Fingerprint::of(&again), Fingerprint::of(&end));
        }
    }
}

/// Checks that the order of secret decisions makes no difference. Until the last secret decision is made, no decision
/// changes the decisions, the legal actions, or the scores of another seat. Returns the number of positions with secret
/// decisions.
pub fn law_of_secret_decisions<G: Secrets<L>, L>() -> usize {
    let mut met = 0;
    for seats in tables::<G>() {
        for seed in 0..few_games_of::<G, L>() {
            play_random::<G>(&some_options::<G>(seats, seed), seed, |game, _, rng| {
                let to_act = game.turn().to_act();
                if to_act.len() < 2 {
                    return;
                }
                met += 1;
                let [one, other] = [0, 1].map(|n| to_act.iter().nth(n).expect("two seats have to decide"));
                let [a, b] = [one, other].map(|seat| {
                    let legal = legal(game, seat);
                    G::Action::from_id(legal.nth(rng.random_range(0..legal.len())).expect("legal")).expect("an action")
                });
                let after = |plies: [(Seat, G::Action); 2]| {
                    let mut game = game.clone();
                    let mut events = Vec::new();
                    for (seat, action) in plies {
                        let others: Vec<_> = seats.iter().filter(|&viewer| viewer != seat).collect();
                        let before: Vec<_> = others
                            .iter()
                            .map(|&viewer| (legal(&game, viewer), game.view(Viewer::Seat(viewer)).scores()))
                            .collect();
                        let owed = game.turn().to_act().without(seat);
                        game.apply(seat, action, &mut events);
                        if !owed.is_empty() {
                            let now: Vec<_> = others
                                .iter()
                                .map(|&viewer| (legal(&game, viewer), game.view(Viewer::Seat(viewer)).scores()))
                                .collect();
                            assert_eq!(now, before);
                            assert_eq!(game.turn().to_act().without(seat), owed);
                        }
                    }
                    let seen = |viewer| events.iter().filter_map(|event| event.visible_to(viewer)).collect::<Vec<_>>();
                    (Fingerprint::of(&game), viewers(seats).map(seen).collect::<Vec<_>>())
                };
                assert_eq!(after([(one, a), (other, b)]), after([(other, b), (one, a)]));
                assert_deciders_stay(game.clone(), rng);
            });
        }
    }
    met
}

/// Plays the secret decisions that are due, in a random order. The deciders are all their seats until the others are told of
/// them, however few still have to act.
fn assert_deciders_stay<G: Game>(mut game: G, rng: &mut ChaCha8Rng) {
    let (deciders, seats) = (game.deciders(), game.options().seats());
    while let Turn::Seats(to_act) = game.turn() {
        assert_eq!(game.deciders(), deciders, "{to_act:?} have to act");
        assert!(to_act.iter().all(|seat| deciders.contains(seat)), "{to_act:?} of {deciders:?}");
        let seat = to_act.iter().nth(rng.random_range(0..to_act.len())).expect("some seat has to decide");
        let (legal, mut events) = (legal(&game, seat), Vec::new());
        let action = G::Action::from_id(legal.nth(rng.random_range(0..legal.len())).expect("legal"));
        game.apply(seat, action.expect("an action"), &mut events);
        let is_told = |viewer| events.iter().any(|event| event.visible_to(viewer).is_some());
        if viewers(seats).any(|viewer| !viewer.is(seat) && is_told(viewer)) {
            break;
        }
    }
}

/// Checks that shuffled secrets change nothing that a viewer is shown or told. This covers the view, the turn, and
/// the viewer's own legal actions, before and after a ply that looks the same, and the events of that ply. The law
/// catches a view that leaks. The law of resampling cannot, since the resampler would copy the leak.
pub fn law_of_no_leak<G: Secrets<L>, L>(games: u64) -> Result<(), String> {
    for seats in tables::<G>() {
        for seed in 0..games {
            let mut leak = None;
            play_random::<G>(&some_options::<G>(seats, seed), seed, |game, next, rng| {
                for viewer in viewers(seats) {
                    let (other, other_next) = game.shuffle_secrets(viewer, next, rng);
                    other.assert_invariants();
                    // Without a difference there is nothing to compare.
                    let is_same = Fingerprint::of(game) == Fingerprint::of(&other);
                    if is_same && format!("{next:?}") == format!("{:?}", other_next.as_ref()) {
                        continue;
                    }
                    if sight(game, viewer) != sight(&other, viewer) {
                        leak.get_or_insert(format!("{viewer} sees a secret before {next:?}, seed {seed}"));
                    }
                    let (Some(next), Some(other_next)) = (next, &other_next) else { continue };
                    let after = |game: &G, next: &Ply<G>| {
                        let (mut game, mut events) = (game.clone(), Vec::new());
                        carry_out(&mut game, next, &mut events);
                        let visible: Vec<_> = events.iter().filter_map(|event| event.visible_to(viewer)).collect();
                        (visible, sight(&game, viewer))
                    };
                    if after(game, next) != after(&other, other_next) {
                        leak.get_or_insert(format!("{viewer} is told a secret by {next:?}, seed {seed}"));
                    }
                }
            });
            if let Some(leak) = leak {
                return Err(leak);
            }
        }
    }
    Ok(())
}

/// Checks that shuffled secrets change nothing in the row of a batch. After an action that looks the same to the seat that
/// decides next, this seat gets the same row, and the same reward for its margin before the end. Returns the number of
/// comparisons.
pub fn law_of_batches<G: Secrets<L>, L>(games: u64) -> Result<u64, String> {
    let mut compared = 0;
    for seats in tables::<G>() {
        for seed in 0..games {
            let (options, mut leak) = (some_options::<G>(seats, seed), None);
            let env_config = EnvConfig::self_play(seats, RewardRule::MarginGain);
            let all = EnvIndices::Run(0, 2);
            let mut environments = VectorEnv::<G>::new(options, const { &Rules::new(&[]) }, env_config, Seed(seed), 2);
            let (mut rows, mut final_steps) = (Rows::default(), FinalSteps::default());
            play_random::<G>(&options, seed, |game, next, rng| {
                let Some(next @ Ply::Action(..)) = next else { return };
                let mut after = game.clone();
                carry_out(&mut after, next, &mut Vec::new());
                let (Some(asked), Some(seat)) = (game.turn().to_act().first(), after.turn().to_act().first()) else {
                    return;
                };
                let (other, other_next) = game.shuffle_secrets(Viewer::Seat(seat), Some(next), rng);
                let action_of = |next: &Ply<G>| match next {
                    Ply::Action(seat, action) if *seat == asked => Some(action.id()),
                    Ply::Action(..) | Ply::Outcome(_) => None,
                };
                let Some(actions) = action_of(next).zip(other_next.as_ref().and_then(action_of)) else { return };
                let is_same = Fingerprint::of(game) == Fingerprint::of(&other);
                if is_same && actions.0 == actions.1 {
                    return;
                }
                environments.reset(all, None, &mut rows).expect("the environments exist");
                environments.go_on_from(0, game.clone());
                environments.go_on_from(1, other);
                let actions = [actions.0, actions.1];
                environments.step(all, &actions, &mut rows, &mut final_steps).expect("both actions are legal");
                // Chance may differ later, but no chance is due here.
                let mut leaking =
                    vec![Column::Bits, Column::Numbers, Column::Masks, Column::Rewards, Column::Seats, Column::Ended];
                leaking.retain(|&column| {
                    let (one, other) = rows[column].split_at(rows[column].len() / 2);
                    one != other
                });
                if !leaking.is_empty() {
                    leak.get_or_insert(format!("{leaking:?} tell {seat} a secret after {next:?}, seed {seed}"));
                }
                compared += 1;
            });
            if let Some(leak) = leak {
                return Err(leak);
            }
        }
    }
    Ok(compared)
}

/// Returns everything that a viewer is shown: the view, the turn, its own legal actions, and the observation and text
/// of the shown view, which must depend on nothing else.
fn sight<G: Game>(game: &G, viewer: Viewer) -> Sight<G> {
    let view = game.view(viewer);
    let own = match viewer {
        Viewer::Seat(seat) => Some(legal(game, seat)),
        Viewer::Public => None,
    };
    let shown = view.clone().shown();
    let text = shown.to_string();
    // A picture takes ten times as long as a text, so only about an eighth of the positions have a picture. The length of
    // the viewer's text selects these positions.
    let picture = if text.len().is_multiple_of(8) { shown.svg(None, Scene::default()) } else { String::new() };
    (
        view,
        (game.turn(), game.deciders()),
        own,
        observation(&shown),
        [text, picture, shown.compact(), shown.compact_legend()],
    )
}

/// Returns the blocks of bits and numbers of a view.
pub fn observation<V: Encode>(view: &V) -> (Vec<u64>, Vec<i16>) {
    // The old content of the buffers must make no difference.
    let mut blocks = (vec![u64::MAX; V::BITS.div_ceil(64)], vec![i16::MAX; V::NUMBERS]);
    Tensor::fill(&mut blocks.0, &mut blocks.1, view);
    blocks
}

/// Checks that a resampled game looks the same to the viewer, keeps the invariants, and can be played on, and that
/// the hidden facts differ over many resampled games. A game that cannot be resampled keeps the law.
pub fn law_of_resampling<G: Secrets<L>, L>() {
    let Some(resample) = G::RESAMPLE else { return };
    for seats in tables::<G>() {
        let mut varied = 0;
        let mut hidden = 0;
        for seed in 0..few_games_of::<G, L>().min(40) {
            play_random::<G>(&some_options::<G>(seats, seed), seed, |game, _, rng| {
                if rng.random_range(0..6) > 0 {
                    return;
                }
                for viewer in viewers(seats) {
                    let (view, expected) = (game.view(viewer), sight(game, viewer));
                    check_bytes::<G>(&view, game.turn() == Turn::Chance, rng);
                    let worlds: HashSet<_> = (0..8)
                        .map(|_| {
                            let world = resample(&view, rng);
                            world.assert_invariants();
                            assert_eq!(sight(&world, viewer), expected, "{viewer}, seed {seed}");
                            Fingerprint::of(&world)
                        })
                        .collect();
                    let same = Fingerprint::of(&game.shuffle_secrets(viewer, None, rng).0) == Fingerprint::of(game);
                    hidden += usize::from(!same);
                    varied += usize::from(worlds.len() > 1);
                }
                let world = resample(&game.view(Viewer::Public), rng);
                play_on(world, 30, rng, G::assert_invariants);
            });
        }
        assert!(varied * 10 >= hidden * 9, "{seats} seats: of {hidden} positions with secrets {varied} vary");
    }
}

/// Checks that the bytes of a view lead to the view, that they have one form, and that what is cut off, or goes on, is refused.
/// Other bytes of strangers are refused, or are a game that can be looked at and played on.
fn check_bytes<G: Game>(view: &G::View, is_chance: bool, rng: &mut ChaCha8Rng) {
    let Some(view_bytes) = G::VIEW_BYTES else { return };
    let ViewBytes { write, read, .. } = view_bytes;
    let mut bytes = write(view);
    assert_eq!(read(&bytes).as_ref(), Ok(view));
    let cut = rng.random_range(0..bytes.len());
    read(&bytes[..cut]).expect_err("it breaks off");
    bytes.push(0);
    read(&bytes).expect_err("it goes on");
    bytes.pop();
    let resampled = view_bytes.resample(&bytes, rng);
    assert_eq!(
        resampled.map(drop).map_err(|error| error.contains("before chance")),
        if is_chance { Err(true) } else { Ok(()) }
    );
    for _ in 0..4 {
        let mut bytes = bytes.clone();
        for _ in 0..rng.random_range(1..3) {
            let place = rng.random_range(0..bytes.len());
            bytes[place] =
                if rng.random() { bytes[place] ^ 1 << rng.random_range(0..8) } else { rng.random_range(0..8) };
        }
        if let Ok(other) = read(&bytes) {
            assert_eq!(write(&other), bytes, "there is one form");
        }
        if let Ok((game, viewer)) = view_bytes.resample(&bytes, rng) {
            let shown = game.view(viewer).shown();
            drop((shown.to_string(), shown.scores(), shown.ranks(), observation(&shown)));
            play_on(game, 12, rng, |_| {});
        }
    }
}

/// Plays on for some plies, to the end, or to where a table that no game reaches has no legal action: chance draws, and seats
/// take random actions. Gives each game to `check`.
fn play_on<G: Game>(mut game: G, plies: usize, rng: &mut ChaCha8Rng, check: impl Fn(&G)) {
    let mut chance = ChanceRng::new(Seed(rng.random()));
    for _ in 0..plies {
        match game.turn() {
            Turn::Over => break,
            Turn::Chance => {
                let outcome = game.draw(&mut chance);
                game.settle_checked(&outcome, &mut NoEvents).expect("what is drawn is possible");
            }
            Turn::Seats(to_act) => {
                let seat = to_act.first().expect("some seat has to decide");
                let legal = legal(&game, seat);
                let Some(id) = legal.nth(rng.random_range(0..legal.len().max(1))) else { break };
                game.apply(seat, G::Action::from_id(id).expect("an action"), &mut NoEvents);
            }
        }
        check(&game);
    }
}

/// Checks that observations fill their layout exactly, for any old content of the buffers, that every value is in its
/// range, and that one-hots, thermometers, and named codes have their form.
pub fn law_of_observations<G: Secrets<L>, L>() {
    for seats in tables::<G>() {
        for seed in 0..few_games_of::<G, L>() {
            let options = some_options::<G>(seats, seed);
            play_random::<G>(&options, seed, |game, _, _| {
                for viewer in viewers(seats) {
                    let view = game.view(viewer).shown();
                    let (bits, numbers) = observation(&view);
                    let mut layout = Layout::default();
                    view.write(&mut layout);
                    assert_eq!((layout.bit_count(), layout.number_count()), (G::View::BITS, G::View::NUMBERS));
                    check_fields(&layout, &bits, &numbers);
                }
            });
        }
    }
}

fn check_fields(layout: &Layout, bits: &[u64], numbers: &[i16]) {
    use ahu_core::FieldKind::{Binary, Flags, Numbers, OneHot, Thermometer};
    let bit = |n: usize| bits[n / 64] >> (n % 64) & 1 == 1;
    for (offset, field) in &layout.bits {
        // The values along the field's axis, one line after the other.
        let length = field.shape.get(field.axis).copied().unwrap_or(1);
        let stride: usize = field.shape.iter().skip(field.axis + 1).product();
        for start in (0..field.size()).filter(|n| (n / stride).is_multiple_of(length)) {
            let line: Vec<bool> = (0..length).map(|n| bit(offset + start + n * stride)).collect();
            match field.kind {
                Flags => {}
                OneHot => assert!(line.iter().filter(|&&on| on).count() <= 1, "{}: {line:?}", field.name),
                Thermometer => assert!(line.is_sorted_by(|a, b| a >= b), "{}: {line:?}", field.name),
                Binary => {
                    let number = line.iter().rev().fold(0, |number, &on| 2 * number + usize::from(on));
                    let names_numbers = !field.values.is_empty() && field.values_axis == field.axis;
                    assert!(!names_numbers || number < field.values.len(), "{}: {number}", field.name);
                }
                Numbers => panic!("{} is in the bit block", field.name),
            }
        }
    }
    assert!((layout.bit_count()..bits.len() * 64).all(|n| !bit(n)), "the bits behind the last field are zero");
    for (offset, field) in &layout.numbers {
        for value in &numbers[*offset..offset + field.size()] {
            assert!((field.min..=field.max).contains(value), "{}: {value}", field.name);
        }
    }
}

/// Checks that all viewers see the same scores and ranks at the end, that a better rank never has a lower score, and
/// that returns sum up as their rule says.
pub fn law_of_scores<G: Secrets<L>, L>() {
    for seats in tables::<G>() {
        for seed in 0..few_games_of::<G, L>() {
            let end = play_random::<G>(&some_options::<G>(seats, seed), seed, |_, _, _| {});
            let view = end.view(Viewer::Public).shown();
            let (scores, ranks) = (view.scores(), view.ranks());
            for viewer in viewers(seats) {
                let view = end.view(viewer).shown();
                assert_eq!((view.scores(), view.ranks()), (scores, ranks), "{viewer}");
            }
            for (a, b) in seats.iter().flat_map(|a| seats.iter().map(move |b| (a, b))) {
                assert!(ranks[a] > ranks[b] || scores[a] >= scores[b], "{scores:?} {ranks:?}");
                let ahead = ranks.values().iter().filter(|&&rank| rank < ranks[a]).count();
                assert_eq!(usize::from(ranks[a]), ahead + 1, "{ranks:?}");
            }
            for rule in [RewardRule::Rank, RewardRule::Margin] {
                let sum: f32 = rule.returns(&scores, &ranks).values().iter().sum();
                assert!(sum.abs() < 1e-3, "{rule} sums to {sum}");
            }
            assert_eq!(RewardRule::Points.returns(&scores, &ranks), scores.map(|score| score as f32));
        }
    }
}

/// Checks in an eighth of the positions that each line of a table has at most 80 characters, that the table begins with its
/// headline and has its legend, that the public holds nothing, that exactly the seats that have to decide are asked a
/// question, and that the parts of the scores sum up to the scores.
pub fn law_of_texts<G: Secrets<L>, L>() {
    for seats in tables::<G>() {
        for seed in 0..few_games_of::<G, L>() {
            let check = |game: &G, next: Option<&Ply<G>>, rng: &mut ChaCha8Rng| {
                if next.is_some() && rng.random_ratio(7, 8) {
                    return;
                }
                for viewer in viewers(seats) {
                    let view = game.view(viewer).shown();
                    let text = view.to_string();
                    let wide = text.lines().find(|line| line.chars().count() > 80);
                    assert_eq!(wide, None, "expected at most 80 characters in each line of\n{text}");
                    let head: String = view.headline().split_whitespace().collect();
                    let words: String = text.split_whitespace().collect();
                    assert!(words.starts_with(&head), "expected \"{}\" first in\n{text}", view.headline());
                    let holdings = view.holdings();
                    assert!(viewer != Viewer::Public || holdings.is_empty(), "the public holds nothing: {holdings}");
                    assert!(!holdings.contains('\n'), "expected one line, got {holdings}");
                    let question = view.question();
                    let owes = matches!(viewer, Viewer::Seat(seat) if game.turn().to_act().contains(seat));
                    assert!(!owes || !question.is_empty(), "{viewer} is asked nothing");
                    assert!(!question.contains('\n') && !question.contains("  "), "expected one line, got {question}");
                    assert!(text.contains(G::View::LEGEND), "expected the legend in\n{text}");
                    let parts = view.score_parts();
                    let sums = BySeat::from_fn(seats, |seat| parts.iter().map(|(_, points)| points[seat]).sum::<i32>());
                    assert_eq!(sums, view.scores(), "{viewer}: {parts:?}");
                }
            };
            play_random::<G>(&some_options::<G>(seats, seed), seed, check);
        }
    }
}

/// Checks that options are parsed from their own text.
pub fn law_of_options<G: Secrets<L>, L>() {
    for seats in tables::<G>() {
        for game in 0..200 {
            let some = some_options::<G>(seats, game);
            let listed: Vec<_> = options::list(&some).collect();
            let given = listed.iter().map(|(key, value)| (*key, value.as_str()));
            assert_eq!(options::read(seats.count(), given), Ok(some), "{}", options::text(&some));
        }
    }
    let spoilt = |seats, given: &[(&str, &str)]| options::read::<G::Options>(seats, given.iter().copied()).is_err();
    assert!(spoilt(G::Options::MIN_SEATS - 1, &[]) && spoilt(G::Options::MAX_SEATS + 1, &[]));
    assert!(spoilt(G::Options::MIN_SEATS, &[("no_such_option", "true")]));
}

/// Tests the laws for a game: `laws!(kuhn_poker, Kuhn);`. The tests are a module of this name.
#[macro_export]
macro_rules! laws {
    ($name:ident, $game:ty) => {
        mod $name {
            #[allow(clippy::wildcard_imports, reason = "the game is a name of the file")]
            use super::*;

            #[test]
            fn every_game_ends_and_every_thing_is_somewhere_once() {
                $crate::laws::law_of_whole_games::<$game, _>();
            }

            #[test]
            fn who_owes_a_decision_has_legal_actions_with_stable_ids() {
                $crate::laws::law_of_actions::<$game, _>();
            }

            #[test]
            fn what_is_not_legal_is_refused_and_changes_nothing() {
                $crate::laws::law_of_the_checked_door::<$game, _>();
            }

            #[test]
            fn the_same_seed_is_the_same_game() {
                $crate::laws::law_of_seeds::<$game, _>();
            }

            #[test]
            fn nothing_leaks() {
                assert_eq!($crate::laws::law_of_no_leak::<$game, _>($crate::laws::few_games_of::<$game, _>()), Ok(()));
            }

            #[test]
            fn batches_do_not_leak() {
                $crate::laws::law_of_batches::<$game, _>($crate::laws::few_games_of::<$game, _>())
                    .expect("nothing leaks");
            }

            #[test]
            fn a_resampled_game_looks_the_same_and_goes_on() {
                $crate::laws::law_of_resampling::<$game, _>();
            }

            #[test]
            fn observations_follow_their_layout() {
                $crate::laws::law_of_observations::<$game, _>();
            }

            #[test]
            fn scores_ranks_and_returns_agree() {
                $crate::laws::law_of_scores::<$game, _>();
            }

            #[test]
            fn tables_are_narrow_and_scores_have_parts() {
                $crate::laws::law_of_texts::<$game, _>();
            }

            #[test]
            fn pictures_show_what_is_known_and_mark_what_has_changed() {
                $crate::pictures::law_of_pictures::<$game, _>();
            }

            #[test]
            fn options_are_read_as_they_are_written() {
                $crate::laws::law_of_options::<$game, _>();
            }
        }
    };
}
