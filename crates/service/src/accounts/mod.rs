//! Accounts and their keys: who may call, and who played.
//!
//! An account is a person, a bot, or an organiser, and has keys. A key has scopes, and a table has the scope of each method
//! (`admission/scopes.rs`). The store keeps SHA-256 of each key alone, so a copy of the store is no key.
//!
//! Calls read a snapshot of all accounts in memory, and never wait for the disk. A change is written to the store of the folder
//! first, through a connection of its own, and then becomes the next snapshot. A receiver of the number of changes ends the
//! streams and waiting calls of a key that is no longer valid. Keys expire without a change, so `Accounts::follow` announces
//! each expiry.
//!
//! `command.rs` carries out the commands of the operator. The same function runs in a server, behind the admin socket, and in
//! the command itself when no server uses the folder.
//!
//! # Decisions
//!
//! A key is for joining; the token of a seat stands for it afterwards, so agents that know no keys play on a server that
//! requires them. The seat remembers the account and the key, and each call asks whether the key is still valid. A call that
//! depends on a token alone is admitted before any match has seen the token. If no match recognises it, the answer becomes
//! `NO_KEY`, whatever it was: so a stranger cannot tell a match that exists from one that does not. The layer around all
//! calls does this, and no handler knows of it.
//!
//! All reasons for which a key is not valid share one answer. An owner who asks why gets the reason from the operator, with
//! `ahu keys list`.
//!
//! A name is unique by its skeleton, and not by its letters, because a name is read by people. The list of confusable
//! letters is short: it has the letters of Cyrillic, Greek, and full width that look like those of ASCII in most fonts. A
//! longer list (Unicode TR 39) would be a dependency, for names that only players without accounts can have.
//!
//! Records have no account ids. A field for them would change the digests of all records, and a record is about a game, not
//! about who owns its players. The description of a match has them, and the store keeps it.
//!
//! Writes of accounts are no commits of the journal, and the lock file does not count them. So a lost write-ahead log would
//! bring back revoked keys without a word. Each write of accounts is therefore copied into the file of the store at once, as
//! far as no reader is in the way.
//!
//! Keys are made by the program that gives the command. The server gets a hash, so no secret passes the admin socket, and
//! the order is safe: first the file, then the account. The file goes only if the command was refused. A server that dies after
//! the change and before its answer leaves the answer in the store, beside the change, for the command that is sent again.

mod account;
mod client;
mod command;
mod directory;
mod key;
mod name;

pub use self::account::{Account, AccountId, Key, KeyId, Kind, Scope, Scopes};
pub(crate) use self::client::Client;
pub(crate) use self::command::seconds;
pub use self::command::{AccountLine, Command, KeyLine, NewAccount, NewKey, Reply, SentCommand};
pub(crate) use self::directory::Identity;
pub use self::directory::{Accounts, Player};
pub use self::key::{KeyText, new_key};
pub use self::name::check as check_name;
