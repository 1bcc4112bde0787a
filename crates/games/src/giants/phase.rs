//! The phases of a turn and their steps, with their data.

use ahu_core::{Seat, SeatSet};
use borsh::{BorshDeserialize, BorshSerialize};

use super::board::Hex;
use super::dues::Dues;
use super::party::Party;
use super::piece::{BySize, Piece};

/// The step of the turn that comes next. It is public.
#[derive(Clone, Copy, Debug, PartialEq, BorshSerialize, BorshDeserialize)]
pub enum Phase {
    /// Phase 1: chance rolls the dice.
    Roll,
    /// Phase 2: the players without a sealed bid make one.
    Bid {
        /// The Moai on offer, by size.
        offered: BySize,
    },
    /// Phase 2: a player takes a Moai or declines.
    Pick {
        /// The player.
        seat: Seat,
        /// The Moai still on offer, by size.
        offered: BySize,
        /// The players who declined.
        stopped: SeatSet,
    },
    /// Phase 3: a player places something or passes.
    Place {
        /// The player.
        seat: Seat,
        /// The players who passed.
        passed: SeatSet,
        /// The step of the placement to decide.
        step: PlaceStep,
    },
    /// Phase 4: a player transports a piece or passes.
    Transport {
        /// The player.
        seat: Seat,
        /// The players who passed.
        passed: SeatSet,
        /// The step of the transport to decide.
        step: TransportStep,
    },
    /// End of phase 4: a player marks an unmoved piece or not (G27).
    Store {
        /// The player.
        seat: Seat,
        /// The unmoved piece.
        piece: Piece,
    },
    /// Phase 5: a player takes a Tribe Marker back or not.
    Recover {
        /// The player.
        seat: Seat,
        /// The marked piece.
        piece: Piece,
    },
    /// The game is over.
    Over,
}

impl Phase {
    /// Returns the one seat to act; None while the dice are due, during the bids, and after the end.
    #[inline]
    pub const fn seat(self) -> Option<Seat> {
        match self {
            Self::Roll | Self::Bid { .. } | Self::Over => None,
            Self::Pick { seat, .. }
            | Self::Place { seat, .. }
            | Self::Transport { seat, .. }
            | Self::Store { seat, .. }
            | Self::Recover { seat, .. } => Some(seat),
        }
    }

    /// Returns the piece that the decision is about; None if the decision is about no single piece.
    pub(super) const fn piece(self) -> Option<Piece> {
        match self {
            Self::Transport { step: TransportStep::Carry { piece, .. } | TransportStep::Pay { piece, .. }, .. }
            | Self::Store { piece, .. }
            | Self::Recover { piece, .. } => Some(piece),
            Self::Transport { step: TransportStep::Lift, .. }
            | Self::Roll
            | Self::Bid { .. }
            | Self::Pick { .. }
            | Self::Place { .. }
            | Self::Over => None,
        }
    }

    /// Returns the seats that passed in this Placement or Transport Phase, or take no more Moai in this auction.
    pub const fn passed(self) -> SeatSet {
        match self {
            Self::Pick { stopped, .. } => stopped,
            Self::Place { passed, .. } | Self::Transport { passed, .. } => passed,
            Self::Roll | Self::Bid { .. } | Self::Store { .. } | Self::Recover { .. } | Self::Over => SeatSet::EMPTY,
        }
    }

    /// Returns the Moai on offer in this auction, by size; none in other phases.
    pub const fn offered(self) -> BySize {
        match self {
            Self::Bid { offered } | Self::Pick { offered, .. } => offered,
            Self::Roll
            | Self::Place { .. }
            | Self::Transport { .. }
            | Self::Store { .. }
            | Self::Recover { .. }
            | Self::Over => BySize::EMPTY,
        }
    }
}

/// The steps of a placement.
#[derive(Clone, Copy, Debug, PartialEq, BorshSerialize, BorshDeserialize)]
pub enum PlaceStep {
    /// The choice of a figure, a half-tablet, or a pass.
    What,
    /// The choice of the hex.
    Where {
        /// The figure to place, with its logs.
        party: Party,
    },
    /// The choice of the power.
    Power {
        /// True if the figure is the Chief, false if it is the Sorcerer.
        chief: bool,
        /// The hex of the figure.
        hex: Hex,
    },
}

/// The steps of a transport.
#[derive(Clone, Copy, Debug, PartialEq, BorshSerialize, BorshDeserialize)]
pub enum TransportStep {
    /// The choice of the piece.
    Lift,
    /// The choice of the next hex, or of an end on this hex.
    Carry {
        /// The lifted piece.
        piece: Piece,
        /// True if the piece has moved in this action.
        moved: bool,
    },
    /// The choice of a payee for help on the next hex.
    Pay {
        /// The lifted piece.
        piece: Piece,
        /// The hex that the piece is about to enter.
        to: Hex,
        /// The payments made and still owed.
        dues: Dues,
    },
}
