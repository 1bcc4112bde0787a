//! The lines that a program writes: divided into lines, and read as answers.

use std::pin::pin;
use std::task::{Context, Poll, Waker};

use ahu_core::ActionId;
use ahu_host::GAMES;

use super::answer::{self, Answer};
use super::buffer::{Buffer, MAX_ANSWER, Received};

/// Takes a number that says where reads end, and the bytes that a program writes.
pub fn run(bytes: &[u8]) -> bool {
    let Some((&size, written)) = bytes.split_first() else { return false };
    let at_once = lines(written, MAX_ANSWER);
    // The time of many short reads of a long line grows with the square of its length.
    let in_parts = lines(written, (usize::from(size) + 1).max(written.len() / 64));
    assert_eq!(at_once, in_parts, "lines do not depend on where reads end");
    let mut is_answer = false;
    for line in at_once.iter().filter_map(|received| match received {
        Received::Line(line) => Some(line),
        Received::TooLong(_) => None,
    }) {
        for rules in GAMES {
            let Ok(Answer::Action(id)) = answer::read(line, *rules, 3) else { continue };
            let text = u16::try_from(id).ok().and_then(|id| rules.action_text(ActionId(id)));
            let Some(text) = text else { continue };
            is_answer = true;
            let again = serde_json::json!({"action": text, "decision": 3}).to_string();
            assert_eq!(answer::read(again.as_bytes(), *rules, 3), Ok(Answer::Action(id)), "{again}");
        }
    }
    is_answer
}

/// Returns the lines of these bytes, which arrive in parts of this size.
fn lines(mut written: &[u8], size: usize) -> Vec<Received> {
    let (mut buffer, mut lines) = (Buffer::default(), Vec::new());
    loop {
        let mut part = &written[..size.min(written.len())];
        let (before, mut context) = (part.len(), Context::from_waker(Waker::noop()));
        let filled = pin!(buffer.fill(&mut part)).poll(&mut context);
        assert!(matches!(filled, Poll::Ready(Ok(_))), "bytes can be read at once");
        written = &written[before - part.len()..];
        let taken = std::iter::from_fn(|| buffer.take()).collect::<Vec<_>>();
        let is_stuck = taken.is_empty() && !buffer.has_room();
        assert!(!is_stuck, "a full buffer has a line");
        lines.extend(taken);
        if written.is_empty() {
            return lines;
        }
    }
}

/// Returns lines of the documentation, for each game.
#[cfg(test)]
pub fn seeds() -> Vec<Vec<u8>> {
    let lines = |text: &str| {
        format!(
            "{{\"action\":{text:?}}}\n{text}\n\"{text}\"\n7\n{{\"decision\":3,\"action\":7,\"note\":[1,{{}}]}}\n{{\"resign\":true}}\nüber\n"
        )
    };
    let texts = GAMES.iter().map(|rules| rules.action_text(ActionId(5)).expect("the game has the action"));
    let all = texts.map(|text| [&[7][..], lines(&text).as_bytes()].concat());
    all.chain([[&[255][..], "x".repeat(MAX_ANSWER + 9).as_bytes(), b"\n5\n"].concat()]).collect()
}
