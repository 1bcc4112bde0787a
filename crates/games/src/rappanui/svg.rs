//! The picture of the table.
//!
//! From top to bottom: the deck and its passes, a row for each player, the meld in progress, the viewer's hand, and the two
//! open piles as grids of suits by numbers.

use ahu_core::parts::lines::wrapped;
use ahu_core::parts::svg::{MARGIN, Svg, WIDTH};
use ahu_core::{Draw, Numbered as _, Seat, Viewer};

use super::cards::{CardSet, HIGHEST, Kind, ResourceKind, Suit};
use super::phase::Phase;
use super::table::{PASSES, hand_limit};
use super::view::View;

/// The size of a card with its face up.
const CARD: (f32, f32) = (25.0, 30.0);
/// The distance from one card to the next.
const CARD_STEP: f32 = 27.5;
/// The width of an event card, which has a word on its face.
const EVENT_WIDTH: f32 = 62.0;
/// The characters in a line of text.
const LINE: usize = 64;
/// The height of a player's row.
const ROW: f32 = 40.0;
/// The height of the name in a player's row.
const NAME: f32 = 10.0;
/// The size of a cell in the grid of a pile.
const CELL: (f32, f32) = (27.0, 15.0);
/// The width of the letters at the left of a grid.
const LETTERS: f32 = 22.0;

impl Draw for View {
    fn draw(&self, before: Option<&Self>, headline: &str) -> (Svg, f32) {
        let mut picture = Picture { svg: Svg::new(), view: self, before, y: MARGIN };
        picture.y = picture.svg.headline(headline, picture.y);
        picture.deck();
        for seat in self.table.options.seats.iter() {
            picture.player(seat);
        }
        picture.cards("meld", self.table.phase.laid(), before.map(|view| view.table.phase.laid()));
        if self.viewer != Viewer::Public {
            picture.cards("your hand", self.hand, before.map(|view| view.hand));
        }
        picture.remarks();
        picture.pile("discard pile", self.table.discard, before.map(|view| view.table.discard));
        picture.pile("erosion pile", self.table.eroded, before.map(|view| view.table.eroded));
        (picture.svg, picture.y)
    }
}

/// The picture so far. `y` is where the next part begins.
struct Picture<'a> {
    svg: Svg,
    view: &'a View,
    before: Option<&'a View>,
    y: f32,
}

