//! Nets: their files, their choices, records with them, and rollouts.

use ahu_core::{ActionId, ActionSet, BIT_BLOCK, Seed, Viewer};
use ahu_host::nets::{Net, NetRoom, Temperature, load, named};
use ahu_host::search::Stop;
use ahu_host::{
    AnyRules, BotName, BotSeed, Column, Conduct, Cores, EnvConfig, EnvIndices, FinalSteps, GAMES, Helpers, Look,
    Looked, Player, Position, Record, Referee, RewardRule, RolloutMemory, RolloutPlan, RowMemory, Rows, SeatPlayer,
    find, verify, verify_bots, verify_nets,
};

use self::net_bytes::{advised_bytes, net_bytes, sealed, unsealed};

#[path = "../shared/net_bytes.rs"]
mod net_bytes;

fn cards() -> &'static dyn AnyRules {
    find("rapanui_cards").expect("it is in the catalog")
}

fn refusal(bytes: &[u8]) -> String {
    Net::read(bytes).expect_err("it is refused")
}

fn other_size(expected: usize, got: usize) -> String {
    format!("expected a net of {expected} bytes, as its header says, got {got}")
}

/// Returns a net of the card game whose header has another text in the place of `old`.
fn changed(old: &str, new: &str) -> Vec<u8> {
    let content = unsealed(cards(), &[8], 1);
    let end = content.windows(2).position(|pair| pair == b"\n\n").expect("the end of the header");
    let header = str::from_utf8(&content[..end]).expect("a header is text");
    assert!(header.contains(old), "{header}");
    sealed([header.replacen(old, new, 1).as_bytes(), &content[end..]].concat())
}

#[test]
fn a_file_that_is_cut_altered_or_too_large_is_refused_by_name() {
    let bytes = net_bytes(cards(), &[8], 1);
    let size = bytes.len();
    for cut in [size - 1, size - 33, size / 2 + 200] {
        assert_eq!(refusal(&bytes[..cut]), other_size(size, cut));
    }
    assert_eq!(refusal(&[&bytes[..], b"\n"].concat()), other_size(size, size + 1));
    for place in [size - 1, size - 40, size - 2000] {
        let mut altered = bytes.clone();
        altered[place] ^= 1;
        assert_eq!(refusal(&altered), "the net was altered: its digest does not match its content");
    }
    for other in ["ahu record 2\n", ""] {
        let expected = "expected a net that begins with \"ahu net 1\", got another file";
        assert_eq!(refusal(other.as_bytes()), expected);
    }
    let large = vec![b'x'; 16 * 1024 * 1024 + 1];
    assert_eq!(refusal(&large), format!("expected a net of at most 16777216 bytes, got {}", large.len()));
    assert!(refusal(b"ahu net 1\ngame rappanui\n").contains("expected an empty line within 262144 bytes"));
}

#[test]
fn a_net_of_another_game_version_or_layout_is_refused_by_name() {
    let rules = cards().info().rules;
    let actions = cards().action_count();
    for (old, new, message) in [
        ("game rapanui_cards", "game chess", "unknown game \"chess\"".to_owned()),
        (
            &format!("rules {rules}"),
            "rules 99",
            format!("expected a net for rules {rules} of rapanui_cards, got one for rules 99"),
        ),
        (
            &format!("actions {actions}"),
            "actions 4",
            format!("expected a net for actions {actions} of rapanui_cards, got one for actions 4"),
        ),
        ("field depths", "field deeps", "got one that reads the field \"deeps\" as: deeps bits".to_owned()),
        (
            "priests bits thermometer",
            "priests bits flags",
            "reads the field \"priests\" as: priests bits flags".to_owned(),
        ),
        ("layout ", "layout 0", "expected fields with the hash 0".to_owned()),
        ("decoded ", "decodes ", "expected \"hidden\" and a value, got \"decodes".to_owned()),
        ("hidden 8", "hidden 0", "expected 1 to 3 layers of 1 to 1024 units, got \"0\"".to_owned()),
        ("hidden 8", "hidden 1025", "got \"1025\"".to_owned()),
        ("hidden 8", "hidden 8 8 8 8", "got \"8 8 8 8\"".to_owned()),
        ("hidden 8", "hidden 18446744073709551615", "got \"18446744073709551615\"".to_owned()),
        ("hidden 8", "hidden 1024 1024 1024", "bytes, as its header says".to_owned()),
        ("value true", "value yes", "expected true or false, got \"yes\"".to_owned()),
        (
            "thresholds wood 0",
            "thresholds wood -1",
            "expected 1 to 255 thresholds of \"wood\" that rise, from 0".to_owned(),
        ),
        ("provenance random", "provenance \u{202e}random", "expected visible text of 1 to 1024 bytes".to_owned()),
    ] {
        if new.starts_with("decodes") && !unsealed(cards(), &[8], 1).windows(9).any(|part| part == b"\ndecoded ") {
            continue;
        }
        let error = refusal(&changed(old, new));
        assert!(error.contains(&message), "{new}: {error}");
    }
}

