//! Blocks: their games, their order, and their table.

use std::ops::Range;

use ahu_contest::PlannedGame;
use ahu_contest::blocks::{
    Assembly, Block, DecisionTime, Design, Entered, GameOutcome, Lineup, Luck, PairVerdict, PlayedGame, Seating, Table,
    Tally,
};
use ahu_contest::statistics::{Hypotheses, Sprt, Verdict};
use ahu_core::{BySeat, Seat, Seats, Seed, ranks_by};
use ahu_host::{
    AnyRules, BotSeed, Cause, Conduct, DecidedBy, Ending, Entry, GAMES, MatchResult, Record, Referee, SeatPlayer,
    Terms, find,
};

/// Returns all games, each with its lowest and its highest seat count.
fn tables() -> impl Iterator<Item = (&'static dyn AnyRules, usize)> {
    GAMES.iter().flat_map(|rules| [*rules.seats().start(), *rules.seats().end()].map(|seats| (*rules, seats)))
}

/// Plays the first blocks of a comparison of bots.
fn blocks(
    rules: &'static dyn AnyRules,
    seats: usize,
    bots: &[&str],
    (design, luck): (Design, Luck),
    numbers: Range<u64>,
) -> Tally {
    let setup = rules.configure(seats, &[]).expect("the defaults");
    let lineup = Lineup::filled(bots.len(), setup.seats()).expect("they fit");
    let seatings = lineup.seatings(design);
    let bots: Vec<_> = bots.iter().map(|bot| SeatPlayer::bot(rules.bot(bot).expect("every game has it"))).collect();
    let mut tally = Tally::new(lineup, seatings.clone(), None);
    for number in numbers {
        let play = |(game, &seating): (usize, &Seating)| {
            let planned = PlannedGame {
                name: String::new(),
                setup: setup.clone(),
                seating,
                players: seating.values().iter().map(|&player| bots[player].clone()).collect(),
                terms: Terms::default(),
                seed: luck.seed(Seed(5), number, 0, game),
                is_shared: luck == Luck::Shared,
                index: game as u64,
                beginning: Vec::new(),
                is_passing: false,
                agent_seeds: BySeat::new(setup.seats(), 0),
            };
            let mut referee = planned.referee();
            referee.play_bots();
            PlayedGame::of(&referee.record(), seating, 0, |_| false)
        };
        let games = seatings.iter().enumerate().map(play).collect();
        assert_eq!(tally.enter(Block { number, games }), Entered::Counted);
    }
    tally
}

fn hypotheses() -> Hypotheses {
    Hypotheses::new(0.0, 0.1, 0.05, 0.05).expect("they differ")
}

/// If all games of a block were one game, each player would win as often as any other.
#[test]
fn greedy_against_greedy_is_not_one_game_repeated() {
    for (rules, seats) in tables() {
        let even = 1.0 / seats as f64;
        let bots = vec!["greedy"; seats];
        let mut single = (0..12)
            .map(|number| blocks(rules, seats, &bots, (Design::Cyclic, Luck::Shared), number..number + 1).table());
        let is_even = |table: &Table| table.players.iter().all(|row| (row.wins.estimate.mean - even).abs() < 1e-9);
        assert!(!single.all(|table| is_even(&table)), "{} {seats}", rules.info().id);
    }
}

#[test]
fn the_games_of_a_block_differ_in_the_choices_of_bots_and_not_in_their_seed() {
    for (rules, seats) in tables() {
        let setup = rules.configure(seats, &[]).expect("the defaults");
        for name in ["greedy", "random"] {
            let bot = rules.bot(name).expect("every game has it");
            let play = |game| {
                let players = vec![SeatPlayer::bot(bot); seats];
                let referee = Referee::new(setup.clone(), Seed(5), players, Conduct::default());
                let mut referee = referee.with_bot_seed(BotSeed::new(Seed(5), game));
                let begun = referee.entries().to_vec();
                referee.play_bots();
                (begun, referee.entries().to_vec())
            };
            let games: Vec<_> = (0..seats as u64).map(play).collect();
            for (game, (begun, entries)) in games.iter().enumerate() {
                assert_eq!(*begun, games[0].0, "{setup:?}: all begin with the same chance");
                let others = games.iter().skip(game + 1);
                assert!(others.clone().all(|(_, other)| other != entries), "{setup:?}: {name} repeats game {game}");
            }
        }
    }
}

