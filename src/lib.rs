//! Ahu: a referee for board and card games of Easter Island, played by programs.
//!
//! The crate has its name from the stone platforms on which the moai stand. Its layers, each of which uses only those
//! below it:
//!
//! * [`core`]: the definition of a game: seats, actions, chance, views, events.
//! * `parts`: code that several games share.
//! * [`games`]: the rules, one folder for each game.
//! * [`host`]: play of any game: catalog, referee, records, bots, vector environments.
//! * `service`: the network, with the feature of that name.
//!
//! A game between two bots, from the deal to the end:
//!
//! ```
//! use ahu::core::{Seed, Viewer};
//! use ahu::host::{Conduct, Referee, find};
//! use rand::{SeedableRng, rngs::ChaCha8Rng};
//!
//! let rules = find("rappanui").unwrap();
//! let setup = rules.configure(2, &[("combine_rule", "true")]).unwrap();
//! let names = vec!["greedy".to_owned(), "random".to_owned()];
//! let bots = [rules.bot("greedy").unwrap(), rules.bot("random").unwrap()];
//!
//! let mut referee = Referee::new(rules, setup, Seed(7), names, Conduct::default());
//! let mut rng = ChaCha8Rng::seed_from_u64(7);
//! while let Some(seat) = referee.to_act().first() {
//!     let action = referee.bot_choice(bots[seat.index()], seat, &mut rng);
//!     let decision = referee.decision(seat).unwrap();
//!     referee.act(seat, decision, action).unwrap();
//! }
//! println!("{}", referee.view(Viewer::Public).text());
//! assert_eq!(referee.result().unwrap().ranks.values(), [1, 2]);
//! ```

pub mod core;
pub mod games;
pub mod host;
pub mod parts;
#[cfg(feature = "service")]
pub mod proto;
#[cfg(feature = "service")]
pub mod service;
