//! Printing: JSON lines, text, tables and notes. Every subcommand uses this.

use crate::failure::Failure;
use serde::Serialize;
use std::{
    fmt::Display,
    io::{self, IsTerminal, Write},
};

/// Makes names safe to print on a terminal.
pub(crate) use impinge_io::one_line as plain;

/// Returns whether to print JSON: either `asked`, or standard output is not a terminal.
pub(crate) fn wants_json(asked: bool) -> bool {
    asked || !io::stdout().is_terminal()
}

/// Prints `value` as one line of JSON.
pub(crate) fn json(value: &impl Serialize) -> Result<(), Failure> {
    let mut line = Vec::new();
    impinge_io::write_json(value, &mut line)?;
    line.push(b'\n');
    let mut out = io::stdout().lock();
    out.write_all(&line)?;
    Ok(out.flush()?)
}

/// Prints a text unchanged.
pub(crate) fn text(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()?;
    Ok(())
}

/// Prints a note on standard error.
pub(crate) fn note(text: &str) {
    // A closed stderr is not an error.
    let _ = writeln!(io::stderr(), "note: {}", plain(text));
}

/// Formats rows as columns. Each column is as wide as its widest cell; numbers are aligned to the right.
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

/// Returns the width of a text in terminal columns: wide characters count two, colour codes zero.
pub(crate) fn width(text: &str) -> usize {
    console::measure_text_width(text)
}

/// Pads a cell to a width of `to` columns. Numbers, and a dash in place of a number, are aligned to the
/// right.
fn padded(cell: &str, to: usize) -> String {
    let space = " ".repeat(to.saturating_sub(width(cell)));
    match cell == "-" || cell.parse::<f64>().is_ok() {
        true => format!("{space}{cell}"),
        false => format!("{cell}{space}"),
    }
}

/// Rounds to three decimals, for times in milli- or microseconds and counts of tests: further digits are
/// noise.
pub(crate) fn to_thousandths(value: f64) -> f64 {
    (value * 1e3).round() / 1e3
}

/// Formats a number of things: `1 part`, `2 parts`.
pub(crate) fn count<N: Copy + Display + PartialEq + From<u8>>(number: N, thing: &str) -> String {
    let plural = if number == 1.into() { "" } else { "s" };
    format!("{number} {thing}{plural}")
}

/// Formats a number with `digits` significant digits, for tables; JSON has all digits.
pub(crate) fn short(value: f64, digits: i32) -> String {
    let magnitude = value.abs();
    if magnitude == 0.0 {
        return "0".into();
    }
    if !(1e-5..1e9).contains(&magnitude) {
        let text = format!("{value:.*e}", (digits - 1).max(0) as usize);
        return match text.split_once('e') {
            Some((number, exponent)) if number.contains('.') => {
                let number = number.trim_end_matches('0').trim_end_matches('.');
                format!("{number}e{exponent}")
            }
            _ => text,
        };
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
    fn one_thing_and_many_things() {
        let counted = [0_usize, 1, 2].map(|number| count(number, "part"));
        assert_eq!(counted, ["0 parts", "1 part", "2 parts"]);
    }

    #[test]
    fn numbers_are_short() {
        for (value, text) in [
            (0.0, "0"),
            (1.0, "1"),
            (0.1 + 0.2, "0.3"),
            (1.234_567, "1.235"),
            (123_456.7, "123457"),
            (-0.000_123_456, "-0.0001235"),
            (1.5e-9, "1.5e-9"),
            (2e12, "2e12"),
            (9.9999, "10"),
        ] {
            assert_eq!(short(value, 4), text, "{value}");
        }
    }
}
