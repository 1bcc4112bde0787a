//! The handlers of `CupService`: the cups that a server shows, read from their journals, and practice for their agents.

use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use ahu_contest::cup::{
    AgentState, AnnulledGame, Entrant, Forfeit, GameKey, GameResult, Player, Salt, Standing, State,
    Status as AgentStatus,
};
use ahu_host::api::{ApiError, terms};
use ahu_host::record::check_new_name;
use ahu_host::{check_file_name, ensure};
use prost::Message as _;
use tonic::Request;

use super::request_fields::{self, agent_key, check_code};
use super::{Handled, Paging, ladder_games};
use crate::accounts::{Account, AccountId, Client};
use crate::cups::{Asked, CupReader, Cups, Kind};
use crate::limits::{MAX_STEM, MAX_WAIT};
use crate::organiser::CupId;
use crate::proto::cup::{self, cup_service_server::CupService};
use crate::proto::v1;
use crate::refusals;
use crate::status::{self, Answer};

#[tonic::async_trait]
impl CupService for Cups {
    async fn list_cups(&self, asked: Request<cup::ListCupsRequest>) -> Answer<cup::ListCupsResponse> {
        status::answer(async {
            let cup::ListCupsRequest { page_size, page_token } = asked.into_inner();
            let paging = Paging::read(page_size, &page_token, b"cups")?;
            let mut found = self.from(paging.first.unwrap_or(0), paging.size + 1);
            let next = found.get(paging.size).map(|first| paging.token(first.id().number()));
            found.truncate(paging.size);
            Ok(cup::ListCupsResponse { cups: described(found).await, next_page_token: next.unwrap_or_default() })
        })
        .await
    }

    async fn get_cup(&self, asked: Request<cup::GetCupRequest>) -> Answer<cup::GetCupResponse> {
        status::answer(async {
            let state = self.find(&asked.into_inner().cup_id)?.state().await?;
            Ok(cup::GetCupResponse { cup: Some(cup(&state)) })
        })
        .await
    }

    async fn list_cup_agents(&self, asked: Request<cup::ListCupAgentsRequest>) -> Answer<cup::ListCupAgentsResponse> {
        status::answer(async {
            let cup::ListCupAgentsRequest { cup_id, page_size, page_token } = asked.into_inner();
            let state = self.find(&cup_id)?.state().await?;
            let paging = Paging::read(page_size, &page_token, format!("agents {cup_id}").as_bytes())?;
            let (agents, next_page_token) = paging.page(state.agents.iter().map(|one| agent(&state, one)));
            Ok(cup::ListCupAgentsResponse { agents, next_page_token })
        })
        .await
    }

    async fn list_standings(&self, asked: Request<cup::ListStandingsRequest>) -> Answer<cup::ListStandingsResponse> {
        status::answer(async {
            let asked = asked.into_inner();
            let (state, tables) = self.find(&asked.cup_id)?.tables().await?;
            standings_page(&state, &tables.standings, asked)
        })
        .await
    }

    async fn list_cup_games(&self, asked: Request<cup::ListCupGamesRequest>) -> Answer<cup::ListCupGamesResponse> {
        status::answer(async {
            let asked = asked.into_inner();
            games(&*self.find(&asked.cup_id)?.state().await?, asked)
        })
        .await
    }

    async fn read_journal(&self, asked: Request<cup::ReadJournalRequest>) -> Answer<cup::ReadJournalResponse> {
        status::answer(async {
            let caller = self.caller(&asked).ok();
            let cup::ReadJournalRequest { cup_id, offset } = asked.into_inner();
            let reader = self.find(&cup_id)?;
            let is_own = caller.is_some() && caller == self.owner(reader.id());
            Ok(cup::ReadJournalResponse { part: reader.part(offset, is_own).await?.into() })
        })
        .await
    }

