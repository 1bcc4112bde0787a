//! The message of a view.

use ahu_core::Seat;
use ahu_messages::rapanui_board::v1;

use super::fields::quarry;
use crate::rapanui_board::wording::price;
use crate::rapanui_board::{Area, Cargo, Chief, Offering, Phase, Sorcerer, Source, Space, Table, Tiles, View};
use crate::wire::message::{ToField, from_one, number};

pub(super) fn observation(view: &View) -> v1::Observation {
    // The match states the options.
    let table = &view.table;
    let options = &table.options;
    let has_order = table.phase != Phase::Order;
    v1::Observation {
        viewer_seat: view.viewer.own_seat().map(number),
        phase: phase(table.phase).into(),
        active_seat: has_order.then_some(number(table.active)),
        seat_to_act: table.to_act().map(number),
        round: table.round.into(),
        turn_order: if has_order { table.order.iter().map(number).collect() } else { Vec::new() },
        players: options.seats.iter().map(|seat| player(view, seat)).collect(),
        spaces: table.board().spaces().map(|of| space(table, of)).collect(),
        supply: table.supply.to_field(),
        pukao_count: table.pukao.into(),
        free_quarry_places: table.free_places().to_field(),
        star_count: options.star_spaces.into(),
        stacks: Offering::ALL.map(|of| stack(table, of)).to_vec(),
        empty_ahu_count: table.empty_ahus().into(),
        last_ahu_count: table.last_ahus().into(),
        idle_rounds_left: table.idle_rounds_left().map(u32::from),
        rounds_left: table.rounds_left().into(),
        erected_or_styled: table.has_erected_or_styled,
        displayed_tiles: tiles(&table.display),
        aside_tiles: tiles(&table.aside),
        sculpted: match table.phase {
            Phase::Sculpt { sculpted } => sculpted.to_field(),
            _ => None,
        },
        transport: transport(table.phase),
        gain: gain(table),
        exchange: exchange(table.phase),
    }
}

const fn phase(phase: Phase) -> v1::Phase {
    match phase {
        Phase::Order | Phase::Tiles => v1::Phase::Setup,
        Phase::Draft { .. } => v1::Phase::Draft,
        Phase::Place => v1::Phase::Place,
        Phase::Sculpt { .. } => v1::Phase::Sculpt,
        Phase::Transport => v1::Phase::Transport,
        Phase::Carry { .. } => v1::Phase::Carry,
        Phase::Toll { .. } => v1::Phase::Toll,
        Phase::Gain { .. } => v1::Phase::Gain,
        Phase::Shift { .. } => v1::Phase::Shift,
        Phase::Exchange { .. } => v1::Phase::Exchange,
        Phase::Pay { .. } => v1::Phase::Pay,
        Phase::EndTurn => v1::Phase::EndTurn,
        Phase::Over => v1::Phase::Over,
    }
}

fn player(view: &View, seat: Seat) -> v1::Player {
    let player = &view.table.players[seat];
    v1::Player {
        seat: Some(number(seat)),
        points: view.points(seat).into(),
        offering_points: view.offered[seat].map(u32::from),
        offerings: player.offerings.to_field(),
        resources: player.resources.to_field(),
        tiles: tiles(&player.tiles),
        tablet: player.has_tablet,
        improvements: player.improvements.to_field(),
        moai: player.moai.to_field(),
        villager_count: player.villagers.into(),
        sculptors: player.sculptors.to_field(),
        virtual_sculptors: player.chip_ins.to_field(),
        sorcerer: Some(sorcerer(player.sorcerer)),
        chief: Some(chief(player.chief)),
        held_spaces: player.held.to_field(),
        dropped_out: player.has_dropped_out,
    }
}

fn sorcerer(sorcerer: Sorcerer) -> v1::Sorcerer {
    let (place, star) = match sorcerer {
        Sorcerer::InHand => (v1::SorcererPlace::InHand, 0),
        Sorcerer::OnStar(star) => (v1::SorcererPlace::OnStar, from_one(star)),
        Sorcerer::AtWork => (v1::SorcererPlace::AtWork, 0),
    };
    v1::Sorcerer { place: place.into(), star }
}

