//! The remote agents of a cup: their queues and keys, whether they are present, and whether they are dismissed.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::time::SystemTime;

use ahu_arena::{Queues, RemoteAgent, Venue};
use ahu_contest::cup::{AgentState, Player, State, Status};
use ahu_core::parts::lines::joined;
use ahu_host::record::parse_digest;
use ahu_host::{MAX_REASON, MatchTime, Terms, TimeControl};
use ahu_service::proto::v1::{Dismissal, DismissalReason};
use ahu_service::{MatchConfig, entrant_hash};

use super::folder::CupFolder;
use super::{is_before, season};
use crate::CliError;

/// The maximum number of games at once that remote agents add with `--concurrency auto`.
const MAX_GAMES: usize = 32;

/// The remote agents of a cup that runs.
pub(super) struct RemoteAgents<'a> {
    folder: &'a CupFolder,
    venue: &'a dyn Venue,
    /// The queues, by the numbers of the agents.
    queues: Queues,
    /// The hashes of the keys that the venue accepts.
    key_hashes: HashMap<usize, [u8; 32]>,
    /// The time of the last change of the file when its keys were read.
    changed_at: Option<SystemTime>,
    /// The time from which agents are expected.
    since: MatchTime,
    /// The last time at which each agent was present.
    seen: BTreeMap<usize, MatchTime>,
    /// The agents that are absent, and when that was noticed.
    absent: BTreeMap<usize, MatchTime>,
    /// The agents that have heard, or will hear, why no more games come.
    dismissed: HashMap<usize, Dismissal>,
}

impl<'a> RemoteAgents<'a> {
    /// Opens the queues of all remote agents.
    pub(super) fn open(folder: &'a CupFolder, venue: &'a dyn Venue, state: &State) -> Result<Self, CliError> {
        let (queues, key_hashes, seen, absent) = Default::default();
        let since = venue.now();
        let dismissed = HashMap::new();
        let mut agents = Self { folder, venue, queues, key_hashes, changed_at: None, since, seen, absent, dismissed };
        agents.read_keys(state)?;
        agents.open_entrants(state)?;
        Ok(agents)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.queues.is_empty()
    }

    /// Reads the file again. Agents that were added get queues, and agents whose keys were renewed get the new keys. Returns the
    /// names of agents with a renewed key.
    pub(super) fn read_keys(&mut self, state: &State) -> Result<Vec<String>, CliError> {
        let changed_at = self.file_time();
        let folder = self.folder.read_again()?;
        let practice = practice(state)?;
        let key_hash = |agent: &AgentState| match &folder.cup.agent(&agent.entrant.name)?.player {
            Player::Remote { key: Some(key), .. } => Some(parse_digest(key).expect("the file was checked")),
            _ => None,
        };
        let (mut new, mut renewed) = (Vec::new(), Vec::new());
        for (number, agent) in state.agents.iter().enumerate() {
            let Some(key_hash) = key_hash(agent) else { continue };
            let (known, name) = (self.key_hashes.get(&number), agent.entrant.name.clone());
            if known == Some(&key_hash) {
                continue;
            }
            renewed.extend(known.map(|_| name.clone()));
            new.push(RemoteAgent { number, name, key_hash, practice: Some(practice.clone()), account: None });
        }
        let key_hashes: Vec<_> = new.iter().map(|agent| (agent.number, agent.key_hash)).collect();
        self.queues.extend(self.venue.open_queues(new)?);
        self.key_hashes.extend(key_hashes);
        self.changed_at = changed_at;
        Ok(renewed)
    }

    /// Opens the queues of agents that accounts have entered, and that take part.
    pub(super) fn open_entrants(&mut self, state: &State) -> Result<(), CliError> {
        let mut new = Vec::new();
        for (number, agent) in state.agents.iter().enumerate() {
            let Player::Remote { account: Some(account), .. } = &agent.entrant.player else { continue };
            if state.has_left(number) || self.key_hashes.contains_key(&number) {
                continue;
            }
            let (name, key_hash) = (agent.entrant.name.clone(), entrant_hash(account, &agent.entrant.name));
            self.key_hashes.insert(number, key_hash);
            let practice = Some(practice(state)?);
            new.push(RemoteAgent { number, name, key_hash, practice, account: Some(account.clone()) });
        }
        if !new.is_empty() {
            self.queues.extend(self.venue.open_queues(new)?);
        }
        Ok(())
    }

    /// Returns the numbers of the agents that have queues, in their order.
    pub(super) fn agents(&self) -> impl Iterator<Item = usize> {
        self.queues.keys().copied().collect::<BTreeSet<_>>().into_iter()
    }

    /// Returns true if an agent waits for a seat now, and the last time at which it asked.
    pub(super) fn contact(&self, agent: usize) -> (bool, u64) {
        let queue = self.queues.get(&agent);
        queue.map_or((false, 0), |queue| (queue.is_waiting(), queue.last_asked().map_or(0, |asked| asked.0)))
    }

    /// Returns the number of games that an agent plays at once.
    pub(super) fn games_of(state: &State, agent: usize) -> u32 {
        match &state.agents[agent].entrant.player {
            Player::Remote { games_at_once, .. } => *games_at_once,
            Player::Bot { .. } | Player::Command { .. } => 1,
        }
    }

    fn file_time(&self) -> Option<SystemTime> {
        fs::metadata(&self.folder.file).and_then(|file| file.modified()).ok()
    }

