//! The observation: a view as bits and numbers. Hexes, Ahus, and pieces are in the order of their numbers; seats go
//! from the own seat to the left.

use super::auction::Bidding;
use super::board::{Hexes, MAX_AHUS, MAX_HEXES};
use super::options::{BaseView, BoardName, ChiefPay, Faces, MAX_TURNS, Options, ScreenView, TieBreak, Unclaimed};
use super::piece::{Claim, HEADDRESSES, Kind, MOAI, PIECES, Pieces, Place, Size};
use super::set::Numbered;
use super::tribe::{Carriers, MARKERS, Spot, Tribe, WORKERS};
use super::view::View;
use super::{HALVES, LOGS, Party, Phase, PlaceStep, Site, Table, TransportStep};
use crate::core::{BySeat, Field, Seat, SeatSet, Sink};

/// The size of the block of bits.
pub(super) const BITS: usize = 4056;
/// The size of the block of numbers.
pub(super) const NUMBERS: usize = 122;

const _: () = assert!(BITS <= 4096 && NUMBERS <= 128, "the limits of a board game");

/// The most seats of this game.
const SEATS: usize = 5;
/// The number of option flags.
const FLAGS: usize = 17;
/// An upper bound of Prestige Points: a seat's figures lend at most 10 units, each once a piece and turn (10 · 49 ·
/// 30), and all bases, headdresses, and tablets together bring less than 1,000.
const MAX_POINTS: i16 = 16_000;

/// The fields of the observation.
mod fields {
    use super::{
        FLAGS, Field, HALVES, HEADDRESSES, LOGS, MARKERS, MAX_AHUS, MAX_HEXES, MAX_POINTS, MAX_TURNS, MOAI, PIECES,
        SEATS, WORKERS,
    };

