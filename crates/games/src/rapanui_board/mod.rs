//! Rapa Nui, the board game (Matagot, 2020), 2 to 4 players, both sides of the board.
//!
//! # The code of a round
//!
//! | phase | actions | file |
//! |---|---|---|
//! | setup | chance draws the turn order and the Ahu tiles; two players draft Ahu tiles | `setup.rs` |
//! | 1 | place figurines, one a turn: Villagers as Transporters or Sculptors, the Sorcerer, the Chief | `place.rs` |
//! | 2 | the Sorcerers set the new turn order; players with Sculptors take Moai | `sculpt.rs` |
//! | 3 | one transport a turn, until all players have dropped out | `transport.rs` |
//! | | a Moai arrives: tolls | `toll.rs` |
//! | | the Moai is erected: Ahu tile, Resources | `erect.rs` |
//! | | a Pukao arrives: it styles a Moai, and Resources are exchanged for an Offering tile | `style.rs` |
//! | any | plays in one's own turn: Ahu tiles and the tablet, Improvement tiles | `play.rs` |
//! | end | figurines return; test for the end of the game; final scoring | `round.rs` |
//!
//! # The observation
//!
//! The layout holds the whole shown view, except the facts that the options decide: the spaces of each side of the
//! board, their colours and neighbours, and the values of the Offering tiles. Counts are binary digits. A Sorcerer, a
//! Chief, and an ahu are one code each: the place of the figurine, or the tile or Moai on the ahu. Fields have a value
//! for each space where actions name spaces: Transporters by owner, standing and lying ones, free ahus, Moai without a
//! Pukao, and the areas and tolls of a transport.
//!
//! # The rules
//!
#![doc = include_str!("rules.md")]

mod action;
mod board;
mod cargo;
mod chance_outcome;
mod compact;
mod erect;
mod event;
mod file;
mod final_scoring;
mod greedy;
mod held_out;
mod improvement;
mod invariants;
mod moai;
mod observation;
mod offering;
mod options;
mod order;
mod payment;
mod phase;
mod picture;
mod place;
mod play;
mod player;
mod power;
mod question;
mod resource;
mod round;
mod sculpt;
mod setup;
mod site;
mod space;
mod state_bytes;
mod style;
mod table;
mod text;
mod tile;
mod toll;
mod transport;
mod view;
#[cfg(feature = "messages")]
mod wire;
mod wording;

use ahu_core::{
    ActionSet, BySeat, ChanceRng, Events, Game, GameInfo, OutcomeError, Resample, Seat, StateBytes, Turn, ViewBytes,
    Viewer,
};

pub use action::{Action, FirstCount, MAX_GAIN};
pub use board::{AHUS, Board, Colours, Side};
pub use cargo::Cargo;
pub use chance_outcome::{Outcome, TileRow};
pub use event::{EndReason, Event};
pub use greedy::{GREEDY_1, GREEDY_2};
pub use held_out::HELD_OUT_1;
pub use improvement::{Improvement, Improvements, NOTCHES};
pub use moai::{PUKAO, Size, Sizes, moai};
pub use offering::{Offering, OfferingTiles, Offerings, Source, Stack, Values};
pub use options::{ChiefTiming, OfferingView, Options, TakeYourPick};
pub use order::{Star, TurnOrder};
pub use payment::{Payment, Payments};
pub use phase::Phase;
pub use player::{Chief, Player, Sorcerer, VILLAGERS};
pub use power::{Barter, Means, Power, Powers};
pub use resource::{Resource, Resources};
pub use site::Site;
pub use space::{Area, Areas, Space, Spaces};
pub use table::Table;
pub use tile::{BEGINNER_TILES, TILE_COUNT, TILES, Tile, Tiles};
pub use view::View;

/// A game of Rapa Nui, the board game: the full state.
///
/// The fields are public, so that a position can be set up by hand; [`RapanuiBoard::check_invariants`] then checks
/// it.
#[derive(Clone, Debug, PartialEq)]
pub struct RapanuiBoard {
    /// The public part of the state.
    pub table: Table,
    /// The sum of the victory points of each player's Offering tiles, which are face down. Every player could keep
    /// count of it.
    pub offered: BySeat<u16>,
}

const _: () = assert!(size_of::<RapanuiBoard>() <= 704, "a clone is a copy of a few cache lines");

impl Game for RapanuiBoard {
    type Options = Options;
    type Action = Action;
    type Outcome = Outcome;
    type Event = Event;
    type View = View;

