//! The secrets of the card game, from the rules alone: the foods of the face-down cards on the stone, and therefore the
//! sacrifice cards that their players still have. Hands are not secret (A21).

use ahu_core::{Event as _, Game as _, GameExt as _, Seat, Viewer};
use ahu_games::rapanui_cards::cards::{Food, Foods, Kind, KindCounts};
use ahu_games::rapanui_cards::{Action, Event, Phase, Pile, RapanuiCards};
use rand::rngs::ChaCha8Rng;
use rand::{Rng, RngExt, SeedableRng};

use super::{DECK, SACRIFICE_CARDS, play_through, table, viewer};
use ahu_laws::laws::{some_options, tables};
use ahu_laws::{Ply, Secrets};

impl Secrets<crate::Own> for RapanuiCards {
    fn shuffle_secrets(
        &self,
        viewer: Viewer,
        next: Option<&Ply<Self>>,
        rng: &mut dyn Rng,
    ) -> (Self, Option<Ply<Self>>) {
        let mut game = self.clone();
        if self.table.phase == Phase::Over || ends(self) {
            return (game, next.cloned());
        }
        let others: Vec<Seat> = self.table.options.seats.iter().filter(|&seat| !viewer.is(seat)).collect();
        for &seat in &others {
            let shown = match next {
                Some(&Ply::Action(who, Action::Sacrifice(food))) if who == seat && who != self.table.active => {
                    Some(food)
                }
                _ => None,
            };
            lay_others(&mut game, seat, shown, rng);
        }
        let next = next.map(|next| match *next {
            Ply::Action(who, Action::Sacrifice(_)) if who == self.table.active && others.contains(&who) => {
                Ply::Action(who, Action::Sacrifice(any_of(held(&game, who), rng)))
            }
            _ => next.clone(),
        });
        (game, next)
    }

    fn assert_invariants(&self) {
        let table = &self.table;
        let seats = table.options.seats.count();
        let count = |kind: Kind| {
            let at = |kinds: &KindCounts| usize::from(kinds[kind]);
            let open = table.columns.iter().flat_map(Pile::cards).filter(|&&card| card == Some(kind)).count();
            let villages: usize =
                table.villages.values().iter().map(|village| at(&village.hand) + at(&village.display)).sum();
            let boxed = if kind == Kind::Moai { table.boxed.into() } else { 0 };
            open + villages + at(&table.unseen) + boxed
        };
        let has_start_cards = table.villages.values().iter().filter(|village| village.colour.is_some()).count();
        assert!([0, seats].contains(&has_start_cards), "all seats have start cards, or none");
        let counts: Vec<usize> = Kind::ALL.into_iter().map(count).collect();
        assert_eq!(counts.iter().sum::<usize>(), 50 + 4 * has_start_cards, "{counts:?}");
        for ((name, deck), (&count, kind)) in DECK.iter().zip(counts.iter().zip(Kind::ALL)) {
            assert_eq!(*name, kind.to_string());
            let more = count - deck;
            match kind {
                Kind::Fish | Kind::Mulberry | Kind::SweetPotato | Kind::Grain => {
                    assert!(more <= has_start_cards, "{count} of {name}");
                }
                Kind::Lumberjack => assert_eq!(more, has_start_cards),
                Kind::Priest | Kind::Moai => assert_eq!(more, 0, "{count} of {name}"),
            }
        }
        let buried = table.columns.iter().flat_map(Pile::cards).filter(|card| card.is_none()).count();
        assert_eq!(usize::from(table.unseen.total()), usize::from(table.stack) + buried);
        if table.turn > 0 {
            let drawing =
                !matches!(table.phase, Phase::Buy | Phase::Play | Phase::Payout(_) | Phase::Substitute { .. });
            for (seat, village) in table.villages.iter() {
                let hand = village.hand.total();
                assert!(hand == 3 || (drawing && seat == table.active && hand < 3), "seat {seat} has {hand} cards");
            }
            let empty = table.columns.iter().filter(|pile| pile.len == 0).count();
            assert_eq!(
                empty > 0,
                matches!(table.phase, Phase::Uncover(column) if table.columns[column.index()].len == 0)
            );
        }

        for food in Food::ALL {
            let hidden = self.hidden[..table.stone.face_down_count.into()].iter().filter(|&&card| card == food).count();
            let in_hand: usize = table.options.seats.iter().map(|seat| usize::from(held(self, seat)[food])).sum();
            let all = usize::from(table.stock[food]) + usize::from(table.stone.open[food]) + hidden + in_hand;
            assert_eq!(all, usize::from(SACRIFICE_CARDS), "{food}");
        }
        for (seat, village) in table.villages.iter() {
            assert_eq!(held(self, seat).total(), village.held, "seat {seat}");
        }
        self.check_invariants().expect("the game's own check agrees");
    }
}

