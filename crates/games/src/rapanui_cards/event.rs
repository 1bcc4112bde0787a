//! The events, and the part of each event that a viewer is told.

use std::fmt;

use ahu_core::parts::lines::{counted, joined};
use ahu_core::{BySeat, Seat, Viewer};

use super::cards::{Food, Foods, Kind};
use super::chance_outcome::Cards;
use super::column::Column;
use super::options::Colour;

/// One event. `F` is its information about a card laid face down: the food, or nothing for a viewer who may not see
/// it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Event<F = Food> {
    /// Setup: the starting player.
    StartPlayer {
        /// The player.
        seat: Seat,
    },
    /// Setup: the colours of the start cards.
    StartCards {
        /// The colour of each seat.
        colours: BySeat<Colour>,
    },
    /// Cards revealed in a column: the column was laid out or replenished, or nobody had seen its front card before.
    Uncovered {
        /// The column.
        column: Column,
        /// The cards, the front one first.
        cards: Cards,
    },
    /// The beginning of a turn.
    TurnBegan {
        /// The player.
        seat: Seat,
        /// The number of this turn in the game, from 1.
        turn: u8,
    },
    /// Step 1: the purchase of a sacrifice card.
    Bought {
        /// The player.
        seat: Seat,
        /// The food.
        food: Food,
        /// The price in wood.
        wood: u16,
    },
    /// Step 1: the choice to buy no sacrifice card.
    BoughtNothing {
        /// The player.
        seat: Seat,
    },
    /// Step 2: cards played.
    Played {
        /// The player.
        seat: Seat,
        /// The kind of card.
        kind: Kind,
        /// The number of cards.
        count: u8,
        /// The price in wood.
        wood: u16,
    },
    /// Step 2: a Moai put out of the game.
    Boxed {
        /// The player.
        seat: Seat,
    },
    /// Sacrifice round: a card laid on the stone, face up.
    Sacrificed {
        /// The player.
        seat: Seat,
        /// The food.
        food: Food,
    },
    /// Sacrifice round: a card that the builder of the Moai laid on the stone, face down.
    Hid {
        /// The player.
        seat: Seat,
        /// The food.
        food: F,
    },
    /// Sacrifice round: a card from the supply that the builder of the Moai laid on the stone, face up.
    Supplied {
        /// The player.
        seat: Seat,
        /// The food.
        food: Food,
    },
    /// Sacrifice round: the builder's choice to lay no card from the supply.
    SuppliedNothing {
        /// The player.
        seat: Seat,
    },
    /// Step 3: the front card of a column, taken by a player.
    Drew {
        /// The player.
        seat: Seat,
        /// The column.
        column: Column,
        /// The kind of card.
        kind: Kind,
    },
    /// The scoring of the last uncovered card.
    Scored {
        /// The kind of card.
        kind: Kind,
    },
    /// A player's yield of the scoring.
    Gained {
        /// The player.
        seat: Seat,
        /// The gain.
        gain: Gain,
        /// True if one of the gain is the bonus of the sole majority.
        bonus: bool,
    },
    /// Depleted stack: a card of another food, taken as a substitute.
    Picked {
        /// The player.
        seat: Seat,
        /// The food.
        food: Food,
    },
    /// Depleted stack: the choice to take no substitute.
    PickedNothing {
        /// The player.
        seat: Seat,
    },
    /// The end of the game. It reveals the stone.
    Ended {
        /// The cards that each player had laid face down.
        hidden_cards: BySeat<Foods>,
        /// The sacrifice cards that each player has.
        sacrifice_cards: BySeat<Foods>,
        /// All cards on the stone.
        stone: Foods,
        /// The worth of a sacrifice card of each food, in glory points.
        worth: Foods,
        /// The final glory points.
        points: BySeat<u16>,
    },
}

/// The gain of a player from a scoring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gain {
    /// Wood.
    Wood(u16),
    /// Glory points.
    Glory(u16),
    /// Sacrifice cards of a food.
    Cards(Food, u8),
}

impl ahu_core::Event for Event {
    type Visible = Event<Option<Food>>;

    fn visible_to(&self, viewer: Viewer) -> Option<Event<Option<Food>>> {
        Some(match *self {
            Self::StartPlayer { seat } => Event::StartPlayer { seat },
            Self::StartCards { colours } => Event::StartCards { colours },
            Self::Uncovered { column, cards } => Event::Uncovered { column, cards },
            Self::TurnBegan { seat, turn } => Event::TurnBegan { seat, turn },
            Self::Bought { seat, food, wood } => Event::Bought { seat, food, wood },
            Self::BoughtNothing { seat } => Event::BoughtNothing { seat },
            Self::Played { seat, kind, count, wood } => Event::Played { seat, kind, count, wood },
            Self::Boxed { seat } => Event::Boxed { seat },
            Self::Sacrificed { seat, food } => Event::Sacrificed { seat, food },
            // The other players do not know the card that the builder sacrificed.
            Self::Hid { seat, food } => Event::Hid { seat, food: viewer.is(seat).then_some(food) },
            Self::Supplied { seat, food } => Event::Supplied { seat, food },
            Self::SuppliedNothing { seat } => Event::SuppliedNothing { seat },
            Self::Drew { seat, column, kind } => Event::Drew { seat, column, kind },
            Self::Scored { kind } => Event::Scored { kind },
            Self::Gained { seat, gain, bonus } => Event::Gained { seat, gain, bonus },
            Self::Picked { seat, food } => Event::Picked { seat, food },
            Self::PickedNothing { seat } => Event::PickedNothing { seat },
            Self::Ended { hidden_cards, sacrifice_cards, stone, worth, points } => {
                Event::Ended { hidden_cards, sacrifice_cards, stone, worth, points }
            }
        })
    }

