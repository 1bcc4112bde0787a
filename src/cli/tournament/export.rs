//! `ahu tournament export`: writes the results of a cup as files, for everybody or for one team.

use std::collections::HashMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use ahu::cup::{Forfeit, GameKey, GameResult, Report, State};
use ahu_engine::host::Record;
use serde_json::{Value, json};

use super::folder::{CupFolder, record_path};
use super::wording::rule_name;
use super::{CupArguments, page, table};
use crate::cli::files::create_empty;
use crate::cli::files::create_private;
use crate::cli::output::match_outcome::reason;
use crate::cli::{CliError, Done};

/// The name that stands for an agent whose name a team may not know yet.
const HIDDEN: &str = "opponent";

/// Write the results of a cup as files
///
/// Without --for, the folder is for everybody: the results of all games, the table, a page, the journal, and the records.
/// `ahu tournament verify` checks it. It tells the names of all agents, and the journal has their commands. With --for,
/// it has what a team may have at any time: its games, with their records, its forfeits, and the output of its program;
/// while an anonymous cup runs, no names of others.
///
/// Seeds are written when the cup has ended. Before that, records of games that share their luck with others are left
/// out until all games of their table have ended.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Export {
    #[command(flatten)]
    cup: CupArguments,
    /// The folder, which must be new or empty
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Write only what the team of this agent may have
    #[arg(long = "for", value_name = "NAME")]
    team: Option<String>,
    /// Write results as JSON, and not as CSV
    #[arg(long, conflicts_with = "csv")]
    json: bool,
    /// Write results as CSV, and not as JSON
    #[arg(long)]
    csv: bool,
}

impl Export {
    pub(super) fn run(self, out: &mut impl Write) -> Done {
        let folder = self.cup.read()?;
        let state = folder.state()?;
        let team = self.team.as_deref().map(|name| state.number(name).map_err(CliError::Usage)).transpose()?;
        create_empty("--out", &self.out)?;
        let seen = Seen { state: &state, team };
        let mut games = seen.games();
        let has_no_record = |game: &&Game| game.record.is_none() && game.result.match_id.is_some();
        let sealed = games.iter().filter(has_no_record).count();
        for game in &mut games {
            let source = folder.record(&state, game.key);
            match &game.record {
                Some(target) if seen.may_have(&source)? => copy(&source, &self.out.join(target))?,
                _ => game.record = None,
            }
        }
        let told = games.iter().filter(has_no_record).count() - sealed;
        if !self.json {
            self.write_csv("results.csv", HEAD, games.iter().flat_map(Game::lines))?;
        }
        if !self.csv {
            self.write_json("results.json", &games.iter().map(Game::json).collect::<Value>())?;
        }
        match team {
            None => self.write_for_all(&folder, &state)?,
            Some(team) => self.write_for_team(&folder, &seen, team)?,
        }
        writeln!(out, "{} has the results of {} games", self.out.display(), games.len())?;
        if sealed > 0 {
            writeln!(
                out,
                "the records of {sealed} games are left out: other games of their tables have the same chance"
            )?;
        }
        if told > 0 {
            writeln!(out, "the records of {told} games are left out: they tell of other agents")?;
        }
        Ok(())
    }

    fn write_for_all(&self, folder: &CupFolder, state: &State) -> Done {
        let report = Report::of(state);
        if !self.csv {
            self.write_json("table.json", &table::json(state, &report))?;
        }
        if !self.json {
            self.write_csv("standings.csv", STANDINGS, standings(state).into_iter())?;
            self.write_csv("ratings.csv", RATINGS, ratings(state, &report).into_iter())?;
        }
        let page = page::page(state, &report, &page::Links::inside()).into_string();
        self.write("index.html", page.as_bytes())?;
        copy(&folder.journal(), &self.out.join("journal.jsonl"))
    }

    /// Writes whether the team's agent still takes part, and the output of its program.
    fn write_for_team(&self, folder: &CupFolder, seen: &Seen<'_>, team: usize) -> Done {
        self.write_json("agent.json", &table::agent_json(seen.state, team))?;
        let name = format!("{}.log", seen.state.name(team));
        let log = folder.data.join("logs").join(&name);
        if !log.exists() {
            return Ok(());
        }
        if !seen.is_anonymous() {
            return copy(&log, &self.out.join(name));
        }
        let cannot = CliError::cannot("read", &log);
        self.write(&name, seen.without_tables(&fs::read_to_string(&log).map_err(cannot)?).as_bytes())
    }

    fn write(&self, name: &str, bytes: &[u8]) -> Done {
        let path = self.out.join(name);
        fs::write(&path, bytes).map_err(CliError::cannot("write", &path))
    }

    fn write_json(&self, name: &str, value: &Value) -> Done {
        self.write(name, format!("{value:#}\n").as_bytes())
    }

    fn write_csv(&self, name: &str, head: &str, lines: impl Iterator<Item = Vec<String>>) -> Done {
        let cannot = |error: csv::Error| CliError::Failed(format!("cannot write {name}: {error}"));
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record(head.split(',')).map_err(cannot)?;
        lines.into_iter().try_for_each(|line| writer.write_record(line)).map_err(cannot)?;
        self.write(name, &writer.into_inner().map_err(CliError::failed)?)
    }
}

fn copy(from: &Path, to: &Path) -> Done {
    to.parent().map(create_private).transpose()?;
    let copied = fs::copy(from, to).map(drop);
    copied.map_err(|error| CliError::Failed(format!("cannot copy {} to {}: {error}", from.display(), to.display())))
}

