//! The tests that every store passes.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, SystemTime};

use ahu_core::{Seat, Seed};
use ahu_host::{DecidedBy, Entry, GAMES, MatchTime, Terms, find};
use ahu_service::Reservation;
use ahu_service::proto::v1::MatchState;
use ahu_service::store::{
    Change, Comment, Keep, Listed, MatchHead, NeededRules, Query, Store, StoreError, StoreReader, StoredMatch,
    StoredRequest, TakenSeat,
};
use tempfile::TempDir;

use crate::Open;
use crate::games::{Played, WAYS, Way, digest, play, request};

/// Makes a test of each function for the store with this name, which `open` opens, where the machine has what it needs.
macro_rules! holds_for {
    ($store:ident, $open:path, $is_here:expr) => {
        crate::contract::holds_for!($store, $open, $is_here,
            a_match_is_read_back_as_it_was_written
            every_kind_of_entry_is_kept_for_every_game
            a_head_keeps_all_its_fields
            comments_are_kept_in_their_order_and_once
            a_reader_sees_nothing_before_the_commit
            what_was_not_committed_is_gone_after_the_store
            another_number_of_entries_is_refused
            an_unknown_match_is_refused
            an_id_that_could_be_a_path_is_damage
            a_second_match_with_the_same_id_or_number_is_refused
            a_transaction_that_is_written_again_is_kept_once
            a_refused_change_leaves_the_others_of_its_transaction
            a_deleted_match_leaves_nothing_behind
            matches_are_listed_by_number_game_state_and_privacy
            a_request_leads_to_its_match
            only_matches_that_have_not_ended_need_their_rules
            matches_beyond_the_age_are_in_excess
            matches_beyond_the_size_are_in_excess
            pinned_matches_are_never_in_excess
            the_facts_outlive_the_store
            readers_on_other_threads_see_whole_commits
            a_store_that_is_open_cannot_be_opened_again
        );
    };
    ($store:ident, $open:path, $is_here:expr, $($test:ident)*) => {
        mod $store {
            $(#[test]
            fn $test() {
                if $is_here {
                    crate::contract::$test($open);
                }
            })*
        }
    };
}

pub(crate) use holds_for;

fn folder() -> TempDir {
    let memory = Path::new("/dev/shm");
    let folder = if memory.is_dir() { TempDir::new_in(memory) } else { TempDir::new() };
    folder.expect("a temporary folder can be created")
}

/// A store that a test has opened, and a reader of it.
struct Opened {
    store: Box<dyn Store>,
    reader: Box<dyn StoreReader>,
    time: u64,
}

impl Opened {
    fn new(open: Open, folder: &TempDir) -> Self {
        let store = open(folder.path()).expect("nobody else uses the store");
        let reader = (store.readers())().expect("the store can be read");
        Self { store, reader, time: 0 }
    }

    fn commit(&mut self) {
        self.time += 100;
        self.store.commit(MatchTime(self.time)).expect("the disk has room");
    }

    /// Writes the first calls of a match, each at a time of its own, in one transaction.
    fn write(&mut self, played: &Played, calls: usize) {
        self.store.create(&played.head).expect("the match is new");
        for (n, change) in played.changes[..calls].iter().enumerate() {
            self.store.append(change, MatchTime(n as u64 * 7)).expect("the calls are in order");
        }
    }

    /// Writes and commits matches to their ends.
    fn keep(&mut self, matches: &[&Played]) {
        for played in matches {
            self.write(played, played.changes.len());
        }
        self.commit();
    }

    fn read(&self, played: &Played) -> Option<StoredMatch> {
        self.reader.read(&played.head.id).expect("the store can be read")
    }

    fn list(&self, from: u64, query: &Query, max: usize) -> Vec<u64> {
        let listed = self.reader.list(from, query, max).expect("the store can be read");
        listed.into_iter().filter_map(|(_, listed)| Some(listed?.number)).collect()
    }

    fn all(&self) -> Vec<u64> {
        self.list(0, &Query { with_unlisted: true, ..Query::default() }, 1000)
    }
}

