//! The catalog: the one list that names the games. A program can register others once, before it uses any.

use std::ops::Deref;
use std::sync::{LazyLock, OnceLock};

use ahu_core::parse::unknown_name;
use ahu_games::{giants, rapanui_board, rapanui_cards, rappanui};

use super::nets::built_in;
use super::search::{Guide, Search};
use super::{AnyRules, Bot, RANDOM, Rules, ensure};

/// The searches of each game, with the parameters that did best in trials.
pub mod searches {
    use super::{Guide, Search, built_in, giants, rapanui_board, rapanui_cards, rappanui};

    /// The lead, in points, with a utility of 0.75.
    pub const SCALE: f64 = 20.0;
    /// `search@1` in `rappanui`.
    pub const RAPPANUI: Search<rappanui::RappaNui> =
        Search { policy: rappanui::GREEDY_2, scale: SCALE, depth: 0, errors: 1.5, guide: None };
    /// `search@1` in `rapanui_cards`.
    pub const RAPANUI_CARDS: Search<rapanui_cards::RapanuiCards> =
        Search { policy: rapanui_cards::GREEDY_2, scale: SCALE, depth: 2, errors: 2.0, guide: None };
    /// `search@1` in `giants`.
    pub const GIANTS: Search<giants::Giants> =
        Search { policy: giants::GREEDY_2, scale: SCALE, depth: 0, errors: 2.0, guide: None };
    /// `search@1` in `rapanui_board`.
    pub const RAPANUI_BOARD: Search<rapanui_board::RapanuiBoard> =
        Search { policy: rapanui_board::GREEDY_2, scale: SCALE, depth: 2, errors: 2.0, guide: None };

    /// `search@2` in `rappanui`.
    pub const RAPPANUI_2: Search<rappanui::RappaNui> =
        Search { guide: Some(Guide { net: &built_in::RAPPANUI, decisions: 0 }), ..RAPPANUI };
    /// `search@2` in `rapanui_cards`.
    pub const RAPANUI_CARDS_2: Search<rapanui_cards::RapanuiCards> =
        Search { guide: Some(Guide { net: &built_in::RAPANUI_CARDS, decisions: u32::MAX }), ..RAPANUI_CARDS };
    /// `search@2` in `giants`.
    pub const GIANTS_2: Search<giants::Giants> =
        Search { guide: Some(Guide { net: &built_in::GIANTS, decisions: 0 }), ..GIANTS };
    /// `search@2` in `rapanui_board`, where no guide made the search stronger.
    pub const RAPANUI_BOARD_2: Search<rapanui_board::RapanuiBoard> = RAPANUI_BOARD;
}

/// The layout hash of each game.
static LAYOUT_HASHES: LazyLock<Vec<[u8; 32]>> =
    LazyLock::new(|| GAMES.iter().map(|rules| rules.layout().hash()).collect());

/// Returns the layout hash of a game. The hashes of the games in the catalog are computed only once.
pub fn layout_hash(rules: &dyn AnyRules) -> [u8; 32] {
    let place = GAMES.iter().position(|known| known.info().id == rules.info().id);
    place.map_or_else(|| rules.layout().hash(), |place| LAYOUT_HASHES[place])
}

/// The rules of a game with its bots: its net, its searches, what `easy` does wrong in 1,000 decisions, and the words about
/// `greedy@1`, `greedy@2`, and `heldout@1`.
macro_rules! game {
    ($game:ident::$type:ident, $name:ident, $guided:ident, $errors:literal, $greedy_1:literal, $greedy_2:literal,
     $held_out_1:literal) => {
        &released::<$game::$type>(&[
            Bot::random(),
            Bot::easy(
                $game::GREEDY_2,
                $errors,
                concat!("Plays as greedy@2, and takes any legal action instead in ", $errors, " of 1,000 decisions."),
            ),
            Bot::quick("greedy@1", $game::GREEDY_1, $greedy_1),
            Bot::quick("greedy@2", $game::GREEDY_2, $greedy_2),
            Bot::quick("heldout@1", $game::HELD_OUT_1, $held_out_1),
            Bot::net_of(
                "heldout@2",
                &built_in::held_out::$name,
                "Plays by a net that learned from heldout@1; kept out of training.",
            ),
            Bot::net_of("net@1", &built_in::$name, "Plays by a net that was trained to improve on greedy@2."),
            Bot::search_1(searches::$name),
            Bot::search_2(searches::$guided),
        ])
    };
}

/// Creates the rules of a game of the repository.
#[cfg(not(feature = "messages"))]
const fn released<G: ahu_core::Game>(bots: &'static [Bot<G>]) -> Rules<G> {
    Rules::new(bots)
}

