//! The rules of a game as a page.

use ahu_host::api::ApiError;
use ahu_host::{find, rules_page};
use axum::extract::Path;
use pulldown_cmark::{Event, Options, Parser, html};
use serde_json::json;

use super::answer::{Answer, json};

/// Answers with the rules of a game as HTML. Markup in the Markdown is text.
pub(super) async fn show(Path(game): Path<String>) -> Answer {
    let rules = find(&game).map_err(ApiError::from)?;
    let info = rules.info();
    json(&json!({"title": info.title, "credit": info.credit, "html": as_html(&rules_page(rules))}))
}

/// Returns Markdown as HTML without markup of its own.
fn as_html(markdown: &str) -> String {
    let events = Parser::new_ext(markdown, Options::ENABLE_TABLES).map(|event| match event {
        Event::Html(text) | Event::InlineHtml(text) => Event::Text(text),
        event => event,
    });
    let mut text = String::new();
    html::push_html(&mut text, events);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_in_markdown_is_text() {
        let html = as_html("# Title <b>\n\n<script>alert(1)</script>\n\n| a |\n|---|\n| <i>x</i> |\n");
        assert!(html.contains("&lt;script&gt;") && html.contains("<table>"), "{html}");
        for markup in ["<script", "<b>", "<i>"] {
            assert!(!html.contains(markup), "{html}");
        }
    }
}
