//! The first contact of two triangles that translate and rotate, by interval arithmetic.
//!
//! Time is divided until each piece is proven to be free of contact, or so short that it does not matter. A piece is free
//! if the triangles are apart along an axis throughout, by the mean value theorem in intervals. A contact is proven at a
//! time if an edge of one triangle passes through the other one, by signs of determinants in intervals. All intervals
//! are rounded outward, and positions are widened by some roundings more: the answers hold for every motion that is as
//! close to the given one.

type Vector = [f64; 3];

/// A triangle that turns about a pivot, which moves on a straight line: at time t, from 0 to 1, a corner v is at
/// `pivot + t · displacement`, plus `v − pivot` rotated by `t · turn`.
#[derive(Clone, Copy, Debug)]
pub struct RotatingTriangle {
    /// The corners at time 0.
    pub corners: [Vector; 3],
    /// The pivot at time 0.
    pub pivot: Vector,
    /// How far the pivot moves.
    pub displacement: Vector,
    /// The rotation vector: the axis, as long as the angle in radians.
    pub turn: Vector,
}

/// What is proven about the first contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RotatingContact {
    /// There is no contact from time 0 to 1.
    Clear,
    /// There is none before the first time, and there is one at the second.
    Between(f64, f64),
    /// There is none before this time. Nothing is proven about later ones.
    Unknown(f64),
}

/// Pieces of time are not divided beyond this length.
const SHORTEST: f64 = 1e-10;

/// Returns when two triangles touch first.
pub fn first_rotating_contact(a: &RotatingTriangle, b: &RotatingTriangle) -> RotatingContact {
    let mut pieces = vec![(0.0, 1.0)];
    let mut contact: Option<f64> = None;
    while let Some((from, to)) = pieces.pop() {
        if contact.is_some_and(|contact| from >= contact) {
            break;
        }
        for time in [from, to, 0.5 * (from + to)] {
            if contact.is_none_or(|contact| time < contact) && touch_at(a, b, time) {
                contact = Some(time);
            }
        }
        if are_apart(a, b, from, to) {
            continue;
        }
        if to - from < SHORTEST {
            return contact
                .map_or(RotatingContact::Unknown(from), |by| RotatingContact::Between(from, by));
        }
        let middle = 0.5 * (from + to);
        pieces.extend([(middle, to), (from, middle)]);
    }
    // Everything before the contact is proven to be free.
    contact.map_or(RotatingContact::Clear, |by| RotatingContact::Between(by, by))
}

/// A range of real numbers.
#[derive(Clone, Copy, Debug)]
struct Range {
    low: f64,
    high: f64,
}

impl Range {
    fn point(value: f64) -> Self {
        Self { low: value, high: value }
    }

    fn plus(self, other: Self) -> Self {
        let (low, high) = (self.low + other.low, self.high + other.high);
        Self { low: low.next_down(), high: high.next_up() }
    }

    fn minus(self, other: Self) -> Self {
        self.plus(Self { low: -other.high, high: -other.low })
    }

    fn times(self, other: Self) -> Self {
        let products = [
            self.low * other.low,
            self.low * other.high,
            self.high * other.low,
            self.high * other.high,
        ];
        let low = products.into_iter().fold(f64::INFINITY, f64::min);
        let high = products.into_iter().fold(f64::NEG_INFINITY, f64::max);
        Self { low: low.next_down(), high: high.next_up() }
    }

    /// Sine or cosine: they change by no more than the angle, and the standard library's are off by less than 4 units.
    fn wave(self, function: fn(f64) -> f64) -> Self {
        let middle = 0.5 * (self.low + self.high);
        let around = 0.5 * (self.high - self.low) * (1.0 + 1e-12) + 4e-16 * (1.0 + middle.abs());
        let value = function(middle);
        Self { low: (value - around - 1e-15).max(-1.0), high: (value + around + 1e-15).min(1.0) }
    }

    fn sign(self) -> Option<i32> {
        if self.low > 0.0 {
            Some(1)
        } else if self.high < 0.0 {
            Some(-1)
        } else {
            None
        }
    }
}

type Ranges = [Range; 3];

fn points(vector: Vector) -> Ranges {
    vector.map(Range::point)
}

fn add(a: Ranges, b: Ranges) -> Ranges {
    [0, 1, 2].map(|i| a[i].plus(b[i]))
}

fn subtract(a: Ranges, b: Ranges) -> Ranges {
    [0, 1, 2].map(|i| a[i].minus(b[i]))
}

fn dot(a: Ranges, b: Ranges) -> Range {
    a[0].times(b[0]).plus(a[1].times(b[1])).plus(a[2].times(b[2]))
}

fn cross(a: Ranges, b: Ranges) -> Ranges {
    let part = |i: usize, j: usize| a[i].times(b[j]).minus(a[j].times(b[i]));
    [part(1, 2), part(2, 0), part(0, 1)]
}

fn scale(a: Ranges, by: Range) -> Ranges {
    a.map(|part| part.times(by))
}

