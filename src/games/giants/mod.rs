//! Giants (2008), 3 to 5 players.
//!
//! Clans of Easter Island sculpt Moai and carry them to the *Ahus*, the platforms along the coast. A Moai of size 1, 2 or 3
//! moves from hex to hex over carriers: figures of any colour, and logs. Help of others is free, but earns them Prestige
//! Points. A Moai is worth its size times the black number of its Ahu, and a headdress on it the red number: the farther
//! from their quarry, the more. The game ends when somebody has erected Moai on all bases.
//!
//! # A turn
//!
//! | phase | what happens | where |
//! |---|---|---|
//! | 1 Moai draw | the dice say which Moai may be sculpted | `dice.rs` |
//! | 2 Auction | secret bids of Tribe Markers and Sculptors, then Moai are taken in their order | `auction.rs` |
//! | 3 Placement | in turn order, one action each: a figure, perhaps with its power; a half-tablet; pass | `placement.rs` |
//! | 4 Transport | in turn order, one action each: move a piece, mark, erect or top it; pass | `transport.rs` |
//! | | what a hex lets pass, and who is paid for it | `passage.rs` |
//! | 4, its end | has somebody all bases used? Else unmoved pieces go to their quarries | `tally.rs`, `end_of_turn.rs` |
//! | 5 End of turn | figures come home, logs are gone, Tribe Markers may be taken back | `end_of_turn.rs` |
//!
//! The island is in `board.rs` and `boards/`, Moai and headdresses in `piece.rs`, what a player has in `tribe.rs`, logs on the
//! island in `logs.rs`.
//!
//! # Rulings
//!
//! Where the rulebook is silent, the following holds. *Italics* name an option.
//!
//! * **G1** Dice are resolved one by one; a die whose size is used up brings no Moai.
//! * **G2** Moai that nobody takes leave the game, as in the rulebook's example. *`unclaimed_moai`* `return`: they go back to
//!   the supply.
//! * **G3** Any bid is legal: none at all, and Tribe Markers without Sculptors, which bring nothing.
//! * **G4** Who can take a Moai may decline, and then takes no more in this auction. *`auction_decline`* false: must take.
//! * **G5** Further rounds of the auction go in the same order, among those who can still take one.
//! * **G6** All Sculptors of a bid are one pool; the Chief's three too may be split. *`chief_split`* false: the Chief makes one
//!   Moai whole. Who made which may be arranged afterwards: the sizes taken fit if their sum, less the largest where a Chief
//!   was bid, is covered by Workers and Sorcerer.
//! * **G7** Sculptors that were bid and not needed are spent for the turn too.
//! * **G8** A Sorcerer who was bid has no power in this turn: that takes being placed on the island.
//! * **G9** A power is never a must, and a placement brings one at most: where a special hex also touches an Ahu, one of them.
//! * **G10** Where no Worker or Tribe Marker is left in the receptacle there is no power, but the placement is legal. A colour
//!   has six of each.
//! * **G11** A forest is harvested once a game, by Sorcerer or Chief, for its number or what is left of the logs. A placement
//!   that does not use the power leaves it uncut.
//! * **G12** The limit of two logs is for each placement. Several may pile up more of them on one hex.
//! * **G13** The Chief brings no logs.
//! * **G14** Any Ahu of the hex may be reserved that is free and not reserved, by who has a base in hand. The base lies
//!   colour up, and stays.
//! * **G15** The Chief's power is used when he is placed, and so once a turn. The two halves go back to the draw; halves taken
//!   in this turn count.
//! * **G16** Where the draw is empty, no half-tablet is to be had. Any two halves make a tablet.
//! * **G17** The last who has not passed goes on alone, one action at a time.
//! * **G18** A piece that already lies beside an Ahu may be erected or topped without moving.
//! * **G19** Who moved a piece and left it unmarked keeps it until the phase ends, and may go on with it in a later action,
//!   never into a hex where it has been in this turn. From the next turn on it is abandoned.
//! * **G20** Who takes an abandoned piece has to mark, erect or top it in that action; who cannot may not take it. It may be
//!   marked where it lies.
//! * **G21** Any own figure serves to erect or top. *`erect_needs_worker`*: to erect it takes a Worker.
//! * **G22** A headdress may go on anybody's Moai; it counts for who erected that. *`top_own_only`*.
//! * **G23** A foreign Chief earns a point for each unit that is really needed of him. *`chief_pp`* `full_size`: he earns the
//!   size of the piece and is then the only one paid for the hex, which is one of two ways: units of Workers and Sorcerers
//!   as far as they are needed, or one Chief.
//! * **G24** What is paid is exactly what is short; the choice is only of whom. *`allow_gift_pp`*: any total from there up to
//!   the size of the piece.
//! * **G25** Logs serve everybody, earn nothing, and take a figure on their hex.
//! * **G26** All logs on the island leave the game at the end of the turn. *`unused_logs_return`*: on each hex as many as the
//!   entry that needed most of them; the others go back to who placed them, last placed first.
//! * **G27** Pieces that were not moved stay in front of the screen, out of reach, until the phase ends. Then they go to
//!   their quarries in turn order, and their player may mark them.
//! * **G28** A Tribe Marker comes back as its piece is erected or put on top, and may be used in the same phase.
//! * **G29** Any number of pieces may lie on a hex.
//! * **G30** Figures may be placed on the quarries, which carry as any hex does.
//! * **G31** Whose base lies under a Moai is known to all who paid attention, so it is shown. *`base_view`* `memory`: it is not
//!   shown until the end. On their own turn in phases 3 and 4, before an action, players may give a half back to the
//!   draw to look under one Moai; they alone see the base, and go on being shown it.
//! * **G32** What is behind screens and in the receptacle follows from what all have seen, but is not shown.
//!   *`screen_view`* `open`: it is.
//! * **G33** All finish phase 4 before the end is tested; phase 5 is not played then.
//! * **G34** If no Moai is left in the supply, and none is on its way, the game ends after phase 4 (*`exhaustion_end`*); and
//!   after *`max_turns`* turns in any case.
//! * **G35** Who ties shares the place. *`tie_break`* `halves`: more half-tablets, then turn order, as in the auction.
//! * **G36** A half-tablet alone counts nothing.
//! * **G37** Logs that a Sorcerer finds were not there when he was placed: he cannot bring them.
//! * **G38** Where no headdress is left there is no power at their quarry.
//! * **G39** In phase 5 Tribe Markers are taken back in turn order; the piece is then abandoned.
//! * **G40** Without a base in hand a player may only erect on Ahus that the player has reserved.
//! * **G41** The rulebook's variants are *`quick_game`* and *`visible_score`*: headdresses still count at the end.
//! * **G42** Seat 0 is the first player of the first turn; who seats the players may do so by lot.
//! * **G43** Sculptors without Tribe Markers are a bid, the lowest, and may take what others leave.
//! * **G44** Where the dice bring no Moai there is no auction.
//! * **G45** The end is tested before G27, so that nobody is asked what no longer matters.
//! * **G46** A power that would bring nothing is not offered.
//! * **G47** Who has nothing left but to pass is not asked and has passed. Likewise asked are only: for a Moai, who can take
//!   one; for a mark, who has such a piece and a Tribe Marker; in phase 5, who has a marked piece; for a payee, who has a
//!   choice. Bids are asked of everybody.
//! * **G48** A marked piece keeps its mark when it stops.
//! * **G49** Without moving, a piece may be erected, topped or marked. To leave it where it was is no action.
//! * **G50** `base_view=memory` with `top_own_only` is refused: what is legal would tell whose the Moai are.
//! * **G51** On an own reserved Ahu the base that lies there is used, on a free one a base from the hand.
//!
//! Ours, where the rulings too are silent:
//!
//! * **A look is no action.** Who could only look under a Moai, or pass, is not asked (G47).
//! * **What is paid is paid at once**, before the piece has come to the end of its way, unit by unit, from the payer's left on.
//! * **A piece in front** starts at its quarry's hex, which it then does not enter again.
//! * **Turn order of the last turn** breaks ties with `tie_break=halves`.

