//! The game has no secrets. Everything is shown except the total worth of others' Offering tiles, which every player could
//! count (M32). Observations leave this worth out, and views contain it.

use ahu_core::{
    BySeat, ChanceRng, Encode as _, Game as _, GameExt as _, GameOptions as _, NoEvents, Seat, Seats, Seed, Tensor,
    Turn, View as _, Viewer,
};
use ahu_games::rapanui_board::{Chief, Offering, Options, RapanuiBoard, Sizes, Sorcerer, Space, Tile, View};
use rand::{Rng, RngExt};

use super::play_sensibly;
use ahu_laws::laws::{few_games, play_random, some_options, tables, viewers};
use ahu_laws::{Ply, Secrets};

impl Secrets<crate::Own> for RapanuiBoard {
    /// Nothing is hidden, including chance outcomes: they are public.
    fn shuffle_secrets(&self, _: Viewer, next: Option<&Ply<Self>>, _: &mut dyn Rng) -> (Self, Option<Ply<Self>>) {
        (self.clone(), next.cloned())
    }

    /// Counts the material by the lists of the rulebook, not by the lists of the game.
    fn assert_invariants(&self) {
        let table = &self.table;
        let two = table.options.seats.count() == 2;
        let beginner = table.options.beginner_tiles;
        let mut moai = *table.supply.as_array();
        let (mut pukao, mut ahus, mut tiles) = (table.pukao, 0, [0; 10]);
        for (index, site) in table.sites.iter().enumerate() {
            let erected = *site.moai().as_array();
            (0..3).for_each(|size| moai[size] += erected[size]);
            pukao += site.styled();
            let lying: Vec<Tile> = site.tiles().collect();
            for &tile in &lying {
                tiles[tile as usize] += 1;
            }
            ahus += erected.iter().sum::<u8>() + lying.len() as u8;
            assert!(site.styled() <= erected.iter().sum(), "more Pukao than Moai");
            let space = Space::new(index).expect("a space");
            let holders = table.players.values().iter().filter(|player| player.held.contains(space)).count();
            assert!(holders <= 1, "Transporters of two players on space {space}");
        }
        for player in table.players.values() {
            (0..3).for_each(|size| moai[size] += player.moai.as_array()[size]);
            (0..10).for_each(|tile| tiles[tile] += player.tiles.as_array()[tile]);
            let on_spaces: u8 =
                player.held.iter().map(|space| table.site(space)).map(|on| on.standing + on.lying).sum();
            let at_work = u8::from(player.sorcerer == Sorcerer::AtWork);
            let villagers = player.villagers + player.sculptors.total() + on_spaces - at_work;
            let popular = (player.improvements.bits() >> 2 & 1) as u8;
            assert_eq!(villagers, 4 + popular, "Villagers");
            assert_eq!(player.improvements.bits() >> 3 & 1 == 1, player.chief != Chief::InVillage, "the Chief");
            assert!(player.improvements.bits().count_ones() <= 3, "three notches");
            assert!(player.resources.as_array().iter().all(|&count| count <= table.options.resource_cap), "full rows");
            assert!(!(beginner && player.has_tablet), "no tablets in a first game");
        }
        assert_eq!(moai, if two { [6, 6, 5] } else { [8, 7, 6] }, "Moai");
        assert_eq!(pukao, 20, "Pukao");
        let (all_ahus, set_up) = (if two { 17 } else { 21 }, table.round > 0 || !two && ahus > 0);
        assert!(!set_up || ahus == all_ahus, "{ahus} ahus");
        let in_play = if beginner { [4, 4, 4, 4, 2, 0, 0, 0, 1, 2] } else { [4, 4, 4, 4, 2, 2, 3, 3, 1, 2] };
        for tile in 0..10 {
            let found = tiles[tile] + table.display.as_array()[tile] + table.aside.as_array()[tile];
            assert!(found <= in_play[tile], "{}", Tile::ALL[tile]);
        }
        for offering in Offering::ALL {
            let held: u8 = table.players.values().iter().map(|player| player.offerings[offering]).sum();
            assert!(table.stack_taken[offering] <= if two { 3 } else { 4 } && table.outstanding_taken[offering] <= 2);
            assert_eq!(held, table.stack_taken[offering] + table.outstanding_taken[offering], "{offering}");
        }
        self.check_invariants().expect("the game's own count agrees");
    }
}

/// The parts of a view that are sent.
#[derive(PartialEq)]
struct Sent {
    tensor: (Vec<u64>, Vec<i16>),
    text: String,
    scores: BySeat<i32>,
    ranks: BySeat<u8>,
    message: <RapanuiBoard as ahu_games::Wire>::Observation,
}