fn chief(chief: Chief) -> v1::Chief {
    let at = |place: v1::ChiefPlace| v1::Chief { place: place.into(), column: 0, space: 0 };
    match chief {
        Chief::InVillage => at(v1::ChiefPlace::InVillage),
        Chief::InHand => at(v1::ChiefPlace::InHand),
        Chief::InQuarry(column) => v1::Chief { column: from_one(column), ..at(v1::ChiefPlace::InQuarry) },
        Chief::OnSpace(space) => v1::Chief { space: from_one(space), ..at(v1::ChiefPlace::OnSpace) },
    }
}

fn space(table: &Table, space: Space) -> v1::Space {
    let board = table.board();
    let site = table.site(space);
    let (row, column) = board.place(space.into());
    let adjacent = board.adjacent(space.into());
    let colours = board.colours(space);
    let owner = table.owner(space);
    v1::Space {
        number: from_one(space),
        row: row.into(),
        column: column.into(),
        adjacent_spaces: Area::spaces_of(adjacent).to_field(),
        adjacent_quarries: (adjacent & Area::QUARRIES).iter().map(|of| quarry(of).into()).collect(),
        colours: std::iter::once(colours.first).chain(colours.second).map(from_one).collect(),
        ahu_count: board.ahus(space).into(),
        tiles: site.tiles().map(from_one).collect(),
        moai: site.moai().to_field(),
        styled_count: site.styled().into(),
        owner_seat: owner.map(number),
        standing_count: site.standing.into(),
        lying_count: site.lying.into(),
        chief: owner.is_some_and(|seat| table.players[seat].lent_chief() == Some(space)),
    }
}

fn stack(table: &Table, of: Offering) -> v1::OfferingStack {
    let values = |source| table.values_left(of, source).iter().map(|&value| value.into()).collect();
    v1::OfferingStack {
        r#type: from_one(of),
        values: values(Source::Stack),
        outstanding_values: values(Source::Outstanding),
    }
}

fn transport(phase: Phase) -> Option<v1::Transport> {
    match phase {
        Phase::Carry { cargo: of, at, visited } => Some(v1::Transport {
            cargo: of.to_field(),
            at: at.to_field(),
            visited: visited.iter().map(Area::to_field).collect(),
            tile: 0,
            tolls: Vec::new(),
        }),
        Phase::Toll { space, size, tile: taken, left } => Some(v1::Transport {
            cargo: Cargo::Moai(size).to_field(),
            at: Area::from(space).to_field(),
            visited: Vec::new(),
            tile: from_one(taken),
            tolls: left.to_field(),
        }),
        _ => None,
    }
}

fn gain(table: &Table) -> Option<v1::Gain> {
    match table.phase {
        Phase::Gain { space, count } => {
            Some(v1::Gain { space: from_one(space), count: count.into(), part_count: 0, part_colour: 0 })
        }
        Phase::Shift { space, first, second } => {
            let (colour, count) = table.part(space, first, second);
            Some(v1::Gain {
                space: from_one(space),
                count: (first + second).into(),
                part_count: count.into(),
                part_colour: from_one(colour),
            })
        }
        _ => None,
    }
}

fn exchange(phase: Phase) -> Option<v1::Exchange> {
    let price = |skimped| price(skimped).into();
    match phase {
        Phase::Exchange { skimped } => Some(v1::Exchange { price: price(skimped), offering: 0, outstanding: false }),
        Phase::Pay { skimped, offering: of, source } => Some(v1::Exchange {
            price: price(skimped),
            offering: from_one(of),
            outstanding: source == Source::Outstanding,
        }),
        _ => None,
    }
}

fn tiles(counts: &Tiles) -> Vec<i32> {
    counts.iter().flat_map(|(tile, count)| std::iter::repeat_n(from_one(tile), count.into())).collect()
}
