//! The times of decisions, in memory that does not grow with their number.

/// The number of buckets for each doubling of the time: a quantile is at most 1/64 too high.
const BUCKETS: u64 = 64;

/// The times of decisions of one player, as counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Times {
    /// The number of times in each bucket.
    counts: Vec<u64>,
    count: u64,
}

impl Times {
    /// Adds a time in nanoseconds.
    pub fn add(&mut self, nanos: u64) {
        let bucket = bucket(nanos);
        if self.counts.len() <= bucket {
            self.counts.resize(bucket + 1, 0);
        }
        self.counts[bucket] += 1;
        self.count += 1;
    }

    /// Returns the number of times.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Returns the time in nanoseconds that a share of the times does not exceed, such as 0.99, rounded up by at most
    /// 1/64 of it. None without times.
    pub fn quantile(&self, share: f64) -> Option<u64> {
        let rank = (self.count as f64 * share).ceil().max(1.0);
        let mut seen = 0;
        let bucket = self.counts.iter().position(|count| {
            seen += count;
            seen as f64 >= rank
        });
        bucket.map(last)
    }
}

/// Returns the bucket of a time. Each time below 2 x `BUCKETS` has its own.
fn bucket(nanos: u64) -> usize {
    let shift = (nanos | BUCKETS).ilog2() - BUCKETS.ilog2();
    (u64::from(shift) * BUCKETS + (nanos >> shift)) as usize
}

/// Returns the greatest time of a bucket.
fn last(bucket: usize) -> u64 {
    let shift = (bucket as u64 / BUCKETS).saturating_sub(1);
    let leading = bucket as u64 - shift * BUCKETS;
    // The greatest bucket ends with the greatest number.
    ((u128::from(leading + 1) << shift) - 1) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_holds_the_times_up_to_its_last() {
        let times = (0..5000).chain((5000..10_000_000).step_by(977)).chain([1 << 40, u64::MAX - 1, u64::MAX]);
        for nanos in times {
            let last = last(bucket(nanos));
            assert!(last >= nanos && last - nanos <= nanos / BUCKETS, "{nanos}");
            assert_eq!(bucket(last), bucket(nanos), "{nanos}");
        }
    }

    #[test]
    fn quantiles_are_those_of_the_sorted_times() {
        let mut times = Times::default();
        assert_eq!(times.quantile(0.5), None);
        (1..=100).rev().for_each(|nanos| times.add(nanos));
        assert_eq!([0.0, 0.5, 0.99, 1.0].map(|share| times.quantile(share)), [1, 50, 99, 100].map(Some));
        times.add(3_000_000);
        let greatest = times.quantile(1.0).expect("there are times");
        assert!((3_000_000..3_046_876).contains(&greatest), "{greatest}");
        assert_eq!(times.count(), 101);
    }
}
