//! The typed messages of the game, package `ahu.rappanui.v1`.

use super::cards::{CardSet, Face, Kind, Suit, VALUES};
use super::decline::hand_limit;
use super::{Action, Event, Phase, RappaNui, View, VisibleCards};
use crate::core::{BySeat, ParseError, RelativeSeat, Seat, Seats, Viewer};
use crate::games::Wire;
use crate::parts::message::{Opponent, left_number, number};
use crate::proto::rappanui::v1::{self, CardType};

impl Wire for RappaNui {
    type Observation = v1::Observation;
    type ActionMessage = v1::Action;
    type EventMessage = v1::Event;

    fn observation(view: &View) -> v1::Observation {
        // The options are part of the match, not of the observation.
        let is_dealt = view.phase != Phase::Deal;
        v1::Observation {
            viewer_seat: match view.viewer {
                Viewer::Seat(seat) => Some(number(seat)),
                Viewer::Public => None,
            },
            phase: phase(view.phase).into(),
            first_seat: is_dealt.then_some(number(view.first)),
            player_seat: is_dealt.then_some(number(view.player)),
            turn: view.round.into(),
            passes: view.passes.into(),
            hand_limit: hand_limit(view.passes) as u32,
            excess: excess(view.phase),
            players: view.options.seats.iter().map(|seat| player(view, seat)).collect(),
            hand: cards(view.hand),
            laid: cards(view.laid()),
            discard_pile: cards(view.discard),
            erosion_pile: cards(view.eroded),
            deck_count: view.deck.into(),
            shuffled: cards(view.shuffled),
            surely_held: cards(view.surely_held()),
        }
    }

