//! Seasons: who meets whom, the limits of accounts, rests, the end, and what anybody can verify.

use std::collections::BTreeMap;
use std::fs;
use std::sync::LazyLock;

use ahu_contest::cup::{Event, Journal, Ladder, Line, Player, Position, State, Status, Verification};
use serde_json::Value;

use crate::season_model::{Actor, BEGIN, DAY, HOUR, MINUTE, SALT, SECOND, Season, file};

/// The limits of an account in the season that most tests read.
const AT_ONCE: u32 = 2;
const A_DAY: u32 = 60;

/// A season of 4.5 days: 20 agents of as many accounts that come and go, an account with three agents, one that enters agents as
/// often as it may, and three agents of the file.
static SEASON: LazyLock<Season> = LazyLock::new(|| {
    let agents = "[[agent]]\nname = \"anchor\"\nbot = \"greedy@2\"\n[[agent]]\nname = \"other-anchor\"\nbot = \"random\"\n\
                  [[agent]]\nname = \"program\"\nowner = \"house\"\ncmd = \"./program\"\n\
                  [[agent]]\nname = \"guest\"\nremote = true\nkey = \"";
    let agents = format!("{agents}{:064x}\"\n", 7);
    let limits = format!("account_games_at_once = {AT_ONCE}\naccount_games_a_day = {A_DAY}\nratings_every = \"30m\"\n");
    let mut season = Season::new(&file(2, "", &limits, &agents), 1);
    season.act(3, Actor { pause: 20 * MINUTE, stay: 2 * HOUR, ..Actor::default() });
    for place in 0..20 {
        let actor =
            Actor { strength: 0.2 * f64::from(place) - 2.0, pause: 15 * MINUTE, stay: 2 * HOUR, ..Actor::default() };
        season.enter(&format!("a{place}"), actor).expect("a new account");
    }
    for _ in 0..3 {
        season
            .enter("many", Actor { pause: MINUTE, stay: 2 * HOUR, ..Actor::default() })
            .expect("the first of the day");
    }
    while season.now < BEGIN + 9 * DAY / 2 {
        season.enter("uploader", Actor::default()).expect("four a day");
        season.run(season.now + 6 * HOUR);
    }
    season
});

/// Creates a season with an anchor, with these limits and stages after it.
fn season(stage: &str, limits: &str, stages: &str) -> Season {
    Season::new(&file(2, stage, limits, &format!("{stages}[[agent]]\nname = \"anchor\"\nbot = \"greedy@2\"\n")), 1)
}

/// Folds lines. `visit` gets the state before each of them, at its time.
fn fold(lines: &[Line], mut visit: impl FnMut(&State, &Line)) -> State {
    let mut state = State::after([&lines[0].event]).expect("a file");
    for line in lines {
        state.pass(line.time());
        if line != &lines[0] {
            visit(&state, line);
            state.apply_line(line).expect("it follows");
        }
    }
    state
}

/// Calls `visit` with the state before each wave, the ladder, and the tables.
fn each_wave(season: &Season, mut visit: impl FnMut(&State, &Ladder, Vec<Vec<usize>>)) {
    fold(&season.lines, |state, line| {
        let Event::Draw { stage: 0, tables, .. } = &line.event else { return };
        let number = |name: &String| state.number(name).expect("it takes part");
        let tables = tables.iter().map(|table| table.agents.iter().map(number).collect()).collect();
        visit(state, state.ladder().expect("it has begun"), tables);
    });
}

fn is_anchor(state: &State, agent: usize) -> bool {
    matches!(state.agents[agent].entrant.player, Player::Bot { .. })
}

/// Returns what decides which agent is the first of a table: the smallest is.
fn turn(ladder: &Ladder, agent: usize) -> (u32, Option<u64>, Option<u64>, usize) {
    let own = &ladder.agents[agent];
    let account = &ladder.accounts[own.account];
    (account.drawn.min(100), own.waiting.max(account.last), own.waiting, agent)
}