/// Returns true if the outcome that is due uses up the stack, so that the game ends and reveals everything.
fn ends(game: &RapanuiCards) -> bool {
    matches!(game.table.phase, Phase::Uncover(column) if game.table.columns[column.index()].len == 0)
        && game.table.stack <= 4
}

/// Returns the places of the cards that a player laid face down.
pub(super) fn places(game: &RapanuiCards, seat: Seat) -> Vec<usize> {
    let hidden = &game.table.stone.face_down[..game.table.stone.face_down_count.into()];
    (0..hidden.len()).filter(|&place| hidden[place].seat == seat).collect()
}

/// Returns the sacrifice cards that a player still has.
fn held(game: &RapanuiCards, seat: Seat) -> Foods {
    let mut cards = game.table.villages[seat].accounted;
    for place in places(game, seat) {
        cards[game.hidden[place]] -= 1;
    }
    cards
}

/// Replaces a player's face-down cards by other cards that the player could have laid. The next face-up sacrifice stays
/// possible.
fn lay_others(game: &mut RapanuiCards, seat: Seat, shown: Option<Food>, rng: &mut dyn Rng) {
    let mut laid = Foods::EMPTY;
    for place in places(game, seat) {
        let mut at_most_so_far = game.table.stone.face_down[place].at_most_so_far;
        if let Some(food) = shown {
            at_most_so_far[food] = at_most_so_far[food].min(game.table.villages[seat].accounted[food] - 1);
        }
        let possible = Foods::of(Food::ALL.map(|food| at_most_so_far[food] - laid[food]));
        game.hidden[place] = any_of(possible, rng);
        laid[game.hidden[place]] += 1;
    }
}

/// Returns a random food with a card, each food equally likely.
fn any_of(cards: Foods, rng: &mut dyn Rng) -> Food {
    let foods: Vec<Food> = Food::ALL.into_iter().filter(|&food| cards[food] > 0).collect();
    foods[rng.random_range(0..foods.len())]
}

/// A21: every hand follows from public facts: the start cards, draws, plays, and Moai out of the game. So every view has
/// all hands, and resampling reproduces them exactly.
#[test]
fn a_hand_is_no_secret() {
    for seats in tables::<RapanuiCards>() {
        for seed in 0..20 {
            let options = some_options::<RapanuiCards>(seats, seed);
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            let mut worlds = ChaCha8Rng::seed_from_u64(seed);
            let mut hands = vec![[0_u8; 7]; seats.count()];
            let place = |kind: Kind| Kind::ALL.iter().position(|&other| other == kind).expect("one of seven");
            play_through(
                &options,
                seed,
                |_, legal| legal[rng.random_range(0..legal.len())],
                |game, events| {
                    for event in events.iter().filter_map(|event| event.visible_to(Viewer::Public)) {
                        match event {
                            Event::StartCards { colours } => {
                                for (seat, colour) in colours.iter() {
                                    let lacking = options.lacking_food(colour);
                                    let foods = Food::ALL.into_iter().filter(|&food| food != lacking);
                                    foods.for_each(|food| hands[seat.index()][food as usize] += 1);
                                }
                            }
                            Event::Drew { seat, kind, .. } => hands[seat.index()][place(kind)] += 1,
                            Event::Played { seat, kind, count, .. } => hands[seat.index()][place(kind)] -= count,
                            Event::Boxed { seat } => hands[seat.index()][place(Kind::Moai)] -= 1,
                            _ => {}
                        }
                    }
                    for (seat, village) in game.table.villages.iter() {
                        assert_eq!(village.hand.as_slice(), hands[seat.index()], "seat {seat}, seed {seed}");
                    }
                    let world = RapanuiCards::resample(&game.view(viewer(0)), &mut worlds);
                    assert_eq!(world.table, game.table, "seed {seed}");
                },
            );
        }
    }
}

/// The leak law depends on this shuffle: each secret of a viewer takes every possible value, and nothing else
/// changes.
#[test]
fn what_a_viewer_cannot_know_is_moved_about() {
    let game = table("cards: fish / grain / -\nface_down: 0 mulberry, 1 grain, 0 mulberry").game;
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut found = |viewer| {
        let mut worlds: Vec<String> = (0..500)
            .map(|_| {
                let (world, _) = game.shuffle_secrets(viewer, None, &mut rng);
                world.hidden[..3].iter().map(Food::to_string).collect::<Vec<_>>().join(" ")
            })
            .collect();
        worlds.sort_unstable();
        worlds.dedup();
        worlds
    };

    let seat_0 = ["fish grain mulberry", "mulberry grain fish", "mulberry grain mulberry"];
    assert_eq!(found(Viewer::Public), seat_0, "seat 1 had only grain");
    assert_eq!(found(viewer(1)), seat_0);
    assert_eq!(found(viewer(0)), ["mulberry grain mulberry"], "the viewer knows its own cards");
}