/// Checks that a match is in the store as its first calls left it.
fn assert_kept(opened: &Opened, played: &Played, calls: usize) {
    let stored = opened.read(played).expect("the match is in the store");
    let changes = &played.changes[..calls];
    assert_same_head(&stored.head, &played.head);
    let is_sealed = played.head.is_sealed && !changes.iter().any(|change| change.unseals);
    assert_eq!(stored.head.is_sealed, is_sealed, "after {calls} calls");
    assert_eq!(stored.seats, changes.iter().flat_map(|change| change.seats.clone()).collect::<Vec<_>>());
    let by_id = |mut requests: Vec<_>| {
        requests.sort_by_key(|request: &ahu_service::store::Request| request.id);
        requests
    };
    assert_eq!(by_id(stored.requests), by_id(changes.iter().filter_map(|change| change.request).collect()));
    let steps: Vec<_> = stored.steps.into_iter().map(|step| (step.at, step.entries)).collect();
    let written = changes.iter().enumerate().map(|(n, change)| (MatchTime(n as u64 * 7), change.entries.clone()));
    assert_eq!(steps, written.filter(|(_, entries)| !entries.is_empty()).collect::<Vec<_>>());
    assert_eq!(stored.comments, changes.iter().flat_map(|change| change.comments.clone()).collect::<Vec<_>>());
    assert_eq!(stored.state, changes.last().expect("there are calls").state);
}

fn assert_same_head(found: &MatchHead, written: &MatchHead) {
    assert_eq!((found.number, &found.id, found.created), (written.number, &written.id, written.created));
    assert_eq!(found.setup.rules().info().id, written.setup.rules().info().id);
    assert!(*found.setup == *written.setup, "expected {}, got {}", written.setup, found.setup);
    // The store may name the stand-in explicitly if the terms leave it to the game.
    let named = |head: &MatchHead| {
        let stand_in = Some(head.terms.stand_in_of(head.setup.rules()));
        Terms { stand_in, ..head.terms.clone() }
    };
    assert_eq!(named(found), named(written));
    assert_eq!(found.bots, written.bots);
    assert_eq!(found.reservations, written.reservations);
    assert_eq!((found.is_unlisted, found.is_pinned), (written.is_unlisted, written.is_pinned));
    assert_eq!(found.labels, written.labels);
    assert_eq!((found.seed, found.seed_given, found.salt), (written.seed, written.seed_given, written.salt));
    assert_eq!(found.specification, written.specification);
}

pub(crate) fn a_match_is_read_back_as_it_was_written(open: Open) {
    let folder = folder();
    let mut opened = Opened::new(open, &folder);
    let played = play("rappanui", 3, Way::Finished);
    assert!(played.changes.len() > 5, "{} calls", played.changes.len());

    opened.store.create(&played.head).expect("the match is new");
    for (n, change) in played.changes.iter().enumerate() {
        opened.store.append(change, MatchTime(n as u64 * 7)).expect("the calls are in order");
        opened.commit();
        assert_kept(&opened, &played, n + 1);
    }
    // A match that has left memory is written like any other.
    let more = play("rappanui", 4, Way::Finished);
    opened.write(&more, 2);
    opened.commit();
    opened.store.release(&more.head.id);
    opened.store.append(&more.changes[2], MatchTime(14)).expect("the match goes on");
    opened.commit();
    assert_kept(&opened, &more, 3);
    drop(opened);
    let opened = Opened::new(open, &folder);
    assert_kept(&opened, &played, played.changes.len());
    assert_kept(&opened, &more, 3);
}

pub(crate) fn every_kind_of_entry_is_kept_for_every_game(open: Open) {
    let folder = folder();
    let mut opened = Opened::new(open, &folder);
    for game in GAMES {
        let mut kinds = [false; 7];
        for way in WAYS {
            let number = opened.all().len() as u64 + 1;
            let played = play(game.info().id, number, way);
            opened.keep(&[&played]);
            assert_kept(&opened, &played, played.changes.len());
            for entry in played.changes.iter().flat_map(|change| &change.entries) {
                let kind = match entry {
                    Entry::Chance(_) => 0,
                    Entry::Action { by: DecidedBy::Player, time, .. } if time.measured > 0 => 1,
                    Entry::Action { by: DecidedBy::Player, .. } => continue,
                    Entry::Action { by: DecidedBy::StandIn, .. } => 2,
                    Entry::Strike { .. } => 3,
                    Entry::Forfeit { .. } => 4,
                    Entry::Cancelled(_) => 5,
                    Entry::Void(_) => 6,
                };
                kinds[kind] = true;
            }
        }
        assert_eq!(kinds, [true; 7], "{}", game.info().id);
    }
}

