//! The opening of a stream of environments, with every field checked.

use super::convert;
use super::error::ApiError;
use crate::core::{Seats, Seed};
use crate::host::{
    AnyRules, AnyVectorEnv, Autoreset, BotName, EnvConfig, Player, RewardRule, Rotation, RowSize, Setup, find,
};
use crate::proto::v1::{self, run_request};

/// The maximum number of environments of one stream. A decision costs the same from about two thousand on.
pub const MAX_STREAM_ENVIRONMENTS: u32 = 65_536;

/// The maximum size of a batch in bytes, if all its episodes ended at once. Clients must accept such messages, and a
/// host keeps two of them for each group.
pub const MAX_BATCH_BYTES: usize = 128 * 1024 * 1024;

/// The size of a batch without its rows, in bytes: keys, lengths, and single numbers.
pub const BATCH_FRAME_BYTES: usize = 1024;

/// The size of the summary of an episode together with the seed of the next one, in bytes: six seats, each with a bot
/// and three numbers, and the keys around them.
pub const EPISODE_BYTES: usize = 256;

/// A checked request for environments.
#[derive(Debug)]
pub struct Opening {
    pub(super) setup: Setup,
    env_config: EnvConfig,
    seed: Seed,
    count: u32,
    pub(super) groups: u32,
}

impl Opening {
    /// Checks a request. Environments without a seed in the request have the seed `fallback`.
    pub fn read(open: &run_request::Open, fallback: impl FnOnce() -> Seed) -> Result<Self, ApiError> {
        let rules = find(&open.game)?;
        let given: Vec<_> = open.options.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
        let setup = rules.configure(open.seat_count as usize, &given)?;
        let (count, groups) = sizes(open)?;
        let env_config = EnvConfig {
            players: players(rules, setup.seats(), &open.players)?,
            rotation: rotation(open)?,
            autoreset: autoreset(open)?,
            rewards: rewards(open)?,
        };
        let seed = open.seed.map_or_else(fallback, Seed);
        let opening = Self { setup, env_config, seed, count, groups };
        opening.check_batch(opening.setup.row_size())?;
        Ok(opening)
    }

    /// Returns the number of environments.
    pub fn count(&self) -> u32 {
        self.count
    }

    /// Returns the setup of all environments.
    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    /// Creates the environments.
    pub fn environments(&self) -> Box<dyn AnyVectorEnv> {
        self.setup.environments(self.env_config.clone(), self.seed, self.count as usize)
    }

    /// Returns the bots that may play.
    pub fn bots(&self) -> impl Iterator<Item = BotName> {
        self.env_config
            .players
            .iter()
            .flat_map(|player| match player {
                Player::External => &[],
                Player::Bots(bots) => &bots[..],
            })
            .map(|&(bot, _)| bot)
    }

