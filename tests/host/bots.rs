//! Bots: their names and budgets, and the choices of searches.

use std::num::NonZeroU32;
use std::sync::mpsc;
use std::thread;

use ahu_core::{Seed, Viewer, hex};
use ahu_host::nets::{NetRoom, built_in};
use ahu_host::search::{Budget, Stop};
use ahu_host::{AnyRules, BotName, BotSeed, Conduct, Cores, GAMES, Position, Referee, SeatPlayer, find};
use sha2::{Digest as _, Sha256};

fn rules() -> &'static dyn AnyRules {
    find("giants").expect("it is in the catalog")
}

fn name(text: &str) -> String {
    rules().bot(text).expect("it is a bot").name()
}

fn refusal(text: &str) -> (usize, String) {
    let error = rules().bot(text).expect_err("it is refused");
    (error.at, error.message.into_owned())
}

#[test]
fn a_bare_name_is_the_newest_version_and_a_budget_has_one_spelling() {
    let names = ["random", "greedy", "greedy@1", "search", "search:50", "search@1:800", "search:2s", "search:1500ms"];
    let full = names.map(name);
    assert_eq!(
        full,
        [
            "random@1",
            "greedy@2",
            "greedy@1",
            "search@2:200",
            "search@2:50",
            "search@1:800",
            "search@2:2s",
            "search@2:1500ms"
        ]
    );
    assert_eq!(full.clone().map(|text| name(&text)), full, "a full name is its own");
    assert_eq!(name("search:2000ms"), "search@2:2s");
    let budget = |text| rules().bot(text).expect("it is a bot").budget();
    assert_eq!(budget("search:50"), NonZeroU32::new(50).map(Budget::Playouts));
    assert_eq!(budget("search:2s"), NonZeroU32::new(2000).map(Budget::Time));
    assert_eq!(budget("greedy"), None);
    let verifiable = |text| rules().bot(text).is_ok_and(BotName::is_reproducible);
    assert!(verifiable("greedy") && verifiable("search:50") && !verifiable("search:2s"));
}

#[test]
fn the_easy_bot_wins_about_a_fifth_of_its_pairs_against_greedy() {
    for rules in GAMES {
        let seats = *rules.seats().start();
        let setup = rules.configure(seats, &[]).expect("the defaults");
        let [easy, greedy] = ["easy@1", "greedy@2"].map(|name| rules.bot(name).expect("every game has it"));
        let (mut half_pairs, mut pairs) = (0, 0);
        for seed in 0..60 {
            for own in setup.seats().iter() {
                let player = |seat| SeatPlayer::bot(if seat == own { easy } else { greedy });
                let players = setup.seats().iter().map(player).collect();
                let mut referee = Referee::new(setup.clone(), Seed(seed), players, Conduct::default());
                referee.play_bots();
                let ranks = referee.result().expect("bots play to the end").ranks;
                for other in setup.seats().iter().filter(|&other| other != own) {
                    pairs += 1;
                    half_pairs += 1 + i32::from(ranks[own] < ranks[other]) - i32::from(ranks[own] > ranks[other]);
                }
            }
        }
        let share = f64::from(half_pairs) / f64::from(2 * pairs);
        assert!((0.12..0.30).contains(&share), "{}: {share}", rules.info().id);
    }
}

#[test]
fn an_unknown_bot_or_version_is_refused_with_the_nearest_name_and_all_that_there_are() {
    let listed =
        "(expected one of random@1, easy@1, greedy@1, greedy@2, heldout@1, heldout@2, net@1, search@1:N, search@2:N)";
    for (text, hint) in [
        ("serch:50", "unknown bot \"serch\"; did you mean \"search\"? "),
        ("gready", "unknown bot \"gready\"; did you mean \"greedy\"? "),
        ("greedy@9", "unknown bot \"greedy@9\"; did you mean \"greedy@2\"? "),
        ("search@3:50", "unknown bot \"search@3\"; did you mean \"search@2\"? "),
        ("alphabeta", "unknown bot \"alphabeta\" "),
        ("", "unknown bot \"\" "),
    ] {
        assert_eq!(refusal(text), (0, format!("{hint}{listed}")));
    }
}

