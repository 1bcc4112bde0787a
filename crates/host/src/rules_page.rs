//! The rules of a game as text: its rules page, with the actions and options that its tables list. Services and the
//! command line show the whole page, one topic of it, or one entry, such as a ruling or a word of the glossary.
//!
//! The rules are one text. `rules.md` of a game is part of its front page, of `GetGame`, of `ahu rules`, and of the prompt.
//! Actions and options are added from the tables that parse them, so that nothing is copied by hand.

use std::fmt::Write as _;

use ahu_core::parse::did_you_mean;
use ahu_core::parts::lines::joined;

use super::rules::AnyRules;

/// The reason why writing to a string cannot fail.
const STRING: &str = "a string takes every text";

/// A topic of a rules page: the text below a heading of the second level.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Topic {
    /// The name, in lower case, such as `turn`.
    pub name: String,
    /// The heading and the text below it, as Markdown, without a line break at the end.
    pub text: String,
}

/// The text that a game's rules page has no topic and no entry for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "expected a topic of the rules ({}), a ruling, or a word of the glossary, got \"{word}\"{hint}",
    topics.join(", ")
)]
pub struct UnknownTopic {
    word: String,
    /// The names of the topics.
    topics: Vec<String>,
    /// The suggestion of a near name; empty if none is near.
    hint: String,
}

/// Returns the rules of a game as Markdown: a heading of the first level with the title, the subject and the credit, and the
/// topics, each below a heading of the second level.
pub fn rules_page(rules: &dyn AnyRules) -> String {
    let info = rules.info();
    let (about, _) = split(info.rules_page);
    let reconstructed = match info.reconstructed {
        "" => String::new(),
        reconstructed => format!("Reconstructed: {reconstructed}"),
    };
    let head = [format!("# {}", info.title), about.to_owned(), info.credit.to_owned(), reconstructed];
    let topics = rules_topics(rules).into_iter().map(|topic| topic.text);
    joined(head.into_iter().chain(topics).filter(|part| !part.is_empty()), "\n\n") + "\n"
}

/// Returns the topics of a game's rules, in their order.
pub fn rules_topics(rules: &dyn AnyRules) -> Vec<Topic> {
    let mut topics = split(rules.info().rules_page).1;
    insert_after(&mut topics, "turn", actions(rules));
    if !rules.options().is_empty() {
        insert_after(&mut topics, "rulings", options(rules));
    }
    topics
}

/// Returns what the rules say about a word: the topic of this name, or the entries of this name, such as `G23`,
/// `tribe marker`, or the name of an option. Case, spaces, hyphens, and underscores make no difference.
pub fn rules_topic(rules: &dyn AnyRules, word: &str) -> Result<String, UnknownTopic> {
    let topics = rules_topics(rules);
    let asked = plain(word);
    if let Some(topic) = topics.iter().find(|topic| plain(&topic.name) == asked) {
        return Ok(topic.text.clone());
    }
    let names: Vec<String> = topics.iter().map(|topic| topic.name.clone()).collect();
    let entries: Vec<Entry> = glossary_first(topics).iter().flat_map(|topic| entries(&topic.text)).collect();
    let found: Vec<&str> = entries.iter().filter(|entry| entry.is_named(&asked)).map(|entry| &*entry.text).collect();
    if !found.is_empty() {
        return Ok(found.join("\n"));
    }
    let known =
        names.iter().map(String::as_str).chain(entries.iter().flat_map(|entry| &entry.names).map(String::as_str));
    Err(UnknownTopic { word: word.to_owned(), hint: did_you_mean(&asked, known), topics: names })
}

/// Returns everything that a game's rules say about a word: what [`rules_topic`] returns, or else each item, paragraph, and
/// table row with the word as a whole word. Those of the glossary come first. None if nothing has the word.
pub fn rules_about(rules: &dyn AnyRules, word: &str) -> Option<String> {
    if let Ok(text) = rules_topic(rules, word) {
        return Some(text);
    }
    let asked = plain(word);
    let found: Vec<String> = glossary_first(rules_topics(rules))
        .iter()
        .flat_map(|topic| passages(&topic.text))
        .filter(|passage| !asked.is_empty() && has_words(&plain_text(passage), &asked))
        .collect();
    (!found.is_empty()).then(|| found.join("\n\n"))
}

/// Returns the topics with the glossary before the others.
fn glossary_first(mut topics: Vec<Topic>) -> Vec<Topic> {
    topics.sort_by_key(|topic| topic.name != "glossary");
    topics
}

