//! The table: the public part of the state, and the turn sequence.

use ahu_core::{BySeat, Events, Seat};
use borsh::{BorshDeserialize, BorshSerialize};

use super::cards::{Foods, KindCounts};
use super::column::{Column, Pile};
use super::event::Event;
use super::options::{Options, StoneView};
use super::phase::Phase;
use super::stone::Stone;
use super::village::Village;

/// The public part of the state.
#[derive(Clone, Copy, Debug, PartialEq, BorshSerialize, BorshDeserialize)]
pub struct Table {
    /// The options that the players agreed on.
    pub options: Options,
    /// The current phase.
    pub phase: Phase,
    /// The player whose turn it is; before the first turn, the starting player.
    pub active: Seat,
    /// The number of this turn in the game, from 1; 0 during setup.
    pub turn: u8,
    /// The possessions of the players.
    pub villages: BySeat<Village>,
    /// The display.
    pub columns: [Pile; Column::COUNT],
    /// The number of cards in the stack.
    pub stack: u8,
    /// The cards that no player has seen: those in the stack, and with `display_view` `front` those buried in the
    /// columns.
    pub unseen: KindCounts,
    /// The number of Moai that were put out of the game.
    pub boxed: u8,
    /// The sacrifice cards in the supply.
    pub stock: Foods,
    /// The Stone of Sacrifice.
    pub stone: Stone,
}

impl Table {
    /// Returns true if the number of face-up cards of each food on the stone is shown (D3).
    #[inline]
    pub(super) fn shows_stone(&self) -> bool {
        self.options.stone_view == StoneView::AllFaceUp || self.phase == Phase::Over
    }
}

/// The turn sequence.
impl Table {
    /// Begins a turn. A22: a player who can buy nothing is not asked.
    pub(super) fn begin_turn(&mut self, events: &mut impl Events<Event>) {
        self.turn += 1;
        events.push(Event::TurnBegan { seat: self.active, turn: self.turn });
        self.phase = if self.for_sale() == 0 { Phase::Play } else { Phase::Buy };
    }

    /// Ends the turn and begins the next player's.
    pub(super) fn end_turn(&mut self, events: &mut impl Events<Event>) {
        self.active = self.options.seats.left_of(self.active, 1);
        self.begin_turn(events);
    }
}
