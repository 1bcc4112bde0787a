//! The table as text for language models.

use std::fmt::{self, Write as _};

use ahu_core::parts::lines::{joined, joined_or, slashed};
use ahu_core::{Compact, Viewer};

use super::phase::Phase;
use super::resource::Resource;
use super::space::{Area, Space};
use super::table::Table;
use super::tile::Tiles;
use super::view::View;
use super::wording::{belongings, colour_letters, moai, offerings, sizes, transporters};

const SIGNS: &str = "\
On a space: 0:2i_C are the Transporters of seat 0: two stand (i), one lies (_), and the Chief (C); lms^^ its Moai (large, medium, \
small) and a ^ for each Pukao on them; then the Ahu tile of each free ahu. @ marks the cargo, or the Moai that has just arrived. \
Numbers of Moai and Sculptors are small/medium/large, Resources reeds/eggs/wood/pearls. Offerings: the worth of the tiles from the \
top of the stack, and in parentheses of the outstanding ones; ? is a hidden worth, which the points leave out. Transport: Moai that \
wait for their transport, s small, m medium, l large.
";

/// Returns the name of an area in lists: `12`, `C`, or `Q`.
fn name(area: Area) -> String {
    match area {
        Area::CRATER => "C".to_owned(),
        Area::PUKAO_QUARRY => "Q".to_owned(),
        space => space.to_string(),
    }
}

impl Compact for View {
    fn compact_legend(&self) -> String {
        let options = &self.table.options;
        let board = options.board.board();
        let spaces = board.areas().iter().map(|area| {
            let colours = area.space().map_or_else(String::new, |space| format!(" {}", colour_letters(board, space)));
            let (row, column) = board.place(area);
            let ahus = area.space().map_or_else(String::new, |space| "*".repeat(board.ahus(space).into()));
            let beside = joined(board.adjacent(area).iter().map(name), " ");
            format!("{}{colours}{ahus} {row}/{column}: {beside}", name(area))
        });
        format!(
            "{SIGNS}Each space with its Resources (R reeds, E eggs, W wood, P pearls), a * for each ahu, its row from the north \
             and column from the west, and the spaces beside it, where C is the Crater and Q the Pukao Quarry: {}. Star spaces: {}.\n",
            joined(spaces, ", "),
            options.star_spaces
        )
    }

    fn write_compact(&self, f: &mut String) -> fmt::Result {
        let table = &self.table;
        writeln!(f, "{}", table.due())?;
        table.step_notes().iter().try_for_each(|note| writeln!(f, "{note}"))?;
        if let Viewer::Seat(seat) = self.viewer {
            writeln!(f, "you are seat {seat}")?;
        }
        self.tell_players(f)?;
        let areas = table.board().areas().iter().filter_map(|area| contents(table, area));
        writeln!(f, "spaces {}", joined_or(areas, ", ", "are empty"))?;
        if (table.display, table.aside) != (Tiles::EMPTY, Tiles::EMPTY) {
            writeln!(f, "displayed {}; set aside {}", table.display, table.aside)?;
        }
        writeln!(f, "offerings {}", offerings(table).join("; "))?;
        writeln!(
            f,
            "supply: Moai {}, Pukao {}; free in the quarry {}",
            slashed(table.supply.as_array()),
            table.pukao,
            slashed(table.free_places().as_array())
        )?;
        if table.phase != Phase::Order {
            write!(f, "turn order {}; ", table.order)?;
        }
        let (empty, most) = (table.empty_ahus(), table.last_ahus());
        write!(f, "empty ahus {empty} (at most {most} end the game); last round {}", table.options.max_rounds)?;
        if let Some(left) = table.idle_rounds_left() {
            write!(f, ", or {left} idle rounds in a row from this one on")?;
        }
        writeln!(f)
    }
}

impl View {
    /// Writes a line for each player, in turn order.
    fn tell_players(&self, f: &mut String) -> fmt::Result {
        for seat in self.table.order.iter() {
            let player = &self.table.players[seat];
            let offered = self.offered[seat].map_or("?".to_owned(), |offered| offered.to_string());
            write!(
                f,
                "seat {seat}: {} points, offerings worth {offered}, Resources {}, {} Villagers",
                self.points(seat),
                slashed(Resource::ALL.map(|resource| player.resources[resource])),
                player.villagers
            )?;
            if player.moai.total() > 0 {
                write!(f, ", transport {}", sizes(player))?;
            }
            writeln!(f, "; {}", belongings(player, |sizes| slashed(sizes.as_array())))?;
        }
        Ok(())
    }
}

/// Returns an area with what it has, such as `16 1:i l^ rest+barter`; None if it has nothing.
fn contents(table: &Table, area: Area) -> Option<String> {
    let tiles = |space: Space| joined(table.site(space).tiles(), "+");
    let parts = [transporters(table, area), moai(table, area), area.space().map(tiles).unwrap_or_default()];
    let parts = joined(parts.into_iter().filter(|part| !part.is_empty()), " ");
    (!parts.is_empty()).then(|| format!("{} {parts}", name(area)))
}
