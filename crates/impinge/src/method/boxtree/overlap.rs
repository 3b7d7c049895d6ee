//! The overlap tests of two boxes, computed incrementally from their parents (Zachmann 2002,
//! section 3.2).
//!
//! Two boxes are apart along an axis if there is a gap between them: from the upper end of one to
//! the lower end of the other, or the other way round. Moving a side of either box inward widens
//! the gaps that this side bounds, by the distance times a factor that is constant during a
//! traversal. So there is a table of such factors for each side of each box. The gaps of a child
//! follow from its parent's by one multiplication and one addition each.

#[cfg(test)]
mod tests;

use super::{
    Boxtree,
    grid::STEP,
    node::{Node, STEPS_PER_UNIT},
};
use crate::volume::Relative;
use glam::DVec3;
use std::ops::{Add, Mul};

/// How a traversal proves that two boxes are apart. The answers of queries do not depend on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum OverlapTest {
    /// Along the three axes of the first box, with an aligned box around the second.
    AxisAlignment,
    /// The same, with products from a table that is computed for each query.
    LookupTables,
    /// Along all 15 axes that can separate two boxes. It separates all boxes that are apart, up to
    /// rounding.
    SeparatingAxes,
    /// Along the three axes of each box.
    #[default]
    SatLite,
}

impl OverlapTest {
    /// All tests, in the order of the paper.
    pub const ALL: [Self; 4] =
        [Self::AxisAlignment, Self::LookupTables, Self::SeparatingAxes, Self::SatLite];
}

/// The number type of gaps: `f32`, twice as many at a time, or `f64`, more precise.
pub(super) trait Real:
    Copy + From<f32> + PartialOrd + Add<Output = Self> + Mul<Output = Self>
{
    /// Half the distance from 1 to the next number.
    const ROUNDING: f32;
    /// The nearest number of this type.
    fn nearest(value: f64) -> Self;
}

impl Real for f32 {
    const ROUNDING: f32 = f32::EPSILON / 2.0;

    fn nearest(value: f64) -> Self {
        value as f32
    }
}

impl Real for f64 {
    const ROUNDING: f32 = (f64::EPSILON / 2.0) as f32;

    fn nearest(value: f64) -> Self {
        value
    }
}

/// An overlap test, prepared for one query.
pub(super) trait Gaps {
    /// The gaps between two boxes. The boxes are apart if a gap exceeds the slack: see
    /// [`Extent::slack`].
    type State: Copy;
    /// The rounding error per operation, relative to the magnitude of the number.
    const ROUNDING: f32;

    /// The gaps after a child replaces the first box.
    fn descended(&self, state: &Self::State, child: Node) -> Self::State;
    /// The change of the gaps when a child replaces the second box. It does not depend on the
    /// first.
    fn change(&self, child: Node) -> Self::State;
    /// The gaps after such a change.
    fn changed(state: &Self::State, change: &Self::State) -> Self::State;
    /// Whether the boxes are apart; `true` is a proof.
    fn are_apart(state: &Self::State, slack: f32) -> bool;
}

/// The sizes of two boxes, and the error of the gaps between them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extent {
    /// The sum of the sides of each box, in the unit of gaps.
    pub(super) sizes: [f32; 2],
    /// The largest error of the gaps.
    pub(super) slack: f32,
}

impl Extent {
    pub(super) fn size(&self) -> f32 {
        self.sizes[0] + self.sizes[1]
    }

    /// The largest error of the gaps between the boxes' children.
    ///
    /// Let γ be a gap without roundings, g the computed one, and `|g − γ|` at most the slack e. The
    /// two gaps along an axis add up to minus the lengths of both boxes along it, and minus twice
    /// the allowance that was subtracted from the gaps of the roots. The boxes were not found
    /// apart, so both γ are at most 2e, and no |γ| is above `M = size + 2 allowance + 2e`. Eight
    /// operations turn it into the gap of two children: four products, no two of which add up to
    /// more than the size; and four additions, none with a result above 2M. Together, with the
    /// roundings of the four factors, they are off by less than 16 M units of rounding. Four more
    /// cover the roundings of this function itself and of the sizes.
    #[inline]
    pub(super) fn slack_below<G: Gaps>(&self, allowance: f32) -> f32 {
        let most = self.size() + 2.0 * allowance + 2.0 * self.slack;
        self.slack + 20.0 * G::ROUNDING * most
    }
}

