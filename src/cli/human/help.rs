//! The help of the prompt: its commands, the rules, and the explanation of a word.

use ahu::host::{AnyRules, rules_page, rules_topic};

use super::answer::COMMANDS;
use crate::cli::terminal::fitted;

/// Returns a page for the terminal: its paragraphs continue at their indent, and its lists behind their mark.
pub(super) fn page(text: &str) -> String {
    let line = |line: &str| {
        let words = line.trim_start();
        let indent = line.len() - words.len();
        let is_list = indent > 0 || words.starts_with(['-', '*']);
        fitted(line, if is_list { indent + 2 } else { indent })
    };
    text.split_inclusive('\n').map(line).collect()
}

/// Returns the help of the prompt; `example` is a legal action, and `count` the number of those in the list.
pub(super) fn help(example: &str, count: usize) -> String {
    let width = COMMANDS.iter().map(|(command, _)| command.len()).max().unwrap_or(0);
    let commands = COMMANDS.map(|(command, meaning)| format!("  {command:<width$}  {meaning}\n")).concat();
    format!(
        "Type an action from the list, such as: {example}\nor the words of it that no other has, or its number in the \
         list with a #, such as: #{count}\nThe Tab key completes actions. These are commands:\n{commands}"
    )
}

/// Returns the rules of the game, or those about a topic; None if nothing is about it.
pub(super) fn rules(rules: &dyn AnyRules, topic: Option<&str>) -> Option<String> {
    match topic {
        None => Some(rules_page(rules)),
        Some(topic) => about(rules, topic),
    }
}

/// Returns all that the prompt and the rules say about a word; None if they do not have it.
pub(super) fn explain(rules: &dyn AnyRules, word: &str) -> Option<String> {
    let commands = COMMANDS.iter().filter(|(command, _)| has_word(command, word));
    let commands: Vec<_> = commands.map(|(command, meaning)| format!("* `{command}`: {meaning}\n")).collect();
    let about = about(rules, word);
    (!commands.is_empty() || about.is_some()).then(|| commands.concat() + &about.unwrap_or_default())
}

/// Returns the topic of the rules, the ruling, or the entry of the glossary of this name, or else all lines with the word.
fn about(rules: &dyn AnyRules, word: &str) -> Option<String> {
    let lines = || {
        let page = rules_page(rules);
        let found = page.lines().map(|line| line.trim().trim_start_matches("* ")).filter(|line| has_word(line, word));
        let lines: Vec<_> = found.map(|line| format!("* {line}\n")).collect();
        (!lines.is_empty()).then(|| lines.concat())
    };
    rules_topic(rules, word).ok().or_else(lines)
}

fn has_word(text: &str, word: &str) -> bool {
    text.to_lowercase().contains(&word.to_lowercase())
}
