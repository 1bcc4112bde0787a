//! The results of `ahu cup`: the table, the page, exports, verification, and influence.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use serde_json::Value;
use tempfile::TempDir;

use crate::author::send;
use crate::served::Served;
use crate::{json, printed, refused};

/// A cup of bots with hostile names, which is played once for all tests.
const CUP: &str = r#"
[cup]
name = "Cup <script>alert('1')</script> \"&"
anchor = "greedy"
[[stage]]
name = "first"
game = "rapanui_cards"
seats = 2
blocks = 5
advance = 3
[[stage]]
name = "final"
game = "rapanui_cards"
seats = 3
blocks = 4
[[agent]]
name = "ann"
bot = "greedy"
owner = "<i>team"
[[agent]]
name = "bob"
bot = "random"
[[agent]]
name = "cy"
bot = "random"
"#;

/// A program that takes the first legal action and logs it.
const PROGRAM: &str = r#"echo 'hello from $AHU_AGENT_SEED' >&2; while read -r l; do case $l in *'"decide"'*) printf '%s\n' "$l" | sed 's/.*"legal":\[{"action_id":\([0-9]*\),.*/\1/';; esac; done"#;

fn played() -> &'static Path {
    static PLAYED: OnceLock<(TempDir, PathBuf)> = OnceLock::new();
    let (_, file) = PLAYED.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("cup.toml");
        fs::write(&file, CUP).expect("a file");
        printed(&["cup", "run", text(&file)]);
        (folder, file)
    });
    file
}

fn text(path: &Path) -> &str {
    path.to_str().expect("the path is text")
}

/// Returns a copy of a cup after the first lines of its journal, and its folder.
fn cut(file: &Path, keep: impl Fn(&[Value]) -> usize) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let copy = folder.path().join("cup.toml");
    fs::copy(file, &copy).expect("a file");
    copy_all(&file.with_extension("data"), &copy.with_extension("data"));
    let journal = copy.with_extension("data").join("journal.jsonl");
    let text = fs::read_to_string(&journal).expect("a journal");
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let kept: String = text.split_inclusive('\n').take(keep(&lines)).collect();
    fs::write(&journal, kept).expect("a journal");
    (folder, copy)
}

fn copy_all(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("an entry");
        match entry.path().is_dir() {
            true => copy_all(&entry.path(), &to.join(entry.file_name())),
            false => drop(fs::copy(entry.path(), to.join(entry.file_name())).expect("a file")),
        }
    }
}

/// Returns all files of a folder with their content.
fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(folder).expect("it is inside").display().to_string();
                found.insert(name, fs::read(&path).expect("a file"));
            }
        }
    }
    found
}

/// Returns the fields of a line of CSV without quoted line breaks.
fn fields(line: &str) -> Vec<String> {
    let (mut fields, mut quoted) = (vec![String::new()], false);
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        let last = fields.last_mut().expect("one field");
        match letter {
            '"' if quoted && letters.peek() == Some(&'"') => last.extend(letters.next()),
            '"' => quoted = !quoted,
            ',' if !quoted => fields.push(String::new()),
            letter => last.push(letter),
        }
    }
    fields
}

/// Checks that every tag of a page is closed in order. Returns the names of all tags with their attributes.
fn tags(page: &str) -> Vec<String> {
    let (mut open, mut all): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    let style_end = page.find("</style>").expect("a style");
    let style_begin = page.find("<style>").expect("a style");
    let page = format!("{}{}", &page[..style_begin], &page[style_end + "</style>".len()..]);
    for part in page.split('<').skip(1) {
        let (tag, _) = part.split_once('>').unwrap_or_else(|| panic!("expected a tag that ends, got <{part}"));
        let name = tag.split([' ', '\n']).next().expect("a name").to_owned();
        match name.as_str() {
            "!DOCTYPE" | "meta" => {}
            name if name.starts_with('/') => {
                assert_eq!(open.pop().as_deref(), Some(&name[1..]), "the tag before {tag} stays open");
            }
            _ => open.push(name),
        }
        all.push(tag.to_owned());
    }
    assert!(open.is_empty(), "these tags stay open: {open:?}");
    all
}

