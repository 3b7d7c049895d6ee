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
#[derive(Debug)]
pub(super) struct Course {
    moving: Vec<usize>,
    /// For each moving part, and for each step.
    motions: Vec<Vec<Motion>>,
    bounds: Vec<Vec<Bounds>>,
    speeds: Vec<Vec<f64>>,
}

/// Rows are rotations to 1e-6, so parts may stretch by this share while they turn.
const STRETCH: f64 = 1e-5;

impl Course {
    /// The course of the moving parts along the rows of a path. `pivot` is the point that moves on a straight line, in
    /// world coordinates as assembled.
    pub(super) fn new(
        assembly: &Assembly,
        finder: &Finder,
        rows: &PathRows,
        moving: &[usize],
        pivot: Option<DVec3>,
    ) -> Result<Self, Error> {
        let pivot = pivot.unwrap_or_else(|| centroid(assembly, moving));
        let (mut motions, mut bounds, mut speeds) = (Vec::new(), Vec::new(), Vec::new());
        for &part in moving {
            let placement = assembly.parts[part].placement;
            let own_pivot = placement.inverse().place(pivot);
            let of_part = own_motions(rows, placement, own_pivot)?;
            let shape = finder.shape(part);
            // The distance of the farthest vertex from the pivot.
            let radius = shape
                .placed_sphere(&placement)
                .map_or(0.0, |(center, radius)| (center - pivot).length() + radius);
            let radius = radius * (1.0 + STRETCH);
            let enclosing = |motion: &Motion| {
                let mut all = shape.placed_bounds(motion.start());
                all.merge(&shape.placed_bounds(motion.end()));
                // A vertex departs from the chord between its ends by at most the sagitta of its arc.
                let turn = motion.turn().length();
                let sagitta = (turn * turn * 0.125 + turn * STRETCH) * radius * (1.0 + 1e-3);
                if all.is_empty() { all } else { all.grown(sagitta) }
            };
            let speed = |motion: &Motion| {
                let drift = motion.end().place(own_pivot) - motion.start().place(own_pivot);
                drift.length() + (motion.turn().length() + STRETCH) * radius * (1.0 + 1e-6)
            };
            bounds.push(of_part.iter().map(enclosing).collect());
            speeds.push(of_part.iter().map(speed).collect());
            motions.push(of_part);
        }
        Ok(Self { moving: moving.to_vec(), motions, bounds, speeds })
    }

    /// The parts that move.
    pub(super) fn moving(&self) -> &[usize] {
        &self.moving
    }

    /// The boxes that enclose a moving part during each step.
    pub(super) fn bounds(&self, number: usize) -> &[Bounds] {
        &self.bounds[number]
    }

    /// The motion of a moving part during a step.
    pub(super) fn motion(&self, number: usize, step: usize) -> Motion {
        self.motions[number][step]
    }

    /// An upper bound on how far a vertex of a moving part travels during a step.
    pub(super) fn speed(&self, number: usize, step: usize) -> f64 {
        self.speeds[number][step]
    }
}

/// The motions of a part with this placement, between each two rows.
fn own_motions(rows: &PathRows, placement: Pose, pivot: DVec3) -> Result<Vec<Motion>, Error> {
    let displacements = rows.displacements();
    let step = |number: usize| {
        let [from, to] = [displacements[number], displacements[number + 1]];
        // All parts of the body turn alike, so the rotation is that of the rows.
        let turn = Motion::between(from, to)?.turn();
        let [start, end] = [from, to].map(|displacement| placement.then(displacement));
        Motion::with_turn(start, end, turn)?.about(pivot)
    };
    let numbered = |number: usize| {
        step(number)
            .map_err(|error: MotionError| Error::Motion { line: rows.lines()[number + 1], error })
    };
    (0..displacements.len() - 1).map(numbered).collect()
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