pub(crate) fn a_head_keeps_all_its_fields(open: Open) {
    let folder = folder();
    let mut opened = Opened::new(open, &folder);
    let mut played = play("giants", 8, Way::Finished);
    let head = &mut played.head;
    head.is_unlisted = true;
    head.is_pinned = true;
    head.seed = Seed(u64::MAX);
    head.seed_given = true;
    head.labels = [("event", "final"), ("møde", "ü \n\0")].map(|(key, value)| (key.into(), value.into())).into();
    head.reservations = vec![Some(Reservation::Name("ann".to_owned())), None, Some(Reservation::code("a secret"))];
    head.terms.stand_in = find("giants").expect("the game exists").bot("random").ok();
    head.terms.clocks.clear();
    head.bots = vec![None; 3];
    let seats =
        [(0, "ann", Some(digest("a request"))), (2, "bob \"ü\"", None)].map(|(seat, name, request)| TakenSeat {
            seat: Seat::new(seat).expect("the game has it"),
            name: name.to_owned(),
            token: digest(name),
            request,
            player: None,
            at: SystemTime::UNIX_EPOCH + Duration::from_millis(1_700_000_000_123),
        });
    played.changes.truncate(1);
    played.changes[0].seats = seats.to_vec();
    played.changes[0].request = None;

    opened.keep(&[&played]);

    assert_kept(&opened, &played, 1);
}

pub(crate) fn comments_are_kept_in_their_order_and_once(open: Open) {
    let folder = folder();
    let mut opened = Opened::new(open, &folder);
    let [mut first, second] = [1, 2].map(|number| play("rappanui", number, Way::Finished));
    let calls = first.changes.len();
    assert!(first.changes.iter().filter(|change| !change.comments.is_empty()).count() > 5, "the agent comments");
    // Several seats may comment in one change, in any order, with any text.
    let other = |seat, decision, text: &str| Comment {
        seat: Seat::new(seat).expect("the game has it"),
        decision,
        text: text.to_owned(),
    };
    let change = first.changes.iter_mut().find(|change| !change.comments.is_empty()).expect("there are comments");
    change.comments.extend([other(1, u32::MAX, &"\u{1F5FF}".repeat(512)), other(0, 1, "\0 twice"), other(0, 1, "")]);

    opened.keep(&[&second, &first]);
    // An answer of the disk may be lost, so each change may be written again.
    for (n, change) in first.changes[..calls - 1].iter().enumerate() {
        opened.store.append(change, MatchTime(n as u64 * 7)).expect("it is written already");
    }
    opened.commit();

    assert_kept(&opened, &first, calls);
    drop(opened);
    let mut opened = Opened::new(open, &folder);
    assert_kept(&opened, &first, calls);
    assert_kept(&opened, &second, second.changes.len());
    opened.store.delete(&first.head.id).expect("the match exists");
    opened.write(&first, 1);
    opened.commit();
    assert_eq!(
        opened.read(&first).expect("it is in the store").comments,
        [],
        "the comments are deleted with the match"
    );
}

pub(crate) fn a_reader_sees_nothing_before_the_commit(open: Open) {
    let folder = folder();
    let mut opened = Opened::new(open, &folder);
    let played = play("rappanui", 1, Way::Finished);
    let create = request("create m1");

    opened.write(&played, 2);
    assert!(opened.read(&played).is_none(), "the match is not committed");
    assert_eq!(opened.all(), [0; 0]);
    assert_eq!(opened.reader.request(&create.id), Ok(None));
    assert_eq!(opened.reader.needed_rules(), Ok(Vec::new()));
    opened.commit();
    assert_kept(&opened, &played, 2);
    assert!(opened.reader.request(&create.id).expect("the store can be read").is_some());

    for (n, change) in played.changes.iter().enumerate().skip(2) {
        opened.store.append(change, MatchTime(n as u64 * 7)).expect("the calls are in order");
    }
    assert_kept(&opened, &played, 2);
    opened.commit();
    assert_kept(&opened, &played, played.changes.len());

    opened.store.delete(&played.head.id).expect("the match exists");
    assert_kept(&opened, &played, played.changes.len());
    opened.commit();
    assert!(opened.read(&played).is_none(), "the match is removed");
}

