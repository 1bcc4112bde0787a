//! Records: reading what was written, replay, verification, and every kind of bad record.

use std::num::NonZeroU8;

use ahu::core::{ActionId, Seat, Seed, Viewer, hex};
use ahu::host::record::{MAX_NAME, check_name};
use ahu::host::{Conduct, DecidedBy, Entry, Record, RecordError, Referee, Replay, SeatPlayer, find, verify};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use sha2::{Digest, Sha256};

/// Plays a match of bots, and stops after `decisions` decisions.
fn play(seats: usize, options: &[(&str, &str)], seed: u64, decisions: usize, forfeit: bool) -> Record {
    let rules = find("rappanui").expect("it is in the catalog");
    // The players are external, so that they can play illegally, and each asks a bot for its actions.
    let players = (0..seats).map(|seat| SeatPlayer::external(format!("Bot № {seat}"))).collect();
    let setup = rules.configure(seats, options).expect("these are options");
    let conduct = Conduct { strikes: NonZeroU8::new(9) };
    let mut referee = Referee::new(setup, Seed(seed), players, conduct);
    let bots = ["greedy", "random"].map(|name| rules.bot(name).expect("it is a bot"));
    for n in 0..decisions {
        let Some(seat) = referee.to_act().first() else { break };
        let decision = referee.decision(seat).expect("the seat has to decide");
        if forfeit && n == 40 {
            referee.act(seat, decision, ActionId(999)).expect_err("no action has this id");
            referee.forfeit(seat);
            continue;
        }
        if referee.forfeited().contains(seat) {
            referee.play_bot();
            continue;
        }
        let choice = referee.choice_of(bots[seat.index() % 2], seat).expect("the seat has to decide");
        referee.act(seat, decision, choice()).expect("bots play legal actions");
    }
    referee.record()
}

fn some_records() -> Vec<Record> {
    let variants =
        &[("combine_rule", "true"), ("reshuffle", "eager"), ("equal_turns", "true"), ("tie", "fewest_cards")];
    vec![
        play(2, &[], 7, usize::MAX, false),
        play(6, variants, 8, usize::MAX, false),
        play(3, &[], 9, 100, false),
        play(4, &[], 10, 0, false),
        play(3, &[], 11, usize::MAX, true),
    ]
}

/// Returns the text with a digest that matches it.
fn sealed(text: &str) -> String {
    let above = text.split("digest ").next().unwrap_or(text);
    format!("{above}digest {}\n", hex(&Sha256::digest(above)))
}

/// Gives the bytes a digest that matches them.
fn seal(bytes: &mut [u8]) {
    let at = bytes.len() - 32;
    let digest = Sha256::digest(&bytes[..at]);
    bytes[at..].copy_from_slice(&digest);
}

fn read(text: &str) -> Result<Record, RecordError> {
    Record::read(text.as_bytes())
}

#[test]
fn a_record_is_read_as_it_is_written_in_both_forms() {
    for record in some_records() {
        assert_eq!(read(&record.to_text()), Ok(record.clone()));
        assert_eq!(Record::read(&record.to_bytes()), Ok(record.clone()));
        assert_eq!(read(&record.to_text()).map(|again| again.to_text()), Ok(record.to_text()), "it is canonical");
        assert_eq!(Record::read(&record.to_bytes()).map(|again| again.to_bytes()), Ok(record.to_bytes()));
        assert_eq!(verify(&record), Ok(()));
        assert_eq!(Replay::new(&record).finish(), Ok(()));
    }
}

#[test]
fn a_record_says_whether_it_was_finished_and_who_forfeited() {
    let [whole, _, broken_off, not_begun, forfeited] = &some_records()[..] else { panic!("five records") };
    assert!(whole.result.is_some() && whole.to_text().contains("\nscores "));
    assert!(broken_off.result.is_none() && broken_off.to_text().contains("\nend\nunfinished\n"));
    assert_eq!(not_begun.plies(), 2, "the deal and the first draw");
    assert!(forfeited.to_text().contains(" forfeits\n") && forfeited.to_text().contains(" by stand-in: "));
    assert!(forfeited.to_text().contains(" plays illegally\n"));
    assert!(forfeited.to_text().contains("\nforfeited "));
}

#[test]
fn the_text_names_cards_and_actions_in_words() {
    let text = play(2, &[], 7, 30, false).to_text();
    let line =
        |start: &str| text.lines().find(|line| line.starts_with(start)).unwrap_or_else(|| panic!("{start} in {text}"));

    assert!(line("1 ").starts_with("1 deal first "), "{text}");
    assert!(line("2 ").starts_with("2 draw "), "{text}");
    assert!(line("3 seat ").contains(": meld ") || line("3 seat ").contains(": no meld"), "{text}");
    assert!(line("game") == "game rappanui" && line("rules") == "rules 1" && line("seed") == "seed 7");
    assert!(line("seat 1") == "seat 1 Bot № 1");
}

