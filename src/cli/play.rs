//! `ahu play`: a match on this machine, of bots, people and programs.

use std::collections::HashMap;
use std::fs;
use std::io::{IsTerminal, Write};
use std::num::NonZeroU8;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ahu::core::{Seat, Seed, Viewer};
use ahu::host::{AnyRules, BotName, MatchResult, Record, Referee, RewardRule, Terms};
use ahu::service::{Hosted, Matches, Spec};
use clap::ArgGroup;
use serde_json::json;

use super::programs::Programs;
use super::{CliError, Done, GameArguments, human, seed_or_any};

/// Play a match of bots, people and programs
#[derive(Debug, clap::Args)]
#[command(group(ArgGroup::new("players").args(["seats", "seat"]).required(true)))]
pub(super) struct Play {
    #[command(flatten)]
    game: GameArguments,
    /// Who plays, by seat, with commas: a bot (greedy, random), human, or a command that starts an agent
    #[arg(short, long, value_delimiter = ',', value_name = "PLAYER,...")]
    seats: Vec<String>,
    /// Who plays, one seat after the other; given once for each seat instead of --seats, such as for
    /// a command that has a comma in it
    #[arg(long, value_name = "PLAYER")]
    seat: Vec<String>,
    /// What fixes the luck of the game [default: any]
    #[arg(long)]
    seed: Option<u64>,
    /// Write the record to this file: as bytes if its name ends in .bin, as text otherwise
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// With how many illegal actions a seat forfeits [default: never]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u8).range(1..=255))]
    strikes: Option<u8>,
    /// Print the result as JSON, and nothing else
    #[arg(long)]
    json: bool,
}

/// Who sits in a seat.
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
        let agreed = self.game.agree(named.len())?;
        let players = named.iter().map(|value| player(rules, value)).collect::<Result<Vec<_>, _>>()?;
        if self.json && players.iter().any(|player| matches!(player, Player::Human)) {
            return Err(CliError::Usage(
                "a human seat shows the table, and --json prints nothing but the result".to_owned(),
            ));
        }
        if let Some(path) = &self.record {
            check_writable(path)?;
        }
        let seed = seed_or_any(self.seed);
        let bots = players.iter().zip(&named).map(|(player, value)| match player {
            Player::Bot(bot) => Some((value.clone(), *bot)),
            Player::Human | Player::Program => None,
        });
        let spec = Spec {
            rules,
            agreed,
            bots: bots.collect(),
            seed: Some(seed),
            terms: Terms { strikes: self.strikes.and_then(NonZeroU8::new) },
        };
        let matches = Matches::default();
        let hosted = matches.host(spec).map_err(|fault| CliError::failed(fault.message()))?;
        if !self.json {
            announce(rules, seed, &named, out)?;
        }
        let mut programs = Programs::new(matches, Arc::clone(&hosted));
        let mut humans = Vec::new();
        for (seat, (player, value)) in players.iter().zip(&named).enumerate() {
            match player {
                Player::Bot(_) => {}
                Player::Human => {
                    let joined = hosted.join(Some(seat as u32), "human");
                    humans.push(joined.map_err(|fault| CliError::failed(fault.message()))?.0);
                }
                Player::Program => drop(programs.start(seat as u32, value)?),
            }
        }
        let played = Screen::new(Arc::clone(&hosted), humans, self.json).play(&mut programs, out);
        programs.end();

        // A match that was broken off is kept all the same, and one that cannot be kept is told.
        let record = hosted.with_referee(Referee::record);
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
            writeln!(out, "\nThe record is in {0}; ahu replay {0} shows it again.", path.display())?;
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
        // One word that is no file is rather a misspelt bot than a program.
        Err(error) if !value.contains(char::is_whitespace) && !Path::new(value).is_file() => Err(CliError::Usage(
            format!("{}; a seat is a bot, human, or a command such as \"python3 my_agent.py\"", error.message),
        )),
        Err(_) => Ok(Player::Program),
    }
}

/// The match as this terminal shows it.
struct Screen {
    hosted: Arc<Hosted>,
    /// The seats of the people who share it.
    humans: Vec<Seat>,
    /// Who looks at it. Of several people nobody, until the first of them has been asked to.
    looking: Option<Viewer>,
    /// How many of the events each viewer has been told of.
    told: HashMap<Viewer, usize>,
    /// Whether it shows the result alone.
    quiet: bool,
}

