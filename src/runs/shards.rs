//! The shards of a run, which several machines play, and the whole that they make.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use ahu_contest::GamesLog;
use ahu_contest::blocks::BlockShard;

use super::folder::{Claims, Folder, OpenRun, RunFile};
use super::games_log::NAME;
use crate::files::difference;
use crate::{CliError, Done};

/// The folder of one shard.
pub(crate) struct Shard<C: Claims> {
    part: BlockShard,
    pub(crate) file: RunFile<C>,
    pub(crate) folder: Folder,
    pub(crate) log: GamesLog,
    /// The file of the log.
    lines: Vec<u8>,
}

impl<C: Claims> Shard<C> {
    fn read(folder: PathBuf) -> Result<Self, CliError> {
        let folder = Folder(folder);
        let path = folder.0.display();
        let file = folder.run::<C>()?.ok_or_else(|| {
            CliError::Failed(format!("{path}: expected the folder of a shard, with run.json, got none"))
        })?;
        let part = file.shard.ok_or_else(|| {
            CliError::Usage(format!("{path}: expected the folder of a shard, got one of a whole run"))
        })?;
        let lines = folder.0.join(NAME);
        let lines = fs::read(&lines).map_err(CliError::cannot("read", &lines))?;
        let wrong = |message| CliError::Failed(format!("{path}: {NAME}: {message}"));
        let (log, _) = GamesLog::read(&lines).map_err(wrong)?;
        Ok(Self { part, file, folder, log, lines })
    }
}

/// Reads the folders of all shards of a run. Returns them in the order of their numbers.
///
/// # Errors
/// If a shard is missing, comes twice, or does not belong to the whole of the first.
pub(crate) fn read_all<C: Claims>(folders: &[PathBuf]) -> Result<Vec<Shard<C>>, CliError> {
    let shards = folders.iter().map(|folder| Shard::<C>::read(folder.clone())).collect::<Result<Vec<_>, _>>()?;
    let first = shards.first().ok_or_else(|| CliError::Usage("expected the folders of shards, got none".to_owned()))?;
    let (at, count, claims) = (first.folder.0.display().to_string(), first.part.count(), C::shared(&first.file));
    for Shard { folder, part, file, .. } in &shards {
        let folder = folder.0.display();
        if part.count() != count {
            return Err(CliError::Usage(format!("{folder}: expected one of {count} shards, as in {at}, got {part}")));
        }
        if let Some((key, expected, found)) = difference("", &claims, &C::shared(file)) {
            return Err(CliError::Usage(format!(
                "{folder}: expected the same {key} as in {at}, {expected}, got {found}"
            )));
        }
    }
    let mut by_number = BTreeMap::new();
    for shard in shards {
        let (folder, part) = (shard.folder.0.display().to_string(), shard.part);
        if let Some(other) = by_number.insert(part.number(), shard) {
            return Err(CliError::Usage(format!(
                "expected each shard once, got {part} in {} and in {folder}",
                other.folder.0.display()
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

/// Checks that each shard has the record of each of its games, whose paths `records` returns, as its log keeps it.
pub(crate) fn check_complete<C: Claims>(shards: &[Shard<C>], records: impl Fn(BlockShard) -> Vec<PathBuf>) -> Done {
    for Shard { part, folder, log, .. } in shards {
        let all = records(*part);
        let mut kept = 0;
        for record in &all {
            kept += usize::from(folder.record(record, log)?.is_some());
        }
        if kept < all.len() {
            return Err(CliError::Failed(format!(
                "{}: expected {} records of the shard {part}, got {kept}; the same command as before plays the others",
                folder.0.display(),
                all.len()
            )));
        }
    }
    Ok(())
}

/// Copies the logs and the records of shards, which were checked, to the folder of the whole.
pub(crate) fn merge<C: Claims>(
    shards: &[Shard<C>],
    records: impl Fn(BlockShard) -> Vec<PathBuf>,
    whole: &mut OpenRun<C>,
) -> Done {
    for Shard { part, folder, lines, .. } in shards {
        whole.enter_log(lines)?;
        for record in records(*part) {
            let path = folder.0.join(&record);
            whole.write(&record, &fs::read(&path).map_err(CliError::cannot("read", &path))?)?;
        }
    }
    Ok(())
}

/// Checks that each shard has a block of the `all` blocks of a run.
pub(crate) fn check_count(shard: Option<BlockShard>, all: u64) -> Done {
    match shard {
        Some(shard) if shard.count() > all => Err(CliError::Usage(format!(
            "--shard: expected at most {all} shards, one for each block, got {}",
            shard.count()
        ))),
        _ => Ok(()),
    }
}
