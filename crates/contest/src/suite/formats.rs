//! Reports as Markdown, as LaTeX, and as a page. All are made from the JSON of a report alone.

use std::fmt::Write as _;

use ahu_core::parts::lines::counted;
use maud::{Markup, html};

use super::compare::distinct;
use super::interval::Interval;
use super::language::LanguageClaim;
use super::report::{
    AgentClaim, CellReport, DecisionMs, LogClaim, MachineClaim, Report, RunClaim, SeedsKind, ServerClaim, Split,
    TimeClaim,
};

/// The first columns of a table of several reports.
const HEADS: [&str; 5] = ["agent", "suite", "seeds", "forfeits", "all"];

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

/// Returns the sentence about the games that the run has started.
pub fn log(report: &Report) -> String {
    let LogClaim { started, not_kept, .. } = &report.log;
    format!("Games started, by the log of the run: {started}; started and not kept: {not_kept}.")
}

/// Returns the words for the cells over which the aggregate is a mean.
fn over(report: &Report) -> String {
    match &report.suite.cells {
        None => "all cells".to_owned(),
        Some(_) => format!("these cells alone, no score of {}", report.suite.name),
    }
}

/// Returns the addition to the aggregate in a table of several reports: the number of cells of a part of a suite.
fn over_part(report: &Report) -> String {
    let cells = report.suite.cells.as_ref().map(|cells| format!(" over {}", counted(cells.len(), "cell")));
    cells.unwrap_or_default()
}

