//! Statistics over independent samples. In a comparison of players each block is one sample.

mod estimate;
mod multiple;
mod sprt;
mod student;

pub use estimate::{Bounds, Estimate};
pub use multiple::{holm, step_down};
pub use sprt::{Hypotheses, MIN_BLOCKS, Sprt, Verdict};
pub use student::CONFIDENCE;
pub(super) use student::{normal_two_sided, quantile, student};
