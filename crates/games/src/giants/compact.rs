//! The table as text for language models.

use std::fmt::{self, Write as _};

use ahu_core::parts::lines::{joined, slashed};
use ahu_core::{Compact, Viewer};

use super::board::{Board, Hex, Terrain};
use super::phase::Phase;
use super::piece::Kind;
use super::tribe::{Reserve, Spot};
use super::view::View;
use super::wording::{figures, island_pieces, leaders, named_sites};

const SIGNS: &str = "\
Ahus: a5 r0 is reserved by seat 0; a5 0:2b^a has the Moai 2b of seat 0, with the headdress ha; ?:2b is somebody's; all other Ahus \
are free. On hexes: 2b is the second Moai of size 2, ha a headdress; 2b=0 is marked by seat 0, 2b-0 is seat 0's in this phase; 0w2SC \
are two Workers, Sorcerer, and Chief of seat 0; +2 two logs. Behind a screen: w Workers, TM Tribe Markers, lg logs, ba bases, S \
Sorcerer, C Chief; in front of it also pieces. Numbers of Moai are by size 1/2/3. Dice: 0 is no Moai; in turn 1, a 0 counts as 1, \
and a 3 as 2.
";

/// Hexes that lie side by side, with the same steps to their neighbours in the next row.
struct Stretch {
    first: Hex,
    last: Hex,
    /// The steps from the number of a hex to its south-western and its south-eastern neighbour; None in the last row.
    south: Option<(usize, usize)>,
}

impl fmt::Display for Stretch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.first, self.last)?;
        self.south.map_or(Ok(()), |(west, east)| write!(f, " (+{west} +{east})"))
    }
}

/// Returns the hexes in stretches.
fn stretches(board: &Board) -> Vec<Stretch> {
    let mut stretches: Vec<Stretch> = Vec::new();
    for hex in board.hexes.iter() {
        let (q, r) = board.coordinates(hex);
        let step = |q: i8| board.hex_at(q, r + 1).map(|south| south.index() - hex.index());
        // One of two neighbours tells where the other one would be.
        let south = match (step(q - 1), step(q)) {
            (Some(west), _) => Some((west, west + 1)),
            (None, Some(east)) => Some((east - 1, east)),
            (None, None) => None,
        };
        let is_beside = |last: &Stretch| board.hex_at(q - 1, r) == Some(last.last);
        match stretches.last_mut() {
            Some(last) if is_beside(last) && (last.south == south || south.is_none() || last.south.is_none()) => {
                last.last = hex;
                last.south = last.south.or(south);
            }
            _ => stretches.push(Stretch { first: hex, last: hex, south }),
        }
    }
    stretches
}

impl Compact for View {
    fn compact_legend(&self) -> String {
        let board = self.table.board();
        let ahus = board.ahus().map(|ahu| {
            let data = board.ahu(ahu);
            format!("{ahu} {} {}/{}", data.hex, data.moai, data.headdress)
        });
        let (q, r) = board.hexes.first().map_or((0, 0), |hex| board.coordinates(hex));
        let listed = |wanted: Terrain| joined(board.hexes.iter().filter(|&hex| board.terrain(hex) == wanted), ", ");
        let forests = board.hexes.iter().filter_map(|hex| match board.terrain(hex) {
            Terrain::Forest { logs } => Some(format!("{hex} ({logs})")),
            _ => None,
        });
        format!(
            "{SIGNS}Neighbours: in 4-9 (+6 +7) the hexes 4 to 9 lie in a row from west to east, each beside the next, and south of \
             hex n are n+6 and n+7, if the next stretch has them. {}; hex 0 is at {q}/{r} in axial coordinates.\nEach Ahu with its hex, the points for each unit of a \
             Moai's size there, and the points for a headdress: {}.\nMoai quarry {}; headdress quarry {}; village {}; hut {}; \
             forests with their logs {}.\n",
            joined(stretches(board), ", "),
            joined(ahus, ", "),
            board.moai_quarry,
            board.headdress_quarry,
            listed(Terrain::Village),
            listed(Terrain::Hut),
            joined(forests, ", ")
        )
    }

    fn write_compact(&self, f: &mut String) -> fmt::Result {
        let table = &self.table;
        writeln!(f, "{}", self.due())?;
        if let Viewer::Seat(seat) = self.viewer {
            writeln!(f, "you are seat {seat}")?;
        }
        let rolled = self.rolled();
        if !rolled.is_empty() {
            writeln!(f, "{}", rolled.join("; "))?;
        }
        for (seat, points) in table.scores().iter() {
            let tribe = &table.tribes[seat];
            let goods = self.reserve(seat).map_or("?".to_owned(), |Reserve { workers, markers, logs, bases }| {
                format!("w{workers} TM{markers} lg{logs} ba{bases}")
            });
            let behind = format!("{goods} {}", leaders(tribe, Spot::Reserve));
            writeln!(
                f,
                "seat {seat}: {points} points, {} half-tablets, behind {}, in front {}",
                tribe.halves,
                behind.trim_end(),
                table.in_front(seat, "nothing")
            )?;
        }
        let headdresses = table.in_rock(Kind::Headdress).len();
        writeln!(
            f,
            "to come: Moai {}, headdresses {headdresses}, half-tablets {}, logs {}",
            slashed(table.supply.as_array()),
            table.halves,
            table.logs_left
        )?;
        let hexes = table.board().hexes.iter().filter_map(|hex| {
            let parts = island_pieces(table, hex).chain(figures(table, hex)).chain(table.returnable(hex));
            Some(joined(parts, " ")).filter(|parts| !parts.is_empty()).map(|parts| format!("{hex}: {parts}"))
        });
        let lists = [("Ahus:", named_sites(table)), ("hexes", joined(hexes, ", "))];
        let lists = lists.into_iter().chain([("forests cut", table.harvested.to_string())]);
        let missing = self.to_act().iter().map(|seat| format!("seat {seat}"));
        let missing = matches!(table.phase, Phase::Bid { .. }).then(|| format!("to bid: {}", joined(missing, ", ")));
        writeln!(f, "{}", joined(missing.into_iter().chain(self.further_facts()), "; "))?;
        lists.filter(|(_, list)| !list.is_empty()).try_for_each(|(name, list)| writeln!(f, "{name} {list}"))
    }
}
