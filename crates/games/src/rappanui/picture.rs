//! The picture of the table: the island is the deck.
//!
//! Each kind of resource has a plot with its two cards as they are now: alive in the deck or a hand, in the discard pile, from
//! which they come back, or gone. Beside the island stand the players with their Moai, and below it the cards of the viewer.

use std::fmt::Write as _;

use ahu_core::parts::lines::counted;
use ahu_core::parts::picture::{Header, Number, Picture, Standing, Thing, ending, text_width};
use ahu_core::{Draw, Numbered as _, Seat, SeatSet, View as _, Viewer};

use super::cards::{Card, CardSet, Effect, EventKind, HIGHEST, Kind, ResourceKind, Suit};
use super::phase::Phase;
use super::table::{PASSES, hand_limit};
use super::view::View;

/// The space below a part of the picture.
const GAP: f32 = 8.0;

impl Draw for View {
    fn draw(&self, before: Option<&Self>, picture: &mut Picture<'_>) -> f32 {
        let mut table = Table { view: self, before, picture };
        table.header();
        let is_phone = table.picture.is_phone();
        let (left, width, top) =
            if is_phone { (0.0, 390.0, Picture::PHONE_HEADER) } else { (0.0, 712.0, Picture::HEADER) };
        let mut y = table.island((left, top), width);
        y = table.stock((left + table.picture.either(20.0, 10.0), y), width - table.picture.either(36.0, 18.0));
        if is_phone {
            y = table.cards((10.0, y), 372.0);
            y = table.players((8.0, y), 374.0);
            return table.events((8.0, y), 374.0);
        }
        let side = table.players((Picture::SIDE, 74.0), Picture::SIDE_WIDTH);
        let side = table.events((Picture::SIDE, side), Picture::SIDE_WIDTH);
        table.cards((20.0, y), 680.0).max(side)
    }
}

/// The picture in progress.
struct Table<'a, 'b> {
    view: &'a View,
    before: Option<&'a View>,
    picture: &'a mut Picture<'b>,
}

impl Table<'_, '_> {
    /// Returns true if a fact differs from the earlier view.
    fn is_news<T: PartialEq>(&self, of: impl Fn(&View) -> T) -> bool {
        self.before.is_some_and(|before| of(before) != of(self.view))
    }

    /// Marks a place if a fact differs from the earlier view.
    fn mark<T: PartialEq>(&mut self, corner: (f32, f32), size: (f32, f32), of: impl Fn(&View) -> T) {
        if self.is_news(of) {
            self.picture.mark(corner, size);
        }
    }

    fn header(&mut self) {
        let view = self.view;
        let table = &view.table;
        let (winners, end) = ending(&view.scores(), &view.ranks(), "fewer cards");
        let task = match table.phase {
            Phase::Deal => "the cards are dealt".to_owned(),
            Phase::Draw => "draws cards".to_owned(),
            Phase::Conflict => "may play an event".to_owned(),
            Phase::Steal { victim } | Phase::Lose { victim } => format!("takes cards from seat {victim}"),
            Phase::Meld { laid } if laid.is_empty() => "may play a meld".to_owned(),
            Phase::Meld { .. } => "lays the next card of a meld".to_owned(),
            Phase::Decline { excess, .. } => format!("must discard {}", counted(excess, "card")),
            Phase::Over => end,
        };
        let step = match table.phase {
            Phase::Deal | Phase::Over => None,
            Phase::Draw => Some(0),
            Phase::Conflict | Phase::Steal { .. } | Phase::Lose { .. } => Some(1),
            Phase::Meld { .. } => Some(2),
            Phase::Decline { .. } => Some(3),
        };
        let actors = match table.phase {
            Phase::Over => winners,
            Phase::Deal => SeatSet::EMPTY,
            _ => table.player.into(),
        };
        let turn = if table.round > 0 { format!("Turn {}", table.round) } else { String::new() };
        let (steps, state) = (&["draw", "events", "meld", "discard"], "Rappa Nui, the deck game");
        let (x, y) = self.picture.header(&Header { state, turn: &turn, steps, step, actors, task: &task });
        let title = format!("the deck was used up {} of {PASSES} times", table.passes);
        self.picture.thing(Thing { title: &title, ..Thing::default() }, |picture| {
            for pass in 0..PASSES {
                let foot = (x + 8.0 + 13.0 * f32::from(pass), y + 6.5);
                let class = if pass < table.passes { "gone" } else { "" };
                picture.symbol_in(class, "sun", foot, 13.0);
            }
        });
        self.mark((x, y - 9.0), (41.0, 18.0), |view| view.table.passes);
    }