mod action;
mod auction;
pub mod board;
mod dice;
mod end_of_turn;
mod event;
mod greedy;
mod logs;
mod observation;
mod options;
mod outcome;
mod passage;
pub mod piece;
mod placement;
mod routes;
pub mod set;
mod table;
mod tally;
mod text;
mod transport;
mod tribe;
mod view;
#[cfg(feature = "service")]
mod wire;

use rand::Rng;

pub use action::{Action, LOGS_A_FIGURE, Leaders, Party};
pub use auction::{Bid, Bidding};
use board::{AHUS_MAX, Ahu, Board, Hex, Hexes};
pub use event::{End, Event, Gain};
pub use greedy::greedy;
pub use logs::{LOGS, Log, Logs};
pub use options::{BaseView, BoardName, ChiefPay, Faces, Options, ScreenView, TieBreak, Unclaimed};
pub use outcome::{DICE_MAX, Roll};
pub use passage::Dues;
use piece::{BySize, MOAI, PIECES, Piece, Place};
use set::Numbered;
pub use table::HALVES;
pub use tribe::{Goods, MARKERS, Reserve, Spot, Tribe, WORKERS, Workers};
pub use view::View;

use crate::core::{
    ActionSet, BySeat, Events, Game, GameInfo, Luck, OutcomeError, Seat, SeatSet, StateBytes, Turn, Viewer,
};

