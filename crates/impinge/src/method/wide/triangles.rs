//! The intersection test of eight triangles against eight, in `f32`, with no wrong answer.
//!
//! `walk.rs` calls [`compare`] for every pair of leaves whose boxes overlap. Each pair of triangles
//! is certainly touching, certainly apart, or left to the exact test.
//!
//! # The test
//!
//! Two triangles share a point exactly if an edge of one meets the other. That holds for coplanar
//! and degenerate ones, too. Five signs tell whether an edge from P to Q meets a triangle ABC:
//! the sides of its plane on which P and Q lie, and the turns `orient(A, B, P, Q)`,
//! `orient(B, C, P, Q)`, `orient(C, A, P, Q)`.
//!
//! - P and Q strictly on different sides and all three turns strictly of one sign: the edge passes
//!   through.
//! - P and Q strictly on one side: the edge does not meet the plane.
//! - Two turns strictly of opposite signs: then the line PQ is not in the plane (all turns would be
//!   0). The turns are proportional to the barycentric coordinates of the one point where the line
//!   meets the plane, so that point is outside the triangle. (If ABC is a segment, lines that meet
//!   it have turns of 0.)
//!
//! If some edge certainly passes through, the triangles touch. If all six certainly do not meet the
//! other triangle, they do not touch. All other pairs are left to the exact test. Six edges need 6
//! sides and 9 turns: 15 signs.
//!
//! # The error bounds
//!
//! The signs are those of the corners as placed in the world, in exact arithmetic. An affine map
//! with a positive determinant changes no sign, so they can be taken in the frame of `a`, relative
//! to the centre of its leaf (see
//! [`RelativePose::both`](super::relative_pose::RelativePose::both)). The computed coordinates are
//! off from that by at most δ each. Let u be 2^−24, the error of an operation relative to its
//! result, ra and rb the largest coordinates of the leaves, ρ the largest sum of magnitudes of a
//! row of the matrix, and d the largest coordinate of the vector between the centres:
//!
//! - a corner of `a` was narrowed, which costs u ra, plus the error that the slack covers;
//! - a corner of `b` and the matrix were narrowed, and three products and three sums were rounded,
//!   all relative to ρ rb or, for the last sum, to ρ rb + d; so was d: that is u (6 ρ rb + 2 d),
//!   plus the slack.
//!
//! δ = u (6.5 ρ rb + 2.5 d + 2.5 ra) + slack covers both, and the rounding of a sum with it.
//!
//! A determinant of three differences of four points is a sum of six products of three differences.
//! Let X, Y, Z be at least the magnitudes of the differences along each axis, both of the true and
//! of
//! the computed points. A difference is off by up to 2 δ, so a product by up to
//! 2 δ (YZ + XZ + XY), and the determinant by 12 δ P with P the sum in brackets.
//!
//! Evaluating it passes each product through eight roundings (three differences, two products,
//! three
//! sums), so with Q = XYZ it is off by 48 u Q more. Turns of the third edge are made of two sides
//! and
//! two turns, see below, so they are off by four times as much in evaluation, and their three sums,
//! of at most 12 Q, 18 Q and 24 Q, add 54 u Q: 246 u Q. Underflow loses at most 2^−149 a time,
//! which
//! no later factor makes larger than a few hundred times as much; a bound of at least 1e-37 is
//! above
//! that by far. Magnitudes are kept below 1e6, so that nothing overflows.

use super::{
    Leaf, Slot, WIDTH, WideTree,
    neighbours::Neighbours,
    relative_pose::{RelativePose, row_sum},
    vector::{
        Vector, cross, dot, greatest, highs, least, loads, lows, minus, pick, plus, splats, store,
        times,
    },
};
use fearless_simd::{f32x8, mask32x8, prelude::*};

/// The relative pose narrowed to `f32`, with the error bounds that all triangles of a query share.
#[derive(Clone, Copy, Debug)]
pub(super) struct NarrowedPose {
    matrix: [[f32; 3]; 3],
    /// ρ: the largest sum of magnitudes of a row, as in a row times a vector.
    row: f32,
    slack: f32,
    scale: f32,
    /// The largest error of a corner's dot product with a rotated axis, for a leaf with a reach of
    /// 1.
    skew: f32,
}

impl NarrowedPose {
    pub(super) fn new(relative: &RelativePose) -> Self {
        let row = row_sum(&relative.matrix);
        Self {
            matrix: relative.matrix.as_mat3().to_cols_array_2d(),
            row: (row * 1.0001) as f32,
            // Covers the roundings of both bodies, and that of narrowing the slack itself.
            slack: (relative.slack * 1.01) as f32 + f32::MIN_POSITIVE,
            scale: relative.scale,
            skew: relative.axis_error(),
        }
    }
}