pub(crate) fn what_was_not_committed_is_gone_after_the_store(open: Open) {
    let folder = folder();
    let mut opened = Opened::new(open, &folder);
    let [kept, lost] = [1, 2].map(|number| play("rappanui", number, Way::Finished));
    opened.write(&kept, 3);
    opened.commit();
    opened.store.append(&kept.changes[3], MatchTime(21)).expect("the calls are in order");
    opened.write(&lost, 2);
    drop(opened);

    let opened = Opened::new(open, &folder);

    assert_kept(&opened, &kept, 3);
    assert!(opened.read(&lost).is_none(), "it was not committed");
}

pub(crate) fn another_number_of_entries_is_refused(open: Open) {
    let folder = folder();
    let mut opened = Opened::new(open, &folder);
    let played = play("rappanui", 1, Way::Finished);
    opened.write(&played, 3);
    let found = played.changes[3].expected;
    let refuse = |opened: &mut Opened, expected: usize| {
        let change = Change { expected, ..played.changes[3].clone() };
        let error = opened.store.append(&change, MatchTime(0)).expect_err("the store has another number of entries");
        assert_eq!(error, StoreError::OtherLength { match_id: "0000000000000001".to_owned(), expected, found });
    };

    for expected in [0, found - 1, found + 1] {
        refuse(&mut opened, expected);
    }
    opened.commit();
    // The store finds the number of entries by itself when it has forgotten the match.
    opened.store.release(&played.head.id);
    for expected in [0, found - 1, found + 1] {
        refuse(&mut opened, expected);
    }
    opened.commit();
    assert_kept(&opened, &played, 3);
    opened.store.append(&played.changes[3], MatchTime(21)).expect("this one has the right number");
    opened.commit();
    assert_kept(&opened, &played, 4);
}

pub(crate) fn an_unknown_match_is_refused(open: Open) {
    let folder = folder();
    let mut opened = Opened::new(open, &folder);
    let played = play("rappanui", 1, Way::Finished);
    let unknown = StoreError::UnknownMatch("0000000000000001".to_owned());

    assert_eq!(opened.store.append(&played.changes[0], MatchTime(0)), Err(unknown.clone()));
    assert_eq!(opened.store.delete("0000000000000001"), Err(unknown.clone()));
    assert!(opened.read(&played).is_none(), "there is no match");
    opened.keep(&[&played]);
    opened.store.delete("0000000000000001").expect("the match exists");
    assert_eq!(opened.store.append(&played.changes[0], MatchTime(0)), Err(unknown.clone()));
    opened.commit();
    assert_eq!(opened.store.delete("0000000000000001"), Err(unknown));
}

pub(crate) fn an_id_that_could_be_a_path_is_damage(open: Open) {
    let folder = folder();
    let mut opened = Opened::new(open, &folder);
    let mut played = play("rappanui", 1, Way::Finished);
    played.head.id = "../../../../stolen".into();
    opened.store.create(&played.head).expect("nobody has it");
    opened.commit();
    let error = opened.reader.read(&played.head.id).expect_err("it is no id");
    assert!(error.to_string().contains("in its head: expected the id of a match, 16 hexadecimal digits"), "{error}");
}

pub(crate) fn a_second_match_with_the_same_id_or_number_is_refused(open: Open) {
    let folder = folder();
    let mut opened = Opened::new(open, &folder);
    let first = play("rappanui", 1, Way::Finished);
    opened.keep(&[&first]);
    let same_number = MatchHead { id: "000000000000000a".into(), ..first.head.clone() };
    let same_id = MatchHead { number: 2, ..first.head.clone() };

    for head in [&same_number, &same_id] {
        let error = opened.store.create(head).expect_err("there is one");
        assert!(!matches!(error, StoreError::Failed(_)), "a second try cannot succeed: {error}");
    }

    opened.commit();
    assert_kept(&opened, &first, first.changes.len());
    assert_eq!(opened.all(), [1]);
}

