//! `ahu tournament run`: plays a cup to the end, and goes on with it where it was interrupted.

use std::fmt::Write as _;
use std::io::Write;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use ahu::cup::{AgentState, Entrant, PlannedGame, Player as CupPlayer, State};
use ahu::service::MatchConfig;
use ahu_engine::host::{Terms, TimeControl};
use tokio::runtime;

use super::director::{Director, Next};
use super::folder::CupFolder;
use super::venue::{LocalVenue, Queues, RemoteAgent, RemoteVenue, Surroundings, Venue, VenueSlot, check_protocol};
use super::{CupArguments, inbox, table};
use crate::cli::concurrency::{Concurrency, concurrency};
use crate::cli::pairing::{Agent, AgentPlayer, Logs, Pairing, farewell};
use crate::cli::programs::{Launch, on_first_signal};
use crate::cli::progress::{Progress, bar, duration};
use crate::cli::{CliError, Done};

/// The interval at which the progress is shown, and changes are taken over.
const LOOK: Duration = Duration::from_millis(100);
/// The number of games at once that agents elsewhere add, at most.
const REMOTE_GAMES: usize = 32;

/// Play a cup to its end; run it again to go on where it was interrupted
///
/// A finished game is never played again. One that was cut off is played anew, from its seed, if only bots and commands
/// play it; otherwise it goes on. Ctrl-C lets the games in progress end first; a second one does not.
#[derive(Debug, clap::Args)]
pub(super) struct Run {
    #[command(flatten)]
    cup: CupArguments,
    /// The address to listen on for remote agents, such as 0.0.0.0:50551 [default: a free port of this machine]
    #[arg(long, value_name = "ADDRESS:PORT")]
    listen: Option<SocketAddr>,
    /// Host the matches on a server that runs elsewhere, to which all agents connect
    ///
    /// The server admits an organiser with `ahu serve --organiser-key FILE`.
    #[arg(long, value_name = "HOST:PORT", requires = "key", conflicts_with = "listen")]
    server: Option<String>,
    /// The file with the organiser's key of that server
    #[arg(long, value_name = "FILE", requires = "server")]
    key: Option<PathBuf>,
    /// The number of games at once: a number, or `auto`, which is the number of cores
    #[arg(short, long, value_name = "COUNT", default_value = "auto", value_parser = concurrency)]
    concurrency: Concurrency,
    /// Print the final table as JSON
    #[arg(long)]
    json: bool,
}

impl Run {
    pub(super) fn run(self, out: &mut impl Write) -> Done {
        let folder = self.cup.read()?;
        check_keys(&folder)?;
        let (journal, state, salt) = folder.open()?;
        folder.check_unchanged(&state)?;
        let venue = self.venue(&folder, &state)?;
        let new = remote_agents(&folder, &state, &Queues::new())?;
        let mut is_open = !new.is_empty() || self.listen.is_some() || self.server.is_some();
        // The queues come first: the server knows every key from the first call on.
        let queues = venue.open_queues(new)?;
        let address = match is_open {
            true => format!("agents connect to {}; ", venue.address()?),
            false => String::new(),
        };
        if !self.json {
            writeln!(out, "{}: {address}the hash of the salt is {}", state.cup.name, state.salt_hash)?;
        }
        out.flush()?;
        let is_ending = Arc::new(AtomicBool::new(false));
        let is_interrupted = Arc::new(AtomicBool::new(false));
        on_first_signal({
            let flags = [Arc::clone(&is_ending), Arc::clone(&is_interrupted)];
            move || flags.iter().for_each(|flag| flag.store(true, Ordering::Relaxed))
        })
        .map_err(CliError::failed)?;
        let mut progress = Progress::new();
        let (_, done) = state.progress();
        let start = Start { at: Instant::now(), done };
        let director = Director::new(&folder, (journal, state, salt), &*venue, &is_ending);
        director.add_queues(queues);
        let mut is_first = true;
        while let Some(state) = director.begin_round() {
            // An agent that was added has its key in the file.
            let new = remote_agents(&self.cup.read()?, &state, &director.queues())?;
            let is_reachable = is_open || new.is_empty();
            director.add_queues(venue.open_queues(new)?);
            if !is_reachable {
                progress.tell(&format!("agents connect to {}", venue.address()?));
                is_open = true;
            }
            if std::mem::take(&mut is_first) {
                director.resume()?;
            }
            self.play_round(&folder, &state, &director, &*venue, start, &mut progress)?;
        }
        progress.clear();
        for line in director.news() {
            progress.tell(&line);
        }
        close(&director.queues(), &*venue);
        let state = director.finish()?;
        match self.json {
            true => writeln!(out, "{:#}", table::json(&state, &ahu::cup::Report::of(&state)))?,
            false => table::show(&state, out)?,
        }
        out.flush()?;
        if is_interrupted.load(Ordering::Relaxed) && !state.has_ended() {
            return Err(CliError::Interrupted);
        }
        Ok(())
    }

