//! The file of a suite: its cells, and the agreement about all their games.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::cup::{CupClock, CupConduct, FileError, Places, Salt};
use ahu_engine::core::hex;
use ahu_engine::core::parse::did_you_mean;
use ahu_engine::host::blocks::{Design, Lineup, Seating};
use ahu_engine::host::statistics::Bounds;
use ahu_engine::host::{BotName, Conduct, Setup, TimeControl, find};

/// The suites that come with the program: the name, and the text of the file. A file never changes: another suite has
/// another name.
const SUITES: [(&str, &str); 1] = [("v1", include_str!("v1.toml"))];

/// A suite: what an agent plays, against whom, and how often.
#[derive(Clone, Debug)]
pub struct Suite {
    /// The name.
    pub name: String,
    /// SHA-256 of the text of the file.
    pub sha256: String,
    /// The number of blocks of each cell that `--quick` plays.
    pub quick: u64,
    /// The time that the whole suite takes for `random@1` on four quiet cores, in minutes.
    pub minutes: f64,
    /// The cells, in the order of the file.
    pub cells: Vec<SuiteCell>,
    /// The clock of the agent.
    pub clock: TimeControl,
    /// The consequences of faults.
    pub conduct: Conduct,
}

/// A cell of a suite: one table of one game, at which the agent has one seat.
#[derive(Clone, Debug)]
pub struct SuiteCell {
    /// The name.
    pub name: String,
    /// The rules, seats, and options.
    pub setup: Setup,
    /// The opponents: one that fills all other seats, or one for each.
    pub opponents: Vec<BotName>,
    /// The number of blocks.
    pub blocks: u64,
    /// The number of decisions of the agent, if it is `random@1`.
    pub decisions: u64,
    /// The bot that plays on for an agent that has forfeited.
    pub stand_in: BotName,
    /// The points of the normalised score 0 and 1.
    pub anchors: Anchors,
}

/// The anchors of a normalised score: mean utilities of ranks, as constants.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Anchors {
    /// The utility of `random@1`, which scores 0.
    pub random: f64,
    /// The bot that scores 1.
    pub reference: String,
    /// The utility of that bot.
    pub utility: f64,
}

impl Anchors {
    /// The range of a utility.
    pub(super) const UTILITY: Bounds = Bounds { least: -1.0, greatest: 1.0 };

    /// Returns the range of normalised scores.
    pub(super) fn range(&self) -> Bounds {
        let Bounds { least, greatest } = Self::UTILITY;
        Bounds { least: self.normalised(least), greatest: self.normalised(greatest) }
    }

