//! Vector environments: their games are the games of an engine that plays one game, and a batch is all or nothing.

use ahu_core::{
    Action as _, ActionId, ActionSet, BySeat, ChanceRng, Encode as _, Game, GameExt, GameOptions, NoEvents, Policy,
    Seat, Seats, Seed, Tensor, Turn, View, Viewer,
};
use ahu_games::rappanui::{Action, Options, RappaNui};
use ahu_host::{
    AnyRules as _, AnyVectorEnv as _, AnyView, Autoreset, BatchError, Bot, BotName, BotSeed, CatalogVectorEnv, Column,
    Conduct, EnvConfig, EnvIndices, FinalSteps, GAMES, Method, Player, Referee, RewardRule, Rotation, RowMemory,
    RowSize, Rows, Rules, SeatPlayer, VectorEnv, find,
};
use rand::Rng;

fn options(seats: usize) -> Options {
    Options::new(table(seats))
}

fn table(seats: usize) -> Seats {
    Seats::new(seats).expect("a table")
}

fn seat(index: usize) -> Seat {
    Seat::new(index).expect("a seat")
}

/// Returns a choice that depends on the position alone.
fn choose(legal: &ActionSet, step: usize) -> ActionId {
    legal.nth(step * 7 % legal.len()).expect("n is below the count")
}

fn text(environments: &dyn CatalogVectorEnv, environment: u32, viewer: Viewer) -> Result<String, BatchError> {
    environments.view(environment, viewer).map(|view| view.text())
}

fn self_play(seats: usize, autoreset: Autoreset) -> EnvConfig {
    EnvConfig { autoreset, ..EnvConfig::self_play(table(seats), RewardRule::Rank) }
}

fn rappa_nui(seats: usize, autoreset: Autoreset, seed: u64, count: usize) -> VectorEnv<RappaNui> {
    VectorEnv::new(options(seats), const { &Rules::new(&[]) }, self_play(seats, autoreset), Seed(seed), count)
}

/// Returns an action for each of these environments in this step. Environments that wait for no action get any action.
fn choices(environments: &dyn CatalogVectorEnv, indices: EnvIndices<'_>, step: usize) -> Vec<ActionId> {
    let choice = |number| environments.waits_for(number).map_or(ActionId(0), |(_, legal)| choose(legal, step));
    indices.iter().map(choice).collect()
}

/// Returns row `row` of a block with `size` bytes a row.
fn part(block: &[u8], row: usize, size: usize) -> &[u8] {
    &block[row * size..][..size]
}

fn floats(bytes: &[u8]) -> Vec<f32> {
    bytes.as_chunks().0.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect()
}

fn numbers(bytes: &[u8]) -> Vec<u32> {
    bytes.as_chunks().0.iter().map(|&bytes| u32::from_le_bytes(bytes)).collect()
}

/// Returns the observation of `seat` as the bytes of a row.
fn observed<G: Game>(game: &G, seat: Seat) -> (Vec<u8>, Vec<u8>) {
    let mut bits = vec![0; G::View::BITS.div_ceil(64)];
    let mut numbers = vec![0; G::View::NUMBERS];
    Tensor::fill(&mut bits, &mut numbers, &game.view(Viewer::Seat(seat)).shown());
    bytes(&bits, &numbers)
}

/// Returns the observation of a view as the bytes of a row.
fn written(view: &dyn AnyView, size: RowSize) -> (Vec<u8>, Vec<u8>) {
    let (mut bits, mut numbers) = (vec![0; size[Column::Bits] / 8], vec![0; size[Column::Numbers] / 2]);
    view.write(&mut bits, &mut numbers);
    bytes(&bits, &numbers)
}

fn bytes(bits: &[u64], numbers: &[i16]) -> (Vec<u8>, Vec<u8>) {
    (
        bits.iter().flat_map(|word| word.to_le_bytes()).collect(),
        numbers.iter().flat_map(|number| number.to_le_bytes()).collect(),
    )
}