    /// Draws the plots, and the explanation of their signs. Returns the height below them.
    fn island(&mut self, (x, y): (f32, f32), width: f32) -> f32 {
        let is_phone = self.picture.is_phone();
        let (plot_height, gap, edge, label) = if is_phone { (42.0, 2.0, 16.0, 18.0) } else { (60.0, 4.0, 32.0, 68.0) };
        let height = Suit::COUNT as f32 * (plot_height + gap) + 2.0 * edge;
        self.picture.rect("sea", (x, y), (width, height), 0.0);
        if !is_phone {
            let bottom = y + height;
            self.picture.waves(&[(40.0, y + 14.0), (560.0, y + 12.0), (80.0, bottom - 4.0), (640.0, bottom - 6.0)]);
        }
        let shore = if is_phone { 3.0 } else { 10.0 };
        for (class, inset) in [("foamy", shore), ("sand", shore + self.picture.either(8.0, 4.0))] {
            let size = (width - 2.0 * inset, height - 2.0 * inset - self.picture.either(16.0, 4.0));
            self.picture.rect(class, (x + inset, y + inset + self.picture.either(8.0, 2.0)), size, 24.0 - inset);
        }
        let left = x + shore + self.picture.either(14.0, 7.0);
        let step = (width - left - shore - self.picture.either(12.0, 5.0) - label) / f32::from(HIGHEST);
        for (row, suit) in Suit::all().enumerate() {
            let top = y + edge + row as f32 * (plot_height + gap);
            let (icon, _, name) = look(suit);
            let height = Picture::fit(icon, self.picture.either((34.0, 28.0), (15.0, 16.0)));
            let foot = self.picture.either((left + 26.0, top + 34.0), (left + 7.0, top + 30.0));
            self.picture.symbol(icon, foot, height);
            if !is_phone {
                self.picture.text("b m t11 onp", (left + 26.0, top + 52.0), name);
            }
            for number in 1..=HIGHEST {
                let corner = (left + label + f32::from(number - 1) * step, top);
                self.plot(suit, number, corner, (step - gap, plot_height));
            }
        }
        self.legend((x + self.picture.either(22.0, 10.0), y + height + self.picture.either(18.0, 13.0)));
        y + height + self.picture.either(32.0, 22.0)
    }

