//! The meaning of a typed line: an action, or a command.

use std::path::PathBuf;

use ahu::core::{ActionId, ParseError};
use ahu::host::AnyRules;

/// The meaning of a line.
#[derive(Debug, PartialEq)]
pub(super) enum Answer {
    /// An empty line.
    Nothing,
    /// A legal action.
    Action(ActionId),
    /// Help, or the explanation of a word.
    Help(Option<String>),
    Table,
    List,
    Hint,
    /// The last action taken back.
    Undo,
    /// The rules, or those about a topic.
    Rules(Option<String>),
    /// The last events, this many.
    Log(usize),
    /// The record so far, written to a file.
    Save(Option<PathBuf>),
    Resign,
    Quit,
}

/// The number of events that `log` shows.
const EVENTS: usize = 20;

/// The commands with their explanations.
pub(super) const COMMANDS: [(&str, &str); 10] = [
    ("? [WORD]", "show this help, or explain a word"),
    ("table", "show the whole table"),
    ("list", "show the legal actions again"),
    ("hint", "show the figures of a search for the legal actions"),
    ("undo", "take the last action back, if nothing has come to light since"),
    ("rules [TOPIC]", "show the rules, or a topic: goal, setup, turn, actions, scoring, rulings, options, glossary"),
    ("log [COUNT]", "show the last events, or all of a number"),
    ("save [FILE]", "write the record so far, with all hidden cards"),
    ("resign", "forfeit the seat; a bot plays on"),
    ("quit", "cancel the match"),
];

/// Reads a line. An error says why it is neither a command nor a legal action; `holdings` are those of the seat. An action
/// that is not legal is refused here, and not by the referee: a typing error must not count as a strike.
pub(super) fn read(
    rules: &dyn AnyRules,
    typed: &str,
    legal: &[(ActionId, String)],
    holdings: &str,
) -> Result<Answer, String> {
    let lower = typed.to_lowercase();
    let (word, rest) = lower.split_at(lower.find(' ').unwrap_or(lower.len()));
    // The rest as it was typed: a file has its own spelling.
    let rest = Some(typed[typed.len() - rest.len()..].trim()).filter(|rest| !rest.is_empty());
    match (word, rest) {
        ("", _) => return Ok(Answer::Nothing),
        ("?" | "help", word) => return Ok(Answer::Help(word.map(str::to_owned))),
        ("rules", topic) => return Ok(Answer::Rules(topic.map(str::to_owned))),
        ("save", file) => return Ok(Answer::Save(file.map(PathBuf::from))),
        ("log", None) => return Ok(Answer::Log(EVENTS)),
        ("log", Some(count)) => {
            let error = || format!("expected \"log\" or a number of events, such as \"log 50\", got \"{typed}\"");
            return count.parse().map(Answer::Log).map_err(|_| error());
        }
        ("table", None) => return Ok(Answer::Table),
        ("list", None) => return Ok(Answer::List),
        ("hint", None) => return Ok(Answer::Hint),
        ("undo", None) => return Ok(Answer::Undo),
        ("resign", None) => return Ok(Answer::Resign),
        ("quit" | "exit", None) => return Ok(Answer::Quit),
        _ => {}
    }
    if let Some(number) = typed.strip_prefix('#') {
        let listed = number.trim().parse::<usize>().ok().and_then(|n| legal.get(n.checked_sub(1)?));
        let error = || format!("expected a number of the list, #1 to #{}, got {typed}", legal.len());
        return listed.map(|(id, _)| Answer::Action(*id)).ok_or_else(error);
    }
    action(rules, typed, legal, holdings).map(Answer::Action)
}

/// Reads an action by its text, or by a part of it that only one legal action has.
fn action(rules: &dyn AnyRules, typed: &str, legal: &[(ActionId, String)], holdings: &str) -> Result<ActionId, String> {
    let parsed = rules.parse_action(typed);
    let named = legal.iter().find(|(id, text)| parsed.as_ref() == Ok(id) || text.eq_ignore_ascii_case(typed));
    if let Some((id, _)) = named {
        return Ok(*id);
    }
    let error = match parsed {
        Ok(id) => {
            let text = rules.action_text(id).unwrap_or_default();
            return Err(format!("\"{text}\" is not legal now: you have {holdings}. \"list\" shows the legal actions."));
        }
        Err(error) => error,
    };
    let matching: Vec<&(ActionId, String)> = legal.iter().filter(|(_, text)| has_words(text, typed)).collect();
    match matching[..] {
        [(id, _)] => Ok(*id),
        [] if typed.bytes().all(|byte| byte.is_ascii_digit()) => Err(format!(
            "no legal action has the number {typed} in it; for one by its number in the list, type #{typed}"
        )),
        [] => Err(point_out(typed, &error)),
        _ => {
            let texts: Vec<&str> = matching.iter().take(6).map(|(_, text)| text.as_str()).collect();
            let more = if matching.len() > texts.len() { ", …" } else { "" };
            Err(format!("\"{typed}\" can be {}{more}: type more of one, or its number in the list", texts.join(", ")))
        }
    }
}

