//! A reader of the compact text and its legend.

use ahu_core::Compact as _;
use ahu_games::Wire as _;
use ahu_games::giants::Giants;
use ahu_messages::giants::v1::{
    Ahu, Area, Bid, Decision, Figure, Figures, Hex, Observation, Phase, Piece, PieceType, Player, Spot, Terrain,
};

use super::{PUBLIC, table, viewer};
use crate::reading::{between, law_of_reading, law_of_telling, line, number, numbers};

#[test]
fn texts_for_people_differ_wherever_messages_do() {
    assert!(law_of_telling::<Giants, _>(40) > 1_000);
}

#[test]
fn the_compact_text_has_every_fact_of_the_message() {
    assert!(law_of_reading::<Giants, _>(12, read) > 1_000);
}

/// Random games and the bot seldom look under Moai, and seldom carry a piece far.
#[test]
fn looks_under_moai_and_the_way_of_a_piece_are_facts_too() {
    let mut game = table(
        "base_view: memory\nphase: place\nbehind: 2H 2T 2W / - / -\nahus: a0 of 1 1a, a12 of 2 2a ha, a7 of 0\n\
         pieces: 1b@22 of 0, hb@30\nsupply: 2 3 1\nunused_logs_return: true\nfigures: 0W+2@23 1W+1@23 0W@24",
    );
    game.play("peek a12");
    game.play("peek a0");
    game.play("pass");
    let mut seen = Vec::new();
    for viewer in [viewer(0), viewer(1), PUBLIC] {
        let view = game.shown(viewer);
        let (built, sent) = (read(&view.compact_legend(), &view.compact()), Giants::observation(&view));
        assert_eq!(built, sent, "{}", view.compact());
        seen.push(built.players[0].peeked_ahus.clone());
    }
    assert_eq!(seen, [[0, 12]; 3], "everybody sees who looks where");
    let told = game.shown(viewer(0)).compact();
    assert!(told.contains("seat 0 has looked under a0 a12") && told.contains("Moai out of the game"), "{told}");
    assert!(game.shown(viewer(1)).to_string().contains("seat 0 has looked under a0 a12"));
}

/// Reads the hexes of the map, with their places. The reader puts hex 0 where its row and column are told.
fn map(legend: &str) -> Vec<Hex> {
    let (q, r) = between(legend, "hex 0 is at ", " ").and_then(|at| at.split_once('/')).expect("a place");
    let mut hexes: Vec<Hex> = Vec::new();
    let mut links: Vec<(usize, usize, (i32, i32))> = Vec::new();
    let stretches = between(legend, "if the next stretch has them. ", ";").expect("the map");
    let stretches: Vec<Vec<u32>> = stretches.split(", ").map(numbers).collect();
    for (at, stretch) in stretches.iter().enumerate() {
        for n in stretch[0]..=stretch[1] {
            hexes.push(Hex { number: Some(n), ..Hex::default() });
            if n > stretch[0] {
                links.push((n as usize - 1, n as usize, (1, 0)));
            }
            let next = stretches.get(at + 1);
            let has = |south: &u32| next.is_some_and(|next| (next[0]..=next[1]).contains(south));
            for (step, way) in stretch[2..].iter().zip([(-1, 1), (0, 1)]) {
                if has(&(n + step)) {
                    links.push((n as usize, (n + step) as usize, way));
                }
            }
        }
    }
    for &(one, other, _) in &links {
        let [first, second] = [one, other].map(|hex| hex as u32);
        hexes[one].neighbours.push(second);
        hexes[other].neighbours.push(first);
    }
    let mut places: Vec<Option<(i32, i32)>> = vec![None; hexes.len()];
    places[0] = Some((q.parse().expect("a number"), r.parse().expect("a number")));
    for _ in 0..hexes.len() {
        for &(one, other, (east, south)) in &links {
            match (places[one], places[other]) {
                (Some((q, r)), None) => places[other] = Some((q + east, r + south)),
                (None, Some((q, r))) => places[one] = Some((q - east, r - south)),
                _ => {}
            }
        }
    }
    for (hex, place) in hexes.iter_mut().zip(places) {
        (hex.q, hex.r) = place.expect("every hex has a neighbour");
        hex.neighbours.sort_unstable();
        hex.terrain = Terrain::Land.into();
    }
    hexes
}

