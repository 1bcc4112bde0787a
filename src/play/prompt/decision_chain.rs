//! A chain of decisions that a person prepares before the answers are sent. Until then, the person can take choices back.

use ahu_core::ActionId;
use ahu_host::Draft;

/// A draft of decisions. Forced actions are taken without a question.
pub(crate) struct Chain {
    pub(crate) draft: Draft,
    /// For each action of the draft, true if the person chose it, and false if it was the only legal one.
    chosen: Vec<bool>,
}

impl Chain {
    pub(crate) fn new(draft: Draft) -> Self {
        Self { draft, chosen: Vec::new() }
    }

    pub(crate) fn only_action(&self) -> Option<ActionId> {
        let legal = self.draft.legal_actions();
        legal.nth(0).filter(|_| legal.len() == 1)
    }

    /// Adds a legal action. Returns false if the draft ends with it, so that its actions have to be sent as answers.
    pub(crate) fn take(&mut self, id: ActionId, is_choice: bool) -> bool {
        let is_open = self.draft.play(id).expect("the action is legal");
        self.chosen.push(is_choice);
        is_open
    }

    /// Removes the forced action that was just added, so that the person is asked before the answers are sent.
    pub(crate) fn hold_back(&mut self) {
        self.chosen.pop();
        self.draft.undo();
    }

    /// Returns the actions so far, each with true if the person chose it.
    pub(crate) fn steps(&self) -> impl Iterator<Item = (ActionId, bool)> {
        self.draft.actions().iter().copied().zip(self.chosen.iter().copied())
    }

    /// Returns true if there is a choice to take back.
    pub(crate) fn has_choice(&self) -> bool {
        self.chosen.contains(&true)
    }

    /// Removes the last choice and the forced actions after it. Returns the choice; None if there is none.
    pub(crate) fn undo(&mut self) -> Option<ActionId> {
        let kept = self.chosen.iter().rposition(|&is_choice| is_choice)?;
        let mut last = None;
        while self.chosen.len() > kept {
            self.chosen.pop();
            last = self.draft.undo();
        }
        last
    }
}