/// Returns the agent of a table for which the others were drawn.
fn first(state: &State, ladder: &Ladder, table: &[usize]) -> usize {
    let agents = table.iter().copied().filter(|&agent| !is_anchor(state, agent));
    agents.min_by_key(|&agent| turn(ladder, agent)).expect("no table is of anchors alone")
}

/// Returns a state as text, but for its table of names, which has no order.
fn shown(state: &State) -> String {
    let text = format!("{state:?}");
    text.split_once("by_name").expect("the last field").0.to_owned()
}

/// Returns the number of the first line, from 0, that is such an event.
fn line_of(lines: &[Line], from: usize, is: impl Fn(&Event) -> bool) -> usize {
    from + lines[from..].iter().position(|line| is(&line.event)).expect("the season has one")
}

#[test]
fn the_lines_of_a_season_lead_to_its_state() {
    let mut folded = fold(&SEASON.lines, |_, _| ());
    folded.pass(SEASON.now);
    assert!(SEASON.ladder().games.len() > 1_500 && shown(&folded) == shown(&SEASON.state));
}

#[test]
fn anybody_proves_all_draws_of_a_season_in_progress_but_those_of_two_days() {
    let found = Verification::of(&SEASON.lines);
    assert_eq!((found.faults, found.lines), (Vec::new(), SEASON.lines.len()));
    let (day, public) = (SEASON.ladder().day(SEASON.now), SEASON.ladder().public_days());
    assert_eq!((day, public), (4, 3));
    let is_open = |line: &&Line| matches!(line.event, Event::Draw { .. }) && SEASON.ladder().day(line.time()) >= public;
    assert_eq!(found.open_draws, SEASON.lines.iter().filter(is_open).count());
    assert!(found.draws > 2 * found.open_draws, "{} {}", found.draws, found.open_draws);
    assert!(found.claims.iter().filter(|claim| claim.seed.is_some()).count() > found.claims.len() / 2);
}

#[test]
fn a_fault_in_a_season_is_named_with_its_line() {
    let lines = &SEASON.lines;
    let tables = |event: &Event| if let Event::Draw { tables, .. } = event { tables.len() } else { 0 };
    let two = line_of(lines, lines.len() / 3, |event| tables(event) == 2);
    let rated = |line: &Line| matches!(line.event, Event::Ratings { .. });
    let last = lines.iter().rposition(rated).expect("there are ratings");
    let of_a_day = lines.iter().rposition(|line| rated(line) && line.time() < BEGIN + DAY).expect("there are ratings");
    let salt = line_of(lines, 0, |event| matches!(event, Event::Salt { day: 1, .. }));
    let came = line_of(lines, two, |event| matches!(event, Event::Waiting { came, .. } if !came.is_empty()));
    let result = line_of(lines, two, |event| matches!(event, Event::Result { .. }));
    let called = line_of(lines, two, |event| matches!(event, Event::Called { .. }));
    let check = |line: usize, expected: &str, plant: &dyn Fn(&mut Value)| {
        // No line after the last entry of ratings matters.
        let mut lines = lines[..=last.max(line)].to_vec();
        let mut value = serde_json::to_value(&lines[line]).expect("plain values");
        plant(&mut value);
        lines[line] = serde_json::from_value(value).expect("a line");
        assert_ne!(lines[line], SEASON.lines[line]);
        let faults = Verification::of(&lines).faults;
        let first = faults.first().expect("a fault");
        assert!(first.line == line + 1 && first.message.contains(expected), "line {}: {faults:?}", line + 1);
    };
    check(two, "expected a wave of", &|line| line["tables"][0]["agents"].as_array_mut().expect("names").reverse());
    check(two, "expected a wave of", &|line| drop(line["tables"].as_array_mut().expect("tables").pop()));
    check(two, "expected one of the agents", &|line| line["tables"][0]["agents"][0] = "nobody".into());
    check(salt, "expected a salt of day 1 whose SHA-256 is", &|line| line["salt"] = SALT.of_day(2).to_hex().into());
    check(result, "expected a match of", &|line| line["agents"].as_array_mut().expect("names").reverse());
    check(last, "expected a rating of", &|line| line["ratings"]["a3-moai@1"] = vec![400, 50].into());
    check(of_a_day, "expected a rating of", &|line| line["ratings"]["a3-moai@1"] = vec![400, 50].into());
    check(came, "expected one of the agents", &|line| line["came"][0] = "nobody".into());
    check(called, "expected an agent of a1, got one of uploader", &|line| line["account"] = "a1".into());
}

