//! The next event of a cup, which follows from the results so far: a draw of tables, the close of a stage, or the end of the cup.

use super::journal::{Event, NewTable};
use super::seeds::Salt;
use super::stage::{Kind, Stage};
use super::standings::Standings;
use super::state::{State, TableState};
use super::table_draw::{Draw, DrawError, gauntlet};
use super::tiebreak::Tiebreak;

/// The maximum number of extra blocks in which agents play for a place that they share.
const MAX_EXTRA_BLOCKS: usize = 3;

impl State {
    /// Returns a cup in which all stages are drawn, as if the first agents in the file advanced. `ahu cup plan` shows it.
    ///
    /// # Errors
    /// If the file has a fault, or no tables can be drawn.
    pub fn drawn(file: &str) -> Result<Self, String> {
        let salt = Salt([0; 32]);
        let mut state = Self::after(&[Self::begin(file, &salt)])?;
        if state.ladder_rules().is_some() {
            // Nobody knows who enters, nor who advances.
            state.apply(&Event::Open { chain: 0, salt: salt.before_chain(0).to_hex() })?;
            return Ok(state);
        }
        while let Some(draw) = state.next_event(&salt)?.filter(|event| matches!(event, Event::Draw { .. })) {
            state.apply(&draw)?;
            let number = state.stage();
            let places = state.cup.stages[number].advance.unwrap_or(0);
            let first = |group: &Vec<usize>| {
                let ranked = group.iter().filter(|&&agent| !state.agents[agent].entrant.is_anchor);
                ranked.take(places).map(|&agent| state.name(agent).to_owned()).collect::<Vec<_>>()
            };
            let advance = state.stages[number].groups.iter().flat_map(first).collect();
            state.apply(&Event::Close { stage: number, advance, by_lot: Vec::new() })?;
        }
        Ok(state)
    }

    /// Returns the event that follows from the results so far: a draw, the close of a stage, or the end of the cup. None if
    /// games have to be played first.
    ///
    /// # Errors
    /// If no tables can be drawn.
    pub fn next_event(&self, salt: &Salt) -> Result<Option<Event>, String> {
        if self.has_ended() {
            return Ok(None);
        }
        let number = self.stage();
        let Some(stage) = self.stages.get(number) else {
            return match self.ladder_rules() {
                Some(_) => Ok(Some(Event::Open { chain: 0, salt: salt.before_chain(0).to_hex() })),
                None => self.first_draw(0).map(Some),
            };
        };
        if let Some(advance) = &stage.advance {
            // A ladder that too few have entered has no final.
            let lacks = |next: &Stage| stage.ladder.is_some() && advance.len() < next.seats * next.groups;
            return match self.cup.stages.get(number + 1).is_none_or(lacks) {
                true => Ok(Some(Event::End { salt: salt.to_hex() })),
                false => self.first_draw(number + 1).map(Some),
            };
        }
        if let Some(ladder) = &stage.ladder {
            let is_rated = ladder.rated.1 == ladder.games.len();
            let is_last = || self.ladder_is_over() && is_rated;
            return Ok(ladder.next_event(self, salt).or_else(|| is_last().then(|| self.close_ladder(number, salt))));
        }
        if let Some(event) = self.draw_of_added(number)? {
            return Ok(Some(event));
        }
        if !stage.tables.iter().all(TableState::is_whole) {
            return Ok(None);
        }
        let tables = self.extra_tables(number);
        match tables.is_empty() {
            true => Ok(Some(self.close(number, salt))),
            false => Ok(Some(Event::Draw { stage: number, extra: true, tables })),
        }
    }

    /// Returns the first draw of a stage.
    fn first_draw(&self, number: usize) -> Result<Event, String> {
        let stage = &self.cup.stages[number];
        let is_anchor = |&agent: &usize| self.agents[agent].entrant.is_anchor;
        let (anchors, mut agents): (Vec<_>, Vec<_>) = (0..self.agents.len()).partition(is_anchor);
        if let Some(before) = number.checked_sub(1) {
            agents = self.stages[before].advance.clone().unwrap_or_default();
        }
        // Teammates come one after the other, so they are dealt to different groups.
        if stage.groups > 1 {
            let owner = |agent: usize| self.agents[agent].entrant.owner.as_deref();
            agents.sort_by_key(|&agent| (owner(agent).is_none(), owner(agent)));
        }
        let mut groups = vec![Vec::new(); stage.groups];
        for (place, agent) in agents.into_iter().enumerate() {
            groups[place % stage.groups].push(agent);
        }
        let mut tables = Vec::new();
        for (group, agents) in groups.iter_mut().enumerate() {
            agents.extend(&anchors);
            agents.sort_unstable();
            tables.extend(self.tables_of(number, group, agents)?);
        }
        Ok(Event::Draw { stage: number, extra: false, tables })
    }

