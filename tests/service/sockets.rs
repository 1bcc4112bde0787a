//! The service over a Unix socket.

use std::time::Duration;

use ahu_host::{Record, verify};
use ahu_service::Limits;
use ahu_service::proto::v1::match_service_client::MatchServiceClient;
use ahu_service::proto::v1::{GetRecordRequest, JoinMatchRequest, MatchState, join_match_request};
use tokio::net::UnixListener;
use tokio::sync::oneshot;
use tonic::transport::Endpoint;

use crate::matches::play_lowest;
use crate::server::{Client, Server, matches_with, rappanui};

#[tokio::test]
async fn a_match_is_played_over_a_unix_socket_and_tcp_together() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("ahu.sock");
    let listener = UnixListener::bind(&path).expect("the folder is new");
    // A port serves the same matches.
    let matches = matches_with(Limits::default());
    let tcp = Server::start_with(matches.clone()).await;
    let (shutdown, is_shut) = oneshot::channel::<()>();
    let serving = tokio::spawn(ahu_service::run(listener, matches, async {
        is_shut.await.expect("the test sends it");
    }));
    let endpoint = Endpoint::from_shared(format!("unix:{}", path.display())).expect("an address");
    let mut unix = MatchServiceClient::new(endpoint.connect().await.expect("the server answers"));

    let created = unix.create_match(rappanui(2, &[], 7)).await.expect("a match").into_inner().r#match.expect("a match");
    let target = Some(join_match_request::Target::MatchId(created.match_id.clone()));
    let joined = unix.join_match(JoinMatchRequest { target, ..Default::default() }).await.expect("a seat").into_inner();
    let one = Client {
        matches: unix.clone(),
        match_id: created.match_id.clone(),
        seat: joined.seat.expect("a seat"),
        token: joined.seat_token,
    };
    let other = tcp.join(&created).await;
    let (decisions, others) = tokio::join!(play_lowest(one.clone()), play_lowest(other.clone()));

    assert!(decisions > 10 && others > 10);
    let end = one.observe(Duration::ZERO).await.expect("the token is valid");
    assert_eq!(end.state(), MatchState::Finished);
    assert_eq!(other.look().await.result, end.result);
    let request = GetRecordRequest { match_id: created.match_id, ..Default::default() };
    let record = unix.get_record(request).await.expect("the match is finished").into_inner().record;
    assert_eq!(verify(&Record::read(&record).expect("a record can be read")), Ok(()));
    drop((unix, one));
    shutdown.send(()).expect("the server is running");
    serving.await.expect("the server does not panic").expect("the server ends without an error");
}
