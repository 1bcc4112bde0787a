//! Golden games: whole games as texts, which show any change.
//!
//! `AHU_BLESS=1 cargo test playthroughs` plays and writes them again. A difference is a change of rules, texts, or
//! layout: it needs a new rules version, or a line in the changelog.
//!
//! One golden game of each game has full pictures: the text, observation, and legal actions of every viewer. The other
//! golden games have hashes of the pictures.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use ahu_core::{Seed, Viewer, hex};
use ahu_host::record::notation;
use ahu_host::{Conduct, GAMES, Record, Referee, Replay, SeatPlayer, find, verify};
use sha2::{Digest, Sha256};

/// A golden game: its name, its options, the bots by seat.
struct Plan {
    game: &'static str,
    name: &'static str,
    options: &'static [(&'static str, &'static str)],
    bots: &'static [&'static str],
    seed: u64,
}

const PLANS: &[Plan] = &[
    Plan { game: "rappanui", name: "two_at_random", options: &[], bots: &["random", "random"], seed: 1 },
    Plan {
        game: "rappanui",
        name: "three_with_intent",
        options: &[],
        bots: &["greedy@1", "greedy@1", "random"],
        seed: 2,
    },
    Plan {
        game: "rappanui",
        name: "four_who_combine",
        options: &[("combine_rule", "true"), ("require_effect", "true")],
        bots: &["greedy@1", "random", "greedy@1", "random"],
        seed: 3,
    },
    Plan {
        game: "rappanui",
        name: "six_with_equal_turns",
        options: &[("reshuffle", "eager"), ("equal_turns", "true"), ("tie", "fewest_cards")],
        bots: &["random", "greedy@1", "random", "random", "greedy@1", "random"],
        seed: 4,
    },
    Plan { game: "rapanui_cards", name: "two_in_german", options: &[], bots: &["greedy@1", "random"], seed: 5 },
    Plan {
        game: "rapanui_cards",
        name: "three_in_english",
        options: &[("edition", "english"), ("start_player", "seat0")],
        bots: &["random", "greedy@1", "random"],
        seed: 6,
    },
    Plan {
        game: "rapanui_cards",
        name: "four_with_every_variant",
        options: &[
            ("display_view", "front"),
            ("moai_supply_sacrifice", "optional"),
            ("depleted_pick", "may_decline"),
            ("zero_count_types", "worth_0"),
            ("start_set_violet_lacks", "fish"),
        ],
        bots: &["greedy@1", "greedy@1", "random", "greedy@1"],
        seed: 7,
    },
    Plan {
        game: "giants",
        name: "three_with_intent",
        options: &[("max_turns", "4")],
        bots: &["greedy@1", "greedy@1", "greedy@1"],
        seed: 8,
    },
    Plan {
        game: "giants",
        name: "four_on_the_tiny_board",
        options: &[("board", "tiny"), ("max_turns", "4"), ("chief_pp", "full_size"), ("screen_view", "open")],
        bots: &["greedy@1", "random", "greedy@1", "random"],
        seed: 9,
    },
    Plan {
        game: "giants",
        name: "five_who_forget",
        options: &[
            ("base_view", "memory"),
            ("quick_game", "true"),
            ("max_turns", "3"),
            ("allow_gift_pp", "true"),
            ("unused_logs_return", "true"),
            ("chief_split", "false"),
            ("tie_break", "halves"),
        ],
        bots: &["random", "greedy@1", "random", "greedy@1", "random"],
        seed: 10,
    },
    Plan { game: "rapanui_board", name: "two_with_intent", options: &[], bots: &["greedy@1", "greedy@1"], seed: 11 },
    Plan {
        game: "rapanui_board",
        name: "three_with_intent",
        options: &[("max_rounds", "4")],
        bots: &["greedy@1", "random", "greedy@1"],
        seed: 12,
    },
    Plan {
        game: "rapanui_board",
        name: "four_with_every_variant",
        options: &[
            ("quarry_small", "6"),
            ("star_spaces", "6"),
            ("resource_cap", "6"),
            ("chief_timing", "phase1"),
            ("choice_split", "false"),
            ("take_your_pick", "any"),
            ("pass_other_quarry", "false"),
            ("stall_end", "3"),
            ("max_rounds", "3"),
            ("offering_view", "open"),
        ],
        bots: &["greedy@1", "greedy@1", "random", "greedy@1"],
        seed: 13,
    },
    Plan {
        game: "rapanui_board",
        name: "two_for_the_first_time",
        options: &[("beginner_tiles", "true"), ("max_rounds", "4"), ("chief_timing", "phase2")],
        bots: &["greedy@1", "random"],
        seed: 14,
    },
];

/// The golden games with full pictures.
const FULL_PICTURES: [(&str, &str); 4] = [
    ("rappanui", "three_with_intent"),
    ("rapanui_cards", "three_in_english"),
    ("giants", "three_with_intent"),
    ("rapanui_board", "two_with_intent"),
];

