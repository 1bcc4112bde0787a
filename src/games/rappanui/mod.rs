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
//! | Rapa Nui | draw 4 cards | `deck.rs` |
//! | Conflict | from the player's third turn on: play an event against an opponent, or none | `conflict.rs` |
//! | Moai | play a meld, or none | `meld.rs` |
//! | Deforestation | the meld's cards go to the erosion pile or the discard pile | `meld.rs` |
//! | Decline | discard the cards above the hand limit: 10, then 8, then 6 cards | `decline.rs` |
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
//!   it.
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
mod greedy;
mod knowledge;
mod meld;
mod options;
mod text;
mod view;
#[cfg(feature = "service")]
mod wire;

use rand::Rng;

pub use action::Action;
use cards::CardSet;
pub use chance_outcome::Outcome;
pub use deck::{DEAL, DRAW, PASSES, Piles};
pub use decline::hand_limit;
pub use event::{Event, VisibleCards};
pub use greedy::greedy;
use meld::lacking_suits;
pub use options::{Options, Reshuffle, Tie};
pub use view::View;

use crate::core::{
    ActionSet, BySeat, ChanceRng, Events, Game, GameInfo, NoEvents, OutcomeError, Seat, StateBytes, Turn, Viewer,
    ranks_by,
};

/// A game of Rappa Nui: its complete state.
///
/// The fields are public, so that a test can set up a position by hand; [`RappaNui::check_invariants`] then checks
/// it.
#[derive(Clone, Debug, PartialEq)]
pub struct RappaNui {
    /// The options that the players agreed on.
    pub options: Options,
    /// The current phase.
    pub phase: Phase,
    /// The first player.
    pub first: Seat,
    /// The player whose turn it is.
    pub player: Seat,
    /// The number of this turn among the player's turns, from 1; 0 before the deal.
    pub round: u16,
    /// The cards that nobody holds.
    pub piles: Piles,
    /// The hands.
    pub hands: BySeat<CardSet>,
    /// Moai points.
    pub points: BySeat<u16>,
    /// For each seat, the cards that the seat knows to be in other hands.
    pub known: BySeat<CardSet>,
}

const _: () = assert!(size_of::<RappaNui>() <= 512, "a clone is a copy of a few cache lines");

/// The phase of the turn, with its data. All of it is public.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Phase {
    /// Setup: chance cuts for the first player, and deals.
    Deal,
    /// Rapa Nui Phase: chance draws cards for the player.
    Draw,
    /// Conflict Phase: the player plays an event or none.
    Conflict,
    /// Conflict Phase: chance takes a card from the victim for the player.
    Steal {
        /// The target of the event.
        victim: Seat,
    },
    /// Conflict Phase: chance takes cards from the victim.
    Lose {
        /// The target of the event.
        victim: Seat,
    },
    /// Moai Phase: the player lays a card, or plays no meld.
    Meld {
        /// The cards laid so far.
        laid: CardSet,
    },
    /// Decline Phase: the player discards.
    Decline {
        /// The number of cards still to discard.
        excess: u8,
        /// The index of the lowest kind that the player may discard next.
        from: u8,
    },
    /// The game is over.
    Over,
}

