//! The option `--concurrency`.

/// The maximum number of games at once.
const MAX_CONCURRENCY: usize = 1024;

/// The number of games at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Concurrency {
    /// The program decides.
    Auto,
    /// This many.
    Games(usize),
}

/// Parses a number of games at once.
pub(super) fn concurrency(text: &str) -> Result<Concurrency, String> {
    let games = text.parse().ok().filter(|games| (1..=MAX_CONCURRENCY).contains(games));
    match text {
        "auto" => Ok(Concurrency::Auto),
        _ => games.map(Concurrency::Games).ok_or_else(|| format!("expected auto, or 1 to {MAX_CONCURRENCY} games")),
    }
}
