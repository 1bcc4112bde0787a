//! The floods: attackers of one address, bounded in number and memory.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

use ahu_service::proto::v1::environment_service_client::EnvironmentServiceClient;
use ahu_service::proto::v1::match_service_client::MatchServiceClient;
use ahu_service::proto::v1::run_request::{Open, Request, Reset};
use ahu_service::proto::v1::{
    BotSeat, CreateMatchRequest, MatchSpec, ObservationFormats, ObserveRequest, RunRequest, RunResponse,
    WatchMatchRequest,
};
use rustix::process::{Resource, Rlimit, getrlimit, nice, setrlimit};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio_stream::wrappers::ReceiverStream;
use tonic::transport::Channel;
use tonic::{Status, Streaming};

use crate::attackers::{Counts, channel, fast_matches, keep, kind, note, open_match, waiting};
use crate::{Done, answers, counts_text, handshakes, short};

/// A kind of attack.
pub(crate) struct Flood {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    /// The opponent of the client of the other address.
    pub(crate) bot: &'static str,
    /// True for a flood of a port that speaks TLS.
    pub(crate) is_secure: bool,
    attack: fn(String) -> Attack,
}

/// An attack that has reached its height once it is done.
type Attack = Pin<Box<dyn Future<Output = Done<Counts>> + Send>>;