/// A connection may break between a commit and its answer, so the caller writes the same transaction again.
pub(crate) fn a_transaction_that_is_written_again_is_kept_once(open: Open) {
    let folder = folder();
    let mut opened = Opened::new(open, &folder);
    let played = play("rappanui", 1, Way::Finished);
    for calls in [1, 2, played.changes.len() - 1] {
        for release in [false, true] {
            opened.write(&played, calls);
            opened.commit();
            if release {
                opened.store.release(&played.head.id);
            }
            assert_kept(&opened, &played, calls);
        }
    }
    // New changes may follow in the same transaction.
    opened.write(&played, played.changes.len());
    opened.commit();
    assert_kept(&opened, &played, played.changes.len());

    let last = played.changes.last().expect("there are calls");
    let other = Change { entries: vec![Entry::Void("another end".to_owned())], ..last.clone() };
    let error = opened.store.append(&other, MatchTime(0)).expect_err("another writer has ended the match");
    assert!(matches!(error, StoreError::OtherLength { .. }), "{error}");
}

pub(crate) fn a_refused_change_leaves_the_others_of_its_transaction(open: Open) {
    let folder = folder();
    let mut opened = Opened::new(open, &folder);
    let [before, refused, after] = [1, 2, 3].map(|number| play("rappanui", number, Way::Finished));
    opened.write(&before, 3);
    opened.write(&refused, 2);

    let wrong = Change { expected: 0, ..refused.changes[2].clone() };
    opened.store.append(&wrong, MatchTime(14)).expect_err("the store has entries");
    let other = MatchHead { salt: [0; 32], ..before.head.clone() };
    opened.store.create(&other).expect_err("another match has its id");
    opened.store.append(&Change { match_id: "none".into(), ..wrong }, MatchTime(14)).expect_err("there is none");
    opened.write(&after, 2);
    opened.commit();

    for (played, calls) in [(&before, 3), (&refused, 2), (&after, 2)] {
        assert_kept(&opened, played, calls);
    }
}

pub(crate) fn a_deleted_match_leaves_nothing_behind(open: Open) {
    let folder = folder();
    let mut opened = Opened::new(open, &folder);
    let [deleted, other] = [1, 2].map(|number| play("rappanui", number, Way::Finished));
    opened.keep(&[&deleted, &other]);
    let size = opened.reader.size().expect("the store can be read");

    opened.store.delete(&deleted.head.id).expect("the match exists");
    opened.commit();

    assert!(opened.read(&deleted).is_none(), "the match is removed");
    assert_eq!(opened.all(), [2]);
    for text in ["create m1", "join m1"] {
        assert_eq!(opened.reader.request(&request(text).id), Ok(None));
    }
    assert!(opened.reader.size().expect("the store can be read") < size);
    assert_kept(&opened, &other, other.changes.len());
    // A match with the same number begins without the entries, seats, and requests of the match before.
    opened.write(&deleted, 1);
    opened.commit();
    assert_kept(&opened, &deleted, 1);
}

