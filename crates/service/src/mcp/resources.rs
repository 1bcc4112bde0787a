//! The resources: the rules of each game as Markdown, the data of its components as JSON, and the app that shows a table.

use rmcp::model::{Resource, ResourceContents};

use super::caller::{Caller, Fault};
use super::text::quoted;
use crate::proto::MessageJson;
use crate::proto::v1::Game;

/// The app that a host with MCP Apps (SEP-1865) shows beside a call of `look`. It asks for the picture of the table by the same
/// tool.
pub(super) const TABLE: &str = "ui://ahu/table";
const APP: &str = "text/html;profile=mcp-app";

const RULES: &str = "ahu://rules/";
const DATA: &str = "ahu://data/";

/// Returns all resources.
pub(super) async fn list(caller: &Caller) -> Result<Vec<Resource>, Fault> {
    let mut found = vec![Resource::new(TABLE, "table").with_title("The table").with_mime_type(APP)];
    for summary in caller.games().await? {
        let rules = Resource::new(format!("{RULES}{}", summary.game), format!("rules of {}", summary.game));
        found.push(rules.with_title(format!("{}: rules", summary.title)).with_mime_type("text/markdown"));
        for file in caller.game(&summary.game).await?.data_files {
            let data = Resource::new(format!("{DATA}{}", file.name), file.name);
            found.push(data.with_description(file.about).with_mime_type("application/json"));
        }
    }
    Ok(found)
}

/// Returns the content of a resource.
pub(super) async fn read(caller: &Caller, uri: &str) -> Result<ResourceContents, Fault> {
    if uri == TABLE {
        return Ok(ResourceContents::text(include_str!("table.html"), uri).with_mime_type(APP));
    }
    if let Some(game) = uri.strip_prefix(RULES) {
        return Ok(ResourceContents::text(caller.game(game).await?.rules, uri).with_mime_type("text/markdown"));
    }
    // The name of a file begins with its game.
    let name = uri.strip_prefix(DATA).unwrap_or_default();
    let game = name.split('/').next().unwrap_or_default();
    let unknown = || Fault(format!("expected a resource of the list, got {}", quoted(uri)));
    if game.is_empty() {
        return Err(unknown());
    }
    let file = caller.game(game).await?.data_files.into_iter().find(|file| file.name == name).ok_or_else(unknown)?;
    let json = serde_json::to_string(&MessageJson::of(&file.content.unwrap_or_default()));
    let json = json.map_err(|error| Fault(format!("INTERNAL: {error}")))?;
    Ok(ResourceContents::text(json, uri).with_mime_type("application/json"))
}

/// Returns the part of a game's rules with this topic, or all topics that there are.
pub(super) fn topic(game: &Game, topic: Option<&str>) -> Result<String, Fault> {
    let chapters: Vec<(&str, &str)> =
        game.rules.split("\n## ").skip(1).map(|part| part.split_once('\n').unwrap_or((part, ""))).collect();
    let summary = game.summary.clone().unwrap_or_default();
    let Some(topic) = topic else {
        let goal = chapters.iter().find(|(name, _)| *name == "Goal").map_or("", |(_, text)| text.trim());
        let (min, max) = (summary.min_seats, summary.max_seats);
        return Ok(format!(
            "{} ({}), {min} to {max} seats. {}\n\n{goal}\n\nTopics: {}",
            summary.title,
            summary.game,
            summary.about,
            topics(&chapters)
        ));
    };
    let of_bots =
        || game.bots.iter().map(|bot| format!("- {}: {}", bot.name, bot.about)).collect::<Vec<_>>().join("\n");
    let chapter = chapters.iter().find(|(name, _)| name.eq_ignore_ascii_case(topic));
    match (topic.to_lowercase().as_str(), chapter) {
        ("all", _) => Ok(game.rules.clone()),
        (_, Some((name, text))) => Ok(format!("## {name}\n{}", text.trim_end())),
        ("bots", None) => Ok(of_bots()),
        (_, None) => Err(Fault(format!("topic: expected one of {}; got {}", topics(&chapters), quoted(topic)))),
    }
}

fn topics(chapters: &[(&str, &str)]) -> String {
    let mut names: Vec<_> = chapters.iter().map(|(name, _)| name.to_lowercase()).collect();
    for other in ["bots", "all"] {
        if !names.iter().any(|name| name == other) {
            names.push(other.to_owned());
        }
    }
    names.join(", ")
}
