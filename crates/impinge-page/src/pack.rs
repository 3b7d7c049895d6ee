//! Stores numbers as bytes that compress well.
//!
//! All first bytes come first, then all second bytes, and so on: bytes of equal significance are similar,
//! bytes of one number are not. Indices are stored as the difference to the previous one.

use std::io::{self, Write};

/// Writes numbers in double precision.
///
/// # Errors
/// If `out` cannot be written to.
pub fn floats(out: &mut dyn Write, values: impl IntoIterator<Item = f64>) -> io::Result<()> {
    planes(out, values.into_iter().map(f64::to_le_bytes))
}

/// Writes numbers rounded to single precision.
///
/// # Errors
/// If `out` cannot be written to.
pub fn singles(out: &mut dyn Write, values: impl IntoIterator<Item = f64>) -> io::Result<()> {
    planes(out, values.into_iter().map(|value| (value as f32).to_le_bytes()))
}

/// Writes whole numbers.
///
/// # Errors
/// If `out` cannot be written to.
pub fn indices(out: &mut dyn Write, values: impl IntoIterator<Item = u32>) -> io::Result<()> {
    let mut before = 0;
    let steps = values.into_iter().map(|value| {
        let step = value.wrapping_sub(before).cast_signed();
        before = value;
        // The sign is the lowest bit, so that small negative steps are small numbers as well.
        ((step << 1) ^ (step >> 31)).to_le_bytes()
    });
    planes(out, steps)
}

fn planes<const N: usize>(
    out: &mut dyn Write,
    values: impl Iterator<Item = [u8; N]>,
) -> io::Result<()> {
    let values: Vec<[u8; N]> = values.collect();
    let mut plane = Vec::with_capacity(values.len());
    for byte in 0..N {
        plane.clear();
        plane.extend(values.iter().map(|value| value[byte]));
        out.write_all(&plane)?;
    }
    Ok(())
}
