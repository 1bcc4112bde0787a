//! `ahu cup table`: shows the standings of a cup, ratings, and other statistics of its results.

use std::fmt::Write as _;
use std::io::Write;
use std::path::PathBuf;

use ahu_contest::blocks::MIN_BLOCKS;
use ahu_contest::cup::{AnnulledGame, Endings, GameReport, Report, SeatReport, Standing, Standings, State, Status};
use ahu_contest::statistics::Estimate;
use ahu_contest::suite::LanguageClaim;
use serde_json::{Value, json};

use super::wording::{HEAD, aligned, cells, cycle, endings_text, interval, percent, ranks, rule_name, share_interval};
use super::{CupArguments, ladder_table, ledgers, page};
use crate::files::output::{Replacing, is_standard};
use crate::{Done, print_json};

/// The name of the format of the table as JSON.
pub(super) const FORMAT: &str = "cup-table";
/// The number of agents that the progress of a run shows.
const BRIEF: usize = 10;
/// The maximum number of agents of a crosstable as text. More do not fit on a line.
const WIDEST: usize = 20;

/// Show the standings of a cup, also while it is played, with ratings, crosstable, cycles, seats, and endings
///
/// Ratings, seats, and differences are shown after 10 blocks: fewer say nothing yet. Names are shown in an anonymous cup
/// too: the table is the organiser's.
#[derive(Debug, clap::Args)]
pub(crate) struct Table {
    #[command(flatten)]
    cup: CupArguments,
    /// Print JSON
    #[arg(long, conflicts_with = "html")]
    json: bool,
    /// Write one page, which needs no other file and no script; its links lead to the records in the cup's folder; `-` is stdout
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    #[command(flatten)]
    replacing: Replacing,
}

impl Table {
    pub(super) fn run(self, out: &mut impl Write) -> Done {
        let folder = self.cup.read()?;
        let state = folder.state()?;
        let claims = ledgers::read(&folder.data, &state);
        match (&self.html, self.json) {
            (Some(path), _) => {
                let links = page::Links::between(path, &folder.data)?;
                let page = page::page(&state, &Report::of(&state), &claims, &links, &[]).into_string();
                self.replacing.write(path, page)?;
                if !is_standard(path) {
                    writeln!(out, "{} has the table", path.display())?;
                }
            }
            (None, true) => print_json(FORMAT, json(&state, &Report::of(&state), &claims), out)?,
            (None, false) => show(&state, &claims, out)?,
        }
        Ok(())
    }
}

pub(super) fn show(state: &State, claims: &[LanguageClaim], out: &mut impl Write) -> Done {
    let (games, done) = state.progress();
    writeln!(out, "{}: {done} of {games} games", state.cup.header.name)?;
    for (number, stage) in state.stages.iter().enumerate() {
        let info = &state.cup.stages[number];
        if stage.ladder.is_some() {
            ladder_table::show(state, out)?;
            continue;
        }
        for group in 0..stage.groups.len() {
            let of = if stage.groups.len() > 1 { format!(", group {}", group + 1) } else { String::new() };
            writeln!(out, "\nstage {}{of}: {}, {} seats", info.name, info.game, info.seats)?;
            let standings = Standings::of(state, number, group);
            let rows = standings.rows.iter().map(|row| cells(state, number, row));
            let rows: Vec<Vec<String>> = [HEAD.map(str::to_owned)].into_iter().chain(rows).map(Vec::from).collect();
            write!(out, "{}", aligned(&rows))?;
        }
    }
    let report = Report::of(state);
    for game in &report.games {
        show_ratings(state, game, out)?;
        show_crosstable(state, game, out)?;
    }
    for seats in &report.seats {
        show_seats(seats, out)?;
    }
    // Those of a ladder are in its own table.
    if report.endings.games > 0 || state.ladder().is_none() {
        show_endings(state, &report.endings, out)?;
    }
    if !claims.is_empty() {
        writeln!(out, "\nlanguage models, as their agents tell it; nothing proves it")?;
        let heads = ledgers::heads().into_iter().map(str::to_owned).collect();
        let rows: Vec<_> = [heads].into_iter().chain(claims.iter().map(ledgers::cells)).collect();
        write!(out, "{}", aligned(&rows))?;
    }
    for game in &state.annulled {
        let name = game.key.name(&state.cup.stages[game.key.stage]);
        writeln!(out, "annulled: game {name}, {}: {}", game.agents.join(", "), game.reason)?;
    }
    match &state.salt {
        Some(salt) => writeln!(out, "\nthe cup has ended; its salt is {}", salt.to_hex())?,
        None => writeln!(out, "\nthe cup has not ended")?,
    }
    Ok(())
}

