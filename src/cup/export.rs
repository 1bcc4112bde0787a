//! `ahu cup export`: writes the results of a cup as files, for everybody or for one team.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use super::folder::CupFolder;
use super::results_files::{self, File};
use super::team_view::{Game, Seen};
use super::{CupArguments, ledgers, table};
use crate::files::NewFolder;
use crate::{CliError, Done};
use ahu_contest::cup::State;
use ahu_core::parts::lines::counted;

/// Write the results of a cup as files
///
/// Without --for, the folder is for everybody: the results of all games, the table, a page, the journal, and the records.
/// `ahu cup verify` checks it. It tells the names of all agents, and the journal has their commands. With --for,
/// it has what a team may have at any time: its games, with their records, its forfeits, and the output of its program;
/// while an anonymous cup runs, no names of others. Everybody may read the files of the first, and only the owner those of
/// the second.
///
/// Seeds are written when the cup has ended. Before that, records of games that share their luck with others are left
/// out until all games of their table have ended.
#[derive(Debug, clap::Args)]
pub(crate) struct Export {
    #[command(flatten)]
    cup: CupArguments,
    /// The folder, which must be new or empty
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Write only what the team of this agent may have
    #[arg(long = "for", value_name = "NAME")]
    team: Option<String>,
}

impl Export {
    pub(super) fn run(self, out: &mut impl Write) -> Done {
        let folder = self.cup.read()?;
        let state = folder.state()?;
        let team = self.team.as_deref().map(|name| state.number(name).map_err(CliError::Usage)).transpose()?;
        let out_folder = NewFolder::create("--out", &self.out, team.is_none())?;
        let seen = Seen { state: &state, team };
        let (mut games, mut annulled) = (seen.games(), seen.annulled());
        let has_no_record = |game: &&Game| game.record.is_none() && game.result.match_id.is_some();
        let sealed = games.iter().filter(has_no_record).count();
        for game in games.iter_mut().chain(&mut annulled) {
            let source = folder.data.join(&game.source);
            match &game.record {
                Some(target) if seen.may_have(&source)? => copy(&source, &out_folder, target)?,
                _ => game.record = None,
            }
        }
        let told = games.iter().filter(has_no_record).count() - sealed;
        match team {
            None => {
                write_all(&out_folder, &results_files::all(&state, &ledgers::read(&folder.data, &state))?)?;
                copy(&folder.journal(), &out_folder, Path::new(results_files::JOURNAL))?;
                copy_ladder(&folder, &state, &out_folder)?;
            }
            Some(team) => {
                write_all(&out_folder, &results_files::results(&games, &annulled)?)?;
                write_for_team(&out_folder, &folder, &seen, team)?;
            }
        }
        writeln!(out, "{} has the results of {}", self.out.display(), counted(games.len(), "game"))?;
        if let Some(ladder) = state.ladder() {
            let games = counted(ladder.games.len(), "game");
            let place = if team.is_none() { "journal.jsonl" } else { "the journal, which everybody may have," };
            writeln!(out, "{place} has those of {games} of the ladder")?;
        }
        if team.is_none() && state.is_anonymous() {
            writeln!(
                out,
                "warning: the cup is anonymous, and has not ended: the folder tells the names of all agents, so keep it to \
                 yourself until the end"
            )?;
        }
        if !annulled.is_empty() {
            writeln!(out, "{} annulled games are listed apart", annulled.len())?;
        }
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
}

/// Copies the records and archives of a ladder.
fn copy_ladder(folder: &CupFolder, state: &State, out: &NewFolder) -> Done {
    let inside = Path::new("records").join(&state.cup.stages[0].name);
    let source = folder.data.join(&inside);
    if state.ladder().is_none() || !source.exists() {
        return Ok(());
    }
    for entry in fs::read_dir(&source).map_err(CliError::cannot("read", &source))? {
        let name = entry.map_err(CliError::cannot("read", &source))?.file_name();
        copy(&source.join(&name), out, &inside.join(&name))?;
    }
    Ok(())
}

/// Writes whether the team's agent still takes part, and the output of its program.
fn write_for_team(out: &NewFolder, folder: &CupFolder, seen: &Seen<'_>, team: usize) -> Done {
    write_all(out, &[results_files::json_file("agent.json", "cup-agent", table::agent_json(seen.state, team))])?;
    let name = format!("{}.log", seen.state.name(team));
    let log = folder.data.join("logs").join(&name);
    if !log.exists() {
        return Ok(());
    }
    if !seen.is_anonymous() {
        return copy(&log, out, Path::new(&name));
    }
    let bytes = fs::read(&log).map_err(CliError::cannot("read", &log))?;
    // A full disk can have cut a line in the middle of a character.
    out.write(Path::new(&name), seen.without_tables(&String::from_utf8_lossy(&bytes)).as_bytes())
}

fn write_all(out: &NewFolder, files: &[File]) -> Done {
    files.iter().try_for_each(|(name, bytes)| out.write(Path::new(name), bytes))
}

fn copy(from: &Path, out: &NewFolder, name: &Path) -> Done {
    out.write(name, &fs::read(from).map_err(CliError::cannot("read", from))?)
}
