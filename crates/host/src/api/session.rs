//! Sessions: the environments of one stream, and the answers to its requests.

use std::mem;

use ahu_core::{ActionId, Seats, Seed, Viewer};
use ahu_messages::v1::run_request::{self, Render, Request};
use ahu_messages::v1::run_response::{Batch, Looked, PlayersSet, Rendered, Response, Restored};
use prost::bytes::Bytes;

use super::api_error::ApiError;
use super::convert;
use super::open::Opening;
use super::save;
use crate::raster::Raster;
use crate::search::Stop;
use crate::{AnyView, COLUMNS, CatalogVectorEnv, Column, Cores, EnvIndices, FinalSteps, Look, Rows, Scene, ensure};

/// The environments of one stream.
#[derive(Debug)]
pub struct Session {
    environments: Box<dyn CatalogVectorEnv>,
    opening: Opening,
    seats: Seats,
    group_size: u32,
    /// The columns of each group's last batch, as they were sent. The next batch of the group reuses their memory, unless
    /// somebody still has them, which is rare.
    sent: Vec<[Bytes; COLUMNS]>,
    numbers: Vec<u32>,
    actions: Vec<ActionId>,
    seeds: Vec<Seed>,
    final_steps: FinalSteps,
    stop: Stop,
    /// The parts of a save so far, of which more will come.
    restoring: Vec<u8>,
}

impl Session {
    /// Creates the environments.
    pub fn new(opening: &Opening) -> Self {
        Self {
            environments: opening.environments(),
            opening: opening.clone(),
            seats: opening.setup.seats(),
            group_size: opening.group_size(),
            sent: vec![Default::default(); opening.groups as usize],
            numbers: Vec::new(),
            actions: Vec::new(),
            seeds: Vec::new(),
            final_steps: FinalSteps::default(),
            stop: Stop::default(),
            restoring: Vec::new(),
        }
    }

    /// Lets the environments take these cores.
    pub fn use_cores(&mut self, cores: Cores) {
        self.environments.use_cores(cores);
    }

    /// Returns the request that ends looks early, for a caller who knows that nobody waits for them any more.
    pub fn stop(&self) -> Stop {
        self.stop.clone()
    }

    /// Returns the memory of the environments, in bytes.
    pub fn size(&self) -> usize {
        self.environments.size()
    }

    /// Answers a request. A refusal changes nothing. The caller, who has a clock, sets `server_nanoseconds`.
    pub fn answer(&mut self, request: Option<Request>) -> Result<Response, ApiError> {
        if !matches!(request, Some(Request::Restore(_))) {
            self.restoring = Vec::new();
        }
        match request {
            Some(Request::Reset(reset)) => Ok(Response::Batch(self.reset(&reset)?.into())),
            Some(Request::Step(step)) => Ok(Response::Batch(self.step(&step)?.into())),
            Some(Request::Render(render)) => Ok(Response::Rendered(self.render(&render)?)),
            Some(Request::Look(look)) => Ok(Response::Looked(self.look(&look)?)),
            Some(Request::Save(run_request::Save {})) => {
                Ok(Response::Saved(save::save(&self.opening.setup, &*self.environments)?))
            }
            Some(Request::Restore(restore)) => Ok(Response::Restored(self.restore(&restore)?)),
            Some(Request::SetPlayers(request)) => {
                self.environments.set_players(self.opening.read_players(&request)?);
                Ok(Response::PlayersSet(PlayersSet {}))
            }
            Some(Request::Open(_)) => {
                let message = "the stream is already open: open another one with another call";
                Err(ApiError::bad_field("request", message))
            }
            // A kind of request from a later version of the API also arrives as None.
            None => Err(ApiError::bad_field(
                "request",
                "expected `reset`, `step`, `render`, `set_players`, `look`, `save`, or `restore`, got none of them",
            )),
        }
    }

