//! The checks of the file of a cup that need more than one of its keys.

use std::time::Duration;

use ahu_core::parse::did_you_mean;
use ahu_host::AnyRules;
use ahu_host::visible_text::check_line;
use toml::value::Datetime;

use super::{Cup, Header};
use crate::blocks::Luck;
use crate::cup::entrant::Player;
use crate::cup::ladder::longest_game;
use crate::cup::stage::{Kind, Stage};
use crate::cup::toml_file::{Fault, at, ensure};

/// The largest number of agents, as of the queues of a cup on a server. A server reads the journals of others, so what takes the
/// square of a number of them has a bound.
const MAX_AGENTS: usize = 1_000;
/// The largest number of entrants of a ladder, with those that have left.
const MAX_ENTRANTS: usize = 20_000;
/// The longest time of a game of a ladder: the salt of a day is published 24 hours after it.
const LONGEST: Duration = Duration::from_secs(24 * 3600);
/// The largest number of stages.
const MAX_STAGES: usize = 100;
/// The largest number of blocks of a stage.
const MAX_BLOCKS: u32 = 1_000_000;

impl Cup {
    /// Checks the numbers of agents and stages.
    pub(in crate::cup) fn check_entrants(&self) -> Result<(), Fault> {
        let agents = if self.has_ladder() { MAX_ENTRANTS } else { MAX_AGENTS };
        for (key, most, count) in [("agent", agents, self.agents.len()), ("stage", MAX_STAGES, self.stages.len())] {
            ensure(count <= most, key, || format!("expected at most {most} tables [[{key}]], got {count}"))?;
        }
        Ok(())
    }

    fn has_ladder(&self) -> bool {
        self.stages.iter().any(|stage| stage.kind == Kind::Ladder)
    }

    /// Checks a cup that has a ladder.
    fn check_ladder(&self) -> Result<(), Fault> {
        let is_first = self.stages.iter().skip(1).all(|stage| stage.kind != Kind::Ladder);
        ensure(is_first, "stage.1.kind", || "expected a ladder as the first stage only")?;
        ensure(
            !self.header.anonymous,
            "cup.anonymous",
            || "expected names in a cup with a ladder, got anonymous = true",
        )?;
        let first = &self.stages[0];
        let longest = longest_game(&self.clock, first.seats);
        ensure(
            longest.is_some_and(|longest| longest <= LONGEST),
            "clock",
            || "expected a bank with which no game of the ladder takes longer than 24 hours, such as bank = \"60s\"",
        )?;
        ensure(
            first.advance.is_none() || first.ladder.until.is_some(),
            "stage.0.advance",
            || "expected a ladder with until, since another stage follows",
        )?;
        let is_time = |time: Datetime| time.date.is_some() && time.time.is_some() && time.offset.is_some();
        let until = first.ladder.until.as_ref();
        ensure(until.is_none_or(|until| until.parse().is_ok_and(is_time)), "stage.0.ladder.until", || {
            let until = until.map_or("", String::as_str);
            format!("expected a date and time with an offset, such as 2027-05-01T18:00:00Z, got {until}")
        })
    }

    /// Checks everything but the numbers of seats.
    pub(in crate::cup) fn check(&self) -> Result<(), Fault> {
        let Header { name, begin, until, absent, address, probation, .. } = &self.header;
        self.check_entrants()?;
        if self.has_ladder() {
            self.check_ladder()?;
        }
        at("cup.name", check_line("a name", name))?;
        let is_whole = |time: Datetime| time.date.is_some() && time.time.is_some() && time.offset.is_some();
        let is_time =
            |text: &String| text.parse().is_ok_and(is_whole) && text.parse::<prost_types::Timestamp>().is_ok();
        for (key, at) in [("cup.begin", begin), ("cup.until", until)] {
            ensure(at.as_ref().is_none_or(is_time), key, || {
                let at = at.as_deref().unwrap_or_default();
                format!("expected a date and time with an offset, such as 2027-05-01T18:00:00Z, got {at}")
            })?;
        }
        let (begins, ends) = (self.header.begins(), self.header.ends());
        ensure(begins.zip(ends).is_none_or(|(begins, ends)| begins < ends), "cup.begin", || {
            let [begin, until] = [begin, until].map(|at| at.as_deref().unwrap_or_default());
            format!("expected a time before until, which is {until}, got {begin}")
        })?;
        let has_port = |address: &String| {
            let port =
                address.rsplit_once(':').filter(|(host, _)| !host.is_empty()).map(|(_, port)| port.parse::<u16>());
            check_line("an address", address).is_ok() && !address.contains(' ') && matches!(port, Some(Ok(1..)))
        };
        ensure(address.as_ref().is_none_or(has_port), "cup.address", || {
            format!(
                "expected HOST:PORT, such as cup.example.org:50551, got {:?}",
                address.as_deref().unwrap_or_default()
            )
        })?;
        ensure(*probation > 0, "cup.probation", || "expected at least 1 forfeit, got 0")?;
        ensure(*absent > 0, "cup.absent", || "expected a time above 0, such as \"10m\", got 0")?;
        ensure(
            self.clock.has_limit(),
            "clock",
            || "expected a bank or a limit above 0, such as bank = \"60s\": a match must end; got a clock of zero",
        )?;
        at("clock", self.clock.check())?;
        for (index, agent) in self.agents.iter().enumerate() {
            let before = &self.agents[..index];
            ensure(before.iter().all(|other| other.name != agent.name), format!("agent.{index}.name"), || {
                format!("expected a name of its own for each agent, got \"{}\" twice", agent.name)
            })?;
            let same_key = before.iter().find(|other| agent.key().is_some() && agent.key() == other.key());
            ensure(same_key.is_none(), format!("agent.{index}.key"), || {
                let other = same_key.map_or("", |other| &other.name);
                format!("expected a key of its own for each agent, got that of \"{other}\" again")
            })?;
        }
        for (index, stage) in self.stages.iter().enumerate() {
            self.check_stage(index)?;
            at("conduct", self.terms(stage).and_then(|terms| terms.check()))?;
        }
        Ok(())
    }

