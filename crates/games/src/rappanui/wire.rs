//! The typed messages of the game, package `ahu.rappanui.v1`.

use ahu_core::{Numbered as _, ParseError, RelativeSeat, Seat, Seats, Viewer};
use ahu_messages::rappanui::v1::{self, CardType};

use super::RappaNui;
use super::action::Action;
use super::cards::{CardSet, Effect, EventKind, HIGHEST, Kind, ResourceKind, Suit};
use super::event::{Event, VisibleCards};
use super::options::Options;
use super::phase::Phase;
use super::table::{Table, hand_limit};
use super::view::View;
use crate::wire::message::{Opponent, by_seat, left_number, number};
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
            viewer_seat: match view.viewer {
                Viewer::Seat(seat) => Some(number(seat)),
                Viewer::Public => None,
            },
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

    fn action(action: Action, seat: Seat, seats: Seats) -> v1::Action {
        use v1::action::{Action as ActionOneof, Discard, Done, Meld, NoEvent, NoMeld, PlayEvent};
        let oneof = match action {
            Action::NoEvent => ActionOneof::NoEvent(NoEvent {}),
            Action::PlayEvent(event, left) => ActionOneof::PlayEvent(PlayEvent {
                card: Some(card(Kind::Event(event))),
                left: left_number(left),
                target_seat: left.of(seat, seats).map(number),
            }),
            Action::NoMeld => ActionOneof::NoMeld(NoMeld {}),
            Action::Meld(kind) => ActionOneof::Meld(Meld { card: Some(card(Kind::Resource(kind))) }),
            Action::Done => ActionOneof::Done(Done {}),
            Action::Discard(kind) => ActionOneof::Discard(Discard { card: Some(card(kind)) }),
        };
        v1::Action { action: Some(oneof) }
    }

    fn read_action(message: &v1::Action, seat: Seat, seats: Seats) -> Result<Action, String> {
        use v1::action::{Action as ActionOneof, Discard, Done, Meld, NoEvent, NoMeld, PlayEvent};
        match message.action.as_ref().ok_or(NO_ACTION)? {
            ActionOneof::NoEvent(NoEvent {}) => Ok(Action::NoEvent),
            ActionOneof::PlayEvent(PlayEvent { card, left, target_seat }) => {
                let event = read_event(card.as_ref())?;
                Ok(Action::PlayEvent(event, TARGET.read(*left, *target_seat, seat, seats)?))
            }
            ActionOneof::NoMeld(NoMeld {}) => Ok(Action::NoMeld),
            ActionOneof::Meld(Meld { card }) => read_resource(card.as_ref()).map(Action::Meld),
            ActionOneof::Done(Done {}) => Ok(Action::Done),
            ActionOneof::Discard(Discard { card }) => read_card(card.as_ref()).map(Action::Discard),
        }
    }

    fn event(visible: &Event<VisibleCards>) -> v1::Event {
        v1::Event { event: Some(event_message(*visible)) }
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

fn event_message(visible: Event<VisibleCards>) -> v1::event::Event {
    use v1::event as to;
    use v1::event::Event as EventOneof;
    match visible {
        Event::Dealt { first, hands } => EventOneof::Dealt(to::Dealt {
            first_seat: Some(number(first)),
            hands: hands.values().iter().copied().map(visible_cards).collect(),
        }),
        Event::TurnBegan { seat, number: turn } => {
            EventOneof::TurnBegan(to::TurnBegan { seat: Some(number(seat)), turn: turn.into() })
        }
        Event::Drew { seat, cards } => {
            EventOneof::Drew(to::Drew { seat: Some(number(seat)), cards: Some(visible_cards(cards)) })
        }
        Event::PassEnded { passes } => EventOneof::PassEnded(to::PassEnded { passes: passes.into() }),
        Event::Reshuffled { cards } => EventOneof::Reshuffled(to::Reshuffled { deck_count: cards.into() }),
        Event::NoEvent { seat } => EventOneof::NoEventPlayed(to::NoEventPlayed { seat: Some(number(seat)) }),
        Event::EventPlayed { seat, event, target } => EventOneof::EventPlayed(to::EventPlayed {
            seat: Some(number(seat)),
            card: Some(card(Kind::Event(event))),
            target_seat: Some(number(target)),
        }),
        Event::Stolen { thief, victim, card } => EventOneof::Stolen(to::Stolen {
            thief_seat: Some(number(thief)),
            victim_seat: Some(number(victim)),
            cards: Some(visible_cards(card)),
        }),
        Event::Lost { seat, cards } => {
            EventOneof::Lost(to::Lost { seat: Some(number(seat)), cards: Some(visible_cards(cards)) })
        }
        Event::Toppled { seat, points } => {
            EventOneof::Toppled(to::Toppled { seat: Some(number(seat)), points: points.into() })
        }
        Event::NothingToTake { seat } => EventOneof::NothingToTake(to::NothingToTake { seat: Some(number(seat)) }),
        Event::NoMeld { seat } => EventOneof::NoMeldPlayed(to::NoMeldPlayed { seat: Some(number(seat)) }),
        Event::Laid { seat, kind } => {
            EventOneof::Laid(to::Laid { seat: Some(number(seat)), card: Some(card(Kind::Resource(kind))) })
        }
        Event::Melded { seat, points, eroded, discarded } => EventOneof::Melded(to::Melded {
            seat: Some(number(seat)),
            points: points.into(),
            eroded: Some(visible_cards(eroded)),
            discarded: Some(visible_cards(discarded)),
        }),
        Event::Discarded { seat, kind } => {
            EventOneof::Discarded(to::Discarded { seat: Some(number(seat)), card: Some(card(kind)) })
        }
        Event::Ended { points } => EventOneof::Ended(to::Ended { points: by_seat(&points) }),
    }
}

fn visible_cards(visible: VisibleCards) -> v1::event::Cards {
    match visible {
        VisibleCards::Cards(set) => v1::event::Cards { count: set.len() as u32, cards: cards(set) },
        VisibleCards::Count(count) => v1::event::Cards { count: count.into(), cards: Vec::new() },
    }
}

/// Returns cards in the order of their kinds, equal ones one after the other.
fn cards(cards: CardSet) -> Vec<v1::Card> {
    cards.iter().map(|one| card(one.kind())).collect()
}

/// Returns the cards of the game, by kind.
fn deck() -> v1::Deck {
    let cards = Kind::all().map(|kind| v1::DeckCards {
        card: Some(card(kind)),
        name: kind.name().to_owned(),
        count: kind.copies().into(),
    });
    v1::Deck { cards: cards.collect() }
}

fn card(kind: Kind) -> v1::Card {
    v1::Card { r#type: card_type(kind).into(), value: value(kind), notation: kind.to_string() }
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

fn read_event(card: Option<&v1::Card>) -> Result<EventKind, String> {
    match read_card(card)? {
        Kind::Event(event) => Ok(event),
        Kind::Resource(resource) => {
            Err(format!("expected an event, but {resource} is a resource; did you mean meld or discard?"))
        }
    }
}

fn read_resource(card: Option<&v1::Card>) -> Result<ResourceKind, String> {
    match read_card(card)? {
        Kind::Resource(resource) => Ok(resource),
        Kind::Event(event) => Err(format!("expected a resource, but {event} is an event")),
    }
}

/// Reads a card by its notation, or by its type and value. Those that are given must agree.
fn read_card(card: Option<&v1::Card>) -> Result<Kind, String> {
    let none = || format!("expected a card, {CARD_GRAMMAR}");
    let &v1::Card { r#type, value: given, ref notation } = card.ok_or_else(none)?;
    let given_type = CardType::try_from(r#type).map_err(|_| no_type(r#type))?;
    let kind = match given_type {
        _ if !notation.is_empty() => notation.parse().map_err(|error: ParseError| error.message.into_owned())?,
        CardType::Unspecified => return Err(none()),
        CardType::Food => numbered(Suit::Food, given)?,
        CardType::Wood => numbered(Suit::Wood, given)?,
        CardType::People => numbered(Suit::People, given)?,
        CardType::Stone => numbered(Suit::Stone, given)?,
        CardType::Raid => Kind::Event(EventKind::RAID),
        CardType::HuriMoai => Kind::Event(EventKind::HURI_MOAI),
        CardType::Disaster => {
            let such = EventKind::FIRST_DISASTER;
            return Err(format!("expected the notation of a Disaster, such as \"{such}\": its type does not name it"));
        }
    };
    let (right_type, right) = (card_type(kind), value(kind));
    if given_type != right_type && given_type != CardType::Unspecified {
        let [right, given] = [right_type, given_type].map(|of| of.as_str_name());
        return Err(format!("expected type {right} for {kind}, got {given}"));
    }
    match kind {
        _ if given == right || given == 0 => Ok(kind),
        Kind::Resource(resource) => Err(format!("expected value {right} for {resource}, got {given}")),
        Kind::Event(event) => Err(format!("expected value 0 for the event {event}, got {given}")),
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
