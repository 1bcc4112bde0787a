//! A reader of the compact text and its legend.

use ahu_games::rapanui_board::RapanuiBoard;
use ahu_messages::rapanui_board::v1::{
    Area, Cargo, Chief, ChiefPlace, Exchange, Gain, Observation, OfferingCounts, OfferingStack, Phase, Player, Quarry,
    ResourceCounts, SizeCounts, Sorcerer, SorcererPlace, Space, Transport, area, cargo,
};

use crate::reading::{between, law_of_reading, law_of_telling, line, number, numbers};

#[test]
fn texts_for_people_differ_wherever_messages_do() {
    assert!(law_of_telling::<RapanuiBoard, _>(4) > 1_000);
}

#[test]
fn the_compact_text_has_every_fact_of_the_message() {
    assert!(law_of_reading::<RapanuiBoard, _>(12, read) > 1_000);
}

const SIZES: [&str; 3] = ["small", "medium", "large"];
const RESOURCES: [&str; 4] = ["reeds", "eggs", "wood", "pearls"];
const OFFERINGS: [&str; 5] = ["hut", "chicken", "hatchet", "boat", "necklace"];
const IMPROVEMENTS: [&str; 4] = ["fervent", "artistic", "popular", "chief"];
const TILES: [&str; 10] = [
    "rest",
    "barter",
    "skimp",
    "chip_in",
    "take_three_more",
    "take_your_pick",
    "change_jobs",
    "lend_a_hand",
    "gain_favor",
    "take_two_more",
];

/// Returns the number of a name in an enum of the messages.
fn place(names: &[&str], name: &str) -> i32 {
    let at = names.iter().position(|of| *of == name).unwrap_or_else(|| panic!("{name} of {names:?}"));
    at as i32 + 1
}

fn sizes(counts: &[u32]) -> SizeCounts {
    SizeCounts { small: counts[0], medium: counts[1], large: counts[2] }
}

/// Reads `rest, barter x2` as the numbers of the names, each as often as it is told.
fn list(names: &[&str], text: &str) -> Vec<i32> {
    let mut all = Vec::new();
    for part in text.split(", ").filter(|&part| part != "nothing") {
        let (name, count) = part.split_once(" x").map_or((part, 1), |(name, count)| (name, number(count)));
        all.extend((0..count).map(|_| place(names, name)));
    }
    all
}

fn area(name: &str) -> Area {
    Area {
        area: Some(match name {
            "C" | "crater" | "in the Crater" => area::Area::Quarry(Quarry::Crater.into()),
            "Q" | "pukao_quarry" | "in the Pukao Quarry" => area::Area::Quarry(Quarry::Pukao.into()),
            space => area::Area::Space(numbers(space)[0]),
        }),
    }
}

fn moai(size: &str) -> Cargo {
    Cargo { cargo: Some(cargo::Cargo::Moai(place(&SIZES, size))) }
}

/// Reads the spaces as they always are.
fn board(legend: &str) -> Vec<Space> {
    let told = between(legend, "Pukao Quarry: ", ". Star").expect("the spaces").split(", ");
    told.filter(|told| told.starts_with(|c: char| c.is_ascii_digit()))
        .map(|told| {
            let (facts, beside) = told.split_once(": ").expect("the spaces beside it");
            let facts: Vec<&str> = facts.split(' ').collect();
            let [row, column] = numbers(facts.last().expect("a place"))[..] else { panic!("{told}") };
            let colour = |letter: char| ["R", "E", "W", "P"].iter().position(|of| of.starts_with(letter));
            let quarries = [("C", Quarry::Crater), ("Q", Quarry::Pukao)];
            Space {
                number: number(facts[0]),
                row,
                column,
                adjacent_spaces: numbers(beside),
                adjacent_quarries: quarries
                    .into_iter()
                    .filter(|(name, _)| beside.split(' ').any(|word| word == *name))
                    .map(|(_, quarry)| quarry.into())
                    .collect(),
                colours: facts[1]
                    .chars()
                    .filter(|&c| c != '*')
                    .map(|letter| colour(letter).expect("a colour") as i32 + 1)
                    .collect(),
                ahu_count: told.matches('*').count() as u32,
                moai: Some(SizeCounts::default()),
                ..Space::default()
            }
        })
        .collect()
}

/// Reads what lies on a space, such as `0:2i_C lms^^ rest+barter`.
fn put(space: &mut Space, signs: &[&str]) {
    for sign in signs {
        if let Some((owner, rest)) = sign.split_once(':') {
            space.owner_seat = Some(number(owner));
            let mut count = 0;
            for c in rest.chars() {
                match c {
                    'i' => space.standing_count = std::mem::take(&mut count).max(1),
                    '_' => space.lying_count = std::mem::take(&mut count).max(1),
                    'C' => space.chief = true,
                    '@' => {}
                    digit => count = count * 10 + digit.to_digit(10).expect("a digit"),
                }
            }
        } else if sign.chars().all(|c| "lms^".contains(c)) {
            let count = |letter: char| sign.matches(letter).count() as u32;
            space.moai = Some(sizes(&['s', 'm', 'l'].map(count)));
            space.styled_count = count('^');
        } else if *sign != "@" {
            space.tiles = sign.split('+').map(|tile| place(&TILES, tile)).collect();
        }
    }
}

