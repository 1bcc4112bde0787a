//! `ahu benchmark run`: plays a suite to its end. If it was interrupted, the next call goes on.

use std::io::Write;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Instant;

use ahu_arena::programs::FREE_PORT;
use ahu_arena::{LocalVenue, Queues, RemoteAgent, Venue as _};
use ahu_contest::blocks::BlockShard;
use ahu_contest::cup::Salt;
use ahu_contest::suite::{
    AgentClaim, AgentKind, GamePlace, Manifest, Report, SeedsClaim, SeedsKind, Suite, SuiteClaim, SuitePlan, TimeClaim,
};
use ahu_core::parts::lines::counted;
use ahu_host::Record;
use ahu_service::{agent_key_hash, new_agent_key};
use serde_json::{Value, json};

use super::agent::AgentArguments;
use super::folder::{self, Host};
use super::schedule::BenchmarkSchedule;
use super::{PartArguments, machine, report, suite};
use crate::arguments::{Concurrency, concurrency, cores};
use crate::runs::{Folder, OpenRun, RunFile, check_count, now, planned_json};
use crate::{CliError, Done, print_json};

/// Play a suite with one agent, and write a report; run it again to go on where it was interrupted
///
/// A finished game is never played again. The report comes with the last game.
#[derive(Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "the flags of a command")]
pub(crate) struct Run {
    /// The suite: `v2`, `v1`, `v2-text`, or a file that ends with .toml
    #[arg(value_name = "SUITE")]
    suite: String,
    #[command(flatten)]
    agent: AgentArguments,
    #[command(flatten)]
    part: PartArguments,
    /// Play only the first K blocks of each cell: the suite `v2/K`, for agents that are dear
    #[arg(long, value_name = "K", conflicts_with = "quick")]
    first: Option<u64>,
    /// Play only the first blocks of each cell that the suite names for this: minutes, for a first look
    #[arg(long)]
    quick: bool,
    /// The seeds of all games: `public`, for development; or `sealed:HEX`, from a salt of 64 digits that did not exist
    /// when the hashes of the agent were published [default: public; with --listen, a secret salt]
    #[arg(long, value_name = "SEEDS", value_parser = seeds)]
    seeds: Option<Seeds>,
    /// The source of a sealed salt, such as the round of a public beacon; the report names it
    #[arg(long, value_name = "TEXT")]
    source: Option<String>,
    /// Hold the seeds, and let the agent play from elsewhere: the address to listen on, such as 0.0.0.0:50551
    ///
    /// The agent is NAME=remote. Its key is in `agent.key` of the folder; send it to the author in private. The report
    /// tells the salt, so take a new folder for each agent.
    #[arg(long, value_name = "ADDRESS:PORT", conflicts_with = "seeds")]
    listen: Option<SocketAddr>,
    /// Play one shard of the blocks, such as `3/16`; `ahu benchmark merge` makes the report from the folders of all shards
    #[arg(long, value_name = "NUMBER/COUNT", conflicts_with_all = ["listen", "strict"])]
    shard: Option<BlockShard>,
    /// The number of games at once: a number, or `auto`, which is the number of cores, or 1 with --listen
    #[arg(short, long, value_name = "COUNT", default_value = "auto", value_parser = concurrency)]
    concurrency: Concurrency,
    /// The folder of the report
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Print the games that are left as JSON for the Python package, which plays players of its own (`callable`)
    #[arg(long, hide = true)]
    planned: bool,
    /// Exit with code 3 if the agent forfeited a game
    #[arg(long)]
    strict: bool,
    /// Print the report as JSON
    #[arg(long)]
    json: bool,
}

/// The value of `--seeds`.
#[derive(Clone, Copy, Debug)]
enum Seeds {
    Public,
    Sealed(Salt),
}

/// Parses the value of `--seeds`.
fn seeds(text: &str) -> Result<Seeds, String> {
    let expected = || format!("expected public, or sealed: and 64 hexadecimal digits in lower case, got \"{text}\"");
    match text.strip_prefix("sealed:") {
        None if text == "public" => Ok(Seeds::Public),
        None => Err(expected()),
        Some(salt) => Salt::parse(salt).map(Seeds::Sealed).ok_or_else(expected),
    }
}

