//! Phase 2, the auction: secret bids, then picks of Moai in the order of the bids.

use std::cmp::Reverse;
use std::fmt;

use super::action::{Action, Leaders, first};
use super::event::Event;
use super::options::Unclaimed;
use super::piece::{BySize, Kind, Piece, Place, Size};
use super::set::Numbered;
use super::tribe::{CHIEF_UNITS, MARKERS, Spot, WORKERS};
use super::{Giants, Phase, Table};
use crate::core::{ActionSet, BySeat, Events, Seat, SeatSet, StateBytes};

/// A player's bid: Tribe Markers in one hand, Sculptors in the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bid {
    /// The number of Tribe Markers: the highest bid chooses first.
    pub markers: u8,
    /// The number of Workers among the Sculptors.
    pub workers: u8,
    /// The leaders among the Sculptors.
    pub leaders: Leaders,
}

impl Bid {
    /// The bid of two empty hands.
    pub const EMPTY: Self = Self { markers: 0, workers: 0, leaders: Leaders::None };

    /// Returns the number of Sculptors without the Chief.
    const fn sculptors_without_chief(self) -> u8 {
        self.workers + self.leaders.sorcerer() as u8
    }

    /// Returns true if these Sculptors can make Moai with sizes of this `sum`, the largest of size `largest` (G6).
    const fn can_make(self, sum: u8, largest: u8, chief_split: bool) -> bool {
        let sculptors = self.sculptors_without_chief();
        match (self.leaders.chief(), chief_split) {
            (false, _) => sum <= sculptors,
            (true, true) => sum <= sculptors + CHIEF_UNITS,
            (true, false) => sum - largest <= sculptors,
        }
    }
}

/// Writes the bid as text, such as `2 Tribe Markers, 1 Worker, Chief`, or `nothing`.
impl fmt::Display for Bid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        for (count, name) in [(self.markers, "Tribe Marker"), (self.workers, "Worker")] {
            match count {
                0 => {}
                1 => parts.push(format!("1 {name}")),
                _ => parts.push(format!("{count} {name}s")),
            }
        }
        parts.extend(self.leaders.sorcerer().then(|| "Sorcerer".to_owned()));
        parts.extend(self.leaders.chief().then(|| "Chief".to_owned()));
        f.write_str(&if parts.is_empty() { "nothing".to_owned() } else { parts.join(", ") })
    }
}

/// The progress of a player's bid, secret until all bids are sealed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bidding {
    /// The player has to choose the Tribe Markers.
    Markers,
    /// The player has to choose the Workers.
    Workers {
        /// The number of Tribe Markers bid.
        markers: u8,
    },
    /// The player has to choose the leaders.
    Leaders {
        /// The number of Tribe Markers bid.
        markers: u8,
        /// The number of Workers bid.
        workers: u8,
    },
    /// The bid is complete.
    Sealed(Bid),
}

impl Bidding {
    /// Writes four bytes: the step, and the bid so far.
    pub(super) fn write_state(self, state: &mut StateBytes) {
        let (step, bid) = match self {
            Self::Markers => (0, Bid::EMPTY),
            Self::Workers { markers } => (1, Bid { markers, ..Bid::EMPTY }),
            Self::Leaders { markers, workers } => (2, Bid { markers, workers, ..Bid::EMPTY }),
            Self::Sealed(bid) => (3, bid),
        };
        state.bytes(&[step, bid.markers, bid.workers, bid.leaders as u8]);
    }
}

/// The bids.
impl Giants {
    /// Returns the seats without a sealed bid.
    #[inline]
    pub(super) fn unsealed(&self) -> SeatSet {
        self.bids.iter().filter(|(_, bidding)| !matches!(bidding, Bidding::Sealed(_))).map(|(seat, _)| seat).collect()
    }

    /// Adds the legal bids: any part of the goods behind the screen (G3).
    pub(super) fn legal_bids(&self, seat: Seat, legal: &mut ActionSet) {
        let tribe = &self.table.tribes[seat];
        let up_to = |count: u8| (2 << count) - 1;
        match self.bids[seat] {
            Bidding::Markers => legal.insert_bits(first::BID_MARKERS, up_to(tribe.reserve.markers)),
            Bidding::Workers { .. } => legal.insert_bits(first::BID_WORKERS, up_to(tribe.reserve.workers)),
            Bidding::Leaders { .. } => {
                let can_bid = |leaders: &Leaders| self.table.can_bid(seat, *leaders);
                Leaders::ALL.into_iter().filter(can_bid).for_each(|leaders| legal.insert(Action::BidLeaders(leaders)));
            }
            Bidding::Sealed(_) => {}
        }
    }

