//! The laws of texts. Compact: from the text and its legend alone, a reader builds the whole typed message again. Each game
//! has a reader in its folder, which knows the words of the legend and the printed rules, and none of the game's code. For
//! people: the text differs wherever the typed message does.

use std::collections::HashMap;

use ahu_core::{Action as _, Compact as _, Seed, View as _};
use ahu_games::Wire;
use ahu_host::{Referee, SeatPlayer, Terms, find};
use prost::Message as _;
use rand::RngExt as _;

use ahu_laws::laws::{carry_out, few_games_of, legal, play_random, some_options, tables, viewers};
use ahu_laws::{Ply, Secrets};

/// Reads positions of random games and of games of a bot as every viewer: about one in `each`, and the end. Returns their number.
pub(crate) fn law_of_reading<G: Secrets<L> + Wire, L>(each: u32, read: impl Fn(&str, &str) -> G::Observation) -> usize
where
    G::Observation: PartialEq + Default + std::fmt::Debug,
{
    let mut count = 0;
    let mut check = |legend: &str, text: &str, sent: &G::Observation| {
        let built = read(legend, text);
        assert!(built == *sent, "read and sent:{}\nof\n{text}", difference(&built, sent));
        count += 1;
    };
    let rules = find(G::INFO.id).expect("a game of the catalog");
    let greedy = rules.bot("greedy").expect("a bot");
    for seats in tables::<G>() {
        for seed in 0..few_games_of::<G, L>().min(40) {
            play_random::<G>(&some_options::<G>(seats, seed), seed, |game, next, rng| {
                if next.is_none() || rng.random_range(0..each) == 0 {
                    for view in viewers(seats).map(|viewer| game.view(viewer).shown()) {
                        check(&view.compact_legend(), &view.compact(), &G::observation(&view));
                    }
                }
            });
        }
        // The bot gets to the Moai, headdresses, and offerings that random games seldom have.
        let players = seats.iter().map(|_| SeatPlayer::bot(greedy)).collect();
        let setup = rules.configure(seats.count(), &[]).expect("a setup");
        let mut referee = Referee::new(setup, Seed(seats.count() as u64), players, Terms::default());
        while !referee.is_over() {
            referee.play_bot();
            if referee.is_over() || referee.plies().is_multiple_of(each) {
                for view in viewers(seats).map(|viewer| referee.view(viewer)) {
                    let sent = G::Observation::decode(&*view.message().value).expect("it is the message");
                    check(&view.compact_legend(), &view.compact(), &sent);
                }
            }
        }
    }
    count
}

/// Checks that the text for people differs wherever the typed message does: between the positions of a random game, and those
/// that other actions would have led to. Returns the number of pairs of a text and its message.
pub(crate) fn law_of_telling<G: Secrets<L> + Wire, L>(each: u32) -> usize
where
    G::Observation: PartialEq + Clone + std::fmt::Debug,
{
    let mut count = 0;
    for seats in tables::<G>() {
        for seed in 0..few_games_of::<G, L>().min(12) {
            let mut told = HashMap::new();
            let mut check = |game: &G| {
                for viewer in viewers(seats) {
                    let view = game.view(viewer).shown();
                    let (text, sent) = (view.to_string(), G::observation(&view));
                    let first = told.entry((viewer, text.clone())).or_insert_with(|| sent.clone());
                    assert!(*first == sent, "one text for two messages:{}\n{text}", difference(first, &sent));
                }
                count += viewers(seats).count();
            };
            play_random::<G>(&some_options::<G>(seats, seed), seed, |game, next, rng| {
                if next.is_none() || rng.random_range(0..each) == 0 {
                    check(game);
                    for seat in game.turn().to_act().iter() {
                        let legal = legal(game, seat);
                        for id in (0..legal.len()).filter_map(|n| legal.nth(n)) {
                            let mut other = game.clone();
                            let ply = Ply::Action(seat, G::Action::from_id(id).expect("legal actions have ids"));
                            carry_out(&mut other, &ply, &mut Vec::new());
                            check(&other);
                        }
                    }
                }
            });
        }
    }
    count
}

/// Returns the lines around the first difference of two messages.
fn difference(one: &impl std::fmt::Debug, other: &impl std::fmt::Debug) -> String {
    let [one, other] = [format!("{one:#?}"), format!("{other:#?}")];
    let (one, other): (Vec<_>, Vec<_>) = (one.lines().collect(), other.lines().collect());
    let at = one.iter().zip(&other).take_while(|(one, other)| one == other).count();
    let around = |lines: &[&str]| lines[at.saturating_sub(6)..lines.len().min(at + 4)].join("\n");
    format!("\n{}\nand\n{}", around(&one), around(&other))
}

/// Returns the rest of the line that begins with these words.
pub(crate) fn line<'a>(text: &'a str, words: &str) -> Option<&'a str> {
    text.lines().find_map(|line| line.strip_prefix(words))
}

/// Returns the text between two others, or to the end of the line.
pub(crate) fn between<'a>(text: &'a str, before: &str, after: &str) -> Option<&'a str> {
    let rest = text.split_once(before)?.1;
    let rest = rest.lines().next().unwrap_or_default();
    Some(rest.split_once(after).map_or(rest, |(inner, _)| inner))
}

/// Returns the number at the beginning of a text.
pub(crate) fn number(text: &str) -> u32 {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    text[..end].parse().unwrap_or_else(|_| panic!("expected a number, got \"{text}\""))
}

/// Returns the numbers of a list, with any signs between them.
pub(crate) fn numbers(text: &str) -> Vec<u32> {
    text.split(|c: char| !c.is_ascii_digit()).filter(|part| !part.is_empty()).map(number).collect()
}
