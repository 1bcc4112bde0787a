//! Rapa Nui, the card game (KOSMOS, 2011), 2 to 4 players, in the German and in the English edition.
//!
//! # The code of a turn
//!
//! | step | action | file |
//! |---|---|---|
//! | setup | starting player, start cards, sacrifice cards, wood, the four columns | `setup.rs` |
//! | 1 | buy a sacrifice card, or not | `buy.rs` |
//! | 2 | play a lumberjack, a priest, a Moai for 7 wood, or 1 to 3 Hunters & Gatherers of a food | `play.rs` |
//! | | after a Moai: the sacrifice round | `sacrifice.rs` |
//! | 3 | draw to three cards from the fronts of the columns; replenish empty columns | `draw.rs` |
//! | | score the last uncovered card for all players | `scoring.rs` |
//! | end | the replenishing that uses up the stack ends the game: final scoring | `final_scoring.rs` |
//!
//! # The rules
//!
#![doc = include_str!("rules.md")]

mod action;
mod buy;
pub mod cards;
mod chance_outcome;
mod column;
mod compact;
mod draw;
mod event;
mod final_scoring;
mod greedy;
mod held_out;
mod invariants;
mod observation;
mod options;
mod phase;
mod picture;
mod play;
mod question;
mod sacrifice;
mod scoring;
mod setup;
mod state_bytes;
mod stone;
mod table;
mod text;
mod view;
mod village;
#[cfg(feature = "messages")]
mod wire;
mod wording;

use action::first;
use ahu_core::{
    ActionSet, BySeat, ChanceRng, Events, Game, GameInfo, OutcomeError, Resample, Seat, StateBytes, Turn, ViewBytes,
    Viewer,
};
use cards::{DECK, Food, Foods, Kind, MOAI};
use setup::STOCK;

pub use action::{Action, Gatherers, Payout};
pub use chance_outcome::{Cards, Outcome};
pub use column::{Column, DEPTH, Pile};
pub use event::{Event, Gain};
pub use final_scoring::{cards_points, worth};
pub use greedy::{GREEDY_1, GREEDY_2};
pub use held_out::HELD_OUT_1;
pub use options::{
    Colour, DepletedPick, DisplayView, Edition, Options, StartPlayer, StoneView, SupplySacrifice, ZeroCount,
};
pub use phase::Phase;
pub use play::{HAND, MOAI_PRICE};
pub use stone::{FaceDown, Stone, Top};
pub use table::Table;
pub use view::View;
pub use village::Village;

/// A game of Rapa Nui, the card game: its complete state.
///
/// The fields are public, so that a test can set up a position by hand; [`RapanuiCards::check_invariants`] then
/// checks it.
#[derive(Clone, Debug, PartialEq)]
pub struct RapanuiCards {
    /// The public part of the state.
    pub table: Table,
    /// The foods of the face-down cards on the stone, in the order of [`Stone::cards_face_down`]: the only secret of
    /// the game. The entries after them have no meaning.
    pub hidden: [Food; MOAI],
}

const _: () = assert!(size_of::<RapanuiCards>() <= 512, "a clone is a copy of a few cache lines");

impl Game for RapanuiCards {
    type Options = Options;
    type Action = Action;
    type Outcome = Outcome;
    type Event = Event;
    type View = View;

    const INFO: GameInfo = GameInfo {
        id: "rapanui_cards",
        rules: 1,
        // Setup has 6 chance events. At most 45 turns draw 45 cards in all, and each draw may uncover a card by
        // chance. A turn has a purchase, a play, and at most 5 decisions of scoring. Each of 9 Moai brings at most 5
        // sacrifices.
        max_plies: 456,
        title: "Rapa Nui, the card game",
        about: "Chiefs gather lumberjacks, priests, and Hunters & Gatherers, and build Moai. Each draw uncovers a card, which is \
                scored for all; sacrifices, partly in secret, decide the worth of each food. The most glory points win.",
        credit: "An unofficial implementation of the rules of Rapa Nui, the card game (KOSMOS, 2011). Names belong to their \
                 owners; no affiliation.",
        reconstructed: "The three of the four foods that the start cards of each colour have: the options start_set_*_lacks.",
        rules_page: include_str!("rules.md"),
        seat_colours: &[],
    };

    const RESAMPLE: Option<Resample<Self>> = Some(|view, rng| view.resample(rng));