#[test]
fn a_record_with_line_ends_of_another_system_is_the_same() {
    let record = play(2, &[], 3, 50, false);
    assert_eq!(read(&record.to_text().replace('\n', "\r\n")), Ok(record));
}

#[test]
fn a_replay_shows_what_each_viewer_was_told() {
    let record = play(3, &[], 5, usize::MAX, false);
    let mut replay = Replay::new(&record);
    let (mut plies, mut told) = (0, 0);

    while let Some(step) = replay.step() {
        let step = step.expect("it follows");
        plies += 1;
        assert_eq!(step.ply, plies);
        told += step.events.iter().filter(|event| event.event.is_visible_to(Viewer::Public)).count();
    }

    assert_eq!(plies as usize, record.plies());
    assert!(told > record.plies());
    assert!(replay.view(Viewer::Public).text().contains("the game is over"));
}

#[test]
fn what_is_no_record_is_told_so() {
    for bytes in [&b""[..], b"\n", b"hello", b"ahu record 2\n", &[0xFF, 0xFE, 0x00]] {
        assert_eq!(Record::read(bytes), Err(RecordError::NotARecord));
    }
}

#[test]
fn a_record_that_was_cut_is_refused_wherever_it_was_cut() {
    let record = play(2, &[], 7, usize::MAX, false);
    let text = record.to_text();
    let starts: Vec<usize> = text.char_indices().map(|(at, _)| at).filter(|at| at % 7 == 0).collect();
    for end in starts {
        let error = read(&text[..end]).expect_err("it is cut");
        let expected = matches!(error, RecordError::Cut | RecordError::Altered | RecordError::NotARecord);
        assert!(expected, "cut at {end}: {error:?}");
        let inside_digest = end > text.rfind("digest ").expect("it has one");
        assert_eq!(error == RecordError::Altered, inside_digest && end > text.len() - 65, "cut at {end}: {error:?}");
    }
    let bytes = record.to_bytes();
    for end in (0..bytes.len()).step_by(5) {
        let error = Record::read(&bytes[..end]).expect_err("it is cut");
        assert!(matches!(error, RecordError::Cut | RecordError::NotARecord), "cut at {end}: {error:?}");
    }
}

#[test]
fn a_record_that_was_altered_is_refused_whatever_was_altered() {
    let record = play(2, &[], 7, 60, false);
    let text = record.to_text();
    for (at, old) in text.char_indices().filter(|(at, old)| at % 3 == 0 && old.is_ascii_digit()) {
        let mut altered = text.clone();
        altered.replace_range(at..=at, if old == '9' { "8" } else { "9" });
        assert!(read(&altered).is_err(), "altered at {at}: {altered}");
    }
    let bytes = record.to_bytes();
    for at in 0..bytes.len() {
        let mut altered = bytes.clone();
        altered[at] ^= 0x10;
        assert!(Record::read(&altered).is_err(), "altered at {at}");
    }
}

#[test]
fn an_altered_record_that_was_sealed_again_is_found_out_by_replaying_it() {
    let record = play(2, &[], 7, usize::MAX, false);
    let text = record.to_text();
    let altered = |old: &str, new: &str| {
        assert!(text.contains(old), "{old} in {text}");
        read(&sealed(&text.replacen(old, new, 1))).and_then(|record| verify(&record)).expect_err("it was altered")
    };

    assert!(matches!(altered("seed 7", "seed 8"), RecordError::OtherChance { ply: 1, .. }));
    let draw = text.lines().find(|line| line.starts_with("2 draw ")).expect("the second ply is a draw");
    let other = draw.rsplit_once(' ').map(|(rest, _)| format!("{rest} collapse")).expect("cards");
    assert!(matches!(altered(draw, &other), RecordError::OtherChance { ply: 2, .. }));
    assert!(matches!(
        altered("3 seat", "3 no"),
        RecordError::OtherChance { .. } | RecordError::Impossible { ply: 3, .. }
    ));
    let scores = text.lines().find(|line| line.starts_with("scores ")).expect("it is finished");
    assert!(matches!(altered(scores, "scores 1 2"), RecordError::OtherEnd { what: "the result", .. }));
    let fingerprint = format!("fingerprint {}", record.fingerprint);
    let error = altered(&fingerprint, "fingerprint 0123456789abcdef");
    assert!(matches!(error, RecordError::OtherEnd { what: "the fingerprint", .. }), "{error:?}");
    assert!(error.to_string().contains("0123456789abcdef"), "{error}");
}

