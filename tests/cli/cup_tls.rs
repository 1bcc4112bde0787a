//! Cups over TLS: agents in four languages on a server with a private authority, directly and behind nginx; and what clients say
//! about certificates that they do not trust.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use rcgen::{CertificateParams, date_time_ymd};
use serde_json::Value;
use tempfile::TempDir;

use super::cup::{Cup, HEAD, free_port};
use super::cup_server::python_agent;
use super::served::Served;
use crate::ahu;
use crate::authority::Authority;
use crate::programs::{go_agent, has, rust_agent, typescript_agent};

/// A process that ends when this value is dropped, with all that it has started.
struct Process(Child);

impl Process {
    fn start(command: &mut Command) -> Self {
        std::os::unix::process::CommandExt::process_group(command, 0);
        Self(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it runs"))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let group = rustix::process::Pid::from_child(&self.0);
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        let _ = self.0.wait();
    }
}

/// Plays a cup of remote agents in several languages on the server at this address, and checks it.
fn plays_a_cup(address: &str, authority: &Path, key: &Path) {
    let agents = [
        ("python", Some(python_agent())),
        ("rust", Some(format!("'{}'", rust_agent().display()))),
        ("typescript", typescript_agent()),
        ("go", go_agent()),
    ];
    let agents: Vec<_> = agents.into_iter().filter_map(|(name, command)| Some((name, command?))).collect();
    let entries = agents.iter().map(|(name, _)| format!("[[agent]]\nname = \"{name}\"\nremote = true\n"));
    let bot = "[[agent]]\nname = \"greedy\"\nbot = \"greedy\"\n";
    let entries = entries.collect::<String>();
    let cup = Cup::new(&format!("game = \"rapanui_cards\"\nblocks = 1\n{HEAD}{entries}{bot}"));
    cup.does("keys", &["--out", "keys"]);
    let _agents: Vec<_> = agents
        .iter()
        .map(|(name, command)| {
            let key = fs::read_to_string(cup.folder.path().join(format!("keys/{name}.key"))).expect("it was made");
            let again = format!("while ! {command}; do sleep 0.2; done");
            let mut agent = Command::new("sh");
            agent.args(["-c", &again]).env("AHU_ADDRESS", address).env("AHU_KEY", key.trim());
            Process::start(agent.env("AHU_CA_FILE", authority))
        })
        .collect();
    let key = key.display().to_string();
    let run = cup
        .command("run", &["--json", "--server", address, "--organiser-key", &key])
        .env("AHU_CA_FILE", authority)
        .output();
    let run = run.expect("it runs");
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    assert_eq!(cup.forfeits(), Vec::<Value>::new());
    cup.does("verify", &[]);
}

/// A folder with the key of an organiser, and the certificate of an authority.
fn prepared() -> (Authority, [String; 2], TempDir) {
    let authority = Authority::new();
    let files = authority.issue().map(|file| file.display().to_string());
    (authority, files, tempfile::tempdir().expect("a folder"))
}

#[test]
fn agents_in_four_languages_play_a_cup_over_tls() {
    let (authority, [chain, key], folder) = prepared();
    let organiser = folder.path().join("organiser.key");
    let more = ["--organiser-key", &organiser.display().to_string(), "--tls-cert", &chain, "--tls-key", &key];
    let served = Served::start(&folder.path().join("data"), &more);
    assert!(served.address.starts_with("https://"), "{}", served.address);
    plays_a_cup(&served.address, &authority.file(), &organiser);

    let error = refused(&served.address, None);
    assert!(error.contains("UnknownIssuer") && error.contains("AHU_CA_FILE"), "{error}");
    let plain = served.address.replace("https://", "");
    let error = refused(&plain, None);
    assert!(error.contains("expected TLS on this port, got plain text"), "{error}");
}

#[test]
fn agents_in_four_languages_play_a_cup_behind_nginx() {
    if !has("a cup behind nginx", &["nginx"]) && !Path::new("/usr/sbin/nginx").exists() {
        return;
    }
    let (authority, [chain, key], folder) = prepared();
    let organiser = folder.path().join("organiser.key");
    let socket = folder.path().join("ahu.sock");
    let _served = Process::start(
        ahu(&["serve", "--trust-proxy", "unix", "--organiser-key"]).arg(&organiser).arg("--uds").arg(&socket),
    );
    let port = free_port();
    let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/operate/tls.md")).expect("a page");
    let (_, site) = page.split_once("```nginx\n").expect("the configuration of nginx");
    let (site, _) = site.split_once("```").expect("its end");
    let site = site
        .replace("listen 443 ssl http2;", &format!("listen 127.0.0.1:{port} ssl http2;"))
        .replace("/etc/ahu/chain.pem", &chain)
        .replace("/etc/ahu/key.pem", &key)
        .replace("unix:/run/ahu/ahu.sock", &format!("unix:{}", socket.display()));
    let configuration = nginx(&site, folder.path());
    let _proxy = Process::start(Command::new("/usr/sbin/nginx").arg("-c").arg(&configuration));
    let address = format!("https://127.0.0.1:{port}");
    for _ in 0..500 {
        if socket.exists() && std::net::TcpStream::connect(("127.0.0.1", port)).is_ok() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    plays_a_cup(&address, &authority.file(), &organiser);
}

/// Writes a configuration of nginx with this site, all whose files are in a folder. Returns its path.
fn nginx(site: &str, folder: &Path) -> PathBuf {
    let file = folder.join("nginx.conf");
    let own = folder.display();
    let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
    let temporary: Vec<_> = temporary.iter().map(|name| format!("{name}_temp_path {own}/{name};\n")).collect();
    let temporary = temporary.concat();
    // A worker of another user could not reach the socket.
    let user = if rustix::process::geteuid().is_root() { "user root;\n" } else { "" };
    let text = format!(
        "{user}daemon off;\npid {own}/nginx.pid;\nerror_log {own}/nginx.log;\nevents {{}}\n\
         http {{\naccess_log off;\n{temporary}{site}}}\n"
    );
    fs::write(&file, text).expect("it is new");
    file
}

/// Returns the error of a command that connects to a server at this address.
fn refused(address: &str, authority: Option<&Path>) -> String {
    let mut mcp = ahu(&["mcp", "--server", address]);
    let state = tempfile::tempdir().expect("a folder");
    mcp.env("XDG_STATE_HOME", state.path());
    match authority {
        Some(file) => mcp.env("AHU_CA_FILE", file),
        None => mcp.env_remove("AHU_CA_FILE"),
    };
    let output = mcp.stdin(Stdio::null()).output().expect("it runs");
    assert_eq!(output.status.code(), Some(1));
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn clients_say_why_they_do_not_trust_a_server() {
    let start = |change: fn(&mut CertificateParams)| {
        let (authority, _, folder) = prepared();
        let [chain, key] = authority.issue_with(change).map(|file| file.display().to_string());
        let served = Served::start(&folder.path().join("data"), &["--tls-cert", &chain, "--tls-key", &key]);
        (served, authority, folder)
    };
    let (server, authority, _folder) = start(|certificate| certificate.not_after = date_time_ymd(2020, 1, 1));
    let error = refused(&server.address, Some(&authority.file()));
    assert!(error.contains("has expired"), "{error}");
    let (server, authority, _folder) = start(|certificate| certificate.subject_alt_names.clear());
    let error = refused(&server.address, Some(&authority.file()));
    assert!(error.contains("another name than the address"), "{error}");

    let folder = tempfile::tempdir().expect("a folder");
    let plain = Served::start(&folder.path().join("data"), &[]);
    let error = refused(&format!("https://{}", plain.address), Some(&authority.file()));
    assert!(error.contains("the server speaks plain text on this port"), "{error}");
    let missing = folder.path().join("none.pem");
    let error = refused(&server.address, Some(&missing));
    assert!(error.contains("AHU_CA_FILE: cannot read"), "{error}");
    fs::write(&missing, "nonsense").expect("it is new");
    let error = refused(&server.address, Some(&missing));
    assert!(error.contains("AHU_CA_FILE: expected certificates in PEM"), "{error}");
}

#[test]
fn a_server_names_a_certificate_that_it_cannot_use() {
    let (_authority, [chain, key], folder) = prepared();
    let serve = |chain: &str, key: &str| {
        let output = ahu(&["serve", "--listen", "127.0.0.1:0", "--tls-cert", chain, "--tls-key", key]).output();
        let output = output.expect("it runs");
        assert_eq!(output.status.code(), Some(1));
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    let none = folder.path().join("none.pem").display().to_string();
    let (_other, [_, other], _) = prepared();
    for (chain, key, expected) in [
        (&none, &key, "cannot read"),
        (&key, &key, "expected certificates in PEM"),
        (&chain, &chain, "expected a private key in PEM"),
        (&chain, &other, "expected the private key of the certificate"),
    ] {
        let error = serve(chain, key);
        assert!(error.contains(expected), "{error}");
    }
    let output = ahu(&["serve", "--tls-cert", &chain]).output().expect("it runs");
    assert_eq!(output.status.code(), Some(2));
}
