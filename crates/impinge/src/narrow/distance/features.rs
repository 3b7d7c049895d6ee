//! Pairs of features of two triangles, and the proof that one of them is closest.
//!
//! Two points of two convex sets are closest exactly if each set lies behind the plane through its
//! point that is at right angles to the way between them. So a pair of features is recognised as
//! the closest by signs alone, and none of the others need be compared with it:
//!
//! - the feet of the shortest way between the features lie within them;
//! - no corner of either triangle reaches beyond its plane, in the direction of the other.
//!
//! If the first holds and corners reach into the gap by no more than a share of its width, the
//! distance is right to that share: the gap between the planes is a lower bound, the way an upper.

use super::number::{Number, Scaled};

pub(super) type Vector<N> = [N; 3];

/// Which points of a triangle take part, by corner numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Feature {
    Corner(u8),
    /// From a corner to the next.
    Edge(u8),
    Face,
}

/// All pairs of features that can be closest. A face and an edge, say, need not be among them:
/// where they are closest, so is a corner or an edge of the face, or an end of the edge.
pub(super) const PAIRS: [(Feature, Feature); 42] = {
    let mut pairs = [(Feature::Face, Feature::Face); 42];
    let mut i = 0;
    while i < 3 {
        pairs[i as usize] = (Feature::Corner(i), Feature::Face);
        pairs[i as usize + 3] = (Feature::Face, Feature::Corner(i));
        let mut j = 0;
        while j < 3 {
            let place = (3 * i + j) as usize;
            pairs[6 + place] = (Feature::Edge(i), Feature::Edge(j));
            pairs[15 + place] = (Feature::Corner(i), Feature::Corner(j));
            pairs[24 + place] = (Feature::Corner(i), Feature::Edge(j));
            pairs[33 + place] = (Feature::Edge(i), Feature::Corner(j));
            j += 1;
        }
        i += 1;
    }
    pairs
};

/// The shortest way between two features.
#[derive(Clone, Copy, Debug)]
pub(super) struct Way {
    /// Its length, in the unit of the coordinates.
    pub(super) length: Scaled,
    /// Its ends, as weights of the corners of either triangle.
    pub(super) weights: [[f64; 3]; 2],
}

/// What is known about a pair of features.
pub(super) enum Verdict {
    /// The triangles are closest here.
    Closest(Way),
    /// They are closer elsewhere, or as close.
    No,
    /// The numbers are not good enough to tell.
    Unsure,
}

/// Two triangles in some kind of number.
pub(super) struct Duo<N: Number> {
    a: Corners<N>,
    b: Corners<N>,
}

/// The corners of a triangle. Differences are made where they are needed: a check takes few.
pub(super) struct Corners<N: Number>(pub(super) [[N::Coordinate; 3]; 3]);

impl<N: Number> Corners<N> {
    /// From a corner of another triangle to one of this.
    #[inline]
    fn from(&self, other: &Self, from: usize, to: usize) -> Vector<N> {
        let (p, q) = (&self.0[to], &other.0[from]);
        [0, 1, 2].map(|axis| N::difference(&p[axis], &q[axis]))
    }

    /// From a corner to the next.
    #[inline]
    fn edge(&self, i: usize) -> Vector<N> {
        self.from(self, i % 3, (i + 1) % 3)
    }
}

/// A list of conditions, some of which may be in doubt.
struct Conditions {
    is_sure: bool,
}

impl Conditions {
    /// Returns whether the condition fails for certain.
    fn fails(&mut self, condition: Option<bool>) -> bool {
        self.is_sure &= condition.is_some();
        condition == Some(false)
    }

    fn conclude(&self, way: impl FnOnce() -> Option<Way>) -> Verdict {
        match self.is_sure.then(way).flatten() {
            Some(way) => Verdict::Closest(way),
            None => Verdict::Unsure,
        }
    }
}

