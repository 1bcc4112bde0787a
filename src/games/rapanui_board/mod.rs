//! Rapa Nui, the board game (Matagot, 2020), 2 to 4 players, both sides of the board.
//!
//! Clans of Easter Island sculpt Moai, transport them along chains of Transporters, and erect them. That brings
//! Resources, also to those whose Transporters help. Who then transports a Pukao to style a Moai exchanges Resources
//! for an Offering tile; these are what wins.
//!
//! # A round
//!
//! | phase | what happens | where |
//! |---|---|---|
//! | setup | turn order, Ahu tiles; with two players the draft | `setup.rs` |
//! | 1 | place figurines, one a turn: Villagers as Transporters or Sculptors, the Sorcerer, the Chief | `place.rs` |
//! | 2 | the Sorcerers make the new turn order; who has Sculptors takes Moai | `sculpt.rs` |
//! | 3 | one transport a turn, until all have dropped out | `transport.rs` |
//! | | a Moai arrives: tolls | `toll.rs` |
//! | | it is erected: Ahu tile, Resources | `erect.rs` |
//! | | a Pukao arrives: it styles a Moai, and Resources are exchanged for an Offering tile | `style.rs` |
//! | any | one's own turn: Ahu tiles and the tablet, Improvement tiles | `play.rs` |
//! | end | figurines go back; is the game over? final scoring | `round.rs` |
//!
//! # Rulings
//!
//! Where the rulebook is silent, the following holds. *Italics* name an option.
//!
//! * **M1** The first player's very first placement of a round is not the Sorcerer on the first star space; a tile or
//!   an improvement before it is no action in this sense. Afterwards that space is free to all. It holds in the first
//!   round too.
//! * **M2** A Sorcerer goes to any free star space, gaps or not; their order is what counts. *`star_spaces`*: how many.
//! * **M3** Nobody passes in phase 1: who has nothing to place is skipped. The Sorcerer must be placed; a Villager
//!   without a legal place stays in hand.
//! * **M4** The Chief is a figurine that may be placed in phase 1, which takes the turn; or he is placed in one's turn
//!   of phase 2, before sculpting. He needs no free place, and who has him alone left is skipped. *`chief_timing`*
//!   `phase1`: he must be placed in phase 1; `phase2`: only then.
//! * **M5** The Chief, and who comes by Chip In or Change Jobs, is a Sculptor of the column like any other, of the
//!   first too.
//! * **M6** A player combines its Sculptors as it likes, and may take fewer or smaller Moai than it could.
//! * **M7** In place of a size that is used up a smaller one may be taken. By M6 this needs no rule of its own.
//! * **M8** A Moai may pass the Pukao Quarry, and a Pukao the Crater: their Transporters are everybody's, without toll.
//!   *`pass_other_quarry`*: or not.
//! * **M9** A transport enters no area twice. A space pays its toll once, however many Transporters are there; the last
//!   one pays nobody, for it is the mover's own. Detours that pay more are allowed. Two ways over the same spaces of
//!   others are one decision, and an engine that lists whole transports would offer it once; here each step is an
//!   action, so either may be walked, and both lead to the same position, as tolls are settled on arrival.
//! * **M10** A toll for which there is no room is lost. Who has dropped out earns too.
//! * **M11** On a space with two colours the one who earns chooses, a full row too: tolls when the transport arrives,
//!   in board order, before the mover gains. Of a Moai each single Resource is chosen. *`choice_split`* `false`: all
//!   are of one colour.
//! * **M12** The mover picks a free ahu of the space, and takes its tile. Equal tiles of a space are one choice.
//! * **M13** A transport ends in erecting or styling; there is none that does not.
//! * **M14** Moai have no owner once erected: anybody's may be styled. Which of a space makes no difference, and is not
//!   asked.
//! * **M15** Resources are converted into ones of lower value for an Offering tile only, down any number of steps: not
//!   for Improvement tiles, not for Barter.
//! * **M16** A Pukao brings exactly one Offering tile, and is not transported without.
//! * **M17** Skimp: two Resources of the price, for a Hatchet two different ones. M15 holds. With Artistic two
//!   Resources of the next-lower price do: two Reeds for a Chicken, two different ones for a Boat. One Skimp a styling.
//! * **M18** Artistic: the price of a type buys the top tile of the next-higher one, also where its own stack is empty.
//!   Above Necklaces is none. It is a choice.
//! * **M19** Take Your Pick: in place of the tile from the stack the best Outstanding one of that type is taken. From
//!   the moment the tile is taken, at each styling, as a choice; a second one adds nothing. *`take_your_pick`* `any`:
//!   of any type, whatever is paid.
//! * **M20** Fervent: the whole gain of a Moai, tiles and all, or nothing of it; on a space with two colours, of each
//!   colour all that is taken of it, or nothing. Pearls stay Pearls. Tolls are as they are.
//! * **M21** Rest stands one Transporter up, in one's turn of phase 3, before the transport or after it.
//! * **M22** Barter gives three of one type. What there is no room for is lost.
//! * **M23** Each Chip In is one virtual Sculptor, in this round.
//! * **M24** Change Jobs is played in phase 2, before sculpting. A Transporter goes to a space that is empty or one's
//!   own. The turn order stays. The Sorcerer then is like a Villager: he tires, rests, may be lent.
//! * **M25** Lend a Hand is played in one's turn of phase 3: a Sculptor or the Chief goes to a space that is empty or
//!   one's own. Moai that were sculpted stay. Which column the Sculptor leaves is not asked. The Chief may be lent if
//!   his tile is bought, once a round. Where he stands, he erects and styles, and nobody lies down.
//! * **M26** In phase 2 one's turn is one's own sculpting.
//! * **M27** A tablet copies any kind of Ahu tile at the moment at which it could be played, but not Take Your Pick and
//!   Gain Favor.
//! * **M28** Popular: the Villager can be placed from now on, that is in phase 1 at once. Chief: in phase 2 before
//!   sculpting at once. Who has no turn buys nothing.
//! * **M29** No Ahu tile keeps Moai that are not erected.
//! * **M30** The end counts ahus without a Moai, not spaces.
//! * **M31** After the count of ahus the game is also over after *`max_rounds`* rounds, or after *`stall_end`* rounds
//!   in a row in which nobody has erected a Moai.
//! * **M32** Stacks are face up, so that all could keep count. What others' Offering tiles are worth is not shown, how
//!   many of each type are. *`offering_view`* `open`: it is.
//! * **M33** With two players, the second in turn order chooses first, twice. Kinds that were chosen are set aside, so
//!   the four are different. Where nothing is left, a kind set aside that the chooser lacks is taken, or else none.
//! * **M34** With two players all seven Outstanding Offering tiles are there.
//! * **M35** The turn order of the first round is an act of chance.
//! * **M36** Who ties shares the victory.
//! * **M37** *`beginner_tiles`*: the Ahu tiles of a first game, no tablets.
//! * **M38** Transporters of two players are never on one space.
//! * **M39** The Moai of who drops out go back at the end of the round.
//! * **M40** A type whose stack is empty cannot be bought, but for Outstanding tiles with Take Your Pick.
//! * **M41** The Master Stone Carver has no effect, and is left out.
//! * **M42** Take Two More and Take Three More are played between arrival and gain; the tile just taken too. They add
//!   up, in the colours of the one gain.
//! * **M43** Improvement tiles are bought and Barter is played before placing, before sculpting, before the transport,
//!   between arrival and gain, after the transport.
//! * **M44** A Moai arrives: fixed tolls, tolls that are chosen, it stands, the tile is taken, the Transporter lies
//!   down, M42 and M43, the gain. A Pukao arrives: tolls, it stands, the Transporter lies down, the exchange. Then the
//!   rest of the turn. A gain without a choice and the end of a turn in which nothing more can be played are not asked.
//! * **M45** Where no Pukao is left, nothing is styled.
//! * **M46** In a first game the Outstanding tiles cannot be taken.
//!
//! Ours, where the rulings too are silent:
//!
//! * **Sides.** A side of the board is for its number of players: with the Moai of two players the other side could not
//!   be filled.
//! * **Full rows.** Barter may take what there is no room for, as a toll may be chosen for a full row (M10, M11).
//! * **Choices of one.** But for M44 a seat is asked also where one action alone is legal: to sculpt nothing, to drop
//!   out.
//! * **Scores before the end** count what the viewer is shown: without M32's `open`, others' Offering tiles count
//!   nothing.

