//! The words and signs that the texts and the picture of the table share.

use ahu_core::parts::lines::{joined, joined_or, slashed};

use super::board::Board;
use super::cargo::Cargo;
use super::moai::{Size, Sizes};
use super::offering::{Offering, Offerings, Source};
use super::phase::Phase;
use super::player::{Chief, Player, Sorcerer};
use super::resource::{Amount, amounts};
use super::space::{Area, Space};
use super::table::Table;
use super::tile::Tiles;

impl Table {
    /// Returns the next step of the rules.
    pub(super) fn due(&self) -> String {
        let Self { phase, active, round, .. } = self;
        let step = match *phase {
            Phase::Order | Phase::Tiles => return "setup".to_owned(),
            Phase::Draft { .. } => return format!("setup, seat {active} takes an Ahu tile"),
            Phase::Over => return "the game is over".to_owned(),
            Phase::Place => "phase 1, place a figurine".to_owned(),
            Phase::Sculpt { .. } => "phase 2, sculpt Moai".to_owned(),
            Phase::Transport => "phase 3, transport something or drop out".to_owned(),
            Phase::Carry { cargo: Cargo::Moai(size), at, .. } => format!("phase 3, a {size} Moai is {}", place(at)),
            Phase::Carry { cargo: Cargo::Pukao, at, .. } => format!("phase 3, a Pukao is {}", place(at)),
            Phase::Toll { left, .. } => {
                let owner = self.to_act().map_or(String::new(), |seat| format!(", seat {seat} chooses a toll"));
                format!("phase 3{owner} on space {}", Self::next_toll(left))
            }
            Phase::Gain { space, count } => format!("phase 3, Resources to gain on space {space}: {count}"),
            Phase::Shift { space, first, second } => {
                let (colour, count) = self.part(space, first, second);
                format!("phase 3, gain {}, or the next-higher Resource", Amount(count, colour))
            }
            Phase::Exchange { skimped } => format!("phase 3, take an Offering tile for {} Resources", price(skimped)),
            Phase::Pay { skimped, offering, source } => {
                let outstanding = if source == Source::Outstanding { "outstanding " } else { "" };
                format!("phase 3, pay {} Resources for the {outstanding}{offering}", price(skimped))
            }
            Phase::EndTurn => "phase 3, play something or end the turn".to_owned(),
        };
        format!("round {round}, seat {active}: {step}")
    }

    /// Returns the facts of the current step that its name leaves out.
    pub(super) fn step_notes(&self) -> Vec<String> {
        let Self { phase, active, round, .. } = self;
        let mut notes = Vec::new();
        match *phase {
            Phase::Tiles => notes.push(format!("seat {active} will start")),
            Phase::Over => notes.push(format!("the last turn was in round {round}, seat {active}")),
            Phase::Sculpt { sculpted } if sculpted != Sizes::EMPTY => {
                notes.push(format!("sculpted in this turn {}", slashed(sculpted.as_array())));
            }
            Phase::Carry { visited, .. } => {
                notes.push(format!("the cargo has been on {}", joined(visited.iter(), " ")));
            }
            Phase::Toll { space, size, tile, left } => {
                let tolls = joined(left.iter(), " ");
                notes.push(format!(
                    "a {size} Moai has arrived on space {space}, for {tile}; tolls to choose on {tolls}"
                ));
            }
            Phase::Shift { space, first, second } => {
                notes.push(format!("this is of {} Resources on space {space}", first + second));
            }
            _ => {}
        }
        if self.has_erected_or_styled {
            notes.push("a Moai was erected or styled in this round".to_owned());
        }
        notes
    }

    /// Returns the number of empty ahus, and the ways in which the game may end.
    pub(super) fn empty_ahus_text(&self) -> String {
        let empty = self.empty_ahus();
        if self.phase == Phase::Over {
            return empty.to_string();
        }
        let rounds = match self.idle_rounds_left() {
            None => String::new(),
            Some(1) => ", or of this one without a Moai erected or styled".to_owned(),
            Some(idle_left) => format!(", or of {idle_left} in a row without a Moai erected or styled"),
        };
        let or = if rounds.is_empty() { "or " } else { "" };
        let (last, max_rounds) = (self.last_ahus(), self.options.max_rounds);
        format!(
            "{empty}; the game is over at the end of a round with {last} or fewer, {or}of round {max_rounds}{rounds}"
        )
    }
}

/// Returns the area of a transport in words.
fn place(area: Area) -> String {
    match (area.space(), area == Area::CRATER) {
        (Some(space), _) => format!("on space {space}"),
        (None, true) => "in the Crater".to_owned(),
        (None, false) => "in the Pukao Quarry".to_owned(),
    }
}

/// Returns the number of Resources of an exchange.
pub(super) const fn price(skimped: bool) -> u8 {
    if skimped { 2 } else { 4 }
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
    let moai = site.moai();
    let letters = Size::ALL.iter().rev().map(|&size| size.name()[..1].repeat(moai[size].into()));
    let pukao = "^".repeat(site.styled().into());
    format!("{}{pukao}", letters.collect::<String>())
}

/// Returns the worths of the Offering tiles that are left, by type: `hut 8 7 (10 9)`.
pub(super) fn offerings(table: &Table) -> Vec<String> {
    let values = |offering, source| joined_or(table.values_left(offering, source), " ", "-");
    let stack = |of| format!("{of} {} ({})", values(of, Source::Stack), values(of, Source::Outstanding));
    Offering::ALL.map(stack).to_vec()
}

/// Returns the Resources, Moai, Villagers, and tiles of a player.
pub(super) fn holdings_of(player: &Player) -> String {
    let resources = amounts(player.resources, "no Resources");
    let moai = match player.moai.total() {
        0 => String::new(),
        _ => format!("; Moai to transport: {}", counted(player.moai)),
    };
    format!("{resources}{moai}; Villagers: {}; {}", player.villagers, belongings(player, counted))
}

/// Returns the Moai that a player has to transport: `s m m`.
pub(super) fn sizes(player: &Player) -> String {
    let letters = |size: Size| std::iter::repeat_n(&size.name()[..1], player.moai[size].into());
    joined(Size::ALL.into_iter().flat_map(letters), " ")
}

/// Returns counts by size in words: `1 small, 2 medium`.
pub(super) fn counted(sizes: Sizes) -> String {
    let counts = sizes.iter().filter(|&(_, count)| count > 0).map(|(size, count)| format!("{count} {size}"));
    joined(counts, ", ")
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
    if player.chip_ins != Sizes::EMPTY {
        parts.push(format!("virtual ones: {}", numbers(player.chip_ins)));
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
