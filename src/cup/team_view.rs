//! The knowledge of the reader of an export: everybody, or one team, which may not know the names of others in an anonymous cup.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use ahu_contest::blocks::Luck;
use ahu_contest::cup::{AnnulledGame, GameKey, GameResult, State};
use ahu_core::Seed;

use super::folder::record_path;
use crate::CliError;
use crate::files::record_file::read_record;

/// The name that stands for an agent whose name a team may not know yet.
const HIDDEN: &str = "opponent";

/// The knowledge that the reader of an export may have.
pub(super) struct Seen<'a> {
    pub(super) state: &'a State,
    /// The agent of the team; None for an export for everybody.
    pub(super) team: Option<usize>,
}

/// A game as the reader may know it.
pub(super) struct Game {
    pub(super) key: GameKey,
    pub(super) stage: String,
    /// The table; None while it would reveal who sits there.
    pub(super) table: Option<usize>,
    /// The block of the table; None for an annulled game, and as the table.
    pub(super) block: Option<u64>,
    pub(super) seed: Option<Seed>,
    pub(super) result: GameResult,
    /// The path of the record in the folder of the cup.
    pub(super) source: PathBuf,
    /// The path of the record in the export; None if the reader may not have the record yet.
    pub(super) record: Option<PathBuf>,
    /// The number of earlier annulments, and the reason, of a game that was annulled; None for a game that counts.
    pub(super) annulled: Option<(u64, String)>,
}

impl Seen<'_> {
    /// Returns true if the reader may not know the names of other agents yet.
    pub(super) fn is_anonymous(&self) -> bool {
        self.team.is_some() && self.state.cup.header.anonymous && !self.state.has_ended()
    }

    /// Returns all games that have ended; for a team, only its own.
    pub(super) fn games(&self) -> Vec<Game> {
        let own = self.state.games().filter(|(_, table)| self.team.is_none_or(|team| table.agents.contains(&team)));
        own.filter_map(|(key, table)| Some(self.game(key, table.results[key.game].as_ref()?))).collect()
    }

    /// Returns the games that ended and were annulled; for a team, only its own.
    pub(super) fn annulled(&self) -> Vec<Game> {
        let is_own = |game: &&AnnulledGame| {
            self.team.is_none_or(|team| game.agents.iter().any(|agent| agent == self.state.name(team)))
        };
        let game = |game: &AnnulledGame| {
            let result = game.result.as_ref()?;
            let path = game.key.record_path(&self.state.cup.stages[game.key.stage], game.attempt);
            Some(Game {
                key: game.key,
                stage: self.state.cup.stages[game.key.stage].name.clone(),
                table: (!self.is_anonymous()).then_some(game.key.table),
                block: None,
                seed: None,
                result: self.shown(result),
                record: result.match_id.as_ref().map(|id| self.path(id, &path)),
                source: path,
                annulled: Some((game.attempt, game.reason.clone())),
            })
        };
        self.state.annulled.iter().filter(is_own).filter_map(game).collect()
    }

    /// Returns a result without the names that the reader may not know.
    fn shown(&self, result: &GameResult) -> GameResult {
        let is_hidden = |name: &str| self.is_anonymous() && self.team.is_some_and(|team| self.state.name(team) != name);
        let name = |name: &String| if is_hidden(name) { HIDDEN.to_owned() } else { name.clone() };
        GameResult { agents: result.agents.iter().map(name).collect(), ..result.clone() }
    }

    /// Returns the path of a record in the export; `source` is its path in the folder of the cup.
    fn path(&self, match_id: &str, source: &Path) -> PathBuf {
        // The number of a table reveals who sits there, since the draw follows from the file.
        if self.is_anonymous() { Path::new("records").join(format!("{match_id}.txt")) } else { source.to_owned() }
    }

    fn game(&self, key: GameKey, result: &GameResult) -> Game {
        let table = self.state.table(key).expect("it has a result");
        let planned = self.state.salt.map(|salt| self.state.planned(key, &salt));
        // The other games of the table have the same chance.
        let is_sealed = self.state.cup.stages[key.stage].luck == Luck::Shared && !table.is_whole();
        let (id, source) = (result.match_id.as_ref().filter(|_| !is_sealed), record_path(self.state, key));
        Game {
            key,
            stage: self.state.cup.stages[key.stage].name.clone(),
            table: (!self.is_anonymous()).then_some(key.table),
            block: (!self.is_anonymous()).then_some(table.block),
            seed: planned.map(|planned| planned.seed),
            result: self.shown(result),
            record: id.map(|id| self.path(id, &source)),
            source,
            annulled: None,
        }
    }

    /// Replaces the names of games in a log by the ids of their matches: the names have the numbers of tables.
    pub(super) fn without_tables(&self, log: &str) -> String {
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
    pub(super) fn may_have(&self, path: &Path) -> Result<bool, CliError> {
        let Some(team) = self.team.filter(|_| self.is_anonymous()) else { return Ok(true) };
        let record = read_record(path).map_err(CliError::Failed)?;
        let others = self.state.agents.iter().enumerate().filter(|(agent, _)| *agent != team);
        let names: Vec<_> = others.map(|(_, agent)| agent.entrant.name.as_str()).collect();
        Ok(record.players.iter().all(|player| player.bot.is_none() && !names.contains(&player.name.as_str())))
    }
}
