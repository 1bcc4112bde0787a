//! The interleavings of statements on which the promise of a database depends: each with the functions as they are, and with a
//! planted fault, which the same steps find.

use std::time::Duration;

use ahu_service::proto::v1::ListMatchesRequest;
use ahu_service::proto::v1::match_service_client::MatchServiceClient;
use ahu_service::store::{Database, PostgresStore};
use ahu_service::{Limits, Matches, Server};
use tokio::net::TcpListener;
use tonic::Code;
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;

use crate::postgres::{Cluster, cluster};

/// Makes a database with the tables and a live start with the id 1, which has beaten three times.
fn with_start(cluster: &Cluster, name: &str, planted: Option<&str>) {
    let database = Database::read(&cluster.database(name)).expect("a URL");
    drop(PostgresStore::open(&database, false).expect("it is empty"));
    cluster.sql(name, "INSERT INTO ahu.start (id, live, host, process) VALUES ('\\x01', true, 'here', 1)");
    cluster.sql(name, "INSERT INTO ahu.beat VALUES ('\\x01', 3)");
    if let Some(planted) = planted {
        cluster.sql(name, planted);
    }
}

/// A takeover waits for the row of a start, whose beat is under way meanwhile. Returns true if the start is dead after both.
fn beats_during_a_takeover(cluster: &Cluster, name: &str, planted: Option<&str>) -> bool {
    with_start(cluster, name, planted);
    let [mut start, mut other] = [(), ()].map(|()| cluster.session(name));
    start.run("BEGIN; SELECT beats FROM ahu.beat_1('\\x01')");
    other.send("SELECT ahu.take_1('\\x01', 3)");
    assert!(cluster.waits(name, "take_1"), "it waits for the row of the start");
    start.run("COMMIT");
    other.answer();
    cluster.sql(name, "SELECT live FROM ahu.start WHERE id = '\\x01'") == "f\n"
}

#[test]
fn a_beat_under_way_saves_its_start_from_a_takeover() {
    let Some(cluster) = cluster("a takeover") else { return };
    assert!(!beats_during_a_takeover(cluster, "beat", None));
    // The number is read by the statement that waits for the lock, and so as it was before the wait.
    let planted = "CREATE OR REPLACE FUNCTION ahu.take_1(other bytea, seen bigint) RETURNS boolean LANGUAGE plpgsql AS $$ \
                   DECLARE beats bigint; BEGIN \
                   SELECT (SELECT number FROM ahu.beat WHERE start = id) INTO beats FROM ahu.start WHERE id = other AND live FOR UPDATE; \
                   IF beats IS DISTINCT FROM seen THEN RETURN false; END IF; \
                   UPDATE ahu.start SET live = false WHERE id = other; RETURN true; END $$";
    assert!(beats_during_a_takeover(cluster, "beat_planted", Some(planted)), "the steps find the fault");
}

/// A new connection settles while a commit of the old one is under way. Returns true if it reads something else later.
fn commits_after_settling(cluster: &Cluster, name: &str, planted: Option<&str>) -> bool {
    with_start(cluster, name, planted);
    let [mut old, mut new] = [(), ()].map(|()| cluster.session(name));
    old.run("BEGIN; SELECT ahu.hold_1('\\x01'); INSERT INTO ahu.request VALUES ('\\x02', '\\x03', 1)");
    new.send("SELECT ahu.settle_1('\\x01')");
    if cluster.waits(name, "settle_1") {
        old.run("COMMIT");
    }
    new.answer();
    let read = new.run("SELECT count(*) FROM ahu.request");
    old.run("COMMIT");
    new.run("SELECT count(*) FROM ahu.request") != read
}

#[test]
fn a_connection_that_has_settled_reads_what_stays() {
    let Some(cluster) = cluster("settling") else { return };
    assert!(!commits_after_settling(cluster, "settle", None));
    let planted = "CREATE OR REPLACE FUNCTION ahu.settle_1(id_ bytea) RETURNS boolean LANGUAGE plpgsql AS $$ \
                   BEGIN UPDATE ahu.meta SET time_ms = time_ms; RETURN true; END $$";
    assert!(commits_after_settling(cluster, "settle_planted", Some(planted)), "the steps find the fault");
}

/// A commit is visible whose wait for a replica was cancelled. Returns true if settling waits for that replica.
fn settling_waits_for_replicas(cluster: &Cluster, name: &str, planted: Option<&str>) -> bool {
    with_start(cluster, name, planted);
    cluster.sql(name, "ALTER SYSTEM SET synchronous_standby_names = 'nobody'");
    cluster.sql(name, "SELECT pg_reload_conf()");
    // Its own commit is one of those.
    cluster.waits_for_replicas(name);
    let mut new = cluster.session(name);
    new.send("SELECT ahu.settle_1('\\x01')");
    cluster.waits(name, "settle_1")
}

