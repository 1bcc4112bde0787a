//! The legal actions of environments, as the last batches had them.

use ahu_host::BotRng;
use numpy::{PyArray1, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods as _};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use rand::Rng as _;

use crate::rows::{nth_of, words};

/// The legal actions of environments, wherever these run, and the generators of random actions that replace illegal ones.
///
/// A call names environments as `Environments` does.
#[pyclass(module = "ahu._native")]
pub(crate) struct LegalActions {
    /// The words of a mask.
    width: usize,
    masks: Vec<u64>,
    /// True for each environment in which an episode has begun.
    begun: Vec<bool>,
    /// One for each environment.
    generators: Vec<BotRng>,
}

type Numbers<'py> = Option<PyReadonlyArray1<'py, u32>>;

#[pymethods]
impl LegalActions {
    /// Creates the legal actions of `count` environments, none so far. Environment i has the seed `seed` plus i.
    #[new]
    fn new(count: usize, action_count: usize, seed: u64) -> Self {
        let width = action_count.div_ceil(64);
        Self {
            width,
            masks: vec![0; count * width],
            begun: vec![false; count],
            generators: (0..count as u64).map(|number| BotRng::of_state(seed.wrapping_add(number))).collect(),
        }
    }

    /// Takes the masks of a batch, uint8 [n, 8 * words].
    fn update(&mut self, first: u32, env_ids: Numbers<'_>, masks: PyReadonlyArray2<'_, u8>) -> PyResult<()> {
        self.take(numbers(first, masks.shape()[0], env_ids.as_ref(), self.begun.len())?, masks.as_slice()?);
        Ok(())
    }

    /// Seeds the generators of environments anew, by seeds uint64 [n].
    fn seed(&mut self, first: u32, env_ids: Numbers<'_>, seeds: PyReadonlyArray1<'_, u64>) -> PyResult<()> {
        let seeds = seeds.as_slice()?;
        for (number, &seed) in numbers(first, seeds.len(), env_ids.as_ref(), self.begun.len())?.zip(seeds) {
            self.generators[number] = BotRng::of_state(seed);
        }
        Ok(())
    }

    /// Checks actions, int64 [n]. Returns the places of actions that are not legal, and the places of actions that answer no
    /// decision; None if all are legal. Any action may stand where an episode has ended, if `skips_ends`.
    fn check(
        &self,
        first: u32,
        env_ids: Numbers<'_>,
        actions: PyReadonlyArray1<'_, i64>,
        skips_ends: bool,
    ) -> PyResult<Option<(Vec<usize>, Vec<usize>)>> {
        let (mut illegal, mut no_decision) = (Vec::new(), Vec::new());
        let actions = actions.as_slice()?;
        let numbers = numbers(first, actions.len(), env_ids.as_ref(), self.begun.len())?;
        for (place, (number, &action)) in numbers.zip(actions).enumerate() {
            let mask = self.mask(number);
            let is_legal = usize::try_from(action)
                .ok()
                .and_then(|action| mask.get(action / 64).map(|word| word >> (action % 64) & 1 == 1));
            if is_legal == Some(true) {
                continue;
            }
            if mask.iter().any(|&word| word != 0) {
                illegal.push(place);
            } else if !(skips_ends && self.begun[number]) {
                no_decision.push(place);
            }
        }
        Ok((!illegal.is_empty() || !no_decision.is_empty()).then_some((illegal, no_decision)))
    }

    /// Returns a random legal action for each environment, int64 [n]. It depends on the seed of the environment and on the
    /// number of earlier ones, and on nothing else.
    fn random<'py>(
        &mut self,
        py: Python<'py>,
        env_ids: PyReadonlyArray1<'py, u32>,
    ) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let all = numbers(0, env_ids.as_slice()?.len(), Some(&env_ids), self.begun.len())?;
        let actions = all.map(|number| {
            let pick = (self.generators[number].next_u64() >> 11) as f64 / (1_u64 << 53) as f64;
            nth_of(self.mask(number).iter().copied(), pick)
        });
        Ok(PyArray1::from_vec(py, actions.collect()))
    }

    /// Returns the legal actions of an environment, rising.
    fn ids(&self, environment: usize) -> Vec<usize> {
        let mask = self.mask(environment);
        (0..64 * self.width).filter(|&id| mask[id / 64] >> (id % 64) & 1 == 1).collect()
    }

    /// Returns the masks of all environments, uint8 [count * 8 * words]; None if no episode has begun.
    fn masks<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<u8>>> {
        let bytes = || self.masks.iter().flat_map(|word| word.to_le_bytes()).collect();
        self.begun.contains(&true).then(|| PyArray1::from_vec(py, bytes()))
    }
}

impl LegalActions {
    /// Takes the masks of environments.
    pub(crate) fn take(&mut self, numbers: impl Iterator<Item = usize>, masks: &[u8]) {
        let width = self.width;
        for (number, row) in numbers.zip(masks.chunks_exact(8 * width)) {
            self.begun[number] = true;
            for (to, word) in self.masks[number * width..][..width].iter_mut().zip(words(row)) {
                *to = word;
            }
        }
    }

    fn mask(&self, number: usize) -> &[u64] {
        &self.masks[number * self.width..][..self.width]
    }
}

/// Returns the numbers of environments. There are `all` environments.
fn numbers<'a>(
    first: u32,
    count: usize,
    env_ids: Option<&'a PyReadonlyArray1<'_, u32>>,
    all: usize,
) -> PyResult<impl Iterator<Item = usize> + use<'a>> {
    let these = env_ids.map(|numbers| numbers.as_slice()).transpose()?;
    let last = match these {
        None => first as usize + count,
        Some(numbers) => numbers.iter().max().map_or(0, |&number| number as usize + 1),
    };
    if last > all || these.is_some_and(|these| these.len() != count) {
        return Err(PyValueError::new_err(format!("expected {count} of {all} environments")));
    }
    Ok((0..count).map(move |n| these.map_or(first as usize + n, |these| these[n] as usize)))
}
