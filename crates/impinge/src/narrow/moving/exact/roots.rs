//! Real roots of polynomials in time, and the signs of other polynomials at them.
//!
//! A root is never computed. It is known as "root number i in the gap between two adjacent `f64`", and the sign of
//! another polynomial at it follows from signs at the ends of the gap alone:
//!
//! - If the Bernstein coefficients of the other polynomial have one sign on the gap, so has the polynomial. This
//!   decides nearly all signs but those that are zero.
//! - Otherwise by a Tarski query: for the signed remainder sequence of p and p'q, the number of sign changes at the
//!   low end minus that at the high end is the sum of the signs of q over the distinct roots of p in between. (S. Basu,
//!   R. Pollack, M.-F. Roy, *Algorithms in Real Algebraic Geometry*, 2006, theorem 2.61.) With q = 1 this is
//!   Sturm's theorem.
//!
//! So no interval is refined until a sign shows, which could take thousands of steps, or never end.

use super::{
    super::ContactTime,
    polynomial::{Polynomial, Time, sign_changes},
};

/// A time at which polynomials have signs.
#[derive(Clone, Debug)]
pub(super) enum Instant {
    /// A time that is an `f64`.
    At(f64),
    /// A root between two adjacent `f64`.
    Root(Root),
}

impl Instant {
    /// The sign of a polynomial of degree at most 2 at this time.
    pub(super) fn sign(&self, q: &Polynomial) -> i32 {
        match self {
            Self::At(time) => q.sign_at(&Time::new(*time)),
            Self::Root(root) => root.sign(q),
        }
    }

    /// The closest `f64` on both sides.
    pub(super) fn bracket(&self) -> ContactTime {
        match self {
            Self::At(time) => ContactTime { earliest: *time, latest: *time },
            Self::Root(root) => ContactTime { earliest: root.low, latest: root.high },
        }
    }
}

/// One of the distinct roots of a polynomial in the open interval between two adjacent `f64`.
#[derive(Clone, Debug)]
pub(super) struct Root {
    /// Without multiple roots.
    polynomial: Polynomial,
    low: f64,
    high: f64,
    /// The number of distinct roots in the interval, and which of them this is, from 0.
    count: usize,
    index: usize,
}

impl Root {
    fn sign(&self, q: &Polynomial) -> i32 {
        let (low, high) = (Time::new(self.low), Time::new(self.high));
        if let Some(sign) = q.constant_sign(&low, &high) {
            return sign;
        }
        if self.count == 3 {}
        if self.count == 1 {
            return tarski_query(&self.polynomial, q, &low, &high);
        }
        // Several roots: they are told apart by the signs of the derivatives (Thom's lemma). The derivative has
        // alternating signs at the roots of a polynomial that has no multiple ones.
        let p = &self.polynomial;
        let query = |q: &Polynomial| tarski_query(p, q, &low, &high);
        let slope = p.derivative();
        let rising = -p.sign_after(&low);
        let sum = query(q);
        let alternating = rising * query(&slope.times(q));
        let odd = (sum - alternating) / 2;
        let even = (sum + alternating) / 2;
        if self.index == 1 {
            return odd;
        }
        if self.count == 2 {
            return even;
        }
        // A cubic polynomial with three roots: the second derivative has opposite signs at the outer ones.
        let curvature = slope.derivative();
        let outer = rising * (query(&curvature.times(q)) - query(&curvature) * odd);
        if self.index == 0 { (even - outer) / 2 } else { (even + outer) / 2 }
    }
}

/// The first distinct root after 0 and up to `t_max` that is wanted. `p` has a degree of at most 3 and is not zero.
pub(super) fn find_root(
    p: &Polynomial,
    t_max: f64,
    mut is_wanted: impl FnMut(&Instant) -> bool,
) -> Option<Instant> {
    if t_max <= 0.0 {
        return None;
    }
    let mut wanted = |instant: Instant| is_wanted(&instant).then_some(instant);
    let last = Time::new(t_max);
    let found = match p.sign_changes_of_bernstein_form() {
        0 => None,
        1 => {
            let start_sign = p.sign_after(&Time::new(0.0));
            let is_there = p.sign_before(&last) == -start_sign;
            if is_there { wanted(only_root(p, 0.0, t_max, start_sign)) } else { None }
        }
        _ => find_isolated_root(p, t_max, &mut wanted),
    };
    if found.is_some() || p.sign_at(&last) != 0 {
        return found;
    }
    wanted(Instant::At(t_max))
}

