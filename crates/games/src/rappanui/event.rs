//! The events, and the part of each event that a viewer is told.

use std::fmt;

use ahu_core::parts::lines::joined;
use ahu_core::{BySeat, Seat, Viewer};

use super::cards::{CardSet, EventKind, Kind, ResourceKind};
use super::table::{PASSES, hand_limit};

/// One event. `C` is its information about cards: all of it, or the part that a viewer sees.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Event<C = CardSet> {
    /// Setup: the first player and the hands.
    Dealt {
        /// The first player.
        first: Seat,
        /// The hands.
        hands: BySeat<C>,
    },
    /// The beginning of a turn.
    TurnBegan {
        /// The player.
        seat: Seat,
        /// The number of this turn among the player's turns, from 1.
        turn: u16,
    },
    /// Rapa Nui Phase: a draw.
    Drew {
        /// The player.
        seat: Seat,
        /// The cards.
        cards: C,
    },
    /// The end of a pass: a player drew the last card of the deck, or found no card to draw.
    PassEnded {
        /// The number of times that the deck has now run out.
        passes: u8,
    },
    /// A reshuffle: the discard pile becomes the deck.
    Reshuffled {
        /// The number of cards in the new deck.
        cards: u8,
    },
    /// Conflict Phase: the choice to play no event.
    NoEvent {
        /// The player.
        seat: Seat,
    },
    /// Conflict Phase: an event played against an opponent.
    EventPlayed {
        /// The player.
        seat: Seat,
        /// The event card.
        event: EventKind,
        /// The opponent.
        target: Seat,
    },
    /// The theft of a card by a Raid.
    Stolen {
        /// The player who now has the card.
        thief: Seat,
        /// The player who had the card.
        victim: Seat,
        /// The card.
        card: C,
    },
    /// The loss of cards to a Disaster.
    Lost {
        /// The player.
        seat: Seat,
        /// The cards.
        cards: C,
    },
    /// The loss of Moai points to a Huri Moai.
    Toppled {
        /// The player who lost the points.
        seat: Seat,
        /// The number of points.
        points: u16,
    },
    /// A Raid or a Disaster against an empty hand.
    NothingToTake {
        /// The player.
        seat: Seat,
    },
    /// Moai Phase: the choice to play no meld.
    NoMeld {
        /// The player.
        seat: Seat,
    },
    /// Moai Phase: a card laid for a meld.
    Laid {
        /// The player.
        seat: Seat,
        /// The card.
        kind: ResourceKind,
    },
    /// A completed meld: its Moai points, and the piles of its cards after the Deforestation Phase.
    Melded {
        /// The player.
        seat: Seat,
        /// The Moai points.
        points: u16,
        /// The cards that went to the erosion pile.
        eroded: C,
        /// The cards that went to the discard pile.
        discarded: C,
    },
    /// Decline Phase: a discarded card.
    Discarded {
        /// The player.
        seat: Seat,
        /// The card.
        kind: Kind,
    },
    /// The end of the game.
    Ended {
        /// The final points.
        points: BySeat<u16>,
    },
}

/// The cards of an event as a viewer is told of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum VisibleCards {
    /// The cards, unmarked.
    Cards(CardSet),
    /// The number of cards alone.
    Count(u8),
}

impl VisibleCards {
    fn open(cards: CardSet) -> Self {
        Self::Cards(cards.unmarked())
    }

    fn to(cards: CardSet, may_see: bool) -> Self {
        if may_see { Self::open(cards) } else { Self::Count(cards.len() as u8) }
    }
}

impl fmt::Display for VisibleCards {
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

impl ahu_core::Event for Event {
    type Visible = Event<VisibleCards>;

