//! The environments of one stream, and the answers to what is asked of them.

use std::mem;
use std::time::Instant;

use prost::bytes::Bytes;

use super::super::error::ApiError;
use super::Lease;
use super::open::Opening;
use crate::core::{ActionId, Seats, Seed, Viewer};
use crate::host::{AnyVectorEnv, EnvIndices, Episode, FinalSteps, Rows};
use crate::proto::v1;
use crate::proto::v1::run_request::{self, Request as Asked};
use crate::proto::v1::run_response::{self, Batch, Response as Answer};

/// The environments of one stream.
#[derive(Debug)]
pub(super) struct Session {
    environments: Box<dyn AnyVectorEnv>,
    seats: Seats,
    group_size: u32,
    /// For each group the blocks of its last batch, which the next one is written into: nobody else has them any more by
    /// then, as a rule.
    groups: Vec<Blocks>,
    numbers: Vec<u32>,
    actions: Vec<ActionId>,
    seeds: Vec<Seed>,
    final_steps: FinalSteps,
    _lease: Lease,
}

/// The blocks of the rows of a batch, as they were sent.
#[derive(Clone, Debug, Default)]
struct Blocks {
    env_ids: Bytes,
    seats: Bytes,
    bits: Bytes,
    numbers: Bytes,
    masks: Bytes,
    rewards: Bytes,
    ended: Bytes,
}

impl Session {
    /// Opens environments, if `lease` lets so many.
    pub(super) fn open(
        open: &run_request::Open,
        lease: impl FnOnce(u32) -> Result<Lease, ApiError>,
    ) -> Result<(Self, Answer), ApiError> {
        let opening = Opening::read(open)?;
        opening.check_batch(opening.rules.row_size(&opening.setup))?;
        let lease = lease(opening.count)?;
        let opened = opening.opened();
        let group_size = opening.group_size();
        let Opening { rules, setup, env_config, seed, count, groups } = opening;
        let session = Self {
            environments: rules.environments(&setup, env_config, seed, count as usize),
            seats: setup.seats,
            group_size,
            groups: vec![Blocks::default(); groups as usize],
            numbers: Vec::new(),
            actions: Vec::new(),
            seeds: Vec::new(),
            final_steps: FinalSteps::default(),
            _lease: lease,
        };
        Ok((session, Answer::Opened(opened)))
    }

    /// Does what is asked. A refusal changes nothing.
    pub(super) fn answer(&mut self, request: Option<Asked>) -> Result<Answer, ApiError> {
        let start = Instant::now();
        let mut answer = match request {
            Some(Asked::Reset(reset)) => Answer::Batch(self.reset(&reset)?.into()),
            Some(Asked::Step(step)) => Answer::Batch(self.step(&step)?.into()),
            Some(Asked::Render(render)) => Answer::Rendered(self.render(&render)?),
            Some(Asked::Open(_)) => {
                let message = "the stream is open already; another is opened by another call";
                return Err(ApiError::bad_field("request", message));
            }
            // So a request of a later version looks too.
            None => return Err(ApiError::bad_field("request", "which request? One of `reset`, `step` and `render`")),
        };
        if let Answer::Batch(batch) = &mut answer {
            batch.server_nanoseconds = start.elapsed().as_nanos() as u64;
        }
        Ok(answer)
    }

    fn reset(&mut self, reset: &run_request::Reset) -> Result<Batch, ApiError> {
        self.read_numbers(reset.group, &reset.env_ids)?;
        values("seeds", &reset.seeds, &mut self.seeds, |bytes| Seed(u64::from_le_bytes(bytes)))?;
        let indices = indices(&self.numbers, reset.group, self.group_size);
        if let (true, Some(first)) = (reset.seeds.is_empty(), reset.seed) {
            self.seeds.extend(indices.iter().map(|number| Seed(first).plus(number)));
        }
        let seeds = (!self.seeds.is_empty()).then_some(&*self.seeds);
        let mut rows = self.groups[reset.group as usize].reclaim();
        self.environments.reset(indices, seeds, &mut rows)?;
        let began = indices.iter().flat_map(|number| self.environments.episode_seed(number).0.to_le_bytes()).collect();
        Ok(Batch { seeds: began, ..self.batch(reset.group, rows) })
    }

