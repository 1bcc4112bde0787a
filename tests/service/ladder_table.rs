//! The answers of a server about a ladder: ratings and games over gRPC, and the JSON of its pages.

use std::path::Path;

use ahu_contest::cup::{Event, Forfeit, GameKey, GameResult, Journal, Line, NewTable, Salt, State};
use ahu_host::Cause;
use ahu_service::proto::cup::CupGameState::{Finished, Started};
use ahu_service::proto::cup::cup_service_client::CupServiceClient;
use ahu_service::proto::cup::{ListCupGamesRequest, ListStandingsRequest};
use ahu_service::proto::v1;
use ahu_service::{CupId, Limits};
use tempfile::TempDir;
use tonic::Code;

use crate::errors::{code, is};
use crate::server::{Server, matches_with};
use crate::web::{get, with_page};

const SALT: Salt = Salt([9; 32]);

/// A ladder of agents a to d, whose first agent of each table wins.
struct Played {
    folder: TempDir,
    journal: Journal,
    state: State,
    games: usize,
}

fn cup(head: &str, salt: &Salt, path: &Path) -> (Journal, State) {
    let agent = |name: &str| format!("[[agent]]\nname = \"{name}\"\nowner = \"team {name}\"\ncmd = \"true\"\n");
    let agents = ["a", "b", "c", "d"].map(agent).concat();
    let begin = State::begin(
        &format!("game = \"rapanui_cards\"\n{head}[cup]\nname = \"S\"\n[clock]\nbank = \"9s\"\n{agents}"),
        salt,
    );
    let mut journal = Journal::lock(path).expect("it is new");
    let state = State::after([&begin]).expect("a file");
    journal.append(&Line::now(begin)).expect("it is written");
    (journal, state)
}

fn id(salt: &Salt) -> CupId {
    CupId::of_salt_hash(&salt.hash()).expect("a hash")
}

impl Played {
    /// Plays three agents often, and lets d forfeit until it rests. A game of a and b goes on.
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let (journal, state) = cup("kind = \"ladder\"\n", &SALT, &folder.path().join("journal.jsonl"));
        let mut played = Self { folder, journal, state, games: 0 };
        played.add(Event::Open { chain: 0, salt: SALT.before_chain(0).to_hex() });
        let mut tables = Vec::new();
        for (first, last, games) in [("a", "b", 20), ("b", "c", 20), ("a", "c", 20), ("c", "d", 5), ("a", "b", 1)] {
            // The agents take turns at the seats.
            tables.extend((0..games).map(|game| if game % 2 == 0 { [first, last] } else { [last, first] }));
        }
        let new = |agents: &[&str; 2]| NewTable { group: 0, agents: agents.map(str::to_owned).to_vec() };
        played.add(Event::Draw { stage: 0, extra: false, tables: tables.iter().map(new).collect() });
        for agents in &tables[..65] {
            played.end(&agents.map(str::to_owned));
        }
        let key = GameKey { stage: 0, table: 65, game: 0 };
        played.add(Event::Start { key, match_id: format!("{:016x}", 65) });
        played
    }

    fn add(&mut self, event: Event) {
        let line = Line::now(event);
        self.state.apply_line(&line).expect("it follows");
        self.journal.append(&line).expect("it is written");
    }

    fn end(&mut self, agents: &[String; 2]) {
        let is_first = agents[0] < agents[1];
        let result = GameResult {
            match_id: Some(format!("{:016x}", self.games)),
            scores: if is_first { vec![9, 5] } else { vec![5, 9] },
            ranks: if is_first { vec![1, 2] } else { vec![2, 1] },
            forfeits: agents.iter().map(|name| (name == "d").then_some(Forfeit::Game(Cause::Timeout))).collect(),
            digest: Some("0".repeat(64)),
            decisions: 10,
            agents: agents.to_vec(),
        };
        let key = GameKey { stage: 0, table: self.games, game: 0 };
        self.games += 1;
        self.add(Event::Result { key, result });
    }

    /// Shows the ladder on a server, with a page.
    async fn shown(&self, server: ahu_service::Server) -> Server {
        Server::start_with(server.with_cup(id(&SALT), &self.folder.path().join("journal.jsonl"))).await
    }
}