fn player(seat: u32, told: &str, spaces: &[Space]) -> Player {
    let (head, belongings) = told.split_once("; ").expect("belongings");
    let fact = |name: &str| belongings.split("; ").find_map(|part| part.strip_prefix(name));
    let has = |name: &str| belongings.split("; ").any(|part| part == name);
    let counts = |name: &str| fact(name).map_or(vec![0; 3], numbers);
    let to_transport = between(head, ", transport ", "\n").unwrap_or_default();
    let size_count = |letter: &str| to_transport.split(' ').filter(|word| *word == letter).count() as u32;
    let [reeds, eggs, wood, pearls] = numbers(between(head, "Resources ", ",").expect("Resources"))[..] else {
        panic!("{head}")
    };
    let offerings = list(&OFFERINGS, fact("offerings: ").unwrap_or("nothing"));
    let offering = |of: i32| offerings.iter().filter(|&&offering| offering == of).count() as u32;
    let improvements = fact("improvements: ").map_or(Vec::new(), |told| list(&IMPROVEMENTS, told));
    let chief = |place: ChiefPlace| Chief { place: place.into(), ..Chief::default() };
    let chief = match (fact("Chief in the quarry, "), fact("Chief on space ")) {
        (Some(column), _) => Chief { column: place(&SIZES, column), ..chief(ChiefPlace::InQuarry) },
        (_, Some(space)) => Chief { space: number(space), ..chief(ChiefPlace::OnSpace) },
        _ if has("Chief in hand") => chief(ChiefPlace::InHand),
        _ => chief(ChiefPlace::InVillage),
    };
    let sorcerer = match fact("Sorcerer on star ") {
        Some(star) => Sorcerer { place: SorcererPlace::OnStar.into(), star: number(star) },
        None if has("Sorcerer at work") => Sorcerer { place: SorcererPlace::AtWork.into(), star: 0 },
        None => Sorcerer { place: SorcererPlace::InHand.into(), star: 0 },
    };
    let (mut sculptors, virtual_ones) = (counts("Sculptors: "), counts("virtual ones: "));
    for (column, count) in sculptors.iter_mut().enumerate() {
        *count -= virtual_ones[column] + u32::from(chief.column == column as i32 + 1);
    }
    let worth = between(head, "offerings worth ", ",").expect("a worth");
    Player {
        seat: Some(seat),
        points: number(head),
        offering_points: (worth != "?").then(|| number(worth)),
        offerings: Some(OfferingCounts {
            hut: offering(1),
            chicken: offering(2),
            hatchet: offering(3),
            boat: offering(4),
            necklace: offering(5),
        }),
        resources: Some(ResourceCounts { reeds, eggs, wood, pearls }),
        tiles: fact("tiles: ").map_or(Vec::new(), |told| list(&TILES, told)),
        tablet: has("tablet"),
        improvements,
        moai: Some(sizes(&["s", "m", "l"].map(size_count))),
        villager_count: *numbers(head.split_once(" Villagers").expect("Villagers").0).last().expect("a count"),
        sculptors: Some(sizes(&sculptors)),
        virtual_sculptors: Some(sizes(&virtual_ones)),
        sorcerer: Some(sorcerer),
        chief: Some(chief),
        held_spaces: spaces.iter().filter(|space| space.owner_seat == Some(seat)).map(|space| space.number).collect(),
        dropped_out: has("dropped out"),
    }
}

