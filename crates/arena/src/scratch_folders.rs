//! Scratch folders: a program that must forget its earlier games gets a new working folder for each game.

use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::Mutex;
use std::{env, fs, io};

use tempfile::TempDir;

use crate::programs::temporary_folder;
use crate::{Error, lock};

/// The maximum size of a file that is copied, in bytes. A larger file, such as the weights of a net, is linked.
const MAX_COPY: u64 = 1024 * 1024;
/// The prefix of the folder of all scratch folders.
const PREFIX: &str = "ahu-duel-";

/// The folder of all scratch folders of a run, which the first one creates. It is removed when this is dropped, and also if this
/// process is killed.
#[derive(Default)]
pub(super) struct Scratch(Mutex<Option<TempDir>>);

impl Scratch {
    /// Creates a scratch folder in which the command of a program works as in the working folder: it has copies of small files,
    /// and links to large files and to folders. Files that the program creates there are removed with the folder.
    pub(super) fn create(&self) -> Result<TempDir, Error> {
        self.try_create().map_err(|error| Error::Failed(format!("cannot create a scratch folder: {error}")))
    }

    fn try_create(&self) -> io::Result<TempDir> {
        let mut parent = lock(&self.0);
        let parent = match &mut *parent {
            Some(parent) => parent,
            none => none.insert(temporary_folder(PREFIX)?),
        };
        let folder = tempfile::Builder::new().tempdir_in(parent)?;
        fill(&env::current_dir()?, folder.path())?;
        Ok(folder)
    }
}

fn fill(from: &Path, folder: &Path) -> io::Result<()> {
    for entry in from.read_dir()? {
        let entry = entry?;
        let name = entry.file_name();
        if name.to_string_lossy().starts_with(PREFIX) {
            // The working folder is the folder for temporary files itself: skip scratch folders.
            continue;
        }
        // A link that leads nowhere has no metadata.
        let is_small = fs::metadata(entry.path()).is_ok_and(|found| found.is_file() && found.len() <= MAX_COPY);
        match is_small {
            true => fs::copy(entry.path(), folder.join(name)).map(drop)?,
            false => symlink(entry.path(), folder.join(name))?,
        }
    }
    Ok(())
}
