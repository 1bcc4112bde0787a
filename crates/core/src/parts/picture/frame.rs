//! The parts that the pictures of all games share: the header with the news and the task, and the panels of the players.

use std::cmp::Reverse;
use std::fmt::Display;

use super::super::lines::counted;
use super::letters::lines;
use super::{Picture, Thing, seat_class, text_size, text_width};
use crate::{BySeat, Seat, SeatSet, View};

/// The place and the width of the column beside the board of wide pictures.
const SIDE: (f32, f32) = (724.0, 306.0);

/// The part above the table: the news, the task, and the phases.
#[derive(Clone, Copy, Debug)]
pub struct Header<'a> {
    /// The sentence that stands there without news.
    pub state: &'a str,
    /// The time in the game, such as `Turn 6`.
    pub turn: &'a str,
    /// The phases of a turn.
    pub steps: &'a [&'a str],
    /// The present phase; None outside of the phases.
    pub step: Option<usize>,
    /// The seats that have to act.
    pub actors: SeatSet,
    /// The task, after the name of a single seat: `must discard 2 more`. At the end of the game, the way in which it ended.
    pub task: &'a str,
}

/// The standing of a player.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
#[derive(Clone, Copy, Debug, Default)]
pub struct Standing<'a> {
    /// The points that everybody can count, or their estimate.
    pub points: i32,
    /// The sign after the points, such as `+?` where some are hidden, or ` est.` where they are estimated; empty for none.
    pub more: &'a str,
    /// True if no player has more points.
    pub leads: bool,
    /// True if the player has to act.
    pub is_due: bool,
    /// True if the picture is drawn for this player.
    pub is_own: bool,
    /// The words after the name, such as `went first`; empty for none.
    pub note: &'a str,
    /// True if the points have changed.
    pub is_news: bool,
}

/// Returns who has won and by what, as the actors and the task of a [`Header`]. `tie_break` is that of the
/// [`View`](crate::View::tie_break).
pub fn ending(
    scores: &BySeat<i32>,
    ranks: &BySeat<u8>,
    tie_break: impl Fn(Seat, Seat) -> &'static str,
) -> (SeatSet, String) {
    let (winners, others): (Vec<_>, Vec<_>) = ranks.iter().partition(|&(_, rank)| rank == 1);
    let winners: SeatSet = winners.into_iter().map(|(seat, _)| seat).collect();
    let Some(winner) = winners.first() else { return (winners, String::new()) };
    let points = counted(scores[winner], "point");
    // Equals stand in the order of their ranks.
    let next = others.into_iter().max_by_key(|&(seat, rank)| (scores[seat], Reverse(rank)));
    let task = match next.map(|(seat, _)| (seat, scores[winner] - scores[seat])) {
        _ if winners.len() > 1 => format!("share the victory with {points}"),
        Some((seat, 0)) => format!("wins with {points}, by {}", tie_break(winner, seat)),
        Some((_, lead @ 1..)) => format!("wins with {points}, {lead} ahead"),
        // Whoever has more has forfeited.
        Some(_) | None => format!("wins with {points}"),
    };
    (winners, task)
}