    const INFO: GameInfo = GameInfo {
        id: "rapanui_board",
        rules: 2,
        // 2 chance events, 4 drafts. In each of 30 rounds 28 figurines are placed, 21 Moai sculpted, and each of 4
        // players finishes sculpting and drops out. 41 transports, each with a begin, 28 steps, a stop, 5 tolls, 3
        // decisions about Resources, an end of turn. 33 tiles and tablets, 12 Improvement tiles.
        max_plies: 2 + 4 + 30 * (28 + 21 + 8) + 41 * (1 + 28 + 1 + 5 + 3 + 1) + 33 + 12,
        title: "Rapa Nui, the board game",
        about: "Clans sculpt Moai, transport them along chains of Transporters, their own and others', erect them for \
                Resources, and style them to exchange Resources for Offering tiles. The most victory points win. \
                After setup there is no chance, and everything is public except the total worth of a player's \
                Offering tiles, of which every player could keep count.",
        credit: "An unofficial implementation of the rules of Rapa Nui (2020), by Fabrice Besson and Guillaume \
                 Montiage, illustrated by Miguel Coïmbra, published by Matagot. Names belong to their owners; no \
                 affiliation.",
        reconstructed: "Both sides of the board: spaces, colours, ahus, the places of the Moai Quarry, the star \
                        spaces (options board, quarry_*, star_spaces). The values of the Offering tiles (offerings). \
                        The length of the Resource rows (resource_cap).",
        rules_page: include_str!("rules.md"),
        seat_colours: &["royalblue", "forestgreen", "gold", "firebrick"],
    };

    const RESAMPLE: Option<Resample<Self>> = Some(|view, _| view.game());

    const VIEW_BYTES: Option<ViewBytes<Self>> = Some(ViewBytes::checked(View::check, Self::check_invariants));

    fn new(options: &Options) -> Self {
        let seats = options.seats;
        let table = Table {
            options: *options,
            phase: Phase::Order,
            active: Seat::default(),
            order: TurnOrder::of(seats),
            round: 0,
            idle_rounds: 0,
            has_erected_or_styled: false,
            players: BySeat::new(seats, Player::new(!options.beginner_tiles)),
            sites: [Site::EMPTY; Space::COUNT],
            supply: moai(seats),
            pukao: PUKAO,
            stack_taken: Offerings::EMPTY,
            outstanding_taken: Offerings::EMPTY,
            display: Tiles::EMPTY,
            aside: Tiles::EMPTY,
        };
        Self { table, offered: BySeat::new(seats, 0) }
    }

    fn options(&self) -> &Options {
        &self.table.options
    }

    #[inline]
    fn turn(&self) -> Turn {
        match self.table.phase {
            Phase::Order | Phase::Tiles => Turn::Chance,
            Phase::Over => Turn::Over,
            _ => Turn::Seats(self.table.to_act().into_iter().collect()),
        }
    }

    #[inline]
    fn legal_actions(&self, seat: Seat, legal: &mut ActionSet) {
        legal.clear();
        let table = &self.table;
        if table.to_act() != Some(seat) {
            return;
        }
        match table.phase {
            Phase::Draft { .. } => table.legal_drafts(seat, legal),
            Phase::Place => table.legal_placements(seat, legal),
            Phase::Sculpt { sculpted } => {
                table.legal_sculptures(seat, sculpted, legal);
                if sculpted == Sizes::EMPTY {
                    table.legal_chief_columns(seat, legal);
                }
            }
            Phase::Transport => table.legal_transports(seat, legal),
            Phase::Carry { cargo, at, visited } => table.legal_steps(seat, cargo, at, visited, legal),
            Phase::Toll { left, .. } => table.legal_tolls(left, legal),
            Phase::Gain { space, count } => table.legal_gains(seat, space, count, legal),
            Phase::Shift { space, first, second } => table.legal_part_shifts(seat, space, (first, second), legal),
            Phase::Exchange { skimped } => table.legal_exchanges(seat, skimped, legal),
            Phase::Pay { skimped, offering, source } => {
                table.legal_payments(seat, skimped, (offering, source), legal);
            }
            Phase::EndTurn => legal.insert(Action::EndTurn),
            Phase::Order | Phase::Tiles | Phase::Over => {}
        }
        table.legal_interrupts(seat, legal);
    }