#[test]
fn bots_play_every_design_and_line_up_of_every_game() {
    for (rules, seats) in tables() {
        for (design, luck) in [(Design::Cyclic, Luck::Own), (Design::Neighbour, Luck::Shared)] {
            let table = blocks(rules, seats, &["greedy", "random"], (design, luck), 0..1).table();
            assert_eq!(table.blocks, 1);
            let wins: f64 = table.players.iter().map(|row| row.wins.estimate.mean * row.seats as f64).sum();
            assert!((wins - 1.0).abs() < 1e-9, "{wins}");
            assert!(table.decisions > 1.0);
        }
    }
}

fn seats(count: usize) -> Seats {
    Seats::new(count).expect("a table")
}

/// Returns a result in which each seat has these points, and these seats forfeited.
fn result(scores: &[i32], forfeits: &[(usize, Cause)]) -> MatchResult {
    let seats = seats(scores.len());
    let scores = BySeat::from_fn(seats, |seat| scores[seat.index()]);
    let cause = |seat: Seat| forfeits.iter().find(|(other, _)| *other == seat.index()).map(|(_, cause)| *cause);
    let forfeits = BySeat::from_fn(seats, cause);
    let places = BySeat::from_fn(seats, |seat| if forfeits[seat].is_some() { i32::MIN } else { scores[seat] });
    MatchResult { scores, ranks: ranks_by(&places), forfeits }
}

fn finished(seating: Seating, result: MatchResult) -> PlayedGame {
    PlayedGame { seating, outcome: GameOutcome::Finished(result), decisions: 7, times: Vec::new() }
}

/// A duel at two seats.
fn duel() -> (Lineup, Vec<Seating>) {
    let lineup = Lineup::filled(2, seats(2)).expect("it fits");
    let seatings = lineup.seatings(Design::Neighbour);
    (lineup, seatings)
}

/// Returns a block of a duel in which the first player has these points above the other in each game.
fn block(number: u64, margins: [i32; 2]) -> Block {
    let (_, seatings) = duel();
    let game = |(seating, margin): (Seating, i32)| {
        let scores = seating.map(|player| if player == 0 { 10 + margin } else { 10 });
        finished(seating, result(scores.values(), &[]))
    };
    Block { number, games: seatings.into_iter().zip(margins).map(game).collect() }
}

fn table_of(blocks: impl IntoIterator<Item = Block>) -> Table {
    let (lineup, seatings) = duel();
    let mut tally = Tally::new(lineup, seatings, None);
    for block in blocks {
        assert_eq!(tally.enter(block), Entered::Counted);
    }
    assert_eq!(tally.waiting(), 0);
    tally.table()
}

#[test]
fn blocks_count_in_the_order_of_their_numbers() {
    let (lineup, seatings) = duel();
    let mut tally = Tally::new(lineup, seatings, None);
    let margins = |number: u64| [number as i32 % 5 - 2, number as i32 % 3];
    for number in [3, 1, 2] {
        assert_eq!(tally.enter(block(number, margins(number))), Entered::Counted);
        assert_eq!(tally.blocks(), 0, "block 0 is missing");
    }
    assert_eq!(tally.waiting(), 3);

    assert_eq!(tally.enter(block(0, margins(0))), Entered::Counted);

    assert_eq!((tally.blocks(), tally.waiting()), (4, 0));
    let in_order = table_of((0..4).map(|number| block(number, margins(number))));
    assert_eq!(format!("{:?}", tally.table()), format!("{in_order:?}"));
}

#[test]
fn a_test_looks_at_blocks_in_order_and_later_blocks_do_not_count() {
    let (lineup, seatings) = duel();
    let sprt = Sprt::new(hypotheses(), 100).expect("a maximum");
    let mut tally = Tally::new(lineup, seatings, Some(sprt));
    // The first player loses from block 50 on. These blocks enter the tally first.
    for number in (50..90).rev() {
        assert_eq!(tally.enter(block(number, [-1, -1])), Entered::Counted);
    }
    let won = |number: u64| block(number, [1, i32::from(!number.is_multiple_of(4))]);
    let decided = (0..50).find(|&number| {
        assert_eq!(tally.enter(won(number)), Entered::Counted);
        tally.verdict().is_some()
    });

    assert_eq!((decided, tally.verdict()), (Some(19), Some(Verdict::H1)));
    assert_eq!((tally.blocks(), tally.waiting()), (20, 0));
    assert_eq!(tally.enter(won(20)), Entered::Late);
    let verdict = tally.table().verdict(&["new", "old"]);
    assert!(verdict[0].starts_with("The test accepts H1 after 20 blocks (LLR "), "{verdict:?}");
    assert!(verdict[0].ends_with("): new wins 60.0 % of its pairs or more, rather than 50.0 %."), "{verdict:?}");
    assert!(verdict[1].contains("%, biased by the stop of the test)"), "{verdict:?}");
}

