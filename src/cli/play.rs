//! `ahu play`: a match on this machine, of bots, people and programs.

use std::fs;
use std::io::{IsTerminal, Write};
use std::num::NonZeroU8;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ahu::core::{Seat, Seed, Viewer};
use ahu::host::{AnyRules, BotName, MatchResult, Record, Referee, RewardRule, Terms};
use ahu::service::{Hosted, Matches, Spec};
use serde_json::json;

use super::human::Human;
use super::programs::Programs;
use super::{CliError, Done, GameArguments, seed_or_any};

/// Play a match of bots, people and programs
#[derive(Debug, clap::Args)]
pub(super) struct Play {
    #[command(flatten)]
    game: GameArguments,
    /// Who plays, by seat, with commas: a bot (greedy, random), human, or a command that starts an agent
    #[arg(short, long, value_delimiter = ',', required = true, value_name = "PLAYER,...")]
    seats: Vec<String>,
    /// What fixes the luck of the game [default: any]
    #[arg(long)]
    seed: Option<u64>,
    /// Write the record to this file: as bytes if its name ends in .bin, as text otherwise
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// With how many illegal actions a seat forfeits [default: never]
    #[arg(long, value_name = "COUNT")]
    strikes: Option<NonZeroU8>,
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
        let rules = self.game.rules()?;
        let agreed = self.game.agree(self.seats.len())?;
        let players = self.seats.iter().map(|value| player(rules, value)).collect::<Result<Vec<_>, _>>()?;
        let humans = players.iter().filter(|player| matches!(player, Player::Human)).count();
        if self.json && humans > 0 {
            return Err(CliError::Usage(
                "a human seat shows the table, and --json prints nothing but the result".to_owned(),
            ));
        }
        let seed = seed_or_any(self.seed);
        let bots = players.iter().zip(&self.seats).map(|(player, value)| match player {
            Player::Bot(bot) => Some((value.clone(), *bot)),
            Player::Human | Player::Program => None,
        });
        let spec =
            Spec { rules, agreed, bots: bots.collect(), seed: Some(seed), terms: Terms { strikes: self.strikes } };
        let matches = Matches::default();
        let hosted = matches.host(spec).map_err(|fault| CliError::failed(fault.message()))?;
        let mut table = Table { hosted, human: Human::new(humans), told: Told::default(), quiet: self.json };
        if !self.json {
            self.announce(rules, seed, out)?;
        }
        let mut programs = Programs::new(matches, Arc::clone(&table.hosted));
        for (seat, (player, value)) in players.iter().zip(&self.seats).enumerate() {
            match player {
                Player::Bot(_) => {}
                Player::Human => {
                    let joined = table.hosted.join(Some(seat as u32), "human");
                    joined.map_err(|fault| CliError::failed(fault.message()))?;
                }
                Player::Program => programs.start(seat as u32, value)?,
            }
        }
        let human_seats: Vec<Seat> =
            table.seats().filter(|seat| matches!(players[seat.index()], Player::Human)).collect();
        let played = table.play(&human_seats, &mut programs, out);
        programs.end();

        // A match that was broken off is kept all the same.
        let record = table.hosted.with_referee(Referee::record);
        if let (Some(path), Some(record)) = (&self.record, &record) {
            write_record(path, record)?;
        }
        played?;
        let record = record.ok_or_else(|| CliError::Failed("the match did not begin".to_owned()))?;
        let result = record.result.ok_or_else(|| CliError::Failed("the match was not finished".to_owned()))?;
        match self.json {
            true => writeln!(out, "{:#}", as_json(&record, &result))?,
            false => show_result(&record, &result, out)?,
        }
        if let (Some(path), false) = (&self.record, self.json) {
            writeln!(out, "\nThe record is in {0}; ahu replay {0} shows it again.", path.display())?;
        }
        Ok(())
    }

    fn announce(&self, rules: &dyn AnyRules, seed: Seed, out: &mut impl Write) -> Done {
        writeln!(out, "{}, seed {seed}", rules.info().title)?;
        for (seat, player) in self.seats.iter().enumerate() {
            writeln!(out, "  seat {seat}: {player}")?;
        }
        writeln!(out)?;
        Ok(())
    }
}

fn player(rules: &dyn AnyRules, value: &str) -> Result<Player, CliError> {
    if value == "human" {
        return Ok(Player::Human);
    }
    match rules.bot(value) {
        Ok(bot) => Ok(Player::Bot(bot)),
        // One word that is no file is rather a misspelt bot than a program.
        Err(error) if !value.contains(char::is_whitespace) && !Path::new(value).exists() => Err(CliError::Usage(
            format!("{}; a seat is a bot, human, or a command such as \"python3 my_agent.py\"", error.message),
        )),
        Err(_) => Ok(Player::Program),
    }
}

/// The match as this terminal shows it.
struct Table {
    hosted: Arc<Hosted>,
    human: Human,
    told: Told,
    quiet: bool,
}

/// How many events have been printed.
#[derive(Default)]
struct Told(usize);

impl Table {
    fn seats(&self) -> impl Iterator<Item = Seat> + use<> {
        let count = self.hosted.describe().seats.len();
        (0..count).filter_map(Seat::new)
    }

    /// Plays to the end: shows what happens, asks the people, waits for the programs.
    fn play(&mut self, humans: &[Seat], programs: &mut Programs, out: &mut impl Write) -> Done {
        loop {
            let owing = self.hosted.with_referee(Referee::owing).unwrap_or_default();
            let asked = humans.iter().copied().find(|&seat| owing.contains(seat));
            // Who sits alone at the terminal sees what that seat sees, all others what everybody does.
            let viewer = match (humans, asked) {
                (&[seat], _) | (_, Some(seat)) => Viewer::Seat(seat),
                _ => Viewer::Public,
            };
            if !self.quiet {
                self.hosted.with_referee(|referee| self.told.show(referee, viewer, out)).transpose()?;
            }
            if self.hosted.is_finished() {
                return Ok(());
            }
            match asked {
                Some(seat) => self.human.decide(&self.hosted, seat, out)?,
                None => programs.wait()?,
            }
            out.flush()?;
        }
    }
}

impl Told {
    /// Prints what has happened since the last time.
    fn show(&mut self, referee: &Referee, viewer: Viewer, out: &mut impl Write) -> Done {
        let events = referee.events();
        for told in &events[self.0..] {
            if let Some(text) = told.event.seen_by(viewer) {
                writeln!(out, "{:>4}  {text}", told.ply)?;
            }
        }
        self.0 = events.len();
        Ok(())
    }
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
