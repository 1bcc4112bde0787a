//! The typed messages of the game, package `ahu.giants.v1`.

use super::Giants;
use super::action::Action;
use super::bid::{Bid, Bidding, Leaders};
use super::board::{Ahu, AhuData, Board, Hex, Terrain};
use super::dues::Payee;
use super::event::{Event, Gain, Points};
use super::options::{BoardName, Options};
use super::party::{LOGS_A_FIGURE, Party};
use super::phase::{Phase, PlaceStep, TransportStep};
use super::piece::{BySize, Kind, Piece};
use super::place::{Claim, Place};
use super::site::Site;
use super::table::Table;
use super::tribe::Spot;
use super::view::View;
use crate::core::{Numbered, ParseError, Seat, Seats, Viewer};
use crate::games::{DataFile, Pack as _, Wire};
use crate::parts::message::{Opponent, from_one, from_one_or_none, left_number, number, read_from_one};
use crate::parts::set::Set;
use crate::proto::giants::v1::{self, Area, Figure};

impl Wire for Giants {
    type Observation = v1::Observation;
    type ActionMessage = v1::Action;
    type EventMessage = v1::Event;

    fn observation(view: &View) -> v1::Observation {
        let table = &view.table;
        let board = table.board();
        // The message of the match has the options.
        v1::Observation {
            viewer_seat: match view.viewer {
                Viewer::Seat(seat) => Some(number(seat)),
                Viewer::Public => None,
            },
            phase: phase(table.phase).into(),
            turn: table.turn.into(),
            max_turns: table.options.max_turns.into(),
            first_seat: Some(number(table.first)),
            acting_seat: table.phase.seat().map(number),
            passed_seats: table.phase.passed().iter().map(number).collect(),
            decision: decision(view),
            hexes: board.hexes.iter().map(|at| hex(table, at)).collect(),
            ahus: board.ahus().map(|at| ahu(table, at)).collect(),
            players: table.options.seats.iter().map(|seat| player(view, seat)).collect(),
            pieces: Piece::all().filter_map(|of| piece(table, of)).collect(),
            offered_moai: Some(table.phase.offered()).filter(|&moai| moai != BySize::EMPTY).map_or(Vec::new(), by_size),
            moai_left: by_size(table.supply),
            moai_removed: by_size(table.removed),
            headdresses_left: table.in_rock(Kind::Headdress).len() as u32,
            halves_left: table.halves.into(),
            logs_left: table.logs_left.into(),
            dice: table.roll.map_or_else(Vec::new, |roll| numbers(roll.faces())),
        }
    }

    fn action(action: Action, seat: Seat, seats: Seats) -> v1::Action {
        v1::Action { action: Some(action_message(action, seat, seats)) }
    }

    fn read_action(message: &v1::Action, seat: Seat, seats: Seats) -> Result<Action, String> {
        read_oneof(message.action.as_ref().ok_or(NO_ACTION)?, seat, seats)
    }

    fn event(visible: &Event<Option<Seat>>) -> v1::Event {
        v1::Event { event: Some(event_message(*visible)) }
    }

    fn data_files() -> Vec<DataFile> {
        let file =
            |of: BoardName, about| DataFile { name: of.file_name(), about, content: island(Board::named(of)).packed() };
        vec![
            file(BoardName::V1, "The island, a reconstruction of the printed board."),
            file(BoardName::Tiny, "A very small island, for tests."),
        ]
    }

    fn data_files_of(options: &Options) -> Vec<&'static str> {
        vec![options.board.file_name()]
    }
}

/// The error for a message without an action.
const NO_ACTION: &str = "expected one of bid_markers, bid_workers, bid_leaders, pick, decline, place, take_half, \
                         pass, at, no_power, use_power, reserve, lift, enter, pay, pay_chief, enough, stop, mark, \
                         erect, top, peek, leave, keep, take_back; got none of them";

/// Returns the number of a hex or an Ahu in messages.
fn index(of: impl Numbered) -> u32 {
    of.index() as u32
}

fn indices<T: Numbered>(things: Set<T>) -> Vec<u32> {
    things.iter().map(index).collect()
}

