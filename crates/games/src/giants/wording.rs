//! The words and signs that the texts and the picture of the table share.

use std::fmt::Write as _;

use ahu_core::parts::lines::{joined, joined_or, ranges, slashed};
use ahu_core::{Argument as _, BySeat, Seat, SeatSet};

use super::bid::{Bid, Bidding};
use super::board::{Ahu, Board, Hex, Terrain};
use super::event::moai_text;
use super::phase::{Phase, PlaceStep, TransportStep};
use super::piece::{BySize, Piece};
use super::place::{Claim, Place};
use super::site::Site;
use super::table::Table;
use super::tribe::{Spot, Tribe};
use super::view::View;

impl View {
    /// Returns the point in the turn.
    pub(super) fn due(&self) -> String {
        let Table { turn, first, options, phase, .. } = &self.table;
        let turn = format!("turn {turn}/{}, seat {first} goes first", options.max_turns);
        match *phase {
            Phase::Roll => format!("{turn}; Moai draw"),
            Phase::Bid { offered } => {
                format!("{turn}; auction of Moai: {}; {}", moai_text(offered), self.own_bid())
            }
            Phase::Pick { seat, offered, stopped } => {
                let moai = moai_text(offered);
                format!("{turn}; auction: seat {seat} may take one of these Moai: {moai}{}", who_passed(stopped))
            }
            Phase::Place { seat, passed, step } => {
                format!("{turn}; placement: {}{}", placing(seat, step), who_passed(passed))
            }
            Phase::Transport { seat, passed, step } => {
                format!("{turn}; transport: {}{}", self.table.transporting(seat, step), who_passed(passed))
            }
            Phase::Store { seat, piece } => {
                format!("{turn}; end of transport: seat {seat} may mark {piece}, which goes to its quarry")
            }
            Phase::Recover { seat, piece } => {
                format!("{turn}; end of turn: seat {seat} may take its Tribe Marker back from {piece}")
            }
            Phase::Over => format!("{turn}; the game is over"),
        }
    }

    /// Returns the dice and the shown bids of this turn.
    pub(super) fn rolled(&self) -> Vec<String> {
        let dice = self.table.roll.map(|roll| format!("dice {}", joined(roll.faces(), " ")));
        let signs = |bids: BySeat<Bid>| joined(bids.values().iter().map(|bid| bid.signs()), ", ");
        let bids = self.table.shown_bids.map(|bids| format!("bids by seat: {}", signs(bids)));
        dice.into_iter().chain(bids).collect()
    }

    /// Returns the Ahus under whose Moai each player has looked.
    pub(super) fn looks(&self) -> impl Iterator<Item = String> {
        let looks = self.table.tribes.iter().filter(|(_, tribe)| !tribe.peeked.is_empty());
        looks.map(|(seat, tribe)| format!("seat {seat} has looked under {}", joined(tribe.peeked.iter(), " ")))
    }

    /// Returns the facts that are no part of the lists: the points that are scored for good, the goods
    /// in the receptacles, the looks under Moai, the hexes where pieces have been in this phase, and the Moai out of the game.
    pub(super) fn further_facts(&self) -> Vec<String> {
        let (table, mut notes) = (&self.table, Vec::new());
        notes.push(format!("scored by seat {}", slashed(table.tribes.values().iter().map(|tribe| tribe.prestige))));
        for seat in table.options.seats.iter() {
            if let Some(goods) = self.receptacle(seat).filter(|goods| goods.workers + goods.markers > 0) {
                notes.push(format!("seat {seat} can gain w{} TM{}", goods.workers, goods.markers));
            }
        }
        notes.extend(self.looks());
        let moved = Piece::all().filter(|piece| !table.visited[piece.index()].is_empty());
        let ways =
            moved.map(|piece| format!("{piece} {}", ranges(table.visited[piece.index()].iter().map(Hex::index), " ")));
        let ways = joined(ways, ", ");
        notes.extend((!ways.is_empty()).then(|| format!("moved over {ways}")));
        if table.removed != BySize::EMPTY {
            notes.push(format!("Moai out of the game {}", slashed(table.removed.as_array())));
        }
        notes
    }

