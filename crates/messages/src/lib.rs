//! The messages of `proto/`, generated without `protoc`.
//!
//! **It must not know** anything else: it uses no other crate of ours, and has no services.

/// Package `ahu.v1`.
#[expect(clippy::pedantic, reason = "generated; the protos are documented")]
pub mod v1 {
    include!(concat!(env!("OUT_DIR"), "/ahu.v1.rs"));
}

impl v1::ErrorReason {
    /// Returns the reason as errors have it: its name without the prefix.
    pub fn reason(self) -> &'static str {
        self.as_str_name().trim_start_matches("ERROR_REASON_")
    }
}

/// An action by its id.
impl From<u32> for v1::Action {
    fn from(id: u32) -> Self {
        Self { action_id: Some(id), ..Self::default() }
    }
}

/// An action as a typed message.
impl From<prost_types::Any> for v1::Action {
    fn from(message: prost_types::Any) -> Self {
        Self { typed: Some(message), ..Self::default() }
    }
}

/// An action as text.
impl From<String> for v1::Action {
    fn from(text: String) -> Self {
        Self { text, ..Self::default() }
    }
}

/// The package of cups.
pub mod cup {
    /// Package `ahu.cup.v1beta1`.
    #[expect(clippy::pedantic, reason = "generated; the protos are documented")]
    pub mod v1beta1 {
        include!(concat!(env!("OUT_DIR"), "/ahu.cup.v1beta1.rs"));
    }
}

/// The package of the game `rapanui_cards`.
pub mod rapanui_cards {
    /// Package `ahu.rapanui_cards.v1`.
    #[expect(clippy::pedantic, reason = "generated; the protos are documented")]
    pub mod v1 {
        include!(concat!(env!("OUT_DIR"), "/ahu.rapanui_cards.v1.rs"));
    }
}

/// The package of the game `giants`.
pub mod giants {
    /// Package `ahu.giants.v1`.
    #[expect(clippy::pedantic, reason = "generated; the protos are documented")]
    pub mod v1 {
        include!(concat!(env!("OUT_DIR"), "/ahu.giants.v1.rs"));
    }
}

/// The package of the game `rapanui_board`.
pub mod rapanui_board {
    /// Package `ahu.rapanui_board.v1`.
    #[expect(clippy::pedantic, reason = "generated; the protos are documented")]
    pub mod v1 {
        include!(concat!(env!("OUT_DIR"), "/ahu.rapanui_board.v1.rs"));
    }
}

/// The package of the game `rappanui`.
pub mod rappanui {
    /// Package `ahu.rappanui.v1`.
    #[expect(clippy::pedantic, reason = "generated; the protos are documented")]
    pub mod v1 {
        include!(concat!(env!("OUT_DIR"), "/ahu.rappanui.v1.rs"));
    }
}

/// The descriptors of all packages, for reflection.
pub const DESCRIPTORS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/descriptors.bin"));
