//! The passes through the deck, and the hand limit that they bring.

/// The number of times that the players go through the deck.
pub const PASSES: u8 = 3;

/// Returns the most cards that a player may keep after `passes` passes (B6: also for the player who emptied the
/// deck).
pub const fn hand_limit(passes: u8) -> usize {
    match passes {
        0 => 10,
        1 => 8,
        _ => 6,
    }
}
