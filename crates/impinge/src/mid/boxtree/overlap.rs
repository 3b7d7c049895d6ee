//! Whether two boxes may overlap, worked out from their parents (Zachmann 2002, section 3.2).
//!
//! Along an axis two boxes are apart if there is a gap between them: from the upper end of the one
//! to the lower end of the other, or the other way round. Moving a side of either box inward widens
//! the gaps that this side takes part in, by the distance times a number that is the same for the
//! whole walk. So there is a table of such numbers for each side of each box, and a box is worked
//! out from its parent's by a multiplication and an addition for each gap.

use super::{
    Boxtree,
    build::MAX_DEPTH,
    grid::{STEP, Side},
    node::Node,
};
use crate::volume::Relative;
use glam::DVec3;

/// How a walk tells that two boxes are apart. The answer of a query does not depend on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum OverlapTest {
    /// Along the three axes of the first box, as if the second were enclosed by a box aligned with
    /// it.
    AxisAlignment,
    /// The same, with products from a table that is made for each query.
    LookupTables,
    /// Along all 15 axes that can separate two boxes: no box is taken to overlap that does not.
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

/// A way to tell, for one query.
pub(super) trait Gaps {
    /// What a walk knows of two boxes.
    type State: Copy;
    /// What moving a side of the second box does to that, whatever becomes of the first.
    type Change: Copy;

    /// What is known of the roots.
    fn roots(&self) -> Self::State;
    /// What is known once a child takes the place of the first box.
    fn descended(&self, state: &Self::State, child: Node) -> Self::State;
    /// What it will do that a child takes the place of the second box.
    fn change(&self, state: &Self::State, child: Node) -> Self::Change;
    /// What is known once it has done so.
    fn changed(state: &Self::State, change: &Self::Change) -> Self::State;
    /// Whether the boxes are apart; `true` is a proof.
    fn are_apart(state: &Self::State) -> bool;
}

/// The gaps along half as many axes as there are gaps: first those from the first box up to the
/// second, then those from the second up to the first. Boxes are apart if one is above zero.
#[derive(Debug)]
pub(super) struct Linear<const GAPS: usize> {
    roots: [f64; GAPS],
    /// What moving a side of the first box by a step adds; by side.
    first: [[f64; GAPS]; 8],
    /// … and of the second.
    second: [[f64; GAPS]; 8],
}

/// Along the axes of the first box.
pub(super) const ALIGNED: usize = 6;
/// Along the axes of both.
pub(super) const LITE: usize = 12;
/// Along those and the nine across an edge of each.
pub(super) const FULL: usize = 30;

/// What all roundings of a walk may add up to, relative to the magnitudes that went in.
///
/// Let u be 2⁻⁵³, and G the sum of all magnitudes that make up a gap (see [`Linear::new`]), slack
/// included. A table entry is off by at most 4u of its share of G, and is multiplied by distances
/// that add up to at most 2, as the box lies within ±1; with the roundings of the products that is
/// less than 16uG. The gap of the roots takes fewer than 16 additions, and each node on the way to
/// a pair of leaves one more, all of numbers below 2G. Together less than
/// `(32 + 2 · (16 + 2 · MAX_DEPTH)) uG`, and twice that is allowed for.
const ROUNDING: f64 = (32 + 2 * (16 + 2 * MAX_DEPTH)) as f64 * f64::EPSILON;

/// What was cut off each box beyond ±1, and more.
const CUT_OFF: f64 = 1.0 / (1_u64 << 49) as f64;

impl<const GAPS: usize> Linear<GAPS> {
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
        let [zeros, tables] = [[0.0; GAPS], [0.0; GAPS]];
        let mut gaps = Self { roots: zeros, first: [tables; 8], second: [tables; 8] };
        let ([min_a, max_a], [min_b, max_b]) = (a.bounds.corners(), b.bounds.corners());
        let units = DVec3::AXES;
        let edges = relative.matrix.to_cols_array_2d().map(DVec3::from_array);
        // Of unit length where that is possible, so that nothing below overflows or underflows.
        let directions = edges.map(DVec3::normalize_or_zero);
        for i in 0..half {
            let s = match i {
                0..3 => units[i],
                3..6 => directions[i - 3],
                _ => units[(i - 6) / 3].cross(directions[i % 3]),
            };
            let q = DVec3::from_array(edges.map(|edge| edge.dot(s)));
            let shift = s.dot(relative.offset);
            let (low_a, high_a) = ends(s, min_a, max_a);
            let (low_b, high_b) = ends(q, min_b, max_b);

            let lengths = s.abs().dot(DVec3::ONE);
            let reach = edges.iter().map(|edge| edge.abs().dot(s.abs())).sum::<f64>();
            let slack = relative.slack * lengths + CUT_OFF * (lengths + reach);
            let size = s.abs().dot(relative.offset.abs()) + lengths + reach + slack;
            let slack = slack + ROUNDING * size;
            gaps.roots[i] = (shift + low_b) - high_a - slack;
            gaps.roots[half + i] = low_a - (shift + high_b) - slack;
            for axis in 0..3 {
                for upper in 0..2 {
                    let side: Side = 2 * axis + upper;
                    // The upper side of the first box bounds it from above along s if sᵢ is
                    // positive, and then moving it widens the gap up to the second.
                    let widens_up = (s[axis] > 0.0) == (upper == 1);
                    let gap = if widens_up { i } else { half + i };
                    gaps.first[side][gap] = s[axis].abs() * STEP;
                    let widens_down = (q[axis] > 0.0) == (upper == 1);
                    let gap = if widens_down { half + i } else { i };
                    gaps.second[side][gap] = q[axis].abs() * STEP;
                }
            }
        }
        gaps
    }
}

/// The least and the greatest of `Σ sᵢ xᵢ` over a box.
fn ends(s: DVec3, min: DVec3, max: DVec3) -> (f64, f64) {
    let (p, q) = (s * min, s * max);
    (p.min(q).dot(DVec3::ONE), p.max(q).dot(DVec3::ONE))
}

impl<const GAPS: usize> Gaps for Linear<GAPS> {
    type State = [f64; GAPS];
    type Change = [f64; GAPS];

    fn roots(&self) -> [f64; GAPS] {
        self.roots
    }

    #[inline]
    fn descended(&self, state: &[f64; GAPS], child: Node) -> [f64; GAPS] {
        let distance = f64::from(child.distance());
        let widths = &self.first[child.side()];
        std::array::from_fn(|i| state[i] + distance * widths[i])
    }

    #[inline]
    fn change(&self, _: &[f64; GAPS], child: Node) -> [f64; GAPS] {
        let distance = f64::from(child.distance());
        self.second[child.side()].map(|width| distance * width)
    }

    #[inline]
    fn changed(state: &[f64; GAPS], change: &[f64; GAPS]) -> [f64; GAPS] {
        std::array::from_fn(|i| state[i] + change[i])
    }

    #[inline]
    fn are_apart(state: &[f64; GAPS]) -> bool {
        // All of them, without a branch, so that several go at a time.
        state.iter().fold(false, |apart, &gap| apart | (gap > 0.0))
    }
}
