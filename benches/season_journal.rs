//! A long season on paper: `cargo bench --bench season_journal -- FOLDER [AGENTS] [GAMES]` writes the journal of a ladder of
//! four seats with simulated results, then reads it, and prints the size and the times. The draws are those of a real run.
//!
//! The server of `tests/web/first_table.py` shows the folder: the journal lies where a server keeps those of its organiser.

use std::collections::BinaryHeap;
use std::fmt::Display;
use std::fs::{File, create_dir_all, metadata, read_to_string, remove_file};
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use ahu_contest::cup::{Entrant, Event, Forfeit, GameKey, GameResult, Line, Player, Salt, State};
use ahu_contest::ratings::{SeasonRating, SeasonRatings};
use ahu_core::hex;
use ahu_host::Cause;
use rand::rngs::ChaCha8Rng;
use rand::{RngExt as _, SeedableRng as _};
use sha2::{Digest as _, Sha256};

/// The begin: 2027-05-01T00:00:00Z, in milliseconds since 1970.
const BEGIN: u64 = 1_809_129_600_000;
const DAY: u64 = 86_400_000;
/// The interval at which arrivals are entered, and that between two looks for a wave, in milliseconds.
const LOOK: u64 = 250;
/// The mean time between two games of an agent, in milliseconds.
const PAUSE: f64 = 2_000_000.0;
const SALT: Salt = Salt([7; 32]);
const FILE: &str = "[cup]\nname = \"A long season\"\n[clock]\nbank = \"60s\"\n[[stage]]\nname = \"ladder\"\nkind = \"ladder\"\n\
                    game = \"rapanui_cards\"\nseats = 4\n";

struct Season {
    state: State,
    out: BufWriter<File>,
    link: String,
    rng: ChaCha8Rng,
    /// The next happenings: the time, and the agent that comes, or the game that ends.
    queue: BinaryHeap<(std::cmp::Reverse<u64>, Happening)>,
    /// The strength of each agent in Elo points, an estimate of it, and the number of pairs behind that.
    agents: Vec<(f64, f64, f64)>,
    archived: u64,
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Happening {
    Comes(usize),
    Ends(usize),
}

fn main() {
    let mut arguments = std::env::args().skip(1).filter(|argument| argument != "--bench");
    let Some(folder) = arguments.next() else { return };
    let mut number = |default| arguments.next().map_or(default, |text| text.parse().expect("a number"));
    // A new version comes each day, and a ladder has at most 1,000 entrants.
    let (agents, games): (usize, usize) = (number(880), number(1_000_000));
    let organiser = PathBuf::from(folder).join("cups/operator");
    create_dir_all(&organiser).expect("a folder");
    let path = organiser.join(format!("{}.jsonl", &SALT.hash()[..16]));
    if !path.exists() {
        timed("the journal is written in", || Season::new(&path).play(agents, games));
    }
    read(&path);
}

#[expect(clippy::print_stdout, reason = "a bench prints")]
fn print(what: &str, figure: impl Display) {
    println!("{what:<44} {figure}");
}

/// Returns the time that this thread has had a core, in seconds.
fn on_core() -> f64 {
    let text = read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    text.split(' ').next().and_then(|first| first.parse().ok()).map_or(f64::NAN, |time: f64| time / 1e9)
}

fn timed<T>(what: &str, work: impl FnOnce() -> T) -> T {
    let (start, before) = (Instant::now(), on_core());
    let done = work();
    print(what, format!("{:.2} s, on a core {:.2} s", start.elapsed().as_secs_f64(), on_core() - before));
    done
}

fn read(path: &Path) {
    let size = |path: &Path| format!("{:.1} MB", metadata(path).expect("a file").len() as f64 / 1e6);
    let checkpoint = path.with_extension("checkpoint");
    drop(remove_file(&checkpoint));
    let (state, end) = timed("it opens without a checkpoint in", || State::read(path).expect("a journal"));
    let ladder = state.ladder().expect("a ladder");
    print("games, agents, days", format!("{}, {}, {}", ladder.games.len(), ladder.agents.len(), ladder.day(state.now)));
    print("size of the journal", size(path));
    print("lines", end.lines);
    drop(timed("a copy of the state takes", || state.clone()));
    timed("a checkpoint is written in", || state.write_checkpoint(path, 0, &end).expect("it is written"));
    if checkpoint.exists() {
        print("size of the checkpoint", size(&checkpoint));
        timed("the journal opens with it in", || State::read(path).expect("a journal"));
    }
    let fit = |before: &SeasonRatings| ladder.fit(&state, ladder.games.len(), before);
    let ratings = timed("a first fit takes", || fit(&SeasonRatings::default()));
    timed("a fit from the last one takes", || fit(&ratings));
    drop(remove_file(checkpoint));
}

impl Season {
    fn new(path: &Path) -> Self {
        let begin = State::begin(FILE, &SALT);
        let mut season = Self {
            state: State::after([&begin]).expect("a file"),
            out: BufWriter::new(File::create(path).expect("a file")),
            link: String::new(),
            rng: ChaCha8Rng::seed_from_u64(1),
            queue: BinaryHeap::new(),
            agents: Vec::new(),
            archived: 0,
        };
        season.state.pass(BEGIN);
        season.write(&Line::at(BEGIN, begin));
        season.settle();
        season
    }

