//! The invariants of a table: every thing is in exactly one place.

use ahu_core::{Seat, ensure};

use super::board::Hexes;
use super::logs::LOGS;
use super::options::MAX_TURNS;
use super::party::{LOGS_A_FIGURE, Party};
use super::phase::{Phase, PlaceStep, TransportStep};
use super::piece::{Kind, MOAI, Piece, Pieces, Size};
use super::place::Place;
use super::table::{HALVES, Table};
use super::tribe::{MARKERS, Spot, Tribe, WORKERS};
use super::view::View;

/// A bound on the turns and on the things of each kind: no sum over a table leaves a byte.
const MOST: u8 = 30;
/// A bound on the Prestige Points of a player.
const MOST_PRESTIGE: u16 = 1_000;

impl View {
    /// Checks a view from which a game is to be resampled. [`Giants::check_invariants`](super::Giants::check_invariants)
    /// checks the rest.
    pub(super) fn check(&self) -> Result<(), String> {
        let Self { viewer, table, bid, sealed, screened } = self;
        let seats = table.options.seats;
        let is_here = viewer.own_seat().is_none_or(|seat| seats.all().contains(seat))
            && bid.is_some() == viewer.own_seat().is_some();
        ensure(is_here && (*sealed - seats.all()).is_empty() && screened.is_empty(), || {
            format!("expected a viewer with its bid among {seats} seats, and no screens")
        })?;
        let is_few = |tribe: &Tribe| {
            let Tribe { reserve: own, front, receptacle, halves, .. } = *tribe;
            let goods = [front, receptacle].into_iter().flat_map(|goods| [goods.workers, goods.markers]);
            let all = [own.workers, own.markers, own.logs, own.bases, halves].into_iter().chain(goods);
            let on_island = tribe.workers.digits().iter().all(|hexes| hexes.len() <= WORKERS.into());
            all.max() <= Some(MOST) && on_island && tribe.prestige <= MOST_PRESTIGE
        };
        let counts = [table.turn, table.halves, table.logs_left, table.logs_gone];
        let are_few = counts.iter().chain(table.logs.used()).max() <= Some(&MOST);
        ensure(are_few && table.tribes.values().iter().all(is_few), || {
            format!("expected at most {MOST} of all people and goods, got {:?}", table.tribes)
        })?;
        table.check_invariants()
    }
}

/// The checks, each for one kind of thing. Each returns the first fault that it finds.
impl Table {
    /// Checks that every thing is in exactly one place.
    ///
    /// # Errors
    /// The first fault that is found.
    pub fn check_invariants(&self) -> Result<(), String> {
        self.check_turn()?;
        for (seat, tribe) in self.tribes.iter() {
            self.check_tribe(seat, &tribe)?;
        }
        self.check_goods()?;
        self.check_pieces()?;
        self.check_sites()
    }

    /// Checks the seats, the number of the turn, the dice, and the bids.
    fn check_turn(&self) -> Result<(), String> {
        let seats = self.options.seats;
        let acting = self.phase.seat().unwrap_or(self.first);
        let tables = [self.tribes.seats(), self.sites.bases().seats(), self.pieces.owned().seats()];
        let has_bids = self.shown_bids.is_none_or(|bids| bids.seats() == seats);
        ensure(
            tables == [seats; 3] && has_bids && [self.first, acting].iter().all(|&seat| seats.all().contains(seat)),
            || format!("expected {seats} tribes, and the first player and the player to act among them"),
        )?;
        let turns = 1..=MAX_TURNS as u8;
        ensure(turns.contains(&self.turn), || format!("expected a turn from 1 to {MAX_TURNS}, got {}", self.turn))?;
        let is_early = self.roll.is_some() && self.phase == Phase::Roll
            || self.shown_bids.is_some() && matches!(self.phase, Phase::Roll | Phase::Bid { .. });
        ensure(!is_early, || format!("expected dice and bids later than in {:?}", self.phase))?;
        let fits = self.roll.is_none_or(|roll| {
            roll.faces().len() == self.options.dice().len() && roll.faces().iter().all(|&face| face <= 3)
        });
        ensure(fits, || format!("expected the faces of {} dice, got {:?}", self.options.dice().len(), self.roll))?;
        let fits = match self.phase {
            Phase::Place { seat, step: PlaceStep::Where { party }, .. } => {
                let tribe = &self.tribes[seat];
                let is_there = match party {
                    Party::Worker(_) => tribe.reserve.workers > 0,
                    Party::Sorcerer(_) => tribe.sorcerer == Spot::Reserve,
                    Party::Chief => tribe.chief == Spot::Reserve,
                };
                is_there && party.logs() <= LOGS_A_FIGURE.min(tribe.reserve.logs)
            }
            Phase::Place { seat, step: PlaceStep::Power { chief, hex }, .. } => {
                let tribe = &self.tribes[seat];
                [tribe.sorcerer, tribe.chief][usize::from(chief)] == Spot::On(hex)
            }
            Phase::Transport { seat, step: TransportStep::Pay { dues, to, .. }, .. } => {
                let lendable = dues.payee.of(seat, seats).map_or(0, |payee| self.lendable(payee, to));
                dues.paid <= dues.most
                    && dues.least <= dues.most
                    && dues.lent <= lendable
                    && self.board().hexes.contains(to)
            }
            Phase::Store { seat, .. } => self.tribes[seat].reserve.markers > 0,
            _ => true,
        };
        let is_there = self.phase.piece().is_none_or(|piece| self.pieces.movable().contains(piece));
        ensure(fits && is_there, || format!("expected figures, pieces, and dues that can be, got {:?}", self.phase))
    }

