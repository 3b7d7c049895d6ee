//! The normal of two faces that are about to touch. `set_back.rs` calls this for each contact.
//!
//! It is the direction of the shortest connection. If the gap is tiny compared with the coordinates, the two ends of
//! the connection are so close that their rounding turns it: a gap of 1e-9 at coordinates of 1 leaves an error of
//! 1e-7. Bodies that slide along each other would be stopped by that. So for small gaps the direction comes from the
//! features that meet: the normal of a face, or the cross product of two edges.

use impinge::{
    FacePair, NearestPoint, Pose, Shape,
    glam::DVec3,
    narrow::{Closest, Triangle, triangles_distance},
};

/// Gaps below this share of the coordinates are small.
const SMALL_GAP: f64 = 1e-5;

/// The place where two faces that are about to touch are closest.
pub(super) struct Gap {
    /// The corners of both faces.
    pub(super) placed: [Triangle; 2],
    pub(super) closest: Closest,
}

/// A body and its pose.
type Placed<'b> = (&'b Shape, &'b Pose);

/// A face counts as nearer if its distance is less than this share of the other's. Smaller differences change the normal
/// by at most 2.6 degrees.
const NEARER: f64 = 0.999;
/// A point counts as inside a face if each triangle of the point and an edge has at least this share of the face's area.
const BORDER: f64 = 1e-6;

impl Gap {
    /// Returns the gap at which two faces, of two bodies, will touch.
    ///
    /// A body that slides along a surface reaches one face of it after another. Just before it reaches a face, the
    /// shortest connection runs along the surface to the edge of that face: the normal of a hit at a step that is not
    /// there. But another face, on which the body is, is nearer. Its gap is returned then.
    pub(super) fn new([a, b]: [Placed<'_>; 2], faces: FacePair) -> Self {
        let gap = Self::between(placed(a, faces.a), placed(b, faces.b));
        if gap.is_above_a_face() {
            return gap;
        }
        let Self { placed: [p, q], closest } = gap;
        let nearer = |(shape, pose): Placed<'_>, point: DVec3| {
            let nearest = shape.nearest_point(pose, point)?;
            (nearest.distance < NEARER * closest.distance).then_some(nearest)
        };
        let [to_b, to_a] = [nearer(b, closest.a), nearer(a, closest.b)];
        let distance = |nearest: &Option<NearestPoint>| {
            nearest.as_ref().map_or(f64::INFINITY, |nearest| nearest.distance)
        };
        let is_b_nearer = distance(&to_b) <= distance(&to_a);
        match (to_b, to_a) {
            (Some(nearest), _) if is_b_nearer => Self::between(p, placed(b, nearest.face)),
            (_, Some(nearest)) => Self::between(placed(a, nearest.face), q),
            _ => gap,
        }
    }

    fn between(a: Triangle, b: Triangle) -> Self {
        Self { placed: [a, b], closest: triangles_distance(&a, &b) }
    }

    /// Returns whether the connection is perpendicular to one of the faces, and ends inside of it: then no neighbour of
    /// that face is nearer.
    fn is_above_a_face(&self) -> bool {
        let Self { placed, closest } = self;
        let connection = closest.a - closest.b;
        placed.iter().zip([closest.a, closest.b]).any(|([u, v, w], point)| {
            let normal = (*v - *u).cross(*w - *u);
            let share = |from: &DVec3, to: &DVec3| (*to - *from).cross(point - *from).dot(normal);
            let is_inside = [(u, v), (v, w), (w, u)]
                .iter()
                .all(|(from, to)| share(from, to) > BORDER * normal.length_squared());
            let along = normal.dot(connection).abs();
            is_inside && along > NEARER * normal.length() * connection.length()
        })
    }
}

/// Returns the corners of a face of a body.
fn placed((shape, pose): Placed<'_>, face: u32) -> Triangle {
    shape.mesh().triangle(face).map(|corner| pose.place(corner))
}

