//! Saves: the progress of all environments of a stream as bytes.
//!
//! A save is a line that names the format, the start of SHA-256 over the rest, and a message. It is read by nobody else, so the
//! message is no part of `proto/`. It names the settings of its environments, and no others take it.

use std::sync::Arc;

use ahu_core::{ActionId, Seed};
use ahu_messages::v1::run_response::{Restored, Saved};
use prost::Message;
use sha2::{Digest as _, Sha256};

use super::api_error::ApiError;
use super::open::{BATCH_FRAME_BYTES, MAX_BATCH_BYTES};
use super::session::restored_batch;
use crate::{
    AnyVectorEnv, BotName, CatalogVectorEnv, EnvConfig, Player, Ply, Position, RowMemory, Rows, SavedEnvironment,
    Setup, ensure,
};

/// The first bytes of a save.
const MAGIC: &[u8] = b"ahu environments 1\n";

/// The bytes of the hash.
const HASH_BYTES: usize = 16;

/// The bytes of the settings, at most.
const SETTINGS_BYTES: usize = 64 * 1024;

/// The bytes of an environment without its plies, at most: numbers, and a bot for each of six seats.
const ENVIRONMENT_BYTES: usize = 256;

/// The bytes of a ply, at most: an action, or the action of a State.
const PLY_BYTES: usize = 16;

#[derive(Clone, PartialEq, Message)]
struct Save {
    /// The settings, in the order of `settings`.
    #[prost(string, repeated, tag = "1")]
    settings: Vec<String>,
    /// The names of the bots, to which environments refer by place.
    #[prost(string, repeated, tag = "2")]
    bots: Vec<String>,
    #[prost(message, repeated, tag = "3")]
    environments: Vec<Environment>,
}

#[derive(Clone, PartialEq, Message)]
struct Environment {
    #[prost(uint64, tag = "1")]
    seed: u64,
    #[prost(uint64, tag = "2")]
    episodes: u64,
    /// For each seat 0, or the place of its bot plus 1.
    #[prost(uint32, repeated, tag = "3")]
    bots: Vec<u32>,
    /// Two bytes an action, little-endian.
    #[prost(bytes = "vec", tag = "4")]
    actions: Vec<u8>,
    #[prost(message, optional, tag = "5")]
    start: Option<Start>,
}

/// The position at which an episode began.
#[derive(Clone, PartialEq, Message)]
struct Start {
    #[prost(uint64, optional, tag = "1")]
    seed: Option<u64>,
    #[prost(message, repeated, tag = "2")]
    history: Vec<StartPly>,
    #[prost(uint32, tag = "3")]
    plies: u32,
    #[prost(string, tag = "4")]
    fingerprint: String,
}

#[derive(Clone, PartialEq, Message)]
struct StartPly {
    #[prost(uint32, tag = "1")]
    seat: u32,
    #[prost(uint32, tag = "2")]
    action_id: u32,
    /// The outcome of a chance event; absent for an action.
    #[prost(string, optional, tag = "3")]
    outcome: Option<String>,
}

/// Returns the most bytes that a save of these environments may have.
pub fn most_save_bytes(setup: &Setup, count: usize) -> usize {
    let plies = PLY_BYTES * setup.rules().info().max_plies;
    (SETTINGS_BYTES + count * (ENVIRONMENT_BYTES + plies)).min(MAX_BATCH_BYTES - BATCH_FRAME_BYTES)
}

/// Returns the progress of all environments.
pub fn save(setup: &Setup, environments: &dyn CatalogVectorEnv) -> Result<Saved, ApiError> {
    let mut bots: Vec<BotName> = Vec::new();
    let mut saved = Vec::with_capacity(environments.len());
    for number in 0..environments.len() as u32 {
        let SavedEnvironment { seed, episodes, bots: own, start, actions } = environments.saved(number);
        let place = |bot: Option<BotName>| bot.map_or(0, |bot| 1 + place_of(&mut bots, bot));
        let start = start
            .map(|start| Start::of(&start))
            .transpose()
            .map_err(|message| ApiError::bad_field("environments", format!("environment {number}: {message}")))?;
        saved.push(Environment {
            seed: seed.0,
            episodes,
            bots: own.into_iter().map(place).collect(),
            actions: actions.iter().flat_map(|id| id.to_le_bytes()).collect(),
            start,
        });
    }
    let save = Save {
        settings: settings(setup, environments).map(|(_, value)| value).to_vec(),
        bots: bots.into_iter().map(BotName::name).collect(),
        environments: saved,
    };
    let bytes = save.encode_to_vec();
    let data = [MAGIC, &hash(&bytes), &bytes].concat();
    let most = most_save_bytes(setup, environments.len());
    ensure(data.len() <= most, || {
        ApiError::bad_field("environments", format!("expected a save of at most {most} bytes, got {}", data.len()))
    })?;
    Ok(Saved { data: data.into() })
}