impl Phase {
    /// The Moai Phase before the first card of a meld.
    const MELD: Self = Self::Meld { laid: CardSet::EMPTY };
}

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
        let seats = options.seats;
        Self {
            options: *options,
            phase: Phase::Deal,
            first: Seat::default(),
            player: Seat::default(),
            round: 0,
            piles: Piles::NEW,
            hands: BySeat::new(seats, CardSet::EMPTY),
            points: BySeat::new(seats, 0),
            known: BySeat::new(seats, CardSet::EMPTY),
        }
    }

    fn options(&self) -> &Options {
        &self.options
    }

    #[inline]
    fn turn(&self) -> Turn {
        match self.phase {
            Phase::Deal | Phase::Draw | Phase::Steal { .. } | Phase::Lose { .. } => Turn::Chance,
            Phase::Conflict | Phase::Meld { .. } | Phase::Decline { .. } => Turn::Seats(self.player.into()),
            Phase::Over => Turn::Over,
        }
    }

    #[inline]
    fn legal_actions(&self, seat: Seat, legal: &mut ActionSet) {
        legal.clear();
        if seat != self.player {
            return;
        }
        match self.phase {
            Phase::Conflict => self.legal_events(seat, legal),
            Phase::Meld { laid } => self.legal_meld(seat, laid, legal),
            Phase::Decline { excess, from } => self.legal_discards(seat, excess, from, legal),
            Phase::Deal | Phase::Draw | Phase::Steal { .. } | Phase::Lose { .. } | Phase::Over => {}
        }
    }

    #[inline]
    fn apply(&mut self, seat: Seat, action: Action, events: &mut impl Events<Event>) {
        assert!(seat == self.player, "seat {seat} is not the player to act");
        match (self.phase, action) {
            (Phase::Conflict, Action::NoEvent) => {
                events.push(Event::NoEvent { seat });
                self.phase = Phase::MELD;
            }
            (Phase::Conflict, Action::PlayEvent(event, left)) => {
                let target = left.of(seat, self.options.seats).expect("a legal target is at the table");
                self.play_event(seat, event, target, events);
            }
            (Phase::Meld { .. }, Action::NoMeld) => {
                events.push(Event::NoMeld { seat });
                self.decline(events);
            }
            (Phase::Meld { laid }, Action::Meld(kind)) => self.lay(seat, laid, kind, events),
            (Phase::Meld { laid }, Action::Done) => self.finish_meld(seat, laid, events),
            (Phase::Decline { excess, .. }, Action::Discard(kind)) => self.discard(seat, excess, kind, events),
            (phase, action) => panic!("seat {seat} cannot {action} in {phase:?}"),
        }
    }

    fn draw(&self, chance: &mut ChanceRng) -> Outcome {
        match self.phase {
            Phase::Deal => self.draw_deal(chance),
            Phase::Draw => {
                let mut piles = self.piles;
                Outcome::Draw(piles.draw(self.options.reshuffle, &mut NoEvents, |piles, count| {
                    piles.deck.draw(chance, chance_outcome::deck(piles.passes), count)
                }))
            }
            Phase::Steal { victim } => {
                let card = self.taken_by_event(chance, victim, 1).iter().next();
                Outcome::Steal(card.expect("a Raid on an empty hand steals nothing"))
            }
            Phase::Lose { victim } => Outcome::Lose(self.taken_by_event(chance, victim, self.loss_of(victim))),
            phase => panic!("no chance event is due in {phase:?}"),
        }
    }

    fn check(&self, outcome: &Outcome) -> Result<(), OutcomeError> {
        match (self.phase, *outcome) {
            (Phase::Deal, Outcome::Deal { hands, .. }) => self.check_deal(hands),
            (Phase::Draw, Outcome::Draw(cards)) => self.check_draw(cards),
            (Phase::Steal { victim }, Outcome::Steal(card)) => match self.hands[victim].contains(card) {
                true => Ok(()),
                false => Err(OutcomeError(format!("expected a card from the hand of seat {victim}, got {card}"))),
            },
            (Phase::Lose { victim }, Outcome::Lose(cards)) => {
                let loss = self.loss_of(victim);
                match cards.is_within(self.hands[victim]) && cards.len() == loss {
                    true => Ok(()),
                    false => {
                        Err(OutcomeError(format!("expected {loss} cards from the hand of seat {victim}, got {cards}")))
                    }
                }
            }
            (Phase::Deal, _) => Err(OutcomeError("expected a deal".to_owned())),
            (Phase::Draw, _) => Err(OutcomeError(format!("expected a draw of seat {}", self.player))),
            (Phase::Steal { victim }, _) => Err(OutcomeError(format!("expected a card stolen from seat {victim}"))),
            (Phase::Lose { victim }, _) => Err(OutcomeError(format!("expected cards that seat {victim} loses"))),
            _ => Err(OutcomeError("no chance event is due".to_owned())),
        }
    }

    #[inline]
    fn settle(&mut self, outcome: &Outcome, events: &mut impl Events<Event>) {
        match (self.phase, *outcome) {
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
        let (phase, a, b, laid) = match self.phase {
            Phase::Deal => (0, 0, 0, CardSet::EMPTY),
            Phase::Draw => (1, 0, 0, CardSet::EMPTY),
            Phase::Conflict => (2, 0, 0, CardSet::EMPTY),
            Phase::Steal { victim } => (3, victim.index() as u8, 0, CardSet::EMPTY),
            Phase::Lose { victim } => (4, victim.index() as u8, 0, CardSet::EMPTY),
            Phase::Meld { laid } => (5, 0, 0, laid),
            Phase::Decline { excess, from } => (6, excess, from, CardSet::EMPTY),
            Phase::Over => (7, 0, 0, CardSet::EMPTY),
        };
        let Piles { deck, discard, eroded, shuffled, passes } = self.piles;
        for byte in [phase, a, b, self.first.index() as u8, self.player.index() as u8, passes] {
            state.u8(byte);
        }
        state.u16(self.round);
        for pile in [laid, deck, discard, eroded, shuffled] {
            state.u128(pile.bits());
        }
        for seat in self.options.seats.iter() {
            state.u128(self.hands[seat].bits());
            state.u128(self.known[seat].bits());
            state.u16(self.points[seat]);
        }
    }
}

