//! The pressure on a triangle whose corners lie at given depths.
//!
//! Between the corners the depth is taken to be linear, and the pressure acts where it is positive. The integrals below are
//! exact for that. As functions of the three depths they are convex, and their slopes add up to the share of the triangle
//! that is inside, which is at most 1.

/// Integrals over the part of a triangle that is inside, divided by the area of the triangle.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Pressed {
    /// The integrals of the depth times the barycentric coordinate of each corner. They add up to that of the depth.
    pub(super) moments: [f64; 3],
    /// The share of the area that is inside.
    pub(super) share: f64,
}

impl Pressed {
    /// Returns the integrals for the depths of the corners: positive inside, negative outside.
    #[inline]
    pub(super) fn new(depths: [f64; 3]) -> Self {
        if depths[0] > 0.0 && depths[1] > 0.0 && depths[2] > 0.0 {
            return Self { moments: linear(depths), share: 1.0 };
        }
        let is_inside = depths.map(|depth| depth > 0.0);
        match is_inside.iter().filter(|&&inside| inside).count() {
            0 => Self::default(),
            1 => Self::one_corner(
                depths,
                usize::from(!is_inside[0]) * (1 + usize::from(is_inside[2])),
            ),
            _ => {
                // The positive part of a number is the number and the positive part of its negative.
                let outside = usize::from(is_inside[0]) * (1 + usize::from(is_inside[1]));
                let rest = Self::one_corner(depths.map(|depth| -depth), outside);
                let all = linear(depths);
                let moments = [0, 1, 2].map(|i| (all[i] + rest.moments[i]).max(0.0));
                Self { moments, share: 1.0 - rest.share }
            }
        }
    }

    /// The integral of the depth.
    pub(super) fn depth(&self) -> f64 {
        self.moments[0] + self.moments[1] + self.moments[2]
    }

    /// The integrals if one corner `at` has a positive depth and the others do not: they extend over a smaller triangle at
    /// that corner, in which the depth falls to 0.
    fn one_corner(depths: [f64; 3], at: usize) -> Self {
        let (next, last) = ((at + 1) % 3, (at + 2) % 3);
        let depth = depths[at];
        // How far along the two edges the depth reaches 0.
        let along = |other: usize| match depth / (depth - depths[other]) {
            ratio if ratio.is_finite() => ratio,
            // Both are 0.
            _ => 0.0,
        };
        let (p, q) = (along(next), along(last));
        let share = p * q;
        let twelfth = depth * share / 12.0;
        let mut moments = [0.0; 3];
        moments[next] = twelfth * p;
        moments[last] = twelfth * q;
        moments[at] = twelfth * (4.0 - p - q);
        Self { moments, share }
    }
}

/// The integrals of a linear function times the barycentric coordinate of each corner, divided by the area.
fn linear(depths: [f64; 3]) -> [f64; 3] {
    let sum = depths[0] + depths[1] + depths[2];
    depths.map(|depth| (sum + depth) / 12.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::Random;

    /// Against sums over many small triangles.
    #[test]
    fn integrals_equal_sums_over_small_triangles() {
        const PARTS: u32 = 200;
        let mut random = Random::new(1);
        for case in 0..40 {
            let depths: [f64; 3] = std::array::from_fn(|_| random.range(-1.0, 1.0));
            let (mut moments, mut share) = ([0.0; 3], 0.0);
            for row in 0..PARTS {
                for column in 0..2 * (PARTS - row) - 1 {
                    // The centres of triangles that point up, and of those between them that point down.
                    let third = if column % 2 == 0 { 1.0 / 3.0 } else { 2.0 / 3.0 };
                    let u = (f64::from(column / 2) + third) / f64::from(PARTS);
                    let v = (f64::from(row) + third) / f64::from(PARTS);
                    let weights = [1.0 - u - v, u, v];
                    let depth: f64 = (0..3).map(|i| weights[i] * depths[i]).sum();
                    if depth > 0.0 {
                        let area = f64::from(PARTS * PARTS).recip();
                        share += area;
                        (0..3).for_each(|i| moments[i] += weights[i] * depth * area);
                    }
                }
            }
            let found = Pressed::new(depths);
            assert!((found.share - share).abs() < 1e-2, "case {case}: {found:?}, {share}");
            for (found, sum) in found.moments.iter().zip(moments) {
                assert!((found - sum).abs() < 1e-4, "case {case}: {found}, {sum}");
            }
        }
    }
}
