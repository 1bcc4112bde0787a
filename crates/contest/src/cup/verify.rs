//! The checks with which anybody can verify a cup. They need its journal and its records, and nothing else.
//!
//! Reading the journal checks the links between its lines.

use ahu_core::Seed;
use ahu_host::record::{Record, parse_digest};
use ahu_host::{Agreement, BotName, Cause, Entry, SeatPlayer, Setup, Terms, differs, ensure, verify_digest};

use super::entrant::Player;
use super::game_result::{Forfeit, GameResult};
use super::journal::{Event, GameKey, Line};
use super::seeds::Salt;
use super::state::State;

/// The checks of a journal.
#[derive(Clone, Debug, Default)]
pub struct Verification {
    /// The state after the last line that could be applied; None if the first line does not begin a cup.
    pub state: Option<State>,
    /// The number of lines that were applied.
    pub lines: usize,
    /// The number of draws that are as the lines before them require.
    pub draws: usize,
    /// The number of closes of stages that are as the lines before them require.
    pub closes: usize,
    /// The number of closes with lots that could not be checked, because the salt is not public yet.
    pub open_lots: usize,
    /// The number of games that were not played, because at most one agent was left.
    pub not_played: usize,
    /// The claims about records, in the order of their lines: see [`RecordClaim::check`].
    pub claims: Vec<RecordClaim>,
    /// The faults, in the order of their lines.
    pub faults: Vec<VerifyFault>,
}

/// A fault of a cup.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifyFault {
    /// The line of the journal, from 1.
    pub line: usize,
    /// The fault.
    pub message: String,
}

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
    /// The result in the journal.
    result: GameResult,
    setup: Setup,
    terms: Terms,
    /// The players of all seats, as the file describes them.
    players: Vec<Player>,
}

/// A salt that stands in for the true one until it is public. Lots that it decides are not compared.
const NO_SALT: Salt = Salt([0; 32]);

impl Verification {
    /// Checks all lines of a journal.
    pub fn of(lines: &[Line]) -> Self {
        let mut found = Self::default();
        // `State::apply` compares its hash with the hash at the begin of the journal.
        let salt = lines.iter().rev().find_map(|line| match &line.event {
            Event::End { salt } => Salt::parse(salt),
            _ => None,
        });
        let mut has_left = Vec::new();
        for (number, line) in (1..).zip(lines) {
            if let Err(message) = found.check(number, &line.event, salt, &mut has_left) {
                found.faults.push(VerifyFault { line: number, message });
                if found.lines < number {
                    let rest = lines.len() - number;
                    let message = format!("the {rest} lines after it were not checked, since they build on it");
                    found.faults.push(VerifyFault { line: number, message });
                    break;
                }
            }
        }
        found
    }

    /// Returns true if the salt is public, so that seeds and lots are checked.
    pub fn has_salt(&self) -> bool {
        self.state.as_ref().is_some_and(State::has_ended)
    }

    /// Checks a line, and applies it. `has_left` collects the agents that have ever left the cup.
    fn check(
        &mut self,
        line: usize,
        event: &Event,
        salt: Option<Salt>,
        has_left: &mut Vec<String>,
    ) -> Result<(), String> {
        let Some(state) = &mut self.state else {
            self.state = Some(State::after([event])?);
            self.lines += 1;
            return Ok(());
        };
        let checked = match event {
            Event::Draw { .. } | Event::Close { .. } | Event::End { .. } => check_next(state, event, salt),
            Event::Result { key, result } => check_result(state, *key, result, has_left),
            Event::Withdraw { agent, .. } | Event::Disqualify { agent, .. } => {
                has_left.push(agent.clone());
                Ok(false)
            }
            // An annulment is the decision of the organiser. Whoever reads the journal sees it, with its reason.
            Event::Begin { .. }
            | Event::Start { .. }
            | Event::Add { .. }
            | Event::Readmit { .. }
            | Event::Annul { .. } => Ok(false),
        };
        let claim = match event {
            Event::Result { key, result } => RecordClaim::new(state, line, *key, result, salt),
            _ => None,
        };
        state.apply(event)?;
        self.lines += 1;
        self.claims.extend(claim);
        self.open_lots += usize::from(checked?);
        match event {
            Event::Draw { .. } => self.draws += 1,
            Event::Close { .. } => self.closes += 1,
            Event::Result { result, .. } if result.match_id.is_none() => self.not_played += 1,
            _ => {}
        }
        Ok(())
    }
}

