//! The build script: keeps the version for `ahu --version`.

fn main() {
    println!("cargo::rustc-env=AHU_VERSION={}", version());
}

/// Returns the version with the commit of a release build: that of `AHU_COMMIT`, else that of the repository, if there is
/// one. Any other build is named as what it is, since each commit would build everything anew.
fn version() -> String {
    let version = env!("CARGO_PKG_VERSION");
    println!("cargo::rerun-if-env-changed=AHU_COMMIT");
    if std::env::var("PROFILE").as_deref() != Ok("release") {
        return format!("{version} (debug build)");
    }
    // The sources may lie in a folder of somebody else's repository.
    let is_own = git(&["rev-parse", "--show-prefix"]).is_none() && git(&["rev-parse", "HEAD"]).is_some();
    let own = |arguments: &[&str]| git(arguments).filter(|_| is_own);
    let commit = std::env::var("AHU_COMMIT").ok().or_else(|| own(&["rev-parse", "HEAD"]));
    // The files that change with the commit: the head, and the branch that it names.
    let branch = own(&["symbolic-ref", "HEAD"]);
    for name in [Some("HEAD"), branch.as_deref(), Some("packed-refs")].into_iter().flatten() {
        let path = own(&["rev-parse", "--git-path", name]).filter(|path| std::path::Path::new(path).exists());
        path.inspect(|path| println!("cargo::rerun-if-changed={path}"));
    }
    commit.map_or_else(|| version.to_owned(), |commit| format!("{version} ({commit:.12})"))
}

/// Returns what git prints; None where it fails, is missing, or prints nothing.
fn git(arguments: &[&str]) -> Option<String> {
    let output = std::process::Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned()).filter(|text| !text.is_empty())
}
