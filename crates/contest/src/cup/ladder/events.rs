//! The changes that events make in a ladder.

use std::collections::BTreeMap;

use ahu_host::ensure;

use super::entrants::{Contestant, KEPT, PlayedBefore, count, counted};
use super::{CHAIN_DAYS, Ladder, MAX_FREE, OpenGame, RatingsClaim, day_salts};
use crate::cup::entrant::{AgentState, Entrant, Player, Status};
use crate::cup::game_result::{Forfeit, GameResult};
use crate::cup::seeds::Salt;
use crate::cup::stage::Kind;
use crate::cup::state::State;
use crate::cup::{LadderRules, StageState};
use crate::ratings::SeasonGames;

/// The maximum number of entrants of an account that take part at the same time.
const LIVE: usize = 3;

impl State {
    /// Returns the ladder; None if the cup has none, or it has not begun.
    pub fn ladder(&self) -> Option<&Ladder> {
        self.stages.first()?.ladder.as_ref()
    }

    fn ladder_mut(&mut self) -> Result<&mut Ladder, String> {
        let stage = self.stages.first_mut().filter(|stage| stage.advance.is_none());
        stage
            .and_then(|stage| stage.ladder.as_mut())
            .ok_or_else(|| "expected a ladder in progress, got none".to_owned())
    }

    /// Returns the rules of the ladder; None without one.
    pub fn ladder_rules(&self) -> Option<&LadderRules> {
        self.cup.stages.first().filter(|stage| stage.kind == Kind::Ladder).map(|stage| &stage.ladder)
    }

    /// Returns true if an agent takes part no more. One that rests still does.
    pub fn has_left(&self, agent: usize) -> bool {
        !matches!(self.agents[agent].status, Status::In | Status::Resting(_))
    }

    /// Begins a chain of salts, and with the first one the ladder.
    pub(in crate::cup) fn open_chain(&mut self, chain: u64, salt: &str) -> Result<(), String> {
        ensure(self.ladder_rules().is_some() && Salt::parse(salt).is_some(), || {
            "expected a ladder, and a salt of 64 hexadecimal digits".to_owned()
        })?;
        let (now, seats) = (self.now, self.cup.stages[0].seats);
        if self.stages.is_empty() {
            let ladder = Ladder { begun: now, games: SeasonGames::new(seats), rated: (now, 0), ..Ladder::default() };
            self.stages.push(StageState { groups: vec![Vec::new()], ladder: Some(ladder), ..StageState::default() });
            (0..self.agents.len()).for_each(|agent| self.join_ladder(agent));
        }
        let ladder = self.ladder_mut()?;
        let (expected, day) = (ladder.chains.len() as u64, ladder.day(now));
        ensure(chain == expected && day / CHAIN_DAYS >= chain, || {
            format!("expected chain {expected} of salts, got {chain}")
        })?;
        ladder.chains.push(salt.to_owned());
        Ok(())
    }

    pub(in crate::cup) fn publish_salt(&mut self, day: u64, text: &str) -> Result<(), String> {
        let now = self.now;
        let ladder = self.ladder_mut()?;
        let (expected, salt) = (ladder.public_days(), Salt::parse(text));
        let salt = salt
            .filter(|_| day == expected)
            .ok_or_else(|| format!("expected the salt of day {expected}, got day {day}"))?;
        let before = match day % CHAIN_DAYS {
            0 => ladder.chains.get((day / CHAIN_DAYS) as usize).and_then(|text| Salt::parse(text)),
            _ => ladder.salt_of(day - 1),
        };
        let before = before.ok_or_else(|| format!("expected a chain of salts that has day {day}, got none"))?;
        day_salts::check_next(&salt, &before, day)?;
        ensure(ladder.is_salt_due(now), || {
            format!("expected the salt of day {day} 24 hours after the day, and after its last game, got it earlier")
        })?;
        ladder.salts.push(text.to_owned());
        Ok(())
    }