#[test]
fn what_is_read_after_settling_is_where_the_replicas_are() {
    let _ = cluster("a confirming commit");
    let Some(own) = Cluster::start() else { return };
    assert!(settling_waits_for_replicas(&own, "confirm", None));
    drop(own);
    let own = Cluster::start().expect("there was one");
    let planted = "CREATE OR REPLACE FUNCTION ahu.settle_1(id_ bytea) RETURNS boolean LANGUAGE plpgsql AS $$ \
                   BEGIN PERFORM 1 FROM ahu.meta; RETURN true; END $$";
    assert!(!settling_waits_for_replicas(&own, "confirm_planted", Some(planted)), "the steps find the fault");
}

/// A start that is dead, and another one with the same id, as after a failover that has lost the first. Returns true if the
/// second one begins, so that the first one could write.
fn begins_with_a_known_id(cluster: &Cluster, name: &str, planted: Option<&str>) -> bool {
    with_start(cluster, name, planted);
    cluster.sql(name, "UPDATE ahu.start SET live = false");
    cluster.sql(name, "SELECT ahu.begin_1('\\x01', 'elsewhere', 2)") == "t\n"
}

#[test]
fn an_id_that_is_known_begins_no_start() {
    let Some(cluster) = cluster("ids of starts") else { return };
    assert!(!begins_with_a_known_id(cluster, "ids", None));
    let planted = "CREATE OR REPLACE FUNCTION ahu.begin_1(id_ bytea, host_ text, process_ integer) RETURNS boolean \
                   LANGUAGE plpgsql AS $$ BEGIN INSERT INTO ahu.start (id, live, host, process) VALUES (id_, true, host_, process_) \
                   ON CONFLICT (id) DO UPDATE SET live = true; RETURN true; END $$";
    assert!(begins_with_a_known_id(cluster, "ids_planted", Some(planted)), "the steps find the fault");
}

/// The beats of a server wait for a lock. It answers nothing after half a lease, but for its health, and goes on when they are
/// confirmed again: its start began long ago by every clock, and nobody has taken its place.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_whose_beats_are_not_confirmed_answers_nothing() {
    let Some(cluster) = cluster("a lease") else { return };
    let url = Database::read(&cluster.database("half")).expect("a URL");
    let store = tokio::task::spawn_blocking(move || PostgresStore::open(&url, false)).await.expect("no panic");
    let store = store.expect("it is empty");
    let lease = store.lease();
    cluster.sql("half", "UPDATE ahu.start SET begun = now() - interval '1 year'");
    let hosted = Matches::new(Limits::default(), Some(Box::new(store)));
    let server = Server::from(hosted.clone()).with_lease(lease.clone());
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = format!("http://{}", listener.local_addr().expect("it is bound"));
    let serving = tokio::spawn(ahu_service::run(listener, server, std::future::pending()));
    let channel = tonic::transport::Endpoint::from_shared(address).expect("an address").connect_lazy();
    let (mut matches, mut health) = (MatchServiceClient::new(channel.clone()), HealthClient::new(channel));
    let mut list =
        async || matches.list_matches(ListMatchesRequest::default()).await.map(drop).map_err(|error| error.code());
    let mut is_ready = async || {
        let asked = HealthCheckRequest { service: "ahu.ready".to_owned() };
        health.check(asked).await.expect("health is told").into_inner().status() == ServingStatus::Serving
    };
    assert_eq!((list().await, is_ready().await), (Ok(()), true));
    let mut other = cluster.session("half");
    other.run("BEGIN; SELECT 1 FROM ahu.start FOR UPDATE");
    let pause = Duration::from_millis(20);
    while lease.is_held() {
        tokio::time::sleep(pause).await;
    }
    assert_eq!(list().await, Err(Code::Unavailable));
    while is_ready().await {
        tokio::time::sleep(pause).await;
    }
    // Its clock stands still, at the latest after the next look at the lease.
    let stands_still = async || {
        let before = hosted.now();
        tokio::time::sleep(5 * pause).await;
        hosted.now() == before
    };
    while !stands_still().await {}
    drop(other);
    while !is_ready().await {
        tokio::time::sleep(pause).await;
    }
    while stands_still().await {}
    assert_eq!(list().await, Ok(()));
    assert!(!lease.is_dead());
    // The operator, or a takeover.
    cluster.sql("half", "UPDATE ahu.start SET live = false");
    lease.died().await;
    assert_eq!(list().await, Err(Code::Unavailable));
    serving.abort();
}
