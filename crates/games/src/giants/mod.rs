//! Giants (2008), for 3 to 5 players.
//!
//! # The code of a turn
//!
//! | phase | what happens | where |
//! |---|---|---|
//! | 1 Moai draw | the dice determine which Moai may be sculpted | `dice.rs` |
//! | 2 Auction | secret bids of Tribe Markers and Sculptors, then picks of Moai in their order | `bid.rs`, `auction.rs` |
//! | 3 Placement | in turn order, one action each: a figure and its power, a half-tablet, or a pass | `placement.rs` |
//! | 4 Transport | in turn order, one action each: a move, mark, erection or topping, or a pass | `transport.rs` |
//! | | the capacity of hexes, and the payments for help | `carriers.rs`, `passage.rs` |
//! | 4, its end | the end test; then unmoved pieces go to their quarries | `final_scoring.rs`, `end_of_turn.rs` |
//! | 5 End of turn | figures return, logs leave the game, players may take Tribe Markers back | `end_of_turn.rs` |
//!
//! The island is in `board.rs` and `boards/`, Moai and headdresses are in `piece.rs` and their places in `place.rs`, the
//! Ahus in use in `site.rs`, a player's people and goods in `tribe.rs`, and the logs on the island in `logs.rs`.
//!
//! # The observation
//!
//! The layout in `observation.rs` has the decision that is due, the dice and the shown bids of the turn, the goods of each
//! player, and the place of each thing: a hex as one code for each figure and piece, an owner for each piece, base, and
//! (with *`unused_logs_return`*) log. Planes by hex or Ahu repeat what an action asks for: figures, the capacity of
//! hexes, Moai, and headdresses. Of the shown view only the hexes are missing where pieces have been that are not
//! lifted. The island is left out, too: the option `board` decides its hexes, Ahus, and forests.
//!
//! # The rules
//!
#![doc = include_str!("rules.md")]

mod action;
mod auction;
mod bid;
pub mod board;
mod carriers;
mod chance_outcome;
mod compact;
mod dice;
mod dues;
mod end_of_turn;
mod event;
mod final_scoring;
mod greedy;
mod held_out;
mod invariants;
mod logs;
mod observation;
mod options;
mod party;
mod passage;
mod phase;
mod picture;
pub mod piece;
mod place;
mod placement;
mod question;
mod site;
mod state_bytes;
mod table;
mod text;
mod transport;
mod tribe;
mod view;
#[cfg(feature = "messages")]
mod wire;
mod wording;

use ahu_core::{
    ActionSet, BySeat, ChanceRng, Events, Game, GameInfo, OutcomeError, Resample, Seat, SeatSet, StateBytes, Turn,
    ViewBytes, Viewer,
};
use board::Hexes;
use piece::{BySize, MOAI, Piece};

pub use action::Action;
pub use bid::{Amount, Bid, Bidding, Leaders};
pub use chance_outcome::{MAX_DICE, Roll};
pub use dues::{Dues, Payee};
pub use event::{End, Event, Gain, Points};
pub use greedy::{GREEDY_1, GREEDY_2};
pub use held_out::HELD_OUT_1;
pub use logs::{LOGS, Log, Logs};
pub use options::{BaseView, BoardName, ChiefPay, Faces, Options, ScreenView, TieBreak, Unclaimed};
pub use party::{LOGS_A_FIGURE, Party};
pub use phase::{Phase, PlaceStep, TransportStep};
pub use place::{Claim, Place, Places};
pub use site::{Site, Sites};
pub use table::{HALVES, Table};
pub use tribe::{Goods, MARKERS, Reserve, Spot, Tribe, WORKERS, Workers};
pub use view::View;

/// A game of Giants: its complete state.
///
/// The fields are public, so that a test can set up a position; [`Giants::check_invariants`] then checks it.
#[derive(Clone, Debug, PartialEq)]
pub struct Giants {
    /// The public part: everything that all players can see, or could have seen.
    pub table: Table,
    /// The bids before all are sealed, the only secret. Outside the auction all are [`Bidding::Markers`].
    pub bids: BySeat<Bidding>,
}

const _: () = assert!(size_of::<Giants>() <= 2048, "a clone is a copy of a few cache lines");

impl Game for Giants {
    type Options = Options;
    type Action = Action;
    type Outcome = Roll;
    type Event = Event;
    type View = View;

