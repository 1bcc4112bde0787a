//! The catalog: the one list that names the games.

use std::sync::LazyLock;

use ahu_core::parse::unknown_name;
use ahu_games::{giants, rapanui_board, rapanui_cards, rappanui};

use super::nets::built_in;
use super::search::Search;
use super::{AnyRules, Bot, Rules};

/// The search of each game, with the parameters that did best in trials.
pub mod searches {
    use super::{Search, giants, rapanui_board, rapanui_cards, rappanui};

    /// The lead, in points, with a utility of 0.75.
    pub const SCALE: f64 = 20.0;
    /// The search in `rappanui`.
    pub const RAPPANUI: Search<rappanui::RappaNui> =
        Search { policy: rappanui::GREEDY_2, scale: SCALE, depth: 0, errors: 1.5 };
    /// The search in `rapanui_cards`.
    pub const RAPANUI_CARDS: Search<rapanui_cards::RapanuiCards> =
        Search { policy: rapanui_cards::GREEDY_2, scale: SCALE, depth: 2, errors: 2.0 };
    /// The search in `giants`.
    pub const GIANTS: Search<giants::Giants> = Search { policy: giants::GREEDY_2, scale: SCALE, depth: 0, errors: 2.0 };
    /// The search in `rapanui_board`.
    pub const RAPANUI_BOARD: Search<rapanui_board::RapanuiBoard> =
        Search { policy: rapanui_board::GREEDY_2, scale: SCALE, depth: 2, errors: 2.0 };
}

/// The layout hash of each game.
static LAYOUT_HASHES: LazyLock<Vec<[u8; 32]>> =
    LazyLock::new(|| GAMES.iter().map(|rules| rules.layout().hash()).collect());

/// Returns the layout hash of a game. The hashes of the games in the catalog are computed only once.
pub fn layout_hash(rules: &dyn AnyRules) -> [u8; 32] {
    let place = GAMES.iter().position(|known| known.info().id == rules.info().id);
    place.map_or_else(|| rules.layout().hash(), |place| LAYOUT_HASHES[place])
}

/// The rules of a game with its bots: what `easy` does wrong in 1,000 decisions, and the words about `greedy@1` and `greedy@2`.
macro_rules! game {
    ($game:ident::$type:ident, $name:ident, $errors:literal, $greedy_1:literal, $greedy_2:literal) => {
        &Rules::<$game::$type>::new(&[
            Bot::random(),
            Bot::easy(
                $game::GREEDY_2,
                $errors,
                concat!("Plays as greedy@2, and takes any legal action instead in ", $errors, " of 1,000 decisions."),
            ),
            Bot::quick("greedy@1", $game::GREEDY_1, $greedy_1),
            Bot::quick("greedy@2", $game::GREEDY_2, $greedy_2),
            Bot::built_in(&built_in::$name),
            Bot::search(searches::$name),
        ])
    };
}

/// All games. A new game needs one entry here.
pub static GAMES: &[&dyn AnyRules] = &[
    game!(
        rappanui::RappaNui,
        RAPPANUI,
        270,
        "Plays events against the leader and the best meld it has.",
        "Also keeps its cards for a better meld."
    ),
    game!(
        rapanui_cards::RapanuiCards,
        RAPANUI_CARDS,
        350,
        "Builds Moai as soon as it can pay, and values a card by its benefit to itself and to the others.",
        "Also draws no Moai for their own sake, and weighs the benefit to the others more."
    ),
    game!(
        giants::Giants,
        GIANTS,
        50,
        "Sculpts Moai that it can carry, and places its people on the route that pays most.",
        "Also takes half-tablets, harvests forests, reserves Ahus, and looks under Moai."
    ),
    game!(
        rapanui_board::RapanuiBoard,
        RAPANUI_BOARD,
        58,
        "Plans each round: the sculptors, the sites of Moai and Pukao, and the payments for Offering tiles.",
        "Also prefers other Resources and Ahu tiles, those that win more games."
    ),
];

/// Returns the game with this id.
pub fn find(id: &str) -> Result<&'static dyn AnyRules, UnknownGame> {
    GAMES.iter().copied().find(|rules| rules.info().id == id).ok_or_else(|| UnknownGame(id.to_owned()))
}

/// The error for an id that no game has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", unknown_name("game", .0, &GAMES.iter().map(|rules| rules.info().id).collect::<Vec<_>>()).message)]
pub struct UnknownGame(pub String);