/// All floods.
pub(crate) const FLOODS: [Flood; 29] = [
    Flood {
        name: "idle-sockets",
        about: "6,000 sockets that send nothing",
        bot: "random",
        is_secure: false,
        attack: |address| Box::pin(idle_sockets(address)),
    },
    Flood {
        name: "unopened-streams",
        about: "4,000 streams of environments without `open`",
        bot: "random",
        is_secure: false,
        attack: |address| Box::pin(unopened_streams(address)),
    },
    Flood {
        name: "never-reading-streams",
        about: "200 streams of 1,024 environments, whose batches nobody reads",
        bot: "random",
        is_secure: false,
        attack: |address| Box::pin(never_reading_streams(address)),
    },
    Flood {
        name: "never-reading-sockets",
        about: "300 connections that send pings and read no answer",
        bot: "random",
        is_secure: false,
        attack: |address| Box::pin(never_reading_sockets(address)),
    },
    Flood {
        name: "pings",
        about: "16 connections that send pings as fast as they can, and read the answers",
        bot: "random",
        is_secure: false,
        attack: |address| Box::pin(pings(address)),
    },
    Flood {
        name: "slow-readers",
        about: "300 connections with 50 calls of GetGame each, which read 100 bytes a second",
        bot: "random",
        is_secure: false,
        attack: |address| Box::pin(slow_readers(address)),
    },
    Flood {
        name: "rapid-resets",
        about: "16 connections whose calls are reset as soon as they are sent",
        bot: "random",
        is_secure: false,
        attack: |address| Box::pin(rapid_resets(address)),
    },
    Flood {
        name: "rapid-watchers",
        about: "16 clients that watch a match and leave at once, again and again",
        bot: "random",
        is_secure: false,
        attack: |address| Box::pin(rapid_watchers(address)),
    },
    Flood {
        name: "never-reading-watchers",
        about: "480 watchers of one fast match, whose messages nobody reads",
        bot: "random",
        is_secure: false,
        attack: |address| Box::pin(never_reading_watchers(address)),
    },
    Flood {
        name: "woken-calls",
        about: "300 clients that wait for each event of one fast match",
        bot: "random",
        is_secure: false,
        attack: |address| Box::pin(woken_calls(address)),
    },
    Flood {
        name: "waiting-calls",
        about: "60,000 calls that wait, over 40 connections",
        bot: "random",
        is_secure: false,
        attack: |address| Box::pin(waiting_calls(address)),
    },
    Flood {
        name: "matches",
        about: "12,000 matches that nobody joins",
        bot: "random",
        is_secure: false,
        attack: |address| Box::pin(create_matches(address, 12_000, |_| (2, "rappanui", Vec::new()))),
    },
    Flood {
        name: "bot-matches",
        about: "4,000 matches of bots alone, with searches of 1,000 playouts",
        bot: "random",
        is_secure: false,
        attack: |address| Box::pin(create_matches(address, 4_000, bots_alone)),
    },
    Flood {
        name: "searches",
        about: "32 matches of bots alone with searches of 1,000 playouts, while others play against search:50",
        bot: "search:50",
        is_secure: false,
        attack: |address| Box::pin(create_matches(address, 32, bots_alone)),
    },
    Flood {
        name: "timed-searches",
        about: "32 matches of bots alone with searches of 2 s, while others play against search:50",
        bot: "search:50",
        is_secure: false,
        attack: |address| Box::pin(create_matches(address, 32, timed_bots_alone)),
    },
    Flood {
        name: "lists",
        about: "64 clients that list 2,000 matches with 16 labels each, again and again",
        bot: "random",
        is_secure: false,
        attack: |address| Box::pin(answers::lists(address)),
    },
    Flood {
        name: "unread-lists",
        about: "300 pages of the largest size, whose clients read nothing",
        bot: "random",
        is_secure: false,
        attack: |address| Box::pin(answers::unread_lists(address)),
    },
    Flood {
        name: "uploads",
        about: "200 uploads of record files that lack their last byte",
        bot: "random",
        is_secure: false,
        attack: |address| Box::pin(answers::uploads(address)),
    },
    Flood {
        name: "messages",
        about: "4,000 calls whose messages of 64 KiB lack their last byte",
        bot: "random",
        is_secure: false,
        attack: |address| Box::pin(answers::messages(address)),
    },
    Flood {
        name: "records",
        about: "64 clients that fetch the record of a long match, again and again",
        bot: "random",
        is_secure: false,
        attack: |address| Box::pin(answers::records(address)),
    },
    Flood {
        name: "boards",
        about: "64 browsers that draw positions of a long match, again and again",
        bot: "random",
        is_secure: false,
        attack: |address| Box::pin(answers::boards(address)),
    },
    Flood {
        name: "event-streams",
        about: "480 browsers that watch a fast match and read nothing",
        bot: "random",
        is_secure: false,
        attack: |address| Box::pin(answers::event_streams(address)),
    },
    Flood {
        name: "past-watchers",
        about: "400 watchers that ask for a match that has ended from its beginning on, again and again",
        bot: "random",
        is_secure: false,
        attack: |address| Box::pin(answers::past_watchers(address)),
    },
    Flood {
        name: "unread-pages",
        about: "64 clients that ask for the stream of a page of a match that has ended, and hang up",
        bot: "random",
        is_secure: false,
        attack: |address| Box::pin(answers::unread_pages(address)),
    },
    Flood {
        name: "quick-matches",
        about: "64 clients that start matches of quick bots without end",
        bot: "random",
        is_secure: false,
        attack: |address| Box::pin(short::quick_matches(address)),
    },
    Flood {
        name: "deadlines",
        about: "128 tasks whose calls have a deadline of a millisecond",
        bot: "random",
        is_secure: false,
        attack: |address| Box::pin(short::deadlines(address)),
    },
    Flood {
        name: "headers",
        about: "64 clients whose calls have 60 headers",
        bot: "random",
        is_secure: false,
        attack: |address| Box::pin(short::headers(address)),
    },
    Flood {
        name: "handshakes",
        about: "64 clients that begin TLS, let the server sign, and leave, again and again",
        bot: "random",
        is_secure: true,
        attack: |address| Box::pin(handshakes::begun(address)),
    },
    Flood {
        name: "unfinished-handshakes",
        about: "6,000 sockets that send half of the first message of TLS",
        bot: "random",
        is_secure: true,
        attack: |address| Box::pin(handshakes::unfinished(address)),
    },
];

/// The time in which an attack has to reach its height.
pub(crate) const HEIGHT: Duration = Duration::from_secs(10);
/// The end of an attack that nobody ends.
const END: Duration = Duration::from_secs(60);

/// Attacks a server until this process is killed. Prints a line once the attack has reached its height.
pub(crate) async fn attack(flood: &Flood, address: &str) -> Done {
    // The attackers get only the cores that nobody else wants.
    nice(19)?;
    let maximum = getrlimit(Resource::Nofile).maximum;
    setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum })?;
    let counts = tokio::time::timeout(HEIGHT, (flood.attack)(address.to_owned())).await;
    let counts = counts.unwrap_or_else(|_| Ok([("attack goes on".to_owned(), 1)].into()))?;
    println!("{}", counts_text(&counts));
    tokio::time::sleep(END).await;
    Ok(())
}

