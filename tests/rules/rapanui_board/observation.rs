//! The observation as bits and numbers.

use std::collections::BTreeSet;

use ahu_core::{Encode as _, FieldKind, Game as _, Layout, Seat, View as _};
use ahu_games::rapanui_board::{
    Chief, Options, Phase, Player, RapanuiBoard, Side, Site, Size, Sorcerer, Source, Spaces, Table as Open,
};
use rand::RngExt;

use super::{PUBLIC, View, play_sensibly, table, viewer};
use crate::scripted;
use ahu_laws::laws::{few_games, some_options, tables, viewers};

/// Returns the values of a field, each binary number as a number.
fn observed(view: &View, name: &str) -> Vec<i16> {
    let values = scripted::observed(view, name);
    let mut layout = Layout::default();
    view.write(&mut layout);
    let (_, field) = layout.bits.iter().chain(&layout.numbers).find(|(_, field)| field.name == name).expect("a field");
    if field.kind != FieldKind::Binary {
        return values;
    }
    assert_eq!(field.axis + 1, field.shape.len(), "{name} has its digits along the last axis");
    let number = |digits: &[i16]| digits.iter().rev().fold(0, |number, digit| 2 * number + digit);
    values.chunks(field.shape[field.axis]).map(number).collect()
}

/// Returns the indices of the bits of a field that are set.
fn set(view: &View, name: &str) -> Vec<usize> {
    let values = observed(view, name);
    (0..values.len()).filter(|&n| values[n] == 1).collect()
}

/// The viewer's seat comes first, then the seats to the left. Absent seats are zero.
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
    assert_eq!(observed(&view, "chief"), [5 + 2, 0, 0, 0], "on the third space");
    let ahus = observed(&view, "ahus");
    assert_eq!(ahus[1..3], [1, 11], "space 2 has the ahus 2 and 3: Rest, a small Moai");
    assert_eq!(ahus[16..19], [2, 12, 13], "space 25 has the ahus 17 to 19: Barter, a medium and a large Moai");
    assert_eq!(observed(&view, "free_ahus")[..4], [1, 1, 1, 2]);
    assert_eq!(set(&view, "unstyled"), [24]);
    assert_eq!(observed(&view, "empty_ahus"), [18, 3]);
    assert_eq!(observed(&view, "pukao"), [18]);
}

/// The layout names the spaces with ahus on each side of the board.
#[test]
fn a_layout_tells_which_space_an_ahu_belongs_to() {
    let mut layout = Layout::default();
    table("").view(PUBLIC).write(&mut layout);
    let (_, field) = layout.bits.iter().find(|(_, field)| field.name == "ahus").expect("a field");
    for side in Side::ALL {
        let board = side.board();
        let with = |ahus| board.spaces().filter(|&space| board.ahus(space) == ahus).collect::<Spaces>();
        let (one, two, three) = (with(1), with(2), with(3));
        assert!(field.meaning.contains(&format!("{one}, two on {two}, three on {three}")), "{side}: {}", field.meaning);
        assert_eq!(one.len() + 2 * two.len() + 3 * three.len(), usize::from(board.ahu_count()));
    }
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
    assert_eq!((set(&view, "tolls"), observed(&view, "tile")), (vec![6], vec![1]), "space 7; Rest");
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

/// Returns `length` bits with the bit `place` set; no bit is set for None.
fn one_hot(place: Option<usize>, length: usize) -> impl Iterator<Item = i16> {
    (0..length).map(move |n| i16::from(place == Some(n)))
}

fn numbers(counts: &[u8]) -> Vec<i16> {
    counts.iter().map(|&count| count.into()).collect()
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

/// Returns the seat at this place to the left of the viewer; None if the table has fewer seats.
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
        let place = order.iter().position(|&seat| Some(seat) == seat_at(view, place));
        place.map_or(0, |place| place as i16)
    };
    let Options { stall_end, max_rounds, .. } = table.options;
    let rounds_left = max_rounds - table.round.max(1) + 1;
    let idle_left = if stall_end == 0 { -1 } else { i16::from(stall_end) - i16::from(table.idle_rounds) };
    vec![
        ("active", one_hot(place_of(view, table.active), 4).collect()),
        ("to_act", one_hot(table.to_act().and_then(|seat| place_of(view, seat)), 4).collect()),
        ("order", (0..4).map(place_in_order).collect()),
        ("has_erected_or_styled", vec![table.has_erected_or_styled.into()]),
        ("rounds", vec![table.round.into(), rounds_left.into(), idle_left]),
    ]
}

