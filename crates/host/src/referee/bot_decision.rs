//! The decisions of bots: the referee names them, its host computes them, and the referee applies the answers.

use std::fmt;

use ahu_core::{ActionId, Seat};

use super::Referee;
use crate::bots::{BotAnalysis, BotChoice, BotName};

/// A decision that a bot has to make.
pub struct BotDecision {
    seat: Seat,
    bot: BotName,
    decision: u32,
    choice: BotChoice,
}

impl BotDecision {
    /// Computes the choice of the bot. A bot that plans may take milliseconds.
    pub fn choose(self) -> BotAnswer {
        BotAnswer { seat: self.seat, bot: self.bot, decision: self.decision, id: (self.choice)() }
    }
}

impl fmt::Debug for BotDecision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "BotDecision(seat {}, decision {})", self.seat, self.decision)
    }
}

/// The answer of a bot to its decision: see [`Referee::answer`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BotAnswer {
    seat: Seat,
    bot: BotName,
    decision: u32,
    id: ActionId,
}

impl Referee {
    /// Returns the first seat with a bot that has to decide, and the bot. A stand-in is a bot too.
    pub fn bot_to_act(&self) -> Option<(Seat, BotName)> {
        self.to_act().iter().find_map(|seat| Some((seat, self.bot(seat)?)))
    }

    /// Returns the bot decision that is due, to be computed and then given to [`Self::answer`].
    pub fn due_bot(&self) -> Option<BotDecision> {
        let (seat, bot) = self.bot_to_act()?;
        let decision = self.decision(seat)?;
        Some(BotDecision { seat, bot, decision, choice: self.choice_of(bot, seat)? })
    }

    /// Returns the choice that `bot` makes for the open decision of `seat`, as work to be done; None if the seat has no
    /// decision. The bot need not play the seat.
    pub fn choice_of(&self, bot: BotName, seat: Seat) -> Option<BotChoice> {
        let decision = self.decision(seat)?;
        Some(self.game.bot_choice(bot, seat, self.bot_seed.rng(seat, decision)))
    }

    /// Returns the analysis of the open decision of `seat` by `bot`, as work to be done; None if the bot is no search, or
    /// if the seat has no decision. The bot need not play the seat.
    pub fn analysis_of(&self, bot: BotName, seat: Seat) -> Option<BotAnalysis> {
        let decision = self.decision(seat)?;
        self.game.bot_analysis(bot, seat, self.bot_seed.rng(seat, decision))
    }

    /// Applies the answer of a bot. An answer changes nothing if its decision is no longer open, or if another bot, such
    /// as a stand-in, has taken the seat.
    ///
    /// # Panics
    /// If the answer belongs to another match, and its action is not legal here.
    pub fn answer(&mut self, answer: BotAnswer) {
        let BotAnswer { seat, bot, decision, id } = answer;
        if self.bot(seat) == Some(bot) && self.decision(seat) == Some(decision) {
            self.play(seat, id).expect("a bot plays legal actions");
            self.settle_chance();
        }
    }

    /// Computes and applies the decisions of bots until an external player has to decide or the game is over.
    pub fn play_bots(&mut self) {
        while self.bot_to_act().is_some() {
            self.play_bot();
        }
    }

    /// Computes and applies the bot decision that is due, if there is one.
    pub fn play_bot(&mut self) {
        if let Some(due) = self.due_bot() {
            self.answer(due.choose());
        }
    }
}