/// Returns the unit normal, from the second face to the first; `None` if the faces touch, up to rounding.
pub(super) fn contact_normal(a: &Triangle, b: &Triangle, closest: &Closest) -> Option<DVec3> {
    let connection = closest.a - closest.b;
    let corners = a.iter().chain(b).map(|corner| corner.abs().max_element());
    if connection.length() > SMALL_GAP * corners.fold(0.0, f64::max) {
        return connection.try_normalize();
    }
    // Of all directions that separate two triangles, the one with the widest gap is that of the shortest connection.
    // If a corner is closest to a corner or to an edge, it is none of these, and all of these have a smaller gap.
    let best = directions(a, b)
        .filter_map(|direction| {
            let normal = direction.try_normalize()?;
            let normal = if normal.dot(connection) < 0.0 { -normal } else { normal };
            Some((gap_along(normal, a, b), normal))
        })
        .max_by(|(p, _), (q, _)| p.total_cmp(q));
    match best {
        Some((gap, normal)) if gap > 0.5 * closest.distance => Some(normal),
        _ => connection.try_normalize(),
    }
}

/// The normals of both faces, and the cross products of their edges.
fn directions(a: &Triangle, b: &Triangle) -> impl Iterator<Item = DVec3> {
    let [a_edges, b_edges] = [a, b].map(|[p, q, r]| [*q - *p, *r - *q, *p - *r]);
    let faces = [a_edges, b_edges].map(|[u, v, _]| u.cross(v));
    let edges = a_edges.into_iter().flat_map(move |u| b_edges.map(|v| u.cross(v)));
    faces.into_iter().chain(edges)
}

/// Returns how far the first triangle is beyond the second along a direction; negative if they overlap there.
fn gap_along(direction: DVec3, a: &Triangle, b: &Triangle) -> f64 {
    // From a common corner, so that large coordinates cost no digits.
    let along = |corner: &DVec3| (*corner - b[0]).dot(direction);
    let lowest = a.iter().map(along).fold(f64::INFINITY, f64::min);
    lowest - b.iter().map(along).fold(f64::NEG_INFINITY, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normals_of_narrow_gaps_are_those_of_the_features() {
        let floor = [[-9.0, -9.0, 0.0], [9.0, -9.0, 0.0], [0.0, 9.0, 0.0]].map(DVec3::from);
        for gap in [1e-2, 1e-6, 1e-9, 1e-12] {
            let normal = |a: Triangle| {
                let closest = triangles_distance(&a, &floor);
                contact_normal(&a, &floor, &closest).unwrap()
            };
            // A corner above the face, and an edge along it.
            let corner = [[0.3, 0.1, gap], [1.0, 0.0, 1.0], [0.0, 1.0, 1.0]].map(DVec3::from);
            let edge = [[0.3, 0.1, gap], [1.0, 0.4, gap], [0.0, 1.0, 1.0]].map(DVec3::from);
            for triangle in [corner, edge] {
                let found = normal(triangle);
                assert!((found - DVec3::Z).length() < 1e-12, "gap {gap}: {found}");
            }
            // An edge across the edge y = -9, with the shortest connection at 45 degrees.
            let [y, z] = [-9.0 - gap, 0.0];
            let crossing =
                [[0.3, y - 1.0, z + 1.0], [0.4, y + 1.0, z - 1.0], [0.3, y - 9.0, z - 9.0]];
            let (found, half) = (normal(crossing.map(DVec3::from)), 0.5_f64.sqrt());
            let expected = DVec3::new(0.0, -half, -half);
            assert!((found - expected).length() < 0.1, "gap {gap}: {found}");
        }
    }

    /// Two corners are closest, so no face and no edge gives the normal.
    #[test]
    fn normals_between_corners() {
        let a = [[0.0, 0.0, 1e-9], [0.1, 0.2, 1.0], [-0.1, 0.2, 1.0]].map(DVec3::from);
        let b = [[0.0, 0.0, 0.0], [0.1, 0.2, -1.0], [-0.1, 0.2, -1.0]].map(DVec3::from);
        let found = contact_normal(&a, &b, &triangles_distance(&a, &b)).unwrap();
        assert!((found - DVec3::Z).length() < 1e-6, "{found}");
    }
}
