//! A model of a season: the draw, the fold, and the fit of a ladder over simulated results in simulated time. Agents have true
//! strengths, come, go, and play games that follow the model of Plackett and Luce.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

use ahu_contest::cup::{Entrant, Event, Forfeit, GameKey, GameResult, Ladder, Line, Player, Salt, State};
use ahu_contest::ratings::SeasonRatings;
use ahu_host::Cause;
use rand::SeedableRng as _;
use rand::rngs::ChaCha8Rng;

use crate::calibration::uniform;

/// Times in milliseconds.
pub(crate) const SECOND: u64 = 1_000;
pub(crate) const MINUTE: u64 = 60 * SECOND;
pub(crate) const HOUR: u64 = 60 * MINUTE;
pub(crate) const DAY: u64 = 24 * HOUR;
/// The begin of all seasons: 2027-05-01T00:00:00Z.
pub(crate) const BEGIN: u64 = 1_809_129_600_000;
pub(crate) const SALT: Salt = Salt([7; 32]);
/// Things that happen within this time happen at once.
const TICK: u64 = 250;
/// The share of the games that the weaker of the last two would win in which the two tie.
const TIES: f64 = 0.1;

/// The nature of an agent.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Actor {
    /// The strength, in units of the model.
    pub(crate) strength: f64,
    /// The mean time between its games in which it does not wait.
    pub(crate) pause: u64,
    /// The mean time that it stays, which is twice the mean time that it is away; 0 for an agent that never goes.
    pub(crate) stay: u64,
    /// The number of games that it forfeits before it plays one to the end, and begins again.
    pub(crate) forfeits: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Happening {
    Comes(usize),
    Goes(usize),
    IsReady(usize),
    Ends(usize),
}

/// A season in progress.
#[derive(Debug)]
pub(crate) struct Season {
    pub(crate) state: State,
    pub(crate) lines: Vec<Line>,
    pub(crate) now: u64,
    /// The agents, by their numbers.
    pub(crate) actors: Vec<Actor>,
    /// The effect of each seat, in units of the model.
    pub(crate) seats: Vec<f64>,
    /// Two agents that wait from the same instants on. The first loses to the second on purpose.
    pub(crate) accomplices: Option<[usize; 2]>,
    /// The time that each agent of each table had waited.
    pub(crate) waits: Vec<u64>,
    pub(crate) ratings: SeasonRatings,
    /// The agents that are here, and the accomplice that would wait, but for the other.
    here: BTreeSet<usize>,
    ready: BTreeSet<usize>,
    queue: BinaryHeap<Reverse<(u64, usize, Happening)>>,
    queued: usize,
    rng: ChaCha8Rng,
}

/// Returns the whole part of a number that is not negative.
#[expect(clippy::cast_sign_loss, reason = "the number is not negative")]
pub(crate) fn whole(number: f64) -> u64 {
    number as u64
}

/// Returns the file of a season of `rapanui_cards`, with further keys of the stage and of the ladder, and further tables.
pub(crate) fn file(seats: usize, stage: &str, ladder: &str, rest: &str) -> String {
    format!(
        "[cup]\nname = \"Season\"\n[clock]\nbank = \"60s\"\n[[stage]]\nname = \"ladder\"\nkind = \"ladder\"\n\
         game = \"rapanui_cards\"\nseats = {seats}\n{stage}[stage.ladder]\n{ladder}{rest}"
    )
}

impl Season {
    pub(crate) fn new(file: &str, seed: u64) -> Self {
        let begin = State::begin(file, &SALT);
        let mut state = State::after([&begin]).expect("a file");
        state.pass(BEGIN);
        let seats = state.cup.stages[0].seats;
        let mut season = Self {
            actors: vec![Actor::default(); state.agents.len()],
            state,
            lines: vec![Line::at(BEGIN, begin)],
            now: BEGIN,
            seats: (0..seats).map(|seat| 0.3 - 0.15 * seat as f64).collect(),
            accomplices: None,
            waits: Vec::new(),
            ratings: SeasonRatings::default(),
            here: BTreeSet::new(),
            ready: BTreeSet::new(),
            queue: BinaryHeap::new(),
            queued: 0,
            rng: ChaCha8Rng::seed_from_u64(seed),
        };
        season.settle();
        season
    }

    pub(crate) fn ladder(&self) -> &Ladder {
        self.state.ladder().expect("it has begun")
    }

    /// Appends the line of an event now.
    pub(crate) fn append(&mut self, event: Event) -> Result<(), String> {
        let line = Line::at(self.now, event);
        self.state.apply_line(&line)?;
        self.lines.push(line);
        Ok(())
    }