/// The table of factors for gaps along `GAPS / 2` axes: first the gaps from the first box up to the
/// second, then those from the second up to the first.
#[derive(Debug)]
pub(super) struct Linear<R, const GAPS: usize> {
    /// For each side of the first box: the change of the gaps when the side moves by a unit.
    first: [[R; GAPS]; 8],
    /// The same for each side of the second box.
    pub(super) second: [[R; GAPS]; 8],
}

/// The number of gaps along the axes of the first box.
pub(super) const ALIGNED: usize = 6;
/// The number of gaps along the axes of both boxes.
pub(super) const LITE: usize = 12;
/// The number of gaps along those axes and the nine cross products of their edges.
pub(super) const FULL: usize = 30;

/// The start of a traversal: the gaps of the roots, and the table of factors.
#[derive(Debug)]
pub(super) struct Start<const GAPS: usize> {
    pub(super) gaps: [f64; GAPS],
    pub(super) extent: Extent,
    /// The size of a typical leaf, of the body with the smaller leaves.
    pub(super) leaf_size: f32,
    /// The largest allowance subtracted from a gap for the rounding of the meshes.
    pub(super) allowance: f32,
    /// An upper bound of the magnitude of all gaps.
    pub(super) magnitude: f64,
    /// The length of the first frame's unit in the unit of gaps.
    pub(super) unit: f64,
    /// By how much the size of each box shrinks when a side moves by a unit.
    pub(super) units: [f32; 2],
    pub(super) fine: Linear<f64, GAPS>,
}

/// The error of a root's gap, relative to the magnitudes of its inputs: fewer than 32 roundings
/// make less than 2⁻⁴⁸ of them, and the part of each box that was cut off beyond ±1 is less than
/// 2⁻⁴⁸ of its size. Doubled as a margin.
const ROUNDING: f64 = 1.0 / (1_u64 << 46) as f64;

impl<const GAPS: usize> Start<GAPS> {
    /// Let `y ↦ M y + t` take the second body to the first one's frame, up to the slack along each
    /// coordinate. Along an axis s the first box extends over the values of `Σ sᵢ xᵢ`, and the
    /// second over those of `s·t + Σ qⱼ yⱼ` with `q = Mᵀ s`, up to the slack times `Σ |sᵢ|`.
    ///
    /// Any s is valid: it need not be a unit vector, nor exactly the intended one. If s is zero, as
    /// for parallel edges, all gaps are zero and prove nothing. NaN gaps prove nothing either.
    pub(super) fn new(a: &Boxtree, b: &Boxtree, relative: &Relative) -> Self {
        const { assert!(GAPS == ALIGNED || GAPS == LITE || GAPS == FULL) };
        let half = GAPS / 2;
        let ([min_a, max_a], [min_b, max_b]) = (a.bounds.corners(), b.bounds.corners());
        let edges = relative.matrix.to_cols_array_2d().map(DVec3::from_array);
        // All edges are about equally long. They are divided by a coordinate of that size before
        // their length is computed, because squares overflow and underflow where lengths do not.
        let longest = edges[0].abs().max_element();
        let scaled = edges.map(|edge| edge / longest);
        // If the second body is a point in this frame, any axes will do for it. Directions have
        // length 1 up to a few roundings.
        let directions = [0, 1, 2].map(|i| scaled[i].normalize_or(DVec3::AXES[i]));
        let ratio = if longest > 0.0 { scaled[0].length() * longest } else { 0.0 };
        // If the second body is larger, its unit is the unit of gaps.
        let unit = 1.0 / ratio.max(1.0);

        let mut gaps = [0.0; GAPS];
        let mut fine = Linear { first: [[0.0; GAPS]; 8], second: [[0.0; GAPS]; 8] };
        let mut allowance = 0_f64;
        let mut greatest = 0_f64;
        for i in 0..half {
            // An axis and its length. Squaring `s` itself might underflow.
            let (axis, length) = match i {
                0..3 => (DVec3::AXES[i], 1.0),
                3..6 => (directions[i - 3], 1.0),
                _ => {
                    let across = DVec3::AXES[(i - 6) / 3].cross(directions[i % 3]);
                    (across, across.length())
                }
            };
            let s = unit * axis;
            let q = DVec3::from_array(edges.map(|edge| edge.dot(s)));
            let shift = s.dot(relative.offset);
            let (low_a, high_a) = ends(s, min_a, max_a);
            let (low_b, high_b) = ends(q, min_b, max_b);

            let lengths = s.abs().dot(DVec3::ONE);
            let reach = edges.iter().map(|edge| edge.abs().dot(s.abs())).sum::<f64>();
            let moved = relative.slack * lengths + relative.buffer * (unit * length) * (1.0 + 1e-9);
            let magnitude = s.abs().dot(relative.offset.abs()) + lengths + reach + moved;
            let allowed = moved + ROUNDING * magnitude;
            (allowance, greatest) = (allowance.max(allowed), greatest.max(magnitude + allowed));
            gaps[i] = (shift + low_b) - high_a - allowed;
            gaps[half + i] = low_a - (shift + high_b) - allowed;
            for side in 0..6 {
                let (axis, is_upper) = (side / 2, side % 2 == 1);
                // The upper side of the first box bounds it from above along s if sᵢ is positive.
                // Then moving that side widens the gap up to the second box.
                let widens_up = (s[axis] > 0.0) == is_upper;
                let gap = if widens_up { i } else { half + i };
                fine.first[side][gap] = s[axis].abs() * STEP * STEPS_PER_UNIT;
                let widens_down = (q[axis] > 0.0) == is_upper;
                let gap = if widens_down { half + i } else { i };
                fine.second[side][gap] = q[axis].abs() * STEP * STEPS_PER_UNIT;
            }
        }
        let units = [unit, unit * ratio].map(|unit| (unit * STEP * STEPS_PER_UNIT) as f32);
        let sizes = [a.size() * units[0], b.size() * units[1]];
        let extent = Extent { sizes, slack: 0.0 };
        let [leaf_a, leaf_b] = [a.leaf_size * units[0], b.leaf_size * units[1]];
        let leaf_size = leaf_a.min(leaf_b) / STEPS_PER_UNIT as f32;
        // Rounded up, because it becomes part of a bound.
        let allowance = allowance as f32 * 1.01;
        Self { gaps, extent, leaf_size, allowance, magnitude: greatest, unit, units, fine }
    }

