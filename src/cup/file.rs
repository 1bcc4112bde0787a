//! The file of a cup: `cup.toml`.

mod keys;
mod places;

use std::num::{NonZeroU8, NonZeroU32};

use serde::{Deserialize, Serialize};

use self::keys::{Header, Keys, milliseconds};
pub use self::places::FileError;
pub(crate) use self::places::Places;
use super::entrant::{Entrant, Player};
use super::stage::{LuckName, Stage};
use ahu_engine::core::parse::did_you_mean;
use ahu_engine::host::visible::check_line;
use ahu_engine::host::{AnyRules, Conduct, Consequence, Terms, TimeControl};

/// A cup as its file describes it, with all defaults.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Cup {
    /// The name.
    pub name: String,
    /// The time, as RFC 3339 writes it, from which absent agents lose their games; None: they never do.
    pub until: Option<String>,
    /// The time after which an agent that does not ask for its seat is absent, in milliseconds.
    pub absent: u64,
    /// The name of the agent whose rating is 0.
    pub anchor: String,
    /// True if agents learn their opponents' names at the end only.
    pub anonymous: bool,
    /// True if agents of one owner may meet.
    pub allow_teammates: bool,
    /// The rules that order agents with equal shares of pairs, the first rule first.
    pub tiebreak: Vec<Tiebreak>,
    /// The number of forfeits in a row after which an agent's games wait until all others are played.
    pub probation: u32,
    /// The clock of every agent.
    pub clock: CupClock,
    /// The consequences of faults.
    pub conduct: CupConduct,
    /// The stages, in their order.
    pub stages: Vec<Stage>,
    /// The agents, in the order of the file. An anchor that the file does not list as an agent is the last.
    pub agents: Vec<Entrant>,
}

/// A rule that orders agents with equal shares of pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tiebreak {
    /// The share of the pairs that they won against each other.
    HeadToHead,
    /// The mean margin of their games.
    Margin,
    /// Further blocks between them, at the places that decide who advances or wins.
    ExtraBlocks,
}

/// The clock of every agent, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CupClock {
    /// The free time of the first decision, in which a program starts.
    #[serde(deserialize_with = "milliseconds", default = "CupClock::startup")]
    pub startup: u32,
    /// The limit of all decisions together; 0: no limit.
    #[serde(deserialize_with = "milliseconds", default)]
    pub bank: u32,
    /// The time that each decision adds to the bank.
    #[serde(deserialize_with = "milliseconds", default)]
    pub increment: u32,
    /// The limit of one decision; 0: no limit.
    #[serde(deserialize_with = "milliseconds", default)]
    pub limit: u32,
    /// The free time of each decision, for the network.
    #[serde(deserialize_with = "milliseconds", default)]
    pub lag: u32,
}

impl CupClock {
    const fn startup() -> u32 {
        30_000
    }

    /// Returns the time control.
    pub fn control(&self) -> TimeControl {
        let Self { startup, bank, increment, limit, lag } = *self;
        TimeControl { startup, bank: NonZeroU32::new(bank), increment, limit: NonZeroU32::new(limit), lag }
    }
}

impl Default for CupClock {
    /// Returns a minute for each decision.
    fn default() -> Self {
        Self { startup: Self::startup(), bank: 0, increment: 0, limit: 60_000, lag: 0 }
    }
}

/// The consequences of faults.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CupConduct {
    /// The consequence of an illegal action.
    #[serde(default = "CupConduct::illegal")]
    pub illegal: Fault,
    /// The consequence of an answer that cannot be read.
    #[serde(default = "CupConduct::illegal")]
    pub unreadable: Fault,
    /// The consequence of a timeout.
    #[serde(default = "CupConduct::timeout")]
    pub timeout: Fault,
    /// The number of strikes with which a seat forfeits.
    #[serde(default = "CupConduct::strikes")]
    pub strikes: NonZeroU8,
    /// The bot that plays on for a seat that has forfeited.
    #[serde(default = "CupConduct::stand_in")]
    pub stand_in: String,
}

