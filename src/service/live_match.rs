//! A match as the service hosts it: who sits where, tokens, the seed and its commitment.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use rand::rngs::{ChaCha8Rng, SysRng};
use rand::{SeedableRng, TryRng};
use sha2::{Digest as _, Sha256};
use tokio::sync::watch;

use super::error::ApiError;
use super::journal::{Append, Journal, Kept};
use super::limits::MAX_WAIT;
use crate::core::{ActionId, Seat, Seats, Seed, hex};
use crate::host::record::check_name;
use crate::host::{AnyRules, BotName, Conduct, MatchResult, Referee, Setup, StepOutcome};

/// A SHA-256 over something.
pub(super) type Digest = [u8; 32];

/// What a new match is to be.
#[derive(Debug)]
pub struct MatchConfig {
    /// The rules of its game.
    pub rules: &'static dyn AnyRules,
    /// What is agreed before play.
    pub setup: Setup,
    /// The bots among its seats, by seat.
    pub bots: Vec<Option<(String, BotName)>>,
    /// What fixes its chance; `None`: whatever comes.
    pub seed: Option<Seed>,
    /// What holds beside the rules.
    pub conduct: Conduct,
}

/// A match that is hosted.
pub struct LiveMatch {
    /// Its name.
    pub id: Arc<str>,
    /// Its place in the order of creation.
    pub(super) number: u64,
    pub(super) created: SystemTime,
    pub(super) setup: Setup,
    pub(super) conduct: Conduct,
    pub(super) seed: Seed,
    /// Whether the client that created the match chose the seed.
    pub(super) seed_given: bool,
    pub(super) salt: [u8; 32],
    /// What the commitment binds beside the seed.
    pub(super) specification: String,
    /// SHA-256 over salt, seed and specification: published before play, so that the seed cannot be chosen
    /// after the fact.
    pub(super) commitment: Digest,
    rules: &'static dyn AnyRules,
    context: ServerContext,
    progress: Mutex<Progress>,
    is_finished: AtomicBool,
    /// When it last changed, in milliseconds since the house opened.
    changed_at: AtomicU64,
    /// Goes up with every change, so that whoever waits looks again.
    changes: watch::Sender<u64>,
    kept: watch::Sender<Kept>,
    is_dropped: watch::Sender<bool>,
}

/// What all matches of a server share.
#[derive(Clone, Debug)]
pub(super) struct ServerContext {
    pub(super) journal: Journal,
    /// Seat tokens are made with it, so that the same request can be given the same token again although
    /// no token is kept.
    pub(super) token_key: [u8; 32],
    pub(super) opened: Instant,
}

/// What changes while a match is hosted. No lock on it is held across an await.
pub(super) struct Progress {
    occupants: Vec<SeatOccupant>,
    /// There, once every seat is taken.
    referee: Option<Referee>,
    /// Where the bots take their choices from.
    bots_rng: ChaCha8Rng,
    /// How many entries the journal was given.
    logged: usize,
}

/// Who has a seat.
pub(super) enum SeatOccupant {
    Open,
    Agent {
        name: String,
        token_hash: Digest,
        /// The request by which the seat was taken, where it had an id.
        request: Option<Digest>,
    },
    Bot {
        name: String,
        bot: BotName,
    },
}

impl fmt::Debug for LiveMatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LiveMatch").field("id", &self.id).finish_non_exhaustive()
    }
}

/// So many random bytes of the operating system's.
pub(super) fn random_bytes<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    SysRng.try_fill_bytes(&mut bytes).expect("the system has random numbers");
    bytes
}

/// What a player is called who gives this name.
pub(super) fn player_name(name: &str) -> Result<&str, ApiError> {
    let name = if name.is_empty() { "agent" } else { name };
    check_name(name).map_err(ApiError::bad_name)?;
    Ok(name)
}

