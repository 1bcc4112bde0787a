//! The game in typed messages, package `ahu.rappanui.v1`.

use super::cards::{CardSet, Face, Kind, Suit, VALUES};
use super::decline::hand_limit;
use super::{Action, Event, Phase, RappaNui, Told, View};
use crate::core::{BySeat, Left, ParseError, Seat, Seats, Viewer};
use crate::games::Wire;
use crate::parts::message::{Opponent, left_number, number};
use crate::proto::rappanui::v1::{self, CardType};

impl Wire for RappaNui {
    type Observation = v1::Observation;
    type ActionMessage = v1::Action;
    type EventMessage = v1::Event;

    fn observation(view: &View) -> v1::Observation {
        // What was agreed is said with the match.
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
        use v1::action::{Action as Said, Discard, Done, Meld, NoEvent, NoMeld, PlayEvent};
        let said = match action {
            Action::NoEvent => Said::NoEvent(NoEvent {}),
            Action::PlayEvent(event, left) => Said::PlayEvent(PlayEvent {
                card: Some(card(event)),
                left: left_number(left),
                target_seat: left.of(seat, seats).map(number),
            }),
            Action::NoMeld => Said::NoMeld(NoMeld {}),
            Action::Meld(kind) => Said::Meld(Meld { card: Some(card(kind)) }),
            Action::Done => Said::Done(Done {}),
            Action::Discard(kind) => Said::Discard(Discard { card: Some(card(kind)) }),
        };
        v1::Action { action: Some(said) }
    }

    fn read_action(message: &v1::Action, seat: Seat, seats: Seats) -> Result<Action, String> {
        use v1::action::{Action as Said, Discard, Done, Meld, NoEvent, NoMeld, PlayEvent};
        match message.action.as_ref().ok_or(NO_ACTION)? {
            Said::NoEvent(NoEvent {}) => Ok(Action::NoEvent),
            Said::PlayEvent(PlayEvent { card, left, target_seat }) => {
                let event = read_event(card.as_ref())?;
                Ok(Action::PlayEvent(event, TARGET.read(*left, *target_seat, seat, seats)?))
            }
            Said::NoMeld(NoMeld {}) => Ok(Action::NoMeld),
            Said::Meld(Meld { card }) => read_resource(card.as_ref()).map(Action::Meld),
            Said::Done(Done {}) => Ok(Action::Done),
            Said::Discard(Discard { card }) => read_card(card.as_ref()).map(Action::Discard),
        }
    }

    fn event(seen: &Event<Told>) -> v1::Event {
        v1::Event { event: Some(event_message(*seen)) }
    }
}

const TARGET: Opponent = Opponent { question: "against whom?", field: "target_seat", most: Left::COUNT };

const NO_ACTION: &str =
    "an action is one of no_event, play_event, no_meld, meld, done, discard, and none of them is set";

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

/// How many cards are still to be discarded.
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

fn event_message(seen: Event<Told>) -> v1::event::Event {
    use v1::event as to;
    use v1::event::Event as Said;
    match seen {
        Event::Dealt { first, hands } => Said::Dealt(to::Dealt {
            first_seat: Some(number(first)),
            hands: hands.values().iter().copied().map(told).collect(),
        }),
        Event::TurnBegan { seat, number: turn } => {
            Said::TurnBegan(to::TurnBegan { seat: Some(number(seat)), turn: turn.into() })
        }
        Event::Drew { seat, cards } => Said::Drew(to::Drew { seat: Some(number(seat)), cards: Some(told(cards)) }),
        Event::PassEnded { passes } => Said::PassEnded(to::PassEnded { passes: passes.into() }),
        Event::Reshuffled { cards } => Said::Reshuffled(to::Reshuffled { deck_count: cards.into() }),
        Event::NoEvent { seat } => Said::NoEventPlayed(to::NoEventPlayed { seat: Some(number(seat)) }),
        Event::EventPlayed { seat, event, target } => Said::EventPlayed(to::EventPlayed {
            seat: Some(number(seat)),
            card: Some(card(event)),
            target_seat: Some(number(target)),
        }),
        Event::Stolen { thief, victim, card } => Said::Stolen(to::Stolen {
            thief_seat: Some(number(thief)),
            victim_seat: Some(number(victim)),
            cards: Some(told(card)),
        }),
        Event::Lost { seat, cards } => Said::Lost(to::Lost { seat: Some(number(seat)), cards: Some(told(cards)) }),
        Event::Toppled { seat, points } => {
            Said::Toppled(to::Toppled { seat: Some(number(seat)), points: points.into() })
        }
        Event::NothingToTake { seat } => Said::NothingToTake(to::NothingToTake { seat: Some(number(seat)) }),
        Event::NoMeld { seat } => Said::NoMeldPlayed(to::NoMeldPlayed { seat: Some(number(seat)) }),
        Event::Laid { seat, kind } => Said::Laid(to::Laid { seat: Some(number(seat)), card: Some(card(kind)) }),
        Event::Melded { seat, points, eroded, discarded } => Said::Melded(to::Melded {
            seat: Some(number(seat)),
            points: points.into(),
            eroded: Some(told(eroded)),
            discarded: Some(told(discarded)),
        }),
        Event::Discarded { seat, kind } => {
            Said::Discarded(to::Discarded { seat: Some(number(seat)), card: Some(card(kind)) })
        }
        Event::Ended { points } => Said::Ended(to::Ended { points: numbers(points) }),
    }
}