#[test]
fn a_void_game_makes_its_block_void_until_it_is_played_again() {
    let (lineup, seatings) = duel();
    let mut tally = Tally::new(lineup, seatings, None);
    let mut void = block(0, [1, 1]);
    void.games[1].outcome = GameOutcome::Void("the store is full".to_owned());

    assert_eq!(tally.enter(void), Entered::Void("the store is full".to_owned()));
    assert_eq!((tally.blocks(), tally.waiting()), (0, 0));
    assert_eq!(tally.enter(block(0, [1, -1])), Entered::Counted);
    assert_eq!(tally.table().games, 2);
}

#[test]
#[should_panic(expected = "expected each block once, got block 0 again")]
fn a_block_counts_once() {
    let (lineup, seatings) = duel();
    let mut tally = Tally::new(lineup, seatings, None);
    tally.enter(block(0, [1, 1]));
    tally.enter(block(0, [1, 1]));
}

#[test]
fn games_that_end_in_any_order_make_their_block() {
    let whole = block(3, [4, -4]);
    let mut assembly = Assembly::new(2);
    assert_eq!(assembly.add(3, 1, whole.games[1].clone()), None);
    assert_eq!(assembly.add(4, 0, whole.games[0].clone()), None);
    assembly.forget(4);
    assert_eq!(assembly.add(4, 0, whole.games[0].clone()), None);
    assert_eq!(assembly.add(3, 0, whole.games[0].clone()), Some(whole));
}

#[test]
fn a_table_has_wins_pairs_margin_and_utility_with_intervals() {
    // 2 wins, a tie, and a loss.
    let table = table_of([block(0, [3, 1]), block(1, [0, -2])]);
    let [first, second] = &table.players[..] else { panic!("two players") };

    for measure in [&first.wins, &first.pairs] {
        assert!((measure.estimate.mean - 0.625).abs() < 1e-12, "{measure:?}");
    }
    assert!((first.margin.estimate.mean - 0.5).abs() < 1e-12 && (second.margin.estimate.mean + 0.5).abs() < 1e-12);
    assert!((first.utility.estimate.mean - 0.25).abs() < 1e-6, "{:?}", first.utility);
    assert!((first.score.estimate.mean - 10.5).abs() < 1e-12 && (first.rank.estimate.mean - 1.25).abs() < 1e-12);
    let [one, other] = [table.pairs[0][1], table.pairs[1][0]].map(|share| share.expect("they met"));
    assert!((one.low - (1.0 - other.high)).abs() < 1e-9 && (one.high - (1.0 - other.low)).abs() < 1e-9);
    assert!(one.low > 0.0 && one.high <= 1.0 && one.low < 0.625 && 0.625 < one.high, "{one}");
    assert_eq!((table.pairs[0][0], table.decisions, table.flagged_games), (None, 7.0, 0));
    assert!(table.without_flagged.is_none() && table.players.iter().all(|row| row.forfeits.is_empty()));
    // The first player sits in seat 0, then in seat 1: seat 0 wins by 3 and ties, and loses the game by 1.
    assert!((table.seats[0].mean - 0.625).abs() < 1e-12, "{:?}", table.seats);
}

#[test]
fn the_variance_ratio_tells_what_the_pairing_saves() {
    // The better cards win for either player, so every block is even, and no luck is left.
    let ratio = |blocks: Vec<Block>| table_of(blocks).players[0].pairs.variance_ratio;
    let sign = |number: u64| if number.is_multiple_of(2) { 1 } else { -1 };
    assert_eq!(ratio((0..40).map(|number| block(number, [sign(number), -sign(number)])).collect()), Some(0.0));
    // One player wins both games, so two games are worth no more than one game: the ratio of 80 samples to 40 samples.
    let twice = ratio((0..40).map(|number| block(number, [sign(number); 2])).collect()).expect("they differ");
    assert!((twice - 2.0 * (79.0 / 80.0) * (40.0 / 39.0)).abs() < 1e-9, "{twice}");
    assert_eq!(ratio((0..40).map(|number| block(number, [1, 1])).collect()), None, "all games are equal");
}

