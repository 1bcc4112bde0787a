//! `ahu cup plan`: estimates what a cup will take, before it begins.

use std::collections::BTreeSet;
use std::io::Write;
use std::time::Duration;

use ahu_contest::cup::{Cup, Stage, StageState, State, longest_game, now};
use ahu_contest::ratings::{POWER, Resolution};
use ahu_core::Seed;
use ahu_core::parts::lines::counted;
use ahu_host::{Conduct, Referee, SeatPlayer, Setup};
use serde_json::json;

use super::CupArguments;
use crate::terminal::progress::duration;
use crate::{CliError, Done, print_json, time_of_day};

/// A day, and the time between two waves of a ladder.
const DAY: Duration = Duration::from_secs(24 * 3600);
const WAVE: Duration = Duration::from_secs(10);
/// The number of games that are played to count decisions.
const SAMPLE: u64 = 20;

/// Show what a cup will take: games, decisions, the longest time, and the smallest difference that it can resolve
///
/// Decisions are counted in games of `greedy`. The longest time is that in which every agent uses all of its clock, with
/// one game at a time.
#[derive(Debug, clap::Args)]
pub(crate) struct Plan {
    #[command(flatten)]
    cup: CupArguments,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// The expected extent of a stage.
struct Forecast {
    agents: usize,
    tables: usize,
    games: usize,
    /// The mean number of decisions of a game.
    decisions: f64,
    /// The longest time of a game, in seconds.
    seconds: f64,
    /// The smallest difference of ratings that the stage can resolve, in Elo points.
    difference: f64,
}

impl Plan {
    pub(super) fn run(self, out: &mut impl Write) -> Done {
        let folder = self.cup.read()?;
        let wrong = |message| CliError::Usage(format!("{}: {message}", folder.file.display()));
        let state = State::drawn(&folder.text).map_err(wrong)?;
        if state.ladder().is_some() {
            return plan_ladder(&state.cup, self.json, out);
        }
        let stages = state.cup.stages.iter().zip(&state.stages);
        let stages: Vec<_> = stages.map(|(stage, drawn)| (stage, Forecast::of(&state.cup, stage, drawn))).collect();
        match self.json {
            true => show_json(&stages, out),
            false => show(&state.cup, &stages, out),
        }
    }
}

impl Forecast {
    fn of(cup: &Cup, stage: &Stage, drawn: &StageState) -> Self {
        let setup = stage.setup().expect("the file was checked");
        let decisions = decisions(&setup);
        let control = cup.clock;
        let seats = stage.seats as f64;
        let bank = control.bank.map(|bank| {
            f64::from(control.startup + bank.get()) * seats + f64::from(control.increment + control.lag) * decisions
        });
        let limit = control
            .limit
            .map(|limit| f64::from(control.startup) * seats + f64::from(limit.get() + control.lag) * decisions);
        let milliseconds = bank.into_iter().chain(limit).fold(f64::INFINITY, f64::min);
        // The anchor is in each group.
        let in_groups = drawn.groups.iter().map(Vec::len).sum::<usize>();
        let agents = drawn.groups.iter().flatten().collect::<BTreeSet<_>>().len();
        let tables = drawn.tables.len();
        let resolution = Resolution {
            agents: in_groups / stage.groups,
            seats: stage.seats,
            blocks: tables / stage.groups,
            games: stage.games(),
            variance_ratio: 1.0,
        };
        Self {
            agents,
            tables,
            games: tables * stage.games(),
            decisions,
            seconds: milliseconds / 1000.0,
            difference: resolution.resolvable_difference(),
        }
    }

