//! Ratings: the fit, intervals, ranks, the crosstable, influence, and bad input.

use ahu_contest::blocks::{Block, GameOutcome, PlayedGame};
use ahu_contest::ratings::{Bootstrap, Crosstable, ELO, Influence, Ratings, Resolution, Results};
use ahu_contest::statistics::Estimate;
use ahu_core::{BySeat, Seat, Seats, Seed};
use ahu_host::{Cause, MatchResult};
use rand::rngs::ChaCha8Rng;
use rand::{Rng as _, SeedableRng as _};

const BOOTSTRAP: Bootstrap = Bootstrap { replicates: 199, seed: Seed(1) };

/// Returns a game with these ranks, in which player i has seat i.
fn game(ranks: &[u8]) -> PlayedGame {
    let seats = Seats::new(ranks.len()).expect("a table");
    let ranks = BySeat::from_fn(seats, |seat| ranks[seat.index()]);
    let result = MatchResult { scores: ranks.map(|_| 0), ranks, forfeits: ranks.map(|_| None) };
    let seating = BySeat::from_fn(seats, Seat::index);
    PlayedGame { seating, outcome: GameOutcome::Finished(result), decisions: 0, times: Vec::new() }
}

fn block(games: Vec<PlayedGame>) -> Block {
    Block { number: 7, games }
}

/// Returns the results of blocks of one game each. An item of `games` has two agents, and the numbers of games that the first
/// agent won, lost, and tied.
fn duels(agents: usize, games: &[(usize, usize, [usize; 3])]) -> Results {
    let mut results = Results::new(agents);
    for &(one, other, counts) in games {
        for (ranks, count) in [[1, 2], [2, 1], [1, 1]].iter().zip(counts) {
            for _ in 0..count {
                results.add(&block(vec![game(ranks)]), &[one, other]).expect("a block");
            }
        }
    }
    results
}

/// Returns the strengths above the strength of agent 0.
fn strengths(results: &Results) -> Vec<f64> {
    let ratings = Ratings::of(results, 0, Bootstrap { replicates: 0, seed: Seed(0) });
    ratings.agents.iter().map(|rating| rating.strength.mean).collect()
}

const SOME: [(usize, usize, [usize; 3]); 6] =
    [(0, 1, [5, 2, 1]), (0, 2, [3, 3, 2]), (1, 2, [6, 1, 0]), (2, 3, [4, 4, 3]), (3, 4, [9, 0, 0]), (0, 4, [7, 0, 1])];

/// Checks the fit against `choix` 0.4.1. It has no ties and a penalty of `alpha` for each square, so that every game
/// counts twice, a tie once for each side, and `alpha` is twice 1 / (2 * 3^2):
///
/// ```text
/// python3 -c "import choix
/// games = [(0,1,5,2,1), (0,2,3,3,2), (1,2,6,1,0), (2,3,4,4,3), (3,4,9,0,0), (0,4,7,0,1)]
/// data = [pair for a, b, w, l, t in games for pair in [(a, b)] * (2*w + t) + [(b, a)] * (2*l + t)]
/// fit = choix.opt_pairwise(5, data, alpha=1/9, tol=1e-12); print(fit - fit[0])
/// fit = choix.ilsr_pairwise(5, data, tol=1e-13, max_iter=100000); print(fit - fit[0])"
/// ```
#[test]
fn the_fit_is_that_of_choix() {
    let is_near = |ours: &[f64], theirs: [f64; 5], tolerance: f64| {
        assert!(ours.iter().zip(theirs).all(|(ours, theirs)| (ours - theirs).abs() < tolerance), "{ours:?}");
    };
    let theirs = [0.0, -0.025_061_229, -0.585_947_421, -0.427_392_373, -3.295_165_315];
    is_near(&strengths(&duels(5, &SOME)), theirs, 1e-7);
    // With a hundred thousand games the prior has no effect, and the maximum of the likelihood remains.
    let many = SOME.map(|(one, other, counts)| (one, other, counts.map(|count| 2000 * count)));
    let theirs = [0.0, -0.005_837_046, -0.600_895_147, -0.483_875_488, -3.779_684_057];
    is_near(&strengths(&duels(5, &many)), theirs, 1e-3);
}

