//! Phases of the steps of a path become intervals of the whole path.

use super::{PathClash, PathPlace, is_deep, step::Phase};
use impinge::clash::Verdict;

/// A phase of two parts during a step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    pub(super) moving: usize,
    pub(super) other: usize,
    pub(super) step: usize,
    pub(super) phase: Phase,
}

impl Found {
    fn place(&self, fraction: f64) -> PathPlace {
        PathPlace { row: self.step, fraction }
    }

    /// Phases of contact, of clearance, and those in which nothing was found do not continue each other.
    fn kind(&self) -> Option<bool> {
        self.phase.verdict.map(|verdict| verdict == Verdict::Clearance)
    }

    /// Whether this phase continues another: of the same parts and kind, without a gap.
    fn continues(&self, before: &Self) -> bool {
        let [end, start] = [(before, before.phase.to), (self, self.phase.from)]
            .map(|(found, time)| found.step as f64 + time);
        let is_same = [before.moving, before.other] == [self.moving, self.other];
        is_same && start <= end && self.kind() == before.kind()
    }
}

/// Merges phases that follow each other. They are sorted by pair, step and time.
pub(super) fn merge(found: &[Found]) -> Vec<PathClash> {
    found.chunk_by(|before, next| next.continues(before)).map(interval).collect()
}

/// The interval of phases that follow each other.
fn interval(phases: &[Found]) -> PathClash {
    let (first, last) = (&phases[0], &phases[phases.len() - 1]);
    let worst = phases.iter().filter_map(|found| found.phase.verdict).min();
    let is_overlap = worst.is_some_and(is_deep);
    // The first phase with the worst verdict; any overlap counts, because a part that gets inside another overlaps first.
    let is_worst = |found: &&Found| match is_overlap {
        true => found.phase.verdict.is_some_and(is_deep),
        false => found.phase.verdict == worst,
    };
    let shown = match worst {
        Some(Verdict::Clearance) => phases
            .iter()
            .min_by(|p, q| p.phase.distance[0].total_cmp(&q.phase.distance[0]))
            .unwrap_or(first),
        _ => phases.iter().find(is_worst).unwrap_or(first),
    };
    let least = |which: usize| {
        phases.iter().map(|found| found.phase.distance[which]).fold(f64::INFINITY, f64::min)
    };
    let doubts = || phases.iter().filter(|found| !is_overlap && found.phase.doubt.is_some());
    let mut doubtful_steps: Vec<usize> = doubts().map(|found| found.step).collect();
    doubtful_steps.dedup();
    PathClash {
        moving: first.moving,
        other: first.other,
        verdict: worst,
        from: first.place(first.phase.from),
        until: last.place(last.phase.to),
        at: shown.place(shown.phase.at),
        point: shown.phase.point,
        distance: least(0),
        distance_at_least: least(1),
        doubt: doubts().filter_map(|found| found.phase.doubt).min(),
        doubtful_steps,
        fails: false,
    }
}
