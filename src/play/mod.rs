//! `ahu play`: plays a match of bots, people, and programs on this machine.

mod author;
mod prompt;
mod screen;

use std::io::{self, Write};
use std::iter;
use std::num::{NonZeroU8, NonZeroU32};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use ahu_arena::Player;
use ahu_arena::programs::{ProgramSpec, Programs, agent_seed, on_first_signal, signalled};
use ahu_core::{BySeat, Seed, Viewer};
use ahu_host::outcome::{ending_text, reason};
use ahu_host::{Conduct, Ending, Entry, MatchResult, Record, Referee, Setup, Terms, TimeControl, find};
use ahu_service::MatchConfig;

use self::author::AuthorArguments;
use self::screen::Screen;
use crate::arguments::players::player_or_human;
use crate::arguments::time_control;
use crate::arguments::{configure, seed_or_any};
use crate::files::opening::Opening;
use crate::files::output::{Replacing, is_standard};
use crate::files::record_file::{check_writable, write_record};
use crate::output::match_outcome::{as_json, show_players, show_result};
use crate::terminal::paint::Painted;
use crate::terminal::{self, fitted};
use crate::{CliError, Done, print_json};

/// Play a match of bots, people, and programs
#[derive(Debug, clap::Args)]
pub(super) struct Play {
    /// The game to play, such as `rappanui`; `ahu games` lists all games
    #[arg(required_unless_present = "continued")]
    game: Option<String>,
    /// The player of each seat [default: `human` and the fewest `greedy` that the game needs; with --continue, those of the
    /// record]
    ///
    /// A player is a bot (`greedy`, `random@1`; without a version, the newest), a net (`net:FILE`), `human`, a command that
    /// starts an agent, or `jsonl:COMMAND`: a program that reads and writes a line of JSON for each decision
    /// (docs/reference/lines.md).
    #[arg(value_name = "PLAYER")]
    players: Vec<String>,
    /// Set an option of the game; may be provided multiple times
    #[arg(short, long = "option", value_name = "KEY=VALUE")]
    options: Vec<String>,
    /// Play on from the end of this record of an unfinished match, with its seed and its options
    ///
    /// The players are those of the record, unless others are named in place of the game. A record with a player that is
    /// neither a bot nor `human` needs them. Programs have 600 seconds for each decision. Strikes and forfeits of the record
    /// are forgotten.
    #[arg(long = "continue", value_name = "FILE", conflicts_with_all = ["options", "seed", "tc", "patience"])]
    continued: Option<PathBuf>,
    /// Play on from the decision that this ply of the record made, as `ahu replay` numbers the plies
    #[arg(long, value_name = "PLY")]
    at: Option<u32>,
    /// The seed, which fixes all chance of the game [default: random]
    #[arg(long)]
    seed: Option<Seed>,
    /// Write the record to this file: in binary format if the name ends in `.bin`, else as text; `-` is stdout, which then
    /// has nothing else
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    #[command(flatten)]
    replacing: Replacing,
    /// The number of illegal actions with which a seat forfeits [default: never]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u8).range(1..=255))]
    strikes: Option<u8>,
    /// The time control of all programs, or of one seat; may be provided multiple times
    #[arg(long, value_name = "[SEAT=]TIME", allow_negative_numbers = true, long_help = time_control::HELP)]
    tc: Vec<String>,
    /// The maximum time until a program first calls the server or writes a line; also that of one decision, for programs
    /// without --tc
    ///
    /// The time of a program that takes longer runs out, and its seat forfeits. The first decision has 10 additional
    /// seconds, in which the program starts. People have no limit.
    #[arg(long, value_name = "TIME", default_value = "600", value_parser = time_control::patience, allow_negative_numbers = true)]
    patience: Duration,
    #[command(flatten)]
    author: AuthorArguments,
    /// Exit with code 3 if a player forfeited
    #[arg(long)]
    strict: bool,
    /// Print only the result, as JSON
    #[arg(long)]
    json: bool,
}

