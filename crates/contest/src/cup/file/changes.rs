//! The changes of a file after the cup began. Each is refused, with the command that makes it instead.

use super::Cup;
use crate::cup::entrant::{Entrant, Player};
use crate::cup::toml_file::FileError;

impl Cup {
    /// Compares the file with `began`: the file with which the cup began, and the agents that were added since.
    ///
    /// # Errors
    /// A message that names each changed line, and the command that makes the change instead.
    pub fn check_unchanged(&self, began: &Self, text: &str) -> Result<(), FileError> {
        let file = Self::toml(text)?;
        let mut faults: Vec<String> = Vec::new();
        let mut add = |path: String, message: String| faults.push(file.fault((path, message)).to_string());
        let put_back = "the cup has begun: put it back";
        let [now, then] = [self, began].map(|cup| {
            // Both are structs of plain values, which always have a JSON.
            let [header, conduct] = [serde_json::to_value(&cup.header), serde_json::to_value(&cup.conduct)];
            // Nothing follows from the address.
            let header = header.unwrap_or_default().as_object().cloned().unwrap_or_default().into_iter();
            let header = header.filter(|(key, _)| key != "address");
            let parts = [("clock", cup.clock.to_string()), ("conduct", conduct.unwrap_or_default().to_string())];
            let parts = parts.map(|(key, value)| (key.to_owned(), key.to_owned(), value));
            let header = header.map(|(key, value)| (format!("cup.{key}"), key, value.to_string()));
            header.chain(parts).collect::<Vec<_>>()
        });
        for ((path, key, now), (_, _, then)) in now.into_iter().zip(then).filter(|(now, then)| now != then) {
            add(path, format!("{key} was {then} and is {now}; {put_back}"));
        }
        for index in 0..self.stages.len().max(began.stages.len()) {
            let path = format!("stage.{index}");
            let (path, message) = match (self.stages.get(index), began.stages.get(index)) {
                (Some(now), Some(then)) if now != then => (path, format!("\"{}\" has changed", then.name)),
                (None, Some(then)) => ("cup".to_owned(), format!("\"{}\" is missing", then.name)),
                (Some(now), None) => (path, format!("\"{}\" is new", now.name)),
                _ => continue,
            };
            add(path, format!("stage {message}; {put_back}"));
        }
        for (index, Entrant { name, .. }) in self.agents.iter().enumerate() {
            let message = match began.agent(name) {
                None => format!("agent \"{name}\" is new: `ahu cup add FILE {name}` adds it"),
                Some(then) if then.without_key() != self.agents[index].without_key() => format!(
                    "agent \"{name}\" has changed; {put_back}, or `ahu cup withdraw FILE {name}` and add it under \
                     another name"
                ),
                Some(_) => continue,
            };
            add(format!("agent.{index}"), message);
        }
        // The file has no agents that accounts have entered.
        let is_of_file = |agent: &&Entrant| !matches!(agent.player, Player::Remote { account: Some(_), .. });
        let missing = began.agents.iter().filter(is_of_file).filter(|agent| self.agent(&agent.name).is_none());
        for Entrant { name, .. } in missing {
            let message = "is missing; put it back: `ahu cup withdraw FILE";
            add("cup".to_owned(), format!("agent \"{name}\" {message} {name}` takes it out"));
        }
        match faults.is_empty() {
            true => Ok(()),
            false => Err(FileError { line: None, message: format!("the file has changed\n  {}", faults.join("\n  ")) }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::FILE;
    use super::*;

    #[test]
    fn a_changed_file_is_refused_with_the_lines_and_the_command() {
        let began = Cup::read(FILE).expect("it is whole");
        for (from, to, message) in [
            ("absent = \"10m\"", "absent = \"11m\"", "line 6: absent was 600000 and is 660000"),
            ("bank = \"60s\"", "bank = \"61s\"", "line 11: clock was"),
            ("blocks = 20", "blocks = 21", "line 19: stage \"groups\" has changed; the cup has begun: put it back"),
            ("python rongo.py", "python rongo2.py", "line 36: agent \"rongo\" has changed"),
            (
                "\"random\"\nbot = \"random\"",
                "\"other\"\nbot = \"random\"",
                "agent \"random\" is missing; put it back: `ahu cup withdraw FILE random`",
            ),
            (
                "bot = \"random\"",
                "bot = \"random\"\n[[agent]]\nname = \"new\"\nremote = true",
                "agent \"new\" is new: `ahu cup add FILE new` adds it",
            ),
        ] {
            let text = FILE.replace(from, to);
            let now = Cup::read(&text).expect("it is whole");
            let error = now.check_unchanged(&began, &text).expect_err(to).to_string();
            assert!(error.contains(message), "expected {message:?}, got {error:?}");
        }
    }
}