#[test]
fn an_adviser_is_a_quick_bot_with_its_version() {
    let net = Net::read(&advised_bytes(cards(), "greedy@2", 8, 1)).expect("a net");
    assert_eq!(net.head.adviser.map(BotName::name), Some("greedy@2".to_owned()));
    assert_eq!(Net::read(&net_bytes(cards(), &[8], 1)).expect("a net").head.adviser, None);
    let other = load(&net_bytes(cards(), &[8], 77), None).expect("a net").name();
    for name in ["greedy", "greedy@9", "search@1:50", "search", &other, ""] {
        let error = refusal(&advised_bytes(cards(), name, 8, 1));
        let expected = format!("expected a quick bot with its version, such as greedy@2, got {name:?}");
        assert!(error.contains(&expected), "{error}");
    }
    // The weights of the advice are missing.
    let content = unsealed(cards(), &[8], 1);
    let text = b"field ";
    let at = content.windows(text.len()).position(|part| part == text).expect("a field");
    let without = sealed([&content[..at], b"adviser greedy@2\n", &content[at..]].concat());
    let expected = without.len() + 8 * (cards().action_count() + 1) + 8;
    assert_eq!(refusal(&without), other_size(expected, without.len()));
}

/// The choice of a net is a function of what its seat knows, of the bot seed, and of nothing else.
#[test]
fn a_net_is_a_function_of_the_view_of_its_seat() {
    for rules in GAMES {
        let names = [net_bytes(*rules, &[24], 4), advised_bytes(*rules, "greedy@2", 24, 4)]
            .map(|bytes| load(&bytes, None).expect("a net").name());
        let nets = names.map(|name| rules.bot(&name).expect("it is loaded"));
        let (seats, greedy) = (*rules.seats().end(), rules.bot("greedy@2").expect("every game has it"));
        let setup = rules.configure(seats, &[]).expect("the defaults");
        let seed = BotSeed::new(Seed(4), 0);
        let (mut worlds, mut told) = (0, 0);
        let mut position = Position::new(setup, Some(Seed(21)), true);
        let mut decision = 0;
        while let Some(seat) = position.game().turn().to_act().first() {
            decision += 1;
            let rng = || seed.rng(seat, decision);
            let legal = position.game().legal_actions(seat);
            let choices = nets.map(|player| position.game().bot_choice(player, seat, rng())());
            let advice = position.game().bot_choice(greedy, seat, rng())();
            for world in (0..3).filter_map(|n| position.resample(Viewer::Seat(seat), Seed(n))) {
                worlds += usize::from(world.game().fingerprint() != position.game().fingerprint());
                let others = nets.map(|player| world.game().bot_choice(player, seat, rng())());
                assert_eq!(others, choices, "{} at ply {}", rules.info().id, position.plies());
            }
            // The same by hand, from the bytes of the view.
            let (bits, numbers) = rules.observation_size();
            let (mut bits, mut numbers) = (vec![0; bits.div_ceil(64)], vec![0; numbers]);
            position.game().view(Viewer::Seat(seat)).write(&mut bits, &mut numbers);
            for (player, choice) in nets.into_iter().zip(choices) {
                let net = named(&player.name()).expect("it is loaded");
                let mut room = NetRoom::default();
                net.see_observation(&bits, &numbers, net.head.adviser.map(|_| advice), &mut room);
                assert_eq!(net.best(&legal, &room), choice);
                if net.head.adviser.is_some() {
                    let other = legal.iter().find(|id| *id != advice).unwrap_or(advice);
                    net.see_observation(&bits, &numbers, Some(other), &mut room);
                    told += usize::from(net.best(&legal, &room) != choice);
                }
            }
            position.play(seat, advice).expect("it is legal");
        }
        assert!(decision > 20 && told > 0, "other advice changes choices: {told} of {decision}");
        let has_secrets = !["rapanui_cards", "rapanui_board"].contains(&rules.info().id);
        assert!(worlds > 0 || !has_secrets, "{worlds} other worlds");
    }
}

