//! The seat that a program plays, and the environment variables that tell the program of it.

use std::path::PathBuf;

use ahu_core::Seat;

use super::program_spec::ProgramSpec;

/// The seat that a program plays, and how it reaches the match.
pub(crate) struct ProgramSeat<'a> {
    /// The address of the server; None for a program that speaks the line protocol.
    pub address: Option<String>,
    /// The path of a Unix socket of the server, for a program with a wrapper.
    pub socket: Option<PathBuf>,
    pub match_id: &'a str,
    pub seat: Seat,
    pub token: &'a str,
    /// The key with which the program can ask for further seats; None if it plays one match.
    pub key: Option<&'a str>,
}

/// The variables with the keys of whoever starts this process. A program that it starts does not inherit them: it could act as
/// its host. The command of a program can set one, such as `AHU_ACCOUNT_KEY_FILE=bot.key python3 bot.py`.
pub(super) const OWN_KEYS: [&str; 3] = ["AHU_ACCOUNT_KEY", "AHU_ACCOUNT_KEY_FILE", "AHU_KEY_FILE"];

impl ProgramSeat<'_> {
    /// Returns the environment variables that tell a program where to play. A variable with None is removed, since a value of
    /// this process would belong to another match.
    pub(super) fn variables(&self, spec: &ProgramSpec) -> [(&'static str, Option<String>); 6] {
        let socket = self.socket.as_ref().filter(|_| !spec.wrapper.is_empty());
        let address = self.address.clone().map(|address| match socket {
            Some(socket) => format!("unix:{}", socket.display()),
            None => address,
        });
        [
            ("AHU_TOKEN", address.is_some().then(|| self.token.to_owned())),
            ("AHU_ADDRESS", address),
            ("AHU_AGENT_SEED", spec.agent_seed.map(|seed| seed.to_string())),
            ("AHU_KEY", self.key.map(str::to_owned)),
            ("AHU_MATCH", Some(self.match_id.to_owned())),
            ("AHU_SEAT", Some(self.seat.to_string())),
        ]
    }
}
