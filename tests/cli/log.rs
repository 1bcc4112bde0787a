//! `ahu serve` whose log cannot be written, or is not read.

use std::fs::File;
use std::io::{BufRead, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, ChildStdout, Stdio};

use ahu_service::proto::v1::match_service_client::MatchServiceClient;
use ahu_service::proto::v1::{CreateMatchRequest, JoinMatchRequest, MatchSpec, join_match_request};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tokio::runtime::{self, Runtime};
use tonic::transport::Channel;

use crate::ahu;

/// A server that ends when this value is dropped.
struct Server {
    process: Child,
    address: String,
    metrics: String,
    runtime: Runtime,
    _stdout: BufReader<ChildStdout>,
}

impl Server {
    /// Starts a server that writes its log here.
    fn start(log: impl Into<Stdio>) -> Self {
        let mut serve = ahu(&["serve", "--listen", "127.0.0.1:0", "--metrics", "127.0.0.1:0", "--log-format", "json"]);
        serve.env("AHU_LOG", "trace");
        let mut process = serve.stdout(Stdio::piped()).stderr(log).spawn().expect("it starts");
        let mut stdout = BufReader::new(process.stdout.take().expect("it is a pipe"));
        let mut find = |start: &str| {
            let mut lines = stdout.by_ref().lines().map(|line| line.expect("text"));
            lines.find_map(|line| line.strip_prefix(start).map(str::to_owned)).expect("a line")
        };
        let address = find("ahu listens on ");
        let metrics = find("metrics are served on http://").replace("/metrics", "");
        let runtime = runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        Self { process, address, metrics, runtime, _stdout: stdout }
    }

    /// Creates a match, and returns its id.
    fn create(&self) -> String {
        let spec = MatchSpec { game: "rappanui".to_owned(), seat_count: 2, ..Default::default() };
        let game = CreateMatchRequest { spec: Some(spec), request_id: String::new() };
        self.runtime.block_on(async {
            let created = self.matches().await.create_match(game).await.expect("an answer").into_inner();
            created.r#match.expect("it is described").match_id
        })
    }

    async fn matches(&self) -> MatchServiceClient<Channel> {
        MatchServiceClient::connect(format!("http://{}", self.address)).await.expect("the server listens")
    }

    /// Returns the number of lines that were dropped.
    fn dropped(&self) -> u64 {
        let mut stream = TcpStream::connect(&self.metrics).expect("it listens");
        write!(stream, "GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").expect("it is sent");
        let mut page = String::new();
        stream.read_to_string(&mut page).expect("an answer");
        let value = page.lines().find_map(|line| line.strip_prefix("ahu_log_lines_dropped_total "));
        value.expect("a counter").parse().expect("a number")
    }

    /// Ends the server with SIGTERM. Returns true if it ends with success.
    fn terminate(&mut self) -> bool {
        kill_process(Pid::from_child(&self.process), Signal::TERM).expect("it runs");
        self.process.wait().expect("it is ours").success()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
fn a_server_whose_log_cannot_be_written_serves_counts_and_ends_as_usual() {
    let closed = || Stdio::from(std::io::pipe().expect("a pipe").1);
    let full = || Stdio::from(File::options().write(true).open("/dev/full").expect("Linux has the file"));
    for log in [closed(), full()] {
        let mut server = Server::start(log);
        server.create();
        server.create();
        while server.dropped() == 0 {
            server.create();
        }
        assert!(server.terminate());
    }
}

#[test]
fn a_server_whose_log_nobody_reads_answers_and_tells_later_what_it_dropped() {
    let (log, unread) = std::io::pipe().expect("a pipe");
    let mut server = Server::start(unread);
    while server.dropped() == 0 {
        server.create();
    }
    let lines = BufReader::new(log).lines().map(|line| line.expect("text"));
    let lines = lines.map(|line| serde_json::from_str::<Value>(&line).expect("JSON"));
    let told = lines.filter_map(|line| {
        let (count, _) = line["message"].as_str()?.split_once(" lines of the log were dropped since the start")?;
        Some((line["level"].clone(), count.parse::<u64>().expect("a number")))
    });
    let (level, count) = { told }.next().expect("a line");
    assert!(level == "ERROR" && count > 0, "{level} {count}");
    // Nobody reads the pipe any more.
    server.create();
    assert!(server.terminate());
}

#[test]
fn the_log_has_no_token_of_a_seat_and_no_words_of_strangers() {
    let mut log = tempfile::NamedTempFile::new().expect("a file");
    let mut server = Server::start(log.reopen().expect("it is there"));
    let match_id = server.create();
    let target = Some(join_match_request::Target::MatchId(match_id.clone()));
    let asked = JoinMatchRequest { target, ..Default::default() };
    let joined = server.runtime.block_on(async { server.matches().await.join_match(asked).await }).expect("an answer");
    let token = joined.into_inner().assigned.expect("a seat").seat_token;
    // The tools for language models name the match and the token in the arguments of each call.
    let arguments = json!({"match": format!("{match_id}:{token}")});
    let tool = |name: &str| {
        let params = json!({"name": name, "arguments": arguments});
        let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).to_string();
        let mut stream = TcpStream::connect(&server.address).expect("it listens");
        let head = "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
                    Accept: application/json, text/event-stream\r\nConnection: close\r\n";
        write!(stream, "{head}Content-Length: {}\r\n\r\n{call}", call.len()).expect("it is sent");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        answer
    };
    assert!(tool("no-tool").contains("no-tool"), "strangers read their own words");
    let answer = tool("look");
    assert!(answer.contains("The match has not begun"), "the call has reached its seat: {answer}");
    assert!(server.terminate());
    let mut text = String::new();
    log.read_to_string(&mut text).expect("a log is text");
    assert!(text.contains("match created") && text.contains(&match_id), "{text}");
    assert!(!text.contains(&token) && !text.contains("no-tool"), "{text}");
}

#[test]
fn a_server_goes_on_when_nobody_reads_its_first_lines() {
    let folder = tempfile::tempdir().expect("a folder");
    let (mut ready, writes) = std::io::pipe().expect("a pipe");
    let mut serve = ahu(&["serve", "--listen", "127.0.0.1:0", "--ready-fd", "2", "--data"]);
    let stdout = std::io::pipe().expect("a pipe").1;
    let mut process =
        serve.arg(folder.path()).env("AHU_LOG", "off").stdout(stdout).stderr(writes).spawn().expect("it starts");
    ready.read_exact(&mut [0]).expect("the server listens");
    kill_process(Pid::from_child(&process), Signal::TERM).expect("it runs");
    assert!(process.wait().expect("it is ours").success());
}
