//! A reader of the compact text.

use ahu_games::rapanui_cards::RapanuiCards;
use ahu_messages::rapanui_cards::v1::{
    Colour, Column, Food, FoodCounts, Kind, KindCounts, Observation, Phase, Player, Stone,
};

use crate::reading::{between, law_of_reading, law_of_telling, line, number, numbers};

#[test]
fn texts_for_people_differ_wherever_messages_do() {
    assert!(law_of_telling::<RapanuiCards, _>(4) > 1_000);
}

#[test]
fn the_compact_text_has_every_fact_of_the_message() {
    assert!(law_of_reading::<RapanuiCards, _>(4, |_, text| read(text)) > 1_000);
}

const SIGNS: [(&str, Kind); 7] = [
    ("f", Kind::Fish),
    ("m", Kind::Mulberry),
    ("s", Kind::SweetPotato),
    ("g", Kind::Grain),
    ("l", Kind::Lumberjack),
    ("p", Kind::Priest),
    ("M", Kind::Moai),
];

fn kind(sign: &str) -> Kind {
    SIGNS.iter().find(|(of, _)| *of == sign).expect("a sign").1
}

fn foods(counts: &[u32]) -> FoodCounts {
    FoodCounts { fish: counts[0], mulberry: counts[1], sweet_potato: counts[2], grain: counts[3] }
}

/// Reads cards such as `m s2 l4` as counts, in the order of the signs.
fn counts(text: &str) -> [u32; 7] {
    let mut counts = [0; 7];
    for word in text.split_whitespace().filter(|&word| word != "none") {
        let (sign, count) = word.split_at(1);
        let at = SIGNS.iter().position(|(of, _)| *of == sign).expect("a sign");
        counts[at] = if count.is_empty() { 1 } else { number(count) };
    }
    counts
}

fn message(counts: [u32; 7]) -> KindCounts {
    let [.., lumberjack, priest, moai] = counts;
    KindCounts { gatherers: Some(foods(&counts)), lumberjack, priest, moai }
}

fn food(name: &str) -> usize {
    ["fish", "mulberry", "sweet_potato", "grain"].iter().position(|of| *of == name).expect("a food")
}

/// Reads the step of the turn: the phase, the seat that decides, and the kind that is scored.
fn read_step(step: &str, active: Option<u32>) -> (Phase, Option<u32>, Kind) {
    let named = || between(step, "seat ", " ").map(number);
    let (phase, seat_to_act) = match step {
        "setup" => (Phase::Setup, None),
        "the game is over" => (Phase::Over, None),
        _ if step.starts_with("step 1") => (Phase::Buy, active),
        _ if step.starts_with("step 2") => (Phase::Play, active),
        _ if step.ends_with(" sacrifices") => (Phase::Sacrifice, named()),
        _ if step.starts_with("sacrifice round, add") => (Phase::Supply, active),
        _ if step.starts_with("step 3, draw") => (Phase::Draw, active),
        _ if step.starts_with("step 3, a card") => (Phase::Uncover, None),
        _ if step.starts_with("Moai are scored") => (Phase::Payout, named()),
        _ => (Phase::Substitute, named()),
    };
    let scored = match phase {
        Phase::Payout => Kind::Moai,
        Phase::Substitute => SIGNS[food(step.split(' ').next().expect("a food"))].1,
        _ => Kind::Unspecified,
    };
    (phase, seat_to_act, scored)
}