fn numbers(small: &[u8]) -> Vec<u32> {
    small.iter().copied().map(u32::from).collect()
}

fn by_size(counts: BySize) -> Vec<u32> {
    numbers(counts.as_slice())
}

// The observation.

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
    let made = bid(bidding.so_far());
    match bidding {
        Bidding::Markers => none,
        Bidding::Workers { .. } => v1::Bid { markers: made.markers, ..none },
        Bidding::Leaders { .. } => v1::Bid { markers: made.markers, workers: made.workers, ..none },
        Bidding::Sealed(_) => made,
    }
}

fn bid(Bid { markers, workers, leaders }: Bid) -> v1::Bid {
    v1::Bid {
        markers: Some(markers.into()),
        workers: Some(workers.into()),
        sorcerer: Some(leaders.sorcerer()),
        chief: Some(leaders.chief()),
    }
}

const fn figure(party: Party) -> Figure {
    match party {
        Party::Worker(_) => Figure::Worker,
        Party::Sorcerer(_) => Figure::Sorcerer,
        Party::Chief => Figure::Chief,
    }
}

const fn leader(chief: bool) -> Figure {
    if chief { Figure::Chief } else { Figure::Sorcerer }
}

fn hex(table: &Table, at: Hex) -> v1::Hex {
    let board = table.board();
    let (q, r) = board.coordinates(at);
    let logs_return = table.options.unused_logs_return;
    v1::Hex {
        number: Some(index(at)),
        neighbours: indices(board.neighbours(at)),
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
        ahus: indices(board.ahus_at(at)),
        figures: table.options.seats.iter().filter_map(|seat| figures(table, seat, at)).collect(),
        logs: table.logs.count(at).into(),
        log_seats: if logs_return { table.logs.on(at).map(|log| number(log.seat)).collect() } else { Vec::new() },
        logs_needed: if logs_return { table.logs.used()[at.index()].into() } else { 0 },
    }
}

/// Returns an island before play.
fn island(board: &Board) -> v1::Island {
    let (rows, columns) = board.extent();
    v1::Island {
        hexes: board.hexes.iter().map(|at| island_hex(board, at)).collect(),
        ahus: board.ahus().map(|at| island_ahu(board, at)).collect(),
        row_count: rows.into(),
        column_count: columns.into(),
    }
}

fn island_hex(board: &Board, at: Hex) -> v1::IslandHex {
    let ((q, r), (row, column)) = (board.coordinates(at), board.place(at));
    v1::IslandHex {
        number: Some(index(at)),
        q: q.into(),
        r: r.into(),
        row: row.into(),
        column: column.into(),
        neighbours: indices(board.neighbours(at)),
        terrain: terrain(board, at).into(),
        logs: match board.terrain(at) {
            Terrain::Forest { logs } => logs.into(),
            _ => 0,
        },
        coasts: board.coasts(at).map(from_one).collect(),
        ahus: indices(board.ahus_at(at)),
    }
}

fn island_ahu(board: &Board, at: Ahu) -> v1::IslandAhu {
    let AhuData { hex, moai, headdress } = board.ahu(at);
    v1::IslandAhu {
        number: Some(index(at)),
        hex: Some(index(hex)),
        moai_points: moai.into(),
        headdress_points: headdress.into(),
        edge: from_one_or_none(board.edge(at)),
    }
}

fn terrain(board: &Board, at: Hex) -> v1::Terrain {
    match board.terrain(at) {
        Terrain::Land => v1::Terrain::Land,
        Terrain::MoaiQuarry => v1::Terrain::MoaiQuarry,
        Terrain::HeaddressQuarry => v1::Terrain::HeaddressQuarry,
        Terrain::Village => v1::Terrain::Village,
        Terrain::Hut => v1::Terrain::Hut,
        Terrain::Forest { .. } => v1::Terrain::Forest,
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
        peeked_ahus: indices(tribe.peeked),
        bid: view.table.shown_bids.map(|bids| bid(bids[seat])),
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
        visited_hexes: indices(table.visited[of.index()]),
    })
}

