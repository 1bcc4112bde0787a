//! The observation: a view as bits and numbers. Hexes, Ahus, and pieces are in the order of their numbers; seats go
//! from the own seat to the left.
//!
//! Pieces and figures have their place as a code each. The planes beside the codes repeat facts by hex or by Ahu, for
//! the actions that choose one. Facts of the board, such as the worth of an Ahu, depend on the options alone and are
//! left out.

use ahu_core::observation::flag_bits;
use ahu_core::{Encode, Numbered, Seat, Sink, Viewer, fields};

use super::bid::{Bid, Bidding};
use super::board::{Ahu, Ahus, Hex, Hexes};
use super::chance_outcome::{MAX_DICE, Roll};
use super::logs::LOGS;
use super::options::{BaseView, BoardName, ChiefPay, Faces, MAX_TURNS, Options, ScreenView, TieBreak, Unclaimed};
use super::party::Party;
use super::phase::{Phase, PlaceStep, TransportStep};
use super::piece::{HEADDRESSES, Kind, Piece, Pieces, Size};
use super::place::Code;
use super::table::{HALVES, Table};
use super::tribe::{MARKERS, Spot, Tribe, WORKERS, Workers};
use super::view::View;

/// The most seats of this game.
const SEATS: usize = 5;
/// An upper bound of Prestige Points: a seat's figures lend at most 10 units, each once a piece and turn (10 · 49 ·
/// 30), and all bases, headdresses, and tablets together bring less than 1,000.
const MAX_POINTS: i16 = 16_000;
/// The sizes of Moai, as names of counts.
const SIZES: &[&str] = &["size_1", "size_2", "size_3"];
/// The owners, as codes.
const OWNERS: &[&str] = &["nobody", "own", "left_1", "left_2", "left_3", "left_4"];
/// The places of pieces, as codes: see [`Code`].
#[rustfmt::skip]
const PLACES: [&str; Code::COUNT] = [
    "out", "in_front", "0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15", "16",
    "17", "18", "19", "20", "21", "22", "23", "24", "25", "26", "27", "28", "29", "30", "31", "32", "33", "34", "35",
    "36", "37", "38", "39", "40", "41", "a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8", "a9", "a10", "a11",
    "a12", "a13", "a14", "a15", "a16", "a17", "a18", "a19", "a20", "a21", "a22", "a23", "a24", "a25",
];
/// The places of figures.
const FIGURE_PLACES: &[&str] = PLACES.split_at(Code::OF_FIGURES).0;

