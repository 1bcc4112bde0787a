//! The secrets of Rappa Nui, from the rules alone: hands and the deck (B18), the card that a Raid took (B9), and the
//! copies of equal cards.

use ahu_core::GameExt as _;
use std::collections::{BTreeMap, BTreeSet};

use ahu_core::{ActionSet, BySeat, ChanceRng, Game as _, NoEvents, Numbered as _, Seat, Seed, Viewer};
use ahu_games::rappanui::cards::{Card, CardSet, Kind, ResourceKind, Suit};
use ahu_games::rappanui::{Action, Outcome, Phase, RappaNui, Table};
use rand::rngs::ChaCha8Rng;
use rand::seq::SliceRandom;
use rand::{Rng, RngExt, SeedableRng};

use super::{PUBLIC, table, viewer};
use ahu_laws::{Ply, Secrets};

impl Secrets<crate::Own> for RappaNui {
    const LENGTH: u64 = 2;

    fn shuffle_secrets(
        &self,
        viewer: Viewer,
        next: Option<&Ply<Self>>,
        rng: &mut dyn Rng,
    ) -> (Self, Option<Ply<Self>>) {
        let shown = match next {
            Some(Ply::Outcome(outcome)) => cards_shown(self, outcome, viewer),
            Some(Ply::Action(..)) | None => CardSet::EMPTY,
        };
        let mut game = self.clone();
        swap_unseen_cards(&mut game, viewer, next, shown, rng);
        swap_equal_cards(&mut game, shown, rng);
        choose_what_is_known(&mut game, viewer, rng);
        let next = next.map(|next| match next {
            Ply::Outcome(outcome) => Ply::Outcome(another(&game, outcome, viewer, rng)),
            Ply::Action(..) => next.clone(),
        });
        (game, next)
    }

    fn assert_invariants(&self) {
        let Table { discard, eroded, shuffled, passes, .. } = self.table;
        let deck = self.deck;
        let laid = laid(self);
        let mut seen = 0;
        for cards in [deck, discard, eroded, laid].iter().chain(self.hands.values()) {
            assert_eq!(seen & cards.bits(), 0, "cards in two places: {cards}");
            seen |= cards.bits();
        }
        assert_eq!(seen.count_ones(), 120);

        assert!(eroded.iter().all(|card| card.kind().as_resource().is_some()), "an event eroded: {eroded}");
        assert!(
            Kind::all().all(|kind| deck.count(kind) <= shuffled.count(kind)),
            "cards in the deck that were not shuffled: {deck}"
        );
        assert!(
            self.hands.values().iter().all(|hand| hand.len() <= 14),
            "a hand has at most 10 cards and 4 drawn ones"
        );
        assert!(passes <= 3);
        self.check_invariants().expect("the game's own check agrees");
    }
}

fn laid(game: &RappaNui) -> CardSet {
    match game.table.phase {
        Phase::Meld { laid } => laid,
        _ => CardSet::EMPTY,
    }
}

/// Returns the cards of an outcome that the viewer is shown. A shuffle must leave these cards in the places from which the
/// outcome takes them.
fn cards_shown(game: &RappaNui, outcome: &Outcome, viewer: Viewer) -> CardSet {
    match (*outcome, game.table.phase) {
        (Outcome::Draw(cards), _) if viewer.is(game.table.player) => cards,
        (Outcome::Steal(card), Phase::Steal { victim }) if viewer.is(game.table.player) || viewer.is(victim) => {
            card.into()
        }
        (Outcome::Lose(cards), _) => cards,
        (Outcome::Deal { .. } | Outcome::Draw(_) | Outcome::Steal(_), _) => CardSet::EMPTY,
    }
}