// Actions.

const PAYEE: Opponent = Opponent { question: "whom?", field: "payee_seat", most: Payee::COUNT };

fn action_message(action: Action, seat: Seat, seats: Seats) -> v1::action::Action {
    use v1::action as to;
    use v1::action::Action as One;
    let opponent = |payee: Payee| (left_number(payee.relative()), payee.of(seat, seats).map(number));
    match action {
        Action::BidMarkers(count) => One::BidMarkers(to::BidMarkers { count: Some(index(count)) }),
        Action::BidWorkers(count) => One::BidWorkers(to::BidWorkers { count: Some(index(count)) }),
        Action::BidLeaders(leaders) => {
            One::BidLeaders(to::BidLeaders { sorcerer: leaders.sorcerer(), chief: leaders.chief() })
        }
        Action::Pick(size) => One::Pick(to::Pick { size: from_one(size) }),
        Action::Decline => One::Decline(to::Decline {}),
        Action::Place(party) => One::Place(to::Place { figure: figure(party).into(), logs: party.logs().into() }),
        Action::TakeHalf => One::TakeHalf(to::TakeHalf {}),
        Action::Pass => One::Pass(to::Pass {}),
        Action::At(hex) => One::At(to::At { hex: Some(index(hex)) }),
        Action::NoPower => One::NoPower(to::NoPower {}),
        Action::UsePower => One::UsePower(to::UsePower {}),
        Action::Reserve(ahu) => One::Reserve(to::Reserve { ahu: Some(index(ahu)) }),
        Action::Lift(piece) => One::Lift(to::Lift { piece: piece.to_string() }),
        Action::Enter(hex) => One::Enter(to::Enter { hex: Some(index(hex)) }),
        Action::Pay(payee) => {
            let (left, payee_seat) = opponent(payee);
            One::Pay(to::Pay { left, payee_seat })
        }
        Action::PayChief(payee) => {
            let (left, payee_seat) = opponent(payee);
            One::PayChief(to::PayChief { left, payee_seat })
        }
        Action::Enough => One::Enough(to::Enough {}),
        Action::Stop => One::Stop(to::Stop {}),
        Action::Mark => One::Mark(to::Mark {}),
        Action::Erect(ahu) => One::Erect(to::Erect { ahu: Some(index(ahu)) }),
        Action::Top(ahu) => One::Top(to::Top { ahu: Some(index(ahu)) }),
        Action::Peek(ahu) => One::Peek(to::Peek { ahu: Some(index(ahu)) }),
        Action::Leave => One::Leave(to::Leave {}),
        Action::Keep => One::Keep(to::Keep {}),
        Action::TakeBack => One::TakeBack(to::TakeBack {}),
    }
}

