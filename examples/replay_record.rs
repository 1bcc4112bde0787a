//! Reads the record of a match, shows it as a spectator saw it, and verifies it.
//!
//!     cargo run --example replay_record -- match.txt
//!
//! Without a file, it plays a match of bots first. `ahu play` writes records with `--record`.

use std::error::Error;
use std::io::{self, Write};
use std::{env, fs};

use ahu_core::{Seed, Viewer};
use ahu_host::{Conduct, Record, Referee, Replay, SeatPlayer, find, verify};

fn main() -> Result<(), Box<dyn Error>> {
    let bytes = match env::args_os().nth(1) {
        Some(file) => fs::read(file)?,
        None => played()?,
    };
    show(&bytes, &mut io::stdout().lock())
}

/// Plays a match between bots, and returns its record.
fn played() -> Result<Vec<u8>, Box<dyn Error>> {
    let rules = find("rapanui_cards")?;
    let players = vec![SeatPlayer::bot(rules.bot("greedy")?), SeatPlayer::bot(rules.bot("random")?)];
    let mut referee = Referee::new(rules.configure(2, &[])?, Seed(7), players, Conduct::default());
    while let Some(due) = referee.due_bot() {
        let answer = due.choose();
        referee.answer(answer);
    }
    Ok(referee.record().to_text().into_bytes())
}

/// Writes the plies of a record, and checks that chance, legal actions, and the result follow from its seed.
fn show(record: &[u8], out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let record = Record::read(record)?;
    let mut replay = Replay::new(&record);
    while let Some(step) = replay.step() {
        let step = step?;
        for event in step.events {
            if let Some(text) = event.event.text_for(Viewer::Public) {
                writeln!(out, "{:4}  {text}", step.ply)?;
            }
        }
    }
    writeln!(out, "{}", replay.referee().view(Viewer::Public).text())?;
    verify(&record)?;
    writeln!(out, "valid: {} plies, fingerprint {}", record.plies(), record.fingerprint)?;
    Ok(())
}

#[test]
fn it_shows_a_match_and_refuses_a_changed_record() {
    let record = played().expect("bots play a match");
    let mut out = Vec::new();
    show(&record, &mut out).expect("the record is valid");
    let text = String::from_utf8(out).expect("it prints text");
    assert!(text.contains("\nvalid: "), "{text}");
    let other = String::from_utf8(record).expect("records are text").replacen("seed 7", "seed 8", 1);
    assert!(show(other.as_bytes(), &mut Vec::new()).is_err());
}
