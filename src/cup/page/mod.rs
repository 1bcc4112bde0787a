//! The HTML page of a cup.

mod plot;

use std::path::{Component, Path, PathBuf};

use ahu_contest::blocks::MIN_BLOCKS;
use ahu_contest::cup::{GameKey, GameReport, Ladder, Report, SeatReport, Standings, State, TableState};
use ahu_contest::html::{self, head, number_head, row_head, table, text};
use ahu_contest::suite::LanguageClaim;
use maud::{Markup, html};

use self::plot::{Plot, Row};
use super::folder::record_path;
use super::wording::{cells, cycle, endings_text, interval, percent, ranks, share_interval};
use super::{ladder_table, ledgers};
use crate::CliError;
use crate::files::relative;

pub(super) struct Links {
    /// The path of the cup's folder, relative to the folder of the page.
    base: PathBuf,
}

impl Links {
    /// Returns the links of a page that is in the folder of the cup.
    pub(super) fn inside() -> Self {
        Self { base: PathBuf::new() }
    }

    /// Returns the links from a page to the folder of a cup elsewhere.
    pub(super) fn between(page: &Path, folder: &Path) -> Result<Self, CliError> {
        let parent = page.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let whole = |path: &Path| {
            let cannot = |error| CliError::Failed(format!("cannot find {}: {error}", path.display()));
            path.canonicalize().map_err(cannot)
        };
        Ok(Self { base: relative(&whole(parent)?, &whole(folder)?) })
    }

    /// Returns the link to a file, whose path is relative to the folder of the cup.
    fn to(&self, path: &Path) -> String {
        let parts = self.base.components().chain(path.components()).map(|part| match part {
            Component::ParentDir => "..".to_owned(),
            part => part.as_os_str().as_encoded_bytes().iter().map(|&byte| encoded(byte)).collect(),
        });
        parts.collect::<Vec<_>>().join("/")
    }
}

/// Encodes a byte of a path for a link.
fn encoded(byte: u8) -> String {
    match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => char::from(byte).to_string(),
        byte => format!("%{byte:02X}"),
    }
}

/// Returns the page. `files` has the names of the files beside it that prove the cup with the records; none outside an export.
pub(super) fn page(state: &State, report: &Report, claims: &[LanguageClaim], links: &Links, files: &[&str]) -> Markup {
    let (games, done) = state.progress();
    let line = html! {
        (done) " of " (games) " games"
        @if state.has_ended() { "; the cup has ended" } @else { "; the cup has not ended" }
    };
    let content = html! {
        @if state.has_ended() { (winners(state)) }
        @for (number, stage) in state.stages.iter().enumerate() {
            @match &stage.ladder {
                Some(ladder) => (ladder_section(state, ladder)),
                None => (standings(state, number)),
            }
        }
        @for game in &report.games { (ratings(state, game)) (crosstable(state, game)) }
        @for seats in &report.seats { (seat_bias(seats)) }
        (endings(state, report))
        @if !claims.is_empty() { (language(claims)) }
        (games_list(state, links))
        @if !state.annulled.is_empty() { (annulled(state, links)) }
        (check(state, links, files))
    };
    html::page(&state.cup.header.name, &line, &content)
}

/// Returns the name of an agent, with its owner.
fn with_team(state: &State, agent: usize) -> String {
    match &state.agents[agent].entrant.owner {
        Some(owner) => format!("{} ({owner})", state.name(agent)),
        None => state.name(agent).to_owned(),
    }
}

fn winners(state: &State) -> Markup {
    let winners = Standings::winners(state);
    let names: Vec<_> = winners.iter().map(|&agent| with_team(state, agent)).collect();
    html! {
        p { strong { @if names.len() == 1 { "Winner: " } @else { "Winners: " } (names.join(", ")) } }
    }
}

fn ladder_section(state: &State, ladder: &Ladder) -> Markup {
    let (table_of, info) = (ladder_table::of(state), &state.cup.stages[0]);
    let heads = ["Place", "Agent", "Rating", "Interval", "Places", "Games", "Last played", "Notes"];
    let heads = heads
        .map(|name| if ["Agent", "Last played", "Notes"].contains(&name) { head(name) } else { number_head(name) });
    html! {
        section {
            h2 { "Ladder " (info.name) }
            p {
                (info.game) ", " (info.seats) " seats, " (ladder.games.len()) " games. One fit over all games rates all agents, in Elo "
                "points above the mean of all entrants. Intervals hold the truth in 95 % of all seasons."
            }
            (table("Ladder", &heads, table_of.rows.iter().filter(|row| row.is_shown).map(|row| {
                let [place, _, rating, margin, places, games, last, notes] = ladder_table::cells(state, ladder, row);
                let mut cells = vec![html! { td class="number" { (place) } }, row_head(with_team(state, row.agent))];
                cells.extend([rating, margin, places, games].map(html::number));
                cells.extend([text(last), html! { td class="note" { (notes) } }]);
                cells
            })))
        }
    }
}

