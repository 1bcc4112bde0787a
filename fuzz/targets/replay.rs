//! Replays the bytes that the fuzzer found, and a few random changes of them.
//!
//! With a folder in the environment variable `AHU_SEEDS`, the tests only write the seeds there, for the fuzzer.

use std::fs;
use std::panic::{self, AssertUnwindSafe};
use std::path::Path;
use std::sync::{Mutex, Once, PoisonError};

use rand::rngs::ChaCha8Rng;
use rand::{Rng as _, RngExt as _, SeedableRng as _};

use super::server::THREAD;

/// The number of changed inputs for each target.
const CHANGES: usize = 1000;

/// The longest input that is changed. The runs of the fuzzer have no such bound.
const LONGEST: usize = 8 * 1024;

/// The panics of the threads of the server.
static PANICS: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// The threads on which a server answers, by their names.
const SERVER_THREADS: [&str; 3] = [THREAD, "beside", "environments"];

/// The targets that send their inputs to a server.
const SERVED: [&str; 2] = ["connection_bytes", "page_requests"];

/// Notes the panics of a server, which catches them.
fn note_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let others = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            let thread = std::thread::current();
            if thread.name().is_some_and(|name| SERVER_THREADS.contains(&name)) {
                PANICS.lock().unwrap_or_else(PoisonError::into_inner).push(info.to_string());
            }
            others(info);
        }));
    });
}

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

/// Replays the seeds of a target, the inputs of its folder in `fuzz/corpus`, and changes of them.
fn replay(name: &str, target: fn(&[u8]) -> bool, seeds: Vec<Vec<u8>>) {
    note_panics();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus").join(name);
    if let Some(all) = std::env::var_os("AHU_SEEDS") {
        let own = Path::new(&all).join(name);
        fs::create_dir_all(&own).expect("the folder can be made");
        for (number, seed) in seeds.iter().enumerate() {
            fs::write(own.join(format!("seed-{number}")), seed).expect("the file can be written");
        }
        return;
    }
    for (number, seed) in seeds.iter().enumerate() {
        assert!(try_input(target, name, seed), "seed {number} of {name} is not accepted");
    }
    let mut files: Vec<_> = fs::read_dir(&folder)
        .unwrap_or_else(|error| panic!("{}: {error}", folder.display()))
        .map(|entry| entry.expect("the entry can be read").path())
        .collect();
    files.sort();
    assert!(!files.is_empty(), "{} has no inputs", folder.display());
    let found = files.iter().map(|file| fs::read(file).expect("the file can be read"));
    let inputs: Vec<_> = seeds.into_iter().chain(found).collect();
    for input in &inputs {
        try_input(target, name, input);
    }
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for _ in 0..CHANGES {
        try_input(target, name, &change(&inputs, &mut rng));
    }
    if !SERVED.contains(&name) {
        return;
    }
    let panics = PANICS.lock().unwrap_or_else(PoisonError::into_inner);
    assert!(panics.is_empty(), "the server panicked: {}", panics.join("\n"));
}

/// Makes a test for each target.
macro_rules! replays {
    ($($target:ident)*) => {
        $(
            #[test]
            fn $target() {
                replay(stringify!($target), super::$target::run, super::$target::seeds());
            }
        )*

        #[test]
        fn each_target_is_replayed_and_each_is_fuzzed() {
            let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz");
            let targets = [$(stringify!($target)),*];
            let names = |folder: &str| {
                let entries = fs::read_dir(fuzz.join(folder)).expect("the folder can be read");
                let name = |path: &Path| path.file_stem().expect("a name").to_string_lossy().into_owned();
                let mut names: Vec<_> = entries.map(|entry| name(&entry.expect("an entry").path())).collect();
                names.sort();
                names
            };
            assert_eq!(names("fuzz_targets"), targets);
            assert_eq!(names("corpus"), targets);
        }
    };
}

replays! {
    action_text
    connection_bytes
    cup_file
    forwarded_header
    line_protocol
    net_file
    open_step
    page_requests
    record_bytes
    record_text
    store_encoding
    suite_file
}
