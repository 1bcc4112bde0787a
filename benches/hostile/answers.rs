//! The floods of large answers, and of bodies that do not end.

use std::collections::BTreeMap;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use ahu_service::proto::v1::match_service_client::MatchServiceClient;
use ahu_service::proto::v1::{
    BotSeat, CreateMatchRequest, GetMatchRequest, GetRecordRequest, ListMatchesRequest, MatchSpec, MatchState,
    ObservationFormats, WatchMatchRequest,
};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufStream};
use tokio::net::TcpStream;
use tokio::sync::Mutex;
use tonic::transport::Channel;

use crate::Done;
use crate::attackers::{Counts, channel, fast_matches, keep, kind, note};

/// The number of clients that ask again and again.
pub(crate) const CLIENTS: usize = 64;

/// Runs clients that each make one call after the other, and counts the answers of the first seconds.
pub(crate) async fn repeat<C, F>(call: impl Fn(usize) -> C) -> Done<Counts>
where
    C: FnMut() -> F + Send + 'static,
    F: Future<Output = String> + Send,
{
    let (answers, mut kinds) = tokio::sync::mpsc::unbounded_channel();
    for number in 0..CLIENTS {
        let (mut call, answers) = (call(number), answers.clone());
        tokio::spawn(async move {
            loop {
                let kind = call().await;
                // Nobody counts after the first seconds.
                let _ = answers.send(kind);
            }
        });
    }
    let mut counts = Counts::new();
    let counting = async {
        while let Some(kind) = kinds.recv().await {
            note(&mut counts, kind);
        }
    };
    // It goes on until the time is over.
    let _ = tokio::time::timeout(Duration::from_secs(5), counting).await;
    Ok(counts)
}

/// Creates 2,000 matches with as many labels as they may have.
async fn labelled_matches(address: &str) -> Done {
    let labels: BTreeMap<String, String> = (0..16).map(|n| (format!("label-{n:058}"), "x".repeat(256))).collect();
    let mut client = MatchServiceClient::new(channel(address).await?);
    for _ in 0..2_000 {
        let labels = labels.clone();
        let spec = MatchSpec { game: "rappanui".to_owned(), seat_count: 2, labels, ..Default::default() };
        // Those beyond a share are refused.
        if client.create_match(CreateMatchRequest { spec: Some(spec), ..Default::default() }).await.is_err() {
            break;
        }
    }
    Ok(())
}

pub(crate) async fn lists(address: String) -> Done<Counts> {
    labelled_matches(&address).await?;
    let mut channels = Vec::new();
    for _ in 0..CLIENTS {
        channels.push(channel(&address).await?);
    }
    repeat(move |number| {
        let client = MatchServiceClient::new(channels[number].clone()).max_decoding_message_size(1 << 26);
        move || {
            let mut client = client.clone();
            async move {
                let list = ListMatchesRequest { page_size: 1_000, ..Default::default() };
                client.list_matches(list).await.map_or_else(|status| kind(&status), |_| "pages".to_owned())
            }
        }
    })
    .await
}

/// The frames of one call, with a window for answers of this many bytes.
struct RawCall {
    path: &'static str,
    message: Vec<u8>,
    window: u32,
    /// False if the message lacks its last byte.
    is_whole: bool,
}

