//! Agents with keys, in several languages: they play on over servers that are killed, until no more seats come.

use std::net::SocketAddr;
use std::process::{Child, Command};
use std::sync::Arc;
use std::sync::mpsc;
use std::time::Duration;

use ahu_core::Seed;
use ahu_host::{Referee, find, verify};
use ahu_service::proto::v1::MatchState;
use ahu_service::{
    AssignedSeat, Clock, Limits, LiveMatch, MatchConfig, Matches, PracticeOffer, SeatQueue, agent_key_hash,
    new_agent_key,
};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;

use crate::programs::{go_agent, python, repository, rust_agent, typescript_agent};
use crate::store::TestStore;

/// An agent of the package `ahu` that plays two matches at the same time.
const COMPETE: &str = "
import ahu, logging, random
logging.basicConfig(level=logging.INFO)
class Agent:
    formats = ahu.ObservationFormats(legal_ids=True)
    def seed(self, number):
        self.random = random.Random(number)
    def act(self, turn):
        return self.random.choice(turn.legal_ids)
print('matches:', ahu.connect(Agent(), games_at_once=2).matches)
";

/// An agent of the package `ahu` for asyncio that does the same.
const COMPETE_ASYNCIO: &str = "
import ahu.aio, asyncio, random
class Agent:
    formats = ahu.ObservationFormats(legal_ids=True)
    def seed(self, number):
        self.random = random.Random(number)
    async def act(self, turn):
        await asyncio.sleep(0)
        return self.random.choice(turn.legal_ids)
print('matches:', asyncio.run(ahu.aio.connect(Agent(), games_at_once=2)).matches)
";

/// The interval of the checks whether the agents run.
const LOOK: Duration = Duration::from_millis(50);

/// The part of a server process that agents can observe: its matches, and the queues of the agents.
struct Host {
    runtime: Runtime,
    matches: Matches,
    queues: Vec<SeatQueue>,
    address: SocketAddr,
}

impl Host {
    /// Loads the matches of the store, and begins to serve the agents with these keys at this address.
    fn start(store: &TestStore, keys: &[String], address: &str) -> Self {
        let runtime = Runtime::new().expect("the system has threads");
        let matches = Matches::with_clock(Limits::default(), Some(store.open()), Clock::system());
        let (done, is_done) = mpsc::channel();
        matches.recover(move |recovered| done.send(recovered).expect("the test waits")).expect("the store is sound");
        assert_eq!(is_done.recv().expect("the recovery ends").damaged, 0);
        // The queues are there before the first call arrives.
        let queues = keys.iter().map(|key| matches.seat_queue_with_key(agent_key_hash(key))).collect();
        let listener = runtime.block_on(TcpListener::bind(address)).expect("nobody else has the address");
        let address = listener.local_addr().expect("the listener is bound");
        let serving = ahu_service::run(listener, matches.clone(), std::future::pending());
        runtime.spawn(async { serving.await.expect("the server works") });
        Self { runtime, matches, queues, address }
    }

    /// Gives the seats of a match to the agents, unless the match has ended. Agents that have not joined join.
    fn assign(&self, live: &Arc<LiveMatch>) {
        for (queue, seat) in self.queues.iter().zip(live.seats().iter()) {
            let join = || live.join(Some(seat.index() as u32), "agent").expect("the seat is open").1;
            let token = live.token_of(seat).unwrap_or_else(join);
            queue.add(AssignedSeat { live: Arc::clone(live), seat, token, agent_seed: Some(7) });
        }
    }

    /// Waits until the matches together have this number of entries, or have ended, while the agents run.
    fn wait_for(&self, lives: &[Arc<LiveMatch>], entries: usize, agents: &mut Agents) {
        let count = |live: &Arc<LiveMatch>| live.with_referee(|referee| referee.entries().len()).unwrap_or(0);
        let is_enough = |live: &LiveMatch| live.has_ended() || lives.iter().map(count).sum::<usize>() >= entries;
        while let Some(live) = lives.iter().find(|live| !is_enough(live)) {
            let mut changes = live.changes();
            // Another match may change first.
            let _ = self.runtime.block_on(async { tokio::time::timeout(LOOK, changes.changed()).await });
            for agent in &mut agents.0 {
                assert_eq!(agent.try_wait().expect("it was started"), None, "an agent has exited");
            }
        }
    }

    /// Ends the server at once, with all calls and connections.
    fn kill(self) {
        self.runtime.shutdown_background();
    }
}

/// The agents, which are stopped if the test fails.
struct Agents(Vec<Child>);

impl Drop for Agents {
    fn drop(&mut self) {
        for agent in &mut self.0 {
            // It may have exited.
            let _ = agent.kill();
            let _ = agent.wait();
        }
    }
}

/// Starts an agent with a key.
fn start(program: &mut Command, address: SocketAddr, key: &str) -> Child {
    program.env("AHU_ADDRESS", address.to_string()).env("AHU_KEY", key).spawn().expect("it is installed")
}

/// An agent of the package `ahu` that practises.
const PRACTISE: &str = "
import ahu, random
report = ahu.connect(lambda turn: random.choice(turn.legal), practice=True).practice
assert report.passed and report.decision_count > 10 and report.withheld_count == report.resent_count > 0, report
";

