//! Which faces of two moving bodies may collide between two instants, by the space that each face sweeps: the method of
//! Kitamura, Takemura and Kishino (1994, §4.2.4) and of Smith and Kitamura (1994, chapter 4).
//!
//! The papers enclose the space that a face sweeps in the convex hull of its six corners, three before and three after,
//! and compare the hulls. Two things are different here, so that no contact is missed:
//!
//! - A vertex of a turning body leaves the hull, because it moves on an arc. It stays within its sagitta, at most
//!   an eighth of its acceleration, of its chord. So the hulls of turning faces are compared with a *slack*: the largest
//!   sagitta of the one face plus that of the other. Without rotation the slack is 0, and the test is exact.
//! - The papers search for an edge of one hull that passes through a face of the other. A hull wholly inside the other
//!   has none. [`Hull::is_within`] finds it.

use super::{
    Motion, Moving,
    candidates::{candidates, edge_length, travel},
    moving::{MovingBody, MovingFace},
};
use crate::{
    Bounds, Distribution, FacePair, MethodMismatch, Shape, Threads, convex::Hull,
    narrow::triangles_intersect, query::Searcher,
};
use glam::DVec3;

/// The faces of two moving bodies that may collide between two instants: the result of [`swept_contacts`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SweptContacts {
    /// The pairs of faces, sorted.
    pub pairs: Vec<FacePair>,
    /// How many pairs of faces the bodies can bring together at their speeds: those whose hulls were compared.
    pub compared: usize,
}

/// Returns the pairs of faces of two moving bodies whose swept spaces meet: a superset of the faces that touch at any time
/// of the motion. Fails if different methods prepared the shapes.
///
/// The swept space of a face is the convex hull of its corners at the start and at the end, placed by [`Pose::place`].
/// A pair of faces is reported if
///
/// - the hulls are at most the *slack* apart, which is how far the vertices of the two faces can depart from straight
///   lines. Without rotation the slack is 0, and the decision is exact: hulls that touch meet. With rotation, a distance
///   that differs from the slack by a few roundings of the coordinates may count as either;
/// - and the bodies can bring the two faces together: some part of the motion is found in which the faces are as close as
///   the bodies approach each other in it. This holds for all faces that touch. It leaves out hulls that meet
///   although the faces pass the same place at different times, as those of bodies that travel together do.
///
/// Both conditions depend on the meshes and the motions alone, so that the result is the same for every method.
///
/// The hulls are larger than what the faces sweep, so a reported pair need not touch; see
/// [`first_impact`](super::first_impact) for a decision. If one body rests and the other is rigid and
/// does not turn, every reported pair touches at some time.
///
/// ```
/// use impinge::{Motion, Pose, Shape, generate, glam::DVec3, motion::swept_contacts};
///
/// let plate = Shape::new(generate::cuboid(DVec3::new(10.0, 10.0, 0.1))?);
/// let bullet = Shape::new(generate::cuboid(DVec3::splat(1.0))?);
/// let at = |z| Pose::from_translation(DVec3::new(0.0, 0.0, z));
/// let rest = Motion::still(Pose::IDENTITY);
///
/// let through = Motion::between(at(50.0)?, at(-50.0)?)?;
/// assert!(!swept_contacts((&plate, &rest), (&bullet, &through))?.pairs.is_empty());
///
/// let away = Motion::between(at(50.0)?, at(0.56)?)?;
/// assert!(swept_contacts((&plate, &rest), (&bullet, &away))?.pairs.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// [`Pose::place`]: crate::Pose::place
pub fn swept_contacts<'m>(
    a: impl Into<Moving<'m>>,
    b: impl Into<Moving<'m>>,
) -> Result<SweptContacts, MethodMismatch> {
    swept_contacts_on(a, b, Threads::One, Distribution::Steal)
}

/// The same on the caller's thread or on all threads of the current [rayon] pool, among which the comparisons of hulls are
/// distributed. The result does not depend on it.
pub fn swept_contacts_on<'m>(
    a: impl Into<Moving<'m>>,
    b: impl Into<Moving<'m>>,
    threads: Threads,
    distribution: Distribution,
) -> Result<SweptContacts, MethodMismatch> {
    let (a, b) = (a.into(), b.into());
    a.shape().check_method(b.shape())?;
    let (Some(a), Some(b)) = (MovingBody::new(a), MovingBody::new(b)) else {
        return Ok(SweptContacts::default());
    };
    let bodies = [a, b];
    let pairs = Searcher::of_thread(|searcher| reachable(searcher, &bodies));
    let compared = pairs.len();
    let meet = |pair: &FacePair| {
        let a = SweptFace::new(&bodies[0].face(pair.a));
        a.meets(&SweptFace::new(&bodies[1].face(pair.b)))
    };
    // Threads cost more than a few comparisons.
    let threads = if compared < 64 { Threads::One } else { threads };
    let pairs = match threads {
        Threads::One => pairs.into_iter().filter(meet).collect(),
        Threads::Pool => distribution.filter(threads, pairs, meet),
    };
    Ok(SweptContacts { pairs, compared })
}

/// A box that encloses a body at all times of a motion; [empty](Bounds::is_empty) if the body has no faces.
///
/// Bodies whose boxes do not overlap have no [`swept_contacts`].
pub fn swept_bounds(shape: &Shape, motion: &Motion) -> Bounds {
    let Some(body) = MovingBody::new((shape, motion).into()) else { return Bounds::EMPTY };
    let mut bounds = shape.placed_bounds(motion.start());
    bounds.merge(&shape.placed_bounds(motion.end()));
    // The rounding is larger than that of the corners of the box.
    bounds.grown(motion.sagitta(body.radius) * (1.0 + 1e-11) + body.rounding)
}

