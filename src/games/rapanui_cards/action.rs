//! The actions, their ids, and their grammar.

use std::fmt;
use std::str::FromStr;

use super::cards::Food;
use crate::core::parse::words;
use crate::core::{self, ActionGroup, ActionId, ParseError};

/// One decision of one seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// Step 1: buy a sacrifice card.
    Buy(Food),
    /// Step 1: buy no sacrifice card.
    BuyNothing,
    /// Step 2: play a lumberjack.
    PlayLumberjack,
    /// Step 2: play a priest.
    PlayPriest,
    /// Step 2: play a Moai, for 7 wood.
    BuildMoai,
    /// Step 2: play this number of Hunters & Gatherers of one food.
    PlayGatherers(Food, Gatherers),
    /// Step 2, with three Moai in hand and too little wood: put one out of the game.
    BoxMoai,
    /// Sacrifice round: lay an own sacrifice card on the stone; the builder's card lies face down.
    Sacrifice(Food),
    /// Sacrifice round: the builder adds a card from the supply.
    Supply(Food),
    /// Sacrifice round: the builder adds no card.
    SupplyNothing,
    /// Step 3: take the front card of a column.
    Draw(Column),
    /// Scoring of Moai: take the yield in glory points, or in wood.
    Take(Payout),
    /// Scoring of a food with a depleted stack: take this card as a substitute.
    Pick(Food),
    /// Scoring of a food with a depleted stack: take no substitute.
    PickNothing,
}

/// The number of Hunters & Gatherers played at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Gatherers {
    /// One, for nothing.
    One,
    /// Two, for 1 wood.
    Two,
    /// Three, for 2 wood.
    Three,
}

impl Gatherers {
    /// Every number, rising.
    pub const ALL: [Self; 3] = [Self::One, Self::Two, Self::Three];

    /// Returns the number.
    pub const fn count(self) -> u8 {
        self as u8 + 1
    }

    /// Returns the price in wood of playing this many at once. Cards played before do not count.
    pub const fn price(self) -> u16 {
        self as u16
    }
}

/// One of the four columns of the display.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Column(u8);

impl Column {
    /// The number of columns.
    pub const COUNT: usize = 4;
    /// The column that is laid out first.
    pub const FIRST: Self = Self(0);

    /// Returns the column with number `index`, counted from 0; None if there is none.
    pub const fn new(index: usize) -> Option<Self> {
        if index < Self::COUNT { Some(Self(index as u8)) } else { None }
    }

    /// Returns the number of the column, counted from 0.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Returns every column.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..Self::COUNT as u8).map(Self)
    }
}

/// Writes the number of the column, counted from 1.
impl fmt::Display for Column {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0 + 1)
    }
}

impl FromStr for Column {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        Self::all()
            .find(|column| column.to_string() == text)
            .ok_or_else(|| ParseError::new(0, format!("expected a column from 1 to {}, got \"{text}\"", Self::COUNT)))
    }
}

/// The form of a player's yield when Moai are scored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Payout {
    /// Glory points.
    Glory,
    /// Wood.
    Wood,
}

pub(super) const BUY: ActionId = ActionId(0);
const BUY_NOTHING: ActionId = after(BUY, Food::COUNT);
const PLAY_LUMBERJACK: ActionId = after(BUY_NOTHING, 1);
const PLAY_PRIEST: ActionId = after(PLAY_LUMBERJACK, 1);
const BUILD_MOAI: ActionId = after(PLAY_PRIEST, 1);
const PLAY_GATHERERS: ActionId = after(BUILD_MOAI, 1);
const BOX_MOAI: ActionId = after(PLAY_GATHERERS, Food::COUNT * Gatherers::ALL.len());
pub(super) const SACRIFICE: ActionId = after(BOX_MOAI, 1);
pub(super) const SUPPLY: ActionId = after(SACRIFICE, Food::COUNT);
const SUPPLY_NOTHING: ActionId = after(SUPPLY, Food::COUNT);
pub(super) const DRAW: ActionId = after(SUPPLY_NOTHING, 1);
const TAKE: ActionId = after(DRAW, Column::COUNT);
pub(super) const PICK: ActionId = after(TAKE, 2);
const PICK_NOTHING: ActionId = after(PICK, Food::COUNT);