/// Checks that the lines before an event lead to it. Returns true if it has lots that cannot be checked.
fn check_next(state: &State, event: &Event, salt: Option<Salt>) -> Result<bool, String> {
    let next = state.next_event(&salt.unwrap_or(NO_SALT))?;
    let has_open_lots = salt.is_none() && matches!(&next, Some(Event::Close { by_lot, .. }) if !by_lot.is_empty());
    let is_next = match (&next, event) {
        (Some(Event::End { .. }), Event::End { .. }) => true,
        (Some(next), event) if has_open_lots => without_lots(next) == without_lots(event),
        (next, event) => next.as_ref() == Some(event),
    };
    let expected = next.as_ref().map_or("no event before further results".to_owned(), |next| described(state, next));
    let found = described(state, event);
    ensure(is_next, || format!("expected {expected}, which follows from the lines before, got {found}"))?;
    Ok(has_open_lots)
}

/// Returns the part of the close of a stage that no lot decides: the stage, the number of lots, and the other agents; None for
/// other events.
fn without_lots(event: &Event) -> Option<(usize, usize, Vec<&String>)> {
    let Event::Close { stage, advance, by_lot } = event else { return None };
    let mut names: Vec<_> = advance.iter().filter(|name| !by_lot.contains(name)).collect();
    names.sort();
    Some((*stage, by_lot.len(), names))
}

/// Returns an event as a clause.
fn described(state: &State, event: &Event) -> String {
    let name_of = |number: &usize| state.cup.stages.get(*number).map_or("?", |info| &info.name);
    match event {
        Event::Draw { stage: number, extra, tables } => {
            let extra = if *extra { " that break a tie" } else { "" };
            let first: Vec<_> = tables.iter().take(3).map(|table| table.agents.join(", ")).collect();
            let more = if tables.len() > 3 { "; …" } else { "" };
            let (count, name, first) = (tables.len(), name_of(number), first.join("; "));
            format!("the draw of {count} tables{extra} in stage {name} ({first}{more})")
        }
        Event::Close { stage: number, advance, .. } if advance.is_empty() => {
            format!("the end of stage {}", name_of(number))
        }
        Event::Close { stage: number, advance, by_lot } => {
            let lot = if by_lot.is_empty() { String::new() } else { format!(" (by lot: {})", by_lot.join(", ")) };
            format!("the end of stage {}, from which {} advance{lot}", name_of(number), advance.join(", "))
        }
        Event::End { .. } => "the end of the cup".to_owned(),
        _ => "another event".to_owned(),
    }
}

/// Checks a result as far as the journal alone allows. Returns false, since a result has no lots.
fn check_result(state: &State, key: GameKey, result: &GameResult, has_left: &[String]) -> Result<bool, String> {
    let of = format!("the result of game {}", name(state, key));
    let is_due = result.match_id.is_some() || state.walkover(key).as_ref() == Some(result);
    ensure(is_due, || format!("{of}: expected a match, since more than one of its agents takes part, got none"))?;
    let mut left = result.agents.iter().zip(&result.forfeits).filter(|(_, forfeit)| **forfeit == Some(Forfeit::Left));
    left.find(|(agent, _)| !has_left.contains(agent)).map_or(Ok(false), |(agent, _)| {
        Err(format!("{of}: expected {agent} to have left the cup, got an agent that never did"))
    })
}

