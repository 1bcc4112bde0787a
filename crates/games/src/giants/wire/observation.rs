//! The message of a view.
//!
//! Each observation states which hexes are neighbours and which Ahus touch them. The catalog does not, since that depends on the
//! options; a reader of tensors takes it from the first typed observation.

use ahu_core::Seat;
use ahu_messages::giants::v1::{self, Area};

use super::fields::{figure, index, leader, numbers};
use super::island::terrain;
use crate::giants::board::{Ahu, Hex, Terrain};
use crate::giants::piece::{BySize, Kind, Piece};
use crate::giants::{Bidding, Claim, Phase, Place, PlaceStep, Site, Spot, Table, TransportStep, View};
use crate::wire::message::{ToField, number};

pub(super) fn observation(view: &View) -> v1::Observation {
    let table = &view.table;
    let board = table.board();
    // The message of the match has the options.
    v1::Observation {
        viewer_seat: view.viewer.own_seat().map(number),
        phase: phase(table.phase).into(),
        turn: table.turn.into(),
        max_turns: table.options.max_turns.into(),
        first_seat: Some(number(table.first)),
        acting_seat: table.phase.seat().map(number),
        passed_seats: table.phase.passed().to_field(),
        decision: decision(view),
        hexes: board.hexes.iter().map(|at| hex(table, at)).collect(),
        ahus: board.ahus().map(|at| ahu(table, at)).collect(),
        players: table.options.seats.iter().map(|seat| player(view, seat)).collect(),
        pieces: Piece::all().filter_map(|of| piece(table, of)).collect(),
        offered_moai: Some(table.phase.offered())
            .filter(|&moai| moai != BySize::EMPTY)
            .map_or(Vec::new(), BySize::to_field),
        moai_left: table.supply.to_field(),
        moai_removed: table.removed.to_field(),
        headdresses_left: table.in_rock(Kind::Headdress).len() as u32,
        halves_left: table.halves.into(),
        logs_left: table.logs_left.into(),
        dice: table.roll.map_or_else(Vec::new, |roll| numbers(roll.faces())),
    }
}

const fn phase(phase: Phase) -> v1::Phase {
    match phase {
        Phase::Roll => v1::Phase::MoaiDraw,
        Phase::Bid { .. } => v1::Phase::Bid,
        Phase::Pick { .. } => v1::Phase::Pick,
        Phase::Place { .. } => v1::Phase::Placement,
        Phase::Transport { .. } => v1::Phase::Transport,
        Phase::Store { .. } => v1::Phase::Store,
        Phase::Recover { .. } => v1::Phase::Recover,
        Phase::Over => v1::Phase::Over,
    }
}

fn decision(view: &View) -> Option<v1::Decision> {
    let none = v1::Decision::default();
    match view.table.phase {
        Phase::Bid { .. } => view.bid.map(|bidding| v1::Decision { own_bid: Some(bid_so_far(bidding)), ..none }),
        Phase::Place { step: PlaceStep::Where { party }, .. } => {
            Some(v1::Decision { figure: Some(figure(party).into()), logs: party.logs().into(), ..none })
        }
        Phase::Place { step: PlaceStep::Power { chief, hex }, .. } => {
            Some(v1::Decision { figure: Some(leader(chief).into()), hex: Some(index(hex)), ..none })
        }
        Phase::Transport { step: TransportStep::Carry { piece, moved }, .. } => {
            Some(v1::Decision { piece: piece.to_string(), moved, ..none })
        }
        Phase::Transport { step: TransportStep::Pay { piece, to, dues }, .. } => Some(v1::Decision {
            piece: piece.to_string(),
            hex: Some(index(to)),
            points_due: dues.short().into(),
            max_points: dues.most_left().into(),
            ..none
        }),
        Phase::Store { piece, .. } | Phase::Recover { piece, .. } => {
            Some(v1::Decision { piece: piece.to_string(), ..none })
        }
        Phase::Place { step: PlaceStep::What, .. }
        | Phase::Transport { step: TransportStep::Lift, .. }
        | Phase::Roll
        | Phase::Pick { .. }
        | Phase::Over => None,
    }
}

fn bid_so_far(bidding: Bidding) -> v1::Bid {
    let none = v1::Bid::default();
    let made: v1::Bid = bidding.so_far().to_field();
    match bidding {
        Bidding::Markers => none,
        Bidding::Workers { .. } => v1::Bid { markers: made.markers, ..none },
        Bidding::Leaders { .. } => v1::Bid { markers: made.markers, workers: made.workers, ..none },
        Bidding::Sealed(_) => made,
    }
}

