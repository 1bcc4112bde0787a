//! Language models in suites: the style of their questions, and their work as their agent counted it.

use serde::{Deserialize, Serialize};

use crate::cup::whole_lines;

/// The style in which a suite asks language models. `ahu.language.Style` of the Python package has the same fields, and asks.
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
    /// The goal, the actions, and the scoring.
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

/// The work of a language model, as its agent counted it. Nothing proves it. The file `tokens.jsonl` of a run has such a line for
/// each game that ended, in which `style` stays the same.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LanguageClaim {
    /// The digest of the style.
    pub style: String,
    /// The decisions of the agent.
    pub decisions: u64,
    /// The decisions that had one legal action.
    pub forced: u64,
    /// The decisions that an earlier reply had made.
    pub planned: u64,
    /// The calls of the model.
    pub calls: u64,
    /// The tokens in its messages.
    pub tokens_in: u64,
    /// The tokens in its answers.
    pub tokens_out: u64,
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

impl LanguageClaim {
    /// Reads the file of a run, and returns their sum; None if there is no line. A last line without an end was cut off while
    /// it was written, and does not count.
    ///
    /// # Errors
    /// If a line is no such claim, or has another style or currency than the lines before it.
    pub fn sum(bytes: &[u8]) -> Result<Option<Self>, String> {
        let whole = whole_lines(bytes).map_err(|(line, fault)| format!("line {line}: {fault}"))?;
        let mut sum: Option<Self> = None;
        for (number, line) in (1..).zip(whole.lines()) {
            let claim: Self = serde_json::from_str(line).map_err(|error| format!("line {number}: {error}"))?;
            match &mut sum {
                None => sum = Some(claim),
                Some(sum) => sum.add(&claim).map_err(|message| format!("line {number}: {message}"))?,
            }
        }
        Ok(sum)
    }

    fn add(&mut self, more: &Self) -> Result<(), String> {
        if (&self.style, &self.currency) != (&more.style, &more.currency) {
            let of = |claim: &Self| format!("style {} and currency {:?}", claim.style, claim.currency);
            return Err(format!("expected {}, as before, got {}", of(self), of(more)));
        }
        for (own, more) in [
            (&mut self.decisions, more.decisions),
            (&mut self.forced, more.forced),
            (&mut self.planned, more.planned),
            (&mut self.calls, more.calls),
            (&mut self.tokens_in, more.tokens_in),
            (&mut self.tokens_out, more.tokens_out),
            (&mut self.accepted, more.accepted),
            (&mut self.illegal, more.illegal),
            (&mut self.unreadable, more.unreadable),
            (&mut self.truncated, more.truncated),
            (&mut self.forfeits, more.forfeits),
        ] {
            *own = own.saturating_add(more);
        }
        self.cost = self.cost.zip(more.cost).map(|(own, more)| own + more);
        Ok(())
    }

    /// Returns the claim in a line for people.
    pub fn in_words(&self) -> String {
        let Self { style, calls, tokens_in, tokens_out, accepted, illegal, unreadable, truncated, .. } = self;
        let cost = match (self.cost, &self.currency) {
            (Some(cost), Some(currency)) => format!(", {cost:.2} {currency}"),
            _ => String::new(),
        };
        format!(
            "{calls} calls with {tokens_in} tokens in messages and {tokens_out} in answers{cost}; {accepted} answers accepted, \
             {illegal} illegal, {unreadable} unreadable, {truncated} truncated; style {style}"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(style: &str, tokens_in: u64, cost: &str) -> String {
        format!(
            "{{\"style\":\"{style}\",\"decisions\":4,\"forced\":1,\"planned\":0,\"calls\":3,\"tokens_in\":{tokens_in},\
             \"tokens_out\":7,\"accepted\":2,\"illegal\":1,\"unreadable\":0,\"truncated\":0,\"forfeits\":0,\"cost\":{cost},\
             \"currency\":\"USD\"}}\n"
        )
    }

    #[test]
    fn the_lines_of_a_run_add_up() {
        let lines = line("a", 10, "0.5") + &line("a", 32, "1.25");
        let sum = LanguageClaim::sum(&[lines.as_bytes(), b"{\"cut \xF0\x9F"].concat()).expect("two lines");
        let sum = sum.expect("a sum");
        assert_eq!((sum.tokens_in, sum.tokens_out, sum.calls, sum.cost), (42, 14, 6, Some(1.75)));
        assert!(
            sum.in_words().starts_with("6 calls with 42 tokens in messages and 14 in answers, 1.75 USD; 4 answers")
        );
        assert_eq!(LanguageClaim::sum(b""), Ok(None));
        let error =
            LanguageClaim::sum((line("a", 1, "null") + &line("b", 1, "null")).as_bytes()).expect_err("two styles");
        assert!(error.starts_with("line 2: expected style a"), "{error}");
        assert!(LanguageClaim::sum(b"{}\n").expect_err("no claim").starts_with("line 1: missing field"));
    }
}
