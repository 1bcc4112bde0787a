//! `ahu cup run`: plays a cup to its end. If it was interrupted, the next call goes on.

use std::io::Write;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use ahu_arena::programs::{FREE_PORT, ProgramSpec, Protocol};
use ahu_arena::{Agent, AgentPlayer, AtStop, LocalVenue, Logs, News as _, RemoteVenue, Runner, Surroundings, Venue};
use ahu_contest::cup::{Entrant, Line, Player as CupPlayer, Report, State};
use ahu_host::TimeControl;
use ahu_service::CupId;

use super::director::Director;
use super::folder::{CupFolder, OpenCup};
use super::remote_agents::RemoteAgents;
use super::{CupArguments, cup_id, ledgers, table};
use crate::arguments::{Concurrency, concurrency, cores};
use crate::files::key_file;
use crate::network::server_address;
use crate::terminal::progress::Progress;
use crate::{CliError, Done, print_json};

/// Play a cup to its end; run it again to go on where it was interrupted
///
/// A finished game is never played again. One that was cut off goes on where it stood, unless only bots play it, or the
/// clock leaves commands no time to start again: then it is played anew, from its seed. Ctrl-C lets the games in progress
/// end first; a second one does not.
#[derive(Debug, clap::Args)]
pub(crate) struct Run {
    #[command(flatten)]
    cup: CupArguments,
    /// The address to listen on for remote agents, such as 0.0.0.0:50551 [default: a free port of this machine]
    #[arg(long, value_name = "ADDRESS:PORT", conflicts_with = "server")]
    listen: Option<SocketAddr>,
    #[command(flatten)]
    host: HostArguments,
    /// The number of games at once: a number, or `auto`, which is the number of cores
    #[arg(short, long, value_name = "COUNT", default_value = "auto", value_parser = concurrency)]
    concurrency: Concurrency,
    /// Print the final table as JSON
    #[arg(long)]
    json: bool,
}

/// The server elsewhere that hosts the matches.
#[derive(Debug, clap::Args)]
pub(super) struct HostArguments {
    /// Host the matches on a server that runs elsewhere, to which all agents connect
    ///
    /// The server admits an organiser with `ahu serve --organiser-key FILE`. Of a server and its spares, name all addresses, with
    /// commas between them.
    #[arg(long, value_name = "HOST:PORT", requires = "organiser_key")]
    server: Option<String>,
    /// The file with the organiser's key of that server
    #[arg(long, value_name = "FILE", requires = "server")]
    organiser_key: Option<PathBuf>,
}

impl Run {
    pub(super) fn run(self, out: &mut impl Write) -> Done {
        let folder = self.cup.read()?;
        check_keys(&folder)?;
        let OpenCup { mut journal, state, salt, begin } = folder.open()?;
        folder.check_unchanged(&state)?;
        let venue = self.venue(&folder, &state)?;
        // Open the queues first, so that the server knows every key from its first call on.
        let remote = RemoteAgents::open(&folder, &*venue, &state)?;
        let is_open =
            !remote.is_empty() || state.ladder_rules().is_some() || self.listen.is_some() || self.host.server.is_some();
        let address = match is_open {
            true => format!("agents connect to {}; ", told_address(&state, &*venue)?),
            false => String::new(),
        };
        if let Some(begin) = begin {
            journal.append(&Line::now(begin)).map_err(CliError::failed)?;
        }
        if !self.json {
            writeln!(out, "{}: {address}the hash of the salt is {}", state.cup.header.name, state.salt_hash)?;
        }
        out.flush()?;
        let mut progress = Progress::new();
        let director = Director::new(&folder, (journal, state, salt), &*venue, remote);
        let runner = Runner::new(director, &*venue, AtStop::LetEnd)?;
        let played = self.play(&folder, &runner, &*venue, is_open, &mut progress);
        let finished = runner.finish(&mut progress);
        progress.clear();
        let (director, is_interrupted) = finished?;
        venue.publish();
        // After an interruption, agents go on to wait for the next run.
        if director.state.has_ended() {
            director.remote.say_farewell();
        }
        played?;
        let state = director.state;
        let claims = ledgers::read(&folder.data, &state);
        match self.json {
            true => print_json(table::FORMAT, table::json(&state, &Report::of(&state), &claims), out)?,
            false => table::show(&state, &claims, out)?,
        }
        out.flush()?;
        if is_interrupted && !state.has_ended() {
            return Err(CliError::Interrupted);
        }
        Ok(())
    }

