//! The data files: the messages that the catalog serves agree with the drawings, and with the games in play.

use std::collections::BTreeSet;

use ahu_core::{ChanceRng, Game, GameExt as _, GameOptions as _, NoEvents, Seats, Seed, Viewer};
use ahu_games::{DataFile, Wire, giants, rapanui_board, rapanui_cards, rappanui};
use prost::Name;

/// Returns the content of the data file of this name.
fn content<G: Wire, M: Name + Default>(name: &str) -> M {
    let file = G::data_files().into_iter().find(|file| file.name == name).expect("the game has the file");
    assert!(file.content.type_url.ends_with(&M::full_name()), "{}", file.content.type_url);
    M::decode(&*file.content.value).expect("the message can be read")
}

/// Returns a game with the default options after all chance of the setup.
fn begun<G: Wire>(seats: usize) -> G {
    let options = G::Options::new(Seats::new(seats).expect("a number of seats"));
    let mut game = G::new(&options);
    game.settle_all(&mut ChanceRng::new(Seed(5)), &mut NoEvents);
    game
}

/// Returns the cells of a drawing: row, place of its first character, text.
fn cells(drawing: &str) -> Vec<(u32, u32, &str)> {
    let rows = drawing.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty());
    let mut cells = Vec::new();
    for (row, line) in (0..).zip(rows) {
        let mut from = 0;
        for word in line.split_whitespace() {
            let at = from + line[from..].find(word).expect("the word is in its line");
            cells.push((row, at as u32, word));
            from = at + word.len();
        }
    }
    cells
}

fn check_names<G: Wire>() {
    let files = G::data_files();
    let names: BTreeSet<&str> = files.iter().map(|file| file.name).collect();
    assert_eq!(names.len(), files.len(), "each name stands for one file");
    for DataFile { name, about, content } in &files {
        assert!(name.starts_with(&format!("{}/", G::INFO.id)) && about.ends_with('.'), "{name}: {about}");
        assert!(!content.value.is_empty(), "{name}");
    }
    for seats in G::Options::MIN_SEATS..=G::Options::MAX_SEATS {
        let options = G::Options::new(Seats::new(seats).expect("a number of seats"));
        let used = G::data_files_of(&options);
        assert!(!used.is_empty() && used.iter().all(|name| names.contains(name)), "{used:?}");
    }
}

#[test]
fn every_game_names_the_files_that_it_uses() {
    check_names::<giants::Giants>();
    check_names::<rapanui_board::RapanuiBoard>();
    check_names::<rapanui_cards::RapanuiCards>();
    check_names::<rappanui::RappaNui>();
}

#[test]
fn an_island_is_its_drawing() {
    use ahu_messages::giants::v1::{Island, Terrain};
    for (name, drawing) in [
        ("giants/v1", include_str!("../../crates/games/src/giants/boards/v1.txt")),
        ("giants/tiny", include_str!("../../crates/games/src/giants/boards/tiny.txt")),
    ] {
        let island: Island = content::<giants::Giants, _>(name);
        let cells = cells(drawing);
        let west = cells.iter().map(|&(_, at, _)| at).min().expect("a drawing has cells");
        assert_eq!(island.hexes.len(), cells.len(), "{name}");
        let mut ahus = island.ahus.iter();
        for ((number, hex), &(row, at, text)) in (0..).zip(&island.hexes).zip(&cells) {
            assert_eq!((hex.number, hex.row, hex.column), (Some(number), row, (at - west) / 3), "{name}");
            let terrain = match text.chars().next().expect("a cell has a text") {
                'Q' => Terrain::MoaiQuarry,
                'H' => Terrain::HeaddressQuarry,
                'V' => Terrain::Village,
                'S' => Terrain::Hut,
                'F' => Terrain::Forest,
                _ => Terrain::Land,
            };
            assert_eq!(hex.terrain(), terrain, "{name}: {text}");
            assert_eq!(hex.logs, text.strip_prefix('F').map_or(0, |logs| logs.parse().expect("a number")), "{name}");
            let near = |other: &&(u32, u32, &str)| {
                let (rows, places) = (row.abs_diff(other.0), at.abs_diff(other.1));
                (rows, places) == (0, 6) || (rows, places) == (1, 3)
            };
            assert_eq!(hex.neighbours.len(), cells.iter().filter(near).count(), "{name}: hex {number}");
            assert_eq!(hex.neighbours.len() + hex.coasts.len(), 6, "{name}: hex {number}");
            let stars = text.matches('*').count();
            assert_eq!(hex.ahus.len(), stars, "{name}: hex {number}");
            for ahu in ahus.by_ref().take(stars) {
                assert_eq!(ahu.hex, Some(number), "{name}");
                let values = format!("{}/{}", ahu.moai_points, ahu.headdress_points);
                assert_eq!(values, text.trim_end_matches('*'), "{name}: hex {number}");
                assert!(
                    hex.coasts.contains(&ahu.edge) || (hex.coasts.is_empty() && ahu.edge == 0),
                    "{name}: hex {number}"
                );
            }
        }
        assert!(ahus.next().is_none(), "{name}");
        let rows = cells.iter().map(|&(row, ..)| row + 1).max();
        let columns = island.hexes.iter().map(|hex| hex.column + 2).max();
        assert_eq!((Some(island.row_count), Some(island.column_count)), (rows, columns), "{name}");
    }
}

