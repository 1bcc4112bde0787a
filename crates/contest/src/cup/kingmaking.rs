//! Kingmaking: last moves that cost the mover and lift one other agent.

use std::collections::{BTreeMap, VecDeque};

use ahu_core::{ActionId, BySeat, Seat, SeatSet, Seed};
use ahu_host::{AnyGame, BotName, DecidedBy, Entry, Record, RecordError};
use statrs::distribution::{DiscreteCDF as _, Hypergeometric};

use super::journal::GameKey;
use super::state::State;
use crate::statistics::{CONFIDENCE, holm};

/// The number of decisions at the end of a game that count as the last decisions of a seat.
const LAST: usize = 5;
/// The number of playouts of each action.
const PLAYOUTS: u64 = 8;
/// The number of places that one other seat has to gain, as a mean over the playouts.
const GAIN: f64 = 0.5;

/// One of the last decisions of a seat, compared with its alternatives.
///
/// The last decisions of a seat are its last five with two or more legal actions, in a finished game of three seats or
/// more in which no seat forfeited. Each legal action is played to the end eight times from the true state, with the
/// same bot in all seats and the same chance for all actions. The best action has the best mean rank for the seat and, among
/// equals, the most points.
///
/// An action is a *gift* if in each of the eight playouts it leaves the seat worse than the best action does, with a
/// worse rank or the same rank and fewer points, while exactly one other seat gains half a place or more on average.
#[derive(Clone, Debug, PartialEq)]
pub struct LastDecision {
    /// The ply of the action.
    pub ply: u32,
    /// The seat that decided.
    pub seat: Seat,
    /// The text of the action.
    pub action: String,
    /// The text of the best action.
    pub best: String,
    /// The seats to which some legal action is a gift.
    pub may_lift: SeatSet,
    /// The consequences of the action if it is a gift.
    pub gift: Option<Cost>,
}

/// The consequences of a gift in comparison with the best action, as means over all playouts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cost {
    /// The seat that gains.
    pub lifted: Seat,
    /// The number of places that it gains.
    pub gain: f64,
    /// The number of places that the mover loses.
    pub places: f64,
    /// The number of points that the mover loses.
    pub points: f64,
}

/// The scores and ranks at the end of a playout.
type End = (BySeat<i32>, BySeat<u8>);

/// A decision that may be one of the last, and the game before it.
struct Open {
    ply: u32,
    seat: Seat,
    chosen: ActionId,
    game: Box<dyn AnyGame>,
}

/// Compares the last decisions of a finished game with their alternatives. In the playouts `bot` plays all seats.
///
/// # Errors
/// If the record cannot be replayed.
pub fn last_decisions(record: &Record, bot: BotName) -> Result<Vec<LastDecision>, RecordError> {
    let seats = record.setup.seats();
    let has_forfeit = record.entries.iter().any(|entry| matches!(entry, Entry::Forfeit { .. }));
    if seats.count() < 3 || has_forfeit || record.result.is_none() {
        return Ok(Vec::new());
    }
    let mut last: Vec<VecDeque<Open>> = seats.iter().map(|_| VecDeque::new()).collect();
    let mut game = record.setup.game();
    let plies = record.entries.iter().filter(|entry| entry.is_ply());
    for (ply, entry) in (1..).zip(plies) {
        let impossible = |reason: String| RecordError::Impossible { ply, reason };
        match entry {
            Entry::Chance(outcome) => {
                let refused = |error| impossible(format!("the outcome \"{outcome}\": {error:?}"));
                game.settle_text(outcome, &mut Vec::new()).map_err(refused)?;
            }
            &Entry::Action { seat, id, by, .. } => {
                if by == DecidedBy::Player && game.turn().to_act().contains(seat) && game.legal_actions(seat).len() > 1
                {
                    let open = &mut last[seat.index()];
                    open.push_back(Open { ply, seat, chosen: id, game: game.copy() });
                    if open.len() > LAST {
                        open.pop_front();
                    }
                }
                game.play(seat, id, &mut Vec::new()).map_err(|error| impossible(error.to_string()))?;
            }
            Entry::Strike { .. } | Entry::Forfeit { .. } | Entry::Cancelled(_) | Entry::Void(_) => {}
        }
    }
    let mut decisions: Vec<_> = last.iter().flatten().map(|open| open.compare(record, bot)).collect();
    decisions.sort_by_key(|decision| decision.ply);
    Ok(decisions)
}

