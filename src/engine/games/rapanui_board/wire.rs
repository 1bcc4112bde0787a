//! The typed messages of the game, package `ahu.rapanui_board.v1`.

use super::RapanuiBoard;
use super::action::{Action, FirstCount, MAX_GAIN};
use super::board::{Board, Side};
use super::cargo::Cargo;
use super::event::{EndReason, Event};
use super::improvement::Improvement;
use super::moai::{PUKAO, Size, Sizes, moai};
use super::offering::{Offering, Offerings, Source, Stack, Values};
use super::options::Options;
use super::payment::Payment;
use super::phase::Phase;
use super::player::{Chief, Sorcerer};
use super::power::{Barter, Means, Power};
use super::resource::{Resource, Resources};
use super::space::{Area, Areas, Space};
use super::table::Table;
use super::tile::{BEGINNER_TILES, TILES, Tile, Tiles};
use super::view::View;
use crate::core::{Numbered, Seat, Seats, Viewer};
use crate::games::{DataFile, Pack as _, Wire};
use crate::parts::message::{by_seat, from_one, number, read_enum, read_from_one};
use crate::parts::set::Set;
use crate::proto::rapanui_board::v1;

impl Wire for RapanuiBoard {
    type Observation = v1::Observation;
    type ActionMessage = v1::Action;
    type EventMessage = v1::Event;