fn numbers(points: BySeat<u16>) -> Vec<u32> {
    points.values().iter().copied().map(u32::from).collect()
}

fn told(told: Told) -> v1::event::Cards {
    match told {
        Told::Cards(which) => v1::event::Cards { count: which.len() as u32, cards: cards(which) },
        Told::Count(count) => v1::event::Cards { count: count.into(), cards: Vec::new() },
    }
}

/// Cards in the order of their kinds; equal ones one after the other.
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

/// The number of a resource; 0 for events.
fn value(kind: Kind) -> u32 {
    kind.as_resource().map_or(0, |(_, value)| value.into())
}

fn read_event(card: Option<&v1::Card>) -> Result<Kind, String> {
    match read_card(card)? {
        kind if kind.as_resource().is_none() => Ok(kind),
        kind => Err(format!("{kind} is a resource, not an event: meld or discard it?")),
    }
}

fn read_resource(card: Option<&v1::Card>) -> Result<Kind, String> {
    match read_card(card)? {
        kind if kind.as_resource().is_some() => Ok(kind),
        kind => Err(format!("a meld is made of resources, and {kind} is an event")),
    }
}

/// The card of this notation, or of this type and value.
fn read_card(card: Option<&v1::Card>) -> Result<Kind, String> {
    let v1::Card { r#type, value: given, notation } = card.ok_or_else(|| format!("which card? {CARD_GRAMMAR}"))?;
    let given_type = CardType::try_from(*r#type).map_err(|_| no_type(*r#type))?;
    if notation.is_empty() {
        return read_type_and_value(given_type, *given);
    }
    let kind: Kind = notation.parse().map_err(|error: ParseError| error.message.into_owned())?;
    check_type(kind, given_type)?;
    check_value(kind, *given)?;
    Ok(kind)
}

/// What is said beside the notation has to agree with it.
fn check_type(kind: Kind, given: CardType) -> Result<(), String> {
    let right = card_type(kind);
    match given == right || given == CardType::Unspecified {
        true => Ok(()),
        false => Err(format!("{kind} is of type {}, not {}", right.as_str_name(), given.as_str_name())),
    }
}

fn check_value(kind: Kind, given: u32) -> Result<(), String> {
    match (value(kind), given) {
        (_, 0) => Ok(()),
        (0, _) => Err(has_no_value(kind, given)),
        (right, _) if given == right => Ok(()),
        (right, _) => Err(format!("{kind} has the value {right}, not {given}")),
    }
}

const CARD_GRAMMAR: &str = "Such as notation \"F7\", or type CARD_TYPE_FOOD and value 7";

fn no_type(number: i32) -> String {
    let (first, last) = (CardType::Food, CardType::Disaster);
    let [first_name, last_name] = [first, last].map(|of| of.as_str_name());
    format!("no card is of type {number}: types are {} ({first_name}) to {} ({last_name})", first as i32, last as i32)
}

fn has_no_value(event: Kind, given: u32) -> String {
    format!("{event} is an event and has no value: 0, not {given}")
}

fn read_type_and_value(given_type: CardType, given: u32) -> Result<Kind, String> {
    match given_type {
        CardType::Unspecified => Err(format!("which card? {CARD_GRAMMAR}")),
        CardType::Food => numbered(Suit::Food, given),
        CardType::Wood => numbered(Suit::Wood, given),
        CardType::People => numbered(Suit::People, given),
        CardType::Stone => numbered(Suit::Stone, given),
        CardType::Raid => unnumbered(Kind::RAID, given),
        CardType::HuriMoai => unnumbered(Kind::HURI_MOAI, given),
        CardType::Disaster => Err(format!("which Disaster? Its notation tells, such as \"{}\"", Kind::FIRST_DISASTER)),
    }
}

fn numbered(suit: Suit, given: u32) -> Result<Kind, String> {
    let (lowest, highest) = VALUES;
    match u8::try_from(given) {
        Ok(value) if (lowest..=highest).contains(&value) => Ok(Kind::resource(suit, value)),
        _ => Err(format!("{suit} has the values {lowest} to {highest}, not {given}")),
    }
}

fn unnumbered(kind: Kind, given: u32) -> Result<Kind, String> {
    if given == 0 { Ok(kind) } else { Err(has_no_value(kind, given)) }
}