    fn check_stage(&self, index: usize) -> Result<(), Fault> {
        let (stage, is_last) = (&self.stages[index], index + 1 == self.stages.len());
        let Stage { name, blocks, advance, .. } = stage;
        let path = |key: &str| format!("stage.{index}.{key}");
        ensure(self.stages[..index].iter().all(|other| other.name != *name), path("name"), || {
            format!("expected a name of its own for each stage, got \"{name}\" twice")
        })?;
        ensure((1..=MAX_BLOCKS).contains(blocks), path("blocks"), || {
            format!("expected 1 to {MAX_BLOCKS} blocks, got {blocks}")
        })?;
        ensure(!is_last || advance.is_none(), path("advance"), || "expected no advance in the last stage, got one")?;
        ensure(is_last || advance.is_some(), path("name"), || {
            format!("expected advance in stage \"{name}\", since another stage follows")
        })?;
        let setup = at(path("options"), stage.setup())?;
        for agent in &self.agents {
            if let Player::Bot { bot } = &agent.player {
                let path = if agent.is_anchor { "cup.anchor" } else { "" };
                let fault = |message| format!("agent \"{}\" in stage \"{name}\": {message}", agent.name);
                at(path, check_bot(setup.rules(), bot).map_err(fault))?;
            }
        }
        at("conduct.stand_in", check_bot(setup.rules(), &self.conduct.stand_in))?;
        let has_remote = self.agents.iter().any(|agent| matches!(agent.player, Player::Remote { .. }));
        let has_remote = has_remote || self.has_ladder();
        ensure(
            stage.luck == Luck::Own || !has_remote,
            path("luck"),
            || "expected luck = \"own\" with remote agents, which remember one game in the next; got \"shared\"",
        )?;
        ensure(stage.challengers.len() <= self.agents.len(), path("challengers"), || {
            format!("expected at most {} challengers, got {}", self.agents.len(), stage.challengers.len())
        })?;
        let unknown = stage.challengers.iter().find(|name| self.agent(name).is_none());
        ensure(unknown.is_none(), path("challengers"), || {
            let unknown = unknown.map_or("", String::as_str);
            let hint = did_you_mean(unknown, self.agents.iter().map(|agent| agent.name.as_str()));
            format!("expected names of agents, got \"{unknown}\"{hint}")
        })?;
        ensure(index == 0 || stage.groups == 1, path("groups"), || "expected groups in the first stage only")
    }

    /// Checks that a stage has enough agents.
    pub(super) fn check_seats(&self, index: usize) -> Result<(), Fault> {
        let Stage { seats, groups, advance, .. } = self.stages[index];
        let ranked = self.agents.iter().filter(|agent| !agent.is_anchor).count();
        // All agents play the first stage, and those that advance the others.
        let smallest = match index.checked_sub(1).map(|before| &self.stages[before]) {
            // Whoever enters a ladder comes later.
            None if self.has_ladder() => return Ok(()),
            None => self.agents.len() / groups,
            Some(before) => {
                before.advance.unwrap_or(0).saturating_mul(before.groups).saturating_add(self.agents.len() - ranked)
            }
        };
        ensure(smallest >= seats, format!("stage.{index}.seats"), || {
            let of = if groups > 1 { format!(" in each of {groups} groups") } else { String::new() };
            format!("expected at least {seats} agents{of} for {seats} seats, got {smallest}")
        })?;
        let ranked = if self.has_ladder() { MAX_ENTRANTS } else { ranked };
        let is_possible = advance.is_none_or(|advance| advance > 0 && advance <= ranked / groups);
        ensure(is_possible, format!("stage.{index}.advance"), || {
            format!("expected 1 to {} agents, got {}", ranked / groups, advance.unwrap_or(0))
        })
    }
}

/// Checks that a game has a bot whose games can be verified.
fn check_bot(rules: &dyn AnyRules, bot: &str) -> Result<(), String> {
    let found = rules.bot(bot).map_err(|error| error.message)?;
    match found.is_reproducible() {
        true => Ok(()),
        false => {
            Err(format!("expected a budget in playouts, such as search:200, got \"{bot}\": nobody could verify it"))
        }
    }
}
