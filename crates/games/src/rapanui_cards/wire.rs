//! The typed messages of the game, package `ahu.rapanui_cards.v1`.

use ahu_core::{GameOptions as _, Seat, Seats};
use ahu_messages::rapanui_cards::v1;

use super::action::{Gatherers, Payout};
use super::cards::{DECK, Food, Foods, Kind, KindCounts};
use super::column::{Column, DEPTH, Pile};
use super::event::Gain;
use super::final_scoring::worth;
use super::options::{Colour, Options};
use super::setup::{STOCK, start_hand};
use super::stone::Top;
use super::{Action, Event, Phase, RapanuiCards, Stone, View};
use crate::wire::message::{
    FromField, ToField, action_messages, event_messages, from_one, from_one_or_none, number, numbered_fields,
};
use crate::{DataFile, Pack as _, Wire};

/// The name of the data file of the cards.
const DECK_FILE: &str = "rapanui_cards/v1";

impl Wire for RapanuiCards {
    type Observation = v1::Observation;
    type ActionMessage = v1::Action;
    type EventMessage = v1::Event;

    fn observation(view: &View) -> v1::Observation {
        // The options are part of the match, not of the observation.
        let table = &view.table;
        v1::Observation {
            viewer_seat: view.viewer.own_seat().map(number),
            phase: phase(table.phase).into(),
            active_seat: (table.phase != Phase::Start).then_some(number(table.active)),
            seat_to_act: table.phase.to_act(table.active).map(number),
            turn: table.turn.into(),
            players: table.options.seats.iter().map(|seat| player(view, seat)).collect(),
            columns: Column::all().map(|of| column(of, table.columns[of.index()])).collect(),
            stack_count: table.stack.into(),
            unseen: table.unseen.to_field(),
            supply: table.stock.to_field(),
            stone: Some(stone(view, &table.stone)),
            scored: from_one_or_none(table.phase.scored()),
            boxed_moai: table.boxed.into(),
            due: table.phase.due().into(),
            worth: view.sacrificed().map(|stone| worth(stone, table.options.zero_count_types).to_field()),
        }
    }

    action_messages! {
        v1, |_, _|;
        Buy(food), BuyNothing, BoxMoai, Sacrifice(food), Supply(food), SupplyNothing, Draw(column), Take(payout), Pick(food),
        PickNothing;
        write {
            Action::PlayLumberjack => play(Kind::Lumberjack, 1),
            Action::PlayPriest => play(Kind::Priest, 1),
            Action::BuildMoai => play(Kind::Moai, 1),
            Action::PlayGatherers(food, gatherers) => play(Kind::gatherer(food), gatherers.count()),
        }
        read {
            One::Play(to::Play { kind, count }) => read_play(Kind::from_field(kind)?, *count)?,
        }
    }

    event_messages! {
        v1, Event<Option<Food>>;
        StartPlayer { seat },
        StartCards { colours },
        Uncovered { column, cards },
        TurnBegan { seat, turn },
        Bought { seat, food, wood },
        BoughtNothing { seat },
        Played { seat, kind, count, wood },
        Boxed { seat },
        Supplied { seat, food },
        SuppliedNothing { seat },
        Drew { seat, column, kind },
        Scored { kind },
        Gained { seat, gain, bonus },
        Picked { seat, food },
        PickedNothing { seat },
        Ended { hidden_cards, sacrifice_cards, stone, worth, points };
        Event::Sacrificed { seat, food } => {
            One::Sacrificed(to::Sacrificed { seat: seat.to_field(), food: food.to_field(), face_down: false })
        },
        Event::Hid { seat, food } => {
            One::Sacrificed(to::Sacrificed { seat: seat.to_field(), food: from_one_or_none(food), face_down: true })
        },
    }

    fn data_files() -> Vec<DataFile> {
        let about = "The cards of the display, the start cards, and the sacrifice cards. The foods that start cards lack are \
                     a reconstruction.";
        vec![DataFile { name: DECK_FILE, about, content: deck().packed() }]
    }

    fn data_files_of(_: &Options) -> Vec<&'static str> {
        vec![DECK_FILE]
    }
}

const NO_ACTION: &str = "expected one of buy, buy_nothing, play, box_moai, sacrifice, supply, supply_nothing, draw, take, pick, \
                         pick_nothing, but none of them is set";

const fn phase(phase: Phase) -> v1::Phase {
    match phase {
        Phase::Start | Phase::Colours | Phase::LayOut(_) => v1::Phase::Setup,
        Phase::Buy => v1::Phase::Buy,
        Phase::Play => v1::Phase::Play,
        Phase::Sacrifice(_) => v1::Phase::Sacrifice,
        Phase::Supply => v1::Phase::Supply,
        Phase::Draw => v1::Phase::Draw,
        Phase::Uncover(_) => v1::Phase::Uncover,
        Phase::Payout(_) => v1::Phase::Payout,
        Phase::Substitute { .. } => v1::Phase::Substitute,
        Phase::Over => v1::Phase::Over,
    }
}