    /// Adds an agent that has entered the cup to the ladder.
    pub(in crate::cup) fn join_ladder(&mut self, agent: usize) {
        let (now, seats) = (self.now, self.cup.stages[0].seats);
        let Entrant { name, owner, player, .. } = &self.agents[agent].entrant;
        let (name, is_command) =
            (owner.clone().unwrap_or_else(|| name.clone()), matches!(player, Player::Command { .. }));
        let is_remote = matches!(player, Player::Remote { .. });
        let Ok(ladder) = self.ladder_mut() else { return };
        let day = ladder.day(now);
        let account = *ladder.account_numbers.entry(name.clone()).or_insert(ladder.accounts.len());
        if account == ladder.accounts.len() {
            ladder.accounts.push(super::Account { name, ..Default::default() });
        }
        ladder.accounts[account].entrants.push(agent);
        if is_remote {
            count(&mut ladder.accounts[account].entered, day);
        }
        let contestant = Contestant::new(account, seats);
        ladder.agents.push(Contestant { waiting: is_command.then_some(now), ..contestant });
        // The oldest entrant makes room.
        let live: Vec<_> = self.live_of(account);
        if live.len() > LIVE {
            let reason = format!("{} took its place: an account has at most {LIVE} entrants", self.name(agent));
            self.agents[live[0]].status = Status::Withdrawn(Some(reason));
            self.stop_waiting(live[0]);
        }
    }

    fn live_of(&self, account: usize) -> Vec<usize> {
        let entrants = self.ladder().map_or(&[][..], |ladder| &ladder.accounts[account].entrants);
        entrants.iter().copied().filter(|&agent| !self.has_left(agent)).collect()
    }

    /// Checks that a ladder takes another entrant now. `of_account` is true for one that an account enters.
    pub(in crate::cup) fn check_entry(&self, owner: &str, of_account: bool) -> Result<(), String> {
        let (Some(ladder), Some(rules)) = (self.ladder(), self.ladder_rules()) else { return Ok(()) };
        ensure(!Ladder::is_closing(rules, self.now), || {
            let closed = time_text(rules.closes_at().unwrap_or_default());
            format!("expected an entry before {closed}, when the ladder closed: nobody enters any more")
        })?;
        let account = ladder.account_numbers.get(owner).map(|&number| &ladder.accounts[number]);
        let mut own = account.into_iter().flat_map(|account| &account.entrants).map(|&agent| &self.agents[agent]);
        let is_excluded = |agent: &&AgentState| matches!(agent.status, Status::Disqualified(_));
        if let Some(excluded) = own.find(is_excluded).filter(|_| of_account) {
            let (name, reason) = (&excluded.entrant.name, excluded.status.reason().unwrap_or_default());
            return Err(format!("expected an account without an excluded agent, got that of {name}: {reason}"));
        }
        let live = (0..ladder.agents.len()).filter(|&agent| !self.has_left(agent)).count();
        ensure(live < MAX_FREE, || {
            format!("expected at most {MAX_FREE} agents of a ladder at the same time, got one more")
        })?;
        let entered = account.map_or(0, |account| counted(&account.entered, ladder.day(self.now)));
        let most = rules.account_entries_a_day;
        ensure(!of_account || entered < most, || {
            format!(
                "expected at most {most} entries of an account a day, got one more; the next day begins {}",
                self.next_day()
            )
        })
    }

    /// Returns the time at which the next day of the season begins, as RFC 3339 writes it.
    pub fn next_day(&self) -> String {
        let next = self.ladder().map_or(0, |ladder| ladder.begun + (ladder.day(self.now) + 1) * super::DAY);
        time_text(next)
    }

    /// Returns the name of the next version of an account's agent, such as `moai@3`.
    ///
    /// # Errors
    /// If another account has entered an agent of that name.
    pub fn next_version(&self, account: &str, agent: &str) -> Result<String, String> {
        let mut newest = 0;
        for other in &self.agents {
            let (stem, version) = other.entrant.name.split_once('@').unwrap_or((&other.entrant.name, "0"));
            if stem == agent {
                let is_own = other.entrant.owner.as_deref() == Some(account);
                ensure(is_own, || {
                    format!("expected a name of your own, got \"{agent}\", which another account has entered")
                })?;
                newest = newest.max(version.parse().unwrap_or(0));
            }
        }
        Ok(format!("{agent}@{}", newest + 1))
    }

    /// Applies arrivals and departures.
    pub(in crate::cup) fn note_waiting(&mut self, came: &[String], gone: &[String]) -> Result<(), String> {
        let [came, gone] = [self.numbers(came)?, self.numbers(gone)?];
        let out = came.iter().find(|&&agent| !self.is_in(agent));
        out.map_or(Ok(()), |&agent| Err(format!("expected agents of the ladder to come, got {}", self.name(agent))))?;
        let now = self.now;
        let ladder = self.ladder_mut()?;
        for agent in came {
            ladder.agents[agent].waiting.get_or_insert(now);
        }
        for agent in gone {
            ladder.agents[agent].waiting = None;
        }
        Ok(())
    }

