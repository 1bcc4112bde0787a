//! `ahu accounts`: makes and changes the accounts of a server.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use ahu_core::parts::lines::counted;
use ahu_core::{ParseError, hex};
use ahu_service::Share;
use ahu_service::accounts::{AccountLine, Command, Kind, NewAccount, NewKey, Reply, Scopes, check_name, new_key};
use clap::Subcommand;
use serde_json::json;

use crate::arguments::units::lifetime;
use crate::files::key_file::NewKeyFiles;
use crate::files::{create_empty, create_private, table};
use crate::network::OperatorArguments;
use crate::{CliError, Done, print_json, time_of_day};

commands! {
    /// Make and change the accounts of a server: who may call, and who played
    ///
    /// A running server takes the commands over the socket `admin.sock` in its data folder; changes hold at once.
    #[derive(Debug, Subcommand)]
    pub(super) enum Accounts {
        Add(Add),
        List(List),
        Disable(Disable),
        Set(Set),
        Import(Import),
    }
}

/// Add an account; `ahu keys new` gives it a key. A missing data folder is created
#[derive(Debug, clap::Args)]
pub(super) struct Add {
    /// The name: 1 to 64 letters, digits, spaces, and the characters - _ . of ASCII; no other account has one that looks like it
    name: String,
    /// The kind: person, bot, or organiser
    #[arg(long, value_name = "KIND", default_value = "person")]
    kind: Kind,
    #[command(flatten)]
    on: OperatorArguments,
}

/// List all accounts
#[derive(Debug, clap::Args)]
pub(super) struct List {
    #[command(flatten)]
    on: OperatorArguments,
}

/// Make all keys of an account invalid, from the next call on and for streams within a second
#[derive(Debug, clap::Args)]
pub(super) struct Disable {
    /// The name or the id of the account
    name: String,
    /// Make them valid again
    #[arg(long)]
    undo: bool,
    #[command(flatten)]
    on: OperatorArguments,
}

/// Change the shares or the name of an account
#[derive(Debug, clap::Args)]
pub(super) struct Set {
    /// The name or the id of the account
    name: String,
    /// Set a share of the account, such as `matches=100`; `matches=default` takes it back; may be provided multiple times
    #[arg(long = "share", value_name = "NAME=COUNT", value_parser = own_share)]
    shares: Vec<(String, Option<u32>)>,
    /// Give the account another name; its id and its keys stay
    #[arg(long, value_name = "NAME")]
    rename: Option<String>,
    #[command(flatten)]
    on: OperatorArguments,
}

/// Add the accounts of a table, each with a key in a file of its own: all of them, or none
///
/// The table (CSV) has the columns `name` and, where wanted, `kind` and `scopes`, such as `play watch`. The keys are written to
/// NAME.key in the folder before the accounts are made, so that no account is without its key.
#[derive(Debug, clap::Args)]
pub(super) struct Import {
    /// The table
    #[arg(value_name = "CSV")]
    table: PathBuf,
    /// The folder for the keys, which must be new or empty
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// The time after which the keys are not valid, such as `90d` [default: they do not expire]
    #[arg(long, value_name = "TIME", value_parser = lifetime)]
    expires: Option<Duration>,
    #[command(flatten)]
    on: OperatorArguments,
}

/// A row of the table of accounts.
struct TableRow {
    name: String,
    kind: Kind,
    scopes: Scopes,
}

impl Add {
    fn run(self, out: &mut impl Write) -> Done {
        let Self { name, kind, .. } = self;
        let command = Command::Add { accounts: vec![NewAccount { name, kind, key: None }] };
        show(&self.on.execute(command, true)?, self.on.json, out)
    }
}

impl List {
    fn run(self, out: &mut impl Write) -> Done {
        show(&self.on.execute(Command::ListAccounts {}, false)?, self.on.json, out)
    }
}

impl Disable {
    fn run(self, out: &mut impl Write) -> Done {
        let command = Command::Disable { account: self.name, disabled: !self.undo };
        show(&self.on.execute(command, false)?, self.on.json, out)
    }
}

