//! The exact test whether two triangles share a point. Its floating-point filter makes it nearly as fast as
//! an inexact test.

use super::{
    Triangle, degenerate,
    predicates::{Filter3, orient3d},
};
use crate::Bounds;
use glam::DVec3;

/// Returns whether two closed triangles share a point.
///
/// Exact for every finite `f64`, with no tolerance: touching at a point counts, coplanar overlap counts, and
/// a degenerate triangle counts as the segment or point it is.
///
/// The test is that of Guigue and Devillers (2003). It uses only signs of determinants of the corners'
/// coordinates, so it is as exact as they are. Nearly all signs are decided in floating point against one
/// error bound for the pair; the rest are computed in integers. For the points that the triangles have in
/// common see [`triangles_meet`](super::triangles_meet).
///
/// ```
/// use impinge::{glam::DVec3, narrow::triangles_intersect};
///
/// let floor = [DVec3::ZERO, DVec3::X, DVec3::Y];
/// let standing_on_its_edge = [DVec3::new(0.5, 0.5, 0.0), DVec3::ONE, DVec3::new(0.0, 1.0, 1.0)];
/// assert!(triangles_intersect(&floor, &standing_on_its_edge));
///
/// let just_above = standing_on_its_edge.map(|p| p + DVec3::Z * f64::EPSILON);
/// assert!(!triangles_intersect(&floor, &just_above));
/// ```
#[inline]
pub fn triangles_intersect(a: &Triangle, b: &Triangle) -> bool {
    let test = TriangleTest {
        filter: filter_of(a, b),
        #[cfg(debug_assertions)]
        bounds: Bounds { min: DVec3::NEG_INFINITY, max: DVec3::INFINITY },
    };
    test.intersects(a, b)
}

/// A filter for two triangles.
#[inline]
pub(super) fn filter_of(a: &Triangle, b: &Triangle) -> Filter3 {
    let reach = [a[1], a[2], b[0], b[1], b[2]].map(|corner| (corner - a[0]).abs());
    let reach = reach[0].max(reach[1]).max(reach[2].max(reach[3])).max(reach[4]);
    // Any two of the six corners differ by at most twice their largest difference from the first.
    Filter3::new(2.0 * reach)
}

/// The exact test for many triangles within common bounds.
///
/// Gives the same answers as [`triangles_intersect`], and is used by the methods. The error bound of its
/// floating-point filter is computed once, from bounds that enclose all the triangles, so a pair costs hardly
/// more than in plain floating point. If the bound is too coarse for a pair, a finer one is tried before the
/// sign is computed in integers.
#[derive(Clone, Copy, Debug)]
pub struct TriangleTest {
    filter: Filter3,
    /// The bounds the filter was made for, to detect callers that exceed them.
    #[cfg(debug_assertions)]
    bounds: Bounds,
}

impl TriangleTest {
    /// A test for triangles whose corners all lie within `bounds`.
    #[inline]
    pub fn within(bounds: &Bounds) -> Self {
        Self {
            filter: Filter3::new(bounds.size()),
            #[cfg(debug_assertions)]
            bounds: *bounds,
        }
    }

    /// Returns whether two closed triangles share a point. Exact if all corners are within the bounds that
    /// were passed.
    #[inline]
    pub fn intersects(&self, a: &Triangle, b: &Triangle) -> bool {
        #[cfg(debug_assertions)]
        for point in a.iter().chain(b) {
            let inside = self.bounds.min.cmple(*point).all() && point.cmple(self.bounds.max).all();
            assert!(inside, "{point} is outside {:?}", self.bounds);
        }
        let Some(b_sides) = Sides::certain(self.filter, heights(a, b)) else {
            return self.intersects_exactly(a, b);
        };
        if b_sides.are_on_one_side() {
            return false;
        }
        let Some(a_sides) = Sides::certain(self.filter, heights(b, a)) else {
            return self.intersects_exactly(a, b);
        };
        if a_sides.are_on_one_side() {
            return false;
        }
        self.decide(Position::new(a, a_sides, b, b_sides))
    }