fn show_ratings(state: &State, game: &GameReport, out: &mut impl Write) -> Done {
    let name = |agent: usize| state.name(game.rated.agents[agent]);
    let (rated, unrated): (Vec<_>, Vec<_>) = game.order.iter().copied().partition(|&agent| game.is_rated(agent));
    let anchor = name(game.ratings.anchor);
    writeln!(out, "\nratings in {}: Elo points above {anchor}, with 95 % intervals", game.rated.game)?;
    let rows = rated.into_iter().map(|agent| {
        let rating = &game.ratings.agents[agent];
        let interval = if agent == game.ratings.anchor { String::new() } else { interval(rating.elo()) };
        vec![name(agent).to_owned(), format!("{:+.0}", rating.elo().mean), interval, ranks(rating)]
    });
    write!(out, "{}", aligned(&rows.collect::<Vec<_>>()))?;
    if !unrated.is_empty() {
        let mut names: Vec<_> = unrated.into_iter().map(name).collect();
        names.sort_unstable();
        writeln!(out, "  no rating yet, with fewer than {MIN_BLOCKS} blocks: {}", names.join(", "))?;
    }
    Ok(())
}

fn show_crosstable(state: &State, game: &GameReport, out: &mut impl Write) -> Done {
    let name = |agent: usize| state.name(game.rated.agents[agent]);
    let agents = game.order.len();
    writeln!(out, "\ncrosstable of {}: pairs that the row won against the column, in percent", game.rated.game)?;
    if agents > WIDEST {
        writeln!(out, "  {agents} agents are too many for a line: --json and --html have it")?;
    } else {
        let head = [String::new(), "agent".to_owned()].into_iter().chain((1..=agents).map(|place| place.to_string()));
        let row = |(place, &agent): (usize, &usize)| {
            let cell = |&other: &usize| match &game.crosstable.cells[agent][other] {
                Some(cell) => format!("{:.0}{}", 100.0 * cell.share.mean, if cell.differs() { "*" } else { "" }),
                None => "-".to_owned(),
            };
            [(place + 1).to_string(), name(agent).to_owned()].into_iter().chain(game.order.iter().map(cell)).collect()
        };
        let rows: Vec<Vec<String>> =
            [head.collect()].into_iter().chain(game.order.iter().enumerate().map(row)).collect();
        write!(out, "{}", aligned(&rows))?;
        writeln!(
            out,
            "  * differs from 50, after Holm's correction for all pairs; tested from {MIN_BLOCKS} blocks on"
        )?;
    }
    for found in &game.crosstable.intransitive {
        writeln!(out, "  {}", cycle(state, game, found))?;
    }
    Ok(())
}

fn show_seats(seats: &SeatReport, out: &mut impl Write) -> Done {
    let (count, blocks) = (seats.shares.len(), seats.blocks());
    if (blocks as u64) < MIN_BLOCKS {
        return Ok(());
    }
    writeln!(
        out,
        "\nseats of {}: share of wins in {blocks} blocks, where {} is fair",
        seats.game,
        percent(seats.fair())
    )?;
    let row = |seat: usize| {
        let mark = if seats.differs(seat) { "* differs, after Holm's correction" } else { "" };
        vec![
            format!("seat {seat}"),
            percent(seats.shares[seat].mean),
            share_interval(&seats.shares[seat]),
            mark.to_owned(),
        ]
    };
    write!(out, "{}", aligned(&(0..count).map(row).collect::<Vec<_>>()))?;
    Ok(())
}

fn show_endings(state: &State, endings: &Endings, out: &mut impl Write) -> Done {
    writeln!(out, "\n{}", endings_text(endings))?;
    let rows = endings.forfeits.iter().map(|(&agent, causes)| {
        let sum: u64 = causes.values().sum();
        let causes: Vec<_> = causes.iter().map(|(cause, count)| format!("{count} {}", cause.name())).collect();
        vec![state.name(agent).to_owned(), sum.to_string(), causes.join(", ")]
    });
    write!(out, "{}", aligned(&rows.collect::<Vec<_>>()))?;
    Ok(())
}

/// Returns the first places in each group of the stage in progress, as text.
pub(super) fn brief(state: &State) -> String {
    let number = state.stage();
    let mut text = String::new();
    if let Some(ladder) = state.ladder().filter(|_| number == 0) {
        return ladder_table::brief(state, ladder, BRIEF);
    }
    for group in 0..state.stages.get(number).map_or(0, |stage| stage.groups.len()) {
        let standings = Standings::of(state, number, group);
        let rows = standings.rows.iter().take(BRIEF).map(|row| Vec::from(cells(state, number, row)));
        let _ = write!(text, "{}", aligned(&rows.collect::<Vec<_>>()));
    }
    text
}

