//! The answers of a program: lines that name an action.

use ahu_host::AnyRules;
use serde_json::Value;

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// The action with this id, which the game need not have.
    Action(u32),
    Resign,
    /// A message of another type, which belongs to no version of the protocol that this host knows.
    OtherType,
}

/// The reason why a line is refused as an answer.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// The line is no answer to this decision. It may be a message for people, or answer another decision.
    Stray(String),
    /// The line is an answer, but names no action.
    Unreadable(String),
}

/// The forms of an answer, for errors.
const FORMS: &str = "expected an action id such as 5, an action text, or {\"action\": ...}";

/// Parses a line as the answer to a decision.
pub(super) fn read(line: &[u8], rules: &dyn AnyRules, decision: u32) -> Result<Answer, Fault> {
    let text = std::str::from_utf8(line).map_err(|_| Fault::Stray(format!("{FORMS}, got bytes that are not UTF-8")))?;
    // Some languages begin what they write with a byte order mark.
    let text = text.trim_start_matches('\u{feff}').trim();
    if !text.starts_with(['{', '"']) {
        return action(text, rules).map_err(|reason| Fault::Stray(format!("{FORMS}; as a text: {reason}")));
    }
    match serde_json::from_str(text) {
        Ok(Value::String(text)) => action(&text, rules).map_err(Fault::Unreadable),
        Ok(Value::Object(fields)) => {
            if fields.get("type").is_some_and(|kind| *kind != "action") {
                return Ok(Answer::OtherType);
            }
            match fields.get("decision") {
                None => {}
                Some(given) if given.as_u64() == Some(decision.into()) => {}
                Some(given) => {
                    let reason = format!("expected an answer to decision {decision}, got one to decision {given}");
                    return Err(Fault::Stray(reason));
                }
            }
            match (fields.get("action"), fields.get("resign")) {
                (Some(Value::String(text)), _) => action(text, rules).map_err(Fault::Unreadable),
                (Some(Value::Number(id)), _) => id_of(&id.to_string()).map_err(Fault::Unreadable),
                (Some(other), _) => Err(Fault::Unreadable(format!("expected an action id or text, got {other}"))),
                (None, Some(Value::Bool(true))) => Ok(Answer::Resign),
                (None, _) => Err(Fault::Unreadable("expected a field \"action\", got none".to_owned())),
            }
        }
        Ok(_) => unreachable!("JSON that begins so is an object or a string"),
        Err(error) => Err(Fault::Stray(format!("{FORMS}; as JSON: {error}"))),
    }
}

/// Parses an action: an id in digits, or a text.
fn action(text: &str, rules: &dyn AnyRules) -> Result<Answer, String> {
    // No text of an action is a number. A test below checks that.
    if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) {
        return id_of(text);
    }
    let id = rules.parse_action(text).map_err(|error| format!("{} (at byte {})", error.message, error.at))?;
    Ok(Answer::Action(id.0.into()))
}

fn id_of(number: &str) -> Result<Answer, String> {
    number.parse().map(Answer::Action).map_err(|_| format!("expected an action id, got {number}"))
}

#[cfg(test)]
mod tests {
    use ahu_core::ActionId;
    use ahu_host::{GAMES, find};

    use super::*;

    fn read_3(line: &str) -> Result<Answer, Fault> {
        read(line.as_bytes(), find("rappanui").expect("a game"), 3)
    }

    #[test]
    fn an_action_is_an_id_a_text_or_a_field() {
        let rules = find("rappanui").expect("a game");
        let no_meld = rules.parse_action("no meld").expect("an action").0;
        for line in [
            "no meld",
            " no meld\r",
            "\u{feff}no meld\r",
            "\u{feff}{\"action\": \"no meld\"}\r",
            "\"no meld\"",
            r#"{"action": "no meld"}"#,
            r#"{"action": "no meld", "decision": 3, "note": [1, {}]}"#,
            r#"{"type": "action", "action": "no meld"}"#,
            &no_meld.to_string(),
            &format!("\"{no_meld}\""),
            &format!(r#"{{"action": {no_meld}}}"#),
            &format!(r#"{{"action": "{no_meld}"}}"#),
        ] {
            assert_eq!(read_3(line), Ok(Answer::Action(no_meld.into())), "{line}");
        }
        assert_eq!(read_3("4294967295"), Ok(Answer::Action(u32::MAX)), "the game refuses it");
        assert_eq!(read_3(r#"{"resign": true}"#), Ok(Answer::Resign));
    }

    #[test]
    fn an_object_of_another_type_is_no_answer_whatever_else_it_has() {
        for line in [
            r#"{"type": "hello", "protocol": 2}"#,
            "\u{feff}{\"type\": \"info\"}\r",
            r#"{"type": "info", "action": 5, "decision": 2}"#,
            r#"{"type": null}"#,
            r#"{"type": ["action"]}"#,
        ] {
            assert_eq!(read_3(line), Ok(Answer::OtherType), "{line}");
        }
    }

    #[test]
    fn a_line_that_is_no_answer_is_told_from_an_answer_without_an_action() {
        for (line, reason) in [
            ("", "expected an action id such as 5, an action text, or {\"action\": ...}; as a text: "),
            ("thinking about it", "; as a text: "),
            ("4294967296", "expected an action id, got 4294967296"),
            ("-1", "; as a text: "),
            ("{\"action\": 5", "; as JSON: "),
            ("\"no meld", "; as JSON: "),
            (r#"{"action": 5, "decision": 2}"#, "expected an answer to decision 3, got one to decision 2"),
            (r#"{"action": 5, "decision": "3"}"#, "got one to decision \"3\""),
        ] {
            let Err(Fault::Stray(error)) = read_3(line) else { panic!("{line}: {:?}", read_3(line)) };
            assert!(error.contains(reason), "{line}: {error}");
        }
        for (line, reason) in [
            ("{}", "expected a field \"action\", got none"),
            (r#"{"resign": false}"#, "expected a field \"action\", got none"),
            (r#"{"action": null}"#, "expected an action id or text, got null"),
            (r#"{"action": [5]}"#, "expected an action id or text, got [5]"),
            (r#"{"action": -1}"#, "expected an action id, got -1"),
            (r#"{"action": 1.5}"#, "expected an action id, got 1.5"),
            (r#"{"action": "melt F7"}"#, "(at byte "),
            ("\"melt F7\"", "(at byte "),
        ] {
            let Err(Fault::Unreadable(error)) = read_3(line) else { panic!("{line}: {:?}", read_3(line)) };
            assert!(error.contains(reason), "{line}: {error}");
        }
        assert!(matches!(read(b"no \xff meld", find("rappanui").expect("a game"), 3), Err(Fault::Stray(_))));
    }

    #[test]
    fn no_text_of_an_action_reads_as_an_id_or_as_json() {
        for rules in GAMES {
            for id in 0..rules.action_count() {
                let text = rules.action_text(ActionId(id as u16)).expect("the game has it");
                assert!(!text.starts_with(['{', '"']) && !text.bytes().all(|byte| byte.is_ascii_digit()), "{text}");
                assert_eq!(action(&text, *rules), Ok(Answer::Action(id as u32)), "{text}");
            }
        }
    }
}
