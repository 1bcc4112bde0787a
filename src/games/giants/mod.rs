//! Giants (2008), for 3 to 5 players.
//!
//! Clans of Easter Island sculpt Moai and carry them to the *Ahus*, the platforms along the coast. A Moai of size 1,
//! 2 or 3 moves from hex to hex over carriers: figures of any colour, and logs. The help of opponents is free, but
//! earns them Prestige Points. A Moai is worth its size times the black number of its Ahu, and a headdress on it is
//! worth the red number. Each number grows with the distance from the piece's quarry. The game ends when a player has
//! erected Moai on all bases.
//!
//! # A turn
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
//! # Rulings
//!
//! These rulings hold where the rulebook is silent. *Italics* name an option.
//!
//! * **G1** Dice are resolved one by one. A die whose size is used up brings no Moai.
//! * **G2** Moai that nobody takes leave the game, as in the rulebook's example. *`unclaimed_moai`* `return`: they
//!   go back to the supply.
//! * **G3** Any bid is legal, also an empty one, and Tribe Markers without Sculptors. Neither of these brings a Moai.
//! * **G4** A player who can take a Moai may decline, and then takes no more in this auction. *`auction_decline`*
//!   false: the player must take one.
//! * **G5** Further rounds of the auction go in the same order, among the players who can still take a Moai.
//! * **G6** All Sculptors of a bid are one pool; the Chief's three may be split, too. *`chief_split`* false: the
//!   Chief makes one Moai whole. The player may assign Moai to Sculptors afterwards: the sizes taken fit if Workers
//!   and Sorcerer cover their sum, less the largest size if the Chief was bid.
//! * **G7** Sculptors that were bid and not needed are spent for the turn, too.
//! * **G8** A Sorcerer who was bid has no power in this turn, because the power requires a placement on the island.
//! * **G9** A power is optional, and a placement brings at most one. If a special hex also touches an Ahu, the
//!   player chooses one of the powers.
//! * **G10** If the receptacle has no Worker or Tribe Marker left, there is no power, but the placement is legal. A
//!   colour has six of each.
//! * **G11** A forest is harvested once a game, by Sorcerer or Chief, for its number of logs or all that are left. A
//!   placement without the power leaves the forest uncut.
//! * **G12** The limit of two logs applies to each placement. Several placements may pile up more logs on one hex.
//! * **G13** The Chief brings no logs.
//! * **G14** A player with a base in hand may reserve any Ahu of the hex that is free and not reserved. The base lies
//!   colour up, and stays.
//! * **G15** The Chief's power is used at his placement, and so once a turn. The two halves go back to the draw;
//!   halves taken in this turn count.
//! * **G16** If the draw is empty, nobody can take a half-tablet. Any two halves make a tablet.
//! * **G17** The last player who has not passed goes on alone, one action at a time.
//! * **G18** A piece beside an Ahu may be erected or topped without moving.
//! * **G19** A player who moved a piece and left it unmarked keeps it until the phase ends, and may move it further
//!   in a later action, but never into a hex where it has been in this turn. From the next turn on it is abandoned.
//! * **G20** A player who takes an abandoned piece must mark, erect or top it in that action, and may not take it
//!   otherwise. The piece may be marked in place.
//! * **G21** Any own figure is enough to erect or top. *`erect_needs_worker`*: erecting requires a Worker.
//! * **G22** A headdress may go on any player's Moai; it counts for the player who erected that Moai.
//!   *`top_own_only`*: only on an own Moai.
//! * **G23** An opponent's Chief earns a point for each unit that is really needed of him. *`chief_pp`* `full_size`:
//!   he earns the size of the piece and is then the only payee for the hex. The player pays either the needed units
//!   of Workers and Sorcerers, or one Chief.
//! * **G24** A player pays exactly the shortage, and chooses only the payees. *`allow_gift_pp`*: any total from the
//!   shortage up to the size of the piece.
//! * **G25** Logs serve all players, earn nothing, and require a figure on their hex.
//! * **G26** All logs on the island leave the game at the end of the turn. *`unused_logs_return`*: on each hex, as
//!   many logs leave as the entry that needed most; the others go back to the players who placed them, last placed
//!   first.
//! * **G27** Unmoved pieces stay in front of the screen, out of reach, until the phase ends. Then they go to their
//!   quarries in turn order, and their players may mark them.
//! * **G28** A Tribe Marker returns when its piece is erected or put on top, and may be used in the same phase.
//! * **G29** Any number of pieces may lie on a hex.
//! * **G30** Figures may be placed on the quarries, which then let pieces pass like any other hex.
//! * **G31** All attentive players know the owner of the base under a Moai, so it is shown. *`base_view`* `memory`:
//!   it is hidden until the end. On their own turn in phases 3 and 4, before an action, players may give a half back
//!   to the draw to look under one Moai. Only they see the base, and it stays visible to them.
//! * **G32** The goods behind screens and in the receptacle follow from public actions, but are not shown.
//!   *`screen_view`* `open`: they are shown.
//! * **G33** All players finish phase 4 before the end is tested. If the game ends, phase 5 is not played.
//! * **G34** The game ends after phase 4 if no Moai is left in the supply and no Moai waits to be erected
//!   (*`exhaustion_end`*), and after *`max_turns`* turns in any case.
//! * **G35** Tied players share the rank. *`tie_break`* `halves`: more half-tablets come first, then turn order, as
//!   in the auction.
//! * **G36** A single half-tablet counts nothing.
//! * **G37** A Sorcerer cannot bring the logs that his own power finds, because they come after his placement.
//! * **G38** If no headdress is left, the headdress quarry has no power.
//! * **G39** In phase 5 players take Tribe Markers back in turn order; the piece is then abandoned.
//! * **G40** Without a base in hand a player may only erect on Ahus that the player has reserved.
//! * **G41** The rulebook's variants are *`quick_game`* and *`visible_score`*; in the latter, headdresses still
//!   count at the end.
//! * **G42** Seat 0 is the first player of the first turn. The seats may be assigned by lot.
//! * **G43** Sculptors without Tribe Markers are a bid, the lowest, and may take the Moai that others leave.
//! * **G44** If the dice bring no Moai, there is no auction.
//! * **G45** The end is tested before G27, so that no player is asked for a decision without effect.
//! * **G46** A power without effect is not offered.
//! * **G47** A player who can only pass is not asked and has passed. Likewise the only players asked are: for a
//!   Moai, those who can take one; for a mark, those with such a piece and a Tribe Marker; in phase 5, those with a
//!   marked piece; for a payee, those with a choice. All players are asked for bids.
//! * **G48** A marked piece keeps its mark when it stops.
//! * **G49** Without moving, a piece may be erected, topped or marked. Leaving it in place is no action.
//! * **G50** `base_view=memory` with `top_own_only` is refused, because the legal actions would reveal the owners of
//!   Moai.
//! * **G51** On an own reserved Ahu the Moai uses the base that lies there, on a free Ahu a base from the hand.
//!
//! Our own rules, for cases that the rulings leave open:
//!
//! * **A look is no action.** A player who can only look under a Moai, or pass, is not asked (G47).
//! * **Payments are immediate.** The player pays unit by unit, before the piece ends its way, from the player's left
//!   on.
//! * **A piece in front** starts at the hex of its quarry, and then may not enter that hex.
//! * **Turn order of the last turn** breaks ties with `tie_break=halves`.

