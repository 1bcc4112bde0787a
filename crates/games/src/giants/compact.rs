//! The table as text for language models.

use std::fmt::{self, Write as _};

use ahu_core::Viewer;
use ahu_core::parts::lines::slashed;

use super::board::{Board, Hex, Terrain};
use super::piece::Kind;
use super::site::Site;
use super::text::{figures, island_pieces, leaders, site_sign};
use super::tribe::Spot;
use super::view::View;

const SIGNS: &str = "\
Ahus: a5 r0 is reserved by seat 0; a5 0:2^ has a Moai of size 2 of seat 0, with a headdress (^); ?:2 is somebody's; all other Ahus \
are free. On hexes: 2b is the second Moai of size 2, ha a headdress; 2b=0 is marked by seat 0, 2b-0 is seat 0's in this phase; 0w2SC \
are two Workers, Sorcerer, and Chief of seat 0; +2 two logs. Behind a screen: w Workers, TM Tribe Markers, lg logs, ba bases, S \
Sorcerer, C Chief; in front of it also pieces. Numbers of Moai are by size 1/2/3. Dice: 0 is no Moai; in turn 1, a 0 counts as 1, \
and a 3 as 2.
";

/// Returns the explanation of the compact text, and the island.
pub(super) fn legend(board: &Board) -> String {
    let mut text = SIGNS.to_owned();
    tell_island(board, &mut text).expect("a string takes every text");
    text
}

/// Writes the facts about an island that never change.
fn tell_island(board: &Board, f: &mut String) -> fmt::Result {
    let ranges: Vec<String> = stretches(board).iter().map(ToString::to_string).collect();
    writeln!(
        f,
        "Neighbours: in 4-9 (+6 +7) the hexes 4 to 9 lie in a row from west to east, each beside the next, and south of hex n are n+6 \
         and n+7, if the next stretch has them. {}.",
        ranges.join(", ")
    )?;
    let ahus: Vec<String> = board
        .ahus()
        .map(|ahu| {
            let data = board.ahu(ahu);
            format!("{ahu} {} {}/{}", data.hex, data.moai, data.headdress)
        })
        .collect();
    writeln!(
        f,
        "Each Ahu with its hex, the points for each unit of a Moai's size there, and the points for a headdress: {}.",
        ahus.join(", ")
    )?;
    let with = |wanted: fn(Terrain) -> bool| board.hexes.iter().filter(move |&hex| wanted(board.terrain(hex)));
    let listed = |wanted: fn(Terrain) -> bool| with(wanted).map(|hex| hex.to_string()).collect::<Vec<_>>().join(", ");
    let forests: Vec<String> = board
        .hexes
        .iter()
        .filter_map(|hex| match board.terrain(hex) {
            Terrain::Forest { logs } => Some(format!("{hex} ({logs})")),
            _ => None,
        })
        .collect();
    writeln!(
        f,
        "Moai quarry {}; headdress quarry {}; village {}; hut {}; forests with their logs {}.",
        board.moai_quarry,
        board.headdress_quarry,
        listed(|terrain| terrain == Terrain::Village),
        listed(|terrain| terrain == Terrain::Hut),
        forests.join(", ")
    )
}

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

impl View {
    /// Writes the same facts as the text for people.
    pub(super) fn tell_compactly(&self, f: &mut String) -> fmt::Result {
        let table = &self.table;
        writeln!(f, "{}", self.due())?;
        if let Viewer::Seat(seat) = self.viewer {
            writeln!(f, "you are seat {seat}")?;
        }
        let to_act: Vec<String> = self.to_act().iter().map(|seat| seat.to_string()).collect();
        if to_act.len() > 1 {
            writeln!(f, "seats to decide: {}", to_act.join(", "))?;
        }
        let rolled = self.rolled();
        if !rolled.is_empty() {
            writeln!(f, "{}", rolled.join("; "))?;
        }
        for (seat, points) in table.scores().iter() {
            let tribe = &table.tribes[seat];
            let behind = self.reserve(seat).map_or("?".to_owned(), |reserve| {
                let leaders = leaders(tribe, Spot::Reserve);
                format!("w{} TM{} lg{} ba{} {leaders}", reserve.workers, reserve.markers, reserve.logs, reserve.bases)
            });
            let hidden = if self.reserve(seat).is_none() { leaders(tribe, Spot::Reserve) } else { String::new() };
            let (behind, front) = (format!("{behind} {hidden}"), table.in_front(seat));
            let front = if front.is_empty() { "nothing".to_owned() } else { front };
            writeln!(
                f,
                "seat {seat}: {points} points, {} half-tablets, behind {}, in front {front}",
                tribe.halves,
                behind.trim_end()
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
        let ahus: Vec<String> = table
            .board()
            .ahus()
            .filter(|&ahu| table.site(ahu) != Site::Free)
            .map(|ahu| format!("{ahu} {}", site_sign(table, ahu)))
            .collect();
        if !ahus.is_empty() {
            writeln!(f, "Ahus: {}", ahus.join(", "))?;
        }
        let hexes: Vec<String> = table
            .board()
            .hexes
            .iter()
            .filter_map(|hex| {
                let parts: Vec<String> =
                    island_pieces(table, hex).chain(figures(table, hex)).chain(table.returnable(hex)).collect();
                (!parts.is_empty()).then(|| format!("{hex}: {}", parts.join(" ")))
            })
            .collect();
        if !hexes.is_empty() {
            writeln!(f, "hexes {}", hexes.join(", "))?;
        }
        let cut: Vec<String> = table.harvested.iter().map(|hex| hex.to_string()).collect();
        if !cut.is_empty() {
            writeln!(f, "forests cut {}", cut.join(", "))?;
        }
        Ok(())
    }
}
