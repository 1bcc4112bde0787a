//! The bytes of values in a view, which a seat keeps or gives to another program of its own: see [`ViewBytes`](crate::ViewBytes).
//!
//! Each value has one form. Bytes that are no value are refused, so that no number is out of its range; whether the values agree
//! with each other is for the game to check.

use borsh::io::{Error, ErrorKind, Read, Result, Write};
use borsh::{BorshDeserialize, BorshSerialize};

use crate::parts::counts::Counts;
use crate::parts::set::Set;
use crate::{BySeat, Game, GameOptions, MAX_SEATS, Numbered, Seat, Seats, Viewer, options};

/// The most things of one kind in [`Counts`]: no game has more.
const MOST: u8 = 127;

/// The version of the form of all bytes of views.
const FORM: u8 = 1;

/// The bytes of a game's views: the version of the form, the name of the game, its rules version, and the view.
#[derive(Clone, Copy, Debug)]
pub struct ViewBytes<G: Game> {
    /// Returns the bytes of a view.
    pub write: fn(&G::View) -> Vec<u8>,
    /// Reads the bytes of a view; the error names the first value that is none.
    pub read: fn(&[u8]) -> std::result::Result<G::View, String>,
}

impl<G: Game> ViewBytes<G>
where
    G::View: BorshSerialize + BorshDeserialize,
{
    /// The bytes of the values of the view, one after the other.
    pub const OF_VALUES: Self = Self { write: write_view::<G>, read: read_view::<G> };
}

fn write_view<G: Game>(view: &G::View) -> Vec<u8>
where
    G::View: BorshSerialize,
{
    borsh::to_vec(&(FORM, G::INFO.id, G::INFO.rules, view)).expect("memory takes all bytes")
}

fn read_view<G: Game>(bytes: &[u8]) -> std::result::Result<G::View, String>
where
    G::View: BorshDeserialize,
{
    let mut rest = bytes;
    let mut read = || {
        let form = u8::deserialize_reader(&mut rest)?;
        if form != FORM {
            return Err(wrong(format!("expected version {FORM} of the bytes of a view, got {form}")));
        }
        let (game, rules) = <(String, u32)>::deserialize_reader(&mut rest)?;
        if (&*game, rules) != (G::INFO.id, G::INFO.rules) {
            let (own, own_rules) = (G::INFO.id, G::INFO.rules);
            return Err(wrong(format!(
                "expected a view of {own}, rules {own_rules}, got one of {game:?}, rules {rules}"
            )));
        }
        G::View::deserialize_reader(&mut rest)
    };
    let view = read().map_err(|error| match error.kind() {
        ErrorKind::UnexpectedEof => format!("expected the bytes of a view, got {} bytes, which break off", bytes.len()),
        _ => error.to_string(),
    })?;
    match rest.len() {
        0 => Ok(view),
        left => Err(format!("expected the bytes of a view alone, got {left} more")),
    }
}

/// Returns the error for bytes that are no value.
pub fn wrong(message: String) -> Error {
    Error::new(ErrorKind::InvalidData, message)
}

/// Writes the number of a value, in as many bytes as the numbers of its type need.
pub fn write_numbered<T: Numbered>(value: T, bytes: &mut impl Write) -> Result<()> {
    let number = value.index() as u16;
    if T::COUNT > 256 { number.serialize(bytes) } else { (number as u8).serialize(bytes) }
}

/// Reads the value of a number.
pub fn read_numbered<T: Numbered>(bytes: &mut impl Read) -> Result<T> {
    let number = if T::COUNT > 256 { u16::deserialize_reader(bytes)? } else { u8::deserialize_reader(bytes)?.into() };
    T::new(number.into()).ok_or_else(|| {
        let name = std::any::type_name::<T>().rsplit("::").next().unwrap_or_default();
        wrong(format!("expected the number of a {name}, below {}, got {number}", T::COUNT))
    })
}

impl BorshSerialize for Seats {
    fn serialize<W: Write>(&self, bytes: &mut W) -> Result<()> {
        (self.count() as u8).serialize(bytes)
    }
}

