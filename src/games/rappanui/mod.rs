//! Rappa Nui, the deck game (Warp Spawn Games), 2 to 6 players.
//!
//! Rival tribes of Easter Island build Moai, and use up the island doing so. All draw from one deck
//! of 120 cards: Food, Wood, People and Stone, numbered 1 to 12, and events. A *meld* of one card
//! of each suit builds Moai, worth as many points as its lowest number. Its Wood is then gone for
//! good, and often more. The game ends when the players have gone through the deck three times.
//!
//! # A turn
//!
//! | phase | what happens | where |
//! |---|---|---|
//! | Rapa Nui | draw 4 cards | `piles.rs` |
//! | Conflict | from one's third turn on: play an event against an opponent, or not | `conflict.rs` |
//! | Moai | play a meld, or not | `meld.rs` |
//! | Deforestation | the meld's cards go to the erosion pile or the discard pile | `meld.rs` |
//! | Decline | discard what is above the hand limit: 10, then 8, then 6 cards | `decline.rs` |
//!
//! # Rulings
//!
//! Where the rulebook is silent, the following holds. *Italics* name an option.
//!
//! * **B1** The game is for 2 to 6 players.
//! * **B2** The cut for the first player is an act of chance: each is as likely.
//! * **B3** A pass is complete when the last card is drawn. The discard pile becomes the deck when a
//!   card has to be drawn from an empty one, with all that was discarded until then; a draw that is
//!   under way goes on. *`reshuffle`* `eager`: as soon as the last card is drawn, or, where nothing
//!   has been discarded, at the next draw; never after the third pass.
//! * **B4** The player who draws the last card for the third time draws no more, finishes the turn,
//!   and the game is over. *`equal_turns`*: the others, up to the one before the first player, still
//!   have their turn, without drawing.
//! * **B5** Where deck and discard pile are both empty, what is possible is drawn; the failed draw
//!   counts as a complete pass, once a turn.
//! * **B6** The hand limit that a pass brings holds at once, in each player's own Decline Phase. At
//!   the third pass it stays 6.
//! * **B7** The hand limit counts in the Decline Phase alone.
//! * **B8** An event may be played against any opponent, also where it takes nothing.
//!   *`require_effect`*: Raid and Disaster need a target with a card, Huri Moai one with a point.
//! * **B9** Thief and victim know what a Raid took, nobody else does. It may be used at once.
//! * **B10** A Disaster takes what there is, where that is less than two cards. They lie face up.
//! * **B11** The two turns without events are each player's own first two.
//! * **B12** At most one meld a turn, in one's own turn.
//! * **B13** Deforestation compares the printed numbers, strictly, wherever the other card went.
//! * **B14** A meld has exactly one card of each suit. *`combine_rule`*: one or more.
//! * **B15** Combined cards count with their sum, for points and for Deforestation. Of a suit that
//!   erodes, the highest card alone does, and the rest is discarded; of Wood too.
//! * **B16** There is no limit to a sum.
//! * **B17** Who ties shares the place. *`tie`* `fewest_cards`: fewer cards in hand come first.
//! * **B18** Discard and erosion pile lie face up. Hands are hidden; their sizes, the deck's, points,
//!   turns and passes are open.
//! * **B19** What is discarded in the Decline Phase is the player's choice.
//! * **B20** Points that a Huri Moai takes go to nobody.
//! * **B21** Events may be discarded unplayed.
//! * **B22** Exactly the excess is discarded.
//! * **B23** A player is asked for an event (from the third turn on) and for a meld even where
//!   "none" is all that is possible: a question left out would tell what the hand lacks.
//! * **B24** An event is discarded before it takes effect.
//!
//! Ours, where the rulings too are silent:
//!
//! * **Disasters are told apart.** They differ in name alone, but all see which one is played, so
//!   the player says which.
//! * **Equal cards.** Of equal cards the first copy is played. Nobody can tell, and luck treats all
//!   copies alike.
//! * **What is known of hands.** The victim of a Raid goes on knowing a card of the thief's, for as long as `knowledge.rs`
//!   says. What went into the deck when it was last shuffled is open, since it lay face up.

mod action;
pub mod cards;
mod conflict;
mod decline;
mod event;
mod greedy;
mod knowledge;
mod meld;
mod options;
mod outcome;
mod piles;
mod text;
mod view;
#[cfg(feature = "service")]
mod wire;

use rand::Rng;

pub use action::Action;
use cards::CardSet;
pub use decline::hand_limit;
pub use event::{Event, Told};
pub use greedy::greedy;
use meld::lacking_suits;
pub use options::{Options, Reshuffle, Tie};
pub use outcome::Outcome;
pub use piles::{DEAL, DRAW, PASSES, Piles};
pub use view::View;