    /// Appends a call of an account.
    pub(crate) fn call(&mut self, account: &str, change: Event) -> Result<(), String> {
        let (call, account) = (self.state.called + 1, account.to_owned());
        self.append(Event::Called { call, account, change: Some(Box::new(change)), refusal: None })
    }

    /// Enters the next version of an account's agent. Returns the number of the agent.
    pub(crate) fn enter(&mut self, account: &str, actor: Actor) -> Result<usize, String> {
        let player = Player::Remote { key: None, games_at_once: 1, account: Some(account.to_owned()) };
        let name = self.state.next_version(account, &format!("{account}-moai"))?;
        self.call(
            account,
            Event::Add { agent: Entrant { name, owner: Some(account.to_owned()), is_anchor: false, player } },
        )?;
        self.actors.push(actor);
        let agent = self.actors.len() - 1;
        self.act(agent, actor);
        Ok(agent)
    }

    /// Lets an agent behave in this way from now on.
    pub(crate) fn act(&mut self, agent: usize, actor: Actor) {
        self.actors[agent] = actor;
        let is_away = actor.stay > 0 && uniform(&mut self.rng) < 1.0 / 3.0;
        let delay = if is_away { self.random(actor.stay / 2) } else { 0 };
        self.later(delay, Happening::Comes(agent));
    }

    /// Returns a time of exponential distribution.
    fn random(&mut self, mean: u64) -> u64 {
        whole(-uniform(&mut self.rng).ln() * mean as f64)
    }

    fn later(&mut self, delay: u64, happening: Happening) {
        self.queued += 1;
        self.queue.push(Reverse(((self.now + delay).next_multiple_of(TICK), self.queued, happening)));
    }

    /// Lets the season go on until this time.
    pub(crate) fn run(&mut self, until: u64) {
        while self.now < until && self.state.stages[0].advance.is_none() {
            let next = self.queue.peek().map_or(u64::MAX, |Reverse((at, ..))| *at);
            // Whoever waits longer waits for another agent, or for another day.
            let is_awaited =
                self.ladder().agents.iter().filter_map(|own| own.waiting).any(|since| self.now < since + MINUTE);
            let look = self.now + if is_awaited { SECOND } else { MINUTE };
            self.now = next.min(look).min(until);
            let (mut came, mut gone) = (Vec::new(), Vec::new());
            while let Some(&Reverse((at, _, happening))) = self.queue.peek()
                && at <= self.now
            {
                self.queue.pop();
                self.happen(happening, &mut came, &mut gone);
            }
            let names =
                |agents: Vec<usize>| agents.into_iter().map(|agent| self.state.name(agent).to_owned()).collect();
            let [came, gone]: [Vec<_>; 2] = [names(came), names(gone)];
            if !came.is_empty() || !gone.is_empty() {
                self.append(Event::Waiting { came, gone }).expect("they take part");
            }
            self.settle();
        }
    }

    fn happen(&mut self, happening: Happening, came: &mut Vec<usize>, gone: &mut Vec<usize>) {
        match happening {
            Happening::Comes(agent) => {
                self.here.insert(agent);
                let stay = self.actors[agent].stay;
                if stay > 0 {
                    let delay = self.random(stay);
                    self.later(delay, Happening::Goes(agent));
                }
                self.ask(agent, came);
            }
            Happening::Goes(agent) => {
                self.here.remove(&agent);
                if self.ladder().agents[agent].waiting.is_some() {
                    gone.push(agent);
                }
                let delay = self.random(self.actors[agent].stay / 2);
                self.later(delay, Happening::Comes(agent));
            }
            Happening::IsReady(agent) => self.ask(agent, came),
            Happening::Ends(game) => {
                let agents = self.ladder().open[&game].agents.clone();
                let result = self.result(game, &agents);
                self.append(Event::Result { key: key(game), result }).expect("it follows");
                for agent in agents {
                    let delay = self.random(self.actors[agent].pause);
                    self.later(delay, Happening::IsReady(agent));
                }
            }
        }
    }

    /// Lets an agent wait for its next game, if it is a remote one that is here.
    fn ask(&mut self, agent: usize, came: &mut Vec<usize>) {
        let (own, is_remote) =
            (&self.ladder().agents[agent], !matches!(self.state.agents[agent].entrant.player, Player::Command { .. }));
        let is_free = own.waiting.is_none() && own.playing == 0 && self.state.is_in(agent);
        if !is_free || !is_remote || !self.here.contains(&agent) || came.contains(&agent) {
            return;
        }
        let pair = self.accomplices.filter(|pair| pair.contains(&agent));
        let Some(pair) = pair else { return came.push(agent) };
        self.ready.insert(agent);
        if self.ready.len() == pair.len() {
            came.extend(std::mem::take(&mut self.ready));
        }
    }

