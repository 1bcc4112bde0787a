//! The frame of our pages: one file of HTML without scripts and without any other file, for every screen.
//!
//! Names, reasons, and options come from strangers. The templates escape every value.

use maud::{DOCTYPE, Markup, PreEscaped, html};

const STYLE: &str = include_str!("page/style.css");

/// Returns a page with this title, a line below it, and the content.
pub fn page(title: &str, line: &Markup, content: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'";
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                header { h1 { (title) } p class="dim" { (line) } }
                main { (content) }
            }
        }
    }
}
