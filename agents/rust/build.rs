//! The build script: generates the messages and the client of `match_service.proto`.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = "../../proto";
    let descriptors = protox::compile(["ahu/v1/match_service.proto"], [folder])?;
    tonic_prost_build::configure().build_server(false).compile_fds(descriptors)?;
    println!("cargo::rerun-if-changed={folder}");
    Ok(())
}
