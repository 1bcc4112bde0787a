//! `ahu audit`: shows who did what on a server.

use std::io::Write;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use ahu_host::visible_text::shown;
use ahu_service::store::Place;
use ahu_service::{AuditLine, Stderr, audit_lines};
use clap::Subcommand;

use crate::arguments::units::lifetime;
use crate::{CliError, Done, time_of_day};

commands! {
    /// Show who did what on a server
    #[derive(Debug, Subcommand)]
    pub(super) enum Audit {
        Show(Show),
    }
}

/// Show the lines of the audit, the oldest first
#[derive(Debug, clap::Args)]
pub(super) struct Show {
    /// The data folder of the server, or its database
    #[arg(long, value_name = "PLACE", value_parser = Place::read)]
    data: Place,
    /// Show only lines that are not older than this, such as `1d`
    #[arg(long, value_name = "TIME", value_parser = lifetime)]
    since: Option<Duration>,
    /// Show only lines of this account, by its name or id, of `operator`, `organiser`, or `anonymous`
    #[arg(long, value_name = "NAME")]
    who: Option<String>,
    /// Show only lines of this act, such as `CreateMatch` or `revoke_key`
    #[arg(long, value_name = "ACT")]
    what: Option<String>,
    /// Print the lines as they are: an object of JSON each
    #[arg(long)]
    json: bool,
}

impl Show {
    fn run(self, out: &mut impl Write) -> Done {
        let first = self.since.and_then(|since| SystemTime::now().checked_sub(since)?.duration_since(UNIX_EPOCH).ok());
        let first = first.map_or(0, |first| first.as_millis() as u64);
        for (number, bytes) in (1..).zip(audit_lines(&self.data).map_err(CliError::Failed)?) {
            let bytes = bytes.map_err(CliError::Failed)?;
            // A crash or a full disk can cut a line, perhaps within a character.
            let read = str::from_utf8(&bytes).map_err(|error| error.to_string());
            let read = read.and_then(|text| Ok((text, serde_json::from_str(text).map_err(|error| error.to_string())?)));
            let (text, line): (_, AuditLine) = match read {
                Ok(read) => read,
                Err(error) => {
                    let place = &self.data;
                    Stderr::line(&format!("{place}, line {number}: expected a line of the audit, skipped: {error}"));
                    continue;
                }
            };
            let is_asked = |asked: &Option<String>, found: &str| asked.as_ref().is_none_or(|asked| asked == found);
            let is_who = is_asked(&self.who, &line.who) || self.who.is_some() && self.who == line.account;
            if line.at < first || !is_who || !is_asked(&self.what, &line.what) {
                continue;
            }
            match self.json {
                true => writeln!(out, "{text}")?,
                false => show(&line, out)?,
            }
        }
        Ok(())
    }
}

fn show(line: &AuditLine, out: &mut impl Write) -> Done {
    let AuditLine { at, who, key, what, target, result, address, .. } = line;
    let key = key.as_ref().map_or_else(String::new, |key| format!(" (key {key})"));
    // A stranger may have chosen the target.
    let (target, result) = (shown(target), shown(result));
    let target = if target.is_empty() { String::new() } else { format!(" {target}") };
    let address = if address.is_empty() { String::new() } else { format!(" from {address}") };
    Ok(writeln!(out, "{}  {who}{key}{address}: {what}{target}: {result}", time_of_day(at / 1000))?)
}
