//! The targets of private code (`fuzz/targets/lib.rs`), and a server for those that send it bytes. It listens on a Unix socket,
//! and runs as long as the process.

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::panic;
use std::path::PathBuf;
use std::sync::{LazyLock, Mutex, mpsc};
use std::time::Duration;

use ahu_core::Seed;
use ahu_host::find;
use tokio::signal::unix::{SignalKind, signal};

pub use crate::admission::{connection_bytes, forwarded_header};
pub use crate::store::encoding::fuzzing as store_encoding;
pub use crate::web::fuzzing as page_requests;
use crate::{Clock, Limits, MatchConfig, Matches, Page, Rate, Server, Share, SupervisorConfig, TrustedProxies, lock};

ahu_fuzz_targets::replays! {
    connection_bytes
    forwarded_header
    page_requests
    store_encoding
}

/// The name of the threads of the server.
const THREAD: &str = "fuzzed server";

/// The threads on which a server answers, by their names.
const SERVER_THREADS: [&str; 3] = [THREAD, "beside", "environments"];

/// The panics of these threads, which a server catches.
static PANICS: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// The time in which a server ends a connection whose client has ended it.
const PATIENCE: Duration = Duration::from_secs(20);

/// A running server, and its matches.
#[derive(Debug)]
pub(crate) struct Running {
    socket: PathBuf,
    /// The id of a match in progress, and the token of its seat 0.
    pub(crate) unfinished: String,
    pub(crate) token: String,
    /// The id of a match that bots have played to its end.
    pub(crate) ended: String,
}

/// The server. Its rates and shares hold up no input, and its clock stands still.
pub(crate) static SERVER: LazyLock<Running> = LazyLock::new(|| {
    let others = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        if std::thread::current().name().is_some_and(|name| SERVER_THREADS.contains(&name)) {
            lock(&PANICS).push(info.to_string());
        }
        others(info);
    }));
    let (ready, running) = mpsc::channel();
    std::thread::Builder::new()
        .name(THREAD.to_owned())
        .spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().thread_name(THREAD).build();
            runtime.expect("the system has a runtime").block_on(serve(&ready));
        })
        .expect("the system has threads");
    running.recv().expect("the server starts")
});

async fn serve(ready: &mpsc::Sender<Running>) {
    // The runtime of Rust ignores this signal, and a fuzzer has another runtime.
    let _pipe = signal(SignalKind::pipe()).expect("a signal can be handled");
    let mut limits = Limits { matches: 64, environments: 256, bot_playouts: 2, ..Limits::default() };
    for rate in Rate::ALL {
        limits.local_rates[rate] = 10_000_000;
    }
    limits.local_shares[Share::Connections] = 10_000;
    let matches = Matches::with_clock(limits, None, Clock::manual());
    let rules = find("rappanui").expect("it is in the catalog");
    let setup = rules.configure(2, &[]).expect("the defaults fit");
    let random = rules.bot("random").expect("each game has it");
    let config = MatchConfig { seed: Some(Seed(3)), ..MatchConfig::new(setup) };
    let supervisor = Some(SupervisorConfig::Author { pauses: false });
    let running = matches.host(MatchConfig { is_unlisted: true, supervisor, ..config.clone() }).expect("there is room");
    let (_, token) = running.join(Some(0), "moai").expect("the seat is open");
    running.join(Some(1), "ahu").expect("the seat is open");
    let ended = matches.host(MatchConfig { bots: vec![Some(random); 2], ..config }).expect("there is room");
    let mut changes = ended.changes();
    while !ended.has_ended() {
        changes.changed().await.expect("the match is hosted");
    }
    // The name is one of this process alone, and on Linux it is no file.
    let name = format!("ahu-fuzz-{}", std::process::id());
    let socket = match cfg!(target_os = "linux") {
        true => PathBuf::from(format!("\0{name}")),
        false => std::env::temp_dir().join(name),
    };
    let listener = tokio::net::UnixListener::bind(&socket).expect("the name is free");
    let [unfinished, ended] = [&running, &ended].map(|live| live.id.to_string());
    ready.send(Running { socket, unfinished, token, ended }).expect("the first input waits");
    let mut proxies = TrustedProxies::default();
    proxies.add("10.0.0.0/8").expect("a network");
    let server = Server::from(matches).with_page(Page::new(vec!["games.example".to_owned()])).with_proxies(proxies);
    crate::run(listener, server, std::future::pending()).await.expect("it serves");
}

/// Connects to the server.
fn connect() -> UnixStream {
    #[cfg(target_os = "linux")]
    let stream = {
        use std::os::linux::net::SocketAddrExt as _;
        use std::os::unix::ffi::OsStrExt as _;
        let name = &SERVER.socket.as_os_str().as_bytes()[1..];
        std::os::unix::net::SocketAddr::from_abstract_name(name).and_then(|address| UnixStream::connect_addr(&address))
    };
    #[cfg(not(target_os = "linux"))]
    let stream = UnixStream::connect(&SERVER.socket);
    let stream = stream.expect("the server accepts");
    stream.set_read_timeout(Some(PATIENCE)).expect("it is above 0");
    stream
}

/// Sends bytes, ends the connection, and returns everything that the server sends.
pub(crate) fn converse(bytes: &[u8]) -> Vec<u8> {
    let mut stream = connect();
    // The server may close the connection before it has read all of it.
    let _ = stream.write_all(bytes).and_then(|()| stream.shutdown(Shutdown::Write));
    read(stream, |_| false)
}

/// Sends a request, and returns the answer up to its end, or up to a place where `is_enough` holds.
pub(crate) fn ask(request: &[u8], is_enough: impl Fn(&[u8]) -> bool) -> Vec<u8> {
    let mut stream = connect();
    let _ = stream.write_all(request);
    read(stream, is_enough)
}

fn read(mut stream: UnixStream, is_enough: impl Fn(&[u8]) -> bool) -> Vec<u8> {
    let (mut answer, mut part) = (Vec::new(), [0; 16 * 1024]);
    while !is_enough(&answer) {
        match stream.read(&mut part) {
            Ok(0) => break,
            Ok(count) => answer.extend(&part[..count]),
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                panic!("the server holds the connection; it sent {:?}", String::from_utf8_lossy(&answer));
            }
            // A signal of the fuzzer.
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            // A reset is an end too.
            Err(_) => break,
        }
    }
    let panics = std::mem::take(&mut *lock(&PANICS));
    assert!(panics.is_empty(), "the server panicked: {}", panics.join("\n"));
    answer
}