fn standings(state: &State, number: usize) -> Markup {
    let info = &state.cup.stages[number];
    let groups = state.stages[number].groups.len();
    let mut heads = ["Place", "Agent", "Games", "Pairs won", "Margin", "Wins", "Forfeits", "Notes"].map(number_head);
    heads[1] = head("Agent");
    heads[7] = head("Notes");
    html! {
        section {
            h2 { "Stage " (info.name) }
            p {
                (info.game) ", " (info.seats) " seats. A pair is two seats in one game; a tie is a half. The margin is the "
                "points above the mean of the other seats."
            }
            @for group in 0..groups {
                @let of = if groups > 1 { format!(" of group {}", group + 1) } else { String::new() };
                @let rows = Standings::of(state, number, group).rows;
                (table(&format!("Standings{of}"), &heads, rows.iter().map(|row| {
                    let [place, _, games, pairs, margin, wins, forfeits, notes] = cells(state, number, row);
                    let mut cells = vec![html! { td class="number" { (place) } }, row_head(with_team(state, row.agent))];
                    cells.extend([games, pairs, margin, wins, forfeits].map(html::number));
                    cells.push(html! { td class="note" { (notes) } });
                    cells
                })))
            }
        }
    }
}

fn ratings(state: &State, game: &GameReport) -> Markup {
    let name = |agent: usize| state.name(game.rated.agents[agent]);
    let anchor = game.ratings.anchor;
    let rated: Vec<_> = game.order.iter().copied().filter(|&agent| game.is_rated(agent)).collect();
    let mut unrated: Vec<_> = game.order.iter().copied().filter(|&agent| !game.is_rated(agent)).map(name).collect();
    // Sort by name: an order by strength would mean nothing yet.
    unrated.sort_unstable();
    let rows = rated.iter().map(|&agent| {
        let elo = game.ratings.agents[agent].elo();
        Row { label: name(agent).to_owned(), value: elo.mean, low: elo.low, high: elo.high }
    });
    let plot = Plot {
        title: format!("Ratings in {}", game.rated.game),
        description: format!(
            "A row for each agent, with its rating as a point and the 95 % interval as a line, in Elo points above {}. The \
             table beside has the same numbers. An arrow is an end that no result bounds.",
            name(anchor)
        ),
        rows: rows.collect(),
        mark: 0.0,
        unit: "",
    };
    let heads = [head("Agent"), number_head("Elo"), number_head("95 % interval"), head("Rank"), number_head("Blocks")];
    html! {
        section {
            h2 { "Ratings in " (game.rated.game) }
            p {
                "Elo points above " (name(anchor)) ", from the pairs of all whole blocks by the model of Bradley and Terry. "
                "Intervals hold the truth in 95 % of all cups, and the ranges of ranks together. "
                "An end that no result bounds is “?”."
            }
            @if !rated.is_empty() {
                (plot.svg())
                (table("Ratings", &heads, rated.iter().map(|&agent| {
                    let rating = &game.ratings.agents[agent];
                    let is_anchor = agent == anchor;
                    vec![
                        row_head(name(agent)),
                        html::number(format!("{:+.0}", rating.elo().mean)),
                        html::number(if is_anchor { "the anchor".to_owned() } else { interval(rating.elo()) }),
                        text(ranks(rating)),
                        html::number(rating.strength.samples),
                    ]
                })))
            }
            @if !unrated.is_empty() {
                p { "No rating yet, with fewer than " (MIN_BLOCKS) " blocks: " (unrated.join(", ")) "." }
            }
        }
    }
}