impl Play {
    pub(super) fn run(self, out: &mut impl Write) -> Done {
        let (setup, seed, named, beginning) = self.beginning()?;
        let (rules, begun) = (setup.rules(), beginning.len());
        let is_quiet = self.is_quiet();
        let out = &mut Painted::new(out, (!is_quiet).then_some(rules));
        let players = named.iter().map(|value| player_or_human(rules, value)).collect::<Result<Vec<_>, _>>()?;
        let has_human = players.iter().any(Option::is_none);
        self.check_output(has_human)?;
        if let Some(path) = &self.record {
            check_writable(path, self.replacing)?;
        }
        let clocks = self.clocks(&players)?;
        let conduct = self.strikes.and_then(NonZeroU8::new).map_or_else(Conduct::default, Conduct::with_strikes);
        let terms = Terms { conduct, clocks: clocks.clone(), ..Terms::default() };
        let bots = players.iter().map(|player| match player {
            Some(Player::Bot(bot)) => Some(*bot),
            Some(Player::Program(_)) | None => None,
        });
        let supervisor = self.author.supervisor();
        let bots = bots.collect();
        let config = MatchConfig { bots, seed: Some(seed), terms, beginning, supervisor, ..MatchConfig::new(setup) };
        let matches = self.author.matches();
        let live = matches.host(config)?;
        if !is_quiet {
            let shown = players.iter().zip(&named).map(|(player, value)| match player {
                Some(Player::Bot(bot)) => bot.name(),
                Some(Player::Program(_)) | None => value.clone(),
            });
            let shown: Vec<_> = shown.collect();
            // Without --tc, the clocks are those of --patience, and nobody has asked for them.
            let given = |control: &&TimeControl| control.has_limit() && !self.tc.is_empty();
            let controls = clocks.iter().map(|control| Some(control).filter(given));
            writeln!(out, "{}, seed {seed}", rules.info().title)?;
            show_players(shown.iter().map(String::as_str).zip(controls), out)?;
            if let Some(file) = &self.continued {
                writeln!(out, "{}", fitted(&format!("Continues {} before ply {}", file.display(), begun + 1), 2))?;
            }
            writeln!(out)?;
        }
        // The main thread notices the end of the match and writes the record.
        on_first_signal({
            let live = Arc::clone(&live);
            move || drop(live.cancel("a signal ended the program"))
        })
        .map_err(CliError::failed)?;
        let mut programs = Programs::new(matches.clone(), Arc::clone(&live))?;
        let mut humans = Vec::new();
        for (seat, player) in players.iter().enumerate() {
            match player {
                Some(Player::Bot(_)) => {}
                None => {
                    let joined = live.join(Some(seat as u32), "human");
                    humans.push(joined.map_err(|error| CliError::failed(error.message()))?.0);
                }
                Some(Player::Program(spec)) => {
                    let seat = seat as u32;
                    let agent_seed = Some(agent_seed(seed, "match", seat));
                    let output = Some(terminal::output_of_seat(seat));
                    programs.start(seat, &ProgramSpec { agent_seed, output, ..spec.clone() })?;
                }
            }
        }
        let author = self.author.begin(&live, &matches, &humans, &mut self.beside_result(out))?;
        // With a page, people play there.
        let humans = if self.author.web { Vec::new() } else { humans };
        let mut screen = Screen::new(&live, humans, begun, is_quiet, self.record.as_deref());
        // The author may look at a decision for any time.
        let patience = if self.author.pause { Duration::MAX } else { self.patience };
        let played = screen.play(&mut programs, patience, out);
        programs.end();

        // A match without a result has a record too. An error of the file is reported after the result.
        let record = live.with_referee(Referee::record);
        let written = match (&self.record, &record) {
            (Some(path), Some(record)) => write_record(path, record),
            _ => Ok(()),
        };
        played?;
        let record = record.ok_or_else(|| CliError::Failed("the match did not begin".to_owned()))?;
        let parts = live.with_referee(|referee| referee.view(Viewer::Public).score_parts()).unwrap_or_default();
        if self.json {
            let banks = live.with_referee(|referee| {
                BySeat::from_fn(referee.setup().seats(), |seat| referee.banks(Viewer::Seat(seat))[seat])
            });
            print_json("match", as_json(&(&record).into(), Some(&parts), banks), out)?;
        }
        let (Some(Ending::Finished), Some(result)) = (&record.ending, record.result) else {
            written?;
            self.tell_file(false, out)?;
            if signalled().is_some() {
                return Err(CliError::Interrupted);
            }
            return Err(CliError::Failed(ending_text(record.ending.as_ref())));
        };
        if !is_quiet {
            show_result(&record, &result, &parts, out)?;
        }
        written?;
        self.tell_file(true, out)?;
        author.stay(&live, &mut self.beside_result(out))?;
        if self.strict { refuse_forfeits(&result) } else { Ok(()) }
    }

