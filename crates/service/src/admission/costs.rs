//! The costs of calls: the units that each call takes from the rate of its principal, and the threads that do its work.
//!
//! One unit is the work of a quick call, some 20 us of a core. The figures are the processor time of a server for each call,
//! measured over loopback, beyond the time of the quickest call. The bytes of an answer are charged when they are known, a unit
//! for each KiB, because writing them is a large part of the work.

use axum::http::HeaderMap;

use crate::limits::ANSWER_ROOM;

/// The bytes of an answer, or of the headers of a call, that cost as much as a quick call.
const UNIT_BYTES: usize = 1024;

/// The units of a message that is sent compressed: to unpack the largest takes about as long.
pub(super) const COMPRESSED: u32 = 8;

/// The path of the tools for language models.
pub(crate) const MCP: &str = "/mcp";

/// The bytes of the smallest message of reflection that causes work.
const MESSAGE_BYTES: usize = 8;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cost {
    /// The units that the call takes of the rate.
    pub(super) units: u32,
    pub(super) kind: Kind,
    /// True if the body of the request is one message.
    pub(super) has_message: bool,
}

/// The way in which a call is served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// By the threads that answer calls. A handler that may make a large answer takes the room for it once it has waited: see
    /// [`super::limiter::reserve`].
    Quick,
    /// As a quick call. A player is charged for its time.
    Timed,
    /// As a quick call, which the seat of a player pays.
    OfSeat,
    /// By background threads, with room for its answer from the beginning on.
    Background,
    /// With a stream of answers. Streams have bounds of their own for their number and rate.
    Stream,
    /// With streams in both directions. Each message of the request costs as well.
    Duplex,
    /// With a stream of environments, which has a thread and shares of its own.
    Environments,
}

impl Kind {
    /// Returns true if the answer is a stream.
    pub(super) fn is_stream(self) -> bool {
        matches!(self, Self::Stream | Self::Duplex | Self::Environments)
    }

    /// Returns the bytes for which a call takes room before it begins.
    pub(super) fn room(self) -> usize {
        if self == Self::Background { ANSWER_ROOM } else { 0 }
    }
}

/// Returns the units of the headers of a call: a client sends many of them with few bytes, since HTTP/2 compresses headers.
pub(super) fn of_headers(headers: &HeaderMap) -> u32 {
    of_bytes(headers.iter().map(|(name, value)| name.as_str().len() + value.len()).sum())
}

/// Returns the units of this number of bytes.
pub(super) fn of_bytes(bytes: usize) -> u32 {
    u32::try_from(bytes / UNIT_BYTES).unwrap_or(u32::MAX)
}

/// Returns the units of messages in a stream of reflection that have this total size in bytes.
pub(super) fn of_messages(bytes: usize) -> u32 {
    u32::try_from(bytes.div_ceil(MESSAGE_BYTES)).unwrap_or(u32::MAX)
}

pub(super) fn of_path(path: &str) -> Cost {
    use Kind::{Background, Duplex, Environments, OfSeat, Quick, Stream, Timed};
    let (units, kind) = match path.strip_prefix("/ahu.v1.") {
        Some(method) => match method {
            "MatchService/Step" | "MatchService/ResignSeat" => (1, Timed),
            "MatchService/Observe" => (1, OfSeat),
            "MatchService/ParseAction" => (2, OfSeat),
            "MatchService/WatchMatch" => (5, Stream),
            "MatchService/CreateMatch" | "MatchService/JoinMatch" => (5, Quick),
            "MatchService/ListMatches" => (15, Background),
            "EnvironmentService/Run" => (1, Environments),
            "CatalogService/GetGame" | "MatchService/GetRecord" => (5, Background),
            _ => (1, Quick),
        },
        None if path.starts_with("/ahu.cup.v1beta1.CupService/") => (10, Background),
        None if path == "/ahu.cup.v1beta1.OrganiserService/HostMatch" => (5, Quick),
        None if path.starts_with("/grpc.reflection.") => (5, Duplex),
        None if path == "/grpc.health.v1.Health/Watch" => (1, Stream),
        // The calls that a tool makes cost what they cost.
        None if path == MCP => (5, Quick),
        None => match path.strip_prefix("/api/") {
            None | Some("server") => (1, Quick),
            Some("matches") => (15, Background),
            Some("record" | "record/board") => (50, Background),
            Some(part) => match part.rsplit('/').next().unwrap_or_default() {
                "events" | "debug" => (5, Stream),
                "answer" | "resign" => (5, Timed),
                "replay" | "board" | "log" | "draft" => (20, Background),
                _ => (5, Background),
            },
        },
    };
    let is_service = path.starts_with("/ahu.") || path.starts_with("/grpc.health.") || path == MCP;
    // The time of a player's answer is that of its last byte, also on the page.
    Cost { units, kind, has_message: (is_service && kind != Environments) || kind == Timed }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::METHODS;

    #[test]
    fn every_call_but_streams_of_requests_is_collected_whatever_its_headers_say() {
        let streams_of_requests = |method: &str| method.ends_with("/Run") || method.contains("reflection");
        assert!(METHODS.len() > 25, "{METHODS:?}");
        for method in METHODS.iter() {
            let cost = of_path(&format!("/{method}"));
            assert_eq!(cost.has_message, !streams_of_requests(method), "{method}");
            assert!(
                cost.units > 0 && cost.kind.is_stream() == (streams_of_requests(method) || method.contains("Watch"))
            );
        }
        for step in ["/ahu.v1.MatchService/Step", "/ahu.v1.MatchService/ResignSeat"] {
            assert_eq!(of_path(step), Cost { units: 1, kind: Kind::Timed, has_message: true });
        }
        for answer in ["/api/matches/m/answer", "/api/matches/m/resign"] {
            assert_eq!(of_path(answer), Cost { units: 5, kind: Kind::Timed, has_message: true });
        }
    }

    #[test]
    fn the_page_streams_its_events_and_draws_beside_calls() {
        for (path, units, kind) in [
            ("/", 1, Kind::Quick),
            ("/api/server", 1, Kind::Quick),
            ("/api/matches", 15, Kind::Background),
            ("/api/matches/m", 5, Kind::Background),
            ("/api/matches/m/board", 20, Kind::Background),
            ("/api/matches/m/log", 20, Kind::Background),
            ("/api/matches/m/draft", 20, Kind::Background),
            ("/api/play", 5, Kind::Background),
            ("/api/matches/m/events", 5, Kind::Stream),
            ("/api/matches/m/replay/board", 20, Kind::Background),
            ("/api/record/board", 50, Kind::Background),
        ] {
            assert_eq!(of_path(path), Cost { units, kind, has_message: false }, "{path}");
        }
        assert_eq!(of_path(MCP), Cost { units: 5, kind: Kind::Quick, has_message: true });
    }
}