/// Returns the id after a run of `count` ids that begins with `first`.
const fn after(first: ActionId, count: usize) -> ActionId {
    ActionId(first.0 + count as u16)
}

impl core::Action for Action {
    const COUNT: usize = after(PICK_NOTHING, 1).index();
    const GROUPS: &'static [ActionGroup] = &[
        ActionGroup {
            pattern: "buy <food>",
            count: Food::COUNT,
            meaning: "Step 1: buy a sacrifice card: fish, mulberry, sweet_potato, grain. It costs 5 wood, one less for each \
                      Hunter & Gatherer of the food in the player's display.",
        },
        ActionGroup { pattern: "buy nothing", count: 1, meaning: "Step 1: buy no sacrifice card." },
        ActionGroup { pattern: "play lumberjack", count: 1, meaning: "Step 2: play a lumberjack, for nothing." },
        ActionGroup { pattern: "play priest", count: 1, meaning: "Step 2: play a priest, for nothing." },
        ActionGroup {
            pattern: "build moai",
            count: 1,
            meaning: "Step 2: play a Moai, for 7 wood; a sacrifice round follows.",
        },
        ActionGroup {
            pattern: "play <food> <count>",
            count: Food::COUNT * Gatherers::ALL.len(),
            meaning: "Step 2: play 1 to 3 Hunters & Gatherers of one food at once, for 0 to 2 wood. Fish 1 to 3, mulberry, \
                      sweet_potato, grain.",
        },
        ActionGroup {
            pattern: "box moai",
            count: 1,
            meaning: "Step 2, with three Moai in hand and less than 7 wood: put one out of the game.",
        },
        ActionGroup {
            pattern: "sacrifice <food>",
            count: Food::COUNT,
            meaning: "Sacrifice round: lay an own sacrifice card on the stone, face up; the builder of the Moai lays it face down.",
        },
        ActionGroup {
            pattern: "supply <food>",
            count: Food::COUNT,
            meaning: "Sacrifice round: the builder of the Moai lays a card from the supply on the stone, face up.",
        },
        ActionGroup {
            pattern: "supply nothing",
            count: 1,
            meaning: "Sacrifice round, moai_supply_sacrifice=optional: the builder of the Moai lays no card.",
        },
        ActionGroup {
            pattern: "draw <column>",
            count: Column::COUNT,
            meaning: "Step 3: take the front card of a column, 1 to 4. The last uncovered card is scored.",
        },
        ActionGroup {
            pattern: "take glory",
            count: 1,
            meaning: "Scoring of Moai: take the whole yield in glory points.",
        },
        ActionGroup { pattern: "take wood", count: 1, meaning: "Scoring of Moai: take the whole yield in wood." },
        ActionGroup {
            pattern: "pick <food>",
            count: Food::COUNT,
            meaning: "Scoring of a food with a depleted stack: take a card of another food as a substitute.",
        },
        ActionGroup {
            pattern: "pick nothing",
            count: 1,
            meaning: "Scoring of a food with a depleted stack, depleted_pick=may_decline: take no substitute.",
        },
    ];

    #[inline]
    fn id(self) -> ActionId {
        match self {
            Self::Buy(food) => after(BUY, food as usize),
            Self::BuyNothing => BUY_NOTHING,
            Self::PlayLumberjack => PLAY_LUMBERJACK,
            Self::PlayPriest => PLAY_PRIEST,
            Self::BuildMoai => BUILD_MOAI,
            Self::PlayGatherers(food, gatherers) => {
                after(PLAY_GATHERERS, food as usize * Gatherers::ALL.len() + gatherers as usize)
            }
            Self::BoxMoai => BOX_MOAI,
            Self::Sacrifice(food) => after(SACRIFICE, food as usize),
            Self::Supply(food) => after(SUPPLY, food as usize),
            Self::SupplyNothing => SUPPLY_NOTHING,
            Self::Draw(column) => after(DRAW, column.index()),
            Self::Take(of) => after(TAKE, of as usize),
            Self::Pick(food) => after(PICK, food as usize),
            Self::PickNothing => PICK_NOTHING,
        }
    }

    #[inline]
    fn from_id(id: ActionId) -> Option<Self> {
        // Each run ends where the next one begins.
        let food = |first: ActionId| Food::new(id.index() - first.index());
        match id {
            _ if id < BUY_NOTHING => food(BUY).map(Self::Buy),
            BUY_NOTHING => Some(Self::BuyNothing),
            PLAY_LUMBERJACK => Some(Self::PlayLumberjack),
            PLAY_PRIEST => Some(Self::PlayPriest),
            BUILD_MOAI => Some(Self::BuildMoai),
            _ if id < BOX_MOAI => {
                let place = id.index() - PLAY_GATHERERS.index();
                let food = Food::new(place / Gatherers::ALL.len())?;
                Some(Self::PlayGatherers(food, Gatherers::ALL[place % Gatherers::ALL.len()]))
            }
            BOX_MOAI => Some(Self::BoxMoai),
            _ if id < SUPPLY => food(SACRIFICE).map(Self::Sacrifice),
            _ if id < SUPPLY_NOTHING => food(SUPPLY).map(Self::Supply),
            SUPPLY_NOTHING => Some(Self::SupplyNothing),
            _ if id < TAKE => Column::new(id.index() - DRAW.index()).map(Self::Draw),
            TAKE => Some(Self::Take(Payout::Glory)),
            _ if id < PICK => Some(Self::Take(Payout::Wood)),
            _ if id < PICK_NOTHING => food(PICK).map(Self::Pick),
            PICK_NOTHING => Some(Self::PickNothing),
            _ => None,
        }
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Buy(food) => write!(f, "buy {food}"),
            Self::BuyNothing => f.write_str("buy nothing"),
            Self::PlayLumberjack => f.write_str("play lumberjack"),
            Self::PlayPriest => f.write_str("play priest"),
            Self::BuildMoai => f.write_str("build moai"),
            Self::PlayGatherers(food, gatherers) => write!(f, "play {food} {}", gatherers.count()),
            Self::BoxMoai => f.write_str("box moai"),
            Self::Sacrifice(food) => write!(f, "sacrifice {food}"),
            Self::Supply(food) => write!(f, "supply {food}"),
            Self::SupplyNothing => f.write_str("supply nothing"),
            Self::Draw(column) => write!(f, "draw {column}"),
            Self::Take(Payout::Glory) => f.write_str("take glory"),
            Self::Take(Payout::Wood) => f.write_str("take wood"),
            Self::Pick(food) => write!(f, "pick {food}"),
            Self::PickNothing => f.write_str("pick nothing"),
        }
    }
}