/// A game of Giants: everything that is true at the table.
///
/// The fields are open, so that a position can be set up by hand; [`Giants::check_whole`] then tells whether it is one.
#[derive(Clone, Debug, PartialEq)]
pub struct Giants {
    /// What everybody can see, or could have seen.
    pub table: Table,
    /// The bids in the making, the one secret; outside the auction all are [`Bidding::Markers`].
    pub bids: BySeat<Bidding>,
}

const _: () = assert!(size_of::<Giants>() <= 2048, "a clone is a copy of a few cache lines");

/// Everything that everybody can see, or could have seen.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// What was agreed before play.
    pub options: Options,
    /// What comes next.
    pub phase: Phase,
    /// Which turn it is, from 1.
    pub turn: u8,
    /// The first player of this turn.
    pub first: Seat,
    /// The players' people and goods.
    pub tribes: BySeat<Tribe>,
    /// The Moai that are still to come, by size.
    pub supply: BySize,
    /// The Moai that left the game, by size.
    pub removed: BySize,
    /// The half-tablets in the draw.
    pub halves: u8,
    /// The logs beside the island.
    pub logs_left: u8,
    /// The logs that left the game.
    pub logs_gone: u8,
    /// The logs on the island.
    pub logs: Logs,
    /// The forests that are cut.
    pub harvested: Hexes,
    /// Where each piece is.
    pub pieces: [Place; PIECES],
    /// Where each piece has been in this Transport Phase, where it lies included once it was taken up.
    pub visited: [Hexes; PIECES],
    /// What stands on each Ahu.
    pub sites: [Site; AHUS_MAX],
}

/// What stands on an Ahu.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Site {
    /// Nothing.
    Free,
    /// A base, colour up: only its player may erect a Moai here.
    Reserved(Seat),
    /// A Moai.
    Erected {
        /// Whose base is under it; none only in a covered view, to whom it is not shown (G31).
        owner: Option<Seat>,
        /// Which Moai.
        moai: Piece,
        /// What it wears.
        headdress: Option<Piece>,
    },
}

/// What comes next. Everybody can see it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Phase {
    /// Phase 1: chance rolls the dice.
    Roll,
    /// Phase 2: all who have not sealed a bid make one.
    Bid {
        /// The Moai to be had, by size.
        offered: BySize,
    },
    /// Phase 2: a player takes a Moai or declines.
    Pick {
        /// Who.
        seat: Seat,
        /// The Moai still to be had, by size.
        offered: BySize,
        /// Who declined.
        stopped: SeatSet,
    },
    /// Phase 3: a player places.
    Place {
        /// Who.
        seat: Seat,
        /// Who passed.
        passed: SeatSet,
        /// What of the placement is asked.
        step: PlaceStep,
    },
    /// Phase 4: a player transports.
    Transport {
        /// Who.
        seat: Seat,
        /// Who passed.
        passed: SeatSet,
        /// What of the transport is asked.
        step: TransportStep,
    },
    /// End of phase 4: a player marks an unmoved piece or not (G27).
    Store {
        /// Who.
        seat: Seat,
        /// Which piece.
        piece: Piece,
    },
    /// Phase 5: a player takes a Tribe Marker back or not.
    Recover {
        /// Who.
        seat: Seat,
        /// From which piece.
        piece: Piece,
    },
    /// The game is over.
    Over,
}

