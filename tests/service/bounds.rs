//! The numbers in the comments of the protos are those of the code: each default and bound that a comment names has a row below,
//! made from the constants of the code.

use std::fs;
use std::num::{NonZeroU8, NonZeroU16};
use std::time::Duration;

use ahu_host::api::terms::DEFAULT_LAG;
use ahu_host::raster::WIDTHS;
use ahu_host::record::MAX_NAME;
use ahu_host::{Conduct, MAX_CONTROL, MAX_REASON};
use ahu_service::Limits;
use ahu_service::limits::{
    DEFAULT_HEARTBEAT, DEFAULT_PAGE, HEARTBEAT, LABEL_KEY, MAX_ANSWER_EVENTS, MAX_COMMENT, MAX_COMMENTS, MAX_JOURNAL,
    MAX_LABEL_VALUE, MAX_LABELS, MAX_LOOKED_AT, MAX_PAGE, MAX_PLAYING, MAX_QUEUES, MAX_STEM, MAX_WAIT, PAGE_BYTES,
    PRESENCE_GRACE, REQUEST_ID,
};
use ahu_service::proto::DESCRIPTORS;
use prost::Message;
use prost_types::{DescriptorProto, EnumDescriptorProto, FileDescriptorProto, FileDescriptorSet};

use crate::programs::repository;

/// Phrases whose numbers are no bounds, each with the reason.
const FORMATS: &[(&str, &str)] = &[
    ("+1 for the first place, -1 for the last", "the range of rewards"),
    ("SHA-256", "a name"),
    ("UTF-8", "a name"),
    ("agent-3f2a1c", "an example of a name"),
    ("from 0 to 1; 0.5 without games", "the range of a share"),
    ("from 0 to 2^64 - 1", "the range of a type"),
    ("from 0", "the number of the first one"),
    ("from seat 0", "the number of the first one"),
    ("begin at 0", "the number of the first one"),
    ("from 1", "the number of the first one"),
    ("0 begins before the first event", "the number before the first one"),
    ("0 asks for all", "the number before the first one"),
    ("0 to Limits.", "no bound; the upper one is in Limits"),
    ("above 0", "no bound"),
    ("0 replaces the copy", "no bound"),
    ("seed of environment 0", "the number of the first one"),
    ("0 for an anchor", "the absence of a number"),
    ("0 means one group", "the absence of a number"),
    ("action_count - 1", "the last of a number of items"),
    ("offset + size - 1", "the last of a number of items"),
    ("(g + 1) * n / k - 1", "the last of a number of items"),
    ("bit i % 8 (the lowest is 0) of byte i / 8", "the layout of bits"),
    ("bit i % 8 of byte i / 8", "the layout of bits"),
    ("8 * ceil(bit_count / 64) bytes", "the layout of bits"),
    ("8 * ceil(action_count / 64) bytes", "the layout of bits"),
    ("8 * ceil(seat_count * bit_count / 64) bytes", "the layout of bits"),
    ("2 * seat_count * number_count bytes", "the layout of numbers"),
    ("2 bytes each", "the layout of a column"),
    ("4 bytes each", "the layout of a column"),
    ("2 bytes a row", "the layout of a column"),
    ("-1 for none", "the absence of a number"),
    ("k from 1", "the number of the first one"),
    ("0: no episode is truncated", "the absence of a number"),
    ("1 if this request ended an episode, by its rules or by Open.max_decisions, otherwise 0", "a flag"),
    ("1 if Open.max_decisions ended that episode, otherwise 0", "a flag"),
    ("first 16 digits", "the length of an id"),
    ("first 16 hexadecimal digits", "the length of an id"),
    ("32 bytes", "the length of a digest"),
    ("1 in a row that shows the end of an episode", "a flag"),
    ("1 in each row that begins an episode, otherwise 0", "a flag"),
    ("0 in a row that shows the end of an episode", "the absence of a number"),
    ("otherwise 0.", "the absence of a number"),
    ("0 for an action that was not tried", "the absence of a number"),
    ("to 1: the lead over the best other seat, squashed, where 0.5 is no lead", "the range of a utility"),
    ("0 without playouts", "the absence of a number"),
    ("0 with fewer than two playouts", "the absence of a number"),
    ("what was paid: 0,", "the absence of a number"),
    ("2 * number_count bytes", "the layout of numbers"),
    ("16-bit", "the layout of numbers"),
    ("1 byte a", "the layout of a column"),
    ("2 bytes each, little-endian", "the layout of a column"),
    ("4 bytes each, little-endian", "the layout of a column"),
    ("8 bytes each, little-endian", "the layout of a column"),
    ("4 bytes a", "the layout of a column"),
    ("8 bytes a row", "the layout of a column"),
    ("8 bytes, little-endian", "the layout of a number"),
    ("first 8 bytes of", "the length of a fingerprint"),
    ("modulo 2^64", "the range of a type"),
    ("below 2^53", "the whole numbers of a float"),
    ("64 bits", "the length of a network"),
    ("1 for an empty shape", "the empty product"),
    ("1 is first", "the first rank"),
    ("(1, 1, 3)", "an example of ranks"),
    ("1 for the first", "the first rank"),
    ("other seats have 0", "the absence of a reward"),
    ("+1 is the left neighbour", "the number of the first one"),
    ("counts 1/k", "a part"),
];

