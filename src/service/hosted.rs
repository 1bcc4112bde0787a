//! A match as the service hosts it: who sits where, tokens, the seed and its commitment.

use std::fmt;
use std::sync::Mutex;
use std::time::Duration;

use rand::rngs::{ChaCha8Rng, SysRng};
use rand::{SeedableRng, TryRng};
use sha2::{Digest, Sha256};
use tokio::sync::watch;

use super::convert;
use super::fault::Fault;
use super::limits::WAIT_MAX;
use crate::core::{ActionId, Seat, Seed, Viewer, hex};
use crate::host::record::check_name;
use crate::host::{Agreed, AnyRules, BotName, Receipt, Referee, Terms};
use crate::proto::v1;

/// What a new match is to be.
#[derive(Debug)]
pub struct Spec {
    /// The rules of its game.
    pub rules: &'static dyn AnyRules,
    /// What is agreed before play.
    pub agreed: Agreed,
    /// The bots among its seats, by seat.
    pub bots: Vec<Option<(String, BotName)>>,
    /// What fixes its luck; `None`: whatever comes.
    pub seed: Option<Seed>,
    /// What holds beside the rules.
    pub terms: Terms,
}

/// A match that is hosted.
pub struct Hosted {
    /// Its name.
    pub id: String,
    rules: &'static dyn AnyRules,
    agreed: Agreed,
    terms: Terms,
    seed: Seed,
    salt: [u8; 32],
    table: Mutex<Table>,
    /// Goes up with every change, so that whoever waits looks again.
    changes: watch::Sender<u64>,
}

/// What changes while a match is hosted. No lock on it is held across an await.
struct Table {
    holders: Vec<Holder>,
    /// There, once every seat is taken.
    referee: Option<Referee>,
    /// Where the bots take their choices from.
    bots_rng: ChaCha8Rng,
}

/// Who has a seat.
enum Holder {
    Open,
    Agent { name: String, token_hash: [u8; 32] },
    Bot { name: String, bot: BotName },
}

impl fmt::Debug for Hosted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hosted").field("id", &self.id).finish_non_exhaustive()
    }
}

/// So many random bytes of the operating system's.
fn random_bytes<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    SysRng.try_fill_bytes(&mut bytes).expect("the system has random numbers");
    bytes
}

impl Hosted {
    /// Hosts a match. It begins at once where bots take all its seats.
    pub fn new(spec: Spec) -> Self {
        let seed = spec.seed.unwrap_or_else(|| Seed(u64::from_le_bytes(random_bytes())));
        let holders = spec.bots.into_iter().map(|bot| match bot {
            Some((name, bot)) => Holder::Bot { name, bot },
            None => Holder::Open,
        });
        let table = Table {
            holders: holders.collect(),
            referee: None,
            // Not the luck of the game, which the choices of bots must not show.
            bots_rng: ChaCha8Rng::seed_from_u64(seed.child(0).0),
        };
        let hosted = Self {
            id: hex(&random_bytes::<8>()),
            rules: spec.rules,
            agreed: spec.agreed,
            terms: spec.terms,
            seed,
            salt: random_bytes(),
            table: Mutex::new(table),
            changes: watch::Sender::new(0),
        };
        hosted.change(|table| hosted.begin_if_full(table));
        hosted
    }

