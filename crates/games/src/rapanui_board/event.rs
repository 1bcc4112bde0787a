//! Events. Every viewer is told all of them: the game is open, and the worth of an Offering tile is public at the
//! moment the tile is taken (M32).

use std::fmt;

use ahu_core::parts::lines::joined;
use ahu_core::{BySeat, Seat, Viewer};

use super::cargo::Cargo;
use super::chance_outcome::TileRow;
use super::improvement::Improvement;
use super::moai::{Size, Sizes};
use super::offering::{Offering, Source};
use super::order::{Star, TurnOrder};
use super::payment::Payment;
use super::power::{Means, Power};
use super::resource::{Amount, Resource, amounts};
use super::space::{Area, Space};
use super::tile::Tile;

/// A fact that one ply brought.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Event {
    /// The turn order was decided: by chance in setup, by the Sorcerers in phase 2.
    Ordered {
        /// The new order.
        order: TurnOrder,
    },
    /// Setup: the Ahu tiles were laid out.
    TilesLaid {
        /// The tiles on the ahus, space by space.
        tiles: TileRow,
    },
    /// Setup with two players: a player took an Ahu tile.
    Drafted {
        /// The player's seat.
        seat: Seat,
        /// The kind of the tile. If the tile was displayed, all others of this kind are set aside.
        tile: Tile,
    },
    /// Setup with two players: no tile is left of a kind that the player lacks.
    NothingToDraft {
        /// The player's seat.
        seat: Seat,
    },
    /// A round begins.
    RoundBegan {
        /// The number of the round, from 1.
        round: u8,
    },
    /// Phase 1: a Villager was placed on a space.
    TransporterPlaced {
        /// The player's seat.
        seat: Seat,
        /// The space.
        space: Space,
    },
    /// Phase 1: a Villager was placed in the Moai Quarry.
    SculptorPlaced {
        /// The player's seat.
        seat: Seat,
        /// The column.
        column: Size,
    },
    /// Phase 1: a Sorcerer was placed.
    SorcererPlaced {
        /// The player's seat.
        seat: Seat,
        /// The star space.
        star: Star,
    },
    /// Phase 1 or 2: a Chief was placed in the Moai Quarry.
    ChiefPlaced {
        /// The player's seat.
        seat: Seat,
        /// The column above the Chief.
        column: Size,
    },
    /// An Improvement tile was bought.
    Improved {
        /// The player's seat.
        seat: Seat,
        /// The tile.
        improvement: Improvement,
    },
    /// An Ahu tile or a tablet was played.
    Played {
        /// The player's seat.
        seat: Seat,
        /// The tile or the tablet.
        means: Means,
        /// The effect.
        power: Power,
    },
    /// Phase 2: a Moai was sculpted.
    Sculpted {
        /// The player's seat.
        seat: Seat,
        /// The size of the Moai.
        size: Size,
    },
    /// Phase 2: a player finished sculpting.
    SculptingDone {
        /// The player's seat.
        seat: Seat,
        /// All Moai that the player sculpted in this round.
        moai: Sizes,
    },
    /// Phase 3: a transport began.
    TransportBegan {
        /// The player's seat.
        seat: Seat,
        /// The Moai or Pukao.
        cargo: Cargo,
    },
    /// A transport entered an area.
    Stepped {
        /// The player's seat.
        seat: Seat,
        /// The area.
        area: Area,
    },
    /// A transport of another player passed a player's Transporters.
    TollEarned {
        /// The seat of the earner.
        seat: Seat,
        /// The space of the Transporters.
        space: Space,
        /// The Resource.
        resource: Resource,
        /// True if the row was full, so that the Resource was lost.
        is_lost: bool,
    },
    /// A Moai was erected.
    Erected {
        /// The player's seat.
        seat: Seat,
        /// The space.
        space: Space,
        /// The size of the Moai.
        size: Size,
        /// The Ahu tile that was taken.
        tile: Tile,
        /// True if a Transporter was laid down; false if the Chief stands on the space.
        is_tiring: bool,
    },
    /// Resources were gained, by erecting a Moai or by Barter.
    Gained {
        /// The player's seat.
        seat: Seat,
        /// The type of the Resources.
        resource: Resource,
        /// The number of Resources gained.
        count: u8,
        /// The number of Resources lost, because the row was full.
        lost_count: u8,
    },
    /// A Moai was styled.
    Styled {
        /// The player's seat.
        seat: Seat,
        /// The space.
        space: Space,
        /// True if a Transporter was laid down; false if the Chief stands on the space.
        is_tiring: bool,
    },
    /// Exchange: the price is reduced to two Resources.
    Skimped {
        /// The player's seat.
        seat: Seat,
        /// The tile or the tablet.
        means: Means,
    },
    /// Exchange: a player chose an Offering tile.
    OfferingChosen {
        /// The player's seat.
        seat: Seat,
        /// The type of the tile.
        offering: Offering,
        /// The stack, or the Outstanding tiles.
        source: Source,
    },
    /// Exchange: an Offering tile was taken.
    OfferingTaken {
        /// The player's seat.
        seat: Seat,
        /// The type of the tile.
        offering: Offering,
        /// The stack, or the Outstanding tiles.
        source: Source,
        /// The victory points of the tile.
        value: u8,
        /// The Resources that were paid.
        payment: Payment,
    },
    /// Phase 3: a player dropped out.
    DroppedOut {
        /// The player's seat.
        seat: Seat,
    },
    /// A round is over; figurines and Moai that are not erected were returned.
    RoundEnded {
        /// The number of the round, from 1.
        round: u8,
        /// The number of ahus without a Moai.
        empty_ahus: u8,
    },
    /// The game is over.
    Ended {
        /// The reason.
        reason: EndReason,
        /// The final victory points.
        points: BySeat<u16>,
    },
}