    /// Applies a change by the organiser, as [`Self::apply`] does. Also checks that the tables of a new agent can be drawn, which
    /// whoever reads a journal need not do.
    ///
    /// # Errors
    /// If the change is not possible. The state is then as before.
    pub fn change(&mut self, event: &Event) -> Result<(), String> {
        let mut changed = self.clone();
        changed.apply(event)?;
        // The first draw includes the agent, if it is still to come.
        if matches!(event, Event::Add { .. }) && !changed.stages.is_empty() && changed.ladder_rules().is_none() {
            changed.draw_of_added(0)?;
        }
        *self = changed;
        Ok(())
    }

    /// Returns the draw for agents that were added to the first stage; None if all agents have tables.
    pub(super) fn draw_of_added(&self, number: usize) -> Result<Option<Event>, String> {
        let stage = &self.stages[number];
        let is_new = |agent: &usize| !stage.groups.iter().flatten().any(|other| other == agent);
        if number > 0 {
            return Ok(None);
        }
        let new: Vec<_> = (0..self.agents.len()).filter(is_new).collect();
        if new.is_empty() {
            return Ok(None);
        }
        let mut groups = stage.groups.clone();
        for agent in new {
            let smallest = (0..groups.len()).min_by_key(|&group| groups[group].len()).expect("a stage has a group");
            groups[smallest].push(agent);
        }
        let mut tables = Vec::new();
        for (group, agents) in
            groups.iter().enumerate().filter(|(group, agents)| agents.len() > stage.groups[*group].len())
        {
            tables.extend(self.tables_of(number, group, agents)?);
        }
        Ok(Some(Event::Draw { stage: number, extra: false, tables }))
    }

    /// Draws the tables of a group that it does not have yet. In a later stage, teammates meet if there is no other draw, since
    /// the agents of that stage have won their places.
    ///
    /// # Errors
    /// If an agent finds no table.
    fn tables_of(&self, number: usize, group: usize, agents: &[usize]) -> Result<Vec<NewTable>, String> {
        let stage = &self.cup.stages[number];
        let index = |agent: &usize| agents.iter().position(|other| other == agent).expect("it is in the group");
        let owner = |agent: usize| self.agents[agents[agent]].entrant.owner.as_deref();
        let all = || (0..agents.len()).flat_map(|one| (0..one).map(move |other| (other, one)));
        let teammates = all().filter(|&(one, other)| {
            !self.cup.header.allow_teammates && owner(one).is_some() && owner(one) == owner(other)
        });
        let drawn = self.stages.get(number).into_iter().flat_map(|stage| &stage.tables);
        let drawn = drawn.filter(|table| table.group == group && !table.is_extra);
        let fixed: Vec<Vec<usize>> = drawn.map(|table| table.agents.iter().map(index).collect()).collect();
        let is_named = |agent: &&usize| stage.challengers.iter().any(|name| name == self.name(**agent));
        let mut challengers: Vec<_> = agents.iter().filter(is_named).map(index).collect();
        if challengers.is_empty() {
            // Other programs for cups take the first agent too.
            challengers.push(0);
        }
        let tables = |apart: Vec<(usize, usize)>| {
            let draw = Draw::new(agents.len(), stage.seats, stage.blocks, apart).with_fixed(fixed.clone());
            match stage.kind {
                Kind::RoundRobin | Kind::Ladder => draw.draw(),
                Kind::Gauntlet => gauntlet(&draw, &challengers),
            }
        };
        let tables = match tables(teammates.collect()) {
            Err(DrawError::NoTable(_)) if number > 0 => tables(Vec::new()),
            tables => tables,
        };
        let tables = tables.map_err(|error| {
            let of = |agent: usize| self.name(agents[agent]).to_owned();
            format!("stage \"{}\": {}", stage.name, error.text(of))
        })?;
        let names = |table: &Vec<usize>| self.names(&table.iter().map(|&agent| agents[agent]).collect::<Vec<_>>());
        Ok(tables[fixed.len()..].iter().map(|table| NewTable { group, agents: names(table) }).collect())
    }

