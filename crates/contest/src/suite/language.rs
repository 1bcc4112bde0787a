//! Language models in suites: the style of their questions, and their work as their agent counted it.

use std::collections::BTreeSet;

use ahu_core::parts::lines::counted;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::cup::whole_lines;

/// The style in which a suite asks language models. `ahu.language.Style` of the Python package has these fields, and `changes`,
/// which no suite sets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LanguageStyle {
    /// The legal actions: in every prompt, after a refused answer alone, or never.
    pub legal: LegalList,
    /// The rules: in full, short, or none.
    pub rules: RulesForm,
    /// The form of the table.
    pub table: TableText,
    /// The number of answers that a decision may take.
    pub attempts: u32,
    /// True if a reply may have several actions.
    pub plan: bool,
    /// The largest number of entries in a list of legal actions.
    pub max_legal: u32,
}

/// The place of the legal actions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LegalList {
    /// In every prompt.
    List,
    /// After a refused answer.
    OnError,
    /// Nowhere.
    Never,
}

/// The rules that a model is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RulesForm {
    /// The whole page.
    Full,
    /// The goal, the turn, the scoring, and the actions.
    Short,
    /// None.
    None,
}

/// The text of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TableText {
    /// The text for language models.
    Compact,
    /// The text for people.
    People,
}

/// The work of a language model in a cell in one style and currency, as its agent counted it, also in games that were
/// interrupted. Nothing proves it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct LanguageClaim {
    /// The cell of a suite, or the agent of a cup.
    #[serde(alias = "agent")]
    pub cell: String,
    /// The digest of the style.
    pub style: String,
    /// The names and versions of the model, as its host has told them.
    pub models: BTreeSet<String>,
    /// The calls of the model.
    pub calls: u64,
    /// The further calls whose answer never came, since the agent was stopped or its endpoint failed. Their host may have billed
    /// them.
    pub unanswered: u64,
    /// The tokens in its messages.
    pub tokens_in: u64,
    /// Those of them that the host had in its cache.
    pub tokens_cached: u64,
    /// The tokens in its answers.
    pub tokens_out: u64,
    /// Those of them that are its reasoning.
    pub tokens_reasoning: u64,
    /// The time of the calls, in seconds.
    pub seconds: f64,
    /// The accepted answers.
    pub accepted: u64,
    /// The answers with an action that was not legal.
    pub illegal: u64,
    /// The answers without an action.
    pub unreadable: u64,
    /// The answers that were cut off before an action.
    pub truncated: u64,
    /// The forfeits after the last attempt for a decision.
    pub forfeits: u64,
    /// The price of the tokens; None if the agent declares no prices.
    pub cost: Option<f64>,
    /// The currency of the price; None if the agent declares no prices.
    pub currency: Option<String>,
}

/// The part that both lines of a call in a ledger have: the line before the model is asked, and the line after its answer.
/// `LanguageAgent` of the Python package writes them, with further keys; those of a suite have a cell.
#[derive(Debug, Deserialize)]
struct Place {
    #[serde(default)]
    cell: String,
    style: String,
    currency: Option<String>,
}

/// The line after the answer of a language model.
#[derive(Debug, Deserialize)]
struct Call {
    model: Option<String>,
    tokens_in: u64,
    tokens_cached: u64,
    tokens_out: u64,
    tokens_reasoning: u64,
    seconds: f64,
    verdict: String,
    fault: Option<String>,
    cost: Option<f64>,
}

