//! The picture of the table: the island in its sea, the players beside or below it, and the dice and stocks of the turn.

mod island;
mod map;
mod panel;
mod token;
mod words;

use ahu_core::Draw;
use ahu_core::parts::picture::{Header, Picture, Thing, text_width};
use token::{Shape, Token, some};

use super::options::{BaseView, WHITE_DICE};
use super::phase::Phase;
use super::piece::{BySize, Kind};
use super::table::Table;
use super::view::View;

/// The phases of a turn.
const STEPS: [&str; 5] = ["dice", "auction", "place", "carry", "end"];
/// The greatest number of turns that is no news.
const USUAL_TURNS: u8 = super::options::MAX_TURNS as u8;

impl Draw for View {
    fn draw(&self, before: Option<&Self>, picture: &mut Picture<'_>) -> f32 {
        let mut drawing = Drawing { view: self, before, picture };
        drawing.header();
        drawing.island();
        let seats = self.table.options.seats.count();
        let (token, gap) = drawing.picture.either([(28.0, 12.0), (26.0, 10.0), (18.0, 6.0)][seats - 3], (18.0, 6.0));
        let ((x, mut y), width) = drawing.picture.either(((732.0, 72.0), 298.0), ((8.0, 392.0), 374.0));
        for seat in self.table.options.seats.iter() {
            y = drawing.panel(seat, (x, y), width, token) + gap;
        }
        // Three players leave room below their panels, where the sea has a canoe then.
        if seats == 3 && !drawing.picture.is_phone() {
            drawing.picture.symbol("canoe", (640.0, 580.0), 46.0);
        }
        let corner = if seats == 3 { (x, y + 4.0) } else { drawing.picture.either((400.0, 506.0), (x, y)) };
        let bottom = drawing.stocks(corner, drawing.picture.either(if seats == 3 { width } else { 314.0 }, width));
        let legend = drawing.picture.either((14.0, 578.0), (12.0, bottom + 16.0));
        drawing.legend(legend);
        drawing.picture.either(map::SEA, legend.1 + 24.0)
    }
}

/// The picture so far.
struct Drawing<'a, 'b> {
    view: &'a View,
    before: Option<&'a View>,
    picture: &'a mut Picture<'b>,
}

impl Drawing<'_, '_> {
    /// Returns true if a fact differs from the earlier view.
    fn is_news<T: PartialEq>(&self, of: impl Fn(&View) -> T) -> bool {
        self.before.is_some_and(|before| of(before) != of(self.view))
    }

    /// Draws what happened, who has to do what, and the phase.
    fn header(&mut self) {
        let Table { turn, options, phase, .. } = &self.view.table;
        let turn = match options.max_turns {
            USUAL_TURNS => format!("Turn {turn}"),
            most => format!("Turn {turn}/{most}"),
        };
        let step = match phase {
            Phase::Roll => Some(0),
            Phase::Bid { .. } | Phase::Pick { .. } => Some(1),
            Phase::Place { .. } => Some(2),
            Phase::Transport { .. } | Phase::Store { .. } => Some(3),
            Phase::Recover { .. } => Some(4),
            Phase::Over => None,
        };
        let (actors, task) = self.view.task();
        self.picture.header(&Header {
            state: &self.view.state(),
            turn: &turn,
            steps: &STEPS,
            step,
            actors,
            task: &task,
        });
    }

    /// Draws the dice of the turn, the Moai on offer, and what is still to come. Returns the lower end.
    fn stocks(&mut self, (x, y): (f32, f32), width: f32) -> f32 {
        let (left, height) = (x + 46.0, self.picture.either(98.0, 92.0));
        self.picture.rect("panel", (x, y), (width, height), 8.0);
        let [dice, offer, stock] = self.picture.either([27.0, 58.0, 88.0], [24.0, 53.0, 82.0]).map(|dy| y + dy);
        self.picture.text("q t11", (x + 10.0, dice), "Dice");
        self.dice((left, dice));
        let is_auction = matches!(self.view.table.phase, Phase::Bid { .. } | Phase::Pick { .. });
        let offered = |view: &View| if is_auction { view.table.phase.offered() } else { view.table.removed };
        self.picture.text("q t11", (x + 10.0, offer), if is_auction { "Offer" } else { "Lost" });
        if !is_auction && self.view.table.removed == BySize::EMPTY {
            self.picture.text("q t11", (left, offer), "no Moai");
        }
        self.row((left, offer + 7.0), width - 184.0, 24.0, |view| moai(offered(view), is_auction).collect());
        let bank = x + width - 99.0;
        self.picture.text("q t11 e", (bank - 6.0, offer), "Bank");
        self.row((bank, offer + 4.5), 95.0, 16.0, View::bank);
        self.picture.text("q t11", (x + 10.0, stock), "To come");
        self.row((x + 64.0, stock + 7.0), width - 68.0, 24.0, View::to_come);
        y + height
    }

