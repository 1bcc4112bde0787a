//! Typed messages have exactly the content of views and event texts, and actions are read strictly.

use std::collections::BTreeSet;

use ahu_core::{
    Action as _, ActionId, ActionSet, ChanceRng, Event as _, Game, GameExt, RelativeSeat, Seat, Seats, Seed, Turn,
    Viewer, options,
};
use ahu_games::Wire;
use ahu_games::rappanui::cards::EventKind;
use ahu_games::rappanui::{Action, Event, RappaNui, View};
use ahu_messages::rappanui::v1::action::{Action as ActionOneof, Discard, Done, Meld, NoEvent, NoMeld, PlayEvent};
use ahu_messages::rappanui::v1::event::{self as to, Event as EventOneof};
use ahu_messages::rappanui::v1::{self, Card, CardType};
use prost::Message;
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

fn seats(count: usize) -> Seats {
    Seats::new(count).expect("1 to 6 seats")
}

fn seat(index: usize) -> Seat {
    Seat::new(index).expect("a seat from 0 to 5")
}

fn viewers(seats: Seats) -> impl Iterator<Item = Viewer> {
    seats.iter().map(Viewer::Seat).chain([Viewer::Public])
}

/// Returns the viewer's seat as messages number it.
fn number(viewer: Viewer) -> Option<u32> {
    match viewer {
        Viewer::Seat(seat) => Some(seat.index() as u32),
        Viewer::Public => None,
    }
}

fn actions() -> impl Iterator<Item = Action> {
    (0..Action::COUNT as u16).map(|id| Action::from_id(ActionId(id)).expect("every id is an action's"))
}

/// Returns each seat of each table.
fn places() -> impl Iterator<Item = (Seat, Seats)> {
    (2..=6).map(seats).flat_map(|seats| seats.iter().map(move |seat| (seat, seats)))
}

// Actions.

fn written(notation: &str) -> Card {
    Card { notation: notation.to_owned(), ..Card::default() }
}