/// The verdicts on eight pairs, one bit for each. A pair with neither bit set is apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Verdicts {
    /// The pair touches.
    pub(super) touching: u32,
    /// Only the exact test can decide the pair.
    pub(super) undecided: u32,
}

/// For three numbers in each lane: whether all are above the bound or all below its negative, and
/// whether some are above and some below.
#[inline(always)]
fn agree<S: Simd>(
    p: f32x8<S>,
    q: f32x8<S>,
    r: f32x8<S>,
    bound: f32x8<S>,
) -> (mask32x8<S>, mask32x8<S>) {
    let (low, high) = (least(p, q, r), greatest(p, q, r));
    let alike = low.simd_gt(bound) | high.simd_lt(-bound);
    let unlike = high.simd_gt(bound) & low.simd_lt(-bound);
    (alike, unlike)
}

/// For the sides of a plane on which three corners lie, and for each of the three edges between the
/// corners: whether its ends are strictly on different sides, and whether they are strictly on one
/// side.
#[inline(always)]
fn edges<S: Simd>(sides: &Vector<S>, bound: f32x8<S>) -> [(mask32x8<S>, mask32x8<S>); 3] {
    let [p, q, r] = *sides;
    let above = [p.simd_gt(bound), q.simd_gt(bound), r.simd_gt(bound)];
    let below = [p.simd_lt(-bound), q.simd_lt(-bound), r.simd_lt(-bound)];
    [
        edge([above[0], above[1]], [below[0], below[1]]),
        edge([above[1], above[2]], [below[1], below[2]]),
        edge([above[2], above[0]], [below[2], below[0]]),
    ]
}

/// Whether the ends of an edge are strictly on different sides, and whether they are on one side.
#[inline(always)]
fn edge<S: Simd>(above: [mask32x8<S>; 2], below: [mask32x8<S>; 2]) -> (mask32x8<S>, mask32x8<S>) {
    let parted = (above[0] & below[1]) | (below[0] & above[1]);
    let together = (above[0] & above[1]) | (below[0] & below[1]);
    (parted, together)
}

/// The turns of an edge from p to q about the edges of a triangle from its corner 0 to 1, 1 to 2
/// and 0 to 2. All coordinates are relative to corner 0; e and f are the edges that start there.
///
/// The second turn follows from the others and the rise from p to q over the triangle's plane:
/// `det(p − e, q − e, f − e) = det(p, q, f) − det(p, q, e) + (q − p)·(e × f)`.
#[inline(always)]
fn turns<S: Simd>(
    [p, q]: [&Vector<S>; 2],
    [e, f]: [&Vector<S>; 2],
    rise: f32x8<S>,
) -> [f32x8<S>; 3] {
    let moment = cross(p, q);
    let (first, third) = (dot(&moment, e), dot(&moment, f));
    [first, rise + (third - first), third]
}

/// The thinnest slab of a leaf's box, which contains all of its triangles: all points `p`, relative
/// to the leaf's centre, with `|p·axis − middle| ≤ half`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slab {
    axis: [f32; 3],
    middle: f32,
    half: f32,
}

impl Slab {
    /// The slab of the child at `slot`, which must be a leaf.
    #[inline(always)]
    pub(super) fn new(tree: &WideTree, slot: Slot, leaf: &Leaf) -> Self {
        let (node, lane) = (&tree.nodes[slot as usize / WIDTH], slot as usize % WIDTH);
        let (h0, h1, h2) = (node.half[0][lane], node.half[1][lane], node.half[2][lane]);
        let (thin, half) = if h0 < h1 { (0, h0) } else { (1, h1) };
        let (thin, half) = if h2 < half { (2, h2) } else { (thin, half) };
        let [x, y, z] = &node.axes[thin];
        let axis = [x[lane], y[lane], z[lane]];
        let middle = axis[0] * (node.center[0][lane] - leaf.center[0])
            + axis[1] * (node.center[1][lane] - leaf.center[1])
            + axis[2] * (node.center[2][lane] - leaf.center[2]);
        Self { axis, middle, half }
    }
}

/// A bit mask of the triangles that reach into a slab.
#[inline(always)]
fn reaches<S: Simd>(
    simd: S,
    [p, q, r]: [&Vector<S>; 3],
    axis: [f32; 3],
    middle: f32,
    half: f32,
) -> u32 {
    let axis = splats(simd, axis);
    let (p, q, r) = (dot(&axis, p), dot(&axis, q), dot(&axis, r));
    let reaches = least(p, q, r).simd_le(middle + half) & greatest(p, q, r).simd_ge(middle - half);
    reaches.to_bitmask() as u32
}

