//! CSV files of moving vertices and faces, or moving edges, with known answers, for `impinge verify ccd`.

use crate::{Error, error::Fault, format, text};
use glam::DVec3;
use impinge::narrow::MovingPoint;
use std::path::Path;

/// Four points that move linearly, and the known answer whether they touch between time 0 and 1.
///
/// The file does not tell what the points are: a vertex and the corners of a face, or the ends of two edges.
#[derive(Clone, Debug, PartialEq)]
pub struct MotionCase {
    /// The line of the first point in the file.
    pub line: usize,
    /// The points.
    pub points: [MovingPoint; 4],
    /// The known answer.
    pub touching: bool,
}

/// Numbers with more digits are refused. A double needs up to 325.
const MAX_DIGITS: usize = 2000;

/// Reads moving points with known answers from a CSV file without a header.
///
/// Each case has eight rows: four points at time 0, then the same points at time 1. A row has seven integers: numerator and
/// denominator of x, y and z, and the answer, 0 or 1, which is the same in all eight rows. The value of each fraction
/// must be an `f64` exactly.
pub fn load_motion_cases(path: impl AsRef<Path>) -> Result<Vec<MotionCase>, Error> {
    let path = path.as_ref();
    let cases = format::read_file(path).and_then(|bytes| read(&bytes));
    cases.map_err(|fault| fault.in_file(path))
}

struct Row {
    line: usize,
    position: DVec3,
    touching: bool,
}

fn read(bytes: &[u8]) -> Result<Vec<MotionCase>, Fault> {
    let lines = text::decode(bytes)?.lines().zip(1..);
    let lines = lines.filter(|(row, _)| !row.trim().is_empty());
    let rows =
        lines.map(|(row, line)| parse_row(row, line)).collect::<Result<Vec<Row>, Fault>>()?;
    if rows.is_empty() {
        return Err(Fault::file("the file holds no cases"));
    }
    rows.chunks(8).map(case).collect()
}

fn case(rows: &[Row]) -> Result<MotionCase, Fault> {
    let Row { line, touching, .. } = rows[0];
    if rows.len() != 8 {
        let message = format!("a case has eight rows, but the last one has {}", rows.len());
        return Err(Fault::line(line, message));
    }
    if let Some(row) = rows.iter().find(|row| row.touching != touching) {
        let message = format!("the answer differs from that of the same case in line {line}");
        return Err(Fault::line(row.line, message));
    }
    let point = |i: usize| MovingPoint::new(rows[i].position, rows[i + 4].position);
    Ok(MotionCase { line, points: std::array::from_fn(point), touching })
}

fn parse_row(row: &str, line: usize) -> Result<Row, Fault> {
    let fields: Vec<&str> = row.split(',').map(str::trim).collect();
    let &[x, x_unit, y, y_unit, z, z_unit, answer] = fields.as_slice() else {
        return Err(Fault::line(line, format!("{} fields, but a row has 7", fields.len())));
    };
    let mut position = DVec3::ZERO;
    for (axis, (numerator, denominator)) in
        [(x, x_unit), (y, y_unit), (z, z_unit)].into_iter().enumerate()
    {
        let value = fraction(numerator, denominator);
        position[axis] = value.map_err(|message| Fault::line(line, message))?;
    }
    let touching = match answer {
        "1" => true,
        "0" => false,
        other => {
            let message = format!("the answer is `{}`, not 0 or 1", text::shown(other));
            return Err(Fault::line(line, message));
        }
    };
    Ok(Row { line, position, touching })
}

/// The value of a fraction of decimal integers, if it is an `f64`.
fn fraction(numerator: &str, denominator: &str) -> Result<f64, String> {
    let (is_negative, magnitude) = match numerator.strip_prefix('-') {
        Some(magnitude) => (true, magnitude),
        None => (false, numerator),
    };
    let (top, bottom) = (integer(magnitude, numerator)?, integer(denominator, denominator)?);
    let Some((bottom, bottom_exponent)) = odd_part(bottom) else {
        return Err("a denominator is 0".to_owned());
    };
    let Some((top, top_exponent)) = odd_part(top) else {
        return Ok(0.0);
    };
    let rounded = || {
        let shown = [numerator, denominator].map(text::shown);
        format!("`{}/{}` is not a double", shown[0], shown[1])
    };
    // The quotient of the odd parts, if it is an integer of one word, is known from their lowest words.
    let quotient = top[0].wrapping_mul(inverse(bottom[0]));
    if quotient >= 1 << 53 || product(&bottom, quotient) != top {
        return Err(rounded());
    }
    let exponent = top_exponent as i64 - bottom_exponent as i64;
    let bits = 64 - i64::from(quotient.leading_zeros());
    if exponent < -1074 || exponent + bits > 1024 {
        return Err(rounded());
    }
    // Two steps, because a power of two alone may be out of range.
    let half = (exponent / 2) as i32;
    let value = quotient as f64 * 2f64.powi(half) * 2f64.powi(exponent as i32 - half);
    Ok(if is_negative { -value } else { value })
}

