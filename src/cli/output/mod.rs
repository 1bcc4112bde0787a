//! Output that several commands share: the outcome of a match, the plies of a record, the figures of a search, typed messages.

pub(super) mod analysis_table;
pub(super) mod match_outcome;
pub(super) mod message_json;
pub(super) mod record_pages;
