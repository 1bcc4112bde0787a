//! Plays a match of Giants between two bots and a rule of our own. Prints the course of the match and the record.
//!
//!     cargo run --example play_game
//!
//! The referee says who has to decide. It draws all chance from the seed, so the same choices lead to the same match.

use std::error::Error;
use std::io::{self, Write};

use ahu_core::{Seat, Seed, Viewer};
use ahu_host::{Conduct, Referee, SeatPlayer, find};

fn main() -> Result<(), Box<dyn Error>> {
    play(Seed(7), &mut io::stdout().lock())
}

/// Plays one match, and writes the public events, the result, and the record.
fn play(seed: Seed, out: &mut impl Write) -> Result<(), Box<dyn Error>> {
    let rules = find("giants")?;
    let setup = rules.configure(3, &[])?;
    let players = vec![
        SeatPlayer::bot(rules.bot("greedy")?),
        SeatPlayer::bot(rules.bot("random")?),
        SeatPlayer::external("first"),
    ];
    let mut referee = Referee::new(setup, seed, players, Conduct::default());
    let own = Seat::new(2).ok_or("there is a seat 2")?;
    let mut told = 0;
    while !referee.is_over() {
        if let Some(decision) = referee.decision(own) {
            // Our rule reads nothing but the legal actions. `referee.view(Viewer::Seat(own))` has the rest.
            let action = referee.legal_actions(own).nth(0).ok_or("a seat that has to decide has a legal action")?;
            referee.act(own, decision, action)?;
        } else if let Some(due) = referee.due_bot() {
            // Any thread may compute the choice.
            let answer = due.choose();
            referee.answer(answer);
        }
        for event in &referee.events()[told..] {
            if let Some(text) = event.event.text_for(Viewer::Public) {
                writeln!(out, "{text}")?;
            }
        }
        told = referee.events().len();
    }
    let result = referee.result().ok_or("a match that is over has a result")?;
    writeln!(out, "scores {:?}, ranks {:?}", result.scores.values(), result.ranks.values())?;
    write!(out, "{}", referee.record().to_text())?;
    Ok(())
}

#[test]
fn it_plays_a_match_to_its_end() {
    let mut out = Vec::new();
    play(Seed(7), &mut out).expect("the example runs");
    let text = String::from_utf8(out).expect("it prints text");
    assert!(text.contains("seat 2 ") && text.contains("\nscores ["), "{text}");
}
