//! Phase 2, the auction: secret bids, then picks of Moai in the order of the bids.

use std::cmp::Reverse;

use ahu_core::{ActionSet, BySeat, Events, Seat, SeatSet};

use super::Giants;
use super::action::{Action, first};
use super::bid::{Bid, Bidding, Leaders};
use super::event::Event;
use super::options::Unclaimed;
use super::phase::Phase;
use super::piece::{BySize, Kind, Piece, Size};
use super::place::Place;
use super::table::Table;
use super::tribe::Spot;

/// The bids.
impl Giants {
    /// Returns the seats without a sealed bid.
    #[inline]
    pub(super) fn unsealed(&self) -> SeatSet {
        self.bids.iter().filter(|(_, bidding)| !bidding.is_sealed()).map(|(seat, _)| seat).collect()
    }

    /// Adds the legal bids: any part of the goods behind the screen (G3).
    pub(super) fn legal_bids(&self, seat: Seat, legal: &mut ActionSet) {
        let tribe = &self.table.tribes[seat];
        let up_to = |count: u8| (2 << count) - 1;
        match self.bids[seat] {
            Bidding::Markers => legal.insert_bits(first::BidMarkers, up_to(tribe.reserve.markers)),
            Bidding::Workers { .. } => legal.insert_bits(first::BidWorkers, up_to(tribe.reserve.workers)),
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
            (Bidding::Markers, Action::BidMarkers(markers)) => Bidding::Workers { markers: markers.number() },
            (Bidding::Workers { markers }, Action::BidWorkers(workers)) => {
                Bidding::Leaders { markers, workers: workers.number() }
            }
            (Bidding::Leaders { markers, workers }, Action::BidLeaders(leaders)) => {
                let bid = Bid { markers, workers, leaders };
                events.push(Event::BidSealed { seat, bid });
                Bidding::Sealed(bid)
            }
            (bidding, action) => panic!("seat {seat} cannot {action} at {bidding:?}"),
        };
        if self.unsealed().is_empty() {
            let bids = self.bids.map(Bidding::so_far);
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
        for (seat, bidding) in self.bids.iter().filter(|(_, bidding)| *bidding != Bidding::Markers) {
            if !in_auction {
                return Err(format!("seat {seat} has a bid outside the auction"));
            }
            let (bid, reserve) = (bidding.so_far(), self.table.tribes[seat].reserve);
            let is_there = bid.markers <= reserve.markers && bid.workers <= reserve.workers;
            if !is_there || !self.table.can_bid(seat, bid.leaders) {
                return Err(format!("seat {seat} cannot bid {bid}"));
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
        self.shown_bids = Some(bids);
        for (seat, bid) in bids.iter() {
            let tribe = &mut self.tribes[seat];
            tribe.reserve.markers -= bid.markers;
            tribe.reserve.workers -= bid.workers;
            tribe.front.markers += bid.markers;
            tribe.front.workers += bid.workers;
            if bid.leaders.sorcerer() {
                tribe.sorcerer = Spot::Front;
            }
            if bid.leaders.chief() {
                tribe.chief = Spot::Front;
            }
        }
        self.next_pick(None, offered, SeatSet::EMPTY, events);
    }

    /// Returns a player's bid in this auction.
    fn shown_bid(&self, seat: Seat) -> Bid {
        self.shown_bids.expect("all bids are shown before the first pick")[seat]
    }

    /// Returns the sizes of Moai on offer that a player's Sculptors can still make.
    pub(super) fn within_reach(&self, seat: Seat, offered: BySize) -> impl Iterator<Item = Size> {
        let (bid, split) = (self.shown_bid(seat), self.options.chief_split);
        let (mut sum, mut largest) = (0, 0);
        for taken in self.in_front_of(seat).iter() {
            let units = taken.kind().weight().units();
            (sum, largest) = (sum + units, largest.max(units));
        }
        Size::ALL.into_iter().filter(move |&size| {
            let units = size.units();
            offered[size] > 0 && bid.can_make(sum + units, largest.max(units), split)
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
                offered[size] -= 1;
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
        let piece = self.in_rock(kind).first().expect("an offered piece is still in the rock");
        self.pieces.put(piece, Place::Front(seat));
        piece
    }

    /// Asks the next player who can take a Moai, round by round in the order of the bids (G5, G47). If no player
    /// can, the rest is unclaimed.
    fn next_pick(&mut self, last: Option<Seat>, offered: BySize, stopped: SeatSet, events: &mut impl Events<Event>) {
        if offered == BySize::EMPTY {
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
        let order = self.options.seats.steps_left(self.first, seat);
        (self.shown_bid(seat).markers, self.tribes[seat].halves, Reverse(order))
    }

    /// Ends the auction: the unclaimed Moai leave the game or go back to the supply, and phase 3 begins.
    fn end_auction(&mut self, unclaimed: BySize, events: &mut impl Events<Event>) {
        if unclaimed != BySize::EMPTY {
            // G2
            let returned = self.options.unclaimed_moai == Unclaimed::Return;
            let to = if returned { &mut self.supply } else { &mut self.removed };
            *to = *to + unclaimed;
            events.push(Event::Unclaimed { moai: unclaimed, returned });
        }
        self.begin_placement(events);
    }
}
