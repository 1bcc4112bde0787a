//! Tables of reports, made from their JSON alone: for Markdown, for LaTeX, and as a page.

use std::fmt::Write as _;

use maud::{Markup, html};

use super::interval::Interval;
use super::report::{CellReport, Report, SeedsKind};

/// The first columns of a table of several reports.
const HEADS: [&str; 3] = ["agent", "suite", "all"];

/// Returns an interval for people: `0.412 (0.380 to 0.444)`.
pub fn interval(interval: &Interval) -> String {
    match *interval {
        Interval { mean: Some(mean), low: Some(low), high: Some(high) } => format!("{mean:.3} ({low:.3} to {high:.3})"),
        Interval { mean: Some(mean), .. } => format!("{mean:.3}"),
        Interval { .. } => "-".to_owned(),
    }
}

/// Returns the sentence about the seeds of a report.
fn seeds(report: &Report) -> String {
    let seeds = &report.seeds;
    let salt = &seeds.salt_sha256;
    match (seeds.kind, &seeds.source) {
        (SeedsKind::Public, _) => "Public seeds, for development.".to_owned(),
        (SeedsKind::Sealed, Some(source)) => format!("Sealed seeds from {source}; SHA-256 of the salt {salt}."),
        (SeedsKind::Sealed, None) => format!("Sealed seeds of no stated source; SHA-256 of the salt {salt}."),
        (SeedsKind::Server, _) => format!("Seeds of an organiser's server; SHA-256 of the salt {salt}."),
    }
}