/// The columns of the results, which have a line for each seat of each game.
const HEAD: &str = "stage,table,block,game,seat,agent,score,rank,forfeit,decisions,seed,match,digest,record";

/// The knowledge that the reader of an export may have.
struct Seen<'a> {
    state: &'a State,
    /// The agent of the team; None for an export for everybody.
    team: Option<usize>,
}

/// A game as the reader may know it.
struct Game {
    key: GameKey,
    stage: String,
    /// The table and its block; None while they would reveal who sits at the table.
    table: Option<(usize, u64)>,
    seed: Option<u64>,
    result: GameResult,
    /// The path of the record in the export; None if the reader may not have the record yet.
    record: Option<PathBuf>,
}

impl Seen<'_> {
    /// Returns true if the reader may not know the names of other agents yet.
    fn is_anonymous(&self) -> bool {
        self.team.is_some() && self.state.cup.tournament.anonymous && !self.state.has_ended()
    }

    /// Returns all games that have ended; for a team, only its own.
    fn games(&self) -> Vec<Game> {
        let own = self.state.games().filter(|(_, table)| self.team.is_none_or(|team| table.agents.contains(&team)));
        own.filter_map(|(key, table)| Some(self.game(key, table.results[key.game].as_ref()?))).collect()
    }

    fn game(&self, key: GameKey, result: &GameResult) -> Game {
        let table = self.state.table(key).expect("it has a result");
        let planned = self.state.salt.map(|salt| self.state.planned(key, &salt));
        let is_hidden = |name: &str| self.is_anonymous() && self.team.is_some_and(|team| self.state.name(team) != name);
        let name = |name: &String| if is_hidden(name) { HIDDEN.to_owned() } else { name.clone() };
        // The other games of the table have the same chance.
        let is_sealed =
            self.state.cup.stages[key.stage].luck == ahu_engine::host::blocks::Luck::Shared && !table.is_whole();
        let path = match &result.match_id {
            // The number of a table reveals who sits there, since the draw follows from the file.
            Some(id) if self.is_anonymous() => Path::new("records").join(format!("{id}.txt")),
            _ => record_path(self.state, key),
        };
        Game {
            key,
            stage: self.state.cup.stages[key.stage].name.clone(),
            table: (!self.is_anonymous()).then_some((key.table, table.block)),
            seed: planned.map(|planned| planned.seed.0),
            result: GameResult { agents: result.agents.iter().map(name).collect(), ..result.clone() },
            record: (result.match_id.is_some() && !is_sealed).then_some(path),
        }
    }

    /// Replaces the names of games in a log by the ids of their matches: the names have the numbers of tables.
    fn without_tables(&self, log: &str) -> String {
        let mut ids = HashMap::new();
        for (key, table) in self.state.games() {
            let name = key.name(&self.state.cup.stages[key.stage]);
            ids.extend(table.started[key.game].as_deref().map(|id| (name, id)));
        }
        let labelled = |line: &str| {
            let line = line.strip_prefix('[')?;
            self.state.cup.stages.iter().find_map(|info| {
                let (place, rest) = line.strip_prefix(&info.name)?.strip_prefix('/')?.split_once(" seat ")?;
                let id = ids.get(&format!("{}/{place}", info.name)).copied().unwrap_or("another match");
                Some(format!("[{id} seat {rest}\n"))
            })
        };
        let line = |line: &str| labelled(line).unwrap_or_else(|| format!("{line}\n"));
        log.lines().map(line).collect()
    }

    /// Returns true if the reader may have a record as it is. While a cup is anonymous, a team may have no record that names a
    /// bot or another agent.
    fn may_have(&self, path: &Path) -> Result<bool, CliError> {
        let Some(team) = self.team.filter(|_| self.is_anonymous()) else { return Ok(true) };
        let fail = |error: &dyn std::fmt::Display| CliError::Failed(format!("{}: {error}", path.display()));
        let bytes = fs::read(path).map_err(|error| fail(&error))?;
        let record = Record::read(&bytes).map_err(|error| fail(&error))?;
        let others = self.state.agents.iter().enumerate().filter(|(agent, _)| *agent != team);
        let names: Vec<_> = others.map(|(_, agent)| agent.entrant.name.as_str()).collect();
        Ok(record.players.iter().all(|player| player.bot.is_none() && !names.contains(&player.name.as_str())))
    }
}

impl Game {
    fn lines(&self) -> impl Iterator<Item = Vec<String>> {
        let (result, or_empty) = (&self.result, |value: Option<String>| value.unwrap_or_default());
        (0..result.agents.len()).map(move |seat| {
            vec![
                self.stage.clone(),
                or_empty(self.table.map(|(table, _)| table.to_string())),
                or_empty(self.table.map(|(_, block)| block.to_string())),
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
            ]
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
        json!({
            "stage": self.stage, "table": self.table.map(|(table, _)| table), "block": self.table.map(|(_, block)| block),
            "game": self.key.game, "seed": self.seed, "match": result.match_id, "digest": result.digest,
            "decisions": result.decisions, "record": self.record.as_ref().map(|path| path.display().to_string()),
            "seats": (0..result.agents.len()).map(seat).collect::<Vec<_>>(),
        })
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
            for row in ahu::cup::Standings::of(state, number, group).rows {
                lines.push(vec![
                    state.cup.stages[number].name.clone(),
                    (group + 1).to_string(),
                    if row.place > 0 { row.place.to_string() } else { String::new() },
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