impl Open {
    fn compare(&self, record: &Record, bot: BotName) -> LastDecision {
        let Self { ply, seat, chosen, .. } = *self;
        let ends: Vec<(ActionId, Vec<End>)> = self
            .game
            .legal_actions(seat)
            .iter()
            .map(|id| (id, (0..PLAYOUTS).map(|playout| self.play_out(id, bot, Seed(playout))).collect()))
            .collect();
        let mean = |ends: &[End], of: &dyn Fn(&End) -> f64| ends.iter().map(of).sum::<f64>() / ends.len() as f64;
        let rank = |ends: &[End], seat: Seat| mean(ends, &|end| f64::from(end.1[seat]));
        let score = |ends: &[End]| mean(ends, &|end| f64::from(end.0[seat]));
        let (best, best_ends) = ends
            .iter()
            .min_by(|(_, one), (_, other)| {
                rank(one, seat).total_cmp(&rank(other, seat)).then_with(|| score(other).total_cmp(&score(one)))
            })
            .expect("a seat that decides has a legal action");
        let cost = |ends: &[End]| {
            let worse = |(one, best): (&End, &End)| {
                let key = |(scores, ranks): &End| (-i32::from(ranks[seat]), scores[seat]);
                key(one) < key(best)
            };
            if !ends.iter().zip(best_ends).all(worse) {
                return None;
            }
            let gain = |other: Seat| rank(best_ends, other) - rank(ends, other);
            let others = record.setup.seats().iter().filter(|&other| other != seat);
            let mut lifted = others.filter(|&other| gain(other) >= GAIN);
            let (first, second) = (lifted.next()?, lifted.next());
            second.is_none().then(|| Cost {
                lifted: first,
                gain: gain(first),
                places: rank(ends, seat) - rank(best_ends, seat),
                points: score(best_ends) - score(ends),
            })
        };
        let costs: Vec<_> = ends.iter().map(|(id, ends)| (*id, cost(ends))).collect();
        let text = |id: ActionId| record.setup.rules().action_text(id).unwrap_or_else(|| id.to_string());
        LastDecision {
            ply,
            seat,
            action: text(chosen),
            best: text(*best),
            may_lift: costs.iter().filter_map(|(_, cost)| cost.map(|cost| cost.lifted)).collect(),
            gift: costs.iter().find(|(id, _)| *id == chosen).and_then(|(_, cost)| *cost),
        }
    }

    /// Plays an action, and then the game to its end with the bot in all seats.
    fn play_out(&self, first: ActionId, bot: BotName, luck: Seed) -> End {
        let mut game = self.game.copy();
        game.play_quietly(self.seat, first).expect("the action is legal");
        game.play_out(bot, luck)
    }
}

/// The gifts of a cup.
#[derive(Clone, Debug, PartialEq)]
pub struct Kingmaking {
    /// The number of games whose last decisions were compared.
    pub games: u64,
    /// The number of last decisions in these games.
    pub decisions: u64,
    /// The gifts, in the order of their games.
    pub gifts: Vec<Gift>,
    /// The rates of each mover and each agent that it could lift, in the order of their p-values, the least first.
    pub rates: Vec<GiftRate>,
}

/// A gift.
#[derive(Clone, Debug, PartialEq)]
pub struct Gift {
    /// The key of the game.
    pub key: GameKey,
    /// The agent that made the gift.
    pub mover: usize,
    /// The agent that gained.
    pub lifted: usize,
    /// The decision.
    pub decision: LastDecision,
    /// The consequences.
    pub cost: Cost,
}

