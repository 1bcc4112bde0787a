//! Terms: the agreement about clocks and conduct beside the rules of the game.

use std::num::{NonZeroU8, NonZeroU16, NonZeroU32};

use super::bots::{BotName, STAND_IN};
use super::clock::{MAX_CONTROL, TimeControl};
use super::ensure::ensure;
use super::rules::AnyRules;
use crate::core::numbered::named;
use crate::core::parse::words;

named! {
    /// The reason why a seat gets a strike or forfeits.
    #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "lowercase"))]
    pub enum Cause("cause") {
        /// An action that is not legal, or that the game does not have.
        Illegal = "illegal",
        /// A text or a message that is not an action.
        Unreadable = "unreadable",
        /// A decision that took too long.
        Timeout = "timeout",
        /// The exit of a program that the host had started.
        Exited = "exited",
        /// An agent that was absent for too long while it owed a decision.
        Absent = "absent",
        /// A resignation.
        Resigned = "resigned",
    }

    /// The consequence of a fault.
    #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "lowercase"))]
    pub enum Consequence("consequence") {
        /// The call is refused, and the match goes on.
        Refusal = "refusal",
        /// The seat gets a strike, and forfeits with the agreed number of them.
        Strike = "strike",
        /// The seat forfeits.
        Forfeit = "forfeit",
    }
}

/// The agreed consequences of faults.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conduct {
    /// The consequence of an illegal action.
    pub illegal: Consequence,
    /// The consequence of an unreadable action.
    pub unreadable: Consequence,
    /// The consequence of a timeout: a strike, after which the span begins anew, or a forfeit.
    pub timeout: Consequence,
    /// The consequence of the exit of a program that the host had started. With a refusal, the clock decides.
    pub exited: Consequence,
    /// The consequence of an absence beyond `absence_limit`.
    pub absent: Consequence,
    /// The consequence of a resignation: a refusal, or a forfeit.
    pub resigned: Consequence,
    /// The time that an agent may be absent while it owes a decision, in milliseconds; None: no limit.
    pub absence_limit: Option<NonZeroU32>,
    /// The number of strikes with which a seat forfeits.
    pub strikes: NonZeroU8,
    /// The number of refused calls for one decision with which a seat forfeits. A call that repeats the refused action
    /// before it within two seconds does not count.
    pub tries: NonZeroU16,
}

impl Default for Conduct {
    /// Returns the consequences without strikes: faulty actions are refused, all else forfeits.
    fn default() -> Self {
        Self {
            illegal: Consequence::Refusal,
            unreadable: Consequence::Refusal,
            timeout: Consequence::Forfeit,
            exited: Consequence::Forfeit,
            absent: Consequence::Forfeit,
            resigned: Consequence::Forfeit,
            absence_limit: None,
            strikes: NonZeroU8::new(3).expect("3 is not 0"),
            tries: NonZeroU16::new(50).expect("50 is not 0"),
        }
    }
}

impl Conduct {
    /// Returns the default conduct, but with a strike for each illegal action.
    pub fn with_strikes(strikes: NonZeroU8) -> Self {
        Self { illegal: Consequence::Strike, strikes, ..Self::default() }
    }

    /// Returns a conduct with the consequence that `of` names for each fault.
    pub(super) fn of<E>(mut of: impl FnMut(Cause) -> Result<Consequence, E>) -> Result<Self, E> {
        Ok(Self {
            illegal: of(Cause::Illegal)?,
            unreadable: of(Cause::Unreadable)?,
            timeout: of(Cause::Timeout)?,
            exited: of(Cause::Exited)?,
            absent: of(Cause::Absent)?,
            resigned: of(Cause::Resigned)?,
            ..Self::default()
        })
    }

    /// Returns the consequence of a fault.
    pub const fn consequence(&self, cause: Cause) -> Consequence {
        match cause {
            Cause::Illegal => self.illegal,
            Cause::Unreadable => self.unreadable,
            Cause::Timeout => self.timeout,
            Cause::Exited => self.exited,
            Cause::Absent => self.absent,
            Cause::Resigned => self.resigned,
        }
    }