/// Reads a bid in the signs of the table, such as `TM2 w1 S C`.
fn bid(signs: &str) -> Bid {
    let count = |sign: &str| signs.split(' ').find_map(|word| word.strip_prefix(sign)).map_or(0, number);
    let has = |sign: &str| signs.split(' ').any(|word| word == sign);
    Bid { markers: Some(count("TM")), workers: Some(count("w")), sorcerer: Some(has("S")), chief: Some(has("C")) }
}

/// Reads a bid in words, such as `2 Tribe Markers and the Chief`.
fn bid_in_words(words: &str) -> Bid {
    let count = |noun: &str| words.split_once(noun).map_or(0, |(before, _)| *numbers(before).last().expect("a count"));
    Bid {
        markers: Some(count(" Tribe Marker")),
        workers: Some(count(" Worker")),
        sorcerer: Some(words.contains("the Sorcerer")),
        chief: Some(words.contains("the Chief")),
    }
}

/// Reads `2 of size 1, 1 of size 3`.
fn moai(words: &str) -> Vec<u32> {
    let mut moai = vec![0; 3];
    for part in words.split(", ").filter(|part| part.contains(" of size ")) {
        let found = numbers(part);
        moai[found[1] as usize - 1] = found[0];
    }
    moai
}

/// Reads the signs of figures, such as `0w2SC`; None for other signs.
fn figures(sign: &str) -> Option<Figures> {
    let (seat, rest) = sign.split_at(1);
    let is_figures = seat.starts_with(|c: char| c.is_ascii_digit()) && rest.starts_with(['w', 'S', 'C']);
    is_figures.then(|| Figures {
        seat: Some(number(seat)),
        workers: match rest.strip_prefix('w') {
            None => 0,
            Some(rest) if rest.starts_with(|c: char| c.is_ascii_digit()) => number(rest),
            Some(_) => 1,
        },
        sorcerer: rest.contains('S'),
        chief: rest.contains('C'),
    })
}

fn piece(name: &str) -> Piece {
    let is_headdress = name.starts_with('h');
    Piece {
        name: name.to_owned(),
        r#type: if is_headdress { PieceType::Headdress } else { PieceType::Moai }.into(),
        weight: if is_headdress { 1 } else { number(name) },
        ..Piece::default()
    }
}