pub(crate) fn matches_are_listed_by_number_game_state_and_privacy(open: Open) {
    use MatchState::{Cancelled, Finished, Running, Seating};
    let folder = folder();
    let mut opened = Opened::new(open, &folder);
    let kinds = [
        ("rappanui", Seating, false),
        ("giants", Seating, true),
        ("rappanui", Running, false),
        ("rappanui", Finished, true),
        ("giants", Cancelled, false),
        ("rappanui", Finished, false),
        ("giants", Running, false),
    ];
    // The matches were not created in the order of their numbers.
    for (n, (game, state, is_unlisted)) in kinds.into_iter().enumerate().rev() {
        let way = if state == Cancelled { Way::CancelledEarly } else { Way::Finished };
        let mut played = play(game, n as u64 + 1, way);
        played.head.is_unlisted = is_unlisted;
        let calls = match state {
            Seating => 1,
            Running => 2,
            _ => played.changes.len(),
        };
        opened.write(&played, calls);
    }
    opened.commit();
    let query = |game: Option<&str>, states: &[MatchState], with_unlisted| Query {
        game: game.map(str::to_owned),
        states: states.to_vec(),
        with_unlisted,
        ..Query::default()
    };

    assert_eq!(opened.list(0, &query(None, &[], true), 100), [1, 2, 3, 4, 5, 6, 7]);
    assert_eq!(opened.list(0, &query(None, &[], false), 100), [1, 3, 5, 6, 7]);
    assert_eq!(opened.list(0, &query(Some("rappanui"), &[], true), 100), [1, 3, 4, 6]);
    assert_eq!(opened.list(0, &query(Some("no game"), &[], true), 100), [0; 0]);
    assert_eq!(opened.list(u64::MAX, &query(None, &[], true), 100), [0; 0]);
    assert_eq!(opened.list(0, &query(None, &[Seating], true), 100), [1, 2]);
    assert_eq!(opened.list(0, &query(None, &[Seating, Running], false), 100), [1, 3, 7]);
    assert_eq!(opened.list(0, &query(None, &[Finished], true), 100), [4, 6]);
    assert_eq!(opened.list(0, &query(None, &[Running, Cancelled], false), 100), [3, 5, 7]);
    assert_eq!(opened.list(0, &query(Some("giants"), &[Seating, Running], false), 100), [7]);
    // The next page begins behind the last number.
    let all = query(None, &[], true);
    assert_eq!(opened.list(0, &all, 3), [1, 2, 3]);
    assert_eq!(opened.list(4, &all, 3), [4, 5, 6]);
    assert_eq!(opened.list(7, &all, 3), [7]);
    assert_eq!(opened.list(8, &all, 3), [0; 0]);
    let newest_first = Query { newest_first: true, ..query(None, &[], true) };
    assert_eq!(opened.list(u64::MAX, &newest_first, 3), [7, 6, 5]);
    assert_eq!(opened.list(4, &newest_first, 9), [4, 3, 2, 1]);
    assert_eq!(opened.list(0, &newest_first, 3), [0; 0]);
    let open = Query { newest_first: true, ..query(None, &[Seating, Running], false) };
    assert_eq!(opened.list(6, &open, 3), [3, 1]);
    // Matches that have ended have their descriptions.
    let listed = opened.reader.list(4, &all, 3).expect("the store can be read");
    let expected = [(4, Finished), (5, Cancelled), (6, Finished)].map(|(number, state)| {
        let (id, description) = (format!("{number:016}"), Some(format!("the end of m{number}").into_bytes()));
        (number, Some(Listed { number, id, state, description }))
    });
    assert_eq!(listed, expected);
    let listed = opened.reader.list(3, &all, 1).expect("the store can be read");
    let third = Listed { number: 3, id: "0000000000000003".to_owned(), state: Running, description: None };
    assert_eq!(listed, [(3, Some(third))]);
    // The matches that are looked at are bounded, whatever fits. Of matches that have ended, open ones are found at once.
    let looked_at = |query, max| -> Vec<u64> {
        let listed = opened.reader.list(0, &query, max).expect("the store can be read");
        listed.into_iter().map(|(number, _)| number).collect()
    };
    assert_eq!(looked_at(query(Some("no game"), &[], true), 3), [1, 2, 3]);
    assert_eq!(looked_at(query(Some("giants"), &[Finished, Running], false), 5), [1, 2, 3, 4, 5]);
    assert_eq!(looked_at(query(Some("giants"), &[Seating, Running], false), 3), [1, 2, 3]);
    assert_eq!(looked_at(query(None, &[Running], false), 5), [1, 2, 3, 7]);
}

pub(crate) fn a_request_leads_to_its_match(open: Open) {
    let folder = folder();
    let mut opened = Opened::new(open, &folder);
    let [first, second] = [1, 2].map(|number| play("rappanui", number, Way::Finished));
    opened.keep(&[&first, &second]);
    drop(opened);
    let opened = Opened::new(open, &folder);

    for (text, match_id) in [
        ("create m1", "0000000000000001"),
        ("join m1", "0000000000000001"),
        ("create m2", "0000000000000002"),
        ("join m2", "0000000000000002"),
    ] {
        let request = request(text);
        let found = StoredRequest { content: request.content, match_id: match_id.to_owned() };
        assert_eq!(opened.reader.request(&request.id), Ok(Some(found)));
    }
    assert_eq!(opened.reader.request(&digest("another")), Ok(None));
}

pub(crate) fn only_matches_that_have_not_ended_need_their_rules(open: Open) {
    let folder = folder();
    let mut opened = Opened::new(open, &folder);
    for (number, game, calls) in [(1, "giants", 1), (2, "rappanui", 2), (3, "giants", 3), (4, "rapanui_cards", 0)] {
        let played = play(game, number, Way::Finished);
        opened.write(&played, if calls == 0 { played.changes.len() } else { calls });
    }
    opened.commit();
    let needed = |game: &str, matches| NeededRules {
        game: game.to_owned(),
        rules: find(game).expect("the game exists").info().rules,
        release: env!("CARGO_PKG_VERSION").to_owned(),
        matches,
    };

    let mut found = opened.reader.needed_rules().expect("the store can be read");

    found.sort_by(|a, b| a.game.cmp(&b.game));
    assert_eq!(found, [needed("giants", 2), needed("rappanui", 1)]);
}

