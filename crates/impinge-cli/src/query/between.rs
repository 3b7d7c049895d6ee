//! `impinge query --swept` and `--first-impact`: what happens between each pose and the next.

use super::{
    report::FirstImpact,
    workload::{Answer, Ask, Workload, hash},
};
use impinge::{
    FacePair, Impact, Motion, Pair, Pose, first_impact,
    motion::{ImpactOptions, swept_contacts},
};
use std::time::{Duration, Instant};

impl Workload<'_> {
    /// Answers one step, during which B moves and A rests.
    pub(super) fn step_between(
        &self,
        pair: &Pair,
        motion: &Motion,
    ) -> (Duration, Answer, Vec<FacePair>) {
        let [a, b] = pair.shapes();
        let rest = Motion::still(Pose::IDENTITY);
        let start = Instant::now();
        if let Ask::FirstImpact = self.ask {
            let impact = first_impact((a, &rest), (b, motion), &ImpactOptions::default());
            let answer = Answer::Impact(impact.expect("a pair has shapes of one method"));
            return (start.elapsed(), answer, Vec::new());
        }
        let swept = swept_contacts((a, &rest), (b, motion));
        let swept = swept.expect("a pair has shapes of one method");
        let time = start.elapsed();
        let (count, hash) = (swept.pairs.len(), hash(&swept.pairs));
        (time, Answer::Swept { count, hash, compared: swept.compared }, swept.pairs)
    }
}

impl FirstImpact {
    pub(super) fn new(answers: &[Answer]) -> Self {
        let found = answers.iter().enumerate().find_map(|(step, answer)| match answer {
            Answer::Impact(Some(impact)) => Some((step, impact)),
            _ => None,
        });
        let impact = found.map(|(_, impact)| impact);
        Self {
            impact_step: found.map(|(step, _)| step),
            impact_time: impact.map(|impact| impact.time),
            impact_faces: impact.map(|impact| [impact.faces.a, impact.faces.b]),
            impact_points: impact.map(|impact| impact.points.map(|point| point.to_array())),
            impact_normal: impact.map(|impact| impact.normal.to_array()),
            impact_distance: impact.map(|impact| impact.distance),
        }
    }

    pub(super) fn readable(&self) -> Option<String> {
        let (step, time) = (self.impact_step?, self.impact_time?);
        let ([a, b], distance) = (self.impact_faces?, self.impact_distance?);
        Some(format!(
            "first impact in step {step} at time {time} of it, faces {a} and {b}, {distance} apart"
        ))
    }
}

/// The row of a step with an impact, without the step.
pub(super) fn impact_row(impact: &Impact) -> String {
    let Impact { time, distance, points: [a, b], normal, faces, .. } = impact;
    let points = [a, b, normal].map(|p| format!("{},{},{}", p.x, p.y, p.z)).join(",");
    format!("{time},{distance},{points},{},{}", faces.a, faces.b)
}
