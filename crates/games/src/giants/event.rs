//! The events of a game, and the part of each event that a viewer is told.

use std::fmt;

use ahu_core::parts::lines::{counted, joined, joined_or};
use ahu_core::{Argument as _, BySeat, Seat, Viewer, named};

use super::bid::Bid;
use super::board::{Ahu, Hex};
use super::chance_outcome::Roll;
use super::party::Party;
use super::piece::{BySize, Piece};

/// An event. `O` is the type of the owner of a base that a player looked at: the seat, or the part of it that a
/// viewer is told.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Event<O = Seat> {
    /// A turn begins.
    TurnBegan {
        /// The number of the turn, from 1.
        turn: u8,
        /// The first player.
        first_seat: Seat,
    },
    /// Phase 1: the dice were rolled.
    Rolled {
        /// The number of the turn. In the first turn some faces count as others.
        turn: u8,
        /// The faces of the dice.
        roll: Roll,
        /// The Moai that may be sculpted, by size.
        offered: BySize,
    },
    /// Phase 2: a player sealed a bid. Only that player is told.
    BidSealed {
        /// The player.
        seat: Seat,
        /// The bid.
        bid: Bid,
    },
    /// Phase 2: all players show their bids.
    BidsShown {
        /// The bids.
        bids: BySeat<Bid>,
    },
    /// Phase 2: a player took a Moai.
    Picked {
        /// The player.
        seat: Seat,
        /// The Moai.
        piece: Piece,
    },
    /// Phase 2: a player takes no more Moai.
    Declined {
        /// The player.
        seat: Seat,
    },
    /// Phase 2: Moai were left over.
    Unclaimed {
        /// The number of Moai of each size.
        moai: BySize,
        /// True if they go back to the supply, false if they leave the game.
        returned: bool,
    },
    /// Phase 3: a player placed a figure.
    Placed {
        /// The player.
        seat: Seat,
        /// The figure and its logs.
        party: Party,
        /// The hex.
        hex: Hex,
    },
    /// Phase 3: a Sorcerer used his power, or a Chief used it for a tablet.
    PowerUsed {
        /// The player.
        seat: Seat,
        /// True if the Chief used it and broke a tablet, false if the Sorcerer used it.
        chief: bool,
        /// The gain.
        gain: Gain,
    },
    /// Phase 3: a player put a Tribe Marker in front of the screen for a half-tablet.
    HalfTaken {
        /// The player.
        seat: Seat,
    },
    /// Phase 3 or 4: a player passed.
    Passed {
        /// The player.
        seat: Seat,
        /// True if the player had nothing else to do, and so was not asked (G47).
        forced: bool,
    },
    /// Phase 3 or 4: a player looked under a Moai.
    Peeked {
        /// The player.
        seat: Seat,
        /// The Ahu of the Moai.
        ahu: Ahu,
        /// The owner of the base.
        owner: O,
    },
    /// Phase 4: a player lifted a piece.
    Lifted {
        /// The player.
        seat: Seat,
        /// The piece.
        piece: Piece,
    },
    /// Phase 4: a player paid an opponent for help into a hex.
    Paid {
        /// The player who moves the piece.
        seat: Seat,
        /// The opponent who is paid.
        payee_seat: Seat,
        /// The hex of the helping figures.
        hex: Hex,
        /// The Prestige Points paid.
        points: u8,
    },
    /// Phase 4: a piece entered a hex.
    Entered {
        /// The player who moves the piece.
        seat: Seat,
        /// The piece.
        piece: Piece,
        /// The hex.
        hex: Hex,
    },
    /// Phase 4: a player left a piece on its hex.
    Stopped {
        /// The player.
        seat: Seat,
        /// The piece.
        piece: Piece,
    },
    /// Phase 4: a player marked a piece.
    Marked {
        /// The player.
        seat: Seat,
        /// The piece.
        piece: Piece,
    },
    /// Phase 4: a player erected a Moai.
    Erected {
        /// The player.
        seat: Seat,
        /// The Moai.
        piece: Piece,
        /// The Ahu.
        ahu: Ahu,
        /// The Prestige Points that the player earns at once: the points of the Moai with `visible_score`, else none.
        points: u16,
    },
    /// Phase 4: a player put a headdress on a Moai.
    Topped {
        /// The player.
        seat: Seat,
        /// The headdress.
        piece: Piece,
        /// The Ahu of the Moai.
        ahu: Ahu,
    },
    /// End of phase 4: an unmoved piece went to its quarry.
    Stored {
        /// The player who sculpted it.
        seat: Seat,
        /// The piece.
        piece: Piece,
        /// True if the player marked it.
        marked: bool,
    },
    /// Phase 5: figures and spent Tribe Markers went back behind the screens, and placed logs left the game.
    CameHome {
        /// The number of logs that left the game.
        logs: u8,
    },
    /// Phase 5: placed logs that no transport needed went back to a player.
    LogsReturned {
        /// The player who placed them.
        seat: Seat,
        /// The number of logs.
        logs: u8,
    },
    /// Phase 5: a player took a Tribe Marker back; the piece is abandoned.
    TakenBack {
        /// The player.
        seat: Seat,
        /// The piece.
        piece: Piece,
    },
    /// The game is over.
    Ended {
        /// The reason.
        reason: End,
        /// The Prestige Points of each player.
        points: BySeat<Points>,
    },
}

