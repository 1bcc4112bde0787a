//! The table: the public part of the state.

use ahu_core::{BySeat, Seat};
use borsh::{BorshDeserialize, BorshSerialize};

use super::board::Board;
use super::moai::Sizes;
use super::offering::Offerings;
use super::options::Options;
use super::order::TurnOrder;
use super::phase::Phase;
use super::player::Player;
use super::site::Site;
use super::space::{Space, Spaces};
use super::tile::Tiles;

/// The public part of the state.
#[derive(Clone, Copy, Debug, PartialEq, BorshSerialize, BorshDeserialize)]
pub struct Table {
    /// The options that the players agreed on.
    pub options: Options,
    /// The next step of the rules.
    pub phase: Phase,
    /// The player whose turn it is. Before the turn order is drawn: seat 0, as a placeholder.
    pub active: Seat,
    /// The turn order. Before it is drawn: by seat, as a placeholder.
    pub order: TurnOrder,
    /// The number of the round, from 1 to *`max_rounds`*; 0 during setup.
    pub round: u8,
    /// The number of idle rounds in a row, up to the last one: nobody erected or styled a Moai (M31).
    pub idle_rounds: u8,
    /// True if a Moai was erected or styled in this round: the round is not idle.
    pub has_erected_or_styled: bool,
    /// The belongings of each player.
    pub players: BySeat<Player>,
    /// The contents of each space, in board order.
    pub sites: [Site; Space::COUNT],
    /// The Moai in the supply.
    pub supply: Sizes,
    /// The Pukao in the supply, at most 20.
    pub pukao: u8,
    /// The number of Offering tiles of each type that were taken from the stacks.
    pub stack_taken: Offerings,
    /// The number of Outstanding Offering tiles of each type that were taken.
    pub outstanding_taken: Offerings,
    /// With two players: the displayed Ahu tiles of the draft.
    pub display: Tiles,
    /// With two players: the Ahu tiles set aside in the draft.
    pub aside: Tiles,
}

impl Table {
    /// Returns the seat to act; None if chance is due or the game is over.
    #[inline]
    pub fn to_act(&self) -> Option<Seat> {
        match self.phase {
            Phase::Order | Phase::Tiles | Phase::Over => None,
            // M11: the earner chooses a toll.
            Phase::Toll { left, .. } => self.owner(Self::next_toll(left)),
            Phase::Draft { .. }
            | Phase::Place
            | Phase::Sculpt { .. }
            | Phase::Transport
            | Phase::Carry { .. }
            | Phase::Gain { .. }
            | Phase::Shift { .. }
            | Phase::Exchange { .. }
            | Phase::Pay { .. }
            | Phase::EndTurn => Some(self.active),
        }
    }

    /// Returns the side of the board that the game is played on.
    #[inline]
    pub fn board(&self) -> &'static Board {
        self.options.board.board()
    }

    /// Returns the player whose Transporters are on a space; None if there are none.
    pub(super) fn owner(&self, space: Space) -> Option<Seat> {
        self.options.seats.iter().find(|&seat| self.players[seat].held.contains(space))
    }

    /// Returns the spaces with Transporters.
    #[inline]
    pub(super) fn occupied(&self) -> Spaces {
        self.players.values().iter().fold(Spaces::EMPTY, |all, player| all | player.held)
    }

    /// Returns the space of the next toll to choose.
    pub(super) fn next_toll(left: Spaces) -> Space {
        left.first().expect("a toll is still to be chosen")
    }

    /// Returns the contents of a space.
    pub fn site(&self, space: Space) -> &Site {
        &self.sites[space.index()]
    }
}
