//! Environments over the network: the rows of the host, the order of answers, and every refusal.

use std::iter;
use std::time::Duration;

use ahu_core::{ActionId, Seed};
use ahu_host::api::{EPISODE_BYTES, MAX_STREAM_ENVIRONMENTS};
use ahu_host::{
    Autoreset, BotName, Column, EnvConfig, EnvIndices, FinalSteps, GAMES, Player, RewardRule, Rotation, Rows,
};
use ahu_service::proto::v1::run_request::{self, Open, Render, Request, Reset, Step};
use ahu_service::proto::v1::run_response::{Batch, Opened, PlayersSet, Refused, Response};
use ahu_service::proto::v1::{self, AutoresetMode, RunRequest, RunResponse, SeatRotation, TableFormat, WeightedBot};
use ahu_service::{Environments, Limits, Matches, Share, limits};
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Code, Status, Streaming};

use crate::errors::{code, is};
use crate::server::{Server, error_info, matches_with, rappanui};

/// The client side of a stream.
pub(crate) struct Stream {
    requests: mpsc::Sender<RunRequest>,
    responses: Streaming<RunResponse>,
}

impl Stream {
    pub(crate) async fn start(server: &Server) -> Self {
        Self::try_start(server).await.expect("a stream")
    }

    pub(crate) async fn try_start(server: &Server) -> Result<Self, Status> {
        let (requests, stream) = mpsc::channel(64);
        let responses = server.environments().run(ReceiverStream::new(stream)).await?.into_inner();
        Ok(Self { requests, responses })
    }

    /// Opens a stream with these environments, before their first episode.
    pub(crate) async fn open(server: &Server, open: Open) -> (Self, Opened) {
        let mut stream = Self::start(server).await;
        stream.send(Request::Open(open)).await;
        match stream.next().await {
            Ok(Some(Response::Opened(opened))) => (stream, opened),
            other => panic!("{other:?}"),
        }
    }

    pub(crate) async fn send(&self, request: Request) {
        self.requests.send(RunRequest { request: Some(request) }).await.expect("the stream is open");
    }

    pub(crate) async fn next(&mut self) -> Result<Option<Response>, Status> {
        let response = self.responses.message().await?;
        Ok(response.map(|response| response.response.expect("no response is empty")))
    }

    async fn batch(&mut self, request: Request) -> Batch {
        self.send(request).await;
        match self.next().await {
            Ok(Some(Response::Batch(batch))) => *batch,
            other => panic!("{other:?}"),
        }
    }

    async fn refused(&mut self, request: Request) -> Refused {
        self.send(request).await;
        match self.next().await {
            Ok(Some(Response::Refused(refused))) => refused,
            other => panic!("{other:?}"),
        }
    }
}

/// Returns the answer to the opening of a stream.
pub(crate) async fn opened(server: &Server, open: Open) -> Opened {
    Stream::open(server, open).await.1
}

pub(crate) fn open(game: &str, seat_count: u32, environment_count: u32) -> Open {
    Open { game: game.to_owned(), seat_count, environment_count, seed: Some(5), ..Open::default() }
}

fn reset(group: u32) -> Request {
    Request::Reset(Reset { group, ..Reset::default() })
}

fn step(group: u32, actions: &[u16]) -> Request {
    Request::Step(Step { group, env_ids: Vec::new().into(), actions: words(actions).into() })
}