fn crosstable(state: &State, game: &GameReport) -> Markup {
    let name = |agent: usize| state.name(game.rated.agents[agent]);
    let cycles = &game.crosstable.intransitive;
    let number = |(place, &other): (usize, &usize)| number_head(html! { abbr title=(name(other)) { (place + 1) } });
    let heads: Vec<_> = [head("Agent")].into_iter().chain(game.order.iter().enumerate().map(number)).collect();
    html! {
        section {
            h2 { "Crosstable of " (game.rated.game) }
            p {
                "The share of pairs that the agent of the row won against that of the column, in percent. "
                "Shares with * differ from 50 after Holm's correction for all pairs, which is tested from "
                (MIN_BLOCKS) " blocks on."
            }
            (table("Pairs won, in percent", &heads, game.order.iter().enumerate().map(|(place, &agent)| {
                let row = row_head(html! { (place + 1) ". " (name(agent)) });
                [row].into_iter().chain(game.order.iter().map(|&other| crosstable_cell(game, agent, other))).collect()
            })))
            @if !cycles.is_empty() {
                p { "Results that the ratings do not explain, such as cycles in which each agent beats the next:" }
                ul { @for found in cycles { li { (cycle(state, game, found)) } } }
            }
        }
    }
}

fn crosstable_cell(game: &GameReport, agent: usize, other: usize) -> Markup {
    let Some(cell) = &game.crosstable.cells[agent][other] else { return html! { td class="number" { "–" } } };
    let class = match cell.differs() {
        true if cell.share.mean > 0.5 => "number better",
        true => "number worse",
        false => "number",
    };
    let title = format!("{} in {} blocks", share_interval(&cell.share), cell.share.samples);
    html! {
        td class=(class) title=(title) {
            (format!("{:.0}", 100.0 * cell.share.mean)) @if cell.differs() { "*" }
        }
    }
}

fn seat_bias(seats: &SeatReport) -> Markup {
    if (seats.blocks() as u64) < MIN_BLOCKS {
        return html! {};
    }
    let rows = seats.shares.iter().enumerate().map(|(seat, share)| Row {
        label: format!("seat {seat}"),
        value: 100.0 * share.mean,
        low: 100.0 * share.low,
        high: 100.0 * share.high,
    });
    let plot = Plot {
        title: format!("Share of wins of the seats of {}", seats.game),
        description:
            "A row for each seat, with its share of wins as a point and the 95 % interval as a line. The dashed \
                      line is the share of a seat without an advantage."
                .to_owned(),
        rows: rows.collect(),
        mark: 100.0 * seats.fair(),
        unit: " %",
    };
    let heads = [head("Seat"), number_head("Share"), number_head("95 % interval"), head("Difference")];
    html! {
        section {
            h2 { "Seats of " (seats.game) }
            p {
                "The share of wins of each of " (seats.shares.len()) " seats in " (seats.blocks()) " blocks. Without an "
                "advantage it is " (percent(seats.fair())) ". In a block every agent has every seat equally often."
            }
            (plot.svg())
            (table("Share of wins", &heads, seats.shares.iter().enumerate().map(|(seat, share)| {
                let difference = if seats.differs(seat) { "differs, after Holm's correction" } else { "not shown" };
                vec![
                    row_head(seat),
                    html::number(percent(share.mean)),
                    html::number(share_interval(share)),
                    text(difference),
                ]
            })))
        }
    }
}

fn endings(state: &State, report: &Report) -> Markup {
    let endings = &report.endings;
    if endings.games == 0 && state.ladder().is_some() {
        return html! {};
    }
    html! {
        section {
            h2 { "Endings" }
            p { (endings_text(endings)) "." }
            @if !endings.forfeits.is_empty() {
                (table(
                    "Forfeits; “left” counts the games after the agent had left the cup",
                    &[head("Agent"), number_head("Forfeits"), head("Causes")],
                    endings.forfeits.iter().map(|(&agent, causes)| {
                        let each: Vec<_> = causes.iter().map(|(cause, count)| format!("{count} {}", cause.name())).collect();
                        let sum = causes.values().sum::<u64>();
                        vec![row_head(state.name(agent)), html::number(sum), text(each.join(", "))]
                    }),
                ))
            }
        }
    }
}

/// Shows the work of language models.
fn language(claims: &[LanguageClaim]) -> Markup {
    let heads: Vec<_> = ledgers::heads().into_iter().map(head).collect();
    html! {
        section {
            h2 { "Language models" }
            p { "What the agents tell of their calls. Nothing proves it." }
            (table("Language models", &heads, claims.iter().map(|claim| ledgers::cells(claim).into_iter().map(text).collect())))
        }
    }
}