/// Returns the items, paragraphs, and table rows of a topic, each whole.
fn passages(topic: &str) -> Vec<String> {
    let mut passages: Vec<String> = Vec::new();
    let mut is_open = false;
    for line in topic.lines().skip(1) {
        let words = line.trim_start();
        let digits = words.trim_start_matches(|c: char| c.is_ascii_digit());
        let is_item = words.starts_with("* ") || (digits.len() < words.len() && digits.starts_with(". "));
        let is_row = words.starts_with('|');
        match passages.last_mut() {
            Some(passage) if is_open && !is_item && !is_row && !words.is_empty() => {
                passage.push('\n');
                passage.push_str(line);
            }
            _ if words.is_empty() => {}
            _ => passages.push(line.to_owned()),
        }
        is_open = !words.is_empty() && !is_row;
    }
    passages
}

/// Returns a text in lower case as words with a space between them, and one before and behind them.
fn plain_text(text: &str) -> String {
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.fold(" ".to_owned(), |text, word| text + &word.to_lowercase() + " ")
}

/// Returns true if these words, or their plural or singular, stand in a plain text.
fn has_words(text: &str, words: &str) -> bool {
    let singular = words.strip_suffix('s').unwrap_or(words);
    [words, singular, &format!("{words}s")].iter().any(|words| text.contains(&format!(" {words} ")))
}

/// Returns the text before the first topic, and the topics.
fn split(page: &str) -> (&str, Vec<Topic>) {
    let mut parts = page.split("\n## ");
    let about = parts.next().unwrap_or_default().trim();
    let topics = parts.map(|part| {
        let title = part.lines().next().unwrap_or_default();
        Topic { name: title.to_lowercase(), text: format!("## {}", part.trim_end()) }
    });
    (about, topics.collect())
}

/// Inserts a topic after the one of this name, at the end if there is none.
fn insert_after(topics: &mut Vec<Topic>, name: &str, topic: Topic) {
    let place = topics.iter().position(|topic| topic.name == name).map_or(topics.len(), |place| place + 1);
    topics.insert(place, topic);
}

/// Returns the topic of the actions, from the table of the game.
fn actions(rules: &dyn AnyRules) -> Topic {
    let mut text = "## Actions\n\nThe notation of every action; `<>` is around each part that varies.\n".to_owned();
    for group in rules.action_groups() {
        write!(text, "\n* `{}`: {}", group.pattern, group.meaning).expect(STRING);
    }
    Topic { name: "actions".to_owned(), text }
}

/// Returns the topic of the options, from the table of the game.
fn options(rules: &dyn AnyRules) -> Topic {
    let mut text = "## Options\n\nThe players agree on these before play.\n".to_owned();
    for option in rules.options() {
        let mut defaults = option.defaults.clone();
        defaults.dedup();
        let (kind, defaults) = (option.kind, defaults.join(", "));
        write!(text, "\n* **{}** ({kind}; default: {defaults}): {}", option.key, option.meaning).expect(STRING);
    }
    Topic { name: "options".to_owned(), text }
}

/// An entry of a topic: an item of a list that begins with its name.
struct Entry {
    /// The names under which readers find the entry, in their plain form.
    names: Vec<String>,
    text: String,
}

impl Entry {
    /// Returns true if the entry has this name, in its plain form, in the singular or the plural.
    fn is_named(&self, asked: &str) -> bool {
        let singular = |name: &str| name.strip_suffix('s').unwrap_or(name).to_owned();
        self.names.iter().any(|name| *name == asked || singular(name) == singular(asked))
    }
}

/// Returns the entries of a topic.
fn entries(topic: &str) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    let mut is_within = false;
    for line in topic.lines() {
        if let Some(item) = line.strip_prefix("* ") {
            let names = names(item);
            is_within = !names.is_empty();
            if is_within {
                entries.push(Entry { names, text: line.to_owned() });
            }
        } else if is_within && line.starts_with("  ") {
            let entry = entries.last_mut().expect("the line belongs to an entry");
            write!(entry.text, "\n{line}").expect(STRING);
        } else {
            is_within = false;
        }
    }
    entries
}

/// Returns the names of an item: the words in bold at its start, the codes in parentheses behind them, and the first words of
/// a notation.
fn names(item: &str) -> Vec<String> {
    let mut names = Vec::new();
    if let Some((bold, rest)) = item.strip_prefix("**").and_then(|item| item.split_once("**")) {
        names.extend(bold.split(", ").map(plain));
        let head = rest.split_once(':').map_or("", |(head, _)| head);
        let codes = head.split('`').skip(1).step_by(2);
        names.extend(codes.filter(|code| !code.is_empty()).map(plain));
    } else if let Some((notation, _)) = item.strip_prefix('`').and_then(|item| item.split_once('`')) {
        let words: Vec<&str> = notation.split(' ').take_while(|word| !word.starts_with('<')).collect();
        names.extend((1..=words.len()).map(|count| plain(&words[..count].join(" "))));
    }
    names
}

