//! The annulment of games: their results are taken back, and they are played again.

use std::collections::BTreeSet;

use ahu_core::parse::did_you_mean;
use ahu_host::ensure;

use super::journal::GameKey;
use super::state::{AnnulledGame, State};
use crate::blocks::Luck;

impl State {
    /// Returns the number of times that a game was annulled. Its seed follows from this number. Games that share their luck are
    /// annulled together.
    pub fn attempt(&self, key: GameKey) -> u64 {
        self.attempts.get(&self.chance_key(key)).copied().unwrap_or(0)
    }

    /// Returns the key of the game that stands for all games with the same chance.
    fn chance_key(&self, key: GameKey) -> GameKey {
        let is_shared = self.cup.stages.get(key.stage).is_some_and(|stage| stage.luck == Luck::Shared);
        if is_shared { GameKey { game: 0, ..key } } else { key }
    }

    /// Returns the stage, the table, and the game that a text such as `groups/3.0` names; None for the game if it names a table,
    /// such as `groups/3`.
    ///
    /// # Errors
    /// If the cup has no such game or table, or no such stage has begun.
    pub fn find(&self, text: &str) -> Result<(usize, usize, Option<usize>), String> {
        let wrong = || format!("expected a game such as groups/3.0, or a table such as groups/3, got \"{text}\"");
        let (name, place) = text.split_once('/').ok_or_else(wrong)?;
        let (table, game) = place.split_once('.').map_or((place, None), |(table, game)| (table, Some(game)));
        let number = |text: &str| text.parse::<usize>().map_err(|_| wrong());
        let (table, game) = (number(table)?, game.map(number).transpose()?);
        let names = || self.cup.stages[..self.stages.len()].iter().map(|stage| stage.name.as_str());
        let stage = names().position(|other| other == name).ok_or_else(|| {
            let all = names().collect::<Vec<_>>().join(", ");
            format!("expected one of the stages {all}, got \"{name}\"{}", did_you_mean(name, names()))
        })?;
        let tables = self.stages[stage].tables.len();
        let found = self.stages[stage].tables.get(table);
        let found = found.ok_or_else(|| format!("expected a table below {tables} in stage {name}, got {table}"))?;
        let games = found.results.len();
        ensure(game.is_none_or(|game| game < games), || {
            format!("expected a game below {games} at table {table}, got {}", game.unwrap_or_default())
        })?;
        Ok((stage, table, game))
    }

