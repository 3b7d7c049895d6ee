//! The closest points of two features, in plain floating point.
//!
//! [`tracker`](super::tracker) compares such distances, and proves the result afterwards. So nothing here needs to be exact, and
//! degenerate edges and facets need no special care: they only must not divide by zero.

use super::{Feature, Polytope, placed_pair::PlacedPair};
use glam::DVec3;

/// The closest points of two features, and the smallest features that contain them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Closest {
    pub(super) points: [DVec3; 2],
    pub(super) features: [Feature; 2],
    pub(super) distance_sq: f64,
}

impl Closest {
    #[inline(always)]
    fn new(points: [DVec3; 2], features: [Feature; 2]) -> Self {
        Self { points, features, distance_sq: points[0].distance_squared(points[1]) }
    }
}

impl PlacedPair<'_> {
    /// The closest points of two features. If one is a facet, the pair must be [rigid](Self::is_rigid).
    #[inline]
    pub(super) fn closest(&self, features: [Feature; 2]) -> Closest {
        match features {
            [Feature::Vertex(v), Feature::Vertex(w)] => {
                Closest::new([self.corner_a(v), self.corner_b(w)], features)
            }
            [Feature::Vertex(v), Feature::Edge(e)] => {
                let (point, segment) = (self.corner_a(v), self.segment_b(e));
                let along = along_segment(point, segment);
                let part = part_of_edge(self.b, e, along);
                Closest::new([point, at(segment, along)], [features[0], part])
            }
            [Feature::Edge(e), Feature::Vertex(w)] => {
                let (point, segment) = (self.corner_b(w), self.segment_a(e));
                let along = along_segment(point, segment);
                let part = part_of_edge(self.a, e, along);
                Closest::new([at(segment, along), point], [part, features[1]])
            }
            [Feature::Edge(e), Feature::Edge(f)] => {
                let (s, t) = (self.segment_a(e), self.segment_b(f));
                let [along_s, along_t] = along_segments(s, t);
                let features = [part_of_edge(self.a, e, along_s), part_of_edge(self.b, f, along_t)];
                Closest::new([at(s, along_s), at(t, along_t)], features)
            }
            [Feature::Facet(f), Feature::Vertex(w)] => {
                let point = self.corner_b(w);
                let (on_facet, part) = point_on_facet(self.a, f, self.to_a(point));
                Closest::new([self.placed_a(on_facet), point], [part, features[1]])
            }
            [Feature::Vertex(v), Feature::Facet(f)] => {
                let point = self.corner_a(v);
                let (on_facet, part) = point_on_facet(self.b, f, self.to_b(point));
                Closest::new([point, self.placed_b(on_facet)], [features[0], part])
            }
            [Feature::Facet(f), Feature::Edge(e)] => {
                let segment = self.segment_b(e);
                let in_a = segment.map(|point| self.to_a(point));
                let (along, on_facet, part) = segment_on_facet(self.a, f, in_a);
                let points = [self.placed_a(on_facet), at(segment, along)];
                Closest::new(points, [part, part_of_edge(self.b, e, along)])
            }
            [Feature::Edge(e), Feature::Facet(f)] => {
                let segment = self.segment_a(e);
                let in_b = segment.map(|point| self.to_b(point));
                let (along, on_facet, part) = segment_on_facet(self.b, f, in_b);
                let points = [at(segment, along), self.placed_b(on_facet)];
                Closest::new(points, [part_of_edge(self.a, e, along), part])
            }
            [Feature::Facet(f), Feature::Facet(g)] => self.closest_of_facets(f, g),
        }
    }

    /// The closest points of two facets: of each edge of the one and the other facet.
    #[cold]
    fn closest_of_facets(&self, f: u32, g: u32) -> Closest {
        let of_b = self.b.rim(g).iter().map(|rim| [Feature::Facet(f), Feature::Edge(rim.edge)]);
        let of_a = self.a.rim(f).iter().map(|rim| [Feature::Edge(rim.edge), Feature::Facet(g)]);
        let closest = of_b.chain(of_a).map(|features| self.closest(features));
        closest.reduce(nearer).unwrap_or_else(|| unreachable!("every facet has edges"))
    }

    #[inline(always)]
    fn segment_a(&self, edge: u32) -> [DVec3; 2] {
        let [v, w] = self.a.edge(edge).vertices;
        [self.corner_a(v), self.corner_a(w)]
    }

    #[inline(always)]
    fn segment_b(&self, edge: u32) -> [DVec3; 2] {
        let [v, w] = self.b.edge(edge).vertices;
        [self.corner_b(v), self.corner_b(w)]
    }
}

fn nearer(p: Closest, q: Closest) -> Closest {
    if q.distance_sq < p.distance_sq { q } else { p }
}

#[inline(always)]
fn at([from, to]: [DVec3; 2], along: f64) -> DVec3 {
    // Exact at both ends.
    if along == 1.0 { to } else { from + (to - from) * along }
}

