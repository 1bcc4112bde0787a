//! A toy game with features that few real games have, or none: several seats that decide in secret at once, chains of secret
//! decisions, events that some viewers are not told, shown views that differ from views. It also has a planted leak, which
//! proves that the law against leaks can fail.
//!
//! *Sealed bids*: each player has stones with the numbers 1 to 5. In each of three rounds chance draws a prize of 1
//! to 6. All players choose a stone in secret, and whether to double it. Then all bids are revealed at once. The
//! highest bid takes the prize, and in a tie nobody does; a doubled stone costs a point. Played stones are public.

use std::fmt;
use std::str::FromStr;

use ahu_core::parts::lines::wrapped;
use ahu_core::{
    self, ActionGroup, ActionId, ActionSet, Ask, BySeat, ChanceRng, Compact, Describe, Draw, Encode, Events, Field,
    Game, GameInfo, GameOptions, OptionKind, OptionSpec, OutcomeError, ParseError, Resample, Seat, SeatSet, Seats,
    Sink, StateBytes, Stream, Turn, Viewer,
};
use rand::{Rng, RngExt};

use ahu_laws::{Ply, Secrets};

const STONES: u8 = 5;
const ROUNDS: u8 = 3;

/// The game. With `LEAK`, a view shows whether the left neighbour has doubled before the bids are revealed: a bit of the
/// observation is set, and the viewer's own points are one point higher.
#[derive(Clone, Debug)]
pub(crate) struct Bids<const LEAK: bool> {
    options: Options,
    round: u8,
    prize: u8,
    over: bool,
    chosen: BySeat<Bid>,
    /// The remaining stones of each seat, as bits.
    stones: BySeat<u8>,
    points: BySeat<i32>,
}

/// The progress of a seat's bid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bid {
    None,
    Stone(u8),
    Sealed(u8, bool),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Options {
    seats: Seats,
    /// True if others' points are left out of the shown view.
    hidden_points: bool,
}

impl GameOptions for Options {
    const MIN_SEATS: usize = 2;
    const MAX_SEATS: usize = 6;
    const SPECS: &'static [OptionSpec<Self>] = &[OptionSpec {
        key: "hidden_points",
        kind: OptionKind::Flag,
        meaning: "Observations without others' points.",
        get: |options| options.hidden_points.into(),
        set: |options, value| options.hidden_points = value == 1,
    }];

    fn new(seats: Seats) -> Self {
        Self { seats, hidden_points: false }
    }

    fn seats(&self) -> Seats {
        self.seats
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Action {
    Bid(u8),
    Double(bool),
}

impl ahu_core::Action for Action {
    const COUNT: usize = 7;
    const GROUPS: &'static [ActionGroup] = &[
        ActionGroup {
            pattern: "bid <stone>",
            count: 5,
            meaning: "The choice of a stone, 1 to 5.",
            says: "",
            arguments: &[],
        },
        ActionGroup {
            pattern: "<single|double>",
            count: 2,
            meaning: "The choice to double it or not.",
            says: "",
            arguments: &[],
        },
    ];

    fn id(self) -> ActionId {
        match self {
            Self::Bid(stone) => ActionId(u16::from(stone) - 1),
            Self::Double(double) => ActionId(5 + u16::from(double)),
        }
    }

    fn from_id(id: ActionId) -> Option<Self> {
        match id.0 {
            n @ 0..=4 => Some(Self::Bid(n as u8 + 1)),
            n @ 5..=6 => Some(Self::Double(n == 6)),
            _ => None,
        }
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bid(stone) => write!(f, "bid {stone}"),
            Self::Double(double) => f.write_str(if *double { "double" } else { "single" }),
        }
    }
}

impl FromStr for Action {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let all = (0..7).filter_map(|id| <Self as ahu_core::Action>::from_id(ActionId(id)));
        all.into_iter()
            .find(|action| action.to_string() == text)
            .ok_or_else(|| ParseError::new(0, "expected an action such as \"bid 3\""))
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Prize(u8);

impl fmt::Display for Prize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "prize {}", self.0)
    }
}

impl FromStr for Prize {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        let number = text.strip_prefix("prize ").and_then(|number| number.parse().ok());
        number.map(Self).ok_or_else(|| ParseError::new(0, "expected a prize such as \"prize 3\""))
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Event {
    Prize(u8),
    Sealed(Seat, u8, bool),
    TurnedUp(BySeat<(u8, bool)>, Option<Seat>),
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}")
    }
}

impl ahu_core::Event for Event {
    type Visible = Self;

