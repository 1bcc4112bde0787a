//! The bytes that a store keeps, below their seals and without the digests of records: read, written, and folded.

use ahu_fuzz_targets::Input;
use ahu_host::record::binary::read_entries;
use ahu_host::{GAMES, MatchTime, Setup};
use prost::Message as _;
use sha2::{Digest as _, Sha256};

use super::super::{Comment, MatchHead, StoredMatch, StoredStep, TakenSeat};
use super::{
    Columns, HeadMessage, LogEnd, comment_context, read_comment, read_description, read_head, read_request, read_row,
    read_seat, seal, seat_context, write_comment, write_description, write_entries, write_head, write_seat,
};
use crate::proto::v1::MatchState;
use crate::secrets::Digest;

const ID: &str = "0123456789abcdef";
const DIGEST: Digest = [1; 32];

/// Takes the kind of the bytes, and the bytes: a head, a seat, a request, a description, entries, a match, or a comment.
pub fn run(bytes: &[u8]) -> bool {
    let mut input = Input(bytes);
    // The bytes above 6 have the kinds that they had before there were comments.
    let kind = match input.byte() {
        6 => 6,
        other => other % 6,
    };
    match kind {
        6 => comment(input.0, 3).is_some(),
        0 => head(input.0).is_some(),
        1 => seat(input.0, 1).is_some(),
        2 => {
            let read =
                read_request(ID, &DIGEST, &seal(&[b"request ", ID.as_bytes(), &DIGEST].concat(), input.0.to_vec()));
            assert_eq!(read.as_ref().ok().map(|digest| &digest[..]), Some(input.0).filter(|bytes| bytes.len() == 32));
            read.is_ok()
        }
        3 => {
            let read = read_description(ID, &write_description(ID, input.0));
            assert_eq!(read.as_deref(), Ok(input.0));
            read.is_ok()
        }
        4 => {
            let rules = GAMES[usize::from(input.byte()) % GAMES.len()];
            let setup = rules.configure(*rules.seats().start(), &[]).expect("the defaults fit");
            let count = usize::from(input.byte());
            step(&setup, LogEnd::START, count, input.0).is_some()
        }
        _ => whole(input),
    }
}

fn head(bytes: &[u8]) -> Option<MatchHead> {
    let mut message = HeadMessage::decode(bytes).ok()?;
    message.record.extend(Sha256::digest(&message.record));
    let release = env!("CARGO_PKG_VERSION").to_owned();
    let columns = Columns { number: 7, id: ID.to_owned(), release, created_ms: 1000, is_unlisted: true };
    let sealed = seal(&columns.context(), message.encode_to_vec());
    let head = read_head(&columns, &sealed).ok()?;
    let written = write_head(&head);
    let again = read_head(&columns, &written).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(write_head(&again), written);
    Some(head)
}

fn seat(bytes: &[u8], index: usize) -> Option<TakenSeat> {
    let taken = read_seat(ID, index, &seal(&seat_context(ID, index), bytes.to_vec())).ok()?;
    assert_eq!(read_seat(ID, index, &write_seat(ID, &taken)).as_ref(), Ok(&taken));
    Some(taken)
}

fn comment(bytes: &[u8], place: usize) -> Option<Comment> {
    let comment = read_comment(ID, place, &seal(&comment_context(ID, place), bytes.to_vec())).ok()?;
    let written = write_comment(ID, place, &comment);
    assert_eq!(read_comment(ID, place, &written).as_ref(), Ok(&comment));
    assert!(read_comment(ID, place + 1, &written).is_err(), "a comment belongs to one place");
    Some(comment)
}

fn step(setup: &Setup, end: LogEnd, count: usize, bytes: &[u8]) -> Option<(StoredStep, LogEnd)> {
    let table = (setup.seats(), Some(setup.rules()));
    let entries = read_entries(bytes, count, table.0, table.1).ok()?;
    let (row, after) = write_entries(ID, end, &entries, MatchTime(9));
    let read = read_row(ID, table, end, &row).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!((&read.0.entries, read.1), (&entries, after));
    assert!(read_row(&ID[1..], table, end, &row).is_err(), "a row belongs to one match");
    Some(read)
}

