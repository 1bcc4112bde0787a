//! The engine of Ahu: the games, and play of any game, without network and runtime.
//!
//! Each layer uses only the layers below it:
//!
//! * [`core`]: the definition of a game: seats, actions, chance, views, events.
//! * `parts`: code that several games share.
//! * [`games`]: the rules, one folder for each game.
//! * [`host`]: play of any game: catalog, referee, records, bots, vector environments.
//! * `host::api`: requests and answers as messages, without a network, with the feature `messages`.
//! * `raster`: pictures in pixels, with the feature `messages`.
//!
//! A game between two bots, from the deal to the end:
//!
//! ```
//! use ahu_engine::core::{Seed, Viewer};
//! use ahu_engine::host::{Conduct, Referee, SeatPlayer, find};
//!
//! let rules = find("rappanui").unwrap();
//! let setup = rules.configure(2, &[("combine_rule", "true")]).unwrap();
//! let players = ["greedy", "random"].map(|name| SeatPlayer::bot(rules.bot(name).unwrap()));
//!
//! let mut referee = Referee::new(setup, Seed(7), players.to_vec(), Conduct::default());
//! while let Some(due) = referee.due_bot() {
//!     let answer = due.choose(); // Any thread may do this work.
//!     referee.answer(answer);
//! }
//! println!("{}", referee.view(Viewer::Public).text());
//! assert_eq!(referee.result().unwrap().ranks.values(), [1, 2]);
//! ```

pub mod core;
pub mod games;
pub mod host;
pub mod parts;
#[cfg(feature = "messages")]
pub mod proto;
#[cfg(feature = "messages")]
pub mod raster;
