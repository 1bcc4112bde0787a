//! The meaning of a line that a person types at the prompt: an action or a command.

use std::path::PathBuf;

use ahu_core::parse::did_you_mean;
use ahu_core::{ActionId, ParseError};
use ahu_host::AnyRules;

#[derive(Debug, PartialEq)]
pub(super) enum TypedLine {
    Nothing,
    Action(ActionId),
    /// The help, or an explanation of a word.
    Help(Option<String>),
    Table,
    Legend,
    List,
    Hint,
    /// Take the last choice back.
    Undo,
    /// The rules, or the rules about a topic.
    Rules(Option<String>),
    /// The last events; the number says how many.
    Log(usize),
    /// Write the record so far to a file.
    Save {
        /// None for the file of the match.
        file: Option<PathBuf>,
        /// True if an existing file may be replaced.
        replaces: bool,
    },
    Resign,
    Quit,
}

/// The number of events that `log` shows by default.
const EVENTS: usize = 20;
/// The maximum number of actions that an error names.
const NAMED: usize = 6;

/// The commands and their explanations.
pub(super) const COMMANDS: [(&str, &str); 11] = [
    ("? [WORD]", "show this help, or explain a word"),
    ("table", "show the whole table"),
    ("legend", "explain the signs of the table"),
    ("list", "show the legal actions again"),
    ("hint", "show the figures of a search for the legal actions"),
    ("undo", "take the last action back, if nothing has come to light since"),
    ("rules [TOPIC]", "show the rules, or a topic of them, such as actions"),
    ("log [COUNT]", "show the last events, or all of a number"),
    ("save [FILE]", "write the record so far, with all hidden cards; save! replaces a file that is there"),
    ("resign", "forfeit the seat; a bot plays on"),
    ("quit", "cancel the match"),
];

/// Returns the first word of each command.
pub(super) fn command_words() -> impl Iterator<Item = &'static str> {
    COMMANDS.iter().map(|(command, _)| command.split(' ').next().unwrap_or(command))
}

pub(super) struct Decision<'a> {
    pub(super) rules: &'a dyn AnyRules,
    /// The legal actions and their texts, in the order of the list that the person sees.
    pub(super) legal: &'a [(ActionId, String)],
    pub(super) holdings: &'a str,
    /// The question of the game, with prices, yields, and limits; may be empty.
    pub(super) question: &'a str,
}

