//! The bases of positions: a new game, a record at a ply, or a view.

use std::collections::BTreeMap;

use ahu_core::{Seat, Seed, Viewer};
use ahu_host::{EventList, Position, Record, ensure, find};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde::Deserialize;

/// The base of positions, as a request has it.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct Base {
    /// A new game: its id, with `seats`, `options`, and `seed`.
    game: Option<String>,
    seats: Option<usize>,
    options: BTreeMap<String, String>,
    seed: Option<Seed>,
    /// A record as text, with `after`.
    record: Option<String>,
    /// The number of plies of the record that are played; absent: all.
    after: Option<usize>,
    /// A view in Base64.
    view: Option<String>,
    /// The seat that knows of the game or of the record what it was shown, and no more.
    seat: Option<usize>,
    chance: Chance,
}

/// The source of chance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Chance {
    /// The seed of the game, of the record, or of the sample.
    #[default]
    Seed,
    /// The outcomes among the plies.
    Caller,
}

/// A base on which positions are built.
pub(super) enum Start {
    /// A game of which all is known.
    All(Box<Position>),
    /// A view.
    View { bytes: Vec<u8>, chance: Chance },
}

impl Base {
    /// Returns true for a view, which may be the work of a stranger.
    pub(super) fn is_view(&self) -> bool {
        self.view.is_some()
    }

    /// Returns the start of the positions, or the reason why there is none.
    pub(super) fn start(&self) -> Result<Start, String> {
        let unused = |field: &str, is_there: bool| {
            ensure(!is_there, || format!("{field}: expected none with this base: see docs/reference/positions.md"))
        };
        if self.game.is_none() {
            unused("seats", self.seats.is_some())?;
            unused("options", !self.options.is_empty())?;
            unused("seed", self.seed.is_some())?;
        }
        unused("after", self.after.is_some() && self.record.is_none())?;
        unused("seat", self.seat.is_some() && self.view.is_some())?;
        let mut position = match (&self.game, &self.record, &self.view) {
            (Some(game), None, None) => self.new_game(game)?,
            (None, Some(text), None) => self.at_ply(text)?,
            (None, None, Some(view)) => {
                let bytes = BASE64_STANDARD.decode(view).map_err(|error| format!("view: expected Base64: {error}"))?;
                Position::from_view(&bytes, Seed(0)).map_err(|error| format!("view: {error}"))?;
                return Ok(Start::View { bytes, chance: self.chance });
            }
            _ => return Err("expected exactly one of `game`, `record`, and `view`".to_owned()),
        };
        let Some(index) = self.seat else {
            if self.chance == Chance::Caller {
                position = position.unseeded();
            }
            return Ok(Start::All(Box::new(position)));
        };
        let viewer = Viewer::Seat(seat_of(&position, index)?);
        ensure(!position.is_chance_due(), || "seat: expected a decision or an end, got a due chance event".to_owned())?;
        let bytes = position.game().view_bytes(viewer).ok_or("seat: expected a game that has views as bytes")?;
        Ok(Start::View { bytes, chance: self.chance })
    }

    fn new_game(&self, game: &str) -> Result<Position, String> {
        let rules = find(game).map_err(|error| format!("game: {error}"))?;
        let seats = self.seats.unwrap_or_else(|| *rules.seats().start());
        let options: Vec<_> = self.options.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
        let setup = rules.configure(seats, &options).map_err(|error| error.to_string())?;
        match (self.seed, self.chance) {
            (None, Chance::Seed) => Err("seed: expected a seed, or `\"chance\": \"caller\"`".to_owned()),
            (Some(_), Chance::Caller) => Err("seed: expected none, since the caller settles chance".to_owned()),
            (seed, _) => Ok(Position::new(setup, seed, false)),
        }
    }

    fn at_ply(&self, record: &str) -> Result<Position, String> {
        let record = Record::read(record.as_bytes()).map_err(|error| format!("record: {error}"))?;
        let all = record.plies();
        let plies = self.after.unwrap_or(all);
        ensure(plies <= all, || format!("after: expected at most {all} plies, as the record has, got {plies}"))?;
        let mut position = Position::from_record(&record, plies).map_err(|error| format!("record: {error}"))?;
        if self.chance == Chance::Seed {
            while position.settle_drawn(&mut EventList::new()).is_some() {}
        }
        Ok(position)
    }
}

impl Start {
    /// Returns a position at the start. A view needs a seed for the facts that it does not have.
    pub(super) fn position(&self, sample: Option<Seed>) -> Result<Position, String> {
        match (self, sample) {
            (Self::All(position), None) => Ok((**position).clone()),
            (Self::All(_), Some(_)) => Err("sample: expected a base with `view` or `seat`".to_owned()),
            (Self::View { .. }, None) => Err("sample: expected a seed for the hidden facts".to_owned()),
            (Self::View { bytes, chance }, Some(seed)) => {
                let (position, _) = Position::from_view(bytes, seed)?;
                Ok(if *chance == Chance::Caller { position.unseeded() } else { position })
            }
        }
    }
}

/// Returns the seat with this number.
pub(super) fn seat_of(position: &Position, index: usize) -> Result<Seat, String> {
    let seats = position.setup().seats();
    seats.get(index).ok_or_else(|| format!("seat: expected a seat from 0 to {}, got {index}", seats.count() - 1))
}
