//! The rules: each game plays as printed, and every game keeps the laws of all games.
//!
//! The names of rulebook tests are sentences of the rules. The laws run over random games; set `AHU_GAMES` for
//! another number of games than the default.

mod action_features;
mod bots;
mod clicks;
mod contradictory_views;
mod data_files;
mod giants;
mod laws;
mod messages;
mod own_games;
mod rapanui_board;
mod rapanui_cards;
mod rappanui;
mod reading;
mod scripted;
mod toy;

/// The owner of the hidden facts of our games, whose crate is another one.
struct Own;
