//! The first contact of a vertex and a face, or of two edges, whose corners move linearly.
//!
//! A contact at a time t is a formula: conditions on the signs of polynomials in t, joined by "and" and "or". The
//! interval from 0 to 1 is halved until each part contains at most one point that is a root of any of the
//! polynomials. The formula is decided at the ends of the parts and at these points. Nothing is concluded about which
//! polynomial a first contact is a root of, and no case is special: parallel edges, degenerate faces and motions in
//! one plane are covered by the formula. It has no projections to coordinate planes; lengths and
//! products of normals take their place.

use crate::{
    polynomial::{Dyadic, Polynomial, Sturm},
    scale::decompose,
};
use dashu_int::IBig;
use std::{cmp::Ordering, collections::HashMap};

/// Positions of a vertex at time 0 and at time 1.
pub type Moving = [[f64; 3]; 2];

type Vector = [Polynomial; 3];

/// The exact time of a first contact.
#[derive(Debug, Clone)]
pub struct FirstContact {
    low: Dyadic,
    high: Dyadic,
    /// The only root of these between the two times is the time; `None` if `low` is the time.
    root: Option<Sturm>,
}

impl FirstContact {
    /// Compares the time of contact with another time, from 0 up.
    ///
    /// # Panics
    ///
    /// If the time is negative, infinite or not a number.
    pub fn compare(&self, time: f64) -> Ordering {
        let time = dyadic(time);
        let Some(root) = &self.root else {
            return self.low.compare(&time);
        };
        if time.compare(&self.low).is_le() {
            Ordering::Greater
        } else if time.compare(&self.high).is_ge() {
            Ordering::Less
        } else if root.has_root_at(&time) {
            Ordering::Equal
        } else if root.roots_between(&self.low, &time) == 1 {
            Ordering::Less
        } else {
            Ordering::Greater
        }
    }
}

/// Returns the first time from 0 to 1 at which the closed moving triangle contains the moving vertex.
///
/// # Panics
///
/// If a coordinate is infinite or not a number.
pub fn vertex_face_first_contact(vertex: Moving, face: [Moving; 3]) -> Option<FirstContact> {
    let [v, a, b, c] = to_points([vertex, face[0], face[1], face[2]]);
    let mut formula = Formula::default();
    let normal = cross(&minus(&b, &a), &minus(&c, &a));
    // Inside: in the plane, and on the inner side of each edge.
    let mut inside = vec![
        formula.condition(dot(&normal, &minus(&v, &a)), Ordering::is_eq),
        formula.condition(dot(&normal, &normal), Ordering::is_gt),
    ];
    for (p, q) in [(&a, &b), (&b, &c), (&c, &a)] {
        let side = dot(&normal, &cross(&minus(q, p), &minus(&v, p)));
        inside.push(formula.condition(side, Ordering::is_ge));
    }
    formula.cases.push(inside);
    for (p, q) in [(&a, &b), (&b, &c), (&c, &a)] {
        formula.add_vertex_on_edge(&v, p, q);
    }
    formula.first()
}

/// Returns the first time from 0 to 1 at which the two closed moving segments share a point.
///
/// # Panics
///
/// If a coordinate is infinite or not a number.
pub fn edge_edge_first_contact(a: [Moving; 2], b: [Moving; 2]) -> Option<FirstContact> {
    let [p, q, r, s] = to_points([a[0], a[1], b[0], b[1]]);
    let mut formula = Formula::default();
    let (along, other) = (minus(&q, &p), minus(&s, &r));
    let normal = cross(&along, &other);
    let area = dot(&normal, &normal);
    // p + x (q − p) = r + y (s − r), with x and y from 0 to 1.
    let between = minus(&r, &p);
    let mut crossing = vec![
        formula.condition(dot(&normal, &between), Ordering::is_eq),
        formula.condition(area.clone(), Ordering::is_gt),
    ];
    for parameter in
        [dot(&normal, &cross(&between, &other)), dot(&normal, &cross(&between, &along))]
    {
        crossing.push(formula.condition(area.minus(&parameter), Ordering::is_ge));
        crossing.push(formula.condition(parameter, Ordering::is_ge));
    }
    formula.cases.push(crossing);
    for (vertex, from, to) in [(&p, &r, &s), (&q, &r, &s), (&r, &p, &q), (&s, &p, &q)] {
        formula.add_vertex_on_edge(vertex, from, to);
    }
    formula.first()
}

/// A condition on the sign of a polynomial.
struct Condition {
    /// The index of the polynomial.
    polynomial: usize,
    holds: fn(Ordering) -> bool,
}

/// A formula that holds if all conditions of one of its cases hold.
#[derive(Default)]
struct Formula {
    polynomials: Vec<Polynomial>,
    cases: Vec<Vec<Condition>>,
}

impl Formula {
    fn condition(&mut self, polynomial: Polynomial, holds: fn(Ordering) -> bool) -> Condition {
        self.polynomials.push(polynomial);
        Condition { polynomial: self.polynomials.len() - 1, holds }
    }