    fn visible_to(&self, viewer: Viewer) -> Option<Event<VisibleCards>> {
        Some(match *self {
            Self::Dealt { first, hands } => Event::Dealt {
                first,
                hands: BySeat::from_fn(hands.seats(), |seat| VisibleCards::to(hands[seat], viewer.is(seat))),
            },
            Self::TurnBegan { seat, turn } => Event::TurnBegan { seat, turn },
            Self::Drew { seat, cards } => Event::Drew { seat, cards: VisibleCards::to(cards, viewer.is(seat)) },
            Self::PassEnded { passes } => Event::PassEnded { passes },
            Self::Reshuffled { cards } => Event::Reshuffled { cards },
            Self::NoEvent { seat } => Event::NoEvent { seat },
            Self::EventPlayed { seat, event, target } => Event::EventPlayed { seat, event, target },
            // B9: only thief and victim know the card.
            Self::Stolen { thief, victim, card } => {
                Event::Stolen { thief, victim, card: VisibleCards::to(card, viewer.is(thief) || viewer.is(victim)) }
            }
            Self::Lost { seat, cards } => Event::Lost { seat, cards: VisibleCards::open(cards) },
            Self::Toppled { seat, points } => Event::Toppled { seat, points },
            Self::NothingToTake { seat } => Event::NothingToTake { seat },
            Self::NoMeld { seat } => Event::NoMeld { seat },
            Self::Laid { seat, kind } => Event::Laid { seat, kind },
            Self::Melded { seat, points, eroded, discarded } => Event::Melded {
                seat,
                points,
                eroded: VisibleCards::open(eroded),
                discarded: VisibleCards::open(discarded),
            },
            Self::Discarded { seat, kind } => Event::Discarded { seat, kind },
            Self::Ended { points } => Event::Ended { points },
        })
    }

    fn begins_turn(&self) -> bool {
        matches!(self, Self::TurnBegan { .. })
    }
}

fn moai_points(points: u16) -> String {
    format!("{points} Moai point{}", if points == 1 { "" } else { "s" })
}

impl fmt::Display for Event<VisibleCards> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Dealt { first, hands } => {
                write!(f, "the cards are dealt, seat {first} goes first")?;
                for (seat, hand) in hands.iter() {
                    if let VisibleCards::Cards(cards) = hand {
                        write!(f, "; seat {seat} has {cards}")?;
                    }
                }
                Ok(())
            }
            Self::TurnBegan { seat, turn } => write!(f, "--- turn {turn}: seat {seat} ---"),
            Self::Drew { seat, cards } => write!(f, "seat {seat} draws {cards}"),
            Self::PassEnded { passes: PASSES } => f.write_str("the deck is used up for the last time"),
            Self::PassEnded { passes } => {
                write!(f, "the deck is used up, {passes} of {PASSES}: the hand limit is now {}", hand_limit(*passes))
            }
            Self::Reshuffled { cards } => write!(f, "the discard pile becomes the deck, {cards} cards"),
            Self::NoEvent { seat } => write!(f, "seat {seat} plays no event"),
            Self::EventPlayed { seat, event, target } => {
                write!(f, "seat {seat} plays {event} against seat {target}")
            }
            Self::Stolen { thief, victim, card } => write!(f, "seat {thief} steals {card} from seat {victim}"),
            Self::Lost { seat, cards } => write!(f, "seat {seat} loses {cards}"),
            Self::Toppled { seat, points } => write!(f, "seat {seat} loses {}", moai_points(*points)),
            Self::NothingToTake { seat } => write!(f, "seat {seat} has no card to lose"),
            Self::NoMeld { seat } => write!(f, "seat {seat} plays no meld"),
            Self::Laid { seat, kind } => write!(f, "seat {seat} lays {kind}"),
            Self::Melded { seat, points, eroded, discarded } => {
                write!(f, "seat {seat} gains {}; eroded: {eroded}; discarded: {discarded}", moai_points(*points))
            }
            Self::Discarded { seat, kind } => write!(f, "seat {seat} discards {kind}"),
            Self::Ended { points } => {
                let points = points.iter().map(|(seat, points)| format!("seat {seat} has {points}"));
                write!(f, "the game is over: {}", joined(points, ", "))
            }
        }
    }
}
