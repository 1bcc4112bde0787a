//! The log of a run, `games.jsonl`: a line of JSON for each game that starts, and for each record that is kept.
//!
//! The lines are linked, as those of the journal of a cup (`cup/linked_lines.rs`). A game that is played again starts again:
//! the log counts the games of an interruption, void games, and games whose record was deleted.
//!
//! A log does not show that it is the only one. Its owner can write it anew, or play in another folder and show the better run.

use std::collections::{BTreeMap, BTreeSet};

use ahu_core::hex;
use ahu_host::ensure;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::cup::{linked, unlinked, whole_lines};

/// The state of a log after its last line.
#[derive(Clone, Debug, Default)]
pub struct GamesLog {
    /// The last link; empty before the first line.
    link: String,
    /// The time of the last line; empty before the first line.
    ended: String,
    started: u64,
    /// The paths of the records whose games were started, and not kept since.
    open: BTreeSet<String>,
    /// The SHA-256 of the record that was last kept for each path.
    kept: BTreeMap<String, String>,
}

/// A line without its link.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    /// The time, by RFC 3339. Nothing proves it.
    at: String,
    event: GameEvent,
    /// The path of the record in the folder of the report.
    record: String,
    /// SHA-256 of the file of the record, of a record that is kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sha256: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum GameEvent {
    Start,
    Keep,
}

impl GamesLog {
    /// Reads the file of a log. A last line without an end was cut off while it was written, and is no line. Returns the log
    /// with the length of its whole lines in bytes.
    ///
    /// # Errors
    /// If a line does not follow from the line before. The message has the number of the line.
    pub fn read(bytes: &[u8]) -> Result<(Self, usize), String> {
        let whole = whole_lines(bytes).map_err(|(line, fault)| format!("line {line}: {fault}"))?;
        let mut log = Self::default();
        for (number, line) in (1..).zip(whole.lines()) {
            let entered = unlinked(&log.link, line).and_then(|(body, _)| log.enter_body(&body));
            entered.map_err(|message| format!("line {number}: {message}"))?;
        }
        Ok((log, whole.len()))
    }

    /// Returns the line for a game that starts now, and enters it. `record` is the path of its record.
    pub fn start(&mut self, record: &str, now: String) -> String {
        self.append(&Line { at: now, event: GameEvent::Start, record: record.to_owned(), sha256: None })
    }

    /// Returns the line for a record that is kept, and enters it. `bytes` is the content of its file.
    ///
    /// # Panics
    /// If the game has not started.
    pub fn keep(&mut self, record: &str, bytes: &[u8], now: String) -> String {
        let sha256 = Some(hex(&Sha256::digest(bytes)));
        self.append(&Line { at: now, event: GameEvent::Keep, record: record.to_owned(), sha256 })
    }

    /// Enters the lines of the log of a shard. Returns them with the links of this log.
    ///
    /// # Errors
    /// If [`GamesLog::read`] refuses the log of the shard.
    pub fn enter_shard(&mut self, bytes: &[u8]) -> Result<String, String> {
        let (mut link, mut lines) = (String::new(), String::new());
        let whole = whole_lines(bytes).map_err(|(line, fault)| format!("line {line}: {fault}"))?;
        for (number, line) in (1..).zip(whole.lines()) {
            let entered = unlinked(&link, line).and_then(|(body, own)| {
                link = own;
                self.enter_body(&body)
            });
            lines += &entered.map_err(|message| format!("line {number}: {message}"))?;
        }
        Ok(lines)
    }

    /// Returns the time of the last line, by RFC 3339; empty before the first line.
    pub fn ended(&self) -> &str {
        &self.ended
    }

    /// Checks that the record that was last kept for a path has these bytes.
    ///
    /// # Errors
    /// If no record was kept, or another.
    pub fn check(&self, record: &str, bytes: &[u8]) -> Result<(), String> {
        let expected = self.kept.get(record);
        let expected = expected.ok_or("expected a line of games.jsonl that keeps the record, got none")?;
        let found = hex(&Sha256::digest(bytes));
        ensure(found == *expected, || {
            format!("expected the record that games.jsonl keeps, with the SHA-256 {expected}, got one with {found}")
        })
    }

    /// Returns the number of games that were started. A game that is played again starts again.
    pub fn started(&self) -> u64 {
        self.started
    }

    /// Returns the link of the last line; empty before the first line.
    pub fn link(&self) -> &str {
        &self.link
    }

    fn append(&mut self, line: &Line) -> String {
        let body = serde_json::to_string(line).expect("a line has plain values");
        self.enter_body(&body).expect("a game starts before its record is kept")
    }

    /// Enters a line without its link. Returns it with the link.
    fn enter_body(&mut self, body: &str) -> Result<String, String> {
        self.enter(serde_json::from_str(body).map_err(|error| error.to_string())?)?;
        let (text, own) = linked(&self.link, body);
        self.link = own;
        Ok(text)
    }

