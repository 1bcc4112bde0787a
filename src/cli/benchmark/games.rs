//! The games that are left, for a host of agents that is not this program: the Python package.

use ahu::suite::{AgentClaim, GamePlace, Plan};
use ahu_engine::host::{PlannedGame, Referee};
use serde_json::{Value, json};

use super::folder::Folder;
use crate::cli::CliError;

/// Returns the games as JSON. Each has the path of its record, and the record of the match before its first ply.
pub(super) fn json(plan: &Plan, agent: &AgentClaim, folder: &Folder, places: &[GamePlace]) -> Result<Value, CliError> {
    let game = |&place: &GamePlace| -> Result<Value, CliError> {
        let PlannedGame { setup, seed, players, terms, .. } = plan.game(agent, place).map_err(CliError::Usage)?;
        let cell = &plan.suite.cells[place.cell];
        let bots: Vec<_> = players.iter().map(|player| player.bot.map(ahu_engine::host::BotName::name)).collect();
        let (game, seats) = (setup.rules().info().id, setup.seats().count());
        let record = Referee::before_the_first_ply(setup, seed, players, terms).record();
        Ok(json!({
            "path": folder.record(plan, place), "run": place.run, "cell": cell.name, "block": place.block,
            "game": game, "seats": seats, "options": cell.options(), "players": bots,
            "seat": plan.seat(place).index(), "seed": seed.0, "record": record.to_text(),
        }))
    };
    let games = places.iter().map(game).collect::<Result<Vec<_>, _>>()?;
    Ok(json!({ "suite": plan.suite.title(plan.first), "games": games }))
}
