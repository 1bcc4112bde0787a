//! `ahu rules`: prints the rules of a game, and the data files of its components.

use std::io::Write;

use ahu_host::{AnyRules, DataFile, find, rules_page, rules_topic};
use ahu_service::proto::MessageJson;
use serde_json::{Value, json};

use crate::terminal::{markdown, pager};
use crate::{CliError, Done, print_json};

/// Print the rules of a game: all of them, one topic, a ruling, a word of the glossary, or a data file
#[derive(Debug, clap::Args)]
pub(super) struct Rules {
    /// The game, such as `giants`; `ahu games` lists all games
    game: String,
    /// A topic (goal, setup, turn, actions, scoring, rulings, options, glossary), a ruling such as G23, a word of the
    /// glossary, an option, or a data file such as giants/v1, which is printed as JSON
    topic: Vec<String>,
}

impl Rules {
    pub(super) fn run(self, out: &mut impl Write) -> Done {
        let rules = find(&self.game).map_err(CliError::usage)?;
        let topic = self.topic.join(" ");
        if topic.contains('/') {
            return data_file(rules, &topic, out);
        }
        let text = if topic.is_empty() { page(rules) } else { rules_topic(rules, &topic).map_err(CliError::usage)? };
        pager::show_alone(markdown::fitted(&text).trim_end(), out)
    }
}

/// Returns the rules of a game, and a list of its data files.
fn page(rules: &dyn AnyRules) -> String {
    let files = rules.data_files();
    if files.is_empty() {
        return rules_page(rules);
    }
    let items: Vec<String> = files.iter().map(|file| format!("* `{}`: {}", file.name, file.about)).collect();
    let id = rules.info().id;
    format!(
        "{}\n## Data files\n\n`ahu rules {id} NAME` prints one as JSON.\n\n{}\n",
        rules_page(rules),
        items.join("\n")
    )
}

/// Prints a data file as JSON, with the type of its message in `@type`.
fn data_file(rules: &dyn AnyRules, name: &str, out: &mut impl Write) -> Done {
    let files = rules.data_files();
    let Some(DataFile { name, about, content }) = files.iter().find(|file| file.name == name) else {
        let names: Vec<&str> = files.iter().map(|file| file.name).collect();
        return Err(CliError::Usage(format!("expected a data file ({}), got \"{name}\"", names.join(", "))));
    };
    let mut fields = serde_json::to_value(MessageJson::of(content)).map_err(CliError::failed)?;
    if let Value::Object(fields) = &mut fields {
        fields.insert("@type".to_owned(), content.type_url.clone().into());
    }
    print_json("data-file", json!({"name": name, "about": about, "content": fields}), out)
}

#[cfg(test)]
mod tests {
    use ahu_host::GAMES;

    use super::*;

    #[test]
    fn no_line_of_a_page_is_wider_than_asked() {
        for rules in GAMES {
            let page = page(*rules);
            let shown = markdown::wrapped(&page, 80);
            let wide = shown.lines().filter(|line| line.chars().count() > 80);
            assert_eq!(wide.collect::<Vec<_>>(), Vec::<&str>::new());
            let words = |text: &str| {
                let is_mark = |word: &&str| !word.trim_matches(['|', '-']).is_empty();
                let mut words: Vec<String> = text.split_whitespace().filter(is_mark).map(str::to_owned).collect();
                // Sort, since lines of a table mix the words of its cells.
                words.sort_unstable();
                words
            };
            assert!(words(&shown) == words(&page), "no word is lost or broken");
        }
    }
}
