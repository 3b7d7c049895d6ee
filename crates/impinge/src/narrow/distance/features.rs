//! Pairs of features of two triangles, and the proof that one of them is the closest.
//!
//! Two points of two convex sets are closest exactly if each set lies behind the plane through its point that
//! is perpendicular to the segment between them. So signs alone prove that a pair of features is the closest,
//! without a comparison with other pairs:
//!
//! - the ends of the shortest segment between the features lie within the features;
//! - no corner of either triangle reaches beyond its plane, in the direction of the other triangle.
//!
//! If the first condition holds, and corners reach into the gap by no more than a fraction of its width, the
//! distance is right to that fraction: the gap between the planes is a lower bound, the length of the segment
//! an upper bound.

use super::number::{Number, Scaled};

pub(super) type Vector<N> = [N; 3];

/// A feature of a triangle, by index of its corner or edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Feature {
    Corner(u8),
    /// The edge from this corner to the next.
    Edge(u8),
    Face,
}

/// All pairs of features that can be the closest. A face and an edge, for example, are not needed: if they
/// are closest, then so is a corner or an edge of the face, or an end of the edge.
pub(super) const PAIRS: [(Feature, Feature); 42] = {
    let mut pairs = [(Feature::Face, Feature::Face); 42];
    let mut i = 0;
    while i < 3 {
        pairs[i as usize] = (Feature::Corner(i), Feature::Face);
        pairs[i as usize + 3] = (Feature::Face, Feature::Corner(i));
        let mut j = 0;
        while j < 3 {
            let index = (3 * i + j) as usize;
            pairs[6 + index] = (Feature::Edge(i), Feature::Edge(j));
            pairs[15 + index] = (Feature::Corner(i), Feature::Corner(j));
            pairs[24 + index] = (Feature::Corner(i), Feature::Edge(j));
            pairs[33 + index] = (Feature::Edge(i), Feature::Corner(j));
            j += 1;
        }
        i += 1;
    }
    pairs
};

/// The shortest segment between two features.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shortest {
    /// The length of the segment, in units of the coordinates.
    pub(super) length: Scaled,
    /// The ends of the segment, as weights of the corners of each triangle.
    pub(super) weights: [[f64; 3]; 2],
}

/// The result of the check of a pair of features.
pub(super) enum Verdict {
    /// The triangles are closest here.
    Closest(Shortest),
    /// The triangles are closer elsewhere, or equally close.
    No,
    /// The precision does not suffice to decide.
    Unsure,
}

/// Two triangles in a given number type.
pub(super) struct TrianglePair<N: Number> {
    a: Corners<N>,
    b: Corners<N>,
}

/// The corners of a triangle. Differences are computed on demand: a check needs few of them.
pub(super) struct Corners<N: Number>(pub(super) [[N::Coordinate; 3]; 3]);

impl<N: Number> Corners<N> {
    /// The vector from a corner of another triangle to a corner of this one.
    #[inline]
    fn from(&self, other: &Self, from: usize, to: usize) -> Vector<N> {
        let (p, q) = (&self.0[to], &other.0[from]);
        [0, 1, 2].map(|axis| N::difference(&p[axis], &q[axis]))
    }

    /// The vector from a corner to the next.
    #[inline]
    fn edge(&self, i: usize) -> Vector<N> {
        self.from(self, i % 3, (i + 1) % 3)
    }
}

/// A conjunction of conditions, some of which may be undecided.
struct Conditions {
    is_sure: bool,
}

impl Conditions {
    /// Adds a condition. Returns whether it certainly fails.
    fn fails(&mut self, condition: Option<bool>) -> bool {
        self.is_sure &= condition.is_some();
        condition == Some(false)
    }

    fn conclude(&self, segment: impl FnOnce() -> Option<Shortest>) -> Verdict {
        match self.is_sure.then(segment).flatten() {
            Some(segment) => Verdict::Closest(segment),
            None => Verdict::Unsure,
        }
    }
}