use crate::core::{
    ActionSet, BySeat, Events, Game, GameInfo, Luck, NoEvents, OutcomeError, Seat, StateBytes, Turn, Viewer, ranks_by,
};

/// A game of Rappa Nui: everything that is true at the table.
///
/// The fields are open, so that a position can be set up by hand; [`RappaNui::check_whole`] then
/// tells whether it is one.
#[derive(Clone, Debug, PartialEq)]
pub struct RappaNui {
    /// What was agreed before play.
    pub options: Options,
    /// What comes next.
    pub phase: Phase,
    /// Who goes first.
    pub first: Seat,
    /// Whose turn it is.
    pub player: Seat,
    /// Which of the player's turns it is, from 1; 0 before the deal.
    pub round: u16,
    /// The cards that nobody holds.
    pub piles: Piles,
    /// The hands.
    pub hands: BySeat<CardSet>,
    /// Moai points.
    pub points: BySeat<u16>,
    /// For each seat, the cards in other hands of which it knows that they are there.
    pub known: BySeat<CardSet>,
}

const _: () = assert!(size_of::<RappaNui>() <= 512, "a clone is a copy of a few cache lines");

/// What comes next. Everybody can see it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Phase {
    /// Setup: chance cuts and deals.
    Deal,
    /// Rapa Nui Phase: chance draws.
    Draw,
    /// Conflict Phase: the player plays an event or none.
    Conflict,
    /// Conflict Phase: chance takes a card for the player.
    Steal {
        /// Whose.
        victim: Seat,
    },
    /// Conflict Phase: chance takes cards.
    Lose {
        /// Whose.
        victim: Seat,
    },
    /// Moai Phase: the player lays a card, or plays no meld.
    Meld {
        /// The cards laid so far.
        laid: CardSet,
    },
    /// Decline Phase: the player discards.
    Decline {
        /// How many more.
        excess: u8,
        /// The index of the kind from which on.
        from: u8,
    },
    /// The game is over.
    Over,
}

impl Phase {
    /// The Moai Phase, with nothing laid.
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
        // At most 90 turns draw four of the 360 cards of three passes, and few draw less. Five plies a turn beside
        // those that lay or discard a card, of which there are as many as cards come in.
        plies_max: 1000,
        title: "Rappa Nui, the deck game",
        about: "Rival tribes build Moai from melds of Food, Wood, People and Stone, raid each other, and wear the \
                island's one deck of cards away. The most Moai points win when the deck has been gone through three times.",
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
        assert!(seat == self.player, "seat {seat} is not to play");
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

    fn draw(&self, luck: &mut Luck) -> Outcome {
        match self.phase {
            Phase::Deal => self.draw_deal(luck),
            Phase::Draw => {
                let mut piles = self.piles;
                Outcome::Draw(piles.draw(self.options.reshuffle, &mut NoEvents, |piles, count| {
                    piles.deck.draw(luck, outcome::deck(piles.passes), count)
                }))
            }
            Phase::Steal { victim } => {
                let card = self.taken_by_event(luck, victim, 1).iter().next();
                Outcome::Steal(card.expect("a Raid on an empty hand is over at once"))
            }
            Phase::Lose { victim } => Outcome::Lose(self.taken_by_event(luck, victim, self.loss_of(victim))),
            phase => panic!("nothing is left to chance in {phase:?}"),
        }
    }

    fn check(&self, outcome: &Outcome) -> Result<(), OutcomeError> {
        match (self.phase, *outcome) {
            (Phase::Deal, Outcome::Deal { hands, .. }) => self.check_deal(hands),
            (Phase::Draw, Outcome::Draw(cards)) => self.check_draw(cards),
            (Phase::Steal { victim }, Outcome::Steal(card)) => match self.hands[victim].contains(card) {
                true => Ok(()),
                false => Err(OutcomeError(format!("seat {victim} does not hold {card}"))),
            },
            (Phase::Lose { victim }, Outcome::Lose(cards)) => {
                let loss = self.loss_of(victim);
                match cards.is_within(self.hands[victim]) && cards.len() == loss {
                    true => Ok(()),
                    false => Err(OutcomeError(format!("seat {victim} loses {loss} of its cards, not {cards}"))),
                }
            }
            (Phase::Deal, _) => Err(OutcomeError("the cards are to be dealt".to_owned())),
            (Phase::Draw, _) => Err(OutcomeError(format!("seat {} is to draw", self.player))),
            (Phase::Steal { victim }, _) => Err(OutcomeError(format!("a card is to be stolen from seat {victim}"))),
            (Phase::Lose { victim }, _) => Err(OutcomeError(format!("seat {victim} is to lose cards"))),
            _ => Err(OutcomeError("no act of chance is due".to_owned())),
        }
    }