    /// Takes an agent out of those that wait.
    pub(in crate::cup) fn stop_waiting(&mut self, agent: usize) {
        if let Ok(ladder) = self.ladder_mut() {
            ladder.agents[agent].waiting = None;
        }
    }

    /// Lets an agent that rested, or had left, play again.
    pub(in crate::cup) fn return_to_ladder(&mut self, agent: usize) {
        let (now, is_command) = (self.now, matches!(self.agents[agent].entrant.player, Player::Command { .. }));
        if let Ok(ladder) = self.ladder_mut() {
            ladder.agents[agent].wake();
            ladder.agents[agent].waiting = is_command.then_some(now);
        }
    }

    /// Applies a wave: the agents of each table are in the order of their seats.
    pub(in crate::cup) fn draw_wave(&mut self, tables: &[Vec<usize>]) -> Result<(), String> {
        let (now, seats) = (self.now, self.cup.stages[0].seats);
        let ladder = self.ladder_mut()?;
        let is_table = |table: &Vec<usize>| {
            table.len() == seats && table.iter().enumerate().all(|(seat, agent)| !table[..seat].contains(agent))
        };
        ensure(tables.iter().all(is_table), || format!("expected tables of {seats} different agents, got {tables:?}"))?;
        let day = ladder.day(now);
        ladder.first_games.resize(ladder.first_games.len().max(day as usize + 1), ladder.drawn);
        ladder.last_wave = now;
        for table in tables {
            let game = OpenGame { agents: table.clone(), day, started: None };
            ladder.open.insert(ladder.drawn, game);
            ladder.drawn += 1;
            let mut together = table.clone();
            together.sort_unstable();
            for (seat, &agent) in table.iter().enumerate() {
                let own = &mut ladder.agents[agent];
                own.waiting = None;
                own.seats[seat] += 1;
                (own.playing, own.drawn) = (own.playing + 1, own.drawn + 1);
                own.last_table.clone_from(&together);
                table
                    .iter()
                    .filter(|&&other| other != agent)
                    .for_each(|&other| *own.met.entry(other).or_default() += 1);
                let account = &mut ladder.accounts[own.account];
                (account.playing, account.drawn, account.last) = (account.playing + 1, account.drawn + 1, Some(now));
                count(&mut account.today, day);
            }
        }
        Ok(())
    }

    /// Enters the result of a game of the ladder.
    pub(in crate::cup) fn end_game(&mut self, game: usize, result: &GameResult) -> Result<(), String> {
        let now = self.now;
        let name = |agent: &usize| self.name(*agent).to_owned();
        let agents = self.ladder().and_then(|ladder| ladder.open.get(&game)).map(|open| open.agents.clone());
        let agents = agents.ok_or_else(|| format!("expected a game in progress, got game {game}"))?;
        let names: Vec<_> = agents.iter().map(name).collect();
        result.check(agents.len())?;
        ensure(names == result.agents && result.match_id.is_some(), || {
            format!("expected a match of {}, got one of {}", names.join(", "), result.agents.join(", "))
        })?;
        let ladder = self.ladder_mut()?;
        ladder.open.remove(&game);
        let rank = |seat: usize| if result.forfeits[seat].is_some() { u8::MAX } else { result.ranks[seat] };
        ladder.games.push(&agents, &(0..agents.len()).map(rank).collect::<Vec<_>>());
        let told = PlayedBefore {
            game,
            at: now,
            match_id: result.match_id.clone().unwrap_or_default(),
            agents: agents.clone(),
            scores: result.scores.clone(),
            ranks: result.ranks.clone(),
            forfeits: result.forfeits.iter().map(|forfeit| forfeit.map_or("", Forfeit::name).to_owned()).collect(),
        };
        let mut resting = Vec::new();
        for (seat, &agent) in agents.iter().enumerate() {
            let own = &mut ladder.agents[agent];
            (own.playing, own.games, own.last_played) = (own.playing.saturating_sub(1), own.games + 1, Some(now));
            own.wins += result.win_share(seat);
            for (opposite, &other) in agents.iter().enumerate().filter(|&(opposite, _)| opposite != seat) {
                let won = result.half_pairs(seat, opposite);
                for sums in [&mut own.by_seat[seat], own.against.entry(other).or_default()] {
                    *sums = [sums[0] + 1, sums[1] + won];
                }
            }
            own.recent.push_front(told.clone());
            own.recent.truncate(KEPT);
            let forfeit = result.forfeits[seat];
            if let Some(forfeit) = forfeit {
                *own.forfeits.entry(forfeit.name().to_owned()).or_default() += 1;
            }
            let reason = own.note_end(matches!(forfeit, Some(Forfeit::Game(_))));
            resting.extend(reason.map(|reason| (agent, reason)));
            let account = &mut ladder.accounts[own.account];
            (account.playing, account.last) = (account.playing.saturating_sub(1), Some(now));
        }
        for (agent, reason) in resting {
            if self.is_in(agent) && !matches!(self.agents[agent].entrant.player, Player::Bot { .. }) {
                self.agents[agent].status = Status::Resting(reason);
                self.stop_waiting(agent);
            }
        }
        for agent in agents {
            if self.is_in(agent) && matches!(self.agents[agent].entrant.player, Player::Command { .. }) {
                self.ladder_mut()?.agents[agent].waiting = Some(now);
            }
        }
        Ok(())
    }

