//! The part of a match that changes: its occupants and its referee.

use sha2::{Digest as _, Sha256};

use crate::core::{ActionId, Seat};
use crate::host::api::ApiError;
use crate::host::{BotAnswer, BotName, Entry, Referee, SeatPlayer, StepOutcome};
use crate::service::error;
use crate::service::limits::MAX_INLINE_DECISIONS;

/// A SHA-256 digest.
pub(super) type Digest = [u8; 32];

/// The part of a match that changes. Nobody holds its lock across an await or while a bot thinks.
#[derive(Debug)]
pub(super) struct Progress {
    occupants: Vec<SeatOccupant>,
    /// None until every seat is taken.
    referee: Option<Referee>,
    /// True while the bot pool has a job for this match.
    pub(super) has_bot_job: bool,
}

/// The occupant of a seat.
#[derive(Debug)]
pub(super) enum SeatOccupant {
    Open,
    Agent {
        name: String,
        token: TokenHash,
        /// The hash of the id of the request that took the seat, if it had one.
        request: Option<Digest>,
    },
    Bot(BotName),
}

/// The digest of a seat's token. A comparison of digests takes a time that tells nothing about the token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TokenHash(Digest);

impl TokenHash {
    pub(super) fn of(token: &str) -> Self {
        Self(Sha256::digest(token).into())
    }
}

/// The size of a match. Every change changes it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Extent {
    pub(super) entries: usize,
    open_seats: usize,
}

impl Progress {
    /// Creates a match with these bots, by seat; None for open seats.
    pub(super) fn new(bots: Vec<Option<BotName>>) -> Self {
        let occupants = bots.into_iter().map(|bot| bot.map_or(SeatOccupant::Open, SeatOccupant::Bot));
        Self { occupants: occupants.collect(), referee: None, has_bot_job: false }
    }

    pub(super) fn occupants(&self) -> &[SeatOccupant] {
        &self.occupants
    }

    pub(super) fn referee(&self) -> Option<&Referee> {
        self.referee.as_ref()
    }

    /// Refuses a token that does not belong to `seat`.
    pub(super) fn authorize(&self, seat: Seat, token: TokenHash) -> Result<(), ApiError> {
        match &self.occupants[seat.index()] {
            SeatOccupant::Agent { token: own, .. } if *own == token => Ok(()),
            _ => Err(error::wrong_token()),
        }
    }

    /// Returns the seat that this request took.
    pub(super) fn joined_with(&self, asked: Option<Digest>) -> Option<Seat> {
        let took = |occupant: &SeatOccupant| match occupant {
            SeatOccupant::Agent { request, .. } => asked.is_some() && *request == asked,
            SeatOccupant::Open | SeatOccupant::Bot(_) => false,
        };
        self.occupants.iter().position(took).and_then(Seat::new)
    }

    /// Returns the lowest open seat; None if the seat that was asked for, or every seat, is taken.
    pub(super) fn open_seat(&self, asked: Option<Seat>) -> Option<Seat> {
        let is_open = |seat: &Seat| matches!(self.occupants[seat.index()], SeatOccupant::Open);
        match asked {
            Some(seat) => Some(seat).filter(is_open),
            None => (0..self.occupants.len()).filter_map(Seat::new).find(is_open),
        }
    }

    /// Gives an open seat to an agent.
    pub(super) fn seat_agent(&mut self, seat: Seat, name: &str, token: TokenHash, request: Option<Digest>) {
        self.occupants[seat.index()] = SeatOccupant::Agent { name: name.to_owned(), token, request };
    }

    /// Returns the players, by seat; None if a seat is open.
    pub(super) fn players(&self) -> Option<Vec<SeatPlayer>> {
        self.occupants.iter().map(SeatOccupant::player).collect()
    }

    /// Returns true if an agent has a seat.
    pub(super) fn has_agents(&self) -> bool {
        self.occupants.iter().any(|occupant| matches!(occupant, SeatOccupant::Agent { .. }))
    }

    /// Begins play.
    pub(super) fn start(&mut self, referee: Referee) {
        self.referee = Some(referee);
    }

    /// Answers the decision of a seat in the match `match_id`, and lets quick bots go on.
    pub(super) fn step(&mut self, match_id: &str, seat: Seat, decision: u32, id: u32) -> Result<StepOutcome, ApiError> {
        let referee = self.referee.as_mut().ok_or_else(|| error::not_started(match_id))?;
        // No action has an id beyond 16 bits, nor the largest id of 16 bits.
        let outcome = referee.act(seat, decision, ActionId(u16::try_from(id).unwrap_or(u16::MAX)));
        let outcome = outcome.map_err(|error| ApiError::refused(error, id, match_id, referee.strikes(seat)));
        self.play_quick_bots();
        outcome
    }

    /// Declares that a seat forfeits, and lets its stand-in play on.
    pub(super) fn forfeit(&mut self, seat: Seat) {
        if let Some(referee) = &mut self.referee {
            referee.forfeit(seat);
            self.play_quick_bots();
        }
    }

    /// Applies the answer of a bot, and lets quick bots go on.
    pub(super) fn answer_bot(&mut self, answer: BotAnswer) {
        if let Some(referee) = &mut self.referee {
            referee.answer(answer);
            self.play_quick_bots();
        }
    }

    /// Plays the decisions of quick bots, up to a limit. The bot pool plays the others.
    pub(super) fn play_quick_bots(&mut self) {
        let Some(referee) = &mut self.referee else { return };
        for _ in 0..MAX_INLINE_DECISIONS {
            match referee.bot_to_act() {
                Some((_, bot)) if bot.is_quick() => referee.play_bot(),
                _ => return,
            }
        }
    }

    /// Returns the entries so far, with all secrets.
    pub(super) fn entries(&self) -> &[Entry] {
        self.referee.as_ref().map_or(&[], Referee::entries)
    }

    pub(super) fn extent(&self) -> Extent {
        let is_open = |occupant: &&SeatOccupant| matches!(occupant, SeatOccupant::Open);
        Extent { entries: self.entries().len(), open_seats: self.occupants.iter().filter(is_open).count() }
    }
}

impl SeatOccupant {
    /// Returns the name of the player; empty for an open seat.
    pub(super) fn name(&self) -> &str {
        match self {
            Self::Open => "",
            Self::Agent { name, .. } => name,
            Self::Bot(bot) => bot.name(),
        }
    }

    /// Returns the player; None for an open seat.
    fn player(&self) -> Option<SeatPlayer> {
        match self {
            Self::Open => None,
            Self::Agent { name, .. } => Some(SeatPlayer::external(name)),
            Self::Bot(bot) => Some(SeatPlayer::bot(*bot)),
        }
    }
}