    fn step(&mut self, step: &run_request::Step) -> Result<Batch, ApiError> {
        self.read_numbers(step.group, &step.env_ids)?;
        values("actions", &step.actions, &mut self.actions, |bytes| ActionId(u16::from_le_bytes(bytes)))?;
        let indices = indices(&self.numbers, step.group, self.group_size);
        let mut rows = self.groups[step.group as usize].reclaim();
        self.environments.step(indices, &self.actions, &mut rows, &mut self.final_steps)?;
        let final_steps = mem::take(&mut self.final_steps);
        Ok(Batch {
            final_row_count: final_steps.seats.len() as u32,
            final_env_ids: final_steps.env_ids.into(),
            final_seats: final_steps.seats.into(),
            final_bits: final_steps.bits.into(),
            final_numbers: final_steps.numbers.into(),
            final_returns: final_steps.returns.into(),
            final_ranks: final_steps.ranks.into(),
            episodes: final_steps.episodes.iter().map(episode).collect(),
            ..self.batch(step.group, rows)
        })
    }

    fn render(&self, render: &run_request::Render) -> Result<run_response::Rendered, ApiError> {
        let viewer = match render.seat {
            None => Viewer::Public,
            Some(seat) => {
                let found = self.seats.get(seat as usize);
                Viewer::Seat(found.ok_or_else(|| ApiError::unknown_seat(Some(seat), self.seats.count()))?)
            }
        };
        Ok(run_response::Rendered { text: self.environments.render(render.environment, viewer)? })
    }

    /// The numbers of the environments that a request names, each of which has to be of the group.
    fn read_numbers(&mut self, group: u32, env_ids: &Bytes) -> Result<(), ApiError> {
        let groups = self.groups.len() as u32;
        if group >= groups {
            let message = format!("there is no group {group}: there are {groups}, from 0 on");
            return Err(ApiError::bad_field("group", message));
        }
        values("env_ids", env_ids, &mut self.numbers, u32::from_le_bytes)?;
        let (first, last) = (group * self.group_size, (group + 1) * self.group_size - 1);
        match self.numbers.iter().find(|&number| !(first..=last).contains(number)) {
            None => Ok(()),
            Some(&number) => Err(ApiError::foreign_environment(number, group, (first, last))),
        }
    }

    /// The rows as a message.
    fn batch(&mut self, group: u32, rows: Rows) -> Batch {
        let row_count = rows.seats.len() as u32;
        let blocks = Blocks::from(rows);
        self.groups[group as usize] = blocks.clone();
        let Blocks { env_ids, seats, bits, numbers, masks, rewards, ended } = blocks;
        Batch { group, row_count, env_ids, seats, bits, numbers, masks, rewards, ended, ..Batch::default() }
    }
}

/// The values that some bytes are, each of `SIZE` bytes.
fn values<T, const SIZE: usize>(
    field: &'static str,
    bytes: &Bytes,
    into: &mut Vec<T>,
    from_bytes: impl Fn([u8; SIZE]) -> T,
) -> Result<(), ApiError> {
    let (values, rest) = bytes.as_chunks();
    if !rest.is_empty() {
        let message = format!("{} bytes are no whole number of values of {SIZE} bytes", bytes.len());
        return Err(ApiError::bad_field(field, message));
    }
    into.clear();
    into.extend(values.iter().map(|&value| from_bytes(value)));
    Ok(())
}

/// The environments that were named, or all of the group's.
fn indices(numbers: &[u32], group: u32, group_size: u32) -> EnvIndices<'_> {
    match numbers {
        [] => EnvIndices::Run(group * group_size, group_size as usize),
        numbers => EnvIndices::These(numbers),
    }
}

impl From<Rows> for Blocks {
    fn from(rows: Rows) -> Self {
        Self {
            env_ids: rows.env_ids.into(),
            seats: rows.seats.into(),
            bits: rows.bits.into(),
            numbers: rows.numbers.into(),
            masks: rows.masks.into(),
            rewards: rows.rewards.into(),
            ended: rows.ended.into(),
        }
    }
}

impl Blocks {
    /// Rows to be written anew, where these have been sent.
    fn reclaim(&mut self) -> Rows {
        let Self { env_ids, seats, bits, numbers, masks, rewards, ended } = self;
        let reclaim = |block: &mut Bytes| mem::take(block).try_into_mut().map(Vec::from).unwrap_or_default();
        Rows {
            env_ids: reclaim(env_ids),
            seats: reclaim(seats),
            bits: reclaim(bits),
            numbers: reclaim(numbers),
            masks: reclaim(masks),
            rewards: reclaim(rewards),
            ended: reclaim(ended),
        }
    }
}

fn episode(episode: &Episode) -> v1::Episode {
    v1::Episode {
        environment: episode.environment,
        seed: episode.seed.0,
        decision_count: episode.decisions,
        bots: episode.bots.values().iter().map(|bot| bot.unwrap_or_default().to_owned()).collect(),
        scores: episode.scores.values().to_vec(),
        ranks: episode.ranks.values().iter().map(|&rank| rank.into()).collect(),
        returns: episode.returns.values().to_vec(),
    }
}