/// The name of a [`Consequence`] in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Fault {
    /// The call is refused, and the match goes on.
    Refusal,
    /// The seat gets a strike.
    Strike,
    /// The seat forfeits.
    Forfeit,
}

impl From<Fault> for Consequence {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Refusal => Self::Refusal,
            Fault::Strike => Self::Strike,
            Fault::Forfeit => Self::Forfeit,
        }
    }
}

impl CupConduct {
    const fn illegal() -> Fault {
        Fault::Strike
    }

    const fn timeout() -> Fault {
        Fault::Forfeit
    }

    fn strikes() -> NonZeroU8 {
        NonZeroU8::new(3).expect("3 is not 0")
    }

    fn stand_in() -> String {
        "greedy".to_owned()
    }
}

impl From<&CupConduct> for Conduct {
    fn from(conduct: &CupConduct) -> Self {
        Self {
            illegal: conduct.illegal.into(),
            unreadable: conduct.unreadable.into(),
            timeout: conduct.timeout.into(),
            strikes: conduct.strikes,
            ..Self::default()
        }
    }
}

impl Default for CupConduct {
    fn default() -> Self {
        Self {
            illegal: Self::illegal(),
            unreadable: Self::illegal(),
            timeout: Self::timeout(),
            strikes: Self::strikes(),
            stand_in: Self::stand_in(),
        }
    }
}

/// The largest number of blocks of a stage.
const MAX_BLOCKS: u32 = 1_000_000;
impl Cup {
    /// Reads a file. Checks everything that can be known without playing.
    ///
    /// # Errors
    /// With the line of the fault, and the nearest name if a key is unknown.
    pub fn read(text: &str) -> Result<Self, FileError> {
        let (cup, places) = Self::of_text(text)?;
        cup.check(&places)?;
        (0..cup.stages.len()).try_for_each(|stage| {
            let fault = cup.check_seats(stage);
            fault.map_err(|(key, message)| places.fault_of_stage(stage, key, message))
        })?;
        Ok(cup)
    }

    /// Does the same for a file to which agents are still to be added: there may be too few for the seats.
    pub fn read_without_seats(text: &str) -> Result<Self, FileError> {
        let (cup, places) = Self::of_text(text)?;
        cup.check(&places)?;
        Ok(cup)
    }

    fn of_text(text: &str) -> Result<(Self, Places<'_>), FileError> {
        let places = Places::new(text)?;
        let keys: Keys = toml::from_str(text).map_err(|error| places.error(&error))?;
        Ok((Self::of(keys, &places)?, places))
    }

    fn of(mut keys: Keys, places: &Places<'_>) -> Result<Self, FileError> {
        let stages = keys.stages(places)?;
        let Header { name, until, absent, anchor, anonymous, allow_teammates, tiebreak, probation } = keys.tournament;
        let until = until.map(|until| {
            let text = until.to_string();
            let is_whole = until.date.is_some() && until.time.is_some() && until.offset.is_some();
            if !is_whole || text.parse::<prost_types::Timestamp>().is_err() {
                let expected = "expected a date and time with an offset, such as 2027-05-01T18:00:00Z";
                return Err(places.fault(&["tournament", "until"], format!("{expected}, got {text}")));
            }
            Ok(text)
        });
        let mut agents = Vec::new();
        for (index, agent) in keys.agent.into_iter().enumerate() {
            let place = index.to_string();
            agents.push(agent.entrant().map_err(|(key, message)| places.fault(&["agent", &place, key], message))?);
        }
        let anchor = match anchor {
            Some(anchor) => {
                if !agents.iter().any(|agent: &Entrant| agent.name == anchor) {
                    let player = Player::Bot { bot: anchor.clone() };
                    agents.push(Entrant { name: anchor.clone(), owner: None, is_anchor: true, player });
                }
                anchor
            }
            None => agents.first().map(|agent| agent.name.clone()).unwrap_or_default(),
        };
        Ok(Self {
            name,
            until: until.transpose()?,
            absent: absent.into(),
            anchor,
            anonymous,
            allow_teammates,
            tiebreak,
            probation,
            clock: keys.clock.unwrap_or_default(),
            conduct: keys.conduct,
            stages,
            agents,
        })
    }