    #[inline]
    fn settle(&mut self, outcome: &Outcome, events: &mut impl Events<Event>) {
        match (self.phase, *outcome) {
            (Phase::Deal, Outcome::Deal { first, hands }) => self.deal(first, hands, events),
            (Phase::Draw, Outcome::Draw(cards)) => self.draw_cards(cards, events),
            (Phase::Steal { victim }, Outcome::Steal(card)) => self.steal(victim, card, events),
            (Phase::Lose { victim }, Outcome::Lose(cards)) => self.lose(victim, cards, events),
            (phase, outcome) => panic!("{outcome} cannot happen in {phase:?}"),
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

/// What the player must still hold to finish what is begun, for a meld is begun, and cards are
/// discarded, only as far as the hand allows it: kinds, as bits by index, and how many of them.
fn still_needed(phase: Phase) -> Vec<(u64, usize)> {
    match phase {
        Phase::Meld { laid } => lacking_suits(laid).iter().map(|suit| (suit.kinds(), 1)).collect(),
        Phase::Decline { excess, from } => vec![(!0 << from, excess.into())],
        Phase::Deal | Phase::Draw | Phase::Conflict | Phase::Steal { .. } | Phase::Lose { .. } | Phase::Over => {
            Vec::new()
        }
    }
}

/// The most Moai points win (B17 for ties).
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
    fn draw_deal(&self, luck: &mut Luck) -> Outcome {
        let seats = self.options.seats;
        let first = luck.number(outcome::CUT, 0, seats.count() as u32) as usize;
        let first = seats.get(first).expect("the number is below the count");
        let mut deck = self.piles.deck;
        let hands = BySeat::from_fn(seats, |_| {
            let hand = deck.draw(luck, outcome::deck(0), DEAL);
            deck -= hand;
            hand
        });
        Outcome::Deal { first, hands }
    }

    fn check_deal(&self, hands: BySeat<CardSet>) -> Result<(), OutcomeError> {
        if hands.seats() != self.options.seats {
            return Err(OutcomeError(format!("{} hands are dealt to {} seats", hands.seats(), self.options.seats)));
        }
        let mut deck = CardSet::ALL;
        for (seat, hand) in hands.iter() {
            if hand.len() != DEAL || !hand.is_within(deck) {
                return Err(OutcomeError(format!(
                    "seat {seat} is dealt {DEAL} cards that nobody else has, not {hand}"
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

/// Positions.
impl RappaNui {
    /// Tells what is wrong with a position: every card is to be somewhere, once, and what players
    /// know is to be so.
    pub fn check_whole(&self) -> Result<(), String> {
        let laid = match self.phase {
            Phase::Meld { laid } => laid,
            _ => CardSet::EMPTY,
        };
        let Piles { deck, discard, eroded, shuffled, passes } = self.piles;
        let mut missing = CardSet::ALL;
        for cards in [deck, discard, eroded, laid].iter().chain(self.hands.values()) {
            if !cards.is_within(missing) {
                return Err(format!("in two places: {}", *cards - missing));
            }
            missing -= *cards;
        }
        if !missing.is_empty() {
            return Err(format!("nowhere: {missing}"));
        }
        for (seat, known) in self.known.iter() {
            let others = self.options.seats.others(seat).fold(CardSet::EMPTY, |all, other| all | self.hands[other]);
            if !known.is_within(others) {
                return Err(format!("seat {seat} knows of cards that no other hand has: {}", known - others));
            }
        }
        if shuffled != shuffled.unmarked() {
            return Err("what was shuffled is kept unmarked".to_owned());
        }
        if !deck.unmarked().is_within(shuffled) {
            return Err(format!("in the deck, but never shuffled: {}", deck.unmarked() - shuffled));
        }
        if passes > PASSES {
            return Err(format!("the deck runs out {PASSES} times, not {passes}"));
        }
        let seats = self.options.seats;
        let at_table = |seat: Seat| seats.all().contains(seat);
        if !at_table(self.first) || !at_table(self.player) || self.hands.seats() != seats {
            return Err(format!("the table has {seats} seats"));
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
            false => Err(OutcomeError(format!("{} cards are drawn from the deck, not {cards}", drawn.len()))),
        }
    }

    fn begin_conflict(&mut self) {
        self.phase = if self.may_play_events() { Phase::Conflict } else { Phase::MELD };
    }

    /// B4: after the last pass, the turn under way is the last; with `equal_turns`, the round is.
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

    /// Whether the player can finish what is begun.
    fn can_go_on(&self) -> bool {
        let hand = self.hands[self.player];
        let enough = |(kinds, count)| hand.iter().filter(|card| kinds >> card.kind().index() & 1 == 1).count() >= count;
        still_needed(self.phase).into_iter().all(enough)
    }

    /// The cards that the event of this turn takes from a hand, at random.
    fn taken_by_event(&self, luck: &Luck, victim: Seat, count: usize) -> CardSet {
        self.hands[victim].draw_once(luck, outcome::event(self.round, self.player), count)
    }
}