fn mask(legal: &ActionSet) -> Vec<u8> {
    legal.words().iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// One game, played without an environment.
struct Single {
    game: RappaNui,
    chance: ChanceRng,
}

impl Single {
    fn begin(seats: usize, seed: Seed) -> Self {
        let (mut game, mut chance) = (RappaNui::new(&options(seats)), ChanceRng::new(seed));
        game.settle_all(&mut chance, &mut NoEvents);
        Self { game, chance }
    }

    fn legal(&self) -> (Seat, ActionSet) {
        let seat = self.game.turn().to_act().first().expect("a game that goes on");
        let mut legal = ActionSet::of::<Action>();
        self.game.legal_actions(seat, &mut legal);
        (seat, legal)
    }

    /// Applies an action, and returns true if the game is over.
    fn act(&mut self, id: ActionId) -> bool {
        let (seat, _) = self.legal();
        self.game.apply(seat, Action::from_id(id).expect("an action"), &mut NoEvents);
        self.game.settle_all(&mut self.chance, &mut NoEvents);
        self.game.turn() == Turn::Over
    }

    /// Checks that row `row` shows the decision that the game waits for.
    fn assert_shown(&self, rows: &Rows, row: usize, size: RowSize) {
        let (seat, legal) = self.legal();
        let (bits, numbers) = observed(&self.game, seat);
        assert_eq!(rows[Column::Seats][row], seat.index() as u8);
        assert_eq!(part(&rows[Column::Masks], row, size[Column::Masks]), mask(&legal));
        assert_eq!(part(&rows[Column::Bits], row, size[Column::Bits]), bits);
        assert_eq!(part(&rows[Column::Numbers], row, size[Column::Numbers]), numbers);
    }
}

#[test]
fn rows_are_those_of_the_games_stepped_one_by_one() {
    // Several cores share a batch of this size, and a batch of every second environment.
    const COUNT: usize = 600;
    let mut environments = rappa_nui(3, Autoreset::SameStep, 4, COUNT);
    let (mut rows, mut final_steps) = (Rows::default(), FinalSteps::default());
    let odd: Vec<u32> = (1..COUNT as u32).step_by(2).collect();
    let (all, odd) = (EnvIndices::Run(0, COUNT), EnvIndices::These(&odd));
    environments.reset(all, None, &mut rows).expect("the environments exist");
    let size = environments.row_size();
    let mut single: Vec<Single> = (0..COUNT as u32).map(|number| Single::begin(3, Seed(4).plus(number))).collect();
    let mut episodes = vec![0; COUNT];
    for (row, game) in single.iter().enumerate() {
        game.assert_shown(&rows, row, size);
    }

    for step in 0..500 {
        let indices = if step % 4 == 3 { odd } else { all };
        let choice = |number| choose(&single[number as usize].legal().1, step);
        let actions: Vec<ActionId> = indices.iter().map(choice).collect();
        environments.step(indices, &actions, &mut rows, &mut final_steps).expect("they are legal");
        assert_eq!(numbers(&rows[Column::EnvIds]), indices.iter().collect::<Vec<_>>());
        let mut end_row = 0;
        for (row, number) in indices.iter().enumerate() {
            let game = &mut single[number as usize];
            let over = game.act(actions[row]);
            let mut rewards = vec![0.0; 3];
            if over {
                let end = game.game.view(Viewer::Public);
                let returns = RewardRule::Rank.returns(&end.scores(), &end.ranks());
                rewards = returns.values().to_vec();
                for seat in table(3).iter() {
                    let (bits, numbers_) = observed(&game.game, seat);
                    assert_eq!(numbers(&final_steps.env_ids)[end_row], number);
                    assert_eq!(final_steps.seats[end_row], seat.index() as u8);
                    assert_eq!(part(&final_steps.bits, end_row, size[Column::Bits]), bits);
                    assert_eq!(part(&final_steps.numbers, end_row, size[Column::Numbers]), numbers_);
                    assert_eq!(floats(&final_steps.returns)[end_row].to_bits(), returns[seat].to_bits());
                    assert_eq!(final_steps.ranks[end_row], end.ranks()[seat]);
                    end_row += 1;
                }
                let episode = &mut episodes[number as usize];
                *episode += 1;
                *game = Single::begin(3, Seed(4).plus(number).child(*episode));
            }
            game.assert_shown(&rows, row, size);
            assert_eq!(
                (rows[Column::Ended][row], floats(part(&rows[Column::Rewards], row, size[Column::Rewards]))),
                (over.into(), rewards)
            );
        }
        assert_eq!(final_steps.seats.len(), end_row, "nothing else has ended");
        assert_eq!(final_steps.episodes.len(), end_row / 3);
    }
    let ended: u64 = episodes.iter().sum();
    assert!(ended >= COUNT as u64, "{ended} episodes ended");
}

#[test]
fn where_the_next_episode_begins_in_the_next_step_its_action_means_nothing() {
    let mut environments = rappa_nui(2, Autoreset::NextStep, 9, 3);
    let (mut rows, mut final_steps) = (Rows::default(), FinalSteps::default());
    let all = EnvIndices::Run(0, 3);
    environments.reset(all, None, &mut rows).expect("the environments exist");
    let size = environments.row_size();
    let mut has_ended = 0;

    for step in 0..1500 {
        let waiting: Vec<bool> = (0..3).map(|number| environments.waits_for(number).is_some()).collect();
        let mut actions = choices(&environments, all, step);
        for (action, _) in actions.iter_mut().zip(&waiting).filter(|(_, waits)| !**waits) {
            *action = ActionId(u16::MAX);
        }
        let shown = rows.clone();
        environments.step(all, &actions, &mut rows, &mut final_steps).expect("they are legal, or mean nothing");
        for (row, waited) in waiting.into_iter().enumerate() {
            let number = row as u32;
            if rows[Column::Ended][row] == 1 {
                assert!(environments.waits_for(number).is_none());
                assert!(
                    part(&rows[Column::Masks], row, size[Column::Masks]).iter().all(|&byte| byte == 0),
                    "nothing can be done"
                );
                let end = numbers(&final_steps.env_ids).iter().position(|&ended| ended == number).expect("its end");
                assert_eq!(rows[Column::Seats][row], 0);
                assert_eq!(
                    part(&rows[Column::Bits], row, size[Column::Bits]),
                    part(&final_steps.bits, end, size[Column::Bits]),
                    "the last table"
                );
                has_ended += 1;
            }
            if !waited {
                assert_eq!(floats(part(&rows[Column::Rewards], row, size[Column::Rewards])), [0.0, 0.0]);
                assert_eq!((shown[Column::Ended][row], rows[Column::Ended][row]), (1, 0));
                let begun = Single::begin(2, environments.episode_seed(number));
                let (seat, legal) = begun.legal();
                assert_eq!(environments.waits_for(number), Some((seat, &legal)), "a new game");
            }
        }
    }
    assert!(has_ended > 5, "{has_ended} episodes ended");
}

#[test]
fn without_autoreset_an_environment_waits_for_its_reset() {
    let mut environments = rappa_nui(2, Autoreset::Disabled, 9, 2);
    let (mut rows, mut final_steps) = (Rows::default(), FinalSteps::default());
    let first = environments.step(EnvIndices::Run(0, 2), &[ActionId(0); 2], &mut rows, &mut final_steps);
    assert_eq!(first, Err(BatchError::NoEpisode { environment: 0 }), "none has begun");
    environments.reset(EnvIndices::Run(0, 2), None, &mut rows).expect("the environments exist");

    let one = EnvIndices::These(&[1]);
    for step in 0.. {
        let actions = choices(&environments, one, step);
        environments.step(one, &actions, &mut rows, &mut final_steps).expect("they are legal");
        if rows[Column::Ended] == [1] {
            break;
        }
    }
    let again = environments.step(one, &[ActionId(0)], &mut rows, &mut final_steps);
    assert_eq!(again, Err(BatchError::NoEpisode { environment: 1 }));
    assert!(environments.waits_for(0).is_some(), "the other one has not moved");

    environments.reset(one, None, &mut rows).expect("the environment exists");
    assert_eq!((rows[Column::Ended].as_slice(), numbers(&rows[Column::EnvIds])), (&[0][..], vec![1]));
    assert_eq!(environments.episode_seed(1), Seed(10).child(1), "the next episode of its own seed");
    environments.reset(one, Some(&[Seed(77)]), &mut rows).expect("the environment exists");
    assert_eq!(environments.episode_seed(1), Seed(77), "the first one of the new seed");
}

#[test]
fn a_batch_with_a_bad_action_changes_nothing_and_names_its_environment() {
    let mut environments = rappa_nui(2, Autoreset::SameStep, 1, 3);
    let (mut rows, mut final_steps) = (Rows::default(), FinalSteps::default());
    let all = EnvIndices::Run(0, 3);
    environments.reset(all, None, &mut rows).expect("the environments exist");
    let waiting = |environments: &VectorEnv<RappaNui>| {
        (0..3).map(|number| environments.waits_for(number).map(|(seat, legal)| (seat, *legal))).collect::<Vec<_>>()
    };
    let (before, waited) = (rows.clone(), waiting(&environments));
    let good = choices(&environments, all, 0);
    let legal = Box::new(waited[2].expect("it waits").1);
    let mut step = |actions: &[ActionId], indices| environments.step(indices, actions, &mut rows, &mut final_steps);

    for id in [ActionId(0), ActionId(u16::MAX)] {
        let illegal = BatchError::Illegal { environment: 2, id, legal: legal.clone() };
        assert_eq!(step(&[good[0], good[1], id], all), Err(illegal));
    }
    let count = BatchError::Count { what: "actions", given: 2, environments: 3 };
    assert_eq!(step(&good[..2], all), Err(count));
    assert_eq!(step(&good[..1], EnvIndices::These(&[3])), Err(BatchError::Unknown { environment: 3, count: 3 }));
    assert_eq!(step(&good[..2], EnvIndices::These(&[1, 1])), Err(BatchError::NotRising { environment: 1 }));
    assert_eq!(step(&good[..2], EnvIndices::These(&[2, 0])), Err(BatchError::NotRising { environment: 0 }));

    assert_eq!(rows, before);
    assert_eq!(waiting(&environments), waited);
    assert_eq!(environments.step(all, &good, &mut rows, &mut final_steps), Ok(()), "the batch can be mended");
}

#[test]
fn a_refused_reset_changes_nothing() {
    let mut environments = rappa_nui(2, Autoreset::SameStep, 1, 2);
    let mut rows = Rows::default();
    environments.reset(EnvIndices::Run(0, 2), None, &mut rows).expect("the environments exist");
    let seeds = [Seed(5), Seed(6), Seed(7)];
    let count = BatchError::Count { what: "seeds", given: 3, environments: 2 };
    assert_eq!(environments.reset(EnvIndices::Run(0, 2), Some(&seeds), &mut rows), Err(count));
    let unknown = BatchError::Unknown { environment: 2, count: 2 };
    assert_eq!(environments.reset(EnvIndices::These(&[0, 2]), Some(&seeds[..2]), &mut rows), Err(unknown));
    let begun = |environments: &VectorEnv<RappaNui>| [0, 1].map(|number| environments.episode_seed(number));
    assert_eq!(begun(&environments), [Seed(1), Seed(2)]);

    environments.reset(EnvIndices::Run(0, 2), None, &mut rows).expect("the environments exist");
    assert_eq!(begun(&environments), [Seed(1).child(1), Seed(2).child(1)], "the next episodes of their own seeds");
}

#[test]
fn a_run_that_ends_beyond_all_numbers_is_refused() {
    let mut environments = rappa_nui(2, Autoreset::SameStep, 1, 2);
    let (mut rows, mut final_steps) = (Rows::default(), FinalSteps::default());
    environments.reset(EnvIndices::Run(0, 2), None, &mut rows).expect("the environments exist");
    let before = rows.clone();

    // These runs have no values, which would need too much memory; the environment numbers are checked first.
    for indices in [EnvIndices::Run(u32::MAX, 2), EnvIndices::Run(0, (1 << 32) | 1)] {
        let stepped = environments.step(indices, &[], &mut rows, &mut final_steps);
        assert!(matches!(stepped, Err(BatchError::Unknown { count: 2, .. })), "{indices:?}: {stepped:?}");
        let begun = environments.reset(indices, Some(&[]), &mut rows);
        assert!(matches!(begun, Err(BatchError::Unknown { count: 2, .. })), "{indices:?}: {begun:?}");
    }
    assert_eq!(rows, before);
}

/// Returns all games, each with its lowest and its highest seat count.
fn tables() -> impl Iterator<Item = (&'static str, usize)> {
    GAMES.iter().flat_map(|rules| [*rules.seats().start(), *rules.seats().end()].map(|seats| (rules.info().id, seats)))
}

#[test]
fn a_subset_goes_on_as_if_it_were_alone() {
    for (game, seats) in tables() {
        let rules = find(game).expect("it is listed");
        let setup = rules.configure(seats, &[]).expect("the defaults");
        let open = |count| {
            let mut environments = setup.environments(self_play(seats, Autoreset::SameStep), Seed(30), count);
            environments.reset(EnvIndices::Run(0, count), None, &mut Rows::default()).expect("the environments exist");
            environments
        };
        let (mut many, mut few) = (open(5), open(2));
        let (mut rows, mut final_steps) = (Rows::default(), FinalSteps::default());
        let (mut few_rows, mut few_ends) = (Rows::default(), FinalSteps::default());
        for step in 0..200 {
            let actions = choices(&*few, EnvIndices::Run(0, 2), step);
            few.step(EnvIndices::Run(0, 2), &actions, &mut few_rows, &mut few_ends).expect("they are legal");
            many.step(EnvIndices::These(&[0, 1]), &actions, &mut rows, &mut final_steps).expect("they are legal");
            assert_eq!((&rows, &final_steps), (&few_rows, &few_ends), "{game}");
            let others = EnvIndices::Run(2, 3);
            let actions = choices(&*many, others, step);
            many.step(others, &actions, &mut rows, &mut final_steps).expect("they are legal");
            assert_eq!(numbers(&rows[Column::EnvIds]), [2, 3, 4]);
        }
    }
}

/// Returns options that leave most known facts out of the shown view.
fn covering(game: &str) -> &'static [(&'static str, &'static str)] {
    match game {
        "giants" => &[("base_view", "memory"), ("screen_view", "hidden")],
        "rapanui_board" => &[("offering_view", "private")],
        "rapanui_cards" => &[("stone_view", "top_only"), ("display_view", "front")],
        _ => &[],
    }
}

