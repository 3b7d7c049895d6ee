//! Times of queries: how often they are measured, and their summary.

use crate::output::to_thousandths;
use std::time::Duration;

/// The time of a query varies with the load of the machine. The minimum over a few rounds varies much less.
pub(crate) const ROUNDS: usize = 3;
/// No further round starts after this much time in total.
pub(crate) const ROUNDS_LIMIT: Duration = Duration::from_secs(10);

/// A time in microseconds, rounded.
pub(crate) fn us(time: Duration) -> f64 {
    to_thousandths(time.as_secs_f64() * 1e6)
}

/// The mean of a total time, in microseconds.
pub(crate) fn mean_us(total: Duration, count: usize) -> f64 {
    to_thousandths(total.as_secs_f64() * 1e6 / count.max(1) as f64)
}

/// Median, 99th percentile (nearest rank) and maximum, in microseconds.
pub(crate) fn ranks_us(times: &[Duration]) -> [f64; 3] {
    let mut times = times.to_vec();
    times.sort_unstable();
    [0.5, 0.99, 1.0].map(|share| {
        let rank = (share * times.len() as f64).ceil() as usize;
        times.get(rank.saturating_sub(1)).copied().map_or(0.0, us)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_those_of_sorted_times() {
        let times: Vec<Duration> = (1..=200).rev().map(Duration::from_micros).collect();
        assert_eq!(ranks_us(&times), [100.0, 198.0, 200.0]);
        assert_eq!(ranks_us(&[]), [0.0; 3]);
        assert_eq!(mean_us(times.iter().sum(), 200), 100.5);
    }
}