/// The motion is divided into at most this many parts in the search for candidates.
const MOST_PARTS: f64 = 256.0;

/// The pairs of faces that the bodies can bring together, sorted.
///
/// In each part of the motion the bodies move by about an edge of the coarser mesh, so that the candidates are few.
fn reachable(searcher: &mut Searcher, bodies: &[MovingBody<'_>; 2]) -> Vec<FacePair> {
    let [a, b] = bodies.map(|body| edge_length(body.moving().shape()));
    let edge = a.max(b);
    // NaN, for meshes without extent that rest, counts as 1.
    let count = (travel(bodies, [0.0, 1.0]) / edge).ceil().clamp(1.0, MOST_PARTS).max(1.0);
    let mut all = Vec::new();
    for part in 0..count as u32 {
        let times = [f64::from(part) / count, f64::from(part + 1) / count];
        candidates(searcher, bodies, times, &mut all);
    }
    FacePair::sort(&mut all);
    all.dedup();
    all
}

/// A face of a moving body before and after its motion.
struct SweptFace {
    /// The corners before, then those after.
    corners: [DVec3; 6],
    /// How far a point of the face can depart from the hull of the corners.
    sagitta: f64,
}

impl SweptFace {
    fn new(face: &MovingFace<'_>) -> Self {
        let ([s0, s1, s2], [e0, e1, e2]) = (face.at(0.0), face.at(1.0));
        Self { corners: [s0, s1, s2, e0, e1, e2], sagitta: face.sagitta() }
    }

    fn meets(&self, other: &Self) -> bool {
        let (a, b) = (&self.corners, &other.corners);
        // The sum is rounded.
        let slack = (self.sagitta + other.sagitta) * (1.0 + 1e-12);
        if let Some(answer) = decided_quickly(a, b, slack) {
            return answer;
        }
        match (Hull::new(a), Hull::new(b)) {
            (Ok(a), Ok(b)) => a.is_within(&b, slack * (1.0 + 1e-11)),
            // Positions are finite, so this is not reached; nothing would be missed.
            _ => true,
        }
    }
}

/// Steps of the search for a direction that separates two hulls. Of pairs that are apart, few remain after so many.
const ROUNDS: usize = 16;

/// Whether the hulls of two sets of six points are at most `slack` apart, if floating point can prove it: Gilbert's
/// algorithm (1966) for the point closest to the origin of the set of differences q − p, p in a and q in b.
fn decided_quickly(a: &[DVec3; 6], b: &[DVec3; 6], slack: f64) -> Option<bool> {
    let [before_a, after_a, before_b, after_b] =
        [&a[..3], &a[3..], &b[..3], &b[3..]].map(|t| [t[0], t[1], t[2]]);
    let mut way = (b.iter().sum::<DVec3>() - a.iter().sum::<DVec3>()) / 6.0;
    for round in 0..ROUNDS {
        let support = Support::along(way, a, b)?;
        if support.is_gap_above(slack) {
            return Some(false);
        }
        if way.length() < slack {
            return Some(true);
        }
        // Most faces that are not separated soon touch before or after.
        let touches = |a, b| triangles_intersect(a, b);
        if round == 2 && (touches(&before_a, &before_b) || touches(&after_a, &after_b)) {
            return Some(true);
        }
        let step = support.difference - way;
        let share = (-way.dot(step) / step.length_squared()).min(1.0);
        let is_progress = share > 0.0;
        if !is_progress {
            return None;
        }
        way += step * share;
    }
    None
}

/// The extents of two sets of points along a direction.
struct Support {
    /// Its largest component is 1 or −1.
    direction: DVec3,
    /// The lowest point of b minus the highest of a.
    difference: DVec3,
    /// The height of that difference, and a bound on its error.
    gap: f64,
    error: f64,
}

impl Support {
    /// `None` if the direction is zero or out of range.
    fn along(direction: DVec3, a: &[DVec3; 6], b: &[DVec3; 6]) -> Option<Self> {
        let direction = direction / direction.abs().max_element();
        if !direction.is_finite() {
            return None;
        }
        let origin = a[0];
        let mut size: f64 = 0.0;
        let mut height = |point: &DVec3| {
            let arm = *point - origin;
            size = size.max(direction.abs().dot(arm.abs()));
            direction.dot(arm)
        };
        let (mut highest, mut lowest) = ((f64::NEG_INFINITY, a[0]), (f64::INFINITY, b[0]));
        for point in a {
            let height = height(point);
            highest = if height > highest.0 { (height, *point) } else { highest };
        }
        for point in b {
            let height = height(point);
            lowest = if height < lowest.0 { (height, *point) } else { lowest };
        }
        // A height passes through five roundings (a difference, a product, three sums), each at most half of EPSILON
        // of `size`, and so does `size`; their difference through one more. A product that underflows loses less than
        // MIN_POSITIVE. If a height overflows, so does `size`.
        let error = 8.0 * f64::EPSILON * size + f64::MIN_POSITIVE;
        let difference = lowest.1 - highest.1;
        Some(Self { direction, difference, gap: lowest.0 - highest.0, error })
    }

    /// Whether the points are proven to be farther apart than `slack`.
    fn is_gap_above(&self, slack: f64) -> bool {
        let length = self.direction.length() * (1.0 + 4.0 * f64::EPSILON);
        // The product and the difference are rounded, too.
        (self.gap - self.error) * (1.0 - 2.0 * f64::EPSILON) > slack * length
    }
}
