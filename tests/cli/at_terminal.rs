//! The program at a pseudo-terminal.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::process::{Child, ExitStatus, Stdio};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags, open};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, Winsize, tcgetattr, tcsetwinsize};

use super::ahu;

/// The program at a terminal of 80 columns.
pub(super) struct AtTerminal {
    child: Child,
    keyboard: File,
    /// The other end of the terminal, which keeps its settings.
    terminal: OwnedFd,
    /// All that was shown, and the number of its bytes that the test has read.
    shown: Vec<u8>,
    read: usize,
}

impl AtTerminal {
    pub(super) fn start(arguments: &[&str], variables: &[(&str, &str)]) -> Self {
        let keyboard = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
        grantpt(&keyboard).and_then(|()| unlockpt(&keyboard)).expect("its other end");
        let name = ptsname(&keyboard, Vec::new()).expect("its name");
        let terminal = open(name, OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).expect("its other end");
        let size = Winsize { ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&terminal, size).expect("a size");
        let end = || Stdio::from(terminal.try_clone().expect("a copy"));
        let mut command = ahu(arguments);
        // These variables decide about colours, and the environment of the tests may set them.
        for variable in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "CI"] {
            command.env_remove(variable);
        }
        command.env("TERM", "xterm").envs(variables.iter().copied());
        let child = command.stdin(end()).stdout(end()).stderr(end()).spawn().expect("it starts");
        Self { child, keyboard: keyboard.into(), terminal, shown: Vec::new(), read: 0 }
    }

    /// Reads the output of the program up to this text, and returns it.
    pub(super) fn until(&mut self, text: &str) -> String {
        self.until_one_of(&[text])
    }

    /// Reads the output of the program up to the first of these texts, and returns it.
    pub(super) fn until_one_of(&mut self, texts: &[&str]) -> String {
        let mut bytes = [0; 4096];
        loop {
            let unread = String::from_utf8_lossy(&self.shown[self.read..]);
            if let Some(end) = texts.iter().filter_map(|text| Some(unread.find(text)? + text.len())).min() {
                self.read += end;
                return unread[..end].to_owned();
            }
            let (mut wait, hang) = ([PollFd::new(&self.keyboard, PollFlags::IN)], Timespec { tv_sec: 60, tv_nsec: 0 });
            let is_silent = poll(&mut wait, Some(&hang)).expect("a terminal") == 0;
            assert!(!is_silent, "expected one of {texts:?}, got {unread:?}");
            let count = self.keyboard.read(&mut bytes).unwrap_or_else(|_| panic!("expected {texts:?}, got {unread:?}"));
            self.shown.extend_from_slice(&bytes[..count]);
        }
    }

    /// Types keys, and waits for this text.
    pub(super) fn keys(&mut self, keys: &str, text: &str) -> String {
        self.keyboard.write_all(keys.as_bytes()).expect("it reads");
        self.until(text)
    }

    /// Types a line.
    pub(super) fn types(&mut self, line: &str) {
        self.keyboard.write_all(format!("{line}\r").as_bytes()).expect("it reads");
    }

    /// Waits for the end. Returns the exit status and all that was shown.
    pub(super) fn end(mut self) -> (ExitStatus, String) {
        let modes = || tcgetattr(&self.terminal).expect("a terminal").local_modes;
        let status = self.child.wait().expect("it ends");
        assert!(modes().contains(LocalModes::ECHO | LocalModes::ICANON), "the terminal has its settings again");
        // This is the last open end of the terminal, so the reading ends.
        drop(self.terminal);
        // The end of a terminal is an error on Linux.
        let _ = self.keyboard.read_to_end(&mut self.shown);
        (status, String::from_utf8_lossy(&self.shown).into_owned())
    }
}

/// Returns the text without escape sequences, and with the line ends of files.
pub(super) fn plain(shown: &str) -> String {
    let mut text = String::new();
    let mut characters = shown.chars();
    while let Some(character) = characters.next() {
        match character {
            '\x1b' => {
                // The sequences of colours and of line editing end with a letter.
                let _ = characters.by_ref().find(char::is_ascii_alphabetic);
            }
            '\r' => {}
            character => text.push(character),
        }
    }
    text
}