impl Decision<'_> {
    /// Parses a line. An error says why it is neither a command nor a legal action. Illegal actions are refused here, before the
    /// referee sees them, so that a typing error never counts as a strike.
    pub(super) fn read(&self, typed: &str) -> Result<TypedLine, String> {
        if let Some(word) = typed.strip_prefix('?') {
            return Ok(TypedLine::Help(Some(word.trim()).filter(|word| !word.is_empty()).map(str::to_owned)));
        }
        let lower = typed.to_lowercase();
        let (word, rest) = lower.split_at(lower.find(' ').unwrap_or(lower.len()));
        // The rest as it was typed, since the case of a file name matters.
        let rest = Some(typed[typed.len() - rest.len()..].trim()).filter(|rest| !rest.is_empty());
        let alone = match word {
            "" => return Ok(TypedLine::Nothing),
            "help" => return Ok(TypedLine::Help(rest.map(str::to_owned))),
            "rules" => return Ok(TypedLine::Rules(rest.map(str::to_owned))),
            "save" | "save!" => {
                return Ok(TypedLine::Save { file: rest.map(PathBuf::from), replaces: word == "save!" });
            }
            "log" => {
                let error = || format!("expected \"log\" or a number of events, such as \"log 50\", got \"{typed}\"");
                return rest.map_or(Ok(EVENTS), |count| count.parse().map_err(|_| error())).map(TypedLine::Log);
            }
            "table" => Some(TypedLine::Table),
            "legend" => Some(TypedLine::Legend),
            "list" => Some(TypedLine::List),
            "hint" => Some(TypedLine::Hint),
            "undo" => Some(TypedLine::Undo),
            "resign" => Some(TypedLine::Resign),
            "quit" | "exit" => Some(TypedLine::Quit),
            _ => None,
        };
        match (alone, rest) {
            (Some(answer), None) => Ok(answer),
            (Some(_), Some(rest)) => Err(format!("expected \"{word}\" alone, got \"{rest}\" after it")),
            (None, _) => self.action(typed).map(TypedLine::Action),
        }
    }

    /// Parses an action: its number in the list, its text, or words of its text that no other legal action has.
    fn action(&self, typed: &str) -> Result<ActionId, String> {
        if let Some(number) = typed.strip_prefix('#') {
            let listed = number.trim().parse().ok().and_then(|number| self.listed(number));
            return listed
                .map(|(id, _)| *id)
                .ok_or_else(|| format!("expected a number of the list, #1 to #{}, got {typed}", self.legal.len()));
        }
        let parsed = self.rules.parse_action(typed);
        let named = self.legal.iter().find(|(id, text)| parsed.as_ref() == Ok(id) || text.eq_ignore_ascii_case(typed));
        if let Some((id, _)) = named {
            return Ok(*id);
        }
        let error = match parsed {
            Ok(id) => return Err(self.not_legal(&self.rules.action_text(id).unwrap_or_default())),
            Err(error) => error,
        };
        let whole = self.legal.iter().filter(|(_, text)| has_words(text, typed, |word, part| word == part));
        let mut matching: Vec<&(ActionId, String)> = whole.collect();
        if matching.is_empty() {
            matching = self.legal.iter().filter(|(_, text)| has_words(text, typed, begins)).collect();
        }
        match (&matching[..], typed.parse()) {
            (&[(id, text)], Ok(number)) => match self.listed(number) {
                Some((other, listed)) if other != id => Err(format!(
                    "\"{typed}\" can be {text}, or #{typed} of the list, {listed}: type \"{text}\" or \"#{typed}\""
                )),
                _ => Ok(*id),
            },
            (&[(id, _)], Err(_)) => Ok(*id),
            ([], Ok(_)) => Err(format!(
                "no legal action has the number {typed} in it; for one by its number in the list, type #{typed}"
            )),
            ([], Err(_)) => Err(self.not_read(typed, &error)),
            (matching, _) => Err(format!(
                "\"{typed}\" can be {}: type more of one, or its number in the list",
                named_texts(matching)
            )),
        }
    }

    /// Returns the action with this number in the list, from 1.
    fn listed(&self, number: usize) -> Option<&(ActionId, String)> {
        self.legal.get(number.checked_sub(1)?)
    }

    /// Returns the error for an illegal action: the question, the holdings, and the legal actions of the same kind.
    fn not_legal(&self, text: &str) -> String {
        let kind = text.split(' ').next().unwrap_or_default();
        let alike: Vec<_> = self.legal.iter().filter(|(_, legal)| legal.split(' ').next() == Some(kind)).collect();
        let legal = match alike.is_empty() {
            true => format!("No action with \"{kind}\" is legal now"),
            false => format!("Legal are {}", named_texts(&alike)),
        };
        let question = if self.question.is_empty() { String::new() } else { format!("{}\n", self.question) };
        format!(
            "\"{text}\" is not legal now. {question}You have {}. {legal}; \"list\" shows all legal actions.",
            self.holdings
        )
    }

    fn not_read(&self, typed: &str, error: &ParseError) -> String {
        let first = typed.split_whitespace().next().unwrap_or_default();
        let verb = |(_, text): &(ActionId, String)| text.split(' ').take(1).collect::<String>();
        let verbs: Vec<String> = self.legal.iter().map(verb).collect();
        let groups = self.rules.action_groups();
        let is_verb = groups.iter().any(|group| group.pattern.split(' ').next() == Some(first));
        if is_verb || verbs.iter().any(|verb| verb == first) {
            let alike: Vec<_> = self.legal.iter().filter(|(_, text)| text.split(' ').next() == Some(first)).collect();
            let legal = if alike.is_empty() { String::new() } else { format!("; legal are {}", named_texts(&alike)) };
            return point_out(typed, error) + &legal;
        }
        let known: Vec<String> = verbs.into_iter().chain(command_words().map(str::to_owned)).collect();
        let hint = did_you_mean(first, known.iter().map(String::as_str));
        let hint = hint.trim_start_matches("; ");
        let hint = if hint.is_empty() { String::new() } else { format!(" {}{}", hint[..1].to_uppercase(), &hint[1..]) };
        format!(
            "\"{typed}\" is neither a legal action nor a command.{hint} \"list\" shows the legal actions, \"?\" the \
             commands, and \"rules actions\" all actions of the game."
        )
    }
}