/// Folds a match: its state, its head, its seats, and its steps, each with its number of entries.
fn whole(mut input: Input<'_>) -> bool {
    let state = MatchState::try_from(i32::from(input.byte() % 6)).unwrap_or_default();
    let Some(head) = head(input.block()) else { return false };
    let taken = 0..usize::from(input.byte() % 8);
    let seats = taken.filter_map(|index| seat(input.block(), index)).collect();
    let (mut end, mut steps) = (LogEnd::START, Vec::new());
    while !input.is_empty() {
        let count = input.byte().into();
        let Some(read) = step(&head.setup, end, count, input.block()) else { break };
        steps.push(read.0);
        end = read.1;
    }
    let stored = StoredMatch { head, seats, requests: Vec::new(), steps, comments: Vec::new(), state, ended: None };
    let folded = stored.fold();
    assert!(folded.as_ref().err().is_none_or(|error| error != "its rules failed"), "a fold does not panic");
    folded.is_ok()
}

/// Returns matches of the playthroughs, begun and ended, and each of their parts.
#[cfg(test)]
pub fn seeds() -> Vec<Vec<u8>> {
    use std::collections::BTreeMap;

    use ahu_core::Seat;
    use ahu_host::Entry;
    use ahu_host::record::binary::entry_bytes;

    use super::{SEAL, from_ms};
    use crate::accounts::{AccountId, KeyId, Player};

    let (account, key) = (AccountId::read("abcdefghijkl"), KeyId::read("abcdefghijk2"));
    let player = account.zip(key).map(|(account, key)| Player { account, key });
    let token = TakenSeat {
        seat: Seat::new(1).expect("a seat"),
        name: "moai".to_owned(),
        token: DIGEST,
        request: None,
        player,
        at: from_ms(1_700_000_000_123),
    };
    let unsealed = |mut bytes: Vec<u8>| {
        bytes.truncate(bytes.len() - SEAL);
        bytes
    };
    let seat = unsealed(write_seat(ID, &token));
    let comment =
        Comment { seat: Seat::new(1).expect("a seat"), decision: 300, text: "two\nlines \u{1F5FF}".to_owned() };
    let comment = unsealed(write_comment(ID, 3, &comment));
    let mut seeds = vec![
        [&[1][..], &seat].concat(),
        [&[2][..], &DIGEST].concat(),
        b"\x03text".to_vec(),
        [&[6][..], &comment].concat(),
    ];
    for record in ahu_fuzz_targets::playthroughs() {
        let whole = MatchHead {
            number: 7,
            id: ID.into(),
            created: from_ms(1000),
            setup: record.setup.clone(),
            terms: record.terms.clone(),
            bots: record.players.iter().map(|player| player.bot).collect(),
            reservations: Vec::new(),
            is_unlisted: true,
            is_pinned: false,
            cup: None,
            is_sealed: false,
            spectator_delay: 3,
            has_distinct_owners: true,
            labels: BTreeMap::from([("key".to_owned(), "value".to_owned())]),
            seed: record.seed,
            seed_given: true,
            salt: DIGEST,
            specification: "text".to_owned(),
        };
        let mut message = HeadMessage::decode(&*unsealed(write_head(&whole))).expect("it was written");
        message.record.truncate(message.record.len() - 32);
        let head = message.encode_to_vec();
        seeds.push([&[0][..], &head].concat());
        let is_action = |entry: &Entry| matches!(entry, Entry::Action { .. });
        let begun = 5 + record.entries[5..].iter().position(is_action).expect("a game has actions");
        let bytes = |entries: &[Entry]| entries.iter().flat_map(entry_bytes).collect::<Vec<_>>();
        let game = GAMES.iter().position(|rules| rules.info().id == record.setup.rules().info().id);
        if record.setup.seats().count() == *record.setup.rules().seats().start() {
            let head = [4, game.expect("it is in the catalog") as u8, begun as u8];
            seeds.push([&head[..], &bytes(&record.entries[..begun])].concat());
        }
        for (state, entries) in [(MatchState::Running, begun), (MatchState::Finished, record.entries.len())] {
            let mut seed = [&[5, state as u8][..], &Input::of_block(&head), &[0]].concat();
            for entries in record.entries[..entries].chunks(50) {
                seed.push(entries.len() as u8);
                seed.extend(Input::of_block(&bytes(entries)));
            }
            seeds.push(seed);
        }
    }
    seeds
}
