//! What commands print.

use crate::failure::Failure;
use serde::Serialize;
use std::io::{self, IsTerminal, Write};

/// Names as terminals can show them.
pub(crate) use impinge_io::one_line as plain;

/// Whether a report should be a line of JSON: because it was asked for, or because no person is
/// at the other end.
pub(crate) fn wants_json(asked: bool) -> bool {
    asked || !io::stdout().is_terminal()
}

/// One line of JSON.
pub(crate) fn json(value: &impl Serialize) -> Result<(), Failure> {
    let mut line = Vec::new();
    impinge_io::write_json(value, &mut line)?;
    line.push(b'\n');
    let mut out = io::stdout().lock();
    out.write_all(&line)?;
    Ok(out.flush()?)
}

/// Text as it is.
pub(crate) fn text(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(())
}

/// Something to know that is no error, on standard error.
pub(crate) fn note(text: &str) {
    // A closed stderr is not an error.
    let _ = writeln!(io::stderr(), "note: {}", plain(text));
}

/// Rows in columns as wide as their widest cell, numbers to the right.
pub(crate) fn table(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let cells = |column: usize| rows.iter().filter_map(move |row| row.get(column));
    let width = |column: usize| cells(column).map(|cell| width(cell)).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let cells: Vec<String> =
            row.iter().zip(&widths).map(|(cell, &to)| padded(cell, to)).collect();
        text.push_str(cells.join("  ").trim_end());
        text.push('\n');
    }
    text
}

/// How many columns of a terminal a text takes: letters of some scripts take two, colours none.
pub(crate) fn width(text: &str) -> usize {
    console::measure_text_width(text)
}

/// A cell of that width, numbers to the right, and so is a dash in place of one.
fn padded(cell: &str, to: usize) -> String {
    let space = " ".repeat(to.saturating_sub(width(cell)));
    match cell == "-" || cell.parse::<f64>().is_ok() {
        true => format!("{space}{cell}"),
        false => format!("{cell}{space}"),
    }
}

/// A number of milli- or microseconds, or of tests, to three decimals: finer is noise.
pub(crate) fn to_thousandths(value: f64) -> f64 {
    (value * 1e3).round() / 1e3
}

/// A number to so many digits, for tables: JSON has all of them.
pub(crate) fn short(value: f64, digits: i32) -> String {
    let magnitude = value.abs();
    if magnitude == 0.0 {
        return "0".into();
    }
    if !(1e-5..1e9).contains(&magnitude) {
        return format!("{value:.*e}", (digits - 1).max(0) as usize);
    }
    let decimals = (digits - 1 - magnitude.log10().floor() as i32).max(0) as usize;
    let text = format!("{value:.decimals$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        for (value, text) in [
            (0.0, "0"),
            (1.0, "1"),
            (0.1 + 0.2, "0.3"),
            (1.234_567, "1.235"),
            (123_456.7, "123457"),
            (-0.000_123_456, "-0.0001235"),
            (1.5e-9, "1.500e-9"),
            (2e12, "2.000e12"),
            (9.9999, "10"),
        ] {
            assert_eq!(short(value, 4), text, "{value}");
        }
    }
}
