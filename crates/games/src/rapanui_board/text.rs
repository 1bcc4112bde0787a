//! The table as text for people: the map, the Transporters, the belongings of each player.

use std::fmt::{self, Write as _};

use ahu_core::parts::lines::{WIDTH, wrapped_lists};
use ahu_core::{Describe, Tint, Viewer};

use super::board::Board;
use super::cargo::Cargo;
use super::compact::legend;
use super::moai::{Size, Sizes};
use super::offering::{Offering, Offerings, Source};
use super::phase::Phase;
use super::player::{Chief, Player, Sorcerer};
use super::resource::{Amount, Resource, amounts};
use super::round::EmptyAhus;
use super::space::{Area, Space};
use super::svg::{draw, resource_class};
use super::table::Table;
use super::tile::Tiles;
use super::view::View;

/// The width of a space on the map, in characters.
const SPACE: usize = 10;
/// The indent of a line that continues a list.
const LIST: usize = 12;
/// The indent of a line that continues the facts about a player.
const HANG: usize = 10;

/// The next step of the rules, for the title.
pub(super) struct Due<'a>(pub &'a Table);

impl fmt::Display for Due<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Table { phase, active, round, .. } = self.0;
        let step = match *phase {
            Phase::Order | Phase::Tiles => return f.write_str("setup"),
            Phase::Draft { .. } => return write!(f, "setup, seat {active} takes an Ahu tile"),
            Phase::Over => return f.write_str("the game is over"),
            Phase::Place => "phase 1, place a figurine".to_owned(),
            Phase::Sculpt { .. } => "phase 2, sculpt Moai".to_owned(),
            Phase::Transport => "phase 3, transport something or drop out".to_owned(),
            Phase::Carry { cargo: Cargo::Moai(size), at, .. } => format!("phase 3, a {size} Moai is {}", Where(at)),
            Phase::Carry { cargo: Cargo::Pukao, at, .. } => format!("phase 3, a Pukao is {}", Where(at)),
            Phase::Toll { left, .. } => {
                let owner = self.0.to_act().map_or(String::new(), |seat| format!(", seat {seat} chooses a toll"));
                format!("phase 3{owner} on space {}", Table::next_toll(left))
            }
            Phase::Gain { space, count } => format!("phase 3, Resources to gain on space {space}: {count}"),
            Phase::Shift { space, first, second } => {
                let (colour, count) = self.0.part(space, first, second);
                format!("phase 3, gain {}, or the next-higher Resource", Amount(count, colour))
            }
            Phase::Exchange { skimped } => format!("phase 3, take an Offering tile for {} Resources", price(skimped)),
            Phase::Pay { skimped, offering, source } => {
                let outstanding = if source == Source::Outstanding { "outstanding " } else { "" };
                format!("phase 3, pay {} Resources for the {outstanding}{offering}", price(skimped))
            }
            Phase::EndTurn => "phase 3, play something or end the turn".to_owned(),
        };
        write!(f, "round {round}, seat {active}: {step}")
    }
}

/// The area of a transport, in words.
struct Where(Area);

impl fmt::Display for Where {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.0.space(), self.0 == Area::CRATER) {
            (Some(space), _) => write!(f, "on space {space}"),
            (None, true) => f.write_str("in the Crater"),
            (None, false) => f.write_str("in the Pukao Quarry"),
        }
    }
}

fn price(skimped: bool) -> u8 {
    if skimped { 2 } else { 4 }
}

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

    fn compact(&self) -> String {
        let mut text = String::new();
        self.tell_compactly(&mut text).expect("a string takes every text");
        text
    }

    fn compact_legend(&self) -> String {
        legend(&self.table.options)
    }

    fn headline(&self) -> String {
        format!("Rapa Nui, the board game: {}", Due(&self.table))
    }

    fn holdings(&self) -> String {
        let Viewer::Seat(seat) = self.viewer else { return String::new() };
        holdings_of(&self.table.players[seat])
    }

    fn question(&self) -> String {
        match (self.viewer, self.table.to_act()) {
            (Viewer::Seat(own), Some(seat)) if own == seat => self.question_of(seat),
            _ => String::new(),
        }
    }

    fn tint(word: &str) -> Option<Tint> {
        match word.as_bytes() {
            &[owner, b':', _, ..] => Tint::of_seat(owner),
            _ => word.parse().ok().map(|resource| Tint::Suit(resource_class(resource))),
        }
    }

    fn svg(&self, before: Option<&Self>) -> String {
        let (svg, height) = draw(self, before, &self.headline());
        svg.finish(height, &self.headline(), &self.to_string())
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
    let free = table.site(space).tiles.iter().flatten().count();
    format!("{space} {} {}", colour_letters(table.board(), space), "*".repeat(free))
}

/// Returns the letters of the colours of a space: `EW`.
pub(super) fn colour_letters(board: &Board, space: Space) -> String {
    let colours = board.colours(space);
    [Some(colours.first), colours.second]
        .into_iter()
        .flatten()
        .map(|colour| colour.name()[..1].to_uppercase())
        .collect()
}

/// Returns the second line of an area: `1:2i_C`; `@` marks a transport.
pub(super) fn transporters(table: &Table, area: Area) -> String {
    let mark = match table.phase {
        Phase::Carry { at, .. } if at == area => "@",
        Phase::Toll { space, .. } | Phase::Gain { space, .. } if area == Area::from(space) => "@",
        _ => "",
    };
    let Some((space, seat)) = area.space().and_then(|space| Some((space, table.owner(space)?))) else {
        return mark.to_owned();
    };
    let site = table.site(space);
    let chief = if table.players[seat].lent_chief() == Some(space) { "C" } else { "" };
    format!("{seat}:{}{}{chief}{mark}", some(site.standing, "i"), some(site.lying, "_"))
}

