//! The options: the choices of a table where the rulebook is silent or offers a choice.

use crate::core::{GameOptions, OptionKind, OptionSpec, Seats};

/// The options that the players agree on. The defaults are the rulebook with the rulings of the front page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// The seats of the table.
    pub seats: Seats,
    /// True if several cards of a suit count together in a meld (the rulebook's optional rule).
    pub combine_rule: bool,
    /// The moment when the discard pile becomes the deck.
    pub reshuffle: Reshuffle,
    /// True if the players finish the round after the last card.
    pub equal_turns: bool,
    /// True if an event needs a target on which it has an effect.
    pub require_effect: bool,
    /// The order among equal points.
    pub tie: Tie,
}

/// The moment when the discard pile becomes the deck (ruling B3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reshuffle {
    /// The moment when a player must draw from an empty deck.
    Lazy,
    /// The moment when a player draws the last card.
    Eager,
}

/// The order among equal points (ruling B17).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tie {
    /// Players with equal points share the place.
    Share,
    /// The player with fewer cards in hand comes first; players who still tie share the place.
    FewestCards,
}

impl GameOptions for Options {
    const MIN_SEATS: usize = 2;
    const MAX_SEATS: usize = 6;
    const SPECS: &'static [OptionSpec<Self>] = &[
        OptionSpec {
            key: "combine_rule",
            kind: OptionKind::Flag,
            meaning: "The rulebook's optional Combine rule: a player may combine several cards of a suit in a meld to get \
                      a higher number.",
            get: |options| options.combine_rule.into(),
            set: |options, value| options.combine_rule = value == 1,
        },
        OptionSpec {
            key: "reshuffle",
            kind: OptionKind::Choice(&["lazy", "eager"]),
            meaning: "The moment when the discard pile becomes the deck: lazy, when a player must draw from an empty deck, \
                      so that it has the cards discarded in the same turn; eager, as soon as a player draws the last card.",
            get: |options| options.reshuffle as u16,
            set: |options, value| options.reshuffle = [Reshuffle::Lazy, Reshuffle::Eager][usize::from(value)],
        },
        OptionSpec {
            key: "equal_turns",
            kind: OptionKind::Flag,
            meaning: "Equally many turns for all: after the last card the players finish the round without drawing.",
            get: |options| options.equal_turns.into(),
            set: |options, value| options.equal_turns = value == 1,
        },
        OptionSpec {
            key: "require_effect",
            kind: OptionKind::Flag,
            meaning: "Events only against a target that they affect: for Raid and Disaster one with a card in hand, for \
                      Huri Moai one with a Moai point.",
            get: |options| options.require_effect.into(),
            set: |options, value| options.require_effect = value == 1,
        },
        OptionSpec {
            key: "tie",
            kind: OptionKind::Choice(&["share", "fewest_cards"]),
            meaning: "The order among equal points: share, the players share the place; fewest_cards, the player with fewer \
                      cards in hand comes first.",
            get: |options| options.tie as u16,
            set: |options, value| options.tie = [Tie::Share, Tie::FewestCards][usize::from(value)],
        },
    ];

    fn new(seats: Seats) -> Self {
        Self {
            seats,
            combine_rule: false,
            reshuffle: Reshuffle::Lazy,
            equal_turns: false,
            require_effect: false,
            tie: Tie::Share,
        }
    }

    fn seats(&self) -> Seats {
        self.seats
    }
}