async fn idle_sockets(address: String) -> Done<Counts> {
    open_sockets(&address, &[]).await
}

/// Opens 6,000 sockets that send these bytes, and tells how many the server keeps.
pub(crate) async fn open_sockets(address: &str, bytes: &[u8]) -> Done<Counts> {
    let mut counts = Counts::new();
    let mut sockets = Vec::new();
    for _ in 0..6_000 {
        match tokio::time::timeout(Duration::from_secs(3), TcpStream::connect(address)).await {
            Ok(Ok(mut socket)) => {
                // The server may have closed it.
                let _ = socket.write_all(bytes).await;
                sockets.push(socket);
            }
            Ok(Err(error)) => note(&mut counts, error.kind().to_string()),
            Err(_) => {
                note(&mut counts, "without an answer, which ends the flood");
                break;
            }
        }
    }
    tokio::time::sleep(Duration::from_secs(1)).await;
    for socket in sockets {
        // The server sends its settings, and then the end of a connection that it closes.
        let is_open = match socket.try_read(&mut [0; 1_024]) {
            Ok(count) => count > 0,
            Err(error) => error.kind() == std::io::ErrorKind::WouldBlock,
        };
        if is_open {
            keep(socket);
        }
        note(&mut counts, if is_open { "open" } else { "closed at once" });
    }
    Ok(counts)
}

/// Starts a stream of environments.
async fn stream(channel: &Channel) -> Result<(mpsc::Sender<RunRequest>, Streaming<RunResponse>), Status> {
    let (requests, queue) = mpsc::channel(64);
    let answers = EnvironmentServiceClient::new(channel.clone()).run(ReceiverStream::new(queue)).await?;
    Ok((requests, answers.into_inner()))
}

async fn unopened_streams(address: String) -> Done<Counts> {
    let mut counts = Counts::new();
    let mut channels = Vec::new();
    for _ in 0..4 {
        channels.push(channel(&address).await?);
    }
    for n in 0..4_000 {
        match stream(&channels[n % channels.len()]).await {
            Ok(stream) => {
                note(&mut counts, "accepted");
                keep(stream);
            }
            Err(status) => note(&mut counts, kind(&status)),
        }
    }
    Ok(counts)
}

async fn never_reading_streams(address: String) -> Done<Counts> {
    let mut counts = Counts::new();
    for _ in 0..200 {
        let channel = channel(&address).await?;
        match stream(&channel).await {
            Ok((requests, answers)) => {
                let open = Open {
                    game: "rapanui_board".to_owned(),
                    seat_count: 4,
                    environment_count: 1_024,
                    ..Default::default()
                };
                requests.send(RunRequest { request: Some(Request::Open(open)) }).await?;
                note(&mut counts, "accepted");
                keep((channel, answers));
                tokio::spawn(async move {
                    while requests.send(RunRequest { request: Some(Request::Reset(Reset::default())) }).await.is_ok() {}
                });
            }
            Err(status) => note(&mut counts, kind(&status)),
        }
    }
    Ok(counts)
}

/// The begin of HTTP/2 with windows of 2 GiB, so that the server may send all that it has.
fn begin() -> Vec<u8> {
    let mut bytes = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec();
    // Settings: the initial window of a stream.
    bytes.extend([0, 0, 6, 4, 0, 0, 0, 0, 0, 0, 4, 0x7f, 0xff, 0xff, 0xff]);
    // The window of the connection, beside the 65,535 bytes that it has.
    bytes.extend([0, 0, 4, 8, 0, 0, 0, 0, 0, 0x7f, 0xff, 0, 0]);
    bytes
}

/// The frames of a call of `GetGame`.
fn get_game(number: u32) -> Vec<u8> {
    let literal = |index: u8, value: &str| {
        let mut bytes = vec![index, value.len() as u8];
        bytes.extend(value.as_bytes());
        bytes
    };
    // POST, http, the path, the authority, the content type, and trailers.
    let mut head = vec![0x83, 0x86];
    head.extend(literal(0x04, "/ahu.v1.CatalogService/GetGame"));
    head.extend(literal(0x01, "ahu"));
    head.extend([0x0f, 0x10]);
    head.extend(&literal(0, "application/grpc")[1..]);
    head.extend([0]);
    head.extend(&literal(0, "te")[1..]);
    head.extend(&literal(0, "trailers")[1..]);
    let message = b"\x00\x00\x00\x00\x0f\x0a\x0drapanui_board";
    let frame = |kind: u8, flags: u8, content: &[u8]| {
        let mut bytes = (content.len() as u32).to_be_bytes()[1..].to_vec();
        bytes.extend([kind, flags]);
        bytes.extend((2 * number + 1).to_be_bytes());
        bytes.extend(content);
        bytes
    };
    [frame(1, 4, &head), frame(0, 1, message)].concat()
}

