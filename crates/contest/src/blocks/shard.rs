//! Block shards: the part of the blocks that one of several machines plays.

use std::fmt;
use std::str::FromStr;

/// A part of the blocks of a comparison, such as `3/16`: every 16th block, from the third on. Blocks are handed out in turn, so
/// that expensive blocks that follow each other come to different shards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct BlockShard {
    /// The number of the shard, from 1.
    number: u64,
    /// The number of shards.
    count: u64,
}

impl BlockShard {
    /// The shard that has all blocks.
    pub const WHOLE: Self = Self { number: 1, count: 1 };

    /// Returns the number of the shard, from 1 to the number of shards.
    pub fn number(self) -> u64 {
        self.number
    }

    /// Returns the number of shards.
    pub fn count(self) -> u64 {
        self.count
    }

    /// Returns the number of the `index`-th block of the shard. Both count from 0.
    pub(super) fn block(self, index: u64) -> u64 {
        self.number - 1 + index * self.count
    }

    /// Returns the blocks of the shard among the first `all` blocks.
    pub fn numbers(self, all: u64) -> impl Iterator<Item = u64> + Send + 'static {
        (0..self.blocks(all)).map(move |index| self.block(index))
    }

    /// Returns true if the shard has this block.
    pub fn has(self, block: u64) -> bool {
        block % self.count == self.number - 1
    }

    /// Returns the number of blocks of the shard among the first `all` blocks.
    pub fn blocks(self, all: u64) -> u64 {
        // The last blocks may lie near the end of the numbers, so nothing is added to their number.
        all / self.count + u64::from(all % self.count >= self.number)
    }
}

impl fmt::Display for BlockShard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.count)
    }
}

/// The most shards. A block is not divided, and more machines than this would have nothing to play.
const MAX_COUNT: u64 = 1_000_000;

impl FromStr for BlockShard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers =
            text.split_once('/').and_then(|(number, count)| Some((number.parse().ok()?, count.parse().ok()?)));
        let expected =
            format!("expected a shard such as 3/16, with a number from 1 to the number of shards, got \"{text}\"");
        let (number, count) = numbers.ok_or_else(|| expected.clone())?;
        if !(1..=count).contains(&number) {
            return Err(expected);
        }
        if count > MAX_COUNT {
            return Err(format!("expected at most {MAX_COUNT} shards, got {count}"));
        }
        Ok(Self { number, count })
    }
}

impl From<BlockShard> for String {
    fn from(shard: BlockShard) -> Self {
        shard.to_string()
    }
}

impl TryFrom<String> for BlockShard {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_block_is_in_one_shard() {
        for (count, all) in [(1, 5), (3, 10), (4, 8), (16, 10)] {
            let shards: Vec<BlockShard> =
                (1..=count).map(|number| format!("{number}/{count}").parse().expect("a shard")).collect();
            for block in 0..all {
                assert_eq!(shards.iter().filter(|shard| shard.has(block)).count(), 1, "{block} of {count}");
            }
            for shard in shards {
                let own: Vec<_> = shard.numbers(all).collect();
                assert_eq!(own, (0..all).filter(|&block| shard.has(block)).collect::<Vec<_>>(), "{shard} of {all}");
            }
        }
    }

    #[test]
    fn a_shard_is_read_as_it_was_written_and_any_other_text_is_refused() {
        let shard: BlockShard = "3/16".parse().expect("a shard");
        assert_eq!((shard.number(), shard.count(), String::from(shard)), (3, 16, "3/16".to_owned()));
        assert_eq!("1/1000000".parse::<BlockShard>().map(BlockShard::count), Ok(1_000_000));
        for text in ["0/16", "17/16", "0/0", "a/b", "3", "3/", "/16", "3/16/2", "-1/4", "1.5/4", ""] {
            let error = text.parse::<BlockShard>().expect_err(text);
            assert!(error.starts_with("expected a shard such as 3/16") && error.ends_with(&format!("got \"{text}\"")));
        }
        let error = "1/1000001".parse::<BlockShard>().expect_err("too many");
        assert_eq!(error, "expected at most 1000000 shards, got 1000001");
    }
}