/// A column of a table: its head, and its cell for the work of a language model.
type Column = (&'static str, fn(&LanguageClaim) -> String);

impl LanguageClaim {
    /// The columns of tables for people.
    pub const COLUMNS: [Column; 10] = [
        ("cell", |claim| claim.cell.clone()),
        ("model", |claim| claim.models.iter().map(String::as_str).collect::<Vec<_>>().join(", ")),
        ("calls (unanswered)", |claim| format!("{} ({})", claim.calls, claim.unanswered)),
        ("tokens in (cached)", |claim| format!("{} ({})", claim.tokens_in, claim.tokens_cached)),
        ("tokens out (reasoning)", |claim| format!("{} ({})", claim.tokens_out, claim.tokens_reasoning)),
        ("accepted", |claim| claim.accepted.to_string()),
        ("illegal, unreadable, truncated, forfeits", |claim| {
            format!("{}, {}, {}, {}", claim.illegal, claim.unreadable, claim.truncated, claim.forfeits)
        }),
        ("seconds a call", |claim| format!("{:.2}", claim.seconds / claim.calls.max(1) as f64)),
        ("cost", |claim| {
            let cost = claim.cost.zip(claim.currency.as_ref());
            cost.map_or_else(|| "-".to_owned(), |(cost, currency)| format!("{cost:.2} {currency}"))
        }),
        ("style", |claim| claim.style.clone()),
    ];

    /// Reads the calls of a ledger, and returns the work in each cell, in the order of its first call. A last line without an end
    /// was cut off while it was written, and does not count.
    ///
    /// # Errors
    /// If a line is no such call.
    pub fn of_calls(bytes: &[u8]) -> Result<Vec<Self>, String> {
        let whole = whole_lines(bytes).map_err(|(line, fault)| format!("line {line}: {fault}"))?;
        let mut claims: Vec<Self> = Vec::new();
        for (number, line) in (1..).zip(whole.lines()) {
            let wrong = |error: serde_json::Error| format!("line {number}: {error}");
            let told: Value = serde_json::from_str(line).map_err(wrong)?;
            let Place { cell, style, currency } = Place::deserialize(&told).map_err(wrong)?;
            let is_of = |claim: &Self| claim.cell == cell && claim.style == style && claim.currency == currency;
            let known = claims.iter().position(is_of).unwrap_or_else(|| {
                claims.push(Self { cell, style, currency, cost: Some(0.0), ..Self::default() });
                claims.len() - 1
            });
            if told.get("verdict").is_none() {
                claims[known].unanswered += 1;
                continue;
            }
            let call = Call::deserialize(&told).map_err(wrong)?;
            claims[known].add(call).map_err(|message| format!("line {number}: {message}"))?;
        }
        Ok(claims)
    }

    fn add(&mut self, call: Call) -> Result<(), String> {
        self.models.extend(call.model);
        let count = match call.fault.as_deref().unwrap_or(&call.verdict) {
            "accepted" => &mut self.accepted,
            "illegal" => &mut self.illegal,
            "unreadable" => &mut self.unreadable,
            "truncated" => &mut self.truncated,
            other => return Err(format!("expected accepted, illegal, unreadable, or truncated, got \"{other}\"")),
        };
        for (own, more) in [
            (count, 1),
            (&mut self.calls, 1),
            (&mut self.tokens_in, call.tokens_in),
            (&mut self.tokens_cached, call.tokens_cached),
            (&mut self.tokens_out, call.tokens_out),
            (&mut self.tokens_reasoning, call.tokens_reasoning),
            (&mut self.forfeits, u64::from(call.verdict == "forfeit")),
        ] {
            *own = own.saturating_add(more);
        }
        self.unanswered = self.unanswered.saturating_sub(1);
        self.seconds += call.seconds;
        self.cost = self.cost.zip(call.cost).map(|(own, more)| own + more);
        let is_finite = self.seconds.is_finite() && self.cost.is_none_or(f64::is_finite);
        is_finite.then_some(()).ok_or_else(|| "expected seconds and a cost that add up, got too large ones".to_owned())
    }

    /// Returns the claims in a line for people; None without one.
    pub fn in_words(claims: &[Self]) -> Option<String> {
        let first = claims.first()?;
        let models: BTreeSet<_> = claims.iter().flat_map(|claim| &claim.models).map(String::as_str).collect();
        let sum = |of: fn(&Self) -> u64| claims.iter().map(of).sum::<u64>();
        let model =
            if models.is_empty() { "a model without a name".to_owned() } else { Vec::from_iter(models).join(", ") };
        let is_one = claims.iter().all(|claim| claim.currency == first.currency);
        let sum_of_costs = claims.iter().map(|claim| claim.cost).sum::<Option<f64>>().filter(|_| is_one);
        let cost = sum_of_costs.zip(first.currency.as_ref());
        let cost = cost.map(|(cost, currency)| format!(", {cost:.2} {currency}")).unwrap_or_default();
        Some(format!(
            "{} of {model} with {} tokens in messages and {} in answers{cost}",
            counted(sum(|claim| claim.calls), "call"),
            sum(|claim| claim.tokens_in),
            sum(|claim| claim.tokens_out),
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(cell: &str, style: &str, tokens_in: u64, cost: &str) -> String {
        format!(
            "{{\"cell\":\"{cell}\",\"style\":\"{style}\",\"model\":\"m-1\",\"tokens_in\":{tokens_in},\"tokens_cached\":3,\
             \"tokens_out\":7,\"tokens_reasoning\":5,\"seconds\":0.5,\"verdict\":\"forfeit\",\"fault\":\"illegal\",\
             \"cost\":{cost},\"currency\":\"USD\",\"id\":\"x\"}}\n"
        )
    }

    #[test]
    fn sums_that_no_report_can_tell_are_refused() {
        let long = line("a", "s", 1, "0.5").replace("\"seconds\":0.5", "\"seconds\":1e308");
        for lines in [long.repeat(2), line("a", "s", 1, "1e308").repeat(2)] {
            let refused = LanguageClaim::of_calls(lines.as_bytes()).expect_err(&lines);
            assert!(refused.starts_with("line 2: expected seconds and a cost that add up"), "{refused}");
        }
    }

    #[test]
    fn the_calls_of_a_cell_add_up() {
        let begun = "{\"cell\":\"a\",\"style\":\"s\",\"currency\":\"USD\",\"call\":\"x\"}\n";
        let lines =
            begun.repeat(3) + &line("a", "s", 10, "0.5") + &line("b", "t", 1, "0.25") + &line("a", "s", 32, "1.25");
        let claims = LanguageClaim::of_calls(&[lines.as_bytes(), b"{\"cut \xF0\x9F"].concat()).expect("three calls");
        let [sum, other] = &claims[..] else { panic!("{claims:?}") };
        assert_eq!((sum.tokens_in, sum.tokens_out, sum.calls, sum.cost), (42, 14, 2, Some(1.75)));
        assert_eq!((sum.illegal, sum.forfeits, sum.tokens_cached, sum.seconds), (2, 2, 6, 1.0));
        assert_eq!(sum.unanswered, 1);
        assert_eq!((&*other.cell, &*other.style, other.calls), ("b", "t", 1));
        let words = LanguageClaim::in_words(&claims).expect("two claims");
        assert_eq!(words, "3 calls of m-1 with 43 tokens in messages and 21 in answers, 2.00 USD");
        assert_eq!((LanguageClaim::of_calls(b""), LanguageClaim::in_words(&[])), (Ok(Vec::new()), None));
        let error = |lines: String| LanguageClaim::of_calls(lines.as_bytes()).expect_err("it is refused");
        let two_styles = line("a", "s", 1, "null") + &line("a", "t", 1, "null");
        assert_eq!(LanguageClaim::of_calls(two_styles.as_bytes()).map(|claims| claims.len()), Ok(2));
        let foreign = error(line("a", "s", 1, "null").replace("illegal", "great"));
        assert!(foreign.contains("got \"great\""), "{foreign}");
        assert!(error("{}\n".to_owned()).starts_with("line 1: missing field"));
    }
}
