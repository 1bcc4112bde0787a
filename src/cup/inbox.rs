//! Changes of a cup that has begun. Other commands hand them to the process that runs the cup, through its inbox.

use std::fs;
use std::path::Path;
use std::process;
use std::thread;
use std::time::{Duration, Instant};

use ahu_contest::cup::{Event, Journal, JournalError, Line, now};

use super::folder::CupFolder;
use crate::CliError;
use crate::files::create_private;

/// The maximum wait until the process that runs the cup has taken a change.
const PATIENCE: Duration = Duration::from_secs(20);
/// The interval of the checks during that wait.
const LOOK: Duration = Duration::from_millis(50);

/// Changes a cup that has begun: here, or through the process that runs the cup. Returns true if such a process runs.
pub(super) fn change(folder: &CupFolder, event: Event) -> Result<bool, CliError> {
    folder.state()?;
    let open = || match Journal::lock(&folder.journal()) {
        Ok(journal) => Ok(Some(journal)),
        Err(JournalError::InUse(_)) => Ok(None),
        Err(error) => Err(CliError::failed(error)),
    };
    let journal = match open()? {
        Some(journal) => Some(journal),
        None => send(&folder.data, &event, open)?,
    };
    let Some(mut journal) = journal else { return Ok(true) };
    let (mut state, end) = folder.read_journal()?;
    state.pass(now());
    state.change(&event).map_err(CliError::Usage)?;
    journal.resume(end).map_err(CliError::failed)?;
    journal.append(&Line::at(state.now, event)).map(|()| false).map_err(CliError::failed)
}

/// Hands a change to the process that runs the cup, and waits until that process has taken it. If the process ends first, `open`
/// opens the journal. Then this function returns the journal, and the caller has to make the change.
fn send<T>(
    data: &Path,
    event: &Event,
    mut open: impl FnMut() -> Result<Option<T>, CliError>,
) -> Result<Option<T>, CliError> {
    let inbox = data.join("inbox");
    create_private(&inbox)?;
    let name = format!("{}", process::id());
    let (draft, path, refusal) =
        (inbox.join(format!("{name}.new")), inbox.join(format!("{name}.json")), inbox.join(format!("{name}.error")));
    let text = serde_json::to_string(event).expect("an event has plain values");
    let written = fs::write(&draft, text).and_then(|()| fs::rename(&draft, &path));
    written.map_err(CliError::cannot("write", &path))?;
    let deadline = Instant::now() + PATIENCE;
    while path.exists() {
        if Instant::now() > deadline {
            // Take the change back, so that it does not happen later.
            let _ = fs::remove_file(&path);
            return Err(CliError::Failed(
                "the process that runs the cup does not answer; nothing was changed".to_owned(),
            ));
        }
        thread::sleep(LOOK);
        if let Some(journal) = open()? {
            // Nobody runs the cup any more. If the file is gone, the process took it just before its end.
            if fs::remove_file(&path).is_ok() {
                return Ok(Some(journal));
            }
        }
    }
    match fs::read_to_string(&refusal) {
        Ok(message) => {
            let _ = fs::remove_file(&refusal);
            Err(CliError::Usage(message))
        }
        Err(_) => Ok(None),
    }
}

/// Takes all changes from the inbox, and calls `apply` with each. If `apply` refuses a change, its sender gets the reason.
pub(super) fn receive(data: &Path, mut apply: impl FnMut(Event) -> Result<(), String>) {
    let Ok(entries) = fs::read_dir(data.join("inbox")) else { return };
    let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    paths.sort();
    for path in paths {
        let read = fs::read_to_string(&path).map_err(|error| error.to_string());
        let event = read.and_then(|text| serde_json::from_str(&text).map_err(|error| error.to_string()));
        if let Err(message) = event.and_then(&mut apply) {
            let _ = fs::write(path.with_extension("error"), message);
        }
        // The sender waits until the file is gone.
        let _ = fs::remove_file(&path);
    }
}