impl Phase {
    /// Whose decision it is; nobody's where the dice are due or the game is over, nor while all make their bids.
    pub const fn seat(self) -> Option<Seat> {
        match self {
            Self::Roll | Self::Bid { .. } | Self::Over => None,
            Self::Pick { seat, .. }
            | Self::Place { seat, .. }
            | Self::Transport { seat, .. }
            | Self::Store { seat, .. }
            | Self::Recover { seat, .. } => Some(seat),
        }
    }

    /// Who passed in this Placement or Transport Phase, or takes no more Moai in this auction.
    pub const fn passed(self) -> SeatSet {
        match self {
            Self::Pick { stopped, .. } => stopped,
            Self::Place { passed, .. } | Self::Transport { passed, .. } => passed,
            Self::Roll | Self::Bid { .. } | Self::Store { .. } | Self::Recover { .. } | Self::Over => SeatSet::EMPTY,
        }
    }

    /// The Moai to be had in this auction, by size; none in other phases.
    pub const fn offered(self) -> BySize {
        match self {
            Self::Bid { offered } | Self::Pick { offered, .. } => offered,
            Self::Roll
            | Self::Place { .. }
            | Self::Transport { .. }
            | Self::Store { .. }
            | Self::Recover { .. }
            | Self::Over => [0; 3],
        }
    }
}

/// The steps of a placement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PlaceStep {
    /// What is placed?
    What,
    /// Where?
    Where {
        /// What.
        party: Party,
    },
    /// With which power?
    Power {
        /// Whether the Chief was placed; else the Sorcerer.
        chief: bool,
        /// Where.
        hex: Hex,
    },
}

/// The steps of a transport.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TransportStep {
    /// Which piece?
    Lift,
    /// Where to, or what is done with it here?
    Carry {
        /// Which piece.
        piece: Piece,
        /// Whether it has moved in this action.
        moved: bool,
    },
    /// Who is paid for help on the next hex?
    Pay {
        /// Which piece.
        piece: Piece,
        /// The hex that it is about to enter.
        to: Hex,
        /// What is paid, and what is still owed.
        dues: Dues,
    },
}

impl Game for Giants {
    type Options = Options;
    type Action = Action;
    type Outcome = Roll;
    type Event = Event;
    type View = View;

    const INFO: GameInfo = GameInfo {
        id: "giants",
        rules: 1,
        // A turn: 15 bids, 40 picks and declines; 40 figures in three plies each, 30 halves, 60 looks, 10 passes; each of 49
        // pieces enters at most 41 hexes, each with at most 4 payments and an action of its own, and ends 42 times; 49 marks,
        // 30 taken back. That is below 15,000, and there are at most 30 turns.
        plies_max: 450_000,
        title: "Giants",
        about: "Clans of Easter Island bid for Moai, carry them over each other's people to the platforms along the coast, \
                and top them with headdresses. The most Prestige Points win when somebody has used up all bases.",
        credit: "An unofficial implementation of the rules of Giants (\"Les Géants de l'Île de Pâques\", 2008) by Fabrice Besson. \
                 Names belong to their owners; no affiliation.",
        reconstructed: "The island (hexes, Ahus, their values, the forests' numbers) and the faces of the dice are our \
                        reconstructions, from the numbers of the rulebook's examples and from reviews. They are not those of \
                        the printed game.",
    };

    fn new(options: &Options) -> Self {
        let seats = options.seats;
        let table = Table {
            options: *options,
            phase: Phase::Roll,
            turn: 1,
            first: Seat::default(),
            tribes: BySeat::new(seats, Tribe::new(options)),
            supply: MOAI,
            removed: [0; 3],
            halves: HALVES,
            logs_left: LOGS,
            logs_gone: 0,
            logs: Logs::default(),
            harvested: Hexes::EMPTY,
            pieces: [Place::Rock; PIECES],
            visited: [Hexes::EMPTY; PIECES],
            sites: [Site::Free; AHUS_MAX],
        };
        Self { table, bids: BySeat::new(seats, Bidding::Markers) }
    }

