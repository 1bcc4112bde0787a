//! The laws of Giants beside the laws of all games, over random play: the game is compared with a second implementation
//! of the rules.

use std::collections::{BTreeSet, HashMap, HashSet};

use ahu_core::{ActionSet, Game, Seat, Turn};
use ahu_games::giants::board::Hex;
use ahu_games::giants::piece::{Kind, Piece};
use ahu_games::giants::{
    Action, Bidding, BoardName, ChiefPay, Claim, Event, Giants, Options, Phase, Place, PlaceStep, Site, Spot,
    TransportStep,
};
use rand::RngExt;
use rand::rngs::ChaCha8Rng;

use ahu_laws::laws::{carry_out, few_games, play_random, some_options, tables};

fn legal(game: &Giants, seat: Seat) -> Vec<Action> {
    let mut legal = ActionSet::of::<Action>();
    game.legal_actions(seat, &mut legal);
    legal.actions().collect()
}

/// Returns true if a seat is in the middle of a bid, a placement, or a transport.
fn is_amid(game: &Giants, seat: Seat) -> bool {
    let by_seat = game.turn().to_act().contains(seat);
    match game.table.phase {
        Phase::Bid { .. } => by_seat && game.bids[seat] != Bidding::Markers,
        Phase::Place { step, .. } => by_seat && step != PlaceStep::What,
        Phase::Transport { step, .. } => by_seat && step != TransportStep::Lift,
        Phase::Roll | Phase::Pick { .. } | Phase::Store { .. } | Phase::Recover { .. } | Phase::Over => false,
    }
}

/// Plays at random to the end of the chain that a seat has begun, and returns the number of its actions.
fn finish(mut game: Giants, seat: Seat, begun: Action, rng: &mut ChaCha8Rng) -> usize {
    let mut chain = vec![begun];
    game.apply(seat, begun, &mut Vec::new());
    while is_amid(&game, seat) {
        let legal = legal(&game, seat);
        assert!(!legal.is_empty(), "seat {seat} is stuck after {chain:?}: {game:?}");
        let action = legal[rng.random_range(0..legal.len())];
        chain.push(action);
        game.apply(seat, action, &mut Vec::new());
        game.check_invariants().expect("every thing is in exactly one place");
    }
    chain.len()
}

/// No offered prefix is a dead end: every chain can be completed, whatever its next actions are.
#[test]
fn whatever_is_offered_can_be_brought_to_an_end() {
    let (mut met, mut longest) = (0, 0);
    for seats in tables::<Giants>() {
        for seed in 0..few_games() {
            play_random::<Giants>(&some_options::<Giants>(seats, seed), seed, |game, _, rng| {
                if rng.random_range(0..10) > 0 {
                    return;
                }
                for seat in game.turn().to_act().iter() {
                    for action in legal(game, seat) {
                        for _ in 0..2 {
                            longest = longest.max(finish(game.clone(), seat, action, rng));
                            met += 1;
                        }
                    }
                }
            });
        }
    }
    assert!(met > 10_000 && longest > 5, "the law was put to the test: {met}, {longest} steps");
}

/// The record of this turn, from its events.
#[derive(Default)]
struct Story {
    /// The hexes where each piece has been in this turn.
    been: HashMap<Piece, HashSet<Hex>>,
    /// The payments for the hex that the piece is entering: payees and points.
    paid: Vec<(Seat, u8)>,
    entries: usize,
    payments: usize,
}

fn start(game: &Giants, piece: Piece) -> Hex {
    let board = game.table.board();
    match (game.table.place_of(piece), piece.kind()) {
        (Place::Island { hex, .. }, _) => hex,
        (Place::Front(_), Kind::Moai(_)) => board.moai_quarry,
        (Place::Front(_), Kind::Headdress) => board.headdress_quarry,
        (place, _) => panic!("{piece} is at {place:?}"),
    }
}

/// Returns the units that a seat's figures on a hex can carry: Workers and Sorcerer, and the Chief.
fn figures_on(game: &Giants, seat: Seat, hex: Hex) -> (u8, u8) {
    let tribe = &game.table.tribes[seat];
    let sorcerer = u8::from(tribe.sorcerer == Spot::On(hex));
    (tribe.workers.count(hex) + sorcerer, if tribe.chief == Spot::On(hex) { 3 } else { 0 })
}

fn logs_on(game: &Giants, hex: Hex) -> u8 {
    game.table.logs.placed().iter().filter(|log| log.hex == hex).count() as u8
}

/// Returns true if a hex lets a piece pass: it has at least one figure, and capacity for the size.
fn lets_pass(game: &Giants, piece: Piece, hex: Hex) -> bool {
    let figures: u8 = game.table.options.seats.iter().map(|seat| figures_on(game, seat, hex)).map(|(a, b)| a + b).sum();
    figures > 0 && figures + logs_on(game, hex) >= size(piece)
}

fn size(piece: Piece) -> u8 {
    match piece.kind() {
        Kind::Moai(size) => size.units(),
        Kind::Headdress => 1,
    }
}

