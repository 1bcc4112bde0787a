//! The rules pages: their glossaries agree with the words and the numbers in the tables of the games.

use ahu_core::Numbered as _;
use ahu_games::giants::piece::{HEADDRESSES, MOAI, Size as MoaiSize};
use ahu_games::giants::{HALVES, LOGS, MARKERS, Options as Giants, WORKERS};
use ahu_games::rapanui_board::{BEGINNER_TILES, Improvement, Offering, PUKAO, Resource, Size, TILE_COUNT, TILES, Tile};
use ahu_games::rapanui_cards::Colour;
use ahu_games::rapanui_cards::cards::{DECK, Food, Kind};
use ahu_games::rappanui::cards::{Kind as Card, Suit};
use ahu_host::{find, rules_topic, rules_topics};

/// Returns the entry of a word, on one line.
fn entry(game: &str, word: &str) -> String {
    let rules = find(game).expect("the game is in the catalog");
    let entry = rules_topic(rules, word).unwrap_or_else(|error| panic!("{game}: {error}"));
    entry.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the glossary of a game, on one line.
fn glossary(game: &str) -> String {
    let rules = find(game).expect("the game is in the catalog");
    let topic = rules_topics(rules).into_iter().find(|topic| topic.name == "glossary").expect("every game has one");
    topic.text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn the_deck_game_explains_its_cards() {
    let glossary = glossary("rappanui");
    for suit in Suit::ALL {
        assert!(entry("rappanui", suit.name()).contains("numbers 1 to 12, two cards of each"), "{suit}");
    }
    for card in Card::all() {
        match (card, card.copies()) {
            (Card::Resource(_), copies) => assert_eq!(copies, 2, "{card}"),
            (Card::Event(event), 1) => assert!(glossary.contains(&format!("`{event}`")), "{event}"),
            (Card::Event(event), copies) => {
                assert!(entry("rappanui", &event.to_string()).contains(&format!("{copies} cards")));
            }
        }
    }
}

#[test]
fn the_card_game_explains_its_cards() {
    for kind in [Kind::Lumberjack, Kind::Priest, Kind::Moai] {
        let entry = entry("rapanui_cards", kind.name());
        assert!(entry.contains(&format!("(`{kind}`, {} cards", DECK[kind])), "{entry}");
    }
    let gatherers = entry("rapanui_cards", "Hunter & Gatherer");
    let of_a_food = DECK[Kind::gatherer(Food::Fish)];
    assert!(gatherers.contains(&format!("({} cards, {of_a_food} of each food", 4 * of_a_food)), "{gatherers}");
    let glossary = glossary("rapanui_cards");
    for name in Food::NAMES.iter().chain(Colour::NAMES) {
        assert!(glossary.contains(&format!("`{name}`")), "{name}");
    }
}

#[test]
fn giants_explains_its_pieces() {
    let counted = |word: &str, counts: &[String]| {
        let entry = entry("giants", word);
        assert!(counts.iter().all(|count| entry.contains(count)), "{counts:?}: {entry}");
    };
    let of_size = |size: MoaiSize| format!("{} of size {size}", MOAI[size]);
    counted("Moai", &MoaiSize::ALL.map(of_size));
    counted("headdress", &[format!("({HEADDRESSES}, `ha` to `hn`)")]);
    counted("log", &[format!("({LOGS})")]);
    counted("draw", &[format!("{HALVES} at the beginning")]);
    counted("Worker", &[format!("({WORKERS} of each colour)")]);
    counted("Tribe Marker", &[format!("({MARKERS} of each colour)")]);
    let bases = (3..=5).map(|seats| {
        let seats = ahu_core::Seats::new(seats).expect("a number of seats");
        <Giants as ahu_core::GameOptions>::new(seats).bases()
    });
    assert_eq!(bases.collect::<Vec<_>>(), [7, 6, 5]);
    counted("base", &["5 to 7 for each player".to_owned()]);
}

#[test]
fn the_board_game_explains_its_tiles_and_pieces() {
    for tile in Tile::ALL {
        assert!(entry("rapanui_board", tile.name()).contains(&format!("(`{tile}`, {})", TILES[tile])), "{tile}");
    }
    assert!(entry("rapanui_board", "Ahu tile").contains(&format!("({TILE_COUNT})")));
    assert_eq!(BEGINNER_TILES.total(), 21, "M37");
    for improvement in Improvement::ALL {
        let (resource, count) = improvement.cost();
        let price = format!("(`{improvement}`, {count} {resource})");
        let entry = entry("rapanui_board", improvement.name());
        assert!(entry.to_lowercase().contains(&price), "{price}: {entry}");
    }
    assert!(entry("rapanui_board", "pukao").contains(&format!("(`pukao`, {PUKAO})")));
    let glossary = glossary("rapanui_board");
    for name in Offering::NAMES.iter().chain(Resource::NAMES).chain(Size::NAMES) {
        assert!(glossary.contains(&format!("`{name}`")), "{name}");
    }
}