impl Screen {
    fn new(hosted: Arc<Hosted>, humans: Vec<Seat>, quiet: bool) -> Self {
        let looking = match humans.as_slice() {
            [] => Some(Viewer::Public),
            &[seat] => Some(Viewer::Seat(seat)),
            [_, _, ..] => None,
        };
        Self { hosted, humans, looking, told: HashMap::new(), quiet }
    }

    /// Plays to the end: shows what happens, asks the people, waits for the programs.
    fn play(&mut self, programs: &mut Programs, out: &mut impl Write) -> Done {
        let mut changes = self.hosted.changes();
        loop {
            // First of all, so that a change while we look is one to wake up for.
            changes.mark_unchanged();
            let is_finished = self.hosted.is_finished();
            self.tell(out)?;
            if is_finished {
                return Ok(());
            }
            let owing = self.hosted.with_referee(Referee::owing).unwrap_or_default();
            match self.humans.iter().copied().find(|&seat| owing.contains(seat)) {
                Some(seat) => {
                    self.turn_to(seat, out)?;
                    human::decide(&self.hosted, seat, out)?;
                }
                None => programs.wait(&mut changes)?,
            }
        }
    }

    /// Has the person of `seat` before it, who is told what the others did meanwhile.
    fn turn_to(&mut self, seat: Seat, out: &mut impl Write) -> Done {
        let viewer = Some(Viewer::Seat(seat));
        if self.looking == viewer {
            return Ok(());
        }
        human::hand_over(seat, out)?;
        self.looking = viewer;
        self.tell(out)
    }

    /// Tells whoever looks what has happened since they were told last.
    fn tell(&mut self, out: &mut impl Write) -> Done {
        let Some(viewer) = self.looking.filter(|_| !self.quiet) else { return Ok(()) };
        let told = self.told.entry(viewer).or_default();
        let news = self.hosted.with_referee(|referee| {
            let news = &referee.events()[*told..];
            *told += news.len();
            news.iter().filter_map(|told| Some((told.ply, told.event.seen_by(viewer)?))).collect::<Vec<_>>()
        });
        for (ply, text) in news.unwrap_or_default() {
            writeln!(out, "{ply:>4}  {text}")?;
        }
        Ok(out.flush()?)
    }
}

/// Refuses a file that cannot be written before a match is played for it.
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

/// The table at the end.
pub(super) fn show_result(record: &Record, result: &MatchResult, out: &mut impl Write) -> Done {
    let returns = RewardRule::Rank.returns(&result.scores, &result.ranks);
    let width = record.names.iter().map(String::len).max().unwrap_or(0).max("player".len());
    writeln!(out, "\n  seat  {:<width$}  points  place  return", "player")?;
    for (seat, name) in record.agreed.seats.iter().zip(&record.names) {
        let mark = if result.forfeited.contains(seat) { "  forfeited" } else { "" };
        let (points, place, reward) = (result.scores[seat], result.ranks[seat], returns[seat]);
        writeln!(out, "  {:>4}  {name:<width$}  {points:>6}  {place:>5}  {reward:>+6.2}{mark}", seat.index())?;
    }
    writeln!(out, "\n  seed {}, {} plies, fingerprint {}", record.seed, record.plies(), record.fingerprint)?;
    Ok(())
}

fn as_json(record: &Record, result: &MatchResult) -> serde_json::Value {
    let info = record.rules.info();
    let returns = RewardRule::Rank.returns(&result.scores, &result.ranks);
    let seats = record.agreed.seats.iter().zip(&record.names).map(|(seat, name)| {
        json!({
            "seat": seat.index(), "player": name, "score": result.scores[seat], "rank": result.ranks[seat],
            "return": returns[seat], "forfeited": result.forfeited.contains(seat),
        })
    });
    let options: serde_json::Map<_, _> =
        record.agreed.options.iter().map(|(key, value)| ((*key).to_owned(), value.clone().into())).collect();
    json!({
        "game": info.id, "rules_version": info.rules, "options": options, "seed": record.seed.0, "plies": record.plies(),
        "seats": seats.collect::<serde_json::Value>(), "fingerprint": record.fingerprint.to_string(),
    })
}

/// Whether both ends of the conversation are a person's.
pub(super) fn is_interactive() -> bool {
    std::io::stdin().is_terminal() && std::io::stdout().is_terminal()
}