/// Returns the shortage by the exact rule of the dossier, for a mover with or without a figure on the hex.
fn shortage(game: &Giants, seat: Seat, piece: Piece, hex: Hex) -> u8 {
    let (workers, chief) = figures_on(game, seat, hex);
    let (own, logs) = (i16::from(workers + chief), i16::from(logs_on(game, hex)));
    let size = i16::from(size(piece));
    let short = if own >= 1 { (size - own - logs).max(0) } else { (size - logs).max(1) };
    u8::try_from(short).expect("a shortage is small")
}

impl Story {
    fn take(&mut self, game: &Giants, events: &[Event]) {
        for event in events {
            match *event {
                Event::TurnBegan { .. } => self.been.clear(),
                Event::Lifted { piece, .. } => {
                    self.been.entry(piece).or_default().insert(start(game, piece));
                    assert!(self.paid.is_empty(), "a player was paid for nothing");
                }
                Event::Paid { payee_seat, points, .. } => self.paid.push((payee_seat, points)),
                Event::Entered { seat, piece, hex } => self.enter(game, seat, piece, hex),
                _ => {}
            }
        }
    }

    fn enter(&mut self, game: &Giants, seat: Seat, piece: Piece, hex: Hex) {
        let from = start(game, piece);
        assert!(game.table.board().neighbours(from).contains(hex), "{piece} jumps from {from} to {hex}");
        assert!(self.been.entry(piece).or_default().insert(hex), "{piece} enters {hex} twice in a turn");
        assert!(lets_pass(game, piece, hex), "{piece} cannot enter {hex}");
        let paid = std::mem::take(&mut self.paid);
        let (short, most) = (shortage(game, seat, piece, hex), size(piece));
        let sum: u8 = paid.iter().map(|(_, points)| points).sum();
        let Options { chief_pp, allow_gift_pp, .. } = game.table.options;
        let by_units = game.table.options.seats.iter().all(|payee| {
            let lent: u8 = paid.iter().filter(|(to, _)| *to == payee).map(|(_, points)| points).sum();
            let (workers, chief) = figures_on(game, payee, hex);
            lent <= workers + if chief_pp == ChiefPay::PerUnit { chief } else { 0 } && (payee != seat || lent == 0)
        });
        let is_chief = |&(payee, points): &(Seat, u8)| figures_on(game, payee, hex).1 > 0 && points == most;
        let by_chief = chief_pp == ChiefPay::FullSize && paid.len() == 1 && paid.iter().all(is_chief);
        let right = match allow_gift_pp {
            false => by_units && sum == short || by_chief && short > 0,
            true => by_units && (short..=most).contains(&sum) || by_chief,
        };
        assert!(right, "seat {seat} pays {paid:?} for {piece} into {hex}, {short} being short: {game:?}");
        self.entries += 1;
        self.payments += usize::from(sum > 0);
    }
}

/// No piece enters a hex twice, and every entry is paid for by the exact rule.
#[test]
fn every_way_keeps_the_rule_of_transport() {
    let (mut entries, mut payments) = (0, 0);
    for seats in tables::<Giants>() {
        for seed in 0..few_games() * 3 {
            let mut story = Story::default();
            play_random::<Giants>(&some_options::<Giants>(seats, seed), seed, |game, next, _| {
                let Some(next) = next else { return };
                let (mut after, mut events) = (game.clone(), Vec::new());
                carry_out(&mut after, next, &mut events);
                story.take(game, &events);
            });
            entries += story.entries;
            payments += story.payments;
        }
    }
    assert!(entries > 5_000 && payments > 2_000, "the law was put to the test: {entries}, {payments}");
}

/// The most transports to compare in a position. Positions with more are skipped.
const MAX_TRANSPORTS: usize = 2_000;

/// Returns every transport that the rules allow a seat, by the second implementation; None if there are too many.
fn allowed(game: &Giants, seat: Seat, story: &Story) -> Option<BTreeSet<String>> {
    let mut all = BTreeSet::new();
    for piece in Piece::all() {
        let (is_own, is_marked) = match game.table.place_of(piece) {
            Place::Front(by) | Place::Island { claim: Claim::Held(by), .. } if by == seat => (true, false),
            Place::Island { claim: Claim::Marked(by), .. } if by == seat => (true, true),
            Place::Island { claim: Claim::Abandoned, .. } => (false, false),
            Place::Rock | Place::Front(_) | Place::Island { .. } | Place::Ahu(_) => continue,
        };
        let at = start(game, piece);
        let been = story.been.get(&piece).cloned().unwrap_or_default();
        let way = Way { seat, piece, is_own, is_marked };
        way.go(game, at, &mut been.into_iter().chain([at]).collect(), &format!("lift {piece}"), false, &mut all)?;
    }
    Some(all)
}

struct Way {
    seat: Seat,
    piece: Piece,
    is_own: bool,
    is_marked: bool,
}

