//! The contents of the spaces.

use ahu_core::parts::set::Set;
use borsh::{BorshDeserialize, BorshSerialize};

use super::board::AHUS;
use super::moai::{Size, Sizes};
use super::tile::Tile;

/// The contents of a space. [`Player::held`](super::Player::held) tells the owner of its Transporters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct Site {
    /// The number of standing Transporters, without the Chief.
    pub standing: u8,
    /// The number of lying Transporters: they are fatigued.
    pub lying: u8,
    /// The erected Moai.
    pub moai: Sizes,
    /// The number of Moai with a Pukao.
    pub styled: u8,
    /// The Ahu tiles on the free ahus, in the order of their kinds; after them None.
    pub tiles: [Option<Tile>; AHUS],
}

impl Site {
    /// A space without anything on it.
    pub const EMPTY: Self = Self { standing: 0, lying: 0, moai: Sizes::EMPTY, styled: 0, tiles: [None; AHUS] };

    /// Returns the number of Moai without a Pukao.
    #[inline]
    pub fn unstyled(&self) -> u8 {
        self.moai.total() - self.styled
    }

    /// Returns the kinds of the tiles on the free ahus.
    #[inline]
    pub fn kinds(&self) -> Set<Tile> {
        self.tiles.iter().flatten().copied().collect()
    }

    /// Lays a tile on a free ahu.
    pub(crate) fn lay(&mut self, tile: Tile) {
        let free = self.tiles.iter().position(Option::is_none).expect("a space has at most three ahus");
        self.tiles[free] = Some(tile);
        self.sort();
    }

    /// Erects a Moai on the ahu of a tile of this kind, and removes the tile.
    pub(crate) fn erect(&mut self, size: Size, tile: Tile) {
        let ahu = self.tiles.iter().position(|&other| other == Some(tile)).expect("the space has a tile of this kind");
        self.tiles[ahu] = None;
        self.sort();
        self.moai[size] += 1;
    }

    /// Sorts the tiles by kind: equal tiles are one choice (M12), so their order means nothing.
    fn sort(&mut self) {
        self.tiles.sort_unstable_by_key(|tile| tile.map_or(Tile::COUNT, |tile| tile as usize));
    }
}