#[tokio::test]
async fn a_ladder_is_listed_with_its_ratings_and_the_games_that_it_keeps() {
    let played = Played::new();
    let server = played.shown(ahu_service::Server::from(matches_with(Limits::default()))).await;
    let mut client = CupServiceClient::new(server.connect().await);
    let asked = ListStandingsRequest { cup_id: id(&SALT).to_string(), ..Default::default() };
    let rows = client.list_standings(asked).await.expect("it is shown").into_inner().standings;
    let figures: Vec<_> = rows.iter().map(|row| (row.place, &*row.agent, row.game_count, row.forfeit_count)).collect();
    assert_eq!(figures, [(1, "a", 40, 0), (2, "b", 40, 0), (3, "c", 45, 0), (0, "d", 5, 5)]);
    let shares: Vec<_> = rows.iter().map(|row| (row.share, row.wins)).collect();
    assert_eq!(shares, [(1.0, 40.0), (0.5, 20.0), (5.0 / 45.0, 5.0), (0.0, 0.0)]);
    let ratings: Vec<_> = rows.iter().map(|row| row.rating.expect("it has played")).collect();
    assert!(ratings[..3].is_sorted_by(|better, worse| better.elo > worse.elo), "{ratings:?}");
    assert!(ratings.iter().map(|rating| rating.elo).sum::<f64>().abs() < 1e-6, "{ratings:?}");
    for (row, rating) in rows.iter().zip(&ratings) {
        assert!((rating.best_place..=rating.worst_place).contains(&row.place), "{row:?}");
        assert!(rating.margin > 0.0 && rating.last_played_time.is_some(), "{row:?}");
    }
    assert_eq!((ratings[3].best_place, ratings[3].worst_place), (0, 0), "d has no place");

    let mut games = async |agent: &str| {
        let asked =
            ListCupGamesRequest { cup_id: id(&SALT).to_string(), agent: agent.to_owned(), ..Default::default() };
        client.list_cup_games(asked).await.map(|answer| answer.into_inner().games)
    };
    let [open] = &games("").await.expect("it is shown")[..] else { panic!("expected one game in progress") };
    assert_eq!(
        (open.state(), &*open.match_id, &*open.agents),
        (Started, "0000000000000041", &["a".to_owned(), "b".to_owned()][..])
    );
    let of_d = games("d").await.expect("it is shown");
    assert_eq!(of_d.iter().map(|game| game.table).collect::<Vec<_>>(), [60, 61, 62, 63, 64]);
    let forfeit = v1::Forfeit { seat: Some(1), cause: v1::Cause::Timeout.into() };
    assert_eq!((of_d[0].state(), &of_d[0].forfeits[..], &of_d[0].ranks[..]), (Finished, &[forfeit][..], &[1, 2][..]));
    let of_a = games("a").await.expect("it is shown");
    assert_eq!((of_a.len(), of_a[20].state()), (21, Started), "the last 20, and the one in progress");
    assert_eq!(code(&games("x").await.expect_err("it is no agent")), is(Code::InvalidArgument, "BAD_FIELD"));
}

#[tokio::test]
async fn the_answers_for_the_pages_of_a_ladder_have_its_table_and_its_journal_and_no_secret() {
    let mut played = Played::new();
    played.add(Event::Withdraw { agent: "c".to_owned(), reason: None });
    let (cup_path, cup_salt) = (played.folder.path().join("cup.jsonl"), Salt([8; 32]));
    drop(cup("blocks = 1\n", &cup_salt, &cup_path));
    let server = played.shown(with_page().with_cup(id(&cup_salt), &cup_path)).await;
    let path = format!("/api/cups/{}", id(&SALT));
    let shown = get(&server, &path).await;
    let names = |rows: &serde_json::Value| {
        let rows = rows.as_array().expect("a list").iter();
        rows.map(|row| row["agent"].as_str().expect("a name").to_owned()).collect::<Vec<_>>()
    };
    let ladder = &shown.json()["ladder"];
    assert_eq!(names(&ladder["rows"]), ["a", "b", "d"], "c has left");
    assert_eq!(ladder["rows"][2]["reason"], "it has forfeited 5 games in a row");
    assert_eq!((&ladder["games"], &ladder["public_days"]), (&65.into(), &0.into()));
    assert_eq!(ladder["live"][0]["agents"][0], serde_json::json!({"name": "a", "place": 1}));
    let all = get(&server, &format!("{path}?all=1")).await;
    assert_eq!(names(&all.json()["ladder"]["rows"]), ["a", "b", "d", "c"]);
    let live = get(&server, &format!("{path}/live")).await;
    assert_eq!(live.json()["live"], ladder["live"]);
    let agent = get(&server, &format!("{path}/agents/a")).await;
    assert_eq!(
        (&agent.json()["against"][0]["agent"], agent.json()["live"].as_array().map(Vec::len)),
        (&"b".into(), Some(1))
    );
    let secrets = [SALT.to_hex(), SALT.alias_secret(), SALT.of_day(0).to_hex()];
    for answer in [&shown, &all, &live, &agent] {
        assert_eq!(secrets.iter().find(|secret| answer.text().contains(*secret)), None);
    }
    for (of, status) in [("agents/x", 404), ("agents/x/y", 404), ("live?x=1", 200)] {
        assert_eq!(get(&server, &format!("{path}/{of}")).await.status(), status, "{of}");
    }

    let journal = std::fs::read(played.folder.path().join("journal.jsonl")).expect("a file");
    for (query, from) in [("", 0), ("?from=100", 100), ("?from=1000000", journal.len())] {
        let answer = get(&server, &format!("{path}/journal{query}")).await;
        assert_eq!((answer.status(), answer.body == journal[from..]), (200, true), "{query}");
    }
    let cup = format!("/api/cups/{}", id(&cup_salt));
    assert_eq!(get(&server, &format!("{cup}/journal")).await.status(), 409, "it goes on");
    assert_eq!(get(&server, &cup).await.json()["ladder"], serde_json::Value::Null);
    assert_eq!(get(&server, &format!("{cup}/live")).await.status(), 404);
}
