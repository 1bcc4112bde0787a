//! The build script: generates the messages of `proto/` with the feature `messages`, and the services with the feature
//! `service`. It stores the descriptors for reflection, and the version for `ahu --version`.

#[cfg(not(feature = "messages"))]
fn main() {}

#[cfg(feature = "messages")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    use std::path::PathBuf;
    use std::{env, fs};

    let protos = [
        "ahu/v1/catalog_service.proto",
        "ahu/v1/environment_service.proto",
        "ahu/v1/errors.proto",
        "ahu/v1/match_service.proto",
        "ahu/v1/organiser_service.proto",
        "ahu/v1/tournament_service.proto",
        "ahu/rapanui_cards/v1/rapanui_cards.proto",
        "ahu/giants/v1/giants.proto",
        "ahu/rapanui_board/v1/rapanui_board.proto",
        "ahu/rappanui/v1/rappanui.proto",
    ];
    let descriptors = protox::Compiler::new(["proto"])?
        .include_imports(true)
        .include_source_info(true)
        .open_files(protos)?
        .encode_file_descriptor_set();
    let out_dir = PathBuf::from(env::var("OUT_DIR")?);
    fs::write(out_dir.join("descriptors.bin"), &descriptors)?;
    let mut config = tonic_prost_build::Config::new();
    // The type of a typed message is google.protobuf.Any, which names the message.
    config.enable_type_names();
    // This response is much larger than the others.
    config.boxed(".ahu.v1.RunResponse.response.batch");
    let with_services = cfg!(feature = "service");
    tonic_prost_build::configure()
        .build_client(with_services)
        .build_server(with_services)
        .bytes(".")
        .btree_map(".")
        .compile_fds_with_config(protox::compile(protos, ["proto"])?, config)?;
    println!("cargo::rerun-if-changed=proto");
    #[cfg(feature = "service")]
    println!("cargo::rustc-env=AHU_VERSION={}", version());
    Ok(())
}

/// Returns the version with the commit of a release build: that of `AHU_COMMIT`, else that of the repository, if there is
/// one. Any other build is named as what it is, since each commit would build everything anew.
#[cfg(feature = "service")]
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
#[cfg(feature = "service")]
fn git(arguments: &[&str]) -> Option<String> {
    let output = std::process::Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned()).filter(|text| !text.is_empty())
}
