//! Checks of meshes and paths, shared by the tests of the generators.

use crate::{Bounds, Mesh, Pose};
use glam::DVec3;
use std::collections::HashMap;

/// Fails unless every directed edge is used once and its reverse once, every vertex is used, and
/// no face is degenerate.
pub(crate) fn assert_closed(mesh: &Mesh) {
    let mut uses: HashMap<(u32, u32), u32> = HashMap::new();
    let mut is_used = vec![false; mesh.positions().len()];
    for (face, &[a, b, c]) in mesh.faces().iter().enumerate() {
        for edge in [(a, b), (b, c), (c, a)] {
            *uses.entry(edge).or_default() += 1;
            is_used[edge.0 as usize] = true;
        }
        assert!(area(mesh, face) > 0.0, "face {face} is degenerate");
    }
    for (&(a, b), &count) in &uses {
        assert_eq!(count, 1, "the edge from {a} to {b} is used {count} times");
        assert!(uses.contains_key(&(b, a)), "the edge from {a} to {b} has no reverse");
    }
    let unused = is_used.iter().position(|used| !used);
    assert_eq!(unused, None, "a vertex that no face uses");
}

/// The area of a face.
pub(super) fn area(mesh: &Mesh, face: usize) -> f64 {
    let [a, b, c] = mesh.triangle(face as u32);
    (b - a).cross(c - a).length() * 0.5
}

/// The enclosed volume; positive if the normals point outward.
pub(crate) fn volume(mesh: &Mesh) -> f64 {
    mesh.triangles().map(|[a, b, c]| a.dot(b.cross(c)) / 6.0).sum()
}

/// The genus of a connected closed mesh: the number of its handles.
pub(super) fn genus(mesh: &Mesh) -> i64 {
    let (vertices, faces) = (mesh.positions().len() as i64, mesh.faces().len() as i64);
    (2 - (vertices - faces / 2)) / 2
}

/// FNV-1a hash of the bits of all positions and faces. Tests compare it with a fixed value, so that a
/// generator cannot change by accident, nor differ between platforms.
pub(crate) fn hash(mesh: &Mesh) -> u64 {
    let positions = mesh.positions().iter().flat_map(|p| p.to_array().map(f64::to_bits));
    let corners = mesh.faces().iter().flatten().map(|&corner| u64::from(corner));
    fnv1a(positions.chain(corners))
}

/// The same hash over the twelve numbers of each pose.
pub(crate) fn hash_poses(poses: &[Pose]) -> u64 {
    fnv1a(poses.iter().flat_map(|pose| pose.to_rows().map(f64::to_bits)))
}

fn fnv1a(words: impl Iterator<Item = u64>) -> u64 {
    words.flat_map(u64::to_le_bytes).fold(0xCBF2_9CE4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01B3)
    })
}

/// The corners of a face.
pub(super) type Triangle = [DVec3; 3];

/// Fails if two faces that share no vertex are closer than `least` to each other.
pub(super) fn assert_simple(mesh: &Mesh, least: f64) {
    let bounds: Vec<Bounds> = mesh.triangles().map(Bounds::enclosing).collect();
    let mut tested = 0;
    for (i, s) in mesh.triangles().enumerate() {
        for (j, t) in mesh.triangles().enumerate().take(i) {
            let is_near = bounds[i].overlaps(&bounds[j]);
            if is_near && !mesh.faces()[i].iter().any(|v| mesh.faces()[j].contains(v)) {
                let distance = triangle_distance(&s, &t);
                assert!(distance >= least, "faces {j} and {i} are {distance} apart");
                tested += 1;
            }
        }
    }
    assert!(tested > 0, "no two faces are near each other, so the test proves little");
}

fn edges(t: &Triangle) -> [(DVec3, DVec3); 3] {
    [(t[0], t[1]), (t[1], t[2]), (t[2], t[0])]
}

/// The distance between two triangles, up to rounding; 0 if one pierces the other.
pub(super) fn triangle_distance(s: &Triangle, t: &Triangle) -> f64 {
    let mut least = f64::MAX;
    for (one, other) in [(s, t), (t, s)] {
        let normal = (other[1] - other[0]).cross(other[2] - other[0]).normalize();
        let height = |p: DVec3| normal.dot(p - other[0]);
        let is_above =
            |p: DVec3| edges(other).iter().all(|e| normal.cross(e.1 - e.0).dot(p - e.0) >= 0.0);
        for (p, q) in edges(one) {
            if is_above(p) {
                least = least.min(height(p).abs());
            }
            let (from, to) = (height(p), height(q));
            if from * to < 0.0 && is_above(p.lerp(q, from / (from - to))) {
                return 0.0;
            }
            for edge in edges(other) {
                least = least.min(segment_distance((p, q), edge));
            }
        }
    }
    least
}

fn segment_distance((p, q): (DVec3, DVec3), (r, s): (DVec3, DVec3)) -> f64 {
    let (u, v, w) = (q - p, s - r, p - r);
    let (uu, vv, uv, uw, vw) = (u.dot(u), v.dot(v), u.dot(v), u.dot(w), v.dot(w));
    let along = uu * vv - uv * uv;
    let first =
        if along > 1e-12 * uu * vv { ((uv * vw - vv * uw) / along).clamp(0.0, 1.0) } else { 0.0 };
    let second = ((uv * first + vw) / vv).clamp(0.0, 1.0);
    let first = ((uv * second - uw) / uu).clamp(0.0, 1.0);
    (w + u * first - v * second).length()
}