#[test]
fn an_agent_that_won_or_lost_everything_has_a_finite_rating_and_an_open_interval() {
    // Agent 0 won everything, agent 3 lost everything, and agent 4 never played.
    let results = duels(5, &[(0, 1, [20, 0, 0]), (1, 2, [10, 10, 0]), (2, 3, [20, 0, 0])]);

    let ratings = Ratings::of(&results, 1, BOOTSTRAP);

    let [best, anchor, equal, worst, idle] = &ratings.agents[..] else { panic!("five agents") };
    assert!(best.strength.mean > 2.0 && best.strength.mean < 10.0, "{best:?}");
    assert!(best.strength.low > 0.0 && best.strength.high == f64::INFINITY, "{best:?}");
    // Twenty equal blocks do not tell how often the agent will lose.
    assert!(best.strength.mean - best.strength.low > 1.5, "{best:?}");
    assert!(worst.strength.high < 0.0 && worst.strength.low == f64::NEG_INFINITY, "{worst:?}");
    assert_eq!(anchor.strength, Estimate { mean: 0.0, low: 0.0, high: 0.0, ..anchor.strength });
    assert!(equal.strength.low < -0.1 && equal.strength.high > 0.1 && equal.strength.high < 3.0, "{equal:?}");
    assert_eq!((idle.strength.low, idle.strength.high), (f64::NEG_INFINITY, f64::INFINITY));
    assert_eq!((idle.ranks.clone(), idle.strength.samples), (1..=5, 0));
    assert_eq!((best.rank, worst.rank, best.strength.samples, best.pairs, best.won), (1, 5, 20, 20.0, 20.0));
    assert!((best.elo().mean - ELO * best.strength.mean).abs() < 1e-9);
    assert_eq!(format!("{:.0}", anchor.elo()), "0 [0, 0]");
}

#[test]
fn ranks_exclude_the_places_that_results_rule_out_and_no_others() {
    // The first two agents are far better than the last two, and the agents of each pair are not told apart.
    let mut games = vec![(0, 1, [15, 15, 0]), (2, 3, [14, 16, 0])];
    games.extend([0, 1].into_iter().flat_map(|good| [2, 3].map(|bad| (good, bad, [27, 3, 0]))));
    let ratings = Ratings::of(&duels(4, &games), 3, BOOTSTRAP);
    let ranks: Vec<_> = ratings.agents.iter().map(|rating| rating.ranks.clone()).collect();
    assert_eq!(ranks, [1..=2, 1..=2, 3..=4, 3..=4]);
}

#[test]
fn groups_that_never_met_are_not_compared() {
    let results = duels(4, &[(0, 1, [30, 5, 0]), (2, 3, [10, 30, 0])]);

    let ratings = Ratings::of(&results, 0, BOOTSTRAP);

    assert!(ratings.agents[1].strength.high < 0.0, "{:?}", ratings.agents[1]);
    for rating in &ratings.agents[2..] {
        assert_eq!((rating.strength.low, rating.strength.high), (f64::NEG_INFINITY, f64::INFINITY));
        assert!(rating.strength.mean.is_finite(), "{rating:?}");
    }
    let ranks: Vec<_> = ratings.agents.iter().map(|rating| rating.ranks.clone()).collect();
    assert_eq!(ranks, [1..=3, 2..=4, 2..=4, 1..=3]);
}

#[test]
fn a_pair_with_a_forfeiter_is_its_loss_and_a_tie_of_two() {
    let seats = Seats::new(3).expect("a table");
    let forfeited = |game: &mut PlayedGame, seats_out: &[usize]| {
        let GameOutcome::Finished(result) = &mut game.outcome else { panic!("it has a result") };
        for seat in seats_out.iter().map(|&seat| seats.get(seat).expect("a seat")) {
            result.forfeits[seat] = Some(Cause::Timeout);
        }
    };
    let mut results = Results::new(3);
    let mut games = vec![game(&[2, 1, 2]), game(&[1, 1, 1])];
    forfeited(&mut games[0], &[0, 2]);
    forfeited(&mut games[1], &[0, 1, 2]);
    results.add(&block(games), &[0, 1, 2]).expect("a block");

    let ratings = Ratings::of(&results, 0, BOOTSTRAP);
    let won: Vec<_> = ratings.agents.iter().map(|rating| (rating.won, rating.pairs)).collect();
    assert_eq!(won, [(1.5, 4.0), (3.0, 4.0), (1.5, 4.0)]);
}

#[test]
fn two_players_of_one_agent_make_no_pair() {
    let mut results = Results::new(2);
    results.add(&block(vec![game(&[1, 2, 3])]), &[0, 1, 1]).expect("a block");
    let ratings = Ratings::of(&results, 0, BOOTSTRAP);
    assert_eq!((ratings.agents[0].pairs, ratings.agents[0].won, ratings.agents[1].won), (2.0, 2.0, 0.0));
}

