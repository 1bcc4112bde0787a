//! Chains of actions: every part that is offered can be completed, and no chain is a cycle.

use std::collections::{BTreeSet, HashSet};

use ahu_core::{Action as _, ActionSet, Fingerprint, Game as _, NoEvents, Turn, Viewer};
use ahu_games::rapanui_board::{
    Action, Area, Chief, Improvement, Phase, RapanuiBoard, Size, Space, TakeYourPick, Tile,
};
use rand::RngExt;

use super::{play_sensibly, table};
use ahu_laws::laws::{few_games, some_options, tables};

/// The largest number of actions in a chain: a begin, 28 areas, a stop, 5 tolls, a gain with two colours, 33 tiles
/// and tablets, 12 improvements.
const MAX_CHAIN: usize = 1 + 28 + 1 + 5 + 3 + 33 + 12;

/// Returns true if a chain is under way.
fn is_under_way(game: &RapanuiBoard) -> bool {
    match game.table.phase {
        Phase::Carry { .. }
        | Phase::Toll { .. }
        | Phase::Gain { .. }
        | Phase::Shift { .. }
        | Phase::Exchange { .. }
        | Phase::Pay { .. } => true,
        Phase::Sculpt { sculpted } => sculpted.total() > 0,
        Phase::Order
        | Phase::Tiles
        | Phase::Draft { .. }
        | Phase::Place
        | Phase::Transport
        | Phase::EndTurn
        | Phase::Over => false,
    }
}

/// From random positions of random games, every sequence of offered actions leads to the end of the chain.
#[test]
fn what_is_begun_can_be_finished_and_does_not_go_in_circles() {
    let (mut chains, mut longest) = (0, 0);
    for seats in tables::<RapanuiBoard>() {
        for seed in 0..few_games().min(60) {
            play_sensibly(&some_options::<RapanuiBoard>(seats, seed), seed, |game, rng| {
                if !is_under_way(game) {
                    return;
                }
                for _ in 0..4 {
                    let mut tried = game.clone();
                    let mut been = HashSet::from([Fingerprint::of(&tried)]);
                    let mut length = 0;
                    while is_under_way(&tried) {
                        let Turn::Seats(to_act) = tried.turn() else {
                            panic!("no seat is to act in {:?}", tried.table.phase)
                        };
                        let seat = to_act.first().expect("a seat is to act");
                        let mut legal = ActionSet::of::<Action>();
                        tried.legal_actions(seat, &mut legal);
                        assert!(!legal.is_empty(), "seed {seed}: stuck in {:?}", tried.table.phase);
                        let id = legal.nth(rng.random_range(0..legal.len())).expect("n is below the count");
                        tried.apply(seat, Action::from_id(id).expect("an action"), &mut NoEvents);
                        assert!(been.insert(Fingerprint::of(&tried)), "seed {seed}: a cycle by {id}");
                        length += 1;
                        assert!(length <= MAX_CHAIN, "seed {seed}: {length} decisions");
                    }
                    chains += 1;
                    longest = longest.max(length);
                }
            });
        }
    }
    assert!(chains > 1_000 && longest > 12, "{chains} chains, the longest of {longest}");
}

/// Random play makes no long chains. Here all players together occupy the whole island, and both quarries connect all
/// parts of it.
#[test]
fn on_a_crowded_island_no_walk_is_a_dead_end() {
    let crowded = "seats: 4
         0: at 8 6 12 4, popular, chief 27, moai small*2
         1: at 7 13 5 17 24, popular
         2: at 14 3 19 11 18, popular
         3: at 21 20 26 22 9, popular
         on 4: medium rest";
    let mut stack = vec![(table(&format!("{crowded}\npass_other_quarry: true")).after("transport small"), 0)];
    let mut ends = 0;
    while let Some((game, depth)) = stack.pop() {
        if !game.due().contains("carry on") {
            ends += 1;
            continue;
        }
        let ways = game.legal("step");
        let stops = game.legal("erect");
        assert!(!(ways.is_empty() && stops.is_empty()), "stuck at {}", game.due());
        assert!(depth <= 28, "a cycle at {}", game.due());
        // All continuations would make thousands of walks, so each place has its first two and its last.
        let ways: Vec<_> = ways.split(", ").filter(|way| !way.is_empty()).collect();
        for way in ways.iter().take(2).chain(ways.iter().skip(2).last()) {
            stack.push((game.after(&format!("step {way}")), depth + 1));
        }
        for stop in stops.split(", ").filter(|stop| !stop.is_empty()) {
            stack.push((game.after(&format!("erect {stop}")), depth + 1));
        }
        if ends > 300 {
            return;
        }
    }
    assert!(ends > 10, "only {ends} ends");
}

