//! The seats of `ahu mcp --server` in a file of the user: a chat client may start the program anew at any time, and its matches
//! go on.
//!
//! Each process has a file of its own, which it locks. The next process takes the first file that is free, and so the seats of
//! the process that has ended.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::PathBuf;

use ahu_service::mcp::OwnSeat;

use crate::CliError;
use crate::files::create_private;

/// The maximum number of processes that keep their seats on one server.
const MAX_PROCESSES: usize = 64;

/// A file with a line for each seat: the id of the match, and the token.
pub(super) struct KeptSeats(File);

impl KeptSeats {
    /// Opens the file of this process for a server, and returns the seats in it.
    pub(super) fn open(address: &str) -> Result<(Self, Vec<OwnSeat>), CliError> {
        let folder = folder()?;
        create_private(&folder)?;
        let is_plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '.';
        let server: String = address.chars().map(|letter| if is_plain(letter) { letter } else { '_' }).collect();
        for number in 1..=MAX_PROCESSES {
            let path = folder.join(format!("{server}-{number}"));
            let mut options = OpenOptions::new();
            let opened = options.read(true).write(true).create(true).truncate(false).mode(0o600).open(&path);
            let mut file = opened.map_err(CliError::cannot("open", &path))?;
            match file.try_lock() {
                Ok(()) => {
                    let mut text = String::new();
                    file.read_to_string(&mut text).map_err(CliError::cannot("read", &path))?;
                    let seats = text.lines().filter_map(|line| line.split_once(' '));
                    let seat = |(id, token): (&str, &str)| OwnSeat { match_id: id.to_owned(), token: token.to_owned() };
                    return Ok((Self(file), seats.map(seat).collect()));
                }
                Err(TryLockError::WouldBlock) => {}
                Err(TryLockError::Error(error)) => return Err(CliError::cannot("lock", &path)(error)),
            }
        }
        Err(CliError::Failed(format!("{}: all files for this server are in use", folder.display())))
    }

    /// Replaces the seats in the file.
    pub(super) fn write(&mut self, seats: &[OwnSeat]) -> io::Result<()> {
        let lines: Vec<_> = seats.iter().map(|OwnSeat { match_id, token }| format!("{match_id} {token}")).collect();
        self.0.rewind()?;
        self.0.set_len(0)?;
        self.0.write_all(lines.join("\n").as_bytes())
    }
}

/// Returns the folder in which a program keeps the state of its user.
fn folder() -> Result<PathBuf, CliError> {
    let folder = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let state = folder("XDG_STATE_HOME").or_else(|| folder("HOME").map(|home| home.join(".local/state")));
    let state = state.ok_or_else(|| CliError::Failed("neither XDG_STATE_HOME nor HOME names a folder".to_owned()))?;
    Ok(state.join("ahu/mcp"))
}
