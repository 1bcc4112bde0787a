//! The panel of a player: the points and their parts, the goods behind the screen and in front of it, and the bid.

use ahu_core::parts::picture::{Standing, Thing, text_width};
use ahu_core::{Seat, View as _};

use super::Drawing;
use super::map::Point;
use super::token::{Shape, Token, some};
use crate::giants::{Bid, Bidding, Claim, Goods, Phase, Reserve, Spot, View};

/// The classes of the parts of the points: Moai, headdresses, Prestige Points, tablets.
pub(super) const PARTS: [&str; 4] = ["tuff", "scoria", "deep", "back"];
/// The left end of tokens, behind the name of their row.
const ROW: f32 = 54.0;

impl Drawing<'_, '_> {
    /// Draws the panel of a player with tokens of this height. Returns its lower end.
    pub(super) fn panel(&mut self, seat: Seat, (x, y): Point, width: f32, token: f32) -> f32 {
        let (view, height) = (self.view, 2.0 * token + 65.0);
        let (scores, ranks) = (view.table.scores(), view.ranks());
        let standing = Standing {
            points: scores[seat],
            more: if view.hides_owners() { "+?" } else { "" },
            leads: ranks[seat] == 1 && ranks.values().iter().any(|&rank| rank > 1),
            is_due: view.to_act().contains(seat),
            is_own: view.viewer.is(seat),
            is_news: self.is_news(|view| (view.table.scores()[seat], view.table.tribes[seat].prestige)),
            ..Standing::default()
        };
        self.picture.panel(seat, (x, y), (width, height), &standing);
        if view.table.first == seat {
            let title = format!("seat {seat} goes first in this turn");
            self.picture.thing(Thing { title: &title, ..Thing::default() }, |picture| {
                picture.circle("chip", (x + 36.0, y + 11.0), 6.5);
                picture.text("b m t9 onp", (x + 36.0, y + 14.3), "1");
            });
        }
        self.score_bar(seat, (x + 13.0, y + 37.0), width - 76.0);
        self.row((x + width - 54.0, y + 52.0), 50.0, 18.0, |view| vec![view.halves(seat)]);
        self.behind(seat, (x, y + 55.0 + token), width, token);
        self.front(seat, (x, y + height - 6.0), width, token);
        y + height
    }

    /// Draws the parts of the points as a bar whose length tells the points.
    fn score_bar(&mut self, seat: Seat, (x, y): Point, room: f32) {
        let table = &self.view.table;
        let parts = |seat| {
            let points = table.points(seat);
            [points.moai, points.headdresses, points.scored, points.tablets]
        };
        let letters = |part: u16| if part == 0 { 0.0 } else { text_width("b t10", &part.to_string()) + 5.0 };
        let fixed = |seat| parts(seat).into_iter().map(letters).sum::<f32>();
        let seats = || table.options.seats.iter();
        let free = seats().map(|seat| room - fixed(seat)).fold(room, f32::min);
        let most = seats().map(|seat| parts(seat).into_iter().sum::<u16>()).max().unwrap_or(0);
        let unit = free / f32::from(most.max(1));
        let names = self.view.parts();
        let title = (0..4).map(|part| format!("{} {}", names[part], parts(seat)[part])).collect::<Vec<_>>().join(", ");
        let title = format!("points of seat {seat}: {title}");
        self.picture.thing(Thing { title: &title, ..Thing::default() }, |picture| {
            picture.rect("well", (x, y), (room, 14.0), 3.0);
            let mut x = x;
            for (part, class) in parts(seat).into_iter().zip(PARTS).filter(|(part, _)| *part > 0) {
                let width = letters(part) + f32::from(part) * unit;
                picture.rect(class, (x, y), (width - 1.5, 14.0), 3.0);
                picture.text("wh b m t10", (x + width / 2.0 - 0.8, y + 10.7), part);
                x += width;
            }
        });
    }

    /// Draws the goods behind the screen as far as they are shown.
    fn behind(&mut self, seat: Seat, (x, y): Point, width: f32, token: f32) {
        let middle = y - token / 2.0;
        self.picture.text("q t10", (x + 13.0, middle + 4.0), "in hand");
        let (mut left, end) = (x + ROW, x + width - 8.0);
        if self.view.reserve(seat).is_none() {
            self.picture.thing(Thing { title: "goods behind the screen, not shown", ..Thing::default() }, |picture| {
                picture.rect("back", (left + 2.0, middle - 8.0), (92.0, 16.0), 4.0);
                picture.text("wh m t10", (left + 48.0, middle + 3.6), "behind screen: ?");
            });
            left += 102.0;
        }
        self.row((left + 3.0, y), end - left - 3.0, token, |view| view.behind(seat));
    }