fn read(text: &str) -> Observation {
    let head = text.lines().next().expect("a line");
    let last = line(text, "the last turn was ").unwrap_or(head);
    let active = match line(text, "seat ").filter(|rest| rest.ends_with("will start")) {
        Some(seat) => Some(number(seat)),
        None => between(last, "seat ", ":").map(number),
    };
    let step = head.split_once(": ").map_or(head, |(_, step)| step);
    let (phase, seat_to_act, scored) = read_step(step, active);
    let own = line(text, "you are seat ").and_then(|own| own.split_once("; hand "));
    let columns = between(text, "columns ", ";").expect("columns").split(", ").map(|column| {
        let mut words = column.split(' ').filter(|&word| word != "none");
        let number = number(words.next().expect("a number"));
        let cards: Vec<&str> = words.collect();
        let known = cards.iter().filter(|&&card| card != "?").map(|card| kind(card).into());
        Column { number, card_count: cards.len() as u32, cards: known.collect() }
    });
    let by_seat = line(text, "by seat: ").expect("the players");
    let of = |name: &str| numbers(between(by_seat, name, ",").expect("numbers"));
    let (points, glory, wood, owned) = (of("points "), of("glory "), of("wood "), of("sacrifice cards "));
    let displays: Vec<[u32; 7]> = line(text, "displays: ")
        .expect("displays")
        .split(", ")
        .map(|display| counts(display.splitn(3, ' ').nth(2).expect("cards")))
        .collect();
    let rows = line(text, "f/m/s/g: ").expect("foods");
    let row = |name: &str| rows.split(", ").find_map(|row| row.strip_prefix(name)).map(|row| foods(&numbers(row)));
    let hidden =
        numbers(text.rsplit_once("laid face down by seat ").expect("counts").1.lines().next().expect("a line"));
    let colours = between(text, "colours by seat ", ";").map(|colours| {
        colours
            .split('/')
            .map(|colour| match colour {
                "yellowgreen" => Colour::YellowGreen,
                "lightblue" => Colour::LightBlue,
                "red" => Colour::Red,
                _ => Colour::Violet,
            })
            .collect::<Vec<_>>()
    });
    let players = (0..points.len()).map(|seat| {
        let is_own = own.is_some_and(|own| number(own.0) == seat as u32);
        let display = displays[seat];
        let has_most = |at: usize| {
            let others = displays.iter().enumerate().filter(|&(other, _)| other != seat);
            display[at] >= 2 && others.into_iter().all(|(_, other)| other[at] < display[at])
        };
        let at_end = |own: &str, name: &str| match phase {
            Phase::Over => row(&format!("{name} seat {seat} ")),
            _ => row(own).filter(|_| is_own),
        };
        Player {
            seat: Some(seat as u32),
            colour: colours.as_ref().map_or(Colour::Unspecified, |colours| colours[seat]).into(),
            wood: wood[seat],
            glory: glory[seat],
            points: points[seat],
            display: Some(message(display)),
            bonuses: (0..7).filter(|&at| has_most(at)).map(|at| SIGNS[at].1.into()).collect(),
            sacrifice_card_count: owned[seat],
            hidden_card_count: hidden[seat],
            prices: Some(foods(&display.map(|count| 5_u32.saturating_sub(count)))),
            hand: own.filter(|_| is_own).map(|own| message(counts(own.1))),
            sacrifice_cards: at_end("your sacrifice cards ", "cards of"),
            hidden_cards: at_end("laid face down by you ", "face down by"),
        }
    });
    let top = line(text, "top of the stone ").expect("the top");
    Observation {
        viewer_seat: own.map(|own| number(own.0)),
        phase: phase.into(),
        active_seat: active,
        seat_to_act,
        turn: between(last, "turn ", ",").map_or(0, number),
        players: players.collect(),
        columns: columns.collect(),
        stack_count: between(text, "; stack ", ",").map(number).expect("a stack"),
        boxed_moai: between(text, "Moai out of the game ", ",").map(number).expect("a number"),
        unseen: between(text, "cards that nobody has seen ", ";").map(|cards| message(counts(cards))),
        supply: row("supply "),
        stone: Some(Stone {
            top: match top {
                "empty" | "face down" => Food::Unspecified.into(),
                sign => kind(sign) as i32,
            },
            hidden_card_count: hidden.iter().sum(),
            cards: row("on the stone "),
            top_face_down: top == "face down",
        }),
        scored: scored.into(),
        due: if phase == Phase::Substitute { step.split(", ").last().map_or(0, number) } else { 0 },
        worth: row("a card is worth "),
    }
}