impl Picture<'_> {
    /// The height of the header in wide pictures.
    pub const HEADER: f32 = 62.0;
    /// The height of the header for phones.
    pub const PHONE_HEADER: f32 = 92.0;
    /// The left edge of the column beside the board in wide pictures.
    pub const SIDE: f32 = SIDE.0;
    /// The width of the column beside the board in wide pictures.
    pub const SIDE_WIDTH: f32 = SIDE.1;

    /// Draws the header: what happened, who has to do what, and where the turn is. Returns the point behind the phases, at half
    /// their height, where a game may add what belongs to the turn.
    pub fn header(&mut self, header: &Header<'_>) -> (f32, f32) {
        let task = match header.actors.iter().next() {
            Some(seat) if header.actors.len() == 1 => self.named(&format!("seat {seat} {}", header.task)),
            _ => self.named(header.task),
        };
        let badges = header.actors.len() as f32 * 20.0 + 16.0;
        let width = (badges + text_width("b t14", &task) + 14.0).clamp(200.0, 380.0);
        let ((left, width), top, height) =
            self.either(((702.0 - width, width), 14.0, 34.0), ((8.0, 374.0), 36.0, 26.0));
        self.news(header.state, self.either(left - 14.0, 384.0));
        let single = header.actors.iter().next().filter(|_| header.actors.len() == 1);
        let middle = top + height / 2.0;
        self.rect(
            single.map_or("ink", |seat| seat_class(seat, true)),
            (left, top),
            (width, height),
            self.either(8.0, 6.0),
        );
        let mut x = left + 18.0;
        for seat in header.actors.iter() {
            match single {
                Some(_) => self.emblem(seat, (x, middle), 13.0),
                None => self.badge(seat, (x, middle), 8.5),
            }
            x += 20.0;
        }
        let class = self.either("w b t14", "w b t11");
        self.fitted(class, (x - 4.0, middle + 5.0), left + width - x - 4.0, &task);
        self.steps(header)
    }

    /// Writes the last events into the free space of the header, which ends at `end`: as many as there is room for, in the
    /// largest letters, behind the badge of the first seat that they name. If none fits, writes the state.
    fn news(&mut self, state: &str, end: f32) {
        let told: Vec<String> = self.scene.news.iter().map(|event| self.named(event)).collect();
        let seat = self.scene.news.iter().find_map(|event| {
            let (_, rest) = event.split_once("seat ")?;
            Seat::new(rest.get(..1)?.parse().ok()?)
        });
        let (x, radius, middle) = self.either((24.0, 12.0, 31.0), (20.0, 9.0, 18.0));
        let behind = if seat.is_some() { x + radius + 8.0 } else { x - radius };
        let sizes: &[_] = self.either(
            &[("t17", 1, 21.0), ("t14", 2, 18.0), ("t11", 3, 14.0), ("t9", 4, 12.0)],
            &[("t14", 1, 18.0), ("t11", 2, 14.0), ("t9", 3, 11.0)],
        );
        let news = (1..=told.len()).rev().map(|count| (seat, behind, format!("{}.", told[..count].join(". "))));
        for (seat, left, text) in news.chain([(None, x - radius, self.named(state))]) {
            let fit = |&(class, most, step): &(&'static str, usize, f32)| {
                Some((class, step, lines(class, &text, end - left, most)?))
            };
            let Some((class, step, lines)) = sizes.iter().find_map(fit) else { continue };
            if let Some(seat) = seat {
                self.badge(seat, (x, middle), radius);
            }
            let first = middle + half_height(class) - step * (lines.len() as f32 - 1.0) / 2.0;
            for (line, text) in lines.into_iter().enumerate() {
                self.text(class, (left, first + step * line as f32), text);
            }
            return;
        }
    }

    /// Draws the time in the game and the phases of a turn. Returns the point behind them.
    fn steps(&mut self, header: &Header<'_>) -> (f32, f32) {
        let (left, middle, class) = self.either((SIDE.0 + 2.0, 31.0, "b t14"), (8.0, 78.0, "b t11"));
        self.text(class, (left, middle + 5.0), header.turn);
        let mut x = left + text_width(class, header.turn) + 10.0;
        for (place, step) in header.steps.iter().enumerate() {
            let is_now = header.step == Some(place);
            let class = if is_now { "w b m" } else { "q m" };
            let class = format!("{class} {}", self.either("t11", "t10"));
            let width = text_width(&class, step) + self.either(10.0, 8.0);
            self.rect(if is_now { "ink" } else { "well" }, (x, middle - 11.0), (width, 22.0), 5.0);
            self.text(&class, (x + width / 2.0, middle + 4.0), step);
            x += width + 3.0;
        }
        (x, middle)
    }

    /// Draws the frame of a player's panel with the badge, the name, and the points. The rest of the panel begins 38 units below
    /// its upper edge.
    pub fn panel(&mut self, seat: Seat, (x, y): (f32, f32), (width, height): (f32, f32), standing: &Standing<'_>) {
        let Standing { points, more, leads, is_due, is_own, note, is_news } = *standing;
        let title = format!("seat {seat}: {points}{more} points");
        let thing = Thing { title: &title, target: &format!("seat {seat}"), ..Thing::default() };
        self.thing(thing, |picture| {
            picture.rect(if is_due { "turn" } else { "panel" }, (x, y), (width, height), 8.0);
            if is_due {
                picture.rect(seat_class(seat, true), (x, y + 8.0), (7.0, height - 16.0), 3.0);
            }
            picture.badge(seat, (x + 25.0, y + 20.0), 12.0);
            let points = points.to_string();
            let mut end = x + width - 12.0;
            if !more.is_empty() {
                picture.text("q t14 e", (end, y + 28.0), more);
                end -= text_width("t14", more) + 2.0;
            }
            picture.text("b e t22", (end, y + 29.0), &points);
            end -= text_width("b t22", &points);
            if is_news {
                picture.mark((end - 4.0, y + 6.0), (x + width - 6.0 - end, 27.5));
            }
            if leads {
                picture.symbol("crown", (end - 17.0, y + 26.0), 13.0);
                end -= 30.0;
            }
            let notes: Vec<&str> =
                [if is_own { "you" } else { "" }, note].into_iter().filter(|note| !note.is_empty()).collect();
            let notes = if notes.is_empty() { String::new() } else { format!(" ({})", notes.join(", ")) };
            let name = picture.name(seat);
            picture.fitted("b t14", (x + 44.0, y + 25.0), end - x - 52.0, &format!("{name}{notes}"));
        });
    }

    /// Writes a text of any length in lines of this width, the first with this base line. Returns the base line of the next line.
    ///
    /// # Panics
    /// If a word is wider than a line.
    pub fn paragraph(&mut self, class: &str, (x, mut y): (f32, f32), room: f32, text: &str) -> f32 {
        for line in lines(class, text, room, usize::MAX).expect("words fit") {
            self.text(class, (x, y), line);
            y += text_size(class) * 1.4;
        }
        y
    }

    /// Draws the table of a game that has no picture: the last events, the players with their points, and the text. Marks the
    /// lines that `before` lacks. Returns the height.
    pub(super) fn table<V: View + Display>(&mut self, view: &V, before: Option<&V>) -> f32 {
        const MARGIN: f32 = 16.0;
        const STEP: f32 = 46.0;
        let (scores, old) = (view.scores(), before.map(|before| (before.to_string(), before.scores())));
        let (left, top, width, room) = self.either(
            (Self::SIDE, 14.0, Self::SIDE_WIDTH, Self::SIDE - 3.0 * MARGIN),
            (8.0, 36.0, 374.0, 390.0 - 2.0 * MARGIN),
        );
        self.news("", MARGIN + room);
        let mut bottom = top;
        for (seat, points) in scores.iter() {
            let is_news = old.as_ref().is_some_and(|(_, old)| old[seat] != points);
            let standing = Standing { points, is_news, is_own: view.viewer().is(seat), ..Standing::default() };
            self.panel(seat, (left, bottom), (width, STEP - 6.0), &standing);
            bottom += STEP;
        }
        let mut y = self.either(Self::HEADER + 16.0, bottom + 16.0);
        for line in view.to_string().lines().filter(|line| !line.is_empty()) {
            let next = self.paragraph("t14", (MARGIN, y), room, &self.named(line));
            if old.as_ref().is_some_and(|(old, _)| old.lines().all(|old| old != line)) {
                self.mark((MARGIN - 8.0, y - 15.0), (room + 16.0, next - y));
            }
            y = next;
        }
        y.max(bottom)
    }

    /// Draws waves with their foot at these points.
    pub fn waves(&mut self, feet: &[(f32, f32)]) {
        for &foot in feet {
            self.symbol("wave", foot, self.either(8.0, 6.0));
        }
    }

    /// Draws the dotted way of a piece from point to point.
    pub fn way(&mut self, points: &[(f32, f32)]) {
        self.lines("way", points);
        self.lines("way2", points);
    }

    /// Draws a text in a box of its own, such as a number on land that has a picture below it.
    pub fn chip(&mut self, class: &str, (x, y): (f32, f32), text: &str) {
        let width = text_width(class, text) + 6.0;
        let height = text_size(class) + 4.0;
        self.rect("num", (x - width / 2.0, y - height / 2.0), (width, height), 4.0);
        self.text(class, (x, y + half_height(class)), text);
    }
}