/// Returns tables of external players (None) and bots. Each table has an external player in seat 0.
fn casts(seats: usize) -> [Vec<Option<&'static str>>; 4] {
    let cast = |bot: &dyn Fn(usize) -> Option<&'static str>| [None].into_iter().chain((1..seats).map(bot)).collect();
    let mixed = |seat: usize| ["random@1", "greedy@1"].get(seat % 3).copied();
    [cast(&|_| Some("random@1")), cast(&|_| Some("greedy")), cast(&|_| Some("search:2")), cast(&mixed)]
}

/// A bot makes the same choices in an environment and in a match, since its choice depends on seed, seat, and decision
/// alone.
#[test]
fn episodes_are_played_and_shown_as_matches_of_the_same_seeds_with_the_same_bots() {
    for (game, seats) in tables() {
        let rules = find(game).expect("it is listed");
        let setup = rules.configure(seats, covering(game)).expect("they are its options");
        for cast in casts(seats) {
            let bots = cast.iter().map(|name| name.map(|name| rules.bot(name).expect("every game has it")));
            let bots: Vec<_> = bots.collect();
            let player = |bot: Option<_>| bot.map_or(Player::External, |bot| Player::Bots(vec![(bot, 1)]));
            let players = bots.iter().copied().map(player).collect();
            let env_config = EnvConfig { players, ..self_play(seats, Autoreset::Disabled) };
            let mut environments = setup.environments(env_config, Seed(11), 1);
            let (mut rows, mut final_steps) = (Rows::default(), FinalSteps::default());
            for seed in [Seed(11), Seed(11).child(1)] {
                environments.reset(EnvIndices::Run(0, 1), None, &mut rows).expect("the environment exists");
                let player = |bot: Option<_>| bot.map_or_else(|| SeatPlayer::external("a trainer"), SeatPlayer::bot);
                let players = bots.iter().copied().map(player).collect();
                let mut single = Referee::new(setup.clone(), seed, players, Conduct::default());
                for step in 0.. {
                    single.play_bots();
                    let to_act = single.to_act().first().map(|seat| (seat, single.legal_actions(seat)));
                    let waits = environments.waits_for(0).map(|(seat, legal)| (seat, *legal));
                    assert_eq!(waits, to_act, "{game}: {setup}, {cast:?}");
                    let own = Viewer::Seat(to_act.map_or(seat(0), |(seat, _)| seat));
                    for viewer in [own, Viewer::Public] {
                        assert_eq!(text(&*environments, 0, viewer), Ok(single.view(viewer).text()));
                    }
                    let observation = written(&*single.view(own), environments.row_size());
                    let shown = (&rows[Column::Bits], &rows[Column::Numbers]);
                    assert_eq!(shown, (&observation.0, &observation.1), "{game}: {setup}, {cast:?}");
                    let Some((seat, legal)) = to_act else { break };
                    let id = choose(&legal, step);
                    environments.step(EnvIndices::Run(0, 1), &[id], &mut rows, &mut final_steps).expect("it is legal");
                    single.act(seat, single.answered(seat) + 1, id).expect("it is legal");
                }
                let result = single.result().expect("it is over");
                let decisions = table(seats).iter().map(|seat| single.answered(seat)).sum();
                let [episode] = final_steps.episodes.as_slice() else { panic!("{:?}", final_steps.episodes) };
                assert_eq!((episode.scores, episode.ranks), (result.scores, result.ranks));
                assert_eq!((episode.seed, episode.decisions), (seed, decisions));
                assert_eq!(episode.bots.values(), bots, "{game}");
                let external: Vec<u8> =
                    (0..).zip(&bots).filter(|(_, bot)| bot.is_none()).map(|(seat, _)| seat).collect();
                assert_eq!(final_steps.seats, external, "these seats are the caller's");
            }
        }
    }
}

