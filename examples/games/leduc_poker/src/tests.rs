//! The laws of all games, and who wins at Leduc hold'em.

use ahu::core::{GameExt as _, NoEvents};
use ahu_laws::{Ply, Secrets, laws};
use rand::{Rng, RngExt as _};

use super::*;

laws!(leduc, Leduc);

/// The card of the other player is a secret until it is shown.
impl Secrets for Leduc {
    fn shuffle_secrets(
        &self,
        viewer: Viewer,
        next: Option<&Ply<Self>>,
        rng: &mut dyn Rng,
    ) -> (Self, Option<Ply<Self>>) {
        // The cards that lie open, now or after the next ply.
        let mut open: Vec<u8> = self.table.open.into_iter().collect();
        let mut ply = next.cloned();
        let mut deal_like = |cards: [u8; 2], open: &[u8]| loop {
            let ranks = [(); 2].map(|()| rng.random_range(0..3_u8));
            let has_own = viewer.own_seat().is_none_or(|seat| ranks[seat.index()] == cards[seat.index()]);
            let count = |rank| ranks.iter().chain(open).filter(|&&card| card == rank).count();
            if has_own && (0..3).all(|rank| count(rank) <= 2) {
                return ranks;
            }
        };
        let cards = [self.cards.values()[0], self.cards.values()[1]];
        match next {
            Some(Ply::Outcome(Numbers(dealt))) if dealt.len() == 2 => {
                return (self.clone(), Some(Ply::Outcome(Numbers(deal_like([dealt[0], dealt[1]], &[]).into()))));
            }
            Some(Ply::Outcome(Numbers(dealt))) => open.extend(dealt),
            Some(Ply::Action(seat, action)) => {
                let mut after = self.clone();
                after.apply(*seat, *action, &mut NoEvents);
                ply = ply.filter(|_| !after.table.is_shown());
            }
            None => {}
        }
        if self.table.is_shown() || !self.table.is_dealt {
            return (self.clone(), ply);
        }
        let dealt = deal_like(cards, &open);
        let cards = BySeat::from_fn(self.table.options.seats(), |seat| dealt[seat.index()]);
        (Self { cards, ..self.clone() }, ply)
    }

    fn assert_invariants(&self) {
        let open = self.table.open.into_iter();
        let dealt: Vec<u8> = open.chain(self.cards.values().iter().copied().filter(|_| self.table.is_dealt)).collect();
        assert!((0..3).all(|rank| dealt.iter().filter(|&&card| card == rank).count() <= 2), "two cards of each rank");
    }
}

#[test]
fn a_pair_beats_a_king_and_a_raise_costs_two_chips_and_then_four() {
    let mut game = Leduc::new(&SeatsAlone::new(ahu::core::Seats::new(2).expect("two")));
    let mut events = Vec::new();
    game.settle_checked(&Numbers(vec![0, 2]), &mut events).expect("a deal");
    for ply in ["raise", "raise", "call", "0", "call", "raise", "call"] {
        match ply.parse::<Action>() {
            Ok(action) => {
                let seat = game.turn().to_act().first().expect("somebody has to decide");
                game.play_checked(seat, action, &mut events).expect("the action is legal");
            }
            Err(_) => game.settle_checked(&ply.parse().expect("a card"), &mut events).expect("the card is there"),
        }
    }
    assert_eq!(game.turn(), Turn::Over);
    assert_eq!(game.view(Viewer::Public).scores().values(), [9, -9]);
}
