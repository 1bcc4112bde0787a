//! The guard of the page: it refuses foreign names and foreign sites, and adds the headers that hold a page to its own server.

use std::net::IpAddr;
use std::sync::LazyLock;

use ahu_host::PICTURE_STYLE;
use axum::body::Body;
use axum::extract::{MatchedPath, Request, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HOST, ORIGIN, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Version};
use axum::middleware::Next;
use axum::response::Response;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256};
use tonic::Status;

use super::Page;
use super::answer::plain;
use crate::admission::MCP;
use crate::limits::WEB_BODY_TIME;
use crate::metrics::Route;

/// The sources that a page may use: its own server, and the stylesheet of pictures.
static POLICY: LazyLock<HeaderValue> = LazyLock::new(|| {
    let style = STANDARD.encode(Sha256::digest(PICTURE_STYLE));
    let policy = format!(
        "default-src 'self'; style-src 'self' 'sha256-{style}'; frame-ancestors 'none'; base-uri 'none'; \
         form-action 'none'; object-src 'none'"
    );
    HeaderValue::from_str(&policy).expect("the policy has no control characters")
});

/// The content type of gRPC, which the format of its messages may follow.
const GRPC: &str = "application/grpc";

/// Returns true if a request comes from a browser, not from a client of gRPC.
pub(crate) fn is_of_browser(version: Version, headers: &HeaderMap) -> bool {
    version < Version::HTTP_2 || !has_grpc(headers)
}

fn has_grpc(headers: &HeaderMap) -> bool {
    let format = headers.get(CONTENT_TYPE).and_then(|value| value.as_bytes().strip_prefix(GRPC.as_bytes()));
    // gRPC-Web is another protocol.
    format.is_some_and(|format| matches!(format.first(), None | Some(b'+' | b';' | b' ')))
}

/// Returns the refusal of a call in another protocol than gRPC, such as gRPC-Web or Connect; None for all other requests.
pub(crate) fn refused_protocol(path: &str, headers: &HeaderMap) -> Option<Response> {
    let content_type = headers.get(CONTENT_TYPE).map_or("", |value| value.to_str().unwrap_or("?"));
    let is_call = path.starts_with("/ahu.v1.") || path.starts_with("/grpc.") || content_type.starts_with(GRPC);
    if !is_call || has_grpc(headers) {
        return None;
    }
    let message = format!("expected gRPC, with the content type {GRPC}, got \"{}\"", content_type.escape_debug());
    let mut answer = plain(StatusCode::UNSUPPORTED_MEDIA_TYPE, message);
    answer.extensions_mut().insert(Route("refused".to_owned()));
    Some(answer)
}