#[test]
fn players_move_one_seat_to_the_left_with_each_episode() {
    let rules = find("rappanui").expect("it is listed");
    let setup = rules.configure(3, &[]).expect("the defaults");
    let bot = |name| Player::Bots(vec![(rules.bot(name).expect("it has this bot"), 1)]);
    let mut env_config = self_play(3, Autoreset::SameStep);
    env_config.players = vec![Player::External, bot("greedy"), bot("random")];
    env_config.rotation = Rotation::Episode;
    let mut environments = setup.environments(env_config, Seed(6), 2);
    let (mut rows, mut final_steps) = (Rows::default(), FinalSteps::default());
    let all = EnvIndices::Run(0, 2);
    environments.reset(all, None, &mut rows).expect("the environments exist");
    assert_eq!(rows[Column::Seats], [0, 1], "6 and 7 are 0 and 1 modulo 3");

    let mut bots = [Vec::new(), Vec::new()];
    for step in 0.. {
        let actions = choices(&*environments, all, step);
        environments.step(all, &actions, &mut rows, &mut final_steps).expect("they are legal");
        for episode in &final_steps.episodes {
            bots[episode.environment as usize].push(episode.bots);
        }
        if bots.iter().all(|bots| bots.len() >= 4) {
            break;
        }
    }
    let [greedy, random] = ["greedy", "random"].map(|name| rules.bot(name).ok());
    let none = None;
    let seated = [[none, greedy, random], [random, none, greedy], [greedy, random, none]];
    for (environment, bots) in bots.iter().enumerate() {
        for (episode, bots) in bots.iter().enumerate() {
            assert_eq!(bots.values(), seated[(environment + episode) % 3]);
        }
    }
}

