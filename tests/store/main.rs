//! The contract of a store: the same tests for every store. A new store needs one line below.

mod contract;
#[path = "../simulation/disk.rs"]
#[expect(dead_code, reason = "only the simulation breaks a disk")]
mod disk;
mod equal;
mod faults;
mod games;
mod interleavings;
#[path = "../shared/postgres.rs"]
#[expect(dead_code, reason = "other tests have replicas")]
mod postgres;
mod transfer;

use std::path::Path;

use ahu_service::store::{Database, PostgresStore, SqliteOptions, SqliteStore, Store};

/// A way to open the store that belongs to a folder, and to create it at first. An error is the text of the refusal.
type Open = fn(&Path) -> Result<Box<dyn Store>, String>;

fn sqlite(folder: &Path) -> Result<Box<dyn Store>, String> {
    let options = SqliteOptions { create: true, ..SqliteOptions::default() };
    let store = SqliteStore::open(folder, &options).map_err(|error| error.to_string())?;
    Ok(Box::new(store))
}

/// Opens the store in the database of a folder. The folder itself stays empty.
fn database(folder: &Path) -> Result<Box<dyn Store>, String> {
    let cluster = postgres::CLUSTER.as_ref().expect("it is asked for where there is one");
    let letters = ahu_core::hex(folder.display().to_string().as_bytes());
    // A name has at most 63 characters.
    let database = Database::read(&cluster.database(&format!("f{}", &letters[letters.len().saturating_sub(60)..])))?;
    let store = PostgresStore::open(&database, false).map_err(|error| error.to_string())?;
    Ok(Box::new(store))
}

contract::holds_for!(sqlite, crate::sqlite, true);
contract::holds_for!(database, crate::database, crate::postgres::cluster("the contract of a store").is_some());