fn words(values: &[u16]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

fn numbers(values: &[u32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

fn seeds(bytes: &[u8]) -> Vec<u64> {
    bytes.as_chunks().0.iter().map(|&bytes| u64::from_le_bytes(bytes)).collect()
}

/// Returns the lowest legal action of each row; 0 for a row without legal actions.
fn lowest(batch: &Batch) -> Vec<u16> {
    let size = batch.masks.len() / batch.row_count as usize;
    let lowest = |mask: &[u8]| (0..8 * mask.len()).find(|id| mask[id / 8] >> (id % 8) & 1 == 1).unwrap_or_default();
    batch.masks.chunks_exact(size).map(|mask| lowest(mask) as u16).collect()
}

pub(crate) fn bot(bot: &str) -> v1::EnvironmentPlayer {
    v1::EnvironmentPlayer { bots: vec![WeightedBot { bot: bot.to_owned(), weight: None }] }
}

#[tokio::test]
async fn batches_are_the_rows_of_the_host_in_every_game() {
    let server = Server::start().await;
    for rules in GAMES {
        let (game, seats) = (rules.info().id, *rules.seats().end());
        let setup = rules.configure(seats, &[]).expect("the defaults are valid");
        let greedy = rules.bot("greedy").expect("every game has the bot");
        let mut players = vec![Player::External; seats];
        players[1] = Player::Bots(vec![(greedy, 1)]);
        let env_config = EnvConfig {
            players,
            rotation: Rotation::Episode,
            autoreset: Autoreset::SameStep,
            rewards: RewardRule::Margin,
            max_decisions: None,
        };
        let mut environments = setup.environments(env_config, Seed(5), 3);
        let mut asked = open(game, seats as u32, 3);
        asked.players = vec![v1::EnvironmentPlayer::default(); seats];
        asked.players[1] = bot("greedy");
        asked.seat_rotation = SeatRotation::Episode.into();
        asked.autoreset_mode = AutoresetMode::SameStep.into();
        asked.reward_rule = v1::RewardRule::Margin.into();
        let (mut stream, opened) = Stream::open(&server, asked).await;
        assert_eq!(opened.layout.expect("a layout").hash, rules.layout().hash().as_slice());
        assert_eq!((opened.action_count, opened.seed), (rules.action_count() as u32, 5));
        assert_eq!(opened.options.len(), setup.options().len());

        let (mut rows, mut final_steps) = (Rows::default(), FinalSteps::default());
        let all = EnvIndices::Run(0, 3);
        environments.reset(all, None, &mut rows).expect("the environments exist");
        let mut batch = stream.batch(reset(0)).await;
        assert_eq!(seeds(&batch.seeds), [5, 6, 7]);
        let mut ended = 0;
        for _ in 0..600 {
            let actions = lowest(&batch);
            let ids: Vec<_> = actions.iter().map(|&id| ActionId(id)).collect();
            environments.step(all, &ids, &mut rows, &mut final_steps).expect("the actions are legal");
            batch = stream.batch(step(0, &actions)).await;
            assert_eq!((batch.group, batch.row_count, batch.final_row_count), (0, 3, final_steps.seats.len() as u32));
            for (sent, written) in [
                (&batch.env_ids, &rows[Column::EnvIds]),
                (&batch.seats, &rows[Column::Seats]),
                (&batch.players, &rows[Column::Players]),
                (&batch.bits, &rows[Column::Bits]),
                (&batch.numbers, &rows[Column::Numbers]),
                (&batch.masks, &rows[Column::Masks]),
                (&batch.rewards, &rows[Column::Rewards]),
                (&batch.ended, &rows[Column::Ended]),
                (&batch.final_env_ids, &final_steps.env_ids),
                (&batch.final_seats, &final_steps.seats),
                (&batch.final_players, &final_steps.players),
                (&batch.final_bits, &final_steps.bits),
                (&batch.final_numbers, &final_steps.numbers),
                (&batch.final_returns, &final_steps.returns),
                (&batch.final_ranks, &final_steps.ranks),
            ] {
                assert_eq!(sent, written, "{game}");
            }
            for (sent, episode) in batch.episodes.iter().zip(&final_steps.episodes) {
                let bots = episode.bots.values().iter().map(|bot| bot.map_or_else(String::new, BotName::name));
                assert!(sent.bots.iter().cloned().eq(bots));
                assert_eq!((sent.environment, sent.seed), (episode.environment, episode.seed.0));
                assert_eq!(sent.decision_count, episode.decisions);
                assert_eq!((&*sent.scores, &*sent.returns), (episode.scores.values(), episode.returns.values()));
                assert!(sent.ranks.iter().zip(episode.ranks.values()).all(|(&sent, &rank)| sent == u32::from(rank)));
            }
            assert_eq!(batch.episodes.len(), final_steps.episodes.len());
            ended += batch.episodes.len();
        }
        assert!(ended > 0, "{game}: no episode has ended");
    }
}

#[tokio::test]
async fn a_row_tells_whether_its_episode_was_truncated() {
    let server = Server::start().await;
    for max_decisions in [5, 0] {
        let asked = Open { max_decisions, ..open("rapanui_cards", 2, 2) };
        let (mut stream, _) = Stream::open(&server, asked).await;
        let mut batch = stream.batch(reset(0)).await;
        while batch.episodes.is_empty() {
            assert_eq!((&*batch.ended, &*batch.truncated), (&[0, 0][..], &[0, 0][..]));
            batch = stream.batch(step(0, &lowest(&batch))).await;
        }
        let of_episodes = |of: fn(&v1::Episode) -> bool| {
            let is = |row| batch.episodes.iter().any(|episode| episode.environment == row && of(episode));
            [0, 1].map(|row| u8::from(is(row)))
        };
        assert_eq!(
            (&*batch.ended, &*batch.truncated),
            (&of_episodes(|_| true)[..], &of_episodes(|of| of.truncated)[..])
        );
        assert_eq!(batch.truncated.contains(&1), max_decisions > 0);
    }
}

#[tokio::test]
async fn answers_to_several_groups_keep_the_order_of_requests() {
    let server = Server::start().await;
    let mut asked = open("rappanui", 2, 6);
    asked.group_count = 3;
    let (mut stream, _) = Stream::open(&server, asked).await;

    for group in [2, 0, 1] {
        stream.send(reset(group)).await;
    }
    for group in [2, 0, 1] {
        let Ok(Some(Response::Batch(batch))) = stream.next().await else { panic!("a batch") };
        assert_eq!((batch.group, batch.row_count), (group, 2));
        assert_eq!(batch.env_ids, numbers(&[2 * group, 2 * group + 1]));
        stream.send(step(group, &lowest(&batch))).await;
    }
    for expected in [2, 0, 1] {
        let Ok(Some(Response::Batch(batch))) = stream.next().await else { panic!("a batch") };
        assert_eq!((batch.group, batch.row_count), (expected, 2));
        assert!(batch.server_nanoseconds > 0 && batch.seeds.is_empty());
    }
}

#[tokio::test]
async fn some_environments_of_a_group_are_reset_and_stepped() {
    let server = Server::start().await;
    let mut asked = open("rappanui", 2, 8);
    asked.group_count = 2;
    let (mut stream, _) = Stream::open(&server, asked).await;
    stream.batch(reset(1)).await;

    let some = Reset { group: 1, env_ids: numbers(&[5, 7]).into(), seed: Some(40), ..Reset::default() };
    let batch = stream.batch(Request::Reset(some)).await;
    assert_eq!((batch.env_ids.to_vec(), seeds(&batch.seeds)), (numbers(&[5, 7]), vec![45, 47]));
    let given: Vec<u8> = [1_u64, 2].iter().flat_map(|seed| seed.to_le_bytes()).collect();
    let some = Reset { group: 1, env_ids: numbers(&[5, 7]).into(), seeds: given.clone().into(), ..Reset::default() };
    let batch = stream.batch(Request::Reset(some)).await;
    assert_eq!(batch.seeds, given);
    let env_ids = numbers(&[7]).into();
    let batch =
        stream.batch(Request::Step(Step { group: 1, env_ids, actions: words(&lowest(&batch)[1..]).into() })).await;
    assert_eq!((batch.row_count, batch.env_ids.to_vec()), (1, numbers(&[7])));
    let advance = Reset { group: 1, env_ids: numbers(&[7]).into(), ..Reset::default() };
    let batch = stream.batch(Request::Reset(advance)).await;
    assert_eq!(seeds(&batch.seeds), [Seed(2).child(1).0], "the next episode of its seed");
}

#[tokio::test]
async fn a_match_with_the_seed_of_an_episode_has_the_same_chance() {
    let server = Server::start().await;
    let (mut stream, _) = Stream::open(&server, open("rappanui", 3, 1)).await;
    let batch = stream.batch(reset(0)).await;
    let seats = server.seats(rappanui(3, &[], seeds(&batch.seeds)[0])).await;
    let observation = seats[batch.seats[0] as usize].look().await;
    let tensor = observation.tensor.expect("the format was requested");
    let mask = observation.decision.expect("the seat has to decide").mask;
    assert_eq!((tensor.bits, tensor.numbers, mask), (batch.bits, batch.numbers, batch.masks));
}

#[tokio::test]
async fn a_refused_request_changes_nothing_and_the_stream_goes_on() {
    let server = Server::start().await;
    let mut asked = open("rappanui", 2, 4);
    asked.group_count = 2;
    asked.autoreset_mode = AutoresetMode::Disabled.into();
    asked.players = vec![v1::EnvironmentPlayer::default(), bot("random")];
    let (mut stream, _) = Stream::open(&server, asked).await;
    let early = stream.refused(step(0, &[0, 0])).await;
    assert_eq!((&*early.reason, &*early.metadata["environment"]), ("NO_EPISODE", "0"));
    assert_eq!((early.code, &*early.field, early.retry_delay), (Code::FailedPrecondition as i32, "", None));
    let shown = stream.batch(reset(0)).await;

    let good = lowest(&shown);
    let illegal = stream.refused(step(0, &[good[0], 999])).await;
    assert_eq!(&*illegal.reason, "ILLEGAL_ACTION");
    assert_eq!((&*illegal.metadata["environment"], &*illegal.metadata["action_id"]), ("1", "999"));
    assert!(illegal.metadata["legal"].starts_with(&good[1].to_string()), "{illegal:?}");

    let subset = |environments: &[u32], actions: Vec<u8>| {
        Request::Step(Step { group: 0, env_ids: numbers(environments).into(), actions: actions.into() })
    };
    let seat = |seat| Request::Render(Render { seat: Some(seat), ..Render::default() });
    let seeds = Reset { group: 0, seeds: vec![0; 8].into(), ..Reset::default() };
    for (request, field, words) in [
        (step(0, &good[..1]), "actions", "expected 2 actions, one for each environment, got 1"),
        (step(2, &good), "group", "expected a group from 0 to 1, got 2"),
        (subset(&[1, 0], words(&good)), "env_ids", "rising"),
        (subset(&[2], words(&good[..1])), "env_ids", "expected an environment of group 0, from 0 to 1, got 2"),
        (subset(&[0], vec![0; 3]), "actions", "expected whole values of 2 bytes, got 3 bytes"),
        (Request::Reset(seeds), "seeds", "expected 2 seeds, one for each environment, got 1"),
        (seat(1), "seat", "expected an external seat (0), got seat 1"),
        (
            Request::Render(Render { environment: 4, ..Render::default() }),
            "environment",
            "expected an environment number below 4, got 4",
        ),
        (Request::Render(Render { format: 9, ..Render::default() }), "format", "expected a value of the enum, got 9"),
        (
            Request::Render(Render { format: TableFormat::Png.into(), width: Some(9), ..Render::default() }),
            "width",
            "expected a width from 100 to 1600 pixels, got 9",
        ),
    ] {
        let refused = stream.refused(request).await;
        assert_eq!((&*refused.reason, &*refused.metadata["field"]), ("BAD_FIELD", field), "{refused:?}");
        assert_eq!((refused.code, &*refused.field), (Code::InvalidArgument as i32, field));
        assert!(refused.message.contains(words), "{}", refused.message);
    }
    let unknown = stream.refused(seat(2)).await;
    assert_eq!((&*unknown.reason, &*unknown.metadata["seat"]), ("UNKNOWN_SEAT", "2"));

    let (mut other, _) = Stream::open(
        &server,
        Open { players: vec![v1::EnvironmentPlayer::default(), bot("random")], ..open("rappanui", 2, 2) },
    )
    .await;
    other.batch(reset(0)).await;
    let (stepped, expected) = (stream.batch(step(0, &good)).await, other.batch(step(0, &good)).await);
    assert_eq!((stepped.bits, stepped.masks), (expected.bits, expected.masks), "as if nothing had been refused");
}

#[tokio::test]
async fn players_are_set_while_the_environments_live() {
    let mut limits = Limits::default();
    limits.local_shares[Share::Playouts] = 100;
    let server = Server::start_with(matches_with(limits)).await;
    let players =
        |bots: &[&str]| iter::once(v1::EnvironmentPlayer::default()).chain(bots.iter().map(|name| bot(name))).collect();
    let set = |bots: &[&str]| Request::SetPlayers(run_request::SetPlayers { players: players(bots) });
    let asked = |bots: &[&str]| Open { players: players(bots), ..open("rappanui", 3, 2) };
    let (mut stream, _) = Stream::open(&server, asked(&["random", "random"])).await;
    let (mut other, _) = Stream::open(&server, asked(&["greedy", "random"])).await;
    stream.batch(reset(0)).await;
    other.batch(reset(0)).await;

    for (bots, words) in [
        (&["greedy"][..], "expected a player for each of the 3 seats, or none; got 2"),
        (&["greedy", "random", "random"], "expected a player for each of the 3 seats, or none; got 4"),
    ] {
        let refused = stream.refused(set(bots)).await;
        assert_eq!((&*refused.reason, &*refused.metadata["field"]), ("BAD_FIELD", "players"));
        assert!(refused.message.contains(words), "{}", refused.message);
    }
    let none = stream.refused(Request::SetPlayers(run_request::SetPlayers::default())).await;
    assert!(none.message.contains("expected a player for each seat, got none"), "{}", none.message);
    assert_eq!(stream.refused(set(&["gredy", "random"])).await.reason, "UNKNOWN_BOT");
    // Two environments with 51 playouts are one too many for the share.
    let share = stream.refused(set(&["search:51", "random"])).await;
    assert_eq!((&*share.reason, &*share.metadata["limit"]), ("OVER_SHARE", "100"), "{share:?}");
    assert_eq!(share.code, Code::ResourceExhausted as i32);
    assert!(share.retry_delay.is_some_and(|delay| delay.seconds > 0), "a share is free again some time");

    stream.send(set(&["greedy", "random"])).await;
    assert_eq!(stream.next().await.expect("it is set"), Some(Response::PlayersSet(PlayersSet {})));
    let (mut batch, mut expected) = (stream.batch(reset(0)).await, other.batch(reset(0)).await);
    for _ in 0..30 {
        assert_eq!((&batch.bits, &batch.masks, &batch.episodes), (&expected.bits, &expected.masks, &expected.episodes));
        let actions = lowest(&batch);
        (batch, expected) = (stream.batch(step(0, &actions)).await, other.batch(step(0, &actions)).await);
    }
}

#[tokio::test]
async fn a_table_is_shown_as_text_and_as_a_picture() {
    let server = Server::start().await;
    let (mut stream, _) = Stream::open(&server, open("rappanui", 2, 2)).await;
    stream.batch(reset(0)).await;
    let mut rendered = async |seat, form: TableFormat| {
        stream.send(Request::Render(Render { environment: 1, seat, format: form.into(), width: Some(100) })).await;
        let Ok(Some(Response::Rendered(rendered))) = stream.next().await else { panic!("a table") };
        rendered
    };
    for (form, beginning) in
        [(TableFormat::Unspecified, "Rappa Nui: "), (TableFormat::Text, "Rappa Nui: "), (TableFormat::Svg, "<svg ")]
    {
        let mut shown = Vec::new();
        for seat in [None, Some(0), Some(1)] {
            let v1::run_response::Rendered { text, image } = rendered(seat, form).await;
            assert!(text.starts_with(beginning) && image.is_empty(), "{form:?}: {text}");
            shown.push(text);
        }
        assert!(shown[0] != shown[1] && shown[1] != shown[2] && shown[0] != shown[2], "each viewer sees its own hand");
    }
    {
        let v1::run_response::Rendered { text, image } = rendered(Some(0), TableFormat::Png).await;
        assert!(text.is_empty() && image.starts_with(b"\x89PNG"));
    }
}

/// Returns the number of environments whose rows alone fit into a batch, without the summaries of their episodes.
fn count_of_rows(game: &str, seats: usize) -> u32 {
    let rules = ahu_host::find(game).expect("the game exists");
    let row = rules.configure(seats, &[]).expect("the default options fit").row_size();
    let batch = 128 * 1024 * 1024;
    (batch / (row.total() + seats * row.end())) as u32
}

#[tokio::test]
async fn an_invalid_opening_ends_the_stream() {
    let server = Server::start().await;
    let good = || open("rappanui", 2, 4);
    let twice = v1::EnvironmentPlayer { bots: vec![bot("random").bots.remove(0); 2] };
    let weightless = v1::EnvironmentPlayer { bots: vec![WeightedBot { bot: "random".to_owned(), weight: Some(0) }] };
    let external = v1::EnvironmentPlayer::default;
    for (asked, reason, words) in [
        (open("rapanui", 2, 4), "UNKNOWN_GAME", "rappanui"),
        (open("rappanui", 7, 4), "BAD_SEAT_COUNT", "7"),
        (Open { options: [("a".to_owned(), "b".to_owned())].into(), ..good() }, "BAD_OPTION", "a"),
        (open("rappanui", 2, 0), "BAD_FIELD", "1 to 65536 environments"),
        (open("rappanui", 2, 65_537), "BAD_FIELD", "1 to 65536 environments"),
        (
            Open { group_count: 3, ..good() },
            "BAD_FIELD",
            "expected a number of groups that divides 4 environments, got 3",
        ),
        (
            Open { players: vec![external()], ..good() },
            "BAD_FIELD",
            "expected a player for each of the 2 seats, or none; got 1",
        ),
        (Open { players: vec![bot("random"), bot("random")], ..good() }, "BAD_FIELD", "expected an external player"),
        (Open { players: vec![external(), bot("greed")], ..good() }, "UNKNOWN_BOT", "greedy"),
        (Open { players: vec![external(), bot("search:2s")], ..good() }, "UNKNOWN_BOT", "a function of its seed"),
        (Open { players: vec![external(), bot("search:1001")], ..good() }, "UNKNOWN_BOT", "at most 1000 playouts"),
        (Open { players: vec![external(), weightless], ..good() }, "BAD_FIELD", "weight"),
        (Open { players: vec![external(), twice], ..good() }, "BAD_FIELD", "\"random\" occurs twice"),
        (Open { autoreset_mode: 9, ..good() }, "BAD_FIELD", "9"),
        (Open { seat_rotation: 9, ..good() }, "BAD_FIELD", "9"),
        (Open { reward_rule: 9, ..good() }, "BAD_FIELD", "9"),
        (open("giants", 5, 65_536), "BAD_FIELD", "environments in a group"),
        (open("giants", 5, count_of_rows("giants", 5)), "BAD_FIELD", "environments in a group"),
    ] {
        let mut stream = Stream::start(&server).await;
        stream.send(Request::Open(asked.clone())).await;
        let status = stream.next().await.expect_err("the request is refused");
        let (_, given) = code(&status);
        assert_eq!(given, reason, "{asked:?}");
        assert!(status.message().contains(words), "{}", status.message());
    }
}

#[tokio::test]
async fn open_is_the_first_request_of_a_stream_and_the_only_one_of_its_kind() {
    let server = Server::start().await;
    let mut unopened = Stream::start(&server).await;
    unopened.send(reset(0)).await;
    let status = unopened.next().await.expect_err("the stream is not open");
    assert_eq!(
        (code(&status), status.message()),
        (is(Code::InvalidArgument, "BAD_FIELD"), "expected `open` as the first request of a stream")
    );

    let (mut opened, _) = Stream::open(&server, open("rappanui", 2, 1)).await;
    let again = opened.refused(Request::Open(open("rappanui", 2, 1))).await;
    assert_eq!((&*again.reason, &*again.metadata["field"]), ("BAD_FIELD", "request"));
    opened.batch(reset(0)).await;
}

/// A request of a later version of the API arrives as an empty request.
#[tokio::test]
async fn an_unknown_request_is_refused_and_the_stream_goes_on() {
    let server = Server::start().await;
    let (mut stream, _) = Stream::open(&server, open("rappanui", 2, 1)).await;
    stream.requests.send(RunRequest { request: None }).await.expect("the stream is open");
    let Ok(Some(Response::Refused(refused))) = stream.next().await else { panic!("it is refused") };
    assert!(
        refused.message.contains("`reset`, `step`, `render`, `set_players`, `look`, `save`, or `restore`"),
        "{}",
        refused.message
    );
    stream.batch(reset(0)).await;
}

#[tokio::test]
async fn a_stream_is_counted_before_it_is_opened() {
    let environments = Environments::new(&Limits { environment_streams: 2, ..Limits::default() });
    let server = Server::start_with(ahu_service::Server::new(Matches::default(), environments)).await;
    let (mut one, _) = Stream::open(&server, open("rappanui", 2, 1)).await;
    let unopened = Stream::start(&server).await;
    let too_many = Stream::try_start(&server).await.err().expect("all are taken");
    assert_eq!(
        error_info(&too_many, ["limit"]),
        (Code::ResourceExhausted, "TOO_MANY_STREAMS".to_owned(), ["2".to_owned()])
    );
    one.batch(reset(0)).await;
    drop(unopened);
    let freed = async {
        while Stream::try_start(&server).await.is_err() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), freed).await.expect("the stream is free again");
}

#[tokio::test]
async fn environments_are_free_after_their_stream_ends_or_its_client_disconnects() {
    let environments = Environments::new(&Limits { environments: 5, ..Limits::default() });
    let server = Server::start_with(ahu_service::Server::new(Matches::default(), environments.clone())).await;
    let (mut ending, _) = Stream::open(&server, open("rappanui", 2, 3)).await;
    let (vanishes, _) = Stream::open(&server, open("rappanui", 2, 2)).await;
    assert_eq!(environments.open_count(), 5);

    let mut refused = Stream::start(&server).await;
    refused.send(Request::Open(open("rappanui", 2, 1))).await;
    let status = refused.next().await.expect_err("the server is at its limit");
    let metadata = error_info(&status, ["limit", "left"]);
    let expected = (Code::ResourceExhausted, "TOO_MANY_ENVIRONMENTS".to_owned(), ["5".to_owned(), "0".to_owned()]);
    assert_eq!(metadata, expected);

    drop(ending.requests);
    assert!(ending.responses.message().await.expect("the server ends without an error").is_none());
    drop(vanishes);
    let freed = async {
        while environments.open_count() > 0 {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), freed).await.expect("the environments are free again");
    Stream::open(&server, open("rappanui", 2, 5)).await;
}

#[tokio::test]
async fn a_server_that_closes_ends_the_streams() {
    let server = Server::start().await;
    let (mut stream, _) = Stream::open(&server, open("rappanui", 2, 1)).await;
    let ended = tokio::spawn(async move { stream.next().await });
    server.stop().await;
    let status = ended.await.expect("the task does not panic").expect_err("the server closes");
    assert_eq!(code(&status), is(Code::Unavailable, "CLOSING"));
}

#[test]
fn the_largest_summary_of_an_episode_is_within_its_limit() {
    let names = GAMES.iter().flat_map(|rules| rules.bots());
    let longest = names.map(|(name, _)| name.len()).max().expect("every game has bots");
    let largest = v1::Episode {
        environment: u32::MAX,
        seed: u64::MAX,
        decision_count: u32::MAX,
        bots: vec!["b".repeat(longest); 6],
        scores: vec![i32::MIN; 6],
        ranks: vec![6; 6],
        returns: vec![-1.0; 6],
        truncated: true,
    };
    let (key_and_length, seed, is_truncated) = (3, 8, 1);
    assert!(key_and_length + prost::Message::encoded_len(&largest) + seed + is_truncated <= EPISODE_BYTES);
}

#[test]
fn the_largest_request_is_within_its_limit() {
    let most = MAX_STREAM_ENVIRONMENTS as usize;
    let largest = Reset { env_ids: vec![0; 4 * most].into(), seeds: vec![0; 8 * most].into(), ..Reset::default() };
    let request = RunRequest { request: Some(run_request::Request::Reset(largest)) };
    assert!(prost::Message::encoded_len(&request) <= limits::MAX_RUN_REQUEST_BYTES);
}