impl FromStr for Action {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let words: Vec<(usize, &str)> = words(text).collect();
        let food = |(at, word): (usize, &str)| word.parse::<Food>().map_err(|error| error.within(at));
        match words[..] {
            [(_, "buy"), (_, "nothing")] => Ok(Self::BuyNothing),
            [(_, "buy"), what] => food(what).map(Self::Buy),
            [(_, "play"), (_, "lumberjack")] => Ok(Self::PlayLumberjack),
            [(_, "play"), (_, "priest")] => Ok(Self::PlayPriest),
            [(_, "play"), (at, "moai"), ..] => {
                Err(ParseError::new(at, "expected a card to play, got \"moai\"; did you mean \"build moai\"?"))
            }
            [(_, "play"), (_, who @ ("lumberjack" | "priest")), (at, _)] => {
                Err(ParseError::new(at, format!("expected \"play {who}\" without a number")))
            }
            [(_, "play"), what] => Err(how_many(text, food(what)?)),
            [(_, "play"), what, count] => Ok(Self::PlayGatherers(food(what)?, read_count(count)?)),
            [(_, "build"), (_, "moai")] => Ok(Self::BuildMoai),
            [(_, "box"), (_, "moai")] => Ok(Self::BoxMoai),
            [(_, verb @ ("build" | "box")), (at, what)] => {
                Err(ParseError::new(at, format!("expected \"{verb} moai\", got \"{verb} {what}\"")))
            }
            [(_, "sacrifice"), what] => food(what).map(Self::Sacrifice),
            [(_, "supply"), (_, "nothing")] => Ok(Self::SupplyNothing),
            [(_, "supply"), what] => food(what).map(Self::Supply),
            [(_, "draw"), (at, column)] => column.parse().map(Self::Draw).map_err(|error: ParseError| error.within(at)),
            [(_, "take"), (_, "glory")] => Ok(Self::Take(Payout::Glory)),
            [(_, "take"), (_, "wood")] => Ok(Self::Take(Payout::Wood)),
            [(_, "take"), (at, what)] => {
                Err(ParseError::new(at, format!("expected \"take glory\" or \"take wood\", got \"take {what}\"")))
            }
            [(_, "pick"), (_, "nothing")] => Ok(Self::PickNothing),
            [(_, "pick"), what] => food(what).map(Self::Pick),
            [] => Err(ParseError::new(0, format!("expected an action, got nothing; {GRAMMAR}"))),
            [(at, verb)] if VERBS.contains(&verb) => {
                Err(ParseError::new(at + verb.len(), format!("expected a word after \"{verb}\"; {GRAMMAR}")))
            }
            [(_, verb), _, (at, word), ..] if VERBS.contains(&verb) => {
                Err(ParseError::new(at, format!("expected the end of the action, got \"{word}\"; {GRAMMAR}")))
            }
            [(at, word), ..] => Err(ParseError::new(at, format!("expected an action, got \"{word}\"; {GRAMMAR}"))),
        }
    }
}