impl LiveMatch {
    /// Hosts a match. It begins at once where bots take all its seats.
    pub(super) fn new(config: MatchConfig, number: u64, context: ServerContext) -> Self {
        let seed = config.seed.unwrap_or_else(|| Seed(u64::from_le_bytes(random_bytes())));
        let occupants = config.bots.into_iter().map(|bot| match bot {
            Some((name, bot)) => SeatOccupant::Bot { name, bot },
            None => SeatOccupant::Open,
        });
        let progress = Progress {
            occupants: occupants.collect(),
            referee: None,
            // Not the chance of the game, which the choices of bots must not show.
            bots_rng: ChaCha8Rng::seed_from_u64(seed.child(0).0),
            logged: 0,
        };
        let opened = context.opened;
        let salt = random_bytes();
        let info = config.rules.info();
        let specification = format!("game {}\nrules {}\noptions {}\n", info.id, info.rules, config.setup);
        let commitment =
            Sha256::new().chain_update(salt).chain_update(seed.0.to_le_bytes()).chain_update(&specification).finalize();
        let live = Self {
            id: hex(&random_bytes::<8>()).into(),
            number,
            created: SystemTime::now(),
            setup: config.setup,
            conduct: config.conduct,
            seed,
            seed_given: config.seed.is_some(),
            salt,
            commitment: commitment.into(),
            specification,
            rules: config.rules,
            context,
            progress: Mutex::new(progress),
            is_finished: AtomicBool::new(false),
            changed_at: AtomicU64::new(opened.elapsed().as_millis() as u64),
            changes: watch::Sender::new(0),
            kept: watch::Sender::new(Kept::Entries(0)),
            is_dropped: watch::Sender::new(false),
        };
        tracing::info!(match_id = &*live.id, game = live.rules.info().id, options = %live.setup, "match created");
        live.change(|progress| live.start_if_full(progress));
        live
    }