/// The end of an edge, or the edge itself.
#[inline(always)]
fn part_of_edge(polytope: &Polytope, edge: u32, along: f64) -> Feature {
    if along <= 0.0 {
        Feature::Vertex(polytope.edge(edge).vertices[0])
    } else if along >= 1.0 {
        Feature::Vertex(polytope.edge(edge).vertices[1])
    } else {
        Feature::Edge(edge)
    }
}

/// How far along a segment, from 0 to 1, its point closest to a given point is.
#[inline(always)]
fn along_segment(point: DVec3, [from, to]: [DVec3; 2]) -> f64 {
    let direction = to - from;
    let (along, whole) = ((point - from).dot(direction), direction.length_squared());
    if along <= 0.0 {
        0.0
    } else if along >= whole {
        1.0
    } else {
        along / whole
    }
}

/// How far along two segments their closest points are.
#[inline]
fn along_segments([p, q]: [DVec3; 2], [r, s]: [DVec3; 2]) -> [f64; 2] {
    let (d, e, apart) = (q - p, s - r, p - r);
    let (dd, ee, de) = (d.length_squared(), e.length_squared(), d.dot(e));
    let (da, ea) = (d.dot(apart), e.dot(apart));
    let whole = dd * ee - de * de;
    // The point of the first line closest to the second; any, if they are parallel.
    let first = if whole > 0.0 { ((de * ea - da * ee) / whole).clamp(0.0, 1.0) } else { 0.0 };
    let first = if first.is_finite() { first } else { 0.0 };
    // From there to the second segment, and back.
    let second = de * first + ea;
    if second <= 0.0 || ee == 0.0 {
        let first = if dd > 0.0 { (-da / dd).clamp(0.0, 1.0) } else { 0.0 };
        [first, 0.0]
    } else if second >= ee {
        let first = if dd > 0.0 { ((de - da) / dd).clamp(0.0, 1.0) } else { 0.0 };
        [first, 1.0]
    } else {
        [first, second / ee]
    }
}

/// The point of a facet closest to a point, and whether it is inside the facet, on an edge or at a vertex.
#[inline]
pub(super) fn point_on_facet(polytope: &Polytope, facet: u32, point: DVec3) -> (DVec3, Feature) {
    let mut best: Option<(f64, DVec3, Feature)> = None;
    for rim in polytope.rim(facet) {
        let edge = polytope.edge(rim.edge);
        let [from, to] = polytope.segment(rim.edge);
        if (point - from).dot(edge.inward[rim.side as usize]) >= 0.0 {
            continue;
        }
        // Beyond this edge: the closest point is on one of the edges that the point is beyond.
        let along = along_segment(point, [from, to]);
        let on_edge = at([from, to], along);
        let distance_sq = on_edge.distance_squared(point);
        if best.is_none_or(|(least, ..)| distance_sq < least) {
            best = Some((distance_sq, on_edge, part_of_edge(polytope, rim.edge, along)));
        }
    }
    match best {
        Some((_, on_edge, part)) => (on_edge, part),
        None => {
            let (normal, corner) = (polytope.facet(facet).normal, facet_corner(polytope, facet));
            (point - normal * (point - corner).dot(normal), Feature::Facet(facet))
        }
    }
}

fn facet_corner(polytope: &Polytope, facet: u32) -> DVec3 {
    let rim = polytope.rim(facet)[0];
    polytope.corner(polytope.edge(rim.edge).vertices[rim.side as usize])
}

/// The closest points of a facet and a segment: how far along the segment, the point on the facet, and what of the facet it
/// is on.
fn segment_on_facet(polytope: &Polytope, facet: u32, ends: [DVec3; 2]) -> (f64, DVec3, Feature) {
    let mut best = (f64::INFINITY, 0.0, DVec3::ZERO, Feature::Facet(facet));
    let mut offer = |along: f64, on_facet: DVec3, part: Feature| {
        let distance_sq = on_facet.distance_squared(at(ends, along));
        if distance_sq < best.0 {
            best = (distance_sq, along, on_facet, part);
        }
    };
    for (along, end) in [(0.0, ends[0]), (1.0, ends[1])] {
        let (on_facet, part) = point_on_facet(polytope, facet, end);
        offer(along, on_facet, part);
    }
    for rim in polytope.rim(facet) {
        let segment = polytope.segment(rim.edge);
        let [along_edge, along] = along_segments(segment, ends);
        offer(along, at(segment, along_edge), part_of_edge(polytope, rim.edge, along_edge));
    }
    // Where the segment passes through the plane: perhaps inside the facet.
    let (normal, corner) = (polytope.facet(facet).normal, facet_corner(polytope, facet));
    let [low, high] = ends.map(|end| (end - corner).dot(normal));
    if low * high < 0.0 {
        let along = low / (low - high);
        let point = at(ends, along);
        if let (on_facet, Feature::Facet(_)) = point_on_facet(polytope, facet, point) {
            offer(along, on_facet, Feature::Facet(facet));
        }
    }
    (best.1, best.2, best.3)
}
