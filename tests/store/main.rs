//! The contract of a store: the same tests for every store. A new store needs one line below.

mod contract;
#[path = "../simulation/disk.rs"]
#[expect(dead_code, reason = "only the simulation breaks a disk")]
mod disk;
mod equal;
mod games;

use std::path::Path;

use ahu_service::store::{SqliteOptions, SqliteStore, Store};

/// A way to open the store that belongs to a folder, and to create it at first. An error is the text of the refusal.
type Open = fn(&Path) -> Result<Box<dyn Store>, String>;

fn sqlite(folder: &Path) -> Result<Box<dyn Store>, String> {
    let options = SqliteOptions { create: true, ..SqliteOptions::default() };
    let store = SqliteStore::open(folder, &options).map_err(|error| error.to_string())?;
    Ok(Box::new(store))
}

contract::holds_for!(sqlite, crate::sqlite);
