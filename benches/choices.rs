//! The measurements behind two choices of the core: `cargo bench --bench choices`.
//!
//! *Chance*: ChaCha8, a keystream that needs a set-up, or SipHash-2-4 in counter mode, which needs none. *Views*:
//! built as a value for each observation, or written straight from the borrowed game. The bench times each pair in
//! turn, in the same run; figures are medians over the rounds.

use std::hint::black_box;
use std::time::Instant;

use ahu_core::{
    Action as _, ActionSet, ChanceRng, Encode as _, Game, GameExt, GameOptions, MAX_ORDER, NoEvents, Seats, Seed,
    Stream, Tensor, Viewer,
};
use ahu_games::rappanui::{Action, Options, RappaNui, View};
use ahu_host::speed::median;
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use siphasher::sip::SipHasher24;

const ROUNDS: usize = 31;

#[expect(clippy::print_stdout, reason = "a bench prints")]
fn main() {
    println!("{:<44} {:>9} {:>9} {:>7}", "ns each, medians of rounds in turn", "taken", "other", "ratio");
    chance();
    views();
}

/// Times two ways to do the same thing, `count` times each and in turn, and prints the result as a line.
#[expect(clippy::print_stdout, reason = "a bench prints")]
fn compare(what: &str, count: usize, mut taken: impl FnMut(usize) -> u64, mut other: impl FnMut(usize) -> u64) {
    let time = |work: &mut dyn FnMut(usize) -> u64| {
        let start = Instant::now();
        for n in 0..count {
            black_box(work(n));
        }
        start.elapsed().as_nanos() as f64 / count as f64
    };
    let rounds: Vec<(f64, f64)> = (0..ROUNDS).map(|_| (time(&mut taken), time(&mut other))).collect();
    let of = |pick: fn(&(f64, f64)) -> f64| median(&rounds.iter().map(pick).collect::<Vec<_>>());
    println!(
        "{what:<44} {:>9.1} {:>9.1} {:>7.2}",
        of(|round| round.0),
        of(|round| round.1),
        of(|round| round.1 / round.0)
    );
}

/// The other generator: the n-th word of a stream is a hash of the stream and n.
struct Sip {
    seed: u64,
    stream: u64,
    next: u64,
    spare: Option<u32>,
}

impl Sip {
    fn new(seed: u64, stream: u64) -> Self {
        Self { seed, stream, next: 0, spare: None }
    }

    fn word(&mut self) -> u32 {
        use std::hash::Hasher;
        if let Some(word) = self.spare.take() {
            return word;
        }
        let mut hasher = SipHasher24::new_with_keys(self.seed, 0);
        hasher.write_u64(self.stream);
        hasher.write_u64(self.next);
        self.next += 1;
        let word = hasher.finish();
        self.spare = Some((word >> 32) as u32);
        word as u32
    }

    fn below(&mut self, n: u32) -> u32 {
        ((u64::from(self.word()) * u64::from(n)) >> 32) as u32
    }

    /// Returns the first things of an order, until `enough` returns true.
    fn order(&mut self, n: usize, mut enough: impl FnMut(u8) -> bool) -> [u8; MAX_ORDER] {
        let mut things: [u8; MAX_ORDER] = std::array::from_fn(|thing| thing as u8);
        for place in 0..n {
            things.swap(place, place + self.below((n - place) as u32) as usize);
            if enough(things[place]) {
                break;
            }
        }
        things
    }
}

fn chance() {
    // As in play, each chance event has a stream of its own.
    let stream = |n: usize| Stream::new(0, n as u32);
    let mut chance = ChanceRng::new(Seed(7));
    compare(
        "chance, ChaCha8 or SipHash: a die",
        20_000,
        |n| chance.number(stream(n), 0, 6).into(),
        |n| Sip::new(7, n as u64).below(6).into(),
    );
    compare(
        "chance: an order of 120 cards",
        2_000,
        |n| chance.order(stream(n), 120)[60].into(),
        |n| Sip::new(7, n as u64).order(120, |_| false)[60].into(),
    );
    let hand = (0..7).fold(0_u128, |hand, card| hand | 1 << (card * 17 + 3));
    let chance = ChanceRng::new(Seed(7));
    compare(
        "chance: a card from a hand of 7",
        10_000,
        |n| chance.draw_once(stream(n), 120, hand, 1) as u64,
        |n| Sip::new(7, n as u64).order(120, |card| hand >> card & 1 == 1)[0].into(),
    );
}

