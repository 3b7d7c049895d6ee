//! Polynomials in one variable with integer coefficients, and how many roots they have in an interval.

use dashu_int::{
    IBig, UBig,
    ops::{Gcd, UnsignedAbs},
};
use std::cmp::Ordering;

/// Coefficients from the constant up; the last one is not zero. Zero has none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Polynomial(Vec<IBig>);

/// The fraction `numerator / 2^exponent`.
#[derive(Debug, Clone)]
pub(crate) struct Dyadic {
    pub(crate) numerator: IBig,
    pub(crate) exponent: usize,
}

impl Dyadic {
    pub(crate) fn middle(&self, other: &Self) -> Self {
        let exponent = self.exponent.max(other.exponent);
        let [a, b] = [self, other].map(|t| &t.numerator << (exponent - t.exponent));
        Self { numerator: a + b, exponent: exponent + 1 }
    }

    pub(crate) fn compare(&self, other: &Self) -> Ordering {
        (&self.numerator << other.exponent).cmp(&(&other.numerator << self.exponent))
    }
}

impl Polynomial {
    pub(crate) fn new(mut coefficients: Vec<IBig>) -> Self {
        while coefficients.last().is_some_and(IBig::is_zero) {
            coefficients.pop();
        }
        Self(coefficients)
    }

    pub(crate) fn plus(&self, other: &Self) -> Self {
        let count = self.0.len().max(other.0.len());
        let of = |p: &Self, i: usize| p.0.get(i).cloned().unwrap_or(IBig::ZERO);
        Self::new((0..count).map(|i| of(self, i) + of(other, i)).collect())
    }

    pub(crate) fn minus(&self, other: &Self) -> Self {
        self.plus(&Self(other.0.iter().map(|c| -c).collect()))
    }

    pub(crate) fn times(&self, other: &Self) -> Self {
        let mut product = vec![IBig::ZERO; self.0.len() + other.0.len()];
        for (i, a) in self.0.iter().enumerate() {
            for (j, b) in other.0.iter().enumerate() {
                product[i + j] += a * b;
            }
        }
        Self::new(product)
    }

    fn derivative(&self) -> Self {
        Self::new(self.0.iter().enumerate().skip(1).map(|(i, c)| c * IBig::from(i)).collect())
    }

    /// The sign of the value.
    pub(crate) fn sign_at(&self, at: &Dyadic) -> Ordering {
        let mut value = IBig::ZERO;
        for (i, coefficient) in self.0.iter().rev().enumerate() {
            value = value * &at.numerator + (coefficient << (i * at.exponent));
        }
        value.cmp(&IBig::ZERO)
    }

    /// Pseudo-division: `factor · self = quotient · divisor + remainder` with a positive factor.
    fn divided(&self, divisor: &Self) -> (Self, Self) {
        let lead = divisor.0.last().expect("the divisor is not zero");
        let square = lead * lead;
        let (mut quotient, mut rest) = (Self::new(Vec::new()), self.clone());
        while rest.0.len() >= divisor.0.len() {
            let degree = rest.0.len() - divisor.0.len();
            let mut term = vec![IBig::ZERO; degree + 1];
            term[degree] = rest.0.last().expect("not zero") * lead;
            let term = Self::new(term);
            let scale = Self::new(vec![square.clone()]);
            quotient = quotient.times(&scale).plus(&term);
            rest = rest.times(&scale).minus(&term.times(divisor));
        }
        (quotient, rest)
    }

    /// Divides all coefficients by their greatest common divisor. Remainders would soon have millions of digits
    /// without it.
    fn reduced(self) -> Self {
        let magnitudes = self.0.iter().map(UnsignedAbs::unsigned_abs);
        let content =
            IBig::from(magnitudes.fold(UBig::ZERO, |a, b| if a.is_zero() { b } else { a.gcd(b) }));
        Self(self.0.into_iter().map(|c| c / &content).collect())
    }

    /// A greatest common divisor, up to a constant factor.
    pub(crate) fn common_divisor(&self, other: &Self) -> Self {
        let (mut a, mut b) = (self.clone(), other.clone());
        while !b.0.is_empty() {
            let rest = a.divided(&b).1.reduced();
            (a, b) = (b, rest);
        }
        a
    }
}

/// A polynomial without multiple roots, with its Sturm sequence.
#[derive(Debug, Clone)]
pub(crate) struct Sturm(Vec<Polynomial>);

impl Sturm {
    /// For the distinct roots of a polynomial that is not zero.
    pub(crate) fn new(p: &Polynomial) -> Self {
        let simple = p.divided(&p.common_divisor(&p.derivative())).0.reduced();
        let mut sequence = vec![simple.clone(), simple.derivative()];
        while let [.., a, b] = sequence.as_slice()
            && !b.0.is_empty()
        {
            let rest = a.divided(b).1.reduced();
            sequence.push(Polynomial::new(Vec::new()).minus(&rest));
        }
        Self(sequence)
    }

    /// The number of distinct roots after `low` and before `high`.
    pub(crate) fn roots_between(&self, low: &Dyadic, high: &Dyadic) -> usize {
        // Sturm's theorem for a polynomial without multiple roots counts the roots in (low, high].
        let count = self.changes(low) - self.changes(high);
        count - usize::from(self.0[0].sign_at(high) == Ordering::Equal)
    }

    pub(crate) fn has_root_at(&self, at: &Dyadic) -> bool {
        self.0[0].sign_at(at) == Ordering::Equal
    }

    fn changes(&self, at: &Dyadic) -> usize {
        let signs = self.0.iter().map(|p| p.sign_at(at));
        let signs: Vec<Ordering> = signs.filter(|sign| sign.is_ne()).collect();
        signs.windows(2).filter(|pair| pair[0] != pair[1]).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(numerator: i32, exponent: usize) -> Dyadic {
        Dyadic { numerator: IBig::from(numerator), exponent }
    }

    #[test]
    fn counts_distinct_roots_in_open_intervals() {
        // (x − 1)² (2x − 1) (x + 3)
        let factor = |a: i32, b: i32| Polynomial::new(vec![IBig::from(a), IBig::from(b)]);
        let p = factor(-1, 1).times(&factor(-1, 1)).times(&factor(-1, 2)).times(&factor(3, 1));
        let roots = Sturm::new(&p);
        for (low, high, count) in [
            (at(-4, 0), at(2, 0), 3),
            (at(0, 0), at(1, 0), 1),
            (at(1, 1), at(1, 0), 0),
            (at(1, 1), at(3, 1), 1),
            (at(-3, 0), at(1, 1), 0),
            (at(3, 2), at(5, 2), 1),
        ] {
            assert_eq!(roots.roots_between(&low, &high), count, "{low:?} {high:?}");
        }
    }
}