/// Returns an outcome that the viewer cannot tell from `outcome`: other cards are dealt to, drawn by, or stolen from other
/// players.
fn another(game: &RappaNui, outcome: &Outcome, viewer: Viewer, rng: &mut dyn Rng) -> Outcome {
    let seats = game.table.options.seats;
    if let Outcome::Deal { first, hands } = *outcome {
        let own = seats.iter().find(|&seat| viewer.is(seat)).map_or(CardSet::EMPTY, |own| hands[own]);
        let mut rest: Vec<Card> = (CardSet::ALL - own).iter().collect();
        rest.shuffle(rng);
        let mut rest = rest.chunks(6);
        let mut deal =
            |seat| if viewer.is(seat) { Some(own) } else { rest.next().map(|six| six.iter().copied().collect()) };
        return Outcome::Deal { first, hands: BySeat::from_fn(seats, |seat| deal(seat).expect("120 cards suffice")) };
    }
    match cards_shown(game, outcome, viewer).is_empty() {
        true => game.draw(&mut ChanceRng::new(Seed(rng.random_range(0..u64::MAX)))),
        false => *outcome,
    }
}

/// A place with cards that the viewer cannot see.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    Deck,
    Hand(Seat),
}

fn cards_in(game: &mut RappaNui, place: Place) -> &mut CardSet {
    match place {
        Place::Deck => &mut game.deck,
        Place::Hand(seat) => &mut game.hands[seat],
    }
}

/// Swaps cards in the deck and in other hands at random, except cards that the viewer knows. Reverses a swap that the viewer
/// could notice.
fn swap_unseen_cards(
    game: &mut RappaNui,
    viewer: Viewer,
    next: Option<&Ply<RappaNui>>,
    shown: CardSet,
    rng: &mut dyn Rng,
) {
    let seats = game.table.options.seats;
    let known = seats.iter().find(|&seat| viewer.is(seat)).map_or(CardSet::EMPTY, |own| game.known[own]);
    let fixed = known | shown;
    let others = seats.iter().filter(|&seat| !viewer.is(seat)).map(Place::Hand);
    let mut unseen: Vec<(Place, Card)> = [Place::Deck]
        .into_iter()
        .chain(others)
        .flat_map(|place| (*cards_in(game, place) - fixed).iter().map(move |card| (place, card)))
        .collect();

    for n in 0..unseen.len() {
        let m = rng.random_range(0..unseen.len());
        let ((here, one), (there, other)) = (unseen[n], unseen[m]);
        if here == there {
            continue;
        }
        exchange(game, (here, one), (there, other));
        if was_shuffled(game, one.kind()) && was_shuffled(game, other.kind()) && can_go_on(game, next) {
            (unseen[n].1, unseen[m].1) = (other, one);
        } else {
            exchange(game, (here, other), (there, one));
        }
    }
}

fn exchange(game: &mut RappaNui, (here, one): (Place, Card), (there, other): (Place, Card)) {
    *cards_in(game, here) -= one.into();
    *cards_in(game, there) -= other.into();
    *cards_in(game, here) |= other.into();
    *cards_in(game, there) |= one.into();
}

/// Returns true if the deck has no more cards of a kind than its last shuffle: all players saw the shuffled cards.
fn was_shuffled(game: &RappaNui, kind: Kind) -> bool {
    game.deck.count(kind) <= game.table.shuffled.count(kind)
}

/// Returns true if the player holds the card of the next action and can finish the current meld or discards: suit by
/// suit, or in the order of the kinds. All viewers know that much.
fn can_go_on(game: &RappaNui, next: Option<&Ply<RappaNui>>) -> bool {
    let hand = game.hands[game.table.player];
    let action = match next {
        Some(Ply::Action(_, action)) => Some(*action),
        Some(Ply::Outcome(_)) | None => None,
    };
    let has = |suit: Suit| hand.at_least_one().meets(suit.kinds());
    let has_all_after = |suit| Suit::ALL.into_iter().filter(|&later| later > suit).all(has);
    let has_enough_from = |first, count| hand.iter().filter(|card| card.kind().index() >= first).count() >= count;
    match (game.table.phase, action) {
        (Phase::Conflict, Some(Action::PlayEvent(event, _))) => hand.count(Kind::Event(event)) > 0,
        (Phase::Meld { .. }, Some(Action::Meld(kind))) => {
            hand.count(Kind::Resource(kind)) > 0 && has_all_after(kind.suit())
        }
        (Phase::Meld { laid }, _) => {
            let last = laid.iter().filter_map(|card| card.kind().as_resource()).map(ResourceKind::suit).max();
            last.is_none_or(has_all_after)
        }
        (Phase::Decline { excess, .. }, Some(Action::Discard(kind))) => {
            hand.count(kind) > 0 && has_enough_from(kind.index(), excess.into())
        }
        (Phase::Decline { excess, from }, _) => has_enough_from(from.into(), excess.into()),
        _ => true,
    }
}