fn middle(ranges: Ranges) -> Vector {
    ranges.map(|range| 0.5 * (range.low + range.high))
}

impl RotatingTriangle {
    /// Where the corners are during a range of time, and their velocities.
    fn during(&self, time: Range) -> [(Ranges, Ranges); 3] {
        let length = self.turn.iter().map(|part| part * part).sum::<f64>().sqrt();
        let axis = match length {
            0.0 => [0.0, 0.0, 1.0],
            length => self.turn.map(|part| part / length),
        };
        // The axis and the length are rounded.
        let wide = |value: f64| Range { low: value - 1e-15, high: value + 1e-15 };
        let axis = axis.map(wide);
        let rate = Range { low: length * (1.0 - 1e-15), high: length * (1.0 + 1e-15) };
        let angle = time.times(rate);
        let (sin, cos) = (angle.wave(f64::sin), angle.wave(f64::cos));
        let (pivot, displacement) = (points(self.pivot), points(self.displacement));
        self.corners.map(|corner| {
            let arm = subtract(points(corner), pivot);
            // Rodrigues: along the axis, across it, and at right angles to both.
            let along = scale(axis, dot(axis, arm));
            let across = subtract(arm, along);
            let side = cross(axis, arm);
            let turned = add(along, add(scale(across, cos), scale(side, sin)));
            let position = add(add(pivot, scale(displacement, time)), turned).map(|range| {
                let slack = 1e-14 * (1.0 + range.low.abs().max(range.high.abs()));
                Range { low: range.low - slack, high: range.high + slack }
            });
            let velocity = add(displacement, scale(cross(axis, turned), rate));
            (position, velocity)
        })
    }
}

/// Whether the triangles are proven to be apart throughout a piece of time.
fn are_apart(a: &RotatingTriangle, b: &RotatingTriangle, from: f64, to: f64) -> bool {
    let center = 0.5 * (from + to);
    let at = [a, b].map(|t| t.during(Range::point(center)).map(|(position, _)| position));
    let over = [a, b].map(|t| t.during(Range { low: from, high: to }).map(|(_, speed)| speed));
    let shift = Range { low: (from - center).next_down(), high: (to - center).next_up() };
    // The gap of two corners along an axis: its value in the middle, plus its derivative times the time since.
    let is_separating = |axis: &Vector| {
        let axis = points(*axis);
        let mut signs = (true, true);
        for i in 0..3 {
            for j in 0..3 {
                let gap = dot(axis, subtract(at[1][j], at[0][i]));
                let growth = dot(axis, subtract(over[1][j], over[0][i]));
                let sign = gap.plus(growth.times(shift)).sign();
                signs.0 &= sign == Some(1);
                signs.1 &= sign == Some(-1);
            }
        }
        signs.0 || signs.1
    };
    axes(&at.map(|triangle| triangle.map(middle))).iter().any(is_separating)
}

/// Directions that separate two triangles if any do: normals, products of edges, and normals of edges in their planes;
/// and the directions between corners.
fn axes([a, b]: &[[Vector; 3]; 2]) -> Vec<Vector> {
    let less = |p: Vector, q: Vector| [0, 1, 2].map(|i| p[i] - q[i]);
    let product = |p: Vector, q: Vector| {
        [p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]]
    };
    let edges = |t: &[Vector; 3]| [less(t[1], t[0]), less(t[2], t[1]), less(t[0], t[2])];
    let (edges_a, edges_b) = (edges(a), edges(b));
    let normals = [product(edges_a[0], edges_a[1]), product(edges_b[0], edges_b[1])];
    let mut axes = normals.to_vec();
    for edge in edges_a {
        axes.extend(edges_b.map(|other| product(edge, other)));
    }
    axes.extend(edges_a.map(|edge| product(normals[0], edge)));
    axes.extend(edges_b.map(|edge| product(normals[1], edge)));
    for corner in a {
        axes.extend(b.map(|other| less(other, *corner)));
    }
    axes
}

/// Whether an edge of one triangle is proven to pass through the other at a time.
fn touch_at(a: &RotatingTriangle, b: &RotatingTriangle, time: f64) -> bool {
    let [a, b] = [a, b].map(|t| t.during(Range::point(time)).map(|(position, _)| position));
    let side = |p: Ranges, q: Ranges, r: Ranges, s: Ranges| {
        dot(cross(subtract(q, p), subtract(r, p)), subtract(s, p)).sign()
    };
    let pierces = |edge: [Ranges; 2], face: [Ranges; 3]| {
        let [p, q] = edge;
        let ends = [p, q].map(|end| side(face[0], face[1], face[2], end));
        let (Some(first), Some(last)) = (ends[0], ends[1]) else { return false };
        let around = [0, 1, 2].map(|i| side(p, q, face[i], face[(i + 1) % 3]));
        first != last && around[0].is_some() && around[0] == around[1] && around[1] == around[2]
    };
    let any = |edges: [Ranges; 3], face: [Ranges; 3]| {
        (0..3).any(|i| pierces([edges[i], edges[(i + 1) % 3]], face))
    };
    any(a, b) || any(b, a)
}
