//! All limits of a server, each with its reason.

mod shares;

use std::ops::RangeInclusive;
use std::time::Duration;

use ahu_host::BotName;
use ahu_host::api::ApiError;
use ahu_host::search::Budget;

pub use self::shares::{Rate, Rates, Share, Shares};

/// The limits that an operator can set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The maximum number of matches that have not ended. At the limit the server refuses new matches.
    pub matches: usize,
    /// The maximum memory of the matches that have ended, in bytes. Beyond it, the match that ended first leaves memory.
    /// A server with a store reads it back when somebody asks; without a store it is dropped.
    pub ended_bytes: usize,
    /// The time after which the server cancels a match that nobody joins, and after which an ended match leaves memory. The
    /// clocks end a match in progress.
    pub match_idle: Duration,
    /// The limit of a decision for seats whose clock has no limit: at least a millisecond, and at most a day.
    pub decision_idle: Duration,
    /// The maximum number of open environments, over all streams.
    pub environments: usize,
    /// The maximum number of open streams of environments. Each has a thread.
    pub environment_streams: usize,
    /// The maximum number of playouts that a search bot makes for a decision, in matches and environments.
    pub bot_playouts: u32,
    /// The maximum number of open connections. The server closes further ones at once.
    pub connections: usize,
    /// The shares of each address elsewhere. An IPv6 address counts with its network of 64 bits, since a host usually has the
    /// whole network.
    pub shares: Shares,
    /// The shares of all loopback addresses together, and the shares of all Unix sockets together.
    pub local_shares: Shares,
    /// The shares of each account without own shares, over all its keys and addresses. They count in place of those of the
    /// address.
    pub account_shares: Shares,
    /// The rates of each account.
    pub account_rates: Rates,
    /// The rates of each address elsewhere. An IPv6 address counts with its network, as it does for shares.
    pub rates: Rates,
    /// The rates of all loopback addresses together, and the rates of all Unix sockets together.
    pub local_rates: Rates,
    /// The time in which a new connection has to begin HTTP/2.
    pub handshake: Duration,
    /// The time after which the server closes a connection that sends nothing, or that takes in none of its answers. Pings make
    /// every client that runs send something each [`KEEPALIVE`].
    pub connection_silence: Duration,
    /// The time after which the server closes a connection without a call. Clients connect again with their next call.
    pub connection_idle: Duration,
    /// The time in which a stream of environments has to begin with its `open`.
    pub stream_open: Duration,
    /// The maximum number of streams that watch matches.
    pub watchers: usize,
    /// The maximum number of streams that watch one match.
    pub match_watchers: usize,
}

impl Default for Limits {
    /// Returns limits for a machine with a few gigabytes of memory. A match in progress takes up to 200 KB, so ten thousand take
    /// at most 2 GB; the matches that have ended take 128 MiB, since a busy server ends more than a thousand within minutes. An
    /// hour of idleness suffices for a person at lunch, and for an organiser who fetches all records at the end. Ten minutes for
    /// a decision suffice for a person who thinks, and for an agent that starts again. An environment takes about 3 KB, so a
    /// quarter of a million take less than a gigabyte, and up to four batches wait for a client that does not read them. A
    /// thousand playouts occupy a core for up to half a second, in the longest game. An idle connection takes about 20 KB, so
    /// sixteen thousand take less than half a gigabyte. A watcher of a match that others watch takes a few KB. A watcher of the
    /// past takes a game and its log, up to 200 KB, so two thousand watchers take at most 400 MB.
    fn default() -> Self {
        Self {
            matches: 10_000,
            ended_bytes: 128 << 20,
            match_idle: Duration::from_secs(3600),
            decision_idle: Duration::from_secs(600),
            environments: 262_144,
            environment_streams: 2048,
            bot_playouts: 1000,
            connections: 16_384,
            shares: Shares::REMOTE,
            local_shares: Shares::LOCAL,
            account_shares: Shares::REMOTE,
            account_rates: Rates::REMOTE,
            rates: Rates::REMOTE,
            local_rates: Rates::LOCAL,
            handshake: Duration::from_secs(20),
            connection_silence: Duration::from_secs(90),
            connection_idle: Duration::from_secs(900),
            stream_open: Duration::from_secs(30),
            watchers: 2048,
            match_watchers: 1000,
        }
    }
}

/// The longest time for which the server does not read from a connection that was opened too early or sent too many frames.
/// It is also the longest time for which calls wait for the cost of earlier calls.
pub const MAX_PAUSE: Duration = Duration::from_secs(5);