#[test]
fn a_budget_that_is_none_is_refused_at_its_place() {
    for budget in ["", "x", "s", "-5", "+5", "05", "5.5", "5 ", "2m", "2S", "5:5"] {
        let expected = "expected a number of playouts, such as 200, or a time, such as 2s, got ";
        assert_eq!(refusal(&format!("search:{budget}")), (7, format!("{expected}\"{budget}\"")));
    }
    for budget in ["0", "1000001", "99999999999999999999999"] {
        let message = format!("expected from 1 to 1000000 playouts, got \"{budget}\"");
        assert_eq!(refusal(&format!("search@1:{budget}")), (9, message));
    }
    for budget in ["0s", "0ms", "3601s", "3600001ms", "99999999999999999999999s"] {
        let message = format!("expected a time from 1ms to 3600s, got \"{budget}\"");
        assert_eq!(refusal(&format!("search:{budget}")), (7, message));
    }
    let message = "expected the name \"greedy\" alone, got \"greedy:50\": this bot has no budget";
    assert_eq!(refusal("greedy:50"), (6, message.to_owned()));
}

/// Returns the referee of a game of greedy bots, after some decisions.
fn position(rules: &'static dyn AnyRules, decisions: usize) -> Referee {
    let seats = *rules.seats().start();
    let setup = rules.configure(seats, &[]).expect("the defaults are valid");
    let greedy = rules.bot("greedy").expect("every game has it");
    let mut referee = Referee::new(setup, Seed(3), vec![SeatPlayer::bot(greedy); seats], Conduct::default());
    (0..decisions).for_each(|_| referee.play_bot());
    while referee.bot_to_act().is_some_and(|(seat, _)| referee.legal_actions(seat).len() < 3) {
        referee.play_bot();
    }
    referee
}

#[test]
fn an_analysis_uses_its_budget_and_is_the_choice_of_the_bot() {
    for rules in GAMES {
        for playouts in [1, 2, 7, 50] {
            let search = rules.bot(&format!("search:{playouts}")).expect("every game has it");
            let referee = position(*rules, 30);
            let (seat, _) = referee.bot_to_act().expect("the game goes on");
            let analyse = || referee.analysis_of(search, seat).expect("the seat has to decide");

            let analysis = analyse()(Cores::Callers);

            let legal = referee.legal_actions(seat);
            assert!(analysis.actions.iter().map(|action| action.id).eq(legal.iter()));
            assert!((playouts / 2..=playouts).contains(&analysis.playouts), "{} of {playouts}", analysis.playouts);
            assert_eq!(analysis.actions.iter().map(|action| action.visits).sum::<u32>(), analysis.playouts);
            for action in &analysis.actions {
                assert_eq!(action.ranks.iter().sum::<u32>(), action.visits);
                assert!((0.0..=1.0).contains(&action.mean));
            }
            assert!(analysis.of(analysis.policy).is_some_and(|action| action.visits > 0), "greedy's choice is tried");
            assert_eq!(analyse()(Cores::CallersPool), analysis, "cores make no difference");
            assert_eq!(referee.choice_of(search, seat).expect("the seat has to decide")(), analysis.choice);
            let others = referee.setup().seats().others(seat).find(|other| !referee.to_act().contains(*other));
            assert!(others.is_none_or(|other| referee.analysis_of(search, other).is_none()), "it has no decision");
            let greedy = rules.bot("greedy").expect("every game has it");
            assert!(referee.analysis_of(greedy, seat).is_none(), "greedy is no search");
        }
    }
}

/// With any budget, a search tries an action in the same worlds first. So the means after one playout and after two playouts
/// give both utilities. The distance of both utilities from their mean is the standard error of the mean.
#[test]
fn the_standard_error_is_that_of_a_mean_of_playouts() {
    let mut compared = 0;
    for rules in GAMES {
        let referee = position(*rules, 30);
        let (seat, _) = referee.bot_to_act().expect("the game goes on");
        let analysis = |playouts: usize| {
            let search = rules.bot(&format!("search:{playouts}")).expect("every game has it");
            referee.analysis_of(search, seat).expect("the seat has to decide")(Cores::Callers)
        };
        let found: Vec<_> = (1..60).map(analysis).collect();
        let with =
            |visits| found.iter().flat_map(|analysis| &analysis.actions).filter(move |action| action.visits == visits);
        assert!(with(0).chain(with(1)).all(|action| action.standard_error == 0.0), "one playout has no spread");
        for one in with(1) {
            for two in with(2).filter(|two| two.id == one.id) {
                let expected = (two.mean - one.mean).abs();
                assert!((two.standard_error - expected).abs() < 1e-9, "expected {expected}, got {two:?}");
                compared += usize::from(expected > 0.0);
            }
        }
    }
    assert!(compared > 20, "{compared} standard errors were compared");
}

