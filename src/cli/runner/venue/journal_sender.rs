//! The sender of a cup's journal to the server that hosts its matches, so that the server shows the cup.

use std::path::{Path, PathBuf};
use std::sync::Weak;
use std::time::Duration;

use ahu::proto::v1::AppendJournalRequest;
use serde_json::Value;
use tokio::sync::Mutex;
use tonic::{Code, Status};

use super::connection::Connection;
use crate::cli::network::is_transient;

/// The interval at which the journal is looked at.
const LOOK: Duration = Duration::from_millis(500);
/// The number of bytes of lines in a request, which has at least one line.
const BYTES: usize = 256 * 1024;

pub(super) struct JournalSender {
    path: PathBuf,
    connection: Weak<Connection>,
    sent: Mutex<Sent>,
}

/// The part of the journal that the server has.
#[derive(Default)]
struct Sent {
    /// The length of the journal when all of it was sent.
    length: u64,
    /// The number of lines.
    lines: u64,
}

impl JournalSender {
    pub(super) fn new(path: &Path, connection: Weak<Connection>) -> Self {
        Self { path: path.to_owned(), connection, sent: Mutex::default() }
    }

    /// Sends what is new in the journal for as long as the connection lives.
    pub(super) async fn run(self: std::sync::Arc<Self>) {
        loop {
            match self.send().await {
                Ok(()) => {}
                Err(status) if is_transient(&status) => {}
                // The server was released before it could show cups of organisers.
                Err(status) if status.code() == Code::Unimplemented => return,
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
        let Ok(text) = std::fs::read_to_string(&self.path) else { return Ok(()) };
        if text.len() as u64 == sent.length {
            return Ok(());
        }
        let whole = text.rfind('\n').map_or("", |end| &text[..end]);
        let lines: Vec<_> = whole.lines().collect();
        let Some(salt_hash) = lines.first().and_then(|line| salt_hash(line)) else { return Ok(()) };
        while (sent.lines as usize) < lines.len() {
            let (mut next, mut bytes) = (Vec::new(), 0);
            for line in &lines[sent.lines as usize..] {
                bytes += line.len();
                if bytes > BYTES && !next.is_empty() {
                    break;
                }
                next.push((*line).to_owned());
            }
            let request = AppendJournalRequest { salt_hash: salt_hash.clone(), from: sent.lines, lines: next };
            sent.lines = connection.client().append_journal(request).await?.into_inner().lines.min(lines.len() as u64);
        }
        sent.length = text.len() as u64;
        Ok(())
    }
}

/// Returns the hash of the salt in the first line of a journal.
fn salt_hash(line: &str) -> Option<String> {
    let line: Value = serde_json::from_str(line).ok()?;
    Some(line["salt_hash"].as_str()?.to_owned())
}