/// Returns true if the words of `part` stand in the text of an action, in their order.
fn has_words(text: &str, part: &str) -> bool {
    let mut words = text.split(' ');
    part.split_whitespace().all(|wanted| words.any(|word| word.eq_ignore_ascii_case(wanted)))
}

/// Formats the line again, with a mark below the position of the fault, and the error message.
fn point_out(line: &str, error: &ParseError) -> String {
    let before = line.get(..error.at).unwrap_or(line).chars().count();
    format!("  {line}\n  {}^\n{}", " ".repeat(before), error.message)
}

#[cfg(test)]
mod tests {
    use ahu::host::{GAMES, find};

    use super::*;

    /// Returns the meaning of a line when these actions are legal.
    fn meaning(game: &str, typed: &str, legal: &[&str]) -> Result<String, String> {
        let rules = find(game).expect("a game");
        let id = |text: &&str| (rules.parse_action(text).expect("an action"), (*text).to_owned());
        let legal: Vec<_> = legal.iter().map(id).collect();
        match read(rules, typed, &legal, "hand F4")? {
            Answer::Action(id) => Ok(rules.action_text(id).expect("an action has a text")),
            other => Ok(format!("{other:?}")),
        }
    }

    #[test]
    fn a_number_is_that_of_the_action_and_never_that_of_the_list() {
        let hexes = ["at 0", "at 23", "at 24", "at 25"];
        assert_eq!(meaning("giants", "24", &hexes).as_deref(), Ok("at 24"));
        assert_eq!(meaning("giants", "#2", &hexes).as_deref(), Ok("at 23"));
        let error = meaning("giants", "2", &hexes).expect_err("no hex 2 is legal");
        assert_eq!(error, "no legal action has the number 2 in it; for one by its number in the list, type #2");
        for typed in ["#0", "#5", "#", "#x", "#-1", "#99999999999999999999"] {
            let error = meaning("giants", typed, &hexes).expect_err(typed);
            assert_eq!(error, format!("expected a number of the list, #1 to #4, got {typed}"));
        }
    }

    #[test]
    fn a_part_that_only_one_legal_action_has_is_enough() {
        let melds = ["no meld", "meld F4", "meld F12"];
        assert_eq!(meaning("rappanui", "f4", &melds).as_deref(), Ok("meld F4"));
        assert_eq!(meaning("rappanui", "NO", &melds).as_deref(), Ok("no meld"));
        assert_eq!(meaning("rappanui", "Meld f12", &melds).as_deref(), Ok("meld F12"));
        let error = meaning("rappanui", "meld", &melds).expect_err("three have it");
        assert!(error.starts_with("\"meld\" can be no meld, meld F4, meld F12: type more of one"), "{error}");
        // An action that is one letter short is not another one.
        assert!(meaning("rappanui", "meld F1", &melds).is_err());
    }

    #[test]
    fn an_answer_that_is_not_legal_is_told_the_holdings() {
        let error = meaning("rappanui", "meld F5", &["no meld"]).expect_err("it is not in the hand");
        assert_eq!(error, "\"meld F5\" is not legal now: you have hand F4. \"list\" shows the legal actions.");
        let error = meaning("rappanui", "meld F13", &["no meld"]).expect_err("no such card");
        assert!(error.starts_with("  meld F13\n       ^\nexpected a card, got \"F13\""), "{error}");
    }

    #[test]
    fn commands_are_read_in_any_case_and_files_as_they_are_spelt() {
        for (typed, expected) in [
            ("QUIT", "Quit"),
            ("Rules", "Rules(None)"),
            ("RULES Meld", "Rules(Some(\"Meld\"))"),
            ("?", "Help(None)"),
            ("? Huri", "Help(Some(\"Huri\"))"),
            ("Save My File.txt", "Save(Some(\"My File.txt\"))"),
            ("save", "Save(None)"),
            ("LOG", "Log(20)"),
            ("log 5", "Log(5)"),
            ("", "Nothing"),
        ] {
            assert_eq!(meaning("rappanui", typed, &["no meld"]).as_deref(), Ok(expected), "{typed}");
        }
        assert!(meaning("rappanui", "log all", &["no meld"]).expect_err("no number").contains("\"log 50\""));
    }

    #[test]
    fn no_action_of_a_game_reads_as_a_command() {
        for rules in GAMES {
            for id in (0..rules.action_count()).map(|id| ActionId(id as u16)) {
                let text = rules.action_text(id).expect("an action has a text");
                let legal = [(id, text.clone())];
                assert_eq!(read(*rules, &text, &legal, ""), Ok(Answer::Action(id)), "{text}");
            }
        }
    }
}
