//! The salt and the seeds of a cup, a benchmark, and a duel with programs. A seed is an HMAC-SHA256 under the salt, which nobody
//! knows before play and everybody may know afterwards.

use ahu_core::{Seed, hex, portable_seed};
use hmac::{Hmac, KeyInit, Mac};
use rand::TryRng;
use rand::rngs::SysRng;
use sha2::{Digest, Sha256};

/// The secret from which all seeds of a cup come. Its hash is public before the first game, and the salt itself after the last.
/// `Debug` does not show it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Salt(pub [u8; 32]);

impl std::fmt::Debug for Salt {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Salt")
    }
}

/// The facts that determine the seed of a game. Equal facts lead to equal seeds, whatever else happens in the cup.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeedText {
    /// The name of the stage.
    pub stage: String,
    /// The id of the game.
    pub game: String,
    /// The options, as [`Setup`](ahu_host::Setup) shows them.
    pub options: String,
    /// The number of seats.
    pub seats: usize,
    /// The names of the agents at the table, in any order.
    pub agents: Vec<String>,
    /// The number of earlier blocks of the stage with the same agents.
    pub block: u64,
    /// The number of the game in its block; None if the games of a block share their luck.
    pub index: Option<usize>,
    /// The number of times that the game was annulled before.
    pub attempt: u64,
}

impl SeedText {
    /// Returns the text of which the seed is the HMAC.
    pub fn text(&self) -> String {
        let Self { stage, game, options, seats, agents, block, index, attempt } = self;
        let mut agents = agents.clone();
        agents.sort();
        let index = index.map_or_else(String::new, |index| format!("\nindex {index}"));
        let attempt = if *attempt > 0 { format!("\nattempt {attempt}") } else { String::new() };
        let agents = agents.join(" ");
        format!(
            "stage {stage}\ngame {game}\noptions {options}\nseats {seats}\nagents {agents}\nblock {block}{index}{attempt}"
        )
    }
}

impl Salt {
    /// Draws a salt from the random numbers of the system.
    ///
    /// # Panics
    /// If the system has none.
    pub fn draw() -> Self {
        let mut salt = [0; 32];
        SysRng.try_fill_bytes(&mut salt).expect("the system has random numbers");
        Self(salt)
    }

    /// Returns the hash that is public before play: SHA-256 of the salt, in hexadecimal digits.
    pub fn hash(&self) -> String {
        hex(&<[u8; 32]>::from(Sha256::digest(self.0)))
    }

    /// Returns the salt in hexadecimal digits.
    pub fn to_hex(self) -> String {
        hex(&self.0)
    }

    /// Parses 64 hexadecimal digits; None for any other text.
    pub fn parse(text: &str) -> Option<Self> {
        ahu_host::record::parse_digest(text).ok().map(Self)
    }

    /// Returns the seed of a game: the first eight bytes of the HMAC of its text, little-endian.
    pub fn seed(&self, text: &SeedText) -> Seed {
        Seed(self.number(&text.text()))
    }

    /// Returns the seed for an agent's own random choices in a game, below 2^53.
    pub fn agent_seed(&self, text: &SeedText, agent: &str, game: usize, seat: usize) -> u64 {
        portable_seed(self.number(&format!("{}\ngame {game}\nagent {agent}\nseat {seat}", text.text())))
    }

    /// Returns the seed from which the seeds of a duel's games come. `seed` is the seed of the duel.
    pub fn duel_seed(&self, seed: Seed) -> Seed {
        Seed(self.number(&format!("duel {seed}")))
    }

    /// Returns the lot of an agent in a stage, which orders agents that no rule for ties orders.
    pub fn lot(&self, stage: &str, agent: &str) -> u64 {
        self.number(&format!("lot {stage} {agent}"))
    }

    /// Returns the secret from which the aliases of an anonymous cup come: 64 hexadecimal digits. The journal has it, so that
    /// whoever shows the cup need not have the salt.
    pub fn alias_secret(&self) -> String {
        hex(&self.tag("aliases"))
    }

    fn number(&self, text: &str) -> u64 {
        u64::from_le_bytes(*self.tag(text).first_chunk().expect("a tag has 32 bytes"))
    }

    /// Returns the HMAC-SHA256 of a text under the salt.
    pub(super) fn tag(&self, text: &str) -> [u8; 32] {
        tag(&self.0, text)
    }
}

/// Returns the alias of an agent: `agent` and six digits, which tell nothing to those who do not know the secret.
pub(super) fn alias(secret: &str, agent: &str) -> String {
    let tag = tag(secret.as_bytes(), agent);
    format!("agent-{}", &hex(&tag)[..6])
}

/// Returns the HMAC-SHA256 of a text.
fn tag(key: &[u8], text: &str) -> [u8; 32] {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("HMAC takes a key of any length");
    mac.update(text.as_bytes());
    mac.finalize().into_bytes().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text() -> SeedText {
        SeedText {
            stage: "groups".to_owned(),
            game: "giants".to_owned(),
            options: "base_view=memory".to_owned(),
            seats: 3,
            agents: ["moai", "ahu", "rongo"].map(str::to_owned).to_vec(),
            block: 4,
            index: Some(2),
            attempt: 0,
        }
    }

    #[test]
    fn a_seed_is_the_hmac_of_the_text_of_its_game() {
        // printf 'stage groups\ngame giants\n...' | openssl dgst -sha256 -mac HMAC -macopt hexkey:0707..
        let salt = Salt([7; 32]);
        let expected =
            "stage groups\ngame giants\noptions base_view=memory\nseats 3\nagents ahu moai rongo\nblock 4\nindex 2";
        assert_eq!(text().text(), expected);
        let reordered = SeedText { agents: ["rongo", "moai", "ahu"].map(str::to_owned).to_vec(), ..text() };
        assert_eq!(salt.seed(&reordered), salt.seed(&text()));
        for other in [
            SeedText { stage: "final".to_owned(), ..text() },
            SeedText { block: 5, ..text() },
            SeedText { index: None, ..text() },
            SeedText { seats: 4, ..text() },
            SeedText { attempt: 1, ..text() },
        ] {
            assert_ne!(salt.seed(&other), salt.seed(&text()), "{other:?}");
        }
        assert_ne!(Salt([8; 32]).seed(&text()), salt.seed(&text()));
        assert!(salt.agent_seed(&text(), "moai", 0, 1) < 1 << 53);
        assert_ne!(salt.agent_seed(&text(), "moai", 0, 1), salt.agent_seed(&text(), "moai", 0, 2));
    }
}