impl<N: Number> TrianglePair<N> {
    pub(super) fn new(a: [[N::Coordinate; 3]; 3], b: [[N::Coordinate; 3]; 3]) -> Self {
        Self { a: Corners(a), b: Corners(b) }
    }

    /// Whether the triangles are closest at a pair of features.
    pub(super) fn check(&self, pair: (Feature, Feature)) -> Verdict {
        match pair {
            (Feature::Corner(i), Feature::Corner(j)) => self.corners(i.into(), j.into()),
            (Feature::Edge(i), Feature::Edge(j)) => self.edges(i.into(), j.into()),
            (Feature::Corner(i), Feature::Edge(j)) => {
                corner_and_edge(&self.a, i.into(), &self.b, j.into(), false)
            }
            (Feature::Edge(i), Feature::Corner(j)) => {
                corner_and_edge(&self.b, j.into(), &self.a, i.into(), true)
            }
            (Feature::Corner(i), Feature::Face) => {
                corner_and_face(&self.a, i.into(), &self.b, false)
            }
            (Feature::Face, Feature::Corner(j)) => {
                corner_and_face(&self.b, j.into(), &self.a, true)
            }
            _ => Verdict::No,
        }
    }

    fn corners(&self, i: usize, j: usize) -> Verdict {
        let segment = &self.b.from(&self.a, i, j);
        let whole = dot(segment, segment);
        let mut conditions = Conditions { is_sure: true };
        for (of, edge, turn) in
            [(&self.b, j, 1), (&self.b, j + 2, -1), (&self.a, i, -1), (&self.a, i + 2, 1)]
        {
            let reach = dot(segment, &of.edge(edge));
            if conditions.fails(with_sign(&reach, turn).is_nearly_nonnegative(&whole)) {
                return Verdict::No;
            }
        }
        conditions.conclude(|| {
            let weights = [unit_weights(i), unit_weights(j)];
            Some(Shortest { length: whole.value()?.sqrt(), weights })
        })
    }

    fn edges(&self, i: usize, j: usize) -> Verdict {
        let (u, v) = (&self.a.edge(i), &self.b.edge(j));
        let offset = &self.b.from(&self.a, i, j);
        let normal = cross(u, v);
        let height = dot(&normal, offset);
        let side = match height.sign() {
            Some(0) => return Verdict::No, // parallel or coplanar: a corner is equally close
            side => side,
        };
        let mut conditions = Conditions { is_sure: side.is_some() };
        // The edge before this one starts at the third corner.
        let thirds = [(&self.a, i + 2, 1), (&self.b, j + 2, -1)];
        for (of, edge, turn) in thirds {
            let Some(side) = side else { break };
            let turn = turn * side;
            let rise = with_sign(&dot(&normal, &of.edge(edge)), turn);
            if conditions.fails(rise.is_nearly_nonnegative(&height)) {
                return Verdict::No;
            }
        }
        let whole = dot(&normal, &normal);
        let (s, t) = (dot(&cross(offset, v), &normal), dot(&cross(offset, u), &normal));
        for foot in [&s, &t] {
            if conditions.fails(foot.is_nonnegative())
                || conditions.fails(whole.minus(foot).is_nonnegative())
            {
                return Verdict::No;
            }
        }
        conditions.conclude(|| {
            let length = height.value()?.abs().over(whole.value()?.sqrt());
            let feet = [s.fraction_of(&whole), t.fraction_of(&whole)];
            Some(Shortest { length, weights: [edge_weights(i, feet[0]), edge_weights(j, feet[1])] })
        })
    }
}

