//! The build script: generates the services of `proto/` over the messages.

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = "../../proto";
    let services = ["v1/catalog", "v1/environment", "v1/match", "cup/v1beta1/cup", "cup/v1beta1/organiser"];
    let protos = services.map(|name| format!("ahu/{name}_service.proto"));
    tonic_prost_build::configure()
        .extern_path(".ahu.v1", "::ahu_messages::v1")
        .extern_path(".ahu.cup.v1beta1", "::ahu_messages::cup::v1beta1")
        .compile_fds(protox::compile(protos, [folder])?)?;
    println!("cargo::rerun-if-changed={folder}");
    Ok(())
}