pub(super) fn json(state: &State, report: &Report, claims: &[LanguageClaim]) -> Value {
    let (games, done) = state.progress();
    json!({
        "cup": state.cup.header.name,
        "games": games,
        "games_done": done,
        "has_ended": state.has_ended(),
        "salt_hash": state.salt_hash,
        "salt": state.salt.map(ahu_contest::cup::Salt::to_hex),
        "agents": state.agents.iter().enumerate().map(|(agent, _)| agent_json(state, agent)).collect::<Vec<_>>(),
        "stages": standings_json(state),
        "ladder": ladder_table::of(state).json(state),
        "ratings": report.games.iter().map(|game| game.ratings_json(state)).collect::<Vec<_>>(),
        "crosstables": report.games.iter().map(|game| game.crosstable_json(state)).collect::<Vec<_>>(),
        "seats": report.seats.iter().map(seats_json).collect::<Vec<_>>(),
        "endings": endings_json(state, &report.endings),
        "language": ledgers::as_json(claims),
        "annulled": state.annulled.iter().map(|game| annulled_json(state, game)).collect::<Vec<_>>(),
    })
}

pub(super) fn agent_json(state: &State, agent: usize) -> Value {
    let (status, reason) = match &state.agents[agent].status {
        Status::In => ("in", None),
        Status::Resting(reason) => ("resting", Some(reason.clone())),
        Status::Withdrawn(reason) => ("withdrawn", reason.clone()),
        Status::Disqualified(reason) => ("disqualified", Some(reason.clone())),
    };
    json!({
        "agent": state.name(agent), "owner": state.agents[agent].entrant.owner, "status": status, "reason": reason,
    })
}

fn annulled_json(state: &State, game: &AnnulledGame) -> Value {
    let AnnulledGame { key, attempt, agents, match_id, result, reason } = game;
    json!({
        "game": key.name(&state.cup.stages[key.stage]), "attempt": attempt, "agents": agents, "match": match_id,
        "had_ended": result.is_some(), "reason": reason,
    })
}

/// Returns the standings of all stages.
pub(super) fn standings_json(state: &State) -> Vec<Value> {
    let standing = |row: &Standing| {
        json!({
            "place": row.shown_place(), "agent": state.name(row.agent), "games": row.games,
            "pairs": row.pairs, "pairs_won": row.half_pairs as f64 / 2.0, "share": row.share(),
            "margin": (row.margin_games > 0).then(|| row.mean_margin()), "wins": row.wins, "forfeits": row.forfeits,
            "decided_by": row.decided_by.map(rule_name),
        })
    };
    let names = |agents: &[usize]| agents.iter().map(|&agent| state.name(agent).to_owned()).collect::<Vec<_>>();
    let of_stage = |(number, stage): (usize, &ahu_contest::cup::StageState)| {
        let groups = (0..stage.groups.len())
            .map(|group| Standings::of(state, number, group).rows.iter().map(standing).collect::<Vec<_>>());
        json!({
            "stage": state.cup.stages[number].name,
            "game": state.cup.stages[number].game,
            "seats": state.cup.stages[number].seats,
            "groups": groups.collect::<Vec<_>>(),
            "advance": stage.advance.as_deref().map(names),
            "by_lot": names(&stage.by_lot),
        })
    };
    state.stages.iter().enumerate().map(of_stage).collect()
}

fn seats_json(seats: &SeatReport) -> Value {
    let seat = |(seat, share): (usize, &Estimate)| json!({ "seat": seat, "share": share.mean, "low": share.low, "high": share.high, "differs": seats.differs(seat) });
    json!({
        "game": seats.game, "blocks": seats.blocks(), "fair": seats.fair(),
        "seats": seats.shares.iter().enumerate().map(seat).collect::<Vec<_>>(),
    })
}

fn endings_json(state: &State, endings: &Endings) -> Value {
    let forfeits = endings.forfeits.iter().map(|(&agent, causes)| {
        let causes: serde_json::Map<_, _> =
            causes.iter().map(|(cause, &count)| (cause.name().to_owned(), count.into())).collect();
        (state.name(agent).to_owned(), causes.into())
    });
    json!({
        "games": endings.games, "with_forfeit": endings.with_forfeit, "not_played": endings.not_played,
        "forfeits": forfeits.collect::<serde_json::Map<_, _>>(),
    })
}
