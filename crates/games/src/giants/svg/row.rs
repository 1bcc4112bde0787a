//! The row of a player in a picture: the seat and its points, the goods behind and in front of the screen, the bid, and the
//! goods in the receptacle.

use ahu_core::Seat;
use ahu_core::parts::svg::{MARGIN, WIDTH};

use super::Picture;
use super::token::{self, Thing, Token, leaders, some};
use crate::giants::{Bid, Bidding, Claim, Goods, Phase, Reserve, Spot, View};

/// The height of a row.
const ROW: f32 = 44.0;
/// The height of the name in a row.
const NAME: f32 = 10.0;
/// The places of the columns: the seat, notes, the right end of the points, labels, goods, the bid, and the receptacle.
const SEAT: f32 = 26.0;
const NOTES: f32 = 38.0;
const POINTS: f32 = 98.0;
const LABELS: f32 = 103.0;
const GOODS: f32 = 137.0;
const BID: f32 = 286.0;
const RECEPTACLE: f32 = 334.0;

impl Picture<'_> {
    /// Draws the row of a player.
    pub(super) fn row(&mut self, seat: Seat) {
        let (view, y) = (self.view, self.y);
        let [upper, lower] = [y + NAME + 3.0, y + ROW - 4.0 - token::HEIGHT];
        let class = if view.viewer.is(seat) { "own" } else { "panel" };
        self.svg.rect(class, (MARGIN, y), (WIDTH - 2.0 * MARGIN, ROW - 2.0));
        self.seat(seat, y + ROW / 2.0 - 1.0);
        self.svg.name(seat, (NOTES, y + NAME + 1.0));
        for (note, (y, width)) in [(upper, 34.0), (lower, 62.0)].into_iter().enumerate() {
            self.svg.text("s d", (NOTES, y + 10.0), view.notes(seat)[note]);
            self.mark((NOTES - 2.0, y), (width, token::HEIGHT), |view| view.notes(seat)[note]);
        }
        self.points(seat, upper);
        self.svg.text("s d", (LABELS, upper + 10.0), "screen");
        self.tokens(&view.behind(seat), self.before.map(|before| before.behind(seat)), (GOODS, upper));
        self.svg.text("s d", (LABELS, lower + 10.0), "front");
        let front = self.tokens(&view.front(seat), self.before.map(|before| before.front(seat)), (GOODS, lower));
        self.bid(seat, upper);
        if let Some(goods) = view.receptacle_tokens(seat) {
            self.receptacle(seat, &goods, (front, lower));
        }
        self.y += ROW;
    }

    /// Draws the disc of a seat, after an arrow if the seat has to decide.
    fn seat(&mut self, seat: Seat, y: f32) {
        if self.view.to_act().contains(seat) {
            self.svg.pointer((MARGIN + 3.0, y - 5.5));
        }
        self.svg.seat(seat, (SEAT, y), 8.5);
    }

    /// Writes the Prestige Points of a seat.
    fn points(&mut self, seat: Seat, y: f32) {
        let points = self.view.table.scores()[seat];
        self.svg.piece(format_args!("seat {seat}: {points} points"), |svg| {
            svg.text("l b e", (POINTS, y + 11.0), points);
        });
        let size = (29.0, token::HEIGHT + 2.0);
        self.mark((POINTS - 27.0, y - 1.0), size, |view| view.table.scores()[seat]);
    }

    /// Draws the bid of a seat as far as the viewer knows it.
    fn bid(&mut self, seat: Seat, y: f32) {
        let bid = self.view.known_bid(seat);
        match bid {
            None => {}
            Some(Bid::EMPTY) => self.svg.text("s d", (BID, y + 10.0), "bid nothing"),
            Some(bid) => {
                self.svg.text("s d", (BID, y + 10.0), "bid");
                self.tokens(&bid_tokens(seat, bid), None, (BID + 18.0, y));
            }
        }
        let size = (WIDTH - MARGIN - BID, token::HEIGHT + 2.0);
        self.mark((BID - 2.0, y - 1.0), size, |view| view.known_bid(seat));
    }

    /// Draws the goods of a seat in the receptacle. They are a remark if the tokens in front of the screen, which end at
    /// `front`, leave no room.
    fn receptacle(&mut self, seat: Seat, goods: &[Token], (front, y): (f32, f32)) {
        if front > BID {
            self.remarks.push(format!("in the receptacle of seat {seat}: {}", token::listed(goods)));
            return;
        }
        self.svg.text("s d e", (RECEPTACLE - 2.0, y + 10.0), "receptacle");
        if goods.is_empty() {
            self.svg.text("s d", (RECEPTACLE + 1.0, y + 10.0), "empty");
        }
        let old = self.before.map(|before| before.receptacle_tokens(seat).unwrap_or_default());
        self.tokens(goods, old, (RECEPTACLE, y));
    }
}

