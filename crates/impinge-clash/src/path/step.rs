//! What happens between two parts during one step of a path: phases of contact, and phases that are too close.
//!
//! Times are shares of the step, from 0 to 1. Outside of the phases the parts are clear, and that is proven:
//! - [`contact_intervals`] with the touch band as margin proves that the surfaces stay farther apart than the band.
//! - Without contact of closed surfaces, a part that is outside of another stays outside, and one that is inside stays
//!   inside. So one check decides each gap between contacts. Surfaces with holes are checked several times instead.
//!
//! During a contact, checks at several times find penetrations. That there is none is proven by the solid that a
//! translated part sweeps; for turning parts by checks so close to each other that the parts move by less than the touch
//! band in between, if [`MAX_SAMPLES`] are enough for that.

use super::Doubt;
use impinge::{
    Pose, Tolerance,
    clash::{Clash, Finder, Verdict},
    glam::DVec3,
    motion::{ContactInterval, ImpactOptions, Motion, contact_intervals, least_distance},
};

/// Checks of a contact at the least.
const FEW_SAMPLES: u32 = 16;

/// Checks of a contact at the most, besides those that find the time of a change.
pub(super) const MAX_SAMPLES: u32 = 256;

/// Times at which a penetration begins are found to this share of a step.
const ACCURACY: f64 = 1e-7;

/// Ends of contacts are looked for at this share of a step.
const RESOLUTION: f64 = 1.0 / 256.0;

/// The margins of searches are kept to this share.
const MARGIN_ACCURACY: f64 = 1e-6;

/// A time during which two parts are in contact, one of them is inside the other, or they are too close.
#[derive(Clone, Copy, Debug)]
pub(super) struct Phase {
    pub(super) from: f64,
    pub(super) to: f64,
    /// The worst verdict; `None` if the parts come within the widest touch band, but no check says that they touch.
    pub(super) verdict: Option<Verdict>,
    /// The first time at which the parts reach deeper into each other than the touch band, or have the worst verdict; for
    /// clearances, the time of the least distance.
    pub(super) at: f64,
    pub(super) point: DVec3,
    /// The least distance that was found, and a lower bound of it.
    pub(super) distance: [f64; 2],
    pub(super) doubt: Option<Doubt>,
}

impl Phase {
    fn new([from, to]: [f64; 2], at: f64, clash: Option<&Clash>) -> Self {
        let verdict = clash.map(|clash| clash.verdict);
        let point = clash.map_or(DVec3::ZERO, |clash| clash.points[0]);
        Self { from, to, verdict, at, point, distance: [0.0; 2], doubt: None }
    }
}

/// Whether a verdict says that solids overlap by more than the touch band: the check has a witness for it.
pub(super) fn is_deep(verdict: Verdict) -> bool {
    verdict <= Verdict::Penetrating
}

/// Two parts during a step.
#[derive(Debug)]
pub(super) struct Step<'s> {
    pub(super) finder: &'s mut Finder,
    pub(super) moving: usize,
    pub(super) other: usize,
    /// The motion of the moving part. The other part rests.
    pub(super) motion: &'s Motion,
    /// An upper bound on the speed of the moving part's vertices, per step.
    pub(super) speed: f64,
    /// The widest touch band of the two parts.
    pub(super) band: f64,
    pub(super) clearance: f64,
}

/// The verdict of a gap between contacts, as long as it lasts.
pub(super) type Known = Option<Option<Verdict>>;