/// The words of a decimal integer, the lowest first. `whole` is the field, for the message.
fn integer(digits: &str, whole: &str) -> Result<Vec<u64>, String> {
    if digits.is_empty() || !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return Err(format!("`{}` is not an integer", text::shown(whole)));
    }
    if digits.len() > MAX_DIGITS {
        return Err(format!("`{}` has more than {MAX_DIGITS} digits", text::shown(whole)));
    }
    let mut words: Vec<u64> = Vec::new();
    for digit in digits.bytes() {
        let mut carry = u128::from(digit - b'0');
        for word in &mut words {
            let sum = u128::from(*word) * 10 + carry;
            *word = sum as u64;
            carry = sum >> 64;
        }
        if carry > 0 {
            words.push(carry as u64);
        }
    }
    Ok(words)
}

/// An integer as an odd one times a power of two; `None` for zero.
fn odd_part(mut words: Vec<u64>) -> Option<(Vec<u64>, usize)> {
    let skipped = words.iter().position(|&word| word != 0)?;
    words.drain(..skipped);
    let shift = words[0].trailing_zeros();
    if shift > 0 {
        for i in 0..words.len() {
            let next = words.get(i + 1).copied().unwrap_or(0);
            words[i] = (words[i] >> shift) | (next << (64 - shift));
        }
    }
    if words.last() == Some(&0) {
        words.pop();
    }
    Some((words, 64 * skipped + shift as usize))
}

/// The inverse of an odd number modulo 2^64, by Newton's method: each step doubles the number of correct bits.
fn inverse(odd: u64) -> u64 {
    let mut inverse = odd;
    for _ in 0..6 {
        inverse = inverse.wrapping_mul(2u64.wrapping_sub(odd.wrapping_mul(inverse)));
    }
    inverse
}

fn product(words: &[u64], factor: u64) -> Vec<u64> {
    let mut carry = 0u128;
    let mut product = Vec::with_capacity(words.len() + 1);
    for &word in words {
        carry += u128::from(word) * u128::from(factor);
        product.push(carry as u64);
        carry >>= 64;
    }
    if carry > 0 {
        product.push(carry as u64);
    }
    product
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Location;

    const ROW: &str = "1,2,-3,1,0,1,1\n";

    #[test]
    fn fractions_are_read_exactly() {
        let big = format!("1{}", "0".repeat(300));
        for (numerator, denominator, value) in [
            ("0", "7", 0.0),
            ("-0", "1", 0.0),
            ("-6", "4", -1.5),
            ("10", "5", 2.0),
            ("3602879701896397", "36028797018963968", 0.1),
            ("10808639105689191", "108086391056891904", 0.1),
            (big.as_str(), big.as_str(), 1.0),
            ("9007199254740991", "1", 9007199254740991.0),
        ] {
            assert_eq!(fraction(numerator, denominator), Ok(value), "{numerator}/{denominator}");
        }
        for exponent in [1023, 970, 64, -64, -1022, -1074] {
            let power = |exponent: usize| {
                let mut digits = vec![1u8];
                for _ in 0..exponent {
                    let mut carry = 0;
                    for digit in &mut digits {
                        (*digit, carry) = ((2 * *digit + carry) % 10, (2 * *digit + carry) / 10);
                    }
                    if carry > 0 {
                        digits.push(carry);
                    }
                }
                digits.iter().rev().map(|digit| char::from(b'0' + digit)).collect::<String>()
            };
            let size = power(usize::try_from(i32::abs(exponent)).unwrap());
            let value = 2f64.powi(exponent / 2) * 2f64.powi(exponent - exponent / 2);
            let read = if exponent > 0 { fraction(&size, "1") } else { fraction("1", &size) };
            assert_eq!(read, Ok(value), "2^{exponent}");
            let wider = if exponent > 0 { fraction("1", "3") } else { fraction("3", &power(1075)) };
            assert!(wider.is_err());
        }
    }

    #[test]
    fn eight_rows_are_a_case() {
        let cases = read(ROW.repeat(16).as_bytes()).unwrap();
        assert_eq!((cases.len(), cases[1].line, cases[0].touching), (2, 9, true));
        assert_eq!(cases[0].points[3].end, DVec3::new(0.5, -3.0, 0.0));
    }

    #[test]
    fn errors_name_the_line() {
        let good = ROW.repeat(9);
        let bad = |text: String, line: usize, part: &str| {
            let fault = read(text.as_bytes()).unwrap_err();
            assert_eq!(fault.location, Location::Line(line), "{text}");
            assert!(fault.message.contains(part), "{}", fault.message);
        };
        bad(good.clone(), 9, "eight rows");
        bad(format!("{good}1,2,3\n"), 10, "3 fields");
        bad(format!("{good}1,0,1,1,1,1,1\n"), 10, "denominator is 0");
        bad(format!("{good}1,3,1,1,1,1,1\n"), 10, "`1/3` is not a double");
        bad(format!("{good}9007199254740993,1,1,1,1,1,1\n"), 10, "not a double");
        bad(format!("{good}1,-2,1,1,1,1,1\n"), 10, "`-2` is not an integer");
        bad(format!("{good}1.5,1,1,1,1,1,1\n"), 10, "`1.5` is not an integer");
        bad(format!("{good}1,1,1,1,1,1,2\n"), 10, "not 0 or 1");
        bad(format!("{good}{},1,1,1,1,1,1\n", "7".repeat(5000)), 10, "2000 digits");
        bad(ROW.repeat(7) + "1,2,-3,1,0,1,0\n", 8, "differs");
        assert!(read(b"\n\n").unwrap_err().message.contains("no cases"));
    }
}