/// Returns the name of a game for people.
fn name(state: &State, key: GameKey) -> String {
    state.cup.stages.get(key.stage).map_or_else(|| format!("{key:?}"), |info| key.name(info))
}

impl RecordClaim {
    /// Returns the claims of a result; None if nothing was played.
    fn new(state: &State, line: usize, key: GameKey, result: &GameResult, salt: Option<Salt>) -> Option<Self> {
        result.match_id.as_ref()?;
        let (info, text) = (state.cup.stages.get(key.stage)?, state.seed_text(key)?);
        let (name, attempt) = (key.name(info), text.attempt);
        let seed = salt.map(|salt| salt.seed(&text));
        let (setup, terms) = (info.setup().ok()?, state.cup.terms(info).ok()?);
        let agents = state.seating(key)?;
        let players = agents.values().iter().map(|&agent| state.agents[agent].entrant.player.clone()).collect();
        Some(Self { line, key, name, attempt, seed, result: result.clone(), setup, terms, players })
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

#[cfg(test)]
mod tests {
    use ahu_core::hex;

    use super::*;
    use crate::PlannedGame;
    use crate::cup::test_cups::{PlayedCup, SALT, play};

    const FILE: &str = r#"
        [cup]
        name = "Small"
        anchor = "greedy"
        [[stage]]
        name = "groups"
        game = "rapanui_cards"
        seats = 2
        blocks = 1
        advance = 2
        [[stage]]
        name = "final"
        game = "rapanui_cards"
        seats = 3
        blocks = 1
        [[agent]]
        name = "a"
        bot = "random"
        [[agent]]
        name = "b"
        bot = "random"
        [[agent]]
        name = "c"
        bot = "random"
    "#;

    /// Plays the cup. Agent c leaves after the third game, and a in the final, where the stand-in plays for it.
    fn played() -> PlayedCup {
        let leaves = |results| match results {
            3 => Some(Event::Withdraw { agent: "c".to_owned(), reason: Some("a fault".to_owned()) }),
            14 => Some(Event::Disqualify { agent: "a".to_owned(), reason: "help".to_owned() }),
            _ => None,
        };
        PlayedCup::new(FILE, leaves)
    }

    /// Returns all faults of a cup, with those of its records.
    fn faults(cup: &PlayedCup) -> Vec<String> {
        let found = Verification::of(&cup.lines);
        let lines = found.faults.iter().map(|fault| format!("line {}: {}", fault.line, fault.message));
        let of_record = |claim: &RecordClaim| {
            let fault = claim.check(cup.records.get(&(claim.key, claim.attempt))?).err()?;
            Some(format!("line {}: {}: {fault}", claim.line, claim.name))
        };
        lines.chain(found.claims.iter().filter_map(of_record)).collect()
    }

    fn line_of(cup: &PlayedCup, is: impl Fn(&Event) -> bool) -> usize {
        cup.lines.iter().position(|line| is(&line.event)).expect("the cup has one")
    }

    fn result_mut(cup: &mut PlayedCup, is: impl Fn(&GameResult) -> bool) -> (usize, GameKey, &mut GameResult) {
        let line = line_of(cup, |event| matches!(event, Event::Result { result, .. } if is(result)));
        let Event::Result { key, result } = &mut cup.lines[line].event else { unreachable!("it was found") };
        (line + 1, *key, result)
    }

    #[test]
    fn a_cup_as_it_was_played_is_valid() {
        let cup = played();
        assert_eq!(faults(&cup), [""; 0]);
        let found = Verification::of(&cup.lines);
        assert!(found.has_salt() && found.lines == cup.lines.len() && found.closes == 2 && found.draws == 2);
        assert!(found.not_played > 0 && found.claims.len() == cup.records.len(), "{found:?}");
        assert!(found.claims.iter().all(|claim| claim.seed.is_some()));
        assert!(found.claims.iter().any(|claim| claim.result.has_left()), "a stand-in played");
        assert_eq!(found.state.map(|state| state.cup), Some(cup.state.cup));
    }

    #[test]
    fn an_annulled_game_is_played_again_with_another_seed() {
        let annul = |(stage, game)| Event::Annul { stage, table: 0, game, reason: "a fault of the host".to_owned() };
        // Twelve games of groups are played; the annulment of one of them opens the stage again, and the final is drawn anew.
        let changes = |results| match results {
            2 => Some(annul((0, Some(1)))),
            14 => Some(annul((0, None))),
            _ => None,
        };
        let cup = PlayedCup::new(FILE, changes);
        assert_eq!(faults(&cup), [""; 0]);
        let found = Verification::of(&cup.lines);
        assert_eq!(found.claims.len(), cup.records.len(), "the records of annulled games are checked too");
        let annulled: Vec<_> =
            cup.state.annulled.iter().map(|game| (game.key.stage, game.key.game, game.attempt)).collect();
        assert_eq!(annulled, [(0, 1, 0), (0, 0, 0), (0, 1, 1), (1, 0, 0)]);
        assert_eq!(found.closes, 3, "the groups end twice");
        let mut seeds: Vec<_> = found.claims.iter().filter_map(|claim| claim.seed).map(|seed| seed.0).collect();
        let all = seeds.len();
        seeds.sort_unstable();
        seeds.dedup();
        assert_eq!(seeds.len(), all, "no luck is played twice");
        // An annulment that the journal does not have is found: its game has two results.
        let mut cup = cup;
        let line = line_of(&cup, |event| matches!(event, Event::Annul { .. }));
        cup.lines.remove(line);
        assert!(faults(&cup)[0].contains("expected one result of"), "{:?}", faults(&cup));
    }

    #[test]
    fn a_changed_result_is_found_in_its_record() {
        let mut cup = played();
        let (line, _, result) = result_mut(&mut cup, |result| result.match_id.is_some());
        result.scores[0] += 1;
        let found = faults(&cup);
        assert!(found.len() == 1 && found[0].starts_with(&format!("line {line}: groups/")), "{found:?}");
        assert!(found[0].contains("expected the scores"), "{found:?}");
        let mut cup = played();
        result_mut(&mut cup, |result| result.match_id.is_some()).2.decisions += 1;
        assert!(faults(&cup)[0].contains("expected the number of decisions"));
    }

    #[test]
    fn a_result_without_play_has_a_cause() {
        let mut cup = played();
        let (line, key, result) = result_mut(&mut cup, |result| result.match_id.is_some());
        (result.match_id, result.digest) = (None, None);
        result.scores.clear();
        cup.records.remove(&(key, 0));
        let found = faults(&cup);
        assert!(found[0].starts_with(&format!("line {line}: ")) && found[0].contains("expected a match"), "{found:?}");
        let mut cup = played();
        result_mut(&mut cup, |result| result.agents.contains(&"a".to_owned())).2.forfeits =
            vec![Some(Forfeit::Left); 2];
        assert!(faults(&cup)[0].contains("to have left the cup"));
    }

    #[test]
    fn another_record_is_found_by_its_digest_and_another_game_by_its_seed() {
        let mut cup = played();
        let keys: Vec<_> = cup.records.keys().copied().collect();
        let (first, second) = (cup.records[&keys[0]].clone(), cup.records[&keys[1]].clone());
        cup.records.insert(keys[0], second);
        assert!(faults(&cup)[0].contains("expected the digest"));
        cup.records.insert(keys[0], first);
        // The organiser plays a game again until the result is better.
        let begun = State::after(cup.lines[..2].iter().map(|line| &line.event)).expect("it has begun");
        let mut planned = begun.planned(keys[0].0, &SALT);
        planned.seed = Seed(5);
        let (result, record) = play(&begun, &planned);
        assert_eq!(result.digest.as_deref(), Record::read(&record).ok().map(|record| hex(&record.digest())).as_deref());
        cup.records.insert(keys[0], record);
        let line = line_of(&cup, |event| matches!(event, Event::Result { key, .. } if *key == keys[0].0));
        cup.lines[line].event = Event::Result { key: keys[0].0, result };
        let found = faults(&cup);
        assert!(found.iter().any(|fault| fault.contains("expected the seed") && fault.contains("got 5")), "{found:?}");
    }

    #[test]
    fn draws_and_advances_follow_from_the_lines_before() {
        let mut cup = played();
        let line = line_of(&cup, |event| matches!(event, Event::Draw { .. }));
        let Event::Draw { tables, .. } = &mut cup.lines[line].event else { unreachable!("it was found") };
        tables.swap(0, 1);
        let found = faults(&cup);
        assert!(found[0].starts_with(&format!("line {}: expected the draw of", line + 1)), "{found:?}");
        let mut cup = played();
        let line = line_of(&cup, |event| matches!(event, Event::Close { .. }));
        let Event::Close { advance, .. } = &mut cup.lines[line].event else { unreachable!("it was found") };
        *advance = vec!["c".to_owned(), advance[0].clone()];
        let found = faults(&cup);
        assert!(found[0].contains("from which c, "), "{found:?}");
        // Another salt is not that of the begin.
        let mut cup = played();
        cup.lines.last_mut().expect("an end").event = Event::End { salt: Salt([8; 32]).to_hex() };
        assert!(faults(&cup).iter().any(|fault| fault.contains("expected the salt with the hash")));
    }

    #[test]
    fn a_cup_in_progress_is_verified_but_for_its_seeds() {
        let mut cup = played();
        cup.lines.pop();
        let found = Verification::of(&cup.lines);
        assert!(!found.has_salt() && found.claims.iter().all(|claim| claim.seed.is_none()));
        assert_eq!(faults(&cup), [""; 0]);
    }

    #[test]
    fn lots_are_compared_once_the_salt_is_public() {
        let file = FILE.replace("name = \"Small\"", "name = \"Small\"\ntiebreak = []");
        // Every game is a tie, so that lots decide who advances.
        let tie = |state: &State, planned: &PlannedGame| {
            let agents = state.names(planned.seating.values());
            let seats = agents.len();
            let (scores, ranks, forfeits) = (vec![0; seats], vec![1; seats], vec![None; seats]);
            let (match_id, digest) = (Some("0123456789abcdef".to_owned()), Some(String::new()));
            (GameResult { match_id, agents, scores, ranks, forfeits, digest, decisions: 0 }, Vec::new())
        };
        let mut cup = PlayedCup::with(&file, |_| None, tie);
        let line = line_of(&cup, |event| matches!(event, Event::Close { .. }));
        assert_eq!(advance_of(&cup, line).len(), 2);
        let found = Verification::of(&cup.lines);
        assert_eq!((found.faults, found.open_lots), (Vec::new(), 0));
        // The organiser draws again.
        let out = ["a", "b", "c"].into_iter().find(|name| !advance_of(&cup, line).contains(&(*name).to_owned()));
        let Event::Close { advance, by_lot, .. } = &mut cup.lines[line].event else { unreachable!("it was found") };
        let out = out.expect("one of three does not advance").to_owned();
        let old = advance[1].clone();
        for names in [advance, by_lot] {
            names.iter_mut().filter(|name| **name == old).for_each(|name| name.clone_from(&out));
        }
        let found = Verification::of(&cup.lines);
        assert!(found.faults[0].line == line + 1 && found.faults[0].message.contains("by lot"), "{:?}", found.faults);
        // Without the salt nobody can know.
        let found = Verification::of(&cup.lines[..=line]);
        assert_eq!((found.faults, found.open_lots), (Vec::new(), 1));
    }

    fn advance_of(cup: &PlayedCup, line: usize) -> Vec<String> {
        match &cup.lines[line].event {
            Event::Close { advance, .. } => advance.clone(),
            other => panic!("expected the end of a stage, got {other:?}"),
        }
    }
}
