//! The file of a cup, `cup.toml`: its keys and their defaults.

mod agent;
mod changes;
mod checks;

use std::num::{NonZeroU8, NonZeroU32};
use std::time::SystemTime;

use ahu_host::{Conduct, Consequence, STAND_IN, Terms, TimeControl, file_values};
use serde::{Deserialize, Deserializer, Serialize};
use toml::Spanned;
use toml::de::{DeArray, DeTable, DeValue};
use toml::value::Datetime;

use self::agent::AgentKeys;
use super::entrant::{Entrant, Player};
use super::stage::Stage;
use super::tiebreak::Tiebreak;
use super::toml_file::{Fault, FileError, TomlFile};

/// A cup as its file describes it, with all defaults.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cup {
    /// The keys of `[cup]`.
    pub header: Header,
    /// The clock of every agent.
    pub clock: TimeControl,
    /// The consequences of faults.
    pub conduct: FileConduct,
    /// The stages, in their order.
    pub stages: Vec<Stage>,
    /// The agents, in the order of the file. If the file does not list the anchor as an agent, the anchor comes last.
    pub agents: Vec<Entrant>,
}

/// The keys of the file. A cup of one stage may have the keys of the stage at the top of the file: see [`move_stage`].
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Keys {
    #[serde(rename = "cup")]
    header: Header,
    clock: Option<TimeControl>,
    #[serde(default)]
    conduct: FileConduct,
    #[serde(default)]
    stage: Vec<Stage>,
    #[serde(default)]
    agent: Vec<AgentKeys>,
}

/// The keys of `[cup]`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// The name of the cup.
    pub name: String,
    /// The time, as RFC 3339 writes it, before which no game begins; None: games begin at once.
    #[serde(default, deserialize_with = "datetime")]
    pub begin: Option<String>,
    /// The time, as RFC 3339 writes it, from which absent agents lose their games; None: they are waited for.
    #[serde(default, deserialize_with = "datetime")]
    pub until: Option<String>,
    /// The time after which an agent that does not ask for its seat is absent, in milliseconds.
    #[serde(default = "Header::absent", deserialize_with = "file_values::time")]
    pub absent: u32,
    /// The address at which teams reach the cup, as `HOST:PORT`; None: the address on which `run` listens.
    pub address: Option<String>,
    /// The name of the agent whose rating is 0. If the file names none, it is the first agent; None without agents.
    pub anchor: Option<String>,
    /// True if agents learn the names of their opponents only at the end of the cup.
    #[serde(default)]
    pub anonymous: bool,
    /// True if agents of one owner may meet.
    #[serde(default)]
    pub allow_teammates: bool,
    /// The rules that break ties, the first rule first.
    #[serde(default = "Header::tiebreak")]
    pub tiebreak: Vec<Tiebreak>,
    /// The number of forfeits in a row after which the games of an agent wait until all other games are played.
    #[serde(default = "Header::probation")]
    pub probation: u32,
}

impl Header {
    /// Returns the time before which no game begins; None if games begin at once.
    pub fn begins(&self) -> Option<SystemTime> {
        self.begin.as_deref().and_then(time)
    }

    /// Returns the time from which absent agents lose their games; None if they are waited for.
    pub fn ends(&self) -> Option<SystemTime> {
        self.until.as_deref().and_then(time)
    }

    const fn absent() -> u32 {
        600_000
    }

    fn tiebreak() -> Vec<Tiebreak> {
        vec![Tiebreak::HeadToHead, Tiebreak::Margin]
    }

    const fn probation() -> u32 {
        5
    }
}

pub(super) fn datetime<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    let mut time = Datetime::deserialize(deserializer)?;
    // TOML has times without seconds, RFC 3339 does not.
    if let Some(time) = &mut time.time {
        time.second.get_or_insert(0);
    }
    Ok(Some(time.to_string()))
}

/// Parses a time in the form of RFC 3339.
pub(super) fn time(text: &str) -> Option<SystemTime> {
    text.parse::<prost_types::Timestamp>().ok().and_then(|time| SystemTime::try_from(time).ok())
}

/// The conduct as a file states it. Unlike [`Conduct`], it leaves out some faults, and it names the stand-in, which is a bot of
/// each game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct FileConduct {
    /// The consequence of an illegal action.
    pub illegal: Consequence,
    /// The consequence of an answer that cannot be read.
    pub unreadable: Consequence,
    /// The consequence of a timeout.
    pub timeout: Consequence,
    /// The number of strikes with which a seat forfeits.
    pub strikes: NonZeroU8,
    /// The bot that plays on for a seat that has forfeited.
    pub stand_in: String,
}

