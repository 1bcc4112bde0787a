//! Blocks: the games of a block share their chance, and bots make new choices in each.

use ahu::core::Seed;
use ahu::host::{BotSeed, Conduct, GAMES, Referee, SeatPlayer, blocks};

/// Returns all games, each with its lowest and its highest seat count.
fn tables() -> impl Iterator<Item = (&'static dyn ahu::host::AnyRules, usize)> {
    GAMES.iter().flat_map(|rules| [*rules.seats().start(), *rules.seats().end()].map(|seats| (*rules, seats)))
}

/// If all games of a block were one game, both players would have the same share of wins in every block.
#[test]
fn greedy_against_greedy_is_not_one_game_repeated() {
    for (rules, seats) in tables() {
        let setup = rules.configure(seats, &[]).expect("the defaults");
        let greedy = rules.bot("greedy").expect("every game has it");
        let bots = vec![greedy; seats];
        let mut done = 0;

        let standing = blocks::play(&setup, &bots, Seed(5), 12, |block| done = block);

        assert_eq!((done, standing.blocks, standing.games), (12, 12, 12 * seats));
        for player in standing.players {
            assert!(player.wins.margin > 1e-9, "{setup:?}: {player:?}");
        }
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