mod action;
mod board;
pub mod counts;
mod erect;
mod event;
mod file;
mod greedy;
mod improvement;
mod moai;
mod offering;
mod options;
mod order;
mod outcome;
mod payment;
mod place;
mod play;
mod player;
mod position;
mod power;
mod resource;
mod round;
mod sculpt;
mod setup;
mod style;
mod text;
mod tile;
mod toll;
mod transport;
mod view;
#[cfg(feature = "service")]
mod wire;

pub use action::{Action, Cargo, GAIN_MAX, Source, Star};
pub use board::{AHUS, Area, Areas, Board, Colours, Side, Space};
pub use event::{EndReason, Event};
pub use greedy::greedy;
pub use improvement::{Improvement, Improvements};
pub use moai::{PUKAO, Size, Sizes, moai};
pub use offering::{Offering, OfferingTiles, Offerings, Stack, Values};
pub use options::{ChiefTiming, OfferingView, Options, TakeYourPick};
pub use order::TurnOrder;
pub use outcome::{Outcome, TileRow};
pub use payment::{Payment, Payments};
pub use player::{Chief, Player, Sorcerer, VILLAGERS};
pub use power::{Means, Power, Powers};
pub use resource::{Resource, Resources};
pub use tile::{BEGINNER_TILES, TILE_COUNT, TILES, Tile, Tiles};
pub use view::View;

