//! `ahu games`: the catalog of games.

use std::io::Write;

use ahu_core::hex;
use ahu_host::{AnyRules, GAMES, find};
use serde_json::{Value, json};

use crate::{CliError, Done, print_json};

/// List the games, or show one game with its options, actions, observation layout, and bots
#[derive(Debug, clap::Args)]
pub(super) struct Games {
    /// The game to show in full
    game: Option<String>,
    /// Print JSON: the given game, or all games, in full
    #[arg(long)]
    json: bool,
}

impl Games {
    pub(super) fn run(self, out: &mut impl Write) -> Done {
        let one = self.game.map(|game| find(&game)).transpose().map_err(CliError::usage)?;
        if self.json {
            if let Some(rules) = one {
                return print_json("game", as_json(rules), out);
            }
            let games: Vec<_> = GAMES.iter().map(|rules| as_json(*rules)).collect();
            return print_json("games", json!({ "games": games }), out);
        }
        if let Some(rules) = one {
            return show(rules, out);
        }
        for rules in GAMES {
            let (info, seats) = (rules.info(), rules.seats());
            writeln!(out, "{:<16} {} to {} seats  {}", info.id, seats.start(), seats.end(), info.title)?;
            if !info.about.is_empty() {
                writeln!(out, "{:<16} {}", "", info.about)?;
            }
            writeln!(out)?;
        }
        writeln!(out, "Use `ahu games GAME` to show a game in full, and `ahu play GAME` to play it.")?;
        Ok(())
    }
}

fn show(rules: &dyn AnyRules, out: &mut impl Write) -> Done {
    let (info, seats) = (rules.info(), rules.seats());
    let (fewest, most) = (seats.start(), seats.end());
    writeln!(out, "{} ({}), rules version {}, {fewest} to {most} seats", info.title, info.id, info.rules)?;
    for words in [info.about, info.credit].iter().filter(|words| !words.is_empty()) {
        writeln!(out, "{words}")?;
    }
    if !info.reconstructed.is_empty() {
        writeln!(out, "Reconstructed: {}", info.reconstructed)?;
    }
    let width = widest(rules.options().iter().map(|option| option.key));
    if width > 0 {
        writeln!(out, "\nOptions")?;
    }
    for option in rules.options() {
        let mut defaults = option.defaults.clone();
        defaults.dedup();
        writeln!(out, "  {:<width$}  {} (default: {})", option.key, option.kind, defaults.join(", "))?;
        writeln!(out, "  {:<width$}  {}", "", option.meaning)?;
    }
    writeln!(out, "\nActions ({} ids)", rules.action_count())?;
    let width = widest(rules.action_groups().iter().map(|group| group.pattern));
    let mut first = 0;
    for group in rules.action_groups() {
        let ids = match group.count {
            1 => first.to_string(),
            count => format!("{first}-{}", first + count - 1),
        };
        writeln!(out, "  {ids:<8} {:<width$}  {}", group.pattern, group.meaning)?;
        first += group.count;
    }
    let layout = rules.layout();
    writeln!(out, "\nObservation: {} bits, {} numbers", layout.bit_count(), layout.number_count())?;
    let width = widest(layout.bits.iter().chain(&layout.numbers).map(|(_, field)| field.name));
    for (block, fields) in [("bit", &layout.bits), ("number", &layout.numbers)] {
        for (offset, field) in fields {
            let (place, shape) = (format!("{block} {offset}"), format!("{:?}", field.shape));
            writeln!(out, "  {place:<11} {:<width$}  {shape:<10} {}", field.name, field.meaning)?;
        }
    }
    writeln!(out, "\nBots (a name without a version means the newest)")?;
    for (name, about) in rules.bots() {
        writeln!(out, "  {name:<16} {about}")?;
    }
    Ok(())
}

/// Returns the width in bytes of the longest word.
fn widest<'a>(words: impl Iterator<Item = &'a str>) -> usize {
    words.map(str::len).max().unwrap_or_default()
}

fn as_json(rules: &dyn AnyRules) -> Value {
    let (info, seats, layout) = (rules.info(), rules.seats(), rules.layout());
    let field = |block: &str, (offset, field): &(usize, ahu_core::Field)| {
        json!({
            "name": field.name, "block": block, "kind": field.kind.name(), "shape": field.shape, "axis": field.axis,
            "offset": offset, "min": field.min, "max": field.max, "seat_relative": field.by_seat, "values": field.values,
            "values_axis": field.values_axis, "meaning": field.meaning,
        })
    };
    let bits = layout.bits.iter().map(|bits| field("bits", bits));
    let numbers = layout.numbers.iter().map(|numbers| field("numbers", numbers));
    let mut first = 0;
    let groups = rules.action_groups().iter().map(|group| {
        let first_id = first;
        first += group.count;
        json!({"first_id": first_id, "count": group.count, "pattern": group.pattern, "meaning": group.meaning})
    });
    let option = |option: ahu_host::OptionInfo| {
        json!({
            "key": option.key, "values": option.kind.to_string(), "defaults": option.defaults, "meaning": option.meaning,
        })
    };
    json!({
        "game": info.id, "title": info.title, "rules_version": info.rules, "about": info.about, "credit": info.credit,
        "reconstructed": info.reconstructed, "min_seats": seats.start(), "max_seats": seats.end(), "max_plies": info.max_plies,
        "options": rules.options().into_iter().map(option).collect::<Value>(),
        "action_count": rules.action_count(), "action_groups": groups.collect::<Value>(),
        "layout": {
            "bit_count": layout.bit_count(), "number_count": layout.number_count(), "hash": hex(&layout.hash()),
            "fields": bits.chain(numbers).collect::<Value>(),
        },
        "bots": rules.bots().into_iter().map(|(name, about)| json!({"name": name, "about": about})).collect::<Value>(),
    })
}
