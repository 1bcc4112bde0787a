//! The opening of a stream: every field checked.

use super::super::error::ApiError;
use super::super::limits::{BATCH_FRAME_BYTES, EPISODE_BYTES, MAX_BATCH_BYTES, MAX_STREAM_ENVIRONMENTS};
use super::super::live_match::random_bytes;
use crate::core::Seed;
use crate::host::{AnyRules, Autoreset, BotName, EnvConfig, Player, RewardRule, Rotation, RowSize, Setup, find};
use crate::proto::v1::{self, run_request};

/// What a client asks for.
#[derive(Debug)]
pub(super) struct Opening {
    pub(super) rules: &'static dyn AnyRules,
    pub(super) setup: Setup,
    pub(super) env_config: EnvConfig,
    pub(super) seed: Seed,
    pub(super) count: u32,
    pub(super) groups: u32,
}

impl Opening {
    pub(super) fn read(open: &run_request::Open) -> Result<Self, ApiError> {
        let rules = find(&open.game)?;
        let given: Vec<_> = open.options.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
        let setup = rules.configure(open.seat_count as usize, &given)?;
        let (count, groups) = sizes(open)?;
        let env_config = EnvConfig {
            players: players(rules, &setup, &open.players)?,
            rotation: rotation(open)?,
            autoreset: autoreset(open)?,
            rewards: rewards(open)?,
        };
        let seed = Seed(open.seed.unwrap_or_else(|| u64::from_le_bytes(random_bytes())));
        Ok(Self { rules, setup, env_config, seed, count, groups })
    }

    /// How many environments a group has.
    pub(super) fn group_size(&self) -> u32 {
        self.count / self.groups
    }

    /// Refuses environments whose batches might be larger than a message may be: where all episodes end at once.
    pub(super) fn check_batch(&self, row: RowSize) -> Result<(), ApiError> {
        let external = self.env_config.players.iter().filter(|&player| *player == Player::External).count();
        let environment = row.total() + external * row.end() + EPISODE_BYTES;
        let most = (MAX_BATCH_BYTES - BATCH_FRAME_BYTES) / environment;
        match self.group_size() as usize > most {
            false => Ok(()),
            true => Err(ApiError::bad_field(
                "environment_count",
                format!(
                    "a group of {} environments may need messages of {} bytes, which may have {MAX_BATCH_BYTES}: \
                     a group may have {most}",
                    self.group_size(),
                    self.group_size() as usize * environment
                ),
            )),
        }
    }

    pub(super) fn opened(&self) -> v1::run_response::Opened {
        let options = self.setup.options.iter();
        v1::run_response::Opened {
            layout: Some(super::super::convert::layout(&self.rules.layout())),
            action_count: self.rules.action_count() as u32,
            seed: self.seed.0,
            options: options.map(|(key, value)| ((*key).to_owned(), value.clone())).collect(),
        }
    }
}

/// How many environments there are, and how many groups.
fn sizes(open: &run_request::Open) -> Result<(u32, u32), ApiError> {
    let (count, groups) = (open.environment_count, open.group_count.max(1));
    if !(1..=MAX_STREAM_ENVIRONMENTS).contains(&count) {
        let message = format!("a stream has 1 to {MAX_STREAM_ENVIRONMENTS} environments, not {count}");
        return Err(ApiError::bad_field("environment_count", message));
    }
    if !count.is_multiple_of(groups) {
        let message = format!("{count} environments can't be divided into {groups} groups of one size");
        return Err(ApiError::bad_field("group_count", message));
    }
    Ok((count, groups))
}

fn players(rules: &dyn AnyRules, setup: &Setup, players: &[v1::Player]) -> Result<Vec<Player>, ApiError> {
    let seats = setup.seats.count();
    if players.is_empty() {
        return Ok(vec![Player::External; seats]);
    }
    if players.len() != seats {
        let message = format!("{} players for {seats} seats: name one for each seat, or none", players.len());
        return Err(ApiError::bad_field("players", message));
    }
    let players: Vec<Player> = players.iter().map(|player| read_player(rules, player)).collect::<Result<_, _>>()?;
    match players.contains(&Player::External) {
        true => Ok(players),
        false => Err(ApiError::bad_field("players", "bots have all the seats; leave `bots` empty for whom you play")),
    }
}

fn read_player(rules: &dyn AnyRules, player: &v1::Player) -> Result<Player, ApiError> {
    if player.bots.is_empty() {
        return Ok(Player::External);
    }
    let mut bots: Vec<(BotName, u32)> = Vec::new();
    for v1::WeightedBot { bot, weight } in &player.bots {
        let name = rules.bot(bot).map_err(|error| ApiError::unknown_bot(&error, bot))?;
        let weight = weight.unwrap_or(1);
        if weight == 0 {
            let message = format!("a bot's weight is 1 or more, not 0 as that of \"{bot}\"");
            return Err(ApiError::bad_field("players", message));
        }
        if bots.iter().any(|&(other, _)| other == name) {
            return Err(ApiError::bad_field(
                "players",
                format!("a player has the bot \"{bot}\" twice: add the weights"),
            ));
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
        Err(_) => Err(unknown("autoreset_mode", open.autoreset_mode)),
    }
}

fn rotation(open: &run_request::Open) -> Result<Rotation, ApiError> {
    match open.seat_rotation.try_into() {
        Ok(v1::SeatRotation::Unspecified | v1::SeatRotation::Fixed) => Ok(Rotation::Fixed),
        Ok(v1::SeatRotation::Episode) => Ok(Rotation::Episode),
        Err(_) => Err(unknown("seat_rotation", open.seat_rotation)),
    }
}

fn rewards(open: &run_request::Open) -> Result<RewardRule, ApiError> {
    match open.reward_rule.try_into() {
        Ok(v1::RewardRule::Unspecified | v1::RewardRule::Rank) => Ok(RewardRule::Rank),
        Ok(v1::RewardRule::Margin) => Ok(RewardRule::Margin),
        Ok(v1::RewardRule::Points) => Ok(RewardRule::Points),
        Err(_) => Err(unknown("reward_rule", open.reward_rule)),
    }
}

fn unknown(field: &'static str, value: i32) -> ApiError {
    ApiError::bad_field(field, format!("the enum has no value {value}"))
}