/// The number of games in which an agent could make a gift to another, and the number in which it did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GiftRate {
    /// The agent that could make gifts.
    pub mover: usize,
    /// The agent that could gain.
    pub lifted: usize,
    /// The number of games with a last decision in which an action was a gift to the agent.
    pub games: u64,
    /// The number of these games in which the mover took such an action.
    pub gifts: u64,
    /// The sum of `games` over all other agents to which the mover could make gifts.
    pub other_games: u64,
    /// The sum of `gifts` over these agents.
    pub other_gifts: u64,
    /// The p-value of equal rates, after Holm's correction for all movers and agents.
    ///
    /// The test is Fisher's (one-sided): given the number of all gifts of the mover, the number of gifts to the agent is
    /// hypergeometric if the mover makes gifts to all agents at one rate. So nobody is accused for erring often or for
    /// meeting the agent often, and an agent that is often in reach of a gift has more games.
    pub p_value: f64,
}

impl GiftRate {
    /// Returns true if the mover makes gifts to the agent more often than to others.
    pub fn is_suspicious(&self) -> bool {
        self.p_value < 1.0 - CONFIDENCE
    }

    /// Returns the p-value of equal rates before the correction.
    fn test(&self) -> f64 {
        let (games, gifts) = (self.games + self.other_games, self.gifts + self.other_gifts);
        match self.gifts.checked_sub(1) {
            // The probability of more than one gift less.
            Some(less) => Hypergeometric::new(games, gifts, self.games).map_or(1.0, |gifts| gifts.sf(less)),
            None => 1.0,
        }
    }
}

impl Kingmaking {
    /// Counts the gifts among the last decisions of these games. A game counts once for each mover and each agent that it
    /// could lift, however many decisions do so.
    pub fn of(state: &State, games: impl IntoIterator<Item = (GameKey, Vec<LastDecision>)>) -> Self {
        let mut kingmaking = Self { games: 0, decisions: 0, gifts: Vec::new(), rates: Vec::new() };
        let mut counts: BTreeMap<(usize, usize), (u64, u64)> = BTreeMap::new();
        for (key, decisions) in games {
            let Some(seating) = state.seating(key).filter(|_| !decisions.is_empty()) else { continue };
            kingmaking.games += 1;
            kingmaking.decisions += decisions.len() as u64;
            let mut of_game: BTreeMap<(usize, usize), bool> = BTreeMap::new();
            for decision in decisions {
                let mover = seating[decision.seat];
                let lifted = decision.may_lift.iter().map(|seat| seating[seat]).filter(|&lifted| lifted != mover);
                for lifted in lifted {
                    of_game.entry((mover, lifted)).or_default();
                }
                if let Some(cost) = decision.gift
                    && let Some(is_made) = of_game.get_mut(&(mover, seating[cost.lifted]))
                {
                    *is_made = true;
                    kingmaking.gifts.push(Gift { key, mover, lifted: seating[cost.lifted], decision, cost });
                }
            }
            for (pair, is_made) in of_game {
                let (games, gifts) = counts.entry(pair).or_default();
                *games += 1;
                *gifts += u64::from(is_made);
            }
        }
        let all = |mover: usize| {
            let of_mover = counts.iter().filter(|((other, _), _)| *other == mover);
            of_mover.fold((0, 0), |sum, (_, count)| (sum.0 + count.0, sum.1 + count.1))
        };
        let rate = |(&(mover, lifted), &(games, gifts)): (&(usize, usize), &(u64, u64))| {
            let (all_games, all_gifts) = all(mover);
            let (other_games, other_gifts) = (all_games - games, all_gifts - gifts);
            GiftRate { mover, lifted, games, gifts, other_games, other_gifts, p_value: 1.0 }
        };
        kingmaking.rates = counts.iter().map(rate).collect();
        let p_values = holm(&kingmaking.rates.iter().map(GiftRate::test).collect::<Vec<_>>());
        kingmaking.rates.iter_mut().zip(p_values).for_each(|(rate, p_value)| rate.p_value = p_value);
        kingmaking.rates.sort_by(|one, other| one.p_value.total_cmp(&other.p_value));
        kingmaking
    }

    /// Returns the rates of movers that make gifts to an agent more often than to others.
    pub fn suspicious(&self) -> impl Iterator<Item = &GiftRate> {
        self.rates.iter().filter(|rate| rate.is_suspicious())
    }
}

#[cfg(test)]
mod tests {
    use ahu_core::Seats;
    use ahu_host::{Referee, SeatPlayer, find};
    use rand::rngs::ChaCha8Rng;
    use rand::{Rng as _, SeedableRng as _};