fn read_oneof(oneof: &v1::action::Action, seat: Seat, seats: Seats) -> Result<Action, String> {
    use v1::action as to;
    use v1::action::Action as One;
    let payee = |left, by_seat| {
        let opponent = PAYEE.read(left, by_seat, seat, seats)?;
        Ok(Payee::new(opponent.index()).expect("the opponent is one of the game's"))
    };
    match oneof {
        One::BidMarkers(to::BidMarkers { count }) => read_number(*count, "a count").map(Action::BidMarkers),
        One::BidWorkers(to::BidWorkers { count }) => read_number(*count, "a count").map(Action::BidWorkers),
        One::BidLeaders(to::BidLeaders { sorcerer, chief }) => Ok(Action::BidLeaders(Leaders::of(*sorcerer, *chief))),
        One::Pick(to::Pick { size }) => read_from_one("Moai's size", *size).map(Action::Pick),
        One::Decline(to::Decline {}) => Ok(Action::Decline),
        One::Place(to::Place { figure, logs }) => read_party(*figure, *logs).map(Action::Place),
        One::TakeHalf(to::TakeHalf {}) => Ok(Action::TakeHalf),
        One::Pass(to::Pass {}) => Ok(Action::Pass),
        One::At(to::At { hex }) => read_number(*hex, HEX).map(Action::At),
        One::NoPower(to::NoPower {}) => Ok(Action::NoPower),
        One::UsePower(to::UsePower {}) => Ok(Action::UsePower),
        One::Reserve(to::Reserve { ahu }) => read_number(*ahu, AHU).map(Action::Reserve),
        One::Lift(to::Lift { piece }) => {
            piece.parse().map(Action::Lift).map_err(|error: ParseError| error.message.into_owned())
        }
        One::Enter(to::Enter { hex }) => read_number(*hex, HEX).map(Action::Enter),
        One::Pay(to::Pay { left, payee_seat }) => payee(*left, *payee_seat).map(Action::Pay),
        One::PayChief(to::PayChief { left, payee_seat }) => payee(*left, *payee_seat).map(Action::PayChief),
        One::Enough(to::Enough {}) => Ok(Action::Enough),
        One::Stop(to::Stop {}) => Ok(Action::Stop),
        One::Mark(to::Mark {}) => Ok(Action::Mark),
        One::Erect(to::Erect { ahu }) => read_number(*ahu, AHU).map(Action::Erect),
        One::Top(to::Top { ahu }) => read_number(*ahu, AHU).map(Action::Top),
        One::Peek(to::Peek { ahu }) => read_number(*ahu, AHU).map(Action::Peek),
        One::Leave(to::Leave {}) => Ok(Action::Leave),
        One::Keep(to::Keep {}) => Ok(Action::Keep),
        One::TakeBack(to::TakeBack {}) => Ok(Action::TakeBack),
    }
}

fn read_party(of: i32, logs: u32) -> Result<Party, String> {
    let brought = u8::try_from(logs).ok().filter(|&fits| fits <= LOGS_A_FIGURE);
    let brought = brought.ok_or_else(|| format!("expected 0 to {LOGS_A_FIGURE} logs, got {logs}"))?;
    match Figure::try_from(of) {
        Ok(Figure::Worker) => Ok(Party::Worker(brought)),
        Ok(Figure::Sorcerer) => Ok(Party::Sorcerer(brought)),
        Ok(Figure::Chief) if brought == 0 => Ok(Party::Chief),
        Ok(Figure::Chief) => Err(format!("expected no logs with the Chief, got {brought}")),
        Ok(Figure::Unspecified) => {
            Err("expected FIGURE_WORKER, FIGURE_SORCERER, or FIGURE_CHIEF, got FIGURE_UNSPECIFIED".to_owned())
        }
        Err(_) => Err(format!("expected a figure from 1 (FIGURE_WORKER) to 3 (FIGURE_CHIEF), got {of}")),
    }
}

const HEX: &str = "the number of a hex";
const AHU: &str = "the number of an Ahu";

/// Reads a number from 0; `noun` names it in errors.
fn read_number<T: Numbered>(number: Option<u32>, noun: &str) -> Result<T, String> {
    let most = T::COUNT - 1;
    let number = number.ok_or_else(|| format!("expected {noun} from 0 to {most}, got none"))?;
    T::new(number as usize).ok_or_else(|| format!("expected {noun} from 0 to {most}, got {number}"))
}

// Events.

