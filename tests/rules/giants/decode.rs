//! A decoder of observations that knows only the names of the fields. The tensor has the content of the typed message.

use ahu_core::{Encode as _, FieldKind, Layout, Tensor, View as _, Viewer};
use ahu_games::Wire as _;
use ahu_games::giants::board::{Board, Hex, Terrain};
use ahu_games::giants::{Giants, Options, View};
use ahu_messages::giants::v1::{self, Area, Figure, Phase};
use rand::RngExt;

use ahu_laws::laws::{few_games, play_random, some_options, tables, viewers};

/// The code of a place in front of a screen.
const IN_FRONT: usize = 1;
/// The code of hex 0.
const HEX: usize = 2;
/// The code of Ahu 0.
const AHU: usize = HEX + 42;

/// The bits and numbers of one observation.
struct Observed<'a> {
    layout: &'a Layout,
    bits: Vec<u64>,
    numbers: Vec<i16>,
    viewer: Viewer,
    seats: usize,
}

impl<'a> Observed<'a> {
    fn of(view: &View, layout: &'a Layout) -> Self {
        let (mut bits, mut numbers) = (vec![0; View::BITS.div_ceil(64)], vec![0; View::NUMBERS]);
        Tensor::fill(&mut bits, &mut numbers, view);
        let mut observed = Self { layout, bits, numbers, viewer: view.viewer(), seats: 0 };
        observed.seats = observed.set("present").len();
        observed
    }

    /// Returns the bits of a field.
    fn flags(&self, name: &str) -> Vec<bool> {
        let (offset, field) = self.layout.bits.iter().find(|(_, field)| field.name == name).expect("a field of bits");
        (*offset..offset + field.size()).map(|n| self.bits[n / 64] >> (n % 64) & 1 == 1).collect()
    }

    /// Returns the places of the set bits of a field.
    fn set(&self, name: &str) -> Vec<usize> {
        let flags = self.flags(name);
        (0..flags.len()).filter(|&n| flags[n]).collect()
    }

    /// Returns the whole numbers of a field, in the order of its axes without the axis of the digits. The numbers of a
    /// one-hot field count from 1, and 0 means none.
    fn coded(&self, name: &str) -> Vec<usize> {
        let flags = self.flags(name);
        let (_, field) = self.layout.bits.iter().find(|(_, field)| field.name == name).expect("a field of bits");
        let length = field.shape[field.axis];
        let stride: usize = field.shape[field.axis + 1..].iter().product();
        let starts = (0..flags.len()).filter(|n| (n / stride).is_multiple_of(length));
        let line = |start: usize| (0..length).filter(|n| flags[start + n * stride]).collect::<Vec<_>>();
        let number = |set: Vec<usize>| match field.kind {
            FieldKind::Binary => set.iter().map(|digit| 1 << digit).sum(),
            FieldKind::OneHot => set.first().map_or(0, |place| place + 1),
            FieldKind::Thermometer => set.len(),
            FieldKind::Flags | FieldKind::Numbers => panic!("{name} has no axis of digits"),
        };
        starts.map(|start| number(line(start))).collect()
    }

    /// Returns the numbers of a field.
    fn numbers(&self, name: &str) -> &[i16] {
        let found = self.layout.numbers.iter().find(|(_, field)| field.name == name);
        let (offset, field) = found.expect("a field of numbers");
        &self.numbers[*offset..offset + field.size()]
    }

    fn number(&self, name: &str) -> u32 {
        self.numbers(name)[0].try_into().expect("the number is not hidden")
    }

    fn counts(&self, name: &str) -> Vec<u32> {
        self.numbers(name).iter().map(|&count| count.try_into().expect("the count is not hidden")).collect()
    }

    /// Returns the seat at this place to the left of the viewer.
    fn seat(&self, place: usize) -> u32 {
        ((self.viewer.seat().index() + place) % self.seats) as u32
    }

    /// Returns the seat of an owner's code; None for nobody.
    fn owner(&self, code: usize) -> Option<u32> {
        code.checked_sub(1).map(|place| self.seat(place))
    }

    /// Returns the place of a seat to the left of the viewer.
    fn place(&self, seat: usize) -> usize {
        (0..self.seats).find(|&place| self.seat(place) as usize == seat).expect("the seat is at the table")
    }
}

