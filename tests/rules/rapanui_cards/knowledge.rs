//! The public knowledge of face-down cards: each is a card that its player could have laid, given all public events since.
//! The game remembers exactly these possibilities.

use std::collections::BTreeSet;

use ahu_core::{Event as _, Game as _, GameExt as _, Seat, Seats, Viewer};
use ahu_games::rapanui_cards::cards::Food;
use ahu_games::rapanui_cards::{Action, Event, Gain, Payout, Phase, RapanuiCards};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use super::secrets::places;
use super::{PUBLIC, play_through, seat, table, viewer};
use ahu_laws::Secrets as _;
use ahu_laws::laws::{few_games, some_options, tables, viewers};

/// One possible state of a player: the cards that it laid face down, in order, and the sacrifice cards that it would
/// then have.
#[derive(Clone, Debug, PartialEq)]
struct World {
    laid: Vec<Food>,
    cards: [u8; 4],
}

impl World {
    /// Returns the worlds after one of the cards was laid face down: one for each food with a card.
    fn after_laying_a_card(&self) -> impl Iterator<Item = Self> + '_ {
        Food::ALL.into_iter().filter(|&food| self.cards[food as usize] > 0).map(|food| {
            let mut after = self.clone();
            after.cards[food as usize] -= 1;
            after.laid.push(food);
            after
        })
    }
}

/// A listener who receives the public events, forgets nothing, and keeps every possibility.
struct Listener {
    /// For each seat, every possible state of its player.
    worlds: Vec<Vec<World>>,
}

impl Listener {
    fn new(seats: Seats) -> Self {
        Self { worlds: vec![vec![World { laid: Vec::new(), cards: [0; 4] }]; seats.count()] }
    }

    fn hear(&mut self, event: &Event<Option<Food>>) {
        match *event {
            Event::StartCards { colours } => {
                colours.iter().for_each(|(seat, _)| Food::ALL.into_iter().for_each(|food| self.gain(seat, food, 1)));
            }
            Event::Bought { seat, food, .. } | Event::Picked { seat, food } => self.gain(seat, food, 1),
            Event::Gained { seat, gain: Gain::Cards(food, count), .. } => self.gain(seat, food, count),
            Event::Sacrificed { seat, food } => {
                let worlds = &mut self.worlds[seat.index()];
                worlds.retain(|world| world.cards[food as usize] > 0);
                for world in worlds {
                    world.cards[food as usize] -= 1;
                }
            }
            Event::Hid { seat, food } => {
                assert_eq!(food, None, "the public is not told the food");
                let worlds = &mut self.worlds[seat.index()];
                *worlds = worlds.iter().flat_map(World::after_laying_a_card).collect();
            }
            Event::StartPlayer { .. }
            | Event::Uncovered { .. }
            | Event::TurnBegan { .. }
            | Event::BoughtNothing { .. }
            | Event::Played { .. }
            | Event::Boxed { .. }
            | Event::Supplied { .. }
            | Event::SuppliedNothing { .. }
            | Event::Drew { .. }
            | Event::Scored { .. }
            | Event::Gained { gain: Gain::Wood(_) | Gain::Glory(_), .. }
            | Event::PickedNothing { .. }
            | Event::Ended { .. } => {}
        }
    }

    fn gain(&mut self, seat: Seat, food: Food, count: u8) {
        for world in &mut self.worlds[seat.index()] {
            world.cards[food as usize] += count;
        }
    }

    /// Returns all sequences of foods that a player may have laid face down.
    fn laid(&self, seat: Seat) -> BTreeSet<Vec<Food>> {
        self.worlds[seat.index()].iter().map(|world| world.laid.clone()).collect()
    }

    /// Returns all sequences of foods that may lie face down on the stone, for a viewer who knows its own cards.
    fn stones(&self, game: &RapanuiCards, viewer: Viewer) -> BTreeSet<Vec<Food>> {
        let mut stones = BTreeSet::from([game.hidden[..game.table.stone.face_down_count.into()].to_vec()]);
        for seat in game.table.options.seats.iter().filter(|&seat| !viewer.is(seat)) {
            let places = places(game, seat);
            let with = |stone: &Vec<Food>, laid: &Vec<Food>| {
                let mut stone = stone.clone();
                places.iter().zip(laid).for_each(|(&place, &food)| stone[place] = food);
                stone
            };
            stones =
                self.laid(seat).iter().flat_map(|laid| stones.iter().map(move |stone| with(stone, laid))).collect();
        }
        stones
    }
}