#[test]
fn a_search_by_time_tries_every_action_and_chooses_a_legal_one() {
    for rules in GAMES {
        let referee = position(*rules, 10);
        let (seat, _) = referee.bot_to_act().expect("the game goes on");
        let search = rules.bot("search:1ms").expect("every game has it");
        let analysis = referee.analysis_of(search, seat).expect("the seat has to decide")(Cores::Callers);
        assert!(analysis.actions.iter().all(|action| action.visits > 0));
        assert!(referee.legal_actions(seat).contains(analysis.choice));
    }
}

#[test]
fn a_search_that_is_stopped_ends_early() {
    for rules in GAMES {
        let referee = position(*rules, 10);
        let (seat, _) = referee.bot_to_act().expect("the game goes on");
        let search = rules.bot("search:3600s").expect("every game has it");
        let analyse = referee.analysis_of(search, seat).expect("the seat has to decide");
        let stop = Stop::default();
        let (sender, started) = mpsc::channel();
        let analysis = thread::scope(|scope| {
            let searching = scope.spawn(|| {
                stop.govern_thread();
                sender.send(()).expect("the test waits");
                analyse(Cores::Callers)
            });
            started.recv().expect("the thread begins");
            stop.request();
            searching.join().expect("a search that is stopped ends")
        });
        assert!(referee.legal_actions(seat).contains(analysis.choice));
    }
}

/// Plays one game for each seed from 0, with `first` in one seat and `second` in the others. Returns the number that `first`
/// wins.
fn wins(game: &str, seats: usize, games: usize, first: &str, second: &str) -> usize {
    let rules = find(game).expect("it is in the catalog");
    let setup = rules.configure(seats, &[]).expect("the defaults are valid");
    let [first, second] = [first, second].map(|name| rules.bot(name).expect("the game has it"));
    let is_won = |&seed: &usize| {
        let bots = (0..seats).map(|seat| if seat == seed % seats { first } else { second });
        let players = bots.map(SeatPlayer::bot).collect();
        let mut referee = Referee::new(setup.clone(), Seed(seed as u64), players, Conduct::default());
        referee.play_bots();
        referee.result().expect("it is over").ranks.values()[seed % seats] == 1
    };
    (0..games).filter(is_won).count()
}

/// These are a few of the games of `benches/bots.md`. With these seeds a search that chose at random would lose.
#[test]
fn a_search_beats_greedy() {
    let won = wins("rapanui_cards", 2, 10, "search:50", "greedy");
    assert!(won >= 7, "{won} of 10 games");
}

#[test]
fn a_guided_search_begins_with_the_choice_of_its_net_and_improves_on_it() {
    for game in ["rappanui", "rapanui_cards", "giants"] {
        let rules = find(game).expect("it is in the catalog");
        let [search, net] = ["search@2:3", "net@1"].map(|name| rules.bot(name).expect("the game has it"));
        for decisions in [5, 20, 40, 60] {
            let referee = position(rules, decisions);
            let (seat, _) = referee.bot_to_act().expect("the game goes on");
            let analysis = referee.analysis_of(search, seat).expect("the seat has to decide")(Cores::Callers);
            let choice = referee.choice_of(net, seat).expect("the seat has to decide")();
            assert_eq!((analysis.policy, analysis.choice), (choice, choice), "one world proves nothing");
        }
    }
    let won = wins("rapanui_cards", 2, 10, "search@2:50", "search@1:50");
    assert!(won >= 7, "{won} of 10 games");
}

