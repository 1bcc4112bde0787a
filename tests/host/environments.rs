//! Vector environments: the same games as played one by one, and a batch is all or nothing.

use ahu::core::{
    ActionId, ActionSet, Game, GameExt, GameOptions, Luck, NoEvents, Seats, Seed, Tensor, Turn, View, Viewer,
};
use ahu::games::rappanui::{Action, Options, RappaNui};
use ahu::host::{RewardRule, Rows, StepError, VectorEnv};

fn options(seats: usize) -> Options {
    Options::new(Seats::new(seats).expect("a table"))
}

/// A choice that depends on the position alone.
fn choose(legal: &ActionSet, step: usize) -> ActionId {
    legal.nth(step * 7 % legal.len()).expect("n is below the count")
}

#[test]
fn rows_are_those_of_the_games_stepped_one_by_one() {
    const COUNT: usize = 5;
    let mut environments: VectorEnv<RappaNui> = VectorEnv::new(options(3), RewardRule::Rank, Seed(4), COUNT);
    let mut rows = Rows::new::<RappaNui>(COUNT);
    environments.reset(&mut rows);
    let start = |episode: u64| {
        let mut luck = Luck::new(Seed(4).child(episode));
        let mut game = RappaNui::new(&options(3));
        game.settle_all(&mut luck, &mut NoEvents);
        (game, luck)
    };
    let mut single: Vec<(RappaNui, Luck)> = (0..COUNT as u64).map(start).collect();
    let mut episodes = COUNT as u64;
    let mut ended = 0;

    for step in 0..600 {
        let mut actions = Vec::new();
        for (row, (game, _)) in single.iter().enumerate() {
            let seat = game.turn().owing().first().expect("a game that goes on");
            let mut legal = ActionSet::of::<Action>();
            game.legal_actions(seat, &mut legal);
            let mut bits = vec![0; rows.bit_words];
            let mut numbers = vec![0; rows.number_count];
            game.view(Viewer::Seat(seat)).write(&mut Tensor::new(&mut bits, &mut numbers));
            assert_eq!((rows.seats[row], rows.legal[row]), (seat, legal));
            assert_eq!(rows.bits[row * rows.bit_words..][..rows.bit_words], bits);
            assert_eq!(rows.numbers[row * rows.number_count..][..rows.number_count], numbers);
            actions.push(choose(&legal, step));
        }
        environments.step(&actions, &mut rows).expect("they are legal");
        for (row, (game, luck)) in single.iter_mut().enumerate() {
            let seat = game.turn().owing().first().expect("a game that goes on");
            game.apply(seat, ahu::core::Action::from_id(actions[row]).expect("an action"), &mut NoEvents);
            game.settle_all(luck, &mut NoEvents);
            let over = game.turn() == Turn::Over;
            let mut rewards = [0.0; 6];
            if over {
                let end = game.view(Viewer::Public);
                let returns = RewardRule::Rank.returns(&end.scores(), &end.ranks());
                rewards[..3].copy_from_slice(returns.values());
                (*game, *luck) = start(episodes);
                episodes += 1;
                ended += 1;
            }
            assert_eq!((rows.ended[row], rows.rewards[row]), (over, rewards));
        }
    }
    assert!(ended >= COUNT, "{ended} episodes ended");
}

#[test]
fn a_batch_with_a_bad_action_changes_nothing_and_names_its_environment() {
    let mut environments: VectorEnv<RappaNui> = VectorEnv::new(options(2), RewardRule::Points, Seed(1), 3);
    let mut rows = Rows::new::<RappaNui>(3);
    environments.reset(&mut rows);
    let before = rows.clone();
    let mut actions: Vec<ActionId> = rows.legal.iter().map(|legal| choose(legal, 0)).collect();

    actions[2] = ActionId(0);
    assert_eq!(environments.step(&actions, &mut rows), Err(StepError::Illegal { environment: 2, id: ActionId(0) }));
    actions[2] = ActionId(u16::MAX);
    assert!(environments.step(&actions, &mut rows).is_err());
    let count = StepError::Count { actions: 2, environments: 3 };
    assert_eq!(environments.step(&actions[..2], &mut rows), Err(count));

    assert_eq!((&rows.bits, &rows.numbers, &rows.legal), (&before.bits, &before.numbers, &before.legal));
    actions[2] = choose(&rows.legal[2], 0);
    assert_eq!(environments.step(&actions, &mut rows), Ok(()), "the batch can be mended");
}