    /// The rules of its game.
    pub fn rules(&self) -> &'static dyn AnyRules {
        self.rules
    }

    /// Its seats.
    pub fn seats(&self) -> Seats {
        self.setup.seats
    }

    /// What happens in one match must not take others along: where rules have panicked, that match may
    /// stand as it should not, but the server goes on.
    fn lock(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks at the match, for as long as `look` takes. Says also on how many entries it rests: what was
    /// seen must not be told before they are kept.
    pub(super) fn look<T>(&self, look: impl FnOnce(&Progress) -> T) -> (T, usize) {
        let progress = self.lock();
        (look(&progress), progress.logged)
    }

    /// Changes the match, hands what that added to the journal and tells whoever waits. Where nothing
    /// changes, as with what is refused, nobody is told, and the match grows no younger.
    fn change<T>(&self, change: impl FnOnce(&mut Progress) -> T) -> (T, usize) {
        let mut progress = self.lock();
        let before = progress.extent();
        let done = change(&mut progress);
        self.append_to_journal(&mut progress);
        let logged = progress.logged;
        if progress.extent() == before {
            return (done, logged);
        }
        let now = self.context.opened.elapsed().as_millis() as u64;
        self.changed_at.store(now, Ordering::Relaxed);
        if progress.result().is_some() && !self.is_finished.swap(true, Ordering::Relaxed) {
            tracing::info!(match_id = &*self.id, entries = logged, "match finished");
        }
        drop(progress);
        self.changes.send_modify(|count| *count += 1);
        (done, logged)
    }

    /// Hands the entries that the journal has not got to it. The lock is held, so that they come in order.
    fn append_to_journal(&self, progress: &mut Progress) {
        let Some(referee) = &progress.referee else { return };
        let entries = &referee.entries()[progress.logged..];
        if !entries.is_empty() {
            self.context.journal.append(Append {
                match_id: Arc::clone(&self.id),
                expected: progress.logged,
                entries: entries.to_vec(),
                kept: self.kept.clone(),
            });
            progress.logged = referee.entries().len();
        }
    }

    /// Waits until so many entries are kept.
    pub(super) async fn kept(&self, entries: usize) -> Result<(), ApiError> {
        let mut kept = self.kept.subscribe();
        let enough = |kept: &Kept| matches!(kept, Kept::Failed) || matches!(kept, Kept::Entries(n) if *n >= entries);
        match kept.wait_for(enough).await.map(|kept| *kept) {
            Ok(Kept::Entries(_)) => Ok(()),
            Ok(Kept::Failed) | Err(_) => Err(ApiError::log_failed(&self.id)),
        }
    }

    /// Looks at the referee, once the match has begun.
    pub fn with_referee<T>(&self, look: impl FnOnce(&Referee) -> T) -> Option<T> {
        self.look(|progress| progress.referee.as_ref().map(look)).0
    }

    /// Goes up with every change.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// The seat of this number.
    pub fn seat(&self, index: Option<u32>) -> Result<Seat, ApiError> {
        let seats = self.setup.seats;
        let seat = index.and_then(|index| seats.get(index as usize));
        seat.ok_or_else(|| ApiError::unknown_seat(index, seats.count()))
    }

    /// Gives a seat to an agent: the one asked for, or the lowest that is open. Returns its token.
    pub fn join(&self, seat: Option<u32>, name: &str) -> Result<(Seat, String), ApiError> {
        self.join_by(seat, name, None)
    }

    /// [`Self::join`], by a request that may be sent again: it is given the same seat again.
    pub(super) fn join_by(
        &self,
        seat: Option<u32>,
        name: &str,
        request: Option<Digest>,
    ) -> Result<(Seat, String), ApiError> {
        let name = player_name(name)?;
        let asked = seat.map(|seat| self.seat(Some(seat))).transpose()?;
        let joined = self.change(|progress| {
            if let Some(seat) =
                self.setup.seats.iter().find(|seat| progress.occupants[seat.index()].joined_with(request))
            {
                return Ok((seat, self.token(seat, request.as_ref())));
            }
            let open = |seat: &Seat| matches!(progress.occupants[seat.index()], SeatOccupant::Open);
            let seat = match asked {
                Some(seat) => Some(seat).filter(open),
                None => self.setup.seats.iter().find(open),
            };
            let seat = seat.ok_or_else(|| ApiError::seat_taken(&self.id, asked.map(Seat::index)))?;
            let token = self.token(seat, request.as_ref());
            let token_hash = Sha256::digest(&token).into();
            progress.occupants[seat.index()] = SeatOccupant::Agent { name: name.to_owned(), token_hash, request };
            self.start_if_full(progress);
            tracing::debug!(match_id = &*self.id, seat = seat.index(), name, "seat joined");
            Ok((seat, token))
        });
        joined.0
    }

    /// The token of a seat: the same for the same request, any for no request.
    fn token(&self, seat: Seat, request: Option<&Digest>) -> String {
        let secret = Sha256::new()
            .chain_update(self.context.token_key)
            .chain_update(self.id.as_bytes())
            .chain_update([seat.index() as u8])
            .chain_update(request.copied().unwrap_or_else(random_bytes));
        hex(&secret.finalize())
    }

    /// Refuses a token that is not that of `seat`.
    pub(super) fn authorize(&self, seat: Seat, token: Option<&str>) -> Result<(), ApiError> {
        let token = token.ok_or_else(ApiError::no_token)?;
        // Hashes are compared, so that the time it takes tells nothing about the token.
        let hash: Digest = Sha256::digest(token).into();
        let authorized = |progress: &Progress| match &progress.occupants[seat.index()] {
            SeatOccupant::Agent { token_hash, .. } => *token_hash == hash,
            SeatOccupant::Bot { .. } | SeatOccupant::Open => false,
        };
        if self.look(authorized).0 { Ok(()) } else { Err(ApiError::wrong_token()) }
    }

    /// Answers the decision of a seat, with the action of this id, if there is one.
    pub fn step(&self, seat: Seat, decision: u32, id: u32) -> Result<StepOutcome, ApiError> {
        self.change(|progress| {
            let referee = progress.referee.as_mut().ok_or_else(|| ApiError::not_started(&self.id))?;
            // Beyond 16 bits there is no action; nor is there one with the largest id of 16 bits.
            let outcome = referee.act(seat, decision, ActionId(u16::try_from(id).unwrap_or(u16::MAX)));
            let strikes = referee.strikes(seat);
            progress.play_bots();
            outcome.map_err(|error| ApiError::refused(error, id, &self.id, strikes))
        })
        .0
    }

    /// A stand-in plays on for the seat.
    pub fn forfeit(&self, seat: Seat) {
        self.change(|progress| {
            if let Some(referee) = &mut progress.referee {
                referee.forfeit(seat);
            }
            progress.play_bots();
        });
    }

    /// Waits until the seat owes a decision or the match is finished, but no longer than `wait`.
    pub(super) async fn wait(&self, seat: Seat, wait: Duration) -> Result<(), ApiError> {
        let ready = |referee: &Referee| referee.result().is_some() || referee.decision(seat).is_some();
        let mut changes = self.changes();
        let mut is_dropped = self.is_dropped.subscribe();
        let mut kept = self.kept.subscribe();
        let waiting = changes.wait_for(|_| self.with_referee(ready).unwrap_or(false));
        tokio::select! {
            _ = kept.wait_for(|&kept| kept == Kept::Failed) => Err(ApiError::log_failed(&self.id)),
            // That nothing came in time is no error.
            _ = tokio::time::timeout(wait.min(MAX_WAIT), waiting) => Ok(()),
            _ = is_dropped.wait_for(|&dropped| dropped) => Err(ApiError::unknown_match(&self.id)),
        }
    }

    /// Whether the match is finished.
    pub fn is_finished(&self) -> bool {
        self.is_finished.load(Ordering::Relaxed)
    }

    /// When the match last changed, in milliseconds since the house opened.
    pub(super) fn changed_at(&self) -> u64 {
        self.changed_at.load(Ordering::Relaxed)
    }

    /// Whether this seat, or any, is open.
    pub(super) fn is_open(&self, seat: Option<u32>) -> bool {
        let is_open = |occupant: &SeatOccupant| matches!(occupant, SeatOccupant::Open);
        let look = |progress: &Progress| match seat {
            Some(seat) => progress.occupants.get(seat as usize).is_some_and(is_open),
            None => progress.occupants.iter().any(is_open),
        };
        self.look(look).0
    }

    /// Sends home who waits, and lets go of the log: nobody finds the match any more.
    pub(super) fn close(&self) {
        self.is_dropped.send_replace(true);
        self.context.journal.forget(Arc::clone(&self.id));
    }

    fn start_if_full(&self, progress: &mut Progress) {
        if progress.occupants.iter().any(|occupant| matches!(occupant, SeatOccupant::Open)) {
            return;
        }
        let names = progress.occupants.iter().map(|occupant| occupant.name().to_owned()).collect();
        progress.referee = Some(Referee::new(self.rules, self.setup.clone(), self.seed, names, self.conduct));
        progress.play_bots();
    }
}