/// Swaps equal cards, which nobody can tell apart, except cards that the outcome names.
fn swap_equal_cards(game: &mut RappaNui, named: CardSet, rng: &mut dyn Rng) {
    let before: Vec<Card> = (CardSet::ALL - named).iter().collect();
    let mut after = before.clone();
    after.chunk_by_mut(|one, other| one.kind() == other.kind()).for_each(|equal| equal.shuffle(rng));
    let swap = |cards: &mut CardSet| {
        let moved = before.iter().zip(&after).filter(|(before, _)| cards.contains(**before)).map(|(_, after)| *after);
        *cards = moved.collect::<CardSet>() | (*cards & named);
    };

    let Table { phase, discard, eroded, .. } = &mut game.table;
    [&mut game.deck, discard, eroded].into_iter().for_each(swap);
    if let Phase::Meld { laid } = phase {
        swap(laid);
    }
    for seat in game.table.options.seats.iter() {
        swap(&mut game.hands[seat]);
        swap(&mut game.known[seat]);
    }
}

/// Changes the knowledge of players. The knowledge of others about third hands may be anything. The viewer knows its own
/// knowledge, and the knowledge of others about its hand. Any of several equal cards in a hand may be the known card.
fn choose_what_is_known(game: &mut RappaNui, viewer: Viewer, rng: &mut dyn Rng) {
    let seats = game.table.options.seats;
    for seat in seats.iter() {
        let before = std::mem::take(&mut game.known[seat]);
        for other in seats.others(seat) {
            let hand = game.hands[other];
            game.known[seat] |= match viewer.is(seat) || viewer.is(other) {
                true => some_alike(hand, before & hand, rng),
                false => hand.iter().filter(|_| rng.random_range(0..8) == 0).collect(),
            };
        }
    }
}

/// Returns cards of a hand, as many of each kind as `wanted` has.
fn some_alike(hand: CardSet, wanted: CardSet, rng: &mut dyn Rng) -> CardSet {
    let mut cards: Vec<Card> = hand.iter().filter(|card| wanted.count(card.kind()) > 0).collect();
    cards.shuffle(rng);
    cards.into_iter().fold(CardSet::EMPTY, |picked, card| {
        if picked.count(card.kind()) < wanted.count(card.kind()) { picked.with(card) } else { picked }
    })
}

/// Returns, for each place in many games, the kinds of cards found there: the deck, the hands of the seats 0 to 2,
/// and the parts of hands that others know.
fn found(games: impl Iterator<Item = RappaNui>) -> BTreeMap<String, String> {
    let mut places = BTreeMap::<String, BTreeSet<String>>::new();
    for game in games {
        let mut find = |place: String, cards: CardSet| {
            places.entry(place).or_default().extend(cards.iter().map(|card| card.kind().to_string()));
        };
        find("deck".to_owned(), game.deck);
        for (seat, hand) in game.hands.iter() {
            find(format!("hand of {seat}"), hand);
            game.known.iter().for_each(|(knower, known)| find(format!("of {seat} known to {knower}"), known & hand));
        }
    }
    places.into_iter().map(|(place, kinds)| (place, kinds.into_iter().collect::<Vec<_>>().join(" "))).collect()
}

/// Returns a game in which seat 0 has drawn S1 to S4, the last three cards of a deck and the first one of the next,
/// and has stolen F7 from seat 1.
fn after_a_shuffle_and_a_raid() -> RappaNui {
    let mut game = table(
        "hands: raid F1 / F7 W3 / P1 P2
         deck: S1 S2 S3
         discard: S4 S5 S6 S7",
    );
    game.play("draw S1 S2 S3 S4, raid +1, steal F7");
    game.game
}