/// Returns the cards that the player must still hold to finish the meld or the discards: sets of kinds, as bits by
/// index, each with a number of cards. A player begins a meld, and discards cards, only as the hand allows it.
fn still_needed(phase: Phase) -> Vec<(u64, usize)> {
    match phase {
        Phase::Meld { laid } => lacking_suits(laid).iter().map(|suit| (suit.kinds(), 1)).collect(),
        Phase::Decline { excess, from } => vec![(!0 << from, excess.into())],
        Phase::Deal | Phase::Draw | Phase::Conflict | Phase::Steal { .. } | Phase::Lose { .. } | Phase::Over => {
            Vec::new()
        }
    }
}

/// Returns the ranks: the most Moai points win (B17 for ties).
fn ranks(options: Options, points: BySeat<u16>, hand_sizes: BySeat<u8>) -> BySeat<u8> {
    match options.tie {
        Tie::Share => ranks_by(&points),
        Tie::FewestCards => {
            ranks_by(&BySeat::from_fn(options.seats, |seat| (points[seat], std::cmp::Reverse(hand_sizes[seat]))))
        }
    }
}

/// Setup.
impl RappaNui {
    fn draw_deal(&self, chance: &mut ChanceRng) -> Outcome {
        let seats = self.options.seats;
        let first = chance.number(chance_outcome::CUT, 0, seats.count() as u32) as usize;
        let first = seats.get(first).expect("the number is below the count");
        let mut deck = self.piles.deck;
        let hands = BySeat::from_fn(seats, |_| {
            let hand = deck.draw(chance, chance_outcome::deck(0), DEAL);
            deck -= hand;
            hand
        });
        Outcome::Deal { first, hands }
    }

    fn check_deal(&self, hands: BySeat<CardSet>) -> Result<(), OutcomeError> {
        if hands.seats() != self.options.seats {
            return Err(OutcomeError(format!(
                "expected {1} hands, one for each seat, got {0}",
                hands.seats(),
                self.options.seats
            )));
        }
        let mut deck = CardSet::ALL;
        for (seat, hand) in hands.iter() {
            if hand.len() != DEAL || !hand.is_within(deck) {
                return Err(OutcomeError(format!(
                    "expected {DEAL} cards for seat {seat} that no other seat has, got {hand}"
                )));
            }
            deck -= hand;
        }
        Ok(())
    }

    fn deal(&mut self, first: Seat, hands: BySeat<CardSet>, events: &mut impl Events<Event>) {
        self.hands = hands;
        hands.values().iter().for_each(|&hand| self.piles.deck -= hand);
        self.first = first;
        self.player = first;
        self.round = 1;
        events.push(Event::Dealt { first, hands });
        self.begin_turn(events);
    }
}