impl FileConduct {
    /// Returns the conduct, with the defaults of the faults that no file states.
    pub fn conduct(&self) -> Conduct {
        let Self { illegal, unreadable, timeout, strikes, .. } = *self;
        Conduct { illegal, unreadable, timeout, strikes, ..Conduct::default() }
    }
}

impl Default for FileConduct {
    fn default() -> Self {
        let (strike, Conduct { timeout, strikes, .. }) = (Consequence::Strike, Conduct::default());
        Self { illegal: strike, unreadable: strike, timeout, strikes, stand_in: STAND_IN.to_owned() }
    }
}

/// The keys at the top of a file that never belong to its one stage.
const NO_STAGE: [&str; 8] = ["cup", "clock", "conduct", "stage", "agent", "name", "advance", "groups"];

/// Moves the keys of a stage from the top of the file into a stage with the name `main`. A file has either such keys or
/// stages.
fn move_stage(file: &mut TomlFile<'_>) -> Result<(), FileError> {
    let table = file.table.get_mut();
    let keys = table.iter().filter(|(key, value)| {
        // Another table is a misspelled table of the cup.
        let has_table =
            value.as_ref().is_table() || value.get_ref().get(0).is_some_and(|first| first.as_ref().is_table());
        let key = &**key.get_ref();
        !NO_STAGE.contains(&key) && (["options", "ladder"].contains(&key) || !has_table)
    });
    let keys: Vec<_> = keys.map(|(key, _)| key.clone()).collect();
    let first = keys.iter().min_by_key(|key| key.span().start);
    match (first, table.contains_key("stage")) {
        (None, true) => Ok(()),
        (None, false) => {
            let message = "expected a [[stage]], or the key game at the top of the file, got neither".to_owned();
            Err(FileError { line: None, message })
        }
        (Some(key), true) => {
            let key = key.get_ref();
            let message = format!("expected {key} in each [[stage]], got it at the top of the file");
            Err(file.fault((key.to_string(), message)))
        }
        (Some(_), false) => {
            let mut stage: DeTable<'_> = keys.iter().filter_map(|key| table.remove_entry(key)).collect();
            stage.insert(Spanned::new(0..0, "name".into()), Spanned::new(0..0, DeValue::String("main".into())));
            let stages: DeArray<'_> = [Spanned::new(0..0, DeValue::Table(stage))].into_iter().collect();
            table.insert(Spanned::new(0..0, "stage".into()), Spanned::new(0..0, DeValue::Array(stages)));
            Ok(())
        }
    }
}

impl Cup {
    /// Reads a file. Checks everything that can be known without playing.
    ///
    /// # Errors
    /// With the line of the fault, and the nearest name if a key is unknown.
    pub fn read(text: &str) -> Result<Self, FileError> {
        Self::read_and(text, |cup| (0..cup.stages.len()).try_for_each(|stage| cup.check_seats(stage)))
    }

    /// Reads a file to which agents are still to be added, so that there may be too few for the seats.
    ///
    /// # Errors
    /// As [`Cup::read`].
    pub fn read_without_seats(text: &str) -> Result<Self, FileError> {
        Self::read_and(text, |_| Ok(()))
    }

    fn read_and(text: &str, check: impl FnOnce(&Self) -> Result<(), Fault>) -> Result<Self, FileError> {
        let file = Self::toml(text)?;
        let cup = Self::of(file.read()?).and_then(|cup| cup.check().and_then(|()| check(&cup)).map(|()| cup));
        cup.map_err(|fault| file.fault(fault))
    }