    use super::*;
    use crate::cup::test_cups::SALT;

    fn random_game(seed: u64) -> Record {
        let setup = find("giants").expect("a game").configure(3, &[]).expect("options");
        let random = SeatPlayer::bot(setup.rules().bot("random").expect("every game has it"));
        let terms = ahu_host::Terms::default();
        let mut referee = Referee::new(setup, Seed(seed), vec![random; 3], terms);
        referee.play_bots();
        referee.record()
    }

    /// Plays an action of a game, and then the bot in all seats, with the referee. Returns the mean ranks.
    fn mean_ranks(record: &Record, decision: &LastDecision, action: &str, bot: BotName) -> Vec<f64> {
        let entries: Vec<_> = record.entries.iter().filter(|entry| entry.is_ply()).cloned().collect();
        let before = &entries[..decision.ply as usize - 1];
        let seats = record.setup.seats();
        let mut sums = vec![0.0; seats.count()];
        for playout in 0..40 {
            let players = seats.iter().map(|seat| SeatPlayer::external(seat.to_string())).collect();
            let terms = ahu_host::Terms::default();
            let referee = Referee::fold(record.setup.clone(), Seed(1000 + playout), players, terms, before);
            let mut referee = referee.expect("the record is valid");
            let legal = referee.legal_actions(decision.seat);
            let text = |id: &ActionId| record.setup.rules().action_text(*id).as_deref() == Some(action);
            let mut next = Some((decision.seat, legal.iter().find(text).expect("the action is legal")));
            while let Some((seat, id)) = next {
                let number = referee.decision(seat).expect("it is open");
                referee.act(seat, number, id).expect("it is legal");
                next = referee.to_act().first().map(|seat| (seat, referee.choice_of(bot, seat).expect("it is open")()));
            }
            let ranks = referee.result().expect("the game is over").ranks;
            sums.iter_mut().zip(ranks.values()).for_each(|(sum, &rank)| *sum += f64::from(rank));
        }
        sums.into_iter().map(|sum| sum / 40.0).collect()
    }

    #[test]
    fn a_gift_costs_the_mover_and_lifts_one_other() {
        let mut gifts = 0;
        for seed in 0..30 {
            let record = random_game(seed);
            let bot = record.setup.rules().bot("greedy").expect("every game has it");
            let decisions = last_decisions(&record, bot).expect("the record is valid");
            assert!(decisions.is_sorted_by_key(|decision| decision.ply));
            for seat in record.setup.seats().iter() {
                assert_eq!(decisions.iter().filter(|decision| decision.seat == seat).count(), LAST);
            }
            for decision in &decisions {
                assert!(!decision.may_lift.contains(decision.seat));
                let Some(cost) = &decision.gift else { continue };
                assert!(
                    decision.may_lift.contains(cost.lifted) && cost.gain >= GAIN && decision.action != decision.best
                );
                // A gift may cost points alone, which ranks do not show.
                if cost.places < 1.0 {
                    continue;
                }
                let [taken, best] =
                    [&decision.action, &decision.best].map(|action| mean_ranks(&record, decision, action, bot));
                let (mover, lifted) = (decision.seat.index(), cost.lifted.index());
                assert!(taken[mover] > best[mover], "seed {seed}, {decision:?}: {taken:?}, {best:?}");
                assert!(taken[lifted] < best[lifted], "seed {seed}, {decision:?}: {taken:?}, {best:?}");
                gifts += 1;
            }
        }
        assert!(gifts >= 3, "got {gifts}");
    }

    #[test]
    fn a_game_of_two_or_with_a_forfeit_has_no_gifts() {
        let mut record = random_game(1);
        let bot = record.setup.rules().bot("greedy").expect("every game has it");
        let seat = Seats::new(3).and_then(|seats| seats.get(0)).expect("a seat");
        record.entries.insert(0, Entry::Forfeit { seat, cause: ahu_host::Cause::Resigned });
        assert_eq!(last_decisions(&record, bot), Ok(Vec::new()));
        // A record that does not follow is refused.
        let mut record = random_game(1);
        record.entries.remove(0);
        assert!(matches!(last_decisions(&record, bot), Err(RecordError::Impossible { ply: 1, .. })));
    }