/// Returns the distance from the middle of letters with this class down to their base line.
fn half_height(class: &str) -> f32 {
    text_size(class) * 0.36
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parts::picture::{Layout, Scene};

    #[test]
    fn the_end_tells_who_has_won_and_by_what() {
        for (scores, ranks, expected) in [
            ([30, 20, 10], [1, 2, 3], "wins with 30 points, 10 ahead"),
            ([10, 1, 10], [2, 3, 1], "wins with 10 points, by the later seat"),
            // The first of the equals comes next.
            ([10, 10, 10], [3, 2, 1], "wins with 10 points, by seat 1"),
            ([10, 1, 10], [1, 3, 1], "share the victory with 10 points"),
            // Whoever forfeits comes last.
            ([30, 20, 10], [3, 1, 2], "wins with 20 points"),
        ] {
            let seats = crate::Seats::new(3).expect("few");
            let tie_break = |before: Seat, after: Seat| match (before.index(), after.index()) {
                (2, 0) => "the later seat",
                (2, 1) => "seat 1",
                _ => "nothing",
            };
            let [scores, ranks] = [
                BySeat::from_fn(seats, |seat| scores[seat.index()]),
                BySeat::from_fn(seats, |seat| ranks[seat.index()]),
            ];
            let (winners, words) =
                ending(&scores, &ranks.map(|rank| u8::try_from(rank).expect("a rank is small")), tie_break);
            assert!(winners.iter().all(|seat| ranks[seat] == 1));
            assert_eq!(words, expected);
        }
    }

    #[test]
    fn a_long_name_leaves_room_for_what_happened_and_what_is_to_be_done() {
        for name in ["a".repeat(64), "W".repeat(64)] {
            let (names, news) = ([name], ["seat 0 discards Stone 2".to_owned()]);
            for layout in [Layout::Wide, Layout::Phone] {
                let mut picture = Picture::new(Scene { layout, news: &news, names: &names, ..Scene::default() });
                let (steps, actors) = (&["draw", "meld"], SeatSet::EMPTY.with(Seat::default()));
                let state = "The game goes on.";
                picture.header(&Header {
                    state,
                    turn: "Turn 1",
                    steps,
                    step: None,
                    actors,
                    task: "must discard 2 more",
                });
                let drawn = picture.finish(100.0, "", "");
                let texts: Vec<&str> =
                    drawn.split("<text").skip(1).filter_map(|text| text.split(['<', '>']).nth(1)).collect();
                let all = texts.join(" ");
                assert!(all.contains("discards Stone 2.") && all.contains("must discard 2 more"), "{all}");
            }
        }
    }
}
