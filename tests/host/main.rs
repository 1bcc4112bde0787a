//! The host: catalog, referee, folds, records, blocks, environments.

mod blocks;
mod catalog;
mod environments;
mod fold;
mod playthroughs;
mod records;
mod referee;