    /// Checks a player's people, Tribe Markers, bases, and looks.
    fn check_tribe(&self, seat: Seat, tribe: &Tribe) -> Result<(), String> {
        let Tribe { reserve, front, receptacle, .. } = tribe;
        let workers = reserve.workers + front.workers + receptacle.workers + tribe.workers.total();
        ensure(workers == WORKERS, || format!("expected {WORKERS} Workers of seat {seat}, got {workers}"))?;
        let markers = reserve.markers + front.markers + receptacle.markers + self.marked_by(seat).len() as u8;
        ensure(markers == MARKERS, || format!("expected {MARKERS} Tribe Markers of seat {seat}, got {markers}"))?;
        let bases = usize::from(reserve.bases) + self.sites.bases()[seat].len();
        ensure(bases == usize::from(self.options.bases()), || format!("seat {seat} has {bases} bases"))?;
        let off_board = tribe.figures() - self.board().hexes;
        ensure(off_board.is_empty(), || format!("seat {seat} has figures off the island: {off_board}"))?;
        let peeked = tribe.peeked - self.sites.erected();
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
        ensure(self.pieces.is_whole(), || format!("expected a place for each piece, got {:?}", self.pieces))?;
        for size in Size::ALL {
            let in_play = self.in_play(Kind::Moai(size)).len() as u8;
            let count = self.supply[size] + self.removed[size] + self.phase.offered()[size] + in_play;
            ensure(count == MOAI[size], || format!("expected {} Moai of size {size}, got {count}", MOAI[size]))?;
        }
        for kind in Kind::ALL {
            let first = self.in_rock(kind).first();
            let late = self.in_play(kind).iter().find(|&piece| first.is_some_and(|first| first < piece));
            ensure(late.is_none(), || format!("{kind:?}: a piece came into the game out of order: {late:?}"))?;
        }
        for piece in Piece::all() {
            let fits = match self.place_of(piece) {
                Place::Rock => true,
                Place::Front(seat) => self.options.seats.all().contains(seat),
                Place::Island { hex, .. } => self.board().hexes.contains(hex),
                Place::Ahu(ahu) => self.board().all_ahus().contains(ahu),
            };
            ensure(fits, || format!("{piece} cannot be at {:?}", self.place_of(piece)))?;
        }
        Ok(())
    }

    /// Checks the Ahus: each has at most one base, and its pieces are there.
    fn check_sites(&self) -> Result<(), String> {
        let (board, sites, headdresses) = (self.board(), &self.sites, Kind::Headdress.pieces());
        for ahu in board.ahus() {
            let here = self.pieces.on(ahu);
            let bases = sites.bases().values().iter().filter(|bases| bases.contains(ahu)).count();
            let moai: Pieces = here - headdresses;
            let fits = Size::ALL.into_iter().all(|size| {
                let of_size = (moai & Kind::Moai(size).pieces()).len();
                of_size == usize::from(sites.moai()[size.index()].contains(ahu))
            });
            let topped = usize::from(sites.topped().contains(ahu));
            let stands = moai.len() <= bases && (here & headdresses).len() == topped && topped <= moai.len();
            ensure(fits && bases <= 1 && stands, || format!("{ahu} cannot be {:?} with {here}", self.site(ahu)))?;
        }
        let off_board = sites.occupied() - board.all_ahus();
        ensure(off_board.is_empty(), || format!("bases off the island: {off_board}"))
    }
}