    /// Applies one step of a bid. The last sealed bid shows all bids.
    pub(super) fn bid(&mut self, seat: Seat, offered: BySize, action: Action, events: &mut impl Events<Event>) {
        self.bids[seat] = match (self.bids[seat], action) {
            (Bidding::Markers, Action::BidMarkers(markers)) => Bidding::Workers { markers },
            (Bidding::Workers { markers }, Action::BidWorkers(workers)) => Bidding::Leaders { markers, workers },
            (Bidding::Leaders { markers, workers }, Action::BidLeaders(leaders)) => {
                let bid = Bid { markers, workers, leaders };
                events.push(Event::BidSealed { seat, bid });
                Bidding::Sealed(bid)
            }
            (bidding, action) => panic!("seat {seat} cannot {action} at {bidding:?}"),
        };
        if self.unsealed().is_empty() {
            let bids = self.bids.map(|bidding| match bidding {
                Bidding::Sealed(bid) => bid,
                bidding => unreachable!("expected a sealed bid, got {bidding:?}"),
            });
            self.bids = self.bids.map(|_| Bidding::Markers);
            self.table.show_bids(bids, offered, events);
        }
    }

    /// Checks that the players can make the bids that they have begun.
    pub(super) fn check_bids(&self) -> Result<(), String> {
        let in_auction = matches!(self.table.phase, Phase::Bid { .. });
        if in_auction && self.unsealed().is_empty() {
            return Err("all bids are sealed, but not shown".to_owned());
        }
        for (seat, bidding) in self.bids.iter() {
            let bid = match bidding {
                Bidding::Markers => continue,
                Bidding::Workers { markers } => Bid { markers, ..Bid::EMPTY },
                Bidding::Leaders { markers, workers } => Bid { markers, workers, ..Bid::EMPTY },
                Bidding::Sealed(bid) => bid,
            };
            if !in_auction {
                return Err(format!("seat {seat} has a bid outside the auction"));
            }
            let reserve = self.table.tribes[seat].reserve;
            let shown = bid.markers <= reserve.markers && bid.workers <= reserve.workers;
            if !shown || !self.table.can_bid(seat, bid.leaders) {
                return Err(format!("seat {seat} cannot make its bid: {bid}"));
            }
        }
        Ok(())
    }
}

/// The picks of Moai.
impl Table {
    /// Returns true if a player has these leaders behind the screen.
    pub(super) fn can_bid(&self, seat: Seat, leaders: Leaders) -> bool {
        let tribe = &self.tribes[seat];
        (!leaders.sorcerer() || tribe.sorcerer == Spot::Reserve) && (!leaders.chief() || tribe.chief == Spot::Reserve)
    }

    /// Moves all bids in front of the screens, where they are spent for this turn (G7), and asks for the first pick.
    fn show_bids(&mut self, bids: BySeat<Bid>, offered: BySize, events: &mut impl Events<Event>) {
        events.push(Event::BidsShown { bids });
        for (seat, Bid { markers, workers, leaders }) in bids.iter() {
            let tribe = &mut self.tribes[seat];
            tribe.reserve.markers -= markers;
            tribe.reserve.workers -= workers;
            tribe.front.markers += markers;
            tribe.front.workers += workers;
            if leaders.sorcerer() {
                tribe.sorcerer = Spot::Front;
            }
            if leaders.chief() {
                tribe.chief = Spot::Front;
            }
        }
        self.next_pick(None, offered, SeatSet::EMPTY, events);
    }

    /// Returns a player's bid in this auction: everything in front of the screen.
    fn shown_bid(&self, seat: Seat) -> Bid {
        let tribe = &self.tribes[seat];
        let leaders = Leaders::of(tribe.sorcerer == Spot::Front, tribe.chief == Spot::Front);
        Bid { markers: tribe.front.markers, workers: tribe.front.workers, leaders }
    }

