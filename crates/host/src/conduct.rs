//! Conduct: the faults of players, and the consequences that a match gives them.
//!
//! The referee rules on faults; the rules of a game know none. A fault has a cause, and the conduct of the match maps each cause
//! to a consequence. After a forfeit a stand-in plays on, so that the others can finish, and the seat ranks last. Strikes and
//! forfeits are entries, because a match is the fold of its entries. A strike names the decision that the seat owed, so that
//! verification can ask for it. A match is not created with a wrong conduct, such as a strike for a timeout with a bank: an empty
//! bank cannot begin anew.
//!
//! A refused call is a try, and no entry: an entry for each would let a client fill the log. Tries are kept in memory and begin
//! at 0 after a restart. An agent that sends garbage for ever loses its seat after 50 tries for one decision. The same refused
//! answer again within 2 s does not count, since an agent that has lost an answer sends it again.

use std::num::{NonZeroU8, NonZeroU16, NonZeroU32};

use ahu_core::named;

use super::{TimeControl, ensure};

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
    /// The number of strikes that costs the seat.
    pub strikes: NonZeroU8,
    /// The number of refused calls for one decision that costs the seat. A call that repeats the refused action before it
    /// within two seconds does not count.
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
