//! The invariants of a position: every card is in exactly one place, and public knowledge is true.

use ahu_core::{BySeat, Seat, ensure};

use super::cards::{DECK, Food, Foods, Kind, KindCounts};
use super::column::{Column, Pile};
use super::setup::{STOCK, start_hand};
use super::{DisplayView, FaceDown, Phase, RapanuiCards, Table, View};

impl RapanuiCards {
    /// Checks a position that was set up by hand. The error names the fault.
    pub fn check_invariants(&self) -> Result<(), String> {
        self.table.check_seats()?;
        self.table.check_cards_of_the_deck()?;
        self.check_sacrifice_cards()?;
        self.check_face_down()
    }

    /// Checks that there are 25 sacrifice cards of each food: with players, in the supply, on the stone.
    fn check_sacrifice_cards(&self) -> Result<(), String> {
        let Table { villages, stock, stone, .. } = &self.table;
        let mut foods = *stock + stone.open;
        for (seat, village) in villages.iter() {
            let hidden = self.hidden_by(seat);
            ensure(hidden.is_within(village.accounted), || {
                format!("expected face-down cards of seat {seat} within {}, got {hidden}", village.accounted)
            })?;
            let cards = self.cards_of(seat);
            ensure(cards.total() == village.held, || {
                format!("expected {} sacrifice cards of seat {seat}, got {cards}", village.held)
            })?;
            foods = foods + village.accounted;
        }
        let all = Foods::of([STOCK; Food::COUNT]);
        ensure(foods == all, || format!("expected {STOCK} sacrifice cards of each food, got {foods}"))
    }

    /// Checks the face-down cards against public knowledge: each player could have laid its own.
    fn check_face_down(&self) -> Result<(), String> {
        let stone = &self.table.stone;
        for (place, FaceDown { seat, at_most_so_far }) in stone.cards_face_down().iter().enumerate() {
            let so_far: Foods = stone.hidden_by(*seat).filter(|&n| n <= place).map(|n| self.hidden[n]).collect();
            ensure(so_far.is_within(*at_most_so_far), || {
                format!("expected face-down cards of seat {seat} within {at_most_so_far}, got {so_far}")
            })?;
        }
        Ok(())
    }
}

/// A bound on the start cards of one kind, of all colours together.
const START_CARDS: u8 = 6;

impl View {
    /// Checks a view from which a game is to be resampled. [`RapanuiCards::check_invariants`] checks the rest.
    pub(super) fn check(&self) -> Result<(), String> {
        let Self { viewer, table, known } = self;
        let Table { options, villages, stone, columns, .. } = table;
        for pile in columns {
            let behind = &pile.cards[usize::from(pile.len)..];
            let seen = options.display_view == DisplayView::Front || pile.cards().iter().skip(1).all(Option::is_some);
            ensure(behind.iter().all(Option::is_none) && seen, || {
                format!("expected the cards of a column, got {pile:?}")
            })?;
        }
        table.check_seats()?;
        let is_here = |seat| options.seats.all().contains(seat);
        ensure(viewer.own_seat().is_none_or(is_here), || format!("expected a viewer of {} seats", options.seats))?;
        let few = |foods: Foods| foods.is_within(Foods::of([STOCK; Food::COUNT]));
        let few_cards = |cards: KindCounts| cards.is_within(DECK + KindCounts::of([START_CARDS; Kind::COUNT]));
        for village in villages.values() {
            ensure(few(village.accounted) && few_cards(village.hand) && few_cards(village.display), || {
                format!("expected the cards of a player, got {village:?}")
            })?;
        }
        ensure(few(table.stock) && few(stone.open) && few_cards(table.unseen), || {
            format!("expected cards of the box, got {}, {}, and {}", table.stock, stone.open, table.unseen)
        })?;
        let mut laid = BySeat::new(options.seats, (0, Foods::EMPTY, Foods::EMPTY));
        for (FaceDown { seat, at_most_so_far }, known) in stone.cards_face_down().iter().zip(known) {
            let (count, mut foods, before) = laid[*seat];
            foods = foods + known.iter().copied().collect();
            let is_possible = few(*at_most_so_far)
                && before.is_within(*at_most_so_far)
                && foods.is_within(*at_most_so_far)
                && at_most_so_far.total() > count;
            ensure(is_possible, || format!("seat {seat} cannot have laid its face-down cards"))?;
            laid[*seat] = (count + 1, foods, *at_most_so_far);
        }
        Ok(())
    }
}

impl Table {
    fn check_seats(&self) -> Result<(), String> {
        let fronts = Column::all().filter(|column| self.columns[column.index()].front().is_some()).count();
        let expected = match self.phase {
            Phase::Uncover(column) if self.columns[column.index()].front().is_none() => Column::COUNT - 1,
            Phase::Start | Phase::Colours | Phase::LayOut(_) | Phase::Over => fronts,
            _ => Column::COUNT,
        };
        ensure(!matches!(self.phase, Phase::Substitute { due: 0, .. }), || "expected a card that is due".to_owned())?;
        ensure(fronts == expected, || format!("expected a front card in {expected} columns, got {fronts}"))?;
        let seats = self.options.seats;
        let at_table = |seat: Seat| seats.all().contains(seat);
        let decides = self.phase.to_act(self.active).is_none_or(at_table);
        let laid = self.stone.cards_face_down().iter().all(|hidden| at_table(hidden.seat));
        let fits = self.villages.seats() == seats && at_table(self.active) && decides && laid;
        ensure(fits, || format!("expected villages and seats of a table of {seats} seats"))
    }

    /// Checks the 50 cards of the deck and the start cards of the colours in play: they are in hands and displays, in
    /// the columns and the stack, or out of the game.
    fn check_cards_of_the_deck(&self) -> Result<(), String> {
        let (mut there, mut all) = (self.unseen, DECK);
        for village in self.villages.values() {
            there = there + village.hand + village.display;
            if let Some(colour) = village.colour {
                all = all + start_hand(self.options.lacking_food(colour));
                all[Kind::Lumberjack] += 1;
            }
        }
        let in_columns = || self.columns.iter().flat_map(Pile::cards);
        there = there + in_columns().copied().flatten().collect::<KindCounts>();
        there[Kind::Moai] += self.boxed;
        ensure(there == all, || format!("expected the cards {all}, got {there}"))?;
        let face_down = usize::from(self.stack) + in_columns().filter(|card| card.is_none()).count();
        let unseen = self.unseen.total();
        ensure(usize::from(unseen) == face_down, || {
            format!("expected as many unseen cards as face-down ones, {face_down}, got {unseen}")
        })
    }
}