/// Returns the sequences of foods that a player may have laid face down according to the game's memory: it limits the
/// number of each food among the first cards.
fn remembered(game: &RapanuiCards, seat: Seat) -> BTreeSet<Vec<Food>> {
    let mut laid = vec![Vec::new()];
    for place in places(game, seat) {
        let at_most_so_far = game.table.stone.face_down[place].at_most_so_far;
        let longer = |laid: Vec<Food>| {
            Food::ALL.into_iter().map(move |food| laid.iter().copied().chain([food]).collect::<Vec<_>>())
        };
        let fits = |laid: &Vec<Food>| {
            Food::ALL
                .iter()
                .all(|&food| laid.iter().filter(|&&card| card == food).count() <= at_most_so_far[food].into())
        };
        laid = laid.into_iter().flat_map(longer).filter(fits).collect();
    }
    laid.into_iter().collect()
}

/// Returns a decider that builds Moai whenever it can, for many sacrifice rounds, and plays at random otherwise. With
/// odd seeds it sacrifices the first food that it has, so that players run out of foods.
fn devout(seed: u64) -> impl FnMut(&RapanuiCards, &[Action]) -> Action {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    move |_, legal| {
        let wanted = legal.iter().find(|action| match action {
            Action::BuildMoai | Action::PlayLumberjack | Action::Take(Payout::Wood) | Action::BuyNothing => true,
            Action::Sacrifice(_) => seed % 2 == 1,
            _ => false,
        });
        match wanted {
            Some(&action) if rng.random_range(0..8) > 0 => action,
            _ => legal[rng.random_range(0..legal.len())],
        }
    }
}

/// The memory of the game is right and leaks nothing: at every ply it allows exactly the possibilities of a listener
/// who has received only the public events.
#[test]
fn of_cards_that_lie_face_down_all_know_what_follows_from_what_happened_openly() {
    let (mut narrowed, mut most) = (0, 0);
    for seats in tables::<RapanuiCards>() {
        for seed in 0..few_games() {
            let mut listener = Listener::new(seats);
            let end = play_through(&some_options::<RapanuiCards>(seats, seed), seed, devout(seed), |game, events| {
                for event in events {
                    listener.hear(&event.visible_to(PUBLIC).expect("every event is public in part"));
                    if !matches!(event, Event::Hid { .. } | Event::Sacrificed { .. }) {
                        continue;
                    }
                    for seat in seats.iter() {
                        let laid = listener.laid(seat);
                        narrowed += usize::from(laid.len() > 1 && laid.len() < 1 << (2 * places(game, seat).len()));
                    }
                }
                for seat in seats.iter() {
                    assert_eq!(remembered(game, seat), listener.laid(seat), "seat {seat}, {seats} seats, seed {seed}");
                }
            });
            for seat in seats.iter() {
                let laid: Vec<Food> = places(&end, seat).iter().map(|&place| end.hidden[place]).collect();
                most = most.max(laid.len());
                assert!(listener.laid(seat).contains(&laid), "seat {seat}, seed {seed}: the truth is possible");
            }
        }
    }
    assert!(narrowed > 50, "the public events excluded possibilities often enough: {narrowed}");
    assert!(most >= 3, "players laid several cards: {most}");
}