/// The bytes that the server reads at once from a connection after such a pause: so few that the reads of many connections of
/// one address do not add up.
pub const PACED_READ_BYTES: usize = 512;

/// The time in which the body of a call has to arrive, counted from its headers or from the time at which it gets room.
pub const BODY_TIME: Duration = Duration::from_secs(20);

/// The bytes of a body that a call may send before it has room. Almost all requests are smaller.
pub const FREE_BODY: usize = 2 * 1024;

/// The bytes under way of one seat: two of the largest answers.
pub const SEAT_BYTES: u32 = 1024 * 1024;

/// The bytes for which a call has room before it makes a large answer. The record of the longest game is smaller.
pub const ANSWER_ROOM: usize = 512 * 1024;

/// The bytes from which on an answer counts as under way. Smaller ones are bounded by the calls in progress.
pub const HELD_FROM: usize = 1024;

/// The bytes that a client may send on one call before they are read.
pub const STREAM_WINDOW: u32 = 128 * 1024;

/// The bytes that a client may send on one connection before they are read.
pub const CONNECTION_WINDOW: u32 = 256 * 1024;

/// The number of principals beyond which the limiter forgets principals that use nothing and have nothing to work off.
pub const MAX_IDLE_PRINCIPALS: usize = 1024;

/// The playouts that count for each millisecond of a search with a budget of time: as many as a slow game makes.
pub const PLAYOUTS_PER_MILLISECOND: u64 = 2;

/// The number of bytes with which HTTP/2 begins: the preface of 24 bytes, and the head of a frame.
pub const HANDSHAKE_BYTES: u64 = 33;

/// The time for which a connection beyond a share is served, so that its calls learn the reason.
pub const EXCESS_TIME: Duration = Duration::from_secs(5);

/// The maximum number of connections beyond a share that the server still serves; it closes further ones at once.
pub const MAX_EXCESS_CONNECTIONS: usize = 32;

/// The file descriptors that connections leave to the store, to its readers, and to logs.
pub const RESERVED_DESCRIPTORS: u64 = 256;

/// The maximum number of addresses that a forwarding header may list: far more than there are proxies in a row.
pub const MAX_FORWARDED: usize = 32;

/// The maximum time that a search bot takes for a decision in a match: as long as a playout limit would allow on a slow
/// machine. Environments refuse budgets of time, since their episodes are functions of their seeds.
pub const MAX_BOT_TIME: Duration = Duration::from_secs(2);

impl Limits {
    /// Lowers the shares to parts of the limits, so that nobody has them to itself: to a half for an address elsewhere and for
    /// an account, and to fifteen sixteenths for this machine.
    pub fn bound_shares(&mut self) {
        for (share, limit) in [
            (Share::Connections, self.connections),
            (Share::Matches, self.matches),
            (Share::Environments, self.environments),
            (Share::EnvironmentStreams, self.environment_streams),
            (Share::Watchers, self.watchers),
        ] {
            let limit = u32::try_from(limit).unwrap_or(u32::MAX);
            self.shares[share] = self.shares[share].min(limit.div_ceil(2));
            self.account_shares[share] = self.account_shares[share].min(limit.div_ceil(2));
            self.local_shares[share] = self.local_shares[share].min(limit - limit / 16);
        }
    }

    /// Refuses a bot whose budget is above the limits of the server.
    pub(super) fn check_bot(&self, bot: BotName) -> Result<(), ApiError> {
        let most = match bot.budget() {
            Some(Budget::Playouts(playouts)) if playouts.get() > self.bot_playouts => {
                format!("at most {} playouts a decision", self.bot_playouts)
            }
            Some(Budget::Time(time)) if u128::from(time.get()) > MAX_BOT_TIME.as_millis() => {
                format!("at most {}ms a decision", MAX_BOT_TIME.as_millis())
            }
            _ => return Ok(()),
        };
        Err(ApiError::bad_bot(format!("expected {most} on this server, got the bot \"{bot}\""), bot))
    }
}

/// The maximum time that a call waits. It is long enough that waiting costs almost nothing, and short enough for
/// proxies and clients with a deadline of a minute.
pub const MAX_WAIT: Duration = Duration::from_secs(30);

/// The time between a deadline and the end of its decision, so that an answer that arrived before the deadline and waits
/// for the lock of the match comes first.
pub const TIMER_SLACK: Duration = Duration::from_millis(20);

/// The most time between two looks of the timer at the clock.
pub const CLOCK_BEAT: Duration = Duration::from_millis(250);

/// The time between two looks at the clock from which on the whole process has stood still: four missed looks.
pub const CLOCK_PAUSE: Duration = Duration::from_secs(1);

