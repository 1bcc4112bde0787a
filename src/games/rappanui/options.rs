//! The options: what a table may agree on where the rulebook is silent or offers a choice.

use crate::core::{GameOptions, OptionKind, OptionSpec, Seats};

/// What is agreed before play. The defaults are the rulebook with the rulings of the front page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// How many play.
    pub seats: Seats,
    /// The rulebook's optional rule: several cards of a suit count together in a meld.
    pub combine_rule: bool,
    /// When the discard pile becomes the deck.
    pub reshuffle: Reshuffle,
    /// Whether the round is played to its end after the last card.
    pub equal_turns: bool,
    /// Whether an event needs a target on which it has an effect.
    pub require_effect: bool,
    /// Who wins among equal points.
    pub tie: Tie,
}

/// When the discard pile becomes the deck (ruling B3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reshuffle {
    /// When a card has to be drawn from an empty deck.
    Lazy,
    /// As soon as the last card is drawn.
    Eager,
}

/// Who wins among equal points (ruling B17).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tie {
    /// They share the place.
    Share,
    /// Who has fewer cards in hand; among those who still tie, they share.
    FewestCards,
}

impl GameOptions for Options {
    const SEATS_MIN: usize = 2;
    const SEATS_MAX: usize = 6;
    const SPECS: &'static [OptionSpec<Self>] = &[
        OptionSpec {
            key: "combine_rule",
            kind: OptionKind::Flag,
            meaning: "Several cards of a suit may be combined in a meld to get a higher number (the rulebook's optional rule).",
            get: |options| options.combine_rule.into(),
            set: |options, value| options.combine_rule = value == 1,
        },
        OptionSpec {
            key: "reshuffle",
            kind: OptionKind::Choice(&["lazy", "eager"]),
            meaning: "When the discard pile becomes the deck: lazy, when a card has to be drawn from an empty deck, so \
                      that what is discarded in the same turn is in it; eager, as soon as the last card is drawn.",
            get: |options| options.reshuffle as u16,
            set: |options, value| options.reshuffle = [Reshuffle::Lazy, Reshuffle::Eager][usize::from(value)],
        },
        OptionSpec {
            key: "equal_turns",
            kind: OptionKind::Flag,
            meaning: "After the last card the round is played to its end, without drawing, so that all have equally many turns.",
            get: |options| options.equal_turns.into(),
            set: |options, value| options.equal_turns = value == 1,
        },
        OptionSpec {
            key: "require_effect",
            kind: OptionKind::Flag,
            meaning: "Raid and Disaster need a target with a card in hand, Huri Moai one with a Moai point.",
            get: |options| options.require_effect.into(),
            set: |options, value| options.require_effect = value == 1,
        },
        OptionSpec {
            key: "tie",
            kind: OptionKind::Choice(&["share", "fewest_cards"]),
            meaning: "Among equal points: share, all of them have the place; fewest_cards, who has fewer cards in hand is ahead.",
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
