//! The catalog, reflection, and health.

use ahu_host::{GAMES, rules_page};
use ahu_service::proto::v1::{GetGameRequest, ListGamesRequest, MatchSpec, TensorBlock, run_request};
use tonic::transport::Channel;
use tonic_health::pb::health_client::HealthClient;
use tonic_health::pb::{HealthCheckRequest, health_check_response::ServingStatus};

use crate::environments::opened;
use crate::server::Server;

#[tokio::test]
async fn the_catalog_lists_every_game() {
    let server = Server::start().await;

    let games = server.catalog().list_games(ListGamesRequest {}).await.expect("a list").into_inner().games;

    let ours: Vec<_> = GAMES.iter().map(|rules| rules.info().id).collect();
    assert_eq!(games.iter().map(|game| game.game.as_str()).collect::<Vec<_>>(), ours);
    assert!(games.iter().all(|game| game.credit.contains("unofficial") && game.min_seats >= 2));
}

#[tokio::test]
async fn a_game_is_described_in_full() {
    let server = Server::start().await;

    let request = GetGameRequest { game: "rappanui".to_owned() };
    let game = server
        .catalog()
        .get_game(request)
        .await
        .expect("the game is in the catalog")
        .into_inner()
        .game
        .expect("a game");

    let summary = game.summary.expect("a summary");
    assert_eq!((summary.min_seats, summary.max_seats, summary.rules_version), (2, 6, 1));
    assert_eq!(
        game.options.iter().map(|option| option.key.as_str()).collect::<Vec<_>>(),
        ["combine_rule", "reshuffle", "equal_turns", "require_effect", "tie"]
    );
    assert!(game.options.iter().all(|option| option.defaults.len() == 5 && option.kind.is_some()));
    let mut next = 0;
    for group in &game.action_groups {
        assert_eq!(group.first_id, next, "{}", group.pattern);
        next += group.count;
    }
    assert_eq!(next, game.action_count);
    let features = game.action_features.expect("features");
    let columns = [&features.kind, &features.piece, &features.place, &features.number, &features.opponent];
    assert!(columns.iter().all(|column| column.len() == game.action_count as usize));
    // The action with id 2 is "raid +2".
    assert_eq!(columns.map(|column| column[2]), [1, 0, -1, -1, 2]);
    assert_eq!((features.kinds[1].as_str(), features.pieces[0].as_str()), ("<event> <opponent>", "card raid"));
    assert!(features.places.is_empty());
    assert_eq!(
        game.bots.iter().map(|bot| bot.name.as_str()).collect::<Vec<_>>(),
        ["random@1", "easy@1", "greedy@1", "greedy@2", "heldout@1", "heldout@2", "net@1", "search@1", "search@2"]
    );
}

#[tokio::test]
async fn a_game_has_its_rules_its_data_and_its_colours() {
    let server = Server::start().await;
    for rules in GAMES {
        let id = rules.info().id;
        let request = GetGameRequest { game: id.to_owned() };
        let answer = server.catalog().get_game(request).await.expect("the game is in the catalog").into_inner();
        let game = answer.game.expect("a game");

        assert_eq!(game.rules, rules_page(*rules));
        for topic in ["Goal", "Setup", "Turn", "Actions", "Scoring", "Rulings", "Options", "Glossary"] {
            assert_eq!(game.rules.matches(&format!("\n## {topic}\n")).count(), 1, "{id}: {topic}");
        }
        assert!([0, *rules.seats().end()].contains(&game.seat_colours.len()), "{id}");
        let names: Vec<&str> = game.data_files.iter().map(|file| file.name.as_str()).collect();
        for file in &game.data_files {
            let content = file.content.as_ref().expect("a content");
            let package = format!("type.googleapis.com/ahu.{id}.v1.");
            assert!(content.type_url.starts_with(&package) && !content.value.is_empty(), "{}", file.name);
        }
        for seat_count in rules.seats() {
            let seat_count = seat_count as u32;
            let request = MatchSpec { game: id.to_owned(), seat_count, ..Default::default() };
            let created = server.create(request).await;
            assert!(!created.data_files.is_empty(), "{id}");
            assert!(created.data_files.iter().all(|name| names.contains(&name.as_str())), "{id}");
            let open =
                run_request::Open { game: id.to_owned(), seat_count, environment_count: 1, ..Default::default() };
            assert_eq!(opened(&server, open).await.data_files, created.data_files, "{id}");
        }
    }
    let tiny = MatchSpec {
        game: "giants".to_owned(),
        seat_count: 3,
        options: [("board".to_owned(), "tiny".to_owned())].into(),
        ..Default::default()
    };
    assert_eq!(server.create(tiny).await.data_files, ["giants/tiny"]);
}

