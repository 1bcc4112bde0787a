//! The bytes that every store keeps: matches, seats, and requests, each with a seal that shows damage.
//!
//! The messages are protobuf without a proto file, since no other program reads them; a later release can add fields. Entries
//! are bytes of the record's binary form, one entry after another.

pub(super) mod accounts;
#[cfg(any(test, fuzzing))]
pub mod fuzzing;

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use ahu_core::{Seat, Seats};
use ahu_host::record::binary::{entry_bytes, read_entries};
use ahu_host::record::{FIRST_LINK, next_link};
use ahu_host::{AnyRules, BotName, Entry, MatchTime, Record, Referee, SeatPlayer, Transcript, check_match_id};
use prost::Message;
use sha2::{Digest as _, Sha256};

use super::{Comment, MatchHead, StoreError, StoredStep, TakenSeat};
use crate::accounts::{AccountId, KeyId, Player};
use crate::organiser::{Organiser, OwnedCup};
use crate::reservation::Reservation;
use crate::secrets::Digest;

/// The length of a seal, in bytes: an accident goes unnoticed once in 2^64.
const SEAL: usize = 8;

/// The parts of a new match that have no column of their own.
#[derive(Clone, PartialEq, Message)]
struct HeadMessage {
    #[prost(bytes = "vec", tag = "1")]
    record: Vec<u8>,
    #[prost(bytes = "vec", tag = "2")]
    salt: Vec<u8>,
    #[prost(bool, tag = "3")]
    seed_given: bool,
    #[prost(btree_map = "string, string", tag = "4")]
    labels: BTreeMap<String, String>,
    /// One for each seat, or none.
    #[prost(message, repeated, tag = "5")]
    reservations: Vec<ReservationMessage>,
    #[prost(string, tag = "6")]
    specification: String,
    #[prost(bool, tag = "7")]
    pinned: bool,
    #[prost(uint32, tag = "8")]
    spectator_delay: u32,
    #[prost(bool, tag = "9")]
    distinct_owners: bool,
    /// The id of the cup and of its organiser. Both are empty for a match of no cup.
    #[prost(string, tag = "10")]
    cup: String,
    #[prost(string, tag = "11")]
    organiser: String,
}

/// The reservation of a seat. Both fields are empty for a seat that is not reserved.
#[derive(Clone, PartialEq, Message)]
struct ReservationMessage {
    #[prost(string, tag = "1")]
    name: String,
    #[prost(bytes = "vec", tag = "2")]
    code: Vec<u8>,
}

#[derive(Clone, PartialEq, Message)]
struct SeatMessage {
    #[prost(string, tag = "1")]
    name: String,
    #[prost(bytes = "vec", tag = "2")]
    token: Vec<u8>,
    /// Empty for a seat that no request with an id took.
    #[prost(bytes = "vec", tag = "3")]
    request: Vec<u8>,
    /// The id of the player's account, and the id of the key with which it took the seat. Both are empty for a player without
    /// an account.
    #[prost(string, tag = "4")]
    account: String,
    #[prost(string, tag = "5")]
    key: String,
    #[prost(uint64, tag = "6")]
    at_ms: u64,
}

#[derive(Clone, PartialEq, Message)]
struct CommentMessage {
    #[prost(uint32, tag = "1")]
    seat: u32,
    #[prost(uint32, tag = "2")]
    decision: u32,
    #[prost(string, tag = "3")]
    text: String,
}

/// A record without its rules, and the labels of its match.
pub(super) type Labelled = (Transcript, BTreeMap<String, String>);

/// The columns of a match that stand beside its head.
#[derive(Clone, Debug)]
pub(super) struct Columns {
    pub(super) number: u64,
    pub(super) id: String,
    pub(super) release: String,
    pub(super) created_ms: u64,
    pub(super) is_unlisted: bool,
}

impl Columns {
    /// Returns the context of the head's seal: a column that changes breaks it too.
    fn context(&self) -> Vec<u8> {
        format!("head {} {} {} {} {}", self.number, self.id, self.release, self.created_ms, self.is_unlisted).into()
    }
}

pub(crate) fn damaged(match_id: &str, part: &str, reason: impl Into<String>) -> StoreError {
    StoreError::Damaged { match_id: match_id.to_owned(), part: part.to_owned(), reason: reason.into() }
}

