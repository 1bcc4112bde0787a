//! The opening of a stream of environments, with every field checked.

use std::num::NonZeroU32;

use ahu_core::{Seats, Seed};
use ahu_messages::v1::{self, run_request};

use super::api_error::ApiError;
use super::convert;
use crate::{
    AnyRules, Autoreset, BotName, CatalogVectorEnv, EnvConfig, Player, RewardRule, Rotation, RowSize, Setup, ensure,
    find,
};

/// The maximum number of environments of one stream. A decision costs the same from about two thousand on.
pub const MAX_STREAM_ENVIRONMENTS: u32 = 65_536;

/// The maximum size of a batch in bytes, if all its episodes ended at once. Clients must accept such messages, and a
/// host keeps two of them for each group.
pub const MAX_BATCH_BYTES: usize = 128 * 1024 * 1024;

/// The size of a batch without its rows, in bytes: keys, lengths, and single numbers.
pub const BATCH_FRAME_BYTES: usize = 1024;

/// The size of the summary of an episode together with the seed of the next episode and the byte that tells of a truncation, in
/// bytes: six seats, each with a bot and three numbers, and the keys around them.
pub const EPISODE_BYTES: usize = 256;

/// A checked request for environments.
#[derive(Clone, Debug)]
pub struct Opening {
    /// The setup of all environments.
    pub setup: Setup,
    env_config: EnvConfig,
    seed: Seed,
    /// The number of environments.
    pub count: u32,
    pub(super) groups: u32,
}

impl Opening {
    /// Checks a request. Environments without a seed in the request have the seed `fallback`.
    pub fn read(open: &run_request::Open, fallback: impl FnOnce() -> Seed) -> Result<Self, ApiError> {
        let rules = find(&open.game)?;
        ApiError::check_expected(rules, open.rules_version, &open.layout_hash)?;
        let given: Vec<_> = open.options.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
        let setup = rules.configure(open.seat_count as usize, &given)?;
        let (count, groups) = sizes(open)?;
        let env_config = EnvConfig {
            players: players(rules, setup.seats(), &open.players)?,
            rotation: rotation(open)?,
            autoreset: autoreset(open)?,
            rewards: rewards(open)?,
            max_decisions: NonZeroU32::new(open.max_decisions),
        };
        let seed = open.seed.map_or_else(fallback, Seed);
        let opening = Self { setup, env_config, seed, count, groups };
        opening.check_batch(opening.setup.row_size(), &opening.env_config.players)?;
        Ok(opening)
    }

    /// Creates the environments.
    pub fn environments(&self) -> Box<dyn CatalogVectorEnv> {
        self.setup.environments(self.env_config.clone(), self.seed, self.count as usize)
    }

    /// Returns the bots that may play.
    pub fn bots(&self) -> impl Iterator<Item = BotName> {
        bots(&self.env_config.players)
    }

    /// Reads other players for these environments, and refuses players with whom a batch could be too large.
    pub fn read_players(&self, request: &run_request::SetPlayers) -> Result<Vec<Player>, ApiError> {
        ensure(!request.players.is_empty(), || bad_player("expected a player for each seat, got none".to_owned()))?;
        let players = players(self.setup.rules(), self.setup.seats(), &request.players)?;
        self.check_batch(self.setup.row_size(), &players)?;
        Ok(players)
    }

    /// Returns the number of environments in a group.
    pub fn group_size(&self) -> u32 {
        self.count / self.groups
    }

    /// Returns the answer to the request.
    pub fn opened(&self) -> v1::run_response::Opened {
        let rules = self.setup.rules();
        v1::run_response::Opened {
            layout: Some(convert::layout(&rules.layout())),
            action_count: rules.action_count() as u32,
            seed: self.seed.0,
            options: convert::options(&*self.setup),
            data_files: convert::data_files(&*self.setup),
        }
    }

    /// Refuses a group whose largest batch exceeds the limit of a message: if all its episodes end at once.
    fn check_batch(&self, row: RowSize, players: &[Player]) -> Result<(), ApiError> {
        let external = players.iter().filter(|&player| *player == Player::External).count();
        let environment = row.total() + external * row.end() + EPISODE_BYTES;
        let most = (MAX_BATCH_BYTES - BATCH_FRAME_BYTES) / environment;
        let size = self.group_size() as usize;
        ensure(size <= most, || {
            let message = format!(
                "expected at most {most} environments in a group, since a message has at most {MAX_BATCH_BYTES} bytes; got \
                 {size}, which may need {} bytes",
                size * environment
            );
            ApiError::bad_field("environment_count", message)
        })
    }
}