impl Step<'_> {
    /// Returns the phases in order. `before` is the verdict at the start, if the step begins in a gap that was already
    /// decided; it is replaced by that at the end.
    pub(super) fn phases(&mut self, before: &mut Known) -> Vec<Phase> {
        let known = before.take();
        let near = self.intervals(self.band.max(self.clearance), [0.0, 1.0]);
        let contacts: Vec<[f64; 2]> = match self.clearance > self.band {
            false => near.clone(),
            true => near.iter().flat_map(|&times| self.intervals(self.band, times)).collect(),
        };
        let mut phases: Vec<Phase> =
            contacts.iter().map(|&times| self.during_contact(times)).collect();
        let has_gaps = [self.moving, self.other].iter().any(|&part| self.finder.has_gaps(part));
        for [from, to] in complement(&contacts, [0.0, 1.0]) {
            let inherited = known.filter(|_| from == 0.0 && !has_gaps);
            let verdict = self.during_gap([from, to], inherited, has_gaps, &mut phases);
            if to == 1.0 && !has_gaps {
                *before = Some(verdict);
            }
        }
        // A sweep may prove that parts that came within the widest touch band stay farther apart than that of the faces
        // that are close to each other. And what comes so close is too close anyway.
        let has_clearance = self.clearance > self.band;
        let is_doubtful = |doubt: Option<Doubt>| {
            doubt.is_some() && !(has_clearance && doubt == Some(Doubt::Near))
        };
        phases.retain(|phase| phase.verdict.is_some() || is_doubtful(phase.doubt));
        if has_clearance {
            let found = phases.iter().filter(|phase| phase.verdict.is_some());
            let mut taken: Vec<[f64; 2]> = found.map(|phase| [phase.from, phase.to]).collect();
            taken.sort_by(|p, q| p[0].total_cmp(&q[0]));
            for times in near.iter().flat_map(|&times| complement(&taken, times)) {
                phases.extend(self.too_close(times));
            }
        }
        phases.sort_by(|p, q| p.from.total_cmp(&q.from));
        phases
    }

    /// The intervals during which the surfaces are within a margin of each other.
    fn intervals(&self, margin: f64, [from, to]: [f64; 2]) -> Vec<[f64; 2]> {
        let options = ImpactOptions::default()
            .margin(margin)
            .and_then(|options| options.tolerance(MARGIN_ACCURACY * margin));
        // Bands and clearances are finite and not negative.
        let Ok(options) = options else { return vec![[from, to]] };
        let (shape, rest) = (self.finder.shape(self.other), self.rest());
        let bodies = ((self.finder.shape(self.moving), self.motion), (shape, &rest));
        let found = contact_intervals(bodies.0, bodies.1, &options.between(from, to), RESOLUTION);
        let times = |contact: ContactInterval| [contact.impact.time, contact.until];
        // All shapes of a finder have the same method.
        found.map_or_else(|_| vec![[from, to]], |found| found.into_iter().map(times).collect())
    }

    fn rest(&self) -> Motion {
        Motion::still(self.finder.parts()[self.other].pose)
    }

    fn pose_at(&self, time: f64) -> Pose {
        self.motion.pose_at(time)
    }

    /// The clash at a time. The finder knows of no clearance.
    fn check(&mut self, time: f64) -> Option<Clash> {
        let pose = self.pose_at(time);
        self.finder.place(self.moving, pose);
        self.finder.check(self.moving, self.other)
    }

    /// The phase of a contact.
    fn during_contact(&mut self, times @ [from, to]: [f64; 2]) -> Phase {
        let sampled = self.sampled(times, FEW_SAMPLES);
        if let Some(phase) = sampled.filter(is_settled) {
            return phase;
        }
        let translation = self.translation(times);
        if let Some(phase) = translation.and_then(|by| self.swept(times, by, sampled)) {
            return phase;
        }
        let needed = (self.speed * (to - from) / self.band).ceil();
        let is_enough = needed <= f64::from(MAX_SAMPLES);
        let samples = if is_enough { needed as u32 } else { MAX_SAMPLES }.max(FEW_SAMPLES);
        let Some(phase) = self.sampled(times, samples) else {
            let near = Phase::new(times, from, None);
            return Phase { doubt: Some(Doubt::Near), ..near };
        };
        let is_proven = is_settled(&phase) || is_enough;
        Phase { doubt: (!is_proven).then_some(Doubt::Samples), ..phase }
    }

    /// Checks a contact at times that divide it evenly. `None` if the parts do not touch at any of them.
    fn sampled(&mut self, times @ [from, to]: [f64; 2], count: u32) -> Option<Phase> {
        let mut found: Option<Phase> = None;
        // The last time at which the parts did not reach deeper into each other than the touch band.
        let mut shallow = None;
        for sample in 0..=count {
            let share = f64::from(sample) / f64::from(count);
            let time = from * (1.0 - share) + to * share;
            let (deep, clash) = match self.check(time) {
                Some(clash) if is_deep(clash.verdict) => (Some(clash), None),
                clash => (None, clash),
            };
            let Some(clash) = deep else {
                shallow = Some(time);
                let is_worse = |clash: &Clash| match &found {
                    Some(phase) => Some(clash.verdict) < phase.verdict,
                    None => true,
                };
                if let Some(clash) = clash.filter(is_worse) {
                    found = Some(Phase::new(times, time, Some(&clash)));
                }
                continue;
            };
            // Later checks see whether the part gets inside the other.
            if let Some(phase) = found.as_mut().filter(|phase| is_settled(phase)) {
                phase.verdict = phase.verdict.min(Some(clash.verdict));
                continue;
            }
            let (at, clash) = match shallow {
                None => (time, clash),
                Some(before) => self.first_deep(before, time, clash),
            };
            found = Some(Phase::new(times, at, Some(&clash)));
            if count > FEW_SAMPLES {
                break;
            }
        }
        found
    }

    /// The first time at which the parts reach deep into each other, between a time at which they do not and one at which
    /// they do; and the clash then.
    fn first_deep(&mut self, mut shallow: f64, mut deep: f64, clash: Clash) -> (f64, Clash) {
        let mut at_deep = clash;
        while deep - shallow > ACCURACY {
            let middle = 0.5 * (shallow + deep);
            match self.check(middle) {
                Some(clash) if is_deep(clash.verdict) => (deep, at_deep) = (middle, clash),
                _ => shallow = middle,
            }
        }
        (deep, at_deep)
    }

    /// The translation between two times, if the part does not turn.
    fn translation(&self, [from, to]: [f64; 2]) -> Option<DVec3> {
        let is_turning = self.motion.start().rotation() != self.motion.end().rotation();
        (!is_turning).then(|| self.pose_at(to).translation() - self.pose_at(from).translation())
    }

    /// The phase of a contact during a translation, by the solid that the part sweeps. `None` if the part sweeps none.
    fn swept(
        &mut self,
        times @ [from, to]: [f64; 2],
        by: DVec3,
        sampled: Option<Phase>,
    ) -> Option<Phase> {
        let sweep = |step: &mut Self, from: f64, by: DVec3| {
            let pose = step.pose_at(from);
            step.finder.place(step.moving, pose);
            step.finder.check_swept(step.moving, step.other, by).ok()
        };
        let whole = sweep(self, from, by)?;
        if !whole.is_some_and(is_deep) {
            let phase = sampled.unwrap_or_else(|| Phase::new(times, from, None));
            // The sweep may meet faces that deviate more than those that the checks saw.
            let verdict = phase.verdict.into_iter().chain(whole).min();
            return Some(Phase { verdict, ..phase });
        }
        // Find where the part begins to sweep what it must not.
        let (mut shallow, mut deep) = (from, to);
        let mut verdict = whole;
        while deep - shallow > ACCURACY && (deep - shallow) * self.speed > 0.125 * self.band {
            let middle = 0.5 * (shallow + deep);
            let by = self.pose_at(middle).translation() - self.pose_at(shallow).translation();
            match sweep(self, shallow, by)? {
                Some(found) if is_deep(found) => (deep, verdict) = (middle, Some(found)),
                _ => shallow = middle,
            }
        }
        let clash = self.check(deep);
        let phase = Phase::new(times, deep, clash.as_ref());
        Some(Phase { verdict: phase.verdict.into_iter().chain(verdict).min(), ..phase })
    }

    /// Adds the phases of a gap between contacts: parts inside of others. Returns the verdict of the gap.
    fn during_gap(
        &mut self,
        times @ [from, to]: [f64; 2],
        known: Known,
        has_gaps: bool,
        phases: &mut Vec<Phase>,
    ) -> Option<Verdict> {
        if !has_gaps {
            let middle = 0.5 * (from + to);
            let clash = match known {
                Some(None) => return None,
                _ => self.check(middle).filter(|clash| clash.verdict != Verdict::Touching),
            };
            phases.extend(clash.as_ref().map(|clash| Phase::new(times, from, Some(clash))));
            return clash.map(|clash| clash.verdict);
        }
        // A part may get inside through a hole.
        if !self.boxes_overlap(times) {
            return None;
        }
        let found = self.sampled(times, FEW_SAMPLES);
        let phase = found.filter(|phase| phase.verdict != Some(Verdict::Touching));
        let phase = phase.unwrap_or_else(|| Phase::new(times, from, None));
        let doubt = (!is_settled(&phase)).then_some(Doubt::Gaps);
        phases.push(Phase { doubt, ..phase });
        None
    }

    /// Whether the box of one part can reach that of the other between two times.
    fn boxes_overlap(&self, [from, to]: [f64; 2]) -> bool {
        let shape = self.finder.shape(self.moving);
        let mut swept = shape.placed_bounds(&self.pose_at(from));
        swept.merge(&shape.placed_bounds(&self.pose_at(to)));
        let rest = &self.finder.parts()[self.other].pose;
        let own = self.finder.shape(self.other).placed_bounds(rest);
        swept.grown(self.speed * (to - from)).overlaps(&own)
    }

    /// The phase during which the parts are closer than the clearance.
    fn too_close(&self, times @ [from, to]: [f64; 2]) -> Option<Phase> {
        let rest = self.rest();
        let moving = (self.finder.shape(self.moving), self.motion);
        let other = (self.finder.shape(self.other), &rest);
        let accuracy = (0.01 * self.clearance).max(self.speed * (to - from) / 256.0);
        let accuracy = Tolerance::new(accuracy).ok()?;
        let least = least_distance(moving, other, times, accuracy).ok()??;
        if least.closest.distance >= self.clearance || to - from <= ACCURACY {
            return None;
        }
        let distance = [least.closest.distance, least.at_least];
        let verdict = Some(Verdict::Clearance);
        let point = least.closest.a;
        Some(Phase { from, to, verdict, at: least.time, point, distance, doubt: None })
    }
}

/// Whether the verdict of a phase has a witness, so that no further check can make it milder.
fn is_settled(phase: &Phase) -> bool {
    phase.verdict.is_some_and(is_deep)
}

/// The times between two times that are in none of the intervals, which are sorted.
fn complement(intervals: &[[f64; 2]], [from, to]: [f64; 2]) -> Vec<[f64; 2]> {
    let mut rest = Vec::new();
    let mut at = from;
    for &[start, end] in intervals {
        if start > at && at < to {
            rest.push([at, start.min(to)]);
        }
        at = at.max(end);
    }
    if at < to {
        rest.push([at, to]);
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn complements_are_what_is_left() {
        assert_eq!(complement(&[], [0.0, 1.0]), [[0.0, 1.0]]);
        assert_eq!(complement(&[[0.0, 0.25], [0.5, 0.75]], [0.0, 1.0]), [[0.25, 0.5], [0.75, 1.0]]);
        assert_eq!(complement(&[[0.0, 0.25], [0.5, 1.0]], [0.125, 0.75]), [[0.25, 0.5]]);
        assert!(complement(&[[0.0, 1.0]], [0.0, 1.0]).is_empty());
    }
}
