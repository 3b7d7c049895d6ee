//! Bounding spheres.

use super::{
    BoundingVolume, GUARD, RELATIVE_GUARD, Relative, SavedVolume, round_up,
    saved::{MAX_CENTER, MAX_REACH, read_floats, write_floats},
};
use glam::{DVec3, Vec3};

/// A sphere around the center of the bounding box, its radius rounded up.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sphere {
    center: Vec3,
    radius: f32,
}

/// Data to place spheres for one query.
#[derive(Clone, Copy, Debug)]
pub struct Placement {
    relative: Relative,
    /// The largest factor by which the matrix lengthens a vector.
    stretch: f64,
    uncertainty: f64,
}

impl BoundingVolume for Sphere {
    type Placed = Self;
    type Placement = Placement;

    fn enclosing(triangles: &[[DVec3; 3]]) -> Self {
        let corners = || triangles.iter().flatten().copied();
        // The radius is measured from the center as it is stored, rounded to `f32`.
        let center = crate::Bounds::enclosing(corners()).center().as_vec3();
        Self { center, radius: radius_around(center, triangles) }
    }

    fn placement(relative: &Relative) -> Placement {
        // The matrix is a rotation to 1e-6 times a factor, so no vector grows by more than the longest
        // column.
        let column = relative.matrix.to_cols_array_2d().map(|c| DVec3::from_array(c).length());
        let stretch = column.into_iter().fold(0.0, f64::max) * (1.0 + 1e-5);
        let uncertainty = 1.75 * relative.uncertainty(2.0) + relative.buffer;
        Placement { relative: *relative, stretch, uncertainty }
    }

    fn placed(&self, placement: &Placement) -> Self {
        let exact = placement.relative.point(self.center.as_dvec3());
        let center = exact.as_vec3();
        let moved = exact.distance(center.as_dvec3());
        let radius = f64::from(self.radius) * placement.stretch + placement.uncertainty + moved;
        Self { center, radius: round_up(radius * (1.0 + GUARD)) }
    }

    #[inline]
    fn overlaps(&self, other: &Self) -> bool {
        let distance_sq = self.center.as_dvec3().distance_squared(other.center.as_dvec3());
        let reach = f64::from(self.radius) + f64::from(other.radius);
        let apart = distance_sq > reach * reach * (1.0 + 16.0 * f64::EPSILON);
        !apart
    }

    fn distance_below(&self, other: &Self) -> f64 {
        let distance = self.center.as_dvec3().distance(other.center.as_dvec3());
        let reach = f64::from(self.radius) + f64::from(other.radius);
        (distance - reach - RELATIVE_GUARD * (distance + reach)).max(0.0)
    }

    fn depth_above(&self, other: &Self) -> f64 {
        let distance = self.center.as_dvec3().distance(other.center.as_dvec3());
        let reach = f64::from(self.radius) + f64::from(other.radius);
        let depth = reach - distance + RELATIVE_GUARD * (distance + reach);
        // NaN if both are infinite: the depth is unknown.
        if depth.is_nan() { f64::INFINITY } else { depth.max(0.0) }
    }

    fn size(&self) -> f32 {
        self.radius
    }

    fn volume(&self, pad: f64) -> f64 {
        4.0 / 3.0 * std::f64::consts::PI * (f64::from(self.radius) + pad).powi(3)
    }
}

/// The radius of the sphere with the given center that encloses all triangles, rounded up.
fn radius_around(center: Vec3, triangles: &[[DVec3; 3]]) -> f32 {
    let from = center.as_dvec3();
    // One maximum per corner: three short dependency chains instead of one long one.
    let mut radius_sq = DVec3::ZERO;
    for triangle in triangles {
        let distance_sq = triangle.map(|corner| corner.distance_squared(from));
        radius_sq = radius_sq.max(DVec3::from_array(distance_sq));
    }
    round_up(radius_sq.max_element().sqrt() * (1.0 + GUARD) + 4.0 * GUARD)
}

impl SavedVolume for Sphere {
    const KIND: u32 = 2;
    const BYTES: usize = 16;

    fn write(&self, bytes: &mut Vec<u8>) {
        write_floats(self.center.to_array().into_iter().chain([self.radius]), bytes);
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        let [x, y, z, radius] = read_floats(bytes)?;
        let center = Vec3::new(x, y, z);
        let is_sound = center.abs().cmple(Vec3::splat(MAX_CENTER)).all()
            && (0.0..=MAX_REACH).contains(&radius);
        is_sound.then_some(Self { center, radius })
    }

    fn encloses(&self, triangles: &[[DVec3; 3]]) -> bool {
        radius_around(self.center, triangles) <= self.radius
    }
}
