//! The laws of all games, tested for ours and for a toy.

use ahu_core::{BySeat, Game as _, GameOptions as _, SeatSet, View as _, Viewer, options};
use ahu_games::giants::Giants;
use ahu_games::rapanui_board::RapanuiBoard;
use ahu_games::rapanui_cards::RapanuiCards;
use ahu_games::rappanui::RappaNui;
use ahu_laws::laws;
use ahu_laws::laws::{few_games_of, law_of_batches, law_of_no_leak, law_of_secret_decisions, play_random};

use crate::toy::Bids;

laws!(giants, Giants);
laws!(rapanui_board, RapanuiBoard);
laws!(rapanui_cards, RapanuiCards);
laws!(rappanui, RappaNui);
laws!(toy, Bids<false>);

#[test]
fn secret_decisions_may_arrive_in_any_order() {
    assert!(law_of_secret_decisions::<Bids<false>, _>() > 1_000, "the law was tested");
    assert!(law_of_secret_decisions::<Giants, _>() > 1_000, "all bid at once");
    assert_eq!(law_of_secret_decisions::<RappaNui, _>(), 0, "Rappa Nui has none");
    assert_eq!(law_of_secret_decisions::<RapanuiCards, _>(), 0, "nor has the card game: one decides after the other");
    assert_eq!(law_of_secret_decisions::<RapanuiBoard, _>(), 0, "nor has the board game");
}

#[test]
fn a_planted_leak_is_found() {
    let leak = law_of_no_leak::<Bids<true>, _>(few_games_of::<Bids<true>, _>()).expect_err("the view leaks");
    assert!(leak.contains("a secret"), "{leak}");
    let leak = law_of_batches::<Bids<true>, _>(few_games_of::<Bids<true>, _>()).expect_err("the view leaks");
    assert!(leak.starts_with("[Bits, Rewards] tell"), "{leak}");
}

#[test]
fn the_law_of_batches_compares_many() {
    // A view of the board game contains the whole game.
    for compared in
        [law_of_batches::<Giants, _>(8), law_of_batches::<RapanuiCards, _>(8), law_of_batches::<RappaNui, _>(8)]
    {
        let compared = compared.expect("nothing leaks");
        assert!(compared > 100, "{compared}");
    }
}

#[test]
fn covered_points_are_not_shown_before_the_end() {
    let options = options::read::<crate::toy::Options>(3, [("hidden_points", "true")]).expect("an option of the toy");
    let mut shown = 0;
    play_random::<Bids<false>>(&options, 5, |game, next, _| {
        let all: SeatSet = options.seats().all();
        for seat in all.iter() {
            let scores: BySeat<i32> = game.view(Viewer::Seat(seat)).shown().scores();
            let whole = game.view(Viewer::Seat(seat)).scores();
            assert_eq!(scores[seat], whole[seat]);
            shown += usize::from(next.is_some() && scores != whole);
            assert!(next.is_some() || scores == whole);
        }
    });
    assert!(shown > 0);
}
