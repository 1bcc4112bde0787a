//! The host: catalog, referee, folds, records, blocks, environments.

mod blocks;
mod catalog;
mod clocks;
mod environments;
mod fold;
mod playthroughs;
mod records;
mod referee;
