//! The words beside a picture: the last events, and the names of the players.

use std::collections::BTreeSet;

use ahu_core::parts::lines::joined;
use ahu_core::parts::picture::ending;
use ahu_core::{Seat, Viewer};

use crate::{MatchResult, Referee, SeatPlayer};

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

    /// Returns the result in sentences about seats: who has won and by what, the tie-breaks of later places, and who is last by a
    /// forfeit. None before the end, and without a result.
    pub fn verdict(&self) -> Option<String> {
        let MatchResult { scores, ranks, forfeits } = self.result()?;
        let view = self.view(Viewer::Public);
        let tie_break = |before, after| view.tie_break(before, after);
        let (winners, end) = ending(&scores, &ranks, tie_break);
        let mut sentences =
            vec![format!("{} {end}.", joined(winners.iter().map(|seat| format!("seat {seat}")), " and "))];
        let mut later: Vec<(Seat, u8)> =
            ranks.iter().filter(|&(seat, rank)| rank > 1 && forfeits[seat].is_none()).collect();
        later.sort_by_key(|&(_, rank)| rank);
        for pair in later.windows(2) {
            let [(before, rank), (after, next)] = [pair[0], pair[1]];
            if rank < next && scores[before] == scores[after] {
                sentences.push(format!("seat {before} is before seat {after} by {}.", tie_break(before, after)));
            }
        }
        for (seat, cause) in forfeits.iter().filter_map(|(seat, cause)| Some((seat, cause?))) {
            sentences.push(format!("seat {seat} has forfeited ({}), so it comes last.", cause.name()));
        }
        Some(sentences.join(" "))
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