    async fn enter_cup(&self, asked: Request<cup::EnterCupRequest>) -> Answer<cup::EnterCupResponse> {
        status::answer(async {
            let client = Client::of(asked.extensions());
            let cup::EnterCupRequest { cup_id, agent, games_at_once, request_id, wait } = asked.into_inner();
            let games_at_once = games_at_once.max(1);
            let asked = Asked { kind: Kind::Enter, agent, games_at_once, request: request_id };
            let agent = self.account_call(&cup_id, &client, asked, wait).await?;
            Ok(cup::EnterCupResponse { agent })
        })
        .await
    }

    async fn leave_cup(&self, asked: Request<cup::LeaveCupRequest>) -> Answer<cup::LeaveCupResponse> {
        status::answer(async {
            let client = Client::of(asked.extensions());
            let cup::LeaveCupRequest { cup_id, agent, request_id, wait } = asked.into_inner();
            let asked = Asked { kind: Kind::Leave, agent, games_at_once: 0, request: request_id };
            Ok(cup::LeaveCupResponse { agent: self.account_call(&cup_id, &client, asked, wait).await? })
        })
        .await
    }

    async fn wake_agent(&self, asked: Request<cup::WakeAgentRequest>) -> Answer<cup::WakeAgentResponse> {
        status::answer(async {
            let client = Client::of(asked.extensions());
            let cup::WakeAgentRequest { cup_id, agent, request_id, wait } = asked.into_inner();
            let asked = Asked { kind: Kind::Wake, agent, games_at_once: 0, request: request_id };
            Ok(cup::WakeAgentResponse { agent: self.account_call(&cup_id, &client, asked, wait).await? })
        })
        .await
    }

    async fn practise(&self, asked: Request<cup::PractiseRequest>) -> Answer<cup::PractiseResponse> {
        status::answer(async {
            self.matches().refuse_if_closing()?;
            let client = Client::of(asked.extensions());
            let seats = self.matches().seats_of(agent_key(asked.metadata())?, &client, "", Duration::ZERO).await?;
            let cup::PractiseRequest { practice_id } = asked.into_inner();
            check_code("practice_id", &practice_id)?;
            seats.practise(self.matches(), &client, &practice_id)
        })
        .await
    }
}

/// The interval at which a call that waits for the run of a ladder reads its journal.
const LOOK: Duration = Duration::from_millis(500);
/// The maximum number of games at once that an account may ask for.
const MAX_AT_ONCE: u32 = 100;

impl Cups {
    /// Keeps a call of an account for a ladder, and waits until the run of the ladder has taken it. Returns the name of the
    /// agent; empty if the run has not taken the call yet.
    async fn account_call(
        &self,
        cup_id: &str,
        client: &Client,
        asked: Asked,
        wait: Option<prost_types::Duration>,
    ) -> Handled<String> {
        self.matches().refuse_if_closing()?;
        let account = &client.identity().ok_or_else(refusals::no_key)?.account;
        let hosted = self.of_organiser(cup_id)?;
        check_code("request_id", &asked.request)?;
        let state = hosted.reader.state().await?;
        let is_open = state.ladder().is_some() && state.stage() == 0 && !state.has_ended();
        let wrong = |message: String| Err(ApiError::bad_field("cup_id", message));
        if !is_open {
            return wrong("expected a cup whose ladder is in progress".to_owned());
        }
        match asked.kind {
            Kind::Enter => check_entry(&asked)?,
            Kind::Leave | Kind::Wake => {
                let number = state.number(&asked.agent).map_err(|message| ApiError::bad_field("agent", message))?;
                check_owner(&state.agents[number].entrant, account)?;
            }
        }
        let (kind, agent) = (asked.kind, asked.agent.clone());
        let (account_id, owner, kept) = (account.id, Arc::clone(account), Arc::clone(&hosted));
        let number =
            tokio::task::spawn_blocking(move || kept.call(&owner, asked)).await.map_err(|_| refusals::failed())??;
        let deadline = Instant::now() + request_fields::duration(wait).min(MAX_WAIT);
        loop {
            let state = hosted.reader.state().await?;
            if state.called >= number {
                return match state.refusal(number) {
                    Some(reason) => Err(refusals::entry_refused(reason)),
                    None if kind == Kind::Enter => Ok(newest_of(&state, account_id, &agent)),
                    None => Ok(agent),
                };
            }
            if Instant::now() >= deadline {
                return Ok(String::new());
            }
            let look = async {
                tokio::time::sleep(LOOK).await;
                Ok(())
            };
            self.matches().wait(look).await?;
        }
    }
}