    /// Returns the viewer's own bid as far as it is made.
    fn own_bid(&self) -> String {
        match self.bid {
            None => "bids are being made".to_owned(),
            Some(Bidding::Markers) => "you bid Tribe Markers first".to_owned(),
            Some(bid @ Bidding::Workers { .. }) => format!("you bid {} so far, Workers next", bid.so_far()),
            Some(bid @ Bidding::Leaders { .. }) => format!("you bid {} so far, Sorcerer and Chief last", bid.so_far()),
            Some(Bidding::Sealed(bid)) => format!("you bid {bid}"),
        }
    }
}

fn placing(seat: Seat, step: PlaceStep) -> String {
    match step {
        PlaceStep::What => format!("seat {seat} places something"),
        PlaceStep::Where { party } => format!("seat {seat} places {}: where?", party.words()),
        PlaceStep::Power { chief, hex } => {
            format!("seat {seat} may use the power of the {} on hex {hex}", if chief { "Chief" } else { "Sorcerer" })
        }
    }
}

fn who_passed(passed: SeatSet) -> String {
    match &*joined(passed.iter().map(|seat| format!("seat {seat}")), ", ") {
        "" => String::new(),
        seats => format!("; passed: {seats}"),
    }
}

impl Table {
    fn transporting(&self, seat: Seat, step: TransportStep) -> String {
        match step {
            TransportStep::Lift => format!("seat {seat} lifts a piece"),
            TransportStep::Carry { piece, moved } => {
                let on = if moved { "on " } else { "" };
                format!("seat {seat} moves {piece} {on}from hex {}", self.hex_of(piece))
            }
            TransportStep::Pay { piece, to, dues } => {
                let (least, most) = (dues.short(), dues.most_left());
                let points = if least == most { least.to_string() } else { format!("{least} to {most}") };
                format!("seat {seat} moves {piece} to hex {to} and needs help, {points}: whose?")
            }
        }
    }
}

/// Returns the leaders at a place: `SC`, `S`, `C`, or nothing.
pub(super) fn leaders(tribe: &Tribe, spot: Spot) -> String {
    let of = |at: Spot, letter: &'static str| if at == spot { letter } else { "" };
    format!("{}{}", of(tribe.sorcerer, "S"), of(tribe.chief, "C"))
}

impl Table {
    /// Returns the players who placed the logs of a hex, and the number that transports needed; None if there are no
    /// logs, or if all leave the game.
    pub(super) fn returnable(&self, hex: Hex) -> Option<String> {
        let owners = joined(self.logs.on(hex).map(|log| format!("seat {}", log.seat)), ", ");
        let needed = self.logs.used()[hex.index()];
        let is_told = self.options.unused_logs_return && !owners.is_empty();
        is_told.then(|| format!("(logs of {owners}; needed: {needed})"))
    }

    /// Returns the goods, leaders, and pieces in front of a screen; `none` if there are none.
    pub(super) fn in_front(&self, seat: Seat, none: &str) -> String {
        let tribe = &self.tribes[seat];
        let goods = [(tribe.front.workers, "w"), (tribe.front.markers, "TM")];
        let goods = goods.into_iter().filter(|&(count, _)| count > 0).map(|(count, name)| format!("{name}{count}"));
        let leaders = Some(leaders(tribe, Spot::Front)).filter(|leaders| !leaders.is_empty());
        let pieces = self.in_front_of(seat);
        joined_or(goods.chain(leaders).chain(pieces.iter().map(|piece| piece.to_string())), " ", none)
    }

    /// Returns the base or the Moai on an Ahu; None if the Ahu is free.
    pub(super) fn site_text(&self, ahu: Ahu) -> Option<String> {
        match self.site(ahu) {
            Site::Free => None,
            Site::Reserved(owner) => Some(format!("{ahu} reserved by seat {owner}")),
            Site::Erected { owner, moai, headdress } => {
                let owner = owner.map_or("somebody's".to_owned(), |owner| format!("seat {owner}'s"));
                let headdress = headdress.map_or(String::new(), |headdress| format!(" with {headdress}"));
                Some(format!("{ahu} {owner} {moai}{headdress}"))
            }
        }
    }
}

