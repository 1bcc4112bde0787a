//! Commands of the operator while their server is killed: the key of every account stays in its file, and no command that was
//! carried out says that it was refused.

use std::fs;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use ahu_service::accounts::KeyLine;
use rand::RngExt as _;
use rand::SeedableRng as _;
use rand::rngs::ChaCha8Rng;
use tokio::time::{sleep, timeout};

use crate::program::{Server, data, path};
use crate::{seed, setting};

/// The longest time from the start of a command to the kill of its server.
const LATEST: Duration = Duration::from_millis(60);

/// The time in which a server has to start.
const PATIENCE: Duration = Duration::from_secs(60);

fn ahu(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ahu"));
    command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

#[tokio::test]
async fn a_command_whose_server_is_killed_keeps_the_files_of_all_keys_that_accounts_have() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = data(folder.path());
    let server = Server::with_data(folder.path(), &[]);
    let mut rng = ChaCha8Rng::seed_from_u64(seed());
    let of = |name: String| path(&folder.path().join(name)).to_owned();
    let mut commands: Vec<(Output, Vec<String>)> = Vec::new();
    for turn in 0..setting("AHU_KILLS", 20) {
        let mut run = server.start();
        timeout(PATIENCE, run.ready()).await.expect("it starts in time").expect("it starts");
        let (accounts, keys) = (of(format!("{turn}.csv")), of(format!("keys{turn}")));
        fs::write(&accounts, format!("name\nteam-a{turn}b\nteam-c{turn}d\n")).expect("a file");
        let child = ahu(&["accounts", "import", &accounts, "--out", &keys, "--data", path(&store)]).spawn();
        sleep(LATEST.mul_f64(rng.random_range(0.0..1.0))).await;
        run.kill().expect("it runs");
        let output = child.expect("it starts").wait_with_output().expect("it ends");
        let files = [format!("team-a{turn}b.key"), format!("team-c{turn}d.key")];
        let found = files.iter().filter_map(|name| fs::read_to_string(format!("{keys}/{name}")).ok());
        commands.push((output, found.map(|key| key[4..16].to_owned()).collect()));
    }
    let listed = ahu(&["keys", "list", "--json", "--data", path(&store)]).output().expect("it starts");
    let listed: serde_json::Value = serde_json::from_slice(&listed.stdout).expect("JSON");
    let listed: Vec<KeyLine> = serde_json::from_value(listed["keys"].clone()).expect("a list");
    for (output, keys) in &commands {
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && keys.len() == 2, "no command has a reason to fail: {error}");
        assert!(keys.iter().all(|key| listed.iter().any(|line| line.id.to_string() == *key)), "{keys:?}: {error}");
    }
    assert_eq!(listed.len(), 2 * commands.len(), "no account without the file of its key");
}