    fn toml(text: &str) -> Result<TomlFile<'_>, FileError> {
        let mut file = TomlFile::new(text)?;
        move_stage(&mut file)?;
        Ok(file)
    }

    fn of(keys: Keys) -> Result<Self, Fault> {
        let Keys { mut header, clock, conduct, stage: mut stages, agent } = keys;
        for (index, stage) in stages.iter_mut().enumerate() {
            stage.complete(&format!("stage.{index}"))?;
        }
        let agents = agent.into_iter().enumerate().map(|(index, agent)| agent.entrant(&format!("agent.{index}")));
        let mut agents: Vec<_> = agents.collect::<Result<_, _>>()?;
        match &header.anchor {
            None => header.anchor = agents.first().map(|agent| agent.name.clone()),
            Some(anchor) if agents.iter().all(|agent| agent.name != *anchor) => {
                let (name, player) = (anchor.clone(), Player::Bot { bot: anchor.clone() });
                agents.push(Entrant { name, owner: None, is_anchor: true, player });
            }
            Some(_) => {}
        }
        // A minute for each decision.
        let minute = TimeControl { limit: NonZeroU32::new(60_000), ..TimeControl::of_program() };
        Ok(Self { header, clock: clock.unwrap_or(minute), conduct, stages, agents })
    }

    /// Returns the terms of every game of a stage.
    pub fn terms(&self, stage: &Stage) -> Result<Terms, String> {
        let setup = stage.setup()?;
        let stand_in = setup.rules().bot(&self.conduct.stand_in).map_err(|error| error.message)?;
        let clocks = vec![self.clock; setup.seats().count()];
        Ok(Terms { conduct: self.conduct.conduct(), clocks, stand_in: Some(stand_in), ..Terms::default() })
    }

    /// Returns the agent with this name.
    pub fn agent(&self, name: &str) -> Option<&Entrant> {
        self.agents.iter().find(|agent| agent.name == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) const FILE: &str = r#"
[cup]
name = "Uni Cup 2027"
begin = 2027-05-01T10:00:00Z
until = 2027-05-01T18:00:00Z
absent = "10m"
address = "cup.example.org:50551"
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
games_at_once = 4
[[agent]]
name = "rongo"
owner = "team08"
cmd = "python rongo.py"
wrapper = ["bwrap", "--unshare-all"]
[[agent]]
name = "lines"
cmd = "jsonl:./bot"
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
            (cup.header.name.as_str(), cup.header.absent, cup.stages.len(), cup.agents.len()),
            ("Uni Cup 2027", 600_000, 2, 5)
        );
        let (limit, bank) = (None, NonZeroU32::new(60_000));
        assert_eq!(cup.clock, TimeControl { startup: 30_000, bank, increment: 500, limit, lag: 0 });
        let names: Vec<_> = cup.agents.iter().map(|agent| (agent.name.as_str(), agent.is_anchor)).collect();
        assert_eq!(names, [("moai", false), ("rongo", false), ("lines", false), ("random", false), ("greedy@2", true)]);
        assert_eq!(cup.agents[2].player, Player::Command { cmd: "jsonl:./bot".to_owned(), wrapper: Vec::new() });
        assert_eq!(cup.stages[1].blocks, 20);
        assert_eq!(cup.check_unchanged(&cup, FILE), Ok(()));
    }

    #[test]
    fn a_cup_of_one_stage_has_its_keys_at_the_top() {
        let text = "game = \"rappanui\"\nblocks = 3\n[cup]\nname = \"c\"\n[[agent]]\nname = \"a\"\nbot = \"greedy\"\n\
                    [[agent]]\nname = \"b\"\nbot = \"random\"\n";
        let cup = Cup::read(text).expect("it is whole");
        assert_eq!((cup.stages[0].name.as_str(), cup.stages[0].seats, cup.stages[0].blocks), ("main", 2, 3));
        assert_eq!(cup.header.anchor.as_deref(), Some("a"));
        let both = Cup::read(&format!("{text}[[stage]]\nname = \"x\"\ngame = \"giants\"\n")).expect_err("both");
        assert_eq!(both.to_string(), "line 1: expected game in each [[stage]], got it at the top of the file");
    }

    #[test]
    fn a_time_needs_no_seconds() {
        let begins = |text: &str| Cup::read(&FILE.replacen("10:00:00Z", text, 1)).expect("it is whole").header.begins();
        assert!(FILE.contains("begin = 2027-05-01T10:00:00Z"));
        assert_eq!(begins("10:00Z"), begins("10:00:00Z"));
        assert_eq!(begins("12:00+02:00"), begins("10:00:00Z"));
        assert_ne!(begins("10:01Z"), begins("10:00:00Z"));
    }

    #[test]
    fn a_clock_has_the_values_of_the_command_line_unless_it_says_otherwise() {
        let clock = |text: &str| Cup::read(&FILE.replace("startup = \"30s\"\n", text)).expect("it is whole").clock;
        assert_eq!(Ok(clock("")), "60+0.5".parse());
        assert_eq!(Ok(clock("startup = 0.5\n")), "60+0.5,startup=0.5".parse());
        let (before, after) = FILE.split_once("[clock]").expect("the file has a clock");
        let without = Cup::read(&format!("{before}{}", &after[after.find("[conduct]").expect("conduct follows")..]));
        let minute = "60/move".parse();
        assert_eq!(Ok(without.expect("it is whole").clock), minute);
    }

    #[test]
    fn a_fault_is_told_with_its_line() {
        for (from, to, message) in [
            (
                "seats = 4\nblocks",
                "seets = 4\nblocks",
                "line 23: unknown key \"seets\"; did you mean \"seats\"? (expected one of name, kind, game",
            ),
            ("seats = 4\nblocks", "seats = 9\nblocks", "line 23: expected 3 to 5 seats in giants, got 9"),
            ("\"giants\"\nseats = 4\nb", "\"gaints\"\nseats = 4\nb", "line 22: "),
            (
                "name = \"rongo\"",
                "name = \"moai\"",
                "line 37: expected a name of its own for each agent, got \"moai\" twice",
            ),
            ("\"60s\"", "\"0s\"", "line 11: expected a bank or a limit above 0"),
            (
                "\"60s\"",
                "\"60x\"",
                "line 13: bank: expected a time such as \"500ms\", \"30s\", \"10m\", or \"2h\", got \"60x\"",
            ),
            ("\"60s\"", "\"60 s\"", "line 13: bank: expected a time such as"),
            ("\"strike\"", "\"strik\"", "line 16: illegal: unknown variant"),
            ("stand_in = \"greedy@2\"", "stand_in = \"greedy@9\"", "line 18: unknown bot \"greedy@9\""),
            ("bot = \"random\"", "bot = \"rand\"", "agent \"random\" in stage \"groups\": unknown bot \"rand\""),
            ("bot = \"random\"", "bot = \"search:2s\"", "expected a budget in playouts"),
            ("luck = \"own\"", "luck = \"shared\"", "line 25: expected luck = \"own\" with remote agents"),
            ("advance = 4\n", "", "line 20: expected advance in stage \"groups\", since another stage follows"),
            ("advance = 4", "advance = 9", "line 26: expected 1 to 4 agents, got 9"),
            ("begin = 2027-05-01T10", "begin = 2027-05-02T10", "line 4: expected a time before until, which is 2027-"),
            (
                "example.org:50551",
                "example.org",
                "line 7: expected HOST:PORT, such as cup.example.org:50551, got \"cup.",
            ),
            (
                "games_at_once = 4",
                "games_at_once = 0",
                "line 35: expected 1 to 100 games at once, with remote = true only",
            ),
            ("until = 2027-05-01T18:00:00Z", "until = 2027-05-01", "line 5: expected a date and time with an offset"),
            (
                "remote = true",
                "remote = true\nbot = \"greedy\"",
                "line 32: expected one of bot, cmd, and remote = true",
            ),
            ("bot = \"random\"", "bot = \"random\"\nwrapper = [\"x\"]", "expected wrapper with cmd only"),
            ("[clock]", "[clock", "line 11: "),
        ] {
            let error = error(from, to);
            assert!(error.contains(message), "{to:?}: expected {message:?}, got {error:?}");
        }
    }

    #[test]
    fn too_few_agents_for_the_seats_are_refused() {
        let text = "game = \"giants\"\nseats = 4\n[cup]\nname = \"c\"\n[[agent]]\nname = \"a\"\nbot = \"greedy\"\n";
        let error = Cup::read(text).expect_err("one agent").to_string();
        assert_eq!(error, "line 2: expected at least 4 agents for 4 seats, got 1");
    }

    #[test]
    fn more_agents_than_64_bits_count_cannot_advance() {
        let stages = "[[stage]]\nname = \"groups\"\ngame = \"rappanui\"\nseats = 2\ngroups = 3\n\
                      advance = 6148914691236517206\n[[stage]]\nname = \"final\"\ngame = \"rappanui\"\nseats = 2\n";
        let agents = [0, 1, 2, 3, 4, 5].map(|n| format!("[[agent]]\nname = \"a{n}\"\nbot = \"greedy\"\n")).concat();
        let error = Cup::read(&format!("[cup]\nname = \"c\"\nanchor = \"a0\"\n{stages}{agents}"));
        let error = error.expect_err("too many").to_string();
        assert!(error.ends_with("expected 1 to 2 agents, got 6148914691236517206"), "{error}");
    }
}