/// Returns the name of a piece, its kind, and its weight.
fn piece(index: usize) -> (String, v1::PieceType, u32) {
    let letter = |n: usize| char::from(b'a' + n as u8);
    match index {
        0..17 => (format!("1{}", letter(index)), v1::PieceType::Moai, 1),
        17..29 => (format!("2{}", letter(index - 17)), v1::PieceType::Moai, 2),
        29..35 => (format!("3{}", letter(index - 29)), v1::PieceType::Moai, 3),
        _ => (format!("h{}", letter(index - 35)), v1::PieceType::Headdress, 1),
    }
}

/// Reads the whole message from an observation, the options, and the board that they name.
fn decode(observed: &Observed<'_>, options: &Options) -> v1::Observation {
    let board = Board::named(options.board);
    let codes = observed.coded("pieces");
    let is_moai = |piece: &usize| *piece < 35;
    let dice = observed.coded("dice");
    let phase = match observed.set("phase")[..] {
        [] if dice[0] == 0 => Phase::MoaiDraw,
        [] => Phase::Over,
        [phase] => Phase::try_from(phase as i32 + 2).expect("the phases follow the draw"),
        _ => panic!("two phases"),
    };
    let (supply, offered) = (observed.counts("supply"), observed.counts("offered"));
    let removed =
        [0..17, 17..29, 29..35].into_iter().zip(supply.iter().zip(&offered)).map(|(pieces, (left, offered))| {
            let count = pieces.len() as u32;
            count - left - offered - codes[pieces].iter().filter(|&&code| code > 0).count() as u32
        });
    let to_act = observed.set("to_act");
    let [turn, max_turns] = observed.counts("turn")[..] else { panic!("two numbers of turns") };
    v1::Observation {
        viewer_seat: match observed.viewer {
            Viewer::Seat(seat) => Some(seat.index() as u32),
            Viewer::Public => None,
        },
        phase: phase.into(),
        turn,
        max_turns,
        first_seat: Some(observed.seat(observed.set("first")[0])),
        acting_seat: to_act.first().filter(|_| phase != Phase::Bid).map(|&place| observed.seat(place)),
        passed_seats: {
            let mut passed: Vec<u32> = observed.set("passed").into_iter().map(|place| observed.seat(place)).collect();
            passed.sort_unstable();
            passed
        },
        decision: decision(observed, phase),
        hexes: hexes(observed, options, board),
        ahus: board
            .ahus()
            .map(|ahu| {
                let here: Vec<usize> = (0..codes.len()).filter(|&n| codes[n] == AHU + ahu.index()).collect();
                let name = |of: Option<&usize>| of.map_or_else(String::new, |&index| piece(index).0);
                v1::Ahu {
                    number: Some(ahu.index() as u32),
                    hex: Some(board.ahu(ahu).hex.index() as u32),
                    moai_points: board.ahu(ahu).moai.into(),
                    headdress_points: board.ahu(ahu).headdress.into(),
                    base_seat: observed.owner(observed.coded("base_of")[ahu.index()]),
                    moai: name(here.iter().find(|piece| is_moai(piece))),
                    headdress: name(here.iter().find(|piece| !is_moai(piece))),
                }
            })
            .collect(),
        players: (0..observed.seats).map(|seat| player(observed, seat)).collect(),
        pieces: pieces(observed, board),
        offered_moai: if offered.iter().all(|&count| count == 0) { Vec::new() } else { offered.clone() },
        moai_left: supply.clone(),
        moai_removed: removed.collect(),
        headdresses_left: observed.number("headdresses_left"),
        halves_left: observed.number("halves_left"),
        logs_left: observed.number("logs_left"),
        dice: dice.iter().filter(|&&face| face > 0).map(|&face| face as u32 - 1).collect(),
    }
}

/// Returns the bid in row `place`.
fn bid(observed: &Observed<'_>, place: usize) -> v1::Bid {
    let leaders = observed.flags("bid_leaders");
    v1::Bid {
        markers: Some(observed.coded("bid_markers")[place] as u32),
        workers: Some(observed.coded("bid_workers")[place] as u32),
        sorcerer: Some(leaders[2 * place]),
        chief: Some(leaders[2 * place + 1]),
    }
}

