//! TLS on the port of a server: for clients of gRPC and for browsers, with a certificate that is exchanged while calls run.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use ahu_service::proto::v1::catalog_service_client::CatalogServiceClient;
use ahu_service::proto::v1::match_service_client::MatchServiceClient;
use ahu_service::proto::v1::{
    GetServerInfoRequest, JoinMatchRequest, ListGamesRequest, ObserveRequest, join_match_request,
};
use ahu_service::{Certificate, Limits, Share};
use http_body_util::BodyExt as _;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore};
use tonic::body::Body;
use tonic::codegen::Service as _;
use tonic::codegen::http::{self, Response};
use tonic::transport::{Channel, ClientTlsConfig, Endpoint};
use tonic::{Code, Status};

use crate::authority::Authority;
use crate::errors::{code, is};
use crate::matches::play_lowest;
use crate::server::{Asked, Client, Server, Taken, matches_by, rappanui};
use crate::web::Answer;

/// The connections of clients that trust an authority.
impl Authority {
    fn connector(&self, protocols: &[&[u8]]) -> TlsConnector {
        let mut roots = RootCertStore::empty();
        let authority = CertificateDer::from_pem_file(self.file()).expect("a certificate");
        roots.add(authority).expect("an authority");
        let mut config = ClientConfig::builder().with_root_certificates(roots).with_no_client_auth();
        config.alpn_protocols = protocols.iter().map(|protocol| protocol.to_vec()).collect();
        Arc::new(config).into()
    }

    /// Returns an endpoint that trusts the authority.
    fn endpoint(&self, server: &Server) -> Endpoint {
        let authority = fs::read(self.file()).expect("a file");
        let trust = ClientTlsConfig::new().ca_certificate(tonic::transport::Certificate::from_pem(authority));
        let endpoint = Channel::from_shared(format!("https://{}", server.address())).expect("an address");
        endpoint.tls_config(trust).expect("the authority can be read")
    }
}

/// Starts a server whose certificate comes from an authority.
async fn start(limits: Limits) -> (Server, Authority, Certificate) {
    let authority = Authority::new();
    let [chain, key] = authority.issue();
    let certificate = Certificate::read(&chain, &key).expect("a certificate");
    let hosted = ahu_service::Server::from(matches_by(limits, ahu_service::Clock::system()));
    let hosted = hosted.with_page(ahu_service::Page::new(Vec::new())).with_certificate(certificate.clone());
    (Server::start_with(hosted).await, authority, certificate)
}

/// Connects to a server, and begins TLS with these protocols. Returns the stream.
async fn begun(server: &Server, connector: &TlsConnector) -> tokio_rustls::client::TlsStream<TcpStream> {
    let stream = TcpStream::connect(server.address()).await.expect("the listener accepts");
    let name = ServerName::try_from("localhost").expect("a name");
    connector.connect(name, stream).await.expect("the server agrees on TLS")
}

#[tokio::test]
async fn agents_play_over_tls() {
    let (server, authority, _) = start(Limits::default()).await;
    let channel = authority.endpoint(&server).connect().await.expect("the server is trusted");
    let mut matches = MatchServiceClient::new(channel);
    let created =
        matches.create_match(rappanui(2, &[(0, "greedy"), (1, "random")], 8).asked()).await.expect("it is created");
    let match_id = created.into_inner().r#match.expect("a match").match_id;
    let observe = ObserveRequest { match_id, public_view: true, ..ObserveRequest::default() };
    let seen = matches.observe(observe).await.expect("it is public").into_inner();
    assert!(seen.observation.is_some());
}

#[tokio::test]
async fn whoever_offers_http_2_gets_it_and_a_browser_of_http_1_is_served() {
    let (server, authority, _) = start(Limits::default()).await;
    for (offered, expected) in
        [(&[&b"h2"[..], b"http/1.1"][..], &b"h2"[..]), (&[b"http/1.1", b"h2"], b"h2"), (&[b"http/1.1"], b"http/1.1")]
    {
        let stream = begun(&server, &authority.connector(offered)).await;
        assert_eq!(stream.get_ref().1.alpn_protocol(), Some(expected));
    }
    let mut stream = begun(&server, &authority.connector(&[b"http/1.1"])).await;
    stream
        .write_all(b"GET /api/server HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")
        .await
        .expect("it reads");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.expect("an answer");
    assert!(answer.starts_with("HTTP/1.1 200") && answer.contains("\"games\""), "{answer}");
}