/// The time for which a seat is present after its last call: the pause between the calls of an agent that plays.
pub const PRESENCE_GRACE: Duration = Duration::from_secs(10);

/// The maximum number of labels of a match: room for the names and ids of an organiser.
pub const MAX_LABELS: usize = 16;
/// The permitted lengths of a label's key in bytes.
pub const LABEL_KEY: RangeInclusive<usize> = 1..=64;
/// The maximum length of a label's value in bytes.
pub const MAX_LABEL_VALUE: usize = 256;

/// The maximum length of the comment on a decision in bytes: a paragraph.
pub const MAX_COMMENT: usize = 2048;
/// The maximum length of all comments of a seat in a match, in bytes: a sentence for each decision of the longest game.
pub const MAX_COMMENTS: usize = 64 * 1024;

/// The maximum size of a request in bytes. The largest reasonable request, a match with all its options, has less than
/// a tenth of it.
pub const MAX_REQUEST_BYTES: usize = 64 * 1024;

/// The maximum size of a request within a stream of environments in bytes: an action, a number, and a seed for each
/// environment of the largest stream.
pub const MAX_RUN_REQUEST_BYTES: usize = 1024 * 1024;

/// The maximum number of concurrent calls on one connection. An agent with a thousand seats may wait for all of them on
/// one connection.
pub const MAX_STREAMS: u32 = 2048;

/// The period of pings on a silent connection. Middleboxes forget a connection after a minute of silence.
pub const KEEPALIVE: Duration = Duration::from_secs(30);

/// The period in which a server looks whether the files of its certificate have changed: shorter than anybody waits who
/// exchanges them by hand.
pub const CERTIFICATE_PERIOD: Duration = Duration::from_secs(2);

/// The pause after a connection could not be accepted, so that the server does not spin when the system has no file
/// descriptors left.
pub const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// The maximum number of events in one answer. An event with text and message has about 200 bytes, so an answer stays
/// far below the 4 MiB that clients accept by default. Few games have so many events.
pub const MAX_ANSWER_EVENTS: usize = 1000;

/// The maximum number of events by which a match delays the news for the public: more than any game has, so the public may be
/// told nothing until the end.
pub const MAX_SPECTATOR_DELAY: u32 = 10_000;

/// The permitted pauses before a watcher gets a message without an observation. Proxies close streams after a minute of
/// silence.
pub const HEARTBEAT: RangeInclusive<Duration> = Duration::from_secs(1)..=Duration::from_secs(60);
/// The pause before a watcher gets a message without an observation if the request does not set one.
pub const DEFAULT_HEARTBEAT: Duration = Duration::from_secs(15);

/// The number of messages a second that all spectators of a server get together when matches change fast; players who watch
/// their matches get as many. A message of a few KB takes some 50 us of a core, so each take a tenth of one (`cargo bench --bench
/// service watch`).
pub const WATCH_RATE: u32 = 2_000;
/// The number of messages that the watchers of a principal get at once, before the others wait for their turns: so few that a
/// call does not wait for them.
pub const WATCH_BURST: u32 = 10;
/// The messages that count for a picture that is still to be drawn. Background threads draw it in up to half a millisecond, and
/// yield to calls, so pictures may take a quarter of a core.
pub const PICTURE_UNITS: u32 = 4;
/// The entries of a match that count as a message if they are applied for a watcher that begins.
pub const UNIT_ENTRIES: usize = 32;
/// The maximum number of messages that a feed makes at once for its watchers: the messages of a quarter of a second.
pub const MAX_WATCH_MESSAGES: usize = 500;
/// The maximum number of messages that a feed makes at once for one watcher. A call and the quick bots after it change less.
pub const MAX_WATCH_UPDATES: usize = 100;
/// The size of the messages that a match keeps for watchers that are behind, in bytes. The messages of the last look do not
/// count.
pub const WATCH_BACKLOG: usize = 256 * 1024;
/// The size of the messages with pictures that a match keeps for watchers that are behind, in bytes.
pub const PAGE_BACKLOG: usize = 2 * 1024 * 1024;
/// The size of the largest picture, in bytes.
pub const PICTURE_BYTES: usize = 80 * 1024;

/// The maximum size of a record file that a browser sends, in bytes. A record of the longest game has a half of it.
pub const MAX_WEB_BODY: usize = 1024 * 1024;
/// The maximum number of actions that a browser drafts, or answers with, in one request: above the longest chain of decisions.
pub const MAX_DRAFT: usize = 256;
/// The time that a browser has to send the body of a request.
pub const WEB_BODY_TIME: Duration = Duration::from_secs(30);
/// The maximum number of records that are replayed for browsers at a time.
pub const WEB_REPLAYS: usize = 2;