/// Three players at three seats. In the second of six games, seat 0 forfeits.
#[test]
fn a_pair_with_a_forfeiter_is_its_loss_and_other_pairs_at_its_table_are_flagged() {
    let lineup = Lineup::filled(3, seats(3)).expect("it fits");
    let seatings = lineup.seatings(Design::Neighbour);
    // Player 0 beats player 1, who beats player 2, in every game.
    let points = |seating: &Seating| seating.map(|player| 30 - 10 * player as i32);
    let mut games: Vec<_> = seatings.iter().map(|s| finished(*s, result(points(s).values(), &[]))).collect();
    // The player who wins forfeits; player 1 loses against player 2 beside it.
    let seat_of = |player: usize| seatings[1].iter().find(|&(_, other)| other == player).expect("it plays").0;
    let upset = seatings[1].map(|player| [30, 10, 20][player]);
    games[1] = finished(seatings[1], result(upset.values(), &[(seat_of(0).index(), Cause::Timeout)]));
    games[2].times = vec![DecisionTime { seat: Seat::new(1).expect("a seat"), nanos: 40 }];
    let timed = seatings[2][Seat::new(1).expect("a seat")];
    let mut tally = Tally::new(lineup, seatings.clone(), None);

    assert_eq!(tally.enter(Block { number: 0, games }), Entered::Counted);

    let table = tally.table();
    let share = |table: &Table, row: usize, column: usize| table.pairs[row][column].expect("they met").mean;
    let near = |ours: f64, expected: f64| assert!((ours - expected).abs() < 1e-9, "{ours} and {expected}");
    near(share(&table, 0, 1), 5.0 / 6.0);
    near(share(&table, 1, 0), 1.0 / 6.0);
    near(share(&table, 1, 2), 5.0 / 6.0);
    near(table.players[0].wins.estimate.mean, 5.0 / 6.0);
    near(table.players[2].wins.estimate.mean, 1.0 / 6.0);
    // In the game with the forfeit, a stand-in made the points.
    near(table.players[1].score.estimate.mean, 20.0);
    assert_eq!(table.players[0].forfeits.iter().collect::<Vec<_>>(), [(&Cause::Timeout, &1)]);
    assert_eq!((table.flagged_games, table.games), (1, 6));
    assert_eq!((table.players[timed].times.count(), table.players[timed].times.quantile(0.5)), (1, Some(40)));

    let without = table.without_flagged.as_deref().expect("a game is flagged");
    near(share(without, 0, 1), 5.0 / 6.0);
    near(share(without, 1, 2), 1.0);
    near(without.players[0].wins.estimate.mean, 5.0 / 6.0);
    near(without.players[2].wins.estimate.mean, 0.0);
}

#[test]
fn two_forfeiters_share_their_pair_and_nobody_wins_a_game_that_all_forfeited() {
    let (lineup, seatings) = duel();
    let both = [(0, Cause::Exited), (1, Cause::Illegal)];
    let games = seatings.iter().map(|seating| finished(*seating, result(&[5, 3], &both))).collect();
    let block = Block { number: 0, games };
    let means = block.means(0);
    let mut tally = Tally::new(lineup, seatings, None);
    tally.enter(block);

    let table = tally.table();

    assert!((table.pairs[0][1].expect("they met").mean - 0.5).abs() < 1e-12);
    assert!(table.players[0].wins.estimate.mean.abs() < 1e-12);
    assert!(table.players[0].margin.estimate.mean.is_nan(), "no game has points of its own");
    assert!(table.without_flagged.is_none(), "a table of two has no pair of others");
    assert_eq!((means.margin, means.score, means.wins), (None, None, 0.0));
}

#[test]
fn a_verdict_names_the_better_player_or_says_that_none_is_shown() {
    let names = ["new", "old"];
    let of = |margins: fn(u64) -> [i32; 2], blocks: u64| table_of((0..blocks).map(|n| block(n, margins(n))));

    let better = of(|_| [1, 1], 50);
    assert_eq!(better.compare(0, 1), Some(PairVerdict::Better));
    assert_eq!(better.compare(1, 0), Some(PairVerdict::Worse));
    let sentence = "new is better than old: new wins 100.0 % of its pairs with old (95 % interval 92.5 to 100.0 %).";
    assert_eq!(better.verdict(&names), [sentence]);
    let worse = of(|_| [-1, -1], 50).verdict(&names);
    assert!(worse[0].starts_with("old is better than new: old wins 100.0 %"), "{worse:?}");
    let few = of(|_| [1, 1], 9);
    assert_eq!(few.verdict(&names), ["No verdict on new and old: expected at least 10 blocks, got 9."]);
    assert_eq!((few.compare(0, 1), few.compare(0, 0)), (Some(PairVerdict::TooFewBlocks), None));
    assert_eq!(of(|_| [1, 1], 10).compare(0, 1), Some(PairVerdict::Better));
    let unclear = of(|n| if n.is_multiple_of(2) { [1, 1] } else { [-1, -1] }, 40).verdict(&names);
    assert!(unclear[0].starts_with("No difference between new and old is shown: new wins 50.0 %"), "{unclear:?}");
}

