//! The test of a triangle against an axis-aligned box: `false` is a proof that they share no point.
//!
//! The paper (Smith, Kitamura 1994, section 3.3.7) clips the triangle against the box. Here separating axes are tried,
//! as that takes no branches per corner: the triangle's normal, and the nine products of an edge and an axis. The
//! caller has compared the bounding box of the triangle, which covers the three axes of the box.
//!
//! # Error bounds
//!
//! A direction proves separation whether or not it is the product that it was meant to be, so the computed directions
//! are taken as exact, and only projections have errors. Let L be the largest magnitude of a coordinate of a corner,
//! relative to the centre of the box, or of a half side, and u the unit roundoff, ε/2. A difference of a corner
//! and the centre is off by u·L, and a half side by u·L. Edges have components of at most 2L (1 + u).
//!
//! - Edge × axis has two components of at most 2L. A projection is a sum of two products of at most 2L²: the
//!   differences contribute 2·2L·uL = 4uL², the products 2·2uL², the sum 4uL². The projection of the box has the
//!   same bound. Together that is less than 32u·L² = 16ε·L².
//! - The normal has components of at most 8L² (1 + 4u). A projection is a sum of three products of at most 8L³: the
//!   differences contribute 24uL³, the products 24uL³, two sums 48uL³, and the same again for the box. Together that
//!   is less than 256u·L³ = 128ε·L³.
//!
//! Twice these bounds are used. Products that underflow lose less than the smallest normal number in all. Where L³
//! overflows, the bound is infinite and nothing is proved.

use crate::{Bounds, narrow::Triangle};
use glam::DVec3;

/// Whether a triangle may share a point with a closed box that its bounding box overlaps.
pub(in crate::method) fn may_meet(triangle: &Triangle, cell: &Bounds) -> bool {
    let center = cell.center();
    let half = (cell.max - center).max(center - cell.min);
    let corners = triangle.map(|corner| corner - center);
    let [a, b, c] = corners;
    let reach = a.abs().max(b.abs()).max(c.abs()).max(half).max_element();
    let (reach_2, reach_3) = (reach * reach, reach * reach * reach);
    let is_separating = |direction: DVec3, error: f64| {
        let [a, b, c] = corners.map(|corner| direction.dot(corner));
        let radius = direction.abs().dot(half) + error;
        // A NaN proves nothing.
        a.min(b).min(c) > radius || a.max(b).max(c) < -radius
    };
    let edges = [b - a, c - b, a - c];
    let error = 256.0 * f64::EPSILON * reach_3 + f64::MIN_POSITIVE;
    if is_separating(edges[0].cross(edges[1]), error) {
        return false;
    }
    let error = 32.0 * f64::EPSILON * reach_2 + f64::MIN_POSITIVE;
    !edges.iter().any(|edge| {
        is_separating(DVec3::new(0.0, edge.z, -edge.y), error)
            || is_separating(DVec3::new(-edge.z, 0.0, edge.x), error)
            || is_separating(DVec3::new(edge.y, -edge.x, 0.0), error)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::Random;

    /// Whether a triangle and a box share a point, by the oracle in big numbers: the triangle touches one of the
    /// twelve triangles of the box's surface, or lies in it.
    fn meets(triangle: &Triangle, cell: &Bounds) -> bool {
        let corner = |bits: usize| -> [f64; 3] {
            std::array::from_fn(|k| if bits >> k & 1 == 0 { cell.min[k] } else { cell.max[k] })
        };
        let sides =
            [[0, 1, 3, 2], [4, 5, 7, 6], [0, 1, 5, 4], [2, 3, 7, 6], [0, 2, 6, 4], [1, 3, 7, 5]];
        let placed = triangle.map(|p| p.to_array());
        triangle.iter().any(|&p| cell.contains(p))
            || sides.iter().any(|&[p, q, r, s]| {
                [[p, q, r], [p, r, s]]
                    .iter()
                    .any(|side| impinge_oracle::triangles_touch(&placed, &side.map(corner)))
            })
    }

    /// No triangle that meets a box is dropped, in all sizes and on the border of the box; and hardly any triangle
    /// that misses it is kept.
    #[test]
    fn drops_only_triangles_that_miss_the_box() {
        let (mut met, mut kept, mut missed) = (0, 0, 0);
        for seed in 0..6_000u64 {
            let mut random = Random::new(seed);
            let scale = [1.0, 1e-3, 1e90, 1e-110, 1e-160, 1e-320][(seed % 6) as usize];
            let away = [0.0, 1e3, 1e6][(seed / 6 % 3) as usize] * scale;
            // Coordinates on a coarse grid touch borders often; others hardly ever.
            let is_coarse = seed % 2 == 0;
            let coordinate = |random: &mut Random| match is_coarse {
                true => random.below(5) as f64,
                false => random.range(0.0, 4.0),
            };
            let point = |random: &mut Random| {
                DVec3::from([(); 3].map(|()| coordinate(random) * scale + away))
            };
            let triangle = [(); 3].map(|()| point(&mut random));
            let cell = Bounds::enclosing([point(&mut random), point(&mut random)]);
            if !Bounds::enclosing(triangle).overlaps(&cell) {
                continue;
            }
            let (expected, found) = (meets(&triangle, &cell), may_meet(&triangle, &cell));
            assert!(found || !expected, "seed {seed}: {triangle:?} meets {cell:?}");
            met += u32::from(expected);
            // Tiny and distant triangles have no digits to spare.
            if scale >= 1e-3 && away == 0.0 {
                missed += u32::from(!expected);
                kept += u32::from(found && !expected);
            }
        }
        assert!(met > 1_000 && missed > 100, "{met} met, {missed} missed");
        assert!(kept * 20 <= missed, "{kept} of {missed} triangles that miss the box were kept");
    }
}
