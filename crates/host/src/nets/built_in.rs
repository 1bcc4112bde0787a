//! The nets of the program: the bots `net@1` and `heldout@2` of each game. docs/train/net-1.md tells how they were made.

use std::fmt;
use std::sync::OnceLock;

use super::forward::Net;

/// Reads the nets of a bot: one for each game.
macro_rules! nets {
    ($bot:literal, $ending:literal) => {
        nets!($bot, $ending, RAPPANUI "rappanui", RAPANUI_CARDS "rapanui_cards", GIANTS "giants", RAPANUI_BOARD "rapanui_board");
    };
    ($bot:literal, $ending:literal, $($name:ident $game:literal),*) => {
        $(
            #[doc = concat!("The net of `", $bot, "` in `", $game, "`.")]
            pub static $name: BuiltInNet = BuiltInNet::new(include_bytes!(concat!("built_in/", $game, $ending)));
        )*
    };
}

nets!("net@1", ".net");

/// The nets of `heldout@2`.
pub mod held_out {
    use super::BuiltInNet;

    nets!("heldout@2", "-heldout.net");
}

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
