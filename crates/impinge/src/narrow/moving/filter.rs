//! The floating-point part of the decision about four moving points, with proven error bounds.
//!
//! At a time of contact w = α e1 + β e2 ([`Kind::vectors`]), so the three vectors are coplanar. Their determinant is
//! a cubic polynomial in time. Its Bernstein coefficients bound it: if all have one sign, there is no contact.
//! Otherwise intervals of time are halved, in order, until each has no root, or a single one, which is computed.
//! Around it the conditions on α and β, polynomials of degree 2 in a projection along an axis, are bounded in the
//! same way.

use super::{Kind, MovingPoint};
use glam::DVec3;

/// Half the distance from 1 to the next `f64`: the largest relative error of one operation.
const UNIT: f64 = f64::EPSILON / 2.0;

/// Intervals are halved at most this often. The error bounds depend on it.
const MAX_DEPTH: u32 = 8;

/// The result of the floating-point decision.
pub(super) enum Verdict {
    /// There is no contact.
    Apart,
    /// The first contact is the only time between `low` and `high` at which the points are coplanar. `sign` is the
    /// sign of the determinant at `low`, and it has the opposite one at `high`.
    Contact { low: f64, high: f64, sign: i32 },
    /// Rounding errors are too large to decide.
    Unknown,
}

/// Whether a coordinate axis separates the two bodies at the start and at the end.
///
/// All differences of coordinates are linear in time, so such an axis separates them at all times.
#[inline]
pub(super) fn are_separated(kind: Kind, points: &[MovingPoint; 4]) -> bool {
    let [p, q, r, s] = points;
    let (start, end) = match kind {
        Kind::VertexFace => {
            let (low, high) = range([q.start, r.start, s.start]);
            let (end_low, end_high) = range([q.end, r.end, s.end]);
            ([p.start, p.start, low, high], [p.end, p.end, end_low, end_high])
        }
        Kind::EdgeEdge => {
            let ((a, b), (c, d)) = (range([p.start, q.start]), range([r.start, s.start]));
            let ((e, f), (g, h)) = (range([p.end, q.end]), range([r.end, s.end]));
            ([a, b, c, d], [e, f, g, h])
        }
    };
    let is_below = start[1].cmplt(start[2]) & end[1].cmplt(end[2]);
    let is_above = start[0].cmpgt(start[3]) & end[0].cmpgt(end[3]);
    (is_below | is_above).any()
}

#[inline]
fn range<const N: usize>(points: [DVec3; N]) -> (DVec3, DVec3) {
    let low = points[1..].iter().fold(points[0], |low, p| low.min(*p));
    let high = points[1..].iter().fold(points[0], |high, p| high.max(*p));
    (low, high)
}

/// Decides about contacts up to `t_max`. A contact that is reported may be slightly later.
pub(super) fn decide(kind: Kind, points: &[MovingPoint; 4], t_max: f64) -> Verdict {
    let filter = Filter::new(kind, points);
    let determinant = filter.determinant();
    // Intervals that are still to be searched; the first one is the last of the list. Each is halved at most
    // MAX_DEPTH times, and leaves one behind each time.
    let mut stack = [(0.0, 1.0, determinant); MAX_DEPTH as usize + 1];
    let mut len = 1;
    while len > 0 {
        len -= 1;
        let (low, high, coefficients) = stack[len];
        let signs = coefficients.map(|value| filter.sign(value));
        let sign = signs[0];
        if low > t_max || sign != 0 && signs.iter().all(|other| *other == sign) {
            continue;
        }
        // One sign change whatever the uncertain signs are, so there is exactly one root.
        let is_single = sign != 0 && signs[3] == -sign && (signs[1] == sign || signs[2] == -sign);
        if is_single {
            let Some((low, high)) = filter.root(&determinant, low, high, sign) else {
                return Verdict::Unknown;
            };
            match filter.position(low, high) {
                Position::Outside => continue,
                Position::Inside => return Verdict::Contact { low, high, sign },
                Position::Unknown => return Verdict::Unknown,
            }
        }
        if filter.is_outside(low, high) {
            continue;
        }
        if high - low < 1.5 / f64::from(1 << MAX_DEPTH) {
            return Verdict::Unknown;
        }
        let middle = 0.5 * (low + high);
        let (left, right) = halved(coefficients);
        stack[len] = (middle, high, right);
        stack[len + 1] = (low, middle, left);
        len += 2;
    }
    Verdict::Apart
}

/// Where w is relative to the triangle or parallelogram that e1 and e2 span, during an interval of time.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Position {
    Inside,
    Outside,
    Unknown,
}

