//! Setup: the turn order, the Ahu tiles on the ahus, and, with two players, the draft of four more.

use ahu_core::parts::draws;
use ahu_core::parts::set::Set;
use ahu_core::{ActionSet, ChanceRng, Events, OutcomeError, Seat, ensure};

use super::action::first;
use super::chance_outcome::{self, Outcome, TileRow};
use super::event::Event;
use super::options::Options;
use super::order::TurnOrder;
use super::phase::Phase;
use super::table::Table;
use super::tile::{BEGINNER_TILES, TILE_COUNT, TILES, Tile, Tiles};

/// The number of tiles that two players draft, in turns.
const CHOICES: u8 = 4;

/// Returns the Ahu tiles in play (M37).
pub(super) fn tiles_in_play(options: &Options) -> Tiles {
    if options.beginner_tiles { BEGINNER_TILES } else { TILES }
}

/// The turn order.
impl Table {
    /// Returns each turn order with its probability.
    pub(super) fn turn_orders(&self) -> Option<Vec<(Outcome, f64)>> {
        let seats: Vec<Seat> = self.options.seats.iter().collect();
        let orders = draws::sequences(&vec![1; seats.len()], seats.len())?;
        let outcome = |(order, probability): (Vec<usize>, f64)| {
            let order: Vec<Seat> = order.into_iter().map(|index| seats[index]).collect();
            (Outcome::Order(TurnOrder::new(&order).expect("an order has each seat once")), probability)
        };
        Some(orders.into_iter().map(outcome).collect())
    }

    pub(super) fn draw_order(&self, chance: &ChanceRng) -> TurnOrder {
        let seats = self.options.seats;
        let order = chance.order_once(chance_outcome::ORDER, seats.count());
        let order: Vec<Seat> = order.filter_map(|index| seats.get(index.into())).collect();
        TurnOrder::new(&order).expect("an order has each seat once")
    }

    pub(super) fn check_order(&self, order: TurnOrder) -> Result<(), OutcomeError> {
        let seats = self.options.seats;
        ensure(order.iter().count() == seats.count(), || {
            OutcomeError(format!("expected a turn order of {seats} players, got {order}"))
        })
    }

    pub(super) fn set_order(&mut self, order: TurnOrder, events: &mut impl Events<Event>) {
        self.order = order;
        self.active = order.first();
        events.push(Event::Ordered { order });
        self.phase = Phase::Tiles;
    }
}

/// The Ahu tiles.
impl Table {
    /// Draws the tiles for the ahus: the first tiles of a shuffled pile, without those not in play.
    pub(super) fn draw_tiles(&self, chance: &ChanceRng) -> TileRow {
        let mut left = tiles_in_play(&self.options);
        let pile = chance.order_once(chance_outcome::TILES, TILE_COUNT).map(kind_of);
        let in_play = pile.filter(|&tile| {
            let is_in_play = left[tile] > 0;
            left[tile] -= u8::from(is_in_play);
            is_in_play
        });
        in_play.take(self.board().ahu_count().into()).collect()
    }

    pub(super) fn check_tile_row(&self, tiles: &TileRow) -> Result<(), OutcomeError> {
        let ahus = usize::from(self.board().ahu_count());
        ensure(tiles.len() == ahus, || {
            OutcomeError(format!("expected {ahus} Ahu tiles, one for each ahu, got {}", tiles.len()))
        })?;
        for (kind, most) in tiles_in_play(&self.options).iter() {
            let count = tiles.iter().filter(|&tile| tile == kind).count();
            ensure(count <= most.into(), || {
                OutcomeError(format!("expected at most {most} Ahu tiles of kind {kind}, got {count}"))
            })?;
        }
        Ok(())
    }

    /// Lays the tiles on the ahus. The other tiles return to the box; with two players they are displayed.
    pub(super) fn lay_tiles(&mut self, tiles: &TileRow, events: &mut impl Events<Event>) {
        let board = self.board();
        let ahus = board.spaces().flat_map(|space| std::iter::repeat_n(space, board.ahus(space).into()));
        let mut rest = tiles_in_play(&self.options);
        for (space, tile) in ahus.zip(tiles.iter()) {
            self.sites[space.index()].lay(tile);
            rest[tile] -= 1;
        }
        events.push(Event::TilesLaid { tiles: *tiles });
        if self.options.seats.count() == 2 {
            self.display = rest;
            self.go_on_drafting(0, events);
        } else {
            self.begin_round(events);
        }
    }
}

/// Returns the kind of tile number `index`, with all tiles in the order of their kinds.
fn kind_of(index: u8) -> Tile {
    let mut first = 0;
    let kind = Tile::ALL.into_iter().find(|&kind| {
        first += TILES[kind];
        index < first
    });
    kind.expect("the index is below the number of tiles")
}

/// The draft of two players.
impl Table {
    /// Returns the kinds to choose from: those displayed, or else those set aside that the player lacks (M33).
    fn draft_kinds(&self, seat: Seat) -> Set<Tile> {
        let displayed = self.display.kinds();
        if displayed.is_empty() { self.aside.kinds() - self.players[seat].tiles.kinds() } else { displayed }
    }

    pub(super) fn legal_drafts(&self, seat: Seat, legal: &mut ActionSet) {
        legal.insert_bits(first::Draft, self.draft_kinds(seat).bits());
    }

    pub(super) fn draft(&mut self, seat: Seat, choice: u8, tile: Tile, events: &mut impl Events<Event>) {
        if self.display[tile] > 0 {
            self.aside[tile] = self.display[tile] - 1;
            self.display[tile] = 0;
        } else {
            self.aside[tile] -= 1;
        }
        self.players[seat].tiles[tile] += 1;
        events.push(Event::Drafted { seat, tile });
        self.go_on_drafting(choice + 1, events);
    }

    /// Passes the draft to the next chooser: the second player first, then in turns (M33).
    fn go_on_drafting(&mut self, from: u8, events: &mut impl Events<Event>) {
        let first = self.order.first();
        for choice in from..CHOICES {
            let seat = if choice % 2 == 0 { self.options.seats.left_of(first, 1) } else { first };
            if !self.draft_kinds(seat).is_empty() {
                self.active = seat;
                self.phase = Phase::Draft { choice };
                return;
            }
            events.push(Event::NothingToDraft { seat });
        }
        self.begin_round(events);
    }
}
