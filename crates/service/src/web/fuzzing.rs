//! The requests of a browser: methods, paths, queries, headers, and bodies.

use crate::fuzzing::{SERVER, ask};

/// Takes a method and a path on the first line, headers on the next lines, and after an empty line a body. The words
/// `{running}`, `{token}`, and `{ended}` stand for the matches of the server.
pub fn run(bytes: &[u8]) -> bool {
    let split = bytes.windows(2).position(|two| two == b"\n\n");
    let (head, body) = split.map_or((bytes, &b""[..]), |at| (&bytes[..at], &bytes[at + 2..]));
    let Ok(head) = std::str::from_utf8(head) else { return false };
    let server = &*SERVER;
    let names = [("{running}", &server.unfinished), ("{token}", &server.token), ("{ended}", &server.ended)];
    let filled = |text: &str| names.iter().fold(text.to_owned(), |text, (name, value)| text.replace(name, value));
    let head = filled(head);
    let body = std::str::from_utf8(body).map_or_else(|_| body.to_vec(), |body| filled(body).into_bytes());
    let mut lines = head.lines();
    let first = lines.next().unwrap_or_default();
    // The framing of a message belongs to another target.
    let is_framing = |line: &&str| {
        let name = line.split(':').next().unwrap_or_default().trim().to_lowercase();
        ["content-length", "transfer-encoding", "connection", "expect", "upgrade"].contains(&&*name)
    };
    let own: String = lines.filter(|line| !is_framing(line)).map(|line| line.to_owned() + "\r\n").collect();
    let host = if own.to_lowercase().contains("host:") { "" } else { "Host: localhost\r\n" };
    let head = format!("{first} HTTP/1.1\r\n{host}{own}Connection: close\r\nContent-Length: {}\r\n\r\n", body.len());
    let request = [head.as_bytes(), &body].concat();
    let answer = ask(&request, is_stream_with_event);
    if answer.is_empty() && is_followed_by_preface(&request) {
        return false;
    }
    let text = String::from_utf8_lossy(&answer);
    let status = text.strip_prefix("HTTP/1.1 ").and_then(|rest| rest.get(..3)?.parse::<u16>().ok());
    let status = status.unwrap_or_else(|| panic!("expected an answer to {head:?}, got {text:?}"));
    assert!(status < 500 || [503, 505].contains(&status), "{head:?}: {text}");
    let (fields, content) = text.split_once("\r\n\r\n").expect("a head has an end");
    let fields = fields.to_lowercase();
    let is_ours = fields.contains("content-security-policy");
    // The guard adds its headers to every answer but those of the parser of HTTP and of the shares.
    assert!(is_ours || [400, 414, 431, 429, 405].contains(&status), "{head:?}: {text}");
    if fields.contains("content-type: application/json") && !fields.contains("transfer-encoding") {
        let is_head = first.starts_with("HEAD");
        let value = serde_json::from_str::<serde_json::Value>(content);
        assert!(is_head || value.is_ok(), "{head:?}: {text}");
    }
    status < 400
}

/// Returns true if the preface of HTTP/2 follows the head of a request. If such a head has a wrong target, hyper takes the
/// connection for one of HTTP/2, and closes it without an answer.
fn is_followed_by_preface(request: &[u8]) -> bool {
    let end = request.windows(4).position(|four| four == b"\r\n\r\n").expect("a head has an end");
    // hyper skips empty lines before a head.
    let next = request[end..].iter().position(|byte| !b"\r\n".contains(byte)).unwrap_or(0);
    request[end + next..].starts_with(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
}

/// Returns true if an answer is a stream with an event; such an answer has no end.
fn is_stream_with_event(answer: &[u8]) -> bool {
    let text = String::from_utf8_lossy(answer);
    text.split_once("\r\n\r\n").is_some_and(|(head, content)| {
        head.to_lowercase().contains("text/event-stream") && (content.contains("\n\n") || content.contains("\n\r\n"))
    })
}

/// Returns a request for each route of the page.
#[cfg(test)]
pub fn seeds() -> Vec<Vec<u8>> {
    let own = "sec-fetch-site: same-origin";
    let token = "Cookie: ahu-seat-0={token}";
    let mut requests = vec![
        "GET /".to_owned(),
        "GET /matches/{running}".to_owned(),
        "GET /site/main.js\nIf-None-Match: \"00\"".to_owned(),
        "GET /api/server\nHost: games.example:80".to_owned(),
        "GET /api/matches?state=ended&game=rappanui&label=key%3Dvalue".to_owned(),
        format!("GET /api/matches/{{running}}\n{token}"),
        format!("GET /api/matches/{{running}}/events?as=0&after=1\n{token}"),
        "GET /api/matches/{ended}/events?as=all\nLast-Event-ID: 3".to_owned(),
        "GET /api/matches/{ended}/board?as=1&after=5".to_owned(),
        "GET /api/matches/{ended}/log?as=public".to_owned(),
        format!("GET /api/matches/{{running}}/debug?as=0\n{token}"),
        format!("POST /api/matches/{{running}}/debug?as=0\n{token}\n{own}\n\n{{\"pace\":\"step\"}}"),
        format!("POST /api/matches/{{running}}/seat\n{own}\n\n{{\"token\":\"{{token}}\"}}"),
        format!("DELETE /api/matches/{{running}}/seat\n{own}"),
        "GET /api/matches/{ended}/replay?as=all".to_owned(),
        "GET /api/matches/{ended}/replay/board?as=0&ply=9".to_owned(),
        "GET /api/cups".to_owned(),
        "GET /api/games/giants/rules".to_owned(),
    ];
    let records = ahu_fuzz_targets::playthroughs();
    let short = ahu_fuzz_targets::short(&records[0], 12).to_text();
    requests.push(format!("POST /api/record?as=all\n{own}\n\n{short}"));
    requests.push(format!("POST /api/record/board?ply=7\n{own}\n\n{short}"));
    requests.into_iter().map(String::into_bytes).collect()
}
