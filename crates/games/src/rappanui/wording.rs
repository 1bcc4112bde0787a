//! The words that the text for people and the compact text share.

use ahu_core::Viewer;

use super::phase::Phase;
use super::view::View;

impl View {
    /// Returns the point in the turn.
    pub(super) fn due(&self) -> String {
        let phase = match self.table.phase {
            Phase::Deal => return "setup".to_owned(),
            Phase::Over => return "the game is over".to_owned(),
            Phase::Draw => "Rapa Nui Phase",
            Phase::Conflict | Phase::Steal { .. } | Phase::Lose { .. } => "Conflict Phase",
            Phase::Meld { .. } => "Moai Phase",
            Phase::Decline { .. } => "Decline Phase",
        };
        format!("turn {}, seat {}: {phase}", self.table.round, self.table.player)
    }

    /// Returns the name of the hands whose cards the viewer does not see.
    pub(super) fn hands_of_others(&self) -> &'static str {
        if self.viewer == Viewer::Public { "hands" } else { "other hands" }
    }
}
