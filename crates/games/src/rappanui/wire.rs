//! The typed messages of the game, package `ahu.rappanui.v1`.

use ahu_core::{Numbered as _, ParseError, RelativeSeat, Seat, Seats};
use ahu_messages::rappanui::v1::{self, CardType};

use super::RappaNui;
use super::action::Action;
use super::cards::{CardSet, Effect, EventKind, HIGHEST, Kind, ResourceKind, Suit};
use super::event::{Event, VisibleCards};
use super::options::Options;
use super::phase::Phase;
use super::table::{Table, hand_limit};
use super::view::View;
use crate::wire::message::{FromField, Opponent, ToField, action_messages, event_messages, left_number, number};
use crate::{DataFile, Pack as _, Wire};

/// The name of the data file of the deck.
const DECK_FILE: &str = "rappanui/v1";

impl Wire for RappaNui {
    type Observation = v1::Observation;
    type ActionMessage = v1::Action;
    type EventMessage = v1::Event;

    fn observation(view: &View) -> v1::Observation {
        // The options are part of the match, not of the observation.
        let Table { options, phase, first, player, round, passes, discard, eroded, shuffled, .. } = view.table;
        let is_dealt = phase != Phase::Deal;
        v1::Observation {
            viewer_seat: view.viewer.own_seat().map(number),
            phase: phase_message(phase).into(),
            first_seat: is_dealt.then_some(number(first)),
            player_seat: is_dealt.then_some(number(player)),
            turn: round.into(),
            passes: passes.into(),
            hand_limit: hand_limit(passes) as u32,
            excess: phase.excess().into(),
            players: options.seats.iter().map(|seat| player_message(view, seat)).collect(),
            hand: cards(view.hand),
            laid: cards(phase.laid()),
            discard_pile: cards(discard),
            erosion_pile: cards(eroded),
            deck_count: view.deck.into(),
            shuffled: cards(shuffled),
            surely_held: cards(view.surely_held()),
        }
    }

    action_messages! {
        v1, |seat, seats|;
        NoEvent, NoMeld, Meld(card), Done, Discard(card);
        write {
            Action::PlayEvent(event, left) => One::PlayEvent(to::PlayEvent {
                card: event.to_field(),
                left: left_number(left),
                target_seat: left.of(seat, seats).map(number),
            }),
        }
        read {
            One::PlayEvent(to::PlayEvent { card, left, target_seat }) => {
                Action::PlayEvent(FromField::from_field(card)?, TARGET.read(*left, *target_seat, seat, seats)?)
            },
        }
    }

    event_messages! {
        v1, Event<VisibleCards>;
        Dealt { first_seat, hands },
        TurnBegan { seat, turn },
        Drew { seat, cards },
        PassEnded { passes },
        Reshuffled { deck_count },
        EventPlayed { seat, card, target_seat },
        Stolen { thief_seat, victim_seat, cards },
        Lost { seat, cards },
        Toppled { seat, points },
        NothingToTake { seat },
        Laid { seat, card },
        Melded { seat, points, eroded, discarded },
        Discarded { seat, card },
        Ended { points };
        Event::NoEvent { seat } => One::NoEventPlayed(to::NoEventPlayed { seat: seat.to_field() }),
        Event::NoMeld { seat } => One::NoMeldPlayed(to::NoMeldPlayed { seat: seat.to_field() }),
    }

    fn data_files() -> Vec<DataFile> {
        let about = "The deck of 120 cards, with the names on the cards.";
        vec![DataFile { name: DECK_FILE, about, content: deck().packed() }]
    }

    fn data_files_of(_: &Options) -> Vec<&'static str> {
        vec![DECK_FILE]
    }
}

const TARGET: Opponent = Opponent { question: "against whom?", field: "target_seat", most: RelativeSeat::COUNT };

const NO_ACTION: &str = "expected one of no_event, play_event, no_meld, meld, done, discard, but none of them is set";

const fn phase_message(phase: Phase) -> v1::Phase {
    match phase {
        Phase::Deal => v1::Phase::Setup,
        Phase::Draw => v1::Phase::RapaNui,
        Phase::Conflict | Phase::Steal { .. } | Phase::Lose { .. } => v1::Phase::Conflict,
        Phase::Meld { .. } => v1::Phase::Moai,
        Phase::Decline { .. } => v1::Phase::Decline,
        Phase::Over => v1::Phase::Over,
    }
}

fn player_message(view: &View, seat: Seat) -> v1::Player {
    v1::Player {
        seat: Some(number(seat)),
        points: view.table.points[seat].into(),
        hand_count: view.hand_sizes[seat].into(),
        known_cards: cards(view.known[seat]),
        exposed_cards: cards(view.exposed[seat]),
    }
}

impl ToField<v1::event::Cards> for VisibleCards {
    fn to_field(self) -> v1::event::Cards {
        match self {
            Self::Cards(set) => v1::event::Cards { count: set.len() as u32, cards: cards(set) },
            Self::Count(count) => v1::event::Cards { count: count.into(), cards: Vec::new() },
        }
    }
}

