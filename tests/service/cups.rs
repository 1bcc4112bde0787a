//! `CupService`: the public view of a server's cup.

use std::path::Path;
use std::time::Duration;

use ahu_contest::cup::{Event, Forfeit, GameResult, Journal, Line, Salt, State};
use ahu_host::Cause;
use ahu_service::proto::cup;
use ahu_service::proto::cup::CupGameState::{Annulled, Finished, Started, Waiting};
use ahu_service::proto::cup::cup_service_client::CupServiceClient;
use ahu_service::{CupId, Limits};
use tonic::Code;
use tonic::transport::Channel;

use crate::errors::{code, is};
use crate::server::{Server, matches_with};

const SALT: Salt = Salt([7; 32]);

/// A cup of three bots. The first agent by name wins each game, and agent c forfeits.
struct Played {
    journal: Journal,
    state: State,
}

impl Played {
    /// Begins a cup.
    fn new(path: &Path, anonymous: bool) -> Self {
        Self::with_luck(path, anonymous, "own")
    }

    fn with_luck(path: &Path, anonymous: bool, luck: &str) -> Self {
        let agents: String =
            ["a", "b", "c"].map(|name| format!("[[agent]]\nname = \"{name}\"\nbot = \"greedy\"\n")).concat();
        let file = format!(
            "game = \"rapanui_cards\"\nblocks = 1\nluck = \"{luck}\"\n[cup]\nname = \"Cup\"\nanonymous = {anonymous}\n[clock]\nlimit = \"1s\"\n{agents}"
        );
        let mut journal = Journal::lock(path).expect("it is new");
        let begin = State::begin(&file, &SALT);
        let state = State::after([&begin]).expect("a file");
        journal.append(&Line::now(begin)).expect("it is written");
        Self { journal, state }
    }

    fn add(&mut self, event: Event) {
        self.state.apply(&event).expect("it follows");
        self.journal.append(&Line::now(event)).expect("it is written");
    }

    /// Plays this number of further games, or fewer at the end of the cup.
    fn play(&mut self, games: usize) {
        for _ in 0..=games {
            while let Some(event) = self.state.next_event(&SALT).expect("tables can be drawn") {
                self.add(event);
            }
            let Some(key) = self.state.open_games().next() else { return };
            let agents: Vec<_> = self
                .state
                .seating(key)
                .expect("a game")
                .values()
                .iter()
                .map(|&agent| self.state.name(agent).to_owned())
                .collect();
            let is_first = agents[0] < agents[1];
            let result = GameResult {
                match_id: Some(format!("{:016x}", key.table)),
                scores: if is_first { vec![9, 5] } else { vec![5, 9] },
                ranks: if is_first { vec![1, 2] } else { vec![2, 1] },
                forfeits: agents.iter().map(|name| (name == "c").then_some(Forfeit::Game(Cause::Timeout))).collect(),
                digest: Some("0".repeat(64)),
                decisions: 10,
                agents,
            };
            self.add(Event::Start { key, match_id: format!("{:016x}", key.table) });
            if self.state.progress().1 < games {
                self.add(Event::Result { key, result });
            } else {
                return;
            }
        }
    }
}

fn id() -> CupId {
    CupId::of_salt_hash(&SALT.hash()).expect("a hash")
}

fn get() -> cup::GetCupRequest {
    cup::GetCupRequest { cup_id: id().to_string() }
}

fn games_of(agent: &str) -> cup::ListCupGamesRequest {
    cup::ListCupGamesRequest { cup_id: id().to_string(), agent: agent.to_owned(), ..Default::default() }
}

async fn standings(client: &mut CupServiceClient<Channel>, asked: cup::ListStandingsRequest) -> Vec<cup::Standing> {
    let asked = cup::ListStandingsRequest { cup_id: id().to_string(), ..asked };
    client.list_standings(asked).await.expect("there is a cup").into_inner().standings
}

async fn client(server: &Server) -> CupServiceClient<Channel> {
    CupServiceClient::new(server.connect().await)
}

async fn games(client: &mut CupServiceClient<Channel>, request: cup::ListCupGamesRequest) -> cup::ListCupGamesResponse {
    client.list_cup_games(request).await.expect("it is answered").into_inner()
}

