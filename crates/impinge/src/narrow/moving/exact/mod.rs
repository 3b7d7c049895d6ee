//! The exact decision about four moving points, in integers. `moving/contact.rs` calls it for the queries that
//! floating point leaves undecided.
//!
//! Coordinates become integers: each axis is scaled by its own power of two, which changes neither the sign of a
//! determinant nor whether points coincide. Then every condition of a contact is the sign of a polynomial in time:
//!
//! - The four points are coplanar: D = det(e1, e2, w) = 0, of degree 3. If D is not identically zero, only its roots
//!   can be times of contact. At a root the four points are projected along an axis that the normal n = e1 × e2 is
//!   not orthogonal to, and the contact is decided in that plane, by signs of polynomials of degree 2.
//! - If n is zero at the root, the face is a segment or a point, or the edges are parallel or points. Then there is a
//!   contact if and only if a vertex is on an edge.
//! - If D is identically zero, the points stay in one (moving) plane. A first contact after the start is that of a
//!   vertex with an edge, because a vertex inside a face, or edges that cross at inner points, have been in contact
//!   before.
//! - A vertex is on an edge if the cross product of the vectors from it to the ends is zero (degree 2), and
//!   for each axis the product of their coordinates is not positive. Times of contact are roots of a component of
//!   the cross product. If all components are identically zero, the vertex stays on the line of the edge, and a
//!   first contact is that with an end.
//! - Two vertices are in contact if their difference is zero, of degree 1. If that is identically zero, they are in
//!   contact from the start.

mod big_integer;
mod polynomial;
mod roots;

use super::{ContactTime, Kind, MovingPoint};
use big_integer::{BigInteger, odd_part};
use polynomial::Polynomial;
use roots::{Instant, find_root, only_root};

/// The coordinates of the vector between two moving points.
type Vector = [Polynomial; 3];

/// Four moving points with integer coordinates.
struct Query {
    kind: Kind,
    /// Coordinates at the start, and how much they change.
    points: [[[BigInteger; 2]; 3]; 4],
}

/// The first time of contact up to `t_max`.
#[cold]
#[inline(never)]
pub(super) fn first_contact(
    kind: Kind,
    points: &[MovingPoint; 4],
    t_max: f64,
) -> Option<ContactTime> {
    let query = Query::new(kind, points);
    let plane = Plane::new(&query);
    let start = Instant::At(0.0);
    if start.sign(&plane.coplanarity) == 0 && query.is_contact(&plane, &start) {
        return Some(start.bracket());
    }
    if plane.coplanarity.is_zero() {
        let contacts = query.vertices_and_edges().into_iter();
        let contacts = contacts.filter_map(|(vertex, edge)| query.vertex_edge(vertex, edge, t_max));
        return contacts.min_by(ContactTime::compare);
    }
    let found = find_root(&plane.coplanarity, t_max, |time| query.is_contact(&plane, time));
    found.map(|time| time.bracket())
}

/// The only time between `low` and `high` at which the points are coplanar. It must be known that there is only one,
/// that their determinant has the given sign at `low`, and that it has the opposite one at `high`.
#[cold]
#[inline(never)]
pub(super) fn only_coplanar_time(
    kind: Kind,
    points: &[MovingPoint; 4],
    [low, high]: [f64; 2],
    sign: i32,
) -> ContactTime {
    let plane = Plane::new(&Query::new(kind, points));
    only_root(&plane.coplanarity, low, high, sign).bracket()
}

impl Query {
    fn new(kind: Kind, points: &[MovingPoint; 4]) -> Self {
        let mut scaled = [const { [const { [BigInteger::ZERO; 2] }; 3] }; 4];
        for axis in 0..3 {
            let values = points.map(|point| [point.start[axis], point.end[axis]]);
            let nonzero = values.as_flattened().iter().filter(|value| **value != 0.0);
            let exponent = nonzero.map(|value| odd_part(*value).1).min().unwrap_or(0);
            for (point, value) in scaled.iter_mut().zip(values) {
                let [start, end] = value.map(|value| BigInteger::from_f64(value, exponent));
                point[axis] = [start.clone(), end.minus(&start)];
            }
        }
        Self { kind, points: scaled }
    }