    fn action(action: Action, seat: Seat, seats: Seats) -> v1::Action {
        use v1::action::{Action as ActionOneof, Discard, Done, Meld, NoEvent, NoMeld, PlayEvent};
        let oneof = match action {
            Action::NoEvent => ActionOneof::NoEvent(NoEvent {}),
            Action::PlayEvent(event, left) => ActionOneof::PlayEvent(PlayEvent {
                card: Some(card(event)),
                left: left_number(left),
                target_seat: left.of(seat, seats).map(number),
            }),
            Action::NoMeld => ActionOneof::NoMeld(NoMeld {}),
            Action::Meld(kind) => ActionOneof::Meld(Meld { card: Some(card(kind)) }),
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
}

const TARGET: Opponent = Opponent { question: "against whom?", field: "target_seat", most: RelativeSeat::COUNT };

const NO_ACTION: &str = "expected one of no_event, play_event, no_meld, meld, done, discard, but none of them is set";

const fn phase(phase: Phase) -> v1::Phase {
    match phase {
        Phase::Deal => v1::Phase::Setup,
        Phase::Draw => v1::Phase::RapaNui,
        Phase::Conflict | Phase::Steal { .. } | Phase::Lose { .. } => v1::Phase::Conflict,
        Phase::Meld { .. } => v1::Phase::Moai,
        Phase::Decline { .. } => v1::Phase::Decline,
        Phase::Over => v1::Phase::Over,
    }
}

fn player(view: &View, seat: Seat) -> v1::Player {
    v1::Player {
        seat: Some(number(seat)),
        points: view.points[seat].into(),
        hand_count: view.hand_sizes[seat].into(),
        known_cards: cards(view.known[seat]),
        exposed_cards: cards(view.exposed[seat]),
    }
}

/// Returns the number of cards still to discard.
fn excess(phase: Phase) -> u32 {
    match phase {
        Phase::Decline { excess, .. } => excess.into(),
        Phase::Deal
        | Phase::Draw
        | Phase::Conflict
        | Phase::Steal { .. }
        | Phase::Lose { .. }
        | Phase::Meld { .. }
        | Phase::Over => 0,
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
            card: Some(card(event)),
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
        Event::Laid { seat, kind } => EventOneof::Laid(to::Laid { seat: Some(number(seat)), card: Some(card(kind)) }),
        Event::Melded { seat, points, eroded, discarded } => EventOneof::Melded(to::Melded {
            seat: Some(number(seat)),
            points: points.into(),
            eroded: Some(visible_cards(eroded)),
            discarded: Some(visible_cards(discarded)),
        }),
        Event::Discarded { seat, kind } => {
            EventOneof::Discarded(to::Discarded { seat: Some(number(seat)), card: Some(card(kind)) })
        }
        Event::Ended { points } => EventOneof::Ended(to::Ended { points: numbers(points) }),
    }
}

fn numbers(points: BySeat<u16>) -> Vec<u32> {
    points.values().iter().copied().map(u32::from).collect()
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

fn card(kind: Kind) -> v1::Card {
    v1::Card { r#type: card_type(kind).into(), value: value(kind), notation: kind.to_string() }
}

const fn card_type(kind: Kind) -> CardType {
    match kind.face() {
        Face::Resource(Suit::Food, _) => CardType::Food,
        Face::Resource(Suit::Wood, _) => CardType::Wood,
        Face::Resource(Suit::People, _) => CardType::People,
        Face::Resource(Suit::Stone, _) => CardType::Stone,
        Face::Raid => CardType::Raid,
        Face::HuriMoai => CardType::HuriMoai,
        Face::Disaster => CardType::Disaster,
    }
}

/// Returns the number of a resource; 0 for an event.
fn value(kind: Kind) -> u32 {
    kind.as_resource().map_or(0, |(_, value)| value.into())
}

fn read_event(card: Option<&v1::Card>) -> Result<Kind, String> {
    match read_card(card)? {
        kind if kind.as_resource().is_none() => Ok(kind),
        kind => Err(format!("expected an event, but {kind} is a resource; did you mean meld or discard?")),
    }
}

fn read_resource(card: Option<&v1::Card>) -> Result<Kind, String> {
    match read_card(card)? {
        kind if kind.as_resource().is_some() => Ok(kind),
        kind => Err(format!("expected a resource, but {kind} is an event")),
    }
}

/// Reads a card by its notation, or by its type and value.
fn read_card(card: Option<&v1::Card>) -> Result<Kind, String> {
    let v1::Card { r#type, value: given, notation } = card.ok_or_else(|| format!("expected a card, {CARD_GRAMMAR}"))?;
    let given_type = CardType::try_from(*r#type).map_err(|_| no_type(*r#type))?;
    if notation.is_empty() {
        return read_type_and_value(given_type, *given);
    }
    let kind: Kind = notation.parse().map_err(|error: ParseError| error.message.into_owned())?;
    check_type(kind, given_type)?;
    check_value(kind, *given)?;
    Ok(kind)
}

/// Checks that the type agrees with the notation.
fn check_type(kind: Kind, given: CardType) -> Result<(), String> {
    let right = card_type(kind);
    match given == right || given == CardType::Unspecified {
        true => Ok(()),
        false => Err(format!("expected type {} for {kind}, got {}", right.as_str_name(), given.as_str_name())),
    }
}

fn check_value(kind: Kind, given: u32) -> Result<(), String> {
    match (value(kind), given) {
        (_, 0) => Ok(()),
        (0, _) => Err(has_no_value(kind, given)),
        (right, _) if given == right => Ok(()),
        (right, _) => Err(format!("expected value {right} for {kind}, got {given}")),
    }
}

const CARD_GRAMMAR: &str = "such as notation \"F7\", or type CARD_TYPE_FOOD and value 7";

fn no_type(number: i32) -> String {
    let (first, last) = (CardType::Food, CardType::Disaster);
    let [first_name, last_name] = [first, last].map(|of| of.as_str_name());
    format!("expected a card type from {} ({first_name}) to {} ({last_name}), got {number}", first as i32, last as i32)
}

fn has_no_value(event: Kind, given: u32) -> String {
    format!("expected value 0 for the event {event}, got {given}")
}

fn read_type_and_value(given_type: CardType, given: u32) -> Result<Kind, String> {
    match given_type {
        CardType::Unspecified => Err(format!("expected a card, {CARD_GRAMMAR}")),
        CardType::Food => numbered(Suit::Food, given),
        CardType::Wood => numbered(Suit::Wood, given),
        CardType::People => numbered(Suit::People, given),
        CardType::Stone => numbered(Suit::Stone, given),
        CardType::Raid => unnumbered(Kind::RAID, given),
        CardType::HuriMoai => unnumbered(Kind::HURI_MOAI, given),
        CardType::Disaster => Err(format!(
            "expected the notation of a Disaster, such as \"{}\": its type does not name it",
            Kind::FIRST_DISASTER
        )),
    }
}

fn numbered(suit: Suit, given: u32) -> Result<Kind, String> {
    let (lowest, highest) = VALUES;
    match u8::try_from(given) {
        Ok(value) if (lowest..=highest).contains(&value) => Ok(Kind::resource(suit, value)),
        _ => Err(format!("expected a value from {lowest} to {highest} for {suit}, got {given}")),
    }
}

fn unnumbered(kind: Kind, given: u32) -> Result<Kind, String> {
    if given == 0 { Ok(kind) } else { Err(has_no_value(kind, given)) }
}
