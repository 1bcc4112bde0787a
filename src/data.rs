//! `ahu data`: verifies, backs up, restores, and compacts the folder in which a server keeps matches, and copies it to a database
//! and back.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use ahu_arena::programs::temporary_folder;
use ahu_core::parts::lines::counted;
use ahu_service::proto::v1::MatchState;
use ahu_service::store::maintenance::{self, Fault, StoredRules, Verification};
use ahu_service::store::{Keep, Place};
use clap::Subcommand;
use serde_json::{Value, json};

use crate::arguments::units::{keep, size_text};
use crate::network::OperatorArguments;
use crate::terminal::progress::Progress;
use crate::{CliError, Done, lock, print_json};

commands! {
    /// Verify, back up, restore, compact, or copy the store of `ahu serve --data`
    #[derive(Debug, Subcommand)]
    pub(super) enum Data {
        Verify(VerifyFolder),
        Backup(Backup),
        Restore(Restore),
        Compact(Compact),
        Copy(Copy),
    }
}

/// Read a store in full, and name every damaged match and part; no server may use a folder meanwhile
///
/// Checks the file, the number of commits, the seal of every row, and the chain of every match; replays the entries of
/// every match, and compares the digest of its record with the published one. Nothing is changed. The command fails if
/// a part is damaged, if commits were lost, or if a match in progress needs rules that this release does not have. A database
/// is copied to a temporary folder first.
#[derive(Debug, clap::Args)]
pub(super) struct VerifyFolder {
    #[command(flatten)]
    on: OperatorArguments,
    /// Take a store that has lost commits as it is, so that a server starts with it again
    ///
    /// A lost commit is one that the server acknowledged, such as a seat or an action. Agents learn of it by errors:
    /// their matches stand at an earlier decision, or do not exist. A backup may be newer than what is left.
    #[arg(long)]
    accept_loss: bool,
}

/// Copy a store to one file, while a server runs or not
///
/// The backup has all that was committed when the command began. It holds the key of all tokens and the seeds of
/// matches in progress: anybody who reads it can play for every seat and knows all hidden cards. So its owner alone may
/// read it, or the group of a file that it replaces, and it should not leave your hands. The file appears under its name
/// when it is complete and checked.
#[derive(Debug, clap::Args)]
pub(super) struct Backup {
    #[command(flatten)]
    on: OperatorArguments,
    /// The file of the backup
    to: PathBuf,
    /// Replace a file with this name, once the backup is complete
    #[arg(long)]
    force: bool,
}

/// Make a backup the store in a folder, which is created if it is missing; no server may use it meanwhile
///
/// The backup is checked before anything in the folder changes. Matches continue from the time of the backup: what
/// happened after it is gone.
#[derive(Debug, clap::Args)]
pub(super) struct Restore {
    /// The file of the backup
    from: PathBuf,
    #[command(flatten)]
    on: OperatorArguments,
    /// Move a store in the folder aside, to `ahu.db.before-restore-N`
    #[arg(long)]
    force: bool,
    /// Restore a backup with damaged parts; a server sets its damaged matches aside
    #[arg(long)]
    accept_loss: bool,
}

/// Give the room of removed matches back to the disk; no server may use the store meanwhile
///
/// Writes the store anew, beside the old one, so the disk needs room for a copy.
#[derive(Debug, clap::Args)]
pub(super) struct Compact {
    #[command(flatten)]
    on: OperatorArguments,
    /// Remove the matches that exceed these bounds first: an age, a size, or both, such as `30d,10GB`
    #[arg(long, value_name = "BOUNDS", value_parser = keep)]
    keep: Option<Keep>,
}