pub(super) fn columns(head: &MatchHead) -> Columns {
    Columns {
        number: head.number,
        id: head.id.to_string(),
        release: env!("CARGO_PKG_VERSION").to_owned(),
        created_ms: to_ms(head.created),
        is_unlisted: head.is_unlisted,
    }
}

/// Returns the head of a new match, sealed.
pub(super) fn write_head(head: &MatchHead) -> Vec<u8> {
    let reservation = |reservation: &Option<Reservation>| match reservation {
        None => ReservationMessage::default(),
        Some(Reservation::Name(name)) => ReservationMessage { name: name.clone(), code: Vec::new() },
        Some(Reservation::Code(code)) => ReservationMessage { name: String::new(), code: code.to_vec() },
    };
    let message = HeadMessage {
        record: unplayed(head).to_bytes(),
        salt: head.salt.to_vec(),
        seed_given: head.seed_given,
        labels: head.labels.clone(),
        reservations: head.reservations.iter().map(reservation).collect(),
        specification: head.specification.clone(),
        pinned: head.is_pinned,
        spectator_delay: head.spectator_delay,
        distinct_owners: head.has_distinct_owners,
        cup: head.cup.map_or_else(String::new, |owned| owned.cup.to_string()),
        organiser: head.cup.map_or_else(String::new, |owned| owned.organiser.to_string()),
    };
    seal(&columns(head).context(), message.encode_to_vec())
}

/// Returns the record of a match before its first ply. The players of seats without a bot have no names yet.
fn unplayed(head: &MatchHead) -> Record {
    let player = |bot: &Option<BotName>| bot.map_or_else(|| SeatPlayer::external("agent"), SeatPlayer::bot);
    let players = head.bots.iter().map(player).collect();
    Referee::before_the_first_ply(head.setup.clone(), head.seed, players, head.terms.clone()).record()
}

/// Reads the transcript of a match before its first ply, and its labels, which need no rules.
pub(super) fn read_transcript(columns: &Columns, sealed: &[u8]) -> Result<Labelled, StoreError> {
    let (head, malformed) = read_message(columns, sealed)?;
    let transcript = Transcript::read(&head.record).map_err(|error| malformed(error.to_string()))?;
    Ok((transcript, head.labels))
}

fn read_message<'a>(
    columns: &'a Columns,
    sealed: &[u8],
) -> Result<(HeadMessage, impl Fn(String) -> StoreError + Copy + 'a), StoreError> {
    let malformed = |reason: String| damaged(&columns.id, "its head", reason);
    check_match_id(&columns.id).map_err(malformed)?;
    Ok((unsealed(&columns.context(), sealed).map_err(malformed)?, malformed))
}

pub(super) fn read_head(columns: &Columns, sealed: &[u8]) -> Result<MatchHead, StoreError> {
    let (head, malformed) = read_message(columns, sealed)?;
    let record = Record::read(&head.record).map_err(|error| match error {
        error if error.is_of_other_rules() => {
            StoreError::OtherRules { match_id: columns.id.clone(), release: columns.release.clone(), error }
        }
        error => malformed(error.to_string()),
    })?;
    let reservation = |message: ReservationMessage| match (message.name.is_empty(), message.code.is_empty()) {
        (true, true) => Ok(None),
        (false, _) => Ok(Some(Reservation::Name(message.name))),
        (true, false) => digest(&message.code).map(|code| Some(Reservation::Code(code))),
    };
    let reservations = head.reservations.into_iter().map(reservation).collect::<Result<_, _>>();
    let cup = match (&*head.cup, &*head.organiser) {
        ("", "") => None,
        (cup, organiser) => {
            let cup = cup.parse().map_err(malformed)?;
            let organiser = Organiser::read(organiser).ok_or_else(|| malformed("expected an organiser".to_owned()))?;
            Some(OwnedCup { organiser, cup })
        }
    };
    Ok(MatchHead {
        number: columns.number,
        id: columns.id.as_str().into(),
        created: from_ms(columns.created_ms),
        setup: record.setup,
        terms: record.terms,
        bots: record.players.into_iter().map(|player| player.bot).collect(),
        reservations: reservations.map_err(malformed)?,
        is_unlisted: columns.is_unlisted,
        is_pinned: head.pinned,
        cup,
        // It stands beside the head, since it changes.
        is_sealed: false,
        spectator_delay: head.spectator_delay,
        has_distinct_owners: head.distinct_owners,
        labels: head.labels,
        seed: record.seed,
        seed_given: head.seed_given,
        salt: digest(&head.salt).map_err(malformed)?,
        specification: head.specification,
    })
}

