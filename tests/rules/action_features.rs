//! Action features: kinds, pieces, places, numbers, and opponents of the actions of each game.

use std::collections::HashSet;

use ahu_core::{ActionFeatures, ActionId};
use ahu_host::{GAMES, find};

/// Returns the features of an action in words: the kind, then the features that it has.
fn told(features: &ActionFeatures, id: ActionId) -> String {
    let of = features.actions[id.index()];
    let named = |name: i16, names: &[String]| usize::try_from(name).ok().map(|name| names[name].clone());
    let numbered = |what: &str, number: i16| (number >= 0).then(|| format!("{what} {number}"));
    let parts = [
        named(of.kind, &features.kinds),
        named(of.piece, &features.pieces),
        named(of.place, &features.places),
        numbered("number", of.number),
        numbered("opponent", of.opponent),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(" | ")
}

#[test]
fn features_say_what_an_action_touches() {
    for (game, actions) in [
        (
            "rappanui",
            [
                ("no event", "no event"),
                ("raid +1", "<event> <opponent> | card raid | opponent 1"),
                ("collapse +5", "<event> <opponent> | card collapse | opponent 5"),
                ("meld F7", "meld <card> | card F7"),
                ("discard F7", "discard <card> | card F7"),
                ("discard raid", "discard <card> | card raid"),
                ("done", "done"),
            ]
            .as_slice(),
        ),
        (
            "rapanui_cards",
            &[
                ("buy fish", "buy <food> | sacrifice fish"),
                ("buy nothing", "buy nothing"),
                ("play fish 1", "play <food> <count> | gatherers fish | number 1"),
                ("play grain 3", "play <food> <count> | gatherers grain | number 3"),
                ("sacrifice grain", "sacrifice <food> | sacrifice grain"),
                ("draw 4", "draw <column> | column 4"),
                ("take glory", "take glory"),
                ("take wood", "take wood"),
            ],
        ),
        (
            "giants",
            &[
                ("bid markers 0", "bid markers <number> | number 0"),
                ("bid workers 6", "bid workers <number> | number 6"),
                ("bid leaders both", "bid leaders both"),
                ("pick 3", "pick <size> | moai 3"),
                ("place worker", "place <figure> | figure worker | number 0"),
                ("place sorcerer 2 logs", "place <figure> | figure sorcerer | number 2"),
                ("at 41", "at <hex> | hex 41"),
                ("enter 41", "enter <hex> | hex 41"),
                ("reserve a25", "reserve <ahu> | ahu a25"),
                ("lift hn", "lift <piece> | piece hn"),
                ("pay chief +4", "pay chief <opponent> | opponent 4"),
            ],
        ),
        (
            "rapanui_board",
            &[
                ("transporter 27", "transporter <space> | space 27"),
                ("sculptor large", "sculptor <column> | column large"),
                ("sorcerer 6", "sorcerer <star> | star 6"),
                ("tile barter reeds eggs", "tile barter <types> | exchange reeds eggs"),
                ("tablet change_jobs small", "tablet change_jobs <column> | column small"),
                ("tablet change_jobs 12", "tablet change_jobs <space> | space 12"),
                ("tile lend_a_hand chief 27", "tile lend_a_hand chief <space> | space 27"),
                ("tablet take_two_more", "tablet take_two_more"),
                ("tablet skimp", "tablet skimp"),
                ("sculpt small", "sculpt <size> | cargo small"),
                ("transport small", "transport <cargo> | cargo small"),
                ("transport pukao", "transport <cargo> | cargo pukao"),
                ("step crater", "step <area> | space crater"),
                ("step 12", "step <area> | space 12"),
                ("gain first 18", "gain first <count> | number 18"),
                ("offer outstanding hut", "offer outstanding <offering> | offering hut"),
                ("pay eggs reeds", "pay <resources> | payment reeds eggs"),
                ("draft rest", "draft <kind> | tile rest"),
            ],
        ),
    ] {
        let rules = find(game).expect("a game");
        let features = ActionFeatures::of(rules.action_groups());
        for (text, expected) in actions {
            assert_eq!(told(&features, rules.parse_action(text).expect(text)), *expected, "{game}: {text}");
        }
    }
}

#[test]
fn no_two_actions_have_the_same_features_and_no_name_is_idle_or_double() {
    for rules in GAMES {
        let id = rules.info().id;
        let features = ActionFeatures::of(rules.action_groups());
        let ActionFeatures { kinds, pieces, places, actions } = &features;

        assert_eq!(actions.len(), rules.action_count(), "{id}");
        assert_eq!(actions.iter().collect::<HashSet<_>>().len(), actions.len(), "{id}");
        // Numbers follow the order of first appearance, so the greatest so far grows by one at a time.
        for (names, column) in [
            (kinds, actions.iter().map(|action| action.kind).collect::<Vec<_>>()),
            (pieces, actions.iter().map(|action| action.piece).collect()),
            (places, actions.iter().map(|action| action.place).collect()),
        ] {
            let mut next = 0;
            for number in column {
                assert!((-1..=next).contains(&number), "{id}: {number} before {next} of {names:?}");
                next = next.max(number + 1);
            }
            assert_eq!(usize::try_from(next), Ok(names.len()), "{id}");
            assert_eq!(names.iter().collect::<HashSet<_>>().len(), names.len(), "{id}: {names:?}");
        }
        assert!(actions.iter().all(|action| action.kind >= 0), "{id}");
    }
}
