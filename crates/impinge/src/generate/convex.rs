//! Random convex polytopes.

use super::error::check_count;
use super::surface::Surface;
use super::{GenerateError, Random};
use crate::{Mesh, convex::Hull};
use glam::DVec3;

/// Half the shortest axis of the ellipsoid that the corners lie on; the longest one is at most 1.
const SHORTEST: f64 = 0.4;

/// A random convex polytope about the origin: the convex hull of `points` random points on an ellipsoid whose half
/// axes are 0.4 to 1 long. Closed, normals outward.
///
/// Every point is a corner, so there are 2·`points` − 4 faces. A facet with more than three corners, which random
/// points hardly ever have, is divided into triangles. The number of points must be from 4 to 1,000,000.
///
/// ```
/// let body = impinge::generate::convex_body(7, 40)?;
/// assert_eq!(body.faces().len(), 76);
/// # Ok::<(), impinge::generate::GenerateError>(())
/// ```
pub fn convex_body(seed: u64, points: u32) -> Result<Mesh, GenerateError> {
    let is_allowed = (4..=1_000_000).contains(&points);
    check_count("points", points, is_allowed, "from 4 to 1000000")?;
    let mut random = Random::new(seed);
    let axes = DVec3::from_array([(); 3].map(|()| random.range(SHORTEST, 1.0)));
    let on_ellipsoid: Vec<DVec3> = (0..points).map(|_| random.direction() * axes).collect();
    let Ok(hull) = Hull::new(&on_ellipsoid) else {
        // Random points are finite, so there is a hull.
        return Err(GenerateError::NoFaces { parameter: "points" });
    };
    let mut surface = Surface::with_faces(2 * u64::from(points));
    surface.ring(hull.positions().iter().copied());
    hull.facets().for_each(|facet| surface.cap_above(facet));
    surface.finish()
}
