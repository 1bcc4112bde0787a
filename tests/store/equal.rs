//! All stores are equal: two get the same random calls, and give the same answers. The one is SQLite or PostgreSQL, the other the
//! store of the simulation.

use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use ahu_host::MatchTime;
use ahu_service::proto::v1::MatchState;
use ahu_service::store::{Change, Keep, MatchHead, Query, Store, StoreError, StoreReader, StoredMatch};
use proptest::prelude::*;
use proptest_state_machine::{ReferenceStateMachine, StateMachineTest, prop_state_machine};
use tempfile::TempDir;

use crate::Open;
use crate::disk::{Disk, SimStore};
use crate::games::{Played, Way, play, request};

/// The games and the ends of the matches. The id of a match is `m` and its number.
const MATCHES: [(&str, Way); 4] = [
    ("rappanui", Way::Finished),
    ("giants", Way::Forfeited),
    ("rapanui_cards", Way::Cancelled),
    ("rappanui", Way::CancelledEarly),
];

/// A call of a store.
#[derive(Clone, Copy, Debug)]
enum Call {
    Create(usize),
    /// The number of the change counts from the last written one: 0 writes it again, 1 is the next one.
    Append(usize, usize),
    Commit,
    Release(usize),
    Delete(usize),
    /// The process ends, and the next one opens the store.
    Reopen,
}

/// The numbers of written and of committed changes of each match; None without the match.
#[derive(Clone, Debug)]
struct Written([Option<usize>; 4], [Option<usize>; 4]);

impl ReferenceStateMachine for Written {
    type State = Self;
    type Transition = Call;

    fn init_state() -> BoxedStrategy<Self> {
        Just(Self([None; 4], [None; 4])).boxed()
    }

    fn transitions(_: &Self) -> BoxedStrategy<Call> {
        let of = 0..MATCHES.len();
        prop_oneof![
            2 => of.clone().prop_map(Call::Create),
            12 => (of.clone(), 0_usize..4).prop_map(|(of, back)| Call::Append(of, if back > 1 { 1 } else { back })),
            4 => Just(Call::Commit),
            1 => of.clone().prop_map(Call::Release),
            1 => of.prop_map(Call::Delete),
            1 => Just(Call::Reopen),
        ]
        .boxed()
    }

    fn apply(mut state: Self, call: &Call) -> Self {
        match *call {
            Call::Create(of) => state.0[of] = state.0[of].or(Some(0)),
            Call::Append(of, step) => state.0[of] = state.0[of].map(|written| written + step),
            Call::Commit => state.1 = state.0,
            Call::Release(_) => {}
            Call::Delete(of) => state.0[of] = None,
            Call::Reopen => state.0 = state.1,
        }
        state
    }
}

/// A store that is compared with that of the simulation.
trait Kind {
    const OPEN: Open;
}

struct Sqlite;

impl Kind for Sqlite {
    const OPEN: Open = crate::sqlite;
}

struct Postgres;

impl Kind for Postgres {
    const OPEN: Open = crate::database;
}

/// Two stores that get the same calls.
struct Both<K> {
    played: Vec<Played>,
    folder: TempDir,
    /// None while the store is opened again.
    store: Option<Box<dyn Store>>,
    kind: PhantomData<K>,
    disk: Disk,
    sim: SimStore,
    time: u64,
}

impl<K> Both<K> {
    /// Calls both stores, and compares their answers.
    fn call<T: PartialEq + std::fmt::Debug>(&mut self, call: impl Fn(&mut dyn Store) -> Result<T, StoreError>) {
        let store = self.store.as_mut().expect("it is open");
        assert_eq!(call(&mut **store), call(&mut self.sim), "the store, and the simulation");
    }

    /// Asks both readers, and compares their answers.
    fn ask<T: PartialEq + std::fmt::Debug>(&self, ask: impl Fn(&dyn StoreReader) -> Result<T, StoreError>) {
        let readers = [self.store.as_ref().expect("it is open").readers(), self.sim.readers()];
        let [store, sim] = readers.map(|open| ask(&*open().expect("the store can be read")));
        assert_eq!(store, sim, "the store, and the simulation");
    }
}

