//! The end of a simulation: everything that can go on goes on, and then the laws hold.

use std::time::Duration;

use ahu_service::proto::v1::match_service_server::MatchService as _;
use ahu_service::proto::v1::{GetMatchRequest, Match, Observation, ObserveRequest};
use tonic::Request;

use super::calls::From;
use super::{LONGEST_WAIT, World, formats, has_wait, observe, viewer_of, with_token};
use crate::claims::Viewer;
use crate::disk::Fate;
use crate::laws;

/// The number of rounds after which a server that still does something is stuck.
const ROUNDS: usize = 20_000;
/// The number of rounds without news after which a server is at rest.
const QUIET: usize = 3;

impl World {
    /// Lets everything go on, checks the laws, and starts the server once more.
    pub(super) async fn settle_and_check(&mut self) -> Result<(), String> {
        self.disk.set_fate(Fate::Made, 1);
        self.settle().await?;
        self.check_waiting().await?;
        laws::check(&self.claims, &self.disk)?;

        // Every call that waits is answered after the longest wait. Clocks may run out meanwhile.
        self.pass(LONGEST_WAIT).await;
        self.settle().await?;
        if let Some(call) = self.calls.first() {
            return Err(format!("every call is answered: {} is not", call.text));
        }
        laws::check(&self.claims, &self.disk)?;
        self.count_ends();

        let before = self.sight().await?;
        self.restart("killed at the end").await?;
        let after = self.sight().await?;
        for (before, after) in before.iter().zip(&after) {
            if before != after {
                return Err(format!("the log leads to the state: before {before:?}, and after a restart {after:?}"));
            }
        }
        Ok(())
    }

    /// Lets everything go on until nothing does.
    async fn settle(&mut self) -> Result<(), String> {
        for _ in 0..ROUNDS {
            self.commit();
            tokio::task::yield_now().await;
            let is_deciding = self.workers.decide();
            let woken = self.woken();
            for _ in 0..woken {
                if self.woken() > 0 {
                    self.poll(0)?;
                }
            }
            if !is_deciding && woken == 0 {
                // Watchers wait until their rate has room.
                tokio::time::advance(Duration::from_millis(50)).await;
                tokio::task::yield_now().await;
            }
            self.quiet = if is_deciding || woken > 0 { 0 } else { self.quiet + 1 };
            if self.quiet > QUIET {
                self.quiet = 0;
                return Ok(());
            }
        }
        Err("every call is answered: the server never comes to rest".to_owned())
    }

    /// Checks that the calls and streams that still wait have something to wait for.
    async fn check_waiting(&mut self) -> Result<(), String> {
        for n in 0..self.calls.len() {
            let call = &self.calls[n];
            let seen = match call.from {
                From::Agent(agent) | From::Stray(agent)
                    if self.agents[agent].seat.is_some()
                        && call.step.is_none_or(|(_, _, decision)| has_wait(decision)) =>
                {
                    self.seen(agent).await?
                }
                From::Looker(table) => self.seen_by_public(table).await?,
                _ => return Err(format!("every call is answered: {} is not", call.text)),
            };
            if seen.decision.is_some() || super::has_ended(seen.state()) {
                return Err(format!("every call is answered: {} has what it waits for", self.calls[n].text));
            }
        }
        for n in 0..self.watchers.len() {
            let (table, agent, told) = (self.watchers[n].table, self.watchers[n].agent, self.watchers[n].told);
            if self.watchers[n].stream.is_none() {
                continue;
            }
            let seen = match agent {
                Some(agent) => self.seen(agent).await?,
                None => self.seen_by_public(table).await?,
            };
            if told.is_some_and(|told| told != seen.event_count) {
                let count = seen.event_count;
                return Err(format!("a watcher is told each event once: watcher {n} knows {told:?} of {count} events"));
            }
        }
        Ok(())
    }

    async fn seen(&self, agent: usize) -> Result<Box<Observation>, String> {
        let agent = &self.agents[agent];
        let match_id = self.tables[agent.table].match_id.clone().expect("its match exists");
        let (_, token) = agent.seat.as_ref().expect("it has a seat");
        let request =
            ObserveRequest { match_id, formats: Some(formats()), events_after: Some(0), ..Default::default() };
        observe(&self.server, with_token(request, token)).await.map_err(|status| format!("a seat can look: {status:?}"))
    }

    async fn seen_by_public(&self, table: usize) -> Result<Box<Observation>, String> {
        let match_id = self.tables[table].match_id.clone().expect("the match exists");
        let request = ObserveRequest {
            public_view: true,
            match_id,
            formats: Some(formats()),
            events_after: Some(0),
            ..Default::default()
        };
        observe(&self.server, Request::new(request)).await.map_err(|status| format!("the public can look: {status:?}"))
    }

    /// Returns what everybody can see of every match, without what changes with the time alone.
    async fn sight(&self) -> Result<Vec<(usize, Viewer, Box<Observation>, Box<Match>)>, String> {
        let mut sight = Vec::new();
        for (table, asked) in self.tables.iter().enumerate() {
            let Some(match_id) = asked.match_id.clone() else { continue };
            let agents =
                (0..self.agents.len()).filter(|&n| self.agents[n].table == table && self.agents[n].seat.is_some());
            for agent in agents.map(Some).chain([None]) {
                let mut seen = match agent {
                    Some(agent) => self.seen(agent).await?,
                    None => self.seen_by_public(table).await?,
                };
                if let Some(decision) = &mut seen.decision {
                    decision.time_left = None;
                }
                let request = GetMatchRequest { match_id: match_id.clone(), wait: None };
                let response = self.server.get_match(Request::new(request)).await;
                let response = response.map_err(|status| format!("the public can look: {status:?}"))?;
                let mut described = Box::new(response.into_inner().r#match.expect("a match"));
                described.seats.iter_mut().for_each(|seat| seat.present = false);
                sight.push((table, viewer_of(agent.map(|agent| &self.agents[agent])), seen, described));
            }
        }
        Ok(sight)
    }

    fn count_ends(&mut self) {
        for asked in &self.tables {
            let kept = asked.match_id.as_ref().and_then(|id| self.disk.find(id));
            let Some(kept) = kept else { continue };
            self.counts.ended += u64::from(super::has_ended(kept.state));
            self.counts.timeouts += kept.timeouts();
        }
    }
}