/// The gain from the power of a Sorcerer or a Chief.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gain {
    /// The village: a Worker.
    Worker,
    /// The hut: a Tribe Marker.
    Marker,
    /// A forest: this number of logs.
    Logs(u8),
    /// The headdress quarry: a headdress.
    Headdress(Piece),
    /// A hex of the coast: a reserved Ahu.
    Reserved(Ahu),
}

/// The Prestige Points of a player at the end, by source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Points {
    /// The points scored during the game: for help, and with `visible_score` for Moai.
    pub scored: u16,
    /// The points for Moai that score at the end.
    pub moai: u16,
    /// The points for headdresses on own Moai.
    pub headdresses: u16,
    /// The points for complete Rongo tablets.
    pub tablets: u16,
}

impl Points {
    /// Returns the sum.
    pub const fn total(self) -> u16 {
        self.scored + self.moai + self.headdresses + self.tablets
    }
}

named! {
    /// The reason for the end of the game.
    pub enum End("end") {
        /// A player has Moai on all bases.
        Bases = "bases",
        /// No Moai is left (G34).
        Exhaustion = "exhaustion",
        /// The last turn by the option `max_turns` is over (G34).
        LastTurn = "last_turn",
    }
}

impl ahu_core::Event for Event {
    type Visible = Event<Option<Seat>>;

    fn visible_to(&self, viewer: Viewer) -> Option<Event<Option<Seat>>> {
        Some(match *self {
            Self::TurnBegan { turn, first_seat } => Event::TurnBegan { turn, first_seat },
            Self::Rolled { turn, roll, offered } => Event::Rolled { turn, roll, offered },
            // A bid is secret until all bids are sealed.
            Self::BidSealed { seat, .. } if !viewer.is(seat) => return None,
            Self::BidSealed { seat, bid } => Event::BidSealed { seat, bid },
            Self::BidsShown { bids } => Event::BidsShown { bids },
            Self::Picked { seat, piece } => Event::Picked { seat, piece },
            Self::Declined { seat } => Event::Declined { seat },
            Self::Unclaimed { moai, returned } => Event::Unclaimed { moai, returned },
            Self::Placed { seat, party, hex } => Event::Placed { seat, party, hex },
            Self::PowerUsed { seat, chief, gain } => Event::PowerUsed { seat, chief, gain },
            Self::HalfTaken { seat } => Event::HalfTaken { seat },
            Self::Passed { seat, forced } => Event::Passed { seat, forced },
            // G31: one player sees the base; all players see the look.
            Self::Peeked { seat, ahu, owner } => Event::Peeked { seat, ahu, owner: viewer.is(seat).then_some(owner) },
            Self::Lifted { seat, piece } => Event::Lifted { seat, piece },
            Self::Paid { seat, payee_seat, hex, points } => Event::Paid { seat, payee_seat, hex, points },
            Self::Entered { seat, piece, hex } => Event::Entered { seat, piece, hex },
            Self::Stopped { seat, piece } => Event::Stopped { seat, piece },
            Self::Marked { seat, piece } => Event::Marked { seat, piece },
            Self::Erected { seat, piece, ahu, points } => Event::Erected { seat, piece, ahu, points },
            Self::Topped { seat, piece, ahu } => Event::Topped { seat, piece, ahu },
            Self::Stored { seat, piece, marked } => Event::Stored { seat, piece, marked },
            Self::CameHome { logs } => Event::CameHome { logs },
            Self::LogsReturned { seat, logs } => Event::LogsReturned { seat, logs },
            Self::TakenBack { seat, piece } => Event::TakenBack { seat, piece },
            Self::Ended { reason, points } => Event::Ended { reason, points },
        })
    }

    fn begins_turn(&self) -> bool {
        matches!(self, Self::TurnBegan { .. })
    }
}

/// Returns a text such as `2 of size 1, 1 of size 3`, or `none`.
pub(super) fn moai_text(moai: BySize) -> String {
    let counted = moai.iter().filter(|&(_, count)| count > 0);
    joined_or(counted.map(|(size, count)| format!("{count} of size {size}")), ", ", "none")
}

impl fmt::Display for Gain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Worker => f.write_str("takes a Worker"),
            Self::Marker => f.write_str("takes a Tribe Marker"),
            Self::Logs(logs) => write!(f, "takes {}", counted(*logs, "log")),
            Self::Headdress(piece) => write!(f, "sculpts {piece}"),
            Self::Reserved(ahu) => write!(f, "reserves {ahu}"),
        }
    }
}

