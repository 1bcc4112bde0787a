//! Replays the bytes that the fuzzer found, and a few random changes of them.
//!
//! With a folder in the environment variable `AHU_UNPACK`, the tests only write all inputs there, as files for the fuzzer. With
//! a folder in `AHU_PACK`, they only replace the inputs in `fuzz/corpus` by the files there.

use std::collections::BTreeMap;
use std::panic::{self, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::{env, fs};

use rand::rngs::ChaCha8Rng;
use rand::{Rng as _, RngExt as _, SeedableRng as _};

use crate::corpus;

/// The number of changed inputs for each target.
const CHANGES: usize = 1000;

/// The longest input that is changed. The runs of the fuzzer have no such bound.
const LONGEST: usize = 8 * 1024;

/// Runs a target. A panic names the input.
fn try_input(target: fn(&[u8]) -> bool, name: &str, input: &[u8]) -> bool {
    let tried = panic::catch_unwind(AssertUnwindSafe(|| target(input)));
    tried.unwrap_or_else(|_| panic!("{name} fails for b\"{}\"", input.escape_ascii()))
}

/// Changes an input at random: a few bytes, a part, or the end; or joins it with another one.
fn change(inputs: &[Vec<u8>], rng: &mut ChaCha8Rng) -> Vec<u8> {
    let mut bytes = inputs[rng.random_range(0..inputs.len())].clone();
    bytes.truncate(LONGEST);
    for _ in 0..rng.random_range(1..4) {
        let place = |rng: &mut ChaCha8Rng, bytes: &[u8]| rng.random_range(0..=bytes.len());
        let (one, other) = (place(rng, &bytes), place(rng, &bytes));
        let (start, end) = (one.min(other), one.max(other));
        match rng.random_range(0..7) {
            0 if start < bytes.len() => bytes[start] ^= 1 << rng.random_range(0..8),
            1 if start < bytes.len() => bytes[start] = rng.next_u32() as u8,
            2 => bytes.insert(start, rng.next_u32() as u8),
            3 => drop(bytes.drain(start..end.min(start + 16))),
            4 => {
                let part = bytes[start..end.min(start + 64)].to_vec();
                drop(bytes.splice(start..start, part));
            }
            5 if start + 4 <= bytes.len() => {
                let number = [0, 1, 0x7F, 0x80, 0xFF, 0xFFFF, 0x7FFF_FFFF, u32::MAX][rng.random_range(0..8)];
                bytes[start..start + 4].copy_from_slice(&number.to_le_bytes());
            }
            _ => {
                let other = &inputs[rng.random_range(0..inputs.len())];
                let from = place(rng, other);
                bytes.truncate(start);
                bytes.extend(other[from..].iter().take(LONGEST));
            }
        }
    }
    bytes
}

/// Replays the seeds of a target, its inputs in `fuzz/corpus`, and changes of them.
pub fn replay(target: fn(&[u8]) -> bool, name: &str, seeds: Vec<Vec<u8>>) {
    let folder = |variable: &str| env::var_os(variable).map(|folder| Path::new(&folder).join(name));
    if let Some(folder) = folder("AHU_PACK") {
        // The fuzzer may have run other targets alone.
        if folder.is_dir() {
            corpus::pack(name, &folder);
        }
        return;
    }
    let found = corpus::read(name);
    if let Some(folder) = folder("AHU_UNPACK") {
        return corpus::unpack(&folder, &[seeds, found].concat());
    }
    assert!(!found.is_empty(), "{name} has no inputs");
    for (number, seed) in seeds.iter().enumerate() {
        assert!(try_input(target, name, seed), "seed {number} of {name} is not accepted");
    }
    for input in &found {
        try_input(target, name, input);
    }
    let inputs = [seeds, found].concat();
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for _ in 0..CHANGES {
        try_input(target, name, &change(&inputs, &mut rng));
    }
}

/// Checks that the fuzzer has these targets of a package and no others of it, and that each target of the fuzzer has inputs.
pub fn check_names(package: &str, targets: &[&str]) {
    let read = |path: PathBuf| {
        let name = path.file_stem().expect("a file has a name").to_string_lossy().into_owned();
        (name, fs::read_to_string(path).expect("the file can be read"))
    };
    let texts = |folder: &str| -> BTreeMap<_, _> {
        let entries = fs::read_dir(crate::in_repository(folder)).expect("the folder can be read");
        entries.map(|entry| read(entry.expect("the entry can be read").path())).collect()
    };
    let programs = texts("fuzz/src/bin");
    assert_eq!(texts("fuzz/corpus").into_keys().collect::<Vec<_>>(), programs.keys().cloned().collect::<Vec<_>>());
    let mut of_package = Vec::new();
    for (name, program) in &programs {
        assert!(program.contains(&format!("::{name}::run(")), "{name} is not run by its program: {program}");
        of_package.extend(program.contains(&format!("{package}::")).then_some(name));
    }
    assert_eq!(of_package, targets);
}

/// Makes a test for each target of a package, in the order of their names, and one that checks the names.
#[macro_export]
macro_rules! replays {
    ($($target:ident)*) => {
        #[cfg(test)]
        mod replays {
            $(
                #[test]
                fn $target() {
                    $crate::replay(super::$target::run, stringify!($target), super::$target::seeds());
                }
            )*
        }

        #[cfg(test)]
        #[test]
        fn each_target_is_replayed_and_each_is_fuzzed() {
            $crate::check_names(env!("CARGO_CRATE_NAME"), &[$(stringify!($target)),*]);
        }
    };
}