fn typed(of: CardType, value: u32) -> Card {
    Card { r#type: of.into(), value, ..Card::default() }
}

fn full(of: CardType, value: u32, notation: &str) -> Card {
    Card { r#type: of.into(), value, notation: notation.to_owned() }
}

fn meld(card: impl Into<Option<Card>>) -> ActionOneof {
    ActionOneof::Meld(Meld { card: card.into() })
}

fn discard(card: impl Into<Option<Card>>) -> ActionOneof {
    ActionOneof::Discard(Discard { card: card.into() })
}

fn play(card: impl Into<Option<Card>>, left: u32, target_seat: impl Into<Option<u32>>) -> ActionOneof {
    ActionOneof::PlayEvent(PlayEvent { card: card.into(), left, target_seat: target_seat.into() })
}

/// Reads an action of seat 1 of 3.
fn read(oneof: ActionOneof) -> Result<String, String> {
    let message = v1::Action { action: Some(oneof) };
    RappaNui::read_action(&message, seat(1), seats(3)).map(|action| action.to_string())
}

#[test]
fn every_action_of_every_seat_is_read_as_it_is_written() {
    for (seat, seats) in places() {
        for action in actions() {
            let bytes = RappaNui::action(action, seat, seats).encode_to_vec();
            let message = v1::Action::decode(bytes.as_slice()).expect("these are the bytes of one");
            assert_eq!(RappaNui::read_action(&message, seat, seats), Ok(action), "{action}, seat {seat} of {seats}");
        }
    }
}

#[test]
fn an_action_says_what_its_text_says() {
    for action in actions() {
        let text = match RappaNui::action(action, seat(1), seats(3)).action.expect("it is one of them") {
            ActionOneof::NoEvent(NoEvent {}) => "no event".to_owned(),
            ActionOneof::PlayEvent(PlayEvent { card, left, .. }) => {
                format!("{} +{left}", notation(&card.expect("a card")))
            }
            ActionOneof::NoMeld(NoMeld {}) => "no meld".to_owned(),
            ActionOneof::Meld(Meld { card }) => format!("meld {}", notation(&card.expect("a card"))),
            ActionOneof::Done(Done {}) => "done".to_owned(),
            ActionOneof::Discard(Discard { card }) => format!("discard {}", notation(&card.expect("a card"))),
        };
        assert_eq!(text, action.to_string());
    }
}

#[test]
fn an_opponent_has_both_its_numbers_where_it_is_at_the_table() {
    let target = |left, index, count| {
        let action = Action::PlayEvent(EventKind::RAID, RelativeSeat::new(left).expect("0 to 4"));
        match RappaNui::action(action, seat(index), seats(count)).action {
            Some(ActionOneof::PlayEvent(oneof)) => (oneof.left, oneof.target_seat),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(target(0, 0, 2), (1, Some(1)));
    assert_eq!(target(0, 1, 2), (1, Some(0)));
    assert_eq!(target(1, 1, 2), (2, None));
    assert_eq!(target(1, 2, 4), (2, Some(0)));
    assert_eq!(target(4, 5, 6), (5, Some(4)));
    assert_eq!(target(4, 4, 5), (5, None));
}

#[test]
fn an_opponent_may_be_said_in_either_way() {
    for (seat, seats) in places() {
        for target in seats.others(seat) {
            let left = seats.steps_left(seat, target) as u32;
            let number = target.index() as u32;
            for (left, target) in [(left, None), (0, Some(number)), (left, Some(number))] {
                let message = v1::Action { action: Some(play(written("huri"), left, target)) };
                let action = RappaNui::read_action(&message, seat, seats).map(|action| action.to_string());
                assert_eq!(action, Ok(format!("huri +{}", seats.steps_left(seat, self::seat(number as usize)))));
            }
        }
    }
}

#[test]
fn a_card_may_be_said_in_either_way() {
    use CardType::{Disaster, Food, HuriMoai, People, Raid, Stone, Unspecified, Wood};
    for (card, expected) in [
        (written("F7"), "F7"),
        (written("f7"), "F7"),
        (written("Civil-War"), "civil-war"),
        (typed(Food, 1), "F1"),
        (typed(Wood, 7), "W7"),
        (typed(People, 12), "P12"),
        (typed(Stone, 10), "S10"),
        (typed(Raid, 0), "raid"),
        (typed(HuriMoai, 0), "huri"),
        (full(Food, 7, "F7"), "F7"),
        (full(Disaster, 0, "famine"), "famine"),
        (full(Food, 0, "F7"), "F7"),
        (full(Unspecified, 7, "F7"), "F7"),
    ] {
        assert_eq!(read(discard(card.clone())), Ok(format!("discard {expected}")), "{card:?}");
    }
}

#[test]
fn a_card_that_is_none_is_refused_with_what_would_be_right() {
    use CardType::{Disaster, Food, HuriMoai, Raid, Stone, Unspecified, Wood};
    let none = "expected a card, such as notation \"F7\", or type CARD_TYPE_FOOD and value 7";
    let unknown = |number| Card { r#type: number, ..written("F7") };
    for (card, reason) in [
        (None, none),
        (Some(Card::default()), none),
        (Some(typed(Unspecified, 7)), none),
        (
            Some(written("famin")),
            "expected a card, got \"famin\"; did you mean \"famine\"? (a card is F, W, P or S with a number from 1 to 12, \
             raid, huri, or a Disaster such as famine)",
        ),
        (
            Some(written("F7.1")),
            "expected a card, got \"F7.1\" (a card is F, W, P or S with a number from 1 to 12, raid, huri, or a Disaster \
             such as famine)",
        ),
        (Some(typed(Food, 0)), "expected a value from 1 to 12 for Food, got 0"),
        (Some(typed(Stone, 13)), "expected a value from 1 to 12 for Stone, got 13"),
        (Some(typed(Wood, 256 + 7)), "expected a value from 1 to 12 for Wood, got 263"),
        (Some(typed(Raid, 7)), "expected value 0 for the event raid, got 7"),
        (Some(typed(HuriMoai, 1)), "expected value 0 for the event huri, got 1"),
        (
            Some(typed(Disaster, 0)),
            "expected the notation of a Disaster, such as \"rebellion\": its type does not name it",
        ),
        (Some(unknown(8)), "expected a card type from 1 (CARD_TYPE_FOOD) to 7 (CARD_TYPE_DISASTER), got 8"),
        (Some(unknown(-1)), "expected a card type from 1 (CARD_TYPE_FOOD) to 7 (CARD_TYPE_DISASTER), got -1"),
        (Some(full(Wood, 7, "F7")), "expected type CARD_TYPE_FOOD for F7, got CARD_TYPE_WOOD"),
        (Some(full(Raid, 0, "famine")), "expected type CARD_TYPE_DISASTER for famine, got CARD_TYPE_RAID"),
        (Some(full(Food, 8, "F7")), "expected value 7 for F7, got 8"),
        (Some(full(Unspecified, 8, "F7")), "expected value 7 for F7, got 8"),
        (Some(full(Disaster, 3, "famine")), "expected value 0 for the event famine, got 3"),
    ] {
        for oneof in [meld(card.clone()), discard(card.clone()), play(card.clone(), 1, None)] {
            assert_eq!(read(oneof), Err(reason.to_owned()), "{card:?}");
        }
    }
}

#[test]
fn melds_have_resources_and_opponents_have_events() {
    assert_eq!(read(meld(written("S12"))), Ok("meld S12".to_owned()));
    assert_eq!(read(play(written("raid"), 2, None)), Ok("raid +2".to_owned()));

    assert_eq!(read(meld(written("raid"))), Err("expected a resource, but raid is an event".to_owned()));
    assert_eq!(
        read(play(written("F7"), 1, None)),
        Err("expected an event, but F7 is a resource; did you mean meld or discard?".to_owned())
    );
}

#[test]
fn an_opponent_that_is_none_is_refused_with_what_would_be_right() {
    for (left, target, reason) in [
        (0, None, "against whom? expected left from 1 (the left neighbour) to 2, or target_seat as one of 0, 2"),
        (6, None, "expected left from 1 (the left neighbour) to 5, got 6"),
        (u32::MAX, Some(0), "expected left from 1 (the left neighbour) to 5, got 4294967295"),
        (0, Some(1), "expected target_seat as one of 0, 2, got 1, the player's own seat"),
        (1, Some(1), "expected target_seat as one of 0, 2, got 1, the player's own seat"),
        (0, Some(3), "expected target_seat as one of 0, 2, got 3, which is not at the table"),
        (5, Some(u32::MAX), "expected target_seat as one of 0, 2, got 4294967295, which is not at the table"),
        (1, Some(0), "left 1 names seat 2, but target_seat names seat 0 (left 2)"),
        (3, Some(0), "left 3 names nobody, but target_seat names seat 0 (left 2)"),
    ] {
        assert_eq!(read(play(written("raid"), left, target)), Err(reason.to_owned()), "{left} {target:?}");
    }
}

#[test]
fn an_action_that_says_nothing_is_refused() {
    assert_eq!(
        RappaNui::read_action(&v1::Action::default(), seat(1), seats(3)),
        Err("expected one of no_event, play_event, no_meld, meld, done, discard, but none of them is set".to_owned())
    );
}

// Views and events.

/// Plays a random game, and calls `look` for every position with the events that led to it.
fn play_random(seats: Seats, given: &[(&str, &str)], seed: u64, mut look: impl FnMut(&RappaNui, &[Event])) {
    let options = options::read(seats.count(), given.iter().copied()).expect("these are options");
    let mut game = RappaNui::new(&options);
    let (mut chance, mut rng) = (ChanceRng::new(Seed(seed)), ChaCha8Rng::seed_from_u64(seed));
    let mut events = Vec::new();
    loop {
        look(&game, &events);
        events.clear();
        match game.turn() {
            Turn::Over => return,
            Turn::Chance => game.settle(&game.draw(&mut chance), &mut events),
            Turn::Seats(to_act) => {
                let seat = to_act.first().expect("somebody owes");
                let mut legal = ActionSet::of::<Action>();
                game.legal_actions(seat, &mut legal);
                let action = legal.actions().nth(rng.random_range(0..legal.len())).expect("it is below the count");
                game.play_checked(seat, action, &mut events).expect("it is legal");
            }
        }
    }
}

/// Plays games at all tables, some with options that change what is visible, and calls `look` for every position.
fn play_many(mut look: impl FnMut(&RappaNui, &[Event])) {
    let combined = [("combine_rule", "true"), ("reshuffle", "eager"), ("equal_turns", "true")];
    for count in 2..=6 {
        for seed in 0..2 {
            play_random(seats(count), &[], seed, &mut look);
            play_random(seats(count), &combined, seed, &mut look);
        }
    }
}

const DISASTERS: [&str; 12] = [
    "rebellion",
    "erosion",
    "fire",
    "disease",
    "famine",
    "civil-war",
    "deforestation",
    "extinction",
    "drought",
    "climate-change",
    "clan-war",
    "collapse",
];

/// Returns the notation of a card by its type and value; the notation of the message has to agree.
fn notation(card: &Card) -> String {
    let by_type = match card.r#type() {
        CardType::Unspecified => panic!("{card:?} is nothing"),
        CardType::Food => format!("F{}", card.value),
        CardType::Wood => format!("W{}", card.value),
        CardType::People => format!("P{}", card.value),
        CardType::Stone => format!("S{}", card.value),
        CardType::Raid => "raid".to_owned(),
        CardType::HuriMoai => "huri".to_owned(),
        CardType::Disaster => {
            let name = DISASTERS.iter().find(|name| **name == card.notation);
            (*name.unwrap_or_else(|| panic!("{card:?} is no Disaster"))).to_owned()
        }
    };
    assert_eq!(by_type, card.notation);
    assert!(card.value == 0 || card.r#type() < CardType::Raid, "{card:?}");
    by_type
}

/// Writes `F3 F7 F7 raid famine`.
fn line(cards: &[Card]) -> String {
    cards.iter().map(notation).collect::<Vec<_>>().join(" ")
}

/// Writes `F3 F7 F7 raid famine`, or `nothing`.
fn pile(cards: &[Card]) -> String {
    if cards.is_empty() { "nothing".to_owned() } else { line(cards) }
}

/// Writes the table for people from the message alone.
fn table(seen: &v1::Observation) -> String {
    let (phase, is_turn) = match seen.phase() {
        v1::Phase::Unspecified => panic!("no phase: {seen:?}"),
        v1::Phase::Setup => ("setup", false),
        v1::Phase::RapaNui => ("Rapa Nui Phase", true),
        v1::Phase::Conflict => ("Conflict Phase", true),
        v1::Phase::Moai => ("Moai Phase", true),
        v1::Phase::Decline => ("Decline Phase", true),
        v1::Phase::Over => ("the game is over", false),
    };
    let player = seen.player_seat.unwrap_or(0);
    let first = seen.first_seat.map(|first| format!("; seat {first} went first")).unwrap_or_default();
    let mut lines = vec![
        match (is_turn, seen.phase()) {
            (true, _) => format!("Rappa Nui: turn {}, seat {player}: {phase}{first}", seen.turn),
            (_, v1::Phase::Over) => format!("Rappa Nui: {phase} after turn {} of seat {player}{first}", seen.turn),
            _ => format!("Rappa Nui: {phase}{first}"),
        },
        format!(
            "deck {} (used up {} of 3 times), discard {}, eroded {}, hand limit {}",
            seen.deck_count,
            seen.passes,
            seen.discard_pile.len(),
            seen.erosion_pile.len(),
            seen.hand_limit
        ),
        "    seat  points  cards".to_owned(),
    ];
    for v1::Player { seat, points, hand_count, known_cards, exposed_cards } in &seen.players {
        let seat = seat.expect("a player has a seat");
        let mark = if seat == player && phase != "the game is over" { '>' } else { ' ' };
        let known = match (seen.viewer_seat == Some(seat), known_cards.is_empty()) {
            (true, _) => "  (you)".to_owned(),
            (false, true) => String::new(),
            (false, false) => format!("  has {}", line(known_cards)),
        };
        let exposed = (!exposed_cards.is_empty()).then(|| format!("  knows your {}", line(exposed_cards)));
        let exposed = exposed.unwrap_or_default();
        lines.push(format!("  {mark} {seat:<4}  {points:>6}  {hand_count:>5}{known}{exposed}"));
    }
    lines.extend(seen.viewer_seat.map(|_| format!("your hand: {}", pile(&seen.hand))));
    lines.extend((!seen.laid.is_empty()).then(|| format!("laid: {}", line(&seen.laid))));
    lines.push(format!("discarded: {}", pile(&seen.discard_pile)));
    lines.push(format!("eroded: {}", pile(&seen.erosion_pile)));
    let held = &seen.surely_held;
    let hands = if seen.viewer_seat.is_some() { "other hands" } else { "hands" };
    lines.extend((!held.is_empty()).then(|| format!("surely in {hands}: {}", pile(held))));
    if phase == "Decline Phase" {
        lines.push(format!("to discard: {} (in the order F, W, P, S, events)", seen.excess));
    } else {
        assert_eq!(seen.excess, 0);
    }
    lines.join("\n") + "\n"
}

/// Checks the facts that the text for people leaves out.
fn assert_rest(seen: &v1::Observation, view: &View) {
    let viewer = number(view.viewer);
    let in_play = seen.phase() != v1::Phase::Setup;
    assert_eq!(seen.viewer_seat, viewer);
    assert_eq!(seen.first_seat, in_play.then_some(view.table.first.index() as u32));
    assert_eq!(seen.player_seat, in_play.then_some(view.table.player.index() as u32));
    assert_eq!(seen.turn, u32::from(view.table.round));
    assert_eq!(line(&seen.hand), view.hand.to_string());
    assert_eq!(line(&seen.shuffled), view.table.shuffled.to_string());
    assert_eq!(seen.players.len(), view.table.options.seats.count());
    for (player, (seat, exposed)) in seen.players.iter().zip(view.exposed.iter()) {
        assert_eq!(player.seat, Some(seat.index() as u32));
        assert_eq!(line(&player.exposed_cards), exposed.to_string());
        let own = player.seat == seen.viewer_seat;
        assert!(!own || player.known_cards.is_empty() && player.exposed_cards.is_empty(), "{player:?}");
        assert!(viewer.is_some() || player.known_cards.is_empty() && player.exposed_cards.is_empty(), "{player:?}");
    }
}

#[test]
fn an_observation_says_what_the_view_knows() {
    let mut met = BTreeSet::new();
    play_many(|game, _| {
        for viewer in viewers(game.table.options.seats) {
            let view = game.view(viewer);
            let seen = RappaNui::observation(&view);
            // The table breaks long lines.
            let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
            // The cards that are seen of the deck follow from the deck of the data file: the compact text has them too.
            let text = view.to_string();
            let told = text.split_once("seen of this deck: ").map_or(&*text, |(told, _)| told);
            assert_eq!(words(&table(&seen)), words(told), "{viewer}");
            assert_rest(&seen, &view);

            met.insert(seen.phase().as_str_name());
            met.extend((!seen.laid.is_empty()).then_some("laid"));
            met.extend((!seen.surely_held.is_empty()).then_some("surely held"));
            met.extend((seen.shuffled.len() < 120).then_some("shuffled"));
            met.extend(seen.players.iter().any(|player| !player.known_cards.is_empty()).then_some("known"));
            met.extend(seen.players.iter().any(|player| !player.exposed_cards.is_empty()).then_some("exposed"));
        }
    });
    assert_eq!(met.len(), 6 + 5, "all came up: {met:?}");
}

/// Writes the cards of an event.
fn cards(told: Option<&to::Cards>) -> String {
    let to::Cards { count, cards } = told.expect("cards are always told of");
    assert!(cards.is_empty() || cards.len() == *count as usize, "{count} and {cards:?}");
    match (count, cards.is_empty()) {
        (0, _) => "nothing".to_owned(),
        (_, false) => line(cards),
        (1, true) => "a card".to_owned(),
        (count, true) => format!("{count} cards"),
    }
}

/// Writes `F7`, `famine`.
fn named(card: Option<&Card>) -> String {
    notation(card.expect("a card is always told of"))
}

fn moai_points(points: u32) -> String {
    format!("{points} Moai point{}", if points == 1 { "" } else { "s" })
}

/// Writes a seat that the event always names.
fn of(seat: Option<u32>) -> String {
    format!("seat {}", seat.expect("a seat is always told of"))
}

fn dealt(oneof: &to::Dealt) -> String {
    assert!(oneof.hands.iter().all(|hand| hand.count == 6), "{oneof:?}");
    let hands = oneof.hands.iter().enumerate().filter(|(_, hand)| !hand.cards.is_empty());
    let hands = hands.map(|(seat, hand)| format!("; seat {seat} has {}", cards(Some(hand))));
    format!("the cards are dealt, {} goes first{}", of(oneof.first_seat), hands.collect::<String>())
}

fn ended(points: &[u32]) -> String {
    let each = points.iter().enumerate().map(|(seat, points)| format!("seat {seat} has {points}"));
    format!("the game is over: {}", each.collect::<Vec<_>>().join(", "))
}

/// Writes the text of an event from its message alone.
fn sentence(oneof: &EventOneof) -> String {
    match oneof {
        EventOneof::Dealt(oneof) => dealt(oneof),
        EventOneof::TurnBegan(oneof) => format!("--- turn {}: {} ---", oneof.turn, of(oneof.seat)),
        EventOneof::Drew(oneof) => format!("{} draws {}", of(oneof.seat), cards(oneof.cards.as_ref())),
        EventOneof::PassEnded(oneof) if oneof.passes == 3 => "the deck is used up for the last time".to_owned(),
        EventOneof::PassEnded(oneof) => {
            format!("the deck is used up, {} of 3: the hand limit is now {}", oneof.passes, 10 - 2 * oneof.passes)
        }
        EventOneof::Reshuffled(oneof) => format!("the discard pile becomes the deck, {} cards", oneof.deck_count),
        EventOneof::NoEventPlayed(oneof) => format!("{} plays no event", of(oneof.seat)),
        EventOneof::EventPlayed(oneof) => {
            format!("{} plays {} against {}", of(oneof.seat), named(oneof.card.as_ref()), of(oneof.target_seat))
        }
        EventOneof::Stolen(oneof) => {
            let (thief, victim) = (of(oneof.thief_seat), of(oneof.victim_seat));
            format!("{thief} steals {} from {victim}", cards(oneof.cards.as_ref()))
        }
        EventOneof::Lost(oneof) => format!("{} loses {}", of(oneof.seat), cards(oneof.cards.as_ref())),
        EventOneof::Toppled(oneof) => format!("{} loses {}", of(oneof.seat), moai_points(oneof.points)),
        EventOneof::NothingToTake(oneof) => format!("{} has no card to lose", of(oneof.seat)),
        EventOneof::NoMeldPlayed(oneof) => format!("{} plays no meld", of(oneof.seat)),
        EventOneof::Laid(oneof) => format!("{} lays {}", of(oneof.seat), named(oneof.card.as_ref())),
        EventOneof::Melded(oneof) => format!(
            "{} gains {}; eroded: {}; discarded: {}",
            of(oneof.seat),
            moai_points(oneof.points),
            cards(oneof.eroded.as_ref()),
            cards(oneof.discarded.as_ref())
        ),
        EventOneof::Discarded(oneof) => format!("{} discards {}", of(oneof.seat), named(oneof.card.as_ref())),
        EventOneof::Ended(oneof) => ended(&oneof.points),
    }
}

/// Returns the cards of an event that only some seats may know, with these seats.
fn secrets(oneof: &EventOneof) -> Vec<(Vec<Option<u32>>, &to::Cards)> {
    match oneof {
        EventOneof::Dealt(oneof) => oneof.hands.iter().zip(0..).map(|(hand, seat)| (vec![Some(seat)], hand)).collect(),
        EventOneof::Drew(oneof) => oneof.cards.iter().map(|drawn| (vec![oneof.seat], drawn)).collect(),
        EventOneof::Stolen(oneof) => {
            oneof.cards.iter().map(|stolen| (vec![oneof.thief_seat, oneof.victim_seat], stolen)).collect()
        }
        EventOneof::TurnBegan(_)
        | EventOneof::PassEnded(_)
        | EventOneof::Reshuffled(_)
        | EventOneof::NoEventPlayed(_)
        | EventOneof::EventPlayed(_)
        | EventOneof::Lost(_)
        | EventOneof::Toppled(_)
        | EventOneof::NothingToTake(_)
        | EventOneof::NoMeldPlayed(_)
        | EventOneof::Laid(_)
        | EventOneof::Melded(_)
        | EventOneof::Discarded(_)
        | EventOneof::Ended(_) => Vec::new(),
    }
}

#[test]
fn an_events_message_says_what_its_sentence_says() {
    let mut met = BTreeSet::new();
    // A rare event, which may not happen in a few games.
    let nothing_to_take = Event::NothingToTake { seat: seat(1) };
    play_many(|game, events| {
        let events = events.iter().chain([&nothing_to_take]);
        for (event, viewer) in events.flat_map(|event| viewers(game.table.options.seats).map(move |who| (event, who))) {
            let seen = event.visible_to(viewer).expect("all are told of all");
            let oneof = RappaNui::event(&seen).event.expect("it is one of them");
            assert_eq!(sentence(&oneof), seen.to_string(), "{viewer}");
            for (knowing, cards) in secrets(&oneof) {
                let may_know = number(viewer).is_some_and(|seat| knowing.contains(&Some(seat)));
                assert_eq!(cards.cards.len(), if may_know { cards.count as usize } else { 0 }, "{viewer}: {oneof:?}");
            }
            met.insert(format!("{oneof:?}").split('(').next().expect("a first part").to_owned());
        }
    });
    assert_eq!(met.len(), 16, "all came up: {met:?}");
}
