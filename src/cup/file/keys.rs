//! The keys of the file of a cup, as TOML has them.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Deserializer, de};

use super::places::{FileError, Places};
use super::{CupClock, CupConduct, Tiebreak};
use crate::cup::entrant::{Entrant, Player};
use crate::cup::stage::{DesignName, Kind, LuckName, Stage};
use ahu_engine::host::find;
use ahu_engine::host::record::{check_new_name, parse_digest};
use ahu_engine::host::visible::check_line;

/// The number of blocks of a stage without `blocks`.
pub(super) const BLOCKS: u32 = 20;
/// The maximum length of a name, so that tables stay narrow.
const MAX_NAME: usize = 32;

/// The keys of the file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Keys {
    pub(super) tournament: Header,
    #[serde(default)]
    pub(super) clock: Option<CupClock>,
    #[serde(default)]
    pub(super) conduct: CupConduct,
    #[serde(default)]
    pub(super) stage: Vec<StageKeys>,
    #[serde(default)]
    pub(super) agent: Vec<AgentKeys>,
    // The keys of a cup of one stage.
    pub(super) kind: Option<Kind>,
    pub(super) game: Option<String>,
    pub(super) seats: Option<usize>,
    pub(super) blocks: Option<u32>,
    pub(super) luck: Option<LuckName>,
    pub(super) design: Option<DesignName>,
    pub(super) options: Option<BTreeMap<String, Scalar>>,
    pub(super) challengers: Option<Vec<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
/// The keys of `[tournament]`.
pub(super) struct Header {
    pub(super) name: String,
    pub(super) until: Option<toml::value::Datetime>,
    #[serde(deserialize_with = "milliseconds", default = "Header::absent")]
    pub(super) absent: u32,
    pub(super) anchor: Option<String>,
    #[serde(default)]
    pub(super) anonymous: bool,
    #[serde(default)]
    pub(super) allow_teammates: bool,
    #[serde(default = "Header::tiebreak")]
    pub(super) tiebreak: Vec<Tiebreak>,
    #[serde(default = "Header::probation")]
    pub(super) probation: u32,
}

impl Header {
    const fn absent() -> u32 {
        600_000
    }

    fn tiebreak() -> Vec<Tiebreak> {
        vec![Tiebreak::HeadToHead, Tiebreak::Margin]
    }

    const fn probation() -> u32 {
        5
    }
}