async fn never_reading_sockets(address: String) -> Done<Counts> {
    let mut counts = Counts::new();
    let pings = b"\x00\x00\x08\x06\x00\x00\x00\x00\x0012345678".repeat(1_000);
    for _ in 0..300 {
        let mut socket = TcpStream::connect(&address).await?;
        socket.write_all(&begin()).await?;
        note(&mut counts, "opened");
        let pings = pings.clone();
        tokio::spawn(async move { while socket.write_all(&pings).await.is_ok() {} });
    }
    tokio::time::sleep(Duration::from_secs(2)).await;
    Ok(counts)
}

async fn pings(address: String) -> Done<Counts> {
    let pings = b"\x00\x00\x08\x06\x00\x00\x00\x00\x0012345678".repeat(1_000);
    for _ in 0..16 {
        let (mut read, mut write) = TcpStream::connect(&address).await?.into_split();
        write.write_all(&begin()).await?;
        let pings = pings.clone();
        tokio::spawn(async move { while write.write_all(&pings).await.is_ok() {} });
        tokio::spawn(async move {
            let mut answers = vec![0; 65_536];
            while read.read(&mut answers).await.is_ok_and(|count| count > 0) {}
        });
    }
    tokio::time::sleep(Duration::from_secs(1)).await;
    Ok([("connections that send pings".to_owned(), 16)].into())
}

async fn slow_readers(address: String) -> Done<Counts> {
    let mut counts = Counts::new();
    for _ in 0..300 {
        let mut socket = TcpStream::connect(&address).await?;
        socket.write_all(&begin()).await?;
        for number in 0..50 {
            socket.write_all(&get_game(number)).await?;
        }
        note(&mut counts, "opened");
        tokio::spawn(async move {
            let mut bytes = [0; 100];
            while socket.read(&mut bytes).await.is_ok_and(|count| count > 0) {
                tokio::time::sleep(Duration::from_secs(1)).await;
            }
        });
    }
    tokio::time::sleep(Duration::from_secs(2)).await;
    Ok(counts)
}

async fn rapid_resets(address: String) -> Done<Counts> {
    for _ in 0..16 {
        let channel = channel(&address).await?;
        let match_id = open_match(&channel).await?;
        for _ in 0..8 {
            let (mut client, match_id) = (MatchServiceClient::new(channel.clone()), match_id.clone());
            tokio::spawn(async move {
                loop {
                    // The call is reset when its future is dropped. An error means the same to this client.
                    let call = client.get_match(waiting(&match_id));
                    let _ = tokio::time::timeout(Duration::from_micros(100), call).await;
                }
            });
        }
    }
    tokio::time::sleep(Duration::from_secs(1)).await;
    Ok([("tasks that reset calls".to_owned(), 128)].into())
}

async fn waiting_calls(address: String) -> Done<Counts> {
    let mut counts = Counts::new();
    let mut refused = JoinSet::new();
    let mut channels = Vec::new();
    for _ in 0..40 {
        let channel = channel(&address).await?;
        let match_id = open_match(&channel).await?;
        channels.push((channel, match_id));
    }
    for (channel, match_id) in channels {
        for _ in 0..1_500 {
            let (mut client, match_id) = (MatchServiceClient::new(channel.clone()), match_id.clone());
            refused.spawn(async move { client.get_match(waiting(&match_id)).await.map(drop) });
        }
    }
    let early = async {
        while let Some(answer) = refused.join_next().await {
            if let Ok(Err(status)) = answer {
                note(&mut counts, kind(&status));
            }
        }
    };
    // Those that wait are answered later.
    let _ = tokio::time::timeout(Duration::from_secs(3), early).await;
    counts.insert("waiting".to_owned(), refused.len());
    keep(refused);
    Ok(counts)
}