impl RawCall {
    /// Opens a connection, and sends this call on as many streams.
    async fn send(&self, address: &str, streams: u32) -> Done<TcpStream> {
        let mut bytes = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec();
        let mut frame = |kind: u8, flags: u8, stream: u32, content: &[u8]| {
            bytes.extend(&(content.len() as u32).to_be_bytes()[1..]);
            bytes.extend([kind, flags]);
            bytes.extend(stream.to_be_bytes());
            bytes.extend(content);
        };
        // Settings: the initial window of a stream.
        frame(4, 0, 0, &[&[0, 4], &self.window.to_be_bytes()[..]].concat());
        let literal = |index: u8, value: &str| [&[index, value.len() as u8], value.as_bytes()].concat();
        // POST, http, the path, the authority, the content type, and trailers.
        let head = [
            vec![0x83, 0x86],
            literal(0x04, self.path),
            literal(0x01, "ahu"),
            vec![0x0f, 0x10],
            literal(0, "application/grpc")[1..].to_vec(),
            literal(0, "te"),
            literal(0, "trailers")[1..].to_vec(),
        ]
        .concat();
        let length = self.message.len() as u32;
        let message = [&[0], &length.to_be_bytes()[..], &self.message].concat();
        for stream in (0..streams).map(|number| 2 * number + 1) {
            frame(1, 4, stream, &head);
            let sent = if self.is_whole { &message[..] } else { &message[..message.len() - 1] };
            let count = sent.len().div_ceil(16_384);
            for (n, part) in sent.chunks(16_384).enumerate() {
                frame(0, u8::from(self.is_whole && n + 1 == count), stream, part);
            }
        }
        let mut socket = TcpStream::connect(address).await?;
        // The server may read no further.
        let _ = tokio::time::timeout(Duration::from_millis(200), socket.write_all(&bytes)).await;
        Ok(socket)
    }
}

pub(crate) async fn unread_lists(address: String) -> Done<Counts> {
    labelled_matches(&address).await?;
    // The field `page_size`, number 3, is 1,000.
    let list = RawCall {
        path: "/ahu.v1.MatchService/ListMatches",
        message: vec![0x18, 0xe8, 0x07],
        window: 0,
        is_whole: true,
    };
    for _ in 0..30 {
        keep(list.send(&address, 10).await?);
    }
    Ok([("pages that nobody reads".to_owned(), 300)].into())
}

pub(crate) async fn messages(address: String) -> Done<Counts> {
    let call =
        RawCall { path: "/ahu.v1.MatchService/GetMatch", message: vec![0; 65_536], window: 65_535, is_whole: false };
    for _ in 0..200 {
        keep(call.send(&address, 20).await?);
    }
    Ok([("calls without an end".to_owned(), 4_000)].into())
}

pub(crate) async fn uploads(address: String) -> Done<Counts> {
    let mut counts = Counts::new();
    for _ in 0..200 {
        let mut socket = TcpStream::connect(&address).await?;
        let head = "POST /api/record HTTP/1.1\r\nHost: localhost\r\nSec-Fetch-Site: same-origin\r\nContent-Length: 4000000\r\n\r\n";
        socket.write_all(head.as_bytes()).await?;
        let sent = tokio::time::timeout(Duration::from_millis(500), socket.write_all(&vec![b'x'; 3_999_999])).await;
        note(&mut counts, if matches!(sent, Ok(Ok(()))) { "uploads sent" } else { "uploads that are not read" });
        keep(socket);
    }
    Ok(counts)
}

/// Plays a match of bots to its end, and returns its id.
async fn long_match(channel: &Channel) -> Done<String> {
    let bots = (0..4).map(|seat| BotSeat { seat: Some(seat), bot: "random".to_owned() }).collect();
    let spec = MatchSpec { game: "rapanui_board".to_owned(), seat_count: 4, bots, ..Default::default() };
    let mut client = MatchServiceClient::new(channel.clone());
    let match_id = client
        .create_match(CreateMatchRequest { spec: Some(spec), ..Default::default() })
        .await?
        .into_inner()
        .r#match
        .ok_or("expected a match")?
        .match_id;
    loop {
        let wait = Duration::from_secs(30).try_into().ok();
        let found = client.get_match(GetMatchRequest { match_id: match_id.clone(), wait }).await?.into_inner();
        if found.r#match.is_some_and(|found| found.state() == MatchState::Finished) {
            return Ok(match_id);
        }
    }
}

pub(crate) async fn records(address: String) -> Done<Counts> {
    let mut channels = Vec::new();
    for _ in 0..CLIENTS {
        channels.push(channel(&address).await?);
    }
    let match_id = long_match(&channels[0]).await?;
    repeat(move |number| {
        let (client, match_id) = (MatchServiceClient::new(channels[number].clone()), match_id.clone());
        move || {
            let (mut client, match_id) = (client.clone(), match_id.clone());
            async move {
                let get = GetRecordRequest { match_id, ..Default::default() };
                client.get_record(get).await.map_or_else(|status| kind(&status), |_| "records".to_owned())
            }
        }
    })
    .await
}

