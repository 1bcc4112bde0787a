//! Bots: our own agents inside the server. Like any agent, they see a view and a set of legal actions.
//!
//! A bot keeps nothing between decisions. Its choice is a function of the view, the legal actions, and a generator,
//! and the generator is a function of the bot seed, the seat, and the decision. So a match that is folded again from
//! its entries goes on as it would have.
//!
//! Bots have versions. `greedy@1` plays the same for ever, since figures and records rest on it. A bare name is the newest
//! version, and a record names versions. The stand-in is `greedy` by default: a stand-in that plays at random would decide games
//! between the others.

mod name;

use ahu_core::{Action as _, ActionId, ActionSet, Game, Policy, Seat, View as _, Viewer};
use rand::Rng;

use super::bot_seed::{BotRng, number};
use super::cores::Cores;
use super::nets::Net;
use super::nets::built_in::BuiltInNet;
use super::search::{Analysis, Search};
pub use name::BotName;

/// The choice of a bot: a call computes it. It owns all that it reads, so that any thread can run it while the game goes
/// on.
pub type BotChoice = Box<dyn FnOnce() -> ActionId + Send>;

/// The analysis of a search bot: a call computes it, like a [`BotChoice`], on this number of cores.
pub type BotAnalysis = Box<dyn FnOnce(Cores) -> Analysis + Send>;

/// A bot for one game.
#[derive(Debug)]
pub struct Bot<G: Game> {
    /// The name and the version, such as `greedy@1`. A list has the versions of a bot in rising order.
    pub name: &'static str,
    /// The way in which the bot plays, in one sentence.
    pub about: &'static str,
    /// True if a choice takes less than 50 us on average, as `ahu duel` measures it. A host may compute
    /// such a choice on a thread that answers calls.
    pub is_quick: bool,
    /// The way in which the bot chooses.
    pub method: Method<G>,
}

/// The way in which a bot chooses.
#[derive(Debug)]
pub enum Method<G: Game> {
    /// A rule that reads what the seat is shown.
    Policy(Policy<G>),
    /// The same, except that it takes any legal action instead in this number of 1,000 decisions, on average.
    Erring(Policy<G>, u16),
    /// A search, which reads the whole view. The name of the bot is followed by a budget.
    Search(Search<G>),
    /// A net. It reads what the seat is shown. Its adviser, if there is one, takes the random numbers.
    BuiltIn(&'static BuiltInNet),
    /// The same, with the net that the name of the bot tells.
    Net,
}

/// The name of the bot that every game has.
pub const RANDOM: &str = "random";

/// The name of the bot that plays on for a seat that has forfeited, unless the terms name another.
pub const STAND_IN: &str = "greedy";

impl<G: Game> Bot<G> {
    /// Creates a quick bot that plays by a policy.
    pub const fn quick(name: &'static str, policy: Policy<G>, about: &'static str) -> Self {
        Self { name, about, is_quick: true, method: Method::Policy(policy) }
    }

    /// Creates the bot that takes any legal action with equal probability.
    pub const fn random() -> Self {
        let policy = Policy {
            choose: |_, legal, rng| random::<G>(legal, rng),
            choose_in: |_, _, legal, rng| random::<G>(legal, rng),
        };
        Self::quick("random@1", policy, "Takes any legal action with equal probability.")
    }

    /// Creates the bot that plays by a policy, and takes any legal action instead in `errors` of 1,000 decisions, on average.
    pub const fn easy(policy: Policy<G>, errors: u16, about: &'static str) -> Self {
        Self { name: "easy@1", about, is_quick: true, method: Method::Erring(policy, errors) }
    }

    /// Creates the bot `search@1` of a [`Search`].
    pub const fn search_1(search: Search<G>) -> Self {
        Self::search(
            "search@1",
            "Plays sampled games to the end for each action: search@1:200 plays 200 for a decision, search@1:2s plays for two \
             seconds.",
            search,
        )
    }

    /// Creates the bot `search@2` of a [`Search`].
    pub const fn search_2(search: Search<G>) -> Self {
        let about = match search.guide {
            Some(_) => {
                "The same, guided by the net of net@1: search:200 plays 200 sampled games for a decision, search:2s plays for \
                 two seconds."
            }
            None => "The same as search@1: no guide made it stronger in this game.",
        };
        Self::search("search@2", about, search)
    }

    const fn search(name: &'static str, about: &'static str, search: Search<G>) -> Self {
        const { assert!(G::RESAMPLE.is_some(), "a search needs `Game::RESAMPLE`") };
        Self { name, about, is_quick: false, method: Method::Search(search) }
    }

    /// Creates the bot of a net of the program.
    pub const fn net_of(name: &'static str, net: &'static BuiltInNet, about: &'static str) -> Self {
        Self { name, about, is_quick: true, method: Method::BuiltIn(net) }
    }