    /// Returns the place that hosts the matches.
    fn venue(&self, folder: &CupFolder, state: &State) -> Result<Box<dyn Venue>, CliError> {
        let (Some(server), Some(key)) = (&self.server, &self.key) else {
            let listen = self.listen.unwrap_or(SocketAddr::from(([127, 0, 0, 1], 0)));
            return Ok(Box::new(LocalVenue::open(&folder.data, &folder.journal(), listen)?));
        };
        for agent in &state.agents {
            if let CupPlayer::Command { .. } = &agent.entrant.player {
                check_protocol(&agent.entrant.name, &Launch::new(&agent.entrant.player.text())?)?;
            }
        }
        Ok(Box::new(RemoteVenue::open(server, key)?))
    }

    /// Plays games until the agents or the stage change, or nothing is left.
    fn play_round(
        &self,
        folder: &CupFolder,
        state: &State,
        director: &Director<'_>,
        venue: &dyn Venue,
        start: Start,
        progress: &mut Progress,
    ) -> Result<(), CliError> {
        let agents = agents(state)?;
        let logs = Logs::append(&folder.data.join("logs"), &agents)?;
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let at_once = match self.concurrency {
            Concurrency::Games(games) => games,
            // Games of agents elsewhere wait for the network most of the time.
            Concurrency::Auto => cores + director.queues().len().min(REMOTE_GAMES),
        };
        let at_once = at_once.max(director.going_on());
        let surroundings = Surroundings { agents: &agents, logs: &logs, patience: state.cup.clock.startup.max(1000) };
        let work = || {
            let mut slot = venue.slot(surroundings);
            if let Err(error) = work(&mut *slot, director, state) {
                director.fail(error);
            }
        };
        let waits = runtime::Builder::new_current_thread().enable_time().build().map_err(CliError::failed)?;
        let mut calls = venue.calls();
        thread::scope(|scope| {
            let workers: Vec<_> = (0..at_once).map(|_| scope.spawn(work)).collect();
            let mut shown = Instant::now();
            while !workers.iter().all(thread::ScopedJoinHandle::is_finished) {
                // An agent that calls may be the one for which a game waits.
                let called = waits.block_on(async { tokio::time::timeout(LOOK, calls.changed()).await });
                if called.is_ok() || director.is_ending.load(Ordering::Relaxed) {
                    director.wake();
                }
                if shown.elapsed() < LOOK {
                    continue;
                }
                shown = Instant::now();
                inbox::receive(&folder.data, |event| director.change(event));
                for line in director.news() {
                    progress.tell(&line);
                }
                progress.show(|| director.look(|state, running| text(state, running, start)));
            }
        });
        Ok(())
    }
}

/// The begin of a run.
#[derive(Clone, Copy)]
struct Start {
    at: Instant,
    /// The number of games that had ended.
    done: usize,
}

/// Plays games until there is none left.
fn work(slot: &mut dyn VenueSlot, director: &Director<'_>, state: &State) -> Result<(), CliError> {
    while let Next::Play(planned, earlier) = director.next() {
        let pairing = pairing(state, &planned)?;
        let mut has_started = |match_id: &str| director.started(planned.place, match_id);
        let finished = slot.play(&pairing, earlier.as_deref(), &mut has_started)?;
        director.enter(state, &planned, finished)?;
    }
    Ok(())
}

/// Returns a game as the slots play it.
fn pairing(state: &State, planned: &PlannedGame) -> Result<Pairing, CliError> {
    let rules = planned.setup.rules();
    let bot = |seat, agent: usize| match (&state.agents[agent].entrant.player, planned.has_left[seat]) {
        (_, true) => planned.terms.stand_in.map_or_else(|| rules.bot(&state.cup.conduct.stand_in), Ok).map(Some),
        (CupPlayer::Bot { bot }, false) => rules.bot(bot).map(Some),
        (CupPlayer::Command { .. } | CupPlayer::Remote { .. }, false) => Ok(None),
    };
    let bots = planned.seating.iter().map(|(seat, agent)| bot(seat, agent)).collect::<Result<Vec<_>, _>>();
    let name = |(seat, agent): (ahu_engine::core::Seat, usize)| match state.cup.anonymous {
        true => format!("seat {seat}"),
        false => state.name(agent).to_owned(),
    };
    let mut terms = planned.terms.clone();
    let bots = bots.map_err(|error| CliError::Failed(format!("game {}: {}", planned.name, error.message)))?;
    for (clock, bot) in terms.clocks.iter_mut().zip(&bots) {
        // Bots have no clock.
        if bot.is_some() {
            *clock = TimeControl::default();
        }
    }
    Ok(Pairing {
        setup: planned.setup.clone(),
        seating: planned.seating,
        seed: planned.seed,
        game: if planned.is_shared { planned.place.game as u64 } else { 0 },
        terms,
        agent_seeds: planned.agent_seeds,
        names: planned.seating.iter().map(name).collect(),
        bots,
        is_sealed: planned.is_shared,
        is_pinned: true,
        may_remember: !planned.is_shared,
        name: planned.name.clone(),
    })
}