/// Replaces all environments by those of a save. A refusal changes nothing.
pub fn restore(setup: &Setup, environments: &mut dyn CatalogVectorEnv, data: &[u8]) -> Result<Restored, ApiError> {
    let most = most_save_bytes(setup, environments.len());
    ensure(data.len() <= most, || wrong(format!("expected a save of at most {most} bytes, got {}", data.len())))?;
    let rest = data.strip_prefix(MAGIC).ok_or_else(|| {
        wrong("expected bytes of VectorEnv.save of this version of the format, got others".to_owned())
    })?;
    let (found, bytes) = rest.split_at_checked(HASH_BYTES).unwrap_or((rest, &[]));
    ensure(found == hash(bytes), || {
        wrong("expected the bytes of a save as they were, got cut or changed ones".to_owned())
    })?;
    let save = Save::decode(bytes).map_err(|error| wrong(error.to_string()))?;
    for (n, (name, ours)) in settings(setup, environments).into_iter().enumerate() {
        let theirs = save.settings.get(n).map_or("nothing", String::as_str);
        ensure(theirs == ours, || {
            wrong(format!("expected a save of environments with {name} {ours}, got {name} {theirs}"))
        })?;
    }
    let bot = |name: &String| setup.rules().bot(name).map_err(|error| wrong(error.message.into_owned()));
    let bots: Vec<BotName> = save.bots.iter().map(bot).collect::<Result<_, _>>()?;
    let read = |(number, environment): (usize, &Environment)| {
        environment.read(setup, &bots).map_err(|message| wrong(format!("environment {number}: {message}")))
    };
    let saved: Vec<SavedEnvironment> = save.environments.iter().enumerate().map(read).collect::<Result<_, _>>()?;
    let mut rows = Rows::default();
    let restored = environments.restore(&saved, RowMemory::Columns(&mut rows));
    let begins = restored.map_err(|error| wrong(error.to_string()))?;
    Ok(Restored {
        batch: Some(Box::new(restored_batch(environments, rows))),
        starts: begins.into_iter().map(u8::from).collect(),
        env_seeds: saved.iter().flat_map(|saved| saved.seed.0.to_le_bytes()).collect(),
    })
}

/// Returns the settings of environments as texts, each with its name.
fn settings(setup: &Setup, environments: &dyn AnyVectorEnv) -> [(&'static str, String); 9] {
    let EnvConfig { players, rotation, autoreset, rewards, max_decisions } = environments.env_config();
    let info = setup.rules().info();
    let listed: Vec<String> = players.iter().map(player).collect();
    [
        ("the game", info.id.to_owned()),
        ("the rules version", info.rules.to_string()),
        ("the options", setup.to_string()),
        ("the number of environments", environments.len().to_string()),
        ("the players", listed.join(", ")),
        ("the rotation", format!("{rotation:?}")),
        ("the autoreset mode", format!("{autoreset:?}")),
        ("the rewards", rewards.to_string()),
        ("max_decisions", max_decisions.map_or_else(|| "none".to_owned(), |most| most.to_string())),
    ]
}

fn player(player: &Player) -> String {
    match player {
        Player::External => "external".to_owned(),
        Player::Bots(bots) => bots.iter().map(|(bot, weight)| format!("{bot}*{weight}")).collect::<Vec<_>>().join("+"),
    }
}

fn place_of(bots: &mut Vec<BotName>, bot: BotName) -> u32 {
    let place = bots.iter().position(|&known| known == bot).unwrap_or_else(|| {
        bots.push(bot);
        bots.len() - 1
    });
    place as u32
}

fn hash(bytes: &[u8]) -> [u8; HASH_BYTES] {
    Sha256::digest(bytes)[..HASH_BYTES].try_into().expect("SHA-256 has 32 bytes")
}

fn wrong(message: String) -> ApiError {
    ApiError::bad_field("data", message)
}

impl Environment {
    fn read(&self, setup: &Setup, bots: &[BotName]) -> Result<SavedEnvironment, String> {
        let bot = |&place: &u32| match place.checked_sub(1) {
            None => Ok(None),
            Some(place) => match bots.get(place as usize) {
                Some(&bot) => Ok(Some(bot)),
                None => Err(format!("expected a bot below {}, got {place}", bots.len())),
            },
        };
        let (actions, rest) = self.actions.as_chunks();
        ensure(rest.is_empty(), || format!("expected two bytes an action, got {} bytes", self.actions.len()))?;
        Ok(SavedEnvironment {
            seed: Seed(self.seed),
            episodes: self.episodes,
            bots: self.bots.iter().map(bot).collect::<Result<_, _>>()?,
            start: self.start.as_ref().map(|start| start.read(setup)).transpose()?.map(Arc::new),
            actions: actions.iter().map(|&bytes| u16::from_le_bytes(bytes)).collect(),
        })
    }
}

impl Start {
    fn of(position: &Position) -> Result<Self, String> {
        let history = position.history().ok_or("it began at a State without a history, which no save can state")?;
        let ply = |ply| match ply {
            Ply::Action { seat, id } => StartPly { seat: seat.index() as u32, action_id: id.0.into(), outcome: None },
            Ply::Outcome(outcome) => StartPly { outcome: Some(outcome.into()), ..StartPly::default() },
        };
        Ok(Self {
            seed: position.seed().map(|seed| seed.0),
            history: history.into_iter().map(ply).collect(),
            plies: position.plies(),
            fingerprint: position.game().fingerprint().to_string(),
        })
    }

    fn read(&self, setup: &Setup) -> Result<Position, String> {
        let ply = |ply: &StartPly| {
            if let Some(outcome) = &ply.outcome {
                return Ok(Ply::Outcome(outcome.as_str().into()));
            }
            let seat = setup.seats().get(ply.seat as usize);
            let id = u16::try_from(ply.action_id).ok().map(ActionId);
            let action = seat.zip(id).map(|(seat, id)| Ply::Action { seat, id });
            action.ok_or_else(|| format!("expected a seat and an action, got {} and {}", ply.seat, ply.action_id))
        };
        let history: Vec<Ply> = self.history.iter().map(ply).collect::<Result<_, String>>()?;
        let position = Position::replay(setup.clone(), self.seed.map(Seed), &history, self.plies);
        let position = position.map_err(|error| error.to_string())?;
        let reached = position.game().fingerprint().to_string();
        ensure(reached == self.fingerprint, || {
            format!("expected the fingerprint {reached} after the plies of its State, got {}", self.fingerprint)
        })?;
        Ok(position)
    }
}
