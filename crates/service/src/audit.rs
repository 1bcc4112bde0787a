//! The audit: an append-only file, or a table of a database, that tells who did what.
//!
//! It has the commands of the operator, the calls of organisers that change something, the creation and the end of matches by
//! their creators, and keys that were refused. A line is an object of JSON. Keys stand in it by their ids, and tokens never.
//!
//! One thread writes the file. A call never waits for it: lines that come faster than the disk takes them are dropped, and the
//! next line tells how many. Strangers cannot fill the disk: refused calls, and the calls of clients without an account, are
//! written once a second for each address and act. The commands of the operator wait for the thread, and are never dropped.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant, SystemTime};

use ahu_host::api::ApiError;
use serde::{Deserialize, Serialize};

use super::accounts::{Client, KeyId, Reply, SentCommand};
use super::admission::Principal;
use super::limits::{AUDIT_LINES, AUDITED_ACTS, STRANGER_PAUSE, TRUSTED_BURST, TRUSTED_PAUSE};
use super::lock;
use super::store::{DatabaseAudit, Place, to_ms};

/// The file of the audit in the folder of a server.
pub const AUDIT: &str = "audit.jsonl";

/// The one who gives commands in the folder of a server.
const OPERATOR: &str = "operator";
/// The one who calls with the key of the operator's organiser.
pub(crate) const ORGANISER: &str = "organiser";

/// The one who calls without a key.
pub(crate) const ANONYMOUS: &str = "anonymous";

/// A line of the audit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditLine {
    /// The time of day, in milliseconds since 1970.
    pub at: u64,
    /// The name of the account, `operator`, `organiser`, or `anonymous`.
    pub who: String,
    /// The id of the account.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub account: Option<String>,
    /// The id of the key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// The act, such as `CreateMatch` or `revoke_key`.
    pub what: String,
    /// The id or the name of the thing that was acted on; may be empty.
    pub target: String,
    /// `ok`, or the reason of the refusal.
    pub result: String,
    /// The address, `loopback`, or `unix`; empty for a command in the folder.
    pub address: String,
}

/// The audit of a server. Clones share it. The default writes nothing.
#[derive(Clone, Default)]
pub struct Audit(Option<Arc<Log>>);

/// The queue of lines to the thread that writes them.
struct Log {
    /// None once the file is closed.
    lines: Mutex<Option<SyncSender<AuditLine>>>,
    thread: Mutex<Option<JoinHandle<()>>>,
    dropped: Arc<AtomicU64>,
    acts: Mutex<Acts>,
}

