//! Leduc hold'em: two players, six cards, two rounds (F. Southey and others, "Bayes' bluff: opponent modelling in poker", 2005).
//!
//! There are two jacks, two queens, and two kings. Each player pays an ante of one chip and gets a card. In each of two rounds,
//! seat 0 decides first; a raise costs 2 chips in the first round and 4 in the second, and a round has at most two. Between
//! the rounds a card is laid open for both. Who has a pair with it wins the pot, otherwise the higher card; equals share it.

#[cfg(test)]
mod tests;

use std::fmt;

use ahu::core::parts::{draws, lines, numbers::Numbers};
use ahu::core::{
    ActionSet, Ask, BySeat, ChanceRng, Compact, Describe, Draw, Encode, Events, Game, GameInfo, GameOptions as _, Seat,
    SeatSet, SeatsAlone, Sink, Stream, Told, Turn, View, Viewer,
};
use ahu::host::{Bot, Rules};

/// The game with its bots, for `ahu::main_with`.
pub static RULES: Rules<Leduc> = Rules::new(&[Bot::random()]);

ahu::core::actions! {
    /// A decision.
    pub enum Action {
        /// Give up the pot.
        "fold" => Fold,
        /// Pay as much as the other player, or nothing if nobody has raised.
        "call" => Call,
        /// Pay as much as the other player, and 2 or 4 chips more.
        "raise" => Raise,
    }
}

/// The letters of the ranks, from the lowest.
const RANKS: [&str; 3] = ["J", "Q", "K"];

/// The public part of the game.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Table {
    options: SeatsAlone<2, 2>,
    is_dealt: bool,
    /// The rank of the open card.
    open: Option<u8>,
    paid: BySeat<i32>,
    raises: u8,
    calls: u8,
    next: Seat,
    folded: Option<Seat>,
}

impl Table {
    fn turn(&self) -> Turn {
        // Both have the same stakes, and nobody may raise any more.
        let is_settled = self.calls == 2 || (self.raises > 0 && self.calls == 1);
        match (self.folded, self.open) {
            (Some(_), _) => Turn::Over,
            (None, Some(_)) if is_settled => Turn::Over,
            (None, None) if is_settled || !self.is_dealt => Turn::Chance,
            _ => Turn::Seats(SeatSet::from_iter([self.next])),
        }
    }

    fn is_shown(&self) -> bool {
        self.turn() == Turn::Over && self.folded.is_none()
    }
}

/// The game.
#[derive(Clone, Debug)]
pub struct Leduc {
    table: Table,
    cards: BySeat<u8>,
}

impl Leduc {
    /// Returns the cards of each rank that nobody has.
    fn pile(&self) -> [u8; 3] {
        let held = |rank| self.cards.values().iter().filter(|&&card| usize::from(card) == rank).count() as u8;
        std::array::from_fn(|rank| if self.table.is_dealt { 2 - held(rank) } else { 2 })
    }
}

impl Game for Leduc {
    type Options = SeatsAlone<2, 2>;
    type Action = Action;
    type Outcome = Numbers;
    type Event = Told;
    type View = Seen;

    const INFO: GameInfo = GameInfo { title: "Leduc hold'em", ..GameInfo::new("leduc_poker", 10) };

    fn new(options: &Self::Options) -> Self {
        let seats = options.seats();
        let (paid, next) = (BySeat::new(seats, 1), Seat::default());
        let (options, is_dealt, open, raises, calls, folded) = (*options, false, None, 0, 0, None);
        Self {
            table: Table { options, is_dealt, open, paid, raises, calls, next, folded },
            cards: BySeat::new(seats, 0),
        }
    }

    fn options(&self) -> &Self::Options {
        &self.table.options
    }

    fn turn(&self) -> Turn {
        self.table.turn()
    }

    fn legal_actions(&self, seat: Seat, legal: &mut ActionSet) {
        legal.clear();
        if self.turn().to_act().contains(seat) {
            let is_raised = self.table.paid.values().iter().any(|&paid| paid > self.table.paid[seat]);
            legal.insert(Action::Call);
            if is_raised {
                legal.insert(Action::Fold);
            }
            if self.table.raises < 2 {
                legal.insert(Action::Raise);
            }
        }
    }

    fn apply(&mut self, seat: Seat, action: Action, events: &mut impl Events<Told>) {
        let table = &mut self.table;
        let most = table.paid.values().iter().copied().max().unwrap_or_default();
        match action {
            Action::Fold => table.folded = Some(seat),
            Action::Call => (table.paid[seat], table.calls) = (most, table.calls + 1),
            Action::Raise => {
                table.paid[seat] = most + if table.open.is_none() { 2 } else { 4 };
                (table.raises, table.calls) = (table.raises + 1, 0);
            }
        }
        table.next = table.options.seats().left_of(seat, 1);
        events.tell(|| Told::all(format!("seat {seat}: {action}")));
        if self.table.is_shown() {
            let shown = self.cards.iter().map(|(seat, card)| format!("seat {seat} shows {}", RANKS[usize::from(card)]));
            events.tell(|| Told::all(lines::joined(shown, ", ")));
        }
    }

