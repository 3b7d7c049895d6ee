//! The normal of two faces that are about to touch. `set_back.rs` calls this for each contact.
//!
//! It is the direction of the shortest connection. If the gap is tiny compared with the coordinates, the two ends of
//! the connection are so close that their rounding turns it: a gap of 1e-9 at coordinates of 1 leaves an error of
//! 1e-7. Bodies that slide along each other would be stopped by that. So for small gaps the direction comes from the
//! features that meet: the normal of a face, or the cross product of two edges.

use impinge::{
    FacePair, Mesh, Pose,
    glam::DVec3,
    narrow::{Closest, Triangle, triangles_distance},
};

/// Gaps below this share of the coordinates are small.
const SMALL_GAP: f64 = 1e-5;

/// Two faces that are about to touch.
pub(super) struct Gap {
    pub(super) faces: FacePair,
    /// The corners of both faces.
    pub(super) placed: [Triangle; 2],
    pub(super) closest: Closest,
}

/// A neighbour counts as nearer if its distance is less than this share of the other's. Smaller differences change the
/// normal by at most 2.6 degrees.
const NEARER: f64 = 0.999;

impl Gap {
    pub(super) fn new(faces: FacePair, meshes: [&Mesh; 2], poses: [&Pose; 2]) -> Self {
        let place = |mesh: &Mesh, face: u32, pose: &Pose| {
            mesh.triangle(face).map(|corner| pose.place(corner))
        };
        let [a, b] = meshes;
        let placed = [place(a, faces.a, poses[0]), place(b, faces.b, poses[1])];
        Self { faces, placed, closest: triangles_distance(&placed[0], &placed[1]) }
    }

    /// Returns whether a neighbour of one of the two faces is nearer to the other face, at the same place.
    ///
    /// A body that slides along a surface reaches one face of it after another. Just before it reaches a face, the
    /// shortest connection runs along the surface to the edge of that face, and would be the normal of a hit at a step
    /// that is not there. But the neighbour, on which the body is, is nearer.
    pub(super) fn is_beside(&self, gaps: &[Self], [a, b]: [&Mesh; 2]) -> bool {
        let FacePair { a: own_a, b: own_b, .. } = self.faces;
        let limit = NEARER * self.closest.distance;
        let is_nearer = |point: DVec3, other: &Triangle| {
            triangles_distance(&[point; 3], other).distance < limit
        };
        gaps.iter().filter(|other| other.closest.distance < limit).any(|other| {
            let FacePair { a: other_a, b: other_b, .. } = other.faces;
            (other_b == own_b
                && are_neighbours(a, own_a, other_a)
                && is_nearer(self.closest.b, &other.placed[0]))
                || (other_a == own_a
                    && are_neighbours(b, own_b, other_b)
                    && is_nearer(self.closest.a, &other.placed[1]))
        })
    }
}

/// Returns whether two faces of a mesh have a common vertex.
fn are_neighbours(mesh: &Mesh, one: u32, other: u32) -> bool {
    let [p, q] = [one, other].map(|face| mesh.faces()[face as usize]);
    p.iter().any(|vertex| q.contains(vertex))
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