impl Run {
    pub(super) fn run(self, out: &mut impl Write) -> Done {
        let whole = suite(&self.suite)?;
        let has_held_out = whole.cells.iter().any(|cell| cell.held_out);
        let (suite, cells) = self.part.of(whole)?;
        let first = self.first(&suite)?;
        let agent = self.agent.claim(&suite, has_held_out)?;
        self.check_place_of(&agent)?;
        let folder = Folder(self.out.clone());
        let seeds = self.seeds_of(&suite, &folder)?;
        let claims = Manifest {
            suite: SuiteClaim { name: suite.name.clone(), sha256: suite.sha256.clone(), first, cells },
            agent,
            // The salt of an organiser stays secret until the report.
            seeds: SeedsClaim { salt: seeds.salt.clone().filter(|_| seeds.kind != SeedsKind::Server), ..seeds.clone() },
        };
        let salt = seeds.salt.as_deref().and_then(Salt::parse).expect("the salt was read before");
        let plan = SuitePlan::new(suite, first, claims.agent.runs.len(), salt);
        check_count(self.shard, plan.all_blocks())?;
        let plan = plan.of_shard(self.shard.unwrap_or(BlockShard::WHOLE));
        let host = Host { server: machine::server(&plan.suite)?, machine: machine::machine() };
        let mut run = folder.begin(RunFile::new(claims.clone(), self.shard, host))?;
        let claims = Manifest { seeds, ..claims };
        let mut missing = Vec::new();
        for place in plan.games() {
            if run.record(&place.record(&plan.suite))?.is_none() {
                missing.push(place);
            }
        }
        if self.planned {
            writeln!(out, "{}", games_json(&plan, &claims, &run.folder, &missing)?)?;
            return Ok(());
        }
        if claims.agent.kind == AgentKind::Callable && !missing.is_empty() {
            return Err(CliError::Usage(format!(
                "expected a bot, a command, or remote, got callable: ahu.benchmark of the Python package plays its {} games",
                missing.len()
            )));
        }
        if !self.json && !missing.is_empty() {
            self.announce(&plan, &claims, missing.len(), out)?;
        }
        let begin = Instant::now();
        self.play(&plan, &claims, &mut run, &missing, out)?;
        if let Some(shard) = self.shard {
            return self.show_shard(shard, &plan, &claims, out);
        }
        let (host, time) = match folder::report(&run.folder) {
            Ok(Report { server, machine, time, .. }) if missing.is_empty() => (Host { server, machine }, time),
            _ => {
                let (started, seconds) = (run.file.started.clone(), begin.elapsed().as_secs_f64());
                (run.file.host.clone(), TimeClaim { started, ended: now(), seconds })
            }
        };
        let report = report::write(&plan, claims, &run, host, time)?;
        report::print(&report, self.json, self.strict, out)
    }

    /// Prints how many games are left.
    fn announce(&self, plan: &SuitePlan, claims: &Manifest, left: usize, out: &mut impl Write) -> Done {
        let (suite, runs, title) = (&plan.suite, plan.runs as u64, claims.suite.title());
        match self.shard {
            Some(shard) => {
                let games = counted(plan.games().count(), "game");
                writeln!(out, "{title}, shard {shard}: {left} of {games} left.\n")?;
            }
            None => writeln!(
                out,
                "{title}: {left} of {} left; an agent has about {} decisions in all. The whole of {} takes random@1 {} minutes \
                 on four quiet cores.\n",
                counted(runs * suite.games(plan.first), "game"),
                runs * suite.decisions(plan.first),
                suite.name,
                suite.minutes
            )?,
        }
        Ok(out.flush()?)
    }

    /// Prints that a shard has ended.
    fn show_shard(&self, shard: BlockShard, plan: &SuitePlan, claims: &Manifest, out: &mut impl Write) -> Done {
        let (title, games) = (claims.suite.title(), plan.games().count());
        if self.json {
            print_json("benchmark-shard", json!({"suite": title, "shard": shard.to_string(), "games": games}), out)?;
        } else {
            let games = counted(games, "game");
            writeln!(out, "{title}, shard {shard}: {games} kept in {}", self.out.display())?;
            writeln!(out, "`ahu benchmark merge` makes the report from the folders of all shards")?;
        }
        Ok(out.flush()?)
    }

    /// Returns the number of blocks to play of each cell; None for all.
    fn first(&self, suite: &Suite) -> Result<Option<u64>, CliError> {
        let most = suite.cells.iter().map(|cell| cell.blocks).max().unwrap_or(0);
        let first = if self.quick { Some(suite.quick) } else { self.first };
        match first {
            Some(first) if !(1..=most).contains(&first) => Err(CliError::Usage(format!(
                "--first: expected 1 to {most} blocks, which the largest cell of {} has, got {first}",
                suite.name
            ))),
            first => Ok(first.filter(|&first| first < most)),
        }
    }

    /// Checks that `--listen` is given for an agent elsewhere, and for no other agent.
    fn check_place_of(&self, agent: &AgentClaim) -> Result<(), CliError> {
        match (agent.kind, self.listen) {
            (AgentKind::Remote, None) => {
                Err(CliError::Usage("expected --listen ADDRESS:PORT for a remote agent, got none".to_owned()))
            }
            (AgentKind::Remote, Some(_)) | (_, None) => Ok(()),
            (_, Some(_)) => Err(CliError::Usage(format!(
                "--listen: expected the agent {}=remote, got \"{}\"",
                agent.name, agent.player
            ))),
        }
    }