#[test]
fn a_block_that_has_no_place_is_refused_and_changes_nothing() {
    let mut results = duels(3, &[(0, 1, [1, 0, 0])]);
    let before = results.clone();
    let mut refused =
        |games: Vec<PlayedGame>, agents: &[usize]| results.add(&block(games), agents).expect_err("refused");
    let void = PlayedGame { outcome: GameOutcome::Void("the server fell".to_owned()), ..game(&[1, 2]) };
    let errors = [
        refused(vec![game(&[1, 2]), void], &[0, 1]),
        refused(vec![game(&[1, 2, 3])], &[0, 1]),
        refused(vec![game(&[1, 2])], &[0, 3]),
        refused(vec![game(&[1, 2]), game(&[1, 2, 3])], &[0, 1, 2]),
    ];
    assert_eq!(
        errors,
        [
            "expected a block with results, got void block 7: the server fell",
            "expected an agent for each player, got 2 agents and player 2 in block 7",
            "expected an agent below 3, got agent 3",
            "expected the same players in all games of block 7, got others in game 1",
        ]
    );
    assert_eq!(results, before);
    assert_eq!(
        results.add(&block(vec![game(&[1, 2])]), &[0, 3]),
        Err("expected an agent below 3, got agent 3".to_owned())
    );
    assert_eq!((results.agents(), results.blocks()), (3, 1));
}

/// Returns the results of blocks of two games at tables of three out of five agents, by the flip of a coin.
fn coins() -> Results {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let mut results = Results::new(5);
    for number in 0..150 {
        let agents = [number % 5, (number + 1 + number / 5 % 2) % 5, (number + 3) % 5];
        let mut game = || if rng.next_u32() % 3 == 0 { game(&[1, 2, 3]) } else { game(&[3, 1, 2]) };
        let games = vec![game(), game()];
        results.add(&block(games), &agents).expect("a block");
    }
    results
}

#[test]
fn all_statistics_are_the_same_with_any_number_of_threads_and_differ_by_seed() {
    let results = coins();
    let on = |threads: usize, bootstrap: Bootstrap| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        let all = || (Ratings::of(&results, 2, bootstrap), Crosstable::of(&results, bootstrap));
        pool.install(all)
    };
    let one = on(1, BOOTSTRAP);
    assert_eq!(one, on(4, BOOTSTRAP));
    assert_ne!(one, on(1, Bootstrap { seed: Seed(2), ..BOOTSTRAP }));
    assert_eq!(Bootstrap::default().replicates, 1000);
}

#[test]
fn a_crosstable_marks_differences_after_holms_correction() {
    let results = duels(4, &[(0, 1, [28, 2, 0]), (1, 2, [20, 10, 0]), (2, 0, [15, 15, 0]), (3, 0, [5, 0, 0])]);

    let crosstable = Crosstable::of(&results, BOOTSTRAP);

    let cell = |row: usize, column: usize| crosstable.cells[row][column].expect("they met");
    assert!(cell(0, 1).differs() && cell(1, 0).differs() && cell(0, 1).p_value < 1e-3, "{:?}", cell(0, 1));
    // 20 of 30 alone would have a p-value of 0.078, and Holm doubles it.
    assert!((cell(1, 2).p_value - 0.156_41).abs() < 1e-4 && !cell(1, 2).differs(), "{:?}", cell(1, 2));
    assert!(!cell(2, 0).differs());
    assert!((cell(1, 0).share.mean - 2.0 / 30.0).abs() < 1e-12);
    assert!((cell(1, 0).share.high + cell(0, 1).share.low - 1.0).abs() < 1e-12, "{:?}", cell(1, 0));
    // Five blocks are too few for a test, with any results.
    assert_eq!((cell(3, 0).p_value, cell(3, 0).share.samples), (1.0, 5));
    assert_eq!((crosstable.cells[1][3], crosstable.cells[2][2]), (None, None));
}

#[test]
fn a_cycle_is_found_and_an_order_is_not() {
    let cycle = duels(3, &[(0, 1, [24, 6, 0]), (1, 2, [24, 6, 0]), (2, 0, [24, 6, 0])]);
    let order = duels(3, &[(0, 1, [24, 6, 0]), (1, 2, [24, 6, 0]), (2, 0, [2, 28, 0])]);

    let found = Crosstable::of(&cycle, BOOTSTRAP).intransitive;

    let pairs: Vec<_> = found.iter().map(|pair| (pair.agent, pair.other)).collect();
    assert_eq!(pairs, [(0, 1), (2, 0), (1, 2)]);
    for pair in &found {
        assert!(
            (pair.share - 0.8).abs() < 1e-9 && (pair.expected - 0.5).abs() < 1e-9 && pair.p_value < 0.05,
            "{pair:?}"
        );
    }
    assert_eq!(Crosstable::of(&order, BOOTSTRAP).intransitive, []);
    // One or two losses are expected and none happened. This is not an exception, although all blocks are equal.
    let lucky = duels(3, &[(0, 1, [24, 6, 0]), (1, 2, [24, 6, 0]), (0, 2, [30, 0, 0])]);
    assert_eq!(Crosstable::of(&lucky, BOOTSTRAP).intransitive, []);
}

