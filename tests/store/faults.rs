//! The store on PostgreSQL under faults: cut connections, commits without an answer, replicas that do not answer, starts that
//! die, and databases that are not what they should be.

use std::thread;

use ahu_host::MatchTime;
use ahu_service::store::{Database, PostgresStore, Query, Store, StoreError};

use crate::games::{Played, Way, play};
use crate::postgres::{Cluster, cluster};

/// A database of a cluster, and its URL.
struct Base<'a> {
    cluster: &'a Cluster,
    name: &'static str,
    database: Database,
}

impl<'a> Base<'a> {
    fn new(cluster: &'a Cluster, name: &'static str) -> Self {
        let database = Database::read(&cluster.database(name)).expect("the URL is sound");
        Self { cluster, name, database }
    }

    fn open(&self) -> PostgresStore {
        PostgresStore::open(&self.database, false).expect("nobody else uses the store")
    }

    fn sql(&self, sql: &str) -> String {
        self.cluster.sql(self.name, sql)
    }

    /// Cuts the connections of all starts that write.
    fn cut(&self) {
        self.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE 'ahu %' AND datname = current_database()");
    }

    /// Returns the number of entries that the database has of a match.
    fn entries(&self, played: &Played) -> usize {
        let sql = format!(
            "SELECT coalesce(sum(count), 0) FROM ahu.entry JOIN ahu.match ON number = match WHERE id = '{}'",
            played.head.id
        );
        self.sql(&sql).trim().parse().expect("a number")
    }
}

/// Writes the calls of a match in this range, and commits them; again and again until the store has them, as the journal does.
fn write(store: &mut PostgresStore, played: &Played, calls: std::ops::Range<usize>) -> usize {
    let once = |store: &mut PostgresStore| {
        if calls.start == 0 {
            store.create(&played.head)?;
        }
        for change in &played.changes[calls.clone()] {
            store.append(change, MatchTime(0))?;
        }
        store.commit(MatchTime(1))
    };
    let mut tries = 1;
    loop {
        match once(store) {
            Ok(refused) => {
                assert_eq!(refused, []);
                return tries;
            }
            Err(StoreError::Failed(_)) => tries += 1,
            Err(error) => panic!("the store refuses a change: {error}"),
        }
    }
}

fn entries_of(played: &Played, calls: usize) -> usize {
    played.changes[..calls].iter().map(|change| change.entries.len()).sum()
}

#[test]
fn a_cut_connection_loses_and_doubles_nothing() {
    let Some(cluster) = cluster("a cut connection") else { return };
    let base = Base::new(cluster, "cut");
    let mut store = base.open();
    let played = play("rappanui", 1, Way::Finished);
    write(&mut store, &played, 0..2);
    for calls in 3..played.changes.len() {
        base.cut();
        assert!(write(&mut store, &played, calls - 1..calls) > 1, "the first try meets the cut");
        assert_eq!(base.entries(&played), entries_of(&played, calls));
    }
}

/// A replica that does not answer holds a commit, which is visible to nobody. Its wait is cancelled, so it is visible and is at
/// no replica: nobody may be told of it before a commit of the store's own is confirmed.
#[test]
fn a_commit_that_a_replica_does_not_confirm_is_not_told_and_is_kept_once() {
    let _ = cluster("a replica that does not answer");
    let Some(cluster) = Cluster::start() else { return };
    let base = Base::new(&cluster, "replica");
    let mut store = base.open();
    let played = play("rappanui", 1, Way::Finished);
    write(&mut store, &played, 0..2);
    let reader = (store.readers())().expect("the store can be read");
    let names = |value: &str| {
        base.sql(&format!("ALTER SYSTEM SET synchronous_standby_names = '{value}'"));
        base.sql("SELECT pg_reload_conf()");
    };

    names("nobody");
    cluster.waits_for_replicas(base.name);
    for change in &played.changes[2..4] {
        store.append(change, MatchTime(0)).expect("the calls are in order");
    }
    let error = store.commit(MatchTime(2)).expect_err("nobody confirms it");
    assert!(error.to_string().contains("no answer within 2.5 s"), "{error}");
    let unconfirmed = reader.list(0, &Query::default(), 10).expect_err("it may be of a commit that is nowhere else");
    assert!(unconfirmed.to_string().contains("has not confirmed its last commit"), "{unconfirmed}");
    // The next try ends the old backend, whose commit is visible from then on.
    let error = store.append(&played.changes[2], MatchTime(0)).expect_err("nobody confirms the commit that settles it");
    assert!(matches!(error, StoreError::Failed(_)), "{error}");
    reader.list(0, &Query::default(), 10).expect_err("it is still unknown");

    names("");
    write(&mut store, &played, 2..4);
    assert_eq!(base.entries(&played), entries_of(&played, 4), "once");
    assert_eq!(reader.read(&played.head.id).expect("it is confirmed").expect("it is there").steps.len(), 3);
}

