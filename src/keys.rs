//! `ahu keys`: makes, lists, and revokes the keys of accounts.

use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use ahu_core::hex;
use ahu_service::accounts::{Command, KeyLine, NewKey, Reply, Scope, new_key};
use clap::Subcommand;
use serde_json::json;

use crate::arguments::units::lifetime;
use crate::files::key_file::NewKeyFiles;
use crate::network::OperatorArguments;
use crate::{CliError, Done, print_json, time_of_day};

commands! {
    /// Make, list, and revoke the keys of accounts
    #[derive(Debug, Subcommand)]
    pub(super) enum Keys {
        New(New),
        List(List),
        Revoke(Revoke),
    }
}

/// Make a key for an account, and print it once
///
/// The server keeps a hash alone, so nobody can show the key again. Whoever has it can call in the name of the account.
#[derive(Debug, clap::Args)]
pub(super) struct New {
    /// The name or the id of the account
    account: String,
    /// A scope of the key: play, create, train, watch, or organise; may be provided multiple times [default: the usual scopes of
    /// the account's kind]
    #[arg(long = "scope", value_name = "SCOPE", value_delimiter = ',')]
    scopes: Vec<Scope>,
    /// The time after which the key is not valid, such as `90d` [default: it does not expire]
    #[arg(long, value_name = "TIME", value_parser = lifetime)]
    expires: Option<Duration>,
    /// A label, such as the machine on which the key is used
    #[arg(long, value_name = "TEXT", default_value = "")]
    label: String,
    /// Write the key to this file, which must be new, and which its owner alone may read
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    on: OperatorArguments,
}

/// List keys, without their secrets
#[derive(Debug, clap::Args)]
pub(super) struct List {
    /// The name or the id of an account; without it, the keys of all accounts
    account: Option<String>,
    #[command(flatten)]
    on: OperatorArguments,
}

/// Make a key invalid for ever, from the next call on and for streams within a second
#[derive(Debug, clap::Args)]
pub(super) struct Revoke {
    /// The id of the key: the part after `ahu_`
    #[arg(value_name = "ID")]
    key: String,
    #[command(flatten)]
    on: OperatorArguments,
}

impl New {
    fn run(self, out: &mut impl Write) -> Done {
        let (key, mut files) = (new_key(), NewKeyFiles::default());
        if let Some(path) = &self.out {
            files.write(path.clone(), key.secret())?;
        }
        let expires_in = self.expires.map(|time| time.as_secs());
        let (scopes, label) = (self.scopes.iter().copied().collect(), self.label);
        let new = NewKey { id: key.id, hash: hex(&key.hash()), scopes, label, expires_in };
        let reply = self.on.make_keys(Command::NewKey { account: self.account, key: new }, false, files)?;
        let lines = lines(&reply)?;
        if self.on.json {
            let mut value = serde_json::to_value(&lines[0]).map_err(CliError::failed)?;
            if self.out.is_none() {
                value["secret"] = key.secret().into();
            }
            return print_json("key", value, out);
        }
        match &self.out {
            Some(path) => {
                show(lines, false, out)?;
                writeln!(out, "the key is in {}", path.display())?;
            }
            None => writeln!(out, "{}", key.secret())?,
        }
        Ok(())
    }
}

impl List {
    fn run(self, out: &mut impl Write) -> Done {
        let reply = self.on.execute(Command::ListKeys { account: self.account }, false)?;
        show(lines(&reply)?, self.on.json, out)
    }
}

impl Revoke {
    fn run(self, out: &mut impl Write) -> Done {
        let id = self.key.strip_prefix("ahu_").unwrap_or(&self.key);
        // A whole key is not kept in any history of commands beyond this one.
        let id = id.split('_').next().unwrap_or(id).to_owned();
        let reply = self.on.execute(Command::Revoke { key: id }, false)?;
        show(lines(&reply)?, self.on.json, out)
    }
}

fn lines(reply: &Reply) -> Result<&[KeyLine], CliError> {
    match reply {
        Reply::Keys { keys } => Ok(keys),
        _ => Err(CliError::Failed("expected keys, got another answer".to_owned())),
    }
}

/// Shows keys.
fn show(keys: &[KeyLine], as_json: bool, out: &mut impl Write) -> Done {
    if as_json {
        return print_json("keys", json!({ "keys": keys }), out);
    }
    for KeyLine { id, account, scopes, label, valid, revoked, created, expires } in keys {
        let state = match (valid, revoked) {
            (true, _) => "valid",
            (false, true) => "revoked",
            (false, false) => "not valid",
        };
        let expires = expires.map_or_else(String::new, |expires| format!(", until {}", time_of_day(expires)));
        let label = if label.is_empty() { String::new() } else { format!(", \"{label}\"") };
        writeln!(out, "{id}  {account}  ({scopes}; {state}, since {}{expires}{label})", time_of_day(*created))?;
    }
    Ok(())
}
