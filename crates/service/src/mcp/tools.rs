//! The tools as clients list them: names, descriptions, and the forms of their arguments.

use std::collections::BTreeMap;
use std::sync::Arc;

use rmcp::model::{JsonObject, MetaObject, Tool, ToolAnnotations};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::caller::Fault;
use super::resources::TABLE;

/// The arguments of `rules`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Rules {
    pub(super) game: Option<String>,
    pub(super) topic: Option<String>,
}

/// The arguments of `join`.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Join {
    #[serde(rename = "match")]
    pub(super) handle: Option<String>,
    pub(super) game: Option<String>,
    pub(super) seats: Option<u32>,
    pub(super) seat: Option<u32>,
    pub(super) opponents: Vec<String>,
    pub(super) options: BTreeMap<String, Value>,
    pub(super) name: Option<String>,
    pub(super) code: Option<String>,
    pub(super) request_id: Option<String>,
}

/// The arguments of `look`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Look {
    #[serde(rename = "match")]
    pub(super) handle: Option<String>,
    pub(super) after: Option<u32>,
    pub(super) legend: bool,
    pub(super) picture: bool,
}

/// The arguments of `act`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Act {
    #[serde(rename = "match")]
    pub(super) handle: Option<String>,
    pub(super) decision: u32,
    pub(super) actions: Vec<String>,
    #[serde(default)]
    pub(super) comment: String,
}

/// The arguments of `wait`.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Wait {
    #[serde(rename = "match")]
    pub(super) handle: Option<String>,
    pub(super) decision: Option<u32>,
}

/// Reads the arguments of a tool. Clients send null for what is absent, and numbers and lists as texts: both are taken.
pub(super) fn arguments<T: DeserializeOwned>(tool: &str, given: Option<JsonObject>) -> Result<T, Fault> {
    let tools = list();
    let known = tools.iter().find(|known| known.name == tool).map(|known| &known.input_schema["properties"]);
    let given = given.unwrap_or_default().into_iter().filter(|(_, value)| !value.is_null()).map(|(name, value)| {
        let expected = known.map_or("", |known| known[&name]["type"].as_str().unwrap_or_default());
        let value = as_type(expected, value);
        (name, value)
    });
    let given = Value::Object(given.collect());
    serde_json::from_value(given).map_err(|error| Fault(format!("{tool}: the arguments cannot be read: {error}")))
}

/// Returns a value as one of the type that a form names, if it is written as a text of such a value or as one entry of a list.
fn as_type(expected: &str, value: Value) -> Value {
    let written = match &value {
        Value::String(text) if expected != "string" => serde_json::from_str(text.trim()).ok(),
        Value::Number(number) if expected == "integer" => {
            let whole = number.as_f64().filter(|number| number.fract() == 0.0);
            whole.map(|number| json!(number as i64))
        }
        _ => None,
    };
    match (expected, written) {
        ("integer", Some(Value::Number(number))) => Value::Number(number),
        ("boolean", Some(Value::Bool(truth))) => Value::Bool(truth),
        ("object", Some(Value::Object(fields))) => Value::Object(fields),
        ("array", Some(Value::Array(entries))) => Value::Array(entries),
        ("array", _) if value.is_string() => json!([value]),
        _ => value,
    }
}

/// Returns the tools.
pub(super) fn list() -> Vec<Tool> {
    let handle = json!({"type": "string", "description": "the match, as `join` names it"});
    let of_match = "the match, as `join` names it; the match joined last if this process has joined it";
    let handle_or_last = json!({"type": "string", "description": of_match});
    let count = |description: &str| json!({"type": "integer", "minimum": 0, "description": description});
    let text = |description: &str| json!({"type": "string", "description": description});
    let texts = |description: &str| json!({"type": "array", "items": {"type": "string"}, "description": description});
    vec![
        tool(
            "rules",
            "Returns the rules of a game: without a topic the goal and the list of topics, without a game the list of games.",
            ToolAnnotations::new().read_only(true).open_world(false),
            &[],
            json!({
                "game": text("the id of the game, such as giants"),
                "topic": text("a chapter of the rules, `all`, `actions` (their patterns), `options`, or `bots`"),
            }),
        ),
        tool(
            "join",
            "Takes a seat. With `opponents`, in a new match against these bots; with `match`, in this match; with `game` alone, \
             in any open match of the game. Without arguments, in a match of the game that this program was started for. \
             Returns the name of the match for the other tools, and what the seat sees.",
            ToolAnnotations::new().read_only(false).destructive(false).open_world(false),
            &[],
            json!({
                "match": handle,
                "game": text("the id of the game"),
                "seats": count("the number of seats"),
                "seat": count("the seat, from 0; the lowest open seat if absent"),
                "opponents": texts("the bots of the other seats, such as [\"greedy\"]; a single one takes all of them"),
                "options": json!({"type": "object", "description": "options of the game, by key"}),
                "name": text("the name of the player"),
                "code": text("the invitation code of a reserved seat"),
                "request_id": text("16 to 64 random characters that make it safe to send the call again"),
            }),
        ),
        tool(
            "look",
            "Returns the events since your last decision, the table as your seat sees it, and your decision with its legal actions.",
            ToolAnnotations::new().read_only(true).open_world(false),
            &[],
            json!({
                "match": handle_or_last,
                "after": count("the number of the event after which events are listed"),
                "legend": json!({"type": "boolean", "description": "true to explain the signs of the table, as `join` does"}),
                "picture": json!({"type": "boolean", "description": "for apps alone: true to get the picture beside the answer"}),
            }),
        )
        .with_meta(MetaObject(JsonObject::from_iter([("ui".to_owned(), json!({"resourceUri": TABLE}))]))),
        tool(
            "act",
            "Answers a decision, and goes on with further actions of your plan as long as they are legal. Forced actions between \
             them are played for you. Returns what was applied, and then the same as `look` once you have another decision. \
             The same call can be sent again: it has the same outcome.",
            ToolAnnotations::new().read_only(false).destructive(false).idempotent(true).open_world(false),
            &["decision", "actions"],
            json!({
                "match": handle_or_last,
                "decision": count("the number of your open decision, which the first action answers"),
                "actions": texts("one action or several, in order, each as `look` lists it"),
                "comment": text("your reasons, for those who replay the match later; up to 2048 bytes"),
            }),
        ),
        tool(
            "wait",
            "Waits up to 25 s until you have a decision or the match has ended, and then returns the same as `look`; else says \
             `waiting`, and you call it again. Forced actions are played for you.",
            ToolAnnotations::new().read_only(false).destructive(false).idempotent(true).open_world(false),
            &[],
            json!({
                "match": handle_or_last,
                "decision": count("the number of the decision that you answered last"),
            }),
        ),
    ]
}

fn tool(
    name: &'static str,
    description: &'static str,
    hints: ToolAnnotations,
    required: &[&str],
    properties: Value,
) -> Tool {
    let form = JsonObject::from_iter([
        ("type".to_owned(), json!("object")),
        ("properties".to_owned(), properties),
        ("required".to_owned(), json!(required)),
        ("additionalProperties".to_owned(), json!(false)),
    ]);
    Tool::new(name, description, Arc::new(form)).with_annotations(hints)
}
