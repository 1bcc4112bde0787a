//! `/mcp`: the tools for language models, over HTTP.
//!
//! Each request is one call, with credentials of its own: `authorization: Bearer` with a key or with the token of a seat, or
//! `ahu-key`. A tool calls the services through the layer of all calls, from the address of the request. So scopes, shares,
//! rates, and the audit are those of gRPC, and a stranger gets no more here than there. There are no sessions, and no
//! streams: each answer is one message.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::HeaderValue;
use axum::http::header::ACCEPT;
use axum::response::Response;
use axum::routing::any;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use tonic::codegen::Service as _;

use crate::accounts::KeyText;
use crate::admission::{KEY, MCP, Payment, TrustedProxies, origin};
use crate::limits::MAX_REQUEST_BYTES;
use crate::matches::Matches;
use crate::mcp::{Caller, Handler, Keep, NoStream, Recall, ServerLink};
use crate::secrets::TokenHash;

/// The state of the route.
#[derive(Clone)]
struct Tools {
    http: StreamableHttpService<Handler, NeverSessionManager>,
    /// The services that the tools call, with the layer of all calls.
    services: Router,
    proxies: Arc<TrustedProxies>,
}

/// Returns the route of the tools, which call these services of the server with these matches and proxies.
pub(crate) fn route(services: Router, matches: Matches, proxies: Arc<TrustedProxies>) -> Router {
    let of_recall = matches.clone();
    let recall: Recall = Arc::new(move |match_id, token, first| {
        let matches = of_recall.clone();
        Box::pin(async move {
            let found = matches.find(&match_id).await;
            found.map_or_else(|_| Vec::new(), |live| live.answers(TokenHash::of(&token), first))
        })
    });
    let keep: Keep = Arc::new(move |match_id, token| {
        let matches = matches.clone();
        Box::pin(async move { matches.find(&match_id).await.ok()?.attached(TokenHash::of(&token)) })
    });
    let handler = Handler::of_many(recall, keep);
    // The guard of the page checks hosts and origins, and the layer of calls ends what waits when the server closes.
    let config = StreamableHttpServerConfig::default()
        .disable_allowed_hosts()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_max_request_body_bytes(MAX_REQUEST_BYTES);
    let http =
        StreamableHttpService::new(move || Ok(handler.clone()), Arc::new(NeverSessionManager::default()), config);
    Router::new().route(MCP, any(serve)).with_state(Tools { http, services, proxies })
}

async fn serve(State(Tools { mut http, services, proxies }): State<Tools>, mut request: Request) -> Response {
    if let Some(payment) = request.extensions().get::<Payment>() {
        // The calls of the tool take room for themselves, and would wait for the room of this one.
        payment.fit(0);
    }
    let caller = caller(services, &request, &proxies);
    request.extensions_mut().insert(caller);
    admit_json_alone(&mut request);
    match http.call(request).await {
        Ok(answer) => answer.map(Body::new),
    }
}

/// Admits a client that reads JSON and no streams. The protocol wants both of a client, but not all clients do.
fn admit_json_alone(request: &mut Request) {
    let accepted: Vec<_> = request.headers().get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok()).collect();
    let accepts = |kind: &str| accepted.iter().any(|accepted| accepted.contains(kind));
    let (is_silent, streams) = (accepted.is_empty(), accepts("text/event-stream"));
    if is_silent || accepts("application/json") || accepts("*/*") || accepts("application/*") {
        request.headers_mut().insert(ACCEPT, HeaderValue::from_static("application/json, text/event-stream"));
        if !streams {
            request.extensions_mut().insert(NoStream);
        }
    }
}

/// Returns the caller of the calls that a tool makes for a request.
fn caller(services: Router, request: &Request, proxies: &TrustedProxies) -> Caller {
    let (headers, link) = (request.headers(), ServerLink::within(services, origin(request, proxies)));
    let bearer = TokenHash::text_in(headers).map(str::to_owned);
    let (bearer_key, token) = match bearer {
        Some(bearer) if KeyText::is_like(&bearer) => (Some(bearer), None),
        bearer => (None, bearer),
    };
    let key = headers.get(KEY).map(|key| key.to_str().unwrap_or_default().to_owned()).or(bearer_key);
    Caller { link, key, token }
}