#[test]
fn a_mixture_draws_its_bots_by_weight_and_the_seed_alone_decides() {
    let rules = find("rappanui").expect("it is listed");
    let setup = rules.configure(2, &[]).expect("the defaults");
    let bots = ["greedy", "random"].map(|name| rules.bot(name).expect("it has this bot"));
    let mut env_config = self_play(2, Autoreset::SameStep);
    env_config.players[1] = Player::Bots(vec![(bots[0], 3), (bots[1], 1)]);
    let play = |count| {
        let mut environments = setup.environments(env_config.clone(), Seed(0), count);
        let (mut rows, mut final_steps) = (Rows::default(), FinalSteps::default());
        let all = EnvIndices::Run(0, count);
        environments.reset(all, None, &mut rows).expect("the environments exist");
        let mut drawn: Vec<Vec<BySeat<Option<BotName>>>> = vec![Vec::new(); count];
        for step in 0..800 {
            let actions = choices(&*environments, all, step);
            environments.step(all, &actions, &mut rows, &mut final_steps).expect("they are legal");
            for episode in &final_steps.episodes {
                drawn[episode.environment as usize].push(episode.bots);
            }
        }
        drawn
    };
    let drawn = play(300);
    assert_eq!(play(10)[..], drawn[..10], "whoever else plays");
    let bots: Vec<_> = drawn.iter().flatten().map(|bots| bots[seat(1)]).collect();
    let greedy = bots.iter().filter(|bot| **bot == rules.bot("greedy").ok()).count();
    // With some two thousand draws, 0.05 is five standard deviations.
    let share = greedy as f64 / bots.len() as f64;
    assert!(bots.len() > 1000 && (share - 0.75).abs() < 0.05, "{greedy} of {}", bots.len());
    let changes = drawn.iter().filter(|bots| bots.windows(2).any(|pair| pair[0] != pair[1])).count();
    assert!(changes > 0, "each episode has a draw of its own");
}

