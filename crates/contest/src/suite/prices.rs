//! The prices of language models: a file of the user.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::cup::TomlFile;

/// A file with the prices of models. `ahu.language.Prices.read` of the Python package reads the same file.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PriceFile {
    /// The currency, such as `USD`.
    pub currency: String,
    /// The prices of each model, by its name.
    #[serde(rename = "model")]
    pub models: BTreeMap<String, ModelPrices>,
}

/// The prices of a million tokens of one model.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelPrices {
    /// In messages.
    pub input: f64,
    /// In answers.
    pub output: f64,
    /// In messages that the host has in its cache; None: the same as other messages.
    pub cached_input: Option<f64>,
}

impl PriceFile {
    /// Reads the text of a file.
    ///
    /// # Errors
    /// If the text is no such file. The message names the line.
    pub fn read(text: &str) -> Result<Self, String> {
        TomlFile::new(text).and_then(|file| file.read()).map_err(|error| error.to_string())
    }
}

impl ModelPrices {
    /// Returns the price of some tokens in words. With a price for the cache, it goes from all messages in the cache to none.
    pub fn of(&self, tokens_in: u64, tokens_out: u64) -> String {
        let price = |input: f64| (tokens_in as f64 * input + tokens_out as f64 * self.output) / 1e6;
        let most = price(self.input);
        self.cached_input.map_or_else(|| format!("{most:.2}"), |cached| format!("{:.2} to {most:.2}", price(cached)))
    }
}
