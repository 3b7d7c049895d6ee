//! Whether two boxes may overlap, worked out from their parents (Zachmann 2002, section 3.2).
//!
//! Along an axis two boxes are apart if there is a gap between them: from the upper end of the one
//! to the lower end of the other, or the other way round. Moving a side of either box inward widens
//! the gaps that this side takes part in, by the distance times a number that is the same for the
//! whole walk. So there is a table of such numbers for each side of each box, and a box is worked
//! out from its parent's by a multiplication and an addition for each gap.

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

/// How a walk tells that two boxes are apart. The answer of a query does not depend on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum OverlapTest {
    /// Along the three axes of the first box, as if the second were enclosed by a box aligned with
    /// it.
    AxisAlignment,
    /// The same, with products from a table that is made for each query.
    LookupTables,
    /// Along all 15 axes that can separate two boxes: none is taken to overlap that does not, but
    /// for rounding.
    SeparatingAxes,
    /// Along the three axes of each box.
    #[default]
    SatLite,
}

impl OverlapTest {
    /// All of them, in the order of the paper.
    pub const ALL: [Self; 4] =
        [Self::AxisAlignment, Self::LookupTables, Self::SeparatingAxes, Self::SatLite];
}

/// A number to reckon gaps in: coarse and twice as many at a time, or fine.
pub(super) trait Real:
    Copy + From<f32> + PartialOrd + Add<Output = Self> + Mul<Output = Self>
{
    /// Half the distance from 1 to the next number.
    const ROUNDING: f32;
    /// The nearest number.
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

/// A way to tell, for one query.
pub(super) trait Gaps {
    /// What a walk knows of two boxes. They are apart if a gap is above a slack, for which see
    /// [`Extent::slack`].
    type State: Copy;
    /// What a number of the state may be off by for each operation, relative to it.
    const ROUNDING: f32;

    /// What is known once a child takes the place of the first box.
    fn descended(&self, state: &Self::State, child: Node) -> Self::State;
    /// What is added once a child takes the place of the second, whatever becomes of the first.
    fn change(&self, child: Node) -> Self::State;
    /// What is known once that is added.
    fn changed(state: &Self::State, change: &Self::State) -> Self::State;
    /// Whether the boxes are apart; `true` is a proof.
    fn are_apart(state: &Self::State, slack: f32) -> bool;
}

/// How large two boxes are, and what that means for the gaps between them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extent {
    /// The sum of the sides of each box, in the unit of gaps.
    pub(super) sizes: [f32; 2],
    /// What the gaps may be off by.
    pub(super) slack: f32,
}

impl Extent {
    pub(super) fn size(&self) -> f32 {
        self.sizes[0] + self.sizes[1]
    }

    /// What the gaps of the boxes' children may be off by.
    ///
    /// Let γ be a gap without roundings, g the one that was worked out, and `|g − γ|` at most the
    /// slack e. The two gaps along an axis add up to minus the lengths of both boxes along it, and
    /// minus twice the allowance that was taken off the gaps of the roots. The boxes were not found
    /// apart, so both γ are at most 2e, and no |γ| is above `M = size + 2 allowance + 2e`. Eight
    /// operations make the gap of two children of it: four products, no two of which add up to more
    /// than the size; and four additions, of which nothing above 2M comes out. Together, with
    /// what the four factors were rounded by, they are off by less than 16 M units of rounding.
    /// Four more are for what this function itself and the sizes are rounded by.
    #[inline]
    pub(super) fn slack_below<G: Gaps>(&self, allowance: f32) -> f32 {
        let most = self.size() + 2.0 * allowance + 2.0 * self.slack;
        self.slack + 20.0 * G::ROUNDING * most
    }
}

/// The gaps along half as many axes as there are gaps: first those from the first box up to the
/// second, then those from the second up to the first.
#[derive(Debug)]
pub(super) struct Linear<R, const GAPS: usize> {
    /// What moving a side of the first box by a unit adds; by side.
    first: [[R; GAPS]; 8],
    /// … and of the second.
    pub(super) second: [[R; GAPS]; 8],
}

/// Along the axes of the first box.
pub(super) const ALIGNED: usize = 6;
/// Along the axes of both.
pub(super) const LITE: usize = 12;
/// Along those and the nine across an edge of each.
pub(super) const FULL: usize = 30;