    /// Returns the tables at which agents play for a place that decides who advances or wins.
    fn extra_tables(&self, number: usize) -> Vec<NewTable> {
        if !self.cup.header.tiebreak.contains(&Tiebreak::ExtraBlocks) {
            return Vec::new();
        }
        let (stage, seats) = (&self.stages[number], self.cup.stages[number].seats);
        let mut tables = Vec::new();
        for group in 0..stage.groups.len() {
            let standings = Standings::of(self, number, group);
            let tied = standings.tied_at(self.cup.stages[number].advance.unwrap_or(1));
            if tied.len() < 2 || tied.iter().any(|&agent| !self.is_in(agent)) {
                continue;
            }
            // Each two of the tied agents meet once more, at tables of their own or with the anchor.
            let anchor = (0..self.agents.len()).find(|&agent| self.agents[agent].entrant.is_anchor);
            let filler = anchor
                .or_else(|| self.number(self.cup.header.anchor.as_deref()?).ok())
                .filter(|filler| !tied.contains(filler));
            let lineups: Vec<Vec<usize>> = match tied.len().cmp(&seats) {
                std::cmp::Ordering::Equal => vec![tied.clone()],
                std::cmp::Ordering::Less => match filler {
                    Some(filler) => vec![tied.iter().copied().chain([filler]).collect()],
                    None => continue,
                },
                std::cmp::Ordering::Greater => {
                    let draw = Draw::new(tied.len(), seats, 1, []).draw().unwrap_or_default();
                    draw.into_iter().map(|table| table.into_iter().map(|place| tied[place]).collect()).collect()
                }
            };
            let played = stage
                .tables
                .iter()
                .filter(|table| table.is_extra && table.group == group && lineups.contains(&table.agents));
            if played.count() < MAX_EXTRA_BLOCKS * lineups.len() {
                tables.extend(lineups.iter().map(|lineup| NewTable { group, agents: self.names(lineup) }));
            }
        }
        tables
    }

    /// Returns the close of a ladder, with the best agent of each of the best accounts.
    fn close_ladder(&self, number: usize, salt: &Salt) -> Event {
        let stage = &self.cup.stages[number];
        let lot = |agent: usize| salt.lot(&stage.name, self.name(agent));
        let ranked = self.ladder().map_or_else(Vec::new, |ladder| ladder.ranked(self, lot));
        let advance = stage.advance.unwrap_or(0);
        let rating = |agent: usize| self.ladder().map(|ladder| ladder.agents[agent].rating);
        let (first, next) = (&ranked[..ranked.len().min(advance)], ranked.get(advance));
        let by_lot: Vec<_> =
            first.iter().copied().filter(|&one| next.is_some_and(|&next| rating(one) == rating(next))).collect();
        Event::Close { stage: number, advance: self.names(first), by_lot: self.names(&by_lot) }
    }

    /// Returns the close of a stage, with the agents that advance.
    fn close(&self, number: usize, salt: &Salt) -> Event {
        let stage = &self.stages[number];
        let Some(advance) = self.cup.stages[number].advance else {
            return Event::Close { stage: number, advance: Vec::new(), by_lot: Vec::new() };
        };
        let (mut all, mut out, mut by_lot) = (Vec::new(), Vec::new(), Vec::new());
        for group in 0..stage.groups.len() {
            let standings = Standings::of(self, number, group);
            let lot = |agent: usize| salt.lot(&self.cup.stages[number].name, self.name(agent));
            let mut ranked: Vec<_> = standings.ranked().collect();
            ranked.sort_by_key(|standing| (standing.place, lot(standing.agent)));
            let (ranked, gone): (Vec<_>, Vec<_>) = ranked.into_iter().partition(|standing| self.is_in(standing.agent));
            let cut = ranked.get(advance).map(|standing| standing.place);
            for (above, standing) in ranked.into_iter().take(advance).enumerate() {
                all.push((above, group, standing.agent));
                if Some(standing.place) == cut {
                    by_lot.push(standing.agent);
                }
            }
            out.extend(gone.into_iter().enumerate().map(|(above, standing)| (above, group, standing.agent)));
        }
        // The first agents of all groups, then the second agents, and so on.
        all.sort_unstable();
        // If too few agents are left for the next stage, agents that left the cup fill it up, and lose their games there.
        let next = self.cup.stages.get(number + 1).map_or(0, |next| next.seats * next.groups);
        out.sort_unstable();
        out.truncate(next.saturating_sub(all.len()));
        all.extend(out);
        let advance: Vec<_> = all.into_iter().map(|(_, _, agent)| agent).collect();
        Event::Close { stage: number, advance: self.names(&advance), by_lot: self.names(&by_lot) }
    }
}

#[cfg(test)]
mod tests {
    use super::super::entrant::Entrant;
    use super::super::test_cups::{PlayedCup, SALT};
    use super::*;

