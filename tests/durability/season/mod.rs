//! A season of real games: a server with players, `ahu cup run` beside it, agents over gRPC that come and go, and kills.
//!
//! The players of the test live in the process of the server, which is this program again ([`players::serve`]): `greedy@2` that
//! takes a random legal action with a probability of its own. They ask for seats over gRPC, as all agents do, and answer in
//! memory. `AHU_SEASON` sets the number of games; a whole season has 30,000 for each of its two tables.

#![expect(clippy::print_stdout, reason = "the figures of a whole season are for people")]

mod figures;
mod players;
mod remote;
mod truth;

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rand::rngs::ChaCha8Rng;
use rand::{RngExt as _, SeedableRng as _};

use self::figures::Figures;
use self::players::{Player, Style};

/// The size of a season.
#[derive(Clone, Copy)]
struct Size {
    games: usize,
    players: usize,
    remote: usize,
    kills: usize,
}

impl Size {
    fn of_setting() -> Self {
        match super::setting("AHU_SEASON", 0) {
            0 => Self { games: 40, players: 10, remote: 2, kills: 2 },
            games => Self { games: games as usize, players: 175, remote: 20, kills: 10 },
        }
    }
}

/// A season: its folder, the server, and the run.
struct Season {
    folder: PathBuf,
    port: u16,
    server: Option<Child>,
    run: Option<Child>,
}

