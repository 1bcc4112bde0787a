//! The invariants of a position, such as "every Moai is in one place".

use ahu_core::{Seat, ensure};

use super::cargo::Cargo;
use super::improvement::Improvement;
use super::moai::{PUKAO, moai};
use super::offering::Offering;
use super::phase::Phase;
use super::player::{Chief, Player, Sorcerer, VILLAGERS};
use super::setup::tiles_in_play;
use super::site::Site;
use super::space::{Area, Space, Spaces};
use super::table::Table;
use super::tile::Tile;
use super::{RapanuiBoard, View};

impl RapanuiBoard {
    /// Checks the invariants: each piece is in one place, and facts that are stored twice agree. Returns the first
    /// fault.
    pub fn check_invariants(&self) -> Result<(), String> {
        let Table { options, active, players, order, .. } = &self.table;
        let seats = options.seats;
        let fits = players.seats() == seats && self.offered.seats() == seats && seats.all().contains(*active);
        ensure(fits, || format!("expected players, offered, and active for {seats} seats"))?;
        ensure(order.iter().count() == seats.count(), || {
            format!("expected a turn order of {seats} players, got {order}")
        })?;
        self.table.check_moai()?;
        self.table.check_tiles()?;
        self.table.check_sites()?;
        seats.iter().try_for_each(|seat| self.table.check_figurines(seat))?;
        self.check_offerings()
    }

    /// Checks that the Offering tiles of the players are the tiles that were taken, and have their total worth.
    fn check_offerings(&self) -> Result<(), String> {
        let Table { options, players, stack_taken, outstanding_taken, .. } = &self.table;
        let tiles = options.offerings.tiles();
        let mut worth = 0;
        for offering in Offering::ALL {
            let (stack, outstanding) = (tiles.stack(offering, options.seats), tiles.outstanding(offering));
            let (from_stack, others) = (stack_taken[offering], outstanding_taken[offering]);
            let values = stack.values().get(..from_stack.into()).zip(outstanding.values().get(..others.into()));
            let (one, other) = values.ok_or_else(|| format!("{offering}: more tiles are taken than exist"))?;
            worth += one.iter().chain(other).map(|&value| u16::from(value)).sum::<u16>();
            let held: u8 = players.values().iter().map(|player| player.offerings[offering]).sum();
            ensure(held == from_stack + others, || {
                format!("{offering}: expected players to have {from_stack} + {others} tiles, got {held}")
            })?;
        }
        let offered = &self.offered;
        ensure(offered.values().iter().sum::<u16>() == worth, || {
            format!("expected Offering tiles worth {worth} in total, got {offered:?}")
        })
    }
}

/// A bound on the worth of all Offering tiles.
const MOST_WORTH: u16 = 1_000;

impl View {
    /// Checks a view whose game is to be played on. [`RapanuiBoard::check_invariants`] checks the rest.
    pub(super) fn check(&self) -> Result<(), String> {
        let Self { viewer, table, offered } = self;
        let (seats, order) = (table.options.seats, &table.order);
        let is_here = viewer.own_seat().is_none_or(|seat| seats.all().contains(seat));
        ensure(is_here && offered.seats() == seats, || {
            format!("expected a viewer and Offering tiles of {seats} seats")
        })?;
        ensure(table.players.seats() == seats && seats.all().contains(table.active), || {
            format!("expected players and an active one among {seats} seats")
        })?;
        ensure(offered.values().iter().all(|offered| offered.is_some_and(|worth| worth < MOST_WORTH)), || {
            format!("expected the worth of all Offering tiles, got {offered:?}")
        })?;
        ensure(order.is_whole(), || format!("expected a turn order of {seats} seats, got {order}"))?;
        // Nobody has more virtual Sculptors either: by four tiles, and by the tablet.
        let few = |count: u8| count <= VILLAGERS + 1;
        let are_few = table.sites.iter().all(|site| few(site.standing) && few(site.lying))
            && table.players.values().iter().all(|player| few(player.villagers) && few(player.chip_ins.total()))
            && table.pukao <= PUKAO;
        ensure(are_few, || {
            format!("expected figurines and Pukao of the box, got {:?} and {} Pukao", table.sites, table.pukao)
        })?;
        let chain = match table.phase {
            Phase::Carry { visited, .. } => Area::spaces_of(visited),
            Phase::Toll { left, .. } => left,
            _ => Spaces::EMPTY,
        };
        ensure((chain - table.occupied()).is_empty(), || {
            format!("expected Transporters on each space of the chain {chain:?}")
        })?;
        let carried = match table.phase {
            Phase::Carry { cargo: Cargo::Moai(size), .. } | Phase::Toll { size, .. } => Some(size),
            _ => None,
        };
        ensure(carried.is_none_or(|size| table.players[table.active].moai[size] > 0), || {
            format!("expected a Moai of seat {}, got {:?}", table.active, table.phase)
        })?;
        let lies = !matches!(table.phase, Phase::Toll { space, tile, .. } if !table.site(space).kinds().contains(tile));
        ensure(lies, || format!("expected the tile on its space, got {:?}", table.phase))?;
        let most = table.options.max_rounds;
        ensure(table.round <= most, || format!("expected at most {most} rounds, got {}", table.round))
    }
}