#[test]
fn an_agent_practises_before_it_competes() {
    let (store, keys) = (TestStore::default(), [new_agent_key()]);
    let host = Host::start(&store, &keys, "127.0.0.1:0");
    let rules = find("rapanui_cards").expect("a game");
    let bots = vec![Some(rules.bot("greedy").expect("every game has it")), None];
    let config = MatchConfig { bots, ..MatchConfig::new(rules.configure(2, &[]).expect("the defaults")) };
    host.queues[0].offer_practice(Some(PracticeOffer { config, name: "moai".to_owned() }));
    let package = repository().join("agents/python");
    let mut agent = start(
        Command::new(python("agents")).args(["-c", PRACTISE]).env("PYTHONPATH", &package),
        host.address,
        &keys[0],
    );
    assert!(agent.wait().expect("it was started").success());
    let [(_, state)] = store.states().try_into().expect("one match");
    assert_eq!(state, MatchState::Finished);
    host.kill();
}

#[test]
fn a_program_of_the_line_protocol_practises_and_competes() {
    let (store, keys) = (TestStore::default(), [new_agent_key()]);
    let host = Host::start(&store, &keys, "127.0.0.1:0");
    let config = |seed| {
        let rules = find("rappanui").expect("a game");
        let bots = vec![None, Some(rules.bot("greedy").expect("every game has it"))];
        let setup = rules.configure(2, &[]).expect("the defaults");
        MatchConfig { bots, seed: Some(Seed(seed)), ..MatchConfig::new(setup) }
    };
    let package = repository().join("agents/python");
    let interpreter = python("agents");
    let run = |more: &[&str]| {
        let program = format!("'{interpreter}' '{}'", repository().join("agents/lines/random_bot.py").display());
        let mut command = Command::new(&interpreter);
        command.args(["-m", "ahu.lines", &program]).args(more).env("PYTHONPATH", &package);
        start(&mut command, host.address, &keys[0]).wait().expect("it was started").success()
    };

    host.queues[0].offer_practice(Some(PracticeOffer { config: config(1), name: "moai".to_owned() }));
    assert!(run(&["--practice"]), "the practice match has no fault");

    let lives = [2, 3].map(|seed| host.matches.host(config(seed)).expect("there is room"));
    for live in &lives {
        host.assign(live);
    }
    host.queues[0].close();
    assert!(run(&["--games-at-once", "2"]));
    for live in lives {
        assert!(live.has_ended());
        let forfeited = live.with_referee(|referee| referee.forfeited().is_empty()).expect("it has begun");
        assert!(forfeited, "{}", live.id);
    }
    host.kill();
}

#[test]
fn agents_in_every_language_compete_over_servers_that_are_killed() {
    let package = repository().join("agents/python");
    let interpreter = python("agents");
    let python = |code: &str| {
        let mut command = Command::new(&interpreter);
        command.args(["-c", code]).env("PYTHONPATH", &package);
        command
    };
    let mut random = Command::new(&interpreter);
    random.arg(package.join("random_agent.py"));
    let mut programs = vec![python(COMPETE), python(COMPETE_ASYNCIO), random, Command::new(rust_agent())];
    programs.extend([typescript_agent(), go_agent()].into_iter().flatten().map(|command| {
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("exec {command}")]);
        shell
    }));

    let keys: Vec<_> = programs.iter().map(|_| new_agent_key()).collect();
    let store = TestStore::default();
    let host = Host::start(&store, &keys, "127.0.0.1:0");
    let setup = find("rappanui").expect("a game").configure(programs.len(), &[]).expect("the defaults");
    let mut lives: Vec<_> = (0..4)
        .map(|seed| {
            let config = MatchConfig { seed: Some(Seed(seed)), is_unlisted: true, ..MatchConfig::new(setup.clone()) };
            let live = host.matches.host(config).expect("there is room");
            host.assign(&live);
            live
        })
        .collect();
    let ids: Vec<_> = lives.iter().map(|live| live.id.to_string()).collect();
    let address = host.address;
    let mut agents = Agents(Vec::new());
    for (program, key) in programs.iter_mut().zip(&keys) {
        agents.0.push(start(program, address, key));
    }

    let mut host = host;
    for kill in 1..=3 {
        host.wait_for(&lives, 60 * kill, &mut agents);
        lives.clear();
        host.kill();
        host = Host::start(&store, &keys, &address.to_string());
        lives = ids.iter().map(|id| host.matches.find_blocking(id).expect("the store has it")).collect();
        for live in &lives {
            host.assign(live);
        }
    }
    assert!(lives.iter().any(|live| !live.has_ended()), "the last kill comes before the end");
    host.wait_for(&lives, usize::MAX, &mut agents);
    for queue in &host.queues {
        queue.close();
    }

    for agent in &mut agents.0 {
        let status = agent.wait().expect("it was started");
        assert!(status.success(), "{status}");
    }
    for live in lives {
        let record = live.with_referee(Referee::record).expect("it has begun");
        assert_eq!(verify(&record), Ok(()));
        assert!(live.with_referee(|referee| referee.forfeited().is_empty()).expect("it has begun"), "{}", live.id);
    }
}
