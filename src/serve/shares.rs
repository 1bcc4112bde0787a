//! The options `--share` and `--rate`: `NAME=COUNT` for each kind of share or rate.

use ahu_service::{Rate, Share};

/// Parses a share such as `matches=100`.
pub(super) fn share(text: &str) -> Result<(Share, u32), String> {
    bound(text, Share::ALL.into_iter(), Share::name, 0)
}

/// Parses a rate such as `calls=1000`.
pub(super) fn rate(text: &str) -> Result<(Rate, u32), String> {
    bound(text, Rate::ALL.into_iter(), Rate::name, 1)
}

/// Parses the name of one of `all`, and a count of at least `least`.
fn bound<B: Copy>(
    text: &str,
    mut all: impl Iterator<Item = B> + Clone,
    name: fn(B) -> &'static str,
    least: u32,
) -> Result<(B, u32), String> {
    let names = all.clone().map(name).collect::<Vec<_>>().join(", ");
    let mut parse = |(asked, count): (&str, &str)| {
        let found = all.find(|&bound| name(bound) == asked)?;
        Some((found, count.parse().ok().filter(|&count| count >= least)?))
    };
    text.split_once('=').and_then(&mut parse).ok_or_else(|| {
        format!("expected NAME=COUNT with a count from {least} to {} and a name of {names}; got \"{text}\"", u32::MAX)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_or_rate_is_a_name_and_a_count_and_a_rate_is_above_0() {
        assert_eq!(share("matches=100"), Ok((Share::Matches, 100)));
        assert_eq!(share("unopened-streams=0"), Ok((Share::UnopenedStreams, 0)));
        assert_eq!(rate("calls=100"), Ok((Rate::Calls, 100)));
        for wrong in ["", "matches", "matches=", "matches=-1", "matches=4294967296", "Matches=1", "match=1", "calls=-1"]
        {
            let error = share(wrong).expect_err("no share");
            assert!(error.contains("a name of connections, calls, matches, bot-matches"), "{wrong}: {error}");
        }
        for wrong in ["", "calls", "calls=", "calls=0", "calls=-1", "matches=1"] {
            let error = rate(wrong).expect_err("no rate");
            assert!(error.contains("a name of calls, connections, frames"), "{wrong}: {error}");
        }
    }
}