    fn add_vertex_on_edge(&mut self, vertex: &Vector, p: &Vector, q: &Vector) {
        let (to_p, to_q) = (minus(p, vertex), minus(q, vertex));
        let area = cross(&to_p, &to_q);
        let case = vec![
            self.condition(dot(&area, &area), Ordering::is_eq),
            self.condition(dot(&to_p, &to_q), Ordering::is_le),
        ];
        self.cases.push(case);
    }

    fn holds(&self, signs: &[Ordering]) -> bool {
        let holds = |c: &Condition| (c.holds)(signs[c.polynomial]);
        self.cases.iter().any(|case| case.iter().all(holds))
    }

    fn holds_at(&self, time: &Dyadic) -> bool {
        let signs: Vec<Ordering> = self.polynomials.iter().map(|p| p.sign_at(time)).collect();
        self.holds(&signs)
    }

    /// The first time from 0 to 1 at which the formula holds.
    fn first(&self) -> Option<FirstContact> {
        let zero = Polynomial::new(Vec::new());
        let sequence = |p: &Polynomial| (*p != zero).then(|| Sturm::new(p));
        let sequences: Vec<Option<Sturm>> = self.polynomials.iter().map(sequence).collect();
        let at = |numerator: i32| Dyadic { numerator: IBig::from(numerator), exponent: 0 };
        if self.holds_at(&at(0)) {
            return Some(FirstContact { low: at(0), high: at(0), root: None });
        }
        // Greatest common divisors of polynomials that each have a root in one interval.
        let mut divisors: HashMap<Vec<usize>, Sturm> = HashMap::new();
        // Intervals after whose start the formula has not been decided, the first one last.
        let mut intervals = vec![(at(0), at(1))];
        while let Some((low, high)) = intervals.pop() {
            let counts: Vec<usize> = sequences
                .iter()
                .map(|sturm| sturm.as_ref().map_or(0, |sturm| sturm.roots_between(&low, &high)))
                .collect();
            let middle = low.middle(&high);
            let with_root: Vec<usize> = (0..counts.len()).filter(|&i| counts[i] > 0).collect();
            if let [first, others @ ..] = with_root.as_slice() {
                let has_several = counts.iter().any(|&count| count > 1);
                let common = || {
                    let first = self.polynomials[*first].clone();
                    Sturm::new(
                        &others
                            .iter()
                            .fold(first, |common, &i| common.common_divisor(&self.polynomials[i])),
                    )
                };
                let is_one = !has_several && {
                    let root = divisors.entry(with_root.clone()).or_insert_with(common);
                    root.roots_between(&low, &high) == 1
                };
                if !is_one {
                    intervals.extend([(middle.clone(), high), (low, middle)]);
                    continue;
                }
                // The other polynomials have no root in the interval, so they have the same sign everywhere in it.
                let signs = self.polynomials.iter().zip(&counts);
                let signs: Vec<Ordering> = signs
                    .map(|(p, count)| if *count > 0 { Ordering::Equal } else { p.sign_at(&middle) })
                    .collect();
                if self.holds(&signs) {
                    let root = divisors.remove(&with_root);
                    return Some(FirstContact { low, high, root });
                }
            } else {
                // The times of contact are a closed set, so the formula would hold at the start too.
                assert!(!self.holds_at(&middle), "a contact without a first time");
            }
            if self.holds_at(&high) {
                return Some(FirstContact { low: high.clone(), high, root: None });
            }
        }
        None
    }
}

/// Multiplies all coordinates by the smallest power of two that makes them integers.
fn to_points<const K: usize>(points: [Moving; K]) -> [Vector; K] {
    let parts = points.map(|point| point.map(|position| position.map(decompose)));
    let nonzero = parts.iter().flatten().flatten().filter(|(mantissa, _)| *mantissa != 0);
    let lowest = nonzero.map(|(_, exponent)| *exponent).min().unwrap_or(0);
    let integer = |(mantissa, exponent): (i64, i32)| match mantissa {
        0 => IBig::ZERO,
        _ => IBig::from(mantissa) << (exponent - lowest) as usize,
    };
    parts.map(|[start, end]| {
        std::array::from_fn(|axis| {
            let (start, end) = (integer(start[axis]), integer(end[axis]));
            Polynomial::new(vec![start.clone(), end - start])
        })
    })
}

/// A time from 0 up.
fn dyadic(time: f64) -> Dyadic {
    assert!(time >= 0.0, "the oracle compares with times from 0 up, not {time}");
    let (mantissa, exponent) = decompose(time);
    let shift = usize::try_from(exponent).unwrap_or(0);
    Dyadic {
        numerator: IBig::from(mantissa) << shift,
        exponent: usize::try_from(-exponent).unwrap_or(0),
    }
}

fn minus(p: &Vector, q: &Vector) -> Vector {
    std::array::from_fn(|axis| p[axis].minus(&q[axis]))
}

fn dot(u: &Vector, v: &Vector) -> Polynomial {
    let [x, y, z] = std::array::from_fn(|axis| u[axis].times(&v[axis]));
    x.plus(&y).plus(&z)
}

fn cross(u: &Vector, v: &Vector) -> Vector {
    std::array::from_fn(|i| {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        u[j].times(&v[k]).minus(&u[k].times(&v[j]))
    })
}
