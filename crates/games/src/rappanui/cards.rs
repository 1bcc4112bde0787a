//! The deck: 120 cards of 62 kinds.
//!
//! Cards have identity. The deck has two cards of each resource, and the state tells them apart, since "the first card in the
//! order that is in the pile" is a fair draw only among things that keep their identity. Views never tell them apart
//! ([`CardSet::unmarked`]). The number of the copy stands in the outcomes of a record (`F7.2`) and means nothing in the rules.

mod card;
mod kind;
mod set;

pub use card::Card;
pub use kind::{Effect, EventKind, HIGHEST, Kind, ResourceKind, Suit};
pub use set::CardSet;

#[cfg(test)]
mod tests {
    use ahu_core::Numbered as _;

    use super::*;

    #[test]
    fn the_deck_is_the_rulebooks_card_list() {
        let all = CardSet::ALL;
        assert_eq!(all.len(), 120);
        assert_eq!(all.iter().count(), 120);
        for kind in Kind::all() {
            assert_eq!(all.count(kind), usize::from(kind.copies()), "{kind}");
        }
        let events = |effect| {
            let is_one = |kind| matches!(kind, Kind::Event(event) if event.effect() == effect);
            all.iter().filter(|card| is_one(card.kind())).count()
        };
        assert_eq!([Effect::Raid, Effect::HuriMoai, Effect::Disaster].map(events), [8, 4, 12]);
        for resource in ResourceKind::all() {
            assert!(all.at_least_one().contains(resource) && all.both().contains(resource), "{resource}");
        }
        let names = |kind: &str| kind.parse::<Kind>().map(Kind::name);
        assert_eq!(names("P1"), Ok("Islanders"));
        assert_eq!(names("F12"), Ok("Sea Turtles"));
        assert_eq!(names("W5"), Ok("Stand"));
        assert_eq!(names("S12"), Ok("Stone Giants"));
        assert_eq!(names("climate-change"), Ok("Climate Change"));
    }
}
