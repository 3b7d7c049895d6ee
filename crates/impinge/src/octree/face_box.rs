//! The exact test whether a face meets a cell: a closed triangle and a closed box.
//!
//! Called for every face and cell when an octree is made of a mesh. It relies on the exact signs of `narrow`.

use crate::{
    Bounds,
    narrow::{Projection, Triangle, orient2d, orient3d},
};
use glam::{DVec2, DVec3};

/// Returns whether a closed triangle and a closed box share a point. Exact for all finite coordinates; a degenerate
/// triangle counts as the segment or point it is.
///
/// If two convex polyhedra share no point, a plane separates them that contains a face of one of them, or an edge of
/// one and is parallel to an edge of the other (a face of their Minkowski difference). So it is enough to look at the
/// sides of the box, at the plane of the triangle, and at planes through an edge of the triangle that are parallel to
/// an axis. The latter are lines, seen along the axis. For all of them the corner of the box is known that is
/// the last on its way to the triangle, and the sign of one determinant tells on which side it is.
pub(super) fn face_meets_box(triangle: &Triangle, cell: &Bounds) -> bool {
    let [a, b, c] = *triangle;
    let (least, most) = (a.min(b).min(c), a.max(b).max(c));
    if (least.cmpgt(cell.max) | most.cmplt(cell.min)).any() {
        return false;
    }
    if [a, b, c].iter().any(|corner| cell.contains(*corner)) {
        return true;
    }
    // The sides on which the triangle is seen along each axis are the signs of its normal's coordinates.
    let facing = AXES.map(|along| {
        let [a, b, c] = triangle.map(|p| along.of(p));
        orient2d(a, b, c)
    });
    !is_beside_plane(triangle, facing, cell)
        && AXES.iter().zip(facing).all(|(&along, facing)| {
            let cell = Rectangle { min: along.of(cell.min), max: along.of(cell.max) };
            let [a, b, c] = triangle.map(|p| along.of(p));
            [[a, b], [b, c], [c, a]].iter().all(|edge| !cell.is_beyond(*edge, facing))
        })
}

const AXES: [Projection; 3] = [Projection::AlongX, Projection::AlongY, Projection::AlongZ];

/// Whether the box is strictly on one side of the plane of a triangle whose normal has these signs.
fn is_beside_plane(&[a, b, c]: &Triangle, normal: [i32; 3], cell: &Bounds) -> bool {
    if normal == [0; 3] {
        return false;
    }
    let corner = |direction: i32| {
        let pick = |axis: usize| match normal[axis] * direction > 0 {
            true => cell.max[axis],
            false => cell.min[axis],
        };
        DVec3::new(pick(0), pick(1), pick(2))
    };
    orient3d(a, b, c, corner(-1)) > 0 || orient3d(a, b, c, corner(1)) < 0
}

/// A box, seen along an axis.
struct Rectangle {
    min: DVec2,
    max: DVec2,
}

impl Rectangle {
    /// Whether the rectangle is strictly on the other side of an edge's line than the triangle, which is on the left
    /// if `facing` is 1 and on the right if it is −1. If it is 0, the triangle is a segment, and both sides are free.
    fn is_beyond(&self, [from, to]: [DVec2; 2], facing: i32) -> bool {
        // The corner that is the farthest to the left of the line's direction, and the one to the right.
        let (rises, goes_right) = (to.y > from.y, to.x > from.x);
        let pick = |is_max: bool, axis: usize| if is_max { self.max[axis] } else { self.min[axis] };
        let left = DVec2::new(pick(!rises, 0), pick(goes_right, 1));
        let right = DVec2::new(pick(rises, 0), pick(!goes_right, 1));
        facing >= 0 && orient2d(from, to, left) < 0 || facing <= 0 && orient2d(from, to, right) > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{generate::Random, octree::oracle::meets_box};

    /// Coarse coordinates, so that touching and degenerate cases are frequent; and scales from denormals up to 1e100.
    #[test]
    fn answers_equal_those_of_the_oracle() {
        let mut counts = [0; 2];
        for seed in 0..6_000 {
            let mut random = Random::new(seed);
            let steps = [3, 5, 9, 40, 1 << 20][seed as usize % 5];
            let scale = [1.0, 0.1, 1e-320, 1e-150, 1e98][seed as usize / 5 % 5];
            let mut number = |most: u64| (random.below(2 * most + 1) as f64 - most as f64) * scale;
            let size = steps / 3 + 1;
            let mut corner = || DVec3::new(number(steps), number(steps), number(steps));
            let mut triangle = [corner(), corner(), corner()];
            match seed % 7 {
                0 => triangle[2] = triangle[0],
                1 => triangle = [triangle[0]; 3],
                2 => triangle[2] = triangle[0] + (triangle[1] - triangle[0]) * 2.0,
                _ => {}
            }
            let half = size as f64 * scale;
            let cell = Bounds { min: DVec3::splat(-half), max: DVec3::splat(half) };
            let truth = meets_box(&triangle, &cell);
            assert_eq!(
                face_meets_box(&triangle, &cell),
                truth,
                "seed {seed}: {triangle:?} {cell:?}"
            );
            counts[usize::from(truth)] += 1;
        }
        assert!(counts.iter().all(|&count| count > 1_000), "{counts:?}");
    }

    /// Faces that just touch a box: across an edge, at a corner, in the plane of a side; and just not.
    #[test]
    fn faces_that_just_touch_are_told_from_those_that_do_not() {
        let cell = Bounds { min: DVec3::ZERO, max: DVec3::ONE };
        let across_edge = |x: f64| {
            [DVec3::new(x, 0.0, -1.0), DVec3::new(0.0, x, -1.0), DVec3::new(x / 2.0, x / 2.0, 3.0)]
        };
        assert!(face_meets_box(&across_edge(2.0), &cell));
        assert!(!face_meets_box(&across_edge(2.0_f64.next_up()), &cell));
        let at_corner = |sum: f64| [DVec3::X * sum, DVec3::Y * sum, DVec3::Z * sum];
        assert!(face_meets_box(&at_corner(3.0), &cell));
        assert!(!face_meets_box(&at_corner(3.0_f64.next_up()), &cell));
        let in_side =
            |x: f64| [DVec3::new(x, -9.0, -9.0), DVec3::new(x, 9.0, -9.0), DVec3::new(x, 0.0, 9.0)];
        assert!(face_meets_box(&in_side(1.0), &cell) && face_meets_box(&in_side(0.0), &cell));
        assert!(!face_meets_box(&in_side(1.0_f64.next_up()), &cell));
        assert!(!face_meets_box(&in_side((0.0_f64).next_down()), &cell));
    }
}
