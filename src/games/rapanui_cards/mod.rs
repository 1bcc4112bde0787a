//! Rapa Nui, the card game (KOSMOS, 2011), 2 to 4 players, in the German and in the English edition.
//!
//! Chiefs of Easter Island gather people and build Moai. Whoever takes a card from the display uncovers another, and
//! what is uncovered is scored for all: lumberjacks bring wood, priests glory, Moai either, Hunters & Gatherers
//! sacrifice cards of their food. Building a Moai calls for sacrifices, and the food that was sacrificed most often
//! is worth most at the end. The most glory points win.
//!
//! # A turn
//!
//! | step | what happens | where |
//! |---|---|---|
//! | setup | who begins, start cards, sacrifice cards, wood, the four columns | `setup.rs` |
//! | 1 | buy a sacrifice card, or not | `buy.rs` |
//! | 2 | play a lumberjack, a priest, a Moai for 7 wood, or 1 to 3 Hunters & Gatherers of a food | `play.rs` |
//! | | a Moai calls for a sacrifice round | `sacrifice.rs` |
//! | 3 | draw to three cards from the fronts of the columns; replenish those that are empty | `draw.rs` |
//! | | the card that was uncovered last is scored for all | `scoring.rs` |
//! | end | the replenishing that uses up the stack ends the game: final count | `end.rs` |
//!
//! # The editions
//!
//! Where they differ, this holds. *Italics* name an option; *`edition`* sets what is left to choose.
//!
//! * **D1** The active player's left neighbour opens a sacrifice round: the German text, and the example in both.
//! * **D2** The others' sacrificed cards lie face up (German; the English text is silent).
//! * **D3** German: of the stone the card on top is seen, and what is below stays face down to the end. English: only
//!   the builders' cards are face down. *`stone_view`* `top_only`, `all_face_up`: it changes what observations show,
//!   and nothing in play, since all saw the cards being laid.
//! * **D4** The bonus of Hunters & Gatherers is for the majority in the food that is scored (German, and the example
//!   in both).
//! * **D5** Any foods that tie are worth the same, not those alone that tie for the most (German). See A12.
//! * **D6** Hunters & Gatherers in one's display make sacrifice cards cheaper, not those in hand (German, and the
//!   example in both).
//! * **D7** A card is scored at the end of each turn, not of each round.
//! * **D8** Where sacrifice cards are handed out, it goes clockwise from the active player.
//! * **D9** Each card is drawn with the free choice of the columns, the same one again too.
//! * **D10** The sacrifice round takes place at once when a Moai is built, before drawing.
//! * **D11** Mulberries are paper mulberries in the German edition: the table of foods says so; actions have one name.
//! * **D12** How cards overlap in a display is a matter of layout.
//! * **D13** "Built" and "played" a Moai are the same.
//! * **D14** A depleted stack is no rarer in one edition than in the other; see A7.
//! * **D15** Every bonus is additional to the yield, that of priests and Moai too.
//!
//! # Rulings
//!
//! Where the rulebook is silent, the following holds.
//!
//! * **A1** Who begins is an act of chance. *`start_player`* `seat0`: seat 0.
//! * **A2** Steps are strictly in order. Who buys a sacrifice card may be left with too little wood for a Moai.
//! * **A3** Playing is mandatory: with three Moai in hand and 7 wood, one is built. With less, one is put out of the
//!   game; any other hand has a card that costs nothing.
//! * **A4** Who has no sacrifice card is passed over. The active player then still adds a card from the supply.
//! * **A5** The active player must add a card from the supply, of any food that is left; if none is, nothing happens.
//!   *`moai_supply_sacrifice`* `optional`: it may, as the example has it.
//! * **A6** Sacrifices are made one after the other, the active player's own last, face down; the card from the
//!   supply ends on top.
//! * **A7** Where the stack of the food that is scored is depleted, each card that is due is replaced by one of
//!   another food, at its player's choice, player by player, the base card before the bonus. Where nothing is left,
//!   nothing is due. *`depleted_pick`* `may_decline`: it may be left.
//! * **A8** However many cards are drawn, the one that was uncovered last is scored: of a replenished column its
//!   front card.
//! * **A9** Whether Moai bring glory points or wood is decided clockwise from the active player, all the others
//!   looking on. The bonus is of the same sort.
//! * **A10** A sole majority is strictly more than each other player has, and at least two.
//! * **A11** The ninth replenishing finds two cards and ends the game: no more draws, no scoring, no turns. A card
//!   that has been taken stays in hand, and is worth nothing.
//! * **A12** Foods are ranked densely by how often they were sacrificed: 3 glory points a card for the highest
//!   number, 2 for the next that occurs, then 1, then 0. A food that nobody sacrificed takes part.
//!   *`zero_count_types`* `worth_0`: it is worth nothing.
//! * **A13** Nothing lies on the stone: all sacrifice cards are worth nothing.
//! * **A14** Cards that lie face down count like others.
//! * **A15** A Moai that is put out of the game is shown; the turn goes on with drawing.
//! * **A16** All cards of the columns can be seen, since they overlap. *`display_view`* `front`: the front ones
//!   alone; chance decides what the others are when they are uncovered (of one seed not the same as with `all`).
//! * **A17** Fewer players change nothing but the start cards in play. Start wood, 2, 3, 4, 5, goes by turn order.
//! * **A18** Equal glory points: more Moai, then more wood, all that is left, then the place is shared.
//! * **A19** At the end all sacrifice cards are shown.
//! * **A20** Colours are given to the seats by chance. Each lacks one food among its start cards:
//!   *`start_set_violet_lacks`* and so on.
//! * **A21** A hand is shown to its player alone; yet it is no secret, for it follows from the colour, draws and plays.
//! * **A22** Nobody is asked where nothing can be done: buying where nothing can be paid for, sacrificing without a
//!   card, adding or replacing from an empty supply, taking the yield of no Moai. A single legal choice is asked.
//!
//! Ours, where the rulings too are silent:
//!
//! * **Declining.** With `may_decline`, each substitute is declined by itself.
//! * **Scores before the end** leave the sacrifice cards out, for nobody can tell before what they are worth.
//! * **What is known of a face-down card.** All remember what its player could have laid: see `sacrifice.rs`.