fn read_count((at, word): (usize, &str)) -> Result<Gatherers, ParseError> {
    let counts = Gatherers::ALL.into_iter();
    counts.into_iter().find(|gatherers| gatherers.count().to_string() == word).ok_or_else(|| {
        ParseError::new(at, format!("expected 1 to {} Hunters & Gatherers, got \"{word}\"", Gatherers::ALL.len()))
    })
}

fn how_many(text: &str, food: Food) -> ParseError {
    ParseError::new(
        text.len(),
        format!("expected a number after \"{food}\": \"play {food} 1\" to \"play {food} {}\"", Gatherers::ALL.len()),
    )
}

const VERBS: [&str; 9] = ["buy", "play", "build", "box", "sacrifice", "supply", "draw", "take", "pick"];

const GRAMMAR: &str = "examples of actions: \"buy fish\", \"buy nothing\", \"play lumberjack\", \"play fish 2\", \"build moai\", \
                       \"box moai\", \"sacrifice fish\", \"supply fish\", \"draw 1\", \"take glory\", \"pick fish\"";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::Action as _;

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
            ("", 0, "expected an action, got nothing"),
            ("buy", 3, "expected a word after \"buy\""),
            ("buy  fisch", 5, "did you mean \"fish\"?"),
            ("play moai", 5, "\"build moai\""),
            ("play fish", 9, "expected a number after \"fish\""),
            ("play fish 4", 10, "1 to 3 Hunters & Gatherers"),
            ("play priest 2", 12, "\"play priest\""),
            ("play moai 1", 5, "\"build moai\""),
            ("build priest", 6, "expected \"build moai\""),
            ("draw 5", 5, "expected a column from 1 to 4, got \"5\""),
            ("take stone", 5, "\"take glory\" or \"take wood\""),
            ("buy fish now", 9, "expected the end of the action, got \"now\""),
            ("pass", 0, "expected an action, got \"pass\""),
        ] {
            let error = text.parse::<Action>().expect_err(text);
            assert_eq!(error.at, at, "{text}");
            assert!(error.message.contains(reason), "{text}: {}", error.message);
        }
    }
}