#[tokio::test]
async fn the_fields_of_a_layout_have_no_gaps() {
    let server = Server::start().await;

    for rules in GAMES {
        let request = GetGameRequest { game: rules.info().id.to_owned() };
        let game = server
            .catalog()
            .get_game(request)
            .await
            .expect("the game is in the catalog")
            .into_inner()
            .game
            .expect("a game");
        let layout = game.layout.expect("a layout");
        for (block, count) in [(TensorBlock::Bits, layout.bit_count), (TensorBlock::Numbers, layout.number_count)] {
            let mut next = 0;
            for field in layout.fields.iter().filter(|field| field.block() == block) {
                assert_eq!(field.offset, next, "{}", field.name);
                next += field.shape.iter().product::<u32>();
            }
            assert_eq!(next, count);
        }
        assert_eq!(layout.hash, rules.layout().hash().to_vec());
    }
}

#[tokio::test]
async fn the_services_are_healthy() {
    let server = Server::start().await;
    let mut health = HealthClient::new(server.channel.clone());

    for service in ["", "ahu.v1.CatalogService", "ahu.v1.MatchService"] {
        let request = HealthCheckRequest { service: service.to_owned() };
        let status = health.check(request).await.expect("an answer").into_inner().status();
        assert_eq!(status, ServingStatus::Serving, "{service}");
    }
}

#[tokio::test]
async fn reflection_lists_the_services() {
    let server = Server::start().await;

    let expected = ["ahu.v1.CatalogService", "ahu.v1.MatchService", "grpc.health.v1.Health"];
    for services in [listed_v1(server.channel.clone()).await, listed_v1alpha(server.channel.clone()).await] {
        assert!(expected.iter().all(|name| services.iter().any(|service| service == name)), "{services:?}");
    }
}

async fn listed_v1(channel: Channel) -> Vec<String> {
    use tonic_reflection::pb::v1::ServerReflectionRequest;
    use tonic_reflection::pb::v1::server_reflection_client::ServerReflectionClient;
    use tonic_reflection::pb::v1::server_reflection_request::MessageRequest;
    use tonic_reflection::pb::v1::server_reflection_response::MessageResponse;

    let list = ServerReflectionRequest {
        host: String::new(),
        message_request: Some(MessageRequest::ListServices(String::new())),
    };
    let answers = ServerReflectionClient::new(channel).server_reflection_info(stream_of(list)).await;
    let answer = answers.expect("an answer").into_inner().message().await.expect("an answer").expect("a message");
    match answer.message_response {
        Some(MessageResponse::ListServicesResponse(list)) => {
            list.service.into_iter().map(|service| service.name).collect()
        }
        other => panic!("{other:?}"),
    }
}

async fn listed_v1alpha(channel: Channel) -> Vec<String> {
    use tonic_reflection::pb::v1alpha::ServerReflectionRequest;
    use tonic_reflection::pb::v1alpha::server_reflection_client::ServerReflectionClient;
    use tonic_reflection::pb::v1alpha::server_reflection_request::MessageRequest;
    use tonic_reflection::pb::v1alpha::server_reflection_response::MessageResponse;

    let list = ServerReflectionRequest {
        host: String::new(),
        message_request: Some(MessageRequest::ListServices(String::new())),
    };
    let answers = ServerReflectionClient::new(channel).server_reflection_info(stream_of(list)).await;
    let answer = answers.expect("an answer").into_inner().message().await.expect("an answer").expect("a message");
    match answer.message_response {
        Some(MessageResponse::ListServicesResponse(list)) => {
            list.service.into_iter().map(|service| service.name).collect()
        }
        other => panic!("{other:?}"),
    }
}

fn stream_of<T: Send + 'static>(message: T) -> impl tonic::codegen::tokio_stream::Stream<Item = T> + Send + 'static {
    tonic::codegen::tokio_stream::once(message)
}