fn seconds(time: Duration) -> String {
    assert_eq!(time.subsec_nanos(), 0);
    format!("{} s", time.as_secs())
}

fn constant_of(path: &str, name: &str) -> String {
    let text = fs::read_to_string(repository().join(path)).expect("the file is there");
    let (_, value) = text.split_once(&format!("const {name}: ")).expect("the constant is there");
    let value = value.split_once("= ").and_then(|(_, value)| value.split_once(';')).expect("it has a value").0;
    value.replace('_', "")
}

/// Returns the defaults and bounds that comments name: an element, and the phrases of its comment in their order.
fn bounds() -> Vec<(&'static str, Vec<String>)> {
    let code = format!("{} to {} printable", REQUEST_ID.start(), REQUEST_ID.end());
    let wait = format!("at most Limits.wait ({})", seconds(MAX_WAIT));
    let pages = vec![format!("0 means {DEFAULT_PAGE}."), format!("a number above {MAX_PAGE} to {MAX_PAGE}.")];
    let conduct = Conduct::default();
    let [pause, longest] = [HEARTBEAT.start(), HEARTBEAT.end()].map(|&pause| seconds(pause));
    let tries: NonZeroU16 = conduct.tries;
    let strikes: NonZeroU8 = conduct.strikes;
    assert_eq!(MAX_CONTROL, 24 * 60 * 60 * 1000, "a day");
    let mut page_of_matches = pages.clone();
    page_of_matches.push(format!("it ends after {} KiB", PAGE_BYTES / 1024));
    page_of_matches.push(format!("looked at {MAX_LOOKED_AT} matches"));
    vec![
        ("Limits.bot_playouts", vec![format!("such as {}:", Limits::default().bot_playouts)]),
        ("CreateMatchRequest.request_id", vec![code.clone()]),
        (
            "MatchSpec.labels",
            vec![
                format!("at most {MAX_LABELS},"),
                format!("keys of {} to {} bytes", LABEL_KEY.start(), LABEL_KEY.end()),
                format!("values of up to {MAX_LABEL_VALUE} bytes"),
            ],
        ),
        ("TimeControl", vec!["each at most a day".to_owned()]),
        ("TimeControl.lag", vec![format!("Absent: {DEFAULT_LAG} ms")]),
        ("Conduct.tries", vec![format!("1 to {},", NonZeroU16::MAX), format!("0: {tries}.")]),
        ("Conduct.strikes", vec![format!("1 to {},", NonZeroU8::MAX), format!("Absent in a request: {strikes},")]),
        ("Reservation.invitation_code", vec![code.clone()]),
        ("JoinMatchRequest.name", vec![format!("1 to {MAX_NAME} bytes")]),
        ("JoinMatchRequest.request_id", vec![code.clone()]),
        ("AwaitSeatRequest.wait", vec![wait.clone()]),
        ("AwaitSeatRequest.playing", vec![format!("at most {MAX_PLAYING},")]),
        ("GetMatchRequest.wait", vec![wait.clone()]),
        ("ListMatchesRequest.page_size", page_of_matches),
        ("SeatInfo.present", vec![format!("less than {} seconds ago", PRESENCE_GRACE.as_secs())]),
        ("ObserveRequest.wait", vec![wait.clone()]),
        (
            "WatchMatchRequest.heartbeat",
            vec![
                format!("{pause} to {longest}."),
                format!("shorter pauses to {pause},"),
                format!("longer pauses to {longest}."),
                format!("Absent: {}.", seconds(DEFAULT_HEARTBEAT)),
            ],
        ),
        ("StepRequest.wait", vec![wait.clone()]),
        ("StepRequest.comment", vec![format!("up to {MAX_COMMENT} bytes"), format!("up to {MAX_COMMENTS} bytes")]),
        ("Observation.events", vec![format!("at most Limits.answer_events ({MAX_ANSWER_EVENTS});")]),
        ("CancelMatchRequest.reason", vec![format!("up to {MAX_REASON} bytes")]),
        ("EnterCupRequest.agent", vec![format!("1 to {MAX_STEM} letters")]),
        ("EnterCupRequest.games_at_once", vec!["0 means 1".to_owned()]),
        ("EnterCupRequest.wait", vec![wait.clone()]),
        ("OpenQueuesRequest.agents", vec![format!("at most {MAX_QUEUES} agents")]),
        ("AwaitAgentsRequest.wait", vec![wait]),
        ("PractiseRequest.practice_id", vec![code]),
        ("ListCupsRequest.page_size", pages.clone()),
        ("ListCupAgentsRequest.page_size", pages.clone()),
        ("ListStandingsRequest.page_size", pages.clone()),
        ("ListCupGamesRequest.page_size", pages),
        ("AppendJournalRequest.part", vec![format!("longer than {} MiB", MAX_JOURNAL >> 20)]),
        ("ReadJournalResponse.part", vec!["at most 1 MiB".to_owned()]),
        (
            "RunRequest.Render.width",
            vec![
                format!("from {} to {};", WIDTHS.start(), WIDTHS.end()),
                format!("Absent: {}.", constant_of("crates/host/src/api/session.rs", "WIDTH")),
            ],
        ),
        (
            "TableFormat.TABLE_FORMAT_SVG",
            // A test of all games holds them to it.
            vec![format!("at most {} bytes", constant_of("tests/laws/src/pictures.rs", "LARGEST_PICTURE"))],
        ),
        ("WeightedBot.weight", vec!["1 or more".to_owned(), "Absent: 1.".to_owned()]),
    ]
}

