//! Looks: a bot's advice and central observations, as requests and answers.

use ahu_messages::v1::run_request::{self, look};
use ahu_messages::v1::run_response::{self, looked};
use prost::bytes::Bytes;

use super::api_error::ApiError;
use super::open::{BATCH_FRAME_BYTES, MAX_BATCH_BYTES};
use crate::search::Stop;
use crate::{AnyRules, AnySetup, AnyVectorEnv, BotName, EnvIndices, Look, Looked, ensure};

/// The bytes of the figures of an action: its id, visits, mean, and standard error.
const FIGURE_BYTES: usize = 2 + 4 + 4 + 4;

/// The bytes of a row of advice without figures.
const ADVICE_BYTES: usize = 2 + 2;

impl Look {
    /// Reads the kind of a look.
    pub fn read(rules: &dyn AnyRules, request: &run_request::Look) -> Result<Self, ApiError> {
        match &request.at {
            Some(look::At::Advice(bot)) => {
                let name = rules.bot(bot).map_err(|error| ApiError::unknown_bot(&error, bot))?;
                ensure(name.is_reproducible(), || {
                    let expected = "expected a budget in playouts, such as search:200";
                    let message = format!("{expected}, got the bot \"{name}\": its advice is a function of the seed");
                    ApiError::bad_bot(message, name)
                })?;
                Ok(Self::Advice(name))
            }
            Some(look::At::Central(run_request::Central {})) => Ok(Self::Central),
            None => {
                let message = "expected `advice` or `central` as the kind of a look, got neither";
                Err(ApiError::bad_field("look", message))
            }
        }
    }

    /// Returns the bot that advises.
    pub fn bot(self) -> Option<BotName> {
        match self {
            Self::Advice(bot) => Some(bot),
            Self::Central => None,
        }
    }

    /// Answers the look at these environments. Refuses a look whose answer could be too large before it begins.
    pub fn answer(
        self,
        setup: &dyn AnySetup,
        environments: &mut dyn AnyVectorEnv,
        indices: EnvIndices<'_>,
        stop: &Stop,
    ) -> Result<run_response::Looked, ApiError> {
        let bytes = self.most_bytes(setup, environments, indices);
        ensure(bytes <= MAX_BATCH_BYTES - BATCH_FRAME_BYTES, || {
            let message = format!(
                "expected a look with an answer of at most {MAX_BATCH_BYTES} bytes, got {} environments, which may need \
                 {bytes}: look at fewer at a time",
                indices.len()
            );
            ApiError::bad_field("env_ids", message)
        })?;
        let at = match environments.look(indices, self, stop)? {
            Looked::Advice(advice) => looked::At::Advice(run_response::Advice {
                choices: bytes_of(&advice.choices, u16::to_le_bytes),
                counts: bytes_of(&advice.counts, u16::to_le_bytes),
                action_ids: bytes_of(&advice.action_ids, u16::to_le_bytes),
                visits: bytes_of(&advice.visits, u32::to_le_bytes),
                means: bytes_of(&advice.means, f32::to_le_bytes),
                standard_errors: bytes_of(&advice.standard_errors, f32::to_le_bytes),
            }),
            Looked::Central(central) => looked::At::Central(run_response::CentralObservations {
                bits: bytes_of(&central.bits, u64::to_le_bytes),
                numbers: bytes_of(&central.numbers, i16::to_le_bytes),
            }),
        };
        Ok(run_response::Looked { row_count: indices.len() as u32, at: Some(at), server_nanoseconds: 0 })
    }

    /// Returns the most bytes that the rows of an answer can have.
    fn most_bytes(self, setup: &dyn AnySetup, environments: &dyn AnyVectorEnv, indices: EnvIndices<'_>) -> usize {
        match self {
            Self::Advice(bot) if bot.budget().is_some() => {
                let known = indices.iter().filter(|&number| (number as usize) < environments.len());
                let legal = known.map(|number| environments.waits_for(number).map_or(0, |(_, legal)| legal.len()));
                indices.len() * ADVICE_BYTES + legal.sum::<usize>() * FIGURE_BYTES
            }
            Self::Advice(_) => indices.len() * ADVICE_BYTES,
            Self::Central => {
                let ((bits, numbers), seats) = (setup.rules().observation_size(), setup.seats().count());
                indices.len() * ((seats * bits).div_ceil(64) * 8 + seats * numbers * 2)
            }
        }
    }
}

fn bytes_of<T: Copy, const SIZE: usize>(values: &[T], to_bytes: impl Fn(T) -> [u8; SIZE]) -> Bytes {
    let mut bytes = Vec::with_capacity(values.len() * SIZE);
    for &value in values {
        bytes.extend(to_bytes(value));
    }
    bytes.into()
}
