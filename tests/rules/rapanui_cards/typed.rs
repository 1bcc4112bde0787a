//! Invalid typed actions: the error names the expected input.

use ahu_games::Wire as _;
use ahu_games::rapanui_cards::{Action, RapanuiCards};
use ahu_messages::rapanui_cards::v1::action::{Action as ActionOneof, Buy, Draw, Pick, Play, Sacrifice, Supply, Take};
use ahu_messages::rapanui_cards::v1::{self, Kind};

use super::{seat, table};

fn read(oneof: ActionOneof) -> Result<Action, String> {
    let seats = table("").game.table.options.seats;
    RapanuiCards::read_action(&v1::Action { action: Some(oneof) }, seat(0), seats)
}

fn play(kind: Kind, count: u32) -> ActionOneof {
    ActionOneof::Play(Play { kind: kind.into(), count })
}

#[test]
fn what_a_typed_action_lacks_is_named() {
    for (oneof, reason) in [
        (ActionOneof::Buy(Buy { food: 0 }), "expected a food from 1 (FOOD_FISH) to 4 (FOOD_GRAIN), got 0"),
        (ActionOneof::Sacrifice(Sacrifice { food: 5 }), "expected a food from 1 (FOOD_FISH) to 4 (FOOD_GRAIN), got 5"),
        (ActionOneof::Supply(Supply { food: -1 }), "got -1"),
        (ActionOneof::Pick(Pick { food: i32::MAX }), "got 2147483647"),
        (ActionOneof::Play(Play { kind: 0, count: 1 }), "expected a kind from 1 (KIND_FISH) to 7 (KIND_MOAI), got 0"),
        (ActionOneof::Play(Play { kind: 8, count: 1 }), "got 8"),
        (play(Kind::Fish, 4), "expected a count of 1 to 3 for Hunters & Gatherers, got 4"),
        (play(Kind::Priest, 2), "expected a count of 1 for priest, got 2"),
        (play(Kind::Moai, u32::MAX), "expected a count of 1 for moai, got 4294967295"),
        (ActionOneof::Draw(Draw { column: 0 }), "expected a column from 1 to 4, got 0"),
        (ActionOneof::Draw(Draw { column: 5 }), "expected a column from 1 to 4, got 5"),
        (ActionOneof::Take(Take { payout: 0 }), "expected a payout from 1 (PAYOUT_GLORY) to 2 (PAYOUT_WOOD), got 0"),
        (ActionOneof::Take(Take { payout: 3 }), "got 3"),
    ] {
        let error = read(oneof).expect_err(reason);
        assert!(error.contains(reason), "{error}");
    }
}

#[test]
fn no_count_is_one() {
    let read = |kind| read(play(kind, 0)).map(|action| action.to_string());

    assert_eq!(read(Kind::Grain), Ok("play grain 1".to_owned()));
    assert_eq!(read(Kind::Moai), Ok("build moai".to_owned()));
}
