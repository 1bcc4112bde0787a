//! Drafts: decisions that a seat tries on a copy of the game before it answers with them.
//!
//! A person can take back what nobody has seen. The prompt applies actions to a draft, and sends them as answers once another
//! seat or chance has to decide, or an event tells one viewer more than another. So a match has no undo, and undo needs no
//! rule of a game.

use ahu_core::{ActionId, ActionSet, Game, PlayError, Seat, Viewer};

use super::Referee;
use crate::any_game::erased;
use crate::{AnyGame, AnyView, BotAnalysis, BotName, Rules};

/// The decisions that a seat has prepared and can take back, one after the other.
///
/// An action can be taken back as long as the same seat has to decide next and has learned nothing. A seat learns something
/// from chance, or from an event that tells one viewer more than another.
#[derive(Debug)]
pub struct Draft {
    /// The seat.
    pub seat: Seat,
    /// The number of the first decision, counted from 1 for each seat.
    pub decision: u32,
    /// The game before each of the actions, and after the last.
    games: Vec<Box<dyn AnyGame>>,
    actions: Vec<ActionId>,
}

impl Referee {
    /// Returns a draft without actions for the open decision of `seat`; None if the seat has no decision.
    pub fn draft(&self, seat: Seat) -> Option<Draft> {
        let decision = self.decision(seat)?;
        Some(Draft { seat, decision, games: vec![self.game.copy()], actions: Vec::new() })
    }

    /// Returns the analysis of the next decision of a draft by `bot`, as work to be done; None if the bot is no search, or if
    /// the last action ended the draft.
    pub fn analysis_of_draft(&self, bot: BotName, draft: &Draft) -> Option<BotAnalysis> {
        let decision = draft.decision + draft.actions.len() as u32;
        draft.game().bot_analysis(bot, draft.seat, self.bot_seed.rng(draft.seat, decision))
    }
}

impl Draft {
    /// Returns a draft without actions in a game of the caller, for the law that drafts tell no secret.
    #[doc(hidden)]
    pub fn of<G: Game>(game: G, seat: Seat) -> Self {
        Self { seat, decision: 1, games: vec![erased(game, const { &Rules::new(&[]) })], actions: Vec::new() }
    }

    /// Returns the actions so far.
    pub fn actions(&self) -> &[ActionId] {
        &self.actions
    }

    /// Returns the legal actions of the seat after the actions so far.
    pub fn legal_actions(&self) -> ActionSet {
        self.game().legal_actions(self.seat)
    }

    /// Returns the shown view of the seat after the actions so far.
    pub fn view(&self) -> Box<dyn AnyView> {
        self.game().view(Viewer::Seat(self.seat))
    }

    /// Adds an action, and returns true if it can be taken back. Otherwise the draft has ended, and the caller has to send its
    /// actions as the answers of the seat. An illegal action is refused, and changes nothing.
    pub fn play(&mut self, id: ActionId) -> Result<bool, PlayError> {
        let mut game = self.game().copy();
        let mut events = Vec::new();
        game.play(self.seat, id, &mut events)?;
        let goes_on = game.turn().to_act().contains(self.seat);
        let own = Viewer::Seat(self.seat);
        let tells_nothing = events.iter().all(|event| event.text_for(own) == event.text_for(Viewer::Public));
        self.games.push(game);
        self.actions.push(id);
        Ok(goes_on && tells_nothing)
    }

    /// Takes the last action back, and returns it; None if there is none.
    pub fn undo(&mut self) -> Option<ActionId> {
        let last = self.actions.pop()?;
        self.games.pop();
        Some(last)
    }

    fn game(&self) -> &dyn AnyGame {
        &**self.games.last().expect("it has the game before the first action")
    }
}
