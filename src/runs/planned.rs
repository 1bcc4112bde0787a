//! Games that the Python package plays for a run: it has the players, and keeps the records.

use std::collections::BTreeMap;
use std::path::Path;

use ahu_contest::PlannedGame;
use ahu_host::{BotName, Referee};
use serde_json::{Value, json};

use super::Folder;

/// Returns a game as JSON: the path for its record, its name in the log, the bots by seat, and a record of the match before its
/// first ply. `further` is an object with values of the command.
pub(crate) fn planned_json(folder: &Folder, name: &Path, game: PlannedGame, further: Value) -> Value {
    let PlannedGame { setup, seed, players, terms, .. } = game;
    let (game, seats) = (setup.rules().info().id, setup.seats().count());
    let options: BTreeMap<_, _> = setup.options().into_iter().collect();
    let bots: Vec<_> = players.iter().map(|player| player.bot.map(BotName::name)).collect();
    let mut planned = json!({
        "path": folder.0.join(name), "name": name, "game": game, "seats": seats, "options": options, "players": bots,
        "seed": seed, "record": Referee::before_the_first_ply(setup, seed, players, terms).record().to_text(),
    });
    if let (Value::Object(planned), Value::Object(further)) = (&mut planned, further) {
        planned.extend(further);
    }
    planned
}
