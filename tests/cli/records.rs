//! `ahu records`, over a data folder that a server uses, and over files.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use ahu_core::Seed;
use ahu_host::visible_text::is_hidden;
use ahu_host::{Record, find};
use ahu_service::store::{SqliteOptions, SqliteStore};
use ahu_service::{Limits, LiveMatch, MatchConfig, Matches};
use rusqlite::Connection;
use serde_json::{Value, json as value};
use tempfile::TempDir;

use crate::{json, printed, refused, run};

/// A data folder in use, with five matches. Bots have finished two matches of rappanui and a match of giants. A match was
/// cancelled before it began, and a match is in progress.
struct Folder {
    place: TempDir,
    matches: Matches,
    /// The ids of the finished matches.
    finished: Vec<String>,
    /// The id of the match in progress.
    running: String,
}

impl Folder {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let options = SqliteOptions { create: true, ..SqliteOptions::default() };
        let store = SqliteStore::open(folder.path(), &options).expect("a store");
        let matches = Matches::new(Limits::default(), Some(Box::new(store)));
        let host = |game: &str, seats, bots: &[Option<&str>], event: &str| -> Arc<LiveMatch> {
            let rules = find(game).expect("a game");
            let bots = bots.iter().map(|bot| bot.map(|bot| rules.bot(bot).expect("a bot"))).collect();
            let labels = [("event".to_owned(), event.to_owned())].into();
            let setup = rules.configure(seats, &[]).expect("the defaults are valid");
            let config = MatchConfig { bots, labels, seed: Some(Seed(7)), ..MatchConfig::new(setup) };
            matches.host(config).expect("there is room")
        };
        let greedy = Some("greedy");
        let finished = [
            host("rappanui", 2, &[greedy, greedy], "finals"),
            host("rappanui", 2, &[greedy, Some("random")], "heats"),
            host("giants", 3, &[greedy; 3], "heats"),
        ];
        let cancelled = host("rappanui", 2, &[None, greedy], "heats");
        cancelled.cancel("nobody came").expect("it has not ended");
        let running = host("rappanui", 2, &[None, greedy], "heats");
        running.join(None, "ann").expect("a seat is open");
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        for live in &finished {
            let ended = async {
                let mut changes = live.changes();
                while !live.has_ended() {
                    changes.changed().await.expect("the match has a sender");
                }
            };
            runtime
                .block_on(async { tokio::time::timeout(Duration::from_secs(60), ended).await })
                .expect("bots are quick");
        }
        assert!(matches.flush());
        let ids = finished.map(|live| live.id.to_string()).into();
        Self { place: folder, finished: ids, running: running.id.to_string(), matches }
    }

    fn path(&self) -> String {
        text(self.place.path())
    }
}

fn text(path: &Path) -> String {
    path.display().to_string()
}

/// Returns the lines of JSON that a command prints.
fn lines(arguments: &[&str]) -> Vec<Value> {
    printed(arguments).lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect()
}

/// Returns the ids of the matches that a filter leaves.
fn ids(folder: &Folder, filter: &[&str]) -> Vec<String> {
    let path = folder.path();
    let listed = lines(&[&["records", "list", "--json", &path], filter].concat());
    listed.iter().map(|line| line["match_id"].as_str().expect("an id").to_owned()).collect()
}

#[test]
fn the_records_of_a_folder_in_use_are_listed_by_game_player_label_and_time() {
    let folder = Folder::new();
    let [one, two, three] = &folder.finished[..] else { panic!("three are finished") };

    for (filter, expected) in [
        (&[][..], &[one, two, three][..]),
        (&["--game", "giants"], &[three]),
        (&["--player", "random@1"], &[two]),
        (&["--player", "random@1", "--player", "ann"], &[]),
        (&["--label", "event=heats"], &[two, three]),
        (&["--label", "event", "--game", "rappanui"], &[one, two]),
        (&["--label", "event=finals", "--label", "event=heats"], &[]),
        (&["--since", "1d"], &[one, two, three]),
        (&["--until", "1d"], &[]),
        (&["--since", "2000-01-01", "--until", "2000-01-02T00:00:00Z"], &[]),
    ] {
        assert_eq!(ids(&folder, filter).iter().collect::<Vec<_>>(), expected, "{filter:?}");
    }

    let output = run(&["records", "list", &folder.path()]);
    let (shown, told) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let rows: Vec<_> = shown.lines().collect();
    assert!(rows.len() == 3 && rows[2].starts_with(three) && rows[2].contains("giants"), "{shown}");
    assert!(rows[1].contains("1 greedy@") && rows[1].contains("2 random@1"), "{shown}");
    // The match in progress and the match that never began have no record.
    assert!(told.starts_with("3 records listed, 2 matches without a record; "), "{told}");
    assert!(!shown.contains(&folder.running), "{shown}");
}

