//! `ahu cup influence`: looks for agents that may have helped others.

use std::io::Write;

use ahu_contest::blocks::MIN_BLOCKS;
use ahu_contest::cup::{GameKey, GameReport, Gift, GiftRate, Kingmaking, Report, State, last_decisions};
use ahu_contest::ratings::Finding;
use ahu_host::{BotName, STAND_IN};
use rayon::iter::{IntoParallelRefIterator as _, ParallelIterator as _};
use serde_json::{Value, json};

use super::CupArguments;
use super::folder::CupFolder;
use super::wording::{aligned, percent};
use crate::files::record_file::read_record;
use crate::terminal::progress::Count;
use crate::{CliError, Done};

/// The number of gifts that the text lists. The JSON has all of them.
const LISTED: usize = 20;

/// The explanation of findings on results.
pub(super) const CAVEAT: &str = "The test finds results that the ratings do not explain. It does not tell a gift from a style: an agent whose play \
     happens to suit another is found as well, and strong gifts also move the ratings, so that more agents at the same \
     tables are found. Somebody has to look at the games.";

/// The explanation of gifts.
const GIFTS: &str = "A gift is one of the last 5 decisions of a seat after which it ends worse than after its best action in 8 of 8 \
                     playouts, while exactly one other seat gains. The playouts know all hidden facts, which the agent did \
                     not, so that weak and unlucky agents make gifts without intent: look at those that one agent makes to \
                     one other.";

/// The usual shares of gifts among last decisions. `benches/influence.md` has the command that measures them.
const USUAL: &str =
    "Usual among honest bots, by game: 0.1 to 8 % of the last decisions of greedy, 2 to 10 % of those of random.";

/// Look for agents that may have helped others, at tables of three seats or more
///
/// First, the results: does an agent score better with another at the table than the ratings let expect? Second,
/// kingmaking: last moves that cost the mover and lift one other, from the records of all games. Both tests are corrected
/// for all pairs of agents: in 5 % of honest cups at most does either find anybody.
#[derive(Debug, clap::Args)]
pub(crate) struct Influence {
    #[command(flatten)]
    cup: CupArguments,
    /// Compare the last decisions of this many games, spread evenly over all, instead of all
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u64).range(1..))]
    games: Option<u64>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Influence {
    pub(super) fn run(self, out: &mut impl Write) -> Done {
        let folder = self.cup.read()?;
        let state = folder.state()?;
        let report = Report::of(&state);
        let kingmaking = kingmaking(&folder, &state, self.games)?;
        match self.json {
            true => writeln!(out, "{:#}", json(&state, &report, &kingmaking))?,
            false => show(&state, &report, &kingmaking, out)?,
        }
        Ok(())
    }
}

/// Compares the last decisions of games at tables of three seats or more; with `most`, of at most this many games, spread evenly.
fn kingmaking(folder: &CupFolder, state: &State, most: Option<u64>) -> Result<Kingmaking, CliError> {
    let mut games = Vec::new();
    for (stage, info) in state.cup.stages.iter().enumerate().filter(|(_, info)| info.seats >= 3) {
        let setup = info.setup().map_err(CliError::Failed)?;
        // A stand-in that searches would take hours: use a quick bot.
        let quick = |name: &str| setup.rules().bot(name).ok().filter(|bot| bot.is_quick());
        let bot =
            quick(&state.cup.conduct.stand_in).or_else(|| quick(STAND_IN)).expect("every game has the bot greedy");
        let played = state.results().filter(|(_, result)| result.match_id.is_some() && !result.has_left());
        games.extend(played.filter(|(key, _)| key.stage == stage).map(|(key, _)| (key, bot)));
    }
    if let Some(most) = most.map(|most| most as usize).filter(|&most| most < games.len()) {
        games = (0..most).map(|index| games[index * games.len() / most]).collect();
    }
    let count = Count::up_to(games.len());
    let look = |&(key, bot): &(GameKey, BotName)| {
        let path = folder.record(state, key);
        let record = read_record(&path)?;
        let found = last_decisions(&record, bot).map_err(|error| format!("{}: {error}", path.display()))?;
        count.add("games");
        Ok((key, found))
    };
    let found: Result<Vec<_>, String> = games.par_iter().map(look).collect();
    count.clear();
    Ok(Kingmaking::of(state, found.map_err(CliError::Failed)?))
}

/// Returns the suspicious findings on results in one game, as sentences.
pub(super) fn findings(state: &State, game: &GameReport) -> Vec<String> {
    let name = |agent: usize| state.name(game.rated.agents[agent]);
    let text = |finding: &Finding| {
        let [share, expected] = [finding.share, finding.expected].map(percent);
        format!(
            "{}: {} won {share} of its pairs in {} blocks with {} at the table; the ratings let expect {expected} \
             ({:.1} deviations, p = {:.4} after correction)",
            game.rated.game,
            name(finding.agent),
            finding.blocks,
            name(finding.giver),
            finding.deviations,
            finding.p_value
        )
    };
    game.influence().suspicious().map(text).collect()
}

