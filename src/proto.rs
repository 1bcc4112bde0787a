//! The protos as Rust: the messages of the engine, and the services over them. This module uses no other module.

pub use ahu_engine::proto::{DESCRIPTORS, giants, rapanui_board, rapanui_cards, rappanui};

/// Package `ahu.v1`.
#[expect(clippy::pedantic, reason = "generated; the protos are documented")]
pub mod v1 {
    pub use ahu_engine::proto::v1::*;

    include!(concat!(env!("OUT_DIR"), "/ahu.v1.rs"));
}
