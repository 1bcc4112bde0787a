//! The server: its matches and environments, and what belongs to all of it, such as its limiter, its page, and its cup.

use std::path::Path;
use std::sync::Arc;

use super::beside::Beside;
use super::cup_reader::{Cup, CupReader};
use super::environments::Environments;
use super::limiter::Limiter;
use super::matches::{Matches, Organiser};
use super::metrics::Metrics;
use super::proxies::TrustedProxies;
use super::web::Page;

/// A server. Clones are the same server, and several listeners may serve it.
#[derive(Clone, Debug)]
pub struct Server {
    pub(super) matches: Matches,
    pub(super) environments: Environments,
    /// The proxies whose headers have the addresses of calls.
    pub(super) proxies: Arc<TrustedProxies>,
    /// The cup that is shown.
    pub(super) cup: Cup,
    pub(super) organiser: Organiser,
    /// The web page, if there is one.
    pub(super) page: Option<Page>,
    /// The threads for work beside calls.
    pub(super) beside: Beside,
}

impl Server {
    /// Creates a server for these matches and environments, which shows and trusts nothing else.
    pub fn new(matches: Matches, environments: Environments) -> Self {
        let organiser = Organiser::new(matches.clone(), None);
        let (proxies, cup, page, beside) = Default::default();
        Self { matches, environments, proxies, cup, organiser, page, beside }
    }

    /// Takes the addresses of calls from the headers of these proxies.
    #[must_use]
    pub fn with_proxies(self, proxies: TrustedProxies) -> Self {
        Self { proxies: Arc::new(proxies), ..self }
    }

    /// Shows the cup with this journal.
    #[must_use]
    pub fn with_cup(self, journal: &Path) -> Self {
        Self { cup: Cup(Some(Arc::new(CupReader::new(journal)))), ..self }
    }

    /// Lets the organiser whose key has this hash schedule matches: see [`agent_key_hash`](super::agent_key_hash).
    #[must_use]
    pub fn with_organiser(self, key_hash: [u8; 32]) -> Self {
        Self { organiser: Organiser::new(self.matches.clone(), Some(key_hash)), ..self }
    }

    /// Serves the web page beside the API.
    #[must_use]
    pub fn with_page(self, page: Page) -> Self {
        Self { page: Some(page), ..self }
    }

    /// Returns the matches.
    pub fn matches(&self) -> &Matches {
        &self.matches
    }

    /// Returns what each principal uses of the server.
    pub(super) fn limiter(&self) -> &Limiter {
        self.matches.limiter()
    }

    /// Returns the metrics.
    pub(super) fn metrics(&self) -> &Metrics {
        self.matches.metrics()
    }
}

impl From<Matches> for Server {
    /// Creates a server for these matches, with the default limits of environments.
    fn from(matches: Matches) -> Self {
        Self::new(matches, Environments::default())
    }
}
