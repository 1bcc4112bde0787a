//! The options for the author of an agent: `--web` shows the match in a browser, and `--pause` lets the author set its pace.

use std::fs;
use std::io::{self, IsTerminal as _, Write};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use ahu_arena::programs::{FREE_PORT, LocalMatches, signalled, temporary_folder};
use ahu_core::Seat;
use ahu_service::{DebugCommand, LiveMatch, Page, Stderr, SupervisorConfig};
use tempfile::TempDir;

use crate::network::listener::page_at;
use crate::terminal::fitted;
use crate::{CliError, Done};

/// The interval at which a wait checks for a line or a signal.
const LOOK: Duration = Duration::from_millis(50);

/// The explanation of the keys.
const KEYS: &str = "Decisions wait. Enter releases those that are open; \"next\" and Enter also those of the others, up to the \
                    next decision of the first program; \"next 2\" the same for seat 2; \"run\" all that follow; \"pause\" lets \
                    them wait again.";

#[derive(Debug, clap::Args)]
pub(super) struct AuthorArguments {
    /// Show the match on a web page of this machine, as the seats of programs and people see it, and open it in the browser
    ///
    /// People play on the page, and not at the terminal. The page shows the board, the legal actions, and what each program has
    /// answered, also what was refused. It stays until you press Enter or Ctrl-C.
    #[arg(long)]
    pub(super) web: bool,
    /// Do not open the browser; the addresses are printed in any case
    #[arg(long, requires = "web")]
    no_open: bool,
    /// Let decisions wait until you release them, with Enter here or with "Step" on the page; no player has a clock
    #[arg(long, conflicts_with_all = ["tc", "patience"])]
    pub(super) pause: bool,
}

/// The author of an agent beside a match in progress.
pub(super) struct Author {
    /// The address of the public page; None without `--web`.
    page: Option<String>,
    /// None until the keyboard is needed.
    keyboard: Option<Keyboard>,
    /// The folder with the file that the browser opens.
    _folder: Option<TempDir>,
}

impl AuthorArguments {
    /// Returns how the match is observed; None without `--web` and `--pause`.
    pub(super) fn supervisor(&self) -> Option<SupervisorConfig> {
        (self.web || self.pause).then_some(SupervisorConfig::Author { pauses: self.pause })
    }

    /// Returns a host of matches, whose server has a page with `--web`.
    pub(super) fn matches(&self) -> LocalMatches {
        match self.web {
            true => LocalMatches::with_page(Page::default()),
            false => LocalMatches::new(FREE_PORT),
        }
    }

    /// Opens the page and starts to read the keyboard, as far as the options ask for them.
    pub(super) fn begin(
        &self,
        live: &Arc<LiveMatch>,
        matches: &LocalMatches,
        humans: &[Seat],
        out: &mut impl Write,
    ) -> Result<Author, CliError> {
        let (mut page, mut folder) = (None, None);
        if self.web {
            let public = format!("{}matches/{}", page_at("http", matches.address()?, None), live.id);
            // Only seats of agents and people have tokens.
            let of_seat = |seat| {
                let play = if humans.contains(&seat) { "&play=1" } else { "" };
                Some((seat, format!("{public}#seat={seat}&token={}{play}", live.token_of(seat)?)))
            };
            let mut seats: Vec<_> = live.seats().iter().filter_map(of_seat).collect();
            // The browser opens the page of a person first.
            seats.sort_by_key(|(seat, _)| !humans.contains(seat));
            if seats.is_empty() {
                writeln!(out, "The page: {public}")?;
            }
            for (seat, address) in &seats {
                let page = if humans.contains(seat) { "Play" } else { "The page as" };
                let sees = if humans.contains(seat) { " here" } else { " sees it" };
                writeln!(out, "{page} seat {seat}{sees}: {address}")?;
            }
            writeln!(out)?;
            if !self.no_open {
                let opened = open_browser(seats.first().map_or(&public, |(_, address)| address));
                folder = opened.unwrap_or_else(|error| {
                    Stderr::line(&format!("ahu cannot open the browser: {error}"));
                    None
                });
            }
            page = Some(public);
        }
        let keyboard = self.pause.then(|| Keyboard::start(live, self.web)).transpose()?;
        if self.pause {
            writeln!(out, "{}\n", fitted(KEYS, 0))?;
        }
        out.flush()?;
        Ok(Author { page, keyboard, _folder: folder })
    }
}

impl Author {
    /// Keeps the page open until the author types a line or a signal comes.
    pub(super) fn stay(self, live: &Arc<LiveMatch>, out: &mut impl Write) -> Done {
        let Some(page) = &self.page else { return Ok(()) };
        writeln!(out, "\nThe page stays at {page} until you press Enter.")?;
        out.flush()?;
        self.keyboard.map_or_else(|| Keyboard::start(live, true), Ok)?.wait();
        Ok(())
    }
}

/// Opens an address in the browser of a desktop. The browser is given a file that leads to the address: the address has a token,
/// and other users could read it among the arguments of a program. Returns the folder of the file, which must outlive the start
/// of the browser; None without a desktop.
fn open_browser(address: &str) -> io::Result<Option<TempDir>> {
    let is_set = |name: &&str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let has_desktop = cfg!(target_os = "macos") || ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(is_set);
    if !has_desktop || !io::stdout().is_terminal() {
        return Ok(None);
    }
    let folder = temporary_folder("ahu-")?;
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

/// The thread that reads the lines of the author. During a match with pauses they set its pace. The first line after the match
/// ends the thread.
struct Keyboard(JoinHandle<()>);

impl Keyboard {
    /// Starts to read. When the input ends, a match without a page goes on without pauses.
    fn start(live: &Arc<LiveMatch>, has_page: bool) -> Result<Self, CliError> {
        let live = Arc::clone(live);
        // The first seat with a token is that of a program or of a person.
        let first = live.seats().iter().find(|&seat| live.token_of(seat).is_some());
        let first = first.or_else(|| live.seats().iter().next()).expect("a match has seats");
        let command = move |live: &LiveMatch, line: &str| match line {
            "" => Some((DebugCommand::Step, first)),
            "next" | "n" => Some((DebugCommand::Next, first)),
            "run" | "r" => Some((DebugCommand::Run, first)),
            "pause" | "p" => Some((DebugCommand::Pause, first)),
            other => {
                let seat = other.strip_prefix("next ").or_else(|| other.strip_prefix("n "))?.trim().parse().ok()?;
                Some((DebugCommand::Next, live.seat(Some(seat)).ok()?))
            }
        };
        let read = move || {
            for line in io::stdin().lines().map_while(Result::ok) {
                if live.has_ended() {
                    return;
                }
                match command(&live, line.trim()) {
                    Some((pace, seat)) => live.set_pace(pace, seat),
                    None => Stderr::line(&format!(
                        "expected Enter, \"next\", \"next SEAT\", \"run\", or \"pause\", got {:?}",
                        line.trim()
                    )),
                }
            }
            if !has_page {
                live.set_pace(DebugCommand::Run, first);
            }
        };
        let thread = thread::Builder::new().name("keyboard".to_owned()).spawn(read);
        Ok(Self(thread.map_err(CliError::failed)?))
    }

    /// Waits for the end of the thread, or for a signal.
    fn wait(self) {
        while signalled().is_none() && !self.0.is_finished() {
            thread::sleep(LOOK);
        }
    }
}
