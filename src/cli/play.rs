//! `ahu play`: a match of bots, people, and programs on this machine.

use std::collections::HashMap;
use std::fs;
use std::io::{IsTerminal, Write};
use std::num::NonZeroU8;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ahu::core::{Seat, Seed, Viewer};
use ahu::host::{AnyRules, BotName, Conduct, MatchResult, Record, Referee, RewardRule};
use ahu::service::{LiveMatch, MatchConfig, Matches};
use clap::ArgGroup;
use serde_json::json;

use super::programs::Programs;
use super::{CliError, Done, GameArguments, human, seed_or_any};

/// Play a match of bots, people, and programs
#[derive(Debug, clap::Args)]
#[command(group(ArgGroup::new("players").args(["seats", "seat"]).required(true)))]
pub(super) struct Play {
    #[command(flatten)]
    game: GameArguments,
    /// The players, one for each seat, separated by commas
    ///
    /// A player is a bot (`greedy`, `random`), `human`, or a command that starts an agent.
    #[arg(short, long, value_delimiter = ',', value_name = "PLAYER,...")]
    seats: Vec<String>,
    /// The player of one seat; provide it once for each seat, instead of --seats
    ///
    /// Use it if a command contains a comma.
    #[arg(long, value_name = "PLAYER")]
    seat: Vec<String>,
    /// The seed, which fixes all chance of the game [default: random]
    #[arg(long)]
    seed: Option<Seed>,
    /// Write the record to this file: in binary format if the name ends in `.bin`, else as text
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// The number of illegal actions with which a seat forfeits [default: never]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u8).range(1..=255))]
    strikes: Option<u8>,
    /// Print only the result, as JSON
    #[arg(long)]
    json: bool,
}

/// The kind of player in a seat.
enum Player {
    Bot(BotName),
    Human,
    Program,
}

impl Play {
    pub(super) fn run(self, out: &mut impl Write) -> Done {
        // One of the two is empty.
        let named = [&self.seats[..], &self.seat[..]].concat();
        let rules = self.game.rules()?;
        let setup = self.game.configure(named.len())?;
        let players = named.iter().map(|value| player(rules, value)).collect::<Result<Vec<_>, _>>()?;
        if self.json && players.iter().any(|player| matches!(player, Player::Human)) {
            return Err(CliError::Usage(
                "--json cannot be used with a human seat, as it prints only the result".to_owned(),
            ));
        }
        if let Some(path) = &self.record {
            check_writable(path)?;
        }
        let seed = seed_or_any(self.seed);
        let bots = players.iter().map(|player| match player {
            Player::Bot(bot) => Some(*bot),
            Player::Human | Player::Program => None,
        });
        let config = MatchConfig {
            setup,
            bots: bots.collect(),
            seed: Some(seed),
            conduct: Conduct { strikes: self.strikes.and_then(NonZeroU8::new) },
        };
        let matches = Matches::default();
        let live = matches.host(config).map_err(|error| CliError::failed(error.message()))?;
        if !self.json {
            announce(rules, seed, &named, out)?;
        }
        let mut programs = Programs::new(matches, Arc::clone(&live))?;
        let mut humans = Vec::new();
        for (seat, (player, value)) in players.iter().zip(&named).enumerate() {
            match player {
                Player::Bot(_) => {}
                Player::Human => {
                    let joined = live.join(Some(seat as u32), "human");
                    humans.push(joined.map_err(|error| CliError::failed(error.message()))?.0);
                }
                Player::Program => drop(programs.start(seat as u32, value)?),
            }
        }
        let played = Screen::new(Arc::clone(&live), humans, self.json).play(&mut programs, out);
        programs.end();

        // An aborted match has a record too. A failure to write the record is reported after the result.
        let record = live.with_referee(Referee::record);
        let written = match (&self.record, &record) {
            (Some(path), Some(record)) => write_record(path, record),
            _ => Ok(()),
        };
        played?;
        let record = record.ok_or_else(|| CliError::Failed("the match did not begin".to_owned()))?;
        let result = record.result.ok_or_else(|| CliError::Failed("the match was not finished".to_owned()))?;
        match self.json {
            true => writeln!(out, "{:#}", as_json(&record, &result))?,
            false => show_result(&record, &result, out)?,
        }
        written?;
        if let (Some(path), false) = (&self.record, self.json) {
            writeln!(out, "\nWrote the record to {0}; use `ahu replay {0}` to show it.", path.display())?;
        }
        Ok(())
    }
}

fn announce(rules: &dyn AnyRules, seed: Seed, players: &[String], out: &mut impl Write) -> Done {
    writeln!(out, "{}, seed {seed}", rules.info().title)?;
    for (seat, player) in players.iter().enumerate() {
        writeln!(out, "  seat {seat}: {player}")?;
    }
    writeln!(out)?;
    Ok(())
}

fn player(rules: &dyn AnyRules, value: &str) -> Result<Player, CliError> {
    if value == "human" {
        return Ok(Player::Human);
    }
    match rules.bot(value) {
        Ok(bot) => Ok(Player::Bot(bot)),
        // A single word that is not a file is probably a misspelt bot.
        Err(error) if !value.contains(char::is_whitespace) && !Path::new(value).is_file() => Err(CliError::Usage(
            format!("{}; expected a bot, human, or a command such as \"python3 my_agent.py\"", error.message),
        )),
        Err(_) => Ok(Player::Program),
    }
}