/// Returns the bots of some players.
pub fn bots(players: &[Player]) -> impl Iterator<Item = BotName> {
    players
        .iter()
        .flat_map(|player| match player {
            Player::External => &[],
            Player::Bots(bots) => &bots[..],
        })
        .map(|&(bot, _)| bot)
}

/// Returns the number of environments and the number of groups.
fn sizes(open: &run_request::Open) -> Result<(u32, u32), ApiError> {
    let (count, groups) = (open.environment_count, open.group_count.max(1));
    ensure((1..=MAX_STREAM_ENVIRONMENTS).contains(&count), || {
        let message = format!("expected 1 to {MAX_STREAM_ENVIRONMENTS} environments, got {count}");
        ApiError::bad_field("environment_count", message)
    })?;
    ensure(count.is_multiple_of(groups), || {
        let message = format!("expected a number of groups that divides {count} environments, got {groups}");
        ApiError::bad_field("group_count", message)
    })?;
    Ok((count, groups))
}

fn players(rules: &dyn AnyRules, seats: Seats, players: &[v1::EnvironmentPlayer]) -> Result<Vec<Player>, ApiError> {
    let (seats, given) = (seats.count(), players.len());
    if players.is_empty() {
        return Ok(vec![Player::External; seats]);
    }
    ensure(given == seats, || {
        bad_player(format!("expected a player for each of the {seats} seats, or none; got {given}"))
    })?;
    let players: Vec<Player> = players.iter().map(|player| read_player(rules, player)).collect::<Result<_, _>>()?;
    ensure(players.contains(&Player::External), || {
        bad_player("expected an external player: leave `bots` empty for each player that you control".to_owned())
    })?;
    Ok(players)
}

fn bad_player(message: String) -> ApiError {
    ApiError::bad_field("players", message)
}

fn read_player(rules: &dyn AnyRules, player: &v1::EnvironmentPlayer) -> Result<Player, ApiError> {
    let mut bots: Vec<(BotName, u32)> = Vec::new();
    for v1::WeightedBot { bot, weight } in &player.bots {
        let name = rules.bot(bot).map_err(|error| ApiError::unknown_bot(&error, bot))?;
        ensure(name.is_reproducible(), || {
            let expected = "expected a budget in playouts, such as search:200";
            ApiError::bad_bot(format!("{expected}, got the bot \"{name}\": an episode is a function of its seed"), name)
        })?;
        let weight = weight.unwrap_or(1);
        ensure(weight > 0, || bad_player(format!("expected a weight of 1 or more for the bot \"{bot}\", got 0")))?;
        ensure(bots.iter().all(|&(other, _)| other != name), || {
            bad_player(format!("the bot \"{bot}\" occurs twice in one player: add up its weights"))
        })?;
        bots.push((name, weight));
    }
    Ok(if bots.is_empty() { Player::External } else { Player::Bots(bots) })
}

fn autoreset(open: &run_request::Open) -> Result<Autoreset, ApiError> {
    Ok(match ApiError::read_value("autoreset_mode", open.autoreset_mode)? {
        v1::AutoresetMode::Unspecified | v1::AutoresetMode::NextStep => Autoreset::NextStep,
        v1::AutoresetMode::SameStep => Autoreset::SameStep,
        v1::AutoresetMode::Disabled => Autoreset::Disabled,
    })
}

fn rotation(open: &run_request::Open) -> Result<Rotation, ApiError> {
    Ok(match ApiError::read_value("seat_rotation", open.seat_rotation)? {
        v1::SeatRotation::Unspecified | v1::SeatRotation::Fixed => Rotation::Fixed,
        v1::SeatRotation::Episode => Rotation::Episode,
    })
}

fn rewards(open: &run_request::Open) -> Result<RewardRule, ApiError> {
    Ok(match ApiError::read_value("reward_rule", open.reward_rule)? {
        v1::RewardRule::Unspecified | v1::RewardRule::Rank => RewardRule::Rank,
        v1::RewardRule::Margin => RewardRule::Margin,
        v1::RewardRule::Points => RewardRule::Points,
        v1::RewardRule::MarginGain => RewardRule::MarginGain,
    })
}
