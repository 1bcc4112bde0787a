//! The matches that the tests play: all games, 2 to 6 seats, with and without bots and clocks.

use std::ops::RangeInclusive;
use std::time::Duration;

use ahu_service::proto::v1::{BotSeat, Conduct, MatchSpec, TimeControl};
use rand::RngExt;
use rand::rngs::ChaCha8Rng;

/// A game with its seats and the options that make it short.
type ShortGame = (&'static str, RangeInclusive<u32>, &'static [(&'static str, &'static str)]);

const GAMES: [ShortGame; 4] = [
    ("rappanui", 2..=6, &[]),
    ("rapanui_cards", 2..=4, &[]),
    ("giants", 3..=5, &[("board", "tiny"), ("max_turns", "3")]),
    ("rapanui_board", 2..=4, &[]),
];

/// The time limits of the matches. They are so long that no agent may forfeit by them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Generosity {
    /// The time for one decision, and the bank.
    pub(crate) limit: Duration,
    /// The time for which an agent may be absent.
    pub(crate) absence: Duration,
}

/// Returns the request for a match. The games take turns, and everything else is random.
pub(crate) fn plan(number: u32, generosity: Generosity, rng: &mut ChaCha8Rng) -> MatchSpec {
    let (game, seats, options) = &GAMES[number as usize % GAMES.len()];
    let seat_count = rng.random_range(seats.clone());
    let bots = match rng.random_range(0..8) {
        // Bots alone.
        0 => (0..seat_count).collect(),
        1..4 => (0..seat_count).filter(|_| rng.random_bool(0.4)).collect(),
        _ => Vec::new(),
    };
    let bot = |seat| BotSeat { seat: Some(seat), bot: ["greedy", "random"][rng.random_range(0..2)].to_owned() };
    let bots: Vec<_> = bots.into_iter().map(bot).collect();
    let limit = time(generosity.limit);
    let increment = time(Duration::from_millis(500));
    let time_control = match rng.random_range(0..6) {
        0 => Some(TimeControl { bank: limit, increment, ..TimeControl::default() }),
        1 => Some(TimeControl { bank: limit, increment, lag: time(Duration::ZERO), ..TimeControl::default() }),
        2 => Some(TimeControl { limit, ..TimeControl::default() }),
        3 => Some(TimeControl { limit, bank: limit, increment, startup: limit, ..TimeControl::default() }),
        _ => None,
    };
    let is_to_be_present = rng.random_bool(0.2);
    let conduct = is_to_be_present.then(|| Conduct { absence_limit: time(generosity.absence), ..Conduct::default() });
    MatchSpec {
        game: (*game).to_owned(),
        seat_count,
        options: options.iter().map(|&(key, value)| (key.to_owned(), value.to_owned())).collect(),
        bots,
        seed: if rng.random_bool(0.5) { rng.random::<u64>().to_string() } else { String::new() },
        time_control,
        conduct,
        unlisted: rng.random_bool(0.2),
        ..MatchSpec::default()
    }
}

/// Returns a random request id.
pub(crate) fn request_id(rng: &mut ChaCha8Rng) -> String {
    format!("{:032x}", rng.random::<u128>())
}

/// Returns a time as a message.
pub(crate) fn time(time: Duration) -> Option<prost_types::Duration> {
    time.try_into().ok()
}