    const GROUPS: &str = r#"
[cup]
name = "Small Cup"
[[stage]]
name = "groups"
game = "rapanui_cards"
seats = 2
blocks = 1
advance = 2
[[stage]]
name = "final"
game = "rapanui_cards"
seats = 2
blocks = 1
"#;

    const ONE_STAGE: &str = r#"
game = "rapanui_cards"
seats = 2
blocks = 1
[cup]
name = "Small Cup"
"#;

    /// Returns the file of a cup with a bot for each owner.
    fn cup(stages: &str, owners: &[&str]) -> String {
        let agent = |(number, owner): (usize, &&str)| {
            let bot = if *owner == "strong" { "greedy@2" } else { "random@1" };
            format!("[[agent]]\nname = \"agent{number}\"\nowner = \"{owner}\"\nbot = \"{bot}\"\n")
        };
        format!("{stages}{}", owners.iter().enumerate().map(agent).collect::<String>())
    }

    #[test]
    fn a_journal_is_read_without_a_draw() {
        let agents: Vec<_> = (0..60).map(|n| format!("[[agent]]\nname = \"a{n}\"\nbot = \"greedy\"\n")).collect();
        let file = format!("game = \"rappanui\"\nblocks = 1000000\n[cup]\nname = \"C\"\n{}", agents.concat());
        let begin = State::begin(&file, &SALT);
        let drawn = Event::Draw { stage: 0, extra: false, tables: Vec::new() };
        let mut state = State::after([&begin, &drawn]).expect("no table is drawn");
        let agent = Entrant { name: "late".to_owned(), ..state.agents[0].entrant.clone() };
        // A draw of 1.8 thousand million tables would not end.
        state.apply(&Event::Add { agent }).expect("whoever reads a journal draws nothing");
    }

    #[test]
    fn the_close_of_a_stage_that_no_cup_has_is_refused() {
        let mut state = State::after(&[State::begin(&cup(ONE_STAGE, &["one", "two"]), &SALT)]).expect("a file");
        for stage in [0, 1, usize::MAX] {
            let close = Event::Close { stage, advance: Vec::new(), by_lot: Vec::new() };
            state.apply(&close).expect_err("no stage has tables");
        }
    }

    #[test]
    fn teammates_meet_in_a_final_that_has_no_other_tables() {
        let file = cup(GROUPS, &["strong", "a", "strong", "b"]);
        let played = PlayedCup::new(&file, |_| None);
        let finalists = &played.state.stages[1].groups[0];
        assert_eq!(finalists, &[0, 2], "the strong ones, which have one owner");
        assert!(played.state.has_ended());
        let met_before = played.state.stages[0].tables.iter().any(|table| table.agents == [0, 2]);
        assert!(!met_before, "they do not meet in the first stage");
    }

    #[test]
    fn agents_that_went_out_fill_a_final_that_would_have_no_table() {
        let leave = |results: usize| {
            let agent = format!("agent{}", results.checked_sub(1).filter(|&agent| agent < 3)?);
            Some(Event::Withdraw { agent, reason: None })
        };
        let played = PlayedCup::new(&cup(GROUPS, &["a", "b", "c", "d"]), leave);
        let finalists = played.state.stages[0].advance.clone().unwrap_or_default();
        assert_eq!((finalists.len(), finalists[0]), (2, 3), "the one that is left is first");
        assert!(played.state.has_ended());
    }

    #[test]
    fn an_agent_that_nobody_may_meet_is_not_added() {
        let gauntlet = format!("kind = \"gauntlet\"\nchallengers = [\"agent0\"]\n{ONE_STAGE}");
        let mut state = State::after(&[State::begin(&cup(&gauntlet, &["a", "b", "c"]), &SALT)]).expect("a file");
        let draw = state.next_event(&SALT).expect("there are tables").expect("a draw follows");
        state.change(&draw).expect("it follows");
        let before = format!("{state:?}");
        let new = |owner: &str| {
            let (name, owner) = ("new".to_owned(), Some(owner.to_owned()));
            Event::Add { agent: Entrant { name, owner, ..state.agents[1].entrant.clone() } }
        };
        let (teammate, other) = (new("a"), new("d"));
        let error = state.change(&teammate).expect_err("it may not meet the challenger");
        assert!(error.contains("agent \"new\" finds no table"), "{error}");
        assert_eq!(format!("{state:?}"), before, "nothing is half-applied");
        state.change(&other).expect("it meets the challenger");
    }

    #[test]
    fn a_field_of_one_owner_has_no_tables() {
        let error = State::drawn(&cup(ONE_STAGE, &["a", "a", "a"])).expect_err("nobody may meet");
        assert!(error.contains("finds no table"), "{error}");
    }
}