impl Progress {
    pub(super) fn occupants(&self) -> &[SeatOccupant] {
        &self.occupants
    }

    pub(super) fn referee(&self) -> Option<&Referee> {
        self.referee.as_ref()
    }

    /// How many entries it has, and how many open seats: whatever changes it changes one of them.
    fn extent(&self) -> (usize, usize) {
        let open = self.occupants.iter().filter(|occupant| matches!(occupant, SeatOccupant::Open)).count();
        (self.logged, open)
    }

    fn result(&self) -> Option<MatchResult> {
        self.referee.as_ref().and_then(Referee::result)
    }

    /// Lets the bots answer until an agent has to, or the match is finished.
    fn play_bots(&mut self) {
        let Some(referee) = &mut self.referee else { return };
        let bot = |seat: Seat| match self.occupants[seat.index()] {
            SeatOccupant::Bot { bot, .. } => Some((seat, bot)),
            SeatOccupant::Agent { .. } | SeatOccupant::Open => None,
        };
        while let Some((seat, bot)) = referee.to_act().iter().find_map(bot) {
            let id = referee.bot_choice(bot, seat, &mut self.bots_rng);
            let decision = referee.decision(seat).expect("the seat owes one");
            referee.act(seat, decision, id).expect("bots play legal actions");
        }
    }
}

impl SeatOccupant {
    pub(super) fn name(&self) -> &str {
        match self {
            Self::Open => "",
            Self::Agent { name, .. } | Self::Bot { name, .. } => name,
        }
    }

    /// Whether the seat was taken by this request.
    fn joined_with(&self, asked: Option<Digest>) -> bool {
        match self {
            Self::Agent { request, .. } => asked.is_some() && *request == asked,
            Self::Open | Self::Bot { .. } => false,
        }
    }
}
