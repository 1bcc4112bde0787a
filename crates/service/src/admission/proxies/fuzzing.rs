//! The header in which a proxy forwards the address of its client.

use super::TrustedProxies;
use tonic::codegen::http::{HeaderMap, HeaderValue};

/// The address that the proxy sees.
const CLIENT: &str = "203.0.113.9";

/// The names of two headers that proxies write.
const NAMES: [&str; 2] = ["x-forwarded-for", "forwarded"];

fn trusted() -> TrustedProxies {
    let mut proxies = TrustedProxies::default();
    for text in ["10.0.0.0/8", "2001:db8:1::/48", "192.0.2.7"] {
        proxies.add(text).expect("a network");
    }
    proxies
}

/// Takes lines of headers of a client. The first byte of a line chooses the header.
pub fn run(bytes: &[u8]) -> bool {
    let (mut proxies, mut is_read) = (trusted(), false);
    let mut own = HeaderMap::new();
    for line in bytes.split(|&byte| byte == b'\n') {
        let Some((name, value)) = line.split_first() else { continue };
        if let Ok(value) = HeaderValue::from_bytes(value) {
            own.append(NAMES[usize::from(name % 2)], value);
        }
    }
    let client = CLIENT.parse().expect("an address");
    for (name, value) in NAMES.into_iter().zip([CLIENT.to_owned(), format!("for={CLIENT}")]) {
        // The proxy appends to the header that it writes, in a line of its own or in the last line. The other header passes.
        proxies.set_header(name).expect("the name of a header");
        let read = proxies.forwarded(&own);
        assert!(!proxies.has(read), "a proxy is not a client: {read:?}");
        is_read |= read.is_some();
        let mut separate = own.clone();
        separate.append(name, HeaderValue::from_str(&value).expect("a value"));
        let mut joined = own.clone();
        let lines: Vec<_> = own.get_all(name).iter().cloned().collect();
        joined.remove(name);
        let (last, rest) = lines.split_last().map_or((&b""[..], &[][..]), |(last, rest)| (last.as_bytes(), rest));
        for line in rest {
            joined.append(name, line.clone());
        }
        let last = [last, b", ", value.as_bytes()].concat();
        joined.append(name, HeaderValue::from_bytes(&last).expect("parts of values"));
        for headers in [separate, joined] {
            let read = proxies.forwarded(&headers);
            // A client can take its own address away, and can never choose another.
            let is_unreadable = read.is_none() && is_not_text(&headers, name);
            assert!(read == Some(client) || is_unreadable, "{headers:?}: {read:?}");
        }
    }
    let _ = TrustedProxies::default().add(&String::from_utf8_lossy(bytes));
    is_read
}

/// Returns true if the last line has bytes that are no text, so that the whole line is not read.
fn is_not_text(headers: &HeaderMap, name: &str) -> bool {
    headers.get_all(name).iter().next_back().is_some_and(|line| line.to_str().is_err())
}

/// Returns headers as proxies write them.
#[cfg(test)]
pub fn seeds() -> Vec<Vec<u8>> {
    let lines = [
        "0198.51.100.1, 203.0.113.9, 10.0.0.2,192.0.2.7",
        "0203.0.113.9:4711",
        "0[2001:db8:2::5]:4711\n0::ffff:10.0.0.1",
        "1for=198.51.100.1;proto=https, For=\"[2001:db8:2::5]:4711\", for=10.1.1.1",
        "1for=203.0.113.9;proto=https;by=10.0.0.1\n0203.0.113.9",
    ];
    lines.map(|line| line.as_bytes().to_vec()).into()
}
