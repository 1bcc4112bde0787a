//! The claims of a journal about the records of its games.

use ahu_core::Seed;
use ahu_host::record::{Record, parse_digest};
use ahu_host::{Agreement, BotName, Cause, Entry, SeatPlayer, Setup, Terms, differs, verify_digest};

use super::entrant::Player;
use super::game_result::{Forfeit, GameResult};
use super::journal::GameKey;
use super::public_salts::PublicSalts;
use super::state::State;

/// The claims of the journal about the record of one game.
#[derive(Clone, Debug)]
pub struct RecordClaim {
    /// The line of the result, from 1.
    pub line: usize,
    /// The key of the game.
    pub key: GameKey,
    /// The name of the game for people: see [`GameKey::name`].
    pub name: String,
    /// The number of times that the game had been annulled before.
    pub attempt: u64,
    /// The seed that follows from the salt; None if the salt is not public yet.
    pub seed: Option<Seed>,
    /// The day of the season of a game of a ladder, whose archive may have the record.
    pub day: Option<u64>,
    /// The result in the journal.
    pub(super) result: GameResult,
    setup: Setup,
    terms: Terms,
    /// The players of all seats, as the file describes them.
    players: Vec<Player>,
}

impl RecordClaim {
    /// Returns the claims of a result; None if nothing was played.
    pub(super) fn new(
        state: &State,
        line: usize,
        key: GameKey,
        result: &GameResult,
        salts: &PublicSalts,
    ) -> Option<Self> {
        result.match_id.as_ref()?;
        let (info, text) = (state.cup.stages.get(key.stage)?, state.seed_text(key)?);
        let (name, attempt) = (key.name(info), text.attempt);
        let seed = salts.of_game(state, key).map(|salt| salt.seed(&text));
        let (setup, terms) = (info.setup().ok()?, state.cup.terms(info).ok()?);
        let agents = state.seating(key)?;
        let players = agents.values().iter().map(|&agent| state.agents[agent].entrant.player.clone()).collect();
        let day = state.open_game(key).map(|open| open.day);
        Some(Self { line, key, name, attempt, seed, day, result: result.clone(), setup, terms, players })
    }

    /// Checks the record of the game, in text or binary format. The record has the digest and the result that the journal
    /// states, the game, options, terms, and bots that the file states, and, once the salt is public, the seed that follows
    /// from the salt. Each entry of the record follows from the entries before it.
    pub fn check(&self, bytes: &[u8]) -> Result<(), String> {
        let record = Record::read(bytes).map_err(|error| error.to_string())?;
        let digest = self.result.digest.as_deref().ok_or("expected a digest in the journal, got none")?;
        verify_digest(&record, &parse_digest(digest)?).map_err(|error| error.to_string())?;
        let (setup, terms) = (self.setup.clone(), self.terms.clone());
        Agreement { setup, seed: self.seed, terms, bots: self.bots(&record)? }.check(&record)?;
        self.check_end(&record)
    }

    /// Returns the bot of each seat, and None for programs.
    fn bots(&self, record: &Record) -> Result<Vec<Option<BotName>>, String> {
        let rules = self.setup.rules();
        let stand_in = Some(self.terms.stand_in_of(rules));
        let bot = |((player, forfeit), found): ((&Player, &Option<Forfeit>), &SeatPlayer)| match player {
            // An agent may leave during a game.
            _ if *forfeit == Some(Forfeit::Left) && found.bot == stand_in => Ok(stand_in),
            Player::Bot { bot } => rules.bot(bot).map(Some).map_err(|error| error.message.into()),
            Player::Command { .. } | Player::Remote { .. } => Ok(None),
        };
        self.players.iter().zip(&self.result.forfeits).zip(&record.players).map(bot).collect()
    }

    /// Checks that the record has the result that the journal states. The replay has checked that the entries lead to it.
    fn check_end(&self, record: &Record) -> Result<(), String> {
        let result = record.result.as_ref().ok_or("expected a finished game, got one without a result")?;
        differs("the scores", listed(&self.result.scores), listed(result.scores.values()))?;
        differs("the ranks", listed(&self.result.ranks), listed(result.ranks.values()))?;
        let named = |cause: Option<Cause>| cause.map_or("-", Cause::name);
        let in_game = self.result.forfeits.iter().map(|forfeit| named(forfeit.and_then(Forfeit::cause)));
        let recorded = result.forfeits.values().iter().map(|&cause| named(cause));
        differs("the forfeits", listed(in_game), listed(recorded))?;
        let decisions = record.entries.iter().filter(|entry| matches!(entry, Entry::Action { .. })).count();
        differs("the number of decisions", self.result.decisions as usize, decisions)
    }
}

fn listed(values: impl IntoIterator<Item = impl ToString>) -> String {
    values.into_iter().map(|value| value.to_string()).collect::<Vec<_>>().join(" ")
}