    /// Draws the two cards of a resource.
    fn plot(&mut self, suit: Suit, number: u8, (x, y): (f32, f32), (width, height): (f32, f32)) {
        let kind = Kind::Resource(ResourceKind::of(suit, number).expect("a number of the suit"));
        let table = &self.view.table;
        let (discarded, gone) = (table.discard.count(kind), table.eroded.count(kind));
        let alive = usize::from(kind.copies()) - discarded - gone;
        let held = self.view.hand.count(kind);
        let (icon, tint, name) = look(suit);
        let ground = match (alive, discarded, gone) {
            (_, _, 2) => "dry",
            (0, ..) | (_, _, 1) => "half",
            _ => tint,
        };
        let mut title = format!("{} ({name} {number}): {alive} in the deck or a hand", kind.name());
        for (count, place) in [(discarded, "in the discard pile"), (gone, "gone"), (held, "in your hand")] {
            if count > 0 {
                write!(title, ", {count} {place}").expect("a string grows");
            }
        }
        let is_phone = self.picture.is_phone();
        let target = format!("card {kind}");
        self.picture.thing(Thing { title: &title, target: &target, ..Thing::default() }, |picture| {
            let radius = picture.either(6.0, 4.0);
            picture.rect(ground, (x, y), (width, height), radius);
            let size = Picture::fit(icon, (width / 2.0 - picture.either(3.0, 1.0), height * 0.52));
            for card in 0..2 {
                let foot = (x + width * (0.27 + 0.46 * card as f32), y + height - picture.either(5.0, 3.0));
                if card < alive {
                    picture.symbol(icon, foot, size);
                } else if card < alive + discarded {
                    picture.symbol_in("faded", icon, foot, size);
                    let (x, y) = (Number(foot.0 - 4.0), Number(foot.1 - size * 0.5 + 1.0));
                    picture.path("back2", format_args!("M{x} {y}a4 4 0 1 0 4-4l-2.4-2m2.4 2l-2.4 2.2"));
                } else if suit == Suit::Wood {
                    picture.symbol("stump", foot, size * 0.34);
                } else {
                    picture
                        .path("cross", format_args!("M{} {}l6 6m0-6l-6 6", Number(foot.0 - 3.0), Number(foot.1 - 7.0)));
                }
            }
            if is_phone {
                picture.text("b onp m t9", (x + width / 2.0, y + 11.0), number);
            } else {
                picture.text("b onp t11", (x + 5.0, y + 14.0), number);
            }
            if held > 0 {
                picture.rect("mine", (x, y), (width, height), radius);
            }
        });
        let corner = (x - 1.0, y - 1.0);
        let place =
            |view: &View| [view.table.discard.count(kind), view.table.eroded.count(kind), view.hand.count(kind)];
        self.mark(corner, (width + 2.0, height + 2.0), place);
    }

    /// Explains the signs of the plots.
    fn legend(&mut self, (mut x, y): (f32, f32)) {
        let class = self.picture.either("t11", "t9");
        let signs = ["in deck or hand", "will come back", "gone", "in your hand"];
        let count = if self.view.viewer == Viewer::Public { 3 } else { 4 };
        for (sign, text) in signs.into_iter().take(count).enumerate() {
            match sign {
                0 | 1 => {
                    self.picture.symbol_in(["", "faded"][sign], "palm", (x + 7.0, y + 3.0), 16.0);
                }
                2 => {
                    self.picture.symbol("stump", (x + 7.0, y + 1.0), 9.0);
                }
                _ => {
                    self.picture.rect("kfo", (x, y - 11.0), (15.0, 14.0), 3.0);
                    self.picture.rect("mine", (x + 2.0, y - 9.0), (11.0, 10.0), 2.0);
                }
            }
            self.picture.text(class, (x + 18.0, y), text);
            x += 30.0 + text_width(class, text);
        }
    }

    /// Draws the 120 cards as a bar: where they are. Returns the height below it.
    fn stock(&mut self, (x, y): (f32, f32), width: f32) -> f32 {
        let view = self.view;
        let in_hands = Card::COUNT - usize::from(view.deck) - view.table.discard.len() - view.table.eroded.len();
        let parts = [
            (usize::from(view.deck), "back", "wh", "in the deck"),
            (in_hands, "tuff", "wh", "in hands"),
            (view.table.discard.len(), "lf1", "w", "come back"),
            (view.table.eroded.len(), "dry", "onp", "gone for ever"),
        ];
        // Each part has room for its words, and the rest goes by cards.
        let least = self.picture.either(84.0, 62.0);
        let free = width - least * parts.len() as f32;
        let mut left = x;
        for (place, (count, class, ink, text)) in parts.into_iter().enumerate() {
            let part = least + free * count as f32 / Card::COUNT as f32;
            self.picture.rect(class, (left, y), (part - 2.0, 26.0), 5.0);
            self.picture.text(&format!("{ink} b m t14"), (left + part / 2.0 - 1.0, y + 18.0), count);
            self.picture.text(self.picture.either("m q t11", "m q t9"), (left + part / 2.0 - 1.0, y + 39.0), text);
            if place == 0 {
                self.mark((left - 1.0, y - 1.0), (part, 28.0), |view| view.deck);
            }
            left += part;
        }
        y + 52.0
    }

