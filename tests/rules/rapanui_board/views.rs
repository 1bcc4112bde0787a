//! The views of each viewer. M32: everything is public except the total worth of others' Offering tiles.

use std::collections::BTreeSet;

use ahu::core::{Game as _, Seat, View as _};
use ahu::games::rapanui_board::{
    Chief, Event, Offering, Options, Phase, Player, RapanuiBoard, Resource, Site, Size, Sorcerer, Source, Space,
    Table as Open, Tile, Tiles,
};
use rand::RngExt;

use super::{PUBLIC, Table, View, play_sensibly, table, viewer};
use crate::laws::{few_games, some_options, tables, viewers};
use crate::scripted::observed;

/// M32, `private`.
#[test]
fn what_others_offerings_are_worth_is_covered_until_the_end() {
    let text = "0: offerings hut boat, has reeds\n1: offerings necklace\n2: tablet\nidle: 1";
    let game = table(text);
    let points = |who, game: &Table| game.view(who).shown().scores().values().to_vec();
    assert_eq!(points(viewer(0), &game), [8 + 11 + 1, 0, 3]);
    assert_eq!(points(viewer(1), &game), [1, 12, 3]);
    assert_eq!(points(PUBLIC, &game), [1, 0, 3]);
    assert_eq!(
        *game.view(PUBLIC).table.players[super::seat(0)].offerings.as_array(),
        [1, 0, 0, 1, 0],
        "the number of each type is shown"
    );
    assert_eq!(
        observed(&game.view(viewer(1)).shown(), "offered"),
        [12, -1, -1, 0],
        "own seat first; others are hidden, even without tiles"
    );
    let over = game.after("drop out, drop out, drop out");
    for who in [viewer(0), viewer(1), PUBLIC] {
        assert_eq!(points(who, &over), [20, 12, 3], "{who}");
    }
}

/// M32, `open`.
#[test]
fn what_offerings_are_worth_is_shown_where_that_is_agreed() {
    let game = table("0: offerings hut boat\n1: offerings necklace\noffering_view: open");
    assert_eq!(game.view(PUBLIC).shown().scores().values(), [19, 12, 0]);
}

#[test]
fn everything_that_happens_is_told_to_all() {
    let game = table("0: at 8 9, moai small\n1: tablet\non 9: chip_in")
        .after("transport small, step 8, step 9, erect chip_in");
    let event_texts = [
        "seat 0 transports a small Moai from the Crater",
        "seat 0 goes to space 8",
        "seat 0 goes to space 9",
        "seat 0 erects a small Moai on space 9 and takes the Ahu tile chip_in; the Transporter lies down",
        "seat 0 gains 1 reed",
    ];
    for who in [viewer(0), viewer(1), viewer(2), PUBLIC] {
        assert_eq!(game.event_texts(who), event_texts, "{who}");
    }
    let offering = table("0: at 10, has eggs*4\non 10: large")
        .after("transport pukao, step 10, style, offer stack chicken, pay eggs eggs eggs eggs");
    assert!(
        offering.event_texts(viewer(1)).iter().any(|line| line.contains("chicken") && line.contains("worth 9")),
        "{:?}",
        offering.event_texts(PUBLIC)
    );
}

#[test]
fn one_of_a_thing_is_told_as_one() {
    let gained = |resource, count, lost| Event::Gained { seat: super::seat(0), resource, count, lost }.to_string();
    assert_eq!(gained(Resource::Eggs, 1, 0), "seat 0 gains 1 egg");
    assert_eq!(gained(Resource::Pearls, 1, 2), "seat 0 gains 1 pearl, and has no room for 2 more");
    assert_eq!(gained(Resource::Reeds, 0, 1), "seat 0 gains 0 reeds, and has no room for 1 more");
    let ended = |empty_ahus| Event::RoundEnded { round: 7, empty_ahus }.to_string();
    assert_eq!(ended(1), "round 7 is over; 1 ahu is empty");
    assert_eq!(ended(3), "round 7 is over; 3 ahus are empty");
}

/// Returns the indices of the bits of a field that are set.
fn set(view: &View, name: &str) -> Vec<usize> {
    let values = observed(view, name);
    (0..values.len()).filter(|&n| values[n] == 1).collect()
}