#[test]
fn a_bias_that_could_overflow_a_sum_is_refused() {
    let mut content = unsealed(cards(), &[8], 1);
    // The bias of the value stands before its multiplier.
    let at = content.len() - 8;
    content[at..at + 4].copy_from_slice(&i32::MIN.to_le_bytes());
    assert_eq!(refusal(&sealed(content)), "expected a bias from -2^30 to 2^30, got -2147483648");
}

/// Plays a game of `greedy`, and calls `look` with each decision.
fn decisions(rules: &'static dyn AnyRules, seed: u64, mut look: impl FnMut(&[u64], &[i16], &ActionSet)) {
    let seats = *rules.seats().start();
    let setup = rules.configure(seats, &[]).expect("the defaults");
    let greedy = rules.bot("greedy").expect("every game has it");
    let mut referee = Referee::new(setup, Seed(seed), vec![SeatPlayer::bot(greedy); seats], Conduct::default());
    let (bits, numbers) = rules.observation_size();
    let (mut bits, mut numbers) = (vec![0; bits.div_ceil(64)], vec![0; numbers]);
    while let Some((seat, _)) = referee.bot_to_act() {
        referee.view(ahu_core::Viewer::Seat(seat)).write(&mut bits, &mut numbers);
        look(&bits, &numbers, &referee.legal_actions(seat));
        referee.play_bot();
    }
}

/// A net for a layout whose fields had another order finds them by their names, and plays the same.
#[test]
fn a_net_for_an_earlier_layout_finds_its_fields_by_name() {
    let rules = cards();
    let content = unsealed(rules, &[8], 3);
    let end = content.windows(2).position(|pair| pair == b"\n\n").expect("the end of the header");
    let header = str::from_utf8(&content[..end]).expect("text");
    let layout = rules.layout();
    // The earlier layout has no `phase`, and begins with another field.
    let mut old = ahu_core::Layout::default();
    let mut order = layout.bits.clone();
    order.rotate_left(3);
    let mut offset = 0;
    for (_, field) in order.into_iter().filter(|(_, field)| field.name != "phase") {
        old.bits.push((offset, field));
        offset += field.size();
    }
    old.numbers.clone_from(&layout.numbers);
    let fields: Vec<String> =
        old.fields().map(|(block, offset, field)| format!("field {}\n", field.line(block, offset))).collect();
    let other_lines = |line: &&str| !line.starts_with("field ") && !line.starts_with("layout ");
    let mut lines = header.lines().filter(other_lines).map(|line| format!("{line}\n")).collect::<Vec<_>>();
    lines.insert(4, format!("layout {}\n", ahu_core::hex(&old.hash())));
    lines.insert(6, fields.concat());
    // The rows of the first layer, in the other order of the fields.
    let starts = |layout: &ahu_core::Layout| {
        let bits = layout.fields().filter(|(block, ..)| *block == BIT_BLOCK);
        bits.map(|(_, offset, field)| (field.name, offset..offset + field.size())).collect::<Vec<_>>()
    };
    let (rows, rest) = content[end + 2..].split_at(8 * inputs(&content));
    let (bit_rows, number_rows) = rows.split_at(8 * layout.bit_count());
    let mut moved = Vec::new();
    for (name, _) in starts(&old) {
        let (_, range) = starts(&layout).into_iter().find(|(other, _)| *other == name).expect("a field");
        moved.extend(&bit_rows[8 * range.start..8 * range.end]);
    }
    let mut zeroed = content[..end + 2].to_vec();
    let (_, phase) = starts(&layout).into_iter().find(|(name, _)| *name == "phase").expect("a field");
    let mut kept = bit_rows.to_vec();
    kept[8 * phase.start..8 * phase.end].fill(0);
    zeroed.extend([&kept, number_rows, rest].concat());
    let moved = sealed([lines.concat().as_bytes(), b"\n", &moved, number_rows, rest].concat());

    let (earlier, same) = (Net::read(&moved).expect("a net"), Net::read(&sealed(zeroed)).expect("a net"));

    assert_eq!(earlier.head.layout, old.hash());
    let (mut one, mut other) = (NetRoom::default(), NetRoom::default());
    let mut looked = 0;
    decisions(rules, 5, |bits, numbers, legal| {
        earlier.see_observation(bits, numbers, None, &mut one);
        same.see_observation(bits, numbers, None, &mut other);
        for id in (0..rules.action_count()).map(|id| ActionId(id as u16)) {
            assert_eq!(earlier.score(id, &one), same.score(id, &other));
        }
        assert_eq!(earlier.best(legal, &one), same.best(legal, &other));
        looked += 1;
    });
    assert!(looked > 20, "{looked} decisions");
}