/// [`find_root`] for roots after 0 and before `t_max`, by bisection until each interval has at most one root.
fn find_isolated_root(
    p: &Polynomial,
    t_max: f64,
    wanted: &mut impl FnMut(Instant) -> Option<Instant>,
) -> Option<Instant> {
    let mut sturm = Sequence::new(p, p.derivative());
    let simple = match sturm.polynomials.last() {
        Some(divisor) if divisor.degree() > 0 => {
            // All roots become simple, so that the sign changes at each of them.
            let simple = p.divided(divisor).0;
            sturm = Sequence::new(&simple, simple.derivative());
            simple
        }
        _ => p.clone(),
    };
    // Intervals whose roots have not been visited; the first one is the last of the list.
    let mut stack = vec![(0.0, t_max)];
    while let Some((low, high)) = stack.pop() {
        let count = sturm.sum_of_signs(&Time::new(low), &Time::new(high)) as usize;
        let middle = between(low, high);
        let found = if count == 1 {
            let start_sign = simple.sign_after(&Time::new(low));
            wanted(only_root(&simple, low, high, start_sign))
        } else if count > 1 && middle > low {
            stack.extend([(middle, high), (low, middle)]);
            continue;
        } else {
            let root = |index| Root { polynomial: simple.clone(), low, high, count, index };
            (0..count).find_map(|index| wanted(Instant::Root(root(index))))
        };
        if found.is_some() {
            return found;
        }
        if high < t_max && simple.sign_at(&Time::new(high)) == 0 {
            let found = wanted(Instant::At(high));
            if found.is_some() {
                return found;
            }
        }
    }
    None
}

/// The only root between two times, if the polynomial has a given sign just after the first, and the opposite one
/// just before the second.
pub(super) fn only_root(p: &Polynomial, low: f64, high: f64, start_sign: i32) -> Instant {
    // Times from 0 up are ordered as their bits are.
    let (mut low, mut high) = (low.to_bits(), high.to_bits());
    // Probes near a guess, in growing distance, until the root is between two of them; then bisection.
    let mut next = guess(p, low, high, start_sign);
    let mut step = 1u64;
    let (mut is_after, mut is_before) = (false, false);
    while high - low > 1 {
        let probe = next.clamp(low + 1, high - 1);
        match p.sign_at(&Time::new(f64::from_bits(probe))) {
            0 => return Instant::At(f64::from_bits(probe)),
            sign if sign == start_sign => {
                (low, is_after) = (probe, true);
                next = probe.saturating_add(step);
            }
            _ => {
                (high, is_before) = (probe, true);
                next = probe.saturating_sub(step);
            }
        }
        if is_after && is_before {
            next = low + (high - low) / 2;
        }
        step = step.saturating_mul(8);
    }
    let (low, high) = (f64::from_bits(low), f64::from_bits(high));
    Instant::Root(Root { polynomial: p.clone(), low, high, count: 1, index: 0 })
}

/// The bits of a time close to the only root between two times, as far as floating point can tell.
fn guess(p: &Polynomial, mut low: u64, mut high: u64, start_sign: i32) -> u64 {
    let scale = p.coefficients().iter().map(|c| c.bits()).max().unwrap_or(0);
    let coefficients: Vec<f64> = p.coefficients().iter().map(|c| c.to_f64(scale)).collect();
    let start_sign = f64::from(start_sign);
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        let time = f64::from_bits(middle);
        let value = coefficients.iter().rev().fold(0.0, |value, c| value * time + c);
        if value * start_sign > 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}

/// The middle of two times from 0 up in the order of all `f64`; the first one if they are adjacent.
fn between(low: f64, high: f64) -> f64 {
    f64::from_bits(low.to_bits() + (high.to_bits() - low.to_bits()) / 2)
}

/// The sum of the signs of `q` over the distinct roots of `p` in the open interval between two times.
fn tarski_query(p: &Polynomial, q: &Polynomial, low: &Time, high: &Time) -> i32 {
    Sequence::new(p, p.derivative().times(q)).sum_of_signs(low, high)
}

/// A signed remainder sequence: each polynomial is the negated remainder of the two before it, times a positive
/// factor.
struct Sequence {
    polynomials: Vec<Polynomial>,
}

impl Sequence {
    fn new(first: &Polynomial, second: Polynomial) -> Self {
        let mut polynomials = vec![first.clone()];
        let mut next = second;
        while !next.is_zero() {
            let remainder = polynomials[polynomials.len() - 1].divided(&next).1;
            polynomials.push(next);
            next = remainder.negated();
        }
        Self { polynomials }
    }

    /// The sign changes at the start of an open interval minus those at its end.
    fn sum_of_signs(&self, low: &Time, high: &Time) -> i32 {
        let at_low = sign_changes(self.polynomials.iter().map(|p| p.sign_after(low)));
        let at_high = sign_changes(self.polynomials.iter().map(|p| p.sign_before(high)));
        at_low as i32 - at_high as i32
    }
}