    /// Applies an entry of ratings.
    pub(in crate::cup) fn enter_ratings(
        &mut self,
        games: usize,
        ratings: &BTreeMap<String, [i32; 2]>,
    ) -> Result<(), String> {
        let (now, is_over) = (self.now, self.ladder_is_over());
        let every = self.ladder_rules().map_or(0, |rules| u64::from(rules.ratings_every));
        let numbers: Vec<_> = ratings.keys().map(|name| self.number(name)).collect::<Result<_, _>>()?;
        let ladder = self.ladder_mut()?;
        let (last, before) = ladder.rated;
        ensure(is_over || now >= last + every, || {
            format!("expected the next ratings {} s after the last", every / 1000)
        })?;
        ensure((before..=ladder.games.len()).contains(&games), || {
            format!("expected ratings after {before} to {} games, got {games}", ladder.games.len())
        })?;
        let day = ladder.day(now);
        ladder.rated = (now, games);
        for (agent, &[rating, margin]) in numbers.into_iter().zip(ratings.values()) {
            let own = &mut ladder.agents[agent];
            (own.rating, own.margin, own.is_rated) = (rating, margin, true);
            match own.history.last_mut() {
                Some(last) if last.0 == day => last.1 = rating,
                _ => own.history.push((day, rating)),
            }
        }
        let settled = self.ladder().map_or_else(Vec::new, |ladder| ladder.settled(self));
        self.ladder_mut()?.settled = settled;
        Ok(())
    }

    /// Returns the content of an entry of ratings that was applied to this state, with its day. `fixed` has the ratings that
    /// stay, as they were before it.
    pub(in crate::cup) fn ratings_claim(
        &self,
        fixed: Vec<Option<f64>>,
        entered: &BTreeMap<String, [i32; 2]>,
    ) -> Option<(u64, RatingsClaim)> {
        let ladder = self.ladder()?;
        let rating = |(agent, own): (usize, &Contestant)| (own.rating, entered.contains_key(self.name(agent)));
        let ratings = ladder.agents.iter().enumerate().map(rating).collect();
        Some((ladder.day(self.now), RatingsClaim { games: ladder.rated.1, fixed, ratings }))
    }

    /// Returns true if the ladder has ended.
    pub fn ladder_is_over(&self) -> bool {
        self.ladder().zip(self.ladder_rules()).is_some_and(|(ladder, rules)| ladder.is_over(rules, self.now))
    }

    /// Notes the archive of a day.
    pub(in crate::cup) fn note_archive(&mut self, day: u64, digest: &str) -> Result<(), String> {
        let now = self.now;
        let ladder = self.ladder_mut()?;
        let expected = ladder.archives.len() as u64;
        let is_over = day < ladder.day(now) && ladder.open.values().all(|game| game.day > day);
        ensure(day == expected && is_over, || {
            format!("expected the archive of day {expected} after its last game, got day {day}")
        })?;
        ensure(ahu_host::record::parse_digest(digest).is_ok(), || {
            "expected a digest of 64 hexadecimal digits".to_owned()
        })?;
        ladder.archives.push(digest.to_owned());
        Ok(())
    }
}

/// Returns a time in milliseconds since 1970 as RFC 3339 writes it, in whole seconds.
fn time_text(time: u64) -> String {
    prost_types::Timestamp { seconds: (time / 1000) as i64, nanos: 0 }.to_string()
}
