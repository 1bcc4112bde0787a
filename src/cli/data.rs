//! `ahu data`: the upkeep of the folder in which a server keeps matches.

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use ahu::proto::v1::MatchState;
use ahu::service::store::Keep;
use ahu::service::store::maintenance::{self, Check, Fault, Progress, StoredRules};
use clap::Subcommand;
use serde_json::{Value, json};

use super::bounds::{keep, size_text};
use super::{CliError, Done};

/// Check, back up, restore, or compact the folder of `ahu serve --data`
#[derive(Debug, clap::Args)]
pub(super) struct Data {
    #[command(subcommand)]
    command: DataCommand,
}

#[derive(Debug, Subcommand)]
enum DataCommand {
    Check(CheckFolder),
    Backup(Backup),
    Restore(Restore),
    Compact(Compact),
}

/// Read a store in full, and name every damaged match and part; no server may use it meanwhile
///
/// Checks the file, the number of commits, the seal of every row, and the chain of every match; replays the entries of
/// every match, and compares the digest of its record with the published one. Nothing is changed. The command fails if
/// a part is damaged, if commits were lost, or if a match in progress needs rules that this release does not have.
#[derive(Debug, clap::Args)]
pub(super) struct CheckFolder {
    /// The folder
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Take a store that has lost commits as it is, so that a server starts with it again
    ///
    /// A lost commit is one that the server acknowledged, such as a seat or an action. Agents learn of it by errors:
    /// their matches stand at an earlier decision, or do not exist. A backup may be newer than what is left.
    #[arg(long)]
    accept_loss: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Copy a store to one file, while a server runs or not
///
/// The backup has all that was committed when the command began. It holds the key of all tokens and the seeds of
/// matches in progress: anybody who reads it can play for every seat and knows all hidden cards. So its owner alone may
/// read it, and it should not leave your hands. The file appears under its name when it is complete and checked.
#[derive(Debug, clap::Args)]
pub(super) struct Backup {
    /// The folder
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// The file of the backup
    to: PathBuf,
    /// Replace a file with this name, once the backup is complete
    #[arg(long)]
    force: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Make a backup the store in a folder; no server may use it meanwhile
///
/// The backup is checked before anything in the folder changes. Matches continue from the time of the backup: what
/// happened after it is gone.
#[derive(Debug, clap::Args)]
pub(super) struct Restore {
    /// The file of the backup
    from: PathBuf,
    /// The folder, which is created if it is missing
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Move a store in the folder aside, to `ahu.db.before-restore-N`
    #[arg(long)]
    force: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Give the room of removed matches back to the disk; no server may use the store meanwhile
///
/// Writes the store anew, beside the old one, so the disk needs room for a copy.
#[derive(Debug, clap::Args)]
pub(super) struct Compact {
    /// The folder
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Remove the matches that exceed these bounds first: an age, a size, or both, such as `30d,10GB`
    #[arg(long, value_name = "BOUNDS", value_parser = keep)]
    keep: Option<Keep>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Data {
    pub(super) fn run(self, out: &mut impl Write) -> Done {
        match self.command {
            DataCommand::Check(check) => check.run(out),
            DataCommand::Backup(backup) => backup.run(out),
            DataCommand::Restore(restore) => restore.run(out),
            DataCommand::Compact(compact) => compact.run(out),
        }
    }
}

impl CheckFolder {
    fn run(self, out: &mut impl Write) -> Done {
        let check = with_meter(|report| maintenance::check(&self.folder, self.accept_loss, report))?;
        if self.json {
            writeln!(out, "{:#}", self.as_json(&check))?;
        } else {
            self.show(&check, out)?;
        }
        let unusable = self.reasons(&check);
        match unusable.is_empty() {
            true => Ok(()),
            false => Err(CliError::Failed(format!("{}: {}", self.folder.display(), unusable.join("; ")))),
        }
    }