    fn check(&self, places: &Places<'_>) -> Result<(), FileError> {
        let header = |key: &str, message: String| Err(places.fault(&["tournament", key], message));
        if let Err(message) = check_line("a name", &self.name) {
            return header("name", message);
        }
        if self.probation == 0 {
            return header("probation", "expected at least 1 forfeit, got 0".to_owned());
        }
        if self.absent == 0 {
            return header("absent", "expected a time above 0, such as \"10m\", got 0".to_owned());
        }
        let control = self.clock.control();
        if !control.has_limit() {
            let message =
                "expected a bank or a limit above 0, such as bank = \"60s\": a match must end; got a clock of zero";
            return Err(places.fault(&["clock"], message.to_owned()));
        }
        control.check().map_err(|message| places.fault(&["clock"], message))?;
        for (index, agent) in self.agents.iter().enumerate() {
            let place = index.to_string();
            if self.agents[..index].iter().any(|other| other.name == agent.name) {
                let message = format!("expected a name of its own for each agent, got \"{}\" twice", agent.name);
                return Err(places.fault(&["agent", &place, "name"], message));
            }
            let is_same = |other: &&Entrant| matches!((&agent.player, &other.player), (Player::Remote { key: Some(key) }, Player::Remote { key: Some(other) }) if key == other);
            if let Some(other) = self.agents[..index].iter().find(is_same) {
                let message = format!("expected a key of its own for each agent, got that of \"{}\" again", other.name);
                return Err(places.fault(&["agent", &place, "key"], message));
            }
        }
        for (index, stage) in self.stages.iter().enumerate() {
            self.check_stage(index).map_err(|(key, message)| places.fault_of_stage(index, key, message))?;
            self.terms(stage).and_then(|terms| terms.check()).map_err(|message| places.fault(&["conduct"], message))?;
        }
        Ok(())
    }

    /// Checks a stage. Returns the key and the fault.
    fn check_stage(&self, index: usize) -> Result<(), (&'static str, String)> {
        let stage = &self.stages[index];
        if self.stages[..index].iter().any(|other| other.name == stage.name) {
            return Err(("name", format!("expected a name of its own for each stage, got \"{}\" twice", stage.name)));
        }
        if !(1..=MAX_BLOCKS).contains(&stage.blocks) {
            return Err(("blocks", format!("expected 1 to {MAX_BLOCKS} blocks, got {}", stage.blocks)));
        }
        let is_last = index + 1 == self.stages.len();
        if is_last && stage.advance.is_some() {
            return Err(("advance", "expected no advance in the last stage, got one".to_owned()));
        }
        if !is_last && stage.advance.is_none() {
            return Err(("name", format!("expected advance in stage \"{}\", since another stage follows", stage.name)));
        }
        let setup = stage.setup().map_err(|message| ("options", message))?;
        for agent in &self.agents {
            if let Player::Bot { bot } = &agent.player {
                let key = if agent.is_anchor { "anchor" } else { "agent" };
                check_bot(setup.rules(), bot).map_err(|message| {
                    (key, format!("agent \"{}\" in stage \"{}\": {message}", agent.name, stage.name))
                })?;
            }
        }
        check_bot(setup.rules(), &self.conduct.stand_in).map_err(|message| ("stand_in", message))?;
        let has_remote = self.agents.iter().any(|agent| matches!(agent.player, Player::Remote { .. }));
        if stage.luck == LuckName::Shared && has_remote {
            let message =
                "expected luck = \"own\" with remote agents, which remember one game in the next; got \"shared\"";
            return Err(("luck", message.to_owned()));
        }
        let unknown = stage.challengers.iter().find(|name| self.agent(name).is_none());
        if let Some(unknown) = unknown {
            let hint = did_you_mean(unknown, self.agents.iter().map(|agent| agent.name.as_str()));
            return Err(("challengers", format!("expected names of agents, got \"{unknown}\"{hint}")));
        }
        if index > 0 && stage.groups > 1 {
            return Err(("groups", "expected groups in the first stage only".to_owned()));
        }
        Ok(())
    }

