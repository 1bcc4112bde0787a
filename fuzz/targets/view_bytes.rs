//! Views as bytes, from which a program of a seat samples games: read, looked at, and played on.

use ahu_core::{Seed, Viewer};
use ahu_host::Position;
#[cfg(test)]
use ahu_host::Replay;

/// The number of plies that a sampled game goes on.
const PLIES: u32 = 12;

/// Takes the bytes of a view.
pub fn run(bytes: &[u8]) -> bool {
    let Ok((mut position, viewer)) = Position::from_view(bytes, Seed(1)) else { return false };
    assert_eq!(
        position.game().view_bytes(viewer).as_deref(),
        Some(bytes),
        "a view has one form, and its game has the view"
    );
    while position.plies() < PLIES {
        for viewer in position.setup().seats().iter().map(Viewer::Seat).chain([Viewer::Public]) {
            let view = position.game().view(viewer);
            let _ = (view.text(), view.compact(), view.scores(), view.ranks(), view.question());
        }
        let Some(seat) = position.game().turn().to_act().first() else { break };
        // A table that no game reaches may have no legal action later.
        let legal = position.game().legal_actions(seat);
        let Some(id) = legal.nth(position.plies() as usize % legal.len().max(1)) else { break };
        position.play(seat, id).expect("it is legal");
    }
    true
}

/// Returns the views of all seats at some decisions of the playthroughs.
#[cfg(test)]
pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for record in crate::playthroughs() {
        let mut replay = Replay::new(&record);
        for step in 0_usize.. {
            let referee = replay.referee();
            if step.is_multiple_of(60) && !referee.to_act().is_empty() {
                let seats = record.setup.seats();
                seeds.extend(seats.iter().filter_map(|seat| referee.view_bytes(Viewer::Seat(seat))));
            }
            match replay.step() {
                Some(step) => drop(step.expect("a playthrough can be replayed")),
                None => break,
            }
        }
    }
    seeds
}