mod action;
mod auction;
mod bid;
pub mod board;
mod carriers;
mod chance_outcome;
mod dice;
mod dues;
mod end_of_turn;
mod event;
mod final_scoring;
mod greedy;
mod invariants;
mod logs;
mod observation;
mod options;
mod party;
mod passage;
mod phase;
pub mod piece;
mod place;
mod placement;
mod site;
mod state_bytes;
mod table;
mod text;
mod transport;
mod tribe;
mod view;
#[cfg(feature = "messages")]
mod wire;

use rand::Rng;

pub use action::Action;
pub use bid::{Amount, Bid, Bidding, Leaders};
use board::Hexes;
pub use chance_outcome::{MAX_DICE, Roll};
pub use dues::{Dues, Payee};
pub use event::{End, Event, Gain, Points};
pub use greedy::{GREEDY_1, GREEDY_2};
pub use logs::{LOGS, Log, Logs};
pub use options::{BaseView, BoardName, ChiefPay, Faces, Options, ScreenView, TieBreak, Unclaimed};
pub use party::{LOGS_A_FIGURE, Party};
pub use phase::{Phase, PlaceStep, TransportStep};
use piece::{BySize, MOAI, Piece};
pub use place::{Claim, Place, Places};
pub use site::{Site, Sites};
pub use table::{HALVES, Table};
pub use tribe::{Goods, MARKERS, Reserve, Spot, Tribe, WORKERS, Workers};
pub use view::View;

use crate::core::{ActionSet, BySeat, ChanceRng, Events, Game, GameInfo, OutcomeError, Seat, StateBytes, Turn, Viewer};

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
    };

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

    fn resample(view: &View, rng: &mut dyn Rng) -> Self {
        view.resample(rng)
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