/// Returns the agents in the stage in progress, by their numbers in the cup.
fn agents(state: &State) -> Result<Vec<Agent>, CliError> {
    let setup = state.cup.stages[state.stage()].setup().map_err(CliError::Failed)?;
    let agent = |entrant: &Entrant| {
        let control = state.cup.clock.control();
        let (player, control) = match &entrant.player {
            CupPlayer::Bot { bot } => {
                let bot = setup.rules().bot(bot).map_err(|error| CliError::Usage(error.message.into()))?;
                (AgentPlayer::Bot(bot), TimeControl::default())
            }
            CupPlayer::Command { wrapper, .. } => {
                let launch = Launch::new(&entrant.player.text())?;
                (AgentPlayer::Program(Launch { wrapper: wrapper.clone(), ..launch }), control)
            }
            CupPlayer::Remote { .. } => (AgentPlayer::Elsewhere, control),
        };
        Ok(Agent { name: entrant.name.clone(), text: entrant.player.text(), player, control })
    };
    state.agents.iter().map(|one| agent(&one.entrant)).collect()
}

/// Checks that every remote agent of the file has a key.
fn check_keys(folder: &CupFolder) -> Result<(), CliError> {
    let lacks = |agent: &&Entrant| matches!(agent.player, CupPlayer::Remote { key: None });
    let names: Vec<_> = folder.cup.agents.iter().filter(lacks).map(|agent| agent.name.as_str()).collect();
    match names.is_empty() {
        true => Ok(()),
        false => Err(CliError::Usage(format!(
            "expected a key for each remote agent, got none for {}; `ahu tournament keys {} --out DIR` makes them",
            names.join(", "),
            folder.file.display()
        ))),
    }
}

/// Returns the remote agents without a queue. The file has their keys, also new ones.
fn remote_agents(folder: &CupFolder, state: &State, known: &Queues) -> Result<Vec<RemoteAgent>, CliError> {
    let practice = practice(state)?;
    let remote = |(number, agent): (usize, &AgentState)| match &folder.cup.agent(&agent.entrant.name)?.player {
        CupPlayer::Remote { key: Some(key) } => {
            let key_hash = ahu_engine::host::record::parse_digest(key).expect("the file was checked");
            Some(RemoteAgent { number, name: agent.entrant.name.clone(), key_hash, practice: practice.clone() })
        }
        _ => None,
    };
    let new = state.agents.iter().enumerate().filter(|(number, _)| !known.contains_key(number));
    Ok(new.filter_map(remote).collect())
}

/// Returns the practice match of a cup: a game of its first stage against the stand-in, with the same clock.
fn practice(state: &State) -> Result<MatchConfig, CliError> {
    let first = &state.cup.stages[0];
    let setup = first.setup().map_err(CliError::Failed)?;
    let terms = state.cup.terms(first).map_err(CliError::Failed)?;
    let mut bots = vec![terms.stand_in; first.seats];
    bots[0] = None;
    let clocks =
        bots.iter().zip(&terms.clocks).map(|(bot, clock)| if bot.is_some() { TimeControl::default() } else { *clock });
    let terms = Terms { clocks: clocks.collect(), ..terms };
    Ok(MatchConfig { bots, terms, ..MatchConfig::new(setup) })
}

/// Tells remote agents that no more seats come, and waits a while for those that are there to hear it.
fn close(queues: &Queues, venue: &dyn Venue) {
    let now = venue.now();
    venue.close_queues();
    farewell(queues.values().map(|queue| &**queue), now);
}

/// Returns the progress as text.
fn text(state: &State, running: usize, start: Start) -> String {
    let (games, done) = state.progress();
    let seconds = start.at.elapsed().as_secs_f64();
    let new = done.saturating_sub(start.done);
    let name = &state.cup.stages[state.stage()].name;
    let bar = bar(done as u64, games as u64);
    let mut text = format!("{bar} stage {name}: {done} of {games} games, {running} in progress");
    if new > 0 {
        let left = Duration::try_from_secs_f64((games - done) as f64 * seconds / new as f64).unwrap_or(Duration::MAX);
        let _ = write!(text, ", {:.0} a minute, {} left", new as f64 * 60.0 / seconds, duration(left));
    }
    format!("{text}\n{}", table::brief(state))
}