/// Checks an entry as far as the server can.
fn check_entry(asked: &Asked) -> Handled<()> {
    let name = |message| Err(ApiError::bad_field("agent", message));
    let checked = check_file_name(&asked.agent, MAX_STEM, "._:+-");
    // A version of a bot is a bot.
    if let Err(message) = checked.and_then(|()| check_new_name(&format!("{}@1", asked.agent))) {
        return name(message);
    }
    ensure(asked.games_at_once <= MAX_AT_ONCE, || {
        let message = format!("expected at most {MAX_AT_ONCE} games at once, got {}", asked.games_at_once);
        ApiError::bad_field("games_at_once", message)
    })
}

/// Refuses an agent that another account has entered.
fn check_owner(entrant: &Entrant, account: &Account) -> Handled<()> {
    match &entrant.player {
        Player::Remote { account: Some(id), .. } if *id == account.id.to_string() => Ok(()),
        _ => {
            let message = format!("expected an agent of the account, got \"{}\"", entrant.name);
            Err(ApiError::bad_field("agent", message))
        }
    }
}

/// Returns the name of the newest version of an account's agent.
fn newest_of(state: &State, account: AccountId, agent: &str) -> String {
    let account = account.to_string();
    let is_it = |entrant: &&Entrant| {
        matches!(&entrant.player, Player::Remote { account: Some(id), .. } if *id == account)
            && entrant.name.split_once('@').is_some_and(|(stem, _)| stem == agent)
    };
    state
        .agents
        .iter()
        .rev()
        .map(|agent| &agent.entrant)
        .find(is_it)
        .map_or_else(String::new, |entrant| entrant.name.clone())
}

/// Returns the cups of these readers. A cup that has not begun, or whose journal is damaged, hides no other.
pub(crate) async fn described(readers: Vec<Arc<CupReader>>) -> Vec<cup::Cup> {
    let mut cups = Vec::new();
    for reader in readers {
        cups.extend(reader.state().await.ok().map(|state| cup(&state)));
    }
    cups
}

/// Returns the cup with its stages.
pub(crate) fn cup(state: &State) -> cup::Cup {
    let (games, games_done) = state.progress();
    let stages = state.cup.stages.iter().enumerate().map(|(number, stage)| {
        let advance = state.stages.get(number).and_then(|stage| stage.advance.clone()).unwrap_or_default();
        cup::CupStage {
            name: stage.name.clone(),
            game: stage.game.clone(),
            seat_count: stage.seats as u32,
            group_count: stage.groups as u32,
            advance: advance.into_iter().map(|agent| state.public_name(agent)).collect(),
        }
    });
    let time = |time: Option<SystemTime>| time.map(prost_types::Timestamp::from);
    cup::Cup {
        cup_id: CupId::of_salt_hash(&state.salt_hash).map_or_else(String::new, |id| id.to_string()),
        name: state.cup.header.name.clone(),
        stages: stages.collect(),
        agent_count: state.agents.len() as u32,
        game_count: games as u32,
        ended_game_count: games_done as u32,
        ended: state.has_ended(),
        anonymous: state.cup.header.anonymous,
        salt_hash: state.salt_hash.clone(),
        salt: state.salt.map(Salt::to_hex).unwrap_or_default(),
        begin_time: time(state.cup.header.begins()),
        until_time: time(state.cup.header.ends()),
    }
}

/// Returns an agent of the cup.
pub(crate) fn agent(state: &State, agent: &AgentState) -> cup::CupAgent {
    // Seats that were left show the alias of an agent that is out.
    let status = if state.is_anonymous() { &AgentStatus::In } else { &agent.status };
    let reason = status.reason().unwrap_or_default().to_owned();
    cup::CupAgent {
        name: agent.entrant.name.clone(),
        owner: agent.entrant.owner.clone().unwrap_or_default(),
        anchor: agent.entrant.is_anchor,
        out: *status != AgentStatus::In,
        out_reason: reason,
        disqualified: matches!(status, AgentStatus::Disqualified(_)),
    }
}