/// The maps of the front page of these tests: spaces by number, `M` the Crater, `P` the Pukao Quarry.
const MAPS: [&str; 2] = [
    "- - - 1 2 3 - -|- 4 5 6 7 8 9 -|10 P 11 12 13 M 14 15|16 17 18 19 20 21 22 -|- 23 24 25 26 27 - -",
    "- 1 2 3 -|4 5 6 7 8|9 P 10 M 11|12 13 14 15 16|- 17 18 19 -",
];

/// The ends of a transport, each with the spaces of other players that the transport passes; each pair once. The walk
/// follows all paths of the map without repeated areas, with code that shares nothing with the game's code.
struct Walks<'a> {
    game: &'a RapanuiBoard,
    map: Vec<Vec<&'static str>>,
    is_pukao: bool,
    found: BTreeSet<(usize, BTreeSet<usize>)>,
    steps: usize,
}

impl Walks<'_> {
    fn walk(&mut self, (row, column): (usize, usize), been: &mut Vec<(usize, usize)>, tolled: &mut BTreeSet<usize>) {
        self.steps += 1;
        for (row, column) in
            [(row.wrapping_sub(1), column), (row + 1, column), (row, column.wrapping_sub(1)), (row, column + 1)]
        {
            let Some(&name) = self.map.get(row).and_then(|line| line.get(column)) else { continue };
            if been.contains(&(row, column)) || name == "-" || self.steps > MAX_WALKS {
                continue;
            }
            let table = &self.game.table;
            let number: Option<usize> = name.parse().ok();
            let owner = number.and_then(|number| {
                let space = Space::new(number - 1).expect("a space");
                table.options.seats.iter().find(|&seat| table.players[seat].held.contains(space))
            });
            let may_pass = if number.is_some() { owner.is_some() } else { table.options.pass_other_quarry };
            if !may_pass {
                continue;
            }
            if let (Some(number), true) = (number, owner == Some(table.active)) {
                let space = Space::new(number - 1).expect("a space");
                let site = table.site(space);
                let has_chief = table.players[table.active].chief == Chief::OnSpace(space);
                let has_room = if self.is_pukao { site.unstyled() > 0 } else { site.tiles().next().is_some() };
                if has_room && (site.standing > 0 || has_chief) {
                    self.found.insert((number, tolled.clone()));
                }
            }
            let pays = owner.is_some_and(|owner| owner != table.active);
            let number = number.filter(|_| pays);
            been.push((row, column));
            number.map(|number| tolled.insert(number));
            self.walk((row, column), been, tolled);
            number.map(|number| tolled.remove(&number));
            been.pop();
        }
    }
}

/// The largest number of steps on all paths; the test skips positions with more.
const MAX_WALKS: usize = 4_000;

/// Collects all ends that the game offers, by its own steps.
fn offered(game: &RapanuiBoard, found: &mut BTreeSet<(usize, BTreeSet<usize>)>) {
    let seat = game.table.active;
    let mut legal = ActionSet::of::<Action>();
    game.legal_actions(seat, &mut legal);
    let Phase::Carry { at, visited, .. } = game.table.phase else { panic!("a transport is under way") };
    for action in legal.actions::<Action>() {
        match action {
            Action::Step(_) => {
                let mut next = game.clone();
                next.apply(seat, action, &mut NoEvents);
                offered(&next, found);
            }
            Action::Erect(_) | Action::Style => {
                let others =
                    Area::spaces_of(visited).iter().filter(|&space| !game.table.players[seat].held.contains(space));
                let end = at.space().expect("a transport ends on a space").index() + 1;
                found.insert((end, others.map(|space| space.index() + 1).collect()));
            }
            _ => panic!("{action} inside a transport"),
        }
    }
}