#[test]
fn the_table_says_who_beats_whom_and_where() {
    let found = json(&["cup", "table", text(played()), "--json"]);
    assert_eq!(found["has_ended"], true);
    for table in found["crosstables"].as_array().expect("a list") {
        let rows = table["rows"].as_array().expect("a list");
        for (one, row) in rows.iter().enumerate() {
            assert_eq!(row.as_array().map(Vec::len), Some(rows.len()));
            assert_eq!(row[one], Value::Null);
            for (other, cell) in row.as_array().expect("a list").iter().enumerate().filter(|(_, cell)| !cell.is_null())
            {
                let sum =
                    cell["share"].as_f64().expect("a number") + rows[other][one]["share"].as_f64().expect("a number");
                assert!((sum - 1.0).abs() < 1e-9, "{cell}");
            }
        }
    }
    // At tables of each size, the shares of the seats sum to 1.
    let seats = found["seats"].as_array().expect("a list");
    assert_eq!(seats.len(), 2);
    for seats in seats {
        let shares =
            seats["seats"].as_array().expect("a list").iter().map(|seat| seat["share"].as_f64().expect("a number"));
        assert!((shares.sum::<f64>() - 1.0).abs() < 1e-9, "{seats}");
    }
    let endings = &found["endings"];
    assert_eq!((&endings["games"], &endings["with_forfeit"]), (&found["games"], &Value::from(0)));
    let text = printed(&["cup", "table", text(played())]);
    for part in
        ["ratings in rapanui_cards", "crosstable of rapanui_cards", "seats of rapanui_cards", "0 with a forfeit"]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn ratings_wait_for_ten_blocks() {
    let results = |lines: &[Value], most: usize| {
        let is_result = |(_, line): &(usize, &Value)| line["event"] == "result";
        lines.iter().enumerate().filter(is_result).nth(most).expect("the cup has more").0
    };
    let (_folder, file) = cut(played(), |lines| results(lines, 20));
    let found = json(&["cup", "table", text(&file), "--json"]);
    let agents = found["ratings"][0]["agents"].as_array().expect("a list");
    assert!(
        !agents.is_empty() && agents.iter().all(|agent| agent["elo"].is_null() && agent["ranks"].is_null()),
        "{agents:?}"
    );
    let text = printed(&["cup", "table", text(&file)]);
    assert!(text.contains("no rating yet, with fewer than 10 blocks: ann, bob"), "{text}");
    // With no block at all, there is nothing to compare.
    let (_folder, file) = cut(played(), |_| 2);
    let found = json(&["cup", "table", self::text(&file), "--json"]);
    assert_eq!((&found["ratings"], &found["seats"]), (&Value::from(vec![(); 0]), &Value::from(vec![(); 0])));
}

#[test]
fn the_web_page_has_the_standings_and_ratings_of_a_cup_that_has_ended() {
    let server = Served::start(&played().with_extension("data"), &[]);
    let (_, cups) = send(&server.address, "GET /api/cups", "", "");
    let cups: Value = serde_json::from_str(&cups).expect("JSON");
    let path = format!("GET /api/cups/{}", cups[0]["id"].as_str().expect("an id"));
    let (status, cup) = send(&server.address, &path, "", "");
    assert_eq!(status, 200, "{cup}");
    let cup: Value = serde_json::from_str(&cup).expect("JSON");
    let table = json(&["cup", "table", text(played()), "--json"]);
    assert_eq!(cup["ratings"], table["ratings"]);
    assert!(cup["ratings"][0]["agents"].as_array().is_some_and(|agents| agents.len() >= 3), "{cup}");
    assert_eq!(cup["stages"].as_array().map(Vec::len), Some(2));
}

#[test]
fn the_page_is_whole_and_says_nothing_but_text_of_strangers() {
    let file = played();
    let folder = tempfile::tempdir_in(file.parent().expect("a folder")).expect("a folder");
    let path = folder.path().join("page.html");
    printed(&["cup", "table", text(file), "--html", text(&path)]);
    let page = fs::read_to_string(&path).expect("a page");
    let tags = tags(&page);
    let of = |name: &str| tags.iter().filter(|tag| tag.split(' ').next() == Some(name)).count();
    assert_eq!((of("script"), of("i"), of("b"), of("img"), of("link")), (0, 0, 0, 0, 0));
    assert!(page.contains("Cup &lt;script&gt;alert"), "the name is text");
    // No attribute loads anything or runs anything.
    let loads = |tag: &&String| [" src=", " on", "javascript:", "url("].iter().any(|part| tag.contains(part));
    assert_eq!(tags.iter().find(loads), None);
    // Tables have captions and heads; plots have titles and descriptions.
    assert_eq!((of("table"), of("table")), (of("caption"), of("thead")));
    assert!(of("svg") > 0 && of("desc") == of("svg") && of("title") == of("svg") + 1, "{tags:?}");
    let links: Vec<_> = tags.iter().filter_map(|tag| tag.strip_prefix("a href=\"")?.split('"').next()).collect();
    let (games, records): (Vec<_>, BTreeSet<_>) = (links.clone(), links.iter().collect());
    assert!(records.len() == games.len() && games.len() > 50, "a link for each game");
    for link in links {
        assert!(folder.path().join(link).exists(), "{link}");
    }
    // The salt and its hash, and the command that checks them.
    let table = json(&["cup", "table", text(file), "--json"]);
    for value in ["salt", "salt_hash"] {
        assert!(page.contains(table[value].as_str().expect("text")), "{value}");
    }
    assert!(page.contains("ahu cup verify FOLDER --salt-hash"));
}

#[test]
fn reasons_of_strangers_are_text_and_the_salt_stays_secret_before_the_end() {
    let (folder, file) = cut(played(), |lines| lines.len() - 1);
    let reason = "<img src=x onerror=alert(1)>\"'&";
    printed(&["cup", "disqualify", text(&file), "bob", "--reason", reason]);
    let path = folder.path().join("page.html");
    printed(&["cup", "table", text(&file), "--html", text(&path)]);
    let page = fs::read_to_string(&path).expect("a page");
    assert_eq!(tags(&page).iter().find(|tag| tag.starts_with("img")), None);
    assert!(page.contains("disqualified: &lt;img src=x onerror=alert(1)&gt;"), "the reason is text");
    let salt = fs::read_to_string(file.with_extension("data").join("salt")).expect("a salt");
    let out = folder.path().join("export");
    printed(&["cup", "export", text(&file), "--out", text(&out)]);
    let files = files(&out);
    assert!(files.len() > 50 && files.values().all(|bytes| !contains(bytes, salt.trim())), "the salt is secret");
    assert!(!page.contains(salt.trim()));
    let csv = String::from_utf8(files["results.csv"].clone()).expect("text");
    let seed = csv.lines().next().map(fields).and_then(|head| head.iter().position(|name| name == "seed"));
    assert!(
        csv.lines().skip(1).all(|line| fields(line)[seed.expect("a column")].is_empty()),
        "seeds come after the end"
    );
}

fn contains(bytes: &[u8], part: &str) -> bool {
    bytes.windows(part.len()).any(|window| window == part.as_bytes())
}

#[test]
fn anybody_can_verify_an_export_and_finds_each_change() {
    let file = played();
    let scratch = tempfile::tempdir().expect("a folder");
    let out = scratch.path().join("export");
    printed(&["cup", "export", text(file), "--out", text(&out)]);
    let found = json(&["cup", "verify", text(&out), "--json"]);
    assert_eq!((&found["valid"], &found["seeds_checked"]), (&Value::from(true), &Value::from(true)));
    let table: Value = serde_json::from_slice(&fs::read(out.join("table.json")).expect("a table")).expect("JSON");
    assert_eq!(found["records"], table["games"]);
    let hash = table["salt_hash"].as_str().expect("text");
    printed(&["cup", "verify", text(&out), "--salt-hash", hash]);
    let (code, error) = refused(&["cup", "verify", text(&out), "--salt-hash", &"0".repeat(64)]);
    assert!(code == 3 && error.contains("the cup is not valid: 1 fault"), "{error}");
    // The results have a line for each seat, with the seed of its record.
    let csv = fs::read_to_string(out.join("results.csv")).expect("results");
    let mut lines = csv.lines().map(fields);
    let head = lines.next().expect("a head");
    let at = |name: &str| head.iter().position(|other| other == name).expect("a column");
    let mut seats = 0;
    for line in lines {
        assert_eq!(line.len(), head.len(), "{line:?}");
        let record = fs::read_to_string(out.join(&line[at("record")])).expect("a record");
        assert!(record.contains(&format!("\nseed {}\n", line[at("seed")])), "{line:?}");
        seats += 1;
    }
    let games: Value = serde_json::from_slice(&fs::read(out.join("results.json")).expect("results")).expect("JSON");
    let of_games: usize = games["games"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|game| game["seats"].as_array().map_or(0, Vec::len))
        .sum();
    assert!(seats == of_games && seats > 150, "{seats} and {of_games}");
    // A changed record.
    let record = out.join(games["games"][3]["record"].as_str().expect("a path"));
    let whole = fs::read_to_string(&record).expect("a record");
    fs::write(&record, whole.replacen("seat 0: ", "seat 1: ", 1)).expect("a record");
    let (code, error) = refused(&["cup", "verify", text(&out)]);
    assert!(code == 3 && error.contains("the cup is not valid: 1 fault"), "{error}");
    fs::remove_file(&record).expect("a record");
    let output = crate::run(&["cup", "verify", text(&out), "--json"]);
    let found: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let message = found["faults"][0]["message"].as_str().expect("text");
    assert!(
        message.contains("cannot read the record") && found["faults"].as_array().map(Vec::len) == Some(1),
        "{found}"
    );
    fs::write(&record, whole).expect("a record");
    // A changed line.
    let journal = out.join("journal.jsonl");
    let lines = fs::read_to_string(&journal).expect("a journal");
    fs::write(&journal, lines.replacen("\"ranks\":[1,2]", "\"ranks\":[2,1]", 1)).expect("a journal");
    let output = crate::run(&["cup", "verify", text(&out)]);
    let found = String::from_utf8(output.stdout).expect("text");
    assert!(output.status.code() == Some(3) && found.contains("this line or one before it was changed"), "{found}");
}

#[test]
fn an_export_proves_itself_to_whoever_follows_the_links_of_its_page() {
    let scratch = tempfile::tempdir().expect("a folder");
    let [export, copy] = ["export", "copy"].map(|name| scratch.path().join(name));
    printed(&["cup", "export", text(played()), "--out", text(&export)]);
    let page = fs::read_to_string(export.join("index.html")).expect("a page");
    let tags = tags(&page);
    let links = tags.iter().filter_map(|tag| tag.strip_prefix("a href=\"")?.split('"').next());
    for link in links.chain(["index.html"]) {
        let path = copy.join(link);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::copy(export.join(link), path).expect("the link leads to a file");
    }
    assert!(page.contains("wget --recursive --no-parent ADDRESS-OF-THIS-PAGE"));
    assert_eq!(files(&copy), files(&export));
    let found = json(&["cup", "verify", text(&copy), "--json"]);
    assert_eq!((&found["valid"], found["files"]["compared"].as_array().map(Vec::len)), (&true.into(), Some(6)));
}

#[test]
fn a_cup_in_progress_is_verified_but_for_its_seeds() {
    let (_folder, file) = cut(played(), |lines| lines.len() - 2);
    let found = json(&["cup", "verify", text(&file), "--json"]);
    assert_eq!((&found["valid"], &found["seeds_checked"]), (&Value::from(true), &Value::from(false)));
    let found = printed(&["cup", "verify", text(&file)]);
    assert!(found.contains("the salt is secret, and no seed can be checked"), "{found}");
}

#[test]
fn a_team_gets_its_games_and_no_name_of_another_before_the_end() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("cup.toml");
    let agent = |name: &str| format!("[[agent]]\nname = \"{name}\"\ncmd = '''jsonl:{PROGRAM}'''\n");
    let head = "game = \"rapanui_cards\"\nseats = 2\nblocks = 1\n[cup]\nname = \"Secret\"\nanonymous = true\n";
    let names = ["moai", "rongorongo", "manutara"];
    fs::write(&file, format!("{head}{}", names.map(agent).concat())).expect("a file");
    printed(&["cup", "run", text(&file)]);
    let (cut_folder, cut_file) = cut(&file, |lines| lines.len() - 2);
    let out = cut_folder.path().join("team");
    printed(&["cup", "export", text(&cut_file), "--out", text(&out), "--for", "moai"]);
    let found = files(&out);
    let mode = |path: &Path| fs::metadata(path).expect("it is there").permissions().mode() & 0o777;
    assert_eq!([mode(&out), mode(&out.join("records"))], [0o700; 2], "it is for its owner alone");
    assert!(found.keys().all(|name| mode(&out.join(name)) == 0o600), "{:?}", found.keys());
    for (name, bytes) in &found {
        for other in ["rongorongo", "manutara"] {
            assert!(!contains(bytes, other) && !name.contains(other), "{name} tells {other}");
        }
    }
    let games: Value = serde_json::from_slice(&found["results.json"]).expect("JSON");
    let games = games["games"].as_array().expect("a list");
    assert_eq!(games.len(), 4);
    for game in games {
        assert_eq!((&game["table"], &game["block"], &game["seed"]), (&Value::Null, &Value::Null, &Value::Null));
        let record = game["record"].as_str().expect("a path");
        assert_eq!(record, format!("records/{}.txt", game["match"].as_str().expect("an id")));
        assert!(found.contains_key(record), "{record}");
    }
    // The name of a game has the number of its table.
    let log = String::from_utf8(found["moai.log"].clone()).expect("text");
    assert!(log.contains("hello from") && !log.contains("main/"), "{log}");
    for line in log.lines() {
        let id = line.strip_prefix('[').and_then(|line| line.split(' ').next()).expect("a label");
        assert!(games_have(&found["results.json"], id), "{line}");
    }
    assert!(!found.contains_key("journal.jsonl") && !found.contains_key("index.html"));
    // After the end, the export has the names and seeds, but still only the games and the output of the team.
    let out = folder.path().join("team");
    printed(&["cup", "export", text(&file), "--out", text(&out), "--for", "moai"]);
    let found = files(&out);
    let games: Value = serde_json::from_slice(&found["results.json"]).expect("JSON");
    let games = games["games"].as_array().expect("a list");
    assert!(
        games.len() == 4 && games.iter().all(|game| game["seed"].is_string() && game["table"].is_u64()),
        "{games:?}"
    );
    assert!(["results.json", "results.csv"].iter().all(|name| contains(&found[*name], "rongorongo")));
    assert_eq!(found.keys().filter(|name| name.contains(".log")).count(), 1);
    let (code, error) = refused(&["cup", "export", text(&file), "--out", text(&out), "--for", "moai"]);
    assert!(code == 2 && error.contains("expected a new or empty folder"), "{error}");
    let other = folder.path().join("other");
    let (code, error) = refused(&["cup", "export", text(&file), "--out", text(&other), "--for", "moia"]);
    assert!(code == 2 && error.contains("did you mean \"moai\"") && !other.exists(), "{error}");
}