    /// The vector from one point to another.
    fn vector(&self, from: usize, to: usize) -> Vector {
        [0, 1, 2].map(|axis| {
            let (from, to) = (&self.points[from][axis], &self.points[to][axis]);
            Polynomial::new(vec![to[0].minus(&from[0]), to[1].minus(&from[1])])
        })
    }

    /// The vertices, and the edges that each of them can be on.
    fn vertices_and_edges(&self) -> Vec<(usize, [usize; 2])> {
        match self.kind {
            Kind::VertexFace => vec![(0, [1, 2]), (0, [2, 3]), (0, [3, 1])],
            Kind::EdgeEdge => vec![(0, [2, 3]), (1, [2, 3]), (2, [0, 1]), (3, [0, 1])],
        }
    }

    /// Whether vertex and face, or the two edges, share a point at a time at which the four points are coplanar.
    fn is_contact(&self, plane: &Plane, time: &Instant) -> bool {
        for axis in 0..3 {
            let normal = component(&plane.e1, &plane.e2, axis);
            let sign = time.sign(&normal);
            if sign == 0 {
                continue;
            }
            // w = α e1 + β e2, with α n = w × e2 and β n = e1 × w.
            let alpha = component(&plane.w, &plane.e2, axis);
            if time.sign(&alpha) * sign < 0 {
                return false;
            }
            let beta = component(&plane.e1, &plane.w, axis);
            if time.sign(&beta) * sign < 0 {
                return false;
            }
            let is_below_1 = |sum: &Polynomial| time.sign(&normal.minus(sum)) * sign >= 0;
            return match self.kind {
                Kind::VertexFace => is_below_1(&alpha.plus(&beta)),
                Kind::EdgeEdge => is_below_1(&alpha) && is_below_1(&beta),
            };
        }
        let mut pairs = self.vertices_and_edges().into_iter();
        pairs.any(|(vertex, edge)| {
            let ends = edge.map(|end| self.vector(vertex, end));
            is_on_edge(&ends, &crosses(&ends), time)
        })
    }

    /// The first time after the start at which a vertex is on an edge.
    fn vertex_edge(&self, vertex: usize, edge: [usize; 2], t_max: f64) -> Option<ContactTime> {
        let ends = edge.map(|end| self.vector(vertex, end));
        let crosses = crosses(&ends);
        if let Some(cross) = crosses.iter().find(|cross| !cross.is_zero()) {
            let found = find_root(cross, t_max, |time| is_on_edge(&ends, &crosses, time));
            return found.map(|time| time.bracket());
        }
        let contacts = ends.iter().filter_map(|end| {
            let coordinate = end.iter().find(|coordinate| !coordinate.is_zero())?;
            find_root(coordinate, t_max, |time| end.iter().all(|c| time.sign(c) == 0))
        });
        let contacts = contacts.map(|time| time.bracket());
        contacts.min_by(ContactTime::compare)
    }
}

/// Whether a vertex is on an edge, given by the vectors from the vertex to its ends and their cross product.
fn is_on_edge(ends: &[Vector; 2], crosses: &Vector, time: &Instant) -> bool {
    crosses.iter().all(|cross| time.sign(cross) == 0)
        && (0..3).all(|axis| time.sign(&ends[0][axis].times(&ends[1][axis])) <= 0)
}

fn crosses([a, b]: &[Vector; 2]) -> Vector {
    [0, 1, 2].map(|axis| component(a, b, axis))
}

/// A component of a cross product.
fn component(a: &Vector, b: &Vector, axis: usize) -> Polynomial {
    let (i, j) = ((axis + 1) % 3, (axis + 2) % 3);
    a[i].times(&b[j]).minus(&a[j].times(&b[i]))
}

/// A contact as a condition on one vector: w = α e1 + β e2.
///
/// Vertex and face: α and β are from 0 up, and their sum is at most 1. Edges: both are from 0 to 1.
struct Plane {
    e1: Vector,
    e2: Vector,
    w: Vector,
    /// det(e1, e2, w)
    coplanarity: Polynomial,
}

impl Plane {
    fn new(query: &Query) -> Self {
        let [e1, e2, w] = query.kind.vectors().map(|[from, to]| query.vector(from, to));
        let [x, y, z] = [0, 1, 2].map(|axis| component(&e1, &e2, axis).times(&w[axis]));
        let coplanarity = x.plus(&y).plus(&z);
        Self { e1, e2, w, coplanarity }
    }
}
