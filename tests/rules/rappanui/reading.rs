//! A reader of the compact text.

use ahu_games::Wire as _;
use ahu_games::rappanui::RappaNui;
use ahu_messages::rappanui::v1::{Card, CardType, Deck, Observation, Phase, Player};
use prost::Message as _;

use crate::reading::{between, law_of_reading, law_of_telling, line, number, numbers};

#[test]
fn texts_for_people_differ_wherever_messages_do() {
    assert!(law_of_telling::<RappaNui, _>(16) > 1_000);
}

#[test]
fn the_compact_text_has_every_fact_of_the_message() {
    let file = RappaNui::data_files().remove(0);
    let deck = Deck::decode(&*file.content.value).expect("it is a deck");
    assert!(law_of_reading::<RappaNui, _>(6, |_, text| read(&deck, text)) > 1_000);
}

fn card(notation: &str) -> Card {
    let (kind, value) = match notation.split_at(1) {
        ("F", value) => (CardType::Food, number(value)),
        ("W", value) => (CardType::Wood, number(value)),
        ("P", value) => (CardType::People, number(value)),
        ("S", value) => (CardType::Stone, number(value)),
        _ if notation == "raid" => (CardType::Raid, 0),
        _ if notation == "huri" => (CardType::HuriMoai, 0),
        _ => (CardType::Disaster, 0),
    };
    Card { r#type: kind.into(), value, notation: notation.to_owned() }
}

fn cards(text: &str) -> Vec<Card> {
    text.split_whitespace().filter(|&word| word != "nothing").map(card).collect()
}

/// Reads a pile, such as `F346T P25 raid*3`.
fn pile(text: &str) -> Vec<Card> {
    let mut cards = Vec::new();
    for word in text.split_whitespace().filter(|&word| word != "none") {
        if word.starts_with(['F', 'W', 'P', 'S']) {
            for sign in word[1..].chars() {
                let value = match sign {
                    'T' => 10,
                    'J' => 11,
                    'Q' => 12,
                    digit => digit.to_digit(10).expect("a digit"),
                };
                cards.push(card(&format!("{}{value}", &word[..1])));
            }
        } else {
            let (name, count) = word.split_once('*').unwrap_or((word, "1"));
            cards.extend((0..number(count)).map(|_| card(name)));
        }
    }
    cards
}

/// Returns the first cards without the others, of which each takes one away.
fn without(mut cards: Vec<Card>, others: &[Card]) -> Vec<Card> {
    for other in others {
        let at = cards.iter().position(|card| card == other).expect("it is among them");
        cards.remove(at);
    }
    cards
}

fn read(deck: &Deck, text: &str) -> Observation {
    let head = text.lines().next().expect("a line");
    let last = line(text, "the last turn was ").unwrap_or(head);
    let phase = [
        ("Rapa Nui Phase", Phase::RapaNui),
        ("Conflict Phase", Phase::Conflict),
        ("Moai Phase", Phase::Moai),
        ("Decline Phase", Phase::Decline),
        ("the game is over", Phase::Over),
        ("setup", Phase::Setup),
    ];
    let phase = phase.into_iter().find(|(name, _)| head.ends_with(name)).expect("a phase").1;
    let own = line(text, "you are seat ").and_then(|own| own.split_once("; hand "));
    let (_, state) = text.split_once("\ndeck ").expect("the deck");
    let points = numbers(line(text, "points ").and_then(|all| all.split_once("; cards ")).expect("points").0);
    let counts = numbers(between(text, "; cards ", "\n").expect("cards"));
    let players = points.iter().zip(counts).enumerate().map(|(seat, (&points, hand_count))| Player {
        seat: Some(seat as u32),
        points,
        hand_count,
        known_cards: line(text, &format!("seat {seat} has ")).map(cards).unwrap_or_default(),
        exposed_cards: between(text, &format!("seat {seat} knows "), " in your hand").map(cards).unwrap_or_default(),
    });
    let (hand, laid) = (own.map(|own| cards(own.1)).unwrap_or_default(), line(text, "laid ").map(cards));
    let laid = laid.unwrap_or_default();
    let named = |name: &str| pile(line(text, name).and_then(|rest| rest.split_once(": ")).expect("a pile").1);
    let (discard_pile, erosion_pile) = (named("discarded "), named("eroded "));
    let sure = ["surely in other hands: ", "surely in hands: "].iter().find_map(|name| line(text, name));
    let surely_held = sure.map(pile).unwrap_or_default();
    let all: Vec<Card> =
        deck.cards.iter().flat_map(|of| vec![of.card.clone().expect("a card"); of.count as usize]).collect();
    let shuffled = match line(text, "seen of this deck: ") {
        None => all,
        Some(seen) => {
            let visible = [&hand, &laid, &discard_pile, &erosion_pile, &surely_held];
            let unseen = visible.into_iter().fold(all.clone(), |rest, cards| without(rest, cards));
            let others = without(without(all.clone(), &unseen), &pile(seen));
            without(all, &others)
        }
    };
    Observation {
        viewer_seat: own.map(|own| number(own.0)),
        phase: phase.into(),
        first_seat: between(state, "limit ", "\n")
            .and_then(|rest| rest.split_once(", seat "))
            .map(|first| number(first.1)),
        player_seat: between(last, "seat ", ":").map(number),
        turn: between(last, "turn ", ",").map_or(0, number),
        passes: between(state, "used up ", " ").map(number).expect("passes"),
        hand_limit: between(state, "hand limit ", ",").map(number).expect("the limit"),
        excess: line(text, "to discard ").map_or(0, number),
        players: players.collect(),
        hand,
        laid,
        discard_pile,
        erosion_pile,
        deck_count: number(state),
        shuffled,
        surely_held,
    }
}