use rand::Rng;

use crate::core::{ActionSet, BySeat, Events, Game, GameInfo, Luck, OutcomeError, Seat, StateBytes, Turn, Viewer};

/// A game of Rapa Nui, the board game: everything that is true at the table.
///
/// The fields are open, so that a position can be set up by hand; [`RapanuiBoard::check_whole`] then tells whether it
/// is one.
#[derive(Clone, Debug, PartialEq)]
pub struct RapanuiBoard {
    /// What lies open.
    pub table: Table,
    /// What each player's Offering tiles are worth, which lie face down: the sum of their victory points. Everybody
    /// could keep count of it.
    pub offered: BySeat<u16>,
}

/// What lies open.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// What was agreed before play.
    pub options: Options,
    /// What comes next.
    pub phase: Phase,
    /// Whose turn it is. Before the turn order is drawn: seat 0, which means nothing.
    pub active: Seat,
    /// The turn order. Before it is drawn: by seat, which means nothing.
    pub order: TurnOrder,
    /// The number of the round, from 1 to *`max_rounds`*; 0 during setup.
    pub round: u8,
    /// How many rounds in a row, until the last one, nobody erected a Moai.
    pub idle_rounds: u8,
    /// Whether somebody erected a Moai in this round.
    pub has_erected: bool,
    /// What the players have.
    pub players: BySeat<Player>,
    /// What is on each space, in board order.
    pub sites: [Site; Space::COUNT],
    /// The Moai in the supply.
    pub supply: Sizes,
    /// The Pukao in the supply, at most 20.
    pub pukao: u8,
    /// How many Offering tiles of each type were taken from the stacks.
    pub stack_taken: Offerings,
    /// How many Outstanding Offering tiles of each type were taken.
    pub outstanding_taken: Offerings,
    /// With two players: the Ahu tiles that are displayed, for the draft.
    pub display: Tiles,
    /// With two players: the Ahu tiles that were set aside in the draft.
    pub aside: Tiles,
}

/// What is on a space. Whose Transporters they are, [`Player::held`] tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Site {
    /// The Transporters that stand. The Chief is none of them.
    pub standing: u8,
    /// The Transporters that lie: they are fatigued.
    pub lying: u8,
    /// The Moai.
    pub moai: Sizes,
    /// How many of them have a Pukao.
    pub styled: u8,
    /// The Ahu tiles on the free ahus, in the order of their kinds; behind them nothing.
    pub tiles: [Option<Tile>; AHUS],
}

const _: () = assert!(size_of::<RapanuiBoard>() <= 704, "a clone is a copy of a few cache lines");