    /// The test for pairs with a corner so close to the other's plane that the filter cannot decide its side.
    #[cold]
    #[inline(never)]
    fn intersects_exactly(&self, a: &Triangle, b: &Triangle) -> bool {
        let b_sides = Sides::exact(a, b);
        if b_sides.are_on_one_side() {
            return false;
        }
        self.decide(Position::new(a, Sides::exact(b, a), b, b_sides))
    }

    #[inline]
    fn decide(&self, position: Position<'_>) -> bool {
        match position {
            Position::Apart => false,
            Position::Flat(a, b) => degenerate::intersects(a, b),
            Position::Crossing(crossing) => crossing.intervals_overlap(self.filter),
        }
    }
}

/// The heights of the corners of `t` above the plane of `of`, times twice the area of `of`, rounded.
#[inline]
pub(super) fn heights(of: &Triangle, t: &Triangle) -> [f64; 3] {
    let normal = (of[1] - of[0]).cross(of[2] - of[0]);
    t.map(|corner| normal.dot(corner - of[0]))
}

/// The sides of a plane on which three corners lie: a bit for each corner above, and a bit for each below.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Sides {
    above: u8,
    below: u8,
}

impl Sides {
    const IN_PLANE: Self = Self { above: 0, below: 0 };

    /// The sides for rounded heights above the plane; `None` if the filter cannot decide one of them.
    #[inline]
    fn certain(filter: Filter3, heights: [f64; 3]) -> Option<Self> {
        let [h0, h1, h2] = heights;
        if !filter.are_certain(heights) {
            return None;
        }
        let below = |height: f64| (height.to_bits() >> 63) as u8;
        let below = below(h0) | below(h1) << 1 | below(h2) << 2;
        Some(Self { above: below ^ 0b111, below })
    }

    /// The sides of the plane of `of`, decided exactly.
    pub(super) fn exact(of: &Triangle, t: &Triangle) -> Self {
        let mut sides = Self { above: 0, below: 0 };
        for (i, &corner) in t.iter().enumerate() {
            match orient3d(of[0], of[1], of[2], corner) {
                1 => sides.above |= 1 << i,
                -1 => sides.below |= 1 << i,
                _ => {}
            }
        }
        sides
    }

    /// The sides of the plane of `of`: by the filter, or exactly where it cannot decide.
    pub(super) fn filtered(filter: Filter3, of: &Triangle, t: &Triangle) -> Self {
        Self::certain(filter, heights(of, t)).unwrap_or_else(|| Self::exact(of, t))
    }

    /// For each corner: 1 above the plane, −1 below, 0 in it.
    pub(super) fn signs(self) -> [i8; 3] {
        [0, 1, 2].map(|i| (self.above >> i & 1) as i8 - (self.below >> i & 1) as i8)
    }

    /// Whether all three corners are strictly on one side.
    #[inline]
    fn are_on_one_side(self) -> bool {
        self.above == 0b111 || self.below == 0b111
    }

    #[inline]
    fn lone(self) -> Option<Lone> {
        LONE[usize::from(self.above | self.below << 3)]
    }

    fn has(self, corner: u8) -> bool {
        (self.above | self.below) >> corner & 1 == 1
    }
}

/// The corner of a triangle that a plane separates from the other two.
#[derive(Clone, Copy)]
struct Lone {
    corner: u8,
    is_above: bool,
}

/// The lone corner for each pattern of sides; `None` if all three are strictly on one side or all in the
/// plane. A corner off the plane is preferred to one in it, so that no edge from the lone corner lies in the
/// plane.
const LONE: [Option<Lone>; 64] = {
    let mut table = [None; 64];
    let mut pattern = 0;
    while pattern < 64 {
        let (above, below) = (pattern as u8 & 7, pattern as u8 >> 3);
        let (mask, is_above) = match (above.count_ones(), below.count_ones()) {
            (1, _) => (above, true),
            (_, 1) => (below, false),
            (0, 2) => (!below & 7, true),
            (2, 0) => (!above & 7, false),
            _ => (0, false),
        };
        if mask != 0 {
            table[pattern] = Some(Lone { corner: mask.trailing_zeros() as u8, is_above });
        }
        pattern += 1;
    }
    table
};

