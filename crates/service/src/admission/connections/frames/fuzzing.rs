//! The bytes of a connection: counted as frames, and answered by a server with all its services.

use super::FrameCounter;
use crate::fuzzing::converse;

/// Takes a number that says where reads end, and the bytes that a client sends.
pub fn run(bytes: &[u8]) -> bool {
    let Some((&size, sent)) = bytes.split_first() else { return false };
    let mut at_once = FrameCounter::default();
    let expected = at_once.cost(&mut sent.to_vec());
    let mut counter = FrameCounter::default();
    assert_eq!(sent.to_vec().chunks_mut(usize::from(size) + 1).map(|part| counter.cost(part)).sum::<u32>(), expected);
    assert_eq!(counter.is_http1(), at_once.is_http1());
    !converse(sent).is_empty()
}

/// Returns connections of HTTP/2 with a call each, and one of HTTP/1.1.
#[cfg(test)]
pub fn seeds() -> Vec<Vec<u8>> {
    use crate::proto::v1;
    use prost::Message;

    /// Returns a frame.
    fn frame(kind: u8, flags: u8, stream: u8, content: &[u8]) -> Vec<u8> {
        let length = (content.len() as u32).to_be_bytes();
        [&length[1..], &[kind, flags, 0, 0, 0, stream], content].concat()
    }
    /// Returns a field of a header, without the tables of HPACK.
    fn field(name: &str, value: &str) -> Vec<u8> {
        [&[0, name.len() as u8], name.as_bytes(), &[value.len() as u8], value.as_bytes()].concat()
    }
    /// Returns a connection with one call.
    fn call(path: &str, message: &[u8]) -> Vec<u8> {
        let fields = [
            (":method", "POST"),
            (":scheme", "http"),
            (":path", path),
            (":authority", "localhost"),
            ("content-type", "application/grpc"),
            ("te", "trailers"),
        ];
        let fields: Vec<u8> = fields.into_iter().flat_map(|(name, value)| field(name, value)).collect();
        let message = [&[0][..], &(message.len() as u32).to_be_bytes(), message].concat();
        let frames = [
            frame(4, 0, 0, &[]),
            frame(4, 1, 0, &[]),
            frame(1, 4, 1, &fields),
            frame(0, 1, 1, &message),
            frame(6, 0, 0, &[7; 8]),
            frame(8, 0, 0, &[0, 0, 1, 0]),
            frame(3, 0, 1, &[0, 0, 0, 8]),
            frame(7, 0, 0, &[0; 8]),
        ];
        [&[63][..], b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", &frames.concat()].concat()
    }
    let create = v1::MatchSpec { game: "rappanui".to_owned(), seat_count: 2, ..Default::default() };
    let list = v1::ListMatchesRequest::default();
    let open =
        v1::run_request::Open { game: "giants".to_owned(), seat_count: 3, environment_count: 2, ..Default::default() };
    let run = v1::RunRequest { request: Some(v1::run_request::Request::Open(open)) };
    vec![
        call("/ahu.v1.MatchService/CreateMatch", &create.encode_to_vec()),
        call("/ahu.v1.MatchService/ListMatches", &list.encode_to_vec()),
        call("/ahu.v1.EnvironmentService/Run", &run.encode_to_vec()),
        call("/grpc.health.v1.Health/Check", &[]),
        b"\x10GET /api/server HTTP/1.1\r\nHost: localhost\r\n\r\nGET / HTTP/1.1\r\nHost: localhost\r\n\r\n".to_vec(),
    ]
}
