//! The API without a network: requests, answers, and errors of `proto/`, as any caller in any process uses them.
//!
//! The service and an extension module call the same code here. Only this folder and `typed.rs` use the generated
//! messages, with the feature `messages`.

mod api_error;
pub mod convert;
mod look;
mod open;
pub mod save;
mod session;
pub mod terms;

pub use api_error::{ApiError, Code};
pub use open::{BATCH_FRAME_BYTES, EPISODE_BYTES, MAX_BATCH_BYTES, MAX_STREAM_ENVIRONMENTS, Opening, bots};
pub use session::Session;
