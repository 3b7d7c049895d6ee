//! `impinge query --batch`: all steps as one batch.

use super::workload::{Answer, Outcome, Sink, Times, Workload, detected, touching};
use crate::{
    progress,
    timing::{ROUNDS, ROUNDS_LIMIT},
};
use impinge::{Pair, Pose};
use std::{
    io,
    time::{Duration, Instant},
};

impl Workload<'_> {
    /// Answers all steps as one batch, for a few rounds. The sink receives the pairs of each step.
    pub(super) fn batches(
        &self,
        pair: &mut Pair,
        build: Duration,
        (all, tolerance): (bool, f64),
        sink: &mut Sink<'_>,
    ) -> io::Result<Outcome> {
        let (method, bytes) = (pair.method(), pair.index_bytes());
        let mut least = Duration::MAX;
        let mut answers = Vec::new();
        let begin = Instant::now();
        for round in 0..ROUNDS {
            let pair = &mut *pair;
            let label = format!("{method}, round {} of up to {ROUNDS}", round + 1);
            let (time, found) =
                progress::with_spinner(&label, move || self.batch(pair, all, tolerance));
            least = least.min(time);
            if round == 0 {
                answers = found.deliver(sink)?;
            }
            if begin.elapsed() > ROUNDS_LIMIT {
                break;
            }
        }
        Ok(Outcome { method, build, bytes, times: Times::Batch(least), answers, tests: [0; 3] })
    }

    fn batch<'p>(&self, pair: &'p mut Pair, all: bool, tolerance: f64) -> (Duration, Found<'p>) {
        let batch = pair.at_many(&Pose::IDENTITY, self.poses).within(tolerance);
        let batch = batch.expect("checked with the arguments");
        let start = Instant::now();
        let batch = batch.threads(self.threads()).order(self.order.order());
        let found = if all { Found::All(batch.contacts()) } else { Found::Any(batch.intersects()) };
        (start.elapsed(), found)
    }
}

/// The results of a batch.
enum Found<'p> {
    Any(&'p impinge::Bits),
    All(&'p impinge::ContactLists),
}

impl Found<'_> {
    /// Passes the pairs of each step to the sink, and returns the answers.
    fn deliver(&self, sink: &mut Sink<'_>) -> io::Result<Vec<Answer>> {
        match self {
            Self::Any(bits) => Ok(bits.iter().map(detected).collect()),
            Self::All(lists) => {
                let deliver = |(step, pairs)| {
                    let answer = touching(pairs);
                    sink(step, pairs, &answer)?;
                    Ok(answer)
                };
                lists.iter().enumerate().map(deliver).collect()
            }
        }
    }
}