    fn reset(&mut self, reset: &run_request::Reset) -> Result<Batch, ApiError> {
        self.read_numbers(reset.group, &reset.env_ids)?;
        values("seeds", &reset.seeds, &mut self.seeds, |bytes| Seed(u64::from_le_bytes(bytes)))?;
        let indices = indices(&self.numbers, reset.group, self.group_size);
        if let (true, Some(first)) = (reset.seeds.is_empty(), reset.seed) {
            self.seeds.extend(indices.iter().map(|number| Seed(first).plus(number)));
        }
        let seeds = (!self.seeds.is_empty()).then_some(&*self.seeds);
        let mut rows = reclaim(&mut self.sent[reset.group as usize]);
        self.environments.reset(indices, seeds, &mut rows)?;
        let truncated = vec![0; rows.len()].into();
        let began = indices.iter().flat_map(|number| self.environments.episode_seed(number).0.to_le_bytes()).collect();
        Ok(Batch { seeds: began, truncated, ..self.batch(reset.group, rows) })
    }

    fn step(&mut self, step: &run_request::Step) -> Result<Batch, ApiError> {
        self.read_numbers(step.group, &step.env_ids)?;
        values("actions", &step.actions, &mut self.actions, |bytes| ActionId(u16::from_le_bytes(bytes)))?;
        let indices = indices(&self.numbers, step.group, self.group_size);
        let mut rows = reclaim(&mut self.sent[step.group as usize]);
        self.environments.step(indices, &self.actions, &mut rows, &mut self.final_steps)?;
        let final_steps = mem::take(&mut self.final_steps);
        // Episodes are in the order of the rows that ended one.
        let mut episodes = final_steps.episodes.iter();
        let is_truncated = |&ended| u8::from(ended == 1 && episodes.next().is_some_and(|episode| episode.is_truncated));
        let truncated = rows[Column::Ended].iter().map(is_truncated).collect();
        Ok(Batch {
            truncated,
            final_row_count: final_steps.seats.len() as u32,
            final_env_ids: final_steps.env_ids.into(),
            final_seats: final_steps.seats.into(),
            final_players: final_steps.players.into(),
            final_bits: final_steps.bits.into(),
            final_numbers: final_steps.numbers.into(),
            final_returns: final_steps.returns.into(),
            final_ranks: final_steps.ranks.into(),
            episodes: final_steps.episodes.iter().map(convert::episode).collect(),
            ..self.batch(step.group, rows)
        })
    }

    fn look(&mut self, request: &run_request::Look) -> Result<Looked, ApiError> {
        let look = Look::read(self.opening.setup.rules(), request)?;
        self.read_numbers(request.group, &request.env_ids)?;
        let indices = indices(&self.numbers, request.group, self.group_size);
        look.answer(&*self.opening.setup, &mut *self.environments, indices, &self.stop)
    }

    /// Takes a part of a save, and restores the environments with the last one.
    fn restore(&mut self, restore: &run_request::Restore) -> Result<Restored, ApiError> {
        let mut data = mem::take(&mut self.restoring);
        data.extend_from_slice(&restore.data);
        let most = save::most_save_bytes(&self.opening.setup, self.opening.count as usize);
        ensure(data.len() <= most, || {
            let message = format!("expected a save of at most {most} bytes, got {} or more", data.len());
            ApiError::bad_field("data", message)
        })?;
        if restore.more {
            self.restoring = data;
            return Ok(Restored::default());
        }
        save::restore(&self.opening.setup, &mut *self.environments, &data)
    }

    fn render(&self, render: &Render) -> Result<Rendered, ApiError> {
        let viewer = match render.seat {
            None => Viewer::Public,
            Some(_) => Viewer::Seat(convert::read_seat(render.seat, self.seats)?),
        };
        rendered(render, &*self.environments.view(render.environment, viewer)?)
    }