/// The maximum number of matches on a page of `ListMatches`.
pub const MAX_PAGE: usize = 1000;

/// The size after which a page of `ListMatches` ends, in bytes.
pub const PAGE_BYTES: usize = 256 * 1024;

/// The maximum number of matches that `ListMatches` looks at for one page, which may have fewer, or none.
pub const MAX_LOOKED_AT: usize = 1000;

/// The maximum number of own matches that the web page shows to an account.
pub const MAX_OWN_MATCHES: usize = 50;

/// The number of matches on a page if the request does not set one.
pub const DEFAULT_PAGE: usize = 100;

/// The maximum number of matches that a call for another seat names.
pub const MAX_PLAYING: usize = 100;

/// The time after the first call of an organiser since the start of a server in which agents without a queue still wait: other
/// organisers try once a second, and name their agents in several calls.
pub const ORGANISER_GRACE: Duration = Duration::from_secs(10);

/// The maximum number of agents of a cup: a ladder keeps those that have left.
pub const MAX_QUEUES: usize = 20_000;

/// The maximum length of the name of an agent of a ladder without its version, in bytes.
pub const MAX_STEM: usize = 24;

/// The maximum number of calls of an account for a ladder in 24 hours, such as entries.
pub const MAX_CUP_CALLS: usize = 50;

/// The maximum number of cups of an organiser: two a week for a year. Then the operator removes old ones.
pub const MAX_CUPS: usize = 100;

/// The maximum size of the copy of a cup's journal, in bytes. A game of four agents takes 200 to 400, or 1,400 in a ladder, where
/// each comes for it: this is a ladder of three million games.
pub const MAX_JOURNAL: u64 = 1 << 32;

/// The permitted lengths of a `request_id` and of an invitation code in characters: from the shortest length that nobody can
/// guess to twice the length of a UUID.
pub const REQUEST_ID: RangeInclusive<usize> = 16..=64;

/// The maximum number of decisions that quick bots make within one call: at less than 50 us each, the call and all
/// others of the match wait less than 2 ms. The bot pool makes the rest.
pub const MAX_INLINE_DECISIONS: usize = 32;

/// The maximum number of threads for the decisions of bots for which agents may wait, and the maximum number for the
/// decisions of bots that play alone.
pub const BOT_THREADS: usize = 64;

/// The maximum number of changes that share a commit of the journal, which bounds the wait of the first one.
pub const MAX_COMMIT_CHANGES: usize = 256;

/// The longest pause between two changes for which the journal waits before a commit, as a divisor of the time of the last
/// commit: a sixteenth. Agents that answer at once follow each other faster.
pub const COMMIT_GAP: u32 = 16;

/// The longest time for which the journal waits before a commit, as a divisor of the time of the last commit: a half.
pub const MAX_COMMIT_DELAY: u32 = 2;

/// The time after which the store learns the time of the server while somebody thinks. A clock loses at most this time
/// when the server is killed.
pub const STORE_BEAT: Duration = Duration::from_secs(1);

/// The time without a beat after which another start of a server may take the place of one, on a database.
pub const LEASE: Duration = Duration::from_secs(5);
/// The time between two beats of a start.
pub const BEAT: Duration = Duration::from_secs(1);
/// The time between two looks of a start at the beats of the one that works.
pub const LEASE_LOOK: Duration = Duration::from_millis(250);
/// The longest time of a call to a database, after which its connection is closed: half a lease, so that a server whose database
/// does not answer is silent in time.
pub const DATABASE_CALL: Duration = Duration::from_millis(2500);
/// The longest time in which a connection to a database is made.
pub const DATABASE_CONNECT: Duration = Duration::from_secs(2);
/// The number of tries of a commit that a database refuses because others change the same rows.
pub const COMMIT_TRIES: usize = 5;

/// The first pause before the journal tries to write a failing store again. Each later pause is twice as long.
pub const FIRST_STORE_RETRY: Duration = Duration::from_millis(250);
/// The longest pause before the journal tries to write a failing store again.
pub const LAST_STORE_RETRY: Duration = Duration::from_secs(4);

/// The maximum number of open readers of the store. A database has few connections for all its clients.
pub const MAX_READERS: usize = 8;

/// The number of matches that `ListMatches` reads from the store at once.
pub const LISTED_AT_ONCE: usize = 256;

/// The number of matches that the store removes in one transaction, so that others wait less than a second.
pub const PRUNED_AT_ONCE: usize = 64;

