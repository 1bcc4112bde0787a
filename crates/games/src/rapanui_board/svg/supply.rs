//! The supply beside the map: the turn order track, the Moai Quarry, and the Offering tiles.

use ahu_core::Seat;
use ahu_core::parts::lines::joined_or;
use ahu_core::parts::svg::MARGIN;

use super::pieces::{Piece, row};
use super::{Picture, ROOM};
use crate::rapanui_board::{Chief, Offering, Phase, Size, Sorcerer, Source, Star, Table, View};

/// The distance from one mark of a seat to the next in the turn order.
const SEAT_STEP: f32 = 17.0;
/// The place of the star spaces, from the left.
const STARS: f32 = 192.0;
/// The distance from one star space to the next.
const STAR_STEP: f32 = 32.0;
/// The height of a column of the Moai Quarry. Columns lie on their sides.
const COLUMN: f32 = 23.0;
/// The place of the Sculptors of a column, from the left.
const SCULPTORS: f32 = 100.0;
/// The width of a column.
const SCULPTORS_WIDTH: f32 = 200.0;
/// The size of an Offering tile.
const OFFERING: (f32, f32) = (16.0, 14.0);
/// The height of a type of Offering tiles.
const OFFERINGS: f32 = 62.0;

impl Picture<'_> {
    /// Draws the turn order, and the star spaces with their Sorcerers.
    pub(super) fn turn_order(&mut self) {
        let (table, y) = (self.table, self.y);
        if table.phase != Phase::Order {
            self.svg.piece(format_args!("turn order: {}", table.order), |svg| {
                svg.text("s b", (MARGIN, y + 16.0), "turn order");
                for (place, seat) in table.order.iter().enumerate() {
                    svg.seat(seat, (MARGIN + 68.0 + SEAT_STEP * place as f32, y + 12.0), 7.5);
                }
            });
            let width = SEAT_STEP * table.options.seats.count() as f32 + 2.0;
            self.mark((MARGIN + 58.5, y + 2.0), (width, 20.0), |View { table, .. }| {
                (table.phase != Phase::Order).then_some(table.order)
            });
        }
        self.svg.text("s b e", (STARS - 6.0, y + 16.0), "stars");
        for star in Star::all().take(table.options.star_spaces.into()) {
            let x = STARS + STAR_STEP * star.index() as f32;
            let sorcerer = sorcerer_on(table, star);
            let content = sorcerer.map_or_else(|| "free".to_owned(), |seat| format!("Sorcerer of seat {seat}"));
            self.svg.piece(format_args!("star space {star}: {content}"), |svg| {
                svg.polygon("cell", &star_corners((x + 9.0, y + 12.5)));
                svg.text("s m", (x + 9.0, y + 16.5), star);
                if let Some(seat) = sorcerer {
                    Piece::Sorcerer(seat).draw(svg, (x + 19.0, y + 21.0));
                }
            });
            self.mark((x - 2.0, y), (STAR_STEP - 1.0, 23.0), |view| sorcerer_on(&view.table, star));
        }
        self.y += 27.0;
    }

    /// Draws the Moai Quarry: for each size the Moai in the supply, and the column with its Sculptors and free places.
    pub(super) fn quarry(&mut self) {
        self.heading("Moai Quarry: Moai in the supply; Sculptors and free places of each column");
        let table = self.table;
        for size in Size::ALL {
            let y = self.y + COLUMN - 2.0;
            let (supply, free) = (table.supply[size], table.free_places()[size]);
            let mut pieces: Vec<Piece> =
                table.options.seats.iter().flat_map(|seat| sculptors(table, seat, size)).collect();
            pieces.extend((0..free).map(|_| Piece::Place));
            let counts = table.options.seats.iter().map(|seat| (seat, table.players[seat].sculpting()[size]));
            let words = counts.filter(|&(_, count)| count > 0).map(|(seat, count)| format!("; seat {seat}: {count}"));
            let title = format!("{size}: {supply} Moai; free places: {free}{}", words.collect::<String>());
            self.svg.piece(title, |svg| {
                Piece::Moai(size).draw(svg, (MARGIN + 4.0, y));
                svg.text("b", (MARGIN + 18.0, y - 4.0), format_args!("\u{d7}{supply}"));
                svg.text("s d", (MARGIN + 42.0, y - 4.0), size);
                row(svg, &pieces, (SCULPTORS, y), SCULPTORS_WIDTH - 6.0);
            });
            self.mark((MARGIN + 1.0, y - 21.5), (38.0, COLUMN), |view| view.table.supply[size]);
            self.mark((SCULPTORS - 3.0, y - 21.5), (SCULPTORS_WIDTH, COLUMN), |View { table, .. }| {
                table.players.map(|player| {
                    (player.sculptors[size], player.chip_ins[size], player.chief == Chief::InQuarry(size))
                })
            });
            self.y += COLUMN;
        }
        self.y += 5.0;
    }

    /// Draws the Offering tiles.
    pub(super) fn offerings(&mut self) {
        self.heading("Offering tiles: price; stack, the top first; below it the Outstanding tiles");
        let step = ROOM / Offering::COUNT as f32;
        for offering in Offering::ALL {
            self.offering(offering, MARGIN + step * offering.index() as f32, step - 3.0);
        }
        self.y += OFFERINGS + 5.0;
    }

    /// Draws the Offering tiles of a type: the price, the stack, and the Outstanding tiles.
    fn offering(&mut self, offering: Offering, x: f32, width: f32) {
        let (table, y) = (self.table, self.y);
        let values = |source| joined_or(table.values_left(offering, source), ", ", "none");
        let [stack, outstanding] = Source::ALL.map(values);
        self.svg.piece(format_args!("{offering}: stack {stack}; Outstanding {outstanding}"), |svg| {
            svg.rect("panel", (x, y), (width, OFFERINGS));
            svg.text("b", (x + 4.0, y + 10.5), offering);
            let price = offering.price();
            let price = price.iter().flat_map(|(of, count)| vec![Piece::Resource(of); count.into()]);
            row(svg, &price.collect::<Vec<_>>(), (x + 4.0, y + 27.0), width);
        });
        for source in Source::ALL {
            let y = y + 28.0 + 17.0 * source.index() as f32;
            let values = table.values_left(offering, source);
            for (place, value) in values.iter().enumerate() {
                let x = x + 4.0 + (OFFERING.0 + 1.0) * place as f32;
                self.svg.rect("cell", (x, y), OFFERING);
                let class = if place == 0 { "b m" } else { "s m" };
                self.svg.text(class, (x + OFFERING.0 / 2.0, y + 10.5), value);
            }
            if values.is_empty() {
                self.svg.text("s d", (x + 4.0, y + 10.5), "none");
            }
            self.mark((x + 2.0, y - 1.5), (width - 4.0, 17.0), |view| view.table.values_left(offering, source));
        }
    }
}

/// Returns the seat whose Sorcerer is on a star space.
fn sorcerer_on(table: &Table, star: Star) -> Option<Seat> {
    table.options.seats.iter().find(|&seat| table.players[seat].sorcerer == Sorcerer::OnStar(star))
}

/// Returns the Sculptors of a seat in a column: figurines, virtual ones, the Chief.
fn sculptors(table: &Table, seat: Seat, column: Size) -> Vec<Piece> {
    let player = &table.players[seat];
    let mut pieces = vec![Piece::Villager(seat); player.sculptors[column].into()];
    pieces.extend(vec![Piece::Virtual(seat); player.chip_ins[column].into()]);
    pieces.extend((player.chief == Chief::InQuarry(column)).then_some(Piece::Chief(seat)));
    pieces
}

/// Returns the corners of a star around this point.
fn star_corners((x, y): (f32, f32)) -> [(f32, f32); 10] {
    std::array::from_fn(|corner| {
        let radius = if corner % 2 == 0 { 11.0 } else { 6.5 };
        let angle = std::f32::consts::PI * (corner as f32 / 5.0 - 0.5);
        (x + radius * angle.cos(), y + radius * angle.sin())
    })
}
