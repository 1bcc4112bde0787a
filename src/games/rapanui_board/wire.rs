//! The typed messages of the game, package `ahu.rapanui_board.v1`.

use super::action::{Action, Cargo, Source, Star};
use super::board::{Area, Areas, Space};
use super::event::{EndReason, Event};
use super::improvement::Improvement;
use super::moai::{Size, Sizes};
use super::offering::{Offering, Offerings};
use super::payment::Payment;
use super::player::{Chief, Sorcerer};
use super::power::{Means, Power};
use super::resource::{Resource, Resources};
use super::tile::{Tile, Tiles};
use super::{Phase, RapanuiBoard, Table, View};
use crate::core::{Seat, Seats, Viewer};
use crate::games::Wire;
use crate::parts::message::number;
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
            spaces: options.board.board().spaces().map(|of| space(table, of)).collect(),
            supply: Some(sizes(table.supply)),
            pukao_count: table.pukao.into(),
            free_quarry_places: Some(sizes(Sizes::of(Size::ALL.map(|column| table.free_places(column))))),
            star_count: options.star_spaces.into(),
            stacks: Offering::ALL.map(|of| stack(table, of)).to_vec(),
            empty_ahu_count: table.empty_ahus().into(),
            last_ahu_count: table.last_ahus().into(),
            idle_rounds_left: (options.stall_end > 0)
                .then(|| options.stall_end.saturating_sub(table.idle_rounds).into()),
            rounds_left: (options.max_rounds + 1 - table.round.max(1)).into(),
            has_erected: table.has_erected,
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
        v1::Action {
            action: Some(match action {
                Action::PlaceTransporter(at) => {
                    ActionOneof::PlaceTransporter(to::PlaceTransporter { space: space_number(at) })
                }
                Action::PlaceSculptor(column) => {
                    ActionOneof::PlaceSculptor(to::PlaceSculptor { column: size(column).into() })
                }
                Action::PlaceSorcerer(star) => {
                    ActionOneof::PlaceSorcerer(to::PlaceSorcerer { star: star_number(star) })
                }
                Action::PlaceChief(column) => ActionOneof::PlaceChief(to::PlaceChief { column: size(column).into() }),
                Action::Improve(of) => ActionOneof::Improve(to::Improve { improvement: improvement(of).into() }),
                Action::Play(by, what) => {
                    ActionOneof::Play(to::Play { means: means(by).into(), power: Some(power(what)) })
                }
                Action::Sculpt(of) => ActionOneof::Sculpt(to::Sculpt { size: size(of).into() }),
                Action::SculptDone => ActionOneof::SculptDone(to::SculptDone {}),
                Action::Transport(of) => ActionOneof::BeginTransport(to::BeginTransport { cargo: Some(cargo(of)) }),
                Action::DropOut => ActionOneof::DropOut(to::DropOut {}),
                Action::EndTurn => ActionOneof::EndTurn(to::EndTurn {}),
                Action::Step(area_to) => ActionOneof::Step(to::Step { to: Some(area(area_to)) }),
                Action::Erect(of) => ActionOneof::Erect(to::Erect { tile: tile(of).into() }),
                Action::Style => ActionOneof::Style(to::Style {}),
                Action::Toll(of) => ActionOneof::Toll(to::Toll { resource: resource(of).into() }),
                Action::GainShown => ActionOneof::TakeGain(to::TakeGain { shifted: false }),
                Action::GainShifted => ActionOneof::TakeGain(to::TakeGain { shifted: true }),
                Action::GainFirst(count) => ActionOneof::DivideGain(to::DivideGain { first_count: count.into() }),
                Action::Skimp(by) => ActionOneof::Skimp(to::Skimp { means: means(by).into() }),
                Action::Offer(of, source) => ActionOneof::Offer(to::Offer {
                    offering: offering(of).into(),
                    outstanding: source == Source::Outstanding,
                }),
                Action::Pay(payment) => ActionOneof::Pay(to::Pay { resources: Some(resources(payment.resources())) }),
                Action::Draft(of) => ActionOneof::Draft(to::Draft { tile: tile(of).into() }),
            }),
        }
    }

    fn read_action(message: &v1::Action, _: Seat, _: Seats) -> Result<Action, String> {
        use v1::action::Action as ActionOneof;
        match message.action.as_ref().ok_or(NO_ACTION)? {
            ActionOneof::PlaceTransporter(message) => read_space(message.space).map(Action::PlaceTransporter),
            ActionOneof::PlaceSculptor(message) => read_size(message.column).map(Action::PlaceSculptor),
            ActionOneof::PlaceSorcerer(message) => read_star(message.star).map(Action::PlaceSorcerer),
            ActionOneof::PlaceChief(message) => read_size(message.column).map(Action::PlaceChief),
            ActionOneof::Improve(message) => read_improvement(message.improvement).map(Action::Improve),
            ActionOneof::Play(message) => {
                Ok(Action::Play(read_means(message.means)?, read_power(message.power.as_ref())?))
            }
            ActionOneof::Sculpt(message) => read_size(message.size).map(Action::Sculpt),
            ActionOneof::SculptDone(_) => Ok(Action::SculptDone),
            ActionOneof::BeginTransport(message) => read_cargo(message.cargo.as_ref()).map(Action::Transport),
            ActionOneof::DropOut(_) => Ok(Action::DropOut),
            ActionOneof::EndTurn(_) => Ok(Action::EndTurn),
            ActionOneof::Step(message) => read_area(message.to.as_ref()).map(Action::Step),
            ActionOneof::Erect(message) => read_tile(message.tile).map(Action::Erect),
            ActionOneof::Style(_) => Ok(Action::Style),
            ActionOneof::Toll(message) => read_resource(message.resource).map(Action::Toll),
            ActionOneof::TakeGain(message) => Ok(if message.shifted { Action::GainShifted } else { Action::GainShown }),
            ActionOneof::DivideGain(message) => read_count(message.first_count).map(Action::GainFirst),
            ActionOneof::Skimp(message) => read_means(message.means).map(Action::Skimp),
            ActionOneof::Offer(message) => {
                let source = if message.outstanding { Source::Outstanding } else { Source::Stack };
                Ok(Action::Offer(read_offering(message.offering)?, source))
            }
            ActionOneof::Pay(message) => read_payment(message.resources.unwrap_or_default()).map(Action::Pay),
            ActionOneof::Draft(message) => read_tile(message.tile).map(Action::Draft),
        }
    }

    fn event(visible: &Event) -> v1::Event {
        v1::Event { event: Some(event_message(visible)) }
    }
}

