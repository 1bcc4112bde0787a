//! Seats: how a caller gets one, and how it names the match of a call.
//!
//! A server keeps nothing between the calls of strangers, so there the name of a match is its id and the token of the seat, as
//! `ID:TOKEN`. A process that serves one client keeps the tokens, and the name is the id alone.

use std::sync::{Arc, Mutex, PoisonError};

use rand::TryRng as _;
use rand::rngs::SysRng;
use serde_json::Value;
use tokio::sync::watch;

use super::caller::{Caller, Fault, Place};
#[cfg(test)]
use super::server_link::ServerLink;
use super::tools::Join;
use crate::proto::v1::{
    AnyMatch, BotSeat, CreateMatchRequest, JoinMatchRequest, Match, MatchSpec, MatchState, join_match_request,
};

/// The name of a player that gives none.
const NAME: &str = "model";

/// The maximum length of the name of a match in bytes: more than twice the length of an id with a token.
const MAX_HANDLE: usize = 200;

/// The match that `join` without arguments begins, and the values of arguments that a call leaves out.
#[derive(Clone, Debug, Default)]
pub struct Opening {
    /// The id of the game; None if a call has to name a game or a match.
    pub game: Option<String>,
    /// The number of seats; None: one for the player and one for each opponent, or the fewest of the game.
    pub seats: Option<u32>,
    /// The seat of the player; None: the lowest open one.
    pub seat: Option<u32>,
    /// The bots of the other seats. A single one takes all of them.
    pub opponents: Vec<String>,
    /// The options of the game.
    pub options: Vec<(String, String)>,
    /// The seed of the first match; each further match has the next one. None: random seeds.
    pub seed: Option<u64>,
    /// The name of the player.
    pub name: Option<String>,
}

/// The seats that this process has. Clones share them.
#[derive(Clone, Debug, Default)]
pub(super) struct OwnSeats {
    own: Arc<Mutex<Own>>,
    /// The seats, in the order in which they were taken.
    taken: watch::Sender<Vec<OwnSeat>>,
}

/// A seat that this process has.
#[derive(Clone, Debug, PartialEq)]
pub struct OwnSeat {
    /// The id of the match.
    pub match_id: String,
    /// The token of the seat.
    pub token: String,
}

#[derive(Debug, Default)]
struct Own {
    /// The seat that was taken last, or asked for again, is at the end.
    seats: Vec<OwnSeat>,
    /// The matches that this process has created, with the tokens of their owner.
    created: Vec<(String, String)>,
}

/// A seat that was taken.
pub(super) struct Taken {
    pub(super) place: Place,
    /// The name of the match for the other tools.
    pub(super) handle: String,
    pub(super) description: String,
}