/// The leak law depends on this shuffle: each secret of a viewer appears in every place that it could be in, and
/// nothing else moves.
#[test]
fn what_a_viewer_cannot_know_turns_up_wherever_it_could_be() {
    let game = after_a_shuffle_and_a_raid();
    let mut rng = ChaCha8Rng::seed_from_u64(1);

    let found = found((0..1_000).map(|_| game.shuffle_secrets(viewer(1), None, &mut rng).0));

    assert_eq!(found["deck"], "S4 S5 S6 S7", "the players saw exactly these cards shuffled");
    assert_eq!(found["hand of 0"], "F1 F7 P1 P2 S1 S2 S3 S4 S5 S6 S7");
    assert_eq!(found["hand of 1"], "W3");
    assert_eq!(found["hand of 2"], "F1 P1 P2 S1 S2 S3 S4 S5 S6 S7");
    assert_eq!((found["of 0 known to 1"].as_str(), found["of 2 known to 1"].as_str()), ("F7", ""));
    assert_eq!((found["of 1 known to 0"].as_str(), found["of 1 known to 2"].as_str()), ("", ""));
    assert_eq!(found["of 0 known to 2"], found["hand of 0"]);
    assert_eq!(found["of 2 known to 0"], found["hand of 2"]);
}

/// Resampling deals everything that is possible, and nothing else. A resampled player knows nothing of third hands.
#[test]
fn a_resampled_game_is_any_that_the_viewer_could_be_in() {
    let game = after_a_shuffle_and_a_raid();
    let mut rng = ChaCha8Rng::seed_from_u64(1);

    let victim = found((0..1_000).map(|_| RappaNui::resample(&game.view(viewer(1)), &mut rng)));
    let thief = found((0..1_000).map(|_| RappaNui::resample(&game.view(viewer(0)), &mut rng)));

    assert_eq!(victim["deck"], "S4 S5 S6 S7");
    assert_eq!(victim["hand of 0"], "F1 F7 P1 P2 S1 S2 S3 S4 S5 S6 S7");
    assert_eq!(victim["hand of 1"], "W3");
    assert_eq!(victim["hand of 2"], "F1 P1 P2 S1 S2 S3 S4 S5 S6 S7");
    assert_eq!((victim["of 0 known to 1"].as_str(), victim["of 0 known to 2"].as_str()), ("F7", ""));
    assert_eq!(thief["deck"], "S5 S6 S7", "the thief holds S4, so the other three are the deck");
    assert_eq!(thief["hand of 0"], "F1 F7 S1 S2 S3 S4");
    assert_eq!((thief["hand of 1"].as_str(), thief["hand of 2"].as_str()), ("P1 P2 W3", "P1 P2 W3"));
    assert_eq!(thief["of 0 known to 1"], "F7");
}

/// All viewers know that a player who has begun a meld, or to discard, can finish it.
#[test]
fn who_has_begun_can_finish_in_a_resampled_game() {
    for (text, plies, left) in [
        ("phase: meld\nhands: F3 W5 P7 S9 / -", "meld F3, meld W5", 2),
        ("combine_rule: true\nphase: meld\nhands: F3 F4 W5 P7 S9 / -", "meld F3", 3),
        ("phase: meld\npasses: 1\nhands: F1 F2 F3 F4 F5 F6 W7 P8 S9 S10 / -", "no meld, discard S9", 1),
    ] {
        let mut game = table(text);
        game.play(plies);
        let mut rng = ChaCha8Rng::seed_from_u64(1);

        for _ in 0..200 {
            let mut world = RappaNui::resample(&game.view(PUBLIC), &mut rng);
            for _ in 0..left {
                let mut legal = ActionSet::of::<Action>();
                world.legal_actions(world.table.player, &mut legal);
                let action =
                    legal.actions().next().unwrap_or_else(|| panic!("no legal action after {plies}: {world:?}"));
                world.apply(world.table.player, action, &mut NoEvents);
            }
        }
    }
}
