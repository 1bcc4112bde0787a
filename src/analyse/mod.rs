//! `ahu analyse`: a search examines the decisions of a record, or the decisions of one agent in many records.

mod agent;

use std::io::Write;
use std::path::PathBuf;

use ahu_core::parts::lines::counted;
use ahu_core::{ActionId, Seat, Viewer};
use ahu_host::search::{ActionAnalysis, Analysis};
use ahu_host::{BotName, Cores, Entry, Record, Referee, Replay, find};
use serde_json::{Value, json};

use crate::arguments::players::search;
use crate::files::record_file::read_record;
use crate::output::analysis_table;
use crate::output::record_pages::Pages;
use crate::terminal::paint::Painted;
use crate::{CliError, Done, print_json};

/// Analyse decisions of a record by search, or what the decisions of an agent cost in many records
///
/// With --agent, sums up the cost of all its decisions by kind of action and by phase, worst first, and lists those that
/// cost most, with the command that opens each. The search reads what the seat knew, as the bot does in a match: hidden
/// facts change nothing.
#[derive(Debug, clap::Args)]
pub(super) struct Analyse {
    /// The record, in text or binary format; `-` is stdin; with --agent, also a folder with records, or a data folder
    file: PathBuf,
    /// The decision to analyse: the one that this ply of the record made, as `ahu replay` numbers the plies
    #[arg(long, value_name = "PLY", required_unless_present_any = ["all", "agent"])]
    at: Option<u32>,
    /// With --at, another seat that had to decide at that point [default: the seat that made the ply]; with --all, only the
    /// decisions of this seat
    #[arg(long, value_name = "SEAT")]
    seat: Option<usize>,
    /// List the decisions of the whole match that cost most
    #[arg(long, conflicts_with = "at")]
    all: bool,
    /// Sum up the decisions of the player with this name, over all records in which it plays
    #[arg(long, value_name = "NAME", conflicts_with_all = ["at", "all", "seat"])]
    agent: Option<String>,
    /// Only records of this game
    #[arg(long, requires = "agent")]
    game: Option<String>,
    /// Add the listed decisions to this file as positions in which the agent must not decide the same again, for
    /// `ahu check-agent --positions`
    #[arg(long, value_name = "FILE", requires = "agent")]
    positions: Option<PathBuf>,
    /// The number of decisions that --all lists, and --agent for each game
    #[arg(long, value_name = "COUNT", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..))]
    top: u32,
    /// The search, with its budget of playouts or time for a decision [default: search:800; with --agent search:200]
    #[arg(long, value_name = "BOT")]
    bot: Option<String>,
    /// Print the figures as JSON
    #[arg(long)]
    json: bool,
}

/// The analysis of one decision of a record.
struct Analysed {
    ply: u32,
    seat: Seat,
    /// The action that the record has; None if another seat made the ply.
    played: Option<ActionId>,
    analysis: Analysis,
}

impl Analyse {
    pub(super) fn run(self, out: &mut impl Write) -> Done {
        let file = &*self.file;
        if let Some(agent) = &self.agent {
            let game = self.game.as_deref().map(|game| find(game).map(|rules| rules.info().id)).transpose();
            let query = agent::Query {
                folder: file,
                agent,
                game: game.map_err(CliError::usage)?,
                bot: self.bot.as_deref().unwrap_or("search:200"),
                top: self.top as usize,
                json: self.json,
                positions: self.positions.as_deref(),
            };
            return query.answer(out);
        }
        let record = read_record(file).map_err(CliError::Failed)?;
        let rules = record.setup.rules();
        let bot = search(rules, self.bot()).map_err(CliError::Usage)?;
        match self.at {
            Some(ply) => {
                let analysed = analyse_at(&record, ply, self.seat, bot).map_err(CliError::Usage)?;
                match self.json {
                    true => print_json("decision-analysis", as_json(&record, &analysed, bot), out),
                    false => show_decision(&record, &analysed, out),
                }
            }
            None => self.list(&record, bot, out),
        }
    }

    fn bot(&self) -> &str {
        self.bot.as_deref().unwrap_or("search:800")
    }

    /// Analyses every decision between several actions, and lists those that cost most.
    fn list(&self, record: &Record, bot: BotName, out: &mut impl Write) -> Done {
        let seats = record.setup.seats();
        let wrong = |index| CliError::Usage(format!("expected a seat from 0 to {}, got {index}", seats.count() - 1));
        let asked = self.seat.map(|index| seats.get(index).ok_or_else(|| wrong(index))).transpose()?;
        let mut decisions = Vec::new();
        let mut replay = Replay::new(record);
        for entry in &record.entries {
            if let Entry::Action { seat, id, .. } = *entry
                && asked.is_none_or(|asked| asked == seat)
            {
                decisions.extend(analysed(replay.referee(), seat, id, bot));
            }
            replay.step().expect("the record has this entry").map_err(CliError::failed)?;
        }
        let cost = |decision: &Analysed| decision.cost().unwrap_or(0.0);
        decisions.sort_by(|a, b| cost(b).total_cmp(&cost(a)).then(a.ply.cmp(&b.ply)));
        let count = decisions.len();
        decisions.truncate(self.top as usize);
        if self.json {
            let listed: Vec<Value> = decisions.iter().map(|decision| as_json(record, decision, bot)).collect();
            let value = json!({"bot": bot.to_string(), "decisions": count, "listed": listed});
            return print_json("record-analysis", value, out);
        }
        writeln!(out, "{} between several actions, by {bot}; those that cost most", counted(count, "decision"))?;
        writeln!(out, "  ply  seat    cost  points  played -> better")?;
        for decision in &decisions {
            let (played, best) = (decision.played_figures(), decision.choice());
            let points = played.map_or(0.0, |played| best.score - played.score);
            let text = |id| record.setup.rules().action_text(id).expect("legal actions have texts");
            let (Analysed { ply, seat, played, .. }, cost) = (decision, cost(decision));
            let (played, best) = (played.map_or_else(String::new, text), text(best.id));
            writeln!(out, "{ply:>5}  {seat:>4}  {cost:>6.3}  {points:>6.1}  {played} -> {best}")?;
        }
        Ok(())
    }
}

