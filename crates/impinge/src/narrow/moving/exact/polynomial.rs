//! Polynomials in time with integer coefficients, and their signs at times that are `f64`.

use super::big_integer::{BigInteger, odd_part};

/// Coefficients from the constant up; the last one is not zero. The zero polynomial has none.
#[derive(Clone, Debug)]
pub(super) struct Polynomial {
    coefficients: Vec<BigInteger>,
}

/// A time from 0 up as `mantissa / 2^exponent`.
#[derive(Clone, Debug)]
pub(super) struct Time {
    mantissa: BigInteger,
    exponent: usize,
}

impl Time {
    pub(super) fn new(time: f64) -> Self {
        let (mantissa, exponent) = odd_part(time);
        let mantissa = BigInteger::from_u64(mantissa);
        if exponent > 0 {
            return Self { mantissa: mantissa.shifted(exponent as usize), exponent: 0 };
        }
        Self { mantissa, exponent: exponent.unsigned_abs() as usize }
    }
}

impl Polynomial {
    pub(super) fn new(mut coefficients: Vec<BigInteger>) -> Self {
        while coefficients.last().is_some_and(BigInteger::is_zero) {
            coefficients.pop();
        }
        Self { coefficients }
    }

    pub(super) fn is_zero(&self) -> bool {
        self.coefficients.is_empty()
    }

    /// The degree; 0 for constants and for zero.
    pub(super) fn degree(&self) -> usize {
        self.coefficients.len().saturating_sub(1)
    }

    pub(super) fn coefficients(&self) -> &[BigInteger] {
        &self.coefficients
    }

    pub(super) fn plus(&self, other: &Self) -> Self {
        let (long, short) = if self.coefficients.len() < other.coefficients.len() {
            (other, self)
        } else {
            (self, other)
        };
        let mut sum = long.coefficients.clone();
        for (coefficient, addend) in sum.iter_mut().zip(&short.coefficients) {
            *coefficient = coefficient.plus(addend);
        }
        Self::new(sum)
    }

    pub(super) fn negated(&self) -> Self {
        Self { coefficients: self.coefficients.iter().map(|c| c.clone().negated()).collect() }
    }

    pub(super) fn minus(&self, other: &Self) -> Self {
        self.plus(&other.negated())
    }

    pub(super) fn times(&self, other: &Self) -> Self {
        if self.is_zero() || other.is_zero() {
            return Self::new(Vec::new());
        }
        let mut product = vec![BigInteger::ZERO; self.degree() + other.degree() + 1];
        for (i, a) in self.coefficients.iter().enumerate() {
            for (j, b) in other.coefficients.iter().enumerate() {
                product[i + j] = product[i + j].plus(&a.times(b));
            }
        }
        Self::new(product)
    }

    pub(super) fn derivative(&self) -> Self {
        let powers = self.coefficients.iter().zip(0u64..).skip(1);
        Self::new(powers.map(|(c, power)| c.times(&BigInteger::from_u64(power))).collect())
    }

    /// The sign of the value at a time.
    pub(super) fn sign_at(&self, time: &Time) -> i32 {
        // Horner's scheme, times 2^(exponent · degree).
        let mut value = BigInteger::ZERO;
        let mut shift = 0;
        for coefficient in self.coefficients.iter().rev() {
            value = value.times(&time.mantissa).plus(&coefficient.shifted(shift));
            shift += time.exponent;
        }
        value.sign()
    }

    /// The sign just after a time: that of the first derivative that is not zero there.
    pub(super) fn sign_after(&self, time: &Time) -> i32 {
        match self.sign_at(time) {
            0 if !self.is_zero() => self.derivative().sign_after(time),
            sign => sign,
        }
    }

    /// The sign just before a time.
    pub(super) fn sign_before(&self, time: &Time) -> i32 {
        match self.sign_at(time) {
            0 if !self.is_zero() => -self.derivative().sign_before(time),
            sign => sign,
        }
    }

    /// The sign on the open interval between two times, if the Bernstein coefficients of this polynomial of degree
    /// at most 2 show that it has no root there.
    pub(super) fn constant_sign(&self, low: &Time, high: &Time) -> Option<i32> {
        debug_assert!(self.degree() <= 2);
        let mut signs = [self.sign_at(low), self.sign_at(high), 0];
        if let [c0, c1, c2] = self.coefficients.as_slice() {
            // The middle coefficient is c0 + c1 (l + h) / 2 + c2 l h, here times 2^(1 + both exponents).
            let l = low.mantissa.shifted(high.exponent);
            let h = high.mantissa.shifted(low.exponent);
            let scale = low.exponent + high.exponent;
            let square = low.mantissa.times(&high.mantissa);
            let middle = c0
                .shifted(scale + 1)
                .plus(&c1.times(&l.plus(&h)))
                .plus(&c2.times(&square).shifted(1));
            signs[2] = middle.sign();
        }
        let is_up = signs.contains(&1);
        let is_down = signs.contains(&-1);
        match (is_up, is_down) {
            (true, false) => Some(1),
            (false, true) => Some(-1),
            (false, false) => Some(0),
            (true, true) => None,
        }
    }

    /// The number of sign changes among the Bernstein coefficients on the interval from 0 to 1, for a degree of at
    /// most 3. None: there is no root in the open interval. One: there is exactly one, of odd multiplicity.
    pub(super) fn sign_changes_of_bernstein_form(&self) -> usize {
        let times = |c: &BigInteger, factor: u64| c.times(&BigInteger::from_u64(factor));
        let c = &self.coefficients;
        let inner = match c.as_slice() {
            [c0, c1, _] => vec![times(c0, 2).plus(c1)],
            [c0, c1, c2, _] => {
                let three = times(c0, 3);
                let first = three.plus(c1);
                vec![first.clone(), first.plus(c1).plus(c2)]
            }
            _ => Vec::new(),
        };
        let last = c.iter().fold(BigInteger::ZERO, |sum, c| sum.plus(c));
        let first = c.first().into_iter().map(BigInteger::sign);
        sign_changes(first.chain(inner.iter().map(BigInteger::sign)).chain([last.sign()]))
    }

    /// Quotient and remainder of a division by a polynomial that is not zero, both times a positive factor.
    pub(super) fn divided(&self, divisor: &Self) -> (Self, Self) {
        let mut rest = self.coefficients.clone();
        let mut quotient = Vec::new();
        let Some(lead) = divisor.coefficients.last() else {
            return (Self::new(quotient), self.clone());
        };
        let magnitude = lead.clone().abs();
        while rest.len() >= divisor.coefficients.len() {
            let Some(first) = rest.pop() else { break };
            let factor = if lead.sign() < 0 { first.negated() } else { first };
            let offset = rest.len() + 1 - divisor.coefficients.len();
            for coefficient in rest.iter_mut().chain(&mut quotient) {
                *coefficient = coefficient.times(&magnitude);
            }
            for (coefficient, d) in rest[offset..].iter_mut().zip(&divisor.coefficients) {
                *coefficient = coefficient.minus(&factor.times(d));
            }
            quotient.push(factor);
        }
        quotient.reverse();
        (Self::new(quotient), Self::new(rest))
    }
}

/// The number of changes in a sequence of signs, zeros left out.
pub(super) fn sign_changes(signs: impl Iterator<Item = i32>) -> usize {
    let mut changes = 0;
    let mut last = 0;
    for sign in signs.filter(|&sign| sign != 0) {
        changes += usize::from(last == -sign);
        last = sign;
    }
    changes
}