    /// Creates the bot of all nets with files.
    pub(super) const fn net() -> Self {
        Self { name: "net", about: "Plays by the net of a file.", is_quick: true, method: Method::Net }
    }
}

/// A bot of a game, as its name calls it.
pub(super) struct NamedBot<G: Game> {
    name: BotName,
    bot: &'static Bot<G>,
    /// The bots of the game, one of which may advise a net.
    bots: &'static [Bot<G>],
}

impl<G: Game> NamedBot<G> {
    fn net(&self) -> &'static Net {
        if let Method::BuiltIn(net) = self.bot.method { net.net() } else { self.name.net() }
    }

    /// Returns the choice of the bot for `seat`, which has to decide between the `legal` actions.
    pub(super) fn choose(&self, game: &G, seat: Seat, legal: &ActionSet, rng: &mut BotRng) -> ActionId {
        match &self.bot.method {
            Method::Erring(_, errors) if errs(*errors, rng) => random::<G>(legal, rng).id(),
            Method::Policy(policy) | Method::Erring(policy, _) => (policy.choose_in)(game, seat, legal, rng).id(),
            Method::Search(search) => search.choose(&game.view(Viewer::Seat(seat)), legal, self.name.budget(), rng),
            Method::BuiltIn(_) | Method::Net => {
                let net = self.net();
                let advice = net.head.adviser.map(|bot| bot.of(self.bots).choose(game, seat, legal, rng));
                net.choose(&game.view(Viewer::Seat(seat)).shown(), legal, advice)
            }
        }
    }

    /// Returns the same choice, with the analysis behind it: None if the bot is no search, or if only one action is legal.
    pub(super) fn advise(
        &self,
        game: &G,
        seat: Seat,
        legal: &ActionSet,
        rng: &mut BotRng,
    ) -> (ActionId, Option<Analysis>) {
        let budget = self.name.budget().filter(|_| legal.len() > 1);
        let (Method::Search(search), Some(budget)) = (&self.bot.method, budget) else {
            return (self.choose(game, seat, legal, rng), None);
        };
        let analysis = search.analyse(&game.view(Viewer::Seat(seat)), legal, budget, rng, Cores::Callers);
        (analysis.choice, Some(analysis))
    }

    /// Returns the same choice as work to be done, which owns all that it reads.
    pub(super) fn choice(&self, game: &G, seat: Seat, mut rng: BotRng) -> BotChoice {
        let (view, legal) = seen(game, seat);
        match &self.bot.method {
            Method::Policy(policy) => {
                let shown = view.shown();
                Box::new(move || (policy.choose)(&shown, &legal, &mut rng).id())
            }
            Method::Erring(policy, errors) => {
                let shown = view.shown();
                Box::new(move || match errs(*errors, &mut rng) {
                    true => random::<G>(&legal, &mut rng).id(),
                    false => (policy.choose)(&shown, &legal, &mut rng).id(),
                })
            }
            Method::Search(search) => {
                let budget = self.name.budget();
                Box::new(move || search.choose(&view, &legal, budget, &mut rng))
            }
            Method::BuiltIn(_) | Method::Net => {
                let (net, shown) = (self.net(), view.shown());
                let adviser = net.head.adviser.map(|bot| bot.of(self.bots).choice(game, seat, rng));
                Box::new(move || net.choose(&shown, &legal, adviser.map(|choose| choose())))
            }
        }
    }

    /// Returns the analysis behind the choice, as work to be done; None if the bot is no search.
    pub(super) fn analysis(&self, game: &G, seat: Seat, mut rng: BotRng) -> Option<BotAnalysis> {
        let (Method::Search(search), Some(budget)) = (&self.bot.method, self.name.budget()) else { return None };
        let (view, legal) = seen(game, seat);
        Some(Box::new(move |cores| search.analyse(&view, &legal, budget, &mut rng, cores)))
    }
}

/// Returns what a seat sees, and its legal actions.
fn seen<G: Game>(game: &G, seat: Seat) -> (G::View, ActionSet) {
    let mut legal = ActionSet::of::<G::Action>();
    game.legal_actions(seat, &mut legal);
    (game.view(Viewer::Seat(seat)), legal)
}

/// Draws whether a bot errs that errs in this number of 1,000 decisions, on average.
fn errs(errors: u16, rng: &mut dyn Rng) -> bool {
    number(rng, 1000) < u64::from(errors)
}

fn random<G: Game>(legal: &ActionSet, rng: &mut dyn Rng) -> G::Action {
    let n = number(rng, legal.len() as u64) as usize;
    let id = legal.nth(n).expect("a seat that has to decide has a legal action");
    G::Action::from_id(id).expect("legal actions have ids of the game")
}