/// Returns a sign with its number, if that is two or more.
fn some(count: u8, sign: &str) -> String {
    match count {
        0 => String::new(),
        1 => sign.to_owned(),
        count => format!("{count}{sign}"),
    }
}

/// Returns the third line of an area: `lms^^`, its Moai from the largest on, then one `^` for each Pukao.
pub(super) fn moai(table: &Table, area: Area) -> String {
    let Some(site) = area.space().map(|space| table.site(space)) else { return String::new() };
    let letters = Size::ALL.iter().rev().map(|&size| size.name()[..1].repeat(site.moai[size].into()));
    let pukao = "^".repeat(site.styled.into());
    format!("{}{pukao}", letters.collect::<String>())
}

/// Writes the Ahu tiles on the board by space.
fn tiles(table: &Table, f: &mut String) -> fmt::Result {
    let names = |space: Space| {
        let names: Vec<_> = table.site(space).tiles.iter().flatten().map(|tile| tile.name()).collect();
        format!("{space} {}", names.join("+"))
    };
    let spaces = table.board().spaces();
    let lying: Vec<String> = spaces.filter(|&space| table.site(space).tiles[0].is_some()).map(names).collect();
    if !lying.is_empty() {
        writeln!(f, "Ahu tiles   {}", lying.join(", "))?;
    }
    if matches!(table.phase, Phase::Draft { .. }) {
        writeln!(f, "displayed   {}", table.display)?;
        writeln!(f, "set aside   {}", table.aside)?;
    }
    Ok(())
}

/// Returns the worths of the Offering tiles that are left, by type: `hut 8 7 (10 9)`.
pub(super) fn offerings(table: &Table) -> Vec<String> {
    let values = |offering, source| {
        let values: Vec<_> = table.values_left(offering, source).iter().map(u8::to_string).collect();
        if values.is_empty() { "-".to_owned() } else { values.join(" ") }
    };
    let stack = |of| format!("{of} {} ({})", values(of, Source::Stack), values(of, Source::Outstanding));
    Offering::ALL.map(stack).to_vec()
}

fn supply(table: &Table, f: &mut String) -> fmt::Result {
    writeln!(f, "offerings   from the top (outstanding): {}", offerings(table).join("; "))?;
    let [small, medium, large] = *table.supply.as_array();
    let free = table.free_places().as_array().map(|places| places.to_string()).join(" ");
    writeln!(
        f,
        "supply      Moai: {small} small, {medium} medium, {large} large; Pukao: {}; free in the quarry: {free}",
        table.pukao
    )?;
    writeln!(f, "empty ahus  {}", EmptyAhus(table))
}

/// Returns the Resources, Moai, Villagers, and tiles of a player.
pub(super) fn holdings_of(player: &Player) -> String {
    let resources = amounts(player.resources);
    let resources = if resources.is_empty() { "no Resources".to_owned() } else { resources };
    let moai = match player.moai.total() {
        0 => String::new(),
        _ => format!("; Moai to transport: {}", counted(player.moai)),
    };
    format!("{resources}{moai}; Villagers: {}; {}", player.villagers, belongings(player, counted))
}

/// Returns the Moai that a player has to transport: `s m m`.
pub(super) fn sizes(player: &Player) -> String {
    let letters = Size::ALL.iter().flat_map(|&size| std::iter::repeat_n(&size.name()[..1], player.moai[size].into()));
    letters.collect::<Vec<_>>().join(" ")
}

/// Returns counts by size in words: `1 small, 2 medium`.
fn counted(sizes: Sizes) -> String {
    let counts = sizes.iter().filter(|&(_, count)| count > 0).map(|(size, count)| format!("{count} {size}"));
    counts.collect::<Vec<_>>().join(", ")
}

/// Returns the tiles of a player, and other facts about it. `numbers` writes numbers by size.
pub(super) fn belongings(player: &Player, numbers: impl Fn(Sizes) -> String) -> String {
    let mut parts = Vec::new();
    match player.sorcerer {
        Sorcerer::InHand => parts.push("Sorcerer in hand".to_owned()),
        Sorcerer::OnStar(star) => parts.push(format!("Sorcerer on star {star}")),
        Sorcerer::AtWork => parts.push("Sorcerer at work".to_owned()),
    }
    match player.chief {
        Chief::InVillage => {}
        Chief::InHand => parts.push("Chief in hand".to_owned()),
        Chief::InQuarry(column) => parts.push(format!("Chief in the quarry, {column}")),
        Chief::OnSpace(space) => parts.push(format!("Chief on space {space}")),
    }
    if player.sculpting() != Sizes::EMPTY {
        parts.push(format!("Sculptors: {}", numbers(player.sculpting())));
    }
    if !player.improvements.is_empty() {
        parts.push(format!("improvements: {}", player.improvements));
    }
    if player.tiles != Tiles::EMPTY {
        parts.push(format!("tiles: {}", player.tiles));
    }
    if player.offerings != Offerings::EMPTY {
        parts.push(format!("offerings: {}", player.offerings));
    }
    if player.has_tablet {
        parts.push("tablet".to_owned());
    }
    if player.has_dropped_out {
        parts.push("dropped out".to_owned());
    }
    parts.join("; ")
}