/// A leaf and the slab that contains it.
pub(super) type Slabbed<'t> = (&'t Leaf, Slab);

/// Compares all triangles of two leaves. With `neighbours`, the vertices of both leaves' faces, pairs that share vertices
/// and are proven to be in no contact besides count as apart. Calls `visit` for each triangle of `b`, by its lane, with
/// the verdicts on the triangles of `a`, unless all are apart. Stops and returns `true` as soon as
/// `visit` returns `true`.
#[inline(always)]
pub(super) fn compare<S: Simd>(
    simd: S,
    (a, slab_a): Slabbed<'_>,
    (b, slab_b): Slabbed<'_>,
    relative: &RelativePose,
    narrowed: &NarrowedPose,
    neighbours: Option<&Neighbours<'_>>,
    mut visit: impl FnMut(u32, Verdicts) -> bool,
) -> bool {
    const UNIT: f32 = f32::EPSILON / 2.0;
    let way = relative.point(b.center);
    let way = [
        (way.x - f64::from(a.center[0])) as f32,
        (way.y - f64::from(a.center[1])) as f32,
        (way.z - f64::from(a.center[2])) as f32,
    ];
    let far = way[0].abs().max(way[1].abs()).max(way[2].abs());
    let (ra, rb) = (a.reach(), narrowed.row * b.reach());
    let delta = UNIT * (6.5 * rb + 2.5 * (far + ra)) + narrowed.slack;
    // Two δ, and the rounding of the value it is added to.
    let margin = 3.0 * delta;
    let is_in_range = ra + rb + far + delta < 1e6;
    if !is_in_range {
        let mut rest = b.mask();
        while rest != 0 {
            let lane = rest.trailing_zeros();
            rest &= rest - 1;
            if visit(lane, Verdicts { touching: 0, undecided: a.mask() }) {
                return true;
            }
        }
        return false;
    }

    // The placed triangles of b and their boxes. Triangles that miss all of a are left out.
    let m = [
        splats(simd, narrowed.matrix[0]),
        splats(simd, narrowed.matrix[1]),
        splats(simd, narrowed.matrix[2]),
    ];
    // A corner's product with an axis is off by √3 δ and four roundings of the corner's distance,
    // which is at most ra, or d + ρ rb. Together that is less than 5 δ.
    let slack = 5.0 * delta;
    let a0 = loads(simd, &a.corners[0]);
    let a1 = loads(simd, &a.corners[1]);
    let a2 = loads(simd, &a.corners[2]);
    // With M = s R, w·(y − k) is (R w)·(p − d) / s, up to the skew.
    // A body and itself have the same frame.
    let is_own = neighbours.is_some();
    let axis = if is_own { slab_b.axis } else { relative.rotated_axis(simd, slab_b.axis) };
    let middle =
        narrowed.scale * slab_b.middle + (axis[0] * way[0] + axis[1] * way[1] + axis[2] * way[2]);
    let half = narrowed.scale * slab_b.half + narrowed.skew * b.reach() + slack;
    let mask_a = a.mask() & reaches(simd, [&a0, &a1, &a2], axis, middle, half);
    if mask_a == 0 {
        return false;
    }
    let way = splats(simd, way);
    let [mut p, mut q, mut r] =
        [loads(simd, &b.corners[0]), loads(simd, &b.corners[1]), loads(simd, &b.corners[2])];
    if !is_own {
        (p, q, r) = (times(&m, &p), times(&m, &q), times(&m, &r));
    }
    let (p, q, r) = (plus(&p, &way), plus(&q, &way), plus(&r, &way));
    let (low, high) = (lows(&p, &q, &r), highs(&p, &q, &r));
    let mut near = low[0].simd_le(a.extent[0] + margin) & high[0].simd_ge(-a.extent[0] - margin);
    for c in 1..3 {
        near = near & low[c].simd_le(a.extent[c] + margin) & high[c].simd_ge(-a.extent[c] - margin);
    }
    let mut rest = near.to_bitmask() as u32 & b.mask();
    rest &= reaches(simd, [&p, &q, &r], slab_a.axis, slab_a.middle, slab_a.half + slack);
    if rest == 0 {
        return false;
    }
    // Stored to memory, because they are taken one by one.
    let normals = store(cross(&minus(&q, &p), &minus(&r, &p)));
    let corners = [store(p), store(q), store(r)];
    let (low, high) = (store(low), store(high));

    // The triangles of a, their boxes and planes.
    let (mut low_a, mut high_a) = (lows(&a0, &a1, &a2), highs(&a0, &a1, &a2));
    let mut size_a = minus(&high_a, &low_a);
    for c in 0..3 {
        low_a[c] -= margin;
        high_a[c] += margin;
        size_a[c] += 2.0 * margin;
    }
    let normal_a = cross(&minus(&a1, &a0), &minus(&a2, &a0));

    while rest != 0 {
        let lane = rest.trailing_zeros();
        rest &= rest - 1;
        let at = lane as usize & 7;
        let mut near = low_a[0].simd_le(high[0][at]) & high_a[0].simd_ge(low[0][at]);
        for c in 1..3 {
            near = near & low_a[c].simd_le(high[c][at]) & high_a[c].simd_ge(low[c][at]);
        }
        let mut alive = near.to_bitmask() as u32 & mask_a;
        if alive == 0 {
            continue;
        }
        let shared = match neighbours {
            None => None,
            Some(neighbours) => {
                let shared = neighbours.shared(simd, at);
                alive &= !neighbours.unfolded(&shared, at);
                if alive == 0 {
                    continue;
                }
                Some(shared)
            }
        };
        let b0 = pick(simd, &corners[0], at);
        let b1 = pick(simd, &corners[1], at);
        let b2 = pick(simd, &corners[2], at);
        if let Some(shared) = shared {
            alive &= !shared.cleared(simd, alive, [&a0, &a1, &a2], [&b0, &b1, &b2], delta);
            if alive == 0 {
                continue;
            }
        }

        // If the boxes overlap up to the margin, no difference is larger than the sum of their
        // sides and 5 δ: 3 between the boxes and 2 for the true points. The margins add up to 6 δ.
        let x = size_a[0] + (high[0][at] - low[0][at]);
        let y = size_a[1] + (high[1][at] - low[1][at]);
        let z = size_a[2] + (high[2][at] - low[2][at]);
        let yz = y * z;
        let (area, volume) = (x * (y + z) + yz, x * yz);
        // Slightly more than 12 δ P and 48 u Q, for the roundings of the bound itself.
        let common = area * (12.01 * delta) + 1e-37;
        let bound = volume * (49.0 * UNIT) + common;

        let sides_b = [
            dot(&normal_a, &minus(&b0, &a0)),
            dot(&normal_a, &minus(&b1, &a0)),
            dot(&normal_a, &minus(&b2, &a0)),
        ];
        let (one_side, _) = agree(sides_b[0], sides_b[1], sides_b[2], bound);
        alive &= !(one_side.to_bitmask() as u32);
        if alive == 0 {
            continue;
        }

        let normal_b = pick(simd, &normals, at);
        let (c0, c1, c2) = (minus(&a0, &b0), minus(&a1, &b0), minus(&a2, &b0));
        let sides_a = [dot(&normal_b, &c0), dot(&normal_b, &c1), dot(&normal_b, &c2)];
        let (one_side, _) = agree(sides_a[0], sides_a[1], sides_a[2], bound);
        alive &= !(one_side.to_bitmask() as u32);
        if alive == 0 {
            continue;
        }

        let ways = [&minus(&b1, &b0), &minus(&b2, &b0)];
        let turns = [
            turns([&c0, &c1], ways, sides_a[1] - sides_a[0]),
            turns([&c1, &c2], ways, sides_a[2] - sides_a[1]),
            turns([&c2, &c0], ways, sides_a[0] - sides_a[2]),
        ];
        let wide = volume * (250.0 * UNIT) + common;

        let (edges_a, edges_b) = (edges(&sides_a, bound), edges(&sides_b, bound));
        let mut through = near & !near;
        let mut clear = !through;
        for i in 0..3 {
            let [first, second, third] = turns[i];
            let (alike, unlike) = agree(first, second, -third, wide);
            let (parted, together) = edges_a[i];
            through |= alike & parted;
            clear &= unlike | together;
            let bound = if i == 1 { wide } else { bound };
            let (alike, unlike) = agree(turns[0][i], turns[1][i], turns[2][i], bound);
            let (parted, together) = edges_b[i];
            through |= alike & parted;
            clear &= unlike | together;
        }
        let touching = through.to_bitmask() as u32 & alive;
        let undecided = alive & !touching & !(clear.to_bitmask() as u32);
        if touching | undecided != 0 && visit(lane, Verdicts { touching, undecided }) {
            return true;
        }
    }
    false
}
