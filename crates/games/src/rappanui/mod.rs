//! Rappa Nui, the deck game (Warp Spawn Games), 2 to 6 players.
//!
//! # The code of a turn
//!
//! | phase | action of the player | file |
//! |---|---|---|
//! | setup | cut for the first player; deal 6 cards to each player | `setup.rs` |
//! | Rapa Nui | draw 4 cards | `deck.rs` |
//! | Conflict | from the player's third turn on: play an event against an opponent, or none | `conflict.rs` |
//! | Moai | play a meld, or none | `meld.rs` |
//! | Deforestation | the meld's cards go to the erosion pile or the discard pile | `meld.rs` |
//! | Decline | discard the cards above the hand limit: 10, then 8, then 6 cards | `decline.rs` |
//! | | end the turn; the next turn, or the end | `turn.rs`, `final_scoring.rs` |
//!
//! # The rules
//!
#![doc = include_str!("rules.md")]

mod action;
pub mod cards;
mod chance_outcome;
mod compact;
mod conflict;
mod deck;
mod decline;
mod event;
mod final_scoring;
mod greedy;
mod held_out;
mod invariants;
mod knowledge;
mod meld;
mod observation;
mod options;
mod phase;
mod picture;
mod question;
mod setup;
mod state_bytes;
mod table;
mod text;
mod turn;
mod view;
#[cfg(feature = "messages")]
mod wire;
mod wording;

use ahu_core::parts::draws;
use ahu_core::{
    ActionSet, BySeat, ChanceRng, Events, Game, GameInfo, OutcomeError, Resample, Seat, StateBytes, Turn, ViewBytes,
    Viewer,
};
use cards::CardSet;

pub use action::Action;
pub use chance_outcome::Outcome;
pub use event::{Event, VisibleCards};
pub use greedy::{GREEDY_1, GREEDY_2};
pub use held_out::HELD_OUT_1;
pub use options::{Options, Reshuffle, Tie};
pub use phase::Phase;
pub use table::{PASSES, Table, hand_limit};
pub use view::View;

/// A game of Rappa Nui: its complete state.
///
/// The fields are public, so that a test can set up a position by hand; [`RappaNui::check_invariants`] then checks
/// it.
#[derive(Clone, Debug, PartialEq)]
pub struct RappaNui {
    /// The public part of the state.
    pub table: Table,
    /// The deck, face down.
    pub deck: CardSet,
    /// The hands.
    pub hands: BySeat<CardSet>,
    /// For each seat, the cards that the seat knows to be in other hands.
    pub known: BySeat<CardSet>,
}

const _: () = assert!(size_of::<RappaNui>() <= 512, "a clone is a copy of a few cache lines");

impl Game for RappaNui {
    type Options = Options;
    type Action = Action;
    type Outcome = Outcome;
    type Event = Event;
    type View = View;

    const INFO: GameInfo = GameInfo {
        id: "rappanui",
        rules: 1,
        // Three passes have 360 cards, so at most 90 turns draw four cards, and few turns draw fewer. A turn has at
        // most five plies beside the plies that lay or discard a card, and these are at most as many as the cards
        // drawn.
        max_plies: 1000,
        title: "Rappa Nui, the deck game",
        about: "Rival tribes build Moai from melds of Food, Wood, People, and Stone, raid each other, and use up their one \
                deck of cards. The most Moai points win when the players have gone through the deck three times.",
        credit: "An unofficial implementation of the rules of Rappa Nui (Warp Spawn Games). Names belong to their owners; \
                 no affiliation.",
        reconstructed: "",
        rules_page: include_str!("rules.md"),
        seat_colours: &[],
    };

    const RESAMPLE: Option<Resample<Self>> = Some(|view, rng| view.resample(rng));

    const VIEW_BYTES: Option<ViewBytes<Self>> = Some(ViewBytes::checked(View::check, Self::check_invariants));

    fn new(options: &Options) -> Self {
        let nothing = BySeat::new(options.seats, CardSet::EMPTY);
        Self { table: Table::new(*options), deck: CardSet::ALL, hands: nothing, known: nothing }
    }

    fn options(&self) -> &Options {
        &self.table.options
    }

    #[inline]
    fn turn(&self) -> Turn {
        match self.table.phase {
            Phase::Deal | Phase::Draw | Phase::Steal { .. } | Phase::Lose { .. } => Turn::Chance,
            Phase::Conflict | Phase::Meld { .. } | Phase::Decline { .. } => Turn::Seats(self.table.player.into()),
            Phase::Over => Turn::Over,
        }
    }

