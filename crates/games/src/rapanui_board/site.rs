//! The contents of the spaces.

use ahu_core::parts::set::Set;
use borsh::io::{Error, ErrorKind, Read, Result, Write};
use borsh::{BorshDeserialize, BorshSerialize};

use super::board::AHUS;
use super::moai::{Size, Sizes};
use super::tile::Tile;

/// The contents of a space. [`Player::held`](super::Player::held) tells the owner of its Transporters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Site {
    /// The number of standing Transporters, without the Chief.
    pub standing: u8,
    /// The number of lying Transporters: they are fatigued.
    pub lying: u8,
    /// The contents of the ahus, as an observation has them, so that they need not be put together for each: from the lowest bits
    /// on, a code of four bits for each ahu in use, first tiles in the order of their kinds, then Moai by size; the number of
    /// tiles, two bits; the number of Moai without a Pukao, two bits.
    ahus: u16,
}

/// The code of an ahu with a small Moai. A tile has the number of its kind, from 1; 0 is no tile and no Moai.
pub(super) const AHU_WITH_MOAI: usize = 1 + Tile::COUNT;

/// The bits of the codes in [`Site::codes`].
const CODES: u32 = 4 * AHUS as u32;

impl Site {
    /// A space without anything on it.
    pub const EMPTY: Self = Self { standing: 0, lying: 0, ahus: 0 };

    /// Returns the codes of the ahus in use, four bits each.
    #[inline]
    pub(super) const fn codes(self) -> u64 {
        self.ahus as u64 & ((1 << CODES) - 1)
    }

    /// Returns the number of free ahus with a tile.
    #[inline]
    pub(super) const fn free(self) -> u8 {
        (self.ahus >> CODES & 3) as u8
    }

    /// Returns the number of Moai without a Pukao.
    #[inline]
    pub const fn unstyled(self) -> u8 {
        (self.ahus >> (CODES + 2)) as u8
    }

    /// Returns the number of Moai.
    #[inline]
    pub(super) const fn moai_count(self) -> u8 {
        (u64::BITS - self.codes().leading_zeros()).div_ceil(4) as u8 - self.free()
    }

    /// Returns the number of Moai with a Pukao.
    pub const fn styled(self) -> u8 {
        self.moai_count() - self.unstyled()
    }

    /// Returns the code of each ahu in use.
    fn each(self) -> impl Iterator<Item = usize> + Clone + use<> {
        let codes = self.codes();
        (0..AHUS).map(move |ahu| (codes >> (4 * ahu) & 15) as usize).take_while(|&code| code > 0)
    }

    /// Returns the erected Moai.
    pub fn moai(self) -> Sizes {
        let mut moai = Sizes::EMPTY;
        self.each().filter_map(|code| Size::new(code.checked_sub(AHU_WITH_MOAI)?)).for_each(|size| moai[size] += 1);
        moai
    }

    /// Returns the Ahu tiles on the free ahus, in the order of their kinds.
    pub fn tiles(self) -> impl Iterator<Item = Tile> + Clone + use<> {
        self.each().map_while(|code| Tile::new(code - 1))
    }

    /// Returns the kinds of the tiles on the free ahus.
    #[inline]
    pub fn kinds(self) -> Set<Tile> {
        self.tiles().collect()
    }

    /// Lays a tile on a free ahu.
    pub(crate) fn lay(&mut self, tile: Tile) {
        self.set_ahus(self.tiles().chain([tile]), self.moai(), self.styled());
    }

    /// Erects a Moai on the ahu of a tile of this kind, and removes the tile.
    pub(crate) fn erect(&mut self, size: Size, tile: Tile) {
        let mut moai = self.moai();
        moai[size] += 1;
        let ahu = self.tiles().position(|other| other == tile).expect("the space has a tile of this kind");
        let others = self.tiles().take(ahu).chain(self.tiles().skip(ahu + 1));
        self.set_ahus(others, moai, self.styled());
    }

    /// Gives a Moai without a Pukao one.
    #[inline]
    pub(crate) fn style(&mut self) {
        self.ahus -= 1 << (CODES + 2);
    }

    /// Sets the contents of the ahus: tiles on the free ones, and Moai, of which some have a Pukao.
    ///
    /// # Panics
    /// If there are more than three tiles and Moai, or more with a Pukao than Moai.
    pub fn set_ahus(&mut self, tiles: impl IntoIterator<Item = Tile>, moai: Sizes, styled: u8) {
        let (mut codes, mut used) = ([usize::MAX; AHUS], 0);
        for code in tiles.into_iter().map(|tile| 1 + tile.index()) {
            (codes[used], used) = (code, used + 1);
        }
        // Equal tiles are one choice (M12), so their order means nothing.
        codes.sort_unstable();
        let free = used;
        for (size, count) in moai.iter() {
            let end = used + usize::from(count);
            codes[used..end].fill(AHU_WITH_MOAI + size.index());
            used = end;
        }
        let codes = codes[..used].iter().rev().fold(0, |all, &code| all << 4 | code);
        let unstyled = moai.total().checked_sub(styled).expect("a Pukao is on a Moai");
        self.ahus = (codes | free << CODES | usize::from(unstyled) << (CODES + 2)) as u16;
    }
}

/// A site in the bytes of a view.
#[derive(BorshSerialize, BorshDeserialize)]
struct SiteBytes {
    standing: u8,
    lying: u8,
    moai: Sizes,
    styled: u8,
    /// The tiles on the free ahus, and then None.
    tiles: [Option<Tile>; AHUS],
}

impl BorshSerialize for Site {
    fn serialize<W: Write>(&self, writer: &mut W) -> Result<()> {
        let mut tiles = [None; AHUS];
        tiles.iter_mut().zip(self.tiles()).for_each(|(place, tile)| *place = Some(tile));
        let &Self { standing, lying, .. } = self;
        SiteBytes { standing, lying, moai: self.moai(), styled: self.styled(), tiles }.serialize(writer)
    }
}

impl BorshDeserialize for Site {
    fn deserialize_reader<R: Read>(reader: &mut R) -> Result<Self> {
        let SiteBytes { standing, lying, moai, styled, tiles } = SiteBytes::deserialize_reader(reader)?;
        let free = tiles.iter().flatten().count();
        let is_sorted = tiles.is_sorted_by_key(|tile| tile.map_or(Tile::COUNT, Tile::index));
        if free + usize::from(moai.total()) > AHUS || styled > moai.total() || !is_sorted {
            let expected = format!("expected {AHUS} ahus or fewer, with tiles in the order of their kinds, then Moai");
            return Err(Error::new(
                ErrorKind::InvalidData,
                format!("{expected}; got {tiles:?}, {moai}, {styled} Pukao"),
            ));
        }
        let mut site = Self { standing, lying, ahus: 0 };
        site.set_ahus(tiles.into_iter().flatten(), moai, styled);
        Ok(site)
    }
}
