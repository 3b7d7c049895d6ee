//! Decides whether two triangles with common corners share a point outside the convex hull of these corners.

use crate::{
    Triangle,
    touch::{corners, cross, highest_common_point},
};
use dashu_int::IBig;

/// Returns whether two closed triangles share a point outside the convex hull of one or two of their common corners.
///
/// Exact for all finite coordinates. The common part of two triangles is convex. It lies within a segment exactly if no
/// point of it is farther than the segment along some directions: those of the segment and of the axes across it.
/// Each farthest point is the solution of a linear program.
///
/// # Panics
///
/// If a coordinate is infinite or not a number, or if `common` are not one or two corners of both triangles.
pub fn meet_beyond(a: &Triangle, b: &Triangle, common: &[[f64; 3]]) -> bool {
    let of_both = |corner: &[f64; 3]| a.contains(corner) && b.contains(corner);
    assert!((1..=2).contains(&common.len()) && common.iter().all(of_both), "{common:?}");
    let corners = corners::<IBig>(a, b).expect("big integers do not overflow");
    let place = |corner: &[f64; 3]| a.iter().position(|other| other == corner).expect("checked");
    let ends = [place(&common[0]), place(&common[common.len() - 1])].map(|i| corners[i].clone());
    let axes = [[1, 0, 0], [0, 1, 0], [0, 0, 1]].map(|axis| axis.map(IBig::from));
    let along: [IBig; 3] = std::array::from_fn(|axis| &ends[1][axis] - &ends[0][axis]);
    let mut directions = axes.to_vec();
    if along.iter().any(|coordinate| !coordinate.is_zero()) {
        directions = axes.iter().map(|axis| cross(&along, axis)).collect();
        directions.push(along);
    }
    directions.into_iter().any(|direction| {
        [direction.clone(), direction.map(|d| -d)].iter().any(|direction| {
            let (point, denominator) = highest_common_point(&corners, direction);
            let height = |of: &[IBig; 3]| -> IBig { (0..3).map(|i| &direction[i] * &of[i]).sum() };
            ends.iter().all(|end| height(&point) > height(end) * &denominator)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_answers() {
        let flat = [[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, 2.0, 0.0]];
        let with = |p: [f64; 3], q: [f64; 3], r: [f64; 3]| [p, q, r];
        let [o, x, _] = flat;
        // One common corner: beside, above, across, and a segment within.
        assert!(!meet_beyond(&flat, &with(o, [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]), &[o]));
        assert!(!meet_beyond(&flat, &with(o, [1.0, 1.0, 1.0], [1.0, 0.0, 1.0]), &[o]));
        assert!(meet_beyond(&flat, &with(o, [1.0, 1.0, 1.0], [1.0, 1.0, -1.0]), &[o]));
        assert!(!meet_beyond(&flat, &with(o, [-1.0, -1.0, 1.0], [-1.0, -1.0, -1.0]), &[o]));
        assert!(meet_beyond(&flat, &with(o, o, [1.0, 1.0, 0.0]), &[o]));
        assert!(!meet_beyond(&flat, &with(o, o, o), &[o]));
        assert!(meet_beyond(&flat, &with(o, [-1.0, 0.0, 0.0], [1.0, 0.0, 0.0]), &[o]));
        // Two common corners: the other side, upright, folded, and a segment along the edge.
        assert!(!meet_beyond(&flat, &with(o, x, [0.0, -1.0, 0.0]), &[o, x]));
        assert!(!meet_beyond(&flat, &with(o, x, [0.0, 0.0, 1.0]), &[o, x]));
        assert!(meet_beyond(&flat, &with(o, x, [5.0, 1.0, 0.0]), &[o, x]));
        assert!(!meet_beyond(&flat, &with(o, x, [5.0, 0.0, 0.0]), &[o, x]));
        let line = with(o, x, [3.0, 0.0, 0.0]);
        assert!(meet_beyond(&line, &with(o, x, [5.0, 0.0, 0.0]), &[o, x]));
        assert!(!meet_beyond(&line, &with(o, x, [-5.0, 0.0, 0.0]), &[o, x]));
    }
}
