//! The phases of the game, with their data.

use super::cargo::Cargo;
use super::moai::{Size, Sizes};
use super::offering::{Offering, Source};
use super::space::{Area, Areas, Space, Spaces};
use super::tile::Tile;
use borsh::{BorshDeserialize, BorshSerialize};

/// The next step of the rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub enum Phase {
    /// Setup: chance draws the turn order.
    Order,
    /// Setup: chance draws the Ahu tiles.
    Tiles,
    /// Setup with two players: the active player takes an Ahu tile.
    Draft {
        /// The number of the choice, from 0 to 3.
        choice: u8,
    },
    /// Phase 1: the active player places a figurine.
    Place,
    /// Phase 2: the active player sculpts.
    Sculpt {
        /// The Moai sculpted so far in this turn.
        sculpted: Sizes,
    },
    /// Phase 3: the active player begins a transport, or drops out.
    Transport,
    /// A transport is under way: the active player steps on, or stops.
    Carry {
        /// The Moai or Pukao.
        cargo: Cargo,
        /// The area of the cargo.
        at: Area,
        /// The areas visited so far, including the current one.
        visited: Areas,
    },
    /// A Moai has arrived: the earner of a toll with a choice takes it.
    Toll {
        /// The space of the Moai.
        space: Space,
        /// The size of the Moai.
        size: Size,
        /// The Ahu tile that the mover will take.
        tile: Tile,
        /// The spaces whose tolls are still to be chosen. The lowest comes next.
        left: Spaces,
    },
    /// A Moai was erected: the active player gains Resources, and may play before.
    Gain {
        /// The space of the Moai.
        space: Space,
        /// The number of Resources.
        count: u8,
    },
    /// A gain is divided between two colours: a Fervent player decides for each colour about the shift.
    Shift {
        /// The space of the Moai.
        space: Space,
        /// The number of Resources of the first colour that are not decided yet; this colour comes first.
        first: u8,
        /// The number of Resources of the second colour.
        second: u8,
    },
    /// A Moai was styled: the active player chooses an Offering tile, and may skimp before.
    Exchange {
        /// True if the price is two Resources.
        skimped: bool,
    },
    /// The active player pays for an Offering tile.
    Pay {
        /// True if the price is two Resources.
        skimped: bool,
        /// The type of the tile.
        offering: Offering,
        /// The stack, or the Outstanding tiles.
        source: Source,
    },
    /// Phase 3, after a transport: the active player may still play something.
    EndTurn,
    /// The game is over.
    Over,
}