    /// Returns the reasons why a server should not use the store as it is.
    fn reasons(&self, check: &Check) -> Vec<String> {
        let mut reasons = Vec::new();
        match check.faults.len() {
            0 => {}
            1 => reasons.push("1 part is damaged".to_owned()),
            count => reasons.push(format!("{count} parts are damaged")),
        }
        if check.lost > 0 && !self.accept_loss {
            reasons.push(format!(
                "{} are lost: restore a backup, or accept the loss with --accept-loss",
                commits(check.lost)
            ));
        }
        let missing = |rules: &&StoredRules| rules.open > 0 && !rules.are_known();
        for StoredRules { game, rules, release, open, .. } in check.rules.iter().filter(missing) {
            reasons.push(format!(
                "{open} matches in progress need {game} with rules version {rules}, which this release does not have: \
                 finish them with release {release} of ahu"
            ));
        }
        reasons
    }

    fn show(&self, check: &Check, out: &mut impl Write) -> Done {
        let Check { schema, commits: count, lost, bytes, states, read, entries, requests, rules, faults } = check;
        let total: u64 = states.iter().map(|(_, count)| count).sum();
        writeln!(out, "{}: schema {schema}, {}, {}", self.folder.display(), commits(*count), size_text(*bytes))?;
        let states: Vec<_> = states.iter().map(|(state, count)| format!("{count} {}", state_text(*state))).collect();
        writeln!(out, "  matches: {total} ({}), {entries} entries, {requests} requests", states.join(", "))?;
        for rules in rules {
            let StoredRules { game, rules: version, release, matches, open } = rules;
            let here = match (rules.are_known(), rules.version_here()) {
                (true, _) => "which this release has".to_owned(),
                (false, Some(here)) => format!("this release has version {here}, and release {release} of ahu has it"),
                (false, None) => format!("this release does not have the game, and release {release} of ahu has it"),
            };
            writeln!(out, "  {game}, rules version {version}: {matches} matches, {open} in progress; {here}")?;
        }
        if *read < total {
            writeln!(out, "  {} matches could not be replayed", total - read)?;
        }
        for fault in faults {
            writeln!(out, "  damaged: {fault}")?;
        }
        if *lost > 0 {
            writeln!(
                out,
                "  lost: {}, which the server had acknowledged: seats and actions in them never happened{}",
                commits(*lost),
                if self.accept_loss { "; a server takes the store as it is from now on" } else { "" }
            )?;
        }
        if faults.is_empty() && *lost == 0 {
            writeln!(out, "  no damage")?;
        }
        Ok(())
    }

