//! Copies of a whole store between a folder and a database.

use std::path::Path;

use ahu_host::MatchTime;
use ahu_service::accounts::{Command, Kind, NewAccount, NewKey, Reply, Scopes, new_key};
use ahu_service::store::maintenance::{MaintenanceError, Transfer, transfer, verify};
use ahu_service::store::{Place, SqliteOptions, SqliteStore, Store};
use ahu_service::{audit_lines, execute_in};

use crate::games::{Played, WAYS, play};
use crate::postgres::cluster;

/// Writes matches of each kind into the store of a place, and returns them.
fn played(mut store: impl Store) -> Vec<Played> {
    let all = WAYS.iter().enumerate().flat_map(|(n, way)| {
        [("rappanui", 0), ("rapanui_cards", 1)].map(|(game, more)| play(game, 70 * (2 * n + more) as u64 + 1, *way))
    });
    let all: Vec<_> = all.collect();
    for (n, played) in all.iter().enumerate() {
        store.create(&played.head).expect("it is new");
        // Some have not ended.
        for change in &played.changes[..played.changes.len() - n % 2] {
            store.append(change, MatchTime(7)).expect("the calls are in order");
        }
    }
    assert_eq!(store.commit(MatchTime(77)), Ok(Vec::new()));
    all
}

fn add_account(place: &Place, name: &str) {
    let key = new_key();
    let hash = ahu_core::hex(&key.hash());
    let key =
        NewKey { id: key.id, hash, scopes: Scopes::default(), label: "a \\ and a \t".to_owned(), expires_in: None };
    let key = NewKey { label: key.label.replace('\t', "tab"), ..key };
    let account = NewAccount { name: name.to_owned(), kind: Kind::Bot, key: Some(key) };
    let reply = execute_in(place, Command::Add { accounts: vec![account] }, false).expect("nobody else uses it");
    assert!(matches!(reply, Reply::Accounts { .. }), "{reply:?}");
}

fn accounts(place: &Place) -> Reply {
    execute_in(place, Command::ListAccounts {}, false).expect("it can be read")
}

fn audit(place: &Place) -> Vec<Vec<u8>> {
    audit_lines(place).and_then(Iterator::collect).expect("it can be read")
}

/// Returns the matches of a store and its facts, in words.
fn content(store: &dyn Store, all: &[Played]) -> String {
    let reader = (store.readers())().expect("it can be read");
    let matches = all.iter().map(|played| reader.read(&played.head.id).expect("it is whole").expect("it is there"));
    let of_match = matches.map(|stored| {
        let (seats, requests) = (&stored.seats, &stored.requests);
        format!(
            "{:?} {seats:?} {requests:?} {:?} {:?} {:?}\n",
            stored.head.id, stored.steps, stored.comments, stored.state
        )
    });
    format!("{:?}\n{}", store.facts(), of_match.collect::<String>())
}

fn folder_store(folder: &Path) -> SqliteStore {
    SqliteStore::open(folder, &SqliteOptions { create: true, ..SqliteOptions::default() }).expect("nobody else uses it")
}

fn copied(from: &Place, to: &Place) -> Result<Transfer, MaintenanceError> {
    transfer(from, to, &|_| ())
}

#[test]
fn a_store_goes_from_a_folder_to_a_database_and_back_with_every_match_account_and_line() {
    let Some(cluster) = cluster("a copy of a store") else { return };
    let temporary = tempfile::tempdir().expect("a folder");
    let (one, other) = (temporary.path().join("one"), temporary.path().join("other"));
    let (one_place, other_place) = (Place::from(&*one), Place::from(&*other));
    let url = cluster.database("transfer");
    let database = Place::read(&url).expect("a URL");
    let all = played(folder_store(&one));
    add_account(&one_place, "moai");
    add_account(&one_place, "ahu");

    let there = copied(&one_place, &database).expect("the database is empty");
    assert_eq!((there.matches, there.accounts, there.keys, there.audit_lines), (all.len() as u64, 2, 2, 2));
    let back = copied(&database, &other_place).expect("the folder is new");
    assert_eq!(back, there, "the digests are of the same rows");
    assert_eq!(accounts(&database), accounts(&one_place));
    assert_eq!(accounts(&other_place), accounts(&one_place));
    assert_eq!(audit(&database), audit(&one_place));
    assert_eq!(audit(&other_place), audit(&one_place));

    let in_folder = content(&folder_store(&one), &all);
    let Place::Database(of_url) = &database else { panic!("it is one") };
    let store = ahu_service::store::PostgresStore::open(of_url, false).expect("nobody else uses it");
    assert_eq!(content(&store, &all), in_folder);
    drop(store);
    assert_eq!(content(&folder_store(&other), &all), in_folder);
    let found = verify(&other, false, &|_| ()).expect("it can be read");
    assert_eq!((found.accounts, found.keys, found.read), (2, 2, all.len() as u64));
    let faults: Vec<_> = found.faults.iter().map(ToString::to_string).collect();
    // The descriptions of these matches are no descriptions.
    assert!(faults.iter().all(|fault| fault.contains("its description")), "{faults:?}");

    // The database knows how large its matches are, as if it had written them.
    let sizes = |name: &str| cluster.sql(name, "SELECT match, comments, bytes FROM ahu.log ORDER BY match");
    let Ok(Place::Database(written)) = Place::read(&cluster.database("written")) else { panic!("a URL") };
    played(ahu_service::store::PostgresStore::open(&written, false).expect("it is empty"));
    assert_eq!(sizes("transfer"), sizes("written"));

    let refused = |from: &Place, to: &Place| copied(from, to).expect_err("it is refused").to_string();
    let full = "expected a place without matches and accounts, got ";
    assert!(refused(&one_place, &database).starts_with(full));
    assert!(refused(&database, &one_place).starts_with(full));
    let nothing = Place::read(&cluster.database("nothing_yet")).expect("a URL");
    assert!(refused(&nothing, &Place::from(&*temporary.path().join("third"))).contains("expected the tables of ahu"));
    assert!(refused(&Place::from(&*temporary.path().join("fourth")), &nothing).contains("expected a store in "));
}

#[test]
fn a_change_of_accounts_in_a_database_keeps_others_waiting_and_none_is_lost() {
    let Some(cluster) = cluster("accounts in a database") else { return };
    let database = Place::read(&cluster.database("accounts")).expect("a URL");
    add_account(&database, "first");
    std::thread::scope(|scope| {
        for n in 0..6 {
            let database = &database;
            scope.spawn(move || add_account(database, &format!("account {n}")));
        }
    });
    let Reply::Accounts { accounts } = accounts(&database) else { panic!("expected accounts") };
    assert_eq!((accounts.len(), audit(&database).len()), (7, 7));
    assert_eq!(cluster.sql("accounts", "SELECT changes FROM ahu.accounts"), "7\n");
    let again = Command::Add { accounts: vec![NewAccount { name: "first".to_owned(), kind: Kind::Bot, key: None }] };
    let reply = execute_in(&database, again, false).expect("it can be read");
    assert!(matches!(reply, Reply::Refused { .. }), "{reply:?}");
    let drain = execute_in(&database, Command::Drain { draining: true }, false).expect("nothing is opened");
    assert!(matches!(drain, Reply::Refused { .. }), "{drain:?}");
}