fn games_have(results: &[u8], id: &str) -> bool {
    let games: Value = serde_json::from_slice(results).expect("JSON");
    games["games"].as_array().expect("a list").iter().any(|game| game["match"] == id)
}

#[test]
fn records_of_shared_luck_wait_for_their_table() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("cup.toml");
    let agents = "[[agent]]\nname = \"a\"\nbot = \"random\"\n[[agent]]\nname = \"b\"\nbot = \"greedy\"\n";
    let head = "game = \"rapanui_cards\"\nseats = 2\nblocks = 2\nluck = \"shared\"\n[cup]\nname = \"Shared\"\n";
    fs::write(&file, format!("{head}{agents}")).expect("a file");
    printed(&["cup", "run", text(&file)]);
    // The second game of one table has no result yet.
    let (cut_folder, cut_file) = cut(&file, |lines| {
        let is_second = |line: &Value| line["event"] == "result" && line["table"] == 0 && line["game"] == 1;
        let of_others = lines.iter().position(|line| line["event"] == "result").expect("a result");
        lines.iter().position(is_second).filter(|&at| at > of_others).unwrap_or(of_others + 1)
    });
    let out = cut_folder.path().join("export");
    let said = printed(&["cup", "export", text(&cut_file), "--out", text(&out)]);
    let games: Value = serde_json::from_slice(&fs::read(out.join("results.json")).expect("results")).expect("JSON");
    let mut counts: BTreeMap<u64, usize> = BTreeMap::new();
    for game in games["games"].as_array().expect("a list") {
        *counts.entry(game["table"].as_u64().expect("a number")).or_default() += 1;
    }
    let mut left_out = 0;
    for game in games["games"].as_array().expect("a list") {
        let is_whole = counts[&game["table"].as_u64().expect("a number")] == 2;
        assert_eq!(game["record"].is_string(), is_whole, "{game}");
        left_out += usize::from(!is_whole);
    }
    assert!(left_out > 0 && said.contains(&format!("the records of {left_out} games are left out")), "{said}");
}