    fn hours(&self) -> f64 {
        self.games as f64 * self.seconds / 3600.0
    }
}

/// Shows the longest time of a game of a ladder, and the number of games a day that an agent gets at least and at most.
fn plan_ladder(cup: &Cup, is_json: bool, out: &mut impl Write) -> Done {
    let stage = &cup.stages[0];
    let (rules, decisions) = (&stage.ladder, decisions(&stage.setup().map_err(CliError::Failed)?));
    let longest = longest_game(&cup.clock, stage.seats).unwrap_or_default();
    let most = rules.account_games_a_day;
    // With one game after the other, each as long as it may be, and a wave before it.
    let one_by_one = DAY.as_secs() / (longest + WAVE).as_secs();
    let least = u64::from(most).min(one_by_one * u64::from(rules.account_games_at_once));
    let minutes = longest.as_secs_f64() / 60.0;
    if is_json {
        let ladder = json!({
            "stage": stage.name, "game": stage.game, "seats": stage.seats, "decisions": decisions, "longest_minutes": minutes,
            "games_a_day_at_least": least, "games_a_day_at_most": most, "games_at_once": rules.games_at_once,
        });
        return print_json("cup-plan", json!({ "ladder": ladder }), out);
    }
    writeln!(out, "{}\n\nladder {}: {}, {} seats", cup.header.name, stage.name, stage.game, stage.seats)?;
    writeln!(
        out,
        "  a game takes at most {minutes:.1} minutes, at the limit of all clocks; {decisions:.0} decisions in a game of greedy"
    )?;
    let accounts = rules.account_games_at_once;
    writeln!(out, "  an account that always waits gets {least} to {most} games a day, {accounts} at once")?;
    writeln!(out, "  at most {} at once", counted(rules.games_at_once as usize, "game"))?;
    if let Some(closed) = rules.closes_at().filter(|&closes| closes <= now()) {
        let closed = time_of_day(closed / 1000);
        writeln!(out, "  warning: nobody can enter any more: entries close {closed}, `closing` before `until`")?;
    }
    if cup.stages.len() > 1 {
        writeln!(out, "  the stages after it depend on who advances")?;
    }
    Ok(())
}

/// Plays games of `greedy`, and returns the mean number of their decisions.
fn decisions(setup: &Setup) -> f64 {
    let bot = setup.rules().stand_in();
    let count = |seed| {
        let players = vec![SeatPlayer::bot(bot); setup.seats().count()];
        let mut referee = Referee::new(setup.clone(), Seed(seed), players, Conduct::default());
        referee.play_bots();
        setup.seats().iter().map(|seat| u64::from(referee.answered(seat))).sum::<u64>()
    };
    (0..SAMPLE).map(count).sum::<u64>() as f64 / SAMPLE as f64
}

fn show(cup: &Cup, stages: &[(&Stage, Forecast)], out: &mut impl Write) -> Done {
    writeln!(out, "{}", cup.header.name)?;
    for (stage, forecast) in stages {
        let Forecast { agents, tables, games, decisions, difference, .. } = forecast;
        writeln!(out, "\nstage {}: {}, {} seats, {agents} agents", stage.name, stage.game, stage.seats)?;
        writeln!(
            out,
            "  {} of {}: {}",
            counted(tables, "table"),
            counted(stage.games(), "game"),
            counted(games, "game")
        )?;
        writeln!(out, "  {:.0} decisions, {decisions:.0} in a game", *games as f64 * decisions)?;
        let longest = std::time::Duration::from_secs_f64(forecast.hours() * 3600.0);
        writeln!(out, "  at most {} at the limit of all clocks, one game at a time", duration(longest))?;
        writeln!(
            out,
            "  resolves differences of {difference:.0} Elo points or more (in {:.0} % of cups, at 95 %; shared luck mostly \
             less)",
            100.0 * POWER
        )?;
    }
    if stages.len() > 1 {
        let games: usize = stages.iter().map(|(_, forecast)| forecast.games).sum();
        let hours: f64 = stages.iter().map(|(_, forecast)| forecast.hours()).sum();
        let longest = duration(std::time::Duration::from_secs_f64(hours * 3600.0));
        writeln!(out, "\nall stages: {games} games, at most {longest}")?;
    }
    Ok(())
}

fn show_json(stages: &[(&Stage, Forecast)], out: &mut impl Write) -> Done {
    let stages: Vec<_> = stages
        .iter()
        .map(|(stage, forecast)| {
            let Forecast { agents, tables, games, decisions, difference, .. } = forecast;
            json!({
                "stage": stage.name, "game": stage.game, "seats": stage.seats, "agents": agents, "tables": tables,
                "games": games, "decisions": (*games as f64 * decisions).round(), "hours_at_most": forecast.hours(),
                "resolvable_elo": difference,
            })
        })
        .collect();
    print_json("cup-plan", json!({ "stages": stages }), out)
}