fn read_step(step: &str, text: &str) -> (Phase, Option<Transport>, Option<Gain>, Option<Exchange>) {
    let transport = |phase, transport| (phase, Some(transport), None, None);
    let none = |phase| (phase, None, None, None);
    match step {
        "setup" => none(Phase::Setup),
        "the game is over" => none(Phase::Over),
        "phase 1, place a figurine" => none(Phase::Place),
        "phase 2, sculpt Moai" => none(Phase::Sculpt),
        "phase 3, transport something or drop out" => none(Phase::Transport),
        "phase 3, play something or end the turn" => none(Phase::EndTurn),
        _ if step.starts_with("setup, ") => none(Phase::Draft),
        _ if step.contains(" is on space ") || step.contains(" is in the ") => {
            let (what, at) = step.trim_start_matches("phase 3, a ").split_once(" is ").expect("a place");
            let visited = line(text, "the cargo has been on ").expect("areas").split(' ').map(area).collect();
            let of = match what.strip_suffix(" Moai") {
                Some(size) => moai(size),
                None => Cargo { cargo: Some(cargo::Cargo::Pukao(cargo::Pukao {})) },
            };
            transport(Phase::Carry, Transport { cargo: Some(of), at: Some(area(at)), visited, ..Transport::default() })
        }
        _ if step.contains("chooses a toll") => {
            let told = text.lines().find(|line| line.contains(" Moai has arrived on ")).expect("the Moai");
            let tile = place(&TILES, between(told, ", for ", ";").expect("a tile"));
            let tolls = numbers(told.split_once("to choose on ").expect("tolls").1);
            let size = told.split(' ').nth(1).expect("a size");
            let at = between(told, "arrived ", ",").map(area);
            transport(Phase::Toll, Transport { cargo: Some(moai(size)), at, visited: Vec::new(), tile, tolls })
        }
        _ if step.contains("Resources to gain") => {
            let [space, count] = numbers(step.split_once("space").expect("a space").1)[..] else { panic!("{step}") };
            (Phase::Gain, None, Some(Gain { space, count, part_count: 0, part_colour: 0 }), None)
        }
        _ if step.contains("or the next-higher") => {
            let (part_count, colour) =
                between(step, "gain ", ",").and_then(|part| part.split_once(' ')).expect("a part");
            let [count, space] = numbers(line(text, "this is of ").expect("the whole"))[..] else { panic!("{text}") };
            let (part_count, part_colour) = (number(part_count), place(&RESOURCES, colour));
            (Phase::Shift, None, Some(Gain { space, count, part_count, part_colour }), None)
        }
        _ => {
            let price = numbers(step)[1];
            match step.split_once("for the ") {
                None => (Phase::Exchange, None, None, Some(Exchange { price, ..Exchange::default() })),
                Some((_, of)) => {
                    let outstanding = of.starts_with("outstanding ");
                    let offering = place(&OFFERINGS, of.trim_start_matches("outstanding "));
                    (Phase::Pay, None, None, Some(Exchange { price, offering, outstanding }))
                }
            }
        }
    }
}

fn read(legend: &str, text: &str) -> Observation {
    let head = text.lines().next().expect("a line");
    let step = head.split_once(": ").map_or(head, |(_, step)| step);
    let (phase, transport, gain, exchange) = read_step(step, text);
    let last = line(text, "the last turn was in ").unwrap_or(head);
    let starter = line(text, "seat ").filter(|rest| rest.ends_with("will start")).map(number);
    let active_seat = starter.or_else(|| between(last, "seat ", " ").map(number));
    let seat_to_act = match phase {
        Phase::Setup | Phase::Over => None,
        Phase::Toll => between(step, ", seat ", " ").map(number),
        _ => active_seat,
    };
    let round = between(last, "round ", ",").map_or(0, number);
    let mut spaces = board(legend);
    for told in line(text, "spaces ").expect("spaces").split(", ").filter(|&told| told != "are empty") {
        let signs: Vec<&str> = told.split(' ').collect();
        if signs[0].starts_with(|c: char| c.is_ascii_digit()) {
            put(&mut spaces[number(signs[0]) as usize - 1], &signs[1..]);
        }
    }
    let players = (0..6).map_while(|seat| Some((seat, line(text, &format!("seat {seat}: "))?)));
    let stacks = line(text, "offerings ").expect("stacks").split("; ").map(|told| {
        let (stack, outstanding) = told.split_once(" (").expect("outstanding ones");
        let (name, values) = stack.split_once(' ').expect("values");
        let r#type = place(&OFFERINGS, name);
        OfferingStack { r#type, values: numbers(values), outstanding_values: numbers(outstanding) }
    });
    let supply = line(text, "supply: ").expect("a supply");
    let ends = text.split_once("empty ahus ").expect("the end").1;
    let max_rounds = between(ends, "last round ", ",").map(number).expect("rounds");
    let sculpted = line(text, "sculpted in this turn ").map_or(vec![0; 3], numbers);
    Observation {
        viewer_seat: line(text, "you are seat ").map(number),
        phase: phase.into(),
        active_seat,
        seat_to_act,
        round,
        turn_order: between(text, "turn order ", ";").map_or(Vec::new(), numbers),
        players: players.map(|(seat, told)| player(seat, told, &spaces)).collect(),
        spaces,
        supply: Some(sizes(&numbers(between(supply, "Moai ", ",").expect("Moai")))),
        pukao_count: between(supply, "Pukao ", ";").map(number).expect("Pukao"),
        free_quarry_places: Some(sizes(&numbers(between(supply, "quarry ", "\n").expect("places")))),
        star_count: between(legend, "Star spaces: ", ".").map(number).expect("stars"),
        stacks: stacks.collect(),
        empty_ahu_count: number(ends),
        last_ahu_count: between(ends, "at most ", " ").map(number).expect("a number"),
        idle_rounds_left: between(ends, ", or ", " ").map(number),
        rounds_left: max_rounds + 1 - round.max(1),
        erected_or_styled: text.contains("\na Moai was erected or styled in this round\n"),
        displayed_tiles: between(text, "displayed ", ";").map_or(Vec::new(), |told| list(&TILES, told)),
        aside_tiles: between(text, "set aside ", "\n").map_or(Vec::new(), |told| list(&TILES, told)),
        sculpted: (phase == Phase::Sculpt).then(|| sizes(&sculpted)),
        transport,
        gain,
        exchange,
    }
}