/// Returns a seat that an agent took, sealed.
pub(super) fn write_seat(match_id: &str, taken: &TakenSeat) -> Vec<u8> {
    let message = SeatMessage {
        name: taken.name.clone(),
        token: taken.token.to_vec(),
        request: taken.request.map_or_else(Vec::new, |request| request.to_vec()),
        account: taken.player.map_or_else(String::new, |player| player.account.to_string()),
        key: taken.player.map_or_else(String::new, |player| player.key.to_string()),
        at_ms: to_ms(taken.at),
    };
    seal(&seat_context(match_id, taken.seat.index()), message.encode_to_vec())
}

/// Reads a seat that an agent took.
pub(super) fn read_seat(match_id: &str, index: usize, sealed: &[u8]) -> Result<TakenSeat, StoreError> {
    let failed = |reason: String| damaged(match_id, &format!("seat {index}"), reason);
    let message: SeatMessage = unsealed(&seat_context(match_id, index), sealed).map_err(&failed)?;
    let request = Some(&message.request).filter(|request| !request.is_empty());
    let player = match (message.account.as_str(), message.key.as_str()) {
        ("", "") => None,
        (account, key) => {
            let ids = AccountId::read(account).zip(KeyId::read(key));
            let (account, key) = ids.ok_or_else(|| failed("expected the ids of an account and a key".to_owned()))?;
            Some(Player { account, key })
        }
    };
    Ok(TakenSeat {
        seat: Seat::new(index).ok_or_else(|| failed(format!("expected a seat, got {index}")))?,
        token: digest(&message.token).map_err(&failed)?,
        request: request.map(|request| digest(request)).transpose().map_err(&failed)?,
        name: message.name,
        player,
        at: from_ms(message.at_ms),
    })
}

fn seat_context(match_id: &str, index: usize) -> Vec<u8> {
    format!("seat {match_id} {index}").into()
}

/// Returns a comment on a decision, sealed. `place` is its place among the comments of the match.
pub(super) fn write_comment(match_id: &str, place: usize, comment: &Comment) -> Vec<u8> {
    let Comment { seat, decision, text } = comment;
    let message = CommentMessage { seat: seat.index() as u32, decision: *decision, text: text.clone() };
    seal(&comment_context(match_id, place), message.encode_to_vec())
}

/// Reads a comment on a decision.
pub(super) fn read_comment(match_id: &str, place: usize, sealed: &[u8]) -> Result<Comment, StoreError> {
    let failed = |reason: String| damaged(match_id, &format!("comment {place}"), reason);
    let CommentMessage { seat, decision, text } =
        unsealed(&comment_context(match_id, place), sealed).map_err(&failed)?;
    let seat = Seat::new(seat as usize).ok_or_else(|| failed(format!("expected a seat, got {seat}")))?;
    Ok(Comment { seat, decision, text })
}

fn comment_context(match_id: &str, place: usize) -> Vec<u8> {
    format!("comment {match_id} {place}").into()
}

/// Returns the content of a request, sealed.
pub(super) fn write_request(match_id: &str, id: &Digest, content: &Digest) -> Vec<u8> {
    seal(&[b"request ", match_id.as_bytes(), id].concat(), content.to_vec())
}

/// Reads the content of a request.
pub(super) fn read_request(match_id: &str, id: &Digest, sealed: &[u8]) -> Result<Digest, StoreError> {
    let content = unseal(&[b"request ", match_id.as_bytes(), id].concat(), sealed).and_then(digest);
    content.map_err(|reason| damaged(match_id, "one of its requests", reason))
}

/// Returns the description of a match that has ended, sealed.
pub(super) fn write_description(match_id: &str, description: &[u8]) -> Vec<u8> {
    seal(&[b"description ", match_id.as_bytes()].concat(), description.to_vec())
}

/// Reads the description of a match that has ended.
pub(super) fn read_description(match_id: &str, sealed: &[u8]) -> Result<Vec<u8>, String> {
    unseal(&[b"description ", match_id.as_bytes()].concat(), sealed).map(<[u8]>::to_vec)
}

/// The end of the log of a match: the number of its entries, and the last link of their chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LogEnd {
    pub(super) entries: usize,
    pub(super) link: Digest,
}