    #[inline]
    fn legal_actions(&self, seat: Seat, legal: &mut ActionSet) {
        legal.clear();
        if seat != self.table.player {
            return;
        }
        match self.table.phase {
            Phase::Conflict => self.legal_events(seat, legal),
            Phase::Meld { laid } => self.legal_meld(seat, laid, legal),
            Phase::Decline { excess, from } => self.legal_discards(seat, excess, from, legal),
            Phase::Deal | Phase::Draw | Phase::Steal { .. } | Phase::Lose { .. } | Phase::Over => {}
        }
    }

    #[inline]
    fn apply(&mut self, seat: Seat, action: Action, events: &mut impl Events<Event>) {
        assert!(seat == self.table.player, "seat {seat} is not the player to act");
        match (self.table.phase, action) {
            (Phase::Conflict, Action::NoEvent) => self.play_no_event(seat, events),
            (Phase::Conflict, Action::PlayEvent(event, left)) => {
                let target = left.of(seat, self.table.options.seats).expect("a legal target is at the table");
                self.play_event(seat, event, target, events);
            }
            (Phase::Meld { .. }, Action::NoMeld) => self.play_no_meld(seat, events),
            (Phase::Meld { laid }, Action::Meld(kind)) => self.lay(seat, laid, kind, events),
            (Phase::Meld { laid }, Action::Done) => self.finish_meld(seat, laid, events),
            (Phase::Decline { excess, .. }, Action::Discard(kind)) => self.discard(seat, excess, kind, events),
            (phase, action) => panic!("seat {seat} cannot {action} in {phase:?}"),
        }
    }

    fn draw(&self, chance: &mut ChanceRng) -> Outcome {
        match self.table.phase {
            Phase::Deal => self.draw_deal(chance),
            Phase::Draw => Outcome::Draw(self.draw_from_deck(chance)),
            Phase::Steal { victim } => Outcome::Steal(self.draw_theft(victim, chance)),
            Phase::Lose { victim } => Outcome::Lose(self.draw_loss(victim, chance)),
            phase => panic!("no chance event is due in {phase:?}"),
        }
    }

    fn outcomes(&self) -> Option<Vec<(Outcome, f64)>> {
        let (pile, count, outcome): (_, _, fn(CardSet) -> Outcome) = match self.table.phase {
            Phase::Draw => (self.deck, self.draw_without_a_shuffle()?, Outcome::Draw),
            Phase::Steal { victim } => {
                (self.hands[victim], 1, |cards| Outcome::Steal(cards.first().expect("one card is stolen")))
            }
            Phase::Lose { victim } => (self.hands[victim], self.loss_of(victim), Outcome::Lose),
            _ => return None,
        };
        let pile: Vec<_> = pile.iter().collect();
        let sets = draws::subsets(pile.len(), count)?;
        let probability = 1.0 / sets.len() as f64;
        let cards = |set: Vec<usize>| set.into_iter().map(|index| pile[index]).collect();
        Some(sets.into_iter().map(|set| (outcome(cards(set)), probability)).collect())
    }

    fn check(&self, outcome: &Outcome) -> Result<(), OutcomeError> {
        let expected = match (self.table.phase, *outcome) {
            (Phase::Deal, Outcome::Deal { hands, .. }) => return self.check_deal(hands),
            (Phase::Draw, Outcome::Draw(cards)) => return self.check_draw(cards),
            (Phase::Steal { victim }, Outcome::Steal(card)) => return self.check_theft(victim, card),
            (Phase::Lose { victim }, Outcome::Lose(cards)) => return self.check_loss(victim, cards),
            (Phase::Deal, _) => "expected a deal".to_owned(),
            (Phase::Draw, _) => format!("expected a draw of seat {}", self.table.player),
            (Phase::Steal { victim }, _) => format!("expected a card stolen from seat {victim}"),
            (Phase::Lose { victim }, _) => format!("expected cards that seat {victim} loses"),
            (Phase::Conflict | Phase::Meld { .. } | Phase::Decline { .. } | Phase::Over, _) => {
                "no chance event is due".to_owned()
            }
        };
        Err(OutcomeError(expected))
    }

    #[inline]
    fn settle(&mut self, outcome: &Outcome, events: &mut impl Events<Event>) {
        match (self.table.phase, *outcome) {
            (Phase::Deal, Outcome::Deal { first, hands }) => self.deal(first, hands, events),
            (Phase::Draw, Outcome::Draw(cards)) => self.draw_cards(cards, events),
            (Phase::Steal { victim }, Outcome::Steal(card)) => self.steal(victim, card, events),
            (Phase::Lose { victim }, Outcome::Lose(cards)) => self.lose(victim, cards, events),
            (phase, outcome) => panic!("the outcome {outcome} is not possible in {phase:?}"),
        }
    }

    fn view(&self, viewer: Viewer) -> View {
        View::of(self, viewer)
    }

    fn write_state(&self, state: &mut StateBytes) {
        self.write_state_bytes(state);
    }
}