impl Way {
    fn go(
        &self,
        game: &Giants,
        at: Hex,
        been: &mut HashSet<Hex>,
        path: &str,
        moved: bool,
        all: &mut BTreeSet<String>,
    ) -> Option<()> {
        all.extend(self.ends(game, at, moved).into_iter().map(|end| format!("{path}, {end}")));
        if all.len() > MAX_TRANSPORTS {
            return None;
        }
        for next in game.table.board().hexes.iter() {
            let near = game.table.board().neighbours(at).contains(next);
            if near && lets_pass(game, self.piece, next) && been.insert(next) {
                self.go(game, next, been, &format!("{path}, enter {next}"), true, all)?;
                been.remove(&next);
            }
        }
        Some(())
    }

    fn ends(&self, game: &Giants, at: Hex, moved: bool) -> Vec<String> {
        let (table, options) = (&game.table, game.table.options);
        let tribe = &table.tribes[self.seat];
        let worker_here = tribe.workers.count(at) > 0;
        let figure_here = worker_here || [tribe.sorcerer, tribe.chief].contains(&Spot::On(at));
        let mut ends = Vec::new();
        if moved && self.is_own {
            ends.push("stop".to_owned());
        }
        if !self.is_marked && tribe.reserve.markers > 0 {
            ends.push("mark".to_owned());
        }
        for ahu in table.board().ahus().filter(|&ahu| table.board().ahu(ahu).hex == at) {
            let site = table.site(ahu);
            let is_free = site == Site::Reserved(self.seat) || site == Site::Free && tribe.reserve.bases > 0;
            let can_erect = worker_here || figure_here && !options.erect_needs_worker;
            match (self.piece.kind(), site) {
                (Kind::Moai(_), _) if can_erect && is_free => ends.push(format!("erect {ahu}")),
                (Kind::Headdress, Site::Erected { owner, headdress: None, .. })
                    if figure_here && (!options.top_own_only || owner == Some(self.seat)) =>
                {
                    ends.push(format!("top {ahu}"));
                }
                _ => {}
            }
        }
        ends
    }
}

/// Collects every transport that the game offers, without the payments; None if there are too many.
fn offered(game: &Giants, seat: Seat, path: &str, all: &mut BTreeSet<String>) -> Option<()> {
    for action in legal(game, seat) {
        let path = match action {
            Action::Pass | Action::Peek(_) => continue,
            Action::Pay(_) | Action::PayChief(_) | Action::Enough => path.to_owned(),
            action if path.is_empty() => action.to_string(),
            action => format!("{path}, {action}"),
        };
        let mut after = game.clone();
        after.apply(seat, action, &mut Vec::new());
        if is_amid(&after, seat) {
            offered(&after, seat, &path, all)?;
        } else {
            all.insert(path);
        }
        if all.len() > MAX_TRANSPORTS {
            return None;
        }
        if matches!(action, Action::Pay(_) | Action::PayChief(_) | Action::Enough) {
            // All payments lead to the same hex, so one is enough.
            break;
        }
    }
    Some(())
}

#[test]
fn the_transports_that_are_offered_are_those_that_the_rules_allow() {
    let (mut compared, mut transports) = (0, 0);
    for seats in tables::<Giants>() {
        for seed in 0..few_games() * 2 {
            let mut options = some_options::<Giants>(seats, seed);
            options.board = if seed % 4 == 0 { BoardName::V1 } else { BoardName::Tiny };
            let mut story = Story::default();
            play_random::<Giants>(&options, seed, |game, next, rng| {
                if let Phase::Transport { seat, step: TransportStep::Lift, .. } = game.table.phase
                    && rng.random_range(0..4) == 0
                    && let Some(allowed) = allowed(game, seat, &story)
                {
                    let mut all = BTreeSet::new();
                    offered(game, seat, "", &mut all).expect("the game offers no more transports than the rules allow");
                    assert_eq!(all, allowed, "seed {seed}, seat {seat}: {game:?}");
                    compared += 1;
                    transports += allowed.len();
                }
                let Some(next) = next else { return };
                let (mut after, mut events) = (game.clone(), Vec::new());
                carry_out(&mut after, next, &mut events);
                story.take(game, &events);
            });
        }
    }
    assert!(compared > 1_000 && transports > 5_000, "the law was put to the test: {compared}, {transports}");
}

/// The game asks only seats that can do something other than pass (G47).
#[test]
fn nobody_is_asked_who_could_only_pass() {
    for seats in tables::<Giants>() {
        for seed in 0..few_games() {
            play_random::<Giants>(&some_options::<Giants>(seats, seed), seed, |game, _, _| {
                let Turn::Seats(to_act) = game.turn() else { return };
                let bids = matches!(game.table.phase, Phase::Bid { .. });
                for seat in to_act.iter() {
                    let can_act = legal(game, seat).into_iter().any(|action| {
                        !matches!(action, Action::Pass | Action::Peek(_) | Action::Decline | Action::Enough)
                    });
                    assert!(bids || can_act, "seat {seat} is asked at {:?}", game.table.phase);
                }
            });
        }
    }
}