fn read_head(head: &str, is_own: bool) -> (Phase, Option<Decision>) {
    let step = head.split_once("goes first; ").expect("a step").1;
    let none = Decision::default();
    let on_piece = |name: &str| Decision { piece: name.to_owned(), ..Decision::default() };
    let figure = |words: &str| match words {
        _ if words.contains("Worker") => Figure::Worker,
        _ if words.contains("Sorcerer") => Figure::Sorcerer,
        _ => Figure::Chief,
    };
    if step == "Moai draw" {
        (Phase::MoaiDraw, None)
    } else if step == "the game is over" {
        (Phase::Over, None)
    } else if let Some(rest) = step.strip_prefix("auction of Moai: ") {
        let own = rest.rsplit_once("; ").expect("the own bid").1;
        let so_far = || bid_in_words(own.split_once(" so far").expect("a bid").0);
        let made = match own {
            _ if own.ends_with("Tribe Markers first") => Bid::default(),
            _ if own.ends_with("Workers next") => Bid { markers: so_far().markers, ..Bid::default() },
            _ if own.ends_with("Chief last") => Bid { sorcerer: None, chief: None, ..so_far() },
            _ => bid_in_words(own),
        };
        (Phase::Bid, is_own.then_some(Decision { own_bid: Some(made), ..none }))
    } else if step.starts_with("auction: ") {
        (Phase::Pick, None)
    } else if let Some(rest) = step.strip_prefix("placement: ") {
        let decision = if let Some(words) = between(rest, " places ", ": where?").filter(|_| rest.contains("where?")) {
            let logs = words.split_once(" with ").map_or(0, |(_, logs)| number(logs));
            Some(Decision { figure: Some(figure(words).into()), logs, ..none })
        } else {
            between(rest, "power of the ", ";").map(|words| Decision {
                figure: Some(figure(words).into()),
                hex: numbers(words).first().copied(),
                ..none
            })
        };
        (Phase::Placement, decision)
    } else if let Some(rest) = step.strip_prefix("transport: ") {
        let decision = between(rest, " moves ", " ").map(|name| match between(rest, "needs help, ", ":") {
            Some(points) => {
                let (points, hex) = (numbers(points), between(rest, "to hex ", " ").map(number));
                let max_points = *points.last().expect("points");
                Decision { hex, points_due: points[0], max_points, ..on_piece(name) }
            }
            None => Decision { moved: rest.contains(" on from hex "), ..on_piece(name) },
        });
        (Phase::Transport, decision)
    } else if step.starts_with("end of transport") {
        (Phase::Store, between(step, "may mark ", ",").map(on_piece))
    } else {
        (Phase::Recover, between(step, "back from ", ",").map(on_piece))
    }
}

/// A fact of a line of facts with `; ` between them.
fn fact<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    text.lines().flat_map(|line| line.split("; ")).find_map(|part| part.strip_prefix(name))
}

/// Reads the hexes and the Ahus, without what stands on them.
fn island(legend: &str, cut: &[u32], logs_left: u32) -> (Vec<Hex>, Vec<Ahu>) {
    let mut hexes = map(legend);
    let (rock, hats) = quarries(legend);
    hexes[rock as usize].terrain = Terrain::MoaiQuarry.into();
    hexes[hats as usize].terrain = Terrain::HeaddressQuarry.into();
    for (name, terrain) in [("; village ", Terrain::Village), ("; hut ", Terrain::Hut)] {
        for hex in numbers(between(legend, name, ";").expect("hexes")) {
            hexes[hex as usize].terrain = terrain.into();
        }
    }
    for forest in numbers(between(legend, "forests with their logs ", ".").expect("forests")).chunks(2) {
        let hex = &mut hexes[forest[0] as usize];
        hex.terrain = Terrain::Forest.into();
        hex.harvest = if cut.contains(&forest[0]) { 0 } else { forest[1].min(logs_left) };
    }
    let mut ahus: Vec<Ahu> = Vec::new();
    for told in between(legend, "points for a headdress: ", "\n").expect("Ahus").trim_end_matches('.').split(", ") {
        let [ahu, hex, moai_points, headdress_points] = numbers(told)[..] else { panic!("{told}") };
        hexes[hex as usize].ahus.push(ahu);
        ahus.push(Ahu { number: Some(ahu), hex: Some(hex), moai_points, headdress_points, ..Ahu::default() });
    }
    (hexes, ahus)
}

/// Reads the hexes of the Moai quarry and of the headdress quarry.
fn quarries(legend: &str) -> (u32, u32) {
    let quarry = |name: &str| between(legend, name, ";").map(number).expect("a quarry");
    (quarry("Moai quarry "), quarry("headdress quarry "))
}

