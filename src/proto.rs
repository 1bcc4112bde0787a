//! The generated messages and services of `proto/`. This module uses no other module.

/// Package `ahu.v1`.
#[expect(clippy::pedantic, reason = "generated; the protos are documented")]
pub mod v1 {
    tonic::include_proto!("ahu.v1");
}

/// The package of the game `rapanui_cards`.
pub mod rapanui_cards {
    /// Package `ahu.rapanui_cards.v1`.
    #[expect(clippy::pedantic, reason = "generated; the protos are documented")]
    pub mod v1 {
        tonic::include_proto!("ahu.rapanui_cards.v1");
    }
}

/// The package of the game `giants`.
pub mod giants {
    /// Package `ahu.giants.v1`.
    #[expect(clippy::pedantic, reason = "generated; the protos are documented")]
    pub mod v1 {
        tonic::include_proto!("ahu.giants.v1");
    }
}

/// The package of the game `rapanui_board`.
pub mod rapanui_board {
    /// Package `ahu.rapanui_board.v1`.
    #[expect(clippy::pedantic, reason = "generated; the protos are documented")]
    pub mod v1 {
        tonic::include_proto!("ahu.rapanui_board.v1");
    }
}

/// The package of the game `rappanui`.
pub mod rappanui {
    /// Package `ahu.rappanui.v1`.
    #[expect(clippy::pedantic, reason = "generated; the protos are documented")]
    pub mod v1 {
        tonic::include_proto!("ahu.rappanui.v1");
    }
}

/// The descriptors of all packages, for reflection.
pub const DESCRIPTORS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/descriptors.bin"));
