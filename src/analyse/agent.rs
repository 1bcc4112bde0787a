//! The cost of the decisions of one agent over many records, by kind of action and by phase.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

use ahu_core::parts::lines::counted;
use ahu_core::{Seat, Viewer};
use ahu_host::{DecidedBy, Entry, Record, Referee, Replay};
use rayon::prelude::*;
use serde_json::{Value, json};

use super::{analysed, search};
use crate::files::position::{self, Position};
use crate::files::record_source::{Content, Found, Readers, items};
use crate::terminal::progress::Count;
use crate::{CliError, Done, print_json};

/// The field of the observation that has the phase.
const PHASE: &str = "phase";

/// The question about an agent.
pub(super) struct Query<'a> {
    pub(super) folder: &'a Path,
    pub(super) agent: &'a str,
    /// Only records of this game; None for all games.
    pub(super) game: Option<&'a str>,
    /// The name of the search.
    pub(super) bot: &'a str,
    /// The number of decisions that are listed.
    pub(super) top: usize,
    pub(super) json: bool,
    /// The file that gets the listed decisions as positions; None for no file.
    pub(super) positions: Option<&'a Path>,
}

/// A decision of the agent.
struct Decision {
    /// The place of the record for people.
    place: String,
    /// The file of the record; None for a record in a data folder.
    file: Option<PathBuf>,
    ply: u32,
    seat: Seat,
    /// The first word of the action.
    kind: String,
    phase: &'static str,
    played: String,
    better: String,
    /// The mean utility that the action lost; None if the search never tried it.
    cost: Option<f64>,
    /// The mean points that it lost.
    points: f64,
}

/// The decisions of one kind or of one phase.
#[derive(Clone, Copy, Default)]
struct Sum {
    decisions: usize,
    cost: f64,
    points: f64,
}

/// The decisions of one game.
struct OfGame {
    records: usize,
    decisions: Vec<Decision>,
}

impl Query<'_> {
    pub(super) fn answer(&self, out: &mut impl Write) -> Done {
        let games = self.read()?;
        if games.is_empty() {
            let game = self.game.map_or_else(String::new, |game| format!(" of {game}"));
            return Err(CliError::Failed(format!(
                "expected records{game} with the player \"{}\" in {}, got none; `ahu records list {}` lists the players",
                self.agent,
                self.folder.display(),
                self.folder.display()
            )));
        }
        if let Some(path) = self.positions {
            let listed = games.values().flat_map(|game| game.worst(self.top));
            let positions: Vec<_> = listed.filter_map(Decision::position).collect();
            let count = positions.len();
            position::append(path, positions)?;
            if !self.json {
                writeln!(out, "{} added to {}", counted(count, "position"), path.display())?;
            }
        }
        if self.json {
            let games: Vec<_> = games.iter().map(|(id, game)| game.as_json(id, self.top)).collect();
            let value = json!({ "agent": self.agent, "bot": self.bot, "games": games });
            return print_json("agent-analysis", value, out);
        }
        for (id, game) in &games {
            game.show(id, self, out)?;
        }
        writeln!(
            out,
            "\ncost: the mean utility that the action lost against the choice of the search, from 0 to 1; the search errs too, \
             most where costs are small"
        )?;
        Ok(())
    }

    /// Reads and analyses all records, on all cores.
    fn read(&self) -> Result<BTreeMap<&'static str, OfGame>, CliError> {
        let (sources, all) = items(&[self.folder.to_owned()])?;
        let count = Count::up_to(all.len());
        let read = |readers: &mut Readers<'_>, item: &_| {
            let read = readers.read(item).and_then(|content| content.try_map(|found| self.decisions(&found)));
            count.add("records");
            read
        };
        let read: Vec<_> = all.par_iter().map_init(|| Readers::of(&sources), read).collect();
        count.clear();
        let mut games: BTreeMap<&'static str, OfGame> = BTreeMap::new();
        for content in read {
            let Content::Record((game, decisions)) = content.map_err(CliError::Failed)? else { continue };
            let of_game = games.entry(game).or_insert_with(|| OfGame { records: 0, decisions: Vec::new() });
            of_game.records += 1;
            of_game.decisions.extend(decisions);
        }
        Ok(games)
    }

    /// Analyses the decisions of the agent in a record; None if it did not play.
    fn decisions(&self, found: &Found) -> Result<Option<(&'static str, Vec<Decision>)>, String> {
        let Found { place, match_id, record, .. } = found;
        let is_own = |seat: Seat| record.players[seat.index()].name == self.agent;
        let is_asked = self.game.is_none_or(|asked| asked == record.game);
        if !is_asked || !record.seats.iter().any(is_own) {
            return Ok(None);
        }
        let record = &record.clone().with_rules().map_err(|error| format!("{place}: {error}"))?;
        let rules = record.setup.rules();
        let game = rules.info().id;
        let bot = search(rules, self.bot)?;
        let phases = Phases::of(record);
        let mut decisions = Vec::new();
        let mut replay = Replay::new(record);
        let in_place = |error: &dyn std::fmt::Display| format!("{place}: {error}");
        for entry in &record.entries {
            if let Entry::Action { seat, id, by: DecidedBy::Player, .. } = *entry
                && is_own(seat)
                && let Some(analysed) = analysed(replay.referee(), seat, id, bot)
            {
                let text = |id| rules.action_text(id).expect("legal actions have texts");
                let played = text(id);
                let points = analysed.played_figures().map_or(0.0, |own| analysed.choice().score - own.score);
                decisions.push(Decision {
                    place: place.clone(),
                    file: match_id.is_none().then(|| place.into()),
                    ply: analysed.ply,
                    seat,
                    kind: played.split(' ').next().unwrap_or_default().to_owned(),
                    phase: phases.phase(replay.referee(), seat),
                    better: text(analysed.choice().id),
                    played,
                    cost: analysed.cost(),
                    points,
                });
            }
            replay.step().expect("the record has this entry").map_err(|error| in_place(&error))?;
        }
        Ok(Some((game, decisions)))
    }
}