/// Vectors at the start and at the end, and bounds for the errors of polynomials computed from them.
///
/// Let X, Y, Z be the largest magnitudes of the coordinates, each with a relative error of one unit.
///
/// A Bernstein coefficient of the determinant is a third of at most 18 products of three coordinates, each through
/// at most 11 roundings: 66 units of XYZ. The coefficients are at most 6 XYZ. Halving passes them through three
/// roundings, so adds at most 18 units each time, 144 in all. Evaluation at a time passes them through 9 roundings:
/// 54 units. 300 units cover the sum and terms of higher order.
///
/// The polynomials of degree 2 in a projection along z: coefficients are half of at most 4 products of two
/// coordinates, each through at most 5 roundings: 10 units of XY. The sum of three such, at most 6 XY, has
/// an error of 42 units. Evaluation passes it through 6 roundings: 36 units. 100 units cover the sum.
///
/// Underflow: a product that underflows loses up to 2^−1075, which is then multiplied by at most one more
/// coordinate. With XYZ above 1e-200, XY above 1e-280 and coordinates below 1e102 the spare units cover that. If
/// X is zero, so are all coordinates along x, all products with them, and their errors.
struct Filter {
    kind: Kind,
    e1: [DVec3; 2],
    e2: [DVec3; 2],
    w: [DVec3; 2],
    /// The error bound of the determinant.
    bound: f64,
    /// The error bounds of polynomials in projections along x, y and z.
    plane_bounds: DVec3,
}

impl Filter {
    #[inline]
    fn new(kind: Kind, points: &[MovingPoint; 4]) -> Self {
        let [e1, e2, w] = kind.vectors().map(|[from, to]| {
            let (from, to) = (&points[from], &points[to]);
            [to.start - from.start, to.end - from.end]
        });
        let largest = |[start, end]: [DVec3; 2]| start.abs().max(end.abs());
        let extent = largest(e1).max(largest(e2)).max(largest(w));
        let product = extent.x * extent.y * extent.z;
        let is_small = extent.max_element() < 1e102;
        let bound = |factor: f64, product: f64, least: f64, is_zero: bool| {
            let is_in_range = is_small && (product > least || is_zero);
            if is_in_range { factor * UNIT * product } else { f64::INFINITY }
        };
        let zero = extent.to_array().map(|size| size == 0.0);
        let plane_bound =
            |i: usize, j: usize| bound(100.0, extent[i] * extent[j], 1e-280, zero[i] || zero[j]);
        Self {
            kind,
            e1,
            e2,
            w,
            bound: bound(300.0, product, 1e-200, zero.contains(&true)),
            plane_bounds: DVec3::new(plane_bound(1, 2), plane_bound(2, 0), plane_bound(0, 1)),
        }
    }

    /// The Bernstein coefficients of det(e1, e2, w) for times from 0 to 1.
    #[inline]
    fn determinant(&self) -> [f64; 4] {
        let ([a, c], [b, d]) = (self.e1, self.e2);
        let [start, end] = self.w;
        let (first, last) = (a.cross(b), c.cross(d));
        let middle = a.cross(d) + c.cross(b);
        [
            first.dot(start),
            (middle.dot(start) + first.dot(end)) / 3.0,
            (last.dot(start) + middle.dot(end)) / 3.0,
            last.dot(end),
        ]
    }

    /// The sign of a value of the determinant, 0 if it is not certain.
    #[inline]
    fn sign(&self, value: f64) -> i32 {
        i32::from(value > self.bound) - i32::from(value < -self.bound)
    }

    /// An interval around the only root between two times, at whose ends the determinant has certain signs: `sign`
    /// at the first one.
    fn root(&self, determinant: &[f64; 4], low: f64, high: f64, sign: i32) -> Option<(f64, f64)> {
        let sign = f64::from(sign);
        let (mut before, mut after) = (low, high);
        let mut time = 0.5 * (low + high);
        let mut slope = 0.0;
        for _ in 0..40 {
            let (value, derivative) = evaluated(determinant, time);
            slope = derivative;
            if value * sign > 0.0 {
                before = time;
            } else {
                after = time;
            }
            // Newton's method, with bisection where that leaves the interval.
            let mut next = time - value / derivative;
            let is_inside = next > before && next < after;
            if !is_inside {
                next = 0.5 * (before + after);
            }
            let is_close = (next - time).abs() <= 1e-15 * next || value.abs() <= 0.1 * self.bound;
            time = next;
            if is_close {
                break;
            }
        }
        let mut radius = 3.0 * self.bound / slope.abs() + 4.0 * UNIT * time;
        for _ in 0..3 {
            let (before, after) = ((time - radius).max(low), (time + radius).min(high));
            let is_root_between = (before == low
                || evaluated(determinant, before).0 * sign > self.bound)
                && (after == high || evaluated(determinant, after).0 * sign < -self.bound);
            if is_root_between {
                return Some((before, after));
            }
            radius *= 4.0;
        }
        None
    }

