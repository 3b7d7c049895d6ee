//! The normal of two faces that are about to touch. `set_back.rs` calls this for the faces of two bodies.
//!
//! It is the direction of the shortest connection. If the gap is tiny compared with the coordinates, the two ends of
//! the connection are so close that their rounding turns it: a gap of 1e-9 at coordinates of 1 leaves an error of
//! 1e-7. Bodies that slide along each other would be stopped by that. So for small gaps the direction comes from the
//! features that meet: the normal of a face, or the cross product of two edges.

use impinge::{
    FacePair, Pose, Shape,
    glam::DVec3,
    narrow::{Closest, Triangle, triangles_distance},
};

/// Gaps below this share of the coordinates are small.
const SMALL_GAP: f64 = 1e-5;

/// The place where two faces that are about to touch are closest.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gap {
    pub(super) point: DVec3,
    /// The unit normal, from the second body to the first.
    pub(super) normal: DVec3,
    pub(super) distance: f64,
}

/// A body and its pose.
type Placed<'b> = (&'b Shape, &'b Pose);

/// A face counts as nearer if its distance is less than this share of the other's. Smaller differences change the normal
/// by at most 2.6 degrees, which is also how far normals may differ that count as the same.
const NEARER: f64 = 0.999;

/// Returns the gaps of faces of two bodies that will touch, the narrowest first. Faces that touch already have none.
///
/// A body that slides along a surface reaches one face of it after another. Just before it reaches a face, the shortest
/// connection runs along the surface to the edge of that face: the normal of a hit at a step that is not there. But
/// another face, on which the body is, is nearer. Its gap is taken instead. As that takes a search of the whole body, it
/// is done once for each normal.
pub(super) fn gaps(bodies: [Placed<'_>; 2], faces: &[FacePair]) -> Vec<Gap> {
    let [a, b] = bodies;
    let closest = |pair: &FacePair| {
        let triangles = [placed(a, pair.a), placed(b, pair.b)];
        (triangles, triangles_distance(&triangles[0], &triangles[1]))
    };
    let mut found: Vec<([Triangle; 2], Closest)> = faces.iter().map(closest).collect();
    found.sort_by(|(_, p), (_, q)| p.distance.total_cmp(&q.distance));
    let mut gaps: Vec<Gap> = Vec::with_capacity(found.len());
    let mut known: Vec<DVec3> = Vec::new();
    for (triangles, closest) in found {
        let Some(mut gap) = Gap::of(&triangles, &closest) else { continue };
        if !known.iter().any(|normal| normal.dot(gap.normal) > NEARER) {
            gap = nearer(bodies, &triangles, &closest).unwrap_or(gap);
            known.push(gap.normal);
        }
        gaps.push(gap);
    }
    gaps
}

impl Gap {
    fn of([a, b]: &[Triangle; 2], closest: &Closest) -> Option<Self> {
        let normal = contact_normal(a, b, closest)?;
        let point = (closest.a + closest.b) / 2.0;
        Some(Self { point, normal, distance: closest.distance })
    }
}

/// Returns the gap of one of two faces and a face of the other body that is nearer at the same place, if there is one.
fn nearer([a, b]: [Placed<'_>; 2], faces: &[Triangle; 2], closest: &Closest) -> Option<Gap> {
    let search = |(shape, pose): Placed<'_>, point: DVec3| {
        let nearest = shape.nearest_point(pose, point)?;
        (nearest.distance < NEARER * closest.distance).then_some(nearest)
    };
    let gap = |faces: [Triangle; 2]| Gap::of(&faces, &triangles_distance(&faces[0], &faces[1]));
    let to_b = search(b, closest.a).and_then(|near| gap([faces[0], placed(b, near.face)]));
    let to_a = search(a, closest.b).and_then(|near| gap([placed(a, near.face), faces[1]]));
    match (to_b, to_a) {
        (Some(p), Some(q)) if q.distance < p.distance => Some(q),
        (Some(p), _) => Some(p),
        (None, q) => q,
    }
}

/// Returns the corners of a face of a body.
fn placed((shape, pose): Placed<'_>, face: u32) -> Triangle {
    shape.mesh().triangle(face).map(|corner| pose.place(corner))
}

/// Returns the unit normal, from the second face to the first; `None` if the faces touch, up to rounding.
fn contact_normal(a: &Triangle, b: &Triangle, closest: &Closest) -> Option<DVec3> {
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
