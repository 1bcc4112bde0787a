//! gzip for browsers: whole answers, and streams whose large parts are compressed once for all who get them.
//!
//! A part of a stream is compressed as blocks that refer to nothing before them, so the same bytes fit into any stream. The
//! checksum at the end of a stream follows from those of its parts.

use std::io::Write as _;
use std::sync::Arc;

use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::header::{ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, VARY};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use flate2::write::GzEncoder;
use flate2::{Compress, Compression, Crc, FlushCompress, Status};
use prost::bytes::Bytes;

/// The header of a gzip stream without a name and a time.
const HEAD: [u8; 10] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255];

/// The size from which a whole answer is compressed, in bytes.
const WORTH: u64 = 1024;

/// The size from which an answer is compressed beside the threads that answer, in bytes.
const LARGE: usize = 32 * 1024;

/// The most bytes in a block that is not compressed.
const BLOCK: usize = u16::MAX as usize;

/// A part of a stream, plain and as blocks of `deflate`.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    pub(crate) plain: Bytes,
    blocks: Bytes,
    checksum: Arc<Crc>,
}

impl Part {
    /// Creates a part that is compressed, for many streams.
    pub(crate) fn shared(plain: Bytes) -> Self {
        let mut compress = Compress::new(Compression::default(), false);
        let mut blocks = Vec::with_capacity(plain.len() / 4 + 64);
        loop {
            let rest = &plain[compress.total_in() as usize..];
            // The last call has room left over, so that the flush is whole.
            blocks.reserve(rest.len() / 2 + 64);
            let status = compress.compress_vec(rest, &mut blocks, FlushCompress::Full).expect("the level is valid");
            let is_whole = compress.total_in() as usize == plain.len() && blocks.len() < blocks.capacity();
            if is_whole || status == Status::StreamEnd {
                break;
            }
        }
        Self { checksum: Arc::new(checksum(&plain)), blocks: blocks.into(), plain }
    }

    /// Creates a part for one stream, which costs no time to compress.
    pub(crate) fn own(plain: Bytes) -> Self {
        let mut blocks = Vec::with_capacity(plain.len() + 5);
        for block in plain.chunks(BLOCK) {
            let length = block.len() as u16;
            blocks.push(0);
            blocks.extend(length.to_le_bytes());
            blocks.extend((!length).to_le_bytes());
            blocks.extend(block);
        }
        Self { checksum: Arc::new(checksum(&plain)), blocks: blocks.into(), plain }
    }
}

fn checksum(bytes: &[u8]) -> Crc {
    let mut checksum = Crc::new();
    checksum.update(bytes);
    checksum
}

/// The writer of a stream, in gzip if the browser takes it.
#[derive(Debug)]
pub(crate) struct Stream {
    /// The checksum so far; None for a plain stream.
    checksum: Option<Crc>,
}

impl Stream {
    /// Begins a stream for a request with these headers. Returns the bytes with which it begins too.
    pub(crate) fn new(headers: &HeaderMap) -> (Self, Bytes) {
        let checksum = takes_gzip(headers).then(Crc::new);
        let head = if checksum.is_some() { Bytes::from_static(&HEAD) } else { Bytes::new() };
        (Self { checksum }, head)
    }

    /// Returns the encoding of the stream; None for a plain one.
    pub(crate) fn encoding(&self) -> Option<HeaderValue> {
        self.checksum.is_some().then(|| HeaderValue::from_static("gzip"))
    }

    /// Returns the bytes of a part.
    pub(crate) fn write(&mut self, part: &Part) -> Bytes {
        match &mut self.checksum {
            Some(checksum) => {
                checksum.combine(&part.checksum);
                part.blocks.clone()
            }
            None => part.plain.clone(),
        }
    }

    /// Returns the bytes with which the stream ends.
    pub(crate) fn end(&self) -> Bytes {
        let Some(checksum) = &self.checksum else { return Bytes::new() };
        let mut end = vec![1, 0, 0, 0xFF, 0xFF];
        end.extend(checksum.sum().to_le_bytes());
        end.extend(checksum.amount().to_le_bytes());
        end.into()
    }
}