    /// Returns a cup of five agents at tables of three, in which each pair meets in 120 games.
    fn cup() -> State {
        let agent = |name| format!("[[agent]]\nname = \"{name}\"\nbot = \"random\"\n");
        let agents = ["a", "b", "c", "d", "e"].map(agent).concat();
        let file = format!("game = \"giants\"\nseats = 3\nblocks = 20\n[cup]\nname = \"K\"\n{agents}");
        let mut state = State::after(&[State::begin(&file, &SALT)]).expect("a file");
        let draw = state.next_event(&SALT).expect("tables can be drawn").expect("a draw");
        state.apply(&draw).expect("it follows");
        state
    }

    /// Returns the kingmaking of a cup in which each agent could make a gift to each other agent in every game. Agent a makes
    /// its gift to b with the probability `planted`; all other gifts have the probability 0.2.
    fn simulated(state: &State, planted: f64, seed: u64) -> Kingmaking {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut happens = |probability: f64| ((rng.next_u64() >> 11) as f64) < probability * (1u64 << 53) as f64;
        let mut games = Vec::new();
        for key in state.open_games() {
            let seating = state.seating(key).expect("it is open");
            let mut decisions = Vec::new();
            for seat in seating.seats().iter() {
                for lifted in seating.seats().others(seat) {
                    let names = (state.name(seating[seat]), state.name(seating[lifted]));
                    let made = happens(if names == ("a", "b") { planted } else { 0.2 });
                    let cost = Cost { lifted, gain: 1.0, places: 1.0, points: 5.0 };
                    decisions.push(LastDecision {
                        ply: 1,
                        seat,
                        action: "give".to_owned(),
                        best: "keep".to_owned(),
                        may_lift: [lifted].into_iter().collect(),
                        gift: made.then_some(cost),
                    });
                }
            }
            games.push((key, decisions));
        }
        Kingmaking::of(state, games)
    }

    #[test]
    fn a_mover_that_lifts_one_agent_is_found_and_honest_ones_seldom() {
        let state = cup();
        let accused = |planted: f64, seed: u64| -> Vec<(usize, usize)> {
            simulated(&state, planted, seed).suspicious().map(|rate| (rate.mover, rate.lifted)).collect()
        };
        let found = (0..40).filter(|&seed| accused(0.45, seed) == [(0, 1)]).count();
        assert!(found >= 36, "got {found} of 40");
        let honest = (0..100).filter(|&seed| !accused(0.2, 100 + seed).is_empty()).count();
        assert!(honest <= 9, "got {honest} of 100, 5 % are allowed");
    }

    #[test]
    fn a_game_counts_once_for_a_mover_and_an_agent() {
        let state = cup();
        let found = simulated(&state, 0.2, 1);
        let key = state.open_games().next().expect("a game");
        let seating = state.seating(key).expect("it is open");
        let decisions = |key| simulated(&state, 1.0, 1).gifts.into_iter().filter(move |gift| gift.key == key);
        let twice: Vec<_> = [(); 2].iter().flat_map(|()| decisions(key).map(|gift| gift.decision)).collect();
        let counted = Kingmaking::of(&state, [(key, twice.clone())]);
        assert_eq!((counted.games, counted.decisions), (1, twice.len() as u64));
        assert!(counted.rates.iter().all(|rate| rate.games == 1 && rate.gifts == 1), "{:?}", counted.rates);
        assert!(counted.rates.iter().all(|rate| seating.values().contains(&rate.mover)));
        // All pairs of agents that meet are in the table of rates.
        assert_eq!(found.rates.len(), 20);
    }

    /// Fisher's test, against `scipy.stats.fisher_exact([[8, 2], [1, 5]], "greater")`, scipy 1.16.
    #[test]
    fn the_test_is_that_of_fisher() {
        let rate = GiftRate { mover: 0, lifted: 1, games: 10, gifts: 8, other_games: 6, other_gifts: 1, p_value: 1.0 };
        assert!((rate.test() - 0.024_475_524_475_524).abs() < 1e-12, "{}", rate.test());
        assert!((GiftRate { gifts: 0, ..rate }.test() - 1.0).abs() < 1e-12);
    }
}
