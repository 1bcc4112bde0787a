//! Typed actions that are none: each is refused with what would be right.

use ahu::core::{Seat, Seats};
use ahu::games::Wire as _;
use ahu::games::giants::{Action, Giants};
use ahu::proto::giants::v1::action::{
    Action as Said, At, BidMarkers, BidWorkers, Erect, Lift, Pay, PayChief, Pick, Place, Top,
};
use ahu::proto::giants::v1::{self, Figure};

fn read(said: Said) -> Result<Action, String> {
    let (seat, seats) = (Seat::new(1).expect("a seat"), Seats::new(3).expect("a table"));
    Giants::read_action(&v1::Action { action: Some(said) }, seat, seats)
}

fn place(figure: Figure, logs: u32) -> Said {
    Said::Place(Place { figure: figure.into(), logs })
}

#[test]
fn what_a_typed_action_lacks_is_named() {
    for (said, reason) in [
        (Said::BidMarkers(BidMarkers { count: None }), "how many? count is 0 to 6"),
        (Said::BidWorkers(BidWorkers { count: Some(7) }), "count is 0 to 6, not 7"),
        (Said::Pick(Pick { size: 0 }), "a Moai has the size 1, 2 or 3, not 0"),
        (Said::Pick(Pick { size: 260 }), "not 260"),
        (place(Figure::Unspecified, 0), "which figure? FIGURE_WORKER, FIGURE_SORCERER or FIGURE_CHIEF"),
        (Said::Place(Place { figure: 4, logs: 0 }), "no figure is 4: 1 (FIGURE_WORKER) to 3 (FIGURE_CHIEF)"),
        (place(Figure::Worker, 3), "a figure brings 0 to 2 logs, not 3"),
        (place(Figure::Chief, 1), "the Chief brings no logs, and 1 are given"),
        (Said::At(At { hex: None }), "Its number is 0 to 41"),
        (Said::At(At { hex: Some(42) }), "is 0 to 41, not 42"),
        (Said::Erect(Erect { ahu: Some(26) }), "is 0 to 25, not 26"),
        (Said::Top(Top { ahu: None }), "Its number is 0 to 25"),
        (
            Said::Pay(Pay { left: 0, payee_seat: None }),
            "whom? left is 1 (the left neighbour) to 2, or payee_seat one of 0, 2",
        ),
        (Said::Pay(Pay { left: 5, payee_seat: None }), "left is 1 (the left neighbour) to 4, not 5"),
        (Said::PayChief(PayChief { left: 0, payee_seat: Some(1) }), "payee_seat 1 is the player's own"),
        (Said::PayChief(PayChief { left: 0, payee_seat: Some(3) }), "payee_seat 3 is not at the table"),
        (
            Said::Pay(Pay { left: 1, payee_seat: Some(0) }),
            "left 1 is seat 2, but payee_seat is seat 0, which is left 2",
        ),
    ] {
        let error = read(said).expect_err(reason);
        assert!(error.contains(reason), "{error}");
    }
    assert!(read(Said::Lift(Lift { piece: "4a".to_owned() })).is_err(), "no Moai has the size 4");
}

#[test]
fn a_payee_is_named_by_the_place_to_the_left_or_by_the_seat() {
    for (left, payee_seat) in [(2, None), (0, Some(0)), (2, Some(0))] {
        let read = read(Said::Pay(Pay { left, payee_seat })).map(|action| action.to_string());
        assert_eq!(read, Ok("pay +2".to_owned()));
    }
}
