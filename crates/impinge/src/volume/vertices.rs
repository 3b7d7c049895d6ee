//! The vertices of a k-DOP, by which it can be placed (Klosowski 1998, method II).

use super::{BoundingVolume, Dop};
use glam::DVec3;
use std::sync::OnceLock;

/// Points that represent the vertices of a convex volume.
#[derive(Clone, Debug, PartialEq)]
pub struct Vertices {
    /// At least one point; at most 4 H − 4 for a DOP with H pairs of planes.
    pub points: Vec<DVec3>,
    /// A bound on the distance, along any axis, between a vertex of the volume and the nearest of the points.
    /// Infinite for a volume that encloses nothing.
    pub slack: f64,
}

/// The distance up to which vertices are merged at first: about the rounding error of `f32`.
const MERGING: f64 = 1e-7;

/// A bound on the error of the coordinates of a computed vertex, and of its extents along directions. A
/// coordinate is a sum of three extents of at most 4, times integers of at most 2, divided by an integer.
const VERTEX_GUARD: f64 = 1e-13;

impl Vertices {
    /// Finds the vertices of a DOP. Each vertex lies on three of its planes and within all others.
    ///
    /// The normals of the planes have small integer components. So the point where three planes meet is known
    /// to about 1e-14, however near other points are. All such points that lie within all planes up to that
    /// error are kept, so that no vertex is missed. Points closer than `merging` are merged, since the same
    /// corner may come up several times. A polytope with 2 H facets has at most 4 H − 4 vertices; if there
    /// are still more points, `merging` grows. The slack includes it.
    pub(super) fn of_dop<const H: usize>(dop: &Dop<H>) -> Self {
        let mut merging = MERGING;
        let mut points = Vec::with_capacity(4 * H - 4);
        while !collect(dop, merging, 4 * H - 4, &mut points) {
            merging *= 4.0;
        }
        if points.is_empty() {
            // The DOP is empty or contains NaN.
            return Self { points: vec![DVec3::ZERO], slack: f64::INFINITY };
        }
        Self { points, slack: merging + 2.0 * VERTEX_GUARD }
    }
}

/// Collects points such that each vertex of a DOP is within `merging` of one of them, along every axis.
/// Returns `false` if there are more than `most`.
fn collect<const H: usize>(
    dop: &Dop<H>,
    merging: f64,
    most: usize,
    points: &mut Vec<DVec3>,
) -> bool {
    let [low, high] = dop.extents().map(|extents| extents.map(f64::from));
    points.clear();
    for Triple { sources, columns } in triples::<H>() {
        for ends in 0..8 {
            let end = |i: usize| if ends >> i & 1 == 0 { low } else { high }[sources[i]];
            let point = columns[0] * end(0) + columns[1] * end(1) + columns[2] * end(2);
            let is_within = Dop::<H>::NORMALS.iter().enumerate().all(|(i, normal)| {
                let along = normal.dot(point);
                low[i] - VERTEX_GUARD <= along && along <= high[i] + VERTEX_GUARD
            });
            let is_merged = |known: &DVec3| (*known - point).abs().max_element() <= merging;
            if !is_within || points.iter().any(is_merged) {
                continue;
            }
            if points.len() == most {
                return false;
            }
            points.push(point);
        }
    }
    true
}

/// Three linearly independent normals, and the columns of the matrix that maps extents along them to a point.
struct Triple {
    sources: [usize; 3],
    columns: [DVec3; 3],
}

fn triples<const H: usize>() -> &'static [Triple] {
    static TRIPLES: [OnceLock<Vec<Triple>>; 14] = [const { OnceLock::new() }; 14];
    TRIPLES[H].get_or_init(|| {
        let normals = Dop::<H>::NORMALS;
        let mut triples = Vec::new();
        for i in 0..H {
            for j in i + 1..H {
                for k in j + 1..H {
                    let [a, b, c] = [i, j, k].map(|source| normals[source]);
                    let determinant = a.dot(b.cross(c));
                    if determinant != 0.0 {
                        let columns = [b.cross(c), c.cross(a), a.cross(b)].map(|v| v / determinant);
                        triples.push(Triple { sources: [i, j, k], columns });
                    }
                }
            }
        }
        triples
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::Random;

    /// Every vertex lies on the DOP, and the DOP of the vertices is the original one.
    #[test]
    fn vertices_span_the_dop() {
        fn check<const H: usize>() {
            for seed in 0..500 {
                let mut random = Random::new(seed);
                // From flat shapes to shapes whose vertices nearly coincide.
                let size = [1.0, 1e-3, 1e-7][random.below(3) as usize];
                let flat = [1.0, 1e-7, 0.0][random.below(3) as usize];
                let at = random.direction() * 0.5;
                let corners =
                    [0; 3].map(|_| at + random.direction() * DVec3::new(size, size, size * flat));
                let dop = Dop::<H>::enclosing(&[corners]);
                let Vertices { points, slack } = Vertices::of_dop(&dop);
                let points: Vec<_> = points.into_iter().map(|p| [p; 3]).collect();
                let again = Dop::<H>::enclosing(&points);
                let ([low, high], [low_again, high_again]) = (dop.extents(), again.extents());
                for i in 0..H {
                    let margin = 3.0 * slack as f32 + 1e-6;
                    assert!((low[i] - low_again[i]).abs() <= margin, "seed {seed}, H {H}, {i}");
                    assert!((high[i] - high_again[i]).abs() <= margin, "seed {seed}, H {H}, {i}");
                }
                assert!(slack < 2e-6, "seed {seed}, H {H}: slack {slack}");
            }
        }
        check::<3>();
        check::<4>();
        check::<6>();
        check::<7>();
        check::<9>();
        check::<10>();
        check::<13>();
    }

    /// Vertices are merged until there are few enough.
    #[test]
    fn too_many_vertices_are_merged() {
        let dop = Dop::<13>::enclosing(&[[DVec3::X, DVec3::Y, DVec3::Z]]);
        let mut points = Vec::new();
        assert!(!collect(&dop, 1e-7, 4, &mut points));
        assert!(collect(&dop, 3.0, 4, &mut points) && !points.is_empty());
        let nothing = Vertices::of_dop(&Dop::<3>::enclosing(&[]));
        assert!(nothing.slack == f64::INFINITY, "{nothing:?}");
    }
}