impl Picture<'_> {
    /// Marks a place if a fact differs from the earlier view.
    fn mark<T: PartialEq>(&mut self, at: (f32, f32), size: (f32, f32), of: impl Fn(&View) -> T) {
        if self.before.is_some_and(|before| of(before) != of(self.view)) {
            self.svg.mark(at, size);
        }
    }

    /// Draws the deck with its number of cards, a circle for each pass, and the hand limit.
    fn deck(&mut self) {
        let (View { deck, .. }, passes, y) = (self.view, self.view.table.passes, self.y);
        let limit = hand_limit(passes);
        self.svg.piece(format_args!("deck: {deck} cards, used up {passes} of {PASSES} times"), |svg| {
            for layer in (0..3).rev().filter(|layer| usize::from(*deck) > layer * 40) {
                let shift = layer as f32 * 2.0;
                svg.rect("back", (MARGIN + shift, y - shift + 4.0), CARD);
            }
            svg.text("l b", (MARGIN + 38.0, y + 17.0), format_args!("deck {deck}"));
            svg.text("d", (MARGIN + 38.0, y + 31.0), "used up");
            for pass in 0..PASSES {
                let place = (MARGIN + 90.0 + 14.0 * f32::from(pass), y + 28.0);
                svg.circle(if pass < passes { "ink" } else { "none" }, place, 5.0);
            }
            svg.text("d", (MARGIN + 132.0, y + 31.0), format_args!("{passes} of {PASSES}"));
            svg.text("e", (WIDTH - MARGIN, y + 31.0), format_args!("hand limit {limit}"));
        });
        self.mark((MARGIN - 2.0, y - 2.0), (120.0, 38.0), |view| view.deck);
        self.y += 42.0;
    }

    /// Draws a player: the seat, the Moai points, the backs of the cards, and the cards that the
    /// viewer knows among them.
    fn player(&mut self, seat: Seat) {
        let (view, top) = (self.view, self.y);
        let y = top + NAME;
        let (points, cards, known) = (view.table.points[seat], view.hand_sizes[seat], view.known[seat]);
        let is_playing = seat == view.table.player && !matches!(view.table.phase, Phase::Over | Phase::Deal);
        let title = format!("seat {seat}: {points} Moai points, {cards} cards");
        self.svg.piece(title, |svg| {
            let class = if view.viewer.is(seat) { "own" } else { "panel" };
            svg.rect(class, (MARGIN, top), (WIDTH - 2.0 * MARGIN, ROW - 3.0));
            if is_playing {
                svg.pointer((MARGIN + 3.0, top + 13.0));
            }
            svg.seat(seat, (MARGIN + 21.0, top + 18.5), 8.5);
            svg.name(seat, (MARGIN + 33.0, top + 10.5));
            let name = if view.viewer.is(seat) { "you" } else { "" };
            svg.text("s d", (MARGIN + 33.0, y + 17.0), name);
            svg.moai("c3", (MARGIN + 56.0, y + 4.0));
            svg.text("l b", (MARGIN + 70.0, y + 18.0), points);
            let backs = if known.is_empty() { 16 } else { 8 };
            for card in 0..usize::from(cards).min(backs) {
                svg.rect("back", (MARGIN + 106.0 + 9.0 * card as f32, y + 5.0), (12.0, 17.0));
            }
            let end = MARGIN + 114.0 + 9.0 * usize::from(cards).min(backs) as f32;
            svg.text("", (end, y + 17.0), format_args!("{cards}"));
            if !known.is_empty() {
                svg.text("s d", (end + 18.0, y + 17.0), format_args!("has {known}"));
            }
        });
        let height = ROW - NAME - 6.0;
        self.mark((MARGIN + 50.0, y + 1.5), (50.0, height), |view| view.table.points[seat]);
        let width = WIDTH - 2.0 * MARGIN - 104.0;
        self.mark((MARGIN + 102.0, y + 1.5), (width, height), |view| view.hand_sizes[seat]);
        self.y += ROW;
    }

    /// Draws cards with their faces up, in rows; nothing if there are none. New cards are marked.
    fn cards(&mut self, title: &str, cards: CardSet, before: Option<CardSet>) {
        if cards.is_empty() {
            return;
        }
        self.svg.text("b", (MARGIN, self.y + 11.0), title);
        self.y += 16.0;
        let new = before.map_or(CardSet::EMPTY, |before| cards - cards.alike(before));
        let mut x = MARGIN;
        for card in cards.iter() {
            let width = if card.kind().as_resource().is_some() { CARD.0 } else { EVENT_WIDTH };
            if x + width > WIDTH - MARGIN + 0.5 {
                (x, self.y) = (MARGIN, self.y + CARD.1 + 4.0);
            }
            face(&mut self.svg, card.kind(), (x, self.y), width);
            if new.contains(card) {
                self.svg.mark((x - 1.0, self.y - 1.0), (width + 2.0, CARD.1 + 2.0));
            }
            x += width + CARD_STEP - CARD.0;
        }
        self.y += CARD.1 + 6.0;
    }

    /// Writes the remarks below the hand.
    fn remarks(&mut self) {
        let old = self.before.map(View::remarks);
        for remark in self.view.remarks() {
            let top = self.y;
            self.y = self.svg.paragraph("", &wrapped(&remark, LINE, 2), self.y, 13.0);
            if old.as_ref().is_some_and(|old| !old.contains(&remark)) {
                self.svg.mark((MARGIN - 3.0, top - 1.0), (WIDTH - 2.0 * MARGIN + 6.0, self.y - top + 1.0));
            }
        }
    }

    /// Draws an open pile: a grid of suits by numbers with the count of each card, and the events below it.
    fn pile(&mut self, title: &str, cards: CardSet, before: Option<CardSet>) {
        let y = self.y;
        self.svg.text("b", (MARGIN, y + 11.0), format_args!("{title}: {}", cards.len()));
        let top = y + 16.0;
        let has_changed = |kind: Kind| before.is_some_and(|before| before.count(kind) != cards.count(kind));
        for (row, suit) in Suit::all().enumerate() {
            let y = top + CELL.1 * row as f32;
            self.svg.text("b m", (MARGIN + 10.0, y + 11.0), suit.letter());
            for number in 1..=HIGHEST {
                let kind = ResourceKind::of(suit, number).expect("a number of the suit");
                let copies = cards.count(Kind::Resource(kind));
                let place = (MARGIN + LETTERS + (CELL.0 + 3.0) * f32::from(number - 1), y);
                let class = if copies == 0 { "none" } else { suit_class(suit) };
                self.svg.rect(class, place, (CELL.0 + 1.0, CELL.1 - 2.0));
                let middle = (place.0 + CELL.0 / 2.0, y + 10.0);
                match copies {
                    0 => self.svg.text("s m f", middle, number),
                    1 => self.svg.text("s k m", middle, number),
                    _ => self.svg.text("s b k m", middle, format_args!("{number}\u{d7}{copies}")),
                }
                if has_changed(Kind::Resource(kind)) {
                    self.svg.mark((place.0 - 0.5, y - 0.5), (CELL.0 + 2.0, CELL.1 - 1.0));
                }
            }
        }
        self.y = top + CELL.1 * Suit::COUNT as f32 + 2.0;
        let mut x = MARGIN + LETTERS;
        for event in cards.events().iter() {
            let width = 10.0 + 5.3 * event.to_string().len() as f32 + 14.0;
            if x + width > WIDTH - MARGIN {
                (x, self.y) = (MARGIN + LETTERS, self.y + CELL.1);
            }
            let copies = cards.count(Kind::Event(event));
            self.svg.piece(Kind::Event(event).name(), |svg| {
                svg.rect("c4", (x, self.y), (width - 3.0, CELL.1 - 2.0));
                let times = if copies > 1 { format!(" \u{d7}{copies}") } else { String::new() };
                svg.text("s k m", (x + width / 2.0 - 1.5, self.y + 10.0), format_args!("{event}{times}"));
            });
            if has_changed(Kind::Event(event)) {
                self.svg.mark((x - 1.0, self.y - 1.0), (width - 1.0, CELL.1));
            }
            x += width;
        }
        self.y += if cards.events().is_empty() { 4.0 } else { CELL.1 + 4.0 };
    }
}

