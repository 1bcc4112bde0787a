//! The build script: generates the services of `proto/` over the messages.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = "../../proto";
    let services = ["catalog", "environment", "match", "organiser", "tournament"];
    let protos = services.map(|name| format!("ahu/v1/{name}_service.proto"));
    tonic_prost_build::configure()
        .extern_path(".ahu.v1", "::ahu_messages::v1")
        .compile_fds(protox::compile(protos, [folder])?)?;
    println!("cargo::rerun-if-changed={folder}");
    Ok(())
}