    pub(super) const OPTIONS: Field = Field::flags(
        "options",
        &[FLAGS],
        "board=tiny, dice_white=111223, dice_brown=111223, unclaimed_moai=return, auction_decline, chief_split, \
         chief_pp=full_size, erect_needs_worker, top_own_only, allow_gift_pp, unused_logs_return, base_view=memory, \
         screen_view=open, exhaustion_end, quick_game, visible_score, tie_break=halves",
    )
    .values(&[
        "board=tiny",
        "dice_white=111223",
        "dice_brown=111223",
        "unclaimed_moai=return",
        "auction_decline",
        "chief_split",
        "chief_pp=full_size",
        "erect_needs_worker",
        "top_own_only",
        "allow_gift_pp",
        "unused_logs_return",
        "base_view=memory",
        "screen_view=open",
        "exhaustion_end",
        "quick_game",
        "visible_score",
        "tie_break=halves",
    ]);
    pub(super) const PRESENT: Field = Field::flags("present", &[SEATS], "the seats of this game").by_seat();
    pub(super) const FIRST: Field = Field::one_hot("first", &[SEATS], "the first player of this turn").by_seat();
    pub(super) const ACTING: Field =
        Field::one_hot("acting", &[SEATS], "the seat to act; none during bids, which all seats make").by_seat();
    pub(super) const PASSED: Field = Field::flags(
        "passed",
        &[SEATS],
        "the seats that passed in this Placement or Transport Phase, or take no more Moai in this auction",
    )
    .by_seat();
    pub(super) const PHASE: Field = Field::one_hot(
        "phase",
        &[6],
        "bid, pick, placement, transport, marks on unmoved pieces, Tribe Markers taken back; none while the dice are \
         due or at the end",
    )
    .values(&["bid", "pick", "place", "transport", "store", "recover"]);
    pub(super) const STEP: Field = Field::one_hot(
        "step",
        &[9],
        "the step to decide: own bid of Tribe Markers, of Workers, of leaders; the figure to place, its hex, its \
         power; the piece to lift, its next hex or end, the payee",
    )
    .values(&["bid_markers", "bid_workers", "bid_leaders", "what", "where", "power", "lift", "carry", "pay"]);
    pub(super) const WORKERS_AT: Field =
        Field::thermometer("workers_at", &[SEATS, 3, MAX_HEXES], "a seat's Workers on a hex: at least 1, 2, 3")
            .along(1)
            .by_seat();
    pub(super) const SORCERER_AT: Field =
        Field::one_hot("sorcerer_at", &[SEATS, MAX_HEXES], "the hex of a seat's Sorcerer").by_seat();
    pub(super) const CHIEF_AT: Field =
        Field::one_hot("chief_at", &[SEATS, MAX_HEXES], "the hex of a seat's Chief").by_seat();
    pub(super) const LEADERS_SPENT: Field = Field::flags(
        "leaders_spent",
        &[2, SEATS],
        "Sorcerer, Chief of a seat, bid in this turn's auction; a leader neither bid nor on a hex is in reserve",
    )
    .values_along(0, &["sorcerer", "chief"]);
    pub(super) const LOGS_AT: Field =
        Field::thermometer("logs_at", &[3, MAX_HEXES], "logs on a hex: at least 1, 2, 3").along(0);
    pub(super) const CUT: Field = Field::flags("cut", &[MAX_HEXES], "the hexes with a cut forest");
    pub(super) const PIECE_AT: Field = Field::one_hot(
        "piece_at",
        &[PIECES, MAX_HEXES],
        "the hex of a piece on the island; pieces are 17 Moai of size 1, 12 of size 2, 6 of size 3, 14 headdresses",
    );
    pub(super) const PIECE_OF: Field = Field::one_hot(
        "piece_of",
        &[SEATS, PIECES],
        "the owner of a piece that is not on an Ahu; none if the piece is abandoned or not in the game",
    )
    .along(0)
    .by_seat();
    pub(super) const PIECE_IN_FRONT: Field =
        Field::flags("piece_in_front", &[PIECES], "the pieces in front of a screen, not moved yet");
    pub(super) const PIECE_MARKED: Field = Field::flags("piece_marked", &[PIECES], "pieces with a Tribe Marker");
    pub(super) const BASE_OF: Field = Field::one_hot(
        "base_of",
        &[SEATS, MAX_AHUS],
        "the owner of the base on an Ahu, as far as it is shown: with a Moai on it, or to reserve the Ahu",
    )
    .along(0)
    .by_seat();
    pub(super) const MOAI_ON: Field = Field::thermometer(
        "moai_on",
        &[3, MAX_AHUS],
        "the Moai on an Ahu: at least size 1, 2, 3; all zero without a Moai",
    )
    .along(0);
    pub(super) const TOPPED: Field = Field::flags("topped", &[MAX_AHUS], "the Ahus whose Moai has a headdress");
    pub(super) const PIECE: Field =
        Field::one_hot("piece", &[PIECES], "the piece of the decision: lifted, unmoved, or with a Tribe Marker");
    pub(super) const MOVED: Field = Field::flags("moved", &[], "1 if the lifted piece has moved in this action");
    pub(super) const VISITED: Field =
        Field::flags("visited", &[MAX_HEXES], "the hexes where the lifted piece has been in this turn");
    pub(super) const HEX: Field = Field::one_hot(
        "hex",
        &[MAX_HEXES],
        "the hex of the decision: of the figure that may use a power, or the one that a piece is about to enter",
    );
    pub(super) const PARTY: Field = Field::one_hot(
        "party",
        &[7],
        "the figure being placed: Worker with 0, 1, 2 logs, Sorcerer with 0, 1, 2 logs, Chief; for the choice of a \
         power, Sorcerer without logs or Chief",
    )
    .values(&[
        "worker_0_logs",
        "worker_1_log",
        "worker_2_logs",
        "sorcerer_0_logs",
        "sorcerer_1_log",
        "sorcerer_2_logs",
        "chief",
    ]);

    /// Returns a field with a count of each seat, -1 if it is not shown.
    const fn hidden(name: &'static str, max: u8, meaning: &'static str) -> Field {
        Field::numbers(name, &[SEATS], (-1, max as i16), meaning).by_seat()
    }

    /// Returns a field with a public count of each seat.
    const fn open(name: &'static str, max: u8, meaning: &'static str) -> Field {
        Field::numbers(name, &[SEATS], (0, max as i16), meaning).by_seat()
    }

