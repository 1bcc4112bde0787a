//! Laws of pictures: what every picture of every game keeps.

use std::collections::HashSet;
use std::sync::LazyLock;

use ahu_core::parts::picture::{Layout, STYLE, Scene, text_size, text_width};
use ahu_core::{Describe, Game, View};
use rand::RngExt;
use rand::rngs::ChaCha8Rng;
use roxmltree::{Document, Node};

use crate::laws::{few_games_of, play_random, some_options, tables, viewers};
use crate::secrets::{Ply, Secrets};

/// The largest picture, in bytes.
const LARGEST_PICTURE: usize = 66_000;

/// The smallest text, in units: pixels on a screen as wide as the picture.
const SMALLEST_TEXT: f32 = 9.0;

/// The classes of the stylesheet.
static CLASSES: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    let selectors = STYLE.split('}').filter_map(|rule| rule.split('{').rev().nth(1));
    selectors.flat_map(|selectors| selectors.split(['.', ','])).map(str::trim).collect()
});

/// Checks pictures in a sixteenth of the positions, in one of the layouts: that they are valid XML of a stated size and need no
/// other file, that all shapes lie within the picture, that the stylesheet has every class, that no text is too small, lies on
/// another, or is covered or crossed by a mark, and that marks stand exactly where something has changed.
pub fn law_of_pictures<G: Secrets<L>, L>() {
    for seats in tables::<G>() {
        for seed in 0..few_games_of::<G, L>() {
            let mut earlier: Vec<G::View> = Vec::new();
            let check = |game: &G, next: Option<&Ply<G>>, rng: &mut ChaCha8Rng| {
                let views: Vec<G::View> = viewers(seats).map(|viewer| game.view(viewer).shown()).collect();
                let earlier = std::mem::replace(&mut earlier, views.clone());
                if next.is_some() && rng.random_ratio(15, 16) {
                    return;
                }
                for (place, view) in views.iter().enumerate() {
                    let before = earlier.get(place);
                    let layout = if rng.random_ratio(1, 2) { Layout::Wide } else { Layout::Phone };
                    check_layout::<G>(view, before, layout);
                }
            };
            play_random::<G>(&some_options::<G>(seats, seed), seed, check);
        }
    }
}

fn check_layout<G: Game>(view: &G::View, before: Option<&G::View>, layout: Layout) {
    let scene = Scene { layout, ..Scene::default() };
    check_picture(&view.svg(None, scene), view, layout);
    let names: Vec<String> =
        (0..view.scores().values().len()).map(|seat| format!("the player of seat-{seat}")).collect();
    let news = ["seat 0 does something that takes many words, more than there are in most sentences.".to_owned()];
    let told = view.svg(Some(view), Scene { layout, news: &news, names: &names, ..Scene::default() });
    assert_eq!(marks(&told), 0, "{view}");
    check_picture(&told, view, layout);
    for name in &names {
        let is_named = [format!(">{name}<"), format!(">{name} (")].iter().any(|text| told.contains(text));
        assert!(is_named, "expected the name of {name}: {view}");
    }
    let Some(before) = before else { return };
    let picture = view.svg(Some(before), scene);
    check_picture(&picture, view, layout);
    if without_headline(view) != without_headline(before) {
        assert_ne!(marks(&picture), 0, "expected a mark, since this table\n{before}became\n{view}");
    }
}

/// Returns the number of marks in a picture.
fn marks(picture: &str) -> usize {
    picture.matches("class=\"new\"").count()
}

/// Returns the words of the table below its headline, without the mark of the seat that has to decide.
fn without_headline<V: Describe>(view: &V) -> String {
    let words = |text: String| text.split_whitespace().filter(|&word| word != ">").collect::<Vec<_>>().join(" ");
    let (text, headline) = (words(view.to_string()), words(view.headline()));
    text.strip_prefix(&headline).expect("a table begins with its headline").to_owned()
}

fn check_picture<V: View + Describe>(picture: &str, view: &V, layout: Layout) {
    assert!(picture.len() <= LARGEST_PICTURE, "{} bytes: {view}", picture.len());
    let document = Document::parse(picture).unwrap_or_else(|error| panic!("{error}: {picture}"));
    let root = document.root_element();
    let size: Vec<f32> =
        root.attribute("viewBox").expect("a size").split(' ').map(|n| n.parse().expect("a number")).collect();
    let (width, height) = (size[2], size[3]);
    assert!((width - layout.width()).abs() < 0.1, "expected the width of the layout, got {width}");
    let text = |name: &str| root.children().find(|node| node.has_tag_name(name)).and_then(|node| node.text());
    assert_eq!((text("title"), text("desc")), (Some(view.headline().as_str()), Some(view.to_string().as_str())));
    let ids: HashSet<&str> = root.descendants().filter_map(|node| node.attribute("id")).collect();
    for node in root.descendants().filter(Node::is_element) {
        let is_placed = !node.ancestors().any(|node| node.has_tag_name("symbol"));
        for attribute in node.attributes() {
            let value = attribute.value();
            match attribute.name() {
                "class" => {
                    let is_styled = value.split(' ').all(|class| CLASSES.contains(class));
                    assert!(is_styled, "expected classes of the stylesheet, got \"{value}\"");
                }
                "points" if is_placed => {
                    for (place, number) in value.split([' ', ',']).enumerate() {
                        assert!(within(number, if place % 2 == 0 { width } else { height }), "{value}: {view}");
                    }
                }
                "href" => assert!(value.strip_prefix('#').is_some_and(|id| ids.contains(id)), "{value}"),
                name => assert!(!name.starts_with("on") && name != "style", "{name}"),
            }
        }
    }
    let whole = Area { start: (0.0, 0.0), end: (width, height + 0.1) };
    for node in root.descendants().filter(|node| !node.ancestors().any(|node| node.has_tag_name("defs"))) {
        let is_inside = area(node).is_none_or(|shape| whole.holds(shape, 0.0));
        assert!(is_inside, "{node:?} of {whole:?}: {view}");
    }
    check_texts(root, (width, height), view);
}