    fn draw(&self, chance: &mut ChanceRng) -> Numbers {
        let order = chance.order(Stream::new(0, 0), 6);
        Numbers(if self.table.is_dealt { &order[2..3] } else { &order[..2] }.iter().map(|card| card / 2).collect())
    }

    fn outcomes(&self) -> Option<Vec<(Numbers, f64)>> {
        let drawn = draws::sequences(&self.pile(), if self.table.is_dealt { 1 } else { 2 })?;
        let numbers = |ranks: Vec<usize>| Numbers(ranks.into_iter().map(|rank| rank as u8).collect());
        Some(drawn.into_iter().map(|(ranks, probability)| (numbers(ranks), probability)).collect())
    }

    fn settle(&mut self, outcome: &Numbers, events: &mut impl Events<Told>) {
        let rank = |card: u8| RANKS[usize::from(card)];
        let table = &mut self.table;
        if let (true, [open]) = (table.is_dealt, &*outcome.0) {
            (table.open, table.raises, table.calls, table.next) = (Some(*open), 0, 0, Seat::default());
            events.tell(|| Told::all(format!("the open card is {}", rank(*open))));
            return;
        }
        self.cards = BySeat::from_fn(table.options.seats(), |seat| outcome.0[seat.index()]);
        table.is_dealt = true;
        for (seat, card) in self.cards.iter() {
            events.tell(|| Told::to(seat, format!("seat {seat} gets {}", rank(card))));
        }
    }

    fn view(&self, viewer: Viewer) -> Seen {
        let is_known = |seat| self.table.is_dealt && (viewer.is(seat) || self.table.is_shown());
        let card = |seat: Seat| Some(self.cards[seat]).filter(|_| is_known(seat));
        Seen { viewer, table: self.table, cards: BySeat::from_fn(self.table.options.seats(), card) }
    }
}

/// The knowledge of a viewer. A card that the viewer does not know is None.
#[derive(Clone, Debug, PartialEq)]
pub struct Seen {
    viewer: Viewer,
    table: Table,
    cards: BySeat<Option<u8>>,
}

impl View for Seen {
    fn viewer(&self) -> Viewer {
        self.viewer
    }

    /// The chips won or lost.
    fn scores(&self) -> BySeat<i32> {
        let strength = |seat| (self.cards[seat] == self.table.open, self.cards[seat]);
        let lost = self.table.paid.values().iter().copied().min().unwrap_or_default();
        BySeat::from_fn(self.table.options.seats(), |seat| {
            let other = self.table.options.seats().left_of(seat, 1);
            match (self.table.turn(), self.table.folded) {
                (Turn::Over, Some(folded)) => {
                    if folded == seat {
                        -lost
                    } else {
                        lost
                    }
                }
                (Turn::Over, None) => lost * strength(seat).cmp(&strength(other)) as i32,
                _ => 0,
            }
        })
    }
}

ahu::core::fields! {
    bits {
        /// The own card.
        card: one_hot[3].values(&RANKS);
        /// The open card.
        open: one_hot[3].values(&RANKS);
    }
    numbers {
        /// The chips that each player has paid, the own first.
        paid: numbers[2].range(0, 13).by_seat();
        /// The raises of the round.
        raises: numbers[].range(0, 2);
    }
}

impl Encode for Seen {
    const BITS: usize = BITS;
    const NUMBERS: usize = NUMBERS;

    fn write(&self, sink: &mut impl Sink) {
        let own = self.viewer.own_seat().and_then(|seat| self.cards[seat]);
        sink.bits(fields::card, &[own.map_or(0, |card| 1 << card)]);
        sink.bits(fields::open, &[self.table.open.map_or(0, |card| 1 << card)]);
        sink.numbers(fields::paid, &self.table.paid.from_left::<2, i16>(self.viewer.seat(), |paid| paid as i16));
        sink.numbers(fields::raises, &[self.table.raises.into()]);
    }
}

impl fmt::Display for Seen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rank = |card: Option<u8>| card.map_or("?", |card| RANKS[usize::from(card)]);
        writeln!(f, "open card: {}, raises in this round: {}", rank(self.table.open), self.table.raises)?;
        self.cards.iter().try_for_each(|(seat, card)| {
            writeln!(f, "seat {seat}: card {}, {}", rank(card), lines::counted(self.table.paid[seat], "chip"))
        })
    }
}

impl Describe for Seen {}
impl Compact for Seen {}
impl Ask for Seen {}
impl Draw for Seen {}