/// The reason for which a game is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndReason {
    /// The number of empty ahus is low enough.
    Ahus,
    /// `max_rounds` have been played (M31).
    Rounds,
    /// `stall_end` rounds in a row were idle: nobody erected or styled a Moai (M31).
    Stall,
}

impl ahu_core::Event for Event {
    type Visible = Self;

    fn visible_to(&self, _: Viewer) -> Option<Self> {
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

    fn begins_turn(&self) -> bool {
        matches!(self, Self::RoundBegan { .. })
    }
}

impl fmt::Display for Event {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ordered { order } => write!(f, "the turn order of the seats is {order}"),
            Self::TilesLaid { tiles } => {
                write!(f, "the Ahu tiles lie on the ahus, space by space: {}", joined(tiles.iter(), ", "))
            }
            Self::Drafted { seat, tile } => write!(f, "seat {seat} takes the Ahu tile {tile}"),
            Self::NothingToDraft { seat } => write!(f, "seat {seat} takes no Ahu tile: none is left that it lacks"),
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
                write!(f, "seat {seat} stops sculpting, with {small} small, {medium} medium, {large} large Moai")
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
                write!(f, "seat {seat} earns nothing on space {space}: its row of {resource} is full")
            }
            Self::Erected { seat, space, size, tile, is_tiring } => write!(
                f,
                "seat {seat} erects a {size} Moai on space {space} and takes the Ahu tile {tile}{}",
                tiring(*is_tiring)
            ),
            Self::Gained { seat, resource, count, lost_count: 0 } => {
                write!(f, "seat {seat} gains {}", Amount(*count, *resource))
            }
            Self::Gained { seat, resource, count, lost_count } => {
                write!(f, "seat {seat} gains {}, and has no room for {lost_count} more", Amount(*count, *resource))
            }
            Self::Styled { seat, space, is_tiring } => {
                write!(f, "seat {seat} styles a Moai on space {space}{}", tiring(*is_tiring))
            }
            Self::Skimped { seat, means } => {
                let skimp = if *means == Means::Tile { "skimp" } else { "the tablet as skimp" };
                write!(f, "seat {seat} plays {skimp}: the price is 2 Resources")
            }
            Self::OfferingChosen { seat, offering, source } => {
                write!(f, "seat {seat} chooses {} {offering}", article(*source))
            }
            Self::OfferingTaken { seat, offering, source, value, payment } => {
                let (a, price) = (article(*source), amounts(payment.resources(), ""));
                write!(f, "seat {seat} takes {a} {offering} worth {value} victory points for {price}")
            }
            Self::DroppedOut { seat } => write!(f, "seat {seat} drops out"),
            Self::RoundEnded { round, empty_ahus: 1 } => write!(f, "round {round} is over; 1 ahu is empty"),
            Self::RoundEnded { round, empty_ahus } => write!(f, "round {round} is over; {empty_ahus} ahus are empty"),
            Self::Ended { reason, points } => {
                f.write_str(match reason {
                    EndReason::Ahus => "the game is over, as few ahus are empty: ",
                    EndReason::Rounds => "the game is over, as all rounds are played: ",
                    EndReason::Stall => "the game is over, as nobody erects or styles Moai any more: ",
                })?;
                points.iter().try_for_each(|(seat, points)| {
                    write!(f, "{}seat {seat} has {points}", if seat.index() == 0 { "" } else { ", " })
                })
            }
        }
    }
}

fn article(source: Source) -> &'static str {
    match source {
        Source::Stack => "a",
        Source::Outstanding => "an outstanding",
    }
}

fn tiring(is_tiring: bool) -> &'static str {
    if is_tiring { "; the Transporter lies down" } else { "; the Chief does not tire" }
}
