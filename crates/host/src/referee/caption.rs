//! The words beside a picture: the last events, and the names of the players.

use ahu_core::Viewer;

use crate::{Referee, SeatPlayer};

impl Referee {
    /// Returns what `viewer` was told last, for pictures: the events of the last ply that told it any, without headings.
    pub fn news(&self, viewer: Viewer) -> Vec<String> {
        let told = self.events.iter().rev().filter_map(|event| Some((event.ply, event.told_to(viewer)?)));
        let mut told = told.filter(|(_, event)| !event.begins_turn).peekable();
        let last = told.peek().map(|(ply, _)| *ply);
        let mut news: Vec<String> =
            told.take_while(|(ply, _)| Some(*ply) == last).map(|(_, event)| event.text).collect();
        news.reverse();
        news
    }

    /// Returns the names of the players by seat, for pictures: with the number of the seat where several players have one name.
    pub fn names(&self) -> Vec<String> {
        let name = |(seat, SeatPlayer { name, .. }): (usize, &SeatPlayer)| {
            let is_alone = self.players.iter().filter(|player| player.name == *name).count() == 1;
            if is_alone { name.clone() } else { format!("{name} #{seat}") }
        };
        self.players.iter().enumerate().map(name).collect()
    }
}
