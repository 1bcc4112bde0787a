//! The bytes of nets with random weights, written without the code of the engine that reads them.

use std::fmt::Write as _;

use ahu_core::{FieldKind, NUMBER_BLOCK, hex};
use ahu_host::AnyRules;
use rand::rngs::ChaCha8Rng;
use rand::{Rng as _, RngExt as _, SeedableRng as _};
use sha2::{Digest as _, Sha256};

/// The most digits of a binary number that these nets decode.
const DECODED: usize = 4;

/// Returns a net with these hidden layers and a head for the value, with its digest.
pub(crate) fn net_bytes(rules: &dyn AnyRules, hidden: &[usize], seed: u64) -> Vec<u8> {
    sealed(unsealed(rules, hidden, seed))
}

/// Returns a net with one hidden layer that is told the choice of a bot. Its trust has random weights, too.
#[allow(dead_code, reason = "not every user has nets with advisers")]
pub(crate) fn advised_bytes(rules: &dyn AnyRules, adviser: &str, hidden: usize, seed: u64) -> Vec<u8> {
    sealed(content(rules, Some(adviser), &[hidden], seed))
}

/// Returns the same bytes with their digest.
pub(crate) fn sealed(mut content: Vec<u8>) -> Vec<u8> {
    let digest = Sha256::digest(&content);
    content.extend(digest);
    content
}

/// Returns a net without its digest.
pub(crate) fn unsealed(rules: &dyn AnyRules, hidden: &[usize], seed: u64) -> Vec<u8> {
    content(rules, None, hidden, seed)
}

fn content(rules: &dyn AnyRules, adviser: Option<&str>, hidden: &[usize], seed: u64) -> Vec<u8> {
    let layout = rules.layout();
    let (mut fields, mut decoded, mut thresholds, mut inputs) = (String::new(), String::new(), String::new(), 0);
    for (block, offset, field) in layout.fields() {
        writeln!(fields, "field {}", field.line(block, offset)).expect("a string takes every text");
        if block == NUMBER_BLOCK {
            let middle = i32::midpoint(field.min.into(), field.max.into());
            if i32::from(field.min) < middle {
                writeln!(thresholds, "thresholds {} {} {middle}", field.name, field.min)
                    .expect("a string takes every text");
                inputs += 2 * field.size();
            }
        } else if field.kind == FieldKind::Binary && field.shape[field.axis] <= DECODED {
            writeln!(decoded, "decoded {}", field.name).expect("a string takes every text");
            inputs += (field.size() / field.shape[field.axis]) << field.shape[field.axis];
        } else {
            inputs += field.size();
        }
    }
    if adviser.is_some() {
        inputs += rules.action_count();
    }
    let info = rules.info();
    let adviser_line = adviser.map(|name| format!("adviser {name}\n")).unwrap_or_default();
    let sizes: Vec<String> = hidden.iter().map(usize::to_string).collect();
    let header = format!(
        "ahu net 1\ngame {}\nrules {}\nactions {}\nlayout {}\nprovenance random weights, seed {seed}\n{adviser_line}{fields}{decoded}\
         {thresholds}hidden {}\nvalue true\n\n",
        info.id,
        info.rules,
        rules.action_count(),
        hex(&layout.hash()),
        sizes.join(" ")
    );
    let mut bytes = header.into_bytes();
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let mut before = inputs;
    let last = *hidden.last().expect("a hidden layer");
    let heads =
        [(rules.action_count(), 1 << 20)].into_iter().chain(adviser.map(|_| (1, 1 << 20))).chain([(1, 1 << 12)]);
    let shapes = hidden.iter().map(|&units| (units, 1_u32 << 22)).chain(heads);
    for (number, (units, multiplier)) in shapes.enumerate() {
        let is_head = number >= hidden.len();
        let width = if is_head { last } else { before };
        bytes.extend((0..width * units).map(|_| rng.next_u32() as u8));
        bytes.extend((0..units).flat_map(|_| rng.random_range(-2000..2000_i32).to_le_bytes()));
        bytes.extend((0..units).flat_map(|_| rng.random_range(1..multiplier).to_le_bytes()));
        before = units;
    }
    bytes
}
