//! The decisions that a person has prepared: a draft, and which of its actions the person chose.

use ahu_engine::core::ActionId;
use ahu_engine::host::Draft;

/// A draft whose forced actions are taken without a question.
pub(in crate::cli) struct Chain {
    pub(in crate::cli) draft: Draft,
    /// For each action, true if the person chose it, and false if it was the only one.
    chosen: Vec<bool>,
}

impl Chain {
    pub(in crate::cli) fn new(draft: Draft) -> Self {
        Self { draft, chosen: Vec::new() }
    }

    /// Returns the only legal action; None if there are several.
    pub(in crate::cli) fn only_action(&self) -> Option<ActionId> {
        let legal = self.draft.legal_actions();
        legal.nth(0).filter(|_| legal.len() == 1)
    }

    /// Takes a legal action. Returns false if the actions so far are due as answers.
    pub(in crate::cli) fn take(&mut self, id: ActionId, is_choice: bool) -> bool {
        let is_open = self.draft.play(id).expect("the action is legal");
        self.chosen.push(is_choice);
        is_open
    }

    /// Takes back the only action that has just been taken, so that the person is asked before the answers go.
    pub(in crate::cli) fn hold_back(&mut self) {
        self.chosen.pop();
        self.draft.undo();
    }

    /// Returns the actions so far, each with true if the person chose it.
    pub(in crate::cli) fn steps(&self) -> impl Iterator<Item = (ActionId, bool)> {
        self.draft.actions().iter().copied().zip(self.chosen.iter().copied())
    }

    /// Returns true if an action was chosen, and can be taken back.
    pub(in crate::cli) fn has_choice(&self) -> bool {
        self.chosen.contains(&true)
    }

    /// Takes the last choice back, with the forced actions after it, and returns it; None if there is none.
    pub(in crate::cli) fn undo(&mut self) -> Option<ActionId> {
        let kept = self.chosen.iter().rposition(|&is_choice| is_choice)?;
        let mut last = None;
        while self.chosen.len() > kept {
            self.chosen.pop();
            last = self.draft.undo();
        }
        last
    }
}
