//! Reflection and health: discovery for clients without protos.

use ahu_host::GAMES;
use prost::Message;
use prost_types::FileDescriptorProto;
use tonic::Code;
use tonic::codegen::tokio_stream;
use tonic_health::pb::health_client::HealthClient;
use tonic_health::pb::{HealthCheckRequest, health_check_response::ServingStatus};
use tonic_reflection::pb::v1::server_reflection_client::ServerReflectionClient;
use tonic_reflection::pb::v1::server_reflection_request::MessageRequest;
use tonic_reflection::pb::v1::server_reflection_response::MessageResponse;
use tonic_reflection::pb::v1::{ServerReflectionRequest, ServerReflectionResponse};

use crate::server::Server;

async fn ask(server: &Server, asked: impl IntoIterator<Item = MessageRequest>) -> Vec<ServerReflectionResponse> {
    let asked = asked
        .into_iter()
        .map(|request| ServerReflectionRequest { host: String::new(), message_request: Some(request) });
    let asked: Vec<_> = asked.collect();
    let mut client = ServerReflectionClient::new(server.channel.clone());
    let answers = client.server_reflection_info(tokio_stream::iter(asked)).await.expect("an answer");
    let mut answers = answers.into_inner();
    let mut all = Vec::new();
    while let Some(answer) = answers.message().await.expect("an answer") {
        all.push(answer);
    }
    all
}

/// Returns the proto file that defines this symbol.
async fn file_of(server: &Server, symbol: &str) -> FileDescriptorProto {
    let answers = ask(server, [MessageRequest::FileContainingSymbol(symbol.to_owned())]).await;
    match &answers[0].message_response {
        Some(MessageResponse::FileDescriptorResponse(files)) => {
            FileDescriptorProto::decode(&*files.file_descriptor_proto[0]).expect("a descriptor")
        }
        other => panic!("{symbol}: {other:?}"),
    }
}

#[tokio::test]
async fn the_messages_of_every_game_are_found_by_reflection() {
    let server = Server::start().await;
    for rules in GAMES {
        let names = rules.message_names();
        for name in [names.observation, names.action, names.event] {
            let file = file_of(&server, &name).await;
            let (package, message) = name.rsplit_once('.').expect("a full name");
            assert_eq!(file.package(), package);
            assert!(file.message_type.iter().any(|of| of.name() == message), "{name}");
        }
    }
}

#[tokio::test]
async fn the_details_of_errors_are_found_by_reflection() {
    let server = Server::start().await;
    for name in ["google.rpc.ErrorInfo", "google.rpc.BadRequest", "google.rpc.RetryInfo"] {
        let file = file_of(&server, name).await;
        let message = name.rsplit_once('.').expect("a full name").1;
        assert!(file.message_type.iter().any(|of| of.name() == message), "{name}");
    }
}

#[tokio::test]
async fn every_call_and_its_messages_are_found_by_reflection() {
    let server = Server::start().await;
    for (service, calls) in [
        ("ahu.v1.CatalogService", 3),
        ("ahu.v1.EnvironmentService", 1),
        ("ahu.v1.MatchService", 12),
        ("ahu.cup.v1beta1.OrganiserService", 8),
        ("ahu.cup.v1beta1.CupService", 10),
    ] {
        let file = file_of(&server, service).await;
        let found = file.service.iter().find(|of| service.ends_with(of.name())).expect("the service");
        assert_eq!(found.method.len(), calls);
        for method in &found.method {
            for message in [method.input_type(), method.output_type()] {
                file_of(&server, message.trim_start_matches('.')).await;
            }
        }
        // The imports of the file are found by name, over one stream.
        let imports: Vec<_> = file.dependency.iter().cloned().map(MessageRequest::FileByFilename).collect();
        let count = imports.len();
        let answers = ask(&server, imports).await;
        assert_eq!(answers.len(), count);
        for answer in answers {
            assert!(matches!(answer.message_response, Some(MessageResponse::FileDescriptorResponse(_))), "{answer:?}");
        }
    }
    file_of(&server, "ahu.v1.ErrorReason").await;
}

#[tokio::test]
async fn reflection_lists_exactly_the_services_of_the_server() {
    let server = Server::start().await;
    // A tool that stays connected sends several requests over one stream.
    let list = || MessageRequest::ListServices(String::new());
    for answer in ask(&server, [list(), list()]).await {
        let Some(MessageResponse::ListServicesResponse(services)) = answer.message_response else {
            panic!("{answer:?}")
        };
        let mut names: Vec<_> = services.service.into_iter().map(|service| service.name).collect();
        names.sort_unstable();
        names.dedup();
        let ours: Vec<_> = names.iter().filter(|name| name.starts_with("ahu.")).collect();
        assert_eq!(
            ours,
            [
                "ahu.cup.v1beta1.CupService",
                "ahu.cup.v1beta1.OrganiserService",
                "ahu.v1.CatalogService",
                "ahu.v1.EnvironmentService",
                "ahu.v1.MatchService"
            ]
        );
        assert!(names.contains(&"grpc.health.v1.Health".to_owned()), "{names:?}");
    }
}

#[tokio::test]
async fn an_unknown_symbol_is_not_found_by_reflection() {
    let server = Server::start().await;
    let unknown = MessageRequest::FileContainingSymbol("ahu.chess.v1.Action".to_owned());
    let mut client = ServerReflectionClient::new(server.channel.clone());
    let asked = ServerReflectionRequest { host: String::new(), message_request: Some(unknown) };
    let refused = match client.server_reflection_info(tokio_stream::once(asked)).await {
        Ok(answers) => match answers.into_inner().message().await {
            Ok(answer) => panic!("{answer:?}"),
            Err(error) => error,
        },
        Err(error) => error,
    };
    assert_eq!(refused.code(), Code::NotFound);
}

#[tokio::test]
async fn health_can_be_watched_and_unknown_services_are_not_found() {
    let server = Server::start().await;
    let mut health = HealthClient::new(server.channel.clone());
    let of = |service: &str| HealthCheckRequest { service: service.to_owned() };

    let error = health.check(of("ahu.v1.Cheating")).await.expect_err("the request is invalid");
    assert_eq!(error.code(), Code::NotFound);
    for service in ["", "ahu.v1.CatalogService", "ahu.v1.MatchService"] {
        let mut watched = health.watch(of(service)).await.expect("the service has a health").into_inner();
        let status = watched.message().await.expect("an answer").expect("a message").status();
        assert_eq!(status, ServingStatus::Serving, "{service}");
    }
}
