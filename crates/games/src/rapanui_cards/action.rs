//! The actions, their ids, and their grammar.

use ahu_core::{ParseError, actions, named};

use super::cards::Food;
use super::column::Column;

actions! {
    /// One decision of one seat.
    pub enum Action {
        /// Step 1: buy a sacrifice card: fish, mulberry, sweet_potato, grain. It costs 5 wood, one less for each Hunter &
        /// Gatherer of the food in one's own display.
        "buy <food>" => Buy(food: Food as piece "sacrifice") says "Buy a sacrifice card: <food>",
        /// Step 1: buy no sacrifice card.
        "buy nothing" => BuyNothing,
        /// Step 2: play a lumberjack, for nothing.
        "play lumberjack" => PlayLumberjack says "Play a lumberjack",
        /// Step 2: play a priest, for nothing.
        "play priest" => PlayPriest says "Play a priest",
        /// Step 2: play a Moai, for 7 wood. A sacrifice round follows.
        "build moai" => BuildMoai says "Build a Moai",
        /// Step 2: play 1 to 3 Hunters & Gatherers of one food at once, for 0 to 2 wood. Fish 1 to 3, mulberry,
        /// sweet_potato, grain.
        "play <food> <count>" => PlayGatherers(food: Food as piece "gatherers", count: Gatherers as number)
            says "Play <count> Hunter(s) & Gatherer(s): <food>",
        /// Step 2, with three Moai in hand and less than 7 wood: put one out of the game.
        "box moai" => BoxMoai says "Put a Moai out of the game",
        /// Sacrifice round: lay one's own sacrifice card on the stone, face up; the builder of the Moai, face down.
        "sacrifice <food>" => Sacrifice(food: Food as piece "sacrifice"),
        /// Sacrifice round: the builder of the Moai lays a card from the supply on the stone, face up.
        "supply <food>" => Supply(food: Food as piece "sacrifice") says "Add <food> from the supply",
        /// Sacrifice round, moai_supply_sacrifice=optional: the builder of the Moai lays none.
        "supply nothing" => SupplyNothing says "Add nothing from the supply",
        /// Step 3: take the front card of a column, 1 to 4. The card that the last one uncovers is scored.
        "draw <column>" => Draw(column: Column as place "column") says "Take the front card of column <column>",
        /// Scoring of Moai: take one's whole yield in glory points, or in wood.
        "take <payout>" => Take(payout: Payout as kind) says "Take <payout> for your Moai",
        /// Scoring of a food whose stack is depleted: take a card of another food in its place.
        "pick <food>" => Pick(food: Food as piece "sacrifice") says "Take another sacrifice card: <food>",
        /// Scoring of a food whose stack is depleted, depleted_pick=may_decline: take none.
        "pick nothing" => PickNothing says "Take no other sacrifice card",
    }
    hint: hint
}

/// Explains frequent mistakes: a Moai is built, and a lumberjack or a priest is played alone.
fn hint(words: &[(usize, &str)]) -> Option<ParseError> {
    match *words {
        [(_, "play"), (at, "moai"), ..] => Some(ParseError::new(at, "expected \"build moai\", got \"play moai\"")),
        [(_, "play"), (_, who @ ("lumberjack" | "priest")), (at, count), ..] => {
            Some(ParseError::new(at, format!("expected \"play {who}\" for one at a time, got \"play {who} {count}\"")))
        }
        _ => None,
    }
}

named! {
    /// The number of Hunters & Gatherers that a player plays at once.
    pub enum Gatherers("number of Hunters & Gatherers") {
        /// One, for nothing.
        One = "1",
        /// Two, for 1 wood.
        Two = "2",
        /// Three, for 2 wood.
        Three = "3",
    }

    /// The form of a player's yield when Moai are scored.
    pub enum Payout("payout") {
        /// Glory points.
        Glory = "glory",
        /// Wood.
        Wood = "wood",
    }
}

impl Gatherers {
    /// Returns the number of cards.
    pub const fn count(self) -> u8 {
        self as u8 + 1
    }

    /// Returns the price in wood of playing this many at once. Cards played before do not count.
    pub const fn price(self) -> u16 {
        self as u16
    }
}

#[cfg(test)]
mod tests {
    use ahu_core::{Action as _, ActionId};

    use super::*;

    #[test]
    fn ids_are_stable() {
        let id = |text: &str| text.parse::<Action>().map(|action| action.id().0);
        assert_eq!(Action::COUNT, 41);
        assert_eq!(Action::GROUPS.iter().map(|group| group.count).sum::<usize>(), 41);
        for (text, expected) in [
            ("buy fish", 0),
            ("buy grain", 3),
            ("buy nothing", 4),
            ("play lumberjack", 5),
            ("play priest", 6),
            ("build moai", 7),
            ("play fish 1", 8),
            ("play mulberry 3", 13),
            ("play grain 3", 19),
            ("box moai", 20),
            ("sacrifice fish", 21),
            ("supply sweet_potato", 27),
            ("supply nothing", 29),
            ("draw 1", 30),
            ("draw 4", 33),
            ("take glory", 34),
            ("take wood", 35),
            ("pick fish", 36),
            ("pick nothing", 40),
        ] {
            assert_eq!(id(text), Ok(expected), "{text}");
        }
        assert_eq!(Action::from_id(ActionId(41)), None);
        assert_eq!(Action::from_id(ActionId(u16::MAX)), None);
    }

    #[test]
    fn a_text_that_is_no_action_is_refused_where_it_goes_wrong() {
        for (text, at, reason) in [
            ("", 0, "expected an action, got nothing; actions are \"buy <food>\", "),
            ("buy", 3, "expected more after \"buy\", such as \"buy fish\" or \"buy nothing\""),
            ("buy  fisch", 5, "unknown food \"fisch\"; did you mean \"fish\"?"),
            ("play moai", 5, "expected \"build moai\", got \"play moai\""),
            ("play fish", 9, "such as \"play fish 1\""),
            ("play fish 4", 10, "unknown number of Hunters & Gatherers \"4\" (expected one of 1, 2, 3)"),
            ("play priest 2", 12, "expected \"play priest\" for one at a time"),
            ("play moai 1", 5, "expected \"build moai\""),
            ("build priest", 6, "expected \"moai\" after \"build\", got \"priest\""),
            ("draw 5", 5, "expected column 1 to 4, got \"5\""),
            ("take stone", 5, "unknown payout \"stone\" (expected one of glory, wood)"),
            ("buy fish now", 9, "expected nothing after \"buy fish\", got \"now\""),
            ("bui fish", 0, "unknown action \"bui\"; did you mean \"buy\"?"),
            ("pass", 0, "unknown action \"pass\"; actions are "),
        ] {
            let error = text.parse::<Action>().expect_err(text);
            assert_eq!(error.at, at, "{text}: {}", error.message);
            assert!(error.message.contains(reason), "{text}: {}", error.message);
        }
    }
}
