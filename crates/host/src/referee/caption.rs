//! The words beside a picture: the last events, and the names of the players.

use std::collections::BTreeSet;

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
        let names = |is_numbered: &dyn Fn(&str) -> bool| -> Vec<String> {
            let name = |(seat, SeatPlayer { name, .. }): (usize, &SeatPlayer)| match is_numbered(name) {
                true => format!("{name} #{seat}"),
                false => name.clone(),
            };
            self.players.iter().enumerate().map(name).collect()
        };
        let shared = names(&|name| self.players.iter().filter(|player| player.name == name).count() > 1);
        // A player may be called as another one with its number.
        let is_clear = shared.iter().collect::<BTreeSet<_>>().len() == shared.len();
        if is_clear { shared } else { names(&|_| true) }
    }
}
