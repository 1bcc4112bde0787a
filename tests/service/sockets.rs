//! The service over a Unix socket.

use std::time::Duration;

use ahu_host::{Record, verify};
use ahu_service::Limits;
use ahu_service::proto::v1::match_service_client::MatchServiceClient;
use ahu_service::proto::v1::{GetRecordRequest, JoinMatchRequest, MatchState, join_match_request};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::oneshot;
use tonic::transport::Endpoint;

use crate::bytes::{call_head, field, frame};
use crate::matches::play_lowest;
use crate::server::{Asked, Client, Server, Taken, matches_with, rappanui};
use crate::silence::BEGIN;

#[tokio::test]
async fn the_path_of_the_socket_may_be_the_authority_of_calls() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("ahu.sock");
    let listener = UnixListener::bind(&path).expect("the folder is new");
    tokio::spawn(ahu_service::run(listener, matches_with(Limits::default()), std::future::pending()));
    let mut socket = UnixStream::connect(path).await.expect("it listens");
    // As gRPC C-core 58 sends it: a literal that HPACK adds to its table, and later the entry of the table.
    let authorities = [field(b"\x40\x0a:authority", "tmp%2Fa%20folder%2Fahu.sock"), vec![0xbe]];
    let calls = authorities.iter().zip([1, 3]).flat_map(|(authority, stream)| {
        let head = call_head("/ahu.v1.CatalogService/ListGames", authority);
        [frame(1, 4, stream, &head), frame(0, 1, stream, &[0; 5])].concat()
    });
    socket.write_all(&[BEGIN.to_vec(), calls.collect()].concat()).await.expect("it reads");
    let mut answered = 0;
    while answered < 2 {
        let mut head = [0; 9];
        socket.read_exact(&mut head).await.expect("a frame");
        let mut content = vec![0; u32::from_be_bytes([0, head[0], head[1], head[2]]) as usize];
        socket.read_exact(&mut content).await.expect("its content");
        let [.., kind, flags, _, _, _, stream] = head;
        assert!(![3, 7].contains(&kind), "stream {stream} is refused: {content:?}");
        answered += u32::from(kind == 1 && flags & 1 != 0);
    }
}

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

    let created =
        unix.create_match(rappanui(2, &[], 7).asked()).await.expect("a match").into_inner().r#match.expect("a match");
    let target = Some(join_match_request::Target::MatchId(created.match_id.clone()));
    let joined = unix.join_match(JoinMatchRequest { target, ..Default::default() }).await.expect("a seat").into_inner();
    let one = Client {
        matches: unix.clone(),
        match_id: created.match_id.clone(),
        seat: joined.taken().seat.expect("a seat"),
        token: joined.taken().seat_token,
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