/// Answers a request of a browser if the request names this server. Requests of gRPC clients pass as they are.
pub(super) async fn admit(State(page): State<Page>, request: Request, next: Next) -> Response {
    if !is_of_browser(request.version(), request.headers()) {
        return next.run(request).await;
    }
    let route = request.extensions().get::<MatchedPath>().map_or("unknown", MatchedPath::as_str);
    let route = Route(format!("{} {route}", method_name(request.method())));
    let is_api = request.uri().path().starts_with("/api") || request.uri().path() == MCP;
    let mut answer = match refused(&page, &request) {
        Some(answer) => answer,
        // An answer is ready in milliseconds once the request is there; a stream begins at once.
        None => tokio::time::timeout(WEB_BODY_TIME, next.run(request)).await.unwrap_or_else(|_| {
            let message = format!("expected the whole request within {} s", WEB_BODY_TIME.as_secs());
            plain(StatusCode::REQUEST_TIMEOUT, message)
        }),
    };
    let headers = answer.headers_mut();
    headers.insert(CONTENT_SECURITY_POLICY, POLICY.clone());
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    if is_api {
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    answer.extensions_mut().insert(route);
    answer
}

/// Answers requests for paths that the server does not have.
pub(super) async fn no_page(request: Request) -> Response {
    if !is_of_browser(request.version(), request.headers()) {
        return Status::unimplemented("").into_http::<()>().map(|()| Body::empty());
    }
    plain(StatusCode::NOT_FOUND, "expected the path of a page of this server, such as /".to_owned())
}

/// Returns the name of a method in metrics. A caller can invent methods, and each would stay in memory.
fn method_name(method: &Method) -> &str {
    let is_known = [Method::GET, Method::HEAD, Method::POST, Method::DELETE].contains(method);
    if is_known { method.as_str() } else { "OTHER" }
}

/// Returns the refusal of a request; None if it is admitted.
fn refused(page: &Page, request: &Request) -> Option<Response> {
    let headers = request.headers();
    let named = headers.get(HOST).and_then(|host| host.to_str().ok());
    let host = named.or_else(|| request.uri().authority().map(Authority::as_str)).unwrap_or_default();
    if let Some(refusal) = foreign_host(page, host) {
        return Some(refusal);
    }
    if has_grpc(headers) {
        let message = "expected HTTP/2 for gRPC, got HTTP/1.1".to_owned();
        return Some(plain(StatusCode::HTTP_VERSION_NOT_SUPPORTED, message));
    }
    let is_reading = matches!(*request.method(), Method::GET | Method::HEAD);
    let is_tool = request.uri().path() == MCP && is_of_no_page(headers);
    if !is_reading && !is_tool && !is_of_own_page(headers, host) {
        let message = "expected a request of the page of this server: the header Sec-Fetch-Site with same-origin or \
                       none, or the header Origin with the address of this server";
        return Some(plain(StatusCode::FORBIDDEN, message.to_owned()));
    }
    None
}

/// Returns the refusal of a request for a foreign host. A site can give its own name to the address of this server, and its
/// pages would read what this server answers.
fn foreign_host(page: &Page, host: &str) -> Option<Response> {
    let message = format!(
        "expected localhost, an address, or a name that the operator has given with --host-name, got the host \"{}\"",
        host.escape_debug()
    );
    (!is_own_name(page, host)).then(|| plain(StatusCode::MISDIRECTED_REQUEST, message))
}

/// Answers a request beside the page if it names no foreign host. Only programs that are no browsers name none at all.
pub(crate) async fn admit_host(State(page): State<Page>, request: Request, next: Next) -> Response {
    let host = request.headers().get(HOST).map(|host| host.to_str().unwrap_or_default());
    match host.and_then(|host| foreign_host(&page, host)) {
        Some(refusal) => refusal,
        None => next.run(request).await,
    }
}

/// Returns true if browsers may reach the server by this host, which may have a port.
fn is_own_name(page: &Page, host: &str) -> bool {
    let Ok(authority) = host.parse::<Authority>() else { return false };
    let name = authority.host().trim_start_matches('[').trim_end_matches(']');
    // Neither the name of a user nor an empty port belongs to a host.
    let is_whole = !host.contains('@') && (authority.port_u16().is_some() || authority.host() == host);
    is_whole && (name.eq_ignore_ascii_case("localhost") || name.parse::<IpAddr>().is_ok() || page.has_name(name))
}

/// Returns true if a request that changes something comes from the page of this server.
fn is_of_own_page(headers: &HeaderMap, host: &str) -> bool {
    match headers.get("sec-fetch-site") {
        Some(site) => matches!(site.as_bytes(), b"same-origin" | b"none"),
        None => headers.get(ORIGIN).and_then(|origin| origin.to_str().ok()).is_some_and(|origin| {
            origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://")) == Some(host)
        }),
    }
}

/// Returns true if a request comes from no page at all: browsers add these headers to each request that changes something.
fn is_of_no_page(headers: &HeaderMap) -> bool {
    !headers.contains_key("sec-fetch-site") && !headers.contains_key(ORIGIN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_a_loopback_name_an_address_or_a_name_of_the_operator() {
        let page = Page::new(vec!["games.example".to_owned()]);
        for own in
            ["localhost", "LOCALHOST:80", "127.0.0.1:50551", "10.1.2.3", "[::1]:50551", "[::1]", "Games.example:1"]
        {
            assert!(is_own_name(&page, own), "{own}");
        }
        for other in [
            "",
            "evil.example",
            "localhost.evil.example",
            "localhost:x",
            "[::1",
            "[::1]x",
            "games.example:",
            "x@localhost:80",
        ] {
            assert!(!is_own_name(&page, other), "{other}");
        }
    }
}
