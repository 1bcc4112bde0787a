//! The commands with which a person leafs through a record.

/// A command.
#[derive(Debug, PartialEq)]
pub(super) enum Command {
    NextPly,
    Back,
    NextTurn,
    /// The ply with this number.
    Go(u32),
    /// The next ply with this text; None: the text of the last search.
    Search(Option<String>),
    Table,
    All,
    Quit,
    Help,
}

/// The explanations of the commands.
pub(super) const HELP: &str = "  Enter        the next ply
  b, back      the ply before
  n, next      the beginning of the next turn
  42           ply 42; 0 is the beginning
  /TEXT        the next ply with this text; / alone searches again
  t, table     the table
  a, all       all further plies
  q, quit      the end
";

impl Command {
    /// Reads a line. An error says what was expected.
    pub(super) fn read(typed: &str) -> Result<Self, String> {
        if let Some(text) = typed.strip_prefix('/') {
            return Ok(Self::Search(Some(text.trim().to_lowercase()).filter(|text| !text.is_empty())));
        }
        match typed.to_lowercase().as_str() {
            "" => Ok(Self::NextPly),
            "b" | "back" => Ok(Self::Back),
            "n" | "next" => Ok(Self::NextTurn),
            "t" | "table" => Ok(Self::Table),
            "a" | "all" => Ok(Self::All),
            "q" | "quit" | "exit" => Ok(Self::Quit),
            "?" | "h" | "help" => Ok(Self::Help),
            other => match other.parse() {
                Ok(ply) => Ok(Self::Go(ply)),
                Err(_) => Err(format!("expected one of these commands, got \"{typed}\"\n{HELP}")),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_read_in_any_case_and_others_are_refused() {
        for (typed, expected) in [
            ("", Command::NextPly),
            ("B", Command::Back),
            ("next", Command::NextTurn),
            ("42", Command::Go(42)),
            ("/Erects 2a", Command::Search(Some("erects 2a".to_owned()))),
            ("/", Command::Search(None)),
            ("T", Command::Table),
            ("?", Command::Help),
        ] {
            assert_eq!(Command::read(typed), Ok(expected), "{typed}");
        }
        for typed in ["x", "nn", "-1", "99999999999"] {
            let error = Command::read(typed).expect_err(typed);
            assert!(error.starts_with(&format!("expected one of these commands, got \"{typed}\"\n  Enter")), "{error}");
        }
    }
}