/// Resampling and the shuffle of secrets give exactly the games that the viewer could be in.
#[test]
fn a_resampled_game_has_what_its_players_could_have_laid() {
    let mut met = 0;
    for seats in tables::<RapanuiCards>() {
        for seed in 0..few_games().min(30) {
            let mut listener = Listener::new(seats);
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            play_through(&some_options::<RapanuiCards>(seats, seed), seed, devout(seed), |game, events| {
                events.iter().filter_map(|event| event.visible_to(PUBLIC)).for_each(|event| listener.hear(&event));
                let is_laid = events.iter().any(|event| matches!(event, Event::Hid { .. } | Event::Sacrificed { .. }));
                if !is_laid || game.table.phase == Phase::Over {
                    return;
                }
                for who in viewers(seats) {
                    let possible = listener.stones(game, who);
                    let count = usize::from(game.table.stone.face_down_count);
                    if possible.len() > 40 {
                        continue;
                    }
                    met += usize::from(possible.len() > 1);
                    let view = game.view(who);
                    let mut resampled = BTreeSet::new();
                    let mut shuffled = BTreeSet::new();
                    for _ in 0..4_000 {
                        resampled.insert(RapanuiCards::resample(&view, &mut rng).hidden[..count].to_vec());
                        shuffled.insert(game.shuffle_secrets(who, None, &mut rng).0.hidden[..count].to_vec());
                        if resampled.len() >= possible.len() && shuffled.len() >= possible.len() {
                            break;
                        }
                    }
                    // More samples must add no new game.
                    for _ in 0..20 {
                        resampled.insert(RapanuiCards::resample(&view, &mut rng).hidden[..count].to_vec());
                        shuffled.insert(game.shuffle_secrets(who, None, &mut rng).0.hidden[..count].to_vec());
                    }
                    assert_eq!(resampled, possible, "{who}, {seats} seats, seed {seed}");
                    assert_eq!(shuffled, possible, "{who}, {seats} seats, seed {seed}");
                }
            });
        }
    }
    assert!(met > 100, "the test met enough games: {met}");
}

/// Returns the cards that seat 0 may have laid according to public knowledge, by food.
fn may_have_laid(game: &super::Table) -> Vec<String> {
    let text = |laid: Vec<Food>| laid.iter().map(Food::to_string).collect::<Vec<_>>().join(" ");
    remembered(&game.game, seat(0)).into_iter().map(text).collect()
}

/// Seat 0 builds a Moai, and later sacrifices a card face up when seat 1 builds a Moai. Seat 0 cannot have laid this card
/// face down before.
#[test]
fn who_lays_the_last_card_of_a_food_openly_did_not_lay_it_face_down() {
    let mut game = table(
        "wood: 7 / 7
         hands: moai priest*2 / moai priest*2
         displays: - / -
         columns: fish fish fish / _ / _ / _
         cards: fish mulberry / fish fish",
    );

    game.play("build moai, sacrifice fish, sacrifice mulberry, supply grain, draw 1");
    assert_eq!(may_have_laid(&game), ["fish", "mulberry"]);
    game.play("buy nothing, build moai, sacrifice fish");

    assert_eq!(may_have_laid(&game), ["mulberry"], "its only fish lies face up");
    let world = |who| RapanuiCards::resample(&game.view(who), &mut ChaCha8Rng::seed_from_u64(1));
    assert!([PUBLIC, viewer(0), viewer(1)].into_iter().all(|who| world(who).hidden[0] == Food::Mulberry));
}

/// If the player gained another fish in between, the face-down card may still be fish.
#[test]
fn a_card_that_was_gained_later_may_be_the_one_that_is_sacrificed_openly() {
    let mut game = table(
        "wood: 7 / 7
         hands: moai priest*2 / moai priest*2
         displays: fish / -
         columns: fish fish fish / _ / _ / _
         cards: fish mulberry / fish fish",
    );

    game.play("build moai, sacrifice fish, sacrifice fish, supply grain, draw 1");
    assert_eq!(game.held()[0], 2, "fish is scored");
    game.play("buy nothing, build moai, sacrifice fish");

    assert_eq!(may_have_laid(&game), ["fish", "mulberry"]);
}

#[test]
fn a_card_that_was_gained_later_was_not_laid() {
    let mut game = table(
        "wood: 7 / 0
         hands: moai priest*2 / _
         displays: grain / -
         columns: grain grain / _ / _ / _
         cards: fish mulberry / -",
    );

    game.play("build moai, sacrifice fish, supply grain, draw 1");

    assert_eq!(game.cards(0), "mulberry grain");
    assert_eq!(may_have_laid(&game), ["fish", "mulberry"]);
}
