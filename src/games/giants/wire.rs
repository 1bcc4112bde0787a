//! The typed messages of the game, package `ahu.giants.v1`.

use super::action::{LOGS_A_FIGURE, Leaders, OPPONENTS};
use super::board::{Ahu, Ahus, Board, Hex, Hexes, Terrain};
use super::piece::{BySize, Claim, Kind, Piece, Place, Size};
use super::set::Numbered;
use super::tribe::{MARKERS, Spot, WORKERS};
use super::{
    Action, Bid, Bidding, End, Event, Gain, Giants, Party, Phase, PlaceStep, Site, Table, TransportStep, View,
};
use crate::core::{ParseError, RelativeSeat, Seat, Seats, Viewer};
use crate::games::Wire;
use crate::parts::message::{Opponent, left_number, number};
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
            offered_moai: match table.phase.offered() {
                [0, 0, 0] => Vec::new(),
                offered => by_size(offered),
            },
            moai_left: by_size(table.supply),
            moai_removed: by_size(table.removed),
            headdresses_left: table.in_rock(Kind::Headdress).count() as u32,
            halves_left: table.halves.into(),
            logs_left: table.logs_left.into(),
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
}

/// The error for a message without an action.
const NO_ACTION: &str = "expected one of bid_markers, bid_workers, bid_leaders, pick, decline, place, take_half, \
                         pass, at, no_power, use_power, reserve, lift, enter, pay, pay_chief, enough, stop, mark, \
                         erect, top, peek, leave, keep, take_back; got none of them";

/// Returns the number of a hex or an Ahu in messages.
fn index(of: impl Numbered) -> u32 {
    of.index() as u32
}

fn by_size(counts: BySize) -> Vec<u32> {
    counts.map(u32::from).to_vec()
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
            max_points: (dues.most - dues.paid).into(),
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
    match bidding {
        Bidding::Markers => none,
        Bidding::Workers { markers } => v1::Bid { markers: Some(markers.into()), ..none },
        Bidding::Leaders { markers, workers } => {
            v1::Bid { markers: Some(markers.into()), workers: Some(workers.into()), ..none }
        }
        Bidding::Sealed(sealed) => bid(sealed),
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
    v1::Hex {
        number: Some(index(at)),
        neighbours: hexes(board.neighbours(at)),
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
        ahus: ahus(board.ahus_at(at)),
        figures: table.options.seats.iter().filter_map(|seat| figures(table, seat, at)).collect(),
        logs: table.logs.count(at).into(),
    }
}

fn hexes(hexes: Hexes) -> Vec<u32> {
    hexes.iter().map(index).collect()
}

fn ahus(ahus: Ahus) -> Vec<u32> {
    ahus.iter().map(index).collect()
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
        points: view.table.scores()[seat].unsigned_abs(),
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
        peeked_ahus: ahus(tribe.peeked),
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
        visited_hexes: hexes(table.visited[of.index()]),
    })
}

// Actions.

const PAYEE: Opponent = Opponent { question: "whom?", field: "payee_seat", most: OPPONENTS };

fn action_message(action: Action, seat: Seat, seats: Seats) -> v1::action::Action {
    use v1::action as to;
    use v1::action::Action as ActionOneof;
    let opponent = |left: RelativeSeat| (left_number(left), left.of(seat, seats).map(number));
    match action {
        Action::BidMarkers(count) => ActionOneof::BidMarkers(to::BidMarkers { count: Some(count.into()) }),
        Action::BidWorkers(count) => ActionOneof::BidWorkers(to::BidWorkers { count: Some(count.into()) }),
        Action::BidLeaders(leaders) => {
            ActionOneof::BidLeaders(to::BidLeaders { sorcerer: leaders.sorcerer(), chief: leaders.chief() })
        }
        Action::Pick(size) => ActionOneof::Pick(to::Pick { size: size.units().into() }),
        Action::Decline => ActionOneof::Decline(to::Decline {}),
        Action::Place(party) => {
            ActionOneof::Place(to::Place { figure: figure(party).into(), logs: party.logs().into() })
        }
        Action::TakeHalf => ActionOneof::TakeHalf(to::TakeHalf {}),
        Action::Pass => ActionOneof::Pass(to::Pass {}),
        Action::At(hex) => ActionOneof::At(to::At { hex: Some(index(hex)) }),
        Action::NoPower => ActionOneof::NoPower(to::NoPower {}),
        Action::UsePower => ActionOneof::UsePower(to::UsePower {}),
        Action::Reserve(ahu) => ActionOneof::Reserve(to::Reserve { ahu: Some(index(ahu)) }),
        Action::Lift(piece) => ActionOneof::Lift(to::Lift { piece: piece.to_string() }),
        Action::Enter(hex) => ActionOneof::Enter(to::Enter { hex: Some(index(hex)) }),
        Action::Pay(left) => {
            let (left, payee_seat) = opponent(left);
            ActionOneof::Pay(to::Pay { left, payee_seat })
        }
        Action::PayChief(left) => {
            let (left, payee_seat) = opponent(left);
            ActionOneof::PayChief(to::PayChief { left, payee_seat })
        }
        Action::Enough => ActionOneof::Enough(to::Enough {}),
        Action::Stop => ActionOneof::Stop(to::Stop {}),
        Action::Mark => ActionOneof::Mark(to::Mark {}),
        Action::Erect(ahu) => ActionOneof::Erect(to::Erect { ahu: Some(index(ahu)) }),
        Action::Top(ahu) => ActionOneof::Top(to::Top { ahu: Some(index(ahu)) }),
        Action::Peek(ahu) => ActionOneof::Peek(to::Peek { ahu: Some(index(ahu)) }),
        Action::Leave => ActionOneof::Leave(to::Leave {}),
        Action::Keep => ActionOneof::Keep(to::Keep {}),
        Action::TakeBack => ActionOneof::TakeBack(to::TakeBack {}),
    }
}

