//! The path of a program as a polyline for pictures, with few enough points.
//!
//! Moves are sampled, and points of clear moves that are close to the line between others are left out, so that a program
//! of a million moves can be drawn. Moves with a gouge keep their points, and the places of the gouges are always among them.

use crate::{Motion, MoveKind, Report, ToolPose, colors::PathClass};
use impinge::glam::DVec3;

/// Points that are dropped in a row, at most. It bounds the time to check that the line stays close to them.
const MOST_DROPPED: usize = 64;

/// The most points that an arc or a turn is drawn with.
const MOST_SAMPLES: f64 = 128.0;

/// A point of the path.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PathPoint {
    pub(crate) pose: ToolPose,
    /// The number of the move that ends here or passes through here.
    pub(crate) move_index: usize,
    pub(crate) line: u32,
    pub(crate) tool: u32,
    /// The class of the segment that ends here; `None` if the tool is put here without moving.
    pub(crate) class: Option<PathClass>,
}

/// The path as a polyline.
#[derive(Debug)]
pub(crate) struct DrawnPath {
    pub(crate) points: Vec<PathPoint>,
    /// How far the true path may be from the line, where points were left out, in millimetres; 0 if there are all.
    pub(crate) deviation: f64,
}

impl DrawnPath {
    /// Draws the path with about `most` points. If moves with gouges have more, these are left out as well.
    pub(crate) fn new(report: &Report<'_>, most: usize) -> Self {
        let size = extent(report);
        let chord = 2e-4 * size;
        let mut all = Simplifier::new(0.0, false, most);
        sample(report, chord, &mut |point, is_needed| all.add(point, is_needed));
        if let Some(points) = all.finish() {
            return Self { points, deviation: 0.0 };
        }
        let mut deviation = 1e-5 * size;
        loop {
            // Beyond a tenth of the size there is no shape left to keep.
            let (drops_gouges, limit) = match deviation {
                d if d < 0.01 * size => (false, most),
                d if d < 0.1 * size => (true, most),
                _ => (true, usize::MAX),
            };
            let mut some = Simplifier::new(deviation, drops_gouges, limit);
            sample(report, chord, &mut |point, is_needed| some.add(point, is_needed));
            if let Some(points) = some.finish() {
                return Self { points, deviation };
            }
            deviation *= 3.0;
        }
    }
}

/// The size of the bodies and of the path together; 1 if there is nothing.
fn extent(report: &Report<'_>) -> f64 {
    let mut bounds = report.setup.bounds();
    for step in &report.program.moves {
        for time in [0.0, 0.5, 1.0] {
            let tip = step.motion.pose_at(time).tip;
            bounds.min = bounds.min.min(tip);
            bounds.max = bounds.max.max(tip);
        }
    }
    match bounds.size().length() {
        size if size.is_finite() && size > 0.0 => size,
        _ => 1.0,
    }
}

/// Passes all points of the path to `add`, in order. The flag says whether the point is the place of a gouge.
fn sample(report: &Report<'_>, chord: f64, add: &mut dyn FnMut(PathPoint, bool)) {
    let mut gouges = report.outcome.gouges.iter().peekable();
    let mut last: Option<DVec3> = None;
    let mut times: Vec<(f64, bool)> = Vec::new();
    for (move_index, step) in report.program.moves.iter().enumerate() {
        let point = |time: f64, class| PathPoint {
            pose: step.motion.pose_at(time),
            move_index,
            line: step.line,
            tool: step.tool,
            class,
        };
        times.clear();
        while let Some(gouge) = gouges.next_if(|gouge| gouge.move_index == move_index) {
            times.push((gouge.time, true));
        }
        let class = match (times.is_empty(), step.kind) {
            (false, _) => PathClass::Gouging,
            (true, MoveKind::Rapid) => PathClass::Rapid,
            (true, MoveKind::Feed) => PathClass::Clear,
        };
        let count = samples(&step.motion, chord);
        times.extend((1..=count).map(|i| (f64::from(i) / f64::from(count), false)));
        times.sort_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
        times.dedup_by_key(|(time, _)| *time);
        let start = point(0.0, None);
        if last.is_none_or(|last| last.distance_squared(start.pose.tip) > 1e-18) {
            add(start, true);
        }
        for &(time, is_gouge) in &times {
            let point = point(time, Some(class));
            last = Some(point.pose.tip);
            add(point, is_gouge);
        }
    }
}

/// The number of segments that a motion is drawn with.
fn samples(motion: &Motion, chord: f64) -> u32 {
    let count = match motion {
        Motion::Straight { .. } => 1.0,
        Motion::Arc(arc) => {
            let radius = arc.radius.length() * (1.0 + arc.growth).max(1.0);
            // The sagitta of a segment of angle a is about r a² / 8.
            let angle = libm::sqrt(8.0 * chord / radius.max(chord));
            (arc.sweep.abs() / angle).ceil()
        }
        _ => {
            let [from, to] = [0.0, 1.0].map(|time| motion.pose_at(time));
            let turn = from.axis.angle_between(to.axis);
            (turn / 0.05).ceil().max(if turn > 0.0 { 8.0 } else { 1.0 })
        }
    };
    // A number that is not finite becomes 1.
    count.clamp(1.0, MOST_SAMPLES).max(1.0) as u32
}

