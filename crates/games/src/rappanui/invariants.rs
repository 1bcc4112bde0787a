//! The invariants of a position: every card is in exactly one place, and players know only of cards that are there.

use ahu_core::{Game as _, Numbered as _, Seat, ensure};

use super::cards::{CardSet, Kind, Suit};
use super::meld::lacking_suits;
use super::phase::Phase;
use super::table::{PASSES, Table};
use super::{RappaNui, View};

impl RappaNui {
    /// Checks a position that was set up by hand. The error names the fault.
    pub fn check_invariants(&self) -> Result<(), String> {
        let Table { options, phase, first, player, passes, discard, eroded, shuffled, .. } = self.table;
        let (seats, deck) = (options.seats, self.deck);
        let mut missing = CardSet::ALL;
        for cards in [deck, discard, eroded, phase.laid()].iter().chain(self.hands.values()) {
            ensure(cards.is_within(missing), || format!("cards in two places: {}", *cards - missing))?;
            missing -= *cards;
        }
        ensure(missing.is_empty(), || format!("cards in no place: {missing}"))?;
        for (seat, known) in self.known.iter() {
            let others = seats.others(seat).fold(CardSet::EMPTY, |all, other| all | self.hands[other]);
            ensure(known.is_within(others), || {
                format!("seat {seat} knows cards that are in no other hand: {}", known - others)
            })?;
        }
        ensure(shuffled == shuffled.unmarked(), || "the shuffled cards are not unmarked".to_owned())?;
        let unshuffled = deck.unmarked() - shuffled;
        ensure(unshuffled.is_empty(), || format!("cards in the deck that were not in the last shuffle: {unshuffled}"))?;
        ensure(passes <= PASSES, || format!("expected at most {PASSES} passes, got {passes}"))?;
        let at_table = |seat: Seat| seats.all().contains(seat);
        ensure(at_table(first) && at_table(player) && self.hands.seats() == seats, || {
            format!("expected hands, a first player, and a player at a table of {seats} seats")
        })?;
        ensure(self.can_go_on(), || format!("expected a player whose hand suits {phase:?}"))
    }
}

impl View {
    /// Checks a view from which a game is to be resampled. [`RappaNui::check_invariants`] checks the rest.
    pub(super) fn check(&self) -> Result<(), String> {
        let Self { viewer, table, deck, hand, hand_sizes, known, exposed } = self;
        let (seats, phase) = (table.options.seats, table.phase);
        let acting = match phase {
            Phase::Steal { victim } | Phase::Lose { victim } => victim,
            _ => table.player,
        };
        let all_here = [Some(table.first), Some(table.player), Some(acting), viewer.own_seat()];
        ensure(all_here.into_iter().flatten().all(|seat| seats.all().contains(seat)), || {
            format!("expected players at a table of {seats} seats")
        })?;
        let tables = [table.points.seats(), hand_sizes.seats(), known.seats(), exposed.seats()];
        ensure(tables == [seats; 4], || format!("expected facts about {seats} seats, got {tables:?}"))?;
        let piles = [*hand, phase.laid(), table.discard, table.eroded, table.shuffled];
        for cards in piles.iter().chain(known.values()).chain(exposed.values()) {
            ensure(cards.is_within(CardSet::ALL), || format!("expected cards of the deck, got {:#x}", cards.bits()))?;
        }
        for (seat, size) in hand_sizes.iter() {
            let seen = if viewer.is(seat) { *hand } else { known[seat] };
            let unseen = self.unseen().alike(known[seat]).len() == known[seat].len();
            let fits = seen.len() <= usize::from(size) && (viewer.is(seat) || unseen);
            ensure(fits, || format!("seat {seat}: expected {size} cards, {seen} among them"))?;
        }
        let elsewhere: usize =
            hand_sizes.iter().filter(|(seat, _)| !viewer.is(*seat)).map(|(_, size)| usize::from(size)).sum();
        ensure(elsewhere + usize::from(*deck) == self.unseen().len(), || {
            format!("expected {} cards in the deck and in other hands, got {elsewhere} + {deck}", self.unseen().len())
        })?;
        let most = RappaNui::INFO.max_plies;
        let is_early =
            usize::from(table.round) <= most && table.points.values().iter().all(|&n| usize::from(n) <= most);
        ensure(is_early, || format!("expected at most {most} turns and points"))?;
        let fits = match phase {
            Phase::Decline { excess, from } => excess > 0 && usize::from(from) < Kind::COUNT,
            // One card of each suit up to the last, or more with the Combine rule.
            Phase::Meld { laid } => {
                let suits = Suit::COUNT - lacking_suits(laid).len();
                let resources = laid.at_least_one();
                let begun = Suit::ALL[..suits].iter().all(|suit| resources.meets(suit.kinds()));
                laid.is_empty() || begun && (table.options.combine_rule || laid.len() == suits && suits < Suit::COUNT)
            }
            _ => true,
        };
        ensure(fits && phase.laid().events().is_empty(), || format!("expected a step of a turn, got {phase:?}"))
    }
}