/// Returns the page of the standings that a request asks for.
fn standings_page(
    state: &State,
    standings: &[cup::Standing],
    asked: cup::ListStandingsRequest,
) -> Handled<cup::ListStandingsResponse> {
    let cup::ListStandingsRequest { cup_id, stage, group, page_size, page_token } = asked;
    let filter = cup::ListStandingsRequest { cup_id, stage: stage.clone(), group, ..Default::default() };
    let paging = Paging::read(page_size, &page_token, &filter.encode_to_vec())?;
    let stages = &state.cup.stages;
    if !stage.is_empty() && !stages.iter().any(|known| known.name == stage) {
        return Err(ApiError::bad_field("stage", format!("expected a stage of the cup, got {stage:?}")));
    }
    let asked =
        |row: &&cup::Standing| (stage.is_empty() || row.stage == stage) && group.is_none_or(|group| row.group == group);
    let (standings, next_page_token) = paging.page(standings.iter().filter(asked).cloned());
    Ok(cup::ListStandingsResponse { standings, next_page_token })
}

/// Returns the page of the list of games that a request asks for.
fn games(state: &State, asked: cup::ListCupGamesRequest) -> Handled<cup::ListCupGamesResponse> {
    let cup::ListCupGamesRequest { cup_id, agent, page_size, page_token } = asked;
    let paging = Paging::read(page_size, &page_token, format!("games {cup_id} {agent}").as_bytes())?;
    let of_tables = listed(state, &agent)?.map(|listed| listed.described(state));
    let of_ladder = ladder_games::of_ladder(state, &agent).into_iter();
    let (games, next_page_token) = paging.page(of_ladder.chain(of_tables));
    Ok(cup::ListCupGamesResponse { games, next_page_token })
}

/// Returns the games of an agent by tables, or all for an empty name: at most `size` tables from the table `first` on, and true
/// if more follow.
pub(crate) fn tables(state: &State, agent: &str, first: usize, size: usize) -> Handled<(Vec<CupTable>, bool)> {
    let (mut tables, mut count, mut last) = (Vec::new(), 0, None);
    for listed in listed(state, agent)? {
        let (key, is_annulled) = listed.key();
        let place = Some((key.stage, key.table, is_annulled));
        // The games of a table follow each other.
        if last != place {
            (last, count) = (place, count + 1);
            if count > first + size {
                return Ok((tables, true));
            }
            if count > first {
                tables.push(CupTable {
                    shares: if is_annulled { Vec::new() } else { shares(state, key) },
                    games: Vec::new(),
                });
            }
        }
        if let Some(table) = tables.last_mut() {
            table.games.push(listed.described(state));
        }
    }
    Ok((tables, false))
}

/// A table of a cup, with those of its games that were asked for.
pub(crate) struct CupTable {
    /// The agents, with the shares of pairs that they have won at the table; no agents for annulled games.
    pub(crate) shares: Vec<(String, Option<f64>)>,
    pub(crate) games: Vec<cup::CupGame>,
}

fn shares(state: &State, key: GameKey) -> Vec<(String, Option<f64>)> {
    let table = state.table(key).expect("it is a game of the cup");
    let share = |&agent: &usize| {
        let row = Standing::of_table(state, agent, table);
        (state.public_name(agent), (row.pairs > 0).then(|| row.share()))
    };
    table.agents.iter().map(share).collect()
}