    pub(super) const WORKERS_HELD: Field = hidden("workers", WORKERS, "Workers behind the screen; -1: not shown");
    pub(super) const MARKERS_HELD: Field = hidden("markers", MARKERS, "Tribe Markers behind the screen; -1: not shown");
    pub(super) const LOGS_HELD: Field = hidden("logs", LOGS, "logs behind the screen; -1: not shown");
    pub(super) const BASES: Field = hidden("bases", 7, "bases behind the screen; -1: not shown");
    pub(super) const WORKERS_TO_COME: Field =
        hidden("workers_to_come", WORKERS, "Workers in the receptacle; -1: not shown");
    pub(super) const MARKERS_TO_COME: Field =
        hidden("markers_to_come", MARKERS, "Tribe Markers in the receptacle; -1: not shown");
    pub(super) const WORKERS_SPENT: Field = open("workers_spent", WORKERS, "Workers in front of the screen");
    pub(super) const MARKERS_SPENT: Field = open("markers_spent", MARKERS, "Tribe Markers in front of the screen");
    pub(super) const HALVES_HELD: Field = open("halves", HALVES, "Rongo half-tablets");
    pub(super) const PRESTIGE: Field =
        Field::numbers("prestige", &[SEATS], (0, MAX_POINTS), "Prestige Points scored so far").by_seat();
    pub(super) const SCORES: Field = Field::numbers(
        "scores",
        &[SEATS],
        (0, MAX_POINTS),
        "Prestige Points if the game ended now, as far as the owners of Moai are shown",
    )
    .by_seat();
    pub(super) const BID: Field = Field::numbers(
        "bid",
        &[2],
        (-1, 6),
        "the own bid before the bids are shown: Tribe Markers, Workers; -1 before the choice",
    )
    .values(&["markers", "workers"]);
    pub(super) const OFFERED: Field =
        Field::numbers("offered", &[3], (0, 5), "Moai on offer in this auction, of size 1, 2, 3")
            .values(&["size_1", "size_2", "size_3"]);
    pub(super) const SUPPLY: Field =
        Field::numbers("supply", &[3], (0, MOAI[0] as i16), "Moai still to come, of size 1, 2, 3")
            .values(&["size_1", "size_2", "size_3"]);
    pub(super) const HEADDRESSES_LEFT: Field =
        Field::numbers("headdresses_left", &[], (0, HEADDRESSES as i16), "headdresses still to be sculpted");
    pub(super) const HALVES_LEFT: Field =
        Field::numbers("halves_left", &[], (0, HALVES as i16), "half-tablets in the draw");
    pub(super) const LOGS_LEFT: Field = Field::numbers("logs_left", &[], (0, LOGS as i16), "logs beside the island");
    pub(super) const TURN: Field =
        Field::numbers("turn", &[2], (1, MAX_TURNS as i16), "the number of the turn, and the maximum number of turns")
            .values(&["turn", "last_turn"]);
    pub(super) const MOAI_WORTH: Field =
        Field::numbers("moai_worth", &[MAX_AHUS], (0, 20), "an Ahu's points for each unit of a Moai's size");
    pub(super) const HEADDRESS_WORTH: Field =
        Field::numbers("headdress_worth", &[MAX_AHUS], (0, 20), "an Ahu's points for a headdress");
    pub(super) const DUES: Field = Field::numbers(
        "dues",
        &[2],
        (0, 3),
        "the fewest and the most Prestige Points still to pay for the hex, unit by unit; with chief_pp=full_size a \
         Chief may earn the size of the piece instead",
    )
    .values(&["least", "most"]);
}

/// The number of counts for each player.
const HELD: usize = 10;

/// The data of the decision that is due, as bits of its fields.
struct Due {
    /// The seat to act, outside the bids.
    acting: Option<Seat>,
    /// The seats that passed, or take no more Moai.
    passed: SeatSet,
    phase: u64,
    step: u64,
    piece: Pieces,
    moved: bool,
    visited: Hexes,
    hex: Hexes,
    party: u64,
    /// The fewest and the most points still to pay.
    dues: [i16; 2],
}

impl Due {
    const EMPTY: Self = Self {
        acting: None,
        passed: SeatSet::EMPTY,
        phase: 0,
        step: 0,
        piece: Pieces::EMPTY,
        moved: false,
        visited: Hexes::EMPTY,
        hex: Hexes::EMPTY,
        party: 0,
        dues: [0; 2],
    };

