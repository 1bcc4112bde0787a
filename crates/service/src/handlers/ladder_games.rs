//! The games of a ladder that a server can tell: those in progress, and the last ones of each agent.

use ahu_contest::cup::{OpenGame, PlayedBefore, State};
use ahu_host::Cause;
use ahu_host::api::terms;

use crate::proto::cup;
use crate::proto::v1;

/// Returns the last games of an agent, the oldest first, and then its games in progress; for an empty name all in progress.
pub(super) fn of_ladder(state: &State, agent: &str) -> Vec<cup::CupGame> {
    let Some(ladder) = state.ladder() else { return Vec::new() };
    let agent = Some(agent).filter(|agent| !agent.is_empty()).and_then(|agent| state.number(agent).ok());
    let recent = agent.into_iter().flat_map(|agent| ladder.agents[agent].recent.iter().rev());
    let is_asked = |open: &OpenGame| agent.is_none_or(|agent| open.agents.contains(&agent));
    let open =
        ladder.open.iter().filter(|(_, open)| is_asked(open)).map(|(&game, open)| in_progress(state, game, open));
    recent.map(|game| ended(state, game)).chain(open).collect()
}

fn of_number(state: &State, number: usize, agents: &[usize]) -> cup::CupGame {
    cup::CupGame {
        stage: state.cup.stages[0].name.clone(),
        table: number as u32,
        agents: agents.iter().map(|&agent| state.public_name(agent)).collect(),
        ..Default::default()
    }
}

fn in_progress(state: &State, number: usize, open: &OpenGame) -> cup::CupGame {
    let game_state = match open.started {
        Some(_) => cup::CupGameState::Started,
        None => cup::CupGameState::Waiting,
    };
    let match_id = open.started.clone().unwrap_or_default();
    cup::CupGame { state: game_state.into(), match_id, ..of_number(state, number, &open.agents) }
}

fn ended(state: &State, game: &PlayedBefore) -> cup::CupGame {
    let forfeit = |(seat, name): (usize, &String)| {
        let cause = Cause::ALL.iter().find(|cause| cause.name() == name).map(|&cause| terms::cause(cause));
        let cause = cause.unwrap_or(v1::Cause::Unspecified).into();
        (!name.is_empty()).then_some(v1::Forfeit { seat: Some(seat as u32), cause })
    };
    cup::CupGame {
        state: cup::CupGameState::Finished.into(),
        match_id: game.match_id.clone(),
        scores: game.scores.clone(),
        ranks: game.ranks.iter().map(|&rank| rank.into()).collect(),
        forfeits: game.forfeits.iter().enumerate().filter_map(forfeit).collect(),
        ..of_number(state, game.game, &game.agents)
    }
}
