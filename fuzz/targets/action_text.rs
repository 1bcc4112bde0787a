//! Texts of actions and of chance outcomes, in all games.

use ahu_core::Seat;
use ahu_host::{AnyRules, GAMES};

/// Takes a text.
pub fn run(bytes: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else { return false };
    GAMES.iter().map(|rules| read(*rules, text)).fold(false, |any, read| any | read)
}

/// Reads a text as an action and as an outcome of this game. Returns true if it is one of them.
fn read(rules: &'static dyn AnyRules, text: &str) -> bool {
    let parsed = rules.parse_action(text);
    match &parsed {
        Ok(id) => {
            let canonical = rules.action_text(*id).expect("the game has the action");
            assert_eq!(rules.parse_action(&canonical).as_ref(), Ok(id), "{text:?} is {canonical:?}");
            for seats in rules.seats() {
                let setup = rules.configure(seats, &[]).expect("the defaults fit");
                let seat = Seat::new(0).expect("a game has a seat");
                let message = rules.action_message(*id, seat, setup.seats()).expect("the game has the action");
                assert_eq!(rules.read_action(&message, seat, setup.seats()).as_ref(), Ok(id), "{text:?}");
            }
        }
        Err(error) => assert!(error.at <= text.len(), "{text:?}: {error:?}"),
    }
    let fewest = *rules.seats().start();
    let mut game = rules.configure(fewest, &[]).expect("the defaults fit").game();
    let before = game.fingerprint();
    let mut events = Vec::new();
    let settled = game.settle_text(text, &mut events);
    assert!(
        settled.is_ok() || game.fingerprint() == before && events.is_empty(),
        "a refusal changes nothing: {text:?}"
    );
    parsed.is_ok() || settled.is_ok()
}

/// Returns the text of every 50th action, and the first outcomes of the playthroughs.
#[cfg(test)]
pub(crate) fn seeds() -> Vec<Vec<u8>> {
    use ahu_core::ActionId;
    use ahu_host::Entry;

    let actions = GAMES.iter().flat_map(|rules| {
        let ids = (0..rules.action_count()).step_by(50).map(|id| ActionId(id as u16));
        ids.map(|id| rules.action_text(id).expect("the game has the action"))
    });
    let outcomes = crate::playthroughs().into_iter().filter_map(|record| {
        let mut outcomes = record.entries.into_iter().filter_map(|entry| match entry {
            Entry::Chance(outcome) => Some(outcome),
            _ => None,
        });
        (record.setup.seats().count() == *record.setup.rules().seats().start()).then(|| outcomes.next()).flatten()
    });
    actions.chain(outcomes).map(String::into_bytes).collect()
}