impl<N: Number> Duo<N> {
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
        let way = &self.b.from(&self.a, i, j);
        let whole = dot(way, way);
        let mut conditions = Conditions { is_sure: true };
        for (of, edge, turn) in
            [(&self.b, j, 1), (&self.b, j + 2, -1), (&self.a, i, -1), (&self.a, i + 2, 1)]
        {
            let reach = dot(way, &of.edge(edge));
            if conditions.fails(turned(&reach, turn).is_nearly_nonnegative(&whole)) {
                return Verdict::No;
            }
        }
        conditions.conclude(|| {
            let weights = [unit_weights(i), unit_weights(j)];
            Some(Way { length: whole.value()?.sqrt(), weights })
        })
    }

    fn edges(&self, i: usize, j: usize) -> Verdict {
        let (u, v) = (&self.a.edge(i), &self.b.edge(j));
        let apart = &self.b.from(&self.a, i, j);
        let normal = cross(u, v);
        let height = dot(&normal, apart);
        let side = match height.sign() {
            Some(0) => return Verdict::No, // parallel or in a plane: closest at a corner too
            side => side,
        };
        let mut conditions = Conditions { is_sure: side.is_some() };
        // The edge before this one comes from the third corner.
        let thirds = [(&self.a, i + 2, 1), (&self.b, j + 2, -1)];
        for (of, edge, turn) in thirds {
            let Some(side) = side else { break };
            let turn = turn * side;
            let rise = turned(&dot(&normal, &of.edge(edge)), turn);
            if conditions.fails(rise.is_nearly_nonnegative(&height)) {
                return Verdict::No;
            }
        }
        let whole = dot(&normal, &normal);
        let (s, t) = (dot(&cross(apart, v), &normal), dot(&cross(apart, u), &normal));
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
            Some(Way { length, weights: [edge_weights(i, feet[0]), edge_weights(j, feet[1])] })
        })
    }
}

/// Of a corner and an edge of the other triangle.
fn corner_and_edge<N: Number>(
    of_corner: &Corners<N>,
    corner: usize,
    of_edge: &Corners<N>,
    edge: usize,
    is_swapped: bool,
) -> Verdict {
    let (apart, along) = (&of_corner.from(of_edge, edge, corner), &of_edge.edge(edge));
    let (foot, length_sq) = (dot(apart, along), dot(along, along));
    let mut conditions = Conditions { is_sure: true };
    if conditions.fails(foot.is_nonnegative())
        || conditions.fails(length_sq.minus(&foot).is_nonnegative())
    {
        return Verdict::No;
    }
    // `along × (apart × along)` is the way from the edge to the corner, times `length_sq`.
    let area = cross(apart, along);
    let way = cross(along, &area);
    let area_sq = dot(&area, &area);
    let mut reaches = |edge: &Vector<N>, turn: i32| {
        conditions.fails(turned(&dot(&way, edge), turn).is_nearly_nonnegative(&area_sq))
    };
    if reaches(&of_corner.edge(corner), 1)
        || reaches(&of_corner.edge(corner + 2), -1)
        || reaches(&of_edge.edge(edge + 2), 1)
    {
        return Verdict::No;
    }
    match length_sq.sign() {
        Some(0) => return Verdict::No, // a point: it is among the corners
        sign => conditions.is_sure &= sign.is_some(),
    }
    conditions.conclude(|| {
        let length = area_sq.value()?.sqrt().over(length_sq.value()?.sqrt());
        let weights = [unit_weights(corner), edge_weights(edge, foot.fraction_of(&length_sq))];
        Some(Way { length, weights: ordered(weights, is_swapped) })
    })
}

/// Of a corner and the other triangle's face.
fn corner_and_face<N: Number>(
    of_corner: &Corners<N>,
    corner: usize,
    of_face: &Corners<N>,
    is_swapped: bool,
) -> Verdict {
    let normal = &cross(&of_face.edge(0), &of_face.edge(1));
    let height = dot(normal, &of_corner.from(of_face, 0, corner));
    let side = match height.sign() {
        Some(0) => return Verdict::No, // in the plane, but not in the face: closer elsewhere
        side => side,
    };
    let mut conditions = Conditions { is_sure: side.is_some() };
    for (edge, turn) in [(corner, 1), (corner + 2, -1)] {
        let Some(side) = side else { break };
        let turn = turn * side;
        let rise = turned(&dot(normal, &of_corner.edge(edge)), turn);
        if conditions.fails(rise.is_nearly_nonnegative(&height)) {
            return Verdict::No;
        }
    }
    // Inwards from each edge; the share of the corner that is opposite.
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
        Some(Way { length, weights: ordered([unit_weights(corner), foot], is_swapped) })
    })
}

/// The number, or its opposite.
#[inline]
fn turned<N: Number>(number: &N, sign: i32) -> N {
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