#[test]
fn a_small_budget_of_a_guided_search_tries_what_its_net_scores_best() {
    let rules = find("rapanui_cards").expect("it is in the catalog");
    let (net, search) = (built_in::RAPANUI_CARDS.net(), rules.bot("search@2:6").expect("the game has it"));
    let (bits, numbers) = rules.observation_size();
    let setup = rules.configure(2, &[]).expect("the defaults are valid");
    let mut position = Position::new(setup, Some(Seed(8)), true);
    let (mut room, mut compared) = (NetRoom::default(), 0);
    while let Some(seat) = position.game().turn().to_act().first() {
        let legal = position.game().legal_actions(seat);
        if legal.len() > 3 {
            let (mut bits, mut numbers) = (vec![0; bits.div_ceil(64)], vec![0; numbers]);
            position.game().view(Viewer::Seat(seat)).write(&mut bits, &mut numbers);
            net.see_observation(&bits, &numbers, None, &mut room);
            let rng = BotSeed::new(Seed(1), 0).rng(seat, 1);
            let analysis = position.game().bot_analysis(search, seat, rng).expect("it is a search")(Cores::Callers);
            let scores = |is_tried: bool| {
                let actions = analysis.actions.iter().filter(move |action| (action.visits > 0) == is_tried);
                actions.map(|action| net.score(action.id, &room))
            };
            assert_eq!(scores(true).count(), 3, "half of the playouts");
            assert!(scores(true).min() >= scores(false).max());
            compared += 1;
        }
        position.play(seat, legal.nth(0).expect("an action is legal")).expect("it is legal");
    }
    assert!(compared > 10, "{compared} decisions");
}

/// The page docs/train/net-1.md has the wins over whole blocks.
#[test]
fn the_net_of_the_program_beats_greedy() {
    for (game, seats, games) in [("rapanui_cards", 2, 40), ("rapanui_board", 2, 30)] {
        let won = wins(game, seats, games, "net@1", "greedy@2");
        assert!(won * 5 >= games * 3, "{game}: {won} of {games}");
    }
}

/// The page docs/reference/bots.md has the wins over whole blocks.
#[test]
fn the_held_out_opponents_beat_easy() {
    for rules in GAMES.iter().filter(|rules| rules.bot("heldout").is_ok()) {
        let (game, seats) = (rules.info().id, *rules.seats().start());
        for held_out in ["heldout@1", "heldout@2"] {
            let won = wins(game, seats, 60, held_out, "easy@1");
            assert!(won * seats > 66, "{held_out} in {game}: {won} of 60");
        }
    }
}

/// A version plays the same for ever. Another net is another version.
#[test]
fn the_nets_of_the_program_are_the_files_that_the_docs_name() {
    let page = include_str!("../../docs/train/net-1.md");
    let mut size = 0;
    for (game, own, held_out) in [
        ("rappanui", &built_in::RAPPANUI, &built_in::held_out::RAPPANUI),
        ("rapanui_cards", &built_in::RAPANUI_CARDS, &built_in::held_out::RAPANUI_CARDS),
        ("giants", &built_in::GIANTS, &built_in::held_out::GIANTS),
        ("rapanui_board", &built_in::RAPANUI_BOARD, &built_in::held_out::RAPANUI_BOARD),
    ] {
        for (adviser, file) in [("greedy@2", own), ("heldout@1", held_out)] {
            let (net, digest) = (file.net(), hex(&Sha256::digest(file.file())));
            assert!(page.contains(&format!("| `{game}` | `{digest}` |")), "{game}: {digest}");
            assert!(net.head.adviser.is_none_or(|bot| bot.name() == adviser), "{game}: {:?}", net.head.adviser);
            assert!(net.head.rules.info().id == game && net.has_value());
            size += file.file().len();
        }
    }
    assert!(size <= 4 * 1024 * 1024, "{size} bytes");
}

/// With these seeds an equal bot would lose. In Rappa Nui, the deck game, the versions differ too little for a test.
#[test]
fn the_newer_greedy_beats_the_older_one() {
    for (game, seats) in [("rapanui_cards", 2), ("giants", 3), ("rapanui_board", 4)] {
        let (new, old) = (wins(game, seats, 60, "greedy@2", "greedy@1"), wins(game, seats, 60, "greedy@1", "greedy@2"));
        assert!(new * seats >= 70 && old * seats <= 50, "{game}: {new} and {old} of 60 games");
    }
}
