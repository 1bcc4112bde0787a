//! The deck and its card list.

use ahu_games::rappanui::cards::{Card, CardSet, Effect, Kind, Suit};

/// Returns the effect of an event; None for a resource.
fn effect(kind: Kind) -> Option<Effect> {
    match kind {
        Kind::Event(event) => Some(event.effect()),
        Kind::Resource(_) => None,
    }
}

/// Card List: the totals of the dossier.
#[test]
fn the_deck_has_96_resources_and_24_events() {
    let all = CardSet::ALL;

    let of = |wanted: Effect| all.iter().filter(|card| effect(card.kind()) == Some(wanted)).count();
    assert_eq!(all.len(), 120);
    for suit in Suit::ALL {
        let of_suit = all.iter().filter(|card| card.kind().as_resource().is_some_and(|own| own.suit() == suit));
        assert_eq!(of_suit.count(), 24, "{suit}");
    }
    assert_eq!(of(Effect::Raid), 8);
    assert_eq!(of(Effect::HuriMoai), 4);
    assert_eq!(of(Effect::Disaster), 12);
}

/// The Deck: "Resource cards have number values between 1 and 12." Card List: two of each.
#[test]
fn each_suit_has_two_cards_of_each_number_from_1_to_12() {
    for suit in ["F", "W", "P", "S"] {
        for number in 1..=12 {
            let name = format!("{suit}{number}");
            let kind: Kind = name.parse().expect("a resource");
            assert_eq!(CardSet::ALL.count(kind), 2, "{name}");
            assert_eq!(kind.to_string(), name);
        }
        for number in ["0", "13"] {
            assert!(format!("{suit}{number}").parse::<Kind>().is_err(), "{suit}{number}");
        }
    }
}

/// Card List, Disasters: one card of each name.
#[test]
fn each_disaster_is_one_card() {
    let disasters = "rebellion erosion fire disease famine civil-war deforestation extinction drought climate-change \
                     clan-war collapse";

    for name in disasters.split(' ') {
        let kind: Kind = name.parse().expect("a Disaster");
        assert_eq!(effect(kind), Some(Effect::Disaster), "{name}");
        assert_eq!(CardSet::ALL.count(kind), 1, "{name}");
    }
    assert_eq!(disasters.split(' ').count(), 12);
}

/// Card List: the names of the cards.
#[test]
fn cards_have_the_names_of_the_card_list() {
    let names = [
        ("P1 P2 P3", "Islanders"),
        ("P4 P5 P6", "Rapa Nui"),
        ("P7 P8 P9", "Villagers"),
        ("P10 P11 P12", "Tribe"),
        ("F1", "Cannibalism"),
        ("F2", "Dogs"),
        ("F3", "Rats"),
        ("F4", "Chickens"),
        ("F5", "Fish"),
        ("F6", "Shellfish"),
        ("F7", "Yams"),
        ("F8", "Bananas"),
        ("F9", "Coconut Palms"),
        ("F10", "Nesting Seabirds"),
        ("F11", "Fishing Canoes"),
        ("F12", "Sea Turtles"),
        ("W1 W2", "Palm Trees"),
        ("W3 W4", "Toromiro Trees"),
        ("W5 W6", "Stand"),
        ("W7 W8", "Grove"),
        ("W9 W10", "Woodlands"),
        ("W11 W12", "Forest"),
        ("S1", "Carvers"),
        ("S2", "Craftsmen"),
        ("S3", "Rano Raraku"),
        ("S4", "Tuff Volcanic Ash"),
        ("S5", "Quarries"),
        ("S6", "Trachyte"),
        ("S7", "Scoria Pukao"),
        ("S8", "Basalt Tools"),
        ("S9", "Obsidian Eyes"),
        ("S10", "Ahu Platforms"),
        ("S11", "Monoliths"),
        ("S12", "Stone Giants"),
        ("raid", "Raid"),
        ("huri", "Huri Moai"),
        ("rebellion", "Rebellion"),
        ("erosion", "Erosion"),
        ("fire", "Fire"),
        ("disease", "Disease"),
        ("famine", "Famine"),
        ("civil-war", "Civil War"),
        ("deforestation", "Deforestation"),
        ("extinction", "Extinction"),
        ("drought", "Drought"),
        ("climate-change", "Climate Change"),
        ("clan-war", "Clan War"),
        ("collapse", "Collapse"),
    ];

    let mut kinds_met = 0;
    for (kinds, name) in names {
        for kind in kinds.split(' ') {
            assert_eq!(kind.parse().map(Kind::name), Ok(name), "{kind}");
            kinds_met += 1;
        }
    }
    assert_eq!(kinds_met, 62, "every kind has a name");
}

/// Front page, "Equal cards": the number of a copy matters to chance alone.
#[test]
fn a_card_is_written_with_the_number_of_its_copy() {
    for (text, right) in [("F7.1", true), ("F7.2", true), ("F7.3", false), ("F7", false), ("raid.8", true)]
        .into_iter()
        .chain([("raid.9", false), ("huri.4", true), ("huri.5", false), ("famine", true), ("famine.1", false)])
    {
        assert_eq!(text.parse::<Card>().is_ok(), right, "{text}");
    }
    assert_eq!(CardSet::ALL.iter().filter(|card| card.to_string().parse() == Ok(*card)).count(), 120);
}