fields! {
    bits {
        /// the options that have this value
        options: flags[17].values(&[
            "board=tiny", "dice_white=111223", "dice_brown=111223", "unclaimed_moai=return", "auction_decline",
            "chief_split", "chief_pp=full_size", "erect_needs_worker", "top_own_only", "allow_gift_pp",
            "unused_logs_return", "base_view=memory", "screen_view=open", "exhaustion_end", "quick_game",
            "visible_score", "tie_break=halves"
        ]);
        /// the seats of this game
        present: flags[SEATS].by_seat();
        /// the first player of this turn
        first: one_hot[SEATS].by_seat();
        /// the seats to act; during the bids all that have not sealed one
        to_act: flags[SEATS].by_seat();
        /// the seats that passed in this Placement or Transport Phase, or take no more Moai in this auction
        passed: flags[SEATS].by_seat();
        /// bid, pick, placement, transport, marks on unmoved pieces, Tribe Markers taken back; none while the dice are due or
        /// at the end
        phase: one_hot[6].values(&["bid", "pick", "place", "transport", "store", "recover"]);
        /// the step to decide: own bid of Tribe Markers, of Workers, of leaders; the figure to place, its hex, its power; the
        /// piece to lift, its next hex or end, the payee
        step: one_hot[9].values(&[
            "bid_markers", "bid_workers", "bid_leaders", "what", "where", "power", "lift", "carry", "pay"
        ]);
        /// the face of each die of this turn, the white dice first; none before the roll
        dice: one_hot[MAX_DICE, 4].values(&["0", "1", "2", "3"]);
        /// the bids of this turn are shown
        bids_shown: flags[];
        /// Tribe Markers in the bid of each seat in this turn; until bids_shown only the own bid as far as it is made
        bid_markers: binary[SEATS, 3].by_seat();
        /// Workers in the bid of each seat, likewise
        bid_workers: binary[SEATS, 3].by_seat();
        /// leaders in the bid of each seat, likewise
        bid_leaders: flags[SEATS, 2].by_seat().values(&["sorcerer", "chief"]);
        /// the hexes of the Workers of each seat, in rising order; out for those that are not on the island
        workers: binary[SEATS, WORKERS as usize, 6].by_seat().codes(FIGURE_PLACES);
        /// the place of the Sorcerer of each seat; out behind the screen
        sorcerer: binary[SEATS, 6].by_seat().codes(FIGURE_PLACES);
        /// the place of the Chief of each seat; out behind the screen
        chief: binary[SEATS, 6].by_seat().codes(FIGURE_PLACES);
        /// the hexes with a figure of each seat
        figures: flags[SEATS, Hex::COUNT].by_seat();
        /// the units that the figures and logs on each hex can carry, up to 3
        carriers: thermometer[Size::COUNT, Hex::COUNT].along(0);
        /// the number of logs on each hex
        logs: binary[5, Hex::COUNT].along(0);
        /// unused_logs_return: the players who placed the logs on the island, hex by hex, on each hex the first placed first
        log_seats: binary[LOGS as usize, 3].codes(OWNERS);
        /// unused_logs_return: the logs, in the order of log_seats, that a transport has needed
        logs_needed: flags[LOGS as usize];
        /// the hexes with a cut forest
        cut: flags[Hex::COUNT];
        /// the place of each piece: 17 Moai of size 1, 12 of size 2, 6 of size 3, 14 headdresses; out if it is not in play
        pieces: binary[Piece::COUNT, 7].codes(&PLACES);
        /// the owner of each piece that is not on an Ahu; nobody if it is abandoned or not in play
        piece_of: binary[3, Piece::COUNT].along(0).codes(OWNERS);
        /// the pieces with a Tribe Marker
        marked: flags[Piece::COUNT];
        /// the owner of the base on each Ahu, as far as it is shown: with a Moai on it, or to reserve the Ahu
        base_of: binary[3, Ahu::COUNT].along(0).codes(OWNERS);
        /// the size of the Moai on each Ahu
        moai_on: binary[2, Ahu::COUNT].along(0).codes(&["none", "1", "2", "3"]);
        /// the Ahus whose Moai has a headdress
        topped: flags[Ahu::COUNT];
        /// the Ahus under whose Moai each seat has looked
        peeked: flags[SEATS, Ahu::COUNT].by_seat();
        /// the piece of the decision: lifted, unmoved, or with a Tribe Marker
        piece: one_hot[Piece::COUNT];
        /// the lifted piece has moved in this action
        moved: flags[];
        /// the hexes where the lifted piece has been in this turn
        visited: flags[Hex::COUNT];
        /// the hex of the decision: of the figure that may use a power, of the piece, or the one that the piece is about to
        /// enter
        hex: one_hot[Hex::COUNT];
        /// the figure being placed; for the choice of a power, Sorcerer without logs or Chief
        party: one_hot[Party::COUNT].values(&[
            "worker_0_logs", "worker_1_log", "worker_2_logs", "sorcerer_0_logs", "sorcerer_1_log", "sorcerer_2_logs",
            "chief"
        ]);
    }
    numbers {
        /// Workers behind the screen; -1 if not shown
        workers_held: numbers[SEATS].range(-1, WORKERS as i16).by_seat();
        /// Tribe Markers behind the screen; -1 if not shown
        markers_held: numbers[SEATS].range(-1, MARKERS as i16).by_seat();
        /// logs behind the screen; -1 if not shown
        logs_held: numbers[SEATS].range(-1, LOGS as i16).by_seat();
        /// bases behind the screen; -1 if not shown
        bases: numbers[SEATS].range(-1, 7).by_seat();
        /// Workers in the receptacle; -1 if not shown
        workers_to_come: numbers[SEATS].range(-1, WORKERS as i16).by_seat();
        /// Tribe Markers in the receptacle; -1 if not shown
        markers_to_come: numbers[SEATS].range(-1, MARKERS as i16).by_seat();
        /// Workers in front of the screen
        workers_spent: numbers[SEATS].range(0, WORKERS as i16).by_seat();
        /// Tribe Markers in front of the screen
        markers_spent: numbers[SEATS].range(0, MARKERS as i16).by_seat();
        /// Rongo half-tablets
        halves: numbers[SEATS].range(0, HALVES as i16).by_seat();
        /// Prestige Points scored so far
        prestige: numbers[SEATS].range(0, MAX_POINTS).by_seat();
        /// Prestige Points if the game ended now, as far as the owners of Moai are shown
        scores: numbers[SEATS].range(0, MAX_POINTS).by_seat();
        /// Moai on offer in this auction
        offered: numbers[Size::COUNT].range(0, MAX_DICE as i16).values(SIZES);
        /// Moai still to come
        supply: numbers[Size::COUNT].range(0, 17).values(SIZES);
        /// headdresses still to be sculpted
        headdresses_left: numbers[].range(0, HEADDRESSES as i16);
        /// half-tablets in the draw
        halves_left: numbers[].range(0, HALVES as i16);
        /// logs beside the island
        logs_left: numbers[].range(0, LOGS as i16);
        /// the number of the turn, and the maximum number of turns
        turn: numbers[2].range(1, MAX_TURNS as i16).values(&["turn", "last_turn"]);
        /// the fewest and the most Prestige Points still to pay for the hex, unit by unit; with chief_pp=full_size a Chief may
        /// earn the size of the piece instead
        dues: numbers[2].range(0, 3).values(&["least", "most"]);
    }
}

