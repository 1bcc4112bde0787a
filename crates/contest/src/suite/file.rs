//! The file of a suite: its cells, and the clock and conduct of all games.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use ahu_core::hex;
use ahu_core::parse::{did_you_mean, unknown_name};
use ahu_host::{BotName, Conduct, Setup, TimeControl, check_file_name, find};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::language::{LanguageStyle, LegalList};
use crate::blocks::{Design, Lineup, Seating};
use crate::cup::{Fault, FileConduct, FileError, Salt, TomlFile, at, ensure};
use crate::statistics::Bounds;

/// The suites that come with the program: their names, and the texts of their files. A file never changes; a changed suite has
/// a name of its own.
const SUITES: [(&str, &str); 3] =
    [("v1", include_str!("v1.toml")), ("v2", include_str!("v2.toml")), ("v2-text", include_str!("v2-text.toml"))];

/// A suite: the games that an agent plays, its opponents, and the number of blocks.
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
    /// The clock of every seat whose player is not a bot.
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
    /// The opponents: one bot that takes all other seats, or one bot for each of them.
    pub opponents: Vec<BotName>,
    /// The number of blocks of each training run.
    pub blocks: u64,
    /// The number of decisions in all blocks of an agent that plays like `random@1`.
    pub decisions: u64,
    /// The tokens in the messages to a language model in all blocks, for a model that decides like `random@1`; 0 if the suite
    /// states none.
    pub tokens: u64,
    /// The style in which language models are asked; None if the suite states none.
    pub language: Option<LanguageStyle>,
    /// True if the opponents are held out: nobody is to train against them.
    pub held_out: bool,
    /// The bot that plays on for an agent that has forfeited.
    pub stand_in: BotName,
    /// The utilities that have the normalised scores 0 and 1.
    pub anchors: Anchors,
}

/// The anchors of a normalised score: two mean utilities of ranks, which are constants of the suite.
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

    /// Returns the normalised score of a utility: 0 for the utility of `random@1`, and 1 for the utility of the reference bot.
    /// Scores below 0 and above 1 are possible.
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
    clock: TimeControl,
    conduct: FileConduct,
    language: Option<LanguageStyle>,
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
    #[serde(default)]
    held_out: bool,
    blocks: u64,
    decisions: u64,
    #[serde(default)]
    tokens: u64,
    /// The place of the legal actions in the questions of this cell, if it differs from that of the suite.
    legal: Option<LegalList>,
    random: f64,
    reference: Reference,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Reference {
    bot: String,
    utility: f64,
}

/// The maximum length of the name of a suite or a cell, and the marks in it: records lie in folders with these names.
const MAX_NAME: usize = 64;
const MARKS: &str = "._-";

/// The largest number of blocks of a cell.
const MAX_BLOCKS: u64 = 1_000_000;

/// The largest number of decisions of a cell, and of tokens, so that estimates fit into 64 bits: more than a million years
/// of thinking.
const MAX_DECISIONS: u64 = 1_000_000_000_000;

impl Suite {
    /// Returns a suite that comes with the program.
    ///
    /// # Errors
    /// If no suite has this name. The message suggests the nearest name.
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
    /// If the text is not a suite, if a cell has an unknown game, option, or bot, or another rules version than this program,
    /// or if the suite has the name of a suite of the program but another text. The error has the line and the key.
    pub fn read(text: &str) -> Result<Self, FileError> {
        let file = TomlFile::new(text)?;
        let keys: Keys = file.read()?;
        let sha256 = hex(&Sha256::digest(text));
        let checked = keys.check(text, &sha256);
        checked.map_err(|(key, message)| file.fault((key.clone(), format!("{key}: {message}"))))?;
        let Keys { name, quick, minutes, clock, conduct, language, cell } = keys;
        let mut cells: Vec<SuiteCell> = Vec::new();
        for (index, keys) in cell.into_iter().enumerate() {
            let name = keys.name.clone();
            let cell = keys.cell(&cells, &conduct.stand_in, language.as_ref()).map_err(|(key, message)| {
                let path =
                    if key == "stand_in" { "conduct.stand_in".to_owned() } else { format!("cell.{index}.{key}") };
                file.fault((path, format!("cell {name}: {key}: {message}")))
            });
            cells.push(cell?);
        }
        Ok(Self { name, sha256, quick, minutes, cells, clock, conduct: conduct.conduct() })
    }

    /// Returns the number of blocks of a cell: all, or at most `first`.
    pub fn blocks(&self, cell: usize, first: Option<u64>) -> u64 {
        let blocks = self.cells[cell].blocks;
        first.map_or(blocks, |first| blocks.min(first))
    }

