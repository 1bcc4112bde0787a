//! Rapa Nui, the board game (Matagot, 2020), 2 to 4 players, both sides of the board.
//!
//! Clans of Easter Island sculpt Moai, transport them along chains of Transporters, and erect them. An erected Moai
//! brings Resources to its player; the owners of the Transporters on the way earn tolls. A player then transports a
//! Pukao to style a Moai and exchanges Resources for an Offering tile. Offering tiles decide the game.
//!
//! # A round
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
//! # Rulings
//!
//! These rulings settle the points on which the rulebook is silent. *Italics* name an option.
//!
//! * **M1** The first player may not place the Sorcerer on the first star space as the very first placement of a
//!   round. A tile or an improvement played before is not a placement. After this placement the space is free to all
//!   players. The ruling applies to the first round too.
//! * **M2** A Sorcerer goes to any free star space. Gaps are allowed: only the order of the Sorcerers counts.
//!   *`star_spaces`*: the number of star spaces.
//! * **M3** Nobody passes in phase 1: a player with nothing to place is skipped. The Sorcerer must be placed; a
//!   Villager without a legal place stays in hand.
//! * **M4** The Chief is a figurine that may be placed in phase 1, which takes the turn; otherwise he is placed in
//!   the owner's turn of phase 2, before sculpting. He needs no free place. Phase 1 skips a player who has only the
//!   Chief left. *`chief_timing`* `phase1`: he must be placed in phase 1; `phase2`: he is placed only in phase 2.
//! * **M5** The Chief, and a Sculptor that comes by Chip In or Change Jobs, counts in its column like any other
//!   Sculptor, in the first column too.
//! * **M6** A player combines its Sculptors freely, and may take fewer or smaller Moai than they allow.
//! * **M7** A smaller Moai may replace one of a size that is used up. M6 already allows this.
//! * **M8** A Moai may pass the Pukao Quarry, and a Pukao the Crater: the Transporters there serve all players
//!   without a toll. *`pass_other_quarry`* `false`: neither may pass.
//! * **M9** A transport enters no area twice. A space pays its toll once, regardless of the number of Transporters on
//!   it. The last space pays nobody, because it is the mover's own. Detours that pay more are allowed. Two routes
//!   over the same spaces of others are one decision, and an engine that lists whole transports would offer them
//!   once. Here each step is an action, so a player may walk either route; both lead to the same position, because
//!   tolls are settled on arrival.
//! * **M10** A toll without room in its row is lost. A player who has dropped out still earns tolls.
//! * **M11** On a space with two colours the earner chooses the colour, and may choose a full row. Tolls are chosen
//!   when the transport arrives, in board order, before the mover gains. For a Moai, each single Resource is chosen.
//!   *`choice_split`* `false`: all Resources are of one colour.
//! * **M12** The mover picks a free ahu of the space, and takes its tile. Equal tiles of a space are one choice.
//! * **M13** Every transport ends in erecting or styling.
//! * **M14** Moai have no owner once erected: a player may style any of them. The choice among the Moai of a space
//!   makes no difference, and is not asked.
//! * **M15** Resources are converted into ones of lower value only to pay for an Offering tile, down any number of
//!   steps: not for Improvement tiles, not for Barter.
//! * **M16** A Pukao brings exactly one Offering tile. A player who cannot pay for one transports no Pukao.
//! * **M17** Skimp: two Resources of the price are enough; for a Hatchet, two different ones. M15 applies. With
//!   Artistic, two Resources of the next-lower price are enough: two Reeds for a Chicken, two different ones for a
//!   Boat. A styling allows one Skimp.
//! * **M18** Artistic: the price of a type also buys the top tile of the next-higher type, even if the stack of the
//!   type itself is empty. No type is above Necklaces. The player may decline.
//! * **M19** Take Your Pick: the best Outstanding tile of a type may replace the tile from its stack. The effect
//!   lasts from the moment the tile is taken, and is optional at each styling; a second tile adds nothing.
//!   *`take_your_pick`* `any`: an Outstanding tile of any type, whatever the payment.
//! * **M20** Fervent shifts the whole gain of a Moai, with what tiles add to it, or nothing. On a space with two
//!   colours it shifts, for each colour, all Resources taken in it or none. Pearls stay Pearls. Tolls do not change.
//! * **M21** Rest stands one Transporter up, in the owner's turn of phase 3, before or after the transport.
//! * **M22** Barter gives three Resources of one type for three of another. Resources without room are lost.
//! * **M23** Each Chip In is one virtual Sculptor, in this round.
//! * **M24** Change Jobs is played in phase 2, before sculpting. A Transporter goes to a space that is empty or the
//!   player's own. The turn order stays. The Sorcerer then is like a Villager: he tires, rests, may be lent.
//! * **M25** Lend a Hand is played in the owner's turn of phase 3: a Sculptor or the Chief goes to a space that is
//!   empty or the player's own. Moai that were sculpted stay. The column of the Sculptor is not asked. The Chief may
//!   be lent if his tile is bought, once a round. On his space he erects and styles, and nobody lies down.
//! * **M26** In phase 2 a player's turn is its own sculpting.
//! * **M27** A tablet copies any kind of Ahu tile at the moment at which that tile could be played, except Take Your
//!   Pick and Gain Favor.
//! * **M28** Popular: the Villager can be placed from now on; in phase 1, that is at once. Chief: in phase 2 before
//!   sculpting he can be placed at once. A player without a turn buys nothing.
//! * **M29** No Ahu tile lets a player keep Moai that are not erected.
//! * **M30** The test for the end counts ahus without a Moai, not spaces.
//! * **M31** After the count of ahus the game is also over after *`max_rounds`* rounds, or after *`stall_end`* idle
//!   rounds in a row, 4 by default. A round is idle if nobody erected a Moai or styled one. The rulebook knows no such
//!   end, so it comes late: rounds in which Moai are still styled bring Offering tiles. Two rounds without an erected
//!   Moai cut 3 % of sensible games short, half of them while Moai were still being styled.
//! * **M32** Stacks are face up, so every player could keep count. Observations show the number of others' Offering
//!   tiles by type, but not their worth. *`offering_view`* `open`: they show the worth too.
//! * **M33** With two players, the second in turn order chooses first, twice. The other tiles of a chosen kind are
//!   set aside, so the four chosen tiles are different. If the display is empty, the chooser takes a kind set aside
//!   that it lacks, or none if there is no such kind.
//! * **M34** With two players all seven Outstanding Offering tiles are in the game.
//! * **M35** Chance draws the turn order of the first round.
//! * **M36** Tied players share the victory.
//! * **M37** *`beginner_tiles`*: the Ahu tiles of a first game, no tablets.
//! * **M38** Transporters of two players are never on one space.
//! * **M39** The Moai of a player who drops out return at the end of the round.
//! * **M40** A type whose stack is empty cannot be bought, except as an Outstanding tile with Take Your Pick.
//! * **M41** The Master Stone Carver has no effect, and is left out.
//! * **M42** Take Two More and Take Three More are played between arrival and gain; this includes the tile just
//!   taken. They add up, in the colours of the one gain.
//! * **M43** Players buy Improvement tiles and play Barter before placing, before sculpting, before the transport,
//!   between arrival and gain, and after the transport.
//! * **M44** A Moai arrives: fixed tolls, chosen tolls, the Moai stands, the tile is taken, the Transporter lies
//!   down, M42 and M43, the gain. A Pukao arrives: tolls, the Pukao stands, the Transporter lies down, the exchange.
//!   Then comes the rest of the turn. A gain without a choice is not asked, nor is the end of a turn in which nothing
//!   more can be played.
//! * **M45** Without a Pukao in the supply nothing is styled.
//! * **M46** In a first game the Outstanding tiles cannot be taken.
//!
//! This implementation adds four rulings on points that the rulings above leave open:
//!
//! * **Sides.** A side of the board is for its number of players: the Moai of two players could not fill the other
//!   side.
//! * **Full rows.** Barter may take Resources that have no room, just as a toll may be chosen for a full row (M10,
//!   M11).
//! * **Choices of one.** Except for M44, a seat is asked even if only one action is legal: to sculpt nothing, to drop
//!   out.
//! * **Scores before the end** count the facts that the viewer is shown: without M32's `open`, others' Offering tiles
//!   count nothing.

