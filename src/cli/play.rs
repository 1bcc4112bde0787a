//! `ahu play`: a match of bots, people, and programs on this machine.

use std::collections::HashMap;
use std::fs;
use std::io::{IsTerminal, Write};
use std::num::{NonZeroU8, NonZeroU32};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use ahu::core::{BySeat, Seat, Seed, Viewer};
use ahu::host::{Conduct, Ending, Entry, MatchResult, Record, Referee, Terms, TimeControl};
use ahu::service::{LiveMatch, MatchConfig};
use clap::ArgGroup;

use super::outcome::{as_json, ending_text, forfeit_text, reason, show_result};
use super::player::Player;
use super::programs::{Launch, LocalMatches, Programs, agent_seed};
use super::time_control::{self, Clocked, STARTUP, SeatTime};
use super::{CliError, Done, GameArguments, human, seed_or_any};

/// Play a match of bots, people, and programs
#[derive(Debug, clap::Args)]
#[command(group(ArgGroup::new("players").args(["seats", "seat"]).required(true)))]
pub(super) struct Play {
    #[command(flatten)]
    game: GameArguments,
    /// The players, one for each seat, separated by commas
    ///
    /// A player is a bot (`greedy`, `random@1`; without a version, the newest), `human`, a command that starts an agent,
    /// or `jsonl:COMMAND`: a program that reads and writes a line of JSON for each decision (docs/lines.md).
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
    /// The time control of all programs, or of one seat; may be provided multiple times
    #[arg(long, value_name = "[SEAT=]TIME", value_parser = time_control::seat_time, allow_negative_numbers = true, long_help = time_control::HELP)]
    tc: Vec<SeatTime>,
    /// The maximum time until a program first calls the server or writes a line, in seconds; also that of one decision, for programs
    /// without --tc
    ///
    /// The time of a program that takes longer runs out, and its seat forfeits. The first decision has 10 additional
    /// seconds, in which the program starts. People have no limit.
    #[arg(long, value_name = "SECONDS", default_value = "600", value_parser = time_control::patience, allow_negative_numbers = true)]
    patience: Duration,
    /// Exit with code 1 if a player forfeited
    #[arg(long)]
    strict: bool,
    /// Print only the result, as JSON
    #[arg(long)]
    json: bool,
}

impl Play {
    pub(super) fn run(self, out: &mut impl Write) -> Done {
        // One of the two is empty.
        let named = [&self.seats[..], &self.seat[..]].concat();
        let rules = self.game.rules()?;
        let setup = self.game.configure(named.len())?;
        let players = named.iter().map(|value| Player::read(rules, value, true)).collect::<Result<Vec<_>, _>>()?;
        if self.json && players.iter().any(|player| matches!(player, Player::Human)) {
            return Err(CliError::Usage(
                "--json cannot be used with a human seat, as it prints only the result".to_owned(),
            ));
        }
        if let Some(path) = &self.record {
            check_writable(path)?;
        }
        let seed = seed_or_any(self.seed);
        let clocks = self.clocks(&players)?;
        let terms = Terms { conduct: self.conduct(), clocks: clocks.clone(), ..Terms::default() };
        let bots = players.iter().map(|player| match player {
            Player::Bot(bot) => Some(*bot),
            Player::Human | Player::Program(_) => None,
        });
        let config = MatchConfig { bots: bots.collect(), seed: Some(seed), terms, ..MatchConfig::new(setup) };
        let matches = LocalMatches::new();
        let live = matches.host(config)?;
        if !self.json {
            self.announce(seed, &players, &named, &clocks, out)?;
        }
        let mut programs = Programs::new(matches, Arc::clone(&live))?;
        let mut humans = Vec::new();
        for (seat, player) in players.iter().enumerate() {
            match player {
                Player::Bot(_) => {}
                Player::Human => {
                    let joined = live.join(Some(seat as u32), "human");
                    humans.push(joined.map_err(|error| CliError::failed(error.message()))?.0);
                }
                Player::Program(launch) => {
                    let seat = seat as u32;
                    let agent_seed = Some(agent_seed(seed, "match", seat));
                    programs.start(seat, &Launch { agent_seed, ..launch.clone() })?;
                }
            }
        }
        let played = Screen::new(Arc::clone(&live), humans, self.json).play(&mut programs, self.patience, out);
        programs.end();

        // A match without a result has a record too. A failure to write the record is reported after the result.
        let record = live.with_referee(Referee::record);
        let written = match (&self.record, &record) {
            (Some(path), Some(record)) => write_record(path, record),
            _ => Ok(()),
        };
        played?;
        let record = record.ok_or_else(|| CliError::Failed("the match did not begin".to_owned()))?;
        if self.json {
            let own = |referee: &Referee| {
                BySeat::from_fn(referee.setup().seats(), |seat| referee.banks(Viewer::Seat(seat))[seat])
            };
            writeln!(out, "{:#}", as_json(&record, live.with_referee(own)))?;
        }
        let (Some(Ending::Finished), Some(result)) = (&record.ending, record.result) else {
            return Err(CliError::Failed(ending_text(record.ending.as_ref())));
        };
        if !self.json {
            show_result(&record, &result, out)?;
        }
        written?;
        if let (Some(path), false) = (&self.record, self.json) {
            writeln!(out, "\nWrote the record to {0}; use `ahu replay {0}` to show it.", path.display())?;
        }
        if self.strict { refuse_forfeits(&result) } else { Ok(()) }
    }