#[test]
fn an_action_that_is_not_legal_in_a_record_is_named_with_its_ply() {
    let mut record = play(2, &[], 7, 60, false);
    let place = record.entries.iter().position(|entry| matches!(entry, Entry::Action { .. })).expect("somebody acted");
    let Entry::Action { seat, by, .. } = record.entries[place] else { unreachable!("it is an action") };
    record.entries[place] = Entry::Action { seat, id: ahu::core::ActionId(0), by };

    let error = verify(&record).expect_err("no event can be declined in the first turn");

    let RecordError::Impossible { ply, reason } = &error else { panic!("{error:?}") };
    assert_eq!(*ply as usize, place + 1);
    assert!(reason.contains("action 0 is not legal"), "{reason}");
    let other = Seat::new(1 - seat.index()).expect("there are two");
    record.entries[place] = Entry::Action { seat: other, id: ahu::core::ActionId(71), by };
    assert!(verify(&record).expect_err("it is not its turn").to_string().contains("has no decision to make"));
}

#[test]
fn rulings_that_do_not_follow_are_found_out() {
    let record = play(3, &[], 11, usize::MAX, true);
    let forfeit =
        record.entries.iter().position(|entry| matches!(entry, Entry::Forfeit(_))).expect("somebody forfeits");
    let Entry::Forfeit(seat) = record.entries[forfeit] else { unreachable!("it is a forfeit") };
    let with = |change: &dyn Fn(&mut Vec<Entry>)| {
        let mut altered = record.clone();
        change(&mut altered.entries);
        verify(&altered).expect_err("it was altered").to_string()
    };

    let by_nobody = with(&|entries| drop(entries.remove(forfeit)));
    assert!(by_nobody.contains("a stand-in after it"), "{by_nobody}");
    let by_the_player = with(&|entries| {
        let of_stand_in =
            entries.iter_mut().find(|entry| matches!(entry, Entry::Action { by: DecidedBy::StandIn, .. }));
        if let Some(Entry::Action { by, .. }) = of_stand_in {
            *by = DecidedBy::Player;
        }
    });
    assert!(by_the_player.contains("a stand-in after it"), "{by_the_player}");
    assert!(with(&|entries| entries.insert(forfeit + 1, Entry::Forfeit(seat))).contains("has already forfeited"));
    assert!(with(&|entries| entries.insert(forfeit + 1, Entry::Strike(seat))).contains("has already forfeited"));
    let other = Seat::new((seat.index() + 1) % 3).expect("there are three");
    assert!(with(&|entries| entries.push(Entry::Forfeit(other))).contains("the game is over"));
}

#[test]
fn a_record_keeps_the_hash_of_the_layout_that_it_was_made_with() {
    let record = play(2, &[], 7, 60, false);
    let layout = format!("layout {}", hex(&record.setup.rules().layout().hash()));
    let before = record.to_text();
    assert!(before.contains(&layout));

    let other = sealed(&before.replace(&layout, &format!("layout {}", "0f".repeat(32))));
    let read_again = read(&other).expect("the match does not depend on it");

    assert_eq!((read_again.layout, read_again.to_text()), ([0x0f; 32], other));
    assert_eq!(Record::read(&read_again.to_bytes()), Ok(read_again));
    let short = read(&sealed(&before.replace(&layout, "layout 0f"))).expect_err("it is too short");
    assert!(short.to_string().contains("64 hexadecimal digits"), "{short}");
}

#[test]
fn a_match_has_one_record() {
    let record = play(3, &[], 11, usize::MAX, true);
    let text = record.to_text();
    for (old, new) in
        [("rules 1", "rules +1"), ("seat 0: ", "seat +0: "), (": meld ", ": meld  "), ("ranks ", "ranks +")]
    {
        assert!(text.contains(old), "{old} in {text}");
        let error = read(&sealed(&text.replacen(old, new, 1))).expect_err("it is written otherwise");
        assert!(
            matches!(&error, RecordError::Unreadable { reason, .. } if reason.contains("expected the spelling")),
            "{error}"
        );
    }
    for (old, new) in [("1 deal first ", "1 deal first +"), ("1 deal ", "1 deal  "), ("2 draw ", "2 draw   ")] {
        assert!(text.contains(old), "{old} in {text}");
        let read = read(&sealed(&text.replacen(old, new, 1))).expect("outcomes are read when they are replayed");
        let error = Replay::new(&read).finish().expect_err("it is written otherwise");
        assert!(error.to_string().contains("expected the spelling"), "{error}");
        assert!(verify(&read).is_err());
    }
    let forfeited = text.lines().find(|line| line.starts_with("forfeited ")).expect("somebody did");
    let twice = format!("{forfeited} {}", forfeited.trim_start_matches("forfeited "));
    assert!(read(&sealed(&text.replace(forfeited, &twice))).is_err());

    let mut bytes = record.to_bytes();
    let at = bytes.len() - 32 - 8 - 1;
    bytes[at] |= 1 << 3;
    seal(&mut bytes);
    let error = Record::read(&bytes).expect_err("there are three seats");
    assert!(error.to_string().contains("expected forfeited seats"), "{error}");
}

