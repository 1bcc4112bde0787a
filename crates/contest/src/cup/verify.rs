//! The checks with which anybody can verify a cup. They need its journal and its records, and nothing else.
//!
//! Reading the journal checks the links between its lines.

use std::collections::BTreeMap;

use ahu_host::ensure;

use super::game_result::{Forfeit, GameResult};
use super::journal::{Event, GameKey, Line, NewTable};
use super::ladder::{Ladder, RatingsClaim};
use super::public_salts::PublicSalts;
use super::record_claim::RecordClaim;
use super::seeds::Salt;
use super::state::State;
use crate::ratings::SeasonRatings;

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
    /// The number of waves that could not be checked, because the salts of their days are not public yet.
    pub open_draws: usize,
    /// The number of games that were not played, because at most one agent was left.
    pub not_played: usize,
    /// The claims about records, in the order of their lines: see [`RecordClaim::check`]. Who checks a long journal takes them
    /// out meanwhile.
    pub claims: Vec<RecordClaim>,
    /// The number of all claims about records.
    pub records: usize,
    /// The faults, in the order of their lines.
    pub faults: Vec<VerifyFault>,
    salts: PublicSalts,
    /// The agents that have ever left the cup.
    has_left: Vec<String>,
    /// The last entry of ratings of each day of a season, with its line.
    ratings: BTreeMap<u64, (usize, RatingsClaim)>,
}

/// A fault of a cup.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifyFault {
    /// The line of the journal, from 1; 0 for a fault of a file beside it.
    pub line: usize,
    /// The fault.
    pub message: String,
}

/// A salt that stands in for the true one until it is public. Lots that it decides are not compared.
const NO_SALT: Salt = Salt([0; 32]);

impl Verification {
    /// Checks all lines of a journal.
    pub fn of(lines: &[Line]) -> Self {
        let mut salts = PublicSalts::default();
        for line in lines {
            salts.note(line);
        }
        let mut found = Self::with(salts);
        let checked = lines.iter().take_while(|line| found.check_line(line)).count();
        found.finish(lines.len() - checked)
    }

    /// Begins the check of a journal that makes these salts public.
    pub fn with(salts: PublicSalts) -> Self {
        Self { salts, ..Self::default() }
    }

    /// Checks the next line, and applies it. Returns false if it cannot be applied: then no line after it can be checked.
    pub fn check_line(&mut self, line: &Line) -> bool {
        let number = self.lines + 1;
        if let Err(message) = self.check(number, line) {
            self.faults.push(VerifyFault { line: number, message });
        }
        self.lines == number
    }

    /// Ends the check, with the number of lines that were not checked.
    #[must_use]
    pub fn finish(mut self, rest: usize) -> Self {
        if let Some(rest) = rest.checked_sub(1) {
            let message = format!("the {rest} lines after it were not checked, since they build on it");
            self.faults.push(VerifyFault { line: self.lines + 1, message });
        }
        if self.state.is_none() && self.faults.is_empty() {
            let message = "expected the journal of a cup, got no whole line".to_owned();
            self.faults.push(VerifyFault { line: 1, message });
        }
        if let Some((state, ladder)) = self.state.as_ref().and_then(|state| Some((state, state.ladder()?))) {
            let mut last = SeasonRatings::default();
            for (line, claim) in std::mem::take(&mut self.ratings).into_values() {
                last = claim.fit(&ladder.games, &last);
                if let Err(message) = claim.check(&last, |agent| state.name(agent).to_owned()) {
                    self.faults.push(VerifyFault { line, message });
                }
            }
        }
        self.faults.sort_by_key(|fault| fault.line);
        self
    }

    /// Returns true if the salt is public, so that seeds and lots are checked.
    pub fn has_salt(&self) -> bool {
        self.state.as_ref().is_some_and(State::has_ended)
    }

    fn check(&mut self, number: usize, line: &Line) -> Result<(), String> {
        let event = &line.event;
        let Some(state) = &mut self.state else {
            self.state = Some(State::after([event])?.begun_at(line));
            self.lines += 1;
            return Ok(());
        };
        let change = if let Event::Called { change: Some(change), .. } = event { change } else { event };
        // The draw of a wave depends on the time of its line.
        let mut then = (state.ladder().is_some() && matches!(event, Event::Draw { .. } | Event::Close { .. }))
            .then_some(state.now);
        if then.is_some() {
            state.pass(line.time());
        }
        let checked = match change {
            Event::Draw { stage: 0, tables, .. } if state.ladder().is_some() => check_wave(state, tables, &self.salts)
                .map(|is_open| {
                    self.open_draws += usize::from(is_open);
                    false
                }),
            Event::Draw { .. } | Event::Close { .. } | Event::End { .. } => check_next(state, event, self.salts.cup),
            Event::Result { key, result } => check_result(state, *key, result, &self.has_left),
            Event::Open { chain, salt } => check_chain(*chain, salt, self.salts.cup),
            Event::Withdraw { agent, .. } | Event::Disqualify { agent, .. } => {
                self.has_left.push(agent.clone());
                Ok(false)
            }
            // An annulment is the decision of the organiser. Whoever reads the journal sees it, with its reason.
            _ => Ok(false),
        };
        let claim = match event {
            Event::Result { key, result } => RecordClaim::new(state, number, *key, result, &self.salts),
            _ => None,
        };
        let fixed = matches!(event, Event::Ratings { .. }).then(|| state.ladder().map(Ladder::fixed)).flatten();
        state.apply_line(line).inspect_err(|_| state.now = then.take().unwrap_or(state.now))?;
        self.lines += 1;
        self.records += usize::from(claim.is_some());
        self.claims.extend(claim);
        self.open_lots += usize::from(checked?);
        match event {
            Event::Draw { .. } => self.draws += 1,
            Event::Close { .. } => self.closes += 1,
            Event::Result { result, .. } if result.match_id.is_none() => self.not_played += 1,
            Event::Ratings { ratings, .. } => {
                let claim = fixed.and_then(|fixed| state.ratings_claim(fixed, ratings));
                self.ratings.extend(claim.map(|(day, claim)| (day, (number, claim))));
            }
            _ => {}
        }
        Ok(())
    }
}

/// Checks that a chain of salts comes from the salt of the cup. Returns false, since it has no lots.
fn check_chain(chain: u64, salt: &str, cup: Option<Salt>) -> Result<bool, String> {
    let expected = cup.map_or_else(|| salt.to_owned(), |cup| cup.before_chain(chain).to_hex());
    ensure(salt == expected, || {
        format!("expected chain {chain} to begin with {expected}, which follows from the salt, got {salt}")
    })?;
    Ok(false)
}

/// Checks that a wave is the one that the lines before it lead to. Returns true if the salt of its day is not public.
fn check_wave(state: &State, tables: &[NewTable], salts: &PublicSalts) -> Result<bool, String> {
    let Some(ladder) = state.ladder() else { return Ok(false) };
    let Some(salt) = salts.of_day(ladder.day(state.now)) else { return Ok(true) };
    let expected = ladder.wave(state, || salt);
    let listed = |tables: &[NewTable]| match tables {
        [] => "no table".to_owned(),
        tables => tables.iter().map(|table| table.agents.join(", ")).collect::<Vec<_>>().join("; "),
    };
    ensure(expected == tables, || {
        format!("expected a wave of {}, which follows from the lines before, got {}", listed(&expected), listed(tables))
    })?;
    Ok(false)
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

#[cfg(test)]
mod tests {
    use ahu_core::{Seed, hex};
    use ahu_host::record::Record;

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