    fn as_json(&self, check: &Check) -> Value {
        let Check { schema, commits, lost, bytes, states, read, entries, requests, rules, faults } = check;
        let states: serde_json::Map<_, _> =
            states.iter().map(|(state, count)| (state_text(*state).to_owned(), (*count).into())).collect();
        let rules_json = |rules: &StoredRules| {
            let StoredRules { game, rules: version, release, matches, open } = rules;
            json!({"game": game, "rules_version": version, "release": release, "matches": matches,
                "in_progress": open, "known": rules.are_known()})
        };
        let fault =
            |Fault { match_id, part, reason }: &Fault| json!({"match_id": match_id, "part": part, "reason": reason});
        json!({
            "folder": self.folder.display().to_string(),
            "usable": self.reasons(check).is_empty(),
            "schema": schema,
            "commits": commits,
            "lost_commits": lost,
            "loss_accepted": *lost > 0 && self.accept_loss,
            "bytes": bytes,
            "matches": states,
            "replayed": read,
            "entries": entries,
            "requests": requests,
            "rules": rules.iter().map(rules_json).collect::<Value>(),
            "damaged": faults.iter().map(fault).collect::<Value>(),
        })
    }
}

impl Backup {
    fn run(self, out: &mut impl Write) -> Done {
        let Self { folder, to, force, json } = self;
        let backup = with_meter(|report| maintenance::backup(&folder, &to, force, report))?;
        let maintenance::Backup { matches, bytes, lost } = backup;
        if json {
            let file = to.display().to_string();
            writeln!(out, "{:#}", json!({"file": file, "matches": matches, "bytes": bytes, "lost_commits": lost}))?;
            return Ok(());
        }
        writeln!(out, "{}: {matches} matches, {}", to.display(), size_text(bytes))?;
        writeln!(out, "  it has the key of all tokens and the seeds of matches in progress: keep it secret")?;
        if lost > 0 {
            writeln!(out, "  the store had lost {} before: see `ahu data check`", commits(lost))?;
        }
        Ok(())
    }
}

impl Restore {
    fn run(self, out: &mut impl Write) -> Done {
        let Self { from, folder, force, json } = self;
        let restored = with_meter(|report| maintenance::restore(&from, &folder, force, report))?;
        let aside = restored.aside.as_deref().map(|path| path.display().to_string());
        if json {
            let folder = folder.display().to_string();
            writeln!(out, "{:#}", json!({"folder": folder, "matches": restored.matches, "moved_aside": aside}))?;
            return Ok(());
        }
        writeln!(out, "{}: {} matches from {}", folder.display(), restored.matches, from.display())?;
        if let Some(aside) = aside {
            writeln!(out, "  the store before is now {aside}")?;
        }
        Ok(())
    }
}

impl Compact {
    fn run(self, out: &mut impl Write) -> Done {
        let (folder, keep) = (&self.folder, self.keep.unwrap_or_default());
        let compaction = with_meter(|report| maintenance::compact(folder, &keep, report))?;
        let maintenance::Compaction { removed, matches, before, after } = compaction;
        if self.json {
            let folder = folder.display().to_string();
            let value = json!({"folder": folder, "removed": removed, "matches": matches, "bytes_before": before,
                "bytes_after": after});
            writeln!(out, "{value:#}")?;
            return Ok(());
        }
        let (before, after) = (size_text(before), size_text(after));
        writeln!(out, "{}: {before} before, {after} now; {removed} matches removed, {matches} kept", folder.display())?;
        Ok(())
    }
}

/// Returns a number of commits as text.
fn commits(count: u64) -> String {
    if count == 1 { "1 commit".to_owned() } else { format!("{count} commits") }
}

fn state_text(state: MatchState) -> &'static str {
    match state {
        MatchState::Seating => "seating",
        MatchState::Running => "running",
        MatchState::Finished => "finished",
        MatchState::Cancelled => "cancelled",
        MatchState::Void => "void",
        MatchState::Unspecified => "unspecified",
    }
}

/// Does work that a person may wait for. Its progress goes to stderr if that is a terminal.
fn with_meter<T>(
    work: impl FnOnce(maintenance::Report<'_>) -> Result<T, maintenance::MaintenanceError>,
) -> Result<T, CliError> {
    let meter = Meter { is_shown: io::stderr().is_terminal(), last: Mutex::default() };
    let done = work(&|progress| meter.show(progress));
    meter.clear();
    done.map_err(CliError::failed)
}

/// The line at the terminal that shows the progress.
struct Meter {
    is_shown: bool,
    /// The time of the last line.
    last: Mutex<Option<Instant>>,
}

impl Meter {
    /// The time between two lines, which a person can still read.
    const PERIOD: Duration = Duration::from_millis(100);

    fn show(&self, Progress { work, done, of }: Progress) {
        if !self.is_shown {
            return;
        }
        // A thread that comes at the same time need not show the same.
        let Ok(mut last) = self.last.try_lock() else { return };
        if last.is_some_and(|last| last.elapsed() < Self::PERIOD) {
            return;
        }
        *last = Some(Instant::now());
        let done = match of {
            0 if done == 0 => String::new(),
            0 => format!(": {done}"),
            of => format!(": {}%", 100 * done.min(of) / of),
        };
        // An error of stderr cannot be reported anywhere.
        let _ = write!(io::stderr(), "\r\x1b[K{work}{done}");
    }

    fn clear(&self) {
        if self.last.lock().is_ok_and(|last| last.is_some()) {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}