/// The own seat comes first, then the seats to the left; absent seats are zero.
#[test]
fn an_observation_is_seen_from_the_own_seat() {
    let game = table("order: 2 0 1\n0: at 13, has reeds\n1: at 14, has eggs*2\n2: at 21, popular, tablet");
    for (who, active, villagers, held, tablet) in [
        (viewer(0), 2, [3, 3, 4, 0], [12, 27 + 13, 54 + 20], 2),
        (viewer(1), 1, [3, 4, 3, 0], [13, 27 + 20, 54 + 12], 1),
        (viewer(2), 0, [4, 3, 3, 0], [20, 27 + 12, 54 + 13], 0),
        (PUBLIC, 2, [3, 3, 4, 0], [12, 27 + 13, 54 + 20], 2),
    ] {
        let view = game.view(who).shown();
        assert_eq!(set(&view, "active"), [active], "{who}");
        assert_eq!(set(&view, "present"), [0, 1, 2], "{who}");
        assert_eq!(observed(&view, "villagers"), villagers, "{who}");
        assert_eq!(set(&view, "held"), held, "{who}");
        assert_eq!(set(&view, "tablet"), [tablet], "{who}");
    }
}

#[test]
fn an_observation_shows_what_is_on_the_spaces() {
    let game = table("0: at 9 9_ 8, chief 3\non 2: small^ rest\non 25: large medium^ barter");
    let view = game.view(viewer(0));
    assert_eq!(set(&view, "standing"), [7, 8]);
    assert_eq!(set(&view, "lying"), [8]);
    assert_eq!(set(&view, "lent_chief"), [2]);
    assert_eq!(set(&view, "moai"), [1, 3 * 27 + 24, 6 * 27 + 24], "a small, a medium, a large one");
    assert_eq!(set(&view, "unstyled"), [24]);
    assert_eq!(observed(&view, "empty_ahus"), [18, 3]);
    assert_eq!(observed(&view, "pukao"), [18]);
}

#[test]
fn an_observation_shows_whose_toll_is_chosen() {
    let game = table("0: at 2, moai small\n1: at 8 7\non 2: small rest")
        .after("transport small, step 8, step 7, step 2, erect rest");
    let view = game.view(viewer(2));
    assert_eq!(
        (set(&view, "to_act"), set(&view, "active")),
        (vec![2], vec![1]),
        "seen from seat 2, seat 1 sits second to the left"
    );
    assert_eq!((set(&view, "toll"), set(&view, "tile")), (vec![6], vec![0]));
}

#[test]
fn an_observation_shows_the_options_that_change_play() {
    for (n, option) in [
        "chief_timing: phase1",
        "chief_timing: phase2",
        "choice_split: false",
        "take_your_pick: any",
        "pass_other_quarry: false",
        "beginner_tiles: true",
        "offering_view: open",
    ]
    .iter()
    .enumerate()
    {
        assert_eq!(set(&table(option).view(PUBLIC), "options"), [n], "{option}");
    }
}

/// The text names the phase, the pieces, and the end of the game.
#[test]
fn a_view_is_a_text_for_people() {
    let game = table("round: 3\n0: at 8 9_, has reeds*3, tiles rest, offerings hut\n1: chief 13, tablet\non 9: large^");
    let text = game.view(viewer(1)).shown().to_string();
    let line = |part: &str| text.lines().any(|line| line.contains(part));
    assert!(line("round 3, seat 0: phase 3, transport something or drop out"), "{text}");
    assert!(line("0:i") && line("0:_") && line("1:C"), "{text}");
    assert!(line("tiles: rest") && line("tablet") && line("offerings: hut"), "{text}");
    assert!(line("turn order  0, 1, 2; star spaces: 4"), "{text}");
    assert!(line("R reeds, E eggs, W wood, P pearls"), "{text}");
    let over = table("idle: 1").after("drop out, drop out, drop out").view(PUBLIC).to_string();
    assert!(over.contains("empty ahus  21\n"), "{over}");
    let end = |given: &str| {
        let text = table(given).view(PUBLIC).shown().to_string();
        let line = text.lines().find_map(|line| Some(line.split_once("the game is over at the end of a round ")?.1));
        line.expect("the text tells the end of the game").to_owned()
    };
    assert_eq!(end("idle: 0"), "with 3 or fewer, of round 15, or of 2 in a row without a Moai erected");
    assert_eq!(end("idle: 1"), "with 3 or fewer, of round 15, or of this one without a Moai erected");
    assert_eq!(end("stall_end: 0\nmax_rounds: 9\nseats: 4"), "with 4 or fewer, or of round 9");
}

/// Returns a thermometer of this length with `count` bits set.
fn thermometer(count: u8, length: usize) -> impl Iterator<Item = i16> {
    (0..length).map(move |level| i16::from(usize::from(count) > level))
}

/// Returns `length` bits with the bit `place` set; no bit is set for None.
fn one_hot(place: Option<usize>, length: usize) -> impl Iterator<Item = i16> {
    (0..length).map(move |n| i16::from(place == Some(n)))
}

fn numbers(counts: &[u8]) -> impl Iterator<Item = i16> {
    counts.iter().map(|&count| count.into())
}