/// Returns true if the sender of these headers takes gzip.
fn takes_gzip(headers: &HeaderMap) -> bool {
    let accepted = headers.get_all(ACCEPT_ENCODING).iter().filter_map(|value| value.to_str().ok());
    accepted.flat_map(|value| value.split(',')).any(|coding| {
        let (name, weight) = coding.split_once(';').unwrap_or((coding, ""));
        name.trim().eq_ignore_ascii_case("gzip") && weight.replace(' ', "").trim_end_matches(['0', '.']) != "q="
    })
}

/// Returns bytes in gzip.
fn packed(plain: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::with_capacity(plain.len() / 3), Compression::default());
    encoder.write_all(plain).expect("a vector grows");
    encoder.finish().expect("a vector grows")
}

/// Compresses a whole answer that is worth it, if the browser takes gzip. Streams, which have no length, compress themselves.
pub(crate) async fn whole(request: Request, next: Next) -> Response {
    let takes_gzip = takes_gzip(request.headers());
    let answer = next.run(request).await;
    let (mut head, body) = answer.into_parts();
    let is_text = head.headers.get(CONTENT_TYPE).is_some_and(|kind| {
        let kind = kind.to_str().unwrap_or_default();
        kind.starts_with("text/") && kind != "text/event-stream"
            || kind == "application/json"
            || kind == "image/svg+xml"
    });
    if !is_text || head.headers.contains_key(CONTENT_ENCODING) {
        return Response::from_parts(head, body);
    }
    head.headers.append(VARY, HeaderValue::from_static("accept-encoding"));
    let size = http_body::Body::size_hint(&body).exact();
    if !takes_gzip || size.is_none_or(|size| size < WORTH) {
        return Response::from_parts(head, body);
    }
    let Ok(plain) = to_bytes(body, usize::MAX).await else { return Response::from_parts(head, Body::empty()) };
    // The threads that answer everybody are not held up by a large answer.
    let packed = match plain.len() < LARGE {
        true => Ok(packed(&plain)),
        false => tokio::task::spawn_blocking(move || packed(&plain)).await,
    };
    let Ok(packed) = packed else { return StatusCode::INTERNAL_SERVER_ERROR.into_response() };
    head.headers.remove(CONTENT_LENGTH);
    head.headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    Response::from_parts(head, packed.into())
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use flate2::read::GzDecoder;

    use super::*;

    fn headers(accepted: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(ACCEPT_ENCODING, HeaderValue::from_static(accepted))])
    }

    #[test]
    fn parts_of_many_sizes_make_one_stream() {
        let text = |length: usize| (0..length).map(|at| (at * at % 97) as u8).collect::<Vec<u8>>();
        let parts: Vec<Part> = [0, 1, 7, 300, 70_000, 200_000]
            .into_iter()
            .flat_map(|length| [Part::shared(text(length).into()), Part::own(text(length + 3).into())])
            .collect();
        // The same parts fit into several streams, in any order.
        for order in [parts.iter().collect::<Vec<_>>(), parts.iter().rev().collect()] {
            let (mut stream, head) = Stream::new(&headers("br, gzip;q=0.5"));
            let mut bytes = head.to_vec();
            for part in &order {
                bytes.extend(stream.write(part));
            }
            bytes.extend(stream.end());
            let mut read = Vec::new();
            GzDecoder::new(&bytes[..]).read_to_end(&mut read).expect("a stream of gzip");
            assert!(read == order.iter().flat_map(|part| part.plain.to_vec()).collect::<Vec<_>>());
            let (mut plain, head) = Stream::new(&headers("br"));
            let all = order.iter().flat_map(|part| plain.write(part).to_vec()).collect::<Vec<_>>();
            assert!(head.is_empty() && all == read && plain.end().is_empty());
        }
        assert!(parts[10].blocks.len() < parts[10].plain.len() / 20, "{}", parts[10].blocks.len());
    }

    #[test]
    fn a_browser_may_refuse_gzip() {
        assert!(["gzip", "deflate,GZIP ;q=1", "gzip;q=0.1"].into_iter().all(|some| takes_gzip(&headers(some))));
        assert!(!["", "br", "gzip;q=0", "gzip; q=0.0", "xgzip"].into_iter().any(|some| takes_gzip(&headers(some))));
    }
}