async fn rapid_watchers(address: String) -> Done<Counts> {
    let current = fast_matches(&address).await?;
    for _ in 0..16 {
        let (mut client, current) = (MatchServiceClient::new(channel(&address).await?), current.clone());
        tokio::spawn(async move {
            loop {
                let match_id = current.borrow().clone();
                // The stream ends when it is dropped. An error means the same to this client.
                drop(client.watch_match(WatchMatchRequest { match_id, public_view: true, ..Default::default() }).await);
            }
        });
    }
    tokio::time::sleep(Duration::from_secs(1)).await;
    Ok([("clients that watch and leave".to_owned(), 16)].into())
}

async fn never_reading_watchers(address: String) -> Done<Counts> {
    let mut counts = Counts::new();
    let current = fast_matches(&address).await?;
    for _ in 0..480 {
        let channel = channel(&address).await?;
        let (mut client, mut current) = (MatchServiceClient::new(channel), current.clone());
        note(&mut counts, "watchers");
        tokio::spawn(async move {
            let formats = Some(ObservationFormats { text: true, ..Default::default() });
            loop {
                let match_id = current.borrow_and_update().clone();
                let formats = formats.clone();
                let watch = WatchMatchRequest {
                    match_id,
                    public_view: true,
                    events_after: Some(0),
                    formats,
                    ..Default::default()
                };
                let _stream = client.watch_match(watch).await;
                if current.changed().await.is_err() {
                    return;
                }
            }
        });
    }
    Ok(counts)
}

async fn woken_calls(address: String) -> Done<Counts> {
    let current = fast_matches(&address).await?;
    for _ in 0..300 {
        let (mut client, current) = (MatchServiceClient::new(channel(&address).await?), current.clone());
        tokio::spawn(async move {
            let mut after = 0;
            loop {
                let match_id = current.borrow().clone();
                let formats = Some(ObservationFormats { text: true, ..Default::default() });
                let (events_after, wait) = (Some(after), Duration::from_secs(30).try_into().ok());
                let observe =
                    ObserveRequest { match_id, public_view: true, formats, events_after, wait, ..Default::default() };
                // A match that has ended answers at once, until the next one begins.
                let answer = client.observe(observe).await.ok().and_then(|answer| answer.into_inner().observation);
                after = answer.and_then(|shown| Some(shown.events.last()?.number)).unwrap_or(0);
            }
        });
    }
    tokio::time::sleep(Duration::from_secs(1)).await;
    Ok([("clients that wait for each event".to_owned(), 300)].into())
}

/// Returns the seats, the game, and the bots of a match of bots alone.
fn bots_alone(_: usize) -> (u32, &'static str, Vec<BotSeat>) {
    let bots = (0..4).map(|seat| BotSeat { seat: Some(seat), bot: "search:1000".to_owned() });
    (4, "rapanui_board", bots.collect())
}

/// Returns the same with searches that have a budget of time.
fn timed_bots_alone(_: usize) -> (u32, &'static str, Vec<BotSeat>) {
    let bots = (0..4).map(|seat| BotSeat { seat: Some(seat), bot: "search:2000ms".to_owned() });
    (4, "rapanui_board", bots.collect())
}

async fn create_matches(
    address: String,
    count: usize,
    of: fn(usize) -> (u32, &'static str, Vec<BotSeat>),
) -> Done<Counts> {
    let mut counts = Counts::new();
    let mut creating = JoinSet::new();
    for worker in 0..8 {
        let channel = channel(&address).await?;
        creating.spawn(async move {
            let mut counts = Counts::new();
            for n in (worker..count).step_by(8) {
                let (seat_count, game, bots) = of(n);
                let spec = MatchSpec { game: game.to_owned(), seat_count, bots, ..Default::default() };
                match MatchServiceClient::new(channel.clone())
                    .create_match(CreateMatchRequest { spec: Some(spec), ..Default::default() })
                    .await
                {
                    Ok(_) => note(&mut counts, "created"),
                    Err(status) => note(&mut counts, kind(&status)),
                }
            }
            counts
        });
    }
    while let Some(worker) = creating.join_next().await {
        for (what, number) in worker? {
            *counts.entry(what).or_default() += number;
        }
    }
    Ok(counts)
}
