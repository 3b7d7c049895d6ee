//! The extents of a mesh, computed once, so that bounds of the placed mesh take constant time.

use crate::{Bounds, Mesh, Pose};
use glam::DVec3;

/// The extents of the faces of a mesh from the center of their bounding box.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extent {
    center: DVec3,
    /// An upper bound on the extent from the center along each axis; negative if there are no faces.
    half: DVec3,
    /// An upper bound on the distance of any corner from the center; negative infinity if there are no faces.
    radius: f64,
    /// The largest magnitude of a coordinate.
    coordinate: f64,
    /// Half the longest side of the bounds; negative for no faces.
    half_size: f64,
}

impl Extent {
    pub(crate) fn of(mesh: &Mesh) -> Self {
        let mut extent = Self::of_bounds(&mesh.bounds());
        if extent.half_size >= 0.0 {
            let farthest = farthest(mesh, extent.center, extent.half_size);
            extent.radius = farthest * (1.0 + 16.0 * f64::EPSILON);
        }
        extent
    }

    /// The extents of a mesh with these bounds. The radius is not known: it is infinite.
    pub(crate) fn of_bounds(bounds: &Bounds) -> Self {
        if bounds.is_empty() {
            let (center, half) = (DVec3::ZERO, DVec3::splat(-1.0));
            let radius = f64::NEG_INFINITY;
            return Self { center, half, radius, coordinate: 0.0, half_size: -1.0 };
        }
        let center = bounds.center();
        let coordinate = bounds.largest_coordinate();
        // A difference of coordinates is rounded once, relative to itself.
        let half = (bounds.max - center).max(center - bounds.min) * (1.0 + 2.0 * f64::EPSILON);
        Self { center, half, radius: f64::INFINITY, coordinate, half_size: half.max_element() }
    }

    /// A box in the world that encloses every placed face; [`Bounds::EMPTY`] if there are no faces.
    #[inline]
    pub(crate) fn placed_bounds(&self, pose: &Pose) -> Bounds {
        let Self { center, half, .. } = *self;
        if half.x < 0.0 {
            return Bounds::EMPTY;
        }
        // A vertex v is `c + d` with `|d| ≤ h` along each axis. Its placed position `R v + t + e` differs
        // from the placed center by `R d + e − e'`, where both e and e' are at most `rounding`. A third
        // `rounding` covers the last difference, and the factor covers the sum of products.
        let center = pose.place(center);
        let r = pose.rotation();
        let half = r.x_axis.abs() * half.x + r.y_axis.abs() * half.y + r.z_axis.abs() * half.z;
        let half = half * (1.0 + 8.0 * f64::EPSILON) + 3.0 * self.rounding(pose);
        Bounds { min: center - half, max: center + half }
    }

    /// Center and radius of a sphere in the world that encloses every placed face; `None` if there are no
    /// faces.
    pub(crate) fn placed_sphere(&self, pose: &Pose) -> Option<(DVec3, f64)> {
        // A matrix that is a rotation to 1e-6 lengthens no vector by more than 1.5e-6. Rounding errors occur
        // along three axes.
        let radius = self.radius * (1.0 + 2e-6) + 6.0 * self.rounding(pose);
        (self.half.x >= 0.0).then(|| (pose.place(self.center), radius))
    }

    /// The center of the bounding box.
    #[inline]
    pub(crate) fn center(&self) -> DVec3 {
        self.center
    }

    /// An upper bound on the distance of any corner from the center; negative infinity if there are no faces.
    #[inline]
    pub(crate) fn radius(&self) -> f64 {
        self.radius
    }

    /// Half the longest side of the bounding box; negative if there are no faces.
    #[inline]
    pub(crate) fn half_size(&self) -> f64 {
        self.half_size
    }

    /// The largest magnitude of a coordinate.
    pub(crate) fn coordinate(&self) -> f64 {
        self.coordinate
    }

    /// A bound on the rounding error of a placed vertex, or of the placed center, along any world axis.
    #[inline]
    pub(crate) fn rounding(&self, pose: &Pose) -> f64 {
        pose.rounding(self.coordinate)
    }
}

/// The largest distance of a corner from the center of the bounding box, with a relative error of at most 16
/// times `f64::EPSILON`. `half_size` bounds the distance along each axis.
fn farthest(mesh: &Mesh, center: DVec3, half_size: f64) -> f64 {
    // Distances relative to `half_size` are at most 1 along each axis, and about 1 for some corner. So no square
    // overflows, and those that underflow do not matter. Each component passes through three roundings, a sum of
    // squares through nine more at most.
    let scale = half_size.recip();
    if !scale.is_finite() {
        // No corner is farther than along all three axes at once.
        return 1.75 * half_size;
    }
    let square = |point: DVec3| ((point - center) * scale).length_squared();
    let square = match mesh.uses_all_vertices() {
        true => mesh.positions().iter().map(|&p| square(p)).fold(0.0, f64::max),
        false => mesh.triangles().flatten().map(square).fold(0.0, f64::max),
    };
    half_size * square.sqrt()
}