    /// Prints the game and the players, with the time controls that were given.
    fn announce(
        &self,
        seed: Seed,
        players: &[Player],
        named: &[String],
        clocks: &[TimeControl],
        out: &mut impl Write,
    ) -> Done {
        writeln!(out, "{}, seed {seed}", self.game.rules()?.info().title)?;
        for (seat, (player, value)) in players.iter().zip(named).enumerate() {
            let name = match player {
                Player::Bot(bot) => bot.name(),
                Player::Human | Player::Program(_) => value.clone(),
            };
            match clocks[seat] {
                control if control.has_limit() && !self.tc.is_empty() => {
                    writeln!(out, "  seat {seat}: {name}, time control {}", time_control::text_of(&control))?;
                }
                _ => writeln!(out, "  seat {seat}: {name}")?,
            }
        }
        writeln!(out)?;
        Ok(())
    }

    /// Returns the consequences of faults.
    fn conduct(&self) -> Conduct {
        self.strikes.and_then(NonZeroU8::new).map_or_else(Conduct::default, Conduct::with_strikes)
    }

    /// Returns the time control of each seat.
    fn clocks(&self, players: &[Player]) -> Result<Vec<TimeControl>, CliError> {
        let patience = u32::try_from(self.patience.as_millis()).unwrap_or(u32::MAX);
        let patient = TimeControl { startup: STARTUP, limit: NonZeroU32::new(patience), ..TimeControl::default() };
        let clocked = players.iter().map(|player| match player {
            Player::Bot(bot) => Clocked::Bot(*bot),
            Player::Human => Clocked::Human,
            Player::Program(_) => Clocked::Program(patient),
        });
        time_control::by_seat(&self.tc, &clocked.collect::<Vec<_>>())
    }
}

/// Returns an error if a player forfeited.
fn refuse_forfeits(result: &MatchResult) -> Done {
    let forfeits = result.forfeited().iter().map(|seat| {
        let cause = result.forfeits[seat].expect("the seat forfeited");
        format!("seat {seat} ({})", reason(cause))
    });
    let forfeits = forfeits.collect::<Vec<_>>();
    match forfeits.is_empty() {
        true => Ok(()),
        false => Err(CliError::Failed(format!("--strict: expected no forfeit, got that of {}", forfeits.join(", ")))),
    }
}

/// The output of the match at this terminal.
struct Screen {
    live: Arc<LiveMatch>,
    /// The seats of the people who share the terminal.
    humans: Vec<Seat>,
    /// The viewer at the screen. With several people, None until the first of them has taken a turn.
    looking: Option<Viewer>,
    /// The part of the match that has been shown to each viewer.
    shown: HashMap<Viewer, Shown>,
    /// True if only the result is printed.
    quiet: bool,
}

/// The part of a match that has been shown: counts of its entries, plies, and events.
#[derive(Default)]
struct Shown {
    entries: usize,
    ply: u32,
    events: usize,
}

impl Screen {
    fn new(live: Arc<LiveMatch>, humans: Vec<Seat>, quiet: bool) -> Self {
        let looking = match humans.as_slice() {
            [] => Some(Viewer::Public),
            &[seat] => Some(Viewer::Seat(seat)),
            [_, _, ..] => None,
        };
        Self { live, humans, looking, shown: HashMap::new(), quiet }
    }

    /// Plays the match to its end: shows events, asks people for decisions, and waits for programs.
    fn play(&mut self, programs: &mut Programs, patience: Duration, out: &mut impl Write) -> Done {
        let mut changes = self.live.changes();
        loop {
            // Mark first, so that a change during this iteration ends the next wait.
            changes.mark_unchanged();
            let is_over = self.live.with_referee(Referee::is_over) == Some(true);
            self.tell(out)?;
            if is_over {
                return Ok(());
            }
            // A stand-in decides for a person who has forfeited.
            let owes = |referee: &Referee| self.humans.iter().copied().find(|&seat| referee.owes(seat));
            match self.live.with_referee(owes).flatten() {
                Some(seat) => match self.turn_to(seat, out).and_then(|()| human::decide(&self.live, seat, out)) {
                    // The person quits, or the terminal is closed. A match that has ended meanwhile is not cancelled.
                    Err(CliError::Failed(reason)) => drop(self.live.cancel(&reason)),
                    asked => asked?,
                },
                None => programs.wait(&mut changes, patience),
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

    /// Shows the viewer at the screen the events and forfeits since its last look.
    fn tell(&mut self, out: &mut impl Write) -> Done {
        let Some(viewer) = self.looking.filter(|_| !self.quiet) else { return Ok(()) };
        let shown = self.shown.entry(viewer).or_default();
        for line in self.live.with_referee(|referee| shown.news(referee, viewer)).unwrap_or_default() {
            writeln!(out, "{line}")?;
        }
        Ok(out.flush()?)
    }
}

impl Shown {
    /// Returns the lines for the events and forfeits that were not shown yet, and counts them as shown.
    fn news(&mut self, referee: &Referee, viewer: Viewer) -> Vec<String> {
        let mut lines = Vec::new();
        for entry in &referee.entries()[self.entries..] {
            self.entries += 1;
            if let Entry::Forfeit { seat, cause } = entry {
                lines.push(format!("      {}", forfeit_text(*seat, *cause, &referee.stand_in().name())));
            }
            self.ply += u32::from(entry.is_ply());
            while let Some(event) = referee.events().get(self.events).filter(|event| event.ply <= self.ply) {
                self.events += 1;
                lines.extend(event.event.text_for(viewer).map(|text| format!("{:>4}  {text}", self.ply)));
            }
        }
        lines
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

/// Returns true if stdin and stdout are both terminals.
pub(super) fn is_interactive() -> bool {
    std::io::stdin().is_terminal() && std::io::stdout().is_terminal()
}
