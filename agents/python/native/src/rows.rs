//! Rows of bits as arrays of values. Bit i of a row is bit i % 8, the lowest being 0, of its byte i / 8.

use numpy::{
    PyArray1, PyArrayMethods as _, PyReadonlyArray1, PyReadonlyArray2, PyReadwriteArray2, PyUntypedArrayMethods,
};
use pyo3::exceptions::PyValueError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::cores::{Cores, SharedCores};

/// The number of rows that justify another core: some ten microseconds of work.
const CHUNK_ROWS: usize = 256;

/// The same number for the choice of a bit in each row, which takes little time.
const NTH_CHUNK_ROWS: usize = 1024;

/// The number of rows up to which other threads of Python have to wait: some microseconds of work, for which letting them go
/// on would take as long.
pub(crate) const AT_ONCE: usize = 8;

/// The values of the eight bits of each byte, as bytes of 0 and 1.
static BYTES: [[u8; 8]; 256] = spread();

/// The same as floats.
static FLOATS: [[f32; 8]; 256] = spread_floats();

const fn spread() -> [[u8; 8]; 256] {
    let mut table = [[0; 8]; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut bit = 0;
        while bit < 8 {
            table[byte][bit] = (byte >> bit & 1) as u8;
            bit += 1;
        }
        byte += 1;
    }
    table
}

const fn spread_floats() -> [[f32; 8]; 256] {
    let (bytes, mut table) = (spread(), [[0.0; 8]; 256]);
    let mut byte = 0;
    while byte < 256 {
        let mut bit = 0;
        while bit < 8 {
            table[byte][bit] = bytes[byte][bit] as f32;
            bit += 1;
        }
        byte += 1;
    }
    table
}

/// Writes the first bits of each row, uint8 [n, width], into `out`, uint8 [n, count], as 0 and 1.
#[pyfunction]
pub(crate) fn unpack(
    py: Python<'_>,
    cores: &Cores,
    rows: PyReadonlyArray2<'_, u8>,
    mut out: PyReadwriteArray2<'_, u8>,
) -> PyResult<()> {
    let count = out.shape()[1];
    let source = Source::of(&rows, count, out.shape()[0])?;
    let out = out.as_slice_mut()?;
    for_rows(py, &cores.shared, CHUNK_ROWS, out, count, |n, row| spread_row(source.row(n), row, &BYTES))
}

/// Writes observations in the format "flat" into `out`, float32 [n, bits + numbers]: bits, uint8 [n, width], as 0 and 1, and
/// numbers, int16 [n, k], divided by `scales`, float32 [k].
#[pyfunction]
pub(crate) fn flatten(
    py: Python<'_>,
    cores: &Cores,
    packed: PyReadonlyArray2<'_, u8>,
    numbers: PyReadonlyArray2<'_, i16>,
    scales: PyReadonlyArray1<'_, f32>,
    mut out: PyReadwriteArray2<'_, f32>,
) -> PyResult<()> {
    let (size, scales, number_shape) = (out.shape()[1], scales.as_slice()?, numbers.shape());
    let Some(count) = size.checked_sub(scales.len()) else {
        return Err(wrong_shape(&format!("expected {} values or more a row, got {size}", scales.len())));
    };
    if number_shape != [out.shape()[0], scales.len()] {
        return Err(wrong_shape(&format!("expected numbers of {} columns, got {number_shape:?}", scales.len())));
    }
    let source = Source::of(&packed, count, out.shape()[0])?;
    let numbers = numbers.as_slice()?;
    let out = out.as_slice_mut()?;
    for_rows(py, &cores.shared, CHUNK_ROWS, out, size, |n, row| {
        let (bits, rest) = row.split_at_mut(count);
        spread_row(source.row(n), bits, &FLOATS);
        let values = &numbers[n * scales.len()..][..scales.len()];
        for ((to, &value), &scale) in rest.iter_mut().zip(values).zip(scales) {
            *to = f32::from(value) / scale;
        }
    })
}

/// Returns the place of one of the bits that are set in each row, uint8 [n, width], as int64 [n]; 0 for a row without one.
/// `pick`, float64 [n], or for one row a float, says which of them, as a part of their number, at least 0 and less than 1.
#[pyfunction]
pub(crate) fn nth<'py>(
    py: Python<'py>,
    cores: &Cores,
    rows: PyReadonlyArray2<'py, u8>,
    pick: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyArray1<i64>>> {
    let (one, array);
    let picks = if let Ok(picks) = pick.cast::<PyArray1<f64>>() {
        array = picks.try_readonly()?;
        array.as_slice()?
    } else {
        one = [pick.extract()?];
        &one
    };
    let source = Source::of(&rows, 0, picks.len())?;
    let mut places = vec![0; picks.len()];
    for_rows(py, &cores.shared, NTH_CHUNK_ROWS, &mut places, 1, |n, place| {
        place[0] = nth_of(words(source.row(n)), picks[n]);
    })?;
    Ok(PyArray1::from_vec(py, places))
}

