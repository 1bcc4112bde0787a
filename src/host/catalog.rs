//! The catalog: the one list that names the games.

use std::fmt;

use super::bots::Bot;
use super::erased::{AnyRules, Rules};
use crate::core::parse::did_you_mean;
use crate::games::{giants, rapanui_board, rapanui_cards, rappanui};

/// Every game. Adding one is a line here.
pub static GAMES: &[&dyn AnyRules] = &[
    &Rules::<rappanui::RappaNui>::new(&[
        Bot::random(),
        Bot {
            name: "greedy",
            about: "Plays events against the leader and the best meld it has.",
            choose: rappanui::greedy,
        },
    ]),
    &Rules::<rapanui_cards::RapanuiCards>::new(&[
        Bot::random(),
        Bot {
            name: "greedy",
            about: "Builds Moai as soon as it can pay, and weighs what a card will bring it and the others.",
            choose: rapanui_cards::greedy,
        },
    ]),
    &Rules::<giants::Giants>::new(&[
        Bot::random(),
        Bot {
            name: "greedy",
            about: "Sculpts what it can carry, and places its people on the way that pays most.",
            choose: giants::greedy,
        },
    ]),
    &Rules::<rapanui_board::RapanuiBoard>::new(&[
        Bot::random(),
        Bot {
            name: "greedy",
            about: "Plans each round: who sculpts, where Moai go and Pukao, and what is paid for Offering tiles.",
            choose: rapanui_board::greedy,
        },
    ]),
];

/// The game of this id.
pub fn find(id: &str) -> Result<&'static dyn AnyRules, UnknownGame> {
    GAMES.iter().copied().find(|rules| rules.info().id == id).ok_or_else(|| UnknownGame(id.to_owned()))
}

/// No game has this id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownGame(pub String);

impl fmt::Display for UnknownGame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ids: Vec<_> = GAMES.iter().map(|rules| rules.info().id).collect();
        let hint = did_you_mean(&self.0, ids.iter().copied());
        write!(f, "no game is called \"{}\"{hint} (there are {})", self.0, ids.join(", "))
    }
}

impl std::error::Error for UnknownGame {}
