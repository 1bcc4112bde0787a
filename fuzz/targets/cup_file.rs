//! The file of a cup, and the events of its journal.

use ahu_contest::cup::{Cup, Line, Salt, Standings, State};

/// The line between the file and the lines of the journal.
const END: &str = "\n# journal\n";

/// The salt of all cups.
const SALT: Salt = Salt([7; 32]);

/// The number of meetings beyond which a cup is not drawn, and the number of events that it has.
const MANY: usize = 2000;
const EVENTS: usize = 40;

/// Takes the file of a cup, and after the line `# journal` events as JSON.
pub fn run(bytes: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else { return false };
    let (file, journal) = text.split_once(END).unwrap_or((text, ""));
    let cup = match (Cup::read(file), Cup::read_without_seats(file)) {
        (Ok(cup), without_seats) => {
            assert_eq!(without_seats.as_ref(), Ok(&cup));
            cup
        }
        (Err(error), _) => {
            assert!(error.line.is_none_or(|line| line <= file.lines().count() + 1), "{error}");
            return false;
        }
    };
    let agents = cup.agents.len();
    for stage in &cup.stages {
        cup.terms(stage).expect("the file was checked");
        if stage.blocks as usize * agents * agents > MANY {
            return true;
        }
    }
    let mut state = State::after(&[State::begin(file, &SALT)]).expect("the file was checked");
    let mut lines = journal.lines().take(EVENTS);
    loop {
        // Events that are due come first, as in the program.
        let event = match state.next_event(&SALT) {
            Err(_) => return false,
            Ok(Some(event)) => event,
            Ok(None) => {
                let Some(line) = lines.next() else { break };
                let Ok(Line { event, .. }) = serde_json::from_str(line) else { continue };
                event
            }
        };
        let line = Line { at: "2027-05-01T18:00:00Z".to_owned(), event };
        let written = serde_json::to_string(&line).expect("an event has plain values");
        assert_eq!(serde_json::from_str::<Line>(&written).ok().as_ref(), Some(&line), "{written}");
        if state.apply(&line.event).is_ok() && state.has_ended() {
            break;
        }
    }
    look_at(&state);
    true
}

/// Looks at the games and the standings of a cup.
fn look_at(state: &State) {
    for key in state.open_games().take(10) {
        let _ = (state.planned(key, &SALT), state.walkover(key));
    }
    for (stage, drawn) in state.stages.iter().enumerate() {
        for group in 0..drawn.groups.len() {
            let rows = Standings::of(state, stage, group).rows;
            assert_eq!(rows.len(), drawn.groups[group].len(), "each agent has a row");
        }
    }
}

/// Returns cups as the documentation has them, with events.
#[cfg(test)]
pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let staged = r#"[cup]
name = "Office Cup"
anchor = "greedy"
tiebreak = ["head_to_head", "margin"]

[clock]
bank = "60s"
increment = "500ms"

[[stage]]
name = "groups"
game = "rapanui_cards"
seats = 2
blocks = 1
groups = 1
advance = 2

[[stage]]
name = "final"
game = "rapanui_cards"
seats = 2
blocks = 2

[[agent]]
name = "lines"
cmd = "jsonl:python3 random_bot.py"

[[agent]]
name = "dice"
bot = "random"
"#;
    let open = r#"game = "giants"
seats = 3
blocks = 4

[cup]
name = "Open Cup"
until = 2027-05-01T18:00:00Z
absent = "10m"
anchor = "greedy"
anonymous = true

[conduct]
illegal = "strike"
strikes = 3

[[agent]]
name = "a"
bot = "random"

[[agent]]
name = "b"
bot = "greedy"
owner = "one"
"#;
    let result = |table: usize, game: usize, agents: [&str; 2]| {
        let [one, other] = agents;
        format!(
            r#"{{"at":"2027-05-01T18:00:00Z","event":"result","stage":0,"table":{table},"game":{game},"match":"m","agents":["{one}","{other}"],"scores":[3,1],"ranks":[1,2],"forfeits":[null,null],"digest":null,"decisions":9}}"#
        )
    };
    let withdraw = r#"{"at":"2027-05-01T18:00:00Z","event":"withdraw","agent":"dice","reason":null}"#.to_owned();
    let events = [result(0, 0, ["lines", "dice"]), result(0, 1, ["dice", "lines"]), withdraw];
    let played = staged.to_owned() + END.trim_start_matches('\n') + &events.join("\n");
    [played, staged.to_owned(), open.to_owned()].map(String::into_bytes).into()
}
