//! Nets: players that a file describes, and that choose in whole numbers.
//!
//! A net reads the shown view of its seat as zeros and ones, and gives each action a score. All its arithmetic is exact: weights
//! of 8 bits, sums of 32, and no floats before the probabilities of a rollout. So a choice is the same on every platform, at
//! every level of optimisation, and a record with nets can be verified. Of equal scores the lowest id wins.
//!
//! | file | subject |
//! |---|---|
//! | `file.rs` | the file: its header, its weights, its digest; every size is checked before anything is allocated |
//! | `inputs.rs` | the inputs: bits, decoded binary numbers, and thermometers of numbers, as rows of the first layer |
//! | `forward.rs` | the layers and the heads |
//! | `sampling.rs` | draws by temperature, with their probabilities |
//! | `built_in.rs` | the nets of the program, which play as `net@1` |
//! | `loaded.rs` | the nets of this process by name, as bots |
//! | `error.rs` | the reasons for which a file is refused |
//!
//! **Inputs.** Few of the inputs are ones, so the first layer adds up the rows of these. A binary number is one input for
//! each value that its digits can write, since a net learns little from digits. A number is a thermometer: one input for
//! each threshold that it exceeds. At load, the rows of a thermometer are summed up, so that a number costs one row, as a
//! binary number does.
//!
//! **Advice.** A net may have an adviser: a quick bot, whose choice it is told. It adds a score of its own, the trust, to
//! the score of that choice, and has an input for each action that the bot can choose. So training begins at the strength of
//! the bot, and learns where to deviate (Silver, Allen, Tenenbaum, Kaelbling: Residual Policy Learning, 2018). The adviser
//! sees what the net sees, and takes the random numbers that it would take if it played itself.
//!
//! **Units.** A unit of a hidden layer has its own multiplier, which scales its sum to 0 to 255; the clip of the activation
//! is 255. A sum is at most 65,536 inputs times 128, or 1,024 units times 255 times 128, plus a bias below 2^30: it fits
//! into 32 bits.

pub mod built_in;
mod file;
mod forward;
mod inputs;
mod loaded;
mod sampling;

pub use file::{MAX_NET_FILE, NetHead};
pub use forward::{Net, NetRoom};
pub use loaded::{NetId, list, load, named};
pub use sampling::{Draw, Temperature};

/// The beginning of the name of a net: `net:0123456789abcdef`.
pub const NET: &str = "net:";