impl BorshDeserialize for Seats {
    fn deserialize_reader<R: Read>(bytes: &mut R) -> Result<Self> {
        let count = u8::deserialize_reader(bytes)?;
        Self::new(count.into()).ok_or_else(|| wrong(format!("expected 1 to {MAX_SEATS} seats, got {count}")))
    }
}

impl BorshSerialize for Viewer {
    fn serialize<W: Write>(&self, bytes: &mut W) -> Result<()> {
        self.own_seat().serialize(bytes)
    }
}

impl BorshDeserialize for Viewer {
    fn deserialize_reader<R: Read>(bytes: &mut R) -> Result<Self> {
        Ok(Option::<Seat>::deserialize_reader(bytes)?.map_or(Self::Public, Self::Seat))
    }
}

impl<T: BorshSerialize + Copy> BorshSerialize for BySeat<T> {
    fn serialize<W: Write>(&self, bytes: &mut W) -> Result<()> {
        self.seats().serialize(bytes)?;
        self.values().iter().try_for_each(|value| value.serialize(bytes))
    }
}

impl<T: BorshDeserialize + Copy> BorshDeserialize for BySeat<T> {
    fn deserialize_reader<R: Read>(bytes: &mut R) -> Result<Self> {
        let seats = Seats::deserialize_reader(bytes)?;
        let mut values = Self::new(seats, T::deserialize_reader(bytes)?);
        for seat in seats.iter().skip(1) {
            values[seat] = T::deserialize_reader(bytes)?;
        }
        Ok(values)
    }
}

impl<T: Numbered> BorshSerialize for Set<T> {
    fn serialize<W: Write>(&self, bytes: &mut W) -> Result<()> {
        self.bits().serialize(bytes)
    }
}

impl<T: Numbered> BorshDeserialize for Set<T> {
    fn deserialize_reader<R: Read>(bytes: &mut R) -> Result<Self> {
        let bits = u64::deserialize_reader(bytes)?;
        match bits.checked_shr(T::COUNT as u32) {
            None | Some(0) => Ok(Self::from_bits(bits)),
            Some(_) => Err(wrong(format!("expected a set with bits below {}, got {bits:#x}", T::COUNT))),
        }
    }
}

impl<K: Numbered, const N: usize> BorshSerialize for Counts<K, N> {
    fn serialize<W: Write>(&self, bytes: &mut W) -> Result<()> {
        bytes.write_all(self.as_slice())
    }
}

impl<K: Numbered, const N: usize> BorshDeserialize for Counts<K, N> {
    fn deserialize_reader<R: Read>(bytes: &mut R) -> Result<Self> {
        let mut counts = [0; N];
        bytes.read_exact(&mut counts[..K::COUNT])?;
        // One step adds all counts of a word, and no sum of a few reaches the next count.
        match counts.iter().find(|&&count| count > MOST) {
            None => Ok(Self::of(counts)),
            Some(count) => Err(wrong(format!("expected at most {MOST} things of a kind, got {count}"))),
        }
    }
}

/// Writes options: the seats, and the value of each option in the order of the game.
pub fn write_options<O: GameOptions>(options: &O, bytes: &mut impl Write) -> Result<()> {
    options.seats().serialize(bytes)?;
    O::SPECS.iter().try_for_each(|spec| (spec.get)(options).serialize(bytes))
}

/// Reads options, as a client gives them.
pub fn read_options<O: GameOptions>(bytes: &mut impl Read) -> Result<O> {
    let seats = Seats::deserialize_reader(bytes)?;
    let mut values = Vec::new();
    for spec in O::SPECS {
        let value = u16::deserialize_reader(bytes)?;
        if !spec.kind.takes(value) {
            return Err(wrong(format!("option {}: expected a value of {}, got {value}", spec.key, spec.kind)));
        }
        values.push((spec.key, spec.kind.text(value)));
    }
    let given = values.iter().map(|(key, value)| (*key, value.as_str()));
    options::read(seats.count(), given).map_err(|error| wrong(error.to_string()))
}