/// Analyses the open decision of a seat, which the record made with this action; None if only one action is legal.
fn analysed(referee: &Referee, seat: Seat, played: ActionId, bot: BotName) -> Option<Analysed> {
    if referee.legal_actions(seat).len() < 2 {
        return None;
    }
    let analyse = referee.analysis_of(bot, seat)?;
    Some(Analysed { ply: referee.plies() + 1, seat, played: Some(played), analysis: analyse(Cores::CallersPool) })
}

/// Analyses the decision that this ply made, or the decision that another seat had at that point.
fn analyse_at(record: &Record, ply: u32, seat: Option<usize>, bot: BotName) -> Result<Analysed, String> {
    let before = record.entries_before(ply)?;
    let mut replay = Replay::new(record);
    for _ in 0..before {
        replay.step().expect("the record has this entry").map_err(|error| error.to_string())?;
    }
    let to_act = replay.referee().to_act();
    let played = match record.entries[before] {
        Entry::Action { seat, id, .. } => Some((seat, id)),
        _ => None,
    };
    let seats = record.setup.seats();
    let seat = match (seat, played) {
        (Some(index), _) => {
            seats.get(index).ok_or_else(|| format!("expected a seat from 0 to {}, got {index}", seats.count() - 1))?
        }
        (None, Some((seat, _))) => seat,
        (None, None) => return Err(format!("expected the ply of a decision, got {ply}, which chance made")),
    };
    let analyse = replay.referee().analysis_of(bot, seat).ok_or_else(|| match to_act.is_empty() {
        true => format!("seat {seat} has nothing to decide at ply {ply}, which chance made"),
        false => format!("seat {seat} has nothing to decide at ply {ply}; seats to act: {to_act}"),
    })?;
    let played = played.filter(|&(by, _)| by == seat).map(|(_, id)| id);
    Ok(Analysed { ply, seat, played, analysis: analyse(Cores::CallersPool) })
}

impl Analysed {
    /// Returns the figures of the action that the search chose.
    fn choice(&self) -> &ActionAnalysis {
        self.analysis.of(self.analysis.choice).expect("the choice is legal")
    }

    /// Returns the figures of the action in the record; None if the search never tried it.
    fn played_figures(&self) -> Option<&ActionAnalysis> {
        self.analysis.of(self.played?).filter(|action| action.visits > 0)
    }

    /// Returns the mean utility that the played action lost against the choice of the search; None if the search never tried it.
    fn cost(&self) -> Option<f64> {
        Some(self.choice().mean - self.played_figures()?.mean)
    }
}

fn as_json(record: &Record, analysed: &Analysed, bot: BotName) -> Value {
    let rules = record.setup.rules();
    let text = |id: ActionId| rules.action_text(id);
    let Analysed { ply, seat, played, analysis } = analysed;
    let mut figures = analysis_table::analysis_json(rules, record.setup.seats(), analysis);
    figures["game"] = rules.info().id.into();
    figures["ply"] = (*ply).into();
    figures["seat"] = seat.index().into();
    figures["bot"] = bot.to_string().into();
    figures["played"] = played.and_then(text).into();
    figures["cost"] = analysed.cost().into();
    figures
}

fn show_decision(record: &Record, analysed: &Analysed, out: &mut impl Write) -> Done {
    let (rules, seats) = (record.setup.rules(), record.setup.seats().count());
    let text = |id: ActionId| rules.action_text(id).expect("legal actions have texts");
    let before = record.entries_before(analysed.ply).map_err(CliError::Usage)?;
    let table = Pages::new(record, Some(Viewer::Seat(analysed.seat))).table(before, false);
    let out = &mut Painted::new(out, Some(rules));
    writeln!(out, "{}, ply {}, seat {}", rules.info().title, analysed.ply, analysed.seat)?;
    writeln!(out, "\n{table}")?;
    if let Some(played) = analysed.played {
        let cost = analysed.cost().map_or_else(|| "not tried".to_owned(), |cost| format!("cost {cost:.3}"));
        writeln!(out, "played: {} ({cost})", text(played))?;
    }
    analysis_table::show(rules, seats, &analysed.analysis, out)
}