    /// Returns true if some fault leads to a strike.
    pub fn has_strikes(&self) -> bool {
        Cause::ALL.iter().any(|&cause| self.consequence(cause) == Consequence::Strike)
    }

    /// Checks the conduct for contradictions with itself and with the clocks.
    pub fn check(&self, controls: &[TimeControl]) -> Result<(), String> {
        let (refusal, strike) = (Consequence::Refusal, Consequence::Strike);
        for (cause, refused, expected) in [
            (Cause::Timeout, refusal, "a strike or a forfeit"),
            (Cause::Resigned, strike, "a refusal or a forfeit"),
            (Cause::Exited, strike, "a refusal or a forfeit"),
            (Cause::Absent, refusal, "a strike or a forfeit"),
        ] {
            if self.consequence(cause) == refused && (cause != Cause::Absent || self.absence_limit.is_some()) {
                return Err(format!("expected {expected} as the consequence of {cause}, got a {refused}"));
            }
        }
        let has_bank = controls.iter().any(|control| control.bank.is_some());
        ensure(self.timeout != strike || !has_bank, || {
            "expected a forfeit for a timeout with a bank, since an empty bank cannot begin anew; got a strike"
                .to_owned()
        })
    }
}

/// The agreement of a match beside the rules of its game.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Terms {
    /// The consequences of faults.
    pub conduct: Conduct,
    /// The clock of each seat. Empty: no clocks.
    pub clocks: Vec<TimeControl>,
    /// The limit of a span for seats without any limit, in milliseconds; None: no limit.
    pub idle: Option<NonZeroU32>,
    /// The bot that plays on for a seat that has forfeited; None: the newest `greedy`.
    pub stand_in: Option<BotName>,
}

impl Terms {
    /// Returns the bot that plays on for a seat that has forfeited.
    pub fn stand_in_of(&self, rules: &dyn AnyRules) -> BotName {
        self.stand_in.unwrap_or_else(|| rules.bot(STAND_IN).expect("every game has the bot greedy"))
    }

    /// Returns true if the terms are those of a match for which nobody asked for others. The idle limit may differ, which is
    /// that of a server.
    pub fn are_default(&self, rules: &dyn AnyRules) -> bool {
        let default = Self::default();
        let clocks = self.clocks.iter().all(|clock| *clock == TimeControl::default());
        clocks && self.conduct == default.conduct && self.stand_in_of(rules) == default.stand_in_of(rules)
    }

    /// Checks each part of the terms, and that no part contradicts another.
    pub fn check(&self) -> Result<(), String> {
        self.clocks.iter().try_for_each(TimeControl::check)?;
        for (name, limit) in [("idle limit", self.idle), ("absence limit", self.conduct.absence_limit)] {
            let limit = limit.map_or(0, NonZeroU32::get);
            ensure(limit <= MAX_CONTROL, || {
                format!("expected an {name} of at most a day ({MAX_CONTROL} ms), got {limit} ms")
            })?;
        }
        self.conduct.check(&self.clocks)
    }
}

impl From<Conduct> for Terms {
    fn from(conduct: Conduct) -> Self {
        Self { conduct, ..Self::default() }
    }
}

/// The reason why a match ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The game is over.
    Finished,
    /// The match was cancelled, for this reason. It has no result.
    Cancelled(String),
    /// The match is void by a fault of the server, for this reason. It has no result.
    Void(String),
}

/// The maximum length of the reason of an ending, in bytes.
pub const MAX_REASON: usize = 200;

/// Checks the reason of an ending: a record writes it on one line.
pub fn check_reason(reason: &str) -> Result<(), String> {
    ensure((1..=MAX_REASON).contains(&reason.len()), || {
        format!("expected a reason of 1 to {MAX_REASON} bytes, got {}", reason.len())
    })?;
    let is_plain = words(reason).map(|(_, word)| word).collect::<Vec<_>>().join(" ") == reason;
    ensure(is_plain && !reason.contains(char::is_control), || {
        format!("expected a reason as one line of words with single spaces, got {reason:?}")
    })
}