/// Fields by their names, with their values.
type Fields = Vec<(&'static str, Vec<i16>)>;

/// Returns the fields of a viewer's observation, computed from the table by their meanings in the catalog.
fn expected(view: &View) -> Fields {
    [of_turns(view), of_players(view), of_spaces(&view.table), of_chains(view.table.phase), of_supplies(view)].concat()
}

fn flags(bits: u64, length: usize) -> Vec<i16> {
    (0..length).map(|n| (bits >> n & 1) as i16).collect()
}

fn kinds(tiles: &Tiles) -> Vec<i16> {
    tiles.as_array().iter().flat_map(|&count| thermometer(count, 4)).collect()
}

/// Returns the seat at this place, own seat first; None if there are fewer seats.
fn seat_at(view: &View, place: usize) -> Option<Seat> {
    let seats = view.table.options.seats;
    (place < seats.count()).then(|| seats.left_of(view.viewer().seat(), place))
}

fn place_of(view: &View, seat: Seat) -> Option<usize> {
    (0..4).find(|&place| seat_at(view, place) == Some(seat))
}

fn of_turns(view: &View) -> Fields {
    let table = &view.table;
    let order: Vec<_> = table.order.iter().collect();
    let place_in_order = |place| {
        let seat = seat_at(view, place);
        one_hot(order.iter().position(|&other| Some(other) == seat), 4)
    };
    let Options { stall_end, max_rounds, .. } = table.options;
    let idle_left = if stall_end == 0 { -1 } else { i16::from(stall_end) - i16::from(table.idle_rounds) };
    vec![
        ("active", one_hot(place_of(view, table.active), 4).collect()),
        ("to_act", one_hot(table.to_act().and_then(|seat| place_of(view, seat)), 4).collect()),
        ("order", (0..4).flat_map(place_in_order).collect()),
        ("has_erected", vec![table.has_erected.into()]),
        ("rounds", vec![table.round.into(), idle_left]),
        ("rounds_left", vec![(max_rounds - table.round.max(1) + 1).into()]),
    ]
}

fn of_players(view: &View) -> Fields {
    let sorcerer = |player: &Player| {
        let place = match player.sorcerer {
            Sorcerer::InHand => 0,
            Sorcerer::OnStar(star) => star.index() + 1,
            Sorcerer::AtWork => 7,
        };
        one_hot(Some(place), 8).collect()
    };
    let chief = |player: &Player| {
        let place = match player.chief {
            Chief::InVillage => None,
            Chief::InHand => Some(0),
            Chief::InQuarry(column) => Some(column as usize + 1),
            Chief::OnSpace(_) => Some(4),
        };
        one_hot(place, 5).collect()
    };
    let by_seat = |each: &dyn Fn(&Player) -> Vec<i16>| {
        let present: Vec<_> = (0..4).filter_map(|place| seat_at(view, place)).collect();
        let mut all: Vec<i16> = present.iter().flat_map(|&seat| each(&view.table.players[seat])).collect();
        all.resize(all.len() / present.len() * 4, 0);
        all
    };
    let row = |player: &Player| player.resources.as_array().iter().flat_map(|&count| thermometer(count, 15)).collect();
    vec![
        ("dropped_out", by_seat(&|player| vec![player.has_dropped_out.into()])),
        ("resources", by_seat(&row)),
        ("tiles", by_seat(&|player| kinds(&player.tiles))),
        ("tablet", by_seat(&|player| vec![player.has_tablet.into()])),
        ("improvements", by_seat(&|player| flags(player.improvements.bits(), 4))),
        ("sorcerer", by_seat(&sorcerer)),
        ("chief", by_seat(&chief)),
        ("held", by_seat(&|player| flags(player.held.bits(), 27))),
        ("lent_chief", by_seat(&|player| one_hot(player.lent_chief().map(Space::index), 27).collect())),
        ("offerings", by_seat(&|player| numbers(player.offerings.as_array()).collect())),
        ("villagers", by_seat(&|player| vec![player.villagers.into()])),
        ("sculptors", by_seat(&|player| numbers(player.sculptors.as_array()).collect())),
        ("virtual_sculptors", by_seat(&|player| numbers(player.chip_ins.as_array()).collect())),
        ("to_transport", by_seat(&|player| numbers(player.moai.as_array()).collect())),
    ]
}

fn of_spaces(table: &Open) -> Fields {
    let sites = |each: &dyn Fn(&Site) -> u8, levels: u8| {
        let level = |level| table.sites.iter().map(move |site| i16::from(each(site) > level));
        (0..levels).flat_map(level).collect::<Vec<_>>()
    };
    let on_space = |site: &Site, tile| site.tiles.iter().flatten().filter(|&&other| other == tile).count() as u8;
    vec![
        ("standing", sites(&|site| site.standing, 6)),
        ("lying", sites(&|site| site.lying, 6)),
        ("free_ahus", sites(&|site| site.tiles.iter().flatten().count() as u8, 3)),
        ("ahu_tiles", Tile::ALL.iter().flat_map(|&tile| sites(&|site| on_space(site, tile), 3)).collect()),
        ("moai", Size::ALL.iter().flat_map(|&size| sites(&|site| site.moai[size], 3)).collect()),
        ("unstyled", sites(&|site| site.moai.total() - site.styled, 3)),
    ]
}

/// Returns the undecided data of a chain of decisions.
fn of_chains(phase: Phase) -> Fields {
    let (mut cargo, mut at, mut visited, mut tile, mut tolls) = (None, None, 0, None, 0);
    let (mut skimped, mut offering, mut outstanding) = (false, None, false);
    let (mut gain, mut sculpted) = ([0; 3], [0; 3]);
    match phase {
        Phase::Carry { cargo: of, at: area, visited: been } => {
            (cargo, at, visited) = (Some(of.index()), Some(area.index()), been.bits());
        }
        Phase::Toll { space, size, tile: taken, left } => {
            (cargo, at) = (Some(size as usize), Some(space.index()));
            (tile, tolls) = (Some(taken as usize), left.bits());
        }
        Phase::Gain { space, count } => (at, gain) = (Some(space.index()), [count, 0, 0]),
        Phase::Shift { space, first, second } => {
            (at, gain) = (Some(space.index()), [first + second, first, second]);
        }
        Phase::Exchange { skimped: is_skimped } => skimped = is_skimped,
        Phase::Pay { skimped: is_skimped, offering: of, source } => {
            (skimped, offering, outstanding) = (is_skimped, Some(of as usize), source == Source::Outstanding);
        }
        Phase::Sculpt { sculpted: so_far } => sculpted = *so_far.as_array(),
        _ => {}
    }
    vec![
        ("cargo", one_hot(cargo, 4).collect()),
        ("at", one_hot(at, 29).collect()),
        ("visited", flags(visited, 29)),
        ("tile", one_hot(tile, 10).collect()),
        ("tolls", flags(tolls, 27)),
        ("toll", one_hot((tolls > 0).then(|| tolls.trailing_zeros() as usize), 27).collect()),
        ("skimped", vec![skimped.into()]),
        ("offering", one_hot(offering, 5).collect()),
        ("outstanding", vec![outstanding.into()]),
        ("gain", numbers(&gain).collect()),
        ("sculpted", numbers(&sculpted).collect()),
    ]
}

fn of_supplies(view: &View) -> Fields {
    let table = &view.table;
    let options = &table.options;
    let values = |source: Source, length: usize| {
        let mut all = Vec::new();
        for offering in Offering::ALL {
            let tiles = options.offerings.tiles();
            let (stack, taken) = match source {
                Source::Stack => (tiles.stack(offering, options.seats), table.stack_taken[offering]),
                Source::Outstanding => (tiles.outstanding(offering), table.outstanding_taken[offering]),
            };
            let end = all.len() + length;
            all.extend(numbers(&stack.values()[taken.into()..]));
            all.resize(end, 0);
        }
        all
    };
    let free_places = |column: Size| {
        let placed: u8 = table.players.values().iter().map(|player| player.sculptors[column]).sum();
        i16::from(options.quarry(column).saturating_sub(placed))
    };
    let erected: u8 = table.sites.iter().map(|site| site.moai.total()).sum();
    let (ahus, last) = [(17, 3), (21, 3), (21, 4)][options.seats.count() - 2];
    vec![
        ("display", kinds(&table.display)),
        ("aside", kinds(&table.aside)),
        ("stacks", values(Source::Stack, 4)),
        ("outstanding_tiles", values(Source::Outstanding, 2)),
        ("supply", numbers(table.supply.as_array()).collect()),
        ("pukao", vec![table.pukao.into()]),
        ("quarry", Size::ALL.map(free_places).to_vec()),
        ("empty_ahus", vec![ahus - i16::from(erected), last]),
        ("limits", vec![options.resource_cap.into(), options.star_spaces.into()]),
    ]
}

#[test]
fn an_observation_shows_what_is_on_the_table() {
    let mut seen = BTreeSet::new();
    for seats in tables::<RapanuiBoard>() {
        for seed in 0..few_games().min(12) {
            play_sensibly(&some_options::<RapanuiBoard>(seats, seed), seed, |game, rng| {
                if rng.random_range(0..4) > 0 {
                    return;
                }
                for who in viewers(seats) {
                    let view = game.view(who).shown();
                    for (name, values) in expected(&view) {
                        assert_eq!(observed(&view, name), values, "{name} for {who}, seed {seed}\n{view}");
                        if values.iter().any(|&value| value > 0) {
                            seen.insert(name);
                        }
                    }
                }
            });
        }
    }
    let all = expected(&table("0: at 13").view(PUBLIC)).len();
    assert!(seen.len() >= all - 3, "of {all} fields these had something to show: {seen:?}");
}