const NO_ACTION: &str = "expected one of place_transporter, place_sculptor, place_sorcerer, place_chief, improve, \
                         play, sculpt, sculpt_done, begin_transport, drop_out, end_turn, step, erect, style, toll, \
                         take_gain, divide_gain, skimp, offer, pay, draft, got none";

/// Defines the functions that write the kinds of an enum to messages and read them.
macro_rules! enum_message {
    ($write:ident, $read:ident, $type:ident, $what:literal, [$($kind:ident),+ $(,)?]) => {
        const fn $write(of: $type) -> v1::$type {
            match of {
                $($type::$kind => v1::$type::$kind),+
            }
        }

        fn $read(value: i32) -> Result<$type, String> {
            $type::ALL.into_iter().find(|&of| $write(of) as i32 == value).ok_or_else(|| {
                let [first, last] = [$type::ALL[0], $type::ALL[$type::COUNT - 1]].map($write);
                let (first_name, last_name) = (first.as_str_name(), last.as_str_name());
                format!(
                    "expected {} from {} ({first_name}) to {} ({last_name}), got {value}",
                    $what, first as i32, last as i32
                )
            })
        }
    };
}

enum_message!(resource, read_resource, Resource, "resource", [Reeds, Eggs, Wood, Pearls]);
enum_message!(size, read_size, Size, "size or column", [Small, Medium, Large]);
enum_message!(improvement, read_improvement, Improvement, "improvement", [Fervent, Artistic, Popular, Chief]);
enum_message!(offering, read_offering, Offering, "offering", [Hut, Chicken, Hatchet, Boat, Necklace]);
enum_message!(means, read_means, Means, "means", [Tile, Tablet]);
enum_message!(
    tile,
    read_tile,
    Tile,
    "tile",
    [Rest, Barter, Skimp, ChipIn, TakeThreeMore, TakeYourPick, ChangeJobs, LendAHand, GainFavor, TakeTwoMore,]
);