#[tokio::test]
async fn a_server_without_a_cup_says_so() {
    let server = Server::start().await;
    let mut client = client(&server).await;
    let status = client.get_cup(get()).await.expect_err("there is none");
    assert_eq!(code(&status), is(Code::NotFound, "NO_CUP"));
}

#[tokio::test]
async fn a_cup_is_shown_while_it_is_played_and_afterwards() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("journal.jsonl");
    let mut played = Played::new(&path, false);
    played.play(3);
    let hosted = ahu_service::Server::from(matches_with(Limits::default())).with_cup(id(), &path);
    let server = Server::start_with(hosted).await;
    let mut client = client(&server).await;

    let cup = client.get_cup(get()).await.expect("there is one").into_inner().cup.expect("a cup");
    assert_eq!((cup.name.as_str(), cup.game_count, cup.ended_game_count, cup.ended), ("Cup", 6, 3, false));
    assert_eq!((cup.salt_hash, cup.salt.as_str()), (SALT.hash(), ""));
    let mut named = Vec::new();
    let mut page_token = String::new();
    while named.len() < cup.agent_count as usize {
        let asked = cup::ListCupAgentsRequest { cup_id: cup.cup_id.clone(), page_size: 2, page_token };
        let page = client.list_cup_agents(asked).await.expect("there is one").into_inner();
        named.extend(page.agents.into_iter().map(|agent| agent.name));
        page_token = page.next_page_token;
    }
    assert_eq!((named, page_token), (["a", "b", "c"].map(str::to_owned).to_vec(), String::new()));
    let all = games(&mut client, games_of("")).await;
    assert_eq!((all.games.len(), all.next_page_token.as_str()), (6, ""));
    let progress: Vec<_> = all.games.iter().map(cup::CupGame::state).collect();
    assert_eq!(progress, [Finished, Finished, Finished, Started, Waiting, Waiting]);
    let first = &all.games[0];
    assert_eq!((first.stage.as_str(), first.table, first.number), ("main", 0, 0));
    assert_eq!((first.agents.len(), first.scores.len(), first.ranks.len()), (2, 2, 2));
    assert!(all.games[4].scores.is_empty() && all.games[4].match_id.is_empty());
    // The pages together have each game once.
    let page = games(&mut client, cup::ListCupGamesRequest { page_size: 4, ..games_of("") }).await;
    let next = cup::ListCupGamesRequest { page_size: 4, page_token: page.next_page_token, ..games_of("") };
    let rest = games(&mut client, next.clone()).await;
    assert_eq!([page.games, rest.games].concat(), all.games);
    let cut = games(&mut client, cup::ListCupGamesRequest { page_size: u32::MAX, ..games_of("") }).await;
    assert_eq!(cut.games, all.games, "a page size above the maximum is cut to it");
    // The games of one agent.
    let of_c = games(&mut client, games_of("c")).await;
    assert!(of_c.games.len() == 4 && of_c.games.iter().all(|game| game.agents.contains(&"c".to_owned())));
    for request in [
        games_of("x"),
        cup::ListCupGamesRequest { page_token: "x".to_owned(), ..games_of("") },
        cup::ListCupGamesRequest { page_token: "4".to_owned(), ..games_of("") },
        cup::ListCupGamesRequest { agent: "a".to_owned(), ..next },
    ] {
        let status = client.list_cup_games(request).await.expect_err("it is wrong");
        assert_eq!(code(&status), is(Code::InvalidArgument, "BAD_FIELD"));
    }

    played.play(6);
    // An answer may be a second old.
    tokio::time::sleep(Duration::from_millis(1100)).await;
    let cup = client.get_cup(get()).await.expect("there is one").into_inner().cup.expect("a cup");
    assert_eq!((cup.ended_game_count, cup.ended, cup.salt), (6, true, SALT.to_hex()));
    let all = standings(&mut client, cup::ListStandingsRequest::default()).await;
    let rows: Vec<_> = all.iter().map(|row| (row.place, row.agent.as_str(), row.share, row.forfeit_count)).collect();
    assert_eq!(rows, [(1, "a", 1.0, 0), (2, "b", 0.5, 0), (3, "c", 0.0, 4)]);
    let all = games(&mut client, games_of("")).await;
    let forfeit = all.games.iter().find_map(|game| game.forfeits.first()).expect("c forfeits");
    assert_eq!(forfeit.cause(), ahu_service::proto::v1::Cause::Timeout);
}

