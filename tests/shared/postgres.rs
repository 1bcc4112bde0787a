//! A cluster of PostgreSQL for the tests of this process, in a temporary folder, on a socket. Without PostgreSQL on the machine,
//! there is none, and a test says so.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{LazyLock, Mutex, PoisonError};

use tempfile::TempDir;

/// A cluster. It ends with its value, or with this process.
pub(crate) struct Cluster {
    folder: PathBuf,
    programs: PathBuf,
    /// The user as whom the server runs; None for the own one.
    user: Option<&'static str>,
    /// A shell that stops the server when its input ends.
    _keeper: Mutex<Child>,
}

/// The cluster of this process; None without PostgreSQL.
pub(crate) static CLUSTER: LazyLock<Option<Cluster>> = LazyLock::new(Cluster::start);

/// Returns the cluster. Without PostgreSQL, says that the test is skipped.
#[expect(clippy::print_stdout, reason = "a skipped test says so")]
pub(crate) fn cluster(test: &str) -> Option<&'static Cluster> {
    if CLUSTER.is_none() {
        println!(
            "skipped: {test} needs PostgreSQL, whose programs are in no folder of /usr/lib/postgresql nor in PATH"
        );
    }
    CLUSTER.as_ref()
}

/// A folder in memory.
const MEMORY: &str = "/dev/shm";

/// Returns true if there is a folder in memory with a gigabyte: in a container it may have 64 MB.
fn has_memory() -> bool {
    let df = Command::new("df").args(["--output=avail", "-k", MEMORY]).output();
    let free = df.ok().and_then(|df| String::from_utf8(df.stdout).ok()?.lines().last()?.trim().parse().ok());
    free.is_some_and(|kilobytes: u64| kilobytes > 1 << 20)
}

/// Returns the folder with the programs of the newest PostgreSQL.
fn programs() -> Option<PathBuf> {
    let of_debian = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut found: Vec<_> = of_debian
        .filter_map(|entry| Some((entry.file_name().to_str()?.parse::<u32>().ok()?, entry.path().join("bin"))))
        .filter(|(_, programs)| programs.join("initdb").exists())
        .collect();
    found.sort();
    let in_path = || {
        let paths = std::env::var_os("PATH")?;
        std::env::split_paths(&paths).find(|folder| folder.join("initdb").exists() && folder.join("postgres").exists())
    };
    found.pop().map(|(_, programs)| programs).or_else(in_path)
}

impl Cluster {
    /// Starts a cluster.
    pub(crate) fn start() -> Option<Self> {
        let programs = programs()?;
        Some(Self::begin(programs, |programs, user, data| {
            let mut initdb = as_user(user, &programs.join("initdb"));
            initdb.arg("-D").arg(data).args(["-A", "trust", "-U", "ahu", "--no-sync", "--locale=C", "--encoding=UTF8"]);
            initdb
        }))
    }

    /// Starts a replica of this cluster, which follows it. If `is_synchronous`, waits until commits wait for it.
    pub(crate) fn replica(&self, is_synchronous: bool) -> Self {
        let replica = Self::begin(self.programs.clone(), |programs, user, data| {
            let mut copy = as_user(user, &programs.join("pg_basebackup"));
            copy.arg("-D").arg(data).arg("-h").arg(&self.folder).args(["-U", "ahu", "-R", "-c", "fast", "--no-sync"]);
            copy
        });
        if is_synchronous {
            self.sql("postgres", "ALTER SYSTEM SET synchronous_standby_names = '*'");
            self.sql("postgres", "SELECT pg_reload_conf()");
            let states = "SELECT sync_state FROM pg_stat_replication";
            while self.sql("postgres", states).trim() != "sync" {
                std::thread::sleep(std::time::Duration::from_millis(20));
            }
        }
        replica
    }

    /// Makes the folder of a cluster by a command, and starts it.
    fn begin(programs: PathBuf, make: impl FnOnce(&Path, Option<&str>, &Path) -> Command) -> Self {
        let folder = if has_memory() { TempDir::new_in(MEMORY) } else { TempDir::new() }.expect("a temporary folder");
        let is_root = fs::metadata(folder.path()).expect("it was made").uid() == 0;
        // PostgreSQL refuses to run as root.
        let user = is_root.then_some("postgres");
        let data = folder.path().join("data");
        fs::DirBuilder::new().mode(0o700).create(&data).expect("a new folder");
        if let Some(user) = user {
            let done = Command::new("chown").args(["-R", user]).arg(folder.path()).status();
            assert!(done.expect("it is there").success(), "expected the user {user}");
        }
        done(make(&programs, user, &data));
        let socket = folder.path().display().to_string();
        let stop = as_user(user, &programs.join("pg_ctl"));
        let stop =
            std::iter::once(stop.get_program()).chain(stop.get_args()).map(|word| word.to_string_lossy().into_owned());
        let stop = stop.collect::<Vec<_>>().join(" ");
        let script =
            format!("cat >/dev/null; {stop} -D {} -m immediate stop 2>/dev/null; rm -rf {socket}", data.display());
        let keeper = Command::new("sh").arg("-c").arg(script).stdin(Stdio::piped()).stdout(Stdio::null()).spawn();
        let keeper = Mutex::new(keeper.expect("a shell"));
        let cluster = Self { folder: folder.keep(), programs, user, _keeper: keeper };
        let options = format!(
            "-k {socket} -c listen_addresses= -c max_connections=300 -c unix_socket_permissions=0777 \
             -c shared_buffers=32MB -c max_wal_size=128MB"
        );
        cluster.control(&["-l", &format!("{socket}/log"), "-o", &options, "-w", "start"]);
        cluster
    }

