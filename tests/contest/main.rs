//! Competitions on paper: blocks and their statistics, ratings, and how often both are right.

mod blocks;
mod calibration;
mod cups;
mod ratings;
mod season_model;
mod seasons;
