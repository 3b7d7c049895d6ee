//! Compares the answers of every engine with those of impinge.

use super::{
    engine::{Engine, Mode},
    race::{Answers, Run, fingerprint},
    scenario::Scenario,
};
use impinge::{Method, Pair, Pose};
use serde::Serialize;

/// The expected answer at each pose: that of the first method of impinge.
pub(super) struct Truth {
    counts: Vec<u64>,
    fingerprints: Vec<Option<u64>>,
    /// Poses that map axes to axes. There equal bodies have faces that just touch in an edge or a plane, and
    /// an engine that rounds may answer differently.
    is_symmetric: Vec<bool>,
}

/// How far the answers of an engine agree with the expected ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(super) struct Verdict {
    /// Steps that could be compared.
    pub(super) checked_steps: usize,
    /// Steps with another answer, not counting symmetric ones.
    pub(super) wrong_steps: usize,
    pub(super) wrong_symmetric_steps: usize,
    /// Pairs that were not found, and pairs that do not exist; symmetric steps do not count. In mode
    /// `detect`: steps.
    pub(super) missed: u64,
    pub(super) invented: u64,
    /// Whether the answers count as right.
    pub(super) right: bool,
}

/// The tolerated share of wrong pairs. An engine that rounds counts as right if it finds every touching step,
/// and no more than this share of the pairs is wrong.
const TOLERATED: f64 = 0.01;

impl Truth {
    pub(super) fn new(scenario: &Scenario, reference: &mut dyn Engine) -> Self {
        let answers = scenario.poses.iter().map(|pose| {
            let found = reference.ask(Mode::All, pose);
            (found.count, found.pairs.map(fingerprint))
        });
        let (counts, fingerprints) = answers.unzip();
        let is_symmetric = scenario.poses.iter().map(is_symmetric).collect();
        Self { counts, fingerprints, is_symmetric }
    }

    pub(super) fn colliding_steps(&self) -> usize {
        self.counts.iter().filter(|count| **count > 0).count()
    }

    pub(super) fn pairs(&self) -> u64 {
        self.counts.iter().sum()
    }

    pub(super) fn judge(&self, run: &Run) -> Verdict {
        match &run.answers {
            Answers::Each { counts, .. } => {
                let all = self.judge_each(run, counts);
                let first = self.first_difference(run);
                Verdict { right: all.right && !(run.info.is_impinge && first.is_some()), ..all }
            }
            Answers::Sums { colliding_steps, pairs } => {
                self.judge_sums(run, *colliding_steps, *pairs)
            }
        }
    }

    fn judge_each(&self, run: &Run, counts: &[u64]) -> Verdict {
        let mut verdict = Verdict { checked_steps: counts.len(), ..Verdict::default() };
        let (mut pairs, mut is_right) = (0, !counts.is_empty());
        for (&step, &count) in run.steps.iter().zip(counts) {
            let truth = self.counts[step];
            let (truth, count) = match run.mode {
                Mode::Detect => (truth.min(1), count.min(1)),
                Mode::All => (truth, count),
            };
            if self.is_symmetric[step] {
                verdict.wrong_symmetric_steps += usize::from(truth != count);
                continue;
            }
            pairs += truth;
            verdict.wrong_steps += usize::from(truth != count);
            verdict.missed += truth.saturating_sub(count);
            verdict.invented += count.saturating_sub(truth);
            is_right &= (truth > 0) == (count > 0);
        }
        verdict.right = is_right && verdict.is_tolerable(pairs);
        verdict
    }

    /// Sums can be compared only if they cover all poses.
    fn judge_sums(&self, run: &Run, colliding_steps: u64, found: Option<u64>) -> Verdict {
        if run.steps.len() != self.counts.len() {
            return Verdict::default();
        }
        let steps = self.colliding_steps() as u64;
        let (truth, found) = match (run.mode, found) {
            (Mode::All, Some(found)) => (self.pairs(), found),
            _ => (steps, colliding_steps),
        };
        let mut verdict = Verdict {
            checked_steps: run.steps.len(),
            wrong_steps: steps.abs_diff(colliding_steps) as usize,
            missed: truth.saturating_sub(found),
            invented: found.saturating_sub(truth),
            ..Verdict::default()
        };
        verdict.right = verdict.wrong_steps == 0 && verdict.is_tolerable(truth);
        verdict
    }

    /// Returns the first step at which a method of impinge gives another answer.
    fn first_difference(&self, run: &Run) -> Option<usize> {
        let Answers::Each { counts, fingerprints } = &run.answers else { return None };
        let said = run.steps.iter().zip(counts.iter().zip(fingerprints));
        let mut differing = said.filter(|&(&step, (&count, &print))| match run.mode {
            Mode::Detect => (count > 0) != (self.counts[step] > 0),
            Mode::All => count != self.counts[step] || print != self.fingerprints[step],
        });
        differing.next().map(|(step, _)| *step)
    }