mod action;
mod buy;
pub mod cards;
mod draw;
mod end;
mod event;
mod greedy;
mod options;
mod outcome;
mod play;
mod sacrifice;
mod scoring;
mod setup;
mod text;
mod view;
mod village;
mod whole;
#[cfg(feature = "service")]
mod wire;

use rand::Rng;

pub use action::{Action, Column, Gatherers, Payout};
use action::{BUY, PICK, SACRIFICE, SUPPLY};
use cards::{Card, DECK, Food, Foods, Kind, Kinds, MOAI};
pub use draw::Pile;
pub use end::{cards_points, worth};
pub use event::{Event, Gain};
pub use greedy::greedy;
pub use options::{
    Colour, DepletedPick, DisplayView, Edition, Options, StartPlayer, StoneView, SupplySacrifice, ZeroCount,
};
pub use outcome::{Cards, DEPTH, Outcome};
pub use play::{HAND, MOAI_PRICE};
pub use sacrifice::{FaceDown, Stone, Top};
use setup::STOCK;
pub use view::View;
pub use village::Village;

use crate::core::{ActionSet, BySeat, Events, Game, GameInfo, Luck, OutcomeError, Seat, StateBytes, Turn, Viewer};

/// A game of Rapa Nui, the card game: everything that is true at the table.
///
/// The fields are open, so that a position can be set up by hand; [`RapanuiCards::check_whole`] then
/// tells whether it is one.
#[derive(Clone, Debug, PartialEq)]
pub struct RapanuiCards {
    /// What everybody knows.
    pub table: Table,
    /// What the cards are that lie face down on the stone, in the order of [`Stone::cards_face_down`]: the one secret
    /// of the game. What stands behind them means nothing.
    pub hidden: [Food; MOAI],
}

/// What everybody knows.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// What was agreed before play.
    pub options: Options,
    /// What comes next.
    pub phase: Phase,
    /// Whose turn it is; before the first, who begins.
    pub active: Seat,
    /// The how many-th turn of the game it is, from 1; 0 during setup.
    pub turn: u8,
    /// What the players have.
    pub villages: BySeat<Village>,
    /// The display.
    pub columns: [Pile; Column::COUNT],
    /// How many cards the stack has.
    pub stack: u8,
    /// The cards that have not come to light: in the stack, or buried in the columns with `display_view` `front`.
    pub unseen: Kinds,
    /// How many Moai were put out of the game.
    pub boxed: u8,
    /// The sacrifice cards in the supply.
    pub stock: Foods,
    /// The Stone of Sacrifice.
    pub stone: Stone,
}

const _: () = assert!(size_of::<RapanuiCards>() <= 512, "a clone is a copy of a few cache lines");

