//! The typed messages of the game, package `ahu.rapanui_cards.v1`.

use ahu_core::{GameOptions as _, Seat, Seats, Viewer};
use ahu_messages::rapanui_cards::v1;

use super::action::Gatherers;
use super::cards::{DECK, Food, Foods, Kind, KindCounts};
use super::column::{Column, DEPTH, Pile};
use super::event::Gain;
use super::final_scoring::worth;
use super::options::{Colour, Options};
use super::setup::{STOCK, start_hand};
use super::stone::Top;
use super::{Action, Event, Phase, RapanuiCards, Stone, View};
use crate::wire::message::{by_seat, from_one, from_one_or_none, number, read_enum, read_from_one};
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
            viewer_seat: match view.viewer {
                Viewer::Seat(seat) => Some(number(seat)),
                Viewer::Public => None,
            },
            phase: phase(table.phase).into(),
            active_seat: (table.phase != Phase::Start).then_some(number(table.active)),
            seat_to_act: table.phase.to_act(table.active).map(number),
            turn: table.turn.into(),
            players: table.options.seats.iter().map(|seat| player(view, seat)).collect(),
            columns: Column::all().map(|of| column(of, table.columns[of.index()])).collect(),
            stack_count: table.stack.into(),
            unseen: Some(kinds(table.unseen)),
            supply: Some(foods(table.stock)),
            stone: Some(stone(view, &table.stone)),
            scored: from_one_or_none(table.phase.scored()),
            boxed_moai: table.boxed.into(),
            due: due(table.phase),
            worth: view.sacrificed().map(|stone| foods(worth(stone, table.options.zero_count_types))),
        }
    }

    fn action(action: Action, _: Seat, _: Seats) -> v1::Action {
        use v1::action::{
            Action as ActionOneof, BoxMoai, Buy, BuyNothing, Draw, Pick, PickNothing, Sacrifice, Supply, SupplyNothing,
            Take,
        };
        let oneof = match action {
            Action::Buy(of) => ActionOneof::Buy(Buy { food: from_one(of) }),
            Action::BuyNothing => ActionOneof::BuyNothing(BuyNothing {}),
            Action::PlayLumberjack => play(Kind::Lumberjack, 1),
            Action::PlayPriest => play(Kind::Priest, 1),
            Action::BuildMoai => play(Kind::Moai, 1),
            Action::PlayGatherers(of, gatherers) => play(Kind::gatherer(of), gatherers.count()),
            Action::BoxMoai => ActionOneof::BoxMoai(BoxMoai {}),
            Action::Sacrifice(of) => ActionOneof::Sacrifice(Sacrifice { food: from_one(of) }),
            Action::Supply(of) => ActionOneof::Supply(Supply { food: from_one(of) }),
            Action::SupplyNothing => ActionOneof::SupplyNothing(SupplyNothing {}),
            Action::Draw(from) => ActionOneof::Draw(Draw { column: from_one(from) }),
            Action::Take(payout) => ActionOneof::Take(Take { payout: from_one(payout) }),
            Action::Pick(of) => ActionOneof::Pick(Pick { food: from_one(of) }),
            Action::PickNothing => ActionOneof::PickNothing(PickNothing {}),
        };
        v1::Action { action: Some(oneof) }
    }

    fn read_action(message: &v1::Action, _: Seat, _: Seats) -> Result<Action, String> {
        use v1::action::{
            Action as ActionOneof, BoxMoai, Buy, BuyNothing, Draw, Pick, PickNothing, Play, Sacrifice, Supply,
            SupplyNothing, Take,
        };
        match *message.action.as_ref().ok_or(NO_ACTION)? {
            ActionOneof::Buy(Buy { food }) => read_enum!(v1::Food, "food", food).map(Action::Buy),
            ActionOneof::BuyNothing(BuyNothing {}) => Ok(Action::BuyNothing),
            ActionOneof::Play(Play { kind, count }) => read_play(kind, count),
            ActionOneof::BoxMoai(BoxMoai {}) => Ok(Action::BoxMoai),
            ActionOneof::Sacrifice(Sacrifice { food }) => read_enum!(v1::Food, "food", food).map(Action::Sacrifice),
            ActionOneof::Supply(Supply { food }) => read_enum!(v1::Food, "food", food).map(Action::Supply),
            ActionOneof::SupplyNothing(SupplyNothing {}) => Ok(Action::SupplyNothing),
            ActionOneof::Draw(Draw { column }) => read_from_one("column", column).map(Action::Draw),
            ActionOneof::Take(Take { payout }) => read_enum!(v1::Payout, "payout", payout).map(Action::Take),
            ActionOneof::Pick(Pick { food }) => read_enum!(v1::Food, "food", food).map(Action::Pick),
            ActionOneof::PickNothing(PickNothing {}) => Ok(Action::PickNothing),
        }
    }

    fn event(visible: &Event<Option<Food>>) -> v1::Event {
        v1::Event { event: Some(event_message(*visible)) }
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

fn due(phase: Phase) -> u32 {
    match phase {
        Phase::Substitute { due, .. } => due.into(),
        Phase::Start
        | Phase::Colours
        | Phase::LayOut(_)
        | Phase::Buy
        | Phase::Play
        | Phase::Sacrifice(_)
        | Phase::Supply
        | Phase::Draw
        | Phase::Uncover(_)
        | Phase::Payout(_)
        | Phase::Over => 0,
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
        display: Some(kinds(village.display)),
        bonuses: Kind::ALL.into_iter().filter(|of| bonuses >> of.index() & 1 == 1).map(from_one).collect(),
        sacrifice_card_count: village.held.into(),
        hidden_card_count: view.table.stone.hidden_by(seat).count() as u32,
        prices: Some(food_counts(village.prices().map(u32::from))),
        hand: view.viewer.is(seat).then(|| kinds(village.hand)),
        sacrifice_cards: cards.map(foods),
        hidden_cards: cards.map(|_| foods(view.hidden_by(seat))),
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
        cards: view.shows_stone().then(|| foods(view.sacrificed().unwrap_or(stone.open))),
        top_face_down: stone.top == Top::FaceDown,
    }
}

/// Returns the cards of the game.
fn deck() -> v1::Deck {
    let options = Options::new(Seats::new(Options::MAX_SEATS).expect("a game has seats"));
    let start_cards = Colour::ALL.map(|colour| {
        let mut cards = start_hand(options.lacking_food(colour));
        cards[Kind::Lumberjack] = 1;
        v1::StartCards { colour: from_one(colour), cards: Some(kinds(cards)) }
    });
    v1::Deck {
        cards: Some(kinds(DECK)),
        start_cards: start_cards.to_vec(),
        sacrifice_cards: Some(foods(Foods::of([STOCK; Food::COUNT]))),
        column_count: Column::COUNT as u32,
        column_depth: DEPTH as u32,
    }
}

fn foods(counts: Foods) -> v1::FoodCounts {
    food_counts(Food::ALL.map(|of| counts[of].into()))
}

fn food_counts([fish, mulberry, sweet_potato, grain]: [u32; Food::COUNT]) -> v1::FoodCounts {
    v1::FoodCounts { fish, mulberry, sweet_potato, grain }
}

fn kinds(counts: KindCounts) -> v1::KindCounts {
    v1::KindCounts {
        gatherers: Some(food_counts(Food::ALL.map(|of| counts[Kind::gatherer(of)].into()))),
        lumberjack: counts[Kind::Lumberjack].into(),
        priest: counts[Kind::Priest].into(),
        moai: counts[Kind::Moai].into(),
    }
}

fn play(of: Kind, count: u8) -> v1::action::Action {
    v1::action::Action::Play(v1::action::Play { kind: from_one(of), count: count.into() })
}

fn event_message(visible: Event<Option<Food>>) -> v1::event::Event {
    use v1::event as to;
    use v1::event::Event as EventOneof;
    let seat_of = |seat| Some(number(seat));
    match visible {
        Event::StartPlayer { seat } => EventOneof::StartPlayer(to::StartPlayer { seat: seat_of(seat) }),
        Event::StartCards { colours } => {
            let colours = colours.values().iter().map(|&of| from_one(of)).collect();
            EventOneof::StartCards(to::StartCards { colours })
        }
        Event::Uncovered { column, cards } => EventOneof::Uncovered(to::Uncovered {
            column: from_one(column),
            cards: cards.iter().map(|&of| from_one(of)).collect(),
        }),
        Event::TurnBegan { seat, number: turn } => {
            EventOneof::TurnBegan(to::TurnBegan { seat: seat_of(seat), turn: turn.into() })
        }
        Event::Bought { seat, food: of, wood } => {
            EventOneof::Bought(to::Bought { seat: seat_of(seat), food: from_one(of), wood: wood.into() })
        }
        Event::BoughtNothing { seat } => EventOneof::BoughtNothing(to::BoughtNothing { seat: seat_of(seat) }),
        Event::Played { seat, kind: of, count, wood } => EventOneof::Played(to::Played {
            seat: seat_of(seat),
            kind: from_one(of),
            count: count.into(),
            wood: wood.into(),
        }),
        Event::Boxed { seat } => EventOneof::Boxed(to::Boxed { seat: seat_of(seat) }),
        Event::Sacrificed { seat, food: of } => {
            EventOneof::Sacrificed(to::Sacrificed { seat: seat_of(seat), food: from_one(of), face_down: false })
        }
        Event::Hid { seat, food: of } => {
            let food = from_one_or_none(of);
            EventOneof::Sacrificed(to::Sacrificed { seat: seat_of(seat), food, face_down: true })
        }
        Event::Supplied { seat, food: of } => {
            EventOneof::Supplied(to::Supplied { seat: seat_of(seat), food: from_one(of) })
        }
        Event::SuppliedNothing { seat } => EventOneof::SuppliedNothing(to::SuppliedNothing { seat: seat_of(seat) }),
        Event::Drew { seat, column, kind: of } => {
            EventOneof::Drew(to::Drew { seat: seat_of(seat), column: from_one(column), kind: from_one(of) })
        }
        Event::Scored { kind: of } => EventOneof::Scored(to::Scored { kind: from_one(of) }),
        Event::Gained { seat, gain, bonus } => {
            EventOneof::Gained(to::Gained { seat: seat_of(seat), bonus, gain: Some(gained(gain)) })
        }
        Event::Picked { seat, food: of } => EventOneof::Picked(to::Picked { seat: seat_of(seat), food: from_one(of) }),
        Event::PickedNothing { seat } => EventOneof::PickedNothing(to::PickedNothing { seat: seat_of(seat) }),
        Event::Ended { hidden, cards, stone, worth, points } => EventOneof::Ended(to::Ended {
            hidden_cards: hidden.values().iter().copied().map(foods).collect(),
            sacrifice_cards: cards.values().iter().copied().map(foods).collect(),
            stone: Some(foods(stone)),
            worth: Some(foods(worth)),
            points: by_seat(&points),
        }),
    }
}

fn gained(gain: Gain) -> v1::event::gained::Gain {
    use v1::event::gained::Gain as GainOneof;
    match gain {
        Gain::Wood(wood) => GainOneof::Wood(wood.into()),
        Gain::Glory(glory) => GainOneof::Glory(glory.into()),
        Gain::Cards(_, count) => GainOneof::SacrificeCards(count.into()),
    }
}

fn read_play(value: i32, count: u32) -> Result<Action, String> {
    let kind = read_enum!(v1::Kind, "kind", value)?;
    let gatherers = Gatherers::ALL.into_iter().find(|gatherers| u32::from(gatherers.count()) == count.max(1));
    let food = match kind {
        Kind::Lumberjack | Kind::Priest | Kind::Moai if gatherers != Some(Gatherers::One) => {
            return Err(format!("expected a count of 1 for {kind}, got {count}"));
        }
        Kind::Lumberjack => return Ok(Action::PlayLumberjack),
        Kind::Priest => return Ok(Action::PlayPriest),
        Kind::Moai => return Ok(Action::BuildMoai),
        Kind::Fish => Food::Fish,
        Kind::Mulberry => Food::Mulberry,
        Kind::SweetPotato => Food::SweetPotato,
        Kind::Grain => Food::Grain,
    };
    gatherers.map(|gatherers| Action::PlayGatherers(food, gatherers)).ok_or_else(|| {
        format!("expected a count of 1 to {} for Hunters & Gatherers, got {count}", Gatherers::ALL.len())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rapanui_cards::{Colour, Payout};
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