    /// Does what is due while games are played: takes renewed keys, dismisses agents that are out of the cup, and notes which
    /// agents have become absent and which are back. `busy` has the number of games that each agent plays. Returns news.
    pub(super) fn look(&mut self, state: &State, busy: &BTreeMap<usize, usize>) -> Vec<String> {
        let mut news = Vec::new();
        if self.queues.is_empty() {
            return news;
        }
        let changed_at = self.file_time();
        if changed_at != self.changed_at {
            match self.read_keys(state) {
                Ok(renewed) => news.extend(renewed.iter().map(|name| format!("{name} has another key"))),
                // Somebody may be writing the file. It is read again when it changes again.
                Err(error) => {
                    self.changed_at = changed_at;
                    news.push(format!("its keys are not read: {error}"));
                }
            }
        }
        self.dismiss(state);
        self.look_for_absent(state, busy, &mut news);
        news
    }

    /// Tells the agents that are out of the cup that no more games come. The others go on to wait, also when the run stops.
    fn dismiss(&mut self, state: &State) {
        let pause = |agent: usize| {
            let message = season::pause(state, agent)?;
            Some(Dismissal { reason: DismissalReason::Limit.into(), message })
        };
        let out = |&agent: &usize| Some((agent, dismissal(&state.agents[agent]).or_else(|| pause(agent))?));
        let out = self.queues.keys().filter_map(out).collect();
        if out != self.dismissed && self.venue.dismiss(&out) {
            self.dismissed = out;
        }
    }

    fn look_for_absent(&mut self, state: &State, busy: &BTreeMap<usize, usize>, news: &mut Vec<String>) {
        let (now, limit) = (self.venue.now(), u64::from(state.cup.header.absent));
        if is_before(state.cup.header.begins()) {
            // Nobody has to be there yet.
            self.since = now;
            return;
        }
        if state.ladder().is_some() && state.stage() == 0 {
            // Whoever does not wait is not drawn.
            self.since = now;
            return;
        }
        for (&agent, queue) in &self.queues {
            let (asked, name) = (queue.last_asked(), state.name(agent));
            if let Some(noticed) = self.absent.get(&agent) {
                if asked.is_some_and(|asked| asked > *noticed) {
                    self.absent.remove(&agent);
                    news.push(format!("{name} is back"));
                }
                continue;
            }
            let seen = self.seen.entry(agent).or_insert(self.since);
            *seen = if busy.contains_key(&agent) { now } else { asked.map_or(*seen, |asked| asked.max(*seen)) };
            if state.is_in(agent) && now.0.saturating_sub(seen.0) > limit {
                self.absent.insert(agent, now);
                news.push(format!("{name} is absent: its games wait until it asks for a seat"));
            }
        }
    }

    /// Returns true if an agent can begin a game now, while it plays this number of games. An agent that is not remote always
    /// can.
    pub(super) fn is_free(&self, state: &State, agent: usize, games: usize) -> bool {
        let (Some(queue), Player::Remote { games_at_once, .. }) =
            (self.queues.get(&agent), &state.agents[agent].entrant.player)
        else {
            return true;
        };
        // After the deadline, an absent agent need not be waited for: it loses all its games.
        let is_late = state.cup.header.ends().is_some_and(|ends| SystemTime::now() >= ends);
        let is_given_up = is_late && self.absent.contains_key(&agent);
        is_given_up || queue.is_waiting() && games < *games_at_once as usize
    }

    /// Returns the number of games at once that remote agents add to a run, since these games wait for the network most of the
    /// time.
    pub(super) fn games_at_once(&self, state: &State) -> usize {
        let games = |agent: &usize| match &state.agents[*agent].entrant.player {
            Player::Remote { games_at_once, .. } => *games_at_once as usize,
            Player::Bot { .. } | Player::Command { .. } => 0,
        };
        self.queues.keys().map(games).sum::<usize>().min(MAX_GAMES)
    }

    /// Tells all agents that no more games come, after the end of the cup.
    pub(super) fn say_farewell(&self) {
        self.venue.say_farewell(&self.queues, "the cup");
    }
}

/// Returns what an agent is told; None for an agent that plays.
fn dismissal(agent: &AgentState) -> Option<Dismissal> {
    let (name, status) = (&agent.entrant.name, &agent.status);
    let reason = if matches!(status, Status::Resting(_)) { DismissalReason::Resting } else { DismissalReason::Out };
    let (what, why) = match status {
        Status::In => return None,
        Status::Resting(reason) => (format!("the agent rests until `ahu cup wake {name}`"), Some(&**reason)),
        Status::Withdrawn(reason) => ("the agent has left the cup".to_owned(), reason.as_deref()),
        Status::Disqualified(reason) => ("the agent was excluded from the cup".to_owned(), Some(&**reason)),
    };
    let mut message = why.map_or(what.clone(), |why| format!("{what}: {}", joined(why.split_whitespace(), " ")));
    while message.len() > MAX_REASON {
        message.pop();
    }
    Some(Dismissal { reason: reason.into(), message: message.trim_end().to_owned() })
}

/// Returns the practice match of a cup: a game of the first stage against the stand-in, with the clock of the cup.
fn practice(state: &State) -> Result<MatchConfig, CliError> {
    let first = &state.cup.stages[0];
    let setup = first.setup().map_err(CliError::Failed)?;
    let terms = state.cup.terms(first).map_err(CliError::Failed)?;
    let mut bots = vec![terms.stand_in; first.seats];
    bots[0] = None;
    let clocks =
        bots.iter().zip(&terms.clocks).map(|(bot, clock)| if bot.is_some() { TimeControl::default() } else { *clock });
    let terms = Terms { clocks: clocks.collect(), ..terms };
    Ok(MatchConfig { bots, terms, ..MatchConfig::new(setup) })
}
