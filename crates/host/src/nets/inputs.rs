//! The inputs of a net: the observation as rows of the first layer.

use ahu_core::{ActionId, Field, FieldKind};

/// A field that a net reads.
#[derive(Clone, Debug)]
pub(super) struct Reads {
    pub(super) field: Field,
    /// The place of its first value in its block of the present layout.
    offset: usize,
    /// True if each binary number is one input for each value.
    pub(super) is_decoded: bool,
    /// The thresholds of each number; none if the field is not read.
    pub(super) thresholds: Vec<i16>,
}

impl Reads {
    /// Creates a field of bits that are read one by one, or of numbers that are not read.
    pub(super) fn new(field: Field, offset: usize) -> Self {
        Self { field, offset, is_decoded: false, thresholds: Vec::new() }
    }

    /// Returns the number of binary digits.
    fn digits(&self) -> usize {
        self.field.shape[self.field.axis]
    }

    /// Returns the number of inputs.
    pub(super) fn inputs(&self) -> usize {
        match self.field.kind {
            FieldKind::Numbers => self.field.size() * self.thresholds.len(),
            FieldKind::Binary if self.is_decoded => (self.field.size() / self.digits()) << self.digits(),
            _ => self.field.size(),
        }
    }
}

/// A binary number of the bits that is one input for each value.
#[derive(Clone, Copy, Debug)]
struct Code {
    /// The place of the lowest digit.
    bit: usize,
    /// The distance between two digits.
    stride: usize,
    digits: usize,
    /// The row of the value 0.
    row: u32,
}

/// A number of the observation with its thermometer.
#[derive(Clone, Debug)]
struct Number {
    /// The place in the block of numbers.
    place: usize,
    min: i16,
    /// The row for each value from `min` on. Values that exceed no threshold have the row [`NONE`].
    rows: Vec<u32>,
}

/// The row of an input that adds nothing.
const NONE: u32 = u32::MAX;

/// The rows of the first layer that each observation adds up.
#[derive(Debug)]
pub(super) struct Inputs {
    /// The bits that are read one by one, as a mask over the block.
    alone: Vec<u64>,
    /// The row of each bit that is read alone.
    rows_of_bits: Vec<u32>,
    codes: Vec<Code>,
    numbers: Vec<Number>,
    /// The row of the advice to take the action 0; the other actions follow.
    advice: u32,
}

impl Inputs {
    /// Creates the inputs of some fields and of advice to take one of `advised` actions, and the rows of the first layer for
    /// them: each has a number for each unit, and is given to `push`. `weights` has the row of each input in the file.
    pub(super) fn new(
        reads: &[Reads],
        advised: usize,
        bits: usize,
        weights: &[u8],
        units: usize,
        mut push: impl FnMut(&[i16]),
    ) -> Self {
        let mut inputs = Self {
            alone: vec![0; bits.div_ceil(64)],
            rows_of_bits: vec![NONE; bits],
            codes: Vec::new(),
            numbers: Vec::new(),
            advice: NONE,
        };
        let mut weights = weights.chunks_exact(units);
        let mut sum = vec![0_i16; units];
        let mut next = 0;
        let mut row = |is_begin: bool| {
            let own = weights.next().expect("the file has a row for each input");
            if is_begin {
                sum.fill(0);
            }
            for (sum, &weight) in sum.iter_mut().zip(own) {
                *sum += i16::from(weight.cast_signed());
            }
            push(&sum);
            next += 1;
            next - 1
        };
        for read in reads {
            let (field, offset) = (&read.field, read.offset);
            match field.kind {
                FieldKind::Numbers => {
                    for place in offset..offset + field.size() {
                        let steps: Vec<(i16, u32)> = read
                            .thresholds
                            .iter()
                            .enumerate()
                            .map(|(n, &threshold)| (threshold, row(n == 0)))
                            .collect();
                        let of = |value| steps.iter().rev().find(|(threshold, _)| value > *threshold);
                        let rows =
                            (field.min..=field.max).map(|value| of(value).map_or(NONE, |&(_, row)| row)).collect();
                        inputs.numbers.push(Number { place, min: field.min, rows });
                    }
                }
                FieldKind::Binary if read.is_decoded => {
                    let digits = read.digits();
                    let stride: usize = field.shape[field.axis + 1..].iter().product();
                    for number in 0..field.size() / digits {
                        let bit = offset + number / stride * stride * digits + number % stride;
                        let rows: Vec<u32> = (0..1 << digits).map(|_| row(true)).collect();
                        inputs.codes.push(Code { bit, stride, digits, row: rows[0] });
                    }
                }
                _ => {
                    for bit in offset..offset + field.size() {
                        inputs.alone[bit / 64] |= 1 << (bit % 64);
                        inputs.rows_of_bits[bit] = row(true);
                    }
                }
            }
        }
        let advice: Vec<u32> = (0..advised).map(|_| row(true)).collect();
        inputs.advice = advice.first().copied().unwrap_or(NONE);
        inputs
    }

    /// Replaces `rows` by the rows that an observation and the advice add up.
    pub(super) fn rows(&self, bits: &[u64], numbers: &[i16], advice: Option<ActionId>, rows: &mut Vec<u32>) {
        rows.clear();
        rows.extend(advice.map(|id| self.advice + u32::from(id.0)));
        for (place, (&word, &alone)) in bits.iter().zip(&self.alone).enumerate() {
            let mut rest = word & alone;
            while rest != 0 {
                rows.push(self.rows_of_bits[place * 64 + rest.trailing_zeros() as usize]);
                rest &= rest - 1;
            }
        }
        for code in &self.codes {
            let value = match code.stride {
                1 => run(bits, code.bit) & ((1 << code.digits) - 1),
                _ => {
                    (0..code.digits).fold(0, |value, digit| value | bit(bits, code.bit + digit * code.stride) << digit)
                }
            };
            rows.push(code.row + value as u32);
        }
        for Number { place, min, rows: of_values } in &self.numbers {
            // Values are in the range of their field.
            let row = of_values[usize::from(numbers[*place].abs_diff(*min))];
            if row != NONE {
                rows.push(row);
            }
        }
    }

    /// Returns the largest number of rows of an observation.
    pub(super) fn most_rows(&self) -> usize {
        let alone: u32 = self.alone.iter().map(|word| word.count_ones()).sum();
        alone as usize + self.codes.len() + self.numbers.len() + usize::from(self.advice != NONE)
    }
}

fn bit(bits: &[u64], place: usize) -> u64 {
    bits[place / 64] >> (place % 64) & 1
}

/// Returns the 64 bits from `place` on. After the last word there are zeros.
fn run(bits: &[u64], place: usize) -> u64 {
    let (word, shift) = (place / 64, place % 64);
    let low = bits[word] >> shift;
    match bits.get(word + 1) {
        Some(&next) if shift > 0 => low | next << (64 - shift),
        _ => low,
    }
}
