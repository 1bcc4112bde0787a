//! The opening of a stream: every field checked.

use super::super::fault::Fault;
use super::super::hosted::random_bytes;
use super::super::limits::{BATCH_BYTES_MAX, BATCH_FRAME_BYTES, EPISODE_BYTES, STREAM_ENVIRONMENTS_MAX};
use crate::core::Seed;
use crate::host::{Agreed, AnyRules, Arrangement, Autoreset, BotName, Player, RewardRule, Rotation, RowSize, find};
use crate::proto::v1::{self, run_request};

/// What a client asks for.
#[derive(Debug)]
pub(super) struct Opening {
    pub(super) rules: &'static dyn AnyRules,
    pub(super) agreed: Agreed,
    pub(super) arrangement: Arrangement,
    pub(super) seed: Seed,
    pub(super) count: u32,
    pub(super) groups: u32,
}

impl Opening {
    pub(super) fn read(open: &run_request::Open) -> Result<Self, Fault> {
        let rules = find(&open.game)?;
        let given: Vec<_> = open.options.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
        let agreed = rules.agree(open.seat_count as usize, &given)?;
        let (count, groups) = sizes(open)?;
        let arrangement = Arrangement {
            players: players(rules, &agreed, &open.players)?,
            rotation: rotation(open)?,
            autoreset: autoreset(open)?,
            rewards: rewards(open)?,
        };
        let seed = Seed(open.seed.unwrap_or_else(|| u64::from_le_bytes(random_bytes())));
        Ok(Self { rules, agreed, arrangement, seed, count, groups })
    }

    /// How many environments a group has.
    pub(super) fn group_size(&self) -> u32 {
        self.count / self.groups
    }

    /// Refuses environments whose batches might be larger than a message may be: where all episodes end at once.
    pub(super) fn check_batch(&self, row: RowSize) -> Result<(), Fault> {
        let external = self.arrangement.players.iter().filter(|&player| *player == Player::External).count();
        let environment = row.total() + external * row.end() + EPISODE_BYTES;
        let most = (BATCH_BYTES_MAX - BATCH_FRAME_BYTES) / environment;
        match self.group_size() as usize > most {
            false => Ok(()),
            true => Err(Fault::bad_field(
                "environment_count",
                format!(
                    "a group of {} environments may need messages of {} bytes, which may have {BATCH_BYTES_MAX}: \
                     a group may have {most}",
                    self.group_size(),
                    self.group_size() as usize * environment
                ),
            )),
        }
    }

    pub(super) fn opened(&self) -> v1::run_response::Opened {
        let options = self.agreed.options.iter();
        v1::run_response::Opened {
            layout: Some(super::super::convert::layout(&self.rules.layout())),
            action_count: self.rules.action_count() as u32,
            seed: self.seed.0,
            options: options.map(|(key, value)| ((*key).to_owned(), value.clone())).collect(),
        }
    }
}

/// How many environments there are, and how many groups.
fn sizes(open: &run_request::Open) -> Result<(u32, u32), Fault> {
    let (count, groups) = (open.environment_count, open.group_count.max(1));
    if !(1..=STREAM_ENVIRONMENTS_MAX).contains(&count) {
        let message = format!("a stream has 1 to {STREAM_ENVIRONMENTS_MAX} environments, not {count}");
        return Err(Fault::bad_field("environment_count", message));
    }
    if !count.is_multiple_of(groups) {
        let message = format!("{count} environments can't be divided into {groups} groups of one size");
        return Err(Fault::bad_field("group_count", message));
    }
    Ok((count, groups))
}

fn players(rules: &dyn AnyRules, agreed: &Agreed, players: &[v1::Player]) -> Result<Vec<Player>, Fault> {
    let seats = agreed.seats.count();
    if players.is_empty() {
        return Ok(vec![Player::External; seats]);
    }
    if players.len() != seats {
        let message = format!("{} players for {seats} seats: name one for each seat, or none", players.len());
        return Err(Fault::bad_field("players", message));
    }
    let players: Vec<Player> = players.iter().map(|player| read_player(rules, player)).collect::<Result<_, _>>()?;
    match players.contains(&Player::External) {
        true => Ok(players),
        false => Err(Fault::bad_field("players", "bots have all the seats; leave `bots` empty for whom you play")),
    }
}

fn read_player(rules: &dyn AnyRules, player: &v1::Player) -> Result<Player, Fault> {
    if player.bots.is_empty() {
        return Ok(Player::External);
    }
    let mut bots: Vec<(BotName, u32)> = Vec::new();
    for v1::WeightedBot { bot, weight } in &player.bots {
        let name = rules.bot(bot).map_err(|error| Fault::unknown_bot(&error, bot))?;
        let weight = weight.unwrap_or(1);
        if weight == 0 {
            let message = format!("a bot's weight is 1 or more, not 0 as that of \"{bot}\"");
            return Err(Fault::bad_field("players", message));
        }
        if bots.iter().any(|&(other, _)| other == name) {
            return Err(Fault::bad_field("players", format!("a player has the bot \"{bot}\" twice: add the weights")));
        }
        bots.push((name, weight));
    }
    Ok(Player::Bots(bots))
}

fn autoreset(open: &run_request::Open) -> Result<Autoreset, Fault> {
    match open.autoreset_mode.try_into() {
        Ok(v1::AutoresetMode::Unspecified | v1::AutoresetMode::NextStep) => Ok(Autoreset::NextStep),
        Ok(v1::AutoresetMode::SameStep) => Ok(Autoreset::SameStep),
        Ok(v1::AutoresetMode::Disabled) => Ok(Autoreset::Disabled),
        Err(_) => Err(unknown("autoreset_mode", open.autoreset_mode)),
    }
}

fn rotation(open: &run_request::Open) -> Result<Rotation, Fault> {
    match open.seat_rotation.try_into() {
        Ok(v1::SeatRotation::Unspecified | v1::SeatRotation::Fixed) => Ok(Rotation::Fixed),
        Ok(v1::SeatRotation::Episode) => Ok(Rotation::Episode),
        Err(_) => Err(unknown("seat_rotation", open.seat_rotation)),
    }
}

fn rewards(open: &run_request::Open) -> Result<RewardRule, Fault> {
    match open.reward_rule.try_into() {
        Ok(v1::RewardRule::Unspecified | v1::RewardRule::Rank) => Ok(RewardRule::Rank),
        Ok(v1::RewardRule::Margin) => Ok(RewardRule::Margin),
        Ok(v1::RewardRule::Points) => Ok(RewardRule::Points),
        Err(_) => Err(unknown("reward_rule", open.reward_rule)),
    }
}

fn unknown(field: &'static str, value: i32) -> Fault {
    Fault::bad_field(field, format!("the enum has no value {value}"))
}