    /// Draws the panels of the players. Returns the height below them.
    fn players(&mut self, (x, mut y): (f32, f32), width: f32) -> f32 {
        for seat in self.view.table.options.seats.iter() {
            y = self.player(seat, (x, y), width) + GAP;
        }
        y
    }

    /// Draws the panel of a player: points as Moai, a tall one for ten, and the cards. Returns the height below it.
    fn player(&mut self, seat: Seat, (x, y): (f32, f32), width: f32) -> f32 {
        let view = self.view;
        let table = &view.table;
        let (points, cards) = (table.points[seat], view.hand_sizes[seat]);
        let known: Vec<String> = [("has", view.known[seat]), ("knows your", view.exposed[seat])]
            .into_iter()
            .filter(|(_, cards)| !cards.is_empty())
            .map(|(verb, cards)| format!("{verb} {cards}"))
            .collect();
        let tall = self.picture.either(44.0, 29.0);
        let is_due = seat == table.player && !matches!(table.phase, Phase::Deal | Phase::Over);
        let has_room = points >= 10 || (is_due && matches!(table.phase, Phase::Decline { .. }));
        let above = if has_room { self.picture.either(104.0, 90.0) } else { self.picture.either(82.0, 76.0) };
        let height = above + 16.0 * known.len() as f32;
        let standing = Standing {
            points: points.into(),
            leads: table.points.values().iter().all(|&other| other <= points) && points > 0,
            is_due,
            is_own: view.viewer.is(seat),
            note: if seat == table.first && table.round > 0 { "went first" } else { "" },
            is_news: self.is_news(|view| view.table.points[seat]),
            ..Standing::default()
        };
        self.picture.panel(seat, (x, y), (width, height), &standing);
        let base = y + above - 12.0;
        let title = format!("{points} Moai points, a tall Moai for ten");
        self.picture.thing(Thing { title: &title, ..Thing::default() }, |picture| {
            let (tens, ones) = (points / 10, points % 10);
            let room = 146.0;
            let usual = tall * (0.74 * f32::from(tens) + 0.29 * f32::from(ones));
            let squeeze = (room / usual).min(1.0);
            picture.path("tu2 o", format_args!("M{} {}l3-7h152l3 7Z", Number(x + 14.0), Number(base)));
            picture.rect("tu1 o", (x + 13.0, base - 10.0), (160.0, 4.0), 1.0);
            let mut at = x + 16.0 + tall * 0.37;
            for _ in 0..tens {
                picture.moai((at, base - 9.0), tall, false);
                at += tall * 0.74 * squeeze;
            }
            at -= tall * 0.2 * squeeze;
            for _ in 0..ones {
                picture.moai((at, base - 9.0), tall * 0.4, false);
                at += tall * 0.29 * squeeze;
            }
        });
        let left = x + 190.0;
        let step = (self.picture.either(60.0, 130.0) / f32::from(cards.max(1))).min(9.0);
        let title = counted(cards, "card");
        self.picture.thing(Thing { title: &title, ..Thing::default() }, |picture| {
            for card in 0..cards {
                picture.symbol("cardback", (left + f32::from(card) * step, base - 1.0), 27.0);
            }
            let end = if cards == 0 { left - 8.0 } else { left + f32::from(cards - 1) * step + 14.0 };
            picture.text("b t14", (end, base - 9.0), cards);
        });
        let hand_width = f32::from(cards) * step + 50.0;
        self.mark((left - 14.0, base - 30.0), (hand_width, 32.0), |view| view.hand_sizes[seat]);
        if let (Phase::Decline { excess, .. }, true) = (table.phase, is_due) {
            self.picture.text("b warn t11", (left - 8.0, base - 35.0), format_args!("{excess} too many"));
            let excess = |view: &View| match view.table.phase {
                Phase::Decline { excess, .. } => excess,
                _ => 0,
            };
            self.mark((left - 12.0, base - 46.0), (86.0, 15.0), excess);
        }
        for (line, text) in known.iter().enumerate() {
            let at = (x + 14.0, base + 15.0 + 16.0 * line as f32);
            self.picture.fitted("q t11", at, width - 28.0, text);
        }
        let size = (width - 20.0, 16.0 * known.len() as f32 + 2.0);
        if !known.is_empty() {
            self.mark((x + 10.0, base + 2.0), size, |view| (view.known[seat], view.exposed[seat]));
        }
        y + height
    }