    fn write(&mut self, line: &Line) {
        let body = serde_json::to_string(line).expect("plain values");
        self.link = hex(&Sha256::new().chain_update(&self.link).chain_update(&body).finalize());
        writeln!(self.out, "{},\"link\":\"{}\"}}", &body[..body.len() - 1], self.link).expect("it is written");
    }

    fn append(&mut self, event: Event) {
        let line = Line::at(self.state.now, event);
        self.state.apply_line(&line).expect("it follows");
        self.write(&line);
    }

    fn random(&mut self) -> f64 {
        f64::from(self.rng.random::<u32>()) / f64::from(u32::MAX) + 1e-12
    }

    fn later(&mut self, delay: Duration, happening: Happening) {
        let at = (self.state.now + delay.as_millis() as u64).next_multiple_of(LOOK);
        self.queue.push((std::cmp::Reverse(at), happening));
    }

    fn rest(&mut self, agent: usize) {
        let delay = Duration::from_secs_f64(-self.random().ln() * PAUSE / 1e3);
        self.later(delay, Happening::Comes(agent));
    }

    /// Enters an agent of this account.
    fn enter(&mut self, account: usize) {
        let (owner, call) = (format!("team{account:04}"), self.state.called + 1);
        let name = self.state.next_version(&owner, &format!("moai{account:04}")).expect("a name");
        let player = Player::Remote { key: None, games_at_once: 1, account: Some(format!("{account:016x}")) };
        let agent = Entrant { name, owner: Some(owner.clone()), is_anchor: false, player };
        let change = Some(Box::new(Event::Add { agent }));
        self.append(Event::Called { call, account: owner, change, refusal: None });
        let strength = (0..12).map(|_| self.random()).sum::<f64>() - 6.0;
        self.agents.push((250.0 * strength, 0.0, 0.0));
        self.rest(self.agents.len() - 1);
    }

    fn play(&mut self, agents: usize, games: usize) {
        (0..agents).for_each(|account| self.enter(account));
        while self.ladder().games.len() < games {
            let next = self.queue.peek().map_or(u64::MAX, |(at, _)| at.0);
            let now = if self.is_crowd() { next.min(self.state.now + LOOK) } else { next };
            let is_new_hour = now / 3_600_000 > self.state.now / 3_600_000;
            self.state.pass(now);
            let mut came = Vec::new();
            while self.queue.peek().is_some_and(|(at, _)| at.0 <= now) {
                match self.queue.pop().expect("there is one").1 {
                    Happening::Comes(agent) if self.state.is_in(agent) => came.push(self.state.name(agent).to_owned()),
                    // The owner of an agent that rests wakes it the next day.
                    Happening::Comes(agent) if self.state.has_left(agent) => {}
                    Happening::Comes(agent) => {
                        self.append(Event::Readmit { agent: self.state.name(agent).to_owned() });
                        self.rest(agent);
                    }
                    Happening::Ends(game) => self.end(game),
                }
            }
            if !came.is_empty() {
                self.append(Event::Waiting { came, gone: Vec::new() });
            }
            if is_new_hour || self.is_crowd() {
                self.settle();
            }
        }
        self.out.flush().expect("it is written");
    }

