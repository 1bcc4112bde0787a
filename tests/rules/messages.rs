//! The laws of typed messages, over random play: reading an action reverses writing it, and nothing leaks.

use ahu_core::{Action, ActionId, Event, Fingerprint, View, Viewer};
use ahu_games::Wire;
use ahu_games::giants::Giants;
use ahu_games::rapanui_board::RapanuiBoard;
use ahu_games::rapanui_cards::RapanuiCards;
use ahu_games::rappanui::RappaNui;
use prost::Message;

use ahu_laws::laws::{asked_games, carry_out, few_games, play_random, some_options, tables, viewers};
use ahu_laws::{Ply, Secrets};

/// Checks that reading a message gives the action that was written, for every action of every seat at every table. This
/// includes actions with opponents that the table does not have.
fn law_of_actions<G: Wire>() {
    for (seats, seat) in tables::<G>().flat_map(|seats| seats.iter().map(move |seat| (seats, seat))) {
        for id in (0..G::Action::COUNT as u16).map(ActionId) {
            let action = G::Action::from_id(id).expect("ids run to the count");
            let bytes = G::action(action, seat, seats).encode_to_vec();
            let message = G::ActionMessage::decode(bytes.as_slice()).expect("they are the message's bytes");
            assert_eq!(G::read_action(&message, seat, seats), Ok(action), "{action}, seat {seat} of {seats}");
        }
        assert!(G::read_action(&G::ActionMessage::default(), seat, seats).is_err(), "nothing is no action");
    }
}

/// Checks that shuffled secrets change no byte that a viewer is sent. This covers the observation, and after a ply
/// that looks the same to the viewer the events and the new observation. Returns the number of positions that a
/// shuffle changed.
fn law_of_no_leak<G: Secrets<L> + Wire, L>() -> usize {
    let mut moved = 0;
    for seats in tables::<G>() {
        for seed in 0..few_games().div_ceil(5) {
            play_random::<G>(&some_options::<G>(seats, seed), seed, |game, next, rng| {
                for viewer in viewers(seats) {
                    let (other, other_next) = game.shuffle_secrets(viewer, next, rng);
                    moved += usize::from(Fingerprint::of(game) != Fingerprint::of(&other));
                    assert_eq!(
                        observed(game, viewer),
                        observed(&other, viewer),
                        "{viewer} before {next:?}, seed {seed}"
                    );
                    if let (Some(next), Some(other_next)) = (next, &other_next) {
                        let (one, other) = (sent(game, next, viewer), sent(&other, other_next, viewer));
                        assert_eq!(one, other, "{viewer} after {next:?}, seed {seed}");
                    }
                }
            });
        }
    }
    moved
}

fn observed<G: Wire>(game: &G, viewer: Viewer) -> Vec<u8> {
    G::observation(&game.view(viewer).shown()).encode_to_vec()
}

/// Returns the messages that `viewer` is sent about a ply: the events, and the observation after it.
fn sent<G: Wire>(game: &G, ply: &Ply<G>, viewer: Viewer) -> (Vec<Vec<u8>>, Vec<u8>) {
    let (mut game, mut events) = (game.clone(), Vec::new());
    carry_out(&mut game, ply, &mut events);
    let seen = events.iter().filter_map(|event| event.visible_to(viewer));
    (seen.map(|seen| G::event(&seen).encode_to_vec()).collect(), observed(&game, viewer))
}

/// Tests the laws for a game, with the least number of positions that a shuffle changes, which makes the law meaningful; 0 for a
/// game without secrets.
macro_rules! message_laws {
    ($name:ident, $game:ty, $moved:expr) => {
        mod $name {
            use super::*;

            #[test]
            fn actions_are_read_as_they_are_written() {
                law_of_actions::<$game>();
            }

            #[test]
            fn no_message_leaks() {
                let moved = law_of_no_leak::<$game, _>();
                // Other numbers of games move other numbers of secrets.
                let least = if asked_games().is_some() { usize::from($moved > 0) } else { $moved };
                assert!(moved >= least && (moved > 0) == (least > 0), "secrets were moved {moved} times");
            }
        }
    };
}

message_laws!(rappanui, RappaNui, 10_000);
// Only cards that lie face down are secret, and often all seats can infer them.
message_laws!(rapanui_cards, RapanuiCards, 250);
message_laws!(giants, Giants, 1_000);
// Nothing is secret. The game's own `secrets.rs` checks that messages leave out the facts that options hide.
message_laws!(rapanui_board, RapanuiBoard, 0);
