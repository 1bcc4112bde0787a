//! The table as a whole: where things are, whether all of them are, and its bytes.

use super::board::{Ahu, Ahus, Hex, Hexes};
use super::logs::LOGS;
use super::options::TURNS_MAX;
use super::piece::{Claim, Kind, MOAI, Piece, Pieces, Place, Size};
use super::set::Numbered;
use super::tribe::{MARKERS, Spot, Tribe, WORKERS};
use super::{Dues, Phase, PlaceStep, Site, Table, TransportStep};
use crate::core::{Seat, SeatSet, StateBytes};

/// How many Rongo half-tablets there are.
pub const HALVES: u8 = 30;

/// Where things are.
impl Table {
    /// The pieces of a kind that came into the game: they do so in the order of their numbers.
    #[inline]
    pub(super) fn in_play(&self, kind: Kind) -> impl Iterator<Item = Piece> {
        kind.pieces().take_while(|&piece| self.place_of(piece) != Place::Rock)
    }

    /// The pieces of a kind that did not.
    pub(super) fn in_rock(&self, kind: Kind) -> impl Iterator<Item = Piece> {
        kind.pieces().skip_while(|&piece| self.place_of(piece) != Place::Rock)
    }

    /// The pieces whose place is such.
    #[inline]
    pub(super) fn pieces_where(&self, is_such: impl Fn(&Place) -> bool) -> Pieces {
        let bits = self.pieces.iter().rev().fold(0, |bits, place| bits << 1 | u64::from(is_such(place)));
        Pieces::from_bits(bits)
    }

    /// The pieces that came into the game and have not found their place for good.
    #[inline]
    pub(super) fn movable(&self) -> Pieces {
        self.pieces_where(|place| matches!(place, Place::Front(_) | Place::Island { .. }))
    }

    /// The Ahus on which a base lies or a Moai stands.
    #[inline]
    pub(super) fn occupied(&self) -> Ahus {
        let bits = self.sites.iter().rev().fold(0, |bits, site| bits << 1 | u64::from(*site != Site::Free));
        Ahus::from_bits(bits)
    }

    /// The pieces in front of a screen.
    pub(super) fn in_front_of(&self, seat: Seat) -> Pieces {
        self.pieces_where(|place| *place == Place::Front(seat))
    }

    /// The pieces that bear a Tribe Marker of a player.
    pub(super) fn marked_by(&self, seat: Seat) -> Pieces {
        self.pieces_where(|place| matches!(place, Place::Island { claim: Claim::Marked(by), .. } if *by == seat))
    }
}

/// Whether every thing is somewhere, once.
impl Table {
    /// Tells what is wrong with a position.
    pub fn check_whole(&self) -> Result<(), String> {
        self.check_seats()?;
        for (seat, tribe) in self.tribes.iter() {
            self.check_tribe(seat, &tribe)?;
        }
        self.check_goods()?;
        self.check_pieces()?;
        self.check_sites()
    }

    fn check_seats(&self) -> Result<(), String> {
        let seats = self.options.seats;
        let acting = self.phase.seat().unwrap_or(self.first);
        ensure(
            self.tribes.seats() == seats && [self.first, acting].iter().all(|&seat| seats.all().contains(seat)),
            || format!("the table has {seats} seats"),
        )?;
        let turns = 1..=TURNS_MAX as u8;
        ensure(turns.contains(&self.turn), || format!("there are {TURNS_MAX} turns, and this is {}", self.turn))
    }

    fn check_tribe(&self, seat: Seat, tribe: &Tribe) -> Result<(), String> {
        let Tribe { reserve, front, receptacle, .. } = tribe;
        let workers = reserve.workers + front.workers + receptacle.workers + tribe.workers.total();
        ensure(workers == WORKERS, || format!("seat {seat} has {workers} Workers"))?;
        let markers = reserve.markers + front.markers + receptacle.markers + self.marked_by(seat).len() as u8;
        ensure(markers == MARKERS, || format!("seat {seat} has {markers} Tribe Markers"))?;
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
        ensure(peeked.is_empty(), || format!("seat {seat} looked under Moai that are not there: {peeked}"))
    }

    fn check_goods(&self) -> Result<(), String> {
        let halves = self.halves + self.tribes.values().iter().map(|tribe| tribe.halves).sum::<u8>();
        ensure(halves == HALVES, || format!("there are {halves} half-tablets"))?;
        let held: u8 = self.tribes.values().iter().map(|tribe| tribe.reserve.logs).sum();
        let logs = self.logs_left + self.logs_gone + self.logs.total() + held;
        ensure(logs == LOGS, || format!("there are {logs} logs"))?;
        let figures = self.tribes.values().iter().fold(Hexes::EMPTY, |all, tribe| all | tribe.figures());
        let alone = self.logs.hexes() - figures;
        ensure(alone.is_empty(), || format!("logs lie without a figure on {alone}"))
    }

