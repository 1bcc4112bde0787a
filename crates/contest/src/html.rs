//! The frame of the pages of cups and reports. A page is one file of HTML for every screen, without scripts and other files.
//!
//! Names, reasons, and options come from strangers. The templates escape every value.

use maud::{DOCTYPE, Markup, PreEscaped, Render, html};

const STYLE: &str = include_str!("html/style.css");

/// Returns a page with a title, a line below the title, and the content.
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

/// Returns a table. [`head`] and [`number_head`] make its heads; [`row_head`], [`number`], and [`text`] make its cells.
pub fn table(caption: &str, heads: &[Markup], rows: impl IntoIterator<Item = Vec<Markup>>) -> Markup {
    html! {
        div class="wide" {
            table {
                caption { (caption) }
                thead { tr { @for head in heads { (head) } } }
                tbody { @for row in rows { tr { @for cell in row { (cell) } } } }
            }
        }
    }
}

/// Returns the head of a column of text.
pub fn head(name: &str) -> Markup {
    html! { th scope="col" { (name) } }
}

/// Returns the head of a column of numbers.
pub fn number_head(name: impl Render) -> Markup {
    html! { th scope="col" class="number" { (name) } }
}

/// Returns the first cell of a row, which names the row.
pub fn row_head(name: impl Render) -> Markup {
    html! { th scope="row" { (name) } }
}

/// Returns a cell with a number.
pub fn number(value: impl Render) -> Markup {
    html! { td class="number" { (value) } }
}

/// Returns a cell with text.
pub fn text(value: impl Render) -> Markup {
    html! { td { (value) } }
}