fn decision(observed: &Observed<'_>, phase: Phase) -> Option<v1::Decision> {
    let none = v1::Decision::default();
    let chosen = || observed.set("piece").first().map_or_else(String::new, |&index| piece(index).0);
    let hex = || observed.set("hex").first().map(|&hex| hex as u32);
    let step = observed.set("step");
    let figure = observed.set("party").first().map(|&party| {
        let figure = [Figure::Worker, Figure::Sorcerer, Figure::Chief][party / 3];
        (i32::from(figure), party as u32 % 3)
    });
    match (phase, &step[..]) {
        (Phase::Bid, _) if observed.viewer == Viewer::Public => None,
        (Phase::Bid, step) => {
            let (own, nothing) = (bid(observed, 0), v1::Bid::default());
            let own_bid = match step {
                [0] => nothing,
                [1] => v1::Bid { markers: own.markers, ..nothing },
                [2] => v1::Bid { markers: own.markers, workers: own.workers, ..nothing },
                _ => own,
            };
            Some(v1::Decision { own_bid: Some(own_bid), ..none })
        }
        (Phase::Placement, [4]) => {
            let (figure, logs) = figure.expect("a figure to place");
            Some(v1::Decision { figure: Some(figure), logs, ..none })
        }
        (Phase::Placement, [5]) => {
            let (figure, _) = figure.expect("a figure with a power");
            Some(v1::Decision { figure: Some(figure), hex: hex(), ..none })
        }
        (Phase::Transport, [7]) => Some(v1::Decision { piece: chosen(), moved: observed.flags("moved")[0], ..none }),
        (Phase::Transport, [8]) => {
            let [points_due, max_points] = observed.counts("dues")[..] else { panic!("two numbers of points") };
            Some(v1::Decision { piece: chosen(), hex: hex(), points_due, max_points, ..none })
        }
        (Phase::Store | Phase::Recover, []) => Some(v1::Decision { piece: chosen(), ..none }),
        (Phase::Placement, [3]) | (Phase::Transport, [6]) | (Phase::MoaiDraw | Phase::Pick | Phase::Over, []) => None,
        (phase, step) => panic!("{phase:?} has no steps {step:?}"),
    }
}

fn hexes(observed: &Observed<'_>, options: &Options, board: &Board) -> Vec<v1::Hex> {
    let (workers, logs) = (observed.coded("workers"), observed.coded("logs"));
    let [sorcerers, chiefs] = ["sorcerer", "chief"].map(|name| observed.coded(name));
    let (log_seats, needed) = (observed.coded("log_seats"), observed.flags("logs_needed"));
    let mut before = 0;
    let mut read = |hex: Hex| {
        let (q, r) = board.coordinates(hex);
        let here = HEX + hex.index();
        let figures = (0..observed.seats).map(|seat| {
            let place = observed.place(seat);
            v1::Figures {
                seat: Some(seat as u32),
                workers: workers[6 * place..6 * place + 6].iter().filter(|&&code| code == here).count() as u32,
                sorcerer: sorcerers[place] == here,
                chief: chiefs[place] == here,
            }
        });
        let these = before..before + logs[hex.index()];
        before = these.end;
        let logs_left = observed.number("logs_left");
        let is_cut = observed.flags("cut")[hex.index()];
        let (terrain, harvest) = match board.terrain(hex) {
            Terrain::Land => (v1::Terrain::Land, 0),
            Terrain::MoaiQuarry => (v1::Terrain::MoaiQuarry, 0),
            Terrain::HeaddressQuarry => (v1::Terrain::HeaddressQuarry, 0),
            Terrain::Village => (v1::Terrain::Village, 0),
            Terrain::Hut => (v1::Terrain::Hut, 0),
            Terrain::Forest { logs } => (v1::Terrain::Forest, if is_cut { 0 } else { logs_left.min(logs.into()) }),
        };
        v1::Hex {
            number: Some(hex.index() as u32),
            neighbours: board.neighbours(hex).iter().map(|other| other.index() as u32).collect(),
            q: q.into(),
            r: r.into(),
            terrain: terrain.into(),
            harvest,
            ahus: board.ahus_at(hex).iter().map(|ahu| ahu.index() as u32).collect(),
            figures: figures.filter(|of| of.workers > 0 || of.sorcerer || of.chief).collect(),
            logs: these.len() as u32,
            log_seats: match options.unused_logs_return {
                true => log_seats[these.clone()].iter().filter_map(|&code| observed.owner(code)).collect(),
                false => Vec::new(),
            },
            logs_needed: these.filter(|&log| needed[log]).count() as u32,
        }
    };
    board.hexes.iter().map(&mut read).collect()
}