fn player(view: &View, seat: Seat) -> v1::Player {
    let village = &view.table.villages[seat];
    let cards = view.cards_of(seat);
    let bonuses = view.table.bonuses(seat);
    v1::Player {
        seat: Some(number(seat)),
        colour: from_one_or_none(village.colour),
        wood: village.wood.into(),
        glory: village.glory.into(),
        points: view.points(seat).into(),
        display: village.display.to_field(),
        bonuses: Kind::ALL.into_iter().filter(|of| bonuses >> of.index() & 1 == 1).map(from_one).collect(),
        sacrifice_card_count: village.held.into(),
        hidden_card_count: view.table.stone.hidden_by(seat).count() as u32,
        prices: Some(food_counts(village.prices().map(u32::from))),
        hand: view.viewer.is(seat).then(|| village.hand.to_field()),
        sacrifice_cards: cards.map(Foods::to_field),
        hidden_cards: cards.map(|_| view.hidden_by(seat).to_field()),
    }
}

fn column(column: Column, pile: Pile) -> v1::Column {
    v1::Column {
        number: from_one(column),
        card_count: pile.len.into(),
        cards: pile.cards().iter().flatten().map(|&of| from_one(of)).collect(),
    }
}

fn stone(view: &View, stone: &Stone) -> v1::Stone {
    v1::Stone {
        top: match stone.top {
            Top::Open(of) => from_one(of),
            Top::Empty | Top::FaceDown => 0,
        },
        hidden_card_count: stone.face_down_count.into(),
        cards: view.shows_stone().then(|| view.sacrificed().unwrap_or(stone.open).to_field()),
        top_face_down: stone.top == Top::FaceDown,
    }
}

/// Returns the cards of the game.
fn deck() -> v1::Deck {
    let options = Options::new(Seats::new(Options::MAX_SEATS).expect("a game has seats"));
    let start_cards = Colour::ALL.map(|colour| {
        let mut cards = start_hand(options.lacking_food(colour));
        cards[Kind::Lumberjack] = 1;
        v1::StartCards { colour: from_one(colour), cards: cards.to_field() }
    });
    v1::Deck {
        cards: DECK.to_field(),
        start_cards: start_cards.to_vec(),
        sacrifice_cards: Foods::of([STOCK; Food::COUNT]).to_field(),
        column_count: Column::COUNT as u32,
        column_depth: DEPTH as u32,
    }
}

numbered_fields! {
    enums {
        Food as v1::Food, "food";
        Kind as v1::Kind, "kind";
        Colour as v1::Colour, "colour";
        Payout as v1::Payout, "payout";
    }
    numbers {
        Column, "column";
    }
}

impl ToField<v1::FoodCounts> for Foods {
    fn to_field(self) -> v1::FoodCounts {
        food_counts(Food::ALL.map(|food| self[food].into()))
    }
}

fn food_counts([fish, mulberry, sweet_potato, grain]: [u32; Food::COUNT]) -> v1::FoodCounts {
    v1::FoodCounts { fish, mulberry, sweet_potato, grain }
}

impl ToField<v1::KindCounts> for KindCounts {
    fn to_field(self) -> v1::KindCounts {
        v1::KindCounts {
            gatherers: Some(food_counts(Food::ALL.map(|food| self[Kind::gatherer(food)].into()))),
            lumberjack: self[Kind::Lumberjack].into(),
            priest: self[Kind::Priest].into(),
            moai: self[Kind::Moai].into(),
        }
    }
}

fn play(kind: Kind, count: u8) -> v1::action::Action {
    v1::action::Action::Play(v1::action::Play { kind: kind.to_field(), count: count.into() })
}

fn read_play(kind: Kind, count: u32) -> Result<Action, String> {
    let gatherers = Gatherers::ALL.into_iter().find(|gatherers| u32::from(gatherers.count()) == count.max(1));
    match (kind.food(), gatherers) {
        (Some(food), Some(gatherers)) => Ok(Action::PlayGatherers(food, gatherers)),
        (Some(_), None) => {
            let most = Gatherers::COUNT;
            Err(format!("expected a count of 1 to {most} for Hunters & Gatherers, got {count}"))
        }
        (None, Some(Gatherers::One)) => Ok(match kind {
            Kind::Lumberjack => Action::PlayLumberjack,
            Kind::Priest => Action::PlayPriest,
            _ => Action::BuildMoai,
        }),
        (None, _) => Err(format!("expected a count of 1 for {kind}, got {count}")),
    }
}

impl ToField<v1::event::gained::Gain> for Gain {
    fn to_field(self) -> v1::event::gained::Gain {
        use v1::event::gained::Gain as One;
        match self {
            Self::Wood(wood) => One::Wood(wood.into()),
            Self::Glory(glory) => One::Glory(glory.into()),
            Self::Cards(_, count) => One::SacrificeCards(count.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::message::assert_same_names;

    #[test]
    fn enums_of_messages_are_those_of_the_game() {
        assert_same_names! {
            Food, v1::Food, "FOOD";
            Kind, v1::Kind, "KIND";
            Colour, v1::Colour, "COLOUR";
            Payout, v1::Payout, "PAYOUT";
        }
    }
}