fn sent(view: View) -> Sent {
    let view = view.shown();
    let (mut bits, mut numbers) = (vec![0; View::BITS.div_ceil(64)], vec![0; View::NUMBERS]);
    Tensor::fill(&mut bits, &mut numbers, &view);
    Sent {
        tensor: (bits, numbers),
        text: view.to_string(),
        scores: view.scores(),
        ranks: view.ranks(),
        message: <RapanuiBoard as ahu_games::Wire>::observation(&view),
    }
}

/// Moves a few victory points between players other than the viewer.
fn split_otherwise(game: &RapanuiBoard, viewer: Viewer, rng: &mut dyn Rng) -> RapanuiBoard {
    let seats = game.table.options.seats;
    let others: Vec<_> = seats.iter().filter(|&seat| !viewer.is(seat)).collect();
    let mut other = game.clone();
    if let [from, .., to] = others[..] {
        let moved = rng.random_range(0..=other.offered[from]);
        other.offered[from] -= moved;
        other.offered[to] += moved;
    }
    other.assert_invariants();
    other
}

/// M32, `private`: the worth of others' Offering tiles is sent to nobody before the end, and to everybody at the end.
#[test]
fn who_has_which_offerings_is_not_sent_before_the_end() {
    let mut met = 0;
    for seats in tables::<RapanuiBoard>() {
        for seed in 0..few_games().min(40) {
            play_sensibly(&Options::new(seats), seed, |game, rng| {
                let is_over = game.turn() == Turn::Over;
                if !is_over && rng.random_range(0..8) > 0 {
                    return;
                }
                for viewer in viewers(seats) {
                    let other = split_otherwise(game, viewer, rng);
                    let looks_the_same = sent(game.view(viewer)) == sent(other.view(viewer));
                    let is_same = other.offered == game.offered;
                    assert_eq!(looks_the_same, !is_over || is_same, "{viewer}, seed {seed}");
                    met += usize::from(!is_same);
                }
            });
        }
    }
    assert!(met > 100, "only {met} positions had something to cover");
}

/// M32, `open`: the worth is sent.
#[test]
fn who_has_which_offerings_is_sent_where_that_is_agreed() {
    let mut met = 0;
    for seats in tables::<RapanuiBoard>() {
        for seed in 0..few_games().min(10) {
            let mut options = some_options::<RapanuiBoard>(seats, seed);
            options.offering_view = ahu_games::rapanui_board::OfferingView::Open;
            play_sensibly(&options, seed, |game, rng| {
                for viewer in viewers(seats) {
                    let other = split_otherwise(game, viewer, rng);
                    let is_same = other.offered == game.offered;
                    assert_eq!(sent(game.view(viewer)) == sent(other.view(viewer)), is_same, "{viewer}, seed {seed}");
                    met += usize::from(!is_same);
                }
            });
        }
    }
    assert!(met > 100, "only {met} positions had something to show");
}

/// Everything else is public: a resampled game equals the game, and all viewers know the same. After setup there is
/// no chance.
#[test]
fn everybody_knows_everything() {
    for seats in tables::<RapanuiBoard>() {
        for seed in 0..few_games().min(10) {
            play_random::<RapanuiBoard>(&some_options::<RapanuiBoard>(seats, seed), seed, |game, _, rng| {
                for viewer in viewers(seats) {
                    assert_eq!(RapanuiBoard::resample(&game.view(viewer), rng), *game, "{viewer}, seed {seed}");
                }
                assert!(game.table.round == 0 || game.turn() != Turn::Chance, "seed {seed}: chance after setup");
            });
        }
    }
}

/// A view of a stranger has at most as many virtual Sculptors as there are tiles for them and a tablet.
#[test]
fn a_view_with_too_many_virtual_sculptors_is_refused() {
    let mut game = RapanuiBoard::new(&Options::new(Seats::new(4).expect("a table")));
    game.settle_all(&mut ChanceRng::new(Seed(1)), &mut NoEvents);
    let bytes = RapanuiBoard::VIEW_BYTES.expect("views have bytes");
    let view = |chip_ins| {
        let mut view = game.view(Viewer::Seat(Seat::default()));
        view.table.players[Seat::default()].chip_ins = Sizes::of(chip_ins);
        (bytes.check)(&view)
    };
    assert_eq!(view([2, 0, 3]), Ok(()));
    for chip_ins in [[3, 3, 0], [0, 0, 8]] {
        view(chip_ins).expect_err("nobody has six");
    }
}
