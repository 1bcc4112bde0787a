//! The metrics of a server, for its operator: counters that the other parts raise, and gauges that are read when somebody asks.
//!
//! The metrics have a listener of their own. On a server with one match, the number of calls or commits tells how many secret
//! plies the others took. So no call of the API tells these numbers, and the operator decides who may read the metrics. `ahu
//! status` reads the same page as Prometheus does.

mod listener;

use std::collections::HashSet;
use std::sync::{Arc, LazyLock, Mutex};
use std::time::Duration;

use ahu_host::{Cause, Ending};
use axum::response::Response;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Metric, Registry};
use prost_reflect::DescriptorPool;
use tonic::{Code, Status};
use tonic_types::StatusExt;

pub use self::listener::serve_metrics;
use super::limits::Rate;
use super::lock;
use super::stderr::Stderr;
use super::store::Lease;
use crate::proto::DESCRIPTORS;

/// The names and values of labels.
type Labels = Vec<(&'static str, String)>;
type Counters = Family<Labels, Counter>;
type Gauges = Family<Labels, Gauge>;
type Histograms = Family<Labels, Histogram, fn() -> Histogram>;

/// The route that a request of a browser took, as an extension of its answer: the path with its fields by name, so that
/// there are few.
#[derive(Clone, Debug)]
pub(super) struct Route(pub(super) String);

/// The buckets of a latency, in seconds: from a quick call to a call that waits for half a minute.
const LATENCIES: [f64; 16] =
    [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0, 15.0, 35.0];

/// The methods of all services of a server, such as `ahu.v1.MatchService/Step`.
pub(super) static METHODS: LazyLock<HashSet<String>> = LazyLock::new(|| {
    let mut methods = HashSet::new();
    for set in [
        DESCRIPTORS,
        tonic_health::pb::FILE_DESCRIPTOR_SET,
        tonic_reflection::pb::v1::FILE_DESCRIPTOR_SET,
        tonic_reflection::pb::v1alpha::FILE_DESCRIPTOR_SET,
    ] {
        let pool = DescriptorPool::decode(set).expect("the builds have checked them");
        for service in pool.services() {
            methods.extend(service.methods().map(|method| format!("{}/{}", service.full_name(), method.name())));
        }
    }
    methods
});

/// The metrics of a server. Clones share them.
#[derive(Clone, Debug)]
pub(super) struct Metrics(Arc<All>);

#[derive(Debug)]
struct All {
    calls: Counters,
    call_seconds: Histograms,
    refusals: Counters,
    connections_closed: Counters,
    delays: Counters,
    matches_created: Counters,
    matches_ended: Counters,
    forfeits: Counters,
    commits: Counter,
    commit_failures: Counter,
    changes: Counter,
    commit_seconds: Histogram,
    gauges: GaugesOfServer,
    /// Locked while the gauges are set and written.
    registry: Mutex<Registry>,
}

/// The values that are set when somebody asks.
#[derive(Debug)]
pub(super) struct GaugesOfServer {
    matches: Gauges,
    pub(super) connections: Gauge,
    pub(super) peers: Gauge,
    pub(super) used: Gauges,
    pub(super) environments: Gauge,
    pub(super) queue_length: Gauges,
    memory: Gauges,
    lease: Gauges,
}

impl Default for Metrics {
    /// Creates metrics that count from 0.
    fn default() -> Self {
        let latencies = || Histogram::new(LATENCIES);
        let mut registry = Registry::with_prefix("ahu");
        let of = &mut registry;
        let all = All {
            calls: new(of, "calls", "Calls that were answered, by method and code"),
            call_seconds: added(
                of,
                "call_seconds",
                "Time from a call to its answer, with its wait",
                Family::new_with_constructor(latencies),
            ),
            refusals: new(of, "refusals", "Calls that were refused, by reason"),
            connections_closed: new(of, "connections_closed", "Connections that the server closed"),
            delays: new(of, "delays", "Calls and reads of connections that had to wait, by rate"),
            matches_created: new(of, "matches_created", "Matches that were created, by game"),
            matches_ended: new(of, "matches_ended", "Matches that ended, by game and ending"),
            forfeits: new(of, "forfeits", "Seats that forfeited, by cause"),
            commits: new(of, "commits", "Commits of the store"),
            commit_failures: new(of, "commit_failures", "Commits that failed"),
            changes: new(of, "changes", "Changes of matches that were committed"),
            commit_seconds: added(of, "commit_seconds", "Time of a commit", latencies()),
            gauges: GaugesOfServer {
                matches: new(of, "matches", "Matches in memory, by game and state"),
                connections: new(of, "connections", "Open connections"),
                peers: new(of, "peers", "Addresses that use the server"),
                used: new(of, "used", "Amounts that all addresses use, by share"),
                environments: new(of, "environments", "Open environments"),
                queue_length: new(of, "queue_length", "Jobs that wait, by queue"),
                memory: new(of, "memory_bytes", "Memory, by part"),
                lease: new(
                    of,
                    "lease",
                    "1 while the server may answer, by the replicas for which commits of its database wait",
                ),
            },
            registry: Mutex::default(),
        };
        let dropped = "Lines of the log that stderr did not take, or not as fast as they came";
        added(of, "log_lines_dropped", dropped, Stderr::dropped());
        *lock(&all.registry) = registry;
        Self(Arc::new(all))
    }
}

fn added<M: Metric + Clone>(registry: &mut Registry, name: &str, help: &str, metric: M) -> M {
    registry.register(name, help, metric.clone());
    metric
}

/// Adds a metric that is empty.
fn new<M: Metric + Clone + Default>(registry: &mut Registry, name: &str, help: &str) -> M {
    added(registry, name, help, M::default())
}

impl Metrics {
    /// Notes a call that was answered after this time.
    pub(super) fn call_ended(&self, path: &str, answer: &Response, time: Duration) {
        let answered = |method: &str, code: String| {
            self.0.calls.get_or_create(&vec![("method", method.to_owned()), ("code", code)]).inc();
            self.0.call_seconds.get_or_create(&vec![("method", method.to_owned())]).observe(time.as_secs_f64());
        };
        if let Some(Route(route)) = answer.extensions().get() {
            return answered(route, answer.status().as_u16().to_string());
        }
        // The status of a success comes after the body.
        let status = Status::from_header_map(answer.headers());
        let code = status.as_ref().map_or(Code::Ok, Status::code);
        // A caller can invent paths, and each would stay in memory.
        let method = path.strip_prefix('/').filter(|method| METHODS.contains(*method)).unwrap_or("unknown");
        answered(method, format!("{code:?}"));
        if let Some(reason) = status.and_then(|status| Some(status.get_details_error_info()?.reason)) {
            self.0.refusals.get_or_create(&vec![("reason", reason)]).inc();
        }
    }

    /// Notes a connection that the server closes for this reason.
    pub(super) fn connection_closed(&self, reason: &'static str) {
        self.0.connections_closed.get_or_create(&vec![("reason", reason.to_owned())]).inc();
    }

    /// Notes that something came earlier than this rate permits, and waits.
    pub(super) fn delayed(&self, rate: Rate) {
        self.0.delays.get_or_create(&vec![("rate", rate.name().to_owned())]).inc();
    }

    pub(super) fn match_created(&self, game: &str) {
        self.0.matches_created.get_or_create(&vec![("game", game.to_owned())]).inc();
    }

    pub(super) fn match_ended(&self, game: &str, ending: &Ending) {
        let ending = match ending {
            Ending::Finished => "finished",
            Ending::Cancelled(_) => "cancelled",
            Ending::Void(_) => "void",
        };
        self.0.matches_ended.get_or_create(&vec![("game", game.to_owned()), ("ending", ending.to_owned())]).inc();
    }

    /// Notes the forfeit of a seat.
    pub(super) fn forfeited(&self, cause: Cause) {
        self.0.forfeits.get_or_create(&vec![("cause", cause.name().to_owned())]).inc();
    }

    /// Notes a commit of this number of changes, and the time that it took.
    pub(super) fn committed(&self, changes: usize, time: Duration) {
        self.0.commits.inc();
        self.0.changes.inc_by(changes as u64);
        self.0.commit_seconds.observe(time.as_secs_f64());
    }

    pub(super) fn commit_failed(&self) {
        self.0.commit_failures.inc();
    }

    /// Sets the gauges, and returns all metrics in the text format of Prometheus.
    pub(super) fn text(&self, set: impl FnOnce(&GaugesOfServer)) -> String {
        let registry = lock(&self.0.registry);
        let GaugesOfServer { matches, used, queue_length, memory, lease, .. } = &self.0.gauges;
        [matches, used, queue_length, memory, lease].into_iter().for_each(Family::clear);
        set(&self.0.gauges);
        let mut text = String::new();
        encode(&mut text, &registry).expect("a text can be written");
        text
    }
}

impl GaugesOfServer {
    /// Adds a match in memory.
    pub(super) fn add_match(&self, game: &str, state: &str) {
        self.matches.get_or_create(&vec![("game", game.to_owned()), ("state", state.to_owned())]).inc();
    }

    /// Sets the value of a gauge with this label.
    pub(super) fn set(gauges: &Gauges, label: &'static str, name: &str, value: u64) {
        gauges.get_or_create(&vec![(label, name.to_owned())]).set(value as i64);
    }

    /// Sets whether a server on a database may answer.
    pub(super) fn set_lease(&self, lease: &Lease) {
        Self::set(&self.lease, "replicas", &lease.replicas(), u64::from(lease.is_held()));
    }

    /// Sets the memory of a part, in bytes.
    pub(super) fn set_memory(&self, part: &str, bytes: usize) {
        Self::set(&self.memory, "part", part, bytes as u64);
    }
}