/// What comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Setup: chance decides the turn order.
    Order,
    /// Setup: chance lays out the Ahu tiles.
    Tiles,
    /// Setup with two players: the active player takes an Ahu tile.
    Draft {
        /// The how many-th choice it is, from 0 to 3.
        choice: u8,
    },
    /// Phase 1: the active player places a figurine.
    Place,
    /// Phase 2: the active player sculpts.
    Sculpt {
        /// The Moai sculpted so far in this turn.
        sculpted: Sizes,
    },
    /// Phase 3: the active player begins a transport, or drops out.
    Transport,
    /// A transport under way: the active player steps on, or stops.
    Carry {
        /// What is transported.
        cargo: Cargo,
        /// Where it is.
        at: Area,
        /// Where it has been, this area included.
        visited: Areas,
    },
    /// A Moai has arrived: who earns a toll with a choice takes it.
    Toll {
        /// Where the Moai is.
        space: Space,
        /// Its size.
        size: Size,
        /// The tile that will be taken.
        tile: Tile,
        /// The spaces whose toll is still to be chosen. The lowest comes next.
        left: Areas,
    },
    /// A Moai was erected: the active player takes Resources, and may play before.
    Gain {
        /// Where.
        space: Space,
        /// How many Resources.
        count: u8,
    },
    /// Of a gain in two colours a Fervent player says for each colour whether to shift it.
    Shift {
        /// Where.
        space: Space,
        /// How many Resources of the first colour are to be decided about; this colour comes first.
        first: u8,
        /// How many of the second.
        second: u8,
    },
    /// A Moai was styled: the active player says what to take, and may skimp before.
    Exchange {
        /// Whether two Resources will do.
        skimped: bool,
    },
    /// The active player pays for an Offering tile.
    Pay {
        /// Whether two Resources will do.
        skimped: bool,
        /// Its type.
        offering: Offering,
        /// Where it comes from.
        source: Source,
    },
    /// Phase 3, after a transport: the active player may still play something.
    EndTurn,
    /// The game is over.
    Over,
}

impl Game for RapanuiBoard {
    type Options = Options;
    type Action = Action;
    type Outcome = Outcome;
    type Event = Event;
    type View = View;

