//! The files of an export: results, standings, ratings, and the page of a cup. All of them follow from the journal, except what
//! language models tell, so that `ahu cup verify` can compare them.

use ahu_contest::cup::{Forfeit, Report, State};
use ahu_contest::suite::LanguageClaim;
use ahu_host::outcome::reason;
use serde_json::{Value, json};

use super::team_view::{Game, Seen};
use super::{ladder_table, page, table};
use crate::{CliError, with_format};

/// The name of the journal in an export.
pub(super) const JOURNAL: &str = "journal.jsonl";

/// A file: its name and its content.
pub(super) type File = (String, Vec<u8>);

/// Returns the files for everybody: the results, the table, and the page, with what language models tell.
pub(super) fn all(state: &State, claims: &[LanguageClaim]) -> Result<Vec<File>, CliError> {
    let seen = Seen { state, team: None };
    let report = Report::of(state);
    let mut files = results(&seen.games(), &seen.annulled())?;
    files.extend([
        json_file("table.json", table::FORMAT, table::json(state, &report, claims)),
        csv("standings.csv", STANDINGS, standings(state))?,
        csv("ratings.csv", RATINGS, ratings(state, &report))?,
    ]);
    if state.ladder().is_some() {
        files.push(csv("ladder.csv", ladder_table::COLUMNS, ladder_table::rows(state))?);
    }
    // Whoever follows the links of the page gets all that proves the cup.
    let names: Vec<_> = [JOURNAL].into_iter().chain(files.iter().map(|(name, _)| name.as_str())).collect();
    let page = page::page(state, &report, claims, &page::Links::inside(), &names).into_string();
    files.push(("index.html".to_owned(), page.into_bytes()));
    Ok(files)
}

/// Returns the results of games. Annulled games have files of their own, if there are any.
pub(super) fn results(games: &[Game], annulled: &[Game]) -> Result<Vec<File>, CliError> {
    let of = |name: &str, columns: &str, games: &[Game]| {
        let games: Vec<_> = games.iter().map(Game::json).collect();
        let json = json_file(&format!("{name}.json"), "cup-results", json!({ "games": games }));
        let rows = games.into_iter().flat_map(|game| items(game, "seats"));
        Ok::<_, CliError>([csv(&format!("{name}.csv"), columns, rows)?, json])
    };
    let mut files = Vec::from(of("results", HEAD, games)?);
    if !annulled.is_empty() {
        files.extend(of("annulled", &format!("{HEAD},attempt,reason"), annulled)?);
    }
    Ok(files)
}

/// Returns an object as a file of JSON with this name and format.
pub(super) fn json_file(name: &str, format: &str, value: Value) -> File {
    (name.to_owned(), format!("{:#}\n", with_format(format, value)).into_bytes())
}

/// Returns rows as a file of CSV with these columns. A value that is missing or null is empty.
fn csv(name: &str, columns: &str, rows: impl IntoIterator<Item = Value>) -> Result<File, CliError> {
    let cannot = |error: csv::Error| CliError::Failed(format!("cannot write {name}: {error}"));
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(columns.split(',')).map_err(cannot)?;
    for row in rows {
        let cell = |column| match &row[column] {
            Value::Null => String::new(),
            Value::String(text) => text.clone(),
            Value::Number(number) if number.is_f64() => number.as_f64().unwrap_or_default().to_string(),
            value => value.to_string(),
        };
        writer.write_record(columns.split(',').map(cell)).map_err(cannot)?;
    }
    Ok((name.to_owned(), writer.into_inner().map_err(CliError::failed)?))
}

/// Returns the items of the list `name` in a row, each with the other values of the row.
fn items(row: Value, name: &str) -> Vec<Value> {
    let Value::Object(mut row) = row else { return Vec::new() };
    let Some(Value::Array(items)) = row.remove(name) else { return Vec::new() };
    let with_row = |item| match item {
        Value::Object(item) => Value::Object(item.into_iter().chain(row.clone()).collect()),
        item => item,
    };
    items.into_iter().map(with_row).collect()
}

/// The columns of the results, which have a line for each seat of each game. Annulled games have two more: the number of earlier
/// annulments, and the reason.
const HEAD: &str = "stage,table,block,game,seat,agent,score,rank,forfeit,decisions,seed,match,digest,record";

impl Game {
    fn json(&self) -> Value {
        let result = &self.result;
        let seat = |seat: usize| {
            json!({
                "seat": seat, "agent": result.agents[seat], "score": result.scores.get(seat), "rank": result.ranks[seat],
                "forfeit": result.forfeits[seat].map(Forfeit::name), "reason": result.forfeits[seat].map(forfeit_reason),
            })
        };
        let mut value = json!({
            "stage": self.stage, "table": self.table, "block": self.block,
            "game": self.key.game, "seed": self.seed, "match": result.match_id, "digest": result.digest,
            "decisions": result.decisions, "record": self.record.as_ref().map(|path| path.display().to_string()),
            "seats": (0..result.agents.len()).map(seat).collect::<Vec<_>>(),
        });
        if let Some((attempt, reason)) = &self.annulled {
            (value["attempt"], value["reason"]) = ((*attempt).into(), reason.as_str().into());
        }
        value
    }
}

fn forfeit_reason(forfeit: Forfeit) -> &'static str {
    match forfeit {
        Forfeit::Game(cause) => reason(cause),
        Forfeit::Left => "the agent had left the cup",
    }
}

const STANDINGS: &str = "stage,group,place,agent,games,pairs,pairs_won,margin,wins,forfeits,decided_by";

fn standings(state: &State) -> Vec<Value> {
    let groups = table::standings_json(state).into_iter().flat_map(|stage| {
        let groups = stage["groups"].as_array().cloned().unwrap_or_default();
        let name = stage["stage"].clone();
        (1..).zip(groups).map(move |(group, rows)| json!({"stage": name, "group": group, "rows": rows}))
    });
    groups.flat_map(|group| items(group, "rows")).collect()
}

/// The columns of the ratings. Agents with too few blocks are left out.
const RATINGS: &str = "game,agent,anchor,elo,low,high,best_rank,worst_rank";

fn ratings(state: &State, report: &Report) -> Vec<Value> {
    let rated = report.games.iter().flat_map(|game| items(game.ratings_json(state), "agents"));
    let with_ranks = |mut row: Value| {
        (row["best_rank"], row["worst_rank"]) = (row["ranks"][0].clone(), row["ranks"][1].clone());
        row
    };
    rated.filter(|row| !row["elo"].is_null()).map(with_ranks).collect()
}