    /// Draws the events in the discard pile. Returns the height below them.
    fn events(&mut self, (x, y): (f32, f32), width: f32) -> f32 {
        let effects = [
            (Effect::Raid, "raid", "Raid", ": steals a card"),
            (Effect::HuriMoai, "huri", "Huri Moai", ": topples two points"),
            (Effect::Disaster, "storm", "Disasters", ": two cards lost"),
        ];
        let (columns, step) = self.picture.either((1, 54.0), (3, 58.0));
        for (place, (effect, icon, name, what)) in effects.into_iter().enumerate() {
            let box_width = (width + GAP) / columns as f32 - GAP;
            let corner = (x + (place % columns) as f32 * (box_width + GAP), y + (place / columns) as f32 * step);
            let kinds: Vec<EventKind> = EventKind::all().filter(|kind| kind.effect() == effect).collect();
            let all: u8 = kinds.iter().map(|&kind| Kind::Event(kind).copies()).sum();
            let of = |cards: CardSet| kinds.iter().map(|&kind| cards.count(Kind::Event(kind))).sum::<usize>();
            let (seen, gone) = (of(self.view.table.discard), of(self.view.table.eroded));
            let names = kinds.iter().copied().filter(|&kind| self.view.table.discard.count(Kind::Event(kind)) > 0);
            let names: Vec<&str> = names.map(|kind| Kind::Event(kind).name()).collect();
            let title = match &names[..] {
                [] => format!("{name}: none of {all} in the discard pile"),
                names => format!("in the discard pile: {}", names.join(", ")),
            };
            self.picture.thing(Thing { title: &title, ..Thing::default() }, |picture| {
                let (square, high) = picture.either((46.0, 47.0), (34.0, 50.0));
                picture.rect("panel", corner, (box_width, high), 6.0);
                picture.rect("kev", (corner.0 + 4.0, corner.1 + 4.0), (square, high - 8.0), 4.0);
                let size = Picture::fit(icon, (square - 6.0, 30.0));
                picture.symbol(icon, (corner.0 + 4.0 + square / 2.0, corner.1 + high - 10.0), size);
                let left = corner.0 + square + picture.either(12.0, 9.0);
                let name = picture.either(format!("{name}{what}"), name.to_owned());
                picture.text(picture.either("b t11", "b t10"), (left, corner.1 + 20.0), name);
                let mut text =
                    picture.either(format!("{seen} of {all} in the discard pile"), format!("{seen} of {all} played"));
                if gone > 0 {
                    write!(text, ", {gone} gone").expect("a string grows");
                }
                picture.text(picture.either("q t11", "q t9"), (left, corner.1 + 36.0), text);
            });
            let size = (box_width + 2.0, self.picture.either(49.0, 52.0));
            self.mark((corner.0 - 1.0, corner.1 - 1.0), size, |view| (of(view.table.discard), of(view.table.eroded)));
        }
        y + step * (effects.len() / columns) as f32 + GAP
    }

    /// Draws the cards of the meld in progress and of the viewer, and what the viewer knows of others. Returns the height below.
    fn cards(&mut self, (x, mut y): (f32, f32), width: f32) -> f32 {
        let view = self.view;
        let laid = view.table.phase.laid();
        if !laid.is_empty() {
            y = self.row("Laid for a meld", laid, self.before.map(|view| view.table.phase.laid()), (x, y));
        }
        if view.viewer != Viewer::Public {
            let limit = hand_limit(view.table.passes);
            let title = format!("Your hand (you may keep {limit} cards)");
            y = self.row(&title, view.hand, self.before.map(|view| view.hand), (x, y));
        }
        let held = view.surely_held();
        if !held.is_empty() {
            let title = format!("Surely in {}", view.hands_of_others());
            self.picture.text("b t11", (x, y + 12.0), &title);
            let bottom = self.picture.paragraph("t11", (x, y + 28.0), width, &held.to_string());
            self.mark((x - 3.0, y + 16.0), (width + 6.0, bottom - y - 26.0), View::surely_held);
            y = bottom;
        }
        y
    }