/// Creates the rules of a game of the repository, with its messages.
#[cfg(feature = "messages")]
const fn released<G: super::Wire>(bots: &'static [Bot<G>]) -> Rules<G> {
    Rules::with_messages(bots)
}

/// The games of the repository. A new one needs one entry here.
static RELEASED: &[&dyn AnyRules] = &[
    game!(
        rappanui::RappaNui,
        RAPPANUI,
        RAPPANUI_2,
        270,
        "Plays events against the leader and the best meld it has.",
        "Also keeps its cards for a better meld.",
        "Counts cards, and melds for what its hand can become; kept out of training."
    ),
    game!(
        rapanui_cards::RapanuiCards,
        RAPANUI_CARDS,
        RAPANUI_CARDS_2,
        350,
        "Builds Moai as soon as it can pay, and values a card by its benefit to itself and to the others.",
        "Also draws no Moai for their own sake, and weighs the benefit to the others more.",
        "Counts the harvests to come, and spends its wood at the best rate; kept out of training."
    ),
    game!(
        giants::Giants,
        GIANTS,
        GIANTS_2,
        50,
        "Sculpts Moai that it can carry, and places its people on the route that pays most.",
        "Also takes half-tablets, harvests forests, reserves Ahus, and looks under Moai.",
        "Plans a journey for every piece, and compares plans; kept out of training."
    ),
    game!(
        rapanui_board::RapanuiBoard,
        RAPANUI_BOARD,
        RAPANUI_BOARD_2,
        58,
        "Plans each round: the sculptors, the sites of Moai and Pukao, and the payments for Offering tiles.",
        "Also prefers other Resources and Ahu tiles, those that win more games.",
        "Adds up what it would own and could still do after each action; kept out of training."
    ),
];

/// All games: those of the repository, and those that the program has registered.
pub static GAMES: &Games = {
    static ALL: Games = Games(OnceLock::new());
    &ALL
};

/// The games of a program, as a list that is complete when it is first read.
#[derive(Debug)]
pub struct Games(OnceLock<Vec<&'static dyn AnyRules>>);

impl Games {
    /// Adds games. The names of records, nets, calls, and commands are then theirs, too.
    ///
    /// # Errors
    /// If the list was read or registered before, and if a game has an id that another one has or that no game may have, or has
    /// no bot `random`.
    pub fn register(&self, own: &[&'static dyn AnyRules]) -> Result<(), NotRegistered> {
        let mut all = RELEASED.to_vec();
        for &rules in own {
            let id = rules.info().id;
            let is_word = id.starts_with(|first: char| first.is_ascii_lowercase())
                && id.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_'));
            ensure(is_word, || NotRegistered::Id(id))?;
            ensure(all.iter().all(|known| known.info().id != id), || NotRegistered::Twice(id))?;
            ensure(rules.bot(RANDOM).is_ok(), || NotRegistered::NoRandom(id))?;
            all.push(rules);
        }
        self.0.set(all).map_err(|all| NotRegistered::Late(all.last().map_or("", |rules| rules.info().id)))
    }
}

impl Deref for Games {
    type Target = [&'static dyn AnyRules];

    fn deref(&self) -> &Self::Target {
        self.0.get_or_init(|| RELEASED.to_vec())
    }
}

impl<'a> IntoIterator for &'a Games {
    type Item = &'a &'static dyn AnyRules;
    type IntoIter = std::slice::Iter<'a, &'static dyn AnyRules>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// The reason why games are not registered.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotRegistered {
    /// The id is no word.
    #[error("expected the id of a game as a letter from a to z, and letters, digits, and _ behind it, got \"{0}\"")]
    Id(&'static str),
    /// Another game has the id.
    #[error("expected one game with the id \"{0}\", got two")]
    Twice(&'static str),
    /// Nobody plays on for those who forfeit.
    #[error("expected the bot \"random\" among the bots of the game \"{0}\", got none")]
    NoRandom(&'static str),
    /// Something has read the list.
    #[error("expected all games in one call before the first use of a game, got \"{0}\" after it")]
    Late(&'static str),
}

/// Returns the game with this id.
pub fn find(id: &str) -> Result<&'static dyn AnyRules, UnknownGame> {
    GAMES.iter().copied().find(|rules| rules.info().id == id).ok_or_else(|| UnknownGame(id.to_owned()))
}

/// The error for an id that no game has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", unknown_name("game", .0, &GAMES.iter().map(|rules| rules.info().id).collect::<Vec<_>>()).message)]
pub struct UnknownGame(pub String);