pub(crate) fn matches_beyond_the_age_are_in_excess(open: Open) {
    let folder = folder();
    let mut opened = Opened::new(open, &folder);
    // The match with number n ends n seconds after the first day, and they are written in another order.
    let matches = [3, 1, 4, 2].map(|number| play("rappanui", number, Way::Finished));
    opened.keep(&matches.each_ref());
    opened.write(&play("rappanui", 9, Way::Finished), 2);
    opened.commit();
    let excess = |age_ms: Option<u64>, now_ms, max| {
        let keep = Keep { age: age_ms.map(Duration::from_millis), bytes: None };
        opened.reader.excess(&keep, MatchTime(now_ms), max).expect("the store can be read")
    };

    assert_eq!(excess(Some(10_000), 11_000, 10), [""; 0]);
    assert_eq!(excess(Some(10_000), 11_001, 10), ["0000000000000001"]);
    assert_eq!(excess(Some(10_000), 13_500, 10), ["0000000000000001", "0000000000000002", "0000000000000003"]);
    assert_eq!(excess(Some(10_000), 13_500, 2), ["0000000000000001", "0000000000000002"]);
    assert_eq!(
        excess(Some(0), 1_000_000, 10),
        ["0000000000000001", "0000000000000002", "0000000000000003", "0000000000000004"],
        "a match that has not ended is kept"
    );
    assert_eq!(excess(Some(u64::MAX), 1_000_000, 10), [""; 0]);
    assert_eq!(excess(None, 1_000_000, 10), [""; 0], "everything is kept");
}

pub(crate) fn matches_beyond_the_size_are_in_excess(open: Open) {
    let folder = folder();
    let mut opened = Opened::new(open, &folder);
    let matches = [3, 1, 2].map(|number| play("giants", number, Way::Finished));
    opened.keep(&matches.each_ref());
    let running = play("giants", 9, Way::Finished);
    opened.write(&running, 2);
    opened.commit();
    let size = opened.reader.size().expect("the store can be read");
    let excess = |opened: &Opened, bytes, max| {
        let keep = Keep { age: None, bytes: Some(bytes) };
        opened.reader.excess(&keep, MatchTime(0), max).expect("the store can be read")
    };

    assert_eq!(excess(&opened, size, 10), [""; 0]);
    assert_eq!(excess(&opened, size - 1, 2), ["0000000000000001", "0000000000000002"], "the first that ended go first");
    // The room of removed matches is used for other matches.
    opened.store.delete("0000000000000001").expect("the match exists");
    opened.commit();
    assert!(opened.reader.size().expect("the store can be read") < size);
    assert_eq!(excess(&opened, size - 1, 10), [""; 0]);
    assert_eq!(excess(&opened, 1, 10), ["0000000000000002", "0000000000000003"], "a match that has not ended is kept");
    // Both bounds together: the age comes first.
    let both = Keep { age: Some(Duration::ZERO), bytes: Some(size) };
    assert_eq!(opened.reader.excess(&both, MatchTime(2_001), 10), Ok(vec!["0000000000000002".to_owned()]));
}

pub(crate) fn pinned_matches_are_never_in_excess(open: Open) {
    let folder = folder();
    let mut opened = Opened::new(open, &folder);
    let mut matches = [1, 2, 3, 4].map(|number| play("rappanui", number, Way::Finished));
    for pinned in [0, 2] {
        matches[pinned].head.is_pinned = true;
    }
    opened.keep(&matches.each_ref());
    let excess = |opened: &Opened, age: Option<Duration>, bytes, max| {
        opened.reader.excess(&Keep { age, bytes }, MatchTime(1_000_000), max).expect("the store can be read")
    };

    assert_eq!(excess(&opened, Some(Duration::ZERO), None, 10), ["0000000000000002", "0000000000000004"]);
    assert_eq!(excess(&opened, Some(Duration::ZERO), None, 1), ["0000000000000002"]);
    assert_eq!(excess(&opened, None, Some(1), 10), ["0000000000000002", "0000000000000004"]);
    for id in ["0000000000000002", "0000000000000004"] {
        opened.store.delete(id).expect("the match exists");
    }
    opened.commit();
    assert_eq!(excess(&opened, Some(Duration::ZERO), Some(1), 10), [""; 0], "a bound that pins exceed removes nothing");
    drop(opened);
    let opened = Opened::new(open, &folder);
    assert_eq!(excess(&opened, Some(Duration::ZERO), Some(1), 10), [""; 0]);
    assert_eq!(opened.all(), [1, 3]);
    // A pinned match can still be deleted by its name.
    let mut opened = opened;
    opened.store.delete("0000000000000001").expect("the match exists");
    opened.commit();
    assert_eq!(opened.all(), [3]);
}