    fn observation(view: &View) -> v1::Observation {
        // The match states the options.
        let table = &view.table;
        let options = &table.options;
        let has_order = table.phase != Phase::Order;
        v1::Observation {
            viewer_seat: match view.viewer {
                Viewer::Seat(seat) => Some(number(seat)),
                Viewer::Public => None,
            },
            phase: phase(table.phase).into(),
            active_seat: has_order.then_some(number(table.active)),
            seat_to_act: table.to_act().map(number),
            round: table.round.into(),
            turn_order: if has_order { table.order.iter().map(number).collect() } else { Vec::new() },
            players: options.seats.iter().map(|seat| player(view, seat)).collect(),
            spaces: table.board().spaces().map(|of| space(table, of)).collect(),
            supply: Some(sizes(table.supply)),
            pukao_count: table.pukao.into(),
            free_quarry_places: Some(sizes(table.free_places())),
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
                Phase::Sculpt { sculpted } => Some(sizes(sculpted)),
                _ => None,
            },
            transport: transport(table.phase),
            gain: gain(table),
            exchange: exchange(table.phase),
        }
    }

    fn action(action: Action, _: Seat, _: Seats) -> v1::Action {
        use v1::action as to;
        use v1::action::Action as ActionOneof;
        let oneof = match action {
            Action::PlaceTransporter(space) => {
                ActionOneof::PlaceTransporter(to::PlaceTransporter { space: from_one(space) })
            }
            Action::PlaceSculptor(column) => ActionOneof::PlaceSculptor(to::PlaceSculptor { column: from_one(column) }),
            Action::PlaceSorcerer(star) => ActionOneof::PlaceSorcerer(to::PlaceSorcerer { star: from_one(star) }),
            Action::PlaceChief(column) => ActionOneof::PlaceChief(to::PlaceChief { column: from_one(column) }),
            Action::Improve(tile) => ActionOneof::Improve(to::Improve { improvement: from_one(tile) }),
            Action::Play(means, what) => {
                ActionOneof::Play(to::Play { means: from_one(means), power: Some(power(what)) })
            }
            Action::Sculpt(size) => ActionOneof::Sculpt(to::Sculpt { size: from_one(size) }),
            Action::SculptDone => ActionOneof::SculptDone(to::SculptDone {}),
            Action::Transport(of) => ActionOneof::BeginTransport(to::BeginTransport { cargo: Some(cargo(of)) }),
            Action::DropOut => ActionOneof::DropOut(to::DropOut {}),
            Action::EndTurn => ActionOneof::EndTurn(to::EndTurn {}),
            Action::Step(to_area) => ActionOneof::Step(to::Step { to: Some(area(to_area)) }),
            Action::Erect(tile) => ActionOneof::Erect(to::Erect { tile: from_one(tile) }),
            Action::Style => ActionOneof::Style(to::Style {}),
            Action::Toll(resource) => ActionOneof::Toll(to::Toll { resource: from_one(resource) }),
            Action::GainShown => ActionOneof::TakeGain(to::TakeGain { shifted: false }),
            Action::GainShifted => ActionOneof::TakeGain(to::TakeGain { shifted: true }),
            Action::GainFirst(first) => ActionOneof::DivideGain(to::DivideGain { first_count: first.index() as u32 }),
            Action::Skimp(means) => ActionOneof::Skimp(to::Skimp { means: from_one(means) }),
            Action::Offer(offering, source) => ActionOneof::Offer(to::Offer {
                offering: from_one(offering),
                outstanding: source == Source::Outstanding,
            }),
            Action::Pay(payment) => ActionOneof::Pay(to::Pay { resources: Some(resources(payment.resources())) }),
            Action::Draft(tile) => ActionOneof::Draft(to::Draft { tile: from_one(tile) }),
        };
        v1::Action { action: Some(oneof) }
    }

    fn read_action(message: &v1::Action, _: Seat, _: Seats) -> Result<Action, String> {
        use v1::action::Action as ActionOneof;
        match message.action.as_ref().ok_or(NO_ACTION)? {
            ActionOneof::PlaceTransporter(message) => read_space(message.space).map(Action::PlaceTransporter),
            ActionOneof::PlaceSculptor(message) => read_size(message.column).map(Action::PlaceSculptor),
            ActionOneof::PlaceSorcerer(message) => read_from_one("star", message.star).map(Action::PlaceSorcerer),
            ActionOneof::PlaceChief(message) => read_size(message.column).map(Action::PlaceChief),
            ActionOneof::Improve(message) => {
                read_enum!(v1::Improvement, "improvement", message.improvement).map(Action::Improve)
            }
            ActionOneof::Play(message) => {
                Ok(Action::Play(read_means(message.means)?, read_power(message.power.as_ref())?))
            }
            ActionOneof::Sculpt(message) => read_size(message.size).map(Action::Sculpt),
            ActionOneof::SculptDone(_) => Ok(Action::SculptDone),
            ActionOneof::BeginTransport(message) => read_cargo(message.cargo.as_ref()).map(Action::Transport),
            ActionOneof::DropOut(_) => Ok(Action::DropOut),
            ActionOneof::EndTurn(_) => Ok(Action::EndTurn),
            ActionOneof::Step(message) => read_area(message.to.as_ref()).map(Action::Step),
            ActionOneof::Erect(message) => read_enum!(v1::Tile, "tile", message.tile).map(Action::Erect),
            ActionOneof::Style(_) => Ok(Action::Style),
            ActionOneof::Toll(message) => read_resource(message.resource).map(Action::Toll),
            ActionOneof::TakeGain(message) => Ok(if message.shifted { Action::GainShifted } else { Action::GainShown }),
            ActionOneof::DivideGain(message) => read_count(message.first_count).map(Action::GainFirst),
            ActionOneof::Skimp(message) => read_means(message.means).map(Action::Skimp),
            ActionOneof::Offer(message) => {
                let source = if message.outstanding { Source::Outstanding } else { Source::Stack };
                read_enum!(v1::Offering, "offering", message.offering).map(|offering| Action::Offer(offering, source))
            }
            ActionOneof::Pay(message) => read_payment(message.resources.unwrap_or_default()).map(Action::Pay),
            ActionOneof::Draft(message) => read_enum!(v1::Tile, "tile", message.tile).map(Action::Draft),
        }
    }

    fn event(visible: &Event) -> v1::Event {
        v1::Event { event: Some(event_message(visible)) }
    }

    fn data_files() -> Vec<DataFile> {
        let side = |side: Side, about| DataFile { name: side.file_name(), about, content: board(side).packed() };
        let about = "The tiles, their prices, and the Moai. The worths of the Offering tiles are reconstructions.";
        let tiles = |values: Values| DataFile { name: values.file_name(), about, content: game_tiles(values).packed() };
        vec![
            side(Side::Rn34V1, "The side of the board for 3 and 4 players, a reconstruction."),
            side(Side::Rn2V1, "The side of the board for 2 players, a reconstruction."),
            tiles(Values::RnV1),
        ]
    }

    fn data_files_of(options: &Options) -> Vec<&'static str> {
        vec![options.board.file_name(), options.offerings.file_name()]
    }
}

const NO_ACTION: &str = "expected one of place_transporter, place_sculptor, place_sorcerer, place_chief, improve, \
                         play, sculpt, sculpt_done, begin_transport, drop_out, end_turn, step, erect, style, toll, \
                         take_gain, divide_gain, skimp, offer, pay, draft, got none";

