//! The author of an agent beside a match: the page in a browser, and the pace from the keyboard.

use std::fs;
use std::io::{self, IsTerminal as _, Write};
use std::net::SocketAddr;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use ahu::core::Seat;
use ahu::service::{LiveMatch, Pace};
use tempfile::TempDir;

use crate::cli::programs::{remove_if_killed, signalled};
use crate::cli::serve::page_at;
use crate::cli::{CliError, Done};

/// The interval of the checks whether the author is done.
const LOOK: Duration = Duration::from_millis(50);

/// The keys, for people.
pub(super) const KEYS: &str = "Decisions wait. Enter releases those that are open; \"run\" and Enter all that follow; \
                               \"pause\" and Enter lets them wait again.";

/// The addresses of a match on the page of this process.
pub(super) struct Addresses {
    /// The address for everybody.
    public: String,
    /// The addresses of the seats of agents and people, with their tokens.
    seats: Vec<(Seat, String)>,
}

impl Addresses {
    /// Returns the addresses of a match on the server at this address.
    pub(super) fn new(live: &LiveMatch, server: SocketAddr) -> Self {
        let public = format!("{}matches/{}", page_at(server), live.id);
        let of_seat = |seat: Seat| {
            let token = live.token_of(seat)?;
            Some((seat, format!("{public}#seat={}&token={token}", seat.index())))
        };
        let seats = live.seats().iter().filter_map(of_seat).collect();
        Self { public, seats }
    }

    /// Writes the addresses.
    pub(super) fn tell(&self, out: &mut impl Write) -> Done {
        if self.seats.is_empty() {
            writeln!(out, "The page: {}", self.public)?;
        }
        for (seat, address) in &self.seats {
            writeln!(out, "The page as seat {} sees it: {address}", seat.index())?;
        }
        writeln!(out)?;
        Ok(())
    }

    /// Opens the page in the browser of this desktop, as the first seat sees it. Returns a folder that the browser needs, or
    /// None where there is no desktop.
    ///
    /// The browser is given a file that leads to the page. Its command line, which every user of the machine can read, so
    /// has no token.
    pub(super) fn open(&self) -> io::Result<Option<TempDir>> {
        let has_desktop = cfg!(target_os = "macos")
            || ["DISPLAY", "WAYLAND_DISPLAY"]
                .iter()
                .any(|name| std::env::var_os(name).is_some_and(|it| !it.is_empty()));
        if !has_desktop || !io::stdout().is_terminal() {
            return Ok(None);
        }
        let address = self.seats.first().map_or(&self.public, |(_, address)| address);
        let folder = tempfile::Builder::new().prefix("ahu-").tempdir()?;
        remove_if_killed(folder.path())?;
        let file = folder.path().join("match.html");
        let address = address.replace('&', "&amp;");
        let text = format!(
            "<!doctype html><meta charset=\"utf-8\"><meta http-equiv=\"refresh\" content=\"0; url={address}\">\
             <title>Ahu</title><p><a href=\"{address}\">The match</a>"
        );
        fs::write(&file, text)?;
        open::that_detached(&file)?;
        Ok(Some(folder))
    }

    /// Says that the page stays.
    pub(super) fn tell_that_it_stays(&self, out: &mut impl Write) -> Done {
        writeln!(out, "\nThe page stays at {} until you press Enter.", self.public)?;
        Ok(out.flush()?)
    }
}

/// The lines that the author types. During a match that pauses, they set its pace; the first line after it ends the page.
pub(super) struct Keyboard(JoinHandle<()>);

impl Keyboard {
    /// Starts to read. A match that pauses, and that has no page, goes on without stops when the input ends.
    pub(super) fn start(live: Arc<LiveMatch>, pauses: bool, has_page: bool) -> Result<Self, CliError> {
        let read = move || {
            for line in io::stdin().lines().map_while(Result::ok) {
                if live.has_ended() {
                    return;
                }
                match line.trim() {
                    _ if !pauses => {}
                    "" => live.set_pace(Pace::Step),
                    "run" | "r" => live.set_pace(Pace::Run),
                    "pause" | "p" => live.set_pace(Pace::Pause),
                    other => eprintln!("expected Enter, \"run\", or \"pause\", got {other:?}"),
                }
            }
            if pauses && !has_page {
                live.set_pace(Pace::Run);
            }
        };
        let thread = thread::Builder::new().name("keyboard".to_owned()).spawn(read);
        Ok(Self(thread.map_err(CliError::failed)?))
    }

    /// Waits for a line, the end of the input, or a signal.
    pub(super) fn wait(self) {
        while signalled().is_none() && !self.0.is_finished() {
            thread::sleep(LOOK);
        }
    }
}
