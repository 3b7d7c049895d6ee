//! Faces of one mesh that share vertices, eight pairs at a time: proofs that they are in no contact besides.
//!
//! In a search of a body and itself nearly all candidates are neighbours in the surface. `triangles.rs` cannot decide
//! them, because they do meet, and the exact test would take most of the time of a search. It asks here first. Faces around
//! vertices that `mesh/fans.rs` has looked at are known to be in no contact. For others,
//! `narrow/adjacent.rs` says when neighbours are in contact; here, simple sufficient conditions are tested in `f32`.
//!
//! # One common vertex
//!
//! Let o be the vertex, A and B the edges of one face that start there, C and D those of the other. If some vector w has
//! `w·A > 0`, `w·B > 0`, `w·C < 0` and `w·D < 0`, the faces meet in o only. w is the sum of A and B minus that of C and
//! D, each made a unit vector: whatever w is, the signs are a proof. Its length is at most 4.
//!
//! Each coordinate is off by at most δ (see `triangles.rs`), so an edge by 2 δ in each, and its product with w by
//! `2 δ · √3 · 4 < 14 δ`. Rounding of the difference and of the product adds less than 17 units of the edge's length.
//!
//! # Two common vertices
//!
//! Let e be the common edge, and f and g the edges from its start to the third corners. If `(e × f)·(e × g) < 0`, the
//! faces lie on different sides of the line, or are folded by more than a right angle, and meet in the edge only.
//!
//! Let X be the largest coordinate of e, f and g. A component of a cross product is a difference of two products, each
//! off by `4 δ X` and two roundings of X², so it is off by less than `8 δ X + 8 u X²`, and it is at most 2 X². A product
//! of two components is off by `4 X²` times as much, and the sum of three by `96 δ X³ + 132 u X⁴` in first order.
//!
//! # No common vertex
//!
//! In a flat or smooth surface, faces close to each other lie nearly in one plane, and `triangles.rs` cannot decide them
//! either. Let w be the difference of the sums of their corners. If all corners of one face are farther along w than
//! those of the other, the faces are apart.
//!
//! Corners are taken relative to a corner of one face. A coordinate is off by 2 δ and one rounding of at most R, the
//! largest of them. Let W be the sum of the coordinates of w, without signs. A product with w is off by `W (2 δ + u R)`, and
//! its roundings add 4 u W R. Two of them and their difference are off by less than `W (4 δ + 12 u R)`.

use super::{
    WIDTH,
    vector::{Vector, cross, dot, greatest, least, minus, plus, splat},
};
use crate::method::self_question::FaceVertices;
use fearless_simd::{f32x8, mask32x8, prelude::*, u32x8};

/// The faces of two leaves of one mesh, and their vertices.
pub(super) struct Neighbours<'t> {
    vertices: &'t FaceVertices<'t>,
    faces: [&'t [u32]; 2],
    /// The vertices of the first leaf's faces: `ids[i][lane]` is corner `i`. Unused lanes hold those of its first face.
    ids: [[u32; WIDTH]; 3],
}