/// Returns a comment as one line, without quoted texts and without commas in numbers.
fn normal(comment: &str) -> String {
    let line = comment.split_whitespace().collect::<Vec<_>>().join(" ");
    let outside = |text: &str, quote: char| text.split(quote).step_by(2).collect::<Vec<_>>().join("\u{201c}\u{201d}");
    let line: Vec<char> = outside(&outside(&line, '"'), '`').chars().collect();
    let is_digit = |n: usize| line.get(n).is_some_and(char::is_ascii_digit);
    let is_in_number =
        |n: usize| n > 0 && is_digit(n - 1) && (1..=3).all(|next| is_digit(n + next)) && !is_digit(n + 4);
    let kept = line.iter().enumerate().filter(|&(n, &c)| !(c == ',' && is_in_number(n)));
    kept.map(|(_, c)| c).collect()
}

/// Returns true if a text has a number. Digits within names are none.
fn has_number(text: &str) -> bool {
    let word = |c: char| !c.is_alphanumeric() && c != '_' && c != '.';
    text.split(word).any(|word| word.starts_with(|c: char| c.is_ascii_digit()))
}

/// Returns a step of a path in a descriptor as an index.
fn place(step: i32) -> usize {
    usize::try_from(step).expect("paths have indexes")
}

/// The packages whose comments have numbers of the code.
const PACKAGES: [&str; 2] = ["ahu.v1", "ahu.cup.v1beta1"];

