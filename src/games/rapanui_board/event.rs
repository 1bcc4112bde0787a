//! What happened at the table. All of it is told to everybody: the game is open, and of an Offering tile all see what
//! it is worth when it is taken (M32).

use std::fmt;

use super::action::{Cargo, Source, Star};
use super::board::{Area, Space};
use super::improvement::Improvement;
use super::moai::{Size, Sizes};
use super::offering::Offering;
use super::order::TurnOrder;
use super::outcome::TileRow;
use super::payment::Payment;
use super::power::{Means, Power};
use super::resource::{Amount, Resource};
use super::tile::Tile;
use crate::core::{self, BySeat, Seat, Viewer};

/// Something that happened.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Event {
    /// The turn order was decided: by chance in setup, by the Sorcerers in phase 2.
    Ordered {
        /// The new order.
        order: TurnOrder,
    },
    /// Setup: the Ahu tiles were laid out.
    TilesLaid {
        /// Those on the ahus, space by space.
        tiles: TileRow,
    },
    /// Setup with two players: a player took an Ahu tile.
    Drafted {
        /// Who.
        seat: Seat,
        /// Of which kind. If it was displayed, all others like it are set aside.
        tile: Tile,
    },
    /// Setup with two players: no tile is left that the player has not.
    NothingToDraft {
        /// Who.
        seat: Seat,
    },
    /// A round begins.
    RoundBegan {
        /// Its number, from 1.
        round: u8,
    },
    /// Phase 1: a Villager was placed on a space.
    TransporterPlaced {
        /// Whose.
        seat: Seat,
        /// Where.
        space: Space,
    },
    /// Phase 1: a Villager was placed in the Moai Quarry.
    SculptorPlaced {
        /// Whose.
        seat: Seat,
        /// In which column.
        column: Size,
    },
    /// Phase 1: a Sorcerer was placed.
    SorcererPlaced {
        /// Whose.
        seat: Seat,
        /// Where.
        star: Star,
    },
    /// Phase 1 or 2: a Chief was placed in the Moai Quarry.
    ChiefPlaced {
        /// Whose.
        seat: Seat,
        /// Below which column.
        column: Size,
    },
    /// An Improvement tile was bought.
    Improved {
        /// By whom.
        seat: Seat,
        /// Which.
        improvement: Improvement,
    },
    /// An Ahu tile or a tablet was played.
    Played {
        /// By whom.
        seat: Seat,
        /// Which of them.
        means: Means,
        /// What it did.
        power: Power,
    },
    /// Phase 2: a Moai was sculpted.
    Sculpted {
        /// By whom.
        seat: Seat,
        /// Its size.
        size: Size,
    },
    /// Phase 2: a player sculpts no more.
    SculptingDone {
        /// Who.
        seat: Seat,
        /// All that the player has sculpted.
        moai: Sizes,
    },
    /// Phase 3: a transport began.
    TransportBegan {
        /// Whose.
        seat: Seat,
        /// Of what.
        cargo: Cargo,
    },
    /// A transport went on.
    Stepped {
        /// Whose.
        seat: Seat,
        /// To which area.
        area: Area,
    },
    /// A transport of another passed a player's Transporters.
    TollEarned {
        /// Who earned.
        seat: Seat,
        /// On which space.
        space: Space,
        /// What.
        resource: Resource,
        /// Whether the row was full, so that it was lost.
        is_lost: bool,
    },
    /// A Moai was erected.
    Erected {
        /// By whom.
        seat: Seat,
        /// Where.
        space: Space,
        /// Its size.
        size: Size,
        /// The Ahu tile that was taken.
        tile: Tile,
        /// Whether a Transporter was laid down: not, where the Chief stands.
        is_tiring: bool,
    },
    /// Resources were gained, by erecting a Moai or by Barter.
    Gained {
        /// By whom.
        seat: Seat,
        /// Which.
        resource: Resource,
        /// How many.
        count: u8,
        /// How many more were lost, as the row was full.
        lost: u8,
    },
    /// A Moai was styled.
    Styled {
        /// By whom.
        seat: Seat,
        /// Where.
        space: Space,
        /// Whether a Transporter was laid down: not, where the Chief stands.
        is_tiring: bool,
    },
    /// Exchange: two Resources only are to be paid.
    Skimped {
        /// By whom.
        seat: Seat,
        /// By tile or tablet.
        means: Means,
    },
    /// Exchange: it was said which Offering tile is to be taken.
    OfferingChosen {
        /// By whom.
        seat: Seat,
        /// Its type.
        offering: Offering,
        /// From where.
        source: Source,
    },
    /// Exchange: an Offering tile was taken.
    OfferingTaken {
        /// By whom.
        seat: Seat,
        /// Its type.
        offering: Offering,
        /// From where.
        source: Source,
        /// Its victory points.
        value: u8,
        /// What was handed in.
        payment: Payment,
    },
    /// Phase 3: a player dropped out.
    DroppedOut {
        /// Who.
        seat: Seat,
    },
    /// A round is over; figurines and Moai that are not erected went back.
    RoundEnded {
        /// Its number, from 1.
        round: u8,
        /// The ahus without a Moai.
        empty_ahus: u8,
    },
    /// The game is over.
    Ended {
        /// Why.
        reason: EndReason,
        /// The final victory points.
        points: BySeat<u16>,
    },
}