    /// Reports a disagreement among impinge's methods, which is a bug. Brute force decides which method is
    /// wrong.
    pub(super) fn defect(&self, scenario: &Scenario, runs: &[Run]) -> Option<String> {
        let ours = || runs.iter().filter(|run| run.info.is_impinge);
        let (run, step) = ours().find_map(|run| Some((run, self.first_difference(run)?)))?;
        let first = ours().next()?.info.engine.as_str();
        let mut brute = Pair::with_method(Method::BRUTE, scenario.a.clone(), scenario.b.clone());
        let pairs = brute.contacts(&Pose::IDENTITY, &scenario.poses[step]);
        let is_first_right = (pairs.len() as u64, Some(fingerprint(pairs)))
            == (self.counts[step], self.fingerprints[step]);
        let wrong = if is_first_right { run.info.engine.as_str() } else { first };
        Some(format!("`{wrong}` is wrong at step {step}, mode {}", run.mode.name()))
    }
}

impl Verdict {
    fn is_tolerable(&self, pairs: u64) -> bool {
        (self.missed + self.invented) as f64 <= TOLERATED * pairs as f64
    }

    /// Returns whether any answer differs.
    pub(super) fn differs(&self) -> bool {
        self.wrong_steps + self.wrong_symmetric_steps > 0 || self.missed + self.invented > 0
    }
}

fn is_symmetric(pose: &Pose) -> bool {
    let entries = pose.rotation().to_cols_array();
    entries.iter().all(|entry| *entry == 0.0 || entry.abs() == 1.0)
}

#[cfg(test)]
mod tests {
    use super::super::{engine::EngineInfo, race::TimeStats};
    use super::*;

    fn truth() -> Truth {
        Truth {
            counts: vec![7, 0, 1000, 0],
            fingerprints: vec![Some(1), Some(2), Some(3), Some(2)],
            is_symmetric: vec![true, false, false, false],
        }
    }

    fn run(mode: Mode, counts: &[u64], is_impinge: bool) -> Run {
        let fingerprints = vec![is_impinge.then_some(1), Some(2), Some(3), Some(2)];
        Run {
            info: EngineInfo {
                engine: "x".to_owned(),
                version: String::new(),
                is_impinge,
                build_ms: None,
                bytes: None,
            },
            mode,
            steps: (0..counts.len()).collect(),
            stride: 1,
            rounds: 1,
            times: TimeStats { mean: 1.0, p50: 1.0, p99: 1.0, max: 1.0 },
            each: Vec::new(),
            answers: Answers::Each { counts: counts.to_vec(), fingerprints },
        }
    }

    #[test]
    fn what_differs_is_counted_and_rounding_forgiven() {
        let judge = |mode, counts: &[u64]| truth().judge(&run(mode, counts, false));
        let same = judge(Mode::All, &[7, 0, 1000, 0]);
        assert!(same.right && !same.differs() && same.checked_steps == 4);
        let rounded = judge(Mode::All, &[3, 0, 1010, 0]);
        assert!(rounded.right && rounded.differs());
        assert_eq!(
            (rounded.invented, rounded.wrong_steps, rounded.wrong_symmetric_steps),
            (10, 1, 1)
        );
        assert!(!judge(Mode::All, &[7, 0, 989, 0]).right);
        assert_eq!(judge(Mode::All, &[7, 0, 989, 0]).missed, 11);
        // One extra pair is tolerated, but not at a step without any pair.
        assert!(!judge(Mode::All, &[7, 1, 1000, 0]).right);
        assert!(judge(Mode::Detect, &[1, 0, 1, 0]).right);
        assert!(judge(Mode::Detect, &[0, 0, 1, 0]).right);
        let wrong = judge(Mode::Detect, &[1, 1, 0, 0]);
        assert_eq!(
            (wrong.right, wrong.missed, wrong.invented, wrong.wrong_steps),
            (false, 1, 1, 2)
        );
    }

    #[test]
    fn nothing_is_forgiven_to_a_method_of_impinge() {
        assert!(truth().judge(&run(Mode::All, &[7, 0, 1000, 0], true)).right);
        assert!(!truth().judge(&run(Mode::All, &[6, 0, 1000, 0], true)).right);
        assert!(!truth().judge(&run(Mode::Detect, &[0, 0, 1, 0], true)).right);
        let mut other_pairs = run(Mode::All, &[7, 0, 1000, 0], true);
        let Answers::Each { fingerprints, .. } = &mut other_pairs.answers else { unreachable!() };
        fingerprints[2] = Some(4);
        assert!(!truth().judge(&other_pairs).right);
        assert_eq!(truth().first_difference(&other_pairs), Some(2));
    }

    #[test]
    fn sums_are_compared_where_they_are_of_all_poses() {
        let sums = |steps: usize, colliding_steps, pairs| {
            let mut run = run(Mode::All, &[0; 4], false);
            run.steps.truncate(steps);
            run.answers = Answers::Sums { colliding_steps, pairs: Some(pairs) };
            truth().judge(&run)
        };
        assert!(sums(4, 2, 1007).right && !sums(4, 2, 1007).differs());
        assert!(!sums(4, 3, 1007).right && !sums(4, 2, 900).right);
        assert!(!sums(2, 2, 1007).right && sums(2, 2, 1007).checked_steps == 0);
    }

    #[test]
    fn quarter_turns_are_symmetric() {
        let poses = impinge::generate::tumble(1.0, 8).unwrap();
        let found: Vec<bool> = poses.iter().map(is_symmetric).collect();
        assert_eq!(found, [true, false, true, false, true, false, true, false]);
    }
}