    /// Returns the number of games of one training run.
    pub fn games(&self, first: Option<u64>) -> u64 {
        (0..self.cells.len()).map(|cell| self.blocks(cell, first) * self.cells[cell].seatings().len() as u64).sum()
    }

    /// Returns an estimate of the agent's decisions in one training run: the number of decisions of `random@1`.
    pub fn decisions(&self, first: Option<u64>) -> u64 {
        self.estimate(first, |cell| cell.decisions)
    }

    /// Returns an estimate of the tokens in the messages to a language model in one training run: those of a model that decides
    /// like `random@1`; 0 if the suite states none.
    pub fn tokens(&self, first: Option<u64>) -> u64 {
        self.estimate(first, |cell| cell.tokens)
    }

    fn estimate(&self, first: Option<u64>, of: fn(&SuiteCell) -> u64) -> u64 {
        let cells = self.cells.iter().enumerate();
        cells.map(|(number, cell)| of(cell) * self.blocks(number, first) / cell.blocks).sum()
    }

    /// Returns the names of the cells that are in `cells` or have a game of `games`, in the order of the suite; None if these are
    /// all cells, or if both lists are empty.
    ///
    /// # Errors
    /// If the suite has no cell with one of these names, or no cell of one of these games. The message suggests the nearest name.
    pub fn selection(&self, cells: &[String], games: &[String]) -> Result<Option<Vec<String>>, String> {
        let game = |cell: &SuiteCell| cell.setup.rules().info().id;
        let all_games: BTreeSet<_> = self.cells.iter().map(game).collect();
        self.check_names("cell", cells, &self.names())?;
        self.check_names("game", games, &Vec::from_iter(all_games))?;
        let is_named = |names: &[String], name: &str| names.iter().any(|other| other == name);
        let selected = self.cells.iter().filter(|cell| is_named(cells, &cell.name) || is_named(games, game(cell)));
        let selected: Vec<_> = selected.map(|cell| cell.name.clone()).collect();
        Ok(Some(selected).filter(|selected| !selected.is_empty() && selected.len() < self.cells.len()))
    }

    /// Returns the part of the suite with these cells; None: all cells. The seeds and anchors of a cell stay the same.
    ///
    /// # Errors
    /// If the names are not those of a part as [`Self::selection`] returns them.
    pub fn part(mut self, cells: Option<&[String]>) -> Result<Self, String> {
        let Some(cells) = cells else { return Ok(self) };
        if self.selection(cells, &[])?.as_deref() != Some(cells) {
            let (all, found) = (self.names().join(", "), cells.join(", "));
            return Err(format!("expected a part of the cells {all} in this order, each once, got {found}"));
        }
        self.cells.retain(|cell| cells.contains(&cell.name));
        Ok(self)
    }

    fn names(&self) -> Vec<&str> {
        self.cells.iter().map(|cell| cell.name.as_str()).collect()
    }

    fn check_names(&self, noun: &str, names: &[String], all: &[&str]) -> Result<(), String> {
        let unknown = names.iter().find(|name| !all.contains(&name.as_str()));
        let error = |name: &String| unknown_name(&format!("{noun} of the suite {}", self.name), name, all).message;
        unknown.map_or(Ok(()), |name| Err(error(name).into_owned()))
    }

    /// Returns the salt of the public seeds, which everybody knows: SHA-256 of `ahu suite NAME public seeds`.
    pub fn public_salt(&self) -> Salt {
        Salt(Sha256::digest(format!("ahu suite {} public seeds", self.name)).into())
    }
}

impl SuiteCell {
    /// Returns the seatings of a block. The agent is player 0 and takes each seat once; the opponents follow in their order.
    pub fn seatings(&self) -> Vec<Seating> {
        let lineup = Lineup::filled(1 + self.opponents.len(), self.setup.seats()).expect("the file was checked");
        lineup.seatings(Design::Cyclic)
    }

    /// Returns the names of the opponents.
    pub fn opponent_names(&self) -> Vec<String> {
        self.opponents.iter().map(ToString::to_string).collect()
    }

    /// Returns all options, as a report states them.
    pub fn options(&self) -> BTreeMap<String, String> {
        self.setup.options().into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
    }
}