    /// Returns the beginning of the match, that of a new game or of a record: setup, seed, players as the command line names
    /// them, and plies.
    fn beginning(&self) -> Result<(Setup, Seed, Vec<String>, Vec<Entry>), CliError> {
        let mut named = self.players.clone();
        if let Some(file) = &self.continued {
            // A record has a game, so the first word is a player.
            named.splice(0..0, self.game.clone());
            let Opening { record, plies } = Opening::read(file, self.at).map_err(CliError::Usage)?;
            let wrong = |reason| CliError::Usage(format!("{}: {reason}", file.display()));
            let named = if named.is_empty() { players(&record).map_err(wrong)? } else { named };
            let seats = record.setup.seats().count();
            if named.len() != seats {
                return Err(wrong(format!("expected {seats} players, got {}", named.len())));
            }
            return Ok((record.setup, record.seed, named, plies));
        }
        if self.at.is_some() {
            return Err(CliError::usage("--at: expected --continue with it, got a new game"));
        }
        let rules = find(self.game.as_deref().expect("clap requires a game")).map_err(CliError::usage)?;
        if named.is_empty() {
            let usual = rules.stand_in().to_string();
            let usual = iter::once("human").chain(iter::repeat(&*usual)).map(str::to_owned);
            named.extend(usual.take(*rules.seats().start()));
        }
        let setup = configure(rules, named.len(), &self.options)?;
        Ok((setup, seed_or_any(self.seed), named, Vec::new()))
    }

    /// Checks that people, and nothing else, share the terminal.
    fn check_output(&self, has_human: bool) -> Done {
        if self.is_quiet() && has_human && !self.author.web {
            let option = if self.json { "--json" } else { "--record -" };
            return Err(CliError::Usage(format!(
                "{option} cannot be used with a human seat, as it prints nothing else"
            )));
        }
        if self.json && self.record.as_deref().is_some_and(is_standard) {
            return Err(CliError::usage("--record -: expected no --json, which prints to stdout too"));
        }
        if self.author.pause && has_human {
            return Err(CliError::usage("--pause cannot be used with a human seat: everybody waits for people anyway"));
        }
        Ok(())
    }

    /// Returns true if stdout gets the result as JSON alone, or the record.
    fn is_quiet(&self) -> bool {
        self.json || self.record.as_deref().is_some_and(is_standard)
    }

    /// Returns the output for lines that are not the result: stderr if stdout gets nothing else.
    fn beside_result<'a>(&self, out: &'a mut impl Write) -> Box<dyn Write + 'a> {
        if self.is_quiet() { Box::new(io::stderr()) } else { Box::new(out) }
    }

    /// Says where the record is, if it was written to a file.
    fn tell_file(&self, is_finished: bool, out: &mut impl Write) -> Done {
        let (part, more) = if is_finished { ("", "") } else { ("so far ", ", and `ahu play --continue` to play on") };
        if let (Some(path), false) = (&self.record, self.is_quiet()) {
            let text = format!("Wrote the record {part}to {0}; use `ahu replay {0}` to show it{more}.", path.display());
            writeln!(out, "\n{}", fitted(&text, 2))?;
        }
        Ok(())
    }

    /// Returns the time control of each seat. Without `--tc`, a program has `--patience` for each decision.
    fn clocks(&self, players: &[Option<Player>]) -> Result<Vec<TimeControl>, CliError> {
        let patience = u32::try_from(self.patience.as_millis()).unwrap_or(u32::MAX);
        let patient = match self.author.pause {
            true => TimeControl::default(),
            false => TimeControl { limit: NonZeroU32::new(patience), ..TimeControl::of_program() },
        };
        let named = |(seat, player): (usize, &Option<Player>)| match player {
            Some(Player::Bot(bot)) => (seat.to_string(), Some(bot.name())),
            Some(Player::Program(_)) | None => (seat.to_string(), None),
        };
        let (all, own) = time_control::read(&self.tc, &players.iter().enumerate().map(named).collect::<Vec<_>>())?;
        let controls = players.iter().zip(own).map(|(player, own)| match player {
            Some(Player::Bot(_)) => TimeControl::default(),
            Some(Player::Program(_)) => own.or(all).unwrap_or(patient),
            // People have no limit unless one is given for their seat.
            None => own.unwrap_or_default(),
        });
        Ok(controls.collect())
    }
}

/// Returns an error if a player forfeited.
fn refuse_forfeits(result: &MatchResult) -> Done {
    let forfeits = result.forfeits.iter().filter_map(|(seat, cause)| Some(format!("seat {seat} ({})", reason(cause?))));
    let forfeits: Vec<_> = forfeits.collect();
    match forfeits.is_empty() {
        true => Ok(()),
        false => Err(CliError::No(format!("--strict: expected no forfeit, got that of {}", forfeits.join(", ")))),
    }
}

/// Returns the players of a record as the command line names them.
fn players(record: &Record) -> Result<Vec<String>, String> {
    let named = record.players.iter().enumerate().map(|(seat, player)| match player.bot {
        Some(bot) => Ok(bot.name()),
        None if player.name == "human" => Ok(player.name.clone()),
        None => Err(format!(
            "seat {seat} is {:?}, which is neither a bot nor human: name the players of all seats",
            player.name
        )),
    });
    named.collect()
}
