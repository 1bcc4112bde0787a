//! The advice of a search in sentences.

use std::cmp::Reverse;

use ahu_core::ActionId;
use ahu_host::AnyRules;
use ahu_host::search::{ActionAnalysis, Analysis};

/// The differences of two means, in standard errors, from which on the search is fairly sure, and sure.
const FAIRLY_SURE: f64 = 1.0;
const SURE: f64 = 2.0;

/// Returns what a search advises, what it expects, and how sure it is.
pub(super) fn sentences(rules: &dyn AnyRules, analysis: &Analysis) -> String {
    let text = |id: ActionId| rules.action_text(id).expect("legal actions have texts");
    let choice = analysis.of(analysis.choice).expect("the choice is legal");
    let advice = format!("The search advises: {}.", text(choice.id));
    if choice.visits == 0 {
        return format!("{advice} It is the only legal action.");
    }
    let expects = format!(
        "It played {} games to the end from here, {} of them with this action: you end with {}.",
        analysis.playouts,
        choice.visits,
        outcome(choice)
    );
    let others = analysis.actions.iter().filter(|action| action.id != choice.id && action.visits > 0);
    let next = others.min_by(|a, b| Reverse(a.visits).cmp(&Reverse(b.visits)).then(b.mean.total_cmp(&a.mean)));
    let Some(next) = next else { return format!("{advice} {expects} It has tried no other action.") };
    let error = choice.standard_error.hypot(next.standard_error);
    let lead = choice.mean - next.mean;
    let sure = match lead {
        lead if lead < 0.0 => "It is not sure, and keeps to its first choice, since no other action is clearly better",
        lead if lead >= SURE * error => "It is sure",
        lead if lead >= FAIRLY_SURE * error => "It is fairly sure",
        _ => "It is not sure",
    };
    format!("{advice} {expects} {sure}: \"{}\" comes next, with {}.", text(next.id), outcome(next))
}

/// Returns the mean points and the share of first places after an action.
fn outcome(action: &ActionAnalysis) -> String {
    let first = 100.0 * f64::from(action.ranks[0]) / f64::from(action.visits);
    format!("{:.1} points on average and first place in {first:.0} %", action.score)
}

#[cfg(test)]
mod tests {
    use ahu_core::MAX_SEATS;
    use ahu_host::find;

    use super::*;

    fn analysed(actions: &[(&str, u32, f64, f64)]) -> String {
        let rules = find("rappanui").expect("a game");
        let action = |&(text, visits, mean, standard_error): &(&str, u32, f64, f64)| {
            let mut ranks = [0; MAX_SEATS];
            ranks[0] = visits / 2;
            let id = rules.parse_action(text).expect("an action");
            ActionAnalysis { id, visits, mean, standard_error, score: 20.0 * mean, ranks }
        };
        let actions: Vec<_> = actions.iter().map(action).collect();
        let (choice, playouts) = (actions[0].id, actions.iter().map(|action| action.visits).sum());
        sentences(rules, &Analysis { actions, choice, policy: choice, playouts })
    }

    #[test]
    fn a_hint_says_what_to_do_what_to_expect_and_how_sure_it_is() {
        assert_eq!(
            analysed(&[("no meld", 300, 0.8, 0.01), ("meld F4", 100, 0.5, 0.02)]),
            "The search advises: no meld. It played 400 games to the end from here, 300 of them with this action: you end \
             with 16.0 points on average and first place in 50 %. It is sure: \"meld F4\" comes next, with 10.0 points on \
             average and first place in 50 %."
        );
        for (mean, other, expected) in [
            (0.50, 0.45, " It is sure: "),
            (0.50, 0.48, " It is fairly sure: "),
            (0.50, 0.495, " It is not sure: "),
            (0.50, 0.51, " It is not sure, and keeps to its first choice, since no other action is clearly better: "),
        ] {
            let told =
                analysed(&[("no meld", 300, mean, 0.01), ("meld F4", 100, other, 0.01), ("meld F5", 9, 0.9, 0.5)]);
            assert!(told.contains(expected) && told.contains("\"meld F4\" comes next"), "{told}");
        }
    }

    #[test]
    fn a_hint_without_another_action_compares_nothing() {
        let told = analysed(&[("no meld", 0, 0.0, 0.0)]);
        assert_eq!(told, "The search advises: no meld. It is the only legal action.");
        let told = analysed(&[("no meld", 9, 0.5, 0.1), ("meld F4", 0, 0.0, 0.0)]);
        assert!(told.ends_with("first place in 44 %. It has tried no other action."), "{told}");
    }
}