impl Set {
    fn run(self, out: &mut impl Write) -> Done {
        if self.shares.is_empty() && self.rename.is_none() {
            return Err(CliError::Usage("expected --share or --rename, got neither".to_owned()));
        }
        let shares: BTreeMap<_, _> = self.shares.into_iter().collect();
        let command = Command::Set { account: self.name, name: self.rename, shares };
        show(&self.on.execute(command, false)?, self.on.json, out)
    }
}

impl Import {
    fn run(self, out: &mut impl Write) -> Done {
        let rows = rows(&self.table)?;
        create_private(&self.out)?;
        create_empty("--out", &self.out)?;
        let (mut accounts, mut files) = (Vec::new(), NewKeyFiles::default());
        for TableRow { name, kind, scopes } in rows {
            let key = new_key();
            files.write(self.out.join(format!("{name}.key")), key.secret())?;
            let expires_in = self.expires.map(|time| time.as_secs());
            let key = NewKey { id: key.id, hash: hex(&key.hash()), scopes, label: String::new(), expires_in };
            accounts.push(NewAccount { name, kind, key: Some(key) });
        }
        let count = accounts.len();
        let reply = self.on.make_keys(Command::Add { accounts }, true, files)?;
        show(&reply, self.on.json, out)?;
        match self.on.json {
            true => Ok(()),
            false => Ok(writeln!(out, "wrote {} to {}", counted(count, "key"), self.out.display())?),
        }
    }
}

/// Parses an own share such as `matches=100` or `matches=default`.
fn own_share(text: &str) -> Result<(String, Option<u32>), String> {
    let parse = |(name, count): (&str, &str)| {
        let share = Share::of_accounts().find(|share| share.name() == name)?;
        let count = if count == "default" { None } else { Some(count.parse().ok()?) };
        Some((share.name().to_owned(), count))
    };
    text.split_once('=').and_then(parse).ok_or_else(|| {
        let names = Share::of_accounts().map(Share::name).collect::<Vec<_>>().join(", ");
        format!("expected NAME=COUNT or NAME=default with a name of {names}; got \"{text}\"")
    })
}

/// Reads the table of accounts.
fn rows(path: &Path) -> Result<Vec<TableRow>, CliError> {
    let wrong = |message: String| CliError::Usage(format!("{}: {message}", path.display()));
    let mut rows = Vec::new();
    for (line, [name, kind, scopes]) in table(path, ["name", "kind", "scopes"])? {
        let at = |message: String| wrong(format!("line {line}: {message}"));
        let unknown = |error: ParseError| at(error.message.into_owned());
        check_name(&name).map_err(at)?;
        let kind = if kind.is_empty() { Kind::default() } else { kind.parse().map_err(unknown)? };
        let scopes = scopes.split([' ', ',', ';']).filter(|scope| !scope.is_empty());
        let scopes = scopes.map(str::parse).collect::<Result<Scopes, _>>().map_err(unknown)?;
        rows.push(TableRow { name, kind, scopes });
    }
    match rows.is_empty() {
        true => Err(wrong("expected a row for each account, got none".to_owned())),
        false => Ok(rows),
    }
}

/// Shows accounts.
fn show(reply: &Reply, as_json: bool, out: &mut impl Write) -> Done {
    let Reply::Accounts { accounts } = reply else {
        return Err(CliError::Failed("expected accounts, got another answer".to_owned()));
    };
    if as_json {
        return print_json("accounts", json!({ "accounts": accounts }), out);
    }
    for AccountLine { id, name, kind, disabled, shares, valid_keys, created } in accounts {
        let keys = counted(valid_keys, "key");
        let shares: Vec<_> = shares.iter().map(|(name, count)| format!(", {name}={count}")).collect();
        let shares = shares.concat();
        let disabled = if *disabled { ", disabled" } else { "" };
        let day = time_of_day(*created);
        writeln!(out, "{id}  {name}  ({}, {keys}{shares}{disabled}, since {day})", kind.name())?;
    }
    Ok(())
}