/// Lists the texts of the first [`NAMED`] actions, with an ellipsis if there are more.
fn named_texts(actions: &[&(ActionId, String)]) -> String {
    let texts: Vec<&str> = actions.iter().take(NAMED).map(|(_, text)| text.as_str()).collect();
    texts.join(", ") + if actions.len() > texts.len() { ", …" } else { "" }
}

/// Returns true if the text of an action has the words of `part` in their order. `is` compares two words in lower case.
fn has_words(text: &str, part: &str, is: impl Fn(&str, &str) -> bool) -> bool {
    let (text, part) = (text.to_lowercase(), part.to_lowercase());
    let mut words = text.split(' ');
    part.split_whitespace().all(|wanted| words.any(|word| is(word, wanted)))
}

/// Returns true if a word begins with `part`, or has it after a hyphen or underscore. A part with a digit names a card or a
/// place, and must be the whole word.
fn begins(word: &str, part: &str) -> bool {
    let is_whole = part.contains(|c: char| c.is_ascii_digit());
    let mut parts = word.match_indices(['-', '_']).map(|(at, _)| &word[at + 1..]);
    word == part || !is_whole && (word.starts_with(part) || parts.any(|rest| rest.starts_with(part)))
}

/// Formats the line with a mark below the position of the error, and the message.
fn point_out(line: &str, error: &ParseError) -> String {
    let before = line.get(..error.at).unwrap_or(line).chars().count();
    format!("  {line}\n  {}^\n{}", " ".repeat(before), error.message)
}

#[cfg(test)]
mod tests {
    use ahu_host::{GAMES, find};

    use super::*;

    /// Returns the meaning of a line if these actions are legal.
    fn meaning(game: &str, typed: &str, legal: &[&str]) -> Result<String, String> {
        let rules = find(game).expect("a game");
        let id = |text: &&str| (rules.parse_action(text).expect("an action"), (*text).to_owned());
        let legal: Vec<_> = legal.iter().map(id).collect();
        let decision = Decision { rules, legal: &legal, holdings: "hand F4", question: "Lay a card?" };
        match decision.read(typed)? {
            TypedLine::Action(id) => Ok(rules.action_text(id).expect("an action has a text")),
            other => Ok(format!("{other:?}")),
        }
    }

    #[test]
    fn a_number_is_that_of_the_action_and_never_that_of_the_list() {
        let hexes = ["at 0", "at 23", "at 24", "at 25"];
        assert_eq!(meaning("giants", "24", &hexes).as_deref(), Ok("at 24"), "the list has no 24");
        assert_eq!(meaning("giants", "#2", &hexes).as_deref(), Ok("at 23"));
        let error = meaning("giants", "2", &hexes).expect_err("no hex 2 is legal");
        assert_eq!(error, "no legal action has the number 2 in it; for one by its number in the list, type #2");
        for typed in ["#0", "#5", "#", "#x", "#-1", "#99999999999999999999"] {
            let error = meaning("giants", typed, &hexes).expect_err(typed);
            assert_eq!(error, format!("expected a number of the list, #1 to #4, got {typed}"));
        }
    }

    #[test]
    fn a_number_that_could_be_two_choices_is_refused() {
        let spaces = ["transporter 2", "transporter 1", "transporter 3"];
        let error = meaning("rapanui_board", "1", &spaces).expect_err("space 1 is the second of the list");
        assert_eq!(
            error,
            "\"1\" can be transporter 1, or #1 of the list, transporter 2: type \"transporter 1\" or \"#1\""
        );
        assert_eq!(meaning("rapanui_board", "3", &spaces).as_deref(), Ok("transporter 3"), "both are the same");
    }