    /// Returns the result of a game. A tie is as often a win of the stronger less as of the weaker, so that the ties change no
    /// expected share.
    fn result(&mut self, game: usize, agents: &[usize]) -> GameResult {
        let throws = self.accomplices.filter(|pair| pair.iter().all(|agent| agents.contains(agent)));
        let level = |seat: usize| self.actors[agents[seat]].strength + self.seats[seat];
        let levels: Vec<_> = (0..agents.len()).map(level).collect();
        // The maximum of independent samples of Gumbel's distribution is the first with the shares of the model.
        let mut luck: Vec<_> = levels.iter().map(|level| level - (-uniform(&mut self.rng).ln()).ln()).collect();
        if let Some([giver, _]) = throws {
            luck[agents.iter().position(|&agent| agent == giver).expect("it is at the table")] = f64::NEG_INFINITY;
        }
        let mut order: Vec<_> = (0..agents.len()).collect();
        order.sort_by(|&one, &other| luck[other].total_cmp(&luck[one]));
        let mut ranks = vec![0; agents.len()];
        order.iter().enumerate().for_each(|(place, &seat)| ranks[seat] = place as u8 + 1);
        let [better, worse] = *order.last_chunk().expect("two seats");
        let odds = (levels[worse] - levels[better]).exp().min(1.0);
        if throws.is_none() && uniform(&mut self.rng) < TIES * odds {
            ranks[worse] = ranks[better];
        }
        let forfeit = |&agent: &usize| {
            let (games, forfeits) = (self.ladder().agents[agent].games, self.actors[agent].forfeits);
            (games % (forfeits + 1) < forfeits).then_some(Forfeit::Game(Cause::Timeout))
        };
        GameResult {
            match_id: Some(match_id(game)),
            forfeits: agents.iter().map(forfeit).collect(),
            agents: agents.iter().map(|&agent| self.state.name(agent).to_owned()).collect(),
            scores: ranks.iter().map(|&rank| 10 - i32::from(rank)).collect(),
            ranks,
            digest: Some(format!("{game:064x}")),
            decisions: 40,
        }
    }

    /// Plays the games of the stage after the ladder.
    pub(crate) fn play_on(&mut self) {
        for key in self.state.open_games().collect::<Vec<_>>() {
            let agents = self.state.seating(key).expect("the cup has the game").values().to_vec();
            let result = self.result(key.table, &agents);
            self.append(Event::Result { key, result }).expect("it follows");
        }
        self.settle();
    }

    /// Appends all events that are due.
    pub(crate) fn settle(&mut self) {
        self.state.pass(self.now);
        if let Some(ladder) = self.state.ladder() {
            let (rated, games) = (ladder.rated, ladder.games.len());
            let every = u64::from(self.state.cup.stages[0].ladder.ratings_every);
            let is_last = self.state.ladder_is_over() && self.state.stages[0].advance.is_none();
            if games > rated.1 && (is_last || self.now >= rated.0 + every) {
                self.ratings = ladder.fit(&self.state, games, &self.ratings);
                let entry = ladder.entry(&self.state, games, &self.ratings);
                self.append(entry).expect("it is due");
            }
        }
        while let Some(event) = self.state.next_event(&SALT).expect("tables can be drawn") {
            let first = self.state.ladder().map_or(0, |ladder| ladder.drawn);
            if let (Event::Draw { tables, .. }, Some(ladder)) =
                (&event, self.state.ladder().filter(|_| self.state.stages.len() == 1))
            {
                let waiting = |name: &String| ladder.agents[self.state.number(name).expect("it is in")].waiting;
                let since: Vec<_> = tables.iter().flat_map(|table| &table.agents).filter_map(waiting).collect();
                self.waits.extend(since.iter().map(|since| self.now - since));
            }
            self.append(event).expect("it follows");
            for game in first..self.state.ladder().map_or(0, |ladder| ladder.drawn) {
                self.append(Event::Start { key: key(game), match_id: match_id(game) }).expect("it was drawn");
                let duration = 2 * SECOND + whole(uniform(&mut self.rng) * 58.0 * SECOND as f64);
                self.later(duration, Happening::Ends(game));
            }
        }
    }
}

fn key(game: usize) -> GameKey {
    GameKey { stage: 0, table: game, game: 0 }
}

fn match_id(game: usize) -> String {
    format!("{game:016x}")
}