/// The time between two searches for matches that exceed the bounds of the store.
pub const PRUNE_PERIOD: Duration = Duration::from_secs(30);

/// The maximum time between two searches for idle matches.
const MAX_EXPIRY_PERIOD: Duration = Duration::from_secs(30);

/// Returns the time between two searches for idle matches, so that the limit holds within a tenth.
pub(super) fn expiry_period(match_idle: Duration) -> Duration {
    (match_idle / 10).clamp(Duration::from_millis(1), MAX_EXPIRY_PERIOD)
}

/// The maximum number of accounts. All of them are in memory, with a few hundred bytes each.
pub const MAX_ACCOUNTS: usize = 100_000;

/// The maximum number of keys of an account, with those that are not valid any more.
pub const MAX_KEYS: usize = 1_000;

/// The maximum length of the label of a key, in bytes.
pub const MAX_KEY_LABEL: usize = 64;

/// The longest time between two looks for keys that have expired. Within it, the server notices that the clock of the day
/// was set.
pub const LONGEST_EXPIRY_LOOK: Duration = Duration::from_secs(60);

/// The time for which a server waits for its data folder, and a cup for its journal. A command of the operator uses the folder
/// for a moment, and so does a program that an earlier process had just started when it was killed.
pub const FOLDER_WAIT: Duration = Duration::from_secs(2);

/// The interval of the attempts to lock them.
pub const LOCK_TRIES: Duration = Duration::from_millis(10);

/// The maximum length of a command on the admin socket in bytes: a hundred thousand accounts with keys.
pub const MAX_ADMIN_COMMAND: usize = 64 * 1024 * 1024;

/// The number of the operator's last commands whose answers the store keeps. A command is repeated within seconds.
pub const REMEMBERED_COMMANDS: u32 = 64;

/// The time that a command on the admin socket has to arrive.
pub const ADMIN_TIME: Duration = Duration::from_secs(30);

/// The number of lines of the audit that may wait for the disk. Beyond it, lines are dropped, and their number is written.
pub const AUDIT_LINES: usize = 4096;

/// The number of bytes that may wait for stderr. Beyond it, texts are dropped, and their number is written.
pub const STDERR_BYTES: usize = 2 * 1024 * 1024;

/// The time that a process which ends waits for its last texts on stderr.
pub const LAST_TEXTS_TIME: Duration = Duration::from_secs(1);

/// The number of acts and clients of whose last lines the audit keeps the times.
pub const AUDITED_ACTS: usize = 4096;

/// The pause after which the audit writes the same act of a stranger at an address again.
pub const STRANGER_PAUSE: Duration = Duration::from_secs(1);

/// The mean pause after which the audit writes the same act of an account or an organiser again: at 200 bytes, 170 MB a day.
pub const TRUSTED_PAUSE: Duration = Duration::from_millis(100);

/// The number of lines about the same act of an account or an organiser that the audit writes at once.
pub const TRUSTED_BURST: u32 = 600;

/// The time after which a session of the web page ends.
pub const SESSION_TIME: Duration = Duration::from_secs(12 * 3600);

/// The maximum number of sessions of the web page. Beyond it, the oldest session ends.
pub const MAX_SESSIONS: usize = 10_000;

/// The sessions of one account; beyond them, its oldest session ends.
pub const SESSIONS_OF_ACCOUNT: usize = 16;

/// The time that calls have to end after the server starts to shut down.
pub const CLOSING_GRACE: Duration = Duration::from_secs(5);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_idle_match_is_found_within_a_tenth_of_its_limit() {
        for seconds in [1, 2, 30, 60, 300, 3600, 86_400] {
            let idle = Duration::from_secs(seconds);
            assert!(10 * expiry_period(idle) <= idle && expiry_period(idle) <= MAX_EXPIRY_PERIOD, "{seconds}");
        }
    }

    #[test]
    fn no_address_has_the_server_to_itself() {
        for count in [1, 2, 10, 160, 100_000] {
            let mut limits = Limits {
                matches: count,
                connections: count,
                environment_streams: count,
                watchers: count,
                ..Limits::default()
            };
            limits.bound_shares();
            let count = count as u32;
            for share in [Share::Matches, Share::Connections, Share::EnvironmentStreams, Share::Watchers] {
                assert!(limits.shares[share] <= count.div_ceil(2) && limits.shares[share] > 0);
                assert!(limits.local_shares[share] <= count && limits.local_shares[share] > 0);
            }
            assert!(count < 16 || limits.local_shares[Share::Matches] < count);
        }
        let mut defaults = Limits::default();
        defaults.bound_shares();
        assert_eq!(defaults, Limits::default());
    }
}