#[tokio::test]
async fn a_table_with_shared_luck_tells_its_results_when_it_is_whole() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("journal.jsonl");
    let mut played = Played::with_luck(&path, false, "shared");
    // One table is whole, and another has one result of two.
    played.play(3);
    let hosted = ahu_service::Server::from(matches_with(Limits::default())).with_cup(id(), &path);
    let server = Server::start_with(hosted).await;
    let mut client = client(&server).await;

    let cup = client.get_cup(get()).await.expect("there is one").into_inner().cup.expect("a cup");
    assert_eq!(cup.ended_game_count, 2);
    let all = games(&mut client, games_of("")).await;
    assert_eq!(all.games.iter().filter(|game| !game.scores.is_empty()).count(), 2);
    let all = standings(&mut client, cup::ListStandingsRequest::default()).await;
    assert_eq!(all.iter().map(|row| row.game_count).sum::<u32>(), 4);
}

#[tokio::test]
async fn an_annulled_game_is_listed_with_its_reason() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("journal.jsonl");
    let mut played = Played::new(&path, false);
    played.play(3);
    played.add(Event::Annul { stage: 0, table: 0, game: Some(1), reason: "a power cut".to_owned() });
    let hosted = ahu_service::Server::from(matches_with(Limits::default())).with_cup(id(), &path);
    let server = Server::start_with(hosted).await;
    let mut client = client(&server).await;

    let cup = client.get_cup(get()).await.expect("there is one").into_inner().cup.expect("a cup");
    assert_eq!((cup.game_count, cup.ended_game_count), (6, 2));
    let all = games(&mut client, games_of("")).await.games;
    let (again, old) = (&all[1], &all[6]);
    assert_eq!((again.state(), again.scores.len(), again.annulled_reason.as_str()), (Waiting, 0, ""));
    assert_eq!((old.state(), old.table, old.number, old.scores.len()), (Annulled, 0, 1, 2));
    assert_eq!((old.annulled_reason.as_str(), old.agents.len(), old.match_id.len()), ("a power cut", 2, 16));
    let of_b = games(&mut client, games_of("b")).await;
    assert_eq!(of_b.games.len(), 5, "four games, of which one was annulled");
}

#[tokio::test]
async fn an_anonymous_cup_tells_names_at_its_end_only() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("journal.jsonl");
    let mut played = Played::new(&path, true);
    played.play(3);
    let hosted = ahu_service::Server::from(matches_with(Limits::default())).with_cup(id(), &path);
    let server = Server::start_with(hosted).await;
    let mut client = client(&server).await;

    let all = games(&mut client, games_of("")).await;
    let is_alias = |name: &String| name.starts_with("agent-") && name.len() == 12;
    assert!(!all.games.is_empty() && all.games.iter().all(|game| game.agents.iter().all(is_alias)));
    let rows = standings(&mut client, cup::ListStandingsRequest::default()).await;
    assert!(rows.len() == 3 && rows.iter().all(|row| is_alias(&row.agent)));
    let of_first = games_of(&rows[0].agent);
    assert_eq!(games(&mut client, of_first).await.games.len(), 4, "an alias stands for one agent");
    played.add(Event::Disqualify { agent: "c".to_owned(), reason: "help".to_owned() });
    tokio::time::sleep(Duration::from_millis(1100)).await;
    let asked = cup::ListCupAgentsRequest { cup_id: id().to_string(), ..Default::default() };
    let agents = client.list_cup_agents(asked).await.expect("there is one").into_inner().agents;
    let out: Vec<_> = agents.iter().filter(|agent| agent.out || agent.disqualified).collect();
    assert!(out.is_empty(), "seats that were left would tell the alias: {out:?}");
    played.add(Event::Readmit { agent: "c".to_owned() });
    let of_c = games_of("c");
    let status = client.list_cup_games(of_c.clone()).await.expect_err("it would tell who plays");
    assert_eq!(code(&status), is(Code::InvalidArgument, "BAD_FIELD"));

    played.play(6);
    tokio::time::sleep(Duration::from_millis(1100)).await;
    assert_eq!(games(&mut client, of_c).await.games.len(), 4);
}
