//! The parts that all attackers need: connections, counts of the answers that they got, matches, and calls that wait.

use std::collections::BTreeMap;
use std::time::Duration;

use ahu_service::proto::v1::match_service_client::MatchServiceClient;
use ahu_service::proto::v1::{CreateMatchRequest, GetMatchRequest, MatchSpec};
use tokio::sync::watch;
use tonic::Status;
use tonic::transport::Channel;
use tonic_types::StatusExt;

use crate::{Done, Stepper};

/// The answers that attackers got, by kind.
pub(crate) type Counts = BTreeMap<String, usize>;

/// Keeps a value for as long as this process runs.
pub(crate) fn keep<T: Send + 'static>(value: T) {
    tokio::spawn(async move {
        let _kept = value;
        std::future::pending::<()>().await;
    });
}

/// Returns the kind of a refusal.
pub(crate) fn kind(status: &Status) -> String {
    let details = status.get_error_details();
    match details.error_info() {
        Some(info) => match info.metadata.get("share") {
            Some(share) => format!("{} {share}", info.reason),
            None => info.reason.clone(),
        },
        None => format!("{:?}", status.code()),
    }
}

pub(crate) fn note(counts: &mut Counts, kind: impl Into<String>) {
    *counts.entry(kind.into()).or_default() += 1;
}

pub(crate) async fn channel(address: &str) -> Done<Channel> {
    Ok(Channel::from_shared(format!("http://{address}"))?.connect().await?)
}

/// Keeps a match in progress in which an agent moves 200 times a second, and returns its id as soon as it runs. The next matches
/// have other ids: the channel has the present one.
pub(crate) async fn fast_matches(address: &str) -> Done<watch::Receiver<String>> {
    let mut stepper = Stepper::new(channel(address).await?);
    stepper.step().await?;
    let (sender, current) = watch::channel(stepper.match_id().unwrap_or_default());
    tokio::spawn(async move {
        let mut period = tokio::time::interval(Duration::from_millis(5));
        loop {
            period.tick().await;
            if stepper.step().await.is_err() {
                return;
            }
            let now = stepper.match_id().unwrap_or_default();
            sender.send_if_modified(|id| {
                *id != now && {
                    id.clone_from(&now);
                    true
                }
            });
        }
    });
    Ok(current)
}

/// Creates a match that nobody joins, and returns its id.
pub(crate) async fn open_match(channel: &Channel) -> Done<String> {
    let spec = MatchSpec { game: "rappanui".to_owned(), seat_count: 2, ..Default::default() };
    let created = MatchServiceClient::new(channel.clone())
        .create_match(CreateMatchRequest { spec: Some(spec), ..Default::default() })
        .await?
        .into_inner();
    Ok(created.r#match.ok_or("expected a match")?.match_id)
}

/// Returns a call that waits as long as it may.
pub(crate) fn waiting(match_id: &str) -> GetMatchRequest {
    GetMatchRequest { match_id: match_id.to_owned(), wait: Duration::from_secs(30).try_into().ok() }
}