mod action;
mod board;
mod cargo;
mod chance_outcome;
mod erect;
mod event;
mod file;
mod final_scoring;
mod greedy;
mod improvement;
mod invariants;
mod moai;
mod observation;
mod offering;
mod options;
mod order;
mod payment;
mod phase;
mod place;
mod play;
mod player;
mod power;
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

use rand::Rng;

pub use action::{Action, FirstCount, MAX_GAIN};
pub use board::{AHUS, Board, Colours, Side};
pub use cargo::Cargo;
pub use chance_outcome::{Outcome, TileRow};
pub use event::{EndReason, Event};
pub use greedy::{GREEDY_1, GREEDY_2};
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

use crate::core::{ActionSet, BySeat, ChanceRng, Events, Game, GameInfo, OutcomeError, Seat, StateBytes, Turn, Viewer};

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
    };

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
            (Phase::Gain { space, count }, Action::GainShown) => table.gain_all(seat, (space, count), false, events),
            (Phase::Gain { space, count }, Action::GainShifted) => table.gain_all(seat, (space, count), true, events),
            (Phase::Gain { space, count }, Action::GainFirst(first)) => {
                table.divide_gain(seat, (space, count), first, events);
            }
            (Phase::Shift { space, first, second }, Action::GainShown) => {
                table.gain_part(seat, space, (first, second), false, events);
            }
            (Phase::Shift { space, first, second }, Action::GainShifted) => {
                table.gain_part(seat, space, (first, second), true, events);
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

    fn resample(view: &View, _: &mut dyn Rng) -> Self {
        view.game()
    }

    fn write_state(&self, state: &mut StateBytes) {
        self.write_state_bytes(state);
    }
}
