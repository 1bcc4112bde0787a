//! The sender of a cup's journal to the server that hosts its matches, so that the server shows the cup.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Weak;
use std::time::Duration;

use ahu_service::proto::cup::AppendJournalRequest;
use tokio::sync::Mutex;
use tonic::Status;

use super::connection::Connection;
use crate::channel::is_transient;

/// The interval at which the journal is looked at.
const LOOK: Duration = Duration::from_millis(500);
/// The number of bytes in a request, which is below the maximum of a server.
const PART: u64 = 32 * 1024;

pub(super) struct JournalSender {
    /// The path of the journal.
    journal: PathBuf,
    cup_id: String,
    connection: Weak<Connection>,
    /// The number of bytes that the server has.
    sent: Mutex<u64>,
}

impl JournalSender {
    pub(super) fn new(journal: PathBuf, cup_id: String, connection: Weak<Connection>) -> Self {
        Self { journal, cup_id, connection, sent: Mutex::default() }
    }

    /// Sends what is new in the journal for as long as the connection lives.
    pub(super) async fn run(self: std::sync::Arc<Self>) {
        loop {
            match self.send().await {
                Ok(()) => {}
                Err(status) if is_transient(&status) => {}
                Err(status) => {
                    let Some(connection) = self.connection.upgrade() else { return };
                    let message = status.message();
                    connection.tell(format!("the server does not show the cup: {message}"));
                    return;
                }
            }
            tokio::time::sleep(LOOK).await;
            if self.connection.strong_count() == 0 {
                return;
            }
        }
    }

    /// Sends what is new in the journal.
    pub(super) async fn send(&self) -> Result<(), Status> {
        let Some(connection) = self.connection.upgrade() else { return Ok(()) };
        let mut sent = self.sent.lock().await;
        let length = std::fs::metadata(&self.journal).map_or(0, |file| file.len());
        if length == *sent {
            return Ok(());
        }
        loop {
            let Ok(part) = part(&self.journal, *sent) else { return Ok(()) };
            if part.is_empty() {
                return Ok(());
            }
            let request = AppendJournalRequest { cup_id: self.cup_id.clone(), offset: *sent, part: part.into() };
            *sent = connection.client().organiser.append_journal(request).await?.into_inner().length;
        }
    }
}

/// Reads the part of a journal from this byte on, without a last line that is being written; a part of a longer line is whole.
fn part(journal: &Path, from: u64) -> io::Result<Vec<u8>> {
    let (mut file, mut part) = (File::open(journal)?, Vec::new());
    file.seek(SeekFrom::Start(from))?;
    file.take(PART).read_to_end(&mut part)?;
    if (part.len() as u64) < PART {
        part.truncate(part.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1));
    }
    Ok(part)
}