/// Returns the things of a set as messages number them.
fn numbers<T: Numbered, N: TryFrom<usize, Error: std::fmt::Debug>>(things: Set<T>) -> Vec<N> {
    things.iter().map(from_one).collect()
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
        offerings: Some(offerings(player.offerings)),
        resources: Some(resources(player.resources)),
        tiles: tiles(&player.tiles),
        tablet: player.has_tablet,
        improvements: numbers(player.improvements),
        moai: Some(sizes(player.moai)),
        villager_count: player.villagers.into(),
        sculptors: Some(sizes(player.sculptors)),
        virtual_sculptors: Some(sizes(player.chip_ins)),
        sorcerer: Some(sorcerer(player.sorcerer)),
        chief: Some(chief(player.chief)),
        held_spaces: numbers(player.held),
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
        adjacent_spaces: numbers(adjacent.spaces()),
        adjacent_quarries: (adjacent & Areas::QUARRIES).iter().map(|of| quarry(of).into()).collect(),
        colours: std::iter::once(colours.first).chain(colours.second).map(from_one).collect(),
        ahu_count: board.ahus(space).into(),
        tiles: site.tiles.iter().flatten().copied().map(from_one).collect(),
        moai: Some(sizes(site.moai)),
        styled_count: site.styled.into(),
        owner_seat: owner.map(number),
        standing_count: site.standing.into(),
        lying_count: site.lying.into(),
        chief: owner.is_some_and(|seat| table.players[seat].lent_chief() == Some(space)),
    }
}

/// Returns a side of the board.
fn board(side: Side) -> v1::Board {
    let board = side.board();
    let (rows, columns) = board.extent();
    v1::Board {
        spaces: board.spaces().map(|of| board_space(board, of)).collect(),
        quarries: Areas::QUARRIES.iter().map(|of| board_quarry(board, of)).collect(),
        row_count: rows.into(),
        column_count: columns.into(),
        quarry_places: Some(sizes(board.quarry)),
        star_count: board.stars.into(),
    }
}

fn board_space(board: &Board, space: Space) -> v1::BoardSpace {
    let (row, column) = board.place(space.into());
    let adjacent = board.adjacent(space.into());
    let colours = board.colours(space);
    let is_sea = |row: Option<u8>, column: Option<u8>| row.zip(column).and_then(|(r, c)| board.at(r, c)).is_none();
    let sides = [
        (v1::Side::North, is_sea(row.checked_sub(1), Some(column))),
        (v1::Side::East, is_sea(Some(row), Some(column + 1))),
        (v1::Side::South, is_sea(Some(row + 1), Some(column))),
        (v1::Side::West, is_sea(Some(row), column.checked_sub(1))),
    ];
    v1::BoardSpace {
        number: from_one(space),
        row: row.into(),
        column: column.into(),
        adjacent_spaces: numbers(adjacent.spaces()),
        adjacent_quarries: (adjacent & Areas::QUARRIES).iter().map(|of| quarry(of).into()).collect(),
        colours: std::iter::once(colours.first).chain(colours.second).map(from_one).collect(),
        ahu_count: board.ahus(space).into(),
        coasts: sides.into_iter().filter(|&(_, is_coast)| is_coast).map(|(side, _)| side.into()).collect(),
    }
}

fn board_quarry(board: &Board, of: Area) -> v1::BoardQuarry {
    let (row, column) = board.place(of);
    v1::BoardQuarry {
        quarry: quarry(of).into(),
        row: row.into(),
        column: column.into(),
        adjacent_spaces: numbers(board.adjacent(of).spaces()),
    }
}