impl View {
    /// Returns how many cards the player has to discard, and the cards that the viewer knows to be in some other hand.
    fn remarks(&self) -> Vec<String> {
        let mut remarks = Vec::new();
        if let Phase::Decline { excess, .. } = self.table.phase {
            remarks.push(format!("seat {} has to discard {excess}", self.table.player));
        }
        if !self.surely_held().is_empty() {
            remarks.push(format!("surely in other hands: {}", self.surely_held()));
        }
        remarks
    }
}

/// Draws the face of a card: the letter and the number of a resource, or the word of an event.
fn face(svg: &mut Svg, kind: Kind, (x, y): (f32, f32), width: f32) {
    let middle = x + width / 2.0;
    svg.piece(kind.name(), |svg| match kind {
        Kind::Resource(resource) => {
            svg.rect(suit_class(resource.suit()), (x, y), (width, CARD.1));
            svg.text("s k m", (middle, y + 11.0), resource.suit().letter());
            svg.text("l b k m", (middle, y + 25.0), resource.number());
        }
        Kind::Event(event) => {
            svg.rect("c4", (x, y), (width, CARD.1));
            // Two words stand in two lines.
            let name = event.to_string();
            let words: Vec<&str> = name.split_inclusive('-').collect();
            let first = y + if words.len() == 1 { 19.0 } else { 13.0 };
            for (line, word) in words.iter().enumerate() {
                svg.text("s k m", (middle, first + 11.0 * line as f32), word);
            }
        }
    });
}

/// Returns the class of the cards of a suit.
pub(super) const fn suit_class(suit: Suit) -> &'static str {
    match suit {
        Suit::Food => "c0",
        Suit::Wood => "c1",
        Suit::People => "c2",
        Suit::Stone => "c3",
    }
}
