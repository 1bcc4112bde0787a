//! The folders of shards, which `ahu duel merge` and `ahu benchmark merge` read.

use std::collections::BTreeMap;
use std::path::PathBuf;

use ahu_contest::blocks::BlockShard;
use serde_json::Value;

use crate::CliError;
use crate::files::difference;

/// The folder of one shard.
pub(crate) struct ShardFolder<T> {
    pub(crate) folder: PathBuf,
    pub(crate) shard: BlockShard,
    /// The values that are the same for all shards of one whole.
    pub(crate) claims: Value,
    /// The content of its file.
    pub(crate) file: T,
}

/// Returns the folders in the order of their shards.
///
/// # Errors
/// If a shard is missing, comes twice, or does not belong to the whole of the first.
pub(crate) fn in_order<T>(folders: Vec<ShardFolder<T>>) -> Result<Vec<ShardFolder<T>>, CliError> {
    let first =
        folders.first().ok_or_else(|| CliError::Usage("expected the folders of shards, got none".to_owned()))?;
    let (at, count) = (first.folder.display().to_string(), first.shard.count());
    for ShardFolder { folder, shard, claims, .. } in &folders {
        let folder = folder.display();
        if shard.count() != count {
            return Err(CliError::Usage(format!("{folder}: expected one of {count} shards, as in {at}, got {shard}")));
        }
        if let Some((key, expected, found)) = difference("", &first.claims, claims) {
            return Err(CliError::Usage(format!(
                "{folder}: expected the same {key} as in {at}, {expected}, got {found}"
            )));
        }
    }
    let mut by_number = BTreeMap::new();
    for shard in folders {
        let (folder, name) = (shard.folder.display().to_string(), shard.shard);
        if let Some(other) = by_number.insert(name.number(), shard) {
            return Err(CliError::Usage(format!(
                "expected each shard once, got {name} in {} and in {folder}",
                other.folder.display()
            )));
        }
    }
    let missing = (1..=count).filter(|number| !by_number.contains_key(number));
    let missing: Vec<_> = missing.map(|number| format!("{number}/{count}")).collect();
    match missing.is_empty() {
        true => Ok(by_number.into_values().collect()),
        false => Err(CliError::Usage(format!("expected all {count} shards, got none for {}", missing.join(", ")))),
    }
}
