//! The bytes of values in a view, which a seat keeps or gives to another program of its own: see [`ViewBytes`].
//!
//! Each value has one form. Bytes that are no value are refused, so that no number is out of its range; whether the values agree
//! with each other is for the game to check.

use borsh::io::{Error, ErrorKind, Read, Result, Write};
use borsh::{BorshDeserialize, BorshSerialize};
use rand::Rng;

use crate::observation::check_fields;
use crate::parts::counts::Counts;
use crate::parts::set::Set;
use crate::{
    ActionSet, BySeat, Game, GameOptions, MAX_SEATS, Numbered, Seat, Seats, Turn, View as _, Viewer, ensure, options,
};

/// The most things of one kind in [`Counts`]: no game has more, and no sum over kinds or over a table leaves a byte.
const MOST: u8 = 31;

/// The version of the form of all bytes of views.
const FORM: u8 = 1;

/// The bytes of a game's views: the version of the form, the name of the game, its rules version, and the view.
#[derive(Clone, Copy, Debug)]
pub struct ViewBytes<G: Game> {
    /// Returns the bytes of a view.
    pub write: fn(&G::View) -> Vec<u8>,
    /// Reads the bytes of a view; the error names the first value that is none.
    pub read: fn(&[u8]) -> std::result::Result<G::View, String>,
    /// Checks that a view is one from which a game can be resampled; the error names the first fault.
    pub check: fn(&G::View) -> std::result::Result<(), String>,
    /// Checks a resampled game; the error names the first fault.
    pub check_game: fn(&G) -> std::result::Result<(), String>,
}

impl<G: Game> ViewBytes<G>
where
    G::View: BorshSerialize + BorshDeserialize,
{
    /// Returns the bytes of the values of the view, one after the other, with the checks of view and game.
    pub const fn checked(
        check: fn(&G::View) -> std::result::Result<(), String>,
        check_game: fn(&G) -> std::result::Result<(), String>,
    ) -> Self {
        Self { write: write_view::<G>, read: read_view::<G>, check, check_game }
    }
}

impl<G: Game> ViewBytes<G> {
    /// Returns a game that the viewer of these bytes could be in, and the viewer. Refuses bytes that are no view, that contradict
    /// themselves, or that no game has, and a view while chance is due: viewers are shown the table once chance has settled.
    pub fn resample(&self, bytes: &[u8], rng: &mut dyn Rng) -> std::result::Result<(G, Viewer), String> {
        let view = (self.read)(bytes)?;
        (self.check)(&view)?;
        let resample =
            G::RESAMPLE.ok_or_else(|| format!("expected a game that can be resampled, got {}", G::INFO.id))?;
        let (game, viewer) = (resample(&view, rng), view.viewer());
        (self.check_game)(&game)?;
        ensure(game.view(viewer) == view, || {
            "expected a view that a game has, got one of which a sampled game looks otherwise".to_owned()
        })?;
        check_fields(&view.shown())?;
        ensure(game.turn() != Turn::Chance, || {
            "expected a view at a decision or at the end, got one before chance".to_owned()
        })?;
        let mut legal = ActionSet::of::<G::Action>();
        let can_act = |seat| {
            game.legal_actions(seat, &mut legal);
            ensure(!legal.is_empty(), || format!("expected a legal action for seat {seat}, got none"))
        };
        game.turn().to_act().iter().try_for_each(can_act)?;
        Ok((game, viewer))
    }
}

/// Returns the name of the game of the bytes of a view, without a look at the rest.
pub fn game_of_view(bytes: &[u8]) -> std::result::Result<String, String> {
    read_head(&mut &*bytes).map(|(game, _)| game).map_err(|error| told(bytes, &error))
}

/// Returns the text of an error in the bytes of a view.
fn told(bytes: &[u8], error: &Error) -> String {
    let text = error.to_string();
    // The text with which the crate replaces most ends of the input.
    match error.kind() == ErrorKind::UnexpectedEof || text == "Unexpected length of input" {
        true => format!("expected the bytes of a view, got {} bytes, which break off", bytes.len()),
        false => text,
    }
}

fn read_head(rest: &mut &[u8]) -> Result<(String, u32)> {
    let form = u8::deserialize_reader(rest)?;
    if form != FORM {
        return Err(wrong(format!("expected version {FORM} of the bytes of a view, got {form}")));
    }
    <(String, u32)>::deserialize_reader(rest)
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
        let (game, rules) = read_head(&mut rest)?;
        if (&*game, rules) != (G::INFO.id, G::INFO.rules) {
            let (own, own_rules) = (G::INFO.id, G::INFO.rules);
            return Err(wrong(format!(
                "expected a view of {own}, rules {own_rules}, got one of {game:?}, rules {rules}"
            )));
        }
        G::View::deserialize_reader(&mut rest)
    };
    let view = read().map_err(|error| told(bytes, &error))?;
    match rest.len() {
        0 => Ok(view),
        left => Err(format!("expected the bytes of a view alone, got {left} more")),
    }
}

/// Returns the error for bytes that are no value.
pub fn wrong(message: String) -> Error {
    Error::new(ErrorKind::InvalidData, message)
}

/// Reads the number of these things, at most `most`.
pub fn read_count(bytes: &mut impl Read, most: usize, things: &str) -> Result<u8> {
    match u8::deserialize_reader(bytes)? {
        count if usize::from(count) <= most => Ok(count),
        count => Err(wrong(format!("expected at most {most} {things}, got {count}"))),
    }
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
