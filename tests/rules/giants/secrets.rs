//! The secrets of Giants, from the rules alone: each bid, begun or sealed, until the last one is sealed. Everything
//! else is public, or follows from public actions.

use std::collections::BTreeSet;

use ahu_core::{Seat, Viewer};
use ahu_games::giants::board::{Ahu, Ahus, Terrain};
use ahu_games::giants::piece::{BySize, Kind, Piece, Size};
use ahu_games::giants::{Action, Amount, Bid, Bidding, Claim, Giants, Leaders, Phase, Place, Site, Spot};
use rand::rngs::ChaCha8Rng;
use rand::{Rng, RngExt, SeedableRng};

use super::{bid_actions, seat, table, viewer};
use ahu_laws::{Ply, Secrets};

impl Secrets<crate::Own> for Giants {
    const LENGTH: u64 = 10;

    fn shuffle_secrets(
        &self,
        viewer: Viewer,
        next: Option<&Ply<Self>>,
        rng: &mut dyn Rng,
    ) -> (Self, Option<Ply<Self>>) {
        let mut game = self.clone();
        let mut next = next.cloned();
        if !matches!(self.table.phase, Phase::Bid { .. }) || shows_all_bids(self, next.as_ref()) {
            return (game, next);
        }
        for other in self.table.options.seats.iter().filter(|&seat| !viewer.is(seat)) {
            game.bids[other] = match self.bids[other] {
                Bidding::Sealed(_) => Bidding::Sealed(some_bid(self, other, rng)),
                Bidding::Markers | Bidding::Workers { .. } | Bidding::Leaders { .. } => some_step(self, other, 3, rng),
            };
        }
        // All viewers see whether another seat's ply seals a bid, and see nothing else of the ply.
        if let Some(Ply::Action(other, action)) = &mut next
            && !viewer.is(*other)
        {
            let bid = some_bid(self, *other, rng);
            (game.bids[*other], *action) = match action {
                Action::BidLeaders(_) => {
                    let Bid { markers, workers, leaders } = bid;
                    (Bidding::Leaders { markers, workers }, Action::BidLeaders(leaders))
                }
                _ => match some_step(self, *other, 2, rng) {
                    Bidding::Markers => (Bidding::Markers, Action::BidMarkers(Amount::of(bid.markers))),
                    step => (step, Action::BidWorkers(Amount::of(bid.workers))),
                },
            };
        }
        (game, next)
    }

    fn assert_invariants(&self) {
        assert_goods_are_whole(self);
        assert_pieces_are_whole(self);
        self.check_invariants().expect("the game's own count agrees");
    }
}

/// Returns true if the next ply seals the last bid, which shows all bids.
fn shows_all_bids(game: &Giants, next: Option<&Ply<Giants>>) -> bool {
    let is_sealed = |seat: Seat| matches!(game.bids[seat], Bidding::Sealed(_));
    match next {
        Some(Ply::Action(last, Action::BidLeaders(_))) => {
            game.table.options.seats.iter().all(|seat| seat == *last || is_sealed(seat))
        }
        Some(Ply::Action(..) | Ply::Outcome(_)) | None => false,
    }
}

/// Returns a random part of the goods and leaders behind a screen.
fn some_bid(game: &Giants, seat: Seat, rng: &mut dyn Rng) -> Bid {
    let tribe = &game.table.tribes[seat];
    let sorcerer = tribe.sorcerer == Spot::Reserve && rng.random_range(0..2) == 0;
    let chief = tribe.chief == Spot::Reserve && rng.random_range(0..2) == 0;
    let leaders = match (sorcerer, chief) {
        (false, false) => Leaders::None,
        (true, false) => Leaders::Sorcerer,
        (false, true) => Leaders::Chief,
        (true, true) => Leaders::Both,
    };
    let markers = rng.random_range(0..=tribe.reserve.markers);
    Bid { markers, workers: rng.random_range(0..=tribe.reserve.workers), leaders }
}

/// Returns a random bid at one of its first `steps` steps.
fn some_step(game: &Giants, seat: Seat, steps: u8, rng: &mut dyn Rng) -> Bidding {
    let Bid { markers, workers, .. } = some_bid(game, seat, rng);
    match rng.random_range(0..steps) {
        0 => Bidding::Markers,
        1 => Bidding::Workers { markers },
        _ => Bidding::Leaders { markers, workers },
    }
}

/// Checks the numbers of figures, Tribe Markers, bases, halves, and logs against the list of the material.
fn assert_goods_are_whole(game: &Giants) {
    let table = &game.table;
    let count = table.options.seats.count();
    let mut halves = table.halves;
    let mut logs = table.logs_left + table.logs_gone;
    for owner in table.options.seats.iter() {
        let tribe = &table.tribes[owner];
        let on_island: u8 = table.board().hexes.iter().map(|hex| tribe.workers.count(hex)).sum();
        assert_eq!(tribe.reserve.workers + tribe.front.workers + tribe.receptacle.workers + on_island, 6, "Workers");
        let bears_a_marker = |piece: &Piece| matches!(table.place_of(*piece), Place::Island { claim: Claim::Marked(by), .. } if by == owner);
        let marked = Piece::all().filter(bears_a_marker).count() as u8;
        assert_eq!(tribe.reserve.markers + tribe.front.markers + tribe.receptacle.markers + marked, 6, "Tribe Markers");
        let has_a_base = |ahu: &Ahu| match table.site(*ahu) {
            Site::Free => false,
            Site::Reserved(by) => by == owner,
            Site::Erected { owner: by, .. } => by == Some(owner),
        };
        let bases = Ahu::all().filter(has_a_base).count() as u8;
        assert_eq!(tribe.reserve.bases + bases, [7, 6, 5][count - 3], "bases");
        halves += tribe.halves;
        logs += tribe.reserve.logs;
        for spot in [tribe.sorcerer, tribe.chief] {
            if let Spot::On(hex) = spot {
                assert!(table.board().hexes.contains(hex), "a figure off the island: {hex}");
            }
        }
    }
    assert_eq!(halves, 30);
    assert_eq!(logs + table.logs.placed().len() as u8, 27, "logs");
    for log in table.logs.placed() {
        let stands = |seat: Seat| table.tribes[seat].figures().contains(log.hex);
        assert!(table.options.seats.iter().any(stands), "a log lies alone on {}", log.hex);
    }
    let from_forests: u8 = table
        .board()
        .hexes
        .iter()
        .filter(|&hex| table.harvested.contains(hex))
        .map(|hex| match table.board().terrain(hex) {
            Terrain::Forest { logs } => logs,
            other => panic!("expected a forest, got {other:?}"),
        })
        .sum();
    assert_eq!(27 - table.logs_left, from_forests, "all logs come from the forests, at most 27 in all");
}

