//! The origin of a call, for calls that a handler makes in the place of its caller.

use axum::extract::Request;
use axum::http::HeaderMap;
use tonic::codegen::http;

use super::connections::ConnectionInfo;
use super::proxies::FORWARDING;

/// The connection of a call, and the address that a proxy forwards with it.
#[derive(Clone, Debug)]
pub(crate) struct Origin {
    connection: Option<ConnectionInfo>,
    forwarded: HeaderMap,
}

impl Origin {
    /// Returns the origin of a request.
    pub(crate) fn of(request: &Request) -> Self {
        let connection = request.extensions().get().cloned();
        let mut forwarded = HeaderMap::new();
        for name in FORWARDING {
            for value in request.headers().get_all(name) {
                forwarded.append(name, value.clone());
            }
        }
        Self { connection, forwarded }
    }

    /// Gives this origin to a request within the process.
    pub(crate) fn lend<B>(&self, request: &mut http::Request<B>) {
        request.headers_mut().extend(self.forwarded.clone());
        if let Some(connection) = self.connection.clone() {
            request.extensions_mut().insert(connection);
        }
    }
}
