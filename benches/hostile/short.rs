//! The floods of short calls: matches that bots play within a moment, deadlines that have passed, and many headers.

use std::time::Duration;

use ahu_service::proto::v1::match_service_client::MatchServiceClient;
use ahu_service::proto::v1::{BotSeat, CreateMatchRequest, MatchSpec};
use tonic::Request;
use tonic::metadata::{AsciiMetadataKey, AsciiMetadataValue};

use crate::Done;
use crate::answers::{CLIENTS, repeat};
use crate::attackers::{Counts, channel, kind, open_match, waiting};

pub(crate) async fn quick_matches(address: String) -> Done<Counts> {
    let mut channels = Vec::new();
    for _ in 0..8 {
        channels.push(channel(&address).await?);
    }
    repeat(move |number| {
        let client = MatchServiceClient::new(channels[number % 8].clone());
        move || {
            let mut client = client.clone();
            async move {
                let bots = (0..2).map(|seat| BotSeat { seat: Some(seat), bot: "random".to_owned() }).collect();
                let create = CreateMatchRequest {
                    spec: Some(MatchSpec { game: "rappanui".to_owned(), seat_count: 2, bots, ..Default::default() }),
                    ..Default::default()
                };
                client.create_match(create).await.map_or_else(|status| kind(&status), |_| "matches".to_owned())
            }
        }
    })
    .await
}

pub(crate) async fn deadlines(address: String) -> Done<Counts> {
    let mut calls = Vec::new();
    for _ in 0..16 {
        let channel = channel(&address).await?;
        calls.push((MatchServiceClient::new(channel.clone()), open_match(&channel).await?));
    }
    for (client, match_id) in calls.iter().cycle().take(128) {
        let (mut client, match_id) = (client.clone(), match_id.clone());
        tokio::spawn(async move {
            loop {
                let mut call = Request::new(waiting(&match_id));
                call.set_timeout(Duration::from_millis(1));
                // It fails, as it has to.
                let _ = client.get_match(call).await;
            }
        });
    }
    tokio::time::sleep(Duration::from_secs(1)).await;
    Ok([("tasks whose calls end at once".to_owned(), 128)].into())
}

pub(crate) async fn headers(address: String) -> Done<Counts> {
    let mut calls = Vec::new();
    for _ in 0..CLIENTS {
        let channel = channel(&address).await?;
        calls.push((MatchServiceClient::new(channel.clone()), open_match(&channel).await?));
    }
    let value: AsciiMetadataValue = "x".repeat(100).parse()?;
    let names = (0..60).map(|n| format!("x-header-{n}").parse::<AsciiMetadataKey>()).collect::<Result<Vec<_>, _>>()?;
    repeat(move |number| {
        let ((client, match_id), names, value) = (calls[number].clone(), names.clone(), value.clone());
        move || {
            let (mut client, mut call) = (client.clone(), Request::new(waiting(&match_id)));
            call.get_mut().wait = None;
            for name in &names {
                call.metadata_mut().insert(name.clone(), value.clone());
            }
            async move { client.get_match(call).await.map_or_else(|status| kind(&status), |_| "answers".to_owned()) }
        }
    })
    .await
}
