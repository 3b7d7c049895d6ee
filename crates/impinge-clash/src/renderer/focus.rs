//! The focus of a picture: marked faces may be large, but only the region around the contact should stand out.
//!
//! `pictures.rs` says where the surfaces meet. A [`Focus`] holds the distance from there at the nodes of a grid,
//! and `compose.rs` looks it up for every sample of a marked face.

use super::{Camera, SAMPLES};
use impinge::{
    Bounds,
    glam::{DVec3, Mat3, Vec3},
};

/// The size of a grid cell, as a share of the softness.
const CELL: f64 = 0.7;

/// Maximum number of cells along an axis.
const MAX_CELLS: f64 = 48.0;

/// A shape of which the contact of two surfaces consists.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Contact {
    Segment(DVec3, DVec3),
    Box(Bounds),
}

impl Contact {
    fn bounds(&self) -> Bounds {
        match *self {
            Self::Segment(from, to) => Bounds::enclosing([from, to]),
            Self::Box(bounds) => bounds,
        }
    }
}

/// The distance from a contact, at the nodes of a grid around it.
#[derive(Clone, Debug)]
pub(crate) struct Focus {
    /// The position of the first node.
    min: DVec3,
    /// The distance between nodes along each axis.
    cell: DVec3,
    /// The number of nodes along each axis.
    count: [usize; 3],
    /// Distances as multiples of the softness.
    distances: Vec<f32>,
    softness: f64,
}

impl Focus {
    /// Returns the focus on a contact. A marked face loses its colour from half the softness to 1.5 times the
    /// softness away from the contact. `None` if there is no contact, or if its coordinates are not finite.
    pub(crate) fn new(contacts: &[Contact], softness: f64) -> Option<Self> {
        let mut bounds = Bounds::EMPTY;
        contacts.iter().for_each(|contact| bounds.merge(&contact.bounds()));
        let (min, max) = (bounds.min - softness * 2.0, bounds.max + softness * 2.0);
        let size = max - min;
        if contacts.is_empty() || !size.is_finite() || size.min_element() <= 0.0 {
            return None;
        }
        let cells = (size / (softness * CELL)).ceil().clamp(DVec3::ONE, DVec3::splat(MAX_CELLS));
        let cell = size / cells;
        let count = cells.to_array().map(|cells| cells as usize + 1);
        let distances = vec![f32::INFINITY; count.iter().product()];
        let mut focus = Self { min, cell, count, distances, softness };
        contacts.iter().for_each(|contact| focus.add(contact));
        focus.spread();
        Some(focus)
    }

    /// Sets the distances at the nodes next to a contact.
    fn add(&mut self, contact: &Contact) {
        match *contact {
            Contact::Box(bounds) => self.add_box(&bounds),
            Contact::Segment(from, to) => {
                let steps = ((to - from).abs() / self.cell).max_element().ceil().max(1.0);
                for step in 0..=steps as usize {
                    let at = from.lerp(to, step as f64 / steps);
                    self.add_box(&Bounds { min: at, max: at });
                }
            }
        }
    }

    fn add_box(&mut self, bounds: &Bounds) {
        let first = ((bounds.min - self.min) / self.cell).floor();
        let last = ((bounds.max - self.min) / self.cell).ceil();
        let range = |axis: usize| {
            let end = self.count[axis] - 1;
            (first[axis].max(0.0) as usize).min(end)..=(last[axis].max(0.0) as usize).min(end)
        };
        let ranges = [range(0), range(1), range(2)];
        for z in ranges[2].clone() {
            for y in ranges[1].clone() {
                for x in ranges[0].clone() {
                    let at = self.min + self.cell * DVec3::new(x as f64, y as f64, z as f64);
                    let away = at.distance(at.clamp(bounds.min, bounds.max)) / self.softness;
                    let node = self.node([x, y, z]);
                    self.distances[node] = self.distances[node].min(away as f32);
                }
            }
        }
    }

    fn node(&self, [x, y, z]: [usize; 3]) -> usize {
        (z * self.count[1] + y) * self.count[0] + x
    }

    /// Sets the distances at all other nodes: from neighbour to neighbour, once forward and once backward.
    fn spread(&mut self) {
        let mut steps = Vec::new();
        for z in -1..=0_i32 {
            for y in -1..=1_i32 {
                for x in -1..=1_i32 {
                    if (z, y, x) < (0, 0, 0) {
                        let step = self.cell * DVec3::new(x.into(), y.into(), z.into());
                        steps.push(([x, y, z], (step.length() / self.softness) as f32));
                    }
                }
            }
        }
        let count = self.distances.len();
        for sign in [1, -1] {
            for at in 0..count {
                let node = if sign > 0 { at } else { count - 1 - at };
                let [x, y] = [node % self.count[0], node / self.count[0] % self.count[1]];
                let place = [x, y, node / (self.count[0] * self.count[1])];
                let mut least = self.distances[node];
                for (step, length) in &steps {
                    let next: [Option<usize>; 3] = std::array::from_fn(|axis| {
                        let next = place[axis].checked_add_signed((step[axis] * sign) as isize)?;
                        (next < self.count[axis]).then_some(next)
                    });
                    if let [Some(x), Some(y), Some(z)] = next {
                        least = least.min(self.distances[self.node([x, y, z])] + length);
                    }
                }
                self.distances[node] = least;
            }
        }
    }
}