    /// Returns the claim about seeds. The salt of an organiser is secret, and stays the same when the run goes on.
    fn seeds_of(&self, suite: &Suite, folder: &Folder) -> Result<SeedsClaim, CliError> {
        let (kind, salt) = match (self.listen, self.seeds) {
            (Some(_), _) => {
                let text = folder.secret("salt", || Salt::draw().to_hex())?;
                let wrong = || CliError::Failed("salt: expected 64 hexadecimal digits".to_owned());
                (SeedsKind::Server, Salt::parse(&text).ok_or_else(wrong)?)
            }
            (None, None | Some(Seeds::Public)) => (SeedsKind::Public, suite.public_salt()),
            (None, Some(Seeds::Sealed(salt))) if salt == suite.public_salt() => {
                let message = "--seeds: expected a salt of your own, got that of the public seeds";
                return Err(CliError::Usage(message.to_owned()));
            }
            (None, Some(Seeds::Sealed(salt))) => (SeedsKind::Sealed, salt),
        };
        if self.source.is_some() && kind != SeedsKind::Sealed {
            return Err(CliError::Usage("--source: expected --seeds sealed:HEX, got other seeds".to_owned()));
        }
        let source = self.source.clone();
        Ok(SeedsClaim { kind, salt: Some(salt.to_hex()), salt_sha256: salt.hash(), source })
    }

    fn play(
        &self,
        plan: &SuitePlan,
        claims: &Manifest,
        run: &mut OpenRun<Manifest>,
        missing: &[GamePlace],
        out: &mut impl Write,
    ) -> Done {
        if missing.is_empty() {
            return Ok(());
        }
        let venue = LocalVenue::without_store(self.listen.unwrap_or(FREE_PORT));
        let mut queues = Queues::new();
        if self.listen.is_some() {
            let key = run.folder.secret("agent.key", new_agent_key)?;
            let name = claims.agent.name.clone();
            let agent = RemoteAgent { number: 0, name, key_hash: agent_key_hash(&key), practice: None, account: None };
            queues = venue.open_queues(vec![agent])?;
            writeln!(
                out,
                "the agent connects to {} with the key in {}; the SHA-256 of the salt is {}",
                venue.address()?,
                self.out.join("agent.key").display(),
                claims.seeds.salt_sha256
            )?;
            out.flush()?;
        }
        let (logs, all) = (run.folder.0.join("logs"), plan.games().count());
        let mut done = all - missing.len();
        let tell = |place: GamePlace, record: Option<&Record>| {
            let name = place.record(&plan.suite);
            let Some(record) = record else { return run.start(&name) };
            done += 1;
            run.keep(&name, &record.to_bytes())
        };
        let queue = queues.get(&0).cloned();
        let games = BenchmarkSchedule::new(plan, &claims.agent, Box::new(tell), queue, all as u64, missing);
        let played = games.play(&venue, Some(&logs), self.at_once(claims));
        if matches!(played, Err(CliError::Interrupted)) {
            run.tell_kept(done, all);
        }
        // After an interruption, the agent goes on to wait for the next run.
        if played.is_ok() {
            venue.say_farewell(&queues, "the benchmark");
        }
        played
    }

    fn at_once(&self, claims: &Manifest) -> usize {
        let auto = || if claims.agent.kind == AgentKind::Remote { 1 } else { cores() };
        self.concurrency.0.unwrap_or_else(auto)
    }
}

/// Returns the games that are left as JSON, for the Python package, which plays callables itself.
fn games_json(plan: &SuitePlan, claims: &Manifest, folder: &Folder, places: &[GamePlace]) -> Result<Value, CliError> {
    let game = |&place: &GamePlace| -> Result<Value, CliError> {
        let planned = plan.game(&claims.agent, place).map_err(CliError::Usage)?;
        let cell = &plan.suite.cells[place.cell];
        let (name, style) = (&cell.name, &cell.language);
        let seat = plan.seat(place).index();
        let further = json!({"run": place.run, "cell": name, "block": place.block, "seat": seat, "style": style});
        Ok(planned_json(folder, &place.record(&plan.suite), planned, further))
    };
    let games = places.iter().map(game).collect::<Result<Vec<_>, _>>()?;
    let (suite, runs) = (&plan.suite, plan.runs as u64);
    Ok(json!({
        "suite": claims.suite.title(), "games": games,
        "decisions": runs * suite.decisions(plan.first), "tokens": runs * suite.tokens(plan.first),
    }))
}
