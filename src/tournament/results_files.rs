//! The files of an export: results, standings, ratings, and the page of a cup. All of them follow from the journal, so that
//! `ahu tournament verify` can compare them.

use ahu_contest::cup::{Forfeit, Report, State};
use ahu_host::outcome::reason;
use serde_json::{Value, json};

use super::team_view::{Game, Seen};
use super::wording::rule_name;
use super::{page, table};
use crate::CliError;

/// A file: its name and its content.
pub(super) type File = (String, Vec<u8>);

/// Returns the files for everybody, in both formats: the results, the table, and the page.
pub(super) fn all(state: &State) -> Result<Vec<File>, CliError> {
    let seen = Seen { state, team: None };
    let report = Report::of(state);
    let mut files = results(&seen.games(), &seen.annulled(), true, true)?;
    files.extend(tables(state, &report, true, true)?);
    files
        .push(("index.html".to_owned(), page::page(state, &report, &page::Links::inside()).into_string().into_bytes()));
    Ok(files)
}

/// Returns the results of games. Annulled games have files of their own, if there are any.
pub(super) fn results(games: &[Game], annulled: &[Game], has_csv: bool, has_json: bool) -> Result<Vec<File>, CliError> {
    let mut files = Vec::new();
    if has_csv {
        files.push(csv("results.csv", HEAD, games.iter().flat_map(Game::lines))?);
    }
    if has_json {
        files.push(json_file("results.json", &games.iter().map(Game::json).collect::<Value>()));
    }
    if has_csv && !annulled.is_empty() {
        files.push(csv("annulled.csv", &format!("{HEAD},attempt,reason"), annulled.iter().flat_map(Game::lines))?);
    }
    if has_json && !annulled.is_empty() {
        files.push(json_file("annulled.json", &annulled.iter().map(Game::json).collect::<Value>()));
    }
    Ok(files)
}

/// Returns the standings and ratings.
pub(super) fn tables(state: &State, report: &Report, has_csv: bool, has_json: bool) -> Result<Vec<File>, CliError> {
    let mut files = Vec::new();
    if has_json {
        files.push(json_file("table.json", &table::json(state, report)));
    }
    if has_csv {
        files.push(csv("standings.csv", STANDINGS, standings(state).into_iter())?);
        files.push(csv("ratings.csv", RATINGS, ratings(state, report).into_iter())?);
    }
    Ok(files)
}

pub(super) fn json_file(name: &str, value: &Value) -> File {
    (name.to_owned(), format!("{value:#}\n").into_bytes())
}

fn csv(name: &str, head: &str, lines: impl Iterator<Item = Vec<String>>) -> Result<File, CliError> {
    let cannot = |error: csv::Error| CliError::Failed(format!("cannot write {name}: {error}"));
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(head.split(',')).map_err(cannot)?;
    lines.into_iter().try_for_each(|line| writer.write_record(line)).map_err(cannot)?;
    Ok((name.to_owned(), writer.into_inner().map_err(CliError::failed)?))
}

/// The columns of the results, which have a line for each seat of each game. Annulled games have two more: the number of earlier
/// annulments, and the reason.
const HEAD: &str = "stage,table,block,game,seat,agent,score,rank,forfeit,decisions,seed,match,digest,record";

impl Game {
    fn lines(&self) -> impl Iterator<Item = Vec<String>> {
        let (result, or_empty) = (&self.result, |value: Option<String>| value.unwrap_or_default());
        (0..result.agents.len()).map(move |seat| {
            let mut line = vec![
                self.stage.clone(),
                or_empty(self.table.map(|table| table.to_string())),
                or_empty(self.block.map(|block| block.to_string())),
                self.key.game.to_string(),
                seat.to_string(),
                result.agents[seat].clone(),
                or_empty(result.scores.get(seat).map(ToString::to_string)),
                result.ranks[seat].to_string(),
                or_empty(result.forfeits[seat].map(|forfeit| forfeit.name().to_owned())),
                result.decisions.to_string(),
                or_empty(self.seed.map(|seed| seed.to_string())),
                or_empty(result.match_id.clone()),
                or_empty(result.digest.clone()),
                or_empty(self.record.as_ref().map(|path| path.display().to_string())),
            ];
            line.extend(self.annulled.iter().flat_map(|(attempt, reason)| [attempt.to_string(), reason.clone()]));
            line
        })
    }

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

fn standings(state: &State) -> Vec<Vec<String>> {
    let mut lines = Vec::new();
    for (number, stage) in state.stages.iter().enumerate() {
        for group in 0..stage.groups.len() {
            for row in ahu_contest::cup::Standings::of(state, number, group).rows {
                lines.push(vec![
                    state.cup.stages[number].name.clone(),
                    (group + 1).to_string(),
                    row.shown_place().map_or_else(String::new, |place| place.to_string()),
                    state.name(row.agent).to_owned(),
                    row.games.to_string(),
                    row.pairs.to_string(),
                    (row.half_pairs as f64 / 2.0).to_string(),
                    if row.margin_games > 0 { row.mean_margin().to_string() } else { String::new() },
                    row.wins.to_string(),
                    row.forfeits.to_string(),
                    row.decided_by.map_or("", rule_name).to_owned(),
                ]);
            }
        }
    }
    lines
}

/// The columns of the ratings. Agents with too few blocks are left out.
const RATINGS: &str = "game,agent,anchor,elo,low,high,best_rank,worst_rank";

fn ratings(state: &State, report: &Report) -> Vec<Vec<String>> {
    let mut lines = Vec::new();
    for game in &report.games {
        let name = |agent: usize| state.name(game.rated.agents[agent]).to_owned();
        for &agent in game.order.iter().filter(|&&agent| game.is_rated(agent)) {
            let (rating, elo) = (&game.ratings.agents[agent], game.ratings.agents[agent].elo());
            let end = |value: f64| if value.is_finite() { value.to_string() } else { String::new() };
            lines.push(vec![
                game.rated.game.clone(),
                name(agent),
                name(game.ratings.anchor),
                elo.mean.to_string(),
                end(elo.low),
                end(elo.high),
                rating.ranks.start().to_string(),
                rating.ranks.end().to_string(),
            ]);
        }
    }
    lines
}
