//! Writes a bot for Rappa Nui from the typed view, and compares it with random play.
//!
//!     cargo run --release --example write_bot
//!
//! The bot is a function of a view: it cannot see the hands of others or the order of the deck. A bot of the catalog is
//! a `Policy` in the table `BOTS` of its game.

use std::error::Error;
use std::io::{self, Write};

use ahu_core::{
    Action as _, ActionSet, ChanceRng, Game, GameExt, GameOptions, NoEvents, Seat, Seats, Seed, View as _, Viewer,
};
use ahu_games::rappanui::cards::ResourceKind;
use ahu_games::rappanui::{Action, Options, RappaNui, View};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

/// The number of games of the comparison. Each seed is played twice, with the builder in each of the two seats.
const GAMES: u64 = 400;

fn main() -> Result<(), Box<dyn Error>> {
    compare(GAMES, &mut io::stdout().lock())?;
    Ok(())
}

/// Chooses an action: an event if there is one, the longest meld, and the discard of the lowest card.
fn builder(view: &View, legal: &ActionSet, _: &mut ChaCha8Rng) -> Action {
    let worth = |action: Action| match action {
        Action::PlayEvent(..) => 100,
        // High cards wait for a meld with more of their kind.
        Action::Meld(card) => 50 - number(card),
        Action::Done => 30,
        Action::NoMeld if view.hand.len() > 8 => 0,
        Action::NoMeld | Action::NoEvent => 20,
        Action::Discard(card) => 10 - card.as_resource().map_or(12, number),
    };
    legal.actions().max_by_key(|&action| worth(action)).expect("a seat that has to decide has a legal action")
}

/// Returns the number on a card, 1 to 12.
fn number(card: ResourceKind) -> i32 {
    i32::from(card.number())
}

/// Chooses a legal action at random, each with the same probability.
fn random(_: &View, legal: &ActionSet, rng: &mut ChaCha8Rng) -> Action {
    let id = legal.nth(rng.random_range(0..legal.len())).expect("a seat that has to decide has a legal action");
    Action::from_id(id).expect("legal ids are actions")
}

/// Plays the games. Returns the share of games that the builder wins, where a tie counts half.
fn compare(games: u64, out: &mut impl Write) -> io::Result<f64> {
    let mut wins = 0.0;
    for game in 0..games {
        let own = Seat::new(game as usize % 2).expect("a game of two has seats 0 and 1");
        let ranks = play(Seed(game / 2), own);
        wins += match ranks {
            (1, 1) => 0.5,
            (1, _) => 1.0,
            _ => 0.0,
        };
    }
    let share = wins / games as f64;
    writeln!(out, "the builder wins {:.1} % of {games} games against random play", 100.0 * share)?;
    Ok(share)
}

/// Plays one game, and returns the ranks of the builder in seat `own` and of the other seat.
fn play(seed: Seed, own: Seat) -> (u8, u8) {
    let seats = Seats::new(2).expect("two seats fit a table");
    let mut game = RappaNui::new(&Options::new(seats));
    let mut chance = ChanceRng::new(seed);
    let mut rng = ChaCha8Rng::seed_from_u64(seed.0);
    let mut legal = ActionSet::of::<Action>();
    loop {
        game.settle_all(&mut chance, &mut NoEvents);
        let Some(seat) = game.turn().to_act().iter().next() else { break };
        let view = game.view(Viewer::Seat(seat)).shown();
        game.legal_actions(seat, &mut legal);
        let choose = if seat == own { builder } else { random };
        let action = choose(&view, &legal, &mut rng);
        game.play_checked(seat, action, &mut NoEvents).expect("both choose legal actions");
    }
    let ranks = game.view(Viewer::Public).ranks();
    let other = seats.others(own).next().expect("there is another seat");
    (ranks[own], ranks[other])
}

#[test]
fn the_builder_is_better_than_random_play() {
    let share = compare(100, &mut Vec::new()).expect("a vector takes all text");
    assert!(share > 0.6, "{share}");
}