#[test]
fn one_of_the_seats_of_a_player_wins() {
    let lineup = Lineup::filled(2, seats(4)).expect("it fits");
    assert_eq!((lineup.seats_of(0), lineup.seats_of(1)), (1, 3));
    let seatings = lineup.seatings(Design::Cyclic);
    let mut tally = Tally::new(lineup, seatings.clone(), None);
    for number in 0..3 {
        let game = |seating: &Seating| {
            let mut points = 9 + number as i32;
            let scores = seating.map(|player| {
                points -= 1;
                if player == 0 { 0 } else { points }
            });
            finished(*seating, result(scores.values(), &[]))
        };
        tally.enter(Block { number, games: seatings.iter().map(game).collect() });
    }

    let table = tally.table();

    let [alone, thrice] = &table.players[..] else { panic!("two players") };
    let (third, none) = (thrice.wins.estimate, alone.wins.estimate);
    assert!((third.mean - 1.0 / 3.0).abs() < 1e-12 && (third.high - 1.0 / 3.0).abs() < 1e-12, "{third}");
    assert!(none.mean.abs() < 1e-12 && none.low.abs() < 1e-12 && (0.5..1.0).contains(&none.high), "{none}");
    assert!(table.without_flagged.is_none(), "nobody forfeited");
}

#[test]
fn a_tally_of_a_shard_counts_the_blocks_of_the_shard() {
    let (lineup, seatings) = duel();
    let mut tally = Tally::new(lineup, seatings, None).of_shard("2/3".parse().expect("a shard"));
    for number in [4, 1, 7] {
        assert_eq!(tally.enter(block(number, [1, 1])), Entered::Counted);
    }
    assert_eq!((tally.blocks(), tally.waiting(), tally.due()), (3, 0, 10));
}

#[test]
#[should_panic(expected = "expected a block of the shard 2/3, got block 3")]
fn a_tally_of_a_shard_takes_no_other_block() {
    let (lineup, seatings) = duel();
    Tally::new(lineup, seatings, None).of_shard("2/3".parse().expect("a shard")).enter(block(3, [1, 1]));
}

#[test]
fn a_record_becomes_a_game_with_the_times_of_the_answers_of_timed_players() {
    let setup = find("rappanui").expect("it is in the catalog").configure(2, &[]).expect("seats");
    let players = ["a", "b"].map(SeatPlayer::external).to_vec();
    let mut referee = Referee::new(setup, Seed(1), players, Conduct::default());
    while let Some(seat) = referee.to_act().first() {
        let (decision, id) = (referee.decision(seat), referee.legal_actions(seat).nth(0));
        referee.act(seat, decision.expect("it is due"), id.expect("one is legal")).expect("it is legal");
    }
    let mut record = referee.record();
    let mut answers = Vec::new();
    for entry in &mut record.entries {
        if let Entry::Action { seat, by, time, .. } = entry {
            time.measured = 5 + answers.len() as u32;
            // A stand-in has the eighth answer; such times are not those of a player.
            *by = if answers.len() == 7 { DecidedBy::StandIn } else { DecidedBy::Player };
            answers.push((*seat, *by, time.measured));
        }
    }
    let watched = answers[7].0;
    let seating = duel().1[0];

    let game = PlayedGame::of(&record, seating, 0, |seat| seat == watched);

    let own = answers.iter().filter(|&&(seat, ..)| seat == watched).skip(1);
    let times = own.filter(|&&(_, by, _)| by == DecidedBy::Player);
    let times = times.map(|&(seat, _, measured)| DecisionTime { seat, nanos: u64::from(measured) * 1_000_000 });
    let outcome = GameOutcome::Finished(referee.result().expect("it is over"));
    let decisions = answers.len() as u32;
    assert_eq!(game, PlayedGame { seating, outcome, decisions, times: times.collect() });
    for (ending, reason) in [
        (Some(Ending::Cancelled("too late".to_owned())), "too late"),
        (Some(Ending::Void("a fault".to_owned())), "a fault"),
        (None, "the match has no result"),
    ] {
        let record = Record { ending, result: None, ..record.clone() };
        assert_eq!(GameOutcome::of(&record), GameOutcome::Void(reason.to_owned()));
    }
}