/// Returns the heads and the rows of the table of one report.
fn rows(report: &Report) -> ([&'static str; 7], Vec<[String; 7]>) {
    let heads = ["cell", "opponents", "normalised", "utility", "wins", "score", "forfeits"];
    let row = |cell: &CellReport| {
        [
            cell.name.clone(),
            cell.opponents.join(", "),
            interval(&cell.normalised),
            interval(&cell.utility),
            interval(&cell.wins),
            interval(&cell.score),
            cell.forfeits.values().sum::<u64>().to_string(),
        ]
    };
    (heads, report.cells.iter().map(row).collect())
}

/// Returns the report about one agent as Markdown.
pub fn markdown(report: &Report) -> String {
    let (heads, rows) = rows(report);
    let title = report.title();
    let agent = &report.agent;
    let mut text = format!("# {} on {title}\n\n", escaped(&agent.name));
    let _ = writeln!(
        text,
        "Normalised score over all cells: **{}** with a 95 % interval; {} games, {} forfeits, {} runs.",
        interval(&report.aggregate.normalised),
        report.aggregate.games,
        report.aggregate.forfeits,
        agent.runs.len()
    );
    let _ = writeln!(text, "{}\n", seeds(report));
    text += &markdown_table(&heads, &rows);
    let hash = &report.records.timeless_digest;
    let _ = writeln!(
        text,
        "\nSuite {} ({}), timeless digest of the records {hash}.",
        report.suite.name, report.suite.sha256
    );
    text
}

fn markdown_table<const N: usize>(heads: &[&str; N], rows: &[[String; N]]) -> String {
    let mut text = format!("| {} |\n|{}\n", heads.join(" | "), "---|".repeat(N));
    for row in rows {
        let _ = writeln!(text, "| {} |", row.each_ref().map(|value| escaped(value)).join(" | "));
    }
    text
}

/// Returns a text as Markdown shows it in a table.
fn escaped(text: &str) -> String {
    let special = |letter: char| "\\|`*_<>[]#".contains(letter);
    text.chars().flat_map(|letter| special(letter).then_some('\\').into_iter().chain([letter])).collect()
}

/// Returns a table of several reports as Markdown: a row for each report, a column for each cell.
pub fn markdown_of(reports: &[Report]) -> String {
    let cells = cells(reports);
    let line = |fields: Vec<String>| format!("| {} |\n", fields.join(" | "));
    let heads = HEADS.map(str::to_owned).into_iter().chain(cells.iter().cloned()).collect();
    let mut text = line(heads) + "|" + &"---|".repeat(HEADS.len() + cells.len()) + "\n";
    for report in reports {
        let fields = [escaped(&report.agent.name), report.title(), interval(&report.aggregate.normalised)];
        text += &line(fields.into_iter().chain(values(report, &cells)).collect());
    }
    text
}

/// Returns a table of several reports as LaTeX, with the package booktabs.
pub fn latex_of(reports: &[Report]) -> String {
    let cells = cells(reports);
    let columns = "r".repeat(cells.len() + 1);
    let line = |fields: Vec<String>| fields.join(" & ") + " \\\\\n";
    let heads = HEADS.map(str::to_owned).into_iter().chain(cells.iter().map(|cell| latex(cell))).collect();
    let mut text = format!("\\begin{{tabular}}{{ll{columns}}}\n\\toprule\n") + &line(heads) + "\\midrule\n";
    for report in reports {
        let Interval { mean, low, high } = report.aggregate.normalised;
        let number = |value: Option<f64>| value.map_or_else(|| "--".to_owned(), |value| format!("{value:.3}"));
        let all = format!("{} {{\\scriptsize [{}, {}]}}", number(mean), number(low), number(high));
        let fields = [latex(&report.agent.name), latex(&report.title()), all];
        text += &line(fields.into_iter().chain(values(report, &cells)).collect());
    }
    text + "\\bottomrule\n\\end{tabular}\n"
}

fn latex(text: &str) -> String {
    let escape = |letter: char| match letter {
        '\\' => "\\textbackslash{}".to_owned(),
        '~' => "\\textasciitilde{}".to_owned(),
        '^' => "\\textasciicircum{}".to_owned(),
        '&' | '%' | '$' | '#' | '_' | '{' | '}' => format!("\\{letter}"),
        letter => letter.to_string(),
    };
    text.chars().map(escape).collect()
}

/// Returns the names of all cells, in the order of the reports.
fn cells(reports: &[Report]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for cell in reports.iter().flat_map(|report| &report.cells) {
        if !names.contains(&cell.name) {
            names.push(cell.name.clone());
        }
    }
    names
}

/// Returns the normalised score of each cell, and "-" for one that the report does not have.
fn values(report: &Report, cells: &[String]) -> Vec<String> {
    let value = |name: &String| {
        let cell = report.cells.iter().find(|cell| cell.name == *name);
        cell.and_then(|cell| cell.normalised.mean).map_or_else(|| "-".to_owned(), |mean| format!("{mean:.2}"))
    };
    cells.iter().map(value).collect()
}

/// Returns the page of a report.
pub fn page(report: &Report) -> Markup {
    let (heads, rows) = rows(report);
    let agent = &report.agent;
    let title = format!("{} on {}", agent.name, report.title());
    let content = html! {
        section {
            h2 { "Score" }
            p {
                "Normalised score over all cells: " strong { (interval(&report.aggregate.normalised)) }
                " with a 95 % interval. 0 is random@1, 1 the reference bot of each cell."
            }
            div class="wide" {
                table {
                    tr { @for head in heads { th scope="col" { (head) } } }
                    @for row in &rows { tr { @for value in row { td { (value) } } } }
                }
            }
        }
        section {
            h2 { "Agent" }
            div class="wide" {
                table {
                    tr { th scope="row" { "player" } td { code { (agent.player) } } }
                    @for run in &agent.runs {
                        tr {
                            th scope="row" { "run" }
                            td { (run.name) " " code { (run.sha256.as_deref().unwrap_or("")) } }
                        }
                    }
                    @for (name, hash) in &agent.files {
                        tr { th scope="row" { (name) } td { code { (hash) } } }
                    }
                    @for (key, value) in &agent.declares {
                        tr { th scope="row" { (key) } td { (value) } }
                    }
                }
            }
        }
        section {
            h2 { "Check" }
            p { "Suite " (report.suite.name) ", SHA-256 " code { (report.suite.sha256) } "." }
            p { "Records: " (report.records.count) ", timeless digest " code { (report.records.timeless_digest) } "." }
            p { code { "ahu benchmark check DIR" } " plays all records again." }
        }
    };
    crate::page::page(&title, &html! { (seeds(report)) }, &content)
}
