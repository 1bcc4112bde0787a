//! The nets of the program: the bot `net@1` of each game. docs/train/net-1.md tells how they were made.

use std::fmt;
use std::sync::OnceLock;

use super::forward::Net;

/// The net of `net@1` in `rappanui`.
pub static RAPPANUI: BuiltInNet = BuiltInNet::new(include_bytes!("built_in/rappanui.net"));
/// The net of `net@1` in `rapanui_cards`.
pub static RAPANUI_CARDS: BuiltInNet = BuiltInNet::new(include_bytes!("built_in/rapanui_cards.net"));
/// The net of `net@1` in `giants`.
pub static GIANTS: BuiltInNet = BuiltInNet::new(include_bytes!("built_in/giants.net"));
/// The net of `net@1` in `rapanui_board`.
pub static RAPANUI_BOARD: BuiltInNet = BuiltInNet::new(include_bytes!("built_in/rapanui_board.net"));

/// A net that is part of the program. It is read when it plays for the first time.
pub struct BuiltInNet {
    file: &'static [u8],
    net: OnceLock<Net>,
}

impl BuiltInNet {
    const fn new(file: &'static [u8]) -> Self {
        Self { file, net: OnceLock::new() }
    }

    /// Returns the content of its file.
    pub fn file(&self) -> &'static [u8] {
        self.file
    }

    /// Returns the net.
    pub fn net(&self) -> &Net {
        self.net.get_or_init(|| Net::read(self.file).expect("a net of this version of its game"))
    }
}

impl fmt::Debug for BuiltInNet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BuiltInNet").finish_non_exhaustive()
    }
}
