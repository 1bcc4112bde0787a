//! Records as bytes: read, written in both forms, folded, verified, and shown. The digest at the end is not part of the input.

use ahu_core::{Seat, Viewer};
use ahu_host::{Entry, MatchTime, Record, Referee, Replay, Scene, read_intact, verify, verify_bots};
use sha2::{Digest as _, Sha256};

/// Takes a record without its digest.
pub fn run(bytes: &[u8]) -> bool {
    let sealed = [bytes, &Sha256::digest(bytes)].concat();
    // A part of a record can be read without its digest.
    let intact = read_intact(bytes);
    if let Ok(intact) = &intact {
        check_forms(intact);
    }
    let Ok(record) = Record::read(&sealed) else { return false };
    assert_eq!(record.to_bytes(), sealed, "a record has one form as bytes");
    check_forms(&record);
    play(&record)
}

/// Checks that a record is the same after it was written and read, in both forms.
pub(super) fn check_forms(record: &Record) {
    for (form, written) in [("bytes", record.to_bytes()), ("text", record.to_text().into_bytes())] {
        let read = Record::read(&written).unwrap_or_else(|error| panic!("{form}: {error}\n{}", record.to_text()));
        assert_eq!(read.to_bytes(), record.to_bytes(), "{form}");
        assert_eq!(read.to_text(), record.to_text(), "{form}");
    }
}

/// Does with a record what the program and the page do. Returns true if the record can be verified.
pub(super) fn play(record: &Record) -> bool {
    let verified = verify(record);
    // Searches take too long.
    let with_bots = verify_bots(record, || false);
    assert!(verified.is_err() || with_bots.is_ok() || record.players.iter().any(|player| player.bot.is_some()));
    let mut replay = Replay::new(record);
    while let Some(Ok(step)) = replay.step() {
        for event in step.events {
            let _ = event.event.text_for(Viewer::Public);
        }
    }
    let seats = record.setup.seats();
    for viewer in seats.iter().map(Viewer::Seat).chain([Viewer::Public]) {
        let view = replay.referee().view(viewer);
        let _ = (view.text(), view.headline(), view.question(), view.svg(None, Scene::default()), view.message());
    }
    let legal = |seat: Seat| replay.referee().legal_actions(seat).iter().count();
    let _ = seats.iter().map(legal).sum::<usize>();
    let parts = || (record.setup.clone(), record.seed, record.players.clone(), record.terms.clone());
    let (setup, seed, players, terms) = parts();
    let folded = Referee::fold(setup, seed, players, terms, &record.entries);
    let steps =
        record.entries.iter().enumerate().map(|(time, entry)| (MatchTime(time as u64), std::slice::from_ref(entry)));
    let (setup, seed, players, terms) = parts();
    let resumed = Referee::resume(setup, seed, players, terms, steps);
    assert_eq!(folded.is_ok(), resumed.is_ok(), "{folded:?}, {resumed:?}");
    if verified.is_ok() {
        let folded = folded.unwrap_or_else(|error| panic!("a verified record can be folded: {error:?}"));
        let entries: &[Entry] = folded.entries();
        assert!(entries.starts_with(&record.entries), "a fold keeps the entries");
    }
    verified.is_ok()
}

/// Returns the playthroughs, without their digests, whole and unfinished.
#[cfg(test)]
pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let bytes = |record: Record| {
        let mut bytes = record.to_bytes();
        bytes.truncate(bytes.len() - 32);
        bytes
    };
    crate::playthroughs().into_iter().flat_map(|record| [crate::short(&record, 40), record]).map(bytes).collect()
}