/// Copy a whole store to a place that has none: from a folder to a database, back, or to another one
///
/// Every match, account, key, and line of the audit is copied, and compared by its digest. A server may use the source: the copy
/// has it as of the moment at which it began. To move a server, end it first, and start it with the copy: both would go on with
/// the same matches.
#[derive(Debug, clap::Args)]
pub(super) struct Copy {
    /// The store to copy: a folder, or a database as `postgres://USER@HOST/DATABASE`
    #[arg(value_parser = Place::read)]
    from: Place,
    /// The folder, which is created if it is missing, or the empty database
    #[arg(value_parser = Place::read)]
    to: Place,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Copy {
    fn run(self, out: &mut impl Write) -> Done {
        let Self { from, to, json } = self;
        let copy = with_progress(|report| maintenance::transfer(&from, &to, report))?;
        let maintenance::Transfer { matches, accounts, keys, audit_lines, digest } = copy;
        if json {
            let value = json!({"from": from.to_string(), "to": to.to_string(), "matches": matches, "accounts": accounts,
                "keys": keys, "audit_lines": audit_lines, "digest": digest});
            return print_json("data-copy", value, out);
        }
        let [matches, keys] = [counted(matches, "match"), counted(keys, "key")];
        writeln!(out, "{to}: {matches}, {accounts} accounts, {keys}, {} of the audit", counted(audit_lines, "line"))?;
        Ok(writeln!(out, "  the same as {from}: SHA-256 {digest}")?)
    }
}

/// Returns the folder of a command that works on folders alone.
fn folder(on: &OperatorArguments) -> Result<&Path, CliError> {
    on.data.folder("use the tools of PostgreSQL, or `ahu data copy`").map_err(CliError::Usage)
}

impl VerifyFolder {
    fn run(self, out: &mut impl Write) -> Done {
        let copy;
        let folder = match &self.on.data {
            Place::Folder(folder) => folder.as_path(),
            database @ Place::Database(_) => {
                copy = temporary_folder("ahu-verify-").map_err(CliError::failed)?;
                with_progress(|report| maintenance::transfer(database, &copy.path().into(), report))?;
                copy.path()
            }
        };
        let check = with_progress(|report| maintenance::verify(folder, self.accept_loss, report))?;
        match self.on.json {
            true => print_json("data-verification", self.as_json(&check), out)?,
            false => self.show(&check, out)?,
        }
        let unusable = self.reasons(&check);
        match unusable.is_empty() {
            true => Ok(()),
            false => Err(CliError::No(format!("{}: {}", self.on.data, unusable.join("; ")))),
        }
    }

    /// Returns the reasons why a server should not use this store; empty if there are none.
    fn reasons(&self, check: &Verification) -> Vec<String> {
        let damaged = match check.faults.len() {
            0 => None,
            1 => Some("1 part is damaged".to_owned()),
            count => Some(format!("{count} parts are damaged")),
        };
        let lost = (check.lost > 0 && !self.accept_loss).then(|| {
            let lost = counted(check.lost, "lost commit");
            format!("{lost}: restore a backup, or accept the loss with --accept-loss")
        });
        let missing = check.rules.iter().filter(|rules| rules.open > 0 && !rules.are_known());
        let missing = missing.map(|StoredRules { game, rules, release, open, .. }| {
            format!(
                "{open} matches in progress need {game} with rules version {rules}, which this release does not have: \
                 finish them with release {release} of ahu"
            )
        });
        damaged.into_iter().chain(lost).chain(missing).collect()
    }

    fn show(&self, check: &Verification, out: &mut impl Write) -> Done {
        let total: u64 = check.states.iter().map(|(_, count)| count).sum();
        writeln!(
            out,
            "{}: schema {}, {}, {}",
            self.on.data,
            check.schema,
            counted(check.commits, "commit"),
            size_text(check.bytes)
        )?;
        let states: Vec<_> =
            check.states.iter().map(|(state, count)| format!("{count} {}", state_text(*state))).collect();
        writeln!(
            out,
            "  matches: {total} ({}), {}, {}",
            states.join(", "),
            counted(check.entries, "entry"),
            counted(check.requests, "request")
        )?;
        if check.accounts > 0 {
            writeln!(out, "  accounts: {}, {}", check.accounts, counted(check.keys, "key"))?;
        }
        for rules in &check.rules {
            let StoredRules { game, rules: version, release, matches, open } = rules;
            let here = match (rules.are_known(), rules.version_here()) {
                (true, _) => "which this release has".to_owned(),
                (false, Some(here)) => format!("this release has version {here}, and release {release} of ahu has it"),
                (false, None) => format!("this release does not have the game, and release {release} of ahu has it"),
            };
            writeln!(
                out,
                "  {game}, rules version {version}: {}, {open} in progress; {here}",
                counted(matches, "match")
            )?;
        }
        if check.read < total {
            writeln!(out, "  {} matches could not be replayed", total - check.read)?;
        }
        show_faults(&check.faults, out)?;
        if check.lost > 0 {
            writeln!(
                out,
                "  lost: {}, which the server had acknowledged: seats and actions in them never happened{}",
                counted(check.lost, "commit"),
                if self.accept_loss { "; a server takes the store as it is from now on" } else { "" }
            )?;
        }
        if check.faults.is_empty() && check.lost == 0 {
            writeln!(out, "  no damage")?;
        }
        Ok(())
    }