impl LogEnd {
    /// The end of a log without entries.
    pub(super) const START: Self = Self { entries: 0, link: FIRST_LINK };
}

/// The row of the entries that one call added.
#[derive(Clone, Debug)]
pub(super) struct EntryRow {
    pub(super) first: usize,
    pub(super) count: usize,
    pub(super) at: MatchTime,
    pub(super) body: Vec<u8>,
    pub(super) link: Vec<u8>,
}

/// Returns the row of entries that follow this end, and the end after them.
pub(super) fn write_entries(match_id: &str, end: LogEnd, entries: &[Entry], at: MatchTime) -> (EntryRow, LogEnd) {
    let link = entries.iter().fold(end.link, |link, entry| next_link(&link, entry));
    let mut row = EntryRow { first: end.entries, count: entries.len(), at, body: Vec::new(), link: link.to_vec() };
    row.body = seal(&row.context(match_id), entries.iter().flat_map(entry_bytes).collect());
    (row, LogEnd { entries: end.entries + entries.len(), link })
}

impl EntryRow {
    /// Returns true if the row has these entries.
    pub(super) fn has(&self, match_id: &str, entries: &[Entry]) -> bool {
        let bytes: Vec<u8> = entries.iter().flat_map(entry_bytes).collect();
        unseal(&self.context(match_id), &self.body).is_ok_and(|body| body == bytes)
    }

    fn context(&self, match_id: &str) -> Vec<u8> {
        format!("entries {match_id} {} {} {}", self.first, self.count, self.at.0).into()
    }
}

/// Reads the row of entries that follow this end, and returns the end after them. With rules, checks the ids of actions.
pub(super) fn read_row(
    match_id: &str,
    (seats, rules): (Seats, Option<&dyn AnyRules>),
    end: LogEnd,
    row: &EntryRow,
) -> Result<(StoredStep, LogEnd), StoreError> {
    let part = match row.count {
        1 => format!("entry {}", end.entries + 1),
        count => format!("entries {} to {}", end.entries + 1, end.entries + count),
    };
    let failed = |reason: String| damaged(match_id, &part, reason);
    if row.first != end.entries {
        let missing = format!("expected entry {} next, got entry {}", end.entries + 1, row.first + 1);
        return Err(damaged(match_id, &format!("entry {}", end.entries + 1), missing));
    }
    let body = unseal(&row.context(match_id), &row.body).map_err(failed)?;
    let entries = read_entries(body, row.count, seats, rules).map_err(|error| failed(error.to_string()))?;
    let link = entries.iter().fold(end.link, |link, entry| next_link(&link, entry));
    if link.as_slice() != row.link {
        return Err(failed("the chain of entries is broken".to_owned()));
    }
    Ok((StoredStep { at: row.at, entries }, LogEnd { entries: end.entries + row.count, link }))
}

/// Appends a seal to bytes: the first bytes of the SHA-256 of context and bytes.
fn seal(context: &[u8], mut bytes: Vec<u8>) -> Vec<u8> {
    let mark = mark(context, &bytes);
    bytes.extend(mark);
    bytes
}

/// Seals the key of all tokens.
pub(super) fn write_token_key(key: &Digest) -> Vec<u8> {
    seal(b"token_key", key.to_vec())
}

pub(super) fn read_token_key(sealed: &[u8]) -> Result<Digest, String> {
    digest(unseal(b"token_key", sealed)?)
}

/// Returns the bytes under a seal. An error says that they have changed, or belong elsewhere.
fn unseal<'a>(context: &[u8], sealed: &'a [u8]) -> Result<&'a [u8], String> {
    let bytes = sealed.split_last_chunk::<SEAL>().filter(|(bytes, found)| mark(context, bytes) == **found);
    bytes.map(|(bytes, _)| bytes).ok_or_else(|| "its bytes have changed".to_owned())
}

/// Returns the message under a seal.
fn unsealed<M: Message + Default>(context: &[u8], sealed: &[u8]) -> Result<M, String> {
    M::decode(unseal(context, sealed)?).map_err(|error| error.to_string())
}

fn mark(context: &[u8], bytes: &[u8]) -> [u8; SEAL] {
    let length = (context.len() as u64).to_le_bytes();
    let digest = Sha256::new().chain_update(length).chain_update(context).chain_update(bytes).finalize();
    *digest.first_chunk().expect("a digest is longer than a seal")
}