#[test]
fn influence_measures_what_was_gained_beside_whom() {
    // All tables of three of five agents. Everybody wins a third, but with agent 1 at the table agent 0 wins more.
    let mut rng = ChaCha8Rng::seed_from_u64(5);
    let mut results = Results::new(5);
    let tables = (0..5).flat_map(|a| (a + 1..5).flat_map(move |b| (b + 1..5).map(move |c| [a, b, c])));
    for table in tables {
        for _ in 0..20 {
            let ranks = if table[..2] == [0, 1] && rng.next_u32() % 2 == 0 {
                [1, 3, 2]
            } else {
                [[1, 2, 3], [2, 3, 1], [3, 1, 2]][(rng.next_u32() % 3) as usize]
            };
            results.add(&block(vec![game(&ranks)]), &table).expect("a block");
        }
    }

    let influence = Influence::of(&results);

    assert_eq!((influence.pairs.len(), influence.unmeasured), (20, 0));
    let first = influence.pairs[0];
    assert_eq!((first.agent, first.other, first.gained.samples), (0, 1, 60));
    assert!((first.gained.mean - (first.share - first.expected)).abs() < 1e-12, "{first:?}");
    assert!(first.gained.low > 0.05 && first.gained.high < 0.5, "{first:?}");
    // Among the others nobody gains from anybody.
    let of_others = influence.pairs.iter().filter(|pair| pair.agent > 1 && pair.other > 1);
    assert!(of_others.clone().count() == 6 && of_others.clone().all(|pair| pair.gained.holds(0.0)), "{influence:?}");
}

#[test]
fn influence_needs_blocks_with_the_other_agent_and_blocks_without_it() {
    // Three agents at tables of three always meet.
    let mut results = Results::new(3);
    for number in 0..40 {
        let ranks = if number % 3 == 0 { [1, 2, 3] } else { [2, 3, 1] };
        results.add(&block(vec![game(&ranks)]), &[0, 1, 2]).expect("a block");
    }
    let influence = Influence::of(&results);
    assert_eq!((influence.pairs, influence.unmeasured), (Vec::new(), 6));
    // At two seats no third agent can be harmed.
    let influence = Influence::of(&duels(2, &[(0, 1, [20, 20, 0])]));
    assert_eq!((influence.pairs, influence.unmeasured), (Vec::new(), 0));
}

#[test]
fn a_cup_without_blocks_has_ratings_that_say_nothing() {
    let results = Results::new(2);
    let ratings = Ratings::of(&results, 0, BOOTSTRAP);
    let strength = ratings.agents[1].strength;
    assert_eq!(strength, Estimate { mean: 0.0, low: f64::NEG_INFINITY, high: f64::INFINITY, ..strength });
    assert_eq!((ratings.agents[0].ranks.clone(), ratings.agents[1].rank), (1..=2, 1));
    assert_eq!(Crosstable::of(&results, BOOTSTRAP).cells, [[None; 2]; 2]);
    assert_eq!(Influence::of(&results).pairs, []);
}

#[test]
fn a_plan_resolves_less_with_fewer_blocks_and_more_dependence() {
    let plan = Resolution { agents: 2, seats: 2, blocks: 100, games: 2, variance_ratio: 1.0 };
    let resolvable = plan.resolvable_difference();
    // Student's quantiles for 99 degrees of freedom are 1.9842 and 0.8453; the deviation of 200 games is 2 / sqrt(200).
    assert!((resolvable - ELO * (1.9842 + 0.8453) * 2.0 / 200f64.sqrt()).abs() < 0.01, "{resolvable}");
    let fewer = Resolution { blocks: 25, ..plan }.resolvable_difference();
    assert!(fewer > 2.0 * resolvable, "{fewer}");
    let dependent = Resolution { variance_ratio: 2.0, ..plan }.resolvable_difference();
    assert!((dependent / resolvable - 2f64.sqrt()).abs() < 1e-9, "{dependent}");
    assert!(Resolution { blocks: 1, ..plan }.resolvable_difference().is_infinite());
    assert!(Resolution { games: 0, ..plan }.resolvable_difference().is_infinite());
}