    const INFO: GameInfo = GameInfo {
        id: "giants",
        rules: 1,
        // A turn has at most 15 bids, 40 picks and declines; 40 figures in three plies each, 30 halves, 60 looks,
        // and 10 passes; each of 49 pieces enters at most 41 hexes, each with at most 4 payments and an action of
        // its own, and ends 42 times; 49 marks, and 30 markers taken back. That is below 15,000 plies, and there are
        // at most 30 turns.
        max_plies: 450_000,
        title: "Giants",
        about: "Clans of Easter Island bid for Moai, carry them over each other's people to the platforms along the \
                coast, and top them with headdresses. The game ends when a player has used up all bases; the most \
                Prestige Points win.",
        credit: "An unofficial implementation of the rules of Giants (\"Les Géants de l'Île de Pâques\", 2008) by Fabrice Besson. \
                 Names belong to their owners; no affiliation.",
        reconstructed: "The island (hexes, Ahus, their values, the forests' numbers) and the faces of the dice are our \
                        reconstructions, from the numbers of the rulebook's examples and from reviews. They are not \
                        those of the printed game.",
        rules_page: include_str!("rules.md"),
        seat_colours: &["royalblue", "firebrick", "forestgreen", "gold", "purple"],
    };

    const RESAMPLE: Option<Resample<Self>> = Some(|view, rng| view.resample(rng));

    const VIEW_BYTES: Option<ViewBytes<Self>> = Some(ViewBytes::checked(View::check, Self::check_invariants));

    fn new(options: &Options) -> Self {
        let seats = options.seats;
        let table = Table {
            options: *options,
            phase: Phase::Roll,
            turn: 1,
            first: Seat::default(),
            roll: None,
            shown_bids: None,
            tribes: BySeat::new(seats, Tribe::new(options)),
            supply: MOAI,
            removed: BySize::EMPTY,
            halves: HALVES,
            logs_left: LOGS,
            logs_gone: 0,
            logs: Logs::default(),
            harvested: Hexes::EMPTY,
            pieces: Places::new(seats),
            visited: [Hexes::EMPTY; Piece::COUNT],
            sites: Sites::new(seats),
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

    fn deciders(&self) -> SeatSet {
        match self.table.phase {
            Phase::Bid { .. } => self.table.options.seats.all(),
            _ => self.turn().to_act(),
        }
    }

    #[inline]
    fn legal_actions(&self, seat: Seat, legal: &mut ActionSet) {
        legal.clear();
        if !self.turn().to_act().contains(seat) {
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
        assert!(self.turn().to_act().contains(seat), "seat {seat} is not to act");
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

    fn draw(&self, chance: &mut ChanceRng) -> Roll {
        assert!(self.table.phase == Phase::Roll, "expected the phase Roll, got {:?}", self.table.phase);
        Roll::draw(&self.table.options, self.table.turn, chance)
    }

    fn outcomes(&self) -> Option<Vec<(Roll, f64)>> {
        (self.table.phase == Phase::Roll).then(|| Roll::all(&self.table.options))
    }

    fn check(&self, roll: &Roll) -> Result<(), OutcomeError> {
        match self.table.phase {
            Phase::Roll => roll.check(&self.table.options),
            _ => Err(OutcomeError("no chance event is due".to_owned())),
        }
    }

    #[inline]
    fn settle(&mut self, roll: &Roll, events: &mut impl Events<Event>) {
        assert!(self.table.phase == Phase::Roll, "expected the phase Roll, got {:?}", self.table.phase);
        self.table.roll(*roll, events);
    }

    fn view(&self, viewer: Viewer) -> View {
        View::of(self, viewer)
    }

    /// Forgets who has sealed a bid.
    fn forget_simultaneous(view: &mut View) {
        view.sealed = SeatSet::EMPTY;
    }

    fn write_state(&self, state: &mut StateBytes) {
        self.table.write_state(state);
        self.bids.values().iter().for_each(|bidding| bidding.write_state(state));
    }
}

/// Adds two actions.
fn insert_both(legal: &mut ActionSet, one: Action, other: Action) {
    legal.insert(one);
    legal.insert(other);
}

/// The check of a position.
impl Giants {
    /// Checks that every thing is in exactly one place, and that the players can make their bids.
    ///
    /// # Errors
    /// The first fault that is found.
    pub fn check_invariants(&self) -> Result<(), String> {
        self.table.check_invariants()?;
        self.check_bids()
    }
}
