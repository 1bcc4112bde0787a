//! Sentences of the game in the second person: "you draw 4 cards" for "seat 0 draws 4 cards".

use ahu_core::Seat;

/// Verbs whose base form is not the third person without its "s".
const IRREGULAR: [(&str, &str); 3] = [("has", "have"), ("is", "are"), ("was", "were")];

/// Phrases about something that belongs to the subject of their sentence, with the second person beside each.
const OWN: [(&str, &str); 5] = [
    (" its Tribe Marker", " your Tribe Marker"),
    (" its time", " your time"),
    (" its program", " your program"),
    (" its player was", " you were"),
    (" its player", " you"),
];

/// Rewrites a text of events or a headline for the player of `seat`. Its clauses must have the form "seat 0 draws", in the
/// present tense.
pub(crate) fn as_you(text: &str, seat: Seat) -> String {
    let name = format!("seat {seat}");
    let mut told = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(&name) {
        let (before, after) = (&rest[..at], &rest[at + name.len()..]);
        told.push_str(before);
        rest = after;
        if after.starts_with(|next: char| next.is_ascii_digit()) {
            told.push_str(&name);
        } else if let Some(owned) = after.strip_prefix("'s") {
            told.push_str(if owned.starts_with(' ') { "your" } else { "yours" });
            rest = owned;
        } else {
            told.push_str("you");
            if begins_clause(&told) {
                let end = after.find([';', ':']).unwrap_or(after.len());
                told.push_str(&clause(&after[..end]));
                rest = &after[end..];
                if let Some((theirs, yours, words)) = own(rest) {
                    told.push_str(&rest[..2]);
                    told.push_str(&yours[1..]);
                    rest = &words[theirs.len()..];
                }
            }
        }
    }
    told + rest
}

/// Returns true if the "you" at the end of the text is the subject of a clause.
fn begins_clause(told: &str) -> bool {
    let before = told.strip_suffix("you").unwrap_or(told);
    before.is_empty() || ["; ", ": ", ", "].iter().any(|mark| before.ends_with(mark))
}

/// Rewrites the rest of a clause after "you": its verbs take their base form.
fn clause(words: &str) -> String {
    let Some(words) = words.strip_prefix(' ') else { return words.to_owned() };
    let (verb, rest) = words.split_at(words.find(' ').unwrap_or(words.len()));
    if verb != "may" && base(verb) == verb && verb.starts_with(char::is_alphanumeric) {
        // No verb follows, so this is an entry of a list such as "seat 0 fish x2 / seat 1 grain".
        return format!(" have {words}");
    }
    let mut told = format!(" {}", base(verb));
    let mut parts = rest.split(" and ");
    let mut objects = parts.next().unwrap_or_default().to_owned();
    for (theirs, yours) in OWN {
        objects = if verb == "takes" { objects.replace(theirs, yours) } else { objects };
    }
    told.push_str(&objects);
    for part in parts {
        let (word, rest) = part.split_at(part.find(' ').unwrap_or(part.len()));
        told.push_str(" and ");
        told.push_str(&base(word));
        told.push_str(rest);
    }
    told
}

/// Finds a phrase of [`OWN`] right after a colon, such as "its time" in the reason of a forfeit. Returns it, its second person,
/// and the text after the colon.
fn own(text: &str) -> Option<(&'static str, &'static str, &str)> {
    let words = text.strip_prefix(':')?;
    OWN.into_iter().find(|(theirs, _)| words.starts_with(theirs)).map(|(theirs, yours)| (theirs, yours, words))
}

/// Returns the base form of a verb in the third person; any other word as it is.
fn base(word: &str) -> String {
    if let Some((_, base)) = IRREGULAR.iter().find(|(verb, _)| *verb == word) {
        return (*base).to_owned();
    }
    if let Some(stem) = word.strip_suffix("ies") {
        return format!("{stem}y");
    }
    let has_es = ["sses", "oes", "ches", "shes", "xes"].iter().any(|end| word.ends_with(end));
    word.strip_suffix(if has_es { "es" } else { "s" }).unwrap_or(word).to_owned()
}

#[cfg(test)]
mod tests {
    use ahu_core::Seats;

    use super::*;

    #[test]
    fn the_own_seat_is_you() {
        let seat = Seats::new(4).expect("four seats").get(1).expect("a seat");
        for (text, expected) in [
            ("seat 1 draws 4 cards", "you draw 4 cards"),
            ("seat 0 draws 4 cards", "seat 0 draws 4 cards"),
            ("seat 10 draws 4 cards", "seat 10 draws 4 cards"),
            ("--- turn 2: seat 1 ---", "--- turn 2: you ---"),
            ("--- turn 2: seat 1 goes first ---", "--- turn 2: you go first ---"),
            ("the cards are dealt, seat 1 goes first; seat 1 has F6", "the cards are dealt, you go first; you have F6"),
            ("seat 0 plays huri against seat 1", "seat 0 plays huri against you"),
            ("seat 0 steals F4 from seat 1", "seat 0 steals F4 from you"),
            ("seat 1 loses 2 Moai points", "you lose 2 Moai points"),
            ("seat 1 passes", "you pass"),
            ("seat 1 has nothing left to do and passes", "you have nothing left to do and pass"),
            ("seat 1 uses the Sorcerer's power and takes a Worker", "you use the Sorcerer's power and take a Worker"),
            ("seat 1 puts 2a into its quarry and marks it", "you put 2a into its quarry and mark it"),
            ("seat 1 takes its Tribe Marker back from 2a", "you take your Tribe Marker back from 2a"),
            (
                "seat 0 looks under the Moai on a3: the base is seat 1's",
                "seat 0 looks under the Moai on a3: the base is yours",
            ),
            (
                "seat 0 earns 2 Prestige Points for helping seat 1 on hex 4",
                "seat 0 earns 2 Prestige Points for helping you on hex 4",
            ),
            (
                "seat 0 bids nothing; seat 1 bids 1 Tribe Marker and the Chief",
                "seat 0 bids nothing; you bid 1 Tribe Marker and the Chief",
            ),
            ("seat 1 forfeits: its time ran out; greedy plays on", "you forfeit: your time ran out; greedy plays on"),
            ("seat 1 forfeits: its player resigned; greedy plays on", "you forfeit: you resigned; greedy plays on"),
            ("seat 1 buys nothing", "you buy nothing"),
            ("turn 3, seat 1: Conflict Phase", "turn 3, you: Conflict Phase"),
            ("face down were: seat 1 fish / seat 0 grain", "face down were: you have fish / seat 0 grain"),
            ("placement: seat 1 may use the power", "placement: you may use the power"),
            ("phase 3, seat 1 chooses a toll", "phase 3, you choose a toll"),
            ("seat 1 moves 2a to hex 3 and pays 1: to whom?", "you move 2a to hex 3 and pay 1: to whom?"),
            ("; passed: seat 0, seat 1", "; passed: seat 0, you"),
        ] {
            assert_eq!(as_you(text, seat), expected, "{text}");
        }
    }
}