impl Lone {
    /// The indices of the corners from this one on; the other two are swapped if `is_swapped`.
    #[inline]
    fn order(self, is_swapped: bool) -> [u8; 3] {
        const ORDERS: [[u8; 3]; 6] =
            [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [1, 0, 2], [2, 1, 0]];
        ORDERS[usize::from(self.corner) + if is_swapped { 3 } else { 0 }]
    }
}

/// How two triangles lie relative to each other's planes.
pub(super) enum Position<'t> {
    /// One triangle is strictly on one side of the other's plane.
    Apart,
    /// The triangles are coplanar, or one of them has no plane because it is a segment or a point.
    Flat(&'t Triangle, &'t Triangle),
    /// Both triangles reach the line in which their planes intersect.
    Crossing(Crossing<'t>),
}

impl<'t> Position<'t> {
    #[inline]
    pub(super) fn new(a: &'t Triangle, a_sides: Sides, b: &'t Triangle, b_sides: Sides) -> Self {
        let (Some(a_lone), Some(b_lone)) = (a_sides.lone(), b_sides.lone()) else {
            let flat = a_sides == Sides::IN_PLANE || b_sides == Sides::IN_PLANE;
            return if flat { Self::Flat(a, b) } else { Self::Apart };
        };
        Self::Crossing(Crossing {
            a,
            b,
            a_order: a_lone.order(!b_lone.is_above),
            b_order: b_lone.order(!a_lone.is_above),
            a_is_point: !a_sides.has(a_lone.corner),
            b_is_point: !b_sides.has(b_lone.corner),
        })
    }
}

/// Two triangles that both reach the line in which their planes intersect, with their corners ordered so that
/// the two intervals they cut from the line can be compared.
///
/// The first corner of each is alone on its side of the other's plane: from there two edges lead to or
/// through the line. Both first corners are on the upper side (or in the plane), which is achieved by
/// swapping the second and third corner of the *other* triangle. Then there is a direction of the line along
/// which the interval of `a` runs from its edge 0–1 to its edge 0–2, while the interval of `b` runs from its
/// edge 0–2 to its edge 0–1.
pub(super) struct Crossing<'t> {
    a: &'t Triangle,
    b: &'t Triangle,
    a_order: [u8; 3],
    b_order: [u8; 3],
    /// Whether the first corner of `a` lies in the plane of `b`: then the interval of `a` is that point.
    pub(super) a_is_point: bool,
    /// Whether the first corner of `b` lies in the plane of `a`: then the interval of `b` is that point.
    pub(super) b_is_point: bool,
}

impl Crossing<'_> {
    /// Corner `i` of `a`, in the new order.
    #[inline]
    pub(super) fn a(&self, i: usize) -> DVec3 {
        self.a[usize::from(self.a_order[i])]
    }

    /// Corner `i` of `b`, in the new order.
    #[inline]
    pub(super) fn b(&self, i: usize) -> DVec3 {
        self.b[usize::from(self.b_order[i])]
    }

    /// The numbers of the two corners of edge 0–i of `a`.
    pub(super) fn a_edge(&self, i: usize) -> [u8; 2] {
        [self.a_order[0], self.a_order[i]]
    }

    /// The numbers of the two corners of edge 0–i of `b`.
    pub(super) fn b_edge(&self, i: usize) -> [u8; 2] {
        [self.b_order[0], self.b_order[i]]
    }

    /// Whether each interval begins before the other ends.
    #[inline]
    fn intervals_overlap(&self, filter: Filter3) -> bool {
        self.order(filter, 1, 1) <= 0 && self.order(filter, 2, 2) >= 0
    }

    /// The order of two points on the line: −1 if edge 0–i of `a` meets it before edge 0–j of `b` does, 0 if
    /// both meet it at the same point.
    ///
    /// With e, f the edges and λd the vector from the one point to the other, the determinant is λ (e × d)·f.
    /// The edges cross the planes in known directions, which fixes the signs of the other factors.
    #[inline]
    pub(super) fn order(&self, filter: Filter3, i: usize, j: usize) -> i32 {
        filter.orient3d(self.a(0), self.a(i), self.b(0), self.b(j))
    }
}