#[test]
fn records_are_exported_as_lines_of_json_and_as_files() {
    let folder = Folder::new();
    let out = tempfile::tempdir().expect("a folder");
    let (lines_file, files) = (text(&out.path().join("all.jsonl")), text(&out.path().join("files")));

    let printed_lines = lines(&["records", "export", &folder.path(), "--game", "rappanui", "--plies"]);
    let first = &printed_lines[0];
    assert_eq!((printed_lines.len(), &first["labels"]), (2, &value!({"event": "finals"})));
    let record = Record::read(first["record"].as_str().expect("a text").as_bytes()).expect("a record");
    assert_eq!(first["plies"], record.plies());
    let told = first["plies_told"].as_array().expect("a list");
    assert!(told.len() >= record.plies() && told.iter().all(|ply| ply["events"].is_array()));

    let output = run(&["records", "export", &folder.path(), "--out", &lines_file, "--files", &files]);
    assert!(output.status.success() && output.stdout.is_empty());
    assert_eq!(fs::read_to_string(&lines_file).expect("a file").lines().count(), 3);
    for id in &folder.finished {
        let bytes = fs::read(out.path().join("files").join(format!("{id}.txt"))).expect("a file");
        Record::read(&bytes).expect("a record");
    }
    // A file is replaced only if that is asked for.
    let again = ["records", "export", &folder.path(), "--out", &lines_file];
    let (code, error) = refused(&again);
    assert!(code == 2 && error.contains("all.jsonl exists: use --force to replace it"), "{error}");
    printed(&[&again[..], &["--force"]].concat());

    // The files are records like any other records. The other text in the folder is not a record.
    fs::write(out.path().join("files/notes.txt"), "buy bread\n").expect("it can be written");
    let verified = json(&["records", "verify", "--json", &files, &folder.path()]);
    assert_eq!((&verified["valid"], &verified["records"]), (&value!(true), &value!(6)));
    assert_eq!((&verified["left_out"], &verified["without_record"]), (&value!(1), &value!(2)));
}

#[test]
fn every_faulty_record_is_named_and_the_others_are_verified() {
    let folder = Folder::new();
    let out = tempfile::tempdir().expect("a folder");
    let files = text(out.path());
    run(&["records", "export", &folder.path(), "--files", &files]);
    let [one, two, three] = &folder.finished[..] else { panic!("three are finished") };
    // The result of one file and the bytes of one match in the store are changed.
    let path = out.path().join(format!("{one}.txt"));
    let record = fs::read_to_string(&path).expect("a file");
    fs::write(&path, &record[..record.len() / 2]).expect("it can be written");
    drop(folder.matches);
    let store = Connection::open(folder.place.path().join("ahu.db")).expect("a store");
    let changed = store.execute(
        "UPDATE entry SET body = zeroblob(length(body)) WHERE match = (SELECT number FROM match WHERE id = ?)",
        [three],
    );
    assert!(changed.expect("the match has entries") > 0);

    let data = text(folder.place.path());
    let (code, error) = refused(&["records", "verify", &data, &files]);
    assert_eq!(code, 3);
    assert!(error.contains(&format!("{data}: match {three} is damaged in ")), "{error}");
    assert!(error.contains(&format!("{one}.txt: ")), "{error}");
    assert!(error.contains("4 records valid, 2 matches without a record, 2 faulty; "), "{error}");
    assert!(error.ends_with("error: 2 records are faulty\n"), "{error}");
    assert!(!error.contains(two), "{error}");

    let (code, error) = refused(&["records", "list", &text(&out.path().join("nowhere.txt"))]);
    assert!(code == 1 && error.contains("cannot read") && error.contains("nowhere.txt: "), "{error}");
    let empty = tempfile::tempdir().expect("a folder");
    let (code, error) = refused(&["records", "list", &text(empty.path())]);
    assert!(code == 1 && error.contains("expected a data folder, or a folder with records (*.txt, *.bin)"), "{error}");
    let (code, error) = refused(&["records", "list", &data, "--since", "yesterday"]);
    assert!(code == 2 && error.contains("expected a time such as 2026-11-22"), "{error}");
}

#[test]
fn no_text_of_others_controls_the_terminal() {
    let folder = Folder::new();
    let sent = tempfile::tempdir().expect("a folder");
    let files = text(&sent.path().join("files"));
    run(&["records", "export", &folder.path(), "--files", &files]);
    let record = sent.path().join("files").join(format!("{}.txt", folder.finished[0]));
    fs::rename(&record, sent.path().join("files/a\u{1b}[2J\u{9b}1A\u{202e}.txt")).expect("it is there");
    fs::write(sent.path().join("files/b\u{1b}]0;x\u{7}.txt"), "AHUREC").expect("it is new");
    fs::copy(
        sent.path().join("files").join(format!("{}.txt", folder.finished[1])),
        sent.path().join("files/c\u{7}.bin"),
    )
    .expect("it is there");
    for arguments in [&["records", "list", &files][..], &["records", "list", "--json", &files]] {
        let output = run(arguments);
        let told = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).expect("text"));
        assert!(told[0].contains("a\\u001b[2J\\u009b1A\\u202e.txt"), "{}", told[0]);
        assert!(!told.concat().contains(|letter: char| is_hidden(letter) && letter != '\n'), "{told:?}");
    }
    let cut = Record::read(&fs::read(sent.path().join("files/c\u{7}.bin")).expect("a file")).expect("a record");
    fs::write(sent.path().join("files/c\u{7}.bin"), &cut.to_bytes()[..100]).expect("a file");
    let (code, error) = refused(&["records", "verify", &files]);
    assert!(code == 3 && error.contains("c\\u{7}.bin: "), "{error}");
    assert!(!error.contains(|letter: char| is_hidden(letter) && letter != '\n'), "{error:?}");
}
