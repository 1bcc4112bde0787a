//! The link of a call from a tool to the services of a server: a connection, or a router in this process.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Router;
use http_body_util::{BodyExt as _, Full};
use prost::bytes::Bytes;
use tokio::time::{Instant, sleep};
use tonic::body::Body;
use tonic::codegen::{BoxFuture, Service, StdError, http};
use tonic::transport::Channel;

/// The pause before a call whose answer is lost is sent again.
const PAUSE: Duration = Duration::from_millis(500);
/// The time for which a call whose answer is lost is sent again. With the longest wait of a tool it stays below the minute for
/// which clients wait.
const PATIENCE: Duration = Duration::from_secs(15);

type Request = http::Request<Body>;
type Response = http::Response<Body>;

/// A link to the services of a server. Clones are the same link.
#[derive(Clone)]
pub struct ServerLink(Arc<dyn Fn(Request) -> BoxFuture<Response, StdError> + Send + Sync>);

opaque!(ServerLink);

impl ServerLink {
    /// Returns the link over a connection. A call whose answer is lost is sent again for a while: each call of the tools has the
    /// same answer if it comes twice.
    pub fn over(channel: Channel) -> Self {
        Self(Arc::new(move |request| {
            let channel = channel.clone();
            Box::pin(async move {
                let (head, body) = request.into_parts();
                let body = body.collect().await?.to_bytes();
                let until = Instant::now() + PATIENCE;
                loop {
                    match sent(channel.clone(), &head, &body).await {
                        Err(error) if Instant::now() >= until => return Err(error),
                        Err(_) => sleep(PAUSE).await,
                        answered => return answered,
                    }
                }
            })
        }))
    }

    /// Returns the link to a router in this process. `prepare` adds to each request what the layers of the router expect.
    pub fn within(router: Router, prepare: impl Fn(&mut Request) + Send + Sync + 'static) -> Self {
        Self(Arc::new(move |mut request| {
            let mut router = router.clone();
            prepare(&mut request);
            Box::pin(async move {
                // A router is always ready.
                let answer = router.call(request.map(axum::body::Body::new)).await?;
                Ok(answer.map(Body::new))
            })
        }))
    }
}

/// Sends a call once, and returns its whole answer.
async fn sent(mut channel: Channel, head: &http::request::Parts, body: &Bytes) -> Result<Response, StdError> {
    poll_fn(|context| channel.poll_ready(context)).await?;
    let request = Request::from_parts(head.clone(), Body::new(Full::new(body.clone())));
    let (head, body) = channel.call(request).await?.into_parts();
    let whole = body.collect().await?;
    let trailers = whole.trailers().cloned().map(Ok);
    let body = Full::new(whole.to_bytes()).with_trailers(async { trailers });
    Ok(Response::from_parts(head, Body::new(body)))
}

impl Service<Request> for ServerLink {
    type Response = Response;
    type Error = StdError;
    type Future = BoxFuture<Response, StdError>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), StdError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request) -> Self::Future {
        (self.0)(request)
    }
}