    /// Draws the dice, each with the number that it counts as if that is another one.
    fn dice(&mut self, (mut x, y): (f32, f32)) {
        let Table { roll, turn, .. } = &self.view.table;
        let (left, is_news) = (x, self.is_news(|view| view.table.roll));
        let title = match roll {
            Some(roll) => format!("the dice show {}", roll.text(*turn)),
            None => "the dice are not rolled".to_owned(),
        };
        self.picture.thing(Thing { title: &title, ..Thing::default() }, |picture| {
            if roll.is_none() {
                picture.text("q t11", (x, y), "not rolled");
                x += 60.0;
            }
            for (die, (face, number)) in roll.iter().flat_map(|roll| roll.read(*turn)).enumerate() {
                if die < WHITE_DICE {
                    picture.symbol("die", (x + 11.0, y + 7.0), 22.0);
                } else {
                    picture.rect("tl o", (x + 1.0, y - 14.0), (20.0, 20.0), 4.0);
                }
                picture.text("b m t14 onp", (x + 11.0, y + 1.0), face);
                x += 25.0;
                if number != face {
                    picture.text("q t10", (x - 1.0, y), format_args!("={number}"));
                    x += 18.0;
                }
            }
        });
        if is_news {
            self.picture.mark((left - 3.0, y - 18.0), (x - left + 3.0, 28.0));
        }
    }

    /// Explains the parts of the points, the plates of the Ahus, and the discs of pieces, in two lines.
    fn legend(&mut self, (left, y): (f32, f32)) {
        let class = self.picture.either("wh t10", "t10");
        let mut x = left;
        for (colour, text) in panel::PARTS.into_iter().zip(self.view.parts()) {
            self.picture.rect("face", (x - 1.0, y - 10.0), (12.0, 12.0), 2.5);
            self.picture.rect(colour, (x, y - 9.0), (10.0, 10.0), 2.0);
            self.picture.text(class, (x + 14.0, y), text);
            x += 22.0 + text_width(class, text);
        }
        self.picture.symbol("plate", (left + 13.0, y + 19.0), 11.0);
        let text = self
            .picture
            .either("points for each unit of a Moai, for a headdress", "points for a unit of a Moai, a headdress");
        self.picture.text(class, (left + 30.0, y + 18.0), text);
        x = left + 46.0 + text_width(class, text);
        self.picture.circle("face", (x, y + 14.5), 6.0);
        self.picture.circle("tuff", (x, y + 14.5), 4.0);
        self.picture.text(class, (x + 8.0, y + 18.0), "moved, unmarked");
    }
}

/// The contents beside the island and the players.
impl View {
    /// Returns the half-tablets and logs that are still to be had.
    fn bank(&self) -> Vec<Token> {
        vec![Shape::Half(true).times(self.table.halves), Shape::Log.times(self.table.logs_left)]
    }

    /// Returns the Moai and headdresses that are still to come.
    fn to_come(&self) -> Vec<Token> {
        let headdresses = self.table.in_rock(Kind::Headdress).len() as u8;
        moai(self.table.supply, false).chain([Shape::Kind(Kind::Headdress, false).times(headdresses)]).collect()
    }

    /// Returns the sources of points, in the order of their colours.
    fn parts(&self) -> [&'static str; 4] {
        let scored = if self.table.options.visible_score { "scored" } else { "help given" };
        ["Moai", "headdresses", scored, "tablets"]
    }

    /// Returns true if the owners of some Moai are not shown.
    fn hides_owners(&self) -> bool {
        let known = self.table.options.seats.iter().map(|seat| self.table.sites.erected_by(seat).len()).sum::<usize>();
        self.table.options.base_view == BaseView::Memory && known < self.table.sites.erected().len()
    }
}

/// Returns Moai by size, without empty sizes.
fn moai(sizes: BySize, are_offered: bool) -> impl Iterator<Item = Token> {
    some(sizes.iter().map(move |(size, count)| Shape::Kind(Kind::Moai(size), are_offered).times(count)))
}