/// What comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Setup: chance decides who begins.
    Start,
    /// Setup: chance gives out the start cards.
    Colours,
    /// Setup: chance lays out a column.
    LayOut(Column),
    /// Step 1: the active player buys a sacrifice card, or not.
    Buy,
    /// Step 2: the active player plays.
    Play,
    /// Sacrifice round: this player lays a sacrifice card on the stone.
    Sacrifice(Seat),
    /// Sacrifice round: the active player adds a card from the supply.
    Supply,
    /// Step 3: the active player draws a card.
    Draw,
    /// Step 3: chance replenishes this column, or uncovers its front card.
    Uncover(Column),
    /// Scoring of Moai: this player takes glory points or wood.
    Payout(Seat),
    /// Scoring of a food whose stack is depleted: this player takes cards of other foods.
    Substitute {
        /// Who.
        seat: Seat,
        /// The food that is scored.
        food: Food,
        /// How many cards it still gets.
        due: u8,
    },
    /// The game is over.
    Over,
}

impl Phase {
    /// Who decides, where it is this player's turn; nobody where chance is due, or the game is over.
    pub fn owing(self, active: Seat) -> Option<Seat> {
        match self {
            Self::Buy | Self::Play | Self::Supply | Self::Draw => Some(active),
            Self::Sacrifice(seat) | Self::Payout(seat) | Self::Substitute { seat, .. } => Some(seat),
            Self::Start | Self::Colours | Self::LayOut(_) | Self::Uncover(_) | Self::Over => None,
        }
    }

    /// What is being scored.
    pub const fn scored(self) -> Option<Kind> {
        match self {
            Self::Payout(_) => Some(Kind::Moai),
            Self::Substitute { food, .. } => Some(Kind::gatherer(food)),
            Self::Start
            | Self::Colours
            | Self::LayOut(_)
            | Self::Buy
            | Self::Play
            | Self::Sacrifice(_)
            | Self::Supply
            | Self::Draw
            | Self::Uncover(_)
            | Self::Over => None,
        }
    }
}

impl Game for RapanuiCards {
    type Options = Options;
    type Action = Action;
    type Outcome = Outcome;
    type Event = Event;
    type View = View;

    const INFO: GameInfo = GameInfo {
        id: "rapanui_cards",
        rules: 1,
        // 6 acts of setup. Each of at most 45 turns draws a card, 45 in all, of which each may uncover one by chance;
        // it has a purchase, a play, and at most 5 decisions while it is scored. 9 Moai bring at most 5 sacrifices
        // each.
        plies_max: 456,
        title: "Rapa Nui, the card game",
        about: "Chiefs gather lumberjacks, priests, Hunters & Gatherers and build Moai. What a drawn card uncovers is scored for \
                all; what is sacrificed, partly in secret, decides what each food is worth. The most glory points win.",
        credit: "An unofficial implementation of the rules of Rapa Nui, the card game (KOSMOS, 2011). Names belong to their \
                 owners; no affiliation.",
        reconstructed: "Which three of the four foods the start cards of a colour have: the options start_set_*_lacks.",
    };

    fn new(options: &Options) -> Self {
        let table = Table {
            options: *options,
            phase: match options.start_player {
                StartPlayer::Random => Phase::Start,
                StartPlayer::Seat0 => Phase::Colours,
            },
            active: Seat::default(),
            turn: 0,
            villages: BySeat::new(options.seats, Village::EMPTY),
            columns: [Pile::EMPTY; Column::COUNT],
            stack: DECK.total(),
            unseen: DECK,
            boxed: 0,
            stock: Foods::of([STOCK; Food::COUNT]),
            stone: Stone::EMPTY,
        };
        Self { table, hidden: [Food::default(); MOAI] }
    }

    fn options(&self) -> &Options {
        &self.table.options
    }

    #[inline]
    fn turn(&self) -> Turn {
        match self.table.phase {
            Phase::Start | Phase::Colours | Phase::LayOut(_) | Phase::Uncover(_) => Turn::Chance,
            Phase::Over => Turn::Over,
            phase => Turn::Seats(phase.owing(self.table.active).into_iter().collect()),
        }
    }