/// Returns the number of inputs of a net of the card game, which decodes nothing.
fn inputs(content: &[u8]) -> usize {
    Net::read(&sealed(content.to_vec())).expect("a net").head.inputs
}

/// Of equal scores the lowest id wins: a net without weights takes the first legal action.
#[test]
fn a_tie_goes_to_the_lowest_id() {
    let mut content = unsealed(cards(), &[8], 1);
    let end = content.windows(2).position(|pair| pair == b"\n\n").expect("the end of the header") + 2;
    content[end..].fill(0);
    let net = Net::read(&sealed(content)).expect("a net");
    let mut room = NetRoom::default();
    decisions(cards(), 1, |bits, numbers, legal| {
        net.see_observation(bits, numbers, None, &mut room);
        assert_eq!(Some(net.best(legal, &room)), legal.nth(0));
    });
}

#[test]
fn a_net_is_a_bot_of_its_game_and_records_with_it_verify() {
    for rules in GAMES {
        for (bytes, other) in [
            (net_bytes(*rules, &[32, 8], 7), net_bytes(*rules, &[32, 8], 8)),
            (advised_bytes(*rules, "greedy@1", 32, 7), advised_bytes(*rules, "random@1", 32, 7)),
        ] {
            let net = load(&bytes, Some("test")).expect("a net");
            let seats = *rules.seats().start();
            let setup = rules.configure(seats, &[]).expect("the defaults");
            let [bot, greedy] = [&net.name(), "greedy"].map(|name| rules.bot(name).expect("it is loaded"));
            assert_eq!((bot.name(), bot.is_net(), bot.is_reproducible()), (net.name(), true, true));
            let players = (0..seats).map(|seat| SeatPlayer::bot(if seat == 0 { bot } else { greedy })).collect();
            let mut referee = Referee::new(setup, Seed(3), players, Conduct::default());
            referee.play_bots();
            let record = referee.record();
            for form in [record.to_bytes(), record.to_text().into_bytes()] {
                let read = Record::read(&form).expect("a record");
                verify(&read).expect("it is valid");
                let (all, nets) = (verify_bots(&read, || true).expect("equal"), verify_nets(&read).expect("equal"));
                assert!(all.checked == all.all && nets.all == all.all && nets.checked > 0 && nets.checked < all.all);
            }
            // Another net would have chosen otherwise.
            let other = load(&other, None).expect("a net");
            let mut forged = record.clone();
            forged.players[0] = SeatPlayer::bot(rules.bot(&other.name()).expect("it is loaded"));
            let error = verify_nets(&forged).expect_err("the other net chooses otherwise");
            assert!(error.contains(&format!("the choice of {} in seat 0", other.name())), "{error}");
        }
    }
}