/// A focus as a camera sees it.
pub(super) struct CameraFocus<'f> {
    focus: &'f Focus,
    /// Map from the camera's frame to the grid, in cells.
    turn: Mat3,
    offset: Vec3,
    /// Focal length in samples, and the middle of the picture.
    focal: f32,
    middle: [f32; 2],
}

impl<'f> CameraFocus<'f> {
    /// Returns the focus for a picture of a size in samples.
    pub(super) fn new(focus: &'f Focus, camera: &Camera, [width, height]: [usize; 2]) -> Self {
        let back = camera.rotation().transpose();
        let per_cell = focus.cell.recip();
        let scaled = |axis: DVec3| (axis * camera.distance * per_cell).as_vec3();
        let [x, y, z] = [back.x_axis, back.y_axis, back.z_axis].map(scaled);
        Self {
            focus,
            turn: Mat3::from_cols(x, y, z),
            offset: ((camera.eye - focus.min) * per_cell).as_vec3(),
            focal: camera.focal(height) as f32,
            middle: [width as f32 * 0.5, height as f32 * 0.5],
        }
    }

    /// Returns how much the surface at a sample is in focus: 1 at the contact, decreasing to 0.
    pub(super) fn share(&self, x: usize, y: usize, depth: f32) -> f32 {
        let across = (x as f32 + 0.5 - self.middle[0]) / self.focal;
        let along = (self.middle[1] - y as f32 - 0.5) / self.focal;
        let at = self.turn * (Vec3::new(across, along, 1.0) / depth) + self.offset;
        let near = (1.5 - self.distance(at)).clamp(0.0, 1.0);
        near * near * (3.0 - 2.0 * near)
    }

    /// Interpolates the distance at a point of the grid, in cells.
    fn distance(&self, at: Vec3) -> f32 {
        let count = self.focus.count;
        let last = Vec3::from_array(count.map(|count| (count - 1) as f32));
        if !(at.cmpge(Vec3::ZERO).all() && at.cmplt(last).all()) {
            return f32::INFINITY;
        }
        let (cell, share) = (at.floor(), at - at.floor());
        let [x, y, z] = cell.to_array().map(|at| at as usize);
        let first = self.focus.node([x, y, z]);
        let row = |node: usize| {
            let [one, other] = [self.focus.distances[node], self.focus.distances[node + 1]];
            one + (other - one) * share.x
        };
        let layer = |node: usize| {
            let [one, other] = [row(node), row(node + count[0])];
            one + (other - one) * share.y
        };
        let [one, other] = [layer(first), layer(first + count[0] * count[1])];
        one + (other - one) * share.z
    }
}

/// The size of a picture in samples.
pub(super) fn in_samples([width, height]: [usize; 2]) -> [usize; 2] {
    [width * SAMPLES, height * SAMPLES]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_those_from_the_contact() {
        let segment = Contact::Segment(DVec3::ZERO, DVec3::new(3.0, 1.0, 0.5));
        let block = Contact::Box(Bounds { min: DVec3::splat(2.0), max: DVec3::splat(2.5) });
        let focus = Focus::new(&[segment, block], 0.4).unwrap();
        let expected = |at: DVec3| {
            let along = DVec3::new(3.0, 1.0, 0.5);
            let share = (at.dot(along) / along.length_squared()).clamp(0.0, 1.0);
            let from_block = at.distance(at.clamp(DVec3::splat(2.0), DVec3::splat(2.5)));
            at.distance(along * share).min(from_block) / 0.4
        };
        for z in 0..focus.count[2] {
            for y in 0..focus.count[1] {
                for x in 0..focus.count[0] {
                    let at = DVec3::new(x as f64, y as f64, z as f64);
                    let expected = expected(focus.min + focus.cell * at);
                    let own = f64::from(focus.distances[focus.node([x, y, z])]);
                    // Steps between neighbours are at most a tenth longer than the straight line.
                    assert!(
                        own > expected - 0.01 && own < 1.12 * expected + 0.3,
                        "{own} {expected}"
                    );
                }
            }
        }
    }

    #[test]
    fn nothing_and_extremes_have_no_focus() {
        assert!(Focus::new(&[], 1.0).is_none());
        let far = Contact::Segment(DVec3::splat(-1e308), DVec3::splat(1e308));
        assert!(Focus::new(&[far], 1.0).is_none());
        assert!(Focus::new(&[Contact::Segment(DVec3::ONE, DVec3::ONE)], 0.0).is_none());
    }
}