/// Returns the words of a packed row.
pub(crate) fn words(row: &[u8]) -> impl Iterator<Item = u64> + Clone {
    row.as_chunks().0.iter().map(|&word| u64::from_le_bytes(word))
}

/// Returns the place of the bit in a row that `pick` chooses, as a part of the number of bits that are set; 0 without one.
pub(crate) fn nth_of(words: impl Iterator<Item = u64> + Clone, pick: f64) -> i64 {
    let count: u32 = words.clone().map(u64::count_ones).sum();
    #[expect(clippy::cast_sign_loss, reason = "a part is not negative; the cast takes one that is for 0")]
    let mut rank = (pick * f64::from(count)) as u32;
    for (n, mut word) in words.enumerate() {
        let ones = word.count_ones();
        if rank < ones {
            for _ in 0..rank {
                word &= word - 1;
            }
            return 64 * n as i64 + i64::from(word.trailing_zeros());
        }
        rank -= ones;
    }
    0
}

/// Packed rows, one after the other.
#[derive(Clone, Copy)]
struct Source<'a> {
    bytes: &'a [u8],
    width: usize,
}

impl<'a> Source<'a> {
    /// Takes `rows` rows that have `count` bits or more, in whole words.
    fn of(packed: &'a PyReadonlyArray2<'_, u8>, count: usize, rows: usize) -> PyResult<Self> {
        let shape = packed.shape();
        let [n, width] = [shape[0], shape[1]];
        if n != rows || width % 8 != 0 || width * 8 < count {
            let expected = format!("{rows} rows of whole words with {count} bits or more");
            return Err(wrong_shape(&format!("expected {expected}, got {n} rows of {width} bytes")));
        }
        Ok(Self { bytes: packed.as_slice()?, width })
    }

    fn row(self, n: usize) -> &'a [u8] {
        &self.bytes[n * self.width..][..self.width]
    }
}

/// Does `work` with each row of `out` and its number, on several cores if there are more than `chunk_rows`.
fn for_rows<T: Send>(
    py: Python<'_>,
    cores: &SharedCores,
    chunk_rows: usize,
    out: &mut [T],
    width: usize,
    work: impl Fn(usize, &mut [T]) + Send + Sync,
) -> PyResult<()> {
    if width == 0 {
        return Ok(());
    }
    let count = out.len() / width;
    if count <= AT_ONCE {
        out.chunks_exact_mut(width).enumerate().for_each(|(n, row)| work(n, row));
        return Ok(());
    }
    let cores = cores.cores(count > chunk_rows)?;
    let work_from = |first: usize, rows: &mut [T]| {
        rows.chunks_exact_mut(width).enumerate().for_each(|(n, row)| work(first + n, row));
    };
    py.detach(|| {
        let part = chunk_rows / 4;
        let parts = out.chunks_mut(width * part).enumerate().collect();
        cores.map(parts, |(n, rows)| work_from(n * part, rows))
    });
    Ok(())
}

/// Writes the values of the first bits of a row.
#[inline]
fn spread_row<T: Copy>(packed: &[u8], out: &mut [T], table: &[[T; 8]; 256]) {
    let (whole, rest) = out.as_chunks_mut();
    for (to, &byte) in whole.iter_mut().zip(packed) {
        *to = table[usize::from(byte)];
    }
    if !rest.is_empty() {
        rest.copy_from_slice(&table[usize::from(packed[whole.len()])][..rest.len()]);
    }
}

fn wrong_shape(message: &str) -> PyErr {
    PyValueError::new_err(message.to_owned())
}

/// Returns the place of the first `Rows` in a list that nobody else holds, and none of whose arrays anybody holds.
#[pyfunction]
pub(crate) fn unheld(pool: &Bound<'_, PyList>) -> PyResult<Option<usize>> {
    for (place, rows) in pool.iter().enumerate() {
        if is_unheld(&rows)? {
            return Ok(Some(place));
        }
    }
    Ok(None)
}

/// Returns true if only the pool holds `rows`, only `rows` holds its views and arrays, and only they hold its memory.
fn is_unheld(rows: &Bound<'_, PyAny>) -> PyResult<bool> {
    let py = rows.py();
    // One reference is of the variable here, and one of the holder that is known.
    if references(rows) > 2 {
        return Ok(false);
    }
    let views = rows.getattr(intern!(py, "views"))?.cast_into::<PyList>()?;
    let memory = rows.getattr(intern!(py, "memory"))?;
    // Each view holds the memory.
    if references(&memory) > 2 + views.len() {
        return Ok(false);
    }
    // A view is in the list, and an attribute.
    if views.iter().any(|view| references(&view) > 3) {
        return Ok(false);
    }
    let unpacked = rows.getattr(intern!(py, "unpacked_arrays"))?.cast_into::<PyDict>()?;
    Ok(unpacked.iter().all(|(_, array)| references(&array) <= 2))
}

#[expect(deprecated, reason = "the other function needs unsafe code")]
fn references(object: &Bound<'_, PyAny>) -> usize {
    object.as_unbound().get_refcnt(object.py()).cast_unsigned()
}
