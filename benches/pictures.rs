//! The speed and the size of pictures: `cargo bench --bench pictures`.
//!
//! A game is played by greedy, and the table of every tenth ply is drawn for the public and for each seat, with marks for what
//! has changed since. Beside the pictures a second stand the ratio to the text of the same table, and the time of PNG
//! files of 800 pixels.

#![expect(clippy::print_stdout, reason = "a bench prints its figures")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use ahu_core::{Seed, Viewer};
use ahu_host::raster::Raster;
use ahu_host::{AnyRules, AnyView, Conduct, GAMES, Referee, Scene, SeatPlayer};

/// The number of plies between two pictures.
const EVERY: u32 = 10;
/// The time for each line.
const TIME: Duration = Duration::from_secs(2);

fn main() {
    println!("one core                pictures/s   KB, mean and most   times the text   ms a PNG");
    for rules in GAMES {
        for seats in [*rules.seats().start(), *rules.seats().end()] {
            measure(*rules, seats);
        }
    }
}

fn measure(rules: &'static dyn AnyRules, seats: usize) {
    let setup = rules.configure(seats, &[]).expect("the game has this seat count");
    let greedy = rules.bot("greedy").expect("every game has it");
    let viewers: Vec<Viewer> = setup.seats().iter().map(Viewer::Seat).chain([Viewer::Public]).collect();
    let (mut drawn, mut told, mut pixels) = (Duration::ZERO, Duration::ZERO, Duration::ZERO);
    let (mut pictures, mut bytes, mut most, mut files) = (0_u32, 0, 0, 0_u32);
    let mut seed = 0;
    while drawn < TIME {
        let players = vec![SeatPlayer::bot(greedy); seats];
        let mut referee = Referee::new(setup.clone(), Seed(seed), players, Conduct::default());
        let mut before: Vec<Box<dyn AnyView>> = viewers.iter().map(|&viewer| referee.view(viewer)).collect();
        let mut next = EVERY;
        while let Some(due) = referee.due_bot() {
            referee.answer(due.choose());
            if referee.plies() < next {
                continue;
            }
            next = referee.plies() + EVERY;
            for (place, &viewer) in viewers.iter().enumerate() {
                let view = referee.view(viewer);
                let start = Instant::now();
                let picture = black_box(view.svg(Some(&*before[place]), Scene::default()));
                drawn += start.elapsed();
                let start = Instant::now();
                black_box(view.text());
                told += start.elapsed();
                (pictures, bytes, most) = (pictures + 1, bytes + picture.len(), most.max(picture.len()));
                before[place] = view;
                if pictures % 200 == 1 {
                    let start = Instant::now();
                    black_box(Raster::of(&picture, 800).expect("a picture").png());
                    pixels += start.elapsed();
                    files += 1;
                }
            }
        }
        seed += 1;
    }
    println!(
        "{:<16}{seats:>2}      {:>10.0}   {:>7.1} {:>11.1}   {:>14.1}   {:>8.1}",
        rules.info().id,
        f64::from(pictures) / drawn.as_secs_f64(),
        bytes as f64 / f64::from(pictures) / 1e3,
        most as f64 / 1e3,
        drawn.as_secs_f64() / told.as_secs_f64(),
        pixels.as_secs_f64() * 1e3 / f64::from(files),
    );
}
