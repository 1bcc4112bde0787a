//! The layers and the heads of a net, in whole numbers.

use std::fmt;

use ahu_core::{ActionId, ActionSet, Encode, Tensor};

use super::file::{Dense, NetFile, NetHead};
use super::inputs::Inputs;
use super::loaded::NetId;

/// The number of sums of the first layer that are computed together: half of the registers of x86-64 hold them.
const LANES: usize = 64;
/// The multiple to which the inputs of every other layer are filled up with zeros.
const PADDING: usize = 32;
/// The highest value of an activation.
const CLIP: i64 = 255;
/// The binary places of the multiplier of a hidden unit.
const PLACES: u32 = 24;
/// The value of a unit of a head: its sum times its multiplier, divided by this.
const ONE: f64 = 4_294_967_296.0;
/// The number of multiplications and additions up to which a choice is quick: a tenth of the 50 us of a quick bot.
const QUICK: usize = 200_000;

/// A net: a function of an observation.
pub struct Net {
    /// The header of its file.
    pub head: NetHead,
    inputs: Inputs,
    first: First,
    layers: Vec<Layer>,
    policy: Layer,
    trust: Option<Layer>,
    value: Option<Layer>,
}

/// The memory of an evaluation, which may be used again.
#[derive(Debug, Default)]
pub struct NetRoom {
    bits: Vec<u64>,
    numbers: Vec<i16>,
    rows: Vec<u32>,
    sums: Vec<i32>,
    activations: Vec<i16>,
    next: Vec<i16>,
    /// The choice of the adviser, and the score that the trust in the adviser adds to it.
    advice: Option<(ActionId, i64)>,
}

/// The first layer. Its units are divided into tiles of [`LANES`], and the last tile is filled up with zeros.
struct First {
    /// The rows of each tile.
    tiles: Vec<Vec<[i16; LANES]>>,
    /// The largest weight of each row, without its sign.
    largest: Vec<u16>,
    bias: Vec<i32>,
    multipliers: Vec<u32>,
}

/// Another layer, or a head.
struct Layer {
    /// The weights of each unit, filled up with zeros.
    weights: Vec<i16>,
    width: usize,
    bias: Vec<i32>,
    multipliers: Vec<u32>,
}

impl Net {
    /// Reads a net from the bytes of its file.
    pub fn read(bytes: &[u8]) -> Result<Self, String> {
        let file = NetFile::read(bytes)?;
        let (first, others) = file.layers.split_first().expect("a net has a hidden layer");
        let (bits, _) = file.head.rules.observation_size();
        let units = first.bias.len();
        let mut tiles = vec![Vec::new(); units.div_ceil(LANES)];
        let mut largest = Vec::new();
        let advised = if file.head.adviser.is_some() { file.head.rules.action_count() } else { 0 };
        let inputs = Inputs::new(&file.reads, advised, bits, first.weights, units, |row| {
            for (tile, part) in tiles.iter_mut().zip(row.chunks(LANES)) {
                let mut lanes = [0; LANES];
                lanes[..part.len()].copy_from_slice(part);
                tile.push(lanes);
            }
            largest.push(row.iter().map(|weight| weight.unsigned_abs()).max().unwrap_or(0));
        });
        let first = First { tiles, largest, bias: first.bias.clone(), multipliers: first.multipliers.clone() };
        Ok(Self {
            head: file.head,
            inputs,
            first,
            layers: others.iter().map(Layer::new).collect(),
            policy: Layer::new(&file.policy),
            trust: file.trust.as_ref().map(Layer::new),
            value: file.value.as_ref().map(Layer::new),
        })
    }

    /// Returns the name by which records and reports call the net: `net:` and the first 16 digits of its digest.
    pub fn name(&self) -> String {
        self.id().to_string()
    }

    /// Returns the id of the net.
    pub fn id(&self) -> NetId {
        NetId::of(&self.head.digest)
    }

    /// Returns true if it has a head for the value.
    pub fn has_value(&self) -> bool {
        self.value.is_some()
    }

