//! The actions, their ids, and their grammar.

use ahu_core::parse::nearest;
use ahu_core::{ActionId, ParseError, RelativeSeat, actions};

use super::cards::{EventKind, Kind, ResourceKind};

actions! {
    /// One decision of one seat.
    pub enum Action {
        /// Conflict Phase: play no event.
        "no event" => NoEvent says "Play no event",
        /// Conflict Phase: play an event against an opponent, the k-th to the left: raid +1 to +5, huri, then the Disasters
        /// from rebellion to collapse.
        "<event> <opponent>" => PlayEvent(event: EventKind as piece "card", opponent: RelativeSeat as opponent)
            says "Play <event> against <opponent>",
        /// Moai Phase: play no meld.
        "no meld" => NoMeld says "Play no meld",
        /// Moai Phase: lay the next card of a meld: Food F1 to F12, Wood W1 to W12, People, Stone; suit by suit, within a
        /// suit in rising order.
        "meld <card>" => Meld(card: ResourceKind as piece "card") says "Lay <card> into the meld",
        /// Moai Phase, Combine rule: complete the meld.
        "done" => Done says "Complete the meld",
        /// Decline Phase: discard a card: Food F1 to F12, Wood, People, Stone, raid, huri, the Disasters; several cards in
        /// this order.
        "discard <card>" => Discard(card: Kind as piece "card"),
    }
    hint: hint
}

/// Explains frequent mistakes: a resource without a verb, and a misspelled event.
fn hint(words: &[(usize, &str)]) -> Option<ParseError> {
    let &(at, word) = words.first()?;
    match word.parse() {
        Ok(Kind::Resource(card)) => {
            let hint = format!("did you mean \"meld {card}\" or \"discard {card}\"?");
            Some(ParseError::new(at, format!("expected an event, but {card} is a resource; {hint}")))
        }
        Ok(Kind::Event(_)) => None,
        Err(error) => {
            let events: Vec<String> = EventKind::all().map(|event| event.to_string()).collect();
            let verbs = ["no", "meld", "done", "discard"];
            let near = nearest(word, events.iter().map(String::as_str).chain(verbs))?;
            (!verbs.contains(&near)).then(|| error.within(at))
        }
    }
}

/// Returns the first id that plays `event`: the one against the left neighbour.
pub(super) const fn play_event_ids(event: EventKind) -> ActionId {
    ActionId(first::PlayEvent.0 + (event.index() * RelativeSeat::COUNT) as u16)
}

#[cfg(test)]
mod tests {
    use ahu_core::Action as _;

    use super::*;

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
            ("", 0, "expected an action, got nothing; actions are \"no event\", \"<event> <opponent>\", "),
            ("meld", 4, "expected more after \"meld\", such as \"meld F1\""),
            ("meld  F13", 6, "expected a card, got \"F13\" (a card is F, W, P or S with a number from 1 to 12"),
            ("meld raid", 5, "expected a resource, but raid is an event"),
            ("discard famin", 8, "did you mean \"famine\"?"),
            ("famin +1", 0, "expected a card, got \"famin\"; did you mean \"famine\"?"),
            ("raid", 4, "expected more after \"raid\", such as \"raid +1\""),
            ("raid +6", 5, "+1 (the left neighbour) to +5, got \"+6\""),
            ("raid 1", 5, "expected an opponent from +1 (the left neighbour) to +5, got \"1\""),
            ("F7 +1", 0, "F7 is a resource; did you mean \"meld F7\" or \"discard F7\"?"),
            ("F7", 0, "F7 is a resource; did you mean \"meld F7\" or \"discard F7\"?"),
            ("no thanks", 3, "expected \"event\" or \"meld\" after \"no\", got \"thanks\""),
            ("no", 2, "such as \"no event\" or \"no meld\""),
            ("meld F7 W7", 8, "expected nothing after \"meld F7\", got \"W7\""),
            ("discrad F7", 0, "unknown action \"discrad\"; did you mean \"discard\"?"),
            ("pass", 0, "unknown action \"pass\"; actions are "),
        ] {
            let error = text.parse::<Action>().expect_err(text);
            assert_eq!(error.at, at, "{text}: {}", error.message);
            assert!(error.message.contains(reason), "{text}: {}", error.message);
        }
    }
}
