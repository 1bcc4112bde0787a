//! The table as text for people: the map, the Transporters, the belongings of each player.

use std::fmt::{self, Write as _};

use ahu_core::parts::lines::{WIDTH, joined, wrapped_lists};
use ahu_core::{Describe, Tint, Viewer};

use super::phase::Phase;
use super::resource::Resource;
use super::space::{Area, Space};
use super::table::Table;
use super::view::View;
use super::wording::{belongings, colour_letters, counted, holdings_of, moai, offerings, sizes, transporters};

/// The width of a space on the map, in characters.
const SPACE: usize = 10;
/// The indent of a line that continues a list.
const LIST: usize = 12;
/// The indent of a line that continues the facts about a player.
const HANG: usize = 10;

impl fmt::Display for View {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let table = &self.table;
        let (map_text, lists, players) = (&mut String::new(), &mut String::new(), &mut String::new());
        map(table, map_text)?;
        tiles(table, lists)?;
        supply(table, lists)?;
        if table.phase != Phase::Order {
            writeln!(lists, "turn order  {}; star spaces: {}", table.order, table.options.star_spaces)?;
        }
        self.players(players)?;
        writeln!(f, "{}", wrapped_lists(&self.headline(), WIDTH, HANG))?;
        f.write_str(map_text)?;
        f.write_str(&wrapped_lists(lists, WIDTH, LIST))?;
        f.write_str(&wrapped_lists(players, WIDTH, HANG))
    }
}

impl Describe for View {
    const LEGEND: &'static str = "\
In a space: its number, its Resources (R reeds, E eggs, W wood, P pearls; RE has\n\
two colours), and * for each free ahu. Then Transporters: in 0:2i_C, those of\n\
seat 0, two stand, one lies, and the Chief. Then Moai (small, medium, large) and\n\
Pukao on them (^). @ marks the cargo, or the Moai that has just arrived. Below,
Moai are those to transport (s small, m medium, l large), and > marks who has to
decide. ? is the hidden worth of Offering tiles, which the points leave out.\n";

    fn headline(&self) -> String {
        let notes = [vec![self.table.due()], self.table.step_notes()].concat();
        format!("Rapa Nui, the board game: {}", notes.join("; "))
    }

    fn holdings(&self) -> String {
        let Viewer::Seat(seat) = self.viewer else { return String::new() };
        holdings_of(&self.table.players[seat])
    }

    fn tint(word: &str) -> Option<Tint> {
        match word.as_bytes() {
            &[owner, b':', _, ..] => Tint::of_seat(owner),
            _ => word.parse().ok().map(|resource| {
                Tint::Suit(match resource {
                    Resource::Reeds => 0,
                    Resource::Eggs => 5,
                    Resource::Wood => 1,
                    Resource::Pearls => 6,
                })
            }),
        }
    }
}

impl View {
    /// Writes the table of the players.
    fn players(&self, f: &mut String) -> fmt::Result {
        let table = &self.table;
        writeln!(f, "    seat  points  offerings  reeds  eggs  wood  pearls  villagers  Moai")?;
        for seat in table.order.iter() {
            let player = &table.players[seat];
            let mark = if table.to_act() == Some(seat) { '>' } else { ' ' };
            let offered = self.offered[seat].map_or("?".to_owned(), |offered| offered.to_string());
            write!(f, "  {mark} {:<4}  {:>6}  {offered:>9}", seat.to_string(), self.points(seat))?;
            for (resource, width) in Resource::ALL.into_iter().zip([7, 6, 6, 8]) {
                write!(f, "{:>width$}", player.resources[resource])?;
            }
            let you = if self.viewer.is(seat) { "(you) " } else { "" };
            writeln!(f, "{}", format!("{:>11}  {you}{}", player.villagers, sizes(player)).trim_end())?;
            writeln!(f, "          {}", belongings(player, counted))?;
        }
        Ok(())
    }
}

/// Writes the map. Each space has three lines: its colours and free ahus, its Transporters, its Moai.
fn map(table: &Table, f: &mut String) -> fmt::Result {
    let board = table.board();
    let (rows, columns) = board.extent();
    for row in 0..rows {
        let areas: Vec<Option<Area>> = (0..columns).map(|column| board.at(row, column)).collect();
        for line in [shown, transporters, moai] {
            let mut text = String::new();
            for area in &areas {
                let cell = area.map_or_else(String::new, |area| line(table, area));
                write!(text, "{cell:<SPACE$}")?;
            }
            writeln!(f, "{}", text.trim_end())?;
        }
    }
    f.push_str(View::LEGEND);
    Ok(())
}

/// Returns the first line of an area: `12 EW **`.
fn shown(table: &Table, area: Area) -> String {
    let Some(space) = area.space() else {
        return if area == Area::CRATER { "[Crater]" } else { "[Pukao Q]" }.to_owned();
    };
    let free = table.site(space).free().into();
    format!("{space} {} {}", colour_letters(table.board(), space), "*".repeat(free))
}

/// Writes the Ahu tiles on the board by space.
fn tiles(table: &Table, f: &mut String) -> fmt::Result {
    let names = |space: Space| format!("{space} {}", joined(table.site(space).tiles(), "+"));
    let lying = table.board().spaces().filter(|&space| table.site(space).free() > 0);
    let lying = joined(lying.map(names), ", ");
    if !lying.is_empty() {
        writeln!(f, "Ahu tiles   {lying}")?;
    }
    if matches!(table.phase, Phase::Draft { .. }) {
        writeln!(f, "displayed   {}", table.display)?;
        writeln!(f, "set aside   {}", table.aside)?;
    }
    Ok(())
}

fn supply(table: &Table, f: &mut String) -> fmt::Result {
    writeln!(f, "offerings   from the top (outstanding): {}", offerings(table).join("; "))?;
    let [small, medium, large] = *table.supply.as_array();
    let free = joined(table.free_places().as_array(), " ");
    writeln!(
        f,
        "supply      Moai: {small} small, {medium} medium, {large} large; Pukao: {}; free in the quarry: {free}",
        table.pukao
    )?;
    writeln!(f, "empty ahus  {}", table.empty_ahus_text())
}