fn player(observed: &Observed<'_>, seat: usize) -> v1::Player {
    let place = observed.place(seat);
    let shown = |name: &str| u32::try_from(observed.numbers(name)[place]).ok();
    let open = |name: &str| shown(name).expect("the count is not hidden");
    let spot = |name: &str| {
        let (area, hex) = match observed.coded(name)[place] {
            0 => (Area::BehindScreen, None),
            IN_FRONT => (Area::InFront, None),
            code => (Area::Island, Some((code - HEX) as u32)),
        };
        Some(v1::Spot { area: area.into(), hex })
    };
    let peeked = observed.flags("peeked");
    v1::Player {
        seat: Some(seat as u32),
        points: open("scores"),
        prestige: open("prestige"),
        halves: open("halves"),
        workers: shown("workers_held"),
        markers: shown("markers_held"),
        logs: shown("logs_held"),
        bases: shown("bases"),
        workers_to_come: shown("workers_to_come"),
        markers_to_come: shown("markers_to_come"),
        workers_spent: open("workers_spent"),
        markers_spent: open("markers_spent"),
        sorcerer: spot("sorcerer"),
        chief: spot("chief"),
        peeked_ahus: (0..26).filter(|ahu| peeked[26 * place + ahu]).map(|ahu| ahu as u32).collect(),
        bid: observed.flags("bids_shown")[0].then(|| bid(observed, place)),
    }
}

fn pieces(observed: &Observed<'_>, board: &Board) -> Vec<v1::Piece> {
    let (codes, owners, marked) = (observed.coded("pieces"), observed.coded("piece_of"), observed.flags("marked"));
    let in_play = (0..codes.len()).filter(|&index| codes[index] > 0);
    let read = |index: usize| {
        let (name, kind, weight) = piece(index);
        let quarry = if kind == v1::PieceType::Moai { board.moai_quarry } else { board.headdress_quarry };
        let (area, hex, ahu) = match codes[index] {
            IN_FRONT => (Area::InFront, Some(quarry.index()), None),
            code @ HEX..AHU => (Area::Island, Some(code - HEX), None),
            code => (Area::Ahu, None, Some(code - AHU)),
        };
        let is_lifted = observed.set("piece") == [index];
        v1::Piece {
            name,
            r#type: kind.into(),
            weight,
            area: area.into(),
            hex: hex.map(|hex| hex as u32),
            ahu: ahu.map(|ahu| ahu as u32),
            owner_seat: observed.owner(owners[index]),
            marked: marked[index],
            visited_hexes: match is_lifted {
                true => observed.set("visited").into_iter().map(|hex| hex as u32).collect(),
                false => Vec::new(),
            },
        }
    };
    in_play.map(read).collect()
}

/// Returns the message that the observation has to encode: the hexes where a piece has been are left out for pieces that are
/// not lifted.
fn expected(view: &View) -> v1::Observation {
    let mut message = Giants::observation(view);
    let lifted = message.decision.as_ref().map_or_else(String::new, |decision| decision.piece.clone());
    for piece in message.pieces.iter_mut().filter(|piece| piece.name != lifted) {
        piece.visited_hexes.clear();
    }
    message
}