#[test]
fn a_record_can_be_read_without_its_nets_and_a_game_cannot_begin_without_them() {
    let rules = cards();
    let net = "net:00112233445566ff";
    let bot = rules.recorded_bot(net).expect("a record may have it");
    assert_eq!((bot.name().as_str(), bot.is_loaded()), (net, false));
    for name in [net, "net:/etc/passwd", "net:", "net:0011", "net:00112233445566FF"] {
        let error = rules.bot(name).expect_err("it is not loaded").message.into_owned();
        assert!(error.starts_with(&format!("unknown bot \"{name}\" (expected one of random@1, ")), "{error}");
        assert_eq!(rules.recorded_bot(name).is_ok(), name == net);
    }
    // A net of another game is no bot of this one.
    let giants = find("giants").expect("a game");
    let other = load(&net_bytes(giants, &[4], 9), Some("of-giants")).expect("a net").name();
    rules.bot(&other).expect_err("another game");
    rules.bot("net:of-giants").expect_err("another game");
    assert_eq!(giants.bot("net:of-giants").expect("its game").name(), other);
}

struct Played {
    rows: Rows,
    actions: Vec<i64>,
    log_probabilities: Vec<f32>,
    values: Vec<f32>,
    starts: Vec<u8>,
    advice: Vec<i64>,
    last: Rows,
    last_values: Vec<f32>,
}

/// Opens environments of a game, and plays rollouts of these numbers of steps on these cores.
fn played(
    rules: &'static dyn AnyRules,
    net: &Net,
    count: usize,
    steps: &[usize],
    cores: &Cores,
    temperature: f64,
) -> Vec<Played> {
    let seats = *rules.seats().start();
    let setup = rules.configure(seats, &[]).expect("the defaults");
    let mut config = EnvConfig::self_play(setup.seats(), RewardRule::MarginGain);
    config.players[1] = Player::Bots(vec![(rules.bot("random").expect("a bot"), 1)]);
    let mut environments = setup.environments(config, Seed(11), count);
    let temperature = Temperature::new(temperature).expect("it is in range");
    steps
        .iter()
        .map(|&steps| {
            let size = count * steps;
            let mut played = Played {
                rows: Rows::default(),
                actions: vec![0; size],
                log_probabilities: vec![0.0; size],
                values: vec![0.0; size],
                starts: vec![0; size],
                advice: vec![0; net.head.adviser.map_or(0, |_| size + count)],
                last: Rows::default(),
                last_values: vec![0.0; count],
            };
            let memory = RolloutMemory {
                rows: RowMemory::Columns(&mut played.rows),
                actions: &mut played.actions,
                log_probabilities: &mut played.log_probabilities,
                values: &mut played.values,
                starts: &mut played.starts,
                advice: &mut played.advice,
                last: RowMemory::Columns(&mut played.last),
                last_values: &mut played.last_values,
            };
            environments.roll_out(RolloutPlan { net, steps, temperature, cores }, memory).expect("no game panics");
            played
        })
        .collect()
}