/// The field of the observation that tells the phase of a game.
struct Phases {
    /// The offset of its first bit, and the names of its values; None in a game without phases.
    field: Option<(usize, &'static [&'static str])>,
    /// The numbers of words and numbers of an observation.
    size: (usize, usize),
}

impl Phases {
    fn of(record: &Record) -> Self {
        let rules = record.setup.rules();
        let (bits, numbers) = rules.observation_size();
        let field = rules.layout().bits.into_iter().find(|(_, field)| field.name == PHASE);
        Self { field: field.map(|(offset, field)| (offset, field.values)), size: (bits.div_ceil(64), numbers) }
    }

    /// Returns the phase as the seat observes it.
    fn phase(&self, referee: &Referee, seat: Seat) -> &'static str {
        let Some((offset, names)) = self.field else { return "-" };
        let (mut bits, mut numbers) = (vec![0; self.size.0], vec![0; self.size.1]);
        referee.view(Viewer::Seat(seat)).write(&mut bits, &mut numbers);
        let is_set = |bit: usize| bits[bit / 64] >> (bit % 64) & 1 == 1;
        names.iter().enumerate().find(|(value, _)| is_set(offset + value)).map_or("-", |(_, name)| name)
    }
}

impl Decision {
    /// Returns the position as a test that the agent must not do the same again; None for a record in a data folder, or if the
    /// search found nothing better.
    fn position(&self) -> Option<Position> {
        let cost = self.cost.filter(|&cost| cost > 0.0)?;
        Some(Position {
            record: self.file.clone()?,
            ply: self.ply,
            seat: Some(self.seat.index()),
            one_of: Vec::new(),
            none_of: vec![self.played.clone()],
            note: format!("cost {cost:.3}; better: {}", self.better),
        })
    }

    /// Returns the command that analyses the position.
    fn command(&self) -> String {
        match &self.file {
            Some(file) => format!("ahu analyse {} --at {}", shell_word(&file.display().to_string()), self.ply),
            None => format!("{}, ply {}", self.place, self.ply),
        }
    }
}