/// Lists all games with links to their records.
fn games_list(state: &State, links: &Links) -> Markup {
    let heads = [number_head("Table"), head("Agents"), head("Games")];
    html! {
        section {
            h2 { "Games" }
            p { "A table plays one block. Each number is a game, and leads to its record." }
            @for (number, stage) in state.stages.iter().enumerate() {
                details {
                    summary { "Stage " (state.cup.stages[number].name) ", " (stage.tables.len()) " tables" }
                    (table("Tables", &heads, stage.tables.iter().enumerate().map(|(index, table)| {
                        let tie = if table.is_extra { " (breaks a tie)" } else { "" };
                        vec![
                            html! { th scope="row" class="number" { (index) } },
                            text(format!("{}{tie}", agents(state, table))),
                            text(games_of(state, links, (number, index), table)),
                        ]
                    })))
                }
            }
        }
    }
}

/// Lists the games that the organiser annulled, with links to the records that do not count.
fn annulled(state: &State, links: &Links) -> Markup {
    let heads = [head("Game"), head("Agents"), head("Reason")];
    html! {
        section {
            h2 { "Annulled games" }
            p { "The organiser took these games back. They do not count, and were played again with other seeds." }
            (table("Annulled games", &heads, state.annulled.iter().map(|game| {
                let info = &state.cup.stages[game.key.stage];
                let name = game.key.name(info);
                let path = game.key.record_path(info, game.attempt);
                let has_record = game.result.as_ref().is_some_and(|result| result.match_id.is_some());
                vec![
                    row_head(html! { @if has_record { a href=(links.to(&path)) { (name) } } @else { (name) } }),
                    text(game.agents.join(", ")),
                    text(&game.reason),
                ]
            })))
        }
    }
}

fn agents(state: &State, table: &TableState) -> String {
    table.agents.iter().map(|&agent| state.name(agent)).collect::<Vec<_>>().join(", ")
}

fn games_of(state: &State, links: &Links, (number, index): (usize, usize), table: &TableState) -> Markup {
    html! {
        @for (game, result) in table.results.iter().enumerate() {
            @if game > 0 { " " }
            @match result {
                None => (game),
                Some(result) => {
                    @let scores: Vec<_> = result
                        .agents
                        .iter()
                        .enumerate()
                        .map(|(seat, agent)| match result.scores.get(seat) {
                            Some(score) => format!("{agent} {score}"),
                            None => agent.clone(),
                        })
                        .collect();
                    @if result.match_id.is_some() {
                        @let path = record_path(state, GameKey { stage: number, table: index, game });
                        a href=(links.to(&path)) title=(scores.join(", ")) { (game) }
                    } @else {
                        span title="not played" { (game) }
                    }
                }
            }
        }
    }
}

/// Says how anybody can check the cup.
fn check(state: &State, links: &Links, files: &[&str]) -> Markup {
    html! {
        section {
            h2 { "How to check this cup" }
            p {
                "The seed of each game is an HMAC of its stage, game, options, agents, and block under a secret salt. The "
                "hash of the salt was fixed before the first game:"
            }
            p { code { (state.salt_hash) } }
            @match &state.salt {
                Some(salt) => {
                    p { "The salt, public since the end:" }
                    p { code { (salt.to_hex()) } }
                }
                None => p { "The salt becomes public when the cup has ended." },
            }
            @if !files.is_empty() {
                p {
                    "The journal, the records of all games, and these files prove the cup: "
                    @for (number, name) in files.iter().enumerate() {
                        @if number > 0 { ", " }
                        a href=(links.to(Path::new(name))) { (name) }
                    }
                    ". This command gets all of it into a folder:"
                }
                p { code { "wget --recursive --no-parent ADDRESS-OF-THIS-PAGE" } }
            }
            p {
                "With the journal and the records of an export, this command checks the links between the lines of the "
                "journal, the salt, all seeds, draws, and advances, and replays every game to its result:"
            }
            p { code { "ahu cup verify FOLDER --salt-hash " (state.salt_hash) } }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_leads_from_the_page_to_the_folder() {
        let link = |from: &str, to: &str| {
            Links { base: relative(Path::new(from), Path::new(to)) }.to(Path::new("records/a b/00000-00.txt"))
        };
        assert_eq!(link("/x/pages", "/x/cup.data"), "../cup.data/records/a%20b/00000-00.txt");
        assert_eq!(link("/x", "/x/c#\"1"), "c%23%221/records/a%20b/00000-00.txt");
        assert_eq!(Links::inside().to(Path::new("records/ü/0.txt")), "records/%C3%BC/0.txt");
    }
}