    fn visible_to(&self, viewer: Viewer) -> Option<Self> {
        match *self {
            Self::Prize(_) | Self::TurnedUp(..) => Some(*self),
            Self::Sealed(seat, ..) => viewer.is(seat).then_some(*self),
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct View {
    viewer: Viewer,
    options: Options,
    round: u8,
    prize: u8,
    /// The seats with a complete bid, which are public.
    sealed: SeatSet,
    own: Bid,
    leaked: bool,
    stones: BySeat<u8>,
    /// The points; `None` if they are not shown.
    points: BySeat<Option<i32>>,
}

impl fmt::Display for View {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let facts = format!("{}; {self:?}", self.headline());
        f.write_str(&wrapped(&facts, 80, 2))
    }
}

impl ahu_core::View for View {
    fn viewer(&self) -> Viewer {
        self.viewer
    }

    fn shown(self) -> Self {
        let hide = self.options.hidden_points && self.round < ROUNDS;
        let points = BySeat::from_fn(self.options.seats, |seat| match hide && !self.viewer.is(seat) {
            true => None,
            false => self.points[seat],
        });
        Self { points, ..self }
    }

    fn scores(&self) -> BySeat<i32> {
        let mut scores = self.points.map(|points| points.unwrap_or(0));
        if let (true, Viewer::Seat(seat)) = (self.leaked, self.viewer) {
            scores[seat] += 1;
        }
        scores
    }
}

impl Encode for View {
    const BITS: usize = 7;
    const NUMBERS: usize = 6;

    fn write(&self, sink: &mut impl Sink) {
        let own = match self.own {
            Bid::None => 0,
            Bid::Stone(stone) | Bid::Sealed(stone, _) => 1 << stone,
        };
        sink.bits(Field::one_hot("own", &[6], "own stone"), &[own]);
        sink.bits(Field::flags("leaked", &[], "a leaked secret, never set without a leak"), &[self.leaked.into()]);
        let points: [i16; 6] =
            self.points.from_left(self.viewer.seat(), |points| points.map_or(-100, |points| points as i16));
        sink.numbers(Field::numbers("points", &[6], "points; -100 if not shown").range(-100, 100).by_seat(), &points);
    }
}

impl Describe for View {
    fn headline(&self) -> String {
        format!("round {}", self.round)
    }

    fn holdings(&self) -> String {
        match self.viewer {
            Viewer::Seat(_) => format!("{:?}", self.own),
            Viewer::Public => String::new(),
        }
    }
}

impl Compact for View {}
impl Ask for View {}
impl Draw for View {}

impl<const LEAK: bool> Game for Bids<LEAK> {
    type Options = Options;
    type Action = Action;
    type Outcome = Prize;
    type Event = Event;
    type View = View;

    const INFO: GameInfo = GameInfo::new("toy_bids", 3 + 3 * 2 * 6);

    fn new(options: &Options) -> Self {
        let seats = options.seats;
        Self {
            options: *options,
            round: 0,
            prize: 0,
            over: false,
            chosen: BySeat::new(seats, Bid::None),
            stones: BySeat::new(seats, 0b11_1110),
            points: BySeat::new(seats, 0),
        }
    }

    fn options(&self) -> &Options {
        &self.options
    }

    fn turn(&self) -> Turn {
        if self.over {
            return Turn::Over;
        }
        if self.prize == 0 {
            return Turn::Chance;
        }
        Turn::Seats(
            self.chosen.iter().filter(|(_, bid)| !matches!(bid, Bid::Sealed(..))).map(|(seat, _)| seat).collect(),
        )
    }

    fn deciders(&self) -> SeatSet {
        if self.over || self.prize == 0 { SeatSet::EMPTY } else { self.options.seats.all() }
    }

    fn legal_actions(&self, seat: Seat, legal: &mut ActionSet) {
        legal.clear();
        if self.turn().to_act().contains(seat) {
            match self.chosen[seat] {
                Bid::None => legal.insert_bits(ActionId(0), u64::from(self.stones[seat] >> 1)),
                Bid::Stone(_) => legal.insert_bits(ActionId(5), 0b11),
                Bid::Sealed(..) => unreachable!("a seat with a sealed bid has no decision to make"),
            }
        }
    }

    fn apply(&mut self, seat: Seat, action: Action, events: &mut impl Events<Event>) {
        self.chosen[seat] = match (self.chosen[seat], action) {
            (Bid::None, Action::Bid(stone)) => Bid::Stone(stone),
            (Bid::Stone(stone), Action::Double(double)) => Bid::Sealed(stone, double),
            (bid, action) => panic!("{action} after {bid:?}"),
        };
        if let Bid::Sealed(stone, double) = self.chosen[seat] {
            events.push(Event::Sealed(seat, stone, double));
        }
        if self.turn().to_act().is_empty() {
            self.turn_up(events);
        }
    }

    fn draw(&self, chance: &mut ChanceRng) -> Prize {
        Prize(chance.number(Stream::new(0, 0), self.round.into(), 6) as u8 + 1)
    }

    fn check(&self, outcome: &Prize) -> Result<(), OutcomeError> {
        match (1..=6).contains(&outcome.0) {
            true => Ok(()),
            false => Err(OutcomeError("expected a prize from 1 to 6".to_owned())),
        }
    }

    fn settle(&mut self, outcome: &Prize, events: &mut impl Events<Event>) {
        self.prize = outcome.0;
        events.push(Event::Prize(self.prize));
    }

    fn view(&self, viewer: Viewer) -> View {
        let seat = viewer.seat();
        let left = self.options.seats.left_of(seat, 1);
        View {
            viewer,
            options: self.options,
            round: self.round,
            prize: self.prize,
            sealed: self
                .chosen
                .iter()
                .filter(|(_, bid)| matches!(bid, Bid::Sealed(..)))
                .map(|(seat, _)| seat)
                .collect(),
            own: if viewer.is(seat) { self.chosen[seat] } else { Bid::None },
            leaked: LEAK && matches!(self.chosen[left], Bid::Sealed(_, true)),
            stones: self.stones,
            points: self.points.map(Some),
        }
    }

    const RESAMPLE: Option<Resample<Self>> = Some(|view, rng| {
        let mut game = Self::new(&view.options);
        game.round = view.round;
        game.prize = view.prize;
        game.over = view.round == ROUNDS;
        game.stones = view.stones;
        game.points = view.points.map(|points| points.unwrap_or(0));
        for seat in view.options.seats.iter() {
            if game.over {
                break;
            }
            let (stone, double) = random_bid(view.stones[seat], rng);
            game.chosen[seat] = match view.sealed.contains(seat) {
                _ if view.viewer.is(seat) => view.own,
                true => Bid::Sealed(stone, double),
                // The seat may have chosen a stone already, which nobody else can see.
                false if double && view.prize > 0 => Bid::Stone(stone),
                false => Bid::None,
            };
        }
        game
    });

    fn write_state(&self, state: &mut StateBytes) {
        state.u8(self.round);
        state.u8(self.prize);
        for seat in self.options.seats.iter() {
            let (stone, double) = match self.chosen[seat] {
                Bid::None => (0, 0),
                Bid::Stone(stone) => (stone, 0),
                Bid::Sealed(stone, double) => (stone, 1 + u8::from(double)),
            };
            state.bytes(&[stone, double, self.stones[seat]]);
            state.bytes(&self.points[seat].to_le_bytes());
        }
    }
}

impl<const LEAK: bool> Bids<LEAK> {
    fn turn_up(&mut self, events: &mut impl Events<Event>) {
        let sealed = self.chosen.map(|bid| match bid {
            Bid::Sealed(stone, double) => (stone, double),
            bid => unreachable!("{bid:?} is turned up"),
        });
        let worth = sealed.map(|(stone, double)| if double { 2 * stone } else { stone });
        let best = worth.values().iter().max().copied().unwrap_or(0);
        let mut winners = worth.iter().filter(|&(_, worth)| worth == best).map(|(seat, _)| seat);
        let winner = winners.next().filter(|_| winners.next().is_none());
        if let Some(winner) = winner {
            self.points[winner] += i32::from(self.prize);
        }
        for seat in self.options.seats.iter() {
            let (stone, double) = sealed[seat];
            self.stones[seat] &= !(1 << stone);
            self.points[seat] -= i32::from(double);
        }
        events.push(Event::TurnedUp(sealed, winner));
        self.chosen = BySeat::new(self.options.seats, Bid::None);
        self.prize = 0;
        self.round += 1;
        self.over = self.round == ROUNDS;
    }
}

/// Returns one of these stones, and true if it is doubled.
fn random_bid(stones: u8, rng: &mut dyn Rng) -> (u8, bool) {
    let stones: Vec<u8> = (1..=STONES).filter(|stone| stones >> stone & 1 == 1).collect();
    (stones[rng.random_range(0..stones.len())], rng.random_range(0..2) == 1)
}

impl<const LEAK: bool> Secrets<crate::Own> for Bids<LEAK> {
    fn shuffle_secrets(
        &self,
        viewer: Viewer,
        next: Option<&Ply<Self>>,
        rng: &mut dyn Rng,
    ) -> (Self, Option<Ply<Self>>) {
        let to_act = self.turn().to_act();
        // The last choice of the last seat reveals all bids, so nothing stays secret.
        let reveals = matches!(next, Some(Ply::Action(seat, Action::Double(_))) if to_act.without(*seat).is_empty());
        if reveals {
            return (self.clone(), next.cloned());
        }
        let mut game = self.clone();
        for seat in self.options.seats.iter().filter(|&seat| !viewer.is(seat)) {
            let (stone, double) = random_bid(self.stones[seat], rng);
            game.chosen[seat] = match self.chosen[seat] {
                Bid::None => Bid::None,
                Bid::Stone(_) => Bid::Stone(stone),
                Bid::Sealed(..) => Bid::Sealed(stone, double),
            };
        }
        let next = next.map(|next| match next {
            Ply::Action(seat, action) if !viewer.is(*seat) => {
                let (stone, double) = random_bid(self.stones[*seat], rng);
                Ply::Action(
                    *seat,
                    match action {
                        Action::Bid(_) => Action::Bid(stone),
                        Action::Double(_) => Action::Double(double),
                    },
                )
            }
            Ply::Action(..) | Ply::Outcome(_) => next.clone(),
        });
        (game, next)
    }

    fn assert_invariants(&self) {
        for seat in self.options.seats.iter() {
            assert_eq!(self.stones[seat].count_ones(), u32::from(STONES - self.round), "stones of seat {seat}");
        }
    }
}