    #[inline]
    fn legal_actions(&self, seat: Seat, legal: &mut ActionSet) {
        legal.clear();
        if !self.turn().owing().contains(seat) {
            return;
        }
        let Table { options, stock, .. } = &self.table;
        match self.table.phase {
            Phase::Buy => {
                legal.insert_bits(BUY, self.table.for_sale());
                legal.insert(Action::BuyNothing);
            }
            Phase::Play => self.table.legal_plays(seat, legal),
            Phase::Sacrifice(_) => legal.insert_bits(SACRIFICE, self.cards_of(seat).bits()),
            Phase::Supply => {
                legal.insert_bits(SUPPLY, stock.bits());
                if options.moai_supply_sacrifice == SupplySacrifice::Optional {
                    legal.insert(Action::SupplyNothing);
                }
            }
            Phase::Draw => Table::legal_draws(legal),
            Phase::Payout(_) => {
                legal.insert(Action::Take(Payout::Glory));
                legal.insert(Action::Take(Payout::Wood));
            }
            Phase::Substitute { .. } => {
                legal.insert_bits(PICK, stock.bits());
                if options.depleted_pick == DepletedPick::MayDecline {
                    legal.insert(Action::PickNothing);
                }
            }
            Phase::Start | Phase::Colours | Phase::LayOut(_) | Phase::Uncover(_) | Phase::Over => {}
        }
    }

    #[inline]
    fn apply(&mut self, seat: Seat, action: Action, events: &mut impl Events<Event>) {
        let table = &mut self.table;
        match (table.phase, action) {
            (Phase::Buy, Action::Buy(food)) => table.buy(seat, food, events),
            (Phase::Buy, Action::BuyNothing) => table.buy_nothing(seat, events),
            (Phase::Play, Action::PlayLumberjack) => table.play(seat, Kind::Lumberjack, events),
            (Phase::Play, Action::PlayPriest) => table.play(seat, Kind::Priest, events),
            (Phase::Play, Action::PlayGatherers(food, count)) => table.play_gatherers(seat, food, count, events),
            (Phase::Play, Action::BuildMoai) => table.build_moai(seat, events),
            (Phase::Play, Action::BoxMoai) => table.box_moai(seat, events),
            (Phase::Sacrifice(_), Action::Sacrifice(food)) if seat == table.active => {
                self.sacrifice_face_down(seat, food, events);
            }
            (Phase::Sacrifice(_), Action::Sacrifice(food)) => table.sacrifice_openly(seat, food, events),
            (Phase::Supply, Action::Supply(food)) => table.add_from_supply(seat, food, events),
            (Phase::Supply, Action::SupplyNothing) => table.add_nothing(seat, events),
            (Phase::Draw, Action::Draw(column)) => table.draw_card(seat, column, events),
            (Phase::Payout(_), Action::Take(of)) => table.pay_out(seat, of, events),
            (Phase::Substitute { .. }, Action::Pick(food)) => table.pick(seat, food, events),
            (Phase::Substitute { .. }, Action::PickNothing) => table.pick_nothing(seat, events),
            (phase, action) => panic!("seat {seat} cannot {action} in {phase:?}"),
        }
    }

    fn draw(&self, luck: &mut Luck) -> Outcome {
        match self.table.phase {
            Phase::Start => Outcome::Start(self.table.draw_start(luck)),
            Phase::Colours => Outcome::Colours(self.table.draw_colours(luck)),
            Phase::LayOut(column) | Phase::Uncover(column) => Outcome::Cards(self.table.draw_from_stack(column, luck)),
            phase => panic!("nothing is left to chance in {phase:?}"),
        }
    }

    fn check(&self, outcome: &Outcome) -> Result<(), OutcomeError> {
        match (self.table.phase, outcome) {
            (Phase::Start, Outcome::Start(seat)) => self.table.check_start(*seat),
            (Phase::Colours, Outcome::Colours(colours)) => self.table.check_colours(*colours),
            (Phase::LayOut(column) | Phase::Uncover(column), Outcome::Cards(cards)) => {
                self.table.check_cards(column, *cards)
            }
            (Phase::Start, _) => Err(OutcomeError("it is to be decided who begins".to_owned())),
            (Phase::Colours, _) => Err(OutcomeError("the colours are to be given out".to_owned())),
            (Phase::LayOut(column) | Phase::Uncover(column), _) => {
                Err(OutcomeError(format!("cards are to come to light in column {column}")))
            }
            _ => Err(OutcomeError("no act of chance is due".to_owned())),
        }
    }

    #[inline]
    fn settle(&mut self, outcome: &Outcome, events: &mut impl Events<Event>) {
        let table = &mut self.table;
        match (table.phase, outcome) {
            (Phase::Start, Outcome::Start(seat)) => table.start_with(*seat, events),
            (Phase::Colours, Outcome::Colours(colours)) => table.hand_out_colours(*colours, events),
            (Phase::LayOut(column), Outcome::Cards(cards)) => table.lay_out(column, *cards, events),
            (Phase::Uncover(column), Outcome::Cards(cards)) => table.uncover(column, *cards, events),
            (phase, outcome) => panic!("{outcome} cannot happen in {phase:?}"),
        }
        if self.table.phase == Phase::Over {
            events.push(self.final_count());
        }
    }