    /// In the auction, some Moai are on offer: neither in the supply nor in front of a screen.
    fn check_pieces(&self) -> Result<(), String> {
        let offered = self.phase.offered();
        for size in Size::ALL {
            let (index, kind) = (size as usize, Kind::Moai(size));
            let count = self.supply[index] + self.removed[index] + offered[index] + self.in_play(kind).count() as u8;
            ensure(count == MOAI[index], || format!("there are {count} Moai of size {size}"))?;
        }
        for kind in Kind::ALL {
            let stray = self.in_rock(kind).find(|&piece| self.place_of(piece) != Place::Rock);
            ensure(stray.is_none(), || format!("{kind:?}: pieces come into the game in order, and {stray:?} did not"))?;
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

fn ensure(holds: bool, fault: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(fault()) }
}

/// The bytes of a table.
impl Table {
    pub(super) fn write_state(&self, state: &mut StateBytes) {
        self.write_phase(state);
        state.bytes(&[self.turn, self.first.index() as u8, self.halves, self.logs_left, self.logs_gone]);
        state.bytes(&self.supply);
        state.bytes(&self.removed);
        state.bytes(&self.harvested.bits().to_le_bytes());
        state.u8(self.logs.total());
        for log in self.logs.placed() {
            state.bytes(&[log.hex.index() as u8, log.seat.index() as u8]);
        }
        state.bytes(self.logs.used());
        for tribe in self.tribes.values() {
            tribe.write_state(state);
        }
        for piece in Piece::all() {
            state.bytes(&match self.place_of(piece) {
                Place::Rock => [0, 0, 0],
                Place::Front(seat) => [1, seat.index() as u8, 0],
                Place::Island { hex, claim: Claim::Abandoned } => [2, hex.index() as u8, 0],
                Place::Island { hex, claim: Claim::Held(seat) } => [3, hex.index() as u8, seat.index() as u8],
                Place::Island { hex, claim: Claim::Marked(seat) } => [4, hex.index() as u8, seat.index() as u8],
                Place::Ahu(ahu) => [5, ahu.index() as u8, 0],
            });
            state.bytes(&self.visited[piece.index()].bits().to_le_bytes());
        }
        for site in self.sites {
            let piece = |piece: Option<Piece>| piece.map_or(u8::MAX, |piece| piece.index() as u8);
            state.bytes(&match site {
                Site::Free => [0, 0, 0, 0],
                Site::Reserved(seat) => [1, seat.index() as u8, 0, 0],
                Site::Erected { owner, moai, headdress } => {
                    let owner = owner.map_or(u8::MAX, |owner| owner.index() as u8);
                    [2, owner, piece(Some(moai)), piece(headdress)]
                }
            });
        }
    }

    /// Always as many bytes: the phase, whose it is, who passed or stopped, and up to eight bytes of its own.
    fn write_phase(&self, state: &mut StateBytes) {
        let (phase, seat, out, rest) = match self.phase {
            Phase::Roll => (0, Seat::default(), SeatSet::EMPTY, [0; 8]),
            Phase::Bid { offered: [one, two, three] } => {
                (1, Seat::default(), SeatSet::EMPTY, [one, two, three, 0, 0, 0, 0, 0])
            }
            Phase::Pick { seat, offered: [one, two, three], stopped } => {
                (2, seat, stopped, [one, two, three, 0, 0, 0, 0, 0])
            }
            Phase::Place { seat, passed, step } => (3, seat, passed, step.bytes()),
            Phase::Transport { seat, passed, step } => (4, seat, passed, step.bytes()),
            Phase::Store { seat, piece } => (5, seat, SeatSet::EMPTY, [piece.index() as u8, 0, 0, 0, 0, 0, 0, 0]),
            Phase::Recover { seat, piece } => (6, seat, SeatSet::EMPTY, [piece.index() as u8, 0, 0, 0, 0, 0, 0, 0]),
            Phase::Over => (7, Seat::default(), SeatSet::EMPTY, [0; 8]),
        };
        let out = out.iter().fold(0, |bits, seat| bits | 1 << seat.index());
        state.bytes(&[phase, seat.index() as u8, out]);
        state.bytes(&rest);
    }
}

impl PlaceStep {
    fn bytes(self) -> [u8; 8] {
        let [step, a, b] = match self {
            Self::What => [0, 0, 0],
            Self::Where { party } => [1, party.place() as u8, 0],
            Self::Power { chief, hex } => [2, chief.into(), hex.index() as u8],
        };
        [step, a, b, 0, 0, 0, 0, 0]
    }
}

impl TransportStep {
    fn bytes(self) -> [u8; 8] {
        match self {
            Self::Lift => [0; 8],
            Self::Carry { piece, moved } => [1, piece.index() as u8, moved.into(), 0, 0, 0, 0, 0],
            Self::Pay { piece, to, dues } => {
                let Dues { least, most, paid, payee, lent } = dues;
                [2, piece.index() as u8, to.index() as u8, least, most, paid, payee.index() as u8, lent]
            }
        }
    }
}

impl Tribe {
    fn write_state(&self, state: &mut StateBytes) {
        let Self { reserve, front, receptacle, workers, sorcerer, chief, halves, prestige, peeked } = self;
        state.bytes(&[reserve.workers, reserve.markers, reserve.logs, reserve.bases]);
        state.bytes(&[front.workers, front.markers, receptacle.workers, receptacle.markers, *halves]);
        state.u16(*prestige);
        for hex in Hex::all() {
            state.u8(workers.count(hex));
        }
        for spot in [sorcerer, chief] {
            state.bytes(&match spot {
                Spot::Reserve => [0, 0],
                Spot::Front => [1, 0],
                Spot::On(hex) => [2, hex.index() as u8],
            });
        }
        state.bytes(&peeked.bits().to_le_bytes());
    }
}