    /// Returns the sum and the maximum of the sizes of the Moai that a player took.
    fn taken(&self, seat: Seat) -> (u8, u8) {
        let taken = self.in_front_of(seat);
        let sizes = || taken.iter().map(|piece| piece.kind().weight().units());
        (sizes().sum(), sizes().max().unwrap_or(0))
    }

    /// Returns the sizes of Moai on offer that a player's Sculptors can still make.
    pub(super) fn within_reach(&self, seat: Seat, offered: BySize) -> impl Iterator<Item = Size> {
        let (bid, (sum, largest)) = (self.shown_bid(seat), self.taken(seat));
        let split = self.options.chief_split;
        Size::ALL.into_iter().filter(move |&size| {
            let units = size.units();
            offered[size as usize] > 0 && bid.can_make(sum + units, largest.max(units), split)
        })
    }

    /// Adds the legal picks of a player.
    pub(super) fn legal_picks(&self, seat: Seat, offered: BySize, legal: &mut ActionSet) {
        self.within_reach(seat, offered).for_each(|size| legal.insert(Action::Pick(size)));
        if self.options.auction_decline {
            legal.insert(Action::Decline);
        }
    }

    /// Applies a pick or a decline, and asks the next player.
    pub(super) fn pick(
        &mut self,
        seat: Seat,
        mut offered: BySize,
        mut stopped: SeatSet,
        action: Action,
        events: &mut impl Events<Event>,
    ) {
        match action {
            Action::Pick(size) => {
                offered[size as usize] -= 1;
                let piece = self.bring_in(Kind::Moai(size), seat);
                events.push(Event::Picked { seat, piece });
            }
            // G4: the player takes no more in this auction.
            Action::Decline => {
                stopped = stopped.with(seat);
                events.push(Event::Declined { seat });
            }
            action => panic!("seat {seat} cannot {action} in the auction"),
        }
        self.next_pick(Some(seat), offered, stopped, events);
    }

    /// Brings the next piece of a kind into the game, in front of a player's screen.
    pub(super) fn bring_in(&mut self, kind: Kind, seat: Seat) -> Piece {
        let mut rock = kind.pieces().filter(|&piece| self.place_of(piece) == Place::Rock);
        let piece = rock.next().expect("an offered piece is still in the rock");
        self.pieces[piece.index()] = Place::Front(seat);
        piece
    }

    /// Asks the next player who can take a Moai, round by round in the order of the bids (G5, G47). If no player
    /// can, the rest is unclaimed.
    fn next_pick(&mut self, last: Option<Seat>, offered: BySize, stopped: SeatSet, events: &mut impl Events<Event>) {
        if offered == [0; 3] {
            return self.end_auction(offered, events);
        }
        let order = |&seat: &Seat| self.priority(seat);
        let can_take = |seat: &Seat| !stopped.contains(*seat) && self.within_reach(*seat, offered).next().is_some();
        let able: SeatSet = self.options.seats.iter().filter(can_take).collect();
        let in_this_round =
            last.and_then(|last| able.iter().filter(|seat| order(seat) < order(&last)).max_by_key(order));
        match in_this_round.or_else(|| able.iter().max_by_key(order)) {
            Some(seat) => self.phase = Phase::Pick { seat, offered, stopped },
            None => self.end_auction(offered, events),
        }
    }

    /// Returns the key of the order of picks; the highest chooses first: by Tribe Markers bid, then half-tablets,
    /// then turn order. A bid of 0 Tribe Markers is valid (G43).
    fn priority(&self, seat: Seat) -> (u8, u8, Reverse<usize>) {
        let tribe = &self.tribes[seat];
        (tribe.front.markers, tribe.halves, Reverse(self.options.seats.steps_left(self.first, seat)))
    }

    /// Ends the auction: the unclaimed Moai leave the game or go back to the supply, and phase 3 begins.
    fn end_auction(&mut self, unclaimed: BySize, events: &mut impl Events<Event>) {
        if unclaimed != [0; 3] {
            // G2
            let returned = self.options.unclaimed_moai == Unclaimed::Return;
            let to = if returned { &mut self.supply } else { &mut self.removed };
            to.iter_mut().zip(unclaimed).for_each(|(count, more)| *count += more);
            events.push(Event::Unclaimed { moai: unclaimed, returned });
        }
        self.begin_placement(events);
    }
}

const _: () = assert!(MARKERS < 8 && WORKERS < 8, "legal_bids shifts by these numbers within a word");