/// Returns the heading of a cell: the hex and its values or its terrain, such as `30 5/6` or `22 vill`.
pub(super) fn heading(table: &Table, board: &Board, hex: Hex) -> String {
    let gives = match board.terrain(hex) {
        Terrain::Land => board.ahus_at(hex).first().map_or(String::new(), |ahu| {
            let values = board.ahu(ahu);
            format!("{}/{}", values.moai, values.headdress)
        }),
        Terrain::MoaiQuarry => "Moai".to_owned(),
        Terrain::HeaddressQuarry => "hats".to_owned(),
        Terrain::Village => "vill".to_owned(),
        Terrain::Hut => "hut".to_owned(),
        Terrain::Forest { .. } if table.harvested.contains(hex) => "cut".to_owned(),
        Terrain::Forest { logs } => format!("log{logs}"),
    };
    format!("{hex} {gives}").trim_end().to_owned()
}

/// Returns the sign of an Ahu: `a9` if it is free, `r0`, or `0:2^`.
pub(super) fn site_sign(table: &Table, ahu: Ahu) -> String {
    match table.site(ahu) {
        Site::Free => ahu.to_string(),
        Site::Reserved(owner) => format!("r{owner}"),
        Site::Erected { owner, moai, headdress } => {
            let owner = owner.map_or("?".to_owned(), |owner| owner.to_string());
            format!("{owner}:{}{}", moai.kind().weight(), if headdress.is_some() { "^" } else { "" })
        }
    }
}

/// Returns the signs of the pieces on a hex, such as `2b`, `2b-0`, and `2b=0`.
pub(super) fn island_pieces(table: &Table, hex: Hex) -> impl Iterator<Item = String> {
    table.pieces.movable().iter().filter_map(move |piece| match table.place_of(piece) {
        Place::Island { hex: at, claim } if at == hex => Some(match claim {
            Claim::Abandoned => piece.to_string(),
            Claim::Held(seat) => format!("{piece}-{seat}"),
            Claim::Marked(seat) => format!("{piece}={seat}"),
        }),
        Place::Rock | Place::Front(_) | Place::Island { .. } | Place::Ahu(_) => None,
    })
}

/// Returns the signs of the figures and logs of a hex, such as `0w2C`, `1w`, and `+2`.
pub(super) fn figures(table: &Table, hex: Hex) -> Vec<String> {
    let mut parts = Vec::new();
    for seat in table.options.seats.iter() {
        let tribe = &table.tribes[seat];
        if !tribe.figures().contains(hex) {
            continue;
        }
        let mut part = seat.to_string();
        match tribe.workers.count(hex) {
            0 => {}
            1 => part.push('w'),
            count => write!(part, "w{count}").expect("a string takes every text"),
        }
        part += &leaders(tribe, Spot::On(hex));
        parts.push(part);
    }
    let logs = table.logs.count(hex);
    parts.extend((logs > 0).then(|| format!("+{logs}")));
    parts
}

/// Returns the Ahus that are not free, each with its sign: `a3 r0`, or `a3 0:2b^a`, which names the pieces.
pub(super) fn named_sites(table: &Table) -> String {
    let ahus = table.board().ahus().filter(|&ahu| table.site(ahu) != Site::Free);
    joined(ahus.map(|ahu| format!("{ahu} {}", named_site(table, ahu))), ", ")
}

fn named_site(table: &Table, ahu: Ahu) -> String {
    let Site::Erected { owner, moai, headdress } = table.site(ahu) else { return site_sign(table, ahu) };
    let owner = owner.map_or("?".to_owned(), |owner| owner.to_string());
    let headdress = headdress.map_or(String::new(), |headdress| format!("^{}", &headdress.to_string()[1..]));
    format!("{owner}:{moai}{headdress}")
}