/// Reads what stands on the Ahus.
fn read_ahus(text: &str, ahus: &mut [Ahu], pieces: &mut Vec<Piece>) {
    for told in line(text, "Ahus: ").into_iter().flat_map(|ahus| ahus.split(", ")) {
        let (ahu, sign) = told.split_once(' ').expect("a sign");
        let ahu = &mut ahus[number(&ahu[1..]) as usize];
        if let Some(seat) = sign.strip_prefix('r') {
            ahu.base_seat = Some(number(seat));
            continue;
        }
        let (owner, of) = sign.split_once(':').expect("an owner");
        let (moai, headdress) = of.split_once('^').map_or((of, None), |(moai, hat)| (moai, Some(format!("h{hat}"))));
        ahu.base_seat = (owner != "?").then(|| number(owner));
        moai.clone_into(&mut ahu.moai);
        ahu.headdress = headdress.clone().unwrap_or_default();
        for name in [Some(moai.to_owned()), headdress].into_iter().flatten() {
            pieces.push(Piece { area: Area::Ahu.into(), ahu: ahu.number, ..piece(&name) });
        }
    }
}

/// Reads a player, and the pieces in front of its screen.
fn player(legend: &str, text: &str, seat: usize, prestige: u32, bid: Option<Bid>, pieces: &mut Vec<Piece>) -> Player {
    let (rock, hats) = quarries(legend);
    let goods = |words: &str, sign: &str| words.split(' ').find_map(|word| word.strip_prefix(sign)).map_or(0, number);
    let told = line(text, &format!("seat {seat}: ")).expect("the player");
    let behind = between(told, "behind ", ", in front ").expect("goods");
    let front = told.split_once(", in front ").expect("goods").1;
    let is_hidden = behind.starts_with('?');
    let gain = fact(text, &format!("seat {seat} can gain ")).unwrap_or_default();
    let shown = |words: &str, sign: &str| (!is_hidden).then(|| goods(words, sign));
    let spot = |sign: char| {
        let is_in = |words: &str| words.split(' ').any(|word| ["S", "C", "SC"].contains(&word) && word.contains(sign));
        let area = match (is_in(behind), is_in(front)) {
            (true, _) => Area::BehindScreen,
            (_, true) => Area::InFront,
            _ => Area::Island,
        };
        Some(Spot { area: area.into(), hex: None })
    };
    for name in front.split(' ').filter(|word| word.len() == 2 && (word.starts_with(['1', '2', '3', 'h']))) {
        let hex = if name.starts_with('h') { hats } else { rock };
        let owner_seat = Some(seat as u32);
        pieces.push(Piece { area: Area::InFront.into(), hex: Some(hex), owner_seat, ..piece(name) });
    }
    Player {
        seat: Some(seat as u32),
        points: number(told),
        prestige,
        halves: between(told, "points, ", " half").map(number).expect("half-tablets"),
        workers: shown(behind, "w"),
        markers: shown(behind, "TM"),
        logs: shown(behind, "lg"),
        bases: shown(behind, "ba"),
        workers_to_come: shown(gain, "w"),
        markers_to_come: shown(gain, "TM"),
        workers_spent: goods(front, "w"),
        markers_spent: goods(front, "TM"),
        sorcerer: spot('S'),
        chief: spot('C'),
        peeked_ahus: fact(text, &format!("seat {seat} has looked under ")).map(numbers).unwrap_or_default(),
        bid,
    }
}

/// Reads what stands on the hexes.
fn read_hexes(text: &str, hexes: &mut [Hex], players: &mut [Player], pieces: &mut Vec<Piece>) {
    let mut on_hexes: Vec<String> = Vec::new();
    for part in line(text, "hexes ").into_iter().flat_map(|hexes| hexes.split(", ")) {
        match on_hexes.last_mut() {
            Some(last) if last.contains('(') && !last.contains(')') => {
                last.push(' ');
                last.push_str(part);
            }
            _ => on_hexes.push(part.to_owned()),
        }
    }
    for told in &on_hexes {
        let (at, signs) = told.split_once(": ").expect("signs");
        let hex = &mut hexes[number(at) as usize];
        let (signs, returnable) = signs.split_once(" (").map_or((signs, None), |(signs, rest)| (signs, Some(rest)));
        if let Some((owners, needed)) = returnable.and_then(|rest| rest.split_once("; needed: ")) {
            (hex.log_seats, hex.logs_needed) = (numbers(owners), number(needed));
        }
        for sign in signs.split(' ') {
            if let Some(logs) = sign.strip_prefix('+') {
                hex.logs = number(logs);
            } else if let Some(figures) = figures(sign) {
                let player = &mut players[figures.seat.expect("a seat") as usize];
                for (is_there, spot) in [(figures.sorcerer, &mut player.sorcerer), (figures.chief, &mut player.chief)] {
                    if is_there {
                        spot.as_mut().expect("a spot").hex = hex.number;
                    }
                }
                hex.figures.push(figures);
            } else {
                let owner_seat = sign.get(3..).filter(|owner| !owner.is_empty()).map(number);
                let marked = sign.contains('=');
                let area = Area::Island.into();
                pieces.push(Piece { area, hex: hex.number, owner_seat, marked, ..piece(&sign[..2]) });
            }
        }
    }
}

