//! The name of a program, from its command.

use ahu_engine::host::record::check_new_name;

/// The interpreters that [`name_of`] skips.
const INTERPRETERS: &[&str] =
    &["bash", "deno", "env", "java", "julia", "node", "perl", "php", "pypy", "python", "ruby", "sh"];

/// Returns the name of a program: the file name of the first word of its command (after the last `&&`) that looks
/// like a file and is not an option, assignment, number, or interpreter. A word with a `/` or a `.` looks like a file.
/// If there is none, the first word. For example, the name of `SEED=1 python3 bots/careful.py --rate 0.5` is
/// `careful.py`.
pub(super) fn name_of(command: &str) -> String {
    let command = command.rsplit("&&").next().unwrap_or(command);
    let words = command.split_whitespace().map(|word| word.trim_matches(['\'', '"']));
    let mut words = words.filter(|word| !word.starts_with('-') && !word.contains('=')).peekable();
    let first = words.peek().copied();
    let word = words.find(|word| word.contains(['/', '.']) && word.parse::<f64>().is_err() && !is_interpreter(word));
    let name: String = word.or(first).map_or("", file_name).chars().take(16).collect();
    if check_new_name(&name).is_ok() { name } else { "agent".to_owned() }
}

fn file_name(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}

/// Returns true if the word names an interpreter, also with a version, such as `python3.12`.
fn is_interpreter(word: &str) -> bool {
    let name = file_name(word).trim_end_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
    INTERPRETERS.contains(&name)
}
