//! The motion of a body that deforms: each vertex moves on a straight line.

use crate::{Bounds, Mesh, MeshError, Pose, Shape, method::tree::FaceBoxes, volume::Aabb};
use glam::DVec3;
use std::sync::OnceLock;

/// The motion of a body that deforms over the time from 0 to 1: each vertex moves on a straight line with constant
/// velocity.
///
/// A vertex starts where [`Pose::place`] puts the shape's vertex at the first pose, ends where it puts the new position at
/// the last pose, and is at `(1 − t) · start + t · end` at time t, in real numbers. Faces stay triangles of their
/// vertices.
///
/// ```
/// use impinge::{Motion, Pose, Shape, first_impact, generate, glam::DVec3, motion::Deformation};
///
/// // A ball that is inflated to twice its size, beside a block.
/// let ball = Shape::new(generate::sphere(168)?);
/// let larger: Vec<DVec3> = ball.mesh().positions().iter().map(|&p| 2.0 * p).collect();
/// let inflation = Deformation::new(&ball, Pose::IDENTITY, &larger, Pose::IDENTITY)?;
/// let block = Shape::new(generate::cuboid(DVec3::splat(1.0))?);
/// let rest = Motion::still(Pose::from_translation(DVec3::X * 2.0)?);
/// let impact = first_impact(&inflation, (&block, &rest), &Default::default())?.ok_or("clear")?;
/// // It ends at x = 1.5 when it reaches the block.
/// let reach = ball.mesh().bounds().max.x;
/// assert!(((1.0 + impact.time) * reach - 1.5).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Deformation {
    shape: Shape,
    start: Pose,
    /// Where each vertex starts and ends, in the world.
    from: Vec<DVec3>,
    to: Vec<DVec3>,
    /// The middle between the least and the largest displacement along each axis.
    drift: DVec3,
    /// A bound on the length of any displacement less the drift.
    spread: f64,
    /// The largest magnitude of a coordinate.
    coordinate: f64,
    /// Boxes around the faces at the start and at the end, in the world, made when first asked for.
    face_boxes: OnceLock<[FaceBoxes<Aabb>; 2]>,
}

impl Deformation {
    /// The motion of a shape from where it stands at a pose to other positions of its vertices, in its own frame, at
    /// another pose. Fails if there is not one position for each vertex, or if a coordinate, as given or as placed, is
    /// not a finite number of at most [`MAX_COORDINATE`](crate::mesh::MAX_COORDINATE).
    pub fn new(
        shape: &Shape,
        start: Pose,
        positions: &[DVec3],
        end: Pose,
    ) -> Result<Self, MeshError> {
        let mesh = shape.mesh();
        mesh.check_new_positions(positions)?;
        let placed = |pose: Pose, points: &[DVec3]| -> Vec<DVec3> {
            points.iter().map(|&point| pose.place(point)).collect()
        };
        let (from, to) = (placed(start, mesh.positions()), placed(end, positions));
        mesh.check_new_positions(&from)?;
        mesh.check_new_positions(&to)?;
        let displacements = || from.iter().zip(&to).map(|(from, to)| *to - *from);
        let least = displacements().fold(DVec3::INFINITY, DVec3::min);
        let most = displacements().fold(DVec3::NEG_INFINITY, DVec3::max);
        let drift = if from.is_empty() { DVec3::ZERO } else { 0.5 * least + 0.5 * most };
        let spread = displacements().map(|way| (way - drift).length()).fold(0.0, f64::max);
        let largest = |points: &[DVec3]| points.iter().fold(DVec3::ZERO, |m, p| m.max(p.abs()));
        let coordinate = largest(&from).max(largest(&to)).max_element();
        // Differences and lengths are off by a few roundings of the coordinates.
        let spread = spread * (1.0 + 1e-14) + 8.0 * f64::EPSILON * coordinate;
        let (shape, face_boxes) = (shape.clone(), OnceLock::new());
        Ok(Self { shape, start, from, to, drift, spread, coordinate, face_boxes })
    }

    /// The shape at the start.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The pose of the shape at the start.
    pub fn start(&self) -> &Pose {
        &self.start
    }

    /// Where each vertex is at a time from 0 to 1, in the world and rounded; exact at 0 and 1.
    pub fn positions_at(&self, time: f64) -> Vec<DVec3> {
        (0..self.from.len()).map(|vertex| self.vertex_at(vertex, time)).collect()
    }

    /// The shape as it is at a time, with its vertices in the world.
    pub(super) fn shape_at(&self, time: f64) -> Shape {
        let mut shape = self.shape.clone();
        shape
            .set_positions(&self.positions_at(time))
            .expect("positions between valid ones are valid");
        shape
    }

    pub(super) fn vertex_at(&self, vertex: usize, time: f64) -> DVec3 {
        match time {
            time if time <= 0.0 => self.from[vertex],
            time if time >= 1.0 => self.to[vertex],
            time => self.from[vertex] * (1.0 - time) + self.to[vertex] * time,
        }
    }

    /// A box in the world that encloses all vertices at all times.
    pub fn bounds(&self) -> Bounds {
        Bounds::enclosing(self.from.iter().chain(&self.to).copied())
    }

    /// Where a vertex starts and ends, in the world.
    pub(super) fn ends(&self, vertex: usize) -> [DVec3; 2] {
        [self.from[vertex], self.to[vertex]]
    }

    /// Boxes around the faces at the start and at the end, in the world and along its axes: two trees with the same nodes.
    #[inline]
    pub(super) fn face_boxes(&self) -> &[FaceBoxes<Aabb>; 2] {
        self.face_boxes.get_or_init(|| {
            let [start, end] = [&self.from, &self.to].map(|positions| {
                let mesh = Mesh::new(positions.clone(), self.shape.mesh().faces().to_vec());
                mesh.expect("the positions were checked")
            });
            let tree = FaceBoxes::build(&start);
            let end = tree.refitted(&end);
            [tree, end]
        })
    }

    /// The largest magnitude of a coordinate.
    pub(super) fn coordinate(&self) -> f64 {
        self.coordinate
    }

    /// A displacement of the whole body, from which no vertex departs by more than the [spread](Self::spread).
    pub(super) fn drift(&self) -> DVec3 {
        self.drift
    }

    pub(super) fn spread(&self) -> f64 {
        self.spread
    }

    /// A bound on the error of a vertex as computed, along any axis.
    pub(super) fn rounding(&self) -> f64 {
        4.0 * f64::EPSILON * self.coordinate + 8.0 * f64::from_bits(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate;

    #[test]
    fn wrong_positions_are_refused() {
        let ball = Shape::new(generate::sphere(12).expect("even"));
        let positions = ball.mesh().positions().to_vec();
        let deformation = |positions: &[DVec3], end| {
            Deformation::new(&ball, Pose::IDENTITY, positions, end).map(|_| ())
        };
        assert!(deformation(&positions, Pose::IDENTITY).is_ok());
        assert!(deformation(&positions[1..], Pose::IDENTITY).is_err());
        let mut bad = positions.clone();
        bad[3].y = f64::NAN;
        assert!(deformation(&bad, Pose::IDENTITY).is_err());
        let far = Pose::from_translation(DVec3::X * 1e101).expect("finite");
        assert!(deformation(&positions, far).is_err());
    }
}