    #[inline]
    fn apply(&mut self, seat: Seat, action: Action, events: &mut impl Events<Event>) {
        let table = &mut self.table;
        match (table.phase, action) {
            (Phase::Draft { choice }, Action::Draft(tile)) => table.draft(seat, choice, tile, events),
            (Phase::Place, Action::PlaceTransporter(space)) => table.place_transporter(seat, space, events),
            (Phase::Place, Action::PlaceSculptor(column)) => table.place_sculptor(seat, column, events),
            (Phase::Place, Action::PlaceSorcerer(star)) => table.place_sorcerer(seat, star, events),
            (Phase::Place | Phase::Sculpt { .. }, Action::PlaceChief(column)) => {
                table.place_chief(seat, column, events);
            }
            (Phase::Sculpt { sculpted }, Action::Sculpt(size)) => table.sculpt(seat, sculpted, size, events),
            (Phase::Sculpt { sculpted }, Action::SculptDone) => table.finish_sculpting(seat, sculpted, events),
            (Phase::Transport, Action::Transport(cargo)) => table.begin_transport(seat, cargo, events),
            (Phase::Transport, Action::DropOut) => table.drop_out(seat, events),
            (Phase::Carry { cargo, visited, .. }, Action::Step(to)) => table.step(seat, cargo, to, visited, events),
            (Phase::Carry { cargo: Cargo::Moai(size), at, visited }, Action::Erect(tile)) => {
                table.stop_with_moai(seat, (at, size), visited, tile, events);
            }
            (Phase::Carry { cargo: Cargo::Pukao, at, visited }, Action::Style) => {
                table.stop_with_pukao(seat, at, visited, events);
            }
            (Phase::Toll { space, size, tile, left }, Action::Toll(resource)) => {
                table.choose_toll((space, size, tile), left, resource, events);
            }
            (Phase::Gain { space, count }, Action::GainShown | Action::GainShifted) => {
                table.gain_all(seat, (space, count), action == Action::GainShifted, events);
            }
            (Phase::Gain { space, count }, Action::GainFirst(first)) => {
                table.divide_gain(seat, (space, count), first, events);
            }
            (Phase::Shift { space, first, second }, Action::GainShown | Action::GainShifted) => {
                table.gain_part(seat, space, (first, second), action == Action::GainShifted, events);
            }
            (Phase::Exchange { skimped: false }, Action::Skimp(means)) => table.skimp(seat, means, events),
            (Phase::Exchange { skimped }, Action::Offer(offering, source)) => {
                table.choose_offering(seat, skimped, (offering, source), events);
            }
            (Phase::Pay { offering, source, .. }, Action::Pay(payment)) => {
                self.offered[seat] += u16::from(table.pay(seat, (offering, source), payment, events));
            }
            (Phase::EndTurn, Action::EndTurn) => table.end_turn(events),
            (_, Action::Play(means, power)) => table.play(seat, means, power, events),
            (_, Action::Improve(improvement)) => table.improve(seat, improvement, events),
            (phase, action) => panic!("seat {seat} cannot {action} in {phase:?}"),
        }
        if self.table.phase == Phase::Over {
            events.push(self.final_scoring());
        }
    }

    fn draw(&self, chance: &mut ChanceRng) -> Outcome {
        match self.table.phase {
            Phase::Order => Outcome::Order(self.table.draw_order(chance)),
            Phase::Tiles => Outcome::Tiles(self.table.draw_tiles(chance)),
            phase => panic!("no chance event is due in {phase:?}"),
        }
    }

    fn outcomes(&self) -> Option<Vec<(Outcome, f64)>> {
        // The rows of Ahu tiles are too many.
        (self.table.phase == Phase::Order).then(|| self.table.turn_orders())?
    }

    fn check(&self, outcome: &Outcome) -> Result<(), OutcomeError> {
        match (self.table.phase, outcome) {
            (Phase::Order, Outcome::Order(order)) => self.table.check_order(*order),
            (Phase::Tiles, Outcome::Tiles(tiles)) => self.table.check_tile_row(tiles),
            (Phase::Order, Outcome::Tiles(_)) => Err(OutcomeError("expected a turn order, got Ahu tiles".to_owned())),
            (Phase::Tiles, Outcome::Order(_)) => Err(OutcomeError("expected Ahu tiles, got a turn order".to_owned())),
            _ => Err(OutcomeError("no chance event is due".to_owned())),
        }
    }

    #[inline]
    fn settle(&mut self, outcome: &Outcome, events: &mut impl Events<Event>) {
        match (self.table.phase, outcome) {
            (Phase::Order, Outcome::Order(order)) => self.table.set_order(*order, events),
            (Phase::Tiles, Outcome::Tiles(tiles)) => self.table.lay_tiles(tiles, events),
            (phase, outcome) => panic!("{outcome} cannot happen in {phase:?}"),
        }
    }

    fn view(&self, viewer: Viewer) -> View {
        View::of(self, viewer)
    }

    fn write_state(&self, state: &mut StateBytes) {
        self.write_state_bytes(state);
    }
}