impl OwnSeats {
    fn with<T>(&self, act: impl FnOnce(&mut Own) -> T) -> T {
        act(&mut self.own.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns the seats of an earlier process, which this one goes on with.
    pub(super) fn of(seats: Vec<OwnSeat>) -> Self {
        let taken = watch::Sender::new(seats.clone());
        Self { own: Arc::new(Mutex::new(Own { seats, ..Own::default() })), taken }
    }

    /// Returns the seats of this process, in the order in which they were taken, and their changes.
    pub(super) fn taken(&self) -> watch::Receiver<Vec<OwnSeat>> {
        self.taken.subscribe()
    }

    /// Keeps a seat that was taken. A seat that is kept already comes to the end.
    fn keep(&self, seat: &OwnSeat) {
        self.with(|own| {
            own.seats.retain(|kept| kept.match_id != seat.match_id);
            own.seats.push(seat.clone());
        });
        self.taken.send_if_modified(|taken| {
            let is_new = !taken.contains(seat);
            taken.extend(is_new.then(|| seat.clone()));
            is_new
        });
    }

    /// Cancels the matches in progress that this process has created, since its player leaves them.
    pub(super) async fn abandon(&self, caller: &Caller) -> Result<(), Fault> {
        for (match_id, owner_token) in self.with(|own| own.created.clone()) {
            let place = Place { caller: caller.clone(), match_id, token: Some(owner_token) };
            if is_open(&place.described().await?) {
                place.cancel("the player left").await?;
            }
        }
        Ok(())
    }
}

/// Returns true if a match goes on.
fn is_open(described: &Match) -> bool {
    matches!(described.state(), MatchState::Seating | MatchState::Running)
}

/// Returns the place that a call names.
pub(super) fn place(caller: &Caller, own: Option<&OwnSeats>, handle: Option<&str>) -> Result<Place, Fault> {
    let Some(handle) = handle else {
        let last = own.and_then(|own| own.with(|own| own.seats.last().cloned()));
        let OwnSeat { match_id, token } =
            last.ok_or_else(|| Fault("match: expected a match, got none; call join to take a seat".to_owned()))?;
        return Ok(Place { caller: caller.clone(), match_id, token: Some(token) });
    };
    let (id, token) = handle.trim().split_once(':').map_or((handle.trim(), None), |(id, token)| (id, Some(token)));
    if id.is_empty()
        || handle.len() > MAX_HANDLE
        || !id.bytes().chain(token.unwrap_or_default().bytes()).all(|byte| byte.is_ascii_graphic())
    {
        return Err(Fault("match: expected the name of a match, as `join` returns it".to_owned()));
    }
    let kept = || own?.with(|own| own.seats.iter().find(|own| own.match_id == id).map(|own| own.token.clone()));
    let token = token.map(str::to_owned).or_else(kept).or_else(|| caller.token.clone());
    Ok(Place { caller: caller.clone(), match_id: id.to_owned(), token })
}

/// Takes the seat that a call asks for.
pub(super) async fn join(
    caller: &Caller,
    own: Option<&OwnSeats>,
    opening: &Opening,
    asked: Join,
) -> Result<Taken, Fault> {
    let is_bare = asked.handle.is_none() && asked.game.is_none() && asked.opponents.is_empty();
    // Where a match begins by itself, a call that names its game means this match.
    let is_same = is_bare || (opening.game.is_some() && asked.handle.is_none() && asked.opponents.is_empty());
    if let (true, Some(own)) = (is_same, own)
        && let Some(OwnSeat { match_id, token }) = own.with(|own| own.seats.last().cloned())
    {
        let place = Place { caller: caller.clone(), match_id: match_id.clone(), token: Some(token) };
        let described = place.described().await?;
        if is_open(&described) && asked.fits(&described, place.glance().await?.seat) {
            let description = super::text::description(&described);
            return Ok(Taken { place, handle: match_id, description });
        }
    }
    let name = asked.name.clone().or_else(|| opening.name.clone()).unwrap_or_else(|| NAME.to_owned());
    let request_id = asked.request_id.clone().map_or_else(random_id, Ok)?;
    let target = match &asked.handle {
        Some(id) if asked.game.is_some() || !asked.opponents.is_empty() || !asked.options.is_empty() => {
            return Err(Fault(format!("join: expected `match` alone or `game`, got both for the match {id:?}")));
        }
        Some(id) => join_match_request::Target::MatchId(id.split(':').next().unwrap_or_default().to_owned()),
        None => new_target(caller, own, opening, &asked, &request_id).await?,
    };
    let asked = JoinMatchRequest {
        target: Some(target),
        seat: asked.seat.or(if is_bare { opening.seat } else { None }),
        name,
        request_id,
        invitation_code: asked.code.unwrap_or_default(),
    };
    let joined = caller.matches().join_match(caller.keyed(asked)?).await?.into_inner();
    let described = joined.r#match.unwrap_or_default();
    let assigned = joined.assigned.unwrap_or_default();
    let (match_id, token) = (assigned.match_id, assigned.seat_token);
    // The client writes records under the ids of matches.
    if !is_match_id(&match_id) {
        return Err(Fault(format!(
            "expected the id of a match from the server, 16 hexadecimal digits, got {match_id:?}"
        )));
    }
    let handle = match own {
        Some(own) => {
            own.keep(&OwnSeat { match_id: match_id.clone(), token: token.clone() });
            match_id.clone()
        }
        None => format!("{match_id}:{token}"),
    };
    let place = Place { caller: caller.clone(), match_id, token: Some(token) };
    Ok(Taken { place, handle, description: super::text::description(&described) })
}

/// Returns the match in which a call without `match` takes its seat: a new one against bots, or any that fits.
async fn new_target(
    caller: &Caller,
    own: Option<&OwnSeats>,
    opening: &Opening,
    asked: &Join,
    request_id: &str,
) -> Result<join_match_request::Target, Fault> {
    let game = asked.game.clone().or_else(|| opening.game.clone());
    let game = game.ok_or_else(|| Fault("join: expected `match` or `game`, got neither".to_owned()))?;
    // The settings of the program are those of its own game. Its bots play all games.
    let other = Opening { opponents: opening.opponents.clone(), ..Opening::default() };
    let usual = if opening.game.as_ref() == Some(&game) { opening } else { &other };
    let options = match asked.options.is_empty() {
        true => usual.options.iter().cloned().collect(),
        false => asked.options.iter().map(|(key, value)| (key.clone(), option_text(value))).collect(),
    };
    let opponents = if asked.opponents.is_empty() { &usual.opponents } else { &asked.opponents };
    let seats = asked.seats.or(usual.seats);
    if opponents.is_empty() {
        return Ok(join_match_request::Target::Any(AnyMatch { game, seat_count: seats, options }));
    }
    let seats = match (seats, opponents.len() as u32) {
        (Some(seats), _) => seats,
        (None, 1) => {
            let games = caller.games().await?;
            games.iter().find(|known| known.game == game).map_or(2, |known| known.min_seats)
        }
        (None, count) => count + 1,
    };
    let seat = asked.seat.or(usual.seat).unwrap_or(0);
    let bots = bots_beside(seat, seats, opponents)?;
    let earlier = own.map_or(0, |own| own.with(|own| own.created.len() as u64));
    let seed = opening.seed.map(|seed| seed.wrapping_add(earlier).to_string()).unwrap_or_default();
    let spec = MatchSpec { game, seat_count: seats, options, bots, seed, ..Default::default() };
    let asked = CreateMatchRequest { spec: Some(spec), request_id: request_id.to_owned() };
    let created = caller.matches().create_match(caller.keyed(asked)?).await?.into_inner();
    let match_id = created.r#match.unwrap_or_default().match_id;
    if let Some(own) = own {
        own.with(|own| own.created.push((match_id.clone(), created.owner_token)));
    }
    Ok(join_match_request::Target::MatchId(match_id))
}

impl Join {
    /// Returns true if the call asks for nothing that the match of this seat does not have.
    fn fits(&self, described: &Match, seat: Option<u32>) -> bool {
        self.game.as_ref().is_none_or(|game| *game == described.game)
            && self.seats.is_none_or(|seats| seats as usize == described.seats.len())
            && (self.seat.is_none() || self.seat == seat)
            && self.options.iter().all(|(key, value)| described.options.get(key) == Some(&option_text(value)))
    }
}

/// Returns the value of an option as a server reads it.
fn option_text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Returns the bots of all seats but one.
fn bots_beside(own: u32, seats: u32, opponents: &[String]) -> Result<Vec<BotSeat>, Fault> {
    // A wrong number of seats is for the server to refuse.
    let others: Vec<_> = (0..seats.min(64)).filter(|seat| *seat != own).collect();
    let bot = |n: usize| match opponents {
        [bot] => Some(bot),
        bots => bots.get(n),
    };
    if opponents.len() != 1 && opponents.len() != others.len() {
        let (expected, got) = (others.len(), opponents.len());
        return Err(Fault(format!("opponents: expected 1 bot or {expected} for {seats} seats, got {got}")));
    }
    let bots =
        others.iter().enumerate().filter_map(|(n, seat)| Some(BotSeat { seat: Some(*seat), bot: bot(n)?.clone() }));
    Ok(bots.collect())
}

fn is_match_id(text: &str) -> bool {
    text.len() == 16 && text.bytes().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'))
}

/// Returns an id that nobody can guess.
fn random_id() -> Result<String, Fault> {
    let random = SysRng.try_next_u64().and_then(|high| Ok((high, SysRng.try_next_u64()?)));
    let (high, low) = random.map_err(|error| Fault(format!("INTERNAL: no random number: {error}")))?;
    Ok(format!("{high:016x}{low:016x}"))
}

#[cfg(test)]
mod tests {
    use axum::Router;
    use axum::body::Body;
    use axum::http::{HeaderMap, HeaderValue, Response};
    use http_body_util::{BodyExt as _, Full};
    use prost::Message as _;
    use prost::bytes::Bytes;

    use super::*;
    use crate::proto::v1::{AssignedSeat, JoinMatchResponse};

    /// Returns a caller of a server that answers each call with a seat in the match with this id.
    fn caller(match_id: &str) -> Caller {
        let (match_id, seat_token) = (match_id.to_owned(), "token".to_owned());
        let assigned = Some(AssignedSeat { match_id, seat_token, ..Default::default() });
        let joined = JoinMatchResponse { assigned, ..Default::default() }.encode_to_vec();
        let frame = [&[0][..], &(joined.len() as u32).to_be_bytes(), &joined].concat();
        let answer = async move || {
            let done = HeaderMap::from_iter([("grpc-status".parse().expect("a name"), HeaderValue::from_static("0"))]);
            let body = Full::new(Bytes::from(frame)).with_trailers(async { Some(Ok(done)) });
            Response::builder().header("content-type", "application/grpc").body(Body::new(body)).expect("an answer")
        };
        Caller { link: ServerLink::within(Router::new().fallback(answer), |_| ()), key: None, token: None }
    }

    #[tokio::test]
    async fn what_a_server_calls_a_match_is_an_id() {
        let own = OwnSeats::default();
        let opening = Opening { game: Some("rappanui".to_owned()), ..Opening::default() };
        for id in ["", "../../../../stolen", "/etc/x", "0123456789ABCDEF"] {
            let refused = join(&caller(id), Some(&own), &opening, Join::default()).await.err().map(|Fault(text)| text);
            assert!(
                refused.as_ref().is_some_and(|text| text.contains("expected the id of a match")),
                "{id}: {refused:?}"
            );
        }
        assert!(own.taken().borrow().is_empty(), "no record is written under such an id");
        let taken = join(&caller("0123456789abcdef"), Some(&own), &opening, Join::default()).await;
        assert_eq!(taken.ok().map(|taken| taken.handle).as_deref(), Some("0123456789abcdef"));
    }
}