/// Why a game is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndReason {
    /// Few enough ahus are empty.
    Ahus,
    /// `max_rounds` have been played (M31).
    Rounds,
    /// In `stall_end` rounds in a row nobody has erected a Moai (M31).
    Stall,
}

impl core::Event for Event {
    type Seen = Self;

    fn seen_by(&self, _: Viewer) -> Option<Self> {
        match self {
            Self::Ordered { .. }
            | Self::TilesLaid { .. }
            | Self::Drafted { .. }
            | Self::NothingToDraft { .. }
            | Self::RoundBegan { .. }
            | Self::TransporterPlaced { .. }
            | Self::SculptorPlaced { .. }
            | Self::SorcererPlaced { .. }
            | Self::ChiefPlaced { .. }
            | Self::Improved { .. }
            | Self::Played { .. }
            | Self::Sculpted { .. }
            | Self::SculptingDone { .. }
            | Self::TransportBegan { .. }
            | Self::Stepped { .. }
            | Self::TollEarned { .. }
            | Self::Erected { .. }
            | Self::Gained { .. }
            | Self::Styled { .. }
            | Self::Skimped { .. }
            | Self::OfferingChosen { .. }
            | Self::OfferingTaken { .. }
            | Self::DroppedOut { .. }
            | Self::RoundEnded { .. }
            | Self::Ended { .. } => Some(*self),
        }
    }
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ordered { order } => write!(f, "the turn order is: seat {order}"),
            Self::TilesLaid { tiles } => {
                let names: Vec<_> = tiles.iter().map(|tile| tile.name()).collect();
                write!(f, "Ahu tiles, space by space: {}", names.join(", "))
            }
            Self::Drafted { seat, tile } => write!(f, "seat {seat} takes the Ahu tile {tile}"),
            Self::NothingToDraft { seat } => write!(f, "no Ahu tile is left for seat {seat}"),
            Self::RoundBegan { round } => write!(f, "--- round {round} ---"),
            Self::TransporterPlaced { seat, space } => write!(f, "seat {seat} places a Transporter on space {space}"),
            Self::SculptorPlaced { seat, column } => write!(f, "seat {seat} places a Sculptor in the {column} column"),
            Self::SorcererPlaced { seat, star } => write!(f, "seat {seat} places the Sorcerer on star space {star}"),
            Self::ChiefPlaced { seat, column } => write!(f, "seat {seat} places the Chief below the {column} column"),
            Self::Improved { seat, improvement } => {
                let (resource, cost) = improvement.cost();
                write!(f, "seat {seat} buys the Improvement tile {improvement} for {}", Amount(cost, resource))
            }
            Self::Played { seat, means: Means::Tile, power } => write!(f, "seat {seat} plays {power}"),
            Self::Played { seat, means: Means::Tablet, power } => write!(f, "seat {seat} plays the tablet as {power}"),
            Self::Sculpted { seat, size } => write!(f, "seat {seat} sculpts a {size} Moai"),
            Self::SculptingDone { seat, moai } => {
                let [small, medium, large] = moai.as_array();
                write!(f, "seat {seat} has sculpted {small} small, {medium} medium, {large} large Moai")
            }
            Self::TransportBegan { seat, cargo: Cargo::Moai(size) } => {
                write!(f, "seat {seat} transports a {size} Moai from the Crater")
            }
            Self::TransportBegan { seat, cargo: Cargo::Pukao } => {
                write!(f, "seat {seat} transports a Pukao from the Pukao Quarry")
            }
            Self::Stepped { seat, area } => match (area.space(), *area == Area::CRATER) {
                (Some(space), _) => write!(f, "seat {seat} goes to space {space}"),
                (None, true) => write!(f, "seat {seat} goes to the Crater"),
                (None, false) => write!(f, "seat {seat} goes to the Pukao Quarry"),
            },
            Self::TollEarned { seat, space, resource, is_lost: false } => {
                write!(f, "seat {seat} earns {} on space {space}", Amount(1, *resource))
            }
            Self::TollEarned { seat, space, resource, is_lost: true } => {
                write!(f, "seat {seat} would earn {} on space {space}, but has no room for it", Amount(1, *resource))
            }
            Self::Erected { seat, space, size, tile, is_tiring } => write!(
                f,
                "seat {seat} erects a {size} Moai on space {space} and takes the Ahu tile {tile}{}",
                tiring(*is_tiring)
            ),
            Self::Gained { seat, resource, count, lost: 0 } => {
                write!(f, "seat {seat} gains {}", Amount(*count, *resource))
            }
            Self::Gained { seat, resource, count, lost } => {
                write!(f, "seat {seat} gains {}, and has no room for {lost} more", Amount(*count, *resource))
            }
            Self::Styled { seat, space, is_tiring } => {
                write!(f, "seat {seat} styles a Moai on space {space}{}", tiring(*is_tiring))
            }
            Self::Skimped { seat, means: Means::Tile } => write!(f, "seat {seat} plays skimp: 2 Resources will do"),
            Self::Skimped { seat, means: Means::Tablet } => {
                write!(f, "seat {seat} plays the tablet as skimp: 2 Resources will do")
            }
            Self::OfferingChosen { seat, offering, source: Source::Stack } => {
                write!(f, "seat {seat} is to take a {offering}")
            }
            Self::OfferingChosen { seat, offering, source: Source::Outstanding } => {
                write!(f, "seat {seat} is to take an outstanding {offering}")
            }
            Self::OfferingTaken { seat, offering, source, value, payment } => {
                let outstanding = if *source == Source::Outstanding { "outstanding " } else { "" };
                write!(f, "seat {seat} takes an {outstanding}Offering tile, {offering}, worth {value}, for {payment}")
            }
            Self::DroppedOut { seat } => write!(f, "seat {seat} drops out"),
            Self::RoundEnded { round, empty_ahus: 1 } => write!(f, "round {round} is over; 1 ahu is empty"),
            Self::RoundEnded { round, empty_ahus } => write!(f, "round {round} is over; {empty_ahus} ahus are empty"),
            Self::Ended { reason, points } => {
                f.write_str(match reason {
                    EndReason::Ahus => "the game is over, as few ahus are empty: ",
                    EndReason::Rounds => "the game is over, as all rounds are played: ",
                    EndReason::Stall => "the game is over, as nobody erects Moai any more: ",
                })?;
                points.iter().try_for_each(|(seat, points)| {
                    write!(f, "{}seat {seat} has {points}", if seat.index() == 0 { "" } else { ", " })
                })
            }
        }
    }
}

fn tiring(is_tiring: bool) -> &'static str {
    if is_tiring { "; the Transporter lies down" } else { "; the Chief does not tire" }
}