    /// Reads the numbers of the environments in a request. Each must belong to the group.
    fn read_numbers(&mut self, group: u32, env_ids: &Bytes) -> Result<(), ApiError> {
        let groups = self.sent.len() as u32;
        ensure(group < groups, || {
            ApiError::bad_field("group", format!("expected a group from 0 to {}, got {group}", groups - 1))
        })?;
        values("env_ids", env_ids, &mut self.numbers, u32::from_le_bytes)?;
        let (first, last) = (group * self.group_size, (group + 1) * self.group_size - 1);
        match self.numbers.iter().find(|&number| !(first..=last).contains(number)) {
            None => Ok(()),
            Some(number) => {
                let message = format!("expected an environment of group {group}, from {first} to {last}, got {number}");
                Err(ApiError::bad_field("env_ids", message).with("environment", number))
            }
        }
    }

    /// Returns the rows as a message.
    fn batch(&mut self, group: u32, rows: Rows) -> Batch {
        let row_count = rows.len();
        let columns = rows.columns.map(Bytes::from);
        self.sent[group as usize].clone_from(&columns);
        batch_of(group, row_count, columns)
    }
}

/// Returns the batch of all environments after they were restored.
pub(super) fn restored_batch(environments: &dyn CatalogVectorEnv, rows: Rows) -> Batch {
    let numbers = 0..environments.len() as u32;
    let seeds = numbers.flat_map(|number| environments.episode_seed(number).0.to_le_bytes()).collect();
    Batch { seeds, ..batch_of(0, rows.len(), rows.columns.map(Bytes::from)) }
}

fn batch_of(group: u32, row_count: usize, columns: [Bytes; COLUMNS]) -> Batch {
    let [bits, masks, env_ids, rewards, numbers, seats, players, ended] = columns;
    let row_count = row_count as u32;
    Batch { group, row_count, env_ids, seats, players, bits, numbers, masks, rewards, ended, ..Batch::default() }
}

/// Reads values of `SIZE` bytes each.
fn values<T, const SIZE: usize>(
    field: &'static str,
    bytes: &Bytes,
    into: &mut Vec<T>,
    from_bytes: impl Fn([u8; SIZE]) -> T,
) -> Result<(), ApiError> {
    let (values, rest) = bytes.as_chunks();
    if !rest.is_empty() {
        let message = format!("expected whole values of {SIZE} bytes, got {} bytes", bytes.len());
        return Err(ApiError::bad_field(field, message));
    }
    into.clear();
    into.extend(values.iter().map(|&value| from_bytes(value)));
    Ok(())
}

/// Returns the environments with these numbers; without numbers, all of the group.
fn indices(numbers: &[u32], group: u32, group_size: u32) -> EnvIndices<'_> {
    match numbers {
        [] => EnvIndices::Run(group * group_size, group_size as usize),
        numbers => EnvIndices::These(numbers),
    }
}

/// Returns the memory of columns that were sent, for new rows.
fn reclaim(sent: &mut [Bytes; COLUMNS]) -> Rows {
    let reclaim = |column: &mut Bytes| mem::take(column).try_into_mut().map(Vec::from).unwrap_or_default();
    Rows { columns: sent.each_mut().map(reclaim) }
}

/// Answers a request for the table, which `table` returns as text or as SVG.
fn rendered(request: &Render, view: &dyn AnyView) -> Result<Rendered, ApiError> {
    Ok(match convert::table(view, ApiError::read_value("format", request.format)?) {
        Some(text) => Rendered { text, ..Rendered::default() },
        None => {
            Rendered { image: png(&view.svg(None, Scene::default()), request.width)?.into(), ..Rendered::default() }
        }
    })
}

/// The default width of a PNG, in pixels.
const WIDTH: u32 = 800;

fn png(svg: &str, width: Option<u32>) -> Result<Vec<u8>, ApiError> {
    let picture = Raster::of(svg, width.unwrap_or(WIDTH));
    Ok(picture.map_err(|error| ApiError::bad_field("width", error))?.png())
}