/// Returns the tiles and pieces of the game, with the values of this set.
fn game_tiles(values: Values) -> v1::Tiles {
    let seats = |count| Seats::new(count).expect("a number of seats of the game");
    let list = |stack: &Stack| stack.values().iter().map(|&value| value.into()).collect();
    let set = values.tiles();
    let of_type = |of: Offering| v1::OfferingTiles {
        r#type: from_one(of),
        price: Some(resources(of.price())),
        values: list(set.stack(of, seats(4))),
        values_of_two: list(set.stack(of, seats(2))),
        outstanding_values: list(set.outstanding(of)),
    };
    let of_kind = |of: Tile| v1::AhuTiles {
        r#type: from_one(of),
        count: TILES[of].into(),
        beginner_count: BEGINNER_TILES[of].into(),
    };
    let improvement = |of: Improvement| {
        let (resource, count) = of.cost();
        let mut price = Resources::EMPTY;
        price[resource] = count;
        v1::ImprovementTile { r#type: from_one(of), price: Some(resources(price)) }
    };
    v1::Tiles {
        offerings: Offering::ALL.map(of_type).to_vec(),
        ahu_tiles: Tile::ALL.map(of_kind).to_vec(),
        improvements: Improvement::ALL.map(improvement).to_vec(),
        moai: Some(sizes(moai(seats(4)))),
        moai_of_two: Some(sizes(moai(seats(2)))),
        pukao_count: PUKAO.into(),
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
            cargo: Some(cargo(of)),
            at: Some(area(at)),
            visited: visited.iter().map(area).collect(),
            tile: 0,
            tolls: Vec::new(),
        }),
        Phase::Toll { space, size, tile: taken, left } => Some(v1::Transport {
            cargo: Some(cargo(Cargo::Moai(size))),
            at: Some(area(space.into())),
            visited: Vec::new(),
            tile: from_one(taken),
            tolls: numbers(left),
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
    let price = |skimped| if skimped { 2 } else { 4 };
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

const fn quarry(area: Area) -> v1::Quarry {
    if area.index() == Area::CRATER.index() { v1::Quarry::Crater } else { v1::Quarry::Pukao }
}

fn area(of: Area) -> v1::Area {
    use v1::area::Area as AreaOneof;
    let oneof =
        of.space().map_or_else(|| AreaOneof::Quarry(quarry(of).into()), |space| AreaOneof::Space(from_one(space)));
    v1::Area { area: Some(oneof) }
}

fn cargo(of: Cargo) -> v1::Cargo {
    use v1::cargo::Cargo as CargoOneof;
    let oneof = match of {
        Cargo::Moai(of) => CargoOneof::Moai(from_one(of)),
        Cargo::Pukao => CargoOneof::Pukao(v1::cargo::Pukao {}),
    };
    v1::Cargo { cargo: Some(oneof) }
}

fn power(of: Power) -> v1::Power {
    use v1::power as to;
    use v1::power::Power as PowerOneof;
    let oneof = match of {
        Power::Barter(types) => {
            PowerOneof::Barter(to::Barter { give: from_one(types.give()), take: from_one(types.take()) })
        }
        Power::ChipIn(column) => PowerOneof::ChipIn(from_one(column)),
        Power::ChangeToSculptor(column) => PowerOneof::ChangeToSculptor(from_one(column)),
        Power::ChangeToTransporter(space) => PowerOneof::ChangeToTransporter(from_one(space)),
        Power::Rest(space) => PowerOneof::Rest(from_one(space)),
        Power::LendSculptor(space) => PowerOneof::LendSculptor(from_one(space)),
        Power::LendChief(space) => PowerOneof::LendChief(from_one(space)),
        Power::TakeTwoMore => PowerOneof::TakeTwoMore(to::TakeTwoMore {}),
        Power::TakeThreeMore => PowerOneof::TakeThreeMore(to::TakeThreeMore {}),
    };
    v1::Power { power: Some(oneof) }
}

fn resources(counts: Resources) -> v1::ResourceCounts {
    let [reeds, eggs, wood, pearls] = counts.as_array().map(u32::from);
    v1::ResourceCounts { reeds, eggs, wood, pearls }
}

fn sizes(counts: Sizes) -> v1::SizeCounts {
    let [small, medium, large] = counts.as_array().map(u32::from);
    v1::SizeCounts { small, medium, large }
}

fn offerings(counts: Offerings) -> v1::OfferingCounts {
    let [hut, chicken, hatchet, boat, necklace] = counts.as_array().map(u32::from);
    v1::OfferingCounts { hut, chicken, hatchet, boat, necklace }
}

fn tiles(counts: &Tiles) -> Vec<i32> {
    counts.iter().flat_map(|(tile, count)| std::iter::repeat_n(from_one(tile), count.into())).collect()
}

fn event_message(visible: &Event) -> v1::event::Event {
    use v1::event as to;
    use v1::event::Event as EventOneof;
    let who = |seat| Some(number(seat));
    match *visible {
        Event::Ordered { order } => EventOneof::Ordered(to::Ordered { seats: order.iter().map(number).collect() }),
        Event::TilesLaid { tiles } => {
            EventOneof::TilesLaid(to::TilesLaid { tiles: tiles.iter().copied().map(from_one).collect() })
        }
        Event::Drafted { seat, tile } => EventOneof::Drafted(to::Drafted { seat: who(seat), tile: from_one(tile) }),
        Event::NothingToDraft { seat } => EventOneof::NothingToDraft(to::NothingToDraft { seat: who(seat) }),
        Event::RoundBegan { round } => EventOneof::RoundBegan(to::RoundBegan { round: round.into() }),
        Event::TransporterPlaced { seat, space } => {
            EventOneof::TransporterPlaced(to::TransporterPlaced { seat: who(seat), space: from_one(space) })
        }
        Event::SculptorPlaced { seat, column } => {
            EventOneof::SculptorPlaced(to::SculptorPlaced { seat: who(seat), column: from_one(column) })
        }
        Event::SorcererPlaced { seat, star } => {
            EventOneof::SorcererPlaced(to::SorcererPlaced { seat: who(seat), star: from_one(star) })
        }
        Event::ChiefPlaced { seat, column } => {
            EventOneof::ChiefPlaced(to::ChiefPlaced { seat: who(seat), column: from_one(column) })
        }
        Event::Improved { seat, improvement } => {
            EventOneof::Improved(to::Improved { seat: who(seat), improvement: from_one(improvement) })
        }
        Event::Played { seat, means, power: what } => {
            EventOneof::Played(to::Played { seat: who(seat), means: from_one(means), power: Some(power(what)) })
        }
        Event::Sculpted { seat, size } => EventOneof::Sculpted(to::Sculpted { seat: who(seat), size: from_one(size) }),
        Event::SculptingDone { seat, moai } => {
            EventOneof::SculptingDone(to::SculptingDone { seat: who(seat), moai: Some(sizes(moai)) })
        }
        Event::TransportBegan { seat, cargo: of } => {
            EventOneof::TransportBegan(to::TransportBegan { seat: who(seat), cargo: Some(cargo(of)) })
        }
        Event::Stepped { seat, area: at } => EventOneof::Stepped(to::Stepped { seat: who(seat), area: Some(area(at)) }),
        Event::TollEarned { seat, space, resource, is_lost } => EventOneof::TollEarned(to::TollEarned {
            seat: who(seat),
            space: from_one(space),
            resource: from_one(resource),
            lost: is_lost,
        }),
        Event::Erected { seat, space, size, tile, is_tiring } => EventOneof::Erected(to::Erected {
            seat: who(seat),
            space: from_one(space),
            size: from_one(size),
            tile: from_one(tile),
            tiring: is_tiring,
        }),
        Event::Gained { seat, resource, count, lost } => EventOneof::Gained(to::Gained {
            seat: who(seat),
            resource: from_one(resource),
            count: count.into(),
            lost_count: lost.into(),
        }),
        Event::Styled { seat, space, is_tiring } => {
            EventOneof::Styled(to::Styled { seat: who(seat), space: from_one(space), tiring: is_tiring })
        }
        Event::Skimped { seat, means } => EventOneof::Skimped(to::Skimped { seat: who(seat), means: from_one(means) }),
        Event::OfferingChosen { seat, offering, source } => EventOneof::OfferingChosen(to::OfferingChosen {
            seat: who(seat),
            offering: from_one(offering),
            outstanding: source == Source::Outstanding,
        }),
        Event::OfferingTaken { seat, offering, source, value, payment } => {
            EventOneof::OfferingTaken(to::OfferingTaken {
                seat: who(seat),
                offering: from_one(offering),
                outstanding: source == Source::Outstanding,
                value: value.into(),
                payment: Some(resources(payment.resources())),
            })
        }
        Event::DroppedOut { seat } => EventOneof::DroppedOut(to::DroppedOut { seat: who(seat) }),
        Event::RoundEnded { round, empty_ahus } => {
            EventOneof::RoundEnded(to::RoundEnded { round: round.into(), empty_ahu_count: empty_ahus.into() })
        }
        Event::Ended { reason, points } => {
            EventOneof::Ended(to::Ended { reason: end_reason(reason).into(), points: by_seat(&points) })
        }
    }
}

const fn end_reason(reason: EndReason) -> v1::EndReason {
    match reason {
        EndReason::Ahus => v1::EndReason::Ahus,
        EndReason::Rounds => v1::EndReason::Rounds,
        EndReason::Stall => v1::EndReason::Stall,
    }
}

fn read_space(value: u32) -> Result<Space, String> {
    read_from_one("space", value)
}

fn read_size(value: i32) -> Result<Size, String> {
    read_enum!(v1::Size, "size or column", value)
}

fn read_resource(value: i32) -> Result<Resource, String> {
    read_enum!(v1::Resource, "resource", value)
}

fn read_means(value: i32) -> Result<Means, String> {
    read_enum!(v1::Means, "means", value)
}

fn read_count(value: u32) -> Result<FirstCount, String> {
    let count = FirstCount::new(value as usize);
    count.ok_or_else(|| format!("expected first_count from 0 to {MAX_GAIN}, got {value}"))
}

fn read_area(message: Option<&v1::Area>) -> Result<Area, String> {
    use v1::area::Area as AreaOneof;
    match message.and_then(|message| message.area) {
        Some(AreaOneof::Space(number)) => read_space(number).map(Area::from),
        Some(AreaOneof::Quarry(value)) => match v1::Quarry::try_from(value) {
            Ok(v1::Quarry::Crater) => Ok(Area::CRATER),
            Ok(v1::Quarry::Pukao) => Ok(Area::PUKAO_QUARRY),
            Ok(v1::Quarry::Unspecified) | Err(_) => {
                Err(format!("expected quarry 1 (QUARRY_CRATER) or 2 (QUARRY_PUKAO), got {value}"))
            }
        },
        None => Err("expected an area with a space or a quarry, got neither".to_owned()),
    }
}

fn read_cargo(message: Option<&v1::Cargo>) -> Result<Cargo, String> {
    use v1::cargo::Cargo as CargoOneof;
    match message.and_then(|message| message.cargo) {
        Some(CargoOneof::Moai(size)) => read_size(size).map(Cargo::Moai),
        Some(CargoOneof::Pukao(_)) => Ok(Cargo::Pukao),
        None => Err("expected a cargo with a moai or a pukao, got neither".to_owned()),
    }
}

fn read_power(message: Option<&v1::Power>) -> Result<Power, String> {
    use v1::power::Power as PowerOneof;
    match message.and_then(|message| message.power).ok_or(NO_POWER)? {
        PowerOneof::Barter(barter) => {
            let (give, take) = (read_resource(barter.give)?, read_resource(barter.take)?);
            let types = Barter::of(give, take).map(Power::Barter);
            types.ok_or_else(|| format!("expected two different Resources for Barter, got {take} for {give}"))
        }
        PowerOneof::ChipIn(column) => read_size(column).map(Power::ChipIn),
        PowerOneof::ChangeToSculptor(column) => read_size(column).map(Power::ChangeToSculptor),
        PowerOneof::ChangeToTransporter(space) => read_space(space).map(Power::ChangeToTransporter),
        PowerOneof::Rest(space) => read_space(space).map(Power::Rest),
        PowerOneof::LendSculptor(space) => read_space(space).map(Power::LendSculptor),
        PowerOneof::LendChief(space) => read_space(space).map(Power::LendChief),
        PowerOneof::TakeTwoMore(_) => Ok(Power::TakeTwoMore),
        PowerOneof::TakeThreeMore(_) => Ok(Power::TakeThreeMore),
    }
}

const NO_POWER: &str = "expected one of barter, chip_in, change_to_sculptor, change_to_transporter, rest, \
                        lend_sculptor, lend_chief, take_two_more, take_three_more, got none";

fn read_payment(counts: v1::ResourceCounts) -> Result<Payment, String> {
    let v1::ResourceCounts { reeds, eggs, wood, pearls } = counts;
    // Counts above five are capped: five is already more than any payment has.
    let counts = [reeds, eggs, wood, pearls].map(|count| count.min(5) as u8);
    Payment::of(Resources::of(counts)).ok_or_else(|| {
        format!("expected 4 Resources, or 2 with Skimp, got {reeds} reeds, {eggs} eggs, {wood} wood, {pearls} pearls")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::rapanui_board::{Improvement, Tile};
    use crate::parts::message::assert_same_names;

    #[test]
    fn enums_of_messages_are_those_of_the_game() {
        assert_same_names! {
            Resource, v1::Resource, "RESOURCE";
            Size, v1::Size, "SIZE";
            Tile, v1::Tile, "TILE";
            Improvement, v1::Improvement, "IMPROVEMENT";
            Offering, v1::Offering, "OFFERING";
            Means, v1::Means, "MEANS";
        }
    }
}
