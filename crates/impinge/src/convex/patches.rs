//! Divides a surface into convex patches (Ehmann and Lin 2001).

use super::{Coverage, Polytope};
use crate::{
    Mesh,
    narrow::{is_collinear, orient3d},
};
use glam::DVec3;
use std::collections::HashMap;

/// Divides the faces of a mesh into patches that are convex: each face of a patch lies on the boundary of the convex hull of
/// the patch.
///
/// Exact: every face belongs to exactly one patch, and signs decide. So the hulls of the patches together cover the surface,
/// and nothing of it lies inside a hull of its own patch. What a hull covers beyond the faces is not part of the surface.
///
/// Patches grow from face to face across common edges, as long as they stay convex. A convex body is one patch. A face
/// without an area is a patch of its own. Takes time in
/// proportion to the squares of the sizes of the patches, at worst.
///
/// ```
/// use impinge::{convex::convex_patches, generate};
///
/// let ball = generate::icosphere(3)?;
/// assert_eq!(convex_patches(&ball).len(), 1);
/// let torus = generate::torus(1.0, 0.4, [30, 10])?;
/// let patches = convex_patches(&torus);
/// assert_eq!(patches.iter().map(Vec::len).sum::<usize>(), torus.faces().len());
/// # Ok::<(), impinge::generate::GenerateError>(())
/// ```
pub fn convex_patches(mesh: &Mesh) -> Vec<Vec<u32>> {
    let (positions, faces) = (mesh.positions(), mesh.faces());
    let neighbours = neighbours_of(positions, faces);
    let mut is_taken = vec![false; faces.len()];
    let mut patches = Vec::new();
    for component in components(&neighbours) {
        if component.len() > 1 && is_convex(positions, faces, &component) {
            patches.push(component);
            continue;
        }
        for seed in component {
            if !is_taken[seed as usize] {
                patches.push(grown(positions, faces, &neighbours, &mut is_taken, seed));
            }
        }
    }
    patches
}

/// The faces across the edges of each face that has an area; edges are common by position.
fn neighbours_of(positions: &[DVec3], faces: &[[u32; 3]]) -> Vec<Vec<u32>> {
    let key = |vertex: u32| (positions[vertex as usize] + DVec3::ZERO).to_array().map(f64::to_bits);
    let mut numbers: HashMap<[u64; 3], u32> = HashMap::new();
    let mut number = |vertex: u32| {
        let next = numbers.len() as u32;
        *numbers.entry(key(vertex)).or_insert(next)
    };
    let mut edges: Vec<([u32; 2], u32)> = Vec::with_capacity(3 * faces.len());
    for (face, &[a, b, c]) in (0..).zip(faces) {
        if is_collinear([a, b, c].map(|vertex| positions[vertex as usize])) {
            continue;
        }
        let [a, b, c] = [a, b, c].map(&mut number);
        for [p, q] in [[a, b], [b, c], [c, a]] {
            edges.push(([p.min(q), p.max(q)], face));
        }
    }
    edges.sort_unstable();
    let mut neighbours = vec![Vec::new(); faces.len()];
    for around in edges.chunk_by(|(p, _), (q, _)| p == q) {
        // Of many faces at an edge, each is joined to the next: that is enough to reach all of them.
        for pair in around.windows(2) {
            let [one, other] = [pair[0].1, pair[1].1];
            neighbours[one as usize].push(other);
            neighbours[other as usize].push(one);
        }
    }
    neighbours
}

/// The connected parts of the surface, each in the order in which its faces are reached.
fn components(neighbours: &[Vec<u32>]) -> Vec<Vec<u32>> {
    let mut is_reached = vec![false; neighbours.len()];
    let mut components = Vec::new();
    for seed in 0..neighbours.len() as u32 {
        if std::mem::replace(&mut is_reached[seed as usize], true) {
            continue;
        }
        let mut component = vec![seed];
        let mut done = 0;
        while let Some(&face) = component.get(done) {
            done += 1;
            for &other in &neighbours[face as usize] {
                if !std::mem::replace(&mut is_reached[other as usize], true) {
                    component.push(other);
                }
            }
        }
        components.push(component);
    }
    components
}

/// Whether all faces of a component are proven to lie on the boundary of its hull.
fn is_convex(positions: &[DVec3], faces: &[[u32; 3]], component: &[u32]) -> bool {
    let corners = |face: &u32| faces[*face as usize].map(|vertex| positions[vertex as usize]);
    let points: Vec<DVec3> = component.iter().flat_map(corners).collect();
    let numbers: Vec<[u32; 3]> =
        (0..component.len() as u32).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    let Ok(polytope) = Polytope::new(&points) else { return false };
    let coverage = Coverage::of_faces(&polytope, &points, &numbers);
    let facets = 0..polytope.hull().facets().len() as u32;
    facets.map(|facet| coverage.faces_in(facet).len()).sum::<usize>() == component.len()
}

/// A patch that is as large as it can be made from a face.
fn grown(
    positions: &[DVec3],
    faces: &[[u32; 3]],
    neighbours: &[Vec<u32>],
    is_taken: &mut [bool],
    seed: u32,
) -> Vec<u32> {
    let corners = |face: u32| faces[face as usize].map(|vertex| positions[vertex as usize]);
    is_taken[seed as usize] = true;
    let mut patch = vec![seed];
    let mut points: Vec<DVec3> = corners(seed).to_vec();
    // On which side of the faces, by their order of corners, the patch lies: 0 as long as it is flat.
    let mut side = 0;
    let mut done = 0;
    while let Some(&face) = patch.get(done) {
        done += 1;
        for &candidate in &neighbours[face as usize] {
            if is_taken[candidate as usize] {
                continue;
            }
            let triangle = corners(candidate);
            if let Some(new_side) = side_with(&patch, &points, side, triangle, corners) {
                is_taken[candidate as usize] = true;
                side = new_side;
                patch.push(candidate);
                for corner in triangle {
                    if !points.contains(&corner) {
                        points.push(corner);
                    }
                }
            }
        }
    }
    patch
}

/// The side of the faces on which a patch lies with one more face; `None` if it is not convex.
fn side_with(
    patch: &[u32],
    points: &[DVec3],
    mut side: i32,
    triangle: [DVec3; 3],
    corners: impl Fn(u32) -> [DVec3; 3],
) -> Option<i32> {
    let mut agrees = |[p, q, r]: [DVec3; 3], point: DVec3| {
        let own = orient3d(p, q, r, point);
        if side == 0 {
            side = own;
        }
        own == 0 || own == side
    };
    let is_convex = points.iter().all(|&point| agrees(triangle, point))
        && patch.iter().all(|&face| triangle.iter().all(|&corner| agrees(corners(face), corner)));
    is_convex.then_some(side)
}