#[test]
fn an_environment_is_shown_to_those_whom_the_caller_plays() {
    let rules = find("rappanui").expect("it is listed");
    let setup = rules.configure(2, &[]).expect("the defaults");
    let mut env_config = self_play(2, Autoreset::SameStep);
    env_config.players[1] = Player::Bots(vec![(rules.bot("random").expect("every game has it"), 1)]);
    let mut environments = setup.environments(env_config, Seed(3), 1);
    assert_eq!(text(&*environments, 0, Viewer::Public), Err(BatchError::NoEpisode { environment: 0 }));
    environments.reset(EnvIndices::Run(0, 1), None, &mut Rows::default()).expect("the environment exists");

    let own = text(&*environments, 0, Viewer::Seat(seat(0))).expect("the caller plays it");
    let public = text(&*environments, 0, Viewer::Public).expect("everybody may see it");
    assert_ne!(own, public, "a hand is its player's");
    let external = seat(0).into();
    let refused = BatchError::NotExternal { environment: 0, seat: seat(1), external };
    assert_eq!(text(&*environments, 0, Viewer::Seat(seat(1))), Err(refused));
    assert_eq!(text(&*environments, 1, Viewer::Public), Err(BatchError::Unknown { environment: 1, count: 1 }));
}

#[test]
fn a_block_has_the_columns_one_after_the_other() {
    let all = EnvIndices::Run(0, 5);
    let (mut in_block, mut in_columns) =
        (rappa_nui(3, Autoreset::SameStep, 4, 5), rappa_nui(3, Autoreset::SameStep, 4, 5));
    let size = in_block.row_size();
    let (mut block, mut rows) = (vec![0xFF; size.total() * 5], Rows::default());
    in_block.reset_into(all, None, RowMemory::Block(&mut block)).expect("the environments exist");
    in_columns.reset(all, None, &mut rows).expect("the environments exist");
    assert_eq!(block, rows.columns.concat());
}