/// Returns the number of a space in messages, from 1.
const fn space_number(space: Space) -> u32 {
    space.index() as u32 + 1
}

/// Returns the number of a star space in messages, from 1.
const fn star_number(star: Star) -> u32 {
    star.index() as u32 + 1
}

fn space_numbers(areas: Areas) -> Vec<u32> {
    areas.spaces().map(space_number).collect()
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
    let improvements = Improvement::ALL.into_iter().filter(|&of| player.is(of));
    v1::Player {
        seat: Some(number(seat)),
        points: view.points(seat).into(),
        offering_points: view.offered[seat].map(u32::from),
        offerings: Some(offerings(player.offerings)),
        resources: Some(resources(player.resources)),
        tiles: tiles(&player.tiles),
        has_tablet: player.has_tablet,
        improvements: improvements.map(|of| improvement(of).into()).collect(),
        moai: Some(sizes(player.moai)),
        villager_count: player.villagers.into(),
        sculptors: Some(sizes(player.sculptors)),
        virtual_sculptors: Some(sizes(player.chip_ins)),
        sorcerer: Some(sorcerer(player.sorcerer)),
        chief: Some(chief(player.chief)),
        held_spaces: space_numbers(player.held),
        has_dropped_out: player.has_dropped_out,
    }
}

fn sorcerer(sorcerer: Sorcerer) -> v1::Sorcerer {
    let (place, star) = match sorcerer {
        Sorcerer::InHand => (v1::SorcererPlace::InHand, 0),
        Sorcerer::OnStar(star) => (v1::SorcererPlace::OnStar, star_number(star)),
        Sorcerer::AtWork => (v1::SorcererPlace::AtWork, 0),
    };
    v1::Sorcerer { place: place.into(), star }
}

fn chief(chief: Chief) -> v1::Chief {
    let at = |place: v1::ChiefPlace| v1::Chief { place: place.into(), column: 0, space: 0 };
    match chief {
        Chief::InVillage => at(v1::ChiefPlace::InVillage),
        Chief::InHand => at(v1::ChiefPlace::InHand),
        Chief::InQuarry(column) => v1::Chief { column: size(column).into(), ..at(v1::ChiefPlace::InQuarry) },
        Chief::OnSpace(space) => v1::Chief { space: space_number(space), ..at(v1::ChiefPlace::OnSpace) },
    }
}

fn space(table: &Table, space: Space) -> v1::Space {
    let board = table.options.board.board();
    let site = table.site(space);
    let (row, column) = board.place(space.into());
    let adjacent = board.adjacent(space.into());
    let colours = board.colours(space);
    let owner = table.owner(space);
    v1::Space {
        number: space_number(space),
        row: row.into(),
        column: column.into(),
        adjacent_spaces: space_numbers(adjacent),
        adjacent_quarries: (adjacent & Areas::QUARRIES).iter().map(|of| quarry(of).into()).collect(),
        colours: std::iter::once(colours.first).chain(colours.second).map(|of| resource(of).into()).collect(),
        ahu_count: board.ahus(space).into(),
        tiles: site.tiles.iter().flatten().map(|&of| tile(of).into()).collect(),
        moai: Some(sizes(site.moai)),
        styled_count: site.styled.into(),
        owner_seat: owner.map(number),
        standing_count: site.standing.into(),
        lying_count: site.lying.into(),
        has_chief: owner.is_some_and(|seat| table.players[seat].lent_chief() == Some(space)),
    }
}