#[test]
fn an_island_in_play_is_that_of_the_data_file() {
    let island: ahu_messages::giants::v1::Island = content::<giants::Giants, _>("giants/v1");
    let table = giants::Giants::observation(&begun::<giants::Giants>(4).view(Viewer::Public));

    for (hex, shown) in island.hexes.iter().zip(&table.hexes) {
        assert_eq!((hex.q, hex.r, hex.terrain, &hex.neighbours), (shown.q, shown.r, shown.terrain, &shown.neighbours));
        assert_eq!((hex.number, hex.logs, &hex.ahus), (shown.number, shown.harvest, &shown.ahus));
    }
    for (ahu, shown) in island.ahus.iter().zip(&table.ahus) {
        let shown = (shown.number, shown.hex, shown.moai_points, shown.headdress_points);
        assert_eq!((ahu.number, ahu.hex, ahu.moai_points, ahu.headdress_points), shown);
    }
    assert_eq!((island.hexes.len(), island.ahus.len()), (table.hexes.len(), table.ahus.len()));
}

#[test]
fn a_side_of_the_board_is_its_drawing() {
    use ahu_messages::rapanui_board::v1::{Board, Quarry, Resource};
    for (name, seats, drawing) in [
        ("rapanui_board/rn_34_v1", 3, include_str!("../../crates/games/src/rapanui_board/boards/rn_34_v1.txt")),
        ("rapanui_board/rn_2_v1", 2, include_str!("../../crates/games/src/rapanui_board/boards/rn_2_v1.txt")),
    ] {
        let board: Board = content::<rapanui_board::RapanuiBoard, _>(name);
        let map: Vec<Vec<&str>> = drawing
            .lines()
            .filter(|line| !line.starts_with(['#', 'q', 's']) && !line.trim().is_empty())
            .map(|line| line.split_whitespace().collect())
            .collect();
        assert_eq!((board.row_count as usize, board.column_count as usize), (map.len(), map[0].len()), "{name}");
        let at = |row: u32, column: u32| map[row as usize][column as usize];
        let land = map.iter().flatten().filter(|cell| **cell != "-").count();
        assert_eq!(board.spaces.len() + 2, land, "{name}");
        for space in &board.spaces {
            let text = at(space.row, space.column);
            let colours: Vec<&str> = text.trim_end_matches('*').split('/').collect();
            let letter = |colour: &i32| &Resource::try_from(*colour).expect("a Resource").as_str_name()[9..10];
            assert_eq!(space.colours.iter().map(letter).collect::<Vec<_>>(), colours, "{name}: {text}");
            assert_eq!(space.ahu_count as usize, text.matches('*').count(), "{name}: {text}");
            let adjacent = space.adjacent_spaces.len() + space.adjacent_quarries.len();
            assert_eq!(adjacent + space.coasts.len(), 4, "{name}: {text}");
        }
        for quarry in &board.quarries {
            let code = if quarry.quarry() == Quarry::Crater { "CR" } else { "PQ" };
            assert_eq!(at(quarry.row, quarry.column), code, "{name}");
        }
        let numbers = |word: &str| -> Vec<u32> {
            let line = drawing.lines().find_map(|line| line.strip_prefix(word)).expect("the file has the line");
            line.split_whitespace().map(|number| number.parse().expect("a number")).collect()
        };
        let places = board.quarry_places.expect("the columns");
        assert_eq!(vec![places.small, places.medium, places.large], numbers("quarry"), "{name}");
        assert_eq!(vec![board.star_count], numbers("stars"), "{name}");

        let game = begun::<rapanui_board::RapanuiBoard>(seats);
        let shown = rapanui_board::RapanuiBoard::observation(&game.view(Viewer::Public));
        assert_eq!(rapanui_board::RapanuiBoard::data_files_of(game.options())[0], name);
        assert_eq!(board.spaces.len(), shown.spaces.len());
        for (space, shown) in board.spaces.iter().zip(&shown.spaces) {
            assert_eq!((space.number, space.row, space.column), (shown.number, shown.row, shown.column));
            assert_eq!((&space.adjacent_spaces, &space.colours), (&shown.adjacent_spaces, &shown.colours));
        }
    }
}

