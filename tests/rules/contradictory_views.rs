//! Views that contradict themselves: each is refused, and the error names the fault.

use ahu_core::{ChanceRng, GameExt as _, NoEvents};
use ahu_core::{Game, GameOptions as _, Seats, Seed, Turn, Viewer};
use ahu_games::giants::Giants;
use ahu_games::giants::piece::BySize;
use ahu_games::rapanui_board::RapanuiBoard;
use ahu_games::rapanui_cards::RapanuiCards;
use ahu_games::rapanui_cards::cards::Foods;
use ahu_games::rappanui::RappaNui;
use rand::SeedableRng as _;
use rand::rngs::ChaCha8Rng;

use super::scripted::{seat, viewer};

/// Returns the view of seat 0 at its first decision, at a table of `seats`.
fn view<G: Game>(seats: usize) -> G::View {
    let mut game = G::new(&G::Options::new(Seats::new(seats).expect("a table")));
    game.settle_all(&mut ChanceRng::new(Seed(4)), &mut NoEvents);
    assert!(matches!(game.turn(), Turn::Seats(_)));
    game.view(viewer(0))
}

/// Checks that the view with a change is refused with an error that has this text.
fn refused<G: Game>(view: &G::View, text: &str, change: impl Fn(&mut G::View)) {
    let view_bytes = G::VIEW_BYTES.expect("the game has views as bytes");
    let rng = &mut ChaCha8Rng::seed_from_u64(1);
    view_bytes.resample(&(view_bytes.write)(view), rng).expect("it is a view");
    let mut changed = view.clone();
    change(&mut changed);
    let error = view_bytes.resample(&(view_bytes.write)(&changed), rng).map(drop).expect_err(text);
    assert!(error.contains(text), "expected {text:?}, got {error:?}");
}

#[test]
fn every_card_is_in_one_place_and_hands_have_their_sizes() {
    let view = &view::<RappaNui>(3);
    let refused = |text, change: &dyn Fn(&mut ahu_games::rappanui::View)| refused::<RappaNui>(view, text, change);
    let here = view.hand;
    refused("cards in the deck and in other hands, got", &|view| view.deck -= 1);
    refused("seat 0: expected 3 cards", &|view| view.hand_sizes[seat(0)] = 3);
    refused("cards in the deck and in other hands", &|view| view.table.discard = here);
    refused("expected players at a table of 3 seats", &|view| view.table.player = seat(4));
    refused("expected players at a table of 3 seats", &|view| view.viewer = Viewer::Seat(seat(3)));
    refused("at most 3 passes", &|view| view.table.passes = 4);
    refused("expected at most", &|view| view.table.points[seat(1)] = u16::MAX);
    refused("seat 1: expected", &|view| view.known[seat(1)] = view.table.shuffled);
    refused("expected a view that a game has", &|view| view.exposed[seat(0)] = here);
}

#[test]
fn sacrifice_cards_and_columns_are_what_the_box_has() {
    let view = &view::<RapanuiCards>(3);
    let refused =
        |text, change: &dyn Fn(&mut ahu_games::rapanui_cards::View)| refused::<RapanuiCards>(view, text, change);
    refused("expected 25 sacrifice cards of each food", &|view| view.table.stock = Foods::EMPTY);
    refused("sacrifice cards of seat 1", &|view| view.table.villages[seat(1)].held += 1);
    refused("expected at most 9 face-down cards, got 10", &|view| view.table.stone.face_down_count = 10);
    refused("expected at most 4 cards in a column", &|view| view.table.columns[0].len = 5);
    refused("expected the cards", &|view| view.table.boxed = 1);
    refused("as many unseen cards as face-down ones", &|view| view.table.stack -= 1);
    refused("glory: ", &|view| view.table.villages[seat(2)].glory = 40_000);
    refused("expected villages and seats of a table of 3 seats", &|view| view.table.active = seat(5));
}

#[test]
fn pieces_tiles_and_rounds_are_those_of_the_board() {
    let view = &view::<RapanuiBoard>(3);
    let refused =
        |text, change: &dyn Fn(&mut ahu_games::rapanui_board::View)| refused::<RapanuiBoard>(view, text, change);
    refused("expected the worth of all Offering tiles", &|view| view.offered[seat(1)] = None);
    refused("expected Offering tiles worth 0 in total", &|view| view.offered[seat(1)] = Some(3));
    refused("Pukao", &|view| view.table.pukao -= 1);
    refused("rounds, got 200", &|view| view.table.round = 200);
    refused("seat 2: expected 4 Villagers", &|view| view.table.players[seat(2)].villagers = 1);
    refused("figurines", &|view| view.table.players[seat(2)].villagers = 200);
}

#[test]
fn people_goods_and_stones_are_those_of_the_island() {
    let view = &view::<Giants>(3);
    let refused = |text, change: &dyn Fn(&mut ahu_games::giants::View)| refused::<Giants>(view, text, change);
    refused("expected a viewer with its bid", &|view| view.bid = None);
    refused("half-tablets", &|view| view.table.halves -= 1);
    refused("logs, got", &|view| view.table.logs_gone += 1);
    refused("Workers of seat 1", &|view| view.table.tribes[seat(1)].reserve.workers += 1);
    refused("people and goods, got", &|view| view.table.tribes[seat(1)].reserve.workers = 250);
    refused("expected a turn from 1", &|view| view.table.turn = 0);
    refused("Moai of size", &|view| view.table.supply = BySize::EMPTY);
    refused("expected a view that a game has", &|view| view.sealed = view.sealed.with(seat(0)));
    refused("looked at Ahus", &|view| view.table.tribes[seat(0)].peeked = view.table.board().all_ahus());
}