#[test]
fn a_file_without_a_whole_line_is_no_cup() {
    let faults = Verification::of(&[]).faults;
    assert!(faults.len() == 1 && faults[0].message.contains("got no whole line"), "{faults:?}");
}

#[test]
fn a_checkpoint_and_the_lines_after_it_lead_to_the_state() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("journal.jsonl");
    let mut journal = Journal::lock(&path).expect("a new file");
    let begun = line_of(&SEASON.lines, 0, |event| matches!(event, Event::Result { .. })) + 30;
    let mut calls = 1_000;
    // A refusal is a line of any length.
    let refusal = |reason: String| {
        calls += 1;
        let (account, refusal) = ("a1".to_owned(), Some(reason));
        Line::at(SEASON.lines[begun].time(), Event::Called { call: calls, account, change: None, refusal })
    };
    let refusals: Vec<_> = (0..17).map(|_| "x".repeat(1 << 20)).chain(["too late".to_owned()]).map(refusal).collect();
    SEASON.lines[..begun].iter().chain(&refusals).for_each(|line| journal.append(line).expect("it is written"));
    let (state, end) = State::read(&path).expect("a journal");
    assert_eq!(state.write_checkpoint(&path, 0, &end).expect("it is written"), end.length);
    assert_eq!(state.write_checkpoint(&path, end.length, &end).expect("it is written"), end.length, "it has not grown");
    let after = SEASON.lines[begun..begun + 30].iter().filter(|line| !matches!(line.event, Event::Called { .. }));
    after.for_each(|line| journal.append(line).expect("it is written"));
    let with = State::read(&path).expect("a journal and a checkpoint");
    let without = folder.path().join("copy.jsonl");
    fs::copy(&path, &without).expect("a copy");
    let (state, end) = State::read(&without).expect("a journal");
    assert!(with.1 == end && shown(&with.0) == shown(&state));
    // The checkpoint was read: the lines before it were not.
    let text = fs::read_to_string(&path).expect("a file");
    fs::write(&path, text.replacen("\"draw\"", "\"DRAW\"", 1)).expect("a file");
    assert!(State::read(&without).is_ok() && Journal::read_from(&path, &Position::default(), |_| Ok(())).is_err());
    assert!(shown(&State::read(&path).expect("a checkpoint").0) == shown(&state));
}

#[test]
fn the_limits_of_an_account_hold_whatever_number_of_agents_it_has() {
    let (mut most_at_once, mut most_a_day, mut a_day) = (0, 0, BTreeMap::<(u64, usize), u32>::new());
    each_wave(&SEASON, |state, ladder, tables| {
        let mut at_once = vec![0; ladder.accounts.len()];
        let day = (state.now - BEGIN) / DAY;
        for &agent in ladder.open.values().flat_map(|game| &game.agents).chain(tables.iter().flatten()) {
            at_once[ladder.agents[agent].account] += u32::from(!is_anchor(state, agent));
        }
        for &agent in tables.iter().flatten().filter(|&&agent| !is_anchor(state, agent)) {
            let games = a_day.entry((day, ladder.agents[agent].account)).or_default();
            *games += 1;
            most_a_day = most_a_day.max(*games);
        }
        most_at_once = at_once.into_iter().fold(most_at_once, u32::max);
    });
    assert_eq!((most_at_once, most_a_day), (AT_ONCE, A_DAY), "the limits are reached, and not exceeded");
}

