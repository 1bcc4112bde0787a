//! Positions: their bytes, and whether every piece is somewhere, once.

use super::board::Areas;
use super::improvement::Improvement;
use super::moai::{PUKAO, Sizes, moai};
use super::offering::Offering;
use super::player::{Chief, Player, Sorcerer};
use super::setup::tiles_in_play;
use super::tile::Tile;
use super::{Phase, RapanuiBoard, Site, Size, Space, Table};
use crate::core::{Seat, StateBytes};

impl RapanuiBoard {
    /// Everything that is true, in a fixed order.
    pub(super) fn write_position(&self, state: &mut StateBytes) {
        let Table {
            options,
            phase,
            active,
            order,
            round,
            idle_rounds,
            has_erected,
            players,
            sites,
            supply,
            pukao,
            stack_taken,
            outstanding_taken,
            display,
            aside,
        } = &self.table;
        write_phase(*phase, state);
        state.u8(seat_byte(*active));
        order.iter().for_each(|seat| state.u8(seat_byte(seat)));
        state.bytes(&[*round, *idle_rounds, u8::from(*has_erected), *pukao]);
        players.values().iter().for_each(|player| write_player(player, state));
        for Site { standing, lying, moai, styled, tiles } in sites {
            state.bytes(&[*standing, *lying, *styled]);
            state.bytes(moai.as_array());
            state.bytes(&tiles.map(|tile| tile.map_or(0, |tile| tile as u8 + 1)));
        }
        state.bytes(supply.as_array());
        state.bytes(stack_taken.as_array());
        state.bytes(outstanding_taken.as_array());
        state.bytes(display.as_array());
        state.bytes(aside.as_array());
        options.seats.iter().for_each(|seat| state.u16(self.offered[seat]));
    }

    /// Tells what is wrong with a position: every piece is to be somewhere, once, and what is kept twice is to agree.
    pub fn check_whole(&self) -> Result<(), String> {
        let Table { options, active, players, order, .. } = &self.table;
        let seats = options.seats;
        if players.seats() != seats || self.offered.seats() != seats || !seats.all().contains(*active) {
            return Err(format!("the table has {seats} seats"));
        }
        if order.iter().count() != seats.count() {
            return Err(format!("the turn order has {seats} players, not {order}"));
        }
        self.table.check_moai()?;
        self.table.check_tiles()?;
        self.table.check_sites()?;
        seats.iter().try_for_each(|seat| self.table.check_figurines(seat))?;
        self.check_offerings()
    }

    /// What was taken is with the players, and worth what the tiles say.
    fn check_offerings(&self) -> Result<(), String> {
        let Table { options, players, stack_taken, outstanding_taken, .. } = &self.table;
        let tiles = options.offerings.tiles();
        let mut worth = 0;
        for offering in Offering::ALL {
            let (stack, outstanding) = (tiles.stack(offering, options.seats), tiles.outstanding(offering));
            let (from_stack, others) = (stack_taken[offering], outstanding_taken[offering]);
            let values = stack.values().get(..from_stack.into()).zip(outstanding.values().get(..others.into()));
            let (one, other) = values.ok_or_else(|| format!("{offering}: more tiles are taken than there are"))?;
            worth += one.iter().chain(other).map(|&value| u16::from(value)).sum::<u16>();
            let held: u8 = players.values().iter().map(|player| player.offerings[offering]).sum();
            if held != from_stack + others {
                return Err(format!("{offering}: {from_stack} and {others} were taken, and players have {held}"));
            }
        }
        match self.offered.values().iter().sum::<u16>() == worth {
            true => Ok(()),
            false => Err(format!("the offerings are worth {worth}, and players have {:?}", self.offered)),
        }
    }
}

impl Table {
    fn check_moai(&self) -> Result<(), String> {
        let mut found = self.supply;
        let mut add = |more: &Sizes| Size::ALL.into_iter().for_each(|size| found[size] += more[size]);
        self.players.values().iter().for_each(|player| add(&player.moai));
        self.sites.iter().for_each(|site| add(&site.moai));
        if found != moai(self.options.seats) {
            return Err(format!("there are {:?} Moai, not {found:?}", moai(self.options.seats)));
        }
        let styled: u8 = self.sites.iter().map(|site| site.styled).sum();
        match styled + self.pukao == PUKAO {
            true => Ok(()),
            false => Err(format!("there are {PUKAO} Pukao, not {}", styled + self.pukao)),
        }
    }

    /// Tiles that were played are out of the game, so there may be fewer than there were.
    fn check_tiles(&self) -> Result<(), String> {
        let on_board = self.sites.iter().flat_map(|site| site.tiles).flatten();
        let all = tiles_in_play(&self.options);
        for kind in Tile::ALL {
            let held: u8 = self.players.values().iter().map(|player| player.tiles[kind]).sum();
            let lying = on_board.clone().filter(|&tile| tile == kind).count() as u8;
            let found = held + lying + self.display[kind] + self.aside[kind];
            if found > all[kind] {
                return Err(format!("Ahu tiles {kind}: {}, not {found}", all[kind]));
            }
        }
        match self.options.beginner_tiles && self.players.values().iter().any(|player| player.has_tablet) {
            true => Err("there are no tablets in a first game".to_owned()),
            false => Ok(()),
        }
    }