    /// Returns the data of the decision in this view.
    fn of(view: &View) -> Self {
        let none = Self::EMPTY;
        match view.table.phase {
            Phase::Roll | Phase::Over => none,
            Phase::Bid { .. } => Self { phase: 1, step: view.bid.map_or(0, bid_step), ..none },
            Phase::Pick { seat, stopped, .. } => Self { acting: Some(seat), passed: stopped, phase: 1 << 1, ..none },
            Phase::Place { seat, passed, step } => {
                Self { acting: Some(seat), passed, phase: 1 << 2, ..Self::placing(step) }
            }
            Phase::Transport { seat, passed, step } => {
                Self { acting: Some(seat), passed, phase: 1 << 3, ..Self::transporting(&view.table, step) }
            }
            Phase::Store { seat, piece } => Self { acting: Some(seat), phase: 1 << 4, piece: piece.into(), ..none },
            Phase::Recover { seat, piece } => Self { acting: Some(seat), phase: 1 << 5, piece: piece.into(), ..none },
        }
    }

    fn placing(step: PlaceStep) -> Self {
        match step {
            PlaceStep::What => Self { step: 1 << 3, ..Self::EMPTY },
            PlaceStep::Where { party } => Self { step: 1 << 4, party: 1 << party.place(), ..Self::EMPTY },
            PlaceStep::Power { chief, hex } => {
                let party = if chief { Party::Chief } else { Party::Sorcerer(0) };
                Self { step: 1 << 5, hex: hex.into(), party: 1 << party.place(), ..Self::EMPTY }
            }
        }
    }

    fn transporting(table: &Table, step: TransportStep) -> Self {
        match step {
            TransportStep::Lift => Self { step: 1 << 6, ..Self::EMPTY },
            TransportStep::Carry { piece, moved } => {
                let visited = table.visited[piece.index()];
                Self { step: 1 << 7, piece: piece.into(), moved, visited, ..Self::EMPTY }
            }
            TransportStep::Pay { piece, to, dues } => Self {
                step: 1 << 8,
                piece: piece.into(),
                visited: table.visited[piece.index()],
                hex: to.into(),
                dues: [dues.short().into(), (dues.most - dues.paid).into()],
                ..Self::EMPTY
            },
        }
    }
}

fn bid_step(bidding: Bidding) -> u64 {
    match bidding {
        Bidding::Markers => 1,
        Bidding::Workers { .. } => 1 << 1,
        Bidding::Leaders { .. } => 1 << 2,
        Bidding::Sealed(_) => 0,
    }
}

/// Returns the Tribe Markers and Workers of the own bid as far as it is made, else -1.
fn bid_numbers(bidding: Option<Bidding>) -> [i16; 2] {
    match bidding {
        None | Some(Bidding::Markers) => [-1, -1],
        Some(Bidding::Workers { markers }) => [markers.into(), -1],
        Some(Bidding::Leaders { markers, workers }) => [markers.into(), workers.into()],
        Some(Bidding::Sealed(bid)) => [bid.markers.into(), bid.workers.into()],
    }
}

fn option_bits(options: &Options) -> u64 {
    let Options { seats: _, max_turns: _, board, dice_white, dice_brown, unclaimed_moai, .. } = *options;
    let Options { auction_decline, chief_split, chief_pp, erect_needs_worker, top_own_only, .. } = *options;
    let Options { allow_gift_pp, unused_logs_return, base_view, screen_view, exhaustion_end, .. } = *options;
    let Options { quick_game, visible_score, tie_break, .. } = *options;
    let flags: [bool; FLAGS] = [
        board == BoardName::Tiny,
        dice_white == Faces::WithoutZero,
        dice_brown == Faces::WithoutZero,
        unclaimed_moai == Unclaimed::Return,
        auction_decline,
        chief_split,
        chief_pp == ChiefPay::FullSize,
        erect_needs_worker,
        top_own_only,
        allow_gift_pp,
        unused_logs_return,
        base_view == BaseView::Memory,
        screen_view == ScreenView::Open,
        exhaustion_end,
        quick_game,
        visible_score,
        tie_break == TieBreak::Halves,
    ];
    flags.iter().enumerate().fold(0, |bits, (n, &on)| bits | u64::from(on) << n)
}