#[test]
fn a_record_of_other_rules_is_refused_with_both_versions() {
    let record = play(2, &[], 7, 20, false);

    let error = read(&sealed(&record.to_text().replace("\nrules 1\n", "\nrules 2\n"))).expect_err("it is refused");
    assert_eq!(error, RecordError::OtherRules { game: "rappanui", made_under: 2, ours: 1 });
    assert_eq!(error.to_string(), "expected a record of rappanui under rules version 1, got rules version 2");

    let mut bytes = record.to_bytes();
    // The version follows the magic, the length of the id, and the id.
    let at = 8 + 4 + "rappanui".len();
    bytes[at] = 2;
    assert_eq!(Record::read(&bytes), Err(RecordError::Altered));
    seal(&mut bytes);
    assert_eq!(Record::read(&bytes), Err(error));
}

#[test]
fn an_unreadable_line_is_named_with_its_place() {
    let text = play(2, &[], 7, 60, false).to_text();
    let fault = |old: &str, new: &str| {
        assert!(text.contains(old), "{old} in {text}");
        match read(&sealed(&text.replacen(old, new, 1))) {
            Err(RecordError::Unreadable { line, column, reason }) => (line, column, reason),
            other => panic!("{other:?}"),
        }
    };
    let line_of = |start: &str| text.lines().position(|line| line.starts_with(start)).expect("a line") + 1;

    let (line, column, reason) = fault("\nseed 7\n", "\nseed seven\n");
    assert_eq!((line, column), (line_of("seed"), 6));
    assert!(reason.contains("whole number"), "{reason}");
    let action = text.lines().find(|line| line.starts_with("3 seat ")).expect("the third ply is an action");
    let (head, _) = action.split_once(": ").expect("an action");
    let (line, column, reason) = fault(action, &format!("{head}: meld F13"));
    assert_eq!((line, column), (line_of("3 seat"), head.len() + 2 + "meld ".len() + 1));
    assert!(reason.contains("expected a card, got \"F13\""), "{reason}");
    assert_eq!(fault("\n4 ", "\n5 ").0, line_of("4 "));
    assert_eq!(fault("\nplies\n", "\nply\n").0, line_of("plies"));
    assert_eq!(fault("seat 0 Bot", "seat 2 Bot").0, line_of("seat 0"));
    assert!(fault("options seats=2", "options chairs=2").2.contains("seats="));
    assert!(fault("fingerprint ", "fingerprint x").2.contains("16 hexadecimal digits"));

    let unknown = read(&sealed(&text.replacen("game rappanui", "game rapanui", 1))).expect_err("there is none");
    assert!(unknown.to_string().contains("did you mean \"rappanui\"?"), "{unknown}");
    let option = read(&sealed(&text.replacen("tie=share", "tie=never", 1))).expect_err("there is none");
    assert!(option.to_string().contains("share or fewest_cards"), "{option}");
}

#[test]
fn bytes_of_any_kind_are_refused_without_panic() {
    let record = play(2, &[], 7, 30, false);
    let bytes = record.to_bytes();
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    for _ in 0..3_000 {
        let mut spoilt = bytes.clone();
        for _ in 0..rng.random_range(1..4) {
            let at = rng.random_range(8..spoilt.len());
            spoilt[at] = rng.random();
        }
        // A matching digest, so that the fault itself is found.
        seal(&mut spoilt);
        if let Ok(record) = Record::read(&spoilt) {
            // A record that can be read can be verified without a panic.
            let _ = verify(&record);
        }
    }
    let text = record.to_text();
    for _ in 0..3_000 {
        let mut spoilt: Vec<char> = text.chars().collect();
        let at = rng.random_range(0..spoilt.len());
        match rng.random_range(0..3) {
            0 => spoilt[at] = char::from(rng.random_range(32..127)),
            1 => drop(spoilt.remove(at)),
            _ => spoilt.insert(at, ['\n', ' ', '9', '/', 'é'][rng.random_range(0..5)]),
        }
        if let Ok(record) = read(&sealed(&spoilt.into_iter().collect::<String>())) {
            let _ = verify(&record);
        }
    }
}

#[test]
fn a_name_is_one_short_line() {
    for name in ["greedy", "Bot № 7", "a", &"x".repeat(MAX_NAME)] {
        assert_eq!(check_name(name), Ok(()), "{name}");
    }
    for name in ["", " ", " a", "a ", "a\nb", "a\tb", "a\u{2028}b", "\u{202E}a", "a\u{200B}", &"x".repeat(MAX_NAME + 1)]
    {
        assert!(check_name(name).is_err(), "{name}");
    }
}
