//! The events, and the part of each event that a viewer is told.

use std::fmt;

use ahu_core::parts::lines::{counted, joined};
use ahu_core::{BySeat, Seat, Viewer};

use super::cards::{CardSet, EventKind, Kind, ResourceKind};
use super::table::{PASSES, hand_limit};

/// One event. `C` is its information about cards: all of it, or the part that a viewer sees.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Event<C = CardSet> {
    /// Setup: the first player and the hands.
    Dealt {
        /// The first player.
        first_seat: Seat,
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
        deck_count: u8,
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
        card: EventKind,
        /// The opponent.
        target_seat: Seat,
    },
    /// The theft of a card by a Raid.
    Stolen {
        /// The player who now has the card.
        thief_seat: Seat,
        /// The player who had the card.
        victim_seat: Seat,
        /// The card.
        cards: C,
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
        card: ResourceKind,
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
        card: Kind,
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
            Self::Dealt { first_seat, hands } => Event::Dealt {
                first_seat,
                hands: BySeat::from_fn(hands.seats(), |seat| VisibleCards::to(hands[seat], viewer.is(seat))),
            },
            Self::TurnBegan { seat, turn } => Event::TurnBegan { seat, turn },
            Self::Drew { seat, cards } => Event::Drew { seat, cards: VisibleCards::to(cards, viewer.is(seat)) },
            Self::PassEnded { passes } => Event::PassEnded { passes },
            Self::Reshuffled { deck_count } => Event::Reshuffled { deck_count },
            Self::NoEvent { seat } => Event::NoEvent { seat },
            Self::EventPlayed { seat, card, target_seat } => Event::EventPlayed { seat, card, target_seat },
            // B9: only thief and victim know the card.
            Self::Stolen { thief_seat, victim_seat, cards } => {
                let may_see = viewer.is(thief_seat) || viewer.is(victim_seat);
                Event::Stolen { thief_seat, victim_seat, cards: VisibleCards::to(cards, may_see) }
            }
            Self::Lost { seat, cards } => Event::Lost { seat, cards: VisibleCards::open(cards) },
            Self::Toppled { seat, points } => Event::Toppled { seat, points },
            Self::NothingToTake { seat } => Event::NothingToTake { seat },
            Self::NoMeld { seat } => Event::NoMeld { seat },
            Self::Laid { seat, card } => Event::Laid { seat, card },
            Self::Melded { seat, points, eroded, discarded } => Event::Melded {
                seat,
                points,
                eroded: VisibleCards::open(eroded),
                discarded: VisibleCards::open(discarded),
            },
            Self::Discarded { seat, card } => Event::Discarded { seat, card },
            Self::Ended { points } => Event::Ended { points },
        })
    }

    fn begins_turn(&self) -> bool {
        matches!(self, Self::TurnBegan { .. })
    }
}

impl fmt::Display for Event<VisibleCards> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Dealt { first_seat, hands } => {
                write!(f, "the cards are dealt, seat {first_seat} goes first")?;
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
            Self::Reshuffled { deck_count } => write!(f, "the discard pile becomes the deck, {deck_count} cards"),
            Self::NoEvent { seat } => write!(f, "seat {seat} plays no event"),
            Self::EventPlayed { seat, card, target_seat } => {
                write!(f, "seat {seat} plays {card} against seat {target_seat}")
            }
            Self::Stolen { thief_seat, victim_seat, cards } => {
                write!(f, "seat {thief_seat} steals {cards} from seat {victim_seat}")
            }
            Self::Lost { seat, cards } => write!(f, "seat {seat} loses {cards}"),
            Self::Toppled { seat, points } => write!(f, "seat {seat} loses {}", counted(*points, "Moai point")),
            Self::NothingToTake { seat } => write!(f, "seat {seat} has no card to lose"),
            Self::NoMeld { seat } => write!(f, "seat {seat} plays no meld"),
            Self::Laid { seat, card } => write!(f, "seat {seat} lays {card}"),
            Self::Melded { seat, points, eroded, discarded } => {
                write!(
                    f,
                    "seat {seat} gains {}; eroded: {eroded}; discarded: {discarded}",
                    counted(*points, "Moai point")
                )
            }
            Self::Discarded { seat, card } => write!(f, "seat {seat} discards {card}"),
            Self::Ended { points } => {
                let points = points.iter().map(|(seat, points)| format!("seat {seat} has {points}"));
                write!(f, "the game is over: {}", joined(points, ", "))
            }
        }
    }
}