    /// Where w is during a short interval of time, in the projection that shows the largest area.
    fn position(&self, low: f64, high: f64) -> Position {
        let time = 0.5 * (low + high);
        let [e1, e2] = [self.e1, self.e2].map(|[start, end]| (1.0 - time) * start + time * end);
        let normal = e1.cross(e2).abs();
        let axis = if normal.x >= normal.y && normal.x >= normal.z {
            0
        } else if normal.y >= normal.z {
            1
        } else {
            2
        };
        self.projected_position(axis, low, high)
    }

    /// Whether a projection along an axis shows that there is no contact during an interval of time.
    fn is_outside(&self, low: f64, high: f64) -> bool {
        (0..3).any(|axis| self.projected_position(axis, low, high) == Position::Outside)
    }

    /// With n = e1 × e2, a contact requires α n = w × e2, β n = e1 × w, and n minus their sum (edges: n minus each of
    /// them) to have one sign, if any, in every projection. If all of them have the same sign in one, w is inside.
    #[inline]
    fn projected_position(&self, axis: usize, low: f64, high: f64) -> Position {
        let (i, j) = ((axis + 1) % 3, (axis + 2) % 3);
        let bound = self.plane_bounds[axis];
        let project = |v: [DVec3; 2]| v.map(|v| [v[i], v[j]]);
        let (e1, e2, w) = (project(self.e1), project(self.e2), project(self.w));
        let (normal, alpha, beta) = (crossed(e1, e2), crossed(w, e2), crossed(e1, w));
        let (mut is_up, mut is_down, mut is_unknown) = (false, false, false);
        let mut condition = |polynomial: [f64; 3]| {
            let values =
                [(low, low), (low, high), (high, high)].map(|(s, t)| blossom(&polynomial, s, t));
            if values.iter().all(|value| *value > bound) {
                is_up = true;
            } else if values.iter().all(|value| *value < -bound) {
                is_down = true;
            } else {
                is_unknown = true;
            }
        };
        condition(alpha);
        condition(beta);
        let minus = |p: &[f64; 3], q: &[f64; 3]| [p[0] - q[0], p[1] - q[1], p[2] - q[2]];
        match self.kind {
            Kind::VertexFace => condition(minus(&minus(&normal, &alpha), &beta)),
            Kind::EdgeEdge => {
                condition(minus(&normal, &alpha));
                condition(minus(&normal, &beta));
            }
        }
        match (is_up && is_down, is_unknown) {
            (true, _) => Position::Outside,
            (false, true) => Position::Unknown,
            (false, false) => Position::Inside,
        }
    }
}

/// The Bernstein coefficients of the cross product of two moving vectors in a plane.
#[inline]
fn crossed([a, c]: [[f64; 2]; 2], [b, d]: [[f64; 2]; 2]) -> [f64; 3] {
    let cross = |p: [f64; 2], q: [f64; 2]| p[0] * q[1] - p[1] * q[0];
    [cross(a, b), 0.5 * (cross(a, d) + cross(c, b)), cross(c, d)]
}

/// The blossom of a quadratic polynomial: its Bernstein coefficients on an interval are those for both ends twice,
/// and for one of each.
#[inline]
fn blossom([a, b, c]: &[f64; 3], s: f64, t: f64) -> f64 {
    let (first, second) = ((1.0 - s) * a + s * b, (1.0 - s) * b + s * c);
    (1.0 - t) * first + t * second
}

/// The value of a cubic polynomial, and its derivative.
#[inline]
fn evaluated([a, b, c, d]: &[f64; 4], t: f64) -> (f64, f64) {
    let s = 1.0 - t;
    let (e, f, g) = (s * a + t * b, s * b + t * c, s * c + t * d);
    let (h, i) = (s * e + t * f, s * f + t * g);
    (s * h + t * i, 3.0 * (i - h))
}

/// The Bernstein coefficients on both halves of an interval.
#[inline]
fn halved([a, b, c, d]: [f64; 4]) -> ([f64; 4], [f64; 4]) {
    let mean = |p: f64, q: f64| 0.5 * (p + q);
    let (e, f, g) = (mean(a, b), mean(b, c), mean(c, d));
    let (h, i) = (mean(e, f), mean(f, g));
    let middle = mean(h, i);
    ([a, e, h, middle], [middle, i, g, d])
}