/// Asks for a board, and returns the status. The connection stays open.
async fn board(socket: &mut BufStream<TcpStream>, match_id: &str, after: usize) -> Done<String> {
    let head = format!("GET /api/matches/{match_id}/board?as=public&after={after} HTTP/1.1\r\nHost: localhost\r\n\r\n");
    socket.write_all(head.as_bytes()).await?;
    socket.flush().await?;
    let (mut status, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        if socket.read_line(&mut line).await? == 0 {
            return Err("the server closes the connection".into());
        }
        match line.trim().split_once(' ') {
            None if line.trim().is_empty() => break,
            Some(("HTTP/1.1", rest)) => status = rest.to_owned(),
            Some((name, value)) if name.eq_ignore_ascii_case("content-length:") => length = value.parse()?,
            _ => {}
        }
    }
    socket.read_exact(&mut vec![0; length]).await?;
    Ok(status)
}

pub(crate) async fn boards(address: String) -> Done<Counts> {
    let match_id = long_match(&channel(&address).await?).await?;
    let mut sockets = Vec::new();
    for _ in 0..CLIENTS {
        sockets.push(Arc::new(Mutex::new(BufStream::new(TcpStream::connect(&address).await?))));
    }
    repeat(move |number| {
        let (socket, match_id, mut after) = (Arc::clone(&sockets[number]), match_id.clone(), number);
        move || {
            let (socket, match_id) = (Arc::clone(&socket), match_id.clone());
            after = after % 100 + 1;
            let after = after;
            async move {
                board(&mut *socket.lock().await, &match_id, after).await.unwrap_or_else(|error| error.to_string())
            }
        }
    })
    .await
}

pub(crate) async fn event_streams(address: String) -> Done<Counts> {
    let current = fast_matches(&address).await?;
    for _ in 0..480 {
        let (mut socket, match_id) = (TcpStream::connect(&address).await?, current.borrow().clone());
        let head = format!("GET /api/matches/{match_id}/events?as=public&after=0 HTTP/1.1\r\nHost: localhost\r\n\r\n");
        socket.write_all(head.as_bytes()).await?;
        keep(socket);
    }
    Ok([("streams that nobody reads".to_owned(), 480)].into())
}

pub(crate) async fn past_watchers(address: String) -> Done<Counts> {
    let match_id = long_match(&channel(&address).await?).await?;
    for _ in 0..400 {
        let (mut client, match_id) = (MatchServiceClient::new(channel(&address).await?), match_id.clone());
        tokio::spawn(async move {
            let formats = Some(ObservationFormats { text: true, ..Default::default() });
            loop {
                let (match_id, formats) = (match_id.clone(), formats.clone());
                let watch = WatchMatchRequest {
                    match_id,
                    public_view: true,
                    events_after: Some(0),
                    formats,
                    ..Default::default()
                };
                let Ok(stream) = client.watch_match(watch).await else { continue };
                let mut stream = stream.into_inner();
                while let Ok(Some(_)) = stream.message().await {}
            }
        });
    }
    Ok([("watchers of the past".to_owned(), 400)].into())
}

pub(crate) async fn unread_pages(address: String) -> Done<Counts> {
    let match_id = long_match(&channel(&address).await?).await?;
    repeat(move |_| {
        let (address, match_id) = (address.clone(), match_id.clone());
        move || {
            let (address, match_id) = (address.clone(), match_id.clone());
            async move {
                let path = format!("/api/matches/{match_id}/events?as=public&after=0");
                let head = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n");
                let asked = async {
                    let mut socket = TcpStream::connect(&address).await?;
                    socket.write_all(head.as_bytes()).await?;
                    // The first byte of the picture.
                    socket.read_exact(&mut [0; 512]).await.map(drop)
                };
                asked.await.map_or_else(|error| error.kind().to_string(), |()| "pages".to_owned())
            }
        }
    })
    .await
}
