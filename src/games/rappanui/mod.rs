//! Rappa Nui, the deck game (Warp Spawn Games), 2 to 6 players.
//!
//! Rival tribes of Easter Island build Moai and use up the island in the process. All players draw from one deck of
//! 120 cards: Food, Wood, People, and Stone, numbered 1 to 12, and events. A *meld* of one card of each suit builds
//! Moai, worth as many points as its lowest number. Its Wood then leaves the game, and often other cards of the meld
//! do too. The game ends when the players have gone through the deck three times.
//!
//! # A turn
//!
//! | phase | action of the player | file |
//! |---|---|---|
//! | setup | cut for the first player; deal 6 cards to each player | `setup.rs` |
//! | Rapa Nui | draw 4 cards | `deck.rs` |
//! | Conflict | from the player's third turn on: play an event against an opponent, or none | `conflict.rs` |
//! | Moai | play a meld, or none | `meld.rs` |
//! | Deforestation | the meld's cards go to the erosion pile or the discard pile | `meld.rs` |
//! | Decline | discard the cards above the hand limit: 10, then 8, then 6 cards | `decline.rs`, `pass.rs` |
//! | | end the turn; the next turn, or the end | `turn.rs`, `final_scoring.rs` |
//!
//! # Rulings
//!
//! These rulings settle the points on which the rulebook is silent. *Italics* name an option.
//!
//! * **B1** The game is for 2 to 6 players.
//! * **B2** Chance makes the cut for the first player: each player is equally likely.
//! * **B3** A pass is complete when a player draws the last card. The discard pile becomes the deck when a player
//!   must draw from an empty deck; it then has all cards discarded until that moment, and the draw goes on.
//!   *`reshuffle`* `eager`: as soon as a player draws the last card, or at the next draw if nothing has been
//!   discarded; never after the third pass.
//! * **B4** The player who draws the last card for the third time draws no more cards and finishes the turn; then the
//!   game is over. *`equal_turns`*: the other players, up to the one before the first player, still have their turn,
//!   without drawing.
//! * **B5** If deck and discard pile are both empty, the player draws as many cards as there are; the failed draw
//!   counts as a complete pass, once a turn.
//! * **B6** The hand limit of a pass applies at once, in each player's own Decline Phase. At the third pass it stays
//!   6.
//! * **B7** The hand limit applies only in the Decline Phase.
//! * **B8** A player may play an event against any opponent, even if it takes nothing. *`require_effect`*: Raid and
//!   Disaster need a target with a card, Huri Moai one with a point.
//! * **B9** Thief and victim know the card that a Raid took, and nobody else does. The thief may use it at once.
//! * **B10** A Disaster takes all cards of a hand of fewer than two. The cards that it takes lie face up.
//! * **B11** The two turns without events are each player's own first two.
//! * **B12** A player plays at most one meld a turn, in the player's own turn.
//! * **B13** Deforestation compares the printed numbers, strictly, regardless of the pile that the other card went
//!   to.
//! * **B14** A meld has exactly one card of each suit. *`combine_rule`*: one or more.
//! * **B15** Combined cards count with their sum, for points and for Deforestation. If a suit erodes, only its
//!   highest card erodes, and the rest is discarded; this holds for Wood too.
//! * **B16** A sum has no limit.
//! * **B17** Players who tie share the place. *`tie`* `fewest_cards`: of these players, the one with fewer cards in
//!   hand comes first.
//! * **B18** Discard and erosion pile lie face up. Hands are hidden; their sizes, the size of the deck, points,
//!   turns, and passes are public.
//! * **B19** The player chooses the cards to discard in the Decline Phase.
//! * **B20** Nobody gains the points that a Huri Moai takes.
//! * **B21** A player may discard events unplayed.
//! * **B22** A player discards exactly the excess.
//! * **B23** The game asks a player for an event (from the third turn on) and for a meld, even if "none" is the only
//!   legal answer: an omitted question would reveal what the hand lacks.
//! * **B24** A player discards an event before it takes effect.
//!
//! We add rulings on points that these too leave unsettled:
//!
//! * **Names of Disasters.** Disasters differ in name alone. All players see which one is played, so the action names
//!   it. Resources are named by suit and number (`F7`): the name on the card has no effect.
//! * **Equal cards.** A player plays the first copy of equal cards. Nobody can tell copies apart, and chance treats
//!   all copies alike.
//! * **Knowledge of hands.** The victim of a Raid continues to know a card of the thief's hand, for as long as
//!   `knowledge.rs` says. The contents of the deck at its last shuffle are public, since the cards lay face up.

mod action;
pub mod cards;
mod chance_outcome;
mod conflict;
mod deck;
mod decline;
mod event;
mod final_scoring;
mod greedy;
mod invariants;
mod knowledge;
mod meld;
mod observation;
mod options;
mod pass;
mod phase;
mod setup;
mod state_bytes;
mod table;
mod text;
mod turn;
mod view;
#[cfg(feature = "messages")]
mod wire;

use rand::Rng;

pub use action::Action;
use cards::CardSet;
pub use chance_outcome::Outcome;
pub use event::{Event, VisibleCards};
pub use greedy::{GREEDY_1, GREEDY_2};
pub use options::{Options, Reshuffle, Tie};
pub use pass::{PASSES, hand_limit};
pub use phase::Phase;
pub use table::Table;
pub use view::View;

use crate::core::{ActionSet, BySeat, ChanceRng, Events, Game, GameInfo, OutcomeError, Seat, StateBytes, Turn, Viewer};

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
        // most five plies beside those that lay or discard a card; there are at most as many of the latter as cards
        // drawn.
        max_plies: 1000,
        title: "Rappa Nui, the deck game",
        about: "Rival tribes build Moai from melds of Food, Wood, People, and Stone, raid each other, and use up their one \
                deck of cards. The most Moai points win when the players have gone through the deck three times.",
        credit: "An unofficial implementation of the rules of Rappa Nui (Warp Spawn Games). Names belong to their owners; \
                 no affiliation.",
        reconstructed: "",
    };

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

    fn resample(view: &View, rng: &mut dyn Rng) -> Self {
        view.resample(rng)
    }

    fn write_state(&self, state: &mut StateBytes) {
        self.write_state_bytes(state);
    }
}