/// Leaves out points that are close to the line between others.
struct Simplifier {
    points: Vec<PathPoint>,
    dropped: Vec<PathPoint>,
    deviation: f64,
    drops_gouges: bool,
    most: usize,
    is_full: bool,
}

impl Simplifier {
    fn new(deviation: f64, drops_gouges: bool, most: usize) -> Self {
        let (points, dropped) = (Vec::new(), Vec::new());
        Self { points, dropped, deviation, drops_gouges, most, is_full: false }
    }

    fn add(&mut self, point: PathPoint, is_needed: bool) {
        if self.is_full {
            return;
        }
        let is_free = self.deviation > 0.0
            && point.class.is_some()
            && !is_needed
            && (self.drops_gouges || point.class != Some(PathClass::Gouging));
        // The last point waits until the next one shows whether it is needed.
        if let Some(&before) = self.dropped.last() {
            let belongs = before.class == point.class && before.tool == point.tool;
            if !(belongs && self.dropped.len() < MOST_DROPPED && self.is_close(point)) {
                self.dropped.clear();
                self.keep(before);
            }
        }
        if is_free {
            self.dropped.push(point);
        } else {
            self.dropped.clear();
            self.keep(point);
        }
    }

    /// Whether all points that were dropped are close to the segment from the last point to this one.
    fn is_close(&self, to: PathPoint) -> bool {
        let Some(from) = self.points.last().map(|point| point.pose.tip) else { return false };
        let along = to.pose.tip - from;
        let length = along.length_squared();
        self.dropped.iter().all(|point| {
            let offset = point.pose.tip - from;
            let share =
                if length > 0.0 { (offset.dot(along) / length).clamp(0.0, 1.0) } else { 0.0 };
            offset.distance(along * share) <= self.deviation
        })
    }

    fn keep(&mut self, point: PathPoint) {
        self.is_full |= self.points.len() >= self.most;
        if !self.is_full {
            self.points.push(point);
        }
    }

    /// The points; `None` if there were too many.
    fn finish(mut self) -> Option<Vec<PathPoint>> {
        if let Some(last) = self.dropped.pop() {
            self.keep(last);
        }
        (!self.is_full).then_some(self.points)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{demo::FAULTS, report::sample::Sample};
    use std::fmt::Write as _;

    #[test]
    fn the_path_of_the_example_is_drawn_with_the_places_of_its_gouges() {
        let sample = Sample::demo();
        let report = sample.report();
        let path = DrawnPath::new(&report, 100_000);
        assert_eq!(path.deviation, 0.0);
        for gouge in &report.outcome.gouges {
            let is_there = |point: &&PathPoint| point.pose.tip.distance(gouge.tip) < 1e-9;
            let point = path.points.iter().find(is_there).unwrap();
            assert_eq!((point.line, point.class), (gouge.line, Some(PathClass::Gouging)));
        }
        let gouging = path.points.iter().filter(|point| point.class == Some(PathClass::Gouging));
        let lines: Vec<u32> = gouging.map(|point| point.line).collect();
        assert!(lines.iter().all(|line| FAULTS.iter().any(|fault| fault.line == *line)));
        // The crown is finished by arcs.
        assert!(path.points.len() > report.program.moves.len() + 100, "{}", path.points.len());
    }

    #[test]
    fn a_long_path_is_thinned_but_keeps_its_shape_and_its_gouges() {
        let mut text = "T1 M6\nG0 X0 Y0 Z20\n".to_owned();
        for i in 0..20_000_u32 {
            let x = f64::from(i) * 0.004;
            // One point in the middle is in the part.
            let z = if i == 9_000 { -1.0 } else { 10.0 + (x * 0.3).sin() };
            writeln!(text, "G1 X{x:.3} Y48 Z{z:.4} F100").unwrap();
        }
        let sample = Sample::of(text.as_bytes(), "part");
        let report = sample.report();
        assert!(report.outcome.gouging_moves > 0);
        let path = DrawnPath::new(&report, 1000);
        assert!(path.points.len() <= 1000 && path.points.len() > 50, "{}", path.points.len());
        assert!(path.deviation > 0.0 && path.deviation < 0.1, "{}", path.deviation);
        for gouge in &report.outcome.gouges {
            assert!(path.points.iter().any(|point| point.pose.tip == gouge.tip), "{gouge:?}");
        }
        // Every point of the true path is close to the line.
        for step in report.program.moves.iter().step_by(97) {
            let tip = step.motion.pose_at(1.0).tip;
            let distance = path.points.windows(2).map(|ends| {
                let (from, to) = (ends[0].pose.tip, ends[1].pose.tip);
                let along = to - from;
                let share = (tip - from).dot(along) / along.length_squared().max(1e-300);
                tip.distance(from + along * share.clamp(0.0, 1.0))
            });
            let distance = distance.fold(f64::INFINITY, f64::min);
            assert!(distance <= path.deviation * 1.000_001, "line {}: {distance}", step.line);
        }
    }
}