    /// Returns true if enough agents wait for a table.
    fn is_crowd(&self) -> bool {
        self.ladder().agents.iter().filter(|own| own.waiting.is_some()).nth(3).is_some()
    }

    fn ladder(&self) -> &ahu_contest::cup::Ladder {
        self.state.ladder().expect("it has begun")
    }

    /// Appends what is due.
    fn settle(&mut self) {
        if self.state.ladder().is_some_and(|ladder| self.state.now >= ladder.rated.0 + 600_000) {
            self.rate();
        }
        while let Some(event) = self.state.next_event(&SALT).expect("tables can be drawn") {
            let first = self.state.ladder().map_or(0, |ladder| ladder.drawn);
            self.append(event);
            for table in first..self.ladder().drawn {
                let key = GameKey { stage: 0, table, game: 0 };
                self.append(Event::Start { key, match_id: format!("{table:016x}") });
                let delay = Duration::from_secs_f64(20.0 + 80.0 * self.random());
                self.later(delay, Happening::Ends(table));
            }
        }
        while self.ladder().day(self.state.now) > self.archived + 1 {
            self.append(Event::Archive { day: self.archived, digest: SALT.hash() });
            self.archived += 1;
            // A new version, now and then.
            self.enter(self.archived as usize % 97);
        }
    }

    /// Enters ratings that move as those of fits do.
    fn rate(&mut self) {
        let rating = |&(_, elo, pairs): &(f64, f64, f64)| {
            let margin = (1_020.0_f64).min(900.0 / pairs.sqrt());
            (pairs > 0.0).then_some(SeasonRating { elo, margin, ranks: 1..=1, is_ranked: true, form: None })
        };
        let mut ratings = SeasonRatings::default();
        ratings.agents = self.agents.iter().map(rating).collect();
        let ladder = self.ladder();
        let event = ladder.entry(&self.state, ladder.games.len(), &ratings);
        self.append(event);
    }

    /// Ends a game with a result by the strengths. Every fiftieth agent forfeits half of its games.
    fn end(&mut self, game: usize) {
        let agents = self.ladder().open[&game].agents.clone();
        let luck: Vec<_> = agents
            .iter()
            .enumerate()
            .map(|(seat, &agent)| self.agents[agent].0 - 10.0 * seat as f64 - 173.7 * (-self.random().ln()).ln())
            .collect();
        let forfeit =
            |agent: usize, luck: f64| agent % 50 == 7 && luck.fract().abs() < 0.5 || luck.fract().abs() < 0.01;
        let forfeits: Vec<_> = agents
            .iter()
            .zip(&luck)
            .map(|(&agent, &luck)| forfeit(agent, luck).then_some(Forfeit::Game(Cause::Timeout)))
            .collect();
        let ranks: Vec<u8> =
            luck.iter().map(|own| 1 + luck.iter().filter(|&other| other > own).count() as u8).collect();
        let result = GameResult {
            match_id: Some(format!("{game:016x}")),
            agents: agents.iter().map(|&agent| self.state.name(agent).to_owned()).collect(),
            scores: ranks.iter().map(|&rank| 40 - 5 * i32::from(rank)).collect(),
            ranks,
            forfeits,
            digest: Some(hex(&Sha256::digest(game.to_le_bytes()))),
            decisions: 120,
        };
        for (seat, &one) in agents.iter().enumerate() {
            for (opposite, &other) in agents.iter().enumerate().take(seat) {
                let won = f64::from(result.half_pairs(seat, opposite)) / 2.0;
                let expected = 1.0 / (1.0 + 10_f64.powf((self.agents[other].1 - self.agents[one].1) / 400.0));
                for (agent, surplus) in [(one, won - expected), (other, expected - won)] {
                    let (_, elo, pairs) = &mut self.agents[agent];
                    (*elo, *pairs) = (*elo + 695.0 / (*pairs + 4.0) * surplus, *pairs + 1.0);
                }
            }
        }
        self.append(Event::Result { key: GameKey { stage: 0, table: game, game: 0 }, result });
        for agent in agents {
            match self.state.is_in(agent) {
                true => self.rest(agent),
                false => self.later(Duration::from_millis(DAY), Happening::Comes(agent)),
            }
        }
    }
}