pub(crate) fn the_facts_outlive_the_store(open: Open) {
    let (folder, other) = (folder(), folder());
    let mut opened = Opened::new(open, &folder);
    let new = opened.store.facts();
    assert_eq!((new.time, new.last_number), (MatchTime(0), 0));
    assert_ne!(new.token_key, [0; 32]);
    let played = play("rappanui", 41, Way::Finished);
    opened.write(&played, 2);
    opened.store.commit(MatchTime(5_000)).expect("the disk has room");
    // A commit without changes keeps the time.
    opened.store.commit(MatchTime(6_000)).expect("the disk has room");
    opened.store.append(&played.changes[2], MatchTime(7_000)).expect("the calls are in order");
    assert_eq!(opened.store.facts().time, MatchTime(6_000), "the later time is not committed");
    drop(opened);

    for _ in 0..2 {
        let opened = Opened::new(open, &folder);
        let facts = opened.store.facts();
        assert_eq!((facts.time, facts.last_number), (MatchTime(6_000), 41));
        assert_eq!(facts.token_key, new.token_key);
    }
    assert_ne!(Opened::new(open, &other).store.facts().token_key, new.token_key, "each store has its own key");
}

pub(crate) fn readers_on_other_threads_see_whole_commits(open: Open) {
    const COMMITS: u64 = 40;
    let folder = folder();
    let mut opened = Opened::new(open, &folder);
    let played: Vec<_> = (1..=2 * COMMITS).map(|number| play("rappanui", number, Way::CancelledEarly)).collect();
    let is_done = Arc::new(AtomicBool::new(false));
    let readers: Vec<_> = (0..3)
        .map(|_| {
            let (open_reader, is_done) = (opened.store.readers(), Arc::clone(&is_done));
            thread::spawn(move || {
                let reader = open_reader().expect("the store can be read");
                let query = Query { with_unlisted: true, ..Query::default() };
                let (mut most, mut reads) = (0, 0);
                loop {
                    let is_last = is_done.load(Ordering::SeqCst);
                    let listed = reader.list(0, &query, 1000).expect("a reader does not fail beside a commit");
                    assert!(listed.len() % 2 == 0, "two matches share each commit, got {}", listed.len());
                    assert!(listed.len() >= most, "a commit does not vanish");
                    for Listed { id, state, .. } in listed[most..].iter().flat_map(|(_, listed)| listed) {
                        let stored = reader.read(id).expect("a reader does not fail").expect("it is listed");
                        assert_eq!((stored.state, *state), (MatchState::Cancelled, MatchState::Cancelled));
                        assert_eq!((stored.steps.len(), stored.requests.len()), (1, 1));
                    }
                    most = listed.len();
                    reads += 1;
                    if is_last {
                        return (most, reads);
                    }
                }
            })
        })
        .collect();

    for pair in played.chunks(2) {
        opened.keep(&[&pair[0], &pair[1]]);
    }
    is_done.store(true, Ordering::SeqCst);

    for reader in readers {
        let (most, reads) = reader.join().expect("no reader failed");
        assert_eq!(most as u64, 2 * COMMITS);
        assert!(reads > 0);
    }
}

pub(crate) fn a_store_that_is_open_cannot_be_opened_again(open: Open) {
    let folder = folder();
    let mut opened = Opened::new(open, &folder);
    let played = play("rappanui", 1, Way::Finished);
    opened.keep(&[&played]);

    let error = open(folder.path()).expect_err("the store is open");
    assert!(error.contains("in use by another process"), "{error}");
    // The refusal does not disturb the first one.
    opened.keep(&[&play("rappanui", 2, Way::Finished)]);
    drop(opened);
    let opened = Opened::new(open, &folder);
    assert_eq!(opened.all(), [1, 2]);
}