    fn enter(&mut self, Line { at, event, record, sha256 }: Line) -> Result<(), String> {
        match (event, sha256) {
            (GameEvent::Start, None) => {
                self.started += 1;
                self.open.insert(record);
            }
            (GameEvent::Keep, Some(sha256)) => {
                ensure(self.open.remove(&record), || {
                    format!("expected a start of {record} before it is kept, got none")
                })?;
                self.kept.insert(record, sha256);
            }
            (GameEvent::Start, Some(_)) => return Err("expected no SHA-256 at the start of a game, got one".to_owned()),
            (GameEvent::Keep, None) => return Err(format!("expected the SHA-256 of {record}, got none")),
        }
        self.ended = at;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: &str = "2026-01-01T00:00:00Z";

    /// Returns the lines of a log: two games, of which the first is interrupted and starts again.
    fn lines() -> Vec<String> {
        let mut log = GamesLog::default();
        vec![
            log.start("a.rec", NOW.to_owned()),
            log.start("b.rec", NOW.to_owned()),
            log.keep("b.rec", b"record b", NOW.to_owned()),
            log.start("a.rec", NOW.to_owned()),
            log.keep("a.rec", b"record a", NOW.to_owned()),
        ]
    }

    #[test]
    fn a_log_is_read_as_it_was_written_and_a_last_line_without_an_end_is_none() {
        let text = lines().concat();
        let (log, whole) = GamesLog::read(text.as_bytes()).expect("a log");
        assert_eq!((whole, log.started, log.open.len()), (text.len(), 3, 0));
        assert_eq!(log.check("a.rec", b"record a"), Ok(()));
        let error = log.check("a.rec", b"record b").expect_err("another record");
        assert!(error.starts_with("expected the record that games.jsonl keeps, with the SHA-256 "), "{error}");
        let start = text.len() - lines()[4].len();
        for cut in start..text.len() {
            let (mut log, whole) = GamesLog::read(&text.as_bytes()[..cut]).expect("a log");
            assert_eq!((whole, log.open.len()), (start, 1), "{cut}");
            let error = log.check("a.rec", b"record a").expect_err("it is not kept yet");
            assert_eq!(error, "expected a line of games.jsonl that keeps the record, got none");
            assert_eq!(log.keep("a.rec", b"record a", NOW.to_owned()), lines()[4], "it goes on");
        }
    }

    #[test]
    fn the_logs_of_shards_make_one_log() {
        let shard = |name: &str, now: &str| {
            let mut log = GamesLog::default();
            log.start(name, now.to_owned()) + &log.start(name, now.to_owned()) + &log.keep(name, b"x", now.to_owned())
        };
        let (one, other) = (shard("a.rec", NOW), shard("b.rec", "2026-01-02T00:00:00Z"));
        let mut log = GamesLog::default();
        let text = log.enter_shard(one.as_bytes()).expect("a log") + &log.enter_shard(other.as_bytes()).expect("a log");
        let (read, _) = GamesLog::read(text.as_bytes()).expect("its lines are linked");
        assert_eq!((read.started, read.kept.len(), read.ended()), (4, 2, "2026-01-02T00:00:00Z"));
        assert_eq!((&read.link, text.lines().count()), (&log.link, 6));
        assert_eq!(text.lines().take(3).collect::<Vec<_>>(), one.lines().collect::<Vec<_>>());
        let altered = one.replacen("a.rec", "b.rec", 1);
        let error = GamesLog::default().enter_shard(altered.as_bytes()).expect_err("it was changed");
        assert!(error.starts_with("line 1: expected the link "), "{error}");
    }

    #[test]
    fn a_line_that_is_changed_or_left_out_or_moved_breaks_the_log() {
        let lines = lines();
        let refuses = |lines: &[String], expected: &str| {
            let error = GamesLog::read(lines.concat().as_bytes()).expect_err(expected);
            assert!(error.contains(expected), "expected \"{expected}\", got {error}");
        };
        for left_out in 0..4 {
            let mut altered = lines.clone();
            altered.remove(left_out);
            refuses(&altered, &format!("line {}: expected the link ", left_out + 1));
            let mut altered = lines.clone();
            altered.swap(left_out, left_out + 1);
            refuses(&altered, &format!("line {}: expected the link ", left_out + 1));
        }
        for number in 0..5 {
            let mut altered = lines.clone();
            altered[number] = altered[number].replacen("2026", "2025", 1);
            refuses(&altered, &format!("line {}: expected the link ", number + 1));
        }
        refuses(&["{}\n".to_owned()], "line 1: expected a link at the end of the line");
    }

    #[test]
    fn a_record_is_kept_once_for_each_start() {
        let line = |log: &GamesLog, body: &str| linked(&log.link, body).0;
        let mut log = GamesLog::default();
        let mut text = log.start("a.rec", NOW.to_owned());
        text += &log.keep("a.rec", b"record a", NOW.to_owned());
        for (body, expected) in [
            (
                r#"{"at":"x","event":"keep","record":"a.rec","sha256":"12"}"#,
                "expected a start of a.rec before it is kept",
            ),
            (r#"{"at":"x","event":"keep","record":"a.rec"}"#, "expected the SHA-256 of a.rec, got none"),
            (
                r#"{"at":"x","event":"start","record":"a.rec","sha256":"12"}"#,
                "expected no SHA-256 at the start of a game",
            ),
            (r#"{"at":"x","event":"start","record":"a.rec","moai":1}"#, "unknown field `moai`"),
        ] {
            let error = GamesLog::read((text.clone() + &line(&log, body)).as_bytes()).expect_err(expected);
            assert!(error.starts_with("line 3: ") && error.contains(expected), "expected \"{expected}\", got {error}");
        }
    }
}
