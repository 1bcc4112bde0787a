//! The origin of a call, for calls that a handler makes in the place of its caller.

use axum::extract::Request;
use axum::http::HeaderMap;
use tonic::codegen::http;

use super::connections::ConnectionInfo;
use super::proxies::FORWARDING;

/// Returns a function that gives the origin of a request to requests within the process: its connection, and the address that a
/// proxy forwards with it.
pub(crate) fn origin<B>(of: &Request) -> impl Fn(&mut http::Request<B>) + Send + Sync + use<B> {
    let connection: Option<ConnectionInfo> = of.extensions().get().cloned();
    let mut forwarded = HeaderMap::new();
    for name in FORWARDING {
        for value in of.headers().get_all(name) {
            forwarded.append(name, value.clone());
        }
    }
    move |request| {
        request.headers_mut().extend(forwarded.clone());
        if let Some(connection) = connection.clone() {
            request.extensions_mut().insert(connection);
        }
    }
}