fn show(state: &State, report: &Report, kingmaking: &Kingmaking, out: &mut impl Write) -> Done {
    if state.cup.stages.iter().all(|stage| stage.seats < 3) {
        writeln!(out, "every table has two seats: nobody there can help a third")?;
        return Ok(());
    }
    writeln!(out, "results: does an agent score better with another at the table than the ratings let expect?")?;
    for game in &report.games {
        let influence = game.influence();
        if influence.findings.is_empty() && influence.untested == 0 {
            continue;
        }
        writeln!(
            out,
            "  {}: {} ordered pairs of agents were tested; {} met too seldom, or always: a test needs {MIN_BLOCKS} blocks \
             with the other and {MIN_BLOCKS} without",
            game.rated.game,
            influence.findings.len(),
            influence.untested
        )?;
        for finding in findings(state, game) {
            writeln!(out, "  {finding}")?;
        }
        if !influence.findings.is_empty() && influence.suspicious().next().is_none() {
            writeln!(out, "  {}: no agent scores better with another than expected", game.rated.game)?;
        }
    }
    writeln!(out, "  {CAVEAT}")?;
    show_kingmaking(state, kingmaking, out)
}

fn show_kingmaking(state: &State, kingmaking: &Kingmaking, out: &mut impl Write) -> Done {
    let Kingmaking { games, decisions, gifts, rates } = kingmaking;
    writeln!(
        out,
        "\nkingmaking: {} gifts among {decisions} last decisions in {games} games, {}",
        gifts.len(),
        rate(gifts.len() as u64, *decisions)
    )?;
    writeln!(out, "  {GIFTS} {USUAL}")?;
    for found in kingmaking.suspicious() {
        writeln!(out, "  {}", rate_text(state, found))?;
    }
    if !rates.is_empty() && kingmaking.suspicious().next().is_none() {
        writeln!(out, "  nobody makes gifts to one agent more often than to others")?;
    }
    if !gifts.is_empty() {
        let row = |gift: &Gift| {
            let (decision, cost) = (&gift.decision, &gift.cost);
            vec![
                game(state, gift.key),
                decision.ply.to_string(),
                format!("{} lifts {}", state.name(gift.mover), state.name(gift.lifted)),
                format!("{:+.1} places, {:+.1} points", -cost.places, -cost.points),
                format!("{} instead of {}", decision.action, decision.best),
            ]
        };
        let head = ["game", "ply", "gift", "for the mover", "action"].map(str::to_owned);
        let rows: Vec<_> = [Vec::from(head)].into_iter().chain(gifts.iter().take(LISTED).map(row)).collect();
        write!(out, "{}", aligned(&rows))?;
        if gifts.len() > LISTED {
            writeln!(out, "  {} more are in --json", gifts.len() - LISTED)?;
        }
    }
    Ok(())
}

fn game(state: &State, key: GameKey) -> String {
    key.name(&state.cup.stages[key.stage])
}

fn rate(gifts: u64, of: u64) -> String {
    if of == 0 { "none to be seen".to_owned() } else { percent(gifts as f64 / of as f64) }
}

fn rate_text(state: &State, found: &GiftRate) -> String {
    let [mover, lifted] = [found.mover, found.lifted].map(|agent| state.name(agent));
    format!(
        "{mover} made gifts to {lifted} in {} of {} games in which it could ({}), and to others in {} of {} ({}); p = {:.4} \
         after correction",
        found.gifts,
        found.games,
        rate(found.gifts, found.games),
        found.other_gifts,
        found.other_games,
        rate(found.other_gifts, found.other_games),
        found.p_value
    )
}

fn json(state: &State, report: &Report, kingmaking: &Kingmaking) -> Value {
    let results = report.games.iter().map(|game| {
        let name = |agent: usize| state.name(game.rated.agents[agent]);
        let influence = game.influence();
        let finding = |finding: &Finding| {
            json!({
                "agent": name(finding.agent), "giver": name(finding.giver), "blocks": finding.blocks,
                "share": finding.share, "expected": finding.expected, "deviations": finding.deviations,
                "p_value": finding.p_value, "suspicious": finding.is_suspicious(),
            })
        };
        json!({
            "game": game.rated.game, "untested": influence.untested,
            "findings": influence.findings.iter().map(finding).collect::<Vec<_>>(),
        })
    });
    let gift = |gift: &Gift| {
        json!({
            "game": game(state, gift.key), "ply": gift.decision.ply, "mover": state.name(gift.mover),
            "lifted": state.name(gift.lifted), "action": gift.decision.action, "best": gift.decision.best,
            "places_lost": gift.cost.places, "points_lost": gift.cost.points, "places_gained": gift.cost.gain,
        })
    };
    let rate = |rate: &GiftRate| {
        json!({
            "mover": state.name(rate.mover), "lifted": state.name(rate.lifted), "games": rate.games, "gifts": rate.gifts,
            "other_games": rate.other_games, "other_gifts": rate.other_gifts, "p_value": rate.p_value,
            "suspicious": rate.is_suspicious(),
        })
    };
    json!({
        "results": results.collect::<Vec<_>>(),
        "kingmaking": {
            "games": kingmaking.games, "decisions": kingmaking.decisions,
            "gifts": kingmaking.gifts.iter().map(gift).collect::<Vec<_>>(),
            "rates": kingmaking.rates.iter().map(rate).collect::<Vec<_>>(),
        },
    })
}
