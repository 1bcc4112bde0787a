//! The law of compact texts: from the text and its legend alone, a reader builds the whole typed message again. Each game has a
//! reader in its folder, which knows the words of the legend and the printed rules, and none of the game's code.

use ahu_core::{Compact as _, View as _};
use ahu_games::Wire;
use rand::RngExt as _;

use crate::laws::{few_games_of, play_random, some_options, tables, viewers};
use crate::secrets::Secrets;

/// Reads random positions as every viewer: about one in `each`, all those with the last ply due, and the end. Returns their number.
pub(crate) fn law_of_reading<G: Secrets + Wire>(each: u32, read: impl Fn(&str, &str) -> G::Observation) -> usize
where
    G::Observation: PartialEq + std::fmt::Debug,
{
    let mut count = 0;
    for seats in tables::<G>() {
        for seed in 0..few_games_of::<G>().min(40) {
            play_random::<G>(&some_options::<G>(seats, seed), seed, |game, next, rng| {
                if next.is_some() && rng.random_range(0..each) > 0 {
                    return;
                }
                for viewer in viewers(seats) {
                    let view = game.view(viewer).shown();
                    let (legend, text) = (view.compact_legend(), view.compact());
                    let (built, sent) = (read(&legend, &text), G::observation(&view));
                    if built != sent {
                        let lines = [&built, &sent].map(|message| format!("{message:#?}"));
                        let [built, sent] = lines.each_ref().map(|lines| lines.lines().collect::<Vec<_>>());
                        let at = built.iter().zip(&sent).take_while(|(one, other)| one == other).count();
                        let around = |lines: &[&str]| lines[at.saturating_sub(6)..lines.len().min(at + 4)].join("\n");
                        panic!("seed {seed}, {viewer}: read\n{}\nsent\n{}\nof\n{text}", around(&built), around(&sent));
                    }
                    count += 1;
                }
            });
        }
    }
    count
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