    /// Returns true if a choice takes less than 50 us.
    pub(crate) fn is_quick(&self) -> bool {
        let inputs = std::iter::once(self.inputs.most_rows()).chain(self.head.hidden.iter().copied());
        let units = self.head.hidden.iter().copied().chain([self.head.rules.action_count()]);
        inputs.zip(units).map(|(inputs, units)| inputs * units).sum::<usize>() <= QUICK
    }

    /// Returns the action with the highest score for a shown view; of equal ones, the lowest id. `advice` is the choice of the
    /// adviser.
    ///
    /// # Panics
    /// If the view is of another game, or no action is legal.
    pub(crate) fn choose<V: Encode>(&self, shown: &V, legal: &ActionSet, advice: Option<ActionId>) -> ActionId {
        let mut room = NetRoom::default();
        self.see(shown, advice, &mut room);
        self.best(legal, &room)
    }

    /// Computes the hidden layers for a shown view.
    pub(crate) fn see<V: Encode>(&self, shown: &V, advice: Option<ActionId>, room: &mut NetRoom) {
        let (mut bits, mut numbers) = (std::mem::take(&mut room.bits), std::mem::take(&mut room.numbers));
        bits.resize(V::BITS.div_ceil(64), 0);
        numbers.resize(V::NUMBERS, 0);
        Tensor::fill(&mut bits, &mut numbers, shown);
        self.see_observation(&bits, &numbers, advice, room);
        (room.bits, room.numbers) = (bits, numbers);
    }

    /// Does what `see_observation` does, for blocks as bytes, little-endian.
    pub(crate) fn see_bytes(&self, bits: &[u8], numbers: &[u8], advice: Option<ActionId>, room: &mut NetRoom) {
        let (mut words, mut values) = (std::mem::take(&mut room.bits), std::mem::take(&mut room.numbers));
        words.clear();
        words.extend(bits.as_chunks().0.iter().map(|&word| u64::from_le_bytes(word)));
        values.clear();
        values.extend(numbers.as_chunks().0.iter().map(|&value| i16::from_le_bytes(value)));
        self.see_observation(&words, &values, advice, room);
        (room.bits, room.numbers) = (words, values);
    }

    /// Computes the hidden layers for an observation. Its blocks have the sizes of the layout of the game, and its numbers are in
    /// range. `advice` is the choice of the adviser.
    ///
    /// # Panics
    /// If there is an adviser and no advice, or the other way round.
    pub fn see_observation(&self, bits: &[u64], numbers: &[i16], advice: Option<ActionId>, room: &mut NetRoom) {
        assert_eq!(
            advice.is_some(),
            self.head.adviser.is_some(),
            "expected advice for a net with an adviser, and for no other"
        );
        self.inputs.rows(bits, numbers, advice, &mut room.rows);
        self.first.activate(&room.rows, &mut room.sums, &mut room.activations);
        for layer in &self.layers {
            layer.activate(&room.activations, &mut room.next);
            std::mem::swap(&mut room.activations, &mut room.next);
        }
        let trust = self.trust.as_ref().map(|head| head.scaled(0, &room.activations));
        room.advice = advice.zip(trust);
    }

    /// Returns the score of an action, in units of 2^-32, after [`Self::see_observation`].
    pub fn score(&self, id: ActionId, room: &NetRoom) -> i64 {
        let own = self.policy.scaled(id.index(), &room.activations);
        room.advice.filter(|(advised, _)| *advised == id).map_or(own, |(_, trust)| own.saturating_add(trust))
    }

    /// Returns the value of the position for the seat; 0 if the net has no head for it.
    pub fn value(&self, room: &NetRoom) -> f32 {
        self.value.as_ref().map_or(0.0, |head| real(head.scaled(0, &room.activations)) as f32)
    }

    /// Returns the action with the highest score; of equal ones, the lowest id.
    ///
    /// # Panics
    /// If no action is legal.
    pub fn best(&self, legal: &ActionSet, room: &NetRoom) -> ActionId {
        let scored = legal.iter().map(|id| (self.score(id, room), id));
        let best = scored.reduce(|best, next| if next.0 > best.0 { next } else { best });
        best.expect("a seat that has to decide has a legal action").1
    }
}