    /// Returns the normalised score of a utility: 0 for that of `random@1`, 1 for that of the reference bot; more is
    /// possible.
    pub fn normalised(&self, utility: f64) -> f64 {
        (utility - self.random) / (self.utility - self.random)
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Keys {
    name: String,
    quick: u64,
    minutes: f64,
    clock: CupClock,
    conduct: CupConduct,
    cell: Vec<CellKeys>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CellKeys {
    name: String,
    game: String,
    rules: u32,
    seats: usize,
    #[serde(default)]
    options: BTreeMap<String, String>,
    opponents: Vec<String>,
    blocks: u64,
    decisions: u64,
    random: f64,
    reference: Reference,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Reference {
    bot: String,
    utility: f64,
}

/// The largest number of blocks of a cell.
const MAX_BLOCKS: u64 = 1_000_000;

impl Suite {
    /// Returns a suite that comes with the program.
    ///
    /// # Errors
    /// If there is none of this name; the message has the nearest one.
    pub fn named(name: &str) -> Result<Self, String> {
        let found = SUITES.iter().find(|(own, _)| *own == name);
        let names = || SUITES.iter().map(|(name, _)| *name);
        let (_, text) = found.ok_or_else(|| {
            let hint = did_you_mean(name, names());
            format!(
                "unknown suite \"{name}\"{hint}; expected one of {}, or a file that ends with .toml",
                names().collect::<Vec<_>>().join(", ")
            )
        })?;
        Self::read(text).map_err(|error| error.to_string())
    }

    /// Reads the text of a suite.
    ///
    /// # Errors
    /// With the line and the key of the fault: if the text is no suite, if a cell has an unknown game, option, or bot, or
    /// other rules than ours, or if it has the name of a suite of the program without being that suite.
    pub fn read(text: &str) -> Result<Self, FileError> {
        let places = Places::new(text)?;
        let keys: Keys = toml::from_str(text).map_err(|error| places.error(&error))?;
        let fault = |path: &[&str], message: String| places.fault(path, format!("{}: {message}", path.join(".")));
        let sha256 = hex(&Sha256::digest(text));
        if let Some((name, own)) = SUITES.iter().find(|(name, own)| *name == keys.name && *own != text) {
            let own = hex(&Sha256::digest(own));
            return Err(fault(
                &["name"],
                format!(
                    "expected the suite {name} with the SHA-256 {own}, got an altered one with {sha256}; a suite of your own \
                     needs a name of its own"
                ),
            ));
        }
        let is_time = |minutes: f64| minutes.is_finite() && minutes >= 0.0;
        let clock = keys.clock.control();
        let conduct = Conduct::from(&keys.conduct);
        if !is_file_name(&keys.name) {
            return Err(fault(&["name"], name_fault(&keys.name)));
        }
        if keys.quick == 0 {
            return Err(fault(&["quick"], "expected at least 1 block, got 0".to_owned()));
        }
        if !is_time(keys.minutes) {
            return Err(fault(&["minutes"], format!("expected a time of at least 0, got {}", keys.minutes)));
        }
        if !clock.has_limit() {
            let message = "expected a bank or a limit above 0, such as limit = \"60s\": a match must end; got neither";
            return Err(fault(&["clock"], message.to_owned()));
        }
        clock.check().map_err(|message| fault(&["clock"], message))?;
        conduct.check(&[clock]).map_err(|message| fault(&["conduct"], message))?;
        if keys.cell.is_empty() {
            return Err(fault(&["cell"], "expected a [[cell]], got none".to_owned()));
        }
        let mut cells: Vec<SuiteCell> = Vec::new();
        for (index, cell) in keys.cell.into_iter().enumerate() {
            let name = cell.name.clone();
            let at = |key: &str, message: String| {
                let message = format!("cell {name}: {key}: {message}");
                match key {
                    "stand_in" => places.fault(&["conduct", key], message),
                    key => places.fault(&["cell", &index.to_string(), key], message),
                }
            };
            if !is_file_name(&name) {
                return Err(at("name", name_fault(&name)));
            }
            if cells.iter().any(|other| other.name == name) {
                return Err(at("name", format!("expected a name of its own for each cell, got \"{name}\" twice")));
            }
            cells.push(cell.cell(&keys.conduct.stand_in).map_err(|(key, message)| at(key, message))?);
        }
        let Keys { name, quick, minutes, .. } = keys;
        Ok(Self { name, sha256, quick, minutes, cells, clock, conduct })
    }

    /// Returns the number of blocks of a cell in the suite, or in its first `first` blocks.
    pub fn blocks(&self, cell: usize, first: Option<u64>) -> u64 {
        let blocks = self.cells[cell].blocks;
        first.map_or(blocks, |first| blocks.min(first))
    }

    /// Returns the number of games of one run.
    pub fn games(&self, first: Option<u64>) -> u64 {
        (0..self.cells.len()).map(|cell| self.blocks(cell, first) * self.cells[cell].seatings().len() as u64).sum()
    }

    /// Returns about the number of decisions of an agent in one run: as many as `random@1` has.
    pub fn decisions(&self, first: Option<u64>) -> u64 {
        let cells = self.cells.iter().enumerate();
        cells.map(|(number, cell)| cell.decisions * self.blocks(number, first) / cell.blocks).sum()
    }

    /// Returns the name of the suite, or of its first blocks: `v1`, `v1/4`.
    pub fn title(&self, first: Option<u64>) -> String {
        first.map_or_else(|| self.name.clone(), |first| format!("{}/{first}", self.name))
    }

    /// Returns the salt of the public seeds, which everybody knows: SHA-256 of `ahu suite NAME public seeds`.
    pub fn public_salt(&self) -> Salt {
        Salt(Sha256::digest(format!("ahu suite {} public seeds", self.name)).into())
    }
}

impl SuiteCell {
    /// Returns the seatings of a block: the agent has each seat once. The agent is player 0, and the opponents follow in
    /// their order.
    pub fn seatings(&self) -> Vec<Seating> {
        let lineup = Lineup::filled(1 + self.opponents.len(), self.setup.seats()).expect("the file was checked");
        lineup.seatings(Design::Cyclic)
    }

    /// Returns the names of the opponents.
    pub fn opponent_names(&self) -> Vec<String> {
        self.opponents.iter().map(ToString::to_string).collect()
    }

    /// Returns the options, as a report has them.
    pub fn options(&self) -> BTreeMap<String, String> {
        self.setup.options().into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
    }
}

impl CellKeys {
    /// Returns the cell, or the key and its fault.
    fn cell(self, stand_in: &str) -> Result<SuiteCell, (&'static str, String)> {
        let rules = find(&self.game).map_err(|error| ("game", error.to_string()))?;
        let ours = rules.info().rules;
        if ours != self.rules {
            return Err(("rules", format!("expected rules version {ours} of {}, got {}", self.game, self.rules)));
        }
        if !rules.seats().contains(&self.seats) {
            let (least, most) = rules.seats().into_inner();
            return Err(("seats", format!("expected {least} to {most} seats in {}, got {}", self.game, self.seats)));
        }
        let options: Vec<_> = self.options.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
        let setup = rules.configure(self.seats, &options).map_err(|error| ("options", error.to_string()))?;
        // A figure rests on the version, so a name without one is not enough.
        let bot = |name: &String| {
            let bot = rules.bot(name).map_err(|error| error.message)?;
            match bot.is_reproducible() && bot.name() == *name {
                true => Ok(bot),
                false => Err(format!("expected a bot with its version, such as \"{bot}\", got \"{name}\"")),
            }
        };
        let opponents = self.opponents.iter().map(bot).collect::<Result<Vec<_>, _>>();
        let opponents = opponents.map_err(|message| ("opponents", message))?;
        if ![1, self.seats - 1].contains(&opponents.len()) {
            let seats = self.seats - 1;
            let found = opponents.len();
            let message = format!("expected 1 opponent, or one for each of the other {seats} seats, got {found}");
            return Err(("opponents", message));
        }
        if !(1..=MAX_BLOCKS).contains(&self.blocks) {
            return Err(("blocks", format!("expected 1 to {MAX_BLOCKS} blocks, got {}", self.blocks)));
        }
        let Reference { bot: reference, utility } = self.reference;
        bot(&reference).map_err(|message| ("reference", message))?;
        let anchors = Anchors { random: self.random, reference, utility };
        let is_utility = |utility: f64| (-1.0..=1.0).contains(&utility);
        if !is_utility(anchors.random) {
            return Err(("random", format!("expected a utility from -1 to 1, got {}", anchors.random)));
        }
        if !is_utility(utility) || anchors.random >= utility {
            let random = anchors.random;
            return Err((
                "reference",
                format!("expected a utility above {random}, that of random, to 1, got {utility}"),
            ));
        }
        let stand_in = bot(&stand_in.to_owned()).map_err(|message| ("stand_in", message))?;
        let Self { name, blocks, decisions, .. } = self;
        Ok(SuiteCell { name, setup, opponents, blocks, decisions, stand_in, anchors })
    }
}

/// Returns the fault of a name that cannot be that of a folder.
fn name_fault(name: &str) -> String {
    format!("expected 1 to 64 letters, digits, and characters of ._-, with no dot at the beginning, got \"{name}\"")
}

/// Returns true if a name can be that of a folder everywhere.
fn is_file_name(name: &str) -> bool {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "._-".contains(letter);
    (1..=64).contains(&name.len())
        && name.chars().all(is_plain)
        && !name.starts_with('.')
        && Path::new(name).is_relative()
}