    /// The table in another number type: `f32` is less precise, and faster.
    pub(super) fn coarse<R: Real>(&self) -> Linear<R, GAPS> {
        let narrowed = |table: &[[f64; GAPS]; 8]| table.map(|row| row.map(R::nearest));
        Linear { first: narrowed(&self.fine.first), second: narrowed(&self.fine.second) }
    }
}

/// The least and the greatest value of `Σ sᵢ xᵢ` over a box.
fn ends(s: DVec3, min: DVec3, max: DVec3) -> (f64, f64) {
    let (p, q) = (s * min, s * max);
    (p.min(q).dot(DVec3::ONE), p.max(q).dot(DVec3::ONE))
}

impl<R: Real, const GAPS: usize> Gaps for Linear<R, GAPS> {
    type State = [R; GAPS];
    const ROUNDING: f32 = R::ROUNDING;

    #[inline]
    fn descended(&self, state: &[R; GAPS], child: Node) -> [R; GAPS] {
        child.cuts().into_iter().fold(*state, |state, cut| {
            let distance = R::from(cut.distance());
            let widths = &self.first[cut.side()];
            std::array::from_fn(|i| state[i] + distance * widths[i])
        })
    }

    #[inline]
    fn change(&self, child: Node) -> [R; GAPS] {
        let [first, second] = child.cuts();
        let (distance, widths) = (R::from(first.distance()), &self.second[first.side()]);
        let (more, others) = (R::from(second.distance()), &self.second[second.side()]);
        std::array::from_fn(|i| distance * widths[i] + more * others[i])
    }

    #[inline]
    fn changed(state: &[R; GAPS], change: &[R; GAPS]) -> [R; GAPS] {
        std::array::from_fn(|i| state[i] + change[i])
    }

    #[inline]
    fn are_apart(state: &[R; GAPS], slack: f32) -> bool {
        let slack = R::from(slack);
        // All gaps without a branch, so that the compiler vectorises the loop.
        state.iter().fold(false, |apart, &gap| apart | (gap > slack))
    }
}
