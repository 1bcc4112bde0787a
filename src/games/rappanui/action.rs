//! The actions, their ids and their grammar.

use std::fmt;
use std::str::FromStr;

use super::cards::{KINDS, Kind};
use crate::core::parse::words;
use crate::core::{self, ActionGroup, ActionId, ParseError, RelativeSeat};

/// One decision of one seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// Conflict Phase: play no event.
    NoEvent,
    /// Conflict Phase: play an event against an opponent.
    PlayEvent(Kind, RelativeSeat),
    /// Moai Phase: play no meld.
    NoMeld,
    /// Moai Phase: lay the next card of a meld, suit by suit, within a suit in rising order.
    Meld(Kind),
    /// Moai Phase, Combine rule: the meld is complete.
    Done,
    /// Decline Phase: discard a card. A player discards several cards in the order of their kinds.
    Discard(Kind),
}

const OPPONENTS: usize = RelativeSeat::COUNT;
const RESOURCE_KINDS: usize = Kind::RAID.index();
const EVENT_KINDS: usize = KINDS - RESOURCE_KINDS;

pub(super) const PLAY_EVENT: usize = 1;
const NO_MELD: usize = PLAY_EVENT + EVENT_KINDS * OPPONENTS;
pub(super) const MELD: usize = NO_MELD + 1;
const DONE: usize = MELD + RESOURCE_KINDS;
pub(super) const DISCARD: usize = DONE + 1;

/// Returns the first id that plays `event`: the one against the left neighbour.
pub(super) const fn play_event_ids(event: Kind) -> ActionId {
    ActionId((PLAY_EVENT + (event.index() - Kind::RAID.index()) * OPPONENTS) as u16)
}

impl core::Action for Action {
    const COUNT: usize = DISCARD + KINDS;
    const GROUPS: &'static [ActionGroup] = &[
        ActionGroup { pattern: "no event", count: 1, meaning: "Conflict Phase: play no event.", arguments: &[] },
        ActionGroup {
            pattern: "<event> +<k>",
            count: EVENT_KINDS * OPPONENTS,
            meaning: "Conflict Phase: play an event against the k-th opponent to the left. Raid +1 to +5, Huri Moai, then \
                      the Disasters from Rebellion to Collapse.",
            arguments: &[],
        },
        ActionGroup { pattern: "no meld", count: 1, meaning: "Moai Phase: play no meld.", arguments: &[] },
        ActionGroup {
            pattern: "meld <card>",
            count: RESOURCE_KINDS,
            meaning: "Moai Phase: lay the next card of a meld. Food 1 to 12, Wood, People, Stone; laid in this order.",
            arguments: &[],
        },
        ActionGroup {
            pattern: "done",
            count: 1,
            meaning: "Moai Phase, Combine rule: the meld is complete.",
            arguments: &[],
        },
        ActionGroup {
            pattern: "discard <card>",
            count: KINDS,
            meaning: "Decline Phase: discard a card. Food 1 to 12, Wood, People, Stone, Raid, Huri Moai, the Disasters; \
                      several cards go in this order.",
            arguments: &[],
        },
    ];

    fn id(self) -> ActionId {
        match self {
            Self::NoEvent => ActionId(0),
            Self::PlayEvent(event, left) => ActionId(play_event_ids(event).0 + left.index() as u16),
            Self::NoMeld => ActionId(NO_MELD as u16),
            Self::Meld(kind) => ActionId((MELD + kind.index()) as u16),
            Self::Done => ActionId(DONE as u16),
            Self::Discard(kind) => ActionId((DISCARD + kind.index()) as u16),
        }
    }

    #[inline]
    fn from_id(id: ActionId) -> Option<Self> {
        match id.index() {
            0 => Some(Self::NoEvent),
            n @ PLAY_EVENT..NO_MELD => {
                let n = n - PLAY_EVENT;
                let event = Kind::new(Kind::RAID.index() + n / OPPONENTS)?;
                RelativeSeat::new(n % OPPONENTS).map(|left| Self::PlayEvent(event, left))
            }
            NO_MELD => Some(Self::NoMeld),
            n @ MELD..DONE => Kind::new(n - MELD).map(Self::Meld),
            DONE => Some(Self::Done),
            n => Kind::new(n - DISCARD).map(Self::Discard),
        }
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoEvent => f.write_str("no event"),
            Self::PlayEvent(event, left) => write!(f, "{event} {left}"),
            Self::NoMeld => f.write_str("no meld"),
            Self::Meld(kind) => write!(f, "meld {kind}"),
            Self::Done => f.write_str("done"),
            Self::Discard(kind) => write!(f, "discard {kind}"),
        }
    }
}