fn hex(table: &Table, at: Hex) -> v1::Hex {
    let board = table.board();
    let (q, r) = board.coordinates(at);
    let logs_return = table.options.unused_logs_return;
    v1::Hex {
        number: Some(index(at)),
        neighbours: board.neighbours(at).to_field(),
        q: q.into(),
        r: r.into(),
        terrain: terrain(board, at).into(),
        harvest: match board.terrain(at) {
            Terrain::Forest { logs } if !table.harvested.contains(at) => logs.min(table.logs_left).into(),
            Terrain::Forest { .. }
            | Terrain::Land
            | Terrain::MoaiQuarry
            | Terrain::HeaddressQuarry
            | Terrain::Village
            | Terrain::Hut => 0,
        },
        ahus: board.ahus_at(at).to_field(),
        figures: table.options.seats.iter().filter_map(|seat| figures(table, seat, at)).collect(),
        logs: table.logs.count(at).into(),
        log_seats: if logs_return { table.logs.on(at).map(|log| number(log.seat)).collect() } else { Vec::new() },
        logs_needed: if logs_return { table.logs.used()[at.index()].into() } else { 0 },
    }
}

fn figures(table: &Table, seat: Seat, at: Hex) -> Option<v1::Figures> {
    let tribe = &table.tribes[seat];
    tribe.figures().contains(at).then(|| v1::Figures {
        seat: Some(number(seat)),
        workers: tribe.workers.count(at).into(),
        sorcerer: tribe.sorcerer == Spot::On(at),
        chief: tribe.chief == Spot::On(at),
    })
}

fn ahu(table: &Table, at: Ahu) -> v1::Ahu {
    let values = table.board().ahu(at);
    let (base, moai, headdress) = match table.site(at) {
        Site::Free => (None, None, None),
        Site::Reserved(owner) => (Some(owner), None, None),
        Site::Erected { owner, moai, headdress } => (owner, Some(moai), headdress),
    };
    let name = |piece: Option<Piece>| piece.map_or_else(String::new, |piece| piece.to_string());
    v1::Ahu {
        number: Some(index(at)),
        hex: Some(index(values.hex)),
        moai_points: values.moai.into(),
        headdress_points: values.headdress.into(),
        base_seat: base.map(number),
        moai: name(moai),
        headdress: name(headdress),
    }
}

fn player(view: &View, seat: Seat) -> v1::Player {
    let tribe = &view.table.tribes[seat];
    let (reserve, receptacle) = (view.reserve(seat), view.receptacle(seat));
    v1::Player {
        seat: Some(number(seat)),
        points: view.table.points(seat).total().into(),
        prestige: tribe.prestige.into(),
        halves: tribe.halves.into(),
        workers: reserve.map(|reserve| reserve.workers.into()),
        markers: reserve.map(|reserve| reserve.markers.into()),
        logs: reserve.map(|reserve| reserve.logs.into()),
        bases: reserve.map(|reserve| reserve.bases.into()),
        workers_to_come: receptacle.map(|goods| goods.workers.into()),
        markers_to_come: receptacle.map(|goods| goods.markers.into()),
        workers_spent: tribe.front.workers.into(),
        markers_spent: tribe.front.markers.into(),
        sorcerer: Some(spot(tribe.sorcerer)),
        chief: Some(spot(tribe.chief)),
        peeked_ahus: tribe.peeked.to_field(),
        bid: view.table.shown_bids.map(|bids| bids[seat].to_field()),
    }
}

fn spot(spot: Spot) -> v1::Spot {
    let (area, hex) = match spot {
        Spot::Reserve => (Area::BehindScreen, None),
        Spot::Front => (Area::InFront, None),
        Spot::On(hex) => (Area::Island, Some(hex)),
    };
    v1::Spot { area: area.into(), hex: hex.map(index) }
}

/// Returns the message of a piece; None if it is not in play.
fn piece(table: &Table, of: Piece) -> Option<v1::Piece> {
    let place = table.place_of(of);
    let (area, owner) = match place {
        Place::Rock => return None,
        Place::Front(owner) => (Area::InFront, Some(owner)),
        Place::Island { claim: Claim::Abandoned, .. } => (Area::Island, None),
        Place::Island { claim: Claim::Held(owner) | Claim::Marked(owner), .. } => (Area::Island, Some(owner)),
        Place::Ahu(_) => (Area::Ahu, None),
    };
    let (hex, ahu) = match place {
        Place::Ahu(ahu) => (None, Some(ahu)),
        Place::Rock | Place::Front(_) | Place::Island { .. } => (Some(table.hex_of(of)), None),
    };
    Some(v1::Piece {
        name: of.to_string(),
        r#type: match of.kind() {
            Kind::Moai(_) => v1::PieceType::Moai,
            Kind::Headdress => v1::PieceType::Headdress,
        }
        .into(),
        weight: of.kind().weight().units().into(),
        area: area.into(),
        hex: hex.map(index),
        ahu: ahu.map(index),
        owner_seat: owner.map(number),
        marked: matches!(place, Place::Island { claim: Claim::Marked(_), .. }),
        visited_hexes: table.visited[of.index()].to_field(),
    })
}