/// A figure by the kind of opponents: its name, and the function that returns it.
type SplitColumn = (&'static str, fn(&Split) -> Interval);

/// The figures by the kind of opponents.
const SPLIT: [SplitColumn; 3] =
    [("familiar", |split| split.familiar), ("held-out", |split| split.held_out), ("gap", |split| split.gap)];

/// Returns the sentences about the kinds of opponents; None if all opponents are of one kind.
fn split(report: &Report) -> Option<String> {
    let figures = report.aggregate.split.map(|split| SPLIT.map(|(_, of)| interval(&of(&split))));
    let declared = report.agent.declares.get(AgentClaim::TRAINED_ON_HELD_OUT);
    figures.map(|[familiar, held_out, gap]| {
        format!(
            "With familiar opponents {familiar}, with held-out ones {held_out}: a gap of {gap}. Trained against held-out \
             opponents: {}.",
            declared.map_or("not stated", String::as_str)
        )
    })
}

/// A column of a table of one report: its head, and the function that returns the text for a row.
type Column = (&'static str, fn(&CellReport) -> String);

const COLUMNS: [Column; 10] = [
    ("cell", |cell| cell.name.clone()),
    ("opponents", |cell| cell.opponents.join(", ")),
    ("blocks", |cell| cell.blocks.to_string()),
    ("normalised", |cell| interval(&cell.normalised)),
    ("deviation of blocks", |cell| cell.block_deviation.map_or("-".to_owned(), |deviation| format!("{deviation:.3}"))),
    ("utility", |cell| interval(&cell.utility)),
    ("wins", |cell| interval(&cell.wins)),
    ("score", |cell| interval(&cell.score)),
    ("forfeits", forfeits),
    ("ms a decision (median, 99 %)", |CellReport { decision_ms: DecisionMs { p50, p99 }, .. }| {
        p50.zip(*p99).map_or("-".to_owned(), |(p50, p99)| format!("{p50}, {p99}"))
    }),
];

/// Returns the heads and the rows of the table of one report.
fn rows(report: &Report) -> ([&'static str; 10], Vec<[String; 10]>) {
    let row = |cell: &CellReport| COLUMNS.map(|(_, value)| value(cell));
    (COLUMNS.map(|(head, _)| head), report.cells.iter().map(row).collect())
}

/// Returns the number of forfeits in a cell with their causes: `3 (2 exited, 1 timeout)`.
fn forfeits(cell: &CellReport) -> String {
    let all: u64 = cell.forfeits.values().sum();
    let causes: Vec<_> = cell.forfeits.iter().map(|(cause, count)| format!("{count} {cause}")).collect();
    if causes.is_empty() { all.to_string() } else { format!("{all} ({})", causes.join(", ")) }
}

/// Returns the names and texts of the declarations about a run, which nothing proves.
fn declared(report: &Report) -> Vec<(String, String)> {
    let MachineClaim { system, processor, cores, memory } = &report.machine;
    let gigabytes = |bytes: u64| format!("{:.0} GB of memory", bytes as f64 / 1e9);
    let machine =
        [Some(system.clone()), processor.clone(), Some(counted(*cores as u64, "core")), memory.map(gigabytes)];
    let TimeClaim { started, ended, .. } = &report.time;
    let ServerClaim { version, build, .. } = &report.server;
    let own = |name: &str, text: String| (name.to_owned(), text);
    let declares = report.agent.declares.iter().map(|(key, value)| (key.clone(), value.clone()));
    let language = LanguageClaim::in_words(&report.language).map(|words| own("language model", words));
    [own("budget of a decision", report.agent.budget.to_string())]
        .into_iter()
        .chain(declares)
        .chain(language)
        .chain([
            own("machine", machine.into_iter().flatten().collect::<Vec<_>>().join(", ")),
            own("time", format!("{started} to {ended}")),
            own("program", format!("ahu {version}, SHA-256 {build}")),
        ])
        .collect()
}

/// Returns the report about one agent as Markdown.
pub fn markdown(report: &Report) -> String {
    let (heads, rows) = rows(report);
    let rows = rows.iter().map(|row| row.each_ref().map(|value| escaped(value)).to_vec());
    let title = report.title();
    let agent = &report.agent;
    let mut text = format!("# {} on {title}\n\n", escaped(&agent.name));
    let _ = writeln!(
        text,
        "Normalised score over {}: **{}** with a 95 % interval; {}, {}, {}.",
        over(report),
        interval(&report.aggregate.normalised),
        counted(report.aggregate.games, "game"),
        counted(report.aggregate.forfeits, "forfeit"),
        counted(agent.runs.len(), "run")
    );
    if let Some(split) = split(report) {
        let _ = writeln!(text, "{split}");
    }
    let _ = writeln!(text, "{} {}\n", seeds(report), log(report));
    text += &markdown_table(&heads, rows);
    text += "\nDeclared, and proved by nothing:\n\n";
    for (name, value) in declared(report) {
        let _ = writeln!(text, "* {}: {}", escaped(&name), escaped(&value));
    }
    if !report.language.is_empty() {
        let rows = report
            .language
            .iter()
            .map(|claim| LanguageClaim::COLUMNS.map(|(_, value)| escaped(&value(claim))).to_vec());
        text += "\n";
        text += &markdown_table(&LanguageClaim::COLUMNS.map(|(head, _)| head), rows);
    }
    let hash = &report.records.timeless_digest;
    let _ = writeln!(
        text,
        "\nSuite {} ({}), timeless digest of the records {hash}, last link of the log {}.",
        report.suite.name, report.suite.sha256, report.log.link
    );
    text
}

/// Returns a table as Markdown. Its fields are escaped already.
fn markdown_table(heads: &[&str], rows: impl Iterator<Item = Vec<String>>) -> String {
    let head = format!("| {} |\n|{}\n", heads.join(" | "), "---|".repeat(heads.len()));
    rows.fold(head, |text, row| text + "| " + &row.join(" | ") + " |\n")
}

/// Returns a text with escapes, so that Markdown shows it as it is, also in a table.
fn escaped(text: &str) -> String {
    let special = |letter: char| "\\|`*_<>[]#".contains(letter);
    text.chars().flat_map(|letter| special(letter).then_some('\\').into_iter().chain([letter])).collect()
}

/// Returns a table of several reports as Markdown: a row for each report, and a column for each cell. Lines below the table
/// state the seeds.
pub fn markdown_of(reports: &[Report]) -> String {
    let (cells, kinds) = (cells(reports), kinds(reports));
    let heads = HEADS.into_iter().chain(kinds.iter().map(|(head, _)| *head));
    let heads: Vec<_> = heads.chain(cells.iter().map(String::as_str)).collect();
    let row = |report: &Report| {
        let all = interval(&report.aggregate.normalised) + &over_part(report);
        let fields = first_fields(report, escaped, all).into_iter();
        let kind =
            |&(_, of): &SplitColumn| report.aggregate.split.map_or("-".to_owned(), |split| interval(&of(&split)));
        fields.chain(kinds.iter().map(kind)).chain(values(report, &cells, "-")).collect()
    };
    let mut text = markdown_table(&heads, reports.iter().map(row));
    for note in notes(reports) {
        let _ = writeln!(text, "\n{}", escaped(&note));
    }
    text
}

/// Returns a table of several reports as LaTeX. It needs the package booktabs.
pub fn latex_of(reports: &[Report]) -> String {
    let (cells, kinds) = (cells(reports), kinds(reports));
    let columns = "r".repeat(kinds.len() + cells.len() + 2);
    let line = |fields: Vec<String>| fields.join(" & ") + " \\\\\n";
    let heads = HEADS.into_iter().chain(kinds.iter().map(|(head, _)| *head)).map(str::to_owned);
    let heads = heads.chain(cells.iter().map(|cell| latex(cell))).collect();
    let mut text = format!("\\begin{{tabular}}{{lll{columns}}}\n\\toprule\n") + &line(heads) + "\\midrule\n";
    for report in reports {
        let number = |value: Option<f64>| value.map_or_else(|| "--".to_owned(), |value| format!("{value:.3}"));
        let figure = |Interval { mean, low, high }: Interval, over: &str| {
            format!("{} {{\\scriptsize [{}, {}]{over}}}", number(mean), number(low), number(high))
        };
        let all = figure(report.aggregate.normalised, &over_part(report));
        let kind =
            |&(_, of): &SplitColumn| report.aggregate.split.map_or("--".to_owned(), |split| figure(of(&split), ""));
        let fields = first_fields(report, latex, all).into_iter().chain(kinds.iter().map(kind));
        text += &line(fields.chain(values(report, &cells, "--")).collect());
    }
    text += "\\bottomrule\n";
    let width = HEADS.len() + kinds.len() + cells.len();
    for note in notes(reports) {
        text += &line(vec![format!("\\multicolumn{{{width}}}{{l}}{{\\footnotesize {}}}", latex(&note))]);
    }
    text + "\\end{tabular}\n"
}

/// Returns the fields of a report below [`HEADS`]. `all` is the text of the last field.
fn first_fields(report: &Report, escape: impl Fn(&str) -> String, all: String) -> [String; 5] {
    let forfeits = report.aggregate.forfeits.to_string();
    [escape(&report.agent.name), escape(&report.title()), report.seeds.kind.to_string(), forfeits, all]
}

/// Returns a line for each kind and source of seeds: the names of the agents, and the sentence about their seeds.
fn notes(reports: &[Report]) -> Vec<String> {
    let mut notes: Vec<(String, Vec<&str>)> = Vec::new();
    for report in reports {
        let (text, agent) = (seeds(report), report.agent.name.as_str());
        match notes.iter_mut().find(|(other, _)| *other == text) {
            Some((_, agents)) => agents.push(agent),
            None => notes.push((text, vec![agent])),
        }
    }
    notes.into_iter().map(|(text, agents)| format!("{}: {text}", agents.join(", "))).collect()
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

/// Returns the figures by the kind of opponents; none if no report has them.
fn kinds(reports: &[Report]) -> &'static [SplitColumn] {
    if reports.iter().any(|report| report.aggregate.split.is_some()) { &SPLIT } else { &[] }
}

/// Returns the names of the cells of all reports, in the order of their first occurrence.
fn cells(reports: &[Report]) -> Vec<String> {
    distinct(reports.iter().flat_map(|report| &report.cells).map(|cell| &cell.name))
}

/// Returns the normalised score of each cell as text, and `none` for a cell without one.
fn values(report: &Report, cells: &[String], none: &str) -> Vec<String> {
    let value = |name: &String| {
        let cell = report.cells.iter().find(|cell| cell.name == *name);
        cell.and_then(|cell| cell.normalised.mean).map_or_else(|| none.to_owned(), |mean| format!("{mean:.2}"))
    };
    cells.iter().map(value).collect()
}

/// Returns a table of named facts.
fn facts<'a>(facts: impl Iterator<Item = (&'a str, Markup)>) -> Markup {
    html! {
        div class="wide" {
            table { @for (name, value) in facts { tr { th scope="row" { (name) } td { (value) } } } }
        }
    }
}

/// Returns the page of a report.
pub fn page(report: &Report) -> Markup {
    let (heads, rows) = rows(report);
    let agent = &report.agent;
    let title = format!("{} on {}", agent.name, report.title());
    let player = [("player", html! { code { (agent.player) } })];
    let hash = |run: &RunClaim| run.sha256.clone().unwrap_or_default();
    let runs = agent.runs.iter().map(|run| ("run", html! { (run.name) " " code { (hash(run)) } }));
    let files = agent.files.iter().map(|(name, hash)| (name.as_str(), html! { code { (hash) } }));
    let content = html! {
        section {
            h2 { "Score" }
            p {
                "Normalised score over " (over(report)) ": " strong { (interval(&report.aggregate.normalised)) }
                " with a 95 % interval; "
                (counted(report.aggregate.games, "game")) ", " (counted(report.aggregate.forfeits, "forfeit")) ", "
                (counted(agent.runs.len(), "run")) ". 0 is random@1, 1 the reference bot of each cell."
            }
            @if let Some(split) = split(report) { p { (split) } }
            div class="wide" {
                table {
                    tr { @for head in heads { th scope="col" { (head) } } }
                    @for row in &rows { tr { @for value in row { td { (value) } } } }
                }
            }
        }
        section {
            h2 { "Agent" }
            (facts(player.into_iter().chain(runs).chain(files)))
        }
        section {
            h2 { "Declared" }
            p { "Nothing proves these facts." }
            (facts(declared(report).iter().map(|(name, value)| (name.as_str(), html! { (value) }))))
        }
        section {
            h2 { "Check" }
            p { "Suite " (report.suite.name) ", SHA-256 " code { (report.suite.sha256) } "." }
            p { "Records: " (report.records.count) ", timeless digest " code { (report.records.timeless_digest) } "." }
            p { (log(report)) " Its last link: " code { (report.log.link) } "." }
            p { code { "ahu benchmark verify DIR" } " plays all records again." }
        }
    };
    crate::html::page(&title, &html! { (seeds(report)) }, &content)
}