impl Keys {
    /// Takes out the stages of the file, or the one stage that the keys at the top of the file describe. A file has either.
    pub(super) fn stages(&mut self, places: &Places<'_>) -> Result<Vec<Stage>, FileError> {
        let stages = std::mem::take(&mut self.stage);
        let given = [
            ("game", self.game.is_some()),
            ("kind", self.kind.is_some()),
            ("seats", self.seats.is_some()),
            ("blocks", self.blocks.is_some()),
            ("luck", self.luck.is_some()),
            ("design", self.design.is_some()),
            ("options", self.options.is_some()),
            ("challengers", self.challengers.is_some()),
        ];
        if let Some((key, _)) = given.into_iter().find(|(_, is_given)| *is_given && !stages.is_empty()) {
            let message = format!("expected {key} in each [[stage]], got it at the top of the file");
            return Err(places.fault(&[key], message));
        }
        let Some(game) = self.game.take() else {
            if stages.is_empty() {
                let message = "expected a [[stage]], or the key game at the top of the file, got neither".to_owned();
                return Err(FileError { line: None, message });
            }
            let stages = stages.into_iter().enumerate().map(|(index, stage)| {
                let place = index.to_string();
                stage.stage().map_err(|(key, message)| places.fault(&["stage", &place, key], message))
            });
            return stages.collect();
        };
        let stage = StageKeys {
            name: "main".to_owned(),
            kind: self.kind.unwrap_or_default(),
            game,
            seats: self.seats,
            options: self.options.take().unwrap_or_default(),
            blocks: self.blocks.unwrap_or(BLOCKS),
            luck: self.luck.unwrap_or(LuckName::Own),
            design: self.design.unwrap_or(DesignName::Neighbour),
            advance: None,
            groups: 1,
            challengers: self.challengers.take().unwrap_or_default(),
        };
        stage.stage().map(|stage| vec![stage]).map_err(|(key, message)| places.fault(&[key], message))
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StageKeys {
    name: String,
    #[serde(default)]
    kind: Kind,
    game: String,
    seats: Option<usize>,
    #[serde(default)]
    options: BTreeMap<String, Scalar>,
    #[serde(default = "StageKeys::blocks")]
    blocks: u32,
    #[serde(default = "StageKeys::luck")]
    luck: LuckName,
    #[serde(default = "StageKeys::design")]
    design: DesignName,
    advance: Option<usize>,
    #[serde(default = "StageKeys::groups")]
    groups: usize,
    #[serde(default)]
    challengers: Vec<String>,
}

impl StageKeys {
    const fn blocks() -> u32 {
        BLOCKS
    }

    const fn luck() -> LuckName {
        LuckName::Own
    }

    const fn design() -> DesignName {
        DesignName::Neighbour
    }

    const fn groups() -> usize {
        1
    }

    /// Returns the stage, or the key and its fault.
    fn stage(self) -> Result<Stage, (&'static str, String)> {
        let Self { name, kind, game, seats, options, blocks, luck, design, advance, groups, challengers } = self;
        let rules = find(&game).map_err(|error| ("game", error.to_string()))?;
        check_name(&name).map_err(|message| ("name", message))?;
        if groups == 0 {
            return Err(("groups", "expected at least 1 group, got 0".to_owned()));
        }
        if !challengers.is_empty() && kind != Kind::Gauntlet {
            return Err(("challengers", "expected challengers with kind = \"gauntlet\" only".to_owned()));
        }
        let seats = seats.unwrap_or(*rules.seats().start());
        if !rules.seats().contains(&seats) {
            let (least, most) = rules.seats().into_inner();
            return Err(("seats", format!("expected {least} to {most} seats in {game}, got {seats}")));
        }
        let options = options.into_iter().map(|(key, value)| (key, value.text())).collect();
        let stage = Stage { name, kind, game, seats, options, blocks, luck, design, advance, groups, challengers };
        stage.setup().map_err(|message| ("options", message))?;
        Ok(stage)
    }
}

/// The value of an option: a text, a number, or a truth value.
#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum Scalar {
    Text(String),
    Number(i64),
    Flag(bool),
}

impl Scalar {
    fn text(self) -> String {
        match self {
            Self::Text(text) => text,
            Self::Number(number) => number.to_string(),
            Self::Flag(flag) => flag.to_string(),
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AgentKeys {
    name: String,
    owner: Option<String>,
    bot: Option<String>,
    cmd: Option<String>,
    protocol: Option<String>,
    #[serde(default)]
    wrapper: Vec<String>,
    #[serde(default)]
    remote: bool,
    key: Option<String>,
}

impl AgentKeys {
    /// Returns the agent, or the key and its fault.
    pub(super) fn entrant(self) -> Result<Entrant, (&'static str, String)> {
        let Self { name, owner, bot, cmd, protocol, wrapper, remote, key } = self;
        check_name(&name).map_err(|message| ("name", message))?;
        let lines = match protocol.as_deref() {
            None | Some("grpc") => false,
            Some("jsonl") => true,
            Some(other) => return Err(("protocol", format!("expected \"grpc\" or \"jsonl\", got \"{other}\""))),
        };
        let is_command = cmd.is_some();
        if bot.is_none() {
            check_new_name(&name).map_err(|message| ("name", message))?;
        }
        if let Some(owner) = &owner {
            check_line("an owner", owner).map_err(|message| ("owner", message))?;
        }
        let player = match (bot, cmd, remote) {
            (Some(bot), None, false) => Player::Bot { bot },
            (None, Some(cmd), false) if !cmd.trim().is_empty() => {
                Player::Command { cmd, lines, wrapper: wrapper.clone() }
            }
            (None, Some(_), false) => return Err(("cmd", "expected a command, got an empty one".to_owned())),
            (None, None, true) => Player::Remote { key: key.clone() },
            _ => {
                let message = format!("expected one of bot, cmd, and remote = true for agent \"{name}\"");
                return Err(("name", message));
            }
        };
        if let Some(key) = &key
            && (!remote || parse_digest(key).is_err())
        {
            let message = "expected the hash of a key, 64 hexadecimal digits that `ahu tournament keys` writes, with remote = \
                           true only";
            return Err(("key", format!("{message}; got \"{key}\"")));
        }
        if !is_command && (!wrapper.is_empty() || protocol.is_some()) {
            let key = if wrapper.is_empty() { "protocol" } else { "wrapper" };
            return Err((key, format!("expected {key} with cmd only: agent \"{name}\" is no command")));
        }
        Ok(Entrant { name, owner, is_anchor: false, player })
    }
}

/// Reads a duration such as `"10m"` or `"500ms"`, in milliseconds.
pub(super) fn milliseconds<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    let text = match Scalar::deserialize(deserializer)? {
        Scalar::Text(text) => text,
        other => other.text(),
    };
    let duration = duration(&text).map_err(de::Error::custom)?;
    u32::try_from(duration.as_millis())
        .map_err(|_| de::Error::custom(format!("expected a time of at most 49 days, got \"{text}\"")))
}

/// Parses a duration: a number with one of the units ms, s, m, h, and d.
fn duration(text: &str) -> Result<Duration, String> {
    let units = [("ms", 1e-3), ("s", 1.0), ("m", 60.0), ("h", 3600.0), ("d", 86400.0)];
    let found = units.into_iter().find_map(|(unit, seconds)| {
        let number = text.strip_suffix(unit)?;
        let is_plain = !number.is_empty() && number.chars().all(|letter| letter.is_ascii_digit() || letter == '.');
        let number = number.parse::<f64>().ok().filter(|_| is_plain)?;
        Duration::try_from_secs_f64(number * seconds).ok()
    });
    found.ok_or_else(|| format!("expected a time such as \"500ms\", \"30s\", \"10m\", or \"2h\", got \"{text}\""))
}

/// Checks that a name of an agent or a stage is a word that names a file too.
pub(super) fn check_name(name: &str) -> Result<(), String> {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "._@:+-".contains(letter);
    match (1..=MAX_NAME).contains(&name.len()) && name.chars().all(is_plain) && !name.starts_with(['.', '-']) {
        true => Ok(()),
        false => {
            Err(format!("expected a name of 1 to {MAX_NAME} letters, digits, and characters of ._@:+-, got \"{name}\""))
        }
    }
}