/// The data of the decision that is due, as bits of its fields.
#[derive(Default)]
struct Due {
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
    /// Returns the data of the decision in this view.
    #[inline]
    fn of(view: &View) -> Self {
        let table = &view.table;
        let piece_and_hex =
            |piece: Piece| Self { piece: piece.into(), hex: table.hex_of(piece).into(), ..Self::default() };
        match table.phase {
            Phase::Roll | Phase::Over => Self::default(),
            Phase::Bid { .. } => Self { phase: 1, step: view.bid.map_or(0, bid_step), ..Self::default() },
            Phase::Pick { .. } => Self { phase: 1 << 1, ..Self::default() },
            Phase::Place { step, .. } => Self { phase: 1 << 2, ..Self::placing(step) },
            Phase::Transport { step, .. } => Self { phase: 1 << 3, ..Self::transporting(table, step) },
            Phase::Store { piece, .. } => Self { phase: 1 << 4, ..piece_and_hex(piece) },
            Phase::Recover { piece, .. } => Self { phase: 1 << 5, ..piece_and_hex(piece) },
        }
    }

    fn placing(step: PlaceStep) -> Self {
        match step {
            PlaceStep::What => Self { step: 1 << 3, ..Self::default() },
            PlaceStep::Where { party } => Self { step: 1 << 4, party: 1 << party.index(), ..Self::default() },
            PlaceStep::Power { chief, hex } => {
                let party = if chief { Party::Chief } else { Party::Sorcerer(0) };
                Self { step: 1 << 5, hex: hex.into(), party: 1 << party.index(), ..Self::default() }
            }
        }
    }

