//! The invariants of a table: every thing is in exactly one place.

use super::board::{Ahu, Hexes};
use super::logs::LOGS;
use super::options::MAX_TURNS;
use super::piece::{Kind, MOAI, Piece, Place, Size};
use super::set::Numbered;
use super::tribe::{MARKERS, Tribe, WORKERS};
use super::{HALVES, Site, Table};
use crate::core::Seat;

/// The checks, each for one kind of thing. Each returns the first fault that it finds.
impl Table {
    /// Checks that every thing is in exactly one place.
    ///
    /// # Errors
    /// The first fault that is found.
    pub fn check_invariants(&self) -> Result<(), String> {
        self.check_seats()?;
        for (seat, tribe) in self.tribes.iter() {
            self.check_tribe(seat, &tribe)?;
        }
        self.check_goods()?;
        self.check_pieces()?;
        self.check_sites()
    }

    /// Checks the first player, the player to act, and the number of the turn.
    fn check_seats(&self) -> Result<(), String> {
        let seats = self.options.seats;
        let acting = self.phase.seat().unwrap_or(self.first);
        ensure(
            self.tribes.seats() == seats && [self.first, acting].iter().all(|&seat| seats.all().contains(seat)),
            || format!("expected {seats} tribes, and the first player and the player to act among them"),
        )?;
        let turns = 1..=MAX_TURNS as u8;
        ensure(turns.contains(&self.turn), || format!("expected a turn from 1 to {MAX_TURNS}, got {}", self.turn))
    }

    /// Checks a player's people, Tribe Markers, bases, and looks.
    fn check_tribe(&self, seat: Seat, tribe: &Tribe) -> Result<(), String> {
        let Tribe { reserve, front, receptacle, .. } = tribe;
        let workers = reserve.workers + front.workers + receptacle.workers + tribe.workers.total();
        ensure(workers == WORKERS, || format!("expected {WORKERS} Workers of seat {seat}, got {workers}"))?;
        let markers = reserve.markers + front.markers + receptacle.markers + self.marked_by(seat).len() as u8;
        ensure(markers == MARKERS, || format!("expected {MARKERS} Tribe Markers of seat {seat}, got {markers}"))?;
        let placed = self.sites.iter().filter(|site| match site {
            Site::Free => false,
            Site::Reserved(owner) => *owner == seat,
            Site::Erected { owner, .. } => *owner == Some(seat),
        });
        let bases = usize::from(reserve.bases) + placed.count();
        ensure(bases == usize::from(self.options.bases()), || format!("seat {seat} has {bases} bases"))?;
        let off_board = tribe.figures() - self.board().hexes;
        ensure(off_board.is_empty(), || format!("seat {seat} has figures off the island: {off_board}"))?;
        let peeked = tribe.peeked - self.erected();
        ensure(peeked.is_empty(), || format!("seat {seat} has looked at Ahus without a Moai: {peeked}"))
    }

    /// Checks the half-tablets and the logs. Each log on the island lies on a hex with a figure.
    fn check_goods(&self) -> Result<(), String> {
        let halves = self.halves + self.tribes.values().iter().map(|tribe| tribe.halves).sum::<u8>();
        ensure(halves == HALVES, || format!("expected {HALVES} half-tablets, got {halves}"))?;
        let held: u8 = self.tribes.values().iter().map(|tribe| tribe.reserve.logs).sum();
        let logs = self.logs_left + self.logs_gone + self.logs.total() + held;
        ensure(logs == LOGS, || format!("expected {LOGS} logs, got {logs}"))?;
        let figures = self.tribes.values().iter().fold(Hexes::EMPTY, |all, tribe| all | tribe.figures());
        let alone = self.logs.hexes() - figures;
        ensure(alone.is_empty(), || format!("hexes with logs and no figure: {alone}"))
    }

    /// Checks the pieces. In the auction the Moai on offer are neither in the supply nor in front of a screen.
    fn check_pieces(&self) -> Result<(), String> {
        let offered = self.phase.offered();
        for size in Size::ALL {
            let (index, kind) = (size as usize, Kind::Moai(size));
            let count = self.supply[index] + self.removed[index] + offered[index] + self.in_play(kind).count() as u8;
            ensure(count == MOAI[index], || format!("expected {} Moai of size {size}, got {count}", MOAI[index]))?;
        }
        for kind in Kind::ALL {
            let stray = self.in_rock(kind).find(|&piece| self.place_of(piece) != Place::Rock);
            ensure(stray.is_none(), || format!("{kind:?}: a piece came into the game out of order: {stray:?}"))?;
        }
        for piece in Piece::all() {
            let fits = match self.place_of(piece) {
                Place::Rock => true,
                Place::Front(seat) => self.options.seats.all().contains(seat),
                Place::Island { hex, .. } => self.board().hexes.contains(hex),
                Place::Ahu(ahu) => match (piece.kind(), self.site(ahu)) {
                    (Kind::Moai(_), Site::Erected { moai, .. }) => moai == piece,
                    (Kind::Headdress, Site::Erected { headdress, .. }) => headdress == Some(piece),
                    (_, Site::Free | Site::Reserved(_)) => false,
                },
            };
            ensure(fits, || format!("{piece} cannot be at {:?}", self.place_of(piece)))?;
        }
        Ok(())
    }

    /// Checks the Ahus: each has at most one base, and its pieces are there.
    fn check_sites(&self) -> Result<(), String> {
        for ahu in Ahu::all() {
            let fits = match self.site(ahu) {
                Site::Free => true,
                Site::Reserved(_) => ahu.index() < self.board().ahus().len(),
                Site::Erected { owner, moai, headdress } => {
                    let there = |piece: Piece| self.place_of(piece) == Place::Ahu(ahu);
                    owner.is_some() && there(moai) && headdress.is_none_or(there)
                }
            };
            ensure(fits, || format!("{ahu} cannot be {:?}", self.site(ahu)))?;
        }
        Ok(())
    }
}

/// Returns the fault as an error if the condition does not hold.
fn ensure(holds: bool, fault: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(fault()) }
}
