//! The environments of one stream, and the answers to what is asked of them.

use std::mem;
use std::time::Instant;

use prost::bytes::Bytes;

use super::super::fault::Fault;
use super::Lease;
use super::open::Opening;
use crate::core::{ActionId, Seats, Seed, Viewer};
use crate::host::{AnyVectorEnv, Ends, Episode, Rows, Which};
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
    ends: Ends,
    _lease: Lease,
}

/// The blocks of the rows of a batch, as they were sent.
#[derive(Clone, Debug, Default)]
struct Blocks {
    environments: Bytes,
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
        lease: impl FnOnce(u32) -> Result<Lease, Fault>,
    ) -> Result<(Self, Answer), Fault> {
        let opening = Opening::read(open)?;
        opening.check_batch(opening.rules.row_size(&opening.agreed))?;
        let lease = lease(opening.count)?;
        let opened = opening.opened();
        let group_size = opening.group_size();
        let Opening { rules, agreed, arrangement, seed, count, groups } = opening;
        let session = Self {
            environments: rules.environments(&agreed, arrangement, seed, count as usize),
            seats: agreed.seats,
            group_size,
            groups: vec![Blocks::default(); groups as usize],
            numbers: Vec::new(),
            actions: Vec::new(),
            seeds: Vec::new(),
            ends: Ends::default(),
            _lease: lease,
        };
        Ok((session, Answer::Opened(opened)))
    }

    /// Does what is asked. A refusal changes nothing.
    pub(super) fn answer(&mut self, request: Option<Asked>) -> Result<Answer, Fault> {
        let start = Instant::now();
        let mut answer = match request {
            Some(Asked::Reset(reset)) => Answer::Batch(self.reset(&reset)?.into()),
            Some(Asked::Step(step)) => Answer::Batch(self.step(&step)?.into()),
            Some(Asked::Render(render)) => Answer::Rendered(self.render(&render)?),
            Some(Asked::Open(_)) => {
                let message = "the stream is open already; another is opened by another call";
                return Err(Fault::bad_field("request", message));
            }
            // So a request of a later version looks too.
            None => return Err(Fault::bad_field("request", "which request? One of `reset`, `step` and `render`")),
        };
        if let Answer::Batch(batch) = &mut answer {
            batch.server_nanoseconds = start.elapsed().as_nanos() as u64;
        }
        Ok(answer)
    }

    fn reset(&mut self, reset: &run_request::Reset) -> Result<Batch, Fault> {
        self.read_numbers(reset.group, &reset.environments)?;
        values("seeds", &reset.seeds, &mut self.seeds, |bytes| Seed(u64::from_le_bytes(bytes)))?;
        let which = which(&self.numbers, reset.group, self.group_size);
        if let (true, Some(first)) = (reset.seeds.is_empty(), reset.seed) {
            self.seeds.extend(which.iter().map(|number| Seed(first).plus(number)));
        }
        let seeds = (!self.seeds.is_empty()).then_some(&*self.seeds);
        let mut rows = self.groups[reset.group as usize].reclaim();
        self.environments.reset(which, seeds, &mut rows)?;
        let began = which.iter().flat_map(|number| self.environments.episode_seed(number).0.to_le_bytes()).collect();
        Ok(Batch { seeds: began, ..self.batch(reset.group, rows) })
    }

    fn step(&mut self, step: &run_request::Step) -> Result<Batch, Fault> {
        self.read_numbers(step.group, &step.environments)?;
        values("actions", &step.actions, &mut self.actions, |bytes| ActionId(u16::from_le_bytes(bytes)))?;
        let which = which(&self.numbers, step.group, self.group_size);
        let mut rows = self.groups[step.group as usize].reclaim();
        self.environments.step(which, &self.actions, &mut rows, &mut self.ends)?;
        let ends = mem::take(&mut self.ends);
        Ok(Batch {
            end_row_count: ends.seats.len() as u32,
            end_environments: ends.environments.into(),
            end_seats: ends.seats.into(),
            end_bits: ends.bits.into(),
            end_numbers: ends.numbers.into(),
            end_returns: ends.returns.into(),
            end_ranks: ends.ranks.into(),
            episodes: ends.episodes.iter().map(episode).collect(),
            ..self.batch(step.group, rows)
        })
    }

    fn render(&self, render: &run_request::Render) -> Result<run_response::Rendered, Fault> {
        let viewer = match render.seat {
            None => Viewer::Public,
            Some(seat) => {
                let found = self.seats.get(seat as usize);
                Viewer::Seat(found.ok_or_else(|| Fault::unknown_seat(Some(seat), self.seats.count()))?)
            }
        };
        Ok(run_response::Rendered { text: self.environments.render(render.environment, viewer)? })
    }

    /// The numbers of the environments that a request names, each of which has to be of the group.
    fn read_numbers(&mut self, group: u32, environments: &Bytes) -> Result<(), Fault> {
        let groups = self.groups.len() as u32;
        if group >= groups {
            let message = format!("there is no group {group}: there are {groups}, from 0 on");
            return Err(Fault::bad_field("group", message));
        }
        values("environments", environments, &mut self.numbers, u32::from_le_bytes)?;
        let (first, last) = (group * self.group_size, (group + 1) * self.group_size - 1);
        match self.numbers.iter().find(|&number| !(first..=last).contains(number)) {
            None => Ok(()),
            Some(&number) => Err(Fault::foreign_environment(number, group, (first, last))),
        }
    }

    /// The rows as a message.
    fn batch(&mut self, group: u32, rows: Rows) -> Batch {
        let row_count = rows.seats.len() as u32;
        let blocks = Blocks::from(rows);
        self.groups[group as usize] = blocks.clone();
        let Blocks { environments, seats, bits, numbers, masks, rewards, ended } = blocks;
        Batch { group, row_count, environments, seats, bits, numbers, masks, rewards, ended, ..Batch::default() }
    }
}

/// The values that some bytes are, each of `SIZE` bytes.
fn values<T, const SIZE: usize>(
    field: &'static str,
    bytes: &Bytes,
    into: &mut Vec<T>,
    from_bytes: impl Fn([u8; SIZE]) -> T,
) -> Result<(), Fault> {
    let (values, rest) = bytes.as_chunks();
    if !rest.is_empty() {
        let message = format!("{} bytes are no whole number of values of {SIZE} bytes", bytes.len());
        return Err(Fault::bad_field(field, message));
    }
    into.clear();
    into.extend(values.iter().map(|&value| from_bytes(value)));
    Ok(())
}

/// The environments that were named, or all of the group's.
fn which(numbers: &[u32], group: u32, group_size: u32) -> Which<'_> {
    match numbers {
        [] => Which::Run(group * group_size, group_size as usize),
        numbers => Which::These(numbers),
    }
}

impl From<Rows> for Blocks {
    fn from(rows: Rows) -> Self {
        Self {
            environments: rows.environments.into(),
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
        let Self { environments, seats, bits, numbers, masks, rewards, ended } = self;
        let reclaim = |block: &mut Bytes| mem::take(block).try_into_mut().map(Vec::from).unwrap_or_default();
        Rows {
            environments: reclaim(environments),
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