#[test]
fn an_account_enters_four_agents_a_day_of_which_three_take_part() {
    let mut season = season("", "", "");
    let entered: Vec<_> = (0..4).map(|_| season.enter("a", Actor::default()).expect("four a day")).collect();
    let live =
        |season: &Season| (1..season.actors.len()).filter(|&agent| !season.state.has_left(agent)).collect::<Vec<_>>();
    assert!(live(&season) == entered[1..] && season.state.name(entered[3]) == "a-moai@4", "the oldest made room");
    season.run(BEGIN + DAY - SECOND);
    let error = season.enter("a", Actor::default()).expect_err("a fifth");
    assert!(
        error.contains("at most 4 entries of an account a day, got one more; the next day begins 2027-05-02T00"),
        "{error}"
    );
    season.enter("b", Actor::default()).expect("another account");
    season.run(BEGIN + DAY);
    season.enter("a", Actor::default()).expect("the next day");
    assert_eq!(live(&season), [3, 4, 5, 6]);
}

#[test]
fn agents_of_an_account_never_meet() {
    each_wave(&SEASON, |state, ladder, tables| {
        for table in tables {
            let mut accounts: Vec<_> = table.iter().map(|&agent| ladder.agents[agent].account).collect();
            accounts.sort_unstable();
            accounts.dedup();
            assert_eq!(accounts.len(), table.len(), "{table:?}");
            assert!(table.iter().any(|&agent| !is_anchor(state, agent)));
        }
    });
}

#[test]
fn an_anchor_plays_only_with_who_has_waited() {
    let mut with_anchors = 0;
    each_wave(&SEASON, |state, ladder, tables| {
        for table in tables.iter().filter(|table| table.iter().any(|&agent| is_anchor(state, agent))) {
            let since = ladder.agents[first(state, ladder, table)].waiting.expect("it waits");
            assert!(state.now >= since + 30 * SECOND);
            with_anchors += 1;
        }
    });
    assert!(with_anchors > 0);
}

/// Returns true if two agents have different accounts, and have met less than ten times, or three times the even share of both.
fn may_meet(state: &State, ladder: &Ladder, one: usize, other: usize) -> bool {
    let met = ladder.agents[one].met.get(&other).copied().unwrap_or(0);
    let field = (0..ladder.agents.len()).filter(|&agent| state.is_in(agent) && !is_anchor(state, agent)).count() as u32;
    let is_even = |agent: usize| met * (field - 1) < 3 * ladder.agents[agent].drawn;
    ladder.agents[one].account != ladder.agents[other].account && (met < 10 || is_even(one) && is_even(other))
}

#[test]
fn nobody_has_the_same_table_twice_running_where_another_is_possible() {
    let mut season = season("", "", "");
    for place in 0..5 {
        season.enter(&format!("a{place}"), Actor { pause: 5 * SECOND, ..Actor::default() }).expect("a new account");
    }
    season.run(BEGIN + 3 * HOUR);
    let (mut last, mut again, mut all) = (BTreeMap::<usize, Vec<usize>>::new(), 0, 0);
    each_wave(&season, |state, ladder, tables| {
        let mut waiting: Vec<_> = (1..=5).filter(|&agent| ladder.agents[agent].waiting.is_some()).collect();
        for mut table in tables {
            let first = first(state, ladder, &table);
            waiting.retain(|agent| !table.contains(agent));
            table.sort_unstable();
            let is_again =
                |table: &[usize]| table.iter().any(|agent| last.get(agent).is_some_and(|last| last == table));
            let other = waiting.iter().find(|&&other| !is_again(&[first.min(other), first.max(other)]));
            let is_repeated = is_again(&table);
            assert!(!is_repeated || other.is_none(), "{first} could play with {other:?}, not {table:?} again");
            (again, all) = (again + usize::from(is_repeated), all + 1);
            table.iter().filter(|&&agent| agent > 0).for_each(|&agent| drop(last.insert(agent, table.clone())));
        }
    });
    assert!(all > 500 && again < all / 5, "{again} of {all}");
}