/// The contents of a row.
impl View {
    /// Returns the goods and leaders behind a screen.
    fn behind(&self, seat: Seat) -> Vec<Token> {
        let tribe = &self.table.tribes[seat];
        let mut tokens = self.reserve(seat).map_or(vec![Thing::Hidden.times(1)], |reserve| {
            let Reserve { workers, markers, logs, bases } = reserve;
            let goods = goods(seat, Goods { workers, markers });
            goods.chain(some([Thing::Log.times(logs), Thing::Base(seat).times(bases)])).collect()
        });
        tokens.extend(leaders(seat, tribe.sorcerer == Spot::Reserve, tribe.chief == Spot::Reserve));
        tokens
    }

    /// Returns the half-tablets, goods, leaders, and pieces in front of a screen.
    fn front(&self, seat: Seat) -> Vec<Token> {
        let tribe = &self.table.tribes[seat];
        let piece = |piece| {
            let is_at_hand = self.table.phase.piece() == Some(piece);
            Thing::Piece { piece, claim: Claim::Abandoned, is_at_hand }.times(1)
        };
        some([Thing::Half.times(tribe.halves)])
            .chain(goods(seat, tribe.front))
            .chain(leaders(seat, tribe.sorcerer == Spot::Front, tribe.chief == Spot::Front))
            .chain(self.table.in_front_of(seat).iter().map(piece))
            .collect()
    }

    /// Returns the goods in the receptacle; None if they are not shown.
    fn receptacle_tokens(&self, seat: Seat) -> Option<Vec<Token>> {
        self.receptacle(seat).map(|held| goods(seat, held).collect())
    }

    /// Returns the bid of a seat in this turn; None if the viewer does not know it, or if nothing is bid yet.
    fn known_bid(&self, seat: Seat) -> Option<Bid> {
        let own = self.bid.filter(|bid| self.viewer.is(seat) && *bid != Bidding::Markers).map(Bidding::so_far);
        let is_open = !matches!(self.table.phase, Phase::Bid { .. });
        if is_open { self.table.shown_bids.map(|bids| bids[seat]) } else { own }
    }

    /// Returns the notes on a seat: the viewer and the first player, and the seat's state in the phase.
    fn notes(&self, seat: Seat) -> [&'static str; 2] {
        let who = match (self.viewer.is(seat), self.table.first == seat) {
            (false, false) => "",
            (true, false) => "you",
            (false, true) => "1st",
            (true, true) => "you 1st",
        };
        let phase = self.table.phase;
        let state = match (self.sealed.contains(seat), phase.passed().contains(seat)) {
            (true, _) if matches!(phase, Phase::Bid { .. }) => "bid made",
            (_, true) if matches!(phase, Phase::Pick { .. }) => "declined",
            (_, true) => "passed",
            (_, false) => "",
        };
        [who, state]
    }
}

/// Returns the tokens of goods.
fn goods(seat: Seat, Goods { workers, markers }: Goods) -> impl Iterator<Item = Token> {
    some([Thing::Worker(seat).times(workers), Thing::Marker(seat).times(markers)])
}

/// Returns the tokens of a bid.
fn bid_tokens(seat: Seat, Bid { markers, workers, leaders: bid }: Bid) -> Vec<Token> {
    let counted = some([Thing::Marker(seat).times(markers), Thing::Worker(seat).times(workers)]);
    counted.chain(leaders(seat, bid.sorcerer(), bid.chief())).collect()
}
