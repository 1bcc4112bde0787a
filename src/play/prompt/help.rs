//! The help of the prompt: its commands, the rules of the game, and explanations of words.

use ahu_host::{AnyRules, rules_about, rules_page};

use super::typed_line::{COMMANDS, command_words};
use crate::terminal::fitted;

/// Returns the help. `example` is a legal action, and `count` the number of legal actions.
pub(super) fn help(example: &str, count: usize) -> String {
    let width = COMMANDS.iter().map(|(command, _)| command.len()).max().unwrap_or(0);
    let commands = COMMANDS.map(|(command, meaning)| fitted(&format!("  {command:<width$}  {meaning}\n"), 4)).concat();
    let actions = format!(
        "Type an action from the list, such as: {example}\nor the words of it that no other has, or their beginnings, or its \
         number in the list with a #, such as: #{count}\nThe Tab key completes actions and commands, and lists them on an \
         empty line. These are commands:\n"
    );
    fitted(&actions, 0) + &commands
}

/// Returns all rules of the game, or the rules about a topic; None if there are none about it.
pub(super) fn rules(rules: &dyn AnyRules, topic: Option<&str>) -> Option<String> {
    topic.map_or_else(|| Some(rules_page(rules)), |topic| rules_about(rules, topic))
}

/// Returns what the prompt and the rules say about a word; None if they say nothing.
pub(super) fn explain(rules: &dyn AnyRules, word: &str) -> Option<String> {
    let lower = word.to_lowercase();
    let commands = COMMANDS.iter().zip(command_words()).filter(|(_, command)| *command == lower);
    let commands: Vec<_> = commands.map(|((command, meaning), _)| format!("* `{command}`: {meaning}\n")).collect();
    let about = rules_about(rules, word);
    (!commands.is_empty() || about.is_some()).then(|| commands.concat() + &about.unwrap_or_default())
}
