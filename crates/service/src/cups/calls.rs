//! The calls of accounts for a ladder: agents enter, leave, and wake. They wait in a file until the run of the cup takes them, so
//! neither a restart of the server nor one of the run loses any.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::time::SystemTime;

use ahu_host::api::ApiError;
use serde::{Deserialize, Serialize};

use crate::accounts::{Account, AccountId};
use crate::limits::MAX_CUP_CALLS;
use crate::proto::cup;
use crate::refusals;

/// The time over which the calls of an account are counted, in seconds.
const DAY: u64 = 24 * 3600;

/// A call of an account.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct AccountCall {
    number: u64,
    /// The time, in seconds since 1970.
    at: u64,
    account_id: AccountId,
    account: String,
    kind: Kind,
    agent: String,
    games_at_once: u32,
    request: String,
}

/// The change that an account asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Kind {
    Enter,
    Leave,
    Wake,
}

/// The content of a call.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) kind: Kind,
    pub(crate) agent: String,
    pub(crate) games_at_once: u32,
    pub(crate) request: String,
}

/// The calls of a cup, in the order of their numbers.
#[derive(Debug)]
pub(super) struct Calls {
    file: File,
    all: Vec<AccountCall>,
}

impl AccountCall {
    pub(super) fn message(&self) -> cup::CupCall {
        let kind = match self.kind {
            Kind::Enter => cup::CupCallKind::Enter,
            Kind::Leave => cup::CupCallKind::Leave,
            Kind::Wake => cup::CupCallKind::Wake,
        };
        cup::CupCall {
            number: self.number,
            kind: kind.into(),
            account_id: self.account_id.to_string(),
            account: self.account.clone(),
            agent: self.agent.clone(),
            games_at_once: self.games_at_once,
        }
    }
}

impl Calls {
    /// Opens the file, or creates it. A last line that was cut off while it was written is no call.
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let mut file = OpenOptions::new().read(true).append(true).create(true).mode(0o600).open(path)?;
        let (mut all, mut length, mut line) = (Vec::new(), 0, String::new());
        let mut reader = BufReader::new(file.try_clone()?);
        while reader.read_line(&mut line)? > 0 && line.ends_with('\n') {
            all.push(serde_json::from_str(&line)?);
            length += line.len() as u64;
            line.clear();
        }
        file.set_len(length)?;
        file.flush()?;
        Ok(Self { file, all })
    }

    /// Adds a call, which is on the disk when this returns, and returns its number. The same request of an account gets the same
    /// number.
    pub(super) fn add(&mut self, account: &Account, asked: Asked) -> Result<u64, ApiError> {
        let at = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs());
        let Asked { kind, agent, games_at_once, request } = asked;
        let own = || self.all.iter().filter(|call| call.account_id == account.id);
        if let Some(known) = own().find(|call| call.request == request) {
            let is_same = (known.kind, &known.agent, known.games_at_once) == (kind, &agent, games_at_once);
            return if is_same { Ok(known.number) } else { Err(refusals::request_id_reused()) };
        }
        if own().filter(|call| call.at + DAY > at).count() >= MAX_CUP_CALLS {
            return Err(refusals::too_many_cup_calls(MAX_CUP_CALLS));
        }
        let number = self.all.last().map_or(1, |last| last.number + 1);
        let (account_id, account) = (account.id, account.name.clone());
        let call = AccountCall { number, at, account_id, account, kind, agent, games_at_once, request };
        let written = serde_json::to_string(&call).map_err(io::Error::from).and_then(|line| {
            self.file.write_all(format!("{line}\n").as_bytes())?;
            self.file.sync_data()
        });
        written.map_err(|error| {
            tracing::error!(%error, "a call for a ladder cannot be written");
            refusals::failed()
        })?;
        self.all.push(call);
        Ok(number)
    }

    /// Returns the calls after this number.
    pub(super) fn after(&self, number: u64) -> impl Iterator<Item = &AccountCall> {
        self.all[self.all.partition_point(|call| call.number <= number)..].iter()
    }

    /// Returns true if an account has asked to enter an agent of this name, which may have a version.
    pub(super) fn has_entered(&self, account: AccountId, agent: &str) -> bool {
        let stem = agent.split_once('@').map_or(agent, |(stem, _)| stem);
        self.all.iter().any(|call| call.account_id == account && call.kind == Kind::Enter && call.agent == stem)
    }
}