#[test]
fn a_start_that_does_not_beat_is_dead_after_a_lease_and_writes_nothing_more() {
    let Some(cluster) = cluster("a start that dies") else { return };
    let base = Base::new(cluster, "lease");
    drop(base.open());
    // A start that hangs: its last statement came without its end, so that it holds its row.
    base.sql("INSERT INTO ahu.start (id, live, host, process) VALUES ('\\x01', true, 'elsewhere', 7); INSERT INTO ahu.beat VALUES ('\\x01', 3)");
    let mut held = base.cluster.session(base.name);
    held.run("SET application_name = 'ahu 01'; BEGIN; SELECT ahu.hold_1('\\x01')");
    let store = base.open();
    assert!(store.lease().is_held());
    let states = base
        .sql("SELECT live FROM ahu.start WHERE id = '\\x01' UNION ALL SELECT count(*) = 1 FROM ahu.start WHERE live");
    assert_eq!(states, "f\nt\n", "the old one is dead, and one is live");
    let error = base.cluster.try_sql(base.name, "SELECT ahu.hold_1('\\x01')").expect_err("it is dead");
    assert!(error.contains("this start of the server is dead"), "{error}");
    drop(store);
    // A start that ends says so, and the next one need not wait.
    assert_eq!(base.sql("SELECT count(*) FROM ahu.start WHERE live"), "0\n");
}

#[test]
fn a_start_that_another_one_has_declared_dead_says_so() {
    let Some(cluster) = cluster("a start that is dead") else { return };
    let base = Base::new(cluster, "declared");
    let mut store = base.open();
    let played = play("rappanui", 1, Way::Finished);
    write(&mut store, &played, 0..2);
    base.sql("UPDATE ahu.start SET live = false");
    store.append(&played.changes[2], MatchTime(0)).expect("the calls are in order");
    let error = store.commit(MatchTime(2)).expect_err("it is dead");
    assert!(error.to_string().contains("this start of the server is dead"), "{error}");
    assert!(store.lease().is_dead() && !store.lease().is_held());
    assert_eq!(base.entries(&played), entries_of(&played, 2));
}

#[test]
fn another_writer_of_a_match_is_found_at_the_commit_and_refuses_that_match_alone() {
    let Some(cluster) = cluster("another writer") else { return };
    let base = Base::new(cluster, "writer");
    let mut store = base.open();
    let [one, other] = [1, 2].map(|number| play("rappanui", number, Way::Finished));
    write(&mut store, &one, 0..2);
    write(&mut store, &other, 0..2);
    base.sql("UPDATE ahu.log SET entries = entries + 1 WHERE match = 1");
    for played in [&one, &other] {
        store.append(&played.changes[2], MatchTime(0)).expect("the store remembers another length");
    }
    let refused = store.commit(MatchTime(2)).expect("the other match is written");
    assert_eq!(refused.iter().map(|refused| &refused.match_id).collect::<Vec<_>>(), [&one.head.id]);
    assert_eq!((base.entries(&one), base.entries(&other)), (entries_of(&one, 2), entries_of(&other, 3)));
}

#[test]
fn a_database_that_is_not_what_it_should_be_is_refused_in_one_line() {
    let Some(cluster) = cluster("refusals") else { return };
    let refusal = |url: &str| match Database::read(url) {
        Err(message) => message,
        Ok(database) => PostgresStore::open(&database, false).expect_err(url).to_string(),
    };
    let url = cluster.database("refused");
    cluster.sql("refused", "CREATE TABLE theirs (x integer)");
    let other = cluster.database("older");
    drop(PostgresStore::open(&Database::read(&other).expect("a URL"), false).expect("it is empty"));
    cluster.sql("older", "UPDATE ahu.meta SET form = 0");
    cluster.sql("postgres", "CREATE DATABASE frozen; ");
    cluster.sql("postgres", "ALTER DATABASE frozen SET default_transaction_read_only = on");
    let at = |name: &str| url.replace("refused", name);
    for (url, expected) in [
        (url.clone(), "expected an empty database or a store of ahu in postgres://"),
        (url.clone(), "got 1 tables of something else, such as public.theirs"),
        (other, "expected a store of form 1, got form 0, made by an earlier release of ahu"),
        (at("nothing"), "database \"nothing\" does not exist"),
        (at("frozen"), "expected a database that can be written, got one that is read only"),
        ("postgres://ahu@127.0.0.1:9/ahu".to_owned(), "cannot be used: error connecting to server"),
        ("postgres://ahu@localhost".to_owned(), "expected the name of a database in the URL"),
        (
            "postgres://ahu@localhost/ahu?sslmode=allow".to_owned(),
            "expected sslmode disable, prefer, require, or verify-full",
        ),
        ("postgres://ahu@localhost/ahu?sslrootcert=/nowhere".to_owned(), "sslrootcert: cannot read /nowhere: "),
        ("postgres://ahu:secret@localhost/ahu?colour=red".to_owned(), "expected a URL such as postgres://"),
    ] {
        let message = refusal(&url);
        assert!(message.contains(expected) && message.lines().count() == 1, "{url}: {message}");
        assert!(!message.contains("secret"), "{message}");
    }
}

#[test]
fn a_spare_outlives_its_connection_and_works_when_the_one_before_has_ended() {
    let Some(cluster) = cluster("a spare") else { return };
    let base = Base::new(cluster, "spare");
    let mut store = base.open();
    let played = play("rappanui", 1, Way::Finished);
    write(&mut store, &played, 0..2);
    let spares = "FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'ahu %' AND NOT EXISTS \
                  (SELECT FROM ahu.start WHERE live AND application_name = 'ahu ' || encode(id, 'hex'))";
    thread::scope(|scope| {
        let spare = scope.spawn(|| PostgresStore::open(&base.database, true).expect("it waits for its turn"));
        let cut = || base.sql(&format!("SELECT pg_terminate_backend(pid) {spares}")).contains('t');
        while !cut() {}
        write(&mut store, &played, 2..3);
        drop(store);
        let mut store = spare.join().expect("it does not panic");
        assert!(store.lease().is_held());
        write(&mut store, &played, 3..4);
        assert_eq!(base.entries(&played), entries_of(&played, 4));
    });
}