    /// Plays rounds until the cup or the run ends. `is_open` is true if the person was told where agents connect.
    fn play(
        &self,
        folder: &CupFolder,
        runner: &Runner<'_, Director<'_>>,
        venue: &dyn Venue,
        mut is_open: bool,
        progress: &mut Progress,
    ) -> Result<(), CliError> {
        let mut going_on = None;
        runner.with(Director::forget_waiting)?;
        while !runner.is_stopping()
            && let Some(state) = runner.with(Director::begin_round)?
        {
            // The file has the keys of agents that were added.
            runner.with(|director| director.remote.read_keys(&state))?;
            if !is_open && !runner.with(|director| director.remote.is_empty()) {
                progress.tell(&format!("agents connect to {}", told_address(&state, venue)?));
                is_open = true;
            }
            let going_on = match going_on {
                Some(_) => 0,
                None => *going_on.insert(runner.with(Director::resume)?),
            };
            let agents = &agents(&state, Some(&folder.data))?;
            let around = Surroundings {
                agents,
                logs: &Logs::open(Some(&folder.data.join("logs")), agents)?,
                patience: Duration::from_millis(state.cup.clock.startup.max(1000).into()),
                trusts: false,
                must_begin: false,
            };
            let remote = runner.with(|director| director.remote.games_at_once(&state));
            runner.play(around, self.at_once(&state, remote).max(going_on), progress)?;
        }
        Ok(())
    }

    /// Returns the number of games at once in a cup whose remote agents add this number.
    fn at_once(&self, state: &State, remote: usize) -> usize {
        let of_ladder = state.ladder().and_then(|_| state.ladder_rules()).map(|rules| rules.games_at_once as usize);
        self.concurrency.0.unwrap_or_else(|| of_ladder.unwrap_or_else(|| cores() + remote))
    }

    /// Returns the venue: this process, or the server of `--server`.
    fn venue(&self, folder: &CupFolder, state: &State) -> Result<Box<dyn Venue>, CliError> {
        let (cup, journal) = (cup_id(&state.salt_hash), folder.journal());
        Ok(match self.host.venue(state, cup, Some(journal.clone()))? {
            Some(venue) => Box::new(venue),
            None => Box::new(LocalVenue::open(&folder.data, (cup, &journal), self.listen.unwrap_or(FREE_PORT))?),
        })
    }
}

impl HostArguments {
    /// Returns the venue on the server; None without one. A server with the journal shows the cup, and keeps its matches.
    pub(super) fn venue(
        &self,
        state: &State,
        cup: CupId,
        journal: Option<PathBuf>,
    ) -> Result<Option<RemoteVenue>, CliError> {
        let (Some(server), Some(key)) = (&self.server, &self.organiser_key) else { return Ok(None) };
        for agent in &state.agents {
            if let CupPlayer::Command { .. } = &agent.entrant.player {
                check_protocol(&agent.entrant.name, &ProgramSpec::new(&agent.entrant.player.text())?)?;
            }
        }
        Ok(Some(RemoteVenue::open(&server_address(server)?, &key_file::read(key)?, cup, journal)?))
    }
}

/// Returns the address that teams are told.
fn told_address(state: &State, venue: &dyn Venue) -> Result<String, CliError> {
    // Even a venue that teams reach at another address has to listen.
    let listens = venue.address()?;
    Ok(state.cup.header.address.clone().unwrap_or(listens))
}

/// Returns the agents for the stage in progress, in the order of their numbers in the cup. Commands get ledgers in the folder of
/// the cup `data`, except in a jail.
pub(super) fn agents(state: &State, data: Option<&Path>) -> Result<Vec<Agent>, CliError> {
    let setup = state.cup.stages[state.stage()].setup().map_err(CliError::Failed)?;
    let agent = |entrant: &Entrant| {
        let control = state.cup.clock;
        let (player, control) = match &entrant.player {
            CupPlayer::Bot { bot } => {
                let bot = setup.rules().bot(bot).map_err(|error| CliError::Usage(error.message.into()))?;
                (AgentPlayer::Bot(bot), TimeControl::default())
            }
            CupPlayer::Command { wrapper, .. } => {
                let spec = ProgramSpec::new(&entrant.player.text())?;
                let ledger = data.filter(|_| wrapper.is_empty()).map(|data| ledgers::create(data, &entrant.name));
                let (ledger, wrapper) = (ledger.transpose()?, wrapper.clone());
                (AgentPlayer::Program(ProgramSpec { wrapper, ledger, ..spec }), control)
            }
            CupPlayer::Remote { .. } => (AgentPlayer::Elsewhere, control),
        };
        Ok(Agent { name: entrant.name.clone(), text: entrant.player.text(), player, control })
    };
    state.agents.iter().map(|one| agent(&one.entrant)).collect()
}

/// Checks that every remote agent in the file has a key.
fn check_keys(folder: &CupFolder) -> Result<(), CliError> {
    let lacks = |agent: &&Entrant| matches!(agent.player, CupPlayer::Remote { key: None, .. });
    let names: Vec<_> = folder.cup.agents.iter().filter(lacks).map(|agent| agent.name.as_str()).collect();
    match names.is_empty() {
        true => Ok(()),
        false => Err(CliError::Usage(format!(
            "expected a key for each remote agent, got none for {}; `ahu cup keys {} --out DIR` makes them",
            names.join(", "),
            folder.file.display()
        ))),
    }
}

/// Returns an error if a program cannot play on a server elsewhere, because it speaks the line protocol.
fn check_protocol(name: &str, spec: &ProgramSpec) -> Result<(), CliError> {
    match spec.protocol {
        Protocol::Grpc => Ok(()),
        Protocol::Lines => Err(CliError::Usage(format!(
            "agent {name}: expected a program that calls the server, since --server names one elsewhere; got one of the line \
             protocol"
        ))),
    }
}
