//! The seats of `ahu mcp --server` in a file of the user: a chat client may start the program anew at any time, and its matches
//! go on.
//!
//! Each process has a file of its own, which it locks. The next process takes the first file that is free, and so the seats of
//! the process that has ended.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::PathBuf;

use ahu_service::mcp::OwnSeat;

use crate::CliError;
use crate::files::create_private;

/// The maximum number of processes that keep their seats on one server.
const MAX_PROCESSES: usize = 64;

/// A file with a line for each seat: the id of the match, and the token.
pub(super) struct KeptSeats {
    file: File,
    /// The seats in the file.
    seats: Vec<OwnSeat>,
}

impl KeptSeats {
    /// Opens the file of this process for a server, and returns the seats in it.
    pub(super) fn open(address: &str) -> Result<(Self, Vec<OwnSeat>), CliError> {
        let folder = folder()?;
        create_private(&folder)?;
        let server: Vec<_> = address.bytes().map(in_name).collect();
        let server = server.concat();
        for number in 1..=MAX_PROCESSES {
            let path = folder.join(format!("{server}-{number}"));
            let mut options = OpenOptions::new();
            let opened = options.read(true).write(true).create(true).truncate(false).mode(0o600).open(&path);
            let mut file = opened.map_err(CliError::cannot("open", &path))?;
            match file.try_lock() {
                Ok(()) => {
                    let seats = read(&mut file).map_err(CliError::cannot("read", &path))?;
                    return Ok((Self { file, seats: seats.clone() }, seats));
                }
                Err(TryLockError::WouldBlock) => {}
                Err(TryLockError::Error(error)) => return Err(CliError::cannot("lock", &path)(error)),
            }
        }
        Err(CliError::Failed(format!("{}: all files for this server are in use", folder.display())))
    }

    /// Adds the seats that the file does not have. Once there is none, the file becomes empty.
    pub(super) fn keep(&mut self, seats: &[OwnSeat]) -> io::Result<()> {
        if seats.is_empty() {
            self.file.rewind()?;
            self.file.set_len(0)?;
            self.seats.clear();
        }
        for seat in seats {
            if !self.seats.contains(seat) {
                self.file.write_all(format!("{} {}\n", seat.match_id, seat.token).as_bytes())?;
                self.seats.push(seat.clone());
            }
        }
        Ok(())
    }
}

/// Reads the seats in a file. A last line without an end was cut off while it was written, and leaves.
fn read(file: &mut File) -> io::Result<Vec<OwnSeat>> {
    let mut text = String::new();
    file.read_to_string(&mut text)?;
    let whole = text.rfind('\n').map_or(0, |end| end + 1);
    file.set_len(whole as u64)?;
    file.seek(SeekFrom::End(0))?;
    let lines = text[..whole].lines().filter_map(|line| line.split_once(' '));
    let seat = |(id, token): (&str, &str)| OwnSeat { match_id: id.to_owned(), token: token.to_owned() };
    Ok(lines.map(seat).collect())
}

/// Returns a byte of an address as it stands in the name of a file. No two addresses have the same name.
fn in_name(byte: u8) -> String {
    match byte {
        b'.' | b'0'..=b'9' | b'a'..=b'z' => char::from(byte).to_string(),
        _ => format!("_{byte:02x}"),
    }
}

/// Returns the folder in which a program keeps the state of its user.
fn folder() -> Result<PathBuf, CliError> {
    let folder = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let state = folder("XDG_STATE_HOME").or_else(|| folder("HOME").map(|home| home.join(".local/state")));
    let state = state.ok_or_else(|| CliError::Failed("neither XDG_STATE_HOME nor HOME names a folder".to_owned()))?;
    Ok(state.join("ahu/mcp"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seats_are_added_line_by_line_and_a_torn_line_leaves() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("seats");
        std::fs::write(&path, "0123456789abcdef one\n0123456789abcdee tw").expect("a file");
        let open = || OpenOptions::new().read(true).write(true).open(&path).expect("a file");
        let mut file = open();
        let seats = read(&mut file).expect("seats");
        assert_eq!(seats, [OwnSeat { match_id: "0123456789abcdef".to_owned(), token: "one".to_owned() }]);
        let mut kept = KeptSeats { file, seats: seats.clone() };
        let more = OwnSeat { match_id: "0123456789abcded".to_owned(), token: "three".to_owned() };
        let all = [seats, vec![more]].concat();
        kept.keep(&all).expect("there is room");
        kept.keep(&all).expect("there is room");
        assert_eq!(read(&mut open()).expect("seats"), all);
        kept.keep(&[]).expect("there is room");
        assert_eq!(read(&mut open()).expect("seats"), []);
        kept.keep(&all[1..]).expect("there is room");
        assert_eq!(read(&mut open()).expect("seats"), all[1..]);
    }

    #[test]
    fn no_two_addresses_have_one_name() {
        let name = |address: &str| address.bytes().map(in_name).collect::<String>();
        assert_eq!(name("https://a-b.example:1"), "https_3a_2f_2fa_2db.example_3a1");
        assert_ne!(name("a-b:1"), name("a_b:1"));
    }
}