fn event_message(visible: Event<Option<Seat>>) -> v1::event::Event {
    use v1::event as to;
    use v1::event::Event as One;
    let by = |seat: Seat| Some(number(seat));
    let name = |piece: Piece| piece.to_string();
    match visible {
        Event::TurnBegan { turn, first } => One::TurnBegan(to::TurnBegan { turn: turn.into(), first_seat: by(first) }),
        Event::Rolled { turn: _, roll, offered } => {
            One::Rolled(to::Rolled { faces: numbers(roll.faces()), offered_moai: by_size(offered) })
        }
        Event::BidSealed { seat, bid: own } => One::BidSealed(to::BidSealed { seat: by(seat), bid: Some(bid(own)) }),
        Event::BidsShown { bids } => {
            One::BidsShown(to::BidsShown { bids: bids.values().iter().copied().map(bid).collect() })
        }
        Event::Picked { seat, piece } => One::Picked(to::Picked { seat: by(seat), piece: name(piece) }),
        Event::Declined { seat } => One::Declined(to::Declined { seat: by(seat) }),
        Event::Unclaimed { moai, returned } => One::Unclaimed(to::Unclaimed { moai: by_size(moai), returned }),
        Event::Placed { seat, party, hex } => {
            let (figure, logs) = (figure(party).into(), party.logs().into());
            One::Placed(to::Placed { seat: by(seat), figure, logs, hex: Some(index(hex)) })
        }
        Event::PowerUsed { seat, chief, gain: brought } => {
            let (figure, gain) = (leader(chief).into(), Some(gain(brought)));
            One::PowerUsed(to::PowerUsed { seat: by(seat), figure, gain })
        }
        Event::HalfTaken { seat } => One::HalfTaken(to::HalfTaken { seat: by(seat) }),
        Event::Passed { seat, forced } => One::Passed(to::Passed { seat: by(seat), forced }),
        Event::Peeked { seat, ahu, owner } => {
            One::Peeked(to::Peeked { seat: by(seat), ahu: Some(index(ahu)), owner_seat: owner.map(number) })
        }
        Event::Lifted { seat, piece } => One::Lifted(to::Lifted { seat: by(seat), piece: name(piece) }),
        Event::Paid { seat, payee, hex, points } => {
            let (payee_seat, hex, points) = (by(payee), Some(index(hex)), points.into());
            One::Paid(to::Paid { seat: by(seat), payee_seat, hex, points })
        }
        Event::Entered { seat, piece, hex } => {
            One::Entered(to::Entered { seat: by(seat), piece: name(piece), hex: Some(index(hex)) })
        }
        Event::Stopped { seat, piece } => One::Stopped(to::Stopped { seat: by(seat), piece: name(piece) }),
        Event::Marked { seat, piece } => One::Marked(to::Marked { seat: by(seat), piece: name(piece) }),
        Event::Erected { seat, piece, ahu, points } => {
            let (piece, ahu, points) = (name(piece), Some(index(ahu)), points.into());
            One::Erected(to::Erected { seat: by(seat), piece, ahu, points })
        }
        Event::Topped { seat, piece, ahu } => {
            One::Topped(to::Topped { seat: by(seat), piece: name(piece), ahu: Some(index(ahu)) })
        }
        Event::Stored { seat, piece, marked } => One::Stored(to::Stored { seat: by(seat), piece: name(piece), marked }),
        Event::CameHome { logs } => One::CameHome(to::CameHome { logs_gone: logs.into() }),
        Event::LogsReturned { seat, logs } => One::LogsReturned(to::LogsReturned { seat: by(seat), logs: logs.into() }),
        Event::TakenBack { seat, piece } => One::TakenBack(to::TakenBack { seat: by(seat), piece: name(piece) }),
        Event::Ended { reason, points } => One::Ended(to::Ended {
            reason: from_one(reason),
            points: points.values().iter().map(|points| points.total().into()).collect(),
            sources: points.values().iter().copied().map(sources).collect(),
        }),
    }
}

fn gain(gain: Gain) -> v1::event::power_used::Gain {
    use v1::event::power_used::Gain as Brought;
    match gain {
        Gain::Worker => Brought::Workers(1),
        Gain::Marker => Brought::Markers(1),
        Gain::Logs(logs) => Brought::Logs(logs.into()),
        Gain::Headdress(piece) => Brought::Headdress(piece.to_string()),
        Gain::Reserved(ahu) => Brought::ReservedAhu(index(ahu)),
    }
}

fn sources(Points { scored, moai, headdresses, tablets }: Points) -> v1::event::Points {
    v1::event::Points {
        scored: scored.into(),
        moai: moai.into(),
        headdresses: headdresses.into(),
        tablets: tablets.into(),
    }
}

#[cfg(test)]
mod tests {
    use crate::games::giants::End;
    use crate::parts::message::assert_same_names;
    use crate::proto::giants::v1;

    #[test]
    fn enums_of_messages_are_those_of_the_game() {
        assert_same_names! {
            End, v1::event::Reason, "REASON";
        }
    }
}
