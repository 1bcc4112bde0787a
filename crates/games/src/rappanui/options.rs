//! The options: the choices of a table where the rulebook is silent or offers a choice.

use ahu_core::{named, options};

options! {
    /// The options that the players agree on. The defaults are the rulebook with the rulings of the front page.
    pub struct Options(seats: 2..=6) {
        /// The rulebook's optional Combine rule. True: a player may combine several cards of a suit in a meld to get a
        /// higher number.
        combine_rule: bool = false;
        /// The moment when the discard pile becomes the deck: lazy, when a player must draw from an empty deck, so that it
        /// has the cards discarded in the same turn; eager, as soon as a player draws the last card.
        reshuffle: Reshuffle = Reshuffle::Lazy;
        /// Equally many turns for all. True: after the last card, the players finish the round without drawing.
        equal_turns: bool = false;
        /// Events only against a target that they affect. True: Raid and Disaster need a target with a card in hand, Huri
        /// Moai one with a Moai point.
        require_effect: bool = false;
        /// The order among equal points: share, the players share the place; fewest_cards, the player with fewer cards in
        /// hand comes first.
        tie: Tie = Tie::Share;
    }
}

named! {
    /// The moment when the discard pile becomes the deck (ruling B3).
    pub enum Reshuffle("reshuffle") {
        /// The moment when a player must draw from an empty deck.
        Lazy = "lazy",
        /// The moment when a player draws the last card.
        Eager = "eager",
    }

    /// The order among equal points (ruling B17).
    pub enum Tie("tie") {
        /// Players with equal points share the place.
        Share = "share",
        /// The player with fewer cards in hand comes first; players who still tie share the place.
        FewestCards = "fewest_cards",
    }
}