#[test]
fn on_the_way_the_margin_is_paid_to_the_seat_that_decides_and_sums_to_the_margin_of_the_end() {
    for (game, seats) in tables() {
        let setup = find(game).expect("it is listed").configure(seats, &[]).expect("the defaults");
        let env_config = EnvConfig { rewards: RewardRule::MarginGain, ..self_play(seats, Autoreset::SameStep) };
        let mut environments = setup.environments(env_config, Seed(9), 3);
        let (mut rows, mut final_steps) = (Rows::default(), FinalSteps::default());
        let all = EnvIndices::Run(0, 3);
        environments.reset(all, None, &mut rows).expect("the environments exist");
        assert!(rows[Column::Rewards].iter().all(|&byte| byte == 0), "a reset pays nothing");
        // Whole multiples of 1 / (seats - 1), so that a sum has no error.
        let parts = |rewards: &[u8]| -> Vec<i32> {
            floats(rewards).iter().map(|reward| (reward * (seats - 1) as f32).round() as i32).collect()
        };
        let mut sums = vec![vec![0; seats]; 3];
        let (mut episodes, mut paid_early) = (0, false);
        for step in 0..6_000 {
            let actions = choices(&*environments, all, step);
            environments.step(all, &actions, &mut rows, &mut final_steps).expect("they are legal");
            for (row, sums) in sums.iter_mut().enumerate() {
                let rewards = parts(part(&rows[Column::Rewards], row, 4 * seats));
                sums.iter_mut().zip(&rewards).for_each(|(sum, reward)| *sum += reward);
                if rows[Column::Ended][row] == 0 {
                    let other = |seat: usize| seat != usize::from(rows[Column::Seats][row]);
                    assert!(rewards.iter().enumerate().all(|(seat, &reward)| reward == 0 || !other(seat)));
                    paid_early |= rewards.iter().any(|&reward| reward != 0);
                }
            }
            for episode in &final_steps.episodes {
                let sums = std::mem::replace(&mut sums[episode.environment as usize], vec![0; seats]);
                let margins = RewardRule::Margin.returns(&episode.scores, &episode.ranks);
                let expected: Vec<u8> = margins.values().iter().flat_map(|margin| margin.to_le_bytes()).collect();
                assert_eq!(sums, parts(&expected), "{game}");
                assert_eq!(episode.returns, margins);
                episodes += 1;
            }
        }
        assert!(episodes > 3 && paid_early, "{game}: {episodes} episodes");
    }
}