/// The times until which acts are paid for, by the act and who did it.
#[derive(Default)]
struct Acts(HashMap<(&'static str, Option<Principal>), Instant>);

opaque!(Audit);

impl Audit {
    /// Returns an audit that writes nothing.
    pub(crate) const fn none() -> Self {
        Self(None)
    }

    /// Opens the audit of a store. The file in a folder appears with the first line, readable for its owner alone.
    pub fn open(place: &Place) -> Self {
        let (lines, queue) = sync_channel(AUDIT_LINES);
        let (place, dropped) = (place.clone(), Arc::new(AtomicU64::new(0)));
        let (thread, of_thread) = (thread::Builder::new().name("audit".to_owned()), Arc::clone(&dropped));
        let thread = thread.spawn(move || write_all(&place, &queue, &of_thread)).expect("the system has threads");
        let (lines, thread) = (Mutex::new(Some(lines)), Mutex::new(Some(thread)));
        Self(Some(Arc::new(Log { lines, thread, dropped, acts: Mutex::default() })))
    }

    /// Writes the lines that wait, and takes no others. Blocks the thread.
    pub fn close(&self) {
        let Some(log) = &self.0 else { return };
        drop(lock(&log.lines).take());
        if let Some(thread) = lock(&log.thread).take() {
            // A thread that panicked has said so.
            let _ = thread.join();
        }
    }

    /// Carries out a command of the operator by `execute`, and notes it if it changes something. Blocks the thread while many
    /// lines wait.
    pub(crate) fn noted(&self, command: SentCommand, execute: impl FnOnce(SentCommand) -> Reply) -> Reply {
        let act = command.command.act();
        let reply = execute(command);
        let result = match &reply {
            Reply::Refused { message } | Reply::Failed { message } => message.as_str(),
            _ => "ok",
        };
        let lines = self.0.as_ref().and_then(|log| lock(&log.lines).clone());
        if let (Some((what, target)), Some(lines)) = (act, lines) {
            // The thread ends after the last line.
            let _ = lines.send(line(OPERATOR.to_owned(), what, &target, result.to_owned()));
        }
        reply
    }

    /// Notes a call with its result. A client without an account is called `nameless`.
    pub(crate) fn note_call<T>(
        &self,
        nameless: &str,
        client: &Client,
        what: &'static str,
        target: &str,
        result: &Result<T, ApiError>,
    ) {
        let identity = client.identity();
        let is_trusted = result.is_ok() && (identity.is_some() || nameless == ORGANISER);
        let account = identity.map(|identity| Principal::Account(identity.account.id));
        let may = match is_trusted {
            true => self.may_note(what, account.or(client.origin()), TRUSTED_PAUSE, TRUSTED_BURST),
            false => self.may_note(what, client.origin(), STRANGER_PAUSE, 1),
        };
        if !may {
            // Whoever reads the audit of trusted clients learns that lines are missing.
            let dropped = self.0.as_ref().filter(|_| is_trusted).map(|log| &log.dropped);
            dropped.map(|dropped| dropped.fetch_add(1, Ordering::Relaxed));
            return;
        }
        self.note(|| {
            let who = identity.map_or_else(|| nameless.to_owned(), |identity| identity.account.name.clone());
            let result = match result {
                Ok(_) => "ok".to_owned(),
                Err(error) => error.reason.reason().to_owned(),
            };
            AuditLine {
                account: identity.map(|identity| identity.account.id.to_string()),
                key: identity.map(|identity| identity.key.id.to_string()),
                address: address(client.origin()),
                ..line(who, what, target, result)
            }
        });
    }

    /// Notes a key that was refused, at most one a second for each address. `id` is its id; None for a text that is no key.
    pub(crate) fn note_refused_key(&self, id: Option<KeyId>, origin: Principal) {
        if !self.may_note("refused_key", Some(origin), STRANGER_PAUSE, 1) {
            return;
        }
        let target = id.map_or_else(|| "malformed".to_owned(), |id| id.to_string());
        self.note(|| AuditLine {
            address: address(Some(origin)),
            ..line(ANONYMOUS.to_owned(), "refused_key", &target, "BAD_KEY".to_owned())
        });
    }

    fn may_note(&self, what: &'static str, who: Option<Principal>, pause: Duration, burst: u32) -> bool {
        self.0.as_ref().is_some_and(|log| lock(&log.acts).may_note(Instant::now(), (what, who), pause, burst))
    }

    fn note(&self, line: impl FnOnce() -> AuditLine) {
        let Some(log) = &self.0 else { return };
        let lines = lock(&log.lines);
        let Some(lines) = lines.as_ref() else { return };
        if let Err(TrySendError::Full(_)) = lines.try_send(line()) {
            log.dropped.fetch_add(1, Ordering::Relaxed);
        }
    }
}

impl Acts {
    /// Returns true if an act of a client may be written now: once in each pause, and at most `burst` times at once.
    fn may_note(&mut self, now: Instant, act: (&'static str, Option<Principal>), pause: Duration, burst: u32) -> bool {
        let Self(acts) = self;
        if acts.len() >= AUDITED_ACTS {
            acts.retain(|_, paid_until| *paid_until > now);
        }
        // Each line is paid with a pause, and lines are paid in advance.
        let paid_until = acts.get(&act).map_or(now, |until| (*until).max(now)) + pause;
        let may = paid_until <= now + pause * burst && acts.len() < AUDITED_ACTS;
        if may {
            acts.insert(act, paid_until);
        }
        may
    }
}

fn line(who: String, what: &str, target: &str, result: String) -> AuditLine {
    let (at, what, target) = (to_ms(SystemTime::now()), what.to_owned(), target.to_owned());
    AuditLine { at, who, account: None, key: None, what, target, result, address: String::new() }
}

fn address(origin: Option<Principal>) -> String {
    origin.map_or_else(String::new, Principal::address)
}

/// The audit as it is written: opened by the first line, and again after an error.
enum Written {
    File(File),
    Table(Box<DatabaseAudit>),
}

/// Writes lines until the queue is closed, those that wait together. A place that cannot be written loses them, and the log says
/// so once.
fn write_all(place: &Place, queue: &Receiver<AuditLine>, dropped: &AtomicU64) {
    let mut written = None;
    let mut has_failed = false;
    while let Ok(first) = queue.recv() {
        let mut lines: Vec<_> = std::iter::once(first).chain(queue.try_iter().take(AUDIT_LINES)).collect();
        let missed = dropped.swap(0, Ordering::Relaxed);
        if missed > 0 {
            let text = format!("{missed} lines were dropped: they came too fast, or could not be written");
            lines.insert(0, AuditLine { at: lines[0].at, ..line("server".to_owned(), "dropped", "", text) });
        }
        // A connection that was cut is opened again.
        match write(&mut written, place, &lines).or_else(|_| write(&mut written, place, &lines)) {
            Ok(()) => has_failed = false,
            Err(error) => {
                written = None;
                dropped.fetch_add(missed + lines.len() as u64, Ordering::Relaxed);
                if !has_failed {
                    tracing::error!(error, %place, "the audit cannot be written");
                }
                has_failed = true;
            }
        }
    }
    if let Some(Written::File(file)) = written {
        // The lines are in the file; only a crash of the machine can lose them.
        let _ = file.sync_all();
    }
}

fn write(written: &mut Option<Written>, place: &Place, lines: &[AuditLine]) -> Result<(), String> {
    let texts =
        lines.iter().map(serde_json::to_string).collect::<Result<Vec<_>, _>>().map_err(|error| error.to_string())?;
    let mut start = "";
    let open = match (written.take(), place) {
        (Some(open), _) => open,
        (None, Place::Folder(folder)) => {
            let opened = opened(&folder.join(AUDIT));
            let (file, is_cut) = opened.map_err(|error| error.to_string())?;
            // A line that was cut off stays a line of its own.
            start = if is_cut { "\n" } else { "" };
            Written::File(file)
        }
        (None, Place::Database(database)) => {
            Written::Table(Box::new(DatabaseAudit::open(database, true).map_err(|error| error.to_string())?))
        }
    };
    let done = match &open {
        Written::File(file) => {
            let mut file: &File = file;
            file.write_all(format!("{start}{}\n", texts.join("\n")).as_bytes()).map_err(|error| error.to_string())
        }
        Written::Table(table) => table.append(&texts).map_err(|error| error.to_string()),
    };
    if done.is_ok() {
        *written = Some(open);
    }
    done
}

/// Opens the file, which is made if it is missing. Returns also whether its last line was cut off.
fn opened(path: &Path) -> io::Result<(File, bool)> {
    let mut file = OpenOptions::new().read(true).append(true).create(true).mode(0o600).open(path)?;
    let mut last = [b'\n'];
    if file.seek(SeekFrom::End(-1)).is_ok() {
        file.read_exact(&mut last)?;
    }
    Ok((file, last != *b"\n"))
}

/// The lines of an audit, as bytes.
type Lines = Box<dyn Iterator<Item = Result<Vec<u8>, String>>>;

/// Returns the lines of the audit of a store, the oldest first. Blocks the thread, and so does each line.
///
/// # Errors
/// If the audit cannot be read, with the place.
pub fn audit_lines(place: &Place) -> Result<Lines, String> {
    let words = place.to_string();
    let cannot = move |error: String| format!("cannot read the audit of {words}: {error}");
    match place {
        Place::Folder(folder) => {
            let file = File::open(folder.join(AUDIT)).map_err(|error| cannot(error.to_string()))?;
            let lines = io::BufRead::split(io::BufReader::new(file), b'\n');
            Ok(Box::new(lines.map(move |line| line.map_err(|error| cannot(error.to_string())))))
        }
        Place::Database(database) => {
            let table = DatabaseAudit::open(database, false).map_err(|error| cannot(error.to_string()))?;
            let mut after = Some(0);
            let pages = std::iter::from_fn(move || {
                let page = table.after(after?);
                after = page.as_ref().ok().and_then(|page| page.last()).map(|(last, _)| *last);
                Some(page)
            });
            Ok(Box::new(pages.flat_map(move |page| match page {
                Ok(page) => page.into_iter().map(|(_, line)| Ok(line.into_bytes())).collect::<Vec<_>>(),
                Err(error) => vec![Err(cannot(error.to_string()))],
            })))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::accounts::Command;
    use crate::refusals;

    #[test]
    fn lines_are_appended_and_refused_calls_are_few() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        for _ in 0..2 {
            let audit = Audit::open(&folder.path().into());
            let revoke = || SentCommand::from(Command::Revoke { key: "abcdefghijkl".to_owned() });
            audit.noted(revoke(), |_| Reply::Draining { draining: false });
            for _ in 0..100 {
                audit.note_refused_key(None, Principal::Loopback);
            }
            audit.note_refused_key(KeyId::read("abcdefghijkl"), Principal::Socket);
            let client = Client::new(None, None, Principal::Loopback);
            for _ in 0..100 {
                audit.note_call(ANONYMOUS, &client, "CancelMatch", "m", &Err::<(), _>(refusals::no_key()));
                audit.note_call(ANONYMOUS, &client, "ReportExit", "m", &Err::<(), _>(refusals::no_key()));
            }
            // A trusted client fills no disk either.
            for _ in 0..3 * TRUSTED_BURST {
                audit.note_call(ORGANISER, &client, "UnsealMatch", "m", &Ok(()));
            }
            audit.close();
            audit.noted(revoke(), |_| Reply::Draining { draining: false });
        }
        let text = fs::read_to_string(folder.path().join(AUDIT)).expect("a file");
        let lines: Vec<AuditLine> = text.lines().map(|line| serde_json::from_str(line).expect("a line")).collect();
        let count = |what: &str, target: &str, address: &str| {
            let is_meant = |line: &&AuditLine| (&*line.what, &*line.target, &*line.address) == (what, target, address);
            lines.iter().filter(is_meant).count()
        };
        assert_eq!(count("revoke_key", "abcdefghijkl", ""), 2, "the second one of each time came after the end");
        assert_eq!(count("refused_key", "abcdefghijkl", "unix"), 2);
        // Few of 200 lines, and a part of 3,600. A slow machine may write more than a fast one.
        for (what, target) in [("refused_key", "malformed"), ("CancelMatch", "m"), ("ReportExit", "m")] {
            assert!((2..100).contains(&count(what, target, "loopback")), "{what} {target}");
        }
        let burst = TRUSTED_BURST as usize;
        assert!((2 * burst..6 * burst).contains(&count("UnsealMatch", "m", "loopback")));
    }

    #[test]
    fn an_act_is_written_once_in_each_pause_after_a_burst() {
        let (mut acts, start, pause) = (Acts::default(), Instant::now(), Duration::from_secs(1));
        let mut written = |at: u64, act, burst| {
            let now = start + pause * at as u32;
            (0..10).filter(|_| acts.may_note(now, (act, Some(Principal::Loopback)), pause, burst)).count()
        };
        assert_eq!([written(0, "a", 3), written(0, "b", 1)], [3, 1], "each act has its own");
        assert_eq!([written(1, "a", 3), written(1, "b", 1)], [1, 1]);
        assert_eq!([written(3, "a", 3), written(9, "a", 3)], [2, 3], "nobody saves more than a burst");
    }

    #[test]
    fn a_line_that_was_cut_off_stays_a_line_of_its_own() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join(AUDIT);
        fs::write(&path, b"{\"at\":1,\"who\":\"m\xC3").expect("it is new");
        let audit = Audit::open(&folder.path().into());
        audit.note_refused_key(None, Principal::Loopback);
        audit.close();
        let bytes = fs::read(&path).expect("a file");
        let last = bytes.split(|&byte| byte == b'\n').nth(1).expect("two lines");
        assert_eq!(serde_json::from_slice::<AuditLine>(last).expect("a line").what, "refused_key");
    }
}