    /// The rules of its game.
    pub fn rules(&self) -> &'static dyn AnyRules {
        self.rules
    }

    /// Looks at the table, for as long as `look` takes.
    fn look<T>(&self, look: impl FnOnce(&Table) -> T) -> T {
        look(&self.table.lock().expect("no holder of the lock panics"))
    }

    /// Changes the table and tells whoever waits.
    fn change<T>(&self, change: impl FnOnce(&mut Table) -> T) -> T {
        let done = change(&mut self.table.lock().expect("no holder of the lock panics"));
        self.changes.send_modify(|count| *count += 1);
        done
    }

    /// Looks at the referee, once the match has begun.
    pub fn with_referee<T>(&self, look: impl FnOnce(&Referee) -> T) -> Option<T> {
        self.look(|table| table.referee.as_ref().map(look))
    }

    /// Goes up with every change.
    pub fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// The seat of this number.
    pub fn seat(&self, index: Option<u32>) -> Result<Seat, Fault> {
        let seats = self.agreed.seats;
        let seat = index.and_then(|index| seats.get(index as usize));
        seat.ok_or_else(|| Fault::unknown_seat(index, seats.count()))
    }

    /// Gives a seat to an agent: the one asked for, or the lowest that is open.
    pub fn join(&self, seat: Option<u32>, name: &str) -> Result<(Seat, String), Fault> {
        let name = if name.is_empty() { "agent" } else { name };
        check_name(name).map_err(Fault::bad_name)?;
        let asked = seat.map(|seat| self.seat(Some(seat))).transpose()?;
        self.change(|table| {
            let open = |seat: &Seat| matches!(table.holders[seat.index()], Holder::Open);
            let seat = match asked {
                Some(seat) => Some(seat).filter(open),
                None => self.agreed.seats.iter().find(open),
            };
            let seat = seat.ok_or_else(|| Fault::seat_taken(&self.id, asked.map(Seat::index)))?;
            let token = hex(&random_bytes::<32>());
            let token_hash = Sha256::digest(&token).into();
            table.holders[seat.index()] = Holder::Agent { name: name.to_owned(), token_hash };
            self.begin_if_full(table);
            Ok((seat, token))
        })
    }

    /// Refuses a token that is not that of `seat`.
    pub fn authorize(&self, seat: Seat, token: Option<&str>) -> Result<(), Fault> {
        let token = token.ok_or_else(Fault::no_token)?;
        // Hashes are compared, so that the time it takes tells nothing about the token.
        let hash: [u8; 32] = Sha256::digest(token).into();
        self.look(|table| match &table.holders[seat.index()] {
            Holder::Agent { token_hash, .. } if *token_hash == hash => Ok(()),
            Holder::Agent { .. } | Holder::Bot { .. } | Holder::Open => Err(Fault::wrong_token()),
        })
    }

    /// Answers the decision of a seat.
    pub fn step(&self, seat: Seat, decision: u32, id: ActionId) -> Result<Receipt, Fault> {
        self.change(|table| {
            let referee = table.referee.as_mut().ok_or_else(|| Fault::not_started(&self.id))?;
            let receipt = referee.act(seat, decision, id);
            table.let_bots_play();
            receipt.map_err(|refusal| Fault::refused(refusal, &self.id))
        })
    }

    /// A stand-in plays on for the seat.
    pub fn forfeit(&self, seat: Seat) {
        self.change(|table| {
            if let Some(referee) = &mut table.referee {
                referee.forfeit(seat);
            }
            table.let_bots_play();
        });
    }

    /// Waits until the seat owes a decision or the match is finished, but no longer than `wait`.
    pub async fn wait(&self, seat: Seat, wait: Duration) {
        let ready = |referee: &Referee| referee.result().is_some() || referee.decision(seat).is_some();
        let mut changes = self.changes();
        let waiting = changes.wait_for(|_| self.with_referee(ready).unwrap_or(false));
        // That nothing came in time is no error.
        let _ = tokio::time::timeout(wait.min(WAIT_MAX), waiting).await;
    }

    /// Whether the match is finished.
    pub fn is_finished(&self) -> bool {
        self.state() == v1::MatchState::Finished
    }

    fn state(&self) -> v1::MatchState {
        match self.with_referee(|referee| referee.result().is_some()) {
            None => v1::MatchState::Seating,
            Some(false) => v1::MatchState::Running,
            Some(true) => v1::MatchState::Finished,
        }
    }

    /// What the seed's commitment binds beside the seed.
    fn specification(&self) -> String {
        let info = self.rules.info();
        format!("game {}\nrules {}\noptions {}\n", info.id, info.rules, self.agreed)
    }

    /// The match, as everybody may see it.
    pub fn describe(&self) -> v1::Match {
        let commitment = Sha256::new()
            .chain_update(self.salt)
            .chain_update(self.seed.0.to_le_bytes())
            .chain_update(self.specification())
            .finalize();
        let seats =
            self.look(|table| table.holders.iter().enumerate().map(|(seat, holder)| holder.describe(seat)).collect());
        v1::Match {
            match_id: self.id.clone(),
            game: self.rules.info().id.to_owned(),
            rules_version: self.rules.info().rules,
            options: self.agreed.options.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect(),
            seats,
            state: self.state().into(),
            seed_commitment: commitment.to_vec().into(),
            specification: self.specification(),
        }
    }

    /// What the seat knows, in the forms that are wanted.
    pub fn observe(&self, seat: Seat, forms: v1::ObservationForms) -> v1::Observation {
        let mut observation = v1::Observation {
            match_id: self.id.clone(),
            seat: Some(seat.index() as u32),
            state: v1::MatchState::Seating.into(),
            ..Default::default()
        };
        self.with_referee(|referee| {
            let result = referee.result();
            let state = if result.is_some() { v1::MatchState::Finished } else { v1::MatchState::Running };
            observation.state = state.into();
            observation.owing_seats = referee.owing().iter().map(|seat| seat.index() as u32).collect();
            observation.decision = referee.decision(seat).map(|decision_id| {
                let legal = referee.legal_actions(seat);
                v1::Decision {
                    decision_id,
                    legal_ids: if forms.legal_ids { legal.iter().map(|id| id.0.into()).collect() } else { Vec::new() },
                    mask: if forms.mask { convert::mask(&legal) } else { prost::bytes::Bytes::new() },
                }
            });
            if forms.tensor || forms.text {
                let view = referee.view(Viewer::Seat(seat));
                observation.tensor = forms.tensor.then(|| convert::tensor(self.rules, &*view));
                observation.text = if forms.text { view.text() } else { String::new() };
            }
            observation.result = result.map(|result| v1::MatchResult {
                scores: convert::list(&result.scores, |score| score),
                ranks: convert::list(&result.ranks, u32::from),
                forfeited_seats: result.forfeited.iter().map(|seat| seat.index() as u32).collect(),
                seed: Some(self.seed.0),
                salt: self.salt.to_vec().into(),
                fingerprint: referee.fingerprint().0.to_vec().into(),
            });
        });
        observation
    }

    fn begin_if_full(&self, table: &mut Table) {
        if table.holders.iter().any(|holder| matches!(holder, Holder::Open)) {
            return;
        }
        let names = table.holders.iter().map(|holder| holder.name().to_owned()).collect();
        table.referee = Some(Referee::new(self.rules, self.agreed.clone(), self.seed, names, self.terms));
        table.let_bots_play();
    }
}

impl Table {
    /// Lets the bots answer until an agent has to, or the match is finished.
    fn let_bots_play(&mut self) {
        let Some(referee) = &mut self.referee else { return };
        let bot = |seat: Seat| match self.holders[seat.index()] {
            Holder::Bot { bot, .. } => Some((seat, bot)),
            Holder::Agent { .. } | Holder::Open => None,
        };
        while let Some((seat, bot)) = referee.owing().iter().find_map(bot) {
            let id = referee.ask(bot, seat, &mut self.bots_rng);
            let decision = referee.decision(seat).expect("the seat owes one");
            referee.act(seat, decision, id).expect("bots play legal actions");
        }
    }
}

impl Holder {
    fn name(&self) -> &str {
        match self {
            Self::Open => "",
            Self::Agent { name, .. } | Self::Bot { name, .. } => name,
        }
    }

    fn describe(&self, seat: usize) -> v1::SeatInfo {
        let state = match self {
            Self::Open => v1::SeatState::Open,
            Self::Agent { .. } => v1::SeatState::Joined,
            Self::Bot { .. } => v1::SeatState::Bot,
        };
        v1::SeatInfo { seat: Some(seat as u32), state: state.into(), name: self.name().to_owned() }
    }
}
