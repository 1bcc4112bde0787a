//! Typed actions that are none: each is refused with what would be right.

use ahu::games::Wire as _;
use ahu::games::rapanui_cards::{Action, RapanuiCards};
use ahu::proto::rapanui_cards::v1::action::{Action as Said, Buy, Draw, Pick, Play, Sacrifice, Supply, Take};
use ahu::proto::rapanui_cards::v1::{self, Kind};

use super::{seat, table};

fn read(said: Said) -> Result<Action, String> {
    let seats = table("").game.table.options.seats;
    RapanuiCards::read_action(&v1::Action { action: Some(said) }, seat(0), seats)
}

fn play(kind: Kind, count: u32) -> Said {
    Said::Play(Play { kind: kind.into(), count })
}

#[test]
fn what_a_typed_action_lacks_is_named() {
    for (said, reason) in [
        (Said::Buy(Buy { food: 0 }), "which food? 1 (FOOD_FISH) to 4 (FOOD_GRAIN), not 0"),
        (Said::Sacrifice(Sacrifice { food: 5 }), "which food? 1 (FOOD_FISH) to 4 (FOOD_GRAIN), not 5"),
        (Said::Supply(Supply { food: -1 }), "not -1"),
        (Said::Pick(Pick { food: i32::MAX }), "not 2147483647"),
        (Said::Play(Play { kind: 0, count: 1 }), "which kind? 1 (KIND_FISH) to 7 (KIND_MOAI), not 0"),
        (Said::Play(Play { kind: 8, count: 1 }), "not 8"),
        (play(Kind::Fish, 4), "1 to 3 Hunters & Gatherers are played at once, not 4"),
        (play(Kind::Priest, 2), "1 priest is played at once, not 2"),
        (play(Kind::Moai, u32::MAX), "1 moai is played at once, not 4294967295"),
        (Said::Draw(Draw { column: 0 }), "column is 1 to 4, not 0"),
        (Said::Draw(Draw { column: 5 }), "column is 1 to 4, not 5"),
        (Said::Take(Take { payout: 0 }), "1 (PAYOUT_GLORY) or 2 (PAYOUT_WOOD), not 0"),
        (Said::Take(Take { payout: 3 }), "not 3"),
    ] {
        let error = read(said).expect_err(reason);
        assert!(error.contains(reason), "{error}");
    }
}

#[test]
fn no_count_is_one() {
    let read = |kind| read(play(kind, 0)).map(|action| action.to_string());

    assert_eq!(read(Kind::Grain), Ok("play grain 1".to_owned()));
    assert_eq!(read(Kind::Moai), Ok("build moai".to_owned()));
}
