//! Markdown, wrapped for a terminal.

use ahu_core::parts::lines;

use crate::terminal;

/// Wraps Markdown to the width of the terminal on stdout. Without a terminal, the text stays as it is.
pub(crate) fn fitted(text: &str) -> String {
    terminal::width().map_or_else(|| text.to_owned(), |width| wrapped(text, width))
}

/// Wraps the paragraphs and list items of Markdown at words, and tables within their cells. Headings stay as they are.
pub(crate) fn wrapped(text: &str, width: usize) -> String {
    let mut blocks: Vec<String> = Vec::new();
    let mut is_open = false;
    for line in text.lines() {
        let words = line.trim_start();
        let is_row = words.starts_with('|');
        let is_whole = words.is_empty() || words.starts_with('#');
        match blocks.last_mut() {
            Some(table) if is_row && table.starts_with('|') => {
                table.push('\n');
                table.push_str(words);
            }
            Some(block) if is_open && !is_row && !is_whole && marker(words) == 0 => {
                block.push(' ');
                block.push_str(words);
            }
            _ => blocks.push(line.to_owned()),
        }
        is_open = !is_whole && !is_row;
    }
    let broken = blocks.iter().map(|block| {
        let words = block.trim_start();
        match words.chars().next() {
            None | Some('#') => block.clone(),
            Some('|') => table(block, width),
            Some(_) => lines::wrapped(block, width, block.len() - words.len() + marker(words)),
        }
    });
    broken.collect::<Vec<_>>().join("\n")
}

/// Aligns the columns of a table. If it is too wide, its widest columns become narrower, and their cells are wrapped at words.
fn table(text: &str, width: usize) -> String {
    let cells = |row: &str| row.trim().trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect();
    let is_rule = |row: &[String]| row.iter().all(|cell| !cell.is_empty() && cell.trim_matches('-').is_empty());
    let rows: Vec<Vec<String>> = text.lines().map(cells).collect();
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let widest = |column: usize| {
        let cells = rows.iter().filter(|row| !is_rule(row)).filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0).max(1)
    };
    let mut widths: Vec<usize> = (0..columns).map(widest).collect();
    // Each cell has a bar before it and a space on both sides; another bar ends the row.
    let room = width.saturating_sub(3 * columns + 1).max(columns);
    while widths.iter().sum::<usize>() > room {
        *widths.iter_mut().max().expect("a table has columns") -= 1;
    }
    let mut lines = Vec::new();
    for row in &rows {
        if is_rule(row) {
            let rules = widths.iter().map(|&width| "-".repeat(width + 2)).collect::<Vec<_>>();
            lines.push(format!("|{}|", rules.join("|")));
            continue;
        }
        let broken = widths.iter().enumerate().map(|(column, &width)| {
            let cell = row.get(column).map_or("", String::as_str);
            lines::wrapped(cell, width, 0).lines().map(str::to_owned).collect::<Vec<_>>()
        });
        let broken: Vec<Vec<String>> = broken.collect();
        for n in 0..broken.iter().map(Vec::len).max().unwrap_or(0) {
            let cell = |(cell, &width): (&Vec<String>, &usize)| {
                format!(" {:<width$} ", cell.get(n).map_or("", String::as_str))
            };
            let cells: Vec<String> = broken.iter().zip(&widths).map(cell).collect();
            lines.push(format!("|{}|", cells.join("|")));
        }
    }
    lines.join("\n")
}

/// Returns the length of the marker of a list item, `* ` or `1. `; 0 for other lines.
fn marker(words: &str) -> usize {
    let digits = words.len() - words.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    if words.starts_with("* ") {
        2
    } else if digits > 0 && words[digits..].starts_with(". ") {
        digits + 2
    } else {
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_wraps_at_words_and_items_hang() {
        let text = "# A title that is much longer than the width\n\nA paragraph\nof two lines.\n\n* One item with\n  words\n* two\n\n1. first\n   * inner item of words";
        let expected = "# A title that is much longer than the width\n\nA paragraph of\ntwo lines.\n\n* One item with\n  words\n* two\n\n1. first\n   * inner item\n     of words";
        assert_eq!(wrapped(text, 16), expected);
    }

    #[test]
    fn a_table_is_aligned_and_broken_within_its_cells() {
        let text = "| card | each player gets |\n|---|---|\n| priest | 1 glory point for each |";
        let wide = "| card   | each player gets       |\n|--------|------------------------|\n| priest | 1 glory point for each |";
        assert_eq!(wrapped(text, 80), wide);
        let narrow = "| card   | each       |\n|        | player     |\n|        | gets       |\n|--------|------------|\n\
                      | priest | 1 glory    |\n|        | point for  |\n|        | each       |";
        assert_eq!(wrapped(text, 23), narrow);
    }
}
