//! `ahu cup annul`: takes the results of games back, so that they are played again.

use std::io::Write;

use ahu_contest::cup::Event;

use super::CupArguments;
use super::inbox::change;
use crate::{CliError, Done};

/// Take back the result of a game, or of all games of a table: they are played again, with other seeds
///
/// The journal, the page, and `verify` tell everybody the game and the reason, and keep the old record. Games that share
/// their luck with others are annulled with them. If the stage has ended, it is open again, and the games of later stages
/// are annulled too. After the end of the cup nothing can be annulled, since the salt is public.
#[derive(Debug, clap::Args)]
pub(crate) struct Annul {
    #[command(flatten)]
    cup: CupArguments,
    /// The game, such as groups/3.0, or the table, such as groups/3
    game: String,
    /// The reason, which the results show
    #[arg(long, value_name = "TEXT")]
    reason: String,
}

impl Annul {
    pub(super) fn run(self, out: &mut impl Write) -> Done {
        let folder = self.cup.read()?;
        let (stage, table, game) = folder.state()?.find(&self.game).map_err(CliError::Usage)?;
        let is_running = change(&folder, Event::Annul { stage, table, game, reason: self.reason })?;
        let when = if is_running { "" } else { " when the cup goes on" };
        writeln!(out, "{} is annulled, and is played again{when}", self.game)?;
        Ok(())
    }
}