/// The rows of a rollout are the rows of steps with its actions; nothing depends on cores, or on where a rollout ends.
#[test]
fn a_rollout_is_a_function_of_its_seeds() {
    for rules in GAMES {
        let net = Net::read(&advised_bytes(*rules, "greedy@2", 16, 5)).expect("a net");
        let (count, steps) = (3, 60);
        let one = played(*rules, &net, count, &[steps], &Cores::Callers, 1.0).remove(0);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().expect("threads");
        let helpers = std::sync::Arc::new(Helpers::new(pool, true));
        for cores in [Cores::CallersPool, Cores::CallersAnd(helpers)] {
            let other = played(*rules, &net, count, &[steps], &cores, 1.0).remove(0);
            assert_eq!((&other.rows, &other.actions, &other.last), (&one.rows, &one.actions, &one.last));
            assert_eq!((&other.log_probabilities, &other.values), (&one.log_probabilities, &one.values));
            assert_eq!(other.advice, one.advice);
        }
        let parts = played(*rules, &net, count, &[25, 35], &Cores::Callers, 1.0);
        for environment in 0..count {
            let whole = &one.actions[environment * steps..][..steps];
            assert_eq!(parts[0].actions[environment * 25..][..25], whole[..25]);
            assert_eq!(parts[1].actions[environment * 35..][..35], whole[25..]);
        }

        // The same environments, stepped with the same actions.
        let seats = *rules.seats().start();
        let setup = rules.configure(seats, &[]).expect("the defaults");
        let mut config = EnvConfig::self_play(setup.seats(), RewardRule::MarginGain);
        config.players[1] = Player::Bots(vec![(rules.bot("random").expect("a bot"), 1)]);
        let mut environments = setup.environments(config, Seed(11), count);
        let greedy = rules.bot("greedy@2").expect("every game has it");
        let (mut rows, mut final_steps) = (Rows::default(), FinalSteps::default());
        let all = EnvIndices::Run(0, count);
        environments.reset(all, None, &mut rows).expect("they begin");
        let of = |rows: &Rows, column: Column, row: usize| {
            let width = rows[column].len() / rows.len();
            rows[column][row * width..][..width].to_vec()
        };
        for step in 0..steps {
            let before = rows.clone();
            let actions: Vec<ActionId> =
                (0..count).map(|n| ActionId(u16::try_from(one.actions[n * steps + step]).expect("an id"))).collect();
            let Ok(Looked::Advice(advice)) = environments.look(all, Look::Advice(greedy), &Stop::default()) else {
                panic!("expected advice");
            };
            for (n, choice) in advice.choices.into_iter().enumerate() {
                assert_eq!(one.advice[n * (steps + 1) + step], i64::from(choice));
            }
            environments.step(all, &actions, &mut rows, &mut final_steps).expect("legal actions");
            for n in 0..count {
                let row = n * steps + step;
                for column in [Column::Bits, Column::Masks, Column::Numbers, Column::Seats, Column::Players] {
                    assert_eq!(of(&one.rows, column, row), of(&before, column, n), "{column:?}");
                }
                for column in [Column::Rewards, Column::Ended] {
                    assert_eq!(of(&one.rows, column, row), of(&rows, column, n), "{column:?}");
                }
                if step + 1 < steps {
                    assert_eq!(one.starts[row + 1], of(&rows, Column::Ended, n)[0]);
                }
            }
        }
        for column in [Column::Bits, Column::Masks, Column::Numbers, Column::Seats, Column::Players] {
            assert_eq!(one.last[column], rows[column]);
        }
        assert!(one.last_values.iter().all(|value| value.is_finite()));
    }
}

#[test]
fn draws_follow_the_probabilities_and_the_temperature() {
    let rules = cards();
    let net = Net::read(&net_bytes(rules, &[16], 5)).expect("a net");
    let best = played(rules, &net, 8, &[40], &Cores::Callers, 0.0).remove(0);
    assert!(best.log_probabilities.iter().all(|&log| log == 0.0));
    let flat = played(rules, &net, 200, &[60], &Cores::Callers, 1000.0).remove(0);
    let width = rules.action_count().div_ceil(64) * 8;
    let (mut expected, mut squares, mut low) = (0.0, 0.0, 0.0);
    for (row, &log) in flat.log_probabilities.iter().enumerate() {
        let mask = &flat.rows[Column::Masks][row * width..][..width];
        let legal: u32 = mask.iter().map(|byte| byte.count_ones()).sum();
        // Scores far below 1,000 make no difference at this temperature.
        assert!((f64::from(log) + f64::from(legal).ln()).abs() < 0.5, "{log} of {legal}");
        if legal > 1 {
            let first = mask
                .iter()
                .enumerate()
                .find(|(_, byte)| **byte != 0)
                .map(|(n, byte)| 8 * n + byte.trailing_zeros() as usize);
            let p = 1.0 / f64::from(legal);
            expected += p;
            squares += p * (1.0 - p);
            low += f64::from(first == usize::try_from(flat.actions[row]).ok());
        }
    }
    assert!(
        (low - expected).abs() < 6.0 * squares.sqrt() + 0.02 * expected,
        "{low} first actions, expected {expected}"
    );
}