fn read_oneof(oneof: &v1::action::Action, seat: Seat, seats: Seats) -> Result<Action, String> {
    use v1::action as to;
    use v1::action::Action as ActionOneof;
    match oneof {
        ActionOneof::BidMarkers(to::BidMarkers { count }) => read_count(*count, MARKERS).map(Action::BidMarkers),
        ActionOneof::BidWorkers(to::BidWorkers { count }) => read_count(*count, WORKERS).map(Action::BidWorkers),
        ActionOneof::BidLeaders(to::BidLeaders { sorcerer, chief }) => {
            Ok(Action::BidLeaders(Leaders::of(*sorcerer, *chief)))
        }
        ActionOneof::Pick(to::Pick { size }) => read_size(*size).map(Action::Pick),
        ActionOneof::Decline(to::Decline {}) => Ok(Action::Decline),
        ActionOneof::Place(to::Place { figure, logs }) => read_party(*figure, *logs).map(Action::Place),
        ActionOneof::TakeHalf(to::TakeHalf {}) => Ok(Action::TakeHalf),
        ActionOneof::Pass(to::Pass {}) => Ok(Action::Pass),
        ActionOneof::At(to::At { hex }) => read_number(*hex, "hex").map(Action::At),
        ActionOneof::NoPower(to::NoPower {}) => Ok(Action::NoPower),
        ActionOneof::UsePower(to::UsePower {}) => Ok(Action::UsePower),
        ActionOneof::Reserve(to::Reserve { ahu }) => read_number(*ahu, "Ahu").map(Action::Reserve),
        ActionOneof::Lift(to::Lift { piece }) => {
            piece.parse().map(Action::Lift).map_err(|error: ParseError| error.message.into_owned())
        }
        ActionOneof::Enter(to::Enter { hex }) => read_number(*hex, "hex").map(Action::Enter),
        ActionOneof::Pay(to::Pay { left, payee_seat }) => PAYEE.read(*left, *payee_seat, seat, seats).map(Action::Pay),
        ActionOneof::PayChief(to::PayChief { left, payee_seat }) => {
            PAYEE.read(*left, *payee_seat, seat, seats).map(Action::PayChief)
        }
        ActionOneof::Enough(to::Enough {}) => Ok(Action::Enough),
        ActionOneof::Stop(to::Stop {}) => Ok(Action::Stop),
        ActionOneof::Mark(to::Mark {}) => Ok(Action::Mark),
        ActionOneof::Erect(to::Erect { ahu }) => read_number(*ahu, "Ahu").map(Action::Erect),
        ActionOneof::Top(to::Top { ahu }) => read_number(*ahu, "Ahu").map(Action::Top),
        ActionOneof::Peek(to::Peek { ahu }) => read_number(*ahu, "Ahu").map(Action::Peek),
        ActionOneof::Leave(to::Leave {}) => Ok(Action::Leave),
        ActionOneof::Keep(to::Keep {}) => Ok(Action::Keep),
        ActionOneof::TakeBack(to::TakeBack {}) => Ok(Action::TakeBack),
    }
}

fn read_count(count: Option<u32>, most: u8) -> Result<u8, String> {
    let count = count.ok_or_else(|| format!("expected a count from 0 to {most}, got none"))?;
    let fits = u8::try_from(count).ok().filter(|&fits| fits <= most);
    fits.ok_or_else(|| format!("expected a count from 0 to {most}, got {count}"))
}

