//! Actions in words for a person at the table: each as a sentence, and the elements of the picture that it touches.
//!
//! Both name an opponent by its seat, as pictures do. A page puts the name of the player in its place.

use super::action_features::Words;
use super::action_table::{Role, group_of};
use crate::{Action as _, ActionGroup, ActionId, Ask as _, Game, Seat, View};

/// Returns an action as a plain sentence for the viewer, such as `Move the piece to hex 31`, without a full stop. The legal
/// actions of a position have different sentences.
pub fn sentence<G: Game>(view: &G::View, id: ActionId) -> String {
    view.sentence(id).unwrap_or_else(|| written(G::Action::GROUPS, id, &|steps| opponent(view, steps)))
}

/// Returns the elements of the viewer's picture that an action touches, in the words of their `data-t`, such as `hex 31`. They
/// are the piece, the place, and the opponent of the action, unless the game names others.
pub fn targets<G: Game>(view: &G::View, id: ActionId) -> Vec<String> {
    view.targets(id).unwrap_or_else(|| {
        let Words { piece, place, opponent: steps, .. } = Words::of(G::Action::GROUPS, id.index());
        let seat = steps.map(|steps| format!("seat {}", opponent(view, steps)));
        [piece, place, seat].into_iter().flatten().collect()
    })
}

/// Returns the seat this many steps to the left of the viewer.
fn opponent(view: &impl View, steps: i16) -> Seat {
    let steps = usize::try_from(steps).expect("an opponent sits 1 or more steps to the left");
    view.scores().seats().left_of(view.viewer().seat(), steps)
}

/// Fills the sentence of a row with the arguments of an action. `(s)` stands for the plural after a number.
fn written(groups: &[ActionGroup], id: ActionId, opponent: &dyn Fn(i16) -> Seat) -> String {
    let (group, index) = group_of(groups, id);
    let mut sentence = if group.says.is_empty() { group.pattern } else { group.says }.to_owned();
    for (argument, value) in group.arguments.iter().zip(group.values(index)) {
        let words = match argument.role {
            Role::Opponent => {
                let steps = (argument.text)(value).parse().expect("the text of an opponent is a number");
                format!("seat {}", opponent(steps))
            }
            Role::Table(rows) => written(rows, ActionId(value as u16), opponent),
            _ => (argument.words)(value),
        };
        if let Role::Number = argument.role {
            sentence = sentence.replace("(s)", if words == "1" { "" } else { "s" });
        }
        sentence = sentence.replace(&format!("<{}>", argument.name), &words);
    }
    sentence[..1].to_uppercase() + &sentence[1..]
}
