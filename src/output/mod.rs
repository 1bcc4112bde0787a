//! Output of several commands: the outcome of a match, the plies of a record, and the figures of a search.

pub(super) mod analysis_table;
pub(super) mod line;
pub(super) mod match_outcome;
pub(super) mod record_pages;
