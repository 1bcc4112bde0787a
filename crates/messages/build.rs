//! The build script: generates the messages of `proto/`, and stores their descriptors.

use std::path::PathBuf;
use std::{env, fs};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = "../../proto";
    let protos = [
        "ahu/v1/catalog_service.proto",
        "ahu/v1/environment_service.proto",
        "ahu/v1/errors.proto",
        "ahu/v1/match_service.proto",
        "ahu/cup/v1beta1/cup_service.proto",
        "ahu/cup/v1beta1/organiser_service.proto",
        "ahu/rapanui_cards/v1/rapanui_cards.proto",
        "ahu/giants/v1/giants.proto",
        "ahu/rapanui_board/v1/rapanui_board.proto",
        "ahu/rappanui/v1/rappanui.proto",
    ];
    let descriptors = protox::Compiler::new([folder])?
        .include_imports(true)
        .include_source_info(true)
        .open_files(protos)?
        // The messages of games without protos.
        .open_file("google/protobuf/wrappers.proto")?
        .encode_file_descriptor_set();
    let out_dir = PathBuf::from(env::var("OUT_DIR")?);
    fs::write(out_dir.join("descriptors.bin"), &descriptors)?;
    prost_build::Config::new()
        // The type of a typed message is google.protobuf.Any, which names the message.
        .enable_type_names()
        // These responses are much larger than the others.
        .boxed(".ahu.v1.RunResponse.response.batch")
        .boxed(".ahu.v1.RunResponse.Restored.batch")
        .bytes(["."])
        .btree_map(["."])
        .compile_fds(protox::compile(protos, [folder])?)?;
    println!("cargo::rerun-if-changed={folder}");
    Ok(())
}