/// Checks a corner and an edge of the other triangle.
fn corner_and_edge<N: Number>(
    of_corner: &Corners<N>,
    corner: usize,
    of_edge: &Corners<N>,
    edge: usize,
    is_swapped: bool,
) -> Verdict {
    let (offset, along) = (&of_corner.from(of_edge, edge, corner), &of_edge.edge(edge));
    let (foot, length_sq) = (dot(offset, along), dot(along, along));
    let mut conditions = Conditions { is_sure: true };
    if conditions.fails(foot.is_nonnegative())
        || conditions.fails(length_sq.minus(&foot).is_nonnegative())
    {
        return Verdict::No;
    }
    // `along × (offset × along)` is the vector from the edge to the corner, times `length_sq`.
    let area = cross(offset, along);
    let segment = cross(along, &area);
    let area_sq = dot(&area, &area);
    let mut fails_for = |edge: &Vector<N>, turn: i32| {
        conditions.fails(with_sign(&dot(&segment, edge), turn).is_nearly_nonnegative(&area_sq))
    };
    if fails_for(&of_corner.edge(corner), 1)
        || fails_for(&of_corner.edge(corner + 2), -1)
        || fails_for(&of_edge.edge(edge + 2), 1)
    {
        return Verdict::No;
    }
    match length_sq.sign() {
        Some(0) => return Verdict::No, // the edge is a point: the corners cover it
        sign => conditions.is_sure &= sign.is_some(),
    }
    conditions.conclude(|| {
        let length = area_sq.value()?.sqrt().over(length_sq.value()?.sqrt());
        let weights = [unit_weights(corner), edge_weights(edge, foot.fraction_of(&length_sq))];
        Some(Shortest { length, weights: ordered(weights, is_swapped) })
    })
}

/// Checks a corner and the face of the other triangle.
fn corner_and_face<N: Number>(
    of_corner: &Corners<N>,
    corner: usize,
    of_face: &Corners<N>,
    is_swapped: bool,
) -> Verdict {
    let normal = &cross(&of_face.edge(0), &of_face.edge(1));
    let height = dot(normal, &of_corner.from(of_face, 0, corner));
    let side = match height.sign() {
        Some(0) => return Verdict::No, // in the plane, but outside the face: closer elsewhere
        side => side,
    };
    let mut conditions = Conditions { is_sure: side.is_some() };
    for (edge, turn) in [(corner, 1), (corner + 2, -1)] {
        let Some(side) = side else { break };
        let turn = turn * side;
        let rise = with_sign(&dot(normal, &of_corner.edge(edge)), turn);
        if conditions.fails(rise.is_nearly_nonnegative(&height)) {
            return Verdict::No;
        }
    }
    // Distances inward from each edge: the barycentric weights of the opposite corners.
    let inward =
        |i: usize| dot(&cross(normal, &of_face.edge(i)), &of_corner.from(of_face, i, corner));
    let shares = [inward(1), inward(2), inward(0)];
    if shares.iter().any(|share| conditions.fails(share.is_nonnegative())) {
        return Verdict::No;
    }
    conditions.conclude(|| {
        let whole = dot(normal, normal);
        let length = height.value()?.abs().over(whole.value()?.sqrt());
        let foot = shares.each_ref().map(|share| share.fraction_of(&whole));
        Some(Shortest { length, weights: ordered([unit_weights(corner), foot], is_swapped) })
    })
}

/// The number, negated if `sign` is negative.
#[inline]
fn with_sign<N: Number>(number: &N, sign: i32) -> N {
    if sign < 0 { number.negated() } else { number.clone() }
}

fn unit_weights(corner: usize) -> [f64; 3] {
    std::array::from_fn(|i| if i == corner { 1.0 } else { 0.0 })
}

fn edge_weights(edge: usize, fraction: f64) -> [f64; 3] {
    let mut weights = [0.0; 3];
    weights[edge] = 1.0 - fraction;
    weights[(edge + 1) % 3] = fraction;
    weights
}

fn ordered([first, second]: [[f64; 3]; 2], is_swapped: bool) -> [[f64; 3]; 2] {
    if is_swapped { [second, first] } else { [first, second] }
}

#[inline]
fn dot<N: Number>(u: &Vector<N>, v: &Vector<N>) -> N {
    u[0].times(&v[0]).plus(&u[1].times(&v[1])).plus(&u[2].times(&v[2]))
}

#[inline]
fn cross<N: Number>(u: &Vector<N>, v: &Vector<N>) -> Vector<N> {
    let minor = |i: usize, j: usize| u[i].times(&v[j]).minus(&u[j].times(&v[i]));
    [minor(1, 2), minor(2, 0), minor(0, 1)]
}