impl Table {
    /// Checks the numbers of Moai and Pukao.
    fn check_moai(&self) -> Result<(), String> {
        let sculpted = self.players.values().iter().map(|player| player.moai);
        let found = sculpted.chain(self.sites.iter().map(|site| site.moai())).fold(self.supply, |all, more| all + more);
        let all = moai(self.options.seats);
        ensure(found == all, || format!("expected {all:?} Moai, got {found:?}"))?;
        let pukao = self.pukao + self.sites.iter().map(|site| site.styled()).sum::<u8>();
        ensure(pukao == PUKAO, || format!("expected {PUKAO} Pukao, got {pukao}"))
    }

    /// Checks the number of Ahu tiles of each kind. Played tiles leave the game, so fewer than all are valid.
    fn check_tiles(&self) -> Result<(), String> {
        let on_board = self.sites.iter().flat_map(|site| site.tiles());
        let all = tiles_in_play(&self.options);
        for kind in Tile::ALL {
            let held: u8 = self.players.values().iter().map(|player| player.tiles[kind]).sum();
            let lying = on_board.clone().filter(|&tile| tile == kind).count() as u8;
            let found = held + lying + self.display[kind] + self.aside[kind];
            let most = all[kind];
            ensure(found <= most, || format!("Ahu tiles {kind}: expected at most {most}, got {found}"))?;
        }
        let has_tablets = self.players.values().iter().any(|player| player.has_tablet);
        ensure(!self.options.beginner_tiles || !has_tablets, || "expected no tablets in a first game".to_owned())
    }

    /// Checks each space: a tile or a Moai on each ahu, Transporters of at most one player.
    fn check_sites(&self) -> Result<(), String> {
        let board = self.board();
        let is_set_up = !matches!(self.phase, Phase::Order | Phase::Tiles);
        for (index, site) in self.sites.iter().enumerate() {
            let space = Space::new(index).expect("each site has a space");
            let Site { standing, lying, .. } = site;
            let ahus = if board.all().contains(space) { board.ahus(space) } else { 0 };
            let used = site.moai_count() + site.free();
            ensure(used == if is_set_up { ahus } else { 0 }, || {
                format!("space {space}: expected a Moai or a tile on each of {ahus} ahus, got {used}")
            })?;
            let holders = self.players.values().iter().filter(|player| player.held.contains(space));
            let chief = self.players.values().iter().any(|player| player.lent_chief() == Some(space));
            let is_occupied = standing + lying + u8::from(chief) > 0;
            ensure(holders.count() == usize::from(is_occupied), || {
                format!("space {space}: expected one owner if it is occupied, got {standing} + {lying} Transporters")
            })?;
        }
        let is_on_board = (self.occupied() - board.all()).is_empty();
        ensure(is_on_board, || "expected Transporters only on spaces of the board".to_owned())
    }

    /// Checks the figurines and Resources of a player.
    fn check_figurines(&self, seat: Seat) -> Result<(), String> {
        let player = &self.players[seat];
        let on_spaces: u8 =
            player.held.iter().map(|space| self.sites[space.index()]).map(|site| site.standing + site.lying).sum();
        let placed = player.sculptors.total() + on_spaces;
        let sorcerers = u8::from(player.sorcerer == Sorcerer::AtWork);
        let villagers = (player.villagers + placed).checked_sub(sorcerers);
        let most = player.villager_count();
        ensure(villagers == Some(most), || {
            format!("seat {seat}: expected {most} Villagers, got {} in hand and {placed} placed", player.villagers)
        })?;
        ensure(player.is(Improvement::Chief) == (player.chief != Chief::InVillage), || {
            format!("seat {seat}: expected the Chief in play exactly with his Improvement tile")
        })?;
        ensure(player.lent_chief().is_none_or(|space| player.held.contains(space)), || {
            format!("seat {seat}: expected the space of the lent Chief among the held spaces")
        })?;
        let (most, resources) = (self.options.resource_cap, player.resources);
        ensure(resources.as_array().iter().all(|&count| count <= most), || {
            format!("seat {seat}: expected at most {most} of each Resource, got {resources:?}")
        })?;
        let is_free = |other: Seat| !on_same_star(player, &self.players[other]);
        ensure(self.options.seats.others(seat).all(is_free), || {
            "expected at most one Sorcerer on a star space".to_owned()
        })
    }
}

/// Returns true if the Sorcerers of both players are on the same star space.
fn on_same_star(one: &Player, other: &Player) -> bool {
    matches!((one.sorcerer, other.sorcerer), (Sorcerer::OnStar(star), Sorcerer::OnStar(of_other)) if star == of_other)
}