#[test]
fn a_pair_meets_ten_times_or_three_times_its_even_share() {
    // Two are here all the time, and six hardly ever.
    let mut season = season("", "", "");
    for place in 0..8 {
        let actor = Actor { pause: if place < 2 { 0 } else { 3 * HOUR }, ..Actor::default() };
        season.enter(&format!("a{place}"), actor).expect("a new account");
    }
    season.run(BEGIN + 8 * HOUR);
    let mut capped = 0;
    each_wave(&season, |state, ladder, tables| {
        for table in tables.iter().filter(|table| table.iter().all(|&agent| !is_anchor(state, agent))) {
            assert!(may_meet(state, ladder, table[0], table[1]), "{table:?}");
        }
        capped += usize::from(!may_meet(state, ladder, 1, 2));
    });
    let own = &season.ladder().agents[1];
    assert!(capped > 100 && own.met[&2] > 10 && own.met[&0] > own.met[&2], "{capped} {:?}", own.met);
}

#[test]
fn an_agent_that_forfeits_rests_until_its_account_wakes_it() {
    let [row, of_last] = ["it has forfeited 5 games in a row", "it has forfeited 10 of its last 20 games"];
    for (forfeits, games, reason) in [(5, 5, row), (4, 12, of_last)] {
        let mut season = season("", "", "");
        let broken = season.enter("a", Actor { forfeits, ..Actor::default() }).expect("a new account");
        season.enter("b", Actor::default()).expect("a new account");
        season.run(BEGIN + HOUR);
        assert_eq!(season.state.agents[broken].status, Status::Resting(reason.to_owned()));
        assert_eq!(season.ladder().agents[broken].drawn, games);
        let name = season.state.name(broken).to_owned();
        let waits = season.append(Event::Waiting { came: vec![name.clone()], gone: Vec::new() });
        waits.expect_err("it rests");
        season.call("b", Event::Readmit { agent: name.clone() }).expect_err("it is no agent of b");
        season.call("a", Event::Readmit { agent: name }).expect("it is its own");
        season.act(broken, Actor::default());
        season.run(BEGIN + 2 * HOUR);
        assert_eq!(season.state.agents[broken].status, Status::In, "the forfeits before are forgotten");
        assert!(season.ladder().agents[broken].drawn > games + 20);
    }
}

#[test]
fn the_best_agent_of_each_account_plays_a_final_after_a_week_in_which_nobody_enters() {
    let stages = "[[stage]]\nname = \"final\"\ngame = \"rapanui_cards\"\nseats = 2\nblocks = 1\n";
    let limits = "until = 2027-05-08T04:00:00Z\ngames_at_once = 2\naccount_games_at_once = 2\nratings_every = \"1h\"\n";
    let mut season = season("advance = 4\n", limits, stages);
    let actor = |strength: f64| Actor { strength, pause: MINUTE, ..Actor::default() };
    for place in 0..8 {
        season.enter(&format!("a{place}"), actor(f64::from(place))).expect("a new account");
    }
    // The best two agents have one owner, who shows the newer.
    season.enter("a7", actor(6.9)).expect("the second");
    season.run(BEGIN + 4 * HOUR - MINUTE);
    season.enter("late", actor(-1.0)).expect("just in time");
    season.run(BEGIN + 4 * HOUR);
    let error = season.enter("later", actor(0.0)).expect_err("it is too late");
    assert!(error.contains("expected an entry before ") && error.contains("when the ladder closed"), "{error}");
    season.run(BEGIN + 6 * HOUR);
    season.actors.iter_mut().for_each(|actor| actor.pause = DAY / 2);
    season.run(BEGIN + 8 * DAY);
    let stages = &season.state.stages;
    assert!(
        stages.len() == 2 && season.ladder().open.is_empty() && season.ladder().rated.1 == season.ladder().games.len()
    );
    let advance: Vec<_> = stages[0].advance.iter().flatten().map(|&agent| season.state.name(agent)).collect();
    assert_eq!(advance, ["a7-moai@2", "a6-moai@1", "a5-moai@1", "a4-moai@1"]);
    assert_eq!(stages[1].groups[0].len(), 4);
    let mut waves = 0;
    each_wave(&season, |state, ladder, tables| {
        if state.now >= BEGIN + 4 * HOUR {
            let waits = |agent: &usize| ladder.agents[*agent].waiting.is_some();
            let all: Vec<_> = (0..ladder.agents.len()).filter(waits).collect();
            let widest = *all.iter().max_by_key(|&&agent| ladder.agents[agent].margin).expect("one waits");
            let margin = ladder.agents[widest].margin;
            let plays = tables.iter().flatten().any(|&agent| waits(&agent) && ladder.agents[agent].margin == margin);
            let is_possible = all.iter().any(|&other| other != widest && may_meet(state, ladder, widest, other));
            assert!(plays || !is_possible, "{} has the widest interval", state.name(widest));
            waves += usize::from(all.len() > 2 && plays);
        }
    });
    assert!(waves > 50, "{waves}");
    season.play_on();
    assert!(season.state.has_ended());
    let found = Verification::of(&season.lines);
    assert_eq!((found.faults, found.open_draws, found.open_lots, found.closes), (Vec::new(), 0, 0, 2));
}