/// Returns the games of an agent, or all for an empty name: those of all tables in the order of the stages, and then those that
/// were annulled.
fn listed<'a>(state: &'a State, agent: &str) -> Handled<impl Iterator<Item = Listed<'a>>> {
    let agent = match agent {
        "" => None,
        name if state.is_anonymous() => {
            let agent = (0..state.agents.len()).find(|&agent| state.public_name(agent) == name);
            let message = "expected the alias of an agent, since the cup is anonymous until its end";
            Some(agent.ok_or_else(|| ApiError::bad_field("agent", format!("{message}; got {name:?}")))?)
        }
        name => Some(state.number(name).map_err(|message| ApiError::bad_field("agent", message))?),
    };
    let name = agent.map(|agent| state.name(agent));
    let is_asked = move |listed: &Listed<'_>| {
        name.is_none_or(|name| match listed {
            Listed::Drawn(key) => {
                let seating = state.seating(*key);
                seating.is_some_and(|seating| seating.values().iter().any(|&agent| state.name(agent) == name))
            }
            Listed::Annulled(game) => game.agents.iter().any(|agent| agent == name),
        })
    };
    let all = state.games().map(|(key, _)| Listed::Drawn(key)).chain(state.annulled.iter().map(Listed::Annulled));
    Ok(all.filter(is_asked))
}

/// A game of the list of games.
enum Listed<'a> {
    /// A game of a table.
    Drawn(GameKey),
    /// A game that was annulled.
    Annulled(&'a AnnulledGame),
}

impl Listed<'_> {
    /// Returns the key of the game, and true if it was annulled.
    fn key(&self) -> (GameKey, bool) {
        match self {
            Self::Drawn(key) => (*key, false),
            Self::Annulled(game) => (game.key, true),
        }
    }

    fn described(&self, state: &State) -> cup::CupGame {
        match self {
            Self::Drawn(key) => drawn(state, *key),
            Self::Annulled(game) => annulled(state, game),
        }
    }
}

fn drawn(state: &State, key: GameKey) -> cup::CupGame {
    let table = state.table(key).expect("it is a game of the cup");
    let result = table.results[key.game].as_ref();
    let started = table.started[key.game].clone();
    let game_state = match (result, &started) {
        (Some(_), _) => cup::CupGameState::Finished,
        (None, Some(_)) => cup::CupGameState::Started,
        (None, None) => cup::CupGameState::Waiting,
    };
    let agents = state.seating(key).map_or_else(Vec::new, |seating| seating.values().to_vec());
    let agents = agents.into_iter().map(|agent| state.public_name(agent)).collect();
    let match_id = result.map_or(started, |result| result.match_id.clone()).unwrap_or_default();
    let of_game = cup::CupGame { extra: table.is_extra, match_id, agents, ..of_key(state, key, game_state) };
    with_result(of_game, result)
}

fn annulled(state: &State, game: &AnnulledGame) -> cup::CupGame {
    let name = |name: &String| state.number(name).map_or_else(|_| String::new(), |agent| state.public_name(agent));
    let of_game = cup::CupGame {
        match_id: game.match_id.clone().unwrap_or_default(),
        agents: game.agents.iter().map(name).collect(),
        annulled_reason: game.reason.clone(),
        ..of_key(state, game.key, cup::CupGameState::Annulled)
    };
    with_result(of_game, game.result.as_ref())
}

fn of_key(state: &State, key: GameKey, game_state: cup::CupGameState) -> cup::CupGame {
    cup::CupGame {
        stage: state.cup.stages[key.stage].name.clone(),
        table: key.table as u32,
        number: key.game as u32,
        state: game_state.into(),
        ..Default::default()
    }
}

/// Adds the result of a game, if it has one.
fn with_result(game: cup::CupGame, result: Option<&GameResult>) -> cup::CupGame {
    let Some(result) = result else { return game };
    let forfeit = |(seat, forfeit): (usize, &Option<Forfeit>)| {
        let cause = match forfeit.as_ref()? {
            Forfeit::Game(cause) => terms::cause(*cause),
            Forfeit::Left => v1::Cause::Unspecified,
        };
        Some(v1::Forfeit { seat: Some(seat as u32), cause: cause.into() })
    };
    cup::CupGame {
        scores: result.scores.clone(),
        ranks: result.ranks.iter().map(|&rank| rank.into()).collect(),
        forfeits: result.forfeits.iter().enumerate().filter_map(forfeit).collect(),
        ..game
    }
}
