//! Faulty typed actions: each is refused with an error that names the expected input.

use ahu_core::{Seat, Seats};
use ahu_games::Wire as _;
use ahu_games::giants::{Action, Giants};
use ahu_messages::giants::v1::action::{
    Action as ActionOneof, At, BidMarkers, BidWorkers, Erect, Lift, Pay, PayChief, Pick, Place, Top,
};
use ahu_messages::giants::v1::{self, Figure};

fn read(oneof: ActionOneof) -> Result<Action, String> {
    let (seat, seats) = (Seat::new(1).expect("a seat"), Seats::new(3).expect("a table"));
    Giants::read_action(&v1::Action { action: Some(oneof) }, seat, seats)
}

fn place(figure: Figure, logs: u32) -> ActionOneof {
    ActionOneof::Place(Place { figure: figure.into(), logs })
}

#[test]
fn what_a_typed_action_lacks_is_named() {
    for (oneof, reason) in [
        (ActionOneof::BidMarkers(BidMarkers { count: None }), "expected a count from 0 to 6, got none"),
        (ActionOneof::BidWorkers(BidWorkers { count: Some(7) }), "expected a count from 0 to 6, got 7"),
        (ActionOneof::Pick(Pick { size: 0 }), "expected a Moai's size from 1 to 3, got 0"),
        (ActionOneof::Pick(Pick { size: 260 }), "got 260"),
        (place(Figure::Unspecified, 0), "expected FIGURE_WORKER, FIGURE_SORCERER, or FIGURE_CHIEF"),
        (
            ActionOneof::Place(Place { figure: 4, logs: 0 }),
            "expected a figure from 1 (FIGURE_WORKER) to 3 (FIGURE_CHIEF), got 4",
        ),
        (place(Figure::Worker, 3), "expected 0 to 2 logs, got 3"),
        (place(Figure::Chief, 1), "expected no logs with the Chief, got 1"),
        (ActionOneof::At(At { hex: None }), "the number of a hex from 0 to 41, got none"),
        (ActionOneof::At(At { hex: Some(42) }), "from 0 to 41, got 42"),
        (ActionOneof::Erect(Erect { ahu: Some(26) }), "from 0 to 25, got 26"),
        (ActionOneof::Top(Top { ahu: None }), "from 0 to 25, got none"),
        (
            ActionOneof::Pay(Pay { left: 0, payee_seat: None }),
            "whom? expected left from 1 (the left neighbour) to 2, or payee_seat as one of 0, 2",
        ),
        (ActionOneof::Pay(Pay { left: 5, payee_seat: None }), "expected left from 1 (the left neighbour) to 4, got 5"),
        (
            ActionOneof::PayChief(PayChief { left: 0, payee_seat: Some(1) }),
            "expected payee_seat as one of 0, 2, got 1, the player's own seat",
        ),
        (
            ActionOneof::PayChief(PayChief { left: 0, payee_seat: Some(3) }),
            "expected payee_seat as one of 0, 2, got 3, which is not at the table",
        ),
        (
            ActionOneof::Pay(Pay { left: 1, payee_seat: Some(0) }),
            "left 1 names seat 2, but payee_seat names seat 0 (left 2)",
        ),
    ] {
        let error = read(oneof).expect_err(reason);
        assert!(error.contains(reason), "{error}");
    }
    assert!(read(ActionOneof::Lift(Lift { piece: "4a".to_owned() })).is_err(), "no Moai has the size 4");
}

#[test]
fn a_payee_is_named_by_the_place_to_the_left_or_by_the_seat() {
    for (left, payee_seat) in [(2, None), (0, Some(0)), (2, Some(0))] {
        let read = read(ActionOneof::Pay(Pay { left, payee_seat })).map(|action| action.to_string());
        assert_eq!(read, Ok("pay +2".to_owned()));
    }
}