/// Every number stands beside its pair of agents, and no sentence names an agent.
#[test]
fn influence_prints_what_each_gained_beside_the_other_and_names_nobody() {
    let found = json(&["cup", "influence", text(played()), "--json"]);
    let table = json(&["cup", "table", text(played()), "--json"]);
    let standings = table["stages"][1]["groups"][0].as_array().expect("a list");
    let agents = standings.len();
    let game = &found["games"][0];
    let pairs = game["pairs"].as_array().expect("a list");
    let unmeasured = game["unmeasured"].as_u64().expect("a number") as usize;
    assert_eq!(pairs.len() + unmeasured, agents * (agents - 1), "{found}");
    for pair in pairs {
        let [share, expected, gained, low, high] = ["share", "expected", "gained", "low", "high"]
            .map(|key| pair[key].as_f64().unwrap_or_else(|| panic!("expected the number {key} in {pair}")));
        assert!((share - expected - gained).abs() < 1e-9 && low <= gained && gained <= high, "{pair}");
    }
    for word in ["suspicious", "p_value", "gifts", "kingmaking", "mover"] {
        assert!(!found.to_string().contains(word), "{word} in {found}");
    }
    let text = printed(&["cup", "influence", text(played())]);
    assert!(text.contains("No number here shows that anybody helped another"), "{text}");
    assert_eq!(text.matches(" beside ").count(), pairs.len(), "{text}");
}
