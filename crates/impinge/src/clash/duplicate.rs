//! Whether two parts are duplicates: the same part in the same place. Called by `check.rs` for
//! every pair.

use super::placed::Placed;
use glam::DVec3;
use std::collections::HashMap;

/// Whether two parts have equally many faces, and every face of either has a counterpart in the
/// other: three corners within the touch band of its own, in any order.
///
/// The band is at most a thousandth of the part's size. Otherwise a wide band would make a small
/// part the duplicate of its neighbour.
pub(super) fn are_same(a: Placed<'_>, b: Placed<'_>, touch: f64) -> bool {
    let (faces_a, faces_b) = (a.mesh().faces(), b.mesh().faces());
    if faces_a.len() != faces_b.len() || faces_a.is_empty() {
        return false;
    }
    let band = touch.min(1e-3 * a.bounds.size().length());
    let is_near = |p: DVec3, q: DVec3| p.distance_squared(q) <= band * band;
    // Duplicates have the same mean, up to rounding errors, which add up.
    if a.mean().distance(b.mean()) > band + 1e-9 * a.bounds.size().length() {
        return false;
    }
    let (mesh_a, mesh_b) = (a.mesh(), b.mesh());
    if faces_a == faces_b && mesh_a.positions().len() == mesh_b.positions().len() {
        let mut placed = mesh_a.positions().iter().zip(mesh_b.positions());
        if placed.all(|(&p, &q)| is_near(a.pose.place(p), b.pose.place(q))) {
            return true;
        }
    }
    covers(a, b, band) && covers(b, a, band)
}

/// Whether every face of `a` has a counterpart in `b`. Looks counterparts up in a hash grid of face
/// centres.
fn covers(a: Placed<'_>, b: Placed<'_>, band: f64) -> bool {
    let origin = a.bounds.min;
    // Positive, and a few bands wide, so that most lookups need a single cell.
    let width = (8.0 * band).max(1e-12 * a.bounds.size().length()).max(f64::MIN_POSITIVE);
    let middle = |[p, q, r]: [DVec3; 3]| ((p - origin) + (q - origin) + (r - origin)) / 3.0;
    let cell = |p: DVec3| (p / width).floor().to_array().map(|c| c as i64);
    let mut cells: HashMap<[i64; 3], Vec<u32>> = HashMap::new();
    for face in 0..b.mesh().faces().len() as u32 {
        cells.entry(cell(middle(b.triangle(face)))).or_default().push(face);
    }
    let slack = band + 0.01 * width;
    (0..a.mesh().faces().len() as u32).all(|face| {
        let triangle = a.triangle(face);
        let middle = middle(triangle);
        let (low, high) = (cell(middle - slack), cell(middle + slack));
        let mut near = (low[0]..=high[0]).flat_map(|x| {
            (low[1]..=high[1]).flat_map(move |y| (low[2]..=high[2]).map(move |z| [x, y, z]))
        });
        near.any(|cell| {
            let faces = cells.get(&cell).map_or(&[][..], Vec::as_slice);
            faces.iter().any(|&other| is_same_triangle(triangle, b.triangle(other), band))
        })
    })
}

fn is_same_triangle(s: [DVec3; 3], t: [DVec3; 3], band: f64) -> bool {
    let near = |i: usize, j: usize| s[i].distance_squared(t[j]) <= band * band;
    let orders = [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [2, 1, 0], [1, 0, 2]];
    orders.iter().any(|&[i, j, k]| near(0, i) && near(1, j) && near(2, k))
}