fn views() {
    for count in [2, 4, 6] {
        let games = positions(count);
        let (mut bits, mut numbers) = ([0; View::BITS.div_ceil(64)], [0; View::NUMBERS]);
        let (mut other_bits, mut other_numbers) = (bits, numbers);
        for game in &games {
            owned(game, &mut bits, &mut numbers);
            borrowed::write(game, &mut other_bits, &mut other_numbers);
            assert_eq!((bits, numbers), (other_bits, other_numbers), "both write the same");
        }
        compare(
            &format!("view, owned or borrowed: observe, {count} seats"),
            10_000,
            |n| {
                owned(&games[n % games.len()], &mut bits, &mut numbers);
                bits[0]
            },
            |n| {
                borrowed::write(&games[n % games.len()], &mut other_bits, &mut other_numbers);
                other_bits[0]
            },
        );
    }
}

fn owned(game: &RappaNui, bits: &mut [u64], numbers: &mut [i16]) {
    Tensor::fill(bits, numbers, &game.view(Viewer::Seat(game.table.player)));
}

/// Returns positions of random games, each at a decision.
fn positions(count: usize) -> Vec<RappaNui> {
    let options = Options::new(Seats::new(count).expect("a table"));
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let mut legal = ActionSet::of::<Action>();
    let mut positions = Vec::new();
    for seed in 0..10 {
        let mut chance = ChanceRng::new(Seed(seed));
        let mut game = RappaNui::new(&options);
        loop {
            game.settle_all(&mut chance, &mut NoEvents);
            let Some(seat) = game.turn().to_act().first() else { break };
            positions.push(game.clone());
            game.legal_actions(seat, &mut legal);
            let id = legal.nth(rng.random_range(0..legal.len())).expect("n is below the count");
            game.apply(seat, Action::from_id(id).expect("an action"), &mut NoEvents);
        }
    }
    positions
}

/// The observation of the acting seat, written straight from the game: the work of a borrowed view.
mod borrowed {
    use ahu_core::BySeat;
    use ahu_games::rappanui::cards::CardSet;
    use ahu_games::rappanui::{Phase, RappaNui, Table, hand_limit};

    struct Row<'a> {
        bits: &'a mut [u64],
        begun: u64,
        begun_bits: usize,
        next: usize,
    }

    impl Row<'_> {
        fn put(&mut self, width: usize, word: u64) {
            let room = 64 - self.begun_bits;
            self.begun |= word << self.begun_bits;
            if width < room {
                self.begun_bits += width;
            } else {
                self.bits[self.next] = self.begun;
                self.next += 1;
                self.begun = word.checked_shr(room as u32).unwrap_or(0);
                self.begun_bits = width - room;
            }
        }

        fn cards(&mut self, cards: CardSet) {
            self.put(60, cards.bits() as u64 & ((1 << 60) - 1));
            self.put(60, (cards.bits() >> 60) as u64);
        }

        fn resources(&mut self, cards: CardSet) {
            self.put(48, cards.at_least_one().bits());
            self.put(48, cards.both().bits());
        }
    }

    pub(super) fn write(game: &RappaNui, bits: &mut [u64], numbers: &mut [i16]) {
        let Table { options, phase, first, player: own, round, passes, points, discard, eroded, shuffled } = game.table;
        let seats = options.seats;
        let mut row = Row { bits, begun: 0, begun_bits: 0, next: 0 };
        let left = |seat| 1 << seats.steps_left(own, seat);
        // All positions here are played with the default options.
        row.put(5, 0);
        row.put(6, (1 << seats.count()) - 1);
        row.put(6, 1);
        row.put(6, left(first));
        let decision = match phase {
            Phase::Conflict => 1,
            Phase::Meld { .. } => 2,
            Phase::Decline { .. } => 4,
            phase => panic!("no seat has to decide in {phase:?}"),
        };
        row.put(3, decision);
        row.put(3, (1 << passes) - 1);
        row.cards(game.hands[own].unmarked());
        row.cards(discard.unmarked());
        row.cards(shuffled);
        row.resources(phase.laid());
        row.resources(eroded);
        let mut exposed = 0;
        for k in 1..6 {
            let seat = seats.left_of(own, k);
            let at_table = k < seats.count();
            row.put(62, if at_table { (game.hands[seat] & game.known[own]).kinds().bits() } else { 0 });
            exposed |= if at_table { (game.hands[own] & game.known[seat]).kinds().bits() } else { 0 };
        }
        row.put(62, exposed);
        row.bits[row.next] = row.begun;

        let points: [i16; 6] = points.from_left(own, |points| points as i16);
        let sizes: [i16; 6] = BySeat::from_fn(seats, |seat| game.hands[seat].len() as i16).from_left(own, |size| size);
        numbers[..6].copy_from_slice(&points);
        numbers[6..12].copy_from_slice(&sizes);
        let limit = hand_limit(passes) as i16;
        numbers[12..].copy_from_slice(&[game.deck.len() as i16, limit, phase.excess().into(), round as i16]);
    }
}