/// Returns the scaled sum of a head as a real number.
pub(super) fn real(scaled: i64) -> f64 {
    scaled as f64 / ONE
}

impl First {
    /// Replaces `activations` by those of the units, filled up with zeros. `sums` is memory that may be used again.
    fn activate(&self, rows: &[u32], sums: &mut Vec<i32>, activations: &mut Vec<i16>) {
        sums.clear();
        sums.resize(self.tiles.len() * LANES, 0);
        let mut rest = rows;
        while !rest.is_empty() {
            let (part, others) = rest.split_at(self.fitting(rest));
            for (tile, sums) in self.tiles.iter().zip(sums.as_chunks_mut::<LANES>().0) {
                let mut short = [0_i16; LANES];
                for &row in part {
                    for (sum, weight) in short.iter_mut().zip(&tile[row as usize]) {
                        // The part fits.
                        *sum = sum.wrapping_add(*weight);
                    }
                }
                for (sum, short) in sums.iter_mut().zip(short) {
                    *sum = sum.wrapping_add(i32::from(short));
                }
            }
            rest = others;
        }
        activations.clear();
        let of_units = self.bias.iter().zip(&self.multipliers).zip(&*sums);
        activations.extend(of_units.map(|((bias, &by), sum)| activation(sum.wrapping_add(*bias), by)));
        activations.resize(self.bias.len().next_multiple_of(PADDING), 0);
    }

    /// Returns how many of the rows can be added up in 16 bits: at least one.
    #[inline]
    fn fitting(&self, rows: &[u32]) -> usize {
        let mut sum = 0;
        let fits = rows.iter().take_while(|&&row| {
            sum += u32::from(self.largest[row as usize]);
            i16::try_from(sum).is_ok()
        });
        fits.count()
    }
}

impl Layer {
    fn new(dense: &Dense<'_>) -> Self {
        let width = dense.inputs.next_multiple_of(PADDING);
        let mut weights = Vec::with_capacity(width * dense.bias.len());
        for unit in dense.weights.chunks_exact(dense.inputs) {
            weights.extend(unit.iter().map(|weight| i16::from(weight.cast_signed())));
            weights.resize(weights.len().next_multiple_of(width), 0);
        }
        Self { weights, width, bias: dense.bias.clone(), multipliers: dense.multipliers.clone() }
    }

    fn activate(&self, activations: &[i16], next: &mut Vec<i16>) {
        next.clear();
        next.extend((0..self.bias.len()).map(|unit| activation(self.sum(unit, activations), self.multipliers[unit])));
        next.resize(self.bias.len().next_multiple_of(PADDING), 0);
    }

    #[inline]
    fn sum(&self, unit: usize, activations: &[i16]) -> i32 {
        let weights = &self.weights[unit * self.width..][..self.width];
        // Every sum fits: see the documentation of the module. A check at each step would cost debug builds several times as
        // much.
        let add =
            |sum: i32, (&weight, &one): (&i16, &i16)| sum.wrapping_add(i32::from(weight).wrapping_mul(i32::from(one)));
        self.bias[unit].wrapping_add(weights.iter().zip(activations).fold(0, add))
    }

    #[inline]
    fn scaled(&self, unit: usize, activations: &[i16]) -> i64 {
        i64::from(self.sum(unit, activations)) * i64::from(self.multipliers[unit])
    }
}

/// Returns the activation of a unit: its sum times its multiplier, rounded half up, from 0 to [`CLIP`].
#[inline]
fn activation(sum: i32, multiplier: u32) -> i16 {
    let scaled = i64::from(sum) * i64::from(multiplier) + (1 << (PLACES - 1));
    (scaled >> PLACES).clamp(0, CLIP) as i16
}

impl fmt::Debug for Net {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Net").field("head", &self.head).finish_non_exhaustive()
    }
}