    fn check_sites(&self) -> Result<(), String> {
        let board = self.options.board.board();
        let is_set_up = !matches!(self.phase, Phase::Order | Phase::Tiles);
        for (index, site) in self.sites.iter().enumerate() {
            let space = Space::new(index).expect("there is a site a space");
            let Site { standing, lying, moai, styled, tiles } = site;
            let ahus = if board.all().contains(space) { board.ahus(space) } else { 0 };
            let used = moai.total() + tiles.iter().flatten().count() as u8;
            if used != if is_set_up { ahus } else { 0 } {
                return Err(format!("ahus of space {space}: {ahus}, not {used}"));
            }
            if *styled > moai.total() {
                return Err(format!("space {space}: {styled} of {} Moai are styled", moai.total()));
            }
            let holders = self.players.values().iter().filter(|player| player.held.contains(space));
            let chief = self.players.values().iter().any(|player| player.lent_chief() == Some(space));
            let is_occupied = standing + lying + u8::from(chief) > 0;
            if holders.count() != usize::from(is_occupied) {
                return Err(format!("space {space} has {standing} and {lying} Transporters, of one player or nobody"));
            }
            if !tiles.is_sorted_by_key(|tile| tile.map_or(Tile::COUNT, |tile| tile as usize)) {
                return Err(format!("the tiles of space {space} are kept in the order of their kinds"));
            }
        }
        let all_held = self.players.values().iter().fold(Areas::NONE, |all, player| all | player.held);
        match (all_held - board.all()).is_empty() {
            true => Ok(()),
            false => Err("Transporters are on spaces alone".to_owned()),
        }
    }

    fn check_figurines(&self, seat: Seat) -> Result<(), String> {
        let player = &self.players[seat];
        let on_spaces: u8 =
            player.held.spaces().map(|space| self.sites[space.index()]).map(|site| site.standing + site.lying).sum();
        let placed = player.sculptors.total() + on_spaces;
        let sorcerers = u8::from(player.sorcerer == Sorcerer::AtWork);
        let villagers = (player.villagers + placed).checked_sub(sorcerers);
        if villagers != Some(player.villager_count()) {
            let most = player.villager_count();
            return Err(format!(
                "seat {seat} has {most} Villagers, not {} in hand and {placed} placed",
                player.villagers
            ));
        }
        if player.is(Improvement::Chief) != (player.chief != Chief::InVillage) {
            return Err(format!("the Chief of seat {seat} comes with his Improvement tile"));
        }
        if player.lent_chief().is_some_and(|space| !player.held.contains(space)) {
            return Err(format!("seat {seat} holds the space of its Chief"));
        }
        let most = self.options.resource_cap;
        if player.resources.as_array().iter().any(|&count| count > most) {
            return Err(format!("seat {seat} has at most {most} of a Resource, not {:?}", player.resources));
        }
        let others = self.options.seats.others(seat);
        match others.into_iter().any(|other| on_same_star(player, &self.players[other])) {
            true => Err("two Sorcerers are on one star space".to_owned()),
            false => Ok(()),
        }
    }
}

fn on_same_star(one: &Player, other: &Player) -> bool {
    matches!((one.sorcerer, other.sorcerer), (Sorcerer::OnStar(star), Sorcerer::OnStar(of_other)) if star == of_other)
}

fn seat_byte(seat: Seat) -> u8 {
    seat.index() as u8
}

fn write_phase(phase: Phase, state: &mut StateBytes) {
    let set = |areas: Areas| areas.bits().to_le_bytes();
    match phase {
        Phase::Order => state.u8(0),
        Phase::Tiles => state.u8(1),
        Phase::Draft { choice } => state.bytes(&[2, choice]),
        Phase::Place => state.u8(3),
        Phase::Sculpt { sculpted } => {
            state.u8(4);
            state.bytes(sculpted.as_array());
        }
        Phase::Transport => state.u8(5),
        Phase::Carry { cargo, at, visited } => {
            state.bytes(&[6, cargo.index() as u8, at.index() as u8]);
            state.bytes(&set(visited));
        }
        Phase::Toll { space, size, tile, left } => {
            state.bytes(&[7, space.index() as u8, size as u8, tile as u8]);
            state.bytes(&set(left));
        }
        Phase::Gain { space, count } => state.bytes(&[8, space.index() as u8, count]),
        Phase::Shift { space, first, second } => state.bytes(&[9, space.index() as u8, first, second]),
        Phase::Exchange { skimped } => state.bytes(&[10, u8::from(skimped)]),
        Phase::Pay { skimped, offering, source } => {
            state.bytes(&[11, u8::from(skimped), offering as u8, source as u8]);
        }
        Phase::EndTurn => state.u8(12),
        Phase::Over => state.u8(13),
    }
}

fn write_player(player: &Player, state: &mut StateBytes) {
    let Player {
        resources,
        tiles,
        has_tablet,
        improvements,
        offerings,
        moai,
        villagers,
        sorcerer,
        chief,
        sculptors,
        chip_ins,
        held,
        has_dropped_out,
    } = player;
    state.bytes(resources.as_array());
    state.bytes(tiles.as_array());
    state.bytes(offerings.as_array());
    state.bytes(moai.as_array());
    state.bytes(sculptors.as_array());
    state.bytes(chip_ins.as_array());
    state.bytes(&[u8::from(*has_tablet), improvements.bits(), *villagers, u8::from(*has_dropped_out)]);
    state.bytes(&match *sorcerer {
        Sorcerer::InHand => [0, 0],
        Sorcerer::OnStar(star) => [1, star.index() as u8],
        Sorcerer::AtWork => [2, 0],
    });
    state.bytes(&match *chief {
        Chief::InVillage => [0, 0],
        Chief::InHand => [1, 0],
        Chief::InQuarry(column) => [2, column as u8],
        Chief::OnSpace(space) => [3, space.index() as u8],
    });
    state.bytes(&held.bits().to_le_bytes());
}