/// The check of a position.
impl RappaNui {
    /// Checks that every card is in exactly one place, and that players know only of cards that are there. The error
    /// names the fault.
    pub fn check_invariants(&self) -> Result<(), String> {
        let laid = match self.phase {
            Phase::Meld { laid } => laid,
            _ => CardSet::EMPTY,
        };
        let Piles { deck, discard, eroded, shuffled, passes } = self.piles;
        let mut missing = CardSet::ALL;
        for cards in [deck, discard, eroded, laid].iter().chain(self.hands.values()) {
            if !cards.is_within(missing) {
                return Err(format!("cards in two places: {}", *cards - missing));
            }
            missing -= *cards;
        }
        if !missing.is_empty() {
            return Err(format!("cards in no place: {missing}"));
        }
        for (seat, known) in self.known.iter() {
            let others = self.options.seats.others(seat).fold(CardSet::EMPTY, |all, other| all | self.hands[other]);
            if !known.is_within(others) {
                return Err(format!("seat {seat} knows cards that are in no other hand: {}", known - others));
            }
        }
        if shuffled != shuffled.unmarked() {
            return Err("the shuffled cards are not unmarked".to_owned());
        }
        if !deck.unmarked().is_within(shuffled) {
            return Err(format!("cards in the deck that were not in the last shuffle: {}", deck.unmarked() - shuffled));
        }
        if passes > PASSES {
            return Err(format!("expected at most {PASSES} passes, got {passes}"));
        }
        let seats = self.options.seats;
        let at_table = |seat: Seat| seats.all().contains(seat);
        if !at_table(self.first) || !at_table(self.player) || self.hands.seats() != seats {
            return Err(format!("expected hands, a first player, and a player at a table of {seats} seats"));
        }
        Ok(())
    }
}

/// The turn sequence.
impl RappaNui {
    fn begin_turn(&mut self, events: &mut impl Events<Event>) {
        events.push(Event::TurnBegan { seat: self.player, number: self.round });
        if self.piles.are_gone_through() {
            self.begin_conflict();
        } else {
            self.phase = Phase::Draw;
        }
    }

    fn draw_cards(&mut self, cards: CardSet, events: &mut impl Events<Event>) {
        events.push(Event::Drew { seat: self.player, cards });
        self.piles.draw(self.options.reshuffle, events, |piles, _| cards & piles.deck);
        self.hands[self.player] |= cards;
        self.begin_conflict();
    }

    fn check_draw(&self, cards: CardSet) -> Result<(), OutcomeError> {
        let mut fits = true;
        let drawn = self.piles.clone().draw(self.options.reshuffle, &mut NoEvents, |piles, count| {
            let chosen = cards & piles.deck;
            fits &= chosen.len() == count;
            if fits { chosen } else { piles.deck.iter().take(count).collect() }
        });
        match fits && drawn == cards {
            true => Ok(()),
            false => Err(OutcomeError(format!("expected a draw of {} cards from the deck, got {cards}", drawn.len()))),
        }
    }

    fn begin_conflict(&mut self) {
        self.phase = if self.may_play_events() { Phase::Conflict } else { Phase::MELD };
    }

    /// Begins the next turn, or ends the game. B4: after the last pass, the current turn is the last; with
    /// `equal_turns`, the current round is the last.
    fn end_turn(&mut self, events: &mut impl Events<Event>) {
        let next = self.options.seats.left_of(self.player, 1);
        let round_ends = next == self.first;
        if self.piles.are_gone_through() && (round_ends || !self.options.equal_turns) {
            self.phase = Phase::Over;
            events.push(Event::Ended { points: self.points });
            return;
        }
        self.player = next;
        self.round += u16::from(round_ends);
        self.begin_turn(events);
    }

    /// Returns true if the player can finish the current meld or discards.
    fn can_go_on(&self) -> bool {
        let hand = self.hands[self.player];
        let enough = |(kinds, count)| hand.iter().filter(|card| kinds >> card.kind().index() & 1 == 1).count() >= count;
        still_needed(self.phase).into_iter().all(enough)
    }

    /// Draws the cards that the event of this turn takes from a hand.
    fn taken_by_event(&self, chance: &ChanceRng, victim: Seat, count: usize) -> CardSet {
        self.hands[victim].draw_once(chance, chance_outcome::event(self.round, self.player), count)
    }
}