#[test]
fn a_ladder_that_too_few_have_entered_ends_without_a_final() {
    let stages = "[[stage]]\nname = \"final\"\ngame = \"rapanui_cards\"\nseats = 2\nblocks = 1\n";
    let limits = "until = 2027-05-01T01:00:00Z\nclosing = \"10m\"\n";
    let mut season = season("advance = 4\n", limits, stages);
    season.run(BEGIN + 49 * MINUTE);
    season.enter("a", Actor::default()).expect("it is open");
    season.run(BEGIN + 50 * MINUTE);
    season.enter("b", Actor::default()).expect_err("it is closed");
    season.run(BEGIN + 2 * HOUR);
    assert!(season.state.has_ended() && season.state.stages.len() == 1 && season.ladder().agents[1].games > 0);
    assert_eq!(Verification::of(&season.lines).faults, Vec::new());
}

#[test]
fn the_account_of_an_excluded_agent_enters_no_other() {
    let mut season = season("", "", "");
    let agent = season.enter("a", Actor::default()).expect("a new account");
    let name = season.state.name(agent).to_owned();
    season.append(Event::Disqualify { agent: name.clone(), reason: "it was sold".to_owned() }).expect("it is in");
    let error = season.enter("a", Actor::default()).expect_err("it is excluded");
    assert!(error.contains(&format!("got that of {name}: it was sold")), "{error}");
    let error = season.call("a", Event::Readmit { agent: name.clone() }).expect_err("the organiser alone may");
    assert!(error.contains("which the organiser has excluded"), "{error}");
    let error = season.call("a", Event::Readmit { agent: "a".to_owned() }).expect_err("it lacks the version");
    assert!(error.contains(&format!("one of: {name}; got \"a\"")), "{error}");
}

/// Nobody pauses, so that each account waits whenever it may.
#[test]
fn who_enters_as_often_as_it_may_gets_no_larger_share_of_seats_than_another() {
    // Seats are enough for all, or scarce.
    for (at_once, games) in [(1_000, 200), (4, 100)] {
        let limits = format!("games_at_once = {at_once}\naccount_games_at_once = 1\n");
        let mut season = season("", &limits, "");
        for place in 0..20 {
            season.enter(&format!("a{place}"), Actor::default()).expect("a new account");
        }
        for _ in 0..4 {
            season.enter("uploader", Actor::default()).expect("four a day");
            season.run(season.now + HOUR);
        }
        let seats = |name: &str| {
            season.ladder().accounts.iter().find(|account| account.name == name).map(|account| account.drawn)
        };
        let others: Vec<_> = (0..20).map(|place| seats(&format!("a{place}"))).collect();
        assert!(seats("uploader") <= others.iter().copied().max().flatten(), "{:?} {others:?}", seats("uploader"));
        assert!(others.iter().all(|&seats| seats > Some(games)), "{others:?}");
    }
}