    fn view(&self, viewer: Viewer) -> View {
        View::of(self, viewer)
    }

    fn resample(view: &View, rng: &mut dyn Rng) -> Self {
        view.resample(rng)
    }

    fn write_state(&self, state: &mut StateBytes) {
        let Table { options: _, phase, active, turn, villages, columns, stack, unseen, boxed, stock, stone } =
            &self.table;
        let seat = |seat: Seat| seat.index() as u8;
        let column = |column: Column| column.index() as u8;
        state.bytes(&match *phase {
            Phase::Start => [0, 0, 0, 0],
            Phase::Colours => [1, 0, 0, 0],
            Phase::LayOut(which) => [2, column(which), 0, 0],
            Phase::Buy => [3, 0, 0, 0],
            Phase::Play => [4, 0, 0, 0],
            Phase::Sacrifice(who) => [5, seat(who), 0, 0],
            Phase::Supply => [6, 0, 0, 0],
            Phase::Draw => [7, 0, 0, 0],
            Phase::Uncover(which) => [8, column(which), 0, 0],
            Phase::Payout(who) => [9, seat(who), 0, 0],
            Phase::Substitute { seat: who, food, due } => [10, seat(who), food as u8, due],
            Phase::Over => [11, 0, 0, 0],
        });
        state.bytes(&[seat(*active), *turn, *stack, *boxed]);
        for Village { colour, hand, display, wood, glory, accounted, held } in villages.values() {
            state.u8(colour.map_or(0, |colour| colour as u8 + 1));
            state.bytes(hand.as_slice());
            state.bytes(display.as_slice());
            state.u16(*wood);
            state.u16(*glory);
            state.bytes(accounted.as_slice());
            state.u8(*held);
        }
        for Pile { len, cards } in columns {
            state.u8(*len);
            state.bytes(&cards.map(|card| card.map_or(0, |kind| kind.index() as u8 + 1)));
        }
        state.bytes(unseen.as_slice());
        state.bytes(stock.as_slice());
        state.bytes(stone.open.as_slice());
        state.bytes(&match stone.top {
            Top::Empty => [0, 0],
            Top::Open(food) => [1, food as u8],
            Top::FaceDown => [2, 0],
        });
        state.u8(stone.face_down_count);
        for (FaceDown { seat: who, at_most_so_far }, food) in stone.cards_face_down().iter().zip(self.hidden) {
            state.u8(seat(*who));
            state.bytes(at_most_so_far.as_slice());
            state.u8(food as u8);
        }
    }
}

/// The secret.
impl RapanuiCards {
    /// The sacrifice cards that a player has.
    pub fn cards_of(&self, seat: Seat) -> Foods {
        self.table.villages[seat].accounted - self.hidden_by(seat)
    }

    /// The cards that a player laid on the stone face down.
    pub fn hidden_by(&self, seat: Seat) -> Foods {
        self.table.stone.hidden_by(seat).map(|place| self.hidden[place]).collect()
    }

    fn sacrifice_face_down(&mut self, seat: Seat, food: Food, events: &mut impl Events<Event>) {
        self.hidden[usize::from(self.table.stone.face_down_count)] = food;
        events.push(Event::Hid { seat, food });
        self.table.sacrifice_face_down(seat);
    }

    /// A19: the stone is turned over, and everything is shown.
    fn final_count(&self) -> Event {
        let view = self.view(Viewer::Public);
        let stone = view.sacrificed().expect("the game is over");
        Event::Ended {
            hidden: BySeat::from_fn(self.table.options.seats, |seat| self.hidden_by(seat)),
            cards: BySeat::from_fn(self.table.options.seats, |seat| self.cards_of(seat)),
            stone,
            worth: worth(stone, self.table.options.zero_count_types),
            points: BySeat::from_fn(self.table.options.seats, |seat| view.points(seat)),
        }
    }
}

/// The turn sequence.
impl Table {
    /// A22: who can buy nothing is not asked.
    fn begin_turn(&mut self, events: &mut impl Events<Event>) {
        self.turn += 1;
        events.push(Event::TurnBegan { seat: self.active, number: self.turn });
        self.phase = if self.for_sale() == 0 { Phase::Play } else { Phase::Buy };
    }

    fn end_turn(&mut self, events: &mut impl Events<Event>) {
        self.active = self.options.seats.left_of(self.active, 1);
        self.begin_turn(events);
    }
}
