//! The scopes of calls: the keys that each method admits, in one table. docs/operate/accounts.md shows it.

use crate::accounts::{Scope, Scopes};

/// The keys and tokens that a call needs on a server that requires keys. A key that is sent is checked on any server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Need {
    /// Nothing: everybody may call, with any key.
    Nothing,
    /// A key with one of these scopes.
    Key(Scopes),
    /// The token of a seat, or a key with the scope `play`. The call refuses whoever has no token by itself.
    Seat,
    /// The token of a seat for the part of a seat, or a key with one of these scopes for the public part.
    SeatOr(Scopes),
    /// The token of a seat of the match, or the key of an agent of a cup that plays in it, or a key with one of these scopes.
    Match(Scopes),
    /// The key of an agent of a cup, or a key with the scope `play`.
    Agent,
}

const PLAY: Scopes = Scopes::of(&[Scope::Play]);
const CREATE: Scopes = Scopes::of(&[Scope::Create]);
const TRAIN: Scopes = Scopes::of(&[Scope::Train]);
/// The public part of matches and cups, which organisers read too.
const WATCH: Scopes = Scopes::of(&[Scope::Watch, Scope::Organise]);
const CANCEL: Scopes = Scopes::of(&[Scope::Create, Scope::Organise]);
const ORGANISE: Scopes = Scopes::of(&[Scope::Organise]);

/// The methods, or the services with all their other methods, in the order of the docs: what a call needs, and whose it is.
const TABLE: [(&str, Need, &str); 26] = [
    ("ahu.v1.MatchService/JoinMatch", Need::Key(PLAY), "a seat for the account"),
    ("ahu.v1.MatchService/AwaitSeat", Need::Agent, "the seats of the key"),
    ("ahu.v1.MatchService/ParseAction", Need::Seat, "the seat of the token"),
    ("ahu.v1.MatchService/Step", Need::Seat, "the seat of the token"),
    ("ahu.v1.MatchService/ResignSeat", Need::Seat, "the seat of the token"),
    ("ahu.v1.MatchService/Observe", Need::SeatOr(WATCH), "the seat of the token; what everybody may see"),
    ("ahu.v1.MatchService/WatchMatch", Need::SeatOr(WATCH), "the seat of the token; what everybody may see"),
    ("ahu.v1.MatchService/GetMatch", Need::Match(WATCH), "all matches, which are named by their ids"),
    ("ahu.v1.MatchService/ListMatches", Need::Key(WATCH), "all matches but unlisted ones"),
    (
        "ahu.v1.MatchService/GetRecord",
        Need::Key(WATCH),
        "all matches that have ended; sealed ones for the organiser of their cup",
    ),
    ("ahu.cup.v1beta1.CupService/Practise", Need::Agent, "the practice of the key"),
    ("ahu.cup.v1beta1.CupService/EnterCup", Need::Key(PLAY), "an agent of the account"),
    ("ahu.cup.v1beta1.CupService/LeaveCup", Need::Key(PLAY), "an agent of the account"),
    ("ahu.cup.v1beta1.CupService/WakeAgent", Need::Key(PLAY), "an agent of the account"),
    (
        "ahu.cup.v1beta1.CupService/",
        Need::Key(WATCH),
        "all cups; a journal before the end of its cup for its organiser, or that of a ladder",
    ),
    ("ahu.v1.MatchService/CreateMatch", Need::Key(CREATE), "a match of the caller"),
    (
        "ahu.v1.MatchService/CancelMatch",
        Need::Key(CANCEL),
        "the match of the owner token; matches of the cups of the organiser",
    ),
    ("ahu.v1.EnvironmentService/Run", Need::Key(TRAIN), "the environments of the stream"),
    (
        "ahu.cup.v1beta1.OrganiserService/",
        Need::Key(ORGANISE),
        "the cups of the organiser, with their queues, matches, and journals",
    ),
    ("ahu.v1.CatalogService/", Need::Nothing, "the catalog"),
    ("grpc.health.v1.Health/", Need::Nothing, "the server"),
    ("grpc.reflection.v1.ServerReflection/", Need::Nothing, "the protos"),
    ("grpc.reflection.v1alpha.ServerReflection/", Need::Nothing, "the protos"),
    ("api/play", Need::Key(CREATE), "a match of the session"),
    ("api/join/", Need::Key(PLAY), "a seat for the account of the session"),
    ("api/", Need::Key(WATCH), "what the calls show; the seats of the session"),
];