/// The number of plies between two pictures.
const PICTURE_EVERY: u32 = 15;

fn file(plan: &Plan) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/playthroughs").join(plan.game);
    folder.join(plan.name).with_extension("txt")
}

fn play(plan: &Plan) -> Record {
    let rules = find(plan.game).expect("it is in the catalog");
    let setup = rules.configure(plan.bots.len(), plan.options).expect("these are options");
    let players = plan.bots.iter().map(|bot| SeatPlayer::bot(rules.bot(bot).expect("it is a bot"))).collect();
    let mut referee = Referee::new(setup, Seed(plan.seed), players, Conduct::default());
    referee.play_bots();
    referee.record()
}

/// Returns the game as text: the events that the public is told, and every few plies a picture or its hash. The record
/// stands at the end.
fn tell(record: &Record, pictures: fn(&Record, &Replay<'_>) -> String) -> String {
    let mut text = String::new();
    let mut replay = Replay::new(record);
    let notation = record.to_text();
    let mut plies = notation.lines().skip_while(|line| *line != "plies").skip(1);
    while let Some(step) = replay.step() {
        let step = step.expect("the record can be replayed");
        writeln!(text, "{}", plies.next().expect("a line a ply")).expect("a string takes it");
        for event in step.events.iter().filter_map(|event| event.event.text_for(Viewer::Public)) {
            writeln!(text, "      {event}").expect("a string takes it");
        }
        if step.ply.is_multiple_of(PICTURE_EVERY) {
            text += &pictures(record, &replay);
        }
    }
    text += &pictures(record, &replay);
    text + &notation
}

/// Returns the position as every viewer sees it, with the legal actions of the seats to act.
fn picture(record: &Record, replay: &Replay<'_>) -> String {
    let mut text = format!("\n=== fingerprint {}\n", replay.referee().fingerprint());
    let layout = record.setup.rules().layout();
    for viewer in record.setup.seats().iter().map(Viewer::Seat).chain([Viewer::Public]) {
        let view = replay.referee().view(viewer);
        let (mut bits, mut numbers) = (vec![0; layout.bit_count().div_ceil(64)], vec![0; layout.number_count()]);
        view.write(&mut bits, &mut numbers);
        let bits: Vec<String> = bits.iter().map(|word: &u64| format!("{word:x}")).collect();
        write!(text, "--- {viewer}\n{}bits {}\nnumbers {numbers:?}\n", view.text(), bits.join(" "))
            .expect("a string takes it");
        if let Viewer::Seat(seat) = viewer
            && replay.referee().to_act().contains(seat)
        {
            let legal = replay.referee().legal_actions(seat);
            let legal: Vec<_> = legal.iter().filter_map(|id| record.setup.rules().action_text(id)).collect();
            writeln!(text, "legal {}", legal.join(", ")).expect("a string takes it");
        }
    }
    text + "===\n\n"
}

/// Returns one line for a picture: the fingerprint of the position, and the start of the SHA-256 of the picture.
fn hashed_picture(record: &Record, replay: &Replay<'_>) -> String {
    let hash = Sha256::digest(picture(record, replay));
    format!("=== fingerprint {}, picture {}\n", replay.referee().fingerprint(), hex(&hash[..8]))
}

#[test]
fn each_game_has_one_golden_game_with_full_pictures() {
    for rules in GAMES {
        let full = FULL_PICTURES.iter().filter(|(game, _)| *game == rules.info().id);
        assert_eq!(full.count(), 1, "{}", rules.info().id);
    }
    for full in FULL_PICTURES {
        assert!(PLANS.iter().any(|plan| (plan.game, plan.name) == full), "{full:?} is a golden game");
    }
}

#[test]
fn playthroughs_are_as_they_were() {
    for plan in PLANS {
        let file = file(plan);
        let pictures = match FULL_PICTURES.contains(&(plan.game, plan.name)) {
            true => picture,
            false => hashed_picture,
        };
        if std::env::var_os("AHU_BLESS").is_some() {
            fs::create_dir_all(file.parent().expect("it is in a folder")).expect("the folder can be made");
            fs::write(&file, tell(&play(plan), pictures)).expect("the file can be written");
        }
        let golden = fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let at = golden.rfind(notation::TITLE).unwrap_or_else(|| panic!("{} has no record", file.display()));
        let record =
            Record::read(&golden.as_bytes()[at..]).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        assert_eq!(verify(&record), Ok(()), "{}", file.display());
        let told = tell(&record, pictures);
        let differs = told.lines().zip(golden.lines()).position(|(new, old)| new != old);
        let context = |text: &str| text.lines().skip(differs.unwrap_or(0)).take(3).collect::<Vec<_>>().join("\n");
        assert!(
            told == golden,
            "{}, line {}:\nwas\n{}\nis\n{}",
            file.display(),
            differs.unwrap_or(0) + 1,
            context(&golden),
            context(&told)
        );
    }
}