impl<'t> Neighbours<'t> {
    #[inline(always)]
    pub(super) fn new(vertices: &'t FaceVertices<'t>, faces: [&'t [u32]; 2]) -> Self {
        let mut ids = [[0; WIDTH]; 3];
        for lane in 0..WIDTH {
            let face = faces[0][if lane < faces[0].len() { lane } else { 0 }];
            let [p, q, r] = vertices.of(face);
            (ids[0][lane], ids[1][lane], ids[2][lane]) = (p, q, r);
        }
        Self { vertices, faces, ids }
    }

    /// Which vertices the faces of the first leaf share with a face of the second.
    #[inline(always)]
    pub(super) fn shared<S: Simd>(&self, simd: S, lane: usize) -> Shared<S> {
        let others = self.vertices.of(self.faces[1][lane]).map(|id| u32x8::splat(simd, id));
        let ids = [
            u32x8::load_array_ref(simd, &self.ids[0]),
            u32x8::load_array_ref(simd, &self.ids[1]),
            u32x8::load_array_ref(simd, &self.ids[2]),
        ];
        let none = ids[0].simd_eq(others[0]);
        let none = none & !none;
        let (mut own, mut its) = ([none; 3], [none; 3]);
        for i in 0..3 {
            for j in 0..3 {
                let is_same = ids[i].simd_eq(others[j]);
                own[i] |= is_same;
                its[j] |= is_same;
            }
        }
        Shared { own, its }
    }

    /// A bit mask of the faces that share vertices with a face of the second leaf, and are known to be in no contact with
    /// it: `mesh/fans.rs` has the proof.
    #[inline(always)]
    pub(super) fn unfolded<S: Simd>(&self, shared: &Shared<S>, lane: usize) -> u32 {
        let [p, q, r] = shared.own;
        let neighbours = (p | q | r).to_bitmask() as u32;
        if neighbours == 0 || self.vertices.is_unfolded(self.faces[1][lane]) {
            return neighbours;
        }
        let own = self.faces[0].iter().enumerate();
        let unfolded = own.map(|(lane, &face)| u32::from(self.vertices.is_unfolded(face)) << lane);
        neighbours & unfolded.fold(0, |mask, bit| mask | bit)
    }
}

/// Which corners of eight faces are vertices of another face, and which corners of that face are vertices of each.
pub(super) struct Shared<S: Simd> {
    own: [mask32x8<S>; 3],
    its: [mask32x8<S>; 3],
}

impl<S: Simd> Shared<S> {
    /// Returns those of the faces with bits in `asked` that are proven to be in no contact with the other face. `delta`
    /// bounds the error of each coordinate.
    #[inline(always)]
    pub(super) fn cleared(
        &self,
        simd: S,
        asked: u32,
        a: [&Vector<S>; 3],
        b: [&Vector<S>; 3],
        delta: f32,
    ) -> u32 {
        const UNIT: f32 = f32::EPSILON / 2.0;
        let Self { own, its } = self;
        // Faces that name a vertex twice do not have equal counts, or a common edge of length 0, which proves nothing.
        let (own_one, own_two) = one_or_two(own);
        let (its_one, its_two) = one_or_two(its);
        let (vertex, edge) = (own_one & its_one, own_two & its_two);
        let mut cleared = 0;
        let apart = !(own[0] | own[1] | own[2]);
        if apart.to_bitmask() as u32 & asked != 0 {
            let w = minus(&plus(&plus(b[0], b[1]), b[2]), &plus(&plus(a[0], a[1]), a[2]));
            let [p, q] = [minus(a[1], a[0]), minus(a[2], a[0])];
            let [r, s, t] = [minus(b[0], a[0]), minus(b[1], a[0]), minus(b[2], a[0])];
            let reach = greatest(largest(&p), largest(&q), largest(&r));
            let reach = greatest(reach, largest(&s), largest(&t));
            let total = w[0].abs() + w[1].abs() + w[2].abs();
            let zero = splat(simd, 0.0);
            let near = least(dot(&w, &r), dot(&w, &s), dot(&w, &t));
            let gap = near - greatest(dot(&w, &p), dot(&w, &q), zero);
            // The constant is far above what underflow loses.
            let bound =
                total * (reach * (16.0 * UNIT) + splat(simd, 5.0 * delta)) + splat(simd, 1e-37);
            cleared |= (apart & gap.simd_gt(bound)).to_bitmask() as u32;
        }
        if vertex.to_bitmask() as u32 & asked != 0 {
            let o = chosen(own, a[0], a[1], a[2]);
            let p = minus(&chosen(own, a[1], a[2], a[0]), &o);
            let q = minus(&chosen(own, a[2], a[0], a[1]), &o);
            let r = minus(&chosen(its, b[1], b[2], b[0]), &o);
            let s = minus(&chosen(its, b[2], b[0], b[1]), &o);
            let lengths =
                [dot(&p, &p).sqrt(), dot(&q, &q).sqrt(), dot(&r, &r).sqrt(), dot(&s, &s).sqrt()];
            let one = splat(simd, 1.0);
            let first = plus(&scaled(&p, one / lengths[0]), &scaled(&q, one / lengths[1]));
            let second = plus(&scaled(&r, one / lengths[2]), &scaled(&s, one / lengths[3]));
            let w = minus(&first, &second);
            let mut is_clear = vertex;
            for (k, edge) in [&p, &q, &r, &s].into_iter().enumerate() {
                let along = if k < 2 { dot(&w, edge) } else { -dot(&w, edge) };
                // Slightly more than 14 δ and 17 units. Squares of shorter lengths may underflow.
                let bound = lengths[k] * (24.0 * UNIT) + 16.0 * delta;
                is_clear = is_clear & along.simd_gt(bound) & lengths[k].simd_gt(1e-15);
            }
            cleared |= is_clear.to_bitmask() as u32;
        }
        if edge.to_bitmask() as u32 & asked != 0 {
            let (own, its) = (&[!own[0], !own[1], !own[2]], &[!its[0], !its[1], !its[2]]);
            let start = chosen(own, a[1], a[2], a[0]);
            let e = minus(&chosen(own, a[2], a[0], a[1]), &start);
            let f = minus(&chosen(own, a[0], a[1], a[2]), &start);
            let g = minus(&chosen(its, b[0], b[1], b[2]), &start);
            let reach = greatest(largest(&e), largest(&f), largest(&g));
            let cube = reach * reach * reach;
            let product = dot(&cross(&e, &f), &cross(&e, &g));
            // The constant is far above what underflow loses.
            let bound = cube * (100.0 * delta) + reach * cube * (140.0 * UNIT) + 1e-37;
            let is_clear = edge & product.simd_lt(-bound);
            cleared |= is_clear.to_bitmask() as u32;
        }
        cleared
    }
}

/// Where exactly one of three masks is set, and where exactly two are.
#[inline(always)]
fn one_or_two<S: Simd>([p, q, r]: &[mask32x8<S>; 3]) -> (mask32x8<S>, mask32x8<S>) {
    let (odd, two_or_more) = (*p ^ *q ^ *r, (*p & *q) | (*q & *r) | (*r & *p));
    (odd & !two_or_more, two_or_more & !odd)
}

/// The first vector where the first mask is set, the second where only the second is, otherwise the third.
#[inline(always)]
fn chosen<S: Simd>(
    masks: &[mask32x8<S>; 3],
    p: &Vector<S>,
    q: &Vector<S>,
    r: &Vector<S>,
) -> Vector<S> {
    [
        masks[0].select(p[0], masks[1].select(q[0], r[0])),
        masks[0].select(p[1], masks[1].select(q[1], r[1])),
        masks[0].select(p[2], masks[1].select(q[2], r[2])),
    ]
}

#[inline(always)]
fn scaled<S: Simd>(p: &Vector<S>, by: f32x8<S>) -> Vector<S> {
    [p[0] * by, p[1] * by, p[2] * by]
}

/// The largest magnitude of a coordinate.
#[inline(always)]
fn largest<S: Simd>(p: &Vector<S>) -> f32x8<S> {
    greatest(p[0].abs(), p[1].abs(), p[2].abs())
}