    fn options(&self) -> &Options {
        &self.table.options
    }

    #[inline]
    fn turn(&self) -> Turn {
        match self.table.phase {
            Phase::Roll => Turn::Chance,
            Phase::Bid { .. } => Turn::Seats(self.unsealed()),
            Phase::Over => Turn::Over,
            phase => Turn::Seats(phase.seat().into_iter().collect()),
        }
    }

    #[inline]
    fn legal_actions(&self, seat: Seat, legal: &mut ActionSet) {
        legal.clear();
        if !self.turn().owing().contains(seat) {
            return;
        }
        match self.table.phase {
            Phase::Bid { .. } => self.legal_bids(seat, legal),
            Phase::Pick { offered, .. } => self.table.legal_picks(seat, offered, legal),
            Phase::Place { step, .. } => self.table.legal_placements(seat, step, legal),
            Phase::Transport { step, .. } => self.table.legal_transports(seat, step, legal),
            Phase::Store { .. } => insert_both(legal, Action::Leave, Action::Mark),
            Phase::Recover { .. } => insert_both(legal, Action::Keep, Action::TakeBack),
            Phase::Roll | Phase::Over => {}
        }
    }

    #[inline]
    fn apply(&mut self, seat: Seat, action: Action, events: &mut impl Events<Event>) {
        assert!(self.turn().owing().contains(seat), "seat {seat} is not to act");
        match self.table.phase {
            Phase::Bid { offered } => self.bid(seat, offered, action, events),
            Phase::Pick { offered, stopped, .. } => self.table.pick(seat, offered, stopped, action, events),
            Phase::Place { passed, step, .. } => self.table.place(seat, passed, step, action, events),
            Phase::Transport { passed, step, .. } => self.table.transport(seat, passed, step, action, events),
            Phase::Store { piece, .. } => self.table.store(seat, piece, action, events),
            Phase::Recover { piece, .. } => self.table.recover(seat, piece, action, events),
            Phase::Roll | Phase::Over => panic!("seat {seat} cannot {action} in {:?}", self.table.phase),
        }
    }

    fn draw(&self, luck: &mut Luck) -> Roll {
        assert!(self.table.phase == Phase::Roll, "nothing is left to chance in {:?}", self.table.phase);
        Roll::draw(&self.table.options, self.table.turn, luck)
    }

    fn check(&self, roll: &Roll) -> Result<(), OutcomeError> {
        match self.table.phase {
            Phase::Roll => roll.check(&self.table.options),
            _ => Err(OutcomeError("no act of chance is due".to_owned())),
        }
    }

    #[inline]
    fn settle(&mut self, roll: &Roll, events: &mut impl Events<Event>) {
        assert!(self.table.phase == Phase::Roll, "the dice are not rolled in {:?}", self.table.phase);
        self.table.roll(*roll, events);
    }

    fn view(&self, viewer: Viewer) -> View {
        View::of(self, viewer)
    }

    fn resample(view: &View, rng: &mut dyn Rng) -> Self {
        view.resample(rng)
    }

    fn write_state(&self, state: &mut StateBytes) {
        self.table.write_state(state);
        self.bids.values().iter().for_each(|bidding| bidding.write_state(state));
    }
}

fn insert_both(legal: &mut ActionSet, one: Action, other: Action) {
    legal.insert(one);
    legal.insert(other);
}

/// Positions.
impl Giants {
    /// Tells what is wrong with a position: every thing is to be somewhere, once, and bids are to be such as can be made.
    pub fn check_whole(&self) -> Result<(), String> {
        self.table.check_whole()?;
        self.check_bids()
    }
}

impl Table {
    /// The island that is played on.
    #[inline]
    pub fn board(&self) -> &'static Board {
        Board::named(self.options.board)
    }

    /// Where a piece is.
    #[inline]
    pub fn place_of(&self, piece: Piece) -> Place {
        self.pieces[piece.index()]
    }

    /// What stands on an Ahu.
    #[inline]
    pub fn site(&self, ahu: Ahu) -> Site {
        self.sites[ahu.index()]
    }
}
