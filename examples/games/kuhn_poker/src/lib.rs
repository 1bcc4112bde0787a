//! Kuhn poker: two players, three cards, one bet (H. W. Kuhn, "A simplified two-person poker", 1950).
//!
//! Each player pays an ante of one chip and gets one of the cards 1, 2, and 3. Seat 0 passes or bets a chip, then seat 1 does.
//! After a bet, to pass is to fold, and to bet is to call. After a pass and a bet, seat 0 decides once more. Unless somebody
//! folds, the higher card takes the pot.

#[cfg(test)]
mod tests;

use std::fmt;

use ahu::core::parts::numbers::Numbers;
use ahu::core::{
    ActionSet, Ask, BySeat, ChanceRng, Compact, Describe, Draw, Encode, Events, Game, GameInfo, GameOptions as _, Seat,
    SeatSet, SeatsAlone, Sink, Stream, Told, Turn, View, Viewer,
};
use ahu::host::{Bot, Rules};

/// The game with its bots, for `ahu::main_with`.
pub static RULES: Rules<Kuhn> = Rules::new(&[Bot::random()]);

ahu::core::actions! {
    /// A decision.
    pub enum Action {
        /// Check, or fold after a bet.
        "pass" => Pass,
        /// Bet a chip, or call.
        "bet" => Bet,
    }
}

/// The game. Chance deals the cards.
#[derive(Clone, Debug)]
pub struct Kuhn {
    options: SeatsAlone<2, 2>,
    cards: Option<[u8; 2]>,
    bets: Bets,
}

/// The decisions so far, true for a bet.
type Bets = [Option<bool>; 3];

/// Returns what each player has lost if it loses, and who has folded; None while the game goes on.
fn end(bets: Bets) -> Option<(i32, Option<usize>)> {
    match bets {
        [Some(false), Some(false), None] => Some((1, None)),
        [Some(true), Some(true), None] | [Some(false), Some(true), Some(true)] => Some((2, None)),
        [Some(true), Some(false), None] => Some((1, Some(1))),
        [Some(false), Some(true), Some(false)] => Some((1, Some(0))),
        _ => None,
    }
}

impl Game for Kuhn {
    type Options = SeatsAlone<2, 2>;
    type Action = Action;
    type Outcome = Numbers;
    type Event = Told;
    type View = Seen;

    const INFO: GameInfo = GameInfo { title: "Kuhn poker", ..GameInfo::new("kuhn_poker", 4) };

    fn new(options: &Self::Options) -> Self {
        Self { options: *options, cards: None, bets: [None; 3] }
    }

    fn options(&self) -> &Self::Options {
        &self.options
    }

    fn turn(&self) -> Turn {
        let decided = self.bets.iter().flatten().count();
        match (self.cards, end(self.bets)) {
            (None, _) => Turn::Chance,
            (_, Some(_)) => Turn::Over,
            _ => Turn::Seats(SeatSet::from_iter(Seat::new(decided % 2))),
        }
    }

    fn legal_actions(&self, seat: Seat, legal: &mut ActionSet) {
        legal.clear();
        if self.turn().to_act().contains(seat) {
            legal.insert(Action::Pass);
            legal.insert(Action::Bet);
        }
    }

    fn apply(&mut self, seat: Seat, action: Action, events: &mut impl Events<Told>) {
        let next = self.bets.iter().position(Option::is_none).expect("a decision is due");
        self.bets[next] = Some(action == Action::Bet);
        events.tell(|| Told::all(format!("seat {seat}: {action}")));
        if let (Some((_, None)), Some([first, second])) = (end(self.bets), self.cards) {
            events.tell(|| Told::all(format!("seat 0 shows {first}, seat 1 shows {second}")));
        }
    }

    fn draw(&self, chance: &mut ChanceRng) -> Numbers {
        Numbers(chance.order(Stream::new(0, 0), 3)[..2].iter().map(|card| card + 1).collect())
    }

    fn outcomes(&self) -> Option<Vec<(Numbers, f64)>> {
        let deals = [[1, 2], [1, 3], [2, 1], [2, 3], [3, 1], [3, 2]];
        Some(deals.map(|deal| (Numbers(deal.to_vec()), 1.0 / 6.0)).into())
    }

    fn settle(&mut self, outcome: &Numbers, events: &mut impl Events<Told>) {
        self.cards = Some([outcome.0[0], outcome.0[1]]);
        for (seat, card) in self.options.seats().iter().zip(&outcome.0) {
            events.tell(|| Told::to(seat, format!("seat {seat} gets the card {card}")));
        }
    }

    fn view(&self, viewer: Viewer) -> Seen {
        let is_shown = matches!(end(self.bets), Some((_, None)));
        let card = |seat: Seat| self.cards.filter(|_| viewer.is(seat) || is_shown).map(|cards| cards[seat.index()]);
        Seen { viewer, bets: self.bets, cards: BySeat::from_fn(self.options.seats(), card) }
    }
}

/// The knowledge of a viewer. A card that the viewer does not know is None.
#[derive(Clone, Debug, PartialEq)]
pub struct Seen {
    viewer: Viewer,
    bets: Bets,
    cards: BySeat<Option<u8>>,
}

impl View for Seen {
    fn viewer(&self) -> Viewer {
        self.viewer
    }

    /// The chips won or lost.
    fn scores(&self) -> BySeat<i32> {
        let best = self.cards.values().iter().max();
        BySeat::from_fn(self.cards.seats(), |seat| match end(self.bets) {
            None => 0,
            Some((chips, Some(folded))) => {
                if folded == seat.index() {
                    -chips
                } else {
                    chips
                }
            }
            Some((chips, None)) => {
                if Some(&self.cards[seat]) == best {
                    chips
                } else {
                    -chips
                }
            }
        })
    }
}

ahu::core::fields! {
    bits {
        /// The own card.
        card: one_hot[3];
        /// The decisions so far: a pass or a bet.
        decisions: one_hot[3, 2].values(&["pass", "bet"]);
    }
    numbers {}
}

impl Encode for Seen {
    const BITS: usize = BITS;
    const NUMBERS: usize = NUMBERS;

    fn write(&self, sink: &mut impl Sink) {
        let own = self.viewer.own_seat().and_then(|seat| self.cards[seat]);
        sink.bits(fields::card, &[own.map_or(0, |card| 1 << (card - 1))]);
        let decision = |bet: &Option<bool>| bet.map_or(0, |bet| 1 << u64::from(bet));
        sink.bits(fields::decisions, &self.bets.each_ref().map(decision));
    }
}

impl fmt::Display for Seen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let told = self.bets.iter().flatten().map(|&bet| if bet { " bet" } else { " pass" });
        writeln!(f, "so far:{}", told.collect::<String>())?;
        for (seat, card) in self.cards.iter() {
            writeln!(f, "seat {seat}: card {}", card.map_or("?".to_owned(), |card| card.to_string()))?;
        }
        Ok(())
    }
}

impl Describe for Seen {}
impl Compact for Seen {}
impl Ask for Seen {}
impl Draw for Seen {}
