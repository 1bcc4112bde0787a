//! Records as text: read, and written in both forms.

use ahu_host::{Ending, Entry, Record, SeatPlayer, read_intact};

use super::record_bytes::{check_forms, play};

/// Takes a record as text. Its digest hardly ever fits, so the intact part is read too. The last line is also tried where a
/// record has free text: as an outcome, a name, and a reason.
pub fn run(bytes: &[u8]) -> bool {
    let read = Record::read(bytes);
    let Ok(intact) = read_intact(bytes) else {
        assert!(read.is_err(), "a whole record has an intact part");
        return false;
    };
    check_forms(&intact);
    let text = String::from_utf8_lossy(bytes);
    let line = text.lines().last().unwrap_or_default();
    let mut others = vec![intact.clone(); 4];
    others[0].entries.push(Entry::Chance(line.to_owned()));
    others[1].players[0] = SeatPlayer::external(line);
    others[2].entries.push(Entry::Void(line.to_owned()));
    others[3].ending = Some(Ending::Cancelled(line.to_owned()));
    for other in others {
        check_agreement(&other);
    }
    match read {
        Ok(record) => {
            check_forms(&record);
            play(&record)
        }
        Err(_) => false,
    }
}

/// Checks that both forms of a record are read alike: as this record, or not at all.
fn check_agreement(record: &Record) {
    let read = [record.to_text().into_bytes(), record.to_bytes()].map(|form| Record::read(&form));
    let [text, bytes] = &read;
    assert_eq!(text.is_ok(), bytes.is_ok(), "text: {text:?}\nbytes: {bytes:?}");
    for read in read.iter().flatten() {
        assert_eq!(read.to_bytes(), record.to_bytes());
    }
}

/// Returns the playthroughs, whole and unfinished.
#[cfg(test)]
pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let records = crate::playthroughs();
    let short = records.iter().map(|record| crate::short(record, 30));
    short.chain(records.iter().take(2).cloned()).map(|record| record.to_text().into_bytes()).collect()
}