    fn begins_turn(&self) -> bool {
        matches!(self, Self::TurnBegan { .. })
    }
}

impl fmt::Display for Gain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Wood(wood) => write!(f, "{wood} wood"),
            Self::Glory(glory) => f.write_str(&counted(*glory, "glory point")),
            Self::Cards(food, 1) => write!(f, "a sacrifice card: {food}"),
            Self::Cards(food, count) => write!(f, "{count} sacrifice cards: {food}"),
        }
    }
}

impl fmt::Display for Event<Option<Food>> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::StartPlayer { seat } => write!(f, "seat {seat} begins"),
            Self::StartCards { colours } => {
                let colours = colours.iter().map(|(seat, colour)| format!("seat {seat} has {colour}"));
                write!(f, "start cards: {}", joined(colours, ", "))
            }
            Self::Uncovered { column, cards } => write!(f, "column {column} shows {cards}"),
            Self::TurnBegan { seat, turn } => write!(f, "--- turn {turn}: seat {seat} ---"),
            Self::Bought { seat, food, wood } => write!(f, "seat {seat} buys a sacrifice card for {wood} wood: {food}"),
            Self::BoughtNothing { seat } => write!(f, "seat {seat} buys nothing"),
            Self::Played { seat, kind: Kind::Moai, wood, .. } => write!(f, "seat {seat} builds a Moai for {wood} wood"),
            Self::Played { seat, kind, count: 1, .. } => write!(f, "seat {seat} plays {}", a(*kind)),
            Self::Played { seat, kind, count, wood } => {
                write!(f, "seat {seat} plays {count} Hunters & Gatherers ({kind}) for {wood} wood")
            }
            Self::Boxed { seat } => write!(f, "seat {seat} puts a Moai out of the game"),
            Self::Sacrificed { seat, food } => write!(f, "seat {seat} sacrifices {food}"),
            Self::Hid { seat, food: Some(food) } => write!(f, "seat {seat} sacrifices {food}, face down"),
            Self::Hid { seat, food: None } => write!(f, "seat {seat} sacrifices a card, face down"),
            Self::Supplied { seat, food } => write!(f, "seat {seat} adds {food} from the supply"),
            Self::SuppliedNothing { seat } => write!(f, "seat {seat} adds nothing from the supply"),
            Self::Drew { seat, column, kind } => write!(f, "seat {seat} takes {} from column {column}", a(*kind)),
            Self::Scored { kind: Kind::Lumberjack } => f.write_str("lumberjacks are scored"),
            Self::Scored { kind: Kind::Priest } => f.write_str("priests are scored"),
            Self::Scored { kind: Kind::Moai } => f.write_str("Moai are scored"),
            Self::Scored { kind } => write!(f, "Hunters & Gatherers are scored: {kind}"),
            Self::Gained { seat, gain, bonus } => {
                write!(f, "seat {seat} gains {gain}{}", if *bonus { ", with the bonus" } else { "" })
            }
            Self::Picked { seat, food } => write!(f, "seat {seat} takes another sacrifice card: {food}"),
            Self::PickedNothing { seat } => write!(f, "seat {seat} takes no other sacrifice card"),
            Self::Ended { hidden_cards, sacrifice_cards, stone, worth, points } => {
                let by_seat = |cards: &BySeat<Foods>| {
                    joined(cards.iter().map(|(seat, cards)| format!("seat {seat} {cards}")), " / ")
                };
                let worth = joined(worth.iter().map(|(food, worth)| format!("{food} {worth}")), ", ");
                let points = joined(points.iter().map(|(seat, points)| format!("seat {seat} has {points}")), ", ");
                let (hidden, cards) = (by_seat(hidden_cards), by_seat(sacrifice_cards));
                write!(
                    f,
                    "the game is over; face down were: {hidden}; on the stone: {stone}; sacrifice cards: {cards}; "
                )?;
                write!(f, "a card is worth: {worth}; {points}")
            }
        }
    }
}

/// Returns the name of a card with its article: `a priest`, `a Hunter & Gatherer (fish)`.
fn a(kind: Kind) -> String {
    match kind {
        Kind::Fish | Kind::Mulberry | Kind::SweetPotato | Kind::Grain => format!("a Hunter & Gatherer ({kind})"),
        Kind::Lumberjack | Kind::Priest => format!("a {kind}"),
        Kind::Moai => "a Moai".to_owned(),
    }
}
