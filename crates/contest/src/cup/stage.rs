//! The stages of a cup.

use std::collections::BTreeMap;

use ahu_core::Seats;
use ahu_host::{Setup, file_values::Scalar, find};
use serde::{Deserialize, Deserializer, Serialize};

use super::entrant::check_name;
use super::ladder::LadderRules;
use super::toml_file::{Fault, at, ensure};
use crate::blocks::{Design, Lineup, Luck, Seating};

/// A stage as the file describes it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stage {
    /// The name.
    pub name: String,
    /// The rule that says who meets whom.
    #[serde(default)]
    pub kind: Kind,
    /// The id of the game.
    pub game: String,
    /// The number of seats of a table.
    #[serde(default = "Stage::fewest")]
    pub seats: usize,
    /// The options of the game; an option that is missing has its default.
    #[serde(default, deserialize_with = "options")]
    pub options: BTreeMap<String, String>,
    /// The number of blocks in which each two agents meet that may meet.
    #[serde(default = "Stage::blocks")]
    pub blocks: u32,
    /// The luck of the games of a block: shared, or each game its own.
    #[serde(default)]
    pub luck: Luck,
    /// The rule that lists the seatings of a block.
    #[serde(default)]
    pub design: Design,
    /// The number of agents of each group that advance to the next stage; None in the last stage.
    pub advance: Option<usize>,
    /// The number of groups.
    #[serde(default = "Stage::groups")]
    pub groups: usize,
    /// The names of the agents that meet all others in a gauntlet; empty means the first agent.
    #[serde(default)]
    pub challengers: Vec<String>,
    /// The rules of a ladder.
    #[serde(default)]
    pub ladder: LadderRules,
}

fn options<'de, D: Deserializer<'de>>(deserializer: D) -> Result<BTreeMap<String, String>, D::Error> {
    let options = BTreeMap::<String, Scalar>::deserialize(deserializer)?;
    Ok(options.into_iter().map(|(key, value)| (key, value.to_string())).collect())
}

impl Stage {
    /// Returns a number that stands for the fewest seats of the game until [`Self::complete`] knows the game.
    const fn fewest() -> usize {
        usize::MAX
    }

    const fn blocks() -> u32 {
        20
    }

    const fn groups() -> usize {
        1
    }

    /// Checks the keys that need no other part of the file, and adds the default of the seats. `path` is the path of the stage in
    /// its file, such as `stage.0`.
    pub(super) fn complete(&mut self, path: &str) -> Result<(), Fault> {
        if self.kind == Kind::Ladder {
            self.luck = Luck::Own;
        }
        let Self { name, kind, game, seats, groups, challengers, ladder, .. } = self;
        let path = |key: &str| format!("{path}.{key}");
        let rules = at(path("game"), find(game).map_err(|error| error.to_string()))?;
        at(path("name"), check_name(name))?;
        ensure(*groups > 0, path("groups"), || "expected at least 1 group, got 0")?;
        ensure(
            challengers.is_empty() || *kind == Kind::Gauntlet,
            path("challengers"),
            || "expected challengers with kind = \"gauntlet\" only",
        )?;
        ensure(
            *kind == Kind::Ladder || *ladder == LadderRules::default(),
            path("ladder"),
            || "expected the rules of a ladder with kind = \"ladder\" only",
        )?;
        ladder.check(&path("ladder"))?;
        let (least, most) = rules.seats().into_inner();
        if *seats == Self::fewest() {
            *seats = least;
        }
        ensure((least..=most).contains(seats), path("seats"), || {
            format!("expected {least} to {most} seats in {game}, got {seats}")
        })?;
        at(path("options"), self.setup().map(|_| ()))
    }

    /// Returns the rules, seats, and options of the games.
    pub fn setup(&self) -> Result<Setup, String> {
        let rules = find(&self.game).map_err(|error| error.to_string())?;
        let options: Vec<_> = self.options.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
        rules.configure(self.seats, &options).map_err(|error| error.to_string())
    }

    /// Returns the number of games of a block with an agent for each seat.
    pub fn games(&self) -> usize {
        self.seatings(self.seats).len()
    }

    /// Returns the seatings of a block at a table of this number of agents. With fewer agents than seats, the last agent takes
    /// the remaining seats.
    pub(super) fn seatings(&self, agents: usize) -> Vec<Seating> {
        let seats = Seats::new(self.seats).expect("the file was checked");
        let lineup = match agents < self.seats {
            true => Lineup::with_field(agents.saturating_sub(1), seats),
            false => Lineup::filled(agents, seats),
        };
        lineup.map_or_else(|_| Vec::new(), |lineup| lineup.seatings(self.design))
    }
}

/// A rule that says who meets whom.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// All agents meet each other equally often.
    #[default]
    RoundRobin,
    /// Some agents, the challengers, meet all others equally often.
    Gauntlet,
    /// Tables are drawn among the agents that wait, until a date or without end.
    Ladder,
}