/// Returns everything of a stored match that a store keeps, in an order.
fn shown(stored: Option<StoredMatch>) -> String {
    let Some(mut stored) = stored else { return "no match".to_owned() };
    stored.requests.sort_by_key(|request| request.id);
    let StoredMatch { head, seats, requests, steps, comments, state, ended } = stored;
    let MatchHead { salt, specification, is_sealed, .. } = head;
    format!("{salt:?} {specification} {is_sealed} {seats:?} {requests:?} {steps:?} {comments:?} {state:?} {ended:?}")
}

impl<K: Kind> StateMachineTest for Both<K> {
    type SystemUnderTest = Self;
    type Reference = Written;

    fn init_test(_: &Written) -> Self {
        let folder = TempDir::new().expect("a temporary folder can be created");
        let played = (1..).zip(MATCHES).map(|(number, (game, way))| play(game, number, way)).collect();
        let disk = Disk::default();
        let store = Some((K::OPEN)(folder.path()).expect("the folder is new"));
        Self { played, folder, store, kind: PhantomData, sim: disk.open(), disk, time: 0 }
    }

    fn apply(mut both: Self, written: &Written, call: Call) -> Self {
        both.time += 10;
        let time = MatchTime(both.time);
        match call {
            Call::Create(of) => {
                let head = both.played[of].head.clone();
                both.call(|store| store.create(&head));
            }
            Call::Append(of, _) => {
                // The state is the state after this call.
                let number = written.0[of].unwrap_or(1).saturating_sub(1);
                let changes = &both.played[of].changes;
                let change: Change = changes[number.min(changes.len() - 1)].clone();
                both.call(|store| store.append(&change, time));
            }
            Call::Commit => both.call(|store| store.commit(time)),
            Call::Release(of) => {
                let id = Arc::clone(&both.played[of].head.id);
                both.call(|store| {
                    store.release(&id);
                    Ok(())
                });
            }
            Call::Delete(of) => {
                let id = Arc::clone(&both.played[of].head.id);
                both.call(|store| store.delete(&id));
            }
            Call::Reopen => {
                both.store = None;
                both.store = Some((K::OPEN)(both.folder.path()).expect("nobody else uses the store"));
                both.sim = both.disk.open();
                let [store, sim] = [both.store.as_ref().expect("it is open").facts(), both.sim.facts()];
                assert_eq!((store.time, store.last_number), (sim.time, sim.last_number));
            }
        }
        both
    }

    fn check_invariants(both: &Self, _: &Written) {
        for played in &both.played {
            both.ask(|reader| Ok(shown(reader.read(&played.head.id)?)));
            for what in ["create", "join"] {
                let request = request(&format!("{what} {}", played.head.id));
                both.ask(|reader| reader.request(&request.id));
            }
        }
        let states = [vec![], vec![MatchState::Seating], vec![MatchState::Running], vec![MatchState::Finished]];
        for (n, states) in states.into_iter().enumerate() {
            let game = (n == 3).then(|| "rappanui".to_owned());
            let query = Query { game, states, with_unlisted: n % 2 == 0, newest_first: n % 3 == 0, ..Query::default() };
            both.ask(|reader| reader.list(n as u64 % 3, &query, 3));
        }
        both.ask(|reader| {
            Ok(reader
                .needed_rules()?
                .into_iter()
                .map(|needed| (needed.game, needed.matches))
                .collect::<std::collections::BTreeMap<_, _>>())
        });
        let keep = Keep { age: Some(Duration::from_millis(1)), bytes: None };
        both.ask(|reader| reader.excess(&keep, MatchTime(2_500), 10));
    }
}

prop_state_machine! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_store_of_the_simulation_is_equal_to_sqlite(sequential 1..60 => Both<Sqlite>);
}

/// Each case has a database of its own, so there are fewer.
mod postgres {
    use super::*;

    prop_state_machine! {
        #![proptest_config(ProptestConfig { cases: 3, failure_persistence: None, ..ProptestConfig::default() })]

        fn equal(sequential 1..60 => Both<Postgres>);
    }

    #[test]
    fn the_store_of_the_simulation_is_equal_to_postgresql() {
        if crate::postgres::cluster("the comparison of two stores").is_some() {
            equal();
        }
    }
}