/// Checks that texts can be read: their size, their place, that none lies on another, that nothing is drawn over them later, and
/// that no mark crosses them.
fn check_texts<V: Describe>(root: Node<'_, '_>, (width, height): (f32, f32), view: &V) {
    let mut texts: Vec<(&str, Area)> = Vec::new();
    let mut marks: Vec<Area> = Vec::new();
    for node in root.descendants().filter(|node| !node.ancestors().any(|node| node.has_tag_name("defs"))) {
        let class = node.attribute("class").unwrap_or_default();
        if !node.has_tag_name("text") {
            match (class, area(node)) {
                ("new", Some(ring)) => marks.push(ring),
                // Frames are hollow.
                ("new2" | "mine", _) | (_, None) => {}
                (_, Some(shape)) => {
                    let covered = texts.iter().find(|(_, text)| shape.overlaps(*text, 1.5));
                    assert!(covered.is_none(), "{covered:?} lies below {node:?} at {shape:?}: {view}");
                }
            }
            continue;
        }
        let text = node.text().unwrap_or_default();
        assert!(!text.contains('\u{2026}'), "expected a whole text, got {text}");
        let is_turned = node.ancestors().any(|node| node.has_attribute("transform"));
        assert!(text_size(class) >= SMALLEST_TEXT && !is_turned, "{text} in {class}");
        let (x, y) = (number(node, "x").expect("a place"), number(node, "y").expect("a place"));
        let length = number(node, "textLength").unwrap_or_else(|| text_width(class, text));
        let anchor = |class: &str| match class {
            "m" => Some(0.5),
            "e" => Some(1.0),
            _ => None,
        };
        let left = x - length * class.split(' ').find_map(anchor).unwrap_or(0.0);
        let place =
            Area { start: (left, y - 0.72 * text_size(class)), end: (left + length, y + 0.05 * text_size(class)) };
        let whole = Area { start: (0.0, 0.0), end: (width, height) };
        assert!(whole.holds(place, -0.5), "expected text within {whole:?}, got {text} at {place:?}: {view}");
        let below = texts.iter().find(|(_, other)| place.overlaps(*other, 0.5));
        assert!(below.is_none(), "\"{text}\" at {place:?} lies on {below:?}: {view}");
        texts.push((text, place));
    }
    for mark in marks {
        // The line of a mark may touch the room below a text, which few letters use.
        let crossed = texts.iter().find(|(_, text)| !mark.holds(*text, 0.0) && mark.overlaps(*text, 0.7));
        assert!(crossed.is_none(), "the mark {mark:?} crosses {crossed:?}: {view}");
    }
}

/// The place of a shape or a text.
#[derive(Clone, Copy, Debug)]
struct Area {
    start: (f32, f32),
    end: (f32, f32),
}

impl Area {
    /// Returns true if the areas share more than this in both directions.
    fn overlaps(self, other: Self, more: f32) -> bool {
        let shared =
            |start: f32, end: f32, other_start: f32, other_end: f32| end.min(other_end) - start.max(other_start);
        shared(self.start.0, self.end.0, other.start.0, other.end.0) > more
            && shared(self.start.1, self.end.1, other.start.1, other.end.1) > more
    }

    /// Returns true if the other area lies within this one, this far from its edges.
    fn holds(self, other: Self, edge: f32) -> bool {
        other.start.0 >= self.start.0 + edge
            && other.start.1 >= self.start.1 + edge
            && other.end.0 <= self.end.0 - edge
            && other.end.1 <= self.end.1 - edge
    }
}

fn number(node: Node<'_, '_>, name: &str) -> Option<f32> {
    node.attribute(name).map(|value| value.parse().expect("a number"))
}

/// Returns the place of a rectangle, a circle, or a symbol; None for other shapes.
fn area(node: Node<'_, '_>) -> Option<Area> {
    let of = |name: &str| number(node, name);
    if let Some(radius) = of("r") {
        let (x, y) = (of("cx")?, of("cy")?);
        return Some(Area { start: (x - radius, y - radius), end: (x + radius, y + radius) });
    }
    let (x, y) = (of("x")?, of("y")?);
    Some(Area { start: (x, y), end: (x + of("width")?, y + of("height")?) })
}

fn within(number: &str, size: f32) -> bool {
    (0.0..=size).contains(&number.parse::<f32>().expect("a number"))
}
