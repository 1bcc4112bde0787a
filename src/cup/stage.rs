//! The stages of a cup.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use ahu_engine::core::Seats;
use ahu_engine::host::blocks::{Design, Luck};
use ahu_engine::host::{Setup, find};

/// A stage as the file describes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stage {
    /// The name.
    pub name: String,
    /// The rule that says who meets whom.
    pub kind: Kind,
    /// The id of the game.
    pub game: String,
    /// The number of seats of a table.
    pub seats: usize,
    /// The options of the game that are given.
    pub options: BTreeMap<String, String>,
    /// The number of blocks in which each two agents that may meet do so.
    pub blocks: u32,
    /// The seeds of the games of a block.
    pub luck: LuckName,
    /// The seatings of a block.
    pub design: DesignName,
    /// The number of agents of each group that play the next stage; None in the last stage.
    pub advance: Option<usize>,
    /// The number of groups.
    pub groups: usize,
    /// The agents that meet all others in a gauntlet.
    pub challengers: Vec<String>,
}

impl Stage {
    /// Returns the rules, seats, and options.
    pub fn setup(&self) -> Result<Setup, String> {
        let rules = find(&self.game).map_err(|error| error.to_string())?;
        let options: Vec<_> = self.options.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
        rules.configure(self.seats, &options).map_err(|error| error.to_string())
    }

    /// Returns the number of games of a block.
    pub fn games(&self) -> usize {
        let seats = Seats::new(self.seats).expect("the file was checked");
        Design::from(self.design).seatings(seats).len()
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
}

/// The name of a [`Luck`] in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LuckName {
    /// All games of a block have one seed.
    Shared,
    /// Every game has a seed of its own.
    Own,
}

impl From<LuckName> for Luck {
    fn from(luck: LuckName) -> Self {
        match luck {
            LuckName::Shared => Self::Shared,
            LuckName::Own => Self::Own,
        }
    }
}

/// The name of a [`Design`] in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DesignName {
    /// The rotations of the table.
    Cyclic,
    /// Every ordered pair of agents sits in every ordered pair of seats equally often.
    Neighbour,
}

impl From<DesignName> for Design {
    fn from(design: DesignName) -> Self {
        match design {
            DesignName::Cyclic => Self::Cyclic,
            DesignName::Neighbour => Self::Neighbour,
        }
    }
}
