//! The host: catalog, referee, folds, records, positions, trajectories, blocks and their statistics,
//! environments.

mod blocks;
mod bots;
mod calibration;
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
mod ratings;
mod records;
mod referee;
mod rules_pages;
mod trajectories;