/// Returns a name as readers may write it: in lower case, with a space between words, without marks at its end.
fn plain(name: &str) -> String {
    let spaced = name.to_lowercase().replace(['-', '_'], " ");
    spaced.trim_matches(|c: char| !c.is_alphanumeric()).split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{GAMES, find};

    fn rules(game: &str) -> &'static dyn AnyRules {
        find(game).expect("the game is in the catalog")
    }

    #[test]
    fn every_page_has_the_same_topics_and_no_name_of_a_file() {
        for rules in GAMES {
            let (id, page) = (rules.info().id, rules_page(*rules));
            let names: Vec<String> = rules_topics(*rules).into_iter().map(|topic| topic.name).collect();
            let order = ["goal", "setup", "turn", "actions", "scoring", "rulings", "options", "glossary"];
            let kept: Vec<&str> = names.iter().map(String::as_str).filter(|name| *name != "editions").collect();
            assert_eq!(kept, order, "{id}");
            assert!(page.starts_with(&format!("# {}\n", rules.info().title)), "{id}");
            assert!(!page.contains(".rs"), "{id}: readers of the page have no source");
            assert!(
                rules_topics(*rules).iter().all(|topic| topic.text.len() > 100 && page.contains(&topic.text)),
                "{id}"
            );
            assert!(split(rules.info().rules_page).0.len() > 100, "{id}");
        }
    }

    #[test]
    fn every_action_and_option_is_on_the_page() {
        for rules in GAMES {
            for group in rules.action_groups() {
                let line = format!("* `{}`: {}", group.pattern, group.meaning);
                assert!(rules_topic(*rules, "actions").expect("a topic").contains(&line), "{line}");
            }
            for option in rules.options() {
                let entry = rules_topic(*rules, option.key).expect("every option is an entry");
                assert!(entry.contains(option.meaning), "{entry}");
            }
        }
    }

    #[test]
    fn rulings_are_numbered_without_a_gap_and_found_by_their_codes() {
        for (game, letter, count) in [
            ("rappanui", 'B', 24),
            ("rapanui_cards", 'A', 22),
            ("rapanui_cards", 'D', 15),
            ("giants", 'G', 51),
            ("rapanui_board", 'M', 46),
        ] {
            for number in 1..=count {
                let code = format!("{letter}{number}");
                let entry = rules_topic(rules(game), &code.to_lowercase()).expect("every ruling is an entry");
                assert!(entry.starts_with(&format!("* **{code}** ")) && entry.len() > 20, "{game}: {entry}");
            }
            let next = format!("{letter}{}", count + 1);
            assert!(
                rules_topic(rules(game), &next).is_err(),
                "{game}: {next} is a ruling that this test does not know"
            );
        }
    }

    #[test]
    fn an_entry_is_found_by_its_words_and_its_code() {
        let entry = |game, word| rules_topic(rules(game), word).unwrap_or_else(|error| panic!("{error}"));
        assert!(entry("giants", "tribe-markers").starts_with("* **Tribe Marker** (6 of each colour)"));
        assert_eq!(entry("rappanui", "Wood"), entry("rappanui", "food"));
        assert_eq!(entry("rapanui_board", "chip_in"), entry("rapanui_board", "Chip In"));
        assert!(entry("rapanui_board", "chief").lines().filter(|line| line.starts_with("* ")).count() > 1);
        assert!(entry("rappanui", "meld").contains("* `meld <card>`: "));
        assert!(entry("giants", "TURN").starts_with("## Turn\n"));
    }

    #[test]
    fn a_word_without_an_entry_is_found_in_whole_passages() {
        let about = |game, word| rules_about(rules(game), word);
        let gifts = about("giants", "shortage").expect("the rules have the word");
        assert!(gifts.split("\n\n").all(|passage| plain_text(passage).contains(" shortage ")), "{gifts}");
        let raid = about("rappanui", "thief").expect("the rules have the word");
        assert!(
            raid.contains("* **B9** Thief and victim know the card that a Raid took, and nobody else does."),
            "{raid}"
        );
        assert!(raid.contains("The thief may use it at once."), "the ruling goes on in another line: {raid}");
        assert_eq!(about("rappanui", "hie"), None, "a part of a word is no word");
        assert_eq!(about("rappanui", " "), None);
        let chief = about("rapanui_board", "chief").expect("the glossary has it");
        assert!(chief.starts_with("* **Chief**: a figurine"), "{chief}");
    }

    #[test]
    fn an_unknown_word_is_refused_with_the_topics_and_a_near_name() {
        let error = rules_topic(rules("giants"), "glosary").expect_err("it is misspelled").to_string();
        assert!(error.starts_with("expected a topic of the rules (goal, setup, turn, actions, "), "{error}");
        assert!(error.contains("got \"glosary\"; did you mean \"glossary\"?"), "{error}");
    }
}