    const VIEW_BYTES: Option<ViewBytes<Self>> = Some(ViewBytes::checked(View::check, Self::check_invariants));

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
        Self { table, hidden: [Food::Fish; MOAI] }
    }

    fn options(&self) -> &Options {
        &self.table.options
    }

    #[inline]
    fn turn(&self) -> Turn {
        match self.table.phase {
            Phase::Start | Phase::Colours | Phase::LayOut(_) | Phase::Uncover(_) => Turn::Chance,
            Phase::Over => Turn::Over,
            phase => Turn::Seats(phase.to_act(self.table.active).into_iter().collect()),
        }
    }

    #[inline]
    fn legal_actions(&self, seat: Seat, legal: &mut ActionSet) {
        legal.clear();
        if !self.turn().to_act().contains(seat) {
            return;
        }
        let Table { options, stock, .. } = &self.table;
        match self.table.phase {
            Phase::Buy => {
                legal.insert_bits(first::Buy, self.table.for_sale());
                legal.insert(Action::BuyNothing);
            }
            Phase::Play => self.table.legal_plays(seat, legal),
            Phase::Sacrifice(_) => legal.insert_bits(first::Sacrifice, self.cards_of(seat).bits()),
            Phase::Supply => {
                legal.insert_bits(first::Supply, stock.bits());
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
                legal.insert_bits(first::Pick, stock.bits());
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

    fn draw(&self, chance: &mut ChanceRng) -> Outcome {
        match self.table.phase {
            Phase::Start => Outcome::Start(self.table.draw_start(chance)),
            Phase::Colours => Outcome::Colours(self.table.draw_colours(chance)),
            Phase::LayOut(column) | Phase::Uncover(column) => {
                Outcome::Cards(self.table.draw_from_stack(column, chance))
            }
            phase => panic!("no chance event is due in {phase:?}"),
        }
    }

    fn outcomes(&self) -> Option<Vec<(Outcome, f64)>> {
        self.table.outcomes()
    }

    fn check(&self, outcome: &Outcome) -> Result<(), OutcomeError> {
        match (self.table.phase, outcome) {
            (Phase::Start, Outcome::Start(seat)) => self.table.check_start(*seat),
            (Phase::Colours, Outcome::Colours(colours)) => self.table.check_colours(*colours),
            (Phase::LayOut(column) | Phase::Uncover(column), Outcome::Cards(cards)) => {
                self.table.check_cards(column, *cards)
            }
            (Phase::Start, _) => Err(OutcomeError("expected a starting player".to_owned())),
            (Phase::Colours, _) => Err(OutcomeError("expected the colours of the seats".to_owned())),
            (Phase::LayOut(column) | Phase::Uncover(column), _) => {
                Err(OutcomeError(format!("expected cards for column {column}")))
            }
            _ => Err(OutcomeError("no chance event is due".to_owned())),
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
            (phase, outcome) => panic!("the outcome {outcome} is not possible in {phase:?}"),
        }
        if self.table.phase == Phase::Over {
            events.push(self.final_count());
        }
    }

    fn view(&self, viewer: Viewer) -> View {
        View::of(self, viewer)
    }

    fn write_state(&self, state: &mut StateBytes) {
        self.write_state_bytes(state);
    }
}

/// The secret part of the state.
impl RapanuiCards {
    /// Returns the sacrifice cards that a player has.
    pub fn cards_of(&self, seat: Seat) -> Foods {
        self.table.villages[seat].accounted - self.hidden_by(seat)
    }

    /// Returns the cards that a player laid on the stone face down.
    pub fn hidden_by(&self, seat: Seat) -> Foods {
        self.table.stone.hidden_by(seat).map(|place| self.hidden[place]).collect()
    }

    fn sacrifice_face_down(&mut self, seat: Seat, food: Food, events: &mut impl Events<Event>) {
        self.hidden[usize::from(self.table.stone.face_down_count)] = food;
        events.push(Event::Hid { seat, food });
        self.table.sacrifice_face_down(seat);
    }

    /// Returns the event of the game's end. A19: it reveals the stone and all sacrifice cards.
    fn final_count(&self) -> Event {
        let view = self.view(Viewer::Public);
        let stone = view.sacrificed().expect("the game is over");
        Event::Ended {
            hidden_cards: BySeat::from_fn(self.table.options.seats, |seat| self.hidden_by(seat)),
            sacrifice_cards: BySeat::from_fn(self.table.options.seats, |seat| self.cards_of(seat)),
            stone,
            worth: worth(stone, self.table.options.zero_count_types),
            points: BySeat::from_fn(self.table.options.seats, |seat| view.points(seat)),
        }
    }
}