#[test]
fn the_tiles_of_the_data_file_are_those_in_play() {
    let tiles: ahu_messages::rapanui_board::v1::Tiles =
        content::<rapanui_board::RapanuiBoard, _>("rapanui_board/rn_v1");
    let count = |beginner: bool| {
        let of = tiles.ahu_tiles.iter().map(|of| if beginner { of.beginner_count } else { of.count });
        of.sum::<u32>()
    };
    assert_eq!((count(false), count(true), tiles.pukao_count, tiles.improvements.len()), (29, 21, 20, 4));
    for seats in 2..=4 {
        let game = begun::<rapanui_board::RapanuiBoard>(seats);
        let shown = rapanui_board::RapanuiBoard::observation(&game.view(Viewer::Public));
        assert_eq!(shown.supply, if seats == 2 { tiles.moai_of_two } else { tiles.moai });
        assert_eq!(shown.stacks.len(), tiles.offerings.len());
        for (stack, offering) in shown.stacks.iter().zip(&tiles.offerings) {
            let values = if seats == 2 { &offering.values_of_two } else { &offering.values };
            assert_eq!((stack.r#type, &stack.values), (offering.r#type, values));
            assert_eq!(stack.outstanding_values, offering.outstanding_values);
        }
    }
    let prices = tiles.offerings.iter().filter_map(|of| of.price).map(|of| of.reeds + of.eggs + of.wood + of.pearls);
    assert_eq!(prices.collect::<Vec<_>>(), [4; 5]);
}

#[test]
fn the_cards_of_the_data_files_are_those_in_play() {
    use ahu_messages::{rapanui_cards::v1 as cards, rappanui::v1 as deck};
    let deck: deck::Deck = content::<rappanui::RappaNui, _>("rappanui/v1");
    assert_eq!(deck.cards.iter().map(|of| of.count).sum::<u32>(), 120);
    let game = begun::<rappanui::RappaNui>(3);
    for kind in &deck.cards {
        let notation = &kind.card.as_ref().expect("a card").notation;
        let card: rappanui::cards::Kind = notation.parse().expect("it is the notation of actions");
        let hands = game.hands.values().iter().fold(game.deck, |all, hand| all | *hand);
        assert_eq!((hands.count(card) as u32, kind.name.as_str()), (kind.count, card.name()), "{notation}");
    }

    let cards: cards::Deck = content::<rapanui_cards::RapanuiCards, _>("rapanui_cards/v1");
    let total = |kinds: cards::KindCounts| {
        let of = kinds.gatherers.expect("a count of each food");
        of.fish + of.mulberry + of.sweet_potato + of.grain + kinds.lumberjack + kinds.priest + kinds.moai
    };
    assert_eq!(total(cards.cards.expect("the cards")), 50);
    let foods = cards.sacrifice_cards.expect("the sacrifice cards");
    assert_eq!([foods.fish, foods.mulberry, foods.sweet_potato, foods.grain], [25; 4]);
    let game = begun::<rapanui_cards::RapanuiCards>(4);
    for seat in game.options().seats.iter() {
        let shown = rapanui_cards::RapanuiCards::observation(&game.view(Viewer::Seat(seat)));
        let player = &shown.players[seat.index()];
        let start = cards.start_cards.iter().find(|start| start.colour == player.colour).expect("its colour");
        let own = start.cards.expect("its cards");
        let hand = cards::KindCounts { lumberjack: 0, ..own };
        assert_eq!((player.hand, own.lumberjack, total(own)), (Some(hand), 1, 4), "seat {seat}");
        assert_eq!(shown.columns.len() as u32, cards.column_count);
        assert!(shown.columns.iter().all(|column| column.card_count == cards.column_depth));
    }
}