/// Checks the planes that repeat facts of the codes.
fn assert_planes(observed: &Observed<'_>, message: &v1::Observation) {
    let (figures, carriers) = (observed.flags("figures"), observed.coded("carriers"));
    for hex in &message.hexes {
        let number = hex.number.expect("hexes have numbers") as usize;
        let of = |place: usize| hex.figures.iter().find(|of| of.seat == Some(observed.seat(place)));
        let is_there: Vec<bool> = (0..5).map(|place| place < observed.seats && of(place).is_some()).collect();
        assert_eq!((0..5).map(|place| figures[42 * place + number]).collect::<Vec<_>>(), is_there, "hex {number}");
        let units = |of: &v1::Figures| of.workers + u32::from(of.sorcerer) + 3 * u32::from(of.chief);
        let capacity = hex.logs + hex.figures.iter().map(units).sum::<u32>();
        assert_eq!(carriers[number] as u32, capacity.min(3), "hex {number}");
    }
    let (sizes, topped) = (observed.coded("moai_on"), observed.flags("topped"));
    for ahu in &message.ahus {
        let number = ahu.number.expect("Ahus have numbers") as usize;
        let size = ahu.moai.chars().next().and_then(|size| size.to_digit(10)).unwrap_or(0);
        assert_eq!((sizes[number] as u32, topped[number]), (size, !ahu.headdress.is_empty()), "a{number}");
    }
    // The piece of the decision lies on the hex of the decision, unless it is about to enter another.
    if let [index] = observed.set("piece")[..]
        && observed.set("step") != [8]
    {
        let name = piece(index).0;
        let found = message.pieces.iter().find(|piece| piece.name == name).expect("the piece is in play");
        assert_eq!(found.hex.map(|hex| vec![hex as usize]), Some(observed.set("hex")), "{name}");
    }
}

/// The law holds for every viewer, with all options.
#[test]
fn an_observation_says_what_the_typed_message_says() {
    let names = [
        "own bid",
        "all bids",
        "logs of seats",
        "needed logs",
        "hidden base",
        "hidden goods",
        "look",
        "payment",
        "end",
    ];
    let (mut compared, mut seen) = (0, [0; 9]);
    for seats in tables::<Giants>() {
        for seed in 0..few_games() {
            let options = some_options::<Giants>(seats, seed);
            play_random::<Giants>(&options, seed, |game, next, rng| {
                if next.is_some() && rng.random_range(0..20) > 0 {
                    return;
                }
                for viewer in viewers(seats) {
                    let view = ahu_core::Game::view(game, viewer).shown();
                    let mut layout = Layout::default();
                    view.write(&mut layout);
                    let observed = Observed::of(&view, &layout);
                    let message = expected(&view);
                    assert_eq!(decode(&observed, &options), message, "{viewer}, seed {seed}");
                    assert_planes(&observed, &message);
                    compared += 1;
                    let decision = message.decision.clone().unwrap_or_default();
                    let own_bid = decision.own_bid.unwrap_or_default();
                    for (count, is_seen) in seen.iter_mut().zip([
                        own_bid.markers.is_some(),
                        message.players[0].bid.is_some(),
                        message.hexes.iter().any(|hex| hex.log_seats.len() > 1),
                        message.hexes.iter().any(|hex| hex.logs_needed > 0),
                        message.ahus.iter().any(|ahu| !ahu.moai.is_empty() && ahu.base_seat.is_none()),
                        message.players.iter().any(|player| player.workers.is_none()),
                        message.players.iter().any(|player| !player.peeked_ahus.is_empty()),
                        decision.max_points > 0,
                        message.phase() == Phase::Over,
                    ]) {
                        *count += u32::from(is_seen);
                    }
                }
            });
        }
    }
    for (name, count) in names.iter().zip(seen) {
        assert!(count > 100, "{name} was seen {count} times");
    }
    assert!(compared > 10_000, "{compared} observations were compared");
}

/// The decoder reads hexes and seats by these numbers.
#[test]
fn codes_of_places_are_named() {
    let view = super::table("seats: 3").shown(Viewer::Public);
    let mut layout = Layout::default();
    view.write(&mut layout);
    let names = |name: &str| layout.bits.iter().find(|(_, field)| field.name == name).expect("a field").1.values;

    assert_eq!((names("pieces")[IN_FRONT], names("pieces")[HEX + 41], names("pieces")[AHU]), ("in_front", "41", "a0"));
    assert_eq!(names("workers"), &names("pieces")[..AHU]);
    assert_eq!(names("piece_of"), ["nobody", "own", "left_1", "left_2", "left_3", "left_4"]);
}