/// Quotes a word for a shell, if it has to be quoted.
fn shell_word(word: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "/._-+@:,=".contains(letter);
    if word.chars().all(is_plain) { word.to_owned() } else { format!("'{}'", word.replace('\'', "'\\''")) }
}

impl OfGame {
    /// Returns the decisions that cost most, the worst first.
    fn worst(&self, most: usize) -> impl Iterator<Item = &Decision> {
        let mut worst: Vec<_> = self.decisions.iter().filter(|decision| decision.cost.is_some()).collect();
        worst.sort_by(|a, b| b.cost.unwrap_or(0.0).total_cmp(&a.cost.unwrap_or(0.0)));
        worst.into_iter().take(most)
    }

    /// Sums the decisions by a word, the largest cost first.
    fn by<'a>(&'a self, word: impl Fn(&'a Decision) -> &'a str) -> Vec<(&'a str, Sum)> {
        let mut sums: BTreeMap<&str, Sum> = BTreeMap::new();
        for decision in &self.decisions {
            let sum = sums.entry(word(decision)).or_default();
            sum.decisions += 1;
            sum.cost += decision.cost.unwrap_or(0.0);
            sum.points += decision.points;
        }
        let mut sums: Vec<_> = sums.into_iter().collect();
        sums.sort_by(|(_, a), (_, b)| b.cost.total_cmp(&a.cost));
        sums
    }

    fn untried(&self) -> usize {
        self.decisions.iter().filter(|decision| decision.cost.is_none()).count()
    }

    fn cost(&self) -> f64 {
        self.decisions.iter().filter_map(|decision| decision.cost).sum()
    }

    fn show(&self, id: &str, query: &Query<'_>, out: &mut impl Write) -> Done {
        let Self { records, decisions } = self;
        let (records, games) = (*records as f64, *records);
        writeln!(
            out,
            "\n{} in {games} games of {id}: {} decisions between several actions, by {}; they cost {:.3} a game",
            query.agent,
            decisions.len(),
            query.bot,
            self.cost() / records
        )?;
        if self.untried() > 0 {
            writeln!(out, "  the search never tried {} of the actions, so their cost is unknown", self.untried())?;
        }
        for (title, sums) in [("kind of action", self.by(|own| &own.kind)), ("phase", self.by(|own| own.phase))] {
            writeln!(out, "\n  {title:<18} decisions  cost each  cost a game   share  points a game")?;
            for (word, Sum { decisions, cost, points }) in sums {
                let share = if self.cost() > 0.0 { 100.0 * cost / self.cost() } else { 0.0 };
                writeln!(
                    out,
                    "  {word:<18} {decisions:>9}  {:>9.4}  {:>11.3}  {share:>4.0} %  {:>13.1}",
                    cost / decisions as f64,
                    cost / records,
                    points / records
                )?;
            }
        }
        writeln!(out, "\n  the decisions that cost most")?;
        for decision in self.worst(query.top) {
            let Decision { cost, points, played, better, .. } = decision;
            writeln!(out, "  {:>6.3}  {points:>6.1} points  {played} -> {better}", cost.unwrap_or(0.0))?;
            writeln!(out, "          {}", decision.command())?;
        }
        Ok(())
    }

    fn as_json(&self, id: &str, top: usize) -> Value {
        let sum = |(word, sum): (&str, Sum)| {
            let Sum { decisions, cost, points } = sum;
            json!({ "name": word, "decisions": decisions, "cost": cost, "points": points })
        };
        let decision = |decision: &Decision| {
            let Decision { place, ply, seat, kind, phase, played, better, cost, points, .. } = decision;
            json!({
                "record": place, "ply": ply, "seat": seat.index(), "kind": kind, "phase": phase, "played": played,
                "better": better, "cost": cost, "points": points, "command": decision.command(),
            })
        };
        json!({
            "game": id, "records": self.records, "decisions": self.decisions.len(), "untried": self.untried(),
            "cost": self.cost(), "kinds": self.by(|own| &own.kind).into_iter().map(sum).collect::<Vec<_>>(),
            "phases": self.by(|own| own.phase).into_iter().map(sum).collect::<Vec<_>>(),
            "listed": self.worst(top).map(decision).collect::<Vec<_>>(),
        })
    }
}