fn stack(table: &Table, of: Offering) -> v1::OfferingStack {
    let values = |source| table.values_left(of, source).iter().map(|&value| value.into()).collect();
    v1::OfferingStack {
        r#type: offering(of).into(),
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
            tile: tile(taken).into(),
            tolls: space_numbers(left),
        }),
        _ => None,
    }
}

fn gain(table: &Table) -> Option<v1::Gain> {
    match table.phase {
        Phase::Gain { space, count } => {
            Some(v1::Gain { space: space_number(space), count: count.into(), part_count: 0, part_colour: 0 })
        }
        Phase::Shift { space, first, second } => {
            let (colour, count) = table.part(space, first, second);
            Some(v1::Gain {
                space: space_number(space),
                count: (first + second).into(),
                part_count: count.into(),
                part_colour: resource(colour).into(),
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
            offering: offering(of).into(),
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
        of.space().map_or_else(|| AreaOneof::Quarry(quarry(of).into()), |space| AreaOneof::Space(space_number(space)));
    v1::Area { area: Some(oneof) }
}

fn cargo(of: Cargo) -> v1::Cargo {
    use v1::cargo::Cargo as CargoOneof;
    let oneof = match of {
        Cargo::Moai(of) => CargoOneof::Moai(size(of).into()),
        Cargo::Pukao => CargoOneof::Pukao(true),
    };
    v1::Cargo { cargo: Some(oneof) }
}

fn power(of: Power) -> v1::Power {
    use v1::power::{Barter, Power as PowerOneof};
    let oneof = match of {
        Power::Barter { give, take } => {
            PowerOneof::Barter(Barter { give: resource(give).into(), take: resource(take).into() })
        }
        Power::ChipIn(column) => PowerOneof::ChipIn(size(column).into()),
        Power::ChangeToSculptor(column) => PowerOneof::ChangeToSculptor(size(column).into()),
        Power::ChangeToTransporter(space) => PowerOneof::ChangeToTransporter(space_number(space)),
        Power::Rest(space) => PowerOneof::Rest(space_number(space)),
        Power::LendSculptor(space) => PowerOneof::LendSculptor(space_number(space)),
        Power::LendChief(space) => PowerOneof::LendChief(space_number(space)),
        Power::TakeTwoMore => PowerOneof::TakeTwoMore(true),
        Power::TakeThreeMore => PowerOneof::TakeThreeMore(true),
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
    let copies = Tile::ALL.into_iter().flat_map(|of| std::iter::repeat_n(of, counts[of].into()));
    copies.map(|of| tile(of).into()).collect()
}

fn event_message(visible: &Event) -> v1::event::Event {
    use v1::event as to;
    use v1::event::Event as EventOneof;
    let who = |seat| Some(number(seat));
    match *visible {
        Event::Ordered { order } => EventOneof::Ordered(to::Ordered { seats: order.iter().map(number).collect() }),
        Event::TilesLaid { tiles } => {
            EventOneof::TilesLaid(to::TilesLaid { tiles: tiles.iter().map(|&of| tile(of).into()).collect() })
        }
        Event::Drafted { seat, tile: of } => {
            EventOneof::Drafted(to::Drafted { seat: who(seat), tile: tile(of).into() })
        }
        Event::NothingToDraft { seat } => EventOneof::NothingToDraft(to::NothingToDraft { seat: who(seat) }),
        Event::RoundBegan { round } => EventOneof::RoundBegan(to::RoundBegan { round: round.into() }),
        Event::TransporterPlaced { seat, space } => {
            EventOneof::TransporterPlaced(to::TransporterPlaced { seat: who(seat), space: space_number(space) })
        }
        Event::SculptorPlaced { seat, column } => {
            EventOneof::SculptorPlaced(to::SculptorPlaced { seat: who(seat), column: size(column).into() })
        }
        Event::SorcererPlaced { seat, star } => {
            EventOneof::SorcererPlaced(to::SorcererPlaced { seat: who(seat), star: star_number(star) })
        }
        Event::ChiefPlaced { seat, column } => {
            EventOneof::ChiefPlaced(to::ChiefPlaced { seat: who(seat), column: size(column).into() })
        }
        Event::Improved { seat, improvement: of } => {
            EventOneof::Improved(to::Improved { seat: who(seat), improvement: improvement(of).into() })
        }
        Event::Played { seat, means: by, power: what } => {
            EventOneof::Played(to::Played { seat: who(seat), means: means(by).into(), power: Some(power(what)) })
        }
        Event::Sculpted { seat, size: of } => {
            EventOneof::Sculpted(to::Sculpted { seat: who(seat), size: size(of).into() })
        }
        Event::SculptingDone { seat, moai } => {
            EventOneof::SculptingDone(to::SculptingDone { seat: who(seat), moai: Some(sizes(moai)) })
        }
        Event::TransportBegan { seat, cargo: of } => {
            EventOneof::TransportBegan(to::TransportBegan { seat: who(seat), cargo: Some(cargo(of)) })
        }
        Event::Stepped { seat, area: at } => EventOneof::Stepped(to::Stepped { seat: who(seat), area: Some(area(at)) }),
        Event::TollEarned { seat, space, resource: of, is_lost } => EventOneof::TollEarned(to::TollEarned {
            seat: who(seat),
            space: space_number(space),
            resource: resource(of).into(),
            is_lost,
        }),
        Event::Erected { seat, space, size: of, tile: taken, is_tiring } => EventOneof::Erected(to::Erected {
            seat: who(seat),
            space: space_number(space),
            size: size(of).into(),
            tile: tile(taken).into(),
            is_tiring,
        }),
        Event::Gained { seat, resource: of, count, lost } => EventOneof::Gained(to::Gained {
            seat: who(seat),
            resource: resource(of).into(),
            count: count.into(),
            lost_count: lost.into(),
        }),
        Event::Styled { seat, space, is_tiring } => {
            EventOneof::Styled(to::Styled { seat: who(seat), space: space_number(space), is_tiring })
        }
        Event::Skimped { seat, means: by } => {
            EventOneof::Skimped(to::Skimped { seat: who(seat), means: means(by).into() })
        }
        Event::OfferingChosen { seat, offering: of, source } => EventOneof::OfferingChosen(to::OfferingChosen {
            seat: who(seat),
            offering: offering(of).into(),
            outstanding: source == Source::Outstanding,
        }),
        Event::OfferingTaken { seat, offering: of, source, value, payment } => {
            EventOneof::OfferingTaken(to::OfferingTaken {
                seat: who(seat),
                offering: offering(of).into(),
                outstanding: source == Source::Outstanding,
                value: value.into(),
                payment: Some(resources(payment.resources())),
            })
        }
        Event::DroppedOut { seat } => EventOneof::DroppedOut(to::DroppedOut { seat: who(seat) }),
        Event::RoundEnded { round, empty_ahus } => {
            EventOneof::RoundEnded(to::RoundEnded { round: round.into(), empty_ahu_count: empty_ahus.into() })
        }
        Event::Ended { reason, points } => EventOneof::Ended(to::Ended {
            reason: end_reason(reason).into(),
            points: points.values().iter().map(|&points| points.into()).collect(),
        }),
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
    let index = (value as usize).checked_sub(1);
    index.and_then(Space::new).ok_or_else(|| format!("expected a space from 1 to {}, got {value}", Space::COUNT))
}

fn read_star(value: u32) -> Result<Star, String> {
    let index = (value as usize).checked_sub(1);
    index.and_then(Star::new).ok_or_else(|| format!("expected a star from 1 to {}, got {value}", Star::COUNT))
}

fn read_count(value: u32) -> Result<u8, String> {
    let count = u8::try_from(value).ok().filter(|&count| count <= super::MAX_GAIN);
    count.ok_or_else(|| format!("expected first_count from 0 to {}, got {value}", super::MAX_GAIN))
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
            match give == take {
                true => Err(format!("expected two different Resources for Barter, got {take} for {give}")),
                false => Ok(Power::Barter { give, take }),
            }
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