    fn as_json(&self, check: &Verification) -> Value {
        let states: BTreeMap<_, _> = check.states.iter().map(|(state, count)| (state_text(*state), count)).collect();
        let rules = check.rules.iter().map(|rules| {
            let StoredRules { game, rules: version, release, matches, open } = rules;
            json!({"game": game, "rules_version": version, "release": release, "matches": matches,
                "in_progress": open, "known": rules.are_known()})
        });
        json!({
            "folder": self.on.data.to_string(), "usable": self.reasons(check).is_empty(), "schema": check.schema,
            "commits": check.commits, "lost_commits": check.lost, "loss_accepted": check.lost > 0 && self.accept_loss,
            "bytes": check.bytes,
            "matches": states, "replayed": check.read, "entries": check.entries, "requests": check.requests,
            "accounts": check.accounts, "keys": check.keys,
            "rules": rules.collect::<Value>(), "damaged": faults_json(&check.faults),
        })
    }
}

impl Backup {
    fn run(self, out: &mut impl Write) -> Done {
        let folder = folder(&self.on)?;
        let backup = with_progress(|report| maintenance::backup(folder, &self.to, self.force, report))?;
        let (file, maintenance::Backup { matches, bytes, lost }) = (self.to.display().to_string(), backup);
        if self.on.json {
            let value = json!({"file": file, "matches": matches, "bytes": bytes, "lost_commits": lost});
            return print_json("data-backup", value, out);
        }
        writeln!(out, "{file}: {}, {}", counted(matches, "match"), size_text(bytes))?;
        writeln!(out, "  it has the key of all tokens and the seeds of matches in progress: keep it secret")?;
        if lost > 0 {
            writeln!(out, "  the store had lost {} before: see `ahu data verify`", counted(lost, "commit"))?;
        }
        Ok(())
    }
}

impl Restore {
    fn run(self, out: &mut impl Write) -> Done {
        let folder = folder(&self.on)?;
        let restored =
            with_progress(|report| maintenance::restore(&self.from, folder, self.force, self.accept_loss, report))?;
        let (folder, matches) = (folder.display().to_string(), restored.matches);
        let aside = restored.aside.as_deref().map(|path| path.display().to_string());
        if self.on.json {
            let damaged = faults_json(&restored.faults);
            let value = json!({"folder": folder, "matches": matches, "moved_aside": aside, "damaged": damaged});
            return print_json("data-restoration", value, out);
        }
        writeln!(out, "{folder}: {} from {}", counted(matches, "match"), self.from.display())?;
        if let Some(aside) = aside {
            writeln!(out, "  the store before is now {aside}")?;
        }
        show_faults(&restored.faults, out)
    }
}

impl Compact {
    fn run(self, out: &mut impl Write) -> Done {
        let keep = self.keep.unwrap_or_default();
        let folder = folder(&self.on)?;
        let compaction = with_progress(|report| maintenance::compact(folder, &keep, report))?;
        let maintenance::Compaction { removed, matches, before, after } = compaction;
        if self.on.json {
            let value = json!({"folder": self.on.data.to_string(), "removed": removed, "matches": matches, "bytes_before": before,
                "bytes_after": after});
            return print_json("data-compaction", value, out);
        }
        let (before, after) = (size_text(before), size_text(after));
        Ok(writeln!(
            out,
            "{}: {before} before, {after} now; {} removed, {matches} kept",
            self.on.data,
            counted(removed, "match")
        )?)
    }
}

fn show_faults(faults: &[Fault], out: &mut impl Write) -> Done {
    faults.iter().try_for_each(|fault| Ok(writeln!(out, "  damaged: {fault}")?))
}

fn faults_json(faults: &[Fault]) -> Value {
    let json = |Fault { match_id, part, reason }: &Fault| json!({"match_id": match_id, "part": part, "reason": reason});
    faults.iter().map(json).collect()
}

/// Returns a state in lower case, such as `running`.
fn state_text(state: MatchState) -> String {
    state.as_str_name().trim_start_matches("MATCH_STATE_").to_lowercase()
}

/// Does long work, and shows its progress.
fn with_progress<T>(
    work: impl FnOnce(maintenance::Report<'_>) -> Result<T, maintenance::MaintenanceError>,
) -> Result<T, CliError> {
    let shown = Mutex::new(Progress::new());
    let done = work(&|maintenance::Progress { work, done, of }| {
        // If another thread is showing the progress, this one need not.
        if let Ok(mut shown) = shown.try_lock() {
            shown.show(|| match of {
                0 if done == 0 => work.to_owned(),
                0 => format!("{work}: {done}"),
                of => format!("{work}: {}%", 100 * done.min(of) / of),
            });
        }
    });
    lock(&shown).clear();
    done.map_err(CliError::failed)
}
