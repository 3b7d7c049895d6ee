//! Where the moving parts of a path are during each step.

use crate::error::Error;
use impinge::{
    Bounds, Pose,
    clash::Finder,
    glam::DVec3,
    motion::{Motion, MotionError},
};
use impinge_io::{PathRows, assembly::Assembly};

/// The motions of all moving parts. They move as one body.
///
/// Motions and boxes are computed whenever they are asked for: one for each part and each step would take more memory
/// than the assembly.
#[derive(Debug)]
pub(super) struct Course<'c> {
    finder: &'c Finder,
    moving: Vec<Moving>,
    pivot: DVec3,
    displacements: &'c [Pose],
    /// The rotation of each step. All parts of the body turn alike.
    turns: Vec<DVec3>,
}

/// A part that moves.
#[derive(Clone, Copy, Debug)]
struct Moving {
    part: usize,
    placement: Pose,
    /// The pivot in the coordinates of the part.
    pivot: DVec3,
    /// The distance of the farthest vertex from the pivot.
    radius: f64,
}

/// Rows are rotations to 1e-6, so parts may stretch by this share while they turn.
const STRETCH: f64 = 1e-5;

impl<'c> Course<'c> {
    /// The course of the moving parts along the rows of a path. `pivot` is the point that moves on a straight line, in
    /// world coordinates as assembled.
    pub(super) fn new(
        assembly: &Assembly,
        finder: &'c Finder,
        rows: &'c PathRows,
        moving: &[usize],
        pivot: Option<DVec3>,
    ) -> Result<Self, Error> {
        let pivot = pivot.unwrap_or_else(|| centroid(assembly, moving));
        let displacements = rows.displacements();
        let located =
            |step: usize| move |error| Error::Motion { line: rows.lines()[step + 1], error };
        let turn = |(step, ends): (usize, &[Pose])| {
            Motion::between(ends[0], ends[1]).map(|motion| motion.turn()).map_err(located(step))
        };
        let turns = displacements.windows(2).enumerate().map(turn).collect::<Result<_, _>>()?;
        let moving = moving.iter().map(|&part| {
            let placement = assembly.parts[part].placement;
            let radius = (finder.shape(part).placed_sphere(&placement))
                .map_or(0.0, |(center, radius)| (center - pivot).length() + radius);
            let radius = radius * (1.0 + STRETCH);
            Moving { part, placement, pivot: placement.inverse().place(pivot), radius }
        });
        let course = Self { finder, moving: moving.collect(), pivot, displacements, turns };
        for number in 0..course.moving.len() {
            for step in 0..course.step_count() {
                course.try_motion(number, step).map_err(located(step))?;
            }
        }
        Ok(course)
    }

    /// The number of moving parts.
    pub(super) fn moving_count(&self) -> usize {
        self.moving.len()
    }

    /// The number of a moving part among all parts.
    pub(super) fn part(&self, number: usize) -> usize {
        self.moving[number].part
    }

    pub(super) fn step_count(&self) -> usize {
        self.turns.len()
    }

    /// The point that moves on a straight line, in world coordinates as assembled.
    pub(super) fn pivot(&self) -> DVec3 {
        self.pivot
    }

    /// A box that encloses a moving part during a step.
    pub(super) fn bounds(&self, number: usize, step: usize) -> Bounds {
        let motion = self.motion(number, step);
        let Moving { part, radius, .. } = self.moving[number];
        let shape = self.finder.shape(part);
        let mut all = shape.placed_bounds(motion.start());
        all.merge(&shape.placed_bounds(motion.end()));
        // A vertex departs from the chord between its ends by at most the sagitta of its arc.
        let turn = motion.turn().length();
        let sagitta = (turn * turn * 0.125 + turn * STRETCH) * radius * (1.0 + 1e-3);
        if all.is_empty() { all } else { all.grown(sagitta) }
    }

    /// The motion of a moving part during a step.
    pub(super) fn motion(&self, number: usize, step: usize) -> Motion {
        self.try_motion(number, step).expect("all motions were made before")
    }

    fn try_motion(&self, number: usize, step: usize) -> Result<Motion, MotionError> {
        let Moving { placement, pivot, .. } = self.moving[number];
        let [start, end] = [step, step + 1].map(|row| placement.then(self.displacements[row]));
        Motion::with_turn(start, end, self.turns[step])?.about(pivot)
    }

    /// An upper bound on how far a vertex of a moving part travels during a motion.
    pub(super) fn speed(&self, number: usize, motion: &Motion) -> f64 {
        let Moving { pivot, radius, .. } = self.moving[number];
        let drift = motion.end().place(pivot) - motion.start().place(pivot);
        drift.length() + (motion.turn().length() + STRETCH) * radius * (1.0 + 1e-6)
    }
}

/// The centroid of the surfaces of some parts. It depends neither on how the surfaces are cut into triangles, nor on the
/// frame of the assembly.
fn centroid(assembly: &Assembly, parts: &[usize]) -> DVec3 {
    let (mut area, mut sum) = (0.0, DVec3::ZERO);
    let mut bounds = Bounds::EMPTY;
    for &part in parts {
        let part = &assembly.parts[part];
        let mesh = &assembly.meshes[part.mesh];
        for triangle in mesh.triangles() {
            let [p, q, r] = part.placement.place_triangle(triangle);
            let own = 0.5 * (q - p).cross(r - p).length();
            // Relative to a point of the parts, so that no digits are lost far from the origin.
            let origin = if bounds.is_empty() { p } else { bounds.min };
            if bounds.is_empty() {
                bounds = Bounds::enclosing([origin]);
            }
            area += own;
            sum += ((p - origin) + (q - origin) + (r - origin)) * (own / 3.0);
        }
    }
    let origin = if bounds.is_empty() { DVec3::ZERO } else { bounds.min };
    let middle = origin + if area > 0.0 { sum / area } else { DVec3::ZERO };
    if middle.is_finite() { middle } else { origin }
}
