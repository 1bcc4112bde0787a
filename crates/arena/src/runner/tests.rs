use std::panic::{self, AssertUnwindSafe};

use ahu_contest::blocks::{Design, Lineup};
use ahu_core::{BySeat, Seed};
use ahu_host::{BotName, Cause, SeatPlayer, Terms, find};

use super::*;
use crate::programs::FREE_PORT;
use crate::{LocalVenue, Logs, MAX_ATTEMPTS};

/// Nobody listens.
struct Silence;

impl News for Silence {
    fn tell(&mut self, _: &str) {}

    fn progress(&mut self, _: &dyn Fn() -> String) {}
}

/// Games of bots in groups of two. An error of `outcome` makes a game void.
struct Games<F> {
    left: Vec<u32>,
    entered: Vec<u32>,
    published: Vec<u32>,
    is_shared: bool,
    outcome: F,
}

impl<F: FnMut(u32, &Played) -> Result<(), String> + Send> Schedule for Games<F> {
    type GameKey = u32;
    type GroupKey = u32;

    fn next(&mut self) -> Result<Next<u32>, Error> {
        Ok(self.left.pop().map_or(Next::Done, Next::Play))
    }

    fn planned(&self, key: u32) -> Result<PlannedGame, Error> {
        let setup = find("rapanui_cards").expect("a game").configure(2, &[]).expect("two seats");
        let bot: BotName = setup.rules().bot("random").expect("a bot");
        let lineup = Lineup::filled(2, setup.seats()).expect("they fit");
        Ok(PlannedGame {
            name: key.to_string(),
            seating: lineup.seatings(Design::Neighbour)[0],
            players: vec![SeatPlayer::bot(bot); 2],
            terms: Terms::default(),
            seed: Seed(key.into()),
            is_shared: self.is_shared,
            index: 0,
            beginning: Vec::new(),
            is_passing: false,
            agent_seeds: BySeat::new(setup.seats(), 0),
            setup,
        })
    }

    fn group(&self, key: u32) -> u32 {
        key / 2
    }

    fn enter(&mut self, key: u32, _: &PlannedGame, played: &Played) -> Result<Effect, Error> {
        if let Err(reason) = (self.outcome)(key, played) {
            self.left.push(key);
            return Ok(Effect::Again(format!("game {key}"), reason));
        }
        self.entered.push(key);
        let is_whole = self.entered.contains(&(key ^ 1));
        Ok(if is_whole { Effect::Whole } else { Effect::Open })
    }

    fn publish(&mut self, key: u32, _: &Played) {
        self.published.push(key);
    }

    fn progress(&self) -> String {
        String::new()
    }
}

fn agents() -> Vec<Agent> {
    let rules = find("rapanui_cards").expect("a game");
    ["a", "b"].map(|name| Agent::read(rules, name, "random").expect("a bot")).into()
}

/// Plays games `0..count` in this many threads, and returns the schedule.
fn play<F: FnMut(u32, &Played) -> Result<(), String> + Send>(
    count: u32,
    threads: usize,
    outcome: F,
) -> Result<Games<F>, Error> {
    let (left, entered, published) = ((0..count).rev().collect(), Vec::new(), Vec::new());
    let venue = LocalVenue::without_store(FREE_PORT);
    let runner = Runner::new(Games { left, entered, published, is_shared: false, outcome }, &venue, AtStop::Cancel)?;
    let (agents, logs) = (agents(), Logs::open(None, &[])?);
    let around = Surroundings { agents: &agents, logs: &logs, patience: WAIT, trusts: false, must_begin: false };
    runner.play(around, threads, &mut Silence)?;
    runner.finish(&mut Silence).map(|(games, _)| games)
}

#[test]
fn games_are_published_once_their_group_is_whole() {
    let games = play(5, 1, |_, _| Ok(())).expect("all are played");
    assert_eq!((games.entered, games.published), (vec![0, 1, 2, 3, 4], vec![0, 1, 2, 3]));
}

#[test]
fn a_void_game_is_played_again_and_one_that_is_void_each_time_ends_the_run() {
    let mut tries = 0;
    let void_once = |key, _: &Played| {
        tries += u32::from(key == 1);
        if key == 1 && tries < MAX_ATTEMPTS { Err("the rules failed".to_owned()) } else { Ok(()) }
    };
    assert_eq!(play(2, 1, void_once).expect("it ends").entered, [0, 1]);
    let Err(Error::Failed(error)) = play(2, 1, |_, _| Err("the rules failed".to_owned())) else {
        panic!("expected an error")
    };
    assert_eq!(error, "game 0 was void 5 times: the rules failed");
}

#[test]
fn a_panic_ends_the_run_of_all_threads() {
    const GAMES: u32 = 100_000;
    let mut entered = 0;
    let panics = |key, _: &Played| {
        entered += 1;
        if key == 1 { panic!("a test") } else { Ok(()) }
    };
    assert!(panic::catch_unwind(AssertUnwindSafe(|| play(GAMES, 2, panics).map(drop))).is_err());
    assert!(entered < GAMES / 2, "the other thread goes on: {entered} games");
}

#[test]
fn the_first_forfeits_of_a_player_are_told_and_those_of_shared_chance_once_their_group_is_whole() {
    for is_shared in [false, true] {
        let venue = LocalVenue::without_store(FREE_PORT);
        let (left, entered, published) = (Vec::new(), Vec::new(), Vec::new());
        let schedule = Games { left, entered, published, is_shared, outcome: |_, _: &Played| Ok(()) };
        let runner = Runner::new(schedule, &venue, AtStop::Cancel).expect("a run");
        let (agents, logs) = (agents(), Logs::open(None, &[]).expect("no files"));
        let around = Surroundings { agents: &agents, logs: &logs, patience: WAIT, trusts: false, must_begin: false };
        let (never, begun) = (AtomicBool::new(false), [AtomicBool::new(false), AtomicBool::new(false)]);
        let mut news = Vec::new();
        for key in 0..5 {
            let game = runner.with(|games| games.planned(key)).expect("a game");
            let mut played =
                venue.slot(around, &never, &begun).play(&game, None, &mut |_| Ok(())).expect("it is played");
            let record = played.record.as_mut().expect("it has one");
            let mut result = record.result.expect("bots play to the end");
            result.forfeits = result.forfeits.map(|_| Some(Cause::Timeout));
            record.result = Some(result);
            let shared = &mut *lock(&runner.shared);
            runner.enter(shared, key, &game, played, around).expect("it is entered");
            news.push(shared.news.len());
        }
        let told = lock(&runner.shared).news.clone();
        assert_eq!(news, if is_shared { [0, 4, 4, 6, 6] } else { [2, 4, 6, 6, 6] });
        assert_eq!(told[0], "a forfeits game 0 in seat 0: its time ran out");
        assert!(told[4].ends_with("\n  (more forfeits of a are counted in the table)"), "{told:?}");
    }
}
