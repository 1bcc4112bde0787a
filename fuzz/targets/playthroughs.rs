//! The playthroughs, from which targets that need a game take their seeds.

use std::fs;
use std::path::{Path, PathBuf};

use ahu_host::record::notation::TITLE;
use ahu_host::{Record, Replay};

/// Returns the records at the ends of the playthroughs.
pub fn playthroughs() -> Vec<Record> {
    let files = |folder: &Path| {
        let entries = fs::read_dir(folder).expect("the folder can be read");
        let mut paths: Vec<_> = entries.map(|entry| entry.expect("the entry can be read").path()).collect();
        paths.sort();
        paths
    };
    let paths = files(&crate::in_repository("tests/playthroughs")).into_iter().flat_map(|game| files(&game));
    let read = |path: PathBuf| {
        let text = fs::read_to_string(&path).expect("the file can be read");
        let record = text.rfind(TITLE).map(|start| Record::read(&text.as_bytes()[start..]));
        record.expect("a playthrough ends with its record").expect("it is whole")
    };
    paths.map(read).collect()
}

/// Returns a record with the first entries alone.
pub fn short(record: &Record, entries: usize) -> Record {
    let mut record = Record { ending: None, result: None, ..record.clone() };
    record.entries.truncate(entries);
    let mut replay = Replay::new(&record);
    while let Some(step) = replay.step() {
        step.expect("a playthrough can be replayed");
    }
    let fingerprint = replay.referee().fingerprint();
    Record { fingerprint, ..record }
}
