//! What happened at the table, and what of it each viewer is told.

use std::fmt;

use super::cards::{CardSet, Kind};
use super::decline::hand_limit;
use super::piles::PASSES;
use crate::core::{self, BySeat, Seat, Viewer};

/// Something that happened. `C` is what it tells of cards: all of it, or what a viewer sees.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Event<C = CardSet> {
    /// Setup: who goes first, and the hands.
    Dealt {
        /// Who goes first.
        first: Seat,
        /// The hands.
        hands: BySeat<C>,
    },
    /// A turn begins.
    TurnBegan {
        /// Whose.
        seat: Seat,
        /// Which of that seat's turns it is, from 1.
        number: u16,
    },
    /// Rapa Nui Phase: a player drew.
    Drew {
        /// Who.
        seat: Seat,
        /// What.
        cards: C,
    },
    /// The last card of the deck was drawn, or there was nothing to draw.
    PassEnded {
        /// How many times the deck has now run out.
        passes: u8,
    },
    /// The discard pile became the deck.
    Reshuffled {
        /// How many cards it has.
        cards: u8,
    },
    /// Conflict Phase: a player played no event.
    NoEvent {
        /// Who.
        seat: Seat,
    },
    /// Conflict Phase: a player played an event.
    EventPlayed {
        /// Who.
        seat: Seat,
        /// Which.
        event: Kind,
        /// Against whom.
        target: Seat,
    },
    /// A Raid took a card.
    Stolen {
        /// Who has it now.
        thief: Seat,
        /// Who had it.
        victim: Seat,
        /// The card.
        card: C,
    },
    /// A Disaster made a player discard.
    Lost {
        /// Who.
        seat: Seat,
        /// What.
        cards: C,
    },
    /// A Huri Moai took Moai points.
    Toppled {
        /// Who lost them.
        seat: Seat,
        /// How many.
        points: u16,
    },
    /// A Raid or a Disaster met an empty hand.
    NothingToTake {
        /// Whose.
        seat: Seat,
    },
    /// Moai Phase: a player played no meld.
    NoMeld {
        /// Who.
        seat: Seat,
    },
    /// Moai Phase: a player laid a card of a meld.
    Laid {
        /// Who.
        seat: Seat,
        /// Which.
        kind: Kind,
    },
    /// A meld brought Moai points, and the Deforestation Phase took its cards.
    Melded {
        /// Who.
        seat: Seat,
        /// How many points.
        points: u16,
        /// What went to the erosion pile.
        eroded: C,
        /// What went to the discard pile.
        discarded: C,
    },
    /// Decline Phase: a player discarded.
    Discarded {
        /// Who.
        seat: Seat,
        /// Which.
        kind: Kind,
    },
    /// The game is over.
    Ended {
        /// The final points.
        points: BySeat<u16>,
    },
}

/// Cards as a viewer is told of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Told {
    /// Which they are, unmarked.
    Cards(CardSet),
    /// Only how many.
    Count(u8),
}

impl Told {
    fn open(cards: CardSet) -> Self {
        Self::Cards(cards.unmarked())
    }

    fn to(cards: CardSet, may_see: bool) -> Self {
        if may_see { Self::open(cards) } else { Self::Count(cards.len() as u8) }
    }
}

impl fmt::Display for Told {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cards(cards) if cards.is_empty() => f.write_str("nothing"),
            Self::Cards(cards) => write!(f, "{cards}"),
            Self::Count(0) => f.write_str("nothing"),
            Self::Count(1) => f.write_str("a card"),
            Self::Count(count) => write!(f, "{count} cards"),
        }
    }
}

impl core::Event for Event {
    type Seen = Event<Told>;