    /// Returns the number of environments in a group.
    pub(super) fn group_size(&self) -> u32 {
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
    fn check_batch(&self, row: RowSize) -> Result<(), ApiError> {
        let external = self.env_config.players.iter().filter(|&player| *player == Player::External).count();
        let environment = row.total() + external * row.end() + EPISODE_BYTES;
        let most = (MAX_BATCH_BYTES - BATCH_FRAME_BYTES) / environment;
        let size = self.group_size() as usize;
        match size > most {
            false => Ok(()),
            true => Err(ApiError::bad_field(
                "environment_count",
                format!(
                    "expected at most {most} environments in a group, since a message has at most {MAX_BATCH_BYTES} \
                     bytes; got {size}, which may need {} bytes",
                    size * environment
                ),
            )),
        }
    }
}

/// Returns the number of environments and the number of groups.
fn sizes(open: &run_request::Open) -> Result<(u32, u32), ApiError> {
    let (count, groups) = (open.environment_count, open.group_count.max(1));
    if !(1..=MAX_STREAM_ENVIRONMENTS).contains(&count) {
        let message = format!("expected 1 to {MAX_STREAM_ENVIRONMENTS} environments, got {count}");
        return Err(ApiError::bad_field("environment_count", message));
    }
    if !count.is_multiple_of(groups) {
        let message = format!("expected a number of groups that divides {count} environments, got {groups}");
        return Err(ApiError::bad_field("group_count", message));
    }
    Ok((count, groups))
}

fn players(rules: &dyn AnyRules, seats: Seats, players: &[v1::Player]) -> Result<Vec<Player>, ApiError> {
    let seats = seats.count();
    if players.is_empty() {
        return Ok(vec![Player::External; seats]);
    }
    if players.len() != seats {
        let message = format!("expected a player for each of the {seats} seats, or none; got {}", players.len());
        return Err(ApiError::bad_field("players", message));
    }
    let players: Vec<Player> = players.iter().map(|player| read_player(rules, player)).collect::<Result<_, _>>()?;
    if !players.contains(&Player::External) {
        let message = "expected an external player: leave `bots` empty for each player that you control";
        return Err(ApiError::bad_field("players", message));
    }
    Ok(players)
}

fn read_player(rules: &dyn AnyRules, player: &v1::Player) -> Result<Player, ApiError> {
    if player.bots.is_empty() {
        return Ok(Player::External);
    }
    let mut bots: Vec<(BotName, u32)> = Vec::new();
    for v1::WeightedBot { bot, weight } in &player.bots {
        let name = rules.bot(bot).map_err(|error| ApiError::unknown_bot(&error, bot))?;
        if !name.is_reproducible() {
            let message = format!(
                "expected a budget in playouts, such as search:200, got the bot \"{name}\": an episode is a function of its seed"
            );
            return Err(ApiError::bad_bot(message, name));
        }
        let weight = weight.unwrap_or(1);
        if weight == 0 {
            let message = format!("expected a weight of 1 or more for the bot \"{bot}\", got 0");
            return Err(ApiError::bad_field("players", message));
        }
        if bots.iter().any(|&(other, _)| other == name) {
            let message = format!("the bot \"{bot}\" occurs twice in one player: add up its weights");
            return Err(ApiError::bad_field("players", message));
        }
        bots.push((name, weight));
    }
    Ok(Player::Bots(bots))
}

fn autoreset(open: &run_request::Open) -> Result<Autoreset, ApiError> {
    match open.autoreset_mode.try_into() {
        Ok(v1::AutoresetMode::Unspecified | v1::AutoresetMode::NextStep) => Ok(Autoreset::NextStep),
        Ok(v1::AutoresetMode::SameStep) => Ok(Autoreset::SameStep),
        Ok(v1::AutoresetMode::Disabled) => Ok(Autoreset::Disabled),
        Err(_) => Err(ApiError::unknown_value("autoreset_mode", open.autoreset_mode)),
    }
}

fn rotation(open: &run_request::Open) -> Result<Rotation, ApiError> {
    match open.seat_rotation.try_into() {
        Ok(v1::SeatRotation::Unspecified | v1::SeatRotation::Fixed) => Ok(Rotation::Fixed),
        Ok(v1::SeatRotation::Episode) => Ok(Rotation::Episode),
        Err(_) => Err(ApiError::unknown_value("seat_rotation", open.seat_rotation)),
    }
}

fn rewards(open: &run_request::Open) -> Result<RewardRule, ApiError> {
    match open.reward_rule.try_into() {
        Ok(v1::RewardRule::Unspecified | v1::RewardRule::Rank) => Ok(RewardRule::Rank),
        Ok(v1::RewardRule::Margin) => Ok(RewardRule::Margin),
        Ok(v1::RewardRule::Points) => Ok(RewardRule::Points),
        Ok(v1::RewardRule::MarginGain) => Ok(RewardRule::MarginGain),
        Err(_) => Err(ApiError::unknown_value("reward_rule", open.reward_rule)),
    }
}
