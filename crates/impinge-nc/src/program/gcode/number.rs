//! Numbers: digits with at most one point, without an exponent.

use super::{
    expression::Cursor,
    fault::{Fault, Result},
};

impl Cursor<'_> {
    /// Reads digits with at most one point.
    pub(super) fn number(&mut self, negative: bool) -> Result<f64> {
        /// The powers of ten that `f64` holds exactly.
        const TENS: [f64; 23] = [
            1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
            1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
        ];
        let start = self.at;
        let (mut mantissa, mut digits, mut decimals, mut point) = (0_u64, 0_usize, 0_usize, false);
        while let Some(byte) = self.peek() {
            match byte {
                b'0'..=b'9' => {
                    mantissa = mantissa.wrapping_mul(10).wrapping_add(u64::from(byte - b'0'));
                    digits += 1;
                    decimals += usize::from(point);
                }
                b'.' if !point => point = true,
                b'.' => return self.fault("a number with two points"),
                _ => break,
            }
            self.at += 1;
        }
        if digits == 0 {
            return Err(Fault::at(self.text.column(start), "a point without digits"));
        }
        // Both operands are exact, so that the quotient is rounded once: the nearest number.
        let value = if digits <= 18 && mantissa < 1 << 53 {
            mantissa as f64 / TENS[decimals]
        } else {
            let digits = std::str::from_utf8(&self.text.bytes[start..self.at]).unwrap_or_default();
            digits.parse().unwrap_or(f64::INFINITY)
        };
        if !value.is_finite() {
            return Err(Fault::at(self.text.column(start), "the number is too large"));
        }
        Ok(if negative { -value } else { value })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::gcode::source::Text;

    fn read(text: &str, negative: bool) -> Result<f64> {
        let mut line = Text::default();
        line.read(text.as_bytes())?;
        Cursor::new(&line, 0).number(negative)
    }

    fn number(text: &str) -> Result<f64> {
        read(text, false)
    }

    #[test]
    fn numbers() {
        for (text, expected) in [
            ("1", 1.0),
            ("1.5", 1.5),
            (".5", 0.5),
            ("2.", 2.0),
            ("007.250", 7.25),
            ("0.1", 0.1),
            ("123456789012345678901234567890", 123456789012345678901234567890.0),
            ("0.000000000000000000000000001", 1e-27),
            ("1 2 . 3 4", 12.34),
        ] {
            // The nearest number, bit by bit.
            assert_eq!(number(text), Ok(expected), "{text}");
        }
        assert!(number("1.2.3").is_err());
        assert!(number(".").is_err());
        assert_eq!(read("5", true), Ok(-5.0));
        assert!(number(&"9".repeat(400)).is_err());
    }
}