/// The writer of the fields.
impl View {
    /// Writes all fields, in the order of the layout.
    #[inline]
    pub(super) fn write_observation(&self, sink: &mut impl Sink) {
        let due = Due::of(self);
        self.write_seats(&due, sink);
        self.write_figures(sink);
        self.write_pieces(sink);
        self.write_ahus(sink);
        sink.bits(fields::PIECE, &[due.piece.bits()]);
        sink.bits(fields::MOVED, &[due.moved.into()]);
        sink.bits(fields::VISITED, &[due.visited.bits()]);
        sink.bits(fields::HEX, &[due.hex.bits()]);
        sink.bits(fields::PARTY, &[due.party]);
        self.write_tribes(sink);
        self.write_stocks(sink);
        sink.numbers(fields::DUES, &due.dues);
    }

    /// Returns the seats with their relative positions, from the own seat to the left.
    #[inline]
    fn seats_from_left(&self) -> impl Iterator<Item = (usize, Seat)> {
        let (seats, own) = (self.table.options.seats, self.viewer.seat());
        (0..seats.count()).map(move |k| (k, seats.left_of(own, k)))
    }

    /// Returns the relative position of a seat: 0 for the own seat.
    #[inline]
    fn place(&self, seat: Seat) -> usize {
        self.table.options.seats.steps_left(self.viewer.seat(), seat)
    }

    fn write_seats(&self, due: &Due, sink: &mut impl Sink) {
        let bit = |seat: Seat| 1 << self.place(seat);
        sink.bits(fields::OPTIONS, &[option_bits(&self.table.options)]);
        sink.bits(fields::PRESENT, &[(1 << self.table.options.seats.count()) - 1]);
        sink.bits(fields::FIRST, &[bit(self.table.first)]);
        sink.bits(fields::ACTING, &[due.acting.map_or(0, bit)]);
        sink.bits(fields::PASSED, &[due.passed.iter().fold(0, |bits, seat| bits | bit(seat))]);
        sink.bits(fields::PHASE, &[due.phase]);
        sink.bits(fields::STEP, &[due.step]);
    }

    fn write_figures(&self, sink: &mut impl Sink) {
        let mut workers = [[0; 3]; SEATS];
        let (mut sorcerers, mut chiefs, mut spent) = ([0; SEATS], [0; SEATS], [0; 2]);
        for (k, seat) in self.seats_from_left() {
            let tribe = &self.table.tribes[seat];
            let [one, two, three, ..] = tribe.workers.levels();
            workers[k] = [one.bits(), two.bits(), three.bits()];
            sorcerers[k] = tribe.sorcerer.hexes().bits();
            chiefs[k] = tribe.chief.hexes().bits();
            spent[0] |= u64::from(tribe.sorcerer == Spot::Front) << k;
            spent[1] |= u64::from(tribe.chief == Spot::Front) << k;
        }
        sink.bits(fields::WORKERS_AT, workers.as_flattened());
        sink.bits(fields::SORCERER_AT, &sorcerers);
        sink.bits(fields::CHIEF_AT, &chiefs);
        sink.bits(fields::LEADERS_SPENT, &spent);
        let mut logs = Carriers::default();
        for log in self.table.logs.placed() {
            logs.add(log.hex.into());
        }
        sink.bits(fields::LOGS_AT, &Size::ALL.map(|size| logs.hexes(size).bits()));
        sink.bits(fields::CUT, &[self.table.harvested.bits()]);
    }

    fn write_pieces(&self, sink: &mut impl Sink) {
        let mut at = [0; PIECES];
        let mut of = [0; SEATS];
        let (mut in_front, mut marked) = (0, 0);
        for movable in self.table.movable().iter() {
            let piece = 1 << movable.index();
            match self.table.place_of(movable) {
                Place::Rock | Place::Ahu(_) => {}
                Place::Front(seat) => {
                    in_front |= piece;
                    of[self.place(seat)] |= piece;
                }
                Place::Island { hex, claim } => {
                    at[movable.index()] = 1 << hex.index();
                    match claim {
                        Claim::Abandoned => {}
                        Claim::Held(seat) => of[self.place(seat)] |= piece,
                        Claim::Marked(seat) => {
                            marked |= piece;
                            of[self.place(seat)] |= piece;
                        }
                    }
                }
            }
        }
        sink.bits(fields::PIECE_AT, &at);
        sink.bits(fields::PIECE_OF, &of);
        sink.bits(fields::PIECE_IN_FRONT, &[in_front]);
        sink.bits(fields::PIECE_MARKED, &[marked]);
    }

