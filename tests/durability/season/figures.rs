//! The figures of a season: counts and times from its journal, ratings from its table.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;

use ahu_contest::cup::{Event, Journal, Position};
use ahu_contest::ratings::{SeasonGames, SeasonRatings};
use serde_json::Value;

/// The figures of a season.
pub(super) struct Figures {
    pub(super) results: usize,
    pub(super) drawn: usize,
    pub(super) open: usize,
    pub(super) matches: BTreeSet<String>,
    /// The seats of each account.
    pub(super) seats: BTreeMap<String, usize>,
    /// The waits from an arrival to the draw of a seat, in milliseconds.
    waits: Vec<u64>,
    /// The games of the pair of accomplices against each other, and the games of the first.
    accomplices: (usize, usize),
    pub(super) forfeits: BTreeMap<String, usize>,
    /// The ranked games: the accounts and the ranks by seat.
    games: Vec<(Vec<String>, Vec<u8>)>,
    table: Value,
    bytes: u64,
}

impl Figures {
    pub(super) fn of(journal: &Path, table: Value, accounts: &[String]) -> Self {
        let bytes = std::fs::metadata(journal).map_or(0, |file| file.len());
        let mut figures = Self {
            results: 0,
            drawn: 0,
            open: 0,
            matches: BTreeSet::new(),
            seats: accounts.iter().map(|name| (name.clone(), 0)).collect(),
            waits: Vec::new(),
            accomplices: (0, 0),
            forfeits: BTreeMap::new(),
            games: Vec::new(),
            table,
            bytes,
        };
        let mut waiting: BTreeMap<String, u64> = BTreeMap::new();
        let mut ended = BTreeSet::new();
        let stem = |name: &str| name.split('@').next().unwrap_or_default().to_owned();
        let read = Journal::read_from(journal, &Position::default(), |line| {
            match &line.event {
                Event::Waiting { came, gone } => {
                    waiting.retain(|name, _| !gone.contains(name));
                    waiting.extend(came.iter().map(|name| (name.clone(), line.time())));
                }
                Event::Draw { tables, .. } => {
                    for table in tables {
                        figures.drawn += 1;
                        let has = |name: &str| table.agents.iter().any(|agent| stem(agent) == name);
                        figures.accomplices.0 += usize::from(has("p0") && has("p1"));
                        figures.accomplices.1 += usize::from(has("p0"));
                        for agent in &table.agents {
                            *figures.seats.entry(stem(agent)).or_default() += 1;
                            figures.waits.extend(waiting.remove(agent).map(|since| line.time().saturating_sub(since)));
                        }
                    }
                }
                Event::Result { key, result } => {
                    assert!(ended.insert(key.table), "game {} is counted twice", key.table);
                    figures.results += 1;
                    figures.matches.extend(result.match_id.clone());
                    let rank = |seat: usize| if result.forfeits[seat].is_some() { u8::MAX } else { result.ranks[seat] };
                    let ranks = (0..result.agents.len()).map(rank).collect();
                    figures.games.push((result.agents.iter().map(|agent| stem(agent)).collect(), ranks));
                    for (agent, _) in
                        result.agents.iter().zip(&result.forfeits).filter(|(_, forfeit)| forfeit.is_some())
                    {
                        *figures.forfeits.entry(stem(agent)).or_default() += 1;
                    }
                }
                _ => {}
            }
            Ok(())
        });
        read.expect("the journal can be read");
        figures.open = figures.table["ladder"]["in_progress"].as_u64().unwrap_or(0) as usize;
        figures.waits.sort_unstable();
        figures
    }

    pub(super) fn seats_of(&self, account: &str) -> usize {
        self.seats.get(account).copied().unwrap_or(0)
    }

    /// Returns the ratings of all entrants by name.
    pub(super) fn ratings(&self) -> BTreeMap<String, f64> {
        let rows = self.table["ladder"]["rows"].as_array().cloned().unwrap_or_default();
        let name =
            |row: &Value| row["agent"].as_str().map(|name| name.split('@').next().unwrap_or_default().to_owned());
        let rating = |row: &Value| Some((name(row)?, row["rating"].as_f64()?));
        rows.iter().filter_map(rating).collect()
    }

    /// Returns the ratings of accounts after as many games as give each account this number.
    pub(super) fn ratings_at(&self, games: usize) -> BTreeMap<String, f64> {
        let names: Vec<_> = self.seats.keys().cloned().collect();
        let seats = self.games.first().map_or(2, |(agents, _)| agents.len());
        let mut first = SeasonGames::new(seats);
        for (agents, ranks) in self.games.iter().take(games * names.len() / seats) {
            let numbers: Vec<_> = agents.iter().filter_map(|agent| names.binary_search(agent).ok()).collect();
            if numbers.len() == seats {
                first.push(&numbers, ranks);
            }
        }
        let fit = SeasonRatings::of(&first, &vec![None; names.len()], &[], &SeasonRatings::default());
        let rated = names.into_iter().zip(fit.agents);
        rated.filter_map(|(name, rating)| Some((name, rating?.elo))).collect()
    }

    /// Returns the wait in seconds that this many of a hundred do not exceed.
    fn wait(&self, of_hundred: usize) -> f64 {
        let place = (self.waits.len() * of_hundred / 100).min(self.waits.len().saturating_sub(1));
        self.waits.get(place).map_or(0.0, |&wait| wait as f64 / 1000.0)
    }

    pub(super) fn print(&self, took: Duration, [run, server]: [Duration; 2]) {
        println!(
            "{} games in {:.0} s, {} open; journal of {} bytes",
            self.results,
            took.as_secs_f64(),
            self.open,
            self.bytes
        );
        println!("processor: run {:.0} s, server with players {:.0} s", run.as_secs_f64(), server.as_secs_f64());
        println!(
            "waits: p50 {:.1} s, p90 {:.1} s, p99 {:.1} s of {}",
            self.wait(50),
            self.wait(90),
            self.wait(99),
            self.waits.len()
        );
        println!("accomplices: {} of {} games against each other", self.accomplices.0, self.accomplices.1);
        println!("seats: {:?}", self.seats);
        println!("forfeits: {:?}", self.forfeits);
        println!("seat effects: {}", self.table["ladder"]["seats"]);
        println!("ratings: {:?}", self.ratings());
    }
}