    /// Takes back the result of a game, or of all games of a table, so that they are played again with other seeds. Games of a
    /// table that share their luck are annulled together. If the stage was closed, it is open again, and the tables of later
    /// stages are gone, with their games.
    pub(super) fn annul(
        &mut self,
        stage: usize,
        table: usize,
        game: Option<usize>,
        reason: &str,
    ) -> Result<(), String> {
        let named = GameKey { stage, table, game: game.unwrap_or(0) };
        ensure(self.table(named).is_some(), || format!("expected a game of the cup, got {named:?}"))?;
        let is_shared = self.cup.stages[stage].luck == Luck::Shared;
        let is_named = |key: &GameKey| {
            let is_game = is_shared || game.is_none_or(|game| key.game == game);
            key.stage == stage && key.table == table && is_game
        };
        let all = self.table(named).map_or(0, |table| table.results.len());
        let of_table = (0..all).map(|game| GameKey { stage, table, game }).filter(is_named);
        let later = self.games_from(stage + 1).map(|(key, _)| key);
        let has_begun = |key: &GameKey| {
            let table = self.table(*key);
            table.is_some_and(|table| table.started[key.game].is_some() || table.results[key.game].is_some())
        };
        let begun: Vec<_> = of_table.chain(later).filter(has_begun).collect();
        let name = match game {
            Some(_) => named.name(&self.cup.stages[stage]),
            None => format!("{}/{table}", self.cup.stages[stage].name),
        };
        ensure(begun.iter().any(is_named), || format!("expected a game that has begun, got {name}, which has not"))?;
        for &key in &begun {
            let agents = self.seating(key).map_or_else(Vec::new, |seating| self.names(seating.values()));
            let (attempt, reason) = (self.attempt(key), reason.to_owned());
            let table = self.table_mut(key)?;
            let (started, result) = (table.started[key.game].take(), table.results[key.game].take());
            let match_id = result.as_ref().map_or(started, |result| result.match_id.clone());
            let forfeits = result.iter().flat_map(|result| result.agents.iter().zip(&result.forfeits));
            for (agent, _) in forfeits.filter(|(_, forfeit)| forfeit.is_some()) {
                if let Some(agent) = self.agents.iter_mut().find(|other| other.entrant.name == *agent) {
                    agent.forfeits_in_a_row = agent.forfeits_in_a_row.saturating_sub(1);
                }
            }
            self.annulled.push(AnnulledGame { key, attempt, agents, match_id, result, reason });
        }
        let chances: BTreeSet<_> = begun.into_iter().map(|key| self.chance_key(key)).collect();
        for key in chances {
            *self.attempts.entry(key).or_default() += 1;
        }
        self.stages.truncate(stage + 1);
        let stage = &mut self.stages[stage];
        (stage.advance, stage.by_lot) = (None, Vec::new());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::journal::Event;
    use super::super::test_cups::{PlayedCup, SALT, small as cup};
    use super::*;

    const ID: &str = "0123456789abcdef";

    #[test]
    fn games_that_share_their_luck_are_annulled_together() {
        let annul = Event::Annul { stage: 0, table: 0, game: Some(1), reason: "a fault".to_owned() };
        let changes = |results| (results == 3).then(|| annul.clone());
        let shared = PlayedCup::new(&cup("luck = \"shared\"\n"), changes).state;
        let own = PlayedCup::new(&cup(""), changes).state;
        let games = |state: &State| state.annulled.iter().map(|game| game.key.game).collect::<Vec<_>>();
        assert_eq!((games(&shared), games(&own)), (vec![0, 1], vec![1]));
        let key = |game| GameKey { stage: 0, table: 0, game };
        assert_eq!([0, 1].map(|game| shared.attempt(key(game))), [1, 1]);
        assert_eq!([0, 1].map(|game| own.attempt(key(game))), [0, 1]);
        assert!(shared.salt.is_some() && shared.results().count() == 4, "they were played again");
    }

    #[test]
    fn only_a_game_that_has_begun_can_be_annulled() {
        let mut state = State::after(&[State::begin(&cup(""), &SALT)]).expect("a file");
        let draw = state.next_event(&SALT).expect("there are tables").expect("a draw follows");
        let annul = |table, game| Event::Annul { stage: 0, table, game, reason: String::new() };
        assert!(state.apply(&annul(0, None)).expect_err("nothing is drawn").contains("expected a game of the cup"));
        state.apply(&draw).expect("it follows");
        let begun = |state: &State| format!("{state:?}");
        let before = begun(&state);
        assert_eq!(
            state.apply(&annul(0, Some(1))),
            Err("expected a game that has begun, got main/0.1, which has not".to_owned())
        );
        assert!(state.apply(&annul(7, None)).is_err() && state.apply(&annul(0, Some(9))).is_err());
        assert_eq!(begun(&state), before, "a refusal changes nothing");
        let key = GameKey { stage: 0, table: 0, game: 1 };
        state.apply(&Event::Start { key, match_id: ID.to_owned() }).expect("the game is open");
        state.apply(&annul(0, Some(1))).expect("it has begun");
        let [annulled] = &state.annulled[..] else { panic!("expected one game, got {:?}", state.annulled) };
        assert_eq!((annulled.match_id.as_deref(), annulled.result.is_none()), (Some(ID), true));
        assert_eq!(state.table(key).and_then(|table| table.started[1].clone()), None);
    }

    #[test]
    fn a_text_names_a_game_or_a_table() {
        let state = State::drawn(&cup("")).expect("tables can be drawn");
        assert_eq!(state.find("main/1.0"), Ok((0, 1, Some(0))));
        assert_eq!(state.find("main/1"), Ok((0, 1, None)));
        for (text, message) in [
            ("main", "expected a game such as groups/3.0, or a table such as groups/3, got \"main\""),
            ("main/x.0", "expected a game such as"),
            ("mian/0", "expected one of the stages main, got \"mian\"; did you mean \"main\"?"),
            ("main/2", "expected a table below 2 in stage main, got 2"),
            ("main/1.2", "expected a game below 2 at table 1, got 2"),
        ] {
            let error = state.find(text).expect_err(text);
            assert!(error.contains(message), "{text}: {error}");
        }
    }
}