    const INFO: GameInfo = GameInfo {
        id: "rapanui_board",
        rules: 1,
        // 2 acts of chance, 4 drafts. In each of 30 rounds 28 figurines are placed, 21 Moai sculpted, and each of 4
        // players is done and drops out. 41 transports, each with a begin, 28 steps, a stop, 5 tolls, 3 decisions about
        // Resources, an end of turn. 33 tiles and tablets, 12 Improvement tiles.
        plies_max: 2 + 4 + 30 * (28 + 21 + 8) + 41 * (1 + 28 + 1 + 5 + 3 + 1) + 33 + 12,
        title: "Rapa Nui, the board game",
        about: "Clans sculpt Moai, transport them along chains of Transporters, their own and others', erect them for \
                Resources, and style them to exchange Resources for Offering tiles. The most victory points win. \
                After setup there is no chance, and all lies open but what the Offering tiles of a player are worth \
                in all, of which everybody could keep count.",
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
            has_erected: false,
            players: BySeat::new(seats, Player::new(!options.beginner_tiles)),
            sites: [Site::EMPTY; Space::COUNT],
            supply: moai(seats),
            pukao: PUKAO,
            stack_taken: Offerings::NONE,
            outstanding_taken: Offerings::NONE,
            display: Tiles::NONE,
            aside: Tiles::NONE,
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
            _ => Turn::Seats(self.table.owing().into_iter().collect()),
        }
    }

    #[inline]
    fn legal_actions(&self, seat: Seat, legal: &mut ActionSet) {
        legal.clear();
        let table = &self.table;
        if table.owing() != Some(seat) {
            return;
        }
        match table.phase {
            Phase::Draft { .. } => table.legal_drafts(seat, legal),
            Phase::Place => {
                table.legal_placements(seat, legal);
                table.legal_interrupts(seat, legal);
            }
            Phase::Sculpt { sculpted } => {
                table.legal_sculptures(seat, sculpted, legal);
                if sculpted == Sizes::NONE {
                    table.legal_chief_columns(seat, legal);
                    table.legal_interrupts(seat, legal);
                }
            }
            Phase::Transport => {
                table.legal_transports(seat, legal);
                table.legal_interrupts(seat, legal);
            }
            Phase::Carry { cargo, at, visited } => table.legal_steps(seat, cargo, at, visited, legal),
            Phase::Toll { left, .. } => table.legal_tolls(left, legal),
            Phase::Gain { space, count } => {
                table.legal_gains(seat, space, count, legal);
                table.legal_interrupts(seat, legal);
            }
            Phase::Shift { space, first, second } => table.legal_part_shifts(seat, space, (first, second), legal),
            Phase::Exchange { skimped } => table.legal_exchanges(seat, skimped, legal),
            Phase::Pay { skimped, offering, source } => {
                table.legal_payments(seat, skimped, (offering, source), legal);
            }
            Phase::EndTurn => {
                legal.insert(Action::EndTurn);
                table.legal_interrupts(seat, legal);
            }
            Phase::Order | Phase::Tiles | Phase::Over => {}
        }
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

    fn draw(&self, luck: &mut Luck) -> Outcome {
        match self.table.phase {
            Phase::Order => Outcome::Order(self.table.draw_order(luck)),
            Phase::Tiles => Outcome::Tiles(self.table.draw_tiles(luck)),
            phase => panic!("nothing is left to chance in {phase:?}"),
        }
    }

    fn check(&self, outcome: &Outcome) -> Result<(), OutcomeError> {
        match (self.table.phase, outcome) {
            (Phase::Order, Outcome::Order(order)) => self.table.check_order(*order),
            (Phase::Tiles, Outcome::Tiles(tiles)) => self.table.check_tile_row(tiles),
            (Phase::Order, Outcome::Tiles(_)) => Err(OutcomeError("the turn order is to be decided".to_owned())),
            (Phase::Tiles, Outcome::Order(_)) => Err(OutcomeError("the Ahu tiles are to be laid out".to_owned())),
            _ => Err(OutcomeError("no act of chance is due".to_owned())),
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
        self.write_position(state);
    }
}

impl Table {
    /// Who decides; nobody where chance is due, or the game is over.
    #[inline]
    pub fn owing(&self) -> Option<Seat> {
        match self.phase {
            Phase::Order | Phase::Tiles | Phase::Over => None,
            // M11: who earns a toll chooses it.
            Phase::Toll { left, .. } => self.owner(Self::next_toll(left)),
            Phase::Draft { .. }
            | Phase::Place
            | Phase::Sculpt { .. }
            | Phase::Transport
            | Phase::Carry { .. }
            | Phase::Gain { .. }
            | Phase::Shift { .. }
            | Phase::Exchange { .. }
            | Phase::Pay { .. }
            | Phase::EndTurn => Some(self.active),
        }
    }

    /// What is on a space.
    pub fn site(&self, space: Space) -> &Site {
        &self.sites[space.index()]
    }
}

impl Site {
    /// A space without anything on it.
    pub const EMPTY: Self = Self { standing: 0, lying: 0, moai: Sizes::NONE, styled: 0, tiles: [None; AHUS] };

    /// The Moai that have no Pukao.
    #[inline]
    pub fn unstyled(&self) -> u8 {
        self.moai.total() - self.styled
    }

    /// The kinds of the tiles on its free ahus.
    #[inline]
    pub fn kinds(&self) -> counts::Kinds<Tile> {
        self.tiles.iter().flatten().copied().collect()
    }

    /// Lays a tile on a free ahu.
    pub(crate) fn lay(&mut self, tile: Tile) {
        let free = self.tiles.iter().position(Option::is_none).expect("a space has at most three ahus");
        self.tiles[free] = Some(tile);
        self.sort();
    }

    /// Erects a Moai on the ahu of a tile of this kind, which is taken from it.
    pub(crate) fn erect(&mut self, size: Size, tile: Tile) {
        let ahu = self.tiles.iter().position(|&other| other == Some(tile)).expect("such a tile is there");
        self.tiles[ahu] = None;
        self.sort();
        self.moai[size] += 1;
    }

    /// Equal tiles are one choice (M12), so their places tell nothing.
    fn sort(&mut self) {
        self.tiles.sort_unstable_by_key(|tile| tile.map_or(Tile::COUNT, |tile| tile as usize));
    }
}
