//! Ahu referees board and card games of Easter Island for programs.
//!
//! An *ahu* is the stone platform on which the moai stand; this is the platform on which game
//! agents stand. The layers, each of which knows only those below it:
//!
//! * [`core`]: what any game is: seats, actions, luck, views, events.
//! * `parts`: what several games share.
//! * [`games`]: the rules, one folder a game.
//! * [`host`]: any game, played: catalog, referee, records, bots, many games at once.
//! * `service`: the network, with the feature of that name.
//!
//! A game of two bots, from the deal to the end:
//!
//! ```
//! use ahu::core::{Seed, Viewer};
//! use ahu::host::{Referee, Terms, find};
//! use rand::{SeedableRng, rngs::ChaCha8Rng};
//!
//! let rules = find("rappanui").unwrap();
//! let agreed = rules.agree(2, &[("combine_rule", "true")]).unwrap();
//! let names = vec!["greedy".to_owned(), "random".to_owned()];
//! let bots = [rules.bot("greedy").unwrap(), rules.bot("random").unwrap()];
//!
//! let mut referee = Referee::new(rules, agreed, Seed(7), names, Terms::default());
//! let mut rng = ChaCha8Rng::seed_from_u64(7);
//! while let Some(seat) = referee.owing().first() {
//!     let action = referee.ask(bots[seat.index()], seat, &mut rng);
//!     let decision = referee.decision(seat).unwrap();
//!     referee.act(seat, decision, action).unwrap();
//! }
//! println!("{}", referee.view(Viewer::Public).text());
//! assert_eq!(referee.result().unwrap().ranks.values(), [1, 2]);
//! ```

pub mod core;
pub mod games;
pub mod host;
mod parts;
#[cfg(feature = "service")]
pub mod proto;
#[cfg(feature = "service")]
pub mod service;
