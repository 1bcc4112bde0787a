//! Does it play as printed, and does every game keep the laws of all games?
//!
//! Rulebook tests are named as sentences of the rules. The laws run over random games; set
//! `AHU_GAMES` for more of them than the default.

mod giants;
mod laws;
#[cfg(feature = "service")]
mod messages;
mod rapanui_board;
mod rapanui_cards;
mod rappanui;
mod secrets;
mod toy;
