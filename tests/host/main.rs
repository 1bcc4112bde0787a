//! The host: catalog, referee, folds, records, positions, trajectories, environments.

mod bots;
mod catalog;
mod clocks;
mod conduct;
mod draft;
mod environments;
mod fold;
mod looks;
mod nets;
mod playthroughs;
mod positions;
mod records;
mod referee;
mod rewards;
mod rules_pages;
mod trajectories;