/// Returns cards in the order of their kinds, equal ones one after the other.
fn cards(cards: CardSet) -> Vec<v1::Card> {
    cards.iter().map(|card| card.kind().to_field()).collect()
}

/// Returns the cards of the game, by kind.
fn deck() -> v1::Deck {
    let cards = Kind::all().map(|kind| v1::DeckCards {
        card: kind.to_field(),
        name: kind.name().to_owned(),
        count: kind.copies().into(),
    });
    v1::Deck { cards: cards.collect() }
}

impl ToField<v1::Card> for Kind {
    fn to_field(self) -> v1::Card {
        v1::Card { r#type: card_type(self).into(), value: value(self), notation: self.to_string() }
    }
}

impl ToField<v1::Card> for ResourceKind {
    fn to_field(self) -> v1::Card {
        Kind::Resource(self).to_field()
    }
}

impl ToField<v1::Card> for EventKind {
    fn to_field(self) -> v1::Card {
        Kind::Event(self).to_field()
    }
}

const fn card_type(kind: Kind) -> CardType {
    match kind {
        Kind::Resource(resource) => match resource.suit() {
            Suit::Food => CardType::Food,
            Suit::Wood => CardType::Wood,
            Suit::People => CardType::People,
            Suit::Stone => CardType::Stone,
        },
        Kind::Event(event) => match event.effect() {
            Effect::Raid => CardType::Raid,
            Effect::HuriMoai => CardType::HuriMoai,
            Effect::Disaster => CardType::Disaster,
        },
    }
}

/// Returns the number of a resource; 0 for an event.
fn value(kind: Kind) -> u32 {
    kind.as_resource().map_or(0, |resource| resource.number().into())
}

impl FromField<Option<v1::Card>> for EventKind {
    fn from_field(card: &Option<v1::Card>) -> Result<Self, String> {
        match Kind::from_field(card)? {
            Kind::Event(event) => Ok(event),
            Kind::Resource(resource) => {
                Err(format!("expected an event, but {resource} is a resource; did you mean meld or discard?"))
            }
        }
    }
}

impl FromField<Option<v1::Card>> for ResourceKind {
    fn from_field(card: &Option<v1::Card>) -> Result<Self, String> {
        match Kind::from_field(card)? {
            Kind::Resource(resource) => Ok(resource),
            Kind::Event(event) => Err(format!("expected a resource, but {event} is an event")),
        }
    }
}

/// Reads a card by its notation, or by its type and value. Those that are given must agree.
impl FromField<Option<v1::Card>> for Kind {
    fn from_field(card: &Option<v1::Card>) -> Result<Self, String> {
        let none = || format!("expected a card, {CARD_GRAMMAR}");
        let &v1::Card { r#type, value: given, ref notation } = card.as_ref().ok_or_else(none)?;
        let given_type = CardType::try_from(r#type).map_err(|_| no_type(r#type))?;
        let kind = match given_type {
            _ if !notation.is_empty() => notation.parse().map_err(|error: ParseError| error.message.into_owned())?,
            CardType::Unspecified => return Err(none()),
            CardType::Food => numbered(Suit::Food, given)?,
            CardType::Wood => numbered(Suit::Wood, given)?,
            CardType::People => numbered(Suit::People, given)?,
            CardType::Stone => numbered(Suit::Stone, given)?,
            CardType::Raid => Self::Event(EventKind::RAID),
            CardType::HuriMoai => Self::Event(EventKind::HURI_MOAI),
            CardType::Disaster => {
                let such = EventKind::FIRST_DISASTER;
                return Err(format!(
                    "expected the notation of a Disaster, such as \"{such}\": its type does not name it"
                ));
            }
        };
        let (right_type, right) = (card_type(kind), value(kind));
        if given_type != right_type && given_type != CardType::Unspecified {
            let [right, given] = [right_type, given_type].map(|of| of.as_str_name());
            return Err(format!("expected type {right} for {kind}, got {given}"));
        }
        match kind {
            _ if given == right || given == 0 => Ok(kind),
            Self::Resource(resource) => Err(format!("expected value {right} for {resource}, got {given}")),
            Self::Event(event) => Err(format!("expected value 0 for the event {event}, got {given}")),
        }
    }
}

const CARD_GRAMMAR: &str = "such as notation \"F7\", or type CARD_TYPE_FOOD and value 7";

fn no_type(number: i32) -> String {
    let (first, last) = (CardType::Food, CardType::Disaster);
    let [first_name, last_name] = [first, last].map(|of| of.as_str_name());
    format!("expected a card type from {} ({first_name}) to {} ({last_name}), got {number}", first as i32, last as i32)
}

fn numbered(suit: Suit, given: u32) -> Result<Kind, String> {
    let resource = u8::try_from(given).ok().and_then(|number| ResourceKind::of(suit, number));
    resource.map(Kind::Resource).ok_or_else(|| format!("expected a value from 1 to {HIGHEST} for {suit}, got {given}"))
}
