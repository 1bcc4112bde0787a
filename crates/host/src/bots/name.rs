//! Names of bots: `greedy`, `greedy@1`, `search:200`, `net:0123456789abcdef`.

use std::fmt;

use ahu_core::parse::did_you_mean;
use ahu_core::{Game, ParseError};

use super::{Bot, Method, NamedBot};
use crate::nets::{self, NET, Net, NetId};
use crate::search::Budget;

/// A bot of one game, found by name: see [`AnyRules::bot`](crate::AnyRules::bot).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BotName {
    /// The place in the list of the game's bots.
    index: usize,
    name: &'static str,
    is_quick: bool,
    /// The budget of a search; None for other bots.
    budget: Option<Budget>,
    /// The net; None for other bots.
    net: Option<NetId>,
}

impl BotName {
    /// Reads the name of a bot from the list of its game. A name without a version means the newest one. A search has a
    /// budget after a colon; without one it has the [default](Budget::DEFAULT).
    ///
    /// A net is found if it is loaded and plays this game, by its own name or by the name that its owner gave it.
    pub(crate) fn find<G: Game>(text: &str, bots: &[Bot<G>]) -> Result<Self, ParseError> {
        if let Some(net) = nets::named(text).filter(|net| net.head.rules.info().id == G::INFO.id) {
            return Ok(Self { is_quick: net.is_quick(), ..Self::of_net(net.id()) });
        }
        if text.starts_with(NET) {
            let known: Vec<String> = bots.iter().map(Bot::grammar).chain(nets::list(G::INFO.id)).collect();
            let message = format!("unknown bot \"{text}\" (expected one of {})", known.join(", "));
            return Err(ParseError::new(0, message));
        }
        let (name, budget) = text.split_once(':').map_or((text, None), |(name, budget)| (name, Some(budget)));
        let stem = |bot: &Bot<G>| bot.name.split('@').next().unwrap_or(bot.name);
        let Some(index) = bots.iter().rposition(|bot| bot.name == name || stem(bot) == name) else {
            // The newest version first, so that it is named for a version that does not exist.
            let known = bots.iter().map(stem).chain(bots.iter().rev().map(|bot| bot.name));
            let hint = did_you_mean(name, known);
            let listed: Vec<String> = bots.iter().map(Bot::grammar).collect();
            let message = format!("unknown bot \"{name}\"{hint} (expected one of {})", listed.join(", "));
            return Err(ParseError::new(0, message));
        };
        let bot = &bots[index];
        let budget = match (&bot.method, budget) {
            (Method::Policy(_) | Method::Erring(..) | Method::BuiltIn(_) | Method::Net, None) => None,
            (Method::Policy(_) | Method::Erring(..) | Method::BuiltIn(_) | Method::Net, Some(_)) => {
                let message = format!("expected the name \"{name}\" alone, got \"{text}\": this bot has no budget");
                return Err(ParseError::new(name.len(), message));
            }
            (Method::Search(_), None) => Some(Budget::DEFAULT),
            (Method::Search(_), Some(budget)) => {
                Some(budget.parse().map_err(|error: ParseError| error.within(name.len() + 1))?)
            }
        };
        Ok(Self { index, name: bot.name, is_quick: bot.is_quick, budget, net: None })
    }

    /// Returns the bot of a net, which need not be loaded: a record can be read without the nets that played in it.
    pub(crate) const fn of_net(net: NetId) -> Self {
        Self { index: 0, name: "net", is_quick: true, budget: None, net: Some(net) }
    }

    /// Returns the bot from the list of its game.
    pub(crate) fn of<G: Game>(self, bots: &'static [Bot<G>]) -> NamedBot<G> {
        let bot = if self.is_net() { const { &Bot::net() } } else { &bots[self.index] };
        NamedBot { name: self, bot, bots }
    }

    /// Returns the net.
    ///
    /// # Panics
    /// If the bot is no net, or the net is not loaded.
    pub(crate) fn net(self) -> &'static Net {
        self.net.and_then(NetId::net).unwrap_or_else(|| panic!("expected a loaded net, got {self}"))
    }

    /// Returns true if the bot is a net.
    pub const fn is_net(self) -> bool {
        self.net.is_some()
    }

    /// Returns true if the bot can choose: it is no net, or its net is loaded.
    pub fn is_loaded(self) -> bool {
        self.net.is_none_or(|net| net.net().is_some())
    }

    /// Returns the name and the version, with the budget of a search: `greedy@1`, `search@1:200`.
    pub fn name(self) -> String {
        self.to_string()
    }

    /// Returns true if a choice takes little time: see [`Bot::is_quick`].
    pub const fn is_quick(self) -> bool {
        self.is_quick
    }

    /// Returns the budget of a search; None for other bots.
    pub const fn budget(self) -> Option<Budget> {
        self.budget
    }

    /// Returns true if the same bot seed means the same choices on every machine. That does not hold for a search with a
    /// budget of time.
    pub const fn is_reproducible(self) -> bool {
        !matches!(self.budget, Some(Budget::Time(_)))
    }
}

/// Writes the name, the version, and the budget of a search; of a net `net:` and 16 digits.
impl fmt::Display for BotName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(net) = self.net {
            return net.fmt(f);
        }
        f.write_str(self.name)?;
        self.budget.map_or(Ok(()), |budget| write!(f, ":{budget}"))
    }
}

impl<G: Game> Bot<G> {
    /// Returns the form of the bot's names, for error messages: `greedy@1`, `search@1:N`.
    fn grammar(&self) -> String {
        match self.method {
            Method::Search(_) => format!("{}:N", self.name),
            Method::Policy(_) | Method::Erring(..) | Method::BuiltIn(_) | Method::Net => self.name.to_owned(),
        }
    }
}