    /// Checks that a stage has enough agents. Returns the key and the fault.
    fn check_seats(&self, index: usize) -> Result<(), (&'static str, String)> {
        let stage = &self.stages[index];
        let anchors = self.agents.iter().filter(|agent| agent.is_anchor).count();
        // All agents play the first stage, and those that advance the others.
        let before = index.checked_sub(1).map(|before| &self.stages[before]);
        let entrants = before.map_or(self.agents.len(), |before| before.advance.unwrap_or(0) * before.groups + anchors);
        let seats = stage.seats;
        let smallest = if index == 0 { entrants / stage.groups.max(1) } else { entrants };
        if smallest < seats {
            let of = if stage.groups > 1 { format!(" in each of {} groups", stage.groups) } else { String::new() };
            return Err(("seats", format!("expected at least {seats} agents{of} for {seats} seats, got {smallest}")));
        }
        if let Some(advance) = stage.advance.filter(|&advance| advance == 0 || advance * stage.groups > self.ranked()) {
            return Err(("advance", format!("expected 1 to {} agents, got {advance}", self.ranked() / stage.groups)));
        }
        Ok(())
    }

    /// Returns the number of agents that take places.
    fn ranked(&self) -> usize {
        self.agents.iter().filter(|agent| !agent.is_anchor).count()
    }

    /// Returns the terms of every game of a stage.
    pub fn terms(&self, stage: &Stage) -> Result<Terms, String> {
        let setup = stage.setup()?;
        let stand_in = setup.rules().bot(&self.conduct.stand_in).map_err(|error| error.message)?;
        let conduct = Conduct::from(&self.conduct);
        let clocks = vec![self.clock.control(); setup.seats().count()];
        Ok(Terms { conduct, clocks, stand_in: Some(stand_in), ..Terms::default() })
    }

    /// Returns the agent with this name.
    pub fn agent(&self, name: &str) -> Option<&Entrant> {
        self.agents.iter().find(|agent| agent.name == name)
    }

    /// Compares the file with that with which the cup began. `began` has the agents that were added since.
    ///
    /// # Errors
    /// A message that names each changed line, and the command that makes the change instead.
    pub fn check_unchanged(&self, began: &Self, text: &str) -> Result<(), FileError> {
        let places = Places::new(text)?;
        let mut faults: Vec<String> = Vec::new();
        let mut add = |path: &[&str], message: String| faults.push(places.fault(path, message).to_string());
        let put_back = "the cup has begun: put it back";
        let of = |cup: &Self| {
            let header = Self { stages: Vec::new(), agents: Vec::new(), ..cup.clone() };
            // The type is a struct of plain values.
            serde_json::to_value(header).unwrap_or_default()
        };
        let (now, then) = (of(self), of(began));
        for (key, value) in then.as_object().into_iter().flatten() {
            if now[key] != *value {
                let path: &[&str] = match key.as_str() {
                    "clock" => &["clock"],
                    "conduct" => &["conduct"],
                    other => &["tournament", other],
                };
                add(path, format!("{key} was {value} and is {}; {put_back}", now[key]));
            }
        }
        for index in 0..self.stages.len().max(began.stages.len()) {
            let place = index.to_string();
            match (self.stages.get(index), began.stages.get(index)) {
                (Some(now), Some(then)) if now != then => {
                    add(&["stage", &place], format!("stage \"{}\" has changed; {put_back}", then.name));
                }
                (None, Some(then)) => add(&["tournament"], format!("stage \"{}\" is missing; {put_back}", then.name)),
                (Some(now), None) => add(&["stage", &place], format!("stage \"{}\" is new; {put_back}", now.name)),
                _ => {}
            }
        }
        for (index, agent) in self.agents.iter().enumerate() {
            let place = index.to_string();
            match began.agent(&agent.name) {
                None => add(
                    &["agent", &place],
                    format!("agent \"{0}\" is new: `ahu tournament add FILE {0}` adds it", agent.name),
                ),
                Some(then) if then.without_key() != agent.without_key() => add(
                    &["agent", &place],
                    format!(
                        "agent \"{0}\" has changed; {put_back}, or `ahu tournament withdraw FILE {0}` and add it under \
                         another name",
                        agent.name
                    ),
                ),
                Some(_) => {}
            }
        }
        for gone in began.agents.iter().filter(|agent| self.agent(&agent.name).is_none()) {
            add(
                &["tournament"],
                format!(
                    "agent \"{0}\" is missing; put it back: `ahu tournament withdraw FILE {0}` takes it out",
                    gone.name
                ),
            );
        }
        match faults.is_empty() {
            true => Ok(()),
            false => Err(FileError { line: None, message: format!("the file has changed\n  {}", faults.join("\n  ")) }),
        }
    }
}