/// Checks that there are 17, 12, and 6 Moai and 14 headdresses, each in one place.
fn assert_pieces_are_whole(game: &Giants) {
    let table = &game.table;
    let offered = match table.phase {
        Phase::Bid { offered } | Phase::Pick { offered, .. } => offered,
        _ => BySize::EMPTY,
    };
    let is_out = |piece: &Piece| table.place_of(*piece) != Place::Rock;
    for (size, all) in Size::ALL.into_iter().zip([17, 12, 6]) {
        let out = Piece::all().filter(|piece| piece.kind() == Kind::Moai(size)).filter(is_out).count() as u8;
        assert_eq!(table.supply[size] + table.removed[size] + offered[size] + out, all, "Moai of size {size}");
    }
    assert_eq!(Piece::all().filter(|piece| piece.kind() == Kind::Headdress).count(), 14);
    let mut on_ahus = BTreeSet::new();
    for ahu in Ahu::all() {
        let Site::Erected { moai, headdress, .. } = table.site(ahu) else { continue };
        assert!(table.board().ahus().any(|there| there == ahu), "a Moai stands on {ahu}, off the island");
        assert_ne!(moai.kind(), Kind::Headdress);
        assert!(headdress.is_none_or(|headdress| headdress.kind() == Kind::Headdress));
        for piece in [Some(moai), headdress].into_iter().flatten() {
            assert_eq!(table.place_of(piece), Place::Ahu(ahu));
            assert!(on_ahus.insert(piece), "{piece} is on two Ahus");
        }
    }
    let with_moai = Ahu::all().filter(|&ahu| matches!(table.site(ahu), Site::Erected { owner: Some(_), .. }));
    assert_eq!(with_moai.collect::<Ahus>(), table.sites.erected(), "each Moai stands on a base");
    for piece in Piece::all() {
        match table.place_of(piece) {
            Place::Rock => {}
            Place::Ahu(_) => assert!(on_ahus.contains(&piece), "{piece} is on an Ahu that does not have it"),
            Place::Front(_) => assert!(!matches!(table.phase, Phase::Roll | Phase::Bid { .. } | Phase::Recover { .. })),
            Place::Island { hex, claim } => {
                assert!(table.board().hexes.contains(hex));
                let in_transport = matches!(table.phase, Phase::Transport { .. });
                assert!(in_transport || !matches!(claim, Claim::Held(_)), "{piece} is held after the phase");
            }
        }
    }
}

/// The leak law depends on this: a shuffle reaches every bid that a viewer cannot exclude, and changes nothing else.
#[test]
fn what_a_viewer_cannot_know_turns_up_wherever_it_could_be() {
    let mut game =
        table("seats: 4\nphase: bid 1 2\nbehind: 1W 1T / 1W 1T / 1W 1T / 1W 1T\nfront: - / sorcerer / sorcerer");
    game.seal(1, "1T 1W");
    game.act(seat(2), bid_actions("1T")[0]).expect("it is legal");
    let sealing = Ply::Action(seat(2), Action::BidLeaders(Leaders::None));
    let going_on = Ply::Action(seat(2), Action::BidWorkers(Amount::of(0)));
    let mut rng = ChaCha8Rng::seed_from_u64(1);

    let mut found: [BTreeSet<String>; 4] = Default::default();
    for _ in 0..1_000 {
        let (other, next) = game.game.shuffle_secrets(viewer(0), Some(&going_on), &mut rng);
        assert_eq!(other.table, game.game.table, "the public part stays as it is");
        other.bids.iter().for_each(|(seat, bidding)| {
            found[seat.index()].insert(format!("{bidding:?}"));
        });
        let Some(Ply::Action(by, action)) = next else { panic!("expected an action of a bid, got {next:?}") };
        assert_eq!(by, seat(2));
        assert!(matches!(action, Action::BidMarkers(_) | Action::BidWorkers(_)), "{action}");
        let (_, next) = game.game.shuffle_secrets(viewer(0), Some(&sealing), &mut rng);
        assert!(matches!(next, Some(Ply::Action(_, Action::BidLeaders(_)))), "all viewers see that it seals the bid");
    }

    // Seat 1 may have bid a Tribe Marker or none, a Worker or none, the Chief or not. Its Sorcerer is spent.
    assert_eq!(found.map(|found| found.len()), [1, 8, 3, 7]);
    // The action that shows all bids has no alternative.
    let mut last = table("phase: bid 1\nbehind: 1W 1T / 1W 1T / 1W 1T");
    for index in [0, 1] {
        last.seal(index, "1T");
    }
    last.play("bid markers 0, bid workers 1");
    let (other, _) = last.game.shuffle_secrets(viewer(0), Some(&sealing), &mut rng);
    assert_eq!(other, last.game);
}