/// The paths of the web page that need no key: signing in, and what everybody may know of a server.
const OPEN_PAGES: [&str; 4] = ["api/server", "api/session", "api/account", "api/games/"];

impl Need {
    /// Returns the scopes of which a key needs one; empty if any key will do. `has_token` is true if the call also brings the
    /// token of a seat.
    pub(super) fn scopes(self, has_token: bool) -> Scopes {
        match self {
            Self::Nothing => Scopes::default(),
            Self::SeatOr(scopes) | Self::Match(scopes) if !has_token => scopes,
            Self::Key(scopes) => scopes,
            Self::Seat | Self::SeatOr(_) | Self::Match(_) | Self::Agent => PLAY,
        }
    }

    /// Returns true if the token of a seat may stand in place of a key.
    pub(super) fn takes_token(self) -> bool {
        matches!(self, Self::Seat | Self::SeatOr(_) | Self::Match(_))
    }

    fn text(self) -> String {
        let or = |scopes: Scopes| scopes.to_string().replace(',', " or ");
        match self {
            Self::Nothing => "none".to_owned(),
            Self::Key(scopes) => or(scopes),
            Self::Seat => "play, or the token of the seat".to_owned(),
            Self::SeatOr(scopes) => format!("{}; play, or the token of the seat, for what a seat knows", or(scopes)),
            Self::Match(scopes) => {
                format!("{}; the token of a seat of the match, or the key of an agent that plays in it", or(scopes))
            }
            Self::Agent => "play, or the key of an agent of a cup".to_owned(),
        }
    }
}

/// Returns the keys and tokens that the call with this path needs.
pub(super) fn of_path(path: &str) -> Need {
    let method = path.strip_prefix('/').unwrap_or(path);
    if OPEN_PAGES.iter().any(|page| method == *page || page.ends_with('/') && method.starts_with(page)) {
        return Need::Nothing;
    }
    let fits = |name: &str| method == name || name.ends_with('/') && method.starts_with(name);
    // A page is a form without content, and the server has no other method.
    TABLE.iter().find(|(name, ..)| fits(name)).map_or(Need::Nothing, |(_, need, _)| *need)
}

/// Returns the scopes that each method needs, as the docs show them: the method or its service, the scopes in words, and what a
/// call reaches.
pub fn scope_table() -> Vec<(&'static str, String, &'static str)> {
    TABLE.iter().map(|(name, need, whose)| (name.trim_end_matches('/'), need.text(), *whose)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metrics::METHODS;

    #[test]
    fn every_method_has_a_row_of_its_own_or_of_its_service() {
        for method in METHODS.iter() {
            let rows: Vec<_> = TABLE.iter().filter(|(name, ..)| method.starts_with(name)).collect();
            // The row of a method stands before the row of its service.
            assert!(rows.len() == 1 || rows.len() == 2 && *method == rows[0].0, "{method}");
            assert_eq!(of_path(&format!("/{method}")), rows[0].1, "{method}");
        }
        for (name, ..) in TABLE.iter().filter(|(name, ..)| !name.starts_with("api/")) {
            assert!(METHODS.iter().any(|method| method.starts_with(name)), "{name} is no method");
        }
    }

    #[test]
    fn the_page_needs_a_key_for_matches_and_none_for_its_files() {
        for open in ["/", "/matches/m", "/site/main.js", "/api/server", "/api/session", "/api/games/giants/rules"] {
            assert_eq!(of_path(open), Need::Nothing, "{open}");
        }
        for closed in ["/api/matches", "/api/matches/m/events", "/api/record", "/api/cups/c/games", "/api/serverx"] {
            assert_eq!(of_path(closed), Need::Key(WATCH), "{closed}");
        }
    }

    #[test]
    fn a_seat_needs_play_and_the_public_watch() {
        let observe = of_path("/ahu.v1.MatchService/Observe");
        assert_eq!((observe.scopes(false), observe.scopes(true)), (WATCH, PLAY));
        assert!(observe.takes_token() && !of_path("/ahu.v1.MatchService/GetRecord").takes_token());
    }
}
