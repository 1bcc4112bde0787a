//! The bot `greedy`.

use ahu_core::{
    Action as _, ActionSet, ChanceRng, Game, GameExt, GameOptions as _, NoEvents, Seed, Turn, View as _, Viewer,
};
use ahu_games::rapanui_board::{Action, GREEDY_1, Options, RapanuiBoard};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use ahu_laws::laws::tables;

/// Plays a game in which `is_greedy` selects the greedy seats; the other seats play at random.
fn played(options: &Options, seed: u64, is_greedy: impl Fn(usize) -> bool) -> RapanuiBoard {
    let mut game = RapanuiBoard::new(options);
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    game.settle_all(&mut ChanceRng::new(Seed(seed)), &mut NoEvents);
    let mut legal = ActionSet::of::<Action>();
    while let Turn::Seats(to_act) = game.turn() {
        let seat = to_act.first().expect("a seat is to act");
        game.legal_actions(seat, &mut legal);
        let random = legal.nth(rng.random_range(0..legal.len())).and_then(Action::from_id).expect("a legal action");
        let action = match is_greedy(seat.index()) {
            true => (GREEDY_1.choose)(&game.view(Viewer::Seat(seat)).shown(), &legal, &mut rng),
            false => random,
        };
        game.play_checked(seat, action, &mut NoEvents).expect("the bot plays by the rules");
    }
    game
}

#[test]
fn greedy_tables_come_to_the_regular_end() {
    for seats in tables::<RapanuiBoard>() {
        let games = (0..40).map(|seed| played(&Options::new(seats), seed, |_| true));
        let stalled = games.filter(|game| game.table.idle_rounds == game.table.options.stall_end).count();
        assert!(stalled <= 4, "{seats} seats: {stalled} of 40 games have stalled");
    }
}

#[test]
fn one_greedy_player_beats_random_ones() {
    for seats in tables::<RapanuiBoard>() {
        let options = Options::new(seats);
        let won = (0..20).filter(|&seed| {
            let greedy = seed as usize % seats.count();
            let ranks = played(&options, seed, |seat| seat == greedy).view(Viewer::Public).ranks();
            ranks.values()[greedy] == 1
        });
        let won = won.count();
        assert!(won >= 18, "{seats} seats: won {won} of 20");
    }
}
