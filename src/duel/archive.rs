//! The folder of `--records`: a record for each game, and a table of all results.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use ahu_contest::blocks::{Block, PlayedGame};
use ahu_host::Record;

use super::claims::{DuelClaims, Host};
use super::matchup::Matchup;
use crate::runs::OpenRun;
use crate::{CliError, Done, lock};

const RESULTS: &str = "results.csv";
/// The head of the table, which has a line for each seat of each game.
const HEAD: &str = "block,game,seed,seat,agent,score,rank,forfeit,record\n";

/// The games that a run keeps.
pub(super) struct Archive(Mutex<State>);

struct State {
    run: OpenRun<DuelClaims>,
    /// The lines of the table, by block and game.
    lines: BTreeMap<(u64, usize), String>,
    /// The first error. Nothing is kept after it; the duel goes on, and reports it at its end.
    error: Option<CliError>,
}

impl Archive {
    pub(super) fn new(run: OpenRun<DuelClaims>) -> Self {
        Self(Mutex::new(State { run, lines: BTreeMap::new(), error: None }))
    }

    /// Returns the blocks among these whose games are all kept.
    pub(super) fn blocks(&self, matchup: &Matchup, numbers: impl Iterator<Item = u64>) -> Result<Vec<Block>, CliError> {
        let State { run, lines, .. } = &mut *lock(&self.0);
        let (games, mut blocks) = (matchup.seatings.len(), Vec::new());
        if run.log().started() == 0 {
            return Ok(blocks);
        }
        for number in numbers {
            let mut kept = Vec::new();
            for (game, &seating) in matchup.seatings.iter().enumerate() {
                let name = record_name(number, game);
                let Some(bytes) = run.record(&name)? else { continue };
                let wrong = |error| CliError::Failed(format!("{}: {error}", run.folder.0.join(&name).display()));
                let record = Record::read(&bytes).map_err(wrong)?;
                lines.insert((number, game), lines_of(matchup, number, game, &record));
                let is_timed = |seat| matchup.agents[seating[seat]].bot().is_none();
                kept.push(PlayedGame::of(&record, seating, matchup.begun(number), is_timed));
            }
            if kept.len() == games {
                blocks.push(Block { number, games: kept });
            }
        }
        Ok(blocks)
    }

    /// Returns true if the record of a game is kept.
    pub(super) fn has(&self, block: u64, game: usize) -> bool {
        lock(&self.0).lines.contains_key(&(block, game))
    }

    /// Notes that a game starts.
    pub(super) fn start(&self, block: u64, game: usize) {
        self.keep(|state| state.run.start(&record_name(block, game)));
    }

    /// Keeps the record of a game that was started.
    pub(super) fn add(&self, matchup: &Matchup, block: u64, game: usize, record: &Record) {
        let text = record.to_text();
        self.keep(|state| {
            state.run.keep(&record_name(block, game), text.as_bytes())?;
            state.lines.insert((block, game), lines_of(matchup, block, game, record));
            Ok(())
        });
    }

    fn keep(&self, act: impl FnOnce(&mut State) -> Done) {
        let state = &mut *lock(&self.0);
        if state.error.is_none() {
            state.error = act(state).err();
        }
    }

    /// Writes the table and the work of this process. After the end of a test, `end`, removes games of later blocks, which were
    /// played but do not count. Returns the first error.
    pub(super) fn finish(self, end: Option<u64>, host: Host, all: Option<usize>) -> Done {
        let State { mut run, mut lines, error } = self.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        if let Some(error) = error {
            return Err(error);
        }
        if let Some(end) = end {
            for &(block, game) in lines.split_off(&(end, 0)).keys() {
                run.folder.remove(record_name(block, game))?;
            }
        }
        run.folder.write(RESULTS, &(HEAD.to_owned() + &lines.values().map(String::as_str).collect::<String>()))?;
        if let Some(all) = all {
            run.tell_kept(lines.len(), all);
        }
        run.set_host(host)
    }
}

/// Returns the name of the file with the record of a game.
pub(super) fn record_name(block: u64, game: usize) -> PathBuf {
    format!("{block:05}-{game:02}.txt").into()
}

/// Returns the lines of a game in the table.
fn lines_of(matchup: &Matchup, block: u64, game: usize, record: &Record) -> String {
    let (mut lines, name) = (String::new(), record_name(block, game));
    let Some(result) = &record.result else { return lines };
    for seat in record.setup.seats().iter() {
        let agent = &matchup.agents[matchup.seatings[game][seat]].name;
        let forfeit = result.forfeits[seat].map_or("", |cause| cause.name());
        let (score, rank, seed) = (result.scores[seat], result.ranks[seat], record.seed);
        let _ = writeln!(lines, "{block},{game},{seed},{seat},{agent},{score},{rank},{forfeit},{}", name.display());
    }
    lines
}
