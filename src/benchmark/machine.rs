//! The machine and the program as a report describes them, and hashes of files.

use std::collections::BTreeMap;
use std::env;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::Path;

use ahu_contest::suite::{MachineClaim, ServerClaim, Suite};
use ahu_core::hex;
use ahu_host::layout_hash;
use sha2::{Digest as _, Sha256};

use crate::CliError;
use crate::arguments::cores;

/// Describes this program, and the games of a suite in it.
pub(super) fn server(suite: &Suite) -> Result<ServerClaim, CliError> {
    let program = env::current_exe().and_then(|path| sha256_of(&path));
    let build = program.map_err(|error| CliError::Failed(format!("cannot read the program: {error}")))?;
    let (rules, layouts) = rules(suite);
    Ok(ServerClaim { version: env!("CARGO_PKG_VERSION").to_owned(), build, rules, layouts })
}

/// Returns the rules version and the layout hash of each game of a suite, by game.
pub(super) fn rules(suite: &Suite) -> (BTreeMap<String, u32>, BTreeMap<String, String>) {
    let rules = suite.cells.iter().map(|cell| cell.setup.rules());
    let versions = rules.clone().map(|rules| (rules.info().id.to_owned(), rules.info().rules));
    let layouts = rules.map(|rules| (rules.info().id.to_owned(), hex(&layout_hash(rules))));
    (versions.collect(), layouts.collect())
}

/// Describes this machine. Processor and memory are known only on Linux.
pub(super) fn machine() -> MachineClaim {
    let value = |file: &str, key: &str| {
        let text = fs::read_to_string(file).ok()?;
        let line = text.lines().find(|line| line.starts_with(key))?;
        Some(line.split_once(':')?.1.trim().to_owned())
    };
    let kilobytes = value("/proc/meminfo", "MemTotal").and_then(|text| text.split(' ').next()?.parse::<u64>().ok());
    MachineClaim {
        system: format!("{} {}", env::consts::OS, env::consts::ARCH),
        processor: value("/proc/cpuinfo", "model name"),
        cores: cores(),
        memory: kilobytes.map(|kilobytes| kilobytes * 1024),
    }
}

/// Returns the SHA-256 of a file in hexadecimal digits.
pub(super) fn sha256_of(path: &Path) -> io::Result<String> {
    let (mut file, mut hasher) = (File::open(path)?, Sha256::new());
    let mut part = vec![0; 1 << 16];
    loop {
        match file.read(&mut part)? {
            0 => return Ok(hex(&hasher.finalize())),
            count => hasher.update(&part[..count]),
        }
    }
}

/// Returns the SHA-256 of each file, by the name that was given.
pub(super) fn hashes(names: impl Iterator<Item = String>) -> Result<BTreeMap<String, String>, CliError> {
    let hash = |name: String| match sha256_of(Path::new(&name)) {
        Ok(hash) => Ok((name, hash)),
        Err(error) => Err(CliError::Failed(format!("cannot read {name}: {error}"))),
    };
    names.map(hash).collect()
}