/// Writes the total and its parts: `42 Prestige Points: 3 so far, 27 for Moai, 12 for headdresses`.
impl fmt::Display for Points {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&counted(self.total(), "Prestige Point"))?;
        let Self { scored, moai, headdresses, tablets } = *self;
        let parts =
            [(scored, "so far"), (moai, "for Moai"), (headdresses, "for headdresses"), (tablets, "for tablets")];
        for (n, (points, source)) in parts.into_iter().filter(|&(points, _)| points > 0).enumerate() {
            write!(f, "{} {points} {source}", if n == 0 { ":" } else { "," })?;
        }
        Ok(())
    }
}

impl End {
    const fn text(self) -> &'static str {
        match self {
            Self::Bases => "all bases of a player bear Moai",
            Self::Exhaustion => "no Moai is left",
            Self::LastTurn => "this was the last turn",
        }
    }
}

impl fmt::Display for Event<Option<Seat>> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TurnBegan { turn, first_seat } => write!(f, "--- turn {turn}: seat {first_seat} goes first ---"),
            Self::Rolled { turn, roll, offered } => {
                write!(f, "the dice show {}; Moai on offer: {}", roll.text(*turn), moai_text(*offered))?;
                let broken = roll.moai(*turn) - *offered;
                if broken == BySize::EMPTY { Ok(()) } else { write!(f, "; broken: {}", moai_text(broken)) }
            }
            Self::BidSealed { seat, bid } => write!(f, "seat {seat} bids {bid}"),
            Self::BidsShown { bids } => f.write_str(&by_seat(bids, "bids")),
            Self::Picked { seat, piece } => write!(f, "seat {seat} takes {piece}"),
            Self::Declined { seat } => write!(f, "seat {seat} takes no more Moai"),
            Self::Unclaimed { moai, returned: false } => {
                write!(f, "unclaimed Moai leave the game: {}", moai_text(*moai))
            }
            Self::Unclaimed { moai, returned: true } => {
                write!(f, "unclaimed Moai go back to the supply: {}", moai_text(*moai))
            }
            Self::Placed { seat, party, hex } => write!(f, "seat {seat} places {} on hex {hex}", party.words()),
            Self::PowerUsed { seat, chief: false, gain } => {
                write!(f, "seat {seat} uses the Sorcerer's power and {gain}")
            }
            Self::PowerUsed { seat, chief: true, gain } => {
                write!(f, "seat {seat} breaks a tablet for the Chief's power and {gain}")
            }
            Self::HalfTaken { seat } => write!(f, "seat {seat} gives a Tribe Marker for a half-tablet"),
            Self::Passed { seat, forced: false } => write!(f, "seat {seat} passes"),
            Self::Passed { seat, forced: true } => write!(f, "seat {seat} has nothing left to do and passes"),
            Self::Peeked { seat, ahu, owner } => {
                write!(f, "seat {seat} looks under the Moai on {ahu}")?;
                owner.map_or(Ok(()), |owner| write!(f, ": the base is seat {owner}'s"))
            }
            Self::Lifted { seat, piece } => write!(f, "seat {seat} lifts {piece}"),
            Self::Paid { seat, payee_seat, hex, points } => {
                let points = counted(*points, "Prestige Point");
                write!(f, "seat {payee_seat} earns {points} for helping seat {seat} on hex {hex}")
            }
            Self::Entered { seat, piece, hex } => write!(f, "seat {seat} moves {piece} to hex {hex}"),
            Self::Stopped { seat, piece } => write!(f, "seat {seat} leaves {piece} there"),
            Self::Marked { seat, piece } => write!(f, "seat {seat} marks {piece}"),
            Self::Erected { seat, piece, ahu, points: 0 } => write!(f, "seat {seat} erects {piece} on {ahu}"),
            Self::Erected { seat, piece, ahu, points } => {
                let points = counted(*points, "Prestige Point");
                write!(f, "seat {seat} erects {piece} on {ahu} and earns {points}")
            }
            Self::Topped { seat, piece, ahu } => write!(f, "seat {seat} puts {piece} on the Moai on {ahu}"),
            Self::Stored { seat, piece, marked: false } => write!(f, "seat {seat} puts {piece} into its quarry"),
            Self::Stored { seat, piece, marked: true } => {
                write!(f, "seat {seat} puts {piece} into its quarry and marks it")
            }
            Self::CameHome { logs: 0 } => f.write_str("the figures come home"),
            Self::CameHome { logs: 1 } => f.write_str("the figures come home; 1 log leaves the game"),
            Self::CameHome { logs } => write!(f, "the figures come home; {logs} logs leave the game"),
            Self::LogsReturned { seat, logs } => write!(f, "seat {seat} takes {} back", counted(*logs, "unused log")),
            Self::TakenBack { seat, piece } => write!(f, "seat {seat} takes its Tribe Marker back from {piece}"),
            Self::Ended { reason, points } => {
                write!(f, "the game is over: {}; {}", reason.text(), by_seat(points, "has"))
            }
        }
    }
}

/// Returns a list of what each seat does: `seat 0 bids nothing; seat 1 bids 1 Worker`.
fn by_seat<T: Copy + fmt::Display>(objects: &BySeat<T>, verb: &str) -> String {
    joined(objects.iter().map(|(seat, object)| format!("seat {seat} {verb} {object}")), "; ")
}
