//! What happened at the table, and what of it each viewer is told.

use std::fmt;

use super::action::Column;
use super::cards::{Food, Foods, Kind};
use super::options::Colour;
use super::outcome::Cards;
use crate::core::{self, BySeat, Seat, Viewer};

/// Something that happened. `F` is what it tells of a card that was laid face down: which food it is, or, to a viewer
/// who may not see it, nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Event<F = Food> {
    /// Setup: who begins.
    StartPlayer {
        /// Who.
        seat: Seat,
    },
    /// Setup: whose start cards are of which colour.
    StartCards {
        /// The colours.
        colours: BySeat<Colour>,
    },
    /// Cards came to light in a column: it was laid out or replenished, or its front card was not seen before.
    Uncovered {
        /// Which.
        column: Column,
        /// The cards, the front one first.
        cards: Cards,
    },
    /// A turn begins.
    TurnBegan {
        /// Whose.
        seat: Seat,
        /// The how many-th turn of the game, from 1.
        number: u8,
    },
    /// Step 1: a player bought a sacrifice card.
    Bought {
        /// Who.
        seat: Seat,
        /// Which.
        food: Food,
        /// For how much wood.
        wood: u16,
    },
    /// Step 1: a player bought none.
    BoughtNothing {
        /// Who.
        seat: Seat,
    },
    /// Step 2: a player played cards.
    Played {
        /// Who.
        seat: Seat,
        /// Which.
        kind: Kind,
        /// How many.
        count: u8,
        /// For how much wood.
        wood: u16,
    },
    /// Step 2: a player put a Moai out of the game.
    Boxed {
        /// Who.
        seat: Seat,
    },
    /// Sacrifice round: a player laid a card on the stone, face up.
    Sacrificed {
        /// Who.
        seat: Seat,
        /// Which.
        food: Food,
    },
    /// Sacrifice round: the builder of the Moai laid a card on the stone, face down.
    Hid {
        /// Who.
        seat: Seat,
        /// Which.
        food: F,
    },
    /// Sacrifice round: the builder of the Moai laid a card from the supply on the stone, face up.
    Supplied {
        /// Who.
        seat: Seat,
        /// Which.
        food: Food,
    },
    /// Sacrifice round: the builder of the Moai laid none from the supply.
    SuppliedNothing {
        /// Who.
        seat: Seat,
    },
    /// Step 3: a player took the front card of a column.
    Drew {
        /// Who.
        seat: Seat,
        /// From where.
        column: Column,
        /// Which.
        kind: Kind,
    },
    /// The card that was uncovered last is scored.
    Scored {
        /// Which.
        kind: Kind,
    },
    /// A player's yield of the scoring.
    Gained {
        /// Whose.
        seat: Seat,
        /// What it is.
        gain: Gain,
        /// Whether one of it is the bonus of the sole majority.
        bonus: bool,
    },
    /// The stack is depleted: a player took a card of another food.
    Picked {
        /// Who.
        seat: Seat,
        /// Which.
        food: Food,
    },
    /// The stack is depleted: a player took no card of another food.
    PickedNothing {
        /// Who.
        seat: Seat,
    },
    /// The game is over, and the stone is turned over.
    Ended {
        /// The cards that each player had laid face down.
        hidden: BySeat<Foods>,
        /// The sacrifice cards that each player has.
        cards: BySeat<Foods>,
        /// All cards on the stone.
        stone: Foods,
        /// What a sacrifice card of each food is worth, in glory points.
        worth: Foods,
        /// The final glory points.
        points: BySeat<u16>,
    },
}

/// What a scoring brings a player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gain {
    /// So much wood.
    Wood(u16),
    /// So many glory points.
    Glory(u16),
    /// So many sacrifice cards.
    Cards(Food, u8),
}

impl core::Event for Event {
    type Seen = Event<Option<Food>>;

    fn seen_by(&self, viewer: Viewer) -> Option<Event<Option<Food>>> {
        Some(match *self {
            Self::StartPlayer { seat } => Event::StartPlayer { seat },
            Self::StartCards { colours } => Event::StartCards { colours },
            Self::Uncovered { column, cards } => Event::Uncovered { column, cards },
            Self::TurnBegan { seat, number } => Event::TurnBegan { seat, number },
            Self::Bought { seat, food, wood } => Event::Bought { seat, food, wood },
            Self::BoughtNothing { seat } => Event::BoughtNothing { seat },
            Self::Played { seat, kind, count, wood } => Event::Played { seat, kind, count, wood },
            Self::Boxed { seat } => Event::Boxed { seat },
            Self::Sacrificed { seat, food } => Event::Sacrificed { seat, food },
            // The others do not know what the builder sacrificed.
            Self::Hid { seat, food } => Event::Hid { seat, food: viewer.is(seat).then_some(food) },
            Self::Supplied { seat, food } => Event::Supplied { seat, food },
            Self::SuppliedNothing { seat } => Event::SuppliedNothing { seat },
            Self::Drew { seat, column, kind } => Event::Drew { seat, column, kind },
            Self::Scored { kind } => Event::Scored { kind },
            Self::Gained { seat, gain, bonus } => Event::Gained { seat, gain, bonus },
            Self::Picked { seat, food } => Event::Picked { seat, food },
            Self::PickedNothing { seat } => Event::PickedNothing { seat },
            Self::Ended { hidden, cards, stone, worth, points } => Event::Ended { hidden, cards, stone, worth, points },
        })
    }
}

impl fmt::Display for Gain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Wood(wood) => write!(f, "{wood} wood"),
            Self::Glory(1) => f.write_str("1 glory point"),
            Self::Glory(glory) => write!(f, "{glory} glory points"),
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
                f.write_str("start cards: ")?;
                colours.iter().try_for_each(|(seat, colour)| write!(f, "{}seat {seat} has {colour}", comma(seat)))
            }
            Self::Uncovered { column, cards } => write!(f, "column {column} shows {cards}"),
            Self::TurnBegan { seat, number } => write!(f, "--- turn {number}: seat {seat} ---"),
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
            Self::Ended { hidden, cards, stone, worth, points } => {
                f.write_str("the game is over; face down were: ")?;
                hidden.iter().try_for_each(|(seat, cards)| write!(f, "{}seat {seat} {cards}", between(seat)))?;
                write!(f, "; on the stone: {stone}; sacrifice cards: ")?;
                cards.iter().try_for_each(|(seat, cards)| write!(f, "{}seat {seat} {cards}", between(seat)))?;
                f.write_str("; a card is worth: ")?;
                for (place, (food, worth)) in worth.iter().enumerate() {
                    write!(f, "{}{food} {worth}", if place == 0 { "" } else { ", " })?;
                }
                f.write_str("; ")?;
                points.iter().try_for_each(|(seat, points)| write!(f, "{}seat {seat} has {points}", comma(seat)))
            }
        }
    }
}

/// Between lists, which have commas in them.
fn between(seat: Seat) -> &'static str {
    if seat.index() == 0 { "" } else { " / " }
}

fn comma(seat: Seat) -> &'static str {
    if seat.index() == 0 { "" } else { ", " }
}

/// `a priest`, `a Hunter & Gatherer (fish)`.
fn a(kind: Kind) -> String {
    match kind {
        Kind::Fish | Kind::Mulberry | Kind::SweetPotato | Kind::Grain => format!("a Hunter & Gatherer ({kind})"),
        Kind::Lumberjack | Kind::Priest => format!("a {kind}"),
        Kind::Moai => "a Moai".to_owned(),
    }
}