    fn transporting(table: &Table, step: TransportStep) -> Self {
        let (step, piece, hex, moved, dues) = match step {
            TransportStep::Lift => return Self { step: 1 << 6, ..Self::default() },
            TransportStep::Carry { piece, moved } => (1 << 7, piece, table.hex_of(piece), moved, [0; 2]),
            TransportStep::Pay { piece, to, dues } => {
                (1 << 8, piece, to, false, [dues.short().into(), dues.most_left().into()])
            }
        };
        let visited = table.visited[piece.index()];
        Self { step, piece: piece.into(), moved, visited, hex: hex.into(), dues, ..Self::default() }
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

fn option_bits(options: &Options) -> u64 {
    let Options { seats: _, max_turns: _, board, dice_white, dice_brown, unclaimed_moai, .. } = *options;
    let Options { auction_decline, chief_split, chief_pp, erect_needs_worker, top_own_only, .. } = *options;
    let Options { allow_gift_pp, unused_logs_return, base_view, screen_view, exhaustion_end, .. } = *options;
    let Options { quick_game, visible_score, tie_break, .. } = *options;
    flag_bits([
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
    ])
}

/// The facts by seat, from the own seat to the left; absent seats are zero. A word has the bits of all seats.
#[derive(Default)]
struct Rows {
    first: u64,
    to_act: u64,
    passed: u64,
    bid_markers: u64,
    bid_workers: u64,
    bid_leaders: u64,
    workers: [u64; SEATS],
    sorcerers: u64,
    chiefs: u64,
    figures: [u64; SEATS],
    pieces: [u64; SEATS],
    bases: [u64; SEATS],
    peeked: [u64; SEATS],
    /// The counts in the order of [`View::counts`].
    counts: [[i16; SEATS]; COUNTS],
}

/// The number of counts for each seat.
const COUNTS: usize = 11;

impl Rows {
    // One loop for all fields: a loop for each, with a closure, makes observed play a quarter slower. In place, since a move
    // would copy all of them.
    #[inline]
    fn fill(&mut self, view: &View) {
        let rows = self;
        let table = &view.table;
        let (seats, to_act, passed) = (table.options.seats, view.to_act(), table.phase.passed());
        for k in 0..seats.count() {
            let seat = seats.left_of(view.viewer.seat(), k);
            let (tribe, bid) = (&table.tribes[seat], view.bid_of(seat));
            let bit = |is_set: bool| u64::from(is_set) << k;
            rows.first |= bit(table.first == seat);
            rows.to_act |= bit(to_act.contains(seat));
            rows.passed |= bit(passed.contains(seat));
            rows.bid_markers |= u64::from(bid.markers) << (3 * k);
            rows.bid_workers |= u64::from(bid.workers) << (3 * k);
            let leaders = u64::from(bid.leaders.sorcerer()) | u64::from(bid.leaders.chief()) << 1;
            rows.bid_leaders |= leaders << (2 * k);
            rows.workers[k] = worker_codes(&tribe.workers);
            rows.sorcerers |= leader_code(tribe.sorcerer) << (6 * k);
            rows.chiefs |= leader_code(tribe.chief) << (6 * k);
            rows.figures[k] = tribe.figures().bits();
            rows.pieces[k] = table.pieces.owned()[seat].bits();
            rows.bases[k] = table.sites.bases()[seat].bits();
            rows.peeked[k] = tribe.peeked.bits();
            rows.counts.iter_mut().zip(view.counts(seat)).for_each(|(row, count)| row[k] = count);
        }
    }
}

impl View {
    /// Returns the bid of a seat in this turn as far as it is shown.
    #[inline]
    fn bid_of(&self, seat: Seat) -> Bid {
        let own = || self.bid.filter(|_| self.viewer.is(seat)).map_or(Bid::EMPTY, Bidding::so_far);
        self.table.shown_bids.map_or_else(own, |bids| bids[seat])
    }

    /// Returns the counts of a player in the order of their fields; -1 if a count is not shown.
    #[inline]
    fn counts(&self, seat: Seat) -> [i16; COUNTS] {
        let Tribe { reserve, front, receptacle, halves, prestige, .. } = &self.table.tribes[seat];
        let is_shown = !self.screened.contains(seat);
        let shown = |count: u8| if is_shown { i16::from(count) } else { -1 };
        [
            shown(reserve.workers),
            shown(reserve.markers),
            shown(reserve.logs),
            shown(reserve.bases),
            shown(receptacle.workers),
            shown(receptacle.markers),
            front.workers.into(),
            front.markers.into(),
            (*halves).into(),
            *prestige as i16,
            self.table.points(seat).total() as i16,
        ]
    }
}

/// Returns the code of a leader's place.
#[inline]
fn leader_code(spot: Spot) -> u64 {
    match spot {
        Spot::Reserve => Code::OUT.number(),
        Spot::Front => Code::FRONT.number(),
        Spot::On(hex) => Code::of_hex(hex).number(),
    }
}

/// Returns the codes of the Workers' places, in rising order of the hexes, then zeros.
#[inline]
fn worker_codes(workers: &Workers) -> u64 {
    let (mut codes, mut shift) = (0, 0);
    for hex in workers.hexes().iter() {
        for _ in 0..workers.count(hex) {
            codes |= Code::of_hex(hex).number() << shift;
            shift += 6;
        }
    }
    codes
}

/// Returns the binary digits of the owner of each thing, by place to the left: 1 for the own seat.
#[inline]
const fn owner_digits([own, left_1, left_2, left_3, left_4]: [u64; SEATS]) -> [u64; 3] {
    [own | left_2 | left_4, left_1 | left_2, left_3 | left_4]
}

impl Table {
    /// Returns the binary digits of the number of logs on each hex.
    #[inline]
    fn log_digits(&self) -> [u64; 5] {
        let mut digits = [0; 5];
        for log in self.logs.placed() {
            let mut carry = Hexes::from(log.hex).bits();
            for digit in &mut digits {
                (*digit, carry) = (*digit ^ carry, *digit & carry);
            }
        }
        digits
    }

    /// Returns the codes of the players who placed the logs, nine to a word, and the logs that were needed.
    fn log_seats(&self, viewer: Viewer) -> ([u64; 3], u64) {
        let (mut codes, mut needed, mut n) = ([0; 3], 0, 0);
        if self.options.unused_logs_return {
            for hex in self.logs.hexes().iter() {
                for (log, before) in self.logs.on(hex).zip(0..) {
                    let owner = self.options.seats.steps_left(viewer.seat(), log.seat) as u64 + 1;
                    codes[n / 9] |= owner << (n % 9 * 3);
                    needed |= u64::from(before < self.logs.used()[hex.index()]) << n;
                    n += 1;
                }
            }
        }
        (codes, needed)
    }

    /// Returns the codes of the pieces' places, seven to a word.
    #[inline]
    fn piece_codes(&self) -> [u64; 7] {
        let codes = self.pieces.codes();
        let word = |codes: &[Code]| codes.iter().rev().fold(0, |word, code| word << 7 | code.number());
        std::array::from_fn(|n| word(&codes[7 * n..7 * n + 7]))
    }
}

impl Encode for View {
    const BITS: usize = BITS;
    const NUMBERS: usize = NUMBERS;

    #[inline]
    fn write(&self, sink: &mut impl Sink) {
        let table = &self.table;
        let Table { options, phase, pieces, sites, .. } = table;
        let due = Due::of(self);
        let mut rows = Rows::default();
        rows.fill(self);
        let faces = table.roll.iter().flat_map(Roll::faces);
        let dice = faces.zip(0..).fold(0, |bits, (face, die)| bits | 1 << (4 * die + face));
        let (log_seats, logs_needed) = table.log_seats(self.viewer);
        let [one, two, three] = sites.moai().map(Ahus::bits);

        sink.bits(fields::options, &[option_bits(options)]);
        sink.bits(fields::present, &[(1 << options.seats.count()) - 1]);
        sink.bits(fields::first, &[rows.first]);
        sink.bits(fields::to_act, &[rows.to_act]);
        sink.bits(fields::passed, &[rows.passed]);
        sink.bits(fields::phase, &[due.phase]);
        sink.bits(fields::step, &[due.step]);
        sink.bits(fields::dice, &[dice]);
        sink.bits(fields::bids_shown, &[table.shown_bids.is_some().into()]);
        sink.bits(fields::bid_markers, &[rows.bid_markers]);
        sink.bits(fields::bid_workers, &[rows.bid_workers]);
        sink.bits(fields::bid_leaders, &[rows.bid_leaders]);
        sink.bits(fields::workers, &rows.workers);
        sink.bits(fields::sorcerer, &[rows.sorcerers]);
        sink.bits(fields::chief, &[rows.chiefs]);
        sink.bits(fields::figures, &rows.figures);
        sink.bits(fields::carriers, &table.carriers().levels().map(Hexes::bits));
        sink.bits(fields::logs, &table.log_digits());
        sink.bits(fields::log_seats, &log_seats);
        sink.bits(fields::logs_needed, &[logs_needed]);
        sink.bits(fields::cut, &[table.harvested.bits()]);
        sink.bits(fields::pieces, &table.piece_codes());
        sink.bits(fields::piece_of, &owner_digits(rows.pieces));
        sink.bits(fields::marked, &[pieces.marked().bits()]);
        sink.bits(fields::base_of, &owner_digits(rows.bases));
        sink.bits(fields::moai_on, &[one | three, two | three]);
        sink.bits(fields::topped, &[sites.topped().bits()]);
        sink.bits(fields::peeked, &rows.peeked);
        sink.bits(fields::piece, &[due.piece.bits()]);
        sink.bits(fields::moved, &[due.moved.into()]);
        sink.bits(fields::visited, &[due.visited.bits()]);
        sink.bits(fields::hex, &[due.hex.bits()]);
        sink.bits(fields::party, &[due.party]);

        let by_seat = [
            fields::workers_held,
            fields::markers_held,
            fields::logs_held,
            fields::bases,
            fields::workers_to_come,
            fields::markers_to_come,
            fields::workers_spent,
            fields::markers_spent,
            fields::halves,
            fields::prestige,
            fields::scores,
        ];
        by_seat.into_iter().zip(&rows.counts).for_each(|(field, counts)| sink.numbers(field, counts));
        sink.numbers(fields::offered, &phase.offered().as_array().map(i16::from));
        sink.numbers(fields::supply, &table.supply.as_array().map(i16::from));
        sink.numbers(fields::headdresses_left, &[table.in_rock(Kind::Headdress).len() as i16]);
        sink.numbers(fields::halves_left, &[table.halves.into()]);
        sink.numbers(fields::logs_left, &[table.logs_left.into()]);
        sink.numbers(fields::turn, &[table.turn.into(), options.max_turns.into()]);
        sink.numbers(fields::dues, &due.dues);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_named_as_in_actions() {
        let names = ["out".to_owned(), "in_front".to_owned()].into_iter();
        let names = names.chain(Hex::all().map(|hex| hex.to_string())).chain(Ahu::all().map(|ahu| ahu.to_string()));
        assert_eq!(names.collect::<Vec<_>>(), PLACES);
    }
}