impl Keys {
    /// Checks all keys but the cells. `sha256` is the hash of the text.
    fn check(&self, text: &str, sha256: &str) -> Result<(), Fault> {
        let Self { name, quick, minutes, clock, conduct, language, cell } = self;
        let ours = SUITES.iter().find(|(own, _)| own == name).map_or(text, |(_, own)| own);
        ensure(ours == text, "name", || {
            let own = hex(&Sha256::digest(ours));
            format!(
                "expected the suite {name} with the SHA-256 {own}, got an altered one with {sha256}; a suite of your own needs a \
                 name of its own"
            )
        })?;
        at("name", check_file_name(name, MAX_NAME, MARKS))?;
        ensure(*quick > 0, "quick", || "expected at least 1 block, got 0")?;
        ensure(minutes.is_finite() && *minutes >= 0.0, "minutes", || {
            format!("expected a time of at least 0, got {minutes}")
        })?;
        ensure(
            clock.has_limit(),
            "clock",
            || "expected a bank or a limit above 0, such as limit = \"60s\": a match must end; got neither",
        )?;
        at("clock", clock.check())?;
        ensure(
            language.as_ref().is_none_or(|style| style.attempts > 0 && style.max_legal > 0),
            "language",
            || "expected attempts and max_legal of at least 1, got 0",
        )?;
        at("conduct", conduct.conduct().check(&[*clock]))?;
        ensure(!cell.is_empty(), "cell", || "expected a [[cell]], got none")
    }
}

impl CellKeys {
    /// Checks the keys of a cell and returns the cell. `before` has the cells before it, and `language` is the style of the
    /// suite. An error has the key of the fault.
    fn cell(self, before: &[SuiteCell], stand_in: &str, language: Option<&LanguageStyle>) -> Result<SuiteCell, Fault> {
        let Self {
            name,
            game,
            rules: version,
            seats,
            options,
            opponents,
            held_out,
            blocks,
            decisions,
            tokens,
            legal,
            random,
            reference,
        } = self;
        at("name", check_file_name(&name, MAX_NAME, MARKS))?;
        ensure(before.iter().all(|other| other.name != name), "name", || {
            format!("expected a name of its own for each cell, got \"{name}\" twice")
        })?;
        let rules = at("game", find(&game).map_err(|error| error.to_string()))?;
        let ours = rules.info().rules;
        ensure(ours == version, "rules", || format!("expected rules version {ours} of {game}, got {version}"))?;
        ensure(rules.seats().contains(&seats), "seats", || {
            let (least, most) = rules.seats().into_inner();
            format!("expected {least} to {most} seats in {game}, got {seats}")
        })?;
        let options: Vec<_> = options.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
        let setup = at("options", rules.configure(seats, &options).map_err(|error| error.to_string()))?;
        // Figures depend on the version of a bot, so a name without a version is not enough.
        let bot = |name: &String| {
            let bot = rules.bot(name).map_err(|error| error.message)?;
            match bot.is_reproducible() && bot.name() == *name {
                true => Ok(bot),
                false => Err(format!("expected a bot with its version, such as \"{bot}\", got \"{name}\"").into()),
            }
        };
        let opponents = at("opponents", opponents.iter().map(bot).collect::<Result<Vec<_>, Cow<'static, str>>>())?;
        ensure([1, seats - 1].contains(&opponents.len()), "opponents", || {
            let (others, found) = (seats - 1, opponents.len());
            format!("expected 1 opponent, or one for each of the other {others} seats, got {found}")
        })?;
        ensure((1..=MAX_BLOCKS).contains(&blocks), "blocks", || {
            format!("expected 1 to {MAX_BLOCKS} blocks, got {blocks}")
        })?;
        ensure(decisions <= MAX_DECISIONS, "decisions", || {
            format!("expected at most {MAX_DECISIONS} decisions, got {decisions}")
        })?;
        ensure(tokens <= MAX_DECISIONS, "tokens", || format!("expected at most {MAX_DECISIONS} tokens, got {tokens}"))?;
        ensure(legal.is_none() || language.is_some(), "legal", || "expected a [language] in the suite too, got none")?;
        let language = language.map(|style| LanguageStyle { legal: legal.unwrap_or(style.legal), ..style.clone() });
        let Reference { bot: reference, utility } = reference;
        at("reference", bot(&reference))?;
        let utilities = Anchors::UTILITY.least..=Anchors::UTILITY.greatest;
        ensure(utilities.contains(&random), "random", || format!("expected a utility from -1 to 1, got {random}"))?;
        ensure(utilities.contains(&utility) && random < utility, "reference", || {
            format!("expected a utility above {random}, that of random, to 1, got {utility}")
        })?;
        let stand_in = at("stand_in", bot(&stand_in.to_owned()))?;
        let anchors = Anchors { random, reference, utility };
        Ok(SuiteCell { name, setup, opponents, blocks, decisions, tokens, language, held_out, stand_in, anchors })
    }
}