fn read_size(size: u32) -> Result<Size, String> {
    let fits = u8::try_from(size).ok().and_then(Size::new);
    fits.ok_or_else(|| format!("expected a Moai's size 1, 2, or 3, got {size}"))
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

/// Reads the number of a hex or an Ahu; `what` names it in errors.
fn read_number<T: Numbered>(number: Option<u32>, what: &str) -> Result<T, String> {
    let most = T::COUNT - 1;
    let number = number.ok_or_else(|| format!("expected the number of a {what} from 0 to {most}, got none"))?;
    T::new(number as usize).ok_or_else(|| format!("expected the number of a {what} from 0 to {most}, got {number}"))
}

// Events.

fn event_message(visible: Event<Option<Seat>>) -> v1::event::Event {
    use v1::event as to;
    use v1::event::Event as EventOneof;
    let by = |seat: Seat| Some(number(seat));
    match visible {
        Event::TurnBegan { turn, first } => {
            EventOneof::TurnBegan(to::TurnBegan { turn: turn.into(), first_seat: by(first) })
        }
        Event::Rolled { roll, offered } => EventOneof::Rolled(to::Rolled {
            faces: roll.faces().iter().copied().map(u32::from).collect(),
            offered_moai: by_size(offered),
        }),
        Event::BidSealed { seat, bid: sealed } => {
            EventOneof::BidSealed(to::BidSealed { seat: by(seat), bid: Some(bid(sealed)) })
        }
        Event::BidsShown { bids } => {
            EventOneof::BidsShown(to::BidsShown { bids: bids.values().iter().copied().map(bid).collect() })
        }
        Event::Picked { seat, piece } => EventOneof::Picked(to::Picked { seat: by(seat), piece: piece.to_string() }),
        Event::Declined { seat } => EventOneof::Declined(to::Declined { seat: by(seat) }),
        Event::Unclaimed { moai, returned } => EventOneof::Unclaimed(to::Unclaimed { moai: by_size(moai), returned }),
        Event::Placed { seat, party, hex } => EventOneof::Placed(to::Placed {
            seat: by(seat),
            figure: figure(party).into(),
            logs: party.logs().into(),
            hex: Some(index(hex)),
        }),
        Event::PowerUsed { seat, chief, gain: brought } => EventOneof::PowerUsed(to::PowerUsed {
            seat: by(seat),
            figure: leader(chief).into(),
            gain: Some(gain(brought)),
        }),
        Event::HalfTaken { seat } => EventOneof::HalfTaken(to::HalfTaken { seat: by(seat) }),
        Event::Passed { seat, forced } => EventOneof::Passed(to::Passed { seat: by(seat), forced }),
        Event::Peeked { seat, ahu, owner } => {
            EventOneof::Peeked(to::Peeked { seat: by(seat), ahu: Some(index(ahu)), owner_seat: owner.map(number) })
        }
        Event::Lifted { seat, piece } => EventOneof::Lifted(to::Lifted { seat: by(seat), piece: piece.to_string() }),
        Event::Paid { seat, payee, hex, points } => EventOneof::Paid(to::Paid {
            seat: by(seat),
            payee_seat: by(payee),
            hex: Some(index(hex)),
            points: points.into(),
        }),
        Event::Entered { seat, piece, hex } => {
            EventOneof::Entered(to::Entered { seat: by(seat), piece: piece.to_string(), hex: Some(index(hex)) })
        }
        Event::Stopped { seat, piece } => EventOneof::Stopped(to::Stopped { seat: by(seat), piece: piece.to_string() }),
        Event::Marked { seat, piece } => EventOneof::Marked(to::Marked { seat: by(seat), piece: piece.to_string() }),
        Event::Erected { seat, piece, ahu } => {
            EventOneof::Erected(to::Erected { seat: by(seat), piece: piece.to_string(), ahu: Some(index(ahu)) })
        }
        Event::Topped { seat, piece, ahu } => {
            EventOneof::Topped(to::Topped { seat: by(seat), piece: piece.to_string(), ahu: Some(index(ahu)) })
        }
        Event::Stored { seat, piece, marked } => {
            EventOneof::Stored(to::Stored { seat: by(seat), piece: piece.to_string(), marked })
        }
        Event::CameHome { logs } => EventOneof::CameHome(to::CameHome { logs_gone: logs.into() }),
        Event::LogsReturned { seat, logs } => {
            EventOneof::LogsReturned(to::LogsReturned { seat: by(seat), logs: logs.into() })
        }
        Event::TakenBack { seat, piece } => {
            EventOneof::TakenBack(to::TakenBack { seat: by(seat), piece: piece.to_string() })
        }
        Event::Ended { reason, scores } => EventOneof::Ended(to::Ended {
            reason: end(reason).into(),
            points: scores.values().iter().map(|points| points.unsigned_abs()).collect(),
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

const fn end(reason: End) -> v1::event::Reason {
    match reason {
        End::Bases => v1::event::Reason::Bases,
        End::Exhaustion => v1::event::Reason::Exhaustion,
        End::LastTurn => v1::event::Reason::LastTurn,
    }
}