fn of_players(view: &View) -> Fields {
    let sorcerer = |player: &Player| match player.sorcerer {
        Sorcerer::InHand => 0,
        Sorcerer::OnStar(star) => star.index() as i16 + 1,
        Sorcerer::AtWork => 7,
    };
    let chief = |player: &Player| match player.chief {
        Chief::InVillage => 0,
        Chief::InHand => 1,
        Chief::InQuarry(column) => column as i16 + 2,
        Chief::OnSpace(space) => space.index() as i16 + 5,
    };
    let by_seat = |each: &dyn Fn(&Player) -> Vec<i16>| {
        let present: Vec<_> = (0..4).filter_map(|place| seat_at(view, place)).collect();
        let mut all: Vec<i16> = present.iter().flat_map(|&seat| each(&view.table.players[seat])).collect();
        all.resize(all.len() / present.len() * 4, 0);
        all
    };
    vec![
        ("dropped_out", by_seat(&|player| vec![player.has_dropped_out.into()])),
        ("resources", by_seat(&|player| numbers(player.resources.as_array()))),
        ("tiles", by_seat(&|player| numbers(player.tiles.as_array()))),
        ("tablet", by_seat(&|player| vec![player.has_tablet.into()])),
        ("improvements", by_seat(&|player| flags(player.improvements.bits(), 4))),
        ("sorcerer", by_seat(&|player| vec![sorcerer(player)])),
        ("chief", by_seat(&|player| vec![chief(player)])),
        ("held", by_seat(&|player| flags(player.held.bits(), 27))),
        ("offerings", by_seat(&|player| numbers(player.offerings.as_array()))),
        ("villagers", by_seat(&|player| vec![player.villagers.into()])),
        ("sculptors", by_seat(&|player| numbers(player.sculptors.as_array()))),
        ("virtual_sculptors", by_seat(&|player| numbers(player.chip_ins.as_array()))),
        ("to_transport", by_seat(&|player| numbers(player.moai.as_array()))),
    ]
}

fn of_spaces(table: &Open) -> Fields {
    let sites = |each: &dyn Fn(&Site) -> u8| table.sites.iter().map(|site| each(site).into()).collect::<Vec<i16>>();
    let contents = |site: &Site| {
        let tiles = site.tiles().map(|tile| tile as i16 + 1);
        let of_size = |size| std::iter::repeat_n(11 + size as i16, site.moai()[size].into());
        tiles.chain(Size::ALL.into_iter().flat_map(of_size)).collect::<Vec<i16>>()
    };
    let mut ahus: Vec<i16> = table.sites.iter().flat_map(contents).collect();
    ahus.resize(21, 0);
    vec![
        ("standing", sites(&|site| site.standing)),
        ("lying", sites(&|site| site.lying)),
        ("free_ahus", sites(&|site| site.tiles().count() as u8)),
        ("unstyled", sites(&|site| site.moai().total() - site.styled())),
        ("ahus", ahus),
    ]
}

/// Returns the undecided data of a chain of decisions.
fn of_chains(phase: Phase) -> Fields {
    let (mut cargo, mut at, mut visited, mut tile, mut tolls) = (None, None, 0, 0, 0);
    let (mut skimped, mut offering, mut outstanding) = (false, 0, false);
    let (mut gain, mut sculpted) = ([0; 3], [0; 3]);
    match phase {
        Phase::Carry { cargo: of, at: area, visited: been } => {
            (cargo, at, visited) = (Some(of.index()), Some(area.index()), been.bits());
        }
        Phase::Toll { space, size, tile: taken, left } => {
            (cargo, at) = (Some(size as usize), Some(space.index()));
            (tile, tolls) = (taken as i16 + 1, left.bits());
        }
        Phase::Gain { space, count } => (at, gain) = (Some(space.index()), [count, 0, 0]),
        Phase::Shift { space, first, second } => {
            (at, gain) = (Some(space.index()), [first + second, first, second]);
        }
        Phase::Exchange { skimped: is_skimped } => skimped = is_skimped,
        Phase::Pay { skimped: is_skimped, offering: of, source } => {
            (skimped, offering, outstanding) = (is_skimped, of as i16 + 1, source == Source::Outstanding);
        }
        Phase::Sculpt { sculpted: so_far } => sculpted = *so_far.as_array(),
        _ => {}
    }
    vec![
        ("cargo", one_hot(cargo, 4).collect()),
        ("at", one_hot(at, 29).collect()),
        ("visited", flags(visited, 29)),
        ("tile", vec![tile]),
        ("tolls", flags(tolls, 27)),
        ("skimped", vec![skimped.into()]),
        ("offering", vec![offering]),
        ("outstanding", vec![outstanding.into()]),
        ("gain", numbers(&gain)),
        ("sculpted", numbers(&sculpted)),
    ]
}

fn of_supplies(view: &View) -> Fields {
    let table = &view.table;
    let options = &table.options;
    let in_stacks = if options.seats.count() == 2 { 3 } else { 4 };
    let outstanding = [2, 2, 1, 1, 1];
    let left =
        |all: [u8; 5], taken: &[u8; 5]| all.iter().zip(taken).map(|(&all, &taken)| (all - taken).into()).collect();
    let free_places = |column: Size| {
        let placed: u8 = table.players.values().iter().map(|player| player.sculptors[column]).sum();
        i16::from(options.quarry(column).saturating_sub(placed))
    };
    let erected: u8 = table.sites.iter().map(|site| site.moai().total()).sum();
    let (ahus, last) = [(17, 3), (21, 3), (21, 4)][options.seats.count() - 2];
    vec![
        ("display", numbers(table.display.as_array())),
        ("aside", numbers(table.aside.as_array())),
        ("stacks", left([in_stacks; 5], table.stack_taken.as_array())),
        ("outstanding_tiles", left(outstanding, table.outstanding_taken.as_array())),
        ("supply", numbers(table.supply.as_array())),
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