impl FromStr for Action {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let words: Vec<(usize, &str)> = words(text).collect();
        let kind = |(at, word): (usize, &str)| word.parse::<Kind>().map_err(|error| error.within(at));
        match words[..] {
            [(_, "done")] => Ok(Self::Done),
            [(_, "no"), (_, "event")] => Ok(Self::NoEvent),
            [(_, "no"), (_, "meld")] => Ok(Self::NoMeld),
            [(_, "no"), (at, what)] => {
                Err(ParseError::new(at, format!("expected \"no event\" or \"no meld\", got \"no {what}\"")))
            }
            [(_, "meld"), card] => match kind(card)? {
                kind if kind.as_resource().is_some() => Ok(Self::Meld(kind)),
                kind => Err(ParseError::new(card.0, format!("expected a resource, but {kind} is an event"))),
            },
            [(_, "discard"), card] => kind(card).map(Self::Discard),
            [(at, verb @ ("meld" | "discard"))] => Err(ParseError::new(
                at + verb.len(),
                format!("expected a card after \"{verb}\", such as \"{verb} F7\""),
            )),
            [event, (at, left)] => {
                let event = match kind(event)? {
                    kind if kind.as_resource().is_none() => kind,
                    kind => {
                        return Err(ParseError::new(
                            event.0,
                            format!(
                                "expected an event, but {kind} is a resource; \
                                 did you mean \"meld {kind}\" or \"discard {kind}\"?"
                            ),
                        ));
                    }
                };
                left.parse().map(|left| Self::PlayEvent(event, left)).map_err(|error: ParseError| error.within(at))
            }
            [event] => match kind(event) {
                Ok(kind) if kind.as_resource().is_none() => Err(ParseError::new(
                    event.0 + event.1.len(),
                    format!("expected an opponent after \"{kind}\", such as \"{kind} +1\" (the left neighbour)"),
                )),
                _ => Err(ParseError::new(event.0, format!("expected an action, got \"{}\"; {GRAMMAR}", event.1))),
            },
            [] => Err(ParseError::new(0, format!("expected an action, got nothing; {GRAMMAR}"))),
            [_, _, (at, word), ..] => {
                Err(ParseError::new(at, format!("expected the end of the action, got \"{word}\"; {GRAMMAR}")))
            }
        }
    }
}

const GRAMMAR: &str = "examples of actions: \"no event\", \"raid +1\", \"huri +2\", \"famine +1\", \"no meld\", \"meld F7\", \"done\", \
                       \"discard F7\"";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::Action as _;

    #[test]
    fn ids_are_stable() {
        let id = |text: &str| text.parse::<Action>().map(|action| action.id().0);
        assert_eq!(Action::COUNT, 183);
        assert_eq!(Action::GROUPS.iter().map(|group| group.count).sum::<usize>(), 183);
        for (text, expected) in [
            ("no event", 0),
            ("raid +1", 1),
            ("huri +5", 10),
            ("rebellion +1", 11),
            ("collapse +5", 70),
            ("no meld", 71),
            ("meld F1", 72),
            ("meld S12", 119),
            ("done", 120),
            ("discard F1", 121),
            ("discard collapse", 182),
        ] {
            assert_eq!(id(text), Ok(expected), "{text}");
        }
        assert_eq!(Action::from_id(ActionId(183)), None);
        assert_eq!(Action::from_id(ActionId(u16::MAX)), None);
    }

    #[test]
    fn a_text_that_is_no_action_is_refused_where_it_goes_wrong() {
        for (text, at, reason) in [
            ("", 0, "expected an action, got nothing"),
            ("meld", 4, "expected a card after \"meld\""),
            ("meld  F13", 6, "expected a card, got \"F13\""),
            ("meld raid", 5, "raid is an event"),
            ("discard famin", 8, "did you mean \"famine\"?"),
            ("raid", 4, "expected an opponent after \"raid\""),
            ("raid +6", 5, "+1 (the left neighbour) to +5, got \"+6\""),
            ("raid 1", 5, "got \"1\""),
            ("F7 +1", 0, "F7 is a resource"),
            ("no thanks", 3, "\"no event\" or \"no meld\""),
            ("meld F7 W7", 8, "expected the end of the action, got \"W7\""),
            ("pass", 0, "expected an action, got \"pass\""),
        ] {
            let error = text.parse::<Action>().expect_err(text);
            assert_eq!(error.at, at, "{text}");
            assert!(error.message.contains(reason), "{text}: {}", error.message);
        }
    }
}