/// Where a walk starts: the roots, and how gaps are reckoned on from there.
#[derive(Debug)]
pub(super) struct Start<const GAPS: usize> {
    pub(super) gaps: [f64; GAPS],
    pub(super) extent: Extent,
    /// How large most leaves are of the body whose leaves are smaller.
    pub(super) grain: f32,
    /// The most that was taken off a gap for what rounding has done to the meshes.
    pub(super) allowance: f32,
    /// No gap is further from zero than this.
    pub(super) magnitude: f64,
    /// How long the first frame's unit is in that of gaps.
    pub(super) unit: f64,
    /// How much smaller a box becomes if its side is moved by a unit.
    pub(super) units: [f32; 2],
    pub(super) fine: Linear<f64, GAPS>,
}

/// What a root's gap may be off by, relative to the magnitudes that went in: fewer than 32 roundings
/// make less than 2⁻⁴⁸ of them, and what was cut off each box beyond ±1 is less than 2⁻⁴⁸ of its
/// size. Twice over.
const ROUNDING: f64 = 1.0 / (1_u64 << 46) as f64;

impl<const GAPS: usize> Start<GAPS> {
    /// Let `y ↦ M y + t` take the second body to the first one's frame, give or take the slack
    /// along each coordinate. Along an axis s the first box reaches as far as `Σ sᵢ xᵢ` does, and
    /// the second as far as `s·t + Σ qⱼ yⱼ` with `q = Mᵀ s`, give or take the slack times `Σ |sᵢ|`.
    ///
    /// Any s will do: it need be neither a unit vector nor exactly what it was meant to be. One that
    /// is zero, as across parallel edges, leaves all gaps at zero and proves nothing. What is not a
    /// number proves nothing either.
    pub(super) fn new(a: &Boxtree, b: &Boxtree, relative: &Relative) -> Self {
        const { assert!(GAPS == ALIGNED || GAPS == LITE || GAPS == FULL) };
        let half = GAPS / 2;
        let ([min_a, max_a], [min_b, max_b]) = (a.bounds.corners(), b.bounds.corners());
        let edges = relative.matrix.to_cols_array_2d().map(DVec3::from_array);
        // All edges are about as long. They are divided by a coordinate of that size before lengths are
        // taken, because squares overflow and underflow where lengths do not.
        let longest = edges[0].abs().max_element();
        let scaled = edges.map(|edge| edge / longest);
        // If the second body is a point in this frame, any axes will do for it. Lengths of directions
        // are 1 but for a few roundings.
        let directions = [0, 1, 2].map(|i| scaled[i].normalize_or(DVec3::AXES[i]));
        let ratio = if longest > 0.0 { scaled[0].length() * longest } else { 0.0 };
        // If the second body is the larger, its unit is the unit of gaps.
        let unit = 1.0 / ratio.max(1.0);

        let mut gaps = [0.0; GAPS];
        let mut fine = Linear { first: [[0.0; GAPS]; 8], second: [[0.0; GAPS]; 8] };
        let mut allowance = 0_f64;
        let mut greatest = 0_f64;
        for i in 0..half {
            // An axis and its length. The length of `s` itself might underflow when it is squared.
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
                // The upper side of the first box bounds it from above along s if sᵢ is positive,
                // and then moving it widens the gap up to the second.
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
        let [grain_a, grain_b] = [a.grain * units[0], b.grain * units[1]];
        let grain = grain_a.min(grain_b) / STEPS_PER_UNIT as f32;
        // More, if anything, than the greatest: it becomes part of a bound.
        let allowance = allowance as f32 * 1.01;
        Self { gaps, extent, grain, allowance, magnitude: greatest, unit, units, fine }
    }

    /// Less fine, and faster.
    pub(super) fn coarse(&self) -> Linear<f32, GAPS> {
        let narrowed = |table: &[[f64; GAPS]; 8]| table.map(|row| row.map(f32::nearest));
        Linear { first: narrowed(&self.fine.first), second: narrowed(&self.fine.second) }
    }
}

/// The least and the greatest of `Σ sᵢ xᵢ` over a box.
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
        let [(distance, widths), (more, others)] =
            child.cuts().map(|cut| (R::from(cut.distance()), &self.second[cut.side()]));
        std::array::from_fn(|i| distance * widths[i] + more * others[i])
    }

    #[inline]
    fn changed(state: &[R; GAPS], change: &[R; GAPS]) -> [R; GAPS] {
        std::array::from_fn(|i| state[i] + change[i])
    }

    #[inline]
    fn are_apart(state: &[R; GAPS], slack: f32) -> bool {
        let slack = R::from(slack);
        // All of them, without a branch, so that several go at a time.
        state.iter().fold(false, |apart, &gap| apart | (gap > slack))
    }
}