/// Sends a request of a browser over HTTP/2.
async fn browse(channel: &Channel, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Response<Body> {
    let mut channel = channel.clone();
    std::future::poll_fn(|context| channel.poll_ready(context)).await.expect("it is open");
    let request = headers.iter().fold(http::Request::builder(), |request, (name, value)| request.header(*name, *value));
    let request = request.method(method).uri(path).body(Body::new(body.to_owned().map_err(|never| match never {})));
    channel.call(request.expect("a request")).await.expect("an answer")
}

/// Returns the whole answer.
async fn whole(answer: Response<Body>) -> Answer {
    let head = format!("HTTP/2 {}\n{:?}", answer.status(), answer.headers());
    let body = answer.into_body().collect().await.expect("the stream has an end").to_bytes();
    Answer { head, body: body.into() }
}

#[tokio::test]
async fn the_page_and_its_streams_work_over_http_2() {
    let mut limits = Limits::default();
    limits.local_shares[Share::Watchers] = 1;
    let (server, authority, _) = start(limits).await;
    let channel = authority.endpoint(&server).connect().await.expect("the server is trusted");
    let mut matches = MatchServiceClient::new(channel.clone());
    let created =
        matches.create_match(rappanui(2, &[(1, "greedy")], 5).asked()).await.expect("it is created").into_inner();
    let match_id = created.r#match.expect("a match").match_id;
    let target = Some(join_match_request::Target::MatchId(match_id.clone()));
    let joined = matches.join_match(JoinMatchRequest { target, ..Default::default() }).await.expect("a seat is open");
    let client = Client { matches, match_id, seat: 0, token: joined.into_inner().taken().seat_token };
    let path = format!("/api/matches/{}", client.match_id);

    let page = whole(browse(&channel, "GET", "/", &[], "").await).await;
    assert!(page.status() == 200 && page.head.contains("default-src 'self'"), "{}", page.head);
    let (token, own) = (format!("{{\"token\": \"{}\"}}", client.token), [("sec-fetch-site", "same-origin")]);
    let foreign = browse(&channel, "POST", &format!("{path}/seat"), &[("sec-fetch-site", "cross-site")], &token).await;
    assert_eq!(foreign.status(), 403);
    let brought = browse(&channel, "POST", &format!("{path}/seat"), &own, &token).await;
    assert_eq!((brought.status().as_u16(), brought.headers().contains_key("set-cookie")), (204, true));

    // A browser may send each cookie in a header of its own.
    let cookie = format!("ahu-seat-0={}", client.token);
    let cookies = [("cookie", "other=1"), ("cookie", &*cookie)];
    let events = format!("{path}/events?as=0&after=0");
    let left = browse(&channel, "GET", &events, &cookies, "").await;
    assert_eq!(left.status(), 200);
    assert_eq!(browse(&channel, "GET", &events, &cookies, "").await.status(), 429, "the share has one stream");
    // A browser that leaves gives back its share.
    drop(left);
    let running = loop {
        let again = browse(&channel, "GET", &events, &cookies, "").await;
        if again.status() == 200 {
            break again;
        }
    };
    let (_, seen) = tokio::join!(play_lowest(client), whole(running));
    let seen = seen.events();
    assert!(seen.len() > 20 && seen.iter().filter_map(|(id, _)| *id).is_sorted());
    assert!(seen.last().is_some_and(|(_, event)| event.starts_with("event: end")), "{seen:?}");
}

#[tokio::test]
async fn plain_text_on_a_port_for_tls_learns_what_was_expected() {
    let (server, ..) = start(Limits::default()).await;
    let plain = Channel::from_shared(format!("http://{}", server.address())).expect("an address").connect_lazy();
    let error = CatalogServiceClient::new(plain).list_games(ListGamesRequest {}).await.expect_err("it is plain");
    assert_eq!(code(&error), is(Code::FailedPrecondition, "TLS_EXPECTED"), "{error:?}");
    assert!(error.message().contains("expected TLS on this port, got plain text"), "{error:?}");
    let mut socket = TcpStream::connect(server.address()).await.expect("the listener accepts");
    socket.write_all(b"GET / HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n").await.expect("it reads");
    let mut answer = String::new();
    socket.read_to_string(&mut answer).await.expect("an answer");
    assert!(answer.contains("expected TLS on this port"), "{answer}");
}

#[tokio::test]
async fn tls_on_a_port_for_plain_text_ends_at_once_and_harms_nobody() {
    let server = Server::start().await;
    let authority = Authority::new();
    let error = authority.endpoint(&server).connect().await.expect_err("the server speaks plain text");
    let error = Status::from_error(error.into());
    assert!(std::error::Error::source(&error).is_some(), "{error:?}");
    server.catalog().get_server_info(GetServerInfoRequest {}).await.expect("the others go on");
}

#[tokio::test]
async fn a_certificate_is_exchanged_while_calls_run_and_none_fails() {
    let (server, authority, certificate) = start(Limits::default()).await;
    let channel = authority.endpoint(&server).connect().await.expect("the server is trusted");
    let (is_over, calls) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
    let mut workers = Vec::new();
    for worker in 0..4 {
        let (is_over, calls) = (Arc::clone(&is_over), Arc::clone(&calls));
        // Two workers keep their connection, and two open a connection for each call.
        let (kept, endpoint) = (channel.clone(), authority.endpoint(&server));
        workers.push(tokio::spawn(async move {
            while !is_over.load(Ordering::SeqCst) {
                let channel = match worker % 2 {
                    0 => kept.clone(),
                    _ => endpoint.connect().await.expect("the authority is the same"),
                };
                CatalogServiceClient::new(channel).list_games(ListGamesRequest {}).await.expect("no call fails");
                calls.fetch_add(1, Ordering::SeqCst);
            }
        }));
    }
    let presented = async || {
        let stream = begun(&server, &authority.connector(&[b"h2"])).await;
        stream.get_ref().1.peer_certificates().expect("it has one")[0].clone()
    };
    let enough = async |count: usize| {
        while calls.load(Ordering::SeqCst) < count && !workers.iter().any(tokio::task::JoinHandle::is_finished) {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    let mut before = presented().await;
    for round in 1..=5 {
        enough(20 * round).await;
        authority.issue();
        assert!(certificate.refresh().expect("it can be used"), "the files have changed");
        assert!(!certificate.refresh().expect("it can be used"), "they have not changed again");
        let after = presented().await;
        assert_ne!(before, after, "a new connection gets the new certificate");
        before = after;
    }
    enough(120).await;
    is_over.store(true, Ordering::SeqCst);
    for worker in workers {
        worker.await.expect("no call failed");
    }
}

#[tokio::test]
async fn a_server_follows_the_files_of_its_certificate() {
    let (server, authority, _) = start(Limits::default()).await;
    let connector = authority.connector(&[b"h2"]);
    let before = begun(&server, &connector).await.get_ref().1.peer_certificates().expect("one")[0].clone();
    authority.issue();
    let exchanged = async {
        while begun(&server, &connector).await.get_ref().1.peer_certificates().expect("one")[0] == before {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(30), exchanged).await.expect("it looks at the files again");
}

#[test]
fn files_that_are_no_certificate_are_named_and_the_earlier_one_stays() {
    let (authority, other) = (Authority::new(), Authority::new());
    let [chain, key] = authority.issue();
    let certificate = Certificate::read(&chain, &key).expect("a certificate");
    let [other_chain, _] = other.issue();
    let texts = |path: &Path| fs::read_to_string(path).expect("a file");
    let (good_chain, good_key) = (texts(&chain), texts(&key));
    for (file, content, expected) in [
        (&chain, String::new(), "expected certificates in PEM in"),
        (&chain, good_key.clone(), "expected certificates in PEM in"),
        (&chain, good_chain[..good_chain.len() / 2].to_owned(), "expected certificates in PEM in"),
        (&chain, texts(&other_chain), "expected the private key of the certificate"),
        (&key, good_chain.clone(), "expected a private key in PEM in"),
        (&key, "nonsense".to_owned(), "expected a private key in PEM in"),
    ] {
        fs::write(file, content).expect("a file");
        let error = certificate.refresh().expect_err("it cannot be used");
        assert!(error.contains(expected), "{error}");
        let error = Certificate::read(&chain, &key).expect_err("it cannot be used");
        assert!(error.contains(expected) && error.contains(".pem"), "{error}");
        fs::write(&chain, &good_chain).and_then(|()| fs::write(&key, &good_key)).expect("files");
        assert!(!certificate.refresh().expect("it can be used"), "the earlier certificate has stayed");
    }
    fs::remove_file(&key).expect("it is there");
    let error = certificate.refresh().expect_err("it is gone");
    assert!(error.contains("cannot read"), "{error}");
}

#[tokio::test]
async fn clients_that_never_finish_a_handshake_keep_nobody_waiting_and_are_closed() {
    let limits = Limits { handshake: Duration::from_millis(300), ..Limits::default() };
    let (server, authority, _) = start(limits).await;
    let mut stalled = Vec::new();
    for number in 0..40 {
        let mut socket = TcpStream::connect(server.address()).await.expect("the listener accepts");
        if number % 2 == 0 {
            // The head of a record whose content never comes.
            socket.write_all(&[22, 3, 1, 2, 0]).await.expect("it is open");
        }
        stalled.push(socket);
    }
    let channel = authority.endpoint(&server).connect().await.expect("others begin meanwhile");
    CatalogServiceClient::new(channel).list_games(ListGamesRequest {}).await.expect("an answer");
    for mut socket in stalled {
        let closed = async { while socket.read(&mut [0; 64]).await.is_ok_and(|read| read > 0) {} };
        tokio::time::timeout(Duration::from_secs(20), closed).await.expect("the server closes it");
    }
}
