//! The laws of all games, and the hands of Kuhn poker.

use ahu::core::GameExt as _;
use ahu_laws::{Ply, Secrets, laws};
use rand::{Rng, RngExt as _};

use super::*;

laws!(kuhn, Kuhn);

/// The card of the other player is a secret until it is shown.
impl Secrets for Kuhn {
    fn shuffle_secrets(
        &self,
        viewer: Viewer,
        next: Option<&Ply<Self>>,
        rng: &mut dyn Rng,
    ) -> (Self, Option<Ply<Self>>) {
        let mut deal_like = |cards: [u8; 2]| {
            let deals = [[1, 2], [1, 3], [2, 1], [2, 3], [3, 1], [3, 2]];
            let is_like =
                |deal: &[u8; 2]| viewer.own_seat().is_none_or(|seat| deal[seat.index()] == cards[seat.index()]);
            let possible: Vec<_> = deals.into_iter().filter(is_like).collect();
            possible[rng.random_range(0..possible.len())]
        };
        let shows = |game: &Self| matches!(end(game.bets), Some((_, None)));
        match next {
            Some(Ply::Outcome(Numbers(cards))) => {
                (self.clone(), Some(Ply::Outcome(Numbers(deal_like([cards[0], cards[1]]).into()))))
            }
            _ if shows(self) => (self.clone(), None),
            Some(Ply::Action(seat, action)) => {
                let mut after = self.clone();
                after.apply(*seat, *action, &mut ahu::core::NoEvents);
                let other = Self { cards: self.cards.map(deal_like), ..self.clone() };
                (other, (!shows(&after)).then(|| Ply::Action(*seat, *action)))
            }
            None => (Self { cards: self.cards.map(deal_like), ..self.clone() }, None),
        }
    }

    fn assert_invariants(&self) {
        assert!(self.cards.is_none_or(|[one, other]| one != other), "one card of each rank");
    }
}

#[test]
fn the_chips_of_each_hand_are_those_of_the_paper() {
    use Action::{Bet, Pass};
    let hands: [(&[Action], i32); 5] =
        [(&[Pass, Pass], -1), (&[Bet, Bet], -2), (&[Bet, Pass], 1), (&[Pass, Bet, Pass], -1), (&[Pass, Bet, Bet], -2)];
    for (hand, chips) in hands {
        let mut game = Kuhn::new(&SeatsAlone::new(ahu::core::Seats::new(2).expect("two")));
        game.settle_checked(&Numbers(vec![1, 3]), &mut Vec::new()).expect("a deal");
        for &action in hand {
            let seat = game.turn().to_act().first().expect("somebody has to decide");
            game.play_checked(seat, action, &mut Vec::new()).expect("both actions are legal");
        }
        assert_eq!(game.turn(), Turn::Over, "{hand:?}");
        assert_eq!(game.view(Viewer::Public).scores().values(), [chips, -chips], "{hand:?}");
    }
    let mut game = Kuhn::new(&SeatsAlone::new(ahu::core::Seats::new(2).expect("two")));
    let refused = game.settle_checked(&Numbers(vec![2, 2]), &mut Vec::new()).expect_err("a card is dealt once");
    assert!(refused.0.starts_with("expected one of the outcomes \"1 2\", \"1 3\""), "{refused}");
}
