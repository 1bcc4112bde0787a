//! Folders in which a server must not start as if they were new, and stores that are removed under a server.

use super::*;

fn serve(folder: &str) -> (i32, String) {
    refused(&["serve", "--listen", "127.0.0.1:0", "--exit-with-stdin", "--data", folder])
}

#[test]
fn a_server_does_not_start_where_a_restore_did_not_end() {
    let (folder, other) = (copy(), tempfile::tempdir().expect("a folder"));
    let backup = text(&other.path().join("backup.db"));
    printed(&["data", "backup", "--data", &text(folder.path()), &backup]);
    let new = other.path().join("new");
    assert_eq!(
        limited(40, &["data", "restore", &backup, "--data", &text(&new)]).status.code(),
        Some(1),
        "the disk is full"
    );
    // A restore that was killed leaves its copy, or the store before under another name.
    let [copied, moved] = ["ahu.db.partial", "ahu.db.before-restore-1"].map(|name| {
        let folder = other.path().join(name);
        fs::create_dir(&folder).and_then(|()| fs::write(folder.join("lock"), "")).expect("it is new");
        fs::write(folder.join(name), "a part").expect("it can be written");
        folder
    });
    for folder in [&new, &copied, &moved] {
        let (code, error) = serve(&text(folder));
        let expected = format!("error: expected the number of commits in {}/lock, got none: ", folder.display());
        assert!(code == 1 && error.contains(&expected) && error.contains("`ahu data restore`"), "{error}");
        assert!(!folder.join("ahu.db").exists(), "nothing was made");

        printed(&["data", "restore", &backup, "--data", &text(folder)]);

        assert_intact(folder);
        Server::start(folder).stop();
    }
}

#[test]
fn a_store_without_its_lock_and_its_log_does_not_start_empty() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut server = Server::start(folder.path());
    server.create(1);
    server.kill();
    for name in ["lock", "ahu.db-wal", "ahu.db-shm"] {
        fs::remove_file(folder.path().join(name)).expect("the server was killed");
    }
    let before = fs::read(db(&folder)).expect("the store");

    let (code, error) = serve(&text(folder.path()));

    assert!(code == 1 && error.contains("or files of the store are missing"), "{error}");
    assert_eq!(fs::read(db(&folder)).expect("the store"), before, "nothing was changed");
    let (code, _, error) = checked(folder.path(), &["--accept-loss"]);
    assert_eq!(code, 0, "{error}");
    Server::start(folder.path()).stop();
}

#[test]
fn a_store_without_its_lock_is_checked_and_starts_once_it_is_accepted() {
    let folder = copy();
    fs::remove_file(folder.path().join("lock")).expect("the server was stopped");
    let (code, out, _) = checked(folder.path(), &[]);
    assert!(code == 3 && out.contains("  damaged: the file: expected the number of commits in "), "{out}");
    assert!(serve(&text(folder.path())).1.contains("`ahu data verify --accept-loss`"));

    let (code, _, error) = checked(folder.path(), &["--accept-loss"]);

    assert_eq!(code, 0, "{error}");
    assert_intact(folder.path());
    let mut server = Server::start(folder.path());
    assert_eq!(server.get(&fixture().finished).state(), MatchState::Finished);
    server.stop();
}

#[test]
fn a_backup_with_a_flipped_bit_is_restored_only_on_demand() {
    let (folder, other) = (copy(), tempfile::tempdir().expect("a folder"));
    let good = other.path().join("backup.db");
    printed(&["data", "backup", "--data", &text(folder.path()), &text(&good)]);
    let finished = &fixture().finished;
    let of_match = format!("WHERE match = (SELECT number FROM match WHERE id = '{finished}') AND n = 0");
    for (place, (damage, part)) in [
        (format!("UPDATE entry SET body = randomblob(length(body)) {of_match}"), &**finished),
        (
            "UPDATE meta SET value = randomblob(length(value)) WHERE key = 'token_key'".to_owned(),
            "token_key: Conversion error",
        ),
    ]
    .into_iter()
    .enumerate()
    {
        let (from, to) = (other.path().join(format!("{place}.db")), text(&other.path().join(format!("{place}"))));
        fs::copy(&good, &from).expect("the disk has room");
        Connection::open(&from).and_then(|connection| connection.execute_batch(&damage)).expect("valid");

        let (code, error) = refused(&["data", "restore", &text(&from), "--data", &to]);

        assert!(code == 1 && error.contains(part) && error.contains(&text(&from)), "{damage}: {error}");
        assert_eq!(serve(&to).0, 1, "{damage}: no empty store");
        if part != finished {
            // No server can go on without the key of all tokens.
            assert!(
                refused(&["data", "restore", &text(&from), "--data", &to, "--accept-loss"])
                    .1
                    .contains("cannot be used")
            );
            continue;
        }
        let out = printed(&["data", "restore", &text(&from), "--data", &to, "--accept-loss"]);
        assert!(out.contains("  damaged: ") && out.contains(part), "{damage}: {out}");
    }
}

#[test]
fn a_server_whose_files_are_removed_acknowledges_nothing_more() {
    for name in ["", "lock", "ahu.db", "ahu.db-wal"] {
        let folder = tempfile::tempdir().expect("a folder");
        let data = folder.path().join("matches");
        let mut server = Server::start(&data);
        let (first, _) = server.create(1);
        match name {
            "" => fs::remove_dir_all(&data).expect("the folder exists"),
            name => fs::remove_file(data.join(name)).expect("the file exists"),
        }
        let request = v1::JoinMatchRequest {
            target: Some(v1::join_match_request::Target::MatchId(first)),
            request_id: "a-join-into-nothing".to_owned(),
            ..Default::default()
        };
        let mut request = tonic::Request::new(request);
        request.set_timeout(std::time::Duration::from_secs(1));

        let joined = server.runtime.block_on(server.matches.join_match(request));

        let code = joined.map(|joined| joined.into_inner().assigned).map_err(|status| status.code());
        assert!(matches!(code, Err(Code::Unavailable | Code::DeadlineExceeded)), "{name}: {code:?}");
        server.kill();
    }
}