fn digest(bytes: &[u8]) -> Result<Digest, String> {
    bytes.try_into().map_err(|_| format!("expected a digest of 32 bytes, got {}", bytes.len()))
}

/// Returns a time of day in milliseconds since 1970.
pub(crate) fn to_ms(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as u64)
}

/// Returns the time of day of these milliseconds since 1970.
pub(super) fn from_ms(ms: u64) -> SystemTime {
    UNIX_EPOCH + Duration::from_millis(ms)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks that a row which was moved to another match, seat, or place is damaged.
    #[test]
    fn a_seat_and_a_comment_are_read_at_their_place_alone() {
        let seat = Seat::new(1).expect("a seat");
        let taken =
            TakenSeat { seat, token: [7; 32], request: None, name: "moai".to_owned(), player: None, at: UNIX_EPOCH };
        let sealed = write_seat("one", &taken);
        assert_eq!(read_seat("one", 1, &sealed).expect("its place").name, "moai");
        assert!(read_seat("one", 0, &sealed).is_err() && read_seat("two", 1, &sealed).is_err());

        let comment = Comment { seat, decision: 3, text: "a trap".to_owned() };
        let sealed = write_comment("one", 5, &comment);
        assert_eq!(read_comment("one", 5, &sealed).expect("its place").text, "a trap");
        assert!(read_comment("one", 4, &sealed).is_err() && read_comment("two", 5, &sealed).is_err());
    }

    /// Pins the form of a store to its number. A store of another form is then called one of another release, and its rows are
    /// not called damaged.
    #[test]
    fn a_new_form_of_a_store_has_a_new_number() {
        use crate::accounts::{Account, Key, Kind, Reply, Scopes};

        let (seat, time) = (Seat::new(1).expect("a seat"), from_ms(1_234));
        let (account, key) =
            (AccountId::read("abcdefghijkl").expect("an id"), KeyId::read("abcdefghijk2").expect("an id"));
        let head = HeadMessage {
            record: ahu_host::record::binary::MAGIC.to_vec(),
            salt: vec![1],
            seed_given: true,
            labels: BTreeMap::from([("key".to_owned(), "value".to_owned())]),
            reservations: vec![ReservationMessage { name: "moai".to_owned(), code: vec![2] }],
            specification: "text".to_owned(),
            pinned: true,
            spectator_delay: 3,
            distinct_owners: true,
            cup: "0123456789abcdef".to_owned(),
            organiser: "operator".to_owned(),
        };
        let player = Some(Player { account, key });
        let taken =
            TakenSeat { seat, token: [7; 32], request: Some([8; 32]), name: "moai".to_owned(), player, at: UNIX_EPOCH };
        let entries = [
            Entry::Action {
                seat,
                id: ahu_core::ActionId(5),
                by: ahu_host::DecidedBy::Player,
                time: ahu_host::ThinkingTime::default(),
            },
            Entry::Cancelled("text".to_owned()),
        ];
        let shares = BTreeMap::from([("matches".to_owned(), 7)]);
        let kind = Kind::Bot;
        let owner = Account { id: account, name: "moai".to_owned(), kind, is_disabled: true, shares, created: time };
        let (created, expires, revoked) = (time, Some(time), Some(time));
        let scopes = Scopes::from_bits(1).expect("a scope");
        let key = Key { id: key, account, hash: [9; 32], scopes, label: "l".to_owned(), created, expires, revoked };
        let rows = [
            super::super::sqlite::schema::TABLES.as_bytes().to_vec(),
            head.encode_to_vec(),
            write_seat("one", &taken),
            write_comment("one", 5, &Comment { seat, decision: 3, text: "a trap".to_owned() }),
            write_request("one", &[1; 32], &[2; 32]),
            write_token_key(&[3; 32]),
            write_description("one", b"text"),
            write_entries("one", LogEnd::START, &entries, MatchTime(9)).0.body,
            accounts::write_account(&owner),
            accounts::write_key(&key),
            accounts::write_reply("two", &Reply::Draining { draining: true }),
        ];
        let lengths = rows.iter().flat_map(|row| (row.len() as u64).to_le_bytes()).collect::<Vec<_>>();
        let form = ahu_core::hex(&Sha256::digest([lengths, rows.concat()].concat()));
        let number = super::super::sqlite::schema::SCHEMA;
        assert_eq!(
            (number, &form[..16]),
            (9, "b58a2461cf4f0516"),
            "a new form needs a new SCHEMA, and both stand here"
        );
    }
}