/// A bot that panics at its third decision in the game of seed 6, and otherwise plays the first legal action.
static PANICS: [Bot<RappaNui>; 1] = [Bot {
    name: "panics@1",
    about: "Panics.",
    is_quick: true,
    method: Method::Policy(Policy {
        choose: |_, legal, rng| first_or_panic(legal, rng),
        choose_in: |_, _, legal, rng| first_or_panic(legal, rng),
    }),
}];

static PANICKING: Rules<RappaNui> = Rules::new(&PANICS);

fn first_or_panic(legal: &ActionSet, rng: &mut dyn Rng) -> Action {
    // A bot has other random numbers in each decision.
    assert!(rng.next_u64() != BotSeed::new(Seed(6), 0).rng(seat(1), 3).next_u64(), "the third decision");
    Action::from_id(legal.nth(0).expect("a seat that decides has a legal action")).expect("an action")
}

#[test]
fn a_panic_names_game_seed_and_ply_and_the_environments_are_lost() {
    let bot = PANICKING.bot("panics@1").expect("it is listed");
    let players = vec![Player::External, Player::Bots(vec![(bot, 1)])];
    let env_config = EnvConfig { players, ..self_play(2, Autoreset::SameStep) };
    let mut environments = VectorEnv::new(options(2), &PANICKING, env_config, Seed(4), 40);
    let (mut rows, mut final_steps) = (Rows::default(), FinalSteps::default());
    let all = EnvIndices::Run(0, 40);
    environments.reset(all, None, &mut rows).expect("the environments exist");
    let error = loop {
        let actions = choices(&environments, all, 0);
        if let Err(error) = environments.step(all, &actions, &mut rows, &mut final_steps) {
            break error;
        }
    };
    let BatchError::Panicked { environment, game, seed, ply, ref message } = error else { panic!("{error}") };
    assert_eq!((environment, game, seed, message.as_str()), (2, "rappanui", Seed(6), "the third decision"));
    assert!(ply > 4, "two decisions of the bot and more were before: {ply}");
    assert_eq!(environments.reset(all, None, &mut rows), Err(error.clone()));
    assert_eq!(text(&environments, 0, Viewer::Public), Err(error));
}
