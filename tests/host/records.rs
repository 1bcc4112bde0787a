//! Records: reading and writing, replay, verification, and every kind of bad record.

use std::num::{NonZeroU8, NonZeroU16, NonZeroU32};

use ahu_core::{ActionId, Fingerprint, Seat, Seed, Viewer, hex};
use ahu_host::record::{FIRST_LINK, MAX_NAME, check_name, next_link, notation, parse_digest};
use ahu_host::{
    Cause, Conduct, Consequence, DecidedBy, Ending, Entry, MatchResult, MatchTime, Record, RecordError, Referee,
    Replay, SeatPlayer, Terms, ThinkingTime, TimeControl, Transcript, find, verify, verify_digest,
};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};
use sha2::{Digest, Sha256};

/// Plays a match of bots, and stops after `decisions` decisions.
fn play(seats: usize, options: &[(&str, &str)], seed: u64, decisions: usize, forfeit: bool) -> Record {
    let rules = find("rappanui").expect("it is in the catalog");
    // The players are external, so that they can play illegally. Each player asks a bot for its actions.
    let players = (0..seats).map(|seat| SeatPlayer::external(format!("Bot № {seat}"))).collect();
    let setup = rules.configure(seats, options).expect("these are options");
    let conduct = Conduct::with_strikes(NonZeroU8::new(9).expect("9 is not 0"));
    let mut referee = Referee::new(setup, Seed(seed), players, conduct);
    let bots = ["greedy", "random"].map(|name| rules.bot(name).expect("it is a bot"));
    for n in 0..decisions {
        let Some(seat) = referee.to_act().first() else { break };
        let decision = referee.decision(seat).expect("the seat has to decide");
        if forfeit && n == 40 {
            let legal = referee.legal_actions(seat);
            let illegal =
                (0..=u16::MAX).map(ActionId).find(|&id| !legal.contains(id)).expect("no action has the last id");
            referee.act(seat, decision, illegal).expect_err("it is not legal");
            referee.resign(seat).expect("the terms allow it");
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

/// Returns a forgery: the changed record, with a chain and a digest that match.
fn forged(record: &Record, change: impl FnOnce(&mut Record)) -> Record {
    let mut altered = record.clone();
    change(&mut altered);
    assert_eq!(Record::read(&altered.to_bytes()), Ok(altered.clone()), "it has a digest that matches");
    assert_eq!(read(&altered.to_text()), Ok(altered.clone()), "it has a digest that matches");
    assert_ne!(altered.digest(), record.digest(), "the published digest finds every forgery");
    altered
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
        assert_eq!(verify_digest(&record, &record.digest()), Ok(()));
        assert_eq!(Replay::new(&record).finish(), Ok(()));
    }
}

#[test]
fn a_record_says_whether_it_was_finished_and_who_forfeited() {
    let [whole, _, broken_off, not_begun, forfeited] = &some_records()[..] else { panic!("five records") };
    assert!(whole.result.is_some() && whole.to_text().contains("\nend\nfinished\nscores "));
    assert!(broken_off.result.is_none() && broken_off.to_text().contains("\nend\nunfinished\n"));
    assert_eq!(not_begun.plies(), 2, "the deal and the first draw");
    let text = forfeited.to_text();
    assert!(text.contains(" forfeits (resigned)\n") && text.contains(" by stand-in: "), "{text}");
    assert!(text.contains(" gets a strike in decision ") && text.contains(" (illegal: "), "{text}");
    assert!(text.lines().any(|line| line.starts_with("forfeits ") && line.contains(" resigned")), "{text}");
}

#[test]
fn the_text_names_cards_and_actions_in_words() {
    let text = play(2, &[], 7, 30, false).to_text();
    let line =
        |start: &str| text.lines().find(|line| line.starts_with(start)).unwrap_or_else(|| panic!("{start} in {text}"));

    assert!(line("1 ").starts_with("1 deal first "), "{text}");
    assert!(line("2 ").starts_with("2 draw "), "{text}");
    let rules = find("rappanui").expect("it is in the catalog");
    let (_, action) = line("3 seat ").split_once(": ").expect("an action");
    let (id, words) = action.split_once(' ').expect("an id and words");
    assert_eq!(rules.parse_action(words).map(|id| id.to_string()), Ok(id.to_owned()), "{text}");
    assert!(line("game") == "game rappanui" && line("rules") == "rules 1" && line("seed") == "seed 7");
    assert!(line("seat 1") == "seat 1 Bot № 1" && line("bots") == "bots ahu bots, version 1");
}

#[test]
fn a_record_from_the_editor_of_another_system_is_the_same() {
    let record = play(2, &[], 3, 50, false);
    let text = record.to_text();
    for edited in
        [text.replace('\n', "\r\n"), format!("\u{feff}{text}"), format!("{text}\n"), format!("{text}\r\n\r\n")]
    {
        assert_eq!(read(&edited), Ok(record.clone()), "{edited:?}");
    }
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
    assert!(replay.referee().view(Viewer::Public).text().contains("the game is over"));
}

#[test]
fn what_is_no_record_is_told_so() {
    for bytes in [&b""[..], b"\n", b"hello", b"ahu record 3\n", b"AHUREC3\n", &[0xFF, 0xFE, 0x00]] {
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
    let within_a_character = [&text.as_bytes()[..100], &"🗿".as_bytes()[..2]].concat();
    assert!(matches!(Record::read(&within_a_character), Err(RecordError::Cut)));
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
fn a_forged_record_is_found_out_by_replaying_it() {
    let record = play(2, &[], 7, usize::MAX, false);
    let error = |change: &dyn Fn(&mut Record)| verify(&forged(&record, change)).expect_err("it was altered");

    assert!(matches!(error(&|record| record.seed = Seed(8)), RecordError::OtherChance { ply: 1, .. }));
    let other_draw = |record: &mut Record| {
        let Entry::Chance(draw) = &mut record.entries[1] else { panic!("the second ply is a draw") };
        *draw = draw.rsplit_once(' ').map(|(rest, _)| format!("{rest} collapse")).expect("cards");
    };
    assert!(matches!(error(&other_draw), RecordError::OtherChance { ply: 2, .. }));
    let no_action = |record: &mut Record| record.entries[2] = Entry::Chance("no meld".to_owned());
    assert!(matches!(error(&no_action), RecordError::OtherChance { .. } | RecordError::Impossible { ply: 3, .. }));

    // A wrong claim about the end is refused, and the error names the claim.
    let MatchResult { scores, ranks, .. } = record.result.expect("it is finished");
    let words = |values: Vec<String>| values.join(" ");
    let said = |change: &dyn Fn(&mut MatchResult)| {
        let change = |record: &mut Record| change(record.result.as_mut().expect("it is finished"));
        error(&change).to_string()
    };
    let last = Seat::new(1).expect("a seat");
    let own = words(scores.values().iter().map(ToString::to_string).collect());
    assert_eq!(
        said(&|result| result.scores[last] = 99),
        format!("expected the scores {own} after the entries, got {} 99", scores[Seat::default()])
    );
    let own = words(ranks.values().iter().map(ToString::to_string).collect());
    assert_eq!(
        said(&|result| result.ranks[last] = 7),
        format!("expected the ranks {own} after the entries, got {} 7", ranks[Seat::default()])
    );
    assert_eq!(
        said(&|result| result.forfeits[last] = Some(Cause::Timeout)),
        "expected the forfeits none none after the entries, got none timeout"
    );
    let none = error(&|record| record.result = None).to_string();
    assert!(none.starts_with("expected the scores ") && none.ends_with(" after the entries, got none"), "{none}");
    let ending = |ending: Option<Ending>| error(&|record| record.ending = ending.clone()).to_string();
    assert_eq!(ending(None), "expected the ending finished after the entries, got unfinished");
    assert_eq!(
        ending(Some(Ending::Cancelled("no".to_owned()))),
        "expected the ending finished after the entries, got cancelled: no"
    );
    let error = error(&|record| record.fingerprint = Fingerprint(0x0123_4567_89ab_cdef_u64.to_be_bytes()));
    assert!(matches!(error, RecordError::OtherEnd { what: "the fingerprint", .. }), "{error:?}");
    assert!(error.to_string().contains("0123456789abcdef"), "{error}");
}

#[test]
fn an_action_that_is_not_legal_in_a_record_is_named_with_its_ply() {
    let mut record = play(2, &[], 7, 60, false);
    let place = record.entries.iter().position(|entry| matches!(entry, Entry::Action { .. })).expect("somebody acted");
    let Entry::Action { seat, by, time, .. } = record.entries[place] else { unreachable!("it is an action") };
    record.entries[place] = Entry::Action { seat, id: ActionId(0), by, time };

    let error = verify(&record).expect_err("no event can be declined in the first turn");

    let RecordError::Impossible { ply, reason } = &error else { panic!("{error:?}") };
    assert_eq!(*ply as usize, place + 1);
    assert!(reason.contains("action 0 is not legal"), "{reason}");
    let other = Seat::new(1 - seat.index()).expect("there are two");
    record.entries[place] = Entry::Action { seat: other, id: ActionId(71), by, time };
    assert!(verify(&record).expect_err("it is not its turn").to_string().contains("has no decision to make"));
}

#[test]
fn rulings_that_do_not_follow_are_found_out() {
    let record = play(3, &[], 11, usize::MAX, true);
    let forfeit =
        record.entries.iter().position(|entry| matches!(entry, Entry::Forfeit { .. })).expect("somebody forfeits");
    let Entry::Forfeit { seat, cause } = record.entries[forfeit] else { unreachable!("it is a forfeit") };
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
    let again = Entry::Forfeit { seat, cause };
    assert!(with(&|entries| entries.insert(forfeit + 1, again.clone())).contains("has already forfeited"));
    let strike = Entry::Strike { seat, decision: 1, cause: Cause::Illegal, action: None };
    assert!(with(&|entries| entries.insert(forfeit + 1, strike.clone())).contains("has already forfeited"));
    let other = Seat::new((seat.index() + 1) % 3).expect("there are three");
    assert!(with(&|entries| entries.push(Entry::Forfeit { seat: other, cause })).contains("the game is over"));
}

#[test]
fn a_record_keeps_the_hash_of_the_layout_that_it_was_made_with() {
    let record = play(2, &[], 7, 60, false);
    let layout = format!("layout {}", hex(&record.setup.rules().layout().hash()));
    let before = record.to_text();
    assert!(before.contains(&layout));

    let other = forged(&record, |record| record.layout = [0x0f; 32]);
    assert!(other.to_text().contains(&format!("layout {}\n", "0f".repeat(32))));
    assert_eq!(verify(&other), Ok(()), "the match does not depend on it");
    let short = read(&before.replace(&layout, "layout 0f")).expect_err("it is too short");
    assert!(short.to_string().contains("64 hexadecimal digits"), "{short}");
}

#[test]
fn a_match_has_one_record() {
    let record = play(3, &[], 11, usize::MAX, true);
    let text = record.to_text();
    let chain = text.lines().find(|line| line.starts_with("chain ")).expect("it has a chain");
    let forfeits = text.lines().find(|line| line.starts_with("forfeits ")).expect("somebody did");
    for (old, new) in [
        ("rules 1", "rules +1"),
        ("seat 0: ", "seat +0: "),
        (" meld ", " meld  "),
        ("ranks ", "ranks +"),
        ("stand_in greedy@2", "stand_in greedy"),
        ("strikes=9", "strikes=+9"),
        (" tries=50", "  tries=50"),
        ("idle none\n", "idle none\n"),
        ("seat 0 Bot", "seat 0 external Bot"),
        ("in decision ", "in decision +"),
        (chain, &format!("chain {}", "0".repeat(64))),
    ] {
        assert!(text.contains(old), "{old} in {text}");
        let read = read(&text.replacen(old, new, 1));
        if old == new {
            assert_eq!(read, Ok(record.clone()));
            continue;
        }
        // The digest is a hash of the meaning, so it still fits.
        let error = read.expect_err("it is written otherwise");
        let is_spelling =
            matches!(&error, RecordError::Unreadable { reason, .. } if reason.contains("expected the spelling"));
        assert!(is_spelling, "{new}: {error}");
    }
    for (place, old, new) in [(0, "deal first ", "deal first +"), (0, "deal ", "deal  "), (1, "draw ", "draw   ")] {
        let altered = forged(&record, |record| {
            let Entry::Chance(outcome) = &mut record.entries[place] else { panic!("the first plies are chance") };
            assert!(outcome.contains(old), "{outcome}");
            *outcome = outcome.replacen(old, new, 1);
        });
        let error = Replay::new(&altered).finish().expect_err("it is written otherwise");
        assert!(error.to_string().contains("expected the spelling"), "{error}");
        assert!(verify(&altered).is_err());
    }
    assert!(read(&text.replace(forfeits, &format!("{forfeits} none"))).is_err());
    assert!(read(&text.replace(forfeits, &forfeits.replace("resigned", "bored"))).is_err());

    // Changed bytes with a digest that matches: a link of the chain, and the name of a bot.
    let bytes = record.to_bytes();
    let mut other = bytes.clone();
    let at = other.len() - 32 - 8 - 32;
    other[at] ^= 1;
    seal(&mut other);
    let error = Record::read(&other).expect_err("the chain is another");
    assert!(error.to_string().contains("in the record of these entries"), "{error}");
    let name = b"\x08\0\0\0greedy@2";
    let at = bytes.windows(name.len()).position(|window| window == name).expect("it names the stand-in");
    let mut other = [&bytes[..at], b"\x06\0\0\0greedy", &bytes[at + name.len()..]].concat();
    seal(&mut other);
    let error = Record::read(&other).expect_err("the version is missing");
    assert!(matches!(error, RecordError::Malformed { at: place, .. } if place == at), "{error}");
}

#[test]
fn an_outcome_that_only_one_form_could_hold_is_refused_in_both() {
    let record = play(2, &[], 7, 30, false);
    for outcome in ["seat 0: no meld", "seat ", "draw\tF1.1", "draw F1.1\u{85}"] {
        let mut altered = record.clone();
        altered.entries[1] = Entry::Chance(outcome.to_owned());
        let error = Record::read(&altered.to_bytes()).expect_err(outcome).to_string();
        assert!(error.contains("expected an outcome on one line that does not begin like an action"), "{error}");
        read(&altered.to_text()).expect_err(outcome);
    }
}

#[test]
fn a_record_of_other_rules_is_refused_with_both_versions() {
    let record = play(2, &[], 7, 20, false);

    let error = read(&record.to_text().replace("\nrules 1\n", "\nrules 2\n")).expect_err("it is refused");
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

/// Returns the record under another version of its rules, with actions that this release does not have.
fn of_other_rules(record: &Record) -> Transcript {
    let mut other = Transcript { rules_version: 2, stand_in: "expert@3".to_owned(), ..Transcript::from(record) };
    other.options.push(("new".to_owned(), "7".to_owned()));
    "ahu bots, version 2".clone_into(&mut other.bot_seeds);
    other.players[0].bot = Some("expert@3".to_owned());
    for entry in &mut other.entries {
        if let Entry::Action { id, .. } = entry {
            id.0 += 500;
        }
    }
    other
}

#[test]
fn a_record_of_other_rules_is_read_with_its_digest_and_its_chain_in_both_forms() {
    let record = play(3, &[], 11, usize::MAX, true);
    let other = of_other_rules(&record);
    let (text, bytes) = (other.to_text(), other.to_bytes());
    assert!(text.contains("\nrules 2\n") && text.contains(": 571\n"), "no words, since nobody has them: {text}");
    // The release with the rules writes the words, too.
    let worded = text.replace(": 571\n", ": 571 no meld at all\n");

    for form in [text.as_bytes(), worded.as_bytes(), &bytes] {
        let read = Transcript::read(form).expect("it needs no rules");
        assert_eq!(read, other);
        assert_eq!((read.to_text(), read.to_bytes()), (text.clone(), bytes.clone()));
        assert_eq!(read.with_rules(), Err(RecordError::OtherRules { game: "rappanui", made_under: 2, ours: 1 }));
        assert_eq!(Record::read(form), Err(RecordError::OtherRules { game: "rappanui", made_under: 2, ours: 1 }));
    }

    // All that the digest covers is checked, and so is the spelling of all but the words.
    let chain = text.lines().find(|line| line.starts_with("chain ")).expect("it has a chain");
    for (old, new) in [
        (": 571\n", ": 572\n"),
        ("new=7", "new=8"),
        ("expert@3", "expert@4"),
        ("scores ", "scores 1"),
        (": 571\n", ": +571\n"),
        (": 571\n", ": 571no meld\n"),
        (chain, &format!("chain {}", "0".repeat(64))),
    ] {
        assert!(text.contains(old), "{old} in {text}");
        Transcript::read(text.replacen(old, new, 1).as_bytes()).expect_err(new);
    }
    for at in (8..bytes.len()).step_by(7) {
        let mut altered = bytes.clone();
        altered[at] ^= 0x10;
        Transcript::read(&altered).expect_err("it was altered");
    }
    let mut altered = bytes.clone();
    let link = altered.len() - 32 - 8 - 32;
    altered[link] ^= 1;
    seal(&mut altered);
    Transcript::read(&altered).expect_err("the chain is another");
}

#[test]
fn a_record_without_the_words_of_its_actions_is_the_same_record() {
    let record = play(3, &[], 11, usize::MAX, true);
    let rules = record.setup.rules();
    let mut text = record.to_text();
    for id in (0..rules.action_count()).rev() {
        let words = rules.action_text(ActionId(id as u16)).expect("the game has it");
        text = text.replace(&format!(": {id} {words}"), &format!(": {id}"));
    }
    assert!(text.len() < record.to_text().len());

    assert_eq!(read(&text), Ok(record));
}

#[test]
fn facts_that_only_a_later_release_knows_are_kept_and_hashed() {
    let record = play(2, &[], 7, 30, false);
    let fact = |name: &str, fact: &str| (name.to_owned(), fact.to_owned());
    let later =
        forged(&record, |record| record.notes = vec![fact("clock-2", "delay=500ms"), fact("venue", "Santiago")]);
    let text = later.to_text();
    assert!(text.contains(" Bot № 1\nx-clock-2 delay=500ms\nx-venue Santiago\nplies\n"), "{text}");
    assert_eq!(verify(&later), Ok(()));
    assert_eq!(Transcript::read(text.as_bytes()), Transcript::read(&later.to_bytes()));
    assert_eq!(read(&text.replace("Santiago", "Lima")), Err(RecordError::Altered));

    for (name, text) in [("", "x"), ("A", "x"), ("a b", "x"), ("a", ""), ("a", " x"), ("a", "x\ny"), ("a", "\u{202e}")]
    {
        let spoilt = Record { notes: vec![fact(name, text)], ..record.clone() };
        Record::read(&spoilt.to_bytes()).expect_err(name);
        read(&spoilt.to_text()).expect_err(name);
    }
}

#[test]
fn an_unreadable_line_is_named_with_its_place() {
    let text = play(2, &[], 7, 60, false).to_text();
    let fault = |old: &str, new: &str| {
        assert!(text.contains(old), "{old} in {text}");
        match read(&text.replacen(old, new, 1)) {
            Err(RecordError::Unreadable { line, column, reason }) => (line, column, reason),
            other => panic!("{other:?}"),
        }
    };
    let line_of = |start: &str| text.lines().position(|line| line.starts_with(start)).expect("a line") + 1;

    let (line, column, reason) = fault("\nseed 7\n", "\nseed seven\n");
    assert_eq!((line, column), (line_of("seed"), 6));
    assert!(reason.contains("whole number"), "{reason}");
    let action = text.lines().find(|line| line.starts_with("3 seat ")).expect("the third ply is an action");
    let (head, id) = action.split_once(": ").expect("an action");
    let id = id.split(' ').next().expect("an id");
    let (line, column, reason) = fault(action, &format!("{head}: F13"));
    assert_eq!((line, column), (line_of("3 seat"), head.len() + 2 + 1));
    assert_eq!(reason, "expected the id of an action, got \"F13\"");
    let (line, column, reason) = fault(action, &format!("{head}: {id} meld F13"));
    assert_eq!((line, reason), (line_of("3 seat"), format!("expected the spelling \"{action}\"")));
    assert!(column > head.len() + id.len(), "{column}");
    assert_eq!(fault("\n4 ", "\n5 ").0, line_of("4 "));
    assert_eq!(fault("\nplies\n", "\nply\n").0, line_of("plies"));
    assert_eq!(fault("seat 0 Bot", "seat 2 Bot").0, line_of("seat 0"));
    assert!(fault("options seats=2", "options chairs=2").2.contains("seats="));
    assert!(fault("fingerprint ", "fingerprint x").2.contains("16 hexadecimal digits"));
    assert!(fault("chain ", "chain x").2.contains("64 hexadecimal digits"));
    assert!(fault("illegal=strike", "illegal=pardon").2.contains("refusal, strike, or forfeit"));
    assert!(fault("timeout=forfeit", "timeout=refusal").2.contains("expected a strike or a forfeit"));
    assert!(fault("strikes=9", "strikes=0").2.contains("1 to 255"));
    assert!(fault(" tries=50", "").2.contains("expected tries=…"));
    assert!(fault("idle none", "idle 0ms").2.contains("above 0ms"));
    assert!(fault("idle none", "idle 86400001ms").2.contains("at most a day"));
    assert!(fault("\nend\nunfinished\n", "\nend\nadjourned\n").2.contains("\"unfinished\", \"finished\""));
    assert!(fault("\nend\nunfinished\n", "\nend\nvoid:  \n").2.contains("expected a reason"));
    assert!(fault("\nend\n", "\n- seat 0 is late\nend\n").2.contains("expected a strike"));
    assert!(fault("\nend\n", "\n- seat 0 forfeits (boredom)\nend\n").2.contains("expected one of illegal"));

    let unknown = read(&text.replacen("stand_in greedy@2", "stand_in greedy@7", 1)).expect_err("there is none");
    assert!(unknown.to_string().contains("unknown bot \"greedy@7\""), "{unknown}");
    let unknown = read(&text.replacen("ahu bots, version 1", "ahu bots, version 2", 1)).expect_err("there are none");
    assert!(unknown.to_string().contains("expected bot seeds of \"ahu bots, version 1\""), "{unknown}");
    let unknown = read(&text.replacen("game rappanui", "game rapanui", 1)).expect_err("there is none");
    assert!(unknown.to_string().contains("did you mean \"rappanui\"?"), "{unknown}");
    let option = read(&text.replacen("tie=share", "tie=never", 1)).expect_err("there is none");
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
        let _ = read(&spoilt.into_iter().collect::<String>());
    }
}

#[test]
fn any_entries_are_read_as_they_are_written_and_verified_without_panic() {
    let record = play(3, &[], 11, usize::MAX, true);
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    let count = record.setup.rules().action_count() as u16;
    let mut refused = 0;
    for _ in 0..500 {
        let mut spoilt = record.clone();
        for _ in 0..rng.random_range(1..4) {
            let at = rng.random_range(0..spoilt.entries.len());
            let seat = Seat::new(rng.random_range(0..3)).expect("a seat");
            let id = ActionId(rng.random_range(0..count));
            let cause = Cause::ALL[rng.random_range(0..Cause::ALL.len())];
            let by = if rng.random() { DecidedBy::Player } else { DecidedBy::StandIn };
            let time = ThinkingTime { measured: rng.random_range(0..3), charged: rng.random_range(0..2) };
            let action = Some(id).filter(|_| rng.random());
            let entry = match rng.random_range(0..6) {
                0 => Entry::Chance("draw F1.1".to_owned()),
                1 => Entry::Action { seat, id, by, time },
                2 => Entry::Strike { seat, decision: rng.random_range(0..30), cause, action },
                3 => Entry::Forfeit { seat, cause },
                4 => Entry::Cancelled("a reason".to_owned()),
                _ => Entry::Void("a reason".to_owned()),
            };
            match rng.random_range(0..3) {
                0 => spoilt.entries.insert(at, entry),
                1 => spoilt.entries[at] = entry,
                _ => drop(spoilt.entries.remove(at)),
            }
        }
        assert_eq!(Record::read(&spoilt.to_bytes()), Ok(spoilt.clone()));
        assert_eq!(read(&spoilt.to_text()), Ok(spoilt.clone()));
        refused += usize::from(verify(&spoilt).is_err());
    }
    assert!(refused > 490, "{refused}");
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

/// Returns a record with every kind of entry: measured times, all kinds of players, strikes for several causes, and with
/// `ending` a match that is cancelled or void.
fn with_everything(ending: Option<&Ending>) -> Record {
    let rules = find("rappanui").expect("it is in the catalog");
    let bot = |name| rules.bot(name).expect("every game has it");
    let players = vec![
        SeatPlayer::bot(bot("random")),
        SeatPlayer::external("bot that is none"),
        SeatPlayer::external("external"),
        SeatPlayer::external("external agent"),
    ];
    let conduct = Conduct {
        illegal: Consequence::Strike,
        unreadable: Consequence::Strike,
        absent: Consequence::Strike,
        exited: Consequence::Refusal,
        absence_limit: NonZeroU32::new(30_000),
        strikes: NonZeroU8::new(3).expect("3 is not 0"),
        tries: NonZeroU16::new(7).expect("7 is not 0"),
        ..Conduct::default()
    };
    let bank = TimeControl {
        startup: 10_000,
        limit: NonZeroU32::new(9_000),
        bank: NonZeroU32::new(60_000),
        increment: 100,
        lag: 200,
    };
    let clocks = vec![TimeControl::default(), bank, TimeControl::default(), bank];
    let terms = Terms { conduct, clocks, idle: NonZeroU32::new(600_000), stand_in: Some(bot("random")) };
    let setup = rules.configure(4, &[]).expect("the defaults");
    let mut referee = Referee::new(setup, Seed(5), players, terms);
    let mut now = 0;
    while !referee.is_over() && referee.plies() < 60 {
        referee.play_bots();
        let Some(seat) = referee.to_act().first() else { break };
        let decision = referee.decision(seat).expect("it has to decide");
        referee.start_clocks();
        now += 1_500;
        referee.set_time(MatchTime(now));
        let legal = referee.legal_actions(seat);
        let illegal = (0..=u16::MAX).map(ActionId).find(|&id| !legal.contains(id)).expect("no action has the last id");
        if seat.index() == 1 && decision == 2 {
            assert!(referee.act(seat, decision, illegal).is_err());
            referee.act_unreadably(seat, decision, b"?").expect("it has to decide");
        }
        if seat.index() == 2 && decision == 3 {
            referee.fault(seat, Cause::Exited);
            referee.fault(seat, Cause::Absent);
        }
        if seat.index() == 3 && decision == 2 {
            now += 20_000;
            referee.set_time(MatchTime(now));
            referee.expire();
            continue;
        }
        referee.act(seat, decision, legal.nth(0).expect("one is legal")).expect("it is legal");
    }
    match ending {
        None | Some(Ending::Finished) => {}
        Some(Ending::Cancelled(reason)) => referee.cancel(reason).expect("it goes on"),
        Some(Ending::Void(reason)) => referee.void(reason).expect("it goes on"),
    }
    referee.record()
}

#[test]
fn terms_times_causes_and_endings_are_read_as_they_are_written() {
    let cancelled = Ending::Cancelled("the host left: (no reason)".to_owned());
    let void = Ending::Void("the disk is full".to_owned());
    for ending in [None, Some(cancelled), Some(void)] {
        let record = with_everything(ending.as_ref());
        assert_eq!(record.ending, ending);
        assert_eq!(verify(&record), Ok(()));
        assert_eq!(read(&record.to_text()), Ok(record.clone()), "{}", record.to_text());
        assert_eq!(Record::read(&record.to_bytes()), Ok(record.clone()));
        let text = record.to_text();
        for line in [
            "\nconduct illegal=strike unreadable=strike timeout=forfeit exited=refusal absent=strike resigned=forfeit \
             absence_limit=30000ms strikes=3 tries=7\nidle 600000ms\nstand_in random@1\n",
            "\nclock 0 startup=0ms limit=none bank=none increment=0ms lag=0ms\n",
            "\nclock 3 startup=10000ms limit=9000ms bank=60000ms increment=100ms lag=200ms\n",
            "\nseat 0 bot random@1\nseat 1 external bot that is none\nseat 2 external\nseat 3 external external agent\n",
            " (1500 ms, 1300 charged)\n",
            " gets a strike in decision 2 (unreadable)\n",
            " gets a strike in decision 3 (absent)\n",
            "\n- seat 3 forfeits (timeout)\n",
        ] {
            assert!(text.contains(line), "{line} in {text}");
        }
        let terms = notation::terms_text(&record.terms, record.setup.rules());
        assert!(text.contains(&format!("version 1\n{terms}seat 0 ")), "{terms}");
        let end = text.split("\nend\n").nth(1).expect("an end");
        match ending {
            None => assert!(end.starts_with("unfinished\nchain "), "{end}"),
            Some(Ending::Cancelled(_)) => {
                assert!(text.contains("\n- cancelled: the host left: (no reason)\nend\ncancelled: the host left"));
            }
            Some(_) => assert!(text.contains("\n- void: the disk is full\nend\nvoid: the disk is full\nchain ")),
        }
    }
}

/// An agent of a duel that a bot plays has the name that its user gave it.
#[test]
fn a_bot_under_another_name_is_read_as_it_is_written() {
    let mut record = with_everything(None);
    let bot = record.players[0].bot.expect("a bot");
    record.players[0] = SeatPlayer::named_bot("old as new", bot).expect("a name");
    assert_eq!(verify(&record), Ok(()));
    let text = record.to_text();
    assert!(text.contains("\nseat 0 bot random@1 as old as new\n"), "{text}");
    assert_eq!(read(&text), Ok(record.clone()));
    assert_eq!(Record::read(&record.to_bytes()), Ok(record.clone()));
    // Nobody takes the name of another bot, nor a name that breaks lines.
    for name in ["greedy@1", "greedy@9", "", " x", "a\nb"] {
        SeatPlayer::named_bot(name, bot).expect_err(name);
        record.players[0].name = name.to_owned();
        let error = Record::read(&record.to_bytes()).expect_err(name).to_string();
        assert!(error.contains("expected a name"), "{name:?}: {error}");
        assert!(read(&record.to_text()).is_err(), "{name:?}");
    }
    let error = read(&text.replace(" as old as new", " as greedy@1")).expect_err("another bot").to_string();
    assert!(error.contains("expected a name that is not that of a bot, got \"greedy@1\""), "{error}");
}

#[test]
fn the_last_link_follows_from_the_entries_one_by_one() {
    let record = with_everything(None);
    let links: Vec<_> = record
        .entries
        .iter()
        .scan(FIRST_LINK, |link, entry| {
            *link = next_link(link, entry);
            Some(*link)
        })
        .collect();
    let last = links.last().expect("it has entries");
    assert!(record.to_text().contains(&format!("\nchain {}\n", hex(last))));
    // The first link, computed from its description alone: SHA-256 over 32 zeros, the tag 0, the length, and the text.
    let Entry::Chance(outcome) = &record.entries[0] else { panic!("the first ply is chance") };
    let bytes = [&[0; 33][..], &(outcome.len() as u32).to_le_bytes(), outcome.as_bytes()].concat();
    assert_eq!(links[0][..], Sha256::digest(bytes)[..]);
}

#[test]
fn the_digest_is_that_of_the_binary_form_in_both_forms() {
    let record = with_everything(None);
    let bytes = record.to_bytes();
    let digest: [u8; 32] = Sha256::digest(&bytes[..bytes.len() - 32]).into();
    assert_eq!((record.digest(), &bytes[bytes.len() - 32..]), (digest, &digest[..]));
    assert!(record.to_text().ends_with(&format!("\ndigest {}\n", hex(&digest))));
    assert_eq!(parse_digest(&hex(&digest)), Ok(digest));
    for text in ["", "00", &hex(&digest).to_uppercase(), &format!("{}é", &hex(&digest)[..62])] {
        assert!(parse_digest(text).expect_err("it is none").starts_with("expected a digest of 64 hex"), "{text}");
    }

    // A forged record with an invented forfeit, a digest that matches, and the fingerprint of the genuine one.
    let published = record.digest();
    let seat = Seat::new(2).expect("a seat");
    let forged = forged(&record, |record| record.entries.push(Entry::Forfeit { seat, cause: Cause::Resigned }));
    assert_eq!((verify(&forged), forged.fingerprint), (Ok(()), record.fingerprint), "nothing in it is impossible");
    let error = verify_digest(&forged, &published).expect_err("it is not the published one");
    assert_eq!(
        error.to_string(),
        format!("expected the digest {}, got a record with the digest {}", hex(&published), hex(&forged.digest()))
    );
}

#[test]
fn strikes_forfeits_and_times_that_the_terms_make_impossible_are_found_out() {
    let record = with_everything(None);
    let [first, second, third] = [0, 1, 2].map(|seat| Seat::new(seat).expect("a seat"));
    let refusal = |change: &dyn Fn(&mut Record)| match verify(&forged(&record, change)) {
        Err(RecordError::Impossible { reason, .. }) => reason,
        other => panic!("{other:?}"),
    };
    let end = |entry: Entry| refusal(&|record| record.entries.push(entry.clone()));
    let place = |wanted: fn(&Entry) -> bool| record.entries.iter().position(wanted).expect("the record has one");

    // Forfeits. Seat 0 is a bot; the terms refuse exits; nobody else has all its strikes.
    assert!(end(Entry::Forfeit { seat: first, cause: Cause::Timeout }).contains("got one of a bot in seat 0"));
    let exited = end(Entry::Forfeit { seat: third, cause: Cause::Exited });
    assert_eq!(exited, "expected a refusal as the consequence of exited, got a forfeit of seat 2");
    let strike = place(|entry| matches!(entry, Entry::Strike { cause: Cause::Illegal, .. }));
    let Entry::Strike { seat, decision, action, .. } = record.entries[strike] else { unreachable!("it is a strike") };
    assert_eq!(seat, second);
    let early = refusal(&|record| {
        record.entries.truncate(strike + 1);
        record.entries.push(Entry::Forfeit { seat, cause: Cause::Illegal });
    });
    assert_eq!(early, "expected the last strike of seat 1 (illegal) before its forfeit, got none");
    let not_struck = refusal(&|record| {
        record.entries.truncate(strike);
        record.entries.push(Entry::Forfeit { seat, cause: Cause::Illegal });
    });
    assert_eq!(not_struck, early);
    let owed_nothing = refusal(&|record| {
        record.entries.truncate(strike);
        record.entries.push(Entry::Forfeit { seat: third, cause: Cause::Timeout });
    });
    assert_eq!(owed_nothing, "expected an open decision of seat 2 for its fault (timeout), got none");

    // Strikes: another decision, another seat, a cause without strikes, a legal action, one too many.
    let other = |entry: Entry| refusal(&|record| record.entries[strike] = entry.clone());
    let illegal = Cause::Illegal;
    assert!(
        other(Entry::Strike { seat, decision: decision + 1, cause: illegal, action })
            .contains("expected a strike for an open decision of seat 1")
    );
    assert!(
        other(Entry::Strike { seat: third, decision, cause: illegal, action }).contains("an open decision of seat 2")
    );
    let late = other(Entry::Strike { seat, decision, cause: Cause::Timeout, action: None });
    assert_eq!(late, "expected a forfeit as the consequence of timeout, got a strike of seat 1");
    let named = other(Entry::Strike { seat, decision, cause: Cause::Unreadable, action });
    assert_eq!(named, "expected no action in a strike for unreadable, got one");
    let Entry::Action { id, .. } = record.entries[strike + 2] else { panic!("the seat acts after two strikes") };
    let legal = other(Entry::Strike { seat, decision, cause: illegal, action: Some(id) });
    assert_eq!(legal, format!("expected an illegal action in a strike of seat 1, got {id}, which is legal"));
    let third_strike = Entry::Strike { seat, decision, cause: illegal, action: None };
    let unpunished = refusal(&|record| record.entries.insert(strike, third_strike.clone()));
    assert_eq!(unpunished, "expected a forfeit of seat 1 (unreadable) after its 3 strikes");

    // Times: a charge that does not follow, and an answer after the limit.
    let timed = |entry: &Entry| matches!(entry, Entry::Action { time, .. } if time.charged == 1_300);
    let at = place(timed);
    let with_time = |time: ThinkingTime| {
        refusal(&|record| {
            let Entry::Action { time: own, .. } = &mut record.entries[at] else { unreachable!("it is an action") };
            *own = time;
        })
    };
    assert_eq!(
        with_time(ThinkingTime { measured: 1_500, charged: 1_299 }),
        "expected 1300 ms charged for 1500 ms, got 1299 ms"
    );
    let late = with_time(ThinkingTime { measured: 9_201, charged: 9_001 });
    assert_eq!(late, "expected an answer of seat 1 within 9200 ms, got one after 9201 ms");

    // The last entry and the ending agree.
    let void = forged(&record, |record| record.ending = Some(Ending::Void("a whim".to_owned())));
    let error = verify(&void).expect_err("it has no such entry").to_string();
    assert_eq!(error, "expected the ending unfinished after the entries, got void: a whim");
    let void = forged(&record, |record| record.entries.push(Entry::Void("a whim".to_owned())));
    let error = verify(&void).expect_err("it has no such ending").to_string();
    assert_eq!(error, "expected the ending void: a whim after the entries, got unfinished");
}

#[test]
fn a_record_keeps_the_options_that_it_names() {
    // A record from before an option existed keeps its digest.
    let record = play(2, &[], 7, 30, false);
    let older = forged(&record, |record| {
        record.options.remove(1);
    });
    assert!(!older.to_text().contains("reshuffle") && older.to_text().contains("combine_rule"));
    assert_eq!(verify(&older), Ok(()));
}