/// The output of the match at this terminal.
struct Screen {
    live: Arc<LiveMatch>,
    /// The seats of the people who share the terminal.
    humans: Vec<Seat>,
    /// The viewer at the screen. With several people, None until the first of them has taken a turn.
    looking: Option<Viewer>,
    /// The number of events of the match that have been handled for each viewer.
    shown_events: HashMap<Viewer, usize>,
    /// True if only the result is printed.
    quiet: bool,
}

impl Screen {
    fn new(live: Arc<LiveMatch>, humans: Vec<Seat>, quiet: bool) -> Self {
        let looking = match humans.as_slice() {
            [] => Some(Viewer::Public),
            &[seat] => Some(Viewer::Seat(seat)),
            [_, _, ..] => None,
        };
        Self { live, humans, looking, shown_events: HashMap::new(), quiet }
    }

    /// Plays the match to its end: shows events, asks people for decisions, and waits for programs.
    fn play(&mut self, programs: &mut Programs, out: &mut impl Write) -> Done {
        let mut changes = self.live.changes();
        loop {
            // Mark first, so that a change during this iteration ends the next wait.
            changes.mark_unchanged();
            let is_finished = self.live.is_finished();
            self.tell(out)?;
            if is_finished {
                return Ok(());
            }
            let to_act = self.live.with_referee(Referee::to_act).unwrap_or_default();
            match self.humans.iter().copied().find(|&seat| to_act.contains(seat)) {
                Some(seat) => {
                    self.turn_to(seat, out)?;
                    human::decide(&self.live, seat, out)?;
                }
                None => programs.wait(&mut changes),
            }
        }
    }

    /// Gives the screen to the person of `seat`, and shows the events since that person's last turn.
    fn turn_to(&mut self, seat: Seat, out: &mut impl Write) -> Done {
        let viewer = Some(Viewer::Seat(seat));
        if self.looking == viewer {
            return Ok(());
        }
        human::announce(seat, out)?;
        self.looking = viewer;
        self.tell(out)
    }

    /// Shows the viewer at the screen the events since its last look.
    fn tell(&mut self, out: &mut impl Write) -> Done {
        let Some(viewer) = self.looking.filter(|_| !self.quiet) else { return Ok(()) };
        let shown = self.shown_events.entry(viewer).or_default();
        let news = self.live.with_referee(|referee| {
            let news = &referee.events()[*shown..];
            *shown += news.len();
            news.iter().filter_map(|event| Some((event.ply, event.event.text_for(viewer)?))).collect::<Vec<_>>()
        });
        for (ply, text) in news.unwrap_or_default() {
            writeln!(out, "{ply:>4}  {text}")?;
        }
        Ok(out.flush()?)
    }
}

/// Checks that the record file can be written, before the match is played.
fn check_writable(path: &Path) -> Done {
    let opened = fs::OpenOptions::new().create(true).append(true).open(path);
    opened.map(drop).map_err(|error| CliError::Failed(format!("cannot write {}: {error}", path.display())))
}

fn write_record(path: &Path, record: &Record) -> Done {
    let bytes = match path.extension().is_some_and(|extension| extension == "bin") {
        true => record.to_bytes(),
        false => record.to_text().into_bytes(),
    };
    fs::write(path, bytes).map_err(|error| CliError::Failed(format!("cannot write {}: {error}", path.display())))
}

/// Prints the result of a match.
pub(super) fn show_result(record: &Record, result: &MatchResult, out: &mut impl Write) -> Done {
    let returns = RewardRule::Rank.returns(&result.scores, &result.ranks);
    let width = record.names.iter().map(String::len).max().unwrap_or(0).max("player".len());
    writeln!(out, "\n  seat  {:<width$}  points  rank  return", "player")?;
    for (seat, name) in record.setup.seats().iter().zip(&record.names) {
        let mark = if result.forfeited.contains(seat) { "  forfeited" } else { "" };
        let (points, rank, reward) = (result.scores[seat], result.ranks[seat], returns[seat]);
        writeln!(out, "  {:>4}  {name:<width$}  {points:>6}  {rank:>4}  {reward:>+6.2}{mark}", seat.index())?;
    }
    writeln!(out, "\n  seed {}, {} plies, fingerprint {}", record.seed, record.plies(), record.fingerprint)?;
    Ok(())
}

fn as_json(record: &Record, result: &MatchResult) -> serde_json::Value {
    let info = record.setup.rules().info();
    let returns = RewardRule::Rank.returns(&result.scores, &result.ranks);
    let seats = record.setup.seats().iter().zip(&record.names).map(|(seat, name)| {
        json!({
            "seat": seat.index(), "player": name, "score": result.scores[seat], "rank": result.ranks[seat],
            "return": returns[seat], "forfeited": result.forfeited.contains(seat),
        })
    });
    let options: serde_json::Map<_, _> =
        record.setup.options().into_iter().map(|(key, value)| (key.to_owned(), value.into())).collect();
    json!({
        "game": info.id, "rules_version": info.rules, "options": options, "seed": record.seed.0, "plies": record.plies(),
        "seats": seats.collect::<serde_json::Value>(), "fingerprint": record.fingerprint.to_string(),
    })
}

/// Returns true if stdin and stdout are both terminals.
pub(super) fn is_interactive() -> bool {
    std::io::stdin().is_terminal() && std::io::stdout().is_terminal()
}