/// The comments of their protos, each with the name of its element.
#[derive(Default)]
struct Comments(Vec<(String, String)>);

impl Comments {
    fn of_all() -> Self {
        let set = FileDescriptorSet::decode(DESCRIPTORS).expect("the descriptors can be read");
        let mut comments = Self::default();
        for file in set.file.iter().filter(|file| PACKAGES.contains(&file.package())) {
            comments.of_file(file);
        }
        comments
    }

    fn of_file(&mut self, file: &FileDescriptorProto) {
        for location in &file.source_code_info.as_ref().expect("the descriptors keep the comments").location {
            let name = match *location.path {
                [4, n, ref rest @ ..] => Self::message(&file.message_type[place(n)], rest),
                [5, n, ref rest @ ..] => Self::values(&file.enum_type[place(n)], rest),
                [6, n] => file.service[place(n)].name().to_owned(),
                [6, n, 2, m] => {
                    let service = &file.service[place(n)];
                    format!("{}.{}", service.name(), service.method[place(m)].name())
                }
                _ => file.name().to_owned(),
            };
            if !location.leading_comments().is_empty() {
                self.0.push((name, normal(location.leading_comments())));
            }
        }
    }

    fn message(message: &DescriptorProto, path: &[i32]) -> String {
        let name = message.name();
        match *path {
            [2, n, ..] => format!("{name}.{}", message.field[place(n)].name()),
            [3, n, ref rest @ ..] => format!("{name}.{}", Self::message(&message.nested_type[place(n)], rest)),
            [4, n, ref rest @ ..] => format!("{name}.{}", Self::values(&message.enum_type[place(n)], rest)),
            [8, n, ..] => format!("{name}.{}", message.oneof_decl[place(n)].name()),
            _ => name.to_owned(),
        }
    }

    fn values(values: &EnumDescriptorProto, path: &[i32]) -> String {
        match *path {
            [2, n, ..] => format!("{}.{}", values.name(), values.value[place(n)].name()),
            _ => values.name().to_owned(),
        }
    }
}

#[test]
fn every_default_and_bound_in_the_comments_of_the_protos_is_that_of_the_code() {
    let Comments(comments) = Comments::of_all();
    assert!(comments.len() > 300, "{}", comments.len());
    let bounds = bounds();
    for (element, phrases) in &bounds {
        let (_, comment) = comments.iter().find(|(name, _)| name == element).unwrap_or_else(|| panic!("no {element}"));
        let mut rest = &**comment;
        for phrase in phrases {
            let (_, after) = rest.split_once(&**phrase).unwrap_or_else(|| {
                panic!("{element}: expected \"{phrase}\", as the code has it, in \"{rest}\"");
            });
            rest = after;
        }
    }
    let mut others = Vec::new();
    for (element, comment) in &comments {
        let mut rest = comment.clone();
        let own = bounds.iter().filter(|(name, _)| name == element).flat_map(|(_, phrases)| phrases);
        for phrase in own {
            rest = rest.replacen(&**phrase, "", 1);
        }
        for (phrase, _) in FORMATS {
            rest = rest.replace(phrase, "");
        }
        if has_number(&rest) {
            others.push(format!("{element}: {rest}"));
        }
    }
    assert!(others.is_empty(), "expected a row in this test for each number, got none for {others:#?}");
    for (phrase, reason) in FORMATS {
        let is_used = comments.iter().any(|(_, comment)| comment.contains(phrase));
        assert!(is_used, "no comment has \"{phrase}\" ({reason}) any more");
    }
}