/// Reads numbers with runs of them, such as `3-5 9`.
fn runs(text: &str) -> Vec<u32> {
    let run = |run: &str| number(run)..=number(run.split_once('-').map_or(run, |(_, last)| last));
    text.split(' ').flat_map(run).collect()
}

fn read(legend: &str, text: &str) -> Observation {
    let head = text.lines().next().expect("a line");
    let own = line(text, "you are seat ").map(number);
    let (phase, decision) = read_head(head, own.is_some());
    let step = head.split_once("goes first; ").expect("a step").1;
    let to_come = line(text, "to come: ").expect("the stock");
    let stock = |name: &str| between(to_come, name, ",").map(number).expect("a number");
    let cut = line(text, "forests cut ").map(numbers).unwrap_or_default();
    let logs_left = stock("logs ");

    let (mut hexes, mut ahus) = island(legend, &cut, logs_left);
    let mut pieces: Vec<Piece> = Vec::new();
    read_ahus(text, &mut ahus, &mut pieces);
    let scored = numbers(fact(text, "scored by seat ").expect("scores"));
    let bids = fact(text, "bids by seat: ").map(|bids| bids.split(", ").map(bid).collect::<Vec<_>>());
    let read_player = |(seat, &prestige)| {
        let bid = bids.as_ref().map(|bids: &Vec<Bid>| bids[seat]);
        player(legend, text, seat, prestige, bid, &mut pieces)
    };
    let mut players: Vec<Player> = scored.iter().enumerate().map(read_player).collect();
    read_hexes(text, &mut hexes, &mut players, &mut pieces);
    let ways: Vec<&str> = fact(text, "moved over ").map(|ways| ways.split(", ").collect()).unwrap_or_default();
    for piece in &mut pieces {
        let way = ways.iter().find_map(|way| way.strip_prefix(&format!("{} ", piece.name)));
        piece.visited_hexes = way.map(runs).unwrap_or_default();
    }
    pieces.sort_by_key(|piece| (piece.r#type, piece.weight, piece.name.clone()));

    let offered = [" of Moai: ", "one of these Moai: "].iter().find_map(|words| between(step, words, ";")).map(moai);
    Observation {
        viewer_seat: own,
        phase: phase.into(),
        turn: between(head, "turn ", "/").map(number).expect("a turn"),
        max_turns: between(head, "/", ",").map(number).expect("turns"),
        first_seat: between(head, ", seat ", " ").map(number),
        acting_seat: between(step, "seat ", " ").filter(|_| phase != Phase::Bid).map(number),
        passed_seats: step.split_once("; passed: ").map_or(Vec::new(), |(_, passed)| numbers(passed)),
        decision,
        hexes,
        ahus,
        players,
        pieces,
        offered_moai: offered.unwrap_or_default(),
        moai_left: numbers(between(to_come, "Moai ", ",").expect("Moai")),
        moai_removed: fact(text, "Moai out of the game ").map_or(vec![0; 3], numbers),
        headdresses_left: stock("headdresses "),
        halves_left: stock("half-tablets "),
        logs_left,
        dice: fact(text, "dice ").map(numbers).unwrap_or_default(),
    }
}