    #[test]
    fn the_beginning_of_a_word_is_enough_if_no_other_action_has_it() {
        let tiles = ["tablet chip_in small", "tablet change_jobs small", "sculpt done"];
        assert_eq!(meaning("rapanui_board", "chip", &tiles).as_deref(), Ok("tablet chip_in small"));
        assert_eq!(meaning("rapanui_board", "jobs", &tiles).as_deref(), Ok("tablet change_jobs small"));
        let error = meaning("rapanui_board", "tab", &tiles).expect_err("two begin so");
        assert!(error.starts_with("\"tab\" can be tablet chip_in small, tablet change_jobs small: "), "{error}");
        let cards = ["discard F1", "discard civil-war"];
        assert_eq!(meaning("rappanui", "civil", &cards).as_deref(), Ok("discard civil-war"));
        assert_eq!(meaning("rappanui", "WAR", &cards).as_deref(), Ok("discard civil-war"));
    }

    #[test]
    fn a_command_with_too_much_after_it_is_explained() {
        for (typed, word, rest) in [("hint 5", "hint", "5"), ("undo 2", "undo", "2"), ("Quit now", "quit", "now")] {
            let error = meaning("rappanui", typed, &["no meld"]).expect_err(typed);
            assert_eq!(error, format!("expected \"{word}\" alone, got \"{rest}\" after it"));
        }
        assert_eq!(meaning("rappanui", "?huri", &["no meld"]).as_deref(), Ok("Help(Some(\"huri\"))"));
    }

    #[test]
    fn a_misspelled_word_is_compared_with_commands_and_legal_actions() {
        let error = meaning("rappanui", "tabel", &["no meld", "meld F4"]).expect_err("it is no word");
        assert!(
            error.starts_with("\"tabel\" is neither a legal action nor a command. Did you mean \"table\"? \"list\" "),
            "{error}"
        );
        let error = meaning("rapanui_board", "transporter 28", &["transporter 1", "end turn"]).expect_err("no space");
        assert!(error.ends_with("expected a space from 1 to 27, got \"28\"; legal are transporter 1"), "{error}");
    }

    #[test]
    fn a_part_that_only_one_legal_action_has_is_enough() {
        let melds = ["no meld", "meld F4", "meld F12"];
        assert_eq!(meaning("rappanui", "f4", &melds).as_deref(), Ok("meld F4"));
        assert_eq!(meaning("rappanui", "NO", &melds).as_deref(), Ok("no meld"));
        assert_eq!(meaning("rappanui", "Meld f12", &melds).as_deref(), Ok("meld F12"));
        let error = meaning("rappanui", "meld", &melds).expect_err("three have it");
        assert!(error.starts_with("\"meld\" can be no meld, meld F4, meld F12: type more of one"), "{error}");
        // A text that is one letter short of an action does not name it.
        assert!(meaning("rappanui", "meld F1", &melds).is_err());
    }

    #[test]
    fn an_answer_that_is_not_legal_is_told_the_holdings() {
        let error = meaning("rappanui", "meld F5", &["no meld"]).expect_err("it is not in the hand");
        assert_eq!(
            error,
            "\"meld F5\" is not legal now. Lay a card?\nYou have hand F4. No action with \"meld\" is legal now; \"list\" \
             shows all legal actions."
        );
        let error = meaning("rappanui", "meld F5", &["meld F4"]).expect_err("it is not in the hand");
        assert!(error.contains("You have hand F4. Legal are meld F4; \"list\""), "{error}");
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
            ("Save My File.txt", "Save { file: Some(\"My File.txt\"), replaces: false }"),
            ("save! x", "Save { file: Some(\"x\"), replaces: true }"),
            ("save", "Save { file: None, replaces: false }"),
            ("legend", "Legend"),
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
                let decision = Decision { rules: *rules, legal: &legal, holdings: "", question: "" };
                assert_eq!(decision.read(&text), Ok(TypedLine::Action(id)), "{text}");
            }
        }
    }
}