/// Checks that a game has a bot whose games can be verified.
fn check_bot(rules: &dyn AnyRules, bot: &str) -> Result<(), String> {
    let found = rules.bot(bot).map_err(|error| error.message)?;
    match found.is_reproducible() {
        true => Ok(()),
        false => {
            Err(format!("expected a budget in playouts, such as search:200, got \"{bot}\": nobody could verify it"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::keys::BLOCKS;
    use super::*;

    const FILE: &str = r#"
[tournament]
name = "Uni Cup 2027"
until = 2027-05-01T18:00:00Z
absent = "10m"
anchor = "greedy@2"
anonymous = true
tiebreak = ["head_to_head", "margin", "extra_blocks"]
[clock]
startup = "30s"
bank = "60s"
increment = "500ms"
[conduct]
illegal = "strike"
strikes = 3
stand_in = "greedy@2"
[[stage]]
name = "groups"
kind = "round-robin"
game = "giants"
seats = 4
blocks = 20
luck = "own"
advance = 4
[[stage]]
name = "final"
game = "giants"
seats = 4
[[agent]]
name = "moai"
owner = "team07"
remote = true
[[agent]]
name = "rongo"
owner = "team08"
cmd = "python rongo.py"
wrapper = ["bwrap", "--unshare-all"]
[[agent]]
name = "lines"
cmd = "./bot"
protocol = "jsonl"
[[agent]]
name = "random"
bot = "random"
"#;

    fn error(from: &str, to: &str) -> String {
        assert!(FILE.contains(from), "{from}");
        Cup::read(&FILE.replace(from, to)).expect_err("the file has a fault").to_string()
    }

    #[test]
    fn the_file_of_the_documentation_is_read() {
        let cup = Cup::read(FILE).expect("it is whole");
        assert_eq!(
            (cup.name.as_str(), cup.absent, cup.stages.len(), cup.agents.len()),
            ("Uni Cup 2027", 600_000, 2, 5)
        );
        assert_eq!(cup.clock, CupClock { startup: 30_000, bank: 60_000, increment: 500, limit: 0, lag: 0 });
        let names: Vec<_> = cup.agents.iter().map(|agent| (agent.name.as_str(), agent.is_anchor)).collect();
        assert_eq!(names, [("moai", false), ("rongo", false), ("lines", false), ("random", false), ("greedy@2", true)]);
        assert_eq!(cup.agents[2].player, Player::Command { cmd: "./bot".to_owned(), lines: true, wrapper: Vec::new() });
        assert_eq!(cup.stages[1].blocks, BLOCKS);
        assert_eq!(cup.check_unchanged(&cup, FILE), Ok(()));
    }

    #[test]
    fn a_cup_of_one_stage_has_its_keys_at_the_top() {
        let text = "game = \"rappanui\"\nblocks = 3\n[tournament]\nname = \"c\"\n[[agent]]\nname = \"a\"\nbot = \"greedy\"\n\
                    [[agent]]\nname = \"b\"\nbot = \"random\"\n";
        let cup = Cup::read(text).expect("it is whole");
        assert_eq!((cup.stages[0].name.as_str(), cup.stages[0].seats, cup.stages[0].blocks), ("main", 2, 3));
        assert_eq!(cup.anchor, "a");
        let both = Cup::read(&format!("{text}[[stage]]\nname = \"x\"\ngame = \"giants\"\n")).expect_err("both");
        assert_eq!(both.to_string(), "line 1: expected game in each [[stage]], got it at the top of the file");
    }

    #[test]
    fn a_fault_is_told_with_its_line() {
        for (from, to, message) in [
            (
                "seats = 4\nblocks",
                "seets = 4\nblocks",
                "line 21: unknown key \"seets\"; did you mean \"seats\"? (expected one of name, kind, game",
            ),
            ("seats = 4\nblocks", "seats = 9\nblocks", "line 21: expected 3 to 5 seats in giants, got 9"),
            ("\"giants\"\nseats = 4\nb", "\"gaints\"\nseats = 4\nb", "line 20: "),
            (
                "name = \"rongo\"",
                "name = \"moai\"",
                "line 34: expected a name of its own for each agent, got \"moai\" twice",
            ),
            ("\"60s\"", "\"0s\"", "line 9: expected a bank or a limit above 0"),
            (
                "\"60s\"",
                "60",
                "line 11: bank: expected a time such as \"500ms\", \"30s\", \"10m\", or \"2h\", got \"60\"",
            ),
            ("\"60s\"", "\"60 s\"", "line 11: bank: expected a time such as"),
            ("\"strike\"", "\"strik\"", "line 14: illegal: unknown variant"),
            ("stand_in = \"greedy@2\"", "stand_in = \"greedy@9\"", "line 16: unknown bot \"greedy@9\""),
            ("bot = \"random\"", "bot = \"rand\"", "agent \"random\" in stage \"groups\": unknown bot \"rand\""),
            ("bot = \"random\"", "bot = \"search:2s\"", "expected a budget in playouts"),
            ("luck = \"own\"", "luck = \"shared\"", "line 23: expected luck = \"own\" with remote agents"),
            ("advance = 4\n", "", "line 18: expected advance in stage \"groups\", since another stage follows"),
            ("advance = 4", "advance = 9", "line 24: expected 1 to 4 agents, got 9"),
            ("until = 2027-05-01T18:00:00Z", "until = 2027-05-01", "line 4: expected a date and time with an offset"),
            (
                "remote = true",
                "remote = true\nbot = \"greedy\"",
                "line 30: expected one of bot, cmd, and remote = true",
            ),
            ("bot = \"random\"", "bot = \"random\"\nwrapper = [\"x\"]", "expected wrapper with cmd only"),
            ("[clock]", "[clock", "line 9: "),
        ] {
            let error = error(from, to);
            assert!(error.contains(message), "{to:?}: expected {message:?}, got {error:?}");
        }
    }

    #[test]
    fn too_few_agents_for_the_seats_are_refused() {
        let text =
            "game = \"giants\"\nseats = 4\n[tournament]\nname = \"c\"\n[[agent]]\nname = \"a\"\nbot = \"greedy\"\n";
        let error = Cup::read(text).expect_err("one agent").to_string();
        assert_eq!(error, "line 2: expected at least 4 agents for 4 seats, got 1");
    }

    #[test]
    fn a_changed_file_is_refused_with_the_lines_and_the_command() {
        let began = Cup::read(FILE).expect("it is whole");
        for (from, to, message) in [
            ("absent = \"10m\"", "absent = \"11m\"", "line 5: absent was 600000 and is 660000"),
            ("bank = \"60s\"", "bank = \"61s\"", "line 9: clock was"),
            ("blocks = 20", "blocks = 21", "line 17: stage \"groups\" has changed; the cup has begun: put it back"),
            ("python rongo.py", "python rongo2.py", "line 33: agent \"rongo\" has changed"),
            (
                "\"random\"\nbot = \"random\"",
                "\"other\"\nbot = \"random\"",
                "agent \"random\" is missing; put it back: `ahu tournament withdraw FILE random`",
            ),
            (
                "bot = \"random\"",
                "bot = \"random\"\n[[agent]]\nname = \"new\"\nremote = true",
                "agent \"new\" is new: `ahu tournament add FILE new` adds it",
            ),
        ] {
            let text = FILE.replace(from, to);
            let now = Cup::read(&text).expect("it is whole");
            let error = now.check_unchanged(&began, &text).expect_err(to).to_string();
            assert!(error.contains(message), "expected {message:?}, got {error:?}");
        }
    }
}
