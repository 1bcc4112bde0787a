//! The build script: generates the messages and services of `proto/`, and stores their descriptors for reflection.
//!
//! Without the feature `service` it does nothing.

#[cfg(not(feature = "service"))]
fn main() {}

#[cfg(feature = "service")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    use std::path::PathBuf;
    use std::{env, fs};

    let protos = [
        "ahu/v1/catalog_service.proto",
        "ahu/v1/environment_service.proto",
        "ahu/v1/errors.proto",
        "ahu/v1/match_service.proto",
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
    tonic_prost_build::configure()
        .bytes(".")
        .btree_map(".")
        .compile_fds_with_config(protox::compile(protos, ["proto"])?, config)?;
    println!("cargo::rerun-if-changed=proto");
    Ok(())
}
