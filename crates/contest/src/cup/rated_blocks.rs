//! The blocks of a cup as the ratings read them.

use super::game_result::GameResult;
use super::state::State;
use crate::blocks::{Block, GameOutcome, PlayedGame, Seating};
use crate::ratings::Results;

/// The blocks of one game, from all stages: the tables whose games have all ended.
#[derive(Clone, Debug)]
pub struct RatedBlocks {
    /// The id of the game.
    pub game: String,
    /// The agents that played, as numbers in the cup. Ratings number an agent by its index here.
    pub agents: Vec<usize>,
    /// The blocks, in the order of stages and tables.
    pub results: Results,
}

impl RatedBlocks {
    /// Returns the blocks of each game of the cup. A table counts only if no agent had left the cup in any of its games:
    /// otherwise the stand-in played, or nobody.
    pub fn of(state: &State) -> Vec<Self> {
        let mut games: Vec<&str> = Vec::new();
        for stage in &state.cup.stages {
            if !games.contains(&stage.game.as_str()) {
                games.push(&stage.game);
            }
        }
        games.into_iter().filter_map(|game| Self::of_game(state, game)).collect()
    }

    fn of_game(state: &State, game: &str) -> Option<Self> {
        let stages = state.stages.iter().zip(&state.cup.stages).filter(|(_, stage)| stage.game == game);
        let tables = stages.flat_map(|(stage, info)| stage.tables.iter().map(move |table| (info, table)));
        let mut blocks = Vec::new();
        let mut agents: Vec<usize> = Vec::new();
        for (stage, table) in tables {
            // The players of a block are numbered as the agents of its table.
            let game = |(seating, result): (Seating, &Option<GameResult>)| {
                let result = result.as_ref()?;
                let outcome = GameOutcome::Finished(result.match_result()?);
                Some(PlayedGame { seating, outcome, decisions: result.decisions, times: Vec::new() })
            };
            let seatings = stage.seatings(table.agents.len()).into_iter();
            if let Some(games) = seatings.zip(&table.results).map(game).collect() {
                agents.extend(&table.agents);
                blocks.push((Block { number: blocks.len() as u64, games }, table.agents.clone()));
            }
        }
        agents.sort_unstable();
        agents.dedup();
        let mut results = Results::new(agents.len());
        for (block, table) in &blocks {
            let numbers: Vec<_> =
                table.iter().filter_map(|agent| agents.iter().position(|other| other == agent)).collect();
            results.add(block, &numbers).expect("whole blocks of agents of the cup");
        }
        (results.blocks() > 0).then(|| Self { game: game.to_owned(), agents, results })
    }

    /// Returns the index of the anchor in `agents`; 0, the first agent, if the anchor of the cup did not play.
    pub fn anchor(&self, state: &State) -> usize {
        let anchor = state.cup.header.anchor.as_deref();
        self.agents.iter().position(|&agent| Some(state.name(agent)) == anchor).unwrap_or(0)
    }
}
