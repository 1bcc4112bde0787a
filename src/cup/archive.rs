//! The archives of a ladder: the records of a day in one file.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::ops::Range;
use std::path::{Path, PathBuf};

use ahu_core::hex;
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use sha2::{Digest as _, Sha256};

use crate::CliError;

/// Returns the path of the archive of a day in the folder of the records of its stage.
pub(super) fn path(folder: &Path, day: u64) -> PathBuf {
    folder.join(format!("day-{day:05}.tar.gz"))
}

/// Returns the name of the record of a game.
fn record(game: usize) -> String {
    format!("{game:05}-00.txt")
}

/// Packs the records of these games into the archive of a day, unless an earlier run has. Returns its SHA-256 in hexadecimal
/// digits. The records stay.
pub(super) fn pack(folder: &Path, day: u64, games: Range<usize>) -> Result<String, CliError> {
    let path = path(folder, day);
    let write = || {
        let draft = path.with_extension("new");
        fs::create_dir_all(folder)?;
        let mut archive = tar::Builder::new(GzEncoder::new(File::create(&draft)?, Compression::default()));
        // A record that is missing is a fault, which `verify` names.
        for name in games.map(record) {
            if let Ok(mut file) = File::open(folder.join(&name)) {
                archive.append_file(&name, &mut file)?;
            }
        }
        archive.into_inner().and_then(GzEncoder::finish)?.sync_all()?;
        fs::rename(&draft, &path)
    };
    let packed = if path.exists() { Ok(()) } else { write() };
    packed.and_then(|()| digest(&path)).map_err(CliError::cannot("write", &path))
}

/// Removes the records that the archive of a day has.
pub(super) fn remove_archived(folder: &Path, day: u64) -> io::Result<()> {
    for name in read(&path(folder, day))?.into_keys() {
        let _ = fs::remove_file(folder.join(name));
    }
    Ok(())
}

/// Returns the SHA-256 of a file in hexadecimal digits.
pub(super) fn digest(path: &Path) -> io::Result<String> {
    Ok(hex(&Sha256::digest(fs::read(path)?)))
}

/// Reads the records of an archive, by their names.
pub(super) fn read(path: &Path) -> io::Result<HashMap<String, Vec<u8>>> {
    let mut records = HashMap::new();
    for entry in tar::Archive::new(GzDecoder::new(File::open(path)?)).entries()? {
        let mut entry = entry?;
        let name = entry.path()?.to_string_lossy().into_owned();
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes)?;
        records.insert(name, bytes);
    }
    Ok(records)
}