    /// Tells the server something by `pg_ctl`.
    fn control(&self, arguments: &[&str]) {
        let mut control = as_user(self.user, &self.programs.join("pg_ctl"));
        control.arg("-D").arg(self.folder.join("data")).args(arguments);
        done(control);
    }

    /// Ends the server as a crash does.
    pub(crate) fn crash(&self) {
        self.control(&["-m", "immediate", "-w", "stop"]);
    }

    /// Makes a replica a server that can be written.
    pub(crate) fn promote(&self) {
        self.control(&["-w", "promote"]);
    }

    /// Returns the URL of a database, which is made if it is missing.
    pub(crate) fn database(&self, name: &str) -> String {
        static MAKING: Mutex<()> = Mutex::new(());
        let _one = MAKING.lock().unwrap_or_else(PoisonError::into_inner);
        let exists = self.sql("postgres", &format!("SELECT 1 FROM pg_database WHERE datname = '{name}'"));
        if exists.trim().is_empty() {
            self.sql("postgres", &format!("CREATE DATABASE {name}"));
        }
        format!("postgres://ahu@{}/{name}", self.host())
    }

    /// Returns the folder of the socket.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Ends the server as a crash does, and starts it again.
    pub(crate) fn restart(&self) {
        self.control(&["-l", &format!("{}/log", self.folder.display()), "-m", "immediate", "-w", "restart"]);
    }

    /// Returns the host of a URL: the folder of the socket.
    fn host(&self) -> String {
        self.folder.display().to_string().replace('/', "%2F")
    }

    /// Executes SQL in a database, and returns its values, a line for each row.
    pub(crate) fn sql(&self, database: &str, sql: &str) -> String {
        self.try_sql(database, sql).unwrap_or_else(|error| panic!("{sql}: {error}"))
    }

    /// Does the same. An error has the words of the database.
    pub(crate) fn try_sql(&self, database: &str, sql: &str) -> Result<String, String> {
        let done = self.psql(database).args(["-c", sql]).output().expect("psql is there");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        if done.status.success() { Ok(text(&done.stdout)) } else { Err(text(&done.stderr)) }
    }

    /// Opens a session, whose transactions stay open between its statements.
    pub(crate) fn session(&self, database: &str) -> Session {
        let mut psql = self.psql(database);
        psql.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut psql = psql.spawn().expect("psql is there");
        let output = BufReader::new(psql.stdout.take().expect("it is piped"));
        Session { input: psql.stdin.take().expect("it is piped"), output, psql }
    }

    /// Waits until the statement of another session with this text waits for a lock or a replica. Returns false if it has ended.
    pub(crate) fn waits(&self, database: &str, statement: &str) -> bool {
        let of = format!(
            "SELECT state, wait_event_type = 'Lock' OR wait_event = 'SyncRep' FROM pg_stat_activity \
             WHERE query LIKE '%{statement}%' AND query NOT LIKE '%pg_stat_activity%' AND datname = current_database()"
        );
        loop {
            let state = self.sql(database, &of);
            match state.trim() {
                state if state.ends_with("|t") => return true,
                state if state.starts_with("idle|") => return false,
                _ => std::thread::sleep(std::time::Duration::from_millis(5)),
            }
        }
    }

    /// Waits until commits wait for replicas, of which there are none: some time after the setting was read again.
    pub(crate) fn waits_for_replicas(&self, database: &str) {
        loop {
            let comment = format!("COMMENT ON DATABASE {database} IS 'a commit'");
            let mut commit = self.psql(database);
            let mut commit = commit.args(["-c", &comment]).stderr(Stdio::null()).spawn().expect("psql is there");
            while commit.try_wait().expect("it is ours").is_none() {
                let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'";
                if self.sql(database, end).contains('t') {
                    commit.wait().expect("it is ours");
                    return;
                }
            }
        }
    }

    fn psql(&self, database: &str) -> Command {
        let mut psql = Command::new(self.programs.join("psql"));
        psql.arg("-h").arg(&self.folder).args(["-U", "ahu", "-d", database, "-AtqX", "-v", "ON_ERROR_STOP=1"]);
        psql
    }
}

/// A session of a client. It ends with its value.
pub(crate) struct Session {
    psql: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Session {
    /// Executes statements, and returns their lines.
    pub(crate) fn run(&mut self, sql: &str) -> String {
        self.send(sql);
        self.answer()
    }

    /// Sends statements, whose answer comes later.
    pub(crate) fn send(&mut self, sql: &str) {
        writeln!(self.input, "{sql};\n\\echo end").expect("psql reads");
    }

    /// Returns the lines of the statements that were sent.
    pub(crate) fn answer(&mut self) -> String {
        let lines = self.output.by_ref().lines().map(|line| line.expect("text"));
        lines.take_while(|line| line != "end").collect::<Vec<_>>().join(" ")
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // An error means that it has ended.
        let _ = self.psql.kill();
        let _ = self.psql.wait();
    }
}

/// Runs a command to its end, which is a good one.
fn done(mut command: Command) {
    let done = command
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .and_then(Child::wait_with_output)
        .expect("the program is there");
    assert!(done.status.success(), "{command:?}: {}", String::from_utf8_lossy(&done.stderr));
}

/// Returns a command that runs a program as a user.
fn as_user(user: Option<&str>, program: &Path) -> Command {
    match user {
        None => Command::new(program),
        Some(user) => {
            let mut command = Command::new("runuser");
            command.args(["-u", user, "--"]).arg(program);
            command.current_dir("/");
            command
        }
    }
}