    /// Draws the bid, or the goods in front of the screen, and the pieces to carry.
    fn front(&mut self, seat: Seat, (x, y): Point, width: f32, token: f32) {
        let (view, middle) = (self.view, y - token / 2.0);
        let (tag, is_new_tag) = (view.tag(seat), self.is_news(|view| view.tag(seat)));
        let mut end = x + width - 10.0;
        if !tag.is_empty() {
            self.picture.text("q t10 e", (end, middle + 4.0), tag);
            end -= text_width("q t10", tag) + 8.0;
        }
        if is_new_tag {
            let start = if tag.is_empty() { x + width - 24.0 } else { end + 4.0 };
            self.picture.mark((start, middle - 8.5), (x + width - 6.0 - start, 16.0));
        }
        let mut left = x + ROW + 3.0;
        let is_auction = matches!(view.table.phase, Phase::Bid { .. } | Phase::Pick { .. });
        let name = match view.spent(seat).is_empty() {
            false if is_auction => "bid",
            false => "spent",
            true if view.known_bid(seat) != Some(Bid::EMPTY) || !is_auction => "",
            true if view.bid.is_some_and(|bid| !bid.is_sealed()) && view.viewer.is(seat) => "nothing so far",
            true => "bid nothing",
        };
        if !name.is_empty() {
            self.picture.text("q t10", (x + 13.0, middle + 4.0), name);
            left = left.max(x + 20.0 + text_width("q t10", name));
        }
        let pieces = view.to_carry(seat).len() as f32;
        let room = if pieces > 0.0 { 62.0 + 19.0 * pieces } else { 0.0 };
        left = self.row((left, y), end - left - room, token, |view| view.spent(seat));
        if pieces > 0.0 {
            self.picture.text("q t10", (left, middle + 4.0), "to carry");
            left += text_width("q t10", "to carry") + 5.0;
        }
        self.row((left, y), end - left, token, |view| view.to_carry(seat));
        if self.is_news(|view| view.known_bid(seat)) && view.spent(seat).is_empty() {
            self.picture.mark((x + 10.0, middle - 8.5), (80.0, 17.0));
        }
    }
}

/// The contents of a panel.
impl View {
    fn halves(&self, seat: Seat) -> Token {
        Shape::Half.times(self.table.tribes[seat].halves)
    }

    /// Returns the goods behind a screen with those that the player can still gain, as far as they are shown, and the leaders.
    fn behind(&self, seat: Seat) -> Vec<Token> {
        let tribe = &self.table.tribes[seat];
        let Reserve { workers, markers, logs, bases } = self.reserve(seat).unwrap_or_default();
        let more = self.receptacle(seat).unwrap_or_default();
        // Only the player can place the figures.
        let spot = if self.viewer.is(seat) { Spot::Reserve } else { Spot::Front };
        some([
            Token { more: more.workers, ..Shape::Worker(seat, spot).times(workers) },
            Shape::Sorcerer(seat, spot).times((tribe.sorcerer == Spot::Reserve).into()),
            Shape::Chief(seat, spot).times((tribe.chief == Spot::Reserve).into()),
            Token { more: more.markers, ..Shape::Marker(seat).times(markers) },
            Shape::Log.times(logs),
            Shape::Base(seat).times(bases),
        ])
        .collect()
    }

    /// Returns the goods and leaders in front of a screen, or the bid as far as the viewer knows it.
    fn spent(&self, seat: Seat) -> Vec<Token> {
        let tribe = &self.table.tribes[seat];
        let (Goods { workers, markers }, sorcerer, chief) = match (self.table.phase, self.known_bid(seat)) {
            (Phase::Bid { .. }, Some(Bid { markers, workers, leaders })) => {
                (Goods { workers, markers }, leaders.sorcerer(), leaders.chief())
            }
            _ => (tribe.front, tribe.sorcerer == Spot::Front, tribe.chief == Spot::Front),
        };
        some([
            Shape::Marker(seat).times(markers),
            Shape::Worker(seat, Spot::Front).times(workers),
            Shape::Sorcerer(seat, Spot::Front).times(sorcerer.into()),
            Shape::Chief(seat, Spot::Front).times(chief.into()),
        ])
        .collect()
    }

    /// Returns the pieces in front of a screen.
    fn to_carry(&self, seat: Seat) -> Vec<Token> {
        let pieces = self.table.in_front_of(seat).iter();
        pieces
            .map(|piece| Shape::Piece(piece, Claim::Abandoned, self.table.phase.piece() == Some(piece)).times(1))
            .collect()
    }

    /// Returns the bid of a seat in this turn; None if the viewer does not know it, or if nothing is bid yet.
    fn known_bid(&self, seat: Seat) -> Option<Bid> {
        let own = self.bid.filter(|bid| self.viewer.is(seat) && *bid != Bidding::Markers).map(Bidding::so_far);
        let is_open = !matches!(self.table.phase, Phase::Bid { .. });
        if is_open { self.table.shown_bids.map(|bids| bids[seat]) } else { own }
    }

    /// Returns what a seat has done in the phase.
    fn tag(&self, seat: Seat) -> &'static str {
        let phase = self.table.phase;
        match (phase, phase.passed().contains(seat)) {
            (Phase::Bid { .. }, _) if self.sealed.contains(seat) => "bid made",
            (Phase::Pick { .. }, true) => "declined",
            (_, true) => "passed",
            (_, false) => "",
        }
    }
}