    /// Draws cards with their faces up, below a title, and marks the new ones. Returns the height below them.
    fn row(&mut self, title: &str, cards: CardSet, before: Option<CardSet>, (x, y): (f32, f32)) -> f32 {
        self.picture.text(self.picture.either("b t14", "b t11"), (x, y + 14.0), title);
        let new = before.map_or(CardSet::EMPTY, |before| cards - cards.alike(before));
        let is_small = self.picture.is_phone() || cards.len() > 7;
        // As many cards as there is room for in 372 units on phones, and in 680 elsewhere.
        let (size, columns) = match (is_small, self.picture.is_phone()) {
            (_, true) => ((62.0, 84.0), 5),
            (true, false) => ((62.0, 84.0), 9),
            (false, false) => ((84.0, 116.0), 7),
        };
        let mut bottom = y + 22.0;
        for (place, card) in cards.iter().enumerate() {
            let column = (place % columns) as f32 * (size.0 + GAP);
            let corner = (x + column, y + 22.0 + (place / columns) as f32 * (size.1 + GAP));
            self.card(card.kind(), corner, size, is_small);
            if new.contains(card) {
                self.picture.mark(corner, size);
            }
            bottom = corner.1 + size.1 + GAP;
        }
        bottom
    }

    /// Draws the face of a card.
    fn card(&mut self, kind: Kind, (x, y): (f32, f32), (width, height): (f32, f32), is_small: bool) {
        let (target, middle) = (format!("card {kind}"), x + width / 2.0);
        let thing = Thing { title: kind.name(), target: &target, ..Thing::default() };
        self.picture.thing(thing, |picture| {
            picture.rect("face o", (x, y), (width, height), 7.0);
            let name = if is_small { "m onp t10" } else { "b m onp t11" };
            match kind {
                Kind::Resource(resource) => {
                    let (icon, tint, suit) = look(resource.suit());
                    picture.rect(
                        tint,
                        (x + 4.0, y + 4.0),
                        (width - 8.0, height - if is_small { 20.0 } else { 24.0 }),
                        4.0,
                    );
                    let (number, base) = if is_small { ("b onp t17", y + 22.0) } else { ("b onp t22", y + 26.0) };
                    picture.text(number, (x + 9.0, base), resource.number());
                    let size = Picture::fit(icon, (width * 0.56, height * 0.4));
                    picture.symbol(icon, (middle + 4.0, y + height - if is_small { 24.0 } else { 30.0 }), size);
                    picture.text(name, (middle, y + height - 7.0), suit);
                }
                Kind::Event(event) => {
                    picture.rect(
                        "kev",
                        (x + 4.0, y + 4.0),
                        (width - 8.0, height - if is_small { 32.0 } else { 36.0 }),
                        4.0,
                    );
                    let icon = match event.effect() {
                        Effect::Raid => "raid",
                        Effect::HuriMoai => "huri",
                        Effect::Disaster => "storm",
                    };
                    let size = Picture::fit(icon, (width * 0.6, height * 0.36));
                    picture.symbol(icon, (middle, y + height * 0.56), size);
                    let lines: Vec<&str> = kind.name().split(' ').collect();
                    for (line, word) in lines.iter().rev().enumerate() {
                        let base = if lines.len() == 1 { 13.0 } else { 7.0 + 12.0 * line as f32 };
                        picture.fitted(name, (middle, y + height - base), width - 8.0, word);
                    }
                }
            }
        });
    }
}

/// Returns the symbol, the class of the ground, and the name of a suit.
const fn look(suit: Suit) -> (&'static str, &'static str, &'static str) {
    match suit {
        Suit::Food => ("field", "kfo", "Food"),
        Suit::Wood => ("palm", "kwo", "Wood"),
        Suit::People => ("clan", "kpe", "People"),
        Suit::Stone => ("stones", "kst", "Stone"),
    }
}