/// Runs a command, which succeeds. Returns its output.
fn does(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_ahu")).args(arguments).output().expect("it starts");
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

impl Season {
    fn new(folder: &Path, game: &str, seats: usize, accounts: &[String]) -> Self {
        let port = TcpListener::bind(("127.0.0.1", 0)).and_then(|free| free.local_addr()).expect("a free port").port();
        let file = format!(
            "kind = \"ladder\"\ngame = \"{game}\"\nseats = {seats}\n[ladder]\nratings_every = \"20s\"\naccount_games_a_day = 100000\n\
             [clock]\nstartup = \"5s\"\nbank = \"10s\"\nincrement = \"50ms\"\n[cup]\nname = \"Season\"\n\
             [[agent]]\nname = \"anchor\"\nbot = \"greedy@2\"\n"
        );
        fs::write(folder.join("season.toml"), file).expect("a folder");
        fs::write(
            folder.join("accounts.csv"),
            format!("name,kind\nhouse,organiser\n{},bot\n", accounts.join(",bot\n")),
        )
        .expect("a folder");
        let season = Self { folder: folder.to_owned(), port, server: None, run: None };
        let [keys, data] = ["keys", "data"].map(|name| folder.join(name).display().to_string());
        does(&[
            "accounts",
            "import",
            &folder.join("accounts.csv").display().to_string(),
            "--out",
            &keys,
            "--data",
            &data,
        ]);
        season
    }

    fn file(&self) -> String {
        self.folder.join("season.toml").display().to_string()
    }

    fn key(&self, account: &str) -> String {
        fs::read_to_string(self.folder.join("keys").join(format!("{account}.key"))).expect("a key").trim().to_owned()
    }

    fn address(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    fn log(&self, name: &str) -> Stdio {
        let file = File::options().append(true).create(true).open(self.folder.join(name)).expect("a file");
        Stdio::from(file)
    }

    /// Starts the server with its players, unless it runs.
    fn start_server(&mut self) {
        let program = std::env::current_exe().expect("a program");
        let mut command = Command::new(program);
        command
            .args(["--exact", "season::players::serve", "--ignored", "--nocapture"])
            .env("AHU_SEASON_FOLDER", &self.folder);
        command
            .env("AHU_SEASON_PORT", self.port.to_string())
            .stdout(self.log("server.log"))
            .stderr(self.log("server.log"));
        self.server = Some(command.spawn().expect("it starts"));
    }

    fn start_run(&mut self) {
        // The first call of a run has to reach the server.
        while TcpStream::connect(("127.0.0.1", self.port)).is_err() {
            std::thread::sleep(Duration::from_millis(50));
        }
        let mut command = Command::new(env!("CARGO_BIN_EXE_ahu"));
        let key = self.folder.join("keys/house.key").display().to_string();
        command.args(["cup", "run", &self.file(), "--server", &self.address(), "--organiser-key", &key]);
        self.run = Some(command.stdout(self.log("run.log")).stderr(self.log("run.log")).spawn().expect("it starts"));
    }

    /// Kills the server or the run, and starts it again.
    fn kill(&mut self, is_server: bool) {
        let child = if is_server { &mut self.server } else { &mut self.run };
        if let Some(mut child) = child.take() {
            child.kill().and_then(|()| child.wait()).expect("it is ours");
        }
        if is_server { self.start_server() } else { self.start_run() }
    }

    /// Returns the number of results in the journal.
    fn results(&self) -> usize {
        let journal = fs::read_to_string(self.folder.join("season.data/journal.jsonl")).unwrap_or_default();
        journal.matches("\"event\":\"result\"").count()
    }

    /// Stops the run, which lets the games in progress end, and then the server. Returns the processor time of both.
    fn stop(&mut self) -> [Duration; 2] {
        let times = [&self.run, &self.server]
            .map(|child| child.as_ref().map_or(Duration::ZERO, |child| processor_time(child.id())));
        if let Some(mut run) = self.run.take() {
            let interrupted = Command::new("kill").args(["-INT", &run.id().to_string()]).status();
            assert!(interrupted.is_ok_and(|status| status.success()), "it runs");
            run.wait().expect("it is ours");
        }
        drop(self.server.take().map(|mut server| server.kill().and_then(|()| server.wait())));
        times
    }
}

impl Drop for Season {
    fn drop(&mut self) {
        for child in [&mut self.run, &mut self.server].into_iter().flatten() {
            let _ = child.kill().and_then(|()| child.wait());
        }
    }
}

/// Returns the processor time of a process so far.
fn processor_time(process: u32) -> Duration {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    let fields: Vec<u64> = stat
        .rsplit(')')
        .next()
        .unwrap_or("")
        .split_whitespace()
        .skip(11)
        .take(2)
        .filter_map(|n| n.parse().ok())
        .collect();
    Duration::from_millis(fields.iter().sum::<u64>() * 10)
}

/// Returns the players of a season in the process of the server, with a pair that loses on purpose to each other.
fn players(size: Size, seed: u64) -> Vec<Player> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let player = |number: usize| {
        let style = match number {
            0 => Style::Gains("p1".to_owned()),
            1 => Style::Loses("p0".to_owned()),
            _ => Style::Plain,
        };
        Player { account: format!("p{number}"), random: rng.random_range(0.0..0.9), style, seed: rng.random() }
    };
    (0..size.players).map(player).collect()
}

fn play(game: &str, seats: usize) -> Figures {
    let (size, folder) = (Size::of_setting(), tempfile::tempdir().expect("a folder"));
    let mut rng = ChaCha8Rng::seed_from_u64(super::seed());
    let players = players(size, super::seed());
    let elsewhere = remote::names(size.remote);
    let accounts: Vec<_> = players.iter().map(|player| player.account.clone()).chain(elsewhere.clone()).collect();
    let mut season = Season::new(folder.path(), game, seats, &accounts);
    fs::write(folder.path().join("players.json"), serde_json::to_string(&players).expect("JSON")).expect("a folder");
    season.start_server();
    season.start_run();
    let (runtime, began) = (tokio::runtime::Runtime::new().expect("threads"), Instant::now());
    for account in &accounts {
        let (address, key, name) = (season.address(), season.key(account), account.clone());
        runtime.spawn(async move { remote::enter(&address, &key, &name).await });
    }
    for name in elsewhere {
        runtime.spawn(remote::play(season.address(), season.key(&name), name, super::seed()));
    }
    // The kills come at random moments, but each in its own part of the season.
    let part = size.games / (size.kills + 1);
    let moments: Vec<_> = (1..=size.kills).map(|kill| kill * part - rng.random_range(0..part)).collect();
    let mut kills = moments.into_iter().enumerate().peekable();
    let mut times = [Duration::ZERO; 2];
    loop {
        std::thread::sleep(Duration::from_millis(200));
        let results = season.results();
        if let Some((kill, _)) = kills.next_if(|(_, moment)| results >= *moment) {
            let killed = if kill % 2 == 0 { &season.run } else { &season.server };
            times[kill % 2] += killed.as_ref().map_or(Duration::ZERO, |child| processor_time(child.id()));
            season.kill(kill % 2 == 1);
        }
        if results >= size.games {
            break;
        }
        for child in [&mut season.run, &mut season.server].into_iter().flatten() {
            let log = || fs::read_to_string(folder.path().join("run.log")).unwrap_or_default();
            assert!(child.try_wait().expect("it is ours").is_none(), "a process has ended: {}", log());
        }
    }
    let took = began.elapsed();
    let last = season.stop();
    runtime.shutdown_background();
    let out = folder.path().join("export").display().to_string();
    does(&["cup", "export", &season.file(), "--out", &out]);
    let verified = does(&["cup", "verify", &out]);
    assert!(verified.ends_with("valid\n"), "{verified}");
    let table = does(&["cup", "table", &season.file(), "--json"]);
    let table = serde_json::from_str(&table).expect("JSON");
    let figures = Figures::of(&folder.path().join("season.data/journal.jsonl"), table, &accounts);
    figures.print(took, [times[0] + last[0], times[1] + last[1]]);
    if super::setting("AHU_SEASON", 0) > 0 {
        let truth = truth::ratings(game, seats, &players, 1_000);
        for games in [10, 40, 100] {
            println!(
                "correlation of ranks at {games} games an agent: {:.3}",
                truth::correlation(&truth, &figures.ratings_at(games))
            );
        }
        println!("correlation of ranks at the end: {:.3}", truth::correlation(&truth, &figures.ratings()));
    }
    figures
}

/// Checks what holds for a season of any size: nothing is lost or counted twice, and the broken agents rest.
fn check(figures: &Figures) {
    let size = Size::of_setting();
    assert!(figures.results >= size.games);
    assert_eq!(figures.drawn, figures.results + figures.open, "each game that was drawn is entered once, or goes on");
    assert_eq!(figures.matches.len(), figures.results, "each result has a match of its own");
    // A kill costs nobody a game that is in this process, or waits for one.
    let own = |(name, _): &(&String, &usize)| name.starts_with('p');
    let forfeits: usize = figures.forfeits.iter().filter(own).map(|(_, forfeits)| forfeits).sum();
    assert!(forfeits <= 2 + figures.results / 1_000, "{:?}", figures.forfeits);
    let uploader = figures.seats_of("uploader");
    let most =
        figures.seats.iter().filter(|(name, _)| name.starts_with('p')).map(|(_, seats)| *seats).max().unwrap_or(0);
    assert!(uploader <= most, "the uploader has {uploader} seats, another account at most {most}");
}

#[test]
fn a_season_of_two_seats_survives_kills() {
    check(&play("rapanui_cards", 2));
}

#[test]
fn a_season_of_four_seats_survives_kills() {
    if super::setting("AHU_SEASON", 0) == 0 {
        return;
    }
    let figures = play("rappanui", 4);
    check(&figures);
    let strengths: BTreeMap<_, _> = figures.ratings();
    assert!(!strengths.is_empty());
}