    fn write_ahus(&self, sink: &mut impl Sink) {
        let (mut base_of, mut moai, mut topped) = ([0; SEATS], [0; 3], 0);
        for occupied in self.table.occupied().iter() {
            let ahu = 1 << occupied.index();
            match self.table.site(occupied) {
                Site::Free => {}
                Site::Reserved(owner) => base_of[self.place(owner)] |= ahu,
                Site::Erected { owner, moai: piece, headdress } => {
                    if let Some(owner) = owner {
                        base_of[self.place(owner)] |= ahu;
                    }
                    for level in &mut moai[..piece.kind().weight().units().into()] {
                        *level |= ahu;
                    }
                    topped |= if headdress.is_some() { ahu } else { 0 };
                }
            }
        }
        sink.bits(fields::BASE_OF, &base_of);
        sink.bits(fields::MOAI_ON, &moai);
        sink.bits(fields::TOPPED, &[topped]);
    }

    fn write_tribes(&self, sink: &mut impl Sink) {
        // One row for each field, one column for each seat.
        let mut counts = [[0; SEATS]; HELD];
        for (k, seat) in self.seats_from_left() {
            counts.iter_mut().zip(self.held_by(seat)).for_each(|(row, count)| row[k] = count);
        }
        sink.numbers(fields::WORKERS_HELD, &counts[0]);
        sink.numbers(fields::MARKERS_HELD, &counts[1]);
        sink.numbers(fields::LOGS_HELD, &counts[2]);
        sink.numbers(fields::BASES, &counts[3]);
        sink.numbers(fields::WORKERS_TO_COME, &counts[4]);
        sink.numbers(fields::MARKERS_TO_COME, &counts[5]);
        sink.numbers(fields::WORKERS_SPENT, &counts[6]);
        sink.numbers(fields::MARKERS_SPENT, &counts[7]);
        sink.numbers(fields::HALVES_HELD, &counts[8]);
        sink.numbers(fields::PRESTIGE, &counts[9]);
        let scores: BySeat<i32> = self.table.scores();
        sink.numbers(fields::SCORES, &scores.from_left::<SEATS, _>(self.viewer.seat(), |points| points as i16));
    }

    /// Returns the counts of a player in the order of the fields; -1 if a count is not shown.
    fn held_by(&self, seat: Seat) -> [i16; HELD] {
        let Tribe { reserve, receptacle, front, halves, prestige, .. } = &self.table.tribes[seat];
        let shown = !self.screened.contains(seat);
        let hidden = |count: u8| if shown { i16::from(count) } else { -1 };
        [
            hidden(reserve.workers),
            hidden(reserve.markers),
            hidden(reserve.logs),
            hidden(reserve.bases),
            hidden(receptacle.workers),
            hidden(receptacle.markers),
            front.workers.into(),
            front.markers.into(),
            (*halves).into(),
            *prestige as i16,
        ]
    }

    fn write_stocks(&self, sink: &mut impl Sink) {
        let table = &self.table;
        sink.numbers(fields::BID, &bid_numbers(self.bid));
        sink.numbers(fields::OFFERED, &table.phase.offered().map(i16::from));
        sink.numbers(fields::SUPPLY, &table.supply.map(i16::from));
        sink.numbers(fields::HEADDRESSES_LEFT, &[table.in_rock(Kind::Headdress).count() as i16]);
        sink.numbers(fields::HALVES_LEFT, &[table.halves.into()]);
        sink.numbers(fields::LOGS_LEFT, &[table.logs_left.into()]);
        sink.numbers(fields::TURN, &[table.turn.into(), table.options.max_turns.into()]);
        let worths = table.board().worths();
        sink.numbers(fields::MOAI_WORTH, &worths[0]);
        sink.numbers(fields::HEADDRESS_WORTH, &worths[1]);
    }
}
