//! The folder of `--records`: a record for each game, and a table of all results.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use ahu_host::Record;

use super::contest::Contest;
use crate::files::create_empty;
use crate::{CliError, lock};

const RESULTS: &str = "results.csv";
/// The head of the table, which has a line for each seat of each game.
const HEAD: &str = "block,game,seed,seat,agent,score,rank,forfeit,record";

pub(super) struct Archive {
    folder: PathBuf,
    state: Mutex<State>,
}

struct State {
    results: BufWriter<File>,
    /// The first error. The duel goes on, and reports it at its end.
    error: Option<CliError>,
}

impl Archive {
    /// Creates the folder, which must be new or empty.
    pub(super) fn create(folder: &Path) -> Result<Self, CliError> {
        create_empty("--records", folder)?;
        let path = folder.join(RESULTS);
        let mut results = BufWriter::new(File::create(&path).map_err(CliError::cannot("write", &path))?);
        writeln!(results, "{HEAD}").map_err(CliError::cannot("write", &path))?;
        Ok(Self { folder: folder.to_owned(), state: Mutex::new(State { results, error: None }) })
    }

    /// Writes the record of a finished game, and adds its lines to the table.
    pub(super) fn add(&self, contest: &Contest, block: u64, game: usize, record: &Record) {
        let name = record_name(block, game);
        let path = self.folder.join(&name);
        let mut written = fs::write(&path, record.to_text()).map_err(CliError::cannot("write", &path));
        let mut state = lock(&self.state);
        if let (Ok(()), Some(result)) = (&written, &record.result) {
            let seating = contest.seatings[game];
            for seat in record.setup.seats().iter() {
                let (agent, forfeit) = (&contest.agents[seating[seat]].name, result.forfeits[seat]);
                let forfeit = forfeit.map_or("", |cause| cause.name());
                let (score, rank, seed) = (result.scores[seat], result.ranks[seat], record.seed);
                let line =
                    writeln!(state.results, "{block},{game},{seed},{seat},{agent},{score},{rank},{forfeit},{name}");
                written = written.and(line.map_err(CliError::cannot("write", &self.folder.join(RESULTS))));
            }
        }
        if let (Err(error), None) = (written, &state.error) {
            state.error = Some(error);
        }
    }

    /// Sorts the table, and removes games of blocks from number `end` on, which were played but do not count. Returns the
    /// first error.
    pub(super) fn finish(self, end: u64) -> Result<(), CliError> {
        let State { mut results, error } = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        if let Some(error) = error {
            return Err(error);
        }
        let path = self.folder.join(RESULTS);
        let fail = CliError::cannot("write", &path);
        results.flush().map_err(fail)?;
        let text = fs::read_to_string(&path).map_err(fail)?;
        let mut rows: Vec<_> = text.lines().skip(1).map(|line| (place(line), line)).collect();
        rows.sort_by_key(|(place, _)| *place);
        let (kept, late): (Vec<_>, Vec<_>) = rows.into_iter().partition(|((block, ..), _)| *block < end);
        for (_, line) in late {
            let record = self.folder.join(line.rsplit(',').next().unwrap_or_default());
            // A game has a line for each seat, so its file is gone after the first of them.
            let _ = fs::remove_file(record);
        }
        let lines: Vec<_> = [HEAD].into_iter().chain(kept.into_iter().map(|(_, line)| line)).collect();
        fs::write(&path, lines.join("\n") + "\n").map_err(fail)
    }
}

/// Returns the name of the file with the record of a game.
pub(super) fn record_name(block: u64, game: usize) -> String {
    format!("{block:05}-{game:02}.txt")
}

/// Returns the block, the game, and the seat of a line, which are its order in the table.
fn place(line: &str) -> (u64, u64, u64) {
    let mut numbers = line.split(',').map(|field| field.parse().unwrap_or(u64::MAX));
    let mut next = || numbers.next().unwrap_or(u64::MAX);
    let (block, game, _seed, seat) = (next(), next(), next(), next());
    (block, game, seat)
}