/// Returns true if the active player can exchange Resources for a tile, counted by the rulebook's prices (M16).
fn can_exchange(game: &RapanuiBoard) -> bool {
    let table = &game.table;
    let player = &table.players[table.active];
    // From each Resource upwards, the player needs as many Resources as the price has.
    let pays = |price: [u8; 4]| {
        (0..4).all(|of| player.resources.as_array()[of..].iter().sum::<u8>() >= price[of..].iter().sum())
    };
    let full = [[4, 0, 0, 0], [0, 4, 0, 0], [1, 1, 1, 1], [0, 0, 4, 0], [0, 0, 0, 4]];
    let skimped = [[2, 0, 0, 0], [0, 2, 0, 0], [1, 1, 0, 0], [0, 0, 2, 0], [0, 0, 0, 2]];
    let has_pick = player.tiles[Tile::TakeYourPick] > 0;
    let is_any = table.options.take_your_pick == TakeYourPick::Any;
    let buys = |prices: [[u8; 4]; 5]| {
        (0..5).any(|of| {
            let stack = if table.options.seats.count() == 2 { 3 } else { 4 };
            let in_stack = table.stack_taken.as_array()[of] < stack;
            let outstanding = has_pick && table.outstanding_taken.as_array()[of] < [2, 2, 1, 1, 1][of];
            let next_lower = of > 0 && player.is(Improvement::Artistic) && pays(prices[of - 1]);
            (in_stack || outstanding) && (pays(prices[of]) || next_lower) || outstanding && is_any && pays(prices[0])
        })
    };
    buys(full) || (player.tiles[Tile::Skimp] > 0 || player.has_tablet) && buys(skimped)
}

/// M8, M9, M13, M16: a transport is offered along exactly the paths that repeat no area and can be ended.
#[test]
fn every_chain_of_the_map_is_offered_and_no_other() {
    let (mut positions, mut ends) = (0, 0);
    for seats in tables::<RapanuiBoard>() {
        for seed in 0..few_games().min(40) {
            play_sensibly(&some_options::<RapanuiBoard>(seats, seed), seed, |game, _| {
                if game.table.phase != Phase::Transport {
                    return;
                }
                let seat = game.table.active;
                let map: Vec<Vec<_>> =
                    MAPS[usize::from(seats.count() == 2)].split('|').map(|row| row.split(' ').collect()).collect();
                let mut legal = ActionSet::of::<Action>();
                game.legal_actions(seat, &mut legal);
                for (cargo, quarry) in [("small", "M"), ("medium", "M"), ("large", "M"), ("pukao", "P")] {
                    let is_pukao = cargo == "pukao";
                    let has_it = match cargo.parse::<Size>() {
                        Ok(size) => game.table.players[seat].moai[size] > 0,
                        Err(_) => game.table.pukao > 0 && can_exchange(game),
                    };
                    let at = |name| {
                        let row = map.iter().position(|row| row.contains(&name)).expect("it is on the map");
                        (row, map[row].iter().position(|&other| other == name).expect("it is on the map"))
                    };
                    let mut walks = Walks { game, map: map.clone(), is_pukao, found: BTreeSet::new(), steps: 0 };
                    walks.walk(at(quarry), &mut vec![at(quarry)], &mut BTreeSet::new());
                    if walks.steps > MAX_WALKS {
                        continue;
                    }
                    let transport: Action = format!("transport {cargo}").parse().expect("an action");
                    let mut found = BTreeSet::new();
                    if legal.contains(transport.id()) {
                        let mut begun = game.clone();
                        begun.apply(seat, transport, &mut NoEvents);
                        offered(&begun, &mut found);
                    }
                    let expected = if has_it { walks.found } else { BTreeSet::new() };
                    assert_eq!(found, expected, "{cargo}, seed {seed}\n{}", game.view(Viewer::Public));
                    positions += 1;
                    ends += found.len();
                }
            });
        }
    }
    assert!(positions > 1_000 && ends > 1_000, "{positions} positions, {ends} ends");
}