    fn seen_by(&self, viewer: Viewer) -> Option<Event<Told>> {
        Some(match *self {
            Self::Dealt { first, hands } => Event::Dealt {
                first,
                hands: BySeat::from_fn(hands.seats(), |seat| Told::to(hands[seat], viewer.is(seat))),
            },
            Self::TurnBegan { seat, number } => Event::TurnBegan { seat, number },
            Self::Drew { seat, cards } => Event::Drew { seat, cards: Told::to(cards, viewer.is(seat)) },
            Self::PassEnded { passes } => Event::PassEnded { passes },
            Self::Reshuffled { cards } => Event::Reshuffled { cards },
            Self::NoEvent { seat } => Event::NoEvent { seat },
            Self::EventPlayed { seat, event, target } => Event::EventPlayed { seat, event, target },
            // B9: thief and victim know the card, nobody else does.
            Self::Stolen { thief, victim, card } => {
                Event::Stolen { thief, victim, card: Told::to(card, viewer.is(thief) || viewer.is(victim)) }
            }
            Self::Lost { seat, cards } => Event::Lost { seat, cards: Told::open(cards) },
            Self::Toppled { seat, points } => Event::Toppled { seat, points },
            Self::NothingToTake { seat } => Event::NothingToTake { seat },
            Self::NoMeld { seat } => Event::NoMeld { seat },
            Self::Laid { seat, kind } => Event::Laid { seat, kind },
            Self::Melded { seat, points, eroded, discarded } => {
                Event::Melded { seat, points, eroded: Told::open(eroded), discarded: Told::open(discarded) }
            }
            Self::Discarded { seat, kind } => Event::Discarded { seat, kind },
            Self::Ended { points } => Event::Ended { points },
        })
    }
}

/// `Yams (Food 7)`, `Famine`.
fn named(kind: Kind) -> String {
    match kind.as_resource() {
        Some((suit, value)) => format!("{} ({suit} {value})", kind.name()),
        None => kind.name().to_owned(),
    }
}

fn moai_points(points: u16) -> String {
    format!("{points} Moai point{}", if points == 1 { "" } else { "s" })
}

impl fmt::Display for Event<Told> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Dealt { first, hands } => {
                write!(f, "the cards are dealt, seat {first} goes first")?;
                for (seat, hand) in hands.iter() {
                    if let Told::Cards(cards) = hand {
                        write!(f, "; seat {seat} has {cards}")?;
                    }
                }
                Ok(())
            }
            Self::TurnBegan { seat, number } => write!(f, "--- turn {number} of seat {seat} ---"),
            Self::Drew { seat, cards } => write!(f, "seat {seat} draws {cards}"),
            Self::PassEnded { passes: PASSES } => f.write_str("the deck is used up for the last time"),
            Self::PassEnded { passes } => {
                write!(f, "the deck is used up, {passes} of {PASSES}: the hand limit is now {}", hand_limit(*passes))
            }
            Self::Reshuffled { cards } => write!(f, "the discard pile becomes the deck, {cards} cards"),
            Self::NoEvent { seat } => write!(f, "seat {seat} plays no event"),
            Self::EventPlayed { seat, event, target } => {
                write!(f, "seat {seat} plays {} against seat {target}", named(*event))
            }
            Self::Stolen { thief, victim, card } => write!(f, "seat {thief} steals {card} from seat {victim}"),
            Self::Lost { seat, cards } => write!(f, "seat {seat} loses {cards}"),
            Self::Toppled { seat, points } => write!(f, "seat {seat} loses {}", moai_points(*points)),
            Self::NothingToTake { seat } => write!(f, "seat {seat} has no card to lose"),
            Self::NoMeld { seat } => write!(f, "seat {seat} plays no meld"),
            Self::Laid { seat, kind } => write!(f, "seat {seat} lays {}", named(*kind)),
            Self::Melded { seat, points, eroded, discarded } => {
                write!(f, "seat {seat} gains {}; eroded: {eroded}; discarded: {discarded}", moai_points(*points))
            }
            Self::Discarded { seat, kind } => write!(f, "seat {seat} discards {}", named(*kind)),
            Self::Ended { points } => {
                f.write_str("the game is over: ")?;
                for (seat, points) in points.iter() {
                    write!(f, "{}seat {seat} has {points}", if seat.index() == 0 { "" } else { ", " })?;
                }
                Ok(())
            }
        }
    }
}
